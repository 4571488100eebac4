"""The distribution functions of scipy, without the rest of `scipy.special`.

All of that takes 0.13 seconds to load, because it looks at what other array libraries have, and for that loads parts of
numpy that nobody needs here: a tenth of what a comparison of two systems takes. The functions themselves are in one
compiled module, which loads in 0.01 seconds.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from threading import active_count
from types import ModuleType
from typing import Any

import numpy as np

SPECIAL = "scipy.special"


def _load() -> Any:
    """Return what has the functions: the compiled module, or `scipy.special` where that cannot be loaded alone."""
    # Another thread could ask for scipy.special while something else has its name.
    if SPECIAL not in sys.modules and active_count() == 1:
        package = ModuleType(SPECIAL)
        package.__path__ = [os.path.join(folder, "special") for folder in import_module("scipy").__path__]
        try:
            sys.modules[SPECIAL] = package
            return import_module(f"{SPECIAL}._ufuncs")
        except ImportError:  # another version of scipy has them elsewhere
            pass
        finally:
            sys.modules.pop(SPECIAL, None)
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
