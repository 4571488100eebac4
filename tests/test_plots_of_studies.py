"""All figures of the studies in the house style: text that can be read, findings as titles, lines with names."""

from contextlib import nullcontext
from functools import cache

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import mtworkbench as mtw
from mtworkbench.papers.clark2011 import figures as clark2011
from mtworkbench.papers.koehn2004 import compare_intervals, student_density, student_interval
from mtworkbench.papers.koehn2004 import figures as koehn2004
from mtworkbench.papers.koehn2004 import figures_up_close as metrics_up_close
from mtworkbench.plots import specifications, styles_of

from .drawn import covered_marks, faults_of_text

SHORT, LONG = ("A", "$B$"), ("an-ensemble-of-the-kind-of-last-year-1", "an-ensemble-of-the-kind-of-last-year-2")
MEDIA = ("screen", "paper", "slide")
RNG = np.random.default_rng(7)
SAMPLES = np.arange(1, 101)


pytestmark = pytest.mark.usefixtures("own_figures")


def draw_scores(systems):
    frame = pd.DataFrame({"sample": SAMPLES, "segments": 300, "score": RNG.normal(28.9, 3, 100)})
    return koehn2004.plot_sample_scores(frame, system=systems[0], whole=28.94, sampling="block")


def draw_samplings(systems):
    frames = {
        name: pd.DataFrame({"sample": SAMPLES, "segments": 300, "score": RNG.normal(28.9, spread, 100)})
        for name, spread in (("block", 3), ("broad", 1))
    }
    frame = pd.concat(frames, names=["sampling"]).reset_index("sampling").reset_index(drop=True)
    return koehn2004.plot_sample_scores(frame, system=systems[0], whole=28.94)


def draw_interval_methods(_):
    scores = mtw.MeanScore("score", higher_is_better=True)
    rows = pd.DataFrame({"segment": SAMPLES, "system": "A", "run": 1, "score": RNG.normal(28, 9, 100)})
    intervals = compare_intervals(mtw.compute_statistics(rows, scores)["A"], rng=1)
    return koehn2004.plot_interval_methods(intervals, whole=28.5)


def draw_differences(systems):
    frame = pd.DataFrame({"sample": SAMPLES, "difference": [*RNG.uniform(0.1, 4, 97), -0.2, -0.1, 0.0]})
    return koehn2004.plot_sample_differences(frame, systems=systems, sampling="broad")


def draw_intervals(_):
    frame = pd.DataFrame({"sample": SAMPLES, "score": RNG.normal(28.9, 1, 100), "true_score": 28.94})
    frame = frame.assign(low=frame["score"] - 1.8, high=frame["score"] + 1.8)
    return koehn2004.plot_sample_intervals(
        frame.assign(covers=frame["true_score"].between(frame["low"], frame["high"]))
    )


def conclusions(systems, confidence):
    frame = pd.DataFrame({"sample": SAMPLES, "confidence": confidence, "a": systems[0], "b": systems[1]})
    a, b = systems
    return frame.assign(conclusion=[a if one >= 0.95 else b if one <= 0.05 else "" for one in confidence])


def draw_confidence(systems):
    return koehn2004.plot_confidence(conclusions(systems, RNG.uniform(0, 1, 100)))


def draw_clear_confidence(systems):
    return koehn2004.plot_confidence(conclusions(systems, RNG.uniform(0.93, 1, 100)))


def draw_density(_):
    return koehn2004.plot_student_density(student_density(student_interval([1] * 30 + [0] * 70)))


def draw_growth(_):
    steps = np.arange(40, 1001, 10)
    frame = pd.DataFrame({"resamples": steps, "low": 26.5, "high": 30.5, "score": RNG.normal(28.9, 0.9, len(steps))})
    return koehn2004.plot_interval_growth(frame)


def draw_deviations(_):
    parts = {"fresh samples": RNG.normal(0, 1, 500), "resamples": RNG.normal(0, 1.2, 500)}
    frames = [pd.DataFrame({"source": name, "deviation": values}) for name, values in parts.items()]
    return koehn2004.plot_deviations(pd.concat(frames))


def draw_autocorrelation(_):
    return koehn2004.plot_autocorrelation(
        pd.DataFrame({"lag": np.arange(1, 61), "autocorrelation": RNG.uniform(0.03, 0.06, 60), "noise": 0.0113})
    )


def draw_calibration(_):
    bins = pd.DataFrame({"lowest": [100.0, 95, 90, 50], "mean_confidence": [100.0, 97, 92, 55], "conclusions": 40})
    bins = bins.assign(correct_percent=[99.0, 97, 95, 40], low=[97.0, 90, 90, 30], high=[100.0, 99, 98, 52])
    paper = pd.DataFrame({"lowest": [100.0, 95, 90, 50], "correct_percent": [100, 98, 96, 52]})
    return koehn2004.plot_calibration(bins, paper=paper)


def draw_lengths(systems):
    ratios = np.array([0.85, 1, 1.2])
    parts = [
        pd.DataFrame({"system": name, "metric": metric, "ratio": ratios, "score": base + place - abs(ratios - 1) * 20})
        for place, name in enumerate(systems)
        for metric, base in (("BLEU", 29.0), ("GTM-1", 61.0), ("GTM-2", 26.0))
    ]
    return metrics_up_close.draw_lengths(pd.concat(parts))


def draw_references(systems):
    rows = [(name, n, 20 + 3 * n + 4 * place) for place, name in enumerate(systems) for n in range(1, 6)]
    return metrics_up_close.draw_reference_counts(pd.DataFrame(rows, columns=["system", "references", "score"]))


def draw_specifications(systems):
    n = 34
    frame = pd.DataFrame({"a": systems[0], "b": systems[1], "specification": np.arange(1, n + 1)})
    gains = np.linspace(-1, 3, n)
    frame = frame.assign(gain_percent=gains, gain_low=gains - 1, gain_high=gains + 1)
    verdicts = ["significant"] * 5 + ["not significant"] * 8 + ["undecided"] * 4 + ["significant"] * 17
    conclusion = ["b better"] * 5 + ["open"] * 12 + ["a better"] * 17
    frame = frame.assign(verdict=verdicts, conclusion=conclusion, metric=["BLEU", "chrF++"] * 17)
    options = {"case": ["kept", "ignored"], "tokenizer": ["13a", "none"], "punctuation": ["kept", "removed"]}
    frame = frame.assign(**{name: values * 17 for name, values in options.items()}, smoothing="exp", modules="")
    return specifications.draw_specifications(frame)


def draw_histograms(systems):
    edges = np.linspace(47, 51, 21)
    parts = [
        pd.DataFrame({"system": name, "low": edges[:-1], "high": edges[1:], "runs": RNG.integers(0, 30, 20)})
        for name in systems
    ]
    overlap = {"low": 48.4, "high": 49.6, "baseline_mean": 48.9, "experimental_mean": 49.0, "baseline_runs": 300}
    overlap |= {"experimental_runs": 300, "wrong_order_percent": 0.76}
    return clark2011.plot_score_histograms(pd.concat(parts), overlap=pd.DataFrame([overlap]))


def draw_frequencies(_):
    edges, numbers = np.linspace(-0.4, 0.9, 31), (1, 2, 3, 5, 10, 25, 50)
    parts = [
        pd.DataFrame({"replications": n, "low": edges[:-1], "high": edges[1:], "frequency": 0.3 * n / 50})
        for n in numbers
    ]
    found = pd.DataFrame({"replications": [1, 50], "wrong_sign_percent": [13.8, 0.0]})
    found = found.assign(low=[-0.15, 0.16], high=[0.65, 0.28])
    return clark2011.plot_difference_frequencies(pd.concat(parts), found=found)


def draw_optima(_):
    frame = pd.DataFrame({"start": range(9), "dev": 58 - RNG.exponential(0.5, 9), "test": RNG.normal(48, 0.4, 9)})
    return clark2011.plot_optima(frame.assign(taken=frame["dev"] == frame["dev"].max()))


def draw_test_sizes(_):
    nulls = [(0, 0.4, 0.5, 3), (0, 0.8, 0.5, 3), (0.5, 0, 0.5, 3), (0.5, 0.8, 0.5, 3), (0.5, 0.4, 0.5, 10)]
    frame = pd.DataFrame(nulls, columns=["method_by_segment", "run", "residual", "n_runs"])
    tests = ("exchange by unit", "exchange by run", "t-test on runs", "crossed")
    shares = {"rejected_percent": 12.0, "low": 10.0, "high": 14.0}
    return clark2011.plot_test_sizes(pd.concat([frame.assign(test=test, **shares) for test in tests]))


def draw_projection(_):
    rows = [(n, r, 20 * (1 / n + 1 / (n * r)) ** 0.5) for n in (1502, 3003, 6006, 12012, 24024) for r in (1, 2, 5, 50)]
    return clark2011.plot_projected_errors(pd.DataFrame(rows, columns=["n_units", "n_runs", "standard_error"]))


#: What each draws, a part of its title, and the names of its reference lines.
FIGURES = {
    draw_scores: ("BLEU on 100 blocks", ["whole test set 28.9"]),
    draw_samplings: ("on 100 blocks and", ["whole test set 28.9", "100 broad samples"]),
    draw_interval_methods: ("3 of 3 intervals contain the score of the whole test set", ["whole test set 28.5"]),
    draw_differences: ("scores higher on 97 of 100 broad samples", []),
    draw_intervals: ("of 100 intervals miss the score of the whole test set", ["whole test set 28.9"]),
    draw_confidence: ("of 100 samples conclude that", ["(95 % or more)", "(5 % or less)"]),
    draw_clear_confidence: ("of 100 samples conclude that", ["(95 % or more)"]),
    draw_density: ("The shaded 95 % lie between 0.209 and 0.391", ["95 %"]),
    draw_growth: ("1,000 resamples give the interval 26.5 to 30.5 BLEU", ["upper end 30.5", "lower end 26.5"]),
    draw_deviations: ("times as far as fresh samples do", ["fresh samples", "resamples"]),
    draw_autocorrelation: ("60 of 60 correlations lie outside", ["95 % if unrelated"]),
    draw_calibration: ("in 2 of 3 bins", ["as often right as won"]),
    draw_lengths: (
        "At 0.85 times the reference's length, BLEU loses 10 %, GTM-1 loses 5 %",
        ["BLEU", "GTM-1", "GTM-2"],
    ),
    draw_references: ("5 references instead of 1 add 12.0 BLEU", []),
    draw_specifications: ("17 of 34 specifications call", []),
    draw_histograms: ("overlap: 0.8 % of the pairs of runs are in the wrong order", ["mean 48.90", "mean 49.00"]),
    draw_frequencies: ("13.8 % of the experiments with 1 run of each system have the wrong sign", ["no difference"]),
    draw_optima: ("On the test set, ", ["taken"]),
    draw_test_sizes: ("Each test rejects clearly more than 5 % in some setting", ["5 %"]),
    draw_projection: ("50 runs instead of 1 reduce the standard error by 29 %", []),
}


@cache
def drawn_in(draw, medium, systems=SHORT):
    """Draw a figure once for all that is asked of it; in no style where no medium is named."""
    with nullcontext() if medium is None else mtw.style(medium):
        figure = draw(systems).figure
    plt.close("all")
    return figure


def words(text):
    """Text without its line breaks."""
    return " ".join(text.split())


@pytest.mark.parametrize("systems", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize("draw", FIGURES, ids=lambda draw: draw.__name__)
@pytest.mark.long
def test_every_text_can_be_read(draw, medium, systems):
    assert faults_of_text(drawn_in(draw, medium, systems)) == []


@pytest.mark.parametrize("draw", FIGURES, ids=lambda draw: draw.__name__)
def test_the_finding_is_the_title_except_in_a_paper_and_lines_have_names(draw):
    title, names = FIGURES[draw]
    for medium in MEDIA:
        figure = drawn_in(draw, medium)
        shown = [words(text.get_text()) for text in figure.findobj(mpl.text.Text)]
        if medium == "paper":
            assert figure.get_suptitle() == ""
        else:
            assert title in words(figure.get_suptitle())
        for name in names:
            assert any(name in text for text in shown), (name, shown)
        assert [ax.get_title() for ax in figure.axes] == [""] * len(figure.axes)


@pytest.mark.parametrize("draw", FIGURES, ids=lambda draw: draw.__name__)
def test_all_text_has_the_size_of_the_medium_and_no_axes_are_boxed(draw):
    for medium, size in zip(MEDIA, (10.5, 9, 18), strict=True):
        figure = drawn_in(draw, medium)
        figure.draw_without_rendering()
        assert {text.get_size() for text in figure.findobj(mpl.text.Text) if text.get_text()} == {size}
        assert not any(ax.spines[side].get_visible() for ax in figure.axes for side in ("top", "right"))


@pytest.mark.parametrize("draw", FIGURES, ids=lambda draw: draw.__name__)
def test_figures_are_in_the_style_of_the_screen_where_none_is_active(draw):
    named, bare = drawn_in(draw, "screen"), drawn_in(draw, None)
    assert tuple(bare.get_size_inches()) == tuple(named.get_size_inches())
    assert bare.get_suptitle()
    assert bare.dpi == named.dpi == 96


def test_axes_that_are_given_keep_their_own_style():
    with mpl.rc_context({"font.size": 13}):
        _, (left, right) = plt.subplots(1, 2)
        koehn2004.plot_autocorrelation(pd.DataFrame({"lag": [1], "autocorrelation": [0.5], "noise": 0.1}), left)
    assert left.xaxis.label.get_size() == 13
    assert left.figure.get_suptitle() == ""  # what one panel of several shows is not the title of all
    assert not right.has_data()


def test_two_of_many_systems_differ_in_colour():
    names = [f"{number:02}" for number in range(16)]
    frame = conclusions(("01", "08"), [1.0] * 50 + [0.0] * 50)
    dots = {
        line.get_label(): line.get_color() for line in koehn2004.plot_confidence(frame, styles=styles_of(names)).lines
    }
    assert dots["01 better: 50"] != dots["08 better: 50"]
    plt.close("all")


def test_a_system_has_its_colour_in_every_figure():
    styles = styles_of(["x", "b", "a"])
    frame = conclusions(("a", "b"), [1.0] * 50 + [0.0] * 50)
    dots = {line.get_label(): line for line in koehn2004.plot_confidence(frame, styles=styles).lines}
    assert dots["a better: 50"].get_color() == styles["a"]["color"]
    assert dots["b better: 50"].get_color() == styles["b"]["color"]
    plt.close("all")
    rows = pd.DataFrame({"sample": [1, 2], "difference": [1.0, -1.0]})
    better, worse = koehn2004.plot_sample_differences(rows, systems=("a", "b"), styles=styles).lines[1:]
    assert (better.get_color(), worse.get_color()) == (styles["a"]["color"], styles["b"]["color"])
    assert (better.get_marker(), worse.get_marker()) == (styles["a"]["marker"], styles["b"]["marker"])
    plt.close("all")
    rows = pd.DataFrame({"system": ["a", "a", "b", "b"], "references": [1, 2, 1, 2], "score": [1.0, 2, 3, 4]})
    lines = {line.get_label(): line for line in metrics_up_close.plot_reference_counts(rows, styles=styles).lines}
    assert [lines[name].get_color() for name in "ab"] == [styles[name]["color"] for name in "ab"]


def test_names_next_to_the_data_do_not_stand_on_it():
    for draw in (draw_scores, draw_differences, draw_intervals, draw_confidence, draw_growth):
        figure = drawn_in(draw, None)
        names = [text.get_text() for ax in figure.axes for text in ax.texts]
        assert not set(names) & set(covered_marks(figure)), draw
