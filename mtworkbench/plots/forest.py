"""Forest plots as in a meta-analysis: names, marks on one axis or several, and the numbers that defend the verdicts.

Everything has its place before it is drawn: the axes have most of the width, and long names have several lines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mtworkbench.plots.comparisons import NO_LIMITS, Limits, draw_margin
from mtworkbench.plots.style import POINTS, REFERENCE_COLOR, Medium, text_width, wrap_name
from mtworkbench.plots.systems import escape_dollars
from mtworkbench.plots.words import describe
from mtworkbench.words.frames import fixed, signed, with_minus

# In units of the text's size: the gap between columns, the least width of names that are broken, and of one of several
# axes.
GAP, MIN_NAME, MIN_AXIS = 0.8, 5.0, 6.0
# A name in two lines is so many times as wide as either, because it is broken between words.
TWO_LINES = 1.7
# In lines: below a name of several lines, for ticks below a mark, the labels of the axis, and below a panel.
ROW_GAP, UNDER_MARK, TICKS, PANEL_GAP = 0.25, 0.35, 1.3, 0.35
# And between two groups of rows.
GAP_OF_GROUPS = 0.4
#: Margin of a figure, in inches.
MARGIN = 0.04
# Bold text is so much wider, and letters are set a little wider where pixels are few.
BOLD, SLACK = 1.12, 0.95
#: Which way is better on an axis.
LEFT_ARROW, RIGHT_ARROW = "\N{LEFTWARDS ARROW}", "\N{RIGHTWARDS ARROW}"


@dataclass(frozen=True)
class Row:
    """A system, a pair or a test set: its name, the numbers beside it, and all of its numbers in words."""

    name: str
    numbers: tuple[str, ...] = ()
    words: str = ""


@dataclass(frozen=True)
class Track:
    """One axis: what draws its marks at the heights of the rows; of several, each has lines of text above it."""

    mark: Callable[[Axes, Sequence[float]], None]
    words: str
    heading: tuple[str, ...] = ()


@dataclass(frozen=True)
class Forest:
    """One panel.

    Parameters
    ----------
    heading : str
        Above everything.
    better : tuple of str
        Which way is better on the axes: the first that has room.
    columns : tuple of str
        Headings of the numbers beside the axis; the last ones are left out where they would take its room.
    rows : tuple of Row
    tracks : tuple of Track
        One axis or several next to each other.
    zero : tuple of str
        Names of the line at 0, of which the first one that has room is shown; none where the axis shows scores.
    key : tuple of str
        What the marks mean.
    limits : (float, float)
        Of the axes, where they are finite.
    margin : float, optional
        The axis has a band from -margin to margin.
    margin_label : str
        Names the band, below all rows.
    gap_before : int, optional
        The row before which there is a gap.
    has_ticks : bool
        Whether rows have room for ticks below their marks.
    """

    heading: str
    better: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    tracks: tuple[Track, ...]
    zero: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    limits: Limits = NO_LIMITS
    margin: float | None = None
    margin_label: str = ""
    gap_before: int | None = None
    has_ticks: bool = False


@dataclass(frozen=True)
class Place:
    """Where a panel stands in a figure: its left edge in inches, its top in lines of a height in inches."""

    figure: Figure
    size: tuple[float, float]
    left: float
    top: float
    line: float
    em: float

    def write(self, x: float, line: float, text: str, **look: Any) -> None:
        """Write text at x inches from the left edge, in the middle of the line at a height."""
        if text:
            y = self.size[1] - MARGIN - (self.top + line) * self.line - 0.36 * self.em
            self.figure.text((self.left + x) / self.size[0], y / self.size[1], escape_dollars(text), **look)

    def add_axes(self, x: float, width: float, top: float, bottom: float) -> Axes:
        """Add an Axes between two heights."""
        low = self.size[1] - MARGIN - (self.top + bottom) * self.line
        across, up = self.size
        return self.figure.add_axes(
            ((self.left + x) / across, low / up, width / across, (bottom - top) * self.line / up)
        )


@dataclass(frozen=True)
class PlacedForest:
    """A panel with the widths of its columns, in inches.

    Parameters
    ----------
    panel : Forest
    width, name, axis : float
        Of everything, of the names, and of each axis.
    numbers : tuple of float
        Of the columns of numbers that have room.
    em : float
        Size of the text.
    """

    panel: Forest
    width: float
    name: float
    axis: float
    numbers: tuple[float, ...]
    em: float

    @property
    def gap(self) -> float:
        """Between columns."""
        return GAP * self.em

    @property
    def key(self) -> tuple[str, ...]:
        """What the marks mean."""
        return self.panel.key

    def left_of(self, track: int) -> float:
        """Return where an axis begins."""
        return self.name + self.gap + track * (self.axis + self.gap)

    @property
    def right(self) -> float:
        """Where the last axis ends."""
        return self.left_of(len(self.panel.tracks) - 1) + self.axis

    def names(self) -> list[list[str]]:
        """Return the lines of each row's name."""
        return [wrap_name(row.name, self.name) for row in self.panel.rows]

    def rows(self) -> list[tuple[float, float, float]]:
        """Return top, middle and bottom of each row below the headings, in lines."""
        places, top = [], 0.0
        for number, lines in enumerate(map(len, self.names())):
            top += GAP_OF_GROUPS if number == self.panel.gap_before else 0
            below = max(lines / 2, 0.5 + (UNDER_MARK if self.panel.has_ticks else 0))
            bottom = top + lines / 2 + below + (ROW_GAP if lines > 1 else 0)
            places.append((top, top + lines / 2, bottom))
            top = bottom
        return places

    def headings(self) -> tuple[list[str], str, bool]:
        """Return the lines of the heading, which way is better, and whether that stands in the heading's last line."""
        better = next((one for one in self.panel.better if text_width(one) <= SLACK * self.axis), self.panel.better[-1])
        lines = wrap_name(self.panel.heading, SLACK * self.width / BOLD)
        last = BOLD * text_width(lines[-1])
        return lines, better, last + (self.gap + text_width(better) if better else 0) <= self.right

    @property
    def n_headings(self) -> int:
        """Lines above the rows: the heading, which way is better, and what stands above single axes."""
        lines, _, is_beside = self.headings()
        return len(lines) + (0 if is_beside else 1) + max(len(track.heading) for track in self.panel.tracks)

    @property
    def rows_height(self) -> float:
        """Height of all rows, in lines."""
        return self.rows()[-1][2]

    def lines_in(self, width: float) -> float:
        """Return the height in a figure of a width, in lines."""
        return self.n_headings + self.rows_height + (1 if self.panel.margin_label else 0) + TICKS + PANEL_GAP

    def draw(self, place: Place, width: float) -> None:
        """Draw texts in their columns, and marks on the axes."""
        panel, places, start = self.panel, self.rows(), self.n_headings
        self._write_headings(place)
        for row, lines, (_, middle, _) in zip(panel.rows, self.names(), places, strict=True):
            for number, line in enumerate(lines):
                place.write(0, start + middle + number - (len(lines) - 1) / 2, line)
            self._write_numbers(row.numbers, start + middle, place)
        height = self.rows_height
        bottom = start + height + (1 if panel.margin_label else 0)
        for number, track in enumerate(panel.tracks):
            left = self.left_of(number)
            ax = place.add_axes(left, self.axis, start, bottom)
            describe(ax, track.words)
            ax.set_ylim(bottom - start, 0)
            if panel.zero:
                ax.vlines([0], 0, height, color="0.6", linewidth=0.8, zorder=0)
            track.mark(ax, [middle for _, middle, _ in places])
            if panel.margin is not None:
                draw_margin(ax, panel.margin, [(0.0, height)])
            ax.update_datalim([(end, 0.5) for end in panel.limits if math.isfinite(end)])
            self._finish_axis(ax, left, place, bottom)
            if panel.margin_label:
                x, label = self._label(ax, 0, panel.margin_label)
                place.write(left + x, start + height + 0.5, label, ha="center", color=REFERENCE_COLOR)

    def _write_headings(self, place: Place) -> None:
        lines, better, is_beside = self.headings()
        for number, line in enumerate(lines):
            place.write(0, number + 0.5, line, weight="bold")
        middle = len(lines) + (-0.5 if is_beside else 0.5)
        at_left = better.startswith(LEFT_ARROW) and not is_beside
        x, side = (self.left_of(0), "left") if at_left else (self.right, "right")
        place.write(x, middle, better, ha=side, color=REFERENCE_COLOR)
        self._write_numbers(self.panel.columns, middle, place)
        for track, one in enumerate(self.panel.tracks):
            for number, line in enumerate(one.heading):
                x = self.left_of(track) + self.axis / 2
                place.write(x, middle + 1 + number, line, ha="center")

    def _write_numbers(self, numbers: Sequence[str], height: float, place: Place) -> None:
        edge = self.right
        for text, width in zip(numbers, self.numbers, strict=False):
            edge += self.gap + width
            place.write(edge, height, text, ha="right")

    def _finish_axis(self, ax: Axes, left: float, place: Place, bottom: float) -> None:
        """Leave of an Axes its lower axis alone, and write the labels of the ticks below; see `_tick`."""
        ax.spines[["left", "top", "right"]].set_visible(False)
        ax.set_yticks([])
        for x, label in self._tick(ax):
            place.write(left + x, bottom + 0.75, label, ha="center")

    def _tick(self, ax: Axes) -> list[tuple[float, str]]:
        """Set the ticks of the axis; return the middle of each label in inches from its left, and the label.

        Differences have their sign. At 0 stands the name of the line, for which other labels make room, but not all.
        """
        ax.margins(x=0.05)
        ax.autoscale_view(scaley=False)
        low, high = ax.get_xlim()
        ticks = MaxNLocator(max(2, int(self.axis / (3.5 * self.em))), steps=[1, 2, 5, 10]).tick_values(low, high)
        step = ticks[1] - ticks[0]
        ticks = [float(tick) for tick in ticks if low <= tick <= high]
        ax.set_xticks(ticks, [""] * len(ticks))
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        if not self.panel.zero:
            return [self._label(ax, tick, with_minus(fixed(tick, digits))) for tick in ticks]
        others = [self._label(ax, tick, with_minus(signed(tick, digits))) for tick in ticks if abs(tick) > step / 2]
        for name in self.panel.zero:
            half, (middle, _) = text_width(name) / 2, self._label(ax, 0, name)
            kept = [(x, label) for x, label in others if abs(x - middle) > half + text_width(label) / 2 + 0.5 * self.em]
            if 2 * half < self.width and len(kept) >= min(len(others), max(1, len(others) - 2)):
                break
        return [(middle, name), *kept]

    def _label(self, ax: Axes, value: float, label: str) -> tuple[float, str]:
        """Place a label below its value on the axis, or as near as the panel's edge or the next axis allows."""
        low, high = ax.get_xlim()
        x, half = (value - low) / (high - low) * self.axis, text_width(label) / 2
        left, right = self.left_of(0), self.width - self.left_of(0)
        if len(self.panel.tracks) > 1:
            left, right = self.gap / 2, self.axis
        return min(max(x, half - left), right - half), label


def lay_out(panels: Sequence[Forest], width: float, medium: Medium) -> list[PlacedForest]:
    """Give the axes their share of the width; names and numbers take the rest, and stand in columns of all panels.

    Columns of numbers are left out, from the last one on, where that gives names room in one line, or else in two.

    Parameters
    ----------
    panels : sequence of Forest
    width : float
        Of the figure.
    medium : Medium

    Returns
    -------
    list of PlacedForest
    """
    em, room = medium.text / POINTS, width - 2 * MARGIN
    gap = GAP * em
    widest = _widest(row.name for panel in panels for row in panel.rows)
    columns = [text for panel in panels for text in (panel.columns, *(row.numbers for row in panel.rows))]
    numbers = [_widest(filter(None, texts)) for texts in zip_longest(*columns)]
    beside = [
        room - medium.share * width - gap - sum(gap + one for one in numbers[:n]) for n in range(len(numbers) + 1)
    ]
    fitting = (n for lines in (1, TWO_LINES) for n in reversed(range(len(beside))) if widest <= lines * beside[n])
    n_columns = next(fitting, 0)
    name = min(widest, max(beside[n_columns], MIN_NAME * em))
    right = name + gap + sum(gap + one for one in numbers[:n_columns])
    placed = []
    for panel in panels:
        n_tracks = len(panel.tracks)
        axis = (room - right - (n_tracks - 1) * gap) / n_tracks
        placed.append(PlacedForest(panel, room, name, axis, tuple(numbers[:n_columns]), em))
    return placed


def has_room(panel: Forest, width: float, medium: Medium) -> bool:
    """Tell whether several axes have room for their marks, and for what stands above them."""
    [placed] = lay_out([panel], width, medium)
    above = _widest(line for track in panel.tracks for line in track.heading)
    return placed.axis >= max(MIN_AXIS * placed.em, above)


def _widest(texts: Iterable[str]) -> float:
    return max(map(text_width, texts), default=0.0)


def describe_rows(heading: str, intervals: str, rows: Sequence[Row]) -> str:
    """Say the numbers of a panel, row by row; the interval is in brackets."""
    return f"{heading} [{intervals}]: {'; '.join(f'{row.name} {row.words}'.rstrip() for row in rows)}"
