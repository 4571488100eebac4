"""Count how often a reader of one `compare` must change files: python scripts/walk.py [--verbose].

Each call of a function in a file of the package is recorded, in order. A *stay* is a stretch of consecutive calls
within one file; it ends with the first call of a function of another file. A *return* is a stay in a file that had a
stay before, so returns = stays - files. A return from a function is not counted: what the calling file does next counts
only when it calls a function of its own. Comprehensions, generator expressions and lambdas belong to the function that
they are in.

Two walks are counted. *reading* is that of somebody who reads each function when it is first called, and never again.
*all calls* is what the interpreter does, which grows with the numbers of systems and metrics.

The first segments of the shipped sample are compared with few draws. Statistics are computed beforehand, and each
comparison is made once before it is counted, so that imports and what is kept between calls are no part of the walk.
With --verbose the files of the first reading walk are printed in order, each with the functions that are read there.
"""

import os
import sys
from itertools import groupby
from pathlib import Path

import mtworkbench as mtw

os.environ["MTWORKBENCH_CACHE"] = "off"  # the calls that are counted are all made

PACKAGE = Path(mtw.__file__).parent
N_SEGMENTS = 800  # and few draws: as few as raise no warning
SETTINGS = {"n_resamples": 400, "n_trials": 1_000, "rng": 1}

Call = tuple[str, str]  # file, function


def walk(statistics: list[mtw.statistics.SegmentStatistics], baseline: str) -> list[Call]:
    """Compare, and return the calls of the package's functions, in order."""
    called = []

    def note(frame: object, event: str, _: object) -> None:
        if event == "call" and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
            called.append(frame.f_code)

    compare = mtw.compare
    compare(statistics, baseline, **SETTINGS)
    sys.setprofile(note)
    try:
        compare(statistics, baseline, **SETTINGS)
    finally:
        sys.setprofile(None)
    return [
        (Path(code.co_filename).relative_to(PACKAGE).as_posix(), code.co_qualname)
        for code in called
        if not code.co_name.startswith("<")
    ]


def read_once(calls: list[Call]) -> list[Call]:
    """Keep the first call of each function."""
    return list(dict.fromkeys(calls))


def stays_of(calls: list[Call]) -> list[tuple[str, list[str]]]:
    """Divide calls into stays: the file and the functions that were called in it."""
    return [(file, [function for _, function in stay]) for file, stay in groupby(calls, lambda call: call[0])]


def describe_walk(calls: list[Call]) -> str:
    """Write the numbers of files, stays and returns in columns."""
    n_files, n_stays = len({file for file, _ in calls}), len(stays_of(calls))
    return f"{n_files:>9}{n_stays:>9}{n_stays - n_files:>9}"


def sample_statistics(systems: dict[str, object], *metrics: str) -> list[mtw.statistics.SegmentStatistics]:
    """Compute the statistics of systems of the shipped sample: paths or patterns of their outputs by name."""
    sample = mtw.find_shipped("data/sample")
    paths = {name: sample / f"{pattern}.txt" for name, pattern in systems.items()}
    outputs = mtw.read_outputs(sample / "reference.txt", paths, documents=sample / "documents.txt")
    outputs = outputs[outputs.segment <= N_SEGMENTS]
    return [mtw.compute_statistics(outputs, metric) for metric in metrics]


def main(verbose: bool) -> None:
    """Print the walks of three comparisons."""
    with_runs = {name: f"{name}.run*" for name in ("baseline", "tweaked", "retrained")}
    single = [f"{name}.run{run}" for run in (1, 2) for name in with_runs][:5]
    two = {name: with_runs[name] for name in ("baseline", "tweaked")}
    compared = {
        "2 systems of 3 runs, BLEU": (sample_statistics(two, "bleu"), "baseline"),
        "3 systems of 3 runs, BLEU and TER": (sample_statistics(with_runs, "bleu", "ter"), "baseline"),
        "5 systems of 1 run, BLEU and TER": (
            sample_statistics(dict(zip(single, single, strict=True)), "bleu", "ter"),
            single[0],
        ),
    }
    walks = {name: walk(*compare) for name, compare in compared.items()}
    lines = [f"{'':46}{'files':>9}{'stays':>9}{'returns':>9}"]
    for name, calls in walks.items():
        lines.append(f"{name + ': reading':46}{describe_walk(read_once(calls))}")
        lines.append(f"{name + ': all calls':46}{describe_walk(calls)}")
    if verbose:
        for number, (file, functions) in enumerate(stays_of(read_once(next(iter(walks.values())))), start=1):
            lines.append(f"{number:>3} {file:36} {', '.join(functions)}")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main("--verbose" in sys.argv[1:])
