"""Ratings as Appraise exports them: lines of twelve fields without a heading, such as WMT24's ``esa_..._wave0.csv``.

Source: wmt-conference/wmt24-news-systems, humeval/tools.py (``load_data``) and humeval/esa_generalMT2024_wave3.csv. The
fields are user, system, segment, type, both languages, score, document, whether it is the score of a whole document,
error spans, begin and end. What does not count there does not here: types other than TGT (checks of attention),
tutorials, documents that are marked with ``#`` (incomplete or duplicate). A user's last score of a segment counts.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator

from mtworkbench.outputs.checks.report import Report, excerpt, shown
from mtworkbench.outputs.files.lines import read_rows
from mtworkbench.outputs.files.numbers import interpret_score

_FIRST_LINE = re.compile(r"[^,\n]+,[^,\n]+,[0-9]+,(TGT|BAD|REF|CHK),[a-z]{2,3},[a-z]{2,3},[0-9.]+,[^\n]+(\n|$)")
_N_FIELDS = 12
_EXPECTED = "write a number"


def is_appraise(beginning: str) -> bool:
    """Tell by its beginning whether a file is an export of Appraise."""
    return _FIRST_LINE.match(beginning.replace("\r\n", "\n")) is not None


def read_appraise(path: str, report: Report) -> Iterator[tuple[str, str, str, float]]:
    """Yield language pair, system, segment and score of each rating that counts; what does not is counted in a notice.

    Raises
    ------
    InputError
        ``score-file`` for a line of another number of fields, ``bad-number`` for a score that is none.
    """
    last: dict[tuple[str, ...], tuple[float, float]] = {}
    n_others = 0
    lines = read_rows(path, report)
    for position, text in enumerate(lines.texts):
        row = _split(text)
        if len(row) != _N_FIELDS:
            problem = f"{excerpt(text)} has {len(row):,} fields: the {_N_FIELDS} that Appraise exports were expected."
            raise lines.fault("score-file", position, problem)
        user, system, number, kind, source, target, given, document, of_document, _, _, ended = row
        if kind != "TGT" or "tutorial" in system or "#" in document or of_document == "True":
            n_others += 1
            continue
        rated = (f"{source}-{target}", system, f"{document}_#_{number}", user)
        end, score = (interpret_score(lines, position, one, _EXPECTED, may_be_missing=False) for one in (ended, given))
        last[rated] = max(last.get(rated, (-math.inf, 0.0)), (end, score))
    if n_others:
        what = "those of tutorials, of checks of attention, and of incomplete or whole documents"
        message = f"{n_others:,} ratings in {shown(path)} were left out: {what}."
        report.notice("left-out", message, path=path, count=n_others)
    for (pair, system, segment, _), (_, score) in last.items():
        yield pair, system, segment, score


def _split(line: str) -> list[str]:
    """Split a line of CSV; what is no CSV has no fields."""
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []
