"""Made-up statistics to test inference on, without a text in sight."""

from dataclasses import replace

import numpy as np
import pytest

from mtworkbench.metrics import Bleu, MeanScore, Ter
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet


def test_set_of(n_segments, documents=None, columns=None):
    documents = None if documents is None else np.array([f"document {label}" for label in documents], dtype=object)
    columns = {name: np.array([str(one) for one in labels], dtype=object) for name, labels in (columns or {}).items()}
    return TestSet(np.arange(1, n_segments + 1), documents, "references", 1, columns=columns)


def mean_statistics(documents=None, metric=None, columns=None, **scores):
    """Statistics of a mean of scores, given as (n_segments,) or (n_runs, n_segments), NaN where missing.

    ``columns`` has the labels of the segments by the names of further columns.
    """
    values = {}
    for system, runs in scores.items():
        runs = np.atleast_2d(np.asarray(runs, dtype=np.float64))
        scored = ~np.isnan(runs)
        values[system] = np.stack([np.where(scored, runs, 0), scored], axis=-1)
    n_segments = next(iter(values.values())).shape[1]
    test_set = test_set_of(n_segments, documents, columns)
    return SegmentStatistics(metric or MeanScore(higher_is_better=True), values, test_set)


def bleu_statistics(n_segments, runs=(1, 1), documents=None, gain=0.01, seed=0, columns=None):
    """BLEU statistics (lengths, matches, totals) of systems s0, s1, ..., each better than the last."""
    draws = np.random.default_rng(seed)
    reference = draws.integers(5, 40, n_segments)
    values = {}
    for number, n_runs in enumerate(runs):
        length = reference + draws.integers(-2, 3, (n_runs, n_segments))
        totals = np.stack([length - order for order in range(4)], axis=-1)
        matches = draws.binomial(totals, np.array([0.6, 0.35, 0.2, 0.12]) + gain * number)
        lengths = np.stack([length, np.broadcast_to(reference, length.shape)], axis=-1)
        values[f"s{number}"] = np.concatenate([lengths, matches, totals], axis=-1)
    return SegmentStatistics(Bleu(), values, test_set_of(n_segments, documents, columns))


def ter_statistics(n_segments, runs=(1, 1), documents=None, gain=0.01, seed=0):
    """TER statistics (edits, reference words) of systems s0, s1, ..., each better than the last."""
    draws = np.random.default_rng(seed)
    reference = draws.integers(5, 40, n_segments)
    values = {}
    for number, n_runs in enumerate(runs):
        edits = draws.binomial(reference, 0.5 - gain * number, (n_runs, n_segments))
        values[f"s{number}"] = np.stack([edits, np.broadcast_to(reference, edits.shape)], axis=-1)
    return SegmentStatistics(Ter(), values, test_set_of(n_segments, documents))


@pytest.fixture(scope="session")
def make_mean():
    return mean_statistics


@pytest.fixture(scope="session")
def make_bleu():
    return bleu_statistics


def add_short_system(statistics, kept):
    """Add a system that is the first one, with so large a share of the words and matches of every segment."""
    whole = statistics.values["s0"]
    short = np.floor(kept * whole)
    short[..., 1] = whole[..., 1]  # the reference
    return replace(statistics, values=statistics.values | {"short": short})


@pytest.fixture(scope="session")
def shorten():
    return add_short_system


@pytest.fixture(scope="session")
def make_ter():
    return ter_statistics
