"""Which systems are at the top, and in which order rows are: every view says the same, of one test set or several."""

import re
import warnings
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pytest

from mtworkbench.errors import DataWarning
from mtworkbench.inference import compare, compare_test_sets
from mtworkbench.metrics import MeanScore
from mtworkbench.plots import plot_scores
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.tables import format_campaign, format_comparison
from mtworkbench.words.headlines import title_result

QUICK = {"n_resamples": 400, "n_trials": 1000, "rng": 1, "unit": "segment"}
N_SEGMENTS = 64
NAME = "quality"


class Case(NamedTuple):
    """Systems with these mean scores; who is at the top, and in which order the systems stand."""

    means: dict[str, int]
    top: set[str]
    order: str
    baseline: str | None = None
    up: bool | None = True
    missing: bool = False


EQUAL = {"A": 5, "B": 5, "C": 5, "D": 5}
TIED = {"A": 5, "B": 7, "C": 6, "D": 7, "E": 5}
CASES = {
    "four equal": Case(EQUAL, set(), "ABCD"),
    "a clear winner": Case(EQUAL | {"C": 6}, {"C"}, "CABD"),
    "a clear loser": Case(EQUAL | {"B": 4}, {"A", "C", "D"}, "ACDB"),
    "two tied at the top of five": Case(TIED, {"B", "D"}, "BDCAE"),
    "lower is better": Case(TIED, {"A", "E"}, "AECBD", up=False),
    "no direction": Case(TIED, set(), "BDCAE", up=None),
    "two, one better": Case({"A": 5, "B": 6}, {"B"}, "BA"),
    "two, lower is better": Case({"A": 5, "B": 6}, {"A"}, "AB", up=False),
    "two equal": Case({"A": 5, "B": 5}, set(), "AB"),
    "two, no direction": Case({"A": 5, "B": 6}, set(), "BA", up=None),
    "two with a baseline": Case({"A": 5, "B": 6}, {"B"}, "BA", "A"),
    "three with a baseline": Case({"A": 5, "B": 6, "C": 7}, set(), "CBA", "A"),
    "five with a baseline": Case(TIED, set(), "BDCAE", "A"),
    "four equal with a baseline": Case(EQUAL, set(), "ABCD", "B"),
    "missing scores": Case(TIED | {"B": 9, "E": 3}, set(), "BDCAE", missing=True),
    "missing scores, two systems": Case({"A": 5, "B": 7}, {"B"}, "BA", missing=True),
}


def make(case, extra=0.0, references="references"):
    """Scores that are whole numbers, 1 above the mean in one half of the segments and 1 below it in the other.

    The halves cross: systems with equal means have exactly equal scores (p = 1), and a difference of 1 is clear.
    """
    segments = np.arange(N_SEGMENTS)
    values = {}
    for place, (system, mean) in enumerate(case.means.items()):
        scores = mean * (1 + extra) + np.where(segments >> place & 1, 1.0, -1.0)
        if case.missing:
            scores[[2 * place, 2 * place + 1]] = np.nan
        known = ~np.isnan(scores)
        values[system] = np.stack([np.where(known, scores, 0.0), known.astype(float)], axis=-1)[None]
    test_set = TestSet(segments + 1, None, references, 1)
    return SegmentStatistics(MeanScore(name=NAME, higher_is_better=case.up), values, test_set)


def of_one_set(case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return compare(make(case), case.baseline, **QUICK)


def of_several_sets(case):
    sets = {f"set{k}": make(case, k / 100, f"references {k}") for k in range(4)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return compare_test_sets(sets, case.baseline, **QUICK)


# The rows of the first table that names systems, as (system, whether a cell is in bold).


def rows_of_markdown(text):
    rows = re.findall(r"^\| ([A-E]) +\|(.*)$", text, re.M)
    return first_table((name, "**" in cells) for name, cells in rows)


def rows_of_latex(text):
    return first_table((name, r"\textbf" in cells) for name, cells in re.findall(r"^ *([A-E]) *&(.*)$", text, re.M))


def rows_of_html(html):
    table = re.search(r"<table.*?</table>", html, re.S)[0]
    rows = re.findall(r"<th[^>]*>([A-E])(?: \(baseline\))?</th>(.*?)</tr>", table, re.S)
    return [(name, "<b>" in cells) for name, cells in rows]


def first_table(rows):
    seen = {}
    for name, bold in rows:
        if name in seen:
            break
        seen[name] = bold
    return list(seen.items())


def rows_of_text(text):
    """Text has no bold: of a ranking by verdicts, its rows at the top have ranks that begin with 1, unless all have."""
    lines = [line.strip() for line in text.splitlines()]
    begin = next(place for place, line in enumerate(lines) if line.startswith("system  "))
    headings = re.split(r" {2,}", lines[begin])
    rows = []
    for line in lines[begin + 1 :]:
        if not re.match(r"[A-E] ", line):
            break
        cells = dict(zip(headings, re.split(r" {2,}", line), strict=False))
        rows.append((cells["system"], bool(re.match(r"1\b", cells.get("ranks", "")))))
    everybody = all(top for _, top in rows)
    return [(name, top and not everybody) for name, top in rows]


def named_first(sentences):
    """The systems that a headline or a title names as those that are not shown to be behind another."""
    text = " ".join(sentences)
    found = re.findall(r"((?:[A-E](?:, | and )?)+) may be the best", text)
    found += re.findall(r"([A-E]) is shown to be better than every other system", text)
    found += re.findall(r"every system except ([A-E]) is shown to be worse", text)
    return set(re.findall(r"\b[A-E]\b", " ".join(found)))


def top_of(rows):
    return {name for name, bold in rows if bold}


def order_of(rows):
    return "".join(name for name, _ in rows)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("several", [False, True], ids=["one set", "several sets"])
def test_every_view_has_the_same_systems_at_the_top_and_the_same_order(name, several):
    case = CASES[name]
    found = of_several_sets(case) if several else of_one_set(case)
    write = format_campaign if several else format_comparison
    [metric] = found.metrics.values()
    assert (metric.ranking is None) == (len(case.means) < 3 or case.up is None or case.missing)
    views = {
        "Markdown": rows_of_markdown(write(found, "markdown")),
        "LaTeX": rows_of_latex(write(found, "latex")),
        "HTML": rows_of_html(found._repr_html_()),
    }
    assert {view: top_of(rows) for view, rows in views.items()} == dict.fromkeys(views, case.top)
    views["text"] = rows_of_text(write(found))
    assert {view: order_of(rows) for view, rows in views.items()} == dict.fromkeys(views, case.order)
    of_two = len(case.means) == 2
    # Of two systems there is no ranking: the sentence on the pair says which is better.
    assert top_of(views["text"]) == (set() if of_two else case.top)
    assert named_first(found.headline) == (set() if of_two else case.top)
    if not several:
        assert rows_of_html(metric._repr_html_()) == views["HTML"]
        assert named_first([title_result(found.metrics)]) == (set() if of_two else case.top)
        figure, ax = plt.subplots()
        plot_scores(metric, ax)
        assert "".join(label.get_text() for label in ax.get_yticklabels()) == case.order
        plt.close(figure)


@pytest.mark.parametrize("name", CASES)
def test_the_results_themselves_say_who_is_at_the_top(name):
    case = CASES[name]
    for found in (of_one_set(case), of_several_sets(case)):
        [metric] = found.metrics.values()
        assert metric.top == tuple(one for one in case.order if one in case.top)
        assert metric.compared_with == ("A" if len(case.means) == 2 else case.baseline)
        assert "".join(one.system for one in metric.systems_from_best) == case.order


@pytest.mark.parametrize("shown", [True, False], ids=["shown for the method", "shown on these outputs only"])
def test_of_two_methods_the_one_that_is_shown_to_be_better_is_at_the_top(shown):
    """Runs of B that lie far apart show B to be better on these outputs, and not that the method is."""
    single = make(Case({"A": 5, "B": 7}, set(), ""))
    runs = {"A": np.stack([single.values["A"][0]] * 2), "B": np.stack([single.values["B"][0]] * 2)}
    if not shown:
        runs["B"][0, :, 0] += 1.8
        runs["B"][1, :, 0] -= 1.8
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = compare(SegmentStatistics(single.metric, runs, single.test_set), **QUICK)
    [metric] = found.metrics.values()
    [pair] = metric.comparisons
    assert pair.conclusion == ("shown for the method" if shown else "shown on these outputs only")
    assert metric.may_be_first == (("B",) if shown else ("B", "A"))
    top = {"B"} if shown else set()
    assert top_of(rows_of_latex(format_comparison(found, "latex"))) == top
    assert top_of(rows_of_html(found._repr_html_())) == top
    assert (f"{RULE} for the method" in " ".join(format_comparison(found, "latex").split())) == shown


RULE = "Bold: systems that no other is shown to beat"


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("four equal", ""),
        ("two tied at the top of five", RULE),
        ("two, one better", RULE),
        ("two equal", ""),
        ("five with a baseline", ""),
        ("no direction", ""),
        ("missing scores", ""),
    ],
)
def test_captions_say_what_bold_means(name, rule):
    """Where something is bold."""
    one, several = of_one_set(CASES[name]), of_several_sets(CASES[name])
    pages = {
        format_comparison(one, "latex"): rule and f"{rule} on these outputs",
        format_campaign(several, "latex"): rule and f"{rule} for these test sets",
        one._repr_html_(): rule and f"{rule} on these outputs",
        several._repr_html_(): rule and f"{rule} for these test sets",
    }
    said = re.compile("(Bold: systems that no other is shown to beat[^.;<]*)")
    assert [said.findall(page) for page in pages] == [[one] if one else [] for one in pages.values()]


def test_several_metrics_in_one_table_say_for_which_of_them_bold_is_used():
    tied, equal = make(CASES["two tied at the top of five"]), make(Case(dict.fromkeys("ABCDE", 5), set(), "ABCDE"))
    equal = SegmentStatistics(MeanScore(name="other", higher_is_better=True), equal.values, equal.test_set)
    found = compare([tied, equal], **QUICK)
    nothing = "by other, no system is shown to be better than another on these outputs"
    bold = "Bold (quality): systems that no other is shown to beat on these outputs"
    assert f"{bold}; {nothing};" in " ".join(format_comparison(found, "latex").split())
    # In a notebook, the headline has said the rest; without the name, the rule would also hold for what is not bold.
    assert f"{bold}." in found._repr_html_()
    # The headline names those at the top by the one, and nobody by the other.
    assert found.headline[1] == (
        "By quality, B and D may be the best on these outputs; by other, no system is shown to be better than another "
        "on these outputs."
    )
