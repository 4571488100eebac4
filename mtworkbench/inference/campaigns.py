"""The same systems on several test sets: on these sets, and on new ones like them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, cycle
from typing import NamedTuple

import numpy as np

from mtworkbench.assumptions import name_accepted
from mtworkbench.errors import DataWarning
from mtworkbench.inference.campaign_checks import Notices, check_test_sets, warn_of_unequal_runs
from mtworkbench.inference.claims import judge_new_sets
from mtworkbench.inference.crossed import pool_over_parts, warn_of_single_runs
from mtworkbench.inference.draws import DividedSet, Part, Source, Statistics, draw_sets, run_here, run_study
from mtworkbench.inference.equivalence import Margin, choose_margins
from mtworkbench.inference.exchanges import ExchangedPair
from mtworkbench.inference.families import (
    collect_doubts,
    divide_segments,
    find_fewest_units,
    name_repaired,
    number_pairs,
    settle_documents,
    settle_unit,
    warn_of_few_differing_units,
    warn_of_few_effective_units,
    warn_of_missing_scores,
)
from mtworkbench.inference.intervals import reach_of_t
from mtworkbench.inference.one_set import conclude_set, estimate_set
from mtworkbench.inference.over_sets import OverSets, average_pairs, estimate_system
from mtworkbench.inference.randomization import record
from mtworkbench.inference.rankings import rank_campaign
from mtworkbench.inference.trials import Tested
from mtworkbench.inference.units import Units
from mtworkbench.inference.verdicts import (
    OnSet,
    conclude_campaign,
    count_comparisons,
    group_families,
    in_families,
    judge_metrics,
    judge_on_outputs,
    split_like,
)
from mtworkbench.progress import Progress, shown_steps
from mtworkbench.resampling import RngLike
from mtworkbench.results.campaigns import (
    CampaignComparison,
    CampaignMetric,
    CampaignPair,
    CampaignSystem,
    CampaignTestSet,
    Claim,
    NewSets,
    SetEstimate,
)
from mtworkbench.results.comparisons import SystemEstimate
from mtworkbench.results.estimates import FurtherResult
from mtworkbench.results.settings import (
    Settings,
    check_options,
    choose_n_resamples,
    choose_n_trials,
    min_trials,
    warn_of_few_trials,
)
from mtworkbench.results.verdicts import Verdict
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.wording import tally
from mtworkbench.work import Study, choose_seed

#: With Holm's method there are as many trials as single test sets need for a small p_adjusted, up to this number.
MOST_TRIALS_FOR_SETS = 50_000
#: Below so many test sets Student's t is so wide that only very clear differences are shown for new ones.
FEW_SETS = 4


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
    asked: dict[str, object] = {
        "unit": unit, "strata": strata, "block_length": block_length, "exchange": exchange, "interval": interval,
        "n_resamples": n_resamples, "n_trials": n_trials, "level": level, "runs": runs, "adjust": adjust,
        "family": family, "margin": margin,
    }  # fmt: skip
    n_resamples = choose_n_resamples(n_resamples, level)
    check_options(exchange, runs, adjust, family)
    notices = Notices()
    found = {
        name: dict(zip(families, settle_documents([*families.values()], unit), strict=True))
        for name, families in check_test_sets(sets, notices, systems).items()
    }
    counted: dict[str, Units] = {}
    for name, families in found.items():
        with notices.about(name):
            counted[name] = settle_set(list(families.values()), baseline, exchange, unit, strata, block_length)
    first = next(iter(found.values()))
    _, _, pairs = number_pairs(list(first.values()), baseline)
    largest = max(map(len, group_families(pairs, family)))
    fewest = min(counted.values(), key=lambda one: one.effective_count)
    units = {name: one.name for name, one in counted.items()}
    settings = Settings.choose(
        "campaign",
        **fewest.of_settings,
        interval=interval,
        level=level,
        n_resamples=n_resamples,
        rng=choose_seed(rng, study),
        exchange=exchange,
        n_trials=choose_campaign_trials(n_trials, largest, len(found), level, adjust),
        runs=runs,
        adjust=adjust,
        family=family,
        margins=choose_margins(margin, [one.metric.name for one in first.values()]),
    )
    common_unit = fewest.name if len(set(units.values())) == 1 else unit
    recognized = dict.fromkeys(one.known_documents for one in counted.values() if one.known_documents)
    settings = replace(settings, unit=common_unit, n_sets=len(found), known_documents="; ".join(recognized) or None)
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
    notices.tell(stacklevel=3)
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
    settings = replace(settings, accepted=name_accepted(doubts), repaired=repaired, asked=asked)
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
                of_set,
                baseline,
                replace(own, known_documents=counted[name].known_documents).having_made(
                    one.randomization for one in chain(*of_set)
                ),
            )
            for place, ((name, families), own) in enumerate(
                zip(found.items(), settings_of_sets(settings, units), strict=True)
            )
            for of_set in [[one.on_sets[place] for one in estimated.values()]]
        },
        doubts=doubts,
    )


def record_set(name: str, test_set: TestSet, units: Units) -> CampaignTestSet:
    """Record the size of a test set: see `CampaignTestSet`."""
    return CampaignTestSet(
        name=name,
        n_segments=len(test_set),
        n_documents=test_set.n_documents,
        unit=units.name,
        n_units=units.count,
        n_effective_units=units.effective_count,
        known_documents=test_set.known_documents,
    )


def settle_set(
    families: Sequence[SegmentStatistics],
    baseline: str | None,
    exchange: str,
    unit: str,
    strata: str | None,
    block_length: int | None,
) -> Units:
    """Choose the units of a test set: those of the comparison that has the fewest effective ones.

    Warns
    -----
    DataWarning
        ``missing-scores``, ``few-effective-units``, and those of `settle_unit`.
    """
    systems, _, pairs = number_pairs(families, baseline, exchange)
    warn_of_missing_scores(families)
    unit = settle_unit(systems, chain(*pairs), unit, strata=strata, block_length=block_length)
    parts = divide_segments(systems, chain(*pairs), unit, strata)
    fewest = find_fewest_units(parts)
    warn_of_few_effective_units(fewest)
    return fewest


def choose_campaign_trials(n_trials: int | None, n_pairs: int, n_sets: int, level: float, adjust: str) -> int | None:
    """Return the number of trials: the one asked for, or what the families need: see `compare_test_sets`.

    None with max-T: more are made until the families are decided.
    """
    if n_trials is not None:
        return choose_n_trials(n_trials, n_pairs, level)
    if adjust == "max-t":
        return None
    needed = choose_n_trials(None, n_pairs, level)
    return max(needed, min(min_trials(n_pairs * n_sets, level), MOST_TRIALS_FOR_SETS))


class MetricEstimates(NamedTuple):
    """What was drawn and computed of one metric, before a verdict.

    Parameters
    ----------
    systems : list of CampaignSystem
    over_sets : list of OverSets
        The pairs.
    rows, on_sets : list of list of SystemEstimate, list of list of OnSet
        The systems and the pairs of each set.
    among_sets : list of list of OnSet
        The pairs of each set, as the trials of the family of all sets have them.
    """

    systems: list[CampaignSystem]
    over_sets: list[OverSets]
    rows: list[list[SystemEstimate]]
    on_sets: list[list[OnSet]]
    among_sets: list[list[OnSet]]


def estimate_metrics(
    statistics: Mapping[str, Sequence[SegmentStatistics]],
    units: Mapping[str, str],
    baseline: str | None,
    settings: Settings,
    notices: Notices,
    study: Study | None,
    about: str,
    advance: Callable[[int], object],
) -> list[MetricEstimates]:
    """Draw all systems under some metrics on each test set, and average over sets.

    Parameters
    ----------
    statistics : dict of str to sequence of SegmentStatistics
        By test set, with the same systems in the same order: those of one metric, or of several whose trials are
        counted together.
    units : dict of str to str
        By test set.
    baseline : str or None
    settings : Settings
    notices : Notices
    study : Study or None
        What computes the draws; None: here and now.
    about : str
        Which metrics these are, for the study's progress.
    advance : callable
        Called with the number of draws that have been made.
    """
    shared: dict[str, Statistics] = {name: own[0] if len(own) == 1 else own for name, own in statistics.items()}
    exchange, sources = settings.exchange or "unit", []
    for name, own_settings in zip(shared, settings_of_sets(settings, units), strict=True):
        one = DividedSet.of(shared[name], baseline, exchange, units[name], settings.strata)
        one = replace(one, parts=pool_over_parts(one.parts, one.systems))
        sources.append(Source(one, exchange, own_settings.random_key, dict(settings.margins)))
    divided = [source.divided for source in sources]
    run = run_here(sources)
    if study is not None:
        words: Part = {"baseline": baseline, "exchange": exchange}
        words |= {} if settings.strata is None else {"strata": settings.strata}
        words |= {"margins": dict(settings.margins)} if settings.margins else {}
        run = run_study(study, shared, sources, words, about)
    drawn = draw_sets(sources, [range(len(divided[0].pairs))], settings, run, advance)
    rows, pairs = [], []
    for name, source, own_draws, own_settings in zip(
        statistics, sources, drawn.sets, settings_of_sets(settings, units), strict=True
    ):
        with notices.about(name):
            own_rows, own_pairs = estimate_set(source, own_draws, own_settings)
        rows.append(own_rows)
        pairs.append(own_pairs)
    spots = list(zip(*(one.find_systems() for one in divided), strict=True))
    systems = [
        estimate_system(
            list(statistics),
            [(part.table, place) for part, place in own],
            np.array([one.resampled for one in ones]),
            settings,
        )
        for own, ones in zip(spots, zip(*rows, strict=True), strict=True)
    ]
    over_sets = average_pairs(divided, pairs, drawn.over_sets, settings)
    among_sets = [
        [
            judged_anew(one, said, pair, source, settings)
            for one, said, pair in zip(ones, tested, source.exchanges.pairs, strict=True)
        ]
        for source, ones, tested in zip(sources, pairs, drawn.on_sets, strict=True)
    ]
    _, members, compared = number_pairs(next(iter(statistics.values())), baseline)
    of_sets = [list(own) for own in zip(*(split_like(one, members) for one in rows), strict=True)]
    on_sets, among = (
        [list(own) for own in zip(*(split_like(one, compared) for one in ones), strict=True)]
        for ones in (pairs, among_sets)
    )
    parts = split_like(systems, members), split_like(over_sets, compared), of_sets, on_sets, among
    return [MetricEstimates(*own) for own in zip(*parts, strict=True)]


def judged_anew(one: OnSet, tested: Tested, pair: ExchangedPair, source: Source, settings: Settings) -> OnSet:
    """Return what was drawn of a pair on a set, with the trials of the family of all sets."""
    test = record(pair, tested, source.exchange, settings.trials, source.key)
    found = replace(one, tested=tested, randomization=test)
    if settings.interval_of_differences != "exchanges":
        return found
    return replace(found, low=tested.low, high=tested.high)


def settings_of_sets(settings: Settings, units: Mapping[str, str]) -> list[Settings]:
    """Return the settings with which `compare` gives what is found on each set."""
    return [
        replace(
            settings,
            test="ar",
            unit=unit,
            random_key=settings.random_key.sample(number),
            n_sets=None,
            known_documents=None,
        )
        for number, unit in enumerate(units.values(), start=1)
    ]


def conclude_metrics(
    sets: Mapping[str, Mapping[str, SegmentStatistics]],
    estimated: Mapping[str, MetricEstimates],
    baseline: str | None,
    settings: Settings,
) -> dict[str, CampaignMetric]:
    """Judge all pairs of a metric, or of all metrics, as families, one for each question, and rank the systems."""
    family, over_sets = settings.family, [own.over_sets for own in estimated.values()]
    among = [list(chain(*own.among_sets)) for own in estimated.values()]
    sizes = cycle([count_comparisons(ones, settings) for ones in group_families(among, family)])
    judged_here = judge_metrics(over_sets, settings)
    with_verdicts = [
        list(zip(ones, said.verdicts, strict=True)) for ones, said in zip(over_sets, judged_here, strict=True)
    ]
    all_judged = zip(
        judged_here,
        in_families(lambda ones: judge_new_sets(ones, settings), with_verdicts, family),
        in_families(lambda ones: judge_on_outputs(ones, settings), among, family),
        sizes,
        strict=False,
    )
    metrics: dict[str, CampaignMetric] = {}
    for (name, found), (judged, on_new_sets, on_sets, n_on_sets) in zip(estimated.items(), all_judged, strict=True):
        own = {test_set: of_metrics[name] for test_set, of_metrics in sets.items()}
        of_sets = [
            [conclude_on_set(test_set, *one) for one in zip(ones, verdicts, strict=True)]
            for test_set, ones, verdicts in zip(
                own, found.among_sets, split_like(on_sets, found.among_sets), strict=True
            )
        ]
        each = zip(
            found.over_sets, judged.verdicts, on_new_sets, judged.further, zip(*of_sets, strict=True), strict=True
        )
        comparisons = tuple(conclude_over_sets(*one) for one in each)
        metrics[name] = CampaignMetric(
            name=name,
            signatures={test_set: one.signature for test_set, one in own.items()},
            higher_is_better=next(iter(own.values())).metric.higher_is_better,
            systems=tuple(found.systems),
            comparisons=comparisons,
            ranking=rank_campaign(list(own.values()), found.systems, comparisons, baseline),
            settings=settings,
            family_size=judged.family_size,
            sets_family_size=n_on_sets,
            method_family_size=judged.method_family_size,
        )
    return metrics


def conclude_on_set(test_set: str, one: OnSet, verdict: Verdict) -> SetEstimate:
    """Say what a pair has on one of the sets, judged with those of all sets."""
    return SetEstimate(
        drawn=one.bootstrap,
        randomization=one.randomization,
        judged=verdict.within(one.largest),
        test_set=test_set,
        low=one.possible.low,
        high=one.possible.high,
        score_a=one.score_a,
        score_b=one.score_b,
        standard_error=one.standard_error,
        n_segments=one.n_segments,
    )


def conclude_over_sets(
    one: OverSets,
    said: Verdict,
    beyond: tuple[NewSets, Claim],
    further: tuple[FurtherResult, ...],
    sets: tuple[SetEstimate, ...],
) -> CampaignPair:
    """Draw conclusions from the verdicts on a pair: on these sets, for new ones, and for the method."""
    new_sets, new_runs_and_sets = beyond
    without = zip(sets, new_sets.without, new_sets.without_adjusted, strict=True)
    return CampaignPair(
        randomization=one.randomization,
        method=one.method.within(one.largest),
        judged=said.within(one.largest),
        conclusion=conclude_campaign(said.verdict, new_sets.verdict, identical=one.identical),
        score_a=one.score_a,
        score_b=one.score_b,
        further=further,
        sets=tuple(
            replace(of_set, new_sets_without_p_value=p_value, new_sets_without_p_adjusted=p_adjusted)
            for of_set, p_value, p_adjusted in without
        ),
        low=one.possible.low,
        high=one.possible.high,
        from_length=one.from_length,
        new_sets=new_sets.within(one.largest),
        new_runs_and_sets=new_runs_and_sets.within(one.largest),
        n_sets_a_better=one.n_sets_a_better,
        n_sets_b_better=one.n_sets_b_better,
        resampled=one.resampled,
    )


def warn_of_few_sets(n_sets: int, level: float) -> None:
    """Warn that few test sets show little about new ones."""
    if n_sets >= FEW_SETS:
        return
    df = n_sets - 1
    DataWarning(
        "few-sets",
        f"With {n_sets} test sets, only large differences can be shown for new test sets: a mean difference must be "
        f"at least {reach_of_t(df, level):.1f} times its standard error ({tally(df, 'degree')} of freedom), and more "
        "if p is adjusted. More test sets would show more.",
        count=n_sets,
    ).warn(stacklevel=3)


def warn_of_few_trials_for_sets(settings: Settings, n_pairs: int, n_sets: int) -> None:
    """Warn where no difference on a single test set could be significant, although it could be over all sets."""
    n_comparisons = n_pairs * n_sets
    needed, n_trials = settings.min_trials(n_comparisons), settings.trials
    if settings.min_trials(n_pairs) <= n_trials < needed:
        pairs = "1 pair" if n_pairs == 1 else f"{n_pairs} pairs"
        DataWarning(
            "few-trials",
            f"With {n_trials:,} trials, no difference on a single test set can be called significant among "
            f"{n_comparisons:,} comparisons ({n_sets} test sets, {pairs} of systems), unless all its "
            f"exchanges are enumerated: where single test sets matter, use at least {needed:,} trials.",
            count=n_trials,
        ).warn(stacklevel=3)
