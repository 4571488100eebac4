"""Texts of runs that are read again whenever they are needed: the same frames, warnings and errors."""

import os
import random
import re
import unicodedata
import weakref

import pandas as pd
import pytest

from mtworkbench.errors import InputError
from mtworkbench.metrics import METRICS
from mtworkbench.outputs.checks import relations
from mtworkbench.outputs.checks.segments import Corpus, Segments, TextsOnDemand, change_texts, digest_texts
from mtworkbench.outputs.text import read_outputs, read_run_by_run
from mtworkbench.statistics.segment_statistics import DescribedRuns, compute_run_by_run, compute_statistics

from .test_traits import FLORES, lines_of

LINES = [f"Line {number}, of the café: it says {word}." for number, word in enumerate(["this", "that", "more"] * 5)]


class Counted:
    """Texts on demand that know how often each was read, apart from the first time."""

    def __init__(self, **texts):
        self.reads = dict.fromkeys(texts, 0)
        shelf = {}
        self.texts = {
            name: TextsOnDemand(one, lambda name=name, one=one: self.read(name, one), shelf)
            for name, one in texts.items()
        }

    def read(self, name, texts):
        self.reads[name] += 1
        return list(texts)


def test_texts_are_the_same_in_any_order_of_use():
    counted = Counted(a=["x", "y", None], b=["u", "v", "w"])
    a, b = counted.texts.values()
    assert list(zip(a, b, strict=True)) == [("x", "u"), ("y", "v"), (None, "w")]
    assert [(a[i], b[i]) for i in range(3)] == list(zip(a, b, strict=True))
    assert (a[::2], a[-1], list(reversed(b)), len(a), len(b)) == (["x", None], None, ["w", "v", "u"], 3, 3)
    with pytest.raises(IndexError):
        a[3]


def test_what_is_used_up_at_once_is_read_once():
    counted = Counted(a=["x", "y"], b=["u", "v"])
    for one in counted.texts.values():
        assert [*one, *one, one[0], *reversed(one)] == [*one[:], *one[:], one[0], *one[::-1]]
    assert counted.reads == {"a": 1, "b": 1}  # b was held when a was asked for
    assert list(counted.texts["b"]) == ["u", "v"]
    assert counted.reads == {"a": 1, "b": 1}


def test_what_was_found_out_at_once_is_not_read_for_again():
    counted = Counted(a=["x y.", "", " \t", None, "z"], b=["u"] * 5)
    a, _ = (Segments(texts, "x").look_over() for texts in counted.texts.values())  # the second is held now
    counted.reads["a"] = 0
    assert (a.characters, a.firsts, a.longest, a.digest) == (
        "\t .xyz",
        "x\n \nz",
        4,
        digest_texts(["x y.", "", " \t", None, "z"]),
    )
    assert a.begin_with(re.compile("[xz]")) == [0, 4]
    assert a.find(["q", "??"]) == []
    assert counted.reads["a"] == 0
    assert (a.absent, a.empty, a.find([" y", "z"])) == ([3], [1, 2], [0, 4])
    assert counted.reads["a"] == 1


def test_checks_that_relate_files_read_each_output_once(monkeypatch):
    monkeypatch.setenv("MTWORKBENCH_CACHE", "off")
    monkeypatch.setattr(relations, "_seen", {})
    outputs = {path.stem: lines_of(path) for path in FLORES.glob("bergamot-*.txt")}
    assert len(outputs) == 3
    counted = Counted(**outputs)
    runs = {name: [Segments(texts, name).look_over()] for name, texts in counted.texts.items()}
    counted.reads.update(dict.fromkeys(outputs, 0))
    relations.find_relations(Corpus([Segments(lines_of(FLORES / "reference.txt"), "reference.txt")], runs))
    assert counted.reads == dict.fromkeys(outputs, 1)


@pytest.mark.parametrize("pieces", [[" ."], ["\n"], ["„"], ["\U0001f600", "ab"], ["\ud800", "b."], [". "]], ids=ascii)
def test_pieces_are_found_in_whatever_block_and_text(pieces):
    rng = random.Random(4)
    texts = ["".join(rng.choices("ab .\n„\U0001f600\ud800", [9, 9, 9, 2, 1, 1, 1, 1], k=6)) for _ in range(2500)]
    texts[::7] = [None] * len(texts[::7])
    found = Segments(texts, "x").find(pieces)
    assert found == [i for i, text in enumerate(texts) if text is not None and any(one in text for one in pieces)]
    assert len(found) > 100


class Held(list):
    """A list of which can be told whether it is still there."""


def test_texts_are_let_go_before_others_are_read():
    held = []

    def read():
        assert not any(one() is not None for one in held)
        texts = Held(["x"])
        held.append(weakref.ref(texts))
        return texts

    shelf = {}
    files = [TextsOnDemand(["x"], read, shelf) for _ in range(3)]
    for _ in range(2):
        for one in files:
            assert list(one) == ["x"]
    assert len(held) == 6


def test_a_change_is_made_again_whenever_texts_are_read():
    counted = Counted(a=["x", "y"], b=["u", "v"])
    changed = change_texts(counted.texts["a"], lambda texts: [text.upper() for text in texts[:1]])
    assert (len(changed), list(changed), list(counted.texts["a"])) == (1, ["X"], ["x", "y"])
    assert list(change_texts(changed, lambda texts: [text * 2 for text in texts])) == ["XX"]
    assert change_texts(["x"], lambda texts: [text.upper() for text in texts]) == ["X"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, lines, end="\n"):
        (tmp_path / name).write_bytes("".join(line + end for line in lines).encode())

    write("ref.txt", LINES)
    write("other.txt", [line.replace("says", "tells") for line in LINES[:-1]] + [""])
    write("a.txt", [unicodedata.normalize("NFD", line) for line in LINES] + ["", ""])
    write("b.1", [line.replace("says", "said") for line in LINES[4:] + LINES[:4]], "\r\n")
    write("b.2", [line.replace(",", " ,").replace(".", " .") for line in LINES])
    write("c.txt", ["", *(f"{number} {line}" for number, line in enumerate(LINES[1:], start=2))])
    write("docs.txt", [f"document {number // 5}" for number in range(len(LINES))])
    return tmp_path


SYSTEMS = {"a": "a.txt", "b": "b.*", "as b": "b.2", "ref": "ref.txt", "c": "c.txt"}
SYSTEMS["reference"] = SYSTEMS.pop("ref")


def warned(recwarn):
    found = [(str(one.message), one.message.code, one.message.line, one.message.count) for one in recwarn]
    recwarn.clear()
    return found


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("more", [(), ("nfc",)])
def test_frames_of_runs_are_parts_of_the_whole_frame(folder, recwarn, more):
    options = {"source": "c.txt", "documents": "docs.txt", "accept": ("trailing-blank", "absent-ref", *more)}
    whole = read_outputs(["ref.txt", "other.txt"], SYSTEMS, **options)
    said = warned(recwarn)
    runs = read_run_by_run(["ref.txt", "other.txt"], SYSTEMS, **options)
    assert warned(recwarn) == said
    codes = {code for _, code, _, _ in said}
    assert {"trailing-blank", "crlf", "suspected-shift", "identical-systems", "hyp-is-ref", "empty-hyp"} <= codes
    assert ("nfc" in codes, "normalization" in codes) == (bool(more), not more)
    assert len(runs) == 6
    assert pd.concat(list(runs), ignore_index=True).equals(whole)
    assert runs[5]["hypothesis"].tolist() == LINES  # in any order, too
    assert runs[1]["system"].tolist() == ["b"] * len(LINES)
    for name in ("bleu", "ter"):
        assert compute_run_by_run(DescribedRuns(runs), METRICS[name]()) == compute_statistics(whole, name)


@pytest.mark.parametrize("accept", [(), ("trailing-blank",)])
def test_errors_are_those_of_the_whole_frame(folder, accept):
    (folder / "b.2").write_text("x" * 10_000_001 + "\n" * len(LINES))
    errors = []
    for read in (read_outputs, read_run_by_run):
        with pytest.raises(InputError) as caught:
            read(["ref.txt", "other.txt"], SYSTEMS, accept=accept)
        errors.append((caught.value.code, str(caught.value), caught.value.path, caught.value.line))
    assert errors[0] == errors[1]
    assert errors[0][0] == ("huge-line" if accept else "count-mismatch")


@pytest.mark.parametrize("change", ["write", "replace", "remove"])
def test_a_file_that_was_changed_meanwhile_is_refused(folder, change):
    (folder / "d.txt").write_text("".join(line.replace("says", "meant") + "\n" for line in LINES))
    (folder / "e.txt").write_text("".join(line.replace("says", "means") + "\n" for line in LINES))
    runs = read_run_by_run("ref.txt", {"d": "d.txt", "e": "e.txt"})
    if change == "write":
        with open("d.txt", "a") as file:
            file.write("one more\n")
    elif change == "replace":
        (folder / "new.txt").write_text((folder / "d.txt").read_text().replace("meant", "means"))
        os.replace("new.txt", "d.txt")
    else:
        os.remove("d.txt")
    with pytest.raises(InputError) as caught:
        compute_run_by_run(DescribedRuns(runs), METRICS["bleu"]())
    assert (caught.value.code, caught.value.path) == ("file-changed", "d.txt")
    assert str(caught.value) == "d.txt was changed while it was in use: try again when nothing writes to it."
