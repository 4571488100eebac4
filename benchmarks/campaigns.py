"""Measure how often the tests of a campaign err, on 14 test sets German-English.

    python -m benchmarks.campaigns --realdata FOLDER [--again]

Writes data/calibration/campaigns.csv and new_sets.csv. FOLDER has long-de-en/ref/*.en and long-de-en/sys/ENGINE/*.en.
Two pairs of systems, with whole test sets and with 300 segments of each; what is in the file is not computed again, so
a command that was stopped goes on when it is given again.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path

import pandas as pd

import mtworkbench as mtw
from mtworkbench import __version__
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.studies.campaign_sizes import leave_sets_out, measure_campaign_sizes
from mtworkbench.tables import frame_to_csv
from mtworkbench.writing import make_folder, replace_file

FOLDER = Path(__file__).parents[1] / "data" / "calibration"
SOURCE = "long-de-en"
REPETITIONS, SEED = 2000, 1
#: A near tie and a clear difference.
PAIRS = (("bergamot-base-memory", "bergamot-base"), ("microsoft", "google"))
#: Segments that are drawn of each set; None: whole sets.
SIZES = (300, None)


def read_sets(realdata: Path) -> dict[str, SegmentStatistics]:
    """Compute BLEU statistics of every test set."""
    sets = {}
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
    path = FOLDER / "campaigns.csv"
    done = pd.read_csv(path) if path.exists() and not arguments.again else None
    sets = read_sets(arguments.realdata)
    left_out = pd.concat([leave_sets_out(sets, b, a) for a, b in combinations(next(iter(sets.values())), 2)])
    replace_file(FOLDER / "new_sets.csv", frame_to_csv(left_out.assign(version=__version__)))
    for a, b in PAIRS:
        for size in SIZES:
            if done is not None:
                same_size = done["n_segments"].isna() if size is None else done["n_segments"] == size
                if ((done["a"] == a) & (done["b"] == b) & same_size).any():
                    continue
            name = f"{a} and {b}, {'whole sets' if size is None else f'{size} segments'}"
            found = measure_campaign_sizes(
                sets,
                a,
                b,
                n_repetitions=REPETITIONS,
                n_segments=size,
                rng=SEED,
                progress=mtw.show_progress(name),
            )
            found = found.assign(seed=SEED, version=__version__).astype({"n_segments": "Int64"})
            done = found if done is None else pd.concat([done.astype({"n_segments": "Int64"}), found])
            replace_file(path, frame_to_csv(done))


if __name__ == "__main__":
    main()
