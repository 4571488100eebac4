"""What one test set says of every system and every pair: estimated from draws, judged, and ranked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import cycle, islice

import numpy as np

from mtworkbench.inference.bootstrap import Bootstrap
from mtworkbench.inference.crossed import cross
from mtworkbench.inference.draws import DividedSet, SetDraws
from mtworkbench.inference.equivalence import measure_equivalence
from mtworkbench.inference.families import name_families
from mtworkbench.inference.intervals import jackknife_variance
from mtworkbench.inference.judging import Estimated, OnSet, group_families, in_families, judge_further, judge_pairs
from mtworkbench.inference.rankings import can_be_ranked, rank_systems
from mtworkbench.inference.score_table import Places, ScoreTable
from mtworkbench.inference.verdicts import conclude
from mtworkbench.results.comparisons import Comparison, MetricComparison, PairEstimate, SystemEstimate
from mtworkbench.results.estimates import FurtherResult
from mtworkbench.results.settings import Settings, count_needed_resamples
from mtworkbench.results.verdicts import Verdict
from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: Additional tests of each pair: functions that return one `FurtherResult` per pair, in the order of `pairs`.
FURTHER_TESTS: tuple[Callable[[ScoreTable, Sequence[Places], Settings], Sequence[FurtherResult]], ...] = (
    measure_equivalence,
)


def estimate_set(divided: DividedSet, drawn: SetDraws, settings: Settings) -> tuple[list[SystemEstimate], list[OnSet]]:
    """Estimate every system and every pair of a test set, in the order of `DividedSet.systems` and its pairs."""
    systems: dict[int, SystemEstimate] = {}
    found: dict[Places, OnSet] = {}
    tests = dict(zip(divided.pairs, drawn.tests, strict=True))
    for part, resampled in zip(divided.parts, drawn.resampled, strict=True):
        table, pairs = part.table, list(part.pairs.values())
        bootstrap = Bootstrap.of(table, settings, resampled)
        systems |= {number: SystemEstimate(bootstrap.interval(place)) for number, place in part.systems.items()}
        methods = cross(table, pairs, settings.level, settings.runs or "separate")
        further = [test(table, pairs, settings) for test in FURTHER_TESTS]
        for place, (numbers, (a, b)) in enumerate(part.pairs.items()):
            estimated = Estimated(
                metric=table.systems[a].metric,
                randomization=tests[numbers],
                method=methods[place],
                further=tuple(results[place] for results in further),
                score_a=table.means[a],
                score_b=table.means[b],
                n_segments=table.n_segments,
                segments_differing=int(np.count_nonzero(bootstrap.by_segment.differing((a, b)))),
                step=drawn.steps.get(numbers),
            )
            variance = jackknife_variance(table.influence[a] - table.influence[b])
            error = None if variance is None else math.sqrt(variance)
            found[numbers] = OnSet(estimated, bootstrap.difference((a, b)), error)
    return [systems[number] for number in range(len(divided.systems))], [found[pair] for pair in divided.pairs]


def conclude_set(
    families: Sequence[SegmentStatistics],
    systems: Sequence[SystemEstimate],
    found: Sequence[OnSet],
    baseline: str | None,
    settings: Settings,
) -> Comparison:
    """Judge the pairs of a test set family by family, draw conclusions, and rank the systems of each metric.

    Parameters
    ----------
    families : sequence of SegmentStatistics
        One per metric.
    systems, found : sequence of SystemEstimate, sequence of OnSet
        Metric by metric: see `estimate_set`.
    baseline : str or None
    settings : Settings
    """
    by_metric = split_pairs(found, families, baseline)
    estimated = [[one.estimated for one in pairs] for pairs in by_metric]
    judged_by_metric = in_families(lambda ones: judge_pairs(ones, settings), estimated, settings.family)
    all_systems, metrics = iter(systems), {}
    # One family of all metrics is that of each metric.
    together_by_metric = cycle(group_families(by_metric, settings.family))
    all_metrics = zip(name_families(families), families, by_metric, judged_by_metric, strict=True)
    for (name, family, pairs, judged), together in zip(all_metrics, together_by_metric, strict=False):
        rows = tuple(islice(all_systems, len(family)))
        compared = conclude_pairs(pairs, judged, settings)
        ranking_of, ranking = None, None
        # Ranks in resamples are read off like a percentile interval, and need as many.
        enough = baseline is None or settings.n_resamples >= count_needed_resamples(settings.level, 1)
        if enough and can_be_ranked([family]):
            ranking_of, ranking = rank_systems(rows, compared, family.metric, baseline, settings.level)
        metrics[name] = MetricComparison(
            name=name,
            signature=family.signature,
            higher_is_better=family.metric.higher_is_better,
            systems=rows,
            comparisons=tuple(compared),
            ranking=ranking,
            ranking_of=ranking_of,
            settings=settings,
            family_size=len(together),
            method_family_size=sum(one.estimated.method.method_p_value is not None for one in together),
        )
    return Comparison(
        settings=settings,
        n_segments=len(families[0].test_set),
        n_documents=families[0].test_set.n_documents,
        baseline=baseline,
        metrics=metrics,
    )


def split_pairs(
    found: Sequence[OnSet], families: Sequence[SegmentStatistics], baseline: str | None
) -> list[list[OnSet]]:
    """Return the pairs of each metric."""
    pairs = iter(found)
    counts = (len(one) * (len(one) - 1) // 2 if baseline is None else len(one) - 1 for one in families)
    return [list(islice(pairs, count)) for count in counts]


def conclude_pairs(pairs: Sequence[OnSet], judged: Sequence[Verdict], settings: Settings) -> list[PairEstimate]:
    """Draw conclusions from the verdicts on the pairs of one metric."""
    further = judge_further([one.estimated for one in pairs], settings.level)
    return [
        PairEstimate(
            bootstrap=bootstrap,
            randomization=one.randomization,
            method=one.method,
            judged=said,
            segments_differing=one.segments_differing,
            conclusion=conclude(said.verdict, said.method_verdict, identical=one.identical),
            n_segments=one.n_segments,
            score_a=one.score_a,
            score_b=one.score_b,
            further=others,
        )
        for (one, bootstrap, _), said, others in zip(pairs, judged, further, strict=True)
    ]
