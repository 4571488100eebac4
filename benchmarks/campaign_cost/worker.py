"""What worker processes do, and tell of themselves; this module imports what every worker of a campaign needs."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import numpy as np

from mtworkbench.inference.draws import draw_part

#: What a unit of work tells of itself.
MEASURES = ("seconds", "resident")


def peak_resident() -> int:
    """Return the largest resident size of this process so far, or since `forget_peak`, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def forget_peak() -> None:
    """Begin anew to look for the largest resident size of this process."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def spent_by_children() -> float:
    """Return the CPU seconds of the processes that this one started, and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def draw_and_measure(shared, part):
    """Draw a part, and tell the CPU seconds, and the largest resident size of the process so far."""
    start = time.process_time()
    unit = draw_part(shared, part)
    return unit | {"seconds": np.array(time.process_time() - start), "resident": np.array(peak_resident())}


def begin(shared, part) -> dict[str, np.ndarray]:
    """Do what a worker process does once, with a test set that is tiny; tell the size of the process."""
    draw_part(shared["tiny"], part)
    return {"resident": np.array(peak_resident())}


def make_unit(shared: dict[str, int], part: int) -> dict[str, np.ndarray]:
    """Make a unit of some bytes."""
    return {"numbers": np.zeros(shared["bytes"] // 8)}
