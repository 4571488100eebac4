"""Every row of the table of bad input has the outcome that is wanted, with its whole sentence."""

import pytest

from .cases import find_failure
from .rows import ADDED, CASES, DIFFERENT, NOT_TRIED, ROWS


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=f"{case.row} {case.what}", marks=[pytest.mark.slow] if case.slow else []) for case in CASES],
)
def test_a_case_ends_as_wanted(case, tmp_path):
    if not case.can_run:
        pytest.skip(case.lacking)
    assert find_failure(case, tmp_path) == ""


def test_whatever_is_read_is_looked_at():
    assert [case for case in CASES if not case.error and case.holds is None] == []


def test_there_is_a_case_of_every_row():
    assert list(ROWS) == [f"B{number:02}" for number in range(1, 76)]
    assert set(DIFFERENT) | set(NOT_TRIED) | set(ADDED) <= set(ROWS)


def test_cases_have_names_of_their_own():
    assert len({(case.row, case.what) for case in CASES}) == len(CASES)
