"""Human and metric scores of the same systems and segments, laid side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import MetricComparison
from mtworkbench.metrics import Metric
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.statistics.merging import merge_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics, TestSet
from mtworkbench.wording import be, name_some

#: With two systems, Pearson's r and Kendall's tau are 1 or -1 whatever the scores.
MIN_SYSTEMS = 3


@dataclass(frozen=True, eq=False)
class JudgedScores:
    """One kind of scores of several systems, such that higher is better; the mean of its runs where there are several.

    Parameters
    ----------
    name : str
        Of the metric.
    systems : tuple of SystemStatistics
    sign : int
        1, or -1 where lower scores are better.
    """

    name: str
    systems: tuple[SystemStatistics, ...]
    sign: int

    @classmethod
    def of(cls, statistics: SegmentStatistics) -> JudgedScores:
        """Return the scores of all systems."""
        return cls(statistics.metric.name, tuple(map(statistics.__getitem__, statistics)), sign_of(statistics.metric))

    def of_systems(self, weights: np.ndarray | None = None) -> np.ndarray:
        """Score virtual test sets, (n_weights, n_systems); see `SystemStatistics.score`.

        A system's score is of all the segments that have one: metrics have scores of segments that humans did not
        judge. mt-metrics-eval computes scores of systems in this way.
        """
        return self.sign * np.stack([one.score(weights).mean(axis=1) for one in self.systems], axis=1)

    def of_segments(self) -> np.ndarray:
        """Return the scores of segments, (n_systems, n_segments); NaN where a segment lacks one in any run."""
        return self.sign * np.stack([one.metric.segment_score(one.values).mean(axis=0) for one in self.systems])


def lay_out_scores(
    human: SegmentStatistics, metrics: Sequence[SegmentStatistics]
) -> tuple[TestSet, JudgedScores, list[JudgedScores]]:
    """Match segments, and take the systems with at least one human score and one score of every metric.

    Returns
    -------
    test_set : TestSet
    human : JudgedScores
    metrics : list of JudgedScores

    Raises
    ------
    InputError
        See `mtworkbench.analyses.measure_agreement`.

    Warns
    -----
    DataWarning
        ``lacking-systems`` for systems that are left out.
    """
    statistics = [human, *metrics]
    if not metrics or not all(isinstance(one, SegmentStatistics) for one in statistics):
        types = ", ".join(type(one).__name__ for one in statistics)
        raise InputError(
            "no-statistics",
            f"The arguments are of the types {types}, but the SegmentStatistics of human scores and of at least one "
            "metric were expected: make them with compute_statistics.",
        )
    for one in statistics:
        check_direction(one.metric)
    names = [one.metric.name for one in statistics]
    if len({one.metric for one in statistics}) < len(statistics):
        double = next(name for name in names if names.count(name) > 1)
        raise InputError("duplicate-metric", f"The scores {double!r} were given twice: give each of them once.")
    # A system without any score of one kind would be counted, but would not take part in any measure.
    systems = [name for name in human if all(name in one and not one[name].missing.all() for one in statistics)]
    _warn_of_systems_left_out(statistics, systems)
    if len(systems) < MIN_SYSTEMS:
        problem = f"{len(systems)} {'system has' if len(systems) == 1 else 'systems have'}"
        raise InputError(
            "too-few-systems",
            f"{problem} both human scores ({names[0]}) and scores of every metric ({name_some(names[1:])}), but at "
            f"least {MIN_SYSTEMS} are needed to measure agreement: give scores of the same systems.",
            found=str(len(systems)),
            expected=str(MIN_SYSTEMS),
        )
    taken = [replace(one, values={name: one.values[name] for name in systems}, run_names={}) for one in statistics]
    merged = _merge(taken, names)
    judged, *laid_out = map(JudgedScores.of, merged)
    for further in laid_out:
        _check_that_segments_have_both(judged, further)
    return merged[0].test_set, judged, laid_out


def _merge(statistics: Sequence[SegmentStatistics], names: Sequence[str]) -> Sequence[SegmentStatistics]:
    """Match the segments; where they differ, say how scores of some of the segments are joined."""
    try:
        return merge_statistics(*statistics, origins=[f"the statistics of {name}" for name in names])
    except InputError as error:
        if error.code != "different-segments":
            raise
        remedy = "where some segments have no score, join the frames first, as in add_scores(scores, human_scores)"
        raise InputError(error.code, f"{str(error).rstrip('.')}; {remedy}.") from None


def check_direction(metric: Metric | MetricComparison) -> None:
    """Refuse scores that cannot order systems, because nothing says which of two is better (``direction``)."""
    if not has_direction(metric):
        raise InputError(
            "direction",
            f"{metric.name} has no direction, so it cannot order systems: say which scores are better, as in "
            "MeanScore(column, higher_is_better=True).",
            found=metric.name,
        )


def count_segments(human: JudgedScores, metrics: Sequence[JudgedScores]) -> int:
    """Count the segments that have human scores and scores of every metric for at least two systems."""
    return int((find_known(human, metrics).sum(axis=0) > 1).sum())


def find_known(human: JudgedScores, metrics: Sequence[JudgedScores]) -> np.ndarray:
    """Tell which segments of which systems have human scores and scores of every metric, (n_systems, n_segments)."""
    return ~np.any([np.isnan(one.of_segments()) for one in (human, *metrics)], axis=0)


def _warn_of_systems_left_out(statistics: Sequence[SegmentStatistics], systems: Sequence[str]) -> None:
    everywhere = dict.fromkeys(name for one in statistics for name in one)
    left_out = [name for name in everywhere if name not in systems]
    if left_out:
        DataWarning(
            "lacking-systems",
            f"{name_some(map(repr, left_out))} {be(len(left_out))} left out, because only systems with human scores "
            "and scores of every metric are used.",
            count=len(left_out),
        ).warn(stacklevel=4)


def _check_that_segments_have_both(human: JudgedScores, metric: JudgedScores) -> None:
    if not count_segments(human, [metric]):
        raise InputError(
            "no-common-segments",
            f"No segment has both {human.name} and {metric.name} scores for two systems, so segment-level agreement "
            "cannot be measured: give scores of the same segments.",
        )
