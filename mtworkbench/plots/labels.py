"""What the figures of the studies share: the style they are made in, their titles, and names next to the data."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ParamSpec

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from mtworkbench.plots.style import REFERENCE_COLOR, current_medium, house_style, title_finding
from mtworkbench.plots.systems import COLORS, system_style

Options = ParamSpec("Options")
#: How systems look, by name: colour and marker, as `styles_of` gives them.
Looks = Mapping[str, Mapping[str, str]]

#: Lines to compare with, such as 0, a true score or a level.
GUIDE = {"color": REFERENCE_COLOR, "linewidth": 0.8, "zorder": 0}
# No system's: what is not decided, or belongs to none.
NEUTRAL = "0.55"


def in_house_style(height: float = 1.0) -> Callable[[Callable[Options, Axes]], Callable[Options, Axes]]:
    """Give a plot its Axes: those that the caller names, or the current ones; new ones are made in the house style.

    Parameters
    ----------
    height : float
        Of a new figure, as a share of the height that the style gives to figures.
    """

    def decorate(plot: Callable[Options, Axes]) -> Callable[Options, Axes]:
        @functools.wraps(plot)
        def styled(*arguments: Options.args, **options: Options.kwargs) -> Axes:
            frame, ax, *_ = (*arguments, options.pop("ax", None))
            if ax is not None:
                return plot(frame, ax, **options)
            with house_style():
                return plot(frame, _current_axes(height), **options)

        return styled

    return decorate


def _current_axes(height: float) -> Axes:
    if not plt.get_fignums():
        width, usual = plt.rcParams["figure.figsize"]
        plt.figure(figsize=(width, height * usual))
    return plt.gca()


def state_finding(ax: Axes, text: str) -> None:
    """Set the finding as the title of a figure that has one panel; what one panel of several shows is not its title."""
    if is_alone(ax):
        title_finding(ax, text)


def label_right(ax: Axes, labels: Iterable[tuple[float, str, str]]) -> None:
    """Name what is drawn next to the Axes, from its bottom (0) to its top (1).

    Parameters
    ----------
    ax : matplotlib Axes
    labels : iterable of (float, str, str)
        Height, text (escaped already) and colour.
    """
    for height, text, color in labels:
        ax.annotate(
            text,
            (1, height),
            xycoords="axes fraction",
            xytext=(0.3 * current_medium().text, 0),
            textcoords="offset points",
            va={0: "bottom", 1: "top"}.get(height, "center"),
            color=color,
            annotation_clip=False,
        )


def label_two_above(ax: Axes, labels: Sequence[tuple[float, str, str]]) -> None:
    """Name two vertical lines above the Axes, each on its outer side, so that close ones do not cover one another.

    Parameters
    ----------
    ax : matplotlib Axes
    labels : sequence of (float, str, str)
        Place on the horizontal axis, text (escaped already) and colour; at least one, at most two.
    """
    for (x, text, color), side in zip(sorted(labels, key=lambda label: label[0]), (-1, 1), strict=False):
        ax.annotate(
            text,
            (x, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0.3 * current_medium().text * side, 0.3 * current_medium().text),
            textcoords="offset points",
            ha="right" if side < 0 else "left",
            color=color,
            annotation_clip=False,
        )


def label_numbers(axis: Axis, numbers: Iterable[float] | None = None) -> None:
    """Write the ticks of a logarithmic axis as numbers ("1,000", "0.01"), not as powers; at given ones, or its own."""
    if numbers is not None:
        axis.set_major_locator(FixedLocator(list(numbers)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


def looks_of(systems: Sequence[str], looks: Looks | None) -> Looks:
    """Return how systems look: as given, or in the order in which they come."""
    return {name: system_style(place) for place, name in enumerate(systems)} if looks is None else looks


def many_marks() -> dict[str, object]:
    """Return the look of marks that are many: smaller than the style's."""
    size = 0.65 * mpl.rcParams["lines.markersize"]
    return {"linestyle": "none", "marker": "o", "markersize": size, "color": COLORS[0]}


def is_alone(ax: Axes) -> bool:
    """Tell whether a figure has no other panel."""
    return len(ax.figure.axes) == 1
