"""Sums of resampled statistics are exact, in single precision as in double, compiled as plain."""

import numpy as np
import pytest

from mtworkbench.inference.bootstrap import resample
from mtworkbench.inference.randomization import approximate_randomization
from mtworkbench.inference.score_table import EXACT_IN_FLOAT32, ScoreTable, single_if_exact
from mtworkbench.resampling import bootstrap_weights, exchange_masks, resolve_rng


@pytest.mark.parametrize("on", [False, True])
def test_resampled_scores_are_those_of_exact_sums(use_kernels, make_bleu, on):
    if on:
        pytest.importorskip("numba")
    statistics = make_bleu(300, runs=(1, 2))
    table = ScoreTable.of([statistics["s0"], statistics["s1"]])
    assert table.weight_type is np.float32
    use_kernels(on=on)
    found = resample(table, 500, resolve_rng(3))
    weights = np.concatenate(list(bootstrap_weights(300, 500, rng=3)))
    for scores, system in zip(found, table.systems, strict=True):
        totals = np.einsum("bn,rns->brs", weights, system.values.astype(np.float64))
        assert np.array_equal(scores, system.metric.score(totals))


def test_exchanged_scores_are_those_of_exact_sums(make_bleu):
    statistics = make_bleu(300, runs=(1, 1))
    a, b = statistics["s0"], statistics["s1"]
    found = approximate_randomization(a, b, n_trials=400, unit="segment", rng=3)
    masks = np.concatenate(list(exchange_masks(300, 400, rng=3)))[:, :, 0].astype(np.float64)
    first, second = (one.values[0].astype(np.float64) for one in (a, b))
    left = a.metric.score((1 - masks) @ first + masks @ second)
    right = a.metric.score(masks @ first + (1 - masks) @ second)
    assert np.array_equal(found.differences, left - right)


def test_single_precision_is_for_sums_that_it_holds():
    whole, broken = np.array([[1.0, 7.0]]), np.array([[1.0, 7.5]])
    assert single_if_exact(EXACT_IN_FLOAT32 - 1, whole) is np.float32
    assert single_if_exact(EXACT_IN_FLOAT32, whole) is np.float64
    assert single_if_exact(10, broken) is np.float64
    assert single_if_exact(10, np.array([[np.nan]])) is np.float64


def test_long_texts_are_summed_in_double_precision(make_mean):
    """One resample of these may hold 2**24 several times over."""
    values = np.full(5, 2.0**23) + np.arange(5)
    table = ScoreTable.of([make_mean(a=values)["a"]])
    assert table.weight_type is np.float64
    [scores] = resample(table, 50, resolve_rng(1))
    weights = np.concatenate(list(bootstrap_weights(5, 50, rng=1)))
    assert np.array_equal(scores[:, 0], (weights @ values) / 5)
