"""The house style of all figures: one size of text per medium, no boxes, and names in place of legends.

A figure keeps the style it was made in, also where it is drawn or saved later, as a notebook does after its cell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.textpath import text_to_path
from matplotlib.typing import ColorType

from mtworkbench.errors import InputError
from mtworkbench.plots.systems import COLORS, COLUMN_WIDTH, FONT, TIMES, Look, escape_dollars, font_families, readable
from mtworkbench.plots.words import carry_words, describe
from mtworkbench.words.frames import UNBROKEN

#: Points per inch, and the height of a line of text in its size.
POINTS, LINE_HEIGHT = 72, 1.2
REFERENCE_COLOR = "0.45"
# What no line of a text ends within.
WORD = re.compile(rf"(?:{UNBROKEN.pattern}| \(%\)|\S)+")
#: Next to the right edge at a height in the data, and above the Axes at a place in the data.
AT_EDGE, ABOVE = ("axes fraction", "data"), ("data", "axes fraction")
Coords = str | tuple[str, str]
#: What the title that says a figure's finding is known by.
FINDING = "finding"


@dataclass(frozen=True)
class Medium:
    """What a figure is made for.

    Parameters
    ----------
    name : {"screen", "paper", "slide"}
    text : float
        Size of all text, in points.
    line : float
        Width of lines, in points; axes and ticks are thinner.
    marker : float
        Size of marks, in points.
    size : (float, float)
        Width and height of a figure that asks for no other, in inches.
    dpi : int
        Pixels per inch of the picture in a notebook.
    titled : bool
        Whether the finding is the title.
    widest : float
        Width that a figure may take which needs more than others, in inches.
    page : (float, float)
        Width and height that no figure of a comparison may exceed, in inches.
    width : float
        Of a figure of a comparison, in inches: small enough to be read where a page is narrow.
    share : float
        The share of that width that the axes have.
    font : str
    """

    name: str
    text: float
    line: float
    marker: float
    size: tuple[float, float]
    dpi: int
    titled: bool
    widest: float
    page: tuple[float, float]
    width: float
    share: float
    font: str = FONT

    def shrunk(self, scale: float) -> Medium:
        """Return the medium for a figure that would not fit its page: text, lines and marks are smaller."""
        return replace(self, text=scale * self.text, line=scale * self.line, marker=scale * self.marker)


# On screen an inch is 96 pixels, so text is as large as a notebook's (14 pixels). In a paper it is set in the Times of
# LaTeX's article styles and in the size of their \footnotesize.
MEDIA = {
    medium.name: medium
    for medium in (
        Medium("screen", 10.5, 1.5, 5.5, (6.4, 3.6), 96, True, 9.4, (math.inf, math.inf), 5.8, 0.505),
        Medium(
            "paper", 9.0, 1.0, 4.0, (COLUMN_WIDTH, 2.0), 150, False, COLUMN_WIDTH, (6.3, 8.5), COLUMN_WIDTH, 0.6, TIMES
        ),
        Medium("slide", 18.0, 2.5, 9.0, (11.0, 6.0), 96, True, 11.0, (13.3, 7.5), 11.0, 0.55),
    )
}
# Matplotlib's settings of how a figure looks: those of notebooks and windows belong to the user.
_LOOK = re.compile(
    r"axes\.|boxplot\.|contour\.|errorbar\.|figure\.(?!hooks|max_open_warning|raise_window)|font\.|grid\.|hatch\.|hist\.|"
    r"image\.|legend\.|lines\.|markers\.|mathtext\.|patch\.|path\.|scatter\.|text\.|[xy]tick\.|_internal\.classic_mode"
)
# By names that are put together, which matplotlib's own annotation, a list of all names, does not take.
_RC = cast("MutableMapping[str, Any]", mpl.rcParams)
_current: ContextVar[Medium | None] = ContextVar("medium", default=None)
# The figures that were made within each style that is active, the innermost last.
_made: list[list[Figure]] = []


@contextmanager
def style(medium: str = "screen") -> Iterator[None]:
    """Draw figures in the house style.

    Parameters
    ----------
    medium : {"screen", "paper", "slide"}
        Sets the size of text, lines and figures: for a notebook, for one column of a paper, or for a slide. On screen
        and slide a figure's finding is its title; in a paper the caption says it.

    Raises
    ------
    InputError
        For another medium (code ``medium``).

    Examples
    --------
    >>> import mtworkbench as mtw
    >>> outputs = mtw.read_outputs("ref.txt", {"base": "base.txt", "new": "new.txt"})
    >>> comparison = mtw.compare(mtw.compute_statistics(outputs, "bleu"), "base")
    >>> with mtw.style("paper"):
    ...     figure = mtw.draw_comparison(comparison)
    """
    if medium not in MEDIA:
        raise InputError(
            "medium", f"There is no style {medium!r}: choose one of {', '.join(MEDIA)}.", found=str(medium)
        )
    with drawn_for(MEDIA[medium]):
        yield


@contextmanager
def drawn_for(medium: Medium) -> Iterator[None]:
    """Draw figures in the house style for a medium, which may be one that is shrunk."""
    settings = _settings(medium)
    before = {name: _RC[name] for name in settings}
    token = _current.set(medium)
    _made.append([])
    try:
        _RC.update(settings)
        yield
        for figure in _made[-1]:
            settle(figure)
    finally:
        # Not all settings, as matplotlib's own context: a notebook's backend makes itself interactive when the first
        # figure is made, and must stay so, or no later figure is shown.
        _RC.update(before)
        _made.pop()
        _current.reset(token)


def house_style() -> AbstractContextManager[None]:
    """Return the style for a figure that is about to be made: the active one, or that of the screen."""
    return style() if _current.get() is None else nullcontext()


def current_medium() -> Medium:
    """Return the medium of the active style; the screen where none is active."""
    return _current.get() or MEDIA["screen"]


def settle(figure: Figure) -> None:
    """Fix in a figure what matplotlib would take from its settings only when it draws: the look of the ticks."""
    for ax in figure.axes:
        for axis, name in ((ax.xaxis, "xtick"), (ax.yaxis, "ytick")):
            for which in ("major", "minor"):
                own = {
                    "length": _RC[f"{name}.{which}.size"],
                    "width": _RC[f"{name}.{which}.width"],
                    "pad": _RC[f"{name}.{which}.pad"],
                    "labelsize": _RC[f"{name}.labelsize"],
                    "color": _RC[f"{name}.color"],
                    "labelcolor": _RC[f"{name}.color"],
                    "labelfontfamily": _RC["font.family"],
                    "direction": _RC[f"{name}.direction"],
                }
                given = axis.get_tick_params(which)
                axis.set_tick_params(which, **{key: value for key, value in own.items() if key not in given})


def _remember(figure: Figure) -> None:
    """Note a figure that pyplot has made, and let it say in notebooks what it shows (a hook of matplotlib's)."""
    if _made:
        _made[-1].append(figure)
    carry_words(figure)


def _settings(medium: Medium) -> dict[str, object]:
    """Return matplotlib's settings of a medium: none that it reads only when a figure is saved.

    What a user's style may have changed in the look of figures is set back, or its colours would meet ours.
    """
    thin = 0.6 * medium.line
    ticks = {
        f"{axis}tick.{key}": value
        for axis in "xy"
        for key, value in {
            "labelsize": medium.text,
            "major.size": 0.3 * medium.text,
            "minor.size": 0.15 * medium.text,
            "major.width": thin,
            "minor.width": thin,
            "major.pad": 0.3 * medium.text,
            "minor.pad": 0.3 * medium.text,
        }.items()
    }
    sizes = ("axes.labelsize", "axes.titlesize", "figure.titlesize", "figure.labelsize", "legend.fontsize", "font.size")
    return {
        **{name: mpl.rcParamsDefault[name] for name in mpl.rcParams if _LOOK.match(name)},
        **ticks,
        "font.family": font_families(medium.font),
        "mathtext.fontset": "stix" if medium.font == TIMES else "dejavusans",
        **dict.fromkeys(sizes, medium.text),
        "legend.title_fontsize": medium.text,
        "legend.frameon": False,
        "legend.borderaxespad": 0.2,
        "legend.handlelength": 1.5,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": thin,
        "axes.labelpad": 0.3 * medium.text,
        "axes.titlelocation": "left",
        "axes.titleweight": "normal",
        "axes.titlepad": 0.5 * medium.text,
        "axes.prop_cycle": cycler(color=COLORS),
        "axes.facecolor": "white",
        "figure.facecolor": "white",
        "figure.titleweight": "normal",
        "figure.figsize": medium.size,
        "figure.dpi": medium.dpi,
        "figure.constrained_layout.use": True,
        "figure.hooks": [*mpl.rcParams["figure.hooks"], f"{__name__}:{_remember.__name__}"],
        "lines.linewidth": medium.line,
        "lines.markersize": medium.marker,
        "errorbar.capsize": 0,
    }


def title_finding(ax: Axes, text: str) -> None:
    """Set the finding as the title of the Axes' figure, on screen and slide; in a paper the caption says it.

    The figure's alternative text begins with it in each of them.

    Parameters
    ----------
    ax : matplotlib Axes
        Any one of the figure's: the title stands above all of them, from the left, in as many lines as it needs.
    text : str
        One sentence, as it is in the data: it is escaped here.
    """
    figure = ax.figure
    describe(figure, text)
    if not current_medium().titled:
        return
    width = figure.bbox.width / figure.dpi - 0.2
    figure.suptitle(wrap_to(text, width), x=0.01, ha="left", gid=FINDING)


@contextmanager
def untitled(figure: Figure) -> Iterator[None]:
    """Leave the finding out of a figure, for a file that a paper includes: its caption says it."""
    titles = [text for text in figure.texts if text.get_gid() == FINDING and text.get_visible()]
    try:
        for title in titles:
            title.set(visible=False, in_layout=False)
        yield
    finally:
        for title in titles:
            title.set(visible=True, in_layout=True)


def label_line(ax: Axes, text: str, *, x: float | None = None, y: float | None = None, is_left: bool = False) -> None:
    """Name a reference line at its end, outside the data: a horizontal one on the right, a vertical one above.

    Parameters
    ----------
    ax : matplotlib Axes
    text : str
        As it is in the data: it is escaped here.
    x, y : float
        Where the line is: ``x`` of a vertical one, or ``y`` of a horizontal one.
    is_left : bool
        Whether the name of a vertical line ends left of it, because to the right there is other text.
    """
    look, gap = Look(text=escape_dollars(text), color=REFERENCE_COLOR), 0.3 * current_medium().text
    if y is not None:
        write_near(ax, place=(1, y), offset=(gap, 0), coords=AT_EDGE, ha="left", va="center", **look)
    elif x is not None:
        offset, side = ((-gap, gap), "right") if is_left else ((0.0, gap), "center")
        write_near(ax, place=(x, 1), offset=offset, coords=ABOVE, ha=side, va="bottom", **look)


def write_near(
    ax: Axes, text: str, place: tuple[float, float], offset: tuple[float, float], coords: Coords = "data", **look: Any
) -> None:
    """Write text at a distance from a place, also outside the Axes.

    Parameters
    ----------
    ax : matplotlib Axes
    text : str
        Escaped already.
    place : (float, float)
    offset : (float, float)
        From the place to the text, in points.
    coords : str or (str, str)
        What the place is in: data, or a share of the Axes (`AT_EDGE`, `ABOVE`).
    **look
        For the text (``Axes.annotate``).
    """
    ax.annotate(text, place, xycoords=coords, xytext=offset, textcoords="offset points", **look)


def figure_of(ax: Axes) -> Figure:
    """Return the figure of an Axes, also where it stands in a part of the figure."""
    return ax.figure if isinstance(ax.figure, Figure) else ax.figure.figure


def points_of(line: Line2D) -> np.ndarray:
    """Return the points of a line, (n_points, 2)."""
    return np.asarray(line.get_xydata(), dtype=float)


def label_ends(ax: Axes) -> None:
    """Name each labelled line at its right end, in its colour; where the names would overlap, by a legend outside.

    Call it last, when limits and scales are set.
    """
    lines = [(points_of(line), str(line.get_label()), line.get_color()) for line in ax.get_lines()]
    named = [(points, name, color) for points, name, color in lines if len(points) and not name.startswith("_")]
    if not name_ends(ax, [(points[-1, 0], points[-1, 1], name, color) for points, name, color in named]):
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1))


def name_ends(ax: Axes, names: Sequence[tuple[float, float, str, ColorType]]) -> bool:
    """Write names to the right of places in the data, moved apart; where they would overlap, none is written.

    Parameters
    ----------
    ax : matplotlib Axes
    names : sequence of (float, float, str, str)
        Place in the data (x, y), text (escaped already) and colour.

    Returns
    -------
    bool
        Whether there was room.
    """
    ax.autoscale_view()  # limits that matplotlib would choose only when it draws
    to_axes = ax.transData + ax.transAxes.inverted()
    ends = [to_axes.transform((x, y)) for x, y, _, _ in names]
    size = current_medium().text
    # The layout may still take some of the height that the Axes has now.
    gap = LINE_HEIGHT * size / POINTS / (0.85 * ax.get_position().height * ax.figure.bbox.height)
    gap *= ax.figure.dpi
    places = _spread([float(end[1]) for end in ends], gap)
    if any(abs(place - end[1]) > gap for place, end in zip(places, ends, strict=True)):
        return False
    for (_, _, text, color), end, place in zip(names, ends, places, strict=True):
        write_near(ax, text, (float(end[0]), place), (0.5 * size, 0), "axes fraction", va="center", color=color)
    return True


def _spread(places: list[float], gap: float) -> list[float]:
    """Move places apart until no two are nearer than a gap, each group about its own middle."""
    groups: list[list[int]] = []
    middles: list[float] = []
    for place in sorted(range(len(places)), key=places.__getitem__):
        groups.append([place])
        middles.append(places[place])
        # Two groups that touch become one, about the mean of its members' own places.
        while len(groups) > 1:
            room = gap * (len(groups[-1]) + len(groups[-2])) / 2
            if middles[-1] - middles[-2] >= room:
                break
            last = groups.pop()
            groups[-1] += last
            middles.pop()
            middles[-1] = sum(places[one] for one in groups[-1]) / len(groups[-1])
    moved = list(places)
    for group, middle in zip(groups, middles, strict=True):
        for number, place in enumerate(group):
            moved[place] = middle + gap * (number - (len(group) - 1) / 2)
    return moved


def text_width(text: str) -> float:
    """Return the width of a line of text in inches, at the medium's size."""
    families = (*mpl.rcParams["font.family"],), (*mpl.rcParams["font.sans-serif"],)
    return _width_of(readable(text), current_medium().text, families)


@lru_cache(maxsize=8192)
def _width_of(text: str, size: float, families: tuple[tuple[str, ...], tuple[str, ...]]) -> float:
    """Return the width of a text in inches; the same texts are measured again and again while a figure is laid out."""
    font = FontProperties(family=list(families[0]), size=size)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]) / POINTS


def wrap_name(name: str, width: float) -> list[str]:
    """Break a name into lines of at most a width in inches: after a word where it can be, else anywhere."""
    lines = [""]
    for word in re.findall(r"[^\W_]+[\W_]*|[\W_]+", name):
        for part in [word] if text_width(word.rstrip()) <= width else word:
            if lines[-1] and text_width((lines[-1] + part).rstrip()) > width:
                lines.append("")
            lines[-1] += part
    return [line.strip() for line in lines]


def wrap_to(text: str, width: float) -> str:
    """Break text from data into lines of at most a width in inches, at the medium's size, and escape it.

    No line ends within a p, between a number and its unit, or before "(%)".
    """
    lines = [""]
    for word in WORD.findall(text):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(escape_dollars(line) for line in lines)
