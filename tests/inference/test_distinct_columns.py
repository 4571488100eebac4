"""Columns that differ by a constant are summed once, and all sums are the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.inference.weighted_sums import DistinctColumns, SideBySide, lay_out
from mtworkbench.resampling import bootstrap_weights, exchange_coins


@st.composite
def _columns(draw):
    """Columns of small numbers, copies of them with a constant added, and copies that differ in one row."""
    n_rows = draw(st.integers(1, 300))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    columns = list(rng.integers(0, 3, (draw(st.integers(1, 4)), n_rows)).astype(float))
    for _ in range(draw(st.integers(0, 8))):
        one = columns[draw(st.integers(0, len(columns) - 1))] + draw(st.integers(-3, 3))
        if draw(st.booleans()):
            one[draw(st.integers(0, n_rows - 1))] += 1
        columns.append(one)
    return np.array(columns).T


@given(_columns(), st.integers(0, 1000))
def test_all_sums_follow_from_those_of_the_distinct_columns(columns, seed):
    weights = np.random.default_rng(seed).integers(0, 4, (5, len(columns)))
    distinct = DistinctColumns.of(SideBySide([columns]))
    if distinct is not None:
        assert len(distinct.kept) + 1 < columns.shape[1]
        found = distinct.expand((weights @ lay_out(SideBySide([columns]), distinct, np.float64)).T)
        np.testing.assert_array_equal(found, (weights @ columns).T)


def test_columns_that_differ_only_in_a_late_row_are_both_summed():
    first = np.arange(5000.0)
    late = first + 1
    late[-1] += 1
    columns = np.column_stack([first, first + 2, late, first - 7])
    distinct = DistinctColumns.of(SideBySide([columns]))
    assert distinct.kept.tolist() == [0, 2]
    assert distinct.places.tolist() == [0, 0, 1, 0]
    assert distinct.offsets.tolist() == [0, 2, 0, -7]


@pytest.mark.parametrize(
    "columns",
    [np.empty((0, 4)), np.arange(12.0).reshape(4, 3) ** 2, np.full((3, 4), 0.5), np.full((3, 4), np.nan)],
    ids=["no rows", "all distinct", "not whole", "no scores"],
)
def test_where_nothing_is_saved_or_sums_are_not_exact_all_columns_are_summed(columns):
    assert DistinctColumns.of(SideBySide([columns])) is None


def test_scores_of_resamples_and_exchanges_are_those_of_all_columns(make_bleu, monkeypatch):
    statistics, masks = make_bleu(45), exchange_coins(45, 0, 50, key=3)
    table = ScoreTable.of([statistics["s0"], statistics["s1"]])
    weights = np.concatenate(list(bootstrap_weights(45, 50, rng=1)))
    assert table.distinct is not None
    found = [*table.score(weights), table.exchange(masks, [(0, 1)])]
    monkeypatch.setattr(DistinctColumns, "of", lambda columns: None)
    other = ScoreTable.of(table.systems)
    for one, expected in zip(found, [*other.score(weights), other.exchange(masks, [(0, 1)])], strict=True):
        np.testing.assert_array_equal(one, expected)
