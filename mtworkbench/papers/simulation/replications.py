"""Replications: a pair of made-up systems, each tuned many times, and what every run outputs.

The runs of a system see the same lists and start from the same weights; they differ in where the optimizer restarts and
in which directions it looks, and so in the local optima they end in. No score is drawn from any law.

The file of a pair that ships is an npz without pickle: of each set the references, of each system and set the distinct
hypotheses, which of them each run chose, and, because it is slow, their TER; of each system the weights that its runs
ended with. A second file has the METEOR of the distinct hypotheses, which needs a program that does not ship.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.metrics import Bleu, Meteor, Metric, Ter
from mtworkbench.papers.simulation.made_up_lists import Decoder, Task, make_lists, make_sentences
from mtworkbench.papers.simulation.mert import Mert
from mtworkbench.papers.simulation.nbest import DistinctHypotheses, NBestLists, RunOutputs
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.files import DAMAGE
from mtworkbench.statistics.segment_statistics import SegmentStatistics

# Samples of a pair's random_key: its two sets of sentences; the next ones are the optimizers' of its systems.
DEV, TEST = 1, 2
SYSTEMS = ("A", "B")
SHIPPED_METRIC = Ter()
#: Pseudo-words have no stems and no synonyms, and they are function words only by accident. So words match by the exact
#: module alone, and delta is 0.5: all words weigh alike. The other parameters are those of English.
EXACT_METEOR = Meteor(language="en", modules="exact", parameters="0.85 0.2 0.6 0.5", norm=False)


@dataclass(frozen=True)
class MadeUpPair:
    """Two made-up systems on one made-up task, in the manner of one of the pairs of Clark et al. (2011), §4.

    Parameters
    ----------
    name : str
    task : Task
    decoders : tuple of Decoder
        Of system A and of system B.
    mert : Mert
    n_dev, n_test : int
        Segments in the tuning set and in the test set.
    n_runs : int
        How often each system is tuned.
    rng : int
        Of the shipped instance.
    """

    name: str
    task: Task
    decoders: tuple[Decoder, Decoder]
    mert: Mert
    n_dev: int
    n_test: int
    n_runs: int
    rng: int


@dataclass(frozen=True, eq=False)
class TuningLists:
    """The n-best lists of one system, to tune on and to translate with.

    Parameters
    ----------
    dev, test : NBestLists
    start : (n_features,) ndarray
        The weights from which tuning starts.
    """

    dev: NBestLists = field(repr=False)
    test: NBestLists = field(repr=False)
    start: np.ndarray


@dataclass(frozen=True, eq=False)
class Replications:
    """What all runs of a pair of systems came to.

    Parameters
    ----------
    name : str
        Of the pair.
    dev, test : RunOutputs
        What the runs output for the tuning set and for the test set.
    weights : dict of str to (n_runs, n_features) ndarray
        What each run of a system ended with.
    """

    name: str
    dev: RunOutputs = field(repr=False)
    test: RunOutputs = field(repr=False)
    weights: dict[str, np.ndarray] = field(repr=False)


BTEC = MadeUpPair(
    name="BTEC",
    task=Task(8, 0.4, n_references=4, paraphrases=0.2, difficulty=1.0, word_difficulty=1.4),
    decoders=(Decoder(0.505, 0.6, 0.4, 50, 15, 8.0), Decoder(0.49, 0.6, 0.4, 50, 15, 8.0)),
    mert=Mert(restarts=8, random_directions=5),
    n_dev=200,
    n_test=500,
    n_runs=300,
    rng=1,
)
WMT = MadeUpPair(
    name="WMT",
    task=Task(22, 0.5, n_references=1, paraphrases=0.25, difficulty=0.8, word_difficulty=1.4),
    decoders=(Decoder(0.468, 0.6, 0.3, 50, 10, 10.0), Decoder(0.462, 0.6, 0.3, 50, 10, 10.0)),
    mert=Mert(restarts=3, random_directions=5),
    n_dev=800,
    n_test=3003,
    n_runs=50,
    rng=102,
)
#: The made-up pairs that ship, by the name of their data.
PAIRS = {"btec": BTEC, "wmt": WMT}


def find_pair(name: str) -> MadeUpPair:
    """Return a pair by its name, ``"btec"`` or ``"wmt"``.

    Raises
    ------
    InputError
        ``unknown-pair``.
    """
    if name.lower() not in PAIRS:
        raise InputError("unknown-pair", f"There is no made-up pair {name!r}: the pairs are {', '.join(PAIRS)}.")
    return PAIRS[name.lower()]


def make_pair_lists(pair: MadeUpPair, *, rng: RngLike = None) -> dict[str, TuningLists]:
    """Make up the n-best lists of both systems of a pair.

    Parameters
    ----------
    pair : MadeUpPair
    rng : int, numpy.random.Generator, RandomKey or None
        See `mtworkbench.resampling.resolve_rng`; ``pair.rng`` gives the lists of the shipped instance.

    Returns
    -------
    dict of str to TuningLists
        Of the systems A and B.
    """
    random_key = resolve_rng(rng)
    dev = make_sentences(pair.task, pair.n_dev, rng=random_key.sample(DEV))
    test = make_sentences(pair.task, pair.n_test, rng=random_key.sample(TEST))
    return {
        system: TuningLists(
            dev=make_lists(dev, decoder, number, rng=random_key),
            test=make_lists(test, decoder, number, rng=random_key),
            start=decoder.start,
        )
        for number, (system, decoder) in enumerate(zip(SYSTEMS, pair.decoders, strict=True))
    }


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
