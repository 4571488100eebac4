"""Blocks, broad samples and why they differ: Koehn (2004), §3, Figs. 2-4."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.resampling import RngLike, block_samples, broad_samples, random_samples
from mtworkbench.statistics.segment_statistics import SystemStatistics

SAMPLINGS = ("block", "broad", "random")


def choose_samples(n_segments: int, size: int, sampling: str = "broad", *, rng: RngLike = None) -> list[np.ndarray]:
    """Divide a test set into as many samples of one size as it holds (Koehn (2004), §3.2-3.3).

    Parameters
    ----------
    n_segments, size : int
        Segments in the test set and in each sample.
    sampling : {"block", "broad", "random"}
        Consecutive segments, every n-th segment, or segments drawn without replacement from the whole test set.
    rng : int, numpy.random.Generator or None
        For ``"random"`` alone.

    Returns
    -------
    list of ndarray of int64
        Positions of segments, counted from 0. Blocks drop a remainder, broad samples share it out. Where there is but
        one sample, a `DataWarning` (code ``one-sample``) says so.

    Raises
    ------
    InputError
        Where no sample fits into the test set, or for another way of sampling.
    """
    if sampling not in SAMPLINGS:
        raise InputError(
            "sampling", f"Samples can be chosen as {', '.join(map(repr, SAMPLINGS))}, but {sampling!r} was asked for."
        )
    if sampling == "block":
        samples = block_samples(n_segments, size)
    elif sampling == "broad":
        if not 1 <= size <= n_segments:
            raise InputError(
                "sample-size", f"A sample of {size} segments was asked for, but the test set has {n_segments} segments."
            )
        samples = broad_samples(n_segments, n_segments // size)
    else:
        samples = random_samples(n_segments, size, max(1, n_segments // max(1, size)), rng=rng)
    if len(samples) == 1:
        warnings.warn(
            DataWarning(
                "one-sample",
                f"{n_segments} segments make one sample of {size}, and one sample shows no spread: "
                "take smaller samples, or a larger test set.",
            ),
            stacklevel=2,
        )
    return samples


def score_samples(system: SystemStatistics, samples: Sequence[np.ndarray]) -> pd.DataFrame:
    """Score a system on each sample (Koehn (2004), Figs. 2 and 3).

    Parameters
    ----------
    system : SystemStatistics
    samples : sequence of ndarray
        Positions of segments, one array a sample.

    Returns
    -------
    DataFrame
        One row per sample: ``sample`` (from 1), ``segments``, ``score`` (mean of the runs' scores).
    """
    totals = np.stack([system.values[:, sample].sum(axis=1) for sample in samples])
    return pd.DataFrame(
        {
            "sample": np.arange(1, len(samples) + 1),
            "segments": [len(sample) for sample in samples],
            "score": system.metric.score(totals.astype(np.float64)).mean(axis=1),
        }
    )


def difference_samples(a: SystemStatistics, b: SystemStatistics, samples: Sequence[np.ndarray]) -> pd.DataFrame:
    """Take the difference of two systems on each sample (Koehn (2004), Fig. 4).

    Returns
    -------
    DataFrame
        One row per sample: ``sample`` (from 1), ``segments``, ``score_a``, ``score_b``, ``difference`` (a - b).
    """
    scores_a, scores_b = score_samples(a, samples), score_samples(b, samples)
    return scores_a.rename(columns={"score": "score_a"}).assign(
        score_b=scores_b["score"], difference=scores_a["score"] - scores_b["score"]
    )


def summarize_samplings(system: SystemStatistics, size: int, *, rng: RngLike = None) -> pd.DataFrame:
    """Compare how far scores spread over blocks, broad samples and random samples of one size.

    Returns
    -------
    DataFrame
        One row per way of sampling: ``sampling``, ``samples``, ``lowest``, ``highest``, ``mean``,
        ``standard_deviation``, ``effective_size``: how many segments drawn at random would spread as far.
    """
    rows = []
    for sampling in SAMPLINGS:
        scores = score_samples(system, choose_samples(system.n_segments, size, sampling, rng=rng))["score"]
        rows.append(
            {
                "sampling": sampling,
                "samples": len(scores),
                "lowest": scores.min(),
                "highest": scores.max(),
                "mean": scores.mean(),
                "standard_deviation": scores.std(ddof=1),
            }
        )
    frame = pd.DataFrame(rows)
    # A score's variance is the spread of the influence values over the segments, divided by the number of segments.
    spread = ScoreTable.of([system]).influence[0].std(ddof=1) * system.n_segments
    frame["effective_size"] = (spread / frame["standard_deviation"]) ** 2
    return frame


def autocorrelate(system: SystemStatistics, n_lags: int = 50) -> pd.DataFrame:
    """Correlate what neighbouring segments contribute to a score (Koehn (2004), §3.3: "clustered" factors).

    A segment's contribution is its influence value: by how much the corpus score changes where the segment is left out.
    (Scores of single segments would do as well, but BLEU is not their mean.)

    Parameters
    ----------
    system : SystemStatistics
    n_lags : int
        The farthest neighbour.

    Returns
    -------
    DataFrame
        One row per lag: ``lag`` (segments apart), ``autocorrelation``, ``noise``: 1.96 standard errors of a
        correlation that is truly 0.
    """
    influence = ScoreTable.of([system]).influence[0]
    influence = influence - influence.mean()
    n_lags = min(n_lags, len(influence) - 1)
    variance = np.mean(influence**2)
    products = [np.mean(influence[:-lag] * influence[lag:]) for lag in range(1, n_lags + 1)]
    return pd.DataFrame(
        {
            "lag": np.arange(1, n_lags + 1),
            "autocorrelation": np.array(products) / variance,
            "noise": 1.96 / np.sqrt(len(influence)),
        }
    )
