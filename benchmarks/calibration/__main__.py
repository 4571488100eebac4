"""Measure how often each test errs and each interval covers, cell by cell.

    python -m benchmarks.calibration [CELL ...] [--realdata FOLDER] [--again] [--list]

Writes data/calibration/cells.csv and rates.csv. What is in rates.csv is not computed again unless its cell has
changed, so a command that was stopped goes on when it is given again. Rejections and misses above the 99.9 % band are
counted again, in five times as many experiments with another seed, unless they leave no doubt.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from operator import itemgetter
from pathlib import Path

import pandas as pd
from scipy.stats import binom
from tqdm import tqdm

from benchmarks.calibration.cells import CELLS, Cell
from benchmarks.calibration.experiments import BATCH, draw_batch
from benchmarks.calibration.verdicts import OF_OTHERS, REJECTS, Group, groups_of, units_of
from mtworkbench import __version__
from mtworkbench.analyses.calibration import NOMINAL, band_of_errors, errors_in
from mtworkbench.errors import DataWarning
from mtworkbench.tables import frame_to_csv
from mtworkbench.writing import make_folder, replace_file

FOLDER = Path(__file__).parents[2] / "data" / "calibration"
#: Columns of ``rates.csv``.
COUNTED = ("cell", "quantity", "unit", "test", "count", "repetitions", "seed", "version")
REPETITIONS, SEED = 2000, 1
REPEATED, OTHER_SEED = 10_000, 2
#: What a right test would exceed with a smaller probability than this is not repeated: there is no doubt left.
NO_DOUBT = 1e-9

Row = dict[str, object]


def count(
    cell: Cell, unit: str, groups: Sequence[Group], repetitions: int, seed: int, null: bool, realdata: Path | None
) -> Counter[tuple[str, str]]:
    """Count the verdicts of some tests, without the null hypothesis or with it."""
    found: Counter[tuple[str, str]] = Counter()
    starts = range(0, repetitions, BATCH)
    for start in tqdm(starts, desc=f"{cell.name} by {unit}, {'equal' if null else 'different'}", leave=False):
        size = min(BATCH, repetitions - start)
        batch = draw_batch(cell, unit, seed, start // BATCH, size, null=null, realdata=realdata)
        for group in groups:
            for (what, test), verdicts in group.compute(cell, batch, unit).items():
                found[(("size" if null else "power") if what == REJECTS else what), test] += int(verdicts.sum())
    return found


def calibrate(
    cell: Cell, unit: str, groups: Sequence[Group], repetitions: int, seed: int, realdata: Path | None = None
) -> list[Row]:
    """Return the rows of some tests of a cell."""
    found: Counter[tuple[str, str]] = Counter()
    for null in (True, False) if cell.has_alternative else (True,):
        found.update(count(cell, unit, groups, repetitions, seed, null, realdata))
    return [make_row(cell, what, unit, test, number, repetitions, seed) for (what, test), number in found.items()]


def make_row(cell: Cell, what: str, unit: str, test: str, number: int, repetitions: int, seed: int) -> Row:
    values = (cell.name, what, unit, test, number, repetitions, seed, __version__)
    return dict(zip(COUNTED, values, strict=True))


def repeat(cell: Cell, rows: Iterable[Row], realdata: Path | None) -> list[Row]:
    """Count again, with another seed, what lies above the band."""
    again = {(row["quantity"], row["unit"], row["test"]) for row in rows if is_suspect(row)}
    found: list[Row] = []
    for unit in units_of(cell):
        for null in (True, False):
            wanted = {(what, test) for what, of, test in again if of == unit and (what == "size") == null}
            groups = [group for group in groups_of(cell, unit) if {test for _, test in wanted} & set(group.names)]
            if groups:
                counted = count(cell, unit, groups, REPEATED, OTHER_SEED, null, realdata)
                found += [
                    make_row(cell, *key_of(one, unit), counted[one], REPEATED, OTHER_SEED) for one in sorted(wanted)
                ]
    return found


def key_of(one: tuple[str, str], unit: str) -> tuple[str, str, str]:
    return one[0], unit, one[1]


def is_suspect(row: Row) -> bool:
    """Tell whether a count lies above the band, but not beyond doubt."""
    repetitions = row["repetitions"]
    errors = errors_in(row["quantity"], row["count"], repetitions)
    return errors is not None and band_of_errors(repetitions)[1] < errors <= binom.isf(NO_DOUBT, repetitions, NOMINAL)


def jobs_of(cells: Iterable[Cell]) -> list[tuple[Cell, str, list[Group]]]:
    """Return what is computed and written together: this package's tests first, right units before wrong ones."""
    both = [(cell, unit) for cell in cells for unit in units_of(cell)]
    jobs = [
        (cell, unit, [group for group in groups_of(cell, unit) if (group in OF_OTHERS) == of_others])
        for of_others in (False, True)
        for cell, unit in both
    ]
    return sorted(filter(itemgetter(2), jobs), key=lambda job: (job[2][0] in OF_OTHERS, job[1] != job[0].unit))


def tabulate_cells() -> pd.DataFrame:
    """Return one row per cell."""
    rows = [{"cell": cell.name} | asdict(cell) | {"null": cell.null} for cell in CELLS]
    frame = pd.DataFrame(rows).drop(columns="name")
    frame[["runs_a", "runs_b"]] = frame.pop("runs").to_list()
    return frame


def update_cells() -> None:
    """Write what the cells are, and remove the counts of those that are not what they were."""
    new, path = tabulate_cells(), FOLDER / "cells.csv"
    if path.exists():
        old = pd.read_csv(path, keep_default_na=False)
        key = [name for name in new.columns if name not in ("reason", "null", "published_rules")]
        same = set(new[key].merge(old)["cell"]) if set(key) <= set(old.columns) else set()
        write_rates(row for row in read_rates() if row["cell"] in same)
    replace_file(path, frame_to_csv(new))


def read_rates() -> list[Row]:
    path = FOLDER / "rates.csv"
    return pd.read_csv(path).to_dict("records") if path.exists() else []


def write_rates(rows: Iterable[Row]) -> None:
    """Write all rows, cell by cell in the order of the list."""
    places = {cell.name: place for place, cell in enumerate(CELLS)}
    ordered = sorted((row for row in rows if row["cell"] in places), key=lambda row: places[row["cell"]])
    replace_file(FOLDER / "rates.csv", frame_to_csv(pd.DataFrame(ordered, columns=list(COUNTED))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", nargs="*", metavar="CELL", help="names of cells; default: all that are not done")
    parser.add_argument("--realdata", type=Path, help="folder of the texts that do not ship")
    parser.add_argument("--again", action="store_true", help="compute cells again that are done")
    parser.add_argument("--list", action="store_true", help="list the cells and stop")
    arguments = parser.parse_args()
    if arguments.list:
        print(*(f"{cell.name:40} {cell.reason}" for cell in CELLS), sep="\n")
        return
    unknown = set(arguments.cells) - {cell.name for cell in CELLS}
    if unknown:
        parser.error(f"there is no cell {', '.join(sorted(unknown))}; --list names them all")
    chosen = [cell for cell in CELLS if not arguments.cells or cell.name in arguments.cells]
    warnings.simplefilter("ignore", DataWarning)
    make_folder(FOLDER)
    update_cells()
    if arguments.again:
        write_rates(row for row in read_rates() if row["cell"] not in {cell.name for cell in chosen})
    for cell, unit, groups in jobs_of(chosen):
        done = {row["test"] for row in read_rates() if (row["cell"], row["unit"]) == (cell.name, unit)}
        missing = [group for group in groups if group.names[0] not in done]
        if missing:
            write_rates(read_rates() + calibrate(cell, unit, missing, REPETITIONS, SEED, arguments.realdata))
    for cell in chosen:
        rows = [row for row in read_rates() if row["cell"] == cell.name]
        done = {(row["quantity"], row["unit"], row["test"]) for row in rows if row["seed"] == OTHER_SEED}
        missing = [row for row in rows if (row["quantity"], row["unit"], row["test"]) not in done]
        repeated = repeat(cell, missing, arguments.realdata)
        if repeated:
            write_rates(read_rates() + repeated)


if __name__ == "__main__":
    main()
