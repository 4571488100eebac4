"""Compiled draws are those of docs/draws.md, whatever the number of units and wherever the batch begins."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtworkbench import compiled
from mtworkbench.resampling import bootstrap_counts, bootstrap_indices, count_draws, draw_counts

pytest.importorskip("numba")
draws = pytest.importorskip("mtworkbench.compiled.draws")


def count_compiled(n_units, first, count, key, dtype):
    counts, drawn = np.full((count, n_units), np.nan, dtype), np.empty((n_units + 1) // 2, np.uint64)
    draws.count_units(np.uint64(key), first, counts, drawn)
    return counts


@given(
    n_units=st.integers(1, 70),
    first=st.integers(0, 2**40),
    count=st.integers(1, 9),
    key=st.integers(0, 2**64 - 1),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_counts_are_those_of_the_plain_draws(n_units, first, count, key, dtype):
    counts = count_compiled(n_units, first, count, key, dtype)
    expected = count_draws(partial(bootstrap_indices, n_units), n_units, first, count, key=key)
    assert np.array_equal(counts, expected)
    assert (counts.sum(axis=1) == n_units).all()


@pytest.mark.parametrize("n_units", [2**16 - 1, 2**16, 2**16 + 1, 100_001])
def test_counts_of_many_units(use_kernels, n_units):
    use_kernels(on=True)
    counts = bootstrap_counts(n_units, 3, 2, key=7)
    assert "draws" in compiled._loaded
    assert np.array_equal(counts, count_draws(partial(bootstrap_indices, n_units), n_units, 3, 2, key=7))


@pytest.mark.parametrize("size", [1, 58, None])
def test_resamples_are_the_same_compiled_and_in_any_batches(use_kernels, size):
    use_kernels(on=False)
    plain = np.concatenate(list(draw_counts(17, 301, rng=4)))
    use_kernels(on=True)
    assert np.array_equal(np.concatenate(list(draw_counts(17, 301, size=size, rng=4))), plain)
    assert "draws" in compiled._loaded
