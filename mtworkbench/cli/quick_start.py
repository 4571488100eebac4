"""How a command starts and ends sooner; who imports the package pays for none of this, and sees none of it."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from importlib.abc import Loader

#: A comparison makes some 180,000 objects that stay: to look for garbage among them is a tenth of its time.
MANY_OBJECTS = 200_000
#: sacreBLEU imports these for what it prints and downloads itself, which it does not do here: 0.02 seconds.
SELDOM_USED = ("portalocker", "wcwidth")
#: The library that numpy multiplies with starts a thread per core, and none of them would have work: products take one
#: thread here (see `mtworkbench.inference.weighted_sums`), and the cores are for batches of draws. 0.09 seconds of CPU.
THREADS = "OPENBLAS_NUM_THREADS"
#: What notebooks multiply in their own processes is not ours.
WITH_NOTEBOOKS = {"lab", "figures"}


def start_quickly() -> None:
    """Leave out what takes time in a process that does one thing; it is called before anything else is imported."""
    gc.set_threshold(MANY_OBJECTS, 20, 20)
    atexit.register(gc.freeze)  # the process ends without a last look for garbage
    if not WITH_NOTEBOOKS.intersection(sys.argv):
        os.environ.setdefault(THREADS, "1")
    for name in SELDOM_USED:
        _load_when_used(name)


class _Waiting(ModuleType):
    """A module that is loaded when something in it is used; that it is imported alone does not load it."""

    def __getattr__(self, name: str) -> object:
        self.__class__ = ModuleType  # type: ignore[assignment]
        cast("Loader", self.__loader__).exec_module(self)
        return getattr(self, name)


def _load_when_used(name: str) -> None:
    if name not in sys.modules and (spec := find_spec(name)) is not None:
        sys.modules[name] = module_from_spec(spec)
        sys.modules[name].__class__ = _Waiting
