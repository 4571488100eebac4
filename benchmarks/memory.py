"""How much memory do reading and comparing take, and how much does each further system add?

Each case is a process of its own, whose largest resident size is reported. ``--against FOLDER`` is another version of
the package, in which the same cases are measured: the result is then the ratio of this version to that one.
The step ``terminal`` is ``mtworkbench statistics``, which holds the texts of one run at a time.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from itertools import accumulate
from pathlib import Path

os.environ["MTWORKBENCH_CACHE"] = "off"  # the work that is measured is always done

ROOT = Path(__file__).parent.parent
STEPS = ("read", "compute", "compare", "terminal")
MEASURED = """
import resource, sys
import mtworkbench as mtw
from mtworkbench import cli
step, metric, reference, *systems = sys.argv[1:]
if step == "terminal":
    assert cli.main(["statistics", reference, *systems, "--metric", metric, "--output", "terminal.stats"]) == 0
else:
    outputs = mtw.read_outputs(reference, {system: system for system in systems})
    statistics = mtw.compute_statistics(outputs, metric) if step != "read" else None
    if step == "compare":
        mtw.compare([statistics], systems[0], rng=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def write_texts(folder: Path, n_segments: int, n_systems: int) -> list[str]:
    """Write a reference and outputs of 25 words per line that differ from it in four words."""
    rng = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(20_000)]
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    names = [str(folder / name) for name in ("reference", *(f"system{number}" for number in range(n_systems)))]
    files = [open(name, "w", encoding="utf-8") for name in names]  # noqa: SIM115
    for _ in range(n_segments):
        reference = rng.choices(words, cum_weights=weights, k=25)
        for number, file in enumerate(files):
            line = list(reference)
            for _ in range(4 if number else 0):
                line[rng.randrange(25)] = rng.choice(words)
            file.write(" ".join(line) + "\n")
    for file in files:
        file.close()
    return names


def peak(package: Path, step: str, metric: str, files: list[str]) -> float:
    """Return the largest resident size of a step, in MiB."""
    environment = os.environ | {"PYTHONPATH": str(package.resolve()), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "ignore", "-c", MEASURED, step, metric, *files]
    # Python looks for the package in the folder that it is started in before it looks elsewhere.
    said = subprocess.check_output(command, env=environment, cwd=Path(files[0]).parent, text=True)
    return float(said.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--segments", type=int, default=200_000)
    parser.add_argument("--systems", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--steps", nargs="+", default=STEPS, choices=STEPS)
    parser.add_argument("--metric", default="chrf")
    parser.add_argument("--against", type=Path)
    arguments = parser.parse_args()
    print(f"{arguments.segments:,} segments of 25 words, {arguments.metric}; largest resident size in MiB")
    print(f"{'':10}{'systems':>8}{'this':>8}" + (f"{'other':>8}{'ratio':>8}" if arguments.against else ""))
    with tempfile.TemporaryDirectory() as folder:
        files = write_texts(Path(folder), arguments.segments, max(arguments.systems))
        for step in arguments.steps:
            for n_systems in arguments.systems:
                if n_systems == 1 and step == "compare":
                    continue
                this = peak(ROOT, step, arguments.metric, files[: n_systems + 1])
                line = f"{step:10}{n_systems:>8}{this:>8.0f}"
                if arguments.against:
                    other = peak(arguments.against, step, arguments.metric, files[: n_systems + 1])
                    line += f"{other:>8.0f}{this / other:>8.2f}"
                print(line, flush=True)


if __name__ == "__main__":
    main()
