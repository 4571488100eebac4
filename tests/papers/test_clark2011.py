"""Clark et al. (2011) on small made-up runs: every number is that of the functions it stands for."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from mtworkbench.errors import InputError
from mtworkbench.inference import approximate_randomization, bootstrap_interval
from mtworkbench.inference.runs import lay_end_to_end
from mtworkbench.metrics import Bleu, MeanScore
from mtworkbench.papers import clark2011 as study
from mtworkbench.papers.clark2011.randomization import tabulate_both_exchanges
from mtworkbench.papers.clark2011.scores import draw_runs
from mtworkbench.papers.simulation.mert import Mert
from mtworkbench.papers.simulation.replications import BTEC, load_replications
from mtworkbench.resampling import resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.words.cells import show_p
from scripts.compute_clark2011 import vary_setting
from scripts.make_replications import make_replications


def average_runs(system):
    """Take one run whose statistics are the averages of all runs."""
    return replace(system, values=system.values.mean(axis=0, keepdims=True), given_names=())


LEADING = ["quantity", "paper", "here", "difference"]


def make_runs(n_segments=120, runs=(9, 7), gain=0.02, seed=4) -> SegmentStatistics:
    """BLEU statistics of several runs of two systems, B a little better than A."""
    random = np.random.default_rng(seed)
    lengths = random.integers(6, 30, n_segments)
    ngrams = [np.maximum(lengths - order, 0) for order in range(4)]
    hard, values = random.normal(0, 0.15, n_segments), {}
    for name, n_runs, level in zip("AB", runs, (0.6, 0.6 + gain), strict=True):
        values[name] = []
        for _ in range(n_runs):
            rate = np.clip(level + random.normal(0, 0.01) + hard + random.normal(0, 0.05, n_segments), 0.05, 0.95)
            matches = [random.binomial(count, rate ** (order + 1)) for order, count in enumerate(ngrams)]
            values[name].append(np.stack([lengths, lengths, *matches, *ngrams], axis=1))
        values[name] = np.stack(values[name])
    return SegmentStatistics(Bleu(), values, TestSet(np.arange(1, n_segments + 1), None, "made up", 1))


def make_scored(**scores) -> SegmentStatistics:
    """Runs of two segments whose scores are equal, so that a run's score is given: one array a system."""
    values = {
        name: np.stack([np.column_stack([[score, score], [1, 1]]) for score in ones]) for name, ones in scores.items()
    }
    return SegmentStatistics(MeanScore(higher_is_better=True), values, TestSet(np.arange(1, 3), None, "made up", 1))


TEST, DEV = make_runs(), make_runs(seed=5)
A, B = TEST["A"], TEST["B"]


def test_table_1_is_made_of_the_deviations_that_are_defined_elsewhere():
    table = study.tabulate_variance({"mine": [TEST]}, {"mine": [DEV]}, rng=3)
    assert list(table["system"]) == ["A", "B"]
    for row in table.itertuples():
        scores = TEST[row.system].score()[0]
        assert row.average == pytest.approx(scores.mean(), abs=1e-12)
        assert row.s_test == pytest.approx(np.std(scores, ddof=1), abs=1e-12)
        assert row.s_dev == pytest.approx(np.std(DEV[row.system].score()[0], ddof=1), abs=1e-12)
        interval = bootstrap_interval(TEST[row.system], unit="segment", rng=3)
        assert row.s_sel == pytest.approx(interval.s_sel, abs=1e-12)


def test_what_one_run_or_no_tuning_set_cannot_show_is_a_dash():
    table = study.tabulate_variance({"mine": [make_runs(runs=(1, 2))]}, rng=1)
    assert table["s_dev"].isna().all()
    assert list(table["s_test"].isna()) == [True, False]
    arranged = study.arrange_table1(table)
    assert arranged.loc[("mine", "BLEU", "A"), ["s_dev", "s_test"]].tolist() == ["-", "-"]
    printed = study.arrange_table1(study.read_published("table1"))
    assert printed.loc[("BTEC", "TER", "B")].tolist() == ["28.7", "1.0", "-", "0.2"]


def test_runs_are_named_by_their_rank():
    statistics = make_scored(A=[3.0, 1.0, 4.0, 2.0])
    assert [study.find_run(statistics["A"], which) for which in ("low", "median", "high")] == [2, 4, 3]
    lower = replace(statistics["A"], metric=MeanScore(higher_is_better=False))
    assert [study.find_run(lower, which) for which in ("low", "median", "high")] == [3, 4, 2]
    with pytest.raises(InputError, match="A run can be named 'low', 'median', 'high', but 'best' was asked"):
        study.find_run(statistics["A"], "best")
    with pytest.raises(InputError, match="There is no run 5 of 'A': its runs are numbered 1 to 4"):
        study.take_runs(statistics["A"], [1, 5])


def test_histograms_count_every_run_once():
    frame = study.bin_scores(A, B, bins=12)
    assert frame.groupby("system")["runs"].sum().to_dict() == {"A": 9, "B": 7}
    fewer = study.bin_scores(A, B, runs=([1, 2, 3], [1, 2, 3]), bins=12)
    assert fewer.groupby("system")["runs"].sum().to_dict() == {"A": 3, "B": 3}
    assert (fewer[["low", "high"]] == frame[["low", "high"]]).all().all()


def test_overlap_and_wrong_order_are_counted_over_all_pairs():
    statistics = make_scored(A=[1.0, 2.0, 3.0], B=[2.0, 2.5, 6.0])
    row = study.summarize_overlap(statistics["A"], statistics["B"]).iloc[0]
    # 3 > 2, 3 > 2.5, and 2 = 2, which counts half, of nine pairs.
    assert row["wrong_order_percent"] == pytest.approx(100 * 2.5 / 9)
    assert (row["low"], row["high"]) == (2, 3)
    assert row["inside_percent"] == pytest.approx(100 * 4 / 6)
    mirrored = study.summarize_overlap(statistics["B"], statistics["A"]).iloc[0]
    assert mirrored["wrong_order_percent"] == row["wrong_order_percent"]
    apart = make_scored(A=[1.0, 2.0], B=[3.0, 4.0])
    row = study.summarize_overlap(apart["A"], apart["B"]).iloc[0]
    assert (row["inside_percent"], row["wrong_order_percent"]) == (0, 0)
    assert np.isnan(row["low"])


def test_more_replications_scatter_less_about_the_same_mean():
    drawn = study.draw_differences(A, B, [1, 4], n_draws=4000, rng=2)
    found = study.summarize_differences(drawn).set_index("replications")
    truth = float(B.score().mean() - A.score().mean())
    variance = sum(np.var(system.score()[0]) for system in (A, B))
    for number in (1, 4):
        assert found.loc[number, "standard_deviation"] == pytest.approx(np.sqrt(variance / number), rel=0.06)
        assert found.loc[number, "mean"] == pytest.approx(truth, abs=5 * np.sqrt(variance / number / 4000))
    wrong = study.summarize_overlap(A, B)["wrong_order_percent"][0]
    assert found.loc[1, "wrong_sign_percent"] == pytest.approx(wrong, abs=3)
    bins = study.bin_differences(drawn, bins=20)
    assert np.allclose(bins.groupby("replications")["frequency"].sum(), 1)


def test_only_as_many_replications_as_there_are():
    assert set(study.draw_differences(A, B, rng=1)["replications"]) == {1, 2, 3, 5}
    with pytest.raises(InputError, match="8 runs were to be drawn from 'B', which has 7: ask for 1 to 7"):
        study.draw_differences(A, B, [8], rng=1)


@pytest.mark.parametrize("statistics", [TEST, make_runs(runs=(3, 3), n_segments=60)], ids=["more", "fewer"])
@pytest.mark.parametrize("exchange", ["run", "unit"])
@pytest.mark.parametrize("n_draws", [6, 20])  # fewer and more than there are runs
def test_p_of_each_draw_is_that_of_the_test_itself(statistics, n_draws, exchange):
    a, b = statistics["A"], statistics["B"]
    drawn = study.randomize_drawn_runs(a, b, [1, 3], n_draws=n_draws, n_trials=200, exchange=exchange, rng=7)
    random_key = resolve_rng(7)
    for number in (1, 3):
        chosen = [draw_runs(one, number, n_draws, random_key.sample(place)) for place, one in enumerate((a, b), 1)]
        for row in drawn[drawn["n"] == number].itertuples():
            own = [study.take_runs(one, picked[row.draw - 1] + 1) for one, picked in zip((a, b), chosen, strict=True)]
            own = [lay_end_to_end(one) if exchange == "run" else average_runs(one) for one in own]
            expected = approximate_randomization(own[1], own[0], n_trials=200, unit="segment", rng=random_key)
            assert not expected.exact
            assert row.p_value == expected.p_value
            assert row.difference == pytest.approx(expected.difference, abs=1e-10)


def test_scores_that_are_no_counts_give_the_same_p():
    random = np.random.default_rng(2)
    values = {
        name: np.stack([random.normal(gain, 1, (4, 40)), np.ones((4, 40))], axis=-1)
        for name, gain in (("A", 0), ("B", 0.2))
    }
    statistics = SegmentStatistics(
        MeanScore(higher_is_better=True), values, TestSet(np.arange(1, 41), None, "made up", 1)
    )
    a, b = statistics["A"], statistics["B"]
    drawn = study.randomize_drawn_runs(a, b, [2], n_draws=3, n_trials=300, rng=1)
    chosen = [draw_runs(one, 2, 3, resolve_rng(1).sample(place)) for place, one in enumerate((a, b), 1)]
    own = [study.take_runs(one, picked[2] + 1) for one, picked in zip((a, b), chosen, strict=True)]
    expected = approximate_randomization(own[1], own[0], n_trials=300, unit="segment", exchange="run", rng=1)
    assert drawn["p_value"][2] == expected.p_value


def test_batches_and_numbers_of_draws_change_nothing(monkeypatch):
    whole = study.randomize_drawn_runs(A, B, [2, 5], n_draws=8, n_trials=100, rng=1)
    monkeypatch.setattr("mtworkbench.papers.clark2011.randomization.BATCH_COINS", 120 * 5 * 7)
    pd.testing.assert_frame_equal(study.randomize_drawn_runs(A, B, [2, 5], n_draws=8, n_trials=100, rng=1), whole)
    first = study.randomize_drawn_runs(A, B, [5], n_draws=4, n_trials=100, rng=1)
    assert list(first["p_value"]) == list(whole[whole["n"] == 5]["p_value"])[:4]


@pytest.mark.parametrize("exchange", ["run", "unit"])
def test_coins_of_one_batch_are_held_at_a_time(exchange):
    many = make_runs(20_000, runs=(1, 1))
    tracemalloc.start()
    try:
        study.randomize_drawn_runs(many["A"], many["B"], [1], n_draws=2, n_trials=4_000, exchange=exchange, rng=1)
        assert tracemalloc.get_traced_memory()[1] < 2**28
    finally:
        tracemalloc.stop()


def test_single_runs_are_tested_by_rank():
    table = study.randomize_single_runs(A, B, n_trials=500, rng=6)
    assert list(zip(table["system_a"], table["system_b"], strict=True)) == [
        ("high", "low"), ("median", "median"), ("low", "high"),
    ]  # fmt: skip
    row = table.iloc[2]
    assert (row["score_a"], row["score_b"]) == (A.score().min(), B.score().max())
    expected = approximate_randomization(
        study.take_runs(B, [row["run_b"]]), study.take_runs(A, [row["run_a"]]), n_trials=500, unit="segment", rng=6
    )
    assert (row["p_value"], row["difference"]) == (expected.p_value, expected.difference)
    assert table["p_value"][2] < table["p_value"][0]


def test_the_range_of_p_drops_draws_at_both_ends():
    drawn = pd.DataFrame({"n": 5, "draw": range(1, 251), "p_value": np.arange(250, 0, -1) / 1000})
    row = study.summarize_draws(drawn).iloc[0]
    assert (row["p_low"], row["p_high"]) == (0.007, 0.244)
    assert row["significant_percent"] == 20


def test_table_2_finds_every_cell_of_the_paper():
    single = study.randomize_single_runs(A, B, n_trials=100, rng=1)
    drawn = study.randomize_drawn_runs(A, B, [5], n_draws=10, n_trials=100, rng=1)
    table = study.tabulate_p_values(single, drawn).assign(corpus="WMT", exchange="run")
    arranged = study.arrange_table2(table)
    assert list(arranged.columns) == ["WMT, paper", "WMT, by run"]
    assert arranged.loc[(5, "random", "random"), "WMT, paper"] == "0.001 to 0.38"
    assert arranged.loc[(1, "low", "high"), "WMT, paper"] == "0.003"
    assert arranged.loc[(1, "low", "high"), "WMT, by run"] == show_p(single["p_value"][2], 2)
    alone = study.arrange_table2(table.assign(corpus="mine"))
    assert list(alone.columns) == ["mine, by run"]


def test_table_2_has_both_ways_to_exchange():
    table, drawn = tabulate_both_exchanges(A, B, corpus="mine", rng=1)
    single = study.randomize_single_runs(A, B, rng=1)
    for way in ("run", "unit"):
        assert_frame_equal(drawn[way], study.randomize_drawn_runs(A, B, exchange=way, rng=1))
        expected = study.tabulate_p_values(single, drawn[way]).assign(corpus="mine", exchange=way)
        assert_frame_equal(table[table["exchange"] == way].reset_index(drop=True), expected)


def test_tables_and_figures_beside_the_paper():
    beside = study.table1_beside_paper(study.read_published("table1"))
    assert len(beside) == 40
    assert (beside["difference"] == 0).all()
    equal = make_runs(runs=(7, 7))
    figures = study.figures_beside_paper({"BTEC": [equal], "WMT": [equal]})
    assert list(figures.columns) == [*LEADING, "unit"]
    paper = figures.set_index("quantity")["paper"].dropna()
    assert paper.tolist() == [300, 48.4, 49.9, 1.5, 50, 0.2]
    assert paper["WMT: mean difference of B and A"] == 0.2
    assert study.figures_beside_paper({"mine": [TEST]})["paper"].isna().all()


def test_numbers_of_runs_are_whole_and_those_of_their_system():
    """Of 2 and 3 runs the table said "2.00 runs of each system"."""
    figures = study.figures_beside_paper({"mine": [make_runs(runs=(2, 3))], "BTEC": [make_runs(runs=(4, 4))]})
    shown = study.arrange_beside(figures)
    runs = shown[shown.index.str.contains(": runs of")]
    assert list(runs.itertuples(name=None)) == [
        ("mine: runs of A", "-", "2", "-"),
        ("mine: runs of B", "-", "3", "-"),
        ("BTEC: runs of each system", "300", "4", "-296"),
    ]
    row = figures.set_index("quantity").loc["BTEC: mean score of A"]
    assert shown.loc["BTEC: mean score of A"].tolist() == [
        "48.40", f"{row['here']:.2f}", f"{row['difference']:.2f}",
    ]  # fmt: skip
    assert figures["unit"].tolist() == [*["runs"] * 2, *["BLEU"] * 3, "%", "runs", *["BLEU"] * 3, "%"]


def test_s_sel_is_what_separate_test_sets_show():
    large = make_runs(n_segments=4000, runs=(1, 1))
    sets = study.separate_test_sets(large, 100, rng=1)
    assert len(sets) == 40
    together = np.concatenate([one.test_set.segments for one in sets])
    assert sorted(together) == list(range(1, 4001))
    found = study.compare_with_separate_sets(sets, n_resamples=200, rng=1)
    assert found["ratio"].between(0.7, 1.35).all()
    spread = np.std([one["A"].score()[0, 0] for one in sets], ddof=1)
    assert found["spread"][0] == pytest.approx(spread, abs=1e-12)
    with pytest.raises(InputError, match="Test sets of 70 segments were asked for, but 120 segments do not make two"):
        study.separate_test_sets(TEST, 70, rng=1)
    with pytest.raises(InputError, match="1 test sets were given, but a spread needs at least two"):
        study.compare_with_separate_sets([TEST])


def test_the_median_run_is_looked_up_on_another_set():
    statistics = make_scored(A=[3.0, 1.0, 2.0]), make_scored(A=[5.0, 9.0, 7.0])
    ranks = study.median_elsewhere(*(one["A"] for one in statistics))
    assert ranks["run"].tolist() == [2, 3, 1]
    assert ranks["rank_read_on"].tolist() == [3, 2, 1]


def test_claims_are_computed_from_any_runs():
    claims = study.examine_claims(TEST, DEV, corpus="BTEC", rng=1)
    assert list(claims.columns[:4]) == LEADING
    assert set(claims["claim"]) == set(range(1, 10))
    by_name = claims.set_index("quantity")
    assert by_name.loc["s_test, mean of both systems (BLEU)", "paper"] == pytest.approx(0.45)
    assert by_name.loc["p of single runs, A median and B median", "paper"] == 0.15
    overlap = study.summarize_overlap(A, B)
    wrong = by_name.loc["single runs of each in the wrong order (%)", "here"]
    assert wrong == overlap["wrong_order_percent"][0]
    fewer = by_name.loc["means of 5 runs in the wrong order (%)", "here"]
    assert fewer < wrong
    own = study.examine_claims(make_runs(runs=(2, 2)), rng=1)
    assert own["paper"].notna().sum() == 2  # what the paper says of all test sets
    assert not {2, 9} & set(own["claim"])
    judged = study.judge_claims(claims)
    assert list(judged) == ["claim", "sentence", "holds if", "verdict", "paper", "made-up", "real", "comment"]
    assert set(judged["claim"]) == {*range(1, 10), 11}
    assert judged["claim"].is_monotonic_increasing
    assert not judged.isin(["", "nan"]).drop(columns="comment").any().any()
    assert judged.notna().all().all()


def test_a_partition_uses_every_output_once_and_the_slip_does_not():
    uses = study.count_uses((1, 2, 3, 10)).set_index(["n_runs", "shuffle"])
    for n_runs in (1, 2, 3, 10):
        assert uses.loc[(n_runs, "partition"), "once_percent"] == 100
    slip = uses.xs("inverse permutation (MultEval 0.5.1)", level="shuffle")
    assert list(slip.loc[[1, 2], "once_percent"]) == [100, 100]
    # Of the six permutations of three runs two are not their own inverse; half of their outputs meet a different coin.
    assert slip.loc[3, "never_percent"] == pytest.approx(100 * 2 / 6 / 4)
    assert slip.loc[3, "more_percent"] == slip.loc[3, "never_percent"]
    assert slip.loc[10, "never_percent"] > slip.loc[3, "never_percent"]


def test_what_ships_is_what_the_script_computes():
    shipped = study.read_computed("p_values")
    statistics = load_replications("btec").test.statistics("bleu:tokenize=none")
    own = study.randomize_drawn_runs(statistics["A"], statistics["B"], (1, 5), n_draws=4, rng=1)
    for number in (1, 5):
        computed = own[own["n"] == number]
        expected = shipped.query("corpus == 'BTEC' and metric == 'BLEU' and draw <= 4")
        expected = expected[expected["n"] == number]
        assert np.allclose(expected["p_value"], computed["p_value"], atol=1e-6)
        assert np.allclose(expected["difference"], computed["difference"], atol=1e-6)
    assert (shipped.groupby(["corpus", "metric", "n"]).size() == 250).all()


def test_shipped_draws_meet_what_was_demanded_of_table_2():
    shipped = study.read_computed("p_values").query("corpus == 'BTEC' and metric == 'BLEU'")
    ranges = study.summarize_draws(shipped).set_index("n")
    assert ranges.loc[5, "p_high"] < 0.1
    assert ranges.loc[50, "p_high"] < 0.01
    assert ranges.loc[5, "p_low"] == pytest.approx(1 / 1001, abs=1e-6)


def test_more_restarts_bring_s_dev_down_and_s_test_hardly():
    """What ships of the settings: what a class should see."""
    found = study.examine_settings(study.read_computed("settings")).set_index("quantity")["here"]
    assert found["s_dev with 50 random restarts / with 0"] < 0.4
    assert found["s_test with 50 random restarts / with 0"] > 0.75
    assert found["s_dev with 25 features / with 5"] > 2
    assert len(found) == 12


@pytest.mark.long
def test_a_setting_is_varied_live():
    small = replace(BTEC, n_dev=30, n_test=40, task=replace(BTEC.task, n_references=1))
    few = replace(small, decoders=tuple(replace(one, n_hypotheses=8, n_features=4) for one in BTEC.decoders))
    frame = vary_setting(few, "restarts", (0, 3), n_runs=3, seed=1)
    assert frame["value"].tolist() == [0, 3]
    assert frame["dev"][1] >= frame["dev"][0]
    own = make_replications(replace(few, mert=Mert(3, 5)), n_runs=3, rng=1)
    scores = own.dev.statistics("bleu:tokenize=none")["A"].score()[0]
    assert frame["s_dev"][1] == pytest.approx(np.std(scores, ddof=1), abs=1e-12)
    longer = vary_setting(few, "n_dev", (20, 60), n_runs=2, seed=1)
    assert longer["dev"].nunique() == 2
