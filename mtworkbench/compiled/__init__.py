"""The loops that numba compiles, in one small module for each idea.

Each of these kernels stands beside a plain function that gives the same numbers to the last bit. It runs where numba is
not installed, and the tests compare the two. A kernel takes arrays, fills arrays, and works for at most 0.2 seconds at
a time, so that an interrupt is soon answered. It calls no kernel of another module: what numba keeps on disk would miss
changes there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

from mtworkbench.errors import DataWarning
from mtworkbench.store import tell_once

#: So many seconds it takes to load numba and what it keeps on disk, in each process.
SECONDS_TO_LOAD = 0.4
#: What to do where the folder that the user has named is not used.
REMEDY = "Set NUMBA_CACHE_DIR to a folder that only you can write to."

# What the kernels would have saved in this process until now, in seconds.
_missed = 0.0
# How often as much work follows, as far as is known.
_to_come = 0
_loaded: dict[str, ModuleType | None] = {}
_warned = False


def load_kernels(name: str, *, saves: float) -> ModuleType | None:
    """Return a module of kernels, or None where the plain function is to do the work.

    Kernels are loaded when what they would have saved in this process, and will save in the work that is known to
    follow (`work_to_come`), adds up to the time that loading takes. So a small task alone does not wait for numba, and
    many small tasks in a row benefit from it. (The first use on a computer also compiles the kernels, which takes some
    seconds. Where nothing can be kept on disk, that is so in each process, and one `DataWarning` says so: code
    ``uncached-kernels``. Another one, ``not-own``, says that the folder named in ``NUMBA_CACHE_DIR`` is not used,
    because others may write to it.)

    Parameters
    ----------
    name : str
        Of the module in this folder.
    saves : float
        By how many seconds the kernel is faster than the plain function here, roughly.
    """
    global _missed
    if name not in _loaded:
        _missed += saves
        if _missed + _to_come * saves < SECONDS_TO_LOAD:
            return None
        _missed = max(_missed, SECONDS_TO_LOAD)  # with numba, the other modules take little time to load
        _loaded[name] = _import_kernels(name)
        if _loaded[name] is not None:
            _warn_if_uncached()
    return _loaded[name]


@contextmanager
def work_to_come(times: int) -> Iterator[None]:
    """Tell, for what is done within it, how often about as much follows: for other systems, by other metrics."""
    global _to_come
    before = _to_come
    _to_come += times
    try:
        yield
    finally:
        _to_come = before


def _import_kernels(name: str) -> ModuleType | None:
    try:
        return import_module(f"mtworkbench.compiled.{name}")
    except Exception:  # noqa: BLE001
        # There is no numba (ImportError), or one that fails in its own way: without its library (OSError), with a
        # newer numpy (SystemError, AttributeError), or one that is to compile nothing (NUMBA_DISABLE_JIT) ...
        return None


def _warn_if_uncached() -> None:
    global _warned
    from mtworkbench.compiled.kernel import NOT_OWN, UNCACHED

    for error in NOT_OWN:
        if warning := tell_once(error, "folder for compiled loops", REMEDY):
            warning.warn()
    if _warned or not UNCACHED:
        return
    _warned = True
    message = (
        "Compiled loops cannot be kept, because no folder was found that only you can write to. They are compiled "
        "again each time Python starts, which takes some seconds. The results are the same. To keep what is compiled, "
        "set the environment variable NUMBA_CACHE_DIR to a folder that only you can write to."
    )
    DataWarning("uncached-kernels", message).warn()
