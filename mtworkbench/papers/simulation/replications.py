"""Replications: a pair of made-up systems, each tuned many times, and what every run outputs.

The runs of a system see the same lists and start from the same weights; they differ in where the optimizer restarts and
in which directions it looks, and so in the local optima they end in. No score is drawn from any law.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.papers.simulation.made_up_lists import Decoder, Task, make_lists, make_sentences
from mtworkbench.papers.simulation.mert import Mert
from mtworkbench.papers.simulation.nbest import NBestLists, RunOutputs
from mtworkbench.resampling import RngLike, resolve_rng

# Samples of a pair's random_key: its two sets of sentences; the next ones are the optimizers' of its systems.
DEV, TEST = 1, 2


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
        for number, (system, decoder) in enumerate(zip("AB", pair.decoders, strict=True))
    }
