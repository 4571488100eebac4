"""Clark et al. (2011) at the edges: few runs, equal scores, systems that the paper does not have."""

from collections import Counter
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import InputError
from mtworkbench.metrics import MeanScore
from mtworkbench.papers import clark2011 as study
from mtworkbench.papers.clark2011.randomization import SINGLE_RUNS
from mtworkbench.papers.simulation.equal_methods import VarianceComponents, make_equal_methods
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

INVERSE = "inverse permutation (MultEval 0.5.1)"


def make_statistics(scores, metric="score") -> SegmentStatistics:
    """Statistics of given scores: (n_runs, n_segments) of each system."""
    values = {name: np.stack([ones, np.ones_like(ones)], axis=2) for name, ones in scores.items()}
    n_segments = next(iter(values.values())).shape[1]
    test_set = TestSet(np.arange(1, n_segments + 1), None, "made up", 1)
    return SegmentStatistics(MeanScore(name=metric, higher_is_better=True), values, test_set)


def make_runs(names=("A", "B"), runs=(5, 5), n_segments=30) -> SegmentStatistics:
    made = make_equal_methods(VarianceComponents(0.5, 0.8, 0.5), n_segments, max(runs), rng=1)
    ones = zip(names, made.values.values(), runs, strict=True)
    return replace(made, values={name: values[:number] for name, values, number in ones})


@pytest.mark.parametrize("n_runs", [1, 2, 3, 4, 5])
def test_uses_of_outputs_are_those_of_all_permutations_and_coins(n_runs):
    """Every permutation with every choice of coins, counted."""
    counted = Counter()
    for order in permutations(range(n_runs)):
        inverse = np.argsort(order)
        for coins in product((0, 1), repeat=n_runs):
            uses = np.zeros((2, n_runs), dtype=int)
            for slot, coin in enumerate(coins):
                uses[coin, order[slot]] += 1
                uses[1 - coin, inverse[slot]] += 1
            counted.update(uses.ravel().tolist())
    shares = {uses: 100 * count / counted.total() for uses, count in counted.items()}
    row = study.count_uses((n_runs,)).set_index("shuffle").loc[INVERSE]
    assert [shares.get(uses, 0.0) for uses in (0, 1, 2)] == pytest.approx(
        row[["never_percent", "once_percent", "more_percent"]].tolist()
    )


def test_five_runs_use_70_percent_of_the_outputs_once():
    row = study.count_uses((5,)).set_index("shuffle").loc[INVERSE]
    assert (row["once_percent"], round(row["rejected_percent"], 1)) == (70.0, 10.1)


# Systems that the paper does not have.


@pytest.mark.parametrize(
    ("names", "known"), [(("A", "B"), True), (("B", "A"), False), (("A", "other"), False), (("x", "y"), False)]
)
def test_the_paper_s_numbers_are_those_of_its_systems(names, known):
    """Whoever calls a corpus "WMT" gets the paper's numbers only for systems with its names."""
    statistics = make_runs(names)
    test = {"WMT": [statistics]}
    table = study.tabulate_variance(test, n_resamples=20, rng=1)
    assert study.table1_beside_paper(table)["paper"].notna().any() == known
    wrong_order = study.wrong_order_beside_paper(table)
    assert wrong_order["paper"].notna().all() == known
    assert ("by the paper's Table 1 (%)" in study.arrange_wrong_order(wrong_order)) == known
    assert ("paper" in study.arrange_beside(study.figures_beside_paper(test))) == known
    pair = [statistics[name] for name in names]
    single = study.randomize_single_runs(*pair, n_trials=50, rng=1)
    drawn = study.randomize_drawn_runs(*pair, [5], n_draws=10, n_trials=50, rng=1)
    table2 = study.tabulate_p_values(single, drawn).assign(corpus="WMT", exchange="run")
    assert ("WMT, paper" in study.arrange_table2(table2)) == known
    judged = study.judge_claims(study.examine_claims(statistics, corpus="WMT", drawn=drawn, rng=1))
    assert ("paper" in judged, "made-up" in judged, "here" in judged) == (known, known, not known)


def test_table_2_and_figures_of_another_metric_are_not_the_paper_s():
    """The paper has BLEU there; its Table 1 has TER, too."""
    random = np.random.default_rng(1)
    statistics = make_statistics({name: random.normal(30, 1, (5, 30)) for name in "AB"}, metric="TER")
    assert study.figures_beside_paper({"WMT": [statistics]})["paper"].isna().all()
    single = study.randomize_single_runs(statistics["A"], statistics["B"], n_trials=50, rng=1)
    drawn = study.randomize_drawn_runs(statistics["A"], statistics["B"], [5], n_draws=10, n_trials=50, rng=1)
    table = study.tabulate_p_values(single, drawn).assign(corpus="WMT", exchange="run")
    assert list(study.arrange_table2(table)) == ["WMT, by run"]
    claims = study.examine_claims(statistics, corpus="WMT", drawn=drawn, rng=1)
    assert claims.loc[claims["claim"] == 6, "paper"].isna().all()
    assert claims.loc[claims["claim"] == 1, "paper"].notna().all()


# Few runs, one system.


def test_numbers_of_runs_on_the_tuning_set_are_carried():
    test, dev = make_runs(runs=(5, 5)), make_runs(runs=(2, 1))
    table = study.tabulate_variance({"mine": [test]}, {"mine": [dev]}, n_resamples=20, rng=1)
    assert table["dev_runs"].tolist() == [2, 1]
    alone = study.tabulate_variance({"mine": [test]}, n_resamples=20, rng=1)
    assert alone["dev_runs"].tolist() == [0, 0]
    assert alone["s_dev"].isna().all()


@pytest.mark.long
def test_the_median_elsewhere_needs_the_same_runs():
    test, dev = make_runs(runs=(5, 5)), make_runs(runs=(2, 1))
    with pytest.raises(InputError, match="'A' has 2 runs on one set and 5 on the other, but runs are matched by num"):
        study.median_elsewhere(dev["A"], test["A"])
    for other in (dev, make_runs(("x", "y")), make_runs(runs=(5, 1))):
        claims = study.examine_claims(test, other, rng=1)
        assert claims.loc[claims["claim"] == 9, "here"].isna().all()
    single = study.examine_claims(make_runs(runs=(1, 1)), make_runs(runs=(1, 1)), rng=1)
    assert single.loc[single["claim"] == 9, "here"].isna().all()
    assert single.loc[single["claim"] == 6, "here"].isna().all()
    judged = study.judge_claims(single.assign(corpus="mine"))
    assert not judged["comment"].str.contains("Not for mine").any()
    assert study.examine_claims(test, test, rng=1).query("claim == 9")["here"].tolist() == pytest.approx([0, 1])


def test_figures_need_two_systems():
    with pytest.raises(InputError, match="'mine' has 1 system, but two are needed to compare their runs"):
        study.figures_beside_paper({"mine": [make_statistics({"A": np.ones((2, 3))})]})


# Scores that are equal.


def test_equal_means_have_no_order():
    """Runs of one score in another order differ by the rounding of floats."""
    runs = np.array([[0.1, 0.2, 0.5], [0.7, 0.9, 0.3], [0.3, 0.4, 0.8]])
    statistics = make_statistics({"A": runs, "B": runs[[2, 0, 1]], "C": runs + 1e-14})
    for other in "BC":
        a, b = statistics["A"], statistics[other]
        row = study.summarize_overlap(a, b).iloc[0]
        assert row["difference"] == 0
        assert np.isnan(row["wrong_order_percent"])
        drawn = study.draw_differences(a, b, n_draws=200, rng=1)
        assert (drawn["expected"] == 0).all()
        assert study.summarize_differences(drawn)["wrong_sign_percent"].isna().all()
    pair = replace(statistics, values={name: statistics.values[name] for name in "AB"})
    table = study.tabulate_variance({"mine": [pair]}, n_resamples=20, rng=1)
    assert study.wrong_order_beside_paper(table)["here"].isna().all()
    claims = study.examine_claims(pair, rng=1)
    assert claims[claims["quantity"].str.contains("wrong order")]["here"].isna().all()


def test_the_wrong_sign_is_that_of_the_means_of_all_runs():
    """The mean of the draws may have another sign than the means of all runs."""
    a, b = (make_statistics({"A": np.array([[0.0], [2.0]]), "B": np.array([[0.1], [2.0]])})[name] for name in "AB")
    drawn = study.draw_differences(a, b, [1], n_draws=3, rng=1).assign(difference=[-2.0, -1.9, 0.1])
    assert drawn["expected"].tolist() == pytest.approx([0.05] * 3)
    assert study.summarize_differences(drawn)["wrong_sign_percent"][0] == pytest.approx(100 * 2 / 3)


@pytest.mark.parametrize("score", [0.0, 0.1, 37.123])
def test_constant_scores_vary_by_nothing_and_not_by_rounding(score):
    statistics = make_statistics({"A": np.full((3, 8), score), "B": np.full((3, 8), score)})
    table = study.tabulate_variance({"mine": [statistics]}, n_resamples=50, rng=1)
    assert table[["s_sel", "s_test"]].eq(0).all().all()
    cuts = study.compare_cuts(statistics, 3, n_resamples=50, rng=1)
    assert cuts[["s_sel", "spread"]].eq(0).all().all()
    assert cuts["ratio"].isna().all()
    claims = study.examine_claims(statistics, statistics, rng=1).set_index("quantity")["here"]
    assert np.isnan(claims["s_test / s_sel"])
    assert np.isnan(claims["spread over 5 parts of the test set / s_sel of a part"])
    assert np.isnan(claims["mean of the resamples - score, in s_sel"])


@pytest.mark.parametrize("n_segments", [2, 8])
def test_a_test_set_too_small_for_parts_has_no_spread_over_them(n_segments):
    """Parts of no segment cannot be made, and the bootstrap of one segment has no spread."""
    claims = study.examine_claims(make_runs(runs=(3, 3), n_segments=n_segments), rng=1)
    assert claims.loc[claims["claim"] == 3, "here"].isna().all()


def test_few_runs_are_shown_one_by_one_and_many_in_bins():
    few, some, many = (make_runs(runs=(runs, runs)) for runs in (9, 10, 20))
    scores = study.arrange_scores(few["A"], few["B"])
    assert scores["score"].tolist() == [*few["A"].score()[0], *few["B"].score()[0]]
    assert scores.groupby("system")["run"].max().to_dict() == {"A": 9, "B": 9}
    assert len(study.arrange_scores(many["A"], many["B"], runs=([1, 2, 3, 4],) * 2)) == 8
    binned = study.arrange_scores(some["A"], some["B"])
    assert binned.groupby("system")["runs"].agg(["sum", "size"]).to_numpy().tolist() == [[10, 9], [10, 9]]
    assert study.bin_scores(many["A"], many["B"]).groupby("system").size().tolist() == [13, 13]
    for pair, is_curve in ((some, False), (many, True)):
        drawn = study.draw_differences(pair["A"], pair["B"], [1, 5], n_draws=50, rng=1)
        arranged = study.arrange_differences(drawn, pair["A"], pair["B"])
        assert ("frequency" in arranged) == is_curve
        assert len(arranged) == (2 * 20 if is_curve else 2)


class TestOtherRuns:
    """Some runs of each system, by their numbers."""

    def test_chosen_runs_are_different_ones_of_each_system_in_order(self):
        pair = [make_runs(runs=(5, 3))[name] for name in "AB"]
        assert study.choose_runs(*pair, 4, anew=False, rng=1) == ([1, 2, 3, 4], [1, 2, 3])
        seen = [study.choose_runs(*pair, 2, rng=seed) for seed in range(300)]
        assert study.choose_runs(*pair, 2, rng=7) == seen[7]
        for place, number in enumerate((5, 3)):
            pairs = Counter(tuple(one[place]) for one in seen)
            expected = {(a, b) for a in range(1, number + 1) for b in range(a + 1, number + 1)}
            assert set(pairs) == expected
            assert min(pairs.values()) > 300 / len(expected) / 2  # none is rare
        joint = Counter((2 in of_a, 2 in of_b) for of_a, of_b in seen)
        assert joint[True, True] / 300 == pytest.approx(
            2 / 5 * 2 / 3, abs=0.08
        )  # one system's say nothing of the other's

    def test_no_run_cannot_be_chosen(self):
        pair = [make_runs()[name] for name in "AB"]
        with pytest.raises(InputError, match="n_runs is 0, but an integer of at least 1"):
            study.choose_runs(*pair, 0, rng=1)

    def test_named_runs_are_shown_in_the_bins_of_all(self):
        some = make_runs(runs=(20, 20))
        a, b = some["A"], some["B"]
        ranked = [study.rank_runs(one) + 1 for one in (a, b)]
        runs = tuple(sorted(one[2:-2].tolist()) for one in ranked)  # none at the ends of what all runs score
        binned, everything = (study.bin_scores(a, b, runs=one, bins=7) for one in (runs, None))
        assert binned["low"].tolist() == everything["low"].tolist()
        edges = [*everything["low"][:7], everything["high"][6]]
        for name, ones in zip("AB", runs, strict=True):
            scores = some[name].score()[0][np.array(ones) - 1]
            assert binned.query("system == @name")["runs"].tolist() == np.histogram(scores, edges)[0].tolist()
        few = ([3, 7], [5])
        frame = study.arrange_scores(a, b, runs=few)
        assert frame["run"].tolist() == [3, 7, 5]
        assert frame["score"].tolist() == [a.score()[0][2], a.score()[0][6], b.score()[0][4]]
        row = study.summarize_overlap(a, b, runs=few).iloc[0]
        assert row["difference"] == pytest.approx(frame["score"][2] - frame["score"][:2].mean())
        with pytest.raises(InputError, match="There is no run 21 of 'A'"):
            study.arrange_scores(a, b, runs=([21], [1]))

    def test_single_runs_can_be_named(self):
        made = make_runs()
        pair = made["A"], made["B"]
        runs = [
            tuple(study.find_run(one, rank) for one, rank in zip(pair, ranks, strict=True)) for ranks in SINGLE_RUNS
        ]
        by_rank, by_number = (study.randomize_single_runs(*pair, runs=one, n_trials=99, rng=1) for one in (None, runs))
        columns = ["run_a", "run_b", "difference", "p_value"]
        assert by_rank[columns].to_numpy().tolist() == by_number[columns].to_numpy().tolist()
        assert by_number["system_a"].tolist() == by_number["run_a"].tolist()


def test_what_the_paper_prints_of_runs_is_said():
    """Of WMT, the rounded averages and deviations allow 2.9 to 37 % (`project_wrong_order`)."""
    assert study.describe_printed_runs("WMT", "BLEU") == (
        "In the paper's Table 1, A has 18.5 BLEU (s_test 0.1), and B 18.7 (s_test 0.2); by these rounded numbers, "
        "single runs are in the wrong order in 2.9 to 37 % of the pairs."
    )
    assert study.describe_printed_runs("WMT", "chrF") == "The paper's Table 1 has no chrF of WMT."
    assert study.describe_printed_p("WMT", "BLEU") == (
        "In the paper's Table 2, p is 0.95 for the high run of A and the low run of B, 0.13 for the median run of A "
        "and the median run of B and 0.003 for the low run of A and the high run of B."
    )
    assert study.describe_printed_p("WMT", "TER") == "The paper's Table 2 has no p of TER on WMT."


def test_draws_of_runs_are_counted_in_words():
    assert study.describe_other_runs([0.5, -0.1, 0.2], 0.3, "BLEU") == (
        "3 draws: the difference of the means lies between -0.10 and +0.50 BLEU (all runs: +0.30); 1 of 3 (33 %) have "
        "the opposite sign."
    )
    assert study.describe_other_runs([0.5], 0.0, "BLEU") == (
        "1 draw: the difference of the means is +0.50 BLEU; over all runs, the means are equal."
    )
    p_values = pd.DataFrame({"old": [0.01, np.nan, 0.3, np.nan], "new": [np.nan, 0.05, np.nan, 0.02]})
    assert study.describe_drawn_tests(p_values, 1.0) == (
        "4 draws: p is at most 0.05 in 3, of which 1 is for old, which scores worse over all runs."
    )
    assert study.describe_drawn_tests(p_values, -1.0).endswith(
        " 3, of which 2 are for new, which scores worse over all runs."
    )
    assert study.describe_drawn_tests(p_values, 0.0).endswith(" the means are equal, so no such difference is real.")
    none, one = p_values[[False, False, True, True]].iloc[:1], p_values[:1]
    assert study.describe_drawn_tests(none, 1.0) == "1 draw: p is above 0.05."
    assert study.describe_drawn_tests(none, 0.0) == "1 draw: p is above 0.05; over all runs, the means are equal."
    assert study.describe_drawn_tests(pd.concat([none, none]), 1.0) == "2 draws: p is at most 0.05 in none."
    assert study.describe_drawn_tests(one, -1.0) == "1 draw: p is at most 0.05."
    assert study.describe_drawn_tests(one, 1.0) == (
        "1 draw: p is at most 0.05, for old, which scores worse over all runs."
    )
    assert study.describe_drawn_tests(pd.concat([one, none]), -1.0) == (
        "2 draws: p is at most 0.05 in 1, of which none are for new, which scores worse over all runs."
    )
    assert study.describe_tunings(pd.DataFrame({"dev": [50.0], "test": [40.0]})) == (
        "1 tuning run: tune again to see another score."
    )
    assert study.describe_tunings(pd.DataFrame({"dev": [50.0, 50.2], "test": [40.0, 41.0]})) == (
        "2 tuning runs: test scores from 40.00 to 41.00; s_dev 0.14, s_test 0.71."
    )
