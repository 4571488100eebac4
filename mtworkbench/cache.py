"""What took long to compute is kept in the user's cache folder, and found there the next time.

The name of a file is a digest of everything that its content depends on: the texts, the options, and the programs that
compute it. Whatever is wrong with a file or with the folder, the work is done as if there were no cache.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.folders import user_cache_folder
from mtworkbench.writing import STALE_SECONDS, make_folder, replace_file

Kept = TypeVar("Kept")

#: ``off``, or another folder for the files.
VARIABLE = "MTWORKBENCH_CACHE"
#: The files take at most so many bytes together; those that were not used for longest are removed first.
LIMIT = 2**30
# How much of that may be written before the folder is looked through again; no single file is larger.
_SHARE = 1 / 16
# To write a file takes some 10 ms, until it is on the disk, and to read it 1 ms. BLEU of 500 segments is not worth it.
SECONDS_WORTH_KEEPING = 0.02
_FORMAT = b"mtworkbench cache 1\n"
_NAME = re.compile(r"[0-9a-f]{64}\.cached")
# As `replace_file` names temporary files beside these.
_TEMPORARY = re.compile(r"\.[0-9a-f]{50}\.[0-9a-f]{16}\.part")

# How much may still be written into a folder before it is looked through.
_room: dict[Path, float] = {}
# Whether it was said in this process that nothing can be kept: saying it once is enough.
_said = False


class Cache:
    """The files of one piece of work.

    Parameters
    ----------
    what : str
        What is kept, for messages: ``BLEU statistics``.
    """

    def __init__(self, what: str):
        self._what = what
        self._folder = find_folder()
        self._n_damaged = 0
        self._obstacle: str | None = None

    @property
    def is_on(self) -> bool:
        """Whether anything is kept at all."""
        return self._folder is not None

    def find(self, described: bytes, read: Callable[[bytes], Kept]) -> Kept | None:
        """Return what was kept, None where nothing was.

        Parameters
        ----------
        described : bytes
            Everything that it depends on.
        read : callable
            Makes it of the bytes that were kept; raises ValueError where they cannot be right.
        """
        if self._folder is None:
            return None
        path, key = _name(self._folder, described)
        try:
            found = read(read_entry(path, key))
        except OSError:
            return None
        except ValueError:
            self._n_damaged += 1
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):
            os.utime(path)  # so that those that were not used for longest are the oldest
        return found

    def make(self, described: bytes, make: Callable[[], Kept], write: Callable[[Kept], bytes]) -> Kept:
        """Return what is made now; where that takes long, it is kept, as the bytes that ``write`` makes of it."""
        started = time.perf_counter()
        made = make()
        if self._folder is not None and time.perf_counter() - started >= SECONDS_WORTH_KEEPING:
            path, key = _name(self._folder, described)
            try:
                write_entry(path, key, write(made))
            except (InputError, OSError) as error:
                cause = error.__cause__ if isinstance(error, InputError) else error
                self._obstacle = getattr(cause, "strerror", None) or str(error)
        return made

    def warnings(self) -> list[DataWarning]:
        """Return the warnings about damaged files, and about a folder that cannot be written to.

        The latter is said once in each process.
        """
        global _said
        found = []
        if self._n_damaged:
            found.append(self._warn_of_damage())
        if self._obstacle is not None and not _said:
            _said = True
            found.append(self._warn_of_obstacle(self._obstacle))
        return found

    def _warn_of_damage(self) -> DataWarning:
        folder, one = os.fspath(self._folder or ""), self._n_damaged == 1
        message = (
            f"{'A file' if one else f'{self._n_damaged:,} files'} of {self._what} in the cache folder {folder!r} "
            f"{'was' if one else 'were'} damaged and removed, and the work was done again. If this happens repeatedly, "
            "check the disk."
        )
        return DataWarning("damaged-cache", message, path=folder, count=self._n_damaged)

    def _warn_of_obstacle(self, obstacle: str) -> DataWarning:
        folder = os.fspath(self._folder or "")
        message = (
            f"Nothing can be kept in the cache folder {folder!r} ({obstacle}), so the same work will take as long the "
            f"next time: set {VARIABLE} to a folder that can be written to, or to 'off'."
        )
        return DataWarning("cache-not-written", message, path=folder)


def find_folder() -> Path | None:
    """Return the folder of the files, whether or not it is there yet; None where nothing is to be kept."""
    named = os.environ.get(VARIABLE, "")
    if named.lower() == "off":
        return None
    try:
        return Path(named).expanduser() if named else user_cache_folder() / "statistics"
    except RuntimeError:  # there is no home folder
        return None


def _name(folder: Path, described: bytes) -> tuple[Path, str]:
    """Return the file for what is described so, and the key that is its name."""
    key = hashlib.sha256(described).hexdigest()
    return folder / f"{key}.cached", key


def digest_code(*folders: Path) -> str:
    """Return a checksum of the code in some folders: between two releases it changes, the version does not."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in folders for path in folder.glob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.name}:{len(content)}:".encode())
        digest.update(content)
    return digest.hexdigest()


def read_entry(path: Path, key: str) -> bytes:
    """Read the content of a file that `write_entry` wrote for this key.

    Raises
    ------
    OSError
        Where there is no such file, or it cannot be read.
    ValueError
        Where it is not what was written.
    """
    if not path.is_file():  # to open a pipe would wait for whoever writes to it
        raise FileNotFoundError
    with open(path, "rb") as file:
        sealed = file.read(int(LIMIT * _SHARE) + 1)  # one that is longer is damaged, and may be too long for the memory
    content = sealed[len(_seal(key, b"")) :]
    if sealed != _seal(key, content):
        raise ValueError("another content than was written")
    return content


def write_entry(path: Path, key: str, content: bytes) -> None:
    """Write a file, and remove others where there is no room for it.

    Raises
    ------
    InputError, OSError
        Where it cannot be written.
    """
    sealed = _seal(key, content)
    if len(sealed) > LIMIT * _SHARE or (path.exists() and not path.is_file()):
        return
    make_folder(path.parent)
    _make_room(path.parent, len(sealed))
    replace_file(path, sealed)


def _seal(key: str, content: bytes) -> bytes:
    """Return a file with this content, which begins with a checksum of the key and of the content."""
    return _FORMAT + hashlib.sha256(key.encode() + content).digest() + content


def _make_room(folder: Path, size: int) -> None:
    """Remove the oldest files until there is room for one more of this size, and what killed programs left behind."""
    if size > _room.get(folder, 0):
        total = 0
        for _, length, path in sorted(_look_through(folder), reverse=True):
            total += length
            if total > LIMIT * (1 - _SHARE):
                with suppress(OSError):
                    os.unlink(path)
        _room[folder] = LIMIT * _SHARE
    _room[folder] -= size


def _look_through(folder: Path) -> Iterator[tuple[int, int, str]]:
    """Return the time of last use, the size and the path of each file; other files of the user's are left alone."""
    with os.scandir(folder) as files:
        for file in files:
            with suppress(OSError):  # other programs may remove it meanwhile
                if _NAME.fullmatch(file.name):
                    status = file.stat()
                    yield status.st_mtime_ns, status.st_size, file.path
                elif _TEMPORARY.fullmatch(file.name) and time.time() - file.stat().st_mtime > STALE_SECONDS:
                    os.unlink(file.path)
