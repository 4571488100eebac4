"""A comparison in words, for the text of a paper: computed, and no more than the conclusions say."""

import re

import pytest

from mtworkbench import __version__, describe_comparison

from .hand_made import comparison, pair, system

SHOWN = {"verdict": "significant", "p_adjusted": 0.0002}
METHOD = {"method_p_value": 0.2277, "method_low": -0.9, "method_high": 0.22, "method_df": 3.84}
HOW = "CIs are percentile bootstrap intervals by segment (1,000 resamples); "
END = f"Computed with mtworkbench {__version__}."


def test_one_pair_is_a_paragraph_with_what_a_paper_says():
    found = comparison([system("base"), system("new", 26.82)], [pair("new", "base", **SHOWN)], baseline="base")
    assert describe_comparison(found) == (
        "We compared new with base on 300 segments. By BLEU, new scores 26.82 and base 27.16, a difference of -0.34 "
        "(95 % CI -0.84 to 0.16, p = 0.0002): base is better on these outputs; the method was not tested. "
        f"{HOW}p is from two-sided approximate randomization by segment (10,000 trials). A difference is called shown "
        f"if p is at most 0.05; a difference that is not shown can still exist. {END}"
    )


def test_with_runs_it_says_for_which_question():
    systems = [system("base", runs=3), system("new", 26.82, runs=3)]
    pairs = [pair("new", "base", **SHOWN, **METHOD, method_verdict="not significant")]
    said = describe_comparison(comparison(systems, pairs, baseline="base", n_documents=30))
    assert said.startswith(
        "We compared new with base on 300 segments in 30 documents, with 3 training runs of each system (scores are "
        "means over runs). By BLEU, new scores 26.82 and base 27.16, a difference of -0.34 (on these outputs: 95 % CI "
        "-0.84 to 0.16, p = 0.0002; for the method: 95 % CI -0.90 to 0.22, p = 0.228): base is better on these "
        "outputs; this is not shown for the method. "
    )
    assert (
        "For the method (new training runs), CIs and p come from a crossed analysis, which treats both segments and "
        "training runs as samples."
    ) in said


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
    assert "c is better on these outputs; the method was not tested. By TER, c scores" in said
    assert "base is better on these outputs; the method was not tested. " in said
    assert "p (Holm) is adjusted for the 2 comparisons of a metric. A difference is called shown if p (Holm) is" in said
    assert (
        "BLEU and TER contradict each other on c and base: by BLEU c is better, by TER base is better." in said
    )  # metrics that contradict each other are not hidden


def test_many_pairs_are_counted():
    names = ["base", "b", "c", "d", "e"]
    pairs = [pair(name, "base", 0.6, **(SHOWN if name == "e" else {})) for name in names[1:]]
    said = describe_comparison(comparison(map(system, names), pairs, baseline="base"))
    assert (
        "Of the 4 other systems, compared with base on these outputs: by BLEU, 1 is shown to be better (e) and 3 are "
        "not shown to differ."
    ) in said
    assert "a difference of" not in said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"verdict": "undecided", "n_trials_to_decide": 52_000}, "undecided; more trials are needed"),
        ({"conclusion": "copies", "segments_differing": 0}, "the systems are copies of each other"),
        ({"low": None, "high": None}, "a difference of -0.34 (p = 0.3380): no difference is shown"),
    ],
)
def test_it_says_no_more_than_the_conclusion(changes, said):
    paragraph = describe_comparison(comparison([system("base"), system("new")], [pair("new", "base", **changes)]))
    assert said in paragraph
    assert not re.search("is (better|worse)", paragraph)
    undecided = "even allowing for its simulation error, and undecided if that error leaves the answer open"
    assert (undecided in paragraph) == ("verdict" in changes)


def test_one_system_has_a_score():
    assert describe_comparison(comparison([system("a")], [])) == (
        "We scored a on 300 segments. By BLEU, a scores 27.16 (95 % CI 26.36 to 27.86). CIs are percentile bootstrap "
        f"intervals by segment (1,000 resamples). {END}"
    )


def test_of_one_metric_it_is_the_text_of_a_figure():
    found = comparison([system("base"), system("new")], [pair("new", "base")])
    assert describe_comparison(found.metrics["BLEU"]) == (
        "BLEU: base 27.16 (95 % CI 26.36 to 27.86); new 27.16 (95 % CI 26.36 to 27.86); new - base = -0.34 (95 % CI "
        "-0.84 to 0.16), p = 0.3380: no difference is shown."
    )
