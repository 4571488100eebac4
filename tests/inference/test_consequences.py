"""What follows from the rules exactly (CONVENTIONS §1, "consequences")."""

from dataclasses import replace

import numpy as np
import pytest

from mtworkbench.inference import approximate_randomization, bootstrap_interval, compare, paired_bootstrap
from mtworkbench.metrics import Length, Ter

pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")


@pytest.fixture
def with_copy(make_bleu):
    statistics = make_bleu(60, runs=(2,), documents=np.arange(60) // 5)
    return replace(statistics, values={"s0": statistics.values["s0"], "copy": statistics.values["s0"].copy()})


@pytest.mark.parametrize("exchange", ["unit", "run"])
@pytest.mark.parametrize("unit", ["segment", "document"])
def test_a_copy_has_p_1_and_only_ties(with_copy, unit, exchange):
    comparison = compare(with_copy, unit=unit, exchange=exchange, n_resamples=50, n_trials=50, rng=3)
    [pair] = comparison.metrics["BLEU"].comparisons
    assert (pair.p_value, pair.p_low, pair.p_high, pair.p_adjusted) == (1, 1, 1, 1)
    assert pair.verdict == "not significant"
    assert (pair.difference, pair.low, pair.high) == (0, 0, 0)
    assert (pair.wins, pair.losses, pair.ties, pair.confidence) == (0, 0, 50, 0)
    assert pair.segments_differing == 0
    assert pair.design_effect is None


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "jackknife"])
def test_the_interval_of_no_difference_is_no_difference(with_copy, method):
    found = paired_bootstrap(with_copy["copy"], with_copy["s0"], method=method, n_resamples=50, rng=3)
    assert (found.low, found.high) == (0, 0)


@pytest.mark.parametrize("metric", ["BLEU", "mean"])
def test_one_differing_segment_has_p_1(make_bleu, make_mean, metric):
    if metric == "BLEU":
        statistics = make_bleu(40, runs=(1,))
        changed = statistics.values["s0"].copy()
        changed[0, 17, 2] += 1
        statistics = replace(statistics, values={"s0": statistics.values["s0"], "s1": changed})
    else:
        scores = np.random.default_rng(1).normal(size=40)
        changed = scores.copy()
        changed[17] += 0.1
        statistics = make_mean(s0=scores, s1=changed)
    found = approximate_randomization(statistics["s1"], statistics["s0"], n_trials=100, rng=5)
    assert (found.p_value, found.n_coins, found.exact) == (1, 1, True)


@pytest.mark.parametrize("k", range(1, 17))
@pytest.mark.parametrize("metric", ["BLEU", "mean"])
def test_k_segments_differing_one_way_have_p_2_to_the_1_minus_k(make_bleu, make_mean, metric, k):
    if metric == "BLEU":
        statistics = make_bleu(50, runs=(1,))
        changed = statistics.values["s0"].copy()
        changed[0, 3 : 3 + k, 2] += 1
        statistics = replace(statistics, values={"s0": statistics.values["s0"], "s1": changed})
    else:
        scores = np.random.default_rng(k).normal(size=50)
        changed = scores.copy()
        changed[20 : 20 + k] -= np.random.default_rng(k).uniform(0.1, 0.9, k)
        statistics = make_mean(s0=scores, s1=changed)
    found = approximate_randomization(statistics["s1"], statistics["s0"], n_trials=10, rng=5)
    assert found.p_value == found.p_low == found.p_high == 2.0 ** (1 - k)
    assert (found.n_coins, found.exact, len(found.differences)) == (k, True, 2**k)


def test_17_differing_segments_are_drawn_for(make_mean):
    scores = np.zeros(50)
    changed = scores.copy()
    changed[:17] = 1
    statistics = make_mean(s0=scores, s1=changed)
    found = approximate_randomization(statistics["s1"], statistics["s0"], n_trials=999, rng=5)
    assert (found.exact, found.n_coins, len(found.differences)) == (False, 17, 999)
    assert found.p_value == 1 / 1000  # 2**-16 of exchanges are as extreme, none of 999 was
    assert found.p_low == 0 < found.p_value < found.p_high


def test_one_segment_has_p_1_and_no_jackknife(make_bleu):
    statistics = make_bleu(1)
    assert approximate_randomization(statistics["s1"], statistics["s0"], rng=1).p_value == 1
    alone = bootstrap_interval(statistics["s0"], rng=1)
    assert (alone.method, alone.low, alone.high) == ("jackknife", None, None)
    assert set(alone.resampled) == {alone.score}
    [pair] = compare(statistics, rng=1).metrics["BLEU"].comparisons
    assert (pair.p_value, pair.low, pair.high) == (1, None, None)


@pytest.mark.parametrize("documents", [None, np.arange(90) // 6])
@pytest.mark.parametrize("runs", [(1, 1), (3, 2)])
def test_swapping_mirrors(make_bleu, runs, documents):
    statistics = make_bleu(90, runs=runs, documents=documents)
    a, b = statistics["s0"], statistics["s1"]
    there, back = (approximate_randomization(*pair, n_trials=500, rng=9) for pair in ((a, b), (b, a)))
    assert there.difference == -back.difference
    assert there.p_value == back.p_value
    np.testing.assert_array_equal(there.differences, -back.differences)
    for method in ("percentile", "basic", "bca", "jackknife"):
        there, back = (paired_bootstrap(*pair, n_resamples=400, method=method, rng=9) for pair in ((a, b), (b, a)))
        assert (there.wins, there.losses, there.ties) == (back.losses, back.wins, back.ties)
        assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=1e-12)
        np.testing.assert_array_equal(there.differences, -back.differences)


def test_wins_losses_and_ties_sum_to_the_resamples(make_mean):
    draws = np.random.default_rng(4)
    statistics = make_mean(s0=draws.integers(0, 2, 20), s1=draws.integers(0, 2, 20))
    found = paired_bootstrap(statistics["s1"], statistics["s0"], n_resamples=777, rng=2)
    assert found.wins + found.losses + found.ties == 777
    assert found.ties > 0
    assert found.confidence == found.wins / 777
    assert found.wins == np.count_nonzero(found.differences > 1e-9)


def test_a_is_better_where_lower_is_better_and_lower(make_bleu):
    values = {"worse": np.full((1, 40, 2), (5, 10)), "better": np.full((1, 40, 2), (2, 10))}
    statistics = replace(make_bleu(40), metric=Ter(), values=values)
    found = paired_bootstrap(statistics["better"], statistics["worse"], n_resamples=30, rng=1)
    assert found.difference == pytest.approx(-30)
    assert (found.wins, found.losses, found.ties, found.confidence) == (30, 0, 0, 1)


def test_a_metric_without_direction_has_no_wins(make_bleu):
    draws = np.random.default_rng(1)
    values = {name: np.stack([draws.integers(5, 20, (1, 40)), np.full((1, 40), 12)], axis=-1) for name in ("a", "b")}
    statistics = replace(make_bleu(40), metric=Length(), values=values)
    found = paired_bootstrap(statistics["a"], statistics["b"], n_resamples=30, rng=1)
    assert (found.wins, found.losses, found.confidence) == (None, None, None)
    assert isinstance(found.ties, int)
    [pair] = compare(statistics, rng=1).metrics["Length"].comparisons
    assert (pair.wins, pair.losses, pair.confidence) == (None, None, None)
    assert 0 < pair.p_value <= 1
