"""Systems as they are given: a mapping of names, or pairs in which a name may occur again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from mtworkbench.errors import InputError
from mtworkbench.outputs.corpus import check_system_names
from mtworkbench.outputs.report import excerpt


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
