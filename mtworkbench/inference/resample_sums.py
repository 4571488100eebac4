"""Sums of statistics over bootstrap resamples: what scores of resamples are computed from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mtworkbench.compiled import load_kernels
from mtworkbench.inference.score_table import single_if_exact
from mtworkbench.inference.units import Units
from mtworkbench.resampling import RESAMPLES, RngLike, batches, resolve_rng


def sum_resamples(units: Units, columns: np.ndarray, n_resamples: int, rng: RngLike) -> Iterator[np.ndarray]:
    """Draw bootstrap resamples, and sum columns over each of them, in batches.

    Sums of whole numbers are exact, so they are the same to the last bit in either of two ways. The general one counts
    how often each unit occurs, and multiplies. Where columns are few, the rows of the units drawn are added instead.

    Parameters
    ----------
    units : Units
    columns : (n_units, n_columns) ndarray of float64
        Of the units that are `drawn`.
    n_resamples : int
    rng : int, numpy.random.Generator, RandomKey or None

    Yields
    ------
    (n_columns, n_batch) ndarray
    """
    key = resolve_rng(rng)
    plain = units.stratum_of_unit is None and units.block_length is None
    # What kernels would save is added up where units are counted.
    kernels = load_kernels("draws", saves=0) if plain else None
    if kernels is None or not kernels.can_add(columns):
        kind = choose_sum_type(columns)
        typed = columns.astype(kind, copy=False)
        for counts in units.draw(n_resamples, key, dtype=kind):
            sums = (counts @ typed).T
            del counts  # before the next batch is drawn
            yield sums
        return
    stream, drawn = np.uint64(key.stream(RESAMPLES)), np.empty((len(columns) + 1) // 2, np.uint64)
    for first, count in batches(n_resamples, max(columns.shape)):
        sums = np.empty((columns.shape[1], count))
        kernels.sum_units(stream, first, columns, sums, drawn)
        yield sums


def choose_sum_type(columns: np.ndarray) -> type:
    """Return float32 where all sums of as many rows as there are, any of them several times, are exact in it."""
    return single_if_exact(len(columns) * np.abs(columns).max(initial=0), columns)
