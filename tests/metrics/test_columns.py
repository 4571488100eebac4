"""Columns of outputs as metrics: what is a number, and what is said of a column that holds something else."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import compare
from mtworkbench.inference.randomization import approximate_randomization
from mtworkbench.metrics import MeanScore
from mtworkbench.metrics.columns import score_columns
from mtworkbench.outputs.scores.add import add_scores
from mtworkbench.outputs.sgml import read_sgml, write_sgml
from mtworkbench.outputs.table import read_table
from mtworkbench.statistics.segment_statistics import compute_statistics

REFERENCES = [["the cat", "a dog", "it"]]


@pytest.fixture
def outputs(make_outputs):
    return make_outputs({"a": ["a cat", "a dog", "it"], "b": ["the cat", "dog", "he"]}, REFERENCES)


def means(outputs, metric):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # nothing says whether higher is better
        return {name: scores.item() for name, scores in compute_statistics(outputs, metric).score().items()}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([True, False, False, True, True, False], {"a": 1 / 3, "b": 2 / 3}),
        (pd.array([True, None, False, True, True, None], dtype="boolean"), {"a": 1 / 2, "b": 1}),
        (np.array([True, None, False, True, True, None], dtype=object), {"a": 1 / 2, "b": 1}),
        ([Decimal("0.5"), Decimal("0.25"), None, Decimal(1), Decimal(2), Decimal(3)], {"a": 0.375, "b": 2}),
        (pd.array([1, None, 3, 4, 5, 6], dtype="Int64"), {"a": 2, "b": 5}),
    ],
)
def test_truth_values_and_decimal_numbers_are_numbers(outputs, values, expected):
    outputs["right"] = values
    assert score_columns(outputs) == ["right"]
    for metric in ("right", "mean:column=right", MeanScore("right")):
        assert means(outputs, metric) == pytest.approx(expected, abs=1e-15)


def test_tables_take_decimal_numbers(outputs):
    values = [Decimal("0.5"), None, Decimal("2"), 1, 2.5, True]
    assert read_table(outputs.assign(score=pd.Series(values, dtype=object)))["score"].tolist()[2:] == [2, 1, 2.5, 1]
    with pytest.raises(InputError, match=r"Decimal\('Infinity'\) cannot be taken for a number \(it is not finite\)"):
        read_table(outputs.assign(score=pd.Series([*values[:5], Decimal("inf")], dtype=object)))


def test_numbers_that_are_too_large_to_compute_with_are_no_scores(outputs):
    large = [1e30, -1e30, 0, 3e29, 0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        compared = compare(compute_statistics(read_table(outputs.assign(score=large)), "score"), rng=1, n_trials=100)
    assert [abs(pair.difference) for pair in compared.metrics["score"].comparisons] == [pytest.approx(1e29)]
    for number in (1.01e30, -1e200):
        with pytest.raises(InputError, match=r"cannot be taken for a number \(it is too large for a number\)"):
            read_table(outputs.assign(score=[number, *large[1:]]))


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            ["1.5", "2", None, "3", "4", "5"],
            "Column 'rating' holds numbers as text, such as '1.5', but a column of scores must hold numbers: convert "
            "them, as in outputs['rating'] = pd.to_numeric(outputs['rating']).",
        ),
        (
            ["True", "False"] * 3,
            "Column 'rating' holds text, such as 'True', but a column of scores must hold numbers: give it numbers, "
            "such as 1 and 0 for right and wrong, and None where there is none.",
        ),
        (
            [1, "good", 2, 3, 4, 5],
            "Column 'rating' holds text, such as 'good', but a column of scores must hold numbers: give it numbers, "
            "such as 1 and 0 for right and wrong, and None where there is none.",
        ),
        (
            [[1]] * 6,
            "Column 'rating' holds values of type list, but a column of scores must hold numbers: give it numbers, "
            "such as 1 and 0 for right and wrong, and None where there is none.",
        ),
        (
            [None] * 6,
            "Column 'rating' has no value, but a column of scores must hold numbers: give it numbers, such as 1 and 0 "
            "for right and wrong, and None where there is none.",
        ),
    ],
)
def test_a_column_of_something_else_is_named_with_its_kind(outputs, values, sentence):
    for column in (pd.Series(values, dtype=object), *([pd.Series(values, dtype="category")] if "2" in values else [])):
        with pytest.raises(InputError) as caught:
            compute_statistics(outputs.assign(rating=column), "rating")
        assert (caught.value.code, str(caught.value)) == ("bad-number", sentence)
    assert score_columns(outputs.assign(rating=pd.Series(values, dtype=object))) == []


@pytest.mark.parametrize("values", [[1, 0, None, 1, 0, 1], [True, False] * 3])
def test_a_categorical_column_of_numbers_is_called_so(outputs, values):
    outputs["category"] = pd.Series(values, dtype="category")
    with pytest.raises(InputError) as caught:
        compute_statistics(outputs, "category")
    assert (caught.value.code, str(caught.value)) == (
        "bad-number",
        "Column 'category' is categorical, but a column of scores must hold numbers: convert it, as in "
        "outputs['category'] = outputs['category'].astype(float).",
    )
    means(outputs.assign(category=outputs["category"].astype(float)), "category")


@pytest.mark.parametrize(
    ("value", "said"),
    [(10**400, "1" + 17 * "0" + "..." + 19 * "0"), (Decimal("sNaN"), "Decimal('sNaN')")],
)
def test_numbers_that_no_float_can_be(outputs, value, said):
    outputs["rating"] = pd.Series([1, 2, value, 3, 4, 5], dtype=object)
    with pytest.raises(InputError) as caught:
        compute_statistics(outputs, "rating")
    assert (caught.value.code, str(caught.value)) == (
        "bad-number",
        f"Column 'rating' holds {said}, but finite numbers (up to 1e+30), and None where a segment has no score, "
        "were expected.",
    )


def test_columns_that_are_in_the_index_as_well(outputs, tmp_path):
    indexed = outputs.set_index(["system", "run", "segment"], drop=False)
    assert means(indexed, "bleu") == means(outputs, "bleu")
    scores = outputs[["system", "run", "segment"]].assign(score=np.arange(6.0))
    added = add_scores(indexed, scores.set_index("system", drop=False))
    assert added["score"].tolist() == [0, 1, 2, 3, 4, 5]
    write_sgml(indexed, tmp_path)
    again = read_sgml(tmp_path / "ref.sgm", [tmp_path / "a.sgm", tmp_path / "b.sgm"])
    assert again["hypothesis"].tolist() == outputs["hypothesis"].tolist()


@pytest.mark.parametrize(("offset", "is_far"), [(0, False), (9e4, False), (-1.1e5, True), (1e9, True)])
def test_scores_far_from_0_are_noticed(make_outputs, offset, is_far):
    """A billionth of 1e9 is 1, as much as scores vary: all differences would tie, and p would be 1."""
    draws = np.random.default_rng(1).normal(size=(2, 200))
    draws = (draws - draws.mean()) / draws.std()
    texts = [f"text {number}" for number in range(200)]
    outputs = make_outputs({"a": texts, "b": texts}, [texts]).assign(level=(draws + offset).ravel())
    metric = MeanScore("level", higher_is_better=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        statistics = compute_statistics(outputs, metric)
    assert [one.message.code for one in caught] == ["large-offset"] * is_far
    if is_far:
        assert caught[0].filename == __file__
        level = {-1.1e5: "-110,000", 1e9: "1e+09"}[offset]
        assert str(caught[0].message) == (
            f"The scores 'level' are about {level}, with a standard deviation of only 1. Differences below a billionth "
            f"of the scores count as ties, so p is too large: subtract a constant (for example {level}) from all "
            "scores."
        )
    if offset == 1e9:
        assert approximate_randomization(statistics["a"], statistics["b"], n_trials=100, rng=1).p_value == 1


def test_scores_far_from_0_for_their_spread_are_not_called_0(make_outputs):
    outputs = make_outputs({"a": ["x"] * 4}, [["y"] * 4]).assign(q=[0.3 - 1e-6, 0.3 + 1e-6] * 2)
    with pytest.warns(DataWarning) as caught:
        compute_statistics(outputs, MeanScore("q", higher_is_better=True))
    assert [str(one.message) for one in caught] == [
        "The scores 'q' are about 0.3, with a standard deviation of only 1e-06. Differences below a billionth of the "
        "scores count as ties, so p is too large: subtract a constant (for example 0.3) from all scores."
    ]


def test_equal_scores_are_not_far_from_0(make_outputs):
    outputs = make_outputs({"a": ["x"] * 3}, [["y"] * 3]).assign(level=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compute_statistics(outputs, MeanScore("level", higher_is_better=True))
