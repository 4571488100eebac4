"""Numbers in text: written in one way only, so that none is misread."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from mtworkbench.outputs.checks.frames import is_missing
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.checks.segments import Segments

#: The pattern of a number.
NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(NUMBER)
_LIKE_A_NUMBER = re.compile(
    r"\s*[+-]?(?:[0-9][0-9.,_' \xa0]*(?:[eE][+-]?[0-9]+)?%?|nan|inf|infinity)\s*", re.I | re.ASCII
)

MISSING = "None"
#: No score is larger, and what is computed from larger numbers might not be held by a float of single precision.
LARGEST = 1e30
#: What a score may be, for `interpret_score`.
NUMBER_OR_NONE = "write a number, or None where there is no score"
# What programs and people write where there is no value, in lower case.
_NO_VALUE = {"", "-", "--", "\u2013", ".", "?", "n/a", "#n/a", "na", "<na>", "n.a.", "nan", "nil", "null", "missing"}


def interpret_number(text: str) -> float:
    """Interpret a number written with a decimal point; ``None`` is NaN.

    Raises
    ------
    ValueError
        For a decimal comma, a thousands separator, ``1_0``, ``nan``, ``inf``, ``-0``, or a number that overflows.
    """
    if text == MISSING:
        return math.nan
    if not _NUMBER.fullmatch(text):
        raise ValueError("it is not written as a number with a decimal point")
    number = float(text)
    if abs(number) > LARGEST:
        raise ValueError("it is too large for a number")
    if text == "-0":
        raise ValueError("it is a zero with a sign")
    return number


def interpret_score(lines: Segments, position: int, text: str, expected: str, *, may_be_missing: bool = True) -> float:
    """Interpret a score in a line of a file.

    Raises
    ------
    InputError
        ``bad-number``; ``expected`` ends its sentence.
    """
    try:
        score = interpret_number(text)
        if math.isnan(score) and not may_be_missing:
            raise ValueError("it is missing")
    except ValueError as error:
        problem = f"{excerpt(text)} cannot be read as a score ({error}): {expected}."
        raise lines.fault("bad-number", position, problem, found=text) from None
    return score


def finite(value: object) -> float | None:
    """Return a number of Python, such as JSON has, as a float; None where it is no number, not finite, or too large."""
    try:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST
    except OverflowError:
        return None
    return float(value) if is_number else None  # type: ignore[arg-type]


def interpret_numbers(column: Segments) -> np.ndarray | None:
    """Interpret a column of numbers, if it is one.

    Parameters
    ----------
    column : Segments
        Its texts may be numbers and truth values as well.

    Returns
    -------
    (n,) ndarray of float64, or None
        NaN where there is none; None where fewer than half of the values look like numbers: this is a column of text.

    Raises
    ------
    InputError
        ``bad-number``.
    """
    values: Sequence[object] = column.texts
    present = [value for value in values if not is_missing(value) and value != MISSING]
    if present and 2 * sum(map(_looks_like_a_number, present)) < len(present):
        return None
    numbers = np.empty(len(values))
    for position, value in enumerate(values):
        if isinstance(value, str) and _means_no_value(value):
            pandas = " (pandas does so with na_rep='None')" if value in ("", "nan", "NaN") else ""
            remedy = f"write {MISSING} where there is no value{pandas}"
            problem = f"{excerpt(value)} was found in a column of numbers: {remedy}."
            raise column.fault("bad-number", position, problem, found=excerpt(value))
        try:
            numbers[position] = _number(value)
        except (ValueError, OverflowError) as error:
            expected = f"a decimal point and no separators were expected, or {MISSING} where there is none"
            problem = f"{excerpt(value)} cannot be taken for a number ({error}): {expected}."
            raise column.fault("bad-number", position, problem, found=excerpt(value)) from None
    return numbers


def notice_numbers_in_text(column: Segments, report: Report) -> None:
    """Notice a column that was taken for text, although all its values are numbers or mean that there is none."""
    values = [value for value in column.texts if isinstance(value, str) and value != MISSING]
    positions = [i for i, value in enumerate(column.texts) if isinstance(value, str) and _means_no_value(value)]
    numbers = [value for value in values if not _means_no_value(value)]
    if not numbers or not positions or not all(map(_looks_like_a_number, numbers)):
        return
    first = positions[0]
    message = (
        f"{column.label} was taken for text, because {len(positions):,} of its {len(column):,} values are not numbers, "
        f"the first in {column.unit} {column.line(first):,}: {excerpt(column.texts[first])}; if it is a column of "
        f"numbers, write {MISSING} where there is no value."
    )
    column.notice(report, "numbers-as-text", message, first, len(positions))


def hint_at_floats(value: object) -> str:
    """Say why a whole number is written with a decimal point, where it is: pandas does so in columns with gaps."""
    text = value if isinstance(value, str) else repr(float(value)) if isinstance(value, (float, np.floating)) else ""
    if not re.fullmatch(r"-?[0-9]+\.0", text):
        return ""
    return (
        " (pandas makes whole numbers decimal where a column has gaps: fill or drop these rows, then convert the "
        "column with .astype(int))"
    )


def interpret_count(column: Segments, position: int, *, least: int) -> int:
    """Interpret a whole number, at least so large.

    Raises
    ------
    InputError
        ``bad-number``.
    """
    value: object = column.texts[position]
    if isinstance(value, str) and re.fullmatch("0|[1-9][0-9]{0,17}", value):
        value = int(value)
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and least <= value < 10**18:
        return int(value)
    problem = f"{excerpt(value)} was found where a whole number from {least} on was expected{hint_at_floats(value)}."
    raise column.fault("bad-number", position, problem, found=excerpt(value))


def _means_no_value(text: str) -> bool:
    return text.strip().lower() in _NO_VALUE


def _looks_like_a_number(value: object) -> bool:
    if isinstance(value, str):
        return _LIKE_A_NUMBER.fullmatch(value) is not None
    return isinstance(value, (int, float, np.number, np.bool_, Decimal))


def _number(value: object) -> float:
    if is_missing(value):
        return math.nan
    if isinstance(value, str):
        return interpret_number(value)
    if not isinstance(value, (int, float, np.number, np.bool_, Decimal)) or isinstance(value, np.complexfloating):
        raise ValueError(f"it is of type {type(value).__name__}")
    number = float(value)
    if math.isinf(number):
        raise ValueError("it is not finite")
    if abs(number) > LARGEST:
        raise ValueError("it is too large for a number")
    return number
