"""Compute what of Clark et al. (2011) takes minutes: python scripts/compute_clark2011.py [p_values] [settings].

Writes data/clark2011/NAME.csv, from the made-up replications that ship (some ten minutes for both).
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
from tqdm import tqdm

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:  # another script tunes the systems
    sys.path.insert(0, str(ROOT))

from mtworkbench.papers import clark2011  # noqa: E402
from mtworkbench.papers.clark2011.variance import deviation  # noqa: E402
from mtworkbench.papers.simulation.replications import (  # noqa: E402
    BTEC,
    MadeUpPair,
    load_replications,  # noqa: E402
    make_pair_lists,
)
from mtworkbench.tables import frame_to_csv  # noqa: E402
from scripts.make_replications import replicate  # noqa: E402

FOLDER = ROOT / "data" / "clark2011"
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
# These change only the optimizer, so the lists stay the same.
OF_THE_OPTIMIZER = ("restarts", "random_directions")


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


def change_setting(pair: MadeUpPair, setting: str, value: int) -> MadeUpPair:
    """Change one of the things that optimizer instability may depend on (Clark et al. (2011), §4.1).

    Parameters
    ----------
    pair : MadeUpPair
    setting : {"restarts", "random_directions", "n_hypotheses", "n_features", "n_dev", "n_references"}
        Random restarts and directions of the optimizer; size of the n-best lists; number of features; segments in the
        tuning set; references. What the draws of smaller and larger values share, stays the same.
    value : int
    """
    changed = {setting: value}
    if setting in OF_THE_OPTIMIZER:
        return replace(pair, mert=replace(pair.mert, **changed))
    if setting in ("n_hypotheses", "n_features"):
        first, second = (replace(decoder, **changed) for decoder in pair.decoders)
        return replace(pair, decoders=(first, second))
    return replace(pair, **changed) if setting == "n_dev" else replace(pair, task=replace(pair.task, **changed))


def vary_setting(pair: MadeUpPair, setting: str, values: Sequence[int], n_runs: int, seed: int) -> pd.DataFrame:
    """Tune system A of a made-up pair again, with one setting at several values (Clark et al. (2011), §4.1).

    Parameters
    ----------
    pair : MadeUpPair
    setting : str
        Of `change_setting`.
    values : sequence of int
    n_runs : int
        At each value.
    seed : int
        ``pair.rng`` takes the lists of the shipped instance.

    Returns
    -------
    DataFrame
        One row per value: ``setting``, ``value``, ``system``, ``runs``, ``dev`` and ``test`` (mean BLEU), ``s_dev``,
        ``s_test``.
    """
    rows, lists = [], None
    for value in tqdm(values):
        changed = change_setting(pair, setting, value)
        if lists is None or setting not in OF_THE_OPTIMIZER:
            lists = {"A": make_pair_lists(changed, rng=seed)["A"]}
        runs = replicate(lists, changed.mert, n_runs, name=pair.name, rng=seed)
        dev, test = (part.statistics("bleu:tokenize=none").score()["A"][0] for part in (runs.dev, runs.test))
        row = {
            "setting": setting,
            "value": value,
            "system": "A",
            "runs": n_runs,
            "dev": dev.mean(),
            "test": test.mean(),
        }
        rows.append(row | {"s_dev": deviation(dev), "s_test": deviation(test)})
    return pd.DataFrame(rows)


def settings(chosen: Mapping[str, Sequence[int]] = SETTINGS) -> pd.DataFrame:
    """Compute what each setting of the optimizer and of its data does to the runs of BTEC's system A."""
    found = [vary_setting(BTEC, setting, values, N_RUNS, BTEC.rng) for setting, values in chosen.items()]
    return pd.concat(found).round(4)


COMPUTED: dict[str, Callable[[], pd.DataFrame]] = {"p_values": p_values, "settings": settings}

if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or COMPUTED:
        (FOLDER / f"{name}.csv").write_text(frame_to_csv(COMPUTED[name]()), encoding="utf-8")
