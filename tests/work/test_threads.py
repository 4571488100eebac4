"""Parts of a work are computed at the same time, where that is allowed, and their order is kept."""

import os
from contextlib import contextmanager
from threading import Barrier, get_ident

import pytest

from mtworkbench.work import threads
from mtworkbench.work.threads import compute_parts, count_threads


def test_parts_are_computed_at_the_same_time_in_their_order(monkeypatch):
    monkeypatch.setattr(threads, "count_threads", lambda: 2)
    meeting = Barrier(2)  # whoever computes waits for another who does

    def compute(part):
        meeting.wait(60)
        return part, get_ident()

    found = compute_parts(compute, range(6))
    assert [part for part, _ in found] == list(range(6))
    assert len({thread for _, thread in found}) == 2


@pytest.mark.parametrize(("n_threads", "parts"), [(1, [1, 2, 3]), (4, [1]), (4, [])])
def test_one_thread_or_one_part_is_computed_here(monkeypatch, n_threads, parts):
    monkeypatch.setattr(threads, "count_threads", lambda: n_threads)
    assert compute_parts(lambda part: (part, get_ident()), parts) == [(part, get_ident()) for part in parts]


def test_an_error_in_a_part_is_the_error(monkeypatch):
    monkeypatch.setattr(threads, "count_threads", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        compute_parts(lambda part: 1 / part, [1, 0, 2])


@pytest.mark.parametrize(
    ("allowed", "cores", "expected"),
    [
        (None, 3, 3),
        ("2", 3, 2),
        ("8", 3, 3),
        ("0", 3, 1),
        (" 2 ", 3, 2),
        ("2,1", 3, 2),
        ("", 3, 3),
        (None, 64, threads.MOST_THREADS),
    ],
)
def test_there_are_as_many_threads_as_cores_unless_fewer_are_allowed(monkeypatch, allowed, cores, expected):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(cores)), raising=False)
    monkeypatch.delenv(threads.VARIABLE, raising=False)
    if allowed is not None:
        monkeypatch.setenv(threads.VARIABLE, allowed)
    assert count_threads() == expected


def test_where_no_thread_can_be_started_parts_are_computed_here(monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads, "count_threads", lambda: 2)
    monkeypatch.setattr("threading.Thread.start", refuse)
    assert compute_parts(lambda part: (part, get_ident()), [1, 2, 3]) == [(part, get_ident()) for part in (1, 2, 3)]


def test_an_error_of_a_part_is_not_taken_for_a_thread_that_cannot_be_started(monkeypatch):
    def fail(part):
        raise RuntimeError(f"part {part}")

    monkeypatch.setattr(threads, "count_threads", lambda: 2)
    with pytest.raises(RuntimeError, match="part 1"):
        compute_parts(fail, [1, 2, 3])


def test_what_several_threads_compute_together_is_held_until_it_is_handed_on(monkeypatch):
    held = []

    @contextmanager
    def together():
        held.append(True)
        yield
        held.pop()

    monkeypatch.setattr(threads, "count_threads", lambda: 2)
    found = threads.yield_parts(lambda part: (part, len(held)), range(40), together)
    assert [(*one, len(held)) for one in found] == [(part, 1, 0) for part in range(40)]
