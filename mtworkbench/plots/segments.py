"""Where a difference of two systems comes from: segments, buckets, and how far resampling moves it."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox

from mtworkbench.inference import PairedBootstrap
from mtworkbench.plots.comparisons import N_BINS, label_difference
from mtworkbench.plots.labels import GUIDE, bars_of, in_house_style, label_two_above, many_marks, name_sides, set_labels
from mtworkbench.plots.style import (
    AT_EDGE,
    LINE_HEIGHT,
    POINTS,
    REFERENCE_COLOR,
    current_medium,
    figure_of,
    label_line,
    text_width,
    wrap_to,
    write_near,
)
from mtworkbench.plots.systems import COLORS, Look, label_systems
from mtworkbench.wording import tally
from mtworkbench.words.cells import decimals_for
from mtworkbench.words.frames import in_percent, shorten, signed, with_minus

# Ticks of an axis, at most: each costs time where a reader waits for the picture.
N_TICKS = 6
# Of the width of an Axes: where a line is further to the right, its name would reach into what stands there.
NEAR_EDGE = 0.8
# Segments that are named at each end of a picture, where there is room.
N_NAMED = 3
# Of a line of text, the distance of two rows that each have a name; in lines, what stands above and below all rows.
ROW, LABEL_LINES = 1.2, 5.5
# Names of buckets are shortened beyond this.
LABEL_LENGTH = 24


@in_house_style()
def plot_contributions(
    frame: pd.DataFrame, ax: Axes, /, *, systems: tuple[str, str] | None = None, **kwargs: object
) -> Axes:
    """Plot what each segment contributes to the difference of two systems, against the length of its reference.

    There is one dot per segment. The segments with the largest contributions have their numbers next to them.

    Parameters
    ----------
    frame : DataFrame
        Of `segment_contributions`, by segment. Without lengths of references, segments are placed in their order.
    ax : matplotlib Axes, optional
        The current one by default.
    systems : (str, str), optional
        The new system and the baseline, to name the two sides of the line at 0.
    **kwargs
        For the dots (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    shown = frame.dropna(subset=["contribution"])
    x = shown[abscissa_of(frame)].to_numpy(dtype=float)
    y = shown["contribution"].to_numpy(dtype=float)
    ax.axhline(0, **GUIDE)
    ax.plot(x, y, **(many_marks() | {"alpha": 0.5, "markeredgewidth": 0} | kwargs))
    ax.margins(x=0.04, y=0.08)
    ax.locator_params(nbins=N_TICKS)
    across = "segment" if abscissa_of(frame) == "segment" else "words of the reference"
    set_labels(ax, across, "contribution to the difference")
    _name_zero(ax, systems)
    _name_largest(ax, x, y, shown["segment"].to_numpy())
    return ax


def abscissa_of(frame: pd.DataFrame) -> str:
    """Return the column by which `plot_contributions` places segments from left to right."""
    return "length_reference" if "length_reference" in frame.columns else "segment"


def _name_zero(ax: Axes, systems: tuple[str, str] | None) -> None:
    """Name the line at 0, and say which system is higher above it and which below."""
    label_line(ax, "0", y=0)
    if systems is None:
        return
    text = current_medium().text
    name_sides(ax, systems, (0.3 * text, 0.8 * text))


def _name_largest(ax: Axes, x: np.ndarray, y: np.ndarray, segments: np.ndarray) -> None:
    """Write the numbers of the segments at both ends, as far as they cover no dot and no other number."""
    order = np.argsort(y, kind="stable")
    ends = [*((place, 1) for place in order[::-1][:N_NAMED]), *((place, -1) for place in order[:N_NAMED])]
    ax.autoscale_view()
    # Numbers have room for sure only in an Axes that has its place.
    layout = ax.figure.get_layout_engine()
    if layout is not None:
        layout.execute(figure_of(ax))
    # It may still change a little, so the room for a number is more than it takes.
    pixels, text = ax.transData.transform(np.column_stack([x, y])), current_medium().text
    point = ax.figure.dpi / POINTS
    taken: list[Bbox] = []
    for place, side in ends:
        name = str(segments[place])
        width, height = text_width(name) * ax.figure.dpi, LINE_HEIGHT * text * point
        for right, up in ((1, 0), (-1, 0), (0, side), (0, -side)):
            if side * y[place] <= 0:
                break
            middle = pixels[place] + (0.4 * text * point + np.array([width, height]) / 2) * (right, up)
            box = Bbox.from_bounds(middle[0] - width / 2, middle[1] - height / 2, width, height)
            inside = ax.bbox.x0 <= box.x0 and box.x1 <= ax.bbox.x1 and ax.bbox.y0 <= box.y0 and box.y1 <= ax.bbox.y1
            if inside and not any(map(box.padded(0.1 * height).overlaps, taken)) and not box.count_contains(pixels):
                taken.append(box)
                across = {1: "left", -1: "right"}.get(right, "center")
                along = {1: "bottom", -1: "top"}.get(up, "center")
                offset = 0.4 * text * right, 0.4 * text * up
                write_near(ax, name, (x[place], y[place]), offset, ha=across, va=along)
                break


@in_house_style()
def plot_buckets(frame: pd.DataFrame, ax: Axes, /, *, systems: tuple[str, str] | None = None, **kwargs: object) -> Axes:
    """Plot the difference of two systems in each bucket with its confidence interval, one row per bucket.

    The numbers at the right say how many segments, or words, each bucket has. An open dot is a bucket too small for an
    interval. Where there is no room for all rows, the largest buckets are shown, and the figure says so: see
    `shown_buckets`.

    Parameters
    ----------
    frame : DataFrame
        Of `bucket_segments`.
    ax : matplotlib Axes, optional
        The current one by default.
    systems : (str, str), optional
        The new system and the baseline, to name the two sides of the line at 0.
    **kwargs
        For the lines (``Axes.plot``), each of which goes from ``low`` over ``difference`` to ``high``.

    Returns
    -------
    matplotlib Axes
    """
    shown, counted = shown_buckets(frame, ax), count_of(frame)
    medium = current_medium()
    ax.axvline(0, **GUIDE)
    look = Look(color=COLORS[0], marker="o", markevery=[1], linewidth=medium.line, markersize=medium.marker)
    for row, one in enumerate(shown.itertuples()):
        fill = {"markerfacecolor": "white"} if np.isnan(one.low) else {}
        ax.plot([one.low, one.difference, one.high], [row] * 3, **(look | fill | kwargs))
    names = [str(name) for name in shown["bucket"]]
    labels = label_systems(names, LABEL_LENGTH)
    ax.set_yticks(range(len(shown)), [labels[name] for name in names])
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.tick_params("y", length=0)
    ax.spines["left"].set_visible(False)
    gap, up = 0.5 * medium.text, 0.3 * medium.text
    write_near(ax, counted, (1, 1), (gap, up), "axes fraction", va="bottom", color=REFERENCE_COLOR)
    for row, number in enumerate(shown[counted]):
        write_near(ax, f"{number:,}", (1, row), (gap, 0), AT_EDGE, va="center", color=REFERENCE_COLOR)
    ax.locator_params("x", nbins=N_TICKS)
    low, high = ax.get_xlim()
    # Above the numbers at the right edge stands what they count.
    label_line(ax, "equal", x=0, is_left=-low > NEAR_EDGE * (high - low))
    _label_buckets(ax, frame, len(frame) - len(shown), systems)
    return ax


def shown_buckets(frame: pd.DataFrame, ax: Axes) -> pd.DataFrame:
    """Return the buckets that have room as rows of an Axes: the largest ones, in their own order."""
    # The layout has yet to give an Axes its place; alone in a figure, it has this share of the height before.
    share = ax.get_position().height / (mpl.rcParams["figure.subplot.top"] - mpl.rcParams["figure.subplot.bottom"])
    row, labels = _heights()
    room = max(3, int((share * figure_of(ax).get_figheight() - labels) / row + 1e-9))
    if len(frame) <= room:
        return frame
    largest = np.argsort(-frame[count_of(frame)].to_numpy(), kind="stable")[:room]
    return frame.iloc[np.sort(largest)]


def height_of_buckets(n_buckets: int) -> float:
    """Return the height of a figure in which so many buckets have room, in inches."""
    row, labels = _heights()
    return n_buckets * row + labels


def _heights() -> tuple[float, float]:
    """Return the heights of a row with a name, and of all that stands above and below the rows, in inches."""
    line = LINE_HEIGHT * current_medium().text / POINTS
    return ROW * line, LABEL_LINES * line


def count_of(frame: pd.DataFrame) -> str:
    """Return the column that says how large buckets are."""
    return "words" if "words" in frame.columns else "segments"


def _label_buckets(ax: Axes, frame: pd.DataFrame, left_out: int, systems: tuple[str, str] | None) -> None:
    level = in_percent(float(frame["level"].iloc[0]))
    said = f"{level} CI of the difference{' in F (%)' if count_of(frame) == 'words' else ''}"
    if systems is not None:
        said += ", {} \N{MINUS SIGN} {}".format(*shorten(list(systems), LABEL_LENGTH).values())
    if left_out:
        said += f"; {tally(left_out, 'further bucket')} not shown"
    # The names of the rows take some of the width.
    ax.set_xlabel(wrap_to(said, 0.6 * figure_of(ax).get_figwidth()))


@in_house_style()
def plot_resampled_difference(found: PairedBootstrap, ax: Axes, /, **kwargs: object) -> Axes:
    """Plot the differences of two systems in resamples as a histogram, with 0, the difference and its interval.

    Parameters
    ----------
    found : PairedBootstrap
        Of `paired_bootstrap`, or the ``bootstrap`` of a pair that `compare` compared.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For the histogram (``Axes.stairs``).

    Returns
    -------
    matplotlib Axes
    """
    counts, edges = count_resamples(found)
    look = Look(color=COLORS[0]) | kwargs
    color = look.pop("color")
    ax.stairs(counts, edges, **bars_of(color) | look)
    medium, top = current_medium(), max(1, counts.max())
    em = medium.text / POINTS
    height = ax.get_position().height * figure_of(ax).get_figheight()
    line = top * LINE_HEIGHT * em / (0.7 * height)
    digits = decimals_of(found)
    # They end above the interval, whose numbers stand there.
    ax.vlines(0, 0, 1.05 * top, **GUIDE)
    ax.vlines(found.difference, 0, 1.05 * top, color=color, linewidth=medium.line)
    label_two_above(
        ax,
        [
            (0, "0: equal", REFERENCE_COLOR),
            (found.difference, f"observed {with_minus(signed(found.difference, digits))}", color),
        ],
    )
    ends = [end for end in (found.low, found.high) if end is not None]
    low, high = min(0.0, edges[0]), max(0.0, edges[-1])
    if len(ends) == 2:
        low, high = min(low, ends[0]), max(high, ends[1])
        ax.plot(ends, [-0.8 * line] * 2, color=color, linewidth=2 * medium.line, solid_capstyle="butt")
        for end, side in zip(ends, ("right", "left"), strict=True):
            text, gap = with_minus(signed(end, digits)), (-0.3 if side == "right" else 0.3) * medium.text
            write_near(ax, text, (end, -0.8 * line), (gap, 0), ha=side, va="center", color=color)
        middle = sum(ends) / 2, -1.2 * line
        write_near(
            ax, f"{in_percent(found.level)} CI ({found.method})", middle, (0, 0), ha="center", va="top", color=color
        )
    room = 0.05 * (high - low) or 1.0
    ax.set_xlim(low - room, high + room)
    _make_room(ax, ends, digits)
    ax.set_ylim(-2.5 * line, 1.05 * top)
    ax.locator_params("x", nbins=N_TICKS)
    ticks = MaxNLocator(4, integer=True).tick_values(0, top)
    ax.set_yticks([tick for tick in ticks if 0 <= tick <= top])
    names = shorten([found.a, found.b], LABEL_LENGTH)
    of_systems = f"{names[found.a]} \N{MINUS SIGN} {names[found.b]}"
    set_labels(ax, f"{label_difference(found.metric)}, {of_systems}", "resamples")
    return ax


def count_resamples(found: PairedBootstrap) -> tuple[np.ndarray, np.ndarray]:
    """Return the counts of `plot_resampled_difference`, and the edges between them."""
    bins = N_BINS if np.ptp(found.differences) > 0 else 1
    return np.histogram(found.differences, bins=bins)


def decimals_of(found: PairedBootstrap) -> int:
    """Choose decimals that show two digits of the width of the interval, or of the difference."""
    whole = found.high - found.low if found.low is not None and found.high is not None else abs(found.difference)
    return decimals_for(whole, 1) if whole else 2


def _make_room(ax: Axes, ends: Sequence[float], digits: int) -> None:
    """Widen the axis until the numbers at the ends of the interval stand within it."""
    inches = ax.get_position().width * figure_of(ax).get_figwidth()
    for end, side in zip(ends, (-1, 1), strict=False):
        low, high = ax.get_xlim()
        width = text_width(signed(end, digits)) + 0.5 * current_medium().text / POINTS
        outer = end + side * (width / (0.8 * inches) * (high - low))
        ax.set_xlim(min(low, outer), max(high, outer))
