"""Power, smallest differences, type S and type M errors: against scipy, published numbers, and simulation."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from mtworkbench.errors import InputError
from mtworkbench.inference.crossed import cross_variances
from mtworkbench.inference.intervals import judge_by_t
from mtworkbench.inference.power import (
    check_power,
    crossed_threshold,
    power_of,
    smallest_ratio,
    t_threshold,
)
from mtworkbench.results.crossed import CrossedVariance

REPETITIONS = 2000
MANY = 1e9  # degrees of freedom of a standard error that is known


def band(share):
    return [end / REPETITIONS for end in scipy.stats.binom.interval(0.999, REPETITIONS, share)]


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("df", [2, 3, 5.5, 9, 91, 400])
def test_power_is_that_of_the_noncentral_t(df, level):
    critical = scipy.stats.t.isf((1 - level) / 2, df)
    for ratio in (0.1, 1, 2.8, 5):
        expected = scipy.stats.nct.sf(critical, df, ratio), scipy.stats.nct.cdf(-critical, df, ratio)
        found = power_of(ratio, t_threshold(df, level))
        assert found.power == pytest.approx(sum(expected), abs=1e-6 if level < 0.99 else 2e-5)
        assert found.wrong_sign == pytest.approx(expected[1] / sum(expected), rel=1e-3, abs=1e-7)
        if ratio >= 1:  # below, power hardly changes
            assert smallest_ratio(t_threshold(df, level), sum(expected)) == pytest.approx(ratio, rel=1e-3)


@pytest.mark.parametrize(
    ("difference", "error", "wrong_sign", "exaggeration"), [(0.1, 3.28, 0.46, 77), (2, 8.1, 0.24, 9.5)]
)
def test_errors_are_those_of_gelman_and_carlin(difference, error, wrong_sign, exaggeration):
    """Gelman & Carlin (2014), "Examples", whose own numbers are simulated: beauty and sex ratio, menstrual cycle."""
    found = power_of(difference / error, t_threshold(MANY, 0.95))
    assert found.power == pytest.approx(0.055, abs=0.006)
    assert found.wrong_sign == pytest.approx(wrong_sign, abs=0.006)
    assert found.exaggeration == pytest.approx(exaggeration, rel=0.01)


def test_errors_are_those_of_simulated_experiments():
    draws = np.random.default_rng(1)
    for ratio, df in ((0.5, 4), (1.5, 12)):
        observed = ratio + draws.normal(size=400_000)
        errors = np.sqrt(draws.chisquare(df, size=400_000) / df)
        significant = np.abs(observed) > scipy.stats.t.isf(0.025, df) * errors
        found = power_of(ratio, t_threshold(df, 0.95))
        assert found.power == pytest.approx(significant.mean(), rel=0.02)
        assert found.wrong_sign == pytest.approx((observed[significant] < 0).mean(), rel=0.05)
        assert found.exaggeration == pytest.approx(np.abs(observed[significant]).mean() / ratio, rel=0.02)


def test_no_difference_has_no_right_sign():
    found = power_of(0.0, t_threshold(20, 0.95))
    assert found.power == pytest.approx(0.05, abs=1e-9)
    assert found.wrong_sign == pytest.approx(0.5)
    assert found.exaggeration == math.inf


def crossed_of(method_sd, run_sd, rest_sd, n_runs, n_units=100):
    """The true variance of equal methods, from standard deviations of a corpus score."""
    rest = rest_sd**2 / n_runs
    run = run_sd**2 / n_runs + rest
    return CrossedVariance(n_units, n_runs, n_runs, 2 * method_sd**2 + 2 * rest, run, run, rest, rest)


@pytest.mark.parametrize(
    "components", [(0, 0.8, 0.5, 2), (0, 0.4, 0.5, 3), (0.5, 0.4, 0.5, 2), (0.5, 0.2, 0.5, 3), (0.5, 0.4, 0.5, 5)]
)
def test_the_smallest_difference_of_methods_is_found_with_80_percent_power(components):
    """By the crossed analysis, also with two or three runs, of which a t-test with the true df would promise more."""
    method_sd, run_sd, rest_sd, n_runs = components
    truth, n = crossed_of(*components), 100
    difference = math.sqrt(truth.total) * smallest_ratio(crossed_threshold(truth, 0.95))
    draws, found = np.random.default_rng(2), 0
    for _ in range(REPETITIONS):
        scores = [
            shift
            + math.sqrt(n) * method_sd * draws.normal(size=n)
            + run_sd * draws.normal(size=(n_runs, 1))
            + math.sqrt(n) * rest_sd * draws.normal(size=(n_runs, n))
            for shift in (difference, 0)
        ]
        runs = tuple(one.mean(axis=1) for one in scores)
        influence = tuple((one - mean[:, None]) / n for one, mean in zip(scores, runs, strict=True))
        variance = cross_variances(runs, influence, 1.0)
        p_value, *_ = judge_by_t(runs[0].mean() - runs[1].mean(), math.sqrt(variance.total), variance.df, 0.95, 1.0)
        found += p_value <= 0.05
    low, high = band(0.8)
    assert low <= found / REPETITIONS <= high


def test_with_many_runs_and_units_the_threshold_is_that_of_a_known_error():
    threshold = crossed_threshold(crossed_of(0.5, 0.4, 0.5, 5000, n_units=5000), 0.95)
    assert threshold.values == pytest.approx(1.96, abs=0.15)
    assert threshold.weights.sum() == pytest.approx(1)
    assert power_of(2.8, threshold).power == pytest.approx(power_of(2.8, t_threshold(MANY, 0.95)).power, abs=0.003)


def test_pooled_runs_share_one_mean_square():
    """What is known of the runs of ten systems finds more than what is known of the two that are compared."""
    own = crossed_of(0, 0.8, 0.1, 3)
    pooled = replace(own, pooled_df=20)
    both = crossed_threshold(own, 0.95), crossed_threshold(pooled, 0.95)
    assert power_of(3, both[1]).power > power_of(3, both[0]).power + 0.1
    exact = power_of(3, t_threshold(20, 0.95)).power  # all variation is over runs
    assert power_of(3, both[1]).power == pytest.approx(exact, abs=0.02)


def test_what_cannot_be_tested_has_no_threshold():
    assert crossed_threshold(CrossedVariance(1, 3, 3, 0.1, 0.1, 0.1, 0.1, 0.1, 1.0), 0.95) is None
    assert crossed_threshold(CrossedVariance(10, 3, 3, 0.0, 0.0, 0.0, 0.0, 0.0), 0.95) is None


@pytest.mark.parametrize("power", [0, 0.05, 1, True, "0.8", math.nan])
def test_a_power_is_above_the_size_of_the_test_and_below_1(power):
    sentence = (
        f"power is {power!r}, but a number between 0.05 (what a test rejects where there is no difference) and 1 was "
        "expected, such as 0.8."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        check_power(power, 0.95)
