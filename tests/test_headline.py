"""The first sentences about a comparison: at most five on what was found, then what it rests on; each of them true."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest

from mtworkbench.inference import compare
from mtworkbench.metrics import MeanScore
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.tables import describe_briefly, describe_comparison, format_comparison
from mtworkbench.wording import begin
from mtworkbench.words.headlines import describe_findings
from mtworkbench.words.sentences import describe_pair
from mtworkbench.words.sentences_on_units import find_tipping_point

from . import hand_made
from .hand_made import MAY_BE_NARROW, NOTHING_CLAIMED, ONE_RUN, changed

OPTIONS = {"n_resamples": 400, "n_trials": 1000, "rng": 1}
SHARED = np.random.default_rng(0).normal(0, 1, 150)


def say_no_documents(found):
    """What a headline says where documents are unknown, and a difference is shown."""
    tipping = find_tipping_point(found)
    holds = [f"{begin(tipping.which)} {tipping.holds}."] if tipping else []
    return " ".join([hand_made.NO_DOCUMENTS, *holds, hand_made.GIVE_DOCUMENTS])


def statistics_of(means, name="score", up=True, n_runs=1, n_segments=150, run_spread=0.0, noise=0.5, seed=1):
    """Scores of systems with these means; segments are as hard for one as for the other."""
    draws = np.random.default_rng(seed)
    values = {}
    for system, mean in means.items():
        runs = draws.normal(mean, run_spread, (n_runs, 1)) + draws.normal(0, noise, (n_runs, n_segments))
        values[system] = np.stack([SHARED[:n_segments] + runs, np.ones(runs.shape)], axis=-1)
    test_set = TestSet(np.arange(1, n_segments + 1), None, "references", 1)
    return SegmentStatistics(MeanScore(name=name, higher_is_better=up), values, test_set)


def judged(comparison, changes):
    """A comparison of which some pairs, named by metric and systems, were judged otherwise."""
    metrics = {}
    for name, metric in comparison.metrics.items():
        pairs = [changed(pair, **changes.get((name, pair.a, pair.b), {})) for pair in metric.comparisons]
        metrics[name] = replace(metric, comparisons=tuple(pairs))
    return replace(comparison, metrics=metrics)


def spread(systems, step):
    return {name: step * place for place, name in enumerate(systems)}


# ---- up to three pairs: a sentence for each


def test_one_sentence_per_pair_names_all_metrics():
    x = statistics_of({"base": 0, "new": 1}, "X")
    y = statistics_of({"base": 0, "new": 0}, "Y", seed=2)
    z = statistics_of({"base": 0, "new": -1}, "Z", up=False, seed=3)
    found = compare([x, y, z], **OPTIONS)
    difference = {name: metric.comparisons[0].difference for name, metric in found.metrics.items()}
    p = found.metrics["Y"].comparisons[0].p_value
    assert p > 0.05
    assert found.headline == [
        f"new - base = {difference['X']:+.2f} X, {difference['Y']:+.2f} Y and {difference['Z']:+.2f} Z: on these "
        f"outputs, new is shown to be better by X (p < 0.001) and Z (p < 0.001); no difference is shown by Y "
        f"(p = {p:.3f}).",
        say_no_documents(found),
        ONE_RUN,
    ]
    assert describe_briefly(found) == found.headline


def test_the_winner_is_named_whichever_side_it_is_on():
    """The difference has the sign that it has in the table."""
    found = compare(statistics_of({"base": 0, "new": 1}, "TER", up=False), **OPTIONS)
    [pair] = found.metrics["TER"].comparisons
    assert pair.difference > 0
    assert found.headline[0] == (
        f"new - base = {pair.difference:+.2f} TER: on these outputs, base is shown to be better (p < 0.001)."
    )
    against = compare(statistics_of({"base": 0, "new": 1}, "TER", up=False), "new", **OPTIONS)
    assert against.headline[0] == (
        f"base - new = {-pair.difference:+.2f} TER: on these outputs, base is shown to be better (p < 0.001)."
    )


@pytest.mark.parametrize("baseline", [None, "a"])
@pytest.mark.parametrize(("adjust", "p"), [("max-t", r"p \(max-T\) < 0\.001"), ("holm", r"p \(Holm\) = 0\.00\d")])
def test_three_systems_have_a_sentence_per_pair_with_the_adjusted_p(baseline, adjust, p):
    found = compare(statistics_of(spread("abc", 1)), baseline, adjust=adjust, **OPTIONS)
    pairs = [("c", "b")] * (baseline is None) + [("c", "a"), ("b", "a")]  # the best first, as in the tables
    for (a, b), sentence in zip(pairs, describe_findings(found), strict=True):
        assert re.fullmatch(
            rf"{a} - {b} = \+\d\.\d\d score: on these outputs, {a} is shown to be better \({p}\)\.", sentence
        )
    assert found.headline == [*describe_findings(found), say_no_documents(found), ONE_RUN]


def test_sentences_have_the_order_of_the_table():
    """Also where a difference that is not shown stands above one that is."""
    found = compare(statistics_of({"base": 0, "same": 0, "worse": -1}), "base", **OPTIONS)
    pairs = found.metrics["score"].comparisons_from_best
    assert [pair.verdict for pair in pairs] == ["not significant", "significant"]
    said = [sentence.partition(" = ")[0] for sentence in describe_findings(found)[:2]]
    assert said == [f"{pair.a} - {pair.b}" for pair in pairs] == ["same - base", "worse - base"]


def test_metrics_with_another_order_of_systems_are_of_the_same_pair():
    """X is of new - base, Y of base - new: one sentence, and the contradiction is seen."""
    x = statistics_of({"base": 0, "new": 1}, "X")
    y = statistics_of({"new": 0, "base": 1}, "Y", seed=2)
    found = compare([x, y], **OPTIONS)
    assert [(pair.a, pair.b) for metric in found.metrics.values() for pair in metric.comparisons] == [
        ("new", "base"),
        ("base", "new"),
    ]
    first, second = describe_findings(found)
    assert re.fullmatch(
        r"new - base = \+[\d.]+ X and -[\d.]+ Y: on these outputs, new is shown to be better by X \(p < 0\.001\); "
        r"base is shown to be better by Y \(p < 0\.001\)\.",
        first,
    )
    assert second == "On these outputs, X and Y contradict each other."  # the first has said how


def test_of_all_pairs_a_sentence_has_the_sign_of_the_table():
    """Pairs are of a later from an earlier system; the table has the better one first."""
    found = compare(statistics_of({"good": 2, "mid": 1, "poor": 0}), **OPTIONS)
    [metric] = found.metrics.values()
    assert all(pair.difference < 0 for pair in metric.comparisons)
    assert [re.match(r"\w+ - \w+ = \+", sentence)[0] for sentence in describe_findings(found)] == [
        "good - mid = +",
        "good - poor = +",
        "mid - poor = +",
    ]


def test_a_difference_that_is_not_shown_is_of_the_first_from_the_second_in_every_metric():
    x = statistics_of({"base": 0, "new": 0.05}, "X", noise=0.3)
    y = statistics_of({"new": 0.05, "base": 0}, "Y", noise=0.3)
    y = replace(y, values={name: x.values[name] for name in ("new", "base")})
    found = compare([x, y], **OPTIONS)
    differences = [metric.comparisons[0].difference for metric in found.metrics.values()]
    assert differences[0] == -differences[1] > 0.005
    shown = re.escape(f"{differences[0]:+.2f}")
    assert re.fullmatch(
        rf"new - base = {shown} X and {shown} Y: on these outputs, no difference is shown by X \(p = [\d.]+\) or Y "
        r"\(p = [\d.]+\)\.",
        found.headline[0],
    )


def test_metrics_may_have_different_systems():
    x = statistics_of({"a": 0, "b": 1}, "X")
    y = statistics_of({"b": 0, "c": 1, "d": 1.05}, "Y", seed=2)
    found = compare([x, y], **OPTIONS)
    assert found.headline[0] == (
        "Of 4 pairs compared on these outputs: by X, all are shown to differ; by Y, 2 are shown to differ and 1 is not "
        "shown to differ."
    )
    alone = compare([x, statistics_of({"b": 0}, "Y", seed=2)], **OPTIONS)
    [pair] = alone.metrics["X"].comparisons
    assert alone.headline[0] == (
        f"b - a = {pair.difference:+.2f} X: on these outputs, b is shown to be better (p < 0.001)."
    )


def test_one_system_is_said_to_be_alone():
    found = compare(statistics_of({"only": 0}), **OPTIONS)
    assert found.headline == ["There is one system, only, so there is nothing to compare it with."]


@pytest.mark.parametrize(
    ("method_verdict", "said"),
    [
        (
            "significant",
            "new is shown to be better for the method ({p}) and for these runs (p < 0.001)",
        ),
        (
            "not significant",
            "for the method, no difference is shown ({p}). For these runs, new is shown to be better (p < 0.001)",
        ),
    ],
)
def test_what_is_shown_for_the_method_is_said(method_verdict, said):
    run_spread = 0.1 if method_verdict == "significant" else 1.0
    statistics = statistics_of({"base": 0, "new": 1}, n_runs=3, run_spread=run_spread, seed=12)
    found = compare(statistics, **OPTIONS)
    [pair] = found.metrics["score"].comparisons
    assert (pair.verdict, pair.method_verdict) == ("significant", method_verdict)
    p = f"p = {pair.method_p_value:.4f}"
    assert found.headline[0] == f"new - base = {pair.difference:+.2f} score: {said.format(p=p)}."


def test_the_method_is_explained_where_it_is_first_mentioned():
    found = compare(statistics_of(spread("abc", 1), n_runs=3, run_spread=0.1), **OPTIONS)
    first, *others = describe_findings(found)
    assert "for the method (p (Holm) " in first
    assert len(others) == 2
    assert all("for the method (p (Holm) " in sentence for sentence in others)


def test_undecided_is_said_with_its_meaning():
    found = compare([statistics_of({"base": 0, "new": 1}, "X"), statistics_of({"base": 0, "new": 0}, "Y")], **OPTIONS)
    open_pair = {"verdict": "undecided", "conclusion": "undecided", "better": None, "p_adjusted": 0.049}
    found = judged(found, {("Y", "new", "base"): open_pair | {"difference": 0.123}})
    difference = found.metrics["X"].comparisons[0].difference
    shown = f"new - base = {difference:+.2f} X and +0.12 Y: on these outputs,"
    why = "because p = 0.049 is too close to 0.05 to decide with 1,000 trials"
    assert found.headline[0] == f"{shown} new is shown to be better by X (p < 0.001); undecided by Y, {why}."
    both = judged(found, {("X", "new", "base"): open_pair})
    assert both.headline[0] == f"{shown} undecided by X, {why}; undecided by Y, {why}."


def test_another_level_is_named():
    """Where something is called shown or not shown: readers take 5 % for granted."""
    found = compare(statistics_of({"base": 0, "new": 1}), level=0.99, rng=1)
    [metric] = found.metrics.values()
    [pair] = metric.comparisons
    assert found.headline[0] == (
        f"new - base = {pair.difference:+.2f} score, tested at 1 %: on these outputs, new is shown to be better "
        "(p < 0.0001)."
    )
    assert describe_pair(pair, metric) == (
        f"new - base = {pair.difference:+.2f} (99 % CI {pair.low:.2f} to {pair.high:.2f}), p < 0.0001: new is shown "
        "to be better on these outputs (at 1 %)"
    )
    [usual] = compare(statistics_of({"base": 0, "new": 1}), rng=1).metrics.values()
    assert describe_pair(usual.comparisons[0], usual).endswith("new is shown to be better on these outputs")
    many = compare(statistics_of(spread("abcd", 1)), level=0.9, rng=1)
    assert many.headline[0] == "Of 6 pairs compared on these outputs at 10 % by score, all are shown to differ."
    against = compare(statistics_of(spread("abcde", 1)), "a", level=0.9, rng=1)
    assert against.headline[0] == (
        "Of the 4 other systems, compared with a on these outputs at 10 % by score, all are shown to be better."
    )
    copies = statistics_of({"a": 0, "b": 0})
    copies.values["b"][:] = copies.values["a"]
    [metric] = compare(copies, level=0.9, rng=1).metrics.values()
    assert describe_pair(metric.comparisons[0], metric).endswith(": the scores are identical in every segment")


# ---- undecided altogether


@pytest.mark.parametrize(
    ("n_pairs", "said"),
    [
        (
            1,
            "s1 - s0 = {difference:+.2f} score: on these outputs, undecided, because p = {p:.3f} is too close to 0.05 "
            "to decide with 1,000 trials.",
        ),
        (
            2,
            "Both comparisons on these outputs are undecided, because p (max-T) is too close to 0.05 to decide with "
            "1,000 trials.",
        ),
        (
            3,
            "All 3 comparisons on these outputs are undecided, because p (max-T) is too close to 0.05 to decide with "
            "1,000 trials.",
        ),
    ],
)
def test_all_undecided_is_one_sentence(n_pairs, said):
    names = [f"s{number}" for number in range(n_pairs + 1)]
    found = compare(statistics_of(spread(names, 0)), "s0", **OPTIONS)
    open_pair = {"verdict": "undecided", "conclusion": "undecided", "better": None}
    found = judged(found, {("score", name, "s0"): open_pair for name in names[1:]})
    first = found.metrics["score"].comparisons[0]
    assert found.headline == [said.format(difference=first.difference, p=first.p_adjusted), NOTHING_CLAIMED]


# ---- more pairs: counts, and who is at the top


def test_many_pairs_are_counted_and_the_top_is_named():
    found = compare(statistics_of(spread("abcd", 1)), **OPTIONS)
    assert found.headline == [
        "Of 6 pairs compared on these outputs by score, all are shown to differ.",
        "By score, d is shown to be better than every other system on these outputs.",
        say_no_documents(found),
        ONE_RUN,
    ]


def test_of_many_comparisons_it_is_said_in_which_metrics_do_not_agree():
    """Length has no direction; where metrics contradict each other, that is said instead."""
    x, y = (statistics_of(spread("abcd", 1), name, seed=seed) for name, seed in (("X", 0), ("Y", 2)))
    length = statistics_of(spread("abcd", 1), "Length", up=None, seed=3)
    found = compare([x, y, length], **OPTIONS)
    assert "X and Y give the same verdict in all 6 comparisons." in found.headline
    not_shown = {"verdict": "not significant", "conclusion": "not shown", "better": None}
    differing = judged(found, {("Y", "b", "a"): not_shown})
    assert "X and Y give the same verdict in 5 of 6 comparisons, but not on b against a." in differing.headline
    open_pair = {"verdict": "undecided", "conclusion": "undecided", "better": None}
    undecided = judged(found, {("Y", "b", "a"): open_pair}).headline
    assert "X and Y give the same verdict in 5 of 6 comparisons, but not on b against a." in undecided
    names = [("b", "a"), ("c", "a"), ("c", "b"), ("d", "a"), ("d", "b")]
    hardly = judged(found, {("Y", *pair): not_shown for pair in names}).headline
    listed = "d against b, d against a, c against b and 2 more"
    assert f"X and Y give the same verdict in 1 of 6 comparisons, but not on {listed}." in hardly
    assert not any(" the same verdict in " in sentence for sentence in compare([x, length], **OPTIONS).headline)
    few = compare([statistics_of(spread("abc", 1), name, seed=seed) for name, seed in (("X", 0), ("Y", 2))], **OPTIONS)
    assert not any(" the same verdict in " in sentence for sentence in few.headline)
    against = compare([statistics_of(spread("abcde", 1), name, seed=seed) for name, seed in (("X", 0), ("Y", 2))], "a")
    against = judged(against, {("Y", "b", "a"): not_shown})
    assert "X and Y give the same verdict in 3 of 4 comparisons, but not on b." in against.headline


@pytest.mark.parametrize(("n_open", "named"), [(1, " (b - a)"), (2, " (c - a and b - a)"), (3, "")])
def test_up_to_two_undecided_pairs_are_named(n_open, named):
    found = compare(statistics_of(spread("abcd", 1)), **OPTIONS)
    open_pair = {"verdict": "undecided", "conclusion": "undecided", "better": None}
    pairs = [("b", "a"), ("c", "a"), ("d", "a")][:n_open]
    found = judged(found, {("score", *names): open_pair for names in pairs})
    assert found.headline[0].endswith(f" and {n_open} {'is' if n_open == 1 else 'are'} undecided{named}.")
    legend = " ".join(format_comparison(found).split())
    assert "systems that share a letter are undecided or not shown to differ." in legend


def test_systems_that_share_the_top_are_not_separable():
    means = {"a": 0, "b": 1, "c": 1, "d": 1}
    found = compare([statistics_of(means, "X", seed=5), statistics_of(means, "Y", up=False, seed=5)], rng=2)
    best, second, third, _ = (one.system for one in found.metrics["X"].ranking)
    counted = "3 are shown to differ and 3 are not shown to differ"
    assert found.headline == [
        f"Of 6 pairs compared on these outputs by X and Y, {counted}.",
        f"By X, {best}, {second} and {third} may be the best on these outputs; by Y, a is shown to be better than "
        "every other system on these outputs.",
        "On these outputs, metrics contradict each other on 3 pairs, among them b and a: by X b is better, by Y a is "
        "better.",
        say_no_documents(found),
        ONE_RUN,
    ]


def test_being_alone_at_the_top_is_not_being_better_than_all():
    """b beats a, c beats b, but c and a are not separated: verdicts need not be transitive."""
    found = compare(statistics_of(spread("abcd", 1)), **OPTIONS)
    metric = found.metrics["score"]
    places = {"d": (1, 2), "c": (2, 4), "b": (2, 4), "a": (2, 4)}
    ranking = tuple(
        replace(one, rank_low=places[one.system][0], rank_high=places[one.system][1]) for one in metric.ranking
    )
    found = replace(found, metrics={"score": replace(metric, ranking=ranking)})
    assert found.headline[1] == "By score, only d may be the best on these outputs."


def test_a_ranking_of_methods_is_said_to_be_one():
    found = compare(statistics_of(spread("abcd", 1), n_runs=4, run_spread=0.05), **OPTIONS)
    assert found.metrics["score"].ranking_of == "method"
    assert found.headline[:2] == [
        "Of 6 pairs compared for these runs by score, all are shown to differ (of these differences, 6 are also "
        "shown for the method).",
        "By score, d is shown to be better than every other system for the method.",
    ]


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")  # few units
def test_what_is_shown_for_the_method_alone_ranks_nobody():
    """Five segments cannot show a difference for these runs, so none is claimed for the method, whatever its p."""
    statistics = statistics_of(spread("abcd", 3), n_runs=3, n_segments=5, run_spread=0.01, noise=0.05)
    found = compare(statistics, interval="jackknife", rng=1)
    metric = found.metrics["score"]
    assert {(pair.verdict, pair.method_verdict) for pair in metric.comparisons} == {("not significant", "significant")}
    assert {pair.conclusion for pair in metric.comparisons} == {"not shown"}
    assert metric.ranking_of == "method"
    places = [(one.system, one.rank, one.rank_low, one.rank_high, one.group) for one in metric.ranking]
    assert places == [(name, rank, 1, 4, "a") for rank, name in enumerate("dcba", start=1)]
    assert found.headline == [
        "Of 6 pairs compared for these runs by score, none is shown to differ.",
        "By score, no system is shown to be better than another for the method.",
        "No difference could have been shown at 5 %: so few segments differ that p cannot be below 0.0625.",
        MAY_BE_NARROW,
    ]
    two = replace(statistics, values={name: statistics.values[name] for name in "ab"})
    found = compare(two, interval="jackknife", rng=1)
    [pair] = found.metrics["score"].comparisons
    assert found.headline[0] == (
        f"b - a = {pair.difference:+.2f} score: for the method, not shown (only "
        "alone): its own test shows a difference (p < 0.0001), but none is shown for these runs. For these runs, "
        "no difference is shown (p = 0.0625)."
    )


def test_nobody_may_be_at_the_top():
    """Verdicts may go round in a circle: nothing is said."""
    found = compare(statistics_of(spread("abcde", 1)), **OPTIONS)
    metric = found.metrics["score"]
    ranking = tuple(replace(one, rank_low=2, rank_high=5) for one in metric.ranking)
    nobody = replace(metric, ranking=ranking)
    found = replace(found, metrics={"score": nobody})
    [counted] = describe_findings(found)
    assert counted.startswith("Of ")
    both = replace(found, metrics={"score": nobody, "other": replace(metric, name="other")})
    assert both.headline[1].startswith("By other, ") and "score" not in both.headline[1]


def test_with_a_baseline_those_above_and_below_are_counted():
    means = {"base": 0, "a": 1, "b": -1, "c": -1.2, "d": 0.0, "copy": 0}
    statistics = statistics_of(means, noise=0.2)
    statistics.values["copy"][:] = statistics.values["base"]
    found = compare(statistics, "base", **OPTIONS)
    assert found.headline == [
        "Of the 5 other systems, compared with base on these outputs by score, 1 is shown to be better (a), 2 are "
        "shown to be worse, 1 is not shown to differ and 1 is identical in score in every segment.",
        say_no_documents(found),
        ONE_RUN,
    ]
    down = compare(statistics_of(means, "TER", up=False, noise=0.2), "base", **OPTIONS)
    assert describe_findings(down) == [
        "Of the 5 other systems, compared with base on these outputs by TER, 2 are shown to be better (c and b), 1 is "
        "shown to be worse and 2 are not shown to differ."
    ]
    neither = compare(statistics_of(means, "Length", up=None, noise=0.2), "base", **OPTIONS)
    assert neither.headline[0] == (
        "Of the 5 other systems, compared with base on these outputs by Length, 1 is shown to be longer (a), 2 are "
        "shown to be shorter and 2 are not shown to differ."
    )
    assert not any("rank" in sentence or "top" in sentence for sentence in neither.headline)


def test_of_many_names_at_the_top_the_rest_is_counted():
    names = [f"s{number:02}" for number in range(9)]
    found = compare(statistics_of(spread(names, 0) | {"worst": -5}), rng=1)
    order = [one.system for one in found.metrics["score"].ranking]
    listed = f"{', '.join(order[:5])} and 4 more"
    assert found.headline[1] == f"By score, {listed} may be the best on these outputs."


# ---- what goes against a simple reading


def contradicting(systems, wins):
    """Metrics of which each calls the named systems significantly better; all other pairs are not shown."""
    found = compare([statistics_of(spread(systems, 0), name) for name in wins], **OPTIONS)
    changes = {}
    for name, winners in wins.items():
        for pair in found.metrics[name].comparisons:
            winner = winners.get(frozenset((pair.a, pair.b)))
            if winner is None:
                changes[name, pair.a, pair.b] = {
                    "verdict": "not significant",
                    "better": None,
                    "conclusion": "not shown",
                }
            else:
                conclusion = "shown on these outputs; new runs unknown"
                changed = {"verdict": "significant", "better": winner, "conclusion": conclusion}
                changes[name, pair.a, pair.b] = changed | {"difference": 1.0 if winner == pair.a else -1.0}
    found = judged(found, changes)
    return [sentence for sentence in found.headline if "contradict" in sentence]


AB, AC, BC = (frozenset(pair) for pair in itertools.combinations("abc", 2))


def test_metrics_that_contradict_each_other_are_named_with_both_systems():
    assert contradicting("ab", {"X": {AB: "a"}, "Y": {AB: "b"}}) == ["On these outputs, X and Y contradict each other."]
    assert contradicting("abc", {"X": {AB: "a"}, "Y": {AB: "b"}}) == [
        "On these outputs, X and Y contradict each other on a and b: by X a is better, by Y b is better."
    ]
    [said] = contradicting("ab", {"X": {AB: "b"}, "Y": {AB: "a"}, "Z": {AB: "b"}})
    assert said == (
        "On these outputs, metrics contradict each other on b and a: by X and Z b is better, by Y a is better."
    )
    assert contradicting("ab", {"X": {AB: "b"}, "Y": {AB: "b"}}) == []
    assert contradicting("ab", {"X": {AB: "b"}, "Y": {}}) == []  # not shown is no contradiction
    assert contradicting("abc", {"X": {AB: "b"}, "Y": {AC: "c"}}) == []


def test_metrics_that_contradict_each_other_on_other_numbers_of_segments_say_so():
    """BLEU has a score of every segment, judgements only of some: the verdicts rest on different segments."""
    found = compare([statistics_of(spread("ab", 0), name) for name in "XYZ"], **OPTIONS)
    wins = {"X": ("a", 1557), "Y": ("b", 1), "Z": ("b", 1557)}
    changes = {
        (name, pair.a, pair.b): {
            "verdict": "significant",
            "better": winner,
            "conclusion": "shown on these outputs; new runs unknown",
            "difference": 1.0 if winner == pair.a else -1.0,
            "n_segments": n_segments,
        }
        for name, (winner, n_segments) in wins.items()
        for pair in found.metrics[name].comparisons
    }
    [said] = [sentence for sentence in judged(found, changes).headline if "contradict" in sentence]
    assert said == (
        "On these outputs, metrics contradict each other on a and b: by X (1,557 segments) a is better, by Y (1 "
        "segment) and Z (1,557 segments) b is better."
    )


def test_contradictions_on_several_pairs_are_counted_over_all_metrics():
    """X and Y contradict each other on one pair, X and Z on two: three pairs are not those of X and Y."""
    wins = {"X": {AB: "a", AC: "a", BC: "b"}, "Y": {AB: "b"}, "Z": {AC: "c", BC: "c"}}
    assert contradicting("abc", wins) == [
        "On these outputs, metrics contradict each other on 3 pairs, among them a and b: by X a is better, by Y b is "
        "better."
    ]


def few_segments(n_segments, systems="ab", **options):
    means = spread(systems, 10)
    return compare(statistics_of(means, n_segments=n_segments), interval="jackknife", rng=1, **options)


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")  # few units
@pytest.mark.parametrize(
    ("n_segments", "systems", "adjust", "said"),
    [
        (5, "ab", "max-t", "so few segments differ that p cannot be below 0.0625."),
        (5, "abc", "max-t", "so few segments differ that p cannot be below 0.0625."),
        (6, "abc", "holm", "so few segments differ that p cannot be below 0.0312 (before Holm's factor of 3)."),
        (1, "ab", "max-t", "so few segments differ that p cannot be below 1.0000."),
        (6, "ab", "max-t", None),  # 2^-5 = 0.031 can reject
        (6, "abc", "max-t", None),  # and that of the family, too
        (7, "abc", "holm", None),  # 3 * 2^-6 = 0.047
    ],
)
def test_where_no_outcome_could_have_been_significant_it_is_said(n_segments, systems, adjust, said):
    found = few_segments(n_segments, systems, adjust=adjust)
    sentences = [sentence for sentence in found.headline if "could have been shown" in sentence]
    assert sentences == ([] if said is None else [f"No difference could have been shown at 5 %: {said}"])
    if said is not None:
        assert {pair.verdict for pair in found.metrics["score"].comparisons} == {"not significant"}


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")  # few units, few trials
def test_what_could_not_be_significant_is_said_of_each_metric_and_for_want_of_trials():
    many = statistics_of({"a": 0, "b": 0}, "X")
    few = statistics_of({"a": 0, "b": 0}, "Y")
    few.values["b"][:, 3:] = few.values["a"][:, 3:]
    found = compare([many, few], interval="jackknife", rng=1)
    assert found.headline[1] == (
        "No difference could have been shown at 5 %: by Y so few segments differ that p cannot be below 0.2500."
    )
    assert not any("could have been shown" in sentence for sentence in compare(many, rng=1).headline)
    found = compare(many, n_trials=9, rng=1)
    assert found.headline[1] == (
        "No difference could have been shown at 5 %: 9 trials are too few, at least 72 are needed."
    )
    # 1 / 72 is below 5 %, but its simulation error reaches above it.
    assert compare(many, n_trials=71, rng=1).headline[1] == found.headline[1].replace("9 trials", "71 trials")
    assert not any("could have been shown" in sentence for sentence in compare(many, n_trials=72, rng=1).headline)
    copies = replace(many, values={"a": many.values["a"], "b": many.values["a"]})
    assert not any("could have been shown" in sentence for sentence in compare(copies, rng=1).headline)


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")  # few units
def test_no_more_than_five_findings_whatever_there_is_to_say(monkeypatch):
    """Three pairs, a contradiction, a metric that could show nothing, and advice would be six."""
    x, y, z = (
        statistics_of(spread("abc", step), name, seed=2, n_runs=2, run_spread=0.5)
        for name, step in (("X", 1), ("Y", -1), ("Z", 1))
    )
    for name in "bc":
        z.values[name][:, 3:] = z.values["a"][:, 3:]
    found = compare([x, y, z], interval="jackknife", rng=1)
    findings = describe_findings(found)
    assert len(findings) == 5
    assert findings[3:] == [
        "For these runs, metrics contradict each other on 3 pairs, among them b and a: by X b is better, by Y a is "
        "better.",
        "No difference could have been shown at 5 %: by Z so few segments differ that p cannot be below 0.2500.",
    ]
    monkeypatch.setattr("mtworkbench.words.headlines.MAX_SENTENCES", 9)
    assert len(describe_findings(found)) == 6


# ---- one piece of advice


def test_one_run_asks_for_more_and_copies_ask_for_nothing():
    one = statistics_of({"a": 0, "b": 1})
    assert compare(one, **OPTIONS).headline[-1] == ONE_RUN
    copies = replace(one, values={"a": one.values["a"], "b": one.values["a"]})
    assert len(compare(copies, **OPTIONS).headline) == 1
    several = statistics_of({"a": 0, "b": 1}, n_runs=3, run_spread=0.1)
    mixed = replace(several, values={"a": several.values["a"], "b": several.values["b"][:1]})
    of_b = "b has one run, so nothing is known about new training or tuning runs of it."
    assert compare(mixed, **OPTIONS).headline[-1] == of_b
    three = statistics_of({"a": 0, "b": 0.4, "c": 0.8}, n_runs=3, run_spread=0.5)
    short = replace(three, values=three.values | {"a": three.values["a"][:1]})
    headline = compare(short, **OPTIONS).headline
    assert of_b.replace("b has", "a has") in headline


def test_what_is_shown_for_the_method_needs_no_advice():
    found = compare(statistics_of({"a": 0, "b": 1}, n_runs=4, run_spread=0.02), **OPTIONS)
    assert found.metrics["score"].comparisons[0].conclusion == "shown for the method"
    assert len(describe_findings(found)) == 1


@pytest.mark.parametrize(
    ("spending", "said"),
    [
        ("units", "more segments help more than more runs."),
        ("runs", "more runs help more than more segments."),
        ("either", "more segments and more runs help alike."),
        ("neither", None),
    ],
)
def test_with_several_runs_advice_comes_from_the_variance_of_the_paired_difference(monkeypatch, spending, said):
    asked = []
    found = compare(statistics_of({"a": 0, "b": 0, "c": 0.05}, n_runs=3, run_spread=0.3), **OPTIONS)
    pairs = found.metrics["score"].comparisons

    def decide(variance):
        asked.append(variance)
        return spending

    for place in ("inference.more_runs", "words.headlines"):
        monkeypatch.setattr(f"mtworkbench.{place}.where_to_spend", decide, raising=False)
    pairs = found.metrics["score"].comparisons_from_best
    assert all(pair.method_verdict == "not significant" for pair in pairs)
    expected = [] if said is None else [f"For more precise differences for the method, {said}"]
    assert describe_findings(found)[len(pairs) :] == expected
    assert asked == [pair.method_variance for pair in pairs]


def test_advice_that_is_not_the_same_for_all_is_about_the_least_settled_difference(monkeypatch):
    found = compare(statistics_of({"a": 0, "b": 0, "c": 0.05}, n_runs=3, run_spread=0.3), **OPTIONS)
    pairs = found.metrics["score"].comparisons_from_best
    nearest = min(pairs, key=lambda pair: pair.method_p_adjusted)
    of_nearest = {True: "units", False: "runs"}
    monkeypatch.setattr(
        "mtworkbench.words.headlines.where_to_spend", lambda variance: of_nearest[variance == nearest.method_variance]
    )
    about = f"For a more precise difference {nearest.a} - {nearest.b} for the method"
    assert describe_findings(found)[len(pairs) :] == [f"{about}, more segments help more than more runs."]


@pytest.mark.parametrize("same", [True, False])
def test_advice_names_a_metric_only_where_it_is_not_that_of_all(monkeypatch, same):
    """That of one difference is said without its systems."""
    spreads = {"X": 0.3, "Y": 0.31}
    of_each = [statistics_of({"a": 0, "b": 0}, name, n_runs=3, run_spread=one) for name, one in spreads.items()]
    found = compare(of_each, **OPTIONS)
    first = found.metrics["X"].comparisons[0].method_variance
    monkeypatch.setattr(
        "mtworkbench.words.headlines.where_to_spend", lambda one: "runs" if same or one == first else "units"
    )
    open_one = {"method_p_value": 0.9, "method_p_adjusted": 0.9, "method_verdict": "not significant"}
    y = changed(found.metrics["Y"].comparisons[0], **open_one)
    found = replace(found, metrics={"X": found.metrics["X"], "Y": replace(found.metrics["Y"], comparisons=(y,))})
    of_runs, of_segments = "more runs help more than more segments.", "more segments help more than more runs."
    of_y = f"For a more precise difference b - a by Y for the method, {of_segments}"
    said = f"For more precise differences for the method, {of_runs}" if same else of_y
    assert describe_findings(found)[-1] == said
    alone = describe_findings(replace(found, metrics={"Y": found.metrics["Y"]}))[-1]
    assert alone == f"For a more precise difference for the method, {of_runs if same else of_segments}"


# ---- everywhere


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
@pytest.mark.parametrize("n_systems", [2, 3, 4, 6])
@pytest.mark.parametrize("n_runs", [1, 3])
@pytest.mark.parametrize("baseline", [None, "s0"])
@pytest.mark.parametrize("n_segments", [4, 150])
def test_a_headline_has_at_most_five_findings_then_assumptions_and_comes_first(n_systems, n_runs, baseline, n_segments):
    names = [f"s{number}" for number in range(n_systems)]
    options = {"n_runs": n_runs, "n_segments": n_segments, "run_spread": 0.1 * (n_runs > 1)}
    up, down = (statistics_of(spread(names, 0.5), name, up=name == "X", seed=7, **options) for name in "XY")
    none = statistics_of(spread(names, 0.5), "Length", up=None, seed=7, **options)
    found = compare([up, down, none], baseline, **OPTIONS)
    findings = describe_findings(found)
    assert 1 <= len(findings) <= 5
    assert found.headline == [*findings, *(one.say(advise=True) for one in found.concerns.after)]
    assert all(re.fullmatch(r"[A-Zs].*\.", sentence) for sentence in found.headline)
    assert not any(re.search(r"  |\bNone\b|nan|\de-\d", sentence) for sentence in found.headline)
    for format in ("text", "markdown", "latex"):
        written = format_comparison(found, format)
        briefly = describe_briefly(found, define=True)
        said = " ".join(findings if format == "latex" else briefly)
        if format == "latex":
            written = re.sub("^% ", "", written, flags=re.MULTILINE)
        written = " ".join(written.replace("\\", "").split())
        assert written.replace("&lt;", "<").startswith(said)
    assert (
        found._repr_html_()
        .replace("&lt;", "<")
        .startswith(f'<div class="mtw tex2jax_ignore mathjax_ignore"><p><b>{briefly[0]}</b></p>')
    )


HOSTILE = "<script>alert(1)</script>$x^2$"


def test_hostile_names_are_escaped_wherever_html_shows_them():
    """Names are data: neither markup nor, in a notebook, mathematics."""
    means = spread([HOSTILE, "b", "c", "d"], 1)
    for baseline, count in ((None, 4), (HOSTILE, 4), (None, 2)):
        names = list(means)[:count]
        found = compare(statistics_of({name: means[name] for name in names}, HOSTILE), baseline, **OPTIONS)
        assert any(HOSTILE in sentence for sentence in found.headline)
        [metric] = found.metrics.values()
        shown = [found, metric, *metric.systems, *metric.comparisons, *(metric.ranking or ())]
        for one in shown:
            html = one._repr_html_()
            assert "<script>" not in html
            assert html.startswith('<div class="mtw tex2jax_ignore mathjax_ignore">')
            assert html.endswith("</div>")
        assert "&lt;script&gt;alert(1)&lt;/script&gt;$x^2$" in found._repr_html_()


def test_html_has_the_details_that_a_paper_has_no_room_for():
    found = compare(statistics_of({"a": 0, "b": 0.05}), **OPTIONS)
    [pair] = found.metrics["score"].comparisons
    for html in (found._repr_html_(), found.metrics["score"]._repr_html_()):
        details = html.split("<details><summary>score: all columns</summary>")[1].split("</details>")[0]
        assert "MC 95 % CI of p" in details
        assert f"{pair.p_low:.3f} to {pair.p_high:.3f}" in details


def test_it_is_said_which_p_the_simulation_error_belongs_to():
    """Where another p stands beside it."""
    one, several = (compare(statistics_of(spread(names, 1)), **OPTIONS)._repr_html_() for names in ("ab", "abc"))
    contains = (
        "MC 95 % CI of p: p comes from random swaps; in 95 of 100 such draws, this contains the p that all possible "
        "swaps would give."
    )
    assert f"{contains} smallest possible p: " in one
    assert f"{contains} It is of p, not of p (max-T). smallest possible p: " in several


def test_the_text_of_a_figure_says_the_conclusion():
    found = compare(statistics_of({"a": 0, "b": 1}), **OPTIONS)
    a, b = found.metrics["score"].systems
    [pair] = found.metrics["score"].comparisons
    assert describe_comparison(found.metrics["score"]) == (
        f"score: a {a.score:.2f} (95 % CI {a.low:.2f} to {a.high:.2f}); b {b.score:.2f} (95 % CI {b.low:.2f} to "
        f"{b.high:.2f}); b - a = {pair.difference:+.2f} (95 % CI {pair.low:.2f} to {pair.high:.2f}), p < 0.001: b is "
        "shown to be better on these outputs. " + " ".join(one.say() for one in found.assumptions if one.matters)
    )
    three = compare(statistics_of(spread("abc", 0.001), n_runs=3, run_spread=0.3), **OPTIONS).metrics["score"]
    for pair in three.comparisons_from_best:
        said = re.search(rf"{pair.a} - {pair.b} = [^;]*; for the method [^;]*", describe_comparison(three))[0]
        assert "p (max-T) " in said and said.count("p (Holm) = ") == 1
    assert describe_comparison(three).endswith(".")
