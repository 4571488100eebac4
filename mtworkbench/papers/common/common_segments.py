"""The segments that all systems have scores of, which the studies of both papers pair."""

from __future__ import annotations

import warnings

import numpy as np

from mtworkbench.errors import DataWarning
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.wording import tally


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
