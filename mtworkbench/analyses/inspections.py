"""Inspect outputs before anything is scored: what seems wrong with which system, and which lines to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from mtworkbench.assumptions import Doubt
from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.corpus import look_again
from mtworkbench.outputs.checks.frames import FrameRuns, Runs, check_outputs, is_missing, sort_references
from mtworkbench.results.inspections import DoubtfulLine, Inspection

#: So many lines of each finding are shown unless all are asked for.
MOST_LINES = 3


def inspect_outputs(outputs: pd.DataFrame, *, most_lines: int | None = MOST_LINES) -> Inspection:
    """Look for what seems wrong with outputs, before anything is scored.

    Parameters
    ----------
    outputs : DataFrame
        See `check_outputs`.
    most_lines : int or None
        How many lines of each finding are kept; None keeps all that a doubt names.

    Returns
    -------
    Inspection
        Shown as a table with one row per system and one column per check that noticed something.

    Raises
    ------
    InputError
        ``no-texts`` where there are scores alone, and those of `check_outputs`.
    """
    check_outputs(outputs)
    return inspect_runs(FrameRuns(outputs), most_lines=most_lines)


def inspect_runs(runs: Runs, *, most_lines: int | None = MOST_LINES) -> Inspection:
    """Inspect the rows of each run, as `inspect_outputs` does; the texts of one run at a time are held."""
    first = runs[0]
    if "hypothesis" not in first.columns:
        message = "Scores without texts were given, but texts are inspected: give the outputs and references."
        raise InputError("no-texts", message)
    doubts = tuple(doubt for doubt in look_again(runs) if not doubt.accepted)
    n_segments, n_references = len(first), len(sort_references(first.columns))
    del first  # no run is held while the next is read
    systems: list[str] = []
    texts: dict[str, dict[int, str]] = {}
    for position in range(len(runs)):
        rows = runs[position]
        system = str(rows["system"].iloc[0])
        if not systems:
            columns = [*sort_references(rows.columns), *(["source"] if "source" in rows.columns else [])]
            texts[""] = _pick(rows, columns, [doubt for doubt in doubts if not doubt.systems])
        if system not in systems:  # of several runs, the first shows it
            systems.append(system)
            texts[system] = _pick(rows, ["hypothesis"], [doubt for doubt in doubts if system in doubt.systems])
    lines = tuple(line for doubt in doubts for line in _list_lines(doubt, texts, most_lines))
    return Inspection(n_segments, n_references, tuple(systems), doubts, lines)


def _pick(rows: pd.DataFrame, columns: Sequence[str], doubts: Sequence[Doubt]) -> dict[int, str]:
    """Return the texts of the segments to look at by their numbers: of several columns, those of the first."""
    wanted = {segment for doubt in doubts for segment in doubt.segments}
    if not wanted:
        return {}
    found = zip(rows["segment"].tolist(), rows[columns[0]].tolist(), strict=True)
    return {number: "" if is_missing(text) else str(text) for number, text in found if number in wanted}


def _list_lines(doubt: Doubt, texts: dict[str, dict[int, str]], most: int | None) -> Iterator[DoubtfulLine]:
    who = doubt.systems[0] if doubt.systems else ""
    for segment in doubt.segments[:most]:
        yield DoubtfulLine(doubt.code, who or "reference", segment, texts[who].get(segment, ""))
