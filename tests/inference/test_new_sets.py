"""New test sets: never surer than these, how sure the spread is, what one set carries, and new runs on new sets."""

import math
import warnings
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize
import scipy.stats

from mtworkbench.errors import DataWarning
from mtworkbench.inference import compare_test_sets
from mtworkbench.inference.claims import Shown, join_ends, join_verdicts, judge_claims
from mtworkbench.inference.new_sets import (
    bound_spread,
    cross_sets,
    estimate_spread,
    expect_new_sets,
    expect_q,
    leave_out,
    rest_on,
    spread_over,
)
from mtworkbench.results.campaigns import Claim, NewSets
from mtworkbench.results.verdicts import Ends, holm_adjust

from ..made_campaigns import make_bcg_trials

QUICK = {"n_resamples": 400, "n_trials": 999, "rng": 1}


def as_set(statistics, name):
    return replace(statistics, test_set=replace(statistics.test_set, references=name, lineage=object()))


def quietly(sets, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return compare_test_sets(sets, **QUICK | options)


def pairs_of(found):
    return [pair for metric in found.metrics.values() for pair in metric.comparisons]


def excludes_zero(ends):
    low, high, side = ends
    return low is not None and (side != 0 or low > 0 or high < 0)


# ---- the floor


def test_sets_that_agree_better_than_their_segments_allow_are_no_surer_than_these():
    """1.0, 1.1, 0.9 with variances of 0.25: e^2 = 0.75 / 9, t = 2 sqrt(3); of one new set 0.25 * 4 / 3."""
    found = expect_new_sets(np.array([1.0, 1.1, 0.9]), [0.25, 0.25, 0.25], 0.95, 1.0)
    assert found.errors == ((pytest.approx(math.sqrt(0.75) / 3), 2.0),)
    assert found.p_value == found.t_p_value == pytest.approx(0.07418, abs=1e-5)
    assert (found.low, found.high) == pytest.approx((1 - 4.302653 * math.sqrt(0.75) / 3, 1 + 1.2420687), abs=1e-5)
    assert found.one_high - 1 == pytest.approx(4.302653 * math.sqrt(0.25 * 4 / 3), abs=1e-5)
    assert (found.df, found.spread) == (2, 0)


def test_sets_that_differ_more_than_their_segments_explain_are_as_before():
    differences = np.array([1.0, 3.0, 0.5, 2.0])
    found = expect_new_sets(differences, [0.3, 0.1, 0.2, 0.4], 0.9, 1.0)
    test = scipy.stats.ttest_1samp(differences, 0)
    assert found.p_value == pytest.approx(test.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(test.confidence_interval(0.9)))
    unknown = expect_new_sets(np.array([1.0, 1.1, 0.9]), [0.25, None, 0.25], 0.95, 1.0)
    assert unknown.p_value == pytest.approx(scipy.stats.ttest_1samp([1.0, 1.1, 0.9], 0).pvalue)
    assert (unknown.spread, unknown.spread_low, unknown.spread_p_value) == (None, None, None)


def test_a_claim_has_the_largest_p_and_the_interval_that_has_all():
    claim = Claim(t_p_value=0.02, low=0.1, high=1.9, df=4.0, errors=((0.3, 4.0),))
    found = rest_on(claim, [(0.03, 0.3, 1.7), (0.001, 0.5, 2.5)])
    assert (found.p_value, found.low, found.high, found.t_p_value) == (0.03, 0.1, 2.5, 0.02)
    one = NewSets(t_p_value=0.02, low=0.1, high=1.9, one_low=0.2, one_high=2.2)
    found = rest_on(one, [(0.03, -0.3, 1.7)])
    assert (found.low, found.high, found.one_low, found.one_high) == (-0.3, 1.9, -0.3, 2.2)
    found = rest_on(one, [(0.03, None, None)])
    assert (found.low, found.high, found.one_low, found.one_high) == (None, None, 0.2, 2.2)
    found = rest_on(claim, [(0.2, None, None)])
    assert (found.p_value, found.low, found.high) == (0.2, None, None)
    assert rest_on(claim, [(None, None, None)]) == Claim()


def test_a_claim_is_shown_only_where_all_that_it_rests_on_is():
    words = (None, "significant", "not significant", "undecided")
    for verdicts in product(words, repeat=3):
        found = join_verdicts(verdicts)
        if None in verdicts:
            assert found is None
        elif "not significant" in verdicts:
            assert found == "not significant"
        else:
            assert found == ("undecided" if "undecided" in verdicts else "significant")


def test_zero_is_outside_the_printed_interval_exactly_where_a_claim_is_shown():
    ends = [Ends(-2.0, -0.5), Ends(-1.0, 2.0), Ends(0.0, 1.0, 1), Ends(0.0, 1.0), Ends(0.25, 3.0)]
    for parts in product(ends, repeat=2):
        low, high = min(one.low for one in parts), max(one.high for one in parts)
        for difference in (-1.0, 1.0):
            cut = join_ends(parts, difference, "significant")
            assert excludes_zero(cut)
            assert (cut.low, cut.high) in ((low, high), (0.0, high), (low, 0.0))
        for verdict in ("not significant", "undecided"):
            whole = join_ends(parts, 1.0, verdict)
            assert not excludes_zero(whole) and (whole.low, whole.high) == (min(low, 0), max(high, 0))
        assert (
            join_ends(parts, 1.0, None) == join_ends([*parts, Ends(None, None)], 1.0, "significant") == (None, None, 0)
        )


@pytest.mark.parametrize("options", [{}, {"adjust": "holm"}, {"interval": "jackknife"}, {"interval": "percentile"}])
def test_new_sets_never_claim_more_than_these(make_bleu, options):
    """Of sets that differ little and of sets that differ much, by every kind of interval."""
    shown = set()
    for seed in range(12):
        sets = {}
        for number, name in enumerate("wxyz"[: 2 + seed % 3]):
            gain = 0.002 * (seed + number * (seed % 3))
            sets[name] = as_set(make_bleu(60, runs=(1, 1, 1), gain=gain, seed=10 * seed + number), name)
        pairs = pairs_of(quietly(sets, **options))
        t_p_values = []
        for pair in pairs:
            differences = np.array([one.difference for one in pair.sets])
            n_sets, errors = len(differences), np.array([one.standard_error for one in pair.sets])
            error = math.sqrt(max(differences.var(ddof=1) / n_sets, (errors**2).sum() / n_sets**2))
            t_p_values.append(2 * scipy.stats.t.sf(abs(pair.difference) / error, n_sets - 1))
            half = scipy.stats.t.ppf(0.975, n_sets - 1) * error
            assert pair.new_sets_t_p_value == pytest.approx(t_p_values[-1])
            assert pair.new_sets_p_value == pytest.approx(max(t_p_values[-1], pair.p_value))
            assert pair.new_sets_low == pytest.approx(min(pair.low, pair.difference - half))
            assert pair.new_sets_high == pytest.approx(max(pair.high, pair.difference + half))
            own = pair.new_sets_ends
            assert excludes_zero(own) == (pair.new_sets_verdict == "significant")
            assert own.low <= pair.ends.low and pair.ends.high <= own.high
            # One set is never expected more narrowly than the mean of all, printed or by itself.
            one = pair.one_new_set_ends
            if n_sets == 2:
                assert tuple(one) == (None, None, 0)  # too few to say
                continue
            assert one.low <= own.low and own.high <= one.high and one.side == 0
            assert pair.one_new_set_low <= pair.new_sets_low and pair.new_sets_high <= pair.one_new_set_high
            size = len(pairs) if options.get("adjust") != "holm" else 1
            half = scipy.stats.t.ppf(1 - 0.025 / size, n_sets - 1) * error * math.sqrt(n_sets + 1)
            expected = min(pair.difference - half, own.low), max(pair.difference + half, own.high)
            expected = max(-100, expected[0]), min(100, expected[1])  # no BLEU differs by more
            assert (one.low, one.high) == pytest.approx(expected)
            assert pair.turned().one_new_set_ends == one.turned()
        for pair, of_t in zip(pairs, holm_adjust(t_p_values), strict=True):
            assert pair.new_sets_p_adjusted == pytest.approx(max(of_t, pair.p_adjusted))
            is_shown = of_t <= 0.05 and pair.verdict == "significant"
            assert pair.new_sets_verdict == ("significant" if is_shown else "not significant")
            shown.add((of_t <= 0.05, pair.verdict))
    assert {(True, "not significant"), (True, "significant"), (False, "significant")} & shown


def test_undecided_on_these_is_undecided_for_new_ones(make_mean):
    """So few trials cannot tell on which side of 0.05 p is; Student's t over sets alone would be sure."""
    draws = np.random.default_rng(0)
    found = set()
    for shift in np.linspace(0.5, 0.9, 9):
        sets = {}
        for name in "xyz":
            gain = draws.normal(0, 2, 40)
            sets[name] = as_set(make_mean(base=np.zeros(40), new=gain - gain.mean() + shift), name)
        [pair] = pairs_of(quietly(sets, n_trials=99))
        if pair.verdict == "undecided":
            assert pair.new_sets_verdict in ("undecided", "not significant")
            assert (pair.new_sets_verdict == "undecided") == (pair.new_sets_t_p_value <= 0.05)
        found.add((pair.verdict, pair.new_sets_verdict))
    assert "undecided" in {verdict for verdict, _ in found}


# ---- how sure the spread is


def by_brentq(differences, variances, level):
    """The Q profile, from its definition: the roots of Q(T) - quantile."""
    found = []
    for tail in ((1 + level) / 2, (1 - level) / 2):
        target = scipy.stats.chi2.ppf(tail, len(differences) - 1)

        def distance(between, target=target):
            weights = 1 / (variances + between)
            center = (weights * differences).sum() / weights.sum()
            return (weights * (differences - center) ** 2).sum() - target

        found.append(0.0 if distance(0.0) <= 0 else math.sqrt(scipy.optimize.brentq(distance, 0, 1e6, xtol=1e-14)))
    return found


@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_the_interval_of_the_spread_is_the_q_profile(level):
    """But the upper end is at least that of sets without a spread whose Q is as it is expected."""
    draws = np.random.default_rng(3)
    ends, raised = [], 0
    for n_sets in (3, 4, 7, 14):
        for between in (0.0, 0.3, 2.0):
            variances = draws.uniform(0.05, 1.0, n_sets)
            differences = draws.normal(0.5, np.sqrt(variances + between**2))
            found = bound_spread(differences, variances, level)
            low, high = by_brentq(differences, variances, level)
            assert found[0] == pytest.approx(low, abs=1e-9)
            least = expect_q(variances, found[1] ** 2) - scipy.stats.chi2.ppf((1 - level) / 2, n_sets - 1)
            if found[1] == pytest.approx(high, abs=1e-9):
                assert least <= 1e-9
            else:
                assert found[1] > high and least == pytest.approx(0, abs=1e-9)
            raised += found[1] > high + 1e-9
            ends += found
    assert min(ends) == 0 < max(ends) and 0 < raised < 12


def test_the_interval_of_the_spread_is_the_published_one_of_the_bcg_trials():
    """Viechtbauer (2007; confint of metafor): the variance between the trials is 0.1197 to 1.1115."""
    ratios, variances = make_bcg_trials()
    low, high = bound_spread(ratios, variances, 0.95)
    assert (low**2, high**2) == pytest.approx((0.1197, 1.1115), abs=5e-5)


def test_two_sets_have_no_interval_of_their_spread():
    assert bound_spread(np.array([0.0, 3.0]), np.array([0.1, 0.1]), 0.95) == (None, None)
    found = expect_new_sets(np.array([0.0, 3.0]), [0.1, 0.1], 0.95, 1.0)
    assert (found.spread_low, found.spread_high, found.without) == (None, None, (None, None))


def test_the_expected_q_is_the_mean_of_many():
    variances, draws = np.array([0.05, 0.3, 1.0, 2.0]), np.random.default_rng(4)
    assert expect_q(variances, 0.0) == pytest.approx(3)
    for between in (0.2, 1.5):
        q = [spread_over(one, variances, between) for one in draws.normal(0, np.sqrt(variances), (4000, 4))]
        assert np.mean(q) == pytest.approx(expect_q(variances, between), abs=4 * np.std(q) / math.sqrt(4000))


def test_the_estimate_of_the_spread_lies_in_its_interval():
    """Of sets of very different sizes, too: there the estimate by the method of moments lay outside."""
    draws, outside = np.random.default_rng(8), 0
    for n_sets in (3, 4, 5, 14):
        for _ in range(60):
            variances = 10 ** draws.uniform(-3, 0, n_sets)
            differences = draws.normal(0.5, np.sqrt(variances + draws.choice([0.0, 0.01, 0.3])))
            found = expect_new_sets(differences, variances, 0.95, 1.0)
            assert found.spread_low <= found.spread <= found.spread_high
            assert found.spread == estimate_spread(differences, variances)
            q = spread_over(differences, variances, found.spread**2)
            assert q <= n_sets - 1 if found.spread == 0 else q == pytest.approx(n_sets - 1)
            moments = math.sqrt(max(0.0, differences.var(ddof=1) - variances.mean()))
            outside += not found.spread_low <= moments <= found.spread_high
    assert outside > 0


def test_a_set_without_an_error_leaves_the_spread_to_the_method_of_moments():
    found = expect_new_sets(np.array([1.0, 3.0, 0.5]), [0.3, 0.0, 0.3], 0.95, 1.0)
    assert found.spread == pytest.approx(math.sqrt(1.75 - 0.2))
    assert (found.spread_low, found.spread_high, found.spread_p_value) == (None, None, None)


@pytest.mark.parametrize("differences", [[1.0, 1.0, 1.0], [1.0, 1.01, 0.99]])
def test_sets_that_happen_to_agree_do_not_make_a_small_spread_sure(differences):
    """With one variance v, Q is expected to be 2 v / (v + T): at T = v (2 / 0.0506 - 1) it is the quantile of 2.5 %."""
    low, high = bound_spread(np.array(differences), np.full(3, 0.04), 0.95)
    assert (low, high) == (0, pytest.approx(0.2 * math.sqrt(2 / scipy.stats.chi2.ppf(0.025, 2) - 1)))


@pytest.mark.parametrize("between", [0.0, 0.5, 2.0])
def test_the_interval_of_the_spread_covers_the_true_one(between):
    draws, covered = np.random.default_rng(11), 0
    for _ in range(1000):
        variances = draws.uniform(0.05, 1.0, 5)
        low, high = bound_spread(draws.normal(1, np.sqrt(variances + between**2)), variances, 0.9)
        covered += low <= between <= high
    # Of a spread of 0, which has no interval below it, only the lower end can err. The least upper end covers more.
    least, most = scipy.stats.binom.interval(1 - 1e-4, 1000, 0.95 if between == 0 else 0.9)
    assert least <= covered <= (1000 if between == 0.5 else most)


def test_q_falls_as_the_spread_rises():
    differences, variances = np.array([0.0, 1.0, 4.0]), np.array([0.2, 0.5, 1.0])
    q = [spread_over(differences, variances, between) for between in (0.0, 0.5, 1.0, 4.0)]
    assert q == sorted(q, reverse=True)
    center = (0 / 0.2 + 1 / 0.5 + 4 / 1.0) / (1 / 0.2 + 1 / 0.5 + 1)
    assert q[0] == pytest.approx(center**2 / 0.2 + (1 - center) ** 2 / 0.5 + (4 - center) ** 2)


# ---- without one set


def test_p_without_each_set_is_that_of_the_others():
    """Of three, two are left: p = 2 / pi * atan(1 / t), with the floor of these two."""
    differences = np.array([1.0, 1.2, 5.0])
    found = leave_out(differences, [0.5, 0.01, 0.01], 1.0)
    expected = [
        2 / math.pi * math.atan(max(1.9, math.sqrt(0.02) / 2) / 3.1),
        2 / math.pi * math.atan(max(2.0, math.sqrt(0.51) / 2) / 3.0),
        2 / math.pi * math.atan(max(0.1, math.sqrt(0.51) / 2) / 1.1),
    ]
    assert found == pytest.approx(expected)


def test_p_without_a_set_is_adjusted_like_that_with_all(make_bleu):
    sets = {name: as_set(make_bleu(80, runs=(1, 1, 1), gain=0.01, seed=i), name) for i, name in enumerate("xyz")}
    found = quietly(sets)
    pairs = pairs_of(found)
    for place, name in enumerate(sets):
        raw = [pair.sets[place].new_sets_without_p_value for pair in pairs]
        assert raw == [pair.new_sets.without[place] for pair in pairs]
        assert [pair.sets[place].new_sets_without_p_adjusted for pair in pairs] == pytest.approx(holm_adjust(raw))
        others = quietly({other: one for other, one in sets.items() if other != name})
        assert raw == pytest.approx([pair.new_sets_t_p_value for pair in pairs_of(others)])
        assert {one.new_sets_without_p_value for pair in pairs_of(others) for one in pair.sets} == {None}
    assert "new_sets_without_p_adjusted" in found.sets_frame()


# ---- new training runs on new test sets


def test_the_variance_over_runs_and_sets_is_that_of_the_two_way_table():
    draws = np.random.default_rng(5)
    scores = draws.normal(0, 1, (3, 4)), draws.normal(0, 1, (2, 4))
    found = cross_sets(scores, [0.0] * 4, 5.0)
    gains = scores[0].mean(axis=0) - scores[1].mean(axis=0)
    assert found.unit == pytest.approx(gains.var(ddof=1) / 4)
    for own, run, residual in zip(
        scores, (found.run_a, found.run_b), (found.residual_a, found.residual_b), strict=True
    ):
        n_runs, n_sets = own.shape
        rest = own - own.mean(axis=0) - own.mean(axis=1, keepdims=True) + own.mean()
        square = (rest**2).sum() / ((n_runs - 1) * (n_sets - 1))
        assert run == pytest.approx(own.mean(axis=1).var(ddof=1) / n_runs)
        assert residual == pytest.approx(square / (n_runs * n_sets))
    assert (found.n_units, found.runs_a, found.runs_b, found.unit_df) == (4, 3, 2, 3)
    floored = cross_sets(scores, [9.0, 9.0, 9.0, 5.0], 5.0)
    assert (floored.unit, floored.run_a) == (2.0, found.run_a)


@pytest.fixture
def with_runs(make_bleu):
    return {
        name: as_set(make_bleu(60, runs=(3, 4), gain=0.03 + 0.01 * (i % 2), seed=i), name)
        for i, name in enumerate("vwxy")
    }


@pytest.mark.parametrize("runs", ["separate", "pooled"])
def test_new_runs_on_new_sets_rest_on_both_claims(with_runs, runs):
    [pair] = pairs_of(quietly(with_runs, runs=runs))
    scores = [
        np.array([statistics[name].score()[0] for statistics in with_runs.values()]).T for name in (pair.a, pair.b)
    ]
    variance = cross_sets(tuple(scores), [one.standard_error**2 for one in pair.sets], 1.0)
    if runs == "separate":
        own = 2 * scipy.stats.t.sf(abs(pair.difference) / math.sqrt(variance.total), variance.df)
        assert pair.new_runs_and_sets_df == pytest.approx(variance.df)
        assert pair.new_runs_and_sets_t_p_value == pytest.approx(own)
    own = pair.new_runs_and_sets_t_p_value
    assert pair.new_runs_and_sets_p_value == max(own, pair.new_sets_p_value, pair.method_p_value)
    assert pair.new_runs_and_sets_p_adjusted == max(own, pair.new_sets_p_adjusted, pair.method_p_adjusted)
    assert pair.new_runs_and_sets_verdict == "significant" and pair.new_sets_verdict == "significant"
    both = pair.new_runs_and_sets_ends
    for narrower in (pair.ends, pair.new_sets_ends, pair.method_ends):
        assert both.low <= narrower.low and narrower.high <= both.high
    turned = pair.turned()
    assert (
        turned.new_runs_and_sets_ends == both.turned() and turned.new_runs_and_sets_low == -pair.new_runs_and_sets_high
    )


def test_without_the_same_runs_on_all_sets_nothing_is_said_of_new_ones(with_runs, make_bleu):
    for runs in ((3, 3), (1, 4)):
        [pair] = pairs_of(quietly(with_runs | {"y": as_set(make_bleu(60, runs=runs, gain=0.03), "y")}))
        assert (pair.new_runs_and_sets, pair.new_runs_and_sets_verdict) == (Claim(ends=Ends(None, None)), None)
        assert pair.new_sets_verdict is not None


def test_a_claim_by_itself_is_none_where_it_rests_on_what_is_not_shown():
    """t = 10 with 5 degrees of freedom; on these sets p is 0.2, so that it is 0.2 for new ones."""
    pair = SimpleNamespace(randomization=SimpleNamespace(difference=1.0, n_coins=9))
    settings = SimpleNamespace(adjust="max-t", level=0.95)
    claim = Claim(t_p_value=0.0002, low=0.74, high=1.26, df=5.0, errors=((0.1, 5.0),))
    these = Shown(0.2, "not significant", Ends(-0.5, 2.0)), Shown(0.01, "significant", Ends(0.3, 1.1))
    expected = (0.2, "not significant", (-0.5, 2.0, 0)), (0.01, "significant", (0.3, pytest.approx(1.257, abs=1e-3), 0))
    for own, (p_adjusted, verdict, ends) in zip(these, expected, strict=True):
        [found] = judge_claims([claim], [[own]], [pair], settings)
        assert (found.p_adjusted, found.verdict, tuple(found.ends)) == (p_adjusted, verdict, ends)
