"""Quotation marks in files whose columns are separated by tabs: part of the text, or added around fields.

Programs that quote, such as pandas, put a field in quotation marks that has a mark, a tab or a line break in it, and
double the marks inside; Excel quotes a field with a comma, too. Others, such as WMT's, quote nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.wording import tally

_QUOTED = re.compile('"([^"]*+(?:""[^"]*+)*+)"')
#: Columns of texts that are scored, where a quotation mark counts.
_SCORED = frozenset(("hypothesis", "reference"))
_FIELD = re.compile(f'(?:{_QUOTED.pattern}|([^"\\t\\n]*+))([\\t\\n])')


def is_quoted(lines: Sequence[str], path: str, report: Report) -> bool:
    """Tell whether quotation marks were added around fields, which a single field that is written otherwise excludes.

    Parameters
    ----------
    lines : sequence of str
        The first names the columns.
    path : str
    report : Report

    Raises
    ------
    InputError
        ``quotation-marks`` where the marks can be either, texts are scored, and neither reading was accepted.
    """
    marked = [number for number, line in enumerate(lines, start=1) if '"' in line]
    if not marked:
        return False
    n_tabs = lines[0].count("\t")
    if any(line.count("\t") != n_tabs for line in lines):
        # With tabs or line breaks in quoted fields, only rows have equal numbers of fields.
        rows = split_quoted(lines)
        if rows is None or any(len(row) != len(rows[0][1]) for _, row in rows):
            return False
        has_doubled = any('"' in field for _, row in rows for field in row)
        return not _keep(path, marked[0], report) and _remove(path, marked, len(lines), has_doubled, report)
    fields = [(number, field) for number in marked for field in lines[number - 1].split("\t") if '"' in field]
    doubled = [number for number, field in fields if _QUOTED.fullmatch(field) and '""' in field[1:-1]]
    other = next((number for number, field in fields if not _QUOTED.fullmatch(field)), None)
    if other is not None:
        if doubled and not report.accepts("literal-quotes"):
            _notice_mixture(path, doubled, other, report)
        return False
    if _keep(path, marked[0], report):
        return False
    if doubled or marked[0] == 1 or report.accepts("quoted"):
        return _remove(path, marked, len(lines), bool(doubled), report)
    line, first = fields[0]
    if not _SCORED.intersection(lines[0].split("\t")):
        message = f"{shown(path)} has {tally(len(fields), 'field')} in quotation marks (the "
        message += f"first is {excerpt(first)}). The marks were read as part of the text."
        report.notice("quotation-marks", message, path=path, line=line, count=len(fields))
        return False
    raise fault(
        path,
        "quotation-marks",
        f"all fields with quotation marks ({len(fields):,}, the first is {excerpt(first)}) have one at each end and "
        "none inside. These may be part of the text, or may have been added when the table was written: accept "
        f"'literal-quotes' to read {excerpt(first)}, or 'quoted' to read {excerpt(first[1:-1])}.",
        line,
        found=first,
    )


def _keep(path: str, line: int, report: Report) -> bool:
    """Tell whether marks are to be kept because that was accepted, and notice it."""
    if not report.accepts("literal-quotes"):
        return False
    message = f"{shown(path)} has quotation marks around fields, which were kept as part of the text, as accepted."
    report.notice("literal-quotes", message, path=path, line=line)
    return True


def _remove(path: str, marked: Sequence[int], n_lines: int, has_doubled: bool, report: Report) -> bool:
    """Notice that the marks around fields are removed; return True."""
    message = f"{shown(path)} has fields in quotation marks in {len(marked):,} of {n_lines:,} lines, the first in line "
    message += f"{marked[0]:,}"
    removed = f"he marks around fields were removed{', and doubled marks inside became one' if has_doubled else ''}"
    if report.accepts("quoted"):
        message += f". T{removed}, as accepted."
    else:
        message += f", as pandas and other programs write them: t{removed}. If they are part of the text, accept "
        message += "'literal-quotes'."
    report.notice("quoted", message, path=path, line=marked[0], count=len(marked))
    return True


def _notice_mixture(path: str, doubled: Sequence[int], other: int, report: Report) -> None:
    """Notice fields that seem to be quoted where another field shows that the file is not."""
    message = (
        f"{shown(path)}: line {doubled[0]:,} has a field that is quoted as programs quote ({len(doubled):,} in all), "
        f"but line {other:,} has a quotation mark outside such a field. So all marks were read as part of the text. If "
        "only some lines are quoted, write the table again."
    )
    report.notice("quotation-marks", message, path=path, line=doubled[0], count=len(doubled))


def split_quoted(lines: Sequence[str]) -> list[tuple[int, list[str]]] | None:
    """Split lines at tabs outside quotation marks, and leave the marks around fields out.

    Returns
    -------
    list of (int, list of str), or None
        The line in which each row begins, and its fields; None where a field is not quoted as a whole.
    """
    text = "".join(f"{line}\n" for line in lines)
    rows: list[tuple[int, list[str]]] = []
    row: list[str] = []
    position, line, first = 0, 1, 1
    while position < len(text):
        field = _FIELD.match(text, position)
        if field is None:
            return None
        quoted, plain, end = field.groups()
        row.append(plain if quoted is None else quoted.replace('""', '"'))
        position, line = field.end(), line + field[0].count("\n")
        if end == "\n":
            rows.append((first, row))
            row, first = [], line
    return rows
