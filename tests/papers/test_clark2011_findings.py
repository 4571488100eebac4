"""Sentences about Clark et al.'s tables and figures say what is so on any data; what they are about is right."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from mtworkbench.analyses.calibration import load_calibration
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import approximate_randomization, optimizer_variance
from mtworkbench.inference.runs import lay_end_to_end
from mtworkbench.metrics import MeanScore, Meteor
from mtworkbench.papers import clark2011 as study
from mtworkbench.papers.clark2011.scores import draw_runs
from mtworkbench.papers.clark2011.variance import ratio_ends
from mtworkbench.papers.common.claims import NOT_COMPUTED
from mtworkbench.papers.simulation.equal_methods import VarianceComponents, make_equal_methods
from mtworkbench.papers.simulation.koehn2004 import load_statistics as load_koehn2004_statistics
from mtworkbench.papers.simulation.replications import EXACT_METEOR, load_replications
from mtworkbench.resampling import resolve_rng
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet


def say(describe, *arguments) -> str:
    """Return a description without the breaks inside its lines."""
    text = describe(*arguments)
    assert max(map(len, text.split("\n"))) <= 100
    return text.replace("\n  ", " ")


def average_runs(system):
    """Take one run whose statistics are the averages of all runs."""
    return replace(system, values=system.values.mean(axis=0, keepdims=True), given_names=())


def make_scored(**scores) -> SegmentStatistics:
    """Runs of two segments whose scores are equal, so that a run's score is given: one array per system."""
    values = {
        name: np.stack([np.column_stack([[score, score], [1, 1]]) for score in ones]) for name, ones in scores.items()
    }
    return SegmentStatistics(MeanScore(higher_is_better=True), values, TestSet(np.arange(1, 3), None, "made up", 1))


def make_pair(runs_a=5, runs_b=5, n_segments=40, seed=1) -> SegmentStatistics:
    made = make_equal_methods(VarianceComponents(0.5, 0.8, 0.5), n_segments, max(runs_a, runs_b), rng=seed)
    numbers = {"first": runs_a, "second": runs_b}
    return replace(made, values={name: made.values[name][:runs] for name, runs in numbers.items()})


def name_as_published(statistics) -> SegmentStatistics:
    """Return the same statistics under the paper's names of systems."""
    return replace(statistics, values=dict(zip("AB", statistics.values.values(), strict=True)))


# What the sentences speak of.


@pytest.mark.parametrize("exchange", ["run", "unit"])
def test_p_of_each_draw_is_that_of_the_test_itself_either_way(exchange):
    pair = make_pair(6, 5, n_segments=30)
    a, b = pair["first"], pair["second"]
    drawn = study.randomize_drawn_runs(a, b, [1, 4], n_draws=5, n_trials=150, exchange=exchange, rng=7)
    assert set(drawn["n_trials"]) == {150}
    for number in (1, 4):
        chosen = [draw_runs(one, number, 5, resolve_rng(7).sample(place)) for place, one in enumerate((a, b), 1)]
        for row in drawn[drawn["n"] == number].itertuples():
            own = [study.take_runs(one, picked[row.draw - 1] + 1) for one, picked in zip((a, b), chosen, strict=True)]
            own = [lay_end_to_end(one) if exchange == "run" else average_runs(one) for one in own]
            expected = approximate_randomization(own[1], own[0], n_trials=150, unit="segment", rng=resolve_rng(7))
            assert not expected.exact
            assert row.p_value == expected.p_value
    with pytest.raises(InputError, match="exchange is 'both', but one of 'unit', 'run' was expected"):
        study.randomize_drawn_runs(a, b, [1], exchange="both", rng=7)


@pytest.mark.long
def test_ways_to_exchange_agree_for_single_runs_and_differ_for_several():
    pair = load_replications("wmt").test.statistics("bleu:tokenize=none")
    options = {"n_draws": 3, "n_trials": 300, "rng": 1}
    by_run, by_unit = (
        study.randomize_drawn_runs(pair["A"], pair["B"], [1, 20], exchange=exchange, **options)
        for exchange in ("run", "unit")
    )
    assert by_run["difference"].tolist() == by_unit["difference"].tolist()
    same = by_run["p_value"] == by_unit["p_value"]
    assert same[by_run["n"] == 1].all()
    assert (by_run["p_value"] < by_unit["p_value"])[by_run["n"] == 20].all()


def test_tests_are_asked_about_the_first_runs():
    pair = make_pair(6, 5)
    a, b = pair["first"], pair["second"]
    tests = study.tabulate_tests(a, b, n_trials=300, rng=4)
    assert list(dict.fromkeys(tests["n_runs"])) == [1, 2, 5]
    all_runs = study.tabulate_tests(*(make_pair(3, 4)[name] for name in ("first", "second")), n_trials=50, rng=1)
    assert list(dict.fromkeys(all_runs["n_runs"])) == [1, 2, 3]
    few = [study.take_runs(system, (1, 2)) for system in (a, b)]
    expected = study.compare_tests(*few, n_trials=300, rng=4)
    found = tests[tests["n_runs"] == 2].set_index("test")
    assert found["p_value"].to_dict() == expected
    assert found["difference"].iloc[0] == pytest.approx(few[0].score().mean() - few[1].score().mean())
    shown = study.arrange_tests(tests)
    assert list(shown.columns) == ["1 run", "2 runs", "5 runs"]
    assert shown.loc["crossed", "1 run"] == "-"
    assert shown.loc["exchange by unit", "2 runs"] == f"{expected['exchange by unit']:.2f}"


@pytest.mark.long
def test_p_by_run_goes_to_its_floor_and_p_by_unit_stays():
    """Of the pair that ships: the more runs, the smaller p by run; p by unit depends on the sentences."""
    pair = load_replications("wmt").test.statistics("bleu:tokenize=none")
    tests = study.tabulate_tests(pair["B"], pair["A"], (1, 5, 50), n_trials=500, rng=1)
    p = tests.pivot(index="test", columns="n_runs", values="p_value")
    assert p.loc["exchange by run", 50] == 1 / 501
    assert p.loc["exchange by unit", 50] > 0.1
    assert p.loc["crossed", 50] == pytest.approx(p.loc["exchange by unit", 50], abs=0.05)
    said = say(study.describe_tests, tests)
    assert (
        "rejected at 5 % by these tests: exchange by run, t-test on runs; not rejected by these: exchange by unit, c"
        in said
    )


def test_the_paper_s_table_1_implies_how_often_single_runs_decline():
    implied = study.project_wrong_order(study.read_published("table1"), rounding=0.05)
    wmt = implied.query("corpus == 'WMT' and metric == 'BLEU'").iloc[0]
    assert wmt["wrong_order_percent"] == pytest.approx(100 * scipy.stats.norm.sf(0.2, scale=np.sqrt(0.05)), abs=1e-9)
    assert [round(wmt[name], 1) for name in ("wrong_order_percent", "low", "high")] == [18.6, 2.9, 36.6]
    # The ends by brute force over what may have been printed as 18.5, 18.7, 0.1, 0.2.
    ends = [
        100 * scipy.stats.norm.sf(b - a, scale=np.hypot(s_a, s_b))
        for a in (18.45, 18.55) for b in (18.65, 18.75) for s_a in (0.05, 0.15) for s_b in (0.15, 0.25)
    ]  # fmt: skip
    assert (wmt["low"], wmt["high"]) == pytest.approx((min(ends), max(ends)))
    # Where lower is better the order is the same question.
    ter = implied.query("corpus == 'BTEC' and metric == 'TER'").iloc[0]
    assert ter["wrong_order_percent"] == pytest.approx(100 * scipy.stats.norm.sf(1.5 / np.hypot(0.6, 0.2)))


def test_wrong_orders_by_means_and_deviations_are_those_that_are_counted():
    for corpus in ("btec", "wmt"):
        statistics = load_replications(corpus).test.statistics("bleu:tokenize=none")
        table = study.tabulate_variance({"mine": [statistics]}, n_resamples=40, rng=1)
        projected = study.project_wrong_order(table)["wrong_order_percent"][0]
        counted = study.summarize_overlap(statistics["A"], statistics["B"])["wrong_order_percent"][0]
        assert projected == pytest.approx(counted, abs=1.0)


def test_wrong_orders_at_the_edges():
    row = {"corpus": "c", "metric": "m", "average": [1.0, 1.0], "s_test": [0.0, 0.0]}
    equal = study.project_wrong_order(pd.DataFrame(row | {"s_test": [0.1, 0.1]}))
    assert equal[["wrong_order_percent", "low", "high"]].isna().all().all()  # there is no order
    assert study.project_wrong_order(pd.DataFrame(row | {"average": [1.0, 2.0]}))["wrong_order_percent"].tolist() == [0]
    unknown = study.project_wrong_order(pd.DataFrame(row | {"s_test": [np.nan, 0.1]}))
    assert unknown[["wrong_order_percent", "low", "high"]].isna().all().all()
    assert study.project_wrong_order(pd.DataFrame(row).head(1)).empty


def test_the_shipped_pair_scatters_as_the_paper_s_table_1_allows():
    """Figure 2 of the paper shows that single runs may decline: so do those that ship."""
    statistics = {"WMT": [load_replications("wmt").test.statistics("bleu:tokenize=none")]}
    beside = study.wrong_order_beside_paper(study.tabulate_variance(statistics, n_resamples=40, rng=1))
    row = beside.iloc[0]
    assert row["paper_low"] < row["here"] < row["paper_high"]
    shown = study.arrange_wrong_order(beside)
    assert shown.values.tolist() == [["WMT", "BLEU", f"{row['here']:.1f}", "18.6 [2.9, 37]"]]
    own = beside.assign(paper=np.nan, paper_low=np.nan, paper_high=np.nan, here=np.nan)
    assert study.arrange_wrong_order(own).to_dict("records") == [
        {"corpus": "WMT", "metric": "BLEU", "wrong order (%)": "-"}
    ]
    both = study.arrange_wrong_order(pd.concat([beside, own.assign(here=0.043)]))
    assert both.iloc[1].tolist() == ["WMT", "BLEU", "0.043", "-"]


def test_outputs_used_twice_narrow_the_null_distribution():
    """The formula against shuffles of outputs that share their segment's difficulty."""
    random, n_runs, n_segments, n_trials = np.random.default_rng(3), 3, 400, 2500
    outputs = random.normal(0, 1, (2, n_runs, n_segments)) + random.normal(0, 3, n_segments)
    sums = {"partition": [], "inverse": []}
    for _ in range(n_trials):
        order = np.argsort(random.random((n_runs, n_segments)), axis=0)
        coins = random.integers(0, 2, (n_runs, n_segments))
        columns = np.arange(n_segments)
        for name, other in (("partition", order), ("inverse", np.argsort(order, axis=0))):
            sums[name].append((outputs[coins, order, columns] - outputs[1 - coins, other, columns]).sum())
    uses = study.count_uses((n_runs,)).set_index("shuffle")
    once = uses["once_percent"].iloc[1] / 100
    assert np.var(sums["inverse"]) / np.var(sums["partition"]) == pytest.approx(once, abs=0.08)
    assert uses["rejected_percent"].tolist() == pytest.approx([5, 200 * scipy.stats.norm.sf(1.959964 * once**0.5)])
    assert uses["rejected_percent"].iloc[1] == pytest.approx(7.36, abs=0.01)


def test_ratios_of_deviations_have_the_f_interval():
    random = np.random.default_rng(1)
    low, high = ratio_ends(6, 20)
    ratios = random.normal(size=(4000, 6)).std(axis=1, ddof=1) / random.normal(size=(4000, 20)).std(axis=1, ddof=1)
    assert np.mean((ratios * low <= 1) & (ratios * high >= 1)) == pytest.approx(0.95, abs=0.015)
    assert ratio_ends(20, 20) == pytest.approx(tuple(scipy.stats.f.ppf([0.025, 0.975], 19, 19) ** 0.5))
    assert np.isnan(ratio_ends(1, 20)).all()


@pytest.mark.long
def test_test_sets_are_cut_in_order_or_at_random():
    corpus = load_koehn2004_statistics()
    consecutive = study.separate_test_sets(corpus, 10_000, cut="consecutive")
    assert [one.test_set.segments[0] for one in consecutive] == [1, 10_001, 20_001]
    cuts = study.compare_cuts(corpus, 3000, n_resamples=60, rng=1)
    assert cuts.groupby("cut")["test_sets"].first().to_dict() == {"random": 10, "consecutive": 10}
    by_hand = study.compare_with_separate_sets(study.separate_test_sets(corpus, 3000, rng=1), n_resamples=60, rng=1)
    assert cuts.query("cut == 'random'")["spread"].tolist() == by_hand["spread"].tolist()
    ratio = cuts.query("cut == 'consecutive'")["ratio"]
    assert (ratio > 2).all()
    said = say(study.describe_cuts, cuts)
    assert f"made of consecutive segments: their spread is {ratio.min():.2f} to {ratio.max():.2f} times s_sel." in said
    assert "Consecutive test sets differ more from one another than random ones" in said
    alike = cuts.assign(ratio=1.0)
    assert "With 10 test sets of each kind, no difference between the two spreads is shown." in say(
        study.describe_cuts, alike
    )
    turned = cuts.assign(ratio=np.where(cuts["cut"] == "random", 4.0, 1.0))
    assert "Consecutive test sets differ less" in say(study.describe_cuts, turned)
    with pytest.raises(InputError, match="cut is 'blocks', but one of 'random', 'consecutive' was expected"):
        study.separate_test_sets(corpus, 500, cut="blocks")


# How they are said.


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [(0.0003, 2, "0.0003"), (0.00005678, 2, "0.000057"), (-0.0004, 2, "-0.0004"), (1.005, 1, "1.0"), (0, 2, "0.00"),
     (np.nan, 2, "-"), (0.006, 2, "0.01"), (15.3669, 2, "15.37")],
)  # fmt: skip
def test_what_is_not_zero_is_not_rounded_to_zero(value, digits, shown):
    assert study.show_value(value, digits) == shown


def claims_of(**numbers):
    """Claims as `examine_claims` gives them, of a corpus per keyword."""
    rows = [(key, 5, here, corpus) for corpus, ones in numbers.items() for key, here in ones.items()]
    return pd.DataFrame(rows, columns=["key", "claim", "here", "corpus"]).assign(paper=np.nan)


def judge(key, **numbers):
    """The row of the one sentence that the numbers of a key decide, without those of real outputs."""
    judged = study.judge_claims(claims_of(**{corpus: {key: here} for corpus, here in numbers.items()}))
    (row,) = judged[judged["here"] != NOT_COMPUTED].to_dict("records")
    return row


@pytest.fixture
def no_real_numbers(monkeypatch):
    none = claims_of(real={"nothing": 0.0})
    monkeypatch.setattr(pd, "read_csv", lambda path: none)


@pytest.mark.parametrize(
    ("key", "kept", "missed"),
    [
        ("s_test_to_s_sel", 0.25, 0.24), ("s_test_to_s_dev", 1.01, 1.0), ("spread_of_parts", 0.8, 0.79),
        ("spread_of_halves", 1.25, 1.26), ("spread_of_test_sets", 1.2, 15.6), ("bootstrap_shift", -0.1, -0.11),
        ("inside", 5.0, 4.9), ("wrong_order_1", 0.1, 0.0), ("wrong_order_3", 5.0, 5.1),
        ("same_system_BLEU", 5.0, 5.1), ("median_off", 24.9, 25.0),
    ],
)  # fmt: skip
def test_verdicts_are_computed_by_the_rule_that_is_shown(no_real_numbers, key, kept, missed):
    assert judge(key, x=kept)["verdict"] == "holds"
    assert judge(key, x=kept, y=kept)["comment"] == ""
    both = judge(key, x=kept, other=missed)
    assert both["verdict"] == "holds in part"
    assert both["comment"].endswith(". (The claim does not hold for other.)")
    fails = judge(key, x=missed)
    assert fails["verdict"] == "does not hold"
    assert fails["comment"].endswith(".")
    assert "Not for" not in fails["comment"]


def test_sentences_on_two_numbers_need_both(no_real_numbers):
    rising = {"significant_run_1": 20.0, "significant_run_3": 90.0, "significant_run_50": 30.0}
    judged = study.judge_claims(claims_of(x=rising, y={"significant_unit_1": 20.0, "significant_unit_50": 0.0}))
    rows = judged[judged["claim"] == 7].to_dict("records")
    assert [(row["here"], row["verdict"]) for row in rows[:2]] == [
        ("x: 20.00 to 30.00", "holds"),
        ("y: 20.00 to 0.00", "does not hold"),
    ]
    for high_low, low_high, holds in (
        (0.06, 0.01, True),
        (0.05, 0.01, False),
        (0.06, 0.02, False),
        (0.01, 0.06, True),
    ):
        judged = study.judge_claims(
            claims_of(x={"p_high_low": high_low, "p_median_median": 0.2, "p_low_high": low_high})
        )
        (row,) = judged[judged["claim"] == 6].to_dict("records")
        assert row["here"] == f"x: {high_low:.4f} and {low_high:.4f}"
        assert row["verdict"] == ("holds" if holds else "does not hold")
    for key in ("p_high_low", "significant_run_1", "significant_unit_1"):
        alone = study.judge_claims(claims_of(x={key: 0.5}))
        assert set(alone["verdict"]) == {"not testable here"}


def test_what_is_significant_with_every_number_of_runs_does_not_contradict_the_paper(no_real_numbers):
    judged = study.judge_claims(
        claims_of(
            x={"significant_run_1": 100.0, "significant_run_3": 100.0},
            y={"significant_unit_1": 60.0, "significant_unit_3": 60.0},
        )
    )
    rows = judged[judged["claim"] == 7].to_dict("records")
    assert [row["verdict"] for row in rows[:2]] == ["holds", "does not hold"]


def test_a_gain_that_is_trusted_is_one_of_bleu(no_real_numbers):
    """One point of another metric is another amount."""
    assert set(study.judge_claims(claims_of(x={"same_system_TER": 50.0}))["verdict"]) == {"not testable here"}


def test_a_corpus_may_be_called_as_a_real_one(monkeypatch):
    monkeypatch.setattr(pd, "read_csv", lambda path: claims_of(**{"de-en": {"inside": 50.0}}))
    judged = study.judge_claims(claims_of(**{"de-en": {"inside": 0.0}}))
    (row,) = judged[judged["here"] != NOT_COMPUTED].to_dict("records")
    assert (row["here"], row["real"], row["verdict"]) == ("de-en: 0.00", "de-en: 50.00", "holds in part")
    assert row["comment"].endswith("(The claim does not hold for de-en.)")
    failing = study.judge_claims(claims_of(**{"": {"wrong_order_3": 9.0, "inside": 60.0}}))
    (row,) = failing[failing["here"] == "9.00"].to_dict("records")  # a corpus without a name
    assert row["verdict"] == "does not hold"


def test_real_numbers_alone_give_no_verdict_here(monkeypatch):
    monkeypatch.setattr(pd, "read_csv", lambda path: claims_of(real={"spread_of_test_sets": 15.6, "inside": 50}))
    judged = study.judge_claims(claims_of(mine={"nothing": 1.0}))
    assert set(judged["verdict"]) == {"not testable here"}
    commented = judged[judged["comment"] != ""]
    assert commented["real"].tolist() == ["real: 15.60"]
    assert commented["comment"].iloc[0].endswith("(The claim does not hold for real (real).)")


def test_what_has_no_number_is_not_testable(no_real_numbers):
    judged = study.judge_claims(claims_of(mine={"nothing": 1.0}))
    assert set(judged["verdict"]) == {"not testable here"}
    assert set(judged["here"]) | set(judged["real"]) == {"not computed"}
    assert "paper" not in judged


def test_five_runs_are_not_fifty(no_real_numbers):
    """The key of 5 runs begins that of 50."""
    shares = {"significant_run_5": 58.0, "significant_run_50": 100.0, "significant_unit_5": 7.0}
    judged = study.judge_claims(claims_of(x=shares))
    rows = judged[judged["sentence"].str.contains("very likely")].to_dict("records")
    assert [(row["here"], row["verdict"]) for row in rows] == [
        ("x: 58.00", "does not hold"),
        ("x: 7.00", "does not hold"),
    ]


def test_the_bootstrap_is_judged_by_how_much_more_often_it_errs(no_real_numbers):
    rows = [
        (number, test, percent)
        for test, percents in (("randomization", (5, 5.5)), ("shifted", (7.5, 5)), ("wins", (10, 11)))
        for number, percent in zip((20, 2000), percents, strict=True)
    ]
    errors = pd.DataFrame(rows, columns=["segments", "test", "rejected_percent"])
    claims = study.examine_bootstrap_errors(errors)
    assert claims["here"].tolist() == [2.5, -0.5, 5, 5.5]
    shifted, wins = study.judge_claims(claims).query("claim == 11").to_dict("records")
    assert (shifted["here"], shifted["verdict"]) == ("20 segments: 2.50; 2,000 segments: -0.50", "holds in part")
    assert wins["verdict"] == "holds"


def test_settings_are_judged_by_their_intervals(no_real_numbers):
    frame = pd.DataFrame({"setting": ["restarts", "restarts", "n_dev", "n_dev"], "value": [0, 50, 50, 800]})
    frame = frame.assign(system="A", runs=20, dev=1.0, test=1.0, s_dev=[0.5, 0.1, 0.4, 0.41], s_test=0.4)
    [row] = study.judge_claims(study.examine_settings(frame)).query("claim == 10").to_dict("records")
    assert (row["here"], row["verdict"]) == ("made-up BTEC: 1 of 2", "holds in part")
    assert row["comment"].endswith(" (Clear effects: random restarts.)")
    judged = study.judge_claims(study.examine_settings(frame.assign(s_dev=0.4)))
    [alike] = judged.query("claim == 10").to_dict("records")
    assert (alike["here"], alike["verdict"]) == ("made-up BTEC: 0 of 2", "does not hold")
    assert alike["comment"] == "Within the values that were tried, the settings show no clear effect."


def test_the_paper_s_numbers_are_shown_as_printed():
    claims = study.examine_claims(name_as_published(make_pair(3, 3)), corpus="BTEC", rng=1)
    judged = study.judge_claims(claims)
    row = judged.query("claim == 6").iloc[0]
    assert row["paper"] == "BTEC: 0.25 and 0.0003"
    assert row["real"].endswith("E2E NLG: 0.1224 and <0.0001")
    # What claim 3 has in the paper's column is what it means.
    assert set(judged.query("claim == 3")["paper"]) == {"in words"}
    pair = make_pair(3, 3)
    a, b = pair["first"], pair["second"]
    by_unit = study.randomize_drawn_runs(a, b, [1, 3], exchange="unit", n_draws=20, rng=1)
    again = study.examine_claims(pair, corpus="mine", by_unit=by_unit, rng=1)
    shares = 100 * (by_unit["p_value"] <= 0.05).groupby(by_unit["n"]).mean()
    assert again.set_index("key").loc["significant_unit_3", "here"] == shares[3]


def test_claims_on_single_runs_say_nothing_of_their_order():
    claims = study.examine_claims(make_pair(1, 1), corpus="mine", rng=1)
    assert not claims["quantity"].str.contains("order").any()
    assert claims.loc[claims["claim"] == 1, "here"].isna().all()
    judged = study.judge_claims(claims)
    assert "paper" not in judged
    assert judged.query("claim == 1")["here"].tolist() == ["not computed"]
    # The best run is the worst one.
    assert judged.query("claim == 6")["verdict"].tolist() == ["not testable here"]


def test_table_2_has_both_ways_to_exchange():
    pair = name_as_published(make_pair(5, 5))
    a, b = pair["A"], pair["B"]
    single = study.randomize_single_runs(a, b, n_trials=1000, rng=1)
    tables = []
    for exchange in ("run", "unit"):
        drawn = study.randomize_drawn_runs(a, b, [5], n_draws=40, n_trials=1000, exchange=exchange, rng=1)
        tables.append(study.tabulate_p_values(single, drawn).assign(corpus="WMT", exchange=exchange))
    both = pd.concat(tables)
    shown = study.arrange_table2(both)
    assert list(shown.columns) == ["WMT, paper", "WMT, by run", "WMT, by unit"]
    assert shown.loc[(5, "random", "random"), "WMT, paper"] == "0.001 to 0.38"
    for other in (both.assign(corpus="mine"), both.assign(experimental="other"), both.assign(metric="TER")):
        assert [name for name in study.arrange_table2(other).columns if "paper" in name] == []


def test_no_columns_of_the_paper_for_corpora_that_it_does_not_have():
    test = {"mine": [make_pair(2, 3)]}
    table = study.tabulate_variance(test, n_resamples=40, rng=1)
    assert list(study.arrange_beside(study.table1_beside_paper(table)).columns) == ["here"]
    assert list(study.arrange_beside(study.figures_beside_paper(test)).columns) == ["here"]
    paper = study.arrange_beside(study.table1_beside_paper(study.read_published("table1")))
    assert list(paper.columns) == ["paper", "here", "difference"]


def test_single_runs_show_no_order():
    test = {"mine": [make_pair(1, 1)]}
    figures = study.arrange_beside(study.figures_beside_paper(test))
    assert figures.loc["mine: single runs of each in the wrong order (%)", "here"] == "-"
    assert "Each has one run, so the order that other runs would show is unknown." in say(study.describe_overlap, test)


def test_pairs_are_the_first_two_systems():
    statistics = make_scored(x=[1.0], y=[2.0, 3.0], z=[4.0])
    test = {"one": [statistics], "two": make_scored(A=[1.0, 2.0], B=[1.0])}
    assert say(study.describe_pairs, test) == (
        "one: A is x (1 run), B is y (2 runs); 1 more system is not in the figures and tests.\n"
        "two: A (2 runs), B (1 run)."
    )
    first, last = study.figure_pairs(test)
    assert [system.system for system in (*first, *last)] == ["x", "y", "A", "B"]
    assert [pair[0].system for pair in study.figure_pairs({"one": statistics})] == ["x", "x"]
    with pytest.raises(InputError, match="'one' has 1 system, but two are needed to compare their runs"):
        study.choose_pairs({"one": make_scored(x=[1.0, 2.0])})


def variance_row(runs, s_sel, s_dev, s_test, system="A", dev_runs=None):
    return {"corpus": "c", "metric": "m", "system": system, "runs": runs, "average": 1.0, "s_sel": s_sel,
            "s_dev": s_dev, "s_test": s_test, "dev_runs": runs if dev_runs is None else dev_runs}  # fmt: skip


def test_deviations_are_compared_row_by_row():
    table = pd.DataFrame([variance_row(300, 1.0, 0.2, 0.5), variance_row(3, 0.1, 0.2, 0.3, "B")])
    said = say(study.describe_variance, table).split("\n")
    assert said[0].startswith("s_sel is larger than s_test in 1 of 2 rows: there, another test set")
    assert said[1] == (
        "s_test is larger than s_dev in 2 of 2 rows; in 1 of them the 95 % CI of the ratio s_test / s_dev lies above 1."
    )
    small = say(study.describe_variance, pd.DataFrame([variance_row(5, 0.1, 0.5, 0.2)]))
    assert small == "s_sel is larger than s_test in 0 of 1 row.\ns_test is larger than s_dev in 0 of 1 row."
    single = say(study.describe_variance, pd.DataFrame([variance_row(1, 1.0, np.nan, np.nan, name) for name in "xy"]))
    assert single == (
        "s_test is unknown for x and y: one run does not show how much runs vary.\n"
        "s_dev is unknown: there is no tuning set with several runs."
    )


def test_few_runs_on_either_set_are_taken_into_account():
    one_run = pd.DataFrame([variance_row(1, 1.0, 0.2, np.nan, dev_runs=4)])
    assert say(study.describe_variance, one_run) == (
        "s_test is unknown for A: one run does not show how much runs vary.\n"
        "No row has both s_test and s_dev, so the two cannot be compared."
    )
    # With 300 runs on both sets, 0.2 and 0.3 differ clearly; with three on the tuning set, they do not.
    for dev_runs, clear in ((300, 1), (3, 0)):
        said = say(study.describe_variance, pd.DataFrame([variance_row(300, 1.0, 0.2, 0.3, dev_runs=dev_runs)]))
        assert f"in 1 of 1 row; in {clear} of them the 95 % CI of the ratio s_test / s_dev lies above 1." in said
    zero = say(study.describe_variance, pd.DataFrame([variance_row(9, 1.0, 0.0, 0.3), variance_row(9, 1.0, 0.1, 0.9)]))
    assert zero.endswith(
        "s_test is larger than s_dev in 2 of 2 rows; in 1 of them the 95 % CI of the ratio s_test / s_dev lies above "
        "1, and in 1 the ratio is undefined, because s_dev is 0."
    )


def test_equal_means_are_said_to_have_no_order():
    runs = [1.1, 2.2, 4.5]
    statistics = make_scored(A=runs, B=runs[::-1])
    _, said = describe_drawn(statistics)
    assert said.endswith("\nOver all runs, A and B have the same mean score, so neither sign is wrong.")
    assert "wrong sign" not in said
    table = study.tabulate_variance({"c": [statistics]}, n_resamples=20, rng=1)
    assert study.arrange_wrong_order(study.wrong_order_beside_paper(table))["wrong order (%)"].tolist() == ["-"]


def test_overlap_is_said_for_each_order():
    better, worse, same = [3.0, 4.0], [1.0, 2.0], [2.0, 3.0]
    assert say(study.describe_overlap, {"c": make_scored(A=worse, B=better)}) == (
        "c: over 2 runs of each, the mean score of B is 2.00 higher than that of A. None of the 4 pairs of runs shows "
        "the opposite order."
    )
    said = say(study.describe_overlap, {"c": make_scored(A=same, B=[*worse, 2.0])})
    assert "c: over 2 and 3 runs, the mean score of B is 0.83 lower than that of A. " in said
    assert said.endswith("16.67 % of the 6 pairs of runs show the opposite order (a tie counts half).")
    assert say(study.describe_overlap, {"c": make_scored(A=same, B=same)}) == (
        "c: over 2 runs of each, A and B have the same mean score, so neither order is wrong."
    )


def describe_drawn(statistics, **options):
    drawn = study.draw_differences(statistics["A"], statistics["B"], rng=1, **options)
    found = study.summarize_differences(drawn)
    return found, say(study.describe_differences, found, statistics["A"], statistics["B"])


def test_observed_differences_are_said_for_the_fewest_and_the_most_runs():
    found, said = describe_drawn(make_scored(A=[1.0, 2.0, 3.0], B=[2.0, 3.0, 4.5]))
    lines = said.split("\n")
    assert len(lines) == 2
    wrong = found["wrong_sign_percent"].iloc[0]
    assert lines[0].startswith("With 1 run of each system, 95 % of the differences lie between -1.00 and +3.50 score; ")
    assert f"{wrong:.2f} % have the wrong sign" in lines[0]
    assert lines[1].startswith("With 3 runs of each system")
    _, said = describe_drawn(make_scored(A=[1.0, 2.0], B=[5.0, 6.0]))
    assert said.count("none has the wrong sign.") == 2
    _, said = describe_drawn(make_scored(A=[1.0], B=[2.0]))
    assert said == (
        "A and B have one run each, so there is one difference (+1.00 score); how far the differences of other runs "
        "would scatter is unknown."
    )
    _, said = describe_drawn(make_scored(A=[1.0], B=[2.0, 3.0]))
    assert said.endswith("A has one run: the scatter of its runs is missing here.")


def test_settings_are_compared_with_the_uncertainty_of_their_runs():
    frame = pd.DataFrame({"setting": "restarts", "value": [0, 2, 50], "system": "A", "runs": 20, "dev": 1, "test": 1,
                          "s_dev": [0.5, 0.9, 0.1], "s_test": [0.4, 0.1, 0.5]})  # fmt: skip
    compared = study.compare_settings(frame)
    low, high = ratio_ends(20, 20)
    assert compared.loc[0, ["ratio", "low", "high"]].tolist() == pytest.approx([0.2, 0.2 * low, 0.2 * high])


def make_settings(value=(0, 10), s_dev=(0.3, 0.2), s_test=(0.4, 0.2), system="A", runs=20) -> pd.DataFrame:
    return pd.DataFrame({"setting": "restarts", "value": value, "system": system, "runs": runs, "dev": 1.0, "test": 1.0,
                         "s_dev": s_dev, "s_test": s_test})  # fmt: skip


def test_settings_that_cannot_be_compared_are_not_compared():
    one_value = make_settings((10,), (0.3,), (0.4,))
    assert study.compare_settings(one_value).empty
    alike = study.compare_settings(make_settings(s_dev=(0.0, 0.2), s_test=(0.4, 0.4)))
    assert alike["low"].notna().tolist() == [False, True]


def test_cuts_of_constant_scores_are_not_compared():
    constant = make_scored(A=[1.0], B=[2.0]).take(np.zeros(6, dtype=int))
    said = say(study.describe_cuts, study.compare_cuts(constant, 3, n_resamples=20, rng=1)).split("\n")
    assert said == [
        f"2 test sets of 3 segments, {cut}: s_sel is 0, so their spread cannot be compared with it."
        for cut in ("drawn at random from all segments", "made of consecutive segments")
    ]
    cuts = study.compare_cuts(load_koehn2004_statistics(), 3000, n_resamples=20, rng=1)
    cuts.loc[cuts["cut"].eq("random") & cuts["system"].eq("Danish"), "ratio"] = np.nan
    assert "times s_sel (5 of 6 systems; for the others, s_sel is 0)." in say(study.describe_cuts, cuts)


def make_tests(*rows):
    return pd.DataFrame(rows, columns=["n_runs", "test", "p_value", "n_trials"]).assign(difference=0.1)


def test_tests_are_said_whatever_they_answer():
    one = make_tests((1, "exchange by unit", 0.3, 999), (1, "exchange by run", 0.3, 999), (1, "crossed", np.nan, 999))
    assert say(study.describe_tests, one) == (
        "With 1 run of each system, the hypothesis of no difference is not rejected by these: exchange by unit, "
        "exchange by run.\nWith one run of each, the two exchanges are the same test. The t-test and the crossed "
        "analysis need at least two runs of each system."
    )
    more = make_tests(
        (1, "exchange by unit", 0.001, 999),
        (2, "exchange by unit", 0.001, 999),
        (2, "crossed", 1e-9, 999),
        (2, "t-test on runs", np.nan, 999),
    )
    assert say(study.describe_tests, more) == (
        "With 2 runs of each system, the hypothesis of no difference is rejected at 5 % by these tests: exchange by "
        "unit, crossed."
    )


@pytest.mark.parametrize(
    ("p", "shown", "verdict"),
    [(0.0504, "0.0504", "not rejected"), (0.04996, "0.0500", "rejected"), (0.05, "0.0500", "rejected"),
     (0.0514, "0.0514", "not rejected"), (0.050004, "0.050004", "not rejected")],
)  # fmt: skip
def test_a_p_just_above_the_level_is_not_shown_as_the_level(p, shown, verdict):
    said = say(study.describe_tests, make_tests((2, "crossed", p, 999)))
    assert f"the hypothesis of no difference is {verdict} " in said
    assert study.arrange_tests(make_tests((2, "crossed", p, 999))).loc["crossed", "2 runs"] == shown


def test_nulls_are_named():
    names = [
        study.name_null(*null) for null in ((0, 0.4, 0.5, 3), (0, 0.8, 0.5, 3), (0.5, 0, 0.5, 10), (0.5, 0.4, 0.5, 1))
    ]
    assert names == [
        "runs differ, 3 runs", "runs differ a lot, 3 runs", "methods differ by sentence, 10 runs",
        "methods differ by sentence and runs differ, 1 run",
    ]  # fmt: skip
    assert study.name_null(0, 0, 0.5, 2) == "only single outputs differ, 2 runs"
    sizes = study.read_computed("sizes")
    assert study.arrange_sizes(sizes, named=True).index.is_unique


def test_what_real_test_sets_show_is_read_from_the_file():
    claims = pd.read_csv(find_shipped("data/real/clark2011_claims.csv")).set_index("key")["here"]
    whole = claims["spread_of_test_sets"]
    assert f"spread {whole:.1f} times as much as s_sel says" in say(study.describe_real_test_sets)
    said = say(study.describe_real_differences)
    found = study.read_real_test_sets()
    assert f"spreads {found['ratio'].min():.1f} to {found['ratio'].max():.1f} times as much" in said
    only_here = found[found["shown"] & ~found["shown_for_new"]]
    assert len(only_here)
    assert all(f"{one.a} - {one.b} ({one.difference:+.2f};" in said for one in only_here.itertuples())


def test_what_real_runs_show_is_read_from_the_file():
    claims = pd.read_csv(find_shipped("data/real/clark2011_claims.csv")).set_index(["corpus", "key"])["here"]
    runs, exchanges = say(study.describe_real_runs), say(study.describe_real_exchanges)
    names = {"cs-en, 3 runs": "Czech-English translation", "E2E NLG, 5 runs": "Generated descriptions of restaurants"}
    for corpus, name in names.items():
        found, n_runs = claims[corpus], corpus.split(", ")[1]
        n, opposite = n_runs.split()[0], f"{found['wrong_order_1']:.0f} % of the pairs of runs show the opposite order."
        assert f"{name} ({n_runs}): s_test is {found['s_test_to_s_sel']:.2f} times s_sel; {opposite}" in runs
        by_run, by_unit = (f"{found[f'significant_{exchange}_{n}']:.0f} %" for exchange in ("run", "unit"))
        assert f"p is at most 0.05 in {by_run} of the draws by run, and in {by_unit} by unit." in exchanges


def test_meteor_of_one_module_is_labelled_and_laid_beside_the_paper_s():
    pair = load_replications("btec").test.statistics(EXACT_METEOR)
    few = replace(pair, values={name: pair.values[name][:3] for name in "AB"})
    table = study.tabulate_variance({"BTEC": [few]}, n_resamples=20, rng=1)
    assert set(table["metric"]) == {"METEOR (exact)"}
    beside = study.table1_beside_paper(table).set_index("quantity")
    assert beside.loc["BTEC METEOR (exact), system B: s_test", "paper"] == 0.5
    # The order of two systems under another METEOR is no repetition of the paper's.
    assert study.wrong_order_beside_paper(table)["paper"].isna().all()
    assert study.name_metric(Meteor()) == "METEOR"


def test_errors_of_randomization_and_bootstrap_are_those_that_were_counted():
    errors = study.read_bootstrap_errors()
    counted = load_calibration().query("cell == 'bleu-20-segments' and quantity == 'size'").set_index("test")["percent"]
    shown = study.arrange_bootstrap_errors(errors)
    assert shown.loc[20].tolist() == counted[["ar", "riezler-maxwell", "koehn2004"]].tolist()
    assert list(shown.columns) == list(dict.fromkeys(errors["test"]))
    assert sorted(set(errors["segments"])) == list(shown.index) == [20, 50, 100, 500, 2000]


def test_the_run_to_read_is_the_median_of_the_other_set():
    test, dev = make_scored(A=[3.0, 1.0, 2.0], B=[1.0, 5.0, 4.0]), make_scored(A=[5.0, 9.0, 7.0], B=[1.0, 2.0, 3.0])
    dev = replace(dev, test_set=replace(dev.test_set, references="other"))
    options = {"n_resamples": 40, "rng": 1}
    said = say(study.describe_median_runs, optimizer_variance(test, dev, **options)).split("\n")
    of_a = (
        "A: read run 3, the median on the tuning set. Its score on the test set is 2.00; 1 of 3 runs has a higher one."
    )
    of_b = of_a.replace("A: read run 3", "B: read run 2").replace("2.00; 1 of 3 runs has", "5.00; 0 of 3 runs have")
    assert said == [of_a, of_b]
    alone = say(study.describe_median_runs, optimizer_variance(test, **options)).split("\n")
    assert alone[1].startswith("B: read run 3, the median on the test set itself. Its score on the test set is 4.00; 1")
    assert alone[2] == "If you have other data, choose the median run on them rather than on the test set."
    with pytest.warns(DataWarning, match="Fewer than 3 runs"):
        single = optimizer_variance(make_scored(A=[1.0]), **options)
    assert say(study.describe_median_runs, single) == "A: read its only run."
