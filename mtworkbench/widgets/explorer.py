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
import pandas as pd
from IPython.display import display
from matplotlib.figure import Figure

# Pictures have more pixels than they take on the screen, for sharp screens.
FINENESS = 2
# Radius of the place around a mark that answers to the mouse, in pixels of the screen.
REACH = 6
_map_numbers = count(1)


class Explorer:
    """Controls above a figure that is drawn again when one of them is moved.

    The figure is an output of its cell like any other, so it is still there when the notebook is read without a
    kernel. What goes wrong while drawing is shown below the controls.

    Parameters
    ----------
    draw : callable
        Called with the value of each control by its name; returns the figure (or an Axes of it) and a sentence that
        says what it shows, which stands below the controls; None where there is nothing new to show. A third thing, a
        frame of ``x``, ``y`` (in the data of the figure's first Axes) and ``text``, names marks to the mouse.
    **controls : ipywidgets.Widget
        Made with ``continuous_update=False`` where drawing takes its time.
    """

    def __init__(self, draw: Callable[..., tuple], **controls: ipywidgets.Widget):
        self.controls = controls
        self.figure: Figure | None = None
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
    """Make a menu that is called ``name``."""
    return ipywidgets.Dropdown(options=options, value=value, description=name, tooltip=name)


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
    """Return the picture with a text at each mark that the mouse finds."""
    width, height = size
    # The figure was laid out while it was saved; its own pixels are those of the screen.
    places = figure.axes[0].transData.transform(marks[["x", "y"]].to_numpy(dtype=float))
    name = f"mtworkbench-marks-{next(_map_numbers)}"
    areas = "".join(
        f'<area shape="circle" coords="{x:.0f},{height - y:.0f},{REACH}" title="{escape(text)}" alt="{escape(text)}">'
        for (x, y), text in zip(places, marks["text"], strict=True)
    )
    return (
        f'<img width="{width}" height="{height}" usemap="#{name}" src="data:image/png;base64,{picture}">'
        f'<map name="{name}">{areas}</map>'
    )
