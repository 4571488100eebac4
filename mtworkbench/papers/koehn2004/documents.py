"""The paper's studies with larger units: the same samples, with documents or blocks drawn instead of sentences."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning
from mtworkbench.inference.blocks import choose_block_length
from mtworkbench.inference.score_table import Places
from mtworkbench.inference.units import MIN_DOCUMENTS
from mtworkbench.papers.koehn2004.intervals import interval_samples
from mtworkbench.papers.koehn2004.significance import conclude
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike, block_samples, broad_samples
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet


def choose_wider_unit(test_set: TestSet) -> str:
    """Return what can be drawn in place of single segments, which resemble their neighbours.

    Returns
    -------
    {"document", "block"}
        Documents where ``unit="auto"`` takes them, that is, where at least 6 are known. Else blocks of neighbouring
        segments, because segments again would only repeat what they showed.
    """
    return "document" if (test_set.n_documents or 0) >= MIN_DOCUMENTS else "block"


def intervals_by_unit(
    statistics: SegmentStatistics, size: int, *, progress: Progress | None = None, rng: RngLike = None
) -> pd.DataFrame:
    """Ask how many intervals miss the true score where sentences are drawn, and where documents or blocks are.

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
        One row per (way of sampling, unit): ``sampling`` ("block", "broad"), ``unit`` ("segment", then what
        `choose_wider_unit` says: "document", or such as "block of 12"), ``intervals``, ``mean_width``,
        ``missed_percent``, ``part_of_test_set``: the largest sample's share of the segments of which the truth is
        computed. Blocks are as long as `choose_block_length` finds on single samples (the median); if that is one
        segment, there is no row of blocks.
    """
    rows = []
    versions = _versions(statistics, list(statistics), [], size)
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
    """Ask how many conclusions are right and wrong where sentences are drawn, and where documents or blocks are.

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
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    places = [(names.index(a), names.index(b)) for a, b in pairs]
    for sampling, samples, unit in _versions(statistics, names, places, size):
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


def _versions(
    statistics: SegmentStatistics, names: Sequence[str], pairs: Sequence[Places], size: int
) -> list[tuple[str, list[np.ndarray], str]]:
    """List the ways of sampling with their samples, each with its units, for some systems and pairs of them."""
    n = len(statistics.test_set)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the docstrings say that a remainder is left out
        blocks = block_samples(n, size)
    versions = []
    for sampling, samples in (("block", blocks), ("broad", broad_samples(n, n // size))):
        wider = choose_wider_unit(statistics.test_set)
        if wider == "block":
            lengths = [
                choose_block_length([statistics[name].take(sample) for name in names], pairs) for sample in samples
            ]
            length = int(np.median(lengths))
            wider = f"block of {length}" if length > 1 else "segment"
        versions += [(sampling, samples, unit) for unit in dict.fromkeys(("segment", wider))]
    return versions
