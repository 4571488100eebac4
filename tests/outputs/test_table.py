"""Tables: the faults of the list of bad input, in every format."""

import csv
import gzip
import json
import math

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import InputError
from mtworkbench.metrics import MeanScore
from mtworkbench.outputs.checks.frames import check_outputs, common_segments
from mtworkbench.outputs.table import read_table
from mtworkbench.outputs.text import make_outputs
from mtworkbench.statistics.segment_statistics import compute_statistics

from .reading import noticing, refusal

ROWS = [
    {"system": system, "run": str(run), "segment": str(segment), "reference": f"ref {segment}", "hypothesis": text}
    for system, run, segment, text in [
        ("a", 1, 1, "a one"),
        ("a", 1, 2, "a two"),
        ("a", 2, 1, "again one"),
        ("a", 2, 2, "again two"),
        ("b", 1, 1, "b one"),
        ("b", 1, 2, "b two"),
    ]
]


def tsv(path, rows, names=None):
    names = names or list(rows[0])
    lines = ["\t".join(names), *("\t".join(row[name] for name in names) for row in rows)]
    path.write_text("\n".join(lines) + "\n", newline="", encoding="utf-8")
    return path


def with_column(name, values):
    return [row | {name: value} for row, value in zip(ROWS, values, strict=True)]


def read(*args, **kwargs):
    return noticing(read_table, *args, **kwargs)


def refuse(*args, **kwargs):
    return refusal(read_table, *args, **kwargs)


@pytest.fixture(params=["tsv", "csv", "jsonl", "parquet", "frame"])
def write(request, tmp_path):
    """Return what writes rows as a table of each format."""

    def write(rows):
        frame = pd.DataFrame(rows, dtype=object)
        path = tmp_path / f"table.{request.param}"
        if request.param == "frame":
            return frame
        if request.param == "parquet":
            pytest.importorskip("pyarrow")
            frame.to_parquet(path)
        elif request.param == "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        elif request.param == "csv":
            with open(path, "w", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
        else:
            tsv(path, rows)
        return path

    return write


def test_rows_in_any_order_give_the_same_frame(write):
    outputs, noticed = read(write(ROWS))
    assert set(noticed) <= {"crlf"}
    assert outputs.columns.tolist() == ["segment", "reference", "system", "run", "hypothesis"]
    assert outputs["hypothesis"].tolist() == [row["hypothesis"] for row in ROWS]
    assert outputs["run"].tolist() == [1, 1, 2, 2, 1, 1]
    mixed, _ = read(write([ROWS[i] for i in (3, 5, 0, 4, 2, 1)]))
    pd.testing.assert_frame_equal(mixed, outputs)


def test_text_stays_text(write):
    texts = ["NA", "null", "None", "007", "1e5", ""]
    outputs, noticed = read(write(with_column("hypothesis", texts)))
    assert outputs["hypothesis"].tolist() == texts
    assert noticed["empty-hyp"].count == 1
    rows = [row | {"reference": text} for row, text in zip(ROWS, ["True", "nan"] * 3, strict=True)]
    assert read(write(rows))[0]["reference"].tolist() == ["True", "nan"] * 3


def test_numbers_travel_along(write):
    outputs, _ = read(write(with_column("score", ["0.5", "-1", "None", "1e2", "+.5", "7"])))
    assert outputs["score"].dtype == np.float64
    np.testing.assert_array_equal(outputs["score"], [0.5, -1, math.nan, 100, 0.5, 7])
    outputs, _ = read(write(with_column("annotator", ["rater one", "r2", "r3", "4", "r5", "r6"])))
    assert outputs["annotator"].tolist() == ["rater one", "r2", "r3", "4", "r5", "r6"]


@pytest.mark.parametrize(
    "number", ["0,5", "1,000.5", "1_0", "nan", "NaN", "inf", "-inf", "1e400", "-0", "", "5 %", "0x10", "٣"]
)
def test_numbers_written_otherwise(write, number):
    error = refuse(write(with_column("score", ["0.5", "1", "2", number, "3", "4"])))
    assert error.code == "bad-number"
    assert "column 'score'" in str(error)


def test_a_column_of_nothing_but_badly_written_numbers(write):
    assert refuse(write(with_column("score", ["0,5", "1,5", "2,5", "3,5", "4,5", "5,5"]))).code == "bad-number"


def test_the_line_of_a_bad_number(tmp_path):
    error = refuse(tsv(tmp_path / "t.tsv", with_column("score", ["0.5", "1", "2", "1_0", "3", "4"])))
    assert error.line == 5
    assert "t.tsv" in str(error)


@pytest.mark.parametrize("column", ["system", "hypothesis", "reference"])
def test_missing_columns(write, column):
    near = {"system": "systems", "hypothesis": "hypotesis", "reference": "Reference"}[column]
    error = refuse(write([{near if name == column else name: value for name, value in row.items()} for row in ROWS]))
    assert error.code == "columns"
    assert error.hint == f"did you mean {near!r}?"


def test_unfit_column_names(tmp_path):
    assert refuse(tsv(tmp_path / "t.tsv", with_column("reference_text", ["x"] * 6))).code == "columns"
    assert refuse(tsv(tmp_path / "t.tsv", with_column("reference_3", ["x"] * 6))).code == "columns"
    assert refuse(tsv(tmp_path / "t.tsv", with_column("", ["x"] * 6))).code == "columns"
    double = tsv(tmp_path / "t.tsv", ROWS, [*ROWS[0], "run"])
    assert "two columns 'run'" in str(refuse(double))
    frame = pd.DataFrame(ROWS).set_axis(["system", "run", "segment", "reference", "reference"], axis=1)
    assert refuse(frame).code == "columns"
    assert refuse(pd.DataFrame(ROWS).rename(columns={"run": 7})).code == "columns"


@pytest.mark.parametrize("suffix", ["tsv", "csv"])
def test_ragged_rows(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    separator = "\t" if suffix == "tsv" else ","
    for bad in (separator.join("ab"), separator.join("abcd"), ""):
        path.write_text(
            "\n".join([separator.join(["system", "hypothesis", "reference"]), separator.join("sxy"), bad]) + "\n"
        )
        error = refuse(path)
        assert (error.code, error.line) == ("columns", 3)
    path.write_text("\n".join([separator.join(["system", "hypothesis", "reference"]), separator.join("sxy"), "", ""]))
    outputs, noticed = read(path, accept=["trailing-blank"])
    assert len(outputs) == 1
    assert "trailing-blank" in noticed


@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl"])
def test_a_file_of_empty_lines_is_refused_where_these_are_accepted(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    path.write_text("\n\n\n")
    error = refusal(read_table, path, accept=["trailing-blank"])
    assert error.code == "empty-file"
    assert str(error) == f"{path} holds nothing but empty lines: at least one line was expected."


class TestSegments:
    def test_without_numbers_the_order_counts(self, write):
        rows = [{name: text for name, text in row.items() if name not in ("segment", "run")} for row in ROWS[2:]]
        outputs, _ = read(write(rows))
        assert outputs["segment"].tolist() == [1, 2, 1, 2]
        assert refuse(write(rows[:-1])).code == "count-mismatch"
        assert refuse(write([rows[0], rows[1], rows[3], rows[2]])).code == "text-mismatch"

    def test_names_are_kept(self, write):
        rows = [row | {"segment": f"s{row['segment']}"} for row in ROWS]
        outputs, noticed = read(write(rows))
        assert outputs["segment"].tolist() == [1, 2] * 3
        assert outputs["segment_id"].tolist() == ["s1", "s2"] * 3
        assert "segments-renumbered" in noticed

    def test_numbers_with_gaps(self, write):
        for change, other in (
            (lambda number: 2 * int(number) - 1, "(there is a segment '3')"),
            (lambda number: int(number) - 1, "(there is a segment '0')"),
            (lambda number: "s" if number == "2" else number, "but have names such as 's'"),
        ):
            _, noticed = read(write([row | {"segment": str(change(str(row["segment"])))} for row in ROWS]))
            assert str(noticed["segments-renumbered"]).endswith(
                f": the segments are not numbered 1 to 2 {other}; they were numbered in the order of the first system "
                "and the names kept as segment_id."
            )

    def test_numbered_by_document(self, write):
        rows = [row | {"segment": "1", "document": f"d{row['segment']}"} for row in ROWS]
        outputs, noticed = read(write(rows))
        assert outputs["document"].tolist() == ["d1", "d2"] * 3
        assert outputs["segment"].tolist() == [1, 2] * 3
        assert "not numbered 1 to 2 (the number 1 occurs several times);" in str(noticed["segments-renumbered"])
        assert outputs["segment_id"].tolist() == ["1"] * 6

    def test_twice(self, tmp_path):
        error = refuse(tsv(tmp_path / "t.tsv", [*ROWS, ROWS[3]]))
        assert (error.code, error.line) == ("duplicate-segment", 8)
        assert "line 5" in str(error)

    def test_missing(self, write):
        error = refuse(write(ROWS[:-1]))
        assert error.code == "incomplete-system"
        assert "system 'b', run 1 lacks 1 of the 2 segments" in str(error)
        assert refuse(write([*ROWS[1:]])).code == "incomplete-system"

    def test_another_reference(self, tmp_path):
        rows = [*ROWS[:5], ROWS[5] | {"reference": "another"}]
        error = refuse(tsv(tmp_path / "t.tsv", rows))
        assert (error.code, error.line) == ("text-mismatch", 7)

    def test_run_numbers(self, write):
        outputs, noticed = read(write([row | {"run": str(int(row["run"]) - 1)} for row in ROWS]))
        assert outputs["run"].tolist() == [1, 1, 2, 2, 1, 1]
        assert noticed["runs-renumbered"].count == 2
        for run in ("x", "-1", "1.0", "", "9" * 400):
            assert refuse(write([*ROWS[:5], ROWS[5] | {"run": run}])).code == "bad-number"

    def test_documents_apart(self, tmp_path):
        rows = [ROWS[0] | {"segment": str(i), "document": name} for i, name in enumerate("aba", 1)]
        rows = [row | {"reference": f"r{row['segment']}"} for row in rows]
        assert refuse(tsv(tmp_path / "t.tsv", rows)).code == "non-contiguous"


class TestFormats:
    def test_tsv_does_not_quote(self, tmp_path):
        texts = ['an "unbalanced', '"quoted"', "'", '"', "\\t", "a\rb"]
        outputs, noticed = read(tsv(tmp_path / "t.tsv", with_column("hypothesis", texts)))
        assert outputs["hypothesis"].tolist() == texts
        assert noticed["control-char"].line == 7

    def test_csv_quotes(self, tmp_path):
        path = tmp_path / "t.csv"
        path.write_text('system,hypothesis,reference\na,"one, ""two""\nthree",r1\na,h2,r2\na,h\t3,r3\n')
        outputs, noticed = read(path)
        assert outputs["hypothesis"].tolist() == ['one, "two"\nthree', "h2", "h\t3"]
        assert noticed["control-char"].line == 2
        assert noticed["tab"].line == 5
        path.write_text('system,hypothesis,reference\na,h1,r1\na,"open,r2\na,h3,r3\n')
        error = refuse(path)
        assert (error.code, error.line) == ("csv", 3)

    @pytest.mark.parametrize("size", [140_000, 9_900_000])
    def test_long_fields(self, tmp_path, size):
        path = tmp_path / "t.csv"
        path.write_text(f"system,hypothesis,reference\na,{'x' * size},r1\n")
        before = csv.field_size_limit()
        outputs, noticed = read(path)
        assert len(outputs["hypothesis"][0]) == size
        assert set(noticed) == {"huge-line"}
        path.write_text(f"system,hypothesis,reference\na,{'x' * 10_000_001},r1\n")
        assert refuse(path).code in ("csv", "huge-line")
        assert csv.field_size_limit() == before

    def test_jsonl(self, tmp_path):
        path = tmp_path / "t.jsonl"
        lines = [json.dumps(row) for row in ROWS]
        good = '{"system": "b", "run": 1, "segment": 2, "reference": "ref 2", "hypothesis": "b two"'
        for bad in (
            *("", "[1]", "7", "not json", good, good + ",}", good + ', "score": NaN}', good + ', "run": 1}'),
            *('{"a":' * 100_000, good + ', "x": ' + "9" * 5000 + "}", good + '} {"a": 1}'),
        ):
            path.write_text("\n".join([*lines[:5], bad]) + "\n" if bad else "\n".join([*lines[:5], "", lines[5]]))
            error = refuse(path)
            assert (error.code, error.line) == ("json", 6), bad[:100]
            assert len(str(error)) < 400
        path.write_bytes(b"\xef\xbb\xbf" + "\n".join([*lines[:5], good + ', "score": null}']).encode())
        outputs, noticed = read(path)
        assert set(noticed) == {"bom"}
        assert outputs["score"].isna().all()

    @pytest.mark.parametrize(
        ("name", "value", "code"),
        [
            ("hypothesis", 7, "not-text"),
            ("hypothesis", None, "null-segment"),
            ("hypothesis", ["x"], "not-text"),
            ("hypothesis", "\udc80", "surrogate"),
            ("hypothesis", "\0", "nul"),
            ("system", True, "not-text"),
            ("system", None, "null-segment"),
            ("system", "src", "reserved-name"),
            ("run", 1.5, "bad-number"),
            ("score", 1e400, "bad-number"),
            ("score", {"a": 1}, "bad-number"),
            ("score", 10**400, "bad-number"),
        ],
    )
    def test_values_of_other_types(self, tmp_path, name, value, code):
        rows = [row | {"score": 1} for row in ROWS[4:]]
        rows[1][name] = value
        path = tmp_path / "t.jsonl"
        path.write_text("".join(json.dumps(row).replace("Infinity", "1e400") + "\n" for row in rows))
        assert refuse(path).code == code
        assert refuse(pd.DataFrame(rows, dtype=object)).code == code

    def test_numbers_name_systems_and_documents(self):
        frame = pd.DataFrame(ROWS).assign(system=[1] * 4 + [2] * 2, document=5, run=[1, 1, 2, 2, 1, 1])
        outputs, _ = read(frame)
        assert outputs["system"].unique().tolist() == ["1", "2"]
        assert outputs["document"].unique().tolist() == ["5"]

    def test_absent_references(self, write):
        rows = with_column("reference_2", ["second", "", "second", "", "second", ""])
        assert refuse(write(rows)).code == "empty-ref"
        outputs, noticed = read(write(rows), accept=["absent-ref"])
        assert outputs["reference_2"].tolist() == ["second", None] * 3
        frame = pd.DataFrame(ROWS).assign(reference_2=["x", None] * 3)
        assert read(frame)[0]["reference_2"].tolist() == ["x", None] * 3
        assert refuse(frame.assign(reference=["x", None] * 3)).code == "null-segment"

    def test_references_keep_their_numbers(self):
        texts = {f"reference_{number}": f"text {number}" for number in range(2, 12)}
        outputs, _ = read(pd.DataFrame(ROWS).assign(**texts))
        assert {name: outputs[name].unique().tolist() for name in texts} == {name: [texts[name]] for name in texts}

    def test_frames(self):
        frame = (
            pd.DataFrame(ROWS)
            .astype({"run": "Int64", "segment": "int32", "system": "category"})
            .assign(right=[True, False] * 3, score=[1, 2, None, 4, 5, 6], rating=pd.array([1, None] * 3, dtype="Int8"))
        )
        frame.index = [9] * 6
        outputs, _ = read(frame)
        assert outputs["right"].tolist() == [1.0, 0.0] * 3
        assert outputs[["score", "rating"]].isna().sum().tolist() == [1, 3]
        assert all(type(text) is str for name in ("system", "reference") for text in outputs[name])
        assert refuse(frame.assign(score=[1, 2, math.inf, 4, 5, 6])).code == "bad-number"
        assert refuse(frame.iloc[:0]).code == "no-segments"
        assert refuse([1, 2]).code == "not-a-table"

    def test_reading_a_frame_again_changes_nothing(self):
        outputs, _ = read(pd.DataFrame(ROWS).assign(score=range(6), document="d"))
        again, noticed = read(outputs)
        pd.testing.assert_frame_equal(again, outputs)
        assert not noticed

    def test_by_name_and_compressed(self, tmp_path):
        path = tsv(tmp_path / "t.tsv", ROWS)
        packed = tmp_path / "T.TSV.GZ"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        pd.testing.assert_frame_equal(read(packed)[0], read(path)[0])
        other = path.rename(tmp_path / "t.dat")
        assert refuse(other).code == "table-format"
        assert ".tsv, .csv, .jsonl, .parquet" in str(refuse(other))
        assert refuse(tmp_path / "missing.tsv").code == "not-a-file"
        (tmp_path / "t.tsv").write_text("system\thypothesis\treference\n")
        assert refuse(tmp_path / "t.tsv").code == "no-segments"

    def test_parquet(self, tmp_path, monkeypatch):
        path = tmp_path / "t.parquet"
        path.write_bytes(b"PAR1 no parquet at all PAR1")
        assert refuse(path).code == "parquet"
        monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
        error = refuse(path)
        assert error.code == "codec-missing"
        assert "mtworkbench[formats]" in str(error)

    def test_a_parquet_bomb(self, tmp_path):
        pytest.importorskip("pyarrow")
        path = tmp_path / "t.parquet"
        pd.DataFrame({"system": "a", "reference": "r", "hypothesis": ["x" * 10_000] * 20_000}).to_parquet(path)
        assert refuse(path).code == "too-large"


class TestWideForm:
    def test_one_column_a_system(self, tmp_path):
        rows = [
            {"source": f"s{i}", "reference": f"r{i}", "one": f"h{i}", "two": f"g{i}", "length": str(i)}
            for i in (1, 2, 3)
        ]
        outputs, _ = read(tsv(tmp_path / "t.tsv", rows), systems=["two", "one"])
        assert outputs["system"].tolist() == ["two"] * 3 + ["one"] * 3
        assert outputs["hypothesis"].tolist() == ["g1", "g2", "g3", "h1", "h2", "h3"]
        assert outputs["source"].tolist() == ["s1", "s2", "s3"] * 2
        assert outputs["length"].tolist() == [1, 2, 3] * 2

    @pytest.mark.parametrize(
        ("systems", "code"),
        [
            (["one", "one"], "duplicate-system"),
            (["one", "thre"], "columns"),
            ("one", "not-a-list"),
            ([], "not-a-list"),
            (7, "not-a-list"),
            ([["one"]], "columns"),
        ],
    )
    def test_systems(self, systems, code):
        frame = pd.DataFrame({"reference": ["r"], "one": ["h"], "three": ["g"]})
        assert refuse(frame, systems=systems).code == code
        assert refuse(frame.assign(hypothesis="x"), systems=["one"]).code == "columns"


class TestJudgementsAlone:
    ROWS = [("a", "3", "0.5"), ("a", "10", "1"), ("b", "3", "None"), ("b", "7", "2")]

    def table(self, rows=ROWS, names=("system", "segment", "adequacy")):
        return pd.DataFrame(rows, columns=list(names), dtype=object)

    def test_what_was_not_judged_is_missing(self, tmp_path):
        path = tmp_path / "t.csv"
        self.table().to_csv(path, index=False)
        outputs, noticed = read(path)
        assert outputs.columns.tolist() == ["segment", "system", "run", "adequacy"]
        assert outputs["segment"].tolist() == [3, 7, 10] * 2
        np.testing.assert_array_equal(outputs["adequacy"], [0.5, math.nan, 1, math.nan, 2, math.nan])
        assert noticed["missing-score"].count == 2
        pd.testing.assert_frame_equal(common_segments(outputs), outputs)

    def test_their_mean(self):
        outputs, _ = read(self.table())
        scores = compute_statistics(outputs, MeanScore("adequacy")).score()
        assert {system: score.item() for system, score in scores.items()} == {"a": 0.75, "b": 2.0}

    def test_documents_and_names(self):
        rows = [("a", "1", "d1", "x", 1), ("a", "1", "d2", "y", 2), ("b", "1", "d2", "z", 3)]
        outputs, noticed = read(self.table(rows, ["system", "segment", "document", "judge", "score"]))
        assert outputs["document"].tolist() == ["d1", "d2"] * 2
        assert outputs["segment"].tolist() == [1, 2] * 2
        assert outputs["segment_id"].tolist() == ["1"] * 4
        assert outputs["judge"].tolist() == ["x", "y", None, "z"]
        assert set(noticed) == {"missing-score", "segments-renumbered"}
        assert str(noticed["segments-renumbered"]) == (
            "The table: the segments have names such as '1'; they were numbered in the order in which they appear, and "
            "the names kept as segment_id."
        )
        rows = [("a", "1", "d1", "x", "q", 1), ("a", "2", "d1", "y", "r", 2), ("b", "1", "d1", "x", "q", 3)]
        names = ["system", "segment", "document", "segment_id", "source", "score"]
        outputs, _ = read(self.table(rows, names))
        check_outputs(outputs)  # what is said of a segment holds where a judgement is missing, too
        assert outputs["segment_id"].tolist() == ["x", "y"] * 2
        assert outputs["source"].tolist() == ["q", "r"] * 2
        rows = [("a", "1", "d1", 1), ("b", "1", "d2", 2)]
        assert refuse(self.table(rows, ["system", "segment", "document", "score"])).code == "text-mismatch"

    def test_refusals(self):
        assert refuse(self.table([*self.ROWS, ("b", "7", "3")])).code == "duplicate-segment"
        assert refuse(self.table().drop(columns="segment")).code == "columns"
        assert refuse(self.table().drop(columns="adequacy")).code == "columns"
        assert refuse(self.table([*self.ROWS, ("ref", "7", "3")])).code == "reserved-name"
        assert refuse(self.table([*self.ROWS, ("c", "7", "3,5")])).code == "bad-number"

    def test_real_ratings(self, shared, tmp_path):
        text = (shared / "realdata" / "wmt21-da-ru-en" / "ad-seg-scores-ru-en.csv").read_text(encoding="utf-8")
        rows = [line.rstrip(" ").replace(" ", "\t") for line in text.rstrip("\n").split("\n")]
        path = tmp_path / "da.tsv"
        path.write_text("\n".join(["system\tsegment\traw\tz\tn", *rows[1:]]) + "\n", encoding="utf-8")
        outputs, _ = read(path)
        assert outputs["segment"].tolist()[:1000] == list(range(1, 1001))
        ranking = (shared / "realdata" / "wmt21-da-ru-en" / "ad-sys-ranking-ru-en-z-names.csv").read_text(
            encoding="utf-8"
        )
        published = {line.split()[4]: float(line.split()[1]) for line in ranking.rstrip("\n").split("\n")}
        means = outputs.groupby("system")["z"].mean()
        assert {system: round(means[system], 3) for system in published} == published


class TestCheckOutputs:
    @pytest.fixture
    def outputs(self):
        return read_table(pd.DataFrame(ROWS).assign(document="d", score=1.5))

    def test_a_part_is_an_outputs_frame(self, outputs):
        check_outputs(outputs)
        check_outputs(outputs[outputs["segment"] == 2])
        check_outputs(outputs[outputs["system"] == "b"])
        check_outputs(outputs.convert_dtypes())

    def test_a_hypothesis_may_be_marked_as_missing(self, outputs):
        check_outputs(outputs.assign(hypothesis=pd.Series([*"abcde", None], dtype=object)))

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            (lambda frame: frame.drop(columns="run"), "columns"),
            (lambda frame: frame.iloc[:0], "no-segments"),
            (lambda frame: frame.iloc[::-1], "row-order"),
            (lambda frame: frame.iloc[[0, 0, 1, 1, 2, 2]], "row-order"),
            (lambda frame: frame.iloc[[0, 2, 1, 3, 4, 5]], "row-order"),
            (lambda frame: frame.iloc[[0, 1, 4, 5, 2, 3]], "row-order"),
            (lambda frame: frame.iloc[[2, 3, 4, 5]], "row-order"),
            (lambda frame: frame.iloc[:-1], "incomplete-system"),
            (lambda frame: frame.assign(segment=[1, 2, 1, 3, 1, 2]), "incomplete-system"),
            (lambda frame: frame.assign(segment=frame["segment"] - 1), "row-order"),
            (lambda frame: frame.assign(segment=frame["segment"].astype(float)), "bad-number"),
            (lambda frame: frame.assign(run="1"), "bad-number"),
            (lambda frame: frame.assign(hypothesis=range(6)), "not-text"),
            (lambda frame: frame.assign(hypothesis=[*"abcde", math.nan]), "null-segment"),
            (lambda frame: frame.assign(hypothesis=pd.Series([*"abcde", "\ud800"], dtype=object)), "surrogate"),
            (lambda frame: frame.assign(hypothesis=[*"abcde", "\0"]), "nul"),
            (lambda frame: frame.assign(system=[*"aaaab", "src"]), "reserved-name"),
            (lambda frame: frame.assign(reference=[*"xyxyx", None]), "text-mismatch"),
            (lambda frame: frame.assign(document=[*"ddddde"]), "text-mismatch"),
            (lambda frame: frame.assign(score=[1, 2, 3, 4, 5, math.inf]), "bad-number"),
            (lambda frame: frame.assign(reference_two="x"), "columns"),
            (lambda frame: frame["system"], "not-a-frame"),
        ],
    )
    def test_what_does_not_hold(self, outputs, change, code):
        with pytest.raises(InputError) as caught:
            check_outputs(change(outputs))
        assert caught.value.code == code


def test_a_table_of_scores_without_the_column_segment_says_what_to_rename():
    scores = pd.DataFrame({"system": ["a", "a"], "segment_id": ["x", "y"], "comet": ["0.5", "0.25"]})
    for name, said in [
        ("segment_id", "Did you mean 'segment_id'? Rename it to 'segment'."),
        (
            "seg_id",
            "'seg_id' looks like the column segment: to read it so, give --columns segment=seg_id (in Python, "
            "columns={'segment': 'seg_id'}).",
        ),
    ]:
        error = refusal(read_table, scores.rename(columns={"segment_id": name}))
        assert str(error) == (
            "The table has no hypotheses and references, so it was taken for a table of judgements: it needs the "
            f"columns 'system' and 'segment' and a column of numbers, but the columns are 'system', {name!r}, 'comet'. "
            f"{said}"
        )
    error = refusal(read_table, scores.rename(columns={"segment_id": "note"}))
    assert str(error).endswith("Add 'segment', with the number of the segment, counted from 1, or its name.")
    error = refusal(read_table, scores.drop(columns="comet").rename(columns={"segment_id": "segment"}))
    assert str(error).endswith(
        "Numbers are written with a digit before the decimal point (0.5), and None where there is no value."
    )
    renamed, _ = noticing(read_table, scores.rename(columns={"segment_id": "segment"}))
    assert renamed["segment_id"].tolist() == ["x", "y"]


def test_a_table_of_scores_with_hypotheses_says_what_to_call_them():
    scores = pd.DataFrame({"system": ["a"], "segment": ["1"], "comet": ["0.5"], "hypothesis": ["A cat."]})
    error = refusal(read_table, scores)
    assert (error.code, str(error)) == (
        "columns",
        "The table has a column 'hypothesis', so it was read as outputs, but outputs also need a column 'reference', "
        "and the columns are 'system', 'segment', 'comet', 'hypothesis': add it; in a table of scores, name the texts "
        "'mt' or leave them out.",
    )
    found, _ = noticing(read_table, scores.rename(columns={"hypothesis": "mt"}))
    assert found["mt"].tolist() == ["A cat."]
    assert "did you mean 'Reference'?" in str(refusal(read_table, scores.assign(Reference="A cat.")))


@pytest.mark.parametrize("name", ["segment", "document", "source", "reference", "domain", "segment_id"])
def test_a_column_that_means_something_else_is_no_system(name):
    wide = pd.DataFrame({"reference": ["a", "b"], "A": ["c", "d"]}).assign(**{name: ["1", "2"]})
    error = refuse(wide, systems=["A", name])
    assert (error.code, error.found) == ("reserved-name", name)
    assert str(error) == (
        f"The table: {name!r} cannot be a system, because no column of this name holds hypotheses: list only columns "
        f"that hold hypotheses; if {name!r} holds hypotheses, rename it."
    )


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["2", "2", "4", "4"], ("2", "4")),
        ([2, 2, 4, 4], ("2", "4")),
        (["2", "2", "3", "4"], None),
        (["x", "x", "x", "x"], None),
        (["x", "y", "x", "y"], None),
        ([3, 3, 3, 3], None),
        ([2.5, 2.5, 4.0, 4.0], None),
        ([None, None, None, None], None),
        ([float("nan")] * 4, None),
        (["2", "2", None, None], None),
        (["", "", " ", " "], None),
        ([True, True, False, False], None),
    ],
)
def test_run_name_names_runs_only_where_each_has_one_of_its_own(labels, names):
    outputs = make_outputs(["x", "y"], {"a": [["x", "z"], ["z", "y"]]})
    outputs.insert(outputs.columns.get_loc("hypothesis"), "run_name", labels)
    expected = {} if names is None else {"a": names}
    assert compute_statistics(outputs, "length").run_names == expected
    if labels[0] is True:  # read_table refuses a further column of bool, by whatever name
        return
    again = read_table(outputs)
    assert list(again.columns) == list(outputs.columns)
    assert compute_statistics(again, "length").run_names == expected


def test_one_run_may_have_any_run_name():
    for labels in ([None, None], ["x", "y"], [1, 2], [float("nan")] * 2):
        outputs = make_outputs(["x", "y"], {"a": ["x", "z"]}).assign(run_name=labels)
        for one in (outputs, read_table(outputs)):
            assert compute_statistics(one, "length").run_names == {}


def test_numbers_of_runs_in_a_table_are_kept_as_their_names():
    table = pd.DataFrame({"system": "a", "run": [4, 4, 2, 2], "reference": ["x", "y"] * 2, "hypothesis": list("xzzy")})
    outputs, noticed = noticing(read_table, table)
    assert list(noticed) == ["runs-renumbered"]
    found = outputs[["run", "run_name", "hypothesis"]].values.tolist()
    assert found == [[1, "2", "z"], [1, "2", "y"], [2, "4", "x"], [2, "4", "z"]]
    again, noticed = noticing(read_table, outputs)
    assert not noticed and again.equals(outputs)
