"""Ranks over several test sets, on these sets and for new ones: by verdicts on all pairs, or by draws."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import ttest_rel

from mtworkbench.inference.rankings import draw_new_sets, rank_by_draws, rank_campaign
from mtworkbench.resampling import RESAMPLES, resolve_rng, uniforms
from mtworkbench.results.rankings import CampaignRank
from mtworkbench.results.verdicts import holm_adjust

OPTIONS = {"level": 0.95, "higher_is_better": True, "random_key": resolve_rng(1)}


# ---- ranks in draws


def test_shares_of_best_in_all_resamples_of_three_segments():
    """All 27 resamples of three segments, each equally likely; where systems tie, they share it."""
    segments = np.array([[3.0, 0, 0], [0, 2, 0], [1, 1, 1]])
    drawn = np.array([segments[:, list(chosen)].sum(axis=1) for chosen in product(range(3), repeat=3)]).T
    shares = [0.0, 0.0, 0.0]
    for column in drawn.T.tolist():
        best = [system for system, score in enumerate(column) if score == max(column)]
        for system in best:
            shares[system] += 1 / 27 / len(best)
    found = rank_by_draws(segments.sum(axis=1), drawn, 0.95)
    assert found.p_best == pytest.approx(shares) and found.p_best.sum() == pytest.approx(1)
    assert list(found.rank) == [1, 3, 1]  # 3, 2 and 3 in all
    assert list(found.rank_low) == [1, 1, 1]


def test_scores_that_differ_by_rounding_only_share_the_best():
    drawn = np.array([[0.1 + 0.2], [0.3], [0.2]])
    assert drawn[0] != drawn[1]
    found = rank_by_draws(drawn[:, 0], drawn, 0.95)
    assert list(found.p_best) == [0.5, 0.5, 0] and list(found.rank) == [1, 1, 3]


def test_ends_of_the_interval_of_ranks():
    """Of 40 draws at 95 %, one is dropped at each end: the second is 3rd in two draws, and 1st in one alone."""
    drawn = np.array([[3.0] * 40, [2.0] * 40, [1.0] * 40])
    drawn[1, :2] = 0.5
    drawn[1, 2] = 9
    found = rank_by_draws(np.array([3.0, 2, 1]), drawn, 0.95)
    assert list(zip(found.rank_low, found.rank_high, strict=True)) == [(1, 1), (2, 3), (2, 3)]
    assert found.p_best == pytest.approx([39 / 40, 1 / 40, 0])


@pytest.mark.parametrize(("gap", "low", "high"), [(1e-3, 0.80, 0.88), (0.3, 0.94, 0.98), (1.0, 0.97, 1.0)])
def test_how_often_intervals_of_ranks_hold_the_true_rank(gap, low, high):
    """Ten systems, so many standard errors apart: where they are all but equal, too seldom, as the docstring says."""
    draws = np.random.default_rng(3)
    truth, held = np.arange(1, 11), []
    for _ in range(200):
        scores = draws.normal(-gap * truth)
        found = rank_by_draws(scores, draws.normal(scores[:, None], size=(10, 400)), 0.95)
        held.append((found.rank_low <= truth) & (truth <= found.rank_high))
    assert low <= np.mean(held) <= high


# ---- new sets


def test_draws_for_new_sets_follow_the_rule_of_docs_draws():
    scores, key = np.array([[1.0, 2, 4], [3.0, 3, 0]]), 9441442522235856127
    drawn = draw_new_sets(scores, 3, key=key)
    for number in range(3):
        of_sets = [ndtri(uniforms(key, number * 5 + place, 1)[0]) for place in range(5)]
        spread = np.sqrt((of_sets[3] ** 2 + of_sets[4] ** 2) / 2)
        for system, own in enumerate(scores):
            deviation = sum(z * (one - own.mean()) for z, one in zip(of_sets, own, strict=False)) / np.sqrt(6)
            assert drawn[system, number] == pytest.approx(own.mean() + deviation / spread, rel=1e-12)


def test_shares_for_new_sets_are_the_p_of_the_paired_t_test_over_sets():
    scores = np.random.default_rng(4).normal([[0.0], [0.3], [0.6], [0.0]], 1, (4, 6)) + np.arange(6)
    drawn = draw_new_sets(scores, 40_000, key=5)
    for a, b in combinations(range(4), 2):
        wanted = ttest_rel(scores[a], scores[b], alternative="greater").pvalue
        assert np.mean(drawn[a] <= drawn[b]) == pytest.approx(wanted, abs=0.01)


@pytest.mark.parametrize("n_sets", [2, 3, 8])
def test_equal_systems_are_told_apart_on_new_sets_in_a_twentieth_of_cases(n_sets):
    """One truth: the same mean over all sets, but each set favours one of them; the band holds 99.9 % of 1,000."""
    draws = np.random.default_rng(n_sets)
    called = 0
    for number in range(1000):
        first, second = draw_new_sets(draws.normal(0, 1, (2, n_sets)), 1000, key=number)
        share = np.mean(first > second)
        called += share > 0.975 or share < 0.025
    assert 29 <= called <= 76


@pytest.mark.parametrize("n_sets", [3, 8])
def test_intervals_of_ranks_cover_the_ranks_over_all_sets(n_sets):
    """Five systems, 0.5 apart in truth, on sets that differ by 1: at least 95 % of the true ranks."""
    draws = np.random.default_rng(n_sets)
    truth = np.array([[1.0], [0.5], [0.0], [-0.5], [-1.0]])
    covered = []
    for number in range(300):
        scores = truth + draws.normal(0, 1, (5, n_sets))
        found = rank_by_draws(scores.mean(axis=1), draw_new_sets(scores, 1000, key=number), 0.95)
        covered += list((found.rank_low <= np.arange(1, 6)) & (np.arange(1, 6) <= found.rank_high))
    assert np.mean(covered) >= 0.95


@pytest.mark.parametrize(("n_sets", "low", "high"), [(2, 0.65, 0.75), (3, 0.73, 0.83), (14, 0.79, 0.87)])
def test_ranges_of_draws_are_too_narrow_where_ten_systems_are_nearly_equal(n_sets, low, high):
    """As docs/rankings.md says; with two sets the draws move all systems along one line, and are not used."""
    draws = np.random.default_rng(n_sets)
    truth, held = np.arange(1, 11), []
    for number in range(200):
        scores = draws.normal(-1e-3 * truth[:, None], np.sqrt(n_sets), (10, n_sets))
        drawn = draw_new_sets(scores, 500, key=number)
        found = rank_by_draws(scores.mean(axis=1), drawn, 0.95)
        held.append((found.rank_low <= truth) & (truth <= found.rank_high))
    assert np.linalg.matrix_rank(drawn - scores.mean(axis=1, keepdims=True)) == min(n_sets - 1, 10)
    assert low <= np.mean(held) <= high


def test_shares_for_new_sets_on_real_scores(shared):
    """Four domains of WMT 2023, rated by MQM: each pair of systems as in the t-test over domains."""
    path = shared / "realdata" / "mt-metrics-eval" / "wmt23" / "human-scores" / "en-de.mqm.domain.score"
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    domains, systems = list(dict.fromkeys(row[0] for row in rows)), list(dict.fromkeys(row[1] for row in rows))
    cells = {(row[1], row[0]): float(row[2]) for row in rows if row[2] != "None"}
    scores = np.array([[cells[system, domain] for domain in domains] for system in systems])
    assert scores.shape == (13, 4)
    drawn = draw_new_sets(scores, 20_000, key=3)
    for a, b in combinations(range(13), 2):
        wanted = ttest_rel(scores[a], scores[b], alternative="greater").pvalue
        assert np.mean(drawn[a] <= drawn[b]) == pytest.approx(wanted, abs=0.015)
    ranks = rank_by_draws(scores.mean(axis=1), drawn, 0.95)
    assert systems[int(np.argmax(ranks.p_best))] == "refA" and systems[int(np.argmax(ranks.rank))] == "AIRC"


# ---- campaigns


@pytest.fixture
def campaign():
    """Three systems on four sets, with resamples that scatter by 0.1 on each: `b` is better on one set alone."""
    draws = np.random.default_rng(2)
    scores = np.array([[10.0, 20, 30, 40], [9.0, 19, 29, 44], [5.0, 15, 24, 36]])
    return scores, [one[:, None] + draws.normal(0, 0.1, (3, 1000)) for one in scores.T]


def ranges(found):
    return [(one.rank_low, one.rank_high, one.group) for one in found]


def new_ranges(found):
    return [(one.new_sets_rank_low, one.new_sets_rank_high, one.new_sets_group) for one in found]


def test_where_all_pairs_were_tested_the_verdicts_say_which_ranks_are_open(campaign):
    """The resamples alone would say that b is the first, a the second and c the third."""
    scores, resampled = campaign
    found = rank_campaign("abc", scores, resampled, ({("b", "c"), ("a", "c")}, {("b", "c")}), **OPTIONS)
    assert [one.system for one in found] == ["b", "a", "c"]
    assert ranges(found) == [(1, 2, "a"), (1, 2, "a"), (3, 3, "b")]
    assert new_ranges(found) == [(1, 2, "a"), (1, 3, "ab"), (2, 3, "b")]
    by_draws = rank_campaign("abc", scores, resampled, None, **OPTIONS)
    assert ranges(by_draws) == [(1, 1, None), (2, 2, None), (3, 3, None)]
    for name in ("system", "score", "rank", "p_best", "new_sets_p_best"):
        assert [getattr(one, name) for one in found] == [getattr(one, name) for one in by_draws]


def test_ranges_by_verdicts_do_not_depend_on_the_number_of_sets_and_draws(campaign):
    scores, resampled = campaign
    for n_sets, level in [(2, 0.95), (4, 0.99999)]:
        few = [one[:, :10] for one in resampled[:n_sets]]
        found = rank_campaign("abc", scores[:, :n_sets], few, ({("a", "c")}, ()), **OPTIONS | {"level": level})
        assert {one.system: (one.rank_low, one.rank_high) for one in found} == {"a": (1, 2), "b": (1, 3), "c": (2, 3)}
        assert new_ranges(found) == [(1, 3, "a")] * 3


@pytest.mark.parametrize("n_sets", [2, 3, 14])
def test_ranges_by_the_t_test_over_sets_hold_the_true_ranks_all_at_once(n_sets, monkeypatch):
    """Ten systems, a thousandth of a standard error apart: in at least 95 % of experiments, as p is adjusted."""
    monkeypatch.setattr("mtworkbench.inference.rankings.N_DRAWS", 40)
    draws, names, held = np.random.default_rng(n_sets), list("abcdefghij"), []
    for _ in range(200):
        scores = draws.normal(-1e-3 * np.arange(10)[:, None], np.sqrt(n_sets), (10, n_sets))
        order = np.argsort(-scores.mean(axis=1))
        better, worse = (order[places] for places in np.triu_indices(10, 1))
        shown = holm_adjust(ttest_rel(scores[better], scores[worse], axis=1).pvalue) <= 0.05
        new = [(names[a], names[b]) for a, b in zip(better[shown], worse[shown], strict=True)]
        found = rank_campaign(names, scores, [np.zeros((10, 1))] * n_sets, ((), new), **OPTIONS)
        truth = {name: place for place, name in enumerate(names, start=1)}
        held.append(all(one.new_sets_rank_low <= truth[one.system] <= one.new_sets_rank_high for one in found))
    assert np.mean(held) >= 0.95


def test_with_a_baseline_a_campaign_is_ranked_by_resamples_and_draws(campaign):
    scores, resampled = campaign
    found = rank_campaign("abc", scores, resampled, None, **OPTIONS)
    assert [one.system for one in found] == ["b", "a", "c"]
    assert [one.score for one in found] == [25.25, 25, 20]
    assert {(one.group, one.new_sets_group) for one in found} == {(None, None)}
    assert [(one.p_best, one.rank_low, one.rank_high) for one in found] == [(1, 1, 1), (0, 2, 2), (0, 3, 3)]
    new = draw_new_sets(scores, 10_000, key=OPTIONS["random_key"].stream(RESAMPLES))
    assert found[0].new_sets_p_best == np.mean((new[1] > new[0]) & (new[1] > new[2]))
    assert (found[0].new_sets_rank_low, found[0].new_sets_rank_high) == (1, 2)
    assert sum(one.new_sets_p_best for one in found) == pytest.approx(1)
    ahead = 1 - ttest_rel(scores[1], scores[0], alternative="greater").pvalue  # c is hardly ever first
    assert found[0].new_sets_p_best == pytest.approx(ahead, abs=0.02) and 0.55 < ahead < 0.65


def test_resamples_of_a_campaign_are_means_over_sets_by_their_number(campaign):
    """Where one set's resample is high and another's low, their mean is neither."""
    up = np.tile([1.0, -1], 50)
    resampled = [np.stack([up, np.zeros(100)]), np.stack([-up, np.zeros(100) - 1e-3])]
    found = rank_campaign("ab", np.array([[0.0, 0], [0, -1e-3]]), resampled, None, **OPTIONS)
    assert [(one.system, one.p_best, one.group) for one in found] == [("a", 1.0, None), ("b", 0.0, None)]


def test_where_lower_is_better_a_campaign_has_the_same_ranks(campaign):
    scores, resampled = campaign
    up = rank_campaign("abc", scores, resampled, None, **OPTIONS)
    options = OPTIONS | {"higher_is_better": False}
    down = rank_campaign("abc", -scores, [-one for one in resampled], None, **options)
    assert [one.shown() | {"score": -one.score} for one in down] == [one.shown() for one in up]
    better = {("b", "c"), ("a", "c")}, {("b", "c")}
    up = rank_campaign("abc", scores, resampled, better, **OPTIONS)
    down = rank_campaign("abc", -scores, [-one for one in resampled], better, **options)
    assert [one.shown() | {"score": -one.score} for one in down] == [one.shown() for one in up]


def test_ranges_for_new_sets_are_those_of_the_draws_at_the_level(campaign):
    scores, resampled = campaign
    key = OPTIONS["random_key"].stream(RESAMPLES)
    for n_sets, level in product([3, 4], [0.1, 0.95]):
        found = rank_campaign("abc", scores[:, :n_sets], resampled[:n_sets], None, **OPTIONS | {"level": level})
        means = scores[:, :n_sets].mean(axis=1)
        wanted = rank_by_draws(means, draw_new_sets(scores[:, :n_sets], 10_000, key=key), level)
        for one in found:
            place = "abc".index(one.system)
            assert (one.new_sets_rank_low, one.new_sets_rank_high) == (wanted.rank_low[place], wanted.rank_high[place])


def test_ten_thousand_draws_are_too_few_for_some_levels(campaign):
    """At 99.98 %, one draw lies beyond each end; at 99.99 %, none: the ends would be the extremes."""
    scores, resampled = campaign
    enough, few = (
        rank_campaign("abc", scores, resampled, None, **OPTIONS | {"level": level})[0] for level in (0.9998, 0.9999)
    )
    assert (enough.new_sets_rank_low, enough.new_sets_rank_high) == (1, 3)
    assert (few.new_sets_rank_low, few.new_sets_rank_high) == (None, None) and few.new_sets_p_best > 0.5


def test_what_few_sets_and_few_resamples_cannot_say(campaign):
    scores, resampled = campaign
    two_sets = rank_campaign("abc", scores[:, :2], resampled[:2], None, **OPTIONS)
    assert new_ranges(two_sets) == [(None, None, None)] * 3
    assert sum(one.new_sets_p_best for one in two_sets) == pytest.approx(1)
    few = rank_campaign("abc", scores, [one[:, :39] for one in resampled], None, **OPTIONS)
    assert {(one.rank_low, one.rank_high) for one in few} == {(None, None)}
    enough = rank_campaign("abc", scores, [one[:, :40] for one in resampled], None, **OPTIONS)
    assert [(one.rank_low, one.rank_high) for one in enough] == [(1, 1), (2, 2), (3, 3)]
    assert all(one.new_sets_rank_low is not None for one in few) and few[0].p_best == 1
    assert list(CampaignRank.keys()) == list(few[0].shown())
