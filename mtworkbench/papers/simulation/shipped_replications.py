"""The made-up replications that ship, and their files.

A file is an npz without pickle: of each set the references, of each system and set the distinct hypotheses, which of
them each run chose, and, because it is slow, their TER; of each system the weights that its runs ended with. A second
file has the METEOR of the distinct hypotheses, which needs a program that does not ship.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.metrics import Bleu, Meteor, Metric, Ter
from mtworkbench.papers.simulation.nbest import DistinctHypotheses, RunOutputs
from mtworkbench.papers.simulation.replications import Replications, find_pair
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.files import DAMAGE
from mtworkbench.statistics.segment_statistics import SegmentStatistics

SYSTEMS = ("A", "B")
SHIPPED_METRIC = Ter()
#: Pseudo-words have no stems and no synonyms, and they are function words only by accident. So words match by the exact
#: module alone, and delta is 0.5: all words weigh alike. The other parameters are those of English.
EXACT_METEOR = Meteor(language="en", modules="exact", parameters="0.85 0.2 0.6 0.5", norm=False)


@cache
def load_replications(name: str) -> Replications:
    """Load the replications of a made-up pair that ship with the package.

    Parameters
    ----------
    name : str
        ``"btec"`` (300 runs of each system) or ``"wmt"`` (50).

    Raises
    ------
    InputError
        ``unknown-pair``, ``not-shipped``; ``damaged-file`` where the file is not what it was.
    """
    pair = find_pair(name)
    path = find_shipped(f"data/replications/{pair.name.lower()}.npz")
    meteor_path = find_shipped(f"data/replications/{pair.name.lower()}_meteor.npz")
    try:
        replications = _decode(pair.name, _read_arrays(path))
        path = meteor_path
        replications.test.known[EXACT_METEOR] = _decode_meteor(replications.test, _read_arrays(path))
    except DAMAGE as error:
        raise InputError(
            "damaged-file",
            f"{path} is not the file that ships with mtworkbench ({error}): install it again, or make the file again "
            "with scripts/make_replications.py and scripts/compute_meteor.py.",
            path=str(path),
        ) from error
    return replications


def load_statistics() -> tuple[dict[str, list[SegmentStatistics]], dict[str, list[SegmentStatistics]]]:
    """Load the statistics of all runs that ship, on the test set and on the tuning set.

    Returns
    -------
    test, dev : dict of str to list of SegmentStatistics
        By corpus ("BTEC", "WMT"): of BLEU, METEOR (`EXACT_METEOR`) and TER on the test set, of BLEU on the tuning set.
    """
    pairs, bleu = {name: load_replications(name.lower()) for name in ("BTEC", "WMT")}, Bleu(tokenize="none")
    metrics = (bleu, EXACT_METEOR, SHIPPED_METRIC)
    test = {name: [pair.test.statistics(metric) for metric in metrics] for name, pair in pairs.items()}
    return test, {name: [pair.dev.statistics(bleu)] for name, pair in pairs.items()}


def load_outputs() -> dict[str, pd.DataFrame]:
    """Load what all runs that ship output for the test set, to read the made-up sentences.

    Returns
    -------
    dict of str to DataFrame
        By corpus: an outputs frame, one row per system, run and segment.
    """
    return {name: load_replications(name.lower()).test.to_frame() for name in ("BTEC", "WMT")}


def _read_arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
        return dict(arrays)


def _decode_meteor(test: RunOutputs, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    statistics = {system: arrays[system].astype(np.int64) for system in SYSTEMS}
    for system, rows in statistics.items():
        n_texts = len(test.systems[system].texts)
        if len(rows) != n_texts:
            raise ValueError(f"METEOR of {len(rows)} hypotheses of {system}, which has {n_texts}")
    return statistics


def _decode(name: str, arrays: Mapping[str, np.ndarray]) -> Replications:
    parts = {}
    for part in ("dev", "test"):
        systems = {system: _decode_hypotheses(arrays, f"{part}.{system}") for system in SYSTEMS}
        n_segments = len(arrays[f"{part}.{SYSTEMS[0]}.sizes"])
        references = _texts(arrays[f"{part}.references"]).reshape(n_segments, -1)
        known: dict[Metric, dict[str, np.ndarray]] = {}
        if part == "test":
            known[SHIPPED_METRIC] = {system: arrays[f"{part}.{system}.ter"].astype(np.float64) for system in SYSTEMS}
        parts[part] = RunOutputs(references, systems, known)
    weights = {system: arrays[f"{system}.weights"] for system in SYSTEMS}
    return Replications(name, parts["dev"], parts["test"], weights)


def _decode_hypotheses(arrays: Mapping[str, np.ndarray], prefix: str) -> DistinctHypotheses:
    sizes = arrays[f"{prefix}.sizes"].astype(np.int64)
    return DistinctHypotheses(
        texts=_texts(arrays[f"{prefix}.texts"]),
        segments=np.repeat(np.arange(len(sizes)), sizes),
        chosen=arrays[f"{prefix}.chosen"] + (np.cumsum(sizes) - sizes),
    )


def _texts(content: np.ndarray) -> np.ndarray:
    return np.array(content.tobytes().decode("utf-8").split("\n"), dtype=object)
