"""Tests that see runs alone, against scipy's; and what few runs cannot show."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from mtworkbench.errors import InputError
from mtworkbench.inference import permute_runs, t_test_runs
from mtworkbench.inference.runs import smallest_p_of_runs, spread_factors
from mtworkbench.words.sentences_on_runs import describe_few_runs, describe_pooled_runs


def both(statistics):
    """The two systems of some statistics, in the order given."""
    return [statistics[name] for name in statistics]


@pytest.fixture
def make_runs(make_mean):
    """Systems of one segment a run: the runs' scores are the numbers given."""

    def make(**scores):
        return make_mean(**{name: np.asarray(runs, dtype=float)[:, None] for name, runs in scores.items()})

    return make


def test_students_t_is_scipys(make_runs):
    a, b = [1.2, 2.5, 1.9], [3.1, 2.2, 4.0, 3.5]
    statistics = make_runs(a=a, b=b)
    found = t_test_runs(statistics["a"], statistics["b"], level=0.9)
    expected = scipy.stats.ttest_ind(a, b)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.df == expected.df == 5
    interval = expected.confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert (found.runs_a, found.runs_b) == (3, 4)


@pytest.mark.parametrize(("a", "b"), [([1.2, 2.5, 1.9], [3.1, 2.2, 4.0]), ([1.0, 2.0], [2.0, 3.0, 4.0, 2.5])])
def test_permutation_is_scipys_enumeration(make_runs, a, b):
    statistics = make_runs(a=a, b=b)
    found = permute_runs(statistics["a"], statistics["b"], rng=1)

    def distance(x, y):
        return abs(np.mean(x) - np.mean(y))

    expected = scipy.stats.permutation_test((a, b), distance, n_resamples=np.inf, alternative="greater")
    assert found.exact
    assert found.n_splits == len(found.differences) == math.comb(len(a) + len(b), len(a))
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.p_low == found.p_high == found.p_value


def test_three_and_three_runs_cannot_go_below_a_tenth(make_runs):
    statistics = make_runs(a=[10, 11, 12], b=[1, 2, 3])
    assert permute_runs(statistics["a"], statistics["b"], rng=1).p_value == pytest.approx(0.1)
    assert [round(smallest_p_of_runs(n, n), 3) for n in (3, 4, 5)] == [0.1, 0.029, 0.008]  # CONVENTIONS, "Runs"
    statistics = make_runs(a=[10, 11], b=[1, 2, 3])
    found = permute_runs(statistics["a"], statistics["b"], rng=1)
    assert found.p_value == found.smallest_p == smallest_p_of_runs(2, 3) == 0.1


def test_many_runs_are_split_at_random(make_runs):
    draws = np.random.default_rng(1)
    a, b = draws.normal(0, 1, 12), draws.normal(0.9, 1, 14)
    statistics = make_runs(a=a, b=b)
    found = permute_runs(statistics["a"], statistics["b"], n_trials=4000, rng=5)
    again = permute_runs(statistics["a"], statistics["b"], n_trials=4000, rng=5)
    assert not found.exact
    assert (found.n_splits, found.rng, found.p_value) == (4000, 5, again.p_value)
    expected = scipy.stats.permutation_test(
        (a, b), lambda x, y: np.mean(x) - np.mean(y), n_resamples=20_000, rng=np.random.default_rng(1)
    )
    assert found.p_value == pytest.approx(expected.pvalue, abs=0.03)
    assert found.p_low < found.p_value < found.p_high
    assert found.signature.startswith("mean:score|test:runs|unit:run|trials:4000|rng:5|")


def test_a_copy_has_p_1(make_bleu):
    system = make_bleu(40, runs=(3,))["s0"]
    copy = replace(system, system="copy", values=system.values.copy())
    assert permute_runs(system, copy, rng=1).p_value == 1
    assert t_test_runs(system, copy).p_value == 1
    frozen = replace(system, values=np.stack([system.values[0]] * 2))
    assert permute_runs(frozen, replace(frozen, system="copy"), rng=1).p_value == 1
    assert t_test_runs(frozen, replace(frozen, system="copy")).p_value == 1


def test_runs_that_do_not_vary_have_no_t(make_runs):
    found = t_test_runs(*both(make_runs(a=[1, 1], b=[2, 2])))
    assert found.p_value is found.low is found.high is None
    assert found.signature.startswith("mean:score|test:t|unit:run|level:0.95|")


@pytest.mark.parametrize("test", [permute_runs, t_test_runs])
def test_one_run_is_refused(make_bleu, test):
    statistics = make_bleu(20, runs=(3, 1))
    with pytest.raises(InputError, match="^'s1' has one run, but testing the difference needs at least two runs per"):
        test(statistics["s0"], statistics["s1"])


def test_few_runs_hardly_tell_how_much_runs_vary():
    draws = np.random.default_rng(2)
    for n_runs in (2, 3, 10):
        low, high = spread_factors(n_runs)
        found = draws.normal(size=(20_000, n_runs)).std(axis=1, ddof=1)
        assert np.mean((found * low <= 1) & (found * high >= 1)) == pytest.approx(0.95, abs=0.006)
    assert spread_factors(3) == pytest.approx((0.5207, 6.285), rel=1e-3)


def test_what_few_runs_cannot_show_is_said():
    assert describe_few_runs(3, 3) == (
        "With 3 runs of a system, the true standard deviation between runs can be 0.52 to 6.3 times the measured one "
        "(95 % CI), so a small real difference can be missed."
    )
    assert describe_few_runs(5, 2) == (
        "With 2 runs of a system, the true standard deviation between runs can be 0.45 to 32 times the measured one "
        "(95 % CI), so a small real difference can be missed. With 2 runs, the p for the method can also be too "
        "small if one method varies much more between runs than the other."
    )
    assert describe_few_runs(10, 12) is None
    assert describe_few_runs(1, 3) is None


def test_what_pooled_runs_rest_on_is_said():
    assumed = "If the runs of a system vary even more, the p for the method can be too small."
    # Two degrees of freedom are those of three runs of one system.
    assert describe_pooled_runs(2) == (
        f"{assumed} With so few runs, the true standard deviation between runs can be 0.52 to 6.3 times the measured "
        "one (95 % CI)."
    )
    assert describe_pooled_runs(9) == assumed
