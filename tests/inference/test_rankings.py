"""Who stands where: compact letters, the ranks that verdicts leave open, and ranks in resamples."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtworkbench.inference import compare
from mtworkbench.inference.rankings import letter_groups, place_systems
from mtworkbench.metrics import Length, MeanScore
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import format_comparison


def rank_by_verdicts(scores, better):
    return place_systems(scores, np.array([[one] for one in scores.values()]), better, 0.95)


def rank_by_resamples(scores, resampled, level):
    return place_systems(scores, np.array([resampled[name] for name in scores]), None, level)


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


def naive_ranks(resampled, level):
    """Rank each resample by hand, and drop as many at each end as a percentile interval does."""
    ranks = {name: [] for name in resampled}
    n_resamples = len(next(iter(resampled.values())))
    for place in range(n_resamples):
        for name in resampled:
            ranks[name].append(1 + sum(resampled[other][place] > resampled[name][place] for other in resampled))
    dropped = int(n_resamples * (1 - level) / 2 + 1e-9)
    return {name: (sorted(some)[dropped], sorted(some)[-1 - dropped]) for name, some in ranks.items()}


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_ranks_in_resamples_are_those_of_a_naive_loop(level):
    draws = np.random.default_rng(4)
    resampled = {name: np.round(draws.normal(shift, 1, 400), 1) for name, shift in zip("abcde", range(5), strict=True)}
    scores = {name: some.mean() for name, some in resampled.items()}
    ranking = rank_by_resamples(scores, resampled, level)
    assert [one.system for one in ranking] == list("edcba")
    expected = naive_ranks(resampled, level)
    assert {one.system: (one.rank_low, one.rank_high) for one in ranking} == expected
    assert len(set(expected.values())) > 2
    assert {one.group for one in ranking} == {None}
    assert all(type(end) is int for one in ranking for end in (one.rank, one.rank_low, one.rank_high))


def test_systems_that_tie_in_a_resample_share_the_best_rank():
    """A copy of the best system is always first, too, and the third is never second."""
    best = np.linspace(10, 11, 400)
    resampled = {"best": best, "copy": best + 1e-12, "third": best - 1}
    ranking = rank_by_resamples({name: some.mean() for name, some in resampled.items()}, resampled, 0.95)
    assert {one.system: (one.rank, one.rank_low, one.rank_high) for one in ranking} == {
        "best": (1, 1, 1),
        "copy": (1, 1, 1),
        "third": (3, 3, 3),
    }


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


@pytest.mark.parametrize("baseline", [None, "c"])
def test_where_lower_is_better_the_order_turns_round(make_mean, five, baseline):
    up = compare(mean_of(make_mean, five), baseline, **OPTIONS).metrics["score"]
    down = compare(mean_of(make_mean, five, up=False), baseline, **OPTIONS).metrics["score"]
    assert [one.system for one in down.ranking] == [one.system for one in up.ranking][::-1]
    ranks = {one.system: one for one in up.ranking}
    for one in down.ranking:
        assert one.rank == 6 - ranks[one.system].rank
        assert (one.rank_low, one.rank_high) == (6 - ranks[one.system].rank_high, 6 - ranks[one.system].rank_low)
    for pair, turned in zip(up.comparisons, down.comparisons, strict=True):
        assert {pair.better, turned.better} == ({None} if pair.better is None else {pair.a, pair.b})


def test_with_a_baseline_ranks_are_those_of_the_resamples(make_mean, five):
    metric = compare(mean_of(make_mean, five), "c", **OPTIONS).metrics["score"]
    assert metric.ranking_of == "outputs"
    assert {one.group for one in metric.ranking} == {None}
    expected = naive_ranks({system.system: system.resampled for system in metric.systems}, 0.95)
    assert {one.system: (one.rank_low, one.rank_high) for one in metric.ranking} == expected


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("baseline", [None, "c"])
def test_the_share_of_resamples_in_which_a_system_is_the_best(make_mean, five, baseline, up):
    five["copy"] = five["e" if up else "a"]
    metric = compare(mean_of(make_mean, five, up), baseline, **OPTIONS).metrics["score"]
    resampled = {system.system: system.resampled for system in metric.systems}
    shares = dict.fromkeys(resampled, 0.0)
    for number in range(400):
        column = {name: (one if up else -one)[number] for name, one in resampled.items()}
        best = [name for name, score in column.items() if score >= max(column.values()) - 1e-9]
        for name in best:
            shares[name] += 1 / 400 / len(best)
    assert {one.system: one.p_best for one in metric.ranking} == pytest.approx(shares)
    assert shares["copy"] == shares["e" if up else "a"] > 0.2


@pytest.mark.parametrize("interval", ["jackknife", "percentile"])
def test_ranks_in_too_few_resamples_are_left_out(make_mean, five, interval):
    """They are read off like a percentile interval: of 39 resamples they would be the lowest and the highest rank."""
    options = {"interval": interval, "n_trials": 2000, "rng": 1}
    if interval == "jackknife":
        few = compare(mean_of(make_mean, five), "c", n_resamples=39, **options).metrics["score"]
        assert (few.ranking, few.ranking_of) == (None, None)
        assert compare(mean_of(make_mean, five), "c", n_resamples=40, **options).metrics["score"].ranking is not None
        options["n_resamples"] = 39
    assert compare(mean_of(make_mean, five), **options).metrics["score"].ranking is not None  # by verdicts


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


@pytest.mark.parametrize(("n_resamples", "is_ranked"), [(39, False), (40, True)])
def test_ranks_in_too_few_resamples_are_null(make_mean, five, n_resamples, is_ranked):
    """At 95 %, an end of the interval of ranks needs one resample beyond it: 40 in all."""
    statistics = mean_of(make_mean, five)
    options = {"interval": "jackknife", "n_trials": 1000, "rng": 1, "n_resamples": n_resamples}
    found = compare(statistics, "a", **options)
    metric = found.metrics["score"]
    assert ((metric.ranking is not None), metric.ranking_of) == (is_ranked, "outputs" if is_ranked else None)
    assert ("ranks (bootstrap)" in format_comparison(found, "text")) == is_ranked
    of_pairs = compare(statistics, **options).metrics["score"]
    assert of_pairs.ranking is not None  # verdicts need no resamples
