"""Segments of two systems to be read: what each contributes to the difference, and texts marked where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.shown import Shown
from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: Bits of the mark of a piece: what its tokens are not found in. In a reference, they stand for a's and b's output.
NOT_IN_REFERENCE, NOT_IN_OTHER = 1, 2


@dataclass(frozen=True, eq=False)
class ListedSegments(Shown):
    """Some segments of two systems, with what each contributes to the difference, and what they are part of.

    Parameters
    ----------
    statistics : SegmentStatistics
        Of one metric, of the runs that are compared.
    a, b : str
        The new system and the baseline.
    frame : DataFrame
        Of `segment_contributions`: all segments.
    positions : (n_listed,) ndarray of int
        Which of them are listed, in this order.
    rows : sequence of mapping
        For each segment listed, ``contribution`` as it is written, ``places`` (names and values of the columns that say
        where it comes from) and ``texts``: each with its ``kind``, its ``label`` and its ``pieces``, texts and marks.
    difference : float
        Of both systems' scores on the segments that both have scores for.
    digits, difference_digits : int
        Decimals of contributions, and of differences.
    runs : str
        Which runs the numbers and the texts are of; empty where each system has one.
    buckets : DataFrame, optional
        Of `bucket_segments`, by length.
    ngrams : mapping, optional
        Of `SegmentPages.count_ngrams`.
    """

    statistics: SegmentStatistics
    a: str
    b: str
    frame: pd.DataFrame = field(repr=False)
    positions: np.ndarray = field(repr=False)
    rows: Sequence[Mapping[str, Any]] = field(repr=False)
    difference: float = 0.0
    digits: int = 2
    difference_digits: int = 2
    runs: str = ""
    buckets: pd.DataFrame | None = field(default=None, repr=False)
    ngrams: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def listed(self) -> pd.DataFrame:
        """The segments listed, one row each, with all columns."""
        return self.frame.iloc[self.positions].reset_index(drop=True)
