"""Sums of statistics over resamples and exchanges, each a product of weights and statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from mtworkbench.resampling import split_rows

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

# Each product puts back the number of threads that it found, which must not be that of another product.
_ALONE = Lock()
# Whether the number of threads is one until all products that are computed now are done.
_are_held = False


def sum_weighted(weights: np.ndarray, statistics: np.ndarray) -> np.ndarray:
    """Add up the statistics of units, each as often as its weight says, in the thread that asks for it.

    Batches are so small that the threads of a product would mostly wait for each other: with two, the processors work
    2 to 30 times as long, and nobody has the sums earlier. Within `one_thread_each`, batches in several threads do not
    wait for each other.

    Parameters
    ----------
    weights : (n_weights, n_units) ndarray
    statistics : (n_units, n_columns) or (n_units,) ndarray
        Their type is that of the sums.

    Returns
    -------
    (n_weights, n_columns) or (n_weights,) ndarray
    """
    weights = weights.astype(statistics.dtype, copy=False)
    with nullcontext() if _are_held else _one_thread():
        summed: np.ndarray = weights @ statistics
        return summed


def find_norms(*vectors: np.ndarray) -> tuple[float, ...]:
    """Return Euclidean norms, each summed up by one thread: two would each add up a half, with other last digits."""
    with nullcontext() if _are_held else _one_thread():
        return tuple(float(np.linalg.norm(one)) for one in vectors)


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Let products take one thread each while this is held; those of several threads then do not wait for each other.

    How many threads a product may take is one number for the whole process, which only the thread that has set it can
    put back. So a thread that lets others multiply holds this for them.
    """
    global _are_held
    with _one_thread():
        _are_held = True
        try:
            yield
        finally:
            _are_held = False


@contextmanager
def _one_thread() -> Iterator[None]:
    with _ALONE, _threaded_libraries().limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _threaded_libraries() -> ThreadpoolController:
    """Look once for the library that numpy multiplies with: it is loaded by now."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


# So many rows are looked at to find columns that may be alike.
_FEW = 200
# So many rows are looked at together.
_TOGETHER = 2**11
#: Libraries multiply matrices of so many columns, or a multiple of it, up to twice as fast as others.
FASTEST = 8


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Statistics of outputs side by side, unit by unit: some units at a time, because all of them may take gigabytes.

    Parameters
    ----------
    outputs : sequence of (n_units, n_statistics) ndarray
    less : sequence of (n_units, n_statistics) ndarray, optional
        What is taken from each of them.
    """

    outputs: Sequence[np.ndarray]
    less: Sequence[np.ndarray] = ()

    def __len__(self) -> int:
        return len(self.outputs[0])

    @property
    def n_columns(self) -> int:
        """Number of statistics of all outputs."""
        return sum(one.shape[1] for one in self.outputs)

    @property
    def dtype(self) -> np.dtype:
        """The type that holds the statistics of all outputs."""
        return np.result_type(*self.outputs, *self.less)

    def __getitem__(self, units: slice) -> np.ndarray:
        """Return the statistics of some units, (n, n_columns) ndarray of float64: counts are far below 2**53."""
        some = [one[units] for one in self.outputs]
        if self.less:
            some = [one.astype(np.float64) - other[units] for one, other in zip(some, self.less, strict=True)]
        return np.concatenate(some, axis=1, dtype=np.float64)

    def sum(self) -> np.ndarray:
        """Add up the statistics of all units, one after another, (n_columns,) ndarray."""
        total = np.zeros(self.n_columns)
        for some in _parts_of(self):
            some[0] += total
            total = some.sum(axis=0)
        return total

    def find_largest(self) -> float:
        """Return the largest absolute statistic of a unit."""
        return float(max((np.abs(some).max(initial=0) for some in _parts_of(self)), default=0))

    def find_largest_sum(self) -> float:
        """Return the largest sum of absolute statistics over all units."""
        sums = [np.abs(some).sum(axis=0) for some in _parts_of(self)]
        return float(np.sum(sums, axis=0).max(initial=0))


def is_whole(numbers: np.ndarray | SideBySide) -> bool:
    """Tell whether all numbers are whole, so that their sums are exact."""
    if np.issubdtype(numbers.dtype, np.integer):
        return True
    return all(bool((some == np.rint(some)).all()) for some in _parts_of(numbers))


def _parts_of(rows: np.ndarray | SideBySide) -> Iterator[np.ndarray]:
    """Split rows into parts that stay in the processor's cache."""
    return (rows[first : first + count] for first, count in split_rows(len(rows), _TOGETHER))


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
    def of(cls, columns: SideBySide) -> DistinctColumns | None:
        """Find them; None where nothing would be saved, or where sums of these numbers are not exact.

        Parameters
        ----------
        columns : SideBySide
        """
        few = columns[:_FEW]
        if not len(few) or not is_whole(few):
            return None
        # Few rows tell which columns may be alike; all rows, whether they are.
        some = np.ascontiguousarray((few - few[0]).T)
        first: dict[bytes, int] = {}
        alike = np.array([first.setdefault(one.tobytes(), column) for column, one in enumerate(some)])
        offsets = few[0] - few[0, alike]
        further = np.flatnonzero(alike != np.arange(len(alike)))
        for rows in _parts_of(columns):
            unlike = further[(rows[:, further] != rows[:, alike[further]] + offsets[further]).any(axis=0)]
            alike[unlike], offsets[unlike] = unlike, 0
        kept, places = np.unique(alike, return_inverse=True)
        if len(kept) + 1 >= len(alike) or not is_whole(columns):
            return None
        return cls(kept, places, offsets)

    def expand(self, sums: np.ndarray, columns: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the sums of columns that were not summed, too.

        Parameters
        ----------
        sums : (n_summed, n) ndarray of float64
            Of the columns of `lay_out`.
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


def lay_out(columns: SideBySide, distinct: DistinctColumns | None, dtype: type) -> np.ndarray:
    """Return the columns that are summed, in one array.

    Parameters
    ----------
    columns : SideBySide
    distinct : DistinctColumns or None
        None: all columns are summed. Otherwise those that it keeps, one that counts the units, and empty ones.
    dtype : {float32, float64}

    Returns
    -------
    (n_units, n_summed) ndarray of `dtype`
    """
    kept = np.arange(columns.n_columns) if distinct is None else distinct.kept
    n_further = 0 if distinct is None else FASTEST - len(kept) % FASTEST
    summed: np.ndarray = np.zeros((len(columns), len(kept) + n_further), dtype)
    for first, count in split_rows(len(columns), _TOGETHER):
        units = slice(first, first + count)
        summed[units, : len(kept)] = columns[units][:, kept]
    if distinct is not None:
        summed[:, len(kept)] = 1
    return summed
