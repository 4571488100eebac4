"""Segments of two systems to be read: what each contributes to the difference, and texts marked where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from mtworkbench.shown import Shown
from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: Bits of the mark of a piece: what its tokens are not found in. In a reference, they stand for a's and b's output.
NOT_IN_REFERENCE, NOT_IN_OTHER = 1, 2


@dataclass(frozen=True)
class MarkedText:
    """A text in pieces.

    Parameters
    ----------
    kind : str
        ``"source"``, ``"reference"`` (the one that has most in common with the outputs), ``"further"`` (another
        reference), ``"baseline"`` or ``"new"``.
    label : str
    pieces : tuple of (str, int)
        Each with its mark: the bits of what its tokens are not found in.
    """

    kind: str
    label: str
    pieces: tuple[tuple[str, int], ...]

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(piece for piece, _ in self.pieces)


@dataclass(frozen=True)
class MarkedSegment:
    """A segment to be read.

    Parameters
    ----------
    contribution : str
        As it is written.
    places : tuple of (str, str)
        Names and values of the columns that say where it comes from, such as its document.
    texts : tuple of MarkedText
    """

    contribution: str
    places: tuple[tuple[str, str], ...]
    texts: tuple[MarkedText, ...]


@dataclass(frozen=True)
class MatchedNgram:
    """An n-gram that one of two systems gets right more often.

    Parameters
    ----------
    ngram : str
    new, baseline : int
        How often each system gets it right.
    segments : int
        In how many segments they differ.
    """

    ngram: str
    new: int
    baseline: int
    segments: int


@dataclass(frozen=True)
class MatchedMore:
    """The n-grams that one system gets right more often: those that are listed, and the number of all."""

    listed: tuple[MatchedNgram, ...]
    n_all: int


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
    marked : sequence of MarkedSegment
        The segments listed, as they are read.
    difference : float
        Of both systems' scores on the segments that both have scores for.
    digits, difference_digits : int
        Decimals of contributions, and of differences.
    runs : str
        Which runs the numbers and the texts are of; empty where each system has one.
    buckets : DataFrame, optional
        Of `bucket_segments`, by length.
    ngrams : (MatchedMore, MatchedMore), optional
        Those that a gets right more often, and those of b.
    """

    statistics: SegmentStatistics
    a: str
    b: str
    frame: pd.DataFrame = field(repr=False)
    positions: np.ndarray = field(repr=False)
    marked: Sequence[MarkedSegment] = field(repr=False)
    difference: float = 0.0
    digits: int = 2
    difference_digits: int = 2
    runs: str = ""
    buckets: pd.DataFrame | None = field(default=None, repr=False)
    ngrams: tuple[MatchedMore, MatchedMore] | None = field(default=None, repr=False)

    @property
    def listed(self) -> pd.DataFrame:
        """The segments listed, one row each, with all columns."""
        return self.frame.iloc[self.positions].reset_index(drop=True)
