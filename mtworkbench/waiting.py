"""Modules that wait, which importing does not load, but using what is in them does; and modules that are hidden."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from threading import Lock
from types import ModuleType

# Held for a moment only, and never while something is loaded.
_PLACES = Lock()
_HIDDEN: set[str] = set()


class WaitingModule(ModuleType):
    """Stands in the place of a module until something in the module is used.

    Then the module itself takes the place: Python imports it, and sees to other threads. Who has kept what stood there
    before finds the same in it.

    Parameters
    ----------
    spec : importlib.machinery.ModuleSpec
        Where the module is found.
    """

    def __init__(self, spec: ModuleSpec):
        super().__init__(spec.name)
        self.__spec__ = spec

    def __getattr__(self, name: str) -> object:
        leave_place(self)
        return getattr(import_module(self.__name__), name)


def take_place(module: WaitingModule) -> bool:
    """Let a module wait for its use, and return True; False where it is loaded already."""
    return sys.modules.setdefault(module.__name__, module) is module


def leave_place(module: WaitingModule) -> None:
    """Let the next import load the module."""
    with _PLACES:
        if sys.modules.get(module.__name__) is module:
            del sys.modules[module.__name__]


def hide(name: str) -> None:
    """Let other packages do without a module, as where it is not installed, unless it is loaded already."""
    if name not in sys.modules:
        _HIDDEN.add(name)
        sys.modules[name] = None  # type: ignore[assignment]


def show_again(name: str) -> None:
    """Let a module be imported, if it was hidden."""
    with _PLACES:
        if name in _HIDDEN:
            _HIDDEN.remove(name)
            del sys.modules[name]
