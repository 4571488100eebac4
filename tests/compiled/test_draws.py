"""Compiled draws, and sums over them, are those of docs/draws.md, wherever the batch begins."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtworkbench import compiled
from mtworkbench.resampling import bootstrap_counts, bootstrap_indices, choose_counter, count_draws, split_rows

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


@pytest.mark.parametrize("size", [1, 58, 301])
def test_resamples_are_the_same_compiled_and_in_any_batches(use_kernels, size):
    use_kernels(on=False)
    plain = choose_counter(17, rng=4)(0, 301)
    use_kernels(on=True)
    count_batch = choose_counter(17, rng=4)
    assert np.array_equal(np.concatenate([count_batch(*batch) for batch in split_rows(301, size)]), plain)
    assert "draws" in compiled._loaded


def sum_compiled(columns, first, count, key):
    n_units, n_columns = columns.shape
    sums = np.full((n_columns, count), np.nan)
    draws.sum_units(np.uint64(key), first, columns, sums, np.empty((n_units + 1) // 2, np.uint64))
    return sums


def sum_plainly(columns, first, count, key):
    counts = count_draws(partial(bootstrap_indices, len(columns)), len(columns), first, count, key=key)
    return (counts @ columns).T


@given(
    n_units=st.integers(1, 70),
    n_columns=st.integers(1, 41),
    first=st.integers(0, 2**40),
    count=st.integers(1, 9),
    key=st.integers(0, 2**64 - 1),
    seed=st.integers(0, 99),
)
def test_sums_are_those_of_counts(n_units, n_columns, first, count, key, seed):
    numbers = np.random.default_rng(seed)
    columns = numbers.integers(-1000, 1000, (n_units, n_columns)).astype(np.float64)
    columns[:, numbers.random(n_columns) < 0.3] = -7  # columns that do not vary are not added
    sums = sum_compiled(columns, first, count, key)
    assert np.array_equal(sums, sum_plainly(columns, first, count, key))


@pytest.mark.parametrize("n_columns", [1, 7, 8, 9, 15, 16, 17, 24, 25, 32, 33])
def test_sums_of_as_many_columns_as_a_vector_has_numbers(n_columns):
    columns = np.arange(31.0 * n_columns).reshape(31, n_columns) - 99
    assert np.array_equal(sum_compiled(columns, 5, 3, key=1), sum_plainly(columns, 5, 3, key=1))


@pytest.mark.parametrize("n_units", [2, 3])
def test_sums_up_to_the_largest_that_32_bits_hold(n_units):
    """Some of these resamples have one unit only, again and again."""
    largest = (2**31 - 1) // n_units
    columns = np.zeros((n_units, 2))
    columns[0] = largest, -largest
    sums = sum_compiled(columns, 0, 200, key=3)
    assert sums.max() == n_units * largest
    assert sums.min() == -n_units * largest
    assert np.array_equal(sums, sum_plainly(columns, 0, 200, key=3))
