"""How much more than the comparison in it does a report take: time, memory, and the size of the file?

    python -m benchmarks.reports > benchmarks/reports.txt

The peer is `mtworkbench compare` of the same files in the same run. Each is a process of its own, whose CPU time and
largest resident size are those that the system counts.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.memory import ROOT, write_texts

#: Numbers of systems and of runs of each.
SIZES = ((2, 1), (3, 3), (16, 1))
METRICS = ("bleu", "chrf")


class Cost(NamedTuple):
    """What a process took: seconds of CPU time, and MiB."""

    seconds: float
    memory: float


def list_arguments(files: list[str], n_runs: int) -> list[str]:
    """Return the arguments that name a reference and runs of systems, the first of which is the baseline."""
    reference, *outputs = files
    runs = [f"system{place // n_runs}={output}" for place, output in enumerate(outputs)]
    named = ["--reference", reference, *(argument for run in runs for argument in ("--system", run))]
    return [*named, "--baseline", "system0", "--metrics", *METRICS, "--rng", "1", "--quiet"]


def measure(command: str, arguments: list[str], output: Path) -> Cost:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "MTWORKBENCH_CACHE": "off"}
    called = [sys.executable, "-m", "mtworkbench", command, *arguments, "--output", str(output)]
    process = subprocess.Popen(called, env=environment, cwd=output.parent, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, called
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--segments", type=int, default=3000)
    n_segments = parser.parse_args().segments
    print(f"{n_segments:,} segments of 25 words, {' and '.join(METRICS)}; each system is compared with the first one")
    print("systems  runs  compare s  report s  ratio  compare MiB  report MiB  file MB")
    for n_systems, n_runs in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            arguments = list_arguments(write_texts(Path(folder), n_segments, n_systems * n_runs), n_runs)
            page = Path(folder, "report.html")
            peer, own = measure("compare", arguments, page.with_suffix(".txt")), measure("report", arguments, page)
            line = f"{n_systems:7}{n_runs:6}{peer.seconds:11.1f}{own.seconds:10.1f}{own.seconds / peer.seconds:7.2f}"
            print(f"{line}{peer.memory:13.0f}{own.memory:12.0f}{page.stat().st_size / 1e6:9.2f}", flush=True)


if __name__ == "__main__":
    main()
