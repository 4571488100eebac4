"""Files are written whole: whoever looks, or kills the program, finds the old file, the new one, or none."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import time
import unicodedata
from contextlib import suppress
from pathlib import Path

from mtworkbench.errors import InputError

# A temporary file that nobody has written to for an hour belongs to a program that was killed.
STALE_SECONDS = 3600.0
# What the system says where a disk, or the user's part of it, is full, or a file is larger than it may be.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
# Names that Windows keeps for devices, whatever comes after a dot.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\xb9\xb2\xb3])(?=\.|$)", re.I)


def replace_file(path: str | os.PathLike[str], content: str | bytes, *, private: bool = False) -> None:
    """Write a file in one step; one that is there already stays as it was until the new one is complete.

    Parameters
    ----------
    path : path
        A symbolic link is followed; what is not an ordinary file (a pipe, ``/dev/stdout``) is simply written to.
    content : str or bytes
        Text is written as UTF-8, its line breaks as they are.
    private : bool
        Nobody else may read or write the file, and a symbolic link is replaced.

    Raises
    ------
    InputError
        Where the file cannot be written (code ``"cannot-write"``).
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    target = Path(path) if private else Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(
            "cannot-write",
            f"{os.fspath(path)!r} is a folder, but the name of a file was expected: name a file in it.",
            path=os.fspath(path),
        )
    try:
        if not private and os.path.exists(path) and not os.path.isfile(path):
            Path(path).write_bytes(data)
        else:
            _write_beside_and_move(target, data, private)
    except OSError as error:
        remedy = "name a file in a folder that exists and that you may write to"
        if error.errno in _FULL:
            remedy = "free some space there, or name a file on another disk"
        raise InputError(
            "cannot-write",
            f"{os.fspath(path)!r} cannot be written ({error.strerror or error}): {remedy}.",
            path=os.fspath(path),
        ) from error


def make_folder(path: str | os.PathLike[str], *, private: bool = False) -> None:
    """Make a folder, and those above it, where it is missing.

    Parameters
    ----------
    path : path
    private : bool
        Nobody else may enter what is made.

    Raises
    ------
    InputError
        Where it cannot be made (code ``"cannot-write"``).
    """
    try:
        if private:
            _make_private(Path(path))
        else:
            os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise InputError(
            "cannot-write",
            f"The folder {os.fspath(path)!r} cannot be made ({error.strerror}): name one that you may write to.",
            path=os.fspath(path),
        ) from error


def move_files(source: str | os.PathLike[str], folder: str | os.PathLike[str], *, last: str) -> None:
    """Move finished files into a folder; an interrupt leaves no new file beside a list of old ones.

    All are copied into a hidden folder there first, which takes longest. Then the old list of files is removed, and
    the files take their names, the list last.

    Parameters
    ----------
    source : path
        Of a folder that has only files.
    folder : path
        Made where it is missing; files of the same names are replaced.
    last : str
        Name of the file that lists the others.

    Raises
    ------
    InputError
        Where a file or the folder cannot be written (code ``"cannot-write"``).
    """
    target = Path(folder)
    hidden = target / f".{secrets.token_hex(8)}.part"
    make_folder(hidden)
    try:
        for file in Path(source).iterdir():
            replace_file(hidden / file.name, file.read_bytes())
        _take_names(hidden, target, last)
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def _take_names(hidden: Path, target: Path, last: str) -> None:
    names = sorted((file.name for file in hidden.iterdir()), key=lambda name: (name == last, name))
    for name in names:
        if (target / name).is_dir():
            replace_file(target / name, b"")  # raises
    try:
        (target / last).unlink(missing_ok=True)
        for name in names:
            os.replace(hidden / name, target / name)
    except OSError as error:
        raise InputError(
            "cannot-write",
            f"The files in {os.fspath(target)!r} cannot be replaced ({error.strerror}): name a folder in which you may "
            "write.",
            path=os.fspath(target),
        ) from error


def name_for_file(name: str) -> str:
    """Make a system's name fit for a file name: what is not a letter, digit or one of ``_.+-`` becomes ``_``.

    So do dots at its beginning, which would hide the file. Names that Windows keeps for devices (``CON``, ``aux.x``)
    begin with ``_``. What comes after 100 characters or 200 bytes is cut off, because file systems allow 255 bytes.
    Letters with marks are composed (NFC), so that the name is the same on every file system.
    """
    fit = re.sub(r"[^\w.+-]|^\.+", "_", unicodedata.normalize("NFC", name))[:100]
    if _DEVICES.match(fit):
        fit = f"_{fit}"
    return fit.encode("utf-8")[:200].decode("utf-8", errors="ignore")


def _make_private(folder: Path) -> None:
    if not folder.parent.exists():
        _make_private(folder.parent)  # which os.makedirs makes for all
    folder.mkdir(0o700, exist_ok=True)


def _write_beside_and_move(target: Path, data: bytes, private: bool) -> None:
    beside = target.with_name(f"{_prefix(target)}{secrets.token_hex(8)}.part")
    _sweep(target)
    try:
        with open(beside, "xb", opener=_open_private if private else None) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists() and not private:
            shutil.copymode(target, beside)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _prefix(target: Path) -> str:
    """Begin the name of a temporary file: hidden, and short enough for any file system."""
    return f".{target.name[:50]}."


def _sweep(target: Path) -> None:
    """Remove temporary files of this target that killed programs have left behind; what cannot be removed stays."""
    left_behind = re.compile(re.escape(_prefix(target)) + r"[0-9a-f]{16}\.part")
    with suppress(OSError):
        for file in target.parent.iterdir():
            if left_behind.fullmatch(file.name) and time.time() - file.stat().st_mtime > STALE_SECONDS:
                file.unlink()
