"""The rows of a table, sorted by system, run and segment, and made to fit together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.corpus import Corpus
from mtworkbench.outputs.checks.frames import REQUIRED_COLUMNS, is_reference
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.outputs.checks.systems import check_system_names
from mtworkbench.outputs.files.numbers import interpret_count
from mtworkbench.outputs.tabular.columns import Table


@dataclass(frozen=True)
class Run:
    """The rows of one run, in the order in which they stand in the table."""

    system: str
    number: int
    rows: list[int] = field(repr=False)

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"system {excerpt(self.system)}, run {self.number}"


@dataclass(frozen=True)
class _Keys:
    """What tells the segments of a run apart."""

    of_rows: Sequence[Hashable] = field(repr=False)
    identifiers: Sequence[str] | None = field(repr=False)
    by_number: bool
    by_position: bool


def arrange(table: Table, report: Report) -> Corpus:
    """Sort the rows by system, run and segment.

    Raises
    ------
    InputError
        ``reserved-name``, ``duplicate-segment``, ``incomplete-system``, ``count-mismatch``, ``text-mismatch``,
        ``bad-number``.
    """
    runs = group_runs(table, report)
    keys = _keys(table, runs, report)
    order = _key_order(table, runs[0], keys)
    rows = [_rows_in_order(table, run, keys, order) for run in runs]
    references = sorted(filter(is_reference, table.columns), key=_reference_number)
    shared = [*references, *(name for name in ("source", "document", "domain") if name in table.columns)]
    for name in shared:
        _check_agreement(table.column(name), rows)
    systems: dict[str, list[Segments]] = {}
    for run, run_rows in zip(runs, rows, strict=True):
        systems.setdefault(run.system, []).append(_take(table, "hypothesis", run_rows, run.name))
    common = {name: _take(table, name, rows[0], f"column {name!r}") for name in shared}
    everything = [row for run_rows in rows for row in run_rows]
    return Corpus(
        references=[common[name] for name in references],
        systems=systems,
        source=common.get("source"),
        documents=common.get("document"),
        domains=common.get("domain"),
        further=_further(table, keys, shared, everything),
    )


def _reference_number(name: str) -> int:
    return int(name.removeprefix("reference").removeprefix("_") or 1)


def group_runs(table: Table, report: Report) -> list[Run]:
    """Group the rows of a table by system and run; runs that are not numbered 1, 2, 3 ... are numbered anew.

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
        report.notice(
            "runs-renumbered",
            f"{table.label}: the runs of {len(renumbered):,} systems are not numbered 1, 2, 3 ..., such as those of "
            f"{excerpt(first)} ({given}): they were numbered anew, in this order.",
            path=table.path,
            count=len(renumbered),
        )
    return [
        Run(system, number, runs[given])
        for system, runs in found.items()
        for number, given in enumerate(sorted(runs), start=1)
    ]


def _keys(table: Table, runs: Sequence[Run], report: Report) -> _Keys:
    if "segment" not in table.columns:
        positions = [0] * len(table)
        for run in runs:
            for position, row in enumerate(run.rows):
                positions[row] = position
        return _Keys(positions, None, by_number=False, by_position=True)
    names = table.columns["segment"]
    first = {names[row] for row in runs[0].rows}
    if first == set(map(str, range(1, len(runs[0].rows) + 1))):
        return _Keys(names, None, by_number=True, by_position=False)
    report.notice(
        "segments-renumbered",
        f"{table.label}: the segments are not numbered 1 to {len(runs[0].rows):,} but have names such as "
        f"{excerpt(names[0])}; they were numbered in the order of the first system and the names kept as segment_id.",
        path=table.path,
        count=len(runs[0].rows),
    )
    keys: Sequence[Hashable] = names
    if "document" in table.columns:
        keys = list(zip(table.columns["document"], names, strict=True))
    return _Keys(keys, names, by_number=False, by_position=False)


def _key_order(table: Table, run: Run, keys: _Keys) -> list[Hashable]:
    order = list(rows_by_key(table, run, keys.of_rows))
    return sorted(order, key=int) if keys.by_number else order


def rows_by_key(table: Table, run: Run, keys: Sequence[Hashable]) -> dict[Hashable, int]:
    """Find the row of each segment of a run.

    Parameters
    ----------
    table : Table
    run : Run
    keys : sequence of hashable
        What tells the segments apart, one per row of the table.

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
            raise column.fault(
                "duplicate-segment",
                row,
                f"segment {excerpt(table.columns['segment'][row])} of {run.name} stood already in {column.unit} "
                f"{column.line(found[key]):,}: one row per segment was expected, with a column 'run' where there are "
                "several runs, and a column 'document' where segments are numbered by document.",
            )
        found[key] = row
    return found


def _rows_in_order(table: Table, run: Run, keys: _Keys, order: list[Hashable]) -> list[int]:
    found = rows_by_key(table, run, keys.of_rows)
    missing = [key for key in order if key not in found]
    if not missing and len(found) == len(order):
        return [found[key] for key in order]
    if keys.by_position:
        raise InputError(
            "count-mismatch",
            f"{table.label} has {len(found):,} rows of {run.name}, but {len(order):,} of the first run: every run was "
            "expected to have all segments.",
            path=table.path,
            found=str(len(found)),
            expected=str(len(order)),
        )
    if missing:
        what = f"lacks {len(missing):,} of the {len(order):,} segments of the first run, such as {excerpt(missing[0])}"
    else:
        known = set(order)
        extra = [key for key in found if key not in known]
        what = f"has {len(extra):,} segments that the first run has not, such as {excerpt(extra[0])}"
    raise InputError(
        "incomplete-system",
        f"{table.label}: {run.name} {what}: every run was expected to have all segments.",
        path=table.path,
    )


def _check_agreement(column: Segments, rows: Sequence[Sequence[int]]) -> None:
    texts = column.texts
    for others in rows[1:]:
        for first, row in zip(rows[0], others, strict=True):
            if texts[row] != texts[first]:
                raise column.fault(
                    "text-mismatch",
                    row,
                    f"{excerpt(texts[row])} was found where {column.unit} {column.line(first):,}, of the same segment, "
                    f"has {excerpt(texts[first])}: it must be the same in all rows of a segment.",
                )


def _take(table: Table, name: str, rows: Sequence[int], what: str) -> Segments:
    texts = table.columns[name]
    lines = [row + 1 if table.lines is None else table.lines[row] for row in rows]
    return Segments([texts[row] for row in rows], f"{table.label}, {what}", table.path, lines)


def _further(table: Table, keys: _Keys, shared: Sequence[str], rows: Sequence[int]) -> dict[str, Sequence]:
    columns = {name: values for name, values in table.columns.items() if name not in (*REQUIRED_COLUMNS, *shared)}
    if keys.identifiers is not None:
        columns.setdefault("segment_id", keys.identifiers)
    return {
        name: values[rows] if isinstance(values, np.ndarray) else [values[row] for row in rows]
        for name, values in columns.items()
    }
