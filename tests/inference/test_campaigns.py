"""Several test sets in one verdict: the numbers are those of the sets, averaged; two claims, each with its own test."""

import json
import math
import pickle
import warnings
from dataclasses import replace
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats

import mtworkbench as mtw
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import approximate_randomization, compare, crossed_analysis
from mtworkbench.inference.comparison import compare_test_sets
from mtworkbench.inference.crossed import average_variances, cross_variances
from mtworkbench.inference.draws import WORK_OF_PAIR, DividedSet, draw_part
from mtworkbench.inference.families import settle_unit
from mtworkbench.inference.intervals import jackknife_variance, percentile_ends
from mtworkbench.inference.new_sets import expect_new_sets
from mtworkbench.inference.over_sets import VarianceOfMean
from mtworkbench.inference.score_table import pair_table
from mtworkbench.metrics import Bleu, Length, MeanScore
from mtworkbench.resampling import resolve_rng
from mtworkbench.results.crossed import CrossedVariance
from mtworkbench.results.settings import choose_n_trials, min_trials
from mtworkbench.results.verdicts import holm_adjust
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import format_campaign

from ..made_campaigns import make_bcg_trials

QUICK = {"n_resamples": 400, "n_trials": 999, "rng": 1}


def named(statistics, name):
    """The statistics of another test set, which has references of its own."""
    return replace(statistics, test_set=replace(statistics.test_set, references=name, lineage=object()))


@pytest.fixture
def three_sets(make_bleu):
    """Three systems on three test sets of unlike size."""
    sizes = {"x": 120, "y": 150, "z": 200}
    return {name: named(make_bleu(size, runs=(1, 1, 1), gain=0.006, seed=size), name) for name, size in sizes.items()}


def mean_sets(make_mean, *sets, **options):
    """Test sets of a mean, from dicts of scores."""
    return {f"set {i}": named(make_mean(**options, **scores), f"set {i}") for i, scores in enumerate(sets, start=1)}


def quietly(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return compare_test_sets(*arguments, **options)


def noticing(*arguments, **options):
    """The campaign, and what it warned of, by code."""
    with warnings.catch_warnings(record=True) as noticed:
        warnings.simplefilter("always")
        found = compare_test_sets(*arguments, **options)
    assert {one.category for one in noticed} <= {DataWarning} and {one.filename for one in noticed} <= {__file__}
    messages = {one.message.code: str(one.message) for one in noticed}
    assert len(messages) == len(noticed)
    return found, messages


def assert_same(one, another):
    """Two dicts of fields agree, numbers up to rounding."""
    assert one.keys() == another.keys()
    for name, value in one.items():
        same = value == another[name]
        if isinstance(value, float) and another[name] is not None:
            same = np.isclose(value, another[name], rtol=1e-9, atol=1e-12, equal_nan=True)
        assert same, (name, value, another[name])


def only(campaign):
    [metric] = campaign.metrics.values()
    [pair] = metric.comparisons
    return pair


def lengths_of(statistics):
    values = {system: values[..., :2] for system, values in statistics.values.items()}
    return SegmentStatistics(Length(), values, statistics.test_set)


# What is computed.


def test_difference_is_the_mean_over_sets_each_counting_the_same(three_sets):
    found = quietly(three_sets, **QUICK).metrics["BLEU"]
    for pair in found.comparisons:
        own = [family[pair.a].score().mean() - family[pair.b].score().mean() for family in three_sets.values()]
        assert [one.difference for one in pair.sets] == own
        assert pair.difference == pytest.approx(np.mean(own), rel=1e-12)
        assert pair.score_a - pair.score_b == pytest.approx(pair.difference, rel=1e-9)
        assert (pair.n_sets_a_better, pair.n_sets_b_better) == (sum(d > 0 for d in own), sum(d < 0 for d in own))
        assert pair.n_sets == 3
    for system in found.systems:
        assert system.scores == {name: family[system.system].score().mean() for name, family in three_sets.items()}
        assert system.score == pytest.approx(np.mean(list(system.scores.values())), rel=1e-12)


@pytest.mark.parametrize("exchange", ["unit", "run"])
@pytest.mark.parametrize("interval", ["percentile", "basic", "bca", "jackknife"])
def test_row_of_a_set_is_that_of_compare(make_bleu, exchange, interval):
    sets = {name: named(make_bleu(110 + i, runs=(2, 2, 2), gain=0.004, seed=i), name) for i, name in enumerate("xy")}
    found = quietly(sets, exchange=exchange, interval=interval, **QUICK)
    key = resolve_rng(QUICK["rng"])
    for number, (name, family) in enumerate(sets.items(), start=1):
        options = QUICK | {"rng": key.sample(number), "interval": interval, "exchange": exchange}
        alone = compare(family, **options).metrics["BLEU"]
        for pair, other in zip(found.metrics["BLEU"].comparisons, alone.comparisons, strict=True):
            [one] = [one for one in pair.sets if one.test_set == name]
            fields = ("a", "b", "difference", "low", "high", "p_value", "p_low", "p_high", "score_a", "score_b")
            for field in (*fields, "n_segments"):
                assert getattr(one, field) == getattr(other, field), field
            assert (one.unit, one.n_units) == ("segment", len(family.test_set))
            of_a, of_b = pair_table(family[one.a], family[one.b]).influence
            variance = jackknife_variance(of_a - of_b)
            assert one.standard_error == pytest.approx(math.sqrt(variance), rel=1e-12)


def test_trials_and_resamples_of_the_campaign_are_means_of_those_of_the_sets(three_sets):
    found = quietly(three_sets, interval="percentile", **QUICK)
    key = resolve_rng(QUICK["rng"])
    keys = [key.sample(number) for number in (1, 2, 3)]
    alone = [
        compare(family, **QUICK | {"rng": own}).metrics["BLEU"]
        for family, own in zip(three_sets.values(), keys, strict=True)
    ]
    for place, pair in enumerate(found.metrics["BLEU"].comparisons):
        resampled = np.mean([one.comparisons[place].resampled for one in alone], axis=0)
        np.testing.assert_allclose(pair.resampled, resampled, rtol=1e-12)
        assert [pair.low, pair.high] == pytest.approx([*map(float, percentile_ends(resampled, 0.95))], rel=1e-12)
        tests = [
            approximate_randomization(family[pair.a], family[pair.b], n_trials=999, rng=own)
            for family, own in zip(three_sets.values(), keys, strict=True)
        ]
        trials = np.mean([test.differences for test in tests], axis=0)
        observed = np.mean([test.tested_difference for test in tests])
        assert pair.p_value == (1 + np.count_nonzero(np.abs(trials) >= abs(observed) - 1e-9)) / 1000
    for place, system in enumerate(found.metrics["BLEU"].systems):
        resampled = np.mean([one.systems[place].resampled for one in alone], axis=0)
        np.testing.assert_allclose(system.resampled, resampled, rtol=1e-12)
        assert [system.low, system.high] == pytest.approx([*map(float, percentile_ends(resampled, 0.95))], rel=1e-12)


@pytest.mark.parametrize("sizes", [(5, 6), (8, 8), (8, 9), (16, 2)])
def test_p_is_that_of_all_exchanges_of_all_sets(make_mean, sizes):
    """Two sets of unlike size, each counting the same: exact up to 16 coins in all, else within its error."""
    draws, n_coins = np.random.default_rng(3), sum(sizes)
    gains = [draws.normal(0.4, 1, size) for size in sizes]
    sets = mean_sets(make_mean, *({"base": np.zeros(len(gain)), "new": gain} for gain in gains))
    observed = np.mean([gain.mean() for gain in gains])
    signs = 1 - 2 * (np.arange(2**n_coins)[:, None] >> np.arange(n_coins) & 1)
    first, second = np.split(signs, [sizes[0]], axis=1)
    exchanged = ((first * gains[0]).mean(axis=1) + (second * gains[1]).mean(axis=1)) / 2
    truth = np.mean(np.abs(exchanged) >= abs(observed) - 1e-12)
    assert 0.02 < truth < 0.9
    found = quietly(sets, n_trials=20_000, rng=4)
    pair = only(found)
    if n_coins <= 16:
        assert pair.p_value == pair.p_low == pair.p_high == truth
    else:
        low, high = scipy.stats.binom.interval(1 - 1e-4, 20_000, truth)
        assert low <= pair.p_value * 20_001 - 1 <= high
        assert pair.p_low < truth < pair.p_high
    said = (
        f"exact randomization test by segment, within each test set (all 2^{n_coins} exchanges"
        if n_coins <= 16
        else "approximate randomization test by segment, within each test set (20,000 trials"
    )
    assert f"two-sided {said}" in " ".join(format_campaign(found, all_columns=True).split())
    for one, gain in zip(pair.sets, gains, strict=True):
        signs = 1 - 2 * (np.arange(2 ** len(gain))[:, None] >> np.arange(len(gain)) & 1)
        exact = np.mean(np.abs(signs @ gain) >= abs(gain.sum()) - 1e-12)
        [alone] = found.of_set(one.test_set).metrics["score"].comparisons
        assert alone.p_value == alone.p_low == alone.p_high == exact
        if n_coins <= 16:  # with those of the other set, whose coins change nothing here
            assert one.p_value == one.p_low == one.p_high == exact
        else:
            assert one.p_low < exact < one.p_high


@pytest.mark.parametrize("exchange", ["unit", "run"])
def test_exact_p_of_bleu_is_that_of_swapping_outputs_by_hand(make_bleu, exchange):
    """Two runs, of which few segments differ: with coins of runs, some differ in one run alone."""
    sets = {}
    for seed, (name, differ) in enumerate({"x": (3, 17, 40), "y": (5, 8)}.items()):
        family = named(make_bleu(50, runs=(2, 2), gain=0.05, seed=seed), name)
        a, b = (family.values[system].copy() for system in family)
        same = np.setdiff1d(np.arange(50), differ)
        b[:, same] = a[:, same]
        b[0, differ[0]] = a[0, differ[0]]
        sets[name] = replace(family, values=dict(zip(family, (a, b), strict=True)))
    differences = {}
    for name, family in sets.items():
        values = np.stack([family.values[system] for system in family])
        coins = [
            (runs, segment)
            for segment in range(50)
            for runs in ([[0], [1]] if exchange == "run" else [[0, 1]])
            if (values[0][runs, segment] != values[1][runs, segment]).any()
        ]
        assert len(coins) in ((2, 3) if exchange == "unit" else (3, 5))
        differences[name] = []
        for chosen in product([False, True], repeat=len(coins)):
            swapped = values.copy()
            for (runs, segment), is_chosen in zip(coins, chosen, strict=True):
                if is_chosen:
                    swapped[:, runs, segment] = swapped[::-1][:, runs, segment]
            scores = family.metric.score(swapped.sum(axis=2)).mean(axis=1)  # the mean over runs
            differences[name].append(scores[1] - scores[0])
    means = [np.mean(both) for both in product(*differences.values())]
    pair = only(quietly(sets, exchange=exchange, **QUICK))
    truth = np.mean([abs(mean) >= abs(means[0]) - 1e-9 for mean in means])
    assert pair.p_value == pair.p_low == pair.p_high == truth


def test_some_pairs_are_exact_and_others_are_as_before(three_sets):
    """A copy but for one segment on each set: with Holm's method its p is exact, and other pairs do not change."""
    before = quietly(three_sets, adjust="holm", **QUICK).to_frame()
    sets = {}
    for name, family in three_sets.items():
        first, second = list(family)[:2]
        almost = family.values[first].copy()
        almost[:, 7] = family.values[second][:, 7]
        sets[name] = replace(family, values=family.values | {"almost": almost})
    found = quietly(sets, adjust="holm", **QUICK)
    frame = found.to_frame()
    exact = {(one.a, one.b): one.p_value for one in found.metrics["BLEU"].comparisons if one.p_low == one.p_high}
    for one in quietly(sets, **QUICK).metrics["BLEU"].comparisons:  # max-T needs the trials of all of them
        assert one.p_low < exact.get((one.a, one.b), one.p_value) < one.p_high
    [pair] = [one for one in found.metrics["BLEU"].comparisons if (one.a, one.b) == ("almost", list(family)[0])]
    assert pair.p_low == pair.p_high and pair.p_value * 8 in range(1, 9)
    others = frame[(frame["a"] != "almost") & (frame["b"] != "almost")].reset_index(drop=True)
    adjusted = {"conclusion", "verdict", "better", "new_sets_verdict", "tolerated_design_effect"}
    kept = [name for name in frame if "adjusted" not in name and name not in adjusted]
    assert others[kept].equals(before[kept])
    details = " ".join(format_campaign(found, all_columns=True).split())
    assert "randomization test by segment, within each test set (999 trials" in details


def test_jackknife_of_the_campaign_has_sets_as_strata_of_equal_weight(make_mean):
    draws = np.random.default_rng(5)
    gains = [draws.normal(0.2, 1, 12), draws.normal(0.2, 2, 30)]
    sets = mean_sets(make_mean, *({"base": np.zeros(len(gain)), "new": gain} for gain in gains))
    pair = only(quietly(sets, interval="jackknife", **QUICK))
    squares = np.array([gain.var(ddof=1) / len(gain) for gain in gains])
    df = squares.sum() ** 2 / np.sum(squares**2 / (np.array([12, 30]) - 1))
    half = scipy.stats.t.ppf(0.975, df) * math.sqrt(squares.sum()) / 2
    assert (pair.low, pair.high) == pytest.approx((pair.difference - half, pair.difference + half), rel=1e-12)


def test_new_sets_are_asked_of_by_students_t(three_sets):
    found = quietly(three_sets, **QUICK).metrics["BLEU"]
    for pair in found.comparisons:
        differences = [one.difference for one in pair.sets]
        squares = np.array([one.standard_error**2 for one in pair.sets])
        error = math.sqrt(max(np.var(differences, ddof=1), squares.mean()) / 3)
        assert pair.new_sets_t_p_value == pytest.approx(2 * scipy.stats.t.sf(abs(pair.difference) / error, 2), rel=1e-9)
        assert (pair.new_sets_p_value, pair.new_sets_df) == (max(pair.new_sets_t_p_value, pair.p_value), 2)
        half = scipy.stats.t.ppf(0.975, 2) * error
        ends = min(pair.low, pair.difference - half), max(pair.high, pair.difference + half)
        assert (pair.new_sets_low, pair.new_sets_high) == pytest.approx(ends, rel=1e-9)
        assert pair.one_new_set_high == pytest.approx(max(pair.high, pair.difference + 2 * half), rel=1e-9)
        assert pair.one_new_set_low == pytest.approx(min(pair.low, pair.difference - 2 * half), rel=1e-9)
        mean = np.sum(differences / squares) / np.sum(1 / squares)
        q = np.sum((differences - mean) ** 2 / squares)
        if q < 2:
            assert pair.spread_between_sets == 0
        else:
            weights = 1 / (squares + pair.spread_between_sets**2)
            center = np.average(differences, weights=weights)
            assert np.sum(weights * (differences - center) ** 2) == pytest.approx(2, rel=1e-9)
        assert pair.spread_p_value == pytest.approx(scipy.stats.chi2.sf(q, 2), rel=1e-9)


def test_spread_and_q_are_the_published_ones_of_the_bcg_trials():
    """Thirteen trials of a vaccine (Colditz et al., 1994): Q = 152.233, and 0.3181 by Paule and Mandel's estimate."""
    ratios, variances = make_bcg_trials()
    found = expect_new_sets(ratios, variances, 0.95, 1.0)
    assert found.spread**2 == pytest.approx(0.3181, abs=5e-5)
    assert found.spread_p_value == pytest.approx(scipy.stats.chi2.sf(152.2330, 12), rel=1e-3)


def test_families_are_the_comparisons_and_the_sets_with_the_comparisons(make_bleu):
    sets = {name: named(make_bleu(150, runs=(1, 1, 1), gain=0.02, seed=i), name) for i, name in enumerate("xyz")}
    found = quietly(sets, n_resamples=400, n_trials=5000, adjust="holm", rng=1).metrics["BLEU"]
    assert (found.family_size, found.sets_family_size, found.method_family_size) == (3, 9, 0)
    pairs, ones = found.comparisons, [one for pair in found.comparisons for one in pair.sets]
    for rows, p_value, p_adjusted in (
        (pairs, "p_value", "p_adjusted"),
        (pairs, "new_sets_t_p_value", "new_sets_p_adjusted"),
        (ones, "p_value", "p_adjusted"),
    ):
        adjusted = holm_adjust([getattr(one, p_value) for one in rows])
        assert [getattr(one, p_adjusted) for one in rows] == adjusted.tolist()
    assert {pair.verdict for pair in pairs} == {"significant"}
    assert {one.verdict for one in ones} > {"significant"}
    for pair in pairs:
        assert pair.new_sets_verdict == ("significant" if pair.new_sets_p_adjusted <= 0.05 else "not significant")
        assert pair.better == pair.a
        of_new = pair.new_sets_verdict == "significant"
        assert pair.conclusion == ("shown for new test sets" if of_new else "shown on these test sets only")
        assert [one.better for one in pair.sets] == [
            pair.a if one.verdict == "significant" else None for one in pair.sets
        ]
    assert [ranked.system for ranked in found.ranking] == ["s2", "s1", "s0"]
    assert [ranked.group for ranked in found.ranking] == ["a", "b", "c"]
    assert [(ranked.rank, ranked.rank_low, ranked.rank_high) for ranked in found.ranking] == [
        (1, 1, 1),
        (2, 2, 2),
        (3, 3, 3),
    ]
    for ranked, system in zip(found.ranking, reversed(found.systems), strict=True):
        assert ranked.score == pytest.approx(system.score, rel=1e-12)


@pytest.fixture
def four_systems(make_mean):
    """On five sets, one system gains 1 on each, one 4 on two of them alone, and one nothing."""
    draws, sets = np.random.default_rng(1), []
    for shift in (0, 4, 0.1, 4, -0.1):
        hard, noise = draws.normal(0, 5, 60), draws.normal(0, 0.3, (4, 60))
        gains = {"base": 0, "steady": 1, "on some": shift, "same": 0}
        sets.append({name: hard + gain + own for (name, gain), own in zip(gains.items(), noise, strict=True)})
    return mean_sets(make_mean, *sets)


def test_ranks_of_all_pairs_are_those_that_the_conclusions_leave_open(four_systems):
    [metric] = quietly(four_systems, **QUICK).metrics.values()
    conclusions = {(pair.a, pair.b): (np.sign(pair.difference), pair.conclusion) for pair in metric.comparisons}
    assert {said for _, said in conclusions.values()} == {
        "shown for new test sets", "shown on these test sets only", "not shown",
    }  # fmt: skip
    beaten = {one.system: ([], []) for one in metric.ranking}
    beats = {one.system: ([], []) for one in metric.ranking}
    for (a, b), (sign, said) in conclusions.items():
        winner, loser = (a, b) if sign > 0 else (b, a)
        for place, claims in enumerate((said.startswith("shown"), said == "shown for new test sets")):
            if claims:
                beats[winner][place].append(loser)
                beaten[loser][place].append(winner)
    for one in metric.ranking:
        (here, new), (here_below, new_below) = map(len, beaten[one.system]), map(len, beats[one.system])
        assert (one.rank_low, one.rank_high) == (1 + here, 4 - here_below)
        assert (one.new_sets_rank_low, one.new_sets_rank_high) == (1 + new, 4 - new_below)
        for other in metric.ranking:
            apart = other.system in beats[one.system][1] + beaten[one.system][1]
            assert apart == (not {*one.new_sets_group} & {*other.new_sets_group})
            apart = other.system in beats[one.system][0] + beaten[one.system][0]
            assert apart == (not {*one.group} & {*other.group})


def test_what_is_claimed_for_new_sets_is_shown_on_these(make_mean):
    """Equal differences with much noise within: Student's t over sets alone would claim what no trial supports."""
    draws = np.random.default_rng(0)
    sets = []
    for shift in (0.30, 0.31, 0.305):
        gain = draws.normal(0, 3, 40)
        sets.append({"base": np.zeros(40), "new": gain - gain.mean() + shift})
    pair = only(quietly(mean_sets(make_mean, *sets), **QUICK))
    assert scipy.stats.ttest_1samp([one.difference for one in pair.sets], 0).pvalue < 0.001
    assert (pair.verdict, pair.new_sets_verdict) == ("not significant", "not significant")
    assert pair.new_sets_p_value >= pair.p_value > 0.05
    assert pair.new_sets_low <= pair.low < 0 < pair.high <= pair.new_sets_high
    assert (pair.conclusion, pair.better, pair.spread_between_sets) == ("not shown", None, 0.0)
    assert pair.spread_p_value > 0.9


# Whatever the order.


def test_order_of_systems_turns_every_result(three_sets):
    found = quietly(three_sets, **QUICK).metrics["BLEU"]
    turned = {name: replace(one, values=dict(reversed(one.values.items()))) for name, one in three_sets.items()}
    mirrored = {(pair.a, pair.b): pair for pair in quietly(turned, **QUICK).metrics["BLEU"].comparisons}
    for pair in found.comparisons:
        other = mirrored[pair.b, pair.a].turned()
        assert_same(pair.shown(), other.shown())
        for one, another in zip(pair.sets, other.sets, strict=True):
            assert_same(one.shown(), another.shown())
            assert_same(one.drawn.shown(), another.drawn.shown())
        np.testing.assert_allclose(pair.resampled, other.resampled, rtol=1e-9)


def test_systems_may_come_in_another_order_in_each_set(three_sets):
    mixed = dict(three_sets)
    mixed["y"] = replace(mixed["y"], values=dict(reversed(mixed["y"].values.items())))
    assert quietly(mixed, **QUICK).sets_frame().equals(quietly(three_sets, **QUICK).sets_frame())


def test_order_of_sets_changes_nothing_but_draws(three_sets):
    found = quietly(three_sets, "s0", **QUICK)
    other = quietly({name: three_sets[name] for name in "zxy"}, "s0", **QUICK)
    drawn = {"low", "high", "p_value", "p_low", "p_high", "p_adjusted", "simultaneous_low", "simultaneous_high"}
    drawn.add("tolerated_design_effect")
    for frames in ((found.to_frame(), other.to_frame()), (found.systems_frame(), other.systems_frame())):
        kept = [name for name in frames[0].columns if name not in drawn]
        for one, another in zip(*(frame[kept].to_dict("records") for frame in frames), strict=True):
            assert_same(one, another)
    one, another = only_p(found), only_p(other)
    assert one != another and np.allclose(one, another, atol=0.06)


def only_p(campaign):
    return [pair.p_value for pair in campaign.metrics["BLEU"].comparisons]


@pytest.mark.parametrize("trials", [7, 1])
def test_blocks_of_trials_change_nothing(three_sets, monkeypatch, trials):
    whole = quietly(three_sets, n_resamples=400, n_trials=60, rng=1)
    monkeypatch.setattr("mtworkbench.inference.draws.WORK_OF_PART", trials * work_of_trial(three_sets))
    blocks = quietly(three_sets, n_resamples=400, n_trials=60, rng=1)
    assert blocks.sets_frame().equals(whole.sets_frame()) and blocks.to_frame().equals(whole.to_frame())


def work_of_trial(sets):
    """What one trial of all sets takes: three systems, and so three pairs."""
    return sum(3 * len(one.test_set) for one in sets.values()) + 3 * len(sets) * WORK_OF_PAIR


def test_batches_change_nothing(three_sets, monkeypatch):
    whole = quietly(three_sets, **QUICK)
    monkeypatch.setattr("mtworkbench.resampling.BATCH_CELLS", 1000)
    cut = quietly(three_sets, **QUICK)
    assert cut.sets_frame().equals(whole.sets_frame()) and cut.to_frame().equals(whole.to_frame())


def test_parts_are_plain_and_drawn_alike_in_any_process(three_sets, tmp_path):
    seen = []

    class Elsewhere(mtw.Study):
        """Computes parts from what a process is sent, the last first."""

        def run(self, compute, shared, parts, **_options):
            sent = json.loads(json.dumps(parts))
            seen.extend(sent)
            compute, shared = pickle.loads(pickle.dumps((compute, shared)))
            return [compute(shared, part) for part in reversed(sent)][::-1]

    here = quietly(three_sets, **QUICK).sets_frame()
    assert quietly(three_sets, study=Elsewhere(tmp_path), **QUICK).sets_frame().equals(here)
    parts = [(part["draw"], [one["test_set"] for one in part["sets"]]) for part in seen]
    assert parts == [*(("resamples", [name]) for name in three_sets), ("trials", list(three_sets))]
    drawn = draw_part(three_sets, seen[0])
    assert all(isinstance(array, np.ndarray) for array in drawn.values())


@pytest.mark.parametrize("trials", [2000, 400])
def test_a_study_keeps_the_draws_and_changes_nothing(three_sets, tmp_path, monkeypatch, trials):
    monkeypatch.setattr("mtworkbench.inference.draws.WORK_OF_PART", trials * work_of_trial(three_sets))
    here = quietly(three_sets, **QUICK)
    n_units = 3 + math.ceil(999 / trials)
    for n_found in (0, n_units):
        study = mtw.Study(tmp_path / "study")
        found = quietly(three_sets, study=study, **QUICK)
        assert (study.n_found, study.n_computed) == (n_found, n_units - n_found)
        assert found.sets_frame().equals(here.sets_frame()) and found.to_frame().equals(here.to_frame())
        assert found.metrics["BLEU"].ranking[0].shown() == here.metrics["BLEU"].ranking[0].shown()
    quietly(three_sets, study=study, **QUICK | {"rng": 2})
    assert study.n_computed == n_units


def test_a_study_finds_the_resamples_of_a_set_whichever_others_there_are(three_sets, tmp_path):
    first = {name: three_sets[name] for name in "xy"}
    quietly(first, study=mtw.Study(tmp_path / "study"), **QUICK)
    study = mtw.Study(tmp_path / "study")
    found = quietly(three_sets, study=study, **QUICK)
    # The resamples of x and y; trials are counted over all sets together.
    assert (study.n_found, study.n_computed) == (2, 2)
    assert found.sets_frame().equals(quietly(three_sets, **QUICK).sets_frame())
    changed = first | {"y": first["y"].take(np.arange(140))}
    quietly(changed, study=study, **QUICK)
    assert (study.n_found, study.n_computed) == (3, 4)
    of_other_name = {"x": first["y"], "y": first["x"]}  # in the same place, with the same key
    assert (
        quietly(of_other_name, study=study, **QUICK).sets_frame().equals(quietly(of_other_name, **QUICK).sets_frame())
    )


def test_a_block_of_trials_is_a_part_of_all_of_them(three_sets):
    """Counts of blocks add up, and the largest of all trials are among the largest of the blocks."""
    whole, first, last = (
        draw_part(three_sets, part_of(three_sets, begin, n)) for begin, n in ((0, 90), (0, 31), (31, 59))
    )
    np.testing.assert_array_equal(whole["counts0"], first["counts0"] + last["counts0"])
    both = np.concatenate([first["largest0"], last["largest0"]], axis=1)
    np.testing.assert_array_equal(np.sort(whole["largest0"]), np.sort(both)[:, -20:])


def test_what_a_part_returns_does_not_grow_with_trials_or_pairs(three_sets):
    """All of 50 sets, 190 pairs and 10,000 trials would be gigabytes: 4 ends of 3 pairs, and 3 steps, are kept."""
    counts = draw_part(three_sets, part_of(three_sets, 0, 500))
    assert {name: array.shape for name, array in counts.items()} == {"counts0": (4, 3), "largest0": (15, 20)}
    part = part_of(three_sets, 0, 50)
    resamples = draw_part(three_sets, part | {"draw": "resamples", "sets": part["sets"][:1]})
    assert {name: array.size for name, array in resamples.items()} == {"averages": 150, "s_sel": 3}


def part_of(sets, first, count):
    """Trials of the mean differences, of which the 20 largest are kept."""
    described = [{"test_set": name, "unit": "segment", "key": key} for key, name in enumerate(sets)]
    families = [{"rows": [[-1, 0], [-1, 1], [-1, 2]], "joint": True, "kept": 20}]
    part = {"baseline": None, "exchange": "unit", "draw": "trials", "first": first, "count": count, "level": 0.95}
    return part | {"sets": described, "families": families}


# Edges.


def test_copies_on_all_sets(make_mean):
    scores = np.random.default_rng(1).normal(size=20)
    pair = only(quietly(mean_sets(make_mean, {"a": scores, "b": scores}, {"a": scores[:9], "b": scores[:9]}), **QUICK))
    assert (pair.difference, pair.p_value, pair.p_low, pair.p_high, pair.p_adjusted) == (0, 1, 1, 1, 1)
    assert (pair.conclusion, pair.verdict, pair.better) == ("identical scores", "not significant", None)
    assert (pair.spread_between_sets, pair.spread_p_value, pair.new_sets_p_value) == (0, None, 1)
    assert (pair.low, pair.high, pair.new_sets_low, pair.one_new_set_high) == (0, 0, 0, 0)
    assert (pair.n_sets_a_better, pair.n_sets_b_better) == (0, 0)


def test_copies_on_one_of_the_sets(make_bleu):
    same, other = named(make_bleu(100, gain=0), "same"), named(make_bleu(100, gain=0.05), "other")
    same = replace(same, values={"s0": same.values["s0"], "s1": same.values["s0"]})
    pair = only(quietly({"same": same, "other": other}, **QUICK))
    assert pair.difference == pair.sets[1].difference / 2
    assert (pair.sets[0].p_value, pair.sets[0].verdict, pair.spread_p_value) == (1, "not significant", None)
    # Trial by trial, the mean is half of the other set's difference.
    assert (pair.p_value, pair.verdict) == (pair.sets[1].p_value, "significant")
    assert (pair.n_sets_a_better, pair.n_sets_b_better) == (1, 0)
    assert pair.conclusion == "shown on these test sets only"


def test_same_difference_on_all_sets_is_as_sure_for_new_ones_as_segments_allow(make_mean):
    """Of 30 and 40 gains of 1 or 2, half each: the variances of the means are 0.25 / 29 and 0.25 / 39."""
    sets = [{"base": np.arange(size), "new": np.arange(size) + np.tile([1.0, 2.0], size // 2)} for size in (30, 40)]
    pair = only(quietly(mean_sets(make_mean, *sets), **QUICK))
    assert (pair.difference, pair.verdict, pair.spread_between_sets) == (1.5, "significant", 0)
    error = math.sqrt(0.25 / 29 + 0.25 / 39) / 2
    assert pair.new_sets_t_p_value == pytest.approx(2 * scipy.stats.t.sf(1.5 / error, 1))
    assert pair.spread_p_value == 1 and pair.conclusion == "shown for new test sets"


def test_where_nothing_varies_nothing_is_said_of_new_sets(make_mean):
    sets = [{"base": np.arange(size), "new": np.arange(size) + 1.5} for size in (30, 40)]
    pair = only(quietly(mean_sets(make_mean, *sets), **QUICK))
    assert (pair.difference, pair.verdict, pair.spread_between_sets) == (1.5, "significant", 0)
    assert (pair.new_sets_p_value, pair.new_sets_p_adjusted, pair.new_sets_verdict) == (None, None, None)
    assert (pair.new_sets_low, pair.new_sets_df, pair.one_new_set_low) == (None, None, None)
    assert pair.new_sets_ends == (None, None, 0)
    assert pair.conclusion == "shown on these test sets only"


def test_lower_is_better(make_ter):
    sets = {name: named(make_ter(150, gain=0.04, seed=seed), name) for seed, name in enumerate("xyz")}
    pair = only(quietly(sets, **QUICK))
    assert pair.difference < 0 and pair.better == pair.a == "s1"
    assert (pair.n_sets_a_better, pair.n_sets_b_better) == (3, 0)


def test_metric_without_direction(three_sets):
    found = quietly({name: lengths_of(one) for name, one in three_sets.items()}, **QUICK).metrics["Length"]
    assert found.ranking is None and found.higher_is_better is None
    for pair in found.comparisons:
        assert (pair.better, pair.n_sets_a_better, pair.n_sets_b_better) == (None, None, None)


def test_missing_scores_leave_the_comparison_for_both(make_mean):
    draws = np.random.default_rng(2)
    sets = [{name: draws.normal(shift, 1, 60) for name, shift in (("a", 0), ("b", 0.3), ("c", 0.2))} for _ in range(3)]
    sets[1]["b"][:15] = np.nan
    sets[1]["c"][50:] = np.nan
    found, told = noticing(mean_sets(make_mean, *sets), **QUICK)
    assert told["missing-scores"].startswith("Test set 'set 2': 25 of 60 segments have no score in")
    [metric] = found.metrics.values()
    assert metric.ranking is None
    for pair in metric.comparisons:
        gaps = [scores[pair.a] - scores[pair.b] for scores in sets]
        assert [one.n_segments for one in pair.sets] == [np.count_nonzero(~np.isnan(gap)) for gap in gaps]
        assert pair.measured.n_segments == sum(one.n_segments for one in pair.sets)
        means = [np.nanmean(gap) for gap in gaps]
        assert [one.difference for one in pair.sets] == pytest.approx(means, rel=1e-12)
        assert pair.difference == pytest.approx(np.mean(means), rel=1e-12)
    assert metric.systems[1].scores["set 2"] == pytest.approx(np.nanmean(sets[1]["b"]), rel=1e-12)
    family, options = mean_sets(make_mean, *sets)["set 2"], QUICK | {"rng": resolve_rng(1).sample(2)}
    with pytest.warns(DataWarning, match="^25 of 60 segments"):
        alone = compare(family, **options).metrics["score"].comparisons
    for name in ("p_value", "low", "high", "n_segments", "score_b"):
        assert [getattr(pair.sets[1], name) for pair in metric.comparisons] == [getattr(one, name) for one in alone]


def test_each_set_has_its_own_unit(make_bleu):
    sets = {
        "many": named(make_bleu(120, documents=np.arange(120) // 10), "many"),
        "few": named(make_bleu(120, documents=np.arange(120) // 40, seed=1), "few"),
        "none": named(make_bleu(130, seed=2), "none"),
    }
    found, told = noticing(sets, **QUICK)
    assert told["few-documents"].startswith("Test set 'few': The test set has only 3 documents")
    assert [(one.name, one.unit, one.n_documents) for one in found.test_sets] == [
        ("many", "document", 12),
        ("few", "segment", 3),
        ("none", "segment", None),
    ]
    assert found.unit == "auto" and found.interval == "jackknife"
    assert [(one.unit, one.n_units) for one in only(found).sets] == [
        ("document", 12),
        ("segment", 120),
        ("segment", 130),
    ]


def test_where_nothing_varies_on_any_set_the_mean_is_certain():
    nothing = VarianceOfMean([np.zeros(3), np.zeros(4)], [0.0, 0.0], [2.0, 3.0])
    settings = SimpleNamespace(interval="jackknife", level=0.95)
    assert nothing.find_ends(5.0, np.full(9, 5.0), 5.0, settings, "the mean") == (5.0, 5.0)


def test_two_sets_have_one_degree_of_freedom_and_this_is_said(three_sets):
    two = {name: three_sets[name] for name in "xy"}
    found, told = noticing(two, **QUICK)
    assert told["few-sets"].startswith("With 2 test sets, only large differences can be shown for new test sets: ")
    assert "at least 12.7 times its standard error (1 degree of freedom), and more if p" in told["few-sets"]
    assert {pair.new_sets_df for pair in found.metrics["BLEU"].comparisons} == {1}
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        compare_test_sets(three_sets | {"w": named(two["x"].take(np.arange(110)), "w")}, **QUICK)


def test_baseline_and_several_metrics(three_sets):
    sets = {name: [one, lengths_of(one)] for name, one in three_sets.items()}
    found = quietly(sets, "s1", **QUICK)
    assert [*found.metrics] == ["BLEU", "Length"]
    alone = quietly(three_sets, "s1", **QUICK)
    assert found.metrics["BLEU"].to_frame().equals(alone.metrics["BLEU"].to_frame())
    assert [(pair.a, pair.b) for pair in found.metrics["Length"].comparisons] == [("s0", "s1"), ("s2", "s1")]
    assert [ranked.system for ranked in found.metrics["BLEU"].ranking] == ["s2", "s1", "s0"]
    assert len(found.to_frame()) == 4 and len(found.sets_frame()) == 12 and len(found.systems_frame()) == 6
    assert [*found.to_frame().columns][:3] == ["metric", "a", "b"]


def test_one_system_is_not_compared(three_sets):
    alone = {name: replace(one, values={"s0": one.values["s0"]}) for name, one in three_sets.items()}
    found = quietly(alone, **QUICK)
    assert found.metrics["BLEU"].comparisons == () and len(found.metrics["BLEU"].systems) == 1
    assert found.to_frame().empty and found.sets_frame().empty


def test_settings_are_named(three_sets):
    found = quietly(three_sets, **QUICK)
    assert found.signature.startswith(
        "test:campaign|sets:3|unit:segment|exchange:unit|trials:999|interval:auto|level:0.95|resamples:400"
        "|adjust:max-t|rng:1|"
    )
    assert repr(found) == f"CampaignComparison(3 test sets; BLEU; all pairs; {found.signature})"
    assert found.metrics["BLEU"].signatures == {name: one.signature for name, one in three_sets.items()}


def test_number_of_trials_is_that_of_the_families(three_sets):
    assert quietly(three_sets, adjust="holm", rng=1).n_trials == 10_000
    assert choose_n_trials(None, 10, 0.95, n_sets=14) == min_trials(140, 0.95) == 10_328
    assert choose_n_trials(None, 190, 0.95, n_sets=50) == 50_000
    assert choose_n_trials(None, 4950, 0.95, n_sets=50) == min_trials(4950, 0.95) > 50_000
    options = {"n_resamples": 400, "rng": 1, "adjust": "holm"}
    few = {n: noticing(three_sets, n_trials=n, **options)[1].get("few-trials") for n in (700, 500, 100)}
    assert few[700] is None
    assert few[500].startswith("With 500 trials, no difference on a single test set can be called significant among 9 ")
    assert "(3 test sets, 3 pairs of systems)" in few[500]
    two = {name: replace(one, values={s: one.values[s] for s in ("s0", "s1")}) for name, one in three_sets.items()}
    told = noticing(two, n_trials=100, **options)[1]["few-trials"]
    assert "(3 test sets, 1 pair of systems)" in told
    assert few[100].startswith("With 100 trials and 3 comparisons, no difference can be called significant at 0.05")
    by_max_t = {n: noticing(three_sets, n_resamples=400, n_trials=n, rng=1)[1].get("few-trials") for n in (72, 71)}
    assert by_max_t[72] is None  # a family of max-T needs no more trials than one comparison
    assert by_max_t[71].endswith("use at least 72 trials, or omit n_trials (--trials) to let the program choose.")


def test_progress_counts_the_draws_of_all_sets(three_sets):
    steps = []

    def count(items):
        for item in items:
            steps.append(item)
            yield item

    quietly(three_sets, progress=count, **QUICK)
    assert len(steps) == 3 * (400 + 999)


# Several runs.


def test_method_over_one_set_is_the_crossed_analysis(make_bleu):
    family = make_bleu(80, runs=(3, 4), gain=0.02)
    found = crossed_analysis(family["s1"], family["s0"])
    alone = average_variances([found.variance], tuple(family[name].score()[0] for name in ("s1", "s0")))
    assert alone.total == pytest.approx(found.variance.total, rel=1e-12)
    assert alone.df == pytest.approx(found.method_df, rel=1e-12)


def test_method_over_sets_of_one_size_is_the_crossed_analysis_with_sets_as_strata(make_mean):
    draws = np.random.default_rng(7)
    columns = {"half": np.repeat(["x", "y"], 50)}
    scores = {name: draws.normal(0, 1, (4, 100)) + draws.normal(0, 0.2, (4, 1)) for name in ("a", "b")}
    whole = make_mean(**scores, columns=columns)
    pair = only(quietly(_halves(whole), **QUICK))
    found = crossed_analysis(whole["b"], whole["a"], unit="segment", strata="half")
    assert pair.difference == pytest.approx(found.difference, rel=1e-12)
    half = scipy.stats.t.ppf(0.975, pair.method_df) * found.standard_error
    assert pair.method_high - pair.difference == pytest.approx(half, rel=1e-9)
    assert pair.method_df == pytest.approx(found.method_df, rel=0.05)


def _halves(whole):
    return {name: named(whole.take(whole.test_set.columns["half"] == name), name) for name in ("x", "y")}


def test_degrees_of_freedom_over_sets_are_satterthwaites():
    """Sets whose variances are 1 and 3, with 3 and 9 degrees of freedom: (1 + 3)^2 / (1^2 / 3 + 3^2 / 9) = 12."""
    sets = [
        CrossedVariance(n_units, 2, 2, unit, run_a=0.5, run_b=0.5, residual_a=0.0, residual_b=0.0)
        for n_units, unit in ((4, 1.0), (10, 3.0))
    ]
    found = average_variances(sets, (np.array([1.0, 2.0]), np.array([1.0, 2.0])))
    assert found.unit == 1.0  # (1 + 3) / 2^2
    assert found.unit_df == pytest.approx(12, rel=1e-12)


@pytest.mark.long
def test_variance_of_methods_is_right_in_the_mean():
    """Runs that are good or bad on all sets at once: segments, runs, and both, as made."""
    draws = np.random.default_rng(11)
    sizes, runs, sd_unit, sd_run, sd_both = (20, 50), (3, 4), 0.6, 0.3, 1.0
    estimated, differences = [], []
    for _ in range(3000):
        of_runs = [draws.normal(0, sd_run, number) for number in runs]
        of_sets, scores = [], []
        for size in sizes:
            sides = [
                effect[:, None] + draws.normal(0, sd_unit, size) + draws.normal(0, sd_both, (len(effect), size))
                for effect in of_runs
            ]
            influence = tuple((side - side.mean(axis=1, keepdims=True)) / size for side in sides)
            scores.append([side.mean(axis=1) for side in sides])
            of_sets.append(cross_variances(tuple(scores[-1]), influence, 1.0))
        means = tuple(np.mean([own[side] for own in scores], axis=0) for side in (0, 1))
        variance = average_variances(of_sets, means)
        estimated.append(variance.unit + variance.run_a + variance.run_b - variance.of_both)
        differences.append(means[0].mean() - means[1].mean())
    truth = sum((2 * sd_unit**2 + sd_both**2 * (1 / 3 + 1 / 4)) / size for size in sizes) / 4
    truth += sd_run**2 * (1 / 3 + 1 / 4)
    assert np.mean(estimated) == pytest.approx(truth, rel=0.05)
    assert np.var(differences) == pytest.approx(truth, rel=0.1)


def test_runs_with_other_names_on_another_set_are_refused(make_bleu):
    sets = {"x": named(make_bleu(100, runs=(3, 3)), "x"), "y": named(make_bleu(100, runs=(3, 3), seed=1), "y")}
    same = replace(sets["y"], run_names={"s0": ("2", "3", "4")})
    with pytest.raises(InputError) as found:
        compare_test_sets({"x": replace(sets["x"], run_names={"s0": ("1", "2", "3")}), "y": same}, **QUICK)
    assert (found.value.code, str(found.value)) == (
        "different-runs",
        "System 's0' has runs 2, 3 and 4 on test set 'y', but runs 1, 2 and 3 on test set 'x': run k must be the same "
        "trained system on every set; give the outputs of the same runs, or give the files of one trained system the "
        "same number.",
    )
    with pytest.warns(DataWarning) as noticed:
        compare_test_sets(sets | {"y": same}, **QUICK)
    assert [one.message.message for one in noticed if one.message.code == "runs-by-order"] == [
        "The runs of 's0' have names or numbers on test set 'y', but none on test set 'x'. They are therefore matched "
        "by order: check that run k is the same trained system on every set."
    ]
    both = {name: replace(one, run_names={"s0": ("2", "3", "4")}) for name, one in sets.items()}
    found, expected = (only(quietly(one, **QUICK)) for one in (both, sets))
    assert (found.difference, found.method_p_value) == (expected.difference, expected.method_p_value)


def test_method_needs_the_same_runs_on_every_set(make_bleu):
    sets = {"x": named(make_bleu(100, runs=(2, 2)), "x"), "y": named(make_bleu(100, runs=(2, 3), seed=1), "y")}
    pair = only(quietly(sets, **QUICK))
    assert (pair.method_p_value, pair.method_verdict, pair.method_df) == (None, None, None)
    metric = quietly(sets, **QUICK).metrics["BLEU"]
    assert [system.runs for system in metric.systems] == [2, None] and not metric.asks_of_methods
    sets["y"] = named(make_bleu(100, runs=(2, 2), seed=1), "y")
    metric = quietly(sets, **QUICK).metrics["BLEU"]
    assert metric.asks_of_methods and metric.method_family_size == 1
    assert metric.comparisons[0].method_p_adjusted == metric.comparisons[0].method_p_value
    assert quietly({name: one.take(np.arange(50)) for name, one in sets.items()}, unit="segment", **QUICK)


# What is refused, and what is told.


def refused(sets, code, match, **options):
    with pytest.raises(InputError, match=match) as caught:
        compare_test_sets(sets, **options)
    assert caught.value.code == code
    assert str(caught.value).endswith(".")


def test_what_is_no_campaign_is_refused(three_sets, make_mean):
    x, y = three_sets["x"], three_sets["y"]
    refused(x, "not-test-sets", "^An object of type SegmentStatistics was given where a dict of test sets")
    refused([x, y], "not-test-sets", "^An object of type list was given")
    refused({"x": x}, "one-test-set", "^One test set was given, but at least two were expected: use compare")
    refused({}, "one-test-set", "^No test set was given")
    refused({1: x, "y": y}, "not-test-sets", "^A test set is called 1, but a name")
    refused({" ": x, "y": y}, "not-test-sets", "^A test set is called ' '")
    refused({"x": x, "y": "wmt"}, "no-statistics", "^Test set 'y': SegmentStatistics of at least one system")
    refused({"x": x, "y": y}, "unknown-baseline", "^Test set 'x': The baseline 'q' is not", baseline="q")
    refused({"x": [x, lengths_of(x)], "y": y}, "different-metrics", "^Test set 'y' has no statistics of Length, which")
    refused({"x": x, "y": [y, lengths_of(y)]}, "different-metrics", "^Test set 'x' has no statistics of Length, which")
    refused({"x": x, "y": y}, "unknown-option", "exchange is 'both'", exchange="both")
    refused({"x": x, "y": y}, "not-a-study", "^study is of type str", study="folder")
    refused({"x": x, "y": y}, "unknown-column", "^Test set 'x': unit is 'domain'", unit="domain")
    up, down = (
        named(make_mean(a=np.arange(5), metric=MeanScore(higher_is_better=up)), str(up)) for up in (True, False)
    )
    refused({"x": up, "y": down}, "different-metrics", "^Test sets 'x' and 'y' do not agree on whether a higher score")


def test_every_system_must_be_in_every_set_and_under_every_metric(three_sets):
    x, y = three_sets["x"], three_sets["y"]
    without = replace(y, values={name: y.values[name] for name in ("s0", "s2")})
    refused({"x": x, "y": without}, "incomplete-system", "^Test set 'y' has no BLEU of 's1', but every system must be")
    refused({"y": without, "x": x}, "incomplete-system", "^Test set 'y' has no BLEU of 's1'")
    both = {"x": [x, lengths_of(x)], "y": [y, lengths_of(without)]}
    refused(both, "incomplete-system", "^Test set 'y' has no Length of 's1'")


def test_runs_that_cannot_be_paired_are_refused_with_their_set(make_bleu):
    sets = {"x": named(make_bleu(20), "x"), "y": named(make_bleu(20, runs=(1, 2)), "y")}
    refused(sets, "unequal-runs", "^Test set 'y': 's1' has 2 runs", exchange="run")


def test_a_pair_is_resampled_on_the_segments_that_both_have(make_mean):
    """So its interval is that of these segments alone, and not the difference of intervals on unlike segments."""
    rng = np.random.default_rng(5)
    sets = [{name: rng.normal(0.1 * place, 1, 60) for place, name in enumerate("abc")} for _ in range(2)]
    for scores in sets:
        scores["c"][:20] = np.nan
    with_gaps = mean_sets(make_mean, *sets)
    without = {name: family.take(np.arange(20, 60)) for name, family in with_gaps.items()}
    found = [quietly(given, interval="percentile", **QUICK).metrics.values() for given in (with_gaps, without)]
    one, other = (next(pair for pair in metric.comparisons if pair.a == "c") for [metric] in found)
    assert [one.low, one.high] == pytest.approx([other.low, other.high], rel=1e-12)
    for of_set, of_other in zip(one.sets, other.sets, strict=True):
        assert [of_set.low, of_set.high] == pytest.approx([of_other.low, of_other.high], rel=1e-12)


def test_scores_that_are_missing_altogether_are_refused_with_their_set(make_mean):
    scores, nothing = np.arange(6.0), np.full(6, np.nan)
    halves = np.where(np.arange(6) < 3, scores, np.nan), np.where(np.arange(6) < 3, np.nan, scores)
    for code, said, (a, b) in (
        ("no-scores", "'b' has no", (scores, nothing)),
        ("no-common-scores", "There is no", halves),
    ):
        sets = mean_sets(make_mean, {"a": scores, "b": scores + 1}, {"a": a, "b": b})
        refused(sets, code, f"^Test set 'set 2': {said}")


def test_a_set_of_one_segment_has_no_error_of_its_own(make_mean):
    sets = mean_sets(make_mean, {"a": np.arange(30), "b": np.arange(30)[::-1] + 1}, {"a": [0], "b": [2]})
    pair = only(quietly(sets, interval="jackknife", **QUICK))
    assert (pair.low, pair.spread_between_sets, pair.spread_p_value) == (None, None, None)
    assert (pair.sets[1].low, pair.sets[1].standard_error, pair.sets[1].p_value) == (None, None, 1)
    assert pair.difference == 1.5 and pair.new_sets_df == 1


@pytest.mark.parametrize("turned", [False, True])
def test_a_set_given_twice_is_refused(three_sets, turned):
    x = three_sets["x"]
    again = replace(x, values={name: array.copy() for name, array in x.values.items()})
    sets = {"one": x, "other": again, "y": three_sets["y"]}
    refused(
        dict(reversed(sets.items())) if turned else sets,
        "same-test-set",
        "^Test sets '(one|other)' and '(one|other)' have the same segments, which would count twice",
    )
    part = {"all": x, "part": x.take(np.arange(30)), "y": three_sets["y"]}
    refused(part, "same-test-set", "^Test sets 'all' and 'part' have 30 segments in common")


def test_same_references_are_two_sets_only_with_other_sources(three_sets):
    x, y = three_sets["x"], three_sets["y"].take(np.arange(120))
    like_x = replace(x, values={name: array[:, :120] for name, array in y.values.items()})
    assert "same-references" in noticing({"x": x, "like x": like_x}, **QUICK)[1]
    digests = np.arange(120)
    of = {name: _with_sources(one, digests) for name, one in (("x", x), ("like x", like_x))}
    refused(of, "same-test-set", "^Test sets 'x' and 'like x' have the same segments")
    of["like x"] = _with_sources(like_x, digests + 1)
    assert "same-references" not in noticing(of, **QUICK)[1]


def _with_sources(statistics, digests):
    return replace(statistics, test_set=replace(statistics.test_set, source_digests=digests))


def test_same_references_of_many_sets_are_told_once(make_bleu):
    sets = {name: make_bleu(110, seed=seed) for seed, name in enumerate("vwxyz")}
    sets["alone"] = named(make_bleu(110, seed=9), "alone")
    sets |= {name: named(make_bleu(110, seed=10 + seed), "other") for seed, name in enumerate("pq")}
    with warnings.catch_warnings(record=True) as noticed:
        warnings.simplefilter("always")
        compare_test_sets(sets, **QUICK)
    told = [str(one.message) for one in noticed if one.message.code == "same-references"]
    assert [message.partition(", and nothing")[0] for message in told] == [
        "Test sets 'v', 'w', 'x', 'y' and 'z' have the same references",
        "Test sets 'p' and 'q' have the same references",
    ]
    assert "it would count 5 times" in told[0] and "it would count twice" in told[1]


def scored(references, outputs, sources=None):
    return mtw.compute_statistics(mtw.make_outputs(references, outputs, source=sources), "bleu")


def test_parts_and_other_orders_of_a_set_are_refused_also_from_other_files():
    references = [f"this is segment number {number}" for number in range(20)] + ["Thank you all very much ."] * 2
    sources = [f"Quelle {number}" for number in range(22)]
    outputs = {
        name: [f"{line}{' more' * (number % (3 + place))}" for number, line in enumerate(references)]
        for place, name in enumerate("ab")
    }
    whole = scored(references, outputs, sources)
    for places, said in ((range(3, 12), "9 segments in common"), (range(21, -1, -1), "the same segments")):
        texts = {name: [lines[place] for place in places] for name, lines in outputs.items()}
        arguments = ([references[place] for place in places], texts, [sources[place] for place in places])
        refused({"whole": whole, "again": scored(*arguments)}, "same-test-set", f"'whole' and 'again' have {said}")
        refused({"again": scored(*arguments), "whole": whole}, "same-test-set", f"'again' and 'whole' have {said}")
        other = {name: [line.replace("segment", "part") for line in lines] for name, lines in texts.items()}
        fresh = scored([line + " indeed" for line in arguments[0]], other)
        assert quietly({"whole": whole, "fresh": fresh}, **QUICK)


def made_set(numbers, *, of="", sources=True, others=("Yes.", "Thank you.")):
    """A test set of these numbered segments, and of some that other sets also have, each three times."""
    lines = [f"this is sentence number {number}{of}" for number in numbers] + 3 * list(others)
    # Of the segments with the same references, the outputs differ: they are no copies.
    outputs = {
        name: [f"{line} or so {number}{'!' * place}" for number, line in enumerate(lines)]
        for place, name in enumerate("ab")
    }
    known = [f"Quelle {line}" for line in lines] if sources else None
    return mtw.compute_statistics(mtw.make_outputs(lines, outputs, source=known), "length")


def test_sets_that_share_segments_are_told_with_their_names_and_counts(tmp_path):
    sets = {"x": made_set(range(100)), "y": made_set(range(94, 194)), "z": made_set(range(300, 400))}
    said = (
        "Test sets 'x' and 'y' have 6 segments in common (6 % of 'y'), with the same sources and references. Test sets "
        "are treated as independent, so p is too small and intervals are too narrow: leave these segments out of one "
        "of the two."
    )
    assert noticing(sets, **QUICK)[1]["shared-segments"] == said
    for name, one in sets.items():  # files keep what says so
        mtw.save_statistics(tmp_path / name, one)
    loaded = {name: mtw.load_statistics(tmp_path / name)[0] for name in sets}
    assert noticing(loaded, **QUICK)[1]["shared-segments"] == said
    sets["part"] = made_set(range(290, 330), others=())
    assert noticing(sets, **QUICK)[1]["shared-segments"] == (
        "Test sets 'z' and 'part' have 30 segments in common (75 % of 'part'), with the same sources and references. "
        "Test sets are treated as independent, so p is too small and intervals are too narrow: leave these segments "
        "out of one of the two. 1 other pair has segments in common, too."
    )


def test_without_sources_shared_references_may_be_of_other_languages():
    sets = {"x": made_set(range(100), sources=False), "y": made_set(range(90, 190), sources=True)}
    told = noticing(sets, **QUICK)[1]["shared-segments"]
    assert "'x' and 'y' have 10 segments in common (9 % of 'y'), with the same references. Test sets" in told
    assert told.endswith(
        "leave these segments out of one of the two, unless they are translated from different languages."
    )


@pytest.mark.parametrize(
    ("others", "options"),
    [
        (range(194, 394), {}),  # 6 of 200
        (range(196, 246), {}),  # 4 of 50
        (range(100, 300), {"of": " in other words"}),  # "Yes." and "Thank you." alone
        ([number for number in range(150, 250) for _ in range(2)], {}),  # texts that occur twice
    ],
)
def test_a_few_segments_and_repeated_texts_do_not_alarm(others, options):
    for sources in (True, False):
        sets = {"x": made_set(range(200), sources=sources), "y": made_set(others, sources=sources, **options)}
        assert "shared-segments" not in noticing(sets, **QUICK)[1]


def test_the_share_is_that_of_all_segments_of_the_smaller_set():
    """Also where most of them are repeated texts."""
    x, y = made_set(range(200)), made_set(range(190, 210), others=["Yes."] * 40)
    assert "(7 % of 'y')" in noticing({"x": x, "y": y}, **QUICK)[1]["shared-segments"]
    assert "shared-segments" not in noticing({"x": x, "y": made_set(range(194, 214), others=["Yes."] * 40)}, **QUICK)[1]


def test_shared_sources_with_other_references_do_not_alarm():
    x, y = made_set(range(100)), made_set(range(100), of=" in other words")
    assert "shared-segments" not in noticing({"x": x, "y": _with_sources(y, x.test_set.source_digests)}, **QUICK)[1]


def test_sets_with_all_references_alike_are_told_once():
    x, y = made_set(range(100), sources=False), made_set(range(200, 300), sources=False)
    like_x = replace(x, values=y.values | {"b": y.values["b"] + 1}, test_set=replace(x.test_set, lineage=object()))
    told = noticing({"x": x, "like x": like_x}, **QUICK)[1]
    assert "same-references" in told and "shared-segments" not in told


def judgements(make_mean, *tops):
    """Test sets whose segments have scores from half of these numbers up to them."""
    shares = np.linspace(0.5, 1, 40)
    return mean_sets(make_mean, *({"a": shares * top, "b": shares[::-1] * top} for top in tops))


def test_sets_of_other_scales_are_told(make_mean):
    sets = judgements(make_mean, 1, 100, 1)
    assert noticing(sets, **QUICK)[1]["different-scales"] == (
        "On test sets 'set 1' and 'set 3', score seems to be on another scale than on 'set 2': in absolute value, "
        "scores of segments reach 1 on 'set 1' (mean 0.75), but 100 on 'set 2' (mean 75). Every set counts the same in "
        "the mean difference, so the larger scale would almost decide it alone: bring the scores of all sets to one "
        "scale, unless they really are on the same scale."
    )
    for usual in ((1, 5), (100, 100), (1, 9.5), (-1, 1)):
        assert "different-scales" not in noticing(judgements(make_mean, *usual), **QUICK)[1], usual
    told = noticing(judgements(make_mean, 5, -100), **QUICK)[1]["different-scales"]
    assert told.startswith("On test set 'set 1', score seems to be on another scale than on 'set 2': in absolute value")


def test_statistics_that_are_no_scores_of_segments_have_no_scale(make_mean, make_bleu):
    """A metric of the same name may be the mean of scores of segments on one set, and computed on another."""
    draws = np.random.default_rng(1)
    scores = dict(zip(("s0", "s1"), draws.uniform(size=(2, 40)), strict=True))
    means = make_mean(metric=MeanScore(name="BLEU", higher_is_better=True), **scores)
    sets = {"scores": named(means, "scores"), "texts": named(make_bleu(40, seed=2), "texts")}
    assert "different-scales" not in noticing(sets, **QUICK)[1]


def test_an_easy_set_and_a_rare_large_score_are_no_other_scale(make_mean):
    """Of errors weighted 0 to 25, an easy set has few; of log-probabilities, one may be very low."""
    draws = np.random.default_rng(1)
    many, few, none = (
        draws.choice([0, 1, 5, 25], 200, p=p) for p in ((0.2, 0.3, 0.3, 0.2), (0.9, 0.09, 0.009, 0.001), (1, 0, 0, 0))
    )
    few[:3] = 25
    outlying = draws.normal(-3, 1, 200)
    sets = {"many": many, "few": few, "none": none}, {"usual": outlying, "one low": np.append(outlying, -500.0)}
    for one in sets:
        of = mean_sets(make_mean, *({"a": scores, "b": scores[::-1]} for scores in one.values()))
        assert "different-scales" not in noticing(of, **QUICK)[1]


def test_sets_of_judgements_without_references_are_compared(make_mean):
    draws = np.random.default_rng(1)
    sets = {name: make_mean(a=draws.normal(size=30), b=draws.normal(size=30)) for name in ("x", "y")}
    sets = {
        name: replace(one, test_set=replace(one.test_set, references="", n_references=0)) for name, one in sets.items()
    }
    assert noticing(sets, **QUICK)[1].keys() == {"few-sets"}


def test_options_that_differ_are_told_but_not_those_of_language_and_references(three_sets):
    x, y, z = three_sets.values()
    y = replace(y, metric=Bleu(tokenize="zh"))
    assert y.signature != x.signature
    found, told = noticing({"x": x, "y": y, "z": z}, **QUICK)
    assert told.keys() == {"few-sets"}
    assert found.metrics["BLEU"].signatures == {"x": x.signature, "y": y.signature, "z": z.signature}
    z = replace(z, metric=Bleu(lowercase=True))
    _, told = noticing({"x": x, "y": y, "z": z}, **QUICK)
    assert "on all test sets: case is mixed on 'x', but lc on 'z'. Every set" in told["different-options"]


def test_a_warning_about_many_sets_is_given_once(make_bleu):
    sets = {
        name: named(make_bleu(120, documents=np.arange(120) // 40, seed=seed), name) for seed, name in enumerate("wxyz")
    }
    few = noticing(sets, **QUICK)[1]["few-documents"]
    assert few.startswith("Test set 'w': The test set has only 3 documents")
    assert few.endswith("The same holds, with other numbers, for 'x', 'y' and 'z'.")


def test_warnings_of_other_metrics_are_warnings_of_their_own(make_mean):
    draws = np.random.default_rng(4)
    sets = {}
    for name, n_missing in (("x", 3), ("y", 4)):
        scores = {system: draws.normal(size=30) for system in "ab"}
        scores["a"][:n_missing] = np.nan
        metrics = [MeanScore(name=metric, higher_is_better=True) for metric in ("comet20", "comet22")]
        sets[name] = [named(make_mean(metric=metric, **scores), name) for metric in metrics]
    with warnings.catch_warnings(record=True) as noticed:
        warnings.simplefilter("always")
        compare_test_sets(sets, **QUICK)
    told = [str(one.message) for one in noticed if one.message.code == "missing-scores"]
    assert [message[:47] for message in told] == [
        "Test set 'x': 3 of 30 segments have no comet20 ",
        "Test set 'x': 3 of 30 segments have no comet22 ",
    ]
    assert all(message.endswith("The same holds, with other numbers, for 'y'.") for message in told)


def test_units_of_a_set_are_those_that_compare_takes(make_bleu):
    family = make_bleu(120, documents=np.arange(120) // 10)
    systems, _ = [family[name] for name in family], list(combinations(range(2), 2))
    assert DividedSet.of(family, None, "unit", settle_unit(systems, [(1, 0)], "auto")).parts[0].table.units.count == 12
