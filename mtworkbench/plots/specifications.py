"""The specification curve: every choice of metric and options, and what it would have concluded."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtworkbench.plots.systems import COLORS, escape_dollars
from mtworkbench.studies.specification_curve import CHOICES

_VERDICTS = {
    "significant": {"color": COLORS[0], "marker": "o"},
    "not significant": {"color": COLORS[1], "marker": "s"},
    "undecided": {"color": "0.5", "marker": "D"},
}


def plot_gains(frame: pd.DataFrame, ax: Axes | None = None, **kwargs: object) -> Axes:
    """Plot the gain under each specification with its confidence interval, from the smallest to the largest.

    Parameters
    ----------
    frame : DataFrame
        Of `mtworkbench.studies.specification_curve.run_specifications`.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For the dots (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    ax.axhline(0, color="0.45", linewidth=0.8, zorder=0)
    for verdict, look in _VERDICTS.items():
        part = frame[frame["verdict"] == verdict]
        if len(part):
            ax.vlines(part["specification"], part["gain_low"], part["gain_high"], color=look["color"], linewidth=0.9)
            style = {"linestyle": "none", "markersize": 3.5, "label": f"{verdict}: {len(part)}"} | look
            ax.plot(part["specification"], part["gain_percent"], **style | kwargs)
    a, b = (escape_dollars(str(frame[name].iloc[0])) for name in ("a", "b"))
    ax.set_xlabel("specification")
    ax.set_ylabel(f"gain (%) of {a}\nover {b}", fontsize="small")
    return ax


def plot_choices(frame: pd.DataFrame, ax: Axes | None = None, **kwargs: object) -> Axes:
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
    ax = plt.gca() if ax is None else ax
    labels: list[str] = []
    for choice in CHOICES:
        values = sorted({value for value in frame[choice] if value != ""})
        values = values if len(values) > 1 or choice == "metric" else []
        for value in values:
            taken = frame[frame[choice] == value]["specification"]
            style = {"linestyle": "none", "marker": "|", "markersize": 6, "color": "0.2"}
            ax.plot(taken, np.full(len(taken), len(labels)), **style | kwargs)
            labels.append(escape_dollars(str(value) if choice == "metric" else f"{choice}: {value}"))
        if values:
            ax.axhline(len(labels) - 0.5, color="0.6", linewidth=0.8, zorder=0)
    for row in range(0, len(labels), 2):
        ax.axhspan(row - 0.5, row + 0.5, color="0.95", linewidth=0, zorder=-1)
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", labelsize="small", length=0)
    ax.set_xlabel("specification, from the smallest gain to the largest")
    return ax


def draw_specifications(frame: pd.DataFrame, figure: Figure | None = None) -> Figure:
    """Draw the specification curve: gains above, the choices behind each of them below.

    Parameters
    ----------
    frame : DataFrame
        Of `mtworkbench.studies.specification_curve.run_specifications`.
    figure : Figure, optional
        An empty one; a new one by default.

    Returns
    -------
    Figure
    """
    if figure is None:
        figure = plt.figure(figsize=(6.8, 5.8), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 3.4))
    plot_gains(frame, above)
    above.set_xlabel("")
    above.legend(frameon=False, fontsize="small", ncols=3, loc="lower left", bbox_to_anchor=(0, 1))
    plot_choices(frame, below)
    return figure
