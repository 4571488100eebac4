"""What the page of segments may be asked for, and the search for words and patterns."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import excerpt

#: What a query is where nothing else is said.
QUERY: dict[str, object] = {
    "sort": "contribution",
    "descending": True,
    "text": "",
    "pattern": False,
    "within": "",
    "document": None,
    "shortest": None,
    "longest": None,
    "flag": "",
    "flagged": "",
    "ngram": "",
    "segments": None,
    "selected": False,
}
#: What a view has besides.
LISTS = ("selection", "left_out")


def check_view(view: object) -> dict[str, object]:
    """Return a view as a dict of its own; its values are checked by `check_query` and `check_segments`.

    Raises
    ------
    InputError
        ``unknown-query`` for what is no mapping, or has what there is not.
    """
    if view is None:
        return {}
    if not isinstance(view, Mapping):
        raise InputError(
            "unknown-query", f"view is {excerpt(view)}, but a dict was expected, such as {{'sort': 'change'}}."
        )
    _check_names(view, (*QUERY, *LISTS), "a view")
    return dict(view)


def check_query(query: object, choices: Mapping[str, Sequence[str]], known: Collection[int]) -> dict[str, object]:
    """Complete a query with what it does not say, and refuse one that asks for what there is not.

    Parameters
    ----------
    query : mapping
        Some or all of `QUERY`.
    choices : mapping of str to sequence of str
        What those may be that are one of a few names.
    known : collection of int
        The numbers of all segments.

    Raises
    ------
    InputError
        ``unknown-query``, ``unknown-column``, ``not-a-switch``, ``not-a-number``, ``not-a-text``, ``not-segments``,
        ``unknown-segment``.
    """
    if not isinstance(query, Mapping):
        raise InputError(
            "unknown-query", f"The query is {excerpt(query)}, but a dict was expected, such as {{'sort': 'change'}}."
        )
    _check_names(query, tuple(QUERY), "a query")
    full = QUERY | dict(query)
    for name, possible in choices.items():
        if not isinstance(full[name], str) or full[name] not in possible:
            offered = ", ".join(repr(one) for one in possible if one)
            only = f"there are only {offered}" if offered else "there are none"
            raise InputError("unknown-column", f"{name} is {excerpt(full[name])}, but {only}.")
    for name in ("descending", "pattern", "selected"):
        if not isinstance(full[name], (bool, np.bool_)):
            raise InputError("not-a-switch", f"{name} is {excerpt(full[name])}, but True or False was expected.")
        full[name] = bool(full[name])
    for name in ("shortest", "longest"):
        if full[name] is not None:
            full[name] = _check_whole(name, full[name], 0, "a whole number of words was expected")
    for name in ("text", "document", "ngram"):
        if not isinstance(full[name], str) and not (name == "document" and full[name] is None):
            raise InputError("not-a-text", f"{name} is {excerpt(full[name])}, but a text was expected.")
    if full["segments"] is not None:
        full["segments"] = check_segments("segments", full["segments"], known)
    return full


def check_segments(name: str, given: object, known: Collection[int]) -> list[int]:
    """Return numbers of segments as a list of integers, in the order given.

    Raises
    ------
    InputError
        ``not-segments`` for what is no list of whole numbers, ``unknown-segment``.
    """
    if not isinstance(given, (list, tuple, set, frozenset, range, np.ndarray, pd.Series, pd.Index)):
        raise InputError(
            "not-segments",
            f"{name} is {excerpt(given)}, but a list of numbers of segments was expected, such as [1, 2].",
        )
    numbers = []
    for one in np.ravel(given).tolist() if isinstance(given, np.ndarray) else given:
        if isinstance(one, bool) or not isinstance(one, (int, np.integer)):
            raise InputError("not-segments", f"{name} has {excerpt(one)}, but numbers of segments were expected.")
        if one not in known:
            raise InputError("unknown-segment", f"There is no segment {one} among the {len(known):,} segments.")
        numbers.append(int(one))
    return numbers


def check_count(count: object) -> int:
    """Return how many of the first segments are meant.

    Raises
    ------
    InputError
        ``not-a-number``.
    """
    return _check_whole("first", count, 1, "a whole number of segments of at least 1 was expected")


def check_written(written: object, known: Collection[int]) -> dict[str, dict[str, str]]:
    """Return notes and tags by the number of their segment, written as a text; without those that say nothing.

    Raises
    ------
    InputError
        ``not-a-note`` for what is no note, ``unknown-segment`` for a note on a segment that there is not.
    """
    form = "a dict such as {3: {'note': 'wrong tense', 'tags': 'grammar'}} was expected"
    if not isinstance(written, Mapping):
        raise InputError("not-a-note", f"The notes are {excerpt(written)}, but {form}.")
    checked = {}
    for number, one in written.items():
        digits = isinstance(number, str) and number.isdecimal()
        [segment] = check_segments("written", [int(number) if digits else number], known)
        texts = {"note": "", "tags": ""} | (dict(one) if isinstance(one, Mapping) else {"": None})
        if len(texts) > 2 or not all(isinstance(text, str) for text in texts.values()):
            raise InputError("not-a-note", f"The note on segment {segment} is {excerpt(one)}, but {form}.")
        if any(texts.values()):
            checked[str(segment)] = texts
    return checked


def _check_names(given: Mapping[object, object], known: Sequence[str], whose: str) -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InputError(
            "unknown-query", f"There is no {excerpt(unknown[0])} in {whose}, which can have {', '.join(known)}."
        )


def _check_whole(name: str, value: Any, least: int, expected: str) -> int:
    whole = isinstance(value, (int, np.integer)) or isinstance(value, (float, np.floating)) and value.is_integer()
    if isinstance(value, bool) or not whole or value < least:
        raise InputError("not-a-number", f"{name} is {excerpt(value)}, but {expected}.")
    return int(value)


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
    return _rows_with(lambda one: wanted in one.casefold(), columns)


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
        Where the pattern is not a regular expression (``bad-pattern``).
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what a later Python might read otherwise
            search = re.compile(pattern, re.IGNORECASE).search
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError("bad-pattern", f"{pattern!r} is not a regular expression: {error}.") from None
    return _rows_with(lambda one: search(one) is not None, columns)


def _rows_with(is_found: Callable[[str], bool], columns: Sequence[Sequence[str | None]]) -> np.ndarray:
    """Tell in which rows a function finds something in at least one text."""
    rows = zip(*columns, strict=True)
    return np.fromiter((any(one is not None and is_found(one) for one in row) for row in rows), dtype=bool)
