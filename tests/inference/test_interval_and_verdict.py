"""The printed interval and the verdict beside it are one thing: by definition on made-up data, and on real data.

A campaign has three such pairs: over these sets, on single sets, for new ones; and the method is a fourth.
"""

import math
import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import scipy.stats

import mtworkbench as mtw
from mtworkbench.errors import DataWarning
from mtworkbench.inference import compare, compare_test_sets, draws
from mtworkbench.inference.intervals import error_of
from mtworkbench.inference.trials import Contrast, TrialFamily
from mtworkbench.inference.verdicts import widen
from mtworkbench.metrics import Bleu, ChrF, Gtm, MeanScore, Ter
from mtworkbench.metrics.protocol import largest_difference
from mtworkbench.resampling import RandomKey, exchange_masks
from mtworkbench.results.settings import Settings
from mtworkbench.results.verdicts import Ends, holm_adjust
from mtworkbench.shipped import find_shipped

from .moved_by_hand import Moved, others_of, print_ends, step_down

ENGINES = ("google", "microsoft", "bergamot-base", "bergamot-base-memory", "bergamot-tiny")


def quietly(function, *args, **options):
    """What a function finds, whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return function(*args, **options)


def pairs_of(found):
    return [pair for metric in found.metrics.values() for pair in metric.comparisons]


def excludes_zero(ends):
    """Whether a reader sees that 0 is outside."""
    low, high, side = ends
    return low is not None and (side != 0 or low > 0 or high < 0)


def find_contradictions(found):
    """What is printed of a comparison and does not agree, and how much was looked at; "undecided" is left out."""
    looked_at = []
    for pair in pairs_of(found):
        looked_at.append((pair.ends, pair.verdict))
        looked_at.append((Ends(pair.low, pair.high), "significant" if pair.p_value <= 0.05 + 1e-12 else "not"))
        if pair.method_verdict is not None:
            looked_at.append((pair.method_ends, pair.method_verdict))
        for one in getattr(pair, "sets", ()):
            looked_at.append((one.ends, one.verdict))
        if getattr(pair, "sets", ()) and pair.new_sets_verdict is not None:
            looked_at.append((pair.new_sets_ends, pair.new_sets_verdict))
    looked_at = [(ends, verdict) for ends, verdict in looked_at if verdict != "undecided"]
    wrong = [one for one in looked_at if excludes_zero(one[0]) != (one[1] == "significant")]
    return wrong, len(looked_at)


def as_set(statistics, name):
    return replace(statistics, test_set=replace(statistics.test_set, references=name, lineage=object()))


# ---- one comparison


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_of_all_exchanges_zero_is_excluded_exactly_if_p_is_at_most_alpha(make_mean, level):
    """Thirds of small whole numbers have many ties, which floats must not untie, and many p of just 1 - level."""
    p_values, n_zeros = [], 0
    for seed in range(40):
        draws_of_seed = np.random.default_rng(seed)
        scores = draws_of_seed.integers(0, 3, (2, 8 + seed % 4))
        scores[1] += draws_of_seed.integers(0, 2, scores.shape[1])
        statistics = make_mean(a=scores[0] / 3, b=scores[1] / 3)
        [pair] = pairs_of(quietly(compare, statistics, unit="segment", level=level, n_resamples=2000))
        assert pair.randomization.exact
        assert excludes_zero((pair.low, pair.high, 0)) == (pair.p_value <= 1 - level + 1e-12)
        assert (pair.low is None) == (pair.smallest_p > 1 - level + 1e-12)
        assert not any(0 < abs(end or 0.0) < 1e-9 for end in (pair.low, pair.high))
        n_zeros += 0.0 in (pair.low, pair.high)
        p_values.append(pair.p_value)
    assert min(p_values) <= 1 - level < max(p_values)
    assert n_zeros > 0 or level == 0.99  # of so few exchanges beyond it, one is that of nothing


def test_of_drawn_trials_zero_is_excluded_exactly_if_p_is_at_most_alpha(make_mean):
    """19 trials have few p, of which 1/20 is 0.05 itself; numbers of 39 and 100 lie on other places of the floor."""
    seen = set()
    for seed, n_trials in product(range(25), (19, 39, 100)):
        scores = np.random.default_rng(seed).normal([[0.0], [0.45]], 1, (2, 30))
        statistics = make_mean(a=scores[0], b=scores[1])
        [pair] = pairs_of(quietly(compare, statistics, n_trials=n_trials, n_resamples=40, rng=seed))
        assert excludes_zero((pair.low, pair.high, 0)) == (pair.p_value <= 0.05 + 1e-12)
        seen.add(round(pair.p_value, 9))
    assert {0.05} < seen


def test_an_end_is_exactly_0_where_the_critical_value_is_the_difference_itself(make_mean):
    """Of 1,024 exchanges of ones, 112 reach 8 of 10 that are better: at 90 % this is the 103rd largest, too."""
    scores = np.array([1.0, 1, 1, 1, 1, 1, 1, 1, -1, -1])
    statistics = make_mean(a=np.zeros(10), b=scores, c=-scores)
    expected = 2 * scipy.stats.binom.sf(7, 10, 0.5)
    [pair, mirrored] = pairs_of(quietly(compare, statistics, "a", unit="segment", level=0.9))
    assert pair.p_value == expected > 0.1
    assert (pair.low, mirrored.high) == (0.0, 0.0)
    assert pair.high == -mirrored.low > 0.6
    lower = 1 - expected - 1e-9  # of a level at which p is just enough, 0 is outside
    [pair, _] = pairs_of(quietly(compare, statistics, "a", unit="segment", level=lower, n_resamples=2000))
    assert pair.low > 0 and pair.p_value <= 1 - lower


def test_ends_of_a_mean_are_those_of_all_exchanges_by_hand(make_mean):
    """Ten segments: a true difference is inside where more than 5 % of the exchanges of what is left reach as far."""
    for seed in range(5):
        scores = np.random.default_rng(seed).exponential([[1.0], [1.6]], (2, 10))
        [pair] = pairs_of(quietly(compare, make_mean(a=scores[0], b=scores[1]), unit="segment"))
        gains, signs = scores[1] - scores[0], np.array(list(product([1, -1], repeat=10)))

        def share(delta, gains=gains, signs=signs):
            left = gains - delta
            return np.mean(np.abs(signs @ left) >= abs(left.sum()) - 1e-12)

        for end, outwards in ((pair.low, -1), (pair.high, 1)):
            assert share(end - 1e-6 * outwards) > 0.05 >= share(end + 1e-6 * outwards)


def test_ends_by_hand():
    """Of 19 trials, the largest ends at 5 %: d = 3; of D = 1, W = 0.5 they are 2 / 0.5 and 4 / 1.5."""
    family = TrialFamily([Contrast(3.0, 1.0, 0.0, 0.0, 1e-9, 20)], 0.95)
    differences, shifts = np.zeros((1, 19)), np.zeros((1, 19))
    differences[0, :2], shifts[0, :2] = (1.0, -2.0), (0.5, -0.5)  # the second: 5 / 1.5 and 1 / 0.5
    family.count(differences, shifts, 1)
    [found] = family.test(19, exact=False)
    assert (found.low, found.high) == pytest.approx((2.0, 4.0))
    assert (found.simultaneous_low, found.simultaneous_high) == (found.low, found.high)
    differences[0, 5], shifts[0, 5] = 3.0, 1.0  # nothing is exchanged: it rejects no difference
    family.count(differences, shifts, 1)
    assert family.test(19, exact=False)[0].low is None


def test_ends_of_a_family_by_hand():
    """The t of the other comparison, 3, reaches as far as 6 where sigma is 2, and the pair's own D as far as 2.

    With ten units and d = 5, a variance of 4 is one of 1.5 around d, and 1 - 3**2 / 10 is 0.1.
    """
    family = TrialFamily([Contrast(7.0, 2.0, 0.0, 0.0, 1e-9, 20), Contrast(1.0, 1.0, 0.0, 0.0, 1e-9, 20)], 0.95)
    differences, shifts = np.zeros((2, 19)), np.zeros((2, 19))
    differences[:, 4] = -2.0, 3.0
    family.count(differences, shifts, 1)
    first, second = family.test(19, exact=False)
    assert (first.low, first.high, first.simultaneous_low, first.simultaneous_high) == (5.0, 9.0, 1.0, 13.0)
    assert (second.low, second.high, second.simultaneous_low, second.simultaneous_high) == (-2.0, 4.0, -2.0, 4.0)
    family = TrialFamily([Contrast(6.0, 2.0, 0.0, 0.1, 1e-9, 20), Contrast(1.0, 1.0, 0.0, 0.1, 1e-9, 20)], 0.95)
    family.count(differences, shifts, 1)
    first, _ = family.test(19, exact=False)
    assert (first.simultaneous_low, first.simultaneous_high) == (0.0, 12.0)  # t = 3, too: the end is just 0
    family = TrialFamily([Contrast(5.0, 2.0, 0.0, 0.1, 1e-9, 20), Contrast(1.0, 1.0, 0.0, 0.1, 1e-9, 20)], 0.95)
    family.count(differences, shifts, 1)
    first, _ = family.test(19, exact=False)
    assert first.simultaneous_high == pytest.approx(5 + 3 * math.sqrt(1.5 / 0.1))


def test_what_is_left_of_one_comparison_stands_for_all():
    """Of d = 4, D = 0 and W = 0.5 leave -2, once its spread; of d = 1, D = 3 leaves 2.5 times its spread."""
    family = TrialFamily([Contrast(4.0, 2.0, 2.0, 0.0, 1e-9, 20), Contrast(1.0, 10.0, 1.0, 0.0, 1e-9, 20)], 0.95)
    differences, shifts = np.zeros((2, 19)), np.zeros((2, 19))
    differences[:, 4], shifts[:, 4] = (0.0, 3.0), 0.5
    family.count(np.where(shifts == 0, 0.01, differences), shifts, 1)
    first, second = family.test(19, exact=False)
    assert (first.simultaneous_low, first.simultaneous_high) == pytest.approx((4 - 5 / 1.5, 4 + 5 / 0.5))
    assert (second.simultaneous_low, second.simultaneous_high) == pytest.approx((1 - 2.5 / 0.5, 1 + 2.5 / 1.5))


@pytest.mark.parametrize(("n_segments", "kept"), [(8, 0.3), (20, 0.2), (100, 0.2)])
def test_an_output_that_is_much_too_short_spoils_no_interval(make_bleu, shorten, n_segments, kept):
    """BLEU is from 0 to 100. What the others' intervals gain from the family is what each family of three costs."""
    statistics = shorten(make_bleu(n_segments, gain=0.02), kept)
    short, *_ = found = pairs_of(quietly(compare, statistics, "short", unit="segment", n_resamples=400, rng=1))
    others = quietly(compare, statistics, unit="segment", n_resamples=400, rng=1)
    [near] = [pair for pair in pairs_of(others) if {pair.a, pair.b} == {"s0", "s1"}]
    for pair in (*found, *pairs_of(others)):
        assert all(-100 <= end <= 100 for end in (pair.low, pair.high, *pair.ends[:2]))
    assert find_contradictions(others)[0] == []
    assert short.p_adjusted == short.p_value < 0.05
    longer = (near.simultaneous_high - near.simultaneous_low) / (near.high - near.low)
    assert 1 <= longer < 1.6


def test_few_units_have_no_interval_and_no_verdict(make_mean):
    """Of 5 coins, p is at least 2 / 32; of 6, 2 / 64. A unit that has nearly all segments counts nearly alone."""
    for n_segments, is_there in ((5, False), (6, True)):
        statistics = make_mean(a=np.zeros(n_segments), b=np.arange(1.0, n_segments + 1))
        [pair] = pairs_of(quietly(compare, statistics, unit="segment"))
        assert (pair.low is not None, pair.verdict) == (is_there, "significant" if is_there else "not significant")
        assert pair.ends.excludes_zero == (True if is_there else None)
    lone = [0] * 90 + list(range(1, 11))
    scores = np.random.default_rng(1).normal(0.2, 1, 100)
    [pair] = pairs_of(quietly(compare, make_mean(documents=lone, a=np.zeros(100), b=scores), unit="document"))
    moved = Moved(*(make_mean(a=np.zeros(100), b=scores)[name] for name in "ba"), lone)
    assert pair.ends == pytest.approx(moved.find_ends() + (0,))


# ---- a family


@pytest.mark.parametrize("exact", [True, False])
def test_printed_ends_are_cut_off_where_step_down_rejects_more(make_mean, monkeypatch, exact):
    """Of many families: single-step intervals by the definition, cut off at 0 where step-down has rejected."""
    if not exact:
        monkeypatch.setattr(draws, "MAX_EXACT_COINS", 0)
    sides = set()
    for seed in range(12):
        scores = np.random.default_rng(seed).normal(np.array([0.0, 0.9, -0.9, 2.5])[:, None], 1, (4, 9))
        statistics = make_mean(**{f"s{number}": row for number, row in enumerate(scores)})
        found = pairs_of(quietly(compare, statistics, "s0", unit="segment", n_trials=99, rng=seed))
        trials = None if exact else next(iter(exchange_masks(9, 99, rng=seed)))
        family = [Moved(statistics[pair.a], statistics[pair.b], range(9), trials) for pair in found]
        for pair, moved, others, count in zip(found, family, others_of(family), step_down(family), strict=True):
            if exact:
                rejected = count / 512 <= 0.05
                assert pair.verdict == ("significant" if rejected else "not significant")
            else:
                rejected = scipy.stats.binomtest(count, 99).proportion_ci(0.95, "exact").high <= 0.05
                assert (pair.verdict == "significant") == rejected
            expected = print_ends(moved.find_ends(others), moved.difference, rejected)
            assert tuple(pair.ends) == pytest.approx(expected, abs=1e-9)
            assert (pair.simultaneous_low, pair.simultaneous_high) == pytest.approx(moved.find_ends(others), abs=1e-9)
            assert pair.excludes_zero == (pair.ends.excludes_zero if pair.ends.low is not None else None)
            assert tuple(pair.turned().ends) == (-pair.ends.high, -pair.ends.low, -pair.ends.side)
            sides.add(pair.ends.side)
        assert find_contradictions(compare_all(statistics, seed))[0] == []
    assert sides == {-1, 0, 1} if exact else 0 in sides


def compare_all(statistics, seed):
    return quietly(compare, statistics, unit="segment", n_trials=4000, rng=seed)


@pytest.mark.parametrize("options", [{}, {"adjust": "holm"}, {"interval": "basic"}])
def test_no_interval_of_a_difference_reaches_beyond_the_possible_ones(make_bleu, monkeypatch, options):
    """BLEU cannot differ by more than 100; with few segments, intervals would reach further. 0 is where it was."""
    sets = {name: make_bleu(7, runs=(2, 2, 3), gain=0.05, seed=seed) for seed, name in enumerate("xy")}
    options = {"n_trials": 200, "rng": 1} | options
    free = [pair for one in (sets["x"], sets) for pair in pairs_of(quietly(compare, one, **options))]
    largest = 1.01 * max(abs(one.difference) for pair in free for one in (pair, *getattr(pair, "sets", ())))
    monkeypatch.setattr(Bleu, "scale", (0.0, largest))
    cut = [pair for one in (sets["x"], sets) for pair in pairs_of(quietly(compare, one, **options))]
    n_cut = 0
    for before, after in zip(free, cut, strict=True):
        assert (after.p_adjusted, after.verdict, after.conclusion) == (
            before.p_adjusted, before.verdict, before.conclusion
        )  # fmt: skip
        for kind in ("ends", "method_ends", "new_sets_ends", "one_new_set_ends", "new_runs_and_sets_ends"):
            one, other = getattr(before, kind, None), getattr(after, kind, None)
            if one is None or one.low is None:
                continue
            assert (max(one.low, -largest), min(one.high, largest), one.side) == tuple(other)
            assert one.excludes_zero == other.excludes_zero
            n_cut += one != other
        shown = after.shown()
        for name in shown:
            if name.endswith(("low", "high")) and not name.startswith(("p_", "spread")) and shown[name] is not None:
                assert abs(shown[name]) <= largest, name
    assert n_cut >= 4


def test_other_metrics_have_no_largest_difference():
    assert largest_difference(Bleu()) == largest_difference(ChrF()) == largest_difference(Gtm()) == 100
    assert largest_difference(MeanScore()) == largest_difference(Ter()) == math.inf
    assert Ends(-120.0, 130.0).within(100) == (-100, 100, 0)
    assert Ends(0.0, 130.0, 1).within(100) == (0, 100, 1)
    assert Ends(None, None).within(100) == (None, None, 0)


def test_an_interval_that_agrees_by_itself_is_left_alone():
    assert Ends.agreeing(-1.0, 2.0, 0.5, shown=True) == (0.0, 2.0, 1)
    assert Ends.agreeing(-2.0, 1.0, -0.5, shown=True) == (-2.0, 0.0, -1)
    assert Ends.agreeing(0.0, 1.0, 0.5, shown=True) == (0.0, 1.0, 1)  # an end of 0 belongs to it unless it is said
    assert Ends.agreeing(-1.0, 2.0, 0.5, shown=False) == (-1.0, 2.0, 0)
    assert Ends.agreeing(0.1, 2.0, 0.5, shown=True) == (0.1, 2.0, 0)
    assert Ends.agreeing(-2.0, -0.1, -0.5, shown=True) == (-2.0, -0.1, 0)
    assert Ends.agreeing(None, None, 0.5, shown=True) == (None, None, 0)
    told = [Ends(0.0, 2.0, 1), Ends(-2.0, 0.0, -1), Ends(0.1, 2.0), Ends(-2.0, -0.1), Ends(0.0, 1.0), Ends(-1.0, 0.0)]
    assert [one.excludes_zero for one in told] == [True, True, True, True, False, False]
    assert Ends(None, None).excludes_zero is None
    assert Ends(0.0, 2.0, 1).turned() == (-2.0, 0.0, -1)


def test_with_holm_or_a_named_interval_ends_are_the_interval_as_it_is(make_bleu):
    statistics = make_bleu(80, runs=(2, 2, 2), gain=0.006)
    for options in ({"adjust": "holm"}, {"interval": "jackknife"}, {"interval": "percentile"}):
        for pair in pairs_of(compare(statistics, n_trials=400, rng=2, **options)):
            assert tuple(pair.ends) == (pair.low, pair.high, 0)
            assert (pair.low, pair.high) == (pair.bootstrap.low, pair.bootstrap.high)
            assert pair.excludes_zero is None


# ---- the method, and new sets


def test_intervals_for_the_method_are_widened_by_students_t(make_bleu):
    statistics = make_bleu(60, runs=(4, 4, 4), gain=0.004, seed=3)
    pairs = pairs_of(compare(statistics, n_trials=400, rng=1))
    for pair in pairs:
        half = (pair.method_high - pair.method_low) / 2
        wide = half * scipy.stats.t.ppf(1 - 0.025 / 3, pair.method_df) / scipy.stats.t.ppf(0.975, pair.method_df)
        middle = (pair.method_high + pair.method_low) / 2
        expected = print_ends((middle - wide, middle + wide), pair.difference, pair.method_verdict == "significant")
        assert tuple(pair.method_ends) == pytest.approx(expected)
        shown = pair.shown()
        assert [shown[f"method_simultaneous_{end}"] for end in ("low", "high")] == [*pair.method_ends[:2]]
        assert shown["method_excludes_zero"] == (pair.method_verdict == "significant")
    assert [pair.method_verdict for pair in pairs] == [
        "significant" if p <= 0.05 else "not significant" for p in holm_adjust([one.method_p_value for one in pairs])
    ]
    by_holm = pairs_of(compare(statistics, n_trials=400, rng=1, adjust="holm"))
    assert [tuple(pair.method_ends) for pair in by_holm] == [(pair.method_low, pair.method_high, 0) for pair in by_holm]


def test_the_text_says_why_there_is_no_interval(make_mean):
    few = quietly(compare, make_mean(a=[1.0, 2.0, 3.0, 5.0], b=[2.0, 2.0, 4.0, 1.0]), unit="segment", n_resamples=400)
    text = " ".join(mtw.format_comparison(few).split())
    assert "The difference has no CI on these outputs: the units that differ are too few" in text
    enough = quietly(compare, make_mean(a=range(12), b=range(1, 13)), unit="segment", n_resamples=400)
    assert "no CI" not in mtw.format_comparison(enough)


@pytest.mark.parametrize("n_comparisons", [0, 1])
def test_one_comparison_is_not_widened(n_comparisons):
    half = 0.5 * scipy.stats.t.ppf(0.975, 7)
    found = widen(1.0, [(0.5, 7)], n_comparisons, 0.95, shown=False)
    assert tuple(found) == pytest.approx((1 - half, 1 + half, 0))


def test_widening_by_hand():
    """t(0.025, 4) is 2.776, t(0.025 / 5, 4) 4.604; an end that a test has excluded is 0."""
    wide = 2 * 4.604 / 2.776
    error = error_of(-1.0, 3.0, 4.0, 0.95)
    assert error == pytest.approx((2 / 2.776, 4.0), abs=1e-3)
    assert widen(1.0, [error], 5, 0.95, shown=False) == pytest.approx((1 - wide, 1 + wide, 0), abs=2e-3)
    assert widen(-1.0, [error], 5, 0.95, shown=True) == pytest.approx((-1 - wide, 0.0, -1), abs=2e-3)
    assert widen(2.5, [error], 1, 0.95, shown=True) == pytest.approx((0.5, 4.5, 0))
    assert widen(1.0, [], 5, 0.95, shown=False) == (None, None, 0)
    assert widen(0.0, [error_of(0.0, 0.0, None, 0.95)], 5, 0.95, shown=False) == (0.0, 0.0, 0)
    # Of several errors the one that is widest after the adjustment counts: few degrees of freedom overtake.
    assert widen(0.0, [(1.0, 2.0), (1.2, 50.0)], 1, 0.95, shown=False).high == pytest.approx(4.303, abs=1e-3)
    assert widen(0.0, [(1.0, 20.0), (0.8, 4.0)], 1, 0.95, shown=False).high == pytest.approx(0.8 * 2.776, abs=1e-3)
    assert widen(0.0, [(1.0, 20.0), (0.7, 4.0)], 1, 0.95, shown=False).high == pytest.approx(2.086, abs=1e-3)
    assert widen(0.0, [(1.0, 20.0), (0.7, 4.0)], 5, 0.95, shown=False).high == pytest.approx(0.7 * 4.604, abs=1e-3)


# ---- equivalence


@pytest.mark.parametrize("margin", [0.2, 1.0, 2.5])
def test_equivalence_is_that_of_the_definition(make_mean, monkeypatch, margin):
    scores = np.random.default_rng(4).normal([[0.0], [0.3], [0.2]], 1, (3, 10))
    statistics = make_mean(a=scores[0], b=scores[1], c=scores[2])
    for exact in (True, False):
        if not exact:
            monkeypatch.setattr(draws, "MAX_EXACT_COINS", 0)
        found = pairs_of(quietly(compare, statistics, unit="segment", n_trials=79, rng=7, margin=margin))
        trials = None if exact else next(iter(exchange_masks(10, 79, rng=7)))
        family = [Moved(statistics[pair.a], statistics[pair.b], range(10), trials) for pair in found]
        inside = [abs(one.difference) < margin for one in family]
        for pair, moved, is_inside in zip(found, family, inside, strict=True):
            p_value = pair.equivalence.equivalence_p_value
            assert p_value == pytest.approx(moved.test_within(margin)) if is_inside else p_value >= 0.5
        p_values = [pair.equivalence.equivalence_p_value for pair in found]
        assert [pair.equivalence.equivalence_p_adjusted for pair in found] == pytest.approx(
            holm_adjust(p_values).tolist()
        )


def test_equivalence_is_shown_exactly_where_the_margin_has_the_interval_of_90_percent(make_mean):
    """Two one-sided tests at 5 % (Schuirmann, 1987): the margin is the interval's end, and a hair more or less."""
    scores = np.random.default_rng(6).normal([[0.0], [0.2]], 1, (2, 14))
    statistics = make_mean(a=scores[0], b=scores[1])
    [pair] = pairs_of(quietly(compare, statistics, unit="segment", level=0.9))
    end = max(-pair.low, pair.high)
    for margin, is_shown in ((end * (1 - 1e-6), False), (end * (1 + 1e-6), True)):
        [found] = pairs_of(quietly(compare, statistics, unit="segment", margin=margin))
        assert (found.equivalence.equivalence_p_value <= 0.05) == is_shown
        assert (found.equivalence.equivalence_verdict == "equivalent") == is_shown


# ---- several test sets


@pytest.fixture
def two_sets(make_mean):
    scores = {"x": np.random.default_rng(1).normal([[0.0], [0.5], [1.1]], 1, (3, 7))}
    scores["y"] = np.random.default_rng(2).normal([[0.0], [0.4], [0.5]], 1, (3, 8))
    return {
        name: as_set(make_mean(**{f"s{number}": row for number, row in enumerate(own)}), name)
        for name, own in scores.items()
    }


class OverSets:
    """The mean difference over sets: trials k of all sets are one trial, g and w are divided by the number of sets.

    What true differences take from a trial, each set takes by its own.
    """

    def __init__(self, of_sets):
        self.of_sets = of_sets
        self.difference = np.mean([one.difference for one in of_sets])
        self.exact = all(one.exact for one in of_sets)
        if self.exact:
            self.trials, self.shifts, self.left = (
                np.array([sum(one) / len(of_sets) for one in product(*(getattr(one, name) for one in of_sets))])
                for name in ("trials", "shifts", "left")
            )
        else:
            self.trials, self.shifts, self.left = (
                np.mean([getattr(one, name) for one in of_sets], axis=0) for name in ("trials", "shifts", "left")
            )

    sigma = property(lambda self: math.hypot(*(one.sigma for one in self.of_sets)) / len(self.of_sets))
    t, n_extreme, p_value = Moved.t, Moved.n_extreme, Moved.p_value
    spread = property(lambda self: math.hypot(*(one.spread for one in self.of_sets)) / len(self.of_sets))
    reject_not, find_ends, test_within = Moved.reject_not, Moved.find_ends, Moved.test_within
    matter = property(lambda self: [coin for one in self.of_sets for coin in one.matter])
    smallest_p = Moved.smallest_p
    square_share = property(lambda self: sum(one.square_share for one in self.of_sets) / len(self.of_sets) ** 2)


@pytest.mark.parametrize("exact", [True, False])
def test_a_campaign_of_two_sets_by_hand(two_sets, monkeypatch, exact):
    """Over both sets, each set by itself, and the family of both sets and all pairs."""
    if not exact:
        monkeypatch.setattr(draws, "MAX_EXACT_COINS", 0)
    found = quietly(compare_test_sets, two_sets, unit="segment", n_trials=139, rng=5, margin=1.0)
    pairs = pairs_of(found)
    of_sets = {}
    for place, (name, statistics) in enumerate(two_sets.items(), start=1):
        n_segments = len(statistics.test_set)
        trials = None if exact else next(iter(exchange_masks(n_segments, 139, rng=f"5/{place}")))
        of_sets[name] = [Moved(statistics[p.a], statistics[p.b], range(n_segments), trials) for p in pairs]
    check_comparisons(pairs, [OverSets(list(both)) for both in zip(*of_sets.values(), strict=True)], margin=1.0)
    for name, family in of_sets.items():
        check_comparisons(pairs_of(found.of_set(name)), family, margin=1.0)
    together = [one for family in of_sets.values() for one in family]
    if exact:  # a trial of the family exchanges the outputs of both sets
        n_others = {name: len(of_sets["y" if name == "x" else "x"][0].trials) for name in of_sets}
        for one in of_sets["x"]:
            one.trials, one.shifts = (np.repeat(values, n_others["x"]) for values in (one.trials, one.shifts))
        for one in of_sets["y"]:
            one.trials, one.shifts = (np.tile(values, n_others["y"]) for values in (one.trials, one.shifts))
    on_sets = [one for name in of_sets for pair in pairs for one in pair.sets if one.test_set == name]
    check_adjusted(on_sets, together)
    assert found.metrics["score"].family_size == 3
    assert found.metrics["score"].sets_family_size == 6


def check_comparisons(pairs, family, margin):
    for pair, moved in zip(pairs, family, strict=True):
        assert pair.difference == pytest.approx(moved.difference)
        assert pair.p_value == pytest.approx(moved.p_value, abs=1e-12)
        assert (pair.low, pair.high) == pytest.approx(moved.find_ends(), abs=1e-9)
        if abs(moved.difference) < margin:
            assert pair.equivalence.equivalence_p_value == pytest.approx(moved.test_within(margin))
    check_adjusted(pairs, family)


def check_adjusted(pairs, family):
    """p, and ends, within a family; the count of all exchanges is of large numbers, so that loops are vectorized."""
    exact, n_trials = family[0].exact, len(family[0].trials)
    t = np.array([np.abs(one.trials) / one.sigma for one in family])
    order = np.argsort([-one.t for one in family])
    others, at_least = others_of(family), 0
    for rank, place in enumerate(order):
        reached = t[order[rank:]].max(axis=0) >= family[place].t - 1e-7
        at_least = max(at_least, int(reached.sum()))
        expected = at_least / n_trials if exact else (at_least + 1) / (n_trials + 1)
        assert pairs[place].p_adjusted == pytest.approx(expected, abs=1e-12)
        ends = family[place].find_ends(others[place])
        shown = pairs[place].verdict == "significant"
        assert tuple(pairs[place].ends) == pytest.approx(print_ends(ends, family[place].difference, shown), abs=1e-9)


@pytest.mark.parametrize("options", [{}, {"n_trials": 700}, {"family": "all"}, {"adjust": "holm"}])
def test_a_study_gives_the_same_numbers(make_bleu, make_ter, tmp_path, monkeypatch, options):
    sets = {
        name: [
            as_set(make(70 + number, runs=(1, 2, 1), gain=0.012, seed=number), name) for make in (make_bleu, make_ter)
        ]
        for number, name in enumerate("xy")
    }
    options = {"n_resamples": 400, "rng": 2, "margin": {"BLEU": 1.0, "TER": 2.0}} | options
    here = quietly(compare_test_sets, sets, **options)
    monkeypatch.setattr(draws, "WORK_OF_PART", 2**20 if "n_trials" in options else 2**26)
    found = quietly(compare_test_sets, sets, study=mtw.Study(tmp_path / "study"), **options)
    for view in ("to_frame", "sets_frame", "systems_frame"):
        one, other = getattr(here, view)(), getattr(found, view)()
        numbers = one.select_dtypes("number").columns
        np.testing.assert_allclose(one[numbers], other[numbers], rtol=1e-9, atol=1e-9)
        assert one.drop(columns=numbers).equals(other.drop(columns=numbers))
    assert here.n_trials == found.n_trials
    again = quietly(compare_test_sets, sets, study=mtw.Study(tmp_path / "study"), **options)
    assert again.to_frame().equals(found.to_frame())


def test_missing_scores_of_a_set_do_not_stop_max_t(make_mean):
    scores = {name: np.random.default_rng(size).normal([[0.0], [0.5], [1]], 1, (3, size)) for name, size in
              {"x": 20, "y": 25}.items()}  # fmt: skip
    scores["y"][1, 3] = np.nan
    sets = {
        name: as_set(make_mean(**{f"s{number}": row for number, row in enumerate(own)}), name)
        for name, own in scores.items()
    }
    found = quietly(compare_test_sets, sets, "s0", n_trials=139, rng=5)
    of_sets = []
    for place, (name, statistics) in enumerate(sets.items(), start=1):
        own = scores[name]
        [masks] = exchange_masks(own.shape[1], 139, rng=f"5/{place}")
        segments = [np.flatnonzero(~np.isnan(own[number])) for number in (1, 2)]
        of_sets.append(
            [
                Moved(statistics[f"s{number}"], statistics["s0"], range(own.shape[1]), masks, segments[number - 1])
                for number in (1, 2)
            ]
        )
    check_comparisons(pairs_of(found), [OverSets(list(both)) for both in zip(*of_sets, strict=True)], margin=0)


def test_copies_on_sets_are_not_counted(make_mean):
    """Systems that are copies on one of the sets differ over both; the family of single sets has one less."""
    scores = {name: np.random.default_rng(size).normal([[0.0], [0.5], [1]], 1, (3, size)) for name, size in
              {"x": 8, "y": 7}.items()}  # fmt: skip
    scores["y"][1] = scores["y"][0]
    sets = {
        name: as_set(make_mean(**{f"s{number}": row for number, row in enumerate(own)}), name)
        for name, own in scores.items()
    }
    found = quietly(compare_test_sets, sets, unit="segment").metrics["score"]
    assert (found.family_size, found.sets_family_size) == (3, 5)
    [pair] = [one for one in found.comparisons if (one.a, one.b) == ("s1", "s0")]
    copies = pair.sets[1]
    assert (copies.difference, copies.p_adjusted, copies.verdict, tuple(copies.ends)) == (
        0,
        1,
        "not significant",
        (0, 0, 0),
    )
    moved = Moved(sets["x"]["s1"], sets["x"]["s0"], range(8))
    assert pair.p_value == moved.p_value == pair.sets[0].p_value


# ---- real data


@pytest.fixture(scope="module")
def wmt23():
    return mtw.load_statistics(find_shipped("data/wmt23-en-de") / "text_metrics.stats")


@pytest.mark.parametrize("unit", ["document", "segment", "domain"])
def test_nothing_that_is_printed_of_wmt23_contradicts_itself(wmt23, unit):
    n_looked_at = 0
    for baseline in (None, "AIRC", "ONLINE-W"):
        found = quietly(compare, wmt23, baseline, unit=unit, n_resamples=400, rng=1)
        wrong, n = find_contradictions(found)
        assert wrong == []
        n_looked_at += n
        assert sum(pair.verdict == "undecided" for pair in pairs_of(found)) <= 1
    assert n_looked_at > 2 * 2 * (66 + 11 + 11) - 4


@pytest.mark.long
@pytest.mark.parametrize(("unit", "baseline"), [("document", "AIRC"), ("segment", None)])
def test_ten_seeds_never_flip_a_verdict_on_wmt23(wmt23, unit, baseline):
    """What one seed calls significant, none calls not significant: at worst it is undecided."""
    verdicts = [
        [pair.verdict for pair in pairs_of(quietly(compare, wmt23, baseline, unit=unit, n_resamples=400, rng=seed))]
        for seed in range(10)
    ]
    for of_pair in zip(*verdicts, strict=True):
        assert not {"significant", "not significant"} <= set(of_pair)


@pytest.mark.long
def test_nothing_that_is_printed_of_a_campaign_contradicts_itself(wmt23):
    """The domains of WMT 23 as test sets: over all, on single sets, and for new ones."""
    labels = wmt23[0].test_set.columns["domain"]
    sets = {
        name: [as_set(one.take(np.flatnonzero(labels == name)), name) for one in wmt23] for name in np.unique(labels)
    }
    for baseline in (None, "AIRC"):
        found = quietly(compare_test_sets, sets, baseline, n_resamples=400, rng=1)
        wrong, n_looked_at = find_contradictions(found)
        assert wrong == []
        assert n_looked_at > 2 * 6 * 11
        for name in sets:
            assert find_contradictions(found.of_set(name))[0] == []


@pytest.fixture(scope="module")
def read_real(shared):
    """Return a function that reads some systems of a set of ../shared and computes BLEU and chrF."""

    def read(folder, reference, systems):
        root = shared / "realdata" / folder
        accept = ["invisible-chars", "trailing-blank", "nfc"]
        outputs = quietly(
            mtw.read_outputs, root / reference, {name: root / path for name, path in systems.items()}, accept=accept
        )
        return quietly(mtw.compute_statistics, outputs, ["bleu", "chrf"])

    return read


@pytest.mark.long
def test_nothing_that_is_printed_of_wmt17_contradicts_itself(read_real, shared):
    names = sorted(path.name for path in (shared / "realdata" / "wmt17-en-de-16systems" / "sys").iterdir())
    statistics = read_real(
        "wmt17-en-de-16systems", "ref/newstest2017.ref.de", {name.split(".")[1]: f"sys/{name}" for name in names}
    )
    for baseline in (None, "LIUM-NMT"):
        found = quietly(compare, statistics, baseline, n_resamples=400, rng=1)
        assert find_contradictions(found)[0] == []


@pytest.mark.long
def test_nothing_that_is_printed_of_six_real_sets_contradicts_itself(shared, read_real):
    names = sorted(path.name for path in (shared / "realdata" / "long-de-en" / "ref").iterdir())[:6]
    sets = {
        name.removesuffix(".en"): read_real(
            "long-de-en", f"ref/{name}", {engine: f"sys/{engine}/{name}" for engine in ENGINES}
        )
        for name in names
    }
    for baseline in (None, "google"):
        found = quietly(compare_test_sets, sets, baseline, n_resamples=400, rng=1)
        wrong, n_looked_at = find_contradictions(found)
        assert wrong == []
        assert n_looked_at > 2 * 6 * (10 if baseline is None else 4)


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    ["newstest2021.ru-en.all", "wmttest2022.liv-en.all", "wmttest2022.en-liv.all", "wmttest2023.uk-en.all"],
)
def test_nothing_that_is_printed_of_real_documents_contradicts_itself(shared, name):
    path = shared / "realdata" / "wmt-xml" / f"{name}.xml"
    outputs = quietly(mtw.outputs.read_wmt_xml, path, accept=["nfc"])
    statistics = quietly(mtw.compute_statistics, outputs, ["bleu", "chrf"])
    systems = list(statistics[0])
    for baseline, unit in product((None, systems[0], systems[-1]), ("auto", "segment")):
        found = quietly(compare, statistics, baseline, unit=unit, n_resamples=400, rng=1)
        assert find_contradictions(found)[0] == []


def test_nothing_that_is_printed_of_real_ratings_contradicts_itself(shared):
    """Most segments lack the direct assessment of some system, so that pairs rest on different segments."""
    folder = shared / "realdata"
    assessed = quietly(mtw.outputs.read_da, folder / "wmt21-da-ru-en" / "ad-seg-scores-ru-en.csv")
    rated = quietly(mtw.outputs.read_mqm, folder / "mqm-ted-en-de" / "mqm_ted_ende.tsv")
    for outputs, score in ((assessed, "da_z"), (rated, "mqm")):
        statistics = quietly(mtw.compute_statistics, outputs, [MeanScore(score)])[0]
        verdicts = set()
        for baseline in (None, list(statistics)[0]):
            found = quietly(compare, statistics, baseline, n_resamples=400, rng=1)
            wrong, n_looked_at = find_contradictions(found)
            assert wrong == []
            assert n_looked_at > len(pairs_of(found))
            verdicts |= {pair.verdict for pair in pairs_of(found)}
        assert verdicts >= {"significant", "not significant"}


@pytest.mark.long
@pytest.mark.parametrize("runs", ["separate", "pooled"])
def test_nothing_that_is_printed_of_real_replications_contradicts_itself(shared, runs):
    root = shared / "realdata" / "replications-e2e-nlg"
    systems = {
        f"{name}{data}": root / "hyps" / f"train-{data}_test-orig" / f"{name}.run*.txt"
        for name, data in product(("tgen-minus", "tgen-std", "tgen-plus", "sclstm"), ("orig", "clean"))
    }
    references = [root / "refs" / f"ref.{number}.txt" for number in range(45)]
    outputs = quietly(mtw.read_outputs, references, systems, accept=["absent-ref"])
    statistics = quietly(mtw.compute_statistics, outputs, Bleu())
    for baseline in (None, "tgen-stdorig"):
        found = quietly(compare, statistics, baseline, n_resamples=400, runs=runs, rng=1)
        assert find_contradictions(found)[0] == []
        assert all(pair.method_verdict is not None for pair in pairs_of(found))


def test_settings_say_which_interval_is_printed():
    given = {"level": 0.95, "n_resamples": 1000, "random_key": RandomKey(1), "exchange": "unit"}
    kinds = {
        (adjust, interval): Settings("ar", "segment", interval, adjust=adjust, **given).settled(200)
        for adjust, interval in product(("max-t", "holm"), ("auto", "jackknife"))
    }
    assert {key: one.interval_of_differences for key, one in kinds.items()} == {
        ("max-t", "auto"): "exchanges",
        ("max-t", "jackknife"): "jackknife",
        ("holm", "auto"): "percentile",
        ("holm", "jackknife"): "jackknife",
    }
    assert {one.interval for key, one in kinds.items() if key[1] == "auto"} == {"percentile"}
