"""Would it change anything: comparisons without what seems wrong, beside those with it, and how views say it."""

import json
import warnings
from dataclasses import replace

import pytest
from matplotlib.text import Text

from mtworkbench.analyses import examine_doubts, inspect_outputs
from mtworkbench.analyses.doubts import examine_comparison
from mtworkbench.assumptions import BREAKS, INFORMS, MAY_CHANGE, Doubt, Without
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import compare
from mtworkbench.metrics import MeanScore
from mtworkbench.outputs.repairs import REPAIRS, repair_outputs
from mtworkbench.outputs.text import make_outputs
from mtworkbench.plots import draw_comparison, style
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.segment_statistics import compute_statistics
from mtworkbench.tables import describe_comparison, format_comparison, format_inspection
from mtworkbench.words.concerns import find_concerns, say_without


def read_lines(name, n_segments=600):
    return find_shipped(f"data/flores/{name}.txt").read_text(encoding="utf-8").split("\n")[:n_segments]


REFERENCES, BASE = read_lines("reference"), read_lines("bergamot-tiny")
QUICK = {"n_resamples": 400, "n_trials": 400, "rng": 3}


def quietly(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return function(*args, **kwargs)


@pytest.fixture(scope="module")
def outputs():
    """System "new" is better, but its commas are HTML entities."""
    new = [text.replace(",", "&#44;") for text in read_lines("bergamot-base")]
    return quietly(make_outputs, REFERENCES, {"base": BASE, "new": new, "other": read_lines("bergamot-base-memory")})


def test_both_results_are_those_of_compare(outputs):
    found = quietly(examine_doubts, outputs, ["bleu", "chrf"], "base", codes=["html-entities"], **QUICK)
    assert found[["metric", "a", "b"]].to_numpy().tolist() == [
        [metric, system, "base"] for metric in ("BLEU", "chrF") for system in ("new", "other")
    ]
    repaired = quietly(repair_outputs, outputs, "html-entities")
    for ending, frame in (("", outputs), ("_without", repaired)):
        comparison = quietly(compare, compute_statistics(frame, ["bleu", "chrf"]), "base", **QUICK)
        pairs = [pair for metric in comparison.metrics.values() for pair in metric.comparisons]
        assert found[f"difference{ending}"].tolist() == [pair.difference for pair in pairs]
        assert found[f"p_value{ending}"].tolist() == [pair.p_adjusted for pair in pairs]
        assert found[f"low{ending}"].tolist() == [pair.ends.low for pair in pairs]
        assert found[f"high{ending}"].tolist() == [pair.ends.high for pair in pairs]
        assert found[f"conclusion{ending}"].tolist() == [pair.conclusion for pair in pairs]
    first = found.iloc[0]
    assert (first["better"], first["better_without"], first["verdict_changes"]) == ("base", "new", True)
    assert not found.iloc[1]["verdict_changes"]


def test_doubts_of_the_outputs_are_examined_with_the_pairs_that_they_concern(outputs):
    found = quietly(examine_doubts, outputs, "bleu", **QUICK)
    assert set(found["code"]) == {"html-entities"}
    assert found["systems"].tolist() == ["new", "new"]
    assert found[["a", "b"]].to_numpy().tolist() == [["new", "base"], ["other", "new"]]


def test_scores_that_were_given_are_not_those_of_repaired_texts(outputs):
    silent = (outputs["system"] == "new") & (outputs["segment"] == 5)
    scored = outputs.assign(
        quality=outputs["segment"] % 7 + (outputs["system"] == "new"), hypothesis=outputs["hypothesis"].mask(silent, "")
    )
    metrics = ["bleu", MeanScore("quality", higher_is_better=True)]
    found = quietly(examine_doubts, scored, metrics, "base", codes=["html-entities", "empty-hyp"], **QUICK)
    told = found.groupby("code")["metric"].unique().map(set).to_dict()
    assert told["html-entities"] == {"BLEU"}
    assert told["empty-hyp"] == {"BLEU", "quality"}  # of segments that are left out, no score counts


def test_nothing_to_repair_is_no_row(outputs):
    found = quietly(examine_doubts, quietly(repair_outputs, outputs, "html-entities"), "bleu", **QUICK)
    assert len(found) == 0
    assert [*found.columns[:5]] == ["code", "systems", "metric", "a", "b"]
    with pytest.raises(InputError, match="cannot be repaired"):
        quietly(examine_doubts, outputs, codes=["suspected-order"])


@pytest.fixture(scope="module")
def close():
    """The same output twice, each with entities in other lines: p is neither small nor 1, and not exact."""
    systems = {
        name: [text.replace(",", "&#44;") if i % 20 == place else text for i, text in enumerate(BASE)]
        for name, place in (("base", 3), ("new", 7))
    }
    return quietly(make_outputs, REFERENCES, systems)


def test_both_p_are_those_of_compare(close):
    [one] = quietly(examine_doubts, close, "bleu", codes=["html-entities"], **QUICK).itertuples()
    assert 0.01 < one.p_value < 0.99
    assert (one.p_value_without, one.difference_without) == (1, 0)


def test_without_a_seed_all_comparisons_have_one(close):
    # Spaces count in neither metric, so what differs before and after the repair is the seed alone.
    wide = close.assign(hypothesis=close["hypothesis"].str.replace(" ", "  "))
    found = quietly(examine_doubts, wide, ["bleu", "chrf"], codes=["double-spaces"], n_resamples=400, n_trials=400)
    assert len(found) == 2
    assert found["p_value"].tolist() == found["p_value_without"].tolist()
    assert found["low"].tolist() == found["low_without"].tolist()


def test_where_nothing_is_left_nothing_is_said():
    systems = {"a": ["", *BASE[1:4]], "b": [BASE[0], "", "", ""]}
    outputs = quietly(make_outputs, REFERENCES[:4], systems)
    assert len(quietly(examine_doubts, outputs, "bleu", codes=["empty-hyp"], **QUICK)) == 0


@pytest.fixture(scope="module")
def comparison(outputs):
    options = {"baseline": "base", **QUICK}
    found = quietly(compare, compute_statistics(outputs, "bleu"), **options)

    def repeat(code):
        return compare(compute_statistics(repair_outputs(outputs, code), "bleu"), **options)

    return examine_comparison(found, repeat)


def test_every_view_says_whether_the_verdict_changes(comparison):
    [doubt] = [one for one in comparison.doubts if one.without]
    said = say_without(doubt, "p (max-T)")
    assert said.startswith("With HTML entities unescaped, the difference new - base, now -")
    assert comparison.headline[0].startswith("Look at the data first: ")
    assert any(said in sentence for sentence in comparison.headline[:2])  # before what was found
    assert said.endswith(", and the verdict would change: new would be shown to be better on these outputs, not base.")
    for format in ("text", "markdown"):
        assert said in " ".join(format_comparison(comparison, format).replace("&lt;", "<").split())
    assert "and the verdict would change: new would be shown to be better on these outputs, not base" in " ".join(
        format_comparison(comparison, "latex").replace("%", "").split()
    )
    assert said in comparison._repr_html_().replace("&lt;", "<")
    assert said in describe_comparison(comparison).replace("\n", " ")
    with style("paper"):
        texts = [text.get_text() for text in draw_comparison(comparison).figure.findobj(Text)]
    assert said in " ".join(" ".join(texts).split())
    [written] = [one for one in json.loads(format_comparison(comparison, "json"))["doubts"] if one["without"]]
    assert written["without"][0]["verdict_changes"] is True


def test_only_what_can_be_repaired_and_matters_is_examined(comparison):
    def repeat(code):
        raise AssertionError(code)

    doubts = (
        Doubt("html-entities", "A.", gravity=INFORMS),
        Doubt("html-entities", "B.", accepted=True),
        Doubt("suspected-shift", "C.", gravity=BREAKS),
    )
    unlike = replace(comparison, doubts=doubts)
    assert examine_comparison(unlike, repeat) is unlike


ONE = Without(
    "BLEU", "a", "b", 0.41, 0.31, 0.01, 0.81, -0.02, 0.64, 0.047, 0.066, 10_000, 10_000, "shown", "not shown", "a", None
)
NOW = "With HTML entities unescaped, the difference a - b, now +0.41 BLEU (p = 0.0470), would be"


@pytest.mark.parametrize(
    "without, expected",
    [
        ((), ""),
        ((replace(ONE, difference_without=0.41),), ""),
        (
            (ONE,),
            f"{NOW} +0.31 BLEU (p = 0.0660), and the verdict would change: no difference would be shown.",
        ),
        (
            (replace(ONE, better=None, better_without="b", p_value_without=0.00004),),
            f"{NOW} +0.31 BLEU (p < 0.0001), and the verdict would change: b would be shown to be better.",
        ),
        (
            (replace(ONE, better_without="a", conclusion_without="shown"),),
            "With HTML entities unescaped, the difference a - b would be +0.31 BLEU (p = 0.0660): the same verdict.",
        ),
        *(
            (
                (replace(ONE, conclusion=before, better_without="a", conclusion_without=after),),
                f"{NOW} +0.31 BLEU (p = 0.0660), and the verdict would change: a would {said}.",
            )
            for before, after, said in (
                (
                    "shown for the method",
                    "shown on these outputs only",
                    "no longer be shown to be better for the method",
                ),
                ("shown on these outputs only", "shown for the method", "be shown to be better for the method"),
                ("shown on these test sets only", "shown for new test sets", "be shown to be better for new ones"),
            )
        ),
        (
            (replace(ONE, better=None, better_without="a", conclusion_without="shown for the method"),),
            f"{NOW} +0.31 BLEU (p = 0.0660), and the verdict would change: a would be shown to be better for these "
            "runs and for the method.",
        ),
        (
            (replace(ONE, better_without="a", conclusion_without="shown"),) * 2,
            "With HTML entities unescaped, none of the 2 comparisons of x would have another verdict.",
        ),
        (
            (ONE, replace(ONE, a="c", better_without="a", conclusion_without="shown")),
            "With HTML entities unescaped, 1 of the 2 comparisons of x would have another verdict: a - b would be "
            "+0.31 BLEU (p = 0.0660), and no difference would be shown.",
        ),
        (
            (
                replace(ONE, better=None, better_without="a", conclusion_without="shown on these test sets only"),
                replace(ONE, metric="chrF", better_without="a", conclusion_without="shown"),
            ),
            "With HTML entities unescaped, the verdict by BLEU would be another, that by chrF the same: a - b would be "
            "+0.31 BLEU (p = 0.0660), and a would be shown to be better for these test sets (not for new ones).",
        ),
        (
            tuple(replace(ONE, a=name, n_trials_without=0) for name in "cdefg"),
            "With HTML entities unescaped, 5 of the 5 comparisons of x would have another verdict: c - b would be "
            "+0.31 BLEU (p = 0.0660), and no difference would be shown; d - b would be +0.31 BLEU (p = 0.0660), and no "
            "difference would be shown; e - b would be +0.31 BLEU (p = 0.0660), and no difference would be shown; 2 "
            "more are in JSON (doubts).",
        ),
    ],
)
def test_one_sentence_says_what_is_found_without_a_doubt(without, expected):
    assert say_without(Doubt("html-entities", "A.", systems=("x",), without=without)) == expected


def test_p_without_a_doubt_has_the_name_that_it_has_in_sentences(comparison):
    [metric] = comparison.metrics.values()
    doubts = (Doubt("html-entities", "A.", systems=("x",), without=(ONE,)),)
    for size, label in ((1, "p"), (2, "p (max-T)")):
        found = replace(comparison, doubts=doubts, metrics={"BLEU": replace(metric, family_size=size)})
        for text in (found.headline[0], format_comparison(found, "markdown")):
            now = f"now +0.41 BLEU ({label} = 0.0470), would be +0.31 BLEU ({label} = 0.0660)"
            assert now in " ".join(text.split())


def test_of_many_doubts_those_that_change_a_verdict_are_still_said(comparison):
    same = replace(ONE, better_without="a", conclusion_without="shown")
    doubts = [Doubt(code, f"{code}.", systems=("new",), without=(same, same)) for code in [*REPAIRS][:4]]
    doubts.append(Doubt("lower-case", "Lower.", systems=("new",), without=(ONE,)))
    [changes] = find_concerns(replace(comparison, doubts=tuple(doubts))).before
    assert (
        "With all text in lower case, the difference a - b, now +0.41 BLEU (p (max-T) = 0.0470), would be"
        in changes.say()
    )
    doubts += [replace(doubts[-1], code=code, sentence=f"{code}.") for code in ("loops", *[*REPAIRS][:3])]
    concerns = find_concerns(replace(comparison, doubts=tuple(doubts)))
    [several] = concerns.before
    assert (
        "With all text in lower case, the difference a - b, now +0.41 BLEU (p (max-T) = 0.0470), would be"
        in several.say()
    )
    assert "With such segments left out for all systems (loops), the difference a - b" in several.say()
    assert "none of the" not in several.say()


def test_every_repair_begins_a_sentence():
    for repair in REPAIRS.values():
        assert (
            repair.said[0].isupper()
            and repair.what[0] == repair.what[0].lower()
            or repair.what.startswith(("UTF", "HTML"))
        )


def test_an_inspection_is_shown_and_counts(outputs):
    found = quietly(inspect_outputs, outputs)
    commas = [number for number, text in enumerate(read_lines("bergamot-base"), start=1) if "," in text]
    assert found.systems == ("base", "new", "other")
    assert found.gravity_of("new") == MAY_CHANGE
    assert found.gravity_of("base") == ""
    assert not found.is_clean
    assert [line.segment for line in found.lines if line.code == "html-entities"] == commas[:3]
    everything = quietly(inspect_outputs, outputs, most_lines=None)
    assert sum(line.code == "html-entities" for line in everything.lines) == len(commas)
    shown = found._repr_html_()
    assert "<summary>Lines to look at</summary>" in shown
    assert "&amp;#44;" in shown  # escaped
    narrow = format_inspection(found, width=55)
    assert max(map(len, narrow.splitlines())) <= 55
    assert "html-entities" in narrow
    with pytest.raises(InputError, match="format 'latex' is not known"):
        format_inspection(found, "latex")
