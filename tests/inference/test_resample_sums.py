"""Sums over resamples are the same in both ways; rows are added only where this is exact, and faster."""

import numpy as np
import pytest

from mtworkbench import compiled, resampling
from mtworkbench.inference.units import MOST_COLUMNS, Units, sum_resamples
from mtworkbench.resampling import bootstrap_weights

N_UNITS = 45
SEGMENTS = Units("segment", N_UNITS, np.arange(N_UNITS))
STRATIFIED = Units("segment", N_UNITS, np.arange(N_UNITS), "domain", np.arange(N_UNITS) % 4)
BLOCKS = Units("block of 5", N_UNITS // 5, np.arange(N_UNITS) // 5, block_length=5)


@pytest.fixture
def count_added(use_kernels, monkeypatch):
    """Return a function that sums over resamples compiled, and the number of batches whose rows were added."""
    draws = pytest.importorskip("mtworkbench.compiled.draws")

    def turn_on(units, columns, n_resamples=50, *, dtype=np.float32):
        use_kernels(on=True)
        assert compiled.load_kernels("draws", saves=0) is draws
        calls = []

        def watch(*arguments):
            calls.append(arguments)
            sum_units(*arguments)

        sum_units = draws.sum_units
        with monkeypatch.context() as patched:
            patched.setattr(draws, "sum_units", watch)
            found = list(sum_resamples(units, columns, n_resamples, 8, dtype=dtype))
        return np.concatenate(found, axis=1), len(calls)

    return turn_on


def sum_by_counts(use_kernels, units, columns, n_resamples=50, *, dtype=np.float32):
    use_kernels(on=False)
    return np.concatenate(list(sum_resamples(units, columns, n_resamples, 8, dtype=dtype)), axis=1)


@pytest.mark.parametrize("n_columns", [1, 8, 20, MOST_COLUMNS])
def test_added_rows_give_the_sums_of_counts(use_kernels, count_added, n_columns):
    columns = np.random.default_rng(1).integers(-50, 90, (N_UNITS, n_columns)).astype(np.float64)
    added, n_added = count_added(SEGMENTS, columns)
    assert n_added == 1
    assert np.array_equal(added, sum_by_counts(use_kernels, SEGMENTS, columns))
    assert np.array_equal(added, (np.concatenate(list(bootstrap_weights(N_UNITS, 50, rng=8))) @ columns).T)


def test_a_sum_of_zeros_is_never_negative_zero(use_kernels, count_added):
    columns = np.zeros((N_UNITS, 3))
    columns[:, 0] = columns[0, 1] = -0.0
    columns[0, 2] = 1
    added, n_added = count_added(SEGMENTS, columns)
    assert n_added == 1
    assert not np.signbit(added).any()
    assert not np.signbit(sum_by_counts(use_kernels, SEGMENTS, columns)).any()


def test_columns_in_any_order_of_memory_are_compiled_for_once(count_added):
    columns = np.random.default_rng(1).integers(0, 90, (N_UNITS, 3)).astype(np.float64)
    expected, _ = count_added(SEGMENTS, columns)
    n_compiled = len(compiled.load_kernels("draws", saves=0).sum_units.signatures)
    for other in (np.asfortranarray(columns), columns.repeat(2, axis=1)[:, ::2]):
        added, n_added = count_added(SEGMENTS, other)
        assert n_added == 1
        assert np.array_equal(added, expected)
    assert len(compiled.load_kernels("draws", saves=0).sum_units.signatures) == n_compiled


def test_batches_of_added_rows_follow_one_another(use_kernels, count_added, monkeypatch):
    columns = np.random.default_rng(1).integers(0, 90, (N_UNITS, 10)).astype(np.float64)
    whole, _ = count_added(SEGMENTS, columns)
    monkeypatch.setattr(resampling, "BATCH_CELLS", 7 * N_UNITS)
    parts, n_added = count_added(SEGMENTS, columns)
    assert n_added == 8
    assert np.array_equal(parts, whole)


@pytest.mark.parametrize("units", [STRATIFIED, BLOCKS], ids=["strata", "blocks"])
def test_units_within_strata_and_blocks_are_counted(use_kernels, count_added, units):
    columns = np.random.default_rng(1).integers(0, 90, (N_UNITS, 10)).astype(np.float64)
    found, n_added = count_added(units, columns)
    assert n_added == 0
    assert np.array_equal(found, sum_by_counts(use_kernels, units, columns))


@pytest.mark.parametrize("values", [np.full(N_UNITS, 0.5), np.full(N_UNITS, 2.0**40), np.full(N_UNITS, np.nan)])
def test_what_is_not_exact_in_single_precision_is_counted(use_kernels, count_added, values):
    columns = np.stack([np.arange(N_UNITS) % 3, values], axis=1)
    found, n_added = count_added(SEGMENTS, columns, dtype=np.float64)
    assert n_added == 0
    assert found.dtype == np.float64
    assert np.array_equal(found, sum_by_counts(use_kernels, SEGMENTS, columns, dtype=np.float64), equal_nan=True)


@pytest.mark.parametrize("shape", [(N_UNITS, 33), (4097, 16)])
def test_many_columns_and_many_units_are_counted(use_kernels, count_added, shape):
    columns = np.ones(shape)
    columns[0] = 0
    units = Units("segment", len(columns), np.arange(len(columns)))
    found, n_added = count_added(units, columns, 5)
    assert n_added == 0
    assert np.array_equal(found, sum_by_counts(use_kernels, units, columns, 5))
