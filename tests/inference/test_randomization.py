"""Approximate randomization equals enumeration, scipy's permutation test, and partitions the outputs."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import scipy.stats

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import approximate_randomization
from mtworkbench.inference.exchanges import Exchanges
from mtworkbench.inference.families import EstimatedPart
from mtworkbench.inference.randomization import randomize
from mtworkbench.inference.runs import lay_end_to_end
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics import MeanScore
from mtworkbench.resampling import RandomKey, exchange_masks

HYPOTHESIS = [0, 2, 3, 4, 5, 6, 7, 8, 9]


def brute_force_p(a, b, unit_of_segment, n_coin_runs):
    """Go through all exchanges one by one, moving whole outputs between two piles."""
    metric, units = a.metric, np.unique(unit_of_segment)

    def pile_score(pile):
        return np.mean([metric.score(np.sum(own, axis=0)) for own in pile])

    differences = []
    for coins in product([0, 1], repeat=len(units) * n_coin_runs):
        coins = np.reshape(coins, (len(units), n_coin_runs))
        piles = [[[] for _ in range(a.n_runs)] for _ in range(2)]
        for run, segment in product(range(a.n_runs), range(a.n_segments)):
            coin = coins[unit_of_segment[segment], run % n_coin_runs]
            piles[coin][run].append(a.values[run, segment])
            piles[1 - coin][run].append(b.values[run, segment])
        differences.append(pile_score(piles[0]) - pile_score(piles[1]))
    differences = np.array(differences)
    return np.mean(np.abs(differences) >= abs(differences[0]) - 1e-7)


@pytest.mark.parametrize(
    ("unit", "exchange", "runs"),
    [("segment", "unit", 1), ("segment", "unit", 3), ("segment", "run", 2), ("document", "unit", 2)],
)
def test_exact_p_is_that_of_full_enumeration(make_bleu, unit, exchange, runs):
    n_segments = 5 if exchange == "run" else 8
    documents = np.arange(n_segments) // 2
    statistics = make_bleu(n_segments, runs=(runs, runs), documents=documents, seed=4)
    a, b = statistics["s1"], statistics["s0"]
    found = approximate_randomization(a, b, unit=unit, exchange=exchange, rng=1)
    unit_of_segment = documents if unit == "document" else np.arange(n_segments)
    n_coin_runs = runs if exchange == "run" else 1
    assert found.exact
    assert found.n_coins == len(np.unique(unit_of_segment)) * n_coin_runs
    assert found.p_value == brute_force_p(a, b, unit_of_segment, n_coin_runs)


def test_exchanges_are_in_the_order_of_their_numbers(make_mean):
    """The outputs of segment i differ by 2**i points: exchange 5 = 1 + 4 is that of the first and the third."""
    statistics = make_mean(a=[1.0, 2.0, 4.0], b=[0.0, 0.0, 0.0])
    found = approximate_randomization(statistics["a"], statistics["b"], rng=1)
    assert found.differences * 3 == pytest.approx([7 - 2 * number for number in range(8)])


def test_drawn_p_is_near_the_exact_one(make_mean):
    """17 differing segments are drawn for; without the last, whose difference is next to nothing, enumerated."""
    draws = np.random.default_rng(12)
    scores = draws.normal(size=(2, 17))
    scores[1, :16] += 0.4
    scores[1, 16] = scores[0, 16] + 1e-6
    statistics = make_mean(s0=scores[0], s1=scores[1])
    drawn = approximate_randomization(statistics["s1"], statistics["s0"], n_trials=20_000, rng=1)
    scores[1, 16] = scores[0, 16]
    statistics = make_mean(s0=scores[0], s1=scores[1])
    exact = approximate_randomization(statistics["s1"], statistics["s0"], rng=1)
    assert exact.exact and not drawn.exact
    assert 0.02 < exact.p_value < 0.5
    p = exact.p_value
    assert abs(drawn.p_value - p) < 4 * np.sqrt(p * (1 - p) / 20_000)
    assert drawn.p_low < p < drawn.p_high


def test_p_of_a_mean_is_scipys(make_mean):
    draws = np.random.default_rng(3)
    a, b = draws.normal(0.5, 1, 12), draws.normal(0, 1, 12)
    statistics = make_mean(a=a, b=b)
    theirs = scipy.stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf
    )
    assert approximate_randomization(statistics["a"], statistics["b"]).p_value == pytest.approx(theirs.pvalue, abs=0)


def test_drawn_p_of_a_mean_is_scipys(make_mean):
    draws = np.random.default_rng(7)
    a, b = draws.normal(0.2, 1, 60), draws.normal(0, 1, 60)
    statistics = make_mean(a=a, b=b)
    ours = approximate_randomization(statistics["a"], statistics["b"], n_trials=20_000, rng=1).p_value
    theirs = scipy.stats.permutation_test(
        (a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", n_resamples=20_000, rng=1
    ).pvalue
    assert 0.05 < theirs < 0.95
    assert abs(ours - theirs) < 4 * np.sqrt(2 * theirs * (1 - theirs) / 20_000)


def test_p_counts_trials_as_extreme_as_the_observed_difference_and_adds_one(make_bleu):
    statistics = make_bleu(60)
    found = approximate_randomization(statistics["s1"], statistics["s0"], n_trials=400, rng=8)
    extreme = np.count_nonzero(np.abs(found.differences) >= abs(found.difference) - 1e-9)
    assert found.p_value == (extreme + 1) / 401
    assert 0 < extreme < 400


@pytest.mark.parametrize("exchange", ["unit", "run"])
@pytest.mark.parametrize("documents", [None, np.arange(30) // 2])
def test_trials_are_those_of_the_masks(make_bleu, exchange, documents):
    """The matrix product does what moving outputs by `exchange_masks` does, every output being used once."""
    statistics = make_bleu(30, runs=(3, 3), documents=documents)
    a, b = statistics["s1"], statistics["s0"]
    units = 30 if documents is None else list(documents)
    found = approximate_randomization(a, b, exchange=exchange, n_trials=40, rng=5)
    if documents is not None and exchange == "unit":
        assert found.exact  # 15 documents
        return
    [masks] = exchange_masks(units, 40, n_runs=3 if exchange == "run" else 1, rng=5)
    for mask, difference in zip(masks, found.differences, strict=True):
        swapped = np.broadcast_to(mask.T[:, :, None] == 1, a.values.shape)
        first, second = np.where(swapped, b.values, a.values), np.where(swapped, a.values, b.values)
        np.testing.assert_array_equal(first + second, a.values + b.values)
        scores = [a.metric.score(side.sum(axis=1)).mean() for side in (first, second)]
        assert difference == pytest.approx(scores[0] - scores[1], abs=1e-10)


def test_unequal_numbers_of_runs_weigh_each_system_as_one(make_bleu):
    """Two runs given three times in turn against three runs given twice: the same as two against three."""
    statistics = make_bleu(40, runs=(2, 3))
    a, b = statistics["s1"], statistics["s0"]
    six_a, six_b = (replace(one, values=np.tile(one.values, (6 // one.n_runs, 1, 1))) for one in (a, b))
    found, expected = (approximate_randomization(*pair, n_trials=300, rng=5) for pair in ((a, b), (six_a, six_b)))
    np.testing.assert_allclose(found.differences, expected.differences, atol=1e-12)
    assert found.p_value == expected.p_value
    assert found.difference == pytest.approx(a.score().mean() - b.score().mean())


def test_what_is_tested_is_the_difference_of_the_mean_scores(make_bleu):
    """One of three runs is empty, the other system lacks 31 % of its words: BLEU of all runs together is turned round.

    Two thirds of a BLEU are more than what the brevity penalty leaves of 69 %, and less if the runs are one text.
    """
    found = make_bleu(200, runs=(1,), seed=1)
    [good] = found["s0"].values * 100
    nothing, short = good.copy(), good.copy()
    nothing[:, HYPOTHESIS], short[:, HYPOTHESIS] = 0, short[:, HYPOTHESIS] // 100 * 69
    broken = replace(found["s0"], values=np.array([good, good, nothing]))
    short = replace(broken, values=np.array([short] * 3))
    together = [float(one.score()[0, 0]) for one in map(lay_end_to_end, (broken, short))]
    assert broken.score().mean() > short.score().mean() and together[0] < together[1]
    table = ScoreTable.of([broken, short])
    for n_runs in (1, 3):
        [[of_broken], [of_short]] = table.exchange(np.zeros((1, 200 * n_runs)), [(0, 1)], n_runs=n_runs)[0]
        printed = approximate_randomization(broken, short, n_trials=999, rng=1).difference
        assert of_broken - of_short == pytest.approx(printed) and printed > 0 > together[0] - together[1]


def test_the_numbers_of_runs_matter_next_to_nothing(make_bleu, make_mean):
    """Which run changes sides with which is arbitrary: not at all for means, and to second order for BLEU."""
    draws = np.random.default_rng(8)
    means = make_mean(s1=draws.normal(size=(3, 50)), s0=draws.normal(size=(3, 50)))
    apart, alike = make_bleu(300, runs=(3, 3), seed=2), make_bleu(300, runs=(3, 3), seed=2)
    for values in alike.values.values():  # runs whose BLEU is nearly the same, as those of one method are
        same = np.arange(300) % 10 > 0
        values[1:, same] = values[:1, same]
    shares = []
    for statistics in (apart, alike, means):
        a, b = statistics["s1"], statistics["s0"]
        renumbered = replace(b, values=b.values[[1, 2, 0]])
        first, second = (approximate_randomization(a, one, n_trials=1000, rng=3) for one in (b, renumbered))
        shares.append(np.std(first.differences - second.differences) / np.std(first.differences))
        assert abs(first.p_value - second.p_value) <= 0.01
    of_apart, of_alike, of_means = shares
    assert of_means < 1e-12 < of_alike < 0.15 * of_apart < 0.02


def test_draws_do_not_depend_on_which_segments_differ(make_mean):
    """A segment more that does not differ, at the end, changes no draw of the others (one word of coins holds 64)."""
    draws = np.random.default_rng(3)
    a, b = draws.integers(0, 9, (2, 40))
    a[20] = b[20] + 1
    statistics = make_mean(a=a, b=b)
    same = b.copy()
    same[20] = a[20]
    changed = make_mean(a=a, b=same)
    first = approximate_randomization(statistics["a"], statistics["b"], n_trials=200, rng=5)
    second = approximate_randomization(changed["a"], changed["b"], n_trials=200, rng=5)
    apart = np.round((first.differences - second.differences) * 40).astype(int)
    [masks] = exchange_masks(40, 200, rng=5)
    np.testing.assert_array_equal(apart, 1 - 2 * masks[:, 20, 0].astype(int))


def test_several_pairs_and_metrics_share_their_coins(make_bleu, make_mean):
    bleu = make_bleu(50, runs=(1, 2, 1))
    means = make_mean(x=np.arange(50.0), y=np.arange(50.0)[::-1])
    systems = [bleu["s0"], bleu["s1"], bleu["s2"], means["x"], means["y"]]
    pairs = [(1, 0), (2, 1), (3, 4)]
    key, table = RandomKey(3), ScoreTable.of(systems)
    part = EstimatedPart(np.ones(50, dtype=bool), table, {}, {pair: pair for pair in pairs})
    exchanges = Exchanges.of([(part, pair) for pair in pairs], table.units, "unit")
    [together] = exchanges.draw(range(3), 0, 100, key)
    for pair, (differences, _) in zip(pairs, together, strict=True):
        alone = randomize(ScoreTable.of([systems[place] for place in pair]), n_trials=100, random_key=key)
        np.testing.assert_allclose(differences, alone.differences, rtol=0, atol=1e-12)


def test_permuting_segments_moves_p_only_within_its_error(make_bleu):
    statistics = make_bleu(200, gain=0.006)
    order = np.random.default_rng(1).permutation(200)
    there, moved = (
        approximate_randomization(part["s1"], part["s0"], n_trials=5000, rng=5)
        for part in (statistics, statistics.take(order))
    )
    assert there.difference == pytest.approx(moved.difference, abs=1e-12)
    p = there.p_value
    assert 0.02 < p < 0.98
    assert abs(p - moved.p_value) < 4 * np.sqrt(2 * p * (1 - p) / 5000)


def test_segments_that_differ_are_counted_after_averaging_over_runs(make_mean):
    """Runs in another order average alike: 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 in floats."""
    runs = np.array([[0.1, 1, 0], [0.2, 2, 0], [0.3, 3, 0]])
    other = runs[::-1].copy()
    other[0, 1] += 1
    statistics = make_mean(a=runs, b=other, c=runs[:1])
    table = ScoreTable.of([statistics[name] for name in "abc"])
    assert table.count_differing((0, 1)) == 1
    assert table.count_differing((0, 2)) == 2


def test_missing_scores_leave_the_comparison_for_both(make_mean):
    draws = np.random.default_rng(1)
    a, b = draws.normal(size=(2, 30))
    a[[3, 4]], b[[4, 9]] = np.nan, np.nan
    statistics = make_mean(a=a, b=b)
    sentence = "3 of 30 segments have no score in 'a' or 'b' and leave the comparison for both."
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        found = approximate_randomization(statistics["a"], statistics["b"], n_trials=300, rng=2)
    assert (caught[0].message.code, caught[0].message.count) == ("missing-scores", 3)
    common = ~np.isnan(a + b)
    complete = make_mean(a=a[common], b=b[common])
    alone = approximate_randomization(complete["a"], complete["b"], n_trials=300, rng=2)
    assert (found.difference, found.n_units, found.n_coins) == (alone.difference, 27, 27)
    # A segment keeps its coin, that of its number in the test set.
    [masks] = exchange_masks(30, 300, rng=2)
    expected = (1 - 2.0 * masks[:, common, 0]) @ (a - b)[common] / 27
    np.testing.assert_allclose(found.differences, expected, rtol=0, atol=1e-12)
    assert found.p_value == (1 + np.sum(np.abs(expected) >= abs(found.difference) - 1e-9)) / 301


def test_no_common_scores_are_refused(make_mean):
    statistics = make_mean(a=[1, np.nan], b=[np.nan, 2])
    sentence = "There is no segment for which both 'a' and 'b' have score."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        approximate_randomization(statistics["a"], statistics["b"])


def test_unequal_runs_cannot_be_exchanged_one_by_one(make_bleu):
    statistics = make_bleu(20, runs=(2, 3))
    sentence = (
        "'s1' has 3 runs and 's0' has 2, but exchange='run' pairs runs by number: give equal numbers of runs, or use "
        "exchange='unit'."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        approximate_randomization(statistics["s1"], statistics["s0"], exchange="run")
    assert caught.value.code == "unequal-runs"


def test_signature_says_how_to_have_it_again(make_bleu):
    statistics = make_bleu(30)
    found = approximate_randomization(statistics["s1"], statistics["s0"], n_trials=100, rng=4)
    assert found.signature.startswith(f"{statistics.signature}|test:ar|unit:segment|exchange:unit|trials:100|rng:4|")
    few = approximate_randomization(statistics["s1"].take(slice(5)), statistics["s0"].take(slice(5)), rng=4)
    assert "|trials:exact|" in few.signature
    drawn = approximate_randomization(statistics["s1"], statistics["s0"], n_trials=100)
    again = approximate_randomization(statistics["s1"], statistics["s0"], n_trials=100, rng=drawn.rng)
    np.testing.assert_array_equal(drawn.differences, again.differences)


def test_a_generator_leaves_its_key_in_the_signature(make_bleu):
    statistics = make_bleu(30)
    found = approximate_randomization(statistics["s1"], statistics["s0"], n_trials=50, rng=np.random.default_rng(1))
    assert found.rng is None
    [key] = re.findall(r"rng:K=(\d+)", found.signature)
    again = approximate_randomization(statistics["s1"], statistics["s0"], n_trials=50, rng=RandomKey(int(key)))
    np.testing.assert_array_equal(found.differences, again.differences)


@pytest.mark.parametrize("name", ["DA", "COMET"])
def test_the_metric_is_named(make_mean, name):
    statistics = make_mean(metric=MeanScore(name=name), a=np.arange(4), b=np.arange(4))
    found = approximate_randomization(statistics["a"], statistics["b"])
    assert found.metric == name
    assert "Randomization(a='a', b='b', metric=" in repr(found)
