"""Resampling and randomization step by step: what one draw took, and the differences so far."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtworkbench.papers.draws import RESAMPLES, take_draw
from mtworkbench.plots.labels import GUIDE, NEUTRAL, set_labels
from mtworkbench.plots.style import house_style, label_line
from mtworkbench.plots.systems import COLORS, Look

BLUE, STRIKING = COLORS[:2]
#: So many segments are shown one by one.
N_SHOWN = 60


def draw_steps(frame: pd.DataFrame, draw: int, figure: Figure | None = None, *, metric: str = "BLEU") -> Figure:
    """Draw what one draw took of the first segments, above the differences of all draws so far.

    The differences that count (see `mtworkbench.papers.draws.follow_draws`) are orange; a ring marks the last draw.

    Parameters
    ----------
    frame : DataFrame
        Of `mtworkbench.papers.draws.follow_draws`.
    draw : int
        The last one to show, counted from 1. The axes are the same for all draws.
    figure : matplotlib Figure, optional
        An empty one; a new one by default.
    metric : str
        Name of the metric, for the axis.

    Returns
    -------
    matplotlib Figure
    """
    row = take_draw(frame, draw)
    with house_style():
        width, height = plt.rcParams["figure.figsize"]
        figure = plt.figure(figsize=(width, 1.3 * height)) if figure is None else figure
        above, below = figure.subplots(2, gridspec_kw={"height_ratios": (1, 1.6)})
        _plot_drawn(row, above)
        _plot_differences(frame, draw, below, metric)
    return figure


def _plot_drawn(row: pd.Series, ax: Axes) -> None:
    drawn = np.asarray(row["drawn"])[:N_SHOWN]
    is_resample = row["kind"] == RESAMPLES
    ax.bar(np.arange(1, len(drawn) + 1), drawn, color=BLUE, width=0.7)
    ax.set(xlim=(0, len(drawn) + 1), ylim=(0, 5.5 if is_resample else 1.1))
    ax.set_yticks([0, 1, 2, 3, 4, 5] if is_resample else [0, 1], None if is_resample else ["kept", "swapped"])
    n = len(row["drawn"])
    which = f"segment (the first {len(drawn)} of {n:,})" if n > len(drawn) else "segment"
    set_labels(ax, which, "times drawn" if is_resample else "")


def _plot_differences(frame: pd.DataFrame, draw: int, ax: Axes, metric: str) -> None:
    so_far, observed = frame.iloc[:draw], frame["observed"].iloc[0]
    counted = so_far["counts"].to_numpy(dtype=bool)
    look: Look = {"linestyle": "none", "marker": "o", "markersize": 3.5}
    for part, color in ((~counted, NEUTRAL), (counted, STRIKING)):
        ax.plot(so_far["difference"][part], so_far["draw"][part], color=color, **look)
    ax.plot(so_far["difference"].iloc[-1:], so_far["draw"].iloc[-1:], "o", mfc="none", mec="black", ms=9)
    # Between equal outputs there is no difference in any draw.
    reach = 1.05 * max(frame["difference"].abs().max(), abs(observed)) or 1
    ax.set(xlim=(-reach, reach), ylim=(0, 1.05 * len(frame)))
    is_resample = frame["kind"].iloc[0] == RESAMPLES
    for line in (0,) if is_resample else (-abs(observed), abs(observed)):
        ax.axvline(line, **GUIDE)
    if is_resample:
        label_line(ax, "equal", x=0)
    else:
        label_line(ax, "as large as observed", x=abs(observed))
    set_labels(ax, f"difference ({metric})", "resample" if is_resample else "trial")
