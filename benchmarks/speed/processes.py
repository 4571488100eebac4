"""What whole processes take, as a user starts them: seconds, CPU seconds and memory, and what they say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LAUNCH = str(Path(__file__).with_name("launch.py"))
WORKBENCH, SACREBLEU_COMMAND = ([sys.executable, "-m", name] for name in ("mtworkbench", "sacrebleu"))
#: Most seconds that a process may take.
LIMIT = 1800
# With these, kernels would start slowly, and libraries would not take the threads that they take for users.
FORBIDDEN = ("PYTHONDONTWRITEBYTECODE",)
THREADS = "_NUM_THREADS"


@dataclass(frozen=True)
class Spent:
    """What a process took.

    Parameters
    ----------
    seconds, cpu : float
        On the clock, and of all its threads and of the processes that it waited for.
    mebibytes : float
        The largest resident size of the process.
    status : int
        How it ended: 0, an exit code, or the negative number of the signal that killed it.
    said : str
        What it wrote to the standard error.
    """

    seconds: float
    cpu: float
    mebibytes: float = float("nan")
    status: int = 0
    said: str = ""


def spend_process(
    command: Sequence[str],
    variables: Mapping[str, str] | None = None,
    *,
    limit: int = LIMIT,
    may_fail: bool = False,
    folder: str | None = None,
) -> Spent:
    """Run a command with this version of the package, with as many threads as it takes by itself.

    Parameters
    ----------
    command : sequence of str
    variables : mapping of str to str, optional
        Of the environment.
    limit : int
        After so many seconds it is killed.
    may_fail : bool
        Otherwise it must end with 0.
    folder : str, optional
        In which it is started.
    """
    kept = {name: one for name, one in os.environ.items() if name not in FORBIDDEN and not name.endswith(THREADS)}
    environment = kept | {"PYTHONPATH": str(ROOT)} | dict(variables or {})
    with tempfile.NamedTemporaryFile() as told:
        called = [sys.executable, "-I", "-S", LAUNCH, told.name, str(limit), *command]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        done = subprocess.run(called, env=environment, cwd=folder, check=True, **quiet)
        spent = Spent(**json.load(told), said=done.stderr.decode(errors="replace"))
    if spent.status and not may_fail:
        raise SystemExit(f"{' '.join(command)} ended with {spent.status}: {spent.said}")
    return spent
