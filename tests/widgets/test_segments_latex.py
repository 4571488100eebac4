"""What is copied from the browser of segments into a paper."""

import pytest

import mtworkbench as mtw
from tests.test_tables_latex import compiled, needs_latex

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
    assert few.count(r"\begin{table}") == 1
    assert r"\label{segments}" in few
    segments.selection = list(range(1, 13))
    many = copied(segments, monkeypatch, "copy", form="LaTeX")
    n_tables = many.count(r"\begin{table}")
    assert n_tables > 1
    for part in range(1, n_tables + 1):
        assert rf"\label{{segments-{part}}}" in many
        assert f"({part} of {n_tables})." in many
    assert [many.count(f"Segment {number}: ") for number in range(1, 13)] == [1] * 12


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
