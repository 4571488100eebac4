"""The public names of a room of the package: a short table, then the docstring of each."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import mtworkbench
from mtworkbench import results

RESULTS = results.__name__


def write(room: str) -> str:
    """Return what a room has: what other rooms have, too, is described in one place."""
    found = list_names(room)
    rows = [f"| {{py:obj}}`{name} <{find_home(room, name)}>` | {summarize(one)} |" for name, one in found.items()]
    own = {name: find_home(room, name) for name in found if find_home(room, name).startswith(room + ".")}
    parts = ["| name | what it is |\n| --- | --- |\n" + "\n".join(rows)]
    parts += [_describe(name, home, found[name]) for name, home in own.items() if room != RESULTS or RESULTS in home]
    return "\n\n".join(parts)


@cache
def list_names(room: str) -> dict[str, object]:
    """Return the public names of a room: what it lists, or what it defines without an underscore."""
    module = import_module(room)
    found: dict[str, object] = {}
    if room == RESULTS:
        for one in iter_modules(module.__path__, f"{room}."):
            found |= {name: value for name, value in _defined(one.name).items() if inspect.isclass(value)}
    elif hasattr(module, "__all__"):
        found = {name: getattr(module, name) for name in module.__all__ if not name.startswith("_")}
    else:
        found = _defined(room)
    return {name: found[name] for name in sorted(found, key=str.lower) if not inspect.ismodule(found[name])}


def _defined(module: str) -> dict[str, object]:
    """Return what a module defines without an underscore: its functions and classes."""
    return {
        name: value
        for name, value in vars(import_module(module)).items()
        if not name.startswith("_") and (inspect.isfunction(value) or inspect.isclass(value))
        if value.__module__ == module
    }


def find_home(room: str, name: str) -> str:
    """Return where a name is described: at the front where the front has it, results where they are defined."""
    value = list_names(room)[name]
    if getattr(value, "__module__", "").startswith(f"{RESULTS}."):
        return f"{value.__module__}.{name}"
    front = list_names(mtworkbench.__name__)
    return f"{mtworkbench.__name__ if front.get(name) is value else room}.{name}"


def summarize(value: object) -> str:
    """Return the first sentence of a docstring."""
    if not callable(value):
        return "A constant."
    first = (inspect.getdoc(value) or "").split("\n\n")[0]
    return " ".join(first.replace("|", "\\|").replace("``", "`").split())


def _describe(name: str, home: str, value: object) -> str:
    """Return the heading of a name and the directive that takes in its docstring."""
    return "\n".join([f"## {name}", "", "```{eval-rst}", *_directive(home, value), "```"])


def _directive(home: str, value: object) -> Iterator[str]:
    if inspect.isclass(value):
        yield f".. autoclass:: {home}"
        yield "   :members:"
        yield "   :member-order: bysource"
    else:
        yield f".. auto{'function' if callable(value) else 'data'}:: {home}"
