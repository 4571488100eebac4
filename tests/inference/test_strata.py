"""Strata keep their numbers of units: draws within them, and the stratified jackknife."""

import re

import numpy as np
import pytest
import scipy.stats

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import (
    approximate_randomization,
    bootstrap_interval,
    compare,
    crossed_analysis,
    paired_bootstrap,
)
from mtworkbench.inference.intervals import jackknife_variance
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.resampling import bootstrap_weights

pytestmark = pytest.mark.filterwarnings("ignore:Only:mtworkbench.errors.DataWarning")

DOCUMENTS = np.repeat(np.arange(12), [1, 4, 2, 3, 3, 2, 5, 1, 2, 3, 2, 2])
DOMAINS = np.array(["news", "talk", "web", "news", "talk", "news", "web", "web", "talk", "news", "news", "web"])
COLUMNS = {"domain": DOMAINS[DOCUMENTS]}


def by_formula(scores, strata):
    """The textbook's variance of a stratified mean of segments: sum of W^2 s^2 / n (Cochran, 1977, §5.4)."""
    parts = [scores[strata == stratum] for stratum in np.unique(strata)]
    return sum((len(part) / len(scores)) ** 2 * part.var(ddof=1) / len(part) for part in parts)


def test_jackknife_of_a_mean_is_the_variance_of_a_stratified_mean(make_mean):
    a, b = np.random.default_rng(1).normal(size=(2, 30)) + (COLUMNS["domain"] == "web")
    statistics = make_mean(a=a, b=b, columns=COLUMNS)
    table = ScoreTable.of([statistics["a"], statistics["b"]], "segment", strata="domain")
    variance = by_formula(a, COLUMNS["domain"])
    assert jackknife_variance(table.influence[0]) == pytest.approx(variance, rel=1e-12)
    of_difference = jackknife_variance(table.influence[0] - table.influence[1])
    assert of_difference == pytest.approx(by_formula(a - b, COLUMNS["domain"]), rel=1e-12)
    found = bootstrap_interval(statistics["a"], unit="segment", strata="domain", method="jackknife", rng=1)
    half = scipy.stats.t.ppf(0.975, 30 - 3) * variance**0.5
    assert (found.low, found.high) == pytest.approx((a.mean() - half, a.mean() + half))


def test_documents_of_a_metric_that_is_no_mean_are_left_out_within_their_stratum(make_bleu):
    """By brute force: the other documents of the stratum take the weight of the one that is left out."""
    system = make_bleu(30, runs=(2,), documents=DOCUMENTS, columns=COLUMNS)["s0"]
    expected = 0.0
    for domain in np.unique(DOMAINS):
        members = np.flatnonzero(domain == DOMAINS)
        weights = np.ones((len(members), 12))
        weights[:, members] = len(members) / (len(members) - 1)
        weights[np.arange(len(members)), members] = 0
        without = system.score(weights[:, DOCUMENTS]).mean(axis=1)
        expected += (len(members) - 1) / len(members) * np.sum((without - without.mean()) ** 2)
    table = ScoreTable.of([system], "document", strata="domain")
    assert jackknife_variance(table.influence[0]) == pytest.approx(expected, rel=1e-9)
    assert (table.units.n_strata, table.units.df) == (3, 900 / sum(size**2 for size in np.bincount(DOCUMENTS)) - 3)


def test_one_stratum_is_none(make_bleu):
    statistics = make_bleu(30, documents=DOCUMENTS, columns={"domain": ["news"] * 30})
    pair, options = (statistics["s1"], statistics["s0"]), {"unit": "document", "rng": 3}
    for method in ("percentile", "jackknife"):
        plain = paired_bootstrap(*pair, method=method, **options)
        found = paired_bootstrap(*pair, method=method, strata="domain", **options)
        assert (found.low, found.high) == pytest.approx((plain.low, plain.high), rel=1e-9)
        np.testing.assert_array_equal(found.differences, plain.differences)


def test_resamples_are_drawn_within_strata(make_mean):
    a = np.random.default_rng(2).normal(size=30) + 5 * (COLUMNS["domain"] == "web")
    statistics = make_mean(a=a, documents=DOCUMENTS, columns=COLUMNS)
    found = bootstrap_interval(statistics["a"], unit="document", strata="domain", method="percentile", rng=4)
    [weights] = bootstrap_weights(DOCUMENTS, 1000, strata=COLUMNS["domain"], rng=4)
    np.testing.assert_allclose(found.resampled, weights @ a / weights.sum(axis=1))
    by_segment = bootstrap_interval(statistics["a"], unit="segment", strata="domain", method="percentile", rng=4)
    parts = [a[COLUMNS["domain"] == domain] for domain in ("news", "talk", "web")]
    variance = sum(len(part) * part.var() for part in parts) / 30**2
    assert by_segment.resampled.var() == pytest.approx(variance, rel=0.15)
    plain = bootstrap_interval(statistics["a"], unit="segment", method="percentile", rng=4)
    assert plain.resampled.var() > 3 * by_segment.resampled.var()


def test_strata_are_in_the_settings_and_change_no_coin(make_bleu):
    statistics = make_bleu(30, runs=(2, 2), documents=DOCUMENTS, columns=COLUMNS)
    options = {"unit": "document", "n_trials": 500, "rng": 5}
    with_strata = compare(statistics, strata="domain", **options)
    plain = compare(statistics, **options)
    [found], [expected] = (one.metrics["BLEU"].comparisons for one in (with_strata, plain))
    assert (with_strata.strata, plain.strata) == ("domain", None)
    assert "|unit:document|strata:domain|exchange:unit|" in with_strata.signature
    assert "|unit:document|strata:domain|interval:" in found.bootstrap.signature
    assert found.p_value == expected.p_value
    assert found.randomization.signature == expected.randomization.signature
    assert (found.low, found.high) == (expected.low, expected.high)  # it comes from the exchanges
    assert (found.bootstrap.low, found.bootstrap.high) != (expected.bootstrap.low, expected.bootstrap.high)
    drawn = paired_bootstrap(statistics["s1"], statistics["s0"], unit="document", strata="domain", rng=5)
    own = found.bootstrap
    assert (drawn.low, drawn.high, drawn.signature) == (own.low, own.high, own.signature)
    assert drawn.design_effect == expected.design_effect


def test_the_crossed_analysis_takes_the_stratified_variance_and_its_degrees_of_freedom(make_mean):
    draws = np.random.default_rng(6)
    shift = 3 * (COLUMNS["domain"] == "web")
    statistics = make_mean(a=draws.normal(size=(3, 30)) + shift, b=draws.normal(size=(3, 30)), columns=COLUMNS)
    found = crossed_analysis(statistics["a"], statistics["b"], unit="segment", strata="domain")
    a, b = (statistics[name].values[..., 0] for name in "ab")
    variance = found.variance
    assert variance.unit == pytest.approx(by_formula((a - b).mean(axis=0), COLUMNS["domain"]), rel=1e-12)
    assert found.n_effective_units == pytest.approx(28)
    assert variance.unit_df == pytest.approx(27)
    residual = sum(by_formula(run - a.mean(axis=0), COLUMNS["domain"]) for run in a) / 2 / 3
    assert variance.residual_a == pytest.approx(residual, rel=1e-12)
    assert "|unit:segment|strata:domain|" in found.signature


def test_a_stratum_of_one_unit_is_warned_of_and_adds_nothing(make_mean):
    a = np.random.default_rng(7).normal(size=9)
    statistics = make_mean(a=a, columns={"domain": [*"xxxxyyyy", "z"]})
    sentence = (
        "1 of the 3 strata of 'domain' has only one segment, which is in every resample, so that intervals are too "
        "narrow: use a smaller unit or other strata."
    )
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        found = bootstrap_interval(statistics["a"], strata="domain", method="jackknife", rng=1)
    assert caught[0].message.code == "lone-units"
    variance = ((4 / 9) ** 2 * a[:4].var(ddof=1) + (4 / 9) ** 2 * a[4:8].var(ddof=1)) / 4
    half = scipy.stats.t.ppf(0.975, 6) * variance**0.5
    assert found.high - found.low == pytest.approx(2 * half)


def test_few_units_in_each_stratum_have_no_percentile_interval(make_mean):
    """A bootstrap of n_h units makes their variance (n_h - 1) / n_h times too small, so pairs halve it."""
    a = np.random.default_rng(8).normal(size=120)
    pairs = make_mean(a=a, columns={"story": np.arange(120) // 2})
    assert bootstrap_interval(pairs["a"], strata="story", rng=1).method == "jackknife"
    thirds = make_mean(a=a, columns={"story": np.arange(120) // 40})
    assert bootstrap_interval(thirds["a"], strata="story", rng=1).method == "percentile"


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (
            {"unit": "document", "strata": "speaker"},
            "unit-in-two-strata",
            "Segments 1 and 2 belong to one unit, but to the strata eva and tom: every unit must lie in one stratum, "
            "so choose smaller units, or other strata.",
        ),
        (
            {"unit": "domain", "strata": "domain"},
            "strata-of-one",
            "Each stratum of 'domain' has only one domain, so that nothing can be drawn: use a smaller unit, or other "
            "strata.",
        ),
        (
            {"unit": "block", "block_length": 2, "strata": "domain"},
            "strata-of-blocks",
            "Blocks may begin at any segment, so they cannot be drawn within strata ('domain'): use another unit, or "
            "leave out the strata.",
        ),
        (
            {"strata": "genre"},
            "unknown-column",
            "strata is 'genre', but 'document' or the name of a column was expected: the columns of these statistics "
            "are 'domain', 'speaker'.",
        ),
    ],
)
def test_strata_that_cannot_be_are_refused(make_mean, options, code, sentence):
    columns = {"domain": ["x", "x", "y", "y"], "speaker": ["eva", "tom", "eva", "tom"]}
    statistics = make_mean(a=[1, 2, 3, 4], b=[2, 3, 1, 0], documents=["d", "d", "e", "e"], columns=columns)
    for call in (
        lambda: bootstrap_interval(statistics["a"], **options),
        lambda: paired_bootstrap(statistics["a"], statistics["b"], **options),
        lambda: compare(statistics, **options),
        lambda: crossed_analysis(statistics["a"], statistics["b"], **options),
    ):
        with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
            call()
        assert caught.value.code == code


def test_strata_of_documents_need_documents(make_mean):
    sentence = (
        "strata='document' was asked for, but the documents of the test set are not known: give document ids "
        "(documents=... or --documents), or leave out the strata."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        bootstrap_interval(make_mean(a=[1, 2, 3])["a"], strata="document")
    with pytest.raises(TypeError):
        approximate_randomization(make_mean(a=[1])["a"], make_mean(a=[1])["a"], strata="document")
