"""The tables and the headline of a campaign: what is said, in which format, and that it follows from the figures."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import InputError
from mtworkbench.results.campaigns import CampaignComparison, CampaignPair, CampaignSystem, CampaignTestSet, SetEstimate
from mtworkbench.tables import describe_comparison, fitting, format_campaign, format_comparison, show_table
from mtworkbench.tables.fitting import break_headings, choose, shorten_headings
from mtworkbench.tables.formats import format_study
from mtworkbench.words.columns import METHOD, NEW_SETS, OUTPUTS, say_verdict
from mtworkbench.words.comparisons import build_comparison
from mtworkbench.words.frames import Cell, Name, shorten
from mtworkbench.words.headlines import describe_findings, title_result
from mtworkbench.words.metric_tables import tabulate_metric
from mtworkbench.words.studies import StudyTables

from .hand_made import GIVE_DOCUMENTS, ONE_RUN, changed
from .made_campaigns import make_campaign, make_metric, make_pair, make_set, make_settings

HOSTILE = "=x|y$z^2$_&%#{}\\~<b>\x1b[31m*`"
NAMES = ("base", "new", "third-system", "google", "microsoft")


def of_pairs(*differences, n_sets=14, error=0.1, higher_is_better=True, name="BLEU", baseline="base"):
    """A campaign against base with a list of differences per system."""
    letters = [f"sys{number}" for number in range(1, len(differences) + 1)]
    sets = {
        (system, "base"): [make_set(f"set{k}", system, "base", d, error) for k, d in enumerate(own)]
        for system, own in zip(letters, differences, strict=True)
    }
    metric = make_metric(name, sets, higher_is_better=higher_is_better, baseline=baseline)
    tests = tuple(CampaignTestSet(f"set{k}", 2000, None, "segment", 2000, 2000.0) for k in range(len(differences[0])))
    return CampaignComparison(make_settings(), baseline, tests, {name: metric})


# ---- the headline


def test_a_pair_shown_for_new_sets_has_its_difference_and_p():
    headline = of_pairs([1.0, 1.2, 0.9, 1.1, 1.3]).headline
    assert headline == [
        "sys1 - base = +1.10 BLEU, mean over 5 test sets: for new test sets like these, sys1 is shown to be better "
        "(p < 0.0001).",
        "On each of the 5 test sets, sys1 has the better score.",
        "The true difference varies from test set to test set, with an estimated standard deviation of 0.12 BLEU; on "
        "one new test set, a difference of +0.62 to +1.58 BLEU is expected (95 %).",
        "Documents are unknown: if sentences of one document are alike, p for these test sets is too small, and "
        f"their CIs are too narrow. {GIVE_DOCUMENTS}",
        ONE_RUN,
    ]


def test_claims_are_defined_where_they_are_first_mentioned():
    first = build_comparison(of_pairs([1.0, -0.2, 0.9]), "text").headline[0]
    assert first == (
        "sys1 - base = +0.57 BLEU, mean over 3 test sets: for these test sets (new sentences like theirs), "
        "sys1 is shown to be better (p = 0.0001), but this is not shown for new test sets (other sets like these)."
    )


def test_a_pair_shown_on_these_sets_only_says_so_and_that_sets_are_few():
    headline = of_pairs([1.0, -0.2, 0.9]).headline
    assert headline[0] == (
        "sys1 - base = +0.57 BLEU, mean over 3 test sets: for these test sets, sys1 is shown to be better "
        "(p = 0.0001), "
        "but this is not shown for new test sets."
    )
    assert headline[1] == "Test sets on which base has the better score: 1 of 3."
    few = "With only 3 test sets, only large differences can be shown for new ones. More test sets would show more."
    assert headline[-1] == few


def test_a_difference_that_is_the_same_on_every_set_was_not_tested_for_new_ones():
    found = of_pairs([1.0, 1.0, 1.001])
    [pair] = found.metrics["BLEU"].comparisons
    untested = changed(
        pair, conclusion="shown on these test sets only", new_sets_verdict=None, new_sets_p_value=None,
        new_sets_p_adjusted=None, new_sets_df=None, one_new_set_low=None, one_new_set_high=None,
    )  # fmt: skip
    metric = changed(found.metrics["BLEU"], comparisons=(untested,))
    headline = changed(found, metrics={"BLEU": metric}).headline
    why = "because the difference is the same on every set"
    assert headline[0].endswith(f", but for new test sets this was not tested, {why}.")
    assert not any("test sets, only large differences" in sentence for sentence in headline)
    assert not any("More test sets" in sentence for sentence in headline)
    assert "not tested" in format_campaign(changed(found, metrics={"BLEU": metric}))


def test_that_sets_are_few_is_said_of_three_pairs_too():
    found = of_pairs([1.0, 1.2, 0.9], [1.1, 1.2, 0.9], [1.0, -0.2, 0.9])
    assert len(describe_findings(found)) == 4
    few = "With only 3 test sets, only large differences can be shown for new ones. More test sets would show more."
    assert found.headline[-1] == few


def test_sets_that_do_not_differ_are_said_not_to():
    headline = of_pairs([1.0, 1.0, 1.01]).headline
    assert headline[2] == (
        "The differences vary from test set to test set no more than the choice of segments explains; on one new test "
        "set, a difference of +0.97 to +1.03 BLEU is expected (95 %)."
    )
    few = "The conclusions about new test sets rest on only 3 test sets. More test sets would show more."
    assert headline[-1] == few


def test_where_lower_is_better_the_lower_score_is_called_better():
    headline = of_pairs([-1.0, -1.2, 0.3, -1.1, -1.3, -1.2], higher_is_better=False, name="TER").headline
    assert headline[0].startswith("sys1 - base = -0.92 TER, ")
    assert headline[0].endswith(", sys1 is shown to be better (p = 0.0138).")
    assert headline[1] == "Test sets on which base has the better score: 1 of 6."


def test_the_worse_system_of_the_row_keeps_its_sign():
    headline = of_pairs([-1.0, -1.2, 0.3, -1.1, -1.3, -1.2]).headline
    assert headline[0].startswith("sys1 - base = -0.92 BLEU, ")
    assert headline[0].endswith(", base is shown to be better (p = 0.0138).")
    assert headline[1] == "Test sets on which sys1 has the better score: 1 of 6."


def tabulate_campaign(found, key, width=100):
    """Return the columns of all tables by their headings, as they are shown at a width."""
    tables = [choose(table, width) for table in tabulate_metric(found, key)]
    return {table.heading: table.columns for table in tables}


def test_what_is_not_shown_is_not_called_better():
    headline = of_pairs([0.1, -0.2, 0.15, -0.1], error=0.4).headline
    assert headline[0] == (
        "sys1 - base = -0.01 BLEU, mean over 4 test sets: for these test sets, no difference is shown (p = 0.9502), "
        "nor for new ones."
    )


def without(found, **p_values):
    """The campaign with these p for new sets without single sets."""
    metric = found.metrics["BLEU"]
    pairs = [
        replace(pair, sets=tuple(replace(one, new_sets_without_p_adjusted=p_values.get(one.test_set, 0.01))
                                 for one in pair.sets))
        for pair in metric.comparisons
    ]  # fmt: skip
    return replace(found, metrics={"BLEU": replace(metric, comparisons=tuple(pairs))})


def test_the_set_on_which_a_claim_depends_is_named():
    found = of_pairs([1.0, 1.2, 0.9, 1.1, 1.0])
    names = [one.name for one in found.test_sets]
    assert "Without" not in " ".join(without(found).headline)
    said = f"Without {names[2]}, the difference is not shown for new test sets (p = 0.0800)"
    assert f"{said}." in without(found, **{names[2]: 0.08}).headline
    assert f"{said}, nor without {names[0]}." in without(found, **{names[2]: 0.08, names[0]: 0.06}).headline
    three = {names[2]: 0.08, names[0]: 0.06, names[1]: 0.07}
    assert f"{said}, nor without either of 2 others." in without(found, **three).headline
    dependent = without(found, **{names[2]: 0.08})
    assert "verdict p (new), set left out" in " ".join(format_campaign(dependent).split())
    text = " ".join(format_campaign(dependent, all_columns=True).split())
    assert "p (new), set left out: p for new test sets if the set of this row is left out" in text
    not_shown = without(of_pairs([1.0, -1.2, 0.9, 1.1, 1.0]), **{names[2]: 0.08})
    assert "Without" not in " ".join(not_shown.headline)


def test_of_several_differences_those_are_counted_that_depend_on_a_set():
    found = of_pairs([1.0, 1.2, 0.9, 1.1, 1.0], [2.0, 2.2, 1.9, 2.1, 2.0])
    name = found.test_sets[1].name
    dependent = without(found, **{name: 0.2})
    [said] = [one for one in dependent.headline if "without" in one]
    assert said == (
        "Both differences shown for new test sets are no longer shown if one of the sets is left out: for "
        f"example, sys1 against base without {name} (p (Holm) = 0.2000)."
    )
    tables = {table.heading: table.columns for table in build_comparison(dependent).details[0].tables}
    columns = tables["p for new test sets when each set is left out in turn (Student's t of the other sets)"]
    assert columns["largest p without a set"] == ["0.2000"] * 2 and columns["without"] == [name] * 2


def test_the_spread_is_said_with_its_interval():
    found = of_pairs([1.0, 2.0, 0.4, 1.6, 0.1], error=0.2)
    [pair], metric = found.metrics["BLEU"].comparisons, found.metrics["BLEU"]
    for spread, said in (
        (0.41, "an estimated standard deviation of 0.41 BLEU (95 % CI 0.00 to 1.32); on one new test set"),
        (0.0, "but the true differences may still vary with a standard deviation of up to 1.32 BLEU (95 % CI); on one"),
    ):
        known = changed(pair, spread_between_sets=spread, spread_low=0.0, spread_high=1.32, spread_p_value=0.4)
        made = replace(found, metrics={"BLEU": replace(metric, comparisons=(known,))})
        assert said in " ".join(made.headline)
        assert f"{spread:.2f} [0.00, 1.32]" in format_campaign(made, width=160, all_columns=True)


@pytest.mark.parametrize(
    ("pairs", "spreads", "said"),
    [
        (("sys1 base", "sys2 base"), (0.41, 0.4149), "0.41 BLEU."),
        (("sys1 base", "sys2 base"), (0.41, 0.22), "0.41 BLEU for sys1 - base and 0.22 for sys2 - base."),
        (
            ("sys1 base", "sys2 base", "sys3 base"),
            (0.41, 0.22, 0.52),
            "0.22 BLEU for sys2 - base up to 0.52 for sys3 - base.",
        ),
        (
            ("sys1 base", "sys2 base", "sys1 sys2"),
            (0.41, 0.22, 0.52),
            "0.22 BLEU for sys2 - base up to 0.52 for sys1 - sys2.",
        ),
    ],
)
def test_spreads_of_several_pairs_say_whose_they_are(pairs, spreads, said):
    """So that two of them are not taken for the ends of an interval."""
    names = [tuple(pair.split()) for pair in pairs]
    differences = {pair: 3.0 - place for place, pair in enumerate(names)}
    sets = {
        pair: [make_set(f"set{k}", *pair, mean + one, 0.2) for k, one in enumerate((0.0, 1.0, -0.6, 0.6, -0.9))]
        for pair, mean in differences.items()
    }
    metric = make_metric("BLEU", sets, baseline=None if "sys1 sys2" in pairs else "base")
    known = tuple(changed(pair, spread_between_sets=one) for pair, one in zip(metric.comparisons, spreads, strict=True))
    found = replace(of_pairs([1.0, 1.2, 0.9, 1.1, 1.3]), metrics={"BLEU": replace(metric, comparisons=known)})
    [one] = [one for one in found.headline if "standard deviation" in one]
    assert one.endswith(f"varies from test set to test set, with an estimated standard deviation of {said}")


@pytest.mark.parametrize(("low", "p_value", "no_more"), [(0.0, 0.4, True), (0.1, 0.4, False), (0.0, 0.01, False)])
def test_sets_that_differ_are_not_said_to_differ_no_more_than_segments_explain(low, p_value, no_more):
    found = of_pairs([1.0, 2.0, 0.4, 1.6, 0.1], error=0.2)
    [pair], metric = found.metrics["BLEU"].comparisons, found.metrics["BLEU"]
    known = changed(pair, spread_between_sets=0.0, spread_low=low, spread_high=1.32, spread_p_value=p_value)
    said = " ".join(replace(found, metrics={"BLEU": replace(metric, comparisons=(known,))}).headline)
    assert ("no more than the choice of segments explains" in said) == no_more
    assert ("The true difference varies" in said) != no_more


def test_the_word_for_new_sets_is_that_of_their_verdict():
    found = of_pairs([1.0, 1.2, 0.9, 1.1])
    [pair], metric = found.metrics["BLEU"].comparisons, found.metrics["BLEU"]
    words = {"significant": "better", "not significant": "not shown", "undecided": "undecided", None: "not tested"}
    for verdict, word in words.items():
        assert say_verdict(metric, changed(pair, new_sets_verdict=verdict), NEW_SETS) == word
    assert say_verdict(metric, changed(pair, conclusion="copies"), NEW_SETS) == ""


def test_several_runs_are_asked_for_the_method():
    sets = {("new", "base"): [make_set(f"set{k}", "new", "base", d, 0.1) for k, d in enumerate((1.0, 1.2, 0.9))]}
    said, captions = {}, {}
    for p in (0.004, 0.3):
        verdict = "significant" if p < 0.05 else "not significant"
        method = {"method_p_value": p, "method_p_adjusted": p, "method_verdict": verdict, "method_df": 7.0}
        metric = changed(make_metric("BLEU", sets, **method), method_family_size=1)
        metric = changed(metric, systems=tuple(changed(one, runs=3) for one in metric.systems))
        found = of_pairs([1.0, 1.2, 0.9])
        found = changed(found, metrics={"BLEU": metric})
        said[p] = found.headline
        captions[p] = format_campaign(found, "markdown")
        first = build_comparison(found, "text").headline[0]
        assert "for the method (new training or tuning runs on these test sets), " in first
    ending = "for the method, {} (p = {})."
    assert said[0.004][0].endswith(ending.format("new is also shown to be better", "0.0040"))
    assert said[0.3][0].endswith(ending.format("no difference is shown", "0.3000"))
    assert not any("Give at least two." in one for one in (*said[0.004], *said[0.3]))
    # A table for a paper has no column of it, so its caption says it.
    claim = "For the method (new training or tuning runs on these test sets), {} (p = {})."
    assert claim.format("new is shown to be better", "0.0040") in captions[0.004]
    assert claim.format("no difference is shown", "0.3000") in captions[0.3]
    assert all("2 systems (means of 3 runs), mean over 3 test sets" in one for one in captions.values())


def test_many_pairs_are_counted():
    found = of_pairs([1.0, 1.2, 0.9], [-2.0, -2.1, -2.2], [0.05, -0.04, 0.01], [1.0, -0.2, 0.9], [3.0, 3.1, 3.0])
    assert found.headline[0] == (
        "Of the 5 other systems, compared with base on the mean of 3 test sets by BLEU, 2 are shown to be better for "
        "new test sets like these (sys5 and sys1), 1 is shown to be worse for new test sets like these, 1 is shown to "
        "be better for these test sets only (sys4) and 1 is not shown to differ."
    )
    # On how many sets each of them has the better score is in the tables.
    assert not any("better score" in one for one in found.headline)


@pytest.mark.parametrize("baseline", ["base", None])
@pytest.mark.parametrize(("n_sets", "n_systems"), [(2, 2), (5, 3), (14, 5), (50, 20)])
@pytest.mark.long
def test_a_headline_has_at_most_five_findings(n_sets, n_systems, baseline):
    names = ("base", *(f"sys{number}" for number in range(1, n_systems)))
    found = make_campaign(n_sets, names, ("BLEU", "chrF2", "TER"), baseline=baseline)
    findings = describe_findings(found)
    assert 2 <= len(findings) <= 5
    assert all(sentence.endswith(".") for sentence in found.headline)
    assert any("standard deviation" in sentence or "no more than the choice" in sentence for sentence in findings)
    assert (n_sets <= 4) == ("More test sets would show more." in found.headline[-1])


def test_all_pairs_name_the_system_that_none_is_shown_to_beat():
    found = make_campaign(14, NAMES, ("BLEU",), baseline=None, spread=0.01)
    metric = found.metrics["BLEU"]
    best, *rest = metric.ranking

    def with_best(**ranks):
        ranking = (changed(best, **ranks), *(changed(one, rank_low=2) for one in rest))
        return changed(found, metrics={"BLEU": changed(metric, ranking=ranking)})

    said = "By BLEU, microsoft is shown to be better than every other system"
    assert with_best(rank_high=1, new_sets_rank_high=1).headline[1] == f"{said} for new test sets like these."
    # One difference of the best system that is shown on these test sets only: no more is claimed.
    assert with_best(rank_high=1, new_sets_rank_high=2).headline[1] == f"{said} for these test sets."
    assert with_best(rank_high=2, new_sets_rank_high=2).headline[1] == (
        "By BLEU, only microsoft may be the best for these test sets."
    )


def test_a_set_with_equal_scores_goes_neither_way():
    tied = of_pairs([1.0, 1.2, 0.9, 0.0, 1.3]).headline
    assert tied[1] == ("Test sets on which base has the better score: 0 of 5; on which both have the same score: 1.")
    both = of_pairs([1.0, -0.1, 0.9, 0.0, 1.3]).headline
    assert both[1] == ("Test sets on which base has the better score: 1 of 5; on which both have the same score: 1.")
    several = of_pairs(*[[1.0, 1.2, 0.9]] * 4, [1.0, 0.0, 0.9]).headline
    assert not any("better score" in one for one in several)
    never = of_pairs(*[[1.0, 1.2, 0.9]] * 5).headline
    assert never[1] == "On each of the 3 test sets, the system with the better mean has the better score."


def copies(found, key, *places):
    """Make the scores of these comparisons the same in every segment."""
    metric = found.metrics[key]
    pairs = list(metric.comparisons)
    for place in places:
        pairs[place] = changed(
            pairs[place], difference=0.0, conclusion="copies", verdict="not significant", better=None,
            spread_between_sets=0.0, n_sets_a_better=0, n_sets_b_better=0,
        )  # fmt: skip
    return changed(found, metrics={key: changed(metric, comparisons=tuple(pairs))})


def test_of_copies_nothing_more_is_said():
    assert copies(of_pairs([1.0, 1.2, 0.9]), "BLEU", 0).headline == [
        "sys1 against base, mean over 3 test sets: by BLEU, they are copies of each other, with the same statistics in "
        "every segment."
    ]
    some = of_pairs([1.0, 1.4, 0.9], [1.0, 1.4, 0.9])
    spread = [one.partition(" BLEU")[0] for one in some.headline if "standard deviation" in one]
    assert [one.partition(" BLEU")[0] for one in copies(some, "BLEU", 0).headline if "deviation" in one] == spread
    assert not re.search(r"\d to \d", spread[0])
    three = copies(make_campaign(3, NAMES[:3], baseline=None), "BLEU", 0, 1, 2)
    assert title_result(three.metrics) == "BLEU: all 3 pairs have the same scores in every segment."


def test_where_nothing_is_shown_none_is():
    found = of_pairs(*[[0.01, -0.02, 0.02]] * 4)
    assert found.headline[0].endswith("by BLEU, none is shown to differ.")


def test_a_difference_expected_on_one_new_set_says_which_score_is_subtracted_where_the_row_is_worse():
    [said] = [one for one in of_pairs([-1.0, -1.2, -0.9, -1.1]).headline if "one new test set" in one]
    assert "on one new test set, a difference of sys1 - base = -" in said


def test_the_finding_of_a_figure():
    assert title_result(of_pairs([1.0, 1.2, 0.9, 1.1, 1.3]).metrics) == (
        "BLEU: sys1 is shown to be better than base for new test sets like these."
    )
    some = of_pairs([1.0, 1.2, 0.9], [-2.0, -2.1, -2.2], [0.05, -0.04, 0.01], [1.0, -0.2, 0.9])
    assert title_result(some.metrics) == (
        "BLEU: for new test sets like these, sys1 is shown to be better than base and sys2 is shown to be worse; 1 "
        "more is shown to differ for these test sets only."
    )
    sets = {
        pair: [make_set(f"set{k}", *pair, 0.01 * k, 0.4) for k in range(3)]
        for pair in (("b", "a"), ("c", "a"), ("c", "b"))
    }
    none = {"BLEU": changed(make_metric("BLEU", sets), ranking=None)}
    assert title_result(none) == "BLEU: none of 3 pairs is shown to differ for these test sets."
    shown = {"BLEU": make_campaign(14, NAMES[:3], baseline=None, spread=0.01).metrics["BLEU"]}
    assert title_result(shown) == "BLEU: all 3 pairs are shown to differ for new test sets like these."


@pytest.mark.parametrize("baseline", ["base", None])
def test_the_finding_of_a_figure_counts_what_is_undecided(baseline):
    found = make_campaign(5, NAMES, baseline=baseline, spread=2.0)
    metric = found.metrics["BLEU"]
    open_ones = [changed(one, conclusion="not shown", verdict="not significant") for one in metric.comparisons]
    undecided = [changed(one, conclusion="undecided", verdict="undecided") for one in open_ones]
    said = "none of 4 systems is shown to differ from base" if baseline else "none of 10 pairs is shown to differ"
    some = {"BLEU": changed(metric, comparisons=(*undecided[:2], *open_ones[2:]), ranking=None)}
    assert title_result(some) == f"BLEU: {said} for these test sets; 2 are undecided."
    every = {"BLEU": changed(metric, comparisons=tuple(undecided))}
    n_pairs = len(undecided)
    assert title_result(every) == (f"BLEU: all {n_pairs} comparisons are undecided.")


# ---- tables


def test_json_has_exactly_the_keys_of_the_records():
    found = json.loads(format_campaign(make_campaign(3, NAMES[:3], ("BLEU", "TER")), "json"))
    assert found["schema"] == 1
    assert [list(one) for one in found["test_sets"]] == [list(CampaignTestSet.keys())] * 3
    assert list(found["metrics"]) == ["BLEU", "TER"]
    metric = found["metrics"]["TER"]
    assert metric["higher_is_better"] is False
    assert [list(one) for one in metric["comparisons"]] == [
        [*CampaignPair.keys(), "tolerated_design_effect", "method_tolerated_design_effect", "sets"]
    ] * 2
    assert [list(one) for one in metric["comparisons"][0]["sets"]] == [list(SetEstimate.keys())] * 3
    assert [list(one) for one in metric["systems"]] == [list(CampaignSystem.keys())] * 3
    assert list(metric["systems"][0]["scores"]) == ["wmt08", "wmt09", "wmt10"]
    assert list(metric["signatures"]) == ["wmt08", "wmt09", "wmt10"]


def tables_of(text):
    """The lines of the tables of a text, without sentences and signatures."""
    return [line for line in text.splitlines() if "  " in line]


@pytest.mark.parametrize("width", [72, 80, 100, 160])
@pytest.mark.parametrize("baseline", ["base", None])
@pytest.mark.parametrize(("n_sets", "n_systems"), [(2, 2), (14, 5), (14, 12), (50, 20)])
@pytest.mark.long
def test_text_keeps_to_the_width(width, baseline, n_sets, n_systems):
    names = ("base", *(f"a-system-with-a-long-name-{number}" for number in range(1, n_systems)))
    for details in (False, True):
        text = format_campaign(make_campaign(n_sets, names, baseline=baseline), width=width, all_columns=details)
        too_wide = [line for line in tables_of(text) if len(line) > width]
        assert tables_of(text) and too_wide == []


def test_of_one_pair_each_set_has_its_numbers():
    found = make_campaign(3, NAMES[:2])
    columns = tabulate_campaign(found, "BLEU")["new against base, test set by test set"]
    assert list(columns) == ["test set", "segments", "diff.", "95 % CI", "p (Holm)", "verdict"]
    [pair] = found.metrics["BLEU"].comparisons
    assert [float(cell) for cell in columns["diff."]] == [round(one.difference, 2) for one in pair.sets]
    shown = [one.verdict == "significant" for one in pair.sets]
    assert [cell != "not shown" for cell in columns["verdict"]] == shown


def test_of_several_systems_each_set_has_marked_differences():
    found = make_campaign(14, NAMES)
    columns = tabulate_campaign(found, "BLEU")["Score of base, and differences from it, test set by test set"]
    assert list(columns) == ["test set", "segments", "baseline score", "microsoft", "google", "third-system", "new"]
    for pair in found.metrics["BLEU"].comparisons:
        cells = columns[pair.a]
        assert [float(cell.rstrip("* ")) for cell in cells] == [round(one.difference, 2) for one in pair.sets]
        assert [cell.endswith("*") for cell in cells] == [one.verdict == "significant" for one in pair.sets]


def test_of_all_pairs_each_set_has_the_scores():
    found = make_campaign(3, NAMES, baseline=None)
    columns = tabulate_campaign(found, "BLEU")["Scores, test set by test set"]
    by_name = {one.system: one for one in found.metrics["BLEU"].systems}
    assert set(columns) == {"test set", "segments", *NAMES}
    for name in NAMES:
        assert [float(cell) for cell in columns[name]] == [round(one, 2) for one in by_name[name].scores.values()]


def test_of_very_many_systems_what_is_shown_is_counted():
    names = ("base", *(f"sys{number}" for number in range(1, 20)))
    found = make_campaign(14, names, ("TER",))
    columns = tabulate_campaign(found, "TER")["What is shown, test set by test set"]
    metric = found.metrics["TER"]
    for place, one in enumerate(columns["test set"]):
        shown = [p.sets[place] for p in metric.comparisons if p.sets[place].verdict == "significant"]
        assert columns["better"][place] == str(sum(row.better == row.a for row in shown))
        assert columns["worse"][place] == str(sum(row.better == "base" for row in shown))
        scores = {system.system: system.scores[one] for system in metric.systems}
        assert columns["best"][place] == min(scores, key=scores.__getitem__)
    wide = tabulate_campaign(found, "TER", width=300)
    assert "Score of base, and differences from it, test set by test set" in wide


def test_systems_are_told_from_other_columns_of_the_same_name():
    """Their numbers took the place of the names and sizes of the test sets."""
    names = ("old", "baseline", "segments", "test set", "system", "p")
    found = make_campaign(2, names, baseline="old")
    columns = tabulate_campaign(found, "BLEU")["Score of old, and differences from it, test set by test set"]
    of_all_pairs = tabulate_campaign(make_campaign(2, names, baseline=None), "BLEU")["Scores, test set by test set"]
    fixed = ["test set", "segments", "baseline score"]
    assert list(columns) == fixed + ["p", "system", "test set (system)", "segments (system)", "baseline"]
    assert columns["test set"] == ["wmt08", "wmt09"] and columns["segments"] == ["500", "637"]
    assert columns["baseline score"] == of_all_pairs["old"]
    heads, row = table_of_sets(found, 200)
    assert re.split("  +", heads[0]) == list(columns) and len(row.split()) == len(columns)
    heads, row = table_of_sets(found, 80)
    assert len(heads) == 2 and max(map(len, [*heads, row])) <= 80 and len(row.split()) == len(columns)
    assert [*of_all_pairs][2:] == ["p", "system", "test set (system)", "segments (system)", "baseline", "old"]


def table_of_sets(found, width):
    """The lines of the table with one row per set, as text: those above the rows, and the first row."""
    table = re.split(r"test set by test set(?:\s\([^)]*\))?:\n", format_campaign(found, width=width))[1]
    lines = table.partition("\n\n")[0].splitlines()
    n_heads = 1 + next(place for place, line in enumerate(lines) if line.startswith("test set"))
    return lines[:n_heads], lines[n_heads]


OF_FOUR = ("base", "large-model-with-memory", "large-model-without", "x")


@pytest.mark.parametrize("baseline", ["base", None])
def test_names_of_systems_are_whole_test_set_by_test_set(baseline):
    """They were shortened to equal lengths, although short names left room: now they stand in lines."""
    found = make_campaign(3, OF_FOUR, baseline=baseline)
    shown = [name for name in OF_FOUR if name != baseline]
    heads, row = table_of_sets(found, 100)
    assert len(heads) == 1 and all(f"  {name}" in heads[0] for name in shown)
    for width in (72, 64):
        heads, row = table_of_sets(found, width)
        assert len(heads) > 1 and max(map(len, [*heads, row])) <= width
        # Each column is as wide as its lines and its cells: cut at its right end, they make up the name.
        ends = [match.end() for match in re.finditer(r"\S+", heads[-1])]
        columns = zip([0, *ends], ends, strict=False)
        whole = ["".join(head[begin:end].strip() for head in heads) for begin, end in columns]
        assert set(shown) <= set(whole)
    assert "…" not in "".join(heads)


def test_papers_and_html_have_whole_names_where_there_is_room():
    found = make_campaign(3, OF_FOUR)
    for written in (format_campaign(found, "latex"), format_campaign(found, "markdown"), found._repr_html_()):
        assert written.count("large-model-with-memory") > 2
        assert "…" not in written and "\\ldots" not in written


def headed(*names):
    """Columns of a table whose headings name systems."""
    return {"test set": ["a"], "n": [Cell(1)], **{Name(name): [Cell(1)] for name in names}}


def test_headings_are_broken_after_words_and_within_long_ones_alone():
    names = ["one-two_three four", "incomprehensibility"]
    columns = headed(*names)
    assert break_headings(columns, 60) == {name: [name] for name in names}
    assert break_headings(columns, 35) == {names[0]: ["one-two_", "three four"], names[1]: ["incomprehe", "nsibility"]}
    assert break_headings(headed(), 10) == {}
    assert break_headings(headed("of(these)"), 20) == {"of(these)": ["of", "(these)"]}
    twins = [f"{'very-' * 20}long-{n}" for n in range(2)]
    lines = break_headings(headed(*twins), 30)
    assert len({"".join(of) for of in lines.values()}) == 2
    assert max(map(len, lines.values())) <= 6


def test_headings_have_the_width_of_what_is_shown(monkeypatch):
    """An escape is longer than the character that it stands for, and no line is wider than the table."""
    assert break_headings(headed("a\x1b[2Jb"), 60) == {"a\x1b[2Jb": ["a\\x1b[2Jb"]}
    tried = []
    monkeypatch.setattr(fitting, "shorten", lambda names, width: tried.append(width) or shorten(names, width))
    break_headings(headed("long-" * 1000), 50)
    assert max(tried) == 50 * fitting.MOST_LINES


def test_headings_are_shortened_as_far_as_the_table_needs_it():
    names = ["one-two_three four", "incomprehensibility"]
    columns = headed(*names)
    assert shorten_headings(headed(), 10) == headed()
    assert list(shorten_headings(columns, 100)) == list(columns)
    short = list(shorten_headings(columns, 40))
    assert short[:2] == ["test set", "n"] and all("…" in name for name in short[2:])


def test_very_many_pairs_have_one_short_table():
    names = ("base", *(f"sys{number}" for number in range(1, 20)))
    tables = tabulate_campaign(make_campaign(2, names, baseline=None), "BLEU")
    columns = tables["Differences of all pairs, mean over 2 test sets"]
    assert len(columns["system"]) == 190
    assert list(columns)[3:] == ["p (these)", "p (new)", "verdict (these)", "verdict (new)"]


def test_ranks_of_all_pairs_are_those_of_verdicts_and_say_so():
    found = make_campaign(3, NAMES, baseline=None)
    columns = tabulate_campaign(found, "BLEU")["Systems, mean over test sets"]
    assert list(columns)[1:] == ["BLEU", "95 % CI", "ranks", "ranks (new sets)", "group", "group (new sets)"]
    assert columns["ranks"] == ["1-2", "2-3", "3-4", "4-5", "5"]
    assert columns["ranks (new sets)"] == ["1-5", "1-5", "2-5", "3-5", "4-5"]
    assert (columns["group"], columns["group (new sets)"]) == (["a"] * 5, ["b"] * 5)
    said = " ".join(format_campaign(found).split())
    assert "system BLEU 95 % CI ranks ranks (new sets) group microsoft" in said
    ranks = "Ranks are those still possible, given what is shown for these test sets (new sets: for new ones); systems"
    assert ranks in said
    said = " ".join(format_campaign(found, all_columns=True).split())
    assert said.count(ranks) == 1
    for format in ("latex", "markdown"):
        paper = format_campaign(found, format).replace("~", " ")
        assert "with the ranks that remain possible, given which systems are shown to be better or worse on" in paper
        assert re.search(r"ranks (&|\|) ranks \(new sets\) (&|\|) group (&|\|) group \(new sets\)", paper)


def test_with_a_baseline_each_difference_has_a_row_per_claim_and_no_system_a_rank():
    found = make_campaign(3, NAMES)
    assert list(tabulate_campaign(found, "BLEU")["Systems, mean over test sets"]) == ["system", "BLEU", "95 % CI"]
    _, differences, _ = build_comparison(found).sections[0].tables
    columns = differences.columns
    assert columns["system"] == [name for name in ("microsoft", "google", "third-system", "new") for name in (name, "")]
    assert columns["claim"] == ["for new test sets", "for these test sets"] * 4
    assert columns["verdict"] == ["not shown", "better"] * 4
    [*pairs] = found.metrics["BLEU"].comparisons_from_best
    assert columns["p (Holm)"][1::2] == [f"{pair.p_adjusted:.4f}" for pair in pairs]
    assert columns["p (Holm)"][::2] == [f"{pair.new_sets_p_adjusted:.4f}" for pair in pairs]
    said = " ".join(format_campaign(found, all_columns=True).split())
    assert said.count("Only differences from base are tested.") == 1
    assert "group" not in said and "ranks" not in said


def test_several_sets_are_shown_one_by_one_by_the_first_metric():
    """The details have them by the others."""
    found = make_campaign(3, NAMES, ("BLEU", "TER"))
    text = format_campaign(found)
    heading = "Score of base, and differences from it, test set by test set"
    marks = "* shown on this set, adjusted for all 12 differences"
    assert f"{heading}, by BLEU ({marks}):" in " ".join(text.split()) and text.count("test set by test set") == 1
    details = format_campaign(found, all_columns=True).partition("BLEU: all columns")[2]
    of_bleu, _, of_ter = details.partition("TER: all columns")
    assert heading not in of_bleu and f"{heading}:\n" in of_ter
    unmarked = make_campaign(3, NAMES, baseline=None)
    assert "test set by test set:\n" in format_campaign(unmarked) and "*" not in format_campaign(unmarked)


@pytest.mark.parametrize("format", ["text", "markdown", "latex"])
@pytest.mark.parametrize("all_columns", [False, True])
def test_no_p_is_zero_and_no_cell_is_nan(format, all_columns):
    written = format_campaign(make_campaign(14, NAMES, ("BLEU", "TER")), format, all_columns=all_columns)
    assert not re.search(r"\b(nan|None|inf)\b|(?<![\d.])0\.0+(?= )(?! BLEU| TER).*p", written)
    assert "<0.0001" in written or "$<$0.0001" in written


def test_latex_marks_what_is_shown():
    written = format_campaign(of_pairs([1.0, 1.2, 0.9], [1.0, -0.2, 0.9], [0.05, -0.04, 0.01]), "latex")
    rows = {line.split(" & ")[0]: line for line in written.splitlines() if line.startswith("sys")}
    assert r"\ddagger" in rows["sys1"]
    assert r"\dagger" in rows["sys2"] and r"\ddagger" not in rows["sys2"]
    assert "dagger" not in rows["sys3"]
    assert "no mark: difference not shown, which does not mean equal" in written
    # p on these sets is not in the table: 0.05 there must not be read of the p that is.
    assert "Shown for these test sets: p (Holm) on them, which is not in this table, is at most 0.05" in written
    assert written.count(r"\begin{table}") + written.count(r"\begin{table*}") == 2


def test_of_all_pairs_no_marks_are_explained_because_there_are_none():
    written = " ".join(format_campaign(make_campaign(3, NAMES, baseline=None), all_columns=True).split())
    assert "marked *" not in written
    assert "Where pairs are counted test set by test set, p is adjusted for 30 comparisons (Holm)." in written
    assert "marked *" in " ".join(format_campaign(make_campaign(3, NAMES), all_columns=True).split())


def test_systems_with_the_same_score_are_both_best():
    found = make_campaign(2, tuple(f"sys{number}" for number in range(20)), baseline=None)
    metric = found.metrics["BLEU"]
    first, second, third, *others = metric.systems
    two = [changed(one, scores=one.scores | {"wmt08": 99.0}) for one in (first, second)]
    three = [changed(one, scores=one.scores | {"wmt09": 99.0}) for one in (*two, third)]
    found = changed(found, metrics={"BLEU": changed(metric, systems=(*three, *others))})
    columns = tabulate_campaign(found, "BLEU")["What is shown, test set by test set"]
    assert columns["best"] == [f"{first.system} and {second.system}", "3 systems"]


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "csv", "json"])
def test_names_steer_nothing(format):
    names = ["base", HOSTILE]
    written = format_campaign(make_campaign(2, names, names=["one", f"two{HOSTILE}"]), format)
    assert "\x1b" not in written
    if format == "latex":
        assert "y$z" not in "".join(line for line in written.splitlines() if not line.startswith("%"))
    if format == "markdown":
        assert "<b>" not in written
    if format == "csv":
        assert "'=x" in written


def test_html_escapes_names_and_folds_the_columns_of_each_metric():
    written = make_campaign(14, (*NAMES[:4], HOSTILE), ("BLEU", "chrF2", "TER"))._repr_html_()
    assert "<b>[31m" not in written and "<b>\\x1b" not in written
    assert "&lt;b&gt;" in written
    assert re.findall(r"<summary>(.*?)</summary>", written) == [
        *(f"{name}: all columns" for name in ("BLEU", "chrF2", "TER")),
        "What the columns mean",
        "How to reproduce the numbers",
    ]
    first, *of_each = written.split("all columns</summary>")
    # Systems in twos, differences, and sets by the first metric; then of each metric what is not shown before.
    assert [one.count("<table") for one in (first, *of_each)] == [4, 3, 4, 4]


def test_html_of_many_pairs_folds_them():
    written = make_campaign(3, tuple(f"sys{number}" for number in range(8)), baseline=None)._repr_html_()
    first, details = written.split("all columns</summary>")
    assert "Differences of all pairs" not in first and details.count('aria-label="Differences of all pairs') == 4


def test_signatures_of_different_sets_are_written_apart():
    found = make_campaign(3, NAMES[:2])
    metric = found.metrics["BLEU"]
    metric.signatures["wmt09"] = "nrefs:2|tok:zh"
    lines = format_campaign(found).split("\n\n")[-1]
    assert "Signature of BLEU on wmt08 and wmt10: nrefs:1|tok:13a" in lines
    assert "Signature of BLEU on wmt09: nrefs:2|tok:zh" in lines


def test_the_test_is_called_exact_only_where_it_is_for_every_metric():
    found = make_campaign(3, NAMES, ("BLEU", "TER"))

    def with_exact(names):
        metrics = {
            name: changed(
                metric, comparisons=tuple(changed(p, p_low=p.p_value, p_high=p.p_value) for p in metric.comparisons)
            )
            if name in names
            else metric
            for name, metric in found.metrics.items()
        }
        return " ".join(format_campaign(changed(found, metrics=metrics), all_columns=True).split())

    assert "p: two-sided exact randomization test by segment, within each test set (all exchanges)." in with_exact(
        ("BLEU", "TER")
    )
    for names in (("BLEU",), ("TER",)):
        said = "10,000 trials, or all exchanges where outputs differ in few units)."
        assert f"approximate randomization test by segment, within each test set ({said}" in with_exact(names)
    assert "test by segment, within each test set (10,000 trials)." in with_exact(())


def test_the_words_for_each_question():
    found = make_campaign(5, NAMES)
    metric = found.metrics["BLEU"]
    figures = {"p_value": 0.04, "p_adjusted": 0.08, "new_sets_p_value": 0.03}
    figures |= {"method_p_value": 0.02, "method_verdict": "not significant", "new_sets_verdict": "not significant"}
    for verdict, conclusion, said in (
        ("not significant", "not shown", "not shown"),
        ("significant", "shown on these test sets only", "better"),
        ("undecided", "undecided", "undecided"),
    ):
        one = changed(metric.comparisons[0], **figures, verdict=verdict, conclusion=conclusion)
        words = tuple(say_verdict(metric, one, question) for question in (OUTPUTS, NEW_SETS, METHOD))
        assert words == (said, "not shown", "not shown")


def test_exact_meteor_is_called_so():
    found = make_campaign(2, NAMES[:2], ("METEOR",))
    for name in found.metrics["METEOR"].signatures:
        found.metrics["METEOR"].signatures[name] = "nrefs:1|mod:exact"
    assert "METEOR (exact), higher is better" in format_campaign(found)
    assert " METEOR (exact), mean over 2 test sets: " in found.headline[0]
    assert list(json.loads(format_campaign(found, "json"))["metrics"]) == ["METEOR"]


def test_other_things_are_refused():
    with pytest.raises(InputError) as refused:
        format_campaign("campaign")
    assert str(refused.value) == (
        "An object of type str was given, but a whole comparison was expected: pass what compare() returned."
    )
    assert format_comparison(make_campaign(2)) == format_campaign(make_campaign(2))


def test_a_pair_can_be_turned_in_the_tables():
    pair = make_pair([make_set("one", "a", "b", 1.0, 0.1), make_set("two", "a", "b", 2.0, 0.1)])
    turned = pair.turned()
    assert (turned.difference, turned.new_sets_low) == (-1.5, -pair.new_sets_high)


def test_only_a_comparison_can_be_described():
    with pytest.raises(InputError, match="An object of type int was given, but a comparison was expected"):
        describe_comparison(3)


def test_it_is_said_that_p_is_not_adjusted_for_the_number_of_metrics():
    said = "No p is adjusted for the number of metrics (2)."
    systems = ["base", "new", "third"]
    text = " ".join(format_campaign(make_campaign(4, systems, ["BLEU", "TER"]), all_columns=True).split())
    assert said in text and "p adjusted for 2 comparisons by Holm's method." in text
    alone = " ".join(format_campaign(make_campaign(4, systems), all_columns=True).split())
    assert said not in alone and "p adjusted for 2 comparisons by Holm's method. " in alone


def test_columns_of_a_study_without_a_number_are_left_out():
    counted = pd.DataFrame({"bin": ["100%", "99%"], "correct_percent": [90.0, 80.0]}).assign(low=np.nan, high=np.nan)
    text = format_study([StudyTables("BLEU", {"Table 4": counted}, counted, 1)])
    assert "right (%)" in text and "95 % CI" not in text
    text = format_study([StudyTables("BLEU", {"Table 4": counted.fillna(1.0)}, counted, 1)])
    assert "95 % CI" in text and "[1.0, 1.0]" in text


def test_columns_of_a_study_are_called_as_in_notebooks():
    counted = pd.DataFrame({"a": ["x", "y"], "b": ["y", "z"], "size": [5, 10], "wrong_percent": [1.0, 2.0]})
    assert repr(show_table(counted[["a", "b"]])).split()[:2] == ["system", "against"]
    lines = format_study([StudyTables(None, {"Counts": counted}, counted, 1)]).splitlines()
    assert lines[:2] == ["Counts.", "system  against  segments  wrong (%)"]


def test_two_systems_over_sets_have_a_baseline_only_where_one_was_named():
    systems = ["base", "new"]
    for baseline, cell in (("base", "baseline"), (None, "")):
        table = format_campaign(make_campaign(4, systems, baseline=baseline), "markdown")
        [row] = [line for line in table.splitlines() if line.startswith("| base |")]
        assert row.split("|")[3].strip() == cell


def test_a_caption_over_sets_says_what_letters_mean_where_it_says_what_bold_means():
    caption = format_campaign(make_campaign(14, ["base", "new", "third"], baseline=None), "markdown")
    assert (
        "Bold: systems that no other is shown to beat for these test sets; systems that share a letter are not shown "
        "to differ. "
    ) in caption
    assert caption.count("share a letter") == 1


# ---- what the tables rest on


def test_where_sets_have_different_numbers_of_runs_it_is_said_why_the_method_was_not_tested():
    found = of_pairs([1.0, 1.2, 0.9])
    metric = found.metrics["BLEU"]
    systems = tuple(changed(one, runs=None if one.system == "base" else 3) for one in metric.systems)
    found = changed(found, metrics={"BLEU": changed(metric, systems=systems)})
    why = "The test sets have different numbers of runs of base, so nothing is known about new runs."
    advice = "With the same runs of base on every test set, the method could be tested."
    assert f"{why} {advice}" in found.headline
    assert "Give at least two." not in " ".join(format_campaign(found, all_columns=True).split())


def test_two_sets_are_too_few_to_say_what_to_expect_on_a_new_one():
    # Of one degree of freedom, t is 12.7: the interval would go beyond the scale of BLEU.
    found = of_pairs([10.0, -20.0])
    [said] = [one for one in found.headline if "standard deviation" in one]
    assert said.endswith("; two test sets are too few to say what to expect on a new one.")
    [pair] = found.metrics["BLEU"].comparisons
    assert pair.one_new_set_ends == (None, None, 0) and pair.one_new_set_low is not None  # JSON has all
    assert "one new set" not in format_campaign(found, all_columns=True)
    assert "one new set" in format_campaign(of_pairs([1.0, -0.2, 0.9]), all_columns=True)


def test_only_the_metrics_whose_directions_are_counted_are_named():
    found = of_pairs([1.0, -0.2, 0.9])
    metric = found.metrics["BLEU"]
    metrics = {"BLEU": metric, "mark": changed(metric, name="mark", higher_is_better=None)}
    assert (
        changed(found, metrics=metrics).headline[1] == "Test sets on which base has the better score: 1 of 3 by BLEU."
    )


def test_a_difference_on_one_set_is_shown_by_its_adjusted_p():
    # p = 0.03 on one of two sets is 0.06 after Holm's factor of 2.
    sets = [
        make_set("set0", "new", "base", 1.0, 0.4, p_value=0.03, p_low=0.028, p_high=0.032, p_adjusted=0.06),
        make_set("set1", "new", "base", 0.9, 0.8, p_value=0.3, p_low=0.29, p_high=0.31, p_adjusted=0.3),
    ]
    tests = tuple(CampaignTestSet(one.test_set, 2000, None, "segment", 2000, 2000.0) for one in sets)
    metric = changed(make_metric("BLEU", {("new", "base"): sets}, baseline="base"), sets_family_size=2)
    found = CampaignComparison(make_settings(), "base", tests, {"BLEU": metric})
    shown = tabulate_campaign(found, "BLEU")["new against base, test set by test set"]
    assert shown["verdict"] == ["not shown", "not shown"]
    assert shown["p (Holm)"][0] == "0.0600"


def test_where_max_t_adjusts_p_that_for_new_sets_is_holms():
    found = make_campaign(5, NAMES[:4], ("BLEU",), baseline=None)
    metric = found.metrics["BLEU"]
    settings = changed(make_settings(), adjust="max-t")
    by_max_t = changed(found, settings=settings, metrics={"BLEU": changed(metric, settings=settings)})
    said = " ".join(format_campaign(by_max_t, all_columns=True).split())
    assert "p (max-T): p adjusted for 6 comparisons by step-down max-T" in said
    assert (
        "p (Holm): p for new test sets, adjusted by Holm's method; the CIs hold for all 6 comparisons together "
        "(Bonferroni)." in said
    )
    assert "A difference is called shown if p (max-T) or, for new test sets, p (Holm) is at most 0.05" in said
    assert "p adjusted for 6 comparisons (max-T; for new sets Holm)" in format_campaign(by_max_t, "markdown")
