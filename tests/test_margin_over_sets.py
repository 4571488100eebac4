"""A margin over several test sets: every view speaks of these test sets, and none of them of one test set's outputs."""

import re
import warnings

import numpy as np
import pytest

from mtworkbench import describe_comparison
from mtworkbench.errors import DataWarning
from mtworkbench.inference import compare_test_sets
from mtworkbench.plots import draw_comparison
from mtworkbench.tables import format_campaign
from mtworkbench.words.headlines import title_result
from mtworkbench.words.metric_tables import tabulate_metric

from .drawn import texts_of
from .inference.conftest import mean_statistics

SIZES = {"first": 400, "second": 500, "third": 450}
DRAWN = {"n_resamples": 400, "n_trials": 999, "rng": 1}
# Differences from base in all segments of each set, beside noise of standard deviation 0.3.
SYSTEMS = {
    "new": (2.0, 2.0, 2.1),
    "small": (0.3, 0.3, 0.31),
    "uneven": (0.9, 0.05, 0.1),
    "near": (0.004, -0.004, 0.001),
}


def make_sets(*systems, runs=1):
    draws, sets = np.random.default_rng(3), {}
    for place, (name, size) in enumerate(SIZES.items()):
        base = draws.normal(10, 1, size)
        scores = {"base": base + draws.normal(0, 0.05, (runs, 1)) * (runs > 1)}
        for system in systems:
            noise = draws.normal(0, 0.3, (runs, size))
            scores[system] = base + SYSTEMS[system][place] + noise - noise.mean(axis=1, keepdims=True)
        statistics = mean_statistics(**scores)
        object.__setattr__(statistics.test_set, "references", name)
        object.__setattr__(statistics.test_set, "lineage", object())
        sets[name] = statistics
    return sets


def find(*systems, runs=1, baseline="base", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return compare_test_sets(make_sets(*systems, runs=runs), baseline, **{"margin": 0.5} | DRAWN | options)


def views_of(found):
    yield "headline", " ".join(found.headline)
    yield "title", title_result(found.metrics)
    yield "paragraph", describe_comparison(found)
    yield "html", re.sub("<[^>]*>", " ", found._repr_html_())
    for format in ("text", "markdown", "latex"):
        yield format, " ".join(re.sub(r"\n% ", " ", format_campaign(found, format)).split())


@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize("systems", [("new",), ("small",), ("near",), ("uneven",), ("new", "near"), tuple(SYSTEMS)])
def test_no_view_speaks_of_one_test_set(systems, runs):
    for view, words in views_of(find(*systems, runs=runs)):
        # "Shown on this test set" is said of a row.
        assert not re.search(r"these outputs|(?<!on )this test set\b", words), view


@pytest.mark.parametrize(
    ("system", "margin", "conclusion"),
    [
        (
            "new",
            0.5,
            r"for new test sets like these, new is shown to be better\.",
        ),
        (
            "small",
            0.5,
            r"for new test sets like these, small is shown to be better; for these test sets, the difference is less "
            r"than 0\.5 score \(p \(equiv\.\) < 0\.01\)\.",
        ),
        (
            "uneven",
            0.5,
            r"for these test sets, uneven is shown to be better \(less than 0\.5, p \(equiv\.\) < 0\.01\), but this is "
            r"not shown for new test sets\.",
        ),
        (
            "near",
            0.5,
            r"for these test sets, near and base are shown to be equal within 0\.5 score \(p \(equiv\.\) < 0\.01\)\.",
        ),
        (
            "near",
            0.001,
            r"for these test sets, no difference is shown, nor is equality within 0\.001 score\.",
        ),
    ],
)
def test_the_paragraph_concludes_about_these_sets_and_new_ones(system, margin, conclusion):
    said = describe_comparison(find(system, margin=margin))
    assert re.search(rf"\): {conclusion} CIs of scores are ", said), said


def test_the_headline_says_where_systems_are_equal():
    """Equality is tested on these sets: nobody may read that it holds for new ones."""
    said = find("near").headline[0]
    assert "for these test sets, near and base are shown to be equal within 0.5 score" in said, said
    assert "for these test sets, on these" not in said
    assert ", nor is equality within 0.001 score" in find("near", margin=0.001).headline[0]


def test_the_figures_title_says_where_systems_are_equal():
    assert title_result(find("near").metrics) == (
        "score: near and base are shown to be equal within 0.5 score for these test sets."
    )


def test_new_sets_have_holms_p_whatever_these_have():
    said = describe_comparison(find("new", "near"))
    assert (
        "p (max-T) is adjusted by step-down max-T (Westfall and Young, 1993) for the 2 comparisons of a metric, and "
        "the CIs hold for all of them together. For new test sets, p is adjusted by Holm's method (Holm, "
        "1979) and CIs after Bonferroni."
    ) in said


def test_a_figure_calls_the_p_for_new_sets_holms(own_figures):
    figure = draw_comparison(find("new", "near"))
    said = " ".join(" ".join(text for text, _ in texts_of(figure)).split())
    assert "mean difference, p (Holm) for new test sets" in said


def cells_of(found, place):
    """Every row of one of the tables of differences, as words: system, and what its cells say."""
    table = tabulate_metric(found, "score")[place]
    return [dict(zip(table.columns, row, strict=True)) for row in zip(*table.columns.values(), strict=True)]


def test_the_tables_say_what_becomes_of_a_difference_with_a_margin():
    # True differences of 2, 0.3 and 0; their standard error is below 0.03 on 1,350 segments.
    rows = cells_of(find("new", "small", "near"), 2)
    assert [row["verdict"] for row in rows] == ["better", "better by <0.5", "equal within 0.5"]
    assert [row["p (equiv., Holm)"] == "<0.01" for row in rows] == [False, True, True]
    # Noise of 0.03 cannot be told to be below 0.001.
    [row] = cells_of(find("near", margin=0.001), 2)
    assert row["verdict"] == "cannot tell"


def test_what_is_shown_for_the_method_is_said_wherever_that_of_the_sets_is():
    found = find("near", runs=3)
    [row] = cells_of(found, 3)
    assert row["verdict"] == "equal within 0.5"
    assert "p (equiv.)" in row
    equal = (
        r"for the method[^;:]*, (no difference is shown, but )?(they|near and base) are shown to be equal within 0\.5 "
    )
    assert re.search(equal, found.headline[0])
    assert re.search(equal, describe_comparison(found))


@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_a_paper_marks_what_is_within_the_margin(format):
    said = " ".join(format_campaign(find("near", "new", runs=3), format).replace("~", " ").split())
    test = r"\(two one-sided randomization tests, TOST, at 5 \\?%, Holm\)"
    of_method = test.replace("randomization tests", "t-tests")
    assert re.search(r"≈|\\approx", said)
    assert re.search(rf": difference shown to be smaller than 0\.5 score for these test sets {test}", said)
    assert re.search(rf"equal within 0\.5 score for the method {of_method}: near, compared with base\.", said)
    pairs = " ".join(format_campaign(find("near", "new", baseline=None), format).replace("~", " ").split())
    assert re.search(rf"equal within 0\.5 score for these test sets {test}: near and base\.", pairs)


def test_a_figure_calls_no_p_adjusted_that_is_not(own_figures):
    said = [text for text, _ in texts_of(draw_comparison(find("new")))]
    assert not any("adjusted" in text or "p (" in text for text in said)
    assert "verdicts and CIs of single sets: max-T" in " ".join(" ".join(said).split())


def test_it_is_said_once_of_each_question_that_intervals_hold_together():
    said = " ".join(format_campaign(find("new", "near"), all_columns=True).split())
    assert said.count("; the CIs hold for both comparisons together (computed in one step, and p step by step, so") == 1
    assert said.count("adjusted by Holm's method; the CIs hold for both comparisons together (Bonferroni).") == 1
    assert "Verdicts, p and CIs are adjusted for both comparisons" in said
    by_holm = " ".join(format_campaign(find("new", "near", adjust="holm"), all_columns=True).split())
    assert "the CIs hold" not in by_holm and "Verdicts and p are adjusted for both comparisons (Holm)." in by_holm
