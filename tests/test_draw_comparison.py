"""The forest plot of a comparison: its texts and marks are the record's, and everything has room."""

from dataclasses import replace
from functools import cache

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from mtworkbench.errors import InputError
from mtworkbench.inference import compare
from mtworkbench.plots import draw_comparison, escape_dollars, style, system_style
from mtworkbench.plots.pages import MIN_TEXT
from mtworkbench.plots.style import MEDIA
from mtworkbench.plots.words import describe_figure

from .drawn import faults_of_text, overlapping
from .hand_made import NOTHING_CLAIMED, changed, comparison, pair, system
from .test_plots import compare_means, lines_of, means_of

MINUS = "\N{MINUS SIGN}"


pytestmark = pytest.mark.usefixtures("own_figures")


def rows_of(figure):
    """The texts of a figure from the top down, each row from the left to the right."""
    rows = {}
    for text in figure.texts:
        x, y = text.get_position()
        rows.setdefault(round(y * figure.get_figheight(), 3), []).append((x, text.get_text()))
    return [[text for _, text in sorted(rows[y])] for y in sorted(rows, reverse=True)]


def three_systems(**changes):
    pairs = [
        pair("new", "base", 1.25, verdict="significant", p_value=0.001, p_adjusted=0.002),
        pair("old", "base", -0.5, p_adjusted=0.2),
    ]
    return comparison([system("old", 26.5), system("base", 27), system("new", 28.25)], pairs, **changes)


OF_EXCHANGES = {"interval_of_differences": "exchanges"}


def test_a_row_has_name_difference_and_what_defends_the_verdict():
    assert rows_of(draw_comparison(three_systems())) == [
        ["BLEU: new is shown to be better than base on these outputs."],
        ["BLEU, difference from base", "better \N{RIGHTWARDS ARROW}", "diff.", "p (Holm)"],
        ["new", "+1.25", "0.0020"],
        ["base"],
        ["old", f"{MINUS}0.50", "0.2000"],
        [f"{MINUS}1.0", "= base (27.00)", "+1.0", "+1.5"],
        [
            "\N{BLACK CIRCLE} difference shown, \N{WHITE CIRCLE} not shown; bars: 95 % CIs; CIs need not agree\n"
            "with the verdicts.\n"
            "Documents are unknown: if sentences of one document are alike, p is\n"
            "too small and CIs are too narrow. Each system has one run, so nothing is\n"
            "known about new training or tuning runs."
        ],
    ]
    rows = rows_of(draw_comparison(three_systems(**OF_EXCHANGES)))
    assert rows[1][2:] == ["diff.", "95 % CI"]
    assert rows[2] == ["new", "+1.25", "[0.75, 1.75]"]
    assert rows[4] == ["old", f"{MINUS}0.50", f"[{MINUS}1.00, 0.00]"]
    assert "bars: simultaneous 95 % CIs." in rows[-1][0].replace("\n", " ")


def test_where_lower_is_better_the_lowest_comes_first():
    rows = rows_of(draw_comparison(three_systems(name="TER", higher_is_better=False)))
    assert rows[1] == ["TER (%), difference from base", "\N{LEFTWARDS ARROW} better", "diff.", "p (Holm)"]
    assert [row[0] for row in rows[2:5]] == ["old", "base", "new"]
    assert rows[0] == ["TER: new is shown to be worse than base on these outputs."]


def test_marks_stand_at_the_differences_in_one_colour():
    figure = draw_comparison(three_systems())
    new, old = lines_of(figure.axes[0])
    assert (list(new.get_xdata()), list(old.get_xdata())) == ([0.75, 1.25, 1.75], [-1.0, -0.5, 0.0])
    assert new.get_color() == old.get_color() == system_style(0)["color"]
    (base,) = [line for line in figure.axes[0].lines if line.get_label() == "_baseline"]
    assert list(base.get_xdata()) == [0] and base.get_color() != new.get_color()
    heights = [line.get_ydata()[0] for line in (new, base, old)]
    assert heights == sorted(heights)
    assert new.get_markerfacecolor() == new.get_color()
    assert old.get_markerfacecolor() == "white"


def test_several_runs_have_two_bars_and_ticks():
    metric = compare_means(["a", "b"], "a", runs=3)
    figure = draw_comparison(metric)
    found = metric.comparisons[0]
    (outputs,) = [line for line in lines_of(figure.axes[0]) if line.get_label() != "_runs"]
    (method,) = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 2]
    assert list(outputs.get_xdata()) == [found.ends.low, found.difference, found.ends.high]
    assert list(method.get_xdata()) == [*found.method_ends[:2]]
    assert list(method.get_ydata()) == [outputs.get_ydata()[0]] * 2
    assert method.get_linewidth() > 3 * outputs.get_linewidth()
    ticks = [line.get_xdata() for line in figure.axes[0].lines if line.get_label() == "_runs"]
    origin = metric.systems[0].score
    for drawn, estimate in zip(ticks, reversed(metric.systems), strict=True):
        np.testing.assert_array_equal(drawn, np.array(estimate.scores) - origin)
    rows = rows_of(figure)
    ends = [f"{end:.2f}".replace("-", MINUS) for end in found.method_ends[:2]]
    assert next(row for row in rows if row[0] == "b") == ["b", f"{found.difference:+.2f}", f"[{ends[0]}, {ends[1]}]"]
    said = rows[-1][-1].replace("\n", " ")
    assert "bars: 95 % CIs, thick for new training runs, thin for these runs; ticks: single runs." in said


@pytest.mark.parametrize(
    ("outputs", "conclusion", "fill", "said"),
    [
        ("significant", "shown for the method", "full", "\N{BLACK CIRCLE} difference shown for the method, "),
        (
            "significant",
            "shown on these outputs only",
            "open",
            "\N{WHITE CIRCLE} difference not shown for the method; ",
        ),
        ("not significant", "not shown", "open", "\N{WHITE CIRCLE} difference not shown for the method; "),
        ("undecided", "undecided", "left", "\N{CIRCLE WITH LEFT HALF BLACK} undecided, "),
    ],
)
def test_one_mark_stands_for_the_verdict_that_leads(outputs, conclusion, fill, said):
    metric = compare_means(["a", "b"], "a", runs=3)
    method = "significant" if fill == "full" else "not significant"
    found = changed(metric.comparisons[0], verdict=outputs, method_verdict=method, conclusion=conclusion)
    figure = draw_comparison(replace(metric, comparisons=(found,)))
    (mark,) = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    drawn = "open" if mark.get_markerfacecolor() == "white" else mark.get_fillstyle()
    assert drawn == fill
    assert figure.texts[-1].get_text().replace("\n", " ").startswith(said)
    assert not [one for one in figure.axes[0].collections if "FillBetween" in type(one).__name__]


def far_system(difference, **changes):
    """Four systems near the baseline, and one far from it."""
    near = [pair(name, "base", d) for name, d in (("a", 0.4), ("b", -0.3), ("c", 0.1), ("d", -0.6))]
    far = pair("far", "base", difference, verdict="significant", p_value=0.0001, p_adjusted=0.0001)
    systems = [system("base", 27), *(system(one.a, 27 + one.difference) for one in (*near, far))]
    return comparison(systems, [*near, far], baseline="base", **OF_EXCHANGES | changes)


@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize(("difference", "marker"), [(-10.25, "<"), (10.25, ">")])
def test_a_system_far_away_is_an_arrow_with_its_number(medium, difference, marker):
    """The others keep the axis: their intervals reach from -1.1 to 0.9, and with the arrow's room no farther."""
    with style(medium):
        figure = draw_comparison(far_system(difference))
    [ax] = figure.axes
    low, high = ax.get_xlim()
    assert -2 < low < -1.1 < 0.9 < high < 2
    (arrow,) = [line for line in ax.lines if line.get_label() == "_beyond"]
    assert arrow.get_marker() == marker and low < arrow.get_xdata()[0] < high
    assert arrow.get_markerfacecolor() == arrow.get_color()  # shown
    assert [text.get_text() for text in ax.texts] == [f"{difference:+.1f}".replace("-", MINUS)]
    assert sorted(line.get_xdata()[1] for line in lines_of(ax)) == [-0.6, -0.3, 0.1, 0.4]
    assert "arrows: beyond the axis" in figure.texts[-1].get_text().replace("\n", " ")
    assert faults_of_text(figure) == []


def test_systems_that_are_not_far_away_have_no_arrow():
    """Three times the 1.1 that the median row reaches are 3.3: one row has to be farther away than that."""
    reach = sorted(max(-one.ends.low, one.ends.high) for one in next(iter(far_system(3).metrics.values())).comparisons)
    assert reach[2] == pytest.approx(0.9)
    for difference, is_far in ((2.65, False), (2.75, True)):
        figure = draw_comparison(far_system(difference))
        assert bool([line for line in figure.axes[0].lines if line.get_label() == "_beyond"]) is is_far
        assert ("beyond the axis" in figure.texts[-1].get_text()) is is_far


@pytest.mark.parametrize(("medium", "share"), [("paper", 0.6), ("screen", 0.5), ("slide", 0.5)])
@pytest.mark.parametrize("names", [["new", "base", "old"], ["a-system-whose-name-is-forty-letters-long", "b", "base"]])
def test_the_axis_has_most_of_the_width_and_the_line_at_0_is_one(medium, share, names):
    with style(medium):
        figure = draw_comparison(compare_means(names, "base"))
    [ax] = figure.axes
    assert ax.get_position().width >= share - 1e-9
    [zero] = [path for one in ax.collections for path in one.get_paths() if set(path.vertices[:, 0]) == {0}]
    top, bottom = sorted(zero.vertices[:, 1])
    heights = [line.get_ydata()[0] for line in ax.lines]
    assert top == 0 and bottom > max(heights) and bottom == ax.get_ylim()[0]


def test_a_papers_figure_has_its_font_and_few_lines_below():
    with style("paper"):
        figure = draw_comparison(compare_means(["new", "base", "old"], "base", runs=3))
    assert {text.get_fontfamily()[0] for text in figure.texts} == {"STIXGeneral"}
    assert figure.texts[-1].get_text().count("\n") < 7
    said = describe_figure(figure)
    assert "Documents are unknown" in said and "The test for the method assumes" in said


def test_a_comparison_has_a_panel_per_metric():
    statistics = [means_of(["a", "b", "c"], name=name) for name in ("one", "two", "three", "four")]
    found = compare(statistics, "a", n_resamples=400, rng=1)
    figure = draw_comparison(found)
    assert len(figure.axes) == 4
    for ax, metric in zip(figure.axes, found.metrics.values(), strict=True):
        drawn = [list(line.get_xdata()) for line in lines_of(ax)]
        assert drawn == [[one.ends.low, one.difference, one.ends.high] for one in reversed(metric.comparisons)]
    headings = [row[0] for row in rows_of(figure)]
    assert [name for name in headings if name.endswith("difference from a")] == [
        f"{name}, difference from a" for name in found.metrics
    ]
    lowest = min(ax.get_position().y0 for ax in figure.axes)
    assert (1 - lowest) * figure.get_figheight() * figure.dpi < 400  # all marks are on the first screen
    assert figure.get_figheight() * figure.dpi < 520


def test_all_pairs_of_three_have_scores_above_and_pairs_below():
    metric = compare_means(["a", "b", "c"])
    figure = draw_comparison(metric)
    scores, pairs = figure.axes
    assert [line.get_xdata()[1] for line in lines_of(scores)] == [one.score for one in reversed(metric.systems)]
    assert [row[0] for row in rows_of(figure)][7:10] == ["c against b", "c against a", "b against a"]
    assert [row[1:3] for row in rows_of(figure)][1:3] == [
        ["better \N{RIGHTWARDS ARROW}", "score"],
        ["2.40", "[1.74, 3.15]"],
    ]
    by_names = {(one.a, one.b): one.difference for one in metric.comparisons}
    drawn = [line.get_xdata()[1] for line in lines_of(pairs)]
    assert drawn == [by_names["c", "b"], by_names["c", "a"], by_names["b", "a"]]


def test_one_system_has_its_score():
    figure = draw_comparison(compare_means(["a"]))
    assert rows_of(figure)[1][:2] == ["a", f"{MINUS}0.13"]
    assert figure.get_suptitle() == ""


def test_what_is_no_comparison_is_refused():
    with pytest.raises(InputError) as refused:
        draw_comparison("comparison")
    assert str(refused.value) == (
        "A figure shows what compare(...) or compare_test_sets(...) returns, or one of the metrics of compare(...), "
        "but an object of type str was given."
    )


def test_names_are_text_not_mathematics():
    names = [r"$\frac{1}{0}$", r"a\$b$c", "plain"]
    figure = draw_comparison(compare_means(names, baseline="plain", name="$x^2$"))
    figure.canvas.draw()
    written = {text.get_text(): text for text in figure.texts}
    heading = "$x^2$, difference from plain"
    for name in (*names, heading):
        text = written[escape_dollars(name)]
        assert text._preprocess_math(text.get_text()) == (name, False)
    assert r"\$x^2\$: " in figure.get_suptitle()


LONG = [f"task.{name}-transformer-big-en-de-{n}" for n in (1, 2, 3, 4) for name in ("alpha", "beta", "gamma", "delta")]
SEVERAL = ["online-A", "a-system-whose-name-is-forty-letters-long", "another-system-whose-name-is-quite-long", "ued"]


@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize(
    ("names", "baseline", "runs"),
    [
        (SEVERAL[:1], None, 2),
        (["new", "old"], "old", 1),
        (["new", "old"], "old", 3),
        (SEVERAL[1:3], SEVERAL[1], 3),
        (SEVERAL, SEVERAL[1], 2),
        (SEVERAL, SEVERAL[0], 1),
        (SEVERAL[:3], None, 2),
        ([*SEVERAL, "x"], None, 1),
        (LONG, None, 1),
        (LONG, LONG[3], 1),
        ([f"system {n}" for n in range(16)], "system 3", 2),
    ],
)
@pytest.mark.long
def test_nothing_is_clipped_and_nothing_overlaps(medium, names, baseline, runs):
    metric = compare_means(names, baseline, runs=runs)
    with style(medium):
        figure = draw_comparison(metric)
    figure.draw_without_rendering()
    if baseline is not None or len(names) < 5:
        assert figure.get_figwidth() in (MEDIA[medium].width, MEDIA[medium].page[0])
    texts = [text for text in figure.findobj(mpl.text.Text) if text.get_text() and text.get_visible()]
    boxes = [text.get_window_extent() for text in texts]
    inside = figure.bbox.padded(2)
    for text, box in zip(texts, boxes, strict=True):
        assert inside.contains(*box.min) and inside.contains(*box.max), text.get_text()
    (size,) = {text.get_size() for text in texts}
    assert 0.5 * MEDIA[medium].text < size <= MEDIA[medium].text
    assert size == MEDIA[medium].text or medium != "screen"
    over = overlapping([box.shrunk(0.99, 0.7) for box in boxes])
    assert not [(texts[one].get_text(), texts[other].get_text()) for one, other in over]
    # A name may be broken into lines, but not cut.
    shown = "".join("".join(text.get_text().split()) for text in texts)
    assert all("".join(name.split()) in shown for name in names)


def test_a_figure_that_is_given_is_drawn_on():
    figure = plt.figure(figsize=(8, 3), layout="constrained")
    assert draw_comparison(compare_means(["a", "b"], baseline="a"), figure) is figure
    assert tuple(figure.get_size_inches()) == (8, 3)
    half = plt.figure(figsize=(12, 3), layout="constrained").subfigures(1, 2)[1]
    assert draw_comparison(compare_means(["a", "b"], baseline="a"), half) is half
    half.figure.canvas.draw()
    assert all(half.bbox.padded(2).contains(*text.get_window_extent().min) for text in half.texts)


@pytest.mark.parametrize("dpi", [72, 100, 130])
@pytest.mark.parametrize("baseline", [None, "a"])
def test_text_has_room_at_other_resolutions(dpi, baseline):
    figure = plt.figure(figsize=(5, 5), dpi=dpi)
    assert faults_of_text(draw_comparison(compare_means(list("abc"), baseline, runs=3), figure)) == []


def test_escapes_of_names_have_room_in_the_title():
    names = ["x\u202etest", "a$b_c$"]
    shown = {"verdict": "significant", "p_adjusted": 0.01}
    figure = draw_comparison(comparison([system(names[0]), system(names[1], 28)], [pair(*names, -1.0, **shown)]))
    assert "x\\u202etest" in figure.get_suptitle()
    assert faults_of_text(figure) == []


def test_labels_of_the_axis_lie_inside_the_figure():
    with style("paper"):
        names = ["a-system-whose-name-is-forty-letters-long", "another-system-with-a-very-long-name-too"]
        found = comparison(map(system, names), [pair(*names, -0.4, low=-1.0, high=0.25)])
        figure = draw_comparison(found)
    figure.canvas.draw()
    boxes = {text.get_text(): text.get_window_extent() for text in figure.texts}
    assert boxes[f"{MINUS}1.0"].x0 >= 0


def test_the_line_at_0_has_the_name_and_the_score_of_the_other_system():
    statistics = means_of(["a", "b"])
    against, all_pairs = (compare(statistics, baseline, n_resamples=400, rng=1) for baseline in ("a", None))
    for found in (against, all_pairs, all_pairs.metrics["score"]):
        texts = {text.get_text() for text in draw_comparison(found).texts}
        assert f"= a ({against.metrics['score'].systems[0].score:.2f})".replace("-", MINUS) in texts


def test_the_key_names_what_is_drawn():
    of_exchanges = {"adjust": "max-t", "interval_of_differences": "exchanges"}
    copies = comparison([system("b"), system("a")], [pair("a", "b", 0.0, differences=np.zeros(9))], **of_exchanges)
    [key] = rows_of(draw_comparison(copies))[-1]
    assert key.startswith("\N{WHITE CIRCLE} difference not shown; bars: 95 % CIs.\n")
    assert key.partition("\n")[2].replace("\n", " ") == NOTHING_CLAIMED


@pytest.mark.parametrize("n_systems", [2, 3, 5])
def test_differences_on_parts_of_the_test_set_are_explained(n_systems):
    """Scores are missing: the difference is not that of the scores shown."""
    names = "abcde"[:n_systems]
    systems = [system(name, 27 + place) for place, name in enumerate(names)]
    pairs = [pair(b, a, 1.0, score_a=28.5, score_b=27.5) for place, b in enumerate(names) for a in names[:place]]
    figure = draw_comparison(comparison(systems, pairs))
    said = " ".join(" ".join(text.get_text().split()) for text in figure.texts)
    assert "differences: on the segments scored for both." in said
    assert "scored for both" not in " ".join(text.get_text() for text in draw_comparison(three_systems()).texts)


@cache
def many_systems(n_metrics, baseline):
    """Compare 16 systems under one metric or several."""
    names = ["system-3", *(f"a-system-of-a-longer-name-{n}" for n in range(15))]
    statistics = [means_of(names, name=name) for name in ("one", "two", "three", "four")[:n_metrics]]
    return compare(statistics, baseline, n_resamples=1000, rng=1)


@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize(("n_metrics", "baseline"), [(1, None), (1, "system-3"), (4, "system-3")])
@pytest.mark.long
def test_many_systems_fit_the_page(medium, n_metrics, baseline):
    with style(medium):
        figure = draw_comparison(many_systems(n_metrics, baseline))
    width, height = figure.get_size_inches()
    assert (width <= MEDIA[medium].page[0], height <= MEDIA[medium].page[1]) == (True, True)
    assert faults_of_text(figure) == []
    (size,) = {text.get_size() for text in figure.findobj(mpl.text.Text) if text.get_text()}
    assert MIN_TEXT <= size <= MEDIA[medium].text
    lefts = {round(ax.get_position().x0, 3) for ax in figure.axes}
    assert len(lefts) == (2 if n_metrics == 4 and medium != "screen" else 1)


def test_two_sets_of_options_of_one_metric_are_told_apart():
    metric = next(iter(three_systems().metrics.values()))
    names = [f"BLEU|nrefs:1|case:{case}|eff:no|tok:13a|smooth:exp|version:2.4.3" for case in ("lc", "mixed")]
    figure = draw_comparison(replace(three_systems(), metrics=dict.fromkeys(names, metric)))
    figure.canvas.draw()
    shown = "".join("".join(text.get_text().split()) for text in figure.texts)
    assert all(f"{name},differencefrombase" in shown for name in names)
    for text in figure.texts:
        assert figure.bbox.padded(2).contains(*text.get_window_extent().max), text.get_text()


def test_an_interval_that_is_not_known_is_left_out():
    found = comparison([system("b"), system("a", 27)], [pair("a", "b", low=None, high=None)], baseline="b")
    figure = draw_comparison(found)
    assert [row for row in rows_of(figure) if row[0] == "b"] == [["b"]]
    assert [row for row in rows_of(figure) if row[0] == "a"] == [["a", f"{MINUS}0.34", "0.3380"]]
    (line,) = lines_of(figure.axes[0])
    np.testing.assert_array_equal(line.get_xdata(), [np.nan, -0.34, np.nan])


def test_the_style_of_the_caller_is_kept():
    """Without a style, a figure has that of the screen, and keeps it."""
    before = dict(mpl.rcParams)
    figure = draw_comparison(compare_means(["a", "b"], baseline="a"))
    assert dict(mpl.rcParams) == before
    assert figure.dpi == 96
    assert {text.get_size() for text in figure.texts} == {10.5}
    with style("paper"):
        paper = draw_comparison(compare_means(["a", "b"], baseline="a"))
    assert paper.get_figwidth() == 3.03
    assert paper.get_suptitle() == ""


def test_colours_can_be_given():
    metric = compare_means(["a", "b"], "a")
    styles = {"a": system_style(5), "b": system_style(3)}
    ax = draw_comparison(metric, styles=styles).axes[0]
    assert [line.get_color() for line in lines_of(ax)] == [system_style(3)["color"]]


def test_p_is_called_adjusted_where_it_is():
    alone = comparison([system("b"), system("a", 27)], [pair("a", "b", p_value=0.1, p_adjusted=0.1)])
    assert "p" in rows_of(draw_comparison(alone))[1]
    metric = next(iter(three_systems().metrics.values()))
    part = replace(metric, systems=metric.systems[1:], comparisons=metric.comparisons[:1])
    assert "p (Holm)" in rows_of(draw_comparison(part))[1]
