"""Monte-Carlo error, Holm's families and the verdict."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from mtworkbench.errors import InputError
from mtworkbench.inference.intervals import monte_carlo_ends
from mtworkbench.inference.verdicts import conclude, judge_family, trials_to_decide
from mtworkbench.results.estimates import smallest_p
from mtworkbench.results.settings import choose_n_trials, min_trials
from mtworkbench.results.verdicts import holm_adjust, judge_method_family


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


def judge_one(p, low, high, exact=False, level=0.95, n_trials=1000):
    [verdict] = judge_family([p], [low], [high], [exact], level, n_trials)
    return verdict


def judge_counts(counts, n_trials, level=0.95):
    """Judge a family by the numbers of extreme trials of each comparison."""
    lows, highs = zip(*(monte_carlo_ends(count, n_trials) for count in counts), strict=True)
    p_values = [(count + 1) / (n_trials + 1) for count in counts]
    return judge_family(p_values, lows, highs, [False] * len(counts), level, n_trials)


def test_both_ends_decide():
    assert judge_one(0.03, 0.02, 0.04).verdict == "significant"
    assert judge_one(0.06, 0.055, 0.07).verdict == "not significant"
    assert judge_one(0.03, 0.02, 0.05).verdict == "significant"  # p <= 1 - level is significant
    assert judge_one(0.045, 0.04, 0.0500001).verdict == "undecided"


@pytest.mark.parametrize(("p", "level"), [(0.05, 0.95), (0.1, 0.9), (0.01, 0.99), (2**-4, 1 - 2**-4)])
def test_an_exact_p_at_the_threshold_is_significant(p, level):
    """1 - 0.9 is 0.09999999999999998 in floats."""
    assert judge_one(p, p, p, exact=True, level=level).verdict == "significant"


# ---- how many trials a family needs


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("n_comparisons", [1, 3, 15, 136, 190])
def test_a_difference_that_no_trial_reaches_is_significant_from_so_many_trials_on(n_comparisons, level):
    """By Clopper and Pearson's interval and Holm, not by the formula: with one trial fewer it is not."""
    needed = min_trials(n_comparisons, level)
    for n_trials, verdict in ((needed, "significant"), (needed - 1, "undecided")):
        others = [n_trials] * (n_comparisons - 1)
        assert judge_counts([0, *others], n_trials, level)[0].verdict == verdict


def test_numbers_of_trials_that_are_known():
    assert [min_trials(n, 0.95) for n in (1, 3, 136, 190)] == [72, 220, 10_032, 14_016]
    assert min_trials(136, 0.99) == math.ceil(math.log(0.025) / math.log(1 - 0.01 / 136)) == 50_167
    assert min_trials(0, 0.95) == 1


@pytest.mark.parametrize(
    ("n_trials", "n_comparisons", "level", "chosen"),
    [(None, 1, 0.95, 10_000), (None, 136, 0.95, 10_032), (None, 1, 0.9999, 36_887), (50, 136, 0.95, 50)],
)
def test_an_unset_number_of_trials_is_10000_or_what_the_family_needs(n_trials, n_comparisons, level, chosen):
    assert choose_n_trials(n_trials, n_comparisons, level) == chosen


@pytest.mark.parametrize("n_trials", [0, -1, 1.5, True, "9"])
def test_another_number_of_trials_is_refused(n_trials):
    with pytest.raises(InputError, match="^n_trials is .*, but an integer of at least 1 was expected.$"):
        choose_n_trials(n_trials, 1, 0.95)


@pytest.mark.parametrize(
    ("n_coins", "n_trials", "exact", "expected"),
    [(0, 1, True, 1), (1, 2, True, 1), (5, 32, True, 1 / 16), (16, 2**16, True, 2**-15), (0, 0, True, 1)]
    + [(17, 999, False, 0.001), (300, 10_000, False, 1 / 10_001)],
)
def test_the_smallest_possible_p(n_coins, n_trials, exact, expected):
    assert smallest_p(n_coins, n_trials, exact) == expected


# ---- what would decide


def test_number_of_trials_that_would_decide():
    undecided = judge_one(0.045, 0.041, 0.0502)
    assert undecided.n_trials_to_decide == math.ceil(2.7 * 1.96**2 * 0.045 * 0.955 / 0.005**2) == 17_831
    assert judge_one(0.03, 0.02, 0.04).n_trials_to_decide is None
    assert judge_one(0.06, 0.055, 0.07).n_trials_to_decide is None


def test_nobody_is_told_to_wait_for_more_than_ten_million_trials():
    assert trials_to_decide(0.05, 0.05) is None
    assert trials_to_decide(0.0502, 0.05) is None  # 12 million
    assert trials_to_decide(0.0503, 0.05) == pytest.approx(5.5e6, rel=0.01)


@pytest.mark.parametrize("p", [0.04, 0.06])
def test_so_many_trials_decide_in_about_nine_of_ten_cases(p):
    """Of 1,000 repetitions; without the factor 2.7 it would be 58 %."""
    needed = trials_to_decide(p, 0.05)
    counts = np.random.default_rng(11).binomial(needed, p, 1000)
    decided = [judge_counts([count], needed)[0].verdict != "undecided" for count in counts]
    assert 0.8 <= np.mean(decided) <= 0.97
    expected = "significant" if p < 0.05 else "not significant"
    assert np.mean([judge_counts([count], needed)[0].verdict == expected for count in counts]) > 0.8


def test_advice_is_for_more_trials_than_were_made_and_for_no_fewer_than_the_family_needs():
    far = judge_one(0.03, 0.02, 0.06, n_trials=500)
    assert trials_to_decide(0.03, 0.05) < 800
    assert far.n_trials_to_decide == trials_to_decide(0.03, 0.05)
    assert judge_one(0.03, 0.02, 0.06, n_trials=800).n_trials_to_decide == 801
    [few] = judge_counts([0], 3)  # p = 1/4: the formula alone would ask for 49
    assert trials_to_decide(1 / 4, 0.05) < min_trials(1, 0.95) == 72
    assert (few.verdict, few.n_trials_to_decide) == ("undecided", 72)
    [first, *_] = judge_counts([0, *[20] * 135], 20)
    assert trials_to_decide(1 / 21, 0.05 / 136) < first.n_trials_to_decide == 10_032


def test_threshold_at_the_rank():
    """The smallest of three is held against 0.05 / 3, the next against 0.05 / 2."""
    verdicts = judge_family([0.3, 0.016, 0.024], [0.29, 0.015, 0.0235], [0.31, 0.018, 0.026], [False] * 3, 0.95, 1000)
    assert [verdict.verdict for verdict in verdicts] == ["not significant", "undecided", "undecided"]
    assert [verdict.p_adjusted for verdict in verdicts] == pytest.approx([0.3, 0.048, 0.048])
    smallest, second = (verdicts[i].n_trials_to_decide for i in (1, 2))
    assert smallest == math.ceil(2.7 * 1.96**2 * 0.016 * 0.984 / (0.016 - 0.05 / 3) ** 2)
    assert second == max(smallest, math.ceil(2.7 * 1.96**2 * 0.024 * 0.976 / (0.024 - 0.05 / 2) ** 2)) == smallest


def test_advice_is_the_running_maximum_in_holms_order():
    """A comparison is rejected only where all before it are, so it waits for whichever needs the most trials."""
    p_values = [0.024, 0.0155, 0.049]  # given in another order than Holm's
    lows, highs = [0.023, 0.014, 0.045], [0.026, 0.018, 0.053]
    verdicts = judge_family(p_values, lows, highs, [False] * 3, 0.95, 1000)
    assert {verdict.verdict for verdict in verdicts} == {"undecided"}
    own = [trials_to_decide(p, 0.05 / (3 - rank)) for p, rank in zip(p_values, (1, 0, 2), strict=True)]
    assert own[1] < own[0] < own[2]
    assert [verdict.n_trials_to_decide for verdict in verdicts] == own
    verdicts = judge_family([0.024, 0.0164, 0.046], lows, highs, [False] * 3, 0.95, 1000)
    largest = trials_to_decide(0.0164, 0.05 / 3)
    assert largest > trials_to_decide(0.024, 0.05 / 2) > trials_to_decide(0.046, 0.05)
    assert [verdict.n_trials_to_decide for verdict in verdicts] == [largest] * 3
    verdicts = judge_family([0.024, 0.05 / 3, 0.046], lows, highs, [False] * 3, 0.95, 1000)
    assert [verdict.n_trials_to_decide for verdict in verdicts] == [None] * 3  # the first needs too many


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0)])
def test_the_order_of_equal_p_decides_nothing(order):
    """Two pairs with the same p, whose ends differ: both have the rank of the first, which is held against 0.05 / 3."""
    p_values, lows, highs = (0.016, 0.016, 0.9), (0.015, 0.014, 0.89), (0.018, 0.019, 0.91)
    given = [[values[place] for place in order] for values in (p_values, lows, highs)]
    verdicts = dict(zip(order, judge_family(*given, [False] * 3, 0.95, 1000), strict=True))
    own = trials_to_decide(0.016, 0.05 / 3)
    assert [verdicts[place].verdict for place in range(3)] == ["undecided", "undecided", "not significant"]
    assert [verdicts[place].n_trials_to_decide for place in range(3)] == [own, own, None]
    # One is exact, and the other has the rank of the first whichever comes first.
    exact = [place == 0 for place in order]
    verdicts = dict(zip(order, judge_family(*given, exact, 0.95, 1000), strict=True))
    assert [verdicts[place].n_trials_to_decide for place in range(3)] == [None, own, None]


def test_holm_is_applied_to_all_lower_and_to_all_upper_ends():
    """Alone the second would be decided; in the family it waits for the first."""
    assert judge_one(0.03, 0.028, 0.033).verdict == "significant"
    verdicts = judge_family([0.025, 0.03], [0.022, 0.028], [0.028, 0.033], [False, False], 0.95, 1000)
    assert [verdict.verdict for verdict in verdicts] == ["undecided", "undecided"]


def test_an_exact_p_needs_no_more_trials():
    verdicts = judge_family([0.025, 0.03], [0.022, 0.03], [0.028, 0.03], [False, True], 0.95, 1000)
    assert [verdict.verdict for verdict in verdicts] == ["undecided", "undecided"]
    assert verdicts[1].n_trials_to_decide is None


# ---- methods, and what a reader may take away


def test_methods_are_a_family_of_those_that_have_a_p():
    judged = judge_method_family([0.02, None, 0.03, None, 0.6], 0.95)
    assert [p for p, _ in judged] == pytest.approx([0.06, None, 0.06, None, 0.6])
    assert [verdict for _, verdict in judged] == ["not significant", None, "not significant", None, "not significant"]
    judged = judge_method_family([None, 0.02, 0.03], 0.95)
    assert [p for p, _ in judged] == pytest.approx([None, 0.04, 0.04])
    assert [verdict for _, verdict in judged] == [None, "significant", "significant"]
    assert judge_method_family([None, None], 0.95) == [(None, None), (None, None)]
    assert judge_method_family([], 0.95) == []
    assert judge_method_family([0.1], 0.9) == [(0.1, "significant")]  # 1 - 0.9 is 0.0999... in floats


CONCLUSIONS = [
    # no segment differs, outputs, method -> conclusion: the first row that fits
    ("copies", "not significant", None, "copies"),
    ("copies", "not significant", "not significant", "copies"),
    ("copies", "undecided", "significant", "copies"),
    ("identical scores", "not significant", None, "identical scores"),
    (None, "undecided", None, "undecided"),
    (None, "undecided", "significant", "undecided"),
    (None, "undecided", "not significant", "undecided"),
    (None, "not significant", None, "not shown"),
    (None, "not significant", "significant", "not shown"),
    (None, "not significant", "not significant", "not shown"),
    (None, "significant", None, "shown on these outputs; method not tested"),
    (None, "significant", "not significant", "shown on these outputs only"),
    (None, "significant", "significant", "shown for the method"),
]


@pytest.mark.parametrize(("identical", "verdict", "method_verdict", "conclusion"), CONCLUSIONS)
def test_the_conclusion_is_the_first_that_fits(identical, verdict, method_verdict, conclusion):
    assert conclude(verdict, method_verdict, identical=identical) == conclusion
