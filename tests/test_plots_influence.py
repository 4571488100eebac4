"""Figures of what a verdict depends on: marks are where their rows say, reference lines have names, no text is cut."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Text

from mtworkbench import find_shipped, load_statistics, style
from mtworkbench.analyses import find_decisive_units, grow_test_set
from mtworkbench.plots import influence as plots

from .drawn import faults_of_text

pytestmark = pytest.mark.usefixtures("own_figures")

LONG = ("transformer-big-backtranslation-2023-a", "transformer-big-backtranslation-2023-b")


@pytest.fixture(scope="module")
def pair():
    statistics = load_statistics(find_shipped("data/wmt23-en-de/text_metrics.stats"))[0]
    return statistics["ONLINE-A"], statistics["ONLINE-B"]


@pytest.fixture(scope="module")
def frames(pair):
    options = {"n_trials": 500, "rng": 1}
    return {
        plots.plot_decisive: find_decisive_units(*pair, **options),
        plots.plot_growing_p: grow_test_set(*pair, **options),
        plots.plot_growing_difference: grow_test_set(*pair, **options),
    }


def points(ax):
    """The marks of all lines that have some: [[x, y], ...], from the left."""
    found = [line.get_xydata() for line in ax.lines if line.get_marker() not in (None, "None", "")]
    return sorted(np.concatenate(found).tolist())


def all_texts(figure):
    return [text.get_text() for text in figure.findobj(Text)]


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize(
    ("plot", "place"), [(plots.plot_decisive, "removed"), (plots.plot_growing_p, "segments")], ids=["decisive", "grow"]
)
def test_p_is_marked_by_its_verdict_with_the_level_as_a_named_line(frames, plot, place):
    frame = frames[plot]
    ax = plot(frame)
    assert points(ax) == sorted(frame[[place, "p_value"]].to_numpy(dtype=float).tolist())
    fills = {line.get_label(): line for line in ax.lines if line.get_marker() == "o"}
    assert fills["not significant"].get_markerfacecolor() == "white"
    assert fills["significant"].get_markerfacecolor() != "white"
    for verdict, line in fills.items():
        assert line.get_xdata().tolist() == frame[place][frame["verdict"] == verdict].tolist()
    [level] = [line for line in ax.lines if list(line.get_xdata()) == [0, 1] and line.get_marker() == "None"]
    assert level.get_ydata()[0] == pytest.approx(0.05)
    assert "p = 0.05" in texts(ax)
    assert (ax.get_yscale(), ax.get_ylabel()) == ("log", "p")
    ax.clear()
    colored = plot(frame, color="red")
    assert {line.get_color() for line in colored.lines if line.get_marker() == "o"} == {"red"}
    assert {text.get_color() for text in colored.texts if "significant" in text.get_text()} == {"red"}


def test_the_difference_has_its_interval(frames):
    frame = frames[plots.plot_growing_difference]
    ax = plots.plot_growing_difference(frame)
    assert points(ax) == frame[["segments", "difference"]].to_numpy().tolist()
    [band] = ax.collections
    corners = set(map(tuple, band.get_paths()[0].vertices.tolist()))
    assert {(row.segments, end) for row in frame.itertuples() for end in (row.low, row.high)} <= corners
    bottom, top = ax.get_ylim()
    assert bottom < frame["difference"].min()
    assert frame["difference"].max() < top
    assert frame["high"].iloc[-1] < top
    assert texts(ax) == ["ONLINE-A\nhigher", "ONLINE-B\nhigher"]
    assert ax.get_ylabel() == "difference in BLEU\nband: 95 % CI"


def test_both_are_drawn_over_the_same_segments(frames):
    figure = plots.draw_growth(frames[plots.plot_growing_p])
    upper, lower = figure.axes
    assert upper.get_xlim() == lower.get_xlim()
    assert lower.get_xlabel() == "segments so far, in whole documents"


@pytest.mark.parametrize("medium", ["screen", "paper", "slide"])
@pytest.mark.long
def test_no_text_is_cut_off_or_covered(pair, frames, medium):
    for plot, frame in frames.items():
        for names in (("ONLINE-A", "ONLINE-B"), LONG, ("$x_{1}$", "<img onerror=1>")):
            with style(medium):
                unit = "$x_{1}$" if names[0] == "$x_{1}$" else "document"
                ax = plot(frame.assign(a=names[0], b=names[1], unit=unit))
                assert faults_of_text(ax.figure) == [], (plot.__name__, names)
                assert all("$" not in text.replace("\\$", "") for text in all_texts(ax.figure))
                plt.close("all")


def p_values(*values):
    """A frame of `grow_test_set` with these p, undecided within a fifth of 0.05."""
    frame = pd.DataFrame({"p_value": values, "segments": 10 * np.arange(1, len(values) + 1)})
    verdicts = np.where(frame["p_value"] < 0.05, "significant", "not significant")
    frame["verdict"] = np.where(abs(frame["p_value"] - 0.05) <= 0.01, "undecided", verdicts)
    shown = {"metric": "BLEU", "higher_is_better": True, "a": "x", "b": "y", "unit": "document", "level": 0.95}
    return frame.assign(**shown, order="test set", difference=1.0, low=0.5, high=1.5, n_trials=500)


@pytest.mark.parametrize("others", [(0.9, 0.7), (0.8, 0.3, 0.0001), (0.01, 0.3)])
@pytest.mark.parametrize("medium", ["screen", "paper", "slide"])
def test_undecided_is_said_next_to_the_marks_and_covers_nothing(others, medium):
    with style(medium):
        ax = plots.plot_growing_p(p_values(*others, 0.055))
        assert any("◐ undecided" in text for text in texts(ax))
        assert faults_of_text(ax.figure) == []
        plt.close("all")
        assert not any("undecided" in text for text in texts(plots.plot_growing_p(p_values(*others))))


def test_another_axes_keeps_its_figure_without_a_title(pair):
    figure, (left, right) = plt.subplots(1, 2)
    a, b = (dataclasses.replace(one, system=name) for one, name in zip(pair, LONG, strict=True))
    assert plots.plot_decisive(find_decisive_units(a, b, n_trials=500, rng=1), right) is right
    assert not left.lines
    assert figure.get_suptitle() == ""
