"""How time and memory of the whole command grow with segments, systems, runs and test sets, and the figure of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from benchmarks.speed.made_up import write_texts
from benchmarks.speed.processes import WORKBENCH, spend_process
from mtworkbench.cache import VARIABLE
from mtworkbench.plots import style

#: What one panel varies, and the sizes; the others stay as in `BASE`.
SIZES = {
    "segments": (1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 2_000_000),
    "systems": (2, 5, 10, 20, 50, 100, 200, 500),
    "runs": (1, 2, 5, 10, 20, 50),
    "sets": (1, 2, 5, 10, 20, 50),
}
BASE = {"segments": 1000, "systems": 2, "runs": 1, "sets": 1}
LABELS = {"segments": "segments", "systems": "systems", "runs": "runs of each system", "sets": "test sets"}
#: The lines of the figure: their options, and how they are drawn. With two systems, both are the same.
BASELINE, ALL_PAIRS = "all systems with one", "all pairs"
LINES = {BASELINE: (["--baseline", "system001"], "C0", "o-"), ALL_PAIRS: ([], "C1", "s--")}
TRIALS = 10_000
#: Most seconds of a point: what takes longer is stopped.
LIMIT = 600
TURNS = 3
#: Points that take longer are measured once.
SHORT = 20
#: How many of the largest sizes an exponent is from.
UPPER = 3
PANELS = {"cpu": "CPU time (s)", "mebibytes": "memory (MiB)"}


def write_table(folder: Path, sets: Sequence[Sequence[str]], n_runs: int) -> Path:
    """Write the table of test sets, each of which has a reference and the outputs of all runs, system by system."""
    lines = ["set\treference\tsystem\tfiles"]
    for number, (reference, *outputs) in enumerate(sets):
        for place, path in enumerate(outputs):
            os.link(path, folder / f"{number}.system{place // n_runs + 1:03}.run{place % n_runs + 1}.txt")
        for system in range(1, len(outputs) // n_runs + 1):
            lines.append(f"set{number}\t{reference}\tsystem{system:03}\t{number}.system{system:03}.run*.txt")
    table = folder / "sets.tsv"
    table.write_text("\n".join(lines) + "\n", encoding="ascii")
    return table


def list_arguments(folder: Path, segments: int, systems: int, runs: int, sets: int) -> list[str]:
    """Make texts up, and return the arguments that name them."""
    made = [write_texts(folder, f"set{number}", systems * runs, segments) for number in range(sets)]
    table = write_table(folder, made, runs)
    if sets > 1:
        return ["--test-sets", str(table)]
    named = [line.split("\t")[2:] for line in table.read_text(encoding="ascii").splitlines()[1:]]
    options = [part for system, files in named for part in ("--system", f"{system}={folder / files}")]
    return ["--reference", made[0][0], *options]


def measure_point(axis: str, size: int, work: str, turns: int = TURNS, shorter: int = 1) -> dict[str, object]:
    """Measure one point: whole processes, with nothing cached."""
    load = os.getloadavg()[0]
    point = BASE | {"segments": max(20, BASE["segments"] // shorter)} | {axis: size}
    with tempfile.TemporaryDirectory() as folder:
        arguments = list_arguments(Path(folder), **point)
        options = [*LINES[work][0], "--trials", str(max(100, TRIALS // shorter)), "--rng", "1", "--output", "out.json"]
        command = [*WORKBENCH, "compare", *arguments, *options]
        spent = []
        while len(spent) < turns and not (spent and spent[0].seconds > SHORT):
            spent.append(spend_process(command, {VARIABLE: "off"}, limit=LIMIT, may_fail=True, folder=folder))
    medians = {name: np.median([getattr(one, name) for one in spent]) for name in ("seconds", "cpu", "mebibytes")}
    ended = {"status": spent[0].status, "said": spent[0].said.replace(f"{folder}/", "").strip(), "load": load}
    return {"axis": axis, "work": work, "size": size} | medians | ended


def measure_growth(name: str = "", shorter: int = 1, turns: int = TURNS) -> Iterator[dict[str, object]]:
    """Measure the points of the figure, from the smallest size.

    Parameters
    ----------
    name : str
        Only the points whose names, such as ``systems 500 all pairs``, have it.
    shorter : int
        If it is above 1, only the smallest two sizes are measured, with fewer draws: to see whether all works.
    turns : int
        Most turns of a point.
    """
    for axis, sizes in SIZES.items():
        for size in sizes if shorter == 1 else sizes[:2]:
            for work in LINES if axis == "systems" else [BASELINE]:
                if name in f"{axis} {size} {work}":
                    yield measure_point(axis, size, work, min(turns, TURNS), shorter)


def compute_exponents(points: pd.DataFrame) -> pd.DataFrame:
    """Compute how each line grows with its size at its upper end: the exponents of time and memory."""
    found = []
    for (axis, work), line in points[points["status"] == 0].groupby(["axis", "work"], sort=False):
        upper = np.log(line.sort_values("size").tail(UPPER)[["size", *PANELS]])
        slopes = {name: np.polyfit(upper["size"], upper[name], 1)[0] if len(upper) > 1 else np.nan for name in PANELS}
        found.append({"axis": axis, "work": work} | slopes)
    return pd.DataFrame(found)


def write_size(value: float, _: int) -> str:
    """Write a number at an axis."""
    if value >= 1_000_000:
        return f"{value / 1_000_000:g}M"
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def draw_growth(points: pd.DataFrame) -> Figure:
    """Draw time and memory against each size, with the exponents at the upper end; both axes are logarithmic."""
    points = points.sort_values("size")  # those that were measured later are the last rows
    exponents, ended = compute_exponents(points), points["status"] == 0
    with style("screen"):
        figure, rows = plt.subplots(2, len(SIZES), figsize=(12, 5.4), sharex="col", sharey="row", layout="none")
        figure.subplots_adjust(left=0.065, right=0.985, bottom=0.1, top=0.92, wspace=0.1, hspace=0.08)
        for row, (column, label) in zip(rows, PANELS.items(), strict=True):
            for ax, axis in zip(row, SIZES, strict=True):
                for place, (work, (_, color, line)) in enumerate(LINES.items()):
                    of_line = points[(points["axis"] == axis) & (points["work"] == work) & ended]
                    if not len(of_line):
                        continue
                    ax.plot(of_line["size"], of_line[column], line, color=color, markersize=4, label=work)
                    [slope] = exponents.loc[(exponents["axis"] == axis) & (exponents["work"] == work), column]
                    place_of_text = (0.04, 0.93 - 0.11 * place)
                    said = "" if np.isnan(slope) else f"exponent {slope:.2f}"
                    ax.text(*place_of_text, said, color=color, transform=ax.transAxes, va="top")
                ax.set(xscale="log", yscale="log")
                ax.grid(alpha=0.3)
            row[0].set_ylabel(label)
            row[0].yaxis.set_label_coords(-0.2, 0.5)
            row[0].yaxis.set_major_locator(LogLocator(subs=(1, 3)))
            row[0].yaxis.set_major_formatter(write_size)
            row[0].yaxis.set_minor_formatter(NullFormatter())
        for ax, (axis, sizes) in zip(rows[1], SIZES.items(), strict=True):
            ax.set_xlabel(LABELS[axis])
            ax.set_xticks(sizes[:: 2 if axis == "segments" else 1], minor=False)
            ax.set_xticks([], minor=True)
            ax.xaxis.set_major_formatter(write_size)
        figure.legend(*rows[0, 1].get_legend_handles_labels(), loc="upper center", ncols=len(LINES))
    return figure


def save_growth(path: Path, points: pd.DataFrame) -> None:
    """Write the figure as PNG; the same points give the same file."""
    figure = draw_growth(points)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
