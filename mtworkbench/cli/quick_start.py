"""How a command starts and ends sooner; who imports the package pays for none of this, and sees none of it."""

from __future__ import annotations

import atexit
import gc
import sys
from importlib import import_module
from importlib.util import LazyLoader, find_spec, module_from_spec
from types import ModuleType

SPECIAL = "scipy.special"
#: The distribution functions that this package calls: all are in one compiled module, which loads in 0.01 seconds.
DISTRIBUTIONS = {"betaincinv", "chdtrc", "chdtri", "fdtri", "ndtr", "ndtri", "stdtr", "stdtrit"}
#: sacreBLEU imports these for what it prints and downloads itself, which it does not do here: 0.02 seconds.
SELDOM_USED = ("portalocker", "wcwidth")
#: A comparison makes some 180,000 objects that stay: to look for garbage among them is a tenth of its time.
MANY_OBJECTS = 200_000


def start_quickly() -> None:
    """Leave out what takes time in a process that does one thing: it is called before anything else is imported."""
    gc.set_threshold(MANY_OBJECTS, 20, 20)
    atexit.register(gc.freeze)  # the process ends without a last look for garbage
    sys.modules.setdefault(SPECIAL, _Special(SPECIAL))
    for name in SELDOM_USED:
        _load_when_used(name)


def _load_when_used(name: str) -> None:
    """Let a module be loaded when something in it is used for the first time."""
    if name not in sys.modules and (spec := find_spec(name)) is not None and spec.loader is not None:
        spec.loader = LazyLoader(spec.loader)
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])


class _Special(ModuleType):
    """Stands for ``scipy.special``: has the distribution functions, and becomes all of it when more is asked for.

    All of it takes 0.13 seconds to load, because it looks at what other array libraries have, and at all of numpy.
    """

    def __getattr__(self, name: str) -> object:
        if name == "__path__":
            return [f"{one}/special" for one in import_module("scipy").__path__]
        if name in DISTRIBUTIONS:
            return getattr(import_module(f"{SPECIAL}._ufuncs"), name)
        if name.startswith("__"):  # what the import system asks of any module
            raise AttributeError(name)
        if sys.modules.get(SPECIAL) is self:
            del sys.modules[SPECIAL]
        whole = import_module(SPECIAL)
        self.__dict__.update(vars(whole))
        return getattr(whole, name)
