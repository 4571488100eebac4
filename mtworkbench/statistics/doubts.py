"""Doubts about the data in files of statistics: anybody can write one, so nothing is taken from it unchecked."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import MISSING, asdict, fields
from typing import Any

from mtworkbench.assumptions import GRAVITIES, Doubt
from mtworkbench.characters import printable

#: More doubts than this are in no file that this package has written.
MOST_DOUBTS = 10_000
_TYPES: dict[str, type] = {"tuple[str, ...]": str, "tuple[int, ...]": int, "str": str, "int": int, "bool": bool}
_FIELDS = [one for one in fields(Doubt) if one.type in _TYPES]


def describe_doubts(doubts: Iterable[Doubt], systems: Collection[str]) -> list[dict[str, Any]]:
    """Describe the doubts about some systems, also together with others, and about references; without usual values.

    Files of one system each may be merged, so each keeps what it shares with others.
    """
    kept = [one for one in doubts if not one.systems or not {*one.systems}.isdisjoint(systems)]
    usual = {one.name: one.default for one in _FIELDS}
    return [
        {name: _safe(asdict(one)[name]) for name, value in usual.items() if getattr(one, name) != value} for one in kept
    ]


def _safe(value: object) -> object:
    return printable(value) if isinstance(value, str) else list(value) if isinstance(value, tuple) else value


def read_doubts(described: object) -> tuple[Doubt, ...]:
    """Make doubts of what a file says.

    Raises
    ------
    ValueError
        Saying what is wrong.
    """
    if not isinstance(described, list) or len(described) > MOST_DOUBTS:
        raise ValueError("something other than a list of doubts, or too many of them")
    return tuple(_read_doubt(one) for one in described)


def _read_doubt(described: object) -> Doubt:
    if not isinstance(described, dict):
        raise ValueError("a doubt that is not an object")
    found: dict[str, Any] = {}
    for field in _FIELDS:
        if field.name not in described and field.default is not MISSING:
            continue
        value, kind = described.get(field.name), _TYPES[str(field.type)]
        several = str(field.type).startswith("tuple")
        parts = value if several and isinstance(value, list) else [value]
        if several is not isinstance(value, list) or not all(type(part) is kind for part in parts):
            raise ValueError(f"a doubt with a {field.name} of the wrong type")
        if kind is str and any(str(part) != printable(str(part)) for part in parts):
            raise ValueError(f"a doubt with a control character in its {field.name}")
        if kind is int and not all(0 <= int(part or 0) < 2**63 for part in parts):
            raise ValueError(f"a doubt with an impossible {field.name}")
        found[field.name] = tuple(parts) if several else value
    if found.get("gravity", GRAVITIES[0]) not in GRAVITIES:
        raise ValueError("a doubt with an unknown gravity")
    return Doubt(**found)
