"""Draws of resamples, compiled; the plain functions are `bootstrap_indices` and `count_draws` in `resampling`."""

import numpy as np
from numba import uint64

from mtworkbench.compiled.kernel import kernel


@kernel
def count_units(key: int, first: int, counts: np.ndarray, drawn: np.ndarray) -> None:
    """Count how often each unit occurs in the resamples that follow one another from `first` on.

    Units are drawn for a whole resample before they are counted: the first loop has no branch and no look-up, so that
    it works on several words at a time.

    Parameters
    ----------
    key : uint64
    first : int
        Number of the first resample, from 0.
    counts : (n_resamples, n_units) ndarray
        Receives the counts.
    drawn : (2, (n_units + 1) // 2) ndarray of uint16 or uint32
        Receives the units of one resample: those that the lower halves of the words draw, and the upper halves.
    """
    gamma, low_half, half = uint64(0x9E3779B97F4A7C15), uint64(0xFFFFFFFF), uint64(32)
    n_resamples, n_units = counts.shape
    bound = uint64(n_units)
    n_words, n_pairs = drawn.shape[1], n_units // 2
    lower, upper = drawn[0], drawn[1]
    state = uint64(key) + uint64(first) * uint64(n_words) * gamma
    for resample in range(n_resamples):
        for number in range(n_words):
            # The SplitMix64 word of a state (docs/draws.md).
            word = state + uint64(number + 1) * gamma
            word = (word ^ (word >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
            word = (word ^ (word >> uint64(27))) * uint64(0x94D049BB133111EB)
            word = word ^ (word >> uint64(31))
            lower[number] = ((word & low_half) * bound) >> half
            upper[number] = ((word >> half) * bound) >> half
        state += uint64(n_words) * gamma
        row = counts[resample]
        row[:] = 0
        for number in range(n_pairs):
            row[lower[number]] += 1
            row[upper[number]] += 1
        if n_units % 2:
            row[lower[n_pairs]] += 1
