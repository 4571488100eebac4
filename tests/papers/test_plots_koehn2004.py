"""Koehn's figures show their frames: marks stand where their rows say, the paper's points where they are printed."""

import csv

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import same_color

from mtworkbench import find_shipped
from mtworkbench.metrics import MeanScore
from mtworkbench.papers import koehn2004 as study
from mtworkbench.papers.koehn2004 import figures as plots
from mtworkbench.plots.style import style
from mtworkbench.resampling import block_samples
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from tests.drawn import faults_of_text


@pytest.fixture
def ax():
    mpl.use("Agg")
    axes = plt.figure().subplots()
    yield axes
    plt.close("all")


def marks(ax):
    """Return the points of all lines that have markers, in the order of x: [[x, y], ...]."""
    points = [line.get_xydata() for line in ax.lines if line.get_marker() not in (None, "None", "")]
    return sorted(np.concatenate(points).tolist())


def horizontals(ax):
    """Return the heights of the lines that go from one end of the axes to the other."""
    return [line.get_ydata()[0] for line in ax.lines if list(line.get_xdata()) == [0, 1]]


def labelled(artists):
    return {artist.get_label(): artist for artist in artists}


def bars(collection):
    """Return (x, low, high) of vertical lines."""
    segments = collection.get_segments()
    assert all(bottom[0] == top[0] for bottom, top in segments)
    return [(bottom[0], bottom[1], top[1]) for bottom, top in segments]


def test_figures_2_and_3_have_a_dot_for_each_sample(ax):
    frame = pd.DataFrame({"sample": [1, 2, 3], "segments": 300, "score": [28.0, 31.5, 26.25]})
    assert plots.plot_sample_scores(frame, ax, metric="chrF", markersize=7) is ax
    assert marks(ax) == [[1, 28.0], [2, 31.5], [3, 26.25]]
    assert ax.lines[0].get_markersize() == 7
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("sample", "chrF")


def test_figure_4_has_a_dot_at_each_difference_and_marks_the_negative_ones(ax):
    frame = pd.DataFrame({"sample": [1, 2, 3, 4], "difference": [0.75, -0.25, 0.0, -1.5]})
    plots.plot_sample_differences(frame, ax)
    assert marks(ax) == [[1, 0.75], [2, -0.25], [3, 0.0], [4, -1.5]]
    assert horizontals(ax) == [0]
    positive, negative = (line for line in ax.lines if line.get_marker() in "os")
    assert negative.get_ydata().tolist() == [-0.25, -1.5]
    assert positive.get_marker() != negative.get_marker()
    assert not same_color(positive.get_color(), negative.get_color())
    assert ax.get_ylabel() == "difference in BLEU"


def test_figure_4_is_the_better_system_minus_the_worse(ax):
    """From segments to marks: where a scores 2 more on each segment, every dot stands at 2."""
    scores = np.random.default_rng(2).normal(50, 5, 60)
    statistics = mean_statistics(a=scores + 2, b=scores)
    samples = block_samples(60, 20)
    plots.plot_sample_differences(study.difference_samples(statistics["a"], statistics["b"], samples), ax)
    assert np.array(marks(ax)) == pytest.approx(np.array([[1, 2], [2, 2], [3, 2]]))


def mean_statistics(**scores):
    n_segments = len(next(iter(scores.values())))
    values = {name: np.stack([one, np.ones(n_segments)], axis=1)[None] for name, one in scores.items()}
    return SegmentStatistics(
        MeanScore(higher_is_better=True), values, TestSet(np.arange(1, n_segments + 1), None, "made up", 1)
    )


def test_figure_6_has_each_samples_interval_around_its_score(ax):
    frame = pd.DataFrame(
        {
            "sample": [1, 2, 3],
            "score": [28.0, 31.0, 27.5],
            "low": [26.5, 29.75, 26.0],
            "high": [29.5, 32.5, 29.25],
            "true_score": 28.75,
            "covers": [True, False, True],
        }
    )
    plots.plot_sample_intervals(frame, ax, alpha=0.5)
    by_label = labelled(ax.collections)
    assert bars(by_label["holds the true score"]) == [(1, 26.5, 29.5), (3, 26.0, 29.25)]
    assert bars(by_label["misses it"]) == [(2, 29.75, 32.5)]
    assert {collection.get_alpha() for collection in ax.collections} == {0.5}
    assert marks(ax) == [[1, 28.0], [2, 31.0], [3, 27.5]]
    assert horizontals(ax) == [28.75]


def conclusions(*rows):
    frame = pd.DataFrame(rows, columns=["sample", "confidence", "conclusion"])
    return frame.assign(a="$good$", b="poor")


def test_figures_7_and_8_have_a_dot_at_each_share_of_wins(ax):
    rows = (1, 0.96, "$good$"), (2, 0.5, ""), (3, 0.03, "poor"), (4, 0.95, "$good$")
    plots.plot_confidence(conclusions(*rows), ax)
    assert np.array(marks(ax)) == pytest.approx(np.array([[1, 96], [2, 50], [3, 3], [4, 95]]))
    points = {line.get_label(): line.get_xdata().tolist() for line in ax.lines if line.get_marker() != "None"}
    assert points == {r"\$good\$ better: 2": [1, 4], "poor better: 1": [3], "no conclusion: 1": [2]}
    assert horizontals(ax) == pytest.approx([95, 5])
    assert ax.get_ylabel() == "resamples won\nby \\$good\\$ (%)"


def test_a_line_that_no_dot_is_near_is_not_drawn(ax):
    plots.plot_confidence(conclusions((1, 0.96, ""), (2, 0.5, "")), ax, level=0.99)
    assert horizontals(ax) == [99]


def test_the_papers_range_widens_the_axis_and_cuts_off_nothing(ax):
    ax.set_ylim(25, 30)
    assert plots.show_range(ax, 26, 34).get_ylim() == (25, 34)
    assert plots.show_range(ax, 20, 21).get_ylim() == (20, 34)


def test_figure_5_shades_the_interval_under_the_density(ax):
    curve = study.student_density(study.student_interval([1, 2, 3, 4, 5, 5, 4]), 401)
    plots.plot_student_density(curve, ax, linewidth=3)
    (line,) = ax.lines
    assert line.get_xdata().tolist() == curve["score"].tolist()
    assert line.get_ydata().tolist() == curve["density"].tolist()
    assert line.get_linewidth() == 3
    inside = curve[curve["inside"]]
    assert 0 < len(inside) < len(curve)
    shade, lines = ax.collections
    marked = curve[curve["mark"] != ""]
    assert marked["mark"].tolist() == ["lower end", "mean", "upper end"]
    assert marked["score"].tolist() == [inside["score"].min(), pytest.approx(24 / 7), inside["score"].max()]
    drawn = [segment.tolist() for segment in lines.get_segments()]
    assert drawn == [[[row.score, 0], [row.score, row.density]] for row in marked.itertuples()]
    assert [text.get_text() for text in ax.texts][1] == r"$\bar{x}$ = 3.43"
    outline = shade.get_paths()[0].vertices
    assert (outline[:, 0].min(), outline[:, 0].max()) == (inside["score"].min(), inside["score"].max())
    assert (outline[:, 1].min(), outline[:, 1].max()) == (0, inside["density"].max())
    assert ax.get_ylim()[0] == 0


def test_an_interval_settles_between_its_ends(ax):
    frame = pd.DataFrame(
        {
            "resamples": [10, 100, 1000],
            "score": [28.0, 27.0, 29.0],
            "low": [26.0, 25.5, 25.75],
            "high": [30.0, 31.0, 30.5],
        }
    )
    plots.plot_interval_growth(frame, ax)
    dots, low, high = ax.lines
    assert [line.get_xdata().tolist() for line in ax.lines] == [[10, 100, 1000]] * 3
    assert dots.get_ydata().tolist() == [28.0, 27.0, 29.0]
    assert low.get_ydata().tolist() == [26.0, 25.5, 25.75]
    assert high.get_ydata().tolist() == [30.0, 31.0, 30.5]
    shaded = {tuple(point) for point in ax.collections[0].get_paths()[0].vertices}
    assert {(100, 25.5), (100, 31.0)} <= shaded
    assert max(height for _, height in shaded) == 31
    assert ax.get_xscale() == "log"


def test_fresh_samples_and_resamples_are_counted_in_the_same_bins(ax):
    fresh, drawn = np.random.default_rng(3).normal(0, (1.0, 1.5), (200, 2)).T
    frame = pd.concat(
        [
            pd.DataFrame({"source": "fresh samples", "deviation": fresh}),
            pd.DataFrame({"source": "resamples", "deviation": drawn[:150]}),
        ]
    )
    plots.plot_deviations(frame, ax)
    edges = np.linspace(frame["deviation"].min(), frame["deviation"].max(), 41)
    by_label = labelled(ax.patches)
    for name, part in (("fresh samples", fresh), ("resamples", drawn[:150])):
        corners = by_label[name].get_xy()
        heights = corners[1:-1:2, 1]
        counts = [np.count_nonzero((edges[bin] <= part) & (part < edges[bin + 1])) for bin in range(40)]
        counts[-1] += np.count_nonzero(part == edges[40])
        assert heights.tolist() == counts
        assert corners[::2, 0] == pytest.approx(edges)
    assert not same_color(*(patch.get_edgecolor() for patch in ax.patches))


def test_autocorrelations_are_bars_from_zero_between_the_lines_of_chance(ax):
    frame = pd.DataFrame({"lag": [1, 2, 3], "autocorrelation": [0.5, 0.25, -0.125], "noise": 0.0625})
    plots.plot_autocorrelation(frame, ax, linewidth=4)
    (collection,) = ax.collections
    assert bars(collection) == [(1, 0, 0.5), (2, 0, 0.25), (3, 0, -0.125)]
    assert collection.get_linewidth() == 4
    assert sorted(horizontals(ax)) == [-0.0625, 0, 0.0625]
    [label] = ax.texts
    assert label.get_text() == "95 % if unrelated"
    assert label.xy == (1, 0.0625)


def test_the_lines_of_chance_are_1_96_standard_errors_from_zero(ax):
    """Of 400 segments the standard error of a correlation that is truly 0 is 1/20."""
    noise = np.random.default_rng(1).normal(size=400)
    plots.plot_autocorrelation(study.autocorrelate(mean_statistics(a=noise)["a"], 10), ax)
    assert sorted(horizontals(ax)) == pytest.approx([-0.098, 0, 0.098])


def test_unrelated_segments_stay_between_the_lines_of_chance_19_times_in_20():
    outside = []
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(size=500)
        frame = study.autocorrelate(mean_statistics(a=noise)["a"], 50)
        outside += (frame["autocorrelation"].abs() > frame["noise"]).tolist()
    assert 0.03 < np.mean(outside) < 0.07


def calibration_bins():
    """Made-up bins with the paper's lower ends: one is empty, and none has the share of right conclusions printed."""
    with open(find_shipped("data/published/koehn2004_table4.csv"), encoding="utf-8", newline="") as file:
        printed = [(float(row["lowest"]), float(row["correct_percent"])) for row in csv.DictReader(file)]
    rows = []
    for number, (lowest, correct) in enumerate(printed):
        n = 0 if lowest == 80 else 40 + number
        here = correct - 3
        rows.append((lowest, lowest + 0.5, n, here, here - 5, here + 2) if n else (lowest, np.nan, 0, np.nan, 0, 100))
    columns = ["lowest", "mean_confidence", "conclusions", "correct_percent", "low", "high"]
    return printed, pd.DataFrame(rows, columns=columns)


def test_the_calibration_has_a_dot_with_its_interval_for_each_bin_that_is_not_empty(ax):
    _, bins = calibration_bins()
    plots.plot_calibration(bins, ax)
    (container,) = ax.containers
    filled = bins[bins["conclusions"] > 0]
    expected = filled[["mean_confidence", "correct_percent"]].to_numpy()
    assert len(expected) == 8
    assert np.array(container.lines[0].get_xydata()) == pytest.approx(expected)
    ends = filled[["mean_confidence", "low", "high"]].to_numpy()
    assert np.array(bars(container.lines[2][0])) == pytest.approx(ends)
    assert ax.lines[0].get_xydata().tolist() == [[50, 50], [100, 100]]
    assert "paper" not in labelled(ax.lines)


def test_the_papers_points_stand_at_the_printed_shares_beside_those_of_their_bins(ax):
    printed, bins = calibration_bins()
    plots.plot_calibration(bins, ax, paper=study.read_published("table4"))
    points = labelled(ax.lines)["paper"].get_xydata()
    expected = [[lowest + 0.5, correct] for lowest, correct in printed if lowest != 80]
    assert sorted(points.tolist()) == sorted(expected)
    assert [100.5, 100] in expected and [50.5, 52] in expected  # "100%" and "50%-59.9%" of the paper's Table 4


def test_a_figure_is_drawn_on_the_current_axes_where_none_are_given(ax):
    frame = pd.DataFrame({"sample": [1], "score": [28.0]})
    assert plots.plot_sample_scores(frame) is plt.gca() is ax


def test_long_names_along_the_vertical_axis_leave_room_for_the_title():
    names = [f"a-system-whose-name-has-forty-letters-{number:02}" for number in (2, 15)]
    frame = conclusions((1, 0.96, names[0]), (2, 0.5, ""), (3, 0.01, names[1])).assign(a=names[0], b=names[1])
    with style():
        axes = plots.plot_confidence(frame, plt.figure(figsize=(5.7, 2.9)).subplots())
        assert faults_of_text(axes.figure) == []
    plt.close(axes.figure)
