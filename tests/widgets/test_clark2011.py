"""Controls of Clark's figures: they draw what the studies find."""

import re
from dataclasses import replace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from pandas.testing import assert_frame_equal

from mtworkbench.errors import InputError
from mtworkbench.inference import approximate_randomization
from mtworkbench.metrics import MeanScore
from mtworkbench.papers import clark2011
from mtworkbench.papers.clark2011 import explorers as widgets
from mtworkbench.papers.simulation.mert import Mert, tune
from mtworkbench.papers.simulation.replications import BTEC, make_pair_lists
from mtworkbench.plots import system_style
from mtworkbench.statistics import compute_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.wording import name_some


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


def test_numbers_of_runs_are_whole_and_those_of_scores_apart():
    names = tuple(f"system-{letter} with a name of forty characters" for letter in "AB")
    explorer = widgets.explore_scores({"one": [make_runs(names=names)]}, rng=1)
    explorer.controls["runs"].value = 5
    (axes,) = explorer.figure.axes
    explorer.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
    assert all(one.x1 < other.x0 for one, other in zip(boxes, boxes[1:], strict=False))
    assert len(axes.get_xticks()) <= 7
    explorer.controls["runs"].value = 12
    (axes,) = explorer.figure.axes
    axes.set_ylim(0, 2.1)
    assert all(tick == round(tick) for tick in axes.get_yticks())


def test_fewer_runs_are_drawn_of_the_pair_that_is_chosen():
    test = {"one": [make_runs()], "two": [make_runs((5, 7), names=("<b>", "B"))]}
    explorer = widgets.explore_scores(test)
    assert explorer.controls["runs"].options == (1, 2, 3, 5, 10, 12)
    explorer.controls["runs"].value = 12
    assert explorer.sentence.startswith("Over 12 runs of each, the mean score of B is ")
    explorer.controls["runs"].value = 3
    dots = dots_of(explorer)
    assert [dot.get_label() for dot in dots] == ["A: 3 runs", "B: 3 runs"]
    assert dots[0].get_xdata().tolist() == test["one"][0]["A"].score()[0][:3].tolist()
    explorer.controls["runs"].value = 10
    bars = [patch for patch in explorer.figure.axes[0].patches if patch.get_label().startswith(("A", "B"))]
    assert [bar.get_label() for bar in bars] == ["A: 10 runs", "B: 10 runs"]
    expected = clark2011.bin_scores(test["one"][0]["A"], test["one"][0]["B"], runs=(range(1, 11),) * 2)
    assert list(bars[0].get_data().values) == list(expected.query("system == 'A'")["runs"])
    explorer.controls["pair"].value = 1
    assert "<b>" in explorer.sentence
    explorer.controls["runs"].value = 12
    assert explorer.sentence.startswith("Over 5 and 7 runs, the mean score of B is ")
    explorer.controls["runs"].value = 5
    assert explorer.sentence.startswith("Over 5 runs of each, ")


def test_all_runs_of_either_system_can_be_seen():
    """Two runs of one and three of the other: no run is left out, and the numbers are whole."""
    explorer = widgets.explore_scores({"one": [make_runs((2, 3))]})
    assert explorer.controls["runs"].options == (1, 2, 3)
    explorer.controls["runs"].value = 3
    assert explorer.sentence.startswith("Over 2 and 3 runs, ")
    assert [dot.get_label() for dot in dots_of(explorer)] == ["A: 2 runs", "B: 3 runs"]
    alone = widgets.explore_scores({"one": [make_runs((1, 3))]})
    alone.controls["runs"].value = 3
    assert alone.sentence.startswith("Over 1 and 3 runs, ")


def test_replications_contract_the_differences():
    statistics = make_runs((20, 20))
    explorer = widgets.explore_replications({"one": [statistics]}, rng=1)
    assert explorer.controls["replications"].value == 5
    assert [line.get_label() for line in dots_of(explorer)] == ["1 run", "5 runs"]
    assert " With 5 runs of each system, 95 % of the differences lie between " in explorer.sentence
    explorer.controls["replications"].value = 1
    assert explorer.sentence.startswith("With 1 run of each system, 95 % ")
    explorer.controls["replications"].value = 10
    drawn = clark2011.draw_differences(statistics["A"], statistics["B"], [1, 10], n_draws=4000, rng=1)
    expected = clark2011.summarize_differences(drawn).iloc[-1]
    assert f"{expected['low']:+.2f} and {expected['high']:+.2f} score" in explorer.sentence


def test_equal_means_have_no_wrong_order():
    """Two systems with the same runs: 50 % were said to show the opposite order."""
    statistics = make_runs()
    same = replace(statistics, values={"A": statistics.values["A"], "B": statistics.values["A"][::-1]})
    scores = widgets.explore_scores({"one": [same]})
    scores.controls["runs"].value = 12
    assert scores.sentence.startswith(
        "Over 12 runs of each, A and B have the same mean score, so neither order is wrong."
    )
    explorer = widgets.explore_replications({"one": [same]}, rng=1)
    assert explorer.sentence.endswith(" Over all runs, A and B have the same mean score, so neither sign is wrong.")


def test_a_system_has_its_colour_in_every_pair():
    """The second system of a pair was always orange."""
    random = np.random.default_rng(3)
    values = {name: np.stack([random.normal(0, 1, (12, 80)), np.ones((12, 80))], axis=2) for name in "ABC"}
    test = {"one": [replace(make_runs(), values=values)]}
    all_runs = widgets.explore_scores(test)
    all_runs.controls["runs"].value = 12
    for explorer in (all_runs, widgets.explore_luck(test, rng=1)):
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
    assert explorer.sentence.endswith("; how far the differences of other runs would scatter is unknown.")
    scores = widgets.explore_scores({"one": [make_runs((1, 1))]})
    assert scores.sentence.endswith(" Each has one run, so the order that other runs would show is unknown.")


def test_a_small_p_is_written_as_in_the_tables():
    """It was 0.001 where 1,000 trials cannot tell it from less, and would have been 0.000 with more trials."""
    statistics = make_runs()
    values = {name: one + ([2, 0] if name == "B" else [0, 0]) for name, one in statistics.values.items()}
    explorer = widgets.explore_luck({"one": [replace(statistics, values=values)]}, rng=1)
    assert "p < 0.001 (1,000 trials)" in explorer.sentence
    names = [explorer.controls[name].description for name in ("luck_of_a", "luck_of_b")]
    assert names == ["run of A (percentile)", "run of B (percentile)"]


def click(explorer, mark):
    explorer._links["figure"].clicked = mark


def caption(explorer, name="outcomes"):
    return explorer._links[name].caption


def run_code(code, **names):
    exec(code, names)
    plt.close("all")
    return names["frame"]


def test_each_draw_takes_other_runs_and_the_first_the_first_ones():
    statistics = make_runs()
    a, b = statistics["A"], statistics["B"]
    test = {"one": [statistics]}
    explorer = widgets.explore_scores(test, rng=4)
    seen = []
    for runs in (2, 10):
        explorer.controls["runs"].value = runs
        for seed in (4, 5, 6):
            explorer.controls["seed"].value = seed
            chosen = clark2011.choose_runs(a, b, runs, anew=seed != 4, rng=seed)
            expected = clark2011.arrange_scores(a, b, runs=chosen)
            assert_frame_equal(explorer.frames["figure"], expected)
            assert_frame_equal(run_code(explorer.code["figure"], test=test), expected)
            marks = explorer._links["figure"].marks
            shown = expected if "score" in expected else expected[expected["runs"] > 0]
            heights = [0, 0, 1, 1] if "score" in expected else shown["runs"]
            centres = shown["score"] if "score" in expected else (shown["low"] + shown["high"]) / 2
            assert list(marks["y"]) == list(heights)
            assert list(marks["x"]) == list(centres)
            seen.append(tuple(chosen[0]))
            difference = clark2011.summarize_overlap(a, b, runs=chosen)["difference"][0]
            assert explorer.frames["outcomes"].set_index("seed")[""][seed] == difference
    assert seen[0] == (1, 2)
    assert len(set(seen)) == 5  # two draws happen to agree
    assert list(explorer.frames["outcomes"]["seed"]) == [6, 4, 5]  # those with 2 runs went


def test_s_test_of_a_few_runs_is_compared_with_that_of_all():
    statistics = make_runs()
    scores = {name: statistics[name].score()[0] for name in "AB"}
    explorer = widgets.explore_scores({"one": [statistics]}, rng=1)
    explorer.controls["runs"].value, explorer.controls["outcome"].value = 3, "s_test"
    few, whole = ({name: ones[:n].std(ddof=1) for name, ones in scores.items()} for n in (3, 12))
    said = [f"{few[name]:.2f} for {name} (all 12 runs: {whole[name]:.2f})" for name in "AB"]
    assert explorer.sentence.endswith(f" s_test is {said[0]} and {said[1]}.")
    row = explorer.frames["outcomes"].iloc[-1]
    np.testing.assert_allclose([row["A"], row["B"]], [few[name] / whole[name] for name in "AB"])
    ratios = [f"{few[name] / whole[name]:.2f} times for {name}" for name in "AB"]
    assert caption(explorer) == f"1 draw: compared with all runs, s_test is {ratios[0]} and {ratios[1]}."
    explorer.controls["runs"].value = 1  # which has no deviation, so no outcome
    assert "s_test" not in explorer.sentence
    assert "outcomes" not in explorer.figures


def test_the_outcome_says_how_many_draws_have_the_wrong_sign():
    statistics = make_runs()
    explorer = widgets.explore_scores({"one": [statistics]}, rng=1)
    explorer.controls["runs"].value = 1
    for seed in range(2, 12):
        explorer.controls["seed"].value = seed
    differences = explorer.frames["outcomes"][""]
    whole = statistics["B"].score().mean() - statistics["A"].score().mean()
    wrong = int((differences * whole < 0).sum())
    assert 0 < wrong < 11
    digits = 2 if np.ptp(differences) >= 0.1 else 3
    assert caption(explorer) == (
        f"11 draws: the difference of the means lies between {differences.min():+.{digits}f} and "
        f"{differences.max():+.{digits}f} score (all runs: {whole:+.{digits}f}); {wrong} of 11 "
        f"({100 * wrong / 11:.0f} %) have the opposite sign."
    )


def make_outputs(statistics):
    """Texts of several runs, and what BLEU makes of them."""
    random = np.random.default_rng(7)
    n = len(statistics.test_set)
    rows = [
        pd.DataFrame(
            {
                "segment": np.arange(1, n + 1),
                "reference": "a b c d e f g h i j",
                "system": system,
                "run": run,
                "hypothesis": [" ".join(np.where(random.random(10) < 0.2, "x", list("abcdefghij"))) for _ in range(n)],
            }
        )
        for system, one in statistics.items()
        for run in range(1, one.n_runs + 1)
    ]
    return pd.concat(rows, ignore_index=True)


def test_a_bar_opens_its_runs_and_the_sentences_of_the_median_one():
    outputs = make_outputs(make_runs((12, 11), n_segments=40))
    statistics = compute_statistics(outputs, "bleu")
    explorer = widgets.explore_scores({"one": [statistics]}, outputs, rng=1)
    explorer.controls["seed"].value = 2
    runs = clark2011.choose_runs(statistics["A"], statistics["B"], 10, rng=2)
    scores = {name: statistics[name].score()[0][np.array(ones) - 1] for name, ones in zip("AB", runs, strict=True)}
    marks = explorer._links["figure"].marks
    for number, mark in marks.iterrows():
        click(explorer, number)
        own, numbers = scores[mark["system"]], runs["AB".index(mark["system"])]
        is_last = mark["high"] == explorer.frames["figure"]["high"].max()
        inside = [
            run
            for run, score in zip(numbers, own, strict=True)
            if mark["low"] <= score < mark["high"] or (is_last and score == mark["high"])
        ]
        assert len(inside) == mark["runs"]
        noun = "run" if len(inside) == 1 else "runs"
        assert f" ({noun} {name_some(map(str, inside))}). Below: run " in caption(explorer, "opened")
        shown = re.search(r"Below: run (\d+) of B \((.+)\) and run (\d+) of A \((.+)\)\.", caption(explorer, "opened"))
        of_b, why_b, of_a, why_a = (int(one) if one.isdigit() else one for one in shown.groups())
        whys = ["the median of its runs", "the median of the bar"]
        assert [why_b, why_a] == (whys if mark["system"] == "A" else whys[::-1])
        assert (of_a if mark["system"] == "A" else of_b) in inside
        read = explorer.browser.frame.sort_values("segment")
        for system, run, column in (("B", of_b, "hypothesis"), ("A", of_a, "hypothesis_baseline")):
            own_texts = outputs[(outputs["system"] == system) & (outputs["run"] == run)]
            assert list(read[column]) == list(own_texts["hypothesis"])
    explorer.controls["seed"].value = 3
    assert explorer.browser is None
    without = widgets.explore_scores({"one": [statistics]}, rng=1)
    click(without, 0)
    assert caption(without, "opened").endswith(" Give outputs=... of two systems to read the sentences.")


def test_a_dot_opens_its_run_and_the_median_one_of_the_other_system():
    outputs = make_outputs(make_runs((5, 5), n_segments=40))
    statistics = compute_statistics(outputs, "bleu")
    explorer = widgets.explore_scores({"one": [statistics]}, outputs, rng=1)
    explorer.controls["runs"].value = 5
    for number, mark in explorer._links["figure"].marks.iterrows():
        click(explorer, number)
        median = {name: clark2011.find_run(one, "median") for name, one in statistics.items()}
        said = {mark["system"]: f"run {mark['run']} of {mark['system']} (the run chosen)"}
        said = {name: f"run {median[name]} of {name} (the median of its runs)" for name in "AB"} | said
        assert caption(explorer, "opened").endswith(f". Below: {said['B']} and {said['A']}.")


def test_explorers_of_pairs_need_two_systems():
    one = make_runs().choose(["A"])
    for explore in (widgets.explore_scores, widgets.explore_replications, widgets.explore_luck):
        with pytest.raises(
            InputError, match=r"^The explorers of Clark et al\. \(2011\) compare two systems, but no metric"
        ):
            explore({"one": [one]})


def test_the_same_runs_with_every_seed_are_no_draws():
    alone, several = {"one": [make_runs((1, 1))]}, {"one": [make_runs()]}
    for explore in (widgets.explore_scores, widgets.explore_replications, widgets.explore_luck):
        assert "outcomes" not in explore(alone, rng=1).figures
        assert "outcomes" in explore(several, rng=1).figures
    scores, luck = widgets.explore_scores(several, rng=1), widgets.explore_luck(several, rng=1)
    scores.controls["runs"].value = 12
    assert "outcomes" not in scores.figures
    luck.controls["luck_of_a"].value = 50
    assert "outcomes" in luck.figures
    luck.controls["luck_of_b"].value = 50
    assert "outcomes" not in luck.figures


def test_nobody_wins_by_a_metric_without_a_direction():
    statistics = make_runs()
    values = {name: one + ([2, 0] if name == "B" else [0, 0]) for name, one in statistics.values.items()}
    statistics = replace(statistics, values=values, metric=MeanScore("length"))
    explorer = widgets.explore_luck({"one": [statistics]}, rng=1)
    explorer.controls["seed"].value = 2
    assert caption(explorer) == (
        "2 draws: p is at most 0.05 in 2: 0 with the higher run of A, 2 of B. Neither direction is better, so no "
        "system wins."
    )
    assert list(explorer.frames["outcomes"].columns[-2:]) == ["A has the higher run", "B has the higher run"]


def test_the_difference_of_single_runs_says_on_which_segments_it_is():
    statistics = make_runs()
    values = dict(statistics.values)
    values["B"] = values["B"].copy()
    values["B"][:, :10] = 0  # of a missing score, nothing counts
    with pytest.warns(match="10 of 80 segments have no score"):
        explorer = widgets.explore_luck({"one": [replace(statistics, values=values)]}, rng=1)
    assert " score on the 70 segments that have both scores, p" in explorer.sentence
    assert "segments" not in widgets.explore_luck({"one": [statistics]}, rng=1).sentence


def test_experiments_are_those_of_the_study_for_each_control():
    statistics = make_runs((20, 20))
    a, b = statistics["A"], statistics["B"]
    few, test = make_runs((4, 4)), {"one": [statistics]}
    explorer = widgets.explore_replications(test | {"few": [few]}, rng=1)
    for name, value in (("seed", 2), ("experiments", 100), ("replications", 10), ("seed", 3)):
        explorer.controls[name].value = value
        now = {one: control.value for one, control in explorer.controls.items()}
        drawn = clark2011.draw_differences(a, b, [1, now["replications"]], n_draws=now["experiments"], rng=now["seed"])
        expected = clark2011.arrange_differences(drawn, a, b)
        assert_frame_equal(explorer.frames["figure"], expected)
        assert_frame_equal(run_code(explorer.code["figure"], test=test), expected)
        marks, seen = explorer._links["figure"].marks, expected[expected["frequency"] > 0]
        assert list(marks["y"]) == list(seen["frequency"])
        shares = clark2011.summarize_differences(drawn)["wrong_sign_percent"]
        row = explorer.frames["outcomes"].iloc[-1]
        assert [row["1 run"], row[f"{now['replications']} runs"]] == list(shares)
    ends = [
        f"{explorer.frames['outcomes'][name].agg(end):.1f}" for name in ("1 run", "10 runs") for end in ("min", "max")
    ]
    assert f"2 draws: the wrong sign comes out in {ends[0]} to {ends[1]} % with 1 run" in caption(explorer)
    explorer.controls["pair"].value = 1  # too few runs for curves
    assert list(explorer._links["figure"].marks["y"]) == [0, 1]


def test_single_runs_are_drawn_or_fixed_and_false_winners_counted():
    statistics = make_runs()
    values = {name: one * [1.0, 1] for name, one in statistics.values.items()}
    values["A"][:3, :, 0] += 1  # a few runs of the worse system are far too good
    values["B"][:, :, 0] += 0.3
    statistics = replace(statistics, values=values)
    a, b = statistics["A"], statistics["B"]
    whole = b.score().mean() - a.score().mean()
    explorer = widgets.explore_luck({"one": [statistics]}, rng=1)
    shown = []
    for seed in range(1, 13):
        explorer.controls["seed"].value = seed
        [run_a], [run_b] = clark2011.choose_runs(a, b, 1, rng=seed)
        expected = clark2011.randomize_single_runs(a, b, runs=[(run_a, run_b)], n_trials=1000, rng=seed)
        assert_frame_equal(explorer.frames["figure"], expected)
        assert_frame_equal(run_code(explorer.code["figure"], test={"one": [statistics]}), expected)
        marks = explorer._links["figure"].marks
        assert list(marks["x"]) == [expected["score_a"][0], expected["score_b"][0]]
        shown.append(expected)
    shown = pd.concat(shown)
    significant = shown[shown["p_value"] <= 0.05]
    false = int((significant["difference"] * whole < 0).sum())
    assert false > 0
    worse = "A" if whole > 0 else "B"
    assert caption(explorer) == (
        f"12 draws: p is at most 0.05 in {len(significant)}, of which {false} "
        f"{'is' if false == 1 else 'are'} for {worse}, which scores worse over all runs."
    )
    log = explorer.frames["outcomes"]
    np.testing.assert_array_equal(log["A has the better run"].notna().to_numpy(), (shown["difference"] < 0).to_numpy())
    explorer.controls["luck_of_a"].value = 100
    assert explorer.frames["figure"]["run_a"][0] == clark2011.find_run(a, "high")
    assert explorer.frames["figure"]["run_b"][0] == run_b  # the other one is still drawn
    assert len(explorer.frames["outcomes"]) == 1
    explorer.controls["luck_of_b"].value = 0  # every draw would have the same runs
    assert "outcomes" not in explorer.figures


def test_the_lines_of_single_runs_open_their_difference_and_their_sentences():
    outputs = make_outputs(make_runs((3, 3), n_segments=40))
    statistics = compute_statistics(outputs, "bleu")
    test = {"one": [statistics]}
    explorer = widgets.explore_luck(test, {"one": outputs}, rng=5)
    row = explorer.frames["figure"].iloc[0]
    click(explorer, 1)
    assert caption(explorer, "opened").startswith(
        f"Run {row['run_b']} of B and run {row['run_a']} of A: B - A in 1,000 res"
    )
    assert explorer.browser.frame["contribution"].sum() == pytest.approx(row["difference"], abs=1e-6)
    names = {"test": test, "frame": None}
    exec(explorer.code["opened"], names)
    assert names["found"].difference == pytest.approx(row["difference"])


def test_the_papers_numbers_are_offered_where_it_has_the_systems():
    statistics = make_runs()
    assert "paper" not in widgets.explore_scores({"one": [statistics]}).controls
    test, _ = clark2011.load_statistics()
    for explore, said in (
        (widgets.explore_scores, "In the paper's Table 1, A has 48.4 BLEU (s_test 0.5), and B 49.9 (s_test 0.4); by"),
        (
            widgets.explore_luck,
            "In the paper's Table 2, p is 0.25 for the high run of A and the low run of B, 0.15 for",
        ),
    ):
        explorer = explore({"BTEC": test["BTEC"], "mine": [statistics]}, rng=1)
        explorer.controls["seed"].value += 1
        assert "paper" not in explorer.sentence
        explorer.controls["paper"].value = True
        assert f" {said} " in explorer.sentence
        assert len(explorer.frames["outcomes"]) == 2  # the draws stay
        explorer.controls["pair"].value = len(test["BTEC"])
        assert explorer.sentence.endswith(" The paper does not have mine, score: A and B.")
    assert clark2011.describe_printed_runs("BTEC", "METEOR (exact)").startswith(
        "In the paper's Table 1, A has 63.3 METEOR"
    )


def test_tuning_again_shows_the_optima_of_another_run():
    lists = make_pair_lists(BTEC, rng=BTEC.rng)
    explorer = widgets.explore_tuning(rng=1)
    controls, scores = explorer.controls, []
    for name, value in (("restarts", 2), ("directions", 1), ("system", "B"), ("seed", 2)):
        controls[name].value = value
        own = lists[controls["system"].value]
        tuning = tune(own.dev, Mert(2, controls["directions"].value), start=own.start, rng=controls["seed"].value)
        expected = clark2011.arrange_optima(own, tuning)
        assert_frame_equal(explorer.frames["figure"], expected)
        assert list(explorer._links["figure"].marks[["x", "y"]].to_numpy().ravel()) == list(
            expected[["dev", "test"]].to_numpy().ravel()
        )
        scores.append(own.test.score(tuning.weights))
        assert explorer.frames["outcomes"][""].iloc[-1] == scores[-1]
    assert_frame_equal(run_code(explorer.code["figure"]), expected)
    spread = np.std(scores[-2:], ddof=1)
    assert caption(explorer).startswith("2 tuning runs: test scores from ")
    assert caption(explorer).endswith(f", s_test {spread:.2f}.")
    taken = int(expected["taken"].argmax())
    click(explorer, taken)
    assert explorer.browser is None
    click(explorer, (taken + 1) % 3)
    change = expected["test"][(taken + 1) % 3] - expected["test"][taken]
    assert explorer.browser.frame["contribution"].sum() == pytest.approx(change, abs=1e-6)
