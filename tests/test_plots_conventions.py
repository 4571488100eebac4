"""The figure of the published rules: a mark per rule at its p, filled by its verdict, and no text over another."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")
from matplotlib import pyplot as plt

from mtworkbench.inference.rules import RULES
from mtworkbench.plots import style
from mtworkbench.plots.conventions import plot_conventions

from .drawn import faults_of_text


@pytest.fixture
def frame():
    """Every second rule says "significant"; Moses' p is 0, one rule cannot be applied, and the last is undecided."""
    rows = []
    for place, rule in enumerate(RULES):
        p_value = 0.01 if place % 2 == 0 else 0.3
        one = {"name": rule.name, "unit": "document" if rule.by_unit else "segment"}
        one["p_value"] = p_value if rule.gives == "p" else None
        one["confidence"] = 1 - p_value if rule.gives == "confidence" else None
        one["verdict"] = "significant" if p_value < 0.05 else "not significant"
        rows.append(one)
    found = pd.DataFrame(rows)
    found.loc[found["name"] == "moses", "p_value"] = 0.0
    found.loc[found["name"] == "comet-compare", ["confidence", "verdict"]] = [np.nan, None]
    found.loc[found["name"] == "ar", ["p_value", "verdict"]] = [0.049, "undecided"]
    return found


def test_marks_are_the_rows(frame):
    ax = plt.figure().subplots()
    assert plot_conventions(frame, ax, level=0.9) is ax
    line, *marks = ax.get_lines()
    assert line.get_xdata()[0] == pytest.approx(0.1)
    drawn = {int(mark.get_ydata()[0]): mark for mark in marks}
    lacking = {"percentile", "comet-compare"}
    assert {frame["name"][row] for row in range(len(frame))} - {frame["name"][row] for row in drawn} == lacking
    for row, mark in drawn.items():
        one = frame.loc[row]
        expected = 1 - one["confidence"] if np.isnan(one["p_value"]) else one["p_value"]
        if one["name"] == "moses":
            assert mark.get_marker() == "<"
            assert ax.get_xlim()[0] < mark.get_xdata()[0] < 0.01
        else:
            assert mark.get_xdata()[0] == pytest.approx(expected)
        assert (mark.get_markerfacecolor() == mark.get_color()) == (one["verdict"] == "significant")
    by_unit = {
        unit: {drawn[row].get_color() for row in part.index if row in drawn} for unit, part in frame.groupby("unit")
    }
    assert len(by_unit["segment"]) == len(by_unit["document"]) == 1
    assert by_unit["segment"] != by_unit["document"]
    written = {text.get_position()[1]: text.get_text() for text in ax.texts if text.get_position()[0] == 0.98}
    place_of = {name: row for row, name in frame["name"].items()}
    assert written == {place_of["percentile"]: "not significant", place_of["comet-compare"]: "not applicable"}
    assert [label.get_text() for label in ax.get_yticklabels()] == frame["name"].tolist()
    assert [text.get_text() for text in ax.texts if text.get_text().startswith("significant up")] == [
        "significant up to 0.1"
    ]


def test_the_title_counts_rules_with_a_verdict(frame):
    with style("screen"):
        ax = plot_conventions(frame)
    assert ax.figure.get_suptitle() == "7 of 14 rules call the difference significant at 5 %"


@pytest.mark.parametrize("medium", ["screen", "paper", "slide"])
def test_every_text_can_be_read(frame, medium):
    with style(medium):
        assert faults_of_text(plot_conventions(frame).figure) == []
