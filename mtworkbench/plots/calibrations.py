"""How the p of published rules are distributed where systems are equal: one panel per rule."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from mtworkbench.plots.labels import GUIDE, in_house_style, make_panels
from mtworkbench.plots.style import current_medium, house_style, title_finding, wrap_to
from mtworkbench.plots.systems import COLORS, Look
from mtworkbench.words.calibrations import title_levels
from mtworkbench.words.cells import in_percent

# What draws segments, and what draws the units that were swapped.
OF_SEGMENTS, OF_UNITS = COLORS[0], COLORS[1]


@in_house_style()
def plot_levels(frame: pd.DataFrame, ax: Axes, /, *, level: float = 0.95, **kwargs: object) -> Axes:
    """Plot against p in how many repetitions a rule's p is at most so large (a p-p plot); the diagonal is right.

    Parameters
    ----------
    frame : DataFrame
        `Calibration.p_values`, the rows of one rule: one dot each.
    ax : matplotlib Axes, optional
        The current one by default.
    level : float
        A line is at 1 - level; above the panel is what the rule draws, and in how many repetitions it rejects.
    **kwargs
        For the dots (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax.plot([0, 100], [0, 100], **GUIDE)
    ax.axvline(100 * (1 - level), **GUIDE)
    rule, unit = frame["rule"].iloc[0], frame["unit"].iloc[0]
    size = 0.35 * current_medium().marker
    look: Look = {"linestyle": "none", "marker": "o", "markersize": size, "markeredgewidth": 0}
    look["color"] = OF_SEGMENTS if unit == "segment" else OF_UNITS
    ax.plot(100 * frame["p_value"], 100 * frame["share"], **look | kwargs)
    ax.set_title(f"{rule}\n{unit}: {100 * frame['rejected'].mean():.1f} %", loc="left", color=look["color"])
    ax.set_xlim(-2, 102)
    ax.set_ylim(-2, 102)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(FixedLocator([0, 50, 100]))
    return ax


def draw_levels(frame: pd.DataFrame, figure: Figure | None = None, *, level: float = 0.95) -> Figure:
    """Draw the p-p plots of all rules of a calibration, one panel each.

    Parameters
    ----------
    frame : DataFrame
        `Calibration.p_values`.
    figure : Figure, optional
        An empty one; a new one by default.
    level : float
        As of `plot_levels`.

    Returns
    -------
    Figure
    """
    parts = [part for _, part in frame.groupby("rule", sort=False)]
    with house_style():
        figure, panels = make_panels(len(parts), figure, wanted=5, room=0.16, height=0.5, sharex=True, sharey=True)
        for part, panel in zip(parts, panels, strict=True):
            plot_levels(part, panel, level=level)
            panel.set_box_aspect(0.8)
        width, height = figure.get_size_inches()
        # What lines and numbers mean that all panels have.
        marks = (
            f"diagonal: a rule that is right; vertical line: {in_percent(1 - level)}; above each panel: share rejected"
        )
        lines = "p, or 1 - share of resamples won (%)", marks
        figure.supxlabel("\n".join(wrap_to(line, 0.9 * width) for line in lines))
        figure.supylabel(wrap_to("repetitions with at most this p (%)", 0.6 * height))
        title_finding(panels[0], title_levels(frame, level))
    return figure
