"""Disks that are full, folders that may not be written to, and several programs that write one file."""

from __future__ import annotations

import errno
import os
import resource
import select
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from mtworkbench import writing
from mtworkbench.errors import InputError

from .tally import REFUSED, Tally, in_child, start_child, wait_for
from .written import WRITTEN, Written, find_faults, find_strays, put, read_all

# Another user than root, who may write anywhere.
NOBODY = 65534


def run_out_of_room(folder: Path, size: int) -> Tally:
    """Allow files of fewer bytes than are needed: the old file stays, and one sentence says why."""
    tally, draw = Tally(), np.random.default_rng(5)
    for written in WRITTEN:
        old, new = written.contents(0), written.contents(1)
        longest = max(map(len, new.values()))
        for limit in [0, 1, longest - 1, *draw.integers(2, longest, size).tolist()]:
            put(folder, old)

            def write(written: Written = written, limit: int = limit) -> int:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
                return _write(written, folder)

            faults = _told(in_child(write)) + find_faults(folder, old, new) + find_strays(folder)
            tally.count(f"{written.name}, room for {limit} bytes", faults)
    return tally


def fail_in_the_system(folder: Path, size: int) -> Tally:
    """Let each system call fail, in ``size`` of seven ways."""
    tally = Tally()
    calls = ("open", "os.fsync", "os.replace", "shutil.copymode")
    codes = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES, errno.EFBIG, errno.EMFILE)
    for written in WRITTEN:
        old, new = written.contents(0), written.contents(1)
        for call in calls[:-1] if written.private else calls:  # nothing that is private has the mode of an old file
            for code in codes[:size]:
                put(folder, old)

                def write(written: Written = written, call: str = call, code: int = code) -> int:
                    with _failing(call, code):
                        return _write(written, folder)

                faults = _told(in_child(write)) + find_faults(folder, old, new) + find_strays(folder)
                tally.count(f"{written.name}, {call} fails with {os.strerror(code)!r}", faults)
    return tally


def write_to_locked_folder(folder: Path, size: int) -> Tally:
    """Write into a folder that may only be read; ``size`` is not used."""
    tally = Tally()
    for written in WRITTEN:
        old = written.contents(0)
        with tempfile.TemporaryDirectory() as name:  # in a place that others than its owner can reach
            locked = Path(name)
            put(locked, old)
            locked.chmod(0o555)

            def write(written: Written = written, locked: Path = locked) -> int:
                if os.geteuid() == 0:
                    os.chown(locked, NOBODY, -1)
                    os.seteuid(NOBODY)
                return _write(written, locked)

            status = in_child(write)
            locked.chmod(0o755)
            tally.count(written.name, _told(status) + find_faults(locked, old) + find_strays(locked))
    return tally


def write_at_once(folder: Path, size: int) -> Tally:
    """Let eight programs write one file: whoever reads it, ``size`` times ten, reads a whole one."""
    tally = Tally()
    for written in WRITTEN:
        versions = [written.contents(number) for number in range(8)]
        put(folder, versions[0])

        stop, to_stop = os.pipe()
        started, to_start = os.pipe()

        def write_on(
            number: int, written: Written = written, ends: tuple[int, ...] = (to_stop, to_start, stop)
        ) -> None:
            to_stop, to_start, stop = ends
            os.close(to_stop)  # so that the other end is at its end as soon as the first process closes it
            written.write(folder, number)
            os.write(to_start, b".")
            os.close(to_start)
            while not select.select([stop], [], [], 0)[0]:
                written.write(folder, number)

        children = [start_child(lambda number=number: write_on(number)) for number in range(8)]
        os.close(to_start)
        begun = [os.read(started, 1) for _ in children]  # all write before anything is read
        for reading in range(10 * size):
            tally.count(f"{written.name}, reading {reading + 1}", find_faults(folder, *versions))
        os.close(to_stop)
        statuses = [wait_for(child) for child in children]
        os.close(stop)
        os.close(started)
        faults = [] if all(begun) and statuses == [0] * 8 else [f"they ended with {statuses}"]
        tally.require(f"{written.name}, at the end", faults + find_faults(folder, *versions) + find_strays(folder))
    return tally


def _write(written: Written, folder: Path) -> int:
    """Write a new version; return how it ended, as the exit status of a program."""
    before = read_all(folder)
    try:
        written.write(folder, 1)
    except InputError as error:
        return REFUSED if error.code == "cannot-write" and str(error).isprintable() else 4
    return 0 if read_all(folder) != before else 5


def _told(status: int) -> list[str]:
    return {
        0: ["it was written all the same"],
        REFUSED: [],
        4: ["it was refused with another code"],
        5: ["nobody said that it was not written"],
    }.get(status, [f"ended with {status}"])


@contextmanager
def _failing(call: str, code: int) -> Iterator[None]:
    """Let a call of the module that writes files fail."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    module, _, name = call.rpartition(".")
    place = vars(writing)[module] if module else writing
    missing: Callable[..., object] | None = getattr(place, name, None)
    setattr(place, name, fail)
    try:
        yield
    finally:
        if missing is None:
            delattr(place, name)
        else:
            setattr(place, name, missing)
