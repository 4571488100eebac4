"""Forest plots as in a meta-analysis: systems, intervals on an axis, and the numbers in columns; also side by side.

Everything has its place before it is drawn: columns are as wide as their text, and a row is as high as its lines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mtworkbench.plots.comparisons import draw_margin, with_minus
from mtworkbench.plots.style import POINTS, REFERENCE_COLOR, Medium, current_medium, text_width
from mtworkbench.plots.systems import escape_dollars
from mtworkbench.plots.words import describe
from mtworkbench.words.cells import signed
from mtworkbench.words.frames import fixed, shorten

# In units of the text's size: the gap between columns, the axis as it should be and as it must be.
GAP, AXIS, MIN_AXIS, TINY_AXIS = 1.0, 16.0, 9.0, 7.0
# In lines: below a row of several lines, below all rows, the labels of the axis, and below a panel.
ROW_GAP, BOTTOM, TICKS, PANEL_GAP = 0.25, 0.1, 1.2, 0.2
# And between two groups of rows.
GAP_OF_GROUPS = 0.4
#: Margin of a figure, in inches.
MARGIN = 0.04
# Bold text is so much wider; of several texts, the first is chosen that leaves a little room.
BOLD, SLACK = 1.12, 0.95
# Width of the axis of a column as it should be and as it must be, in units of the text's size.
COLUMN, MIN_COLUMN = 11.0, 6.5
# Names of rows are at most so wide, in units of the text's size.
WIDEST_NAME = 16.0
#: Which way is better on an axis.
LEFT_ARROW, RIGHT_ARROW = "\N{LEFTWARDS ARROW}", "\N{RIGHTWARDS ARROW}"


@dataclass(frozen=True)
class Line:
    """The numbers of one interval: whose it is, of how many segments, difference, ends, p, and if within the margin."""

    whose: str = ""
    segments: str = ""
    difference: str = ""
    interval: str = ""
    p: str = ""
    within: str = ""


@dataclass(frozen=True)
class Row:
    """A system or a pair, with one line per interval; a ``note`` stands in place of numbers."""

    name: tuple[str, ...]
    score: str = ""
    lines: tuple[Line, ...] = (Line(),)
    note: str = ""


@dataclass(frozen=True)
class Forest:
    """One panel.

    Parameters
    ----------
    headings : tuple of str
        Of the scores, or of the panel: the first that has room, of several the last may be shortened.
    better : str
        Which way is better on the axis.
    columns : Line
        Headings of the columns of numbers.
    rows : tuple of Row
    zero : tuple of str
        Names of the line at 0, of which the first one that has room is shown; none where the axis shows scores.
    key : tuple of str
        What the marks mean.
    mark : callable
        Draws the marks on an Axes, given for each row the height of each of its lines.
    margin : float, optional
        The axis has a band from -margin to margin.
    margin_label : str
        Names the band, below all rows.
    sides : tuple of (str, str)
        What stands above the axis at its left and right in place of `better`: of several, the first that has room.
    keeps_names : bool
        Names stay beside the axis, if columns of numbers can make room for that.
    gap_before : int, optional
        The row before which there is a gap.
    """

    headings: tuple[str, ...]
    better: str
    columns: Line
    rows: tuple[Row, ...]
    zero: tuple[str, ...]
    key: tuple[str, ...]
    mark: Callable[[Axes, Sequence[Sequence[float]]], None]
    margin: float | None = None
    margin_label: str = ""
    sides: tuple[tuple[str, str], ...] = ()
    keeps_names: bool = False
    gap_before: int | None = None

    @property
    def heading(self) -> str:
        """The longest one."""
        return self.headings[0]


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
class Layout:
    """Widths of the columns of all panels, in inches, and whether names stand above their rows.

    Parameters
    ----------
    name, score, axis : float
    text : dict of str to float
        Of the columns of numbers by the fields of `Line`; 0 where a column is left out.
    above : bool
        Whether names have lines of their own.
    em : float
        Size of the text.
    """

    name: float
    score: float
    axis: float
    text: dict[str, float]
    above: bool
    em: float

    @property
    def gap(self) -> float:
        """Between columns."""
        return GAP * self.em

    @property
    def axis_left(self) -> float:
        """Where the axis begins."""
        return 0.0 if self.above else self.name + self.gap + (self.score + self.gap if self.score else 0)

    @property
    def axis_right(self) -> float:
        """Where the axis ends."""
        return self.axis_left + self.axis

    @property
    def width(self) -> float:
        """Width of a panel."""
        return max(self.right_edges().values())

    def right_edges(self) -> dict[str, float]:
        """Return where each column of numbers ends."""
        edges, place = {}, self.axis_right
        for field, width in self.text.items():
            place += width + self.gap if width else 0
            edges[field] = place
        return edges

    def bars_of(self, panel: Forest) -> tuple[list[tuple[float, list[float]]], float]:
        """Return for each row the heights of its name and of its bars, in lines, and the height of all rows.

        The name of the margin's band has a line below them.
        """
        places, top = [], 0.0
        for number, row in enumerate(panel.rows):
            top += GAP_OF_GROUPS if number == panel.gap_before else 0
            n_names, n_bars = len(row.name), len(row.lines)
            first = top + 0.5 + (n_names if self.above else 0)
            places.append((top + 0.5, [first + bar for bar in range(n_bars)]))
            n_lines = n_names + n_bars if self.above else max(n_names, n_bars)
            top += n_lines + (ROW_GAP if n_lines > 1 else 0)
        return places, top + BOTTOM + (1 if panel.margin_label else 0)

    def n_headings(self, panel: Forest) -> int:
        """Return 2 where heading and direction do not fit side by side above the axis."""
        if panel.sides:
            return 2
        needed = BOLD * text_width(panel.heading) + (self.gap + text_width(panel.better) if panel.better else 0)
        return 1 if needed <= self.axis_right else 2

    def height_of(self, panel: Forest) -> float:
        """Return the height of a panel in lines."""
        return self.n_headings(panel) + self.bars_of(panel)[1] + TICKS + PANEL_GAP


def lay_out(panels: Sequence[Forest], width: float | None, medium: Medium) -> Layout:
    """Make columns as wide as their texts; names stand above their rows where they would leave no room for the axis.

    Parameters
    ----------
    panels : sequence of Forest
    width : float or None
        Of the figure; None for one that is as wide as it needs to be, up to what the medium has room for.
    medium : Medium

    Returns
    -------
    Layout
    """
    em = medium.text / POINTS
    rows = [row for panel in panels for row in panel.rows]
    lines = [panel.columns for panel in panels] + [line for row in rows for line in row.lines]
    text = {field.name: _widest(getattr(line, field.name) for line in lines) for field in fields(Line)}
    name, score = _widest(part for row in rows for part in row.name), _widest(row.score for row in rows)
    widest = (medium.widest if width is None else width) - 2 * MARGIN
    beside = Layout(name, score, 0.0, text, above=False, em=em)
    dropped: list[tuple[str, ...]] = [()]
    if all(panel.keeps_names for panel in panels):
        dropped += [("whose", "segments"), ("whose", "segments", "interval")]
    for columns in dropped:
        fewer = replace(beside, text=text | dict.fromkeys(columns, 0.0))
        room = widest - fewer.width
        if room >= MIN_AXIS * em:
            return replace(fewer, axis=min(room, AXIS * em) if width is None else room)
    above = replace(beside, above=True)
    for column in ("whose", "segments", "interval"):  # the key says the one, the axis shows the other
        if widest - above.width < TINY_AXIS * em:
            above = replace(above, text=above.text | {column: 0.0})
    return replace(above, axis=max(widest - above.width, TINY_AXIS * em))


def _widest(texts: Iterable[str]) -> float:
    return max(map(text_width, texts), default=0.0)


@dataclass(frozen=True)
class PlacedForest:
    """A panel with the widths of its columns."""

    panel: Forest
    layout: Layout

    @property
    def width(self) -> float:
        """Width in inches."""
        return self.layout.width

    @property
    def key(self) -> tuple[str, ...]:
        """What the marks mean."""
        return self.panel.key

    def lines_in(self, width: float) -> float:
        """Return the height in a figure of a width, in lines."""
        return self.layout.height_of(self.panel)

    def draw(self, place: Place, width: float) -> None:
        """Draw texts in their columns, and marks on the axis."""
        panel, layout = self.panel, self.layout
        (places, height), start = layout.bars_of(panel), layout.n_headings(panel)
        _write_headings(panel, place, layout, start)
        for row, (name_line, bars) in zip(panel.rows, places, strict=True):
            _write_row(row, place, layout, start + name_line, [start + bar for bar in bars])
        ax = place.add_axes(layout.axis_left, layout.axis, start, start + height)
        describe(ax, describe_panel(panel))
        ax.set_ylim(height, 0)
        rows = height - (1 if panel.margin_label else 0)
        if panel.zero:
            spans = [(y - 0.5, y + 0.5) for _, bars in places for y in bars] if layout.above else [(0.0, rows)]
            ax.vlines([0] * len(spans), *zip(*spans, strict=True), color="0.6", linewidth=0.8, zorder=0)
        panel.mark(ax, [bars for _, bars in places])
        if panel.zero and panel.margin is not None:
            draw_margin(ax, panel.margin, spans)
        finish_axis(ax, panel.zero, layout, place, layout.axis_left, start + height)
        if panel.margin_label:
            x, label = _place_label(ax, 0, panel.margin_label, layout)
            place.write(layout.axis_left + x, start + rows + 0.5, label, ha="center", color=REFERENCE_COLOR)


def _write_headings(panel: Forest, place: Place, layout: Layout, start: int) -> None:
    """Write the metric above its scores, the direction above the axis, and the headings of the columns."""
    middle, end = start - 0.5, layout.axis_left - layout.gap
    heading = choose_text(panel.headings, layout.width / BOLD)
    width = BOLD * text_width(heading)
    if width < end and panel.rows[0].score:  # above the scores
        place.write(end, 0.5, heading, weight="bold", ha="right")
        width = end
    else:
        place.write(0, 0.5, heading, weight="bold")
    begin = max(layout.axis_left, width + layout.gap if start == 1 else 0)
    if sides := _choose_sides(panel.sides, layout):
        left, right = sides
        # Next to the axis, where it has no room for both.
        end = layout.axis_right - text_width(right) - layout.gap
        place.write(min(layout.axis_left, end - text_width(left)), middle, left, color=REFERENCE_COLOR)
        place.write(layout.axis_right, middle, right, ha="right", color=REFERENCE_COLOR)
    elif panel.better.startswith(LEFT_ARROW):
        place.write(begin, middle, panel.better, color=REFERENCE_COLOR)
    else:
        place.write(layout.axis_right, middle, panel.better, ha="right", color=REFERENCE_COLOR)
    _write_line(panel.columns, middle, place, layout)


def _choose_sides(sides: Sequence[tuple[str, str]], layout: Layout) -> tuple[str, str] | None:
    """Choose the words above both sides of the axis that have room; where none have, one arrow says which is better."""
    for left, right in sides:
        if text_width(left) + text_width(right) + layout.gap <= layout.axis_right:
            return left, right
    return None


def _write_row(row: Row, place: Place, layout: Layout, name_line: float, bars: Sequence[float]) -> None:
    """Write a row's name, score and numbers."""
    # Letters are set a little wider where pixels are few.
    room = (
        0.97 * (layout.width - (text_width(row.score) + layout.gap if row.score else 0))
        if layout.above
        else layout.name
    )
    names = [fit_text(part, room) for part in row.name]
    for number, name in enumerate(names):
        place.write(0, name_line + number, name)
    if layout.above:
        place.write(1.03 * text_width(names[-1]) + layout.gap, name_line + len(names) - 1, row.score)
    else:
        place.write(layout.axis_left - layout.gap, name_line, row.score, ha="right")
    place.write(layout.axis_right + layout.gap, bars[0], row.note, color=REFERENCE_COLOR)
    for line, bar in zip(row.lines, bars, strict=True):
        _write_line(line, bar, place, layout)


def _write_line(line: Line, height: float, place: Place, layout: Layout) -> None:
    """Write the numbers of one line, each column to the right."""
    for field, edge in layout.right_edges().items():
        if layout.text[field] and field == "whose":
            place.write(edge - layout.text[field], height, line.whose, color=REFERENCE_COLOR)
        elif layout.text[field]:
            look = {"color": REFERENCE_COLOR} if field == "segments" else {}
            place.write(edge, height, getattr(line, field), ha="right", **look)


def choose_text(texts: Sequence[str], width: float) -> str:
    """Choose the first text that has room in a width; where none has, the last one is shortened."""
    # Letters are set a little wider where pixels are few.
    fitting = (text for text in texts if text_width(text) <= SLACK * width)
    return next(fitting, None) or fit_text(texts[-1], width if len(texts) == 1 else SLACK * width)


def fit_text(text: str, width: float) -> str:
    """Shorten a text that is wider than its column."""
    short = text
    for length in range(len(text) - 1, 5, -1):
        if text_width(short) <= 1.001 * width:
            break
        short = shorten([text], length)[text]
    return short


def finish_axis(ax: Axes, zero: Sequence[str], layout: Layout, place: Place, left: float, bottom: float) -> None:
    """Leave of an Axes with marks its lower axis alone, and write the labels of the ticks below; see `_tick`."""
    ax.spines[["left", "top", "right"]].set_visible(False)
    ax.set_yticks([])
    for x, label in _tick(ax, zero, layout):
        place.write(left + x, bottom + 0.75, label, ha="center")


def _tick(ax: Axes, zero: Sequence[str], layout: Layout) -> list[tuple[float, str]]:
    """Set the ticks of the axis; return the middle of each label in inches from its left, and the label.

    Differences have their sign. At 0 stands the name of the line, for which other labels make room, but not all.
    """
    ax.margins(x=0.05)
    ax.autoscale_view(scaley=False)
    low, high = ax.get_xlim()
    ticks = MaxNLocator(max(2, int(layout.axis / (3.5 * layout.em))), steps=[1, 2, 5, 10]).tick_values(low, high)
    step = ticks[1] - ticks[0]
    ticks = [float(tick) for tick in ticks if low <= tick <= high]
    ax.set_xticks(ticks, [""] * len(ticks))
    digits = max(0, -math.floor(math.log10(step) + 1e-9))

    if not zero:
        return [_place_label(ax, tick, with_minus(fixed(tick, digits)), layout) for tick in ticks]
    others = [
        _place_label(ax, tick, with_minus(signed(tick, digits)), layout) for tick in ticks if abs(tick) > step / 2
    ]
    for name in zero:
        half, (middle, _) = text_width(name) / 2, _place_label(ax, 0, name, layout)
        kept = [(x, label) for x, label in others if abs(x - middle) > half + text_width(label) / 2 + 0.5 * layout.em]
        if len(kept) >= min(len(others), max(1, len(others) - 2)):
            break
    return [(middle, name), *kept]


def _place_label(ax: Axes, value: float, label: str, layout: Layout) -> tuple[float, str]:
    """Place a label below its value on the axis, or as near as the panel's edge allows."""
    low, high = ax.get_xlim()
    x, half = (value - low) / (high - low) * layout.axis, text_width(label) / 2
    return min(max(x, half - layout.axis_left), layout.width - layout.axis_left - half), label


def describe_panel(panel: Forest) -> str:
    """Say the numbers of a panel, row by row; the interval is in brackets."""
    return f"{panel.heading} [{panel.columns.interval}]: {'; '.join(_describe_row(row, panel) for row in panel.rows)}"


def _describe_row(row: Row, panel: Forest) -> str:
    """Say the numbers of a row as its columns have them."""
    said = []
    for line in row.lines:
        p = line.p and f"{panel.columns.p} {line.p if line.p.startswith('<') else f'= {line.p}'}"
        heading = panel.columns.difference if line.difference and row.score else ""
        said.append(" ".join(part for part in (line.whose, heading, line.difference, line.interval, p) if part))
    name = f"{' '.join(row.name)} {row.score}".rstrip()
    # A score is a number of its own, which the numbers of a difference do not follow without a comma.
    return (", " if row.score and panel.zero else " ").join(
        (name, ", ".join(part for part in (*said, row.note) if part))
    )


@dataclass(frozen=True)
class GridColumn:
    """One column: its heading in lines, the numbers below it, and what draws its marks at the heights of the rows."""

    name: tuple[str, ...]
    numbers: str
    mark: Callable[[Axes, Sequence[float]], None]
    words: str


@dataclass(frozen=True)
class Grid:
    """Several columns of marks in the same rows.

    Parameters
    ----------
    headings : tuple of str
        Above the grid: the first that has room.
    better : str
        Which way is better.
    rows, sizes : tuple of str
        The name of each row, and the number of its segments.
    columns : tuple of GridColumn
    limits : (float, float)
        Of the axis of every column.
    gap_before : int
        The row before which there is a gap.
    key : tuple of str
        What the marks mean.
    em : float
        Size of the text, in inches.
    """

    headings: tuple[str, ...]
    better: str
    rows: tuple[str, ...]
    sizes: tuple[str, ...]
    columns: tuple[GridColumn, ...]
    limits: tuple[float, float]
    gap_before: int
    key: tuple[str, ...]
    em: float

    def fits(self, width: float | None) -> bool:
        """Tell whether the columns have room in a width, or in the medium's page, with the numbers above them."""
        needed = max(MIN_COLUMN * self.em, *(text_width(column.numbers) for column in self.columns))
        return self.axis_in(self._room(current_medium(), width)) >= needed

    @staticmethod
    def _room(medium: Medium, width: float | None) -> float:
        if width is not None:
            return width
        return medium.page[0] if math.isfinite(medium.page[0]) else medium.widest

    @property
    def width(self) -> float:
        """Width as it should be, in inches, without margins."""
        room = self._room(current_medium(), None) - 2 * MARGIN
        return min(room, self._left + len(self.columns) * (COLUMN + GAP) * self.em)

    @cached_property
    def _names(self) -> float:
        return min(max(map(text_width, self.rows)), WIDEST_NAME * self.em)

    @cached_property
    def _left(self) -> float:
        """Where the first column begins."""
        return self._names + GAP * self.em + max(map(text_width, ("segments", *self.sizes))) + GAP * self.em

    def axis_in(self, width: float) -> float:
        """Return the width of the axis of each column in a figure of a width."""
        return (width - 2 * MARGIN - self._left) / len(self.columns) - GAP * self.em

    @property
    def n_headings(self) -> int:
        """Lines above the rows: the heading, the names of the columns, their numbers."""
        return 2 + max(len(column.name) for column in self.columns)

    @property
    def heights(self) -> list[float]:
        """The height of each row below the headings, in lines."""
        return [row + 0.5 + (GAP_OF_GROUPS if row >= self.gap_before else 0) for row in range(len(self.rows))]

    def lines_in(self, width: float) -> float:
        """Return the height in a figure of a width, in lines."""
        return self.n_headings + len(self.rows) + GAP_OF_GROUPS + TICKS + PANEL_GAP

    def draw(self, place: Place, width: float) -> None:
        """Draw the grid in a figure of a width."""
        axis, start = self.axis_in(width), self.n_headings
        room = width - 2 * MARGIN
        left = room - (text_width(self.better) + GAP * self.em if self.better else 0)
        place.write(0, 0.5, choose_text(self.headings, left / BOLD), weight="bold")
        place.write(room, 0.5, self.better, ha="right", color=REFERENCE_COLOR)
        end = self._left - GAP * self.em
        place.write(end, start - 0.5, "segments", ha="right", color=REFERENCE_COLOR)
        for name, size, height in zip(self.rows, self.sizes, self.heights, strict=True):
            place.write(0, start + height, fit_text(name, self._names))
            place.write(end, start + height, size, ha="right", color=REFERENCE_COLOR)
        bottom = self.heights[-1] + 0.5
        layout = Layout(0.0, 0.0, axis, {"p": 0.0}, above=True, em=self.em)
        for number, column in enumerate(self.columns):
            x = self._left + number * (axis + GAP * self.em)
            first = start - 1 - len(column.name)
            for line, name in enumerate(column.name):
                place.write(x + axis / 2, first + line + 0.5, fit_text(name, axis), ha="center")
            place.write(x + axis / 2, start - 0.5, fit_text(column.numbers, axis), ha="center", color=REFERENCE_COLOR)
            ax = place.add_axes(x, axis, start, start + bottom)
            describe(ax, column.words)
            ax.set_ylim(bottom, 0)
            ax.vlines([0], 0, bottom, color="0.6", linewidth=0.8, zorder=0)
            column.mark(ax, self.heights)
            ax.update_datalim([(end, 0.5) for end in self.limits])
            finish_axis(ax, ("0",), layout, place, x, start + bottom)
