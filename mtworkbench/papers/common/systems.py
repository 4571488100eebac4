"""What studies ask of systems first: which of two scores is better, what each scores, which segments all have."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import Metric
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.wording import tally


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


def keep_common(family: SegmentStatistics) -> SegmentStatistics:
    """Leave out, with a warning, the segments that some system has no score for: samples pair the systems."""
    if not (said := describe_left_out(family)):
        return family
    missing = _find_missing(family)
    warnings.warn(DataWarning("missing-scores", said, count=int(missing.sum())), stacklevel=2)
    return family.take(np.flatnonzero(~missing))


def describe_left_out(family: SegmentStatistics) -> str:
    """Say how many segments `keep_common` leaves out; nothing where it leaves out none."""
    missing = _find_missing(family)
    if not missing.any():
        return ""
    return (
        f"{missing.sum():,} of {tally(len(missing), 'segment')} have no {family.metric.name} in at least one system; "
        "the figures and tables of the papers leave them out."
    )


def _find_missing(family: SegmentStatistics) -> np.ndarray:
    return np.any([family[name].missing for name in family], axis=0)
