"""Weighted sums are products, each in one thread."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from mtworkbench.inference import weighted_sums
from mtworkbench.inference.weighted_sums import _threaded_libraries, find_norms, one_thread_each, sum_weighted


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
    return {one["num_threads"] for one in _threaded_libraries().info() if one["user_api"] == "blas"}


def test_sums_in_two_threads_take_one_thread_each_and_wait_for_nobody():
    meeting, counted = Barrier(2), []

    def meet():
        meeting.wait(60)
        counted.append(count_threads())

    def multiply(_):
        ones = np.ones((3, 2)).view(Interleaved)
        ones.before = meet
        return sum_weighted(np.eye(3), ones).tolist()

    with _threaded_libraries().limit(limits=2, user_api="blas"), ThreadPoolExecutor(2) as pool:
        before = count_threads()
        with one_thread_each():
            assert list(pool.map(multiply, range(2))) == [np.ones((3, 2)).tolist()] * 2
        assert counted == [{1}, {1}]
        assert count_threads() == before
    assert before != {1}


def test_alone_a_sum_takes_one_thread_and_puts_back_how_many_there_were():
    counted, ones = [], np.ones((3, 2)).view(Interleaved)
    ones.before = lambda: counted.append(count_threads())
    with _threaded_libraries().limit(limits=2, user_api="blas"):
        sum_weighted(np.eye(3), ones)
        assert counted == [{1}]
        assert count_threads() != {1}


def test_two_threads_that_nobody_holds_together_do_not_sum_at_once():
    """The second would find one thread for its product, and put that back after the first has ended."""
    first, second = (np.ones((3, 2)).view(Interleaved) for _ in range(2))
    summed, held = [], []
    first.before = lambda: held.append(weighted_sums._ALONE.locked())
    second.before = lambda: held.append(weighted_sums._ALONE.locked())
    with ThreadPoolExecutor(2) as pool:
        summed = list(pool.map(lambda one: sum_weighted(np.eye(3), one).tolist(), (first, second)))
    assert held == [True, True]
    assert summed == [np.ones((3, 2)).tolist()] * 2


def test_norms_are_those_of_one_thread_whatever_the_number_of_threads():
    vectors = np.random.default_rng(1).normal(size=(40, 20_001))
    with _threaded_libraries().limit(limits=1, user_api="blas"):
        expected = [float(np.linalg.norm(one)) for one in vectors]
    with _threaded_libraries().limit(limits=2, user_api="blas"):
        assert list(find_norms(*vectors)) == expected
