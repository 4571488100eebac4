"""Figures of what metrics are made of: their marks are the rows of their frames."""

import matplotlib as mpl
import pandas as pd
import pytest

mpl.use("Agg")
from matplotlib import pyplot as plt

from mtworkbench.plots.metrics_up_close import draw_lengths, draw_orders, draw_reference_counts


def lines_of(ax):
    return {line.get_label(): line.get_xydata().tolist() for line in ax.get_lines()}


def test_orders_are_drawn_twice():
    rows = [(name, order, 50 / order, 10 * order) for name in ("a", "b") for order in (1, 2, 3)]
    frame = pd.DataFrame(rows, columns=["system", "order", "score", "no_match_percent"]).assign(precision=1.0)
    left, right = draw_orders(frame).axes
    assert lines_of(left) == dict.fromkeys(("a", "b"), [[1, 50], [2, 25], [3, 50 / 3]])
    assert lines_of(right) == dict.fromkeys(("a", "b"), [[1, 10], [2, 20], [3, 30]])


def length_rows(**scores):
    rows = [("one", metric, ratio, score) for metric, values in scores.items() for ratio, score in values.items()]
    return pd.DataFrame(rows, columns=["system", "metric", "ratio", "score"])


def test_metrics_on_the_papers_axis_stand_together():
    frame = length_rows(BLEU={0.85: 22.0, 1.0: 28.9}, GTM={0.85: 58.0, 1.0: 61.0})
    left, right = draw_lengths(frame).axes
    assert lines_of(left) == {"BLEU, one": [[0.85, 22.0], [1.0, 28.9]]}
    assert lines_of(right) == {"GTM, one": [[0.85, 58.0], [1.0, 61.0]]}
    assert left.get_ylim() == pytest.approx((21.5, 32.5))
    _, outside = draw_lengths(length_rows(BLEU={0.85: 22.0, 1.0: 28.9}, GTM={0.85: 14.0, 1.0: 25.0})).axes
    assert lines_of(outside) == {"GTM, one": [[0.85, 14.0], [1.0, 25.0]]}
    assert left.get_xlim() == right.get_xlim() == pytest.approx((0.83, 1.22))


def test_names_of_systems_leave_room_for_the_curves():
    """Beside each other above the panels, they left none."""
    frame = pd.concat(
        [
            length_rows(BLEU={0.85: 22.0, 1.2: 28.9}, GTM={0.85: 58.0, 1.2: 61.0}).assign(system=name)
            for name in ("Portuguese", "an-ensemble-with-a-long-name-2")
        ]
    )
    figure = draw_lengths(frame)
    figure.canvas.draw()
    assert all(panel.get_position().width > 0.3 and panel.get_position().height > 0.4 for panel in figure.axes)


def test_other_metrics_alone_have_one_panel_and_their_own_axis():
    figure = plt.figure()
    assert draw_lengths(length_rows(GTM={0.85: 58.0, 1.0: 61.0}), figure) is figure
    (panel,) = figure.axes
    assert panel.get_ylim()[1] > 60


def test_numbers_of_references_have_a_line_per_system():
    rows = [("a", 1, 20.0), ("a", 1, 22.0), ("a", 2, 30.0), ("b", 1, 10.0), ("b", 2, 15.0)]
    (panel,) = draw_reference_counts(pd.DataFrame(rows, columns=["system", "references", "score"])).axes
    drawn = lines_of(panel)
    assert (drawn["a"], drawn["b"]) == ([[1, 21], [2, 30]], [[1, 10], [2, 15]])
    assert [text.get_text() for text in panel.get_legend().get_texts()] == ["a", "b"]
