"""A student's answer: right, empty, a misreading by its name, or simply wrong."""

import re

import numpy as np
import pandas as pd
import pytest

from mtworkbench import check_answer
from mtworkbench.errors import InputError

WRONG = {"one direction is counted": 5, "nothing errs": 0}


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (10, "Right: 10."),
        (np.float64(10.4), "Right: 10.4 is close enough to 10."),
        (5, "Not yet: 5 is the answer if one direction is counted."),
        (0.3, "Not yet: 0.3 is the answer if nothing errs."),
        (93, "Not yet: 93 is not what the data say. Count again."),
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
        ("", "Not yet: the answer must be one number, but it is of type str."),
        (90, "Not yet: 90 is the share of the other cases: which ones does the question ask for?"),
        (0.9, "Not yet: 0.9 is the share of the other cases: which ones does the question ask for?"),
        (np.array(10), "Right: 10."),
        (np.array([10.0]), "Right: 10."),
        (np.int64(5), "Not yet: 5 is the answer if one direction is counted."),
        (pd.Series([10.0]), "Right: 10."),
        (
            np.array([10, 10]),
            "Not yet: the answer must be one number, but it is a list of 2 values: answer.mean() is their mean; to "
            "count, compare them with a number first.",
        ),
        (
            pd.Series([True, False]),
            "Not yet: the answer must be one number, but it is a list of 2 values: 100 * answer.mean() is the "
            "percentage that are True.",
        ),
        (
            pd.DataFrame({"a": ["x", "y"], "correct": [True, False]}),
            "Not yet: the answer must be one number, but it is a table with 2 rows: take one of its columns, and count "
            "in it.",
        ),
        ([10], "Right: 10."),
        (
            [True],
            "Not yet: the answer must be one number, but it is a list of 1 value: 100 * sum(answer) / len(answer) is "
            "the percentage that are True.",
        ),
        ([], "Not yet: the answer must be one number, but it is an empty list: nothing was kept."),
        (
            pd.Series([], dtype=bool),
            "Not yet: the answer must be one number, but it is an empty list: nothing was kept.",
        ),
        (
            pd.DataFrame({"a": ["x"], "b": ["y"]}),
            "Not yet: the answer must be one number, but it is a table with 1 row: "
            "take one of its columns, and count in it.",
        ),
        (0.05, "Not yet: 0.05 is, as a share, the answer if one direction is counted."),
        (
            [True, False],
            "Not yet: the answer must be one number, but it is a list of 2 values: 100 * sum(answer) / len(answer) is "
            "the percentage that are True.",
        ),
        (
            ["first", [2, 3], None],
            "Not yet: the answer must be one number, but it is a list of 3 values: count in it, or take one of them.",
        ),
        (
            pd.DataFrame({"a": ["x", "y"]}),
            "Not yet: the answer must be one number, but it is a table with 2 rows: take one of its columns, and count "
            "in it.",
        ),
    ],
)
def test_answers(answer, sentence):
    assert check_answer(answer, 10, WRONG, within=0.5) == sentence


@pytest.mark.parametrize("answer", ["68.75", "68,75", "68.75 %", "68,75%", " 68.75 ", "+68.75", [68.75], ("68,75",)])
def test_a_number_may_be_written_as_text(answer):
    assert check_answer(answer, 68.75, {}) == "Right: 68.75."


def test_a_true_minus_sign_is_read():
    assert check_answer("−0,5", -0.5, {}) == "Right: -0.5."


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (pd.DataFrame({"a": ["x"], "b": ["y"]}), "a table with 1 row: take one of its columns, and count in it."),
        (pd.Series(dtype=float), "an empty list: nothing was kept."),
    ],
)
def test_what_has_one_row_or_none_is_named(answer, what):
    assert check_answer(answer, 10, WRONG) == f"Not yet: the answer must be one number, but it is {what}"


@pytest.mark.parametrize("answer", [0.6875, "0.6875", "0,6875", ".6875"])
def test_a_share_is_no_percentage(answer):
    sentence = "Not yet: 0.6875 is 100 times too small: is a share or a percentage asked for?"
    assert check_answer(answer, 68.75, {}) == sentence


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("13.1 %", "Right: 0.131."),
        ("0.131 %", "Right: 0.131."),
        ("6.5 %", "Not yet: 0.065 is the answer if one direction is counted."),
        (13.1, "Not yet: 13.1 is 100 times too large: is a share or a percentage asked for?"),
    ],
)
def test_a_share_may_be_written_in_percent(answer, sentence):
    assert check_answer(answer, 0.131, {"one direction is counted": 0.065}, within=0.001) == sentence


@pytest.mark.parametrize(
    ("answer", "right", "sentence"),
    [
        (4, 200 / 7, "is a count: divide it by the number of cases, 14."),
        (400, 200 / 7, "is 100 times a count: divide it by the number of cases, 14."),
        (4, 2 / 7, "is a count: divide it by the number of cases, 14."),
        (3, 200 / 7, "is not what the data say. Count again."),
        (2857, 200 / 7, "is 100 times too large: is a share or a percentage asked for?"),
    ],
)
def test_a_count_is_recognized_if_the_number_of_cases_is_known(answer, right, sentence):
    assert check_answer(answer, right, {}, within=0.01 * right, n_cases=14).endswith(f" {sentence}")
    assert "count:" not in check_answer(answer, right, {}, within=0.01 * right)


@pytest.mark.parametrize(("answer", "right"), [(724 / 1999, 0.3654), (72_400 / 1999, 36.54)])
def test_a_p_without_the_observed_outcome_is_close_but_lacks_a_case(answer, right):
    options = {"within": 0.1 * right, "n_cases": 2000}
    said = check_answer(answer, right, {}, **options)
    assert said.endswith(
        "is a count divided by 1,999, but there are 2,000 cases: one is missing (of a permutation test the observed "
        "outcome: add 1 to both)."
    )
    assert said.startswith("Not yet: 0.3622 is" if right < 1 else "Not yet: 36.22 is")
    of_all = answer * 1999 / 724 * 725 / 2000
    for close in (of_all, float(f"{of_all:.4f}"), 0.36 * right / 0.3654):
        assert check_answer(close, right, {}, **options).startswith("Right: ")
    assert check_answer(answer, right, {}, within=0.1 * right).startswith("Right: ")


def test_a_number_that_is_exactly_a_misreading_is_not_100_times_too_small():
    words = "both sides get the same rows"
    assert check_answer(0.001, 0.1, {words: 0.001}, within=0.02) == f"Not yet: 0.001 is the answer if {words}."
    assert "100 times too small" in check_answer(0.0011, 0.1, {words: 0.001}, within=0.02)


def test_python_takes_a_comma_for_two_numbers():
    sentence = "Not yet: Python reads 68,75 as two numbers: write 68.75, with a point."
    assert check_answer((68, 75), 68.75, {}) == sentence


def test_the_share_of_the_others_gives_way_to_a_misreading_that_is_nearer():
    others = "is the share of the other cases: which ones does the question ask for?"
    assert check_answer(31.2, 68.75, {"half": 31.0}, within=0.5).endswith(others)
    assert check_answer(31.0, 68.75, {"half": 31.0}, within=0.5).endswith("is the answer if half.")
    assert check_answer(31.25, 68.75, {"half": 31.25}).endswith("is the answer if half.")
    assert check_answer(0.89, 0.11, {}, within=0.01).endswith(others)
    assert check_answer(-20, 120, {}).endswith("Count again.")


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


def test_where_a_share_is_asked_for_a_list_of_answers_yields_a_share():
    said = check_answer(np.array([True, False]), 0.4, {})
    assert said.endswith("it is a list of 2 values: answer.mean() is the share that are True.")
