"""What one test set says of every system and every pair: estimated from draws, judged, and ranked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from mtworkbench.assumptions import name_accepted
from mtworkbench.inference.bootstrap import Bootstrap
from mtworkbench.inference.crossed import cross, pool_over_parts
from mtworkbench.inference.draws import DividedSet, SetDraws, Source
from mtworkbench.inference.equivalence import find_equivalence
from mtworkbench.inference.families import collect_doubts, name_families, name_repaired
from mtworkbench.inference.intervals import jackknife_variance
from mtworkbench.inference.randomization import record
from mtworkbench.inference.rankings import rank_systems
from mtworkbench.inference.score_table import Places, ScoreTable
from mtworkbench.inference.units import MIN_DOCUMENTS
from mtworkbench.inference.verdicts import JudgedMetric, OnSet, conclude, judge_metrics
from mtworkbench.results.comparisons import Comparison, Measured, MetricComparison, PairEstimate, SystemEstimate
from mtworkbench.results.estimates import FurtherResult
from mtworkbench.results.settings import Settings
from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: Additional tests of each pair: functions that return one `FurtherResult` per pair, in the order of `pairs`.
FURTHER_TESTS: tuple[Callable[[ScoreTable, Sequence[Places], Settings], Sequence[FurtherResult]], ...] = ()


def make_source(divided: DividedSet, settings: Settings) -> Source:
    """Return what draws from a test set with these settings; each part knows the variance of the runs of all."""
    divided = replace(divided, parts=pool_over_parts(divided.parts, divided.systems))
    return Source(divided, settings.exchange or "unit", settings.random_key, dict(settings.margins))


def estimate_set(source: Source, drawn: SetDraws, settings: Settings) -> tuple[list[SystemEstimate], list[OnSet]]:
    """Estimate every system and every pair of a test set, in the order of `DividedSet.systems` and its pairs."""
    systems: dict[int, SystemEstimate] = {}
    found: dict[Places, OnSet] = {}
    divided = source.divided
    tested = dict(zip(divided.pairs, drawn.tested, strict=True))
    exchanged = dict(zip(divided.pairs, source.exchanges.pairs, strict=True))
    for part, resampled in zip(divided.parts, drawn.resampled, strict=True):
        table, pairs = part.table, list(part.pairs.values())
        bootstrap = Bootstrap.of(table, settings, resampled)
        systems |= {
            number: SystemEstimate(bootstrap.interval(place), *measure_lengths(table, place))
            for number, place in part.systems.items()
        }
        methods = cross(table, pairs, settings.level, settings.runs or "separate")
        said = [tested[numbers] for numbers in part.pairs]
        further = [list(test(table, pairs, settings)) for test in FURTHER_TESTS]
        for place, (numbers, (a, b)) in enumerate(part.pairs.items()):
            variance, difference = jackknife_variance(table.influence_on((a, b))), bootstrap.difference((a, b))
            n_coins, measured = exchanged[numbers].n_coins, measure_pair(table, (a, b))
            known = methods[place], variance, table.units.df, table.scale((a, b))
            equivalence = find_equivalence(*known, settings, said[place], n_coins=n_coins)
            if measured.segments_differing and not n_coins:
                said[place] = said[place].without_interval()  # segments differ, but no unit does: nothing is certain
            own = said[place] if settings.interval_of_differences == "exchanges" else difference
            found[numbers] = OnSet(
                metric=table.systems[a].metric,
                randomization=record(
                    exchanged[numbers], said[place], source.exchange, settings.trials, settings.random_key
                ),
                method=methods[place],
                further=(equivalence, *(results[place] for results in further)),
                measured=measured,
                low=own.low,
                high=own.high,
                tested=said[place],
                share_independent=_share_independent(table),
                bootstrap=difference,
                standard_error=None if variance is None else math.sqrt(variance),
            )
    return [systems[number] for number in range(len(divided.systems))], [found[pair] for pair in divided.pairs]


def measure_pair(table: ScoreTable, pair: Places) -> Measured:
    """Measure what is told of two systems besides the tests of their difference."""
    a, b = pair
    return Measured(
        score_a=table.means[a],
        score_b=table.means[b],
        n_segments=table.n_segments,
        segments_differing=table.by_segment.count_differing(pair),
        from_length=measure_length_part(table, pair),
    )


def measure_lengths(table: ScoreTable, place: int) -> tuple[float | None, float | None]:
    """Return a system's length ratio and brevity penalty, means over its runs; None where its metric has none."""
    system = table.systems[place]
    measure = getattr(system.metric, "measure_lengths", None)
    if measure is None:
        return None, None
    ratio, penalty = measure(system.values.sum(axis=1, dtype=np.float64))
    return float(ratio.mean()), float(penalty.mean())


def measure_length_part(table: ScoreTable, pair: Places) -> float | None:
    """Return how many points of the difference a - b are length; None where the metric has no brevity penalty.

    With several runs it is the mean over all pairs of a run of a and a run of b, as for contributions.
    """
    of_a, of_b = (table.systems[place] for place in pair)
    measure = getattr(of_a.metric, "measure_length_part", None)
    if measure is None:
        return None
    ends, starts = (one.values.sum(axis=1, dtype=np.float64) for one in (of_a, of_b))
    every = (len(ends), len(starts), ends.shape[1])
    return float(measure(np.broadcast_to(starts, every), np.broadcast_to(ends[:, None], every)).mean())


def conclude_set(
    families: Sequence[SegmentStatistics],
    systems: Sequence[Sequence[SystemEstimate]],
    found: Sequence[Sequence[OnSet]],
    baseline: str | None,
    settings: Settings,
) -> Comparison:
    """Judge the pairs of a test set family by family, draw conclusions, and rank the systems of each metric.

    Parameters
    ----------
    families : sequence of SegmentStatistics
        One per metric.
    systems, found : sequence of sequence of SystemEstimate, sequence of sequence of OnSet
        By metric: see `estimate_set`.
    baseline : str or None
    settings : Settings
    """
    doubts = collect_doubts(families)
    repaired = name_repaired(families)
    settings = settings.having_made(one.randomization for one in chain(*found))
    settings = replace(settings, accepted=name_accepted(doubts), repaired=repaired)
    judged_by_metric = judge_metrics(found, settings)
    test_set, metrics = families[0].test_set, {}
    all_metrics = zip(name_families(families), families, systems, found, judged_by_metric, strict=True)
    for name, family, rows, pairs, judged in all_metrics:
        compared = conclude_pairs(pairs, judged)
        ranking_of, ranking = rank_systems(family, rows, compared, baseline)
        metrics[name] = MetricComparison(
            name=name,
            signature=family.signature,
            higher_is_better=family.metric.higher_is_better,
            systems=tuple(rows),
            comparisons=compared,
            ranking=ranking,
            ranking_of=ranking_of,
            settings=settings,
            family_size=judged.family_size,
            method_family_size=judged.method_family_size,
            n_segments=len(test_set),
            n_documents=test_set.n_documents,
            known_documents=test_set.known_documents,
            doubts=doubts,
        )
    return Comparison(
        settings=settings,
        n_segments=len(test_set),
        n_documents=test_set.n_documents,
        known_documents=test_set.known_documents,
        baseline=baseline,
        metrics=metrics,
        doubts=doubts,
        statistics=tuple(families),
    )


def conclude_pairs(pairs: Sequence[OnSet], judged: JudgedMetric) -> tuple[PairEstimate, ...]:
    """Draw conclusions from the verdicts on the pairs of one metric; intervals end where differences can."""
    return tuple(
        PairEstimate(
            bootstrap=one.bootstrap,
            randomization=one.randomization,
            method=one.method.within(one.largest),
            judged=said.within(one.largest),
            measured=one.measured,
            conclusion=conclude(said.verdict, said.method_verdict, identical=one.identical),
            low=one.possible.low,
            high=one.possible.high,
            further=further,
        )
        for one, said, further in zip(pairs, judged.verdicts, judged.further, strict=True)
    )


def _share_independent(table: ScoreTable) -> float | None:
    """Return 1 where segments are units because documents are unknown or too few, and 0 where others are units.

    None where segments are the units although documents could be.
    """
    if table.units.name != "segment":
        return 0.0
    n_documents = table.systems[0].test_set.n_documents
    return 1.0 if n_documents is None or n_documents < MIN_DOCUMENTS else None
