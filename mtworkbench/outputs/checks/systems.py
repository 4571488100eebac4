"""Systems as they are given: a mapping of names, or pairs in which a name may occur again."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import excerpt


def collect_systems(systems: Mapping[str, object] | Iterable[tuple[str, object]]) -> dict[str, list]:
    """Collect what was given for each system: a list, for a name may occur again in a list of pairs.

    Raises
    ------
    InputError
        ``systems-shape``, ``reserved-name``, ``no-systems``.
    """
    if isinstance(systems, Mapping):
        pairs = list(systems.items())
    elif isinstance(systems, Iterable) and not isinstance(systems, (str, bytes, os.PathLike)):
        pairs = list(systems)
    else:
        pairs = [systems]
    collected: dict[str, list] = {}
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(
                "systems-shape",
                f"{excerpt(pair)} is not a system with its outputs: a mapping of names to outputs was expected, such "
                "as {'base': 'base.txt', 'new': 'new.txt'}, or a list of pairs.",
            )
        name, value = pair
        check_system_names([name])
        collected.setdefault(name, []).append(value)
    check_system_names(collected)
    return collected


def flatten(values: Sequence[object]) -> list:
    """Return the files of one system, of which some were named one by one and some in lists."""
    flat: list = []
    for value in values:
        if isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike)):
            flat.extend(value)
        else:
            flat.append(value)
    return flat


def check_system_names(names: Iterable[object]) -> None:
    """Refuse names that mean the source or a reference elsewhere, or that cannot be shown.

    Raises
    ------
    InputError
        ``reserved-name``, ``no-systems``.
    """
    names = list(names)
    if not names:
        raise InputError("no-systems", "There are no systems: at least one was expected.")
    for name in names:
        if not isinstance(name, str):
            problem = "is not text"
        elif not name.strip():
            problem = "is empty"
        elif name in ("src", "ref") or name.startswith("ref:"):
            problem = "means the source or a reference in other formats"
        elif any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
            problem = "has a control character or half a surrogate pair"
        else:
            continue
        message = f"{excerpt(name)} cannot be the name of a system: it {problem}; choose another."
        raise InputError("reserved-name", message, found=str(name))
