"""Files that are there completely or not at all."""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from mtworkbench.errors import InputError

# A temporary file that nobody has written to for an hour belongs to a program that was killed.
STALE_SECONDS = 3600.0


def write_whole_file(path: str | os.PathLike, write: Callable[[BinaryIO], object]) -> None:
    """Write a file that replaces an old one only when it is complete.

    It is written under a temporary name in the same folder, flushed to the disk, and renamed: a program that is killed
    meanwhile leaves the old file. Temporary files that killed programs left behind are removed after an hour.

    Parameters
    ----------
    path : str or path
    write : callable
        Gets the open binary file and writes its content.

    Raises
    ------
    InputError
        ``cannot-write`` where the file cannot be written; an old file is then as it was.
    """
    name = os.fspath(path)
    target = Path(name).resolve()  # through a symbolic link, so that the link stays one
    if target.exists() and not (target.is_file() and os.access(target, os.W_OK)):
        raise InputError("cannot-write", f"{name!r} is there already and is not a file that may be written.", path=name)
    temporary = target.with_name(f"{_prefix(target)}{secrets.token_hex(8)}.partial")
    try:
        sweep_partial_files(target)
        with open(temporary, "xb") as stream:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except OSError as error:
        state = "the old file is as it was" if target.exists() else "no file was made"
        raise InputError(
            "cannot-write", f"{name!r} could not be written ({error.strerror or error}): {state}.", path=name
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def sweep_partial_files(target: Path) -> None:
    """Remove the temporary files of this target that killed programs have left behind; what cannot be, stays."""
    pattern = re.compile(re.escape(_prefix(target)) + r"[0-9a-f]{16}\.partial")
    with suppress(OSError):
        for file in target.parent.iterdir():
            if pattern.fullmatch(file.name) and time.time() - file.stat().st_mtime > STALE_SECONDS:
                file.unlink()


def _prefix(target: Path) -> str:
    """Begin the name of a temporary file: hidden, and short enough for any file system."""
    return f".{target.name[:50]}."
