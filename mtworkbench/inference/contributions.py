"""What each segment contributes to the difference of two systems: shares that add up to it.

A score is no mean of segment scores, so differences of segment scores do not add up to the difference of the test set.
The way from one system's summed statistics to the other's does: along a straight line from b to a the score changes by
its gradient times the change of the sums, and the change of the sums is the sum over segments of their changes. Each
segment gets its change of statistics times the gradient, averaged along the line. These are the shares of Aumann and
Shapley (1974), known as integrated gradients (Sundararajan et al., 2017). The derivative at one end (`influence` of a
`ScoreTable`) sums to zero, and is for variances.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from mtworkbench.inference.score_table import ScoreTable

# For a derivative, a sum is moved by this share of how far it goes on the stretch, so that few steps reach across a
# kink; but by a share of its size that lies between these two, so that neither rounding nor curvature matters.
STEP = 1e-3
SMALLEST_STEP, LARGEST_STEP = 1e-8, 1e-6
# A stretch of the line is done when its integral departs from the change of the score by less than this share of it.
TOLERANCE = 1e-9
NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(8)
NODES, NODE_WEIGHTS = (NODES + 1) / 2, NODE_WEIGHTS / 2
# A polynomial through the nodes follows a slope where its last two coefficients are below this share of the score: the
# error of the integral is about their square.
ROUGHNESS = 1e-4
LAST_COEFFICIENTS = np.array(
    [
        (2 * degree + 1) * NODE_WEIGHTS * np.polynomial.legendre.Legendre.basis(degree, domain=[0, 1])(NODES)
        for degree in (len(NODES) - 2, len(NODES) - 1)
    ]
)
MAX_SPLITS = 200
# Where a count of 0 begins to grow, BLEU has an infinite slope. In this root of the position it is smooth.
ROOT = 8
# So far from an end, a score is what it tends to there, and no longer what a count of 0 makes of it.
BESIDE = 1e-100
# A score that there still changes by more than this share of itself when a sum grows by its own size has no slope that
# could be averaged.
LARGEST_ELASTICITY = 1e-6
# A score with kinks everywhere, such as a rounded one, is not followed into all of them.
MAX_OPEN = 64
# So many numbers are handed to a score at once.
BATCH = 2**20
#: A remainder of more than this, and more than this share of the score, is no rounding.
SMALLEST_REMAINDER, SMALLEST_SHARE = 1e-6, 1e-8

Score = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each unit contributes to the difference a - b.

    Parameters
    ----------
    a, b : str
        The systems.
    metric : str
    unit : str
    difference : float
        Of the scores; with several runs, of the means of the runs' scores.
    remainder : float
        What belongs to no unit: `difference` less the sum of `values`. It is above rounding only where the score jumps
        between the systems, as BLEU does where a count is 0 in one of them, or where one of them is so short that it
        has no n-grams of some length.
    values : (n_units,) ndarray
        In score points.
    """

    a: str
    b: str
    metric: str
    unit: str
    difference: float
    remainder: float
    values: np.ndarray = field(repr=False)


def largest_remainder(scores: np.ndarray) -> float:
    """Return up to what size a remainder is rounding: an absolute one, or where scores are large, a share of them.

    Parameters
    ----------
    scores : ndarray
        Of both systems.
    """
    return max(SMALLEST_REMAINDER, SMALLEST_SHARE * float(np.abs(scores).max(initial=0.0)))


def contribute(table: ScoreTable) -> Contributions:
    """Share out the difference of a table's two systems among units.

    With s the statistics of a unit and T their sums, the contribution of unit i is (s_ai - s_bi) times the mean of the
    score's gradient at T_b + t * (T_a - T_b), t from 0 to 1. With several runs it is the mean over all pairs of a run
    of a and a run of b, which adds up to the difference of mean scores. For a mean of segment scores it is the unit's
    share of the difference.

    Where one of the systems has no n-grams of some length, their precision is 0 / 0 there, and the integral of its
    gradient has no limit. Their numbers are then those of the other system all along the line, and what that changes
    in the score is part of the remainder.

    Parameters
    ----------
    table : ScoreTable
        Of two systems of the same metric, and the segments that both have scores for: see `pair_table`.
    """
    of_a, of_b = table.systems
    difference = table.difference()
    # The first run of b is taken off both sides, where it cancels: a segment with equal statistics then gets exactly 0.
    first = of_b.values[0]
    moves = [(one.values - first).astype(np.float64) for one in (of_a, of_b)]
    moving = np.flatnonzero(np.any([move.any(axis=(0, 1)) for move in moves], axis=0))
    ends = [one.values.sum(axis=1, dtype=np.float64) for one in (of_a, of_b)]
    sizes = [np.abs(one.values).sum(axis=1, dtype=np.float64) for one in (of_a, of_b)]
    n_runs = of_a.n_runs, of_b.n_runs
    run_a, run_b = (numbers.ravel() for numbers in np.indices(n_runs))
    line = _Line(partial(table.score_sums, 1), ends[1][run_b], ends[0][run_a], sizes[1][run_b], sizes[0][run_a], moving)
    gradients = average_gradients(line).reshape(*n_runs, -1)
    shares = [
        np.einsum("rik,rk->i", move, gradients.mean(axis=1 - axis) / n_runs[axis]) for axis, move in enumerate(moves)
    ]
    values = table.units.sum((shares[0] - shares[1])[:, None])[:, 0]
    remainder = difference - float(values.sum())
    return Contributions(of_a.system, of_b.system, of_a.metric.name, table.units.name, difference, remainder, values)


@dataclass(frozen=True, eq=False)
class _Line:
    """The straight lines between the sums of two systems, one per pair of runs.

    Parameters
    ----------
    score : callable
        The score of summed statistics.
    starts, ends : (n_pairs, n_statistics) ndarray
        The sums of b and of a.
    start_sizes, end_sizes : (n_pairs, n_statistics) ndarray
        The sums of the absolute statistics, which say what is a small change of a sum.
    moving : (n_moving,) ndarray of int
        The statistics that differ between the systems in any segment; only these need a derivative.
    """

    score: Score
    starts: np.ndarray
    ends: np.ndarray
    start_sizes: np.ndarray
    end_sizes: np.ndarray
    moving: np.ndarray


@dataclass(frozen=True, eq=False)
class _Stretches:
    """Parts of the lines, whose positions are counted from one end, so that they are exact close to either.

    Parameters
    ----------
    pair : (n,) ndarray of int
    from_end : (n,) ndarray of bool
        Whether positions count from a (1 is b) or from b (1 is a).
    low, high : (n,) ndarray
        Positions.
    score_low, score_high : (n,) ndarray
    """

    pair: np.ndarray
    from_end: np.ndarray
    low: np.ndarray
    high: np.ndarray
    score_low: np.ndarray
    score_high: np.ndarray

    def take(self, which: np.ndarray | slice) -> _Stretches:
        """Return some of them."""
        return _Stretches(*(one[which] for one in vars(self).values()))

    def sides(self, line: _Line) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the sums and sizes where positions begin, and where they end."""
        swap = self.from_end[:, None]
        starts, ends, start_sizes, end_sizes = (
            one[self.pair] for one in (line.starts, line.ends, line.start_sizes, line.end_sizes)
        )
        near, far = np.where(swap, ends, starts), np.where(swap, starts, ends)
        return near, far, np.where(swap, end_sizes, start_sizes), np.where(swap, start_sizes, end_sizes)


def average_gradients(line: _Line) -> np.ndarray:
    """Average the gradient of the score along each line, by Gauss-Legendre quadrature that checks itself.

    The average times the change of the sums must be the change of the score, on every stretch of the line. A stretch
    where it is not is split: where one sum overtakes another, for the brevity penalty and its like have their kinks
    there, or else in the middle. It is split as well where the slopes are too uneven for the quadrature, for their
    errors may cancel in that sum. What is left in the end is a jump, and no slope.

    Returns
    -------
    (n_pairs, n_statistics) ndarray
        0 for statistics that do not differ, and for those without an integral.
    """
    n_pairs = len(line.starts)
    gradients = np.zeros_like(line.starts)
    line, held = _hold_without_limit(line)
    at_starts, at_ends = (line.score(sums) for sums in _sums_beside_ends(line))
    largest = np.maximum(np.abs(at_starts), np.abs(at_ends))
    whole = np.zeros(n_pairs)
    todo = _Stretches(np.arange(n_pairs), whole.astype(bool), whole, whole + 1, at_starts, at_ends)
    for _ in range(MAX_SPLITS):
        integrals, roughness = _integrate(line, todo)
        near, far, *_ = todo.sides(line)
        missed = ((far - near) * integrals).sum(axis=1) - (todo.score_high - todo.score_low)
        even = roughness <= ROUGHNESS * largest[todo.pair]
        done = even & (np.abs(missed) <= TOLERANCE * largest[todo.pair])
        np.add.at(gradients, todo.pair[done], integrals[done])
        todo = _split(line, todo.take(~done))
        if not 0 < len(todo.pair) <= MAX_OPEN * n_pairs:
            break
    return np.where(held, 0.0, gradients)


def _sums_beside_ends(line: _Line) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums where the lines have just begun, and where they are about to end: a count of 0 is just above."""
    way = BESIDE * (line.ends - line.starts)
    return line.starts + way, line.ends - way


def _hold_without_limit(line: _Line) -> tuple[_Line, np.ndarray]:
    """Hold what is 0 at one end, and there has a gradient without an integral, at the sums of the other end.

    That is where the score depends on the ratio of two sums that are both 0 in one system: however small they are, it
    changes when one of them grows by its own size.

    Returns
    -------
    line : _Line
    held : (n_pairs, n_statistics) ndarray of bool
    """
    ends, sizes = [line.starts, line.ends], [line.start_sizes, line.end_sizes]
    scale = LARGEST_ELASTICITY * np.max([np.abs(line.score(one)) for one in ends], axis=0)
    held = []
    for place, sums in enumerate(_sums_beside_ends(line)):
        begins = (sizes[place] == 0) & (sizes[1 - place] > 0)
        which = np.flatnonzero(begins.any(axis=1))
        there = sums[which]
        slopes = _differentiate(line.score, there, LARGEST_STEP * np.abs(there), line.moving)
        without = np.zeros_like(begins)
        without[np.ix_(which, line.moving)] = np.abs(slopes * there[:, line.moving]) > scale[which, None]
        held.append(begins & without)
    starts, start_sizes = (np.where(held[0], one[1], one[0]) for one in (ends, sizes))
    new_ends, end_sizes = (np.where(held[1], one[0], one[1]) for one in (ends, sizes))
    moving = line.moving
    return _Line(line.score, starts, new_ends, start_sizes, end_sizes, moving), held[0] | held[1]


def _integrate(line: _Line, stretches: _Stretches) -> tuple[np.ndarray, np.ndarray]:
    """Integrate the gradient over each stretch, in batches of bounded memory.

    Returns
    -------
    integrals : (n_stretches, n_statistics) ndarray
    roughness : (n_stretches,) ndarray
        What the last coefficients of the polynomials through the slopes amount to, in score points.
    """
    n_statistics = line.starts.shape[1]
    count = max(1, BATCH // (len(NODES) * 2 * max(1, len(line.moving)) * n_statistics))
    integrals, roughness = np.zeros((len(stretches.pair), n_statistics)), np.zeros(len(stretches.pair))
    for first in range(0, len(integrals), count):
        batch = stretches.take(slice(first, first + count))
        width = (batch.high - batch.low)[:, None]
        near, far, near_sizes, far_sizes = (side[:, None] for side in batch.sides(line))
        steep = (batch.low == 0)[:, None] & ((near_sizes == 0) & (near != far)).any(axis=2)
        at = batch.low[:, None] + width * np.where(steep, NODES**ROOT, NODES)
        scales = width * np.where(steep, ROOT * NODES ** (ROOT - 1), 1.0)
        sums = near + at[..., None] * (far - near)
        sizes = near_sizes + at[..., None] * (far_sizes - near_sizes)
        steps = np.clip(STEP * np.abs(far - near) * width[..., None], SMALLEST_STEP * sizes, LARGEST_STEP * sizes)
        slopes = _differentiate(line.score, sums, steps, line.moving)
        slopes = slopes * scales[..., None]
        integrals[first : first + count, line.moving] = np.einsum("inm,n->im", slopes, NODE_WEIGHTS)
        last = np.abs(np.einsum("inm,kn->ikm", slopes, LAST_COEFFICIENTS)).sum(axis=1)
        roughness[first : first + count] = (last * sizes.max(axis=1)[:, line.moving]).max(axis=1, initial=0)
    return integrals, roughness


def _differentiate(score: Score, sums: np.ndarray, steps: np.ndarray, moving: np.ndarray) -> np.ndarray:
    """Return the derivative by each moving statistic, (..., n_moving), by central differences.

    A step is a small share of the sum, so that no count becomes negative; a sum of nothing but zeros has slope 0.
    """
    points = np.repeat(np.repeat(sums[..., None, None, :], 2, axis=-3), len(moving), axis=-2)
    each = np.arange(len(moving))
    points[..., 0, each, moving] += steps[..., moving]
    points[..., 1, each, moving] -= steps[..., moving]
    # The distance as it was rounded.
    distances = points[..., 0, each, moving] - points[..., 1, each, moving]
    scores = score(points)
    rises = scores[..., 0, :] - scores[..., 1, :]
    return np.divide(rises, distances, out=np.zeros_like(rises), where=distances != 0)


def _split(line: _Line, stretches: _Stretches) -> _Stretches:
    """Split each stretch in two; those too short to be split are left out."""
    low, high = stretches.low, stretches.high
    near, far, *_ = stretches.sides(line)
    cut = _find_cuts(near, far, low, high)
    possible = (low < cut) & (cut < high)
    stretches, cut, near, far = stretches.take(possible), cut[possible], near[possible], far[possible]
    score_cut = line.score(near + cut[:, None] * (far - near))
    left = _Stretches(stretches.pair, stretches.from_end, stretches.low, cut, stretches.score_low, score_cut)
    # The right part of a whole line is counted from the other end.
    turned = (stretches.low == 0) & (stretches.high == 1)
    right = _Stretches(
        stretches.pair,
        stretches.from_end ^ turned,
        np.where(turned, 0.0, cut),
        np.where(turned, 1 - cut, stretches.high),
        np.where(turned, stretches.score_high, score_cut),
        np.where(turned, score_cut, stretches.score_high),
    )
    return _Stretches(*(np.concatenate(both) for both in zip(vars(left).values(), vars(right).values(), strict=True)))


def _find_cuts(near: np.ndarray, far: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Choose where to split: where one sum overtakes another, nearest to the middle, or else in the middle."""
    middles = (low + high) / 2
    cuts = middles.copy()
    nearest = (high - low) * (0.5 - 1e-9)  # what lies at an end is behind us
    for place in range(1, near.shape[1]):
        gaps, far_gaps = near[:, place:] - near[:, :-place], far[:, place:] - far[:, :-place]
        overtakes = gaps * far_gaps < 0
        at = np.divide(gaps, gaps - far_gaps, out=np.full_like(gaps, np.inf), where=overtakes)
        for crossing in at.T:
            distance = np.abs(crossing - middles)
            cuts = np.where(distance < nearest, crossing, cuts)
            nearest = np.minimum(distance, nearest)
    return cuts
