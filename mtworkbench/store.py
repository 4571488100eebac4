"""What this program keeps for itself in sealed files, used only if nobody but this user can have written them.

A sealed file appears whole or not at all. It holds a line that names its form, a checksum of its key and content, and
the content. Whatever is wrong with a file or with the folder, work goes on as if it were not there: a store, such as
the cache and the folder of a study, remembers what to tell.

A checksum tells of damage, not of intent: whoever can write a file can write its checksum, too. So a file is used
only if it and each folder, from the root of what is kept down to the file, belong to this user, and no other user may
write to them. Each is opened first, and the open one is checked, so that none can be exchanged between the check and
the reading; a symbolic link below the root is not followed. Above the root nothing needs to be checked: whoever
exchanges the root can only put a folder in its place that belongs to somebody else, or one that this user has made.
Windows has other rules for who may write; there nothing is checked.

Files that the user names are input, and are read whoever wrote them.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.writing import make_folder, replace_file

# Where a list of who may write goes beyond the three classes (ACL), the bit of the group says that somebody else may.
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
# The roots that this process has told of.
_said: set[str] = set()


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


class NotOwnError(OSError):
    """A file or folder is not used, because another user may have written what is in it.

    Parameters
    ----------
    root : Path
        The folder of all that is kept.
    part : str
        What in it is not used; ``""`` if it is the root itself.
    reason : str
        A clause: ``other users may write to it (mode 775)``.
    """

    def __init__(self, root: Path, part: str, reason: str):
        super().__init__(errno.EACCES, reason)
        self.root, self.part, self.reason = root, part, reason


def read_own(root: Path, *names: str, longest: int = -1) -> bytes:
    """Read a file of this user.

    Parameters
    ----------
    root : Path
        The folder of all that is kept; a symbolic link to it is followed.
    names : str
        Of the folders below it, and of the file.
    longest : int
        Maximum number of bytes; -1 reads all.

    Raises
    ------
    NotOwnError
        Where another user may have written it, or this one may not read it.
    OSError
        Where there is no such file, or it cannot be read; FileNotFoundError only where there is none.
    """
    if not _are_users_told_apart():
        return _read_any(root.joinpath(*names), longest)
    *folders, name = names
    folder = _open_folder(root, folders)
    try:
        # To open a pipe would wait for whoever writes to it.
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except PermissionError as error:
        raise _refused(root, names) from error
    finally:
        os.close(folder)
    with open(file, "rb") as opened:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not an ordinary file")
        _check(status, root, names)
        return opened.read(longest)


def make_own_folder(root: Path, *names: str) -> Path:
    """Make a folder that only this user can enter, and those above it, where they are missing; return its path.

    Raises
    ------
    NotOwnError
        Where it, or one from the root down to it, is there and others may write to it, or this user may not read it.
    InputError
        Where it cannot be made (code ``"cannot-write"``).
    OSError
        Where it cannot be opened.
    """
    path = root.joinpath(*names)
    if _are_users_told_apart():
        # Nothing is made in a folder that is not used.
        with suppress(FileNotFoundError, NotADirectoryError):
            os.close(_open_folder(root, names))
    make_folder(path, private=True)
    if _are_users_told_apart():
        os.close(_open_folder(root, names))
    return path


def tell_once(error: NotOwnError, what: str, remedy: str) -> DataWarning | None:
    """Return a warning (code ``"not-own"``), or None if this process was told of this folder before.

    Parameters
    ----------
    error : NotOwnError
    what : str
        What the root is: ``cache folder``.
    remedy : str
        Sentences that say what to do.
    """
    root = os.fspath(error.root)
    if root in _said:
        return None
    _said.add(root)
    subject = f"{error.part!r} in the {what} {root!r}" if error.part else f"The {what} {root!r}"
    message = f"{subject} is not used, because {error.reason}. {remedy}"
    return DataWarning("not-own", message, path=root)


def _are_users_told_apart() -> bool:
    return hasattr(os, "geteuid")


def _open_folder(root: Path, names: Sequence[str]) -> int:
    """Return a descriptor of a folder below the root; this one and each above it, from the root down, was checked."""
    try:
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError as error:
        raise _refused(root, ()) from error
    try:
        _check(os.fstat(folder), root, ())
        for depth in range(1, len(names) + 1):
            below = _open_below(folder, root, names[:depth])
            os.close(folder)
            folder = below
            _check(os.fstat(folder), root, names[:depth])
    except BaseException:
        os.close(folder)
        raise
    return folder


def _open_below(folder: int, root: Path, names: Sequence[str]) -> int:
    """Return a descriptor of the last of some folders below the root; the one that it is in is open."""
    try:
        return os.open(names[-1], os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    except PermissionError as error:
        raise _refused(root, names) from error
    except OSError as error:
        # Systems differ in what they say of a link.
        if root.joinpath(*names).is_symlink():
            raise NotOwnError(root, os.path.join(*names), "it is a symbolic link") from error
        raise


def _refused(root: Path, names: Sequence[str]) -> NotOwnError:
    """Return the error of a file or folder that this user may not read."""
    reason = "you may not read it"
    with suppress(OSError):
        owner = root.joinpath(*names).lstat().st_uid
        if owner != os.geteuid():
            reason = f"it belongs to another user (number {owner}), and {reason}"
    return NotOwnError(root, os.path.join("", *names), reason)


def _check(status: os.stat_result, root: Path, names: Sequence[str]) -> None:
    part = os.path.join("", *names)
    if status.st_uid != os.geteuid():
        owner = f"it belongs to another user (number {status.st_uid}), who may have changed what is in it"
        raise NotOwnError(root, part, owner)
    if status.st_mode & _OTHERS_WRITE:
        mode = f"{stat.S_IMODE(status.st_mode):o}"
        raise NotOwnError(root, part, f"other users may write to it (mode {mode})")


def _read_any(path: Path, longest: int) -> bytes:
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "not an ordinary file")
    with open(path, "rb") as file:
        return file.read(longest)


@dataclass(eq=False)
class Store:
    """The files of one folder, which is made when the first is written.

    Parameters
    ----------
    root : Path
    form : bytes
        The first line of each file.
    called : str
        What the folder is, for messages: ``cache folder``.
    remedy : str
        Sentences that say what to do where the folder is not used.
    longest : int, optional
        No longer file is written, in bytes, and what is longer is damaged.
    make_room : callable, optional
        Called with the number of bytes before a file is written.

    Attributes
    ----------
    obstacle : str or None
        Why a file could not be written: ``No space left on device``.
    not_own : NotOwnError or None
        Why the folder or a file is not used.
    """

    root: Path
    form: bytes
    called: str
    remedy: str
    longest: int | None = None
    make_room: Callable[[int], None] | None = None
    obstacle: str | None = field(default=None, init=False)
    not_own: NotOwnError | None = field(default=None, init=False)

    def find(self, key: str, *names: str) -> bytes | None:
        """Return the content of a sealed file, or None where there is none or it is not used.

        Parameters
        ----------
        key : str
        names : str
            Of the folders below the root, and of the file.

        Raises
        ------
        OSError
            Where it cannot be read.
        ValueError
            Where it is not what was written.
        """
        # One that is longer is damaged, and may be too long for the memory.
        sealed = self.find_plain(*names, longest=-1 if self.longest is None else self.longest + 1)
        return None if sealed is None else open_seal(self.form, key, sealed)

    def find_plain(self, *names: str, longest: int = -1) -> bytes | None:
        """Return the first bytes of a file, or None where there is none or it is not used; may raise OSError."""
        try:
            return read_own(self.root, *names, longest=longest)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except NotOwnError as error:
            self.not_own = error
            return None

    def keep(self, key: str, content: bytes, *names: str) -> None:
        """Seal a content and write it, if possible."""
        self.keep_plain(seal(self.form, key, content), *names)

    def keep_plain(self, data: bytes, *names: str) -> None:
        """Write a file, if possible."""
        try:
            self.write(data, *names)
        except NotOwnError as error:
            self.not_own = error
        except (InputError, OSError) as error:
            # On Windows, a file that another program reads cannot be replaced; it is as good as this one.
            if not self.root.joinpath(*names).is_file():
                self.obstacle = name_obstacle(error)

    def write(self, data: bytes, *names: str) -> None:
        """Write a file.

        Raises
        ------
        InputError, OSError
            Where it cannot be written, or the folder is not used (`NotOwnError`).
        """
        path = self.root.joinpath(*names)
        if self.longest is not None and len(data) > self.longest:
            return
        make_own_folder(self.root, *names[:-1])
        if path.exists() and not path.is_file():
            return
        if self.make_room is not None:
            self.make_room(len(data))
        replace_file(path, data, private=True)

    def tell_not_own(self) -> DataWarning | None:
        """Return the warning that the folder or a file is not used (``"not-own"``), once per process and folder."""
        return None if self.not_own is None else tell_once(self.not_own, self.called, self.remedy)


def name_obstacle(error: Exception) -> str:
    """Return the system's words for what stands in the way of a file."""
    cause = error.__cause__ if isinstance(error, InputError) else error
    if isinstance(cause, FileExistsError):
        return "it is not a folder"
    return getattr(cause, "strerror", None) or str(error)


def seal(form: bytes, key: str, content: bytes) -> bytes:
    """Return the bytes of a file: a line that names its form, a checksum of its key and content, and the content."""
    return form + hashlib.sha256(key.encode() + content).digest() + content


def open_seal(form: bytes, key: str, sealed: bytes) -> bytes:
    """Return the content of the bytes that `seal` made with this form and key.

    Raises
    ------
    ValueError
        Where they are other bytes.
    """
    content = sealed[len(seal(form, key, b"")) :]
    if sealed != seal(form, key, content):
        raise ValueError("another content than was written")
    return content
