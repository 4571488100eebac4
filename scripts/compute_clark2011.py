"""Compute what of Clark et al. (2011) takes minutes: python scripts/compute_clark2011.py [p_values] [settings].

Writes data/clark2011/NAME.csv, from the made-up replications that ship (some ten minutes for both).
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from mtworkbench.papers import clark2011
from mtworkbench.papers.simulation.replications import BTEC
from mtworkbench.papers.simulation.shipped_replications import load_replications
from mtworkbench.tables import frame_to_csv

FOLDER = Path(__file__).parent.parent / "data" / "clark2011"
METRICS = ("bleu:tokenize=none", "ter")
SETTINGS = {
    "restarts": (0, 2, 5, 20, 50),
    "random_directions": (0, 2, 5, 10, 20),
    "n_hypotheses": (10, 25, 50, 100),
    "n_features": (5, 10, 15, 25),
    "n_dev": (50, 100, 200, 400, 800),
    "n_references": (1, 2, 4),
}
N_RUNS = 20


def p_values() -> pd.DataFrame:
    """Compute the draws behind Table 2, and those of one run and of three."""
    frames = []
    for corpus in ("btec", "wmt"):
        for metric in METRICS:
            statistics = load_replications(corpus).test.statistics(metric)
            drawn = clark2011.randomize_drawn_runs(
                statistics["A"], statistics["B"], (1, 3, 5, 50), progress=tqdm, rng=1
            )
            drawn = drawn.drop(columns="n_trials")
            drawn.insert(0, "corpus", corpus.upper())
            drawn.insert(1, "metric", statistics.metric.name)
            frames.append(drawn)
    return pd.concat(frames).round(6)


def settings(chosen: Mapping[str, Sequence[int]] = SETTINGS) -> pd.DataFrame:
    """Compute what each setting of the optimizer and of its data does to the runs of BTEC's system A."""
    found = [
        clark2011.vary_setting(BTEC, setting, values, n_runs=N_RUNS, progress=tqdm, rng=BTEC.rng)
        for setting, values in chosen.items()
    ]
    return pd.concat(found).round(4)


COMPUTED: dict[str, Callable[[], pd.DataFrame]] = {"p_values": p_values, "settings": settings}

if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or COMPUTED:
        (FOLDER / f"{name}.csv").write_text(frame_to_csv(COMPUTED[name]()), encoding="utf-8")
