"""Controls of Koehn's figures: they draw what the studies find, and name the marks."""

import warnings
from dataclasses import replace
from unittest.mock import DEFAULT, Mock

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import paired_bootstrap
from mtworkbench.metrics import MeanScore
from mtworkbench.papers import koehn2004
from mtworkbench.papers.koehn2004 import explorers as widgets
from mtworkbench.papers.koehn2004.figures import plot_confidence, plot_sample_scores
from mtworkbench.papers.koehn2004.samples import do_overlap
from mtworkbench.papers.simulation.koehn2004 import load_statistics as load_koehn2004_statistics
from mtworkbench.plots import system_style
from mtworkbench.plots.labels import NEUTRAL
from mtworkbench.plots.systems import styles_of
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet, compute_statistics
from mtworkbench.widgets.controls import Menu, _label_option


@pytest.fixture(autouse=True)
def without_window():
    mpl.use("Agg")


def make_statistics(n_segments=1200):
    random = np.random.default_rng(5)
    common = random.normal(0, 3, n_segments)
    values = {
        name: np.stack([common + random.normal(gain, 2, n_segments), np.ones(n_segments)], axis=1)[None]
        for name, gain in (("good", 0.5), ("<b>", 0.0))
    }
    return SegmentStatistics(
        MeanScore(higher_is_better=True), values, TestSet(np.arange(1, n_segments + 1), None, "made up", 1)
    )


def run(explorer, statistics, name="figure", **known):
    """Execute the code that an explorer shows under a figure: its frame, and the figure that it makes."""
    plt.close("all")
    space = {"statistics": statistics, **known}
    exec(explorer.code[name], space)  # noqa: S102
    (number,) = plt.get_fignums()
    figure = plt.figure(number)
    plt.close(figure)
    return space.get("frame"), figure


def points(figure):
    """All that is drawn in the first Axes: the points of its lines, and of the parts of its collections."""
    axes = figure.axes[0]
    drawn = [line.get_xydata() for line in axes.lines]
    return np.concatenate([*drawn, *(part for one in axes.collections for part in one.get_segments())])


def check(explorer, statistics, expected, y):
    """The figure, its marks and its frame are those of the study, and the code makes all of them again."""
    pd.testing.assert_frame_equal(explorer.frames["figure"], expected)
    marks = explorer._links["figure"].marks
    assert list(marks["y"]) == list(y)
    dots = {tuple(point) for point in points(explorer.figure)}
    assert {tuple(mark) for mark in marks[["x", "y"]].to_numpy(dtype=float)} <= dots
    frame, figure = run(explorer, statistics)
    pd.testing.assert_frame_equal(frame, expected)
    # The axis may have been widened, and so may lines that go along all of it.
    assert {tuple(point) for point in points(figure)} & dots >= {tuple(m) for m in marks[["x", "y"]].to_numpy(float)}


def move(explorer, **values):
    for name, value in values.items():
        explorer.controls[name].value = value


def choose(size, sampling, seed=1, n_samples=None, n_segments=1200):
    """The samples of a seed; 1 is the first one."""
    return koehn2004.choose_samples(n_segments, size, sampling, n_samples=n_samples, anew=seed != 1, rng=seed)


def test_samples_are_those_of_the_study():
    statistics = make_statistics()
    explorer = widgets.explore_samples(statistics, rng=1)
    asked = {"system": "good", "sampling": "broad", "size": 300, "number": None, "seed": 1}
    for change in ({}, {"size": 100, "sampling": "random"}, {"number": 20}, {"seed": 4, "system": "<b>"}):
        move(explorer, **change)
        asked |= change
        ways = {one: choose(asked["size"], one, asked["seed"], asked["number"]) for one in ("block", asked["sampling"])}
        expected = koehn2004.score_samples(statistics[asked["system"]], ways)
        assert set(expected["sampling"]) == set(ways)
        check(explorer, statistics, expected, expected["score"])
    deviations = expected.groupby("sampling")["score"].std()
    of_draw = explorer.frames["outcomes"].iloc[-1]
    assert of_draw["blocks"] == pytest.approx(deviations["block"])
    assert of_draw["random samples"] == pytest.approx(deviations["random"])
    move(explorer, minus="good")
    expected = koehn2004.difference_samples(statistics["<b>"], statistics["good"], ways)
    check(explorer, statistics, expected, expected["difference"])


def test_ways_of_sampling_stand_side_by_side_on_one_axis():
    statistics = make_statistics()
    ways = {one: choose(100, one) for one in ("block", "broad")}
    frame = koehn2004.score_samples(statistics["good"], ways)
    assert list(frame["sampling"]) == ["block"] * 100 + ["broad"] * 100
    for one, samples in ways.items():
        by_hand = [statistics["good"].values[0, sample, 0].mean() for sample in samples]
        assert frame.loc[frame["sampling"] == one, "score"].to_numpy() == pytest.approx(by_hand)
    axes = plot_sample_scores(frame, Figure().subplots(), system="good")
    x, y = axes.lines[0].get_data()
    assert list(y) == list(frame["score"])
    assert list(x[:100]) == list(range(1, 101))
    assert x[100:].min() > 100
    assert len(set(x)) == 200
    assert [label.get_text() for label in axes.get_xticklabels()] == ["100 blocks", "100 broad samples"]


def test_fewer_samples_are_spread_over_the_test_set_and_more_overlap():
    every = koehn2004.choose_samples(30_000, 300, "block")
    assert [sample[0] for sample in koehn2004.choose_samples(30_000, 300, "block", n_samples=4)] == [
        every[place][0] for place in (0, 25, 50, 75)
    ]
    more = koehn2004.choose_samples(30_000, 300, "broad", n_samples=200, rng=1)
    assert (len(more), do_overlap(more)) == (200, True)
    assert len(koehn2004.choose_samples(30_000, 300, "broad", n_samples=7, anew=True, rng=2)) == 7
    with pytest.raises(InputError, match="n_samples is 0"):
        koehn2004.choose_samples(1200, 300, n_samples=0)


def test_intervals_are_those_of_the_study():
    documents = np.array([f"doc{number // 30}" for number in range(1200)], dtype=object)
    made = make_statistics()
    statistics = replace(made, test_set=replace(made.test_set, documents=documents))
    explorer = widgets.explore_intervals(statistics, rng=1)
    asked = {"system": "good", "sampling": "broad", "size": 300, "number": None, "seed": 1}
    how = {"level": 0.95, "n_resamples": 1000, "unit": "segment"}
    moves = [{"level": 0.8, "n_resamples": 500}, {"seed": 3, "size": 150, "number": 10}, {"sampling": "block"}]
    for change in ({}, *moves, {"unit": "document", "system": "<b>"}):
        move(explorer, **change)
        for known in (asked, how):
            known |= {name: value for name, value in change.items() if name in known}
        samples = choose(asked["size"], asked["sampling"], asked["seed"], asked["number"])
        expected = koehn2004.interval_samples(statistics[asked["system"]], samples, **how, rng=asked["seed"])
        check(explorer, statistics, expected, expected["score"])
        assert explorer.frames["outcomes"][""].iloc[-1] == (~expected["covers"]).sum()


def test_an_interval_opens_the_intervals_of_its_sample():
    statistics = make_statistics()
    explorer = widgets.explore_intervals(statistics, rng=1)
    explorer._links["figure"].clicked = 16
    row = explorer.frames["figure"].iloc[16]
    found = koehn2004.compare_intervals(statistics["good"].take(choose(300, "broad")[16]), rng="1/17")
    assert (found["percentile"].low, found["percentile"].high) == (row["low"], row["high"])
    lines = {line.get_label(): line for line in explorer.figures["opened"].axes[0].lines}
    for name, one in found.items():
        assert list(lines[name].get_xdata()) == [one.low, one.high]
    # Of a mean, the jackknife with t is Student's interval (Fig. 5).
    student = koehn2004.student_interval(statistics["good"].values[0, choose(300, "broad")[16], 0])
    assert (found["jackknife (t)"].low, found["jackknife (t)"].high) == pytest.approx((student.low, student.high))
    _, figure = run(explorer, statistics, "opened")
    again = {line.get_label(): list(line.get_xdata()) for line in figure.axes[0].lines}
    assert {name: again[name] for name in found} == {name: list(lines[name].get_xdata()) for name in found}
    assert explorer._links["opened"].caption.endswith(" Give outputs=... of two systems to read the sentences.")


@pytest.mark.long
def test_conclusions_are_those_of_the_study():
    statistics = make_statistics()
    explorer = widgets.explore_confidence(statistics, rng=1)
    asked = {"system": "good", "minus": "<b>", "sampling": "broad", "size": 300, "number": None, "seed": 1}
    how = {"level": 0.95, "n_resamples": 1000}
    moves = [{"level": 0.8, "n_resamples": 500}, {"seed": 3, "size": 150, "number": 10}, {"sampling": "block"}]
    for change in ({}, *moves, {"system": "<b>", "minus": "good"}):
        move(explorer, **change)
        for known in (asked, how):
            known |= {name: value for name, value in change.items() if name in known}
        pair = asked["system"], asked["minus"]
        samples = choose(asked["size"], asked["sampling"], asked["seed"], asked["number"])
        expected = koehn2004.conclude(statistics, [pair], samples, **how, rng=asked["seed"])
        tested = koehn2004.randomize_samples(*(statistics[one] for one in pair), samples, rng=asked["seed"])
        expected["p_value"] = tested["p_value"]
        check(explorer, statistics, expected, 100 * expected["confidence"])
    drawn, small = expected["conclusion"] != "", expected["p_value"] <= 0.2
    said = f"p is at most 0.2 on {small.sum()} of the {len(small)}, and on {(drawn & small).sum()} of the {drawn.sum()}"
    assert explorer.sentence.endswith(f"Approximate randomization: {said} with a conclusion.")
    wrong = ((expected["conclusion"] != "") & ~expected["correct"]).mean()
    assert explorer.frames["outcomes"]["wrong conclusion"].iloc[-1] == 100 * wrong


def test_the_line_moves_conclusions_and_draws_nothing():
    statistics = make_statistics()
    drawn = koehn2004.conclude(statistics, [("good", "<b>")], choose(300, "broad"), rng=1)
    for level in (0.5, 0.9, 0.99):
        again = koehn2004.conclude(
            statistics, [("good", "<b>")], choose(300, "broad"), level=level, n_resamples=1000, rng=1
        )
        pd.testing.assert_frame_equal(koehn2004.conclude_at(drawn, level), again)


def caption(explorer, name):
    return explorer._links[name].caption


def test_a_sample_opens_its_resamples_and_what_decides_it():
    statistics = load_koehn2004_statistics()
    explorer = widgets.explore_confidence(statistics, rng=1)
    explorer._links["figure"].clicked = 4
    row = explorer.frames["figure"].iloc[4]
    sample = choose(300, "broad", n_segments=30_000)[4]
    assert sorted(explorer.browser.frame["segment"]) == list(sample + 1)
    assert explorer.browser.frame["contribution"].sum() == pytest.approx(row["difference"], abs=1e-6)
    found = paired_bootstrap(
        *(statistics[one].take(sample) for one in ("Spanish", "Danish")), unit="segment", rng="1/5"
    )
    assert (found.wins, found.losses) == (row["wins"], row["losses"])
    counts = explorer.figures["opened"].axes[0].patches[0].get_data().values
    assert counts.sum() == 1000
    _, figure = run(explorer, statistics, "opened")
    assert list(figure.axes[0].patches[0].get_data().values) == list(counts)
    documents = len(set(statistics.test_set.documents[sample]))
    said = f"It has 300 segments of {documents} of the 121 documents. "
    said += "The share of resamples is a one-sided test; the CI is two-sided."
    assert caption(explorer, "opened").endswith(said)
    assert caption(explorer, "outcomes").startswith("1 draw: 64 % of the samples conclude for the system that scores")
    # The right conclusion is the one for the better system, and looks like it.
    for pair in (("Spanish", "Danish"), ("Danish", "Spanish")):
        for name, system in zip(("system", "minus"), pair, strict=True):
            explorer._waits = True
            explorer.controls[name].value = system
        explorer._waits = False
        explorer._follow()
        colors = [line.get_color() for line in explorer.figures["outcomes"].axes[0].lines if line.get_marker() == "o"]
        looks = styles_of(statistics)
        assert colors == [looks["Spanish"]["color"], NEUTRAL, looks["Danish"]["color"]]


@pytest.mark.long
def test_sentences_of_own_outputs_are_read():
    shipped = load_koehn2004_statistics()
    outputs = koehn2004.find_sentences(shipped, ("Spanish", "Danish"), np.arange(600))
    statistics = compute_statistics(outputs, "bleu")
    assert np.array_equal(statistics["Danish"].values, shipped["Danish"].values[:, :600])
    assert koehn2004.find_sentences(statistics, ("Spanish", "Danish"), np.arange(9)) is None
    explorer = widgets.explore_intervals(statistics, outputs, rng=1)
    explorer._links["figure"].clicked = 8
    sample = choose(300, "broad", n_segments=600)[8]
    assert sorted(explorer.browser.frame["segment"]) == list(sample + 1)
    explorer = widgets.explore_intervals(statistics, rng=1)
    explorer._links["figure"].clicked = 8
    assert explorer.browser is None


def test_a_block_opens_the_few_documents_that_it_is_of():
    explorer = widgets.explore_samples(load_koehn2004_statistics(), rng=1)
    explorer._links["figure"].clicked = 40
    spanish, block = load_koehn2004_statistics()["Spanish"], np.arange(12_000, 12_300)
    of = spanish.test_set.documents
    first, second = dict.fromkeys(of[block])
    parts = [block[of[block] == first], block[of[block] == second], np.arange(30_000)]
    scores = [float(spanish.take(part).score().mean()) for part in parts]
    assert caption(explorer, "opened").endswith(
        f"It has 300 segments of 2 of the 121 documents. BLEU of its segments by document: {first} {scores[0]:.1f} and "
        f"{second} {scores[1]:.1f}; whole test set {scores[2]:.1f}. Below: its sentences, beside those of Portuguese."
    )
    explorer._links["figure"].clicked = 140
    assert len(set(explorer.browser.frame["document"])) > 100
    assert "by document" not in caption(explorer, "opened")


def test_a_block_of_differences_names_those_of_its_documents():
    statistics = load_koehn2004_statistics()
    explorer = widgets.explore_samples(statistics, rng=1)
    explorer.controls["minus"].value = "Danish"
    explorer._links["figure"].clicked = 40
    block, of = np.arange(12_000, 12_300), statistics.test_set.documents
    for name in dict.fromkeys(of[block]):
        part = block[of[block] == name]
        a, b = (float(statistics[one].take(part).score().mean()) for one in ("Spanish", "Danish"))
        assert f"{name} {a - b:+.1f}" in caption(explorer, "opened")
    assert "Below" not in caption(explorer, "opened")


def test_one_draw_has_no_range():
    explorer = widgets.explore_samples(make_statistics(), rng=1)
    assert " to " not in caption(explorer, "outcomes")
    explorer.controls["seed"].value = 2
    assert " to " in caption(explorer, "outcomes")


def test_pairs_are_compared_on_the_segments_that_both_have_scores_of():
    statistics = make_statistics()
    values = {name: scores.copy() for name, scores in statistics.values.items()}
    values["good"][:, :200], values["<b>"][:, 900:] = 0, 0  # neither score nor segment
    with_gaps = replace(statistics, values=values)
    common = statistics.take(np.arange(200, 900))
    samples = koehn2004.choose_samples(700, 300, rng=1)
    said = r"^500 of 1,200 segments have no .* in at least one system; the figures and tables"
    with pytest.warns(DataWarning, match=said):
        explorer = widgets.explore_confidence(with_gaps, rng=1)
    expected = koehn2004.conclude(common, [("good", "<b>")], samples, rng=1)
    frame = explorer.frames["figure"]
    pd.testing.assert_frame_equal(frame.drop(columns="p_value"), expected)
    found = paired_bootstrap(common["good"], common["<b>"], unit="segment", rng=1)
    assert set(frame["true_difference"]) == {found.difference}
    with pytest.warns(DataWarning, match=said):
        pd.testing.assert_frame_equal(run(explorer, with_gaps)[0], frame)
    with_gaps = replace(with_gaps, metric=MeanScore(name="gaps", higher_is_better=True))
    with pytest.warns(DataWarning, match=said):
        several = widgets.explore_samples([statistics, with_gaps], rng=1)
    move(several, metric="gaps", minus="<b>")
    by_hand = koehn2004.difference_samples(common["good"], common["<b>"], samples)["difference"]
    frame = several.frames["figure"]
    assert list(frame.loc[frame["sampling"] == "broad", "difference"]) == list(by_hand)
    with pytest.warns(DataWarning, match=said):
        pd.testing.assert_frame_equal(run(several, [statistics, with_gaps])[0], frame)


def test_no_number_of_misses_is_expected_where_a_sample_is_much_of_the_test_set():
    explorer = widgets.explore_intervals(make_statistics(), rng=1)
    assert "But a sample is up to 25 % of the test set" in explorer.sentence
    assert explorer._answers["outcomes"].sentence.endswith(" %.")
    assert "expected=None" in explorer.code["outcomes"]
    move(explorer, size=50)
    assert "But a sample" not in explorer.sentence
    assert explorer._answers["outcomes"].sentence.endswith(" %; at 95 %, 5 % should.")
    assert "expected=5.0" in explorer.code["outcomes"]


def test_it_is_said_that_samples_overlap():
    explorer = widgets.explore_samples(make_statistics(), rng=1)
    assert explorer.sentence.endswith(
        "Overlapping samples resemble one another, so their scores spread less than those of separate test sets."
    )
    move(explorer, size=100, number=10)
    assert "Overlapping" not in explorer.sentence


def test_a_system_is_not_compared_with_itself():
    for name in ("samples", "confidence"):
        explorer = getattr(widgets, f"explore_{name}")(make_statistics(), rng=1)
        move(explorer, system="<b>", minus="<b>")
        assert explorer.sentence == "System and baseline are the same: choose another system."
        assert explorer.figures == {}
        move(explorer, system="good")
        assert explorer.frames["figure"]["sample"].max() == 100
        assert len(explorer.frames["outcomes"]) > 0


def test_a_mean_opens_students_density():
    statistics = make_statistics()
    explorer = widgets.explore_samples(statistics, rng=1)
    explorer._links["figure"].clicked = 102
    scores = statistics["good"].values[0, choose(300, "broad")[2], 0]
    curve = koehn2004.student_density(koehn2004.student_interval(scores))
    assert list(explorer.figures["opened"].axes[0].lines[0].get_ydata()) == list(curve["density"])
    _, figure = run(explorer, statistics, "opened")
    assert list(figure.axes[0].lines[0].get_ydata()) == list(curve["density"])


@pytest.mark.long
def test_several_metrics_have_a_menu():
    statistics = make_statistics()
    values = {name: scores * np.array([2, 1]) for name, scores in statistics.values.items()}
    other = replace(statistics, metric=MeanScore(name="twice", higher_is_better=True), values=values)
    for name in ("samples", "intervals", "confidence"):
        explorer = getattr(widgets, f"explore_{name}")([statistics, other], rng=1)
        before = explorer.frames["figure"]
        move(explorer, metric="twice")
        after = explorer.frames["figure"]
        column = "difference" if name == "confidence" else "score"
        assert after[column].to_numpy() == pytest.approx(2 * before[column].to_numpy())
        pd.testing.assert_frame_equal(run(explorer, [statistics, other])[0], after)


@pytest.mark.long
def test_the_papers_numbers_are_told_where_the_paper_has_them():
    statistics = load_koehn2004_statistics()
    printed = {
        "samples": "highest BLEU of Spanish on 100 broad samples of 300, 31",
        "intervals": "intervals of 100 that miss the full-set score, 3;",
        "confidence": "In the paper (Table 3), 65 % of 100 samples conclude for Spanish, 0 % for Danish.",
    }
    for name, said in printed.items():
        explorer = getattr(widgets, f"explore_{name}")(statistics, rng=1)
        assert "In the paper" not in explorer.sentence
        move(explorer, paper=True)
        assert said in explorer.sentence
        move(explorer, seed=2)
        assert explorer.sentence.endswith(" The paper prints no number for these settings.")
        move(explorer, seed=1, size=1000)
        assert explorer.sentence.endswith(" The paper prints no number for these settings.")
        assert "paper" not in getattr(widgets, f"explore_{name}")(make_statistics(), rng=1).controls


def make_three_systems(n_segments=1200, factor=1.0):
    """The first is the worst, and the second the best."""
    random = np.random.default_rng(5)
    common = random.normal(0, 3, n_segments)
    values = {
        name: np.stack([factor * (common + random.normal(gain, 2, n_segments)), np.ones(n_segments)], axis=1)[None]
        for name, gain in (("worst", 0.0), ("best", 0.5), ("fair", 0.4))
    }
    test_set = TestSet(np.arange(1, n_segments + 1), None, "made up", 1)
    return SegmentStatistics(MeanScore(higher_is_better=True), values, test_set)


@pytest.mark.parametrize("n_segments", [700, 1200, 30_213])
@pytest.mark.long
def test_explorers_open_on_what_the_figures_of_the_notebooks_show(n_segments):
    """They opened on the first systems of the files, with fewer resamples, and of 1,000 segments on shorter samples."""
    statistics = make_three_systems(n_segments)
    assert koehn2004.choose_figure_pairs(statistics)[0] == ("best", "worst")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # of the blocks' remainder
        block, broad = (koehn2004.choose_samples(n_segments, 300, one, rng=1) for one in ("block", "broad"))
        explorer = widgets.explore_samples(statistics, rng=1)
    both = {"block": block, "broad": broad}
    scores = koehn2004.score_samples(statistics["best"], both)["score"]
    assert list(explorer.figure.axes[0].lines[0].get_ydata()) == list(scores)
    low, high = scores[: len(block)].min(), scores[: len(block)].max()
    assert f"best has score {low:.2f} to {high:.2f} on 100 blocks (" in explorer.sentence
    kind = "broad samples of 302 or 303" if n_segments == 30_213 else "overlapping broad samples of 300"

    explorer = widgets.explore_intervals(statistics, rng=1)
    missed = (~koehn2004.interval_samples(statistics["best"], broad, rng=1)["covers"]).sum()
    said = f"best on 100 {kind} segments. The score of the whole test set is missed by {missed} of 100 intervals. "
    assert explorer.sentence.startswith(said)

    explorer = widgets.explore_confidence(statistics, rng=1)
    figure = plot_confidence(koehn2004.conclude(statistics, [("best", "worst")], broad, rng=1), Figure().subplots())
    counts = [int(text.get_text().split(": ")[1].split()[0]) for text in figure.texts if " better: " in text.get_text()]
    drawn = [
        int(text.get_text().split(": ")[1].split()[0])
        for text in explorer.figure.axes[0].texts
        if " better: " in text.get_text()
    ]
    assert drawn == counts
    for_best, for_worst = [*counts, 0][:2]
    assert explorer.sentence.startswith(
        f"100 {kind} segments. Conclusions on 100 samples: {for_best} for best, {for_worst} for worst, "
    )


def test_the_shipped_explorer_says_the_numbers_of_figures_7_and_8():
    """As stored in the notebook: 64 and 0 of 100, 15 and 1 of 100; with 300 resamples it was 16 % and 3 %."""
    explorer = widgets.explore_confidence(load_koehn2004_statistics(), rng=1)
    assert explorer.sentence.startswith(
        "100 broad samples of 300 segments. Conclusions on 100 samples: 64 for Spanish, 0 for Danish, 36 for neither. "
        "On the whole test set, Spanish - Danish is +2.00 BLEU. If this is the truth, no conclusion is wrong. "
    )
    explorer.controls["system"].value = "Portuguese"
    assert explorer.sentence.startswith(
        "100 broad samples of 300 segments. Conclusions on 100 samples: 15 for Portuguese, 1 for Danish, 84 for "
        "neither. On the whole test set, Portuguese - Danish is +0.50 BLEU. If this is the truth, 1 conclusion is wrong"
    )


def test_scores_from_0_to_1_have_the_decimals_that_tell_them_apart():
    """Of a system between 0.83 and 0.86 they said "0.8 to 0.8"."""
    statistics = make_three_systems(factor=0.01)
    (scores,) = [statistics["best"].values[0, :, 0]]
    samples = koehn2004.choose_samples(1200, 300, "block", rng=1)
    means = [scores[sample].mean() for sample in samples]
    explorer = widgets.explore_samples(statistics, rng=1)
    assert f"best has score {min(means):.4f} to {max(means):.4f} on 100 blocks" in explorer.sentence
    whole = scores.mean() - statistics["worst"].values[0, :, 0].mean()
    assert f"best - worst is {whole:+.4f} score. " in widgets.explore_confidence(statistics, rng=1).sentence


def test_calibration_names_the_longest_sample_that_is_there():
    statistics = make_statistics(1001)
    conclusions = koehn2004.conclude_on_sizes(statistics, [("good", "<b>")], (10,), n_resamples=20, rng=1)
    sentence = widgets.explore_calibration(conclusions).sentence
    assert sentence.startswith("100 comparisons on samples of at most 11 segments: ")


def make_uneven_statistics():
    """Like `make_statistics`, but what both systems find easy or hard stands together, in one place extremely so."""
    statistics = make_statistics()
    hard = np.repeat(np.random.default_rng(2).normal(0, 3, 40), 30)
    hard[600:630] += 60
    hard[900:930] -= 30
    values = {name: scores + np.stack([hard, np.zeros(1200)], axis=1) for name, scores in statistics.values.items()}
    return replace(statistics, values=values)


def test_no_sample_is_cut_off_and_the_axis_stays_as_long():
    explorer = widgets.explore_samples(make_uneven_statistics(), rng=1)
    axes_shown = set()
    for settings in ({}, {"system": "<b>"}, {"sampling": "random"}, {"size": 600}, {"seed": 2}, {"system": "good"}):
        move(explorer, **settings)
        axes = explorer.figure.axes[0]
        (low, high), scores = axes.get_ylim(), axes.lines[0].get_ydata()
        assert low < scores.min() and scores.max() < high
        axes_shown.add((explorer.controls["system"].value, round(low, 9), round(high - low, 9)))
    # The axis moves with the system alone.
    assert len(axes_shown) == 2
    assert len({length for *_, length in axes_shown}) == 1
    move(explorer, size=30)
    (low, high), scores = explorer.figure.axes[0].get_ylim(), explorer.figure.axes[0].lines[0].get_ydata()
    assert low < scores.min() and scores.max() < high


@pytest.mark.long
def test_intervals_have_the_resamples_that_their_level_needs(monkeypatch):
    asked, real = [], koehn2004.interval_samples

    def interval_samples(*arguments, n_resamples, level, **options):
        asked.append((level, n_resamples))
        return real(*arguments, n_resamples=n_resamples, level=level, **options)

    monkeypatch.setattr(koehn2004, "interval_samples", interval_samples)
    explorer = widgets.explore_intervals(make_statistics(), rng=1)
    for level in explorer.controls["level"].options:
        explorer.controls["level"].value = level
    # No position warns of few resamples: warnings are errors here.
    assert dict(asked) == {0.8: 1000, 0.9: 1000, 0.95: 1000, 0.99: 2000}
    assert explorer.sentence.count("(2,000 resamples of each sample)") == 1
    assert explorer._complaints.outputs == ()


@pytest.mark.long
def test_intervals_follow_the_level():
    explorer = widgets.explore_intervals(make_statistics(), rng=1)
    before = explorer.sentence
    explorer.controls["level"].value = 0.8
    assert "at 95 %" in before
    assert "at 80 %" in explorer.sentence
    missed = [line for line in explorer.figure.axes[0].collections if line.get_label() == "misses it"]
    assert f"{sum(len(line.get_segments()) for line in missed)} of 100 intervals" in explorer.sentence


def test_intervals_have_the_colour_of_their_system():
    """They were blue whatever the system."""
    explorer = widgets.explore_intervals(make_statistics(), rng=1)
    for place, system in enumerate(("<b>", "good")):
        explorer.controls["system"].value = system
        (held,) = [one for one in explorer.figure.axes[0].collections if one.get_label() == "holds the true score"]
        assert to_hex(held.get_color()[0]) == system_style(place)["color"].lower()


def test_another_line_or_an_earlier_position_draws_nothing_anew(monkeypatch):
    calls = []
    counted = Mock(wraps=koehn2004.conclude, side_effect=lambda *_, **options: calls.append(options) or DEFAULT)
    monkeypatch.setattr(koehn2004, "conclude", counted)
    explorer = widgets.explore_confidence(make_statistics(), rng=1)
    move(explorer, level=0.8, size=100)
    assert len(calls) == 2
    move(explorer, level=0.95, size=300)
    assert len(calls) == 2


def name_two_decimals(p):
    """Of 999 trials p has two decimals; a third one tells it from 0.05."""
    return "p < 0.01" if p < 0.01 else f"p = {p:.{3 if 0.05 < p < 0.055 else 2}f}"


def test_every_dot_is_named():
    statistics = make_statistics()
    explorer = widgets.explore_confidence(statistics, rng=1)
    marks, frame = explorer._links["figure"].marks, explorer.frames["figure"]
    assert list(marks["text"]) == [
        f"sample {row.sample}, difference {row.difference:+.2f}, "
        f"{100 * row.confidence:.1f} % won, {name_two_decimals(row.p_value)}"
        for row in frame.itertuples()
    ]
    assert "<b>" in explorer.sentence
    assert "<b>" not in explorer._screen.html
    samples = widgets.explore_samples(statistics, rng=1)._links["figure"].marks["text"]
    assert [text.partition(":")[0] for text in samples[[0, 99, 100, 199]]] == [
        *("block 1", "block 100", "broad sample 1", "broad sample 100"),
    ]


def test_calibration_of_one_pair():
    conclusions = koehn2004.conclude_on_sizes(make_statistics(), [("good", "<b>")], (50, 300), n_resamples=50, rng=1)
    explorer = widgets.explore_calibration(conclusions)
    assert explorer.sentence.startswith("200 comparisons on samples of at most 300 segments")
    explorer.controls["largest"].value = 50
    assert explorer.sentence.startswith("100 comparisons on samples of at most 50 segments")
    assert (explorer.controls["pair"].value, explorer.controls["pair"].labels) == (None, ["all pairs", "good and <b>"])
    explorer.controls["pair"].value = ("good", "<b>")
    assert explorer.sentence.startswith("100 comparisons")
    bins = koehn2004.bin_conclusions(conclusions[conclusions["size"] == 50])
    pd.testing.assert_frame_equal(explorer.frames["figure"], bins)
    pd.testing.assert_frame_equal(run(explorer, None, conclusions=conclusions)[0], bins)
    marks = explorer._links["figure"].marks
    filled = bins[bins["conclusions"] > 0]
    assert list(marks["x"]) == list(filled["mean_confidence"])
    assert list(marks["y"]) == list(filled["correct_percent"])


def test_samples_of_a_tiny_test_set_are_halves_of_it():
    explorer = widgets.explore_samples(make_statistics(40), rng=1)
    assert len(explorer.figure.axes[0].lines[0].get_ydata()) == 200
    assert set(explorer.frames["figure"]["segments"]) == {20}


def test_menus_show_what_is_chosen_whatever_the_systems_are_called():
    names = ("a system of somebody who writes long names, the old one", "\u200b", "<option>", " ")
    made = make_statistics()
    values = {name: made.values["good"] + np.array([gain, 0]) for gain, name in enumerate(names)}
    statistics = replace(made, values=values)
    conclusions = koehn2004.conclude_on_sizes(
        statistics, koehn2004.choose_pairs(statistics), sizes=(100,), n_resamples=20, rng=1
    )
    explorers = [
        getattr(widgets, f"explore_{kind}")(statistics, rng=1) for kind in ("samples", "intervals", "confidence")
    ]
    explorers.append(widgets.explore_calibration(conclusions))
    menus = [control for one in explorers for control in one.controls.values() if isinstance(control, Menu)]
    assert len(menus) == 9
    for menu in menus:
        assert all(label.strip(" \u200b") for label in menu.labels)
        assert len(set(menu.labels)) == len(menu.labels)
        assert menu.value == _label_option(menu.options[menu.index])[1]
    assert list(explorers[0].controls["system"].labels) == [names[0], r"'\u200b'", "<option>", "' '"]


@pytest.mark.parametrize(
    ("wrong", "n_samples", "said"),
    [
        ([2.0], 100, "36 % of the samples conclude for the system that scores better on the whole test set, 2 % for"),
        ([0.0] * 11, 100, "0 % (in 0 of 11 draws) for"),
        ([1.0] + [0.0] * 9, 100, "0.1 % (in 1 of 10 draws) for"),
        ([1.0] + [0.0] * 99, 100, "0.01 % (in 1 of 100 draws) for"),
    ],
)
def test_a_share_has_the_digits_that_its_samples_carry(wrong, n_samples, said):
    """Of 100 samples, 2.00 % were wrong, and 36.0 % right."""
    log = pd.DataFrame({"seed": range(len(wrong)), "right conclusion": 36.0, "wrong conclusion": wrong})
    assert said in widgets._describe_winners(log, n_samples)


def test_one_interval_misses_and_two_miss():
    said = [widgets._describe_coverage(pd.DataFrame({"": [missed]}), 100, None) for missed in (1, 2)]
    assert said == [
        "1 draw: 1 of 100 intervals misses the score of the whole test set, 1 %.",
        "1 draw: 2 of 100 intervals miss the score of the whole test set, 2 %.",
    ]
