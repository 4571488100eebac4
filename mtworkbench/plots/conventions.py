"""What the published rules say of one difference, a mark per rule, and of equal systems, a panel per rule."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from mtworkbench.analyses.rules import title_conventions
from mtworkbench.plots.labels import GUIDE, in_house_style, label_numbers, label_right, make_panels, state_finding
from mtworkbench.plots.style import current_medium, figure_of, house_style, label_line, title_finding, wrap_to
from mtworkbench.plots.systems import COLORS, Look
from mtworkbench.results.verdicts import ROUNDING
from mtworkbench.words.calibrations import title_levels
from mtworkbench.words.frames import in_percent, threshold_of

#: What draws segments, and what draws the units that were swapped.
OF_SEGMENTS, OF_UNITS = COLORS[0], COLORS[1]
#: The axis begins here at the latest: whatever is smaller is an arrow.
FLOOR = 1e-5
# What is free at either end of the axis, as a share of the decades between them.
MARGIN = 0.06
# What the label of a tick needs, in inches per point of the size of text.
ROOM = 0.07


@in_house_style(1.3)
def plot_conventions(frame: pd.DataFrame, ax: Axes, /, *, level: float = 0.95, **kwargs: object) -> Axes:
    """Plot the p of each rule, or the share of resamples that the winning system does not win.

    Parameters
    ----------
    frame : DataFrame
        Of `Conventions.to_frame`: one row per rule. The verdict of a rule that goes by an interval alone, or that it
        cannot be applied, is written to the right of the Axes. An arrow stands for a p of 0, which rules that do not
        add 1 can give, and for any other below 0.00001.
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
    lowest = max(FLOOR, np.min(values[values > 0], initial=1 - level))
    is_arrow = values < lowest
    gap = MARGIN * -np.log10(lowest)
    arrows_at = lowest * 10 ** -(2 * gap)
    colors = [OF_SEGMENTS if unit == "segment" else OF_UNITS for unit in frame["unit"]]
    ax.axvline(1 - level, **GUIDE)
    for row, (one, value, color) in enumerate(zip(frame.itertuples(), values, colors, strict=True)):
        if not np.isnan(value):
            filled = color if one.verdict == "significant" else "white"
            look: Look = {"color": color, "markerfacecolor": filled, "linestyle": "none", "clip_on": False}
            place = {"marker": "<"} if is_arrow[row] else {"marker": "o"}
            ax.plot(arrows_at if is_arrow[row] else value, row, **look | place | kwargs)
    ax.set_yticks(range(len(frame)), frame["name"])
    ax.set_ylim(len(frame) - 0.5, -0.5)
    ax.set_xscale("log")
    ax.set_xlim((arrows_at if is_arrow.any() else lowest) * 10**-gap, 10**gap)
    _label_decades(ax, lowest)
    beside = _describe_verdicts(frame, values) | _name_units(frame, values)
    label_right(ax, [(1 - (row + 0.5) / len(frame), text, colors[row]) for row, text in beside.items()])
    label_line(ax, f"significant up to {threshold_of(level)}", x=1 - level)
    lines = "p, or share of resamples not won", "; ".join(_explain_marks(values[is_arrow]))
    ax.set_xlabel("\n".join(wrap_to(line, 0.6 * figure_of(ax).get_figwidth()) for line in lines))
    state_finding(ax, title_conventions(frame, level))
    return ax


def _label_decades(ax: Axes, lowest: float) -> None:
    """Write numbers at as many powers of ten as have room, the greatest always."""
    powers = np.arange(np.ceil(np.log10(lowest) - ROUNDING), 1)
    room = 0.5 * figure_of(ax).get_figwidth() / (ROOM * current_medium().text)
    label_numbers(ax.xaxis, 10.0 ** powers[:: -max(1, int(np.ceil(len(powers) / room)))])
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:.10f}".rstrip("0").rstrip("."))


def _describe_verdicts(frame: pd.DataFrame, values: np.ndarray) -> dict[int, str]:
    """Return by row what a rule says that has no p."""
    verdicts = frame["verdict"].fillna("not applicable")
    return {row: verdict for row, verdict in enumerate(verdicts) if np.isnan(values[row])}


def _name_units(frame: pd.DataFrame, values: np.ndarray) -> dict[int, str]:
    """Return the names of the units, each by the row in the middle of its marks."""
    rows = np.flatnonzero(~np.isnan(values))
    units = frame["unit"].to_numpy()[rows]
    of_unit = {unit: rows[units == unit] for unit in dict.fromkeys(units)}
    return {int(own[len(own) // 2]): f"by {unit}" for unit, own in of_unit.items()}


def _explain_marks(below: np.ndarray) -> Iterator[str]:
    """Explain the marks that the figure has: what an arrow is only where there is one, of the values ``below``."""
    yield "\N{BLACK CIRCLE} filled: significant"
    if below.size:
        small = f"less than {FLOOR:.5f}"
        said = small if below.all() else f"0, or {small}" if below.any() else "0"
        yield f"\N{BLACK LEFT-POINTING TRIANGLE} arrow: {said}"


# ---- where systems are equal


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
