"""The segments that make the difference of two systems, with buckets of all segments, and n-grams."""

from __future__ import annotations

import pandas as pd

from mtworkbench.analyses.segments.buckets import bucket_segments
from mtworkbench.analyses.segments.pages import as_matched, make_pages
from mtworkbench.analyses.segments.queries import check_count
from mtworkbench.resampling import RngLike
from mtworkbench.results.segments import ListedSegments
from mtworkbench.statistics.segment_statistics import SegmentStatistics


def list_segments(
    outputs: pd.DataFrame,
    statistics: SegmentStatistics,
    a: str,
    b: str,
    *,
    first: int = 10,
    rng: RngLike = None,
) -> ListedSegments:
    """List the segments that make the difference between two systems, with their texts.

    Contributions are those of `segment_contributions`. With several runs they are means over all pairs of runs; texts
    and n-grams are those of each system's median run.

    Parameters
    ----------
    outputs : DataFrame
        What the statistics were computed from.
    statistics : SegmentStatistics
        Of one metric.
    a, b : str
        The new system and the baseline.
    first : int
        How many segments are listed, those with the largest contributions towards the difference first, and how many
        n-grams of each system.
    rng
        For the intervals of the buckets: see `bucket_segments`.

    Returns
    -------
    ListedSegments
        `mtworkbench.tables.format_segments` writes it; a notebook shows it.

    Raises
    ------
    InputError
        ``not-a-number`` for ``first``, ``no-texts``, and those of `segment_contributions`.
    """
    first = check_count(first)
    pages = make_pages(outputs, statistics, a, b)
    positions = pages.find_largest(first, raises=pages.difference >= 0)
    if not len(pages.readable):  # no segment has a reference
        return pages.list_segments(positions)
    buckets = bucket_segments(outputs, statistics, a, b, rng=rng)
    return pages.list_segments(positions, buckets, as_matched(pages.count_ngrams(most=first)))
