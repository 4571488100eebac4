"""Tables: what other programs rely on, what people read, and that nothing from data gets out of its cell."""

import csv
import io
import json
import re

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import Comparison, MetricComparison, PairEstimate, SystemEstimate
from mtworkbench.tables import (
    format_comparison,
    frame_to_csv,
    frame_to_latex,
    frame_to_markdown,
    frame_to_text,
    printable,
)
from mtworkbench.tables.frames import shorten

HEAD = ["schema", "version", "signature", "unit", "exchange", "interval", "level", "n_resamples", "n_trials", "rng"]
HEAD += ["n_segments", "n_documents", "metrics", "warnings"]
SYSTEM = ["system", "runs", "score", "scores", "low", "high", "s_sel", "s_test", "design_effect"]
PAIR = ["a", "b", "difference", "low", "high", "p_value", "p_low", "p_high", "p_adjusted", "verdict"]
PAIR += ["n_trials_to_decide", "confidence", "wins", "losses", "ties", "design_effect", "segments_differing"]
PAIR += ["method_p_value", "method_low", "method_high", "method_df"]
HOSTILE = "=x|y$z^2$_&%#{}\\~<b>\x1b[31m*`"


def system(name, score=27.16, **changes):
    fields = {"runs": 1, "scores": (score,), "low": score - 0.8, "high": score + 0.7, "s_sel": 0.4, "s_test": None}
    fields |= {"design_effect": None, "resampled": np.array([score])} | changes
    return SystemEstimate(system=name, score=score, **fields)


def pair(a, b, difference=-0.34, **changes):
    fields = {"low": difference - 0.5, "high": difference + 0.5, "p_value": 0.169, "p_low": 0.165, "p_high": 0.174}
    fields |= {"p_adjusted": 0.338, "verdict": "not significant", "n_trials_to_decide": None, "confidence": 0.092}
    fields |= {"wins": 92, "losses": 908, "ties": 0, "design_effect": None, "segments_differing": 12}
    fields |= {"method_p_value": None, "method_low": None, "method_high": None, "method_df": None}
    fields |= {"resampled": np.array([difference])}
    return PairEstimate(a=a, b=b, difference=difference, **(fields | changes))


def comparison(systems, pairs, name="BLEU", higher_is_better=True, **changes):
    metric = MetricComparison(name, "nrefs:1|tok:13a", higher_is_better, tuple(systems), tuple(pairs))
    fields = {"signature": "test:ar|rng:1", "unit": "segment", "exchange": "unit", "interval": "percentile"}
    fields |= {"level": 0.95, "n_resamples": 1000, "n_trials": 10_000, "rng": 1, "n_segments": 300}
    fields |= {"n_documents": None, "version": "0.1", "baseline": None, "metrics": {name: metric}}
    return Comparison(**(fields | changes))


@pytest.fixture
def two():
    return comparison([system("base"), system("new", 26.82)], [pair("new", "base")])


def cells(line):
    return re.split(r"\s{2,}", line.strip())


def test_json_has_exactly_the_keys_that_others_rely_on(two):
    notice = DataWarning("crlf", "a.txt has CRLF.", path="a.txt", line=1, count=3)
    found = json.loads(format_comparison(two, "json", [notice]))
    assert list(found) == HEAD
    assert found["schema"] == 1
    assert list(found["metrics"]["BLEU"]) == ["signature", "higher_is_better", "systems", "comparisons"]
    assert [list(row) for row in found["metrics"]["BLEU"]["systems"]] == [SYSTEM, SYSTEM]
    assert [list(row) for row in found["metrics"]["BLEU"]["comparisons"]] == [PAIR]
    assert found["warnings"] == [{"code": "crlf", "message": "a.txt has CRLF.", "path": "a.txt", "line": 1, "count": 3}]


def test_json_has_null_for_what_is_absent_and_never_nan():
    systems = [system("a", float("nan"), low=None, high=np.float64("nan"), scores=(1.5, np.float64("inf")))]
    text = format_comparison(comparison(systems, []), "json")
    row = json.loads(text, parse_constant=pytest.fail)["metrics"]["BLEU"]["systems"][0]
    assert row["score"] is row["low"] is row["high"] is row["s_test"] is None
    assert row["scores"] == [1.5, None]
    assert json.loads(text)["metrics"]["BLEU"]["comparisons"] == []


def test_json_is_ascii_whatever_the_names_hold():
    text = format_comparison(comparison([system("système\x9b31m")], []), "json")
    assert text.isascii()
    assert json.loads(text)["metrics"]["BLEU"]["systems"][0]["system"] == "système\x9b31m"


def test_json_keeps_numbers_as_they_are():
    score = 27.123456789012345
    found = json.loads(format_comparison(comparison([system("a", np.float64(score), runs=np.int64(1))], []), "json"))
    assert found["metrics"]["BLEU"]["systems"][0]["score"] == score


def test_csv_has_one_row_a_comparison_with_jsons_keys(two):
    rows = list(csv.reader(io.StringIO(format_comparison(two, "csv"))))
    assert rows[0] == ["metric", *PAIR]
    assert len(rows) == 2
    row = dict(zip(*rows, strict=True))
    assert (row["metric"], row["a"], row["b"]) == ("BLEU", "new", "base")
    assert row["n_trials_to_decide"] == row["design_effect"] == ""
    assert row["difference"] == "-0.34"
    assert row["wins"] == "92"


def test_csv_of_one_system_is_a_header():
    assert format_comparison(comparison([system("a")], []), "csv") == ",".join(["metric", *PAIR]) + "\n"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_disarms_formulas_but_not_numbers(start):
    text = frame_to_csv(pd.DataFrame({"text": [start + "cmd"], "number": [-1.5]}))
    assert list(csv.reader(io.StringIO(text, newline="")))[1] == ["'" + start + "cmd", "-1.5"]


def test_csv_is_unrounded_and_leaves_absent_cells_empty():
    frame = pd.DataFrame({"x": [0.1 + 0.2, np.nan], "n": pd.array([1, None], dtype="Int64"), "t": ["a,b", None]})
    assert frame_to_csv(frame) == 'x,n,t\n0.30000000000000004,1,"a,b"\n,,\n'


def test_csv_keeps_its_rows_whatever_is_in_them():
    texts = ["a\rb", 'c"d', "e\nf", "", None]
    rows = list(csv.reader(io.StringIO(frame_to_csv(pd.DataFrame({"text": texts})), newline="")))
    assert rows == [["text"], ["a\rb"], ['c"d'], ["e\nf"], [""], [""]]


def test_text_shows_scores_differences_and_verdicts(two):
    lines = format_comparison(two, "text").splitlines()
    assert lines[0] == "BLEU, higher is better; 300 segments"
    assert cells(lines[3]) == ["base", "27.16", "[26.36, 27.86]"]
    assert lines[6] == "Difference from base:"
    expected = ["new", "-0.34", "[-0.84, 0.16]", "0.1690", "0.1650-0.1740", "0.3380", "not significant", "9.2 %"]
    assert cells(lines[9]) == expected
    assert lines[-1].startswith("Signature: nrefs:1|tok:13a|test:ar|rng:1")


def test_text_fits_100_columns_and_tells_long_names_apart():
    names = [f"newstest2017.a-system-with-a-rather-long-name.{number}.en-de" for number in range(16)]
    pairs = [pair(name, names[0], design_effect=1.4) for name in names[1:]]
    lines = format_comparison(comparison(list(map(system, names)), pairs, n_documents=130), "text").splitlines()
    start = lines.index(f"Difference from {names[0]}:") + 2
    table = lines[start : start + 16]
    assert max(map(len, table)) <= 100
    assert len({cells(line)[0] for line in table}) == 16
    assert max(map(len, lines[-8:-1])) <= 100


def test_text_shows_runs_only_where_there_are_several():
    runs = [system("a", runs=3, scores=(27.0, 27.1, 27.2), s_test=0.1), system("b")]
    assert "s_sel" not in format_comparison(comparison([system("b")], []), "text")
    lines = format_comparison(comparison(runs, []), "text").splitlines()
    assert cells(lines[2]) == ["system", "runs", "BLEU", "interval", "s_sel", "s_test"]
    assert cells(lines[3]) == ["a", "3", "27.16", "[26.36, 27.86]", "0.40", "0.10"]


@pytest.fixture
def three_runs():
    runs = {"runs": 3, "scores": (27.0, 27.1, 27.2), "s_test": 0.1}
    method = {"method_p_value": 0.2277, "method_low": -0.9, "method_high": 0.22, "method_df": 3.84}
    pairs = [pair("new", "base", **method), pair("old", "base")]
    return comparison([system("base", **runs), system("new", **runs), system("old")], pairs)


def test_json_and_csv_have_the_method_and_null_for_one_run(three_runs):
    found = json.loads(format_comparison(three_runs, "json"))["metrics"]["BLEU"]["comparisons"]
    assert [[row[key] for key in PAIR[-4:]] for row in found] == [[0.2277, -0.9, 0.22, 3.84], [None] * 4]
    rows = list(csv.reader(io.StringIO(format_comparison(three_runs, "csv"))))
    assert [row[-4:] for row in rows] == [PAIR[-4:], ["0.2277", "-0.9", "0.22", "3.84"], [""] * 4]


def test_text_asks_both_questions_where_there_are_runs(three_runs):
    text = format_comparison(three_runs, "text")
    outputs, method = (
        text.index("Difference from base, these outputs:"),
        text.index("Difference from base, the method:"),
    )
    lines = text[method:].splitlines()
    assert outputs < method
    assert [cells(line) for line in lines[2:5]] == [
        ["system", "diff.", "its interval", "p", "df"],
        ["new", "-0.34", "[-0.90, 0.22]", "0.2277", "3.8"],
        ["old", "-0.34"],
    ]
    said = " ".join(text.split())
    assert "These outputs: would other sentences show the difference?" in said
    assert "The crossed analysis, its p not adjusted for 2 comparisons." in said
    assert "3 runs per system pin down run-to-run variation only to within a factor of 0.52 to 6.3" in said
    assert "Numbers of runs differ: a system's score is the mean of its own runs." in said


def test_one_run_is_said_not_to_answer_for_the_method(two):
    said = " ".join(format_comparison(two, "text").split())
    assert "p is about these outputs" in said
    assert "takes two runs a side" in said
    assert "the method:" not in said


@pytest.mark.parametrize("format", ["latex", "markdown"])
def test_latex_and_markdown_ask_both_questions(three_runs, format):
    table = format_comparison(three_runs, format)
    assert "0.2277" in table
    if format == "latex":
        assert "& Holm & method's interval & method's p \\\\\n" in table
        assert "& [$-$0.90, 0.22] & 0.2277 \\\\\n" in table
    else:
        assert "Difference from base, the method:" in table
    for shown in (three_runs._repr_html_(), three_runs.metrics["BLEU"]._repr_html_()):
        assert "<b>Differences: these outputs</b>" in shown
        assert "method_p_value" in shown.split("<b>Differences: the method</b>")[1]
        assert "method_p_value" not in shown.split("<b>Differences: the method</b>")[0]
        assert "The method: would other sentences and other runs show it?" in shown


def test_text_groups_all_pairs_by_the_first_system():
    pairs = [pair("b", "a"), pair("c", "a"), pair("c", "b", 1.25)]
    text = format_comparison(comparison([system("a"), system("b"), system("c")], pairs), "text")
    group = text.split("c minus:\n\n")[1].splitlines()
    assert cells(group[0])[:2] == ["system", "diff."]
    assert [cells(line)[:2] for line in group[1:3]] == [["a", "-0.34"], ["b", "1.25"]]


def test_text_without_direction_has_no_confidence():
    pairs = [pair("new", "base", confidence=None, wins=None, losses=None)]
    text = format_comparison(comparison([system("base"), system("new")], pairs, "Length", None), "text")
    assert "conf" not in text
    assert text.startswith("Length, neither direction is better;")


@pytest.mark.parametrize(
    ("figures", "shown"),
    [
        ({"p_value": 1 / 10_001, "p_low": 0.0, "p_high": 0.00037}, ["0.0001", "0.0000-0.0004"]),
        ({"p_value": 2.0**-15, "p_low": 2.0**-15, "p_high": 2.0**-15}, ["3e-05", "exact"]),
        ({"p_value": 1.0, "p_low": 1.0, "p_high": 1.0}, ["1.0000", "exact"]),
    ],
)
def test_no_p_value_is_shown_as_zero(figures, shown):
    text = format_comparison(comparison([system("base"), system("new")], [pair("new", "base", **figures)]), "text")
    assert cells(text.splitlines()[9])[3:5] == shown


def test_small_scales_keep_two_digits_of_their_intervals():
    comet = [system("a", 0.81234, low=0.81034, high=0.81434), system("b", 0.8, low=0.798, high=0.802)]
    assert "0.8123  [0.8103, 0.8143]" in format_comparison(comparison(comet, [], "COMET"), "text")


@pytest.mark.parametrize("format", ["text", "markdown", "latex"])
def test_undecided_comparisons_say_what_would_decide_them(format):
    pairs = [pair("new", "base", verdict="undecided", n_trials_to_decide=52_000)]
    text = format_comparison(comparison([system("base"), system("new")], pairs), format)
    assert "About 52000 trials would decide between new and base." in text


def test_latex_with_a_baseline_has_one_row_a_system_and_marks_what_is_significant(two):
    won = comparison(
        [system("base"), system("new"), system("old")],
        [pair("new", "base", p_adjusted=0.0002, verdict="significant"), pair("old", "base", verdict="undecided")],
    )
    latex = format_comparison(won, "latex")
    rows = latex.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    assert rows[0] == r"base & 27.16 & [26.36, 27.86] &  &  &  &  \\"
    assert rows[1] == r"new & 27.16 & [26.36, 27.86] & $-$0.34 & [$-$0.84, 0.16] & 0.1690 & 0.0002$^{*}$ \\"
    assert rows[2].endswith(r"0.3380$^{?}$ \\")
    assert "Signature: nrefs:1\\textbar{}\\allowbreak{}tok:13a" in latex


def test_latex_without_a_baseline_names_both_systems():
    pairs = [pair("b", "a"), pair("c", "a"), pair("c", "b")]
    latex = format_comparison(comparison([system("a"), system("b"), system("c")], pairs), "latex")
    assert latex.count("\\begin{table}") == latex.count("\\end{table}") == 2
    assert re.findall(r"^(\w & \w) & \$-\$", latex, flags=re.MULTILINE) == ["b & a", "c & a", "c & b"]


def hostile():
    return comparison([system("base"), system(HOSTILE)], [pair(HOSTILE, "base"), pair("base", HOSTILE)])


def test_latex_escapes_names():
    latex = format_comparison(hostile(), "latex")
    name = r"=x\textbar{}\allowbreak{}y\$z\textasciicircum{}2\$\_\&\%\#\{\}\textbackslash{}\textasciitilde{}"
    name += r"\textless{}b\textgreater{}\textbackslash{}x1b{[}31m{*}`"
    assert f"{name} & 27.16" in latex
    assert "\x1b" not in latex
    for row in re.findall(r".* \\\\$", latex, flags=re.MULTILINE):
        assert len(re.findall(r"(?<!\\)&", row)) in (2, 5)


def test_markdown_escapes_names():
    markdown = format_comparison(hostile(), "markdown")
    assert r"| =x\|y\$z^2\$\_&amp;%#{}\\\~&lt;b&gt;\\x1b\[31m\*\` | 27.16 |" in markdown
    for line in markdown.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in (4, 9)


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "csv", "json"])
def test_no_format_lets_a_name_steer_the_terminal(format):
    written = format_comparison(hostile(), format)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", written)
    assert written.endswith("\n")


def test_another_format_is_refused(two):
    with pytest.raises(InputError) as refused:
        format_comparison(two, "html")
    expected = "The format 'html' is not known: choose one of text, json, latex, markdown, csv."
    assert str(refused.value) == expected


def test_frames_are_rounded_and_escaped():
    frame = pd.DataFrame({"a_b": ["x|y", "long"], "score": [1.005, np.nan], "n": [3, -4], "ok": [True, False]})
    assert frame_to_text(frame, digits=1) == "a_b   score   n  ok\nx|y     1.0   3  True\nlong         -4  False\n"
    assert frame_to_markdown(frame, digits=1).splitlines()[2] == r"| x\|y | 1.0 | 3 | True |"
    latex = frame_to_latex(frame, "50 % of a_b", "tab:a b", digits=1)
    assert r"\caption{50 \% of a\_b}" in latex
    assert r"\label{tab:a-b}" in latex
    assert r"long &  & $-$4 & False \\" in latex


def test_wide_characters_are_aligned():
    lines = frame_to_text(pd.DataFrame({"system": ["百度翻译", "base"], "n": [1, 2]})).splitlines()
    assert lines == ["system    n", "百度翻译  1", "base      2"]


def test_printable_shows_what_steers_and_keeps_letters():
    assert printable("naïve 百度\u200d\x1b[0m\u202e\n\ud800") == "naïve 百度\u200d\\x1b[0m\\u202e\\n\\ud800"


@pytest.mark.parametrize(
    ("names", "width", "shown"),
    [
        (["short", "names"], 12, ["short", "names"]),
        (["task.alpha.en-de", "task.beta.en-de"], 12, ["…alpha…", "…beta…"]),
        (["an-unusually-long-name", "b"], 9, ["an-u…name", "b"]),
        (["xxxxxxxxxx-1-yyyyyyyyyy", "xxxxxxxxxx-1-yyyyyyyyyyy"], 8, None),
        (["system-a-long-name", "system-a-long-name-2"], 12, None),
    ],
)
def test_shortened_names_can_be_told_apart(names, width, shown):
    short = shorten(names, width)
    assert len(set(short.values())) == len(names)
    if shown is not None:
        assert list(short.values()) == shown
