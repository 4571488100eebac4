"""Count what one comparison in the terminal does: python -m tests.work_done.

A clock would tell the machine's load, too; these counts are the same on every machine.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import mtworkbench

PACKAGE = str(Path(mtworkbench.__file__).parent) + os.sep
FLORES = Path(__file__).resolve().parent.parent / "data" / "flores"
ARGUMENTS = ["compare", *(str(FLORES / f"{name}.txt") for name in ("reference", "bergamot-base", "bergamot-tiny"))]


def count_work() -> dict[str, int]:
    """Compare two systems, and count.

    Returns
    -------
    dict of str to int
        ``loaded``, modules of the package that are imported; ``entered``, modules of which a function is called;
        ``functions``, how many are called (comprehensions and lambdas belong to the function that they are in);
        ``files``, ``texts`` and ``sums``, how often a file is read, the statistics of a system are computed from its
        texts, and sums of statistics are scored; ``kilobytes``, the most that is allocated at a time.
    """
    called: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            called[code.co_filename, code.co_qualname] += 1

    from mtworkbench.cli import main

    _compare(main)  # what is loaded or compiled once is no work of this comparison
    sys.setprofile(note)
    try:
        _compare(main)
    finally:
        sys.setprofile(None)
    tracemalloc.start()
    _compare(main)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    functions = {place for place in called if not place[1].endswith(">")}
    return {
        "loaded": sum(name.partition(".")[0] == "mtworkbench" for name in sys.modules),
        "entered": len({file for file, _ in called}),
        "functions": len(functions),
        "files": _times(called, "outputs/files/", "read_bytes"),
        "texts": _times(called, "metrics/bleu.py", "Bleu.segment_statistics"),
        "sums": _times(called, "metrics/bleu.py", "Bleu.score"),
        "kilobytes": most // 1024,
    }


def _compare(main: Callable[[list[str]], int]) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main([*ARGUMENTS, "--rng", "1"])


def _times(called: Counter[tuple[str, str]], place: str, function: str) -> int:
    return sum(times for (file, name), times in called.items() if place in file and name == function)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(count_work()) + "\n")
