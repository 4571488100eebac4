"""Where a program may keep what it can make again: the user's cache folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_cache_folder() -> Path:
    """Return mtworkbench's folder in the user's cache, whether or not it is there yet.

    It is ``mtworkbench`` in ``$XDG_CACHE_HOME`` where that is an absolute path; otherwise in ``~/.cache``, on macOS in
    ``~/Library/Caches``, on Windows in ``%LOCALAPPDATA%``.

    Raises
    ------
    RuntimeError
        Where the user has no home folder.
    """
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(cache):  # a relative path is to be ignored (XDG Base Directory Specification)
        folder = Path(cache)
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches"
    else:
        folder = Path.home() / ".cache"
    return folder / "mtworkbench"
