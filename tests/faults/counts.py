"""The table of faults: what is tried, how often in the ordinary tests and how often at leisure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Literal, NamedTuple

from .tally import Tally

ROOT = Path(__file__).parent.parent.parent


class Fault(NamedTuple):
    """A fault: what it is called, where it is tried (module and function), and three sizes.

    ``quick`` is that of the ordinary tests, ``whole`` that of the slow ones, ``reported`` that of docs/reliability.md.
    """

    name: str
    function: str
    quick: int
    whole: int
    reported: int


FAULTS = (
    Fault("killed before each system call while writing", "kills.kill_at_each_step", 7, 1, 1),
    Fault("killed when some of the bytes were written", "kills.kill_within_writing", 2, 50, 3),
    Fault("killed from outside at a random time", "kills.kill_at_any_time", 2, 100, 5),
    Fault("byte of a statistics file flipped", "damage.flip_every_byte", 1, 9, 1),
    Fault("statistics file cut off", "damage.cut_everywhere", 7, 1, 7),
    Fault("small statistics file that announces large arrays", "damage.announce_too_much", 1, 1, 1),
    Fault("damaged statistics in the cache", "damage.damage_cached", 7, 1, 7),
    Fault("disk full: no room for a file", "disks.run_out_of_room", 1, 50, 1),
    Fault("system call fails while writing", "disks.fail_in_the_system", 1, 7, 2),
    Fault("folder that may only be read", "disks.write_to_locked_folder", 1, 1, 1),
    Fault("eight programs write one file", "disks.write_at_once", 1, 40, 2),
    Fault("program interrupted at a random Python call", "programs.interrupt", 5, 200, 8),
    Fault("program without a home or cache folders", "programs.run_without_home", 1, 2, 1),
    Fault("program with little memory", "programs.run_with_little_memory", 2, 6, 2),
    Fault("other language, time zone, hash seed, -O or -W error", "programs.run_elsewhere", 1, 2, 1),
)


def count_faults() -> list[tuple[str, int, int]]:
    """Try every fault at leisure; return its name, the number of cases, and how many of them failed."""
    return [(name, tried.cases, len(tried.failures)) for name, tried in try_faults("whole").items()]


def try_faults(size: Literal["quick", "whole", "reported"]) -> dict[str, Tally]:
    """Try every fault in a process that is there for nothing else; return how often, and what went wrong."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment |= {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}
    command = [sys.executable, "-m", "tests.faults"]
    tasks = [[fault.function, getattr(fault, size)] for fault in FAULTS]
    ended = subprocess.run(
        command, input=json.dumps(tasks), stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT, check=True
    )
    tallies = [Tally(*tried) for tried in json.loads(ended.stdout)]
    return dict(zip((fault.name for fault in FAULTS), tallies, strict=True))


if __name__ == "__main__":
    for row in count_faults():
        print(*row, sep="\t")
