"""Segments that a test set has more than once: a few are natural, many are noticed, and too many are refused."""

import json

import pandas as pd
import pytest

from mtworkbench.outputs.scores.read import read_scores
from mtworkbench.outputs.sgml import read_sgml, write_sgml
from mtworkbench.outputs.table import read_table
from mtworkbench.outputs.text import make_outputs, read_outputs, read_run_by_run
from mtworkbench.statistics.segment_statistics import compute_statistics

from .reading import noticing, refusal

SEGMENTS = range(40)
REFERENCE = [f"the segment with the number {i}" for i in SEGMENTS]
SYSTEMS = {"a": [f"a segment of number {i}" for i in SEGMENTS], "b": [f"this segment, number {i}" for i in SEGMENTS]}
WHY = "Copies add no evidence: with them, p is too small and intervals are too narrow."


def joined(texts, n_more):
    """Return the texts with the first of them again."""
    return [*texts, *(texts * (1 + n_more // len(texts)))[:n_more]]


def make(n_more, *, reference=REFERENCE, systems=SYSTEMS, **options):
    again = {name: joined(texts, n_more) for name, texts in systems.items()}
    further = {name: joined(value, n_more) for name, value in options.items() if name != "accept"}
    return noticing(make_outputs, joined(reference, n_more), again, accept=options.get("accept", ()), **further)


@pytest.mark.parametrize("n_more", [0, 4])
def test_fewer_than_five_are_natural(n_more):
    """4 of 44 are 9 %, but so few segments are often alike."""
    assert make(n_more)[1] == {}


def test_from_five_percent_on_they_are_noticed():
    reference = [f"{i}: {text}" for i in range(3) for text in REFERENCE]
    systems = {name: [f"{i}: {text}" for i in range(3) for text in texts] for name, texts in SYSTEMS.items()}
    assert make(6, reference=reference, systems=systems)[1] == {}  # 6 of 126 are 4.8 %
    outputs, found = make(7, reference=reference, systems=systems)
    assert len(outputs) == 2 * 127
    [warning] = found.values()
    assert (warning.code, warning.line, warning.count) == ("repeated-segments", 121, 7)
    assert str(warning) == (
        "7 of 127 segments of the reference repeat earlier ones, with the same reference and outputs of all systems, "
        f"the first in entry 121. {WHY} If files were joined, remove the copies from all of them."
    )


def test_from_a_quarter_on_they_are_refused_unless_accepted():
    assert "repeated-segments" in make(13)[1]  # 13 of 53 are 24.5 %
    again = {name: joined(texts, 14) for name, texts in SYSTEMS.items()}
    error = refusal(make_outputs, joined(REFERENCE, 14), again)
    assert (error.code, error.line) == ("repeated-segments", 41)
    assert str(error) == (
        "the reference, entry 41: 14 of 54 segments (25.9%) repeat earlier ones, with the same reference and outputs "
        f"of all systems; entry 41 repeats entry 1. {WHY} Remove the copies from all files, or accept "
        "'repeated-segments' to keep them."
    )
    outputs, found = make(14, accept=["repeated-segments"])
    assert outputs["segment"].tolist() == 2 * list(range(1, 55))
    assert found == {}
    [doubt] = compute_statistics(outputs, "length").doubts
    assert (doubt.code, doubt.n_found, doubt.accepted) == ("repeated-segments", 14, True)


def test_a_handful_in_a_tiny_test_set_is_noticed_alone():
    reference, systems = REFERENCE[:14], {name: texts[:14] for name, texts in SYSTEMS.items()}
    assert "repeated-segments" in make(6, reference=reference, systems=systems)[1]  # 6 of 20 are 30 %


@pytest.mark.parametrize(
    "change",
    [str.upper, "{}  ".format, "{} ".format, " {}".format, lambda text: text.replace(" ", "\u2003"), "{}\t".format],
    ids=["upper case", "white space", "a blank at the end", "a blank before", "other blanks", "a tab"],
)
def test_case_and_white_space_make_no_other_segment(change):
    for what in ("{}", "{} and a longer end, with ß and blanks, of a b c d e f g"):
        reference = [what.format(text) + " a" * (i % 5) for i, text in enumerate(REFERENCE)]
        twice = {name: [*texts, *map(change, texts)] for name, texts in SYSTEMS.items()}
        error = refusal(make_outputs, [*reference, *map(change, reference)], twice)
        assert error.code == "repeated-segments"


def test_what_differs_anywhere_is_no_copy():
    """Another reference, source, or output of one run: then the segment is further evidence."""
    twice, last = {name: texts * 2 for name, texts in SYSTEMS.items()}, [f"{text}." for text in SYSTEMS["b"]]
    others = [f"{text}." for text in REFERENCE]
    for arguments, source in [
        (([*REFERENCE, *others], twice), None),
        (([REFERENCE * 2, [*REFERENCE, *others]], twice), None),
        ((REFERENCE * 2, twice), [*REFERENCE, *others]),
        ((REFERENCE * 2, twice | {"b": [*SYSTEMS["b"], *last]}), None),
        ((REFERENCE * 2, twice | {"b": [twice["b"], [*SYSTEMS["b"], *last]]}), None),
    ]:
        assert "repeated-segments" not in noticing(make_outputs, *arguments, source=source)[1]
    same_source = refusal(make_outputs, REFERENCE * 2, twice, source=REFERENCE * 2)
    assert "with the same source, reference and outputs of all systems; entry 41 repeats entry 1." in str(same_source)


def test_segments_that_are_left_out_do_no_harm():
    """Of segments without a hypothesis nothing is compared, so it does not matter how often they are there."""
    from mtworkbench.outputs.checks.repeats import find_repeats
    from mtworkbench.outputs.checks.segments import Corpus, Segments

    reference = Segments(REFERENCE * 2, "ref")
    for b in (SYSTEMS["b"] * 2, [None] * 80):
        runs = {"a": [Segments(SYSTEMS["a"] * 2, "a")], "b": [Segments(b, "b")]}
        assert find_repeats(Corpus([reference], runs)) == ([(40 + i, i) for i in SEGMENTS] if b[0] else [])


@pytest.fixture
def files(tmp_path):
    def write(name, texts):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts))
        return tmp_path / name

    systems = {name: write(f"{name}.txt", texts * 4) for name, texts in SYSTEMS.items()}
    return write("ref.txt", REFERENCE * 4), systems


@pytest.mark.parametrize("read", [read_outputs, read_run_by_run])
def test_files_joined_with_themselves(files, read):
    error = refusal(read, *files)
    assert (error.code, error.path, error.line) == ("repeated-segments", str(files[0]), 41)
    assert "ref.txt, line 41: 120 of 160 segments (75.0%) repeat earlier ones" in str(error)


def test_other_readers(tmp_path):
    twice, _ = make(40, accept=["repeated-segments"])
    write_sgml(twice, tmp_path)
    error = refusal(read_sgml, tmp_path / "ref.sgm", {name: tmp_path / f"{name}.sgm" for name in SYSTEMS})
    assert error.code == "repeated-segments"
    assert refusal(read_table, twice).code == "repeated-segments"
    path = tmp_path / "table.tsv"
    twice.to_csv(path, sep="\t", index=False)
    error = refusal(read_table, path)
    assert (error.code, error.line) == ("repeated-segments", 42)  # after the names of the columns
    assert isinstance(noticing(read_table, path, accept=["repeated-segments"])[0], pd.DataFrame)


@pytest.mark.parametrize("has_reference", [True, False])
def test_scores_of_comet_with_their_texts(tmp_path, has_reference):
    path = tmp_path / "comet.json"
    written = {
        f"{name}.txt": [
            {"src": f"source of {reference}", "mt": text, "COMET": 0.5} | ({"ref": reference} if has_reference else {})
            for reference, text in zip(REFERENCE * 2, texts * 2, strict=True)
        ]
        for name, texts in SYSTEMS.items()
    }
    path.write_text(json.dumps(written))
    error = refusal(read_scores, path)
    same = "source, reference and outputs" if has_reference else "source and outputs"
    assert (error.code, error.line) == ("repeated-segments", 41)
    assert str(error).startswith(
        f"{path}, entry 41: 40 of 80 segments (50.0%) repeat earlier ones, with the same {same} of all systems; entry "
        "41 repeats entry 1."
    )
    scores, found = noticing(read_scores, path, accept=["repeated-segments"])
    assert (len(scores), found) == (160, {})
    written["b.txt"][40]["mt"] = "something else"
    path.write_text(json.dumps({name: entries[:44] for name, entries in written.items()}))
    assert noticing(read_scores, path)[1] == {}  # three copies of 44
