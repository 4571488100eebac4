"""Blocks, broad samples and why they differ: Koehn (2004), §3, Figs. 2-4."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.blocks import autocorrelate as correlate
from mtworkbench.inference.blocks import noise_band
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.resampling import (
    SUBSAMPLES,
    RngLike,
    block_samples,
    broad_samples,
    random_samples,
    resolve_rng,
    uniforms,
)
from mtworkbench.statistics.segment_statistics import SystemStatistics

SAMPLINGS = ("block", "broad", "random")
#: The paper's test set, and how many samples of 300 segments it makes.
PAPER_SEGMENTS, PAPER_SAMPLES = 30_000, 100


def choose_samples(
    n_segments: int, size: int, sampling: str = "broad", *, anew: bool = False, rng: RngLike = None
) -> list[np.ndarray]:
    """Choose samples of one size from a test set (Koehn (2004), §3.2-3.3): separate ones if it holds enough of them.

    The paper's 30,000 sentences make 100 samples of 300. A test set that holds fewer samples than the paper's (100 at
    most) is not divided: as many samples as the paper has are drawn at random, and they overlap. Overlapping samples
    resemble one another, so they spread less than separate ones.

    Parameters
    ----------
    n_segments, size : int
        Segments in the test set and in each sample.
    sampling : {"block", "broad", "random"}
        Consecutive segments, every n-th segment, or segments drawn without replacement from the whole test set.
        Overlapping blocks begin at random places. An overlapping broad sample cuts the test set into as many equal
        parts as it has segments, and takes one segment of each part at random.
    anew : bool
        Whether blocks and broad samples are drawn as overlapping ones are, though separate ones fit: as many as there
        are separate ones. So other samples of the same kind can be seen.
    rng : int, numpy.random.Generator or None
        For ``"random"``, and for samples that overlap.

    Returns
    -------
    list of ndarray of int64
        Positions of segments, counted from 0. Separate blocks drop a remainder, separate broad samples share it out.
        If not even two separate samples fit, there is one, and a `DataWarning` (code ``one-sample``) says so.

    Raises
    ------
    InputError
        Where no sample fits into the test set, or for another way of sampling.
    """
    if sampling not in SAMPLINGS:
        raise InputError(
            "sampling", f"Samples can be chosen as {', '.join(map(repr, SAMPLINGS))}, but {sampling!r} was asked for."
        )
    if _must_overlap(n_segments, size) or (anew and 2 * size <= n_segments):
        return _overlapping_samples(n_segments, size, sampling, rng)
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


def count_paper_samples(size: int) -> int:
    """Return how many samples of a size the paper's test set makes, but at most the 100 of its figures."""
    return max(1, min(PAPER_SAMPLES, PAPER_SEGMENTS // size))


def _must_overlap(n_segments: int, size: int) -> bool:
    """Say whether a test set holds several samples of a size, but fewer than the paper has."""
    return size >= 1 and 2 <= n_segments // size < count_paper_samples(size)


def _overlapping_samples(n_segments: int, size: int, sampling: str, rng: RngLike) -> list[np.ndarray]:
    n_samples = max(count_paper_samples(size), n_segments // size)
    if sampling == "random":
        return random_samples(n_segments, size, n_samples, rng=rng)
    key = resolve_rng(rng).stream(SUBSAMPLES)
    if sampling == "block":
        last = n_segments - size
        starts = np.minimum((uniforms(key, 0, n_samples) * (last + 1)).astype(np.int64), last)
        return [np.arange(start, start + size) for start in starts]
    edges = np.arange(size + 1) * n_segments // size
    lengths = np.diff(edges)
    places = (uniforms(key, 0, n_samples * size).reshape(n_samples, size) * lengths).astype(np.int64)
    return list(edges[:-1] + np.minimum(places, lengths - 1))


def do_overlap(samples: Sequence[np.ndarray]) -> bool:
    """Say whether a segment is in two samples. Sizes do not tell: separate broad samples share out a remainder."""
    every = np.concatenate(samples)
    return len(np.unique(every)) < len(every)


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
        One row per sample: ``sample`` (from 1), ``segments``, ``overlapping`` (whether these samples share segments),
        ``score`` (mean of the runs' scores).
    """
    totals = np.stack([system.values[:, sample].sum(axis=1) for sample in samples])
    return list_samples(samples, system.metric.score(totals.astype(np.float64)).mean(axis=1))


def list_samples(samples: Sequence[np.ndarray], scores: np.ndarray) -> pd.DataFrame:
    """Make the frame of `score_samples` from the score of each sample."""
    return pd.DataFrame(
        {
            "sample": np.arange(1, len(samples) + 1),
            "segments": [len(sample) for sample in samples],
            "overlapping": do_overlap(samples),
            "score": scores,
        }
    )


def difference_samples(a: SystemStatistics, b: SystemStatistics, samples: Sequence[np.ndarray]) -> pd.DataFrame:
    """Take the difference of two systems on each sample (Koehn (2004), Fig. 4).

    Returns
    -------
    DataFrame
        One row per sample: ``sample`` (from 1), ``segments``, ``overlapping``, ``score_a``, ``score_b``, ``difference``
        (a - b).
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
        ``standard_deviation``, ``effective_size``: how many segments of this test set, drawn at random without
        replacement, would spread as far.
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
    # A score's variance is the variance of the influence values over the segments, divided by the number of segments;
    # drawn without replacement, n of N segments vary less, by the factor 1 - n / N.
    spread = ScoreTable.of([system]).influence[0].std(ddof=1) * system.n_segments
    frame["effective_size"] = 1 / ((frame["standard_deviation"] / spread) ** 2 + 1 / system.n_segments)
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
    lags = range(1, min(n_lags, len(influence) - 1) + 1)
    return pd.DataFrame(
        {
            "lag": np.array(lags),
            "autocorrelation": correlate(influence, lags),
            "noise": noise_band(len(influence)),
        }
    )
