"""Weighted sums are products, each in one thread."""

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


def count_threads():
    return {one["num_threads"] for one in ThreadpoolController().info() if one["user_api"] == "blas"}


def test_sums_in_two_threads_take_one_thread_each_and_the_last_puts_back_how_many_there_were():
    first, second = (np.ones((3, 2)).view(Interleaved) for _ in range(2))
    second_is_within, first_has_ended, summed, counted = Event(), Event(), [], []

    def let_second_begin():
        summed.append(pool.submit(sum_weighted, np.eye(3), second))
        second_is_within.wait()
        counted.append(count_threads())

    def let_first_end():
        second_is_within.set()
        first_has_ended.wait()
        counted.append(count_threads())

    first.before, second.before = let_second_begin, let_first_end
    with ThreadpoolController().limit(limits=2, user_api="blas"), ThreadPoolExecutor(1) as pool:
        before = count_threads()
        sums = sum_weighted(np.eye(3), first)
        first_has_ended.set()
        assert np.array_equal(sums, summed[0].result())
        assert counted == [{1}, {1}]
        assert count_threads() == before
    assert before != {1}
