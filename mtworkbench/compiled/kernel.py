"""How kernels are compiled: on first use, and kept on disk for later processes.

What is kept is a program: whoever can write such a file has it run by this user. So a file is used only where nobody
else can have written it (`mtworkbench.store`).
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config, njit
from numba.core.caching import FunctionCache, IndexDataCacheFile, UserProvidedCacheLocator
from numba.core.runtime import rtsys

from mtworkbench.errors import InputError
from mtworkbench.store import NotOwnError, Store, make_own_folder, user_cache_folder
from mtworkbench.writing import make_folder

FORM = b"mtworkbench kernel 1\n"
#: Names of the kernels that nothing keeps.
UNCACHED: list[str] = []
#: Why the folder that ``NUMBA_CACHE_DIR`` names is not used.
NOT_OWN: list[NotOwnError] = []

if config.DISABLE_JIT:
    raise ImportError("NUMBA_DISABLE_JIT is set, so numba compiles nothing.")


class CodeFiles(IndexDataCacheFile):
    """The files that hold what was compiled: one for each function and types of arguments, and no index.

    numba itself believes any file that an index names, even where a bit has changed, or where the code is that of an
    older source because saving was interrupted between the two files: machine code that computes other numbers, or
    ends the process. So each file is sealed with all that its code was compiled for.
    """

    def load(self, key: tuple) -> Any:
        """Return what was compiled for this key and this source, or None."""
        code = self._store.find(self._compiled_for(key), self._name(key))
        # As numba's own cache does: these files are programs of this user.
        return None if code is None else pickle.loads(code)

    def save(self, key: tuple, data: Any) -> None:
        """Keep what was compiled, in the place of what an older source has left."""
        self._store.keep(self._compiled_for(key), self._dump(data), self._name(key))

    @property
    def _store(self) -> Store:
        return Store(Path(self._cache_path), FORM, "folder for compiled loops", "")

    def _name(self, key: tuple) -> str:
        types_and_processor = hashlib.sha256(repr(key[:2]).encode()).digest()
        return self._data_name(int.from_bytes(types_and_processor[:8], "big"))

    def _compiled_for(self, key: tuple) -> str:
        return repr((self._version, self._source_stamp, key))


class KernelCache(FunctionCache):
    """numba's cache of a function, in which files that cannot be read or written count as missing.

    numba itself raises from the call: where the disk is full, or where a file was cut off or damaged. Such a file must
    not stop a call that needs no file.
    """

    _cache_path: str

    def __init__(self, function: Callable) -> None:
        name = UserProvidedCacheLocator.get_suitable_cache_subpath(inspect.getfile(function))
        if config.CACHE_DIR:
            with contextlib.suppress(InputError):  # numba then looks for another folder
                make_folder(Path(config.CACHE_DIR, name), private=True)
        super().__init__(function)
        self._cache_path = os.fspath(_find_own_folder(Path(self._cache_path), name))
        self._cache_file = CodeFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, types: Any, context: Any) -> Any:
        """Return what was compiled for these types, or None where nothing can be read.

        numba first loads all that it needs to compile anything, which takes 0.3 seconds. Here that waits until
        something is compiled: what was compiled needs only the memory that arrays come from.
        """
        try:
            rtsys.initialize(context)
            return self._load_overload(types, context)
        except Exception:  # noqa: BLE001 - no file, or what pickle and numba raise from one that they do not know
            return None

    def save_overload(self, *compiled: Any) -> None:
        """Keep what was compiled, if possible."""
        with contextlib.suppress(Exception):
            super().save_overload(*compiled)


def _find_own_folder(chosen: Path, name: str) -> Path:
    """Return the folder that numba has chosen; where others may write to it, one of this name in the user's cache."""
    try:
        return make_own_folder(chosen)
    except NotOwnError as error:
        if config.CACHE_DIR and chosen.is_relative_to(config.CACHE_DIR):
            NOT_OWN.append(error)
    return make_own_folder(user_cache_folder() / "compiled", name)


def kernel(function: Callable) -> Any:
    """Compile a function when it is first called, and keep what was compiled on disk.

    numba keeps it next to the module or, where that folder cannot be written to, in the user's cache folder. Where
    others may write to the folder that numba chooses, it is kept in mtworkbench's own cache folder. Where nothing can
    be kept, the function is compiled anew in each process, and is named in `UNCACHED`.
    """
    compiled = njit(nogil=True, error_model="numpy")(function)
    try:
        compiled._cache = KernelCache(function)
    except (RuntimeError, OSError, InputError):  # no folder can be written to, or others may write to each
        UNCACHED.append(function.__name__)
    return compiled
