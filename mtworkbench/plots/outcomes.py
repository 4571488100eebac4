"""How draws came out, and which of them count: one dot per draw."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mtworkbench.errors import InputError
from mtworkbench.plots.labels import GUIDE, NEUTRAL, in_house_style, many_marks, set_labels, state_finding
from mtworkbench.plots.style import AT_EDGE, current_medium, label_line, write_near
from mtworkbench.plots.systems import COLORS, Look, escape_dollars, system_style
from mtworkbench.plots.words import describe
from mtworkbench.tables import printable
from mtworkbench.wording import tally
from mtworkbench.words.cells import decimals_for, say_span
from mtworkbench.words.frames import fixed, shorten

#: Outcomes that lie closer together than this share of their range stand above each other.
N_BINS = 40
# Letters of a row's name that fit into the figure, of one of its lines, and ticks of the axis.
ROOM, LINE, N_TICKS = 36, 14, 6
# Of the height of a row, what the dots leave free at its bottom and at its top.
FREE = 0.1


def stack_outcomes(frame: pd.DataFrame) -> pd.DataFrame:
    """Give each draw a place: outcomes that agree are stacked in the order in which they were drawn.

    Parameters
    ----------
    frame : DataFrame
        One row per draw: ``seed``, and a number in each further column, or NaN where there is no outcome of this kind.

    Returns
    -------
    DataFrame
        One row per outcome: ``seed``, ``row`` (the column's name, out of all columns), ``outcome``, ``x``, ``y``
        and ``text``.
        Rows of the figure lie above each other, the first at the top, each from a whole number to the next.
    """
    rows = [name for name in frame.columns if name != "seed"]
    numbers = frame[rows].to_numpy(dtype=float)
    known = numbers[~np.isnan(numbers)]
    digits, spread = _choose_digits(known), float(np.ptp(known)) if len(known) else 0.0
    width = spread / N_BINS if digits else max(1.0, np.ceil(spread / N_BINS))
    bins = np.floor(numbers / width) if width else np.zeros(numbers.shape)
    parts = []
    for place, name in enumerate(rows):
        own = pd.DataFrame({"seed": frame["seed"], "row": name, "outcome": frame[name], "bin": bins[:, place]}).dropna()
        own["height"] = own.groupby("bin").cumcount()
        own["x"] = own["outcome"]
        parts.append(own)
    stacked = pd.concat(parts, ignore_index=True).astype({"row": pd.CategoricalDtype(rows)})
    highest = max(9, int(stacked["height"].max()))
    stacked["y"] = [
        len(rows) - 1 - rows.index(row) + FREE + (1 - 2 * FREE) * (0.5 + height) / (highest + 1)
        for row, height in zip(stacked["row"], stacked["height"], strict=True)
    ]
    stacked["text"] = [
        f"seed {one.seed}: {fixed(one.outcome, digits)}" + (f" ({printable(one.row)})" if len(rows) > 1 else "")
        for one in stacked.itertuples()
    ]
    return stacked[["seed", "row", "outcome", "x", "y", "text"]]


@in_house_style()
def plot_outcomes(
    frame: pd.DataFrame,
    ax: Axes,
    /,
    *,
    label: str,
    expected: float | None = None,
    line: str = "expected",
    colors: Sequence[str] | None = None,
) -> Axes:
    """Plot how draws came out, one dot per draw. The name of a row stands at its middle, in the colour of its dots.

    Where all draws agree, the axis reaches to ten units of the last digit on both sides, but no farther than 0.

    Parameters
    ----------
    frame : DataFrame
        Of `stack_outcomes`.
    ax : matplotlib Axes, optional
        The current one by default.
    label : str
        Of the horizontal axis.
    expected : float, optional
        Where a line is drawn.
    line : str
        What the line is called.
    colors : sequence of str, optional
        One per row, where rows mean something that has a colour in another figure.

    Returns
    -------
    matplotlib Axes
    """
    rows = list(frame["row"].cat.categories)
    colors = [system_style(place)["color"] for place in range(len(rows))] if colors is None else colors
    if expected is not None:
        ax.axvline(expected, **GUIDE)
        label_line(ax, line, x=expected)
    for place, name in enumerate(rows):
        own = frame[frame["row"] == name]
        ax.plot(own["x"], own["y"], **many_marks() | {"color": colors[place]})
        if place:
            ax.axhline(len(rows) - place, **GUIDE)
    low, high, digits = frame["outcome"].min(), frame["outcome"].max(), _choose_digits(frame["outcome"])
    describe(ax, f"{tally(frame['seed'].nunique(), 'draw')}: {say_span(low, high, digits)}")
    if low == high:
        # Around one draw, the axis would be so narrow that its ticks had more digits than the outcome.
        room = 10.0 ** (1 - digits)
        ax.update_datalim([(low - room if low < 0 else max(0, low - room), 0), (high + room, 0)])
        ax.autoscale_view(scaley=False)
    ax.set_ylim(0, len(rows))
    if len(rows) > 1:
        _name_rows(ax, rows, colors)
    ax.set_yticks([])
    ax.locator_params("x", nbins=N_TICKS, integer=not digits)
    set_labels(ax, label, "")
    return ax


def _name_rows(ax: Axes, rows: Sequence[str], colors: Sequence[str]) -> None:
    """Write the name of each row next to it, in as many lines as a long one needs."""
    names, gap = shorten(rows, ROOM), 0.4 * current_medium().text
    for place, name in enumerate(rows):
        lines = "\n".join(map(escape_dollars, textwrap.wrap(names[name], LINE)))
        middle = len(rows) - place - 0.5
        write_near(ax, lines, (0, middle), (-gap, 0), AT_EDGE, ha="right", va="center", color=colors[place])


def _choose_digits(outcomes: np.ndarray | pd.Series) -> int:
    """Choose decimals: none for counts, and those of the outcome itself where all draws agree."""
    if np.all(outcomes == np.round(outcomes)):
        return 0
    return decimals_for(float(np.ptp(outcomes) or np.max(np.abs(outcomes))), 1)


# ---- samples, counted one by one


# Dots above one another, so that some 40 stand side by side; and the room above them, for what a reader is told there.
N_ROWS, N_COLUMNS, ROOM_ABOVE = 10, 40, 1.6


@in_house_style(0.8)
def plot_count(
    happened: Sequence[bool] | np.ndarray,
    ax: Axes,
    /,
    *,
    event: str = "it happened",
    of: str = "samples",
    **kwargs: object,
) -> Axes:
    """Plot one dot per sample, filled where an event happened; the filled ones come first, so their end is the share.

    Parameters
    ----------
    happened : (n,) sequence of bool
    ax : matplotlib Axes, optional
        The current one by default.
    event : str
        What happened, in words.
    of : str
        What the dots are.
    **kwargs
        For the filled dots (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
        The horizontal axis is the share in percent.

    Raises
    ------
    InputError
        Where there is something else than one yes or no per sample (code ``not-yes-or-no``).
    """
    happened = np.asarray(happened)
    if happened.ndim != 1 or not np.isin(happened, (0, 1)).all():
        raise InputError(
            "not-yes-or-no",
            "plot_count needs one True or False per sample: compare the numbers first, as in `p_values <= 0.05`.",
        )
    n, count = len(happened), int(np.sum(happened))
    places, rows = np.arange(n), min(N_ROWS, max(1, n // N_COLUMNS))
    across, up = 100 * (places + 0.5) / max(n, 1), places % rows
    look: Look = {"linestyle": "none", "marker": "o", "markersize": 3.5, "color": COLORS[0], "clip_on": False}
    ax.plot(across[:count], up[:count], **look | kwargs)
    ax.plot(across[count:], up[count:], **look | {"markerfacecolor": "none", "color": NEUTRAL})
    ax.set(xlim=(0, 100), ylim=(-1, ROOM_ABOVE * rows + 0.5), yticks=[])
    set_labels(ax, f"share of the {n:,} {of} (%)", "")
    state_finding(ax, f"{event}: {count:,} of {n:,} {of} ({100 * count / n:.1f} %)" if n else f"There are no {of}.")
    return ax
