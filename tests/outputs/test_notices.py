"""Warnings of one kind are one sentence with the list of what they concern."""

import pytest

from mtworkbench.outputs.checks.report import Report
from mtworkbench.outputs.text import make_outputs, read_outputs

from .reading import noticing

REFERENCE = [f"This is sentence number {i} of {i * i} in all." for i in range(1, 13)]


def write(path, lines, end="\n", begin=""):
    path.write_bytes((begin + "".join(line + end for line in lines)).encode())
    return str(path)


@pytest.fixture
def sixteen(tmp_path, monkeypatch):
    """Sixteen systems with CRLF, which have one line more of it each; the fifth begins with a byte-order mark."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "ref.txt", REFERENCE)
    systems = {}
    for number in range(1, 17):
        texts = [f"{text} {number}" for text in REFERENCE]
        ends = [text + ("\r" if i < 12 - number % 2 else "") for i, text in enumerate(texts)]
        write(tmp_path / f"s{number}.txt", ends, begin="\ufeff" if number == 5 else "")
        systems[f"s{number}"] = f"s{number}.txt"
    return systems


def test_sixteen_systems_with_one_fault_give_one_warning(sixteen):
    _, noticed = noticing(read_outputs, "ref.txt", sixteen)
    assert set(noticed) == {"crlf", "bom"}
    assert str(noticed["crlf"]) == (
        "16 files end 184 lines with carriage return and line feed: both were taken for the end of the line, in s1.txt "
        "(11), s2.txt (12), s3.txt (11), s4.txt (12), s5.txt (11) and 11 more."
    )
    crlf = noticed["crlf"]
    assert (crlf.path, crlf.line, crlf.count) == ("s1.txt", 1, 16 * 12 - 8)
    assert str(noticed["bom"]) == "s5.txt starts with a byte-order mark, which was left out."


def test_up_to_six_are_named_and_two_kinds_are_two_warnings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = [f"{text}\tx" if i in (3, 5) else text for i, text in enumerate(REFERENCE)]
    texts[7] = ""
    systems = {name: write(tmp_path / name, [f"{text} {name}" if text else "" for text in texts]) for name in "abcdef"}
    write(tmp_path / "ref.txt", REFERENCE)
    _, noticed = noticing(read_outputs, "ref.txt", {name: name for name in systems})
    assert set(noticed) == {"tab", "empty-hyp"}
    assert str(noticed["tab"]) == (
        "12 segments of 6 inputs (a (2), b (2), c (2), d (2), e (2) and f (2)) have tabs. They were kept as part of "
        "the text."
    )
    assert (noticed["tab"].path, noticed["tab"].line, noticed["tab"].count) == ("a", 4, 12)
    assert (
        str(noticed["empty-hyp"])
        == "6 segments of 6 inputs (a, b, c, d, e and f) are empty. They are scored as empty translations."
    )
    assert (noticed["empty-hyp"].path, noticed["empty-hyp"].line, noticed["empty-hyp"].count) == ("a", 8, 6)


def test_what_holds_of_one_alone_is_said_as_before(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "ref.txt", REFERENCE)
    write(tmp_path / "a.txt", REFERENCE[::-1], end="\r\n")
    _, noticed = noticing(read_outputs, "ref.txt", {"a": "a.txt"})
    assert str(noticed["crlf"]) == (
        "a.txt ends 12 of its 12 lines with carriage return and line feed: both were taken for the end of the line."
    )


def test_copies_are_listed_by_system():
    first, second, third = (tuple(f"{text} {number}" for text in REFERENCE) for number in (1, 2, 3))
    runs = {"a": [first, first], "b": [second, second, second], "c": [first], "d": [third], "{e}": [third]}
    systems = {name: [list(run) for run in several] for name, several in runs.items()}
    _, noticed = noticing(make_outputs, REFERENCE, systems)
    assert str(noticed["identical-runs"]) == (
        "24 segments of 2 inputs (system 'a', run 1 = system 'a', run 2 (12) and system 'b', run 1 = system 'b', run 2 "
        "= system 'b', run 3 (12)) are identical, although runs should differ. Copies make the variation between runs "
        "look smaller than it is. Give each run once."
    )
    assert str(noticed["identical-systems"]) == (
        "24 segments of 2 inputs (system 'a', run 1 = system 'c' (12) and system 'd' = system '{e}' (12)) are "
        "identical. No test can distinguish these systems. Check that no file was given in place of another."
    )


def test_names_with_braces_are_names():
    report = Report()
    for name in ("{count}", "{0}"):
        report.notice("tab", f"{name} has a tab.", count=1, whose=name, together="{places} have {count} tabs: {list}.")
    [one] = report.noticed
    assert str(one) == "2 have 2 tabs: {count} and {0}."


def test_a_count_that_is_not_known_is_one():
    report = Report()
    for name in "abcdefgh":
        report.notice("tab", f"{name} has tabs.", line=3, whose=name, together="{places} have tabs: {list}.")
    report.notice("tab", "The table has tabs.")
    joined, alone = report.noticed
    assert (str(joined), joined.count, joined.line) == ("8 have tabs: a, b, c, d, e and 3 more.", 8, 3)
    assert str(alone) == "The table has tabs."
