"""The distribution functions of scipy, without the rest of `scipy.special`.

All of that takes 0.13 seconds to load, because it looks at what other array libraries have, and for that loads parts of
numpy that nobody needs here: a tenth of what a comparison of two systems takes. The functions themselves are in one
compiled module, which loads in 0.01 seconds.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from threading import get_ident
from typing import Any

import numpy as np

from mtworkbench.waiting import WaitingModule, leave_place, take_place

SPECIAL = "scipy.special"


class _Package(WaitingModule):
    """`scipy.special`, which lets who makes it import what is in it, and nobody else."""

    def __init__(self, spec: ModuleSpec):
        super().__init__(spec)
        self._maker, self._folders = get_ident(), spec.submodule_search_locations

    def __getattr__(self, name: str) -> object:
        if name == "__path__" and get_ident() == self._maker:
            return self._folders
        return super().__getattr__(name)


def _load() -> Any:
    """Return what has the functions: the compiled module, or `scipy.special` where that cannot be loaded alone."""
    if SPECIAL not in sys.modules and (spec := find_spec(SPECIAL)) is not None:
        package = _Package(spec)
        try:
            if take_place(package):
                return import_module(f"{SPECIAL}._ufuncs")
        except ImportError:  # another version of scipy has them elsewhere
            pass
        finally:
            leave_place(package)
    return import_module(SPECIAL)


_functions = _load()
bdtr = _functions.bdtr
betaincinv = _functions.betaincinv
chdtrc, chdtri = _functions.chdtrc, _functions.chdtri
fdtri = _functions.fdtri
ndtr, ndtri = _functions.ndtr, _functions.ndtri
poch = _functions.poch
stdtr, stdtrit = _functions.stdtr, _functions.stdtrit


def binomial_range(n: int, probability: float, outside: float) -> tuple[int, int, float]:
    """Return between which counts a binomial count is, and how probably it is one of these or between them.

    Parameters
    ----------
    n : int
    probability : float
    outside : float
        How probable smaller and larger counts are together, at most: half of it on either side.
    """
    up_to = bdtr(np.arange(n + 1), n, probability)
    low, high = (int(count) for count in np.searchsorted(up_to, (outside / 2, 1 - outside / 2)))
    return low, high, float(up_to[high] - (up_to[low - 1] if low else 0.0))
