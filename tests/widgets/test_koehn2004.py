"""Controls of Koehn's figures: they draw what the studies find, and name the marks."""

import warnings
from dataclasses import replace
from unittest.mock import DEFAULT, Mock

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from mtworkbench.errors import DataWarning
from mtworkbench.metrics import MeanScore
from mtworkbench.papers import koehn2004
from mtworkbench.papers.koehn2004 import explorers as widgets
from mtworkbench.papers.koehn2004.figures import plot_confidence
from mtworkbench.papers.simulation.koehn2004 import load_koehn2004_statistics
from mtworkbench.plots import system_style
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
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


def test_samples_are_those_of_the_study():
    statistics = make_statistics()
    explorer = widgets.explore_samples(statistics, rng=1)
    expected = koehn2004.score_samples(statistics["good"], koehn2004.choose_samples(1200, 300, "block", rng=1))
    dots = explorer.figure.axes[0].lines[0]
    assert list(dots.get_ydata()) == list(expected["score"])
    explorer.controls["size"].value = 100
    explorer.controls["sampling"].value = "broad"
    expected = koehn2004.score_samples(statistics["good"], koehn2004.choose_samples(1200, 100, "broad", rng=1))
    assert list(explorer.figure.axes[0].lines[0].get_ydata()) == list(expected["score"])


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
    scores = koehn2004.score_samples(statistics["best"], block)["score"]
    assert list(explorer.figure.axes[0].lines[0].get_ydata()) == list(scores)
    assert explorer.sentence.startswith("best on 100 ")
    assert f" block samples of 300 segments: {scores.min():.2f} to {scores.max():.2f}, " in explorer.sentence
    kind = "broad samples of 302 or 303" if n_segments == 30_213 else "overlapping broad samples of 300"

    explorer = widgets.explore_intervals(statistics, rng=1)
    missed = (~koehn2004.interval_samples(statistics["best"], broad, rng=1)["covers"]).sum()
    sentence = f"best: {missed} of 100 intervals at 95 % on 100 {kind} segments miss the score of the whole test set"
    assert explorer.sentence.startswith(sentence)

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
        f"{for_best} of 100 {kind} segments ({for_best} %) conclude for best, {for_worst} ({for_worst} %) for worst; "
    )


def test_the_shipped_explorer_says_the_numbers_of_figures_7_and_8():
    """As stored in the notebook: 64 and 0 of 100, 15 and 1 of 100; with 300 resamples it was 16 % and 3 %."""
    explorer = widgets.explore_confidence(load_koehn2004_statistics(), rng=1)
    assert explorer.sentence.startswith(
        "64 of 100 broad samples of 300 segments (64 %) conclude for Spanish, 0 (0 %) for Danish; on the whole test "
        "set the difference is +2.00."
    )
    explorer.controls["system"].value = "Portuguese"
    assert explorer.sentence.startswith(
        "15 of 100 broad samples of 300 segments (15 %) conclude for Portuguese, 1 (1 %) for Danish; on the whole test "
        "set the difference is +0.50."
    )


def test_scores_from_0_to_1_have_the_decimals_that_tell_them_apart():
    """Of a system between 0.83 and 0.86 they said "0.8 to 0.8"."""
    statistics = make_three_systems(factor=0.01)
    (scores,) = [statistics["best"].values[0, :, 0]]
    samples = koehn2004.choose_samples(1200, 300, "block", rng=1)
    means = [scores[sample].mean() for sample in samples]
    explorer = widgets.explore_samples(statistics, rng=1)
    assert f" segments: {min(means):.4f} to {max(means):.4f}, " in explorer.sentence
    assert f"; {scores.mean():.4f} on the whole test set." in explorer.sentence
    whole = scores.mean() - statistics["worst"].values[0, :, 0].mean()
    assert f"the difference is {whole:+.4f}." in widgets.explore_confidence(statistics, rng=1).sentence


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


@pytest.mark.long
def test_no_sample_is_cut_off():
    explorer = widgets.explore_samples(make_uneven_statistics(), rng=1)
    controls, axes_shown = explorer.controls, set()
    for system in ("good", "<b>"):
        for sampling in koehn2004.samples.SAMPLINGS:
            sizes = controls["size"].options
            for size in {sizes[0], sizes[len(sizes) // 2], sizes[-1]}:
                controls["system"].value, controls["sampling"].value = system, sampling
                controls["size"].value = size
                axes = explorer.figure.axes[0]
                (low, high), scores = axes.get_ylim(), axes.lines[0].get_ydata()
                assert low < scores.min() and scores.max() < high
                axes_shown.add((system, round(low, 9), round(high - low, 9)))
    # At every position the axis is as long; it moves with the system alone.
    assert len(axes_shown) == 2
    assert len({length for *_, length in axes_shown}) == 1


def test_a_random_sample_that_lies_farther_out_widens_the_axis(monkeypatch):
    explorer = widgets.explore_samples(make_uneven_statistics(), rng=1)
    farthest = [np.arange(600, 605), np.arange(5)]
    monkeypatch.setattr(koehn2004, "choose_samples", lambda *arguments, **options: farthest)
    explorer.controls["sampling"].value = "random"
    axes = explorer.figure.axes[0]
    assert axes.get_ylim()[1] > axes.lines[0].get_ydata().max() > 60


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


@pytest.mark.long
def test_another_sample_or_an_earlier_position_draws_nothing_anew(monkeypatch):
    calls = []
    for name in ("conclude", "interval_samples"):
        counted = Mock(
            wraps=getattr(koehn2004, name), side_effect=lambda *_, **options: calls.append(options) or DEFAULT
        )
        monkeypatch.setattr(koehn2004, name, counted)
    controls = widgets.explore_confidence(make_statistics(), rng=1).controls
    controls["sample"].value = 3
    assert len(calls) == 1
    controls["size"].value = 100
    controls["size"].value = 300
    assert len(calls) == 2
    controls = widgets.explore_intervals(make_statistics(), rng=1).controls
    controls["level"].value = 0.8
    controls["level"].value = 0.95
    assert len(calls) == 4


def test_every_dot_is_named_where_it_stands(name_marks):
    statistics = make_statistics()
    explorer = widgets.explore_confidence(statistics, rng=1)
    explorer.controls["size"].value = 100
    frame = koehn2004.conclude(statistics, [("good", "<b>")], koehn2004.choose_samples(1200, 100, rng=1), rng=1)
    picture = name_marks(explorer)
    assert len(picture.areas) == len(frame) == 100
    for row in frame.itertuples():
        text = f"sample {row.sample}, difference {row.difference:+.2f}, {100 * row.confidence:.1f} % won"
        assert picture.answer(picture.pixel(row.sample, 100 * row.confidence)) == [text]
    assert "<b>" in explorer.sentence
    assert "<b>" not in explorer._screen.html
    explorer.controls["sample"].value = 4
    assert f"difference {frame['difference'][3]:+.2f}" in explorer.sentence


@pytest.mark.parametrize(("n_segments", "size", "alone"), [(30_000, 300, 100), (20_000, 100, 0)])
def test_no_dot_of_many_is_named_for_its_neighbour(name_marks, n_segments, size, alone):
    """100 dots lie four pixels apart, 200 two: then those at nearly the same place are named together."""
    explorer = widgets.explore_confidence(make_statistics(n_segments), rng=1)
    explorer.controls["size"].value = size
    marks = explorer._draw(**{name: control.value for name, control in explorer.controls.items()})[2]
    picture = name_marks(explorer)
    answers = [picture.answer(picture.pixel(x, y)) for x, y in zip(marks["x"], marks["y"], strict=True)]
    assert [answer[0] for answer in answers] == list(marks["text"])
    assert sum(len(answer) == 1 for answer in answers) >= alone
    assert max(map(len, answers)) <= 5


def test_calibration_of_one_pair():
    conclusions = koehn2004.conclude_on_sizes(make_statistics(), [("good", "<b>")], (50, 300), n_resamples=50, rng=1)
    explorer = widgets.explore_calibration(conclusions)
    assert explorer.sentence.startswith("200 comparisons on samples of at most 300 segments")
    explorer.controls["largest"].value = 50
    assert explorer.sentence.startswith("100 comparisons on samples of at most 50 segments")
    assert (explorer.controls["pair"].value, explorer.controls["pair"].labels) == (None, ["all pairs", "good and <b>"])
    explorer.controls["pair"].value = ("good", "<b>")
    assert explorer.sentence.startswith("100 comparisons")


def test_samples_of_a_tiny_test_set_are_halves_of_it():
    explorer = widgets.explore_samples(make_statistics(40), rng=1)
    assert len(explorer.figure.axes[0].lines[0].get_ydata()) == 100
    assert "on 100 overlapping block samples of 20 segments" in explorer.sentence


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
    assert len(menus) == 7
    for menu in menus:
        assert all(label.strip(" \u200b") for label in menu.labels)
        assert len(set(menu.labels)) == len(menu.labels)
        assert menu.value == _label_option(menu.options[menu.index])[1]
    assert list(explorers[0].controls["system"].labels) == [names[0], r"'\u200b'", "<option>", "' '"]
