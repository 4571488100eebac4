"""A comparison in words, for the text of a paper: computed, and no more than the conclusions say."""

import re
from dataclasses import replace

import pytest

from mtworkbench import __version__, describe_comparison
from mtworkbench.results.campaigns import CampaignComparison, CampaignTestSet, Claim
from mtworkbench.tables import format_campaign

from .hand_made import ASSUMED, NOTHING_CLAIMED, ONE_RUN, changed, comparison, pair, system
from .made_campaigns import make_metric, make_set, make_settings

SHOWN = {"verdict": "significant", "p_adjusted": 0.0002}
METHOD = {"method_p_value": 0.2277, "method_low": -0.9, "method_high": 0.22, "method_df": 3.84}
HOW = "CIs are percentile bootstrap intervals (Koehn, 2004) by segment (1,000 resamples). "
TEST = "two-sided approximate randomization test (Noreen, 1989; Riezler and Maxwell, 2005)"
NEED_NOT_AGREE = (
    "The CI of a difference on these outputs comes from another method than p, so it need not agree with the verdict."
)
END = f"Computed with mtworkbench {__version__}."
ASSUMED_OF_SETS = (
    "Documents are unknown: if sentences of one document are alike, p for these test sets is too small, and "
    "their CIs are too narrow. "
    f"{ONE_RUN} With only 3 test sets, only large differences can be shown for new ones."
)


def test_one_pair_is_a_paragraph_with_what_a_paper_says():
    found = comparison([system("base"), system("new", 26.82)], [pair("new", "base", **SHOWN)], baseline="base")
    assert describe_comparison(found) == (
        "We compared new with base on 300 segments. By BLEU, new scores 26.82 and base 27.16, a difference of -0.34 "
        "(95 % CI -0.84 to 0.16, p = 0.0002): base is shown to be better on these outputs. "
        f"{HOW}p comes from a {TEST} by segment (10,000 trials). "
        f"{NEED_NOT_AGREE} A difference is called shown if p is at most 0.05; a difference that is not shown "
        f"can still exist. {ASSUMED} {END}"
    )


def test_with_runs_it_says_for_which_question():
    systems = [system("base", runs=3), system("new", 26.82, runs=3)]
    pairs = [pair("new", "base", **SHOWN, **METHOD, method_verdict="not significant")]
    said = describe_comparison(comparison(systems, pairs, baseline="base", n_documents=30))
    assert said.startswith(
        "We compared new with base on 300 segments in 30 documents, with 3 runs of each system; scores are "
        "means over runs (Clark et al., 2011). By BLEU, new scores 26.82 and base 27.16, a difference of -0.34 (for "
        "these runs: 95 % CI -0.84 to 0.16, p = 0.0002; for the method (new training or tuning runs): 95 % CI -0.90 "
        "to 0.22, p = 0.2277): "
        "base is shown to be better for these runs, but not for the method. "
    )
    assert (
        "For the method, CIs and p come from a crossed analysis, which treats both segments and runs as samples."
    ) in said
    assert said.count("new training or tuning runs") == 1


def test_several_comparisons_are_adjusted_and_metrics_are_told_apart():
    systems = [system("base"), system("b"), system("c")]
    pairs = [pair("b", "base"), pair("c", "base", 0.6, **SHOWN)]
    found = comparison(systems, pairs, baseline="base")
    other = [pairs[0], pair("c", "base", 0.6, better="base", **SHOWN)]
    found.metrics["TER"] = comparison(systems, other, "TER", False).metrics["TER"]
    said = describe_comparison(found)
    assert said.startswith("We compared b and c with base on 300 segments. By BLEU, b scores ")
    assert "p (Holm) = 0.3380): no difference is shown. By TER, b scores" in said
    assert "By BLEU, c scores 27.16 and base 27.16, a difference of +0.60 (95 % CI 0.10 to 1.10, p (Holm) = " in said
    assert "c is shown to be better on these outputs. By TER, c scores" in said
    assert "base is shown to be better on these outputs. " in said
    assert ". p (Holm) is adjusted by Holm's method (Holm, 1979) for the 2 comparisons of a metric. " in said
    assert (
        "The CI of a difference is not adjusted for the number of comparisons, and on these outputs it comes from "
        "another method than p, so it need not agree with the verdict. A difference is called shown if p (Holm) is "
    ) in said
    assert (
        "BLEU and TER contradict each other on c and base: by BLEU c is better, by TER base is better." in said
    )  # metrics that contradict each other are not hidden


def test_many_pairs_are_counted():
    names = ["base", "b", "c", "d", "e"]
    pairs = [pair(name, "base", 0.6, **(SHOWN if name == "e" else {})) for name in names[1:]]
    said = describe_comparison(comparison(map(system, names), pairs, baseline="base"))
    assert (
        "Of the 4 other systems, compared with base on these outputs by BLEU, 1 is shown to be better (e) and 3 are "
        "not shown to differ."
    ) in said
    assert "a difference of" not in said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"verdict": "undecided"}, "undecided, because p is too close to 0.05 to decide with 10,000 trials"),
        ({"conclusion": "copies", "segments_differing": 0}, "the systems are copies of each other"),
        ({"low": None, "high": None}, "a difference of -0.34 (p = 0.3380): no difference is shown"),
    ],
)
def test_it_says_no_more_than_the_conclusion(changes, said):
    paragraph = describe_comparison(comparison([system("base"), system("new")], [pair("new", "base", **changes)]))
    assert said in paragraph
    assert not re.search("(is|to be) (better|worse)", paragraph)
    assert (NOTHING_CLAIMED in paragraph) == ("conclusion" not in changes)  # copies have no interval
    undecided = "and more random swaps would hardly change that, and undecided if they might"
    assert (undecided in paragraph) == ("verdict" in changes)


def test_one_system_has_a_score():
    assert describe_comparison(comparison([system("a")], [])) == (
        "We scored a on 300 segments. By BLEU, a scores 27.16 (95 % CI 26.36 to 27.86). CIs are percentile bootstrap "
        f"intervals (Koehn, 2004) by segment (1,000 resamples). {END}"
    )


def test_of_one_metric_it_is_the_text_of_a_figure():
    found = comparison([system("base"), system("new")], [pair("new", "base")])
    assert describe_comparison(found.metrics["BLEU"]) == (
        "BLEU: base 27.16 (95 % CI 26.36 to 27.86); new 27.16 (95 % CI 26.36 to 27.86); new - base = -0.34 (95 % CI "
        "-0.84 to 0.16), p = 0.3380: no difference is shown. "
        f"{NOTHING_CLAIMED}"
    )


def over_sets(differences, *, error=0.3, names=("dev", "news", "talks"), **changes):
    """New and base over test sets of 100 segments; base scores 30.00 on each."""
    sets = {
        (system, "base"): [
            make_set(name, system, "base", one, error, n_segments=100) for name, one in zip(names, some, strict=True)
        ]
        for system, some in differences.items()
    }
    test_sets = tuple(CampaignTestSet(name, 100, None, "segment", 100, 100.0) for name in names)
    return CampaignComparison(
        make_settings(), "base", test_sets, {"BLEU": make_metric("BLEU", sets, baseline="base", **changes)}
    )


ON_SETS = "by segment, within each test set"
OF_SETS = (
    f"CIs for these test sets are percentile bootstrap intervals (Koehn, 2004) {ON_SETS} (1,000 resamples). p for "
    f"these test sets comes from a {TEST} {ON_SETS} (10,000 trials). CIs and p for "
    "new test sets like these come from Student's t of the differences on the test sets (2 degrees of freedom); the "
    "standard error is that between the sets or, if that is larger, that within them (Knapp and Hartung, 2003); "
    "the CI for new sets includes the CI for these sets, and p is at least as large as p for these sets. "
    + NEED_NOT_AGREE.replace("on these outputs", "for these test sets")
)


def test_one_pair_on_several_sets_claims_for_these_and_for_new_ones():
    """The differences 1, 2 and 3 have mean 2 and standard error 1 / sqrt(3).

    With 2 degrees of freedom, t = 2 sqrt(3) has p = 1 - t / sqrt(t^2 + 2) = 0.0742, and the 97.5 % point of t is 4.303.
    On these sets the standard error is 0.3 / sqrt(3) = 0.173.
    """
    assert describe_comparison(over_sets({"new": [1.0, 2.0, 3.0]})) == (
        "We compared new with base on 3 test sets (dev, news and talks; 300 segments in all). Scores and differences "
        "are means over the test sets, each set counting the same. By BLEU, new scores 32.00 and base 30.00, a "
        "difference of +2.00 (for these test sets: 95 % CI 1.66 to 2.34, p = 0.0001; for new test sets: 95 % CI -0.48 "
        "to 4.48, p = 0.0742): new is shown to be better for these test sets, but not shown for new ones. "
        f"{OF_SETS} A difference is called shown if p is at most 0.05; a difference that is not shown can still exist. "
        f"{ASSUMED_OF_SETS} {END}"
    )


def test_a_difference_that_new_sets_show_is_said_to_be_shown_for_both():
    """With the differences 1.9, 2.0 and 2.1, t = 20 sqrt(3) has p = 0.0008."""
    said = describe_comparison(over_sets({"new": [1.9, 2.0, 2.1]}))
    assert "p = 0.0008): new is shown to be better for new test sets like these. " in said
    assert "The conclusions about new test sets rest on only 3 test sets. Computed with" in said
    assert "95 % CI 1.75 to 2.25, p" in said


def test_new_runs_on_new_sets_have_their_interval_p_and_conclusion():
    """It is hand-made: what is shown for the method and for new sets is also shown, or not, for both."""
    figures = {"method_p_value": 0.01, "method_p_adjusted": 0.01, "method_low": 0.5, "method_high": 3.5}
    for verdict, said in (("significant", "also"), ("not significant", "not")):
        both = Claim(low=-0.1, high=4.1, p_value=0.06, p_adjusted=0.06, verdict=verdict)
        sets = over_sets({"new": [1.9, 2.0, 2.1]}, **figures, method_verdict="significant", new_runs_and_sets=both)
        text = describe_comparison(sets)
        assert "; for new runs on new sets: 95 % CI -0.10 to 4.10, p = 0.0600): new is shown to be better" in text
        assert f"it is also shown for the method, and {said} for new runs on new sets. " in text


@pytest.mark.parametrize(("verdict", "said"), [("significant", "also"), ("not significant", "not")])
def test_on_several_sets_it_says_whether_new_runs_would_show_it(verdict, said):
    figures = {"method_p_value": 0.2, "method_p_adjusted": 0.2, "method_low": -0.5, "method_high": 4.5}
    text = describe_comparison(over_sets({"new": [1.0, 2.0, 3.0]}, **figures, method_verdict=verdict))
    method = (
        "; for the method (new training or tuning runs on these test sets): 95 % CI -0.50 to 4.50, p = 0.2000): new"
    )
    assert f"{method} is shown to be better for these test sets" in text
    assert f"but not shown for new ones; it is {said} shown for the method. " in text
    assert "a crossed analysis of the scores of the runs, averaged over the test sets." in text


def test_many_pairs_on_several_sets_are_counted_and_p_is_adjusted():
    said = describe_comparison(over_sets({name: [1.0, 2.0, 3.0] for name in "wxyz"}))
    assert (
        "Of the 4 other systems, compared with base on the mean of 3 test sets by BLEU, all are shown to be better "
        "for these test sets only. "
    ) in said
    assert "trials). p (Holm) is adjusted by Holm's method (Holm, 1979) for the 4 comparisons of a metric. " in said


def test_on_several_sets_metrics_that_contradict_each_other_are_not_hidden():
    found = over_sets({"new": [1.0, 2.0, 3.0]})
    [pair] = found.metrics["BLEU"].comparisons
    other = replace(found.metrics["BLEU"], name="TER", higher_is_better=False)
    other = replace(other, comparisons=(changed(pair, better="base"),))
    said = describe_comparison(replace(found, metrics=found.metrics | {"TER": other}))
    assert "For these test sets, BLEU and TER contradict each other." in said


def test_the_paragraph_on_several_sets_is_a_comment_of_the_latex():
    found = over_sets({"new": [1.0, 2.0, 3.0]})
    latex = format_campaign(found, "latex").replace("\n% ", " ")
    begin = "We compared new with base on 3 test sets (dev, news and talks; 300 segments in all)."
    assert f"For the text (needs \\usepackage{{natbib}}): {begin}" in latex
