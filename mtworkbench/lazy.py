"""Public names that a folder imports from their modules when they are first used, as SPEC 1 has it.

The names are listed in the folder's ``__init__.pyi``, which type checkers read, too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path


@cache
def read_stub(file: str) -> dict[str, str]:
    """Return the module of each name that a stub imports: ``from a.b import c as c`` gives c the home a.b.

    Parameters
    ----------
    file : str
        The ``__init__.py`` next to the stub.
    """
    listed = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8")).body
    imports = [node for node in listed if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def list_public(package: str, file: str) -> list[str]:
    """Return the public names of a folder: those of its stub, without the folders and modules inside it."""
    homes = read_stub(file)
    return [name for name, home in homes.items() if home != package and not name.startswith("__")]


def find_public(package: str, file: str, name: str) -> object:
    """Import a public name, or a folder or module of the package that its stub names.

    Raises
    ------
    AttributeError
        Where the stub does not have the name.
    """
    if name == "__all__":
        return list_public(package, file)
    home = read_stub(file).get(name)
    if home is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)


def attach_stub(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the functions ``__getattr__`` and ``__dir__`` of a folder, by its ``__init__.pyi``."""

    def find(name: str) -> object:
        return find_public(package, file, name)

    def list_names() -> list[str]:
        return sorted({"__all__", *vars(import_module(package)), *read_stub(file)})

    return find, list_names
