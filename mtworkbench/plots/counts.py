"""Samples, counted one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from mtworkbench.errors import InputError
from mtworkbench.plots.labels import NEUTRAL, in_house_style, set_labels, state_finding
from mtworkbench.plots.systems import COLORS, Look

BLUE = COLORS[0]
# Dots above one another, so that some 40 stand side by side; and the room above them, for what a reader is told there.
N_ROWS, N_COLUMNS, ROOM = 10, 40, 1.6


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
    look: Look = {"linestyle": "none", "marker": "o", "markersize": 3.5, "color": BLUE, "clip_on": False}
    ax.plot(across[:count], up[:count], **look | kwargs)
    ax.plot(across[count:], up[count:], **look | {"markerfacecolor": "none", "color": NEUTRAL})
    ax.set(xlim=(0, 100), ylim=(-1, ROOM * rows + 0.5), yticks=[])
    set_labels(ax, f"share of the {n:,} {of} (%)", "")
    state_finding(ax, f"{event}: {count:,} of {n:,} {of} ({100 * count / n:.1f} %)" if n else f"There are no {of}.")
    return ax
