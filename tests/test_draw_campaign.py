"""The forest plot of a campaign: its marks are the records' numbers, and every text can be read."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from mtworkbench import draw_comparison, style
from mtworkbench.errors import InputError
from mtworkbench.plots import draw_campaign
from mtworkbench.plots.panels import BEYOND, limits_of
from mtworkbench.plots.style import MEDIA
from mtworkbench.plots.systems import escape_dollars
from mtworkbench.plots.words import describe_figure
from mtworkbench.results.campaigns import CampaignComparison, CampaignTestSet

from .drawn import faults_of_text
from .hand_made import changed
from .made_campaigns import make_campaign, make_metric, make_set, make_settings

NAMES = ("base", "new", "third-system", "google", "microsoft", *(f"sys{number}" for number in range(20)))
LONG = ("baseline-transformer-big-en-de-ensemble", "a-system-whose-name-is-forty-letters-long", "x", "y", "z")
MINUS = "\N{MINUS SIGN}"


def estimates(ax):
    """What is drawn with an interval: (low, difference, high), row, and whether it is filled."""
    return [
        ([float(x) for x in line.get_xdata()], float(line.get_ydata()[0]), line.get_markerfacecolor() != "white")
        for line in ax.lines
        if len(line.get_xdata()) == 3
    ]


def bars(ax):
    """The thick bars of new sets, from the top: their ends."""
    return [[float(x) for x in line.get_xdata()] for line in ax.lines if len(line.get_xdata()) == 2]


def texts(figure):
    return [text.get_text() for text in figure.texts]


def one_pair(*differences, error=0.3, higher_is_better=True, names=("new", "base"), name="BLEU"):
    sets = [make_set(f"set{k}", *names, d, error) for k, d in enumerate(differences)]
    metric = make_metric(name, {names: sets}, higher_is_better=higher_is_better)
    tests = tuple(CampaignTestSet(one.test_set, 2000, None, "segment", 2000, 2000.0) for one in sets)
    return CampaignComparison(make_settings(), names[1], tests, {name: metric})


@pytest.fixture(scope="module")
def fourteen():
    """One pair on 14 test sets, and its figure."""
    found = make_campaign(14, NAMES[:2])
    return found, draw_campaign(found)


def test_one_pair_has_a_row_per_set_with_its_difference(fourteen):
    found, figure = fourteen
    [ax] = figure.axes
    [pair] = found.metrics["BLEU"].comparisons
    drawn = estimates(ax)
    assert [ends for ends, *_ in drawn] == [[one.low, one.difference, one.high] for one in pair.sets]
    assert [filled for *_, filled in drawn] == [one.verdict == "significant" for one in pair.sets]
    rows = [row for _, row, _ in drawn]
    assert rows == sorted(rows)


def test_all_sets_stand_below_as_diamond_and_bars(fourteen):
    found, figure = fourteen
    [ax] = figure.axes
    [pair] = found.metrics["BLEU"].comparisons
    [diamond] = ax.patches
    corners = diamond.get_xy()[:4]
    assert corners[:, 0].tolist() == [pair.low, pair.difference, pair.high, pair.difference]
    assert corners[0, 1] > max(row for _, row, _ in estimates(ax))
    new, one = bars(ax)
    assert new == [pair.new_sets_low, pair.new_sets_high]
    assert one == [pair.one_new_set_low, pair.one_new_set_high]


def test_the_diamond_of_an_undecided_difference_is_half_filled(fourteen):
    found, _ = fourteen
    metric = found.metrics["BLEU"]
    [pair] = metric.comparisons
    undecided = changed(pair, verdict="undecided", conclusion="undecided", better=None)
    [ax] = draw_campaign(changed(found, metrics={"BLEU": changed(metric, comparisons=(undecided,))})).axes
    whole, half = ax.patches
    assert whole.get_facecolor() == (1, 1, 1, 1) and half.get_facecolor() == whole.get_edgecolor()
    assert set(half.get_xy()[:, 0]) == {pair.low, pair.difference}


def test_the_numbers_of_one_pair_are_written(fourteen):
    found, figure = fourteen
    written = texts(figure)
    [pair] = found.metrics["BLEU"].comparisons
    for one in (*pair.sets, pair):
        assert f"{one.difference:+.2f}".replace("-", MINUS) in written
    for low, high in (
        (pair.low, pair.high), (pair.new_sets_low, pair.new_sets_high), (pair.one_new_set_low, pair.one_new_set_high)
    ):  # fmt: skip
        assert f"[{low:.2f}, {high:.2f}]".replace("-", MINUS) in written
    assert {"these sets", "new sets", "one new set", "BLEU: new \N{MINUS SIGN} base"} <= set(written)


@pytest.mark.parametrize(
    ("higher", "arrow"), [(True, "new better \N{RIGHTWARDS ARROW}"), (False, "\N{LEFTWARDS ARROW} new better")]
)
def test_the_side_on_which_the_first_system_is_better_is_named(higher, arrow):
    written = texts(draw_campaign(one_pair(1.0, 1.2, -0.3, higher_is_better=higher)))
    assert {arrow, "= base"} <= set(written)


def test_without_a_direction_no_side_is_better():
    found = one_pair(1.0, 1.2, -0.3, higher_is_better=None, name="Length")
    assert "new higher \N{RIGHTWARDS ARROW}" in texts(draw_campaign(found))


def test_the_mark_for_new_sets_is_filled_only_where_the_difference_is_shown_for_them():
    for differences, filled in (((1.0, 1.2, 0.9, 1.1), True), ((1.0, -0.2, 0.9), False)):
        [ax] = draw_campaign(one_pair(*differences)).axes
        alone = [line for line in ax.lines if len(line.get_xdata()) == 1 and line.get_label() != "_cut"]
        assert [line.get_markerfacecolor() != "white" for line in alone] == [filled]


def test_an_interval_that_goes_far_beyond_the_sets_ends_in_an_arrowhead():
    found = one_pair(1.0, 1.8)  # Student's t with one degree of freedom
    figure = draw_campaign(found)
    [ax] = figure.axes
    [pair] = found.metrics["BLEU"].comparisons
    low, high = limits_of([pair])
    ends = [0.0, *(end for one in pair.sets for end in (one.low, one.high))]
    assert high == pytest.approx(max(ends) + BEYOND * (max(ends) - min(ends)))
    assert pair.new_sets_high > high and bars(ax) == [[low, high]]
    cut = [(line.get_marker(), float(line.get_xdata()[0])) for line in ax.lines if line.get_label() == "_cut"]
    assert cut == [("<", low), (">", high)]  # of one new set, two tell nothing
    assert "arrowhead: the interval goes on" in " ".join(texts(figure)).replace("\n", " ")
    within = draw_campaign(one_pair(1.0, 1.1, 0.9, 1.0, 1.1, 0.9))
    assert not [line for line in within.axes[0].lines if line.get_label() == "_cut"]
    assert "arrowhead" not in " ".join(texts(within))


def test_the_key_of_rows_says_what_an_arrowhead_means_and_that_intervals_may_contradict_verdicts():
    said = {}
    with style("paper"):
        for n_sets in (2, 14):
            figure = draw_campaign(make_campaign(n_sets, NAMES[:6]), width=3.0)
            cut = any(line.get_label() == "_cut" for ax in figure.axes for line in ax.lines)
            said[n_sets] = cut, " ".join(texts(figure)).replace("\n", " ")
    assert "bars: 95 % CIs, thick for new sets like these, thin for these sets; " in said[2][1]
    assert [cut for cut, _ in said.values()] == [True, False]
    assert ["arrowhead: the interval goes on" in text for _, text in said.values()] == [True, False]
    assert all("CIs need not agree with the verdicts" in text for _, text in said.values())


@pytest.mark.parametrize("systems", [2, 3, 5, 12])
def test_the_key_is_a_sentence(systems):
    """As in the other figures, it begins with a mark or a capital letter, and ends with a full stop."""
    key = draw_campaign(make_campaign(3, NAMES[:systems])).texts[-1].get_text()
    assert "CIs need not agree with the verdicts" in key.replace("\n", " ")
    assert not key[0].islower()
    assert key.endswith(".")


@pytest.mark.parametrize(
    ("higher", "arrow"), [(True, "better \N{RIGHTWARDS ARROW}"), (False, "\N{LEFTWARDS ARROW} better")]
)
def test_where_no_names_have_room_an_arrow_says_which_side_is_better(higher, arrow):
    names = tuple(f"a-system-with-a-name-of-forty-letters-{number:02}" for number in range(2))
    with style("paper"):
        found = texts(draw_campaign(one_pair(1.0, 1.2, names=names, higher_is_better=higher), width=2.6))
    assert arrow in found


def test_a_few_pairs_stand_next_to_each_other_on_one_scale():
    found = make_campaign(14, NAMES[:5])
    figure = draw_campaign(found)
    by_score = sorted(found.metrics["BLEU"].comparisons, key=lambda pair: -pair.score_a)
    assert len(figure.axes) == 4
    for ax, pair in zip(figure.axes, by_score, strict=True):
        assert [ends for ends, *_ in estimates(ax)] == [[one.low, one.difference, one.high] for one in pair.sets]
        assert bars(ax)[0] == [pair.new_sets_low, pair.new_sets_high]
        assert ax.get_xlim() == figure.axes[0].get_xlim()
    lefts = [ax.get_position().x0 for ax in figure.axes]
    assert lefts == sorted(lefts)
    written = texts(figure)
    assert {f"{by_score[0].difference:+.2f}", "p < 0.0001"} <= set(written)
    assert figure.texts[-1].get_text().startswith("Above: mean difference, p (Holm) for new test sets; ")


def test_more_pairs_have_a_row_each_with_a_tick_for_each_set():
    found = make_campaign(14, NAMES[:12])
    [ax] = draw_campaign(found).axes
    by_score = sorted(found.metrics["BLEU"].comparisons, key=lambda pair: -pair.score_a)
    assert [ends for ends, *_ in estimates(ax)] == [[pair.low, pair.difference, pair.high] for pair in by_score]
    assert bars(ax) == [[pair.new_sets_low, pair.new_sets_high] for pair in by_score]
    ticks = [line for line in ax.lines if line.get_label() == "_sets"]
    for line, pair in zip(ticks, by_score, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), [one.difference for one in pair.sets])


def test_grids_that_are_too_high_for_a_page_become_rows():
    found = make_campaign(50, NAMES[:5], ("BLEU", "TER"))
    with style("paper"):
        figure = draw_campaign(found)
    assert figure.get_figheight() <= MEDIA["paper"].page[1]
    assert [len(estimates(ax)) for ax in figure.axes] == [4, 4]
    assert len(draw_campaign(found).axes) == 8  # a screen can be scrolled


def test_of_very_many_pairs_those_with_the_best_system_are_drawn():
    found = make_campaign(4, NAMES[:8], baseline=None)
    figure = draw_campaign(found)
    [ax] = figure.axes
    best = found.metrics["BLEU"].ranking[0].system
    assert len(estimates(ax)) == 7
    assert all(ends[1] <= 0 for ends, *_ in estimates(ax))
    assert f"BLEU, difference from {best}" in texts(figure)


FORTY = "a-test-set-with-a-name-of-forty-chars-{}"
CASES = [
    (2, NAMES[:2], ("BLEU",), "base", "{}"),
    (14, NAMES[:2], ("BLEU", "chrF2", "TER"), "base", "{}"),
    (50, NAMES[:2], ("BLEU",), "base", "{}"),
    (5, LONG[:2], ("TER",), LONG[0], FORTY),
    (14, NAMES[:5], ("BLEU", "chrF2", "TER"), "base", "{}"),
    (50, NAMES[:4], ("BLEU",), "base", "{}"),
    (2, NAMES[:3], ("BLEU",), None, "{}"),
    (5, LONG, ("BLEU", "TER"), LONG[0], FORTY),
    (14, NAMES[:12], ("BLEU",), "base", FORTY),
    (5, NAMES[:5], ("BLEU",), None, "{}"),
    (5, NAMES[:12], ("BLEU", "TER"), None, "{}"),
]


@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize(("n_sets", "systems", "metrics", "baseline", "called"), CASES)
@pytest.mark.long
def test_every_text_can_be_read(medium, n_sets, systems, metrics, baseline, called):
    names = [called.format(f"set{number:02}") for number in range(n_sets)]
    with style(medium):
        figure = draw_campaign(make_campaign(n_sets, systems, metrics, baseline=baseline, names=names, spread=1.0))
    assert faults_of_text(figure) == []
    width, height = figure.get_size_inches()
    assert width <= (MEDIA["screen"].widest if medium == "screen" else MEDIA[medium].page[0])
    if n_sets < 50 and len(metrics) == 1:
        assert height <= MEDIA[medium].page[1]


@pytest.mark.parametrize("dpi", [72, 96, 144])
def test_text_has_room_at_other_resolutions(dpi):
    for systems in (NAMES[:2], NAMES[:4]):
        figure = plt.figure(figsize=(9, 5), dpi=dpi)
        assert draw_campaign(make_campaign(14, systems), figure) is figure
        assert faults_of_text(figure) == []


def test_the_finding_is_the_title_on_screen_alone():
    found = one_pair(1.0, 1.2, 0.9, 1.1)
    title = "BLEU: new is shown to be better than base for new test sets like these."
    figure = draw_campaign(found)
    assert figure.get_suptitle() == title
    assert describe_figure(figure).startswith(title)
    with style("paper"):
        assert draw_campaign(found).get_suptitle() == ""


def test_names_are_text_not_mathematics():
    names = (r"$\frac{1}{0}$", r"a\$b$c")
    figure = draw_campaign(one_pair(1.0, 1.2, names=names, name="$x^2$"))
    figure.canvas.draw()
    assert any(escape_dollars(names[0]) in text for text in texts(figure))


def test_other_things_are_refused():
    with pytest.raises(InputError) as refused:
        draw_campaign("campaign")
    assert str(refused.value) == (
        "A figure shows what compare(...) or compare_test_sets(...) returns, or one of the metrics of compare(...), "
        "but an object of type str was given."
    )


def test_one_system_alone_has_its_score_and_a_tick_for_each_set():
    found = make_campaign(4, NAMES[:2])
    metric = found.metrics["BLEU"]
    alone = changed(metric, systems=metric.systems[:1], comparisons=(), ranking=None)
    figure = draw_campaign(changed(found, metrics={"BLEU": alone}))
    [ax] = figure.axes
    [system] = alone.systems
    assert [ends for ends, *_ in estimates(ax)] == [[system.low, system.score, system.high]]
    [ticks] = [line for line in ax.lines if line.get_label() == "_runs"]
    assert ticks.get_xdata().tolist() == list(system.scores.values())
    assert figure.texts[-1].get_text() == "Bars: 95 % CIs; ticks: single test sets."


def test_both_names_draw_the_same():
    found = make_campaign(3, NAMES[:3])
    assert texts(draw_comparison(found)) == texts(draw_campaign(found))


def test_all_systems_have_one_colour_or_those_that_are_given():
    found = make_campaign(3, NAMES[:3])
    assert len({ax.lines[0].get_color() for ax in draw_campaign(found).axes}) == 1
    own = {"base": {"color": "red", "marker": "o"}, "new": {"color": "green", "marker": "o"}}
    own["third-system"] = {"color": "blue", "marker": "o"}
    assert [ax.lines[0].get_color() for ax in draw_campaign(found, styles=own).axes] == ["blue", "green"]
