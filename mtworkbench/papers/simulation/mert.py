"""Minimum error rate training (Och, 2003): a real optimizer, whose runs differ because its local optima differ.

From each starting point the weights go uphill along one line after the other, coordinates first, then random
directions, always to the best point of the line, until a whole round brings nothing. Restarts begin at random points;
the best of all local optima is the result. Clark et al. (2011), §4, ran two programs of this kind: one with 20 random
restarts, one with none but 5 random directions an iteration, each drawn uniformly from (-1, 1) and brought to length 1.
What they have beyond this is left out: the lists here are fixed, where a decoder would make new ones with each new
weight vector.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.papers.simulation.error_surface import surface_of_lines
from mtworkbench.papers.simulation.nbest import NBestLists
from mtworkbench.resampling import SIMULATION, RngLike, resolve_rng, stream_words, uniforms

# A score must rise by more than this to count as better.
LEAST_GAIN = 1e-9
MOST_ROUNDS = 100


@dataclass(frozen=True)
class Mert:
    """How hard the optimizer looks.

    Parameters
    ----------
    restarts : int
        Random starting points beside the given one.
    random_directions : int
        Drawn anew for each round of line searches, beside the coordinates.

    Raises
    ------
    InputError
        ``mert-options`` for negative numbers.
    """

    restarts: int = 20
    random_directions: int = 5

    def __post_init__(self):
        for name in ("restarts", "random_directions"):
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < 0:
                raise InputError("mert-options", f"{name} is {value!r}: an integer of at least 0 was expected.")


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
    n_searches : int
        Line searches made.
    """

    weights: np.ndarray
    score: float
    optima: np.ndarray = field(repr=False)
    n_searches: int = field(repr=False)


def tune(
    lists: NBestLists,
    mert: Mert | None = None,
    *,
    start: np.ndarray | None = None,
    compiled: bool | None = None,
    rng: RngLike = None,
) -> Tuning:
    """Run the optimizer once.

    Parameters
    ----------
    lists : NBestLists
        Of the tuning set.
    mert : Mert, optional
        Unless given, 20 restarts and 5 random directions.
    start : (n_features,) ndarray, optional
        The first starting point; all weights equal unless given.
    compiled : bool, optional
        Whether line searches are compiled by numba; without it, where numba is installed. The numbers are the same.
    rng : int, numpy.random.Generator, RandomKey or None
        See `mtworkbench.resampling.resolve_rng`. Restart r draws from the stream whose key is word r of the simulation
        stream: its starting point, then the directions of its rounds.
    """
    mert = mert or Mert()
    start = check_start(lists, start)
    sign = direction_of(lists)
    key = resolve_rng(rng).stream(SIMULATION)
    optima: list[float] = []
    best, n_searches = start, 0
    for restart in range(mert.restarts + 1):
        own_key = int(stream_words(key, restart, 1)[0])
        climber = Climber(lists, start if restart == 0 else random_point(own_key, 0, lists.n_features), sign, compiled)
        climber.climb(mert.random_directions, own_key)
        score = lists.score(climber.weights)
        if not optima or sign * score > max(sign * other for other in optima):
            best = climber.weights
        optima.append(score)
        n_searches += climber.n_searches
    return Tuning(best, lists.score(best), np.array(optima), n_searches)


class Climber:
    """A point in the space of weights, on its way to a local optimum."""

    def __init__(self, lists: NBestLists, weights: np.ndarray, sign: int, compiled: bool | None):
        self.lists, self.sign, self.compiled = lists, sign, compiled
        self.weights = weights / np.abs(weights).sum()
        self.model_scores = lists.model_scores(self.weights)
        self.score = -np.inf
        self.n_searches = 0

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
        surface = surface_of_lines(self.lists, self.model_scores, slopes, compiled=self.compiled)
        self.n_searches += 1
        position, score = surface.best(self.sign)
        if self.sign * score > self.score + LEAST_GAIN:
            weights = self.weights + position * direction
            self.weights = weights / np.abs(weights).sum()
            self.model_scores = self.lists.model_scores(self.weights)
            self.score = self.sign * score


def random_point(key: int, number: int, n_features: int) -> np.ndarray:
    """Draw a point uniformly from (-1, 1) for each feature: the ``number``-th of a stream, counted from 0."""
    return 2 * uniforms(key, number * n_features, n_features) - 1


def check_start(lists: NBestLists, start: np.ndarray | None) -> np.ndarray:
    """Return the first starting point, all weights equal unless it was given."""
    if start is None:
        return np.ones(lists.n_features)
    start = np.asarray(start, dtype=np.float64)
    if start.shape != (lists.n_features,) or not np.isfinite(start).all() or not start.any():
        raise InputError(
            "start-weights",
            f"The starting weights are {start}, but {lists.n_features} finite numbers, not all 0, were expected: "
            f"one for each of the features {', '.join(lists.feature_names)}.",
        )
    return start


def direction_of(lists: NBestLists) -> int:
    """Return 1 where a higher score of the metric is better, -1 where a lower one is."""
    if not has_direction(lists.metric):
        raise InputError(
            "direction", f"{lists.metric.name} has no better and no worse, so nothing can be tuned towards it."
        )
    return sign_of(lists.metric)
