"""Measure what a campaign costs, and write what docs/performance.md and its tables say of it.

    python -m benchmarks.campaign_cost [--to FOLDER] [--quick] [--page-only]

Measures the costs of units of work, and then a part of a campaign, about a hundredth, to compare with what these costs
predict. Results go to benchmarks/speed/results, and from there into these pages. It takes some minutes, and
needs the extra ``cluster`` and Linux.
"""

import os

os.environ.update(
    {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "BLIS", "NUMEXPR", "VECLIB", "NUMBA")},
    MTWORKBENCH_CACHE="off",
)

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.campaign_cost.measured import measure_in_process
from benchmarks.campaign_cost.page import (
    PART,
    Results,
    save_pages,
    save_results,
    tabulate_measured,
    tabulate_units,
    write_comparison,
)
from benchmarks.campaign_cost.unit_costs import TURNS, measure_units
from benchmarks.speed.__main__ import PAGE, RESULTS, load_all_kernels
from mtworkbench.writing import make_folder

#: In a quick run numbers mean nothing.
TINY = replace(PART, n_sets=2, n_systems=3, n_segments=50, n_resamples=200, n_trials=200)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--quick",
        action="store_true",
        help="see within seconds whether everything works: numbers mean nothing, and only --to writes files",
    )
    parser.add_argument("--page-only", action="store_true", help="write the pages from stored results")
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="write results and pages there")
    asked = parser.parse_args(arguments)
    folder = asked.to or RESULTS
    if not asked.page_only:
        warnings.simplefilter("ignore")
        size = TINY if asked.quick else PART
        if not asked.quick:
            load_all_kernels()
        units = tabulate_units(measure_units(size.n_systems, size.n_segments, 1 if asked.quick else TURNS))
        measured = tabulate_measured(size, measure_in_process(size))
        if asked.quick and not asked.to:
            return
        make_folder(folder)
        save_results(folder, units, measured)
    results = Results(folder)
    save_pages(PAGE, asked.to or PAGE.parent, results)
    print(write_comparison(results))


if __name__ == "__main__":
    main()
