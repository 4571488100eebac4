"""Controls that call what is public elsewhere: they hold no logic, and leave a figure where there is no kernel."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from html import escape
from itertools import count
from typing import Any

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Pictures have more pixels than they take on the screen, for sharp screens.
FINENESS = 2
# How far from a mark the mouse finds it, and how close marks are named together, in pixels of the screen.
REACH = 6
SAME_PLACE = 2
# Of the polygon that stands for a circle.
N_CORNERS = 16
_map_numbers = count(1)
#: A figure, the sentence below it, and the marks that it names to the mouse, if any.
#: Or, in place of a figure, a table as HTML.
Drawing = tuple[Figure | Axes, str] | tuple[Figure | Axes, str, pd.DataFrame] | tuple[str, str]


class Explorer:
    """Controls above a figure that is drawn again when one of them is moved.

    The figure is an output of its cell like any other, so it is still there when the notebook is read without a
    kernel. What goes wrong while drawing is shown below the controls.

    Parameters
    ----------
    draw : callable
        Called with the value of each control by its name; returns the figure (or an Axes of it) and a sentence that
        says what it shows, which stands below the controls; None where there is nothing new to show. A third thing, a
        frame of ``x``, ``y`` (in the data of the figure's first Axes) and ``text``, names marks to the mouse: the
        nearest one, with those that lie within two pixels of it. HTML (str) in place of the figure is shown as it is.
    **controls : ipywidgets.Widget
        Made with ``continuous_update=False`` where drawing takes its time.

    Attributes
    ----------
    controls : dict of str to ipywidgets.Widget
    figure : matplotlib Figure
        As it is shown at present.
    sentence : str
        What it shows, in words.
    """

    def __init__(self, draw: Callable[..., Drawing | None], **controls: ipywidgets.Widget):
        self.controls = controls
        self.figure: Figure | None = None
        self.sentence = ""
        self._draw = draw
        self._shown: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
        self._handle = None
        self._sentence = ipywidgets.HTML()
        complaints = ipywidgets.interactive_output(self._redraw, controls)
        self._box = ipywidgets.VBox([*controls.values(), self._sentence, complaints])

    def _redraw(self, **values: Any) -> None:
        result = self._draw(**values)
        if result is None:
            return
        drawn, sentence, *marks = result
        self.sentence = sentence
        if isinstance(drawn, str):
            self._shown = {"text/html": drawn, "text/plain": sentence}, {}
        else:
            self.figure = drawn if isinstance(drawn, Figure) else drawn.figure
            plt.close(self.figure)  # or the cell would show it a second time
            self._shown = _make_picture(self.figure, sentence, *marks)
        self._sentence.value = f'<span class="mtworkbench-sentence">{escape(sentence)}</span>'
        if self._handle is not None:
            data, metadata = self._shown
            self._handle.update(data, metadata=metadata, raw=True)

    def _ipython_display_(self) -> None:
        display(self._box)
        data, metadata = self._shown
        self._handle = display(data, metadata=metadata, raw=True, display_id=True)


def make_menu(name: str, options: Sequence, value: Any) -> ipywidgets.Dropdown:
    """Make a menu that is called ``name``, as wide as its longest option: names may differ only at their end."""
    return ipywidgets.Dropdown(
        options=options,
        value=value,
        description=name,
        tooltip=name,
        layout=ipywidgets.Layout(width="max-content", max_width="100%"),
    )


def make_slider(name: str, options: Sequence[float], value: float) -> ipywidgets.SelectionSlider:
    """Make a slider over a few values that draws when it is let go."""
    return ipywidgets.SelectionSlider(
        options=options, value=value, description=name, tooltip=name, continuous_update=False
    )


def _make_picture(
    figure: Figure, sentence: str, marks: pd.DataFrame | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a figure as the data and metadata of an output, as large as its own ``dpi`` makes it."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=FINENESS * figure.dpi)
    width, height = (round(figure.dpi * inches) for inches in figure.get_size_inches())
    picture = base64.b64encode(content.getvalue()).decode("ascii")
    data = {"image/png": picture, "text/plain": sentence}
    if marks is not None:
        data["text/html"] = _make_map(figure, picture, marks, (width, height))
    return data, {"image/png": {"width": width, "height": height}}


def _make_map(figure: Figure, picture: str, marks: pd.DataFrame, size: tuple[int, int]) -> str:
    """Return the picture with the text of each mark where the mouse is nearer to it than to any other mark."""
    width, height = size
    # The figure was laid out while it was saved; its own pixels are those of the screen.
    places = figure.axes[0].transData.transform(marks[["x", "y"]].to_numpy(dtype=float)).round()
    pixels = places[:, 0] + 1j * (height - places[:, 1])
    texts, name = marks["text"].to_numpy(), f"mtworkbench-marks-{next(_map_numbers)}"
    areas = []
    for pixel in dict.fromkeys(pixels.tolist()):
        distances = np.abs(pixels - pixel)
        together = np.flatnonzero(distances <= SAME_PLACE)
        text = escape("\n".join(texts[together[np.argsort(distances[together], kind="stable")]]))
        corners = _nearest_region(pixel, np.unique(pixels[(distances > 0) & (distances < 2 * REACH)]))
        coordinates = ",".join(f"{corner.real:.2f},{corner.imag:.2f}" for corner in corners)
        areas.append(f'<area shape="poly" coords="{coordinates}" title="{text}" alt="{text}">')
    return (
        f'<img width="{width}" height="{height}" usemap="#{name}" src="data:image/png;base64,{picture}">'
        f'<map name="{name}">{"".join(areas)}</map>'
    )


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
