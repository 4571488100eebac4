"""How kernels are compiled: on first use, and kept on disk for later processes."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache

from mtworkbench.errors import DataWarning

_warned = False


class KernelCache(FunctionCache):
    """numba's cache of a function, in which files that cannot be read or written count as missing.

    numba itself raises from the call: where the disk is full, or where a file was cut off or damaged. Such a file must
    not stop a call that needs no file.
    """

    def load_overload(self, *compiled_for: Any) -> Any:
        """Return what was compiled for these types, or None where nothing can be read."""
        try:
            return super().load_overload(*compiled_for)
        except Exception:  # noqa: BLE001 - pickle raises almost anything from damaged files
            return None

    def save_overload(self, *compiled: Any) -> None:
        """Keep what was compiled, if possible."""
        for _ in range(2):
            try:
                return super().save_overload(*compiled)
            except Exception:  # noqa: BLE001
                # Without its damaged index, the second attempt succeeds. If that fails as well, no index is left that
                # leads to old code, because numba writes the index before the code.
                with contextlib.suppress(OSError):
                    os.unlink(self._cache_file._index_path)


def kernel(function: Callable) -> Any:
    """Compile a function when it is first called, and keep what was compiled on disk.

    numba keeps it next to the module or, where that folder cannot be written to, in the user's cache folder. Where
    neither can be written to, the function is compiled anew in each process, and one `DataWarning` says so (code
    ``uncached-kernels``).
    """
    compiled = njit(nogil=True, error_model="numpy")(function)
    try:
        compiled._cache = KernelCache(function)
    except RuntimeError:  # no folder can be written to
        _warn_once()
    return compiled


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
