"""What a figure shows, in words made from the data that it draws: the alternative text of its picture in a notebook.

JupyterLab, Voilà and nbconvert take no alternative text for a picture alone, so a figure is also an element of HTML.
"""

from __future__ import annotations

import io
import re
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from html import escape
from weakref import WeakKeyDictionary

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import PathCollection
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure, FigureBase
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch
from matplotlib.ticker import FixedLocator
from PIL import Image

from mtworkbench.characters import printable

#: Longest alternative text, in characters; a panel with less room than this is only named.
LENGTH, LENGTH_OF_PANEL = 400, 60
#: A picture is never shown smaller than this part of its size.
SMALLEST = 0.8
# Pictures are drawn on white: in a dark theme, they change light for dark, and keep their hues.
STYLE = (
    "<style>.mtw-figure{overflow-x:auto}:is([data-jp-theme-light=false],.vscode-dark) .mtw-figure img"
    "{filter:invert(.93) hue-rotate(180deg)}</style>"
)
# Digits of a number on a logarithmic axis; on another one, a hundredth of its length is told apart.
DIGITS, STEPS = 3, 100
# Wider gaps than this, in rows, tell a mark that belongs to no row of a categorical axis.
HALF_A_ROW = 0.5
# Labels by which matplotlib calls what has no name.
UNNAMED = re.compile(r"_(child\d+|nolegend_)?")

# What plots have said themselves: a figure its finding and notes, an Axes what its marks show.
_said: WeakKeyDictionary[FigureBase | Axes, str] = WeakKeyDictionary()
_noted: WeakKeyDictionary[FigureBase | Axes, Sequence[str]] = WeakKeyDictionary()


def describe(part: FigureBase | Axes, text: str, notes: Sequence[str] = ()) -> None:
    """Say in words what a figure finds, or what the marks of an Axes show; what was said of it before is forgotten.

    Parameters
    ----------
    part : matplotlib Figure or Axes
    text : str
        As it is in the data; an Axes that nothing is said of is read (`describe_figure`).
    notes : sequence of str
        Sentences that follow the finding of a figure as far as there is room.
    """
    _said[part], _noted[part] = text, notes


def describe_figure(figure: Figure) -> str:
    """Say in words what a figure shows: its finding, then each Axes, with numbers, in at most `LENGTH` characters.

    Notes follow the finding as long as they leave each Axes some room. An Axes that no plot has described is read: what
    its axes are, and the ends and extremes of each series.
    """
    finding = _said.get(figure) or _plain(figure.get_suptitle())
    axes = [ax for ax in figure.axes if ax.get_visible()]
    parts = [part for part in map(_describe_axes, axes) if part]
    for note in _noted.get(figure, ()):
        longer = f"{finding} {note}"
        finding = longer if LENGTH - len(longer) - 2 >= LENGTH_OF_PANEL * max(1, len(parts)) else finding
    room = LENGTH - len(finding) - 2
    if len(parts) > 1 and room < LENGTH_OF_PANEL * len(parts):
        names = [name for name in (_title(ax) or _axes(ax) for ax in axes) if name]
        parts = [f"{len(axes)} panels{': ' if names else ''}{'; '.join(names)}"]
    share = room // max(1, len(parts))
    # What some panels leave free, the others take.
    free = sum(max(0, share - len(part) - 2) for part in parts)
    parts = [_shortened(part, share - 2 if len(part) <= share - 2 else share - 2 + free) for part in parts]
    sentences = [sentence for sentence in (finding, *parts) if sentence]
    return _shortened(" ".join(map(_ended, map(printable, sentences))), LENGTH)


def carry_words(figure: Figure) -> None:
    """Let a figure show itself in notebooks as a picture with an alternative text."""
    vars(figure)["_repr_html_"] = partial(_write_html, figure)


def _write_html(figure: Figure) -> str | None:
    """Return the picture that a notebook shows as an element of HTML; nothing where it shows no PNG."""
    # What draws figures is IPython's affair: the user's settings of its pictures hold here, too.
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    found = shell and shell.display_formatter.formatters["image/png"](figure)
    if not found:
        return None
    picture, size = found if isinstance(found, tuple) else (found, {})
    attributes = {name: str(value) for name, value in size.items()}
    # Of a PNG, bytes 16 to 20 are its width.
    width = size.get("width") or int.from_bytes(b64decode(picture[:32])[16:20])
    _show_once(figure)
    return picture_to_html(f"data:image/png;base64,{picture}", describe_figure(figure), width, attributes)


def picture_to_html(source: str, words: str, width: int, attributes: Mapping[str, str]) -> str:
    """Return a picture as an element of HTML, which follows a dark theme, and scrolls before its text becomes small.

    Parameters
    ----------
    source : str
        Its address.
    words : str
        What it shows.
    width : int
        In pixels of the screen.
    attributes : mapping of str to str
        More of them.
    """
    look = f"max-width:100%;min-width:{SMALLEST * width:.0f}px;height:auto"
    attributes = {"alt": words, **attributes} | {"style": look, "src": source}
    written = " ".join(f'{name}="{escape(value)}"' for name, value in attributes.items())
    return f'<div class="mtw-figure" role="group" tabindex="0" aria-label="figure"><img {written}>{STYLE}</div>'


def _show_once(figure: Figure) -> None:
    """Take a figure that is shown from pyplot's list, all of which a cell shows when it ends, and would show again."""
    pyplot, inline = (sys.modules.get(name) for name in ("matplotlib.pyplot", "matplotlib_inline.config"))
    if pyplot and inline and "inline" in mpl.get_backend() and inline.InlineBackend.instance().close_figures:
        pyplot.close(figure)


def show_number(value: float, step: float = 0.0) -> str:
    """Write a number that is read off a figure, thousands with commas, never as a power of ten.

    Parameters
    ----------
    value : float
    step : float
        What can be told apart on its axis; where there is none, the number has `DIGITS` digits.
    """
    if step <= 0:
        step = 10.0 ** (np.floor(np.log10(abs(value))) + 1 - DIGITS) if value else 1.0
    digits = max(0, -int(np.floor(np.log10(step) + 1e-9)))
    return f"{0.0 if abs(value) < 0.5 * 10.0**-digits else value:,.{digits}f}"


def _step(axis: Axis, values: np.ndarray) -> float:
    """Return what is told apart of the numbers along an axis; 0 on a logarithmic one, which has no one step."""
    if np.all(values == np.round(values)):
        return 1.0
    low, high = axis.get_view_interval()
    return 0.0 if axis.get_scale() == "log" else abs(high - low) / STEPS


def _describe_axes(ax: Axes) -> str:
    """Say what an Axes shows, its name first."""
    if ax in _said:
        return ": ".join(part for part in (_title(ax), _said[ax]) if part)
    axes = _axes(ax)
    return ": ".join(part for part in (_title(ax), axes and f"Plot of {axes}", _read(ax)) if part)


def _axes(ax: Axes) -> str:
    x, y = _plain(ax.get_xlabel()), _plain(ax.get_ylabel())
    return f"{y} against {x}" if x and y else x or y


def _title(ax: Axes) -> str:
    titles = (_plain(ax.get_title(loc=place)) for place in ("left", "center", "right"))
    return " ".join(title for title in titles if title)


def _read(ax: Axes) -> str:
    """Say in numbers what is drawn on an Axes."""
    rows, said = _rows_of(ax), []
    for name, x, y, connected in _series_of(ax):
        numbers = _describe_rows(ax, x, y, rows) if rows else _describe_points(ax, x, y, connected)
        if numbers:
            said.append(f"{name}: {numbers}" if name else numbers)
    return "; ".join(said)


def _rows_of(ax: Axes) -> dict[float, str]:
    """Return the names along a categorical vertical axis, by their heights."""
    if not isinstance(ax.yaxis.get_major_locator(), FixedLocator):
        return {}
    texts = [_plain(label.get_text()) for label in ax.get_yticklabels()]
    rows = dict(zip(ax.get_yticks(), texts, strict=False))
    return rows if any(re.search(r"[^\W\d]", text) for text in texts) else {}


def _series_of(ax: Axes) -> Iterator[tuple[str, np.ndarray, np.ndarray, bool]]:
    """Return name and data of what is drawn, and whether it is connected; lines to compare with are left out."""
    bars = [container for container in ax.containers if isinstance(container, ErrorbarContainer)]
    names: dict[Artist, str] = {container[0]: str(container.get_label()) for container in bars if container[0]}
    parts = {part for container in bars for part in (*container[1], *container[2])}
    for artist in (*ax.lines, *ax.collections, *ax.patches):
        name = names.get(artist, str(artist.get_label()))
        is_guide = artist.get_zorder() == 0 or not _is_in_data(artist, ax)
        if artist in parts or is_guide or (name.startswith("_") and not UNNAMED.fullmatch(name)):
            continue
        points = _points_of(artist)
        if points is not None:
            x, y, connected = points
            given = np.isfinite(x) & np.isfinite(y)
            yield "" if UNNAMED.fullmatch(name) else _plain(name), x[given], y[given], connected


def _is_in_data(artist: Artist, ax: Axes) -> bool:
    """Tell whether places are data in both directions: a line across the Axes has its ends at its edges."""
    transform = artist.get_offset_transform() if isinstance(artist, PathCollection) else artist.get_transform()
    return all(transform.contains_branch_seperately(ax.transData))


def _points_of(artist: Artist) -> tuple[np.ndarray, np.ndarray, bool] | None:
    """Return the places of an artist's marks and whether a line goes through them; nothing for what has no marks."""
    if isinstance(artist, Line2D):
        x, y = (np.asarray(values, dtype=float) for values in artist.get_data(orig=False))
        return x, y, artist.get_linestyle() not in ("None", "none", "", " ")
    if isinstance(artist, PathCollection):
        x, y = np.asarray(artist.get_offsets(), dtype=float).T
        return x, y, False
    if isinstance(artist, StepPatch):
        values, edges, _ = artist.get_data()
        return (edges[1:] + edges[:-1]) / 2, np.asarray(values, dtype=float), True
    return None


def _describe_rows(ax: Axes, x: np.ndarray, y: np.ndarray, rows: dict[float, str]) -> str:
    """Say the values of marks that stand in rows with names."""
    heights, step = np.array(list(rows)), _step(ax.xaxis, x)
    nearest = heights[np.argmin(np.abs(heights[:, None] - y), axis=0)] if len(y) else y
    is_in_row = np.abs(nearest - y) <= HALF_A_ROW
    said = ((rows[row], x[is_in_row & (nearest == row)]) for row in dict.fromkeys(nearest[is_in_row]))
    return ", ".join(f"{name} {_span(values, step)}" for name, values in said)


def _describe_points(ax: Axes, x: np.ndarray, y: np.ndarray, connected: bool) -> str:
    """Say where a curve begins and ends and where it is highest or lowest, or within which range marks lie."""
    if not len(x):
        return ""
    steps = _step(ax.yaxis, y), _step(ax.xaxis, x)
    points = [tuple(map(show_number, point, steps)) for point in zip(y, x, strict=True)]
    if len(points) > 1 and (not connected or np.any(np.diff(x) < 0)):
        return f"{len(x):,} marks from {_span(y, steps[0])}"
    said = " to ".join(f"{value} at {place}" for value, place in dict.fromkeys([points[0], points[-1]]))
    for word, extreme in (("highest", int(np.argmax(y))), ("lowest", int(np.argmin(y)))):
        if points[extreme][0] not in (points[0][0], points[-1][0]):
            said += f", {word} {' at '.join(points[extreme])}"
    return said


def _span(values: np.ndarray, step: float) -> str:
    low, high = show_number(values.min(), step), show_number(values.max(), step)
    return low if low == high else f"{low} to {high}"


def _plain(text: str) -> str:
    """Return text of a figure as it is read: in one line, dollars not escaped."""
    return " ".join(text.replace(r"\$", "$").split())


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!", "…")) else f"{sentence}."


def _shortened(text: str, length: int) -> str:
    """Leave out the end of a text that is longer, from between two of its parts where there is such a place."""
    if len(text) <= length:
        return text
    cut = text[: length - 1]
    places = (cut.rfind(mark) for mark in ("; ", ", ", " "))
    place = next((place for place in places if place > length // 2), length - 2)
    return f"{cut[:place].rstrip()} …"


# ---- pictures (PNG) in a page


# Pictures have more pixels than they take on the screen, for sharp screens.
FINENESS = 2


def write_picture(figure: Figure, compress_level: int = 6) -> bytes:
    """Draw a figure as PNG; less compression saves time."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=FINENESS * figure.dpi, pil_kwargs={"compress_level": compress_level})
    return content.getvalue()


def write_source(picture: bytes) -> str:
    """Return a picture as an address."""
    return f"data:image/png;base64,{b64encode(picture).decode('ascii')}"


def make_image(picture: bytes, figure: Figure, sentence: str, **attributes: str) -> str:
    """Return a picture of a figure as an element of HTML that says in words what it shows."""
    width, height = measure(figure)
    attributes = {"width": str(width), "height": str(height)} | attributes
    return picture_to_html(write_source(picture), sentence, width, attributes)


def measure(figure: Figure) -> tuple[int, int]:
    """Return width and height of a figure in pixels of the screen."""
    width, height = (round(figure.dpi * inches) for inches in figure.get_size_inches())
    return width, height


def shrink(picture: bytes) -> bytes:
    """Give a picture a palette of 64 colours: figures look the same, and are a quarter as large in a file."""
    content = io.BytesIO()
    # This method, unlike the default, keeps the colours of few pixels, such as those of a system.
    palette = Image.open(io.BytesIO(picture)).convert("RGB").quantize(64, method=Image.Quantize.MAXCOVERAGE)
    palette.save(content, "png", optimize=True)
    return content.getvalue()
