"""The rows of a table, sorted by system, run and segment, and made to fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.frames import REQUIRED_COLUMNS, sort_references
from mtworkbench.outputs.checks.names import check_system_names, find_slip
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.checks.segments import Corpus, Segments
from mtworkbench.outputs.files.numbers import hint_at_floats, interpret_count, notice_numbers_in_text
from mtworkbench.outputs.tabular.columns import Column, Table, take_values
from mtworkbench.wording import grouped, tally


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
