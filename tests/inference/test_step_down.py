"""Step-down max-T equals a brute-force count of its definition, leaves the raw p alone, refuses what it cannot do."""

import math
import re
import tracemalloc
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
import scipy.stats
from mtworkbench.inference.step_down import StepDown, simultaneous_ends

from mtworkbench import resampling
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import approximate_randomization, bootstrap_interval, compare
from mtworkbench.inference.randomization import randomize
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.inference.verdicts import judge_family, trials_to_decide
from mtworkbench.metrics import MeanScore
from mtworkbench.resampling import RandomKey, exchange_masks
from mtworkbench.results.settings import Settings

DRAWING = "mtworkbench.inference.randomization"


def by_moving_outputs(a, b, masks, unit_of_segment):
    """The difference of each trial, every output being moved to one of two piles by hand."""
    n_coin_runs = masks.shape[2]
    differences = []
    for coins in masks:
        piles = np.zeros((2, a.n_runs, a.values.shape[2]))
        for run, segment in product(range(a.n_runs), range(a.n_segments)):
            coin = coins[unit_of_segment[segment], run % n_coin_runs]
            piles[coin, run] += a.values[run, segment]
            piles[1 - coin, run] += b.values[run, segment]
        differences.append(np.subtract(*a.metric.score(piles).mean(axis=1)))
    return np.array(differences)


def step_down_by_definition(observed, differences, n_trials):
    """Adjusted p of each comparison with its Clopper-Pearson ends, comparison by comparison and trial by trial.

    ``differences`` are those of 1,000 trials, of which the first ``n_trials`` are counted.
    """
    scales = [math.sqrt(sum(d**2 for d in row) / 1000) for row in differences]
    t = [abs(d) / scale for d, scale in zip(observed, scales, strict=True)]
    ranked = sorted(range(len(t)), key=lambda i: -t[i])
    found, at_least = {}, 0
    for rank, i in enumerate(ranked):
        count = 0
        for trial in range(n_trials):
            largest = max(abs(differences[k][trial]) / scales[k] for k in ranked[rank:])
            count += largest >= t[i] - 1e-7
        at_least = max(at_least, count)
        ends = scipy.stats.binomtest(at_least, n_trials).proportion_ci(0.95, "exact")
        found[i] = (at_least + 1) / (n_trials + 1), ends.low, ends.high
    return [found[i] for i in range(len(t))]


@pytest.mark.parametrize(
    ("unit", "exchange", "runs"), [("segment", "unit", 1), ("segment", "run", 2), ("document", "unit", 2)]
)
def test_adjusted_p_are_those_of_the_definition(make_bleu, monkeypatch, unit, exchange, runs):
    """Few coins, drawn all the same, so that ties are frequent and every trial can be made by hand."""
    monkeypatch.setattr(f"{DRAWING}.MAX_EXACT_COINS", 0)
    documents = np.arange(12) // 2
    statistics = make_bleu(12, runs=(runs,) * 4, documents=documents, gain=0.03, seed=3)
    options = {"unit": unit, "interval": "jackknife", "exchange": exchange, "n_trials": 150, "rng": 4}
    with pytest.warns(DataWarning, match="can be resampled"):
        found = compare(statistics, adjust="max-t", **options).metrics["BLEU"].comparisons
    of_segment = documents if unit == "document" else np.arange(12)
    [masks] = exchange_masks(of_segment.max() + 1, 1000, n_runs=runs if exchange == "run" else 1, rng=4)
    pairs = [(statistics[pair.a], statistics[pair.b]) for pair in found]
    differences = [by_moving_outputs(a, b, masks, of_segment) for a, b in pairs]
    observed = [by_moving_outputs(a, b, np.zeros_like(masks[:1]), of_segment)[0] for a, b in pairs]
    expected = step_down_by_definition(observed, differences, 150)
    assert [pair.p_adjusted for pair in found] == [p for p, _, _ in expected]
    assert len({pair.p_adjusted for pair in found}) > 2
    for pair, (p, low, high) in zip(found, expected, strict=True):
        assert pair.verdict == ("significant" if high <= 0.05 else "not significant" if low > 0.05 else "undecided")
        waits_for = [other for other, low, high in expected if other <= p and low <= 0.05 < high]
        needed = None if pair.verdict != "undecided" else max(trials_to_decide(one, 0.05) for one in waits_for)
        assert pair.n_trials_to_decide == needed


def test_all_exchanges_give_the_exact_step_down(make_mean, monkeypatch):
    """Where the trials are all 2**6 exchanges, the counts are those of full enumeration."""
    scores = np.random.default_rng(5).integers(0, 9, (4, 6)) + np.arange(4)[:, None]
    statistics = make_mean(**{f"s{i}": row for i, row in enumerate(scores)})
    signs = np.array(list(product([0, 1], repeat=6)))
    monkeypatch.setattr(f"{DRAWING}.MAX_EXACT_COINS", 0)
    monkeypatch.setattr(f"{DRAWING}.N_SPREAD_TRIALS", 64)
    monkeypatch.setattr(f"{DRAWING}.exchange_coins", lambda _, first, count, **__: signs[first : first + count])
    table, pairs = ScoreTable.of([statistics[name] for name in statistics]), list(combinations(range(4), 2))
    family = StepDown(pairs)
    randomize(table, pairs, exchange="unit", n_trials=64, random_key=RandomKey(1), families=[family])
    differences = [(1 - 2 * signs) @ (scores[a] - scores[b]) / 6 for a, b in pairs]
    expected = step_down_by_definition([row[0] for row in differences], differences, 64)
    assert [(count + 1) / 65 for count in family.n_reached(64).values()] == [p for p, _, _ in expected]


def test_step_down_by_hand():
    """Four trials, spreads of 1 and 2; of the first trial the largest t is that of the last comparison."""
    family = StepDown([(1, 0), (2, 0), (3, 0)])
    observed = {(1, 0): np.array([9.0, 6.0]), (2, 0): np.array([2.0, 6.0]), (3, 0): np.array([1.0, 0.0])}
    family.begin(observed, {(1, 0): 1.0, (2, 0): 2.0, (3, 0): 1.0})  # t = 3, 2, 1
    rows = {(1, 0): [0.0, 1.0, -3.0, 0.0], (2, 0): [1.0, 4.0, 2.0, -1.0], (3, 0): [5.0, 0.5, -0.5, 0.0]}
    for first in (0, 2):  # in two batches
        family.count({pair: np.array(row[first : first + 2]) for pair, row in rows.items()})
    # 3 is reached in trials 1 and 3; 2, without the first comparison, in 1 and 2; 1, of the last alone, in 1
    assert family.n_reached(4) == {(1, 0): 2, (2, 0): 2, (3, 0): 2}
    assert [family.critical(4, level) for level in (0.2, 0.5, 0.6, 0.8)] == [0.5, 3.0, 3.0, 5.0]
    assert family.critical(4, 0.81) is None


def test_one_comparison_has_its_raw_p(make_bleu):
    statistics = make_bleu(60, gain=0.003)
    table, family = ScoreTable.of([statistics["s1"], statistics["s0"]]), StepDown([(0, 1)])
    [alone] = randomize(table, [(0, 1)], exchange="unit", n_trials=2000, random_key=RandomKey(3), families=[family])
    assert 0.05 < alone.p_value < 0.95
    assert (family.n_reached(2000)[0, 1] + 1) / 2001 == alone.p_value


@pytest.mark.parametrize(("n_segments", "exact"), [(10, True), (60, False)])
def test_a_family_of_one_is_not_adjusted(make_mean, n_segments, exact):
    draws = np.random.default_rng(2)
    statistics = make_mean(
        metric=MeanScore(name="x", higher_is_better=None),
        a=draws.normal(size=n_segments),
        b=draws.normal(size=n_segments),
    )
    [pair] = compare(statistics, interval="jackknife", n_trials=500, adjust="max-t", rng=3).metrics["x"].comparisons
    assert pair.randomization.exact == exact
    assert pair.p_adjusted == pair.p_value


def test_everything_but_the_adjustment_stays_bitwise(make_bleu):
    statistics = make_bleu(80, runs=(2, 2, 2), gain=0.006)
    by_holm, by_max_t = (
        compare(statistics, n_trials=800, rng=2, adjust=adjust).to_frame().set_index(["a", "b"])
        for adjust in ("holm", "max-t")
    )
    adjusted = ["p_adjusted", "verdict", "n_trials_to_decide", "better", "conclusion"]
    assert set(by_max_t.columns) - set(by_holm.columns) == {"adjust", "simultaneous_low", "simultaneous_high"}
    same = by_holm.columns.difference(adjusted)
    assert by_holm[same].equals(by_max_t[same])
    assert (by_max_t["p_adjusted"] >= by_max_t["p_value"]).all()
    assert (by_max_t["p_adjusted"] <= by_holm["p_adjusted"]).all()


def test_batches_change_nothing(make_bleu, monkeypatch):
    statistics = make_bleu(40, runs=(1,) * 4, gain=0.006)
    options = {"n_trials": 1500, "adjust": "max-t", "rng": 2}
    whole = compare(statistics, **options).to_frame()
    monkeypatch.setattr(resampling, "BATCH_CELLS", 7 * 40)
    parts = compare(statistics, **options).to_frame()
    assert whole["p_adjusted"].tolist() == parts["p_adjusted"].tolist()
    np.testing.assert_allclose(whole["simultaneous_low"], parts["simultaneous_low"], rtol=0, atol=1e-10)


def test_trials_are_counted_not_kept(make_mean, monkeypatch):
    """20,000 trials of 136 pairs would be 22 MB."""
    draws = np.random.default_rng(1)
    table = ScoreTable.of(
        [system for _, system in make_mean(**{f"s{i}": draws.normal(size=40) for i in range(17)}).items()]
    )
    monkeypatch.setattr(resampling, "BATCH_CELLS", 2**15)
    pairs = list(combinations(range(17), 2))
    tracemalloc.start()
    randomize(
        table,
        pairs,
        exchange="unit",
        n_trials=20_000,
        random_key=RandomKey(1),
        keep_differences=False,
        families=[StepDown(pairs)],
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * 2**20


def test_copies_have_p_1_and_disturb_nobody(make_bleu):
    statistics = make_bleu(80, runs=(1, 1, 1), gain=0.02)
    alone = compare(statistics, n_trials=500, rng=1, adjust="max-t").metrics["BLEU"].comparisons
    values = {**statistics.values, "copy": statistics.values["s2"]}
    found = compare(replace(statistics, values=values), n_trials=500, rng=1, adjust="max-t").metrics["BLEU"].comparisons
    pairs = {(pair.a, pair.b): pair for pair in found}
    copy = pairs["copy", "s2"]
    assert (copy.p_value, copy.p_adjusted, copy.verdict, copy.conclusion) == (1, 1, "not significant", "copies")
    assert (copy.simultaneous_low, copy.simultaneous_high) == (0, 0)
    for pair in alone:  # the copy's pairs have the t of the pairs that they repeat
        assert pairs[pair.a, pair.b].p_adjusted == pair.p_adjusted
        if "s2" in (pair.a, pair.b):
            assert pairs["copy", pair.b].p_adjusted == pair.p_adjusted
    only = {"a": statistics.values["s0"], "b": statistics.values["s0"], "c": statistics.values["s0"]}
    found = compare(replace(statistics, values=only), rng=1, adjust="max-t").metrics["BLEU"].comparisons
    assert [pair.p_adjusted for pair in found] == [1, 1, 1]


def test_a_difference_that_is_the_same_in_every_segment_ranks_first(make_mean):
    """The jackknife's standard error of it is 0."""
    draws = np.random.default_rng(3)
    first = draws.normal(size=50)
    statistics = make_mean(a=first, b=first + 1, c=first + 0.01 * draws.normal(size=50))
    pairs = compare(statistics, "a", n_trials=500, rng=1, adjust="max-t").metrics["score"].comparisons
    assert pairs[0].p_adjusted == 1 / 501
    assert pairs[1].p_adjusted == pairs[1].p_value > 0.05


def test_rounding_ranks_last(make_mean):
    """A difference far below 1e-9 of the score, though large for its own spread, has p = 1 and raises no other."""
    draws = np.random.default_rng(4)
    scores = 50 + draws.normal(size=60)
    tiny = scores * (1 + 1e-11 * (1 + draws.random(60)))
    statistics = make_mean(a=scores, b=tiny, c=scores + 1 + draws.normal(size=60))
    pairs = {
        (pair.a, pair.b): pair
        for pair in compare(statistics, n_trials=300, rng=1, adjust="max-t").metrics["score"].comparisons
    }
    assert not pairs["b", "a"].randomization.exact
    assert pairs["b", "a"].p_adjusted == 1
    assert pairs["c", "a"].p_adjusted < 0.05


# ---- verdicts


def test_ends_decide_and_the_advice_waits_for_higher_ranks():
    p_values, lows, highs = [0.048, 0.03, 0.046, 0.2], [0.044, 0.028, 0.042, 0.19], [0.052, 0.033, 0.051, 0.21]
    verdicts = judge_family(p_values, lows, highs, [False] * 4, 0.95, 1000, adjust="max-t")
    assert [one.verdict for one in verdicts] == ["undecided", "significant", "undecided", "not significant"]
    assert [one.p_adjusted for one in verdicts] == p_values
    first, second = trials_to_decide(0.046, 0.05), trials_to_decide(0.048, 0.05)
    assert [one.n_trials_to_decide for one in verdicts] == [max(first, second), None, first, None]
    assert {one.adjust for one in verdicts} == {"max-t"}


def test_a_family_needs_no_more_trials_than_one_comparison(make_bleu):
    statistics = make_bleu(60, runs=(1,) * 5, gain=0.05)
    options = {"unit": "segment", "n_resamples": 400, "n_trials": 72, "rng": 1}
    with pytest.warns(DataWarning, match="^With 72 trials and 10 comparisons, no difference can be called"):
        compare(statistics, **options)
    found = compare(statistics, adjust="max-t", **options)  # which warns of nothing
    assert any(pair.verdict == "significant" for pair in found.metrics["BLEU"].comparisons)
    assert "could have been shown" not in " ".join(found.headline)
    with pytest.warns(DataWarning, match="^With 71 trials and 10 comparisons, .*: use at least 72 trials"):
        found = compare(statistics, adjust="max-t", **options | {"n_trials": 71})
    assert "71 trials are too few, at least 72 are needed" in " ".join(found.headline)
    numbers = [choose_settings(n_comparisons=190, adjust=adjust).n_trials for adjust in ("holm", "max-t")]
    assert numbers == [14_016, 10_000]


def choose_settings(**options):
    return Settings.choose(
        "ar", "segment", 60, interval="auto", level=0.95, n_resamples=1000, rng=1, exchange="unit", **options
    )


# ---- what is refused


def test_different_segments_are_refused(make_mean):
    draws = np.random.default_rng(5)
    scores = {name: draws.normal(size=60) for name in "abc"}
    scores["b"][[1, 2, 3]] = np.nan
    statistics = make_mean(metric=MeanScore(name="DA"), **scores)
    sentence = (
        "max-T needs the same random trials for all comparisons, but some scores are missing, so the comparisons rest "
        "on 57 to 60 segments: leave out the segments without a score, or use adjust='holm' (--adjust holm)."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        compare(statistics, adjust="max-t")
    assert caught.value.code == "max-t"
    same = {name: np.where(np.arange(60) < 4, np.nan, values) for name, values in scores.items()}
    with pytest.warns(DataWarning, match="4 of 60 segments"):
        compare(make_mean(**same), n_trials=200, rng=1, adjust="max-t")  # all on the same 56


def test_enumerated_pairs_are_refused(make_bleu):
    statistics = make_bleu(60, runs=(1, 1, 1))
    near = statistics.values["s2"].copy()
    near[:, :16] = statistics.values["s1"][:, :16]
    n_coins = np.count_nonzero((near != statistics.values["s2"]).any(axis=(0, 2)))
    statistics = replace(statistics, values=statistics.values | {"near": near})
    sentence = (
        f"max-T needs the same random trials for all comparisons, but 'near' and 's2' have only {n_coins} segments in "
        "which they differ under BLEU, so all their exchanges are enumerated: leave out one of them, or use "
        "adjust='holm' (--adjust holm)."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        compare(statistics, adjust="max-t")


def test_different_coins_are_refused(make_bleu, make_ter):
    statistics = [make_bleu(60, runs=(2, 2)), make_ter(60, runs=(3, 3))]
    sentence = (
        "max-T needs the same random trials for all comparisons, but with exchange='run' the metrics have 2 to 3 runs "
        "with a coin each: use exchange='unit' (--exchange unit), family='metric' (--family metric) or adjust='holm' "
        "(--adjust holm)."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        compare(statistics, exchange="run", adjust="max-t", family="all")
    compare(statistics, exchange="run", adjust="max-t", n_trials=100, rng=1)
    compare(statistics, adjust="max-t", family="all", n_trials=100, rng=1)


@pytest.mark.parametrize(("name", "value"), [("adjust", "bonferroni"), ("family", "metrics"), ("adjust", None)])
def test_another_word_is_refused(make_bleu, name, value):
    with pytest.raises(InputError, match=f"^{name} is {value!r}, but one of '.*', '.*' was expected.$"):
        compare(make_bleu(30), **{name: value})


# ---- one family over all metrics


@pytest.fixture
def two_metrics(make_bleu, make_ter):
    return [make_bleu(80, runs=(2, 2, 2), gain=0.008), make_ter(80, runs=(2, 2, 2), gain=0.02)]


def test_all_metrics_are_one_family(two_metrics):
    options = {"n_trials": 1000, "rng": 1}
    apart, together = (compare(two_metrics, **options, family=family) for family in ("metric", "all"))
    frame = together.to_frame()
    expected = judge_family(frame["p_value"], frame["p_low"], frame["p_high"], [False] * 6, 0.95, 1000)
    assert frame["p_adjusted"].tolist() == [one.p_adjusted for one in expected]
    assert frame["verdict"].tolist() == [one.verdict for one in expected]
    for p, adjusted in (("p_value", "p_adjusted"), ("method_p_value", "method_p_adjusted")):
        assert frame[p].tolist() == apart.to_frame()[p].tolist()
        assert frame[adjusted].min() == pytest.approx(6 * frame[p].min())
        assert apart.to_frame()[adjusted].min() == pytest.approx(3 * frame[p].min())
    assert [(metric.family_size, metric.method_family_size) for metric in together.metrics.values()] == [(6, 6)] * 2
    assert [(metric.family_size, metric.method_family_size) for metric in apart.metrics.values()] == [(3, 3)] * 2


def test_max_t_over_all_metrics_is_that_of_the_definition(two_metrics):
    found = compare(two_metrics, adjust="max-t", family="all", n_trials=300, rng=6).to_frame()
    singles = [
        approximate_randomization(family[a], family[b], n_trials=1000, rng=6)
        for family in two_metrics
        for a, b in (("s1", "s0"), ("s2", "s0"), ("s2", "s1"))
    ]
    observed, differences = zip(*((one.tested_difference, one.differences) for one in singles), strict=True)
    expected = step_down_by_definition(observed, differences, 300)
    assert found["p_adjusted"].tolist() == [p for p, _, _ in expected]


def test_a_family_of_all_needs_trials_for_all(two_metrics):
    with pytest.warns(DataWarning, match="^With 300 trials and 6 comparisons, .*: use at least 441 trials"):
        compare(two_metrics, n_trials=300, rng=1, family="all")
    compare(two_metrics, n_trials=300, rng=1)


def test_one_system_under_two_metrics_is_not_compared(make_bleu, make_ter):
    for adjust, family in product(("holm", "max-t"), ("metric", "all")):
        found = compare([make_bleu(60, runs=(1,)), make_ter(60, runs=(1,))], adjust=adjust, family=family, rng=1)
        assert found.to_frame().empty


# ---- what is recorded


def test_settings_name_what_is_not_the_default(two_metrics):
    options = {"n_trials": 500, "rng": 1}
    usual = compare(two_metrics, **options)
    assert (usual.adjust, usual.family) == ("holm", "metric")
    assert "adjust" not in usual.signature and "family" not in usual.signature
    asked = compare(two_metrics, **options, adjust="max-t", family="all", runs="pooled")
    assert (asked.adjust, asked.family) == ("max-t", "all")
    assert "|resamples:1000|runs:pooled|adjust:max-t|family:all|rng:1|" in asked.signature
    assert list(asked.settings.shown())[-2:] == ["adjust", "family"]
    alone = bootstrap_interval(two_metrics[0]["s0"], rng=1)
    assert asked.metrics["BLEU"].systems[0].interval.signature == alone.signature


# ---- simultaneous intervals


def test_simultaneous_intervals_by_hand():
    """n = 4 units with influence 1, -1, 1, -1: the jackknife's variance is 4 / 3 * 4."""
    influence = np.array([1.0, -1.0, 1.0, -1.0])
    low, high = simultaneous_ends(5.0, influence, 4.0, 1.5)
    q = 1.5 / math.sqrt((4 - 1.5**2) / 3)
    assert (low, high) == pytest.approx((5 - q * math.sqrt(16 / 3), 5 + q * math.sqrt(16 / 3)))
    assert simultaneous_ends(5.0, influence, 4.0, 2.0) == (None, None)  # no difference can be excluded
    assert simultaneous_ends(5.0, influence, 4.0, None) == (None, None)
    assert simultaneous_ends(5.0, influence[:1], 1.0, 0.5) == (None, None)


def test_simultaneous_intervals_are_those_of_the_single_step(make_mean):
    draws = np.random.default_rng(8)
    scores = draws.normal(size=(5, 40)) + np.linspace(0, 1.2, 5)[:, None]
    statistics = make_mean(**{f"s{i}": row for i, row in enumerate(scores)})
    found = compare(statistics, n_trials=4000, rng=2, adjust="max-t").metrics["score"].comparisons
    pairs = [(a, b) for b, a in combinations(range(5), 2)]
    [masks] = exchange_masks(40, 4000, rng=2)
    by_unit = np.array([scores[a] - scores[b] for a, b in pairs])
    differences = by_unit @ (1 - 2.0 * masks[:, :, 0].T) / 40
    largest = np.max(np.abs(differences.T) / np.sqrt(np.mean(differences[:, :1000] ** 2, axis=1)), axis=1)
    critical = np.sort(largest)[math.ceil(0.95 * 4001) - 1]
    halves = critical * np.sqrt(by_unit.var(axis=1, ddof=1) / 40 * 39 / (40 - critical**2))
    for pair, (a, b), mean, half in zip(found, pairs, by_unit.mean(axis=1), halves, strict=True):
        assert (pair.a, pair.b) == (f"s{a}", f"s{b}")
        assert (pair.simultaneous_low, pair.simultaneous_high) == pytest.approx((mean - half, mean + half))
        assert pair.simultaneous_low < pair.low < pair.high < pair.simultaneous_high
        turned = pair.turned()
        assert (turned.simultaneous_low, turned.simultaneous_high) == pytest.approx((-mean - half, half - mean))
    excluded = [pair.simultaneous_low > 0 or pair.simultaneous_high < 0 for pair in found]
    assert 0 < sum(excluded) < len(found)
    # Step-down rejects at least what a single step does.
    assert all(pair.p_adjusted <= 0.05 for pair, one in zip(found, excluded, strict=True) if one)
