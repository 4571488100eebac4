"""The exact error surface along a line (Och, 2003, §4): which weights choose which hypotheses, and how these score.

Along the line weights + x * direction a hypothesis' model score is a straight line in x. Of a segment's lines only the
highest matters: as x grows, it changes at a few points. Between two such points of any segment the chosen outputs stay
the same, so the score of the corpus is piecewise constant, and its maximum along the line is found exactly.

The search for the highest lines is here in plain numpy, and compiled in `mtworkbench.compiled.envelopes`: the same
operations in the same order, so that both give the same numbers to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.papers.simulation.nbest import NBestLists

# Intervals narrower than this, relative to how far out they lie, are passed over: rounding may empty them.
NARROWEST = 1e-9


@dataclass(frozen=True, eq=False)
class Envelopes:
    """The highest line of each segment, from left to right.

    Parameters
    ----------
    first : (n_segments,) ndarray of int64
        The hypothesis that is highest at the far left.
    positions : (n_changes,) ndarray of float64
        Where a highest line gives way to the next, segment by segment.
    segments, leaving, entering : (n_changes,) ndarray of int64
        Of which segment, and which of its hypotheses.
    """

    first: np.ndarray
    positions: np.ndarray
    segments: np.ndarray
    leaving: np.ndarray
    entering: np.ndarray


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


def error_surface(
    lists: NBestLists, weights: np.ndarray, direction: np.ndarray, *, compiled: bool | None = None
) -> ErrorSurface:
    """Compute the score of the corpus along the line weights + x * direction.

    Parameters
    ----------
    lists : NBestLists
    weights, direction : (n_features,) ndarray
    compiled : bool, optional
        Whether the search is compiled by numba; without it, where numba is installed.

    Raises
    ------
    InputError
        ``needs-numba`` where ``compiled`` is asked for and numba is not installed.
    """
    return surface_of_lines(lists, lists.model_scores(weights), lists.model_scores(direction), compiled=compiled)


def surface_of_lines(
    lists: NBestLists, offsets: np.ndarray, slopes: np.ndarray, *, compiled: bool | None = None
) -> ErrorSurface:
    """Compute the score of the corpus where each hypothesis' model score is offset + x * slope.

    Parameters
    ----------
    lists : NBestLists
    offsets, slopes : (n_segments, n_hypotheses) ndarray
    compiled : bool, optional
        See `error_surface`.
    """
    envelopes = compiled_envelopes(offsets, slopes) if use_compiled(compiled) else find_envelopes(offsets, slopes)
    order = np.argsort(envelopes.positions, kind="stable")
    statistics, segments = lists.statistics, envelopes.segments[order]
    changes = statistics[segments, envelopes.entering[order]] - statistics[segments, envelopes.leaving[order]]
    totals = np.empty((len(order) + 1, statistics.shape[2]), dtype=statistics.dtype)
    totals[0] = statistics[np.arange(lists.n_segments), envelopes.first].sum(axis=0)
    np.cumsum(changes, axis=0, out=totals[1:])
    totals[1:] += totals[0]
    return ErrorSurface(envelopes.positions[order], lists.metric.score(totals))


def use_compiled(compiled: bool | None) -> bool:
    """Decide whether numba is used: see `error_surface`."""
    installed = find_spec("numba") is not None
    if compiled and not installed:
        raise InputError(
            "needs-numba",
            "compiled=True needs numba, which is not installed: install the extra 'fast' "
            "(pip install 'mtworkbench[fast]'), or leave it out; the numbers are the same.",
        )
    return installed if compiled is None else compiled


def compiled_envelopes(offsets: np.ndarray, slopes: np.ndarray) -> Envelopes:
    """Find each segment's highest lines with the compiled search: see `find_envelopes`."""
    from mtworkbench.compiled.envelopes import search

    capacity = offsets.size
    positions, changes = np.empty(capacity), np.empty((3, capacity), dtype=np.int64)
    first = np.empty(len(offsets), dtype=np.int64)
    n_changes = search(offsets, slopes, first, positions, changes)
    return Envelopes(first, positions[:n_changes], *changes[:, :n_changes])


def find_envelopes(offsets: np.ndarray, slopes: np.ndarray) -> Envelopes:
    """Find each segment's highest lines, all segments at once, step by step from left to right.

    Parameters
    ----------
    offsets, slopes : (n_segments, n_hypotheses) ndarray
        Of equal lines the first counts; of lines that cross the highest one at the same point, the steepest.

    Returns
    -------
    Envelopes
    """
    flattest = np.min(slopes, axis=1, keepdims=True)
    first = np.argmax(np.where(slopes == flattest, offsets, -np.inf), axis=1)
    active, current, last = np.arange(len(first)), first, np.full(len(first), -np.inf)
    steps = []
    while len(active):
        offset, slope = offsets[active], slopes[active]
        rows = np.arange(len(active))
        steeper = slope - slope[rows, current][:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            crossings = np.where(steeper > 0, (offset[rows, current][:, None] - offset) / steeper, np.inf)
        nearest = crossings.min(axis=1)
        following = np.argmax(np.where(crossings == nearest[:, None], slope, -np.inf), axis=1)
        goes_on = nearest < np.inf
        active, current, following = active[goes_on], current[goes_on], following[goes_on]
        last = np.maximum(nearest[goes_on], last[goes_on])
        steps.append((active, last, current, following))
        current = following
    segments, positions, leaving, entering = (np.concatenate(column) for column in zip(*steps, strict=True))
    order = np.argsort(segments, kind="stable")
    return Envelopes(first, positions[order], segments[order], leaving[order], entering[order])
