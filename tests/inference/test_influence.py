"""Influence values are the derivatives they claim to be."""

from dataclasses import replace

import numpy as np
import pytest

from mtworkbench.inference.intervals import design_effect, jackknife_variance
from mtworkbench.inference.score_table import ScoreTable, choose_units
from mtworkbench.metrics import ChrF, Length, Ter


def segment_influence(system):
    return ScoreTable.of([system]).influence[0]


def exact_bleu_influence(run):
    """The derivative of BLEU by each segment's weight, by hand: lengths, then four matches, then four totals."""
    totals = run.sum(axis=0).astype(float)
    hypothesis, reference = totals[:2]
    precision = (run[:, 2:6] / totals[2:6] - run[:, 6:10] / totals[6:10]).mean(axis=1)
    brevity = reference / hypothesis * (run[:, 0] / hypothesis - run[:, 1] / reference) * (hypothesis < reference)
    score = 100 * np.exp(np.log(totals[2:6] / totals[6:10]).mean() + min(0, 1 - reference / hypothesis))
    return score * (precision + brevity)


@pytest.mark.parametrize("longer", [-1, 1])
def test_influence_on_bleu_is_the_exact_derivative(make_bleu, longer):
    statistics = make_bleu(80, runs=(3,))
    statistics.values["s0"][:, :, 1] -= longer  # on either side of the brevity penalty's kink
    system = statistics["s0"]
    expected = np.mean([exact_bleu_influence(run) for run in system.values], axis=0)
    found = segment_influence(system)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())


def test_a_perfect_system_as_long_as_its_reference_does_not_vary(make_bleu):
    """On the very kink of the brevity penalty, where the mean of both slopes is 0 for every segment."""
    statistics = make_bleu(80, runs=(1,))
    lengths = np.random.default_rng(2).integers(4, 60, 80)
    statistics.values["s0"][0] = np.stack([lengths, lengths, *[lengths - n for n in (0, 1, 2, 3)] * 2], axis=1)
    system = statistics["s0"]
    assert system.score().item() == pytest.approx(100)
    influence = segment_influence(system)
    assert np.abs(influence).max() < 1e-8
    documents = replace(system.test_set, documents=np.arange(80) // 4)
    assert design_effect(influence, choose_units(documents, "document").sum_influence(influence), 100) is None


def test_influence_on_a_mean_is_the_exact_derivative(make_mean):
    scores = np.random.default_rng(1).normal(size=(2, 60))
    for shift in (0, 1000, -scores.mean()):  # the last: z scores, whose total is 0 though no score is
        shifted = scores + shift
        found = segment_influence(make_mean(s=shifted)["s"])
        expected = (shifted - shifted.mean(axis=1, keepdims=True)).mean(axis=0) / 60
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9 * np.abs(shifted).max())


@pytest.mark.parametrize("metric", [ChrF(word_order=2), Ter(), Length()])
def test_influence_on_any_metric_is_the_slope_of_its_score(make_bleu, metric):
    draws = np.random.default_rng(3)
    values = draws.integers(3, 9, (1, 30, len(metric.statistic_names)))
    system = replace(make_bleu(30), metric=metric, values={"s": values})["s"]
    weights = np.ones((2, 30))
    weights[:, 11] += (1e-4, -1e-4)
    up, down = system.score(weights)[:, 0]
    assert segment_influence(system)[11] == pytest.approx((up - down) / 2e-4, rel=1e-5)


def test_statistics_that_are_0_everywhere_have_no_influence(make_bleu):
    statistics = make_bleu(20, runs=(1,))
    statistics.values["s0"][:, :, 5] = 0  # no 4-gram matches: BLEU is smoothed
    assert np.isfinite(segment_influence(statistics["s0"])).all()


def test_the_influence_of_a_unit_is_that_of_its_segments(make_bleu):
    system = make_bleu(7, documents=["x", "y", "x", "z", "z", "z", "y"])["s0"]
    influence = segment_influence(system)
    found = choose_units(system.test_set, "document").sum_influence(influence)
    expected = [influence[[0, 2]].sum(), influence[[1, 6]].sum(), influence[[3, 4, 5]].sum()]
    np.testing.assert_allclose(found, expected)


def test_jackknife_variance():
    assert jackknife_variance(np.array([1.0, -2.0, 1.0])) == pytest.approx(3 / 2 * 6)
    assert jackknife_variance(np.array([1.0])) is None


def test_jackknife_variance_is_near_the_bootstraps(make_bleu):
    system = make_bleu(400)["s0"]
    weights = np.random.default_rng(1).multinomial(400, np.full(400, 1 / 400), size=4000)
    bootstrapped = system.score(weights).var(ddof=1)
    assert jackknife_variance(segment_influence(system)) == pytest.approx(bootstrapped, rel=0.1)


def test_design_effect_compares_documents_with_segments(make_mean):
    """Segments of a document all alike: each document of 5 counts for one segment, not for five."""
    scores = np.repeat(np.random.default_rng(1).normal(size=40), 5)
    system = make_mean(s=scores, documents=np.arange(200) // 5)["s"]
    influence = segment_influence(system)
    documents = choose_units(system.test_set, "document")
    expected = 5 * (40 / 39) / (200 / 199)
    assert design_effect(influence, documents.sum_influence(influence), 1.0) == pytest.approx(expected)


def test_design_effect_is_absent_where_it_says_nothing(make_mean):
    system = make_mean(s=np.arange(6.0), documents=["d"] * 6)["s"]
    influence = segment_influence(system)
    assert design_effect(influence, None, 1.0) is None
    one_document = choose_units(system.test_set, "document")
    assert design_effect(influence, one_document.sum_influence(influence), 1.0) is None
    constant = make_mean(s=np.full(6, 0.3), documents=[1, 1, 2, 2, 3, 3])["s"]
    documents, nothing_but_rounding = choose_units(constant.test_set, "document"), segment_influence(constant)
    by_document = documents.sum_influence(nothing_but_rounding)
    assert design_effect(nothing_but_rounding, by_document, 0.3) is None
