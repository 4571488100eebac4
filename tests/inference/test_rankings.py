"""Who stands where: compact letters, the ranks that verdicts leave open, and the standing against a baseline."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from mtworkbench.inference import compare, compare_test_sets
from mtworkbench.inference.rankings import letter_groups, place_systems
from mtworkbench.metrics import Length, MeanScore
from mtworkbench.results.verdicts import holm_adjust
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet


def rank_by_verdicts(scores, better):
    return place_systems(scores, [SimpleNamespace(a=a, b=b, better=a, verdict="significant") for a, b in better])


@st.composite
def significance_graphs(draw):
    """Systems in the order of their scores, and which pairs are significant: any pattern may come out of tests."""
    systems = [f"s{number}" for number in range(draw(st.integers(1, 7)))]
    pairs = list(combinations(systems, 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return systems, {pair for pair, is_kept in zip(pairs, kept, strict=True) if is_kept}


@given(significance_graphs())
def test_two_systems_share_a_letter_if_and_only_if_neither_is_better(graph):
    systems, better = graph
    letters = {system: set(group) for system, group in letter_groups(systems, better).items()}
    assert list(letters) == systems
    assert all(letters.values())
    for pair in combinations(systems, 2):
        assert bool(letters[pair[0]] & letters[pair[1]]) == (pair not in better)


@given(significance_graphs())
def test_no_letter_is_redundant_and_the_best_system_has_the_first(graph):
    systems, better = graph
    letters = {system: set(group) for system, group in letter_groups(systems, better).items()}
    used = set.union(*letters.values())
    assert used == set("abcdefghijklmnopqrstuvwxyz"[: len(used)])
    assert "a" in letters[systems[0]]
    for letter in used:
        without = {system: group - {letter} for system, group in letters.items()}
        told = all(bool(without[a] & without[b]) == ((a, b) not in better) for a, b in combinations(systems, 2))
        assert not (told and all(without.values()))


def test_a_letter_that_others_make_redundant_is_left_out():
    """Every two of a, b, c share a group with one of the others; the group of the three would say nothing more."""
    systems = list("abcdef")
    groups = ("abd", "bce", "acf")
    shared = {frozenset(pair) for group in groups for pair in combinations(group, 2)}
    better = {pair for pair in combinations(systems, 2) if frozenset(pair) not in shared}
    assert letter_groups(systems, better) == {"a": "ab", "b": "ac", "c": "bc", "d": "a", "e": "c", "f": "b"}


def test_letters_by_hand():
    assert letter_groups(["x", "y", "z"], {("x", "z")}) == {"x": "a", "y": "ab", "z": "b"}
    assert letter_groups(["x", "y"], set()) == {"x": "a", "y": "a"}
    assert letter_groups(["x"], set()) == {"x": "a"}
    assert letter_groups(["x", "y", "z"], {("x", "y"), ("y", "z")}) == {"x": "a", "y": "b", "z": "a"}


def test_more_than_26_groups_have_letters_with_dots():
    systems = [f"s{number:02}" for number in range(60)]
    chain = {pair for pair in combinations(systems, 2) if systems.index(pair[1]) - systems.index(pair[0]) > 1}
    groups = letter_groups(systems, chain)  # each shares a letter with its neighbours alone
    assert (groups["s00"], groups["s01"], groups["s25"], groups["s26"]) == ("a", "a.b", "y.z", "z.aa")
    assert (groups["s27"], groups["s52"], groups["s59"]) == ("aa.ab", "az.ba", "bg")
    assert max(map(len, letter_groups(systems[:27], chain_of(systems[:27])).values())) == 2  # 26 groups need no dots


def chain_of(systems):
    return {(a, b) for i, a in enumerate(systems) for b in systems[i + 2 :]}


@given(significance_graphs())
def test_the_ranks_that_verdicts_leave_open(graph):
    systems, better = graph
    scores = {system: -place for place, system in enumerate(systems)}
    ranking = rank_by_verdicts(scores, better)
    assert [one.system for one in ranking] == systems
    assert [one.rank for one in ranking] == list(range(1, len(systems) + 1))
    for one in ranking:
        assert one.rank_low == 1 + sum(b == one.system for _, b in better)
        assert one.rank_high == len(systems) - sum(a == one.system for a, _ in better)
        assert one.rank_low <= one.rank <= one.rank_high
        assert type(one.rank) is type(one.rank_low) is type(one.rank_high) is int  # JSON has no numpy


def test_equal_scores_share_the_best_rank():
    ranking = rank_by_verdicts({"low": 1.0, "high": 3.0, "same": 3.0 + 1e-12, "last": 0.5}, set())
    assert {one.system: one.rank for one in ranking} == {"high": 1, "same": 1, "low": 3, "last": 4}


@pytest.mark.parametrize("n_sets", [2, 3, 14])
def test_ranges_by_adjusted_p_hold_the_true_ranks_all_at_once(n_sets):
    """Ten systems, a thousandth of a standard error apart on test sets: in at least 95 % of experiments."""
    draws, names, held = np.random.default_rng(n_sets), list("abcdefghij"), []
    for _ in range(200):
        scores = draws.normal(-1e-3 * np.arange(10)[:, None], np.sqrt(n_sets), (10, n_sets))
        means = scores.mean(axis=1)
        order = np.argsort(-means)
        better, worse = (order[places] for places in np.triu_indices(10, 1))
        shown = holm_adjust(ttest_rel(scores[better], scores[worse], axis=1).pvalue) <= 0.05
        pairs = [(names[a], names[b]) for a, b in zip(better[shown], worse[shown], strict=True)]
        truth = {name: place for place, name in enumerate(names, start=1)}
        found = rank_by_verdicts(dict(zip(names, means.tolist(), strict=True)), pairs)
        held.append(all(one.rank_low <= truth[one.system] <= one.rank_high for one in found))
    assert np.mean(held) >= 0.95


def test_with_a_baseline_each_system_stands_better_worse_or_neither():
    """Pairs name the system first; the baseline has no standing, and nobody has ranks or letters."""
    verdicts = {"up": ("up", "significant"), "down": ("base", "significant"), "open": (None, "undecided")}
    verdicts |= {"same": (None, "not significant")}
    pairs = [SimpleNamespace(a=a, b="base", better=better, verdict=said) for a, (better, said) in verdicts.items()]
    found = place_systems(
        {"base": 3.0, "down": 2.0, "up": 5.0, "open": 4.0, "same": 3.0, "left out": 1.0}, pairs, "base"
    )
    assert [(one.system, one.rank, one.against_baseline) for one in found] == [
        ("up", 1, "better"),
        ("open", 2, "undecided"),
        ("base", 3, None),
        ("same", 3, "not shown"),
        ("down", 5, "worse"),
        ("left out", 6, "not shown"),
    ]
    assert {(one.rank_low, one.rank_high, one.group, one.p_best) for one in found} == {(None,) * 4}
    assert {one.against_baseline for one in rank_by_verdicts({"a": 1.0, "b": 2.0}, {("b", "a")})} == {None}


# ---- what compare makes of them

OPTIONS = {"n_resamples": 400, "n_trials": 2000, "rng": 1}


@pytest.fixture
def five(make_mean):
    """Scores of five systems on 150 segments, each a little better than the last, given in another order."""
    draws = np.random.default_rng(2)
    shared = draws.normal(0, 1, 150)
    return {name: shared + draws.normal(0.12 * "abcde".index(name), 0.8, 150) for name in "cabed"}


def mean_of(make_mean, scores, up=True, **options):
    return make_mean(metric=MeanScore(name="score", higher_is_better=up), **scores, **options)


def test_all_pairs_are_ranked_by_their_verdicts(make_mean, five):
    metric = compare(mean_of(make_mean, five), **OPTIONS).metrics["score"]
    assert metric.ranking_of == "outputs"
    order = sorted(five, key=lambda name: -five[name].mean())
    assert [one.system for one in metric.ranking] == order
    significant = [pair for pair in metric.comparisons if pair.verdict == "significant"]
    assert 0 < len(significant) < len(metric.comparisons)
    for one in metric.ranking:
        worse = sum(one.system in (pair.a, pair.b) and pair.better != one.system for pair in significant)
        better = sum(pair.better == one.system for pair in significant)
        assert (one.rank_low, one.rank_high) == (1 + worse, 5 - better)
    letters = {one.system: set(one.group) for one in metric.ranking}
    for pair in metric.comparisons:
        assert bool(letters[pair.a] & letters[pair.b]) == (pair.verdict != "significant")


def test_where_lower_is_better_the_order_turns_round(make_mean, five):
    up = compare(mean_of(make_mean, five), **OPTIONS).metrics["score"]
    down = compare(mean_of(make_mean, five, up=False), **OPTIONS).metrics["score"]
    assert [one.system for one in down.ranking] == [one.system for one in up.ranking][::-1]
    ranks = {one.system: one for one in up.ranking}
    for one in down.ranking:
        assert one.rank == 6 - ranks[one.system].rank
        assert (one.rank_low, one.rank_high) == (6 - ranks[one.system].rank_high, 6 - ranks[one.system].rank_low)
    for pair, turned in zip(up.comparisons, down.comparisons, strict=True):
        assert {pair.better, turned.better} == ({None} if pair.better is None else {pair.a, pair.b})


OTHER_WAY = {"better": "worse", "worse": "better"}


@pytest.mark.parametrize("n_runs", [1, 3])
def test_with_a_baseline_the_verdicts_say_where_each_system_stands(make_mean, five, n_runs):
    scores = {name: own + {"a": -1, "e": 1}.get(name, 0) for name, own in five.items()}
    scores = scores if n_runs == 1 else runs_of(scores, n_runs)
    up = compare(mean_of(make_mean, scores), "c", **OPTIONS).metrics["score"]
    assert (up.has_ranks, up.may_be_first, up.ranking_of) == (False, (), "outputs" if n_runs == 1 else "method")
    standing = {one.system: one.against_baseline for one in up.ranking}
    for pair in up.comparisons:
        shown = "shown for the method" if n_runs > 1 else "shown on these outputs; new runs unknown"
        ahead = "better" if pair.difference > 0 else "worse"
        assert standing.pop(pair.a) == (ahead if pair.conclusion == shown else "not shown")
    assert standing == {"c": None}
    assert {one.against_baseline for one in up.ranking} == {"better", "not shown", "worse", None}
    down = compare(mean_of(make_mean, scores, up=False), "c", **OPTIONS).metrics["score"]
    turned = [(one.system, OTHER_WAY.get(one.against_baseline, one.against_baseline)) for one in up.ranking]
    assert [(one.system, one.against_baseline) for one in down.ranking] == turned[::-1]


@pytest.mark.parametrize("up", [True, False])
def test_over_several_sets_the_standing_is_on_these_sets_and_for_new_ones(make_mean, up):
    """One system gains 1 on each set, one 4 on two of them alone, one loses 2 on each, and one nothing."""
    draws, sets = np.random.default_rng(1), {}
    for number, shift in enumerate((0, 4, 0.1, 4, -0.1)):
        gains = {"same": 0, "base": 0, "steady": 1, "on some": shift, "behind": -2}
        hard, noise = draws.normal(0, 5, 60), draws.normal(0, 0.3, (5, 60))
        scores = {name: hard + gain + own for (name, gain), own in zip(gains.items(), noise, strict=True)}
        family = mean_of(make_mean, scores, up)
        test_set = TestSet(np.arange(1, 61), None, f"references {number}", 1)
        sets[f"set{number}"] = SegmentStatistics(family.metric, dict(family.values), test_set)
    metric = compare_test_sets(sets, "base", unit="segment", **OPTIONS).metrics["score"]
    ahead, behind = ("better", "worse") if up else ("worse", "better")
    assert {one.system: (one.against_baseline, one.new_sets_against_baseline) for one in metric.ranking} == {
        "steady": (ahead, ahead),
        "on some": (ahead, "not shown"),
        "base": (None, None),
        "same": ("not shown", "not shown"),
        "behind": (behind, behind),
    }
    assert {(one.rank_low, one.new_sets_rank_high, one.group, one.new_sets_p_best) for one in metric.ranking} == {
        (None, None, None, None)
    }
    scores = [one.score for one in metric.ranking]
    assert scores == sorted(scores, reverse=up) and metric.may_be_first == ()


def test_no_ranking_of_two_systems_nor_without_a_direction_nor_on_different_segments(make_mean, make_bleu, five):
    two = {name: five[name] for name in "ab"}
    assert compare(mean_of(make_mean, two), **OPTIONS).metrics["score"].ranking is None
    bleu = make_bleu(120, runs=(1, 1, 1))
    values = {system: values[..., :2] for system, values in bleu.values.items()}
    for baseline in (None, "s0"):
        metric = compare(SegmentStatistics(Length(), values, bleu.test_set), baseline, **OPTIONS).metrics["Length"]
        assert (metric.ranking, metric.ranking_of) == (None, None)
    none = compare(mean_of(make_mean, five, up=None), **OPTIONS).metrics["score"]
    assert (none.ranking, none.ranking_of) == (None, None)
    assert {pair.better for pair in none.comparisons} == {None}
    five["a"][3] = np.nan
    with pytest.warns(match="1 of 150 segments have no score"):
        metric = compare(mean_of(make_mean, five), **OPTIONS).metrics["score"]
    assert (metric.ranking, metric.ranking_of) == (None, None)
    for name in "bcde":
        five[name][3] = np.nan
    with pytest.warns(match="1 of 150 segments have no score"):
        metric = compare(mean_of(make_mean, five), **OPTIONS).metrics["score"]
    assert metric.ranking is not None  # the same segments for all


def runs_of(scores, n_runs, seed=6):
    draws = np.random.default_rng(seed)
    noise = {name: draws.normal(0, 0.08, (n_runs, 1)) + draws.normal(0, 0.2, (n_runs, 150)) for name in scores}
    return {name: some + noise[name] for name, some in scores.items()}


def test_where_every_pair_has_a_verdict_for_the_method_the_ranking_is_of_methods(make_mean, five):
    metric = compare(mean_of(make_mean, runs_of(five, 4)), **OPTIONS).metrics["score"]
    assert metric.ranking_of == "method"
    verdicts = {pair.method_verdict for pair in metric.comparisons}
    assert verdicts == {"significant", "not significant"}
    assert [pair.method_verdict for pair in metric.comparisons] != [pair.verdict for pair in metric.comparisons]
    letters = {one.system: set(one.group) for one in metric.ranking}
    for pair in metric.comparisons:
        assert bool(letters[pair.a] & letters[pair.b]) == (pair.method_verdict != "significant")


def test_where_one_system_has_one_run_the_ranking_is_of_outputs(make_mean, five):
    several = runs_of(five, 4) | {"a": five["a"]}
    metric = compare(mean_of(make_mean, several), **OPTIONS).metrics["score"]
    assert metric.ranking_of == "outputs"
    assert {pair.method_verdict for pair in metric.comparisons} > {None}
