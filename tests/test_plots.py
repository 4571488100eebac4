"""Figures of comparisons: their artists hold the result's numbers, names are data, and nothing overlaps."""

from dataclasses import replace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from mtworkbench.errors import InputError
from mtworkbench.inference import compare
from mtworkbench.metrics import MeanScore
from mtworkbench.plots import (
    draw_comparison,
    escape_dollars,
    plot_differences,
    plot_pairwise,
    plot_scores,
    system_style,
)
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

from .hand_made import changed


@pytest.fixture(autouse=True)
def own_figures():
    mpl.use("Agg")
    with mpl.rc_context():
        yield
    plt.close("all")


def compare_means(names, baseline=None, runs=1, higher_is_better=True, name="score", n_trials=None):
    """Compare systems whose means rise by 1 in the order of their names."""
    n_segments = 120
    noise = np.random.default_rng(3).normal(0, 4, (len(names), runs, n_segments))
    values = {
        system: np.stack([place + noise[place], np.ones((runs, n_segments))], axis=-1)
        for place, system in enumerate(names)
    }
    metric = MeanScore(name=name, higher_is_better=higher_is_better)
    test_set = TestSet(np.arange(1, n_segments + 1), None, "references", 1)
    statistics = SegmentStatistics(metric, values, test_set)
    return compare(statistics, baseline, n_resamples=400, n_trials=n_trials, rng=1).metrics[name]


def lines_of(ax):
    """The lines of systems or comparisons: those of three points."""
    return [line for line in ax.lines if len(line.get_xdata()) == 3]


def rows_of(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_scores_are_those_of_the_systems_from_the_top_down():
    metric = compare_means(["a", "b", "c"])
    ax = plot_scores(metric)
    assert ax is plt.gca()
    for row, (line, estimate) in enumerate(zip(lines_of(ax), metric.systems, strict=True)):
        assert list(line.get_xdata()) == [estimate.low, estimate.score, estimate.high]
        assert list(line.get_ydata()) == [row] * 3
        assert line.get_markevery() == [1]
    assert rows_of(ax) == ["a", "b", "c"]
    assert ax.yaxis_inverted()
    assert ax.get_xlabel() == "score\n(higher is better)"
    assert ax.get_title() == ""


@pytest.mark.parametrize(
    ("name", "higher_is_better", "scores", "difference"),
    [
        ("TER", False, "TER\n(%, lower is better)", "difference\nin TER (%)"),
        ("Length", None, "Length\n(% of reference)", "difference\nin Length (%)"),
        ("BLEU", True, "BLEU\n(higher is better)", "difference\nin BLEU"),
        ("mine", None, "mine", "difference\nin mine"),
    ],
)
def test_axes_name_the_metric_its_unit_and_its_direction(name, higher_is_better, scores, difference):
    metric = compare_means(["a", "b"], name=name, higher_is_better=higher_is_better)
    assert plot_scores(metric).get_xlabel() == scores
    assert plot_differences(metric).get_xlabel() == difference


def test_runs_are_ticks_at_their_scores():
    metric = compare_means(["a", "b"], runs=4)
    ticks = [line for line in plot_scores(metric).lines if len(line.get_xdata()) == 4]
    assert [tuple(line.get_xdata()) for line in ticks] == [estimate.scores for estimate in metric.systems]


def test_differences_stand_in_the_rows_of_their_systems():
    metric = compare_means(["a", "b", "c"], baseline="b")
    ax = plot_differences(metric)
    assert rows_of(ax) == ["a", "b", "c"]
    for line, pair, row in zip(lines_of(ax), metric.comparisons, [0, 2], strict=True):
        assert list(line.get_xdata()) == [pair.low, pair.difference, pair.high]
        assert list(line.get_ydata()) == [row] * 3
    assert [(text.get_text().strip(), text.get_position()[1]) for text in ax.texts] == [("baseline", 1)]
    assert ax.get_xlabel() == "difference\nin score"


def test_distributions_are_histograms_of_the_resamples():
    metric = compare_means(["a", "b"], baseline="a")
    ax = plot_differences(metric)
    outline = ax.collections[0].get_paths()[0].vertices
    resampled = metric.comparisons[0].resampled
    assert outline[:, 0].min() == resampled.min()
    assert outline[:, 0].max() == resampled.max()
    assert outline[:, 1].max() == 1
    assert outline[:, 1].min() == 0.25
    counts = np.histogram(resampled, bins=30)[0]
    heights = (1 - outline[:, 1]) / 0.75 * counts.max()
    assert set(np.round(heights).astype(int)) == set(counts) | {0}


def test_a_distribution_stands_at_its_values():
    """20 of 30 differences are near 0 and 10 near 30: bars from 0 to 1 and from 29 to 30, the second half as high."""
    metric = compare_means(["a", "b"], baseline="a")
    pair = changed(metric.comparisons[0], resampled=np.repeat([0.0, 0.5, 30.0], 10))
    outline = plot_differences(replace(metric, comparisons=(pair,))).collections[0].get_paths()[0]
    for x, height in ((0.01, 0.75), (0.99, 0.75), (1.01, 0), (28.99, 0), (29.01, 0.375), (29.99, 0.375)):
        assert outline.contains_point((x, 1 - height + 0.01)) is (height > 0)
        assert not outline.contains_point((x, 1 - height - 0.01))


def test_identical_systems_have_a_mark_and_no_distribution():
    metric = compare_means(["a", "b"], baseline="a")
    still = changed(metric.comparisons[0], difference=0.0, low=0.0, high=0.0, resampled=np.zeros(100))
    ax = plot_differences(replace(metric, comparisons=(still,)))
    assert len(ax.collections) == 0
    assert list(lines_of(ax)[0].get_xdata()) == [0, 0, 0]


def test_an_interval_that_is_not_known_is_not_drawn():
    metric = compare_means(["a", "b"])
    unknown = changed(metric.systems[0], low=None, high=None)
    line = lines_of(plot_scores(replace(metric, systems=(unknown, metric.systems[1]))))[0]
    np.testing.assert_array_equal(line.get_xdata(), [np.nan, unknown.score, np.nan])


def test_all_pairs_have_a_row_each():
    ax = plot_differences(compare_means(["a", "b", "c"]))
    assert rows_of(ax) == ["b\nminus a", "c\nminus a", "c\nminus b"]
    assert len(ax.texts) == 0


@pytest.mark.parametrize(("better", "order"), [(True, "edcba"), (False, "abcde"), (None, "edcba")])
def test_the_matrix_holds_column_minus_row_best_first(better, order):
    metric = compare_means(list("abcde"), higher_is_better=better)
    ax = plot_pairwise(metric)
    assert "".join(label.get_text() for label in ax.get_xticklabels()) == order[:-1]
    assert "".join(rows_of(ax)) == order[1:]
    differences = {frozenset((pair.a, pair.b)): pair for pair in metric.comparisons}
    shown = ax.collections[0].get_array().reshape(4, 4)
    texts = {text.get_position(): text.get_text() for text in ax.texts}
    for row in range(4):
        for column in range(4):
            if column > row:
                assert np.isnan(shown[row, column]) or np.ma.is_masked(shown[row, column])
                continue
            pair = differences[frozenset((order[column], order[row + 1]))]
            signed = pair.difference if pair.a == order[column] else -pair.difference
            mark = {"significant": "*", "undecided": "?", "not significant": ""}[pair.verdict]
            assert shown[row, column] == abs(signed)
            assert texts[column + 0.5, row + 0.5] == f"{signed:.1f}{mark}"


def test_a_large_matrix_shows_marks_alone():
    texts = [
        text.get_text() for text in plot_pairwise(compare_means([f"s{n}" for n in range(11)], n_trials=5000)).texts
    ]
    assert len(texts) == 55
    assert set(texts) <= {"*", "?", ""}
    assert "?" in texts  # 5,000 trials leave one of 55 comparisons open


@pytest.mark.parametrize("plot", [plot_differences, plot_pairwise])
def test_one_system_cannot_be_compared(plot):
    with pytest.raises(InputError) as refused:
        plot(compare_means(["a"]))
    assert str(refused.value) == "There are no comparisons under score, which has 1 system: give two or more."


@pytest.mark.parametrize("plot", [plot_scores, plot_differences])
def test_plots_draw_on_the_axes_given_and_pass_their_keywords_on(plot):
    _, (first, second) = plt.subplots(1, 2)
    assert plot(compare_means(["a", "b"], baseline="a"), first, linewidth=5) is first
    assert {line.get_linewidth() for line in lines_of(first)} == {5}
    assert not second.has_data()


def test_the_matrix_takes_the_keywords_of_its_cells():
    assert plot_pairwise(compare_means(list("abc")), cmap="Greys").collections[0].get_cmap().name == "Greys"


def test_plots_leave_the_style_alone():
    before = dict(mpl.rcParams)
    draw_comparison(compare_means(["a", "b", "c"], baseline="a"))
    assert dict(mpl.rcParams) == before


def test_systems_differ_in_colour_and_marker():
    styles = [system_style(position) for position in range(56)]
    assert len({tuple(style.values()) for style in styles}) == 56
    for one, next_one in zip(styles, styles[1:], strict=False):
        assert one["color"] != next_one["color"]
        assert one["marker"] != next_one["marker"]


def test_names_are_text_not_mathematics():
    names = [r"$\frac{1}{0}$", r"a\$b$c", "plain"]
    figure = draw_comparison(compare_means(names, baseline="plain", name="$x^2$"))
    figure.canvas.draw()
    labels = figure.axes[0].get_yticklabels()
    assert [label.get_text() for label in labels] == [escape_dollars(name) for name in names]
    assert [label._preprocess_math(label.get_text()) for label in labels] == [(name, False) for name in names]


SEVERAL = ["online-A", "a-system-whose-name-is-long-indeed", "another-system-whose-name-is-long", "uedin-nmt"]


@pytest.mark.parametrize(
    ("names", "baseline", "n_axes"),
    [
        (SEVERAL[:1], None, 1),
        (SEVERAL[:2], SEVERAL[0], 2),
        (SEVERAL, SEVERAL[1], 2),
        (SEVERAL, None, 2),
        ([*SEVERAL, "x"], None, 2),
        ([f"task.{name}-{n}.en-de" for n in range(4) for name in SEVERAL], None, 2),
        ([f"system {n}" for n in range(16)], "system 3", 2),
    ],
)
def test_one_column_of_a_paper_holds_every_label(names, baseline, n_axes):
    figure = draw_comparison(compare_means(names, baseline, runs=2))
    figure.canvas.draw()
    assert figure.get_figwidth() == 3.03
    assert len(figure.axes) == n_axes
    inside = figure.bbox.padded(1)
    boxes = [label.get_window_extent() for ax in figure.axes for label in visible_labels(ax)]
    for box in boxes:
        assert inside.contains(*box.min)
        assert inside.contains(*box.max)
    for number, box in enumerate(boxes):
        # Axis labels on two lines and tick labels of neighbouring cells may touch, not cover each other.
        core = box.shrunk(0.8, 0.7).translated(0.1 * box.width, 0.15 * box.height)
        assert not any(core.overlaps(other) for other in boxes[number + 1 :])


def visible_labels(ax):
    labels = [ax.xaxis.label, ax.yaxis.label]
    labels += [tick.label1 for axis in (ax.xaxis, ax.yaxis) for tick in axis.get_major_ticks()]
    return [label for label in labels if label.get_visible() and label.get_text() and in_view(ax, label)]


def in_view(ax, label):
    x, y = label.get_position()
    on_x = label in [tick.label1 for tick in ax.xaxis.get_major_ticks()]
    on_y = label in [tick.label1 for tick in ax.yaxis.get_major_ticks()]
    low, high = sorted(ax.get_xlim() if on_x else ax.get_ylim())
    return not (on_x or on_y) or low <= (x if on_x else y) <= high


def test_a_figure_that_is_given_is_drawn_on():
    figure = plt.figure(figsize=(6, 3), layout="constrained")
    assert draw_comparison(compare_means(["a", "b"], baseline="a"), figure) is figure
    assert figure.get_figwidth() == 6
    assert len(figure.axes) == 2
