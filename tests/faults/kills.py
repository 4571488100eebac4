"""Programs that are killed while they write: each file is the old one, the new one or absent, never a wrong one."""

from __future__ import annotations

import io
import itertools
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

from mtworkbench import writing

from .tally import Tally, in_child, start_child, wait_for
from .written import WRITTEN, Written, find_faults, find_strays, put

#: Nothing that is written takes as many system calls.
MOST_STEPS = 100


def kill_at_each_step(folder: Path, size: int) -> Tally:
    """Kill the program before each ``size``-th of its system calls, whatever is written."""
    tally = Tally()
    for written in WRITTEN:
        old, new = {}, written.contents(1)
        for step in range(0, MOST_STEPS, size):
            put(folder, old)
            status = in_child(lambda step=step, written=written: _killed_at(step, written, folder))
            faults = find_faults(folder, old, new)
            if status == 0:  # all steps are done, and nothing was killed
                tally.require(f"{written.name}, whole", faults + find_strays(folder))
                break
            faults += [] if status == -signal.SIGKILL else [f"ended with {status}"]
            tally.count(f"{written.name}, step {step}", faults)
            if step // size % 2:  # half of the programs replace an old file
                old = written.contents(0)
        else:
            tally.require(f"{written.name}, whole", [f"it has more than {MOST_STEPS} steps, so not all were tried"])
    return tally


def kill_within_writing(folder: Path, size: int) -> Tally:
    """Kill the program when a random number of bytes has been written, and let the next one sweep up."""
    tally, draw = Tally(), np.random.default_rng(3)
    for written, old_number in itertools.product(WRITTEN, (None, 0)):
        old = {} if old_number is None else written.contents(old_number)
        new = written.contents(1)
        longest = max(map(len, new.values()))
        killed = 0
        for _ in range(100 * size):
            if killed == size:
                break
            put(folder, old)
            n_bytes, n_files = int(draw.integers(0, longest)), int(draw.integers(0, len(new)))
            status = in_child(
                lambda written=written, n_bytes=n_bytes, n_files=n_files: _killed_after(
                    n_bytes, n_files, written, folder
                )
            )
            faults = find_faults(folder, old, new)
            case = f"{written.name}, {n_bytes} bytes into file {n_files + 1}"
            if status == 0:  # the file is shorter: it was written whole, and nothing was killed
                tally.require(case, faults)
                continue
            killed += 1
            tally.count(case, faults + ([] if status == -signal.SIGKILL else [f"ended with {status}"]))
        tally.require(f"{written.name}, kills", [] if killed == size else [f"only {killed} of {size} programs died"])
        _let_age(folder)
        written.write(folder, 1)
        tally.require(f"{written.name}, the next program", find_faults(folder, new) + find_strays(folder))
    return tally


def kill_at_any_time(folder: Path, size: int) -> Tally:
    """Kill a program that writes one version after the other, from outside, at random times."""
    tally, draw = Tally(), np.random.default_rng(4)
    for written in WRITTEN:
        versions = [written.contents(number) for number in (0, 1)]
        put(folder, versions[0])
        for case in range(size):
            reading, writing_end = os.pipe()

            def write_on(written: Written = written, writing_end: int = writing_end) -> None:
                for number in itertools.count(1):
                    written.write(folder, number % 2)
                    os.write(writing_end, b".")

            child = start_child(write_on)
            os.close(writing_end)  # so that reading ends where the child does
            written_once = all(os.read(reading, 1) for _ in range(draw.integers(1, 4)))
            for _ in range(draw.integers(0, 50_000)):  # somewhere in the middle of the next one
                pass
            os.kill(child, signal.SIGKILL)
            status = wait_for(child)
            os.close(reading)
            killed = written_once and status == -signal.SIGKILL
            faults = [] if killed else [f"ended by itself, with {status}"]
            tally.count(f"{written.name}, {case + 1}", faults + find_faults(folder, *versions))
        _let_age(folder)
        written.write(folder, 1)
        tally.require(f"{written.name}, the next program", find_faults(folder, versions[1]) + find_strays(folder))
    return tally


def _killed_at(step: int, written: Written, folder: Path) -> None:
    """Write, but die before one of the system calls that replace the file."""
    write_beside = writing._write_beside_and_move

    def look(frame: Any, event: str, called: Any) -> None:
        nonlocal step
        on_a_file = isinstance(getattr(called, "__self__", None), io.IOBase)
        if event == "c_call" and (on_a_file or called.__module__ in ("posix", "io")):
            if not step:
                os.kill(os.getpid(), signal.SIGKILL)
            step -= 1

    def write_watched(target: Path, data: bytes, private: bool) -> None:
        sys.setprofile(look)
        write_beside(target, data, private)
        sys.setprofile(None)

    writing._write_beside_and_move = write_watched
    written.write(folder, 1)


def _killed_after(n_bytes: int, n_files: int, written: Written, folder: Path) -> None:
    """Write whole files, and then so many bytes of one more."""
    opened = itertools.count()

    def open_short(path: Path, mode: str, opener: Any) -> Any:
        file = open(path, mode, opener=opener)  # noqa: SIM115
        return _Short(file, n_bytes) if next(opened) == n_files else file

    writing.open = open_short  # type: ignore[attr-defined]
    written.write(folder, 1)


class _Short:
    """A file on which the program dies when so many bytes are written."""

    def __init__(self, file: Any, n_bytes: int) -> None:
        self.file, self.n_bytes = file, n_bytes

    def __enter__(self) -> _Short:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def write(self, data: bytes) -> None:
        self.file.write(data[: self.n_bytes])
        if self.n_bytes < len(data):
            self.file.flush()
            os.kill(os.getpid(), signal.SIGKILL)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def _let_age(folder: Path) -> None:
    for name in os.listdir(folder):
        os.utime(folder / name, (0, 0))
