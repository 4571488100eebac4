"""Every system against a baseline, or all pairs, under several metrics at once: the table that a paper prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from mtworkbench.inference.bootstrap import bootstrap
from mtworkbench.inference.comparison_results import Comparison, MetricComparison, PairEstimate, SystemEstimate
from mtworkbench.inference.crossed import cross, warn_of_unequal_spreads
from mtworkbench.inference.families import (
    EstimatedPart,
    as_families,
    divide_segments,
    name_families,
    number_pairs,
    warn_of_few_documents,
    warn_of_few_units,
    warn_of_missing_scores,
)
from mtworkbench.inference.randomization import randomize, runs_with_coins
from mtworkbench.inference.rankings import MIN_SYSTEMS, rank_systems
from mtworkbench.inference.results import FurtherTest
from mtworkbench.inference.score_table import Places, ScoreTable
from mtworkbench.inference.settings import (
    EXCHANGES,
    RUNS,
    Settings,
    check_choice,
    choose_n_resamples,
    count_needed_resamples,
    warn_of_few_trials,
)
from mtworkbench.inference.verdicts import conclude, judge_family, judge_method_family
from mtworkbench.metrics import Length, MeanScore, Metric
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.progress import Progress, shown_steps
from mtworkbench.resampling import RngLike
from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: Additional tests of each pair: functions that return one `FurtherTest` per pair, in the order of `pairs`.
FURTHER_TESTS: tuple[Callable[[ScoreTable, Sequence[Places], Settings], Sequence[FurtherTest]], ...] = ()


def compare(
    statistics: SegmentStatistics | Sequence[SegmentStatistics],
    baseline: str | None = None,
    *,
    unit: str = "auto",
    exchange: str = "unit",
    interval: str = "auto",
    n_resamples: int | None = None,
    n_trials: int | None = None,
    level: float = 0.95,
    runs: str = "separate",
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
    unit : {"auto", "segment", "document"}
        What is resampled and exchanged; ``auto`` takes documents where they are known and there are at least 6.
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
        Of the intervals; verdicts are at 1 - level, Holm-adjusted over each metric's comparisons.
    runs : {"separate", "pooled"}
        Whose runs tell how much a method varies from run to run: each system's own, or those of all systems of the
        comparison together; see `crossed_analysis`. The p of both ways is always in the result.
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
        (``few-resamples``: too few for an interval at this level).

    Warns
    -----
    DataWarning
        ``few-trials`` where a difference that no trial reaches could not be called significant, ``few-resamples``,
        ``few-units``, ``few-documents``, ``missing-scores``, ``unequal-spreads``.
    """
    families = as_families(statistics)
    n_resamples = choose_n_resamples(n_resamples, level)
    check_choice("exchange", exchange, EXCHANGES)
    check_choice("runs", runs, RUNS)
    names = name_families(families)
    systems, members, pairs = number_pairs(families, baseline, exchange)
    largest = max(map(len, pairs))
    warn_of_few_documents(families[0].test_set, unit)
    parts = divide_segments(systems, chain(*pairs), unit)
    unit, n_units = parts[0].table.units.name, min(part.table.units.count for part in parts)
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
            own, both = estimate_part(part, settings, advance)
            rows |= own
            found |= both
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
            name, family, [rows[place] for place in own], [found[pair] for pair in compared], baseline, settings
        )
        for name, family, own, compared in zip(names, families, members, pairs, strict=True)
    }
    return Comparison(
        settings=settings,
        n_segments=len(families[0].test_set),
        n_documents=families[0].test_set.n_documents,
        baseline=baseline,
        metrics=metrics,
    )


def estimate_part(
    part: EstimatedPart, settings: Settings, advance: Callable[[int], object]
) -> tuple[dict[int, SystemEstimate], dict[Places, dict[str, Any]]]:
    """Draw once for all systems, runs and metrics of a part.

    Returns
    -------
    dict of int to SystemEstimate
    dict of (int, int) to dict
        By pair: the arguments of `PairEstimate`, except the verdicts and the conclusion.
    """
    table, pairs = part.table, list(part.pairs.values())
    drawn = bootstrap(table, settings, advance)
    rows = {number: SystemEstimate(drawn.interval(place)) for number, place in part.systems.items()}
    differences = [drawn.difference(pair) for pair in pairs]
    trials = randomize(
        table,
        pairs,
        exchange=settings.exchange,
        n_trials=settings.n_trials,
        random_key=settings.random_key,
        keep_differences=False,
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
    return rows, found


def judge_metric(
    name: str,
    family: SegmentStatistics,
    rows: Sequence[SystemEstimate],
    found: Sequence[Mapping[str, Any]],
    baseline: str | None,
    settings: Settings,
) -> MetricComparison:
    """Judge one metric's comparisons as one family, and rank its systems."""
    metric, level, trials = family.metric, settings.level, [one["randomization"] for one in found]
    verdicts = judge_family(
        [one.p_value for one in trials],
        [one.p_low for one in trials],
        [one.p_high for one in trials],
        [one.exact for one in trials],
        level,
        settings.n_trials,
    )
    of_methods = judge_method_family([one["method"].method_p_value for one in found], level)
    compared = []
    for one, judged, (method_p_adjusted, method_verdict) in zip(found, verdicts, of_methods, strict=True):
        difference, better = one["bootstrap"], None
        if judged.verdict == "significant" and has_direction(metric):
            better = difference.a if sign_of(metric) * difference.difference > 0 else difference.b
        identical = None if one["segments_differing"] else name_of_identical(metric)
        compared.append(
            PairEstimate(
                **one,
                judged=judged,
                better=better,
                conclusion=conclude(judged.verdict, method_verdict, identical=identical),
                method_p_adjusted=method_p_adjusted,
                method_verdict=method_verdict,
            )
        )
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
    )


def name_of_identical(metric: Metric) -> str:
    """Name two systems of which no segment's statistics differ: equal n-grams make copies, equal ratings do not."""
    return "identical scores" if isinstance(metric, (MeanScore, Length)) else "copies"
