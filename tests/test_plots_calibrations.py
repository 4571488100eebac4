"""The p-p plots of a calibration: a dot per row, the diagonal, and no text over another."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")
from matplotlib import pyplot as plt

from mtworkbench.inference.rules import RULES
from mtworkbench.plots import style
from mtworkbench.plots.conventions import draw_levels, plot_levels

from .drawn import faults_of_text


@pytest.fixture(scope="module")
def p_values():
    draws, n = np.random.default_rng(1), 60
    frames = []
    for rule in RULES:
        p_value = draws.random(n) ** 2
        share = np.searchsorted(np.sort(p_value), p_value, side="right") / n
        unit = "document" if rule.by_unit else "segment"
        frames.append(
            pd.DataFrame(
                {"rule": rule.name, "unit": unit, "p_value": p_value, "rejected": p_value <= 0.05, "share": share}
            )
        )
    return pd.concat(frames, ignore_index=True)


@pytest.fixture(scope="module", params=["screen", "paper", "slide"])
def drawn(request, p_values):
    """The panels of all rules in a medium."""
    with style(request.param):
        return draw_levels(p_values)


def test_dots_are_the_rows(p_values):
    rows = p_values[p_values["rule"] == "moses"]
    ax = plt.figure().subplots()
    assert plot_levels(rows, ax, level=0.9) is ax
    diagonal, size, dots = ax.get_lines()
    assert diagonal.get_xydata().tolist() == [[0, 0], [100, 100]]
    assert size.get_xdata()[0] == pytest.approx(10)
    assert dots.get_xydata() == pytest.approx(100 * rows[["p_value", "share"]].to_numpy())
    assert ax.get_title(loc="left") == f"moses\nsegment: {100 * rows['rejected'].mean():.1f} %"


def test_each_rule_has_a_panel_in_its_order(p_values):
    figure = draw_levels(p_values)
    assert [ax.get_title(loc="left").split("\n")[0] for ax in figure.axes] == [rule.name for rule in RULES]
    colors = {ax.get_lines()[-1].get_color() for ax in figure.axes}
    assert len(colors) == 2  # of rules that draw segments, and documents


def test_the_lowest_panel_of_each_column_is_numbered(drawn):
    check_numbered(drawn)


def test_the_lowest_panels_of_a_single_row_are_numbered(p_values):
    names = [rule.name for rule in RULES[:3]]
    check_numbered(draw_levels(p_values[p_values["rule"].isin(names)]))


def check_numbered(figure):
    figure.draw_without_rendering()
    columns = {}
    for ax in figure.axes:
        columns.setdefault(round(ax.get_position().x0, 3), []).append(ax)
    for panels in columns.values():
        *above, lowest = sorted(panels, key=lambda ax: -ax.get_position().y0)
        assert lowest.xaxis.get_tick_params()["labelbottom"]
        assert not any(ax.xaxis.get_tick_params()["labelbottom"] for ax in above)
    assert "vertical line: 5 %" in " ".join(figure.get_supxlabel().split())


def test_every_text_can_be_read(drawn):
    assert faults_of_text(drawn) == []
