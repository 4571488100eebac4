"""The margin within which systems count as equal: in tables for a paper, in figures, in the paragraph."""

from functools import cache

import matplotlib as mpl
import numpy as np
import pytest

from mtworkbench import describe_comparison
from mtworkbench.inference import compare
from mtworkbench.plots import draw_comparison, plot_differences, style
from mtworkbench.results.equivalence import Equivalence, Within
from mtworkbench.results.rankings import RankedSystem
from mtworkbench.tables import format_comparison
from mtworkbench.words.headlines import title_result
from mtworkbench.words.papers import paper_tables

from .drawn import faults_of_text
from .hand_made import ASSUMED, NOTHING_CLAIMED, comparison, pair, system
from .test_headline_equivalence import OPTIONS, statistics_of
from .test_tables_latex import compiled, needs_latex

SHOWN = {"verdict": "significant", "p_adjusted": 0.0002}
METHOD = {"method_p_value": 0.2277, "method_low": -0.9, "method_high": 0.22, "method_df": 3.84}
EQUAL, OPEN = Within(p_value=0.001, p_adjusted=0.002, verdict="equivalent"), Within(0.4, 0.3, 0.6, "not shown")


def pair_within(a, b, difference, outputs, method=None, margin=0.5, **changes):
    return pair(a, b, difference, further=(Equivalence(outputs, method or Within(), margin),), **changes)


def against_base(**changes):
    pairs = [
        pair_within("new", "base", 1.0, OPEN, **SHOWN),
        pair_within("near", "base", 0.1, EQUAL),
        pair_within("small", "base", 0.2, EQUAL, **SHOWN),
        pair_within("far", "base", 0.4, OPEN),
    ]
    scores = {"base": 27, "new": 28, "near": 27.1, "small": 27.2, "far": 27.4}
    return comparison([system(name, score) for name, score in scores.items()], pairs, baseline="base", **changes)


# ---- tables for a paper


def test_differences_within_the_margin_have_a_mark_and_the_caption_explains_it():
    found = against_base()
    [table] = paper_tables(found)
    marks = {table.columns["system"][row]: mark for (row, _), mark in table.marks.items()}
    assert marks == {"new": "†", "near": "≈", "small": "†≈"}
    assert table.caption.endswith(
        "≈: difference shown to be smaller than 0.5 BLEU (two one-sided t-tests, TOST, at 5 %, Holm); no mark: neither "
        f"a difference nor equality is shown. {ASSUMED}"
    )
    latex = format_comparison(found, "latex")
    assert r"0.10\rlap{$^{\approx}$}" in latex and r"0.20\rlap{$^{\dagger\approx}$}" in latex
    assert r"$\approx$: difference shown to be smaller" in latex
    assert "| 0.20†≈ |" in format_comparison(found, "markdown")


def test_a_single_result_writes_the_adjusted_p_of_equality_as_a_p():
    tiny = Within(p_value=0.0000123, p_adjusted=0.0000246, verdict="equivalent")
    said = repr(pair_within("near", "base", 0.1, tiny, tiny))
    assert "equivalence_p_value=<0.0001, equivalence_p_adjusted=<0.0001" in said
    assert "method_equivalence_p_adjusted=<0.0001" in said


def test_without_a_margin_nothing_is_said_of_it():
    pairs = [pair("new", "base", 1.0, **SHOWN), pair("near", "base", 0.1)]
    found = comparison([system("base"), system("new"), system("near")], pairs, baseline="base")
    latex = format_comparison(found, "latex")
    assert "approx" not in latex.replace("approximate", "") and "TOST" not in latex
    assert "no mark: difference not shown, which does not mean equal" in latex


def test_a_margin_within_which_nothing_is_shown_is_named_all_the_same():
    found = comparison([system("base"), system("new")], [pair_within("new", "base", 0.4, OPEN)], baseline="base")
    [table] = paper_tables(found)
    assert not table.marks
    assert table.caption.endswith(
        "No two systems are shown to be equal within 0.5 BLEU (two one-sided t-tests, TOST, at 5 %); no mark: neither "
        f"a difference nor equality is shown. {NOTHING_CLAIMED}"
    )


def test_with_runs_the_mark_is_of_the_method():
    systems = [system("base", runs=3), system("new", 26.82, runs=3), system("old", 26.9, runs=3)]
    pairs = [
        pair_within("new", "base", -0.34, EQUAL, OPEN, **METHOD, method_verdict="not significant"),
        pair_within("old", "base", -0.26, OPEN, EQUAL, **METHOD, method_verdict="not significant"),
    ]
    [table] = paper_tables(comparison(systems, pairs, baseline="base"))
    assert {table.columns["system"][row]: mark for (row, _), mark in table.marks.items()} == {"old": "≈"}
    assert "smaller than 0.5 BLEU for the method (two one-sided t-tests, TOST, at 5 %, Holm)" in table.caption


def test_of_all_pairs_the_caption_names_those_that_are_equal():
    places = tuple(RankedSystem(name, rank, 1, 3, "a") for rank, name in enumerate("cab", start=1))
    pairs = [
        pair_within("b", "a", 0.1, EQUAL), pair_within("c", "a", 0.1, EQUAL), pair_within("c", "b", 1, OPEN, **SHOWN)
    ]  # fmt: skip
    systems = [system("a"), system("b", 26), system("c", 28)]
    [table] = paper_tables(comparison(systems, pairs, ranking=places))
    assert table.caption.endswith(
        f" Shown to be equal within 0.5 BLEU (two one-sided t-tests, TOST, at 5 %, Holm): b and a; c and a. {ASSUMED}"
    )
    none = [pair_within(one.a, one.b, one.difference, OPEN) for one in pairs]
    [table] = paper_tables(comparison(systems, none, ranking=places))
    assert table.caption.endswith(
        " No two systems are shown to be equal within 0.5 BLEU (two one-sided t-tests, TOST, at 5 %, Holm). "
        f"{NOTHING_CLAIMED}"
    )


@needs_latex
def test_marks_have_room_in_a_real_latex(tmp_path):
    assert compiled(tmp_path, [format_comparison(against_base(), "latex")]) == []


def two_metrics(family):
    metrics = [statistics_of({"base": 0, "b": 0, "c": 0.5}, name, seed=seed) for name, seed in (("X", 1), ("Y", 2))]
    return compare(metrics, "base", margin={"x": 0.05, "y": 0.03}, family=family, **OPTIONS)


def test_the_caption_says_over_how_many_comparisons_p_is_adjusted_and_that_no_two_systems_are_equal():
    [table] = paper_tables(two_metrics("all"))
    assert "and p (max-T) over 4 comparisons of both metrics (two-sided " in table.caption
    assert (
        "no two systems are shown to be equal within 0.05 X or 0.03 Y (two one-sided randomization tests, TOST, at 5 "
        "%, Holm over " in (table.caption)
    )
    [table] = paper_tables(two_metrics("metric"))
    assert "and p (max-T) over 2 comparisons per metric (two-sided " in table.caption


def test_captions_of_all_columns_name_tests_and_the_comment_adjustments_and_the_margin():
    statistics = statistics_of({"base": 0, "b": 0, "c": 0.5}, n_runs=3)
    latex = format_comparison(compare(statistics, "base", margin=0.5, **OPTIONS), "latex", all_columns=True)
    captions = [line for line in latex.split("\n") if line.startswith(r"\caption")]
    [assumed] = {caption.partition(" Documents are unknown")[2] for caption in captions}
    assert assumed  # each table has it: they are pasted one by one
    captions = [caption.partition(" Documents are unknown")[0] for caption in captions]
    assert captions[0].endswith(r"150 segments. 95~\% CI: percentile bootstrap by segment.")
    assert captions[1].endswith(r"150 segments. 95~\% CI and p: crossed analysis by segment and run.")
    assert captions[2].endswith(r"95~\% CI and p: two-sided approximate randomization by segment, 2,000 trials.")
    said = "".join(line for line in latex.split("\n") if line.startswith("%"))
    for what in ("adjusted for 2 comparisons by Holm", "hold for both comparisons together", "equal within 0.5 score"):
        assert what in said


def test_names_stay_in_their_rows_where_a_heading_can_be_broken_instead():
    pairs = [
        pair_within("retrained", "baseline", 1.0, OPEN, **SHOWN),
        pair_within("tweaked", "baseline", 0.1, EQUAL),
    ]
    found = comparison([system(one) for one in ("baseline", "tweaked", "retrained")], pairs, baseline="baseline")
    latex = format_comparison(found, "latex")
    assert "\nretrained & " in latex and "\ntweaked & " in latex and r"\begin{table}" in latex


# ---- the paragraph


def test_the_paragraph_names_the_systems_that_are_equal_to_the_baseline():
    said = describe_comparison(against_base())
    assert "1 is shown to be equal within 0.5 BLEU and 1 is neither" in said
    assert " Shown to be equal within 0.5 BLEU on these outputs: near, compared with base. " in said


NOT_FOR_METHOD = {**METHOD, "method_verdict": "not significant"}


def said_of_one(outputs, method, **changes):
    """What the paragraph concludes of one pair with three runs of each system, and how it was tested."""
    one = pair_within("new", "base", 0.34, outputs, method, **changes)
    said = describe_comparison(
        comparison([system("base", runs=3), system("new", 27.5, runs=3)], [one], baseline="base")
    )
    return said.partition("0.2277): ")[2]


def test_the_paragraph_says_for_which_question_systems_are_equal():
    """As the headline does, without p of the difference, which stands beside it."""
    equal = "new and base are shown to be equal within 0.5 BLEU (p (equiv.) = 0.0020)"
    neither = "no difference is shown, nor is equality within 0.5 BLEU"
    assert said_of_one(EQUAL, OPEN, **NOT_FOR_METHOD).startswith(
        f"for the method, {neither}. For these runs, {equal}. "
    )
    other = Within(p_value=0.03, p_adjusted=0.03, verdict="equivalent")
    assert said_of_one(EQUAL, other, **NOT_FOR_METHOD).startswith(
        "for the method, new and base are shown to be equal within 0.5 BLEU (p (equiv.) = 0.0300). For these runs, "
        f"{equal}. "
    )
    assert said_of_one(OPEN, EQUAL, **NOT_FOR_METHOD).startswith(
        f"for the method, {equal}. For these runs, {neither}. "
    )
    assert said_of_one(OPEN, OPEN, **NOT_FOR_METHOD).startswith(
        f"for the method, {neither}. For these runs, {neither}. "
    )


def test_the_paragraph_says_which_shown_differences_are_smaller_than_the_margin():
    better, less = "new is shown to be better", "(less than 0.5, p (equiv.) = 0.0020)"
    assert said_of_one(EQUAL, EQUAL, **SHOWN, **NOT_FOR_METHOD).startswith(
        "for the method, new and base are shown to be equal within 0.5 BLEU (p (equiv.) = 0.0020). For these runs, "
        f"{better} {less}. "
    )
    assert said_of_one(OPEN, OPEN, **SHOWN, **NOT_FOR_METHOD).startswith(
        f"for the method, no difference is shown, nor is equality within 0.5 BLEU. For these runs, {better}. "
    )
    shown = SHOWN | METHOD | {"method_verdict": "significant"}
    assert said_of_one(OPEN, OPEN, **shown).startswith(f"{better} for the method and for these runs. ")
    assert said_of_one(EQUAL, EQUAL, **shown).startswith(
        f"for the method, {better} {less}. For these runs, {better} {less}. "
    )


def test_the_paragraph_says_how_equality_is_tested():
    assert (
        "tested by two one-sided tests (Schuirmann, 1987): t-tests with the jackknife by segment; for the method, "
        "t-tests from the crossed analysis. Equality is called shown if p (equiv.), the larger of the two one-sided "
        "p, is at most 0.05."
    ) in said_of_one(EQUAL, EQUAL, **NOT_FOR_METHOD)
    assert (
        "t-tests with the jackknife by segment. Equality is called shown if p (equiv., Holm), the larger of the two "
        "one-sided p, adjusted by Holm's method (Holm, 1979) for the comparisons of a metric, is at most 0.05."
    ) in describe_comparison(against_base())


def test_the_paragraph_names_the_pairs_that_are_equal():
    found = compare(statistics_of(dict(zip("abcd", (0, 0.02, 0.03, 3), strict=True))), margin=0.5, **OPTIONS)
    assert (
        "3 are shown to be equal within 0.5 score. Shown to be equal within 0.5 score on these "
        "outputs: b and a; c and a; c and b. " in (describe_comparison(found))
    )
    many = compare(statistics_of(dict(zip("abcdef", np.zeros(6), strict=True))), margin=0.8, **OPTIONS)
    assert "; and 10 more pairs. " in describe_comparison(many)
    assert "equal within" not in describe_comparison(compare(statistics_of(dict.fromkeys("abcd", 0)), **OPTIONS))


# ---- figures


pytestmark = pytest.mark.usefixtures("own_figures")


def bands_of(figure):
    """From where to where grey bands reach, on each Axes."""
    found = set()
    for ax in figure.axes:
        for area in ax.collections:
            if isinstance(area, mpl.collections.PolyCollection) and area.get_zorder() < 0:
                ends = area.get_paths()[0].vertices[:, 0]
                found.add((float(ends.min()), float(ends.max())))
    return found


@cache
def close_systems(names, baseline, runs):
    """Compare systems that are nearly equal, with a margin."""
    statistics = statistics_of({name: 0.05 * place for place, name in enumerate(names)}, n_runs=runs)
    options = {"n_resamples": 400, "rng": 1} if len(names) > 5 else OPTIONS
    return compare(statistics, baseline, margin=0.5, **options)


@pytest.mark.parametrize("medium", ["screen", "paper", "slide"])
@pytest.mark.parametrize(
    ("names", "baseline", "runs"),
    [
        ("ab", "a", 1),
        ("ab", "a", 3),
        ("abc", None, 1),
        ("abcde", "b", 3),
        ([f"system {n}" for n in range(16)], None, 1),
    ],
)
def test_the_figure_has_a_band_with_its_name(medium, names, baseline, runs):
    found = close_systems(tuple(names), baseline, runs)
    with style(medium):
        figure = draw_comparison(found)
    said = [text.get_text() for text in figure.findobj(mpl.text.Text)]
    if len(names) > 5:  # a matrix has no axis
        assert "≈: shown to be equal within 0.5 score" in " ".join(" ".join(said).split())
        assert any(text.endswith("≈") for text in said)
        return
    assert bands_of(figure) == {(-0.5, 0.5)}
    assert said.count("margin ±0.5 score") == 1
    low, high = figure.axes[-1].get_xlim()
    assert low < -0.5 and high > 0.5
    assert not faults_of_text(figure)


def texts_of(figure):
    return [text.get_text() for text in figure.findobj(mpl.text.Text)]


@pytest.mark.parametrize("medium", ["screen", "paper"])
def test_the_figure_marks_who_is_equal_and_says_by_which_intervals(medium):
    pairs = [
        pair_within("new", "base", 1.0, OPEN, **SHOWN),
        pair_within("near", "base", 0.1, EQUAL, EQUAL, **NOT_FOR_METHOD),
        pair_within("far", "base", 0.1, EQUAL, OPEN, **NOT_FOR_METHOD),
    ]
    found = comparison([system(name, 27, runs=3) for name in ("base", "new", "near", "far")], pairs, baseline="base")
    with style(medium):
        figure = draw_comparison(found)
    said = texts_of(figure)
    # For the method, which far is not.
    assert [text for text in said if text.startswith("≈ ")] == ["≈ +0.10"]
    assert (
        "\N{WHITE CIRCLE} not shown; ≈ shown to be equal within the margin "
        "(two one-sided t-tests, TOST, at 5 %, Holm; bars are 95 % CIs)"
    ) in " ".join(" ".join(said).split())
    assert not faults_of_text(figure)


def test_the_figure_says_that_no_equality_is_shown():
    pairs = [pair_within("new", "base", 0.4, OPEN)]
    said = texts_of(draw_comparison(comparison([system("base"), system("new")], pairs, baseline="base")))
    assert "≈" not in "".join(said)
    assert (
        "no equality within the margin is shown (two one-sided t-tests, TOST, at 5 %; bars are 95 % CIs)"
        in " ".join(" ".join(said).split())
    )


def test_the_finding_has_what_is_equal():
    def finding(pairs, names=("base", "new"), **changes):
        return title_result(comparison(map(system, names), pairs, **changes).metrics)

    equal = "BLEU: new and base are shown to be equal within 0.5 BLEU"
    assert finding([pair_within("new", "base", 0.1, EQUAL)]) == f"{equal} on these outputs."
    both = pair_within("new", "base", 0.1, EQUAL, EQUAL, **NOT_FOR_METHOD)
    assert finding([both]) == f"{equal} for these runs and for the method."
    outputs = pair_within("new", "base", 0.1, EQUAL, OPEN, **NOT_FOR_METHOD)
    assert finding([outputs]) == f"{equal} for these runs, but not for the method."
    assert finding([pair_within("new", "base", 0.1, EQUAL, EQUAL, **SHOWN, **NOT_FOR_METHOD)]) == (
        "BLEU: new is shown to be better than base for these runs; for the method, they are shown to be equal within "
        "0.5 BLEU."
    )
    three = ("base", "new", "near")
    better = pair_within("new", "base", 1.0, OPEN, **SHOWN)
    near = pair_within("near", "base", 0.1, EQUAL)
    assert finding([better, near], three) == (
        "BLEU: new is shown to be better than base on these outputs and near is shown to be equal to it within 0.5 "
        "BLEU."
    )
    assert finding([pair_within("new", "base", 0.4, OPEN), near], three) == (
        "BLEU: near is shown to be equal to base within 0.5 BLEU on these outputs."
    )
    every = [better, near, pair_within("new", "near", 0.1, EQUAL)]
    assert finding(every, three) == (
        "BLEU: 1 of 3 pairs is shown to differ on these outputs; 2 of 3 pairs are shown to be equal within 0.5 BLEU."
    )


def test_without_a_margin_there_is_no_band():
    statistics = statistics_of({"a": 0, "b": 0.1})
    figure = draw_comparison(compare(statistics, **OPTIONS))
    assert bands_of(figure) == set()
    assert not any("margin" in text.get_text() for text in figure.findobj(mpl.text.Text))
    ax = plot_differences(compare(statistics, margin=0.3, **OPTIONS).metrics["score"], mpl.pyplot.figure().subplots())
    label = " ".join(ax.get_xlabel().split())
    assert label.endswith(
        " band: margin ±0.3 score ≈ shown to be equal within the margin (two one-sided randomization tests, TOST, at 5 "
        "%; bars are 95 % CIs)"
    )
    assert [text.get_text() for text in ax.get_yticklabels()] == ["b ≈", "a"]
    ax = plot_differences(compare(statistics, **OPTIONS).metrics["score"], mpl.pyplot.figure().subplots())
    assert "band" not in ax.get_xlabel()


def test_a_band_far_wider_than_the_differences_does_not_set_the_axis():
    statistics = statistics_of({"a": 0, "b": 0.1})
    figures = [draw_comparison(compare(statistics, "a", margin=margin, **OPTIONS)) for margin in (50.0, 90.0)]
    (low, high), other = (figure.axes[-1].get_xlim() for figure in figures)
    assert (low, high) == other
    assert -1 < low < 0 < high < 1
