"""The kinds of scores that frames bring: their columns, which way is better, and whether one name means one thing."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.frames import NOTES, REQUIRED_COLUMNS, TEXT_COLUMNS
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.wording import be, grouped

#: Columns of numbers that say how many people judged a segment, and are no scores.
COUNTS = ("n_raters", "n_ratings")
#: How to give a column of scores another name.
RENAME = "name one with --scores NAME=FILE (in Python, rename the column)"

_OTHER_COLUMNS = (*REQUIRED_COLUMNS, *TEXT_COLUMNS, *COUNTS, *NOTES, "run_name", "mt", "ref")


def is_taken(name: str) -> bool:
    """Tell whether a name is that of another column of outputs, or none, so that no scores can have it."""
    return not name.strip() or name in _OTHER_COLUMNS or name.startswith("reference") or name.endswith("_direction")


def number_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns that a frame of scores brings: scores, and how many people gave them.

    Raises
    ------
    InputError
        ``columns`` where there is no score.
    """
    names = [name for name in frame.columns if pd.api.types.is_float_dtype(frame[name])]
    if set(names) <= set(COUNTS):
        there = ", ".join(map(excerpt, frame.columns))
        problem = f"The scores have no column of numbers, only {there}: add a column with the scores."
        raise InputError("columns", problem, found=there)
    return names


def notice_missing(report: Report, path: str, label: str, missing: int, total: int) -> None:
    """Notice scores that a file, or several files, say are missing."""
    if missing:
        what = f"{missing:,} of {total:,} scores {be(missing)} missing. One per system and segment was expected."
        together = "{places} files of scores have {count} missing scores: {list}."
        report.notice("missing-score", f"{label}: {what}", path=path, count=missing, whose=label, together=together)


def directions_of(scores: Sequence[pd.DataFrame]) -> dict[str, str]:
    """Return which way is better for each kind of score, where readers noted it.

    A penalty and its negative may have the same name, so either all frames with a kind of score have the note, or none.

    Raises
    ------
    InputError
        ``direction``.
    """
    noted = grouped((name, _direction(frame, name)) for frame in scores for name in number_columns(frame))
    found = {name: list(dict.fromkeys(filter(None, directions))) for name, directions in noted.items()}
    for name, directions in found.items():
        _check_one_direction(name, directions)
        n_noted = sum(one is not None for one in noted[name])
        if 0 < n_noted < len(noted[name]):
            which = "one of the files says" if n_noted == 1 else "some of the files say"
            problem = f"Only {which} which way is better for {excerpt(name)}: give the others a column"
            remedy = f"'{name}_direction', too, or rename the column if they mean another score"
            raise InputError("direction", f"{problem} {remedy}.")
    return {name: directions[0] for name, directions in found.items() if directions}


def _direction(frame: pd.DataFrame, name: str) -> str | None:
    """Return the note of a frame on one kind of score; None without one."""
    note = f"{name}_direction"
    if note not in frame.columns:
        return None
    noted = frame.loc[frame[name].notna(), note]
    directions = list(dict.fromkeys(noted.dropna()))
    _check_one_direction(name, directions)
    if directions and noted.isna().any():
        problem = f"Column {excerpt(note)} is {directions[0]!r} for some scores and empty for others"
        raise InputError("direction", f"{problem}: write the same direction in all rows.", found=directions[0])
    return directions[0] if directions else None


def _check_one_direction(name: str, directions: Sequence[str]) -> None:
    if len(directions) > 1:
        one, other = directions[:2]
        problem = f"The scores of {excerpt(name)} have the directions {one!r} and {other!r}: correct one of the files."
        raise InputError("direction", problem, found=other, expected=one)


def check_models(scores: Sequence[pd.DataFrame]) -> None:
    """Refuse scores of one name from a program that was given references for some systems only.

    Models with and without references have different scales. A frame with the texts that were scored says which.

    Raises
    ------
    InputError
        ``text-mismatch``.
    """
    with_references: dict[str, bool] = {}
    for frame in scores:
        if "mt" not in frame.columns:
            continue
        for name in number_columns(frame):
            if with_references.setdefault(name, "ref" in frame.columns) != ("ref" in frame.columns):
                problem = f"Two files have scores {excerpt(name)}, but only one was scored with references"
                raise InputError("text-mismatch", f"{problem}, so they come from different models: {RENAME}.")
