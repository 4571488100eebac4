"""Make the made-up replications that ship: python scripts/make_replications.py [btec] [wmt] (some ten minutes).

Writes data/replications/btec.npz and wmt.npz; most of the time goes into MERT, the rest into TER.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from tqdm import tqdm

from mtworkbench.papers.simulation.mert import Mert, tune
from mtworkbench.papers.simulation.nbest import DistinctHypotheses, NBestLists, RunOutputs
from mtworkbench.papers.simulation.replications import (
    PAIRS,
    SHIPPED_METRIC,
    SYSTEMS,
    MadeUpPair,
    Replications,
    TuningLists,
    find_pair,
    make_pair_lists,
)
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.writing import replace_file

FOLDER = Path(__file__).parent.parent / "data" / "replications"
# Of the samples of a pair's random_key, the one of the first system's optimizer; the samples before it are sentences.
FIRST_OPTIMIZER = 3


def replicate(
    lists: dict[str, TuningLists],
    mert: Mert,
    n_runs: int,
    *,
    name: str = "",
    progress: Progress | None = None,
    rng: RngLike = None,
) -> Replications:
    """Tune each system several times, and translate dev and test set with the weights of every run.

    Parameters
    ----------
    lists : dict of str to TuningLists
    mert : Mert
    n_runs : int
        Of each system.
    name : str
        Of what is replicated.
    progress : callable
        Wraps what is iterated over, such as ``tqdm``.
    rng : int, numpy.random.Generator, RandomKey or None
        See `mtworkbench.resampling.resolve_rng`. Run r of the system at place s (both from 1) takes sample r of sample
        2 + s, whatever the number of runs.
    """
    random_key = resolve_rng(rng)
    optimizers = {system: random_key.sample(FIRST_OPTIMIZER + place) for place, system in enumerate(lists)}
    jobs = [(system, run) for system in lists for run in range(1, n_runs + 1)]
    weights: dict[str, list[np.ndarray]] = {system: [] for system in lists}
    for system, run in progress(jobs) if progress else jobs:
        one = lists[system]
        weights[system].append(tune(one.dev, mert, start=one.start, rng=optimizers[system].sample(run)).weights)
    return Replications(
        name=name,
        dev=gather_outputs({system: one.dev for system, one in lists.items()}, weights),
        test=gather_outputs({system: one.test for system, one in lists.items()}, weights),
        weights={system: np.array(found) for system, found in weights.items()},
    )


def gather_outputs(lists: dict[str, NBestLists], weights: dict[str, list[np.ndarray]]) -> RunOutputs:
    """Translate one set with the weights of every run of every system."""
    systems = {
        system: gather_distinct(one.hypotheses, np.array([one.choose(found) for found in weights[system]]))
        for system, one in lists.items()
    }
    return RunOutputs(next(iter(lists.values())).references, systems)


def gather_distinct(hypotheses: np.ndarray, places: np.ndarray) -> DistinctHypotheses:
    """Gather what was chosen from n-best lists.

    Parameters
    ----------
    hypotheses : (n_segments, n_hypotheses) ndarray of str
    places : (n_runs, n_segments) ndarray of int64
        Which hypothesis of its list each run chose.
    """
    n_segments, n_hypotheses = hypotheses.shape
    used, chosen = np.unique(np.arange(n_segments) * n_hypotheses + places, return_inverse=True)
    segments, place = np.divmod(used, n_hypotheses)
    return DistinctHypotheses(hypotheses[segments, place], segments, chosen.reshape(places.shape))


def make_replications(
    pair: MadeUpPair,
    *,
    n_runs: int | None = None,
    progress: Progress | None = None,
    rng: RngLike = None,
) -> Replications:
    """Make up the lists of a pair and tune its systems on them.

    Parameters
    ----------
    pair : MadeUpPair
    n_runs : int, optional
        Of each system; ``pair.n_runs`` unless given. The first runs are the same for any number.
    progress : callable
        Wraps what is iterated over, such as ``tqdm``.
    rng : int, numpy.random.Generator, RandomKey or None
        See `mtworkbench.resampling.resolve_rng`; ``pair.rng`` gives the shipped instance.
    """
    random_key = resolve_rng(rng)
    lists = make_pair_lists(pair, rng=random_key)
    n_runs = pair.n_runs if n_runs is None else n_runs
    return replicate(lists, pair.mert, n_runs, name=pair.name, progress=progress, rng=random_key)


def save_replications(path: str | os.PathLike[str], replications: Replications) -> None:
    """Save replications in the form in which they ship; TER is computed for every distinct hypothesis of the test set.

    Parameters
    ----------
    path : path
    replications : Replications
        Of systems A and B.
    """
    arrays: dict[str, np.ndarray] = {}
    for part, outputs in (("dev", replications.dev), ("test", replications.test)):
        arrays[f"{part}.references"] = _text_bytes(outputs.references.ravel())
        for system in SYSTEMS:
            hypotheses, prefix = outputs.systems[system], f"{part}.{system}"
            sizes = np.bincount(hypotheses.segments, minlength=outputs.n_segments)
            arrays[f"{prefix}.texts"] = _text_bytes(hypotheses.texts)
            arrays[f"{prefix}.sizes"] = sizes.astype(np.uint16)
            arrays[f"{prefix}.chosen"] = (hypotheses.chosen - (np.cumsum(sizes) - sizes)).astype(np.uint16)
            if part == "test":
                arrays[f"{prefix}.ter"] = outputs.distinct_statistics(system, SHIPPED_METRIC).astype(np.float32)
    for system in SYSTEMS:
        arrays[f"{system}.weights"] = replications.weights[system]
    write_arrays(path, arrays)


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays to an npz file without pickle."""
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    replace_file(path, content.getvalue())


def _text_bytes(texts: np.ndarray) -> np.ndarray:
    return np.frombuffer("\n".join(texts).encode("utf-8"), dtype=np.uint8)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or PAIRS:
        pair = find_pair(name)
        save_replications(FOLDER / f"{name}.npz", make_replications(pair, progress=tqdm, rng=pair.rng))
