"""Sums of statistics over resamples and exchanges, each a product of weights and statistics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

# Each product puts back the number of threads that it found, which must not be that of another product.
_ALONE = Lock()


def sum_weighted(weights: np.ndarray, statistics: np.ndarray) -> np.ndarray:
    """Add up the statistics of units, each as often as its weight says, in one thread.

    Batches are so small that the threads of a product would mostly wait for each other: with two, the processors work
    2 to 30 times as long, and nobody has the sums earlier.

    Parameters
    ----------
    weights : (n_weights, n_units) ndarray
    statistics : (n_units, n_columns) or (n_units,) ndarray
        Their type is that of the sums.

    Returns
    -------
    (n_weights, n_columns) or (n_weights,) ndarray
    """
    with _ALONE, _threaded_libraries().limit(limits=1, user_api="blas"):
        summed: np.ndarray = weights.astype(statistics.dtype, copy=False) @ statistics
        return summed


@lru_cache(maxsize=1)
def _threaded_libraries() -> ThreadpoolController:
    """Look once for the library that numpy multiplies with: it is loaded by now."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


# So many rows are looked at to find columns that may be alike.
_FEW = 200
#: Libraries multiply matrices of so many columns, or a multiple of it, up to twice as fast as others.
FASTEST = 8


def is_whole(numbers: np.ndarray) -> bool:
    """Tell whether all numbers are whole, so that their sums are exact."""
    return bool((numbers == np.rint(numbers)).all())


@dataclass(frozen=True, eq=False)
class DistinctColumns:
    """Which columns are summed, and how the sums of all columns follow from theirs.

    Columns that differ from others by a constant need not be summed. With one reference, all systems have its lengths;
    and where no output is shorter than four words, BLEU's numbers of n-grams are the length of the output less 0, 1, 2
    and 3. So about half of the sums of a resample follow from the others.

    Parameters
    ----------
    kept : (n_kept,) ndarray of int64
        The columns that are summed.
    places : (n_columns,) ndarray of int64
        For each column, the place among those kept of the one from which it differs by a constant.
    offsets : (n_columns,) ndarray of float64
        The constants.
    """

    kept: np.ndarray
    places: np.ndarray
    offsets: np.ndarray

    @classmethod
    def of(cls, columns: np.ndarray) -> DistinctColumns | None:
        """Find them; None where nothing would be saved, or where sums of these numbers are not exact.

        Parameters
        ----------
        columns : (n_rows, n_columns) ndarray of float64
        """
        if not len(columns) or not is_whole(columns[:_FEW]):
            return None
        # Few rows tell which columns may be alike; all rows, whether they are.
        some = np.ascontiguousarray((columns[:_FEW] - columns[0]).T)
        first: dict[bytes, int] = {}
        alike = np.array([first.setdefault(one.tobytes(), column) for column, one in enumerate(some)])
        offsets = columns[0] - columns[0, alike]
        further = np.flatnonzero(alike != np.arange(len(alike)))
        unlike = further[(columns[:, further] != columns[:, alike[further]] + offsets[further]).any(axis=0)]
        alike[unlike], offsets[unlike] = unlike, 0
        kept, places = np.unique(alike, return_inverse=True)
        if len(kept) + 1 >= len(alike) or not is_whole(columns[:, kept]):
            return None
        return cls(kept, places, offsets)

    def reduce(self, columns: np.ndarray) -> np.ndarray:
        """Return the columns that are summed, one that counts the rows, and empty ones: (n_rows, n_summed) ndarray."""
        reduced = np.zeros((len(columns), -(-(len(self.kept) + 1) // FASTEST) * FASTEST))
        reduced[:, : len(self.kept)] = columns[:, self.kept]
        reduced[:, len(self.kept)] = 1
        return reduced

    def expand(self, sums: np.ndarray, columns: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the sums of columns that were not summed, too.

        Parameters
        ----------
        sums : (n_summed, n) ndarray of float64
            Of the columns of `reduce`.
        columns : (...) ndarray of int64, optional
            Which ones; all unless given.

        Returns
        -------
        (..., n) ndarray of float64
        """
        found, offsets = sums[self.places[columns]], self.offsets[columns]
        for place in zip(*np.nonzero(offsets), strict=True):
            found[place] += offsets[place] * sums[len(self.kept)]
        return found
