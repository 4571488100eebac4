"""JSON as it is defined: no key twice, and no numbers such as NaN, which others would misread."""

from __future__ import annotations

import json

from mtworkbench.outputs.checks.report import Report, excerpt, fault
from mtworkbench.outputs.files.lines import read_text


def parse_json(text: str, *, with_nan: bool = False) -> object:
    """Parse a JSON text; ``with_nan`` takes ``NaN`` for null.

    Raises
    ------
    ValueError
        Where it is not JSON, is nested too deeply, has a key twice in one object, or one of ``NaN`` and ``Infinity``.
    """
    constant = _refuse_but_nan if with_nan else _refuse_constant
    try:
        return json.loads(text, object_pairs_hook=_refuse_double_keys, parse_constant=constant)
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


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number; write null for no value")


def _refuse_but_nan(name: str) -> None:
    if name != "NaN":
        _refuse_constant(name)
