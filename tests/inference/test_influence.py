"""Influence values are what the scores without each unit say."""

from dataclasses import replace

import numpy as np
import pytest

from mtworkbench.inference.intervals import bca_ends, design_effect, jackknife_ends, jackknife_variance
from mtworkbench.inference.score_table import ScoreTable, choose_units
from mtworkbench.metrics import ChrF, Length, MeanScore, Ter


def influence_of(system, unit="segment"):
    return ScoreTable.of([system], unit).influence[0]


def by_brute_force(system, labels):
    """Score the test set without each unit, one after another; the textbook's variance of these scores."""
    units = list(dict.fromkeys(labels))
    weights = np.array([[label != unit for label in labels] for unit in units], dtype=float)
    without = system.score(weights).mean(axis=1)
    deviations = without.mean() - without
    share = (len(units) - 1) / len(units)
    return share * deviations, share * np.sum(deviations**2)


DOCUMENTS = ["x", "y", "x", "z", "z", "z", "y", "w", "v", "u", "u"]


@pytest.mark.parametrize("metric", [None, ChrF(word_order=2), Ter(), Length()])
@pytest.mark.parametrize("unit", ["segment", "document"])
def test_influence_is_the_score_without_each_unit(make_bleu, metric, unit):
    system = make_bleu(11, runs=(3,), documents=DOCUMENTS)["s0"]
    if metric is not None:
        values = np.random.default_rng(3).integers(3, 9, (2, 11, len(metric.statistic_names)))
        system = replace(system, metric=metric, values=values)
    labels = DOCUMENTS if unit == "document" else list(range(11))
    expected, variance = by_brute_force(system, labels)
    found = influence_of(system, unit)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)
    assert found.sum() == pytest.approx(0, abs=1e-10)
    assert jackknife_variance(found) == pytest.approx(variance)


def test_a_perfect_system_as_long_as_its_reference_does_not_vary(make_bleu):
    """On the very kink of the brevity penalty."""
    statistics = make_bleu(80, runs=(1,))
    lengths = np.random.default_rng(2).integers(4, 60, 80)
    statistics.values["s0"][0] = np.stack([lengths, lengths, *[lengths - n for n in (0, 1, 2, 3)] * 2], axis=1)
    system = statistics["s0"]
    assert system.score().item() == pytest.approx(100)
    influence = influence_of(system)
    assert np.abs(influence).max() < 1e-8
    documents = choose_units(replace(system.test_set, documents=np.arange(80) // 4), "document")
    by_document = ScoreTable.of([system]).with_units(documents).influence[0]
    assert design_effect(influence, by_document, 100) is None


def test_influence_on_a_mean_is_the_exact_derivative(make_mean):
    scores = np.random.default_rng(1).normal(size=(2, 60))
    for shift in (0, 1000, -scores.mean()):  # the last: z scores, whose total is 0 though no score is
        shifted = scores + shift
        found = influence_of(make_mean(s=shifted)["s"])
        expected = (shifted - shifted.mean(axis=1, keepdims=True)).mean(axis=0) / 60
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9 * np.abs(shifted).max())


def test_statistics_that_are_0_everywhere_have_no_influence(make_bleu):
    statistics = make_bleu(20, runs=(1,))
    statistics.values["s0"][:, :, 5] = 0  # no 4-gram matches: BLEU is smoothed
    assert np.isfinite(influence_of(statistics["s0"])).all()


def test_without_the_only_scored_unit_nothing_is_left(make_mean):
    """A run with one rating only: the variance is unknown, not 0."""
    system = make_mean(s=np.arange(4.0))["s"]
    values = np.repeat(system.values, 2, axis=0)
    values[1, 1:] = 0
    system = replace(system, metric=MeanScore("score", higher_is_better=True), values=values)
    influence = influence_of(system)
    assert np.isnan(influence).any()
    assert jackknife_variance(influence) is None
    assert jackknife_ends(0.95, 1.0, influence) == (None, None)
    assert design_effect(influence, influence, 1.0) is None
    resampled = np.arange(100.0)
    assert bca_ends(resampled, 0.9, 49.5, influence, 100.0) == bca_ends(resampled, 0.9, 49.5, np.zeros(4), 100.0)


def test_units_of_unequal_size_count_for_fewer(make_bleu):
    equal = choose_units(make_bleu(12, documents=np.arange(12) // 3).test_set, "document")
    assert equal.effective_count == pytest.approx(4)
    unequal = choose_units(make_bleu(10, documents=[0] * 6 + [1, 2, 3, 4]).test_set, "document")
    assert unequal.effective_count == pytest.approx(100 / (36 + 4))


def test_jackknife_variance():
    assert jackknife_variance(np.array([1.0, -2.0, 1.0])) == pytest.approx(3 / 2 * 6)
    assert jackknife_variance(np.array([1.0, -1.0])) == 4.0
    assert jackknife_variance(np.array([1.0])) is None


def test_jackknife_variance_is_near_the_bootstraps(make_bleu):
    system = make_bleu(400)["s0"]
    weights = np.random.default_rng(1).multinomial(400, np.full(400, 1 / 400), size=4000)
    bootstrapped = system.score(weights).var(ddof=1)
    assert jackknife_variance(influence_of(system)) == pytest.approx(bootstrapped, rel=0.1)


def test_design_effect_compares_documents_with_segments(make_mean):
    """Segments of a document all alike: each document of 5 counts for one segment, not for five."""
    scores = np.repeat(np.random.default_rng(1).normal(size=40), 5)
    system = make_mean(s=scores, documents=np.arange(200) // 5)["s"]
    expected = 5 * (40 / 39) / (200 / 199)
    assert design_effect(influence_of(system), influence_of(system, "document"), 1.0) == pytest.approx(expected)


def test_design_effect_is_absent_where_it_says_nothing(make_mean):
    system = make_mean(s=np.arange(6.0), documents=["d"] * 6)["s"]
    influence = influence_of(system)
    assert design_effect(influence, influence_of(system, "document"), 1.0) is None  # one document
    constant = make_mean(s=np.full(6, 0.3), documents=[1, 1, 2, 2, 3, 3])["s"]
    nothing_but_rounding = influence_of(constant), influence_of(constant, "document")
    assert design_effect(*nothing_but_rounding, 0.3) is None
    assert design_effect(np.zeros(4), np.zeros(2), 0.0) is None  # every score is 0
