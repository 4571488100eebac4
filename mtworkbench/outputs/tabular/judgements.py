"""Tables of judgements alone: scores of segments without the texts, not every segment judged for every system."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.characters import check_characters
from mtworkbench.outputs.checks.corpus import check_documents, text_column
from mtworkbench.outputs.checks.names import find_slip, notice_look_alikes
from mtworkbench.outputs.checks.oddities import notice_oddities
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.outputs.files.numbers import hint_at_floats, notice_numbers_in_text
from mtworkbench.outputs.tabular.columns import Column, Table
from mtworkbench.outputs.tabular.rows import (
    Run,
    check_agreement,
    group_by_system,
    group_runs,
    names_within_documents,
    rows_by_key,
)
from mtworkbench.outputs.tabular.shapes import suggest_columns
from mtworkbench.wording import be, begin, find_nearest, tally

_COUNT = re.compile("[1-9][0-9]{0,17}")
# Columns that describe a segment, not its judgements.
_OF_SEGMENTS = ("document", "segment_id", "source", "domain")
# A name that looks like a slip is one if it is so much like another, and has at most such a share of its judgements.
_ALIKE, _FEW = 0.8, 0.2


def lay_out_judgements(table: Table, report: Report) -> pd.DataFrame:
    """Lay out a table of judgements as an outputs frame without texts.

    Every run has all segments that any run has; where there is no judgement, there is NaN.

    Raises
    ------
    InputError
        ``columns`` where there is no column ``segment`` or none of numbers, ``duplicate-segment``, ``text-mismatch``,
        and those of `check_documents`.
    """
    scores = [name for name, values in table.columns.items() if isinstance(values, np.ndarray)]
    if "segment" not in table.columns or not scores:
        there = ", ".join(map(excerpt, table.columns))
        message = (
            f"{table.label} has no hypotheses and references, so it was taken for a table of judgements: it needs the "
            f"columns 'system' and 'segment' and a column of numbers, but the columns are {there}. "
        )
        raise InputError("columns", message + _how_to_mend(table, scores), path=table.path, found=there)
    for name in table.columns:
        if name not in ("run", *scores):
            notice_oddities(check_characters(table.column(name), report), report)
        if name not in ("run", "segment", "system", *_OF_SEGMENTS, *scores):
            notice_numbers_in_text(table.column(name), report)
    notice_look_alikes(table.columns["system"], "systems", report)
    runs = group_runs(table, report)
    keys, numbers = _number(table, runs)
    rows = [_rows(table, run, keys, numbers) for run in runs]
    columns: dict[str, object] = {}
    shared = {name: _same_in_all_runs(table, name, rows) for name in _OF_SEGMENTS if name in table.columns}
    if "document" in shared:
        check_documents(shared["document"], report)
        columns["document"] = text_column(list(shared["document"].texts) * len(runs))
    columns["segment"] = np.tile(np.array(list(numbers.values()), dtype=np.int64), len(runs))
    columns["system"] = text_column([run.system for run in runs for _ in numbers])
    columns["run"] = np.repeat(np.array([run.number for run in runs], dtype=np.int64), len(numbers))
    everything = np.concatenate(rows)
    for name in table.columns:
        if name in shared:
            columns[name] = text_column(list(shared[name].texts) * len(runs))
        elif name not in ("segment", "system", "run"):
            columns[name] = _pick(table.columns[name], everything)
    if list(numbers) != list(map(str, numbers.values())):
        identifiers: list[Any] = [key[1] if isinstance(key, tuple) else key for key in numbers]
        columns.setdefault("segment_id", text_column(identifiers * len(runs)))
        message = f"{table.label}: the segments have names such as {excerpt(identifiers[0])}"
        message += f"{hint_at_floats(identifiers[0])}; they were numbered in the order in which they appear, and the "
        message += "names kept as segment_id."
        report.notice("segments-renumbered", message, path=table.path, count=len(numbers))
    _notice_missing(table, everything, report)
    _notice_slip(table, runs, keys, report)
    return pd.DataFrame(columns)


def keep_numbers(scores: pd.DataFrame) -> None:
    """Keep the numbers of segments as names, ``segment_id``, because they need not be those of the lines of an output.

    Also where they look like these, which they are not where only some segments were judged.
    """
    if "segment_id" not in scores.columns:
        place = list(scores.columns).index("segment") + 1
        scores.insert(place, "segment_id", text_column(scores["segment"].astype(str).tolist()))


def note_direction(scores: pd.DataFrame, name: str, direction: str) -> None:
    """Note which way is better for a column of scores: ``up`` or ``down``."""
    scores[f"{name}_direction"] = text_column(np.full(len(scores), direction, dtype=object))


def _how_to_mend(table: Table, scores: Sequence[str]) -> str:
    """Say what to do about a table without the columns of judgements."""
    if not scores:
        return "Numbers are written with a digit before the decimal point (0.5), and None where there is no value."
    if (suggestion := suggest_columns(table.columns, ["segment"])) is not None:
        return f"{begin(suggestion)}."
    texts = [name for name in table.columns if name not in ("system", *scores)]
    nearest = find_nearest("segment_id", texts, 0.5)
    if nearest:
        return f"Did you mean {excerpt(nearest)}? Rename it to 'segment'."
    return "Add 'segment', with the number of the segment, counted from 1, or its name."


def _number(table: Table, runs: Sequence[Run]) -> tuple[Sequence[Hashable], dict[Hashable, int]]:
    """Return the key of each row's segment, and the numbers of the segments in rising order."""
    names = table.values("segment")
    unique = all(len({names[row] for row in run.rows}) == len(run.rows) for run in runs)
    if unique and all(_COUNT.fullmatch(name) for name in names):
        return names, {name: int(name) for name in sorted(set(names), key=int)}
    keys = names_within_documents(table)
    return keys, {key: number for number, key in enumerate(dict.fromkeys(keys), start=1)}


def _rows(table: Table, run: Run, keys: Sequence[Hashable], numbers: Mapping[Hashable, int]) -> np.ndarray:
    """Find the row of each segment; -1 where the run has none."""
    found = rows_by_key(table, run, keys)
    return np.array([found.get(key, -1) for key in numbers], dtype=np.int64)


def _same_in_all_runs(table: Table, name: str, rows: Sequence[np.ndarray]) -> Segments:
    """Return a column whose value for a segment is the same in all runs."""
    column, some = table.column(name), np.max(rows, axis=0)
    check_agreement(column, rows, some)
    return column.take(some)


def _pick(values: Column, rows: np.ndarray) -> np.ndarray | pd.Series:
    if isinstance(values, np.ndarray):
        return np.where(rows >= 0, values[rows], np.nan)
    return text_column([values[row] if row >= 0 else None for row in rows])


def _notice_slip(table: Table, runs: Sequence[Run], keys: Sequence[Hashable], report: Report) -> None:
    """Notice a system with few judgements, none of them of a segment that one with a similar name has.

    It is not refused, as a system without all of its outputs is, because not every segment needs to be judged.
    """
    rows_of = group_by_system(runs)
    places = {system: {(number, keys[row]) for number, row in rows} for system, rows in rows_of.items()}
    slip = find_slip(places, likeness=_ALIKE)
    if slip is None or len(places[slip[0]]) > _FEW * len(places[slip[1]]):
        return
    system, meant = slip
    count, row = len(places[system]), rows_of[system][0][1]
    segments = "this segment" if count == 1 else "these segments"
    column = table.column("system")
    problem = f"system {excerpt(system)} has {tally(count, 'judgement')}, and {excerpt(meant)} has none of {segments}"
    hint = f"did you mean {excerpt(meant)}? They are treated as two systems: correct the name if they are one."
    column.notice(report, "misspelt-system", f"{column.place(row)}: {problem}: {hint}", row, count)


def _notice_missing(table: Table, rows: np.ndarray, report: Report) -> None:
    missing = int((rows < 0).sum())
    if missing:
        what = f"{missing:,} of {len(rows):,} judgements {be(missing)} missing"
        message = f"{table.label}: {what}, counted once per system, run and segment."
        report.notice("missing-score", message, path=table.path, count=missing)
