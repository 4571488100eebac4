"""Plain text: the faults of the list of bad input, and what real files hold."""

import bz2
import gzip
import lzma
import os
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks import characters
from mtworkbench.outputs.checks.frames import check_outputs
from mtworkbench.outputs.text import make_outputs, read_outputs

from .reading import noticing, refusal

REFERENCE = [
    f"This is sentence number {i} of {i * i} in all, about {word}s." for i, word in enumerate("abcdefghijkl", 1)
]
HYPOTHESES = [text.replace("This is", "Here is") for text in REFERENCE]


def write(path, lines, end="\n", encoding="utf-8"):
    path.write_bytes("".join(line + end for line in lines).encode(encoding))
    return str(path)


@pytest.fixture
def files(tmp_path):
    """Write a reference and one system; return the paths."""
    return write(tmp_path / "ref.txt", REFERENCE), write(tmp_path / "hyp.txt", HYPOTHESES)


def read(*args, **kwargs):
    return noticing(read_outputs, *args, **kwargs)


def refuse(*args, **kwargs):
    return refusal(read_outputs, *args, **kwargs)


def test_references_of_a_glob_come_in_natural_order(tmp_path):
    """Runs go by their numbers; references have none but the place of their file."""
    for number in (1, 2, 10):
        write(tmp_path / f"ref{number}.txt", [f"{text} {number}" for text in REFERENCE])
    outputs, _ = read(str(tmp_path / "ref*.txt"), {"new": write(tmp_path / "new.txt", HYPOTHESES)})
    columns = ["reference", "reference_2", "reference_3"]
    assert [text.rsplit(" ", 1)[1] for text in outputs.loc[0, columns]] == ["1", "2", "10"]


def test_one_row_a_system_run_and_segment(tmp_path, files):
    reference, hypotheses = files
    more = [write(tmp_path / f"opt{i}.txt", [f"{text} {i}" for text in HYPOTHESES]) for i in (1, 2, 10)]
    second = write(tmp_path / "ref2.txt", [text.upper() for text in REFERENCE])
    source = write(tmp_path / "src.txt", [f"Quelle {i}" for i in range(12)])
    documents = write(tmp_path / "docs.txt", ["d1"] * 5 + ["d2"] * 7)
    domains = write(tmp_path / "domains.txt", ["news"] * 12)
    outputs, noticed = read(
        [reference, second],
        {"new": str(tmp_path / "opt*.txt"), "base": hypotheses},
        source=source,
        documents=documents,
        domains=domains,
    )
    assert not noticed
    assert list(outputs.columns) == [
        *("document", "segment", "source", "domain", "reference", "reference_2", "system"),
        *("run", "run_name", "hypothesis"),
    ]
    assert len(outputs) == 4 * 12
    assert outputs["system"].tolist() == ["new"] * 36 + ["base"] * 12
    assert outputs["run"].tolist() == [1] * 12 + [2] * 12 + [3] * 12 + [1] * 12
    assert outputs["run_name"].tolist() == ["1"] * 12 + ["2"] * 12 + ["10"] * 12 + ["1"] * 12
    assert outputs["segment"].tolist() == list(range(1, 13)) * 4
    # Natural order: opt2 before opt10.
    assert [outputs["hypothesis"][i].rsplit(" ", 1)[1] for i in (0, 12, 24)] == ["1", "2", "10"]
    assert outputs["document"].tolist() == (["d1"] * 5 + ["d2"] * 7) * 4
    assert outputs["reference_2"].tolist() == [text.upper() for text in REFERENCE] * 4
    assert outputs["source"][13] == "Quelle 1"
    assert outputs["hypothesis"].tolist()[36:] == HYPOTHESES
    assert outputs["segment"].dtype == np.int64
    assert outputs["run"].dtype == np.int64
    assert all(type(text) is str for text in outputs["hypothesis"])
    listed, _ = read(reference, [("new", more), ("base", hypotheses)])
    pd.testing.assert_frame_equal(listed, outputs[listed.columns])


def test_runs_come_in_the_order_of_the_numbers_in_their_names(tmp_path, files):
    given = [
        write(tmp_path / f"a.opt{number}.txt", [f"{number} {text}" for text in HYPOTHESES]) for number in (2, 0, 10)
    ]
    outputs, _ = read(files[0], {"a": given, "b": files[1]})
    first = outputs[outputs["segment"] == 1]
    assert first["run"].tolist() == [1, 2, 3, 1]
    assert first["run_name"].tolist() == ["0", "2", "10", "1"]
    assert [text.split(" ")[0] for text in first["hypothesis"].iloc[:3]] == ["0", "2", "10"]
    # Where names have no number, two, or different words before it, the order is that of the files.
    for names in (("x", "y"), ("run2.opt1", "run1.opt1"), ("run2", "seed1"), ("run2", "plain")):
        given = [write(tmp_path / name, [f"{place} {text}" for text in HYPOTHESES]) for place, name in enumerate(names)]
        outputs, _ = read(files[0], {"a": given})
        assert outputs.loc[outputs["segment"] == 1, "hypothesis"].str[0].tolist() == ["0", "1"]
        assert "run_name" not in outputs.columns


def test_texts_are_shared_between_rows(files):
    reference, hypotheses = files
    outputs = read_outputs(reference, {"a": hypotheses})
    again = make_outputs(REFERENCE, {"a": [HYPOTHESES, ["x", *REFERENCE[1:]]]}, accept=[]).reference
    assert outputs["reference"].tolist() == REFERENCE
    assert again.iloc[0] is again.iloc[12]


class TestCounts:
    def test_a_lost_line_is_found(self, tmp_path, files):
        texts = [" ".join(["word"] * (3 + 7 * i % 11)) for i in range(300)]
        reference = write(tmp_path / "long.txt", texts)
        short = write(tmp_path / "short.txt", texts[:211] + texts[212:])
        error = refuse(reference, {"a": short})
        assert (error.code, error.path, error.line) == ("count-mismatch", short, 212)
        assert str(error) == (
            f"{short} has 299 lines but {reference} has 300: outputs, references, sources and documents must be "
            "line-aligned; the first line whose length departs from the reference's is 212."
        )
        error = refuse(short, {"a": reference})
        assert (error.path, error.line, error.found, error.expected) == (reference, 212, "300 lines", "299")

    def test_a_file_cut_off(self, tmp_path, files):
        error = refuse(files[0], {"a": write(tmp_path / "cut.txt", HYPOTHESES[:9])})
        assert error.line is None
        assert "its end may be cut off" in str(error)

    @pytest.mark.parametrize("role", ["source", "documents", "domains"])
    def test_parallel_files(self, tmp_path, files, role):
        error = refuse(files[0], {"a": files[1]}, **{role: write(tmp_path / "extra.txt", ["x"] * 11)})
        assert (error.code, error.found, error.expected) == ("count-mismatch", "11 lines", "12")

    def test_second_reference(self, tmp_path, files):
        second = write(tmp_path / "ref2.txt", REFERENCE[1:])
        assert refuse([files[0], second], {"a": files[1]}).path == second

    def test_a_trailing_blank_line(self, tmp_path, files):
        blank = write(tmp_path / "blank.txt", [*HYPOTHESES, ""])
        error = refuse(files[0], {"a": blank})
        assert error.code == "count-mismatch"
        assert error.hint == "the last line is empty: accept 'trailing-blank' to drop it"
        assert error.hint in str(error)
        outputs, noticed = read(files[0], {"a": blank}, accept=["trailing-blank"])
        assert outputs["hypothesis"].tolist() == HYPOTHESES
        assert (noticed["trailing-blank"].line, noticed["trailing-blank"].count) == (13, 1)

    def test_trailing_blanks_of_the_reference_and_of_all(self, tmp_path, files):
        reference = write(tmp_path / "ref2.txt", [*REFERENCE, "", ""])
        assert "the last 2 lines are empty in" in refuse(reference, {"a": files[1]}).hint
        for hypotheses in (HYPOTHESES, [*HYPOTHESES, ""], [*HYPOTHESES, "", ""]):
            outputs, noticed = read(
                reference, {"a": write(tmp_path / "hyp2.txt", hypotheses)}, accept=("trailing-blank",)
            )
            assert outputs["reference"].tolist() == REFERENCE
            assert outputs["hypothesis"].tolist() == HYPOTHESES

    def test_a_last_empty_hypothesis_is_no_trailing_blank(self, tmp_path, files):
        hypotheses = write(tmp_path / "hyp2.txt", [*HYPOTHESES[:-1], ""])
        outputs, noticed = read(files[0], {"a": hypotheses}, accept="trailing-blank")
        assert len(outputs) == 12
        assert set(noticed) == {"empty-hyp"}


class TestLines:
    def test_no_final_newline(self, tmp_path, files):
        path = tmp_path / "bare.txt"
        path.write_text("\n".join(HYPOTHESES), newline="")
        assert read(files[0], {"a": path})[0]["hypothesis"].tolist() == HYPOTHESES

    def test_crlf(self, tmp_path, files):
        outputs, noticed = read(files[0], {"a": write(tmp_path / "crlf.txt", HYPOTHESES, end="\r\n")})
        assert outputs["hypothesis"].tolist() == HYPOTHESES
        assert set(noticed) == {"crlf"}
        assert noticed["crlf"].count == 12

    def test_one_carriage_return_is_stripped_and_no_more(self, tmp_path, files):
        path = tmp_path / "odd.txt"
        path.write_bytes("\n".join(HYPOTHESES[:10]).encode() + b"\nstays\r\r\nstays too\r")
        outputs, noticed = read(files[0], {"a": path})
        assert outputs["hypothesis"].tolist()[10:] == ["stays\r", "stays too\r"]
        assert (noticed["crlf"].line, noticed["crlf"].count) == (11, 1)
        assert noticed["control-char"].count == 2

    def test_cr_only(self, tmp_path, files):
        error = refuse(files[0], {"a": write(tmp_path / "mac.txt", HYPOTHESES, end="\r")})
        assert error.code == "cr-only"

    @pytest.mark.parametrize(
        "mark", ["\r", "\u2028", "\u2029", "\x85", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x1b", "\x93"]
    )
    def test_foreign_line_ends_are_one_segment(self, tmp_path, files, mark):
        hypotheses = [*HYPOTHESES[:3], f"one{mark}two", *HYPOTHESES[4:]]
        outputs, noticed = read(files[0], {"a": write(tmp_path / "odd.txt", hypotheses)})
        assert outputs["hypothesis"].tolist() == hypotheses
        assert set(noticed) == {"control-char"}
        assert (noticed["control-char"].line, noticed["control-char"].count) == (4, 1)
        assert mark not in str(noticed["control-char"])

    @pytest.mark.parametrize("character", ["\u200b", "\xad", "\u202e", "\u200f", "\u2066"])
    def test_invisible_characters(self, tmp_path, files, character):
        hypotheses = [*HYPOTHESES[:3], f"one{character}two{character}", *HYPOTHESES[4:]]
        outputs, noticed = read(files[0], {"a": write(tmp_path / "odd.txt", hypotheses)})
        assert outputs["hypothesis"].tolist() == hypotheses
        assert set(noticed) == {"invisible-chars"}
        assert f"2 U+{ord(character):04X}" in str(noticed["invisible-chars"])
        assert character not in str(noticed["invisible-chars"])
        _, noticed = read(files[0], {"a": tmp_path / "odd.txt"}, accept="invisible-chars")
        assert noticed == {}

    def test_nothing_suspect_but_u_fffd_is_printable(self):
        every = "".join(map(chr, range(sys.maxunicode + 1)))
        assert {character for character in characters._SUSPECT.findall(every) if character.isprintable()} == {"\ufffd"}

    def test_tabs_and_no_break_spaces(self, tmp_path, files):
        hypotheses = ["a\tb", "no\xa0break", *HYPOTHESES[2:]]
        outputs, noticed = read(files[0], {"a": write(tmp_path / "odd.txt", hypotheses)})
        assert outputs["hypothesis"].tolist() == hypotheses
        assert set(noticed) == {"tab"}

    def test_byte_order_marks(self, tmp_path, files):
        hypotheses = ["\ufeff" + HYPOTHESES[0], *HYPOTHESES[1:6], "\ufeff" + HYPOTHESES[6], *HYPOTHESES[7:]]
        outputs, noticed = read(files[0], {"a": write(tmp_path / "bom.txt", hypotheses)})
        assert outputs["hypothesis"].tolist() == [HYPOTHESES[0], *hypotheses[1:]]
        assert set(noticed) == {"bom", "inner-bom"}
        assert noticed["inner-bom"].line == 7

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
    def test_other_unicode_encodings(self, tmp_path, files, encoding):
        path = tmp_path / "wide.txt"
        path.write_bytes("\n".join(HYPOTHESES).encode(encoding))
        error = refuse(files[0], {"a": path})
        assert error.code == "encoding"
        assert error.found.startswith(encoding.upper()[:6])
        assert f"looks like {error.found}" in str(error)

    def test_latin_1(self, tmp_path, files):
        data = b"first line\nsecond caf\xe9 \x1b[31m\n"
        path = tmp_path / "latin.txt"
        path.write_bytes(data)
        error = refuse(files[0], {"a": path})
        assert (error.code, error.line, error.found) == ("encoding", 2, "0xE9")
        assert f"byte {data.index(0xE9)} of the file" in str(error)
        assert "\x1b" not in str(error)

    def test_nul(self, tmp_path, files):
        path = tmp_path / "nul.txt"
        path.write_bytes(b"one\ntwo\x00three\n")
        error = refuse(files[0], {"a": path})
        assert (error.code, error.line) == ("nul", 2)

    @pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
    def test_empty_file(self, tmp_path, files, data):
        path = tmp_path / "empty.txt"
        path.write_bytes(data)
        assert refuse(files[0], {"a": path}).code == "empty-file"
        assert refuse(path, {"a": files[1]}).code == "empty-file"

    def test_huge_lines(self, tmp_path, files):
        hypotheses = ["x" * 100_001, *HYPOTHESES[1:]]
        _, noticed = read(files[0], {"a": write(tmp_path / "long.txt", hypotheses)})
        assert (noticed["huge-line"].line, noticed["huge-line"].count) == (1, 1)
        hypotheses[0] = "é" * 5_000_001
        huge = write(tmp_path / "huge.txt", hypotheses)
        error = refuse(files[0], {"a": huge})
        assert (error.code, error.line) == ("huge-line", 1)
        assert len(str(error)) < 400
        outputs, noticed = read(files[0], {"a": huge}, accept={"huge-line"})
        assert len(outputs["hypothesis"][0]) == 5_000_001
        assert "huge-line" in noticed


class TestFiles:
    def test_not_a_file(self, tmp_path, files):
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "locked\x1b.txt").symlink_to(tmp_path / "nowhere")
        for path in (
            tmp_path,
            tmp_path / "pipe",
            tmp_path / "missing",
            tmp_path / "locked\x1b.txt",
            "a\0b",
            "/dev/zero",
        ):
            error = refuse(files[0], {"a": path})
            assert error.code == "not-a-file"
            assert error.path == str(path)
            assert "\x1b" not in str(error)
            assert "\0" not in str(error)

    @pytest.mark.parametrize("value", [None, 7, [None], [["nested"]], b"\xff", []])
    def test_not_a_path(self, files, value):
        assert refuse(files[0], {"a": value}).code in ("not-a-path", "not-a-file", "no-match")

    def test_globs(self, tmp_path, files):
        error = refuse(files[0], {"a": str(tmp_path / "opt*")})
        assert error.code == "no-match"
        assert "opt*" in str(error)
        literal = write(tmp_path / "run[1].txt", HYPOTHESES)
        assert len(read(files[0], {"a": literal})[0]) == 12

    def test_in_a_folder_that_was_deleted(self, tmp_path, files, monkeypatch):
        gone = tmp_path / "gone"
        gone.mkdir()
        monkeypatch.chdir(gone)
        gone.rmdir()
        for name in ("hyp.txt", "hyp*"):
            assert str(refuse(files[0], {"a": name})) == (
                f"System 'a': {name} cannot be found, because the current folder was deleted: change to a folder that "
                "exists, or give an absolute path."
            )
        assert len(read(files[0], {"a": files[1]})[0]) == 12
        pattern = str(tmp_path / "no*")
        assert str(refuse(files[0], {"a": pattern})) == (
            f"System 'a': no file matches {pattern} (the current folder was deleted); check the pattern."
        )

    def test_a_file_given_twice(self, tmp_path, files):
        (tmp_path / "link.txt").symlink_to(files[1])
        for twice in ([files[1], files[1]], [files[1], str(tmp_path / "h*.txt")], [files[1], tmp_path / "link.txt"]):
            assert refuse(files[0], {"a": twice}).code == "duplicate-file"

    @pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
    def test_compressed_by_content_not_by_name(self, tmp_path, files, compress):
        data = ("\n".join(HYPOTHESES) + "\n").encode()
        path = tmp_path / "hyp.packed"
        # Several members, as `cat` makes them, and padding.
        path.write_bytes(compress(data[:100]) + compress(data[100:]) + b"\0\0\0\0")
        assert read(files[0], {"a": path})[0]["hypothesis"].tolist() == HYPOTHESES
        path.write_bytes(compress(data)[:-9])
        error = refuse(files[0], {"a": path})
        assert error.code == "truncated"
        assert "bytes of text" in str(error)
        path.write_bytes(compress(data) + b"tail")
        assert refuse(files[0], {"a": path}).code in ("corrupt", "truncated")
        damaged = bytearray(compress(data))
        damaged[len(damaged) // 2] ^= 0xFF
        path.write_bytes(damaged)
        assert refuse(files[0], {"a": path}).code in ("corrupt", "truncated")

    def test_zstandard(self, tmp_path, files):
        zstandard = pytest.importorskip("zstandard")
        data = zstandard.compress(("\n".join(HYPOTHESES) + "\n").encode())
        path = tmp_path / "hyp.txt.zst"
        path.write_bytes(data)
        assert read(files[0], {"a": path})[0]["hypothesis"].tolist() == HYPOTHESES
        path.write_bytes(data[:-5])
        assert refuse(files[0], {"a": path}).code in ("truncated", "corrupt")

    def test_zstandard_without_the_extra(self, tmp_path, files, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
        path = tmp_path / "hyp.txt"
        path.write_bytes(b"\x28\xb5\x2f\xfd...")
        error = refuse(files[0], {"a": path})
        assert error.code == "codec-missing"
        assert "mtworkbench[formats]" in str(error)

    @pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
    def test_bombs(self, tmp_path, files, compress):
        path = tmp_path / "bomb"
        path.write_bytes(compress(b"x" * 30_000_000))
        assert refuse(files[0], {"a": path}).code == "too-large"

    def test_a_bomb_never_fills_the_memory(self, tmp_path, files):
        path = tmp_path / "bomb.gz"
        path.write_bytes(gzip.compress(bytes(300_000_000), 1) + os.urandom(1_000))
        tracemalloc.start()
        error = refuse(files[0], {"a": path})
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert error.code == "too-large"
        assert peak < 150_000_000

    @pytest.mark.long
    def test_what_is_large_once_decompressed(self, tmp_path, files):
        hypotheses = ["x" * 2_000_000, *HYPOTHESES[1:4], *["y" * 2_000_000] * 8]
        path = tmp_path / "large.gz"
        path.write_bytes(gzip.compress("\n".join(hypotheses).encode()))
        outputs, noticed = read(files[0], {"a": path}, accept=["too-large"])
        assert outputs["hypothesis"].tolist() == hypotheses
        assert set(noticed) == {"huge-line"}

    def test_a_bomb_that_was_accepted(self, tmp_path):
        path = tmp_path / "same.gz"
        path.write_bytes(gzip.compress(b"always the same\n" * 5000, mtime=0))
        assert refuse(path, {"a": path}).code == "too-large"
        assert len(read(path, {"a": path}, accept=["too-large", "repeated-segments"])[0]) == 5000


class TestReferences:
    def test_an_empty_reference(self, tmp_path, files):
        empty = write(tmp_path / "ref2.txt", [*REFERENCE[:4], "", " ", *REFERENCE[6:]])
        error = refuse(empty, {"a": files[1]})
        assert (error.code, error.line) == ("empty-ref", 5)
        assert "lines 5, 6" in str(error)
        outputs, noticed = read(empty, {"a": files[1]}, accept=["empty-ref"])
        assert outputs["reference"][4] == ""
        assert (noticed["empty-ref"].line, noticed["empty-ref"].count) == (5, 2)
        assert refuse(empty, {"a": files[1]}, accept=["absent-ref"]).code == "empty-ref"

    def test_absent_references(self, tmp_path, files):
        second = write(tmp_path / "ref2.txt", [*REFERENCE[:4], "", "", *REFERENCE[6:]])
        assert refuse([files[0], second], {"a": files[1]}).code == "empty-ref"
        outputs, noticed = read([files[0], second], {"a": files[1]}, accept=["absent-ref"])
        assert outputs["reference_2"].tolist() == [*REFERENCE[:4], None, None, *REFERENCE[6:]]
        assert noticed["absent-ref"].count == 2

    def test_accept(self, files):
        error = refuse(files[0], {"a": files[1]}, accept=["anything"])
        assert error.code == "unknown-accept"
        assert "trailing-blank, empty-ref, absent-ref" in str(error)
        assert refuse(files[0], {"a": files[1]}, accept=["empty-ref", "absent-ref"]).code == "accept-conflict"


class TestHypotheses:
    def test_empty_hypotheses(self, tmp_path, files):
        _, noticed = read(files[0], {"a": write(tmp_path / "one.txt", [*HYPOTHESES[:-2], "", "x"])})
        assert (noticed["empty-hyp"].line, noticed["empty-hyp"].count) == (11, 1)
        _, noticed = read(files[0], {"a": write(tmp_path / "all.txt", [""] * 12)})
        assert set(noticed) == {"all-empty"}

    def test_copies(self, tmp_path, files):
        copy = write(tmp_path / "copy.txt", HYPOTHESES, end="\r\n")
        _, noticed = read(files[0], {"a": files[1], "b": copy, "c": files[0]})
        assert set(noticed) == {"crlf", "identical-systems", "hyp-is-ref"}
        assert noticed["hyp-is-ref"].path == files[0]
        _, noticed = read(files[0], {"a": [files[1], copy]})
        assert set(noticed) == {"crlf", "identical-runs"}

    def test_copies_in_lists_are_named_once(self):
        texts = ["the cat", "a dog"]
        _, noticed = noticing(make_outputs, texts, {"a": texts})
        assert str(noticed["hyp-is-ref"]) == (
            "2 of 2 segments of system 'a' are identical to a reference. A reference may have been given in place "
            "of an output. Give the output, or leave the system out."
        )
        _, noticed = noticing(make_outputs, ["x", "y"], {"a": texts, "b": texts})
        sentence = "2 of 2 segments of system 'a' and system 'b' are identical. No test can distinguish these systems."
        assert str(noticed["identical-systems"]).startswith(sentence)

    @pytest.mark.parametrize("shift", [1, -1])
    def test_a_shift(self, tmp_path, shift):
        rng = np.random.default_rng(5)
        vocabulary = np.array(
            [f"{a}{b}{c}" for a in ("ka", "to", "mi") for b in "bdfgh" for c in ("ren", "lis", "ost")]
        )
        reference = [" ".join(rng.choice(vocabulary, 12)) for _ in range(200)]
        noisy = [
            " ".join(w if rng.random() < 0.7 else f"x{len(w)}{i}" for i, w in enumerate(text.split()))
            for text in reference
        ]
        path = write(tmp_path / "ref.txt", reference)
        assert read(path, {"a": write(tmp_path / "good.txt", noisy)})[1] == {}
        moved = noisy[:100] + (["lost"] + noisy[100:-1] if shift > 0 else noisy[101:] + ["new"])
        _, noticed = read(path, {"a": write(tmp_path / "bad.txt", moved)})
        assert set(noticed) == {"suspected-shift"}
        assert 60 <= noticed["suspected-shift"].line <= 140
        assert ("earlier" if shift > 0 else "later") in str(noticed["suspected-shift"])

    def test_normalization(self, tmp_path, files):
        reference = write(tmp_path / "nfc.txt", ["caf\xe9 \xe0 la carte", *REFERENCE[1:]])
        hypotheses = write(tmp_path / "nfd.txt", ["cafe\u0301 a\u0300 la carte", *HYPOTHESES[1:]])
        outputs, noticed = read(reference, {"a": hypotheses})
        assert outputs["hypothesis"][0] == "cafe\u0301 a\u0300 la carte"
        assert "normalization" not in outputs.columns
        assert set(noticed) == {"normalization"}
        assert (noticed["normalization"].count, noticed["normalization"].line) == (1, 1)
        assert "(in the references: none), the first in line 1." in str(noticed["normalization"])
        outputs, noticed = read(reference, {"a": hypotheses}, accept=["nfc"])
        assert outputs["hypothesis"][0] == "caf\xe9 \xe0 la carte"
        assert set(noticed) == {"nfc"}
        assert outputs["normalization"].tolist() == ["nfc"] * len(outputs)
        outputs.loc[1, "normalization"] = "nfd"
        with pytest.raises(InputError, match="^Row 2 of column 'normalization' holds 'nfd': this name is kept"):
            check_outputs(outputs)

    def test_html_entities(self, tmp_path, files):
        hypotheses = write(tmp_path / "html.txt", ["it&#39;s &quot;so&quot;", "AT&T", *HYPOTHESES[2:]])
        _, noticed = read(files[0], {"a": hypotheses})
        assert noticed["html-entities"].count == 1


class TestSystems:
    @pytest.mark.parametrize("name", ["src", "ref", "ref:A", "", "  ", "a\nb", "a\x1b", "\udc80", 7, None])
    def test_reserved_names(self, files, name):
        error = refuse(files[0], {name: files[1]})
        assert error.code == "reserved-name"
        assert "\x1b" not in str(error)

    @pytest.mark.parametrize("name", ["a/b", "x" * 300, "refA", "<b>$x$</b>", "naïve"])
    def test_other_names_are_kept(self, files, name):
        assert read(files[0], {name: files[1]})[0]["system"].unique().tolist() == [name]

    @pytest.mark.parametrize("systems", ["hyp.txt", ["hyp.txt"], 5, None, [("a",)], [("a", "b", "c")], [{"a": "b"}]])
    def test_shape(self, files, systems):
        assert refuse(files[0], systems).code == "systems-shape"

    def test_a_name_given_twice_in_a_list_of_pairs(self):
        """Nothing says whether these are two runs, or two systems of which one has the wrong name."""
        remedy = (
            "if these are runs of one system, give them as a list; if they are different systems, give them different "
            "names."
        )
        error = refuse("ref.txt", [("A", "a.txt"), ("B", "c.txt"), ("A", "b.txt")])
        assert (error.code, str(error)) == (
            "duplicate-system",
            f"The system 'A' occurs twice, with 'a.txt' and with 'b.txt': {remedy}",
        )
        error = refusal(make_outputs, ["x"], [("A", ["y"]), ("A", ["z"])])
        assert str(error) == f"The system 'A' occurs twice, with ['y'] and with ['z']: {remedy}"

    def test_none(self, files):
        assert refuse(files[0], {}).code == "no-systems"
        assert refuse(files[0], []).code == "no-systems"


class TestDocuments:
    def test_not_contiguous(self, tmp_path, files):
        documents = write(tmp_path / "docs.txt", ["a", "a", "b", "b", "a", *"ccccccc"])
        error = refuse(files[0], {"s": files[1]}, documents=documents)
        assert (error.code, error.line) == ("non-contiguous", 5)
        assert "line 2 and again in line 5" in str(error)
        outputs, noticed = read(files[0], {"s": files[1]}, documents=documents, accept=["non-contiguous"])
        assert outputs["document"].tolist() == ["a", "a", "b", "b", "a", *"ccccccc"]
        assert noticed["non-contiguous"].count == 1

    def test_with_domains(self, tmp_path, files):
        """As in the ``.docs`` files of mt-metrics-eval; domains of their own go before."""
        documents = write(tmp_path / "xx-yy.docs", ["news\ta"] * 5 + ["talk\tb"] * 7)
        outputs, noticed = read(files[0], {"s": files[1]}, documents=documents)
        assert outputs["document"].tolist() == ["a"] * 5 + ["b"] * 7
        assert outputs["domain"].tolist() == ["news"] * 5 + ["talk"] * 7
        assert str(noticed["dialect"]) == f"Each line of {documents} was read as a domain, a tab and a document."
        own = write(tmp_path / "domains.txt", ["web"] * 12)
        assert set(read(files[0], {"s": files[1]}, documents=documents, domains=own)[0]["domain"]) == {"web"}

    @pytest.mark.parametrize("role", ["documents", "domains"])
    def test_without_a_name(self, tmp_path, files, role):
        path = write(tmp_path / "names.txt", [*"aaaaaa", " ", *"bbbbb"])
        error = refuse(files[0], {"s": files[1]}, **{role: path})
        assert (error.code, error.line) == (f"empty-{role[:-1]}", 7)

    def test_one_file_only(self, files):
        assert refuse(files[0], {"s": files[1]}, documents=files).code == "one-file"

    def test_an_empty_source(self, tmp_path, files):
        _, noticed = read(files[0], {"s": files[1]}, source=write(tmp_path / "src.txt", [*"abcdefghij", "", "k"]))
        assert noticed["empty-source"].line == 11


class TestLists:
    def test_counts(self):
        error = refusal(make_outputs, ["r1", "r2"], {"a": ["h1", "h2", "h3"]})
        assert error.code == "count-mismatch"
        assert "system 'a' has 3 entries but the reference has 2" in str(error)

    def test_transposed_references(self):
        error = refusal(make_outputs, [["r1"], ["r2"], ["r3"]], {"a": ["h1", "h2", "h3"]})
        assert (error.code, error.hint) == ("ref-shape", "did you mean [refs]?")
        error = refusal(make_outputs, [["r1", "s1"], ["r2", "s2"], ["r3", "s3"]], {"a": ["h1", "h2", "h3"]})
        assert (error.code, error.hint) == ("ref-shape", "did you mean list(zip(*references))?")

    @pytest.mark.parametrize("text", ["a bare string", b"bytes", 5, None, {"a"}])
    def test_not_a_list(self, text):
        assert refusal(make_outputs, text, {"a": ["h"]}).code == "not-a-list"
        assert refusal(make_outputs, ["r"], {"a": text}).code == "not-a-list"

    def test_none(self):
        error = refusal(make_outputs, ["r1", "r2"], {"a": ["h1", None]})
        assert (error.code, error.line) == ("null-segment", 2)
        assert "index 1" in str(error)
        assert refusal(make_outputs, [None, None], {"a": ["h1", "h2"]}).code == "null-segment"
        outputs, _ = noticing(make_outputs, [["r1", "r2"], [None, "s2"]], {"a": ["h1", "h2"]})
        assert outputs["reference_2"].tolist() == [None, "s2"]

    def test_other_things_than_text(self):
        assert refusal(make_outputs, ["r1", 7], {"a": ["h1", "h2"]}).code == "not-text"
        assert refusal(make_outputs, ["r1", "r2"], {"a": ["h1", float("nan")]}).code == "not-text"
        assert refusal(make_outputs, [], {"a": []}).code == "no-segments"

    @pytest.mark.parametrize(("text", "code"), [("half \udce9", "surrogate"), ("a\0b", "nul")])
    def test_no_text(self, text, code):
        error = refusal(make_outputs, ["r1", "r2"], {"a": ["h1", text]})
        assert (error.code, error.line) == (code, 2)

    def test_arrays_series_and_runs(self):
        outputs, _ = noticing(
            make_outputs, pd.Series(["r1", "r2"]), {"a": np.array(["h1", "h2"]), "b": [["x", "y"], ("z", "w")]}
        )
        assert outputs["hypothesis"].tolist() == ["h1", "h2", "x", "y", "z", "w"]
        assert all(type(text) is str for text in outputs["hypothesis"])
        assert outputs["run"].tolist() == [1, 1, 1, 1, 2, 2]


class TestRealFiles:
    @pytest.mark.long
    def test_byte_order_mark(self, shared):
        folder = shared / "realdata" / "wmt17-en-de-16systems"
        systems = {path.name: path for path in sorted((folder / "sys").iterdir())}
        outputs, noticed = read(folder / "ref" / "newstest2017.ref.de", systems)
        assert len(outputs) == 16 * 3004
        assert set(noticed) == {"bom", "invisible-chars"}
        assert noticed["bom"].path.endswith("newstest2017.online-A.0.en-de")

    def test_crlf(self, shared):
        folder = shared / "realdata" / "odd-files" / "crlf-newstest2018-en-zh-first1000"
        systems = {
            "gtcom": folder / "newstest2018.GTCOM-Primary.5762.en-zh",
            "b": folder / "newstest2018.online-B.0.en-zh",
        }
        outputs, noticed = read(folder / "newstest2018.ref.zh", systems)
        assert not outputs["hypothesis"].str.contains("\r").any()
        assert set(noticed) == {"crlf", "same-ends"}  # lines of b end in commas
        assert noticed["crlf"].count == 1000

    def test_filler_lines(self, shared):
        folder = shared / "realdata" / "replications-e2e-nlg"
        references = str(folder / "refs" / "ref.[0-9]*.txt")
        runs = {"tgen-std": str(folder / "hyps" / "train-orig_test-orig" / "tgen-std.run*.txt")}
        assert refuse(references, runs).code == "empty-ref"
        outputs, noticed = read(references, runs, accept=["absent-ref"])
        columns = [f"reference_{i}" for i in range(2, 46)]
        present = outputs.loc[outputs["run"] == 1, ["reference", *columns]].notna().sum(axis=1)
        assert (present.sum(), present.min(), present.max()) == (4693, 1, 45)
        assert noticed["absent-ref"].count == 45 * 630 - 4693
        assert outputs["run"].max() == 5

    def test_empty_hypotheses_and_references_as_systems(self, shared):
        folder = shared / "realdata" / "mt-metrics-eval" / "wmt23"
        systems = {path.stem: path for path in sorted((folder / "system-outputs" / "he-en").iterdir())}
        references = [folder / "references" / f"he-en.ref{which}.txt" for which in "AB"]
        outputs, noticed = read(references, systems, source=folder / "sources" / "he-en.txt")
        assert len(outputs) == len(systems) * 1910
        assert noticed["empty-hyp"].count == 14
        assert noticed["empty-hyp"].path.endswith("ZengHuiMT.txt")
        assert noticed["hyp-is-ref"].count == 2 * 1910
        assert noticed["hyp-is-ref"].path.endswith("refA.txt")

    def test_html_entities(self, shared):
        folder = shared / "realdata" / "long-de-en"
        systems = {engine: folder / "sys" / engine / "wmt19.en" for engine in ("google", "microsoft")}
        _, noticed = read(folder / "ref" / "wmt19.en", systems)
        assert noticed["html-entities"].path.endswith("google/wmt19.en")
