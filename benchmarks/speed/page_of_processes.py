"""What the page on speed says of whole processes: what people wait for, and how that grows."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from textwrap import fill

import numpy as np
import pandas as pd

from benchmarks.speed.cells import NOTHING, WIDTH, tabulate, write_seconds
from benchmarks.speed.growth import BASE, BASELINE, LABELS, LIMIT, TRIALS, UPPER, compute_exponents
from benchmarks.speed.waits import DEFAULT, FIRST_USE, OURS, WAITS
from mtworkbench.wording import be, tally

#: The load of a machine that does nothing but what is measured, at most.
IDLE = 3
HEADS = ("what people wait for", "mtworkbench (s)", "with default trials (s)", "compared with (s)", "wanted (s)")


def write_took(row: pd.Series) -> str:
    """Write seconds on the clock and, where it is known, CPU time."""
    cpu = "" if np.isnan(row["cpu"]) else f" (CPU {write_seconds(row['cpu'])})"
    return f"{write_seconds(row['seconds'])}{cpu}"


def is_quick(row: pd.Series) -> bool | None:
    """Return whether something takes no longer than wanted, or None where nothing is wanted."""
    return None if np.isnan(row["wanted"]) else bool(row["seconds"] <= row["wanted"])


def list_waits(waits: pd.DataFrame) -> Iterator[tuple[pd.Series, pd.DataFrame]]:
    """Yield the workbench's row of each work that people wait for, and those of all sides."""
    for _, sides in waits[waits["kind"] == WAITS].groupby("what", sort=False):
        yield sides[sides["who"] == OURS].iloc[0], sides


def write_waits(waits: pd.DataFrame) -> str:
    """Write what people wait for, one row per work."""
    rows = []
    for ours, sides in list_waits(waits):
        default = [write_took(row) for _, row in sides[sides["who"] == DEFAULT].iterrows()] or [NOTHING]
        peers = [f"{row['who']}: {write_took(row)}" for _, row in sides[~sides["who"].isin([OURS, DEFAULT])].iterrows()]
        goal = {None: NOTHING, True: f"{ours['wanted']:g}: met", False: f"{ours['wanted']:g}: **not met**"}
        rows.append((ours["what"], write_took(ours), *default, "; ".join(peers) or NOTHING, goal[is_quick(ours)]))
    return tabulate(HEADS, rows)


def describe_waits(waits: pd.DataFrame) -> str:
    """Say which goals are missed, and what was not measured as often as the rest."""
    waits = waits[waits["kind"] == WAITS]
    quick = [(ours["what"], is_quick(ours)) for ours, _ in list_waits(waits)]
    missed = [what for what, one in quick if one is False]
    n_goals = sum(one is not None for _, one in quick)
    goals = f"Of the {tally(n_goals, 'goal')}, {len(missed)} {be(len(missed))} missed: {'; '.join(missed)}."
    most = int(waits["turns"].max())
    said = f"Each number is a median of {tally(most, 'turn')}"
    if fewer := sorted({int(one) for one in waits["turns"] if one < most}):
        said += f", or of {' or '.join(map(str, fewer))} in some rows"
    return fill(f"{goals if missed else f'All {n_goals} goals are met.'} {said}.{describe_load(waits)}", WIDTH)


def describe_load(measured: pd.DataFrame) -> str:
    """Say that the machine had other work to do, where it had."""
    most = measured["load"].max()
    return f" The machine had other work at the same time (load up to {most:.0f})." if most > IDLE else ""


def tabulate_first_use(waits: pd.DataFrame) -> str:
    """Write what the first processes with compiled loops take."""
    rows = waits[waits["kind"] == FIRST_USE]
    return tabulate(
        ("process", "CPU time (s)"), [(row["who"], write_seconds(row["cpu"])) for _, row in rows.iterrows()]
    )


def describe_base() -> str:
    """Say what the panels do not vary."""
    return fill(
        f"Each panel varies one size. The others stay at {BASE['segments']:,} segments, {BASE['systems']} systems, "
        f"{BASE['runs']} run of each system and {tally(BASE['sets'], 'test set')}. The metric is BLEU, with {TRIALS:,} "
        f"trials. An exponent is the slope of a line through the last {UPPER} points: with an exponent of 1, twice the "
        "size takes twice as long.",
        WIDTH,
    )


def describe_growth(growth: pd.DataFrame) -> str:
    """Say with what exponents time and memory grow."""
    said = [
        f"{LABELS[one.axis]}{'' if one.work == BASELINE else f', {one.work}'}: time {one.cpu:.2f}, memory "
        f"{one.mebibytes:.2f}"
        for one in compute_exponents(growth).dropna().itertuples()
    ]
    return fill(f"At the upper end, the exponents are: {'; '.join(said)}.{describe_load(growth)}", WIDTH)


def write_end(row: pd.Series) -> str:
    """Write how the command ended, and what it took."""
    took = f"{write_seconds(row['seconds'])} s, {row['mebibytes'] / 1024:.1f} GiB"
    if row["status"] == 0:
        return took
    if row["status"] == -signal.SIGKILL:
        stopped = f"stopped after {LIMIT:,} s" if row["seconds"] >= LIMIT else "killed by the system"
        return f"{stopped} ({row['mebibytes'] / 1024:.1f} GiB)"
    return f"refused in {write_seconds(row['seconds'])} s"


def write_ends(growth: pd.DataFrame) -> str:
    """Write how the command ended with the largest size of each panel, and what it said."""
    rows = []
    for (axis, work), line in growth.groupby(["axis", "work"], sort=False):
        last = line.loc[line["size"].idxmax()]
        said = " ".join(str(last["said"] if isinstance(last["said"], str) else "").replace("|", "/").split())
        name = f"{last['size']:,} {LABELS[axis]}" + ("" if work == BASELINE else f", {work}")
        rows.append((name, write_end(last), said or NOTHING))
    return tabulate(("size", "takes", "what the program says"), rows)
