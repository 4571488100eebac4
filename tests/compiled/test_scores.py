"""Compiled BLEU equals the plain formula, also where something is missing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mtworkbench import compiled
from mtworkbench.metrics import Bleu

pytest.importorskip("numba")
scores = pytest.importorskip("mtworkbench.compiled.scores")


def score_both(totals, order):
    found = np.empty(len(totals))
    scores.score_bleu(totals, order, found)
    return found, Bleu(max_ngram_order=order)._score(totals, effective_order=False)


@given(st.integers(1, 6).flatmap(lambda order: arrays(np.int64, (20, 2 + 2 * order), elements=st.integers(-1, 6))))
def test_small_sums_as_they_come(totals):
    found, plain = score_both(totals.astype(np.float64), totals.shape[1] // 2 - 1)
    np.testing.assert_allclose(found, plain, rtol=1e-14)
    assert np.array_equal(found == 0, plain == 0)


def test_large_sums_and_long_ngrams():
    rng = np.random.default_rng(1)
    matches = rng.integers(0, 10**7, (500, 9))
    lengths = rng.integers(1, 10**8, (500, 2))
    totals = np.concatenate([lengths, matches, matches + rng.integers(0, 10**7, (500, 9))], axis=1)
    found, plain = score_both(totals.astype(np.float64), 9)
    np.testing.assert_allclose(found, plain, rtol=1e-14)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,), (2, 0)])
def test_scores_have_the_shape_of_the_sums(monkeypatch, shape):
    monkeypatch.setattr(compiled, "_loaded", {"scores": scores})
    totals = np.broadcast_to([9.0, 10, 7, 5, 3, 2, 9, 8, 7, 6], (*shape, 10))
    plain = Bleu()._score(totals, effective_order=False)
    found = Bleu().score(totals)
    assert found.shape == plain.shape
    np.testing.assert_allclose(found, plain, rtol=1e-14)
    several = Bleu().score(np.asfortranarray(totals))
    np.testing.assert_allclose(several, plain, rtol=1e-14)


@pytest.mark.parametrize("method", ["floor", "add-k", "none", "mteval"])
def test_other_smoothing_is_not_that_of_the_kernel(monkeypatch, method):
    monkeypatch.setattr(compiled, "_loaded", {"scores": scores})
    totals = np.array([[9.0, 10, 7, 5, 0, 0, 9, 8, 7, 6]])
    metric = Bleu(smooth_method=method)
    assert np.array_equal(metric.score(totals), metric._score(totals, effective_order=False))
