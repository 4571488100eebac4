"""Controls of Koehn's figures: they draw what the studies find, and name the marks."""

import matplotlib as mpl
import numpy as np
import pytest

from mtworkbench import widgets
from mtworkbench.metrics import MeanScore
from mtworkbench.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.studies import koehn2004


@pytest.fixture(autouse=True)
def without_window():
    mpl.use("Agg")


def make_statistics(n_segments=1200):
    random = np.random.default_rng(5)
    common = random.normal(0, 3, n_segments)
    values = {
        name: np.stack([common + random.normal(gain, 2, n_segments), np.ones(n_segments)], axis=1)[None]
        for name, gain in (("good", 0.5), ("<b>", 0.0))
    }
    return SegmentStatistics(
        MeanScore(higher_is_better=True), values, TestSet(np.arange(1, n_segments + 1), None, "made up", 1)
    )


def test_samples_are_those_of_the_study():
    statistics = make_statistics()
    explorer = widgets.explore_samples(statistics, rng=1)
    expected = koehn2004.score_samples(statistics["good"], koehn2004.choose_samples(1200, 300, "block"))
    dots = explorer.figure.axes[0].lines[0]
    assert list(dots.get_ydata()) == list(expected["score"])
    explorer.controls["size"].value = 100
    explorer.controls["sampling"].value = "broad"
    expected = koehn2004.score_samples(statistics["good"], koehn2004.choose_samples(1200, 100, "broad"))
    assert list(explorer.figure.axes[0].lines[0].get_ydata()) == list(expected["score"])


def test_intervals_follow_the_level():
    explorer = widgets.explore_intervals(make_statistics(), rng=1)
    before = explorer._sentence.value
    explorer.controls["level"].value = 0.8
    assert "at 95 %" in before
    assert "at 80 %" in explorer._sentence.value
    missed = [line for line in explorer.figure.axes[0].collections if line.get_label() == "misses it"]
    assert f"{sum(len(line.get_segments()) for line in missed)} of 4 intervals" in explorer._sentence.value


def test_every_dot_is_named_where_it_stands():
    statistics = make_statistics()
    explorer = widgets.explore_confidence(statistics, rng=1)
    explorer.controls["size"].value = 100
    frame = koehn2004.conclude(
        statistics, [("good", "<b>")], koehn2004.choose_samples(1200, 100), n_resamples=300, rng=1
    )
    data, metadata = explorer._shown
    areas = data["text/html"].split("<area ")[1:]
    assert len(areas) == len(frame) == 12
    assert f"sample 3, difference {frame['difference'][2]:+.2f}, {100 * frame['confidence'][2]:.1f} % won" in areas[2]
    x, y, _ = (int(part) for part in areas[2].split('coords="')[1].split('"')[0].split(","))
    ax = explorer.figure.axes[0]
    left, top = ax.transData.transform((3, 100 * frame["confidence"][2]))
    assert (x, metadata["image/png"]["height"] - y) == pytest.approx((left, top), abs=0.51)
    assert "<b>" not in explorer._sentence.value
    explorer.controls["sample"].value = 4
    assert f"difference {frame['difference'][3]:+.2f}" in explorer._sentence.value


def test_calibration_of_one_pair():
    conclusions = koehn2004.conclude_on_sizes(make_statistics(), [("good", "<b>")], (50, 300), n_resamples=50, rng=1)
    explorer = widgets.explore_calibration(conclusions)
    assert explorer._sentence.value.find("28 samples of at most 300 segments") > 0
    explorer.controls["largest"].value = 50
    assert explorer._sentence.value.find("24 samples of at most 50 segments") > 0


def test_a_tiny_test_set_is_cut_in_two():
    explorer = widgets.explore_samples(make_statistics(40), rng=1)
    assert len(explorer.figure.axes[0].lines[0].get_ydata()) == 2
