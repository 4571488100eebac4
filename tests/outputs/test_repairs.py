"""Repairs of outputs: what each changes, that both sides are treated alike, and that nothing forgets it."""

import warnings

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import Bleu, ChrF
from mtworkbench.outputs.checks.frames import FrameRuns, check_outputs
from mtworkbench.outputs.checks.report import DOUBTS
from mtworkbench.outputs.repairs import REPAIRS, find_repairable, repair_outputs, repair_runs
from mtworkbench.outputs.text import make_outputs, read_run_by_run
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics import compute_statistics, load_statistics, save_statistics
from mtworkbench.statistics.merging import merge_statistics


def quietly(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return function(*args, **kwargs)


def outputs_of(references, **systems):
    return quietly(make_outputs, references, systems)


def repaired(text, code):
    """Repair one text, which is the reference and the output."""
    found = quietly(repair_outputs, outputs_of([text], a=[text]), code)
    assert found["reference"].tolist() == found["hypothesis"].tolist()
    changed = found["hypothesis"][0] != text
    assert [*found.get("repaired", [])] == [code] * changed  # what changes nothing is not noted
    return found["hypothesis"][0]


@pytest.mark.parametrize(
    "code, text, expected",
    [
        ("html-entities", "it&#39;s &quot;so&quot; &lt;b&gt; R&amp;D", 'it\'s "so" <b> R&D'),
        (
            "html-entities",
            "&copy AT&T &nbsp; &amp;amp;",
            "&copy AT&T &nbsp; &amp;",
        ),  # only what the check looks for, once
        ("lower-case", "The CAT ÄÖ", "the cat äö"),
        ("normalization", "cafe\u0301", "caf\u00e9"),
        ("invisible-chars", "a\u200bb\u00adc \u200e", "abc "),
        ("bpe-pieces", "the new@@ est ca@@ ts end@@", "the newest cats end"),
        ("sentencepiece-pieces", "\u2581the \u2581new est \u2581cats", "the newest cats"),
        ("sentencepiece-pieces", "as it is", "as it is"),
        ("mojibake", "cafÃ© â€“ naÃ¯ve", "café – naïve"),
        ("mojibake", "cafÃ© and 東", "cafÃ© and 東"),  # not exactly UTF-8 read as cp1252: left alone
        ("mojibake", "Ä, é", "Ä, é"),
        ("tokenization", "it 's well @-@ known , is n't it ?", "it's well-known, isn't it?"),
        ("tokenization", 'he said " no " , ( and left ) .', 'he said "no", (and left).'),
        ("tokenization", 'he said "no", (and left).', 'he said "no", (and left).'),
        ("upper-case", "THE Cat", "the cat"),
        ("title-case", "The Cat", "the cat"),
        ("double-spaces", "a  b   c", "a b c"),
        ("no-diacritics", "Škoda, naïve, Øre", "Skoda, naive, Øre"),
        ("no-punctuation", "So, (it's) \u201cgood\u201d.", "So it s good"),
        ("no-end-mark", "Is it ?!", "Is it"),
        ("no-end-mark", "...", "..."),
        ("zeros", "In 1999, 20 %", "In 0000, 00 %"),
        ("enclosed-lines", "\u201eGut.\u201c", "Gut."),
        ("enclosed-lines", "**(bold)**", "bold"),
        ("enclosed-lines", '"Yes", he said.', '"Yes", he said.'),
        ("tokenization", "3 . 5 and ... so", "3. 5 and... so"),
    ],
)
def test_what_a_repair_does_to_a_text(code, text, expected):
    assert repaired(text, code) == expected


@pytest.mark.parametrize(
    "code", [code for code, one in REPAIRS.items() if one.change is not None and code != "enclosed-lines"]
)
def test_a_second_repair_of_the_same_kind_changes_nothing(code):
    text = "It 's &quot; a @-@ b &quot; , ca@@ ts \u2581x \u200b cafe\u0301 Ã©."
    once = quietly(repair_outputs, outputs_of([text], a=[text]), code)
    pd.testing.assert_frame_equal(quietly(repair_outputs, once, [code]), once)


def test_what_was_done_is_said_in_the_past():
    assert REPAIRS["html-entities"].what == "HTML entities are replaced by their characters"
    assert REPAIRS["html-entities"].done == (
        "HTML entities were replaced by their characters, in outputs and references alike"
    )
    assert REPAIRS["zeros"].done == "all digits became 0, in outputs and references alike"
    assert REPAIRS["empty-hyp"].done == "segments in which some system has no text were left out for all systems"
    for repair in REPAIRS.values():
        assert not {"{", "}"} & {*repair.what, *repair.done}


def test_segments_are_left_out_for_all_systems():
    outputs = outputs_of(
        ["a b", "c d", "e f", "g h"], one=["a", "", "e", "g"], two=["a", "c", "No translation supplied.", " "]
    )
    with pytest.warns(DataWarning) as caught:
        found = repair_outputs(outputs, "empty-hyp")
    assert found["segment"].tolist() == [1, 3, 1, 3]  # numbers stay
    [said] = [str(one.message) for one in caught]
    assert said == (
        "Segments in which some system has no text are left out for all systems, as asked (empty-hyp): 2 of 4 segments."
    )
    assert quietly(repair_outputs, outputs, "no-translation")["segment"].tolist() == [1, 2, 4] * 2
    check_outputs(found)


def read_sample():
    """Return 200 real lines: the reference, and two outputs."""
    files = ("reference", "bergamot-base", "bergamot-tiny")
    texts = (find_shipped(f"data/flores/{name}.txt").read_text(encoding="utf-8") for name in files)
    return [one.split("\n")[:200] for one in texts]


@pytest.mark.parametrize(
    "change, code",
    [
        (lambda i, text: f"Here is the translation: {text}", "same-beginnings"),
        (lambda i, text: f"{text} [end of text]", "same-ends"),
        (lambda i, text: f"<<eng>> {text}" if i % 2 else f"Sure! {text}", "same-beginnings"),
    ],
)
def test_what_was_added_to_lines_is_taken_away_where_it_was_found(change, code):
    reference, first, output = read_sample()
    outputs = outputs_of(reference, a=first, b=[change(i, text) for i, text in enumerate(output)])
    found = quietly(repair_outputs, outputs, code)
    assert found["hypothesis"].tolist() == first + output
    assert found["reference"].tolist() == outputs["reference"].tolist()


def test_lines_that_begin_alike_by_nature_do_not_hide_what_was_added():
    reference, first, output = read_sample()
    texts = [f"Here {text}" if i < 3 else f"Here is the translation: {text}" for i, text in enumerate(output[:40])]
    found = quietly(repair_outputs, outputs_of(reference, a=first, b=[*texts, *output[40:]]), "same-beginnings")
    assert found["hypothesis"].tolist() == [*first, *texts[:3], *output[3:]]


def test_a_repair_that_changes_nothing_says_so_and_is_not_noted():
    outputs = outputs_of(["a", "b"], a=["a", "b"])
    with pytest.warns(DataWarning) as caught:
        assert repair_outputs(outputs, "same-beginnings,html-entities") is outputs
    assert [str(one.message) for one in caught] == [
        f"{code} was to be repaired, but that changes nothing here, so no signature names it."
        for code in ("html-entities", "same-beginnings")
    ]


def test_only_repairs_that_change_something_are_offered():
    outputs = outputs_of(["a &amp; b", "c"], a=["a & b", ""])
    offered = find_repairable(FrameRuns(outputs), ["html-entities", "lower-case", "same-ends", "empty-hyp", "signs"])
    assert offered == ["html-entities", "empty-hyp"]


def test_lines_that_a_decoder_repeats_are_left_out_for_all():
    reference, first, output = read_sample()
    stuck = [output[7] if i % 8 == 0 else text for i, text in enumerate(output)]
    found = quietly(repair_outputs, outputs_of(reference, a=first, b=stuck), "repeated-lines")
    assert found["segment"].tolist() == [i + 1 for i in range(200) if i % 8 and i != 7] * 2


def test_copies_are_left_out_and_the_first_is_kept():
    texts = [f"segment number {i}" for i in range(40)]
    outputs = outputs_of([*texts, *texts[:9]], a=[*texts, *texts[:9]])
    assert quietly(repair_outputs, outputs, "repeated-segments")["segment"].tolist() == [*range(1, 41)]


def test_nothing_is_left_out_where_nothing_would_be_left():
    with pytest.raises(InputError, match="no segment is left without these 2") as caught:
        repair_outputs(outputs_of(["a", "b"], a=["", "x"], b=["x", ""]), "empty-hyp")
    assert caught.value.code == "no-segments"


def test_what_cannot_be_repaired_names_what_can():
    with pytest.raises(InputError) as caught:
        repair_outputs(outputs_of(["a"], a=["a"]), ["suspected-shift"])
    assert caught.value.code == "unknown-repair"
    assert str(caught.value).startswith("'suspected-shift' cannot be repaired automatically. These can: mojibake, ")
    with pytest.raises(
        InputError, match="'html' is not the code of a repair, did you mean 'html-entities'\\? The codes"
    ):
        repair_outputs(outputs_of(["a"], a=["a"]), "lower-case, html")
    scores = pd.DataFrame({"system": ["a"], "run": [1], "segment": [1], "da": [1.0]})
    with pytest.raises(InputError, match="Scores without texts"):
        repair_outputs(scores, "lower-case")


def test_every_repair_is_of_a_doubt_that_can_be_accepted():
    assert set(REPAIRS) <= set(DOUBTS)


def test_repairs_are_made_in_one_order_noted_and_said():
    outputs = outputs_of(["&Auml; &QUOT;", "x"], a=["&quot;A", "B"])
    with pytest.warns(DataWarning) as caught:
        found = repair_outputs(outputs, ["lower-case", "html-entities"])
    assert found["hypothesis"].tolist() == ['"a', "b"]
    assert set(found["repaired"]) == {"html-entities+lower-case"}
    assert [(one.message.code, one.message.count) for one in caught] == [("repaired", 1), ("repaired", 3)]
    assert str(caught[1].message) == (
        "All text is lower-cased, as asked (lower-case): 3 texts: reference (1) and a (2)."
    )
    assert quietly(repair_outputs, found, ["tokenization", "html-entities"])["repaired"][0] == (
        "html-entities+lower-case"
    )  # nothing was tokenized
    assert repair_outputs(outputs, []) is outputs


def test_what_is_missing_stays_missing():
    outputs = outputs_of(["A", "B"], a=["A", "B"])
    outputs["reference_2"] = pd.Series(["C", None], dtype=object)
    outputs.loc[1, "hypothesis"] = None
    found = quietly(repair_outputs, outputs, "lower-case")
    assert found["reference_2"].tolist() == ["c", None]
    assert found["hypothesis"].tolist() == ["a", None]


def test_runs_on_demand_are_repaired_as_a_frame_is(tmp_path):
    for name, text in {"ref": "A &amp; b\nC\n", "x": "a &amp; B\n\n", "y": "A\nc\n"}.items():
        (tmp_path / name).write_text(text)
    systems = {name: str(tmp_path / name) for name in "xy"}
    runs = quietly(read_run_by_run, str(tmp_path / "ref"), systems)
    lazily = quietly(repair_runs, runs, ["html-entities", "empty-hyp"])
    at_once = quietly(repair_outputs, pd.concat(list(runs), ignore_index=True), ["empty-hyp", "html-entities"])
    assert len(lazily) == 2
    pd.testing.assert_frame_equal(pd.concat(list(lazily), ignore_index=True), at_once)
    assert at_once["hypothesis"].tolist() == ["a & B", "A"]


def test_the_note_is_the_same_in_all_rows_and_has_the_form_of_codes():
    outputs = outputs_of(["a", "b"], a=["a", "b"])
    for values in (["lower-case", None], ["Letter case"] * 2, ["lower-case", "html-entities"], ["a+"] * 2):
        with pytest.raises(InputError, match="'repaired' holds .* this name is kept for the note of what was repaired"):
            check_outputs(outputs.assign(repaired=values))


def test_statistics_keep_what_was_repaired(tmp_path):
    outputs = outputs_of(["A b", "C d"], a=["a b", "c d"])
    found = compute_statistics(quietly(repair_outputs, outputs, "lower-case"), Bleu())
    assert found.test_set.repaired == "lower-case"
    assert found.signature.endswith("|repaired:lower-case")
    assert found.test_set.columns == {}  # it is no group of segments
    assert found["a"].score()[0, 0] == pytest.approx(
        compute_statistics(outputs, Bleu(lowercase=True))["a"].score()[0, 0]
    )
    save_statistics(tmp_path / "x.stats", found)
    [loaded] = load_statistics(tmp_path / "x.stats")
    assert loaded == found
    assert loaded.test_set.repaired == "lower-case"


def test_other_repairs_are_never_compared():
    outputs = outputs_of(["a b", "c d"], a=["a &amp; b", "c d"])
    repaired_outputs = quietly(repair_outputs, outputs, "html-entities")
    one, other = compute_statistics(outputs, Bleu()), compute_statistics(repaired_outputs, ChrF())
    assert one.test_set.references == other.test_set.references
    with pytest.raises(InputError, match="differ in what was repaired \\(nothing and html-entities\\)") as caught:
        merge_statistics(one, other)
    assert caught.value.code == "different-repairs"


def test_scores_and_notes_of_the_outputs_travel_along():
    outputs = outputs_of(["A", "B"], a=["A", "B"]).assign(da=[1.0, 2.0], domain=["x", "x"])
    found = quietly(repair_outputs, outputs, "lower-case")
    assert found["da"].tolist() == [1.0, 2.0]
    assert list(found.columns) == [*outputs.columns, "repaired"]
    assert np.array_equal(found.index, outputs.index)
    assert len(FrameRuns(found)) == 1
