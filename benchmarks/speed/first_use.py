"""What numba's first use takes: one comparison from texts, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median

from mtworkbench import find_shipped

FIRST, LATER, WITHOUT = "first process, which compiles", "each later process", "without numba"
TURNS = 3
PROGRAM = "import sys; {hide}from mtworkbench.cli import main; sys.exit(main(sys.argv[1:]))"
HIDE = "sys.modules['numba'] = None; "


def spend_in_process(metrics: list[str], folder: str, *, numba: bool) -> float:
    """Return the CPU seconds of a program that compares the systems of data/flores.

    Parameters
    ----------
    metrics : list of str
    folder : str
        Where numba keeps what it has compiled.
    numba : bool
        Whether the program finds numba.
    """
    flores = find_shipped("data/flores")
    reference, *systems = (str(flores / f"{name}.txt") for name in ("reference", "bergamot-base", "bergamot-tiny"))
    program = PROGRAM.format(hide="" if numba else HIDE)
    arguments = [reference, "-i", *systems, "-m", *metrics, "--rng", "1"]
    command = [sys.executable, "-W", "ignore", "-c", program, "compare", *arguments]
    environment = os.environ | {"NUMBA_CACHE_DIR": folder}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        problem = process.stderr.read().decode()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"The comparison of data/flores ended with {process.returncode}: {problem}")
    return used.ru_utime + used.ru_stime


def measure_first_use(quick: bool = False) -> Iterator[dict[str, object]]:
    """Measure the processes by turns, and take medians.

    Parameters
    ----------
    quick : bool
        Only one process, without numba and with BLEU alone: to see whether it works.
    """
    with ExitStack() as stack:
        if quick:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            yield {"process": WITHOUT, "seconds": spend_in_process(["bleu"], folder, numba=False)}
            return
        found: dict[str, list[float]] = {FIRST: [], LATER: [], WITHOUT: []}
        for _ in range(TURNS):
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            for name, seconds in found.items():
                seconds.append(spend_in_process(["bleu", "chrf", "ter"], folder, numba=name != WITHOUT))
    for name, seconds in found.items():
        yield {"process": name, "seconds": median(seconds)}
