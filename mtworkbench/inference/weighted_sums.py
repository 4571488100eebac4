"""Sums of statistics over resamples and exchanges, each a product of weights and statistics."""

from __future__ import annotations

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
