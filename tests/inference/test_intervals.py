"""End points of intervals: by Koehn's order statistics, as scipy's, and finite where everything degenerates."""

import math
import re

import numpy as np
import pytest
import scipy.stats

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import bootstrap_interval, paired_bootstrap
from mtworkbench.inference.intervals import (
    Drawn,
    bca_ends,
    interval_ends,
    jackknife_ends,
    judge_by_t,
    n_dropped,
    percentile_ends,
)
from mtworkbench.results.settings import choose_method


def test_percentile_of_1000_resamples_is_the_26th_to_the_975th():
    shuffled = np.random.default_rng(1).permutation(np.arange(1, 1001))
    assert percentile_ends(shuffled, 0.95) == (26, 975)


@pytest.mark.parametrize(
    ("n_resamples", "level", "dropped"),
    [(1000, 0.95, 25), (1000, 0.9, 50), (1000, 0.99, 5), (999, 0.95, 24), (100, 0.95, 2), (39, 0.95, 0), (1, 0.95, 0)],
)
def test_so_many_are_dropped_at_each_end(n_resamples, level, dropped):
    assert n_dropped(n_resamples, (1 - level) / 2) == dropped  # 1000 * (1 - 0.9) / 2 is 49.99... in floats
    low, high = percentile_ends(np.arange(n_resamples), level)
    assert (low, high) == (dropped, n_resamples - 1 - dropped)


def test_percentile_ends_of_many_samples_at_once():
    resampled = np.random.default_rng(2).normal(size=(4, 3, 200))
    low, high = percentile_ends(resampled, 0.8)
    assert low.shape == high.shape == (4, 3)
    assert (low[2, 1], high[2, 1]) == percentile_ends(resampled[2, 1], 0.8)


def test_basic_is_the_percentile_mirrored_at_the_score():
    resampled = np.arange(1, 1001.0)
    ends = interval_ends(Drawn(400.0, resampled, np.zeros(5), 400.0), "basic", 0.95, "the score")
    assert ends == (2 * 400 - 975, 2 * 400 - 26)


def test_variation_is_told_from_rounding_by_the_size_of_the_score():
    """At a score of 100, an error of 5e-8 is rounding; at one of 1 it is not."""
    assert judge_by_t(1.0, 5e-8, 5, 0.95, 100.0) == (None, None, None, None)
    assert judge_by_t(1.0, 5e-8, 5, 0.95, 1.0)[3] == 5


@pytest.fixture(scope="module")
def skewed():
    return np.random.default_rng(5).gamma(2, size=150)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_intervals_of_a_mean_are_scipys(make_mean, skewed, method):
    """Both simulate: end points agree within the error of a 2.5 % quantile of 20,000 resamples each."""
    n_resamples = 20_000
    ours = bootstrap_interval(make_mean(s=skewed)["s"], method=method, n_resamples=n_resamples, rng=1)
    theirs = scipy.stats.bootstrap(
        (skewed,), np.mean, vectorized=True, method=method, n_resamples=n_resamples, rng=1
    ).confidence_interval
    spread = skewed.std(ddof=1) / math.sqrt(len(skewed))
    # density of a normal law at its 2.5 % quantile: 0.0584; BCa shifts its own quantiles with the bias it estimates
    error = math.sqrt(0.025 * 0.975 / n_resamples) / 0.0584 * spread * math.sqrt(2) * (2 if method == "bca" else 1)
    assert ours.low == pytest.approx(theirs.low, abs=4 * error)
    assert ours.high == pytest.approx(theirs.high, abs=4 * error)
    assert ours.method == method


def test_bca_follows_efrons_formula(skewed):
    """Written out once more, with scipy's normal distribution and the ordinary jackknife of a mean."""
    draws = np.random.default_rng(3)
    resampled = np.sort(draws.choice(skewed, size=(4000, len(skewed))).mean(axis=1))
    score = skewed.mean()
    bias = scipy.stats.norm.ppf(np.mean(resampled < score))
    jackknife = (skewed.sum() - skewed) / (len(skewed) - 1)
    deviations = jackknife.mean() - jackknife
    acceleration = (deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5)
    shares = []
    for share in (0.025, 0.975):
        shifted = bias + scipy.stats.norm.ppf(share)
        shares.append(scipy.stats.norm.cdf(bias + shifted / (1 - acceleration * shifted)))
    expected = resampled[math.floor(4000 * shares[0])], resampled[4000 - 1 - math.floor(4000 * (1 - shares[1]))]
    influence = (skewed - score) / len(skewed)
    assert acceleration > 0.01 and abs(bias) > 0.005
    assert bca_ends(draws.permutation(resampled), 0.95, score, influence, score) == expected


def test_acceleration_does_not_depend_on_the_scale():
    resampled, influence = np.arange(-400, 600.0), np.array([3.0, -1, -1, -1])
    expected = bca_ends(resampled, 0.9, 0.0, influence, 1.0)
    assert expected != bca_ends(resampled, 0.9, 0.0, np.zeros(4), 1.0)
    for scale in (1e-141, 1e141):
        assert bca_ends(resampled, 0.9, 0.0, scale * influence, 1.0) == expected


def test_ties_count_half_in_bca():
    """60 below, 40 equal up to rounding: 80 % below; counted as ties or as above they would give 60 or 100 %."""
    resampled = np.concatenate([np.linspace(1, 2, 60), np.full(40, 3 + 1e-12)])
    low, high = bca_ends(resampled, 0.8, 3.0, np.zeros(4), 3.0)
    share = scipy.stats.norm.cdf(2 * scipy.stats.norm.ppf(0.8) + scipy.stats.norm.ppf(0.1))
    assert low == np.sort(resampled)[math.floor(100 * share)]
    assert high == resampled.max()


def test_without_bias_and_acceleration_bca_is_the_percentile_interval():
    resampled = np.concatenate([-np.arange(1, 501), np.arange(1, 501)]).astype(float)
    for level in (0.5, 0.9, 0.95, 0.99):
        assert bca_ends(resampled, level, 0.0, np.array([1.0, -1.0]), 1.0) == percentile_ends(resampled, level)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "jackknife"])
def test_equal_resamples_give_the_score(method):
    ends = interval_ends(Drawn(7.5, np.full(100, 7.5), np.zeros(20), 7.5), method, 0.95, "the score")
    assert ends == (7.5, 7.5)


@pytest.mark.parametrize("sign", [1, -1])
def test_bca_of_resamples_on_one_side_is_the_percentile_interval(sign):
    resampled = 10 + sign * np.arange(1, 101.0)
    assert bca_ends(resampled, 0.9, 10.0, np.array([1.0, -1.0]), 10.0) == percentile_ends(resampled, 0.9)


def test_bca_that_has_to_do_without_its_bias_says_so(make_mean):
    """One segment of forty carries the whole score, and each of three resamples has it twice."""
    statistics = make_mean(s=[40.0] + [0.0] * 39, r=np.zeros(40))
    options = {"method": "bca", "n_resamples": 3, "level": 0.05, "rng": 16}
    for name, call in (
        ("the score of 's'", lambda: bootstrap_interval(statistics["s"], **options)),
        (
            "the difference in score of 's' and 'r'",
            lambda: paired_bootstrap(statistics["s"], statistics["r"], **options),
        ),
    ):
        sentence = (
            f"All 3 resamples of {name} lie on one side of it, so that BCa's bias cannot be estimated: its percentile "
            "interval is given."
        )
        with pytest.warns(DataWarning) as caught:
            found = call()
        assert str(caught[2].message) == sentence
        codes = [warning.message.code for warning in caught]
        assert codes[:3] == ["few-resamples", "few-units-bca", "bca-one-sided"]
        assert codes[3:] == ["few-differing-units"] * ("difference" in name)
        assert {warning.filename for warning in caught} == {__file__}
        assert (found.low, found.high) == (2, 2)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999999])
@pytest.mark.parametrize("n_above", [1, 500, 999])
@pytest.mark.parametrize("influence", [[3.0, -1, -1, -1], [-3.0, 1, 1, 1], [0.0, 0, 0, 0]])
def test_bca_ends_are_resamples_in_order(level, n_above, influence):
    resampled = np.concatenate([-np.arange(1, 1001 - n_above), np.arange(1, n_above + 1)]).astype(float)
    low, high = bca_ends(resampled, level, 0.0, np.array(influence), 1.0)
    assert low <= high
    assert {low, high} <= set(resampled)


def test_jackknife_of_a_mean_is_the_t_interval(make_mean):
    scores = np.random.default_rng(8).normal(50, 9, size=23)
    found = bootstrap_interval(make_mean(s=scores)["s"], level=0.9, rng=1)
    expected = scipy.stats.t.interval(0.9, 22, loc=scores.mean(), scale=scipy.stats.sem(scores))
    assert found.method == "jackknife"  # auto, below 100 units
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-9)


def test_jackknife_of_a_difference_of_means_is_the_paired_t_interval(make_mean):
    draws = np.random.default_rng(8)
    a, b = draws.normal(50, 9, size=(2, 40))
    statistics = make_mean(b=b, a=a)
    found = paired_bootstrap(statistics["a"], statistics["b"], method="jackknife", rng=1)
    expected = scipy.stats.ttest_rel(a, b).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-8)


def test_jackknife_of_one_unit_is_absent():
    assert jackknife_ends(0.95, 3.0, np.array([0.0])) == (None, None)


@pytest.mark.parametrize(("n_units", "method"), [(1, "jackknife"), (99, "jackknife"), (100, "percentile")])
def test_auto_takes_the_percentile_from_100_units_on(n_units, method):
    assert choose_method("auto", n_units) == method
    assert choose_method("bca", n_units) == "bca"


def test_another_method_is_refused():
    sentence = "interval is 'BCa', but one of 'auto', 'percentile', 'basic', 'bca', 'jackknife' was expected."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        choose_method("BCa", 100)
