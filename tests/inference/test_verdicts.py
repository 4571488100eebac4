"""Monte-Carlo error, families, and the verdict."""

import math
from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import bootstrap_interval, compare
from mtworkbench.inference.intervals import monte_carlo_ends
from mtworkbench.inference.verdicts import conclude, judge_holm, word_verdict
from mtworkbench.resampling import RandomKey
from mtworkbench.results.estimates import smallest_p
from mtworkbench.results.settings import Settings, choose_n_trials, min_trials
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


def judge_one(p, low, high, level=0.95):
    [verdict] = judge_holm([p], [low], [high], level)
    assert word_verdict(low, high, level) == verdict.verdict
    return verdict


def judge_counts(counts, n_trials, level=0.95):
    """Judge a family by the numbers of extreme trials of each comparison."""
    lows, highs = zip(*(monte_carlo_ends(count, n_trials) for count in counts), strict=True)
    return judge_holm([(count + 1) / (n_trials + 1) for count in counts], lows, highs, level)


def test_both_ends_decide():
    assert judge_one(0.03, 0.02, 0.04).verdict == "significant"
    assert judge_one(0.06, 0.055, 0.07).verdict == "not significant"
    assert judge_one(0.03, 0.02, 0.05).verdict == "significant"  # p <= 1 - level is significant
    assert judge_one(0.045, 0.04, 0.0500001).verdict == "undecided"


@pytest.mark.parametrize(("p", "level"), [(0.05, 0.95), (0.1, 0.9), (0.01, 0.99), (2**-4, 1 - 2**-4)])
def test_an_exact_p_at_the_threshold_is_significant(p, level):
    """1 - 0.9 is 0.09999999999999998 in floats."""
    assert judge_one(p, p, p, level).verdict == "significant"


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


# ---- families


def test_threshold_at_the_rank():
    """The smallest of three is held against 0.05 / 3, the next against 0.05 / 2."""
    verdicts = judge_holm([0.3, 0.016, 0.024], [0.29, 0.015, 0.0235], [0.31, 0.018, 0.026], 0.95)
    assert [verdict.verdict for verdict in verdicts] == ["not significant", "undecided", "undecided"]
    assert [verdict.p_adjusted for verdict in verdicts] == pytest.approx([0.3, 0.048, 0.048])
    assert [verdict.n_trials_to_decide for verdict in verdicts] == [None] * 3


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0)])
def test_the_order_of_equal_p_decides_nothing(order):
    """Two pairs with the same p, whose ends differ: both are held against 0.05 / 3."""
    p_values, lows, highs = (0.016, 0.016, 0.9), (0.015, 0.014, 0.89), (0.018, 0.019, 0.91)
    given = [[values[place] for place in order] for values in (p_values, lows, highs)]
    verdicts = dict(zip(order, judge_holm(*given, 0.95), strict=True))
    assert [verdicts[place].verdict for place in range(3)] == ["undecided", "undecided", "not significant"]


def test_holm_is_applied_to_all_lower_and_to_all_upper_ends():
    """Alone the second would be decided; in the family it waits for the first."""
    assert judge_one(0.03, 0.028, 0.033).verdict == "significant"
    verdicts = judge_holm([0.025, 0.03], [0.022, 0.028], [0.028, 0.033], 0.95)
    assert [verdict.verdict for verdict in verdicts] == ["undecided", "undecided"]


@pytest.fixture
def two_metrics(make_bleu, make_ter):
    return [make_bleu(80, runs=(2, 2, 2), gain=0.008), make_ter(80, runs=(2, 2, 2), gain=0.02)]


@pytest.mark.parametrize("adjust", ["holm", "max-t"])
def test_all_metrics_are_one_family(two_metrics, adjust):
    options = {"n_trials": 1000, "rng": 1, "adjust": adjust}
    apart, together = (compare(two_metrics, **options, family=family) for family in ("metric", "all"))
    frame, own = together.to_frame(), apart.to_frame()
    for p, adjusted in (("p_value", "p_adjusted"), ("method_p_value", "method_p_adjusted")):
        assert frame[p].tolist() == own[p].tolist()
        if adjusted == "p_adjusted" and adjust == "max-t":
            assert (frame[adjusted] >= own[adjusted]).all() and (frame[adjusted] > own[adjusted]).any()
            continue
        assert frame[adjusted].tolist() == holm_adjust(frame[p]).tolist()
        assert own[adjusted].tolist() == [*holm_adjust(frame[p][:3]), *holm_adjust(frame[p][3:])]
    assert [(metric.family_size, metric.method_family_size) for metric in together.metrics.values()] == [(6, 6)] * 2
    assert [(metric.family_size, metric.method_family_size) for metric in apart.metrics.values()] == [(3, 3)] * 2


def test_the_adjustment_changes_no_p_and_no_bootstrap(make_bleu):
    """Also of pairs that lack scores: nothing but the adjustment and what follows from it differs."""
    statistics = make_bleu(80, runs=(2, 2, 2), gain=0.006)
    options = {"n_trials": 800, "rng": 2, "interval": "percentile"}
    by_holm, by_max_t = (compare(statistics, adjust=adjust, **options).to_frame() for adjust in ("holm", "max-t"))
    adjusted = ["p_adjusted", "verdict", "better", "conclusion", "tolerated_design_effect"]
    adjusted += [name for name in by_holm.columns if "equivalence" in name or "smallest_" in name]
    same = [name for name in by_holm.columns if name not in adjusted or name == "smallest_p"]
    assert set(by_max_t.columns) - set(by_holm.columns) == {
        "adjust", "simultaneous_low", "simultaneous_high", "excludes_zero",
        "method_simultaneous_low", "method_simultaneous_high", "method_excludes_zero",
    }  # fmt: skip
    assert by_holm[same].equals(by_max_t[same])
    assert (by_max_t["p_adjusted"] >= by_max_t["p_value"]).all()
    assert (by_max_t["p_adjusted"] <= by_holm["p_adjusted"]).all()


def test_a_family_of_max_t_needs_no_more_trials_than_one_comparison(make_bleu):
    statistics = make_bleu(60, runs=(1,) * 5, gain=0.05)
    options = {"unit": "segment", "n_resamples": 400, "n_trials": 72, "rng": 1}
    with pytest.warns(DataWarning, match="^With 72 trials and 10 comparisons, no difference can be called"):
        compare(statistics, adjust="holm", **options)
    found = compare(statistics, **options)  # which warns of nothing
    assert any(pair.verdict == "significant" for pair in found.metrics["BLEU"].comparisons)
    with pytest.warns(DataWarning, match="^With 71 trials and 10 comparisons, .*: use at least 72 trials"):
        compare(statistics, **options | {"n_trials": 71})
    settings = [choose_settings(n_comparisons=190, adjust=adjust) for adjust in ("holm", "max-t")]
    assert [(one.n_trials, one.fixed_trials) for one in settings] == [(14_016, True), (10_000, False)]


def choose_settings(n_comparisons, **options):
    asked = Settings("ar", "segment", "auto", 0.95, 1000, RandomKey(1), "unit", **options)
    return asked.settled(60, n_comparisons)


def test_a_family_of_all_needs_trials_for_all(two_metrics):
    with pytest.warns(DataWarning, match="^With 300 trials and 6 comparisons, .*: use at least 441 trials"):
        compare(two_metrics, n_trials=300, rng=1, adjust="holm", family="all")
    compare(two_metrics, n_trials=300, rng=1, adjust="holm")
    compare(two_metrics, n_trials=300, rng=1, family="all")


@pytest.mark.parametrize(("name", "value"), [("adjust", "bonferroni"), ("family", "metrics"), ("adjust", None)])
def test_another_word_is_refused(make_bleu, name, value):
    with pytest.raises(InputError, match=f"^{name} is {value!r}, but one of '.*', '.*' was expected.$"):
        compare(make_bleu(30), **{name: value})


def test_one_system_under_two_metrics_is_not_compared(make_bleu, make_ter):
    for adjust, family in product(("holm", "max-t"), ("metric", "all")):
        found = compare([make_bleu(60, runs=(1,)), make_ter(60, runs=(1,))], adjust=adjust, family=family, rng=1)
        assert found.to_frame().empty


def test_settings_name_how_p_is_adjusted(two_metrics):
    usual = compare(two_metrics, n_trials=500, rng=1)
    assert (usual.adjust, usual.family) == ("max-t", "metric")
    assert "|trials:500|interval:auto|" in usual.signature and "|adjust:max-t|" in usual.signature
    free = compare(two_metrics, rng=1)
    assert "|trials:auto|" in free.signature and free.n_trials in (10_000, 20_000, 40_000, 80_000, 160_000, 320_000)
    asked = compare(two_metrics, n_trials=500, rng=1, adjust="holm", family="all", runs="pooled")
    assert (asked.adjust, asked.family) == ("holm", "all")
    assert "|trials:500|interval:jackknife|level:0.95|resamples:1000|runs:pooled|family:all|rng:1|" in asked.signature
    assert list(asked.settings.shown())[-2:] == ["adjust", "family"]
    alone = bootstrap_interval(two_metrics[0]["s0"], rng=1)
    assert usual.metrics["BLEU"].systems[0].interval.signature == alone.signature


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
    (None, "significant", None, "shown on these outputs; new runs unknown"),
    (None, "significant", "not significant", "shown on these outputs only"),
    (None, "significant", "significant", "shown for the method"),
]


@pytest.mark.parametrize(("identical", "verdict", "method_verdict", "conclusion"), CONCLUSIONS)
def test_the_conclusion_is_the_first_that_fits(identical, verdict, method_verdict, conclusion):
    assert conclude(verdict, method_verdict, identical=identical) == conclusion
