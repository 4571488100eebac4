"""The specification curve: every choice of metric and options, and what it would have concluded."""

from __future__ import annotations

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtworkbench.analyses.specification_curve import CHOICES, title_specifications
from mtworkbench.plots.labels import GUIDE, NEUTRAL, in_house_style, looks_of, many_marks, state_finding
from mtworkbench.plots.style import POINTS, current_medium, figure_of, house_style, text_width, title_finding, wrap_to
from mtworkbench.plots.systems import Look, Styles, escape_dollars, label_systems

# Of the whole figure, as multiples of the style's width and height: it has a row for each option.
WIDE, HIGH = 1.25, 1.8
# Longer names of systems are shortened: the label of the vertical axis has two.
NARROW = 11


@in_house_style()
def plot_gains(frame: pd.DataFrame, ax: Axes, /, *, styles: Styles | None = None, **kwargs: object) -> Axes:
    """Plot the gain under each specification with its confidence interval, from the smallest to the largest.

    Parameters
    ----------
    frame : DataFrame
        Of `mtworkbench.analyses.specification_curve.run_specifications`. A specification that calls a system better has
        the colour of that system; the others are grey and empty.
    ax : matplotlib Axes, optional
        The current one by default.
    styles : mapping of str to dict, optional
        Of `styles_of`, where the systems should look as in other figures.
    **kwargs
        For the dots (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax.axhline(0, **GUIDE)
    a, b = frame["a"].iloc[0], frame["b"].iloc[0]
    looks, names = looks_of((a, b), styles), label_systems([a, b], NARROW)
    significant, undecided = frame["conclusion"] != "open", frame["verdict"] == "undecided"
    empty = {"color": NEUTRAL, "markerfacecolor": "white"}
    for label, rows, look in (
        (f"{names[a]} better", significant & (frame["conclusion"] == "a better"), looks[a]),
        (f"{names[b]} better", significant & (frame["conclusion"] == "b better"), looks[b]),
        ("not significant", ~significant & ~undecided, empty | {"marker": "s"}),
        ("undecided", ~significant & undecided, empty | {"marker": "D"}),
    ):
        part = frame[rows]
        if len(part):
            ax.vlines(part["specification"], part["gain_low"], part["gain_high"], color=look["color"], linewidth=0.9)
            style = many_marks() | {"label": f"{label}: {len(part)}"} | look
            ax.plot(part["specification"], part["gain_percent"], **style | kwargs)
    ax.set_xlabel("specification")
    ax.set_ylabel(f"gain (%) of {names[a]}\nover {names[b]}")
    widest = max(text_width(str(label)) for label in ax.get_legend_handles_labels()[1])
    # A column has a mark and a space besides its text; the names of the rows take a quarter of the figure.
    n_columns = int(0.75 * figure_of(ax).get_figwidth() / (widest + 4.5 * current_medium().text / POINTS))
    ax.legend(ncols=max(1, n_columns), loc="lower left", bbox_to_anchor=(0, 1))
    state_finding(ax, title_specifications(frame))
    return ax


@in_house_style()
def plot_choices(frame: pd.DataFrame, ax: Axes, /, **kwargs: object) -> Axes:
    """Plot what each specification chose: one column per specification, one row per option, a mark where it was taken.

    A choice of which all specifications took the same option is left out.

    Parameters
    ----------
    frame, ax
        As of `plot_gains`.
    **kwargs
        For the marks (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    labels: list[str] = []
    for choice in CHOICES:
        values = sorted({value for value in frame[choice] if value != ""})
        values = values if len(values) > 1 or choice == "metric" else []
        for value in values:
            taken = frame[frame[choice] == value]["specification"]
            style: Look = {"linestyle": "none", "marker": "|", "color": "0.2"}
            ax.plot(taken, np.full(len(taken), len(labels)), **style | kwargs)
            labels.append(escape_dollars(str(value) if choice == "metric" else f"{choice}: {value}"))
        if values:
            ax.axhline(len(labels) - 0.5, color="0.6", linewidth=0.8, zorder=0)
    for row in range(0, len(labels), 2):
        ax.axhspan(row - 0.5, row + 0.5, color="0.95", linewidth=0, zorder=-1)
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(wrap_to("specification, from the smallest gain to the largest", 0.6 * figure_of(ax).get_figwidth()))
    return ax


def draw_specifications(frame: pd.DataFrame, figure: Figure | None = None, *, styles: Styles | None = None) -> Figure:
    """Draw the specification curve: gains above, the choices behind each of them below.

    Parameters
    ----------
    frame : DataFrame
        Of `mtworkbench.analyses.specification_curve.run_specifications`.
    figure : Figure, optional
        An empty one; a new one by default.
    styles : mapping of str to dict, optional
        As of `plot_gains`.

    Returns
    -------
    Figure
    """
    with house_style():
        if figure is None:
            width, height = mpl.rcParams["figure.figsize"]
            figure = plt.figure(figsize=(min(WIDE * width, current_medium().widest), HIGH * height))
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 3.4))
        plot_gains(frame, above, styles=styles)
        above.set_xlabel("")
        plot_choices(frame, below)
        title_finding(above, title_specifications(frame))
    return figure
