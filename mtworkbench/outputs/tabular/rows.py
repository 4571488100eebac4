"""The rows of a table of outputs or of judgements alone, sorted by system, run and segment and made to fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.characters import check_characters
from mtworkbench.outputs.checks.corpus import check_documents, text_column
from mtworkbench.outputs.checks.frames import REQUIRED_COLUMNS, sort_references
from mtworkbench.outputs.checks.names import check_system_names, find_slip, notice_look_alikes
from mtworkbench.outputs.checks.oddities import notice_oddities
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.checks.segments import Corpus, Segments
from mtworkbench.outputs.files.numbers import hint_at_floats, interpret_count, notice_numbers_in_text
from mtworkbench.outputs.tabular.columns import Column, Table, take_values
from mtworkbench.outputs.tabular.shapes import suggest_columns
from mtworkbench.wording import be, begin, find_nearest, grouped, tally


@dataclass(frozen=True)
class Run:
    """The rows of one run, in the order in which they stand in the table."""

    system: str
    number: int
    rows: list[int] = field(repr=False)
    given: int

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"system {excerpt(self.system)}, run {self.number}"


def arrange(table: Table, report: Report) -> Corpus:
    """Sort the rows by system, run and segment.

    Raises
    ------
    InputError
        ``reserved-name``, ``duplicate-segment``, ``incomplete-system``, ``count-mismatch``, ``text-mismatch``,
        ``bad-number``.
    """
    runs = group_runs(table, report)
    keys, identifiers = _keys(table, runs, report)
    order = list(rows_by_key(table, runs[0], keys))
    if identifiers is None:
        order.sort(key=lambda key: int(str(key)))
    _refuse_slip(table, runs, keys)
    rows = [_rows_in_order(table, run, keys, order) for run in runs]
    references = sort_references(table.columns)
    shared = [*references, *(name for name in ("source", "document", "domain") if name in table.columns)]
    for name in shared:
        check_agreement(table.column(name), rows, rows[0])
    hypotheses = table.column("hypothesis")
    systems = grouped(
        (run.system, hypotheses.take(run_rows, f"{table.label}, {run.name}"))
        for run, run_rows in zip(runs, rows, strict=True)
    )
    common = {name: table.column(name).take(rows[0]) for name in shared}
    everything = [row for run_rows in rows for row in run_rows]
    further: dict[str, Column] = {
        name: values for name, values in table.columns.items() if name not in (*REQUIRED_COLUMNS, *shared)
    }
    for name, values in further.items():
        if not isinstance(values, np.ndarray):
            notice_numbers_in_text(table.column(name), report)
    if identifiers is not None:
        further.setdefault("segment_id", [*identifiers])
    if "run_name" not in further and any(run.given != run.number for run in runs):
        names = {row: str(run.given) for run in runs for row in run.rows}
        further["run_name"] = [names[row] for row in range(len(table))]
    return Corpus(
        references=[common[name] for name in references],
        systems=systems,
        source=common.get("source"),
        documents=common.get("document"),
        domains=common.get("domain"),
        further={name: take_values(values, everything) for name, values in further.items()},
    )


def group_by_system(runs: Sequence[Run]) -> dict[str, list[tuple[int, int]]]:
    """Return the rows of each system, each with the number of its run."""
    return grouped((run.system, (run.number, row)) for run in runs for row in run.rows)


def _refuse_slip(table: Table, runs: Sequence[Run], keys: Sequence[Hashable]) -> None:
    """Refuse rows that their system's name keeps from the system that lacks them."""
    if len({len(run.rows) for run in runs}) == 1:
        return
    rows_of = group_by_system(runs)
    names = keys if "segment" in table.columns else range(len(table))
    slip = find_slip({system: {(number, names[row]) for number, row in rows} for system, rows in rows_of.items()})
    if slip is None:
        return
    system, meant = slip
    count, row = len(rows_of[system]), rows_of[system][0][1]
    there = f"{tally(count, 'row')}, and {excerpt(meant)} has {len(rows_of[meant]):,}"
    hint = f"did you mean {excerpt(meant)}?"
    problem = f"system {excerpt(system)} has {there}: {hint} Every run was expected to have all segments: "
    problem += "correct the name, or add the missing rows."
    raise table.column("system").fault("incomplete-system", row, problem, found=system, expected=meant, hint=hint)


def group_runs(table: Table, report: Report) -> list[Run]:
    """Group the rows of a table by system and run; runs that are not numbered 1, 2, 3 ... are numbered anew.

    Outputs keep the numbers that were given as ``run_name``.

    Raises
    ------
    InputError
        ``reserved-name``, ``bad-number``.
    """
    check_system_names(dict.fromkeys(table.columns["system"]))
    systems = table.columns["system"]
    numbers = [1] * len(table)
    if "run" in table.columns:
        column = table.column("run")
        numbers = [interpret_count(column, row, least=0) for row in range(len(table))]
    found: dict[str, dict[int, list[int]]] = {}
    for row, (system, number) in enumerate(zip(systems, numbers, strict=True)):
        found.setdefault(system, {}).setdefault(number, []).append(row)
    renumbered = {system for system, runs in found.items() if sorted(runs) != list(range(1, len(runs) + 1))}
    if renumbered:
        first = next(iter(renumbered))
        given = ", ".join(map(str, sorted(found[first])[:10]))
        which = f"the runs of {len(renumbered):,} systems are not numbered 1, 2, 3 ..."
        example = f"such as those of {excerpt(first)} ({given})"
        message = f"{table.label}: {which}, {example}: they were numbered anew, in this order."
        report.notice("runs-renumbered", message, path=table.path, count=len(renumbered))
    return [
        Run(system, number, runs[given], given)
        for system, runs in found.items()
        for number, given in enumerate(sorted(runs), start=1)
    ]


def _keys(table: Table, runs: Sequence[Run], report: Report) -> tuple[Sequence[Hashable], Sequence[str] | None]:
    """Return the key of each row's segment, and the names of the segments if they are not numbered from 1."""
    if "segment" not in table.columns:
        positions = {row: position for run in runs for position, row in enumerate(run.rows)}
        return [positions[row] for row in range(len(table))], None
    names, count = table.values("segment"), len(runs[0].rows)
    if {names[row] for row in runs[0].rows} == set(map(str, range(1, count + 1))):
        return names, None
    other = _describe_other_name([names[row] for row in runs[0].rows])
    message = (
        f"{table.label}: the segments are not numbered 1 to {count:,} {other}; they were "
        "numbered in the order of the first system and the names kept as segment_id."
    )
    report.notice("segments-renumbered", message, path=table.path, count=count)
    return names_within_documents(table), names


def _describe_other_name(names: Sequence[str]) -> str:
    """Say which name of a segment is not a number from 1 to their count, or which number several segments have."""
    numbers = set(map(str, range(1, len(names) + 1)))
    other = next((name for name in names if name not in numbers), None)
    if other is None:
        repeated = next(name for name, times in Counter(names).items() if times > 1)
        return f"(the number {repeated} occurs several times)"
    if other.isdecimal():
        return f"(there is a segment {excerpt(other)})"
    return f"but have names such as {excerpt(other)}{hint_at_floats(other)}"


def names_within_documents(table: Table) -> Sequence[Hashable]:
    """Return the names of the segments, row by row, with those of their documents where there are any."""
    names = table.values("segment")
    return list(zip(table.columns["document"], names, strict=True)) if "document" in table.columns else names


def rows_by_key(table: Table, run: Run, keys: Sequence[Hashable]) -> dict[Hashable, int]:
    """Find the row of each segment of a run.

    Parameters
    ----------
    table : Table
    run : Run
    keys : sequence of hashable
        The key of each row's segment.

    Raises
    ------
    InputError
        ``duplicate-segment``.
    """
    found: dict[Hashable, int] = {}
    for row in run.rows:
        key = keys[row]
        if key in found:
            column = table.column("segment")
            place = f"of {run.name} already appears in {column.unit} {column.line(found[key]):,}"
            problem = (
                f"segment {excerpt(column.texts[row])} {place}: one row per segment was expected, with a column 'run' "
                "where there are several runs, and a column 'document' where segments are numbered by document."
            )
            raise column.fault("duplicate-segment", row, problem)
        found[key] = row
    return found


def _rows_in_order(table: Table, run: Run, keys: Sequence[Hashable], order: list[Hashable]) -> list[int]:
    found = rows_by_key(table, run, keys)
    missing = [key for key in order if key not in found]
    if not missing and len(found) == len(order):
        return [found[key] for key in order]
    wanted = "every run was expected to have all segments."
    if "segment" not in table.columns:
        message = f"{table.label} has {len(found):,} rows of {run.name}, but {len(order):,} of the first run: {wanted}"
        raise InputError("count-mismatch", message, path=table.path, found=str(len(found)), expected=str(len(order)))
    if missing:
        what = f"lacks {len(missing):,} of the {len(order):,} segments of the first run, such as {excerpt(missing[0])}"
    else:
        known = set(order)
        extra = [key for key in found if key not in known]
        what = f"has {len(extra):,} segments that the first run does not have, such as {excerpt(extra[0])}"
    raise InputError("incomplete-system", f"{table.label}: {run.name} {what}: {wanted}", path=table.path)


def check_agreement(
    column: Segments, rows: Sequence[Sequence[int] | np.ndarray], first: Sequence[int] | np.ndarray
) -> None:
    """Refuse a column whose value for a segment differs between runs.

    Parameters
    ----------
    column : Segments
    rows : sequence of sequence of int
        The rows of each run, segment by segment; -1 where it has none.
    first : sequence of int
        One row per segment, with which the others are compared.

    Raises
    ------
    InputError
        ``text-mismatch``.
    """
    texts = column.texts
    for others in rows:
        for row, other in zip(others, first, strict=True):
            if row >= 0 and texts[row] != texts[other]:
                place = f"{column.unit} {column.line(other):,}, of the same segment, has {excerpt(texts[other])}"
                problem = f"{excerpt(texts[row])} was found where {place}"
                raise column.fault("text-mismatch", row, f"{problem}: it must be the same in all rows of a segment.")


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
