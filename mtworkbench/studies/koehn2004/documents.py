"""The paper's studies with documents as units: the same samples, with whole documents drawn instead of sentences."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import pandas as pd

from mtworkbench.errors import DataWarning
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike, block_samples, broad_samples
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.studies.koehn2004.intervals import interval_samples
from mtworkbench.studies.koehn2004.significance import conclude


def intervals_by_unit(
    statistics: SegmentStatistics, size: int, *, progress: Progress | None = None, rng: RngLike = None
) -> pd.DataFrame:
    """Ask how many intervals miss the true score where sentences are drawn, and where documents are.

    Parameters
    ----------
    statistics : SegmentStatistics
        All systems are taken.
    size : int
        Segments in a sample: blocks should hold several documents. Segments that do not fill a last block are left out.
    progress : callable, optional
        Wraps the ways of sampling and units, such as ``tqdm``.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per (way of sampling, unit): ``sampling`` ("block", "broad"), ``unit`` ("segment", and "document" where
        documents are known), ``intervals``, ``mean_width``, ``missed_percent``, ``part_of_test_set``: the largest
        sample's share of the segments of which the truth is computed.
    """
    rows = []
    versions = _versions(statistics, size)
    for sampling, samples, unit in progress(versions) if progress else versions:
        frames = [interval_samples(statistics[name], samples, unit=unit, rng=rng) for name in statistics]
        frame = pd.concat(frames, ignore_index=True)
        rows.append(
            {
                "sampling": sampling,
                "unit": unit,
                "intervals": len(frame),
                "mean_width": (frame["high"] - frame["low"]).mean(),
                "missed_percent": 100 * (~frame["covers"]).mean(),
                "part_of_test_set": frame["segments"].max() / len(statistics.test_set),
            }
        )
    return pd.DataFrame(rows)


def conclusions_by_unit(
    statistics: SegmentStatistics, pairs: Iterable[tuple[str, str]], size: int, *, rng: RngLike = None
) -> pd.DataFrame:
    """Ask how many conclusions are right and wrong where sentences are drawn, and where documents are.

    Parameters
    ----------
    statistics : SegmentStatistics
    pairs : iterable of (str, str)
    size : int
        Segments in a sample: blocks should hold several documents. Segments that do not fill a last block are left out.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per (way of sampling, unit): ``sampling``, ``unit`` as of `intervals_by_unit`, ``samples`` (of all
        pairs), ``correct_percent``, ``wrong_percent`` of them (no conclusion is neither), ``part_of_test_set`` as of
        `intervals_by_unit`.
    """
    rows = []
    pairs = list(pairs)
    for sampling, samples, unit in _versions(statistics, size):
        frame = conclude(statistics, pairs, samples, unit=unit, rng=rng)
        drawn = frame["conclusion"] != ""
        rows.append(
            {
                "sampling": sampling,
                "unit": unit,
                "samples": len(frame),
                "correct_percent": 100 * (drawn & frame["correct"]).mean(),
                "wrong_percent": 100 * (drawn & ~frame["correct"]).mean(),
                "part_of_test_set": frame["segments"].max() / len(statistics.test_set),
            }
        )
    return pd.DataFrame(rows)


def _versions(statistics: SegmentStatistics, size: int) -> list[tuple]:
    known = statistics.test_set.documents is not None
    units = ("segment", "document") if known else ("segment",)
    n = len(statistics.test_set)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the docstrings say that a remainder is left out
        blocks = block_samples(n, size)
    by_sampling = {"block": blocks, "broad": broad_samples(n, n // size)}
    return [(sampling, samples, unit) for sampling, samples in by_sampling.items() for unit in units]
