"""What a notebook shows of results and frames, read back from the HTML."""

import math
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import mtworkbench as mtw
from mtworkbench.results.equivalence import Equivalence, Within
from mtworkbench.results.rankings import RankedSystem
from mtworkbench.tables import frame_to_text
from mtworkbench.tables.html import show_html

from .hand_made import comparison, pair, system

# Outputs as small as these are noticed.
pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")

REFERENCE = ["a b c d e f", "g h i j k l", "m n o p q r", "s t u v w x"]
GOOD = [*REFERENCE[:3], "s t u v w y"]
WORSE = ["a b c d e x", "g h i j k l", "m n o p q x", "s t u v w x"]
SOURCE = [f"segment {number}" for number in range(20)]  # without which segments would repeat


class Reader(HTMLParser):
    """The rows of each table by the name of its region, bold text between asterisks; and what names what is folded."""

    def __init__(self, html):
        super().__init__()
        self.tables, self.summaries, self.inside = {}, [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "col":
            return
        self.inside.append(tag)
        if attributes.get("role") == "region":
            assert attributes["tabindex"] == "0"
            self.rows = self.tables.setdefault(attributes["aria-label"], [])
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            assert tag == "td" or attributes["scope"] in ("col", "row", "colgroup")
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.inside.pop() == tag

    def handle_data(self, data):
        if {"th", "td"} & set(self.inside):
            self.rows[-1][-1] += f"*{data}*" if self.inside[-1] == "b" else data
        elif self.inside and self.inside[-1] == "summary":
            self.summaries.append(data)


def tables_of(shown):
    return Reader(shown._repr_html_()).tables


def summaries_of(shown):
    return Reader(shown._repr_html_()).summaries


@pytest.fixture(scope="module")
def several():
    """Three systems under two metrics of opposite direction."""
    return [mtw.compute_statistics(outputs_of_three(), metric) for metric in ("bleu", "ter")]


# ---- one metric

ABOVE = "BLEU, higher is better; 300 segments"


def joined(baseline):
    return f"{ABOVE}; differences from {baseline} on these outputs"


def test_the_systems_have_the_best_first_and_the_baseline_marked():
    systems = [system("old", 27.0), system("new", 28.0), system("best", 29.0)]
    pairs = [pair("new", "old", 1.0), pair("best", "old", 2.0)]
    ranking = tuple(
        RankedSystem(name, rank, against_baseline=standing)
        for rank, (name, standing) in enumerate([("best", "better"), ("new", "not shown"), ("old", None)], start=1)
    )
    found = comparison(systems, pairs, ranking=ranking, baseline="old")
    tables = tables_of(found)
    assert tables[joined("old")] == [
        ["system", "BLEU", "diff.", "95 % CI", "p (Holm)", "verdict"],
        ["best", "29.00", "2.00", "[1.50, 2.50]", "0.3380", "not shown"],
        ["new", "28.00", "1.00", "[0.50, 1.50]", "0.3380", "not shown"],
        ["old", "27.00", "", "", "", ""],
    ]
    # The intervals of scores are in the details.
    assert tables["Systems"][1] == ["best", "29.00", "[28.20, 29.70]"]
    # With a baseline alone, nothing compares the others with each other, so none is at the top.
    assert "Bold" not in found._repr_html_()


@pytest.mark.parametrize(
    ("figures", "bold"),
    [({}, ["28.00", "27.00"]), ({"verdict": "significant"}, ["*28.00*", "27.00"])]
    + [({"verdict": "significant", "method_p_value": 0.3, "method_verdict": "not significant"}, ["28.00", "27.00"])],
)
def test_of_two_systems_the_one_that_is_shown_to_be_worse_is_not_bold(figures, bold):
    found = comparison([system("old", 27.0), system("new", 28.0)], [pair("new", "old", 1.0, **figures)], baseline="old")
    rows = tables_of(found)[ABOVE if "method_p_value" in figures else joined("old")][1:]
    assert [row[0] for row in rows] == ["new", "old"]
    assert [next(cell for cell in row[1:] if "." in cell) for row in rows] == bold
    html, whose = found._repr_html_(), "for the method" if "method_p_value" in figures else "on these outputs"
    assert (f"Bold: systems that no other is shown to beat {whose}." in html) == ("*28.00*" in bold)
    assert html.count("Bold: ") == ("*28.00*" in bold) and "No system is shown to be better than another" not in html
    lower = comparison(
        [system("old", 27.0), system("new", 28.0)], [pair("new", "old", 1.0, verdict="significant")], "TER", False
    )
    [rows] = [rows for name, rows in tables_of(lower).items() if name.startswith("TER, lower is better; 300")]
    assert [row[:2] for row in rows[1:]] == [["old", "*27.00*"], ["new", "28.00"]]


def test_without_a_direction_nothing_is_bold():
    found = comparison([system("old"), system("new")], [pair("new", "old", verdict="significant")], "Length", None)
    assert "Bold" not in found._repr_html_()


def test_differences_have_the_columns_of_the_terminal_and_none_that_are_empty():
    found = comparison([system("old"), system("new")], [pair("new", "old")])
    assert tables_of(found)["Difference from old, on these outputs"] == [
        ["system", "diff.", "95 % CI", "p", "win %", "verdict"],
        ["new", "−0.34", "[−0.84, 0.16]", "0.3380", "9.2", "not shown"],
    ]
    none = tables_of(comparison([system("old"), system("new")], [pair("new", "old", low=None, high=None)]))
    assert "95 % CI" not in none["Difference from old, on these outputs"][0] + none[joined("old")][0]


def test_each_claim_has_its_row_the_method_first():
    """One metric alone is shown as it is in the whole comparison."""
    figures = {"method_p_value": 0.2, "method_low": -0.9, "method_high": 0.2, "method_df": 3.8}
    pairs = [pair("new", "old", method_verdict="not significant", **figures)]
    found = comparison([system("old", runs=3), system("new", runs=3)], pairs)
    for shown in (found, found.metrics["BLEU"]):
        tables = tables_of(shown)
        assert [name for name in tables if name.startswith("Difference")] == [
            "Difference from old",
            "Difference from old, for the method (new training or tuning runs)",
            "Difference from old, for these runs",
        ]
        assert tables["Difference from old"] == [
            ["system", "claim", "diff.", "95 % CI", "p", "verdict"],
            ["new", "for the method", "−0.34", "[−0.90, 0.20]", "0.2000", "not shown"],
            ["", "for these runs", "−0.34", "[−0.84, 0.16]", "0.3380", "not shown"],
        ]


def test_many_differences_stand_next_to_the_scores_or_in_the_details():
    """From one baseline they are next to the scores; of all pairs they are only in the details."""
    names = [f"s{place}" for place in range(8)]
    pairs = [pair(name, "s0", 0.1) for name in names[1:]]
    found = comparison([system(name) for name in names], pairs, baseline="s0")
    rows = tables_of(found)[joined("s0")]
    assert rows[0][-2:] == ["p (Holm)", "verdict"] and len(rows) == 9
    assert {row[0]: row[-2:] for row in rows[1:3]} == {"s0": ["", ""], "s1": ["0.3380", "not shown"]}
    all_pairs = comparison([system(name) for name in names], [pair(b, a) for a, b in combinations(names, 2)])
    html = all_pairs._repr_html_()
    assert html.count("Differences of all pairs, on these outputs:</p>") == 1
    assert html.index("BLEU: all columns") < html.index("Differences of all pairs, on these outputs")
    few = comparison([system(name) for name in names[:4]], [pair(b, a) for a, b in combinations(names[:4], 2)])
    assert few._repr_html_().count("Differences of all pairs, on these outputs:</p>") == 2


def test_what_is_easily_misread_is_said_below_the_table_of_verdicts():
    systems = [system("s0", 27.1), system("s1", 27.2), system("s2", 27.2)]
    shown = {"verdict": "significant"}
    other = (
        "The CI of a difference on these outputs comes from another method than p, so it need not agree with the "
        "verdict."
    )
    one = comparison(systems[:2], [pair("s1", "s0", 0.1, low=0.02, high=0.2, **shown)])
    assert ": on these outputs, s1 is shown " in one._repr_html_()
    test = "Test: two-sided approximate randomization test by segment (10,000 trials)."
    bold = "Bold: systems that no other is shown to beat on these outputs."
    assert f"<p>{other} {test} {bold}</p>" in one._repr_html_()
    holm = {"low": 0.1, "high": 0.3, "p_value": 0.04, "p_adjusted": 0.08}
    two = comparison(systems, [pair("s1", "s0", 0.1, **holm), pair("s2", "s0", 0.1, verdict="undecided")])
    assert (
        "<p>Verdicts and p are adjusted for both comparisons (Holm). Other systems would change them. The CI of a "
        "difference is not adjusted for the number of comparisons, and on these outputs it comes from another method "
        "than p, so it need not agree with the verdict. &quot;Not shown&quot; does not mean &quot;equal&quot;. "
        "&quot;Undecided&quot;: p (Holm) is too close to 0.05 to decide with 10,000 trials (random swaps of outputs). "
        "Report it as not shown, or try more trials (--trials). Only differences from s0 are tested. "
        f"{test}</p>"
    ) in two._repr_html_()


@pytest.mark.parametrize(
    ("verdict", "equal", "said"),
    [
        ("not significant", "not shown", True),
        ("not significant", "equivalent", False),
        ("significant", "not shown", False),
        ("undecided", "not shown", False),
    ],
)
@pytest.mark.parametrize("n_pairs", [1, 2, 8])
def test_cannot_tell_is_explained_where_it_is_said(verdict, equal, said, n_pairs):
    """Neither it nor "equal within" has anything to do with the number of comparisons."""
    equivalence = Equivalence(Within(0.9, 0.2, 0.2, equal), Within(), 0.5)
    names = [f"s{place}" for place in range(n_pairs + 1)]
    pairs = [pair(name, "s0", 0.1, verdict=verdict, further=(equivalence,)) for name in names[1:]]
    shown = unescape(comparison([system(name) for name in names], pairs, baseline="s0")._repr_html_())
    explained = '"Cannot tell": neither a difference nor equality within the margin is shown.'
    assert (explained in shown) == said
    assert "would be shown on its own" not in shown


def test_what_the_test_for_the_method_shows_alone_is_not_claimed():
    """Few documents: the method's p is small, but these outputs could not show a difference."""
    figures = {"method_p_value": 0.001, "method_low": 0.1, "method_high": 0.5, "method_df": 4.0}
    figures |= {"method_verdict": "significant", "verdict": "not significant"}
    names = [f"s{place}" for place in range(10)]
    many = comparison([system(name, runs=3) for name in names], [pair(one, "s0", 0.3, **figures) for one in names[1:]])
    claims, *rows = tables_of(many)[f"{ABOVE}; differences from s0"]
    assert claims == ["", "", "", "", "for the method", "for these runs"]
    assert {(row[0] == "s0", row[-4], row[-1]) for row in rows[1:]} == {
        (True, "", ""),
        (False, "not shown (only alone)", "not shown"),
    }
    assert "none is shown for these runs" in many._repr_html_()
    few = comparison(
        [system(name, runs=3) for name in names[:3]], [pair(one, "s0", 0.3, **figures) for one in names[1:3]]
    )
    found = replace(few, metrics={"X": few.metrics["BLEU"], "Y": few.metrics["BLEU"]}, baseline="s0")
    rows = tables_of(found)["Difference from s0"]
    assert [row[0] for row in rows] == ["metric", "X", "", "", "", "Y", "", "", ""]
    assert [row[-1] for row in rows[1:]] == ["not shown (only alone)", "not shown"] * 4


def test_undecided_differences_are_called_so_under_each_metric():
    pairs = [pair("s1", "s0", 0.2, verdict="undecided"), pair("s2", "s0", 0.1)]
    one = comparison([system(name) for name in ("s0", "s1", "s2")], pairs, baseline="s0")
    found = replace(one, metrics={"X": one.metrics["BLEU"], "Y": one.metrics["BLEU"]})
    [table] = [rows for name, rows in tables_of(found).items() if name.startswith("X and Y, higher is better; 300")]
    rows = {row[0]: (row[2], row[5], row[7], row[10]) for row in table[2:]}
    assert rows["s1"] == ("0.20", "undecided", "0.20", "undecided")
    assert rows["s2"] == ("0.10", "not shown", "0.10", "not shown")
    assert "&quot;Undecided&quot;: p (Holm) is too close to 0.05" in found._repr_html_()


def test_metrics_may_compare_different_systems():
    systems = [system(name) for name in ("s0", "s1", "s2", "s3")]
    x = comparison(systems[:3], [pair("s1", "s0", 0.2), pair("s2", "s0", 0.1)]).metrics["BLEU"]
    y = comparison(systems, [pair(one, "s0", 0.2) for one in ("s1", "s2", "s3")]).metrics["BLEU"]
    found = replace(comparison(systems, [pair("s1", "s0", 0.2)], baseline="s0"), metrics={"X": x, "Y": y})
    assert (
        "Verdicts and p are adjusted for all 2 to 3 comparisons of each metric, not across metrics (Holm). Other "
        "systems would change them. The CI " in found._repr_html_()
    )
    [rows, *_] = tables_of(found).values()
    assert [row[0] for row in rows[2:]] == ["s0", "s1", "s2", "s3"]
    assert rows[5] == ["s3", *[""] * 5, "27.16", "0.20", "[−0.30, 0.70]", "0.3380", "not shown"]
    assert mtw.describe_comparison(found).startswith("We compared s1, s2 and s3 with s0 on")


def test_the_p_for_the_method_is_adjusted_for_the_comparisons_that_have_one():
    method = {"method_p_value": 0.2, "method_low": -0.9, "method_high": 0.22, "method_df": 3.8}
    pairs = [pair("s1", "s0", 0.2, **method), pair("s2", "s0", 0.1)]
    found = comparison([system("s0", runs=3), system("s1", runs=3), system("s2")], pairs, baseline="s0")
    assert (
        "Verdicts and p are adjusted for both comparisons (Holm); for the method there is one, which is not adjusted."
        in found._repr_html_()
    )
    said = mtw.describe_comparison(found)
    assert (
        "p (Holm) is adjusted by Holm's method (Holm, 1979) for the 2 comparisons of a metric; for the method there is "
        "one, which is not adjusted. " in said
    )
    every = comparison([system("s0", runs=3), system("s1", runs=3)], pairs[:1], baseline="s0")
    assert "for the method there" not in every._repr_html_() + mtw.describe_comparison(every)
    assert "Verdicts and p allow" not in every._repr_html_()


def test_length_has_no_better_direction_and_that_of_a_score_may_be_unknown():
    lengths = comparison([system("s0"), system("s1")], [pair("s1", "s0")], "Length", None)
    named = {name: replace(lengths.metrics["Length"], name=name) for name in ("Length", "DA")}
    caption = replace(lengths, metrics=named)._repr_html_()
    assert (
        "Length, in % of the references&#x27; words, neither direction is better; DA, no direction is known "
        "(--direction DA=up or DA=down); 300 seg" in caption
    )


def test_letters_are_explained(several):
    found = mtw.compare(several, rng=1)._repr_html_()
    adjusted = "Verdicts, p and CIs are adjusted for all 3 comparisons of each metric, not across metrics (max-T)."
    assert adjusted in found
    assert "Where lower is better, a negative difference is good." in found
    assert "; systems that share a letter under a metric are " in found


# ---- several metrics


def test_several_metrics_have_one_table_sorted_by_the_first(several):
    found = mtw.compare(several, "low", rng=1)
    above = "BLEU, higher is better; TER, lower is better; 20 segments; differences from low on these outputs"
    rows = tables_of(found)[above]
    of_each = ["score", "diff.", "95 % CI", "p (max-T)", "verdict"]
    assert rows[:2] == [["", "BLEU", "TER"], ["system", *of_each * 2]]
    assert [row[0] for row in rows[2:]] == ["high", "mid", "low"]
    bleu, ter = found.metrics["BLEU"], found.metrics["TER"]
    assert rows[2][1] == f"{bleu.systems[1].score:.2f}"
    [of_bleu] = [one for one in bleu.comparisons if one.a == "high"]
    [of_ter] = [one for one in ter.comparisons if one.a == "high"]
    assert of_ter.difference < 0 < of_bleu.difference
    assert rows[2][2::5] == [f"{of_bleu.difference:.2f}", f"−{-of_ter.difference:.2f}"]
    shown = [one.verdict == "significant" for one in (of_bleu, of_ter)]
    assert [cell == "better" for cell in rows[2][5::5]] == shown
    assert rows[2][4] == f"{of_bleu.p_adjusted:.4f}"
    assert rows[4][2:6] == ["", "", "", ""] == rows[4][7:]
    assert summaries_of(found) == [
        "BLEU: all columns",
        "TER: all columns",
        "What the columns mean",
        "How to reproduce the numbers",
    ]


def test_several_metrics_have_one_table_of_differences(several):
    """Each metric has its rows, and says its name in the first of them."""
    found = mtw.compare(several, rng=1)
    rows = tables_of(found)["Differences of all pairs, on these outputs"]
    assert rows[0] == ["metric", "system", "against", "diff.", "95 % CI", "p (max-T)", "verdict"]
    assert [row[0] for row in rows[1:7]] == ["BLEU", "", "", "TER", "", ""]
    assert [row[1:3] for row in rows[1:7]] == [["high", "mid"], ["high", "low"], ["mid", "low"]] * 2
    ter = found.metrics["TER"]
    [shown] = [one for one in ter.comparisons if {one.a, one.b} == {"high", "low"}]
    difference = shown.difference if shown.a == "high" else -shown.difference
    assert difference < 0  # the difference is system - against, whichever way is better
    assert rows[5][3] == f"−{-difference:.2f}"
    assert (rows[5][-1] == "better") == (shown.verdict == "significant")


def test_one_pair_has_one_row_for_both_metrics():
    two = [mtw.compute_statistics(outputs_of_two(), metric) for metric in ("bleu", "length")]
    [(name, rows), *_] = tables_of(mtw.compare(two, "low", rng=1)).items()
    assert name.endswith("differences from low on these outputs")
    assert [row[0] for row in rows] == ["", "system", "high", "low"]
    assert rows[2][-1] == "identical scores" and rows[2][5] == "not shown"


def test_metrics_stand_side_by_side_in_twos(several):
    """More of them take another table below the first."""
    [bleu, ter] = several
    others = [mtw.compute_statistics(outputs_of_three(), metric) for metric in ("chrf", "length")]
    found = mtw.compare([bleu, ter, *others], "low", rng=1)
    above = [name for name in tables_of(found) if "differences from low" in name]
    assert [re.findall(r"BLEU|TER|chrF|Length", name) for name in above] == [["BLEU", "TER"], ["chrF", "Length"]]
    assert "Verdicts, p and CIs are adjusted for both comparisons of each metric" in found._repr_html_()
    one_more = replace(found, metrics=dict([*found.metrics.items()][:3]))
    *_, last = (rows for name, rows in tables_of(one_more).items() if "differences from low" in name)
    assert last[0] == ["system", "chrF", "diff.", "95 % CI", "p (max-T)", "verdict"]


def outputs_of_three():
    systems = {"low": [WORSE * 5], "high": [GOOD * 5], "mid": [WORSE + GOOD * 4]}
    return mtw.make_outputs(REFERENCE * 5, systems, source=SOURCE)


def outputs_of_two():
    return mtw.make_outputs(REFERENCE * 5, {"low": [WORSE * 5], "high": [GOOD * 5]}, source=SOURCE)


# ---- signatures, and what concerns all


def test_the_whole_signature_is_shown_of_every_kind_of_result(several):
    outputs = mtw.make_outputs(REFERENCE, {"a": [WORSE, GOOD, WORSE], "b": [GOOD, WORSE, GOOD]})
    runs = mtw.compute_statistics(outputs, "bleu")
    found = mtw.compare(several, rng=1)
    varied = mtw.optimizer_variance(runs, n_resamples=100, rng=1)
    interval = mtw.bootstrap_interval(runs["a"], n_resamples=100, rng=1)
    shown = {
        found: f"{found.metrics['BLEU'].signature}|{found.signature}",
        found.metrics["BLEU"]: f"{found.metrics['BLEU'].signature}|{found.signature}",
        varied: f"{varied.metrics['BLEU'].signature}|{varied.signature}",
        interval: interval.signature,
        runs["a"]: runs.signature,
    }
    for one, signature in shown.items():
        assert "nrefs:1|" in signature and "|tok:13a|" in signature
        assert f"<code>{signature}</code>" in one._repr_html_()


def test_names_are_neither_markup_nor_mathematics_nor_turn_the_text():
    name = "<b>$x$</b>\u202e"
    found = comparison([system(name), system("new")], [pair("new", name)], baseline=name)
    frame = mtw.show_table(pd.DataFrame({name: [name]}))
    for shown in (found, found.metrics["BLEU"], found.metrics["BLEU"].systems[0], frame):
        html = shown._repr_html_()
        assert html.startswith('<div class="mtw tex2jax_ignore mathjax_ignore">')
        assert "\u202e" not in html and name not in html
        assert r"&lt;b&gt;$x$&lt;/b&gt;\u202e" in html


def test_statistics_say_what_they_are_of():
    outputs = mtw.make_outputs(REFERENCE, {"a": [GOOD, WORSE], "b": [WORSE, GOOD]})
    statistics = mtw.compute_statistics(outputs, "ter")
    [(caption, rows)] = tables_of(statistics).items()
    assert caption == "TER, lower is better; 2 systems × 2 runs × 4 segments, documents unknown, 1 reference."
    assert rows[0] == ["system", "runs", "score", "scores of the runs"]
    assert rows[1] == ["a", "2", "6.25", "4.17, 8.33"]
    [(caption, rows)] = tables_of(statistics["b"]).items()
    assert caption.startswith("TER, lower is better; 1 system × 2 runs × 4 segments")
    assert [row[0] for row in rows] == ["system", "b"]


def test_a_single_result_is_a_row_in_words():
    statistics = mtw.compute_statistics(outputs_of_two(), "bleu")
    found = mtw.paired_bootstrap(statistics["high"], statistics["low"], rng=1)
    rows = tables_of(found)["Paired bootstrap"]
    assert rows[0] == ["system", "against", "metric", "diff.", "95 % CI", "win %", "unit"]
    assert rows[1][:4] == ["high", "low", "BLEU", f"{found.difference:.2f}"]
    assert rows[1][5] == f"{100 * found.confidence:.1f}"
    assert ["n_resamples", "1000"] in tables_of(found)["All fields"]
    tested = mtw.approximate_randomization(statistics["high"], statistics["low"], rng=1)
    assert tables_of(tested)["Randomization"][0] == [
        "system",
        "against",
        "metric",
        "diff.",
        "p",
        "MC 95 % CI of p",
        "unit",
    ]


def test_variance_has_the_terminals_table_and_its_readings():
    outputs = mtw.make_outputs(REFERENCE, {"a": [WORSE, GOOD, WORSE], "b": [GOOD, WORSE, GOOD]})
    varied = mtw.optimizer_variance(mtw.compute_statistics(outputs, "bleu"), n_resamples=100, rng=1)
    for shown in (varied, varied.metrics["BLEU"]):
        [(caption, rows)] = tables_of(shown).items()
        assert caption.startswith("BLEU, higher is better")
        assert rows[0] == ["system", "runs", "mean", "s_sel", "s_test", "range", "median"]
        assert unescape(varied.metrics["BLEU"].readings[0]) in unescape(shown._repr_html_())
        assert "Where to spend next" in summaries_of(shown)


# ---- frames


def shown(frame, **options):
    [rows] = tables_of(mtw.show_table(frame, **options)).values()
    return rows


def test_a_frame_of_a_comparison_is_shown_in_words():
    [one] = (
        comparison([system("old"), system("new")], [pair("new", "old", p_value=0.00004)]).metrics["BLEU"].comparisons
    )
    frame = one.to_frame()[["a", "b", "difference", "low", "high", "p_value", "p_adjusted", "confidence"]]
    assert shown(frame) == [
        ["system", "baseline", "diff.", "CI", "p", "p (Holm)", "win %"],
        ["new", "old", "−0.34", "[−0.84, 0.16]", "<0.0001", "0.3380", "9.2"],
    ]
    assert shown(frame.assign(level=0.95))[0][3] == "95 % CI"
    assert shown(frame.assign(level=0.9))[0][3] == "90 % CI"
    assert shown(frame.assign(n_trials=10_000))[1][4] == "<0.0001"
    two = pd.concat([frame, frame.assign(b="other")])
    assert shown(two.reset_index(drop=True))[0][:2] == ["system", "against"]


def test_values_are_shown_plainly():
    frame = pd.DataFrame(
        {"x": [1.234, np.nan], "yes": [True, None], "n": [3, 4], "text": ["a", None]}, index=["p", "q"]
    )
    assert shown(frame) == [["", "x", "yes", "n", "text"], ["p", "1.23", "yes", "3", "a"], ["q", "-", "-", "4", "-"]]
    assert shown(frame, digits=1)[1][1] == "1.2"
    assert shown(pd.DataFrame({"least p": [0.00001, 0.5]}))[1:] == [["<0.0001"], ["0.5000"]]
    assert shown(pd.DataFrame({"p": [0.5, math.nan]}))[1:] == [["0.5000"], ["-"]]
    assert shown(pd.DataFrame({"x": [False], "scores": [(1.0, 2.5)]}))[1] == ["no", "1.00, 2.50"]


def test_a_p_that_is_not_from_trials_has_the_digits_of_students_t():
    frame = pd.DataFrame({"n_trials": [200], "p_value": [0.01234], "method_p_value": [0.01234]})
    frame = frame.assign(new_sets_p_value=0.01234, spread_p_value=0.01234, new_runs_and_sets_p_adjusted=0.01234)
    assert shown(frame)[1][1:] == ["0.01", "0.0123", "0.0123", "0.0123", "0.0123"]


def test_systems_that_are_called_as_fields_keep_their_names():
    table = pd.DataFrame({"a": [1.0], "b": [2.0]})
    assert shown(table)[0] == ["a", "b"]
    pivoted = pd.DataFrame([["x", 0.5, 1.0]], columns=pd.Index(["a", "confidence", "p_value"], name="system"))
    assert shown(pivoted) == [["a", "confidence", "p_value"], ["x", "0.50", "1.00"]]


def test_indexes_and_levels_of_columns_are_shown():
    columns = pd.MultiIndex.from_tuples([("BLEU", "mean"), ("BLEU", "std"), ("TER", "mean")])
    frame = pd.DataFrame([[1.0, 2.0, 3.0]], columns=columns, index=pd.Index(["new"], name="system"))
    assert shown(frame) == [["", "BLEU", "TER"], ["system", "mean", "std", "mean"], ["new", "1.00", "2.00", "3.00"]]
    assert 'colspan="2"' in mtw.show_table(frame)._repr_html_()
    assert repr(mtw.show_table(frame)).splitlines()[0] == "system  BLEU mean  BLEU std  TER mean"
    rows = pd.DataFrame({"x": [1]}, index=pd.MultiIndex.from_tuples([("new", 1)], names=["system", "run"]))
    assert shown(rows) == [["system", "run", "x"], ["new", "1", "1"]]


def test_row_numbers_are_not_shown_though_a_selection_left_them():
    selected = pd.DataFrame({"run": [1, 2, 3], "x": [0.5, 1.0, 1.5]}).iloc[[0, 2]]
    expected = [["run", "x"], ["1", "0.50"], ["3", "1.50"]]
    assert shown(selected) == expected
    assert shown(pd.concat([selected.head(1), selected.tail(1).set_axis([0])])) == expected
    assert shown(selected.set_index("run")) == expected
    assert shown(selected.set_index(pd.Index([0.5, 1.5])))[1] == ["0.50", "1", "0.50"]


def test_statistics_of_ngrams_are_in_words():
    outputs = mtw.make_outputs(REFERENCE, {"a": [GOOD]})
    [headings, *_] = shown(mtw.compute_statistics(outputs, "bleu").to_frame())
    assert headings[-8:-3] == [*(f"{n}-gram matches" for n in (1, 2, 3, 4)), "1-grams of the output"]
    assert headings[-1] == "4-grams of the output"


def test_columns_of_one_name_are_all_shown():
    assert shown(pd.DataFrame([["x", "y", 0.1, 0.2]], columns=["a", "system", "p", "p_value"])) == [
        ["system", "system (2)", "p", "p (2)"],
        ["x", "y", "0.1000", "0.2000"],
    ]


def test_the_text_of_a_shown_table_is_that_of_the_frame():
    frame = pd.DataFrame({"system": ["new", "old"], "score": [1.0, 22.5], "runs": [3, 1]})
    assert repr(mtw.show_table(frame)) + "\n" == frame_to_text(frame)
    assert repr(mtw.show_table(pd.DataFrame())) == ""


def test_figures_stand_at_the_right_also_without_a_style():
    html = mtw.show_table(pd.DataFrame({"system": ["new"], "score": [1.0]}))._repr_html_()
    assert '<th scope="col" align="right">score</th>' in html and '<td align="right">1.00</td>' in html
    assert '<th scope="row" align="left">new</th>' in html


def test_the_style_concerns_results_alone():
    style = re.search(r"<style>(.*)</style>", show_html(), re.S)[1]
    selectors = re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"@media print\{(.*)\}", r"\1", style))
    assert len(selectors) > 15
    assert all(one.strip().startswith(".mtw") for selector in selectors for one in selector.split(","))


# ---- errors


def test_ipython_shows_the_sentence_of_an_input_error(capsys):
    interactive = pytest.importorskip("IPython.core.interactiveshell", reason="needs IPython")
    shell = interactive.InteractiveShell.instance()
    try:
        shell.run_cell("import mtworkbench\nraise mtworkbench.InputError('code', 'Wrong \\x1b[31m \\u202e.')")
    finally:
        interactive.InteractiveShell.clear_instance()
    assert capsys.readouterr().out == "InputError: Wrong \\x1b[31m \\u202e.\n"


def test_the_class_of_an_input_error_is_shown():
    class Special(mtw.InputError):
        pass

    assert Special("code", "What is wrong.")._render_traceback_() == ["Special: What is wrong."]


def test_a_result_is_no_frame():
    found = comparison([system("s0"), system("s1")], [pair("s1", "s0", 0.1)])
    with pytest.raises(mtw.InputError, match=r"^show_table shows frames, but a Comparison was given: results show"):
        mtw.show_table(found)
