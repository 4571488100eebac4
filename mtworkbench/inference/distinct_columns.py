"""Columns of statistics that need not be summed, because they differ from others by a constant.

With one reference, all systems have its lengths; and where no output is shorter than four words, BLEU's numbers of
n-grams are the length of the output less 0, 1, 2 and 3. So about half of the sums of a resample follow from the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
