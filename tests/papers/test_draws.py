"""What is shown step by step are the draws of the tests themselves."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from mtworkbench import approximate_randomization, paired_bootstrap
from mtworkbench.errors import InputError
from mtworkbench.papers.draws import describe_draw, follow_draws
from mtworkbench.papers.draws.explorers import explore_draws
from mtworkbench.papers.draws.figures import draw_steps
from mtworkbench.papers.koehn2004 import randomize_samples
from mtworkbench.papers.simulation.koehn2004 import load_statistics as load_koehn2004_statistics
from tests.drawn import faults_of_text

pytestmark = pytest.mark.usefixtures("own_figures")


@pytest.fixture(scope="module")
def pair():
    statistics = load_koehn2004_statistics().take(np.arange(300))
    return statistics["Spanish"], statistics["Danish"]


@pytest.mark.parametrize("turned", [False, True])
def test_swaps_are_those_of_the_randomization_test(pair, turned):
    a, b = reversed(pair) if turned else pair
    frame = follow_draws(a, b, "swaps", n_draws=150, rng=3)
    test = approximate_randomization(a, b, n_trials=150, unit="segment", rng=3)
    assert np.array_equal(frame["difference"], test.differences)
    assert frame["share"].iloc[-1] == test.p_value
    assert frame["observed"].iloc[0] == pytest.approx(test.difference, rel=1e-12)
    # Swapping twice is the same as not at all: what was drawn explains the difference.
    drawn = frame["drawn"].iloc[7].astype(bool)[:, None]
    left, right = (np.where(drawn, other.values[0], one.values[0]) for one, other in ((a, b), (b, a)))
    by_hand = a.metric.score(left.sum(axis=0)) - a.metric.score(right.sum(axis=0))
    assert frame["difference"].iloc[7] == pytest.approx(float(by_hand), rel=1e-9)


@pytest.mark.parametrize("turned", [False, True])
def test_resamples_are_those_of_the_paired_bootstrap(pair, turned):
    a, b = reversed(pair) if turned else pair
    frame = follow_draws(a, b, "resamples", n_draws=500, rng=3)
    boot = paired_bootstrap(a, b, n_resamples=500, unit="segment", rng=3)
    assert np.array_equal(frame["difference"], boot.differences)
    assert frame["counts"].sum() == 500 - max(boot.wins, boot.losses)
    assert all(drawn.sum() == 300 for drawn in frame["drawn"])
    by_hand = [float(one.score(frame["drawn"].iloc[7][None]).mean()) for one in (a, b)]
    assert frame["difference"].iloc[7] == pytest.approx(by_hand[0] - by_hand[1], rel=1e-9)


def test_a_draw_is_described_by_its_numbers(pair):
    frame = follow_draws(*pair, "swaps", n_draws=150, rng=3)
    count, swapped = int(frame["counts"][:100].sum()), int(frame["drawn"].iloc[99].sum())
    said = describe_draw(frame, 100)
    assert said.startswith(f"Trial 100 swaps the outputs of {swapped} of 300 segments: difference ")
    assert said.endswith(f": p = ({count} + 1) / (100 + 1) = {(count + 1) / 101:.3f}.")
    frame = follow_draws(*pair, n_draws=150, rng=3)
    absent = int((frame["drawn"].iloc[99] == 0).sum())
    assert describe_draw(frame, 100).startswith(f"Resample 100 leaves out {absent} of 300 segments")
    assert f"{int(frame['counts'][:100].sum())} have no difference or one of the other sign" in describe_draw(
        frame, 100
    )


@pytest.mark.parametrize("kind", ["resamples", "swaps"])
def test_the_figure_shows_what_was_drawn_and_the_differences_so_far(pair, kind):
    frame = follow_draws(*pair, kind, n_draws=150, rng=3)
    figure = draw_steps(frame, 40)
    above, below = figure.axes
    assert [bar.get_height() for bar in above.patches] == frame["drawn"].iloc[39][:60].tolist()
    plain, counted, newest = below.lines[:3]
    assert sorted([*plain.get_xdata(), *counted.get_xdata()]) == sorted(frame["difference"][:40])
    assert len(counted.get_xdata()) == frame["counts"][:40].sum()
    assert newest.get_xydata().tolist() == [[frame["difference"].iloc[39], 40]]
    assert faults_of_text(figure) == []
    limits = below.get_xlim(), below.get_ylim()
    plt.close(figure)
    assert limits == (draw_steps(frame, 1).axes[1].get_xlim(), draw_steps(frame, 1).axes[1].get_ylim())
    plt.close("all")


def test_the_widget_steps_through_both(pair):
    explorer = explore_draws(*pair, rng=3)
    frame = follow_draws(*pair, n_draws=200, rng=3)
    assert explorer.sentence == describe_draw(frame, 1)
    explorer.controls["number"].value = 40
    assert explorer.sentence == describe_draw(frame, 40)
    explorer.controls["kind"].value = "swaps"
    frame = follow_draws(*pair, "swaps", n_draws=200, rng=3)
    assert explorer.sentence == describe_draw(frame, 40)
    explorer.controls["seed"].value = 4
    frame = follow_draws(*pair, "swaps", n_draws=200, rng=4)
    assert explorer.sentence == describe_draw(frame, 40)
    pd.testing.assert_frame_equal(explorer.frames["figure"], frame.head(40).drop(columns="drawn"))
    marks = explorer._links["figure"].marks
    assert list(marks["y"]) == list(frame["drawn"].iloc[39][:60])
    swapped = int(frame["drawn"].iloc[39][4])
    assert marks["text"][4] == f"segment 5: {('kept', 'swapped')[swapped]}"
    space = dict(zip("ab", pair, strict=True))
    exec(explorer.code["figure"], space)  # noqa: S102
    pd.testing.assert_frame_equal(space["frame"], explorer.frames["figure"])
    assert list(explorer.frames["outcomes"]["seed"]) == [3, 4]
    assert explorer.frames["outcomes"][""].iloc[-1] == frame["share"].iloc[-1]


def test_the_widget_begins_with_the_kind_that_is_asked_for(pair):
    explorer = explore_draws(*pair, kind="swaps", rng=3)
    assert explorer.sentence == describe_draw(follow_draws(*pair, "swaps", n_draws=1, rng=3), 1)


@pytest.mark.parametrize("kind", ["resamples", "swaps"])
def test_equal_outputs_have_no_difference_in_any_draw(pair, kind):
    """Axes without a width would be a warning of matplotlib's."""
    frame = follow_draws(pair[0], pair[0], kind, n_draws=5, rng=3)
    assert (frame["difference"] == 0).all()
    assert frame["share"].tolist() == [1.0] * 5
    assert draw_steps(frame, 5).axes[1].get_xlim() == (-1, 1)


@pytest.mark.parametrize("number", [0, 6, -1])
def test_a_draw_that_was_not_made_is_refused(pair, number):
    frame = follow_draws(*pair, n_draws=5, rng=3)
    for show in (describe_draw, draw_steps):
        with pytest.raises(InputError, match=f"^Draw {number} was asked for, but the draws have the numbers 1 to 5.$"):
            show(frame, number)


def test_another_kind_is_refused(pair):
    with pytest.raises(InputError):
        follow_draws(*pair, "coins")


def test_samples_are_tested_one_by_one(pair):
    samples = [np.arange(100), np.arange(150, 300)]
    frame = randomize_samples(*pair, samples, n_trials=99, rng=5)
    for row, sample in zip(frame.itertuples(), samples, strict=True):
        test = approximate_randomization(*(one.take(sample) for one in pair), n_trials=99, unit="segment", rng=5)
        assert (row.p_value, row.difference) == (test.p_value, test.difference)
    assert frame["true_difference"].tolist() == [float(pair[0].score()[0, 0] - pair[1].score()[0, 0])] * 2
    assert frame["segments"].tolist() == [100, 150]
    assert frame["sample"].tolist() == [1, 2]
