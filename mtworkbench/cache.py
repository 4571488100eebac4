"""Keep what took long to compute in the user's cache folder, and find it there the next time.

The name of a file is a digest of everything that its content depends on: the texts, the options, and the programs that
compute it. Whatever is wrong with a file or with the folder, the work is done as if there were no cache (see
`mtworkbench.store`).
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from mtworkbench.errors import DataWarning
from mtworkbench.store import Store, name_obstacle, user_cache_folder
from mtworkbench.writing import STALE_SECONDS

Kept = TypeVar("Kept")

#: ``off``, or another folder for the files.
VARIABLE = "MTWORKBENCH_CACHE"
#: The files take about so many bytes together at most; those unused for longest are removed first. Each process leaves
#: room for what it writes itself, so several at a time may exceed this until one of them looks again.
LIMIT = 2**30
# How much of that may be written before the folder is looked through again; no single file is larger.
_SHARE = 1 / 16
# To write a file takes some 10 ms, until it is on the disk, and to read it 1 ms. BLEU of 500 segments is not worth it.
SECONDS_WORTH_KEEPING = 0.02
FORM = b"mtworkbench cache 1\n"
_NAME = re.compile(r"[0-9a-f]{64}\.cached")
# As `replace_file` names temporary files beside these.
_TEMPORARY = re.compile(r"\.[0-9a-f]{50}\.[0-9a-f]{16}\.part")

# What to do where it is not used.
_REMEDY = (
    f"Remove it, so that it is made again for you alone, or set {VARIABLE} to a folder of yours that nobody else may "
    "write to, or to 'off'."
)

# How much may still be written into a folder before it is looked through.
_room: dict[Path, float] = {}
# What was said in this process about a folder that cannot be written to: saying it once is enough.
_said: set[str] = set()


class Cache:
    """The files of one piece of work.

    Parameters
    ----------
    what : str
        What is kept, for messages: ``BLEU statistics``.
    """

    def __init__(self, what: str):
        self._what = what
        self._store: Store | None = None
        self._unknown: str | None = None
        try:
            if (folder := find_folder()) is not None:
                self._store = open_store(folder)
        except RuntimeError:
            self._unknown = "the home folder that it begins with is unknown"
        self._takes_long = False
        self._n_removed = 0
        self._not_removed: list[str] = []

    @property
    def is_on(self) -> bool:
        """Whether anything is to be kept."""
        return self._store is not None or self._unknown is not None

    def find(self, described: bytes, read: Callable[[bytes], Kept]) -> Kept | None:
        """Return what was kept, or None.

        Parameters
        ----------
        described : bytes
            Everything that it depends on.
        read : callable
            Makes it of the bytes that were kept; raises ValueError where they cannot be right.
        """
        if self._store is None:
            return None
        key, name = _name(described)
        path = self._store.root / name
        try:
            content = self._store.find(key, name)
            found = None if content is None else read(content)
        except OSError:
            return None
        except ValueError:
            self._remove_damaged(path)
            return None
        if found is not None:
            with suppress(OSError):
                os.utime(path)  # so that those that were not used for longest are the oldest
        return found

    def make(self, described: bytes, make: Callable[[], Kept], write: Callable[[Kept], bytes]) -> Kept:
        """Make something now, and keep it (as the bytes that ``write`` makes of it) if making it took long.

        What follows is kept, too: it may be made sooner only because the first has loaded what it needs.
        """
        started = time.perf_counter()
        made = make()
        self._takes_long |= time.perf_counter() - started >= SECONDS_WORTH_KEEPING
        if self._takes_long and self._store is not None:
            key, name = _name(described)
            self._store.keep(key, write(made), name)
        return made

    def warnings(self) -> list[DataWarning]:
        """Return the warnings about damaged files, and about a folder that cannot be written to or is not used.

        What is wrong with the folder is said once in each process.
        """
        found: list[DataWarning | None] = []
        if self._n_removed:
            found.append(self._warn_of_damage())
        if self._not_removed and "damaged-cache" not in _said:
            _said.add("damaged-cache")
            found.append(self._warn_of_damage_that_stays())
        obstacle = self._store.obstacle if self._store is not None else self._unknown if self._takes_long else None
        if obstacle is not None and "cache-not-written" not in _said:
            _said.add("cache-not-written")
            found.append(self._warn_of_obstacle(obstacle))
        if self._store is not None:
            found.append(self._store.tell_not_own())
        return [one for one in found if one is not None]

    @property
    def _named(self) -> str:
        return os.environ.get(VARIABLE, "") if self._store is None else os.fspath(self._store.root)

    def _remove_damaged(self, path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            self._not_removed.append(name_obstacle(error))
        else:
            self._n_removed += 1

    def _warn_of_damage(self) -> DataWarning:
        one = self._n_removed == 1
        message = (
            f"{'A file' if one else f'{self._n_removed:,} files'} of {self._what} in the cache folder {self._named!r} "
            f"{'was' if one else 'were'} damaged and removed, and the work was done again. If this happens repeatedly, "
            "check the disk."
        )
        return DataWarning("damaged-cache", message, path=self._named, count=self._n_removed)

    def _warn_of_damage_that_stays(self) -> DataWarning:
        count = len(self._not_removed)
        what = f"A file of {self._what} is" if count == 1 else f"{count:,} files of {self._what} are"
        message = (
            f"{what} damaged in the cache folder {self._named!r} and could not be removed ({self._not_removed[0]}), so "
            f"the work was done again: remove the folder, or set {VARIABLE} to another one or to 'off'."
        )
        return DataWarning("damaged-cache", message, path=self._named, count=count)

    def _warn_of_obstacle(self, obstacle: str) -> DataWarning:
        message = (
            f"Results could not be saved in the cache folder {self._named!r} ({obstacle}), so the same work will take "
            f"as long next time: set {VARIABLE} to a folder that you may write to, or to 'off'."
        )
        return DataWarning("cache-not-written", message, path=self._named)


def find_folder() -> Path | None:
    """Return the folder of the files, whether or not it is there yet; None where nothing is to be kept.

    Raises
    ------
    RuntimeError
        Where the folder that the user named begins with the home folder of somebody who is unknown.
    """
    named = os.environ.get(VARIABLE, "")
    if named.lower() == "off":
        return None
    if named:
        return Path(named).expanduser()
    try:
        return user_cache_folder() / "statistics"
    except RuntimeError:  # there is no home folder
        return None


def open_store(folder: Path) -> Store:
    """Return the files in a folder."""
    make_room = partial(_make_room, folder)
    return Store(folder, FORM, "cache folder", _REMEDY, int(LIMIT * _SHARE), make_room)


def _name(described: bytes) -> tuple[str, str]:
    """Return the key of what is described so, and the name of its file."""
    key = hashlib.sha256(described).hexdigest()
    return key, f"{key}.cached"


def digest_code(*folders: Path) -> str | None:
    """Return a checksum of the code in some folders, or None where it cannot be read.

    The code may change between two releases, although the version does not.
    """
    digest = hashlib.sha256()
    try:
        # Editors keep hidden files beside those that they change: `.#order.py` of Emacs leads nowhere.
        for path in sorted(path for folder in folders for path in folder.glob("[!.]*.py")):
            content = path.read_bytes()
            digest.update(f"{path.name}:{len(content)}:".encode())
            digest.update(content)
    except OSError:
        return None
    return digest.hexdigest()


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
