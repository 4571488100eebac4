"""JSON, whole or line by line, as it is defined: no key twice, and no numbers such as NaN, which others misread."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from mtworkbench.outputs.checks.report import Report, excerpt, fault
from mtworkbench.outputs.files.bytes import peek
from mtworkbench.outputs.files.lines import read_rows, read_text
from mtworkbench.wording import name_some

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[{}\[\]]')


def parse_json(text: str, *, with_nan: bool = False) -> object:
    """Parse a JSON text; ``with_nan`` takes ``NaN`` for null.

    Raises
    ------
    ValueError
        Where it is not JSON, is nested too deeply, has a key twice in one object, or one of ``NaN`` and ``Infinity``.
    """

    def refuse(name: str) -> None:
        if name != "NaN" or not with_nan:
            raise ValueError(f"{name} is not a JSON number; write null for no value")

    try:
        return json.loads(text, object_pairs_hook=_refuse_double_keys, parse_constant=refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_json(path: str, report: Report, expected: str) -> object:
    """Parse the JSON of a whole file; ``expected`` ends the sentence where it is none.

    Raises
    ------
    InputError
        ``json``, and those of `read_text`.
    """
    text = read_text(path, report)
    try:
        return parse_json(text)
    except ValueError as error:
        raise fault(path, "json", f"is not JSON ({excerpt(str(error))}): {expected}.") from None


def _refuse_double_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        double = next(key for i, (key, _) in enumerate(pairs) if key in [earlier for earlier, _ in pairs[:i]])
        raise ValueError(f"the key {double!r} occurs twice")
    return found


def read_objects(path: str, report: Report, *, with_nan: bool = False) -> list[dict[str, object]]:
    """Read the object in each line of a file; see `read_rows`. ``with_nan`` takes ``NaN`` for null.

    Raises
    ------
    InputError
        ``json`` for a line that is no JSON object, and those of `read_rows`.
    """
    lines = read_rows(path, report).texts
    return [_parse(line, number, path, with_nan) for number, line in enumerate(lines, start=1)]


def _parse(line: str, number: int, path: str, with_nan: bool) -> dict[str, object]:
    try:
        parsed = parse_json(line, with_nan=with_nan)
        if isinstance(parsed, dict):
            return parsed
        problem = f"it is a {type(parsed).__name__}"
    except ValueError as error:
        problem = str(error)
    problem = f"{excerpt(line)} is not a JSON object ({excerpt(problem)}): one object per line was expected."
    raise fault(path, "json", problem, number)


def name_keys(values: Iterable[str]) -> str:
    """Name the keys of an object in a sentence."""
    return name_some(list(map(excerpt, values)) or ["none"])


def first_keys(path: str) -> set[str]:
    """Return the keys of the object that a file begins with, as far as the beginning goes; none for another file."""
    return keys_of(peek(path))


def keys_of(beginning: str) -> set[str]:
    """Return the keys of the JSON object that a text begins with, which need not be whole."""
    return set(_walk(beginning)) if beginning.lstrip()[:1] == "{" else set()


def _walk(text: str) -> Iterator[str]:
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
            if not depth:
                return
        elif token[2] and depth == 1:
            yield token[1]
