"""Run the cases of bad input, the traits, the damaged files and the faults, and write how they end.

    python scripts/measure_reliability.py [--page-only]

Counts how they end, which takes some minutes, stores it in benchmarks/damage/results/endings.json, and writes
docs/reliability.md and its long tables, docs/tables/reliability-*.md. What these say of files that are well-formed and
wrong comes from `python -m benchmarks.damage`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:  # the cases are in tests/
    sys.path.insert(0, str(ROOT))

from benchmarks.damage.endings import Endings, load_endings, save_endings  # noqa: E402
from benchmarks.damage.short import written  # noqa: E402
from mtworkbench import __version__  # noqa: E402
from mtworkbench.writing import replace_file  # noqa: E402
from tests.bad_input import traits  # noqa: E402
from tests.bad_input.cases import find_failure  # noqa: E402
from tests.bad_input.fuzz import LOADERS, foreign_outcomes, fuzz  # noqa: E402
from tests.bad_input.rows import ROWS  # noqa: E402
from tests.faults.counts import try_faults  # noqa: E402

SHARED = ROOT.parent / "shared"
FUZZ_CASES, FUZZ_SEED = 1000, 3
#: So many outcomes of each loader are named; the others are counted together.
NAMED_OUTCOMES = 5


def run_rows() -> dict[str, dict[str, str]]:
    """Run the cases of all rows; return what was not as expected, which should be nothing."""
    results: dict[str, dict[str, str]] = {}
    for row, cases in ROWS.items():
        results[row] = {}
        for case in cases:
            with tempfile.TemporaryDirectory() as folder:
                failure = find_failure(case, Path(folder)) if case.can_run else case.lacking
            results[row][case.what] = failure
            if failure:
                print(f"{row}, {case.what}: {failure}", file=sys.stderr)  # noqa: T201
    return results


def read_sound_files() -> dict[str, dict[str, int]]:
    """Read the files in order; count the outputs, and those in which a trait is noticed."""
    outputs, alarms = Counter[str](), Counter[str]()
    for whose, number, alarming in traits.read_files_in_order(SHARED):
        outputs[whose] += number
        alarms[whose] += alarming
    return {whose: {"outputs": number, "alarms": alarms[whose]} for whose, number in outputs.items()}


def run_readers() -> dict[str, dict[str, Any]]:
    """Give each reader damaged files; count how it ends."""
    results = {}
    for one in LOADERS:
        if one.can_run:
            outcomes = fuzz(one, FUZZ_CASES, seed=FUZZ_SEED)
            foreign = foreign_outcomes(outcomes)
            refused = Counter({code: n for code, n in outcomes.items() if code != "read" and not code.startswith("! ")})
            results[one.name] = {
                "read": outcomes["read"],
                "refused": refused.total(),
                "reasons": dict(refused.most_common(NAMED_OUTCOMES)),
                "others": sum(outcomes[code] for code in foreign),
            }
    return results


def measure() -> Endings:
    """Run everything."""
    tallies = try_faults("reported")
    for name, tally in tallies.items():
        for failure in tally.failures:
            print(f"{name}, {failure}", file=sys.stderr)  # noqa: T201
    return {
        "version": __version__,
        "rows": run_rows(),
        "silent_traits": traits.find_silent_traits(),
        "sound_files": read_sound_files(),
        "files_per_reader": FUZZ_CASES,
        "readers": run_readers(),
        "faults": {name: {"cases": one.cases, "failures": len(one.failures)} for name, one in tallies.items()},
        "faults_left_out": [what for one in tallies.values() for what in one.left_out],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Count, and write the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page-only", action="store_true", help="write the pages from stored counts")
    if not parser.parse_args(arguments).page_only:
        save_endings(measure())
    for path, text in written(load_endings()):
        path.parent.mkdir(exist_ok=True)
        replace_file(path, text)


if __name__ == "__main__":
    main()
