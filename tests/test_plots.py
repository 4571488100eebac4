"""Figures of comparisons: their artists hold the result's numbers, names are data, and nothing overlaps."""

import itertools
from dataclasses import replace
from functools import cache

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from mtworkbench.errors import InputError
from mtworkbench.inference import compare
from mtworkbench.inference.verdicts import conclude
from mtworkbench.metrics import MeanScore
from mtworkbench.plots import (
    draw_comparison,
    plot_differences,
    plot_pairwise,
    plot_scores,
    style,
    styles_of,
    system_style,
)
from mtworkbench.plots.style import MEDIA
from mtworkbench.plots.systems import tell_apart
from mtworkbench.results.verdicts import Ends
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

from .hand_made import changed

pytestmark = pytest.mark.usefixtures("own_figures")


def means_of(names, runs=1, higher_is_better=True, name="score"):
    """Make statistics of systems whose means rise by 1 in the order of their names."""
    n_segments = 120
    noise = np.random.default_rng(3).normal(0, 4, (len(names), runs, n_segments))
    values = {
        system: np.stack([place + noise[place], np.ones((runs, n_segments))], axis=-1)
        for place, system in enumerate(names)
    }
    metric = MeanScore(name=name, higher_is_better=higher_is_better)
    test_set = TestSet(np.arange(1, n_segments + 1), None, "references", 1)
    return SegmentStatistics(metric, values, test_set)


def compare_means(names, baseline=None, runs=1, higher_is_better=True, name="score", n_trials=None):
    """Compare systems whose means rise by 1 in the order of their names; the same is not compared again."""
    return _compared(tuple(names), baseline, runs, higher_is_better, name, n_trials)


@cache
def _compared(names, baseline, runs, higher_is_better, name, n_trials):
    statistics = means_of(names, runs, higher_is_better, name)
    return compare(statistics, baseline, n_resamples=400, n_trials=n_trials, rng=1).metrics[name]


def lines_of(ax):
    """The lines of systems or comparisons: those of three points."""
    return [line for line in ax.lines if len(line.get_xdata()) == 3]


def rows_of(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_scores_are_those_of_the_systems_the_best_first():
    metric = compare_means(["a", "b", "c"])
    ax = plot_scores(metric)
    assert ax is plt.gca()
    for row, (line, place) in enumerate(zip(lines_of(ax), [2, 1, 0], strict=True)):
        estimate = metric.systems[place]
        assert list(line.get_xdata()) == [estimate.low, estimate.score, estimate.high]
        assert list(line.get_ydata()) == [row] * 3
        assert line.get_markevery() == [1]
        assert (line.get_color(), line.get_marker()) == (system_style(0)["color"], "o")
    assert rows_of(ax) == ["c", "b", "a"]
    assert ax.yaxis_inverted()
    assert ax.get_xlabel() == "score\n(higher is better)"
    assert ax.get_title() == ""


@pytest.mark.parametrize(
    ("name", "higher_is_better", "scores", "difference"),
    [
        ("TER", False, "TER\n(%, lower is better)", "difference in TER (%)"),
        ("Length", None, "Length\n(% of reference)", "difference in Length (%)"),
        ("BLEU", True, "BLEU\n(higher is better)", "difference in BLEU"),
        ("mine", None, "mine", "difference in mine"),
    ],
)
def test_axes_name_the_metric_its_unit_and_its_direction(name, higher_is_better, scores, difference):
    metric = compare_means(["a", "b"], name=name, higher_is_better=higher_is_better)
    assert plot_scores(metric).get_xlabel() == scores
    assert plot_differences(metric).get_xlabel() == difference


def test_runs_are_ticks_at_their_scores():
    metric = compare_means(["a", "b"], runs=4)
    ticks = [line for line in plot_scores(metric).lines if len(line.get_xdata()) == 4]
    assert [tuple(line.get_xdata()) for line in ticks] == [metric.systems[1].scores, metric.systems[0].scores]


def test_differences_stand_in_the_rows_of_their_systems():
    metric = compare_means(["a", "b", "c"], baseline="b")
    ax = plot_differences(metric)
    assert rows_of(ax) == ["c", "b", "a"]
    for line, place, row in zip(lines_of(ax), [1, 0], [0, 2], strict=True):
        pair = metric.comparisons[place]
        assert list(line.get_xdata()) == [pair.ends.low, pair.difference, pair.ends.high]
        assert list(line.get_ydata()) == [row] * 3
    assert [(text.get_text(), text.xy) for text in ax.texts] == [("b", (0, 1))]
    assert ax.get_xlabel() == "difference in score"


def test_distributions_are_histograms_of_the_resamples():
    metric = compare_means(["a", "b"], baseline="a")
    ax = plot_differences(metric)
    outline = ax.collections[0].get_paths()[0].vertices
    resampled = metric.comparisons[0].resampled
    assert outline[:, 0].min() == resampled.min()
    assert outline[:, 0].max() == resampled.max()
    assert outline[:, 1].max() == 0
    assert outline[:, 1].min() == -0.75
    counts = np.histogram(resampled, bins=30)[0]
    heights = -outline[:, 1] / 0.75 * counts.max()
    assert set(np.round(heights).astype(int)) == set(counts) | {0}


def with_differences(pair, differences):
    """The pair with other resamples, in which b has the score 0."""
    resampled = differences, np.zeros(len(differences))
    return replace(pair, bootstrap=replace(pair.bootstrap, resampled=resampled))


def test_a_distribution_stands_at_its_values():
    """20 of 30 differences are near 0 and 10 near 30: bars from 0 to 1 and from 29 to 30, the second half as high."""
    metric = compare_means(["a", "b"], baseline="a")
    pair = with_differences(metric.comparisons[0], np.repeat([0.0, 0.5, 30.0], 10))
    outline = plot_differences(replace(metric, comparisons=(pair,))).collections[0].get_paths()[0]
    for x, height in ((0.01, 0.75), (0.99, 0.75), (1.01, 0), (28.99, 0), (29.01, 0.375), (29.99, 0.375)):
        assert outline.contains_point((x, 0.01 - height)) is (height > 0)
        assert not outline.contains_point((x, -0.01 - height))


def test_identical_systems_have_a_mark_and_no_distribution():
    metric = compare_means(["a", "b"], baseline="a")
    still = changed(metric.comparisons[0], difference=0.0)
    still = replace(still, judged=replace(still.judged, ends=Ends(0.0, 0.0)))
    still = with_differences(still, np.zeros(100))
    ax = plot_differences(replace(metric, comparisons=(still,)))
    assert len(ax.collections) == 0
    assert list(lines_of(ax)[0].get_xdata()) == [0, 0, 0]


def test_an_interval_that_is_not_known_is_not_drawn():
    metric = compare_means(["a", "b"])
    unknown = changed(metric.systems[0], low=None, high=None)
    line = lines_of(plot_scores(replace(metric, systems=(unknown, metric.systems[1]))))[1]
    np.testing.assert_array_equal(line.get_xdata(), [np.nan, unknown.score, np.nan])


def test_all_pairs_have_a_row_each_the_better_system_first():
    assert rows_of(plot_differences(compare_means(["a", "b", "c"]))) == ["c against b", "c against a", "b against a"]
    plt.figure()
    ax = plot_differences(compare_means(["a", "b", "c"], higher_is_better=False))
    assert rows_of(ax) == ["a against b", "a against c", "b against c"]
    assert len(ax.texts) == 0


def test_a_mark_is_filled_where_the_difference_is_shown():
    metric = compare_means(["a", "b"], baseline="a", runs=2)
    for outputs, own in itertools.product(
        ("significant", "undecided", "not significant"), ("significant", "not significant")
    ):
        conclusion = conclude(outputs, own, identical=None)
        pair = changed(metric.comparisons[0], verdict=outputs, method_verdict=own, conclusion=conclusion)
        # For the method, a difference is shown only where it is shown on these outputs.
        verdict = own if outputs == "significant" else outputs
        ax = plot_differences(replace(metric, comparisons=(pair,)), plt.figure().add_subplot())
        (mark,) = [line for line in ax.lines if line.get_marker() == "o"]
        filled = mark.get_markerfacecolor() == mark.get_color()
        assert (filled, mark.get_fillstyle()) == {
            "significant": (True, "full"),
            "undecided": (True, "left"),
            "not significant": (False, "full"),
        }[verdict]


def test_the_method_has_a_thick_bar_behind_that_of_these_outputs():
    metric = compare_means(["a", "b"], baseline="a", runs=3)
    pair = metric.comparisons[0]
    ax = plot_differences(metric)
    (thin,) = lines_of(ax)
    (thick,) = [line for line in ax.lines if list(line.get_xdata()) == [*pair.method_ends[:2]]]
    assert thick.get_linewidth() == 3.5 * thin.get_linewidth()
    assert thick.get_ydata()[0] == thin.get_ydata()[0] and thick.get_zorder() < thin.get_zorder()


@pytest.mark.parametrize(("better", "order"), [(True, "edcba"), (False, "abcde"), (None, "edcba")])
def test_the_matrix_holds_column_minus_row_best_first(better, order):
    metric = compare_means(list("abcde"), higher_is_better=better)
    ax = plot_pairwise(metric)
    texts = {tuple(np.round(text.get_position(), 6)): text.get_text() for text in ax.texts}
    # The name of a system stands where its row ends, above its column.
    assert "".join(texts[place + 0.1, place + 0.5] for place in range(5)) == order
    differences = {frozenset((pair.a, pair.b)): pair for pair in metric.comparisons}
    shown = ax.collections[0].get_array().reshape(5, 4).filled(np.nan)
    for row in range(5):
        for column in range(4):
            if column >= row:
                assert np.isnan(shown[row, column])
                assert (column + 0.5, row + 0.5) not in texts
                continue
            pair = differences[frozenset((order[column], order[row]))]
            signed = pair.difference if pair.a == order[column] else -pair.difference
            mark = {"significant": "", "undecided": "?", "not significant": ""}[pair.verdict]
            assert texts[column + 0.5, row + 0.5] == f"{signed:.1f}{mark}".replace("-", "\N{MINUS SIGN}")
            is_shown = pair.verdict == "significant"
            assert shown[row, column] == abs(signed) if is_shown else np.isnan(shown[row, column])


def test_a_large_matrix_has_numbers_that_fit_their_cells():
    metric = compare_means([f"system {n}" for n in range(16)], n_trials=1000)
    first, *others = metric.comparisons
    metric = replace(metric, comparisons=(changed(first, verdict="undecided"), *others))
    for medium in MEDIA:
        with style(medium):
            figure = draw_comparison(metric)
        figure.draw_without_rendering()
        (ax,) = figure.axes
        numbers = [text for text in ax.texts if not text.get_text().startswith("system")]
        assert len(numbers) == 120
        (size,) = {text.get_size() for text in ax.texts}
        assert 0.8 * MEDIA[medium].text < size <= MEDIA[medium].text  # a slide is not as high
        assert any(text.get_text().endswith("?") for text in numbers)
        cell = ax.get_window_extent().width / 15
        assert max(text.get_window_extent().width for text in numbers) < cell


def test_what_is_shown_for_the_method_too_is_bold():
    metric = compare_means(list("abc"), runs=3)
    pairs = [
        changed(
            pair,
            verdict="not significant" if own == {"a", "b"} else "significant",
            method_verdict=None if own == {"b", "c"} else "significant",
            conclusion="shown for the method" if own == {"a", "c"} else "not shown",
        )
        for pair, own in ((pair, {pair.a, pair.b}) for pair in metric.comparisons)
    ]
    ax = plot_pairwise(replace(metric, comparisons=tuple(pairs)))
    weights = {tuple(text.get_position()): text.get_weight() for text in ax.texts if text.get_ha() == "center"}
    assert weights == {(0.5, 1.5): "normal", (0.5, 2.5): "bold", (1.5, 2.5): "normal"}


@pytest.mark.parametrize("plot", [plot_differences, plot_pairwise])
def test_one_system_cannot_be_compared(plot):
    with pytest.raises(InputError) as refused:
        plot(compare_means(["a"]))
    assert str(refused.value) == "There are no comparisons under score, which has 1 system: give two or more."


@pytest.mark.parametrize("plot", [plot_scores, plot_differences, plot_pairwise])
def test_a_whole_comparison_is_refused_with_a_name_to_use(plot):
    statistics = [means_of(["a", "b"], name=name) for name in ("one", "two")]
    with pytest.raises(InputError) as refused:
        plot(compare(statistics, n_resamples=400, rng=1))
    assert str(refused.value) == (
        f"{plot.__name__} shows one metric, but a comparison of one, two was given: name one of them, such as "
        "comparison.metrics['one']."
    )


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


def test_a_system_has_one_look_among_the_same_systems_in_whatever_order_they_come():
    expected = {"base": system_style(0), "base-memory": system_style(1), "tiny": system_style(2)}
    assert styles_of(["base", "base-memory", "tiny"]) == styles_of(["tiny", "base", "tiny", "base-memory"]) == expected
    assert list(styles_of(["b", "a", "b", "c"])) == ["b", "a", "c"]


def test_systems_of_one_figure_differ_in_colour_where_there_are_enough_colours():
    """Of sixteen, the second and the ninth were both orange."""
    names = [f"{number:02}" for number in range(16)]
    styles = styles_of(names)
    assert styles["01"]["color"] == styles["08"]["color"]
    for pair in itertools.combinations(names, 2):
        looks = tell_apart(pair, styles)
        assert looks == tell_apart(pair[::-1], styles)  # whichever is named first
        assert looks[pair[0]] == styles[pair[0]]
        assert looks[pair[0]]["color"] != looks[pair[1]]["color"]
        assert looks[pair[1]]["marker"] == styles[pair[1]]["marker"]
    seven = tell_apart(["00", "07", "14", "03", "10", "05", "12"], styles)
    assert len({look["color"] for look in seven.values()}) == 7
    assert tell_apart(names, styles) == styles
    assert len({tuple(look.values()) for look in styles.values()}) == 16


def test_systems_differ_in_colour_and_marker():
    styles = [system_style(position) for position in range(56)]
    assert len({tuple(style.values()) for style in styles}) == 56
    for one, next_one in zip(styles, styles[1:], strict=False):
        assert one["color"] != next_one["color"]
        assert one["marker"] != next_one["marker"]
