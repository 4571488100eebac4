"""Statistics as a plain table (TSV), for other programs and from them.

One row per (system, run, segment). ``BLEU.metric`` names a metric with its options (``bleu:tokenize=none``),
``BLEU.signature`` is its signature, and ``BLEU.matches_1`` ... are its statistics; in a table of one metric all of them
may come without the name before the dot. What is known of the segments follows, so that the table holds all that a file
of `save_statistics` does, apart from its checksum.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from mtworkbench.assumptions import Doubt
from mtworkbench.errors import InputError
from mtworkbench.metrics import MeanScore, make_metric
from mtworkbench.metrics.known import name_class
from mtworkbench.metrics.protocol import Metric, options_of
from mtworkbench.outputs.checks.frames import is_note_of_repairs, label_run
from mtworkbench.outputs.checks.known_documents import keep_note
from mtworkbench.outputs.checks.names import check_system_names
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.outputs.files.lines import read_lines
from mtworkbench.outputs.files.numbers import interpret_count, interpret_number
from mtworkbench.statistics.contents import check_names, find_impossible, read_doubts, read_json
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet, name_runs

#: What a test set knows of each segment, by the names of columns; numbers are digests.
OF_EACH = {"document": "documents", "segment_id": "segment_ids"}
DIGESTS = {"source_digest": "source_digests", "reference_digest": "reference_digests"}
#: What it knows of itself, the same in all rows.
OF_ALL = ("references", "n_references", "unordered_references", "normalization", "repaired", "known_documents")
#: The doubts about the data, as JSON: in the first row alone, because they are long.
DOUBTS = "doubts"
HEAD = ("system", "run", "run_name", "segment", *OF_EACH, *DIGESTS, *OF_ALL, DOUBTS)
# Tables have an apostrophe before what a spreadsheet would take for a formula: see `frame_to_csv`.
_ESCAPED = re.compile(r"'+[=+\-@]")
_LONGEST_HEADER = 2**16
_LONGEST_CELL = 10_000_000


def write_spec(metric: Metric) -> str:
    """Write a metric with those of its options that are not the usual ones, as `make_metric` reads it.

    Raises
    ------
    InputError
        ``cannot-save`` where it cannot be written so: a metric that is not of this package, a comma in an option.
    """
    name = name_class(metric)
    if name is not None:
        usual = options_of(type(metric)())
        options = {option: value for option, value in options_of(metric).items() if value != usual[option]}
        if isinstance(metric, MeanScore):
            options["higher_is_better"] = metric.higher_is_better
            if metric.direction_is_unknown:
                del options["higher_is_better"]
        spec = name + ":" * bool(options) + ",".join(f"{option}={_plain(value)}" for option, value in options.items())
        with suppress(InputError):  # of a name with commas or blanks at its ends, other options may be left
            if make_metric(spec) == metric:
                return spec
    raise InputError(
        "cannot-save",
        f"A plain table cannot name the metric {excerpt(metric)}, because it has an option with a comma or blanks at "
        "its ends, or is not one of mtworkbench: save its statistics without --tsv.",
    )


def _plain(value: object) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def describe_plainly(test_set: TestSet) -> dict[str, object]:
    """Return what a plain table says of a test set: columns of a run, and what is the same in all rows.

    Raises
    ------
    InputError
        ``cannot-save`` where a column of the outputs has a name that means something else in the table.
    """
    taken = next(
        (
            name
            for name in test_set.columns
            if (name in HEAD and name != "run_name") or re.search(r"(^|\.)metric$", name)
        ),
        None,
    )
    if taken is not None:
        raise InputError(
            "cannot-save",
            f"A plain table cannot have the column {excerpt(taken)} of the outputs, because it uses that name itself: "
            "rename it, or save without --tsv.",
        )
    known = {name: getattr(test_set, field) for name, field in (OF_EACH | DIGESTS).items()}
    known |= test_set.columns | {name: getattr(test_set, name) for name in OF_ALL}
    return {name: values for name, values in known.items() if values is not None}


def is_plain_table(path: str) -> bool:
    """Tell whether the first line of a file names the columns of a plain table."""
    with open(path, "rb") as stream:
        first = stream.read(_LONGEST_HEADER).removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    return {b"system", b"segment"} <= set(first.rstrip(b"\r").split(b"\t"))


def why_no_statistics(path: str) -> str | None:
    """Say what a file is that looks like a table or like scores, but not like statistics; None where it does not."""
    with open(path, "rb") as stream:
        begin = stream.read(_LONGEST_HEADER).removeprefix(b"\xef\xbb\xbf")
    first = begin.partition(b"\n")[0].decode("utf-8", "replace").rstrip("\r")
    if path.endswith(".seg.score") or (path.endswith(".json") and begin.lstrip()[:1] in (b"{", b"[")):
        return f"{path!r} holds scores, not statistics: use mtworkbench compare --scores FILE"
    if begin.startswith(b"\x1f\x8b") and ".tsv" in path:
        return f"{path!r} is compressed: decompress the table first"
    if {"system", "segment"} <= set(first.split(",")):
        return f"{path!r} is separated by commas, but a table of statistics is separated by tabs: write it with tabs"
    header = first.split("\t")
    if len(header) > 1 and ("system" in header or "metric" in header):
        lacking = next(name for name in ("system", "segment") if name not in header)
        near = next((name for name in header if lacking in name), None)
        rename = f"; rename {excerpt(near)} to {lacking!r}" if near else ""
        return f"{path!r} has no column {lacking!r}, but a table of statistics needs system, segment and metric{rename}"
    return None


def read_plain_table(path: str, report: Report) -> list[SegmentStatistics]:
    """Read the statistics of a plain table, one per metric.

    Raises
    ------
    InputError
        ``columns``, ``bad-number``, ``impossible``, ``incomplete-system``, ``duplicate-segment``, ``text-mismatch``,
        ``statistics-file``, ``reserved-name``, those of `make_metric` and of reading text.
    """
    table = _Table(path, report)
    metrics = {prefix: _metric_of(table, prefix) for prefix in table.prefixes}
    known = {
        f"{prefix}{name}" for prefix, one in metrics.items() for name in ("metric", "signature", *one.statistic_names)
    }
    runs = _arrange(table)
    names = _names_of_runs(table, runs)
    test_set = _test_set(table, runs, names, known, any(not isinstance(one, MeanScore) for one in metrics.values()))
    found = []
    for prefix, metric in metrics.items():
        columns = [_numbers(table, f"{prefix}{name}") for name in metric.statistic_names]
        whole = all(column.dtype.kind == "i" for column in columns) and not isinstance(metric, MeanScore)
        values = np.column_stack(columns).astype(np.int64 if whole else np.float64)
        by_system = {system: np.stack([values[rows] for rows in of_system]) for system, of_system in runs.items()}
        for system, array in by_system.items():
            if (wrong := find_impossible(metric, array)) is not None:
                (run, segment), problem = wrong
                row = int(runs[system][run][segment])
                raise table.fault(
                    "impossible", row, f"{prefix}{problem}: no text can have these statistics; compute them again."
                )
        _check_reference_lengths(table, prefix, metric, by_system, runs, test_set)
        signature = table.constant(f"{prefix}signature") or f"{table.constant(f'{prefix}metric')}|computed:elsewhere"
        found.append(SegmentStatistics(metric, by_system, test_set, signature, names))
    return found


def _check_reference_lengths(
    table: _Table,
    prefix: str,
    metric: Metric,
    by_system: Mapping[str, np.ndarray],
    runs: Mapping[str, Sequence[np.ndarray]],
    test_set: TestSet,
) -> None:
    """Refuse lengths of the one reference that differ between systems or runs; of several, each may have its own."""
    if test_set.n_references != 1 or "reference_length" not in metric.statistic_names:
        return
    place = metric.statistic_names.index("reference_length")
    first_system = next(iter(by_system))
    first = by_system[first_system][0, :, place]
    for system, array in by_system.items():
        unlike = np.argwhere(array[..., place] != first)
        if len(unlike):
            run, segment = map(int, unlike[0])
            row, first_row = int(runs[system][run][segment]), int(runs[first_system][0][segment])
            column = table.columns[f"{prefix}reference_length"]
            lengths = f"{prefix}reference_length is {column[row]}, but {column[first_row]} in line {first_row + 2:,}"
            problem = f"{lengths}, for the same segment with one reference"
            raise table.fault("impossible", row, f"{problem}: compute both with the same reference.")


class _Table:
    """The cells of a plain table, column by column."""

    def __init__(self, path: str, report: Report):
        self.path = path
        lines = read_lines(path, report)
        rows = [_split(line, path, number) for number, line in enumerate(lines, start=1)]
        header = rows.pop(0)
        ragged = next((number for number, row in enumerate(rows, start=2) if len(row) != len(header)), None)
        if ragged is not None and not any(lines[ragged - 1 :]):
            empty = "this line and all after it are empty" if ragged < len(lines) else "the last line is empty"
            raise fault(path, "columns", f"{empty}: delete what follows the last row.", ragged)
        if ragged is not None:
            problem = f"{len(rows[ragged - 2])} cells were found, but the first line names {len(header)} columns"
            raise fault(path, "columns", f"{problem}: one cell per column was expected.", ragged)
        twice = next((name for place, name in enumerate(header) if name in header[:place]), None)
        if twice is not None:
            raise fault(path, "columns", f"two columns are called {excerpt(twice)}: name each column once.", 1)
        if not rows:
            raise fault(path, "columns", "no rows follow the names of the columns: one per segment was expected.", 1)
        self.columns = dict(zip(header, zip(*rows, strict=True), strict=True))
        self.prefixes = [name.removesuffix("metric") for name in header if re.search(r"(^|\.)metric$", name)]
        if not self.prefixes:
            remedy = "add a column 'metric', with for instance bleu:tokenize=13a in every row"
            problem = f"no column names the metric: {remedy}; a table of an earlier mtworkbench has none, so write it"
            raise fault(path, "columns", f"{problem} again with `mtworkbench statistics --tsv`.", 1)

    def __len__(self) -> int:
        return len(self.columns["system"])

    def segments(self, name: str) -> Segments:
        """Return the cells of a column with the lines they stand in."""
        return Segments(self.columns[name], shown(self.path), self.path, range(2, len(self) + 2))

    def fault(self, code: str, row: int, problem: str) -> InputError:
        """Make the error of a row."""
        return self.segments("system").fault(code, row, problem)

    def constant(self, name: str) -> str | None:
        """Return what a column has in all rows; None where there is no such column."""
        if name not in self.columns:
            return None
        cells = self.columns[name]
        other = next((row for row, cell in enumerate(cells) if cell != cells[0]), None)
        if other is not None:
            problem = f"column {excerpt(name)} has {excerpt(cells[other])}, but {excerpt(cells[0])} before"
            raise self.fault("text-mismatch", other, f"{problem}: the same was expected in all rows.")
        return cells[0]


def _split(line: str, path: str, number: int) -> list[str]:
    if "\r" in line:
        problem = "a cell has a carriage return in it: remove it, because it may be the end of a line."
        raise fault(path, "columns", problem, number)
    longest = csv.field_size_limit(_LONGEST_CELL)
    try:
        cells = next(csv.reader([line], delimiter="\t", strict=True), [""])
    except csv.Error as error:
        if "field limit" in str(error):
            problem = f"a cell has more than {_LONGEST_CELL:,} characters: shorten it, or leave its column out."
            raise fault(path, "columns", problem, number) from None
        problem = (
            f"{excerpt(line)} cannot be split at tabs ({error}): a quotation mark at the beginning of a cell needs"
        )
        raise fault(path, "columns", f"{problem} another at its end.", number) from None
    finally:
        csv.field_size_limit(longest)
    return [cell[1:] if _ESCAPED.match(cell) else cell for cell in cells]


def _metric_of(table: _Table, prefix: str) -> Metric:
    spec = table.constant(f"{prefix}metric") or ""
    try:
        metric = make_metric(spec)
    except InputError as error:
        raise table.fault(error.code, 0, f"column {prefix + 'metric'!r}: {error}") from None
    lacking = [name for name in metric.statistic_names if f"{prefix}{name}" not in table.columns]
    if lacking:
        problem = f"there is no column {prefix + lacking[0]!r}, but {spec} has the statistics"
        # A prefix may hold what is not seen, such as a byte order mark.
        names = ", ".join(shown(f"{prefix}{name}") for name in metric.statistic_names)
        raise fault(table.path, "columns", f"{problem} {names}: all of them were expected.", 1)
    return metric


def _arrange(table: _Table) -> dict[str, list[np.ndarray]]:
    """Return the rows of each run of each system, in the segment order of the first."""
    check_system_names(dict.fromkeys(table.columns["system"]))
    numbers = {name: table.segments(name) for name in ("segment", "run") if name in table.columns}
    places: dict[tuple[str, int], dict[int, int]] = {}
    for row, system in enumerate(table.columns["system"]):
        run = interpret_count(numbers["run"], row, least=1) if "run" in numbers else 1
        segment = interpret_count(numbers["segment"], row, least=1)
        rows = places.setdefault((system, run), {})
        if segment in rows:
            problem = f"segment {segment:,} of system {excerpt(system)}, run {run}, already appears in line"
            raise table.fault(
                "duplicate-segment",
                row,
                f"{problem} {rows[segment] + 2:,}: number the segments through the whole test set.",
            )
        rows[segment] = row
    first = next(iter(places.values()))
    runs: dict[str, dict[int, np.ndarray]] = {}
    for (system, run), rows in places.items():
        if rows.keys() != first.keys():
            odd = min(rows.keys() ^ first.keys())
            has, not_there = ("has", "the first run does not have") if odd in rows else ("lacks", "the first run has")
            problem = f"system {excerpt(system)}, run {run}, {has} segment {odd:,}, which {not_there}"
            raise table.fault(
                "incomplete-system", rows.get(odd, next(iter(rows.values()))), f"{problem}: all runs need all segments."
            )
        runs.setdefault(system, {})[run] = np.array([rows[segment] for segment in first])
    for system, of_system in runs.items():
        if sorted(of_system) != list(range(1, len(of_system) + 1)):
            row = int(of_system[max(of_system)][0])
            problem = f"the runs of system {excerpt(system)} have the numbers {', '.join(map(str, sorted(of_system)))}"
            raise table.fault("bad-number", row, f"{problem}: number them 1, 2, 3 ...")
    return {system: [of_system[run] for run in sorted(of_system)] for system, of_system in runs.items()}


def _names_of_runs(table: _Table, runs: Mapping[str, Sequence[np.ndarray]]) -> dict[str, tuple[str, ...]]:
    """Return what the runs of each system are called, where that is known."""
    if (cells := table.columns.get("run_name")) is None:
        return {}
    labels = {
        system: [label_run(cells[row] for row in rows) for rows in of_system] for system, of_system in runs.items()
    }
    return name_runs(labels)


def _depends_on_segment(table: _Table, name: str, rows: Sequence[np.ndarray]) -> bool:
    """Tell whether a column is the same for a segment in all runs."""
    cells = np.array(table.columns[name], dtype=object)
    return all((cells[other] == cells[rows[0]]).all() for other in rows)


def _test_set(
    table: _Table,
    runs: Mapping[str, Sequence[np.ndarray]],
    names: Mapping[str, tuple[str, ...]],
    known: set[str],
    with_texts: bool,
) -> TestSet:
    rows = [row for of_system in runs.values() for row in of_system]
    of_each = [name for name in table.columns if name not in known and name not in ("system", "run", *OF_ALL, DOUBTS)]
    # Names of runs, or labels that depend on the run, do not describe segments.
    if "run_name" in of_each and (names or not _depends_on_segment(table, "run_name", rows)):
        of_each.remove("run_name")
    values = {name: _same_in_all_runs(table, name, rows) for name in of_each}
    for name, texts in values.items():
        try:
            check_names(texts, f"values of {name}")
        except ValueError as error:
            raise fault(table.path, "statistics-file", f"the table has {error}: rename it.", 1) from None
    whole = {name: table.constant(name) for name in OF_ALL}
    if whole["normalization"] not in (None, "nfc"):
        problem = f"column 'normalization' has {excerpt(whole['normalization'])}"
        raise table.fault("statistics-file", 0, f"{problem}: write 'nfc' or leave the column out.")
    if whole["repaired"] is not None and not is_note_of_repairs(whole["repaired"]):
        problem = f"column 'repaired' has {excerpt(whole['repaired'])}"
        raise table.fault("statistics-file", 0, f"{problem}: name what was repaired, or leave the column out.")
    n_references = 0 if whole["n_references"] is None else interpret_count(table.segments("n_references"), 0, least=0)
    of_segments: dict[str, Any] = {"documents": None}
    of_segments |= {field: values[name] for name, field in OF_EACH.items() if name in values}
    of_segments |= {field: _digests(table, name, rows[0]) for name, field in DIGESTS.items() if name in values}
    has_references = with_texts or "reference_digests" in of_segments
    return TestSet(
        segments=np.array([int(one) for one in values["segment"]], dtype=np.int64),
        references=whole["references"] or "",
        n_references=n_references,
        references_vary=n_references == 0 and has_references,
        normalization=whole["normalization"],
        repaired=whole["repaired"],
        known_documents=keep_note(whole["known_documents"], values["document"]) if "document" in values else None,
        unordered_references=whole["unordered_references"],
        doubts=_read_doubts(table),
        columns={name: one for name, one in values.items() if name not in HEAD or name == "run_name"},
        **of_segments,
    )


def _read_doubts(table: _Table) -> tuple[Doubt, ...]:
    first = table.columns[DOUBTS][0] if DOUBTS in table.columns else ""
    try:
        return read_doubts(read_json(first.encode()) if first else [])
    except (ValueError, RecursionError) as error:
        raise table.fault("statistics-file", 0, f"column {DOUBTS!r} has {error}: leave the column out.") from None


def _same_in_all_runs(table: _Table, name: str, rows: Sequence[np.ndarray]) -> np.ndarray:
    """Return the cells of the first run, after a look at the others."""
    cells = np.array(table.columns[name], dtype=object)
    for other in rows[1:]:
        unlike = np.flatnonzero(cells[other] != cells[rows[0]])
        if len(unlike):
            row, first = int(other[unlike[0]]), int(rows[0][unlike[0]])
            problem = (
                f"column {excerpt(name)} has {excerpt(cells[row])}, but {excerpt(cells[first])} in line {first + 2:,}"
            )
            reason = "this column describes segments, so it must be the same for all systems and runs"
            raise table.fault("text-mismatch", row, f"{problem}, for the same segment: {reason}.")
    return cells[rows[0]]


def _numbers(table: _Table, name: str) -> np.ndarray:
    """Return a column of statistics: int64 where all are written without a decimal point."""
    cells = table.columns[name]
    if all(map(re.compile("[0-9]{1,18}").fullmatch, cells)):
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    numbers = np.empty(len(cells))
    for row, cell in enumerate(cells):
        try:
            numbers[row] = interpret_number(cell)
        except ValueError as error:
            raise _bad_number(table, name, row, str(error)) from None
        if np.isnan(numbers[row]):
            raise _bad_number(table, name, row, "it is missing")
    return numbers


def _digests(table: _Table, name: str, rows: np.ndarray) -> np.ndarray:
    cells = table.columns[name]
    for row in rows:
        if not re.fullmatch("-?[0-9]{1,19}", cells[row]) or not -(2**63) <= int(cells[row]) < 2**63:
            raise _bad_number(table, name, int(row), "it is not a 64-bit whole number")
    return np.array([int(cells[row]) for row in rows], dtype=np.int64)


def _bad_number(table: _Table, name: str, row: int, reason: str) -> InputError:
    problem = f"{excerpt(table.columns[name][row])} in column {excerpt(name)} cannot be taken for a number ({reason})"
    return table.fault("bad-number", row, f"{problem}: a decimal point and no separators were expected.")
