"""Families keep their size: all pairs of several equal systems, 2,000 repetitions, 99.9 % bands.

With 500 repetitions the band around 5 % is 2.2-8.4 %, and a wrong test passes. Real outputs are in
benchmarks/calibration/engine.py.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from mtworkbench.inference.trials import Contrast, TrialFamily

pytestmark = pytest.mark.long
REPETITIONS = 2000


def band(share):
    low, high = scipy.stats.binom.interval(0.999, REPETITIONS, share)
    return low / REPETITIONS, high / REPETITIONS


def errors_of_max_t(n_systems, n_units, truth, draws, *, scale=None, n_trials=199):
    """How often max-T calls equal systems different, or an interval of theirs excludes 0."""
    pairs = [(a, b) for b, a in combinations(range(n_systems), 2)]
    first, second = np.array(pairs).T
    equal = np.flatnonzero(truth[first] == truth[second])
    shares = np.full(n_units, 1 / n_units)
    erred = 0
    for _ in range(REPETITIONS):
        scores = draws.normal(size=(n_systems, n_units)) + truth[:, None]
        signs = 1 - 2.0 * draws.integers(0, 2, (n_units, n_trials))
        gains = (scores[first] - scores[second]) / n_units
        means = scores.mean(axis=1)
        contrasts = [
            Contrast.of(one, shares, means[list(pair)], n_units) for one, pair in zip(gains, pairs, strict=True)
        ]
        if scale == "jackknife":
            contrasts = [replace(one, sigma=(one.sigma**2 - one.difference**2 / n_units) ** 0.5) for one in contrasts]
        family = TrialFamily(contrasts, 0.95)
        family.count(gains @ signs, signs.mean(axis=0), n_trials)
        found = family.test(n_trials, exact=False)
        if scale is None:  # where the interval excludes 0, a single step rejects, and so does step-down
            assert all(one.p_adjusted <= 0.05 for one in found if one.simultaneous_low > 0 or one.simultaneous_high < 0)
        erred += any(found[place].p_adjusted <= 0.05 for place in equal)
    return erred / REPETITIONS


def test_max_t_keeps_the_size_of_its_family():
    """5 and 17 equal systems on 20 units."""
    low, high = band(0.05)
    assert low <= errors_of_max_t(5, 20, np.zeros(5), np.random.default_rng(7)) <= high
    assert low <= errors_of_max_t(17, 20, np.zeros(17), np.random.default_rng(8)) <= high


def test_max_t_keeps_the_size_of_its_family_where_some_systems_differ():
    """The pairs of different systems do not make those of equal ones err: 5 equal systems, 1 better, 2 far better."""
    truth = np.repeat([0.0, 0.8, 4.0], [5, 1, 2])
    assert 0.01 < errors_of_max_t(8, 40, truth, np.random.default_rng(9)) <= band(0.05)[1]


def test_with_the_jackknifes_standard_error_max_t_would_err_too_often():
    """Why differences are divided by their spread in the trials, which exchanging outputs does not change."""
    found = errors_of_max_t(5, 20, np.zeros(5), np.random.default_rng(10), scale="jackknife")
    assert found > 1.3 * band(0.05)[1]


def test_intervals_over_sets_keep_their_level_where_sets_differ():
    """Two comparisons, whose true differences vary from set to set by three standard errors: neither is too wide."""
    truth, n_units, n_trials = np.array([[3.0, 0.0, 0.0], [-1.5, 1.5, -0.5]]), 40, 199
    draws, missed = np.random.default_rng(12), 0
    shares = np.full(n_units, 1 / n_units)
    for _ in range(REPETITIONS):
        scores = truth[:, :, None] + 3 * draws.normal(size=(2, 3, n_units))
        means = scores.mean(axis=2)
        signs = 1 - 2.0 * draws.integers(0, 2, (3, n_units, n_trials))
        shifts = signs.mean(axis=1)
        contrasts = [
            Contrast.average([
                Contrast.of(scores[pair, place] / n_units, shares, [means[pair, place], 0.0], n_units)
                for place in range(3)
            ])
            for pair in range(2)
        ]  # fmt: skip
        family = TrialFamily(contrasts, 0.95)
        trials = np.einsum("psu,sut->pt", scores, signs) / (3 * n_units)
        family.count(trials, shifts.mean(axis=0), n_trials, np.einsum("ps,st->pt", means, shifts) / 3)
        found = family.test(n_trials, exact=False)
        missed += not all(
            one.simultaneous_low <= true <= one.simultaneous_high
            for one, true in zip(found, truth.mean(axis=1), strict=True)
        )
    assert missed / REPETITIONS <= band(0.05)[1]
