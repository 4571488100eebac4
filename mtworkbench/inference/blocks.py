"""Blocks of consecutive segments as units, where documents are unknown: how long they are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from mtworkbench.inference.score_table import Places, ScoreTable
from mtworkbench.statistics.segment_statistics import SystemStatistics


def autocorrelate(values: np.ndarray, lags: Iterable[int]) -> np.ndarray:
    """Correlate each value with the one that comes so many places later.

    Parameters
    ----------
    values : (n,) ndarray
        Such as the influence of consecutive segments on a score.
    lags : iterable of int
        From 1 to n - 1.

    Returns
    -------
    (n_lags,) ndarray
        0 where all values are equal.
    """
    values = values - values.mean()
    variance = np.mean(values**2)
    products = np.array([np.mean(values[:-lag] * values[lag:]) for lag in lags])
    return products / variance if variance > 0 else np.zeros_like(products)


def noise_band(n_values: int) -> float:
    """Return 1.96 standard errors of an autocorrelation that is truly 0: 95 % of such lie within, 2.5 % above."""
    return 1.96 / math.sqrt(n_values)


def choose_block_length(systems: Sequence[SystemStatistics], pairs: Sequence[Places]) -> int:
    """Choose blocks long enough for the dependence between neighbouring segments.

    For each system's score and each pair's difference: twice the lag at which the autocorrelation of the segments'
    influence falls into the noise band, or 1 where it does so at once. Of a correlation at this lag, blocks twice as
    long still carry half into the variance (Politis & White, 2004, double their lag for this reason, too). The largest
    counts, but at most 3 * sqrt(n) and n / 3 segments (their bound).

    The scores count as well as the differences: what two systems have in common leaves the difference, so that its own
    autocorrelation is mostly too weak to be seen, and still adds up over a document. So does any weak dependence over
    long documents: where these are known, they are the better unit.

    Parameters
    ----------
    systems : sequence of SystemStatistics
        On the same segments.
    pairs : sequence of (int, int)
        Places of two systems of one metric.

    Returns
    -------
    int
        Segments in a block.
    """
    table = ScoreTable.of(systems)
    n_segments = table.n_segments
    longest = max(1, math.floor(min(3 * math.sqrt(n_segments), n_segments / 3)))
    found = [*table.influence, *map(table.influence_on, pairs)]
    return min(longest, max(_length_for(np.nan_to_num(one), longest) for one in found))


def _length_for(influence: np.ndarray, longest: int) -> int:
    """Return twice the first lag in the band, or 1 where that is the first lag of all."""
    for lag in range(1, longest // 2 + 1):
        if autocorrelate(influence, [lag]) <= noise_band(len(influence)):
            return 1 if lag == 1 else 2 * lag
    return longest
