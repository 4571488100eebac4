"""The folder of a study: one file per finished unit, which appears whole or not at all.

A file's name is the key of its unit. It is sealed (`mtworkbench.store`), and holds the arrays. Each array is its name
and its values in numpy's npy format, without pickles. They are not put into one npz, because an interrupt while Python
writes a zip file becomes another error. Whatever is wrong with a file, its unit is computed again.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import read_array, write_array

from mtworkbench.cache import digest_code
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.store import Store
from mtworkbench.version import __version__
from mtworkbench.work.units import Unit

# The code that may change a result. What shows it, or keeps it, is not among this.
ROOMS = ("compiled", "metrics", "statistics", "results", "inference", "analyses", "papers")


def digest_unit(
    compute: Callable[..., object],
    shared: object,
    parts: Sequence[object],
    reads: Callable[[Any, Any], Sequence[object]] | None = None,
) -> list[str]:
    """Return a key for each part: a SHA-256 of the function, the program, the shared data and the part.

    With ``reads``, only those of the shared data count that ``reads(shared, part)`` returns.

    Raises
    ------
    InputError
        As `digest`.
    """
    head = f"{compute.__module__}.{compute.__qualname__}:{digest_program()}:"
    read = [[shared] if reads is None else reads(shared, part) for part in parts]
    digests = {place: digest(one) for place, one in {id(one): one for ones in read for one in ones}.items()}
    return [
        hashlib.sha256(f"{head}{':'.join(digests[id(one)] for one in ones)}:{digest(part)}".encode()).hexdigest()
        for ones, part in zip(read, parts, strict=True)
    ]


@lru_cache
def digest_program() -> str:
    """Return what stands for the version of this package, and for its code, which may change between two versions."""
    package = Path(__file__).parent.parent
    folders = [path for room in ROOMS for path in (package / room).glob("**/") if path.name != "__pycache__"]
    return f"{__version__}:{digest_code(package, *sorted(folders)) or 'unknown'}"


def digest(value: object) -> str:
    """Return the SHA-256 of a value's content.

    Parameters
    ----------
    value : object
        None, a number, a text, bytes, an array, a list, a tuple, a mapping or a dataclass, or made of these. The
        fields of a dataclass count that are given to make one and that are compared. The order of a mapping counts.

    Raises
    ------
    InputError
        Where the value is anything else (``no-digest``).
    """
    found = hashlib.sha256()
    for piece in _encode(value):
        found.update(piece)
    return found.hexdigest()


def _encode(value: object) -> Iterator[bytes | memoryview]:
    """Yield bytes that no other value has."""
    if value is None or isinstance(value, (bool, int, float)):
        yield _head(value, repr(value))
    elif isinstance(value, (str, bytes)):
        content = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        yield _head(value, len(content))
        yield content
    elif isinstance(value, (np.ndarray, np.generic)):
        yield from _encode_array(np.asarray(value))
    elif isinstance(value, Mapping):
        yield _head({}, len(value))
        for pair in value.items():
            yield from _encode(pair)
    elif isinstance(value, (list, tuple)):
        yield _head(value, len(value))
        for one in value:
            yield from _encode(one)
    elif is_dataclass(value) and not isinstance(value, type):
        names = [one.name for one in fields(value) if one.init and one.compare]
        yield _head(value, len(names))
        for name in names:
            yield from _encode((name, getattr(value, name)))
    else:
        raise InputError(
            "no-digest",
            f"A study cannot tell whether a {type(value).__name__} is the same as the last time: numbers, texts, "
            "arrays, lists and dataclasses of these were expected; make it a dataclass.",
        )


def _encode_array(array: np.ndarray) -> Iterator[bytes | memoryview]:
    if array.dtype.kind == "O":
        yield _head(array, array.shape)
        for one in array.ravel():
            yield from _encode(one)
        return
    if sys.byteorder == "big":
        array = array.astype(array.dtype.newbyteorder("<"))
    yield _head(array, (array.dtype.str, array.shape))
    yield np.ascontiguousarray(array).data if array.dtype.kind in "biuf" else array.tobytes()


def _head(value: object, content: object) -> bytes:
    return f"{type(value).__module__}.{type(value).__qualname__}:{content};".encode()


FORMAT = b"mtworkbench unit 1\n"
SEED = "seed.txt"
LONGEST_SEED = 40
# What bytes that are not such arrays can make numpy raise.
DAMAGE = (ValueError, OSError, EOFError, MemoryError)
# What to do where a folder is not used.
REMEDY = (
    "The results are right, but an interrupted study has to compute again what is not kept. Name another folder, or, "
    "if you trust its content, copy the folder of the study (cp -rL), run 'chmod -R go-w' on the copy and name the "
    "copy."
)


class UnitFolder:
    """Finished units in a folder, which is made when the first is written.

    Parameters
    ----------
    path : path
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        self._store = Store(self.path, FORMAT, "folder of the study", REMEDY)
        self._has_warned = False

    def find(self, keys: list[str]) -> list[Unit | None]:
        """Return the unit of each key, or None where it is not finished.

        Warns
        -----
        DataWarning
            ``damaged-unit``, once, where files are not what was written; ``not-own`` where others may have written
            them, or this user may not read them.
        """
        n_damaged = 0
        found: list[Unit | None] = []
        for key in keys:
            try:
                content = self._store.find(key, *_file(key))
                found.append(None if content is None else _read_arrays(content))
            except DAMAGE:
                found.append(None)
                n_damaged += 1
        self._tell()
        if n_damaged:
            one = n_damaged == 1
            message = (
                f"{'A file' if one else f'{n_damaged:,} files'} in the folder of the study {os.fspath(self.path)!r} "
                f"{'is' if one else 'are'} damaged, so {'its unit is' if one else 'their units are'} computed again. "
                "If this happens repeatedly, check the disk."
            )
            DataWarning("damaged-unit", message, path=os.fspath(self.path), count=n_damaged).warn()
        return found

    def keep_seed(self, fresh: int) -> int:
        """Return the seed that is kept; where there is none, keep this one.

        Raises
        ------
        InputError
            Where what is kept is not a seed, or is a symbolic link (``seed``).

        Warns
        -----
        DataWarning
            ``study-not-written`` where it cannot be kept; ``not-own`` where others may have written it.
        """
        path = self.path / SEED
        try:
            kept = self._store.find_plain(SEED, longest=LONGEST_SEED + 1)
        except OSError as error:
            if path.is_symlink():
                raise InputError(
                    "seed",
                    f"{os.fspath(path)!r} cannot be used, because it is a symbolic link: replace it by a copy, or "
                    "give a seed.",
                    path=os.fspath(path),
                ) from error
            kept = b""
        if kept is None:
            self._store.keep_plain(f"{fresh}\n".encode(), SEED)
            self._tell()
            return fresh
        if not kept.strip().isdigit() or len(kept) > LONGEST_SEED:
            raise InputError(
                "seed",
                f"{os.fspath(path)!r} should have the seed of the study, a whole number, but it has {kept[:20]!r}: "
                "remove this file, or give a seed.",
                path=os.fspath(path),
            )
        return int(kept)

    def keep(self, key: str, unit: Unit) -> None:
        """Write a unit.

        Warns
        -----
        DataWarning
            ``study-not-written``, once, where that cannot be done; ``not-own`` where the folder is not used.
        """
        stream = io.BytesIO()
        for name, array in unit.items():
            write_array(stream, np.array(name), allow_pickle=False)
            write_array(stream, array, allow_pickle=False)
        self._store.keep(key, stream.getvalue(), *_file(key))
        self._tell()

    def _tell(self) -> None:
        """Warn of what the store has met, once."""
        if warning := self._store.tell_not_own():
            warning.warn()
        if self._store.obstacle is not None and not self._has_warned:
            self._has_warned = True
            self._not_written(self._store.obstacle).warn()

    def _not_written(self, obstacle: str) -> DataWarning:
        message = (
            f"A finished unit cannot be kept in the folder of the study {os.fspath(self.path)!r} ({obstacle}): the "
            "results are right, but if the study is interrupted, it has to compute such units again; name a folder "
            "that you may write to, on a disk with free space."
        )
        return DataWarning("study-not-written", message, path=os.fspath(self.path))


def _read_arrays(content: bytes) -> Unit:
    """Read the arrays of a unit; raises one of `DAMAGE` where they are none."""
    stream, unit = io.BytesIO(content), {}
    while stream.tell() < len(content):
        name = str(read_array(stream, allow_pickle=False))
        unit[name] = read_array(stream, allow_pickle=False)
    return unit


def _file(key: str) -> tuple[str, str]:
    """Return the names of the folder and the file of a unit."""
    return key[:2], f"{key}.unit"
