"""Line alignment: as many segments everywhere, and each where it belongs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import Report
from mtworkbench.outputs.checks.segments import Segments


def trim_trailing_blanks(files: Sequence[Segments], report: Report) -> list[Segments]:
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
            one = replace(one, texts=one.texts[:keep], lines=lines)
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
        hint, line = _blank_hint(reference, other), None
        if hint is None and same_language:
            line, hint = _length_hint(reference, other)
        message = f"{sentence}; {hint}." if hint else f"{sentence}."
        raise InputError(
            "count-mismatch", message, path=other.path, line=line, found=found, expected=expected, hint=hint
        )


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
    position = first_departure(_lengths(reference), _lengths(other))
    if position is None:
        return None, None
    if position >= min(len(reference), len(other)):
        return None, "the lengths of the lines agree up to the end of the shorter one, so its end may be cut off"
    line = other.line(position)
    return line, f"the first {other.unit} whose length departs from the reference's is {line:,}"


def _lengths(segments: Segments) -> np.ndarray:
    return np.array([len(text or "") for text in segments.texts], dtype=np.float64)


def first_departure(reference: np.ndarray, other: np.ndarray) -> int | None:
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


_WINDOWS = 6
_WINDOW = 25
_FEWEST = 10
_RISE = 3.0
_MOST = 0.9


def notice_shifts(reference: Segments, runs: Sequence[Segments], report: Report) -> None:
    """Notice outputs that fit the reference better when moved by one line.

    Moved, they fit three times better, or nine segments of ten fit better. The fit is the overlap of character 5-grams
    (Dice), which unrelated sentences share least of all cheap measures, with white space or without. It is looked at in
    six windows of 25 segments, so that a shift in a part is seen as well.
    """
    n_segments = len(reference)
    if n_segments < _FEWEST:
        return
    size = min(_WINDOW, n_segments)
    suspected = set()
    for start in dict.fromkeys(np.linspace(0, n_segments - size, _WINDOWS).astype(int).tolist()):
        window = slice(start, start + size)
        theirs = [_five_grams(text) for text in reference.texts[window]]
        for run in runs:
            ours = [] if run in suspected else [_five_grams(text) for text in run.texts[window]]
            shift = next((shift for shift in (1, -1) if ours and _fits_better(ours, theirs, shift)), None)
            if shift is not None:
                suspected.add(run)
                _warn_of_shift(reference, run, report, start, shift)


def _fits_better(ours: list[set[str]], theirs: list[set[str]], shift: int) -> bool:
    ours, before, after = (ours[1:], theirs[1:], theirs[:-1]) if shift > 0 else (ours[:-1], theirs[:-1], theirs[1:])
    own = np.array([_overlap(a, b) for a, b in zip(ours, before, strict=True)])
    moved = np.array([_overlap(a, b) for a, b in zip(ours, after, strict=True)])
    return moved.mean() > 0.02 and (moved.mean() > _RISE * own.mean() or (moved > own).mean() >= _MOST)


def _warn_of_shift(reference: Segments, hypotheses: Segments, report: Report, start: int, shift: int) -> None:
    place = f"{hypotheses.label}, near {hypotheses.unit} {hypotheses.line(start):,}"
    what = f"the segments fit the line {'before' if shift > 0 else 'after'} theirs in {reference.label}"
    message = f"{place}: {what} much better than their own; was a line lost or added?"
    together = (
        "The segments of {places} outputs fit the line before or after theirs in the reference much better than their "
        "own, so a line may have been lost or added: {list}."
    )
    hypotheses.notice(report, "suspected-shift", message, start, None, together)


def _five_grams(text: str | None) -> set[str]:
    text = "" if text is None else " ".join(text[:2000].lower().split())
    return {text[i : i + 5] for i in range(max(1, len(text) - 4))} - {""}


def _overlap(ours: set[str], theirs: set[str]) -> float:
    total = len(ours) + len(theirs)
    return 2 * len(ours & theirs) / total if total else 0.0
