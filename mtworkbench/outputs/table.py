"""Outputs as a table: one row per (system, run, segment), or one row per segment with one column per system."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.corpus import make_frame
from mtworkbench.outputs.checks.frames import (
    Tabular,
    as_frame,
    check_column_names,
    is_missing,
    is_reference,
    label_run,
    name_labelled,
)
from mtworkbench.outputs.checks.names import choose_systems
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.outputs.files.bytes import Path, find_file
from mtworkbench.outputs.files.numbers import hint_at_floats, interpret_numbers
from mtworkbench.outputs.tabular.columns import Column, Table, is_table, read_columns, table_of
from mtworkbench.outputs.tabular.rows import arrange, lay_out_judgements
from mtworkbench.outputs.tabular.shapes import lengthen, lengthen_board, rename, suggest_columns, take_inspect
from mtworkbench.wording import grouped

_NAMES = ("system", "document", "domain", "segment", "segment_id")
_TEXTS = ("source", "hypothesis")


def read_table(
    table: Path | Tabular,
    *,
    systems: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    accept: Collection[str] = (),
) -> pd.DataFrame:
    """Read the outputs of systems from a table.

    The long form has one row per (system, run, segment), with the columns ``system``, ``hypothesis`` and ``reference``
    (``reference_2`` ...), and, where they are known, ``run``, ``segment``, ``document``, ``source``, ``domain``. The
    wide form has one row per segment and one column of hypotheses, or of scores, per system. Columns by other names
    travel along; one whose values are numbers (a score, a rating) becomes float64, with NaN where ``None`` says that
    there is none.

    In TSV, a quotation mark is a character like any other. Where all fields with such marks are written as pandas and
    other programs quote them (in marks, with those inside doubled), they are read so, with a warning; tabs and line
    breaks may then be inside. Fields in quotation marks without any inside may be either, and are refused.

    A table of judgements alone has neither hypotheses nor references, but ``system``, ``segment`` and columns of
    numbers; a row that it does not have is a missing judgement. Where judgements come in several tables, names of
    segments that are unique, or a column ``document``, let their statistics be matched whatever their order. A board
    with one row per system and columns of numbers alone is read with these columns, such as tasks, as segments. The
    frame of samples that Inspect makes of its logs (``samples_df`` with the columns ``EvalModel + SampleSummary``) is
    read with ``model``, ``epoch`` and ``id`` as system, run and segment, and its ``score_`` columns as scores.

    Parameters
    ----------
    table : path or DataFrame
        A frame may be anything with a method ``to_pandas``, or a list of dicts, one per row. The name of a file says
        its format: ``.tsv`` (see below), ``.csv``, ``.jsonl`` (one object per line) or, with the extra ``formats``,
        ``.parquet``; compressed or not. The first line of TSV and CSV names the columns. Text stays text:
        ``NA``, ``null``, ``007`` are what they are.
    systems : list of str, optional
        The columns of hypotheses, or of scores, for a table of the wide form. Of the long form, only these systems, in
        this order: names, or patterns such as ``"online-*"``.
    columns : mapping of str to str, optional
        What the table calls columns that have a meaning: ``{"system": "model", "segment": "sample_id"}``.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`. For a table: ``"literal-quotes"`` keeps
        the quotation marks around fields of TSV as part of the text, and ``"quoted"`` removes them where nothing in the
        file says which is right.

    Returns
    -------
    DataFrame
        As of `read_outputs`. Where ``segment`` does not number the segments 1, 2, 3 ..., it is kept as ``segment_id``.

    Raises
    ------
    InputError
        ``columns`` for columns or fields missing or too many, ``quotation-marks``, ``bad-number``, ``not-text``,
        ``null-segment``, ``duplicate-segment``, ``incomplete-system``, ``text-mismatch``, ``reserved-name`` where
        ``systems`` names a column that holds no hypotheses, and those of `read_outputs`.

    Warns
    -----
    DataWarning
        For what was noticed.

    Examples
    --------
    >>> import mtworkbench as mtw
    >>> wide = pd.DataFrame({"reference": ["the cat", "a dog"], "base": ["the cat", "dog"], "new": ["cat", "a dog"]})
    >>> outputs = mtw.read_table(wide, systems=["base", "new"])
    >>> outputs[["segment", "reference", "system", "run", "hypothesis"]].values.tolist()[2:]
    [[1, 'the cat', 'new', 1, 'cat'], [2, 'a dog', 'new', 1, 'a dog']]
    """
    report = Report(accept)
    if isinstance(table, (str, os.PathLike)):
        found = read_columns(find_file(table, "The table"), report)
    elif (frame := as_frame(table)) is not None:
        found = table_of(frame, "The table")
    else:
        raise InputError("not-a-table", f"{excerpt(table)} was given for a table: a path or a DataFrame was expected.")
    found = rename(found, columns) if columns else take_inspect(found, report)
    found = lengthen_board(found, report)
    if systems is not None and "system" not in found.columns:
        found, systems = lengthen(found, systems), None
    else:
        _check_reference(found)
    outputs = lay_out(found, report, systems)
    report.warn()
    return outputs


def lay_out(table: Table, report: Report, systems: Sequence[str] | None = None) -> pd.DataFrame:
    """Lay out a table of the long form, of outputs or of judgements alone, as an outputs frame.

    Of all systems, ``systems`` alone, where they are given.
    """
    has_texts = not {"hypothesis", "reference"}.isdisjoint(table.columns)
    required = ("system", "hypothesis", "reference") if has_texts else ("system",)
    missing = [name for name in required if name not in table.columns]
    if missing and (suggestion := suggest_columns(table.columns, missing)):
        there = ", ".join(map(excerpt, table.columns))
        problem = f"{table.label} has no column {missing[0]!r}, only {there}; {suggestion}."
        raise InputError("columns", problem, path=table.path, found=there, expected=missing[0])
    check_column_names(list(table.columns), required, table.label, path=table.path)
    if not len(table):
        raise InputError("no-segments", f"{table.label} has no rows: at least one was expected.", path=table.path)
    table = _type_columns(table)
    if systems is not None:
        table = _choose_rows(table, systems)
    return make_frame(arrange(table, report), report) if has_texts else lay_out_judgements(table, report)


def find_table(files: Sequence[str]) -> str | None:
    """Return the only file where its name is that of a table; None where it is not, or there are several."""
    [file, *others] = files
    return None if others or not is_table(file) else file


def _check_reference(table: Table) -> None:
    """Refuse hypotheses without references, which may be texts that scores were given to."""
    names = list(table.columns)
    if "hypothesis" not in names or "system" not in names or "reference" in names:
        return
    if any(isinstance(name, str) and difflib.get_close_matches("reference", [name], 1, 0.5) for name in names):
        return  # a column that was meant, which the next check asks for
    there = ", ".join(map(excerpt, names))
    problem = f"{table.label} has a column 'hypothesis', so it was read as outputs, but outputs also need a column"
    problem += f" 'reference', and the columns are {there}"
    remedy = "add it; in a table of scores, name the texts 'mt' or leave them out"
    raise InputError("columns", f"{problem}: {remedy}.", path=table.path, found=there, expected="reference")


def _choose_rows(table: Table, systems: Sequence[str]) -> Table:
    """Choose the rows of some systems, system by system."""
    rows_of = grouped((name, row) for row, name in enumerate(table.columns["system"]))
    return table.take([row for name in choose_systems(systems, rows_of) for row in rows_of[name]])


def read_for_terminal(
    path: str,
    *,
    table_systems: Sequence[str] | None,
    columns: Mapping[str, str] | None,
    systems: Sequence[str] | None,
    accept: Collection[str],
) -> pd.DataFrame:
    """Read a table as the options of the terminal say."""
    wide = choose_systems(systems, table_systems) if systems and table_systems else table_systems
    return read_table(path, systems=wide or systems, columns=columns, accept=accept)


def _type_columns(table: Table) -> Table:
    """Make text columns text and columns of numbers arrays of float64."""
    columns: dict[str, Column] = {}
    for name in table.columns:
        column = table.column(name)
        if name in _NAMES:
            columns[name] = _interpret(column, _as_name)
        elif name in _TEXTS or is_reference(name):
            columns[name] = _interpret(column, _as_text_or_none if is_reference(name) else _as_text)
        elif name == "run":
            columns[name] = table.columns[name]
        elif name == "run_name" and _names_runs(table):
            columns[name] = [None if is_missing(cell) else str(cell) for cell in table.columns[name]]
        else:
            numbers = interpret_numbers(column)
            columns[name] = _interpret(column, _as_text_or_none) if numbers is None else numbers
    return replace(table, columns=columns)


def _interpret(column: Segments, how: Callable[[Segments, int], str | None]) -> list[str | None]:
    """Interpret the values of a column one by one."""
    return [how(column, position) for position in range(len(column))]


def _names_runs(table: Table) -> bool:
    """Tell whether the column ``run_name`` names the runs of a system, and holds nothing but names."""
    cells = table.columns["run_name"]
    if not all(isinstance(one, (str, int, np.integer)) or is_missing(one) for one in cells):
        return False
    runs: dict[str, dict[str, list[object]]] = {}
    numbers = table.columns.get("run", [1] * len(table))
    for system, number, cell in zip(table.columns["system"], numbers, cells, strict=True):
        runs.setdefault(str(system), {}).setdefault(str(number), []).append(cell)
    return any(name_labelled([label_run(own) for own in of_system.values()]) for of_system in runs.values())


def _as_text_or_none(column: Segments, position: int) -> str | None:
    value = column.texts[position]
    return None if is_missing(value) else _as_text(column, position)


def _as_text(column: Segments, position: int) -> str:
    value = column.texts[position]
    if isinstance(value, str):
        return str(value)
    if not is_missing(value):
        problem = f"{excerpt(value)} is of type {type(value).__name__}: text was expected{hint_at_floats(value)}."
        raise column.fault("not-text", position, problem)
    problem = "there is no text: text was expected, empty text where there is none"
    hint = "pandas reads 'NA' and 'null' as missing unless told keep_default_na=False"
    raise column.fault("null-segment", position, f"{problem} ({hint}).")


def _as_name(column: Segments, position: int) -> str:
    value: object = column.texts[position]
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(value)
    return _as_text(column, position)
