"""Which segments each estimate of a comparison rests on, and the draws that estimates of the same segments share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from mtworkbench.inference.bootstrap import BootstrapPlan, describe_pair, describe_system, resample_scores
from mtworkbench.inference.crossed import CrossedVariance, RunSpread, cross, judge_methods
from mtworkbench.inference.influence import run_influence, unit_influence
from mtworkbench.inference.intervals import TDifference
from mtworkbench.inference.randomization import Pair, Trials, randomize
from mtworkbench.inference.results import Interval, PairedBootstrap
from mtworkbench.inference.units import common_segments, scored_segments, take_segments
from mtworkbench.statistics.segment_statistics import SystemStatistics


@dataclass(eq=False)
class Part:
    """Some segments of the test set, with the systems and pairs that are estimated on exactly these.

    Mostly there is one part, the whole test set. Where scores are missing, a system has its own part, and so has each
    pair: the segments that both have scores for.

    Parameters
    ----------
    segments : (n_segments,) ndarray of bool, or None
        None for the whole test set.
    systems : list of SystemStatistics
        Those whose own scores are estimated here.
    pairs : list of (SystemStatistics, SystemStatistics)
    """

    segments: np.ndarray | None
    systems: list[SystemStatistics] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)

    @property
    def has_confidence(self) -> bool:
        """Whether wins are counted on this part: it has a pair whose metric has a direction."""
        return any(a.metric.higher_is_better is not None for a, _ in self.pairs)

    def take(self) -> dict[SystemStatistics, SystemStatistics]:
        """Return, for each system concerned, its statistics of this part."""
        concerned = dict.fromkeys([*self.systems, *chain.from_iterable(self.pairs)])
        return {system: take_segments(system, self.segments) for system in concerned}


@dataclass(eq=False)
class Estimates:
    """What was found for each system and each pair, before families are judged."""

    systems: dict[SystemStatistics, Interval] = field(default_factory=dict)
    pairs: dict[Pair, PairedBootstrap] = field(default_factory=dict)
    trials: dict[Pair, Trials] = field(default_factory=dict)
    methods: dict[Pair, TDifference] = field(default_factory=dict)
    variances: dict[Pair, CrossedVariance | None] = field(default_factory=dict)
    scores: dict[Pair, tuple[float, float]] = field(default_factory=dict)
    n_segments: dict[Pair, int] = field(default_factory=dict)


def divide_segments(systems: Sequence[SystemStatistics], pairs: Sequence[Pair]) -> list[Part]:
    """Group systems and pairs by the segments that they can be estimated on."""
    parts: dict[bytes | None, Part] = {}

    def part_of(segments: np.ndarray | None) -> Part:
        key = None if segments is None else segments.tobytes()
        return parts.setdefault(key, Part(segments))

    for system in systems:
        part_of(scored_segments(system)).systems.append(system)
    for pair in pairs:
        part_of(common_segments(*pair)).pairs.append(pair)
    return list(parts.values())


def estimate_part(
    part: Part,
    plan: BootstrapPlan,
    estimates: Estimates,
    *,
    exchange: str,
    n_trials: int,
    advance: Callable[[int], object] | None,
) -> None:
    """Make a part's draws, once for all its systems, runs and metrics, and add what they say to the estimates."""
    taken = part.take()
    resampled = dict(
        zip(
            taken,
            resample_scores(list(taken.values()), plan.units, plan.n_resamples, plan.randomness, advance=advance),
            strict=True,
        )
    )
    by_run = {system: run_influence(here) for system, here in taken.items()}
    influence = {system: rows.mean(axis=0) for system, rows in by_run.items()}
    for system in part.systems:
        estimates.systems[system] = describe_system(taken[system], resampled[system], influence[system], plan)
    spreads = {
        system: RunSpread.of(here.score()[0], unit_influence(by_run[system], plan.units))
        for system, here in taken.items()
    }
    for a, b in part.pairs:
        found = describe_pair(taken[a], taken[b], (resampled[a], resampled[b]), (influence[a], influence[b]), plan)
        scores = float(taken[a].score().mean()), float(taken[b].score().mean())
        scale = max(map(abs, scores))
        variance = cross(spreads[a], spreads[b], scale)
        estimates.pairs[a, b] = found
        estimates.methods[a, b] = judge_methods(found.difference, variance, plan.level, scale)
        estimates.variances[a, b] = variance
        estimates.scores[a, b] = scores
        estimates.n_segments[a, b] = taken[a].n_segments
    trials = randomize(
        [(taken[a], taken[b]) for a, b in part.pairs],
        plan.units,
        exchange=exchange,
        n_trials=n_trials,
        randomness=plan.randomness,
        keep_differences=False,
        advance=advance,
    )
    estimates.trials.update(zip(part.pairs, trials, strict=True))
