"""Monte-Carlo error, Holm's families and the verdict."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from mtworkbench.inference.verdicts import holm_adjust, judge_family, monte_carlo_ends, trials_to_decide


@pytest.mark.parametrize(("n_extreme", "n_trials"), [(0, 10), (10, 10), (1, 1000), (499, 10_000), (9_999, 10_000)])
def test_monte_carlo_error_is_clopper_pearsons(n_extreme, n_trials):
    expected = scipy.stats.binomtest(n_extreme, n_trials).proportion_ci(0.95, "exact")
    assert monte_carlo_ends(n_extreme, n_trials) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_holm_by_hand():
    assert holm_adjust([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm_adjust([0.7, 0.9]) == pytest.approx([1, 1])
    assert holm_adjust([0.2]) == pytest.approx([0.2])
    assert holm_adjust([]).shape == (0,)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_lies_between_raw_and_bonferroni_and_keeps_the_order(p_values):
    adjusted = holm_adjust(p_values)
    assert (adjusted >= np.array(p_values)).all()
    assert (adjusted <= np.minimum(np.array(p_values) * len(p_values), 1)).all()
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


def judge_one(p, low, high, exact=False, level=0.95):
    [verdict] = judge_family([p], [low], [high], [exact], level)
    return verdict


def test_both_ends_decide():
    assert judge_one(0.03, 0.02, 0.04).verdict == "significant"
    assert judge_one(0.06, 0.055, 0.07).verdict == "not significant"
    assert judge_one(0.03, 0.02, 0.05).verdict == "significant"  # p <= 1 - level is significant
    assert judge_one(0.045, 0.04, 0.0500001).verdict == "undecided"


@pytest.mark.parametrize(("p", "level"), [(0.05, 0.95), (0.1, 0.9), (0.01, 0.99), (2**-4, 1 - 2**-4)])
def test_an_exact_p_at_the_threshold_is_significant(p, level):
    """1 - 0.9 is 0.09999999999999998 in floats."""
    assert judge_one(p, p, p, exact=True, level=level).verdict == "significant"


def test_number_of_trials_that_would_decide():
    undecided = judge_one(0.045, 0.041, 0.0502)
    assert undecided.n_trials_to_decide == int(np.ceil(1.96**2 * 0.045 * 0.955 / 0.005**2)) == 6604
    assert judge_one(0.03, 0.02, 0.04).n_trials_to_decide is None
    assert judge_one(0.06, 0.055, 0.07).n_trials_to_decide is None


def test_nobody_is_told_to_wait_for_more_than_ten_million_trials():
    assert trials_to_decide(0.05, 0.05) is None
    assert trials_to_decide(0.0501, 0.05) is None  # 18 million
    assert trials_to_decide(0.0502, 0.05) == pytest.approx(4.58e6, rel=0.01)


def test_threshold_at_the_rank():
    """The smallest of three is held against 0.05 / 3, the next against 0.05 / 2."""
    verdicts = judge_family([0.3, 0.016, 0.024], [0.29, 0.015, 0.0235], [0.31, 0.018, 0.026], [False] * 3, 0.95)
    assert [verdict.verdict for verdict in verdicts] == ["not significant", "undecided", "undecided"]
    assert [verdict.p_adjusted for verdict in verdicts] == pytest.approx([0.3, 0.048, 0.048])
    smallest, second = (verdicts[i].n_trials_to_decide for i in (1, 2))
    assert smallest == np.ceil(1.96**2 * 0.016 * 0.984 / (0.016 - 0.05 / 3) ** 2)
    assert second == np.ceil(1.96**2 * 0.024 * 0.976 / (0.024 - 0.05 / 2) ** 2)


def test_holm_is_applied_to_all_lower_and_to_all_upper_ends():
    """Alone the second would be decided; in the family it waits for the first."""
    assert judge_one(0.03, 0.028, 0.033).verdict == "significant"
    verdicts = judge_family([0.025, 0.03], [0.022, 0.028], [0.028, 0.033], [False, False], 0.95)
    assert [verdict.verdict for verdict in verdicts] == ["undecided", "undecided"]


def test_an_exact_p_needs_no_more_trials():
    verdicts = judge_family([0.025, 0.03], [0.022, 0.03], [0.028, 0.03], [False, True], 0.95)
    assert [verdict.verdict for verdict in verdicts] == ["undecided", "undecided"]
    assert verdicts[1].n_trials_to_decide is None
