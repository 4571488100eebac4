"""A student's answer: right, empty, a misreading by its name, or simply wrong."""

import re

import numpy as np
import pytest

from mtworkbench import check_answer
from mtworkbench.errors import InputError

WRONG = {"one direction is counted": 5, "nothing errs": 0}


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (10, "Right: 10."),
        (np.float64(10.4), "Right: 10."),
        (5, "Not yet: 5 is the answer if one direction is counted."),
        (0.3, "Not yet: 0.3 is the answer if nothing errs."),
        (95, "Not yet: 95 is not what the data say. Count again."),
        (0.1, "Not yet: 0.1 is 100 times too small: is a share or a percentage asked for?"),
        (1000, "Not yet: 1000 is 100 times too large: is a share or a percentage asked for?"),
        (-10, "Not yet: -10 is not what the data say. Count again."),
        (float("nan"), "Not yet: the answer must be one number, but it is nan."),
        (float("inf"), "Not yet: the answer must be one number, but it is inf."),
        (True, "Not yet: the answer must be one number, but it is of type bool."),
        (np.bool_(False), "Not yet: the answer must be one number, but it is of type bool."),
        (10**400, "Not yet: the answer must be one number, but it is of type int."),
        (..., "Not yet: there is no answer. Put a number, or code that counts it, in place of the three dots."),
        (None, "Not yet: the answer must be one number, but it is of type NoneType."),
        ("ten", "Not yet: the answer must be one number, but it is of type str."),
        (np.array([10, 10]), "Not yet: the answer must be one number, but it is of type ndarray."),
    ],
)
def test_answers(answer, sentence):
    assert check_answer(answer, 10, WRONG, within=0.5) == sentence


def test_numbers_that_differ_by_rounding_are_the_same():
    assert check_answer(0.1 + 0.2, 0.3, {}) == "Right: 0.3."
    assert check_answer(0.301, 0.3, {}).startswith("Not yet")


def test_where_nothing_is_right_no_answer_is_a_hundred_times_too_large():
    assert check_answer(40, 0, {}, within=0.5) == "Not yet: 40 is not what the data say. Count again."


def test_an_exercise_that_would_teach_its_misreading_is_refused():
    sentence = (
        "The right answer is 5.8, and so is the answer if one direction is counted (5): choose data on which the two "
        "differ."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        check_answer(5.8, 5.8, WRONG, within=0.5)


def test_large_numbers_are_written_out():
    assert check_answer(123456.4, 123456.4, {}) == "Right: 123,456."
    assert check_answer(12345, 12346, {}) == "Not yet: 12,345 is not what the data say. Count again."


@pytest.mark.parametrize("right", [float("nan"), float("inf"), "10"])
def test_an_exercise_without_a_right_answer_is_refused(right):
    """Else every answer of every student would be wrong."""
    with pytest.raises(InputError, match=r"^The right answer must be a number, but it is (nan|inf|'10'): choose data"):
        check_answer(5, right, WRONG)
