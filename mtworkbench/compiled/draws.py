"""Draws of resamples, compiled; the plain functions are `bootstrap_indices` and `count_draws` in `resampling`."""

import numpy as np
from numba import uint64

from mtworkbench.compiled.kernel import kernel


@kernel
def mix(z: np.uint64) -> np.uint64:
    """Return the SplitMix64 word of a state (docs/draws.md)."""
    z = (z ^ (z >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
    return z ^ (z >> uint64(31))


@kernel
def count_units(key: int, first: int, counts: np.ndarray) -> None:
    """Count how often each unit occurs in the resamples that follow one another from `first` on.

    Parameters
    ----------
    key : uint64
    first : int
        Number of the first resample, from 0.
    counts : (n_resamples, n_units) ndarray
        Receives the counts.
    """
    gamma, low_half, half = uint64(0x9E3779B97F4A7C15), uint64(0xFFFFFFFF), uint64(32)
    n_resamples, n_units = counts.shape
    bound = uint64(n_units)
    words_each = (n_units + 1) // 2
    state = uint64(key) + uint64(first) * uint64(words_each) * gamma
    for resample in range(n_resamples):
        row = counts[resample]
        row[:] = 0
        for _ in range(n_units // 2):
            state += gamma
            word = mix(state)
            row[((word & low_half) * bound) >> half] += 1
            row[((word >> half) * bound) >> half] += 1
        if n_units % 2:
            state += gamma
            row[((mix(state) & low_half) * bound) >> half] += 1
