"""Sealed files in a folder of this user, each found by the key of what it holds: the cache, and the folder of a study.

A sealed file appears whole or not at all. It holds a line that names its form, a checksum of its key and content, and
the content. What somebody else may have written is not used (`mtworkbench.own_files`). Whatever else is wrong with a
file or with the folder, work goes on as if it were not there: the store remembers what to tell.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.own_files import NotOwnError, make_own_folder, read_own, tell_once
from mtworkbench.writing import replace_file


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
