"""Doubts about the data travel from the texts to every view; a grave one comes before the verdict."""

import csv
import html
import io
import json
import re
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from mtworkbench import cli
from mtworkbench.analyses.conventions import conventions
from mtworkbench.assumptions import BREAKS, GRAVITIES, INFORMS, MAY_CHANGE, Doubt
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import compare, optimizer_variance, plan_test_set
from mtworkbench.metrics import Length
from mtworkbench.outputs.checks import characters
from mtworkbench.outputs.checks.contrasts import CONTRASTS
from mtworkbench.outputs.checks.oddities import KINDS
from mtworkbench.outputs.checks.report import ACCEPTABLE, DOUBTS
from mtworkbench.outputs.checks.traits import TRAITS
from mtworkbench.outputs.text import make_outputs, read_outputs, read_run_by_run
from mtworkbench.plots import draw_comparison
from mtworkbench.statistics.contents import describe_doubts, read_doubts
from mtworkbench.statistics.files import load_statistics, save_statistics
from mtworkbench.statistics.merging import merge_statistics
from mtworkbench.statistics.segment_statistics import DescribedRuns, compute_run_by_run, compute_statistics
from mtworkbench.tables import (
    describe_comparison,
    format_campaign,
    format_comparison,
    format_conventions,
    format_multeval,
    format_plan,
    format_variance,
    frame_to_csv,
    tabulate_statistics,
)
from mtworkbench.words.concerns import FIRST, NOTED

from .test_assumptions import views

pytestmark = [
    pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning"),
    pytest.mark.usefixtures("own_figures"),
]
REFERENCE = [f"the cat number {i} sat on mat {7 * i} near house {3 * i} today" for i in range(40)]
BASE = [text.replace("today", "now") for text in REFERENCE]


def tweaked(system):
    """Outputs that are in order, other ones for each name."""
    return [text.replace("cat", system) for text in BASE]


#: What makes outputs wrong, with the gravity of the doubt.
WRONG = {
    "suspected-shift": (BREAKS, lambda texts: texts[1:] + texts[:1]),
    "suspected-order": (BREAKS, lambda texts: texts[::-1]),
    "hyp-is-ref": (BREAKS, lambda texts: REFERENCE),
    "all-empty": (BREAKS, lambda texts: [""] * len(texts)),
    "html-entities": (MAY_CHANGE, lambda texts: [text.replace("near", "&quot;near&quot;") for text in texts]),
    "numbered-lines": (MAY_CHANGE, lambda texts: [f"{i} {text}" for i, text in enumerate(texts)]),
    "bpe-pieces": (MAY_CHANGE, lambda texts: [f"a@@ {text}" for text in texts]),
    "empty-hyp": (MAY_CHANGE, lambda texts: ["", *texts[1:]]),
    "tab": (INFORMS, lambda texts: ["a\tb", *texts[1:]]),
}
OF_EACH_GRAVITY = pytest.mark.parametrize("code", ["suspected-shift", "numbered-lines", "tab"])


def outputs(*codes, accept=(), **named):
    """The outputs of a good baseline, of a good system, and of one for each kind of damage, called as that is."""
    systems = {"base": BASE, "good": tweaked("good")}
    systems |= {code: WRONG[code][1](tweaked(code)) for code in codes} | named
    return make_outputs(REFERENCE, systems, accept=accept)


def statistics(*codes, **given):
    return compute_statistics(outputs(*codes, **given), "bleu")


@cache
def found(*codes, accept=()):
    return compare(statistics(*codes, accept=accept), "base", n_trials=500, rng=1)


def codes_of(result):
    return [one.code for one in result.doubts]


# ---- what a doubt is


def test_what_any_check_finds_can_be_accepted():
    """A code that is in no list of these would be refused by accept."""
    written = {*KINDS, *(one.code for one in (*TRAITS, *CONTRASTS)), *characters._WHAT_WAS_NOTICED}
    written |= {"repeated-segments"}
    assert written == {*DOUBTS} <= {*ACCEPTABLE}


@pytest.mark.parametrize("code", WRONG)
def test_a_doubt_has_its_system_share_and_segments(code):
    [doubt] = statistics(code).doubts
    gravity = WRONG[code][0]
    assert (doubt.code, doubt.gravity, doubt.systems, doubt.n_segments) == (code, gravity, (code,), 40)
    assert doubt.segments[0] in (1, 2) and len(doubt.segments) == min(doubt.n_found, 10)
    assert doubt.share == doubt.n_found / 40
    assert doubt.sentence.startswith(f"{doubt.n_found} of 40 segments of {code} ") and doubt.sentence.endswith(".")
    assert doubt.matters is (gravity != INFORMS)


def test_runs_of_a_system_have_one_doubt():
    shifted = [tweaked("one"), WRONG["tab"][1](tweaked("two")), WRONG["tab"][1](tweaked("three"))]
    [doubt] = statistics(several=shifted).doubts
    assert (doubt.systems, doubt.n_found, doubt.n_segments, doubt.segments) == (("several",), 2, 80, (1,))


def test_copies_are_a_doubt_about_both():
    [doubt] = statistics(copy=BASE).doubts
    assert (doubt.code, doubt.systems) == ("identical-systems", ("base", "copy"))
    assert doubt.sentence == "40 of 40 segments of base and copy are identical."


def test_a_doubt_about_the_reference_concerns_all():
    made = make_outputs(
        ["a\u2581b", *REFERENCE[1:]], {"base": BASE, "good": tweaked("good"), "third": tweaked("third")}
    )
    of_all = compute_statistics(made, "bleu")
    part = replace(of_all, values={name: of_all.values[name] for name in ("base", "third")})
    for one in (of_all, part):
        [doubt] = one.doubts
        assert (doubt.systems, doubt.sentence) == (
            (),
            "1 of 40 segments of the reference have SentencePiece's mark (U+2581) before words, the first in "
            "segment 1.",
        )


# ---- frames


def test_a_system_that_is_left_out_of_a_frame_takes_its_doubts_along():
    both = outputs("suspected-shift", "html-entities")
    assert codes_of(compute_statistics(both, "bleu")) == ["suspected-shift", "html-entities"]
    assert codes_of(compute_statistics(both[both["system"] != "suspected-shift"], "bleu")) == ["html-entities"]


def test_texts_that_were_repaired_are_in_doubt_no_more():
    both = outputs("suspected-shift", "html-entities")
    both["hypothesis"] = both["hypothesis"].map(html.unescape)
    assert codes_of(compute_statistics(both, "bleu")) == ["suspected-shift"]


def test_a_frame_made_by_hand_is_looked_at():
    made = outputs()
    made.loc[made["system"] == "good", "hypothesis"] = REFERENCE
    assert codes_of(compute_statistics(made, "bleu")) == ["hyp-is-ref"]


def test_segments_are_those_of_the_frame():
    some = outputs("html-entities")
    some = some[some["segment"] > 20]
    [doubt] = compute_statistics(some, "bleu").doubts
    assert (doubt.segments, doubt.n_segments) == (tuple(range(21, 31)), 20)


def test_repeated_segments_of_a_frame_are_a_grave_doubt():
    twice = make_outputs(REFERENCE * 2, {"a": BASE * 2}, accept="repeated-segments").drop(columns="accepted_doubts")
    [doubt] = compute_statistics(twice, "bleu").doubts
    assert (doubt.code, doubt.gravity, doubt.n_found, doubt.segments[0]) == ("repeated-segments", BREAKS, 40, 41)


@pytest.mark.parametrize("accept", [(), ("tab", "hyp-is-ref"), ("nfc",)])
def test_the_terminals_reader_and_a_second_look_have_the_same_doubts(tmp_path, accept):
    """Texts that are read run by run are looked at by the reader, those of a frame by `compute_statistics`."""

    def write(name, texts):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        return str(tmp_path / name)

    first = ["a\u2581b", *REFERENCE[1:]]
    references = [write("ref1", first), write("ref2", [f"{text}\tx" for text in REFERENCE])]
    systems = {
        "runs": [write("runs.1", WRONG["tab"][1](tweaked("one"))), write("runs.2", WRONG["suspected-order"][1](BASE))],
        "source": write("source", WRONG["html-entities"][1](tweaked("source"))),
        "copy": write("copy", first),
        "again": write("again", first),
        "e\u0301": write("accents", [*["e\u0301"] * 30, *BASE[30:]]),
    }
    given = {"source": write("src", WRONG["html-entities"][1](tweaked("source"))), "accept": accept}
    by_frame = compute_statistics(read_outputs(references, systems, **given), "length").doubts
    by_run = compute_run_by_run(DescribedRuns(read_run_by_run(references, systems, **given)), Length()).doubts
    assert by_run == by_frame
    assert {one.code for one in by_run} >= {"tab", "sentencepiece-pieces", "hyp-is-ref", "identical-systems"}
    assert {one.code for one in by_run if one.accepted} == {*accept} - {"nfc"}


# ---- files


@pytest.fixture(params=["file", "table"])
def reload(request, tmp_path):
    def save_and_load(*several):
        paths = [str(tmp_path / f"{number}.stats") for number, _ in enumerate(several)]
        for path, one in zip(paths, several, strict=True):
            if request.param == "file":
                save_statistics(path, one)
            else:
                Path(path).write_text(frame_to_csv(tabulate_statistics([one]), separator="\t"), encoding="utf-8")
        return load_statistics(*paths)[0]

    return save_and_load


def only(statistics, *systems):
    return replace(statistics, values={name: statistics.values[name] for name in systems})


def test_files_keep_doubts(reload):
    made = statistics("suspected-shift", "tab", accept=["tab"])
    assert [one.accepted for one in made.doubts] == [False, True]
    assert reload(made).doubts == made.doubts


def test_merged_files_have_the_doubts_of_all(reload):
    made = statistics("suspected-shift", copy=BASE)
    parts = [only(made, name) for name in made]
    assert [codes_of(one) for one in parts] == [[], [], ["suspected-shift"], []]
    assert {*reload(*parts).doubts} == {*made.doubts}
    assert codes_of(reload(parts[0], parts[1])) == []
    assert codes_of(reload(parts[0], parts[3])) == ["identical-systems"]
    assert {*merge_statistics(*parts)[0].doubts} == {*made.doubts}


def test_statistics_without_doubts_are_written_as_before(reload):
    made = statistics()
    assert made.doubts == reload(made).doubts == ()
    assert "doubts" not in tabulate_statistics([made])


def test_a_table_says_them_once():
    column = tabulate_statistics([statistics("tab")])["doubts"].tolist()
    assert read_doubts(json.loads(column[0])) == statistics("tab").doubts
    assert {*column[1:]} == {""}


ODD = {
    "no list": {},
    "no record": ["x"],
    "no code": [{"sentence": "X."}],
    "a number as text": [{"code": "x", "sentence": 1}],
    "text as a number": [{"code": "x", "sentence": "X.", "n_found": "1"}],
    "true as a number": [{"code": "x", "sentence": "X.", "n_found": True}],
    "below 0": [{"code": "x", "sentence": "X.", "n_found": -1}],
    "one text for several": [{"code": "x", "sentence": "X.", "systems": "ab"}],
    "numbers for names": [{"code": "x", "sentence": "X.", "systems": [1]}],
    "a gravity": [{"code": "x", "sentence": "X.", "gravity": "grave"}],
    "too many": [{"code": "x", "sentence": "X."}] * 10_001,
}


@pytest.mark.parametrize("odd", ODD)
def test_what_anybody_wrote_is_no_doubt(odd):
    with pytest.raises(ValueError, match="doubt"):
        read_doubts(ODD[odd])


def test_what_steers_a_terminal_is_written_as_an_escape():
    [written] = describe_doubts([Doubt("x", "a\x1b[2J.", systems=("a",))], ["a"])
    assert written == {"code": "x", "sentence": "a\\x1b[2J.", "systems": ["a"]}
    assert describe_doubts([Doubt("x", "X.", systems=("a",))], ["b"]) == []


# ---- comparisons


def test_a_system_that_is_not_compared_brings_no_doubt():
    made = statistics("suspected-shift", "html-entities")
    assert codes_of(compare(made, "base", n_trials=500, rng=1)) == ["suspected-shift", "html-entities"]
    part = compare(only(made, "base", "html-entities"), "base", n_trials=500, rng=1)
    assert codes_of(part) == codes_of(part.metrics["BLEU"]) == ["html-entities"]


def test_a_reference_that_people_have_judged_is_no_mistake():
    made = outputs("hyp-is-ref").assign(judged=[float(i % 7) for i in range(120)])
    judged, bleu = compute_statistics(made, ["judged", "bleu"])
    [doubt] = compare(judged, "base", n_trials=500, rng=1).doubts
    assert (doubt.code, doubt.gravity) == ("hyp-is-ref", INFORMS)
    assert compare([judged, bleu], "base", n_trials=500, rng=1).doubts[0].gravity == BREAKS


def test_plans_of_texts_and_of_scores_say_a_doubt_once():
    frame = outputs("hyp-is-ref", some=[text.replace("mat", "rug") if i % 3 else text for i, text in enumerate(BASE)])
    frame["score"] = 0.5 + 0.01 * (frame.index % 7)
    texts, scores = compute_statistics(frame, "bleu"), compute_statistics(frame, "score")
    plans = [plan_test_set(one["hyp-is-ref"], one["some"], difference=0.1) for one in (texts, scores)]
    assert [[doubt.gravity for doubt in plan.doubts] for plan in plans] == [[BREAKS], [INFORMS]]
    for ordered in (plans, plans[::-1]):
        [doubt] = json.loads(format_plan(ordered, "json"))["doubts"]
        assert (doubt["code"], doubt["gravity"]) == ("hyp-is-ref", BREAKS)
        assert format_plan(ordered, "text").count("identical to a reference") == 1


def on_sets(codes=(("suspected-shift",), ("suspected-shift", "tab"))):
    """Two sets with the same systems: those of the first without their damage where only the second has it."""
    names = dict.fromkeys(code for own in codes for code in own)
    sets = {}
    for number, own in enumerate(codes, start=1):
        reference = [f"{text} {number}" for text in REFERENCE]
        systems = {"base": [f"{text} {number}" for text in BASE]}
        for name in names:
            texts = [f"{text} {number}" for text in tweaked(name)]
            systems[name] = WRONG[name][1](texts) if name in own else texts
        sets[f"set {number}"] = compute_statistics(make_outputs(reference, systems), "bleu")
    return compare(sets, "base", n_trials=500, rng=1)


def test_over_several_sets_doubts_are_those_of_each_set():
    campaign = on_sets()
    assert [(one.code, one.test_set) for one in campaign.doubts] == [
        ("suspected-shift", "set 1"),
        ("suspected-shift", "set 2"),
        ("tab", "set 2"),
    ]
    assert codes_of(campaign.of_set("set 1")) == ["suspected-shift"]
    both = "suspected-shift (set 1: 40, set 2: 40)"
    [joined] = campaign.concerns.before
    assert joined.sentence == f"80 segments of {both} match the reference of an earlier or later segment."
    assert [view for view, text in views(campaign).items() if joined.sentence not in text] == []
    rows = [*csv.DictReader(io.StringIO(format_campaign(campaign, "csv")))]
    doubted = {(row["a"], row["row"], row["test_set"]): row["doubts"] for row in rows}
    assert doubted["suspected-shift", "one test set", "set 1"] == "suspected-shift"
    assert doubted["tab", "all test sets", ""] == ""  # for information


def test_one_set_of_several_is_named():
    campaign = on_sets(((), ("suspected-shift",)))
    [one] = campaign.concerns.before
    assert one.sentence.startswith("set 2: 40 of 40 segments of suspected-shift match ")
    rows = csv.DictReader(io.StringIO(format_campaign(campaign, "csv")))
    doubted = {row["test_set"]: row["doubts"] for row in rows}
    assert doubted == {"": "suspected-shift", "set 1": "", "set 2": "suspected-shift"}


# ---- views


@OF_EACH_GRAVITY
def test_each_view_says_it_in_its_place(code):
    comparison = found(code)
    [doubt] = comparison.doubts
    texts = views(comparison)
    saying = [view for view, text in texts.items() if doubt.sentence in text]
    assert {*saying} == ({"text, details", "html"} if doubt.gravity == INFORMS else {*texts})
    once = ("text", "text, details", "html", "paragraph", "headline", "figure")
    assert all(texts[view].count(doubt.sentence) <= 1 for view in once)
    verdict = "17.43"  # the first difference
    where = ["text", "text, details", "markdown", "latex, comment", "html", "paragraph", "headline"]
    assert all(verdict in texts[view] for view in where)
    before = [
        view for view in saying if view in where and texts[view].index(doubt.sentence) < texts[view].index(verdict)
    ]
    assert before == ([view for view in texts if view in where] if doubt.gravity == BREAKS else [])


def test_a_grave_doubt_is_announced():
    comparison = found("suspected-shift")
    [doubt] = comparison.doubts
    assert comparison.headline[0] == f"{FIRST}: {doubt.say(advise=True)}"
    assert f"{NOTED}: {doubt.say()}" in describe_comparison(comparison)
    assert f"{FIRST}: " in comparison.metrics["BLEU"]._repr_html_()
    assert f"{NOTED}: {doubt.say()}" in describe_comparison(comparison.metrics["BLEU"])
    assert format_multeval(comparison).startswith(f"{FIRST}: ")
    assert f"{FIRST}: " in statistics("suspected-shift")._repr_html_()
    figure = draw_comparison(comparison.metrics["BLEU"])
    assert doubt.sentence in " ".join(text.get_text() for text in figure.texts).replace("\n", " ")


def test_what_is_in_order_has_no_doubts():
    comparison = found()
    assert comparison.doubts == () == comparison.concerns.before
    assert FIRST not in " ".join(comparison.headline)
    assert json.loads(format_comparison(comparison, "json"))["doubts"] == []


def test_a_reader_with_six_wrong_systems_sees_them_all():
    wrong = [code for code, (gravity, _) in WRONG.items() if gravity != INFORMS]
    comparison = found(*wrong)
    first = comparison.headline[0]
    assert first.startswith(f"{FIRST}: 4 systems may have wrong files: ")
    assert all(f"{code} ({code})" in first for code in wrong if WRONG[code][0] == BREAKS)
    said = " ".join(comparison.headline)
    assert all(f"{code} ({code})" in said for code in wrong)
    text = " ".join(format_comparison(comparison, "text", all_columns=True).split())
    assert all(doubt.say(advise=True) in text for doubt in comparison.doubts)  # below the tables


@pytest.mark.parametrize(
    ("systems", "said"),
    [
        ((), "The references may be wrong: the references (x0, x1, x2, x3)."),
        (("a",), "1 system may have wrong files: a (x0, x1, x2, x3)."),
        (("a", "b"), "2 systems may have wrong files: a and b (x0, x1, x2, x3)."),
    ],
)
def test_many_doubts_about_few(systems, said):
    many = tuple(Doubt(f"x{i}", f"X{i}.", gravity=BREAKS, systems=systems) for i in range(4))
    [one] = replace(found(), doubts=many).concerns.before
    assert one.sentence == said  # each system is named once
    assert [doubt.sentence for doubt in replace(found(), doubts=many[:3]).concerns.before] == ["X0.", "X1.", "X2."]


def test_the_same_of_several_systems_is_one_sentence():
    several = statistics(**{name: WRONG["html-entities"][1](tweaked(name)) for name in "abcdefgh"})
    [one] = compare(several, "base", n_trials=500, rng=1).concerns.after[:1]
    named = "a (40), b (40), c (40), d (40), e (40), f (40), g (40) and h (40)"
    share = "(in the references: none)"
    assert one.sentence == f"320 segments of {named} have HTML entities such as &quot; {share}."


def test_the_data_have_every_doubt():
    written = json.loads(format_comparison(found("suspected-shift", "tab"), "json"))["doubts"]
    assert [(one["code"], one["systems"], one["share"], one["accepted"]) for one in written] == [
        ("suspected-shift", ["suspected-shift"], 1.0, False),
        ("tab", ["tab"], 1 / 40, False),
    ]
    assert {*written[0]} >= {
        "sentence",
        "consequence",
        "advice",
        "gravity",
        "n_found",
        "n_segments",
        "segments",
        "test_set",
    }
    rows = [*csv.DictReader(io.StringIO(format_comparison(found("suspected-shift", "html-entities"), "csv")))]
    assert {row["a"]: row["doubts"] for row in rows} == {
        "good": "",
        "suspected-shift": "suspected-shift",
        "html-entities": "html-entities",
    }


HOSTILE = "<b>x_1</b>&$y^2$%#"


def test_names_are_data_in_every_view():
    comparison = compare(
        statistics(**{HOSTILE: WRONG["suspected-shift"][1](tweaked("x"))}), "base", n_trials=500, rng=1
    )
    [doubt] = comparison.doubts
    assert doubt.sentence.startswith(f"40 of 40 segments of {HOSTILE} match ")
    shown = comparison._repr_html_()
    assert "<b>x_1" not in shown
    assert f"{FIRST}: 40 of 40 segments of {html.escape(HOSTILE)} match " in shown
    [caption] = re.findall(r"\\caption{(.*)}$", format_comparison(comparison, "latex"), flags=re.MULTILINE)
    said = caption.partition("40 of 40 segments of ")[2].partition(" match ")[0]
    assert r"x\_1" in said and r"\&" in said and r"\$y" in said and r"\%\#" in said


# ---- accepted


@pytest.mark.parametrize("code", WRONG)
def test_what_is_accepted_is_in_the_signature_and_the_data_alone(code):
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        made = outputs(code, accept=[code])
    assert set(made["accepted_doubts"]) == {code}
    comparison = found(code, accept=(code,))
    [doubt] = comparison.doubts
    assert doubt.accepted and not doubt.matters
    assert f"|accepted:{code}|" in comparison.signature
    assert [view for view, text in views(comparison).items() if doubt.sentence in text] == []
    [written] = json.loads(format_comparison(comparison, "json"))["doubts"]
    assert written["accepted"] is True
    assert {row["doubts"] for row in csv.DictReader(io.StringIO(format_comparison(comparison, "csv")))} == {""}


def test_what_is_accepted_but_not_there_leaves_no_note():
    assert "accepted_doubts" not in outputs("tab", accept=["html-entities"])
    assert "accepted" not in found("tab", accept=("html-entities",)).signature


def test_the_note_of_what_was_accepted_is_the_readers():
    made = outputs("tab", "bpe-pieces", accept=["tab", "bpe-pieces"])
    assert set(made["accepted_doubts"]) == {"bpe-pieces, tab"}
    for odd in ("yes", "", None):
        made["accepted_doubts"] = odd
        with pytest.raises(InputError, match="this name is kept for the readers' note of what was accepted"):
            compute_statistics(made, "bleu")


# ---- the terminal


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = {"ref": REFERENCE, "base": BASE, "new": WRONG["suspected-shift"][1](tweaked("new"))}
    texts["new"][5] = "a\tb"
    for name, lines in texts.items():
        Path(f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return ["ref.txt", "base.txt", "new.txt", "--rng", "1"]


def run(capsys, *arguments):
    assert cli.main([*arguments]) == 0
    out, err = capsys.readouterr()
    return " ".join(out.split()), err


def test_the_terminal_says_a_doubt_once(files, capsys):
    """What matters stands above the tables; what is for information is in the details, or is said as a warning."""
    out, err = run(capsys, "compare", *files)
    assert out.startswith(f"{FIRST}: 39 of 40 segments of new match ")
    assert out.count("match the reference of an earlier") == err.count("have tabs") == 1
    assert "match the reference" not in err and "have tabs" not in out
    out, err = run(capsys, "compare", *files, "--details")
    assert out.count("match the reference of an earlier") == out.count("have tabs") == 1
    assert "match the reference" not in err and "have tabs" not in err
    out, err = run(capsys, "compare", *files, "--conventions")
    assert out.count("match the reference of an earlier") == out.count("have tabs") == 1
    assert "match the reference" not in err and "have tabs" not in err
    several = ["--output", "both.txt", "--output", "both.json"]
    for further in (["--format", "csv"], ["--format", "latex"], ["--output", "out.txt"], several):
        _, err = run(capsys, "compare", *files, *further)
        assert err.count("39 of 40 segments of new.txt match the reference") == 1, further
    for further in (["--output", "out.json"], ["--output", "out.json", "--output", "again.json"]):
        assert "match the reference" not in run(capsys, "compare", *files, *further)[1]
    written, err = run(capsys, "compare", *files, "--format", "json")
    assert "match the reference" not in err
    assert [one["code"] for one in json.loads(written)["doubts"]] == ["suspected-shift", "tab"]


def test_doubts_are_said_although_the_work_fails(files, capsys):
    assert cli.main(["compare", *files, "--unit", "document"]) != 0
    assert capsys.readouterr().err.count("39 of 40 segments of new.txt match the reference") == 1


def test_the_terminal_accepts_a_doubt(files, capsys):
    out, err = run(capsys, "compare", *files, "--accept", "suspected-shift", "--accept", "tab")
    assert FIRST not in out and "match the reference" not in out + err
    assert "|accepted:suspected-shift,tab|" in out


def test_saved_statistics_say_their_doubts(files, capsys):
    run(capsys, "statistics", *files[:3], "--output", "saved.stats")
    out, err = run(capsys, "compare", "--statistics", "saved.stats", "--rng", "1")
    assert f"{FIRST}: 39 of 40 segments of new match " in out and err == ""
    assert "39 of 40 segments of new match the reference" in run(capsys, "score", "saved.stats")[1]
    for command in (["variance", "--rng", "1"], ["plan", "--difference", "1"]):
        out, err = run(capsys, *command, "--statistics", "saved.stats")
        assert f"{FIRST}: 39 of 40 segments of new match " in out and "match the reference" not in err, command


def test_gravities_rise_in_the_order_of_doubts():
    several = [one.gravity for one in found("tab", "html-entities", "suspected-shift").doubts]
    assert several == sorted(several, key=GRAVITIES.index) == [BREAKS, MAY_CHANGE, INFORMS]


@pytest.mark.parametrize("field", ["sentence", "advice", "what", "systems"])
def test_a_doubt_of_a_file_steers_no_terminal_and_ends_no_comment(field):
    described = {"code": "x", "sentence": "X."}
    for bad in ("\x1b[31m", "a\nb", "\u202e"):
        with pytest.raises(ValueError, match=f"a doubt with a control character in its {field}"):
            read_doubts([described | {field: [bad] if field == "systems" else bad}])
    assert read_doubts([described | {"what": "日本 é \u00ad"}])[0].what == "日本 é \u00ad"


def test_the_doubts_of_a_part_say_that_they_are_of_the_whole():
    whole = statistics("suspected-shift", "tab")
    first = whole.take(range(10))
    assert [one.sentence for one in first.doubts] == [f"In the whole test set, {one.sentence}" for one in whole.doubts]
    assert all(number <= 10 for one in first.doubts for number in one.segments)
    assert [one.sentence for one in first.take([0, 1]).doubts] == [one.sentence for one in first.doubts]
    assert whole.take(range(len(whole.test_set))[::-1]).doubts == whole.doubts


def test_the_statistics_of_a_system_have_its_doubts():
    every = statistics("tab")
    [doubt] = every.doubts
    assert {name: every[name].doubts for name in every} == {
        name: (doubt,) if name in doubt.systems else () for name in every
    }


def other_results(code, accept=()):
    """What is found of two systems besides a comparison, in all formats."""
    varied = [text.replace("sat", "stood") if i % 3 else text for i, text in enumerate(tweaked("varied"))]
    every = statistics(code, accept=accept, varied=varied)
    [doubt] = every.doubts
    a, b = every[doubt.systems[0]], every["varied"]
    for result, format_result in (
        (plan_test_set(a, b), format_plan),
        (conventions(a, b, n_resamples=100, n_trials=100, rng=1), lambda one, form: format_conventions([one], form)),
        (optimizer_variance(every, n_resamples=100, rng=1), format_variance),
    ):
        yield doubt, result, {form: format_result(result, form) for form in ("text", "json")}


@pytest.mark.parametrize("code", ["suspected-shift", "bpe-pieces"])
def test_plans_conventions_and_variances_say_them(code):
    for doubt, result, formats in other_results(code):
        assert result.doubts == (doubt,)
        assert [one["code"] for one in json.loads(formats["json"])["doubts"]] == [code]
        for text in (formats["text"], html.unescape(result._repr_html_())):
            assert doubt.sentence in " ".join(text.split())
            assert (FIRST in text) == (doubt.gravity == BREAKS)


def test_they_name_what_is_accepted():
    for doubt, result, formats in other_results("bpe-pieces", accept=["bpe-pieces"]):
        said = f"Accepted doubts about the data: bpe-pieces ({', '.join(doubt.systems)})."
        for text in (formats["text"], html.unescape(result._repr_html_())):
            assert said in " ".join(text.split())
            assert doubt.sentence not in " ".join(text.split())


def test_details_and_latex_name_what_is_accepted():
    comparison = found("tab", accept=("tab",))
    [doubt] = comparison.doubts
    said = f"Accepted doubts about the data: tab ({', '.join(doubt.systems)})."
    assert said in " ".join(html.unescape(comparison._repr_html_()).split())
    assert f"% {said}" in format_comparison(comparison, "latex")
