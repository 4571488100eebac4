"""Systems as they are given: a mapping of names to what was given for each, or pairs of these."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import excerpt

Given = TypeVar("Given")


def collect_systems(
    systems: Mapping[str, Given] | Iterable[tuple[str, Given] | str | os.PathLike[str]] | os.PathLike[str],
) -> dict[str, Given]:
    """Collect what was given for each system.

    Raises
    ------
    InputError
        ``systems-shape``, ``reserved-name``, ``no-systems``, ``duplicate-system`` for a name that occurs again.
    """
    pairs: list[Any]  # what was given may have any shape
    if isinstance(systems, Mapping):
        pairs = list(systems.items())
    elif isinstance(systems, Iterable) and not isinstance(systems, (str, bytes, os.PathLike)):
        pairs = list(systems)
    else:
        pairs = [systems]
    collected: dict[str, Given] = {}
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(
                "systems-shape",
                f"{excerpt(pair)} is not a system with its outputs: a mapping of names to outputs was expected, such "
                "as {'base': 'base.txt', 'new': 'new.txt'}, or a list of pairs.",
            )
        name, value = pair
        check_system_names([name])
        if name in collected:
            # Two runs of one system, or two systems of which one has the wrong name: nothing says which.
            raise InputError(
                "duplicate-system",
                f"The system {excerpt(name)} occurs twice, with {excerpt(collected[name])} and with {excerpt(value)}: "
                "if these are runs of one system, give them as a list; if they are different systems, give them "
                "different names.",
                found=name,
            )
        collected[name] = value
    check_system_names(collected)
    return collected


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
