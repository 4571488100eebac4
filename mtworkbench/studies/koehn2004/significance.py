"""Paired bootstrap on many samples of one large test set: Koehn (2004), §6-7, Figs. 7-8, Tables 3-4.

All draw sentences, as the paper did, unless they are told to draw documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference.bootstrap import count_wins, resample_scores
from mtworkbench.inference.checks import choose_n_resamples
from mtworkbench.inference.samples import resample_samples
from mtworkbench.inference.units import choose_units
from mtworkbench.metrics import Metric
from mtworkbench.resampling import (
    COINS,
    broad_samples,
    exchange_coins,
    random_samples,
    resolve_rng,
)
from mtworkbench.segment_statistics import SegmentStatistics, SystemStatistics

#: Koehn (2004), Table 4: lower ends of the bins of confidence, in %.
CONFIDENCE_BINS = (100, 99, 98, 95, 90, 80, 70, 60, 50)
#: Koehn (2004), Table 3: sample sizes; the 30,000 sentences make 300, 100, 50 and 10 samples.
SAMPLE_SIZES = (100, 300, 600, 3000)


def direction(metric: Metric) -> int:
    """Return 1 where higher scores are better, -1 where lower ones are.

    Raises
    ------
    InputError
        For a metric that does not say (code ``"direction"``).
    """
    if metric.higher_is_better is None:
        raise InputError(
            "direction",
            f"{metric.name} does not say which of two scores is better, so that no system can win a resample: "
            "take a metric with a direction.",
        )
    return 1 if metric.higher_is_better else -1


def conclude(
    statistics: SegmentStatistics,
    pairs: Iterable[tuple[str, str]],
    samples: Sequence[np.ndarray],
    *,
    n_resamples: int | None = None,
    level: float = 0.95,
    unit: str = "segment",
    rng=None,
) -> pd.DataFrame:
    """Draw a conclusion about each pair of systems on each sample by paired bootstrap (Koehn (2004), §6, Figs. 7-8).

    Parameters
    ----------
    statistics : SegmentStatistics
    pairs : iterable of (str, str)
        Names of systems; the paper names the better first.
    samples : sequence of ndarray
        Positions of segments, one array per sample.
    n_resamples : int, optional
        Resamples of each sample; by default 1,000, or 20 / (1 - level) if that is larger (2,000 at 99 %).
    level : float
        The share of resamples that a system must win.
    unit : {"segment", "document", "auto"}
        What is drawn within a sample; the paper draws segments.
    rng : int, numpy.random.Generator or None
        All pairs share the draws of a sample.

    Returns
    -------
    DataFrame
        One row a (pair, sample): ``a``, ``b``, ``sample`` (from 1), ``segments``, ``difference`` (a - b on the sample),
        ``true_difference`` (on the whole test set), ``confidence`` (share of resamples that a wins), ``wins``,
        ``losses``, ``ties``, ``conclusion`` (the system concluded to be better; empty where none is), ``correct``
        (whether the one that wins more resamples is the truly better).
    """
    n_resamples = choose_n_resamples(n_resamples, level)
    pairs = list(pairs)
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    systems = [statistics[name] for name in names]
    drawn = resample_samples(systems, samples, n_resamples=n_resamples, unit=unit, rng=rng)
    sign = direction(statistics.metric)
    enough = level * n_resamples
    frames = []
    for a, b in pairs:
        wins, losses, ties = drawn.wins(a, b)
        truth = float(statistics[a].score().mean() - statistics[b].score().mean())
        frame = pd.DataFrame(
            {
                "a": a,
                "b": b,
                "sample": np.arange(1, len(samples) + 1),
                "segments": [len(sample) for sample in samples],
                "difference": drawn.scores[drawn.position(a)] - drawn.scores[drawn.position(b)],
                "true_difference": truth,
                "confidence": wins / n_resamples,
                "wins": wins,
                "losses": losses,
                "ties": ties,
                "conclusion": np.select([wins >= enough, losses >= enough], [a, b], ""),
                "correct": (wins >= losses) == (sign * truth >= 0),
            }
        )
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def conclude_on_sizes(
    statistics: SegmentStatistics,
    pairs: Iterable[tuple[str, str]],
    sizes: Sequence[int] | None = None,
    *,
    n_resamples: int | None = None,
    level: float = 0.95,
    rng=None,
) -> pd.DataFrame:
    """Draw conclusions on broad samples of several sizes (Koehn (2004), §7, the draws behind Tables 3 and 4).

    Parameters
    ----------
    statistics, pairs, n_resamples, level, rng
        As of `conclude`.
    sizes : sequence of int, optional
        Segments in a sample: of the paper's 100, 300, 600 and 3,000 those that the test set holds, unless given.

    Returns
    -------
    DataFrame
        The rows of `conclude` for each size, with ``size`` before them. The same ``rng`` gives the rows of one size the
        same numbers, whichever other sizes are asked for.
    """
    pairs = list(pairs)
    randomness = resolve_rng(rng)
    n = len(statistics.test_set)
    if sizes is None:
        sizes = [size for size in SAMPLE_SIZES if size <= n] or SAMPLE_SIZES[:1]
    frames = []
    for size in sizes:
        if not 1 <= size <= n:
            raise InputError(
                "sample-size", f"Samples of {size} segments were asked for, but the test set has {n} segments."
            )
        samples = broad_samples(n, n // size)
        frame = conclude(statistics, pairs, samples, n_resamples=n_resamples, level=level, rng=randomness)
        frame.insert(2, "size", size)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def tabulate_conclusions(conclusions: pd.DataFrame) -> pd.DataFrame:
    """Count correct and wrong conclusions by pair and sample size (Koehn (2004), Table 3).

    Parameters
    ----------
    conclusions : DataFrame
        Of `conclude_on_sizes`.

    Returns
    -------
    DataFrame
        One row a (pair, size): ``a``, ``b``, ``true_difference``, ``size``, ``samples``, ``correct_percent``,
        ``wrong_percent`` of the samples.
    """
    drawn = conclusions["conclusion"] != ""
    marked = conclusions.assign(right=drawn & conclusions["correct"], wrong=drawn & ~conclusions["correct"])
    table = (
        marked.groupby(["a", "b", "true_difference", "size"], sort=False)
        .agg(samples=("sample", "size"), correct_percent=("right", "mean"), wrong_percent=("wrong", "mean"))
        .reset_index()
    )
    table[["correct_percent", "wrong_percent"]] *= 100
    return table


def bin_conclusions(conclusions: pd.DataFrame, bins: Sequence[float] = CONFIDENCE_BINS) -> pd.DataFrame:
    """Sort all conclusions into bins of confidence and ask how many were right (Koehn (2004), Table 4).

    The confidence is that of the system that wins more resamples, so at least 50 % but for ties.

    Parameters
    ----------
    conclusions : DataFrame
        Of `conclude` or `conclude_on_sizes`.
    bins : sequence of float
        Lower ends in %, from the highest; what lies below the last is counted there.

    Returns
    -------
    DataFrame
        One row a bin: ``bin`` ("95%-97.9%"), ``lowest``, ``mean_confidence`` (%), ``conclusions``, ``correct_percent``,
        ``low``, ``high``: Clopper-Pearson interval (95 %) of the share correct, in %.
    """
    from scipy.special import betaincinv

    resamples = conclusions[["wins", "losses", "ties"]].sum(axis=1)
    confidence = 100 * conclusions[["wins", "losses"]].max(axis=1) / resamples
    uppers = [None, *bins[:-1]]
    rows = []
    for lowest, upper in zip(bins, uppers, strict=True):
        inside = (confidence >= lowest - 1e-9) if lowest > bins[-1] else np.ones(len(confidence), dtype=bool)
        if upper is not None:
            inside &= confidence < upper - 1e-9
        n, right = int(inside.sum()), int(conclusions["correct"][inside].sum())
        rows.append(
            {
                "bin": "100%" if lowest == 100 else f"{lowest:g}%-{100 if upper is None else upper - 0.1:g}%",
                "lowest": lowest,
                "mean_confidence": confidence[inside].mean() if n else np.nan,
                "conclusions": n,
                "correct_percent": 100 * right / n if n else np.nan,
                "low": 100 * float(betaincinv(right, n - right + 1, 0.025)) if right else 0.0,
                "high": 100 * float(betaincinv(right + 1, n - right, 0.975)) if right < n else 100.0,
            }
        )
    return pd.DataFrame(rows)


def bin_by_difference(
    conclusions: pd.DataFrame, edges: Sequence[float] = (0, 1, 2, np.inf), bins: Sequence[float] = (95, 80, 50)
) -> pd.DataFrame:
    """Ask of close and of clear differences apart how often conclusions of a confidence are right.

    Parameters
    ----------
    conclusions : DataFrame
        Of `conclude` or `conclude_on_sizes`.
    edges : sequence of float
        Of the classes of absolute true differences, in points of the metric.
    bins : sequence of float
        As of `bin_conclusions`.

    Returns
    -------
    DataFrame
        The rows of `bin_conclusions` for each class that has conclusions, with ``true_difference`` ("1 to 2") before
        them.
    """
    size = conclusions["true_difference"].abs()
    frames = []
    for low, high in zip(edges[:-1], edges[1:], strict=True):
        part = conclusions[(size >= low) & (size < high)]
        if len(part):
            name = f"{low:g} to {high:g}" if np.isfinite(high) else f"{low:g} or more"
            frame = bin_conclusions(part, bins)
            frame.insert(0, "true_difference", name)
            frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def conclude_under_null(
    a: SystemStatistics,
    b: SystemStatistics,
    size: int,
    *,
    n_repetitions: int = 2000,
    n_resamples: int = 1000,
    rng=None,
) -> pd.DataFrame:
    """Count how often the paired bootstrap finds the better of two equally good systems.

    In each repetition a sample is drawn without replacement from the whole test set and a coin decides for every
    segment which of its two outputs goes to which side: two sides between which there is no difference but chance.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one run each; of several, the first is taken.
    size : int
        Segments in a sample.
    n_repetitions, n_resamples : int
    rng : int, numpy.random.Generator or None
        Repetition r draws as sample r of the study.

    Returns
    -------
    DataFrame
        One row a repetition: ``repetition`` (from 1), ``difference``, ``confidence`` (share of resamples that the first
        side wins), ``against`` (that the second wins).
    """
    direction(a.metric)
    randomness = resolve_rng(rng)
    rows = []
    for repetition in range(1, n_repetitions + 1):
        own = randomness.sample(repetition)
        sample = random_samples(a.n_segments, size, 1, rng=own)[0]
        test_set = a.test_set.take(sample)
        coins = exchange_coins(size, 0, 1, key=own.stream(COINS))[0].astype(bool)[:, None]
        left, right = a.values[0, sample], b.values[0, sample]
        sides = [
            SystemStatistics(a.metric, "first", np.where(coins, right, left)[None], test_set),
            SystemStatistics(b.metric, "second", np.where(coins, left, right)[None], test_set),
        ]
        drawn = resample_scores(sides, choose_units(test_set, "segment"), n_resamples, own)
        wins, losses, _ = count_wins(drawn[0][:, 0], drawn[1][:, 0], a.metric)
        rows.append(
            {
                "repetition": repetition,
                "difference": float(sides[0].score()[0, 0] - sides[1].score()[0, 0]),
                "confidence": wins / n_resamples,
                "against": losses / n_resamples,
            }
        )
    return pd.DataFrame(rows)
