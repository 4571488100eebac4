"""One unit of work: a function of shared data and of a small part, whose result is a few arrays by their names."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.version import __version__

#: What a unit of work computes.
Unit = dict[str, np.ndarray]
Compute = Callable[[Any, Any], Unit]
# A part is named by at most so many characters.
LONGEST_NAME = 60
# How often a worker process looks whether the program that started it is still there, in seconds.
LOOKS_EVERY = 0.5

# The function and the data of a worker process on this machine, which come once.
_here: list[Any] = []


def compute_unit(compute: Compute, shared: Any, part: Any) -> Unit:
    """Compute a unit in this process.

    Raises
    ------
    TypeError
        Where a unit is not as it should be.
    """
    return {name: _check_array(name, np.asarray(array)) for name, array in compute(shared, part).items()}


def compute_for_another(compute: Compute, shared: Any, part: Any) -> Unit:
    """Compute a unit for another process, where no traceback of this one can be seen.

    Raises
    ------
    InputError
        As the function raises it; ``unit-failed`` in place of any other exception.
    MemoryError
    """
    try:
        return compute_unit(compute, shared, part)
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise InputError(
            "unit-failed",
            f"The unit {name_part(part)} of the study failed with {type(error).__name__} ({error}): to see where, "
            "compute it in one process, without workers.",
        ) from error


def name_part(part: object) -> str:
    """Name a part in a sentence."""
    name = repr(part)
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."


def pack(compute: Compute, shared: Any) -> bytes:
    """Pack what every unit needs, to be sent once to each process.

    Raises
    ------
    InputError
        Where it cannot be sent (``cannot-send``).
    """
    try:
        return pickle.dumps((__version__, compute, shared), protocol=5)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise InputError(
            "cannot-send",
            f"The work cannot be sent to other processes ({error}): functions and classes at the top of a module were "
            "expected.",
        ) from error


def unpack(packed: bytes) -> tuple[Compute, Any]:
    """Unpack what `pack` has packed for this process.

    Raises
    ------
    InputError
        Where another version of this package has packed it (``worker-version``), or this process lacks what it is made
        of (``cannot-send``).
    """
    try:
        version, compute, shared = pickle.loads(packed)
    except (ImportError, AttributeError) as error:
        raise InputError(
            "cannot-send",
            f"A worker cannot read the work ({error}): it needs the same modules and packages as the process that "
            "sends it.",
        ) from error
    check_version(version)
    return compute, shared


def check_version(version: str) -> None:
    """Refuse to work for a study of another version of this package, whose numbers may differ."""
    if version != __version__:
        raise InputError(
            "worker-version",
            f"A worker has mtworkbench {__version__}, but the study is one of mtworkbench {version}: "
            "install the same version for all workers.",
        )


def begin_here(packed: bytes, parent: int) -> None:
    """Prepare a worker process of this machine for the process with this number, which has started it."""
    # Ctrl-C reaches every process of a terminal; the one that started this process stops it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _here[:] = [packed]


def compute_here(part: Any) -> Unit:
    """Compute a unit in a worker process of this machine."""
    if isinstance(_here[0], bytes):  # not before, because what goes wrong at the start of a process cannot be told
        _here[0] = unpack(_here[0])
    compute, shared = _here[0]
    return compute_for_another(compute, shared, part)


def _end_with(parent: int) -> None:
    """End this process soon after the one that started it, which may have been killed."""
    while os.getppid() == parent:
        time.sleep(LOOKS_EVERY)
    os._exit(1)


def _check_array(name: str, array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "biufU":
        raise TypeError(f"a unit's {name} is an array of {array.dtype}, but numbers or texts were expected")
    return array
