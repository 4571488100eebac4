"""Every system against a baseline, or all pairs, under several metrics at once: the table that a paper prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypedDict, Unpack, overload

from mtworkbench.inference.campaigns import compare_test_sets
from mtworkbench.inference.crossed import pool_over_parts, warn_of_single_runs
from mtworkbench.inference.draws import DividedSet, Source, draw_sets, run_here
from mtworkbench.inference.equivalence import Margin, choose_margins
from mtworkbench.inference.families import (
    as_families,
    divide_segments,
    find_fewest_units,
    number_pairs,
    settle_documents,
    settle_unit,
    warn_of_few_differing_units,
    warn_of_few_effective_units,
    warn_of_few_units,
    warn_of_missing_scores,
)
from mtworkbench.inference.one_set import conclude_set, estimate_set
from mtworkbench.inference.verdicts import group_families, split_like
from mtworkbench.metrics.directions import has_direction
from mtworkbench.progress import Progress, shown_steps
from mtworkbench.resampling import RngLike
from mtworkbench.results.campaigns import CampaignComparison
from mtworkbench.results.comparisons import Comparison
from mtworkbench.results.settings import Settings, check_options, choose_n_resamples, warn_of_few_trials
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.work import Study


class Asked(TypedDict, total=False):
    """What `compare` takes by name, and records as `Settings.asked`."""

    unit: str
    strata: str | None
    block_length: int | None
    exchange: str
    interval: str
    n_resamples: int | None
    n_trials: int | None
    level: float
    runs: str
    adjust: str
    family: str
    margin: Margin


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
    new - base = +3.86 BLEU: new is shown to be better for the method (p = 0.0081) and on these outputs (p = 0.0226).
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
    n_resamples = choose_n_resamples(n_resamples, level)
    check_options(exchange, runs, adjust, family)
    numbered, members, pairs = number_pairs(families, baseline, exchange)
    unit = settle_unit(numbered, chain(*pairs), unit, strata=strata, block_length=block_length)
    parts = pool_over_parts(divide_segments(numbered, chain(*pairs), unit, strata), numbered)
    numbers = split_like(range(sum(map(len, pairs))), pairs)
    groups = group_families(numbers, family)
    largest = max(map(len, groups))
    fewest = find_fewest_units(parts)
    settings = Settings.choose(
        "ar",
        **fewest.of_settings,
        interval=interval,
        level=level,
        n_resamples=n_resamples,
        rng=rng,
        exchange=exchange,
        n_trials=n_trials,
        n_comparisons=largest,
        runs=runs,
        adjust=adjust,
        family=family,
        margins=choose_margins(margin, [family.metric.name for family in families]),
    )
    warn_of_missing_scores(families)
    warn_of_few_effective_units(fewest)
    warn_of_few_units(
        part.table.units
        for part in parts
        if any(has_direction(part.table.systems[a].metric) for a, _ in part.pairs.values())
    )
    divided = DividedSet(numbered, list(chain(*pairs)), parts)
    source = Source(divided, exchange, settings.random_key, dict(settings.margins))
    n_draws = len(parts) * settings.n_resamples + (settings.trials if largest else 0)
    with shown_steps(progress, n_draws) as advance:
        drawn = draw_sets([source], groups, settings, run_here([source]), advance)
        flat_rows, flat_pairs = estimate_set(source, drawn.sets[0], settings)
    warn_of_few_differing_units(one.bootstrap for one in flat_pairs)
    rows, found = split_like(flat_rows, members), split_like(flat_pairs, pairs)
    if runs == "pooled":
        warn_of_single_runs(one.n_runs for one in numbered)
    if not all(one.randomization.exact for one in chain(*found)):
        warn_of_few_trials(settings, largest)
    settings = replace(settings.having_made(one.randomization for one in chain(*found)), asked=dict(asked))
    return conclude_set(families, rows, found, baseline, settings)
