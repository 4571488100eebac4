"""The figure of a plan: how often test sets of which length show a difference."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from mtworkbench.inference import Plan
from mtworkbench.plots.labels import GUIDE, in_house_style, label_numbers, set_labels, shades_of, state_finding
from mtworkbench.plots.style import (
    AT_EDGE,
    LINE_HEIGHT,
    POINTS,
    current_medium,
    figure_of,
    label_ends,
    label_line,
    points_of,
    text_width,
    write_near,
)
from mtworkbench.plots.systems import COLORS, Look
from mtworkbench.results.names_of_units import name_units
from mtworkbench.wording import tally
from mtworkbench.words.frames import in_percent
from mtworkbench.words.plans import name_aim, show_at_hand, title_plan

# Ticks of the number of units: 1, 2, 5, 10 ..., or fewer where there is less room.
STEPS = ((1, 2, 5), (1, 3), (1,))
# What the label of a tick needs, in inches per point of the size of text.
ROOM = 0.065


@in_house_style()
def plot_power(plan: Plan, ax: Axes, /, **kwargs: object) -> Axes:
    """Plot how often test sets of which length show what is planned for, one line per number of runs.

    Parameters
    ----------
    plan : Plan
        Of `plan_test_set`: its frame ``powers`` has one row per point of a line. The planned number of runs has the
        solid line. Dots on it mark the test set at hand and the one that is needed.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For all lines (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    numbers = sorted(set(plan.powers["n_runs"]))
    shades = shades_of(len(numbers)) if len(numbers) > 1 else COLORS
    for n_runs, shade in zip(numbers, shades, strict=False):
        part = plan.powers[plan.powers["n_runs"] == n_runs]
        look = {"label": tally(n_runs, "run"), "color": shade, "clip_on": False}
        if plan.runs not in (None, n_runs):
            look["linestyle"] = "--"
        ax.plot(part["n_units"], 100 * part["power"], **look | kwargs)
    marks = [(plan.n_units, show_at_hand(plan)["power"])]
    if plan.units_needed is not None:
        part = plan.powers[(plan.powers["n_runs"] == (plan.runs or numbers[0]))].set_index("n_units")
        marks.append((plan.units_needed, part.loc[plan.units_needed, "power"]))
    for n_units, power in marks:
        ax.plot([n_units], [100 * power], color="black", marker="o", label="_mark", clip_on=False, zorder=3)
    ax.set_xscale("log")
    ax.set_xlim(plan.powers["n_units"].min(), plan.powers["n_units"].max())
    ax.set_ylim(0, 100)
    ax.axhline(100 * plan.power, **GUIDE)
    ax.axvline(plan.n_units, **GUIDE)
    label_numbers(ax.xaxis, _ticks(ax))
    set_labels(ax, name_units(plan.unit), f"power to show {name_aim(plan)} (%)")
    label_line(ax, "at hand", x=plan.n_units)
    _name_wanted(ax, plan.power)
    if plan.of == "method":
        label_ends(ax)
    state_finding(ax, title_plan(plan))
    return ax


def _name_wanted(ax: Axes, power: float) -> None:
    """Name the line of the power that is wanted, inside: at its right end are the names of the other lines.

    It stands above the line at the left or, where a curve passes there, below it at the right.
    """
    text, points = in_percent(power), current_medium().text
    low, high = ax.get_xlim()
    width = (text_width(text) + points / POINTS) / (0.7 * figure_of(ax).get_figwidth())
    height = 100 * 2 * LINE_HEIGHT * points / POINTS / (0.7 * figure_of(ax).get_figheight())
    places = np.geomspace(low, low * (high / low) ** width)
    curves = [points for points in map(points_of, ax.lines) if len(points) > 2]
    heights = np.array([np.interp(places, *points.T) for points in curves])
    is_free = not np.any((heights > 100 * power - height / 4) & (heights < 100 * power + height))
    side = 1 if is_free else -1
    place, gap = (0 if is_free else 1, 100 * power), 0.2 * points
    sides = {"ha": "left", "va": "bottom"} if is_free else {"ha": "right", "va": "top"}
    # Over curves, below the dots.
    box = Look(color=GUIDE["color"], bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5}, zorder=2.5)
    write_near(ax, text, place, (side * gap, side * gap), AT_EDGE, **sides, **box)


def _ticks(ax: Axes) -> list[float]:
    """Return round numbers within the limits, not more of them than have room."""
    low, high = ax.get_xlim()
    room = 0.75 * figure_of(ax).get_figwidth() / (ROOM * current_medium().text)
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    for steps in STEPS:
        ticks = [step * 10.0**power for power in powers for step in steps if low <= step * 10.0**power <= high]
        if len(ticks) <= room:
            break
    return ticks
