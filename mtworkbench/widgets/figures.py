"""A figure whose marks answer: the mouse and the keyboard find their texts, choose one, or select some of them."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anywidget
import numpy as np
import pandas as pd
import traitlets
from matplotlib.figure import Figure

from mtworkbench.characters import printable
from mtworkbench.plots.words import make_image, measure, shrink, write_picture, write_source
from mtworkbench.tables import frame_to_csv
from mtworkbench.widgets.pages import LOOKS, read_script

# How far from a mark or a column the mouse finds it, at most, in pixels of the screen.
REACH = 14.0


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure as it is sent to a page.

    Parameters
    ----------
    figure : matplotlib Figure
    alt : str
        What it shows, in words.
    marks : DataFrame
        One row per mark: ``x``, ``y`` (in the data of the figure's first Axes) and ``text``, for rows also ``top`` and
        ``bottom``.
    source : str
        PNG as an address.
    pixels : (n_marks, 2) ndarray
        Where marks are, in pixels of the screen, from the upper left corner.
    rows : (n_rows, 2) ndarray
        Where each mark's row begins and ends, in pixels from above; empty where marks are no rows.
    along : {"xy", "x", "y"}
        Which coordinates say how near a mark is: ``"y"`` where each mark is a row, which has a ``top`` and ``bottom``,
        ``"x"`` where each is a column.
    """

    figure: Figure
    alt: str
    marks: pd.DataFrame
    source: str
    pixels: np.ndarray
    rows: np.ndarray
    along: str


def make_picture(figure: Figure, alt: str, marks: pd.DataFrame | None = None, along: str = "xy") -> Picture:
    """Draw a figure, which has at least one Axes where it has marks: see `Picture`."""
    marks = _no_marks() if marks is None else marks
    # The little that more compression would save costs more time than the drawing.
    source = write_source(write_picture(figure, compress_level=1))
    # The figure was laid out while it was saved.
    rows = np.zeros((0, 2))
    if "top" in marks and len(marks):
        heights = [_place(figure, marks["x"], marks[name])[:, 1] for name in ("top", "bottom")]
        rows = np.column_stack(heights)
    pixels = _place(figure, marks["x"], marks["y"]) if len(marks) else np.zeros((0, 2))
    return Picture(figure, printable(alt), marks, source, pixels, rows, along)


class LinkedFigure(anywidget.AnyWidget):
    """A figure of matplotlib's as a picture, with its marks above it.

    Hovering a mark, or coming to it by the arrow keys, shows its text. A click or Enter chooses it. A rectangle drawn
    with the mouse, or arrow keys with Shift, select marks; Escape takes the selection back.

    Parameters
    ----------
    name : str
        What the figure is, in a few words.
    called : str
        By what name Python knows it.
    brushable : bool
        Whether marks can be selected.

    Attributes
    ----------
    figure : matplotlib Figure or None
        As it is shown at present; None where there is only a caption.
    marks : DataFrame
        One row per mark: ``x``, ``y`` (in the data of the figure's first Axes) and ``text``.
    clicked : int
        The mark that has just been chosen, as its position in `marks`; -1 when that was heard: see `on_click`.
    brushed : list of int
        Positions of the marks selected, from the smallest.
    table : DataFrame or None
        What the figure shows.
    chosen : int
        The mark that the picture shows as chosen; -1 for none.
    waiting : bool
        Whether another picture is about to come: this one is pale until it does.
    caption, note, code : str
        Text above and below the picture: nothing in it is HTML or mathematics. Of a caption of several lines, the first
        is seen, and the others are folded away.
    """

    _esm = read_script("figures.js")
    _css = LOOKS
    name = traitlets.Unicode().tag(sync=True)
    called = traitlets.Unicode().tag(sync=True)
    along = traitlets.Unicode("xy").tag(sync=True)
    brushable = traitlets.Bool(False).tag(sync=True)
    source = traitlets.Unicode().tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    width = traitlets.Int(0).tag(sync=True)
    height = traitlets.Int(0).tag(sync=True)
    # Two float32 per mark, in pixels from the upper left corner: as text, 10,000 marks would be slow.
    places = traitlets.Bytes(b"").tag(sync=True)
    rows = traitlets.Bytes(b"").tag(sync=True)
    texts = traitlets.List(traitlets.Unicode()).tag(sync=True)
    reach = traitlets.Float(REACH).tag(sync=True)
    picture = traitlets.Int(0).tag(sync=True)
    clicked = traitlets.Int(-1).tag(sync=True)
    brushed = traitlets.List(traitlets.Int()).tag(sync=True)
    chosen = traitlets.Int(-1).tag(sync=True)
    waiting = traitlets.Bool(False).tag(sync=True)
    caption = traitlets.Unicode().tag(sync=True)
    note = traitlets.Unicode().tag(sync=True)
    code = traitlets.Unicode().tag(sync=True)

    def __init__(self, name: str, called: str = "figure", *, brushable: bool = False):
        super().__init__(name=printable(name), called=called, brushable=brushable)
        self.figure: Figure | None = None
        self.table: pd.DataFrame | None = None
        self.marks = _no_marks()
        self.on_msg(self._send_table)

    def on_click(self, action: Callable[[int], object]) -> None:
        """Call a function with the position of each mark that is chosen, also if it is the same one again."""

        def hear(change: dict[str, Any]) -> None:
            if change["new"] >= 0:
                self.clicked = -1
                action(change["new"])

        self.observe(hear, "clicked")

    def _send_table(self, _: object, content: dict[str, object], buffers: object) -> None:
        """Send the table to the page, which puts it into the clipboard: as TSV, for spreadsheets."""
        if content["kind"] == "table" and self.table is not None:
            self.send({"kind": "table", "text": frame_to_csv(self.table, separator="\t")})

    @traitlets.validate("caption", "note", "code")
    def _make_printable(self, proposal: dict[str, Any]) -> str:
        return "\n".join(map(printable, proposal["value"].split("\n")))

    def show(self, picture: Picture, caption: str = "", code: str = "", table: pd.DataFrame | None = None) -> None:
        """Show another picture; what was clicked and selected before is forgotten."""
        self.figure, self.marks, self.table = picture.figure, picture.marks, table
        with self.hold_sync():
            self.source, self.alt = picture.source, picture.alt
            self.width, self.height = measure(picture.figure)
            self.places = picture.pixels.astype("<f4").tobytes()
            self.rows = picture.rows.astype("<f4").tobytes()
            self.texts = [printable(text) for text in picture.marks["text"]]
            self.along, self.reach = picture.along, _half_distance(picture.pixels, picture.along)
            self._begin_anew(caption, code)

    def say(self, caption: str) -> None:
        """Show a sentence in place of a figure."""
        self.figure, self.table, self.marks = None, None, _no_marks()
        with self.hold_sync():
            self.source, self.alt, self.places, self.rows, self.texts = "", "", b"", b"", []
            self._begin_anew(caption)

    def _begin_anew(self, caption: str, code: str = "") -> None:
        self.clicked, self.brushed, self.chosen = -1, [], -1
        self.caption, self.note, self.code, self.waiting = caption, "", code, False
        self.picture += 1


def _no_marks() -> pd.DataFrame:
    return pd.DataFrame({"x": np.zeros(0), "y": np.zeros(0), "text": np.zeros(0, dtype=object)})


def write_image(picture: Picture) -> str:
    """Return a picture as an element of HTML, for readers without a kernel."""
    content = base64.b64decode(picture.source.partition(",")[2])
    return make_image(shrink(content), picture.figure, picture.alt)


def _place(figure: Figure, x: pd.Series, y: pd.Series) -> np.ndarray:
    """Return where marks of a figure that is laid out stand in its picture.

    Returns
    -------
    (n_marks, 2) ndarray
        In pixels of the screen, from the upper left corner.
    """
    pixels = figure.axes[0].transData.transform(np.column_stack([x, y]).astype(float))
    return np.column_stack([pixels[:, 0], measure(figure)[1] - pixels[:, 1]])


def _half_distance(pixels: np.ndarray, along: str) -> float:
    """Return how far from a mark the mouse finds it, and from a column, which is half the way to the next one."""
    distinct = np.unique(pixels[:, 0].round(1))
    if along != "x" or len(distinct) < 2:
        return REACH
    return float(min(REACH, np.diff(distinct).min() / 2))
