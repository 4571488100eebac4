"""Computed sentences: text for whoever prints them, HTML with what was found first for a notebook."""

import pickle
import re

import pandas as pd
import pytest

from mtworkbench.analyses import agreement
from mtworkbench.words import lines
from mtworkbench.words.lines import Sentences, wrap


def shown(said) -> str:
    """Return the HTML of sentences without their style."""
    html = re.sub("<style>.*</style>", "", said._repr_html_(), flags=re.DOTALL)
    return re.fullmatch('<div class="mtw tex2jax_ignore mathjax_ignore">(.*)</div>', html, re.DOTALL)[1]


def test_sentences_are_the_text_that_they_were(monkeypatch):
    monkeypatch.setattr(lines, "WIDTH", 20)
    said = wrap(["A first line that is long.", "A second."], indent="  ")
    assert said == str(said) == repr(said) == "A first line that is\n  long.\nA second."
    again = pickle.loads(pickle.dumps(said))
    assert (again, again.lines, again.finding) == (said, ["A first line that is long.", "A second."], True)


@pytest.mark.parametrize(
    ("said", "html"),
    [
        (["It is so."], "<p><b>It is so.</b> </p>"),
        (["By 95 % CI, x. Its p is 0.5."], "<p><b>By 95 % CI, x.</b> Its p is 0.5.</p>"),
        (["x < y. But.", "One more."], "<p><b>x &lt; y.</b> But.</p><p>One more.</p>"),
        (["So.", "  a", "  b", "(Note.)"], "<p><b>So.</b> </p><ul><li>a</li><li>b</li></ul><p>(Note.)</p>"),
    ],
)
def test_what_was_found_is_bold_and_the_rest_a_list(said, html):
    assert shown(wrap(said)) == html


@pytest.mark.parametrize(
    ("said", "html"),
    [
        (["Facts. More."], "<p>Facts. More.</p>"),
        (["a: 1", "b: 2"], "<ul><li>a: 1</li><li>b: 2</li></ul>"),
        (["These:", "  a", "  \u202eb"], "<p>These: </p><ul><li>a</li><li>\\u202eb</li></ul>"),
    ],
)
def test_facts_are_not_bold(said, html):
    assert shown(wrap(said, finding=False)) == html


def test_lines_are_those_before_they_were_broken(monkeypatch):
    monkeypatch.setattr(lines, "WIDTH", 10)
    assert (
        shown(wrap(["one two three four", "five"], finding=False))
        == "<ul><li>one two three four</li><li>five</li></ul>"
    )
    assert shown(Sentences("one two three four")) == "<p><b>one two three four</b> </p>"


def test_the_measures_by_which_a_metric_agrees_better_are_counted():
    row = {"a": "x", "b": "y", "scope": "segment", "measure": "Pearson's r", "unit": "segment", "n_trials": 200}
    row |= {"level": 0.95, "exact": False, "difference": 0.3, "low": 0.1, "high": 0.5, "p_value": 0.03}
    better, worse = row, row | {"difference": -0.3, "low": -0.5, "high": -0.1}
    unclear, undefined = row | {"p_value": 0.2}, row | {"p_value": float("nan")}
    for rows, found in (
        ([better, unclear, undefined], "x agrees better with humans by 1 of 3 measures."),
        (
            [better, worse, better],
            "x agrees better with humans by 2 and y agrees better with humans by 1 of 3 measures.",
        ),
        ([unclear, undefined], "Neither agrees better with humans by any of 2 measures."),
    ):
        assert agreement.describe_tests(pd.DataFrame(rows)).lines[0] == found
