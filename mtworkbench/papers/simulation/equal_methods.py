"""Two made-up methods between which there is no difference, and what varies nevertheless.

Every segment has a share of words that match; a method may be better on one segment and worse on another, a run may be
better as a whole, and the rest is chance. BLEU's statistics follow from the shares, in fractions of n-grams.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mtworkbench.metrics.bleu import Bleu
from mtworkbench.papers.simulation.draws import Draws, Part
from mtworkbench.resampling import RngLike
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

LEVEL = 0.6  # share of words that match; an n-gram matches with the n-th power of it
DIFFICULTY = 0.06  # standard deviation of that share over segments, the same for both methods
SHORTEST, LONGEST = 12, 28  # words a segment
LOWEST, HIGHEST = 0.02, 0.98
ORDERS = 4


@dataclass(frozen=True)
class VarianceComponents:
    """What varies between equal methods: standard deviations of a corpus score, in points of BLEU.

    Parameters
    ----------
    method_by_segment : float
        Of one method, over test sets: it does better on some segments than the other method.
    run : float
        Of one run as a whole, over runs.
    residual : float
        Of one run, over test sets: what is left for each segment of each run.
    """

    method_by_segment: float
    run: float
    residual: float


def make_equal_methods(
    components: VarianceComponents,
    n_segments: int,
    n_runs: int,
    *,
    rng: RngLike = None,
) -> SegmentStatistics:
    """Make up BLEU statistics of two equally good methods, ``first`` and ``second``.

    Parameters
    ----------
    components : VarianceComponents
        Met within some 15 %: BLEU is not linear in the share of matching words.
    n_segments, n_runs : int
        Segments in the test set, runs of each method.
    rng : int, numpy.random.Generator, RandomKey or None
        See `mtworkbench.resampling.resolve_rng`.
    """
    draws = Draws(rng)
    lengths = np.floor(SHORTEST + (LONGEST - SHORTEST + 1) * draws.uniforms(n_segments, Part.NULL_LENGTHS))
    ngrams = lengths[:, None] - np.arange(ORDERS)
    # BLEU is about 100 share^2.5, and its change that of the mean share, weighted by length.
    share_per_point = 1 / (250 * LEVEL**1.5)
    spread_out = np.sum(lengths) / np.sqrt(np.sum(lengths**2))
    difficulty = DIFFICULTY * draws.normals(n_segments, Part.NULL_DIFFICULTY)
    values = {}
    for number, name in enumerate(("first", "second")):
        own = components.method_by_segment * spread_out * draws.normals(n_segments, Part.METHOD_BY_SEGMENT, number)
        shifts = components.run * draws.normals(n_runs, Part.NULL_RUNS, number)
        rest = draws.normals(n_runs * n_segments, Part.NULL_RESIDUAL, number).reshape(n_runs, n_segments)
        points = own + shifts[:, None] + components.residual * spread_out * rest
        shares = np.clip(LEVEL + difficulty + share_per_point * points, LOWEST, HIGHEST)
        matches = ngrams * shares[..., None] ** np.arange(1, ORDERS + 1)
        both_lengths = np.broadcast_to(lengths[:, None], (n_runs, n_segments, 2))
        values[name] = np.concatenate([both_lengths, matches, np.broadcast_to(ngrams, matches.shape)], axis=2)
    test_set = TestSet(np.arange(1, n_segments + 1), None, "made up: equal methods", 1)
    return SegmentStatistics(Bleu(tokenize="none"), values, test_set)
