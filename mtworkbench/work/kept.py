"""The folder of a study: one file per finished unit, which appears whole or not at all.

A file's name is the key of its unit. It is sealed (`mtworkbench.store`), and holds the arrays. Each array is its name
and its values in numpy's npy format, without pickles. They are not put into one npz, because an interrupt while Python
writes a zip file becomes another error. Whatever is wrong with a file, its unit is computed again.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
from numpy.lib.format import read_array, write_array

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.store import Store
from mtworkbench.work.units import Unit

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
