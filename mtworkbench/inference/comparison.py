"""Every system against a baseline, or all pairs, under several metrics at once: the table that a paper prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, cycle
from typing import Any

import numpy as np

from mtworkbench.inference.bootstrap import bootstrap
from mtworkbench.inference.comparison_results import Comparison, MetricComparison, PairEstimate, SystemEstimate
from mtworkbench.inference.crossed import cross, pool_over_parts, warn_of_unequal_spreads
from mtworkbench.inference.equivalence import Margin, choose_margins, measure_equivalence
from mtworkbench.inference.families import (
    EstimatedPart,
    as_families,
    divide_segments,
    name_families,
    number_pairs,
    settle_unit,
    warn_of_few_units,
    warn_of_missing_scores,
)
from mtworkbench.inference.intervals import monte_carlo_ends
from mtworkbench.inference.randomization import check_shared_trials, randomize, runs_with_coins
from mtworkbench.inference.rankings import MIN_SYSTEMS, rank_systems
from mtworkbench.inference.results import FurtherResult
from mtworkbench.inference.score_table import Places, ScoreTable
from mtworkbench.inference.settings import (
    ADJUSTMENTS,
    EXCHANGES,
    FAMILIES,
    RUNS,
    Settings,
    check_choice,
    choose_n_resamples,
    count_needed_resamples,
    warn_of_few_trials,
)
from mtworkbench.inference.step_down import StepDown, take_steps
from mtworkbench.inference.verdicts import conclude, judge_family, judge_method_family, withhold
from mtworkbench.metrics import Length, MeanScore, Metric
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.progress import Progress, shown_steps
from mtworkbench.resampling import RngLike
from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: Additional tests of each pair: functions that return one `FurtherResult` per pair, in the order of `pairs`.
FURTHER_TESTS: tuple[Callable[[ScoreTable, Sequence[Places], Settings], Sequence[FurtherResult]], ...] = (
    measure_equivalence,
)


def compare(
    statistics: SegmentStatistics | Sequence[SegmentStatistics],
    baseline: str | None = None,
    *,
    unit: str = "auto",
    strata: str | None = None,
    block_length: int | None = None,
    exchange: str = "unit",
    interval: str = "auto",
    n_resamples: int | None = None,
    n_trials: int | None = None,
    level: float = 0.95,
    runs: str = "separate",
    adjust: str = "holm",
    family: str = "metric",
    margin: Margin = None,
    rng: RngLike = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare every system with a baseline, or all pairs, under one metric or several.

    Parameters
    ----------
    statistics : SegmentStatistics or sequence of SegmentStatistics
        One per metric, all of one test set.
    baseline : str, optional
        The system that each other is compared with; without it all pairs are compared.
    unit : str
        What is resampled and exchanged: ``"auto"``, ``"segment"``, ``"document"``, the name of a column such as
        ``"domain"``, or ``"block"``; see `bootstrap_interval`.
    strata : str, optional
        Units are resampled within the strata of this column: see `bootstrap_interval`. An exchange of units is the same
        with strata and without.
    block_length : int, optional
        With ``unit="block"``: segments in a block; without it, as many as any of the scores and differences needs (see
        `choose_block_length`). The unit is then called ``block of 7``, say.
    exchange : {"unit", "run"}
        See `approximate_randomization`.
    interval : {"auto", "percentile", "basic", "bca", "jackknife"}
        See `bootstrap_interval`.
    n_resamples : int, optional
        Bootstrap resamples; by default 1,000, or 20 / (1 - level) where that is more.
    n_trials : int, optional
        Random exchanges; by default 10,000, or as many as `min_trials` says a large family needs. A smaller number
        that is given is kept, with a warning.
    level : float
        Of the intervals; verdicts are at 1 - level, by p that are adjusted over a family of comparisons.
    runs : {"separate", "pooled"}
        Whose runs tell how much a method varies from run to run: each system's own, or those of all systems of the
        comparison together; see `crossed_analysis`. The p of both ways is always in the result.
    adjust : {"holm", "max-t"}
        How the p on these outputs is adjusted. ``holm`` multiplies each by a number of comparisons (Holm, 1979).
        ``max-t`` is the step-down max-T of Westfall & Young (1993): it uses the trials to allow for the correlation
        of the comparisons, and often finds more where many systems are compared. It needs comparisons that share their
        trials. The p for the method is always adjusted by Holm's method, because it does not come from trials.
    family : {"metric", "all"}
        Which comparisons are adjusted together: those of each metric, or all of them. Use ``all`` if a difference under
        any of the metrics would count as a success.
    margin : float or mapping of str to float, optional
        The difference, in score points, that is too small to matter: then a test of equivalence says which systems are
        equal within it, and of which this cannot be told; see `Equivalence`. With several metrics, a dict by their
        names: ``{"BLEU": 0.5, "chrF": 0.4}``. It must be chosen before the scores are seen.
    rng : int, numpy.random.Generator or None
        Seed; None draws one, which is recorded. With the same `rng`, `paired_bootstrap` and
        `approximate_randomization` give the same numbers.
    progress : callable, optional
        Wraps an iterable and shows how far it has come, such as ``tqdm``: one step per draw.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        Where statistics are of different test sets, the baseline is not there, or an argument is not what it should be
        (``few-resamples``: too few for an interval at this level; ``max-t``: comparisons do not share their trials,
        see `check_shared_trials`).

    Warns
    -----
    DataWarning
        ``few-trials`` where a difference that no trial reaches could not be called significant, ``few-resamples``,
        ``few-units``, ``too-few-units``, ``few-documents``, ``lone-units``, ``missing-scores``, ``unequal-spreads``.
    """
    families = as_families(statistics)
    n_resamples = choose_n_resamples(n_resamples, level)
    check_choice("exchange", exchange, EXCHANGES)
    check_choice("runs", runs, RUNS)
    check_choice("adjust", adjust, ADJUSTMENTS)
    check_choice("family", family, FAMILIES)
    names = name_families(families)
    systems, members, pairs = number_pairs(families, baseline, exchange)
    together = pairs if family == "metric" else [list(chain(*pairs))]
    largest = max(map(len, together))
    unit = settle_unit(systems, chain(*pairs), unit, strata=strata, block_length=block_length)
    parts = pool_over_parts(divide_segments(systems, chain(*pairs), unit, strata), systems)
    # One comparison needs no adjustment.
    shared = [compared for compared in together if adjust == "max-t" and len(compared) > 1]
    for compared in shared:
        check_shared_trials(parts, compared, exchange)
    n_units = min(part.table.units.effective_count for part in parts)
    settings = Settings.choose(
        "ar",
        unit,
        n_units,
        interval=interval,
        level=level,
        n_resamples=n_resamples,
        rng=rng,
        exchange=exchange,
        n_trials=n_trials,
        n_comparisons=largest,
        runs=runs,
        strata=strata,
        adjust=adjust,
        family=family,
        margins=choose_margins(margin, [family.metric.name for family in families]),
    )
    warn_of_missing_scores([[systems[place] for place in own] for own in members])
    warn_of_few_units(
        part.table.units
        for part in parts
        if any(has_direction(part.table.systems[a].metric) for a, _ in part.pairs.values())
    )
    rows: dict[int, SystemEstimate] = {}
    found: dict[Places, dict[str, Any]] = {}
    kinds = [set(runs_with_coins(part.table, part.pairs.values(), exchange).values()) for part in parts]
    n_draws = sum(settings.n_resamples + settings.n_trials * len(kind) for kind in kinds)
    with shown_steps(progress, n_draws) as advance:
        for part in parts:
            own, both = estimate_part(part, shared, settings, advance)
            rows |= own
            found |= both
    for compared in together:
        judge_together([found[pair] for pair in compared], settings)
    if runs == "pooled":
        warn_of_unequal_spreads(
            {
                name: {systems[place].system: np.array(rows[place].scores) for place in own}
                for name, own in zip(names, members, strict=True)
            }
        )
    if not all(one["randomization"].exact for one in found.values()):
        warn_of_few_trials(settings, largest)
    metrics = {
        name: judge_metric(
            name,
            one,
            [rows[place] for place in own],
            [found[pair] for pair in compared],
            [found[pair] for pair in judged],
            baseline,
            settings,
        )
        for name, one, own, compared, judged in zip(names, families, members, pairs, cycle(together), strict=False)
    }
    return Comparison(
        settings=settings,
        n_segments=len(families[0].test_set),
        n_documents=families[0].test_set.n_documents,
        baseline=baseline,
        metrics=metrics,
    )


def estimate_part(
    part: EstimatedPart,
    shared: Sequence[Sequence[Places]],
    settings: Settings,
    advance: Callable[[int], object],
) -> tuple[dict[int, SystemEstimate], dict[Places, dict[str, Any]]]:
    """Draw once for all systems, runs and metrics of a part.

    Parameters
    ----------
    part : EstimatedPart
    shared : sequence of sequence of (int, int)
        The families whose trials are also counted together, for max-T.
    settings : Settings
    advance : callable

    Returns
    -------
    dict of int to SystemEstimate
    dict of (int, int) to dict
        By pair: the arguments of `PairEstimate`, except the verdicts and the conclusion; with max-T also its ``step``.
    """
    table, pairs = part.table, list(part.pairs.values())
    drawn = bootstrap(table, settings, advance)
    rows = {number: SystemEstimate(drawn.interval(place)) for number, place in part.systems.items()}
    differences = [drawn.difference(pair) for pair in pairs]
    step_downs = [StepDown([part.pairs[pair] for pair in one]) for one in shared if part.pairs.keys() >= set(one)]
    trials = randomize(
        table,
        pairs,
        exchange=settings.exchange,
        n_trials=settings.n_trials,
        random_key=settings.random_key,
        keep_differences=False,
        families=step_downs,
        advance=advance,
    )
    methods = cross(table, pairs, settings.level, settings.runs)
    further = [test(table, pairs, settings) for test in FURTHER_TESTS]
    by_segment = table if table.units.name == "segment" else ScoreTable.of(table.systems)
    found = {
        numbers: {
            "bootstrap": differences[place],
            "randomization": trials[place],
            "method": methods[place],
            "further": tuple(results[place] for results in further),
            "segments_differing": int(np.count_nonzero(by_segment.differing(pair))),
            "n_segments": table.n_segments,
            "score_a": table.means[pair[0]],
            "score_b": table.means[pair[1]],
        }
        for place, (numbers, pair) in enumerate(part.pairs.items())
    }
    for one in step_downs:
        steps = take_steps(one, table, settings.n_trials, settings.level)
        for numbers, pair in part.pairs.items():
            if pair in steps:
                found[numbers]["step"] = steps[pair]
    return rows, found


def judge_together(found: Sequence[dict[str, Any]], settings: Settings) -> None:
    """Judge the comparisons of one family, on these outputs and for the method: add the verdicts to what was found."""
    trials, steps = [one["randomization"] for one in found], [one.pop("step", None) for one in found]
    p_values, lows, highs = ([getattr(one, name) for one in trials] for name in ("p_value", "p_low", "p_high"))
    if steps and None not in steps:
        p_values = [(step.n_reached + 1) / (settings.n_trials + 1) for step in steps]
        lows, highs = zip(*(monte_carlo_ends(step.n_reached, settings.n_trials) for step in steps), strict=True)
    exact, level = [one.exact for one in trials], settings.level
    verdicts = judge_family(p_values, lows, highs, exact, level, settings.n_trials, adjust=settings.adjust)
    of_methods = judge_method_family([one["method"].method_p_value for one in found], level)
    for one, verdict, step, (method_p, method_verdict) in zip(found, verdicts, steps, of_methods, strict=True):
        verdict = withhold(verdict, one["randomization"].difference, one["randomization"].tested_difference)
        if step is not None:
            verdict = replace(verdict, simultaneous_low=step.low, simultaneous_high=step.high)
        one |= {"judged": verdict, "method_p_adjusted": method_p, "method_verdict": method_verdict}


def judge_metric(
    name: str,
    family: SegmentStatistics,
    rows: Sequence[SystemEstimate],
    found: Sequence[Mapping[str, Any]],
    together: Sequence[Mapping[str, Any]],
    baseline: str | None,
    settings: Settings,
) -> MetricComparison:
    """Draw conclusions from one metric's comparisons, judged ``together`` with their family, and rank its systems."""
    metric, level = family.metric, settings.level
    further = judge_further([one["further"] for one in found], level)
    compared = []
    for one, others in zip(found, further, strict=True):
        verdict, difference, better = one["judged"].verdict, one["bootstrap"], None
        if verdict == "significant" and has_direction(metric):
            better = difference.a if sign_of(metric) * difference.difference > 0 else difference.b
        identical = None if one["segments_differing"] else name_of_identical(metric)
        conclusion = conclude(verdict, one["method_verdict"], identical=identical)
        compared.append(PairEstimate(**(one | {"further": others}), better=better, conclusion=conclusion))
    is_ranked = (
        len(rows) >= MIN_SYSTEMS
        and has_direction(metric)
        and len({family[system].missing.tobytes() for system in family}) == 1
        # Ranks in resamples are read off like a percentile interval, and need as many.
        and (baseline is None or settings.n_resamples >= count_needed_resamples(level, 1))
    )
    ranking_of, ranking = None, None
    if is_ranked:
        ranking_of, ranking = rank_systems(rows, compared, metric, baseline, level)
    return MetricComparison(
        name=name,
        signature=family.signature,
        higher_is_better=metric.higher_is_better,
        systems=tuple(rows),
        comparisons=tuple(compared),
        ranking=ranking,
        ranking_of=ranking_of,
        settings=settings,
        family_size=len(together),
        method_family_size=sum(one["method"].method_p_value is not None for one in together),
    )


def judge_further(found: Sequence[Sequence[FurtherResult]], level: float) -> list[tuple[FurtherResult, ...]]:
    """Judge what each additional test found of one metric's comparisons as a family; one row per comparison."""
    by_test = [type(results[0]).judge(results, level) for results in zip(*found, strict=True)]
    return list(zip(*by_test, strict=True)) if by_test else [()] * len(found)


def name_of_identical(metric: Metric) -> str:
    """Name two systems of which no segment's statistics differ: equal n-grams make copies, equal ratings do not."""
    return "identical scores" if isinstance(metric, (MeanScore, Length)) else "copies"
