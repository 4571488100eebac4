"""What is said of units: what they count as, in how many of them systems differ, and what is treated as independent."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mtworkbench.inference import Comparison, compare
from mtworkbench.metrics import MeanScore
from mtworkbench.results.design_effects import count_larger
from mtworkbench.results.names_of_units import count_units
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.tables import describe_comparison, format_campaign, format_comparison
from mtworkbench.words.sentences_on_units import find_tipping_point, round_down

from .hand_made import GIVE_DOCUMENTS

pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
OPTIONS = {"n_resamples": 400, "n_trials": 999, "rng": 1}
#: 12 documents that hold 50, 10, 10, ... of 160 segments count as 160**2 / (50**2 + 11 * 10**2) = 7.1.
ONE_LONG = np.repeat(np.arange(12), [50, *[10] * 11])
SHORT = (
    "With 12 documents, by their sizes worth 7.1 equally large ones, CIs of scores are too narrow. They cover the true "
    "score "
    "less often than their level says."
)


def statistics_of(
    systems=("base", "new"), *, documents=None, differing=None, n_segments=160, seed=1, name="score", n_runs=1
):
    """Systems of made-up scores; `differing` is in how many segments each differs from the first, by default in all."""
    draws = np.random.default_rng(seed)
    base = draws.normal(size=n_segments)
    values = {}
    for place, system in enumerate(systems):
        changed = n_segments if differing is None else (0, *differing)[place]
        scores = base + np.where(np.arange(n_segments) < changed, place + draws.normal(0, 0.1, n_segments), 0)
        runs = [scores, *(scores + draws.normal(0, 0.1, n_segments) for _ in range(n_runs - 1))]
        values[system] = np.stack([np.stack([one, np.ones(n_segments)], axis=-1) for one in runs])
    labels = None if documents is None else documents.astype(str).astype(object)
    test_set = TestSet(np.arange(1, n_segments + 1), labels, f"references {seed}", 1)
    return SegmentStatistics(MeanScore(name=name, higher_is_better=True), values, test_set)


def views(found, **options):
    """Everything that a reader may see, by the view."""
    write = format_comparison if isinstance(found, Comparison) else format_campaign
    shown = {format: write(found, format, **options) for format in ("text", "markdown", "latex")}
    shown |= {"html": found._repr_html_(), "paragraph": describe_comparison(found)}
    return {view: " ".join(text.replace("\n%", "\n").split()) for view, text in shown.items()}


def missing(sentence, found, **options):
    """The views that do not have a sentence."""
    return [view for view, text in views(found, **options).items() if sentence not in text]


#: The views that leave out what is for information: text without its details, and papers.
OF_PAPERS = ["text", "markdown", "latex", "paragraph"]


# ---- what they count as


def test_units_of_unequal_size_are_said_to_count_as_fewer():
    assert count_units("document", 20, 4.4) == "20 documents, by their sizes worth 4.4 equally large ones"
    assert count_units("domain", 50, 31.2) == "50 domains, by their sizes worth 31 equally large ones"
    assert count_units("document", 92, 80.6) == "92 documents"
    assert count_units("document", 50, 40) == "50 documents, by their sizes worth 40 equally large ones"
    assert count_units("segment", 1, 1) == "1 segment"
    assert count_units("document", 40, 31, in_strata=True).endswith(
        "by their sizes worth 31 equally large ones without strata"
    )
    assert count_units("auto", 2000, 2000) == "2,000 units"  # of test sets with different ones


def test_every_view_says_what_documents_count_as():
    found = compare(statistics_of(documents=ONE_LONG), **OPTIONS)
    assert missing("160 segments in 12 documents (by their sizes worth 7.1 equally large ones)", found) == []
    assert missing(SHORT, found) == []
    assert missing(SHORT, found, all_columns=True) == []
    written = json.loads(format_comparison(found, "json"))["metrics"]["score"]
    assert (written["n_units"], round(written["n_effective_units"], 2)) == (12, 7.11)
    assert SHORT in format_comparison(compare(statistics_of(["base"], documents=ONE_LONG), **OPTIONS)).replace(
        "\n", " "
    )


def test_other_units_are_named_beside_documents():
    columns = {"domain": ONE_LONG.astype(str).astype(object)}
    statistics = statistics_of(documents=np.arange(160) // 5)
    test_set = TestSet(statistics.test_set.segments, statistics.test_set.documents, "x", 1, columns=columns)
    statistics = SegmentStatistics(statistics.metric, statistics.values, test_set)
    found = compare(statistics, unit="domain", **OPTIONS)
    counted = "160 segments in 32 documents (12 domains, by their sizes worth 7.1 equally large ones)"
    assert missing(counted, found) == []
    in_strata = compare(statistics, unit="document", strata="domain", **OPTIONS)
    assert "in 32 documents (by their sizes worth 21 equally large ones without strata)" in views(in_strata)["text"]
    assert "CIs of scores are too narrow" not in views(in_strata)["text"]


def test_units_of_about_equal_size_are_only_counted():
    found = compare(statistics_of(documents=np.arange(160) // 8), **OPTIONS)
    for text in views(found).values():
        assert "of equal size" not in text
        assert "differ in" not in text


# ---- in how many of them systems differ


def test_it_is_said_in_how_few_units_two_systems_differ():
    found = compare(statistics_of(differing=[32], n_segments=400), **OPTIONS)
    assert missing("The systems differ in 32 of 400 segments.", found) == OF_PAPERS
    assert missing("The systems differ in 32 of 400 segments.", found, all_columns=True) == ["paragraph"]
    [pair] = json.loads(format_comparison(found, "json"))["metrics"]["score"]["comparisons"]
    assert (pair["units_differing"], pair["n_units"]) == (32, 400)
    few = (
        "The systems differ in 19 of 400 segments. With fewer than 20, the CI of a difference is too narrow: rely on p."
    )
    assert missing(few, compare(statistics_of(differing=[19], n_segments=400), **OPTIONS)) == []
    documents = np.arange(400) // 10
    assert (
        "The systems differ in 2 of 40 documents. With fewer than 20, the CI"
        in views(compare(statistics_of(differing=[19], n_segments=400, documents=documents), **OPTIONS))["text"]
    )


def test_where_many_units_differ_or_none_nothing_is_said():
    for n_differing in (0, 41, 400):
        found = compare(statistics_of(differing=[n_differing], n_segments=400), **OPTIONS)
        assert missing(f"differ in {n_differing}", found) == [*views(found)]


def test_of_several_pairs_the_one_that_differs_least_is_named():
    found = compare(statistics_of("abcd", differing=[30, 24, 300], n_segments=400), "a", **OPTIONS)
    assert (
        missing("c and a differ in 24 of 400 segments; 1 other pair differs in at most 10 % of them.", found)
        == OF_PAPERS
    )
    all_pairs = compare(statistics_of("abcd", differing=[30, 24, 300], n_segments=400), **OPTIONS)
    said = "c and a differ in 24 of 400 segments; 2 other pairs differ in at most 10 % of them."
    assert missing(said, all_pairs) == OF_PAPERS  # b and c differ in 30


def test_metrics_that_differ_otherwise_are_named():
    by_one, by_other = (statistics_of(differing=[n], n_segments=400, name=f"by{n}") for n in (24, 30))
    found = compare([by_one, by_other], **OPTIONS)
    assert missing("by24: The systems differ in 24 of 400 segments.", found) == OF_PAPERS
    assert missing("by30: The systems differ in 30 of 400 segments.", found) == OF_PAPERS
    same = compare([by_one, statistics_of(differing=[24], n_segments=400, name="other")], **OPTIONS)
    assert views(same)["html"].count("The systems differ in 24 of 400 segments.") == 1
    details = " ".join(format_comparison(same, all_columns=True).split())
    assert details.count("The systems differ in 24 of 400 segments.") == 1


# ---- what is treated as independent


@pytest.mark.parametrize(("n_documents", "is_said"), [(1, False), (2, True), (5, True), (6, False), (None, False)])
def test_a_verdict_by_segment_has_its_assumption_in_the_headline(n_documents, is_said):
    documents = None if n_documents is None else np.arange(160) % n_documents
    found = compare(statistics_of(documents=documents), **OPTIONS)
    sentence = (
        f"With only {n_documents} documents, segments are treated as independent: if sentences of one "
        "document are alike, p is too small and CIs are too narrow."
    )
    assert any(one.startswith(sentence) for one in found.headline) == is_said
    assert any("The verdict holds if the design effect (" in one for one in found.headline) == (
        n_documents is None or n_documents < 6
    )
    # Once in a view, and in the caption, because tables are pasted one by one.
    counts = {view: text.count(sentence) for view, text in views(found).items()}
    often = dict.fromkeys(counts, 1) | dict.fromkeys({"markdown", "latex"} & {*counts}, 2)
    assert counts == {view: often[view] * is_said for view in counts}


def test_the_assumption_keeps_its_place_in_a_long_headline():
    """Four metrics that contradict each other, all pairs of five systems."""
    documents = np.arange(160) % 3
    metrics = [statistics_of("abcde", documents=documents, name=f"m{n}", seed=1) for n in range(2)]
    values = {name: -one * [1, -1] for name, one in metrics[1].values.items()}
    metrics[1] = SegmentStatistics(metrics[1].metric, values, metrics[1].test_set)
    found = compare(metrics, **OPTIONS)
    assert sum("With only 3 documents, segments are treated as independent" in one for one in found.headline) == 1
    assert any("contradict each other" in one for one in found.headline)


def over_sets(**documents):
    sets = {
        name: statistics_of(documents=own, seed=seed) for seed, (name, own) in enumerate(documents.items(), start=1)
    }
    return compare(sets, **OPTIONS)


def test_over_several_sets_the_headline_names_those_with_few_documents():
    many, few = np.arange(160) // 8, np.arange(160) % 4
    found = over_sets(news=many, talks=few, chats=few, others=None, one=np.zeros(160))
    few_documents = "With too few documents in talks, chats and one, their segments are treated as independent: if "
    unknown = "Documents of others are unknown: if "
    text = views(found)["text"]
    for said in (few_documents, unknown):
        assert sum(one.startswith(said) for one in found.headline) == text.count(said) == 1
    all_few = over_sets(talks=few, chats=few)
    assert any(one.startswith("With too few documents, segments are") for one in all_few.headline)
    for view, text in views(all_few).items():  # there are two captions
        often = {"markdown": 3, "latex": 3}.get(view, 1)
        assert text.count("With too few documents, segments are") == often, view
    assert not any("are alike" in one for one in over_sets(news=many, talks=many).headline)


def test_over_several_sets_units_of_unequal_size_are_counted_set_by_set():
    found = over_sets(news=ONE_LONG, talks=np.arange(160) // 8, long=np.repeat(np.arange(40), [43, *[3] * 39]))
    counted = (
        "Units of unequal size carry less information: news has 12 documents, by their sizes worth 7.1 equally large "
        "ones; "
        "long has 40 documents, by their sizes worth 12 equally large ones."
    )
    short = "With so few units of equal size, CIs of scores on news are too narrow. They cover the true score less"
    assert missing(counted, found) == OF_PAPERS
    assert missing(short, found) == []
    written = json.loads(format_campaign(found, "json"))["test_sets"]
    assert [(one["n_units"], round(one["n_effective_units"], 1)) for one in written] == [
        (12, 7.1),
        (20, 20),
        (40, 11.6),
    ]


def test_over_several_sets_units_that_differ_are_added():
    sets = {f"set{seed}": statistics_of(differing=[12], n_segments=400, seed=seed) for seed in (1, 2)}
    assert missing("The systems differ in 24 of 800 segments.", compare(sets, **OPTIONS)) == OF_PAPERS
    sets = {
        f"set{seed}": statistics_of(
            differing=[12], n_segments=400, seed=seed, documents=np.arange(400) // 10 if seed == 1 else None
        )
        for seed in (1, 2)
    }
    assert missing("The systems differ in 14 of 440 units. With fewer than 20, the CI", compare(sets, **OPTIONS)) == []


# ---- the tipping point


def make_measured(design_effects):
    """As if these had been measured on one test set."""
    return pd.DataFrame({"set": "x", "languages": "xx-yy", "design_effect": design_effects})


DEFFS = make_measured([0.9] * 7 + [1.9, 1.91, 4.0])


DESIGN_EFFECT = "the design effect (the factor by which alike sentences multiply the variance of the difference)"


@pytest.fixture
def measured(monkeypatch):
    """Ten design effects, of which two are larger than 1.9."""
    monkeypatch.setattr("mtworkbench.results.design_effects._load", lambda: DEFFS)


def with_tolerance(found, *tolerated):
    """The same comparison, whose pairs tolerate these design effects."""
    [(name, metric)] = found.metrics.items()
    pairs = tuple(
        replace(pair, judged=replace(pair.judged, tolerated_design_effect=one))
        for pair, one in zip(metric.comparisons, tolerated, strict=True)
    )
    return replace(found, metrics={name: replace(metric, comparisons=pairs)})


def say_tipping(found, **options):
    """What is said of the weakest verdict: that it may fall, and what it tolerates."""
    said = find_tipping_point(found, **options)
    return said and (f"{said.which} {said.falls}; " if said.falls else "", f"{said.which} {said.holds}")


@pytest.mark.parametrize("tolerated", [1.9, 1.9999, 1.9 - 1e-9])
def test_a_verdict_says_which_design_effect_it_tolerates(measured, tolerated):
    found = with_tolerance(compare(statistics_of(), **OPTIONS), tolerated)
    assert found.headline[1] == (
        "Documents are unknown: if sentences of one document are alike, p is too small and CIs are too narrow; the "
        "verdict might then not hold. It holds if the design effect (the factor by which alike sentences multiply the "
        "variance of the difference) is at most 1.9, as it was for 80 % of the differences on 1 public test set "
        f"outside this comparison. {GIVE_DOCUMENTS}"
    )


@pytest.mark.parametrize(
    ("tolerated", "said"),
    [(1.1, 1.1), (1.797, 1.7), (2.99, 2.9), (3.0, 3.0), (3.49, 3.0), (9.99, 9.5), (10.2, 10), (45.9, 45), (108.8, 100)],
)
def test_a_tolerated_design_effect_is_rounded_down_to_what_is_certain(tolerated, said):
    assert round_down(tolerated) == said <= tolerated


@pytest.mark.parametrize("tolerated", [1.0, 1.022, 1.0999])
def test_a_weak_verdict_is_said_to_tolerate_less_than_a_tenth(measured, tolerated):
    """Simulation leaves no more certain, and up to 1.0 is what is assumed."""
    found = with_tolerance(compare(statistics_of(), **OPTIONS), tolerated)
    assert " is below 1.1, as it was for " in say_tipping(found)[1]


@pytest.mark.parametrize(
    ("n_larger", "follows"), [(1, ""), (2, "might then not hold"), (6, "would then probably not hold")]
)
def test_what_follows_is_said_by_the_share_of_larger_design_effects(monkeypatch, n_larger, follows):
    """Up to 10 % nothing, and never that a verdict would hold. Captions, which are short, say it, too."""
    monkeypatch.setattr(
        "mtworkbench.results.design_effects._load", lambda: make_measured([9.0] * n_larger + [1.0] * (10 - n_larger))
    )
    found = with_tolerance(compare(statistics_of(), **OPTIONS), 2.0)
    tipping = find_tipping_point(found)
    assert tipping.falls == follows
    share = f"{100 - 10 * n_larger} % of the differences"
    assert tipping.holds.endswith(f", as it was for {share} on 1 public test set outside this comparison")
    said = f"CIs are too narrow; the verdict {follows}." if follows else "CIs are too narrow."
    assert missing(said, found) == []
    assert views(found)["latex"].count(said) == 2  # in the paragraph, and in the caption


def test_of_many_verdicts_the_weakest_is_spoken_of(measured):
    found = compare(statistics_of(["base", "new", "newer"]), **OPTIONS)
    assert say_tipping(with_tolerance(found, None, 5.06, 3.06))[1] == (
        f"the weakest verdict, newer - new, holds if {DESIGN_EFFECT} is at most 3, as it was for 90 % of the "
        "differences on 1 public test set outside this comparison"
    )
    assert say_tipping(with_tolerance(found, None, 5.06, None))[1] == (
        f"the weakest verdict, newer - base, holds if {DESIGN_EFFECT} is at most 5, as it was for all differences on "
        "1 public test set outside this comparison"
    )
    assert say_tipping(with_tolerance(found, None, None, None)) is None


def test_a_claim_for_the_method_can_be_the_weakest():
    """Without a p for the method, that for these runs is the only one."""
    found = compare(statistics_of(n_runs=3), **OPTIONS)
    [pair] = found.metrics["score"].comparisons
    tolerated = {False: pair.tolerated_design_effect, True: pair.method_tolerated_design_effect}
    of_method = tolerated[True] < tolerated[False]
    assert say_tipping(found)[1].startswith(f"the verdict {'for the method' if of_method else 'for these runs'} holds")


def test_a_few_real_comparisons_are_not_said_to_be_none(monkeypatch):
    found = with_tolerance(compare(statistics_of(), **OPTIONS), 5.0)
    for n_larger, said in (
        (1, "more than 99 % of the"),
        (2, "99 % of the"),
        (199, "fewer than 1 % of the"),
        (200, "no"),
    ):
        measured = make_measured([9.0] * n_larger + [1.0] * (200 - n_larger))
        monkeypatch.setattr("mtworkbench.results.design_effects._load", lambda measured=measured: measured)
        what = "difference" if said == "no" else "differences"
        assert f", as it was for {said} {what} on 1 public test set" in say_tipping(found)[1]


def test_known_documents_have_no_tipping_point():
    """And what is measured ships: shares fall from all to none, of four test sets."""
    for unit in ("auto", "segment"):
        assert find_tipping_point(compare(statistics_of(documents=ONE_LONG), unit=unit, **OPTIONS)) is None
    for documents in (None, np.arange(160) // 40):  # too few: segments are treated as independent
        found = say_tipping(compare(statistics_of(documents=documents), **OPTIONS))
        share = r"(all|\d+ % of the) differences"
        assert re.search(rf", as it was for {share} on 4 public test sets outside this comparison$", found[1])
    counts = [count_larger(one) for one in (0, 1, 1.5, 2, 3, 100)]
    assert counts[0].share == 1 and counts[-1].share == 0
    assert [one.n_larger for one in counts] == sorted((one.n_larger for one in counts), reverse=True)


def test_of_several_sets_the_headline_speaks_of_the_mean_and_the_details_of_single_sets(measured):
    """Where the documents of one set are known, that of the mean is about the other."""
    sets = {"x": statistics_of(), "y": statistics_of(documents=ONE_LONG, seed=2)}
    found = compare(sets, **OPTIONS)
    said = say_tipping(found)[1]
    assert said.startswith("the verdict for these test sets holds if the design effect (")
    assert " that comes from x) is at most " in said and said[1:] in " ".join(format_campaign(found).split())
    said = say_tipping(found, single_sets=True)[1]
    assert said.startswith("the weakest verdict on a single set, new - base on x, holds if ")
    assert said[1:] in " ".join(format_campaign(found, all_columns=True).split())
    found = compare(sets | {"y": statistics_of(seed=2)}, **OPTIONS)
    said = say_tipping(found)[1]
    assert said.startswith("the verdict for these test sets holds if ") and said[1:] in " ".join(found.headline)
    assert "multiply the variance of the difference)" in said


def test_over_sets_blocks_are_named_with_their_lengths_and_known_documents_that_are_not_used():
    sets = {"x": statistics_of(), "y": statistics_of(documents=ONE_LONG, seed=2)}
    found = compare(sets, unit="block", block_length=4, **OPTIONS)
    said = (
        "Units are blocks of 4 consecutive segments, which are treated as independent, although the documents of y are "
        "known."
    )
    assert missing(said, found) == []
    blocks = [replace(one, unit=f"block of {length}") for one, length in zip(found.test_sets, (4, 7), strict=True)]
    found = replace(found, test_sets=tuple(blocks))
    text = " ".join(format_campaign(found).split())
    assert "Units are blocks of 4 (x) and 7 (y) consecutive segments" in text
    assert "by block of 4 to 7, depending on the test set" in text
    assert "Without --unit block, known documents would be the units." in text
