"""Measure the workbench's speed against other tools, and write docs/performance.md and its long tables.

    python -m benchmarks.speed [--texts REFERENCE OUTPUT N ...] [--peers PYTHON] [--turns N]

Prints the table row by row: CPU time of one thread, both sides by turns, medians. Then measures how time and memory
grow, and what numba's first use takes. Results go to benchmarks/speed/results, and from there into docs/performance.md,
docs/tables/performance-*.md and the figure. Stored rows of other tools and of texts that are not measured this time
stay as they are. With --quick, nothing is written except with --to.
"""

import os

os.environ.update(
    {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "BLIS", "NUMEXPR", "VECLIB", "NUMBA")},
    MTWORKBENCH_CACHE="off",
)

import argparse
import pkgutil
import platform
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.speed import from_statistics, from_texts, peers
from benchmarks.speed.first_use import measure_first_use
from benchmarks.speed.growth import measure_growth
from benchmarks.speed.measure import COLUMNS, Row, measure
from benchmarks.speed.page import (
    KEPT,
    Results,
    describe_machine,
    keep_rows,
    load_results,
    save_pages,
    save_results,
    tabulate_first_use,
    write_expected,
    write_peer,
    write_range,
    write_seconds,
)
from mtworkbench import compiled
from mtworkbench.errors import DataWarning
from mtworkbench.writing import make_folder

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).parent / "results"
PAGE = ROOT / "docs" / "performance.md"
TURNS = 7
# In a quick run, draws and texts are shorter by this factor, and numbers mean nothing.
SHORTER = 1000
PACKAGES = ("mtworkbench", "numpy", "scipy", "pandas", "numba", "sacrebleu")


def describe_machine_and_versions(of_peers: dict[str, str]) -> pd.DataFrame:
    """Return the processor, its cores, and the versions of Python and all packages that take part."""
    found = {"processor": find_processor(), "cores": str(os.cpu_count()), "Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    found |= {f"{name} (other tools)" if name in found else name: number for name, number in of_peers.items()}
    return pd.DataFrame({"what": found.keys(), "value": found.values()})


def find_processor() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def load_all_kernels() -> None:
    """Load every compiled loop, however little it saves."""
    for module in pkgutil.iter_modules(compiled.__path__):
        compiled.load_kernels(module.name, saves=np.inf)


def make_rows(texts: Sequence[from_texts.Texts], tools: peers.PeerTools | None, shorter: int) -> Iterator[Row]:
    """Prepare all rows of the table, one by one."""
    yield from from_statistics.make_rows(shorter)
    yield from from_texts.make_rows([from_texts.read_flores(), *texts], shorter)
    yield from peers.make_rows(tools)


def measure_rows(rows: Iterator[Row], turns: int) -> pd.DataFrame:
    """Measure and print the rows one by one."""
    measured = []
    for row in rows:
        measured.append(pd.Series(measure(row, turns), index=COLUMNS))
        one = pd.DataFrame(measured[-1:]).astype({"at_least": float, "at_most": float}).iloc[0]
        times = [f"mtworkbench {write_seconds(one['seconds'])} s"]
        if not np.isnan(one["peer_seconds"]):
            times += [f"{one['peer']} {write_peer(one)} s", f"speed ratio: {write_range(one)}"]
        print(f"{one['work']}\n    {'; '.join(times)}; expected: {write_expected(one)}", flush=True)
    return pd.DataFrame(measured)


def measure_all(asked: argparse.Namespace) -> Results:
    """Measure the table, growth and the first use."""
    warnings.simplefilter("ignore", DataWarning)
    if not asked.quick:
        load_all_kernels()
    shorter = SHORTER if asked.quick else 1
    texts = [from_texts.read_texts(reference, output, int(count)) for reference, output, count in asked.texts]
    with peers.open_peers(asked.peers) if asked.peers else nullcontext() as tools:
        machine = describe_machine_and_versions(tools.versions if tools else {})
        table = measure_rows(make_rows(texts, tools, shorter), 1 if asked.quick else asked.turns)
    growth = pd.DataFrame(measure_growth(shorter))
    first_use = pd.DataFrame(measure_first_use(asked.quick))
    return {"table": table, "growth": growth, "first_use": first_use, "machine": machine}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--texts",
        nargs=3,
        action="append",
        default=[],
        metavar=("REFERENCE", "OUTPUT", "N"),
        help="also measure the first N segments of these files (repeatable)",
    )
    parser.add_argument("--peers", metavar="PYTHON", help="Python of the environment of the other tools")
    parser.add_argument("--turns", type=int, default=TURNS, help=f"turns of each row (default: {TURNS})")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="see within seconds whether everything works: numbers mean nothing, and only --to writes files",
    )
    parser.add_argument("--page-only", action="store_true", help="write the pages from stored results")
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="write results, pages and figure there")
    asked = parser.parse_args(arguments)
    folder = asked.to or RESULTS
    results = None if asked.page_only else measure_all(asked)
    if results is not None and (asked.to or not asked.quick):
        make_folder(folder)
        save_results(folder, results | {name: keep_rows(name, results[name], folder) for name in KEPT})
        results = None
    if results is None:  # the pages have the digits that are stored
        results = load_results(folder)
        save_pages(PAGE, asked.to or PAGE.parent, results)
    print(f"\n{tabulate_first_use(results)}\n\n{describe_machine(results)}")


if __name__ == "__main__":
    main()
