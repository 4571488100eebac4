"""The figure of docs/validity.md: how often tests call equal systems different, a dot for each setting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.calibration.tables import PUBLISHED
from mtworkbench.analyses.calibration import CONSERVATIVE, NOMINAL, RIGHT, TOO_OFTEN, band_of_errors
from mtworkbench.plots import style

#: The rows of each group.
ON_OUTPUTS = ("ar", "jackknife", "percentile", "bca")
ON_METHODS = ("crossed", "crossed pooled", "ar", "multeval", "t-test on runs")
TITLES = (
    "one run, units are independent",
    "one run, documents ignored: segments are treated as independent",
    "several runs, equal methods",
)
#: Rates below this one, in %, are drawn at it.
LEAST = 0.3
TICKS = (LEAST, 1, 2, 5, 10, 20, 50)
#: Dots of one finding: the colour of the edge and of the inside.
LOOKS = {TOO_OFTEN: ("C1", "C1"), RIGHT: ("C0", "C0"), CONSERVATIVE: ("C0", "white")}


def group_rates(frame: pd.DataFrame) -> Iterator[tuple[str, tuple[str, ...], pd.DataFrame]]:
    """Return the title, the tests and the rates of each group.

    Parameters
    ----------
    frame : DataFrame
        Of `load_calibration`.
    """
    size, single = frame["quantity"] == "size", frame["runs_a"] == 1
    independent = frame["unit"] == frame["independent"]
    groups = (
        ((*ON_OUTPUTS, *PUBLISHED), size & single & independent),
        (("ar", *PUBLISHED), size & single & ~independent),
        (ON_METHODS, size & ~single),
    )
    for title, (tests, chosen) in zip(TITLES, groups, strict=True):
        yield title, tests, frame[chosen & frame["test"].isin(tests)]


def draw_rates(frame: pd.DataFrame) -> Figure:
    """Draw a panel for each group, with a row for each test; the axis is logarithmic."""
    groups = list(group_rates(frame))
    heights = [len(tests) + 1 for _, tests, _ in groups]
    with style("screen"):
        figure, panels = plt.subplots(
            len(groups), figsize=(8, 0.23 * sum(heights) + 1), sharex=True, height_ratios=heights, layout="none"
        )
        figure.subplots_adjust(left=0.17, right=0.98, bottom=0.075, top=0.955, hspace=0.16)
        for ax, (title, tests, rates) in zip(panels, groups, strict=True):
            _draw_panel(ax, tests, rates)
            ax.set_title(title, loc="left", fontsize=10)
        panels[-1].set_xscale("log")
        panels[-1].set_xlim(0.85 * LEAST, 90)
        panels[-1].set_xticks(TICKS, [f"{LEAST:g} or less", *(f"{tick:g}" for tick in TICKS[1:])])
        panels[-1].set_xticks([], minor=True)
        panels[-1].set_xlabel("experiments in which equal systems, or methods, are called different (%)")
    return figure


def _draw_panel(ax: Axes, tests: tuple[str, ...], rates: pd.DataFrame) -> None:
    n = int(rates["repetitions"].min())
    low, high = (100 * end / n for end in band_of_errors(n))
    ax.axvspan(low, high, color="0.88", zorder=0)
    ax.axvline(100 * NOMINAL, color="0.45", linewidth=1, zorder=1)
    for finding, (edge, inside) in LOOKS.items():
        own = rates[rates["finding"] == finding]
        places = np.array([tests.index(test) for test in own["test"]])
        ax.scatter(
            own["percent"].clip(lower=LEAST), places, s=18, edgecolors=edge, facecolors=inside, alpha=0.8, zorder=2
        )
    ax.set_yticks(range(len(tests)), tests)
    ax.set_ylim(len(tests) - 0.4, -0.6)
    ax.grid(False)


def save_rates(path: Path, frame: pd.DataFrame) -> None:
    """Write the figure as PNG; the same rates give the same file."""
    figure = draw_rates(frame)
    figure.savefig(path, dpi=110, facecolor="white", metadata={"Software": None})
    plt.close(figure)
