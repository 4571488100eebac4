"""Dots that are counted: as many as there are samples, and the filled ones end at the share."""

import numpy as np
import pytest

from mtworkbench import plot_count
from mtworkbench.errors import InputError

from .drawn import faults_of_text

pytestmark = pytest.mark.usefixtures("own_figures")


@pytest.mark.parametrize(("count", "n"), [(37, 100), (0, 41), (41, 41), (205, 1000), (1, 1), (0, 0)])
def test_dots_are_counted_and_end_at_the_share(count, n):
    happened = np.random.default_rng(1).permutation(np.arange(n) < count)
    ax = plot_count(happened, event="heads", of="coins")
    filled, other = ax.lines
    assert (len(filled.get_xdata()), len(other.get_xdata())) == (count, n - count)
    if 0 < count < n:
        assert filled.get_xdata().max() < 100 * count / n < other.get_xdata().min()
    assert ax.get_xlim() == (0, 100)
    assert f"{n:,} coins" in ax.get_xlabel()
    title = f"heads: {count:,} of {n:,} coins ({100 * count / n:.1f} %)" if n else "There are no coins."
    assert ax.figure.get_suptitle() == title
    assert faults_of_text(ax.figure) == []


def test_options_are_of_the_filled_dots():
    filled, other = plot_count([True, False], color="red").lines
    assert filled.get_color() == "red" != other.get_color()


@pytest.mark.parametrize("given", [[2, 3], [np.nan, 1.0], ["yes", "no"], [[True], [False]], None, 5])
def test_what_is_not_yes_or_no_is_refused(given):
    """Two samples with the values 2 and 3 were "5 of 2 samples"."""
    with pytest.raises(InputError, match="^plot_count needs one True or False per sample: compare the numbers first"):
        plot_count(given)
