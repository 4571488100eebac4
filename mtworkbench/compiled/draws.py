"""Draws of resamples, compiled; the plain functions are `bootstrap_indices` and `count_draws` in `resampling`."""

import numpy as np
from numba import uint64

from mtworkbench.compiled.kernel import kernel


@kernel
def count_units(key: int, first: int, counts: np.ndarray, drawn: np.ndarray) -> None:
    """Count how often each unit occurs in the resamples that follow one another from `first` on.

    Units are drawn for a whole resample before they are counted: the first loop has no branch and no look-up, so that
    it works on several words at a time. Then a product of 32 bits by 32 takes one step, and one of 64 by 64 takes many:
    only the two of SplitMix64 are such products.

    Parameters
    ----------
    key : uint64
    first : int
        Number of the first resample, from 0.
    counts : (n_resamples, n_units) ndarray
        Receives the counts.
    drawn : ((n_units + 1) // 2,) ndarray of uint64
        Receives the units of one resample, two in a number: in its lower half the one that the lower half of the word
        draws, in its upper half the other.
    """
    gamma, low_half, half = uint64(0x9E3779B97F4A7C15), uint64(0xFFFFFFFF), uint64(32)
    n_resamples, n_units = counts.shape
    bound = uint64(n_units) & low_half  # so the compiler knows that it has 32 bits
    n_words, n_pairs = len(drawn), n_units // 2
    state = uint64(key) + uint64(first) * uint64(n_words) * gamma
    for resample in range(n_resamples):
        for number in range(n_words):
            # The SplitMix64 word of a state (docs/draws.md).
            state += gamma
            word = (state ^ (state >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
            word = (word ^ (word >> uint64(27))) * uint64(0x94D049BB133111EB)
            word = word ^ (word >> uint64(31))
            drawn[number] = ((word & low_half) * bound >> half) | ((word >> half) * bound & ~low_half)
        row = counts[resample]
        row[:] = 0
        for number in range(n_pairs):
            both = drawn[number]
            row[both & low_half] += 1
            row[both >> half] += 1
        if n_units % 2:
            row[drawn[n_pairs] & low_half] += 1
