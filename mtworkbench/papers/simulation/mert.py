"""Minimum error rate training (Och, 2003): a real optimizer, whose runs differ because its local optima differ.

From each starting point the weights go uphill along one line after the other, coordinates first, then random
directions, always to the best point of the line, until a whole round brings nothing. Restarts begin at random points;
the best of all local optima is the result. Clark et al. (2011), §4, ran two programs of this kind: one with 20 random
restarts, one with none but 5 random directions an iteration, each drawn uniformly from (-1, 1) and brought to length 1.
What they have beyond this is left out: the lists here are fixed, where a decoder would make new ones with each new
weight vector.

The error surface along a line is exact (Och, 2003, §4): which weights choose which hypotheses, and how these score.
Along the line weights + x * direction a hypothesis' model score is a straight line in x. Of a segment's lines only the
highest matters: as x grows, it changes at a few points. Between two such points of any segment the chosen outputs stay
the same, so the score of the corpus is piecewise constant, and its maximum along the line is found exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mtworkbench.metrics.directions import sign_of
from mtworkbench.papers.simulation.nbest import NBestLists
from mtworkbench.resampling import SIMULATION, RngLike, resolve_rng, stream_words, uniforms

# A score must rise by more than this to count as better.
LEAST_GAIN = 1e-9
MOST_ROUNDS = 100
# Intervals narrower than this, relative to how far out they lie, are passed over: rounding may empty them.
NARROWEST = 1e-9


@dataclass(frozen=True)
class Mert:
    """How hard the optimizer looks.

    Parameters
    ----------
    restarts : int
        Random starting points beside the given one.
    random_directions : int
        Drawn anew for each round of line searches, beside the coordinates.
    """

    restarts: int
    random_directions: int


@dataclass(frozen=True, eq=False)
class Tuning:
    """What one run of the optimizer found.

    Parameters
    ----------
    weights : (n_features,) ndarray
        Their absolute values sum to 1.
    score : float
        Of the tuned lists with these weights.
    optima : (1 + restarts,) ndarray
        The score of the local optimum reached from each starting point, the given one first.
    points : (1 + restarts, n_features) ndarray
        The weights of each local optimum.
    """

    weights: np.ndarray
    score: float
    optima: np.ndarray = field(repr=False)
    points: np.ndarray = field(repr=False)


def tune(lists: NBestLists, mert: Mert, *, start: np.ndarray, rng: RngLike = None) -> Tuning:
    """Run the optimizer once.

    Parameters
    ----------
    lists : NBestLists
        Of the tuning set.
    mert : Mert
    start : (n_features,) ndarray
        The first starting point.
    rng : int, numpy.random.Generator, RandomKey or None
        See `mtworkbench.resampling.resolve_rng`. Restart r draws from the stream whose key is word r of the simulation
        stream: its starting point, then the directions of its rounds.
    """
    sign = sign_of(lists.metric)
    key = resolve_rng(rng).stream(SIMULATION)
    optima: list[float] = []
    points: list[np.ndarray] = []
    for restart in range(mert.restarts + 1):
        own_key = int(stream_words(key, restart, 1)[0])
        climber = Climber(lists, start if restart == 0 else random_point(own_key, 0, lists.n_features), sign)
        climber.climb(mert.random_directions, own_key)
        points.append(climber.weights)
        optima.append(lists.score(climber.weights))
    best = int(np.argmax(sign * np.array(optima)))
    return Tuning(points[best], optima[best], np.array(optima), np.array(points))


class Climber:
    """A point in the space of weights, on its way to a local optimum."""

    def __init__(self, lists: NBestLists, weights: np.ndarray, sign: int):
        self.lists, self.sign = lists, sign
        self.weights = weights / np.abs(weights).sum()
        self.model_scores = lists.model_scores(self.weights)
        self.score = -np.inf

    def climb(self, n_directions: int, key: int) -> None:
        """Go round after round through coordinates and random directions until a round brings nothing."""
        n_features = self.lists.n_features
        for round_ in range(MOST_ROUNDS):
            before = self.score
            for feature in range(n_features):
                self.search(np.eye(n_features)[feature], self.lists.features[feature])
            for number in range(n_directions):
                direction = random_point(key, 1 + round_ * n_directions + number, n_features)
                direction /= np.sqrt(np.sum(direction**2))
                self.search(direction, self.lists.model_scores(direction))
            if self.score <= before + LEAST_GAIN:
                break

    def search(self, direction: np.ndarray, slopes: np.ndarray) -> None:
        """Move to the best point of a line, where it is better than this one."""
        surface = surface_of_lines(self.lists, self.model_scores, slopes)
        position, score = surface.best(self.sign)
        if self.sign * score > self.score + LEAST_GAIN:
            weights = self.weights + position * direction
            self.weights = weights / np.abs(weights).sum()
            self.model_scores = self.lists.model_scores(self.weights)
            self.score = self.sign * score


def random_point(key: int, number: int, n_features: int) -> np.ndarray:
    """Draw a point uniformly from (-1, 1) for each feature: the ``number``-th of a stream, counted from 0."""
    return 2 * uniforms(key, number * n_features, n_features) - 1


@dataclass(frozen=True, eq=False)
class ErrorSurface:
    """The score of the corpus along a line.

    Parameters
    ----------
    edges : (n_changes,) ndarray of float64
        Where the chosen outputs change, in rising order.
    scores : (n_changes + 1,) ndarray of float64
        Between the edges, from the far left to the far right.
    """

    edges: np.ndarray = field(repr=False)
    scores: np.ndarray = field(repr=False)

    def best(self, sign: int = 1) -> tuple[float, float]:
        """Return a position in the middle of the best interval (of equal ones the leftmost), and its score.

        Parameters
        ----------
        sign : {1, -1}
            1 where a higher score is better, -1 where a lower one is.
        """
        if not len(self.edges):
            return 0.0, float(self.scores[0])
        edges = np.concatenate([self.edges[:1] - 2, self.edges, self.edges[-1:] + 2])
        left, right = edges[:-1], edges[1:]
        wide = right - left > NARROWEST * np.maximum(1, np.abs(left))
        place = int(np.argmax(np.where(wide, sign * self.scores, -np.inf)))
        return float((left[place] + right[place]) / 2), float(self.scores[place])


def surface_of_lines(lists: NBestLists, offsets: np.ndarray, slopes: np.ndarray) -> ErrorSurface:
    """Compute the score of the corpus along a line, where each hypothesis' model score is offset + x * slope.

    Parameters
    ----------
    lists : NBestLists
    offsets, slopes : (n_segments, n_hypotheses) ndarray
    """
    first, positions, segments, leaving, entering = find_envelopes(offsets, slopes)
    order, statistics = np.argsort(positions, kind="stable"), lists.statistics
    changes = (statistics[segments, entering] - statistics[segments, leaving])[order]
    totals = np.empty((len(order) + 1, statistics.shape[2]), dtype=statistics.dtype)
    totals[0] = statistics[np.arange(lists.n_segments), first].sum(axis=0)
    np.cumsum(changes, axis=0, out=totals[1:])
    totals[1:] += totals[0]
    return ErrorSurface(positions[order], lists.metric.score(totals))


def find_envelopes(offsets: np.ndarray, slopes: np.ndarray) -> tuple[np.ndarray, ...]:
    """Find each segment's highest lines, all segments at once, step by step from left to right.

    Parameters
    ----------
    offsets, slopes : (n_segments, n_hypotheses) ndarray
        Of equal lines the first counts; of lines that cross the highest one at the same point, the steepest.

    Returns
    -------
    first : (n_segments,) ndarray of int64
        The hypothesis that is highest at the far left.
    positions : (n_changes,) ndarray of float64
        Where a highest line gives way to the next, segment by segment.
    segments, leaving, entering : (n_changes,) ndarray of int64
        Of which segment, and which of its hypotheses.
    """
    flattest = np.min(slopes, axis=1, keepdims=True)
    first = np.argmax(np.where(slopes == flattest, offsets, -np.inf), axis=1)
    active, current, last = np.arange(len(first)), first, np.full(len(first), -np.inf)
    steps = []
    while len(active):
        offset, slope = offsets[active], slopes[active]
        rows = np.arange(len(active))
        steeper, higher = slope - slope[rows, current][:, None], offset[rows, current][:, None] - offset
        crossings = np.divide(higher, steeper, out=np.full_like(slope, np.inf), where=steeper > 0)
        nearest = crossings.min(axis=1)
        following = np.argmax(np.where(crossings == nearest[:, None], slope, -np.inf), axis=1)
        goes_on = nearest < np.inf
        active, current, following = active[goes_on], current[goes_on], following[goes_on]
        last = np.maximum(nearest[goes_on], last[goes_on])
        steps.append((active, last, current, following))
        current = following
    segments, positions, leaving, entering = (np.concatenate(column) for column in zip(*steps, strict=True))
    order = np.argsort(segments, kind="stable")
    return first, positions[order], segments[order], leaving[order], entering[order]
