"""Measure the workbench's speed against other tools, and write docs/performance.md and its long tables.

    python -m benchmarks.speed [PART ...] [--rows TEXT] [--texts REFERENCE OUTPUT N] [--outputs REFERENCE OUTPUT ...]

The parts are ``waits``, what people wait for (whole processes), ``table``, work in memory and of texts (CPU time of
one thread), and ``growth`` of whole processes. Each row is printed when it is measured: all sides by turns, medians.
Results go to benchmarks/speed/results, and from there into docs/performance.md, docs/tables/performance-*.md and the
figure. Stored rows that are not measured this time stay as they are. With --quick, nothing is written except with --to.
"""

import os

os.environ.update(
    {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "BLIS", "NUMEXPR", "VECLIB", "NUMBA")},
    MTWORKBENCH_CACHE="off",
)

import argparse
import pkgutil
import platform
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.speed import from_statistics, from_texts, peers
from benchmarks.speed.cells import write_seconds
from benchmarks.speed.growth import measure_growth
from benchmarks.speed.measure import COLUMNS, Row, measure
from benchmarks.speed.page import (
    FILES,
    Results,
    describe_machine,
    keep_rows,
    load_results,
    save_pages,
    save_results,
    write_expected,
    write_peer,
    write_range,
)
from benchmarks.speed.page_of_processes import write_took
from benchmarks.speed.waits import make_waits, measure_wait
from mtworkbench import compiled
from mtworkbench.errors import DataWarning
from mtworkbench.writing import make_folder

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).parent / "results"
PAGE = ROOT / "docs" / "performance.md"
TURNS = 7
PARTS = ("waits", "table", "growth")
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


def measure_table(asked: argparse.Namespace, shorter: int, turns: int) -> Results:
    """Measure work in memory and of texts, in this process."""
    if shorter == 1:
        load_all_kernels()
    texts = [from_texts.read_texts(reference, output, int(count)) for reference, output, count in asked.texts]
    with peers.open_peers(asked.peers) if asked.peers else nullcontext() as tools:
        machine = describe_machine_and_versions(tools.versions if tools else {})
        rows = (row for row in make_rows(texts, tools, shorter) if asked.rows in row.work)
        return {"table": measure_rows(rows, turns), "machine": machine}


def measure_waits(asked: argparse.Namespace, shorter: int, turns: int) -> pd.DataFrame:
    """Measure and print what people wait for."""
    measured: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for wait in make_waits(asked.outputs, Path(folder), shorter):
            if asked.rows in wait.what:
                print(wait.what, flush=True)
                for row in measure_wait(wait, turns):
                    print(f"    {row['who']}: {write_took(pd.Series(row))} s", flush=True)
                    measured.append(row)
    return pd.DataFrame(measured)


def print_point(point: dict[str, object]) -> dict[str, object]:
    """Print a point of the figure."""
    print(f"{point['axis']} {point['size']} {point['work']}: {write_took(pd.Series(point))} s", flush=True)
    return point


def measure_all(asked: argparse.Namespace) -> Results:
    """Measure the parts that are asked for."""
    warnings.simplefilter("ignore", DataWarning)
    shorter, turns = (SHORTER, 1) if asked.quick else (1, asked.turns)
    parts, results = asked.parts or PARTS, {"machine": describe_machine_and_versions({})}
    if "waits" in parts:
        results["waits"] = measure_waits(asked, shorter, turns)
    if "table" in parts:
        results |= measure_table(asked, shorter, turns)
    if "growth" in parts:
        results["growth"] = pd.DataFrame(map(print_point, measure_growth(asked.rows, shorter, turns)))
    return {name: measured for name, measured in results.items() if len(measured)}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--rows", default="", metavar="TEXT", help="only rows whose names have this text")
    parser.add_argument(
        "--texts",
        nargs=3,
        action="append",
        default=[],
        metavar=("REFERENCE", "OUTPUT", "N"),
        help="also measure the first N segments of these files (repeatable)",
    )
    parser.add_argument(
        "--outputs",
        nargs="+",
        action="append",
        default=[],
        metavar="FILE",
        help="also wait for comparisons of these outputs; the first file is the reference (repeatable)",
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
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"there is no part {sorted(unknown)[0]!r}: the parts are {', '.join(PARTS)}")
    folder = asked.to or RESULTS
    results = {} if asked.page_only else measure_all(asked)
    if results and asked.quick and not asked.to:
        return
    make_folder(folder)
    save_results(folder, {name: keep_rows(name, measured, folder) for name, measured in results.items()})
    stored = load_results(folder)  # the pages have the digits that are stored
    if stored.keys() == FILES.keys():
        save_pages(PAGE, asked.to or PAGE.parent, stored)
        print(describe_machine(stored))


if __name__ == "__main__":
    main()
