"""A plan in words, in a table, in a figure, behind controls, and in a terminal: all of it from the plan's numbers."""

import csv
import io
import json
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from mtworkbench import cli, plan_test_set, read_outputs, widgets
from mtworkbench.errors import InputError
from mtworkbench.metrics import MeanScore
from mtworkbench.plots import plot_power
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet, compute_statistics
from mtworkbench.tables import format_plan
from mtworkbench.words.cells import round_up
from mtworkbench.words.plans import explain_plan, tabulate_plan, title_plan

from .drawn import texts_of

WORDS = ["the", "a", "cat", "dog", "house", "sees", "runs", "sleeps", "old", "new", "red", "and", "but", "in", "on"]


def statistics_of(n_runs=1, names=("base", "new"), n_segments=60, documents=False, run_sd=0.1, metric="COMET"):
    draws = np.random.default_rng(1)
    shared = draws.normal(size=n_segments)
    values = {}
    for gain, name in enumerate(names):
        runs = shared + 0.2 * gain + draws.normal(0, run_sd, (n_runs, 1)) + draws.normal(size=(n_runs, n_segments))
        values[name] = np.stack([runs, np.ones(runs.shape)], axis=-1)
    labels = np.array([f"d{place // 5}" for place in range(n_segments)], dtype=object) if documents else None
    return SegmentStatistics(
        MeanScore(name=metric, higher_is_better=True), values, TestSet(np.arange(1, n_segments + 1), labels, "x", 1)
    )


def plan(n_runs=1, *, options=(), **made):
    statistics = statistics_of(n_runs, **made)
    base, new = list(statistics)[:2]
    return plan_test_set(statistics[new], statistics[base], **dict(options))


# ---- words

# 59 / 82.12 and 59 / 39.66, of chi-square with 59 degrees of freedom
ROUGH = (
    "These numbers are rough: the true variance can be 0.72 to 1.5 times the estimated one (60 segments; 95 % CI), and "
    "so can the number of segments needed."
)


def rounded(number):
    """Write a number with three significant digits, rounded up."""
    step = 10 ** max(0, len(str(number)) - 3)
    return f"{(number + step - 1) // step * step:,}"


def test_the_headline_says_what_is_needed_what_is_shown_and_what_is_exaggerated():
    found = plan(options={"difference": 0.2})
    assert found.headline == [
        f"To show a difference of 0.2 COMET between new and base with 80 % power, about "
        f"{rounded(found.segments_needed)} segments are needed; there are 60 segments.",
        f"The test set at hand has {100 * found.power_at_hand:.0f} % power to show it; the smallest difference that it "
        f"shows with 80 % power is {found.smallest_difference:.2f} COMET.",
        f"If the true difference is 0.2 COMET, a significant difference on the test set at hand is, on average, "
        f"{found.exaggeration:.1f} times the true one, and has the wrong sign in {100 * found.wrong_sign:.1f} % of the "
        "cases.",
        ROUGH,
    ]
    assert found.segments_needed > 99
    assert found.wrong_sign > 0.001
    assert title_plan(found) == (
        f"About {rounded(found.units_needed)} segments have 80 % power to show 0.2 COMET; the 60 at hand have "
        f"{100 * found.power_at_hand:.0f} %"
    )


def test_documents_are_named_beside_segments():
    found = plan(options={"difference": 0.2, "power": 0.9}, documents=True)
    needed = f"about {rounded(found.segments_needed)} segments ({rounded(found.documents_needed)} documents) are needed"
    assert found.headline[0] == (
        f"To show a difference of 0.2 COMET between new and base with 90 % power, {needed}; there are 60 segments (12 "
        "documents)."
    )


def test_other_units_have_their_own_names():
    found = plan(options={"difference": 0.1, "unit": "block of 7"})
    assert (
        f"({rounded(found.units_needed)} blocks of 7) are needed; there are 60 segments (9 blocks of 7)."
        in found.headline[0]
    )
    assert title_plan(found).startswith(f"About {rounded(found.units_needed)} blocks of 7 have 80 % power")
    needed = found.powers[found.powers["n_units"] == found.units_needed]
    assert set(needed["n_segments"]) == {found.segments_needed}


def test_where_nothing_can_be_tested_at_hand_this_is_said():
    statistics = statistics_of()
    labels = np.array(["long"] * 56 + ["short"] * 2 + ["brief"] * 2, dtype=object)
    test_set = TestSet(np.arange(1, 61), labels, "x", 1)
    values = {name: statistics[name].values for name in statistics}
    statistics = SegmentStatistics(statistics.metric, values, test_set)
    found = plan_test_set(statistics["new"], statistics["base"], difference=1, unit="document")
    assert found.headline[1:] == [
        "On the test set at hand nothing can be shown: its 3 documents are of such unequal size that they carry no "
        "more information than fewer than two of equal size."
    ]
    assert title_plan(found).endswith("on the 3 at hand nothing can be tested")
    assert "nan" not in format_plan(found).replace("brief", "")


def test_more_of_both_is_named_where_neither_more_runs_nor_a_larger_test_set_is_enough():
    found = plan(2, options={"difference": 0.15, "runs": 2}, run_sd=0.02)
    assert (found.units_needed, found.runs_needed) == (None, None)
    enough = found.powers[(found.powers["power"] >= 0.8) & (found.powers["n_runs"] == 5)]["n_segments"].min()
    assert found.headline[0].endswith(
        "On the test set at hand, no number of runs up to 1,000 would be enough; more of both would be enough, such as "
        f"5 runs of each on about {rounded(enough)} segments."
    )
    assert not (found.powers.query("n_runs < 5")["power"] >= 0.8).any()
    none = plan(2, options={"difference": 0.01, "runs": 2}, run_sd=1)
    assert none.headline[0].endswith("no number of runs up to 1,000 would be enough.")


def test_a_test_set_that_is_large_enough_is_called_so():
    found = plan(options={"difference": 2})
    assert found.headline[0] == (
        "The test set at hand is large enough to show a difference of 2 COMET between new and base with 80 % power: "
        f"about {found.segments_needed} segments of its 60 segments would be enough."
    )
    assert found.headline[1].startswith("The test set at hand has >99 % power to show it;")
    assert found.headline[2].endswith(
        "a significant difference on the test set at hand is not exaggerated, and hardly ever has the wrong sign."
    )


def test_runs_are_named_where_the_method_is_planned_for():
    found = plan(3, options={"difference": 0.35, "runs": 3}, run_sd=0.03)
    assert found.runs_needed > 3
    first, second, third, rough, *_ = found.headline
    assert first == (
        "To show a difference of 0.35 COMET between new and base for the method (new training or tuning runs) with "
        f"80 % power, about {rounded(found.segments_needed)} segments are needed with 3 runs of each system; there are "
        f"60 segments. On the test set at hand, {found.runs_needed} runs of each would be enough."
    )
    assert second.startswith("The test set at hand, with 3 runs of each system, has ")
    assert "at hand:" not in second
    assert "a significant difference on the test set at hand with 3 runs of each " in third
    # of chi-square with 59 degrees of freedom, and with 4: 4 / 11.14 and 4 / 0.4844
    assert rough == (
        "These numbers are rough: the true variance between segments can be 0.72 to 1.5 times the estimated one (60 "
        "segments; 95 % CI), and that between runs 0.36 to 8.3 times (3 runs of each system; 95 % CI)."
    )
    enough = plan(3, options={"difference": 0.35, "runs": found.runs_needed}, run_sd=0.03)
    assert enough.headline[0].startswith(
        f"With {found.runs_needed} runs of each system, the test set at hand is large enough to show a difference of "
    )
    assert enough.headline[0].endswith(f": about {enough.units_needed} segments of its 60 segments would be enough.")


def test_words_table_and_figure_are_about_the_planned_runs():
    found = plan(3, options={"difference": 0.2, "runs": 10}, run_sd=0.2)
    [planned] = found.powers.query("n_units == 60 and n_runs == 10").to_dict("records")
    assert planned["power"] > found.power_at_hand + 0.05
    _, second, third, *_ = found.headline
    assert second == (
        f"The test set at hand, with 10 runs of each system, has {100 * planned['power']:.0f} % power to show it; the "
        f"smallest difference that it shows with 80 % power is {planned['smallest_difference']:.2f} COMET (with the 3 "
        f"runs of each system at hand: {100 * found.power_at_hand:.1f} % and {found.smallest_difference:.2f} COMET)."
    )
    assert "on the test set at hand with 10 runs of each " in third
    assert f"{planned['exaggeration']:.1f} times the true one" in third
    columns = tabulate_plan(found)
    place = columns["test set"].index("at hand")
    assert columns["smallest diff."][place] == f"{planned['smallest_difference']:.2f}"
    assert title_plan(found).endswith(f"the 60 at hand have {100 * planned['power']:.0f} %")
    equal = plan(3, options={"margin": 0.25, "runs": 10})
    [planned] = equal.powers.query("n_units == 60 and n_runs == 10").to_dict("records")
    assert f"with 10 runs of each system, has {100 * planned['power']:.0f} % power to show it;" in equal.headline[1]
    assert f"is {planned['smallest_margin']:.2f} COMET (with the 3 runs of each system" in equal.headline[1]


def test_too_few_units_to_plan_other_runs_have_those_at_hand():
    statistics = statistics_of(3)
    test_set = TestSet(np.arange(1, 61), np.repeat(list("abcd"), 15).astype(object), "x", 1)
    values = {name: statistics[name].values for name in statistics}
    statistics = SegmentStatistics(statistics.metric, values, test_set)
    found = plan_test_set(statistics["new"], statistics["base"], difference=0.5, runs=10, unit="document")
    assert 4 not in set(found.powers["n_units"])
    assert found.headline[1].startswith("The test set at hand, with 3 runs of each system, has ")
    assert f"power is {found.smallest_difference:.2f} COMET." in found.headline[1]
    assert "on the test set at hand with 3 runs of each system " in found.headline[2]


def test_other_numbers_of_runs_at_hand_are_named():
    statistics = statistics_of(5)
    values = {name: statistics[name].values[: 2 + 3 * (name == "new")] for name in statistics}
    statistics = SegmentStatistics(statistics.metric, values, statistics.test_set)
    found = plan_test_set(statistics["new"], statistics["base"], difference=0.5)
    assert "with 2 runs of each system, has " in found.headline[1]
    assert "(with the 5 runs of new and 2 of base at hand: " in found.headline[1]


def test_a_larger_test_set_that_shows_less_is_named():
    found = plan(3, options={"difference": 1, "runs": 2}, run_sd=0.15, n_segments=200)
    part = found.powers.query("n_runs == 2 and n_units >= 200")
    best = part.loc[part["smallest_difference"].idxmin()]
    last = part.iloc[-1]
    assert last["smallest_difference"] > 1.02 * best["smallest_difference"]
    assert last["power"] < best["power"]
    [said] = [sentence for sentence in found.headline if "a test set of more than" in sentence]
    assert said == (
        f"With 2 runs of each system, a test set of more than about {round_up(int(best['n_segments'])):,} segments no "
        f"longer helps: at 3,200 segments, the smallest difference is {last['smallest_difference']:.2f} COMET in place "
        f"of {best['smallest_difference']:.2f}, and power is {100 * last['power']:.0f} % in place of "
        f"{100 * best['power']:.0f} %. The variance between runs then dominates, and 2 runs say little about it "
        f"({last['df']:.1f} degrees of freedom in place of {best['df']:.1f})."
    )
    three = plan(3, options={"difference": 1, "runs": 3}, run_sd=0.15, n_segments=200)
    assert said in list(explain_plan(three))
    for other in (three, plan(options={"difference": 0.2})):
        assert not any("a test set of more than" in sentence for sentence in other.headline)


def test_units_of_unequal_size_are_counted_as_fewer():
    statistics = statistics_of()
    labels = np.repeat([f"d{place}" for place in range(12)], [16, 4] * 6)[:60].astype(object)
    test_set = TestSet(np.arange(1, 61), labels, "x", 1)
    values = {name: statistics[name].values for name in statistics}
    statistics = SegmentStatistics(statistics.metric, values, test_set)
    found = plan_test_set(statistics["new"], statistics["base"], difference=0.3)
    assert found.n_effective_units == pytest.approx(60**2 / (3 * 16**2 + 3 * 4**2))  # 6 documents
    assert "(6 documents, by their sizes worth 4.4 equally large ones; 95 % CI)" in found.headline[-1]
    assert json.loads(format_plan(found, "json"))["plans"][0]["n_effective_units"] == found.n_effective_units


def test_where_runs_decide_no_test_set_is_long_enough():
    found = plan(3, options={"difference": 0.5}, run_sd=0.6)
    assert found.headline[0].startswith(
        "No test set with 3 runs of each system, however large, would show a difference of 0.5 COMET between new and "
        "base for the method (new training or tuning runs) with 80 % power (tried: up to 10 million segments)."
    )
    assert title_plan(found).startswith("No number of segments has 80 % power to show 0.5 COMET with 3 runs of each")


@pytest.mark.parametrize(("run_sd", "n_runs", "is_said"), [(0.17, 3, True), (0.16, 3, False), (0.3, 20, False)])
def test_where_runs_rule_the_variance_more_segments_hardly_help(run_sd, n_runs, is_said):
    """What is left of the variance with ever more segments, by textbook sums."""
    found = plan(3, options={"difference": 0.5, "runs": n_runs}, run_sd=run_sd)
    made = statistics_of(3, run_sd=run_sd)
    a, b = (made[name].values[:, :, 0] for name in ("new", "base"))
    of_runs = rest = 0.0
    for one in (a, b):
        apart = one - one.mean(axis=0) - one.mean(axis=1, keepdims=True) + one.mean()
        both = (apart**2).sum() / (2 * 59) / 60
        of_runs, rest = of_runs + max(one.mean(axis=1).var(ddof=1) - both, 0), rest + both
    of_segments = (a.mean(axis=0) - b.mean(axis=0)).var(ddof=1) / 60 - rest / 3
    total = max(of_segments, 0) + (of_runs + rest) / n_runs
    share = of_runs / n_runs / total
    assert bool(share >= 0.8) is is_said or (n_runs == 20 and found.units_needed <= 60)
    sentence = (
        f"With {n_runs} runs of each system, more segments hardly help: on the test set at hand, {100 * share:.0f} % "
        "of the variance of the difference comes from runs, and this part does not shrink with more segments. The "
        f"standard error, {total**0.5:.2f} COMET, would not fall below {(share * total) ** 0.5:.2f}: make more runs."
    )
    assert (sentence in found.headline) is is_said
    assert any("hardly help" in one for one in found.headline) is is_said
    assert not any("hardly help" in one for one in plan(options={"difference": 0.5}).headline)


def test_two_runs_against_many_at_hand_have_no_test_but_a_plan():
    statistics = statistics_of(10, run_sd=0.3)
    values = statistics.values | {"new": statistics.values["new"][:2]}
    statistics = SegmentStatistics(statistics.metric, values, statistics.test_set)
    found = plan_test_set(statistics["new"], statistics["base"], difference=1.5)
    assert found.of == "method" and np.isnan(found.power_at_hand) and found.runs_needed > 2
    assert found.headline[1].endswith("COMET (with the 2 runs of new and 10 of base at hand: no test).")
    few = statistics.take(range(5))
    [_, said] = plan_test_set(few["new"], few["base"], difference=0.5).headline
    assert said == (
        "On the test set at hand nothing can be shown: with 5 segments, 2 runs of new and 10 of base allow no test."
    )


def test_the_observed_difference_is_said_to_be_one():
    warned = "This plan uses the observed difference (new - base: -0.033 COMET) as if it were the true one."
    assert any(sentence.startswith(warned) for sentence in explain_plan(plan()))
    assert not any(sentence.startswith(warned) for sentence in explain_plan(plan(options={"difference": 0.3})))
    assert plan().difference == pytest.approx(0.033, abs=0.0005)
    assert "a difference of 0.033 COMET" in plan().headline[0]


def test_a_plan_says_how_rough_it_is():
    *_, last = plan(options={"difference": 0.3}, documents=True).headline
    # 11 / 21.92 and 11 / 3.816, of chi-square with 11 degrees of freedom
    assert "variance can be 0.50 to 2.9 times the estimated one (12 documents; 95 % CI)" in last
    assert last.endswith("and so can the number of documents needed.")


def test_equality_is_planned_for_in_its_own_words():
    found = plan(options={"margin": 0.4})
    assert found.headline == [
        f"To show that new and base are equal within 0.4 COMET with 80 % power, about {rounded(found.segments_needed)} "
        "segments are needed; there are 60 segments.",
        f"If their true difference is 0, the test set at hand has {100 * found.power_at_hand:.0f} % power to show it; "
        f"the smallest margin within which it shows equality with 80 % power is {found.smallest_margin:.2f} COMET.",
        ROUGH,
    ]
    first, *_ = explain_plan(found)
    assert first.startswith("power: how often two one-sided tests (TOST), each at 5 %, show on a test set of this size")
    columns = tabulate_plan(found)
    assert list(columns) == ["test set", "segments", "power", "smallest margin"]
    assert columns["smallest margin"][columns["test set"].index("needed")] == "0.40"
    assert "Power to show that new and base are equal within 0.4 COMET:" in format_plan(found)
    assert title_plan(found).startswith(
        f"About {found.units_needed} segments have 80 % power to show equality within 0.4"
    )
    [row] = json.loads(format_plan(found, "json"))["plans"]
    assert (row["margin"], row["smallest_difference"], row["wrong_sign"]) == (0.4, None, None)
    assert "smallest_margin" in format_plan(found, "csv").splitlines()[0]
    of_method = plan(3, options={"margin": 0.5, "runs": 4}, run_sd=0.03)
    assert (
        "that new and base are equal within 0.5 COMET for the method (new training or tuning runs) with"
        in of_method.headline[0]
    )
    assert "(the last column: with 4 runs):" in " ".join(format_plan(of_method).split())


def test_unknown_documents_are_named_where_segments_are_the_unit():
    caution = "Segments are taken to be independent, because their documents are not known."
    for made, options, said in (
        ({}, {}, True),
        ({}, {"margin": 0.5}, True),
        ({"documents": True}, {}, False),
        ({"documents": True}, {"unit": "segment"}, False),
        ({}, {"unit": "block of 7"}, False),
    ):
        sentences = list(
            explain_plan(plan(options={"difference": 0.3} | options if not options.get("margin") else options, **made))
        )
        assert any(one.startswith(caution) for one in sentences) == said


# ---- tables


def test_the_table_has_the_test_set_at_hand_and_the_one_that_is_needed():
    found = plan(options={"difference": 0.3})
    columns = tabulate_plan(found)
    assert list(columns) == ["test set", "segments", "power", "smallest diff.", "wrong sign", "exaggeration"]
    rows = {mark: place for place, mark in enumerate(columns["test set"]) if mark}
    assert set(rows) == {"at hand", "needed"}
    assert columns["segments"][rows["at hand"]] == "60"
    assert columns["power"][rows["at hand"]] == f"{100 * found.power_at_hand:.0f} %"
    assert columns["power"][rows["needed"]] == "80 %"
    assert columns["smallest diff."][rows["needed"]] == "0.30"
    assert columns["segments"] == sorted(columns["segments"], key=lambda cell: int(cell.replace(",", "")))


def test_each_number_of_runs_has_a_column():
    found = plan(3, options={"difference": 0.6, "runs": 4}, documents=True)
    columns = tabulate_plan(found)
    names = ["documents", "segments", "2 runs", "3 runs", "4 runs", "5 runs", "10 runs"]
    assert [name for name in columns if name in names] == ["documents", "segments", "2 runs", "4 runs"] + names[
        -2:
    ] or ([name for name in columns if name in names] == ["documents", "segments", *names[2:]])
    place = columns["test set"].index("at hand")
    row = found.powers.query("n_units == 12 and n_runs == 4").iloc[0]
    assert columns["4 runs"][place] == f"{100 * row['power']:.0f} %"
    assert columns["smallest diff."][place] == f"{row['smallest_difference']:.2f}"


def test_text_has_headline_table_meaning_and_signature():
    found = plan(options={"difference": 0.3})
    text = format_plan(found)
    unwrapped = " ".join(text.split())
    assert all(sentence in unwrapped for sentence in (*found.headline, *explain_plan(found)))
    assert "Power to show 0.3 COMET between new and base:" in text
    assert text.endswith(f"Signature: {found.signature}\n")
    assert "|test:plan|unit:segment|difference:0.3|power:0.8|level:0.95|" in found.signature
    assert max(map(len, format_plan(found, width=60).splitlines()[:8])) <= 60
    alone, key = text[: text.index("\npower: ")], text[text.index("\npower: ") :]
    assert format_plan([found, found]) == f"{alone}\n{alone}{key}"  # what both say is said once


def test_a_narrow_table_leaves_out_columns_but_cuts_no_mark():
    found = plan(3, options={"difference": 0.7, "runs": 4}, documents=True)
    headings = {}
    for width in (60, 100, 200):
        lines = format_plan(found, width=width).splitlines()
        assert any(line.startswith("at hand ") for line in lines)
        [headings[width]] = [line for line in lines if line.startswith("test set")]
    assert "5 runs" in headings[200]
    assert "5 runs" not in headings[60]
    assert "10 runs" not in headings[60]
    assert all(name in headings[60] for name in ("3 runs", "4 runs", "smallest diff."))
    assert len(headings[100]) <= 100


def test_json_and_csv_have_every_figure():
    found = plan(3, options={"difference": 0.6})
    [row] = json.loads(format_plan(found, "json"))["plans"]
    assert {key: row[key] for key in row if key != "powers"} == {
        key: value for key, value in found.shown().items() if key != "powers"
    }
    assert pd.DataFrame(row["powers"]).equals(found.powers)
    rows = list(csv.DictReader(io.StringIO(format_plan([found, found], "csv"))))
    assert list(rows[0])[:5] == ["metric", "a", "b", "n_units", "n_segments"]
    assert len(rows) == 2 * len(found.powers)
    assert float(rows[3]["power"]) == found.powers["power"][3]


def test_a_notebook_shows_the_headline_and_the_table():
    found = plan(options={"difference": 0.3}, names=("<base>", "new"))
    shown = found._repr_html_()
    assert "<p><b>To show a difference of 0.3 COMET between new and &lt;base&gt; with" in shown
    assert "at hand</" in shown
    assert "What the columns mean" in shown
    assert repr(found).startswith("Plan(a='new', b='<base>', metric='COMET', of='outputs', difference=0.3, power=0.8")


# ---- figure and controls


@pytest.fixture
def ax():
    mpl.use("Agg")
    yield plt.figure().subplots()
    plt.close("all")


def test_every_number_of_runs_is_a_line(ax):
    found = plan(3, options={"difference": 0.9, "runs": 4})
    assert plot_power(found, ax, alpha=0.5) is ax
    lines = [line for line in ax.lines if "run" in line.get_label()]
    assert [line.get_label() for line in lines] == ["2 runs", "3 runs", "4 runs", "5 runs", "10 runs"]
    for line in lines:
        part = found.powers[found.powers["n_runs"] == int(line.get_label().split()[0])]
        assert line.get_xdata().tolist() == part["n_units"].tolist()
        assert line.get_ydata() == pytest.approx(100 * part["power"].to_numpy())
        assert line.get_alpha() == 0.5
        assert (line.get_linestyle() == "-") == (line.get_label() == "4 runs")
    marks = [line for line in ax.lines if line.get_label() == "_mark"]
    needed = found.powers.query(f"n_units == {found.units_needed} and n_runs == 4")["power"].item()
    at_hand = found.powers.query("n_units == 60 and n_runs == 4")["power"].item()
    expected = [(60, 100 * at_hand), (found.units_needed, 100 * needed)]
    for mark, (n_units, power) in zip(marks, expected, strict=True):
        assert (mark.get_xdata()[0], mark.get_ydata()[0]) == pytest.approx((n_units, power))
    legend = [] if ax.get_legend() is None else ax.get_legend().get_texts()
    assert {"at hand", "80 %", "4 runs"} <= {text.get_text() for text in [*ax.texts, *legend]}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("segments", "power to show 0.9 COMET (%)")
    assert ax.get_xscale() == "log"


def test_one_line_needs_no_name(ax):
    found = plan(options={"difference": 0.3})
    plot_power(found, ax)
    assert [text.get_text() for text in ax.texts] == ["at hand", "80 %"]
    assert ax.figure.get_suptitle().replace("\n", " ") == title_plan(found)


def test_equality_is_named_on_the_axis(ax):
    found = plan(options={"margin": 0.5})
    plot_power(found, ax=ax)
    assert " ".join(ax.get_ylabel().split()) == "power to show equality within 0.5 COMET (%)"
    [line] = [line for line in ax.lines if len(line.get_xdata()) > 2]
    assert list(line.get_ydata()) == pytest.approx(list(100 * found.powers["power"]))


@pytest.mark.parametrize("difference", [0.2, 0.3, 0.5, 0.7, 1.0, 2.0])
@pytest.mark.parametrize("n_runs", [1, 3])
def test_the_wanted_power_is_named_where_no_curve_passes(ax, difference, n_runs):
    plot_power(plan(n_runs, options={"difference": difference}), ax)
    texts_of(ax.figure)  # draws it
    [name] = [text for text in ax.texts if text.get_text() == "80 %"]
    box = name.get_window_extent()
    behind = name.get_bbox_patch()
    assert behind.get_facecolor() == (1, 1, 1, 1)
    for line in ax.lines:
        assert line.get_zorder() == 0 or not line.get_clip_on()
        points = line.get_transform().transform(line.get_xydata())
        xs = np.linspace(box.x0, box.x1) if line.get_label() != "_mark" else points[:, 0]
        if line.get_zorder() == 0 or xs[0] > box.x1 or xs[0] < box.x0:
            continue
        heights = np.interp(xs, *points.T)
        # Where no place is free, the lower of several curves may pass behind the name at the right.
        assert not np.any((heights > box.y0) & (heights < box.y1)) or len(heights) > 1 < n_runs


def test_where_nothing_is_enough_one_mark_is_left(ax):
    plot_power(plan(3, options={"difference": 0.5}, run_sd=0.6), ax)
    assert len([line for line in ax.lines if line.get_label() == "_mark"]) == 1


def test_the_axis_has_few_round_numbers(ax):
    plot_power(plan(options={"difference": 0.05}), ax)
    ticks = ax.get_xticks()
    assert 2 <= len(ticks) <= 7
    assert all(f"{tick:g}".rstrip("0")[0] in "1235" for tick in ticks)


@pytest.mark.long
def test_controls_plan_for_what_they_say():
    mpl.use("Agg")
    statistics = statistics_of(3, names=("base", "new", "newer"))
    explorer = widgets.explore_plan(statistics)
    assert list(explorer.controls) == ["pair", "difference", "power", "runs"]
    assert [name for name, _ in explorer.controls["pair"].options] == [
        "COMET: new and base",
        "COMET: newer and base",
        "COMET: newer and new",
    ]
    explorer.controls["pair"].value = 1
    explorer.controls["difference"].value = 1
    explorer.controls["power"].value = 0.9
    explorer.controls["runs"].value = 7
    expected = plan_test_set(statistics["newer"], statistics["base"], difference=1, power=0.9, runs=7)
    assert explorer.sentence == " ".join(expected.headline[:2])
    marks = [line for line in explorer.figure.axes[0].lines if line.get_label() == "_mark"]
    assert marks[-1].get_xdata()[0] == expected.units_needed
    link, points = explorer._links["figure"], expected.powers[expected.powers["n_runs"] == 7]
    assert [int(text.split()[0].replace(",", "")) for text in link.texts] == points["n_units"].tolist()
    assert [float(text.split()[-2]) for text in link.texts] == pytest.approx(100 * points["power"], abs=0.5)
    exec(explorer.code["figure"], space := {"statistics": statistics})
    assert space["frame"].equals(explorer.frames["figure"])


def test_the_differences_on_offer_suit_the_pair_that_is_chosen():
    """Of a metric from 0 to 1 and one from 0 to 100; each is drawn once, for a difference on offer."""
    mpl.use("Agg")
    small, drawn = statistics_of(metric="small"), []
    large = SegmentStatistics(
        MeanScore(name="large", higher_is_better=True),
        {name: values * [100, 1] for name, values in small.values.items()},
        small.test_set,
    )
    explorer = widgets.explore_plan([small, large])
    slider, draw = explorer.controls["difference"], explorer._draw
    explorer._draw = lambda **asked: drawn.append(asked["difference"]) or draw(**asked)
    offered, chosen = slider.options, slider.value
    explorer.controls["pair"].value = 1
    assert slider.options == pytest.approx([100 * one for one in offered])
    assert drawn == [slider.value] == [pytest.approx(100 * chosen)]
    assert explorer.sentence.startswith(f"To show a difference of {slider.value:g} large")
    slider.value = slider.options[0]
    explorer.reset()
    assert (slider.options, slider.value, explorer.controls["pair"].value) == (offered, chosen, 0)


def test_a_difference_stays_where_another_pair_has_it_on_offer():
    mpl.use("Agg")
    explorer = widgets.explore_plan(statistics_of(names=("base", "new", "newer")))
    slider = explorer.controls["difference"]
    slider.value = slider.options[-3]
    chosen = slider.value
    explorer.controls["pair"].value = 1
    assert slider.value == chosen


def test_single_runs_have_no_control_of_runs():
    mpl.use("Agg")
    explorer = widgets.explore_plan(statistics_of())
    assert list(explorer.controls) == ["pair", "difference", "power"]
    smallest = plan(options={"difference": 1}).smallest_difference
    assert explorer.controls["difference"].options[0] < smallest / 2 < explorer.controls["difference"].options[-1]
    with pytest.raises(InputError, match="^There is one system, but a plan needs the outputs of two.$"):
        widgets.explore_plan(statistics_of(names=("base",)))


# ---- terminal


def write_text(path, seed, n_segments, errors=0.0):
    draws = np.random.default_rng(0)
    wrong = np.random.default_rng(seed)
    lines = []
    for _ in range(n_segments):
        words = draws.choice(WORDS, 9)
        lines.append(" ".join(np.where(wrong.random(9) < errors, "wrong", words)) + "\n")
    Path(path).write_text("".join(lines))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_text("ref.txt", 0, 80)
    for seed, name in enumerate(["base.1", "base.2", "new.1", "new.2"], start=1):
        write_text(f"{name}.txt", seed, 80, 0.2 if name < "c" else 0.18)
    return tmp_path


def run(capsys, *arguments):
    status = cli.main(["plan", *arguments])
    output, errors = capsys.readouterr()
    return status, output, errors


def test_the_terminal_writes_the_plan(files, capsys):
    status, output, errors = run(capsys, "ref.txt", "base.1.txt", "new.1.txt", "--difference", "0.5", "--power", ".9")
    assert (status, errors) == (0, "")
    statistics = compute_statistics(read_outputs("ref.txt", {"base": "base.1.txt", "new": "new.1.txt"}), "bleu")
    expected = plan_test_set(statistics["new"], statistics["base"], difference=0.5, power=0.9)
    assert output == format_plan(expected)


def test_runs_json_and_a_file(files, capsys):
    systems = ["--reference", "ref.txt", "--system", "base=base.*", "--system", "new=new.*"]
    for name in ("--runs", "--n-runs"):
        status, output, _ = run(capsys, *systems, name, "5", "--difference", "2", "--format", "csv")
        assert (status, "5" in {row["n_runs"] for row in csv.DictReader(io.StringIO(output))}) == (0, True)
    options = ["--runs", "5", "--level", "0.9", "--unit", "segment", "--format", "json", "--output", "plan.json"]
    assert run(capsys, *systems, *options) == (0, "", "")
    [found] = json.loads(Path("plan.json").read_text())["plans"]
    assert (found["a"], found["b"], found["of"], found["runs"], found["level"]) == ("new", "base", "method", 5, 0.9)


def test_python_and_the_terminal_name_each_others_word_for_runs(capsys):
    status, output, _ = run(capsys, "--help")
    assert status == 0
    assert "in Python: runs=" in " ".join(output.split())
    assert "In the terminal: ``--n-runs``." in plan_test_set.__doc__


def test_every_system_is_planned_for_under_every_metric(files, capsys):
    status, output, _ = run(capsys, "ref.txt", "base.1.txt", "base.2.txt", "new.1.txt", "-m", "bleu", "chrf")
    assert status == 0
    assert output.count("Power to show") == 6  # of three systems all pairs
    # What the plans of a metric have alike is said once, below the last of them; what a difference is stands above it.
    assert (output.count("Signature:"), output.count("|difference:observed|")) == (2, 2)
    unwrapped = " ".join(output.split())
    assert unwrapped.count("Segments are taken to be independent") == 1
    assert unwrapped.count("shows a true difference of the size above the table on these outputs") == 1
    assert unwrapped.count("Each plan uses the observed difference as if it were the true one.") == 1
    status, output, _ = run(capsys, "ref.txt", "base.1.txt", "base.2.txt", "new.1.txt", "-m", "bleu", "--all-pairs")
    assert (status, output.count("Power to show")) == (0, 3)
    status, output, _ = run(
        capsys, "ref.txt", "base.1.txt", "base.2.txt", "new.1.txt", "--baseline", "new.1.txt", "--format", "csv"
    )
    assert {(row["a"], row["b"]) for row in csv.DictReader(io.StringIO(output))} == {
        ("base.1", "new.1"),
        ("base.2", "new.1"),
    }


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--difference", "1", "-m", "bleu", "chrf"],
            "--difference is in points of one metric: plan for one metric at a time (see mtworkbench plan --help).",
        ),
        (
            ["--margin", "1", "-m", "bleu", "chrf"],
            "--margin is in points of one metric: plan for one metric at a time (see mtworkbench plan --help).",
        ),
        (
            ["--margin", "1", "--difference", "1"],
            "--difference is for showing a difference, --margin for showing equality: leave one out (see mtworkbench "
            "plan --help).",
        ),
        (
            ["--pair", "new", "old"],
            "The system 'old' of --pair is not among the systems: name two of 'base', 'new' (see mtworkbench plan "
            "--help).",
        ),
        (
            ["--n-runs", "3"],
            "3 runs of each system were to be planned, but 'new' and 'base' have only one run, which does not tell "
            "how much scores vary from run to run: give at least two runs of each system, or omit the number of runs "
            "(runs, --n-runs) to plan for these outputs.",
        ),
        (
            ["--difference", "0"],
            "Argument --difference: '0' is not a number above 0, such as 0.5 (see mtworkbench plan --help).",
        ),
        (
            ["--power", "0.04"],
            "power is 0.04, but a number between 0.05 (what a test rejects where there is no difference) and 1 was "
            "expected, such as 0.8.",
        ),
        (
            ["--trials", "9"],
            "There is no option --trials here; mtworkbench compare has one (see mtworkbench plan --help).",
        ),
    ],
)
def test_what_cannot_be_planned_is_refused(files, capsys, arguments, sentence):
    status, output, errors = run(capsys, "ref.txt", "base.1.txt", "new.1.txt", *arguments)
    assert (status, output, errors) == (2, "", f"mtworkbench: error: {sentence}\n")


XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="test"><doc id="d" origlang="en" domain="news">
{}
</doc></dataset>
"""


def test_two_systems_of_many_are_planned_for_with_a_margin(files, capsys):
    """WMT's XML has all systems in one file: --pair picks two, and the first of them is the baseline."""
    texts = {name: Path(f"{name}.txt").read_text().splitlines() for name in ("ref", "base.1", "new.1", "new.2")}
    kinds = {"src": ("ref", 'lang="en"'), "ref": ("ref", 'lang="de" translator="A"')}
    parts = [(tag, name, attributes) for tag, (name, attributes) in kinds.items()]
    parts += [("hyp", name, f'lang="de" system="{name}"') for name in list(texts)[1:]]
    marked = {
        name: "".join(f'<seg id="{number}">{line}</seg>' for number, line in enumerate(lines, 1))
        for name, lines in texts.items()
    }
    written = [f"<{tag} {attributes}><p>{marked[name]}</p></{tag}>" for tag, name, attributes in parts]
    Path("all.xml").write_text(XML.format("\n".join(written)))
    options = [
        "--xml",
        "all.xml",
        "--pair",
        "base.1",
        "new.2",
        "--margin",
        "3",
        "--unit",
        "segment",
        "--format",
        "json",
    ]
    status, output, errors = run(capsys, *options)
    assert status == 0, errors
    [found] = json.loads(output)["plans"]
    assert (found["a"], found["b"], found["margin"], found["n_segments"]) == ("new.2", "base.1", 3, 80)
    status, output, _ = run(capsys, *options, "--baseline", "new.2")
    [found] = json.loads(output)["plans"]
    assert (status, found["a"], found["b"]) == (0, "base.1", "new.2")


def test_one_system_is_refused(files, capsys):
    status, _, errors = run(capsys, "ref.txt", "base.1.txt")
    assert status == 2
    assert "There is one system, 'base.1': name another one to compare it with" in errors
