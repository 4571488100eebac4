"""Replications: a pair of made-up systems, each tuned many times, and what every run outputs.

The runs of a system see the same lists and start from the same weights; they differ in where the optimizer restarts and
in which directions it looks, and so in the local optima they end in. No score is drawn from any law.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.papers.simulation.made_up_lists import Decoder, Task, make_lists, make_sentences
from mtworkbench.papers.simulation.mert import Mert, tune
from mtworkbench.papers.simulation.nbest import DistinctHypotheses, NBestLists, RunOutputs
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike, resolve_rng

# Samples of a pair's random_key: its two sets of sentences, then one for the optimizer of each system.
DEV, TEST, FIRST_OPTIMIZER = 1, 2, 3


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
#: What may be changed with `change_setting`.
SETTINGS = ("restarts", "random_directions", "n_hypotheses", "n_features", "n_dev", "n_references")
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


def change_setting(pair: MadeUpPair, setting: str, value: int) -> MadeUpPair:
    """Change one of the things that optimizer instability may depend on (Clark et al. (2011), §4.1).

    Parameters
    ----------
    pair : MadeUpPair
    setting : {"restarts", "random_directions", "n_hypotheses", "n_features", "n_dev", "n_references"}
        Random restarts and directions of the optimizer; size of the n-best lists; number of features; segments in the
        tuning set; references. What the draws of smaller and larger values share, stays the same.
    value : int

    Raises
    ------
    InputError
        ``unknown-setting``.
    """
    if setting in ("restarts", "random_directions"):
        return replace(pair, mert=replace(pair.mert, **{setting: value}))
    if setting in ("n_hypotheses", "n_features"):
        first, second = (replace(decoder, **{setting: value}) for decoder in pair.decoders)
        return replace(pair, decoders=(first, second))
    if setting == "n_dev":
        return replace(pair, n_dev=value)
    if setting == "n_references":
        return replace(pair, task=replace(pair.task, n_references=value))
    raise InputError("unknown-setting", f"There is no setting {setting!r}: the settings are {', '.join(SETTINGS)}.")


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
        system: DistinctHypotheses.of_places(one.hypotheses, np.array([one.choose(found) for found in weights[system]]))
        for system, one in lists.items()
    }
    return RunOutputs(next(iter(lists.values())).references, systems)


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
