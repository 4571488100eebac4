"""The finding that is a figure's title: one sentence, true of the numbers it is made from."""

from dataclasses import replace

import pytest

from mtworkbench.inference.rankings import place_systems
from mtworkbench.words.headlines import title_result

from .hand_made import changed, comparison, pair, system

SHOWN = {"verdict": "significant", "p_value": 0.001, "p_adjusted": 0.002}
BOTH = SHOWN | {"method_p_value": 0.01, "method_verdict": "significant"}
ONE = SHOWN | {"method_p_value": 0.2, "method_verdict": "not significant"}


def metric_of(pairs, names="ab", **changes):
    found = comparison([system(name, 27 + place) for place, name in enumerate(names)], pairs, **changes)
    return next(iter(found.metrics.values()))


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({}, "no difference is shown"),
        (SHOWN, "b is shown to be better than a on these outputs"),
        (BOTH, "b is shown to be better than a for these runs and for the method"),
        (ONE, "b is shown to be better than a for these runs, but not for the method"),
        ({"verdict": "undecided"}, "undecided"),
        ({"conclusion": "copies"}, "the systems are copies of each other"),
        ({"conclusion": "identical scores"}, "the scores are identical in every segment"),
    ],
)
def test_one_pair(changes, finding):
    metric = metric_of([pair("b", "a", 1.0, **changes)])
    assert title_result({"BLEU": metric}) == f"BLEU: {finding}."


def test_the_better_system_comes_first_whichever_way_is_better():
    metric = metric_of([pair("b", "a", 1.0, **SHOWN)], name="TER", higher_is_better=False)
    assert title_result({"TER": metric}) == "TER: a is shown to be better than b on these outputs."
    metric = metric_of([pair("b", "a", -1.0, **SHOWN)], name="Length", higher_is_better=None)
    assert title_result({"Length": metric}) == "Length: a is shown to be longer than b on these outputs."


def test_metrics_that_agree_are_named_together():
    shown, open_ = metric_of([pair("b", "a", 1.0, **SHOWN)]), metric_of([pair("b", "a", 1.0)])
    assert title_result({"BLEU": shown, "chrF": open_, "TER": shown}) == (
        "BLEU and TER: b is shown to be better than a on these outputs; chrF: no difference is shown."
    )
    agreed = title_result({"BLEU": shown, "chrF": shown, "TER": shown})
    assert agreed == "All 3 metrics: b is shown to be better than a on these outputs."


def test_another_level_is_named():
    metric = metric_of([pair("b", "a", 1.0, **SHOWN)], level=0.99)
    assert title_result({"BLEU": metric}) == "BLEU: b is shown to be better than a on these outputs (at 1 %)."


def test_with_a_baseline_two_systems_are_named_and_more_are_counted():
    names = "abcdef"
    better = [pair(name, "a", 1.0, **SHOWN) for name in "bcd"]
    rest = [pair("e", "a", -1.0, **SHOWN), pair("f", "a", -0.1)]
    assert title_result({"BLEU": metric_of([*better, *rest], names)}) == (
        "BLEU: on these outputs, 3 of 5 systems are shown to be better than a and e is shown to be worse."
    )
    assert title_result({"BLEU": metric_of([*better[:2], rest[1]], "abcf")}) == (
        "BLEU: b and c are shown to be better than a on these outputs."
    )
    assert (
        title_result({"BLEU": metric_of(better, "abcd")})
        == "BLEU: all 3 systems are shown to be better than a on these outputs."
    )
    assert title_result({"BLEU": metric_of([rest[1], pair("b", "a")], "abf")}) == (
        "BLEU: none of 2 systems is shown to differ from a on these outputs."
    )


def test_undecided_comparisons_are_not_counted_as_not_shown():
    open_ = {"verdict": "undecided"}
    both = metric_of([pair("b", "a", 1.0, **open_), pair("c", "a", -1.0, **open_)], "abc")
    assert title_result({"BLEU": both}) == "BLEU: both comparisons are undecided."
    one = metric_of([pair("b", "a", 1.0), pair("c", "a", -1.0, **open_)], "abc")
    assert title_result({"BLEU": one}) == (
        "BLEU: none of 2 systems is shown to differ from a on these outputs; 1 is undecided."
    )
    shown = metric_of([pair("b", "a", 1.0, **SHOWN), pair("c", "a", -1.0, **open_)], "abc")
    assert title_result({"BLEU": shown}) == ("BLEU: b is shown to be better than a on these outputs; 1 is undecided.")
    metric = of_all_pairs({("d", "a"), ("d", "b"), ("d", "c")})
    pairs = (changed(metric.comparisons[0], verdict="undecided", conclusion="undecided"), *metric.comparisons[1:])
    assert title_result({"BLEU": replace(metric, comparisons=pairs)}) == (
        "BLEU: d is shown to be better than every other system on these outputs; 1 is undecided."
    )


def test_where_every_pair_is_tested_for_the_method_the_finding_is_about_the_method():
    pairs = [pair("b", "a", 1.0, **BOTH), pair("c", "a", 1.0, **ONE)]
    assert title_result({"BLEU": metric_of(pairs, "abc")}) == "BLEU: b is shown to be better than a for the method."
    mixed = [pairs[0], pair("c", "a", 1.0, **SHOWN)]
    assert (
        title_result({"BLEU": metric_of(mixed, "abc")}) == "BLEU: b and c are shown to be better than a for these runs."
    )


def of_all_pairs(better, names="abcd"):
    """All pairs of systems of rising scores, of which some are shown."""
    pairs = [
        pair(b, a, 1.0, **(SHOWN if (b, a) in better else {})) for place, b in enumerate(names) for a in names[:place]
    ]
    scores = {name: place for place, name in enumerate(names)}
    return metric_of(pairs, names, ranking=place_systems(scores, pairs))


@pytest.mark.parametrize(
    ("better", "finding"),
    [
        ({("d", "a"), ("d", "b"), ("d", "c")}, "d is shown to be better than every other system on these outputs"),
        (
            {("d", "a"), ("d", "b"), ("c", "b"), ("c", "a")},
            "d and c may be the best on these outputs",
        ),
        (
            {("d", "a"), ("d", "c"), ("c", "b")},
            "only d may be the best on these outputs",
        ),
        (set(), "no system is shown to be better than another on these outputs"),
    ],
)
def test_of_all_pairs_the_top_is_named(better, finding):
    assert title_result({"BLEU": of_all_pairs(better)}) == f"BLEU: {finding}."


def test_of_many_at_the_top_two_are_named():
    assert title_result({"BLEU": of_all_pairs({("e", "a")}, "abcde")}) == (
        "BLEU: e, d and 2 more may be the best on these outputs."
    )


def test_pairs_without_a_ranking_are_counted():
    metric = replace(of_all_pairs({("d", "a")}), ranking=None)
    assert title_result({"Length": metric}) == "Length: 1 of 6 pairs is shown to differ on these outputs."
    undecided = [changed(one, verdict="undecided", conclusion="undecided") for one in metric.comparisons]
    metric = replace(metric, comparisons=tuple(undecided))
    assert title_result({"Length": metric}) == "Length: all 6 comparisons are undecided."


def test_one_system_has_no_finding():
    assert title_result({"BLEU": metric_of([], "a")}) == ""
