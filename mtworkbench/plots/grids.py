"""Small forest plots next to each other that share their rows: the names of the rows stand once, at the left."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from matplotlib.axes import Axes

from mtworkbench.plots.forest import BOLD, GAP, MARGIN, PANEL_GAP, TICKS, Layout, Place, choose_text, fit_text, tick
from mtworkbench.plots.panels import Forest, Line
from mtworkbench.plots.style import REFERENCE_COLOR, Medium, current_medium, text_width
from mtworkbench.plots.words import describe

# Width of the axis of a column as it should be and as it must be, in units of the text's size.
COLUMN, MIN_COLUMN = 11.0, 6.5
# In lines: between the last set and what all sets say together.
GAP_OF_ROWS = 0.4
# Names of rows are at most so wide, in units of the text's size.
WIDEST_NAME = 16.0


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
        return [row + 0.5 + (GAP_OF_ROWS if row >= self.gap_before else 0) for row in range(len(self.rows))]

    def lines_in(self, width: float) -> float:
        """Return the height in a figure of a width, in lines."""
        return self.n_headings + len(self.rows) + GAP_OF_ROWS + TICKS + PANEL_GAP

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
        panel = Forest(self.headings, "", Line(), (), ("0",), (), lambda ax, heights: None)
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
            ax.spines[["left", "top", "right"]].set_visible(False)
            ax.set_yticks([])
            for offset, label in tick(ax, panel, layout):
                place.write(x + offset, start + bottom + 0.75, label, ha="center")
