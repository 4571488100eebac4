"""Make real files wrong, read them, and write which damages were noticed.

    python -m benchmarks.damage [--only CODE ...] [--to FOLDER]

Writes benchmarks/damage/results/cases.csv, alarms.csv, cost.csv and honest.csv, of which `make reliability` writes
docs/reliability.md and its long tables. It takes some ten minutes, and needs the real texts of ../shared/realdata;
without them, the outputs that ship are used alone.
"""

import os

os.environ.update(
    {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "BLIS", "NUMEXPR", "VECLIB", "NUMBA")},
    MTWORKBENCH_CACHE="off",
)

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from benchmarks.damage.alarms import raise_alarms
from benchmarks.damage.cost import measure_cost
from benchmarks.damage.damages import DAMAGES
from benchmarks.damage.honest import count_honest
from benchmarks.damage.measure import try_damages
from benchmarks.damage.page import RESULTS
from benchmarks.damage.texts import REAL, read_test_sets


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="CODE", help="try these damages alone")
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="on these test sets alone")
    parser.add_argument("--one-in", type=int, default=2, metavar="N", help="in turns, on one set in N (default: 2)")
    parser.add_argument("--alarms-only", action="store_true", help="say only what is said of the files as they are")
    parser.add_argument("--to", type=Path, default=RESULTS, metavar="FOLDER", help="write there")
    asked = parser.parse_args(arguments)
    asked.to.mkdir(parents=True, exist_ok=True)
    if not asked.alarms_only:
        damages = [one for one in DAMAGES if not asked.only or one.code in asked.only]
        sets = (one for one in read_test_sets() if not asked.sets or one.name in asked.sets)
        save(asked.to / "cases.csv", map(asdict, try_damages(sets, damages, one_in=asked.one_in)))
    if REAL.is_dir() and not asked.only and not asked.sets:
        save(asked.to / "alarms.csv", (asdict(alarm) for alarm, _ in raise_alarms()))
        save(asked.to / "cost.csv", map(asdict, measure_cost()))
        save(asked.to / "honest.csv", map(asdict, count_honest()))


def save(path: Path, rows: Iterable[dict]) -> None:
    """Write rows as CSV; a count that is not known is empty."""
    pd.DataFrame(rows).convert_dtypes().to_csv(path, index=False, float_format="%.2f", lineterminator="\n")


if __name__ == "__main__":
    main()
