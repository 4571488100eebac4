"""What the figures of the studies share: the style they are made in, their titles, and names next to the data."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter
from matplotlib.typing import ColorType

from mtworkbench.plots.style import (
    ABOVE,
    AT_EDGE,
    REFERENCE_COLOR,
    current_medium,
    figure_of,
    house_style,
    title_finding,
    wrap_to,
    write_near,
)
from mtworkbench.plots.systems import COLORS, Look, Looks, Styles, label_systems, styles_of, tell_apart

Options = ParamSpec("Options")
Shown = TypeVar("Shown", contravariant=True)

#: Lines to compare with, such as 0, a true score or a level.
GUIDE: Look = {"color": REFERENCE_COLOR, "linewidth": 0.8, "zorder": 0}
# No system's: what is not decided, or belongs to none.
NEUTRAL = "0.55"
# Width of figures with several panels, as a multiple of the style's.
WIDE = 1.25
# Longer names of systems are shortened, where they stand next to the data.
NEXT_TO_DATA = 18


class Plot(Protocol[Shown, Options]):
    """A plot as its caller sees it: the Axes may be left out."""

    def __call__(self, shown: Shown, /, ax: Axes | None = None, *args: Options.args, **kwargs: Options.kwargs) -> Axes:
        """Draw on the given Axes, or on the current one, and return it."""


def in_house_style(
    height: float = 1.0,
) -> Callable[[Callable[Concatenate[Shown, Axes, Options], Axes]], Plot[Shown, Options]]:
    """Give a plot its Axes: those that the caller names, or the current ones; new ones are made in the house style.

    Parameters
    ----------
    height : float
        Of a new figure, as a share of the height that the style gives to figures.
    """

    def decorate(plot: Callable[Concatenate[Shown, Axes, Options], Axes]) -> Plot[Shown, Options]:
        @functools.wraps(plot)
        def styled(shown: Shown, /, ax: Axes | None = None, *args: Options.args, **kwargs: Options.kwargs) -> Axes:
            if ax is not None:
                return plot(shown, ax, *args, **kwargs)
            with house_style():
                return plot(shown, _current_axes(height), *args, **kwargs)

        # What help() and editors show: the Axes may be left out, and be named.
        own = inspect.signature(plot)
        given = own.parameters["ax"].replace(
            kind=inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation="Axes | None"
        )
        parameters = (given if one.name == "ax" else one for one in own.parameters.values())
        vars(styled)["__signature__"] = own.replace(parameters=list(parameters))
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


def name_sides(ax: Axes, systems: Sequence[str], offset: tuple[float, float]) -> None:
    """Say next to the line at 0 which of two systems is higher above it, and which below: see `label_sides`."""
    names = short_names(systems)
    label_sides(ax, [(f"{names[one]}\nhigher", REFERENCE_COLOR) for one in systems], offset)


def label_right(ax: Axes, labels: Iterable[tuple[float, str, ColorType]]) -> None:
    """Name what is drawn next to the Axes, from its bottom (0) to its top (1).

    Parameters
    ----------
    ax : matplotlib Axes
    labels : iterable of (float, str, str)
        Height, text (escaped already) and colour.
    """
    for height, text, color in labels:
        side = "bottom" if height == 0 else "top" if height == 1 else "center"
        write_near(ax, text, (1, height), (0.3 * current_medium().text, 0), "axes fraction", va=side, color=color)


def label_sides(ax: Axes, sides: Iterable[tuple[str, ColorType]], offset: tuple[float, float]) -> None:
    """Say next to the line at 0 what is above it, and what below.

    Parameters
    ----------
    ax : matplotlib Axes
    sides : iterable of (str, str)
        Text (escaped already) and colour, of what is above first.
    offset : (float, float)
        From the end of the line, in points.
    """
    for (text, color), side in zip(sides, (1, -1), strict=True):
        up = "bottom" if side > 0 else "top"
        write_near(ax, text, (1, 0), (offset[0], offset[1] * side), AT_EDGE, va=up, color=color)


def label_two_above(ax: Axes, labels: Sequence[tuple[float, str, ColorType]]) -> None:
    """Name two vertical lines above the Axes, each on its outer side, so that close ones do not cover one another.

    Parameters
    ----------
    ax : matplotlib Axes
    labels : sequence of (float, str, str)
        Place on the horizontal axis, text (escaped already) and colour; at least one, at most two.
    """
    for (x, text, color), side in zip(sorted(labels, key=lambda label: label[0]), (-1, 1), strict=False):
        gap = 0.3 * current_medium().text
        write_near(ax, text, (x, 1), (gap * side, gap), ABOVE, ha="right" if side < 0 else "left", color=color)


def set_labels(ax: Axes, x: str, y: str) -> None:
    """Name the axes of a plot in our words (not those of data), in as many lines as its part of the figure needs."""
    width, height = figure_of(ax).get_size_inches()
    ax.set_xlabel(wrap_to(x, 0.7 * width / n_columns_of(ax)))
    ax.set_ylabel(wrap_to(y, 0.6 * height))


def n_columns_of(ax: Axes) -> int:
    """Return in how many columns the panels of a figure stand."""
    place = ax.get_subplotspec()
    return place.get_gridspec().ncols if place else 1


def make_panels(
    n_panels: int,
    figure: Figure | None = None,
    *,
    wanted: int = 2,
    room: float = 0.25,
    height: float = 1.0,
    **options: Any,
) -> tuple[Figure, list[Axes]]:
    """Make panels next to each other, as many as have room; the others go below.

    Parameters
    ----------
    n_panels : int
    figure : Figure, optional
        An empty one; a new one by default, wider than the style's others where the medium allows it.
    wanted : int
        Panels in a row, if there is room.
    room : float
        What a panel needs, in inches per point of the size of text.
    height : float
        Of a row of a new figure, as a share of the height that the style gives to figures.
    **options
        For ``Figure.subplots``.
    """
    width, usual = mpl.rcParams["figure.figsize"]
    width = min(WIDE * width, current_medium().widest) if figure is None else figure.get_figwidth()
    n_columns = max(1, min(n_panels, wanted, int(width / (room * current_medium().text))))
    n_rows = -(-n_panels // n_columns)
    figure = plt.figure(figsize=(width, n_rows * height * usual)) if figure is None else figure
    axes = list(figure.subplots(n_rows, n_columns, squeeze=False, **options).flat)
    for ax in axes[n_panels:]:
        ax.remove()
    if options.get("sharex"):  # matplotlib numbers the lowest row alone, which may be short
        for ax in axes[max(0, n_panels - n_columns) : n_panels]:
            ax.tick_params(labelbottom=True)
    return figure, axes[:n_panels]


def label_numbers(axis: Axis, numbers: Iterable[float] | None = None) -> None:
    """Write the ticks of a logarithmic axis as numbers ("1,000", "0.01"), not as powers; at given ones, or its own."""
    if numbers is not None:
        axis.set_major_locator(FixedLocator(list(numbers)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


def looks_of(systems: Sequence[str], styles: Styles | None) -> Looks:
    """Return how systems look: as given, or in the order in which they come; see `tell_apart`."""
    return styles_of(systems) if styles is None else tell_apart(systems, styles)


def shades_of(number: int) -> np.ndarray:
    """Return colours for numbers that rise, such as numbers of runs: the darker, the more."""
    return plt.colormaps["viridis"](np.linspace(0.75, 0.0, number))


def many_marks() -> Look:
    """Return the look of marks that are many: smaller than the style's."""
    size = 0.65 * mpl.rcParams["lines.markersize"]
    return {"linestyle": "none", "marker": "o", "markersize": size, "color": COLORS[0]}


def bars_of(color: ColorType) -> Look:
    """Return the look of a histogram: pale, so that lines are seen on it, with an outline that dark themes keep."""
    return {"fill": True, "facecolor": (*to_rgb(color), 0.45), "edgecolor": color, "linewidth": 1}


def is_alone(ax: Axes) -> bool:
    """Tell whether a figure has no other panel."""
    return len(ax.figure.axes) == 1


def short_names(systems: Sequence[str]) -> dict[str, str]:
    """Return systems' names as they fit next to the data: shortened where they are long, and escaped."""
    return label_systems(systems, NEXT_TO_DATA)
