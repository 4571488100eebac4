"""Which run: the best, the median, the worst, or a few drawn at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.inference.replications import median_run
from mtworkbench.metrics.directions import sign_of
from mtworkbench.resampling import RESAMPLES, RandomKey, bootstrap_indices
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics

Pair = tuple[SystemStatistics, SystemStatistics]
#: Clark et al. (2011), Table 2: names of single runs, by their score.
NAMED_RUNS = ("low", "median", "high")
#: Numbers of replications that are averaged, unless others are asked for.
REPLICATIONS = (1, 2, 3, 5, 10, 25, 50)


def choose_pairs(
    test: Mapping[str, SegmentStatistics | Sequence[SegmentStatistics]],
) -> dict[str, Pair]:
    """Return the pair of each corpus that the figures and tests look at: its first two systems, by its first metric.

    Parameters
    ----------
    test : mapping of str to SegmentStatistics or sequence of SegmentStatistics
        By corpus; a sequence has one object per metric.

    Returns
    -------
    dict of str to (SystemStatistics, SystemStatistics)
        By corpus: the baseline (the paper's system A) and the experimental system (B).

    Raises
    ------
    InputError
        Where a corpus has a single system (``too-few-systems``).
    """
    pairs = {}
    for corpus, families in test.items():
        family = families if isinstance(families, SegmentStatistics) else families[0]
        names = list(family)[:2]
        if len(names) < 2:
            raise InputError(
                "too-few-systems", f"{corpus!r} has {len(names)} system, but two are needed to compare their runs."
            )
        pairs[corpus] = (family[names[0]], family[names[1]])
    return pairs


def figure_pairs(test: Mapping[str, SegmentStatistics | Sequence[SegmentStatistics]]) -> tuple[Pair, Pair]:
    """Return the pairs of Figures 1 and 2: that of the first and that of the last corpus (see `choose_pairs`)."""
    pairs = list(choose_pairs(test).values())
    return pairs[0], pairs[-1]


def rank_runs(system: SystemStatistics) -> np.ndarray:
    """Sort the runs of a system by their score, the worst first; equal ones stay in their order.

    Returns
    -------
    (n_runs,) ndarray of int64
        Positions of runs, counted from 0.
    """
    return np.argsort(sign_of(system.metric) * system.score()[0], kind="stable")


def find_run(system: SystemStatistics, which: str) -> int:
    """Find a run by its rank (Clark et al. (2011), Table 2).

    Parameters
    ----------
    system : SystemStatistics
    which : {"low", "median", "high"}
        The run with the worst, the median (see `median_run`) or the best score.

    Returns
    -------
    int
        Its number, counted from 1.
    """
    if which not in NAMED_RUNS:
        raise InputError(
            "named-run", f"A run can be named {', '.join(map(repr, NAMED_RUNS))}, but {which!r} was asked."
        )
    if which == "median":
        return median_run(system.score()[0])
    return int(rank_runs(system)[0 if which == "low" else -1]) + 1


def take_runs(system: SystemStatistics, runs: Sequence[int]) -> SystemStatistics:
    """Return the statistics of some runs, numbered from 1; a run may be taken more than once.

    Raises
    ------
    InputError
        ``unknown-run``.
    """
    for run in runs:
        if not 1 <= run <= system.n_runs:
            raise InputError(
                "unknown-run",
                f"There is no run {run} of {system.system!r}: its runs are numbered 1 to {system.n_runs}.",
            )
    return replace(system, values=system.values[np.asarray(runs, dtype=np.int64) - 1], given_names=())


def take_first(system: SystemStatistics, number: int) -> SystemStatistics:
    """Return the statistics of the first runs, all of them where there are no more than ``number``."""
    return take_runs(system, range(1, min(number, system.n_runs) + 1))


def draw_runs(system: SystemStatistics, number: int, n_draws: int, random_key: RandomKey) -> np.ndarray:
    """Draw runs of a system with replacement, many times.

    Draw d takes the first ``number`` indices of resample d of all runs, so that draws of five runs begin draws of
    fifty.

    Parameters
    ----------
    system : SystemStatistics
    number : int
        Runs a draw, at most those that there are.
    n_draws : int
    random_key : RandomKey

    Returns
    -------
    (n_draws, number) ndarray of int64
        Positions of runs, counted from 0.

    Raises
    ------
    InputError
        Where more runs are asked for than there are (``too-few-runs``).
    """
    if not 1 <= number <= system.n_runs:
        raise InputError(
            "too-few-runs",
            f"{number} runs were to be drawn from {system.system!r}, which has {system.n_runs}: ask for 1 to "
            f"{system.n_runs}.",
        )
    return bootstrap_indices(system.n_runs, 0, n_draws, key=random_key.stream(RESAMPLES))[:, :number]


def possible_replications(
    baseline: SystemStatistics, experimental: SystemStatistics, numbers: Sequence[int] = REPLICATIONS
) -> list[int]:
    """Return those numbers of replications that both systems have."""
    fewest = min(baseline.n_runs, experimental.n_runs)
    return [number for number in numbers if number <= fewest]
