"""B01 to B38, B73 and B75: plain text files and lists."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import random
import subprocess
import sys
from pathlib import Path
from unittest import mock

from mtworkbench.inference import compare
from mtworkbench.metrics import Bleu, Ter
from mtworkbench.outputs.text import make_outputs, read_outputs
from mtworkbench.statistics.segment_statistics import compute_statistics

from .cases import OUTPUT, REFERENCE, Case, Texts, texts, write

REFERENCE_LINES = list(REFERENCE)
PLAIN = "".join(f"{line}\n" for line in OUTPUT)
LISTS = ["the cat sat", "a dog ran"]


def in_line(number: int, change) -> list[str]:
    """Change one line of the output."""
    return [change(line) if i == number else line for i, line in enumerate(OUTPUT, start=1)]


def several(lines) -> list[str]:
    """Return 24 different lines, and six of them again."""
    twice = [*lines, *(f"Once more: {line}" for line in lines)]
    return [*twice, *twice[:6]]


def appended(number: int, text: str) -> list[str]:
    """Add text to the end of one line of the output."""
    return in_line(number, lambda line: line + text)


def kept(number: int, text: str):
    """Tell of a frame whether one line of the output ends with a text, and none was split."""
    return lambda outputs: len(outputs) == len(REFERENCE) and outputs["hypothesis"][number - 1].endswith(text)


def unchanged(outputs) -> bool:
    """Tell whether exactly the lines of the output were read."""
    return outputs["hypothesis"].tolist() == list(OUTPUT)


def hypotheses(wanted):
    """Tell of a frame whether exactly these hypotheses were read."""
    return lambda outputs: outputs["hypothesis"].tolist() == list(wanted)


def references(wanted, of: str = "reference"):
    """Tell of a frame whether all of the output and exactly these references were read; None is an absent one."""
    return lambda outputs: unchanged(outputs) and outputs[of].tolist() == list(wanted)


def from_lists(*arguments, **more):
    """Make outputs from lists, in no folder."""
    return lambda folder: make_outputs(*arguments, **more)


def named(make):
    """Read as output the file that `make` makes in a folder and returns the path of."""

    def read(folder: Path):
        return read_outputs(write(folder, "ref.txt", REFERENCE), {"a": make(folder)})

    def command_line(folder: Path) -> list[str]:
        return ["compare", "--reference", str(folder / "ref.txt"), "--system", f"a={folder / 'a.txt'}"]

    read.command_line = command_line
    return read


def make_pipe(folder: Path) -> str:
    os.mkfifo(folder / "a.txt")
    return str(folder / "a.txt")


def make_folder(folder: Path) -> str:
    (folder / "a.txt").mkdir()
    return str(folder / "a.txt")


def compare_copies(folder: Path):
    outputs = Texts(REFERENCE_LINES, {"a": list(OUTPUT), "b": list(OUTPUT)})(folder)
    return compare(compute_statistics(outputs, Bleu()), rng=1)


def statistics_of(metric, *arguments, **more):
    return lambda folder: compute_statistics(make_outputs(*arguments, **more), metric)


def scores_nothing(statistics) -> bool:
    return statistics["a"].score().tolist() == [[0.0]]


READ_A_MILLION = """
import sys
from mtworkbench import compute_statistics, read_outputs
folder = sys.argv[1]
outputs = read_outputs(f"{folder}/ref.txt", {"a": f"{folder}/a.txt"})
assert compute_statistics(outputs, "bleu")["a"].values.shape[:2] == (1, 10**6)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")))
"""


def read_a_million(folder: Path) -> int:
    """Read 10^6 segments and compute their BLEU statistics in a process of its own; return its peak in kB."""
    draws = random.Random(1)
    words = [f"word{number}" for number in range(20_000)]
    for name in ("ref.txt", "a.txt"):
        write(folder, name, "".join(" ".join(draws.choices(words, k=6)) + "\n" for _ in range(10**6)))
    command = [sys.executable, "-c", READ_A_MILLION, str(folder)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def zstandard_bytes() -> bytes:
    try:
        import zstandard
    except ImportError:
        return b""
    return zstandard.compress(PLAIN.encode())


def without_zstandard(read):
    """Read where zstandard is not installed."""

    def read_without(folder: Path):
        with mock.patch.dict(sys.modules, {"zstandard": None}):
            return read(folder)

    return read_without


def bomb() -> bytes:
    """Return some 300 kB of gzip that hold 300 MB of zeros."""
    return gzip.compress(bytes(3 * 10**7)) * 10


BOM = b"\xef\xbb\xbf"
ZSTANDARD_MAGIC = b"\x28\xb5\x2f\xfd"
CASES = (
    Case(
        "B01",
        "one line fewer",
        texts(list(OUTPUT[:4] + OUTPUT[5:])),
        error="count-mismatch",
        said="a.txt has 11 lines but ref.txt has 12: outputs, references, sources and documents must be "
        "line-aligned; the first line whose length departs from the reference's is 5.",
        line=5,
    ),
    Case(
        "B01",
        "the last line is missing",
        texts(list(OUTPUT[:-1])),
        error="count-mismatch",
        said="a.txt has 11 lines but ref.txt has 12: outputs, references, sources and documents must be "
        "line-aligned; the lengths of the lines agree up to the end of the shorter one, so its end may be cut "
        "off.",
    ),
    Case(
        "B02",
        "one line more",
        texts([*OUTPUT[:4], "This line is new.", *OUTPUT[4:]]),
        error="count-mismatch",
        said="a.txt has 13 lines but ref.txt has 12: outputs, references, sources and documents must be "
        "line-aligned; the first line whose length departs from the reference's is 5.",
        line=5,
    ),
    Case(
        "B03",
        "three hypotheses, two references",
        from_lists(LISTS, {"a": [*LISTS, "a bird flew"]}),
        error="count-mismatch",
        said="system 'a' has 3 entries but the reference has 2: outputs, references, sources and documents must be "
        "line-aligned; the lengths of the lines agree up to the end of the shorter one, so its end may be cut "
        "off.",
    ),
    Case(
        "B04",
        "references transposed",
        from_lists([[text] for text in LISTS], {"a": LISTS}),
        error="ref-shape",
        said="There are 2 references of 1 segments, but 2 hypotheses: one list per reference was expected, not one "
        "list per segment; did you mean [refs]?",
    ),
    Case(
        "B05",
        "a text in place of a list",
        from_lists(LISTS, {"a": "the cat sat"}),
        error="not-a-list",
        said="'the cat sat' was given for system 'a': a list of texts was expected, one per segment; put it into a "
        "list.",
    ),
    Case(
        "B05",
        "a text in place of the references",
        from_lists("the cat sat", {"a": LISTS}),
        error="not-a-list",
        said="'the cat sat' was given for the references: a list of texts was expected, one per segment; put it into "
        "a list.",
    ),
    Case(
        "B06",
        "empty last line of one file",
        texts([*OUTPUT, ""]),
        error="count-mismatch",
        said="a.txt has 13 lines but ref.txt has 12: outputs, references, sources and documents must be "
        "line-aligned; the last line is empty: accept 'trailing-blank' to drop it.",
    ),
    Case(
        "B06",
        "empty last line of one file, accepted",
        texts([*OUTPUT, ""], accept=["trailing-blank"]),
        holds=unchanged,
        warns={"trailing-blank": "a.txt ends in empty lines, 1 of which were dropped, as accepted."},
    ),
    Case(
        "B06",
        "empty last line of all files",
        texts([*OUTPUT, ""], [*REFERENCE, ""]),
        error="empty-ref",
        said="ref.txt, line 13: the last line of this and all other files is empty: text was expected; accept "
        "'trailing-blank' to drop it, or 'empty-ref' to score empty texts.",
        line=13,
    ),
    Case("B07", "no final line feed", texts(PLAIN[:-1]), holds=unchanged),
    Case(
        "B08",
        "carriage return and line feed",
        texts(PLAIN.replace("\n", "\r\n")),
        holds=unchanged,
        warns={
            "crlf": "a.txt ends 12 of its 12 lines with carriage return and line feed: both were taken for the end "
            "of the line."
        },
    ),
    Case(
        "B09",
        "carriage returns alone",
        texts(PLAIN.replace("\n", "\r")),
        error="cr-only",
        said="a.txt ends its lines with a carriage return alone, as old Macs did: line feeds were expected; convert "
        "it first, for instance with: tr '\\r' '\\n'.",
        line=1,
    ),
    Case(
        "B10",
        "a carriage return inside",
        texts(in_line(3, lambda line: line.replace(" ", "\r", 1))),
        holds=hypotheses(in_line(3, lambda line: line.replace(" ", "\r", 1))),
        warns={
            "control-char": "1 of 12 segments of a.txt have control characters or unusual line breaks (1 U+000D), the "
            "first in line 3. They were kept as part of the text."
        },
    ),
    Case(
        "B11",
        "U+2028 and U+2029 inside",
        texts(appended(3, "\u2028 \u2029x")),
        holds=kept(3, "\u2029x"),
        warns={
            "control-char": "1 of 12 segments of a.txt have control characters or unusual line breaks (1 U+2028, 1 "
            "U+2029), the first in line 3. They were kept as part of the text."
        },
    ),
    Case(
        "B12",
        "further line ends of Unicode inside",
        texts(appended(3, "\x85\v\f\x1c\x1d\x1ex")),
        holds=kept(3, "x"),
        warns={
            "control-char": "1 of 12 segments of a.txt have control characters or unusual line breaks (1 U+0085, 1 "
            "U+000B, 1 U+000C, 1 U+001C, 1 U+001D), the first in line 3. They were kept as part of the text."
        },
    ),
    Case(
        "B13",
        "byte-order mark",
        texts(BOM + PLAIN.encode()),
        holds=unchanged,
        warns={"bom": "a.txt starts with a byte-order mark, which was left out."},
    ),
    Case(
        "B14",
        "byte-order mark in the middle",
        texts(in_line(5, lambda line: "\ufeff" + line)),
        holds=hypotheses(in_line(5, lambda line: "\ufeff" + line)),
        warns={
            "inner-bom": "1 of 12 segments of a.txt have byte-order marks inside the text, as if files had been joined "
            "(1 U+FEFF), the first in line 5. They were kept as part of the text."
        },
    ),
    Case(
        "B15",
        "UTF-16 with a mark",
        texts(PLAIN.encode("utf-16")),
        error="encoding",
        said="a.txt looks like UTF-16LE: UTF-8 was expected; convert it first, for instance with: iconv -f UTF-16LE "
        "-t UTF-8.",
        line=1,
    ),
    Case(
        "B15",
        "UTF-16 without a mark",
        texts(PLAIN.encode("utf-16-le")),
        error="encoding",
        said="a.txt looks like UTF-16LE: UTF-8 was expected; convert it first, for instance with: iconv -f UTF-16LE "
        "-t UTF-8.",
        line=1,
    ),
    Case(
        "B16",
        "a byte of Latin-1",
        texts(PLAIN.replace("painter", "paintér").encode("latin-1")),
        error="encoding",
        said="a.txt, line 1: byte 45 of the file, 0xE9, is not UTF-8 (invalid continuation byte): b'r is sold to a "
        "paint\\xe9r from the coast.'; convert the file to UTF-8 first (as Windows-1252, the encoding of many "
        "spreadsheets, it reads 'r is sold to a paintér from the coast.'; if that is right: iconv -f CP1252 -t "
        "UTF-8, or save it from Excel as CSV UTF-8).",
        line=1,
    ),
    Case(
        "B17",
        "normal form D",
        texts([line + " Cafe\u0301" for line in OUTPUT]),
        holds=hypotheses([line + " Cafe\u0301" for line in OUTPUT]),
        warns={
            "normalization": "12 of 12 segments of a.txt are not in Unicode's normal form C (in the references: none). "
            "Characters that look alike do not match. Accept 'nfc' to normalize all text."
        },
    ),
    Case(
        "B17",
        "normal form D, accepted",
        texts([line + " Cafe\u0301" for line in OUTPUT], accept=["nfc"]),
        holds=hypotheses([line + " Caf\xe9" for line in OUTPUT]),
        warns={"nfc": "12 of 12 segments of a.txt were normalized to NFC, as accepted."},
    ),
    Case(
        "B18",
        "a NUL",
        texts(appended(3, "\0")),
        error="nul",
        said="a.txt, line 3: byte 186 is NUL, which no text has: b'of the doors yellow.\\x00'; the file is damaged "
        "or is not text.",
        line=3,
    ),
    Case(
        "B19",
        "zero-width characters",
        texts(appended(3, "\u200b\xad\u202ex")),
        holds=kept(3, "\u200b\xad\u202ex"),
        warns={
            "invisible-chars": "1 of 12 segments of a.txt have invisible characters (1 U+200B, 1 U+00AD, 1 U+202E), "
            "the first in line 3. They were kept as part of the text."
        },
    ),
    Case(
        "B19",
        "zero-width characters, accepted",
        texts(appended(3, "\u200bx"), accept=["invisible-chars"]),
        holds=kept(3, "\u200bx"),
    ),
    Case("B20", "no-break spaces", texts(appended(3, "\xa0x")), holds=kept(3, "\xa0x")),
    Case(
        "B21",
        "half a surrogate pair",
        from_lists(LISTS, {"a": ["the cat", b"caf\xe9".decode("utf-8", "surrogateescape")]}),
        error="surrogate",
        said="system 'a', entry 2: 'caf\\udce9' has half a surrogate pair, so it is not text that can be written as "
        "UTF-8; read the original file again without errors='surrogateescape'.",
        line=2,
    ),
    Case(
        "B22", "an empty file", texts(b""), error="empty-file", said="a.txt is empty: at least one line was expected."
    ),
    Case(
        "B22",
        "an empty reference file",
        texts(list(OUTPUT), b""),
        error="empty-file",
        said="ref.txt is empty: at least one line was expected.",
    ),
    Case(
        "B23",
        "all hypotheses empty",
        texts([""] * 12),
        holds=hypotheses([""] * 12),
        warns={
            "all-empty": "12 of 12 segments of a.txt are empty. There is nothing to score. Give the output, or leave "
            "the system out."
        },
    ),
    Case(
        "B23",
        "all hypotheses empty: the score is 0",
        statistics_of(Bleu(), LISTS, {"a": ["", ""]}),
        holds=scores_nothing,
        warns={
            "all-empty": "2 of 2 segments of system 'a' are empty. There is nothing to score. Give the output, or "
            "leave the system out."
        },
    ),
    Case(
        "B24",
        "one empty hypothesis",
        texts(in_line(3, lambda line: "")),
        holds=hypotheses(in_line(3, lambda line: "")),
        warns={
            "empty-hyp": "1 of 12 segments of a.txt are empty, the first in line 3. They are scored as empty "
            "translations."
        },
    ),
    Case(
        "B25",
        "an empty reference",
        texts(list(OUTPUT), in_line(3, lambda line: "")),
        error="empty-ref",
        said="ref.txt has 1 empty references (line 3): text was expected; accept 'empty-ref' to score them as empty "
        "text, or 'absent-ref' where an empty line means that the segment has no such reference.",
        line=3,
    ),
    Case(
        "B25",
        "an empty reference, scored",
        texts(list(OUTPUT), in_line(3, lambda line: ""), accept=["empty-ref"]),
        holds=references(in_line(3, lambda line: "")),
        warns={"empty-ref": "ref.txt has 1 empty references (line 3): they are scored as empty text, as accepted."},
    ),
    Case(
        "B25",
        "an empty reference, the only one",
        texts(list(OUTPUT), in_line(3, lambda line: ""), accept=["absent-ref"]),
        error="empty-ref",
        said="ref.txt, line 3: this segment has no reference at all: at least one was expected; leave the segment "
        "out everywhere.",
        line=3,
    ),
    Case(
        "B25",
        "an empty reference, one of two",
        texts(list(OUTPUT), (REFERENCE_LINES, in_line(3, lambda line: "")), accept=["absent-ref"]),
        holds=references(in_line(3, lambda line: None), of="reference_2"),
        warns={
            "absent-ref": "ref2.txt has 1 empty references (line 3): they mean that a segment has no such reference, "
            "as accepted."
        },
    ),
    Case(
        "B26",
        "None among hypotheses",
        from_lists(LISTS, {"a": ["the cat", None]}),
        error="null-segment",
        said="system 'a', entry 2: there is no hypothesis (index 1): text was expected, empty text where the system "
        "said nothing.",
        line=2,
    ),
    Case(
        "B26",
        "None among references",
        from_lists([LISTS, ["the cat", None]], {"a": ["the cat", "dog"]}),
        holds=lambda outputs: (
            outputs["reference"].tolist() == LISTS and outputs["reference_2"].tolist() == ["the cat", None]
        ),
    ),
    Case(
        "B27",
        "a reference of None under TER",
        statistics_of(Ter(), [None, None], {"a": LISTS}),
        error="null-segment",
        said="the reference, entry 1: this segment has no reference at all: at least one was expected; leave the "
        "segment out everywhere.",
        line=1,
    ),
    Case(
        "B28",
        "a line of 200 kB",
        texts(appended(3, " word" * 40_000)),
        holds=hypotheses(appended(3, " word" * 40_000)),
        warns={"huge-line": "a.txt has 1 segments of more than 100 kB; the first is line 3."},
    ),
    Case(
        "B28",
        "a line of 11 MB",
        texts(appended(3, " word" * 2_200_000)),
        error="huge-line",
        said="a.txt, line 3: 'In spring he had this roof ...ord word word word word word' is 11,000,086 bytes long, "
        "more than 10 MB: one segment per line was expected; accept 'huge-line' if this is meant.",
        line=3,
    ),
    Case(
        "B28",
        "a line of 11 MB, accepted",
        texts(appended(3, " word" * 2_200_000), accept=["huge-line"]),
        holds=hypotheses(appended(3, " word" * 2_200_000)),
        warns={"huge-line": "a.txt has 1 segments of more than 100 kB; the first is line 3."},
    ),
    Case(
        "B29",
        "a million segments in less than 2 GiB",
        read_a_million,
        there=os.path.exists("/proc/self/status"),
        holds=lambda peak: peak < 2 * 2**20,
        slow=True,
    ),
    Case(
        "B30",
        "tabs inside",
        texts(appended(3, "\tx")),
        holds=kept(3, "\tx"),
        warns={
            "tab": "1 of 12 segments of a.txt have tabs (1 U+0009), the first in line 3. They were kept as part of the "
            "text."
        },
    ),
    Case(
        "B31",
        "a folder",
        named(make_folder),
        error="not-a-file",
        said="a.txt is a folder: an ordinary file was expected.",
    ),
    Case(
        "B31",
        "a pipe",
        named(make_pipe),
        there=hasattr(os, "mkfifo"),
        error="not-a-file",
        said="a.txt is a pipe, socket or device: an ordinary file was expected.",
    ),
    Case(
        "B31",
        "a file that is not there",
        named(lambda folder: str(folder / "a.txt")),
        error="not-a-file",
        said="a.txt cannot be read: No such file or directory.",
    ),
    Case(
        "B32",
        "the output is the reference",
        texts(REFERENCE_LINES),
        holds=hypotheses(REFERENCE_LINES),
        warns={
            "hyp-is-ref": "12 of 12 segments of a.txt are identical to a reference. A reference may have been "
            "given in place of an output. Give the output, or leave the system out."
        },
    ),
    Case(
        "B33",
        "two equal systems",
        compare_copies,
        holds=lambda result: result.metrics["BLEU"].comparisons[0].p_value == 1.0,
        warns={
            "identical-systems": "12 of 12 segments of a.txt and b.txt are identical. No test can distinguish these "
            "systems. Check that no file was given in place of another.",
            "few-units": "Only 12 segments can be resampled. Below 30, win % is anti-conservative (it calls equal "
            "systems different too often): go by the p-value.",
        },
    ),
    Case(
        "B34",
        "one line too early",
        texts([*OUTPUT[1:], "The end of it."]),
        holds=hypotheses([*OUTPUT[1:], "The end of it."]),
        warns={
            "suspected-shift": "11 of 12 segments of a.txt match the reference of an earlier or later segment "
            "(1 segment later; 11 segments can be matched by their words), the first in line 1. A line was lost or "
            "added, or parts are in another order, so these segments are scored against the wrong references. Find "
            "where the shift begins, and align the file again."
        },
    ),
    Case("B35", "xz", texts(lzma.compress(PLAIN.encode())), holds=unchanged),
    Case("B35", "bzip2", texts(bz2.compress(PLAIN.encode())), holds=unchanged),
    Case("B35", "zstandard", texts(zstandard_bytes()), holds=unchanged, needs="zstandard"),
    Case(
        "B35",
        "zstandard, where its package is not installed",
        without_zstandard(texts(ZSTANDARD_MAGIC + bytes(30))),
        error="codec-missing",
        said="a.txt is a zstandard file, which cannot be read here: …mtworkbench[formats]….",
    ),
    Case("B36", "gzip in a file called .txt", texts(gzip.compress(PLAIN.encode(), mtime=0)), holds=unchanged),
    Case(
        "B37",
        "gzip cut off",
        texts(gzip.compress(PLAIN.encode(), mtime=0)[:-9]),
        error="truncated",
        said="a.txt ends in the middle of its gzip data, after 630 bytes of text; copy it again.",
    ),
    Case(
        "B38",
        "gzip of a thousand times its size",
        texts(bomb()),
        error="too-large",
        said="a.txt holds more than 58,384,000 bytes once decompressed: a file may hold 2 GiB, and 200 times its own "
        "size when it is compressed; accept 'too-large' if this is meant.",
    ),
    Case(
        "B73",
        "all files joined with themselves",
        texts(list(OUTPUT * 2), REFERENCE_LINES * 2),
        error="repeated-segments",
        said="ref.txt, line 13: 12 of 24 segments (50.0%) repeat earlier ones, with the same reference and outputs of "
        "all systems; line 13 repeats line 1. Copies add no evidence: with them, p is too small and intervals are too "
        "narrow. Remove the copies from all files, or accept 'repeated-segments' to keep them.",
        line=13,
    ),
    Case(
        "B73",
        "the same, accepted",
        texts(list(OUTPUT * 2), REFERENCE_LINES * 2, accept=["repeated-segments"]),
        holds=hypotheses(OUTPUT * 2),
    ),
    Case(
        "B73",
        "a fifth of the segments is repeated",
        texts(several(OUTPUT), several(REFERENCE)),
        holds=hypotheses(several(OUTPUT)),
        warns={
            "repeated-segments": "6 of 30 segments of ref.txt repeat earlier ones, with the same reference and outputs "
            "of all systems, the first in line 25. Copies add no evidence: with them, p is too small and "
            "intervals are too narrow. If files were joined, remove the copies from all of them."
        },
    ),
    Case(
        "B73",
        "four segments are repeated, which is natural",
        texts(several(OUTPUT)[:28], several(REFERENCE)[:28]),
        holds=hypotheses(several(OUTPUT)[:28]),
    ),
    Case(
        "B75",
        "every line is a JSON object, as in WMT's files",
        texts([json.dumps({"doc_id": number, "hypothesis": text}) for number, text in enumerate(OUTPUT)]),
        error="json-lines",
        said="a.txt, line 1: every line is a JSON object (keys here: 'doc_id' and 'hypothesis'), but plain text was "
        "expected: name WMT's test set (.jsonl, with 'refs') as the reference (in Python, read_wmt_jsonl), or accept "
        "'json-lines' to score the objects as they are.",
        line=1,
    ),
    Case(
        "B75",
        "one line is a JSON object, which may be meant",
        texts(in_line(3, lambda line: '{"text": 1}')),
        holds=kept(3, '{"text": 1}'),
    ),
)
