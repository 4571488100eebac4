"""The folder of a study: one file per finished unit, which appears whole or not at all.

A file's name is the key of its unit. It holds a line with the format, a checksum of the key and the content, and the
arrays. Each array is its name and its values in numpy's npy format, without pickles. They are not put into one npz,
because an interrupt while Python writes a zip file becomes another error. Whatever is wrong with a file, its unit is
computed again.
"""

from __future__ import annotations

import io
import os
import warnings
from pathlib import Path

import numpy as np
from numpy.lib.format import read_array, write_array

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.work.units import Unit
from mtworkbench.writing import make_folder, open_seal, replace_file, seal

FORMAT = b"mtworkbench unit 1\n"
LONGEST_SEED = 40
# What bytes that are not such arrays can make numpy raise.
DAMAGE = (ValueError, OSError, EOFError, MemoryError)


class UnitFolder:
    """Finished units in a folder, which is made when the first is written.

    Parameters
    ----------
    path : path
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        self._has_warned = False

    def find(self, keys: list[str]) -> list[Unit | None]:
        """Return the unit of each key, or None where it is not finished.

        Warns
        -----
        DataWarning
            ``damaged-unit``, once, where files are not what was written.
        """
        n_damaged = 0
        found: list[Unit | None] = []
        for key in keys:
            try:
                found.append(_read(self._file(key), key))
            except FileNotFoundError:
                found.append(None)
            except DAMAGE:
                found.append(None)
                n_damaged += 1
        if n_damaged:
            one = n_damaged == 1
            message = (
                f"{'A file' if one else f'{n_damaged:,} files'} in the folder of the study {os.fspath(self.path)!r} "
                f"{'is' if one else 'are'} damaged, so {'its unit is' if one else 'their units are'} computed again. "
                "If this happens repeatedly, check the disk."
            )
            warnings.warn(
                DataWarning("damaged-unit", message, path=os.fspath(self.path), count=n_damaged), stacklevel=4
            )
        return found

    def keep_seed(self, fresh: int) -> int:
        """Return the seed that is kept; where there is none, keep this one.

        Raises
        ------
        InputError
            Where what is kept is not a seed (``seed``).

        Warns
        -----
        DataWarning
            ``study-not-written`` where it cannot be kept.
        """
        path = self.path / "seed.txt"
        if not path.exists():
            self._write(path, f"{fresh}\n".encode())
            return fresh
        kept = path.read_bytes()[:LONGEST_SEED].strip() if path.is_file() else b""
        if not kept.isdigit():
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
            ``study-not-written``, once, where that cannot be done.
        """
        stream = io.BytesIO()
        for name, array in unit.items():
            write_array(stream, np.array(name), allow_pickle=False)
            write_array(stream, array, allow_pickle=False)
        self._write(self._file(key), seal(FORMAT, key, stream.getvalue()))

    def _write(self, path: Path, content: bytes) -> None:
        if path.exists() and not path.is_file():  # to write to a pipe would wait for whoever reads it
            return
        try:
            make_folder(path.parent)
            replace_file(path, content)
        except (InputError, OSError) as error:
            if not self._has_warned:
                self._has_warned = True
                warnings.warn(self._not_written(error), stacklevel=5)

    def _file(self, key: str) -> Path:
        return self.path / key[:2] / f"{key}.unit"

    def _not_written(self, error: Exception) -> DataWarning:
        cause = error.__cause__ if isinstance(error, InputError) else error
        message = (
            f"A finished unit cannot be kept in the folder of the study {os.fspath(self.path)!r} "
            f"({getattr(cause, 'strerror', None) or error}): the results are right, but if the study is interrupted, "
            "it has to compute such units again; name a folder that you may write to, on a disk with free space."
        )
        return DataWarning("study-not-written", message, path=os.fspath(self.path))


def _read(path: Path, key: str) -> Unit:
    """Read a unit.

    Raises
    ------
    FileNotFoundError
        Where there is none.
    DAMAGE
        Where it is not what was written.
    """
    if not path.exists():
        raise FileNotFoundError
    if not path.is_file():  # to open a pipe would wait for whoever writes to it
        raise ValueError("not a file")
    content = open_seal(FORMAT, key, path.read_bytes())
    stream, unit = io.BytesIO(content), {}
    while stream.tell() < len(content):
        name = str(read_array(stream, allow_pickle=False))
        unit[name] = read_array(stream, allow_pickle=False)
    return unit
