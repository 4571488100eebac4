"""Write what was measured of the errors of tests and the coverage of intervals.

    python scripts/write_validity.py

Writes docs/validity.md, its figure, and the long tables docs/tables/validity-*.md. All numbers are from
data/calibration, which `python -m benchmarks.calibration` computes.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:  # what is measured is in benchmarks/
    sys.path.insert(0, str(ROOT))

from benchmarks.calibration.figure import save_rates  # noqa: E402
from benchmarks.calibration.page import PAGE, written  # noqa: E402
from mtworkbench.analyses.calibration import load_calibration  # noqa: E402
from mtworkbench.writing import replace_file  # noqa: E402


def main() -> None:
    """Write all of them."""
    frame = load_calibration()
    for path, text in written(frame):
        path.parent.mkdir(exist_ok=True)
        replace_file(path, text)
    save_rates(PAGE.with_suffix(".png"), frame)


if __name__ == "__main__":
    main()
