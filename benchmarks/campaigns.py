"""Measure how often the tests of a campaign err, on 14 test sets German-English.

    python -m benchmarks.campaigns --realdata FOLDER [--again]

Writes data/calibration/campaigns.csv and new_sets.csv. FOLDER has long-de-en/ref/*.en and long-de-en/sys/ENGINE/*.en.
What is in the first file is not computed again, so a command that was stopped goes on when it is given again.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pandas as pd

import mtworkbench as mtw
from benchmarks.campaign_sizes import (
    BY_SET,
    CENTRED,
    TURNED,
    WITHIN_SETS,
    leave_sets_out,
    measure_campaign_sizes,
)
from mtworkbench import __version__
from mtworkbench.errors import DataWarning
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import frame_to_csv
from mtworkbench.writing import make_folder, replace_file

FOLDER = Path(__file__).parents[1] / "data" / "calibration"
SOURCE = "long-de-en"
REPETITIONS, SEED = 2000, 1
#: A near tie and a clear difference.
PAIRS = (("bergamot-base-memory", "bergamot-base"), ("microsoft", "google"))
#: So many segments are drawn of each set where outputs are swapped, because whole sets take long.
SIZE = 300
N_SETS = (3, 5, 14)
#: What is computed and written together: two systems, segments that are drawn of each set (None: all), null hypothesis.
KEY = ["a", "b", "n_segments", "null"]
#: With the numbers of sets. Whole sets, which are of unequal size, are swapped only where there are few of them.
JOBS = {
    (a, b, size, null): n_sets
    for a, b in PAIRS
    for null, size, n_sets in (
        (WITHIN_SETS, SIZE, N_SETS),
        (WITHIN_SETS, None, N_SETS[:2]),
        (BY_SET, SIZE, N_SETS),
        (CENTRED, None, N_SETS),
        (TURNED, None, N_SETS),
    )
}


def read_sets(realdata: Path, engines: Sequence[str] | None = None) -> dict[str, SegmentStatistics]:
    """Compute BLEU statistics of every test set, of some systems or all."""
    sets = {}
    if engines is None:
        engines = sorted(path.name for path in (realdata / SOURCE / "sys").iterdir())
    for path in sorted((realdata / SOURCE / "ref").glob("*.en")):
        outputs = mtw.read_outputs(path, {name: realdata / SOURCE / "sys" / name / path.name for name in engines})
        sets[path.stem] = mtw.compute_statistics(outputs, "bleu")
    return sets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--realdata", type=Path, required=True, help="folder of the texts, which do not ship")
    parser.add_argument("--again", action="store_true", help="compute again what is done")
    arguments = parser.parse_args()
    make_folder(FOLDER)
    warnings.simplefilter("ignore", DataWarning)
    path = FOLDER / "campaigns.csv"
    done = (
        []
        if arguments.again or not path.exists()
        else [rows for _, rows in pd.read_csv(path).groupby(KEY, dropna=False)]
    )
    sets = read_sets(arguments.realdata)
    pairs = combinations(next(iter(sets.values())), 2)
    left_out = pd.concat([leave_sets_out(sets, later, earlier) for earlier, later in pairs])
    replace_file(FOLDER / "new_sets.csv", frame_to_csv(left_out.assign(version=__version__)))
    found = {key_of(rows): rows for rows in done}
    for (a, b, size, null), n_sets in JOBS.items():
        if (a, b, size, null) not in found:
            rows = measure_campaign_sizes(
                sets,
                a,
                b,
                nulls=[null],
                n_sets=n_sets,
                n_repetitions=REPETITIONS,
                n_segments=size,
                unit="segment",
                rng=SEED,
                progress=mtw.show_progress(f"{a} and {b}, {size or 'all'} segments, {null}"),
            )
            found[a, b, size, null] = rows.assign(seed=SEED, version=__version__)
        known = pd.concat([found[job] for job in JOBS if job in found])
        replace_file(path, frame_to_csv(known.astype({"n_segments": "Int64"})))


def key_of(rows: pd.DataFrame) -> tuple[str, str, int | None, str]:
    """Return the job that rows are the result of."""
    a, b, size, null = rows[KEY].iloc[0]
    return a, b, None if pd.isna(size) else int(size), null


if __name__ == "__main__":
    main()
