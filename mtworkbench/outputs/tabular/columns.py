"""Tables as files hold them: TSV, CSV, JSON lines, Parquet -> columns of values."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Self

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.characters import LONGEST_SEGMENT
from mtworkbench.outputs.checks.frames import check_column_names
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.outputs.files.bytes import INSTALL_FORMATS, find_limit, read_bytes
from mtworkbench.outputs.files.json_text import read_objects
from mtworkbench.outputs.files.lines import read_rows
from mtworkbench.outputs.tabular.quoting import is_quoted, split_quoted
from mtworkbench.waiting import show_again

#: What separates columns, in words; Excel takes semicolons where numbers have a decimal comma.
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_COMPRESSED = (".gz", ".xz", ".bz2", ".zst", ".zip")


#: The values of a column; of numbers, an array.
Column = list | np.ndarray


@dataclass(frozen=True)
class Table:
    """The columns of a table, as read.

    Parameters
    ----------
    columns : dict of str to list or ndarray
        None where there is no value.
    label : str
        What messages call it.
    path : str, optional
    lines : sequence of int, optional
        The line each row begins in.
    """

    columns: dict[str, Column] = field(repr=False)
    label: str
    path: str | None = None
    lines: Sequence[int] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def column(self, name: str) -> Segments:
        """Return a column with what messages need."""
        return Segments(self.values(name), f"{self.label}, column {name!r}", self.path, self.lines)

    def take(self, rows: Sequence[int]) -> Self:
        """Return some rows, in their order."""
        columns = {name: take_values(values, rows) for name, values in self.columns.items()}
        lines = None if self.lines is None else [self.lines[row] for row in rows]
        return replace(self, columns=columns, lines=lines)

    def values(self, name: str) -> list:
        """Return the values of a column one by one."""
        return list(self.columns[name])


def take_values(values: Column, rows: Sequence[int]) -> Column:
    """Return the values of some rows, in their order."""
    return values[rows] if isinstance(values, np.ndarray) else [values[row] for row in rows]


@dataclass(frozen=True, repr=False)
class FileTable(Table):
    """The columns of a table in a file, where every row begins in a line."""

    path: str
    lines: Sequence[int]

    @classmethod
    def of(cls, table: Table, path: str) -> FileTable:
        """Return the table of a file; what has no lines, such as Parquet, is counted row by row."""
        return table if isinstance(table, cls) else cls(table.columns, table.label, path, range(1, len(table) + 1))


def read_columns(path: str, report: Report) -> Table:
    """Read a table whose format its name tells: .tsv, .csv, .jsonl or .parquet, compressed or not.

    Raises
    ------
    InputError
        ``table-format``, ``columns``, ``csv``, ``huge-line``, ``json``, ``parquet``, and those of `read_lines`.
    """
    read = READERS.get(_ending(path))
    if read is None:
        endings = f"{', '.join(READERS)} was expected (with {', '.join(_COMPRESSED)} after it or not)"
        raise fault(path, "table-format", f"does not tell its format: a name that ends in {endings}.")
    return read(path, report)


def is_table(path: str) -> bool:
    """Tell by its name whether a file is a table."""
    return _ending(path) in READERS


def _ending(path: str) -> str:
    """Return what a file's name ends with, apart from what compressed files end with."""
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def table_of(frame: pd.DataFrame, label: str) -> Table:
    """Return the columns of a frame that the user already has."""
    names = list(frame.columns)
    check_column_names(names, (), label)
    return Table({name: frame[name].astype(object).tolist() for name in names}, label)


def _read_tsv(path: str, report: Report) -> FileTable:
    return split_at_tabs(read_rows(path, report).texts, path, report)


def split_at_tabs(lines: Sequence[str], path: str, report: Report) -> FileTable:
    """Split the lines of a file at tabs; the first names the columns.

    A quotation mark is a character like any other, and every line is a row, unless all fields that have such marks are
    quoted; see `is_quoted`.

    Raises
    ------
    InputError
        ``columns``, ``quotation-marks``.
    """
    separator = _other_separator(lines[0], "\t")
    if separator is not None:
        problem = f"there is no tab, but the columns seem to be separated by {_SEPARATORS[separator]}"
        raise fault(path, "columns", f"{problem}: give the file a name that ends in .csv, or separate by tabs.", 1)
    if is_quoted(lines, path, report):
        return _collect(split_quoted(lines) or [], path)
    rows = ((number, line.split("\t")) for number, line in enumerate(lines, start=1))
    return _collect(rows, path)


def _read_csv(path: str, report: Report) -> FileTable:
    lines = read_rows(path, report).texts
    with _long_fields(float("inf") if report.accepts("huge-line") else LONGEST_SEGMENT):
        separator = _other_separator(lines[0], ",")
        if separator is not None:
            what = f"separates its columns by {_SEPARATORS[separator]}, not by commas, and was read so"
            report.notice("dialect", f"{shown(path)} {what}.", path=path, line=1)
        return _collect(_csv_rows(lines, path, separator or ","), path)


def _other_separator(names: str, usual: str) -> str | None:
    """Return what separates the names of columns in the first line, where it is not what usually does."""
    found = [separator for separator in _SEPARATORS if separator in names]
    return max(found, key=names.count) if found and usual not in found else None


def _csv_rows(lines: Sequence[str], path: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader((line + "\n" for line in lines), delimiter=separator, strict=True)
    while True:
        first = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "field limit" in str(error):
                problem = "the row that begins here has a field of more than 10 MB: one segment per row was expected"
                raise fault(path, "huge-line", f"{problem}; accept 'huge-line' if this is meant.", first) from None
            problem = f"the row that begins here is not CSV ({error}): fields with quotation marks, commas or line "
            problem += "breaks were expected in quotation marks, those inside doubled."
            raise fault(path, "csv", problem, first) from None
        yield first, row


@contextmanager
def _long_fields(limit: float) -> Iterator[None]:
    # The limit of the csv module is the whole process's, so it is put back.
    before = csv.field_size_limit(int(min(limit, 2**31 - 1)))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _collect(rows: Iterable[tuple[int, list[str]]], path: str) -> FileTable:
    rows = iter(rows)
    line, names = next(rows)
    if len(names) > 1 and not names[0] and all(names[1:]):
        problem = "the first column has no name, as pandas writes its index: write the table with index=False"
        raise fault(path, "columns", f"{problem}, or name the column.", line)
    check_column_names(names, (), shown(path), path=path, line=line)
    columns: list[list] = [[] for _ in names]
    lines = []
    for line, row in rows:
        if len(row) != len(names):
            blank = "; if the last line is empty, accept 'trailing-blank' to drop it" if not any(row) else ""
            problem = f"there are {len(row):,} fields, but the first line names {len(names):,} columns"
            problem += f" ({excerpt(', '.join(names))}){blank}."
            raise fault(path, "columns", problem, line, found=str(len(row)), expected=str(len(names)))
        lines.append(line)
        for column, value in zip(columns, row, strict=True):
            column.append(value)
    return FileTable(dict(zip(names, columns, strict=True)), shown(path), path, lines)


def _read_jsonl(path: str, report: Report) -> FileTable:
    columns: dict[str, list] = {}
    objects = read_objects(path, report)
    for number, one in enumerate(objects):
        for name, value in one.items():
            column = columns.setdefault(name, [])
            column.extend([None] * (number - len(column)))
            column.append(value)
    for column in columns.values():
        column.extend([None] * (len(objects) - len(column)))
    check_column_names(list(columns), (), shown(path), path=path)
    return FileTable(dict(columns), shown(path), path, range(1, len(objects) + 1))


def _read_parquet(path: str, report: Report) -> Table:
    data = read_bytes(path, report)
    show_again("pyarrow")
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        problem = f"is a Parquet file, which cannot be read here: {INSTALL_FORMATS}."
        raise fault(path, "codec-missing", problem) from None
    limit = find_limit(len(data), report)
    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(bytes(data)))
        names = file.schema_arrow.names
        check_column_names(names, (), shown(path), path=path)
        columns: dict[str, list] = {name: [] for name in names}
        size = 0
        for batch in file.iter_batches(1024, use_threads=False):
            size += batch.nbytes
            if size > limit:
                break
            for name, values in batch.to_pydict().items():
                columns[name].extend(values)
    except InputError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        problem = f"cannot be read as Parquet ({excerpt(str(error))}); copy or make it again."
        raise fault(path, "parquet", problem) from None
    if size > limit:
        problem = f"holds more than {int(limit):,} bytes of values; accept 'too-large' if this is meant."
        raise fault(path, "too-large", problem)
    return Table(dict(columns), shown(path))


#: What reads tables, by the endings of their names.
READERS: dict[str, Callable[[str, Report], Table]] = {
    ".tsv": _read_tsv,
    ".csv": _read_csv,
    ".jsonl": _read_jsonl,
    ".parquet": _read_parquet,
}
