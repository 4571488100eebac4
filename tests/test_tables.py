"""Tables: what other programs rely on, what people read, and that nothing from data gets out of its cell."""

import csv
import io
import json
import re
from dataclasses import replace
from html import unescape
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from mtworkbench import __version__
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.plots import draw_comparison
from mtworkbench.plots.words import describe_figure
from mtworkbench.results.rankings import RankedSystem
from mtworkbench.tables import (
    describe_comparison,
    format_comparison,
    format_plan,
    frame_to_csv,
    frame_to_latex,
    frame_to_markdown,
    frame_to_text,
    printable,
    show_table,
)
from mtworkbench.words import lines as wording
from mtworkbench.words.cells import name_p, show_p
from mtworkbench.words.frames import shorten, wrap
from mtworkbench.words.metric_tables import tabulate_details
from mtworkbench.words.sentences import IF_ALIKE, ONLY_ALONE

from .hand_made import GIVE_DOCUMENTS, NO_DOCUMENTS, ONE_RUN, changed, comparison, pair, system

HEAD = ["schema", "version", "signature", "unit", "exchange", "interval", "level", "n_resamples", "n_trials", "rng"]
HEAD += [
    "runs",
    "strata",
    "adjust",
    "family",
    "n_segments",
    "n_documents",
    "known_documents",
    "metrics",
    "warnings",
    "repaired",
    "headline",
    "assumptions",
    "doubts",
]
METRIC = [
    "signature",
    "higher_is_better",
    "systems",
    "comparisons",
    "ranking",
    "ranking_of",
    "n_units",
    "n_effective_units",
    "label",
]
SYSTEM = [
    "system",
    "runs",
    "score",
    "scores",
    "low",
    "high",
    "s_sel",
    "s_test",
    "design_effect",
    "length_ratio",
    "brevity_penalty",
]
PAIR = ["a", "b", "difference", "low", "high", "p_value", "p_low", "p_high", "p_adjusted", "verdict"]
PAIR += ["n_trials_to_decide", "confidence", "wins", "losses", "ties", "design_effect", "segments_differing"]
PAIR += ["method_p_value", "method_low", "method_high", "method_df"]
METHOD = PAIR[-4:]
PAIR += [
    "better",
    "conclusion",
    "n_segments",
    "score_a",
    "score_b",
    "smallest_p",
    "method_p_adjusted",
    "method_verdict",
    "method_p_separate",
    "method_p_pooled",
    "n_units",
    "units_differing",
    "from_length",
    "tolerated_design_effect",
    "method_tolerated_design_effect",
    "smallest_difference",
    "method_smallest_difference",
    "equivalence_margin",
    "equivalence_p_value",
    "equivalence_p_adjusted",
    "equivalence_verdict",
    "method_equivalence_p_value",
    "method_equivalence_p_adjusted",
    "method_equivalence_verdict",
]
RANKED = ["system", "rank", "rank_low", "rank_high", "group", "against_baseline", "p_best"]
HOSTILE = "=x|y$z^2$_&%#{}\\~<b>\x1b[31m*`"


@pytest.fixture
def two():
    return comparison([system("base"), system("new", 26.82)], [pair("new", "base")])


def ranked(*rows):
    return tuple(RankedSystem(*row) for row in rows)


def table_of(text, heading):
    """The rows of the first table below a heading, which may take several lines."""
    for block in text.split("\n\n"):
        lines = block.splitlines()
        for end in range(1, len(lines)):
            if said_in("\n".join(lines[:end])) == heading:
                return [cells(line) for line in lines[end:]]
    raise AssertionError(f"no table has the heading {heading}")


def details_of(found, **options):
    """The tables of text that have every column."""
    return format_comparison(found, "text", all_columns=True, **options).partition(": all columns\n")[2]


def said_in(text):
    return " ".join(text.split())


def cells(line):
    return re.split(r"\s{2,}", line.strip())


def test_json_has_exactly_the_keys_that_others_rely_on(two):
    """Schema 2: the keys of schema 1 in their order, then the new ones."""
    notice = DataWarning("crlf", "a.txt has CRLF.", path="a.txt", line=1, count=3)
    found = json.loads(format_comparison(two, "json", [notice]))
    assert list(found) == HEAD
    assert found["schema"] == 2
    metric = found["metrics"]["BLEU"]
    assert list(metric) == METRIC
    assert [list(row) for row in metric["systems"]] == [SYSTEM, SYSTEM]
    assert [list(row) for row in metric["comparisons"]] == [PAIR]
    assert metric["ranking"] is metric["ranking_of"] is None
    assert found["warnings"] == [{"code": "crlf", "message": "a.txt has CRLF.", "path": "a.txt", "line": 1, "count": 3}]
    assert found["headline"] == two.headline
    places = ranked(("new", 1, 1, 2, "a"), ("base", 2, 1, 2, "ab"), ("old", 3, 2, 3, None))
    three = comparison(map(system, ("base", "new", "old")), [pair("new", "base")], ranking=places)
    metric = json.loads(format_comparison(three, "json"))["metrics"]["BLEU"]
    assert [list(row) for row in metric["ranking"]] == [RANKED] * 3
    assert metric["ranking"][0] == dict(zip(RANKED, ["new", 1, 1, 2, "a", None, None], strict=True))
    assert (metric["ranking"][2]["group"], metric["ranking_of"]) == (None, "outputs")


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
    pairs = [pair("b", "a", wins=np.int64(92))]
    found = json.loads(format_comparison(comparison([system("a", np.float64(score)), system("b")], pairs), "json"))
    assert found["metrics"]["BLEU"]["systems"][0]["score"] == score
    assert found["metrics"]["BLEU"]["comparisons"][0]["wins"] == 92


def test_csv_has_one_row_a_comparison_with_jsons_keys(two):
    rows = list(csv.reader(io.StringIO(format_comparison(two, "csv"))))
    assert rows[0] == ["metric", *PAIR, "assumptions", "doubts"]
    assert len(rows) == 2
    row = dict(zip(*rows, strict=True))
    assert (row["metric"], row["a"], row["b"]) == ("BLEU", "new", "base")
    assert row["n_trials_to_decide"] == row["design_effect"] == ""
    assert row["difference"] == "-0.34"
    assert row["wins"] == "92"


def test_csv_of_one_system_is_a_header():
    header = format_comparison(comparison([system("a")], []), "csv")
    assert header == ",".join(["metric", *PAIR]) + "\n"


def test_csv_names_the_better_system(two):
    won = comparison([system("base"), system("=new")], [pair("=new", "base", 0.3, verdict="significant")])
    [row] = csv.DictReader(io.StringIO(format_comparison(won, "csv")))
    assert (row["better"], row["conclusion"]) == ("'=new", "shown on these outputs; new runs unknown")
    [row] = csv.DictReader(io.StringIO(format_comparison(two, "csv")))
    assert (row["better"], row["conclusion"], row["method_verdict"]) == ("", "not shown", "")


def test_csv_has_rows_with_and_without_a_better_system_and_a_method():
    """pandas turns an absent text among others into NaN."""
    method = {"method_p_value": 0.01, "method_low": 0.1, "method_high": 0.5, "method_df": 4.0}
    shown = pair("b", "a", 0.3, verdict="significant", method_verdict="significant", **method)
    found = comparison(map(system, "abc"), [shown, pair("c", "a")])
    rows = list(csv.DictReader(io.StringIO(format_comparison(found, "csv"))))
    assert [row["better"] for row in rows] == ["b", ""]
    assert [row["method_verdict"] for row in rows] == ["significant", ""]
    assert [row["conclusion"] for row in rows] == ["shown for the method", "not shown"]


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


JOINED = "BLEU, higher is better; 300 segments; differences from base on these outputs:"
ON_THESE = "Difference from base, on these outputs:"
FOR_THESE = "Difference from base, for these runs:"


def test_text_shows_the_headline_scores_and_differences(two):
    """In one table; the details have all columns of both."""
    text = format_comparison(two, "text")
    lines = text.splitlines()
    headline = "new - base = -0.34 BLEU: on these outputs, no difference is shown (p = 0.3380)."
    assert headline == two.headline[0]
    assert said_in(text).startswith(f"{' '.join(two.headline)} {JOINED} system BLEU")
    assert table_of(text, JOINED) == [
        ["system", "BLEU", "diff.", "95 % CI", "p", "verdict"],
        ["base", "27.16"],
        ["new", "26.82", "-0.34", "[-0.84, 0.16]", "0.3380", "not shown"],
    ]
    settings = "unit:segment|exchange:unit|trials:10000|interval:percentile|level:0.95|resamples:1000|rng:1"
    signature = f"nrefs:1|tok:13a|test:ar|{settings}|mtworkbench:{__version__}"
    assert f"Signature: {signature}" in lines
    assert table_of(details_of(two), "Systems:") == [
        ["system", "BLEU", "95 % CI"],
        ["base", "27.16", "[26.36, 27.86]"],
        ["new", "26.82", "[26.02, 27.52]"],
    ]
    assert table_of(details_of(two), ON_THESE) == [
        ["system", "diff.", "95 % CI", "p", "win %", "verdict"],
        ["new", "-0.34", "[-0.84, 0.16]", "0.3380", "9.2", "not shown"],
    ]


def test_text_says_how_to_see_more_unless_it_shows_it(two):
    more = "More columns and tables, and what they mean: --details."
    short, whole = (format_comparison(two, "text", all_columns=details) for details in (False, True))
    assert more in short.splitlines() and more not in whole and more not in two._repr_html_()
    assert "win %" not in short and "all columns" not in short
    start, _, end = short.partition(more)
    assert whole.startswith(start) and whole.endswith(end)


@pytest.mark.parametrize(
    ("higher_is_better", "difference", "word", "wins"),
    [(True, 0.3, "better", "9.2"), (True, -0.3, "worse", "9.2"), (False, -0.3, "better", "9.2")]
    + [(False, 0.3, "worse", "9.2"), (None, 0.3, "higher", None), (None, -0.3, "lower", None)],
)
def test_a_row_says_its_verdict_with_the_direction(higher_is_better, difference, word, wins):
    """Never a bare "significant"; the share of wins is that of the system of the row."""
    without = {} if higher_is_better is not None else {"confidence": None, "wins": None, "losses": None}
    won = pair("new", "base", difference, verdict="significant", **without)
    found = comparison([system("base"), system("new")], [won], "X", higher_is_better)
    heading, row = table_of(details_of(found), ON_THESE)
    assert (heading[-1], row[-1]) == ("verdict", word)
    assert (dict(zip(heading, row, strict=True)).get("win %")) == wins
    text = format_comparison(found, "text")
    [row] = [line for line in text.splitlines() if line.startswith("new  ")]
    assert cells(row)[-1] == word and "significant" not in text


@pytest.mark.parametrize(("name", "word"), [("Length", "longer"), ("Length|nrefs:1", "longer"), ("Lengthy", "higher")])
def test_length_is_longer_or_shorter(name, word):
    absent = {"confidence": None, "wins": None, "losses": None}
    pairs = [
        pair("b", "a", 0.3, verdict="significant", **absent),
        pair("c", "a", -0.3, verdict="significant", **absent),
    ]
    found = comparison([system("a"), system("b"), system("c")], pairs, name, None)
    rows = table_of(details_of(found), "Difference from a, on these outputs:")[1:]
    assert [row[-1] for row in rows] == [word, {"longer": "shorter", "higher": "lower"}[word]]
    short = {row[0]: row[-1] for row in map(cells, format_comparison(found, "text").splitlines())}
    assert [short["a"], short["b"], short["c"]] == ["27.16", *(row[-1] for row in rows)]
    assert found.headline[:2] == [
        f"{which} {name}: on these outputs, {who} is shown to be {word} (p (Holm) = 0.3380)."
        for which, who in (("b - a = +0.30", "b"), ("c - a = -0.30", "a"))
    ]


def test_the_share_of_wins_is_that_of_the_system_of_the_row():
    """Of all pairs it is turned with the pair; that of a pair and its mirror add up to all resamples."""
    pairs = [pair("b", "a"), pair("c", "a", 0.91, confidence=0.875), pair("c", "b", 1.25, confidence=0.999)]
    found = comparison([system("a"), system("b", 26.82), system("c", 28.07)], pairs)
    heading, *rows = table_of(details_of(found), "Differences of all pairs, on these outputs:")
    wins = {tuple(row[:2]): row[heading.index("win %")] for row in rows}
    assert wins == {("c", "b"): "99.9", ("c", "a"): "87.5", ("a", "b"): "90.8"}
    explained = "win %: share of the bootstrap resamples in which the system of the row has the better score."
    assert explained in said_in(format_comparison(found, "text", all_columns=True))


def test_identical_systems_have_no_share_of_wins():
    for conclusion in ("copies", "identical scores"):
        same = pair("new", "base", 0.0, p_value=1.0, p_low=1.0, p_high=1.0, segments_differing=0, conclusion=conclusion)
        found = comparison([system("base"), system("new")], [same])
        assert table_of(details_of(found), ON_THESE)[1][-2:] == ["0.3380", conclusion]
        assert table_of(format_comparison(found, "text"), JOINED)[2][-2:] == ["0.3380", conclusion]


# ---- width, and names

LONG = [f"newstest2017.a-system-with-a-rather-long-name.{number}.en-de" for number in range(16)]
WORDS = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett", "kilo", "lima"]
UNBROKEN = "Signature"
# Forty characters, of which no part is common to all.
OTHERS = [
    f"{WORDS[n % 12]}-{WORDS[(5 * n + 3) % 12]}-{WORDS[(7 * n + 1) % 12]}-{'x' * 40}"[:38] + f".{n:x}"
    for n in range(16)
]


def sixteen(names, baseline, **changes):
    """Sixteen systems, all pairs or not, with runs and documents and everything else that makes a table wide."""
    runs = {"runs": 3, "scores": (27.0, 27.1, 27.2), "s_test": 0.1, "design_effect": 1.4}
    of_pair = {"method_p_value": 0.00004, "method_low": -22.34, "method_high": -10.22, "method_df": 13.84}
    of_pair |= {"design_effect": 1.4, "p_value": 0.0002, "p_adjusted": 0.6, "low": -22.34, "high": -10.22}
    of_pair |= {
        "method_p_adjusted": 0.07,
        "method_verdict": "not significant",
        "confidence": 0.0,
        "losses": 1000,
        "wins": 0,
    }
    among = [(a, names[0]) for a in names[1:]] if baseline else [(a, b) for b, a in combinations(names, 2)]
    pairs = [pair(a, b, -16.1, **of_pair) for a, b in among]
    group = None if baseline else "abcd"
    places = ranked(*((name, place, 1, 16, group) for place, name in enumerate(names, start=1)))
    systems = [system(name, **runs) for name in names]
    return comparison(systems, pairs, ranking=places, n_documents=130, **changes)


def too_wide(text, width):
    return [line for line in text.splitlines() if len(line) > width and not line.startswith(UNBROKEN)]


@pytest.mark.parametrize("baseline", [True, False])
@pytest.mark.parametrize("names", [LONG, OTHERS], ids=["long", "others"])
def test_text_fits_100_columns_and_tells_long_names_apart(names, baseline):
    found = sixteen(names, baseline)
    text = format_comparison(found, "text")
    assert too_wide(text, 100) == too_wide(details_of(found), 100) == []
    above = "BLEU, higher is better; 300 segments in 130 documents"
    rows = table_of(text, f"{above}; differences from {names[0]}:" if baseline else f"{above}:")[-16:]
    assert len({row[0] for row in rows}) == 16
    what = f"Difference from {names[0]}" if baseline else "Differences of all pairs"
    n_rows = 15 if baseline else 120
    for question in ("for these runs", "for the method (new training or tuning runs)"):
        heading, *rows = table_of(details_of(found), f"{what}, {question}:")
        assert len({tuple(row[: 1 if baseline else 2]) for row in rows}) == len(rows) == n_rows
        assert (heading[-1], rows[0][-1]) == ("verdict", "not shown")


@pytest.mark.parametrize("baseline", [True, False])
@pytest.mark.parametrize("names", [LONG, OTHERS, WORDS + list("abcd")], ids=["long", "others", "short"])
def test_a_narrow_text_leaves_out_what_verdicts_do_not_need(names, baseline):
    """Here at 58 columns; at 200 nothing is left out."""
    found = sixteen(names, baseline)
    assert too_wide(format_comparison(found, "text", width=80), 80) == []
    text = format_comparison(found, "text", all_columns=True, width=58)
    what = f"Difference from {names[0]}" if baseline else "Differences of all pairs"
    n_names = 1 if baseline else 2
    for question in ("for these runs", "for the method (new training or tuning runs)"):
        heading, *rows = table_of(details_of(found, width=58), f"{what}, {question}:")
        assert len({tuple(row[:n_names]) for row in rows}) == len(rows) == (15 if baseline else 120)
        assert heading[n_names : n_names + 2] == ["diff.", "95 % CI"]
        assert heading[-2:] == ["p (Holm)", "verdict"]
    assert re.search(r"Columns left out at this width: [^.]*win %", said_in(text))
    assert "win %: share of" not in said_in(text)
    whole = format_comparison(found, "text", all_columns=True, width=200)
    assert "win %" in table_of(details_of(found, width=200), f"{what}, for these runs:")[0]
    assert "win %: share of" in said_in(whole) and "Columns left out" not in whole


@pytest.mark.parametrize(
    ("width", "of_each"),
    [(80, ["p (Holm)", "verdict"]), (100, ["95 % CI", "verdict"]), (120, ["95 % CI", "p (Holm)", "verdict"])],
)
@pytest.mark.parametrize("names", [LONG, WORDS + list("abcd")], ids=["long", "short"])
def test_claims_stand_above_what_is_said_of_them(names, width, of_each):
    """Of many systems with several claims, interval, p and verdict of each stand side by side, as far as they fit."""
    text = format_comparison(sixteen(names, True), "text", width=width)
    assert too_wide(text, width) == []
    above = f"BLEU, higher is better; 300 segments in 130 documents; differences from {names[0]}:"
    claims, heading, first, second, *rest = table_of(text, above)
    assert claims == ["for the method", "for these runs"]
    assert heading == ["system", "runs", "BLEU", "diff.", *of_each * 2]
    assert first[1:] == ["3", "27.16"] and len(rest) == 14
    shown = {"95 % CI": "[-22.34, -10.22]", "verdict": "not shown"}
    of_claims = [[(shown | {"p (Holm)": p})[name] for name in of_each] for p in ("0.0700", "0.6000")]
    assert second[1:] == ["3", "27.16", "-16.10", *of_claims[0], *of_claims[1]]
    left_out = [name for name in ("95 % CI", "p (Holm)") if name not in of_each]
    assert [line for line in text.splitlines() if line.startswith("Columns left out")] == [
        f"Columns left out at this width: {name}; see --details or a wider terminal." for name in left_out
    ]
    lines = text.splitlines()
    place = next(n for n, line in enumerate(lines) if line.startswith("system"))
    for claim in claims:
        assert lines[place][lines[place - 1].index(claim) :].lstrip().startswith(of_each[0])


def test_a_heading_above_others_has_room_where_columns_are_left_out():
    found = sixteen(LONG, True)
    text = format_comparison(found, "text", width=72)
    claims, headings = re.findall(r"^( *for the method.*)\n(system.*)$", text, flags=re.MULTILINE)[0]
    assert cells(headings) == ["system", "runs", "BLEU", "diff.", "verdict", "verdict"]
    starts = [match.start() for match in re.finditer("verdict", headings)]
    assert [claims.index(claim) for claim in ("for the method", "for these runs")] == starts
    assert re.search(r"^Columns left out at this width: .*p \(Holm\)", text, flags=re.MULTILINE)
    # The details have it.
    details = format_comparison(found, "text", width=72, all_columns=True)
    assert not re.search(r"^Columns left out at this width: .*p \(Holm\)", details, flags=re.MULTILINE)


def test_the_p_of_one_comparison_is_called_p_and_stays_in_a_narrow_text():
    """Nothing is adjusted; in a wide text there is no second column, in a narrow one the p is not left out."""
    names = ["a-system-of-long-name", "another-system-of-long-name"]
    one = comparison([system(names[0]), system(names[1])], [pair(names[1], names[0], p_adjusted=0.169)])
    joined = f"BLEU, higher is better; 300 segments; differences from {names[0]} on these outputs:"
    for width in (100, 60):
        heading, row = table_of(details_of(one, width=width), f"Difference from {names[0]}, on these outputs:")
        assert [name for name in heading if name.startswith("p")] == ["p"]
        assert "0.1690" in row
        heading, _, row = table_of(format_comparison(one, "text", width=width), joined)
        assert [name for name in heading if name.startswith("p")] == ["p"]
        assert "0.1690" in row
    for format in ("latex", "markdown"):
        assert "p (Holm) |" not in format_comparison(one, format, all_columns=True)
    assert ">p (Holm)<" not in one._repr_html_()


@pytest.mark.parametrize("baseline", [True, False])
@pytest.mark.long
def test_a_narrow_text_has_room_for_the_headings_of_short_names(baseline):
    found = sixteen(list("abcdefghijklmnop"), baseline)
    missing = set()
    for width in range(56 if baseline else 60, 110, 3):
        text = format_comparison(found, "text", all_columns=True, width=width)
        tables = [block for block in text.split("\n\n") if "\nsystem " in block]
        assert [line for table in tables for line in table.splitlines() if len(line) > width] == []
        missing.add("Columns left out" in text)
    assert missing == {True, False}


def test_a_column_that_one_metric_has_no_room_for_is_said_to_be_its_own():
    found = comparison([system("base"), system("new")], [pair("new", "base")])
    wide = pair("new", "base", -1234567.25, low=-1234567.25, high=-1234567.25)
    other = comparison([system("base"), system("new")], [wide], "TER", False).metrics["TER"]
    both = replace(found, metrics=found.metrics | {"TER": other})
    text = format_comparison(both, "text", all_columns=True, width=72)
    first, second = (block for block in text.split("\n\n") if block.startswith("Difference from base, on"))
    assert ("win %" in first, "win %" in second) == (True, False)
    assert "Columns left out at this width: win % (TER); see a wider terminal." in said_in(text)
    assert "win %: share of" in said_in(text)


@pytest.mark.parametrize(
    "together", ["5 %", "0.5 BLEU", "-0.31 chrF2++", "1,826 TER", "p = 0.012", "p (Holm) < 0.001", "new - base"]
)
@pytest.mark.parametrize("fill", [wrap, lambda text, width: wording.wrap([text])])
def test_no_line_ends_between_a_number_and_its_unit(together, fill):
    """Wherever in a line the number falls; what is left are ordinary spaces."""
    for n_letters in range(60, 110):
        text = f"{'x' * n_letters} {together} and so on, in 30 segments"
        lines = fill(text, 100).split("\n")
        assert " ".join(lines) == text
        assert any(together in line for line in lines)
        assert all(len(line) <= 100 or " " not in line for line in lines)


def test_the_line_above_a_table_is_wrapped():
    found = comparison([system("base"), system("new")], [pair("new", "base")], "Length", None, n_documents=130)
    lines = format_comparison(found, "text", width=80).splitlines()
    start = lines.index("Length, in % of the references' words, neither direction is better; 300 segments")
    assert lines[start + 1] == "in 130 documents; differences from base on these outputs:"
    assert lines[start + 2].startswith("system  ")
    assert f"Difference from {LONG[0]}, for these\nruns:\nsystem " in details_of(sixteen(LONG, True), width=80)


def test_a_wide_text_has_names_in_full_and_sentences_of_100_columns():
    found = sixteen(LONG, True)
    text = format_comparison(found, "text", all_columns=True, width=200)
    heading, *rows = table_of(details_of(found, width=200), f"Difference from {LONG[0]}, for these runs:")
    assert [row[0] for row in rows] == LONG[1:]
    assert "Columns left out" not in text
    headline, _, legend, *_, explanations, _ = text.split("\n\n")
    for prose in (headline, legend, explanations):
        assert too_wide(prose, 100) == []
    assert max(map(len, explanations.splitlines())) > 90


def test_each_metric_has_its_signature_at_the_end():
    found = comparison([system("a"), system("b")], [pair("b", "a")])
    other = comparison([system("a"), system("b")], [pair("b", "a")], "TER", False).metrics["TER"]
    both = replace(found, metrics=found.metrics | {"TER": replace(other, signature="nrefs:1|case:lc")})
    for details in (False, True):
        *_, prose, signatures = format_comparison(both, "text", all_columns=details).split("\n\n")
        assert prose.count("On these outputs: would") == details
        first, second = signatures.splitlines()
        assert first.startswith("Signature of BLEU: nrefs:1|tok:13a|test:ar|")
        assert second.startswith("Signature of TER: nrefs:1|case:lc|test:ar|")


@pytest.mark.parametrize("name", [LONG[0], "a", "baseline"])
def test_text_fits_100_columns_with_one_run(name):
    names = [name, *LONG[1:]]
    pairs = [pair(a, name, verdict="undecided", n_trials_to_decide=52_000) for a in names[1:]]
    for line in format_comparison(comparison(map(system, names), pairs), "text").splitlines():
        assert len(line) <= 100 or line.startswith(UNBROKEN)


def test_a_name_of_two_sets_of_options_does_not_widen_the_table():
    name = "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    text = format_comparison(comparison([system("a"), system("b")], [pair("b", "a")], name), "text")
    rows = table_of(text, f"{name}, higher is better; 300 segments; differences from a on these outputs:")
    assert rows[0][1] == "BLEU"


def test_text_shows_runs_only_where_there_are_several():
    """And in the details how scores vary."""
    runs = [system("a", runs=3, scores=(27.0, 27.1, 27.2), s_test=0.1), system("b")]
    heading = "BLEU, higher is better; 300 segments:"
    one = format_comparison(comparison([system("b")], []), "text", all_columns=True)
    assert table_of(one, heading)[0] == table_of(one, "Systems:")[0] == ["system", "BLEU", "95 % CI"]
    found = comparison(runs, [])
    rows = table_of(format_comparison(found, "text"), heading)
    assert rows[:2] == [["system", "runs", "BLEU", "95 % CI"], ["a", "3", "27.16", "[26.36, 27.86]"]]
    rows = table_of(details_of(found), "Systems:")
    assert rows[0] == ["system", "runs", "BLEU", "95 % CI", "s_sel (test sets)", "s_test (runs)"]
    assert rows[1] == ["a", "3", "27.16", "[26.36, 27.86]", "0.40", "0.10"]


# ---- two questions


ON_OUTPUTS = (
    "On these outputs: would the same runs show the difference on other sentences of the same kind? This "
    "ignores variation between runs."
)
FOR_METHOD = (
    "For the method: would new training or tuning runs show the difference, too, on other sentences? CI and p: crossed "
    "analysis, which treats both segments and runs as samples (Student's t with df degrees of freedom)."
)


@pytest.fixture
def three_runs():
    runs = {"runs": 3, "scores": (27.0, 27.1, 27.2), "s_test": 0.1}
    method = {"method_p_value": 0.2277, "method_low": -0.9, "method_high": 0.22, "method_df": 3.84}
    method |= {"method_verdict": "not significant"}
    pairs = [pair("new", "base", **method), pair("old", "base")]
    return comparison([system("base", **runs), system("new", **runs), system("old")], pairs, baseline="base")


def test_json_and_csv_have_the_method_and_null_for_one_run(three_runs):
    keys = [*METHOD, "method_p_adjusted", "method_verdict"]
    found = json.loads(format_comparison(three_runs, "json"))["metrics"]["BLEU"]["comparisons"]
    expected = [0.2277, -0.9, 0.22, 3.84, 0.2277, "not significant"]
    assert [[row[key] for key in keys] for row in found] == [expected, [None] * 6]
    rows = list(csv.DictReader(io.StringIO(format_comparison(three_runs, "csv"))))
    assert [[row[key] for key in keys] for row in rows] == [list(map(str, expected)), [""] * 6]


def compared_runs(runs, **variances):
    parts = {"unit_variance": 0.1, "run_variance": 0.3, "residual_variance": 0.1} | variances
    method = {"method_p_value": 0.04, "method_low": -0.9, "method_high": 0.22, "method_df": 3.8}
    one = pair("new", "base", method_verdict="significant", **method, **parts)
    return comparison([system("base", runs=runs[0]), system("new", 26.82, runs=runs[1])], [one])


def test_where_documents_are_unknown_this_is_said():
    sentence = f"If sentences of one document are alike, p is too small and CIs are too narrow. {GIVE_DOCUMENTS}"
    systems, pairs = [system("base"), system("new")], [pair("new", "base")]
    assert sentence in said_in(details_of(comparison(systems, pairs)))
    for changes in ({"n_documents": 5}, {"n_documents": 30, "unit": "document"}, {"unit": "block of 7"}):
        assert sentence not in said_in(details_of(comparison(systems, pairs, **changes))), changes
    few = "With only 5 documents, segments are treated as independent, so CIs may be too narrow."
    assert few in said_in(format_comparison(comparison(systems, pairs, n_documents=5)))
    for changes in ({}, {"n_documents": 6}, {"n_documents": 5, "unit": "document"}):
        assert "With only" not in said_in(format_comparison(comparison(systems, pairs, **changes))), changes
    claimed = comparison(systems, [pair("new", "base", verdict="significant")])
    assert f"{NO_DOCUMENTS} {GIVE_DOCUMENTS}" in said_in(format_comparison(claimed, "text"))


def test_pooled_runs_are_named_and_both_p_are_in_the_details():
    metric = compared_runs((3, 3)).metrics["BLEU"]
    one = changed(metric.comparisons[0], method_p_separate=0.21, method_p_pooled=0.04)
    _, others = tabulate_details(replace(metric, comparisons=(one,)))
    assert [str(cell) for cell in others.columns["p, separate runs"]] == ["0.2100"]
    assert [str(cell) for cell in others.columns["p, pooled runs"]] == ["0.0400"]
    assert others.heading.endswith(", and other p for the method")
    pooled = comparison([system("base", runs=3), system("new", runs=3)], [one], runs="pooled")
    said = (
        "of freedom; run-to-run variation is estimated from the runs of all systems together, and CI and p allow for "
        "twice that standard deviation in either system)"
    )
    assert said in said_in(details_of(pooled))
    assert "run-to-run variation is estimated from" not in said_in(details_of(compared_runs((3, 3))))
    assert "a crossed analysis, which treats both segments and runs as samples and pools the variance of runs" in (
        describe_comparison(pooled)
    )


def test_a_method_that_documents_cannot_test_is_explained():
    """Both systems have runs, but one document holds most segments."""
    found = pair("new", "base", 1.2, verdict="significant", n_effective_units=1.4, unit="document")
    systems = [system("base", runs=3), system("new", 28.3, runs=3), system("old", runs=1)]
    headline = " ".join(comparison(systems, [found]).headline)
    assert "new against base: most segments belong to one document, so there is no p for the method." in headline


def test_the_question_about_the_method_comes_first_where_there_are_runs(three_runs):
    text = format_comparison(three_runs, "text")
    assert table_of(text, "Difference from base:") == [
        ["system", "claim", "diff.", "95 % CI", "p (Holm)", "verdict"],
        ["new", "for the method", "-0.34", "[-0.90, 0.22]", "0.2277", "not shown"],
        ["for these runs", "-0.34", "[-0.84, 0.16]", "0.3380", "not shown"],
        ["old", "for the method", "-0.34", "not tested"],
        ["for these runs", "-0.34", "[-0.84, 0.16]", "0.3380", "not shown"],
    ]
    assert (
        "Verdicts and p are adjusted for both comparisons (Holm); for the method there is one, which is not "
        in said_in(text)
    )
    text = details_of(three_runs)
    of_method = "Difference from base, for the method (new training or tuning runs):"
    assert text.index(of_method) < text.index(FOR_THESE)
    assert table_of(text, of_method) == [
        ["system", "diff.", "95 % CI", "p", "p (Holm)", "df", "verdict"],
        ["new", "-0.34", "[-0.90, 0.22]", "0.2277", "0.2277", "3.8", "not shown"],
        ["old", "-0.34", "not tested"],
    ]
    said = said_in(text)
    assert ON_OUTPUTS.replace("On these outputs", "For these runs") in said
    assert (
        f"{FOR_METHOD} p (Holm): p adjusted for one comparison, the one in which both systems have at least two "
        in said
    )
    assert "the true standard deviation between runs can be 0.52 to 6.3 times the measured one" in said
    assert "The systems have different numbers of runs; each score is the mean over that system's runs." in said


def test_one_run_is_said_not_to_answer_for_the_method(two):
    text = format_comparison(two, "text", all_columns=True)
    assert "for the method" not in text and "not tested" not in text
    said = said_in(text)
    assert "This ignores variation between runs." in said
    assert said.count("nothing is known about new training or tuning runs.") == 1


def test_several_runs_without_an_answer_are_not_asked_for_again():
    """One segment has no variance: more runs would not help."""
    runs = {"runs": 2, "scores": (27.0, 27.2), "s_test": 0.1, "low": None, "high": None}
    one = comparison([system("a", **runs), system("b", **runs)], [pair("b", "a", n_segments=1)], n_segments=1)
    text = format_comparison(replace(one, n_documents=1), "text", all_columns=True)
    assert "nothing is known about new" not in said_in(text)
    assert "BLEU, higher is better; 1 segment in 1 document; differences from a on these outputs:\n" in text


def test_single_runs_are_named_once():
    pairs = [pair(a, b, verdict="significant") for a, b in combinations("abcd", 2)]
    found = comparison(map(system, "abcd"), pairs)
    assert found.headline[-1] == ONE_RUN
    texts = [format_comparison(found, "text", all_columns=details) for details in (False, True)]
    assert [said_in(text).count(ONE_RUN) for text in (*texts, found._repr_html_())] == [1, 1, 1]


@pytest.mark.parametrize("method_verdict", ["significant", "not significant", None])
def test_each_claim_has_its_verdict_in_its_row(three_runs, method_verdict):
    first, second = three_runs.metrics["BLEU"].comparisons
    shown = {"verdict": "significant", "method_verdict": method_verdict}
    metric = replace(three_runs.metrics["BLEU"], comparisons=(changed(first, **shown), second))
    found = replace(three_runs, metrics={"BLEU": metric})
    said = {"significant": "worse", "not significant": "not shown", None: "not tested"}[method_verdict]
    rows = table_of(format_comparison(found, "text"), "Difference from base:")
    assert rows[1][:2] == ["new", "for the method"] and rows[2][0] == "for these runs"
    assert [row[-1] for row in rows[1:3]] == [said, "worse"]
    for question, verdict in (("for the method (new training or tuning runs)", said), ("for these runs", "worse")):
        assert table_of(details_of(found), f"Difference from base, {question}:")[1][-1] == verdict


@pytest.mark.parametrize(
    ("on_outputs", "of_method"), [("undecided", "undecided"), ("not significant", "not shown"), ("copies", "copies")]
)
def test_a_row_claims_for_the_method_only_what_is_shown_on_these_outputs(three_runs, on_outputs, of_method):
    """As the headline and the conclusion do; the sentences below the tables say the rule."""
    first, second = three_runs.metrics["BLEU"].comparisons
    judged = changed(first, verdict=on_outputs, method_verdict="significant", conclusion=of_method)
    if on_outputs == "copies":
        judged = changed(judged, verdict="not significant", method_verdict="not significant", segments_differing=0)
    metric = replace(three_runs.metrics["BLEU"], comparisons=(judged, second))
    found = replace(three_runs, metrics={"BLEU": metric})
    said = ONLY_ALONE if of_method == "not shown" else of_method
    rows = table_of(format_comparison(found, "text"), "Difference from base:")
    assert [row[-1] for row in rows[1:3]] == [said, of_method]
    for question, verdict in (("for the method (new training or tuning runs)", said), ("for these runs", of_method)):
        assert table_of(details_of(found), f"Difference from base, {question}:")[1][-1] == verdict
    rule = "A difference is called shown for the method only if it is also shown for these runs."
    assert (rule in said_in(details_of(found))) == (rule in describe_comparison(found)) == (on_outputs != "copies")


def test_what_is_not_shown_but_would_be_alone_is_explained_where_it_is_said(three_runs):
    """Below the first table that says it, in text and HTML."""
    first, second = three_runs.metrics["BLEU"].comparisons
    explained = (
        '"Not shown (only alone)": the test of this claim, taken alone, shows a difference; none is shown for these '
        "runs."
    )
    for verdict, on_outputs in (
        ("significant", "not significant"),
        ("significant", "significant"),
        (None, "undecided"),
    ):
        judged = changed(first, verdict=on_outputs, method_verdict=verdict, conclusion=on_outputs)
        metric = replace(three_runs.metrics["BLEU"], comparisons=(judged, second))
        found = replace(three_runs, metrics={"BLEU": metric})
        text, html = format_comparison(found, "text"), found._repr_html_()
        assert (ONLY_ALONE in text) == (ONLY_ALONE in html) == (on_outputs == "not significant")
        counts = said_in(text).count(explained), unescape(html).count(explained)
        assert counts == ((1, 1) if on_outputs == "not significant" else (0, 0))


def test_what_is_shown_if_runs_vary_alike_is_explained_where_it_is_said():
    metric = compared_runs((3, 3)).metrics["BLEU"]
    alike = {"method_p_value": 0.2, "method_p_adjusted": 0.2, "method_p_pooled": 0.01}
    one = changed(metric.comparisons[0], verdict="significant", method_verdict="not significant", **alike)
    explained = f'"{IF_ALIKE[0].upper()}{IF_ALIKE[1:]}": p is at most 0.05 only if both systems vary as much from run'
    for shown in (True, False):
        judged = replace(one, judged=replace(one.judged, shown_if_alike=shown))
        systems = [system("base", runs=3), system("new", 26.82, runs=3)]
        found = comparison(systems, [judged], runs="pooled")
        text = format_comparison(found, "text")
        assert table_of(text, "Difference from base:")[1][-1] == (IF_ALIKE if shown else "not shown")
        assert said_in(text).count(explained) == unescape(found._repr_html_()).count(explained) == shown


def test_a_paper_says_on_what_a_difference_is_undecided(three_runs):
    """Its p is that for the method, which comes from no trials."""
    first, second = three_runs.metrics["BLEU"].comparisons
    pairs = changed(first, verdict="undecided", conclusion="undecided", method_verdict="significant"), second
    found = replace(three_runs, metrics={"BLEU": replace(three_runs.metrics["BLEU"], comparisons=pairs)})
    assert (
        "?: undecided for these runs, because p (Holm) is too close to 0.05 to decide with 10,000 trials"
        in format_comparison(found, "markdown")
    )
    one_run = comparison(map(system, "ab"), [pair("b", "a", verdict="undecided")], baseline="a")
    assert "?: undecided, because p is too close to 0.05 to decide with 10,000 trials" in format_comparison(
        one_run, "markdown"
    )


@pytest.mark.parametrize("format", ["latex", "markdown"])
def test_latex_and_markdown_ask_both_questions(three_runs, format):
    table = format_comparison(three_runs, format, all_columns=True)
    assert "0.2277" in table
    assert "Difference from base, for the method (new training or tuning runs):" in table
    assert "Difference from base, for these runs:" in table
    if format == "latex":
        assert "& p & p (Holm) & df & verdict \\\\\n" in table
        assert "& [$-$0.90, 0.22] & 0.2277 & 0.2277 & 3.8 & not shown \\\\\n" in table
    for shown in (three_runs._repr_html_(), three_runs.metrics["BLEU"]._repr_html_()):
        first, _, details = shown.partition("BLEU: all columns")
        assert (
            first.index("<td>for the method</td>") < first.index(">0.2277</td>") < first.index(">for these runs</td>")
        )
        of_method = details.index("Difference from base, for the method (new training or tuning runs)")
        assert of_method < details.index(">0.2277</td>") < details.index("Difference from base, for these runs")
    assert FOR_METHOD in unescape(three_runs._repr_html_())


# ---- all pairs are one table


def all_pairs(higher_is_better=True):
    pairs = [pair("b", "a"), pair("c", "a", verdict="significant"), pair("c", "b", 1.25, verdict="significant")]
    return comparison([system("a"), system("b", 26.82), system("c", 28.07)], pairs, "X", higher_is_better)


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_all_pairs_are_one_table_with_the_better_scoring_system_first(higher_is_better):
    text = format_comparison(all_pairs(higher_is_better), "text")
    short = table_of(text, "Differences of all pairs, on these outputs:")
    heading, *rows = table_of(details_of(all_pairs(higher_is_better)), "Differences of all pairs, on these outputs:")
    assert heading == ["system", "against", "diff.", "95 % CI", "p", "p (Holm)", "win %", "verdict"]
    assert short == [[*row[:4], row[5], row[7]] for row in (heading, *rows)]
    a_over_b = ["a", "b", "0.34", "[-0.16, 0.84]", "0.1690", "0.3380", "90.8", "not shown"]
    a_over_c = ["a", "c", "0.34", "[-0.16, 0.84]", "0.1690", "0.3380", "90.8", "better"]
    c_over_b = ["c", "b", "1.25", "[0.75, 1.75]", "0.1690", "0.3380", "9.2", "better"]
    if higher_is_better:
        assert rows == [c_over_b, a_over_c, a_over_b]
    else:
        assert [row[:3] for row in rows] == [["b", "a", "-0.34"], ["b", "c", "-1.25"], ["c", "a", "-0.34"]]
        assert [row[-2:] for row in rows] == [["9.2", "not shown"], ["90.8", "better"], ["9.2", "better"]]


def test_the_methods_interval_is_turned_with_the_pair():
    method = {"method_p_value": 0.2277, "method_low": -0.9, "method_high": 0.22, "method_df": 3.84}
    pairs = [pair("b", "a", method_verdict="not significant", **method), pair("c", "a"), pair("c", "b")]
    found = comparison([system("a", runs=2), system("b", runs=2), system("c")], pairs)
    rows = table_of(details_of(found), "Differences of all pairs, for the method (new training or tuning runs):")
    assert rows[1] == ["a", "b", "0.34", "[-0.22, 0.90]", "0.2277", "0.2277", "3.8", "not shown"]
    said = " ".join(format_comparison(found, "text").split())
    assert "verdict a b for the method 0.34 [-0.22, 0.90] 0.2277 not shown" in said


def test_rows_are_in_the_order_of_the_ranking():
    """Of all pairs, and of the systems compared with one baseline, whatever order they were given in."""
    places = ranked(("c", 1, 1, 1, "a"), ("a", 2, 2, 3, "b"), ("b", 3, 2, 3, "b"))
    systems = [system("a"), system("b", 26.82), system("c", 28.07)]
    pairs = [pair("b", "a"), pair("c", "a", 0.91), pair("c", "b", 1.25)]
    found = comparison(systems, pairs, ranking=places)
    rows = table_of(format_comparison(found, "text"), "Differences of all pairs, on these outputs:")[1:]
    assert [row[:2] for row in rows] == [["c", "a"], ["c", "b"], ["a", "b"]]
    details = tabulate_details(found.metrics["BLEU"])[0].columns
    assert list(zip(details["system"], details["against"], strict=True)) == [("c", "a"), ("c", "b"), ("a", "b")]
    places = ranked(("d", 1), ("a", 2), ("c", 3), ("b", 4))
    pairs = [pair(name, "a", difference) for name, difference in (("b", -1.0), ("c", -0.5), ("d", 0.5))]
    found = comparison(map(system, "abcd"), pairs, ranking=places, baseline="a")
    rows = table_of(details_of(found), "Difference from a, on these outputs:")[1:]
    assert [row[:2] for row in rows] == [["d", "0.50"], ["c", "-0.50"], ["b", "-1.00"]]
    joined = "BLEU, higher is better; 300 segments; differences from a on these outputs:"
    rows = table_of(format_comparison(found, "text"), joined)[1:]
    assert [row[0] for row in rows] == ["d", "a", "c", "b"]
    assert [row[2:3] for row in rows] == [["0.50"], [], ["-0.50"], ["-1.00"]]
    latex = format_comparison(found, "latex")
    body = latex.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    assert [row[0] for row in body] == ["d", "a", "c", "b"]
    assert [row.split(" & ")[2] for row in body] == ["0.50", "baseline", "$-$0.50", "$-$1.00"]


def test_a_ranking_comes_before_the_differences():
    places = ranked(("c", 1, 1, 1, "a"), ("a", 2, 2, 3, "b"), ("b", 3, 2, 3, "b"))
    found = all_pairs()
    metric = replace(found.metrics["X"], ranking=places, ranking_of="outputs")
    found = replace(found, metrics={"X": metric})
    text = format_comparison(found, "text")
    rows = [
        ["system", "X", "95 % CI", "ranks", "group"],
        ["c", "28.07", "[27.27, 28.77]", "1", "a"],
        ["a", "27.16", "[26.36, 27.86]", "2-3", "b"],
        ["b", "26.82", "[26.02, 27.52]", "2-3", "b"],
    ]
    assert table_of(details_of(found), "Systems:") == rows
    # Above the differences, scores have no intervals, and the headline says of each of three pairs what ranks say.
    assert table_of(text, "X, higher is better; 300 segments:") == [row[:2] for row in rows]
    assert text.index("X, higher is better") < text.index("Differences of all pairs")
    assert "Ranks" not in text
    groups = "systems that share a letter are not shown to differ."
    outputs, methods = (
        f"Ranks are those still possible, given what is shown {whose}; {groups}"
        for whose in ("on these outputs", "for the method")
    )
    assert outputs in said_in(details_of(found))
    for format in ("latex", "markdown"):
        assert outputs in format_comparison(found, format, all_columns=True)
    found = replace(found, metrics={"X": replace(metric, ranking_of="method")})
    assert methods in said_in(details_of(found))


def test_with_a_baseline_each_system_has_its_verdict_and_none_a_rank():
    systems = [system("a"), system("b", 26.82), system("c", 28.07)]
    pairs = [pair("b", "a"), pair("c", "a", 0.91, verdict="significant")]
    places = [("c", "better"), ("a", None), ("b", "not shown")]
    places = tuple(RankedSystem(name, rank, against_baseline=said) for rank, (name, said) in enumerate(places, start=1))
    found = comparison(systems, pairs, ranking=places, baseline="a")
    text = format_comparison(found, "text")
    rows = table_of(text, "BLEU, higher is better; 300 segments; differences from a on these outputs:")
    assert rows == [
        ["system", "BLEU", "diff.", "95 % CI", "p (Holm)", "verdict"],
        ["c", "28.07", "0.91", "[0.41, 1.41]", "0.3380", "better"],
        ["a", "27.16"],
        ["b", "26.82", "-0.34", "[-0.84, 0.16]", "0.3380", "not shown"],
    ]
    said = said_in(format_comparison(found, "text", all_columns=True))
    assert said.count("Only differences from a are tested.") == 1
    assert "ranks" not in text + said and "group" not in text


@pytest.mark.parametrize("tiny", [-0.0, -0.004, 0.0, 0.004])
def test_what_rounds_to_zero_has_no_sign(tiny):
    """In no sentence, table or interval, and in none of the formats."""
    method = {"method_p_value": 0.5, "method_low": -0.003, "method_high": 0.002, "method_df": 4.0}
    near = {"low": -0.6, "high": tiny, "score_a": -0.001, "score_b": 0.001, "n_segments": 250}
    near |= method | {"method_verdict": "not significant"}
    systems = [system("base", -0.002, low=-0.6, high=-0.001, runs=2), system("new", 0.001, low=-0.4, high=0.4, runs=2)]
    found = comparison(systems, [pair("new", "base", tiny, **near)])
    metric = found.metrics["BLEU"]
    assert found.headline[0] == (
        "new - base = 0.00 BLEU: no difference is shown for the method (p = 0.5000) or for these runs (p = 0.3380)."
    )
    below = tiny == -0.004  # then 0 is not in the interval, although its end is shown as 0
    ends = "below 0, down to -0.60" if below else "-0.60 to 0.00"
    assert describe_comparison(metric).startswith(
        f"BLEU: base 0.00 (95 % CI -0.60 to 0.00); new 0.00 (95 % CI -0.40 to 0.40); new - base = 0.00 (95 % CI "
        f"{ends}), p = 0.3380; for the method p = 0.5000"
    )
    written = [format_comparison(found, format) for format in ("text", "markdown", "latex")]
    written += [found._repr_html_(), metric._repr_html_(), describe_comparison(metric)]
    for one in written:
        assert not re.search(r"(-|\$-\$|\+|\\-)0\.0+(?!\d)", one)
    assert f"[-0.60, {'<0' if below else '0.00'}]" in written[0] and "[0.00, 0.00]" in written[0]
    assert "-0.00" not in details_of(found)


def test_text_without_direction_has_no_share_of_wins():
    pairs = [pair("new", "base", confidence=None, wins=None, losses=None)]
    found = comparison([system("base"), system("new")], pairs, "Length", None)
    assert "win %" not in format_comparison(found, "text", all_columns=True)
    text = said_in(format_comparison(found, "text"))
    assert "Length, in % of the references' words, neither direction is better; 300 segments; diff" in text
    text = format_comparison(comparison([system("base"), system("new")], pairs, "Lengthy", None), "text")
    assert "Lengthy, no direction is known (--direction Lengthy=up or Lengthy=down); 300 segments; differences" in text


# ---- shown p


def with_p(n_trials=10_000, **figures):
    return comparison([system("base"), system("new")], [pair("new", "base", n_trials=n_trials, **figures)])


@pytest.mark.parametrize(
    ("p", "n_trials", "shown"),
    # drawn: floor(log10 of the number of trials), two to four
    [(1 / 10_001, 10_000, "<0.0001"), (0.0001, 10_000, "0.0001"), (0.00012, 9_999, "<0.001"), (0.0012, 9_999, "0.001")]
    + [(1 / 100_001, 100_000, "<0.0001"), (0.169, 1000, "0.169"), (0.169, 999, "0.17"), (0.169, 100, "0.17")]
    + [(0.169, 50, "0.17"), (0.0099, 72, "<0.01"), (1.0, 10_000, "1.0000"), (1.0, 200, "1.00")]
    # exact: four, whatever the number of trials
    + [(2.0**-15, None, "<0.0001"), (2.0**-13, None, "0.0001"), (0.125, None, "0.1250"), (1.0, None, "1.0000")]
    # above 0.05, at which a difference is called shown: as many more as tell it from 0.05
    + [(1640 / 2**15, None, "0.05005"), (0.050004, 10_000, "0.050004"), (0.0504, 1000, "0.0504"), (0.053, 999, "0.053")]
    + [(0.0504, 10_000, "0.0504"), (0.056, 999, "0.06")],
)
def test_a_p_is_shown_with_the_digits_that_its_draws_carry(p, n_trials, shown):
    exact = n_trials is None
    ends = {"p_low": p, "p_high": p} if exact else {"p_low": 0.0, "p_high": min(1.0, 2 * p + 0.001)}
    found = with_p(n_trials or 100, p_value=p, p_adjusted=p, **ends)
    said = f"p < {shown[1:]}" if shown.startswith("<") else f"p = {shown}"
    text = format_comparison(found, "text")
    assert table_of(text, JOINED)[2][4] == table_of(details_of(found), ON_THESE)[1][3] == shown
    headline = f"new - base = -0.34 BLEU: on these outputs, no difference is shown ({said})."
    assert headline in said_in(text)
    in_latex = shown.replace("<", "$<$")
    assert f"| {shown} |\n" in format_comparison(found, "markdown")
    assert f"& {in_latex} \\\\\n" in format_comparison(found, "latex")
    assert f"| {shown} |" in format_comparison(found, "markdown", all_columns=True)
    assert f"& {in_latex} &" in format_comparison(found, "latex", all_columns=True)
    html = found._repr_html_()
    assert html.count(f">{shown.replace('<', '&lt;')}</td>") >= 1
    assert headline.replace("<", "&lt;").replace("-0", "−0") in html
    assert f"{said}: no difference is shown" in describe_comparison(found.metrics["BLEU"])
    assert found.headline[0] == headline
    for written in (text, html, format_comparison(found, "latex"), format_comparison(found, "markdown")):
        assert not re.search(r"\de[-+]?\d|\b0\.0+\b", re.sub(r"[\d.]+; [\d.]+|&lt;0.0+1|<0.0+1", "", written))
    assert json.loads(format_comparison(found, "json"))["metrics"]["BLEU"]["comparisons"][0]["p_value"] == p


@pytest.mark.parametrize("p_high", [1640 / 2**15, 0.0544])
def test_no_view_shows_a_p_above_the_level_as_if_it_were_at_it(p_high, own_figures):
    p, t = 1640 / 2**15, 0.050007
    figures = {"p_value": p, "p_adjusted": p, "p_low": min(p, 2 * p - p_high), "p_high": p_high}
    figures |= {"method_p_value": t, "method_p_separate": t, "method_p_pooled": t, "method_verdict": "not significant"}
    found = with_p(**figures, method_low=-0.9, method_high=0.22, method_df=3.84)
    [one] = found.metrics["BLEU"].comparisons
    frame = one.to_frame()
    views = [found._repr_html_(), repr(one), one._repr_html_(), repr(show_table(frame)), *found.headline]
    views += [describe_comparison(found.metrics["BLEU"]), describe_figure(draw_comparison(found))]
    views += [repr(show_table(frame[["p_value", "method_p_value", "verdict"]]))]
    views += [
        format_comparison(found, name, all_columns=wide) for name in ("text", "markdown", "latex") for wide in (0, 1)
    ]
    assert not [view for view in views if re.search(r"\b0\.050+\b", view)]
    assert all(re.search(r"0\.05005|0\.05001", view) for view in views if "no difference" in view or "p_value" in view)
    assert "0.05001" in details_of(found)
    assert not re.search(r"\b0\.050+\b", details_of(found))


def test_a_p_is_told_from_the_level_that_was_asked_for():
    assert [show_p(0.0104, 2, level) for level in (0.95, 0.99)] == ["0.01", "0.0104"]
    assert [name_p(0.10004, 4, level=level) for level in (0.95, 0.9)] == ["p = 0.1000", "p = 0.10004"]


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.2277, "0.2277"), (0.0004, "0.0004"), (8e-30, "<0.0001"), (0.0010, "0.0010")]
    # above 0.05, at which a difference is called shown, it is not shown as 0.05
    + [(0.05002, "0.05002"), (0.050004, "0.050004"), (0.04996, "0.0500"), (0.05, "0.0500")],
)
def test_a_p_of_students_t_is_shown_with_four_digits(p, shown):
    figures = {"method_p_value": p, "method_low": -0.9, "method_high": 0.22, "method_df": 3.84}
    figures |= {"method_verdict": "significant" if p < 0.05 else "not significant"}
    found = with_p(**figures)
    text = format_comparison(found, "text")
    assert table_of(text, "Difference from base:")[1][4] == shown
    assert (
        table_of(details_of(found), "Difference from base, for the method (new training or tuning runs):")[1][3]
        == shown
    )
    said = f"p < {shown[1:]}" if shown.startswith("<") else f"p = {shown}"
    assert found.headline[0].startswith("new - base = -0.34 BLEU: ")
    assert f"{said})" in found.headline[0] and "or these runs" in found.headline[0]
    assert found.headline[0].endswith(" (p = 0.3380).")
    assert f"for the method {said}: no difference is shown" in describe_comparison(found.metrics["BLEU"])
    assert f"& {shown.replace('<', '$<$')} \\\\\n" in format_comparison(found, "latex")
    assert f"& {shown.replace('<', '$<$')} & 3.8 &" in format_comparison(found, "latex", all_columns=True)


def test_no_estimate_shows_a_p_as_zero_or_with_an_exponent():
    """A result that is looked at in a notebook shows p as tables do; its data keep all digits."""
    tiny = pair("new", "base", p_value=1 / 10_001, p_low=0.0, p_high=0.00037, p_adjusted=2e-4, method_p_value=8e-30)
    for shown in (repr(tiny), tiny._repr_html_().replace("&lt;", "<")):
        assert "<0.0001" in shown
        assert not re.search(r"\de-\d", shown)
    assert "p_value=<0.0001, p_low=<0.0001, p_high=0.0004, p_adjusted=0.0002" in repr(tiny)
    assert "method_p_value=<0.0001" in repr(tiny)
    assert tiny.to_frame().loc[0, "p_value"] == 1 / 10_001
    rough = pair("new", "base", p_value=1 / 101, p_low=0.0, p_high=0.0362, p_adjusted=0.0198, n_trials=100)
    assert "p_value=<0.01, p_low=<0.01, p_high=0.04, p_adjusted=0.02" in repr(rough)


def test_small_scales_keep_two_digits_of_their_intervals():
    comet = [system("a", 0.81234, low=0.81034, high=0.81434), system("b", 0.8, low=0.798, high=0.802)]
    assert "0.8123  [0.8103, 0.8143]" in format_comparison(comparison(comet, [], "COMET"), "text")


def test_a_difference_that_rounds_to_zero_has_no_sign_in_its_row():
    pairs = [pair("new", "base", -0.001, low=-0.5, high=-0.004)]
    text = format_comparison(comparison([system("base"), system("new")], pairs), "text")
    assert table_of(text, JOINED)[2][2:4] == ["0.00", "[-0.50, <0]"]


def test_an_interval_no_wider_than_rounding_errors_has_no_digits_to_show():
    same = [system("a", 100.0, low=100.0, high=np.nextafter(100.0, 101))]
    assert "100.00  [100.00, 100.00]" in format_comparison(comparison(same, [], "Length"), "text")


# ---- what is explained below the table


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "html"])
def test_it_is_said_why_comparisons_are_undecided(format):
    """One sentence per table, however many there are."""

    def said(pairs):
        found = comparison([system("base"), system("new"), system("old")], pairs, baseline="base")
        html = format == "html"
        written = found._repr_html_() if html else format_comparison(found, format, all_columns=True)
        return said_in(re.sub("^% ", "", written, flags=re.MULTILINE))

    one, other, shown = (
        pair(name, "base", verdict=verdict)
        for name, verdict in (("new", "undecided"), ("old", "undecided"), ("old", "significant"))
    )
    why = "p (Holm) is too close to 0.05 to decide with 10,000 trials"
    assert why in said([one, shown]) and why in said([one, other])
    assert "too close" not in said([shown])


NEED_NOT_AGREE = (
    "The CI of a difference is not adjusted for the number of comparisons, and on these outputs it comes from another "
    "method than p, so it need not agree with the verdict."
)


@pytest.mark.parametrize("format", ["text", "html"])
def test_an_interval_of_another_method_than_p_need_not_agree_with_the_verdict(format):
    """Which is said once, whatever the single comparisons show."""
    alone = pair("b", "a", 0.6, p_value=0.03, p_adjusted=0.06)
    found = comparison(map(system, "abc"), [alone, changed(alone, a="c")], baseline="a")

    def said(one):
        return said_in(one._repr_html_() if format == "html" else format_comparison(one, format))

    assert said(found).count("need not agree") == (2 if format == "html" else 1)  # in a notebook also in the details
    assert NEED_NOT_AGREE in said(found)
    assert "Holm" in said(found) and "not after" not in said(found)
    one = comparison(map(system, "ab"), [alone])
    assert "The CI of a difference on these outputs comes from another method than p, so it need not" in said(one)
    by_exchanges = {"adjust": "max-t", "interval_of_differences": "exchanges"}
    assert "need not agree" not in said(comparison(map(system, "ab"), [alone], **by_exchanges))


def test_design_effects_are_shown_where_documents_are_known():
    systems = [system("a", design_effect=1.1), system("b", design_effect=3.7), system("c", design_effect=2.0)]
    pairs = [pair("b", "a", design_effect=1.44), pair("c", "a", design_effect=0.96)]
    found = comparison(systems, pairs, n_documents=30)
    for written in (format_comparison(found, format, all_columns=True) for format in ("text", "markdown", "latex")):
        said = said_in(written)
        assert (
            "deff: design effect of a score or of a difference, the estimated variance with documents as units divided "
            "by that with segments as units."
        ) in said
        assert "3.7" in written
    of_pairs = tabulate_details(found.metrics["BLEU"])[0].columns
    assert of_pairs["deff (diff.)"] == ["1.4", "1.0"]
    assert "deff" not in format_comparison(found, "text")
    assert "deff" not in details_of(comparison([system("a"), system("b")], [pair("b", "a")]))


# ---- missing judgements


@pytest.fixture
def missing():
    """The difference is of shared segments, -0.14; the systems' own means are 0.29 and 0.03."""
    systems = [system("a", 0.03, low=-0.4, high=0.5), system("b", 0.29, low=-0.2, high=0.8)]
    shared = {"n_segments": 240, "score_a": 0.11, "score_b": 0.25}
    return comparison(systems, [pair("b", "a", -0.14, **shared)], "MQM")


def test_text_shows_what_a_comparison_of_shared_segments_rests_on(missing):
    text = details_of(missing)
    assert table_of(text, "Scores on the segments scored for both systems:") == [
        ["system", "against", "segments", "score of system", "score of baseline"],
        ["b", "a", "240", "0.11", "0.25"],
    ]
    whole = comparison([system("a"), system("b", 26.82)], [pair("b", "a")])
    assert "Scores on the segments scored for both systems" not in details_of(whole)
    assert "| b | a | 240 | 0.11 | 0.25 |" in format_comparison(missing, "markdown", all_columns=True)
    said = "The difference by MQM is on the segments scored for both systems (240 of 300)."
    assert said in said_in(format_comparison(missing, "text"))
    assert said in missing._repr_html_() and said in describe_comparison(missing)
    assert "scored for both" not in describe_comparison(comparison(map(system, "ab"), [pair("b", "a")]))
    others = [pair("b", "a", n_segments=240), pair("c", "a", n_segments=238)]
    found = comparison(map(system, "abc"), others, "MQM", baseline="a")
    assert said.replace("The", "Each").replace("(240", "(238 or 240") in describe_comparison(found)
    assert ">240</td>" in missing._repr_html_() and ">240</td>" in missing.metrics["MQM"]._repr_html_()


def test_scores_on_shared_segments_are_turned_with_the_pair():
    """Of all pairs, the better-scoring system comes first."""
    shared = {"n_segments": 240, "score_a": 0.11, "score_b": 0.25}
    pairs = [pair("b", "a", -0.14, **shared), pair("c", "a"), pair("c", "b")]
    found = comparison([system("a"), system("b"), system("c")], pairs, "MQM")
    heading, *rows = table_of(details_of(found), "Scores on the segments scored for both systems:")
    assert heading == ["system", "against", "segments", "score of system", "score of the other"]
    assert rows[0] == ["a", "b", "240", "0.25", "0.11"]


def test_latex_and_json_show_what_a_comparison_of_shared_segments_rests_on(missing):
    latex = format_comparison(missing, "latex", all_columns=True)
    [head] = re.findall("^system & against & segments & .*", latex, flags=re.MULTILINE)
    assert re.findall(r"score (?:\\\\ )?of \\\\ (\w+)", head) == ["system", "baseline"]
    assert "b & a & 240 & 0.11 & 0.25 \\\\\n" in latex
    latex = format_comparison(missing, "latex")
    assert "b & 0.29 & $-$0.14 &" in latex
    assert "with differences from a, on the segments that both have scores for, their 95" in latex
    [row] = json.loads(format_comparison(missing, "json"))["metrics"]["MQM"]["comparisons"]
    assert (row["n_segments"], row["score_a"], row["score_b"]) == (240, 0.11, 0.25)


def test_segments_that_no_system_has_scores_for_are_counted():
    systems = [system("base"), system("new", 26.82)]
    text = format_comparison(comparison(systems, [pair("new", "base", n_segments=290)]), "text", all_columns=True)
    assert (
        "BLEU, higher is better; 290 of 300 segments (the other 10 have no scores); differences from base"
        in said_in(text)
    )
    assert "Scores on the segments" not in text
    text = format_comparison(comparison(systems, [pair("new", "base")]), "text")
    assert JOINED in text


def test_thousands_have_a_comma():
    counts = {"n_segments": 2000, "n_documents": 1012}
    found = comparison([system("base"), system("new")], [pair("new", "base", n_segments=2000)], **counts)
    heading = "BLEU, higher is better; 2,000 segments in 1,012 documents"
    assert heading in format_comparison(found, "text") and heading in found._repr_html_()
    missing = comparison([system("base"), system("new")], [pair("new", "base", n_segments=1900)], **counts)
    scored = "BLEU, higher is better; 1,900 of 2,000 segments (the other 100 have no scores) in 1,012 documents"
    assert scored in format_comparison(missing, "text")


def test_latex_with_a_baseline_has_one_row_a_system_and_says_what_is_shown(two):
    won = comparison(
        [system("base"), system("new"), system("old")],
        [
            pair("new", "base", p_adjusted=0.0002, verdict="significant"),
            pair("old", "base", verdict="undecided", n_trials_to_decide=52_000),
        ],
        baseline="base",
    )
    latex = format_comparison(won, "latex")
    rows = latex.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    assert rows == [
        r"base & 27.16 & baseline &  &  \\",
        r"new & 27.16 & $-$0.34\rlap{$^{\dagger}$} & [$-$0.84, 0.16] & 0.0002 \\",
        r"old & 27.16 & $-$0.34\rlap{$^{?}$} & [$-$0.84, 0.16] & 0.3380 \\",
    ]
    assert r"system & BLEU & diff. & 95 \% CI & p (Holm) \\" in latex
    assert f"% Signature: nrefs:1|tok:13a|{won.signature}\n" in latex
    assert latex.startswith(
        "% new - base = -0.34 BLEU: on these outputs, base is shown to be better (p (Holm) = 0.0002).\n"
    )


def test_latex_without_a_baseline_names_both_systems():
    latex = format_comparison(all_pairs(), "latex", all_columns=True)
    assert latex.count("\\begin{table") == latex.count("\\end{table") == 2
    assert re.findall(r"^(\w & \w) & [$\d]", latex, flags=re.MULTILINE) == ["c & b", "a & c", "a & b"]


def hostile():
    return comparison([system("base"), system(HOSTILE)], [pair(HOSTILE, "base"), pair("base", HOSTILE)])


def test_latex_escapes_names():
    latex = format_comparison(hostile(), "latex")
    name = r"=x\textbar{}\allowbreak{}y\$z\textasciicircum{}2\$\_\&\%\#\{\}\textbackslash{}\textasciitilde{}"
    name += r"\textless{}b\textgreater{}\textbackslash{}x1b{[}31m{*}`"
    assert f"\\multicolumn{{3}}{{@{{}}l@{{}}}}{{{name}}} \\\\\n & 27.16" in latex
    assert "\x1b" not in latex
    for row in re.findall(r".* \\\\$", latex, flags=re.MULTILINE):
        assert len(re.findall(r"(?<!\\)&", row)) in (0, 2)


def test_markdown_escapes_names():
    markdown = format_comparison(hostile(), "markdown")
    assert r"| =x\|y\$z^2\$\_&amp;%#{}\\\~&lt;b&gt;\\x1b\[31m\*\` | 27.16 |" in markdown
    for line in markdown.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) == 4
    assert r"=x\|y\$z^2\$\_&amp;%#{}\\\~&lt;b&gt;\\x1b\[31m\*\` = +0.34 BLEU and" in markdown


def test_frames_are_rounded_and_escaped():
    frame = pd.DataFrame({"a_b": ["x|y", "long"], "score": [1.005, np.nan], "n": [3, -4], "ok": [True, False]})
    assert frame_to_text(frame, digits=1) == "a_b   score   n  ok\nx|y     1.0   3  True\nlong         -4  False\n"
    assert frame_to_markdown(frame, digits=1).splitlines()[2] == r"| x\|y | 1.0 | 3 | True |"
    latex = frame_to_latex(frame, "50 % of a_b", "tab:a b", digits=1)
    assert r"\caption{50~\% of a\_b}" in latex
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
        # Numbers alone say nothing.
        (["run-of-a-system-01", "run-of-a-system-02"], 12, ["run-of-a-…01", "run-of-a-…02"]),
        (["run-of-a-system-01.txt", "run-of-a-system-x.txt"], 12, ["run-of-…01…", "run-of-…x…"]),
        (["transformer-01", "transformer-02"], 8, ["…01", "…02"]),
        (["an-unusually-long-name", "b"], 9, ["an-…name", "b"]),  # not in the middle of a word
        (["an-unusually-long-name", "b"], 18, ["an-…long-name", "b"]),
        (["anunusuallylongname", "b"], 9, ["anun…name", "b"]),  # one word has no other middle
        (["xxxxxxxxxx-1-yyyyyyyyyy", "xxxxxxxxxx-1-yyyyyyyyyyy"], 8, None),
        (["system-a-long-name", "system-a-long-name-2"], 12, None),
    ],
)
def test_shortened_names_can_be_told_apart(names, width, shown):
    short = shorten(names, width)
    assert len(set(short.values())) == len(names)
    if shown is not None:
        assert list(short.values()) == shown


def test_a_score_called_as_a_column_keeps_its_own_column():
    found = comparison([system("a", 3.5), system("b", 2.5)], [], "runs")
    text = format_comparison(found, "text")
    assert table_of(text, "runs, higher is better; 300 segments:")[0][:2] == ["system", "runs (score)"]
    assert "3.5" in text


def test_the_results_of_one_metric_are_no_comparison(two):
    sentence = "The results of one metric, BLEU, were given, but a whole comparison was expected: pass the comparison "
    for given, said in ((two.metrics["BLEU"], sentence), ("two", "An object of type str was given, but a whole ")):
        for format in ("text", "json", "latex", "markdown", "csv"):
            with pytest.raises(InputError, match=f"^{said}") as refused:
                format_comparison(given, format)
            assert refused.value.code == "not-a-comparison"
    for given, what in (
        ([], "An empty list"),
        (3, "An object of type int"),
        (two.metrics["BLEU"], "An object of type M"),
    ):
        with pytest.raises(InputError, match=f"^{what}.* was given, but a result was expected, such as ") as refused:
            format_plan(given)
        assert refused.value.code == "not-a-result"


def test_verdicts_on_sentences_are_not_called_verdicts_on_outputs():
    on_claims = pd.DataFrame({"sentence": ["BLEU is no mean"], "verdict": ["holds"]})
    assert repr(show_table(on_claims)).split()[:2] == ["sentence", "verdict"]
    compared = pd.DataFrame({"a": ["new"], "p_value": [0.01], "verdict": ["significant"]})
    assert repr(show_table(compared)).splitlines()[0].split() == ["system", "p", "verdict"]
