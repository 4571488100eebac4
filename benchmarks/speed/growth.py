"""How time and memory grow with segments, systems, draws and runs, and the figure of it."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from benchmarks.many_pairs import randomize_pairs
from benchmarks.speed.measure import spend
from mtworkbench.inference.bootstrap import resample
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.papers.simulation.koehn2004 import load_statistics as load_koehn2004_statistics
from mtworkbench.plots import style
from mtworkbench.resampling import resolve_rng, rows_in_cache, split_rows
from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: What one panel varies, and the sizes; the others stay as in `BASE`.
SIZES = {
    "segments": (100, 300, 1000, 3000, 10_000, 30_000),
    "systems": (2, 4, 8, 16, 32, 64),
    "draws": (100, 300, 1000, 3000, 10_000, 30_000, 100_000),
    "runs": (1, 2, 5, 10, 20, 50),
}
BASE = {"segments": 1000, "systems": 2, "draws": 10_000, "runs": 1}
LABELS = {"segments": "segments", "systems": "systems", "draws": "resamples or trials", "runs": "runs of each system"}
BOOTSTRAP, RANDOMIZATION, PRODUCT = "paired bootstrap", "approximate randomization", "matrix product alone"
LINES = {BOOTSTRAP: ("C0", "o-"), RANDOMIZATION: ("C1", "s-"), PRODUCT: ("0.45", "--")}
TURNS = 3
MEBIBYTE = 2**20


def make_table(six: SegmentStatistics, segments: int, systems: int, runs: int) -> ScoreTable:
    """Make a table from the six systems that ship: further systems and runs have the same segments in another order."""
    names = list(six)
    test_set = six[names[0]].take(np.arange(segments)).test_set
    made = []
    for system in range(systems):
        values = six[names[system % len(names)]].values[0]
        shifted = [np.roll(values, 997 * (system * runs + run), axis=0)[:segments] for run in range(runs)]
        made.append(replace(six[names[0]], system=str(system), values=np.stack(shifted), test_set=test_set))
    return ScoreTable.of(made)


def multiply(table: ScoreTable, draws: int) -> None:
    """Multiply weights by the statistics, batch by batch; the weights are not drawn, and the sums are not scored."""
    summed = table.summed.astype(table.weight_type)
    rows = min(draws, rows_in_cache(len(summed)))
    weights = np.ones((rows, len(summed)), table.weight_type)
    for _, count in split_rows(draws, rows):
        weights[:count] @ summed


def make_works(table: ScoreTable, draws: int) -> dict[str, Callable[[], object]]:
    """Return the work of each line of the figure."""
    key, pairs = resolve_rng(1), [(place, 0) for place in range(1, len(table.systems))]
    options = {"exchange": "unit", "n_trials": draws, "random_key": key}
    return {
        BOOTSTRAP: lambda: resample(table, draws, key),
        RANDOMIZATION: lambda: randomize_pairs(table, pairs, **options),
        PRODUCT: lambda: multiply(table, draws),
    }


def measure_memory(work: Callable[[], object]) -> float:
    """Return the most memory, in MiB, that Python and numpy hold at a time for a piece of work."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / MEBIBYTE
    finally:
        tracemalloc.stop()


def measure_growth(shorter: int = 1) -> Iterator[dict[str, object]]:
    """Measure all points of the figure.

    Parameters
    ----------
    shorter : int
        If it is above 1, only the smallest two sizes are measured, with fewer draws: to see whether all works.
    """
    six, base = load_koehn2004_statistics(), BASE | {"draws": BASE["draws"] // shorter}
    for axis, sizes in SIZES.items():
        for size in sizes if shorter == 1 else sizes[:2]:
            point = base | {axis: size}
            table = make_table(six, point["segments"], point["systems"], point["runs"])
            turns = TURNS if shorter == 1 else 1
            for name, work in make_works(table, point["draws"]).items():
                work()
                seconds = np.median([spend(work) for _ in range(turns)])
                yield {"axis": axis, "size": size, "work": name, "seconds": seconds, "mebibytes": measure_memory(work)}


def write_size(value: float, _: int) -> str:
    """Write a number at an axis."""
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def draw_growth(points: pd.DataFrame) -> Figure:
    """Draw time and memory against each size; both axes are logarithmic."""
    with style("screen"):
        figure, rows = plt.subplots(2, len(SIZES), figsize=(12, 5.2), sharex="col", sharey="row", layout="none")
        figure.subplots_adjust(left=0.065, right=0.985, bottom=0.1, top=0.92, wspace=0.1, hspace=0.08)
        for row, (column, label) in zip(
            rows, {"seconds": "CPU time (s)", "mebibytes": "memory (MiB)"}.items(), strict=True
        ):
            for ax, axis in zip(row, SIZES, strict=True):
                for name, (color, line) in LINES.items():
                    line_points = points[(points["axis"] == axis) & (points["work"] == name)]
                    ax.plot(line_points["size"], line_points[column], line, color=color, markersize=4, label=name)
                ax.set(xscale="log", yscale="log")
                ax.grid(alpha=0.3)
            row[0].set_ylabel(label)
            row[0].yaxis.set_label_coords(-0.2, 0.5)
            row[0].yaxis.set_major_formatter(write_size)
        for ax, (axis, sizes) in zip(rows[1], SIZES.items(), strict=True):
            ax.set_xlabel(LABELS[axis])
            ax.set_xticks(sizes[:: 2 if sizes[-1] > 10 * BASE["segments"] else 1], minor=False)
            ax.set_xticks([], minor=True)
            ax.xaxis.set_major_formatter(write_size)
        figure.legend(*rows[0, 0].get_legend_handles_labels(), loc="upper center", ncols=len(LINES))
    return figure


def save_growth(path: Path, points: pd.DataFrame) -> None:
    """Write the figure as PNG; the same points give the same file."""
    figure = draw_growth(points)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
