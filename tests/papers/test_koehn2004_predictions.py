"""Koehn's Table 3 predicted from a difference and its standard error, against what samples conclude."""

import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from mtworkbench.metrics import MeanScore
from mtworkbench.papers import koehn2004 as study
from mtworkbench.papers.simulation.koehn2004 import load_statistics as load_koehn2004_statistics
from mtworkbench.resampling import random_samples
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.words import lines as wording

CELLS = ["a", "b", "true_difference", "size", "kind", "samples", "counted_percent", "predicted_percent"]


def mean_scores(n_segments=3000, gain=0.05, up=True):
    draws = np.random.default_rng(1)
    values = {
        name: np.stack([draws.normal(mean, 1, (1, n_segments)), np.ones((1, n_segments))], axis=-1)
        for name, mean in (("good", gain if up else -gain), ("poor", 0))
    }
    return SegmentStatistics(
        MeanScore(higher_is_better=up), values, TestSet(np.arange(1, n_segments + 1), None, "made up", 1)
    )


def counted(statistics, sizes, **shares):
    truth = float(statistics["good"].score()[0, 0] - statistics["poor"].score()[0, 0])
    rows = [
        {"a": "good", "b": "poor", "true_difference": truth, "size": size, "samples": 3000 // size}
        | {"correct_percent": 0.0, "wrong_percent": 0.0}
        | shares
        for size in sizes
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("up", [True, False])
def test_a_cell_is_the_normal_probability(up):
    statistics = mean_scores(up=up)
    frame = study.predict_conclusions(statistics, counted(statistics, [100, 600]))
    assert list(frame.columns) == [*CELLS, "difference", "low", "high"]
    assert frame["kind"].tolist() == ["correct", "wrong"] * 2
    differences = (statistics["good"].values - statistics["poor"].values)[0, :, 0]
    for row in frame.itertuples():
        error = differences.std(ddof=1) / math.sqrt(row.size)
        lead = abs(differences.mean()) / error * (1 if row.kind == "correct" else -1)
        expected = scipy.stats.norm.sf(scipy.stats.norm.ppf(0.95), lead, math.sqrt(1 - row.size / 3000))
        assert row.predicted_percent == pytest.approx(100 * expected, rel=1e-6)
        assert row.difference == pytest.approx(row.predicted_percent - row.counted_percent)


def test_the_counted_share_has_its_binomial_interval():
    statistics = mean_scores()
    frame = study.predict_conclusions(statistics, counted(statistics, [300], correct_percent=30.0))
    interval = scipy.stats.binomtest(3, 10).proportion_ci(0.95)
    assert frame.loc[0, ["low", "high"]].tolist() == pytest.approx([100 * interval.low, 100 * interval.high])


def test_samples_conclude_as_predicted():
    statistics = mean_scores()
    samples = random_samples(3000, 150, 400, rng=1)
    conclusions = study.conclude(statistics, [("good", "poor")], samples, n_resamples=200, level=0.9, rng=1)
    conclusions.insert(2, "size", 150)
    frame = study.predict_conclusions(statistics, study.tabulate_conclusions(conclusions), level=0.9)
    assert frame["difference"].abs().max() < 6


def test_cells_that_are_far_off_are_named_with_what_they_rest_on(monkeypatch):
    monkeypatch.setattr(wording, "WIDTH", 10_000)
    frame = pd.DataFrame(
        [
            ("a", "b", 0.5, 3000, "correct", 10, 30.0, 46.6, 16.6, 6.7, 65.2),
            ("a", "b", 0.5, 3000, "wrong", 10, 0.0, 0.0, 0.0, 0.0, 30.8),
            ("a", "c", 0.5, 300, "correct", 100, 30.0, 46.6, 16.6, 21.2, 40.0),
        ],
        columns=[*CELLS, "difference", "low", "high"],
    )
    assert study.describe_predictions(frame) == (
        "1 of 3 cells are predicted within 5 percentage points.\n"
        "a and b, 3,000 segments, correct: predicted 47 %, counted 30 % of 10 samples (95 % CI 7 to 65 %, which "
        "contains the prediction).\n"
        "a and c, 300 segments, correct: predicted 47 %, counted 30 % of 100 samples (95 % CI 21 to 40 %, which does "
        "not contain the prediction)."
    )


@pytest.mark.slow
def test_table_3_of_the_shipped_corpus_is_predicted_within_5_points():
    """But for the cell of 3,000 sentences and a small difference, of which there are only ten samples."""
    statistics = load_koehn2004_statistics()
    conclusions = study.conclude_on_sizes(statistics, study.choose_pairs(statistics), rng=1)
    frame = study.predict_conclusions(statistics, study.tabulate_conclusions(conclusions))
    assert len(frame) == 72
    far = frame[frame["difference"].abs() > 5]
    assert [(row.a, row.b, row.size, row.samples) for row in far.itertuples()] == [("Portuguese", "Danish", 3000, 10)]
    assert all(far["low"] < far["predicted_percent"])
    assert all(far["predicted_percent"] < far["high"])


@pytest.mark.slow
@pytest.mark.parametrize("size", [100, 300, 600, 3000])
def test_with_a_thousand_samples_every_cell_is_predicted_within_5_points(size):
    statistics = load_koehn2004_statistics()
    pairs = study.choose_pairs(statistics) if size < 3000 else [("Portuguese", "Danish")]
    samples = random_samples(len(statistics.test_set), size, 1000, rng=5)
    conclusions = study.conclude(statistics, pairs, samples, rng=2)
    conclusions.insert(2, "size", size)
    frame = study.predict_conclusions(statistics, study.tabulate_conclusions(conclusions))
    assert frame["difference"].abs().max() < 5
