"""Figures of what metrics are made of: their marks are the rows of their frames."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")
from matplotlib import pyplot as plt

import mtworkbench as mtw
from mtworkbench.papers.koehn2004 import figures_up_close as metrics_up_close
from mtworkbench.papers.koehn2004 import relate_lengths
from mtworkbench.papers.koehn2004.figures_up_close import draw_lengths, draw_reference_counts
from tests.drawn import faults_of_text


@pytest.fixture
def ax():
    return plt.figure().subplots()


def lines_of(ax):
    return {line.get_label(): line.get_xydata().tolist() for line in ax.get_lines()}


def length_rows(**scores):
    rows = [("one", metric, ratio, score) for metric, values in scores.items() for ratio, score in values.items()]
    return pd.DataFrame(rows, columns=["system", "metric", "ratio", "score"])


FALLS = {"BLEU": {0.85: 20.0, 1.0: 25.0, 1.2: 22.0}, "GTM": {0.85: 57.0, 1.0: 60.0, 1.2: 54.0}}
PERCENT = {"BLEU": [[0.85, 80], [1, 100], [1.2, 88]], "GTM": [[0.85, 95], [1, 100], [1.2, 90]]}


def test_all_metrics_stand_in_one_panel_in_percent_of_their_score_at_the_references_length():
    """In panels with axes of their own, GTM's fall of 3 looked like BLEU's of 5."""
    figure = draw_lengths(relate_lengths(length_rows(**FALLS)))
    (panel,) = figure.axes
    drawn = lines_of(panel)
    assert list(drawn) == ["BLEU, one", "GTM, one"]
    for name, points in PERCENT.items():
        assert np.array(drawn[f"{name}, one"]) == pytest.approx(np.array(points))
    assert panel.get_ylabel().replace("\n", " ") == "score (% of that at the reference's length)"
    assert figure.get_suptitle().replace("\n", " ") == (
        "At 0.85 times the reference's length, BLEU loses 20 %, GTM loses 5 %; at 1.20 times the reference's length, "
        "BLEU loses 12 %, GTM loses 10 %"
    )


def test_a_length_that_is_not_the_references_is_not_called_so():
    (panel,) = draw_lengths(length_rows(BLEU={0.85: 20.0, 0.95: 25.0})).axes
    assert panel.get_ylabel().replace("\n", " ") == "score (% of that at the ratio nearest to 1)"


def two_systems(one, other):
    return pd.concat([length_rows(**FALLS).assign(system=name) for name in (one, other)], ignore_index=True)


def test_metrics_are_named_at_the_curves_and_systems_above_them():
    (panel,) = draw_lengths(two_systems("$a$", "b")).axes
    assert {text.get_text(): text.xy[1] for text in panel.texts}.keys() == {"BLEU", "GTM"}
    heights = [text.xy[1] for text in panel.texts]
    assert heights == pytest.approx([panel.transLimits.transform((1.2, end))[1] for end in (88, 90)], abs=0.05)
    assert [text.get_text() for text in panel.get_legend().get_texts()] == [r"\$a\$", "b"]


@pytest.mark.parametrize("medium", ["screen", "paper", "slide"])
def test_long_names_leave_room_for_the_curves(medium):
    with mtw.style(medium):
        figure = draw_lengths(two_systems(*(f"an-ensemble-of-{n}-systems-with-a-long-name" for n in (22, 33))))
    assert faults_of_text(figure) == []
    (panel,) = figure.axes
    assert panel.get_position().width > 0.6 and panel.get_position().height > 0.4


def test_one_system_is_named_at_each_curve_and_a_score_of_zero_has_no_curve():
    figure = plt.figure()
    frame = length_rows(GTM={0.85: 58.0, 1.0: 61.0}, zero={0.85: 1.0, 1.0: 0.0})
    assert draw_lengths(frame[:2], figure) is figure
    (panel,) = figure.axes
    assert [text.get_text() for text in panel.texts] == ["GTM, one"]  # each curve is named once
    (panel,) = draw_lengths(pd.concat([frame, frame.assign(system="two")], ignore_index=True)).axes
    assert all(np.isnan(panel.get_lines()[1].get_ydata()))


def test_numbers_of_references_have_a_line_per_system():
    rows = [("a", 1, 20.0), ("a", 1, 22.0), ("a", 2, 30.0), ("b", 1, 10.0), ("b", 2, 15.0)]
    (panel,) = draw_reference_counts(pd.DataFrame(rows, columns=["system", "references", "score"])).axes
    drawn = lines_of(panel)
    assert (drawn["a"], drawn["b"]) == ([[1, 21], [2, 30]], [[1, 10], [2, 15]])
    assert [text.get_text() for text in panel.texts] == ["a", "b"]
    assert panel.get_legend() is None


def test_numbers_of_references_have_a_dot_for_each_choice_and_a_line_through_their_means(ax):
    frame = pd.DataFrame(
        {"system": ["b"] * 4 + ["a"] * 3, "references": [1, 1, 1, 2, 1, 1, 2], "score": [20, 22, 27, 33, 10, 13, 18.5]}
    )
    metrics_up_close.plot_reference_counts(frame, ax, metric="NIST")
    dots, means, other_dots, other_means = ax.lines
    assert dots.get_xydata().tolist() == [[1, 20], [1, 22], [1, 27], [2, 33]]
    assert means.get_xydata().tolist() == [[1, 23], [2, 33]]
    assert other_dots.get_xydata().tolist() == [[1, 10], [1, 13], [2, 18.5]]
    assert other_means.get_xydata().tolist() == [[1, 11.5], [2, 18.5]]
    assert [line.get_label() for line in (means, other_means)] == ["b", "a"]
    assert dots.get_color() == means.get_color() != other_means.get_color()
    assert ax.get_ylabel() == "NIST"


def test_figure_1_has_a_line_for_each_system_and_metric(ax):
    rows = [("b", "BLEU", 0.9, 20.0), ("b", "BLEU", 1.0, 25.0), ("b", "GTM", 0.9, 59.0), ("a", "BLEU", 1.0, 24.0)]
    metrics_up_close.plot_length_ratios(pd.DataFrame(rows, columns=["system", "metric", "ratio", "score"]), ax)
    assert {line.get_label(): line.get_xydata().tolist() for line in ax.lines} == {
        "BLEU, b": [[0.9, 80.0], [1.0, 100.0]],
        "GTM, b": [[0.9, 100.0]],
        "BLEU, a": [[1.0, 100.0]],
    }
    assert [line.get_linestyle() for line in ax.lines] == ["-", "--", "-"]
