"""A campaign: the same systems on several test sets, whose files are listed in one table."""

from __future__ import annotations

import glob
import os
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.corpus import RunFrames, make_frame
from mtworkbench.outputs.checks.names import check_system_names, choose_systems, find_slip
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.files.bytes import Path, find_file, find_files, read_beginning
from mtworkbench.outputs.files.naming import SAME_RUNS, number_runs, sort_runs, tell_apart
from mtworkbench.outputs.tabular.columns import FileTable, is_table, read_columns
from mtworkbench.outputs.text import hold_runs, read_corpus
from mtworkbench.wording import find_nearest, grouped, name_some

REQUIRED = ("set", "reference", "system", "files")
#: What may be known of the segments of a set: columns of the table, and keywords of `read_outputs`.
LABELS = ("source", "documents", "domains")


@dataclass(frozen=True)
class SetFiles:
    """The files of one test set of a campaign.

    Parameters
    ----------
    name : str
    line : int
        The line of the table in which the set comes first.
    references : list of str
    systems : dict of str to list of str
        The runs of each system.
    lines : dict of str to int
        The line of the table with these.
    unnamed : tuple of str
        The systems whose runs have no numbers, because on some set the names of the files give none.
    labels : dict of str to str
        The files with source, documents and domains, as far as there are any.
    """

    name: str
    line: int
    references: list[str]
    labels: dict[str, str]
    systems: dict[str, list[str]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    unnamed: tuple[str, ...] = ()

    @property
    def files(self) -> list[str]:
        """All files of the set."""
        return [*self.references, *self.labels.values(), *(file for runs in self.systems.values() for file in runs)]


def read_campaign(
    path: Path, *, systems: Sequence[str] | None = None, accept: Collection[str] = ()
) -> dict[str, pd.DataFrame]:
    """Read the outputs of the same systems on several test sets, listed in one table.

    The table has one row per set and system, and the columns ``set``, ``reference``, ``system`` and ``files``, in any
    order::

        set    reference     system  files
        wmt08  ref/wmt08.en  base    base/wmt08.run*.en
        wmt08  ref/wmt08.en  new     new/wmt08.run*.en
        wmt09  ref/wmt09.en  base    base/wmt09.run*.en
        wmt09  ref/wmt09.en  new     new/wmt09.run*.en

    Several files of a system are its runs, and several references are references of the same segments: they are
    separated by spaces, or are a glob (a single file may have spaces in its name). Run k of a system must be the same
    trained system on every set: runs are matched by the numbers in the names of their files (``run2``, ``opt2``,
    ``rep2``, ``seed2``), else by their order. The columns ``source``,
    ``documents`` and ``domains`` may name one file each, with one line per segment. What is the same for the whole set
    is repeated in each of its rows. Paths are relative to the folder of the table. Files are plain text, with one
    segment per line.

    Parameters
    ----------
    path : path
        A table whose name ends in ``.tsv`` or ``.csv``.
    systems : list of str, optional
        Only these systems, in this order: names, or patterns such as ``"online-*"``.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`.

    Returns
    -------
    dict of str to DataFrame
        For each set, in the order of the table, the frame of `read_outputs`. All have the same systems, in the order
        in which these first occur in the table.

    Raises
    ------
    InputError
        ``columns``, ``not-text``, ``empty-cell``, ``reserved-name``, ``not-a-file``, ``no-match``, ``text-mismatch``
        where rows of a set differ in what is the same for the whole set, ``duplicate-row``, ``duplicate-set``,
        ``one-set``, ``incomplete-system`` where a set lacks a system that others have, ``different-runs`` where a
        system has equally many runs on two sets, but with different numbers, and those of `read_outputs`.

    Warns
    -----
    DataWarning
        As `read_outputs`, of all sets together; ``runs-by-order`` where the names of files give no numbers of runs.

    Examples
    --------
    >>> import mtworkbench as mtw
    >>> campaign = mtw.read_campaign("campaign.tsv")
    >>> sets = {name: mtw.compute_statistics(outputs, "bleu") for name, outputs in campaign.items()}
    >>> list(sets)
    ['wmt21', 'wmt22', 'wmt23']
    """
    report = Report(accept)
    frames = {}
    for one in list_test_sets(path, report, systems):
        own = Report(accept)
        corpus = read_corpus(one.references, one.systems, one.labels, own, unnamed=one.unnamed)
        frames[one.name] = make_frame(corpus, own)
        _add_notices(report, own, one.name)
    report.warn()
    return frames


def read_sets_run_by_run(
    path: Path, *, systems: Sequence[str] | None = None, accept: Collection[str] = ()
) -> Iterator[tuple[SetFiles, RunFrames]]:
    """Read a campaign set by set with all checks of `read_campaign`, holding the texts of one run at a time.

    Parameters
    ----------
    path, systems, accept
        Of `read_campaign`.

    Yields
    ------
    SetFiles
    RunFrames
        The parts of the set's frame, one per run.

    Raises
    ------
    InputError
        Those of `read_campaign`, of the table before the first set.

    Warns
    -----
    DataWarning
        Those of `read_campaign`, after the last set.
    """
    report = Report(accept)
    for one in list_test_sets(path, report, systems):
        own = Report(accept)
        yield one, hold_runs(one.references, one.systems, one.labels, own, one.unnamed)
        _add_notices(report, own, one.name)
    report.warn()


def is_campaign(path: str) -> bool:
    """Tell whether a file begins with the columns of a table of test sets."""
    if not is_table(path):
        return False
    first = read_beginning(path).partition("\n")[0].rstrip("\r")
    return any({*REQUIRED} <= {*first.split(separator)} for separator in "\t,")


def list_test_sets(path: Path, report: Report, systems: Sequence[str] | None = None) -> list[SetFiles]:
    """Read the table of a campaign, and find the files that it names.

    Raises
    ------
    InputError
        Those of `read_campaign`, apart from those of `read_outputs`.
    """
    file = find_file(path, "The campaign")
    table = FileTable.of(read_columns(file, report), file)
    _check_columns(table)
    rows = _Rows(table)
    sets: dict[str, SetFiles] = {}
    named = [rows.name_system(row) for row in range(len(table))]
    chosen = choose_systems(systems, named)
    for row in range(len(table)):
        name, system = rows.name_set(row), named[row]
        if system not in chosen:
            continue
        if name in sets and (line := sets[name].lines.get(system)) is not None:
            problem = f"system {excerpt(system)} of set {excerpt(name)} already has a row, line {line:,}"
            raise rows.fault(row, "duplicate-row", f"{problem}: give one row per set and system, with all runs in it.")
        found = rows.find(row, "reference")
        labels = {column: rows.find_one(row, column) for column in LABELS if rows.has(row, column)}
        one = sets.setdefault(name, SetFiles(name, rows.line(row), found, labels))
        _check_same(rows, row, one, {"reference": found} | {column: labels.get(column) for column in LABELS})
        one.systems[system], one.lines[system] = rows.find(row, "files"), rows.line(row)
    _check_sets(table, list(sets.values()))
    unnamed = _match_runs(table, list(sets.values()), report)
    return [
        replace(
            one,
            systems={name: one.systems[name] if name in unnamed else sort_runs(one.systems[name]) for name in chosen},
            unnamed=unnamed,
        )
        for one in sets.values()
    ]


def _check_columns(table: FileTable) -> None:
    """Refuse a table without what is needed, or with columns that mean nothing here."""
    known = (*REQUIRED, *LABELS)
    if missing := [name for name in REQUIRED if name not in table.columns]:
        there = ", ".join(map(excerpt, table.columns))
        problem = f"has no column {missing[0]!r}, only {there}: a campaign has the columns {', '.join(REQUIRED)}, and "
        problem += f"may have {', '.join(LABELS)}, separated by tabs."
        raise fault(table.path, "columns", problem, 1, found=there, expected=missing[0])
    for name in table.columns:
        if name not in known:
            meant = find_nearest(name, [one for one in known if one not in table.columns])
            hint = f"did you mean {meant!r}? Rename it" if meant else f"leave it out; known are {', '.join(known)}"
            raise fault(table.path, "columns", f"has a column {excerpt(name)}, which is not known: {hint}.", 1)
    if not len(table):
        raise fault(table.path, "no-rows", "has no rows: one row per set and system was expected.")


class _Rows:
    """The rows of the table of a campaign; paths are relative to its folder."""

    def __init__(self, table: FileTable):
        self._table = table
        self._folder = os.path.dirname(table.path)

    def line(self, row: int) -> int:
        """Return the line of the file that a row begins in."""
        return int(self._table.lines[row])

    def fault(self, row: int, code: str, problem: str) -> InputError:
        """Make the error of a row."""
        return fault(self._table.path, code, problem, self.line(row))

    def has(self, row: int, column: str) -> bool:
        """Tell whether a row has something in a column that may be absent or empty."""
        return column in self._table.columns and bool(self._cell(row, column))

    def _cell(self, row: int, column: str) -> str:
        value = self._table.columns[column][row]
        if not isinstance(value, str):
            raise self.fault(row, "not-text", f"column {column!r} has {excerpt(value)}: text was expected.")
        return value.strip()

    def _filled(self, row: int, column: str) -> str:
        if not (cell := self._cell(row, column)):
            what = "the name of a file or several" if column in ("reference", "files") else f"the name of a {column}"
            raise self.fault(row, "empty-cell", f"column {column!r} is empty: {what} was expected in every row.")
        return cell

    def name_set(self, row: int) -> str:
        """Return the name of the set."""
        name = self._filled(row, "set")
        if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
            problem = f"{excerpt(name)} cannot be the name of a set, because it has a control character"
            raise self.fault(row, "reserved-name", f"{problem}: choose another.")
        return name

    def name_system(self, row: int) -> str:
        """Return the name of the system."""
        name = self._filled(row, "system")
        try:
            check_system_names([name])
        except InputError as error:
            raise self.fault(row, error.code, str(error)) from None
        return name

    def find(self, row: int, column: str) -> list[str]:
        """Find the files that a cell names: one, or several separated by spaces, or globs."""
        cell = self._filled(row, column)
        # A cell with spaces may be the name of one file.
        names = [cell] if os.path.lexists(os.path.join(self._folder, cell)) else cell.split()
        named = [self._place(name) for name in names]
        where = f"{shown(self._table.path)}, line {self.line(row):,}, column {column!r}"
        try:
            files = find_files(named, where)
        except InputError as error:
            raise InputError(error.code, str(error), path=self._table.path, line=self.line(row)) from None
        for file in files:
            if not os.path.isfile(file):
                what = "is a folder" if os.path.isdir(file) else "is no file" if os.path.lexists(file) else ""
                problem = f"{shown(file)} {what}: name a file" if what else f"there is no file {shown(file)}"
                rule = f"paths are relative to the table's folder, {shown(os.path.abspath(self._folder))}"
                raise self.fault(row, "not-a-file", f"column {column!r}: {problem}; {rule}.")
        return files

    def _place(self, name: str) -> str:
        """Return the path of a name in the table; a folder such as ``[old]`` is not part of a glob."""
        path = os.path.join(self._folder, name)
        return path if os.path.lexists(path) else os.path.join(glob.escape(self._folder), name)

    def find_one(self, row: int, column: str) -> str:
        """Find the one file that a cell names."""
        files = self.find(row, column)
        if len(files) > 1:
            problem = f"column {column!r} names {len(files):,} files: one was expected."
            raise self.fault(row, "one-file", problem)
        return files[0]


def _check_same(rows: _Rows, row: int, one: SetFiles, found: dict[str, list[str] | str | None]) -> None:
    """Refuse a row that has other references, or another source, than the set's first row."""
    first = {"reference": one.references} | {column: one.labels.get(column) for column in LABELS}
    for column, files in found.items():
        if files != first[column]:
            here, there = (_describe_files(each) for each in (files, first[column]))
            problem = f"the {column} of set {excerpt(one.name)} is {here}, but in line {one.line:,} it is {there}"
            remedy = "give all rows of a set the same, or the two test sets different names."
            raise rows.fault(row, "text-mismatch", f"{problem}: {remedy}")


def _describe_files(files: list[str] | str | None) -> str:
    names = [] if files is None else [files] if isinstance(files, str) else files
    return name_some([shown(name) for name in names]) if names else "absent"


def _check_sets(table: FileTable, sets: Sequence[SetFiles]) -> None:
    """Refuse a single set, a set that is there twice, and sets that differ in their systems."""
    first, *others = sets
    if not others:
        problem = f"has one test set, {excerpt(first.name)}: a campaign has at least two; for one, name the files with "
        raise fault(table.path, "one-set", f"{problem}--reference and --system, or call read_outputs.")
    systems = {system: one for one in reversed(sets) for system in one.systems}
    for one in sets:
        lacking = [system for system in systems if system not in one.systems]
        if lacking:
            _check_spelling(table, sets)
            names, has = name_some([excerpt(name) for name in lacking]), systems[lacking[0]]
            problem = f"set {excerpt(one.name)} has no row for {names}, which set {excerpt(has.name)} has"
            remedy = "every system is needed on every set; add the rows, or leave the system or the set out."
            raise fault(table.path, "incomplete-system", f"{problem}: {remedy}", one.line)
    seen: dict[tuple[object, ...], str] = {}
    for one in sets:
        files = (*one.references, *sorted((system, *runs) for system, runs in one.systems.items()))
        if files in seen:
            problem = f"sets {excerpt(seen[files])} and {excerpt(one.name)} have the same files"
            raise fault(table.path, "duplicate-set", f"{problem}: list each test set once.", one.line)
        seen[files] = one.name


def _match_runs(table: FileTable, sets: Sequence[SetFiles], report: Report) -> tuple[str, ...]:
    """Refuse runs that have other numbers on another set; return the systems whose files have none on some set."""
    unnamed = []
    for system in sets[0].systems:
        several = [one for one in sets if len(one.systems[system]) > 1]
        if len(several) < 2:
            continue
        numbers = [own for one in several if (own := number_runs(one.systems[system])) is not None]
        if len(numbers) < len(several):
            unnamed.append(system)
            continue
        seen: dict[int, int] = {}
        for place, (one, own) in enumerate(zip(several, numbers, strict=True)):
            first = seen.setdefault(len(own), place)
            if sorted(own) != sorted(numbers[first]):
                here, there = (_describe_runs(several[at], system, numbers[at]) for at in (place, first))
                before = f"in line {several[first].lines[system]:,} {there}"
                problem = f"system {excerpt(system)} has {here}, but {before}: {SAME_RUNS}."
                raise fault(table.path, "different-runs", problem, one.lines[system])
    if unnamed:
        message = f"{table.label}: not all file names of {name_some(unnamed)} give a run number (such as run1 or "
        message += "seed1). Their runs are therefore matched by order: check that run k is the same trained system on "
        message += "every set, or put run numbers into the file names."
        report.notice("runs-by-order", message, path=table.path, count=len(unnamed))
    return tuple(unnamed)


def _describe_runs(one: SetFiles, system: str, numbers: Sequence[int]) -> str:
    """Say which runs a set has of a system, with a file of it that shows how they are numbered."""
    first = min(range(len(numbers)), key=numbers.__getitem__)
    listed = name_some([str(number) for number in sorted(numbers)])
    return f"runs {listed} on set {excerpt(one.name)} ({shown(tell_apart(one.systems[system])[first])} ...)"


def _check_spelling(table: FileTable, sets: Sequence[SetFiles]) -> None:
    """Refuse a system whose name looks like a slip for that of another: no set has both, and fewer sets have this one.

    Where as many sets have both names, the one that comes later is taken for the slip.
    """
    rows = sorted((line, system, one.name) for one in sets for system, line in one.lines.items())
    sets_of = grouped((system, name) for _, system, name in rows)
    if (slip := find_slip(sets_of)) is None:
        return
    system, meant = slip
    odd = next(one for one in sets if one.name == sets_of[system][0])
    without = [one.name for one in sets if system not in one.systems]
    lack = f"set {excerpt(without[0])} lacks" if len(without) == 1 else f"{len(without):,} other sets lack"
    hint = f"did you mean {excerpt(meant)}?"
    problem = f"set {excerpt(odd.name)} has a system {excerpt(system)}, which {lack}, but no row for {excerpt(meant)}"
    remedy = "Every system is needed on every set; correct the name, add the rows, or leave the system or the set out."
    message, line = f"{problem}: {hint} {remedy}", odd.lines[system]
    raise fault(table.path, "incomplete-system", message, line, found=system, expected=meant, hint=hint)


def _add_notices(report: Report, own: Report, name: str) -> None:
    """Take over what was noticed of a set; what names no file says of which set it is, unless it is of all."""
    said = {one.message for one in report.notices}
    for one in own.notices:
        if one.whose is not None and one.path is not None and one.whose != shown(one.path):
            one = replace(one, whose=f"{one.whose} (set {name})")
        if one.path is not None or one.message not in said:
            report.add([one])
