"""Thousands of damaged files end in a frame or in an InputError: never in another exception, nor in a hang."""

import pytest

from mtworkbench.errors import InputError

from .fuzz import LOADERS, PLAIN, Loader, foreign_outcomes, fuzz

CASES = 150


def loaders(*marks):
    return pytest.mark.parametrize("loader", [pytest.param(one, id=one.name, marks=marks) for one in LOADERS])


def run(loader, n_cases, seed):
    if not loader.can_run:
        pytest.skip(f"needs {loader.needs}")
    outcomes = fuzz(loader, n_cases, seed=seed)
    assert foreign_outcomes(outcomes) == []
    assert outcomes.total() == n_cases
    return outcomes


@loaders()
def test_a_damaged_file_is_read_or_refused(loader):
    outcomes = run(loader, CASES, seed=1)
    assert outcomes["read"] and len(outcomes) >= 2  # some are read, some are refused


@loaders(pytest.mark.slow)
@pytest.mark.timeout(3600)
def test_forty_times_as_many(loader):
    run(loader, 40 * CASES, seed=2)


def test_the_same_seed_makes_the_same_cases():
    assert fuzz(LOADERS[0], 20, seed=5) == fuzz(LOADERS[0], 20, seed=5)


def test_what_must_not_happen_is_counted():
    def read(path, accept):
        if b"\xff" in path.read_bytes():
            raise InputError("x", "A sentence\x1b.")
        raise ZeroDivisionError("boo")

    outcomes = fuzz(Loader("x", "x", read, (PLAIN, b"\xff")), 20, seed=1)
    assert "! ZeroDivisionError: boo" in foreign_outcomes(outcomes)
    assert len(foreign_outcomes(outcomes)) == len(outcomes)
