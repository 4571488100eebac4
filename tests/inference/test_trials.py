"""One count of trials gives p, step-down max-T, intervals and equivalence: each is that of its definition."""

import math
import tracemalloc
import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from mtworkbench import resampling
from mtworkbench.errors import DataWarning
from mtworkbench.inference import approximate_randomization, compare, draws, trials
from mtworkbench.inference.trials import COPIES, Contrast, TrialFamily, count_beyond
from mtworkbench.metrics import MeanScore
from mtworkbench.resampling import exchange_masks
from mtworkbench.results.settings import choose_looks

from .moved_by_hand import Moved, others_of, step_down


def quietly(statistics, *args, **options):
    """What `compare` finds, whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return compare(statistics, *args, **options)


def of_family(found):
    """The pairs of the only metric."""
    [metric] = found.metrics.values()
    return metric.comparisons


def check_family(found, family, *, atol=1e-7):
    """Every number of a family of comparisons is that of its definition; what is left over magnifies rounding."""
    counts, n_trials, exact = step_down(family), len(family[0].trials), family[0].exact
    for pair, moved, others, count in zip(found, family, others_of(family), counts, strict=True):
        assert pair.difference == pytest.approx(moved.difference, abs=1e-9)
        assert pair.p_value == pytest.approx(moved.p_value, abs=1e-12)
        assert pair.randomization.n_coins == len(moved.matter)
        p_adjusted = count / n_trials if exact else (count + 1) / (n_trials + 1)
        assert pair.p_adjusted == pytest.approx(max(p_adjusted, moved.smallest_p), abs=1e-12)
        for ends, largest in (((pair.low, pair.high), (0.0, 0.0)), (simultaneous(pair), others)):
            if 2.0 ** (1 - len(moved.matter)) > 0.05:
                assert ends == (None, None)
            else:
                assert ends == pytest.approx(moved.find_ends(largest), abs=atol)


def simultaneous(pair):
    return pair.simultaneous_low, pair.simultaneous_high


# ---- all exchanges


@pytest.mark.parametrize("runs", [(1, 1, 1), (2, 2, 2), (3, 3, 3), (1, 2, 3)])
def test_a_family_of_few_units_is_that_of_full_enumeration(make_bleu, runs):
    statistics = make_bleu(8, runs=runs, gain=0.03, seed=4)
    found = of_family(quietly(statistics, unit="segment", rng=1))
    family = [Moved(statistics[pair.a], statistics[pair.b], range(8)) for pair in found]
    assert all(pair.randomization.exact for pair in found)
    check_family(found, family)
    assert len({pair.p_adjusted for pair in found}) > 1


def test_documents_are_exchanged_as_a_whole(make_bleu):
    documents = [0, 0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6]
    statistics = make_bleu(12, runs=(1, 2, 1), documents=documents, gain=0.04, seed=2)
    found = of_family(quietly(statistics, unit="document", rng=1))
    check_family(found, [Moved(statistics[pair.a], statistics[pair.b], documents) for pair in found])


def test_with_a_coin_for_each_run_a_family_is_that_of_full_enumeration(make_bleu):
    statistics = make_bleu(4, runs=(2, 2, 2), gain=0.05, seed=6)
    found = of_family(quietly(statistics, unit="segment", exchange="run", rng=1))
    family = [Moved(statistics[pair.a], statistics[pair.b], range(4), coins_of_a_unit=2) for pair in found]
    assert {len(one.matter) for one in family} == {8}
    check_family(found, family)


def test_units_that_do_not_differ_have_a_share_and_no_coin(make_mean):
    """Six of nine segments differ: p is that of six coins, which move six ninths of a true difference."""
    scores = np.random.default_rng(1).integers(0, 9, (2, 9)).astype(float)
    scores[1, :6] += 3.5
    scores[1, 6:] = scores[0, 6:]
    statistics = make_mean(a=scores[0], b=scores[1])
    found = of_family(quietly(statistics, unit="segment"))
    check_family(found, [Moved(statistics["b"], statistics["a"], range(9))])
    assert found[0].randomization.n_coins == 6


def test_p_of_a_mean_is_that_of_scipy(make_mean):
    scores = np.random.default_rng(5).normal([[0.0], [0.4], [0.9]], 1, (3, 11))
    statistics = make_mean(a=scores[0], b=scores[1], c=scores[2])
    for pair in of_family(quietly(statistics, unit="segment")):
        of_pair = [statistics[name].values[0, :, 0] for name in (pair.a, pair.b)]
        theirs = scipy.stats.permutation_test(
            of_pair, lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf
        )
        assert pair.p_value == pytest.approx(theirs.pvalue, abs=1e-12)


def test_max_t_of_means_is_that_of_scipy(make_mean):
    """Single-step max-T as one permutation test of the largest t; it is the adjusted p of the first rank."""
    scores = np.random.default_rng(9).normal([[0.0], [0.5], [0.3]], 1, (3, 10))
    statistics = make_mean(a=scores[0], b=scores[1], c=scores[2])
    found = of_family(quietly(statistics, "a", unit="segment"))
    signs = 1 - 2 * (np.arange(2**10)[:, None] >> np.arange(10) & 1)

    def largest(signs):
        gains = (scores[1:] - scores[0]) / 10
        return np.max(np.abs(gains @ signs) / np.sqrt((gains**2).sum(axis=1)))

    of_trials = np.array([largest(one) for one in signs])
    assert min(pair.p_adjusted for pair in found) == np.mean(of_trials >= largest(np.ones(10)) - 1e-9)


# ---- trials that are drawn


@pytest.mark.parametrize(
    ("unit", "exchange", "runs"),
    [("segment", "unit", (1, 1, 1)), ("segment", "run", (2, 2, 2)), ("document", "unit", (2, 1, 3))],
)
def test_a_family_of_drawn_trials_is_that_of_the_definition(make_bleu, monkeypatch, unit, exchange, runs):
    """Few coins, drawn all the same, so that every trial can be made by hand, and ties are frequent."""
    monkeypatch.setattr(draws, "MAX_EXACT_COINS", 0)
    documents = list(np.arange(12) // 2)
    statistics = make_bleu(12, runs=runs, documents=documents, gain=0.03, seed=3)
    found = of_family(quietly(statistics, unit=unit, exchange=exchange, n_trials=139, rng=4))
    units = documents if unit == "document" else range(12)
    per_unit = 2 if exchange == "run" else 1
    [masks] = exchange_masks(max(units) + 1, 139, n_runs=per_unit, rng=4)
    family = [Moved(statistics[p.a], statistics[p.b], units, masks, coins_of_a_unit=per_unit) for p in found]
    assert not any(pair.randomization.exact for pair in found)
    check_family(found, family)
    for pair, moved, count in zip(found, family, step_down(family), strict=True):
        ends = scipy.stats.binomtest(count, 139).proportion_ci(0.95, "exact")
        low, high = (max(end, moved.smallest_p) for end in (ends.low, ends.high))
        expected = "significant" if high <= 0.05 else "not significant" if low > 0.05 else "undecided"
        assert pair.verdict == expected


def test_missing_scores_share_the_coins_of_the_whole_test_set(make_mean):
    """Unit 5 of the test set has the same coin in every comparison, although it is the fourth of some of them."""
    scores = np.random.default_rng(2).normal(np.arange(3)[:, None] / 3, 1, (3, 24))
    scores[1, [1, 7]] = np.nan
    scores[2, [0, 7, 9]] = np.nan
    statistics = make_mean(metric=MeanScore(name="DA", higher_is_better=True), a=scores[0], b=scores[1], c=scores[2])
    found = of_family(quietly(statistics, n_trials=199, rng=6))
    [masks] = exchange_masks(24, 199, rng=6)
    family = []
    for pair in found:
        there = ~np.isnan(scores["abc".index(pair.a)]) & ~np.isnan(scores["abc".index(pair.b)])
        segments = np.flatnonzero(there)
        family.append(Moved(statistics[pair.a], statistics[pair.b], range(24), masks, segments))
        with pytest.warns(DataWarning, match="leave the comparison for both"):
            alone = approximate_randomization(statistics[pair.a], statistics[pair.b], n_trials=199, rng=6)
        assert alone.p_value == pair.p_value
        np.testing.assert_allclose(alone.differences, family[-1].trials, atol=1e-12)
    assert [pair.n_segments for pair in found] == [22, 21, 20]
    check_family(found, family)


def test_missing_documents_share_the_coins_of_the_whole_test_set(make_mean):
    documents = [number // 2 for number in range(40)]
    scores = np.random.default_rng(3).normal([[0.0], [0.4], [0.2]], 1, (3, 40))
    scores[1, :4] = np.nan
    statistics = make_mean(documents=documents, a=scores[0], b=scores[1], c=scores[2])
    found = of_family(quietly(statistics, n_trials=99, rng=6))
    [masks] = exchange_masks(20, 99, rng=6)
    segments = [range(4, 40), range(40), range(4, 40)]
    family = [
        Moved(statistics[pair.a], statistics[pair.b], documents, masks, own)
        for pair, own in zip(found, segments, strict=True)
    ]
    check_family(found, family)


def test_metrics_with_different_runs_are_one_family(make_bleu, make_ter):
    """With a coin for each run, the coins of a unit are as many as any pair needs; the others leave the last alone."""
    statistics = [make_bleu(20, runs=(2, 2), gain=0.04), make_ter(20, runs=(3, 3), gain=0.06)]
    found = quietly(statistics, exchange="run", family="all", n_trials=99, rng=2)
    [masks] = exchange_masks(20, 99, n_runs=3, rng=2)
    pairs = [pair for metric in found.metrics.values() for pair in metric.comparisons]
    family = [
        Moved(own["s1"], own["s0"], range(20), masks[:, :, :runs], coins_of_a_unit=runs)
        for own, runs in zip(statistics, (2, 3), strict=True)
    ]
    check_family(pairs, family)


@pytest.mark.parametrize("cells", [7, 40, 1000])
def test_batches_change_nothing(make_bleu, monkeypatch, cells):
    statistics = make_bleu(40, runs=(1, 2, 1, 1), gain=0.006)
    options = {"n_trials": 1500, "rng": 2, "margin": 1.0}
    whole = compare(statistics, **options).to_frame()
    monkeypatch.setattr(resampling, "BATCH_CELLS", cells * 40)
    monkeypatch.setattr(draws, "CELLS_TOGETHER", cells * 3)
    monkeypatch.setattr(trials, "CELLS_TOGETHER", cells * 200)
    monkeypatch.setattr(draws, "WORK_OF_PART", 2**17)
    parts = compare(statistics, **options).to_frame()
    numbers = whole.select_dtypes("number").columns
    counted = ["p_value", "p_adjusted", "equivalence_p_value"]
    assert whole[counted].equals(parts[counted])
    np.testing.assert_allclose(whole[numbers], parts[numbers], rtol=1e-9, atol=1e-9)
    assert whole["verdict"].equals(parts["verdict"])


def test_only_the_largest_of_the_trials_are_kept(make_mean, monkeypatch):
    """Both ends of two intervals in 20,000 trials of 136 pairs would be 87 MB."""
    monkeypatch.setattr(resampling, "BATCH_CELLS", 2**15)
    monkeypatch.setattr(draws, "CELLS_TOGETHER", 2**14)
    monkeypatch.setattr(draws, "WORK_OF_PART", 2**26)
    values = np.random.default_rng(1).normal(size=(17, 40))
    statistics = make_mean(**{f"s{number}": row for number, row in enumerate(values)})
    tracemalloc.start()
    quietly(statistics, n_trials=20_000, n_resamples=40, rng=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24 * 2**20


# ---- looks


def test_looks_are_doublings_up_to_a_limit():
    assert choose_looks(None, 1, 0.95) == (10_000, 20_000, 40_000, 80_000, 160_000, 320_000)
    assert choose_looks(None, 15, 0.95) == (10_000, 20_000, 40_000, 80_000, 160_000, 320_000)
    assert choose_looks(None, 16, 0.95) == (10_000, 20_000, 40_000, 80_000, 160_000)
    assert choose_looks(None, 120, 0.95) == (10_000, 20_000, 40_000)
    assert choose_looks(None, 2000, 0.95) == (10_000, 20_000)  # at least two
    assert choose_looks(777, 120, 0.95) == (777,)
    first = choose_looks(None, 1, 0.9999)[0]  # the least that can show anything at this level
    assert 1 - (0.001 / 6 / 2) ** (1 / first) <= 1e-4 and first % 10_000 == 0


def first_decided(counts_at, looks, level=0.95):
    """The first look at which no comparison's Clopper-Pearson interval, at 1 - 0.001 / 6, has 1 - level inside."""
    for look in looks:
        ends = [scipy.stats.binomtest(count, look).proportion_ci(1 - 0.001 / 6, "exact") for count in counts_at(look)]
        if all(one.high <= 1 - level or one.low > 1 - level for one in ends):
            return look
    return looks[-1]


@pytest.mark.parametrize("t", [1.85, 1.93, 1.955, 2.01])
def test_a_family_stops_at_the_first_look_that_decides_all_of_it(make_mean, t):
    """Against trials of means, whose coins are those of `exchange_masks`; the first comparison is clear at once."""
    scores = np.random.default_rng(1).normal(size=(3, 30))
    gains = scores[1:] - scores[0]
    gains -= gains.mean(axis=1, keepdims=True)
    gains += np.array([2.0, t * math.sqrt(np.var(gains[1]) / (30 - t**2))])[:, None]
    statistics = make_mean(a=scores[0], b=scores[0] + gains[0], c=scores[0] + gains[1])
    found = of_family(compare(statistics, "a", n_resamples=400, rng=5))
    sigmas = np.sqrt((gains**2).sum(axis=1))
    observed = gains.sum(axis=1) / sigmas
    assert observed[1] == pytest.approx(t)
    masks = np.concatenate(list(exchange_masks(30, 320_000, rng=5)))
    sizes = np.abs(gains @ (1.0 - 2 * masks[:, :, 0].T)) / sigmas[:, None]
    reached = np.array([sizes.max(axis=0), sizes[1]]) >= observed[:, None] - 1e-9

    def counts_at(look):
        first, second = np.count_nonzero(reached[:, :look], axis=1).tolist()
        return [first, max(first, second)]

    n_trials = first_decided(counts_at, [10_000 * 2**number for number in range(6)])
    assert [pair.n_trials for pair in found] == [n_trials] * 2
    assert n_trials == {1.85: 10_000, 1.93: 320_000, 1.955: 160_000, 2.01: 20_000}[t]
    assert [pair.p_adjusted for pair in found] == [(count + 1) / (n_trials + 1) for count in counts_at(n_trials)]
    ends = scipy.stats.binomtest(counts_at(n_trials)[1], n_trials).proportion_ci(1 - 0.001 / 6, "exact")
    assert found[1].verdict == (
        "significant" if ends.high <= 0.05 else "not significant" if ends.low > 0.05 else "undecided"
    )


def test_more_trials_continue_the_same_stream(make_bleu):
    """A number that the family has taken by itself, asked for, gives the same p."""
    statistics = make_bleu(80, runs=(1, 1), gain=0.016, seed=8)
    [free] = of_family(compare(statistics, rng=3))
    [fixed] = of_family(compare(statistics, rng=3, n_trials=free.n_trials))
    assert (fixed.p_value, fixed.p_adjusted, fixed.low, fixed.high) == (
        free.p_value, free.p_adjusted, free.low, free.high,
    )  # fmt: skip


def test_a_number_that_is_given_has_one_look_at_95_percent():
    """54 of 1,000: at 95 % it could be below 5 %; at 42 of 1,000 it could be above."""
    contrast = Contrast(1.0, 1.0, 0.0, 0.0, 1e-9, 20)
    for count, verdict in ((36, True), (37, False), (64, False), (66, True)):
        family = TrialFamily([contrast], 0.95)
        family.count(np.array([[1.0] * count + [0.0] * (1000 - count)]), np.zeros(1000), 50)
        [found] = family.test(1000, exact=False)
        ends = scipy.stats.binomtest(count, 1000).proportion_ci(0.95, "exact")
        assert (found.p_adjusted_low, found.p_adjusted_high) == pytest.approx((ends.low, ends.high))
        assert (ends.high <= 0.05 or ends.low > 0.05) == verdict
        assert not family.is_decided(1000)  # at 1 - 0.001 / 6 all of them are open


@pytest.mark.parametrize(("count", "decided"), [(870, True), (1000, False), (1130, True)])
def test_a_family_waits_for_its_equivalence(count, decided):
    """No trial reaches the difference, 1, and so many the distance to the margin's end, 0.5: p is half their share."""
    drawn = np.array([[0.6] * count + [0.0] * (10_000 - count)])
    ends = scipy.stats.binomtest(count, 10_000).proportion_ci(1 - 0.001 / 6, "exact")
    assert (ends.high / 2 <= 0.05 or ends.low / 2 > 0.05) == decided
    for margin in (None, 1.5):
        family = TrialFamily([Contrast(1.0, 1.0, 0.0, 0.0, 1e-9, 20, margin)], 0.95)
        family.count(drawn, np.zeros(10_000), 500)
        assert family.is_decided(10_000) == (decided or margin is None)


# ---- by hand


@pytest.mark.parametrize("difference", [2.0, -2.0])
def test_beyond_the_margin_p_of_equivalence_is_what_is_left_of_1(difference):
    """9 of 99 trials lie as far away as the nearer end of the margin, 0.5: p is 1 - 10 / 100 / 2."""
    family = TrialFamily([Contrast(difference, 1.0, 0.0, 0.0, 1e-9, 20, 1.5)], 0.95)
    family.count(np.array([[0.6] * 9 + [0.0] * 90]), np.zeros(99), 5)
    [found] = family.test(99, exact=False)
    assert found.p_within == pytest.approx(1 - (9 + 1) / (99 + 1) / 2)


def test_step_down_by_hand():
    """Four trials, sigma of 1, 2 and 1; of the first trial the largest t is that of the last comparison."""
    contrasts = [Contrast(d, sigma, 0.0, 0.0, 1e-9, 20) for d, sigma in ((3.0, 1.0), (4.0, 2.0), (1.0, 1.0))]
    rows = [[0.0, 1.0, -3.0, 0.0], [1.0, 4.0, 2.0, -1.0], [5.0, 0.5, -0.5, 0.0]]
    for sizes in ((4,), (2, 2), (1, 1, 1, 1)):
        family, first = TrialFamily(contrasts, 0.5), 0
        for size in sizes:
            family.count(np.array(rows)[:, first : first + size], np.zeros(size), 4)
            first += size
        # t = 3, 2, 1. 3 is reached in trials 1 and 3; 2, without the first comparison, in 1 and 2; 1, alone, in 1
        found = family.test(4, exact=False)
        assert [one.p_adjusted for one in found] == [3 / 5, 3 / 5, 3 / 5]
        assert [one.n_extreme for one in found] == [1, 1, 1]


def test_no_p_is_below_that_of_all_exchanges_of_few_coins():
    """Three coins: p is 1 / 4 or more, that of equivalence 1 / 8, though no trial of 99 reached the difference."""
    family = TrialFamily([Contrast(1.0, 1.0, 0.0, 0.0, 1e-9, 3, 2.0)], 0.95)
    family.count(np.zeros((1, 99)), np.zeros(99), 5)
    [found] = family.test(99, exact=False)
    assert (found.p_adjusted, found.p_adjusted_low, found.p_adjusted_high) == (1 / 4, 1 / 4, 1 / 4)
    assert found.p_within == 1 / 8
    p_value, _, high = found.tell_p(3)
    assert (p_value, high) == (1 / 4, 1 / 4)
    assert found.tell_p(20)[0] == 1 / 100


def test_counts_of_parts_add_up():
    draws_of_seed, contrasts = np.random.default_rng(1), [Contrast(d, 1.0, 0.0, 0.0, 1e-9, 20) for d in (1.2, 0.3)]
    trials, shifts = draws_of_seed.normal(size=(2, 6000)), 0.1 * draws_of_seed.normal(size=6000)
    whole, added = (TrialFamily(contrasts, 0.95) for _ in range(2))
    whole.count(trials, shifts, 300)
    for first in range(0, 6000, 1500):
        part = TrialFamily(contrasts, 0.95)
        part.count(trials[:, first : first + 1500], shifts[first : first + 1500], 300)
        added.add(**part.tally(300), n_kept=300)
    assert added.test(6000, exact=False) == whole.test(6000, exact=False)


def test_the_rank_of_the_critical_value():
    """floor(0.05 * 10,000) of 9,999 drawn; of 1,024 exchanges, halved by mirrors, floor(0.05 * 512) + 1."""
    assert count_beyond(9999, 0.95, exact=False) == 500
    assert count_beyond(18, 0.95, exact=False) == 0
    assert count_beyond(19, 0.95, exact=False) == 1
    assert count_beyond(512, 0.95, exact=True) == 26
    assert count_beyond(16, 0.95, exact=True) == 0  # 1 / 16 is above 0.05
    assert count_beyond(20, 0.95, exact=True) == 2


def test_a_family_of_one_is_not_adjusted(make_mean):
    for n_segments, seed in ((10, 1), (60, 2)):
        scores = np.random.default_rng(seed).normal(size=(2, n_segments))
        [pair] = of_family(quietly(make_mean(a=scores[0], b=scores[1]), n_trials=500, rng=3))
        assert pair.randomization.exact == (n_segments == 10)
        assert pair.p_adjusted == pair.p_value
        assert (pair.low, pair.high) == pytest.approx(simultaneous(pair), rel=1e-12)


# ---- copies, and what is nothing but rounding


def test_copies_are_not_counted_in_a_family(make_bleu):
    statistics = make_bleu(80, runs=(1, 1, 1), gain=0.02)
    alone = compare(statistics, n_trials=500, rng=1).metrics["BLEU"]
    values = {**statistics.values, "copy": statistics.values["s2"]}
    found = compare(replace(statistics, values=values), n_trials=500, rng=1).metrics["BLEU"]
    assert (alone.family_size, found.family_size) == (3, 5)
    pairs = {(pair.a, pair.b): pair for pair in found.comparisons}
    copy = pairs["copy", "s2"]
    assert (copy.p_value, copy.p_adjusted, copy.verdict, copy.conclusion) == (1, 1, "not significant", "copies")
    assert (*simultaneous(copy), *copy.ends) == (0, 0, 0, 0, 0)
    for pair in alone.comparisons:  # the copy's pairs have the t of the pairs that they repeat
        assert pairs[pair.a, pair.b].p_adjusted == pair.p_adjusted
        assert pairs[pair.a, pair.b].ends == pair.ends
        if "s2" in (pair.a, pair.b):
            assert pairs["copy", pair.b].p_adjusted == pair.p_adjusted
    only = dict.fromkeys("abc", statistics.values["s0"])
    found = compare(replace(statistics, values=only), rng=1).metrics["BLEU"]
    assert [pair.p_adjusted for pair in found.comparisons] == [1, 1, 1]
    assert found.family_size == 0
    assert COPIES.p_adjusted == 1


def test_where_all_others_are_copies_the_interval_of_the_family_is_that_of_one(make_mean):
    """There are no others then: their largest t is 0 in each trial, also in one in which nothing differs."""
    scores = np.random.default_rng(1).normal([[0.0], [0.4]], 1, (2, 60))
    found = quietly(make_mean(a=scores[0], b=scores[1], twin=scores[1]), "a", rng=1)
    for pair in of_family(found):
        assert simultaneous(pair) == pytest.approx((pair.low, pair.high), abs=1e-12)
    contrasts = [Contrast(1.0, 1.0, 1.0, 1 / 40, 1e-12, 40)] * 2
    family = TrialFamily(contrasts, 0.9)
    family.count(np.zeros((2, 19)), np.zeros(19), 2)
    for one in family.test(19, exact=False):
        assert (one.low, one.high, one.simultaneous_low, one.simultaneous_high) == (1, 1, 1, 1)


def test_copies_have_no_say_in_whether_all_exchanges_are_made(make_bleu):
    """A near copy among others has its own exchanges drawn with theirs; alone, it has all of them."""
    statistics = make_bleu(60, runs=(1, 1))
    near = statistics.values["s1"].copy()
    near[:, :7] = statistics.values["s0"][:, :7]
    n_coins = int(np.count_nonzero((near != statistics.values["s1"]).any(axis=(0, 2))))
    assert 0 < n_coins <= 7
    statistics = replace(statistics, values=statistics.values | {"near": near})
    pairs = {(pair.a, pair.b): pair for pair in of_family(quietly(statistics, n_trials=20_000, rng=1))}
    drawn, alone = pairs["near", "s1"], approximate_randomization(statistics["near"], statistics["s1"])
    assert not drawn.randomization.exact and alone.exact
    assert abs(drawn.p_value - alone.p_value) < 4 * math.sqrt(0.25 / 20_000)
    assert drawn.smallest_p == alone.smallest_p == 2.0 ** (1 - n_coins)


def test_a_near_copy_among_others_has_no_interval(make_bleu):
    """Three segments differ: its p is at least 1 / 4, also where trials are drawn for the sake of others."""
    statistics = make_bleu(60, runs=(1, 1))
    near = statistics.values["s1"].copy()
    near[:, :3] = statistics.values["s0"][:, :3]
    statistics = replace(statistics, values=statistics.values | {"near": near})
    pairs = {(pair.a, pair.b): pair for pair in of_family(quietly(statistics, n_trials=2000, rng=1))}
    pair = pairs["near", "s1"]
    assert not pair.randomization.exact
    assert (pair.low, pair.simultaneous_low, *pair.ends, pair.verdict) == (None, None, None, None, 0, "not significant")
    assert pair.excludes_zero is None
    assert pairs["near", "s0"].low is not None


def test_a_difference_that_is_the_same_in_every_segment_is_certain(make_mean):
    draws_of_seed = np.random.default_rng(3)
    first = draws_of_seed.normal(size=50)
    statistics = make_mean(a=first, b=first + 1, c=first + 0.01 * draws_of_seed.normal(size=50))
    same, other = of_family(compare(statistics, "a", n_trials=500, rng=1))
    assert same.p_adjusted == 1 / 501
    assert (same.low, same.high) == pytest.approx((1, 1))  # g = w: nothing would vary if the true difference were 1
    assert other.p_adjusted == other.p_value > 0.05


def test_rounding_ranks_last(make_mean):
    """A difference far below 1e-9 of the score, though large for its own spread, has p = 1 and raises no other."""
    draws_of_seed = np.random.default_rng(4)
    scores = 50 + draws_of_seed.normal(size=60)
    tiny = scores * (1 + 1e-11 * (1 + draws_of_seed.random(60)))
    statistics = make_mean(a=scores, b=tiny, c=scores + 1 + draws_of_seed.normal(size=60))
    pairs = {(pair.a, pair.b): pair for pair in of_family(compare(statistics, n_trials=300, rng=1))}
    assert pairs["b", "a"].p_adjusted == 1
    assert not pairs["b", "a"].ends.excludes_zero
    assert pairs["c", "a"].p_adjusted < 0.05


def test_rounding_does_not_untie_trials(make_mean):
    """Scores of thirds: many trials have the observed difference, and sums of floats must not tell them apart."""
    scores = np.random.default_rng(8).integers(0, 3, (4, 14)) / 3 + 0.1
    statistics = make_mean(**{f"s{number}": row for number, row in enumerate(scores)})
    found = of_family(quietly(statistics, unit="segment"))
    whole = np.rint((scores - 0.1) * 3).astype(int)
    for pair in found:
        gains = whole[int(pair.a[1])] - whole[int(pair.b[1])]
        signs = 1 - 2 * (np.arange(2**14)[:, None] >> np.arange(14) & 1)
        assert pair.p_value == np.mean(np.abs(signs @ gains) >= abs(gains.sum()))


def test_families_of_pairs_count_as_one_even_where_their_number_is_large(make_mean):
    """The order in which systems are given decides nothing."""
    scores = np.random.default_rng(12).normal(np.linspace(0, 1, 5)[:, None], 1, (5, 25))
    given = {f"s{number}": row for number, row in enumerate(scores)}
    turned = dict(reversed(given.items()))
    forth, back = (
        {frozenset((pair.a, pair.b)): pair for pair in of_family(quietly(make_mean(**one), n_trials=400, rng=1))}
        for one in (given, turned)
    )
    assert len(forth) == len(list(combinations(given, 2)))
    for key, pair in forth.items():
        other = back[key]
        assert (other.p_value, other.p_adjusted) == (pair.p_value, pair.p_adjusted)
        assert tuple(other.turned().ends) == pytest.approx(tuple(pair.ends))
