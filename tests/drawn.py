"""What every figure of the house style must hold, measured on the drawn figure: no text is cut off or covered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

# Boxes of text have room for letters that are higher or deeper; this share of their lower side may overlap.
ROOM = 0.15


def faults_of_text(figure: Figure) -> list[str]:
    """Say which texts of a figure reach over its edge, and which of them cover one another.

    Parameters
    ----------
    figure : Figure
        It is drawn here.

    Returns
    -------
    list of str
        Empty where every text can be read.
    """
    shown = texts_of(figure)
    inside = figure.bbox.padded(1)
    faults = [
        f"{text!r} reaches over the edge of the figure"
        for text, box in shown
        if not (inside.contains(*box.min) and inside.contains(*box.max))
    ]
    return faults + [
        f"{shown[one][0]!r} and {shown[other][0]!r} cover one another"
        for one, other in overlapping([_core(box) for _, box in shown])
    ]


def overlapping(boxes: Sequence[Bbox]) -> list[tuple[int, int]]:
    """Return the places of every two boxes that overlap."""
    ends = np.array([box.extents for box in boxes]).reshape(-1, 4)
    low, high = ends[:, :2], ends[:, 2:]
    overlap = ((low[:, None] <= high) & (low <= high[:, None])).all(axis=-1)
    return [(int(one), int(other)) for one, other in np.argwhere(np.triu(overlap, 1))]


def texts_of(figure: Figure) -> list[tuple[str, Bbox]]:
    """Return every text that a figure shows, with its box in pixels; the figure is drawn first."""
    figure.draw_without_rendering()
    hidden = {id(text) for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) for text in _out_of_view(axis)}
    return [
        (text.get_text(), text.get_window_extent())
        for text in figure.findobj(Text)
        if text.get_text().strip() and text.get_visible() and id(text) not in hidden
    ]


def covered_marks(figure: Figure) -> list[str]:
    """Say which texts inside the Axes of a drawn figure stand on marks of its data."""
    shown, covered = texts_of(figure), []
    for ax in figure.axes:
        marks = [point for line in ax.lines for point in line.get_transform().transform(line.get_xydata())]
        covered += [text for text, box in shown if any(_core(box).contains(x, y) for x, y in marks)]
    return covered


def _out_of_view(axis: Axis) -> list[Text]:
    """Return the labels of ticks that are not drawn: ticks outside the limits, and the second labels."""
    low, high = sorted(axis.get_view_interval())
    room = 1e-9 * (high - low)
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    outside = [tick for tick in ticks if not low - room <= tick.get_loc() <= high + room]
    return [label for tick in outside for label in (tick.label1, tick.label2)] + [
        label for tick in ticks for label in (tick.label1, tick.label2) if not label.get_visible()
    ]


def _core(box: Bbox) -> Bbox:
    """Return the middle of a text's box."""
    return box.padded(-ROOM * min(box.width, box.height))
