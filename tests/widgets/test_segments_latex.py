"""What is copied from the browser of segments into a paper."""

import re

import pytest

import mtworkbench as mtw
from tests.test_tables_latex import compiled, needs_latex, needs_lualatex

REFERENCES = [f"the cat sat on mat number {number} and did not move at all for a long time" for number in range(12)]
OLD = [f"mat number {number} and did not move at all" for number in range(12)]


def copied(segments, monkeypatch, kind, /, **asked):
    """Ask as the page does; return the text that comes back."""
    sent = []
    monkeypatch.setattr(segments, "send", sent.append)
    segments._receive(None, {"kind": kind, **asked})
    return sent[-1]["text"]


def explore(new, old):
    outputs = mtw.make_outputs(REFERENCES, {new: [f"{text} indeed" for text in REFERENCES], old: OLD})
    return mtw.explore_segments(outputs, mtw.compute_statistics(outputs, "bleu"), new, old, rng=1)


def test_many_segments_go_into_several_tables(monkeypatch):
    segments = explore("new", "old")
    segments.selection = [1, 2]
    few = copied(segments, monkeypatch, "copy", form="LaTeX")
    assert few.startswith("% Needs \\usepackage{booktabs}.\n\n\\begin{table*}\n")
    assert few.count(r"\begin{table*}") == 1
    assert r"\label{segments}" in few
    segments.selection = list(range(1, 13))
    many = copied(segments, monkeypatch, "copy", form="LaTeX")
    n_tables = many.count(r"\begin{table*}")
    assert n_tables > 1
    for part in range(1, n_tables + 1):
        assert rf"\label{{segments-{part}}}" in many
        assert f"({part} of {n_tables})." in many
    assert [many.count(f"Segment {number}: ") for number in range(1, 13)] == [1] * 12


def test_what_the_page_marks_is_marked(monkeypatch):
    """Bold, underlined and in italics: what the page marks as right, as wrong, and as not in the reference at all."""
    texts = {"new": ["it saw the big dog bark"], "old": ["it saw some big hound bark"]}
    outputs = mtw.make_outputs(["she saw the little dog run"], texts)
    segments = mtw.explore_segments(outputs, mtw.compute_statistics(outputs, "chrf"), "new", "old", rng=1)
    latex = segments.write(first=1)
    rows = dict(re.findall(r"^(\w+) & (.*) \\\\$", latex, flags=re.MULTILINE))
    assert rows == {
        "reference": r"\textit{she} saw the \textit{little} dog \textit{run}",
        "old": r"\textit{it} saw \underline{some} \textit{big} \underline{hound} \textit{bark}",
        "new": r"\textit{it} saw \textbf{the} \textit{big} \textbf{dog} \textit{bark}",
    }
    assert latex.count("Bold: in the reference, not in the other output; underlined: neither") == 1


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
def test_a_segment_without_an_output_says_so():
    outputs = mtw.make_outputs(
        ["one two three four", "five six seven"], {"new": ["one two", ""], "old": ["one", "five"]}
    )
    segments = mtw.explore_segments(outputs, mtw.compute_statistics(outputs, "chrf"), "new", "old", rng=1)
    assert r"new & (empty) \\" in segments.write(first=2)


CHINESE = {"new": "新しい猫が 座った。", "old": "古い猫が座った"}


def explore_chinese():
    outputs = mtw.make_outputs(["新しい猫が座った。"], {name: [text] for name, text in CHINESE.items()})
    return mtw.explore_segments(outputs, mtw.compute_statistics(outputs, "chrf"), "new", "old", rng=1)


def test_chinese_is_written_as_it_is_and_the_file_says_what_sets_it():
    latex = explore_chinese().write(first=1)
    assert "U+" not in latex
    assert re.sub(r"\\\w+\{([^{}]*)\}", r"\1", latex).count("猫が座った") == 2
    needs = latex.split("\n\n")[0].splitlines()
    assert needs[0] == r"% Needs \usepackage{booktabs}."
    assert needs[1].startswith(
        "% pdfLaTeX stops at letters that it has no fonts for, such as 新: use XeLaTeX or LuaLaTeX"
    )
    assert r"\usepackage{xeCJK}" in needs[1]


@needs_latex
def test_pdflatex_stops_at_chinese_and_names_the_letter(tmp_path):
    with pytest.raises(AssertionError, match="Unicode character 新"):
        compiled(tmp_path, [explore_chinese().write(first=1)])


@needs_lualatex
def test_lualatex_sets_chinese_and_misses_nothing_but_fonts(tmp_path):
    complaints = compiled(tmp_path, [explore_chinese().write(first=1)], engine="lualatex")
    assert complaints and all(one.startswith("Missing character") for one in complaints)


@pytest.mark.parametrize(
    ("systems", "heads"),
    [
        (("a_b", "c&d"), r"n-gram & a\_b & c\&d & segments \\"),
        (("segments", "old"), r"n-gram & new & baseline & segments \\"),
    ],
)
def test_ngrams_are_copied_as_they_are_listed(monkeypatch, systems, heads):
    segments = explore(*systems)
    segments._receive(None, {"kind": "ngrams", "of": "all", "order": 2})
    latex = copied(segments, monkeypatch, "copy ngrams")
    assert heads in latex
    assert r"the cat & 12 & 0 & 12 \\" in latex
    assert "in all segments" in latex
    assert segments.ngrams["baseline"] == []
    assert latex.count("gets right more often}") == 1


@needs_latex
def test_a_paper_has_room_for_all_of_it(monkeypatch, tmp_path):
    segments = explore("new", "old")
    segments.selection = list(range(1, 13))
    segments._receive(None, {"kind": "ngrams", "of": "selection", "order": 0})
    tables = [copied(segments, monkeypatch, "copy", form="LaTeX"), copied(segments, monkeypatch, "copy ngrams")]
    assert compiled(tmp_path, tables) == []
