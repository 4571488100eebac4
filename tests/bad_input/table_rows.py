"""B59 to B72 and B74: tables, folders of scores, directions, names."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from mtworkbench.inference import compare
from mtworkbench.metrics import MeanScore
from mtworkbench.outputs.mt_metrics_eval import read_mt_metrics_eval
from mtworkbench.outputs.sgml import read_sgml, write_sgml
from mtworkbench.outputs.table import read_table
from mtworkbench.outputs.text import make_outputs, read_outputs
from mtworkbench.statistics.segment_statistics import compute_statistics
from mtworkbench.tables import frame_to_csv

from .cases import OTHER, OUTPUT, REFERENCE, Case, texts, write
from .markup_rows import REFERENCE_A, SOURCE, SYSTEM, one_document, with_system

# What Python itself says of a trailing comma in JSON.
OF_TRAILING_COMMA = (
    "'Illegal trailing comma befo...: line 1 column 97 (char 96)'"
    if sys.version_info >= (3, 13)
    else "'Expecting property name enc...: line 1 column 98 (char 97)'"
)
NAMES = ("system", "segment", "reference", "hypothesis", "note")
ROWS = tuple(
    (system, str(number), reference, hypothesis, f"note {number}")
    for system, change in (("a", "cat"), ("b", "lynx"))
    for number, (reference, hypothesis) in enumerate([("the cat", f"a {change}"), ("a dog", "dog")], start=1)
)


def table(*changes: tuple[int, str, str], drop: str = "") -> pd.DataFrame:
    """Return a table of outputs; a change names a row (counted from 1), a column and the text there."""
    frame = pd.DataFrame(ROWS, columns=NAMES, dtype=object)
    for row, name, text in changes:
        frame.loc[row - 1, name] = text
    return frame.drop(columns=[drop] if drop else [])


def tsv(frame: pd.DataFrame) -> str:
    """Write a table without quoting."""
    return "".join("\t".join(map(str, row)) + "\n" for row in [frame.columns, *frame.to_numpy().tolist()])


def read(name: str, content: object, **options: object) -> Callable:
    return lambda folder: read_table(write(folder, name, content), **options)


def read_tsv(*changes: tuple[int, str, str], drop: str = "", **options: object) -> Callable:
    return read("a.tsv", tsv(table(*changes, drop=drop)), **options)


def pandas_tsv(*changes: tuple[int, str, str]) -> Callable:
    return read("a.tsv", table(*changes).to_csv(sep="\t", index=False))


def scored(*scores: str) -> Callable:
    """Read a table of outputs with these scores."""
    return read("a.tsv", tsv(table().assign(score=[*scores, *["0.5"] * (len(ROWS) - len(scores))])))


def jsonl(*, line: int = 0, change: Callable[[str], str] = str, begin: str = "") -> Callable:
    """Read JSON lines, one of them changed."""
    lines = [json.dumps(row) for row in table().to_dict("records")]
    lines = [change(text) if number == line else text for number, text in enumerate(lines, start=1)]
    return read("a.jsonl", begin + "".join(f"{text}\n" for text in lines))


def column(name: str, *wanted: object) -> Callable[..., bool]:
    """Tell whether a column begins so."""
    return lambda outputs: outputs[name].tolist()[: len(wanted)] == list(wanted)


def score_file(*lines: str) -> Callable:
    """Read a folder of mt-metrics-eval, with this file of scores."""

    def read(folder: Path):
        write(folder, "system-outputs/en-de/base.txt", OUTPUT[:2])
        write(folder, "system-outputs/en-de/better one.txt", OTHER[:2])
        write(folder, "references/en-de.refA.txt", REFERENCE[:2])
        write(folder, "human-scores/en-de.mqm.seg.score", list(lines))
        return read_mt_metrics_eval(folder, "en-de")

    return read


def judged(name: str) -> Callable:
    """Compare two systems by a score."""

    def read(folder: Path):
        frame = table().assign(**{name: ["0.1", "0.2", "0.3", "0.5"]}).drop(columns=["reference", "hypothesis", "note"])
        outputs = read_table(write(folder, "a.tsv", tsv(frame)))
        return compare(compute_statistics(outputs, MeanScore(name)), rng=1)

    return read


def first_pair(result):
    return next(iter(result.metrics.values())).comparisons[0]


def documents(*names: str) -> Callable:
    return texts(list(OUTPUT), documents=list(names))


def named(*names: str) -> Callable:
    """Make outputs of systems with these names."""
    return lambda folder: make_outputs(["the cat", "a dog"], {name: [f"cat {name}", "dog"] for name in names})


def written(*names: str) -> Callable:
    """Write the outputs of systems as SGML, and read them again: the names must be the same."""

    def read(folder: Path):
        outputs = named(*names)(folder)
        paths = write_sgml(outputs, folder / "sgml")
        assert all(path.is_file() and len(path.name) <= 255 for path in paths)
        return read_sgml(paths[0], [str(path) for path in paths[1:]])

    return read


def systems(*names: str) -> Callable[..., bool]:
    return lambda outputs: list(dict.fromkeys(outputs["system"])) == list(names)


def at_path(name: str) -> Callable:
    """Read an output from a file of this name."""
    return lambda folder: read_outputs(write(folder, "ref.txt", REFERENCE), {"a": write(folder, name, OUTPUT)})


def write_formulas(folder: Path):
    return frame_to_csv(pd.DataFrame({"segment": ["=cmd|' /C calc'!A0", "+1", "-x", "@SUM(A1)", "\tx", "\rx", "x"]}))


LONG = "word " * 30_000
EXCEL = table((1, "note", "=1+1"), (2, "note", "é")).to_csv(index=False, sep=";", lineterminator="\r\n")
LOOK_LIKE_VALUES = ("NA", "null", "None", "007")
MORE_LIKE_VALUES = ("1e5", "True", "", "nan")

CASES = (
    Case(
        "B59",
        "an unpaired quotation mark",
        read_tsv((1, "hypothesis", 'the "cat'), (3, "hypothesis", '"dog')),
        holds=column("hypothesis", 'the "cat', "dog", '"dog'),
    ),
    Case(
        "B60",
        "texts that look like values",
        read_tsv(*[(i, "hypothesis", text) for i, text in enumerate(LOOK_LIKE_VALUES, start=1)]),
        holds=column("hypothesis", *LOOK_LIKE_VALUES),
    ),
    Case(
        "B60",
        "more such texts, one of them empty",
        read_tsv(*[(i, "hypothesis", text) for i, text in enumerate(MORE_LIKE_VALUES, start=1)]),
        holds=column("hypothesis", *MORE_LIKE_VALUES),
        warns={
            "empty-hyp": "1 of 2 segments of a.tsv, system 'b', run 1 are empty, the first in line 4. They are scored "
            "as empty translations."
        },
    ),
    Case(
        "B60",
        "plain text that looks like values",
        texts(["NA", "null", "None", "007", "1e5", "True"], ["x"] * 6),
        holds=column("hypothesis", "NA", "null", "None", "007", "1e5", "True"),
    ),
    Case(
        "B61",
        "a carriage return in a field",
        read_tsv((1, "hypothesis", "a\rcat")),
        holds=column("hypothesis", "a\rcat"),
        warns={
            "control-char": "1 of 2 segments of a.tsv, system 'a', run 1 have control characters or unusual line "
            "breaks (1 U+000D), the first in line 2. They were kept as part of the text."
        },
    ),
    Case(
        "B62",
        "a row with one field too many",
        read("a.tsv", tsv(table()).replace("note 2", "note\t2", 1)),
        error="columns",
        said="a.tsv, line 3: there are 6 fields, but the first line names 5 columns ('system, segment, reference, "
        "hypothesis, note').",
        line=3,
    ),
    Case(
        "B62",
        "a row with one field too few",
        read("a.csv", table().to_csv(index=False).replace(",note 2", "", 1)),
        error="columns",
        said="a.csv, line 3: there are 4 fields, but the first line names 5 columns ('system, segment, reference, "
        "hypothesis, note').",
        line=3,
    ),
    Case(
        "B62",
        "a column is missing",
        read("a.tsv", tsv(table()).replace("hypothesis", "hypotesis")),
        error="columns",
        said="a.tsv has no column 'hypothesis', only 'system', 'segment', 'reference', 'hypotesis', 'note'; did you "
        "mean 'hypotesis'? Rename it.",
    ),
    Case("B62", "an extra column is kept", read_tsv(), holds=column("note", "note 1", "note 2")),
    Case(
        "B62",
        "a column name that occurs twice",
        read("a.tsv", tsv(table()).replace("note\n", "segment\n")),
        error="columns",
        said="a.tsv has two columns 'segment': names must differ.",
        line=1,
    ),
    Case(
        "B63",
        "a decimal comma",
        scored("0,5"),
        error="bad-number",
        said="a.tsv, column 'score', line 2: '0,5' cannot be taken for a number (it is not written as a number with "
        "a decimal point): a decimal point and no separators were expected, or None where there is none.",
        line=2,
    ),
    Case(
        "B63",
        "a thousands separator",
        scored("1,000.5"),
        error="bad-number",
        said="a.tsv, column 'score', line 2: '1,000.5' cannot be taken for a number (it is not written as a number "
        "with a decimal point): a decimal point and no separators were expected, or None where there is none.",
        line=2,
    ),
    Case(
        "B63",
        "digits grouped by underscores",
        scored("1_0"),
        error="bad-number",
        said="a.tsv, column 'score', line 2: '1_0' cannot be taken for a number (it is not written as a number with "
        "a decimal point): a decimal point and no separators were expected, or None where there is none.",
        line=2,
    ),
    Case(
        "B63",
        "nan",
        scored("nan"),
        error="bad-number",
        said="a.tsv, column 'score', line 2: 'nan' was found in a column of numbers: write None where there is no "
        "value (pandas does so with na_rep='None').",
        line=2,
    ),
    Case(
        "B63",
        "inf",
        scored("inf"),
        error="bad-number",
        said="a.tsv, column 'score', line 2: 'inf' cannot be taken for a number (it is not written as a number with "
        "a decimal point): a decimal point and no separators were expected, or None where there is none.",
        line=2,
    ),
    Case(
        "B63",
        "a number too large",
        scored("1e400"),
        error="bad-number",
        said="a.tsv, column 'score', line 2: '1e400' cannot be taken for a number (it is too large for a number): a "
        "decimal point and no separators were expected, or None where there is none.",
        line=2,
    ),
    Case(
        "B63",
        "minus zero",
        scored("-0"),
        error="bad-number",
        said="a.tsv, column 'score', line 2: '-0' cannot be taken for a number (it is a zero with a sign): a decimal "
        "point and no separators were expected, or None where there is none.",
        line=2,
    ),
    Case(
        "B63",
        "None is a missing number",
        scored("None", "0.25"),
        holds=lambda outputs: math.isnan(outputs["score"][0]) and outputs["score"][1] == 0.25,
    ),
    Case(
        "B63",
        "more n/a than numbers",
        scored("n/a", "n/a", "n/a"),
        holds=column("score", "n/a", "n/a", "n/a", "0.5"),
        warns={
            "numbers-as-text": "a.tsv, column 'score' was taken for text, because 3 of its 4 values are not numbers, "
            "the first in line 2: 'n/a'; if it is a column of numbers, write None where there is "
            "no value."
        },
    ),
    Case(
        "B63",
        "n/a among numbers",
        scored("n/a"),
        error="bad-number",
        said="a.tsv, column 'score', line 2: 'n/a' was found in a column of numbers: write None where there is no "
        "value.",
        line=2,
    ),
    Case(
        "B63",
        "ids as pandas writes them where some are missing",
        read_tsv(*[(i, "segment", f"{(i - 1) % 2 + 1}.0") for i in range(1, 5)]),
        holds=column("segment_id", "1.0", "2.0"),
        warns={
            "segments-renumbered": "a.tsv: the segments are not numbered 1 to 2 but have names such as '1.0' (pandas "
            "makes whole numbers decimal where a column has gaps: fill or drop these rows, "
            "then convert the column with .astype(int)); they were numbered in the order of "
            "the first system and the names kept as segment_id."
        },
    ),
    Case(
        "B64",
        "a field of CSV with 150,000 characters",
        read("a.csv", table((1, "hypothesis", LONG)).to_csv(index=False)),
        holds=column("hypothesis", LONG),
        warns={"huge-line": "a.csv, system 'a', run 1 has 1 segments of more than 100 kB; the first is line 2."},
    ),
    Case(
        "B64",
        "a field of CSV with 11 MB",
        read("a.csv", table((1, "hypothesis", LONG * 75)).to_csv(index=False)),
        error="huge-line",
        said="a.csv, line 2: the row that begins here has a field of more than 10 MB: one segment per row was "
        "expected; accept 'huge-line' if this is meant.",
        line=2,
    ),
    Case(
        "B65",
        "a bad line",
        jsonl(line=3, change=lambda text: text[:-1]),
        error="json",
        said='a.jsonl, line 3: \'{"system": "b", "segment": ...: "a lynx", "note": "note 1"\' is not a JSON object '
        "(\"Expecting ',' delimiter: line 1 column 97 (char 96)\"): one object per line was expected.",
        line=3,
    ),
    Case(
        "B65",
        "a key twice",
        jsonl(line=3, change=lambda text: text.replace("note", "segment", 1)),
        error="json",
        said='a.jsonl, line 3: \'{"system": "b", "segment": ... lynx", "segment": "note 1"}\' is not a JSON object '
        "(\"the key 'segment' occurs twice\"): one object per line was expected.",
        line=3,
    ),
    Case(
        "B65",
        "NaN",
        jsonl(line=3, change=lambda text: text.replace('"note 1"', "NaN")),
        error="json",
        said='a.jsonl, line 3: \'{"system": "b", "segment": ...sis": "a lynx", "note": NaN}\' is not a JSON object ('
        "'NaN is not a JSON number; write null for no value'): one object per line was expected.",
        line=3,
    ),
    Case(
        "B65",
        "a trailing comma",
        jsonl(line=3, change=lambda text: text.replace("}", ",}")),
        error="json",
        said='a.jsonl, line 3: \'{"system": "b", "segment": ..."a lynx", "note": "note 1",}\' is not a JSON object ('
        f"{OF_TRAILING_COMMA}): one object per line was expected.",
        line=3,
    ),
    Case(
        "B65",
        "a byte-order mark",
        jsonl(begin="\ufeff"),
        holds=column("note", "note 1", "note 2"),
        warns={"bom": "a.jsonl starts with a byte-order mark, which was left out."},
    ),
    Case(
        "B66",
        "a name with a blank in it",
        score_file("base\t-1", "base\t0", "better one\t-0.5", "better one\tNone"),
        holds=lambda outputs: (
            systems("base", "better one")(outputs)
            and outputs["mqm"].tolist()[:3] == [-1, 0, -0.5]
            and math.isnan(outputs["mqm"][3])
        ),
        warns={
            "missing-score": "human-scores/en-de.mqm.seg.score: 1 of 4 scores is missing. One per system and "
            "segment was expected.",
        },
    ),
    Case(
        "B66",
        "a blank line",
        score_file("base\t-1", "base\t0", "", "better one\t0", "better one\t0"),
        error="score-file",
        said="human-scores/en-de.mqm.seg.score, line 3: …",
        line=3,
    ),
    Case(
        "B66",
        "one score is missing",
        score_file("base\t-1", "better one\t-0.5", "better one\t0"),
        error="count-mismatch",
        said="human-scores/en-de.mqm.seg.score, line 2: the scores of 'base' end here after 1, but …",
        line=2,
    ),
    Case(
        "B66",
        "a system that is not there",
        score_file("base\t-1", "base\t0", "x\t-0.5", "x\t0"),
        error="unknown-system",
        said="human-scores/en-de.mqm.seg.score, line 3: …'x'…",
        line=3,
    ),
    Case(
        "B66",
        "interleaved systems",
        score_file("base\t-1", "base\t0", *["better one\t0"] * 2, "base\t-0.5"),
        error="interleaved-systems",
        said="human-scores/en-de.mqm.seg.score, line 5: the scores of 'base' are interrupted by those of another "
        "system: …",
        line=5,
    ),
    Case(
        "B66",
        "a missing system",
        score_file("base\t-1", "base\t0"),
        holds=lambda outputs: outputs["mqm"].isna().tolist() == [False, False, True, True],
        warns={
            "unrated-system": "human-scores/en-de.mqm.seg.score has no scores of 1 of 2 systems: 'better one'.",
        },
    ),
    Case(
        "B67",
        "no translation was supplied",
        texts([*OUTPUT[:2], "[No translation supplied]", *OUTPUT[3:]]),
        holds=lambda outputs: outputs["hypothesis"][2] == "[No translation supplied]",
        warns={
            "no-translation": "1 of 12 segments of a.txt say that no translation was supplied, the first in line 3. "
            "This is scored as a translation. Translate them, or leave the segments out of all files."
        },
    ),
    Case(
        "B68",
        "a document in two places",
        documents(*["d"] * 4, *["e"] * 4, *["d"] * 4),
        error="non-contiguous",
        said="documents.txt, line 9: document 'd' stands in line 4 and again in line 9, with others between; is the "
        "order right, and do two documents have one name? Accept 'non-contiguous' to take the parts as one "
        "document.",
        line=9,
    ),
    Case(
        "B69",
        "sources that differ where the ids are the same",
        read("a.tsv", tsv(table().assign(source=["Katze", "Hund", "Hund", "Katze"]))),
        error="text-mismatch",
        said="a.tsv, column 'source', line 4: 'Hund' was found where line 2, of the same segment, has 'Katze': it "
        "must be the same in all rows of a segment.",
        line=4,
    ),
    Case(
        "B70",
        "a score of unknown direction",
        judged("score"),
        holds=lambda result: (first_pair(result).better, first_pair(result).wins) == (None, None),
        warns={
            "unknown-direction": "Nothing says whether higher or lower is better for the scores 'score', so no wins "
            "are counted and no system is called better; give the direction with --direction "
            "score=up or score=down (in Python, with higher_is_better=True or False in MeanScore, or "
            "directions={'score': True or False} in load_statistics)."
        },
    ),
    Case(
        "B70",
        "a score whose name tells its direction",
        judged("ter"),
        # TER: lower is better, so the system with the lower score wins.
        holds=lambda result: (
            (first_pair(result).wins > first_pair(result).losses) == (first_pair(result).difference < 0)
        ),
        warns={
            "few-units": "Only 2 segments can be resampled. Below 30, win % is anti-conservative (it calls equal "
            "systems different too often): go by the p-value."
        },
    ),
    Case(
        "B71",
        "semicolons between columns",
        read("a.csv", EXCEL.encode()),
        holds=column("note", "=1+1", "é"),
        warns={
            "crlf": "a.csv ends 5 of its 5 lines with carriage return and line feed: both were taken for the end of "
            "the line.",
            "dialect": "a.csv separates its columns by semicolons, not by commas, and was read so.",
        },
    ),
    Case(
        "B71",
        "semicolons and Windows-1252",
        read("a.csv", EXCEL.encode("cp1252")),
        error="encoding",
        said="a.csv, line 3: byte 80 of the file, 0xE9, is not UTF-8 (invalid continuation byte): b'a;2;a dog;dog;\\"
        "xe9\\r'; convert the file to UTF-8 first (as Windows-1252, the encoding of many spreadsheets, it reads "
        "'a;2;a dog;dog;é'; if that is right: iconv -f CP1252 -t UTF-8, or save it from Excel as CSV UTF-8).",
        line=3,
    ),
    Case(
        "B71",
        "formulas are written with an apostrophe",
        write_formulas,
        holds=lambda text: (
            text.replace('"', "").replace("\r", "R").split("\n")
            == ["segment", "'=cmd|' /C calc'!A0", "'+1", "'-x", "'@SUM(A1)", "'\tx", "'Rx", "x", ""]
        ),
    ),
    Case("B72", "a file called CON.txt", at_path("CON.txt"), holds=column("hypothesis", *OUTPUT)),
    Case("B72", "a path of 400 characters", at_path("/".join(["x" * 100] * 4)), holds=column("hypothesis", *OUTPUT)),
    Case(
        "B72",
        "a name of 300 characters",
        lambda folder: read_outputs(write(folder, "ref.txt", REFERENCE), {"a": str(folder / ("x" * 300))}),
        error="not-a-file",
        said="…x cannot be read: File name too long.",
    ),
    Case("B72", "a name in normal form D", at_path("cafe\u0301.txt"), holds=column("hypothesis", *OUTPUT)),
    Case(
        "B72",
        "names that Windows reserves, of 300 characters, with / and dots",
        written("CON", "aux.x", "x" * 300, "a/b", "..", ".hidden"),
        holds=systems("CON", "aux.x", "x" * 300, "a/b", "..", ".hidden"),
    ),
    Case(
        "B72",
        "names that differ in case alone",
        written("Base", "base"),
        error="duplicate-file",
        said="The outputs of system 'base' would be written to 'base.sgm', the file of system 'Base': give the "
        "systems other names.",
    ),
    Case(
        "B72",
        "names in both normal forms",
        written("cafe\u0301", "caf\xe9"),
        error="duplicate-file",
        said="The outputs of system 'café' would be written to 'café.sgm', the file of system 'café': give the "
        "systems other names.",
    ),
    Case(
        "B52",
        "a system called src",
        named("src"),
        error="reserved-name",
        said="'src' cannot be the name of a system: it means the source or a reference in other formats; choose "
        "another.",
    ),
    Case(
        "B52",
        "a system called ref",
        named("ref"),
        error="reserved-name",
        said="'ref' cannot be the name of a system: it means the source or a reference in other formats; choose "
        "another.",
    ),
    Case(
        "B52",
        "a system called ref:A",
        named("ref:A"),
        error="reserved-name",
        said="'ref:A' cannot be the name of a system: it means the source or a reference in other formats; choose "
        "another.",
    ),
    Case(
        "B52",
        "a system without a name",
        named(""),
        error="reserved-name",
        said="'' cannot be the name of a system: it is empty; choose another.",
    ),
    Case(
        "B52",
        "a system without a name in XML",
        one_document(SOURCE, REFERENCE_A, SYSTEM.replace(' system="s"', "")),
        error="reserved-name",
        said="'' cannot be the name of a system: it is empty; choose another.",
    ),
    Case(
        "B52",
        "a system called src in SGML",
        with_system("src"),
        error="reserved-name",
        said="'src' cannot be the name of a system: it means the source or a reference in other formats; choose "
        "another.",
    ),
    Case(
        "B52",
        "a name with a slash, and one of 300 characters",
        written("a/b", "x" * 300),
        holds=systems("a/b", "x" * 300),
    ),
    Case(
        "B74",
        "TSV that pandas wrote, with quotation marks in texts",
        pandas_tsv((1, "hypothesis", 'the "cat"'), (3, "hypothesis", "a\ncat")),
        holds=column("hypothesis", 'the "cat"', "dog", "a\ncat", "dog"),
        warns={
            "quoted": "a.tsv has fields in quotation marks in 3 of 6 lines, the first in line 2, as pandas and other "
            "programs write them: the marks around fields were removed, and doubled marks inside became one. If they "
            "are part of the text, accept 'literal-quotes'.",
            "control-char": "1 of 2 segments of a.tsv, system 'b', run 1 have control characters or unusual line "
            "breaks (1 U+000A), the first in line 4. They were kept as part of the text.",
        },
    ),
    Case(
        "B74",
        "fields of TSV in quotation marks, with none inside",
        read_tsv((1, "hypothesis", '"Cat, come."')),
        error="quotation-marks",
        said="a.tsv, line 2: all fields with quotation marks (1, the first is '\"Cat, come.\"') have one at each end "
        "and none inside. These may be part of the text, or may have been added when the table was written: accept "
        "'literal-quotes' to read '\"Cat, come.\"', or 'quoted' to read 'Cat, come.'.",
        line=2,
    ),
    Case(
        "B74",
        "the same, accepted as part of the text",
        read_tsv((1, "hypothesis", '"Cat, come."'), accept=["literal-quotes"]),
        holds=column("hypothesis", '"Cat, come."'),
        warns={
            "literal-quotes": "a.tsv has quotation marks around fields, which were kept as part of the text, as "
            "accepted."
        },
    ),
)
