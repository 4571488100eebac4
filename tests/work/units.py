"""Units of work that leave a trace, and in which things go wrong when they are told to."""

import os
import signal
from pathlib import Path

import numpy as np

from mtworkbench import InputError

NUMBERS = np.array([0.1, 0.2, 0.3])


def share(folder, **more):
    """What units share: ``folder`` is where they leave their traces, the rest says what goes wrong at which part."""
    return {"folder": str(folder), "numbers": NUMBERS, **more}


def compute(shared, part):
    """Return arrays of several types, after what goes wrong at this part."""
    folder = Path(shared["folder"])
    with open(folder / "computed", "a", encoding="ascii") as file:
        file.write(f"{part} {os.getpid()}\n")
    if part == shared.get("kill_once") and _is_first(folder / "killed"):
        if (folder / "dying").exists():  # a pipe: whoever reads it learns of this
            os.close(os.open(folder / "dying", os.O_WRONLY))
        os.kill(os.getpid(), signal.SIGKILL)
    if part == shared.get("kill_parent") and _is_first(folder / "killed"):
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()
    if part == shared.get("interrupt_all") and _is_first(folder / "interrupted"):  # as Ctrl-C does
        os.close(os.open(folder / "kept", os.O_RDONLY))  # a pipe: opens once a unit is kept
        os.killpg(0, signal.SIGINT)
        signal.pause()
    if part == shared.get("wrong"):
        raise InputError("few-units", "There are too few.", path="units.txt", line=3)
    if part == shared.get("fails"):
        return {"quotient": np.array(1 // 0)}
    if part in shared.get("wait", ()):  # until a process that came late computes one of these: it keeps the pipe open
        late = os.environ.get("CAME_LATE") == "yes"
        pipe = os.open(folder / "fifo", os.O_RDWR if late else os.O_RDONLY)
        if not late:
            os.close(pipe)
    threads = os.environ.get("OMP_NUM_THREADS", "") + os.environ.get("NUMBA_NUM_THREADS", "")
    return {
        "products": shared["numbers"] * part,
        "is_even": np.array([part % 2 == 0]),
        "single": np.float32(part) / np.arange(1, 4, dtype=np.float32),
        "name": np.array([f"Teil {part}", "ä"]),
        "threads": np.array(threads),
    }


def tell_of_the_first(folder):
    """Return progress that opens the pipe "kept", if there is one, when the first unit is kept."""

    def progress(steps):
        for step in steps:
            if step == 0 and (Path(folder) / "kept").exists():
                os.open(Path(folder) / "kept", os.O_RDWR)  # waits for nobody, and stays open
            yield step

    return progress


def fail_to_be_a_unit(shared, part):
    """Return what is no array of numbers."""
    return {"names": np.array([{}, []], dtype=object)}


def hear(shared, part):
    """Return whether Ctrl-C reaches this process."""
    return {"hears": np.array(signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ()))}


def computed_in(folder):
    """Return the parts that were computed, and the processes that did it."""
    try:
        lines = (Path(folder) / "computed").read_text(encoding="ascii").split("\n")[:-1]
    except FileNotFoundError:
        return [], set()
    return [int(line.split()[0]) for line in lines], {int(line.split()[1]) for line in lines}


def assert_same(found, expected):
    """Compare units to the last bit."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert list(one) == list(other)
        for name, array in one.items():
            if name != "threads":
                assert (array.dtype, array.shape, array.tobytes()) == (
                    other[name].dtype,
                    other[name].shape,
                    other[name].tobytes(),
                ), name


def _is_first(path):
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True
