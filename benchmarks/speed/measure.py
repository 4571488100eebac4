"""Rows of the table of speed, and how each is measured: CPU time of one thread, both sides by turns."""

from __future__ import annotations

import functools
import gc
import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

SACREBLEU = "sacreBLEU"
#: The kinds of rows, each a table of the page.
STATISTICS, TEXTS, PEERS = "statistics", "texts", "peers"
#: The columns of the table, one row per piece of work.
COLUMNS = ("kind", "work", "peer", "seconds", "peer_seconds", "ratio", "lowest", "highest", "again", "checked")
COLUMNS += ("at_least", "at_most", "part", "turns")


@dataclass(frozen=True)
class Row:
    """One piece of work that both sides do.

    Parameters
    ----------
    kind : str
        What both sides begin with: `STATISTICS` in memory, or `TEXTS`; or `PEERS`, a comparison with another tool.
    work : str
    ours : callable
        Does it.
    theirs : callable, optional
        Does it with the peer and returns the CPU seconds that all of it takes; None where there is no peer.
    peer : str
    part : str
        Where the peer would take minutes, the part of the work that it does; the time is then scaled up.
    at_least : float, optional
        So many times as fast the workbench is expected to be.
    at_most : float, optional
        So many seconds it is expected to take at most.
    checked : callable, optional
        Does the work from texts, and whatever else the workbench's public function does, such as checks. Where it is
        given, both sides forget before each turn what they remember of texts.
    """

    kind: str
    work: str
    ours: Callable[[], object]
    theirs: Callable[[], float] | None = None
    peer: str = SACREBLEU
    part: str = ""
    at_least: float | None = None
    at_most: float | None = None
    checked: Callable[[], object] | None = None


def spend(work: Callable[[], object]) -> float:
    """Return the CPU seconds that a piece of work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def forget() -> None:
    """Make the workbench and sacreBLEU forget the texts and words that they have seen.

    What is remembered of a function without parameters, such as a table of all white space, is no text.
    """
    for one in gc.get_objects():
        if type(one) is not functools._lru_cache_wrapper:  # `isinstance` would ask weak references, too
            continue
        if one.__module__.startswith(("mtworkbench", "sacrebleu")) and inspect.signature(one).parameters:
            one.cache_clear()


def measure(row: Row, turns: int) -> dict[str, object]:
    """Measure a row: medians of the times and of the ratios of all turns, and the lowest and highest ratio.

    Returns
    -------
    dict
        A value for each of `COLUMNS`. ``again`` are the workbench's seconds for the same texts once more, ``checked``
        those of its public function.
    """
    # Imports, and whatever else is done once in a process, do not count.
    row.ours()
    if row.theirs:
        row.theirs()
    times: list[tuple[float, float, float, float]] = []
    for _ in range(turns):
        again = checked = np.nan
        if row.checked:
            forget()
            checked = spend(row.checked)
            forget()
        ours = spend(row.ours)
        if row.checked:
            again = spend(row.ours)
            forget()
        theirs = row.theirs() if row.theirs else np.nan
        times.append((ours, theirs, again, checked))
    ours, theirs, again, checked = np.median(times, axis=0)
    ratios = np.array([one[1] / one[0] for one in times])
    measured = {"seconds": ours, "peer_seconds": theirs, "ratio": np.median(ratios), "lowest": ratios.min()}
    measured |= {"highest": ratios.max(), "again": again, "checked": checked, "turns": turns}
    return {name: measured[name] if name in measured else getattr(row, name) for name in COLUMNS}


def is_met(row: pd.Series) -> bool | None:
    """Return whether a row of the table is as fast as expected, or None where nothing was measured or expected."""
    if not np.isnan(row["at_most"]):
        return bool(row["seconds"] <= row["at_most"])
    if np.isnan(row["at_least"]) or np.isnan(row["ratio"]):
        return None
    return bool(row["ratio"] >= row["at_least"])
