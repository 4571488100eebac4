"""How draws came out: dots in rows, with the digits and the names that fit."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from mtworkbench.plots.outcomes import plot_outcomes, stack_outcomes
from mtworkbench.plots.style import style
from tests.drawn import faults_of_text


@pytest.fixture(autouse=True)
def without_window():
    mpl.use("Agg")


def plot(frame, label="p", **options):
    stacked = stack_outcomes(frame)
    with style():
        ax = plot_outcomes(stacked, plt.figure(figsize=(3.8, 2.9)).subplots(), label=label, **options)
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


@pytest.mark.parametrize(("outcome", "ends"), [(0, (0, 10)), (1, (0, 11)), (28, (18, 38)), (0.1332, (0.0332, 0.2332))])
def test_one_draw_stands_on_an_axis_with_no_more_digits_than_it_has(outcome, ends):
    """On the axis of one count, the ticks were 0.96, 0.98, 1.00 ..., and beside 0 there were negative counts."""
    _, ax = plot(pd.DataFrame({"seed": [1], "": [outcome]}), expected=outcome + 0.001 if outcome % 1 else None)
    margin = 0.06 * (ends[1] - ends[0])
    assert ends[0] - margin <= ax.get_xlim()[0] <= ends[0] + 0.01
    assert ends[1] - 0.01 <= ax.get_xlim()[1] <= ends[1] + margin
    _, ax = plot(pd.DataFrame({"seed": [1, 2], "": [outcome, outcome + 0.01]}))
    assert ax.get_xlim()[1] - ax.get_xlim()[0] < 0.012


def test_rows_have_the_colours_that_were_given():
    _, ax = plot(pd.DataFrame({"seed": [1, 2], "right": [0.2, 0.4], "wrong": [0.1, 0.3]}), colors=["green", "0.55"])
    assert [line.get_color() for line in ax.lines if line.get_marker() == "o"] == ["green", "0.55"]
    assert [text.get_color() for text in ax.texts] == ["green", "0.55"]


def names_of(ax):
    return [text.get_text() for text in ax.texts]


def test_long_names_of_rows_leave_the_figure_its_room():
    names = [f"system-{number:02} with a name of forty characters!! has the better run" for number in range(2)]
    stacked, ax = plot(pd.DataFrame({"seed": [1, 2], names[0]: [0.5, None], names[1]: [None, 0.7]}))
    first, second = names_of(ax)
    assert first != second
    assert max(len(first), len(second)) <= 36
    assert ax.get_window_extent().width > 0.6 * ax.figure.bbox.width
    assert stacked["text"].tolist() == [f"seed 1: 0.50 ({names[0]})", f"seed 2: 0.70 ({names[1]})"]


def test_names_that_fit_are_whole():
    names = ["A has the better run", "B has the better run"]
    _, ax = plot(pd.DataFrame({"seed": [1], names[0]: [0.5], names[1]: [0.7]}))
    assert [name.replace("\n", " ") for name in names_of(ax)] == names


@pytest.mark.parametrize("n_rows", [2, 3])
def test_the_name_of_a_row_is_level_with_its_dots_and_has_their_colour(n_rows):
    """Names stood at the top of their row, nearer to the dots of the row above."""
    names = [f"system {number} with a name that is long" for number in range(n_rows)]
    stacked, ax = plot(pd.DataFrame({"seed": range(12)} | {name: [0.2, 0.4] * 6 for name in names}))
    assert faults_of_text(ax.figure) == []
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    for place, text in enumerate(ax.texts):
        own = stacked.loc[stacked["row"] == names[place], "y"]
        middle = text.xy[1]
        assert middle == n_rows - place - 0.5
        assert own.between(middle - 0.4, middle + 0.4).all()
        assert text.get_color() == dots[place].get_color()


def test_the_line_is_named():
    _, ax = plot(pd.DataFrame({"seed": [1, 2], "": [0.2, 0.4]}), expected=0.3)
    assert [text.get_text() for text in ax.texts] == ["expected"]
    assert faults_of_text(ax.figure) == []
