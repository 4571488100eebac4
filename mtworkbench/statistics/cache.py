"""Statistics that took long to compute are kept in the user's cache folder, and found there the next time.

A file holds the statistics of one run under one metric. Its name is a digest of everything that they depend on: the
texts, the metric with its options, and the programs that compute it. It holds numbers alone, no text. Whatever is
wrong with a file or with the folder, the statistics are computed as if there were no cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.folders import user_cache_folder
from mtworkbench.metrics.protocol import Metric
from mtworkbench.metrics.versions import name_versions
from mtworkbench.statistics.arrays import read_array, write_array
from mtworkbench.writing import STALE_SECONDS, make_folder, replace_file

#: ``off``, or another folder for the files.
VARIABLE = "MTWORKBENCH_CACHE"
#: The files take at most so many bytes together; those that were not used for longest are removed first.
LIMIT = 2**30
# How much of that may be written before the folder is looked through again; no single file is larger.
_SHARE = 1 / 16
# To write a file takes some 10 ms, until it is on the disk, and to read it 1 ms. BLEU of 500 segments is not worth it.
SECONDS_WORTH_KEEPING = 0.02
_FORMAT = b"mtworkbench cached statistics 1\n"
_CHECKSUM_BYTES = 32
# More than npy's header takes.
_ARRAY_HEADER = 1024
_NAME = re.compile(r"[0-9a-f]{64}\.cached")
# As `replace_file` names temporary files beside these.
_TEMPORARY = re.compile(r"\.[0-9a-f]{50}\.[0-9a-f]{16}\.part")

# How much may still be written into a folder before it is looked through.
_room: dict[Path, float] = {}


class StatisticsCache:
    """The statistics of runs under one metric that were kept, of hypotheses with the same references.

    Parameters
    ----------
    metric : Metric
        One of this package: statistics of the user's own metrics are not kept, for their code may change.
    references : str
        Fingerprint of all references in their order, as in `TestSet`.
    """

    def __init__(self, metric: Metric, references: str):
        self._metric = metric
        self._references = references
        self._folder = find_folder()
        self._described = None if self._folder is None else _describe(metric, references)
        self._n_damaged = 0

    def find_or_compute(self, hypotheses: bytes, n_segments: int, compute: Callable[[], np.ndarray]) -> np.ndarray:
        """Return the statistics of a run: those that were kept, or those that are computed now, and kept.

        Parameters
        ----------
        hypotheses : bytes
            Digest of the texts of the run.
        n_segments : int
        compute : callable
            Returns (n_segments, n_statistics) ndarray of int64 or float64.
        """
        if self._folder is None or self._described is None:
            return compute()
        key = hashlib.sha256(self._described + hypotheses).hexdigest()
        path = self._folder / f"{key}.cached"
        found = self._read(path, key, (n_segments, len(self._metric.statistic_names)))
        if found is not None:
            return found
        started = time.perf_counter()
        values = compute()
        if time.perf_counter() - started >= SECONDS_WORTH_KEEPING:
            with suppress(InputError, OSError):  # a folder that cannot be written to keeps nothing
                write_entry(path, key, values)
        return values

    def warning(self) -> DataWarning | None:
        """Return the warning about damaged files that were found, None where all were as they should be."""
        if not self._n_damaged:
            return None
        one = self._n_damaged == 1
        message = (
            f"{'A file' if one else f'{self._n_damaged:,} files'} of {self._metric.name} statistics in the cache "
            f"folder {os.fspath(self._folder)!r} {'was' if one else 'were'} damaged and removed; the statistics "
            "were computed again. If this happens repeatedly, check the disk."
        )
        return DataWarning("damaged-cache", message, path=os.fspath(self._folder), count=self._n_damaged)

    def _read(self, path: Path, key: str, shape: tuple[int, int]) -> np.ndarray | None:
        try:
            values = read_entry(path, key, shape)
        except OSError:
            return None
        except ValueError:
            self._n_damaged += 1
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):
            os.utime(path)  # so that those that were not used for longest are the oldest
        return values


def find_folder() -> Path | None:
    """Return the folder of the files, whether or not it is there yet; None where nothing is to be kept."""
    named = os.environ.get(VARIABLE, "")
    if named.lower() == "off":
        return None
    try:
        return Path(named).expanduser() if named else user_cache_folder() / "statistics"
    except RuntimeError:  # there is no home folder
        return None


def read_entry(path: Path, key: str, shape: tuple[int, int]) -> np.ndarray:
    """Read a file of statistics that `write_entry` wrote for this key.

    Raises
    ------
    OSError
        Where there is no such file, or it cannot be read.
    ValueError
        Where it is not what was written.
    """
    if not path.is_file():  # to open a pipe would wait for whoever writes to it
        raise FileNotFoundError
    longest = len(_FORMAT) + _CHECKSUM_BYTES + _ARRAY_HEADER + 8 * shape[0] * shape[1]
    with open(path, "rb") as file:
        content = file.read(longest + 1)  # one that is longer is damaged, and may be too long for the memory
    array = content[len(_FORMAT) + _CHECKSUM_BYTES :]
    if content != _sealed(key, array):
        raise ValueError("another content than was written")
    return read_array(array, shape)


def write_entry(path: Path, key: str, values: np.ndarray) -> None:
    """Write a file of statistics, and remove others where there is no room for it.

    Raises
    ------
    InputError
        Where it cannot be written.
    """
    content = _sealed(key, write_array(values))
    if len(content) > LIMIT * _SHARE or (path.exists() and not path.is_file()):
        return
    make_folder(path.parent)
    _make_room(path.parent, len(content))
    replace_file(path, content)


def _describe(metric: Metric, references: str) -> bytes | None:
    """Return what statistics depend on beside the hypotheses, None where that is not known."""
    versions = name_versions(metric)
    if versions is None:
        return None
    described = {
        "metric": type(metric).__name__,
        "options": asdict(metric),  # not all of them are in the signature
        "signature": metric.signature,
        "versions": versions,
        "references": references,
    }
    return _FORMAT + json.dumps(described, sort_keys=True).encode()


def _sealed(key: str, array: bytes) -> bytes:
    """Return the content of a file, which begins with a checksum of the key and of the statistics."""
    checksum = hashlib.sha256(key.encode() + array).digest()
    return _FORMAT + checksum + array


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
