"""Views of the conventions and of a calibration: every sentence is computed from the rows that it speaks of."""

import csv
import io
import json
from html import escape

import numpy as np
import pandas as pd
import pytest

from mtworkbench.inference.calibrate import Calibration, IntervalCoverage, RuleErrors
from mtworkbench.inference.conventions import Convention, Conventions
from mtworkbench.inference.rules import RULES
from mtworkbench.tables import format_calibration, format_conventions
from mtworkbench.words.calibrations import title_levels
from mtworkbench.words.conventions import REASONS, reason_of

BY_SEGMENT = [rule.name for rule in RULES if not rule.by_unit]


def convention(name, verdict, *, unit="segment", n_trials=10_000, **changes):
    [rule] = [rule for rule in RULES if rule.name == name]
    p_value = {"significant": 0.01, "not significant": 0.2, "undecided": 0.05, None: None}[verdict]
    fields = {
        "name": name,
        "source": rule.source,
        "asks": rule.asks.format(level="95 %", size="5 %"),
        "unit": unit if rule.by_unit else "segment",
        "n_drawn": None if rule.draws in ("influence", "segment_scores") else 300 if "comet" in name else 1000,
        "p_value": p_value if rule.gives == "p" else None,
        "confidence": None if rule.gives != "confidence" or verdict is None else 0.98,
        "low": 0.1 if rule.gives == "interval" else None,
        "high": 0.9 if rule.gives == "interval" else None,
        "verdict": verdict,
        "better": "new" if verdict == "significant" else None,
        "note": "" if verdict else "one run of each system is needed, because the program reads one output of each",
    }
    fields["n_drawn"] = n_trials if name in ("ar", "multeval", "sacrebleu-ar") else fields["n_drawn"]
    return Convention(**fields | changes)


RATES = {
    "often": {"error_percent": 11.0, "error_finding": "errs too often", "error_setting": "BLEU, 500 segments (x)"},
    "right": {"error_percent": 5.0, "error_finding": "keeps its level", "error_setting": "BLEU, 500 segments (x)"},
    "seldom": {"error_percent": 2.0, "error_finding": "conservative", "error_setting": "BLEU, 500 segments (x)"},
    "unknown": {"error_finding": "not measured"},
}


def conventions_of(verdicts, *, unit="segment", runs=1, is_mean=False, changes=None, **head):
    """Rules with these verdicts by name; the others are not significant."""
    rules = tuple(
        convention(
            rule.name, verdicts.get(rule.name, "not significant"), unit=unit, **(changes or {}).get(rule.name, {})
        )
        for rule in RULES
    )
    fields = {
        **{"a": "new", "b": "base", "metric": "BLEU", "difference": 0.5, "score_a": 30.5, "score_b": 30.0},
        **{"level": 0.95, "unit": unit, "n_units": 20 if unit == "document" else 300, "n_segments": 300},
        **{"n_resamples": 1000, "n_trials": 10_000, "runs_a": runs, "runs_b": runs, "rng": 1},
        **{"signature": "nrefs:1|test:conventions|rng:1", "rules": rules, "is_mean": is_mean},
    }
    return Conventions(**fields | head)


# ---- the headline of conventions


def test_rules_that_agree_are_one_sentence():
    every = dict.fromkeys([rule.name for rule in RULES], "significant")
    assert conventions_of(every).headline == [
        "All 15 rules call the difference of +0.50 BLEU between new and base significant at 5 %."
    ]
    assert conventions_of({}, level=0.9).headline == [
        "None of the 15 rules calls the difference of +0.50 BLEU between new and base significant at 10 %."
    ]


def test_the_fewer_are_named_and_one_sided_rules_are_explained():
    found = conventions_of({"koehn2004": "significant", "moses": "significant"})
    assert found.headline == [
        "2 of 15 rules call the difference of +0.50 BLEU between new and base significant at 5 %; these are koehn2004 "
        "and moses.",
        "Randomization by segment (ar, p = 0.2000), which keeps its level if segments are independent, does not call "
        "it significant.",
        "Why: koehn2004 and moses ask about one direction only, so that they call equal systems different about twice "
        "as often as their level says.",
    ]


def test_one_rule_is_spoken_of_in_the_singular():
    assert conventions_of({"koehn2004": "significant"}).headline[0].endswith("this is koehn2004.")
    assert conventions_of({"koehn2004": "significant"}).headline[2] == (
        "Why: koehn2004 asks about one direction only, so that it calls equal systems different about twice as often "
        "as its level says."
    )
    others = {rule.name: "significant" for rule in RULES if rule.name != "comet-compare"}
    first, _, why = conventions_of(others).headline
    assert first.startswith("14 of 15 rules call") and first.endswith("the other is comet-compare.")
    assert (
        why
        == "Why: comet-compare draws fewer segments than the test set has, so that it finds less than the data show."
    )


def test_segments_of_documents_are_the_reason_where_randomization_by_segment_finds_something():
    found = conventions_of(dict.fromkeys(BY_SEGMENT, "significant"), unit="document")
    assert found.headline[1] == (
        "Randomization by document (ar, p = 0.2000), which keeps its level if documents are independent, does not call "
        "it significant."
    )
    assert "draw sentences, as if those of one document were independent" in found.headline[2]
    assert reason_of(found["koehn2004"], found) == "documents"
    only_one_sided = conventions_of({"koehn2004": "significant"}, unit="document")
    assert reason_of(only_one_sided["koehn2004"], only_one_sided) == "one-sided"


def test_other_reasons():
    ties = conventions_of({"sacrebleu-ar": "significant"}, changes={"ar": {"p_value": 1.0}})
    assert reason_of(ties["sacrebleu-ar"], ties) == "ties"
    runs = conventions_of({"multeval": "significant"}, runs=3)
    assert reason_of(runs["multeval"], runs) == "runs"
    of_segments = conventions_of({"paired t": "significant"})
    assert reason_of(of_segments["paired t"], of_segments) == "segment scores"
    of_mean = conventions_of({"paired t": "significant"}, is_mean=True)
    assert reason_of(of_mean["paired t"], of_mean) == "other formula"
    assert all(reason in REASONS for reason in ("ties", "runs", "segment scores", "other formula", "small samples"))


def test_an_undecided_randomization_is_said_to_be_so_and_nothing_is_explained():
    found = conventions_of({"koehn2004": "significant", "ar": "undecided"})
    assert found.headline[1:] == [
        "Randomization by segment (ar, p = 0.0500), which keeps its level if segments are independent, is undecided: "
        "p is too close to 0.05 to decide with 10,000 trials."
    ]


def test_rules_that_cannot_be_applied_are_not_counted():
    absent = dict.fromkeys(("cmu", "moses", "sacrebleu-bs", "sacrebleu-ar", "compare-mt", "comet-compare"))
    found = conventions_of(absent | {"koehn2004": "significant"}, runs=3)
    assert found.headline[0].startswith("1 of 9 rules that give a verdict calls the")
    text = format_conventions([found])
    [row] = [line for line in text.splitlines() if line.startswith("moses ")]
    assert row.split() == ["moses", "-"]
    assert (
        "No verdict from cmu, moses, sacrebleu-bs, compare-mt, comet-compare and sacrebleu-ar: one run of each system "
        "is needed, because the program reads one output of each."
    ) in text.replace("\n", " ")


def test_it_is_said_which_rules_keep_their_level_also_where_all_agree():
    rates = {rule.name: RATES["unknown"] for rule in RULES}
    rates |= {"moses": RATES["often"], "ar": RATES["right"], "shift": RATES["right"], "compare-mt": RATES["seldom"]}
    every = dict.fromkeys([rule.name for rule in RULES], "significant")
    for verdicts in (every, {}, {"moses": "significant"}):
        assert conventions_of(verdicts, changes=rates).headline[1] == (
            "Measured on equal systems, in the nearest settings: shift and ar keep their level of 5 %; moses errs more "
            "often; compare-mt errs less often; 11 rules were not measured."
        )
    unknown = {rule.name: RATES["unknown"] for rule in RULES}
    assert conventions_of(every, changes=unknown, runs=3).headline[1] == (
        "Whether these rules keep their level was not measured for systems with several runs, because it depends on "
        "how much runs vary (docs/validity.md)."
    )
    assert "errs %" not in format_conventions([conventions_of(every, changes=unknown, runs=3)])


@pytest.mark.parametrize("format", ["text", "markdown", "latex"])
def test_rates_that_were_not_measured_are_marked_and_explained(format):
    rates = {rule.name: RATES["unknown"] for rule in RULES} | {"ar": RATES["right"]}
    written = format_conventions([conventions_of({}, changes=rates)], format)
    assert written.count("–") == len(RULES) - 1 + written.count("–: not measured")
    assert "–: not measured" in written
    assert "BLEU, 500 segments (x)" in " ".join(written.split())
    assert "no verdict is adjusted for several comparisons" in " ".join(written.split())


def test_settings_that_differ_from_rule_to_rule_are_told_apart():
    other = RATES["right"] | {"error_setting": "BLEU, 200 segments (y)"}
    rates = {rule.name: RATES["often"] for rule in RULES} | {"ar": other, "shift": other}
    text = " ".join(format_conventions([conventions_of({}, changes=rates)]).split())
    assert "in the nearest settings of docs/validity.md: BLEU, 500 segments (x) for koehn2004, cmu" in text
    assert "; BLEU, 200 segments (y) for shift and ar." in text


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_of_several_pairs_each_thing_is_said_once(format):
    rates = {rule.name: RATES["often"] for rule in RULES}
    special = rates | {"moses": RATES["often"] | {"note": "it is special"}}
    pairs = [conventions_of({}, changes=special), conventions_of({}, changes=rates, b="other")]
    written = " ".join(format_conventions(pairs, format).split())
    for sentence in ("Measured on equal systems", "errs %: how often", "no verdict is adjusted", "shift: at most 5 %"):
        assert written.count(sentence) == 1, sentence
    assert "BLEU, new against base: moses: it is special." in written


# ---- formats of conventions


def test_text_has_the_headline_a_row_per_rule_and_what_each_asks():
    found = conventions_of({"koehn2004": "significant"}, unit="document")
    text = format_conventions([found], width=100)
    assert max(map(len, text.splitlines())) <= 100
    assert "BLEU: new against base, 300 segments in 20 documents\n" in text
    rows = {
        line.split()[0]: line.split()
        for line in text.splitlines()
        if line.split()[:1] in [[rule.name] for rule in RULES]
    }
    assert rows["koehn2004"] == ["koehn2004", "segment", "98.0", "significant"]
    assert rows["percentile"] == ["percentile", "document", "[0.10,", "0.90]", "not", "significant"]
    assert rows["ar"] == ["ar", "document", "0.2000", "not", "significant"]
    assert "cmu: the system with the better score wins more than 95 % of the resamples" in text
    assert text.endswith("Signature: nrefs:1|test:conventions|rng:1\n")
    assert " by " not in next(
        line for line in format_conventions([conventions_of({})]).splitlines() if "verdict" in line
    )


def test_a_p_of_0_is_shown_with_the_digits_of_its_draws():
    found = conventions_of({"moses": "significant"}, changes={"moses": {"p_value": 0.0}})
    [row] = [line for line in format_conventions([found]).splitlines() if line.startswith("moses ")]
    assert row.split() == ["moses", "<0.001", "significant"]


def test_json_and_csv_have_every_figure():
    found = conventions_of({"moses": "significant"}, changes={"moses": {"p_value": 0.0123456}})
    read = json.loads(format_conventions([found, found], "json"))
    assert (read["schema"], len(read["comparisons"]), read["warnings"]) == (1, 2, [])
    one = read["comparisons"][0]
    assert one["headline"] == found.headline
    assert [rule["name"] for rule in one["rules"]] == [rule.name for rule in RULES]
    assert one["rules"][2]["p_value"] == 0.0123456 and one["rules"][0]["p_value"] is None
    rows = list(csv.DictReader(io.StringIO(format_conventions([found], "csv"))))
    assert len(rows) == len(RULES)
    assert (rows[2]["metric"], rows[2]["a"], rows[2]["p_value"], rows[2]["better"]) == (
        "BLEU",
        "new",
        "0.0123456",
        "new",
    )
    assert rows[0]["p_value"] == ""


@pytest.mark.parametrize("format", ["latex", "markdown"])
def test_other_formats_escape_names_and_have_all_rules(format):
    found = conventions_of({"moses": "significant"}, a="<b>_x_</b>")
    written = format_conventions([found], format)
    assert "<b>" not in written.replace("% ", "") or format == "latex"
    assert all(rule.name in written for rule in RULES)


def test_html_has_the_headline_in_bold_and_escapes_names():
    found = conventions_of({"moses": "significant"}, a="<script>")
    html = found._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert html.index("<b>1 of 15 rules calls") < html.index("<table")
    assert html.count("<b>significant</b>") == 1
    assert "Signature" in html


def test_what_each_rule_asks_is_folded_away_in_a_notebook():
    found = conventions_of({"moses": "significant"})
    shown, _, folded = found._repr_html_().partition("<details>")
    assert "significant where" not in shown and RULES[0].source not in shown
    assert folded.startswith("<summary>What each rule asks</summary>")
    assert all(escape(one.asks) in folded and escape(one.source) in folded for one in found.rules)


# ---- a calibration


def calibration_of(rejected, *, unit="segment", **changes):
    """Rules with these numbers of rejections of 500 by name; the others have 25."""
    from mtworkbench.inference.intervals import monte_carlo_ends

    rules = []
    for rule in RULES:
        count = rejected.get(rule.name, 25)
        own = unit if rule.by_unit else "segment"
        rules.append(RuleErrors(rule.name, rule.source, own, count, 500, count / 500, *monte_carlo_ends(count, 500)))
    intervals = tuple(
        IntervalCoverage(method, unit, 470, 500, 0.94, *monte_carlo_ends(470, 500))
        for method in ("percentile", "basic", "bca", "jackknife")
    )
    p_values = pd.DataFrame({"repetition": [1], "rule": ["ar"], "unit": [unit], "p_value": [0.5], "rejected": [False]})
    fields = {
        **{"a": "new", "b": "base", "metric": "BLEU", "level": 0.95, "unit": unit, "n_units": 20, "n_segments": 300},
        **{"size": None, "n_repetitions": 500, "n_resamples": 1000, "n_trials": 1000, "rng": 1},
        **{"signature": "nrefs:1|test:calibrate|rng:1", "rules": tuple(rules), "intervals": intervals},
        **{"n_documents": 20, "added_variance": 0.02, "p_values": p_values},
    }
    return Calibration(**fields | changes)


def test_a_calibration_by_document_says_who_errs_and_why():
    found = calibration_of({"koehn2004": 190, "moses": 195, "comet-compare": 2}, unit="document")
    assert found.headline == [
        "In 500 repetitions, new and base were made equal by swapping whole documents; 2 of 15 rules call them "
        "different too often (the 95 % CI of the rate lies above 5 %): koehn2004 38.0 % and moses 39.0 %.",
        "1 rule calls them different too seldom (CI below 5 %), at the cost of finding fewer real differences: "
        "comet-compare 0.4 %.",
        "ar rejects 5.0 % (95 % CI 3.3 to 7.3): it keeps its level here by construction, because the repetitions swap "
        "documents as it does.",
        "Rules that draw segments treat the sentences of one document as independent.",
    ]
    much = calibration_of({"koehn2004": 190}, unit="document", added_variance=0.6)
    assert much.headline[-1] == (
        "Part of their errors comes from the difference between the two systems, which swaps sides with each document: "
        "it adds 60 % to the variance between documents. Two systems that differ less would show lower rates."
    )


def test_a_calibration_by_segment_blames_no_documents():
    found = calibration_of({"koehn2004": 55})
    assert found.headline == [
        "In 500 repetitions, new and base were made equal by swapping outputs of segments; 1 of 15 rules calls them "
        "different too often (the 95 % CI of the rate lies above 5 %): koehn2004 11.0 %.",
        "ar rejects 5.0 % (95 % CI 3.3 to 7.3): it keeps its level here by construction, because the repetitions swap "
        "segments as it does.",
    ]
    assert (
        "no rule is shown to call them different too often (no 95 % CI of a rate lies above 5 %)."
        in calibration_of({}).headline[0]
    )


def test_a_calibration_without_documents_says_what_this_leaves_out():
    caution = "Segments were swapped one by one, as if they were independent, because their documents are not known."
    for changes, is_said in (({}, False), ({"n_documents": None}, True), ({"unit": "document"}, False)):
        found = calibration_of({"koehn2004": 55}, **changes)
        assert (caution in found._repr_html_()) is is_said
        text = " ".join(format_calibration([found]).split())
        assert (caution in text) is is_said
        assert not is_said or text.index(caution) < text.index("Signature:")


def test_text_of_a_calibration():
    found = calibration_of({"koehn2004": 55, "comet-compare": 2}, size=100)
    text = format_calibration([found])
    assert "samples of 100 of 300 segments" in text
    rows = {line.split()[0]: line for line in text.splitlines() if line}
    assert rows["koehn2004"].split() == ["koehn2004", "11.0", "[8.4,", "14.1]", "too", "often"]
    assert rows["comet-compare"].endswith("too seldom")
    assert rows["jackknife"].split() == ["jackknife", "94.0", "[91.5,", "95.9]"]
    assert "  errs\n" in text
    assert "errs" not in format_calibration([calibration_of({})])  # the column would be empty
    of_documents = format_calibration([calibration_of({}, unit="document", size=100)])
    assert "samples of about 100 of 300 segments in 20 documents" in of_documents.replace("\n", " ")


def test_json_csv_and_html_of_a_calibration():
    found = calibration_of({"koehn2004": 55}, a="<i>")
    read = json.loads(format_calibration([found], "json"))
    assert read["calibrations"][0]["rules"][0]["n_rejected"] == 55
    assert [one["method"] for one in read["calibrations"][0]["intervals"]] == [
        "percentile",
        "basic",
        "bca",
        "jackknife",
    ]
    rows = list(csv.DictReader(io.StringIO(format_calibration([found], "csv"))))
    assert (rows[0]["metric"], rows[0]["name"], rows[0]["rejected"]) == ("BLEU", "koehn2004", "0.11")
    html = found._repr_html_()
    assert "<i>" not in html and html.count("<b>too often</b>") == 1


def test_how_often_intervals_cover_0_is_folded_away_in_a_notebook():
    shown, _, folded = calibration_of({"koehn2004": 55})._repr_html_().partition("<details>")
    assert "rejected %" in shown and "covered %" not in shown
    assert folded.startswith("<summary>Do the intervals cover 0?</summary>") and "covered %" in folded


def test_the_title_of_the_figure_is_computed():
    frame = pd.DataFrame({"rule": np.repeat(["x", "y"], 4), "rejected": [True, False, False, False] + [True] * 4})
    assert title_levels(frame, 0.95) == (
        "At 5 %, the rules call equal systems different in 25.0 to 100.0 % of the repetitions"
    )


def test_units_other_than_documents_have_their_plural():
    found = calibration_of({"koehn2004": 190}, unit="block of 7")
    assert "made equal by swapping whole blocks of 7; 1 of 15 rules" in found.headline[0]
    assert found.headline[1].endswith("because the repetitions swap blocks of 7 as it does.")
