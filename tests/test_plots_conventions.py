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
            assert not mark.get_clip_on()
        else:
            assert mark.get_xdata()[0] == pytest.approx(expected)
        assert (mark.get_markerfacecolor() == mark.get_color()) == (one["verdict"] == "significant")
    by_unit = {
        unit: {drawn[row].get_color() for row in part.index if row in drawn} for unit, part in frame.groupby("unit")
    }
    assert len(by_unit["segment"]) == len(by_unit["document"]) == 1
    assert by_unit["segment"] != by_unit["document"]
    written = {round(len(frame) * (1 - text.xy[1]) - 0.5, 6): text.get_text() for text in ax.texts if text.xy[0] == 1}
    place_of = {name: row for row, name in frame["name"].items()}
    assert written == {
        place_of[name]: text
        for name, text in {
            "berg-kirkpatrick": "by segment",
            "comet-compare": "not applicable",
            "percentile": "not significant",
            "jackknife": "by document",
        }.items()
    }
    assert [label.get_text() for label in ax.get_yticklabels()] == frame["name"].tolist()
    assert [text.get_text() for text in ax.texts if text.get_text().startswith("significant up")] == [
        "significant up to 0.1"
    ]


@pytest.mark.parametrize("smallest", [1e-50, 1e-300, 2e-5, 0.04])
def test_a_tiny_p_is_an_arrow_and_leaves_room_for_the_others(frame, smallest):
    frame.loc[frame["name"] == "moses", "p_value"] = 0.02
    frame.loc[frame["name"] == "multeval", "p_value"] = smallest
    with style("screen"):
        ax = plot_conventions(frame)
    [mark] = [line for line in ax.get_lines() if line.get_ydata()[0] == list(frame["name"]).index("multeval")]
    low, high = ax.get_xlim()
    assert low >= 1e-7
    inside = np.log10(np.array([mark.get_xdata()[0] / low, high]) ** (1 / np.log10(high / low)))
    assert inside.min() > 0.03
    assert mark.get_marker() == ("<" if smallest < 1e-5 else "o")
    assert ("arrow: less than 0.00001" in " ".join(ax.get_xlabel().split())) == (smallest < 1e-5)
    assert all(smallest < 1e-5 or low <= tick <= 1 for tick in ax.get_xticks())
    assert not any("e" in label.get_text() for label in ax.get_xticklabels())


def test_the_key_explains_what_is_drawn(frame):
    with style("screen"):
        assert plot_conventions(frame).get_xlabel().split("\n")[1:] == ["● filled: significant; ◀ arrow: 0"]
        plt.close("all")
        tiny = frame.assign(p_value=frame["p_value"].mask(frame["name"] == "multeval", 1e-9))
        assert "arrow: 0, or less than 0.00001" in " ".join(plot_conventions(tiny).get_xlabel().split())
        frame.loc[frame["name"] == "moses", "p_value"] = 0.02
        plt.close("all")
        assert plot_conventions(frame).get_xlabel().split("\n")[1:] == ["● filled: significant"]


def test_the_title_counts_rules_with_a_verdict(frame):
    with style("screen"):
        ax = plot_conventions(frame)
    assert ax.figure.get_suptitle() == "7 of 14 rules call the difference significant at 5 %"


@pytest.mark.parametrize("medium", ["screen", "paper", "slide"])
def test_every_text_can_be_read(frame, medium):
    for tiny in (0.01, 1e-50):
        frame.loc[frame["name"] == "multeval", "p_value"] = tiny
        plt.close("all")
        with style(medium):
            assert faults_of_text(plot_conventions(frame).figure) == []
