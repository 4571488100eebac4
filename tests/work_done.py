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
from pathlib import Path
from types import FrameType

import mtworkbench
from mtworkbench import compiled

PACKAGE = str(Path(mtworkbench.__file__).parent) + os.sep
FLORES = Path(__file__).resolve().parent.parent / "data" / "flores"
FILES = [str(FLORES / f"{name}.txt") for name in ("reference", "bergamot-base", "bergamot-tiny")]
N_SEGMENTS = 1012


def count_work() -> dict[str, int]:
    """Compare two systems as a new process does, and count; then compare them again, and ask for the memory.

    Returns
    -------
    dict of str to int
        ``loaded``: modules of the package that are imported. ``entered``: those of which a function is called, and
        ``functions``: how many are called (comprehensions and lambdas belong to the function that they are in).
        ``loops``: places that call something for every segment, such as a line of Python that splits each text;
        ``passes``: how often they do so for the whole of a text, all together. ``opened``: how often a file is opened;
        ``texts``: how often the statistics of a system are computed from its texts; ``scores``: calls of the metric's
        ``score``. ``kilobytes``: the most that is allocated at a time.
    """
    compiled.SECONDS_TO_LOAD = float("inf")  # whether numba is installed must not matter
    called: Counter[tuple[str, str]] = Counter()
    asked: Counter[tuple[str, str, str]] = Counter()
    opened: Counter[str] = Counter()

    def note(frame: FrameType, event: str, used: object) -> None:
        code = frame.f_code
        if code.co_filename.startswith(PACKAGE):
            if event == "call":
                called[code.co_filename, code.co_qualname] += 1
            elif event == "c_call":
                asked[code.co_filename, code.co_qualname, getattr(used, "__qualname__", "")] += 1

    sys.addaudithook(lambda event, given: opened.update([str(given[0])] if event == "open" else []))
    sys.setprofile(note)
    try:
        _compare()
    finally:
        sys.setprofile(None)
    functions = {place for place in called if not place[1].endswith(">")}
    repeated = [times // N_SEGMENTS for times in (*called.values(), *asked.values()) if times >= N_SEGMENTS]
    found = {
        "loaded": sum(name.partition(".")[0] == "mtworkbench" for name in sys.modules),
        "entered": len({file for file, _ in functions}),
        "functions": len(functions),
        "loops": len(repeated),
        "passes": sum(repeated),
        "opened": sum(opened[file] for file in FILES),
        "texts": _times(called, "Bleu.segment_statistics"),
        "scores": _times(called, "Bleu.score"),
    }
    tracemalloc.start()
    _compare()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return found | {"kilobytes": most // 1024}


def _compare() -> None:
    from mtworkbench.cli import main

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        status = main(["compare", *FILES, "--accept", "invisible-chars", "--rng", "1"])
    if status:
        raise RuntimeError(f"the comparison ended with {status}")


def _times(called: Counter[tuple[str, str]], function: str) -> int:
    return sum(times for (_, name), times in called.items() if name == function)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(count_work()) + "\n")
