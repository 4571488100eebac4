"""Line alignment: as many segments everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from typing import TypeVar

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import Report
from mtworkbench.outputs.checks.segments import Segments, change_texts

Read = TypeVar("Read", bound=Segments)


def trim_trailing_blanks(files: Sequence[Read], report: Report) -> list[Read]:
    """Drop, where that was accepted, the empty lines at the end that keep files from being of one length.

    Where every file ends in an empty line, these are dropped too.
    """
    if not report.accepts("trailing-blank"):
        return list(files)
    length = min(map(len, files))
    excess = [min(trailing_blanks(one), len(one) - length) for one in files]
    if all(len(one) - dropped == length for one, dropped in zip(files, excess, strict=True)):
        length -= min(trailing_blanks(one) - dropped for one, dropped in zip(files, excess, strict=True))
    trimmed = []
    for one in files:
        keep = max(length, len(one) - trailing_blanks(one))
        if keep < len(one):
            message = f"{one.label} ends in empty lines, {len(one) - keep:,} of which were dropped, as accepted."
            together = "{places} files end in empty lines; {count} lines were dropped, as accepted: {list}."
            one.notice(report, "trailing-blank", message, keep, len(one) - keep, together)
            lines = None if one.lines is None else one.lines[:keep]
            one = replace(one, texts=change_texts(one.texts, itemgetter(slice(keep))), lines=lines)
        trimmed.append(one)
    return trimmed


def trailing_blanks(segments: Segments) -> int:
    """Count the empty texts at the end."""
    filled = (i for i, text in enumerate(reversed(segments.texts)) if text is None or text)
    return next(filled, len(segments))


def check_counts(reference: Segments, others: Sequence[Segments], *, same_language: bool = True) -> None:
    """Refuse a file that has not as many segments as the reference.

    Parameters
    ----------
    reference : Segments
    others : sequence of Segments
    same_language : bool
        Whether lengths may be compared to find where a line was lost.

    Raises
    ------
    InputError
        ``count-mismatch``.
    """
    for other in others:
        if len(other) == len(reference):
            continue
        units = "lines" if other.path is not None else "entries"
        found, expected = f"{len(other):,} {units}", f"{len(reference):,}"
        sentence = (
            f"{other.label} has {found} but {reference.label} has {expected}: outputs, references, sources and "
            "documents must be line-aligned"
        )
        hint, line = _nbest_hint(other) or _blank_hint(reference, other), None
        if hint is None and same_language:
            line, hint = _length_hint(reference, other)
        message = f"{sentence}; {hint}." if hint else f"{sentence}."
        raise InputError(
            "count-mismatch", message, path=other.path, line=line, found=found, expected=expected, hint=hint
        )


def _nbest_hint(other: Segments) -> str | None:
    fields = sum(1 for text in other.texts if text is not None and text.count("|||") >= 2)
    if 2 * fields < len(other) or not fields:
        return None
    return "it looks like an n-best list (fields between |||): in Python, read it with read_nbest and take first_best"


def _blank_hint(reference: Segments, other: Segments) -> str | None:
    longer, shorter = (other, reference) if len(other) > len(reference) else (reference, other)
    excess = len(longer) - len(shorter)
    if trailing_blanks(longer) < excess:
        return None
    which = "the last line is empty" if excess == 1 else f"the last {excess:,} lines are empty"
    owner = "" if longer is other else f" in {longer.label}"
    them = "it" if excess == 1 else "them"
    return f"{which}{owner}: accept 'trailing-blank' to drop {them}"


def _length_hint(reference: Segments, other: Segments) -> tuple[int | None, str | None]:
    position = first_deviation(_lengths(reference), _lengths(other))
    if position is None:
        return None, None
    if position >= min(len(reference), len(other)):
        return None, "the lengths of the lines agree up to the end of the shorter one, so its end may be cut off"
    line = other.line(position)
    return line, f"the first {other.unit} whose length departs from the reference's is {line:,}"


def _lengths(segments: Segments) -> np.ndarray:
    return np.array([len(text or "") for text in segments.texts], dtype=np.float64)


def first_deviation(reference: np.ndarray, other: np.ndarray) -> int | None:
    """Find where lines were lost or added, from the lengths of the lines.

    The position is the one that makes the ratios of lengths most alike when all lines from there on are moved back
    into place at once.

    Parameters
    ----------
    reference, other : (n,) ndarray
        Lengths in characters; the two arrays differ in length.

    Returns
    -------
    int or None
        Position, counted from 0; None where one of them is empty.
    """
    shorter, longer = sorted((reference, other), key=len)
    if not len(shorter):
        return None
    moved = longer[len(longer) - len(shorter) :]
    cost_before = np.abs(np.log((longer[: len(shorter)] + 10) / (shorter + 10)))
    cost_after = np.abs(np.log((moved + 10) / (shorter + 10)))
    cost = np.concatenate([[0.0], np.cumsum(cost_before)])
    cost[:-1] += np.cumsum(cost_after[::-1])[::-1]
    return int(np.argmin(cost))
