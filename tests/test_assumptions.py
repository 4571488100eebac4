"""What a comparison rests on: each assumption is found where it is made, and every view says those that matter."""

import csv
import html
import io
import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from mtworkbench.assumptions import BREAKS, INFORMS, MAY_CHANGE, Assumption
from mtworkbench.inference import Comparison, compare
from mtworkbench.metrics import MeanScore
from mtworkbench.outputs.text import make_outputs
from mtworkbench.plots import draw_comparison
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet, compute_statistics
from mtworkbench.tables import describe_comparison, format_campaign, format_comparison
from mtworkbench.words.assumptions import find_assumptions
from mtworkbench.words.concerns import SAID_ANYWAY

from .hand_made import changed, comparison, pair, system

pytestmark = [
    pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning"),
    pytest.mark.usefixtures("own_figures"),
]
OPTIONS = {"n_resamples": 400, "n_trials": 999, "rng": 1}
N_SEGMENTS = 160
MANY, FEW = np.arange(N_SEGMENTS) // 8, np.arange(N_SEGMENTS) % 3
#: 12 documents that hold 50, 10, 10, ... of 160 segments count as 160**2 / (50**2 + 11 * 10**2) = 7.1.
ONE_LONG = np.repeat(np.arange(12), [50, *[10] * 11])
CLEAR, NONE = 1.0, 0.0
MARGIN = 0.5


def statistics_of(
    difference=CLEAR,
    *,
    runs=(1, 1),
    spread=0.01,
    noise=0.5,
    documents=None,
    differing=None,
    known=None,
    repaired=None,
    n_segments=N_SEGMENTS,
    seed=1,
):
    """Scores of ``base`` and ``new``: how far the means lie apart, and runs, and segments in which the two differ."""
    draws = np.random.default_rng(seed)
    shared = draws.normal(0, 1, n_segments)
    shared -= shared.mean()
    values = {}
    for place, (name, n_runs) in enumerate(zip(("base", "new"), runs, strict=True)):
        own = draws.normal(0, noise, n_segments)
        own -= own.mean()
        means = np.linspace(-spread, spread, n_runs) if n_runs > 1 else np.zeros(1)
        moved = own + place * difference + draws.normal(0, 1e-3, (n_runs, n_segments))
        moved[:, n_segments if differing is None else differing * place :] = 0
        scores = shared + moved + means[:, None]
        values[name] = np.stack([scores, np.ones(scores.shape)], axis=-1)
    labels = None if documents is None else documents.astype(str).astype(object)
    test_set = TestSet(
        np.arange(1, n_segments + 1), labels, f"references {seed}", 1, known_documents=known, repaired=repaired
    )
    return SegmentStatistics(MeanScore(higher_is_better=True), values, test_set)


def on_one(options=None, **made):
    return compare(statistics_of(**made), "base", **OPTIONS | (options or {}))


def on_sets(options=None, *, differences=None, sets=5, **made):
    """The same on several test sets: what is a list is of each set."""
    differences = differences or [made.pop("difference", CLEAR)] * sets
    of_each = {name: value if isinstance(value, list) else [value] * sets for name, value in made.items()}
    statistics = {
        f"set{k}": statistics_of(
            difference + 0.01 * k, seed=k + 1, **{name: values[k] for name, values in of_each.items()}
        )
        for k, difference in enumerate(differences)
    }
    return compare(statistics, "base", **OPTIONS | (options or {}))


def uneven_references(every=2, shift=0):
    """The first of every two segments has a second reference, or each has one."""
    words = ["the cat", "a red bird", "two old trees", "one mat"]
    references = [
        [f"{words[place % 4]} sat on mat {place + shift}" for place in range(40)],
        ["a mat" if place % every == 0 else None for place in range(40)],
    ]
    outputs = {"base": [one[:-8] for one in references[0]], "new": references[0]}
    return compute_statistics(make_outputs(references, outputs), "bleu")


def on_uneven_references(options=None, **made):
    return compare(uneven_references(**made), "base", **OPTIONS | (options or {}))


BY_SEGMENT, POOLED = {"unit": "segment"}, {"runs": "pooled"}
#: Scores vary mostly from run to run, and yet the difference is shown for the method.
UNEQUAL = {"spread": 0.2, "difference": 1.0}
#: Plain pooling shows the difference, and twice the standard deviation in one system does not.
ALIKE = {"runs": (3, 3), "spread": 0.1, "noise": 0.02, "difference": 0.28}
# Code, gravity, and a comparison that rests on it.
CASES = {
    "documents recognized": (
        "recognized-documents", MAY_CHANGE, on_one, {"documents": MANY, "known": "wmt23 en-de, table 1"}
    ),
    "documents recognized, but too few": (
        "recognized-documents", INFORMS, on_one, {"documents": FEW, "known": "wmt23 en-de, table 1"}
    ),
    "sets: documents of some recognized": (
        "recognized-documents",
        MAY_CHANGE,
        on_sets,
        {"documents": [MANY] * 5, "known": ["wmt23 en-de, table 1", None, None, None, None]},
    ),
    "documents recognized, on several sets": (
        "recognized-documents", MAY_CHANGE, on_sets, {"documents": [MANY] * 5, "known": "wmt23 en-de, table 1"}
    ),
    "documents unknown": ("independent-segments", MAY_CHANGE, on_one, {}),
    "documents unknown, equal": ("independent-segments", MAY_CHANGE, on_one, {"difference": NONE, "margin": MARGIN}),
    "documents unknown, nothing claimed": ("independent-segments", INFORMS, on_one, {"difference": NONE}),
    "few documents": ("few-documents", MAY_CHANGE, on_one, {"documents": FEW}),
    "few documents, nothing claimed": ("few-documents", INFORMS, on_one, {"documents": FEW, "difference": NONE}),
    "documents not used": ("unused-documents", MAY_CHANGE, on_one, {"documents": MANY} | BY_SEGMENT),
    "documents not used, nothing claimed": (
        "unused-documents", INFORMS, on_one, {"documents": MANY, "difference": NONE} | BY_SEGMENT
    ),
    "blocks": ("independent-blocks", MAY_CHANGE, on_one, {"unit": "block of 8"}),
    "blocks, nothing claimed": ("independent-blocks", INFORMS, on_one, {"unit": "block of 8", "difference": NONE}),
    "units of unequal size": ("few-effective-units", MAY_CHANGE, on_one, {"documents": ONE_LONG}),
    "very few units differ": ("few-differing-units", MAY_CHANGE, on_one, {"differing": 15}),
    "few units differ": ("few-differing-units", INFORMS, on_one, {"differing": 25, "n_segments": 400}),
    "equality": (
        "few-units-for-equality", MAY_CHANGE, on_one, {"difference": NONE, "n_segments": 40, "margin": MARGIN}
    ),
    "equality not shown": ("few-units-for-equality", INFORMS, on_one, {"n_segments": 40, "margin": MARGIN}),
    "one run": ("one-run", MAY_CHANGE, on_one, {}),
    "one run of one system": ("one-run", MAY_CHANGE, on_one, {"runs": (3, 1)}),
    "one run, nothing claimed": ("one-run", INFORMS, on_one, {"difference": NONE}),
    "few runs": ("normal-runs", MAY_CHANGE, on_one, {"runs": (3, 3)}),
    "few pooled runs": ("normal-runs", MAY_CHANGE, on_one, {"runs": (3, 3)} | {"pool": True}),
    "few runs, equality for the method": (
        "normal-runs", MAY_CHANGE, on_one, {"runs": (3, 3), "difference": NONE, "margin": 3.0}
    ),
    "few runs, nothing claimed for the method": (
        "normal-runs", INFORMS, on_one, {"runs": (3, 3), "spread": 5.0, "difference": 0.3}
    ),
    "runs that vary alike": ("equal-spreads", MAY_CHANGE, on_one, ALIKE | {"pool": True}),
    "two runs and many": ("two-runs", MAY_CHANGE, on_one, {"runs": (2, 8)}),
    "two runs and many, nothing claimed": ("two-runs", INFORMS, on_one, {"runs": (2, 8), "difference": NONE}),
    "three runs and many": ("unequal-runs", MAY_CHANGE, on_one, {"runs": (3, 12), "noise": 0.02} | UNEQUAL),
    "three runs and many, nothing claimed for the method": (
        "unequal-runs", INFORMS, on_one, {"runs": (3, 12), "spread": 2.0, "difference": 0.3}
    ),
    "repaired": ("repaired-outputs", MAY_CHANGE, on_one, {"repaired": "html-entities+bpe-pieces"}),
    "repaired, nothing claimed": (
        "repaired-outputs", MAY_CHANGE, on_one, {"repaired": "same-ends", "difference": NONE}
    ),
    "sets: one was repaired": (
        "repaired-outputs", MAY_CHANGE, on_sets, {"repaired": ["no-end-mark", None, None, "empty-hyp", None]}
    ),
    "segments with different numbers of references": ("uneven-references", INFORMS, on_uneven_references, {}),
    "one test set": ("one-test-set", INFORMS, on_one, {}),
    "sets: documents unknown": ("independent-segments", MAY_CHANGE, on_sets, {}),
    "sets: claimed on single sets alone": ("independent-segments", MAY_CHANGE, on_sets, {"differences": [1.0, -1.0]}),
    "sets: documents of one unknown": (
        "independent-segments", MAY_CHANGE, on_sets, {"documents": [MANY, None, MANY, MANY, MANY]}
    ),
    "sets: documents unknown, nothing claimed": ("independent-segments", INFORMS, on_sets, {"difference": NONE}),
    "sets: few documents": ("few-documents", MAY_CHANGE, on_sets, {"documents": FEW}),
    "sets: few documents, nothing claimed": (
        "few-documents", INFORMS, on_sets, {"documents": FEW, "difference": NONE}
    ),
    "sets: documents not used": ("unused-documents", MAY_CHANGE, on_sets, {"documents": MANY} | BY_SEGMENT),
    "sets: documents not used, nothing claimed": (
        "unused-documents", INFORMS, on_sets, {"documents": MANY, "difference": NONE} | BY_SEGMENT
    ),
    "sets: blocks": ("independent-blocks", MAY_CHANGE, on_sets, {"unit": "block of 8"}),
    "sets: units of unequal size": ("few-effective-units", MAY_CHANGE, on_sets, {"documents": ONE_LONG}),
    "sets: units of unequal size, but many": (
        "few-effective-units", INFORMS, on_sets, {"documents": np.repeat(np.arange(40), [43, *[3] * 39])}
    ),
    "sets: very few units differ": ("few-differing-units", MAY_CHANGE, on_sets, {"differing": 3}),
    "sets: few units differ": ("few-differing-units", INFORMS, on_sets, {"differing": 12}),
    "sets: one run": ("one-run", MAY_CHANGE, on_sets, {}),
    "sets: different numbers of runs": (
        "one-run", MAY_CHANGE, on_sets, {"runs": [(3, 3), (2, 3), (3, 3), (3, 3), (3, 3)]}
    ),
    "sets: one run, nothing claimed": ("one-run", INFORMS, on_sets, {"difference": NONE}),
    "sets: few runs": ("normal-runs", MAY_CHANGE, on_sets, {"runs": (3, 3)}),
    "sets: few runs, nothing claimed for the method": (
        "normal-runs", INFORMS, on_sets, {"runs": (3, 3), "spread": 5.0, "difference": 0.3}
    ),
    "sets: runs that vary alike": ("equal-spreads", MAY_CHANGE, on_sets, ALIKE | {"difference": 0.24, "pool": True}),
    "sets: two runs and many": ("two-runs", MAY_CHANGE, on_sets, {"runs": (2, 8)}),
    "sets: three runs and many": ("unequal-runs", MAY_CHANGE, on_sets, {"runs": (3, 12), "noise": 0.02} | UNEQUAL),
    "few sets, shown on these": ("few-test-sets", MAY_CHANGE, on_sets, {"differences": [1.0, 0.1, 3.0], "sets": 3}),
    "few sets, shown for new ones": ("few-test-sets", MAY_CHANGE, on_sets, {"sets": 4}),
}  # fmt: skip
ALL = pytest.mark.parametrize("name", CASES)
THAT_MATTER = pytest.mark.parametrize("name", [name for name, (_, gravity, *_) in CASES.items() if gravity != INFORMS])


@cache
def make(name):
    """The comparison of a case, with its assumption."""
    code, gravity, of, made = CASES[name]
    options = {key: value for key, value in made.items() if key in ("unit", "margin")}
    options |= POOLED if made.get("pool") else {}
    found = of(options, **{key: value for key, value in made.items() if key not in ("unit", "margin", "pool")})
    [assumption] = [one for one in found.assumptions if (one.code, one.gravity) == (code, gravity)]
    return found, assumption


def plain(text):
    """A text without what its format does to it: lines, comments, tags and escapes."""
    text = re.sub(r"^% ", "", text, flags=re.MULTILINE)
    text = html.unescape(re.sub(r"<[^>]*>", " ", text)) if text.startswith("<div") else html.unescape(text)
    text = re.sub(r"\\(?=[%_&#$])", "", text).replace("~", " ").replace("$-$", "-")
    return " ".join(text.split())


@cache
def views_of(name):
    """Everything that readers see of a comparison, by the view; LaTeX as its comments, and as its captions."""
    found, _ = make(name)
    return views(found)


def views(found):
    write = format_comparison if isinstance(found, Comparison) else format_campaign
    texts = {format: write(found, format) for format in ("text", "markdown", "latex")}
    texts["text, details"] = write(found, "text", all_columns=True)
    latex = texts.pop("latex")
    texts["latex, comment"] = "\n".join(line for line in latex.splitlines() if line.startswith("%"))
    texts["latex, captions"] = "\n".join(re.findall(r"\\caption{(.*)}$", latex, flags=re.MULTILINE))
    texts |= {"html": found._repr_html_(), "paragraph": describe_comparison(found)}
    texts |= {"headline": " ".join(found.headline)}
    texts |= {"figure": " ".join(text.get_text() for text in draw_comparison(found).texts)}
    return {view: plain(text) for view, text in texts.items()}


OF_EACH_VIEW = ("text", "text, details", "markdown", "latex, comment", "latex, captions", "html", "paragraph")
OF_EACH_VIEW += ("headline", "figure")
#: What is for information is said below tables that have room for it.
BELOW = ("text, details", "html")


# ---- what is found


@ALL
def test_a_comparison_that_rests_on_it_says_so_with_its_gravity(name):
    found, assumption = make(name)
    assert assumption in find_assumptions(found) == found.assumptions
    assert assumption.sentence.endswith(".") and assumption.say(advise=True).endswith(".")
    assert assumption.matters is (assumption.gravity != INFORMS)
    codes = [(one.code, one.sentence) for one in found.assumptions]
    assert len(codes) == len({*codes})
    gravities = [one.gravity for one in found.assumptions]
    assert gravities == sorted(gravities, key=[BREAKS, MAY_CHANGE, INFORMS].index)


def test_every_code_that_is_documented_is_tested():
    documented = {*re.findall(r"``([a-z-]+)``", find_assumptions.__doc__)}
    assert documented == {code for code, *_ in CASES.values()}


@pytest.mark.parametrize(
    ("sets", "n_documents", "code"),
    [
        (False, 5, "few-documents"),
        (False, 6, "unused-documents"),
        (True, 5, "few-documents"),
        (True, 6, "unused-documents"),
    ],
)
def test_from_six_documents_on_they_could_be_units(sets, n_documents, code):
    of = on_sets if sets else on_one
    found = of(BY_SEGMENT, documents=np.arange(N_SEGMENTS) % n_documents)
    codes = {one.code for one in found.assumptions}
    assert codes & {"independent-segments", "few-documents", "unused-documents"} == {code}


@pytest.mark.parametrize(("n_sets", "is_said"), [(4, True), (5, False)])
def test_up_to_four_test_sets_are_few(n_sets, is_said):
    found = on_sets(sets=n_sets)
    assert any(one.code == "few-test-sets" for one in found.assumptions) is is_said
    assert ("The conclusions about new test sets rest on only 4 test sets." in " ".join(found.headline)) is is_said


def test_references_are_uneven_only_where_their_number_varies():
    """Of several test sets, those are named."""
    uneven, even = on_uneven_references(), on_uneven_references(every=1)
    codes = [{one.code for one in found.assumptions} for found in (uneven, even)]
    assert ["uneven-references" in one for one in codes] == [True, False]
    [said] = [one for one in uneven.assumptions if one.code == "uneven-references"]
    assert said.sentence == "Segments have different numbers of references." and not said.matters
    sets = {"x": uneven_references(), "y": uneven_references(every=1), "z": uneven_references(shift=1)}
    [said] = [one for one in compare(sets, "base", **OPTIONS).assumptions if one.code == "uneven-references"]
    assert said.sentence == "Segments of x and z have different numbers of references."


@pytest.mark.parametrize("of", [on_one, on_sets])
def test_what_is_not_assumed_is_not_said(of):
    """Documents are units, runs are many, test sets are five: no claim rests on more than it says."""
    found = of(documents=MANY, runs=(12, 12))
    assert [one.code for one in found.assumptions if one.matters] == []
    same = of(difference=NONE, noise=0.0, differing=0)
    assert not {"independent-segments", "one-run", "one-test-set"} & {one.code for one in same.assumptions}


def test_a_gravity_is_one_of_three():
    with pytest.raises(ValueError, match="gravity is 'grave', but one of"):
        Assumption("x", "X.", gravity="grave")
    assert Assumption("x", "X.", gravity=BREAKS).matters


# ---- what is said


@THAT_MATTER
def test_each_view_says_what_matters(name):
    _, assumption = make(name)
    texts = views_of(name)
    assert {*texts} == {*OF_EACH_VIEW}
    assert [view for view in OF_EACH_VIEW if assumption.sentence not in texts[view]] == []
    whole = [view for view in OF_EACH_VIEW if view not in ("figure", "latex, captions")]
    assert [view for view in whole if assumption.say() not in texts[view]] == []
    with_advice = ("text", "text, details", "markdown", "html", "headline")
    # The paragraph below the comment says it, and advice is nothing for a paper.
    assert not assumption.advice or assumption.advice not in texts["latex, comment"]
    assert [view for view in with_advice if assumption.say(advise=True) not in texts[view]] == []


@ALL
def test_what_is_for_information_is_below_the_tables(name):
    """Of intervals that may be too narrow, and of runs, every view speaks: what follows is below the tables, too."""
    found, _ = make(name)
    for one in found.assumptions:
        if not one.matters:
            where = {*OF_EACH_VIEW} if one.code in SAID_ANYWAY else {*BELOW}
            assert {view for view, text in views_of(name).items() if one.sentence in text} == where
            assert all(one.consequence in text for view, text in views_of(name).items() if view in BELOW)


@ALL
def test_no_view_says_it_twice(name):
    """Markdown and LaTeX say it in each caption, too, because tables are pasted one by one."""
    found, _ = make(name)
    texts = views_of(name)
    for one in found.assumptions:
        for view in ("text", "text, details", "html", "paragraph", "headline", "figure"):
            assert texts[view].count(one.sentence) <= 1, view


@THAT_MATTER
def test_one_metric_alone_says_it_too(name):
    """What is pasted from ``comparison.metrics["BLEU"]`` rests on as much as the whole comparison."""
    found, assumption = make(name)
    if not isinstance(found, Comparison):
        return  # of several test sets, a metric has no view of its own
    [metric] = found.metrics.values()
    assert metric.assumptions == found.assumptions
    assert metric.headline == found.headline
    texts = {"html": metric._repr_html_(), "words": describe_comparison(metric)}
    texts |= {"figure": " ".join(text.get_text() for text in draw_comparison(metric).texts)}
    counted = {view: plain(text).count(assumption.sentence) for view, text in texts.items()}
    assert counted == dict.fromkeys(texts, 1)


def test_one_of_two_metrics_says_what_it_rests_on_and_nothing_else():
    metrics = of_two_metrics().metrics
    few = "The systems differ in 12 of 300 segments."
    assert few in describe_comparison(metrics["METEOR"])
    assert few not in describe_comparison(metrics["BLEU"])


@ALL
def test_the_data_have_it_with_its_code(name):
    found, assumption = make(name)
    write = format_comparison if isinstance(found, Comparison) else format_campaign
    written = json.loads(write(found, "json"))["assumptions"]
    assert [list(one) for one in written] == [
        ["code", "sentence", "consequence", "advice", "gravity", "metrics"] for _ in found.assumptions
    ]
    assert {
        "code": assumption.code,
        "sentence": assumption.sentence,
        "consequence": assumption.consequence,
        "advice": assumption.advice,
        "gravity": assumption.gravity,
        "metrics": list(assumption.metrics),
    } in written
    for row in csv.DictReader(io.StringIO(write(found, "csv"))):
        codes = row["assumptions"].split("; ") if row["assumptions"] else []
        assert codes == list(dict.fromkeys(one.code for one in found.assumptions if one.matters))


# ---- names


def of_two_metrics(name="new"):
    """METEOR by its exact module alone, under which the systems differ in few segments, and BLEU."""
    systems = [system("base", runs=3), system(name)]
    found = comparison(systems, [pair(name, "base", verdict="significant")], baseline="base")
    [bleu] = found.metrics.values()
    few = changed(bleu.comparisons[0], units_differing=12)
    meteor = replace(bleu, name="METEOR", signature="nrefs:1|mod:exact", comparisons=(few,))
    return replace(found, metrics={"BLEU": bleu, "METEOR": meteor})


def test_what_one_metric_rests_on_has_its_name_in_sentences_and_its_key_in_the_data():
    found = of_two_metrics()
    sentence = "METEOR (exact): The systems differ in 12 of 300 segments."
    [assumption] = [one for one in found.assumptions if one.code == "few-differing-units"]
    assert (assumption.sentence, assumption.metrics) == (sentence, ("METEOR",))
    assert assumption.is_of("METEOR") and not assumption.is_of("BLEU")
    assert [view for view, text in views(found).items() if sentence not in text] == []
    written = json.loads(format_comparison(found, "json"))["assumptions"]
    assert [one["metrics"] for one in written if one["code"] == "few-differing-units"] == [["METEOR"]]
    rows = {row["metric"]: row["assumptions"] for row in csv.DictReader(io.StringIO(format_comparison(found, "csv")))}
    assert "few-differing-units" in rows["METEOR"] and "few-differing-units" not in rows["BLEU"]
    markdown = format_comparison(found, "markdown")
    bleu, meteor = markdown[markdown.index("**BLEU") :].split("**METEOR", 1)
    assert sentence in " ".join(meteor.split()) and sentence not in " ".join(bleu.split())


HOSTILE = "<b>x_1</b>&$y^2$%#"


def test_names_are_data_in_every_view():
    found = of_two_metrics(HOSTILE)
    [one] = [one for one in found.assumptions if one.code == "one-run"]
    assert one.sentence == f"{HOSTILE} has one run, so nothing is known about new training or tuning runs of it."
    shown = found._repr_html_()
    assert "<b>x_1" not in shown
    assert f"{html.escape(HOSTILE)} has one run, so nothing is known" in shown
    latex = format_comparison(found, "latex")
    [*captions] = re.findall(r"\\caption{(.*)}$", latex, flags=re.MULTILINE)
    assert captions
    for caption in captions:
        said = caption.partition(" has one run, so nothing is known")[0]
        assert r"x\_1" in said and r"\&" in said and r"\$y" in said and r"\%\#" in said
    assert json.loads(format_comparison(found, "json"))["assumptions"][-1]["code"]
    assert one.sentence in [each["sentence"] for each in json.loads(format_comparison(found, "json"))["assumptions"]]


@pytest.mark.parametrize("runs", [(1, 1), (3, 1)])
def test_no_view_says_that_the_method_was_not_tested_without_the_reason(runs):
    systems = [system("base", runs=runs[0]), system("new", 28.4, runs=runs[1])]
    found = comparison(systems, [pair("new", "base", 1.2, verdict="significant")], baseline="base")
    for view, words in views(found).items():
        assert "method was not tested" not in words, view
        assert "nothing is known about new training or tuning runs" in words, view
