"""Writing a file so that nobody ever finds half of it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from mtworkbench.errors import InputError


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write text into a file in UTF-8; an old file stays as it was until the new one is whole.

    Raises
    ------
    InputError
        Where the file cannot be written (code ``output``).
    """
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():  # a pipe or a terminal holds nothing that could be half
            target.write_text(text, encoding="utf-8")
        else:
            _replace(target, text)
    except OSError as error:
        raise InputError(
            "output",
            f"{os.fspath(path)!r} cannot be written ({error.strerror}): name a file in a folder that exists, "
            "may be written to and has room.",
            path=os.fspath(path),
        ) from error


def _replace(target: Path, text: str) -> None:
    part = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
    try:
        with open(part, "x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(part, target.stat().st_mode & 0o777)
        os.replace(part, target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
