"""Every system against a baseline, or all pairs, under several metrics at once, on one test set or on several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Unpack, overload

from mtworkbench.assumptions import name_accepted
from mtworkbench.inference.campaign_checks import (
    Notices,
    check_test_sets,
    warn_of_few_sets,
    warn_of_few_trials_for_sets,
    warn_of_unequal_runs,
)
from mtworkbench.inference.campaigns import (
    MetricEstimates,
    conclude_metrics,
    estimate_metrics,
    record_set,
    settings_of_sets,
)
from mtworkbench.inference.crossed import warn_of_single_runs
from mtworkbench.inference.draws import DividedSet, draw_sets, run_here
from mtworkbench.inference.equivalence import choose_margins
from mtworkbench.inference.families import (
    as_families,
    collect_doubts,
    name_repaired,
    number_pairs,
    settle_documents,
    settle_unit,
    warn_of_few_differing_units,
    warn_of_few_effective_units,
    warn_of_few_units,
    warn_of_missing_scores,
)
from mtworkbench.inference.one_set import conclude_set, estimate_set, make_source
from mtworkbench.inference.units import Units
from mtworkbench.inference.verdicts import group_families, split_like
from mtworkbench.metrics.directions import has_direction
from mtworkbench.progress import Progress, shown_steps
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.results.campaigns import CampaignComparison
from mtworkbench.results.comparisons import Comparison
from mtworkbench.results.settings import Asked, Margin, Settings, check_options, choose_n_resamples, warn_of_few_trials
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.work import Study, choose_seed


class Options(Asked, total=False):
    """What `compare` takes by name."""

    systems: Sequence[str] | None
    rng: RngLike
    progress: Progress | None
    study: Study | None


@overload
def compare(
    statistics: SegmentStatistics | Sequence[SegmentStatistics], baseline: str | None = None, **options: Unpack[Options]
) -> Comparison: ...
@overload
def compare(
    statistics: Mapping[str, SegmentStatistics | Sequence[SegmentStatistics]],
    baseline: str | None = None,
    **options: Unpack[Options],
) -> Comparison | CampaignComparison: ...
def compare(
    statistics: SegmentStatistics
    | Sequence[SegmentStatistics]
    | Mapping[str, SegmentStatistics | Sequence[SegmentStatistics]],
    baseline: str | None = None,
    *,
    systems: Sequence[str] | None = None,
    unit: str = "auto",
    strata: str | None = None,
    block_length: int | None = None,
    exchange: str = "unit",
    interval: str = "auto",
    n_resamples: int | None = None,
    n_trials: int | None = None,
    level: float = 0.95,
    runs: str = "separate",
    adjust: str = "max-t",
    family: str = "metric",
    margin: Margin = None,
    rng: RngLike = None,
    progress: Progress | None = None,
    study: Study | None = None,
) -> Comparison | CampaignComparison:
    """Compare every system with a baseline, or all pairs, under one metric or several.

    Parameters
    ----------
    statistics : SegmentStatistics or sequence of SegmentStatistics
        One per metric, all of one test set; or a dict of such by the names of test sets: two or more are compared as
        `compare_test_sets` does it, which says what options mean over several sets.
    baseline : str, optional
        The system that each other is compared with; without it all pairs are compared.
    systems : sequence of str, optional
        Only these systems, in this order: names, or patterns such as ``"online-*"``.
    unit : str
        What is resampled and exchanged: ``"auto"``, ``"segment"``, ``"document"``, the name of a column such as
        ``"domain"``, or ``"block"``; see `bootstrap_interval`. With ``"segment"``, recognized documents are
        ignored.
    strata : str, optional
        Units are resampled within the strata of this column: see `bootstrap_interval`. An exchange of units is the same
        with strata and without.
    block_length : int, optional
        With ``unit="block"``: segments in a block; without it, as many as any of the scores and differences needs (see
        `choose_block_length`). The unit is then called ``block of 7``, say.
    exchange : {"unit", "run"}
        See `approximate_randomization`.
    interval : {"auto", "percentile", "basic", "bca", "jackknife"}
        ``auto``: the interval of a difference comes from the exchanges that give p, and never contradicts the verdict;
        that of a score is chosen as `bootstrap_interval` says. With another kind, chosen by name, both are those of
        `bootstrap_interval`, and the interval of a difference need not agree with the verdict.
    n_resamples : int, optional
        Bootstrap resamples; by default 1,000, or 20 / (1 - level) where that is more.
    n_trials : int, optional
        Random exchanges. By default 10,000, doubled until all comparisons of a family are decided, up to 320,000 (fewer
        where many systems are compared: see `choose_looks`); what is still open then is undecided. A number that is
        given is kept, with a warning if it is too small.
    level : float
        Of the intervals; verdicts are at 1 - level, by p that are adjusted over a family of comparisons.
    runs : {"separate", "pooled"}
        Whose runs tell how much a method varies from run to run: each system's own, or those of all systems of the
        comparison together; see `crossed_analysis`. The p of both ways is always in the result.
    adjust : {"max-t", "holm"}
        How the p on these outputs is adjusted. ``max-t`` is the step-down max-T of Westfall & Young (1993): it uses the
        trials, which all comparisons share, to allow for their correlation. ``holm`` multiplies each p by a number of
        comparisons (Holm, 1979); intervals of differences are then those of `bootstrap_interval`. The p for the method
        is always adjusted by Holm's method, because it does not come from trials.
    family : {"metric", "all"}
        Which comparisons are adjusted together: those of each metric, or all of them. Use ``all`` if a difference under
        any of the metrics would count as a success.
    margin : float or mapping of str to float, optional
        The difference, in score points, that is too small to matter: then a test of equivalence says which systems are
        equal within it, and of which this cannot be told; see `Equivalence`. With several metrics, a dict by their
        names: ``{"BLEU": 0.5, "chrF": 0.4}``. It must be chosen before the scores are seen.
    rng : int, numpy.random.Generator or None
        Seed; None draws one, which is recorded. With the same `rng`, the draws are those of
        `paired_bootstrap` and `approximate_randomization`.
    progress : callable, optional
        Wraps an iterable and shows how far it has come, such as ``tqdm``: one step per draw.
    study : Study, optional
        Of several test sets: where the draws are kept, and who computes them.

    Returns
    -------
    Comparison or CampaignComparison
        The latter for two or more test sets.

    Raises
    ------
    InputError
        Where statistics are of different test sets, the baseline is not there, or an argument is not what it should be
        (``few-resamples``: too few for an interval at this level).

    Warns
    -----
    DataWarning
        ``few-trials`` where a difference that no trial reaches could not be called significant, ``few-resamples``,
        ``few-units``, ``too-few-units``, ``few-documents``, ``few-effective-units``, ``few-differing-units``,
        ``lone-units``, ``missing-scores``, ``no-runs``.

    Examples
    --------
    >>> import mtworkbench as mtw
    >>> outputs = mtw.read_outputs("ref.txt", {"base": "hyps.base.opt*", "new": "hyps.new.opt*"}, documents="docs.txt")
    >>> comparison = mtw.compare(mtw.compute_statistics(outputs, "bleu"), "base", rng=1)
    >>> print(comparison.headline[0])
    new - base = +3.86 BLEU: new is shown to be better for the method (p = 0.0081) and for these runs (p = 0.0226).
    >>> comparison.to_frame()[["a", "b", "difference", "p_value"]].round(3)
         a     b  difference  p_value
    0  new  base        3.86    0.023
    """
    asked = Asked(
        unit=unit, strata=strata, block_length=block_length, exchange=exchange, interval=interval,
        n_resamples=n_resamples, n_trials=n_trials, level=level, runs=runs, adjust=adjust, family=family, margin=margin,
    )  # fmt: skip
    if isinstance(statistics, Mapping) and not isinstance(statistics, SegmentStatistics):
        if len(statistics) != 1:
            return compare_test_sets(
                statistics, baseline, systems=systems, rng=rng, progress=progress, study=study, **asked
            )
        [statistics] = statistics.values()
    families = settle_documents(as_families(statistics, systems), unit)
    check_options(asked)
    _, members, pairs = number_pairs(families, baseline)
    divided = settle_set(families, baseline, asked)
    groups = group_families(split_like(range(len(divided.pairs)), pairs), family)
    largest = max(map(len, groups))
    settings = choose_settings("ar", asked, divided.units, families, largest, rng)
    warn_of_few_units(
        part.table.units
        for part in divided.parts
        if any(has_direction(part.table.systems[a].metric) for a, _ in part.pairs.values())
    )
    source = make_source(divided, settings)
    n_draws = len(divided.parts) * settings.n_resamples + (settings.trials if largest else 0)
    with shown_steps(progress, n_draws) as advance:
        drawn = draw_sets([source], groups, settings, run_here([source]), advance)
        flat_rows, flat_pairs = estimate_set(source, drawn.sets[0], settings)
    warn_of_few_differing_units(one.bootstrap for one in flat_pairs)
    rows, found = split_like(flat_rows, members), split_like(flat_pairs, pairs)
    if runs == "pooled":
        warn_of_single_runs(one.n_runs for one in divided.systems)
    if not all(one.randomization.exact for one in flat_pairs):
        warn_of_few_trials(settings, largest)
    return conclude_set(families, rows, found, baseline, replace(settings, asked=dict(asked)))


def compare_test_sets(
    sets: Mapping[str, SegmentStatistics | Sequence[SegmentStatistics]],
    baseline: str | None = None,
    *,
    systems: Sequence[str] | None = None,
    unit: str = "auto",
    strata: str | None = None,
    block_length: int | None = None,
    exchange: str = "unit",
    interval: str = "auto",
    n_resamples: int | None = None,
    n_trials: int | None = None,
    level: float = 0.95,
    runs: str = "separate",
    adjust: str = "max-t",
    family: str = "metric",
    margin: Margin = None,
    rng: RngLike = None,
    progress: Progress | None = None,
    study: Study | None = None,
) -> CampaignComparison:
    """Compare systems on several test sets, or on several language pairs, in one verdict.

    The difference of two systems is the mean of their differences on the sets, each set counting the same. Two claims
    are tested:

    - *On these test sets*: would other sentences of the same sets show the difference? Outputs are swapped at random
      within each set (stratified approximate randomization), and each set is resampled by itself.
    - *For new test sets like these*: would other test sets show the difference? The sets are treated as a sample, and
      their differences are tested with Student's t, with one degree of freedom fewer than there are sets: see
      `expect_new_sets`. The claim rests on the first: p is never smaller than p on these test sets, and the interval
      includes the interval on these. Few sets show little. Sets that were chosen because they are easy, or that come
      from one source, are not a sample of others.

    How often both tests err was measured on real test sets: docs/validity.md.

    Where there are several runs of each system, `method_p_value` asks whether new training runs would show the
    difference on these test sets: run k must be the same trained system on every set. Runs that have numbers in the
    names of their files are matched by these. `new_runs_and_sets_p_value` then asks whether new training runs would
    show the difference on new test sets: see `cross_sets`.

    Parameters
    ----------
    sets : mapping of str to SegmentStatistics, or to a sequence of them
        The statistics of each test set by its name; one per metric, as of `compare`. Every system must be in every
        set and under every metric. Metrics are matched by name: they may have another tokenizer or other references on
        another set.
    baseline : str, optional
        The system that each other is compared with; without it all pairs are compared.
    systems : sequence of str, optional
        As of `compare`.
    unit : str
        What is resampled and exchanged within each set: see `compare`. ``"auto"`` and ``"block"`` choose for each set.
    strata, block_length
        Of each set: see `compare`. Every set must have the column.
    exchange : {"unit", "run"}
        See `approximate_randomization`.
    interval : {"auto", "percentile", "basic", "bca", "jackknife"}
        See `compare`; the smallest set decides how intervals of scores are computed.
    n_resamples : int, optional
        Bootstrap resamples of each set; by default 1,000, or 20 / (1 - level) where that is more. Resample r of the
        campaign is the mean over sets of resample r of each.
    n_trials : int, optional
        Random exchanges of each set, which are averaged over sets in the same way; by default as many as are
        needed, as in `compare`. Where at most 16 units matter to a family, on all its sets together (with
        ``exchange="run"``, at most 16 outputs of runs), all exchanges are enumerated for p instead.
    level : float
        Of the intervals; verdicts are at 1 - level, by p that are adjusted over the comparisons of each metric
        (`SetEstimate.p_adjusted`: over those of all sets).
    runs : {"separate", "pooled"}
        ``pooled``: how much the mean score over sets varies from run to run is estimated from the runs of all systems
        together; see `crossed_analysis`.
    adjust : {"max-t", "holm"}
        How p is adjusted: see `compare`. In a trial, the same coins exchange the outputs of all pairs within a set, and
        trial k of all sets is a trial of every mean difference. The comparisons on single sets are one family over all
        sets and pairs. Those for new sets and for the method are adjusted by Holm's method.
    family : {"metric", "all"}
        Which comparisons are adjusted together, over the sets and on single sets: those of each metric, or all.
    margin : float or mapping of str to float, optional
        See `compare`: the mean difference over these sets is tested, and each set.
    rng : int, numpy.random.Generator or None
        Seed; None draws one, which is recorded. Set i, counted from 1 in the order given, draws as sample i of a
        study: see docs/draws.md.
    progress : callable, optional
        Wraps an iterable and shows how far it has come, such as ``tqdm``: one step per draw of a set.
    study : Study, optional
        Where the draws are kept, and who computes them; None: here and now. The result is the same.

    Returns
    -------
    CampaignComparison

    Raises
    ------
    InputError
        Where there are fewer than two test sets (``one-test-set``), a system or metric is missing in one of them
        (``incomplete-system``, ``different-metrics``), a set is given twice (``same-test-set``), a system has equally
        many runs on two sets, but with different numbers (``different-runs``), and where `compare` would
        refuse a set, whose name the sentence then has.

    Warns
    -----
    DataWarning
        ``few-sets``; ``different-options``; ``same-references``; ``shared-segments``, where two sets have at least 5
        segments in common, with the same references (and the same sources, if both sets have sources), and these are
        at least 5 % of the smaller set; texts that occur more than once in a set do not count; ``different-scales``,
        where the mean and the largest absolute score of segments (`MeanScore`) are both at least 10 times as large on
        one set as on another; ``unequal-runs``, where systems do not have as many runs on every set; ``few-trials``;
        and those of `compare`, once for all sets that they concern.
    """
    asked = Asked(
        unit=unit, strata=strata, block_length=block_length, exchange=exchange, interval=interval,
        n_resamples=n_resamples, n_trials=n_trials, level=level, runs=runs, adjust=adjust, family=family, margin=margin,
    )  # fmt: skip
    check_options(asked)
    notices = Notices()
    found = {
        name: dict(zip(families, settle_documents([*families.values()], unit), strict=True))
        for name, families in check_test_sets(sets, notices, systems).items()
    }
    counted: dict[str, Units] = {}
    for name, families in found.items():
        with notices.about(name):
            counted[name] = settle_set(list(families.values()), baseline, asked).units
    first = next(iter(found.values()))
    _, _, pairs = number_pairs(list(first.values()), baseline)
    largest = max(map(len, group_families(pairs, family)))
    fewest = min(counted.values(), key=lambda one: one.effective_count)
    units = {name: one.name for name, one in counted.items()}
    settings = choose_settings(
        "campaign", asked, fewest, first.values(), largest, choose_seed(rng, study), n_sets=len(found)
    )
    common_unit = fewest.name if len(set(units.values())) == 1 else unit
    recognized = dict.fromkeys(one.known_documents for one in counted.values() if one.known_documents)
    settings = replace(settings, unit=common_unit, known_documents="; ".join(recognized) or None)
    # Trials that are counted together are drawn together.
    groups = [list(first)] if (adjust, family) == ("max-t", "all") else [[metric] for metric in first]
    estimated: dict[str, MetricEstimates] = {}
    n_draws = len(groups) * len(found) * (settings.n_resamples + settings.trials)
    with shown_steps(progress, n_draws) as advance:
        for number, group in enumerate(groups, start=1):
            # Without its options, which would leave no room for a bar.
            about = " and ".join(metric.partition("|")[0] for metric in group)
            about += f" (metric {number} of {len(groups)})" if len(groups) > 1 else ""
            of_group = {name: [families[metric] for metric in group] for name, families in found.items()}
            found_of_group = estimate_metrics(of_group, units, baseline, settings, notices, study, about, advance)
            estimated |= zip(group, found_of_group, strict=True)
    notices.tell()
    warn_of_few_sets(len(found), level)
    warn_of_unequal_runs(found)
    settings = settings.having_made(
        one.randomization for own in estimated.values() for one in chain(own.over_sets, *own.among_sets)
    )
    if runs == "pooled":
        warn_of_single_runs(one.runs for own in estimated.values() for one in chain(*own.rows))
    doubts = tuple(
        replace(doubt, test_set=name)
        for name, families in found.items()
        for doubt in collect_doubts([*families.values()])
    )
    repaired = name_repaired(one for families in found.values() for one in families.values())
    settings = replace(settings, accepted=name_accepted(doubts), repaired=repaired, asked=dict(asked))
    metrics = conclude_metrics(found, estimated, baseline, settings)
    warn_of_few_differing_units(pair for metric in metrics.values() for pair in metric.comparisons)
    if largest and any(pair.p_low < pair.p_high for metric in metrics.values() for pair in metric.comparisons):
        warn_of_few_trials(settings, largest)
        if adjust == "holm":
            warn_of_few_trials_for_sets(settings, largest, len(found))
    return CampaignComparison(
        settings=settings,
        baseline=baseline,
        test_sets=tuple(
            record_set(name, next(iter(families.values())).test_set, counted[name]) for name, families in found.items()
        ),
        metrics=metrics,
        on_sets={
            name: conclude_set(
                list(families.values()),
                [one.rows[place] for one in estimated.values()],
                [one.on_sets[place] for one in estimated.values()],
                baseline,
                replace(own, known_documents=counted[name].known_documents),
            )
            for place, ((name, families), own) in enumerate(
                zip(found.items(), settings_of_sets(settings, units), strict=True)
            )
        },
        doubts=doubts,
    )


def settle_set(families: Sequence[SegmentStatistics], baseline: str | None, asked: Asked) -> DividedSet:
    """Choose the units of a test set, and divide its segments by what is estimated on them.

    Warns
    -----
    DataWarning
        ``missing-scores``, ``few-effective-units``, and those of `settle_unit`.
    """
    systems, _, pairs = number_pairs(families, baseline, asked["exchange"])
    unit = settle_unit(
        systems, chain(*pairs), asked["unit"], strata=asked["strata"], block_length=asked["block_length"]
    )
    divided = DividedSet.of(families, baseline, asked["exchange"], unit, asked["strata"])
    warn_of_missing_scores(families)
    warn_of_few_effective_units(divided.units)
    return divided


def choose_settings(
    test: str,
    asked: Asked,
    units: Units,
    families: Iterable[SegmentStatistics],
    n_comparisons: int,
    rng: RngLike,
    n_sets: int | None = None,
) -> Settings:
    """Choose the settings of a comparison; ``units`` are those that count as the fewest: see `Settings.settled`."""
    chosen = Settings(
        test,
        interval=asked["interval"],
        level=asked["level"],
        n_resamples=choose_n_resamples(asked["n_resamples"], asked["level"]),
        random_key=resolve_rng(rng),
        exchange=asked["exchange"],
        n_trials=asked["n_trials"],
        runs=asked["runs"],
        adjust=asked["adjust"],
        family=asked["family"],
        margins=choose_margins(asked["margin"], [one.metric.name for one in families]),
        n_sets=n_sets,
        **units.of_settings,
    )
    return chosen.settled(units.effective_count, n_comparisons)
