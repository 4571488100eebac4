"""What studies ask of systems first: which of two scores is better, what each scores, and which ones pairs name."""

from __future__ import annotations

from collections.abc import Iterable

from mtworkbench.errors import InputError
from mtworkbench.metrics import Metric
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.statistics.segment_statistics import SegmentStatistics


def direction(metric: Metric) -> int:
    """Return 1 where higher scores are better, -1 where lower ones are.

    Raises
    ------
    InputError
        For a metric that does not say (code ``"direction"``).
    """
    if not has_direction(metric):
        raise InputError(
            "direction",
            f"{metric.name} does not say which of two scores is better: take a metric with a direction.",
        )
    return sign_of(metric)


def mean_scores(statistics: SegmentStatistics) -> dict[str, float]:
    """Return each system's score on the whole test set, the mean of its runs'."""
    return {name: float(scores.mean()) for name, scores in statistics.score().items()}


def names_in(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return the systems that pairs name, each once."""
    return list(dict.fromkeys(name for pair in pairs for name in pair))
