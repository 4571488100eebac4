"""Segments as text: lines of a width, marks, and what long texts have in common."""

import re

import pytest

import mtworkbench as mtw
from mtworkbench.analyses import list_segments
from mtworkbench.results.segments import NOT_IN_OTHER, NOT_IN_REFERENCE, MarkedText
from mtworkbench.tables import format_segments
from mtworkbench.tables.fitting import terminal_width
from mtworkbench.tables.passages import LONGEST_STRETCH, passages_to_text
from mtworkbench.words.document import Passage, Passages

REFERENCES = [
    "the cat sat on the mat and looked at the dog for a while, then went away",
    "新しい猫が座った。とても長い文を書いておく必要がある、なぜなら幅が八十だからである。",
    "القط جلس على السجادة ونظر إلى الكلب",
    "x" * 2000,
    "bell\x07 and \x1b[31mred\u202e turned",
    "👩‍👩‍👧‍👦 family 🇩🇪 flags",
    "only a reference",
]
NEW = [*REFERENCES[:3], "x" * 1990 + "yyy", *REFERENCES[4:6], "a reference"]
OLD = [
    "a cat sat on a mat, looked at a dog for a while and left",
    "古い猫が座った。とても長い文を書いておく、幅が八十だからだ。",
    "قطة جلست على سجادة ونظرت",
    "x" * 1000,
    "bell\x07 or \x1b[31mblue\u202e turned",
    "👩‍👩‍👧 family 🇫🇷 flag",
    "",
]
LONG_NAMES = [f"{'abcdefghi-' * 4}{number}" for number in (1, 2)]
SEQUENCES = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
def found(names):
    outputs = mtw.make_outputs(REFERENCES, dict(zip(names, (NEW, OLD), strict=True)))
    return list_segments(outputs, mtw.compute_statistics(outputs, "chrf"), *names, rng=1)


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
@pytest.mark.parametrize("names", [("new", "old"), LONG_NAMES])
@pytest.mark.parametrize("width", [50, 80, 160])
@pytest.mark.parametrize("coloured", [False, True])
def test_no_line_is_wider_than_the_terminal_and_nothing_steers_it(names, width, coloured):
    text = format_segments(found(names), width=width, coloured=coloured)
    plain = SEQUENCES.sub("", text)
    body = plain[plain.index("\nSegment ") : plain.index("Bold green" if coloured else "{+...+}: in")]
    assert max(map(terminal_width, body.splitlines())) <= min(width, 100)
    assert plain.replace("\n", "").isprintable() or not set(plain) & {"\x07", "\x1b", "\u202e"}
    assert ("\x1b[" in text) == coloured
    assert text.count("\x1b[0m") * 2 == text.count("\x1b[")  # every mark ends, in its line
    assert all(line.count("\x1b[0m") * 2 == line.count("\x1b[") for line in text.splitlines())


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
@pytest.mark.parametrize("width", [50, 80])
def test_texts_are_whole(width):
    listed = found(("new", "old"))
    plain = SEQUENCES.sub("", format_segments(listed, width=width, coloured=True))
    for number, block in re.findall(r"^Segment (\d+):.*\n((?:  .*\n)+)", plain, re.MULTILINE):
        texts = re.split(r"^  (?=\w)", block, flags=re.MULTILINE)[1:]
        shown = {one.split()[0]: "".join("".join(one.split("  ", 1)[1:]).split()) for one in texts}
        row = listed.frame.set_index("segment").loc[int(number)]
        for label, name in (("reference", "reference"), ("new", "hypothesis"), ("old", "hypothesis_baseline")):
            whole = mtw.tables.printable(row[name]) or "(empty)"
            assert shown[label] == "".join(whole.split())


def of_pieces(*pieces, kind="new"):
    marked = [MarkedText("reference", "reference", (("a b", 0),)), MarkedText(kind, "new", pieces)]
    return Passages([Passage("Segment 1", marked)])


def test_signs_stand_at_words_and_not_at_the_spaces_around_them():
    right, wrong = NOT_IN_OTHER, NOT_IN_OTHER | NOT_IN_REFERENCE
    pieces = (("one", 0), (" two ", right), ("three", NOT_IN_REFERENCE), (" ", wrong), ("four four ", wrong))
    assert passages_to_text(of_pieces(*pieces)).splitlines()[2] == "  new        one {+two+} three [-four four-]"
    coloured = passages_to_text(of_pieces(*pieces), coloured=True).splitlines()[2]
    assert coloured == ("  new        one\x1b[1;32m two \x1b[0m\x1b[3mthree\x1b[0m\x1b[4;31m four four\x1b[0m")


def test_what_long_texts_share_is_shortened_and_what_differs_is_not():
    shared, own = "word " * 60, "other " * 60
    text = passages_to_text(of_pieces((shared, 0), (own, NOT_IN_OTHER | NOT_IN_REFERENCE), (shared, 0)))
    assert text.count("(…)") == 3  # once in the legend
    assert "(…) stands for words that both outputs and the reference share." in " ".join(text.split())
    assert text.count("other") == 60 + 3  # the legend says it twice, too
    assert 20 < text.count("word") < 80
    short = passages_to_text(of_pieces((shared[:LONGEST_STRETCH], 0)))
    assert "(…)" not in short and short.count("word") == LONGEST_STRETCH / 5
    source = passages_to_text(of_pieces((shared, 0), kind="source"))
    assert "(…)" not in source and source.count("word") == 60


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
def test_of_several_references_the_closest_is_shown():
    outputs = mtw.make_outputs([["far away"], ["the cat sat"]], {"new": ["the cat sat"], "old": ["the dog sat"]})
    listed = list_segments(outputs, mtw.compute_statistics(outputs, "chrf"), "new", "old", rng=1)
    text = format_segments(listed)
    assert "  reference 2  the cat sat\n" in text
    assert "far away" not in text
    assert "far away" in format_segments(listed, "latex")


def test_without_references_outputs_are_compared_with_each_other():
    outputs = mtw.make_outputs(["x", "y"], {"new": ["one two", "a"], "old": ["one three", "a"]})
    outputs = outputs.assign(reference=None, quality=[0.9, 0.5, 0.1, 0.5])
    statistics = mtw.compute_statistics(outputs, mtw.MeanScore("quality", higher_is_better=True))
    text = format_segments(list_segments(outputs, statistics, "new", "old", rng=1))
    assert "  old  one {+three+}\n  new  one {+two+}\n\n{+...+}: not in the other output.\n" in text
    assert "Buckets" not in text and "N-grams" not in text


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
def test_a_notebook_shows_the_segments_escaped():
    html = found(("<b>new", "old"))._repr_html_()
    assert "&lt;b&gt;new" in html and "<b>new" not in html
    assert "\u202e" not in html
    assert "Segments that favour &lt;b&gt;new most" in html
