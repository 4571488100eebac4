"""Weighted sums are products, in one thread, one after another."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from mtworkbench.inference import weighted_sums
from mtworkbench.inference.weighted_sums import sum_weighted


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_are_of_the_type_of_the_statistics(dtype):
    weights = np.array([[0, 2, 1], [1, 1, 1]], dtype=np.uint8)
    summed = sum_weighted(weights, np.array([[200, 1], [100, 2], [0, 3]], dtype=dtype))
    assert summed.dtype == dtype
    assert summed.tolist() == [[200, 7], [300, 6]]


def test_where_numpy_multiplies_with_an_unknown_library_the_sums_are_the_same(monkeypatch):
    """Such as Apple's."""
    unknown = ThreadpoolController().select(internal_api="none")
    assert not unknown.lib_controllers
    monkeypatch.setattr(weighted_sums, "_threaded_libraries", lambda: unknown)
    assert sum_weighted(np.eye(2), np.array([3.0, 4.0])).tolist() == [3, 4]


class Interleaved(np.ndarray):
    """Statistics whose product is computed after something else has happened."""

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        self.before()
        return getattr(ufunc, method)(*map(np.asarray, inputs), **options)


def test_two_threads_do_not_sum_at_once():
    """The second would find one thread for its product, and put that back after the first has ended."""
    first, second = (np.ones((3, 2)).view(Interleaved) for _ in range(2))
    begins, is_within, were_within = Event(), Event(), []

    def sum_second():
        begins.set()
        return sum_weighted(np.eye(3), second)

    def let_second_go_on():
        summed.append(pool.submit(sum_second))
        begins.wait()
        were_within.append(any(is_within.is_set() for _ in range(1_000_000)))

    summed = []
    first.before, second.before = let_second_go_on, is_within.set
    with ThreadPoolExecutor(1) as pool:
        assert np.array_equal(sum_weighted(np.eye(3), first), summed[0].result())
    assert is_within.is_set()
    assert were_within == [False]
