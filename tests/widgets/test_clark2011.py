"""Controls of Clark's figures: they draw what the studies find."""

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex

from mtworkbench.inference import approximate_randomization
from mtworkbench.metrics import MeanScore
from mtworkbench.papers import clark2011
from mtworkbench.papers.clark2011 import explorers as widgets
from mtworkbench.plots import system_style
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet


@pytest.fixture(autouse=True)
def without_window():
    mpl.use("Agg")


def make_runs(runs=(12, 12), n_segments=80, names=("A", "B")):
    random = np.random.default_rng(3)
    values = {
        name: np.stack([random.normal(gain, 1, (count, n_segments)), np.ones((count, n_segments))], axis=2)
        for name, count, gain in zip(names, runs, (0, 0.1), strict=True)
    }
    return SegmentStatistics(
        MeanScore(higher_is_better=True), values, TestSet(np.arange(1, n_segments + 1), None, "made up", 1)
    )


def dots_of(explorer):
    return [line for line in explorer.figure.axes[0].lines if " run" in line.get_label()]


def test_fewer_runs_are_drawn_of_the_pair_that_is_chosen():
    test = {"one": [make_runs()], "two": [make_runs((5, 7), names=("<b>", "B"))]}
    explorer = widgets.explore_scores(test)
    assert explorer.controls["runs"].options == (2, 3, 5, 10, 12)
    assert "over 12 runs of each" in explorer.sentence
    explorer.controls["runs"].value = 3
    dots = dots_of(explorer)
    assert [dot.get_label() for dot in dots] == ["A: 3 runs", "B: 3 runs"]
    assert dots[0].get_xdata().tolist() == test["one"][0]["A"].score()[0][:3].tolist()
    explorer.controls["runs"].value = 10
    bars = [patch for patch in explorer.figure.axes[0].patches if patch.get_label().startswith(("A", "B"))]
    assert [bar.get_label() for bar in bars] == ["A: 10 runs", "B: 10 runs"]
    expected = clark2011.bin_scores(test["one"][0]["A"], test["one"][0]["B"], n_runs=10)
    assert list(bars[0].get_data().values) == list(expected.query("system == 'A'")["runs"])
    explorer.controls["pair"].value = 1
    assert "<b>" in explorer.sentence
    explorer.controls["runs"].value = 12
    assert "over 5 runs of <b> and 7 runs of B; one run" in explorer.sentence
    explorer.controls["runs"].value = 5
    assert "over 5 runs of each; one run" in explorer.sentence


def test_all_runs_of_either_system_can_be_seen():
    """Two runs of one and three of the other: no run is left out, and the numbers are whole."""
    explorer = widgets.explore_scores({"one": [make_runs((2, 3))]})
    assert explorer.controls["runs"].options == (2, 3)
    assert "over 2 runs of A and 3 runs of B; one run" in explorer.sentence
    assert [dot.get_label() for dot in dots_of(explorer)] == ["A: 2 runs", "B: 3 runs"]
    alone = widgets.explore_scores({"one": [make_runs((1, 3))]})
    assert "over 1 run of A and 3 runs of B; one run" in alone.sentence


def test_replications_contract_the_differences():
    statistics = make_runs((20, 20))
    explorer = widgets.explore_replications({"one": [statistics]}, rng=1)
    assert explorer.controls["replications"].value == 5
    assert [line.get_label() for line in dots_of(explorer)] == ["1 run", "5 runs"]
    assert "Means of 5 runs of each: 95 %" in explorer.sentence
    explorer.controls["replications"].value = 1
    assert "Means of 1 run of each: 95 %" in explorer.sentence
    explorer.controls["replications"].value = 10
    drawn = clark2011.draw_differences(statistics["A"], statistics["B"], [1, 10], n_draws=4000, rng=1)
    expected = clark2011.summarize_differences(drawn).iloc[-1]
    assert f"{expected['low']:+.2f} to {expected['high']:+.2f}" in explorer.sentence


def test_equal_means_have_no_wrong_order():
    """Two systems with the same runs: 50 % were said to show the opposite order."""
    statistics = make_runs()
    same = replace(statistics, values={"A": statistics.values["A"], "B": statistics.values["A"][::-1]})
    scores = widgets.explore_scores({"one": [same]})
    assert "B - A: +0.00 score over 12 runs of each; the means are equal, so neither order" in scores.sentence
    explorer = widgets.explore_replications({"one": [same]}, rng=1)
    assert "score; over all runs, the means are equal, so neither sign is wrong." in explorer.sentence


def test_a_system_has_its_colour_in_every_pair():
    """The second system of a pair was always orange."""
    random = np.random.default_rng(3)
    values = {name: np.stack([random.normal(0, 1, (12, 80)), np.ones((12, 80))], axis=2) for name in "ABC"}
    test = {"one": [replace(make_runs(), values=values)]}
    for explorer in (widgets.explore_scores(test), widgets.explore_luck(test, rng=1)):
        for pair, systems in enumerate(["AB", "AC", "BC"]):
            explorer.controls["pair"].value = pair
            looks = [system_style("ABC".index(system))["color"].lower() for system in systems]
            axes = explorer.figure.axes[0]
            bars = [patch for patch in axes.patches if patch.get_label()[1:2] == ":"]
            assert [to_hex(bar.get_edgecolor()) for bar in bars] == looks
            lines = [to_hex(line.get_color()) for line in axes.lines]
            assert lines == looks


def test_luck_chooses_the_runs_that_are_tested():
    statistics = make_runs()
    a, b = statistics["A"], statistics["B"]
    explorer = widgets.explore_luck({"one": [statistics]}, rng=1)
    explorer.controls["luck_of_a"].value = 100
    explorer.controls["luck_of_b"].value = 0
    runs = clark2011.find_run(a, "high"), clark2011.find_run(b, "low")
    assert f"Run {runs[0]} of A" in explorer.sentence
    assert f"run {runs[1]} of B" in explorer.sentence
    one = [clark2011.take_runs(system, [run]) for system, run in zip((a, b), runs, strict=True)]
    p_value = approximate_randomization(one[1], one[0], n_trials=1000, unit="segment", rng=1).p_value
    assert f"p = {p_value:.3f}" in explorer.sentence


def test_single_runs_have_one_position_and_show_no_order():
    explorer = widgets.explore_replications({"one": [make_runs((1, 1))]}, rng=1)
    assert explorer.controls["replications"].options == (1,)
    assert "Each has one run, so how far the differences of other runs would scatter" in explorer.sentence
    scores = widgets.explore_scores({"one": [make_runs((1, 1))]})
    assert "over 1 run of each; the order that other runs would show is unknown." in scores.sentence


def test_a_small_p_is_written_as_in_the_tables():
    """It was 0.001 where 1,000 trials cannot tell it from less, and would have been 0.000 with more trials."""
    statistics = make_runs()
    values = {name: one + ([2, 0] if name == "B" else [0, 0]) for name, one in statistics.values.items()}
    explorer = widgets.explore_luck({"one": [replace(statistics, values=values)]}, rng=1)
    assert "p < 0.001 (1,000 trials)" in explorer.sentence
    names = [explorer.controls[name].description for name in ("luck_of_a", "luck_of_b")]
    assert names == ["run of A (percentile)", "run of B (percentile)"]
