"""One test set, used again and again by a system that is tuned on it: Koehn (2004), §3 and §8 advise against it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference.bootstrap import count_wins, resample_scores
from mtworkbench.inference.units import choose_units
from mtworkbench.inference.verdicts import monte_carlo_ends
from mtworkbench.resampling import COINS, exchange_coins, random_samples, resolve_rng
from mtworkbench.segment_statistics import SystemStatistics
from mtworkbench.studies.koehn2004.significance import direction


def reuse_test_set(
    a: SystemStatistics,
    b: SystemStatistics,
    size: int | None = None,
    *,
    counts: Sequence[int] = (1, 2, 5, 10, 20),
    n_repetitions: int = 1000,
    n_resamples: int = 500,
    rng=None,
) -> pd.DataFrame:
    """Choose the best of several equally good variants on a test set, then test it on the same test set.

    A baseline and its variants are equally good by construction: a coin per segment decides whether a variant's output
    is that of ``a`` or of ``b``. In each repetition a test set and as many fresh segments are drawn, without
    replacement. The variant with the best score on the test set is compared with the baseline there, by the paired
    bootstrap, and scored on the fresh segments. A system that is changed k times, and keeps each change that raises
    the score on the same test set, ends with the best of k.

    Parameters
    ----------
    a, b : SystemStatistics
        If a system has several runs, the first is taken.
    size : int, optional
        Segments in the test set. By default 300, or half of all segments if there are fewer than 600.
    counts : sequence of int
        How many variants are tried.
    n_repetitions, n_resamples : int
    rng : int, numpy.random.Generator or None
        Repetition r draws as sample r of the study.

    Returns
    -------
    DataFrame
        One row per (repetition, count): ``repetition`` (from 1), ``segments``, ``variants``, ``gain`` of the
        chosen variant over the baseline on the test set and ``fresh_gain`` on the fresh segments (in points of the
        metric, positive: better), ``confidence`` (share of the test set's resamples that it wins).

    Raises
    ------
    InputError
        If there are too few segments for a test set and fresh ones, or the metric has no direction.
    """
    sign = direction(a.metric)
    size = min(300, a.n_segments // 2) if size is None else size
    if not 1 <= 2 * size <= a.n_segments:
        raise InputError(
            "sample-size",
            f"A test set of {size} segments and {size} fresh ones were asked for, but there are {a.n_segments}: "
            f"take at most {a.n_segments // 2}.",
        )
    randomness = resolve_rng(rng)
    rows = []
    for repetition in range(1, n_repetitions + 1):
        own = randomness.sample(repetition)
        drawn = random_samples(a.n_segments, 2 * size, 1, rng=own)[0]
        tested = random_samples(2 * size, size, 1, rng=own.sample(1))[0]
        fresh = np.setdiff1d(np.arange(2 * size), tested)
        coins = exchange_coins(2 * size, 0, 1 + max(counts), key=own.stream(COINS)).astype(np.float64)
        outputs = a.values[0, drawn].astype(np.float64), b.values[0, drawn].astype(np.float64)
        gains, fresh_gains = (_gains(a, outputs, coins, part) * sign for part in (tested, fresh))
        chosen = [1 + int(np.argmax(gains[1 : count + 1])) for count in counts]
        test_set = a.test_set.take(drawn[tested])
        variants = list(dict.fromkeys(chosen))
        left, right = (one[tested] for one in outputs)
        mixtures = [np.where(coins[one, tested, None] == 1, right, left)[None] for one in (0, *variants)]
        systems = [SystemStatistics(a.metric, str(n), values, test_set) for n, values in enumerate(mixtures)]
        resampled = resample_scores(systems, choose_units(test_set, "segment"), n_resamples, own)
        baseline, *scores = (one[:, 0] for one in resampled)
        wins = {one: count_wins(score, baseline, a.metric)[0] for one, score in zip(variants, scores, strict=True)}
        rows += [
            {
                "repetition": repetition,
                "segments": size,
                "variants": count,
                "gain": gains[one],
                "fresh_gain": fresh_gains[one],
                "confidence": wins[one] / n_resamples,
            }
            for count, one in zip(counts, chosen, strict=True)
        ]
    return pd.DataFrame(rows)


def summarize_reuse(frame: pd.DataFrame, *, level: float = 0.95) -> pd.DataFrame:
    """Count how often the chosen variant is called better, and average what it gains.

    Parameters
    ----------
    frame : DataFrame
        Of `reuse_test_set`.
    level : float
        The share of resamples that makes a conclusion.

    Returns
    -------
    DataFrame
        One row per number of variants: ``variants``, ``segments``, ``test_sets``, ``called_better_percent`` with
        ``low``, ``high`` (Clopper-Pearson, 95 %), ``gain``, ``fresh_gain`` (means) and ``fresh_error``, the standard
        error of the latter.
    """
    rows = []
    for variants, part in frame.groupby("variants", sort=False):
        n, called = len(part), int((part["confidence"] >= level - 1e-12).sum())
        low, high = monte_carlo_ends(called, n)
        rows.append(
            {
                "variants": variants,
                "segments": part["segments"].iloc[0],
                "test_sets": n,
                "called_better_percent": 100 * called / n,
                "low": 100 * low,
                "high": 100 * high,
                "gain": part["gain"].mean(),
                "fresh_gain": part["fresh_gain"].mean(),
                "fresh_error": part["fresh_gain"].std(ddof=1) / np.sqrt(n),
            }
        )
    return pd.DataFrame(rows)


def _gains(
    system: SystemStatistics, outputs: tuple[np.ndarray, np.ndarray], coins: np.ndarray, part: np.ndarray
) -> np.ndarray:
    """Score each mixture on some of the segments, minus the first mixture."""
    left, right = (one[part] for one in outputs)
    scores = system.metric.score(left.sum(axis=0) + coins[:, part] @ (right - left))
    return scores - scores[0]
