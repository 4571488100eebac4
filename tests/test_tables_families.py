"""Everything that is read names how p was adjusted, for how many comparisons, and what max-T adds."""

import html
import json
import re
from itertools import product

import pytest

import mtworkbench as mtw
from mtworkbench.inference import Comparison
from mtworkbench.results.verdicts import Ends
from mtworkbench.tables import FORMATS, format_comparison
from mtworkbench.words.papers import paper_tables
from mtworkbench.words.sentences import describe_pair
from tests.drawn import faults_of_text, texts_of
from tests.hand_made import changed, comparison, pair, system

MAX_T = {"adjust": "max-t", "simultaneous_low": -1.1, "simultaneous_high": 0.42, "ends": Ends(-1.1, 0.0, -1)}
METHOD = {"method_p_value": 0.031, "method_low": -1.0, "method_high": -0.1, "method_df": 3.0, "method_p_adjusted": 0.08}
METHOD |= {"method_verdict": "not significant", "method_p_separate": 0.031, "method_p_pooled": 0.03}
NAMES = "abc"


def three_pairs(runs=1, **changes):
    """All pairs of three systems: one is shown, one only alone, one not; with runs also for the method."""
    method = METHOD if runs > 1 else {}
    pairs = [
        pair("b", "a", 0.5, **changes, p_value=0.04, p_adjusted=0.0721, low=0.1, high=0.9, **method),
        pair("c", "a", 0.9, **changes, p_value=0.0001, p_adjusted=0.0004, verdict="significant", **method),
        pair("c", "b", 0.4, **changes, p_value=0.3, p_adjusted=0.3, low=-0.2, high=1.0, **method),
    ]
    return [system(name, 27 + place, runs=runs) for place, name in enumerate(NAMES)], pairs


def found_by(adjust, runs=1, **changes):
    more = MAX_T if adjust == "max-t" else {}
    changes = {"interval_of_differences": "exchanges" if adjust == "max-t" else "percentile"} | changes
    return comparison(*three_pairs(runs, **more), adjust=adjust, family="metric", runs="separate", **changes)


def text_of(markup):
    """What a reader of HTML sees."""
    return html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<style.*?</style>", "", markup, flags=re.S)))


def everything_said(found):
    """All that people read of a comparison, in one text."""
    [metric] = found.metrics.values()
    parts = [format_comparison(found, format) for format in ("text", "latex", "markdown")]
    parts += [format_comparison(found, format, all_columns=True) for format in ("latex", "markdown")]
    parts += [mtw.describe_comparison(found), mtw.describe_comparison(metric), *found.headline]
    parts += [describe_pair(one, metric) for one in metric.comparisons]
    parts += [text_of(one._repr_html_()) for one in (found, metric, *metric.comparisons)]
    parts += [repr(mtw.show_table(found.to_frame().drop(columns="method_p_adjusted")))]
    return " ".join(" ".join(parts).replace("%", " ").split())


@pytest.mark.parametrize("adjust", ["holm", "max-t"])
@pytest.mark.parametrize("n_methods", [1, 2])
def test_one_comparison_for_the_method_is_not_adjusted(n_methods, adjust):
    """Of three, one or two have enough runs."""
    _, pairs = three_pairs(**(MAX_T if adjust == "max-t" else {}))
    pairs = [changed(one, **METHOD) if place < n_methods else one for place, one in enumerate(pairs)]
    systems = [system(name, 27 + place, runs=3) for place, name in enumerate(NAMES)]
    said = everything_said(comparison(systems, pairs, adjust=adjust, family="metric", runs="separate"))
    alone = "; for the method there is one, which is not adjusted." in said
    assert (alone, "; for the method there are 2." in said) == (n_methods == 1, n_methods == 2)
    for by_holm in ("max-T; for the method: Holm", "For the method, p is adjusted by Holm's method"):
        assert (by_holm in said) is (n_methods == 2 and adjust == "max-t")


@pytest.mark.parametrize("baseline", [None, "a"])
def test_max_t_is_named_wherever_holm_would_be(baseline):
    by_holm, by_max_t = (everything_said(found_by(adjust, baseline=baseline)) for adjust in ("holm", "max-t"))
    assert not re.search("max-?t", by_holm, re.I)
    # Tests of equivalence are adjusted by Holm's method whatever adjusts the others.
    by_holm, by_max_t = (re.sub(r"p \((method, )?equiv., Holm\)", "", said) for said in (by_holm, by_max_t))
    assert "Holm" not in by_max_t
    assert by_max_t.count("p (max-T)") == by_holm.count("p (Holm)") > 20
    assert "the CIs hold for" in by_max_t and "the CIs hold" not in by_holm
    assert "need not agree" in by_holm and "need not agree" not in by_max_t
    assert "remain possible after 3 comparisons" not in by_max_t or "10,000 trials; max-T)" in by_max_t


def test_with_runs_each_table_names_its_own_adjustment():
    found = found_by("max-t", runs=2)
    text = " ".join(format_comparison(found, all_columns=True).split())
    short, of_method, outputs = re.split("Differences of all pairs, (?:on|for)", text)
    assert "95 % CI p (adjusted) verdict" in short
    adjusted = "Verdicts, p and CIs are adjusted for all 3 comparisons"
    assert f"{adjusted} (for these runs: max-T; for the method: Holm)" in short
    assert "together (computed in one step, and p step by step, so a CI can be wider than p suggests)" in outputs
    assert "p p (Holm) df verdict" in of_method
    assert "p p (max-T) win % verdict" in outputs
    assert "p (max-T): p adjusted for 3 comparisons by step-down max-T, which allows for the correlation" in outputs
    assert (
        "p (Holm): p adjusted for 3 comparisons by Holm's method, because this p is not from a randomization test; the "
        "CIs hold for all 3 comparisons together (Bonferroni)." in outputs
    )
    assert (
        "called shown if p (max-T) or, for the method, p (Holm) is at most 0.05, and for these runs more random"
        in outputs
    )
    shown = " ".join(text_of(found._repr_html_()).split())
    assert adjusted in shown
    paragraph = mtw.describe_comparison(found)
    assert (
        "p (max-T) is adjusted by step-down max-T (Westfall and Young, 1993) for the 3 comparisons of a metric, and "
        "the CIs hold for all of them together. For the method, p is adjusted by Holm's method (Holm, 1979) and CIs "
        "after Bonferroni." in paragraph
    )
    assert "(for these runs: CI" not in paragraph and "p (max-T) = 0.0721; for the method:" in paragraph


def test_undecided_comparisons_are_so_by_the_p_that_was_asked_for():
    systems, pairs = three_pairs(**MAX_T)
    pairs[0] = changed(pairs[0], verdict="undecided", conclusion="undecided")
    found = comparison(systems, pairs, adjust="max-t")
    why = '"Undecided": p (max-T) is too close to 0.05 to decide with 10,000 trials (random swaps of outputs).'
    for all_columns in (False, True):
        assert " ".join(format_comparison(found, all_columns=all_columns).split()).count(why) == 1


@pytest.mark.parametrize("format", ["text", "latex", "markdown", "html"])
def test_the_interval_that_is_printed_is_the_one_that_goes_with_the_verdict(format):
    """In data both ends stay as they are: -1.1 and 0.42."""
    found = found_by("max-t")
    written = found._repr_html_() if format == "html" else format_comparison(found, format, all_columns=True)
    said = " ".join(text_of(written).replace("$-$", "-").replace("−", "-").replace("\\", "").split())
    said = said.replace("$<$", "<")
    # Three rows; text and HTML have the short table, too.
    assert said.count("[-1.10, <0]") == (6 if format in ("text", "html") else 3) and "0.42" not in said
    assert "simultaneous" not in said


def test_in_sentences_an_end_that_is_excluded_is_in_words():
    [metric] = found_by("max-t").metrics.values()
    assert describe_pair(metric.comparisons[1], metric) == (
        "c - a = +0.90 (95 % CI below 0, down to -1.10), p (max-T) = 0.0004: c is shown to be better on these outputs"
    )


def test_simultaneous_intervals_are_in_json_and_csv_with_max_t_alone():
    by_holm, by_max_t = (found_by(adjust) for adjust in ("holm", "max-t"))
    more = ["adjust", "simultaneous_low", "simultaneous_high", "excludes_zero"]
    more += ["method_simultaneous_low", "method_simultaneous_high", "method_excludes_zero"]
    usual, with_more = (
        json.loads(format_comparison(found, "json"))["metrics"]["BLEU"] for found in (by_holm, by_max_t)
    )
    assert set(with_more["comparisons"][0]) - set(usual["comparisons"][0]) == set(more)
    usual, with_more = (format_comparison(found, "csv").splitlines()[0].split(",") for found in (by_holm, by_max_t))
    assert set(with_more) - set(usual) == set(more)
    row = json.loads(format_comparison(by_max_t, "json"))["metrics"]["BLEU"]["comparisons"][0]
    assert [row[name] for name in more] == ["max-t", -1.1, 0.42, True, None, None, None]


def test_frames_show_how_p_was_adjusted():
    frame = found_by("max-t").to_frame()
    shown = repr(mtw.show_table(frame[["a", "b", "p_adjusted", "adjust", "simultaneous_low", "simultaneous_high"]]))
    assert re.sub(" +", " ", shown.splitlines()[0]) == "system against p (max-T) simultaneous CI"
    whole = repr(mtw.show_table(frame))
    assert "[-1.10, 0.42]" in shown and "[-1.10, <0]" not in whole  # c - a is above 0
    assert whole.count("[>0, 0.42]") == 3 and "simultaneous" not in whole
    frame = frame.assign(method_low=-1.5, method_high=0.9, method_simultaneous_low=[0.0, -1.7, None])
    frame = frame.assign(method_simultaneous_high=[2.5, 2.6, None], method_excludes_zero=[True, False, None])
    frame["difference"] = 1.0
    names = [name for name in frame if name.startswith("method_")]
    lines = repr(mtw.show_table(frame[["a", "b", "difference", *names]]))
    assert "[>0, 2.50]" in lines
    assert "[-1.70, 2.60]" in lines and "[-1.50, 0.90]" in lines and "simultaneous" not in lines
    both = mtw.show_table(frame.assign(adjust=["holm", "max-t", "max-t"])[["p_adjusted", "adjust"]])
    assert re.sub(" +", " ", repr(both).splitlines()[0]) == "adjusted p adjust"


def test_a_family_of_all_metrics_is_said_to_be_one():
    systems, _ = three_pairs()
    alone = pair("b", "a", 0.5, p_value=0.04, p_adjusted=0.08, low=0.1, high=0.9)
    first = comparison(systems[:2], [alone], family="all", adjust="holm", baseline="a")
    second = comparison(systems[:2], [alone], name="chrF", family="all", adjust="holm", baseline="a")
    metrics = {name: changed(metric, family_size=2) for one in (first, second) for name, metric in one.metrics.items()}
    found = changed(first, metrics=metrics)
    assert isinstance(found, Comparison)
    text = " ".join(format_comparison(found, all_columns=True).split())
    assert "p (Holm): p adjusted for 2 comparisons of all metrics by Holm's method." in text
    assert "Verdicts and p are adjusted for both comparisons of all metrics (Holm)." in text
    assert "no difference is shown by BLEU (p (Holm) = 0.0800) or chrF (" in text
    adjusted = "p (Holm) is adjusted by Holm's method (Holm, 1979) for the 2 comparisons of all metrics."
    assert adjusted in mtw.describe_comparison(found)
    assert "Verdicts and p are adjusted for both comparisons of all metrics (Holm)." in text_of(found._repr_html_())
    assert "p (Holm)" in paper_tables(found)[0].columns


def test_one_metric_of_a_larger_family_counts_no_copies():
    """Its family has more comparisons than the metric itself."""
    found = comparison(*three_pairs(), family="all", adjust="holm")
    [metric] = found.metrics.values()
    assert metric.family_size == 3
    text = format_comparison(changed(metric, family_size=6).alone, all_columns=True)
    assert "6 comparisons of all metrics" in text and "same statistics" not in text
    fewer = format_comparison(changed(metric, family_size=2).alone, all_columns=True)
    assert "1 comparison of systems with the same statistics in every unit is not counted." in " ".join(fewer.split())


def test_what_cannot_be_shown_is_a_matter_of_the_whole_family():
    """Six differing units allow p = 0.031: not below 0.05 / 2, but the other metric has trials for it."""
    systems, _ = three_pairs()
    few = pair("b", "a", 0.5, p_value=0.03125, p_low=0.03125, p_high=0.03125, n_coins=6, exact=True)
    many = pair("b", "a", 0.5, p_value=0.0002, n_coins=300)
    parts = [comparison(systems[:2], [one], name=name, family="all") for name, one in (("BLEU", few), ("chrF", many))]
    metrics = {name: changed(one, family_size=2) for part in parts for name, one in part.metrics.items()}
    assert "could have been shown" not in " ".join(changed(parts[0], metrics=metrics).headline)
    only_few = {name: changed(metrics["BLEU"], name=name) for name in ("BLEU", "chrF")}
    said = " ".join(changed(parts[0], metrics=only_few).headline)
    assert "No difference could have been shown at 5 %: so few segments differ that p cannot be below 0.0312" in said


@pytest.mark.usefixtures("own_figures")
@pytest.mark.parametrize(("adjust", "runs"), list(product(("holm", "max-t"), (1, 2))))
def test_figures_head_their_columns_with_it(adjust, runs):
    for interval in ("exchanges", "percentile"):
        figure = mtw.draw_comparison(found_by(adjust, runs=runs, interval_of_differences=interval))
        texts = [text for text, _ in texts_of(figure)]
        # The interval agrees with the verdict; where it need not, p stands in its place, unless methods were tested.
        by_p = interval == "percentile" and runs == 1
        assert ({"holm": "p (Holm)", "max-t": "p (max-T)"}[adjust] in texts) is by_p
        assert not faults_of_text(figure)


def test_every_format_is_made():
    for format, adjust, runs in product(FORMATS, ("holm", "max-t"), (1, 2)):
        assert format_comparison(found_by(adjust, runs=runs), format)
