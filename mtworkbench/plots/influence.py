"""What a verdict depends on, as figures: each from its frame of `mtworkbench.analyses.influence`."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mtworkbench.plots.comparisons import FILLS, label_difference
from mtworkbench.plots.labels import (
    GUIDE,
    NEUTRAL,
    in_house_style,
    label_numbers,
    label_right,
    many_marks,
    name_sides,
    state_finding,
)
from mtworkbench.plots.style import current_medium, figure_of, house_style, label_line, title_finding, wrap_to
from mtworkbench.plots.systems import COLORS, Look, escape_dollars
from mtworkbench.results.names_of_units import name_units
from mtworkbench.words.frames import in_percent, threshold_of
from mtworkbench.words.sentences_on_influence import describe_decisive_units, describe_growth

BLUE = COLORS[0]


@in_house_style()
def plot_decisive(frame: pd.DataFrame, ax: Axes, /, **kwargs: object) -> Axes:
    """Plot p while the decisive units are left out one after another.

    A filled mark is significant, an open one not significant, a half filled one undecided: there, p is too close to
    the threshold to decide with so many trials.

    Parameters
    ----------
    frame : DataFrame
        Of `find_decisive_units`.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For the marks (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    _draw_p(ax, frame, "removed", **kwargs)
    unit = frame["unit"].iloc[0]
    label = f"{name_units(unit)} left out, chosen after seeing the outputs"
    ax.set_xlabel(wrap_to(label, 0.6 * figure_of(ax).get_figwidth()))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    state_finding(ax, describe_decisive_units(frame))
    return ax


@in_house_style(0.8)
def plot_growing_p(frame: pd.DataFrame, ax: Axes, /, **kwargs: object) -> Axes:
    """Plot p against the number of segments that have come in; marks are filled as in `plot_decisive`.

    Parameters
    ----------
    frame : DataFrame
        Of `grow_test_set`.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For the marks (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    _draw_p(ax, frame, "segments", **kwargs)
    ax.set_xlabel(_label_growth(frame))
    state_finding(ax, describe_growth(frame))
    return ax


@in_house_style(0.8)
def plot_growing_difference(frame: pd.DataFrame, ax: Axes, /, **kwargs: object) -> Axes:
    """Plot the difference with its interval against the number of segments that have come in.

    Parameters
    ----------
    frame : DataFrame
        Of `grow_test_set`.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For the line of the difference (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax.axhline(0, **GUIDE)
    ax.fill_between(frame["segments"], frame["low"], frame["high"], color=BLUE, alpha=0.15, linewidth=0)
    ax.plot(frame["segments"], frame["difference"], **Look(color=BLUE, marker="o", markersize=3) | kwargs)
    _show_most(ax, frame)
    name_sides(ax, frame.iloc[0][["a", "b"]].tolist(), (0.3 * current_medium().text, 3))
    ax.set_xlabel(_label_growth(frame))
    difference = escape_dollars(label_difference(frame["metric"].iloc[0]))
    ax.set_ylabel(f"{difference}\nband: {in_percent(frame['level'].iloc[0])} CI")
    state_finding(ax, describe_growth(frame))
    return ax


def draw_growth(frame: pd.DataFrame, figure: Figure | None = None) -> Figure:
    """Draw difference and p of a growing test set one above the other, over the same segments.

    Parameters
    ----------
    frame : DataFrame
        Of `grow_test_set`.
    figure : Figure, optional
        An empty one; a new one by default.
    """
    with house_style():
        width, height = plt.rcParams["figure.figsize"]
        figure = plt.figure(figsize=(width, 1.6 * height)) if figure is None else figure
        upper, lower = figure.subplots(2, 1, sharex=True)
        plot_growing_difference(frame, upper)
        plot_growing_p(frame, lower)
        upper.set_xlabel("")
        title_finding(upper, describe_growth(frame))
    return figure


def _draw_p(ax: Axes, frame: pd.DataFrame, column: str, **kwargs: object) -> None:
    """Draw p over a column, on a logarithmic axis: marks filled by their verdicts, and the named line of the level."""
    places, color = frame[column], (Look(color=BLUE) | kwargs)["color"]
    ax.plot(places, frame["p_value"], color=NEUTRAL, linewidth=0.8, zorder=1)
    for verdict, fill in FILLS.items():
        part = frame["verdict"] == verdict
        look = many_marks() | {"color": BLUE, "markersize": current_medium().marker, "label": verdict}
        ax.plot(places[part], frame["p_value"][part], **look | kwargs | fill)
    threshold = 1 - frame["level"].iloc[0]
    ax.axhline(threshold, **GUIDE)
    ax.set_yscale("log")
    lowest, highest = min(frame["p_value"].min(), threshold) / 2, 1.5
    ax.set_ylim(lowest, highest)
    label_numbers(ax.yaxis)
    label_line(ax, f"p = {threshold_of(frame['level'].iloc[0])}", y=threshold)
    above, below = "○ not\n   significant", "● significant"
    if (frame["verdict"] == "undecided").any():
        undecided = "◐ undecided"
        if threshold**2 < lowest * highest:  # where the named line leaves more room
            above = f"{above}\n{undecided}"
        else:
            below = f"{undecided}\n{below}"
    label_right(ax, [(1, above, color), (0, below, color)])
    ax.set_ylabel("p")


def _label_growth(frame: pd.DataFrame) -> str:
    order = "" if frame["order"].iloc[0] == "test set" else ", in random order"
    unit = frame["unit"].iloc[0]
    return escape_dollars(f"segments so far{'' if unit == 'segment' else f', in whole {name_units(unit)}'}{order}")


def _show_most(ax: Axes, frame: pd.DataFrame) -> None:
    """Cut off what reaches far beyond the others: the first intervals, of a few units, may be wider than all the rest.

    All differences stay within the axis.
    """
    half = (frame["high"] - frame["low"]).median() / 2
    if not half > 0:
        return
    bottom = min(0.0, frame["difference"].min(), frame["low"].iloc[-1]) - half
    top = max(0.0, frame["difference"].max(), frame["high"].iloc[-1]) + half
    ax.set_ylim(bottom, top)
