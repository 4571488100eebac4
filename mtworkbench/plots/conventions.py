"""What the published rules say of one difference: a mark per rule, filled where it says "significant"."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mtworkbench.plots.calibrations import OF_SEGMENTS, OF_UNITS
from mtworkbench.plots.labels import GUIDE, in_house_style, label_numbers, label_right, state_finding
from mtworkbench.plots.style import label_line, wrap_to
from mtworkbench.studies.rules import title_conventions
from mtworkbench.tables.cells import threshold_of

#: Where a mark stands whose p is 0, as a share of the smallest p above 0.
BELOW = 0.5


@in_house_style(1.15)
def plot_conventions(frame: pd.DataFrame, ax: Axes | None = None, *, level: float = 0.95, **kwargs: object) -> Axes:
    """Plot the p of each rule, or the share of resamples that the winning system does not win.

    Parameters
    ----------
    frame : DataFrame
        Of `Conventions.to_frame`: one row per rule. Of a rule that goes by an interval alone the verdict is written in
        place of a mark, or that it cannot be applied. A p of 0, which rules that do not add 1 can give, is an arrow.
    ax : matplotlib Axes, optional
        The current one by default.
    level : float
        A line is at 1 - level.
    **kwargs
        For all marks (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    values = frame["p_value"].astype(float).fillna(1 - frame["confidence"].astype(float)).to_numpy()
    lowest = BELOW * np.min(values[values > 0], initial=1 - level)
    colors = [OF_SEGMENTS if unit == "segment" else OF_UNITS for unit in frame["unit"]]
    ax.axvline(1 - level, **GUIDE)
    for row, (one, value, color) in enumerate(zip(frame.itertuples(), values, colors, strict=True)):
        if np.isnan(value):
            said = "not applicable" if pd.isna(one.verdict) else one.verdict
            ax.text(0.98, row, said, transform=ax.get_yaxis_transform(), ha="right", va="center", color=color)
            continue
        filled = color if one.verdict == "significant" else "white"
        look = {"marker": "o" if value > 0 else "<", "color": color, "markerfacecolor": filled, "linestyle": "none"}
        ax.plot(max(value, lowest), row, **look | kwargs)
    ax.set_yticks(range(len(frame)), frame["name"])
    ax.set_ylim(len(frame) - 0.5, -0.5)
    ax.set_xscale("log")
    ax.set_xlim(0.7 * lowest, 1.4)
    label_numbers(ax.xaxis)
    rows = pd.Series(np.arange(len(frame)))
    middles = rows.groupby([frame["unit"].to_numpy(), colors]).mean()
    label_right(ax, [(1 - (row + 0.5) / len(frame), f"by {unit}", color) for (unit, color), row in middles.items()])
    label_line(ax, f"significant up to {threshold_of(level)}", x=1 - level)
    ax.set_xlabel(wrap_to("p, or share of resamples not won", 0.6 * ax.figure.get_figwidth()))
    state_finding(ax, title_conventions(frame, level))
    return ax
