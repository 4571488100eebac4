"""Figures of where a difference comes from: marks stand where their rows say, reference lines have names."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgba

from mtworkbench import compare, draw_comparison, find_shipped, load_statistics, paired_bootstrap, style
from mtworkbench.analyses import bucket_segments, segment_contributions
from mtworkbench.metrics import MeanScore
from mtworkbench.plots import segments as plots
from mtworkbench.plots.pages import spans_of_differences
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

from .drawn import covered_marks, faults_of_text

pytestmark = pytest.mark.usefixtures("own_figures")

LONG = ("transformer-big-backtranslation-2023-a", "transformer-big-backtranslation-2023-b")
SHORT = ("ONLINE-A", "ONLINE-B")


@pytest.fixture(scope="module")
def statistics():
    return load_statistics(find_shipped("data/wmt23-en-de/text_metrics.stats"))[0]


@pytest.fixture(scope="module")
def contributions(statistics):
    frame = segment_contributions(None, statistics, *SHORT)
    lengths = np.random.default_rng(1).integers(5, 80, len(frame))
    return frame.assign(length_reference=lengths)


@pytest.fixture(scope="module")
def found(statistics):
    return paired_bootstrap(*(statistics[name] for name in SHORT), rng=1)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_each_segment_has_a_dot_at_its_length_and_contribution(contributions):
    holed = contributions.assign(contribution=contributions["contribution"].where(contributions.index != 3))
    ax = plots.plot_contributions(holed, systems=SHORT, markersize=2)
    zero, dots = ax.lines
    shown = contributions.drop(index=3)
    assert dots.get_xydata().tolist() == shown[["length_reference", "contribution"]].to_numpy().tolist()
    assert dots.get_markersize() == 2
    assert list(zero.get_ydata()) == [0, 0]
    assert {"0", "ONLINE-A\nhigher", "ONLINE-B\nhigher"} <= {*texts(ax)}
    heights = {text.get_text(): text.xyann[1] for text in ax.texts if "higher" in text.get_text()}
    assert heights["ONLINE-A\nhigher"] > 0 > heights["ONLINE-B\nhigher"]


def test_the_largest_contributions_at_both_ends_are_named(contributions):
    ax = plots.plot_contributions(contributions)
    ordered = contributions.sort_values("contribution")["segment"].astype(str).tolist()
    named = {text for text in texts(ax) if text.isdigit() and text != "0"}
    assert named <= {*ordered[:3], *ordered[-3:]}
    assert {ordered[0], ordered[-1]} <= named
    assert covered_marks(ax.figure) == []
    for text in ax.texts:
        if text.get_text() in named:
            row = contributions[contributions["segment"].astype(str) == text.get_text()].iloc[0]
            assert text.xy == (row["length_reference"], row["contribution"])


def test_without_lengths_segments_stand_in_their_order(contributions):
    ax = plots.plot_contributions(contributions.drop(columns="length_reference"))
    assert ax.lines[1].get_xdata().tolist() == contributions["segment"].tolist()
    assert ax.get_xlabel() == "segment"


def test_equal_contributions_are_not_named():
    frame = pd.DataFrame({"segment": [1, 2], "contribution": [0.0, 0.0], "length_reference": [3, 3]})
    assert texts(plots.plot_contributions(frame)) == ["0"]


def buckets(n, **columns):
    numbers = np.arange(n)
    frame = pd.DataFrame({"bucket": [f"bucket {number}" for number in numbers], "segments": 10 * numbers + 1007})
    frame = frame.assign(difference=numbers / 10, low=numbers / 10 - 1, high=numbers / 10 + 2, level=0.95)
    return frame.assign(**columns)


def test_each_bucket_has_its_interval_and_its_count():
    frame = buckets(5)
    frame.loc[2, ["low", "high"]] = np.nan
    ax = plots.plot_buckets(frame, systems=SHORT, color="red")
    zero, *rows = ax.lines
    assert list(zero.get_xdata()) == [0, 0]
    for row, line in enumerate(rows):
        expected = frame.loc[row, ["low", "difference", "high"]].tolist()
        assert line.get_xdata() == pytest.approx(expected, nan_ok=True)
        assert list(line.get_ydata()) == [row] * 3
        assert line.get_markerfacecolor() == ("white" if row == 2 else "red")
    assert [label.get_text() for label in ax.get_yticklabels()] == frame["bucket"].tolist()
    assert texts(ax) == ["segments", "1,007", "1,017", "1,027", "1,037", "1,047", "equal"]
    assert ax.get_xlabel().replace("\n", " ") == "95 % CI of the difference, ONLINE-A \N{MINUS SIGN} ONLINE-B"


@pytest.mark.parametrize("zero", [0.02, 0.5, 0.79, 0.81, 0.9, 0.98, 1])
@pytest.mark.parametrize("width", [3.03, 6.4])
def test_the_name_of_the_line_does_not_run_into_that_of_the_numbers(zero, width):
    """Where 0 was at the right edge, "equalsegments" was read."""
    frame = buckets(4, difference=[-1.0] * 4, low=[-1 - zero / 2] * 4, high=[-0.5] * 4)
    with style():
        ax = plt.figure(figsize=(width, 3), layout="constrained").add_subplot()
        ax.set_xlim(-zero, 1 - zero)
        plots.plot_buckets(frame, ax, systems=SHORT)
        ax.figure.canvas.draw()
        placed = {text.get_text(): text.get_window_extent() for text in ax.texts}
    assert placed["segments"].x0 - placed["equal"].x1 > 0.5 * placed["equal"].height


def test_of_many_buckets_the_largest_are_shown_and_the_others_counted():
    ax = plots.plot_buckets(buckets(40))
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [f"bucket {number}" for number in range(40 - len(names), 40)]
    assert 5 < len(names) < 20
    assert f"{40 - len(names)} further buckets not shown" in ax.get_xlabel().replace("\n", " ")
    with style():
        ax = plt.figure(figsize=(6, plots.height_of_buckets(40))).add_subplot()
        plots.plot_buckets(buckets(40), ax)
    assert len(ax.get_yticklabels()) == 40
    assert "not shown" not in ax.get_xlabel()


def test_buckets_of_words_count_words():
    ax = plots.plot_buckets(buckets(3, words=[11, 12, 13]))
    assert texts(ax) == ["words", "11", "12", "13", "equal"]
    assert ax.get_xlabel().replace("\n", " ") == "95 % CI of the difference in F (%)"


def test_the_histogram_counts_the_resamples(found):
    ax = plots.plot_resampled_difference(found)
    [stairs] = ax.patches
    counts, edges, _ = stairs.get_data()
    assert counts.sum() == found.n_resamples
    for count, low, high in zip(counts, edges[:-1], edges[1:], strict=True):
        inside = (found.differences >= low) & (
            (found.differences < high) | (high == edges[-1]) & (found.differences <= high)
        )
        assert count == inside.sum()
    [interval] = ax.lines
    assert list(interval.get_xdata()) == [found.low, found.high]
    zero, observed = (lines.get_segments()[0][:, 0].tolist() for lines in ax.collections)
    assert (zero, observed) == ([0, 0], [found.difference] * 2)
    digits = plots.decimals_of(found)
    expected = {
        "0: equal",
        f"observed {found.difference:+.{digits}f}",
        f"{found.low:+.{digits}f}",
        f"95 % CI ({found.method})",
    }
    assert expected <= {text.replace("\N{MINUS SIGN}", "-") for text in texts(ax)}


def darken(color):
    """Return a colour on a page with a dark theme: ``invert(0.93) hue-rotate(180deg)`` of looks.css."""
    turned = [[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]]
    *rgb, alpha = to_rgba(color)
    on_white = np.array(rgb) * alpha + 1 - alpha
    return np.clip(turned @ (0.93 - 0.86 * on_white), 0, 1)


def luminance(rgb):
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]


def test_the_outline_of_a_histogram_is_seen_in_a_dark_theme(found):
    """Its bars were dark blue on black."""
    [bars] = plots.plot_resampled_difference(found).patches
    dark = luminance(darken("white"))
    assert (luminance(darken(bars.get_edgecolor())) + 0.05) / (dark + 0.05) > 4.5
    assert bars.get_linewidth() >= 1
    # On bars that are not pale, the line of the difference would not be seen.
    assert (luminance(darken(bars.get_edgecolor())) + 0.05) / (luminance(darken(bars.get_facecolor())) + 0.05) > 2


def test_one_resample_and_no_interval_can_be_drawn(found):
    lonely = replace(found, resampled=tuple(one[:1] for one in found.resampled), low=None, high=None, n_resamples=1)
    ax = plots.plot_resampled_difference(lonely)
    assert ax.patches[0].get_data().values.tolist() == [1]
    assert "95 % CI" not in texts(ax)


@pytest.mark.parametrize("names", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("medium", ["screen", "paper", "slide"])
def test_no_text_is_cut_off_or_covered(contributions, found, names, medium, statistics):
    labels = [f"document {place // 110}" for place in range(len(contributions))]
    few = bucket_segments(None, statistics, *SHORT, labels, n_resamples=100, rng=1)
    with style(medium):
        for plot in (
            lambda ax: plots.plot_contributions(contributions, ax, systems=names),
            lambda ax: plots.plot_buckets(few, ax, systems=names),
            lambda ax: plots.plot_buckets(buckets(40, bucket=[f"{LONG[0]} {n}" for n in range(40)]), ax, systems=names),
            lambda ax: plots.plot_resampled_difference(replace(found, a=names[0], b=names[1]), ax),
            lambda ax: plots.plot_resampled_difference(
                replace(
                    found,
                    difference=40.0,
                    low=39.5,
                    high=40.5,
                    resampled=(found.resampled[0] - found.difference + 40, found.resampled[1]),
                ),
                ax,
            ),
        ):
            figure = plt.figure()
            plot(figure.add_subplot())
            assert faults_of_text(figure) == []
            plt.close(figure)


@pytest.mark.parametrize("n_systems", [2, 5, 16])
def test_rows_of_the_estimation_plot_are_found(statistics, n_systems):
    names = [*statistics][:n_systems]
    part = replace(statistics, values={name: statistics.values[name] for name in names})
    metric = next(iter(compare(part, names[0], n_resamples=400, n_trials=1000, rng=1).metrics.values()))
    figure = draw_comparison(metric)
    rows = [middle for _, middle, _ in spans_of_differences(metric)]
    drawn = {
        tuple(line.get_xdata()): line.get_ydata()[0] for line in figure.axes[0].lines if len(line.get_xdata()) == 3
    }
    assert rows == [drawn[pair.ends.low, pair.difference, pair.ends.high] for pair in metric.comparisons_from_best]
    assert len({*rows}) == len(metric.comparisons) == min(n_systems, len(statistics)) - 1


@pytest.mark.parametrize("length", [6, 40], ids=["short names", "names in several lines"])
def test_a_row_of_the_estimation_plot_has_all_that_is_said_of_its_system(length):
    names = [f"{letter}-" * (length // 2) for letter in "abcd"]
    draws = np.random.default_rng(1)
    values = {
        name: np.stack([draws.normal(place, 1, (3, 80)), np.ones((3, 80))], axis=-1) for place, name in enumerate(names)
    }
    statistics = SegmentStatistics(MeanScore(), values, TestSet(np.arange(1, 81), None, "references", 1))
    [metric] = compare(statistics, names[1], n_resamples=400, n_trials=1000, rng=1).metrics.values()
    width = 5.0
    with style():
        figure = draw_comparison(metric, width=width)
        spans = spans_of_differences(metric, width)
    ax, pairs = figure.axes[0], metric.comparisons_from_best
    figure.canvas.draw()
    # Heights of all texts that stand where rows do.
    heights = {}
    for text in figure.texts:
        box = text.get_window_extent()
        y = ax.transData.inverted().transform((0, (box.y0 + box.y1) / 2))[1]
        heights.setdefault(text.get_text(), []).append(y)
    assert all(one[2] <= other[0] for one, other in pairwise(spans))
    marks = [line for line in ax.lines if line.get_label() != "_baseline"]
    for pair, (top, middle, bottom) in zip(pairs, spans, strict=True):
        lines = wrap_name_of(figure, pair.a)
        assert length < 40 or len(lines) > 1
        assert all(any(top < y < bottom for y in heights[line]) for line in lines)
        assert sum(top < line.get_ydata()[0] < bottom for line in marks) == 3  # both bars, and the runs
        assert top < middle < bottom
    [baseline] = [line.get_ydata()[0] for line in ax.lines if line.get_label() == "_baseline"]
    assert not any(top < baseline < bottom for top, _, bottom in spans)
    plt.close(figure)


def wrap_name_of(figure, name):
    """The texts of a figure that are parts of a name of a letter of its own."""
    return [text.get_text() for text in figure.texts if {*text.get_text()} == {*name}]


def test_numbers_of_segments_do_not_cover_each_other_beside_long_names():
    draws = np.random.default_rng(0)
    lengths = draws.integers(5, 60, 400)
    frame = pd.DataFrame(
        {"segment": range(1001, 1401), "contribution": draws.normal(0, 1, 400), "length_reference": lengths}
    )
    numbers = {*map(str, frame["segment"])}
    names = ("a-system-with-a-name-of-many-characters", "another-system-whose-name-is-as-long-as-that")
    with style():
        figure = plt.figure(figsize=(5.6, 2.5), dpi=96, layout="constrained")
        plots.plot_contributions(frame, figure.add_subplot(), systems=names)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts if text.get_text() in numbers]
    assert len(boxes) > 3
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
