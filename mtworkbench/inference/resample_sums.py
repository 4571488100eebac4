"""Sums of statistics over bootstrap resamples: what the scores of resamples are computed from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mtworkbench.compiled import load_kernels
from mtworkbench.inference.units import Units
from mtworkbench.resampling import RESAMPLES, RngLike, batches, resolve_rng

# With more columns, or more numbers in all of them, counts and a matrix product are faster.
MOST_COLUMNS, MOST_NUMBERS = 32, 2**16


def sum_resamples(
    units: Units, columns: np.ndarray, n_resamples: int, rng: RngLike, *, dtype: type
) -> Iterator[np.ndarray]:
    """Draw bootstrap resamples, and sum columns over each of them, in batches.

    There are two ways, and sums of whole numbers are the same in both to the last bit. One counts how often each unit
    occurs, and multiplies. The other, for few columns of whole numbers, adds the rows of the units drawn.

    Parameters
    ----------
    units : Units
    columns : (n_units, n_columns) ndarray of float64
        Of the units that are `drawn`.
    n_resamples : int
    rng : int, numpy.random.Generator, RandomKey or None
    dtype : {float32, float64}
        Of the product. float32 says that the columns are whole numbers whose sums are exact in it.

    Yields
    ------
    (n_columns, n_batch) ndarray
    """
    plain = units.stratum_of_unit is None and units.block_length is None
    few = columns.shape[1] <= MOST_COLUMNS and columns.size <= MOST_NUMBERS
    # The time that kernels save (`saves`) is added up where units are counted.
    kernels = load_kernels("draws", saves=0) if plain and few and dtype is np.float32 else None
    if kernels is None:
        typed: np.ndarray = columns.astype(dtype, copy=False)
        for counts in units.draw(n_resamples, rng, dtype=dtype):
            sums = (counts @ typed).T
            del counts  # before the next batch is drawn
            yield sums
        return
    columns = np.ascontiguousarray(columns)  # because numba compiles for each order of memory anew
    key, drawn = np.uint64(resolve_rng(rng).stream(RESAMPLES)), np.empty((len(columns) + 1) // 2, np.uint64)
    for first, count in batches(n_resamples, max(columns.shape)):
        sums = np.empty((columns.shape[1], count))
        kernels.sum_units(key, first, columns, sums, drawn)
        yield sums
