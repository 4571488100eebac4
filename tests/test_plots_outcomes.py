"""How draws came out: dots in rows, with the digits and the names that fit."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from mtworkbench.plots.outcomes import plot_outcomes, stack_outcomes
from mtworkbench.plots.style import style


@pytest.fixture(autouse=True)
def without_window():
    mpl.use("Agg")


def plot(frame, label="p"):
    stacked = stack_outcomes(frame)
    with style():
        ax = plot_outcomes(stacked, plt.figure(figsize=(3.8, 2.9)).subplots(), label=label)
        ax.figure.canvas.draw()
    plt.close(ax.figure)
    return stacked, ax


def test_one_draw_is_said_with_two_digits():
    assert stack_outcomes(pd.DataFrame({"seed": [1], "": [0.2413]}))["text"].tolist() == ["seed 1: 0.24"]
    assert stack_outcomes(pd.DataFrame({"seed": [1], "": [0.00813]}))["text"].tolist() == ["seed 1: 0.0081"]
    counts = stack_outcomes(pd.DataFrame({"seed": [1, 2], "": [3.0, 12.0]}))
    assert counts["text"].tolist() == ["seed 1: 3", "seed 2: 12"]


def test_counts_have_whole_ticks():
    _, ax = plot(pd.DataFrame({"seed": [1, 2, 3], "": [3, 4, 4]}))
    assert all(tick == round(tick) for tick in ax.get_xticks())
    _, ax = plot(pd.DataFrame({"seed": [1, 2], "": [0.2, 0.4]}))
    assert any(tick != round(tick) for tick in ax.get_xticks())


def test_long_names_of_rows_leave_the_figure_its_room():
    names = [f"system-{number:02} with a name of forty characters!! has the better run" for number in range(2)]
    stacked, ax = plot(pd.DataFrame({"seed": [1, 2], names[0]: [0.5, None], names[1]: [None, 0.7]}))
    first, second = (text.get_text() for text in ax.texts)
    assert first != second
    assert max(len(first), len(second)) <= 36
    assert ax.get_window_extent().width > 0.8 * ax.figure.bbox.width
    assert stacked["text"].tolist() == [f"seed 1: 0.50 ({names[0]})", f"seed 2: 0.70 ({names[1]})"]


def test_names_that_fit_are_whole():
    names = ["A has the better run", "B has the better run"]
    _, ax = plot(pd.DataFrame({"seed": [1], names[0]: [0.5], names[1]: [0.7]}))
    assert [text.get_text() for text in ax.texts] == names
