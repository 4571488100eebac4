"""Tests that see the scores of runs alone, beside the crossed analysis for teaching; and what few runs cannot show.

Both take the test set for all there is: that other sentences would give other scores is not in them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.inference.families import check_comparable, name_pair
from mtworkbench.inference.intervals import TIE, judge_by_t, share_extreme
from mtworkbench.inference.score_table import pair_table
from mtworkbench.resampling import RngLike, random_samples, resolve_rng
from mtworkbench.results.estimates import PairDifference
from mtworkbench.results.settings import check_draws, check_level, write_signature
from mtworkbench.statistics.segment_statistics import SystemStatistics

#: Up to so many ways to split the runs, all are enumerated (10 and 10 runs have 184,756).
MAX_EXACT_SPLITS = 200_000
#: From so many runs on, how much runs vary is known well enough not to be warned about.
ENOUGH_RUNS = 10


def lay_end_to_end(system: SystemStatistics) -> SystemStatistics:
    """Take the outputs of all runs for one output, as MultEval does: segment by segment, each run with its share.

    Its score is that of the statistics averaged over runs, where the score of a system is otherwise the mean of the
    scores of its runs. Output number ``segment * n_runs + run`` is that of the run.
    """
    n_runs = system.n_runs
    values = np.moveaxis(system.values, 0, 1).reshape(1, -1, system.values.shape[2]) / n_runs
    test_set = system.test_set.take(np.repeat(np.arange(system.n_segments), n_runs))
    return replace(system, values=values, test_set=test_set, given_names=())


@dataclass(frozen=True, repr=False, eq=False)
class RunPermutation(PairDifference):
    """Two systems' runs, split anew in every possible way or at random.

    Parameters
    ----------
    a, b, metric : str
    difference : float
        Mean score of a's runs - mean score of b's.
    p_value : float
        Two-sided; (b + 1) / (B + 1), or the share of all splits where exact.
    p_low, p_high : float
        95 % interval of p's own simulation error; both p where exact.
    smallest_p : float
        What p cannot go below with so few runs: 0.10 for three and three.
    exact : bool
    n_splits : int
        Splits that were made.
    runs_a, runs_b : int
    rng : int or None
    signature : str
    differences : (n_splits,) ndarray
    """

    p_value: float
    p_low: float
    p_high: float
    smallest_p: float
    exact: bool
    n_splits: int
    runs_a: int
    runs_b: int
    rng: int | str | None
    signature: str
    differences: np.ndarray = field(repr=False)


@dataclass(frozen=True, repr=False, eq=False)
class RunTTest(PairDifference):
    """Student's t-test of two systems' run scores.

    Parameters
    ----------
    a, b, metric : str
    difference : float
        Mean score of a's runs - mean score of b's.
    low, high : float or None
        Its interval; None, as p, where there is a difference but no run departs from its system's others.
    p_value : float or None
    df : int
        Degrees of freedom: the runs of both, less two.
    level : float
    runs_a, runs_b : int
    signature : str
    """

    low: float | None
    high: float | None
    p_value: float | None
    df: int
    level: float
    runs_a: int
    runs_b: int
    signature: str


def permute_runs(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    n_trials: int = 10_000,
    rng: RngLike = None,
) -> RunPermutation:
    """Test whether two systems' run scores differ by more than other splits of the same runs would.

    What it ignores: that other sentences would give other scores. Where methods do better on different sentences, it
    mistakes a chance advantage on this test set for a better method, as `t_test_runs` does. And three and three runs
    cannot go below p = 0.10.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set.
    n_trials : int
        Random splits, where there are more than 200,000; else all splits are enumerated.
    rng : int, numpy.random.Generator or None
        Seed; None draws one, which is recorded.

    Returns
    -------
    RunPermutation

    Raises
    ------
    InputError
        Where the systems cannot be compared, or a system has one run.
    """
    check_draws("n_trials", n_trials)
    random_key = resolve_rng(rng)
    scores_a, scores_b = run_scores(a, b)
    scores = np.concatenate([scores_a, scores_b])
    n_runs, runs_a = len(scores), len(scores_a)
    exact = math.comb(n_runs, runs_a) <= MAX_EXACT_SPLITS
    splits: Iterable[Sequence[int] | np.ndarray] = combinations(range(n_runs), runs_a)
    if not exact:
        splits = random_samples(n_runs, runs_a, n_trials, rng=random_key)
    differences = split_differences(scores, splits, runs_a)
    difference = float(scores_a.mean() - scores_b.mean())
    n_extreme = int(np.count_nonzero(np.abs(differences) >= abs(difference) - TIE * np.abs(scores).max()))
    n_splits = len(differences)
    p_value, p_low, p_high = share_extreme(n_extreme, n_splits, exact)
    return RunPermutation(
        **name_pair(a, b),
        difference=difference,
        p_value=p_value,
        p_low=p_low,
        p_high=p_high,
        smallest_p=smallest_p_of_runs(runs_a, n_runs - runs_a),
        exact=exact,
        n_splits=n_splits,
        runs_a=runs_a,
        runs_b=n_runs - runs_a,
        rng=random_key.rng,
        signature=write_signature(
            "runs", random_key, metric=a.signature, unit="run", trials="exact" if exact else n_trials
        ),
        differences=differences,
    )


def t_test_runs(a: SystemStatistics, b: SystemStatistics, *, level: float = 0.95) -> RunTTest:
    """Test by Student's t, with one variance for both systems, whether their run scores have the same mean.

    What it ignores: that other sentences would give other scores. Where methods do better on different sentences, it
    mistakes a chance advantage on this test set for a better method. Where methods x sentences vary as much as the
    rest, and runs as a whole do not vary, theory gives 23.7 % errors at 5 % with three runs of each, 53.4 % with ten;
    docs/validity.md has what was measured. And it assumes that scores of runs are normally distributed, which three of
    them cannot show.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set.
    level : float

    Returns
    -------
    RunTTest

    Raises
    ------
    InputError
        Where the systems cannot be compared, or a system has one run.
    """
    check_level(level)
    scores = run_scores(a, b)
    means = [float(runs.mean()) for runs in scores]
    difference, scale = means[0] - means[1], max(map(abs, means))
    df = len(scores[0]) + len(scores[1]) - 2
    pooled = sum(float(np.sum((runs - runs.mean()) ** 2)) for runs in scores) / df
    error = math.sqrt(pooled * sum(1 / len(runs) for runs in scores))
    p_value, low, high, _ = judge_by_t(difference, error, df, level, scale)
    return RunTTest(
        **name_pair(a, b),
        difference=difference,
        low=low,
        high=high,
        p_value=p_value,
        df=df,
        level=float(level),
        runs_a=len(scores[0]),
        runs_b=len(scores[1]),
        signature=write_signature("t", None, metric=a.signature, unit="run", level=f"{level:g}"),
    )


def run_scores(a: SystemStatistics, b: SystemStatistics) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of both systems' runs, on the segments that both have scores for.

    Raises
    ------
    InputError
        Where the systems cannot be compared, or a system has one run.
    """
    check_comparable(a, b)
    for system in (a, b):
        if system.n_runs < 2:
            raise InputError(
                "few-runs",
                f"{system.system!r} has one run, but testing the difference needs at least two runs per system: make "
                "more runs, or test these outputs with approximate_randomization.",
            )
    scores_a, scores_b = pair_table(a, b).scores
    return scores_a, scores_b


def split_differences(scores: np.ndarray, splits: Iterable[Iterable[int]], runs_a: int) -> np.ndarray:
    """Return the difference of means of each split, given by the positions of the runs on a's side."""
    chosen = np.fromiter(chain.from_iterable(splits), dtype=np.int64).reshape(-1, runs_a)
    sums = scores[chosen].sum(axis=1)
    return sums / runs_a - (scores.sum() - sums) / (len(scores) - runs_a)


def smallest_p_of_runs(runs_a: int, runs_b: int) -> float:
    """Return the smallest p that a permutation of runs can have: 0.10 for three and three."""
    splits = math.comb(runs_a + runs_b, runs_a)
    return (2 if runs_a == runs_b else 1) / splits


def spread_factors(n_runs: int) -> tuple[float, float]:
    """Return the 95 % interval of a standard deviation over normal runs, in multiples of what was found.

    Three runs: 0.52 to 6.3.
    """
    from mtworkbench.distributions import chdtri

    df = n_runs - 1
    return math.sqrt(df / float(chdtri(df, 0.025))), math.sqrt(df / float(chdtri(df, 0.975)))


def largest_ratio_by_chance(n_runs: int) -> float:
    """Return the ratio of two standard deviations over so many normal runs that chance exceeds in 2.5 % of cases."""
    from mtworkbench.distributions import fdtri

    return math.sqrt(float(fdtri(n_runs - 1, n_runs - 1, 0.975)))
