"""Segments whose texts have a word, or match a regular expression, which is given only so much time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from mtworkbench.errors import InputError

#: Seconds after which a search by a regular expression is given up.
MOST_SECONDS = 10
# Some expressions would take years for a text of a line, and nothing can stop Python's `re` while it searches in a
# thread. So it searches in a program of its own, which can be stopped.
PROGRAM = """
import json, re, sys
pattern, columns = json.load(sys.stdin)
search = re.compile(pattern, re.IGNORECASE).search
json.dump([any(text is not None and search(text) is not None for text in texts) for texts in zip(*columns)], sys.stdout)
"""


def find_text(text: str, columns: Sequence[Sequence[str | None]]) -> np.ndarray:
    """Tell in which rows at least one text has what is looked for, whatever its case.

    Parameters
    ----------
    text : str
    columns : sequence of sequence of str or None
        The texts to look into, one sequence per column; None where a row has no such text.

    Returns
    -------
    (n_rows,) ndarray of bool
    """
    wanted = text.casefold()
    return _any_row(
        any(one is not None and wanted in one.casefold() for one in row) for row in zip(*columns, strict=True)
    )


def find_pattern(pattern: str, columns: Sequence[Sequence[str | None]]) -> np.ndarray:
    """Tell in which rows at least one text matches a regular expression somewhere, whatever its case.

    Parameters
    ----------
    pattern : str
        In the syntax of Python's `re`.
    columns : sequence of sequence of str or None
        As of `find_text`.

    Returns
    -------
    (n_rows,) ndarray of bool

    Raises
    ------
    InputError
        Where the pattern is not a regular expression (``bad-pattern``), or takes too long (``slow-pattern``).
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what a later Python might read otherwise
            re.compile(pattern, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError("bad-pattern", f"{pattern!r} is not a regular expression: {error}.") from None
    question = json.dumps([pattern, [list(texts) for texts in columns]])
    try:
        answer = subprocess.run(
            [sys.executable, "-I", "-S", "-W", "ignore", "-c", PROGRAM],
            input=question,
            capture_output=True,
            text=True,
            encoding="ascii",
            timeout=MOST_SECONDS,
            check=True,
        )
    except subprocess.TimeoutExpired:
        raise InputError(
            "slow-pattern",
            f"The search for {pattern!r} was stopped after {MOST_SECONDS} seconds: this regular expression tries the "
            "same text in too many ways. Repetitions within repetitions, such as (a+)+, are the usual cause.",
        ) from None
    return np.array(json.loads(answer.stdout), dtype=bool)


def _any_row(found: Iterable[bool]) -> np.ndarray:
    return np.fromiter(found, dtype=bool)
