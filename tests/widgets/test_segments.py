"""The browser of segments without a page: what passes a filter, what is shown, and what is taken away."""

import csv
import gc
import io
import json
import re
import weakref
from html.parser import HTMLParser

import numpy as np
import pytest

import mtworkbench as mtw
from mtworkbench.analyses.segments.exports import segments_to_html
from mtworkbench.analyses.segments.ngrams import match_ngrams, tabulate_matches
from mtworkbench.analyses.segments.pages import make_pages
from mtworkbench.analyses.segments.queries import QUERY, find_pattern, find_text
from mtworkbench.inference.replications import median_run

# Test sets of a few segments are warned about.
pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
REFERENCE = ["the cat sat on the mat", "a dog barked at 3 cats", "rain falls", "he said no"]
NEW = ["the cat sat on the mat", "a dog barked at 3 cats", "it is raining cats and dogs today again", ""]
OLD = ["the cat lay on a mat", "one dog barked at 4 cats", "rain falls", "he said no"]
DOCUMENTS = ["first", "first", "second", "second"]


@pytest.fixture(scope="module")
def made():
    outputs = mtw.make_outputs(REFERENCE, {"new": NEW, "old": OLD}, documents=DOCUMENTS)
    return outputs, mtw.compute_statistics(outputs, "chrf")


@pytest.fixture(scope="module")
def flores():
    folder = mtw.find_shipped("data/flores")
    systems = {name: folder / f"bergamot-{name}.txt" for name in ("base", "base-memory", "tiny")}
    with pytest.warns(mtw.DataWarning, match="invisible"):
        outputs = mtw.read_outputs(folder / "reference.txt", systems)
    return outputs, mtw.compute_statistics(outputs, "bleu")


@pytest.fixture
def segments(made):
    return mtw.explore_segments(*made, "new", "old", rng=1)


def ask(segments, kind, /, **asked):
    segments._receive(None, {"kind": kind, **asked})
    return segments.page["complaint"]


def test_the_first_page_has_the_largest_contributions(flores):
    segments = mtw.explore_segments(*flores, "base", "tiny", rng=1)
    expected = mtw.analyses.segment_contributions(*flores, "base", "tiny").sort_values(
        "contribution", ascending=False, kind="stable"
    )
    assert segments.frame["segment"].tolist() == expected["segment"].tolist()
    assert [row["segment"] for row in segments.page["rows"]] == expected["segment"].head(60).tolist()
    statistics = flores[1]
    difference = statistics["base"].score()[0] - statistics["tiny"].score()[0]
    assert segments.about["difference"] == f"{difference[0]:+.2f}"
    assert segments.frame["contribution"].sum() == pytest.approx(difference[0], abs=1e-6)
    json.dumps([segments.about, segments.page, segments.query])


def test_a_browser_that_is_closed_is_let_go(made):
    segments = mtw.explore_segments(*made, "new", "old", rng=1)
    segments.close()
    known = weakref.ref(segments)
    del segments
    gc.collect()
    assert known() is None


def test_windows_follow_each_other_and_end_at_the_last_row(flores):
    segments = mtw.explore_segments(*flores, "base", "tiny", rng=1)
    whole = segments.frame["segment"].tolist()
    for start, first in ((30, 30), (1000, 952), (-5, 0)):
        assert ask(segments, "window", start=start) == ""
        assert segments.page["start"] == first
        assert [row["segment"] for row in segments.page["rows"]] == whole[first : first + 60]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"sort": "segment"}, [4, 3, 2, 1]),
        ({"sort": "segment", "descending": False}, [1, 2, 3, 4]),
        ({"sort": "length_reference"}, [1, 2, 4, 3]),
        ({"sort": "document", "descending": False}, [1, 2, 3, 4]),
        ({"sort": "document"}, [3, 4, 1, 2]),
        ({"text": "CATS", "sort": "segment"}, [3, 2]),
        ({"text": "cats", "within": "reference"}, [2]),
        ({"text": r"\bcats?\b.*mat$", "pattern": True}, [1]),
        ({"text": r"\d CATS", "pattern": True, "within": "hypothesis_baseline"}, [2]),
        ({"text": "(cat"}, []),
        ({"document": "second", "sort": "segment"}, [4, 3]),
        ({"document": "third"}, []),
        ({"shortest": 6, "sort": "segment"}, [2, 1]),
        ({"longest": 2}, [3]),
        ({"shortest": 3, "longest": 5}, [4]),
        ({"flag": "empty"}, [4]),
        ({"flag": "empty", "flagged": "old"}, []),
        ({"flag": "empty", "flagged": "new"}, [4]),
        ({"flag": "number_changed", "flagged": "old"}, [2]),
        ({"ngram": "the", "sort": "segment"}, [1]),
        ({"ngram": "he said", "sort": "segment"}, [4]),
        ({"segments": [2, 4], "sort": "segment"}, [4, 2]),
        ({"selected": True}, []),
    ],
)
def test_a_query_finds_what_it_should(segments, query, expected):
    segments.query = query
    assert segments.frame["segment"].tolist() == expected
    assert [row["segment"] for row in segments.page["rows"]] == expected
    assert segments.page["total"] == len(expected)


def test_the_selection_is_followed(segments):
    ask(segments, "selection", segments=[3], on=True)
    ask(segments, "selection", segments=[1], on=True)
    ask(segments, "query", query={"selected": True, "sort": "segment"}, asked="1")
    assert segments.frame["segment"].tolist() == [3, 1]
    ask(segments, "selection", segments=[3], on=False)
    assert segments.selection == segments.frame["segment"].tolist() == [1]
    ask(segments, "query", query={"sort": "segment"}, asked="2")
    ask(segments, "first", count=2)
    assert segments.selection == [1, 3, 4]
    ask(segments, "none", of="selection")
    assert segments.selection == []


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        (
            {"text": "(", "pattern": True},
            "'(' is not a regular expression: missing ), unterminated subpattern at position 0.",
        ),
        (
            {"sort": "beauty"},
            "sort is 'beauty', but there are only 'contribution', 'change', 'segment', 'document', 'length', "
            "'length_baseline', 'length_reference'.",
        ),
        ({"flagged": "other"}, "flagged is 'other', but there are only 'new', 'old'."),
        ({"sort": None}, "sort is None, but there are only 'contribution', 'change', 'segment', 'document', 'length', "
            "'length_baseline', 'length_reference'."),
        ({"shortest": "3"}, "shortest is '3', but a whole number of words was expected."),
        ({"longest": float("nan")}, "longest is nan, but a whole number of words was expected."),
        ({"longest": 2.5}, "longest is 2.5, but a whole number of words was expected."),
        ({"longest": -1}, "longest is -1, but a whole number of words was expected."),
        ({"shortest": True}, "shortest is True, but a whole number of words was expected."),
        ({"document": 3}, "document is 3, but a text was expected."),
        ({"selected": "yes"}, "selected is 'yes', but True or False was expected."),
        ({"descending": 1}, "descending is 1, but True or False was expected."),
        ({"pattern": None}, "pattern is None, but True or False was expected."),
        ({"segments": "abc"}, "segments is 'abc', but a list of numbers of segments was expected, such as [1, 2]."),
        ({"segments": ["abc"]}, "segments has 'abc', but numbers of segments were expected."),
        ({"segments": [True]}, "segments has True, but numbers of segments were expected."),
        ({"segments": [1, float("nan")]}, "segments has nan, but numbers of segments were expected."),
        ({"segments": [999]}, "There is no segment 999 among the 4 segments."),
    ],
)  # fmt: skip
def test_a_query_that_cannot_be_answered_is_refused_in_a_sentence(segments, made, query, complaint):
    before = segments.frame["segment"].tolist(), segments.query
    assert ask(segments, "query", query=query, asked="1") == complaint
    assert (segments.frame["segment"].tolist(), segments.query) == before
    with pytest.raises(mtw.InputError) as refusal:
        segments.query = query
    assert str(refusal.value) == complaint
    with pytest.raises(mtw.InputError) as refusal:
        mtw.explore_segments(*made, "new", "old", view=query)
    assert str(refusal.value) == complaint
    assert ask(segments, "query", query={}, asked="2") == ""


def test_what_else_is_unknown_is_refused(segments, made):
    with pytest.raises(mtw.InputError, match="There is no 'sorted' in a query, which can have sort, descending"):
        segments.query = {"sorted": "change"}
    with pytest.raises(mtw.InputError, match="There is no segment 9 among the 4 segments."):
        mtw.explore_segments(*made, "new", "old", view={"left_out": [9]})
    with pytest.raises(
        mtw.InputError, match="There is no 'sorted' in a view, which can have sort, .*, selection, left_out.$"
    ):
        mtw.explore_segments(*made, "new", "old", view={"sorted": "change"})
    for view, complaint in (
        ("abc", "view is 'abc', but a dict was expected, such as {'sort': 'change'}."),
        ({"selection": "abc"}, "selection is 'abc', but a list of numbers of segments was expected, such as [1, 2]."),
        ({"left_out": [1.5]}, "left_out has 1.5, but numbers of segments were expected."),
    ):
        with pytest.raises(mtw.InputError) as refusal:
            mtw.explore_segments(*made, "new", "old", view=view)
        assert str(refusal.value) == complaint
    with pytest.raises(mtw.InputError, match="selection is 3, but a list of numbers of segments was expected"):
        segments.selection = 3
    with pytest.raises(mtw.InputError, match="The query is 3, but a dict was expected"):
        segments.query = 3
    assert ask(segments, "first", count=0) == ("first is 0, but a whole number of segments of at least 1 was expected.")
    segments.selection = [1]
    assert (
        ask(segments, "copy", form="PDF") == "Segments can be written as TSV, Markdown, LaTeX, but 'PDF' was asked for."
    )
    assert ask(segments, "dance") == "The page asked for 'dance', which does not exist."
    with pytest.raises(mtw.InputError, match="There is no system 'x'"):
        mtw.explore_segments(*made, "new", "x")


def test_segments_may_be_given_as_arrays_and_columns(segments):
    segments.query = {
        "sort": "segment",
        "segments": np.array([2, 4]),
        "shortest": np.float64(1.0),
        "descending": np.True_,
    }
    assert segments.frame["segment"].tolist() == [4, 2]
    segments.selection = segments.frame["segment"]
    assert segments.selection == [2, 4]
    json.dumps([segments.query, segments.selection])


def test_segments_of_documents_without_a_name_are_found():
    outputs = mtw.make_outputs(REFERENCE, {"new": NEW, "old": OLD}).assign(document=["", "", "b", "b"] * 2)
    segments = mtw.explore_segments(outputs, mtw.compute_statistics(outputs, "chrf"), "new", "old", rng=1)
    assert segments.about["documents"] == ["", "b"]
    for document, expected in ((None, 4), ("", 2), ("b", 2)):
        ask(segments, "query", query={"document": document}, asked="1")
        assert len(segments.frame) == expected


def test_a_search_that_is_interrupted_says_so(segments, monkeypatch):
    shown = segments.page["rows"]

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("mtworkbench.analyses.segments.pages.find_pattern", interrupt)
    ask(segments, "query", query={"text": "a+", "pattern": True}, asked="1")
    assert (segments.page["complaint"], segments.page["asked"]) == ("This was interrupted.", "1")
    assert segments.page["rows"] == shown
    monkeypatch.undo()
    ask(segments, "query", query={"text": "a+", "pattern": True}, asked="2")
    assert segments.page["complaint"] == ""


def test_texts_are_searched_whatever_their_case_and_script():
    columns = [["Straße", None, "ЕДИНИЦА", "x\ud800"], ["b", "STRASSE", None, "$("]]
    assert find_text("strasse", columns).tolist() == [True, True, False, False]
    assert find_text("единица", columns).tolist() == [False, False, True, False]
    assert find_pattern("единиц[аы]", columns).tolist() == [False, False, True, False]
    assert find_pattern(r"^\$\($", columns).tolist() == [False, False, False, True]


def test_tokens_are_marked_by_what_they_are_not_found_in(segments):
    segments.query = {"segments": [1]}
    texts = {text["kind"]: text["pieces"] for text in segments.page["rows"][0]["texts"]}
    assert texts["new"] == [["the cat ", 0], ["sat", 2], [" on ", 0], ["the", 2], [" mat", 0]]
    assert texts["baseline"] == [["the cat ", 0], ["lay", 3], [" on ", 0], ["a", 3], [" mat", 0]]
    # Of the reference: what the baseline does not have.
    assert texts["reference"] == [["the cat ", 0], ["sat", 2], [" on ", 0], ["the", 2], [" mat", 0]]


def test_pieces_joined_are_the_texts(flores):
    pages = make_pages(*flores, "base", "tiny")
    for row, texts in zip(pages.rows(range(300)), pages.frame.to_dict("records"), strict=False):
        shown = {text["kind"]: "".join(piece for piece, _ in text["pieces"]) for text in row["texts"]}
        assert shown == {
            "reference": texts["reference"],
            "baseline": texts["hypothesis_baseline"],
            "new": texts["hypothesis"],
        }


def test_the_closest_of_several_references_comes_first():
    outputs = mtw.make_outputs([["a b c d"], ["x y z d"]], {"new": ["x y z e"], "old": ["x y c e"]})
    pages = make_pages(outputs, mtw.compute_statistics(outputs, "chrf"), "new", "old")
    (row,) = pages.rows([0])
    assert [(text["kind"], text["label"]) for text in row["texts"]] == [
        ("reference", "reference 2"), ("further", "reference"), ("baseline", "old"), ("new", "new"),
    ]  # fmt: skip


def test_the_difference_without_some_segments_is_the_bootstraps(flores):
    outputs, statistics = flores
    segments = mtw.explore_segments(outputs, statistics, "base", "tiny", rng=5)
    assert segments.exploratory == {}
    segments.left_out = [90, 539]
    kept = statistics.take(~np.isin(statistics.test_set.segments, [90, 539]))
    expected = mtw.paired_bootstrap(kept["base"], kept["tiny"], rng=5)
    shown = f"{expected.difference:+.2f} BLEU, 95 % CI [{expected.low:+.2f}, {expected.high:+.2f}]"
    assert segments.exploratory["difference"] == shown
    ask(segments, "none", of="left_out")
    assert segments.exploratory == {}


def test_numbers_of_a_small_scale_keep_their_digits(flores, monkeypatch):
    outputs = flores[0]
    quality = np.random.default_rng(1).normal(0.8, 0.005, len(outputs)) + 0.002 * (outputs["system"] == "base")
    statistics = mtw.compute_statistics(
        outputs.assign(quality=quality), mtw.MeanScore("quality", higher_is_better=True)
    )
    segments = mtw.explore_segments(outputs.assign(quality=quality), statistics, "base", "tiny", rng=1)
    [difference] = statistics["base"].score()[0] - statistics["tiny"].score()[0]
    assert 0.001 < difference < 0.003
    # Two digits of the interval's width, some 0.0008, are five decimals.
    assert segments.about["difference"] == f"{difference:+.5f}"
    segments.left_out = [1, 2]
    kept = statistics.take(~np.isin(statistics.test_set.segments, [1, 2]))
    found = mtw.paired_bootstrap(kept["base"], kept["tiny"], rng=1)
    for number in (found.difference, found.low, found.high):
        assert f"{number:+.5f}" in segments.exploratory["difference"]
    assert all(float(row["change"]) for row in segments.page["rows"])
    shown = []
    monkeypatch.setattr("mtworkbench.widgets.screen.display", lambda data, **_: shown.append(data))
    segments._ipython_display_()
    assert f"base - tiny = {difference:+.5f} quality" in shown[1]["text/html"]


def test_leaving_everything_out_is_said(segments):
    segments.left_out = [1, 2, 3, 4]
    assert segments.exploratory == {"count": "4", "difference": "not known", "by": "no segment is left"}


def test_one_segment_gives_a_difference_without_an_interval(made, segments):
    assert ask(segments, "left_out", segments=[1, 2, 3, 4], on=True) == ""
    assert ask(segments, "left_out", segments=[2], on=False) == ""
    kept = made[1].take(np.array([1]))
    [difference] = kept["new"].score()[0] - kept["old"].score()[0]
    assert segments.exploratory == {
        "count": "3", "difference": f"{difference:+.2f} chrF", "by": "1 segment gives no interval"
    }  # fmt: skip


def test_the_call_brings_the_view_back(made):
    view = {"sort": "segment", "text": "it's", "shortest": 2, "selection": [1, 3], "left_out": [2]}
    segments = mtw.explore_segments(*made, "new", "old", view=view, rng=7)
    assert segments.call == f"mtw.explore_segments(outputs, statistics, 'new', 'old', view={view!r}, rng=7)"
    again = eval(segments.call, {"mtw": mtw, "outputs": made[0], "statistics": made[1]})
    assert (again.query, again.selection, again.left_out) == (segments.query, [1, 3], [2])
    assert again.exploratory == segments.exploratory
    assert segments.query == QUERY | {"sort": "segment", "text": "it's", "shortest": 2}


def test_a_seed_that_was_drawn_is_part_of_the_call(made):
    segments = mtw.explore_segments(*made, "new", "old", view={"left_out": [2]})
    seed = segments._random_key.seed
    assert segments.call.endswith(f"'left_out': [2]}}, rng={seed})")
    again = eval(segments.call, {"mtw": mtw, "outputs": made[0], "statistics": made[1]})
    assert again.exploratory == segments.exploratory
    assert again.call == segments.call
    # A Generator has moved on, and cannot be written down.
    given = mtw.explore_segments(*made, "new", "old", rng=np.random.default_rng(1))
    assert given.call == "mtw.explore_segments(outputs, statistics, 'new', 'old', rng=rng)"


def test_the_page_says_which_runs_it_shows(segments):
    assert segments.about["runs"] == ""
    outputs = mtw.make_outputs(REFERENCE, {"new": [NEW, OLD, REFERENCE], "old": [OLD, NEW, OLD], "third": [OLD]})
    statistics = mtw.compute_statistics(outputs, "chrf")
    shown = {name: median_run(statistics[name].score()[0]) for name in ("new", "old")}
    means = mtw.explore_segments(outputs, statistics, "new", "old", rng=1)
    assert means.about["runs"] == (
        "Contributions and changes are means over all pairs of runs (3 of new, 3 of old). Texts, flags and n-grams are "
        f"those of the runs whose scores are the medians: run {shown['new']} of new and run {shown['old']} of old."
    )
    one = mtw.explore_segments(outputs, statistics, "new", "third", rng=1)
    assert one.about["runs"].endswith(f"the median: run {shown['new']} of new and the one run of third.")
    chosen = mtw.explore_segments(outputs, statistics, "new", "old", runs=(3, 2), rng=1)
    assert chosen.about["runs"] == "This compares run 3 of new with run 2 of old."
    texts = chosen._pages.frame[["hypothesis", "hypothesis_baseline"]]
    assert texts.to_numpy().T.tolist() == [REFERENCE, NEW]
    # Flags are those of the runs shown: run 2 of the baseline is empty where run 1 is not.
    assert chosen._pages.flags["old"]["empty"].tolist() == [False, False, False, True]
    assert chosen._pages.flags["new"]["empty"].tolist() == [False] * 4


def test_what_the_selection_has_in_common_follows_it(segments):
    assert segments.common == []
    segments.selection = [1, 4]
    frame = segments._pages.frame
    chosen = frame[frame["segment"].isin([1, 4])]
    assert [*segments.common] == [
        ["segments", "2", "4"],
        ["contribution to the difference in chrF", *(f"{one['contribution'].sum():+.2f}" for one in (chosen, frame))],
        ["documents that they come from", "2", "2"],
        ["words of the reference, median", "4.5", "4.5"],
        ["words of old, median", "4.5", "4.5"],
        ["words of new, median", "3", "6"],
        ["empty: new", "1 (50.0 %)", "1 (25.0 %)"],
        ["number changed: old", "0 (0.0 %)", "1 (25.0 %)"],
    ]
    ask(segments, "none", of="selection")
    assert segments.common == []


def test_nothing_selected_has_no_lengths(segments):
    nothing = {label: found for label, *found in segments._pages.describe_selection([])}
    assert nothing["segments"] == ["0", "4"]
    assert nothing["words of new, median"] == ["", "6"]
    assert nothing["empty: new"] == ["0", "1 (25.0 %)"]


def test_segments_are_written_from_python_as_the_page_copies_them(segments, monkeypatch):
    sent = []
    monkeypatch.setattr(segments, "send", sent.append)
    with pytest.raises(mtw.InputError, match="No segment is selected: select some, or say how many"):
        segments.write()
    segments.selection = segments.frame["segment"].head(2)
    for form in ("LaTeX", "Markdown", "TSV"):
        ask(segments, "copy", form=form)
        assert segments.write(form) == segments.write(form, first=2) == sent[-1]["text"]
    assert segments.write().count(r"\begin{table*}") == 1
    assert "longtable" not in segments.write()
    with pytest.raises(mtw.InputError, match="'PDF' was asked for"):
        segments.write("PDF")
    for wrong in (0, "three", float("nan"), True):
        with pytest.raises(mtw.InputError, match="but a whole number of segments of at least 1 was expected."):
            segments.write(first=wrong)


def test_runs_are_those_that_were_asked_for():
    texts = {"new": [NEW, OLD], "old": [OLD, REFERENCE]}
    outputs = mtw.make_outputs(REFERENCE, texts)
    statistics = mtw.compute_statistics(outputs, "chrf")
    segments = mtw.explore_segments(outputs, statistics, "new", "old", runs=(2, 1), rng=1)
    assert segments.about["difference"] == "0.00"
    assert segments.frame["hypothesis"].tolist() == segments.frame["hypothesis_baseline"].tolist()
    assert segments.call == "mtw.explore_segments(outputs, statistics, 'new', 'old', runs=(2, 1), rng=1)"
    means = mtw.explore_segments(outputs, statistics, "new", "old", rng=1)
    scores = [statistics[name].score().mean() for name in ("new", "old")]
    assert means.about["difference"] == f"{scores[0] - scores[1]:+.2f}"


def test_notes_are_a_frame_and_a_file(segments, tmp_path):
    ask(segments, "note", segment=3, note='=rain, "cats"', tags="idiom, weather")
    ask(segments, "note", segment=1, note="fine", tags="")
    ask(segments, "note", segment=2, note="x", tags="")
    ask(segments, "note", segment=2, note="", tags="")
    assert segments.notes[["segment", "note", "tags"]].to_numpy().tolist() == [
        [1, "fine", ""],
        [3, '=rain, "cats"', "idiom, weather"],
    ]
    segments.save_notes(tmp_path / "notes.csv")
    with (tmp_path / "notes.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["note"] for row in rows] == ["fine", '\'=rain, "cats"']  # no formula for a spreadsheet
    assert rows[1]["hypothesis"] == NEW[2]


def test_notes_of_segments_that_there_are_not_are_refused(segments):
    segments.written = {3: {"note": "wrong tense"}, "1": {"tags": "idiom"}, 2: {"note": ""}}
    assert segments.written == {"3": {"note": "wrong tense", "tags": ""}, "1": {"note": "", "tags": "idiom"}}
    form = "but a dict such as {3: {'note': 'wrong tense', 'tags': 'grammar'}} was expected."
    for wrong, complaint in (
        ({9: {"note": "x"}}, "There is no segment 9 among the 4 segments."),
        ({"x": {"note": "x"}}, "written has 'x', but numbers of segments were expected."),
        ({3: "x"}, f"The note on segment 3 is 'x', {form}"),
        ({3: {"remark": "x"}}, f"The note on segment 3 is {{'remark': 'x'}}, {form}"),
        ({3: {"note": 5}}, f"The note on segment 3 is {{'note': 5}}, {form}"),
        ("x", f"The notes are 'x', {form}"),
    ):
        with pytest.raises(mtw.InputError) as refusal:
            segments.written = wrong
        assert str(refusal.value) == complaint
    assert ask(segments, "note", segment=9, note="x", tags="") == "There is no segment 9 among the 4 segments."
    assert segments.notes["segment"].tolist() == [1, 3]


def test_the_selection_is_copied_in_the_order_shown(flores, monkeypatch):
    view = {"sort": "length", "descending": False, "shortest": 15}
    segments = mtw.explore_segments(*flores, "base", "tiny", view=view, rng=1)
    sent = []
    monkeypatch.setattr(segments, "send", sent.append)
    ask(segments, "first", count=6)
    first = segments.frame.head(6)
    for form in ("TSV", "Markdown", "LaTeX"):
        ask(segments, "copy", form=form)
    tsv, markdown, latex = (message["text"] for message in sent)
    rows = list(csv.DictReader(io.StringIO(tsv), delimiter="\t"))
    assert [int(row["segment"]) for row in rows] == first["segment"].tolist()
    assert [row["tiny"] for row in rows] == first["hypothesis_baseline"].tolist()
    assert [int(line.split("|")[1]) for line in markdown.splitlines()[2:]] == first["segment"].tolist()
    places = [latex.index(f"Segment {number}: ") for number in first["segment"]]
    assert places == sorted(places)


def test_what_is_copied_is_escaped(monkeypatch):
    hostile = r"50 % of $x_1$ & \input{x} | <b>"
    outputs = mtw.make_outputs(["a reference"], {"a_b": [hostile], "c&d": ["other"]})
    segments = mtw.explore_segments(outputs, mtw.compute_statistics(outputs, "chrf"), "a_b", "c&d", rng=1)
    sent = []
    monkeypatch.setattr(segments, "send", sent.append)
    segments.selection = [1]
    for form in ("Markdown", "LaTeX"):
        ask(segments, "copy", form=form)
    markdown, latex = (message["text"] for message in sent)
    assert r"50 % of \$x\_1\$ &amp; \\input{x} \| &lt;b&gt;" in markdown
    assert r"\$x\_1\$" in latex
    assert r"\input" not in latex.replace(r"\textbackslash{}input", "")
    assert r"c\&d" in latex


class Texts(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_readers_without_a_kernel_have_escaped_tables(capsys, monkeypatch):
    hostile = "<img src=x onerror=alert(1)> $x$ \u202e"
    outputs = mtw.make_outputs(["a b", "c d"], {hostile: ["a b", "<script>"], "old": ["a", "c d"]})
    segments = mtw.explore_segments(outputs, mtw.compute_statistics(outputs, "chrf"), hostile, "old", rng=1)
    shown = []
    monkeypatch.setattr("mtworkbench.widgets.screen.display", lambda data, **_: shown.append(data))
    segments._ipython_display_()
    live, static = shown
    assert "application/vnd.jupyter.widget-view+json" in live
    assert set(static) == {"text/html", "text/plain"}
    page = Texts(static["text/html"])
    assert not {"img", "script"} & {*page.tags}
    assert "tex2jax_ignore" in static["text/html"]
    assert page.texts.count(r"<img src=x onerror=alert(1)> $x$ \u202e") == 2  # the headings of both tables
    assert "\u202e" not in static["text/html"]
    assert page.tags.count("table") == 2


def test_metrics_of_every_kind_can_be_browsed(made):
    outputs = made[0].assign(quality=[0.9, 0.8, 0.1, 0.2, 0.5, 0.4, 0.6, 0.7])
    for metric in ("bleu", "ter", "length", mtw.MeanScore("quality", higher_is_better=False)):
        segments = mtw.explore_segments(outputs, mtw.compute_statistics(outputs, metric), "new", "old", rng=1)
        assert len(segments.page["rows"]) == 4
        assert segments.about["sign"] == (-1 if segments.about["direction"] == "lower is better" else 1)
    # The difference is below 0, and what makes it comes first.
    assert segments.frame["contribution"].tolist() == pytest.approx([-0.125, -0.125, 0.1, 0.1])
    assert not segments.query["descending"]


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
def test_the_difference_is_that_on_the_segments_with_both_scores(made):
    outputs = made[0].assign(quality=[0.9, 0.8, 0.1, np.nan, 0.5, 0.4, 0.6, 0.7])
    statistics = mtw.compute_statistics(outputs, mtw.MeanScore("quality", higher_is_better=True))
    segments = mtw.explore_segments(outputs, statistics, "new", "old", rng=1)
    assert segments.about["difference"] == "+0.10"  # (0.4 + 0.4 - 0.5) / 3
    assert "new - old is +0.10:" in segments.about["sentence"]


def test_judgements_without_texts_are_refused(made):
    outputs = made[0].assign(quality=0.5).drop(columns=["hypothesis", "reference"])
    outputs["quality"] = np.linspace(0, 1, len(outputs))
    statistics = mtw.compute_statistics(outputs, mtw.MeanScore("quality", higher_is_better=True))
    with pytest.raises(mtw.InputError, match="no texts"):
        mtw.explore_segments(outputs, statistics, "new", "old")


def test_ngrams_are_counted_in_the_selection(segments):
    ask(segments, "ngrams", of="all", order=1)
    assert {"ngram": "a", "shown": "a", "new": 1, "baseline": 0, "segments": 1} in segments.ngrams["new"]
    segments.selection = [4]
    ask(segments, "ngrams", of="selection", order=0)
    assert segments.ngrams["new"] == []
    assert [one["ngram"] for one in segments.ngrams["baseline"]] == [
        "he said no", "he said", "said no", "he", "no", "said",
    ]  # fmt: skip
    assert (segments.ngrams["n_new"], segments.ngrams["n_baseline"]) == (0, 6)
    segments.selection = []
    ask(segments, "ngrams", of="selection", order=0)
    assert segments.ngrams["baseline"] == []


def test_of_many_ngrams_it_is_said_how_many_there_are(flores):
    segments = mtw.explore_segments(*flores, "base", "tiny", rng=1)
    ask(segments, "ngrams", of="all", order=0)
    table = tabulate_matches(match_ngrams(flores[0], "bleu", "base", "tiny"))
    for side, part in (("new", table[table["difference"] > 0]), ("baseline", table[table["difference"] < 0])):
        assert segments.ngrams[f"n_{side}"] == len(part) > 15
        assert [one["ngram"] for one in segments.ngrams[side]] == part["ngram"].head(15).tolist()


def test_readers_without_a_kernel_see_one_of_many_references():
    texts = {"new": ["a b c d", "e f g h"], "old": ["a b x y", "e f g z"]}
    outputs = mtw.make_outputs([["q r s t", "e f g h"], ["a b c d", "u v w x"], ["m n o p", "i j k l"]], texts)
    segments = mtw.explore_segments(outputs, mtw.compute_statistics(outputs, "chrf"), "new", "old", rng=1)
    texts = Texts(segments_to_html(segments._pages)).texts
    assert texts.count("closest of 3 references") == 1
    assert not any(name.startswith("reference") for name in texts)
    assert {"a b c d", "e f g h"} <= {*texts}
    assert not {"q r s t", "m n o p", "u v w x"} & {*texts}


def test_long_texts_do_not_fill_the_page_without_a_kernel():
    texts = {"new": ["a b c d " * 200, "e f g h"], "old": ["a b x y", "e f g z"]}
    outputs = mtw.make_outputs([["a b c d " * 200, "e f g h"]], texts)
    segments = mtw.explore_segments(outputs, mtw.compute_statistics(outputs, "chrf"), "new", "old", rng=1)
    shown = Texts(segments_to_html(segments._pages)).texts
    [cut] = {one for one in shown if one.startswith("a b c d a")}
    assert len(cut) == 600 and "…" in cut


@pytest.mark.parametrize(("metric", "captions"), [("chrf", ["new", "old"]), ("ter", ["old", "new"])])
def test_a_page_without_a_kernel_says_which_system_its_segments_favour(metric, captions):
    outputs = mtw.make_outputs(REFERENCE, {"new": NEW, "old": OLD})
    segments = mtw.explore_segments(outputs, mtw.compute_statistics(outputs, metric), "new", "old")
    found = re.findall(
        r"Segments that favour (\w+) most \((\d) of \2 that do; 4 in all\)", segments_to_html(segments._pages)
    )
    assert list(dict(found)) == captions
