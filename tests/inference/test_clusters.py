"""WMT's clusters and rank ranges, held against the p, stars and lines that WMT published."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import ttest_rel

from mtworkbench import InputError, MeanScore, compute_statistics, read_da, read_scores
from mtworkbench.inference import cluster_systems
from mtworkbench.inference.clusters import RULES, Rule, count_ranks, rank_sum, signed_rank, walk_ranks
from mtworkbench.metrics import Bleu

NOT_PRINTED = "0.12"  # what the file of p has in place of every p of at least 0.05


def places(result):
    return {one.system: (one.rank_low, one.rank_high, one.cluster) for one in result.systems}


# ---- against WMT


@pytest.fixture
def russian(shared):
    """The folder, the statistics of standardized direct assessment, and the tables of published pairs."""
    folder = shared / "realdata" / "wmt21-da-ru-en"

    def read(name):
        head, *rows = [
            line.split() for line in (folder / name).read_text(encoding="utf-8").splitlines() if line.strip()
        ]
        names = [system.rsplit(".", 1)[0] for system in head]
        return names, {row[0].rsplit(".", 1)[0]: dict(zip(names, row[1:], strict=True)) for row in rows}

    with pytest.warns():
        scores = read_da(folder / "ad-seg-scores-ru-en.csv")
    return folder, compute_statistics(scores, MeanScore("da_z")), read


def test_p_of_all_pairs_are_those_of_wmt21(russian):
    _, statistics, read = russian
    names, published = read("adwilcox-ruen.csv")
    result = cluster_systems(statistics, rule="wmt21")
    assert [one.system for one in result.systems] == names
    tested = {(one.a, one.b): one for one in result.comparisons}
    assert set(tested) == set(combinations(names, 2))
    printed = {pair: published[pair[0]][pair[1]] for pair in tested}
    assert sum(text != NOT_PRINTED for text in printed.values()) == 33
    for pair, text in printed.items():
        if text == NOT_PRINTED:
            assert tested[pair].p_value >= 0.05 and not tested[pair].significant
        else:
            assert tested[pair].p_value == pytest.approx(float(text), rel=1e-12) and tested[pair].significant


def test_differences_and_stars_are_those_of_wmt21(russian):
    _, statistics, read = russian
    names, published = read("ad-DA-diff-wilcoxon-rs-ruen.csv")
    for one in cluster_systems(statistics, rule="wmt21").comparisons:
        text = published[one.a][one.b]
        assert text.count("*") == sum(one.p_value < size for size in (0.05, 0.01, 0.001))
        assert float(text.rstrip("*")) == pytest.approx(one.difference, abs=0.00501)


def test_ranks_and_clusters_follow_from_the_p_of_wmt21(russian):
    """Counted by hand in the published file: 33 significant pairs, and no line that all of them support."""
    _, statistics, read = russian
    names, published = read("adwilcox-ruen.csv")
    wins = {(a, b) for a, b in combinations(names, 2) if published[a][b] != NOT_PRINTED}
    expected = {}
    for name in names:
        low = 1 + len({a for a, b in wins if b == name})
        expected[name] = (low, 11 - len({b for a, b in wins if a == name}), 1)
    assert places(cluster_systems(statistics, rule="wmt21")) == expected
    assert expected["Nemo"] == (1, 5, 1) and expected["Online-Y"] == (9, 11, 1)


def test_system_scores_are_those_of_wmt21(russian):
    folder, statistics, _ = russian
    rows = (folder / "ad-sys-ranking-ru-en-z-names.csv").read_text(encoding="utf-8").splitlines()
    published = {row.split()[4].rsplit(".", 1)[0]: (float(row.split()[1]), int(row.split()[2])) for row in rows}
    found = {one.system: (one.score, one.n_segments) for one in cluster_systems(statistics, rule="wmt21").systems}
    assert {name: n for name, (_, n) in found.items()} == {name: n for name, (_, n) in published.items()}
    for name, (score, _) in published.items():
        assert found[name][0] == pytest.approx(score, abs=0.00051)


# The lines drawn in wmt-conference/ErrorSpanAnnotation, scripts/ESA/experiments/wmt23.py, for English-German.
LINES = {"mqm": (-3.34, -4.33, -5.175, -6.12, -7.504, -10.165, -12.51), "da-sqm": (74.65, 79.75, 83.35, 84.75, 87.2)}


def lines_of_wmt23(shared, name, rule):
    """Return after how many systems lines stand: the published ones, and those of the rule."""
    with pytest.warns():
        scores = read_scores(
            shared / "realdata" / "mt-metrics-eval" / "wmt23" / "human-scores" / f"en-de.{name}.seg.score"
        )
    systems = cluster_systems(compute_statistics(scores, MeanScore(name, higher_is_better=True)), rule=rule).systems
    assert len(systems) == 13
    published = {sum(one.score > line for one in systems) for line in LINES[name]}
    return published, {place for place in range(1, 13) if systems[place].cluster > systems[place - 1].cluster}


def test_lines_between_clusters_are_those_of_wmt23_for_mqm(shared):
    published, found = lines_of_wmt23(shared, "mqm", "wmt25-preliminary")
    assert found == published and len(found) == 7


def test_a_paired_t_test_draws_the_same_lines_for_mqm(shared, monkeypatch):
    """So agreement does not show which test WMT23 used, as docs/rankings.md says."""
    t_test = Rule(
        lambda better, worse: ttest_rel(better, worse, alternative="greater", nan_policy="omit").pvalue,
        True,
        walk_ranks,
    )
    monkeypatch.setitem(RULES, "wmt25-preliminary", t_test)
    published, found = lines_of_wmt23(shared, "mqm", "wmt25-preliminary")
    assert found == published


@pytest.mark.parametrize(("rule", "shared_lines"), [("wmt25-preliminary", 4), ("wmt21", 3)])
def test_not_all_lines_between_clusters_are_those_of_wmt23_for_direct_assessment(shared, rule, shared_lines):
    """So many as docs/rankings.md says; the file has one value per segment, not single ratings."""
    published, found = lines_of_wmt23(shared, "da-sqm", rule)
    assert len(published & found) == shared_lines and len(published) == 5


# ---- against enumeration and formulas


def patterns(n_systems):
    """Every possible outcome of the tests of so many systems."""
    pairs = list(combinations(range(n_systems), 2))
    for chosen in product([False, True], repeat=len(pairs)):
        beats = np.zeros((n_systems, n_systems), dtype=bool)
        for (a, b), wins in zip(pairs, chosen, strict=True):
            beats[a, b] = wins
        yield beats


@pytest.mark.parametrize("n_systems", [2, 3, 4, 5])
def test_counted_ranks_in_every_pattern(n_systems):
    for beats in patterns(n_systems):
        lows, highs, ends = count_ranks(beats)
        everyone = range(n_systems)
        assert list(lows) == [1 + len([other for other in everyone if beats[other, one]]) for one in everyone]
        assert list(highs) == [n_systems - len([other for other in everyone if beats[one, other]]) for one in everyone]
        for end in range(1, n_systems):
            missing = [(a, b) for a in range(end) for b in range(end, n_systems) if not beats[a, b]]
            assert (end in ends) == (not missing)


@pytest.mark.parametrize("n_systems", [2, 3, 4, 5])
def test_walked_ranks_in_every_pattern(n_systems):
    """Step by step from each system to its neighbours, until a difference is significant."""
    for beats in patterns(n_systems):
        ranges = []
        for one in range(n_systems):
            low = high = one
            while low > 0 and not beats[low - 1, one]:
                low -= 1
            while high < n_systems - 1 and not beats[one, high + 1]:
                high += 1
            ranges.append((low + 1, high + 1))
        lows, highs, ends = walk_ranks(beats)
        assert list(zip(lows, highs, strict=True)) == ranges
        crossed = {end for end in range(1, n_systems) for low, high in ranges if low <= end < high}
        crossed |= {end for end in range(1, n_systems) for low, _ in ranges[end:] if low <= end}
        crossed |= {end for end in range(1, n_systems) for _, high in ranges[:end] if high > end}
        assert set(ends) == set(range(1, n_systems)) - crossed


def test_the_two_ways_of_ranking_differ():
    """The first beats the last two only: it may be second by its neighbour, and no better by counting."""
    beats = np.zeros((3, 3), dtype=bool)
    beats[0, 1] = True
    assert [list(found) for found in walk_ranks(beats)] == [[1, 2, 1], [1, 3, 3], []]
    assert [list(found) for found in count_ranks(beats)] == [[1, 2, 1], [2, 3, 3], []]
    beats[0, 2] = True
    assert [list(found) for found in walk_ranks(beats)] == [[1, 2, 2], [1, 3, 3], [1]]
    four = np.zeros((4, 4), dtype=bool)
    four[0, 2] = True
    assert walk_ranks(four)[1][0] == 2 and count_ranks(four)[1][0] == 3


def test_signed_rank_is_that_of_all_signs():
    """Of 2**6 equally likely signs: the share with a sum of positive ranks at least as large; one segment ties."""
    differences = np.array([0.5, -0.2, 1.5, 0.9, -1.1, 2.4])
    ranks = 1 + np.argsort(np.argsort(abs(differences)))
    observed = ranks[differences > 0].sum()
    sums = [sum(rank for rank, up in zip(ranks, ups, strict=True) if up) for ups in product([0, 1], repeat=6)]
    better = np.append(differences + 3, 4)
    worse = np.full(7, 3.0)
    worse[6] = 4
    wanted = np.mean([total >= observed for total in sums])
    assert signed_rank(better[:6], worse[:6]) == pytest.approx(wanted)
    assert signed_rank(better, better) == 1.0
    half = np.array([1.0, np.nan, 2.0])
    assert signed_rank(half, np.array([0.0, 5.0, np.nan])) == pytest.approx(0.5)  # one segment has both


def test_rank_sum_is_that_of_the_formula():
    """Normal approximation with continuity correction and correction for ties; missing scores are left out."""
    better, worse = np.array([5, 3, 3, 9, np.nan]), np.array([2, 3, 1, 4, 7, 2.0])
    wins = sum((a > b) + (a == b) / 2 for a in better[:4] for b in worse)
    n, m = 4, 6
    ties = sum(count**3 - count for count in (3, 2))  # 3 occurs three times, 2 twice
    deviation = np.sqrt(n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1))))
    assert rank_sum(better, worse) == pytest.approx(ndtr(-(wins - n * m / 2 - 0.5) / deviation))
    assert rank_sum(np.ones(5), np.ones(9)) == 1.0
    few = ndtr(
        -(4 - 2 - 0.5) / np.sqrt(2 * 2 / 12 * 5)
    )  # without ties, too, the approximation and not the exact p of 1/6
    assert rank_sum(np.array([3.0, 4]), np.array([1.0, 2])) == pytest.approx(few)


# ---- from statistics to clusters


@pytest.fixture
def three():
    """Segments of very different difficulty: `middle` is a hair worse than `high`, `low` clearly worse than both."""
    draws = np.random.default_rng(3)
    hardness = draws.normal(0, 3, 200)
    high = hardness + 1 + draws.normal(0, 1, 200)
    noise = draws.normal(0, 1, 200)
    return {"low": hardness + draws.normal(0, 1, 200), "high": high, "middle": high - 0.01 + noise - noise.mean()}


def test_paired_scores_separate_what_all_scores_do_not(make_mean, three):
    statistics = make_mean(**three)
    assert places(cluster_systems(statistics)) == {"high": (1, 2, 1), "middle": (1, 2, 1), "low": (3, 3, 2)}
    paired, all_scores = (
        {(one.a, one.b): one.p_value for one in cluster_systems(statistics, rule=rule).comparisons}
        for rule in ("wmt25-preliminary", "wmt21")
    )
    assert paired["high", "low"] < 1e-6 * all_scores["high", "low"]


@pytest.mark.parametrize("rule", ["wmt25-preliminary", "wmt21"])
def test_where_lower_is_better_the_order_turns_round(make_mean, three, rule):
    up = cluster_systems(make_mean(**three), rule=rule)
    penalties = {name: -scores for name, scores in three.items()}
    down = cluster_systems(make_mean(metric=MeanScore("mqm", higher_is_better=False), **penalties), rule=rule)
    assert places(down) == places(up) and (up.higher_is_better, down.higher_is_better) == (True, False)
    for one, other in zip(up.comparisons, down.comparisons, strict=True):
        assert (one.a, one.b, one.p_value, one.difference) == (other.a, other.b, other.p_value, -other.difference)


def test_only_pairs_of_scores_count_at_wmt25_and_all_scores_at_wmt21(make_mean, three):
    high = three["high"].copy()
    high[:150] = np.nan
    statistics = make_mean(high=high, low=three["low"])
    p_values = {
        rule: cluster_systems(statistics, rule=rule).comparisons[0].p_value for rule in ("wmt25-preliminary", "wmt21")
    }
    assert p_values["wmt25-preliminary"] == signed_rank(high[150:], three["low"][150:])
    assert p_values["wmt21"] == rank_sum(high[150:], three["low"])
    assert [one.n_segments for one in cluster_systems(statistics).systems] == [50, 200]
    assert [cluster_systems(statistics, rule=rule).comparisons[0].n_segments for rule in p_values] == [50, 200]


def test_runs_are_averaged(make_mean, three):
    runs = np.stack([three["high"] + 1, three["high"] - 1])
    averaged = cluster_systems(make_mean(high=runs, low=three["low"]))
    assert averaged.systems[0].score == pytest.approx(three["high"].mean())
    assert averaged.systems[0].n_segments == 200


@pytest.mark.parametrize("rule", ["wmt25-preliminary", "wmt21"])
def test_equal_systems_share_one_cluster(make_mean, three, rule):
    result = cluster_systems(make_mean(a=three["low"], b=three["low"]), rule=rule)
    assert places(result) == {"a": (1, 2, 1), "b": (1, 2, 1)}
    assert result.comparisons[0].p_value >= 0.5 and not result.comparisons[0].significant


def test_no_system_is_better_than_one_with_the_same_mean(make_mean):
    """Many small gains and one large loss: the test would speak for a, but its mean is no better."""
    gains = np.ones(20)
    gains[0] = -19
    result = cluster_systems(make_mean(a=gains, b=np.zeros(20)))
    assert result.comparisons[0].p_value < 0.05 and not result.comparisons[0].significant


def test_equal_systems_are_called_different_in_a_tenth_of_cases(make_mean):
    """The direction comes from the scores that are tested: at 5 % one-sided, 10 %; the band holds 99.9 %."""
    draws = np.random.default_rng(5)
    called = sum(
        cluster_systems(make_mean(**dict(zip("ab", draws.normal(size=(2, 60)), strict=True))))
        .comparisons[0]
        .significant
        for _ in range(600)
    )
    assert 38 <= called <= 86


def test_what_cannot_be_clustered(make_mean, make_bleu, three):
    cases = [
        (make_bleu(30), "not-a-mean", "WMT's clusters need one score per segment"),
        (three, "not-a-mean", "An object of type dict was given"),
        (make_mean(metric=MeanScore("mine", higher_is_better=None), **three), "direction", "whether higher mine is"),
        (make_mean(low=three["low"]), "too-few-systems", "The only system is 'low'"),
        (make_mean(**three, refA=np.full(200, np.nan)), "no-scores", "No segment of 'refA' has a score"),
    ]
    for given, code, part in cases:
        with pytest.raises(InputError, match=part) as caught:
            cluster_systems(given)
        assert caught.value.code == code
    with pytest.raises(InputError, match="rule is 'wmt19', but one of 'wmt25-preliminary', 'wmt21' was expected"):
        cluster_systems(make_mean(**three), rule="wmt19")


def test_a_pair_without_a_common_segment_is_refused_only_where_scores_are_paired(make_mean):
    halves = {"a": [1.0, 2, np.nan, np.nan], "b": [np.nan, np.nan, 4, 3.0]}
    with pytest.raises(InputError, match="There is no segment for which both 'b' and 'a' have score") as caught:
        cluster_systems(make_mean(**halves))
    assert caught.value.code == "no-common-scores"
    assert [one.system for one in cluster_systems(make_mean(**halves), rule="wmt21").systems] == ["b", "a"]


def test_how_clusters_are_shown(make_mean, three):
    result = cluster_systems(make_mean(**three))
    assert repr(result).startswith("Clusters(score: 3 systems in 2 clusters; mean:score|")
    assert "|test:clusters|rule:wmt25-preliminary|" in result.signature
    frame, pairs = result.to_frame(), result.pairs_frame()
    assert list(frame) == ["system", "score", "n_segments", "rank_low", "rank_high", "cluster"]
    assert list(pairs) == ["a", "b", "difference", "p_value", "significant", "n_segments"]
    assert (len(frame), len(pairs)) == (3, 3) and list(frame["cluster"]) == [1, 1, 2]
    page = result._repr_html_()
    assert "clusters by the rule wmt25-preliminary" in page and "1-2" in page and result.signature in page
    assert Bleu().name not in page
    penalties = cluster_systems(make_mean(a=three["low"] - 20, b=three["low"] - 30))._repr_html_()
    assert f"{three['low'].mean() - 20:.2f}".replace("-", "−") in penalties.replace("-", "−")
    assert f"{three['low'].mean() - 20:.3f}".replace("-", "−") not in penalties.replace("-", "−")


def test_the_preliminary_rule_of_wmt25_still_has_its_old_name(make_mean, three):
    statistics = make_mean(**three)
    with pytest.warns(DeprecationWarning, match="^rule='wmt25' is now called 'wmt25-preliminary', because") as caught:
        renamed = cluster_systems(statistics, rule="wmt25")
    assert caught[0].filename == __file__
    assert renamed.rule == "wmt25-preliminary" == cluster_systems(statistics).rule
    assert renamed.signature == cluster_systems(statistics).signature
    assert places(renamed) == places(cluster_systems(statistics))
