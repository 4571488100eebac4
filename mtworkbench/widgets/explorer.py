"""Controls that call what is public elsewhere: they hold no logic, and leave a figure where there is no kernel."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtworkbench.plots.style import figure_of
from mtworkbench.widgets.controls import Button
from mtworkbench.widgets.following import Follower
from mtworkbench.widgets.pictures import make_image, measure, shrink, write_picture

# How far from a mark the mouse finds it, and how close marks are named together, in pixels of the screen.
REACH = 6
SAME_PLACE = 2
# Of the polygon that stands for a circle.
N_CORNERS = 16
#: A figure, the sentence below it, and the marks that it names to the mouse, if any.
#: Or, in place of a figure, a table as HTML.
Drawing = tuple[Figure | Axes, str] | tuple[Figure | Axes, str, pd.DataFrame] | tuple[str, str]


class Explorer(Follower):
    """Controls above a sentence and a figure, which are drawn again when a control is moved.

    The figure belongs to the widget. Besides, its cell keeps a copy of what was shown first, which is hidden for as
    long as the widget is there, and is seen where the notebook is read without a kernel. What goes wrong while
    drawing is shown below the controls, which go back to what is shown.

    Parameters
    ----------
    draw : callable
        Called with the value of each control by its name; returns the figure (or an Axes of it) and a sentence that
        says what it shows, which stands above it and is its alternative text; None where there is nothing new to
        show. A third thing, a frame of ``x``, ``y`` (in the data of the figure's first Axes) and ``text``, names marks
        to the mouse: the nearest one, with those that lie within two pixels of it. HTML (str) in place of the figure
        is shown as it is.
    **controls : ipywidgets.Widget
        Such as those of `mtworkbench.widgets.controls`; whatever has a ``value``.

    Attributes
    ----------
    controls : dict of str to ipywidgets.Widget
    figure : matplotlib Figure
        As it is shown at present.
    sentence : str
        What it shows, in words.
    """

    def __init__(self, draw: Callable[..., Drawing | None], **controls: ipywidgets.Widget):
        super().__init__(controls)
        self.figure: Figure | None = None
        self._draw = draw
        self._begin()
        back = Button("reset", self.reset, tooltip="bring all controls back to where they started")
        self._box = ipywidgets.VBox([*controls.values(), back, self._complaints, self._screen])

    def _answer(self, asked: dict[str, Any], change: dict[str, Any] | None) -> bool:
        result = self._draw(**asked)
        if result is None:
            return False
        drawn, sentence, *marks = result
        if isinstance(drawn, str):
            html = drawn
        else:
            self.figure = figure = drawn if isinstance(drawn, Figure) else figure_of(drawn)
            plt.close(figure)  # or the cell would show it a second time
            html = _show_figure(figure, sentence, *marks)
        self.sentence = sentence
        with self._screen.hold_sync():  # or the page would show a sentence about another picture for a moment
            self._screen.sentence, self._screen.html = sentence, html
        return True

    def _make_copy(self) -> tuple[str, str]:
        if self.figure is None:
            return self._screen.html, self.sentence
        return make_image(shrink(write_picture(self.figure)), self.figure, self.sentence), self.sentence


def _show_figure(figure: Figure, sentence: str, marks: pd.DataFrame | None = None) -> str:
    """Return a figure as HTML, as large as its own ``dpi`` makes it, with the text of each mark for the mouse."""
    picture = write_picture(figure)
    if marks is None:
        return make_image(picture, figure, sentence)
    areas = _make_areas(figure, marks)
    return make_image(picture, figure, sentence, usemap="#marks") + f'<map name="marks">{areas}</map>'


def _make_areas(figure: Figure, marks: pd.DataFrame) -> str:
    """Return the text of each mark where the mouse is nearer to it than to any other mark, as areas of an image map."""
    _, height = measure(figure)
    # The figure was laid out while it was saved; its own pixels are those of the screen.
    places = figure.axes[0].transData.transform(marks[["x", "y"]].to_numpy(dtype=float)).round()
    pixels = places[:, 0] + 1j * (height - places[:, 1])
    texts, areas = marks["text"].to_numpy(), []
    for pixel in dict.fromkeys(pixels.tolist()):
        distances = np.abs(pixels - pixel)
        together = np.flatnonzero(distances <= SAME_PLACE)
        text = escape("\n".join(texts[together[np.argsort(distances[together], kind="stable")]]))
        corners = _nearest_region(pixel, np.unique(pixels[(distances > 0) & (distances < 2 * REACH)]))
        coordinates = ",".join(f"{corner.real:.2f},{corner.imag:.2f}" for corner in corners)
        areas.append(f'<area shape="poly" coords="{coordinates}" title="{text}" alt="{text}">')
    return "".join(areas)


def _nearest_region(pixel: complex, others: np.ndarray) -> list[complex]:
    """Return the corners of what lies within reach of a pixel and nearer to it than to any of the others.

    Places are complex numbers, x + iy. (Of areas of an image that overlap, the first one answers, not the nearest.)
    """
    corners = list(pixel + REACH * np.exp(2j * np.pi * np.arange(N_CORNERS) / N_CORNERS))
    for other in others:
        towards, kept = other - pixel, []
        # How far each corner lies beyond the line in the middle, which keeps those that are nearer to this pixel.
        beyond = [((corner - (pixel + other) / 2) * towards.conjugate()).real for corner in corners]
        for place, corner in enumerate(corners):
            before = corners[place - 1]
            if (beyond[place] > 0) != (beyond[place - 1] > 0):
                share = beyond[place - 1] / (beyond[place - 1] - beyond[place])
                kept.append(before + share * (corner - before))
            if beyond[place] <= 0:
                kept.append(corner)
        corners = kept
    return corners
