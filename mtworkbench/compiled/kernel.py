"""How kernels are compiled: on first use, and kept on disk for later processes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from numba import njit

from mtworkbench.errors import DataWarning

_warned = False


def kernel(function: Callable) -> Any:
    """Compile a function when it is first called, and keep what was compiled on disk.

    numba keeps it next to the module or, where that folder cannot be written to, in the user's cache folder. Where
    neither can be written to, the function is compiled anew in each process, and one `DataWarning` says so (code
    ``uncached-kernels``).
    """
    options = {"nogil": True, "error_model": "numpy"}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # no folder can be written to
        _warn_once()
        return njit(**options)(function)


def _warn_once() -> None:
    global _warned
    if _warned:
        return
    _warned = True
    message = (
        "numba found no folder that it can write to, so the compiled loops are compiled again each time Python starts, "
        "which takes some seconds. The results are the same. To keep the compiled loops, set the environment variable "
        "NUMBA_CACHE_DIR to a folder that can be written to."
    )
    warnings.warn(DataWarning("uncached-kernels", message), stacklevel=4)
