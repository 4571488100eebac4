"""Blocks, broad samples and why they differ: Koehn (2004), §3, Figs. 2-4."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.blocks import autocorrelate as correlate
from mtworkbench.inference.blocks import noise_band
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.resampling import (
    SIMULATION,
    SUBSAMPLES,
    RandomKey,
    RngLike,
    block_samples,
    broad_samples,
    random_samples,
    resolve_rng,
    uniforms,
)
from mtworkbench.results.settings import check_draws
from mtworkbench.statistics.segment_statistics import SystemStatistics

SAMPLINGS = ("block", "broad", "random")
#: The paper's test set, the segments in a sample of its figures, and how many such samples it makes.
PAPER_SEGMENTS, FIGURE_SIZE, PAPER_SAMPLES = 30_000, 300, 100


def choose_samples(
    n_segments: int,
    size: int,
    sampling: str = "broad",
    *,
    n_samples: int | None = None,
    anew: bool = False,
    rng: RngLike = None,
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
    n_samples : int, optional
        By default as many as fit, at least as many as the paper has. Of fewer, those that are spread evenly over the
        separate ones are taken; more overlap.
    anew : bool
        Whether blocks and broad samples are drawn as overlapping ones are, though separate ones fit. So other samples
        of the same kind can be seen.
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
    separate = n_segments // size if size >= 1 else 0
    if n_samples is None:
        n_samples = max(separate, count_paper_samples(size)) if separate else 1
    check_draws("n_samples", n_samples)
    if separate >= 2 and (anew or n_samples > separate):
        return _draw_samples(n_segments, size, n_samples, sampling, rng)
    if sampling == "block":
        samples = block_samples(n_segments, size)
    elif sampling == "broad":
        check_sample_size(size, n_segments)
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
    count = min(n_samples, len(samples))
    return [samples[place] for place in np.arange(count) * len(samples) // count]


def check_sample_size(size: int, n_segments: int) -> None:
    """Refuse samples that do not fit into the test set."""
    if not 1 <= size <= n_segments:
        raise InputError(
            "sample-size", f"Samples of {size} segments were asked for, but the test set has {n_segments} segments."
        )


def count_paper_samples(size: int) -> int:
    """Return how many samples of a size the paper's test set makes, but at most the 100 of its figures."""
    return max(1, min(PAPER_SAMPLES, PAPER_SEGMENTS // size))


def _draw_samples(n_segments: int, size: int, n_samples: int, sampling: str, rng: RngLike) -> list[np.ndarray]:
    """Draw samples that may overlap."""
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


def draw_apart(n_segments: int, size: int, n_samples: int, random_key: RandomKey) -> list[np.ndarray]:
    """Draw samples without replacement as parts of random orders of all segments, as many parts of each as it holds.

    `random_samples` looks at all segments for every sample, which takes seconds for 20,000 samples of 30,000 segments.
    """
    check_sample_size(size, n_segments)
    parts = n_segments // size
    key = random_key.stream(SIMULATION)
    samples: list[np.ndarray] = []
    for number in range(-(-n_samples // parts)):
        order = np.argsort(uniforms(key, number * n_segments, n_segments), kind="stable")
        samples += list(order[: parts * size].reshape(parts, size))
    return samples[:n_samples]


def do_overlap(samples: Sequence[np.ndarray]) -> bool:
    """Say whether a segment is in two samples. Sizes do not tell: separate broad samples share out a remainder."""
    every = np.concatenate(samples)
    return len(np.unique(every)) < len(every)


#: Samples of one kind, or of several kinds by their names, such as ``{"block": ..., "broad": ...}``.
Samples = Sequence[np.ndarray] | Mapping[str, Sequence[np.ndarray]]


def score_samples(system: SystemStatistics, samples: Samples) -> pd.DataFrame:
    """Score a system on each sample (Koehn (2004), Figs. 2 and 3).

    Parameters
    ----------
    system : SystemStatistics
    samples : sequence of ndarray, or mapping of str to such a sequence
        Positions of segments, one array for each sample; or several such sequences, by the names of their ways
        of sampling, to stand side by side in one frame.

    Returns
    -------
    DataFrame
        One row per sample: ``sample`` (from 1), ``segments``, ``overlapping`` (whether these samples share segments),
        ``score`` (mean of the runs' scores); of several ways of sampling, ``sampling`` before them.
    """
    if isinstance(samples, Mapping):
        each = {sampling: score_samples(system, own) for sampling, own in samples.items()}
        return pd.concat(each, names=["sampling"]).reset_index("sampling").reset_index(drop=True)
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


def difference_samples(a: SystemStatistics, b: SystemStatistics, samples: Samples) -> pd.DataFrame:
    """Take the difference of two systems on each sample (Koehn (2004), Fig. 4): samples as of `score_samples`.

    Returns
    -------
    DataFrame
        As of `score_samples`, but ``score_a``, ``score_b`` and ``difference`` (a - b) in place of ``score``.
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
    each = {sampling: choose_samples(system.n_segments, size, sampling, rng=rng) for sampling in SAMPLINGS}
    return summarize_scores(score_samples(system, each), system)


def summarize_scores(frame: pd.DataFrame, system: SystemStatistics) -> pd.DataFrame:
    """Compare how far a system's scores spread over samples: the table of `summarize_samplings`.

    Parameters
    ----------
    frame : DataFrame
        Of `score_samples`, for several ways of sampling.
    system : SystemStatistics
        Whose scores these are, on the whole test set.
    """
    table = (
        frame.groupby("sampling", sort=False)["score"]
        .agg(samples="size", lowest="min", highest="max", mean="mean", standard_deviation="std")
        .reset_index()
    )
    # A score's variance is the variance of the influence values over the segments, divided by the number of segments;
    # drawn without replacement, n of N segments vary less, by the factor 1 - n / N.
    spread = ScoreTable.of([system]).influence[0].std(ddof=1) * system.n_segments
    table["effective_size"] = 1 / ((table["standard_deviation"] / spread) ** 2 + 1 / system.n_segments)
    return table


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
