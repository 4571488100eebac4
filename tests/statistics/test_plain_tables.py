"""Plain tables of statistics: as exact as a file of statistics, and nothing in them is taken that no text has."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from mtworkbench import compare
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import Bleu, ChrF, Gtm, Length, MeanScore, Nist, Ter
from mtworkbench.outputs.text import make_outputs
from mtworkbench.statistics.files import load_statistics, save_statistics
from mtworkbench.statistics.plain_tables import write_spec
from mtworkbench.statistics.segment_statistics import SegmentStatistics, compute_statistics
from mtworkbench.tables import frame_to_csv, tabulate_statistics

WORDS = ["the", "a", "cat", "dog", "sees", "runs", "old", "red", "house", "mat", "on", "in"]
METRICS = [
    Bleu(tokenize="none", smooth_method="floor", smooth_value=0.1),
    ChrF(word_order=2),
    Ter(),
    Nist(),
    Gtm(),
    Length(),
    MeanScore("rating", "rating", False),
]


@pytest.fixture(scope="module")
def several():
    """Statistics of every metric, two runs of one system, names that tables must quote or escape."""
    rng = np.random.default_rng(7)
    texts = [[" ".join(rng.choice(WORDS, rng.integers(3, 12))) for _ in range(40)] for _ in range(5)]
    systems = {'=1+1, "quoted"': texts[2:4], "'-x": texts[4:]}
    documents = [f"+doc {number // 4}" for number in range(40)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        outputs = make_outputs(texts[:2], systems, documents=documents, source=texts[0], domains=["news", "x"] * 20)
        outputs["rating"] = rng.normal(size=len(outputs))
        return compute_statistics(outputs, METRICS)


def write_table(path, statistics):
    path.write_text(frame_to_csv(tabulate_statistics(statistics), separator="\t"), encoding="utf-8", newline="")
    return path


def test_a_table_holds_what_a_file_holds(several, tmp_path):
    save_statistics(tmp_path / "run.stats", *several)
    from_file = load_statistics(tmp_path / "run.stats")
    from_table = load_statistics(write_table(tmp_path / "run.tsv", several))
    assert len(from_table) == len(METRICS)
    for one, other in zip(from_table, from_file, strict=True):
        assert one == other
        assert one.test_set == other.test_set
        assert {array.dtype for array in one.values.values()} == {array.dtype for array in other.values.values()}
        for system in one:
            assert one.score()[system].tolist() == other.score()[system].tolist()
    drawn = {"rng": 1, "n_trials": 99, "n_resamples": 20}
    with pytest.warns(DataWarning, match="^Only 10 documents can be resampled"):
        one, other = (compare(statistics, **drawn) for statistics in (from_table, from_file))
    for a, b in zip(one.metrics.values(), other.metrics.values(), strict=True):
        assert [pair.p_value for pair in a.comparisons] == [pair.p_value for pair in b.comparisons]
    with pytest.warns(DataWarning, match="^14 statistics occur in two places and are used once: "):
        assert len(load_statistics(tmp_path / "run.tsv", tmp_path / "run.stats")) == len(METRICS)


@pytest.mark.parametrize(
    ("metric", "spec"),
    [
        (Bleu(), "bleu"),
        (Bleu(lowercase=True, tokenize="intl"), "bleu:tokenize=intl,lowercase=true"),
        (ChrF(word_order=2), "chrf:word_order=2"),
        (MeanScore("comet"), "mean:column=comet,name=comet,higher_is_better=true"),
        (MeanScore("rating"), "mean:column=rating,name=rating"),
        (MeanScore("comet", "COMET", None), "mean:column=comet,name=COMET,higher_is_better=none"),
    ],
)
def test_a_metric_is_written_as_it_is_read(metric, spec):
    assert write_spec(metric) == spec


def test_what_a_table_cannot_name_is_not_written(several):
    with pytest.raises(InputError, match="^A plain table cannot name the metric MeanScore.*without --tsv.$") as caught:
        write_spec(MeanScore("a,b=c", "a", True))
    assert caught.value.code == "cannot-save"
    one = several[0]
    renamed = replace(one.test_set, columns={"metric": one.test_set.columns["domain"]})
    with pytest.raises(InputError, match="^A plain table cannot have the column 'metric' of the outputs, because it"):
        tabulate_statistics([replace(one, test_set=renamed)])


HEADER = "metric system segment hypothesis_length reference_length matches_1 matches_2 ngrams_1 ngrams_2"
ROWS = ["bleu:max_ngram_order=2 a 1 5 5 4 2 5 4", "bleu:max_ngram_order=2 a 2 3 3 1 0 3 2"]


def written(tmp_path, *rows, header=HEADER):
    path = tmp_path / "counts.tsv"
    path.write_text("".join(f"{row.replace(' ', chr(9))}\n" for row in (header, *rows)), encoding="utf-8", newline="")
    return path


def test_a_table_of_another_program(tmp_path):
    [bleu] = load_statistics(written(tmp_path, *ROWS, *(row.replace(" a ", " b ") for row in ROWS[::-1])))
    assert isinstance(bleu, SegmentStatistics)
    assert bleu.metric == Bleu(max_ngram_order=2)
    assert bleu.signature == "nrefs:var|bleu:max_ngram_order=2|computed:elsewhere"
    assert bleu["a"].values.tolist() == [[[5, 5, 4, 2, 5, 4], [3, 3, 1, 0, 3, 2]]]
    assert bleu["b"].values.tolist() == bleu["a"].values.tolist()  # rows in another order
    assert bleu["a"].values.dtype == np.int64
    assert bleu.score()["a"].item() == pytest.approx(100 * (5 / 8 * 2 / 6) ** 0.5)
    crlf = tmp_path / "crlf.tsv"
    crlf.write_bytes((tmp_path / "counts.tsv").read_bytes().replace(b"\n", b"\r\n"))
    with pytest.warns(DataWarning, match="carriage return and line feed") as caught:
        assert load_statistics(crlf)[0] == bleu
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("rows", "header", "code", "sentence"),
    [
        (
            ["bleu:max_ngram_order=2 a 1 5 5 6 2 5 4"],
            HEADER,
            "impossible",
            "line 2: matches_1 is 6, larger than ngrams_1, which is 5: no text can have these statistics; compute them "
            "again.",
        ),
        (
            [ROWS[0], "bleu:max_ngram_order=2 a 2 3 3 0.5 0 3 2"],
            HEADER,
            "impossible",
            "line 3: matches_1 is 0.5, but a count must be a whole number: no text can have these statistics; compute "
            "them again.",
        ),
        (
            ["bleu:max_ngram_order=2 a 1 5 5 -4 2 5 4"],
            HEADER,
            "impossible",
            "line 2: matches_1 is -4, below 0: no text can have these statistics; compute them again.",
        ),
        (
            ["bleu:max_ngram_order=2 a 1 5 5 nan 2 5 4"],
            HEADER,
            "bad-number",
            "line 2: 'nan' in column 'matches_1' cannot be taken for a number (it is not written as a number with a "
            "decimal point): a decimal point and no separators were expected.",
        ),
        (
            ROWS,
            HEADER.replace("metric", "what"),
            "columns",
            "line 1: no column names the metric: add a column 'metric', with for instance bleu:tokenize=13a in every "
            "row; a table of an earlier mtworkbench has none, so write it again with `mtworkbench statistics --tsv`.",
        ),
        (
            ROWS,
            HEADER.replace("ngrams_2", "ngrams_3"),
            "columns",
            "line 1: there is no column 'ngrams_2', but bleu:max_ngram_order=2 has the statistics hypothesis_length, "
            "reference_length, matches_1, matches_2, ngrams_1, ngrams_2: all of them were expected.",
        ),
        (
            [ROWS[0], ROWS[1].replace("order=2", "order=1")],
            HEADER,
            "text-mismatch",
            "line 3: column 'metric' has 'bleu:max_ngram_order=1', but 'bleu:max_ngram_order=2' before: the same was "
            "expected in all rows.",
        ),
        (
            [*ROWS, ROWS[0].replace(" a ", " b ")],
            HEADER,
            "incomplete-system",
            "line 4: system 'b', run 1, lacks segment 2, which the first run has: all runs need all segments.",
        ),
        (
            [ROWS[0], ROWS[0]],
            HEADER,
            "duplicate-segment",
            "line 3: segment 1 of system 'a', run 1, already appears in line 2: number the segments through the whole "
            "test set.",
        ),
        (
            [ROWS[0].replace(" 1 ", " x1 ", 1)],
            HEADER,
            "bad-number",
            "line 2: 'x1' was found where a whole number from 1 on was expected.",
        ),
        (
            [ROWS[0][:-2]],
            HEADER,
            "columns",
            "line 2: 8 cells were found, but the first line names 9 columns: one cell per column was expected.",
        ),
        ([], HEADER, "columns", "line 1: no rows follow the names of the columns: one per segment was expected."),
        (
            [f"{ROWS[0]} x", f"{ROWS[0].replace(' a ', ' b ')} y"],
            f"{HEADER} speaker",
            "text-mismatch",
            "line 3: column 'speaker' has 'y', but 'x' in line 2, for the same segment: this column describes "
            "segments, so it must be the same for all systems and runs.",
        ),
        (
            [f"{ROWS[0]} \x1b[2J"],
            f"{HEADER} document",
            "statistics-file",
            "line 1: the table has values of document with a control character, '\\x1b[2J': rename it.",
        ),
        (
            [ROWS[0].replace("bleu:max_ngram_order=2", "blue")],
            HEADER,
            "unknown-metric",
            "line 2: column 'metric': There is no metric 'blue' among bleu, chrf, ter, nist, gtm, meteor, length, "
            "mean: did you mean 'bleu'?",
        ),
        (
            [f'{ROWS[0]} "a'],
            f"{HEADER} document",
            "columns",
            "line 2: 'bleu:max_ngram_order=2\\ta\\t1\\t5\\t5\\t4\\t2\\t5\\t4\\t\"a' cannot be split at tabs "
            "(unexpected end of data): a quotation mark at the beginning of a cell needs another at its end.",
        ),
    ],
)
def test_what_is_refused(tmp_path, rows, header, code, sentence):
    path = written(tmp_path, *rows, header=header)
    with pytest.raises(InputError) as caught:
        load_statistics(path)
    assert (caught.value.code, caught.value.path) == (code, str(path))
    assert str(caught.value) == f"{path}, {sentence}"


def test_a_mark_that_is_not_seen_is_let_pass_at_the_beginning_and_shown_elsewhere(tmp_path):
    path = written(tmp_path, *ROWS)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    with pytest.warns(DataWarning, match="starts with a byte-order mark, which was left out"):
        [marked] = load_statistics(path)
    [plain] = load_statistics(written(tmp_path, *ROWS))
    assert np.array_equal(marked["a"].values, plain["a"].values)
    with pytest.raises(InputError) as caught:
        load_statistics(written(tmp_path, *ROWS, header=HEADER.replace("metric", "B\ufeff.metric")))
    assert "there is no column 'B\\ufeff.hypothesis_length', but" in str(caught.value)
    assert str(caught.value).endswith("'B\\ufeff.ngrams_1', 'B\\ufeff.ngrams_2': all of them were expected.")


def test_more_matched_than_there_is_is_refused(tmp_path):
    header = "metric system segment match_size hypothesis_length reference_length"
    with pytest.raises(InputError, match="line 2: match_size is 150, larger than hypothesis_length, which is 10: no"):
        load_statistics(written(tmp_path, "gtm a 1 150 10 10", header=header))
    load_statistics(written(tmp_path, "gtm:exponent=0.5 a 1 16 4 4", header=header))  # 4 runs of one word each
    with pytest.raises(InputError, match="line 2: score is 3, but count is 0: no text can have these statistics"):
        load_statistics(written(tmp_path, "mean:column=da a 1 3 0", header="metric system segment score count"))


def test_one_reference_has_one_length(tmp_path):
    header = "metric system segment edits reference_length n_references"
    rows = ["ter a 1 2 5 1", "ter b 1 2 6 1"]
    with pytest.raises(InputError) as caught:
        load_statistics(written(tmp_path, *rows, header=header))
    assert str(caught.value).endswith(
        "line 3: reference_length is 6, but 5 in line 2, for the same segment with one reference: compute both with "
        "the same reference."
    )
    with_two = [row[:-1] + "2" for row in rows]
    load_statistics(written(tmp_path, *with_two, header=header))


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([*ROWS, ""], "line 4: the last line is empty: delete what follows the last row."),
        ([*ROWS, "", ""], "line 4: this line and all after it are empty: delete what follows the last row."),
        (
            [f"{ROWS[0]} d\rx"],
            "line 2: a cell has a carriage return in it: remove it, because it may be the end of a line.",
        ),
    ],
)
def test_lines_that_are_no_rows_are_named(tmp_path, rows, sentence):
    header = f"{HEADER} document" if len(rows) == 1 else HEADER
    with pytest.raises(InputError) as caught:
        load_statistics(path := written(tmp_path, *rows, header=header))
    assert str(caught.value) == f"{path}, {sentence}"


def test_a_long_cell_is_read(tmp_path):
    [bleu] = load_statistics(written(tmp_path, f"{ROWS[0]} {'d' * 140_000}", header=f"{HEADER} document"))
    assert bleu.test_set.documents.tolist() == ["d" * 140_000]


@pytest.mark.parametrize("name", ["a\u2028b", "a\u202eb"])
def test_names_that_tables_write_as_escapes_are_not_saved(name):
    statistics = compute_statistics(make_outputs(["a b", "c d"], {name: ["a c", "c d"]}), [Length()])
    with pytest.raises(InputError, match="^A plain table cannot hold .*does not print: rename it") as caught:
        tabulate_statistics(statistics)
    assert caught.value.code == "cannot-save"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        (
            "x.tsv",
            "system\tsegment_id\tmetric\n",
            "has no column 'segment', but a table of statistics needs system, "
            "segment and metric; rename 'segment_id' to 'segment'.",
        ),
        (
            "x.csv",
            "system,segment,metric\n",
            "is separated by commas, but a table of statistics is separated by tabs: write it with tabs.",
        ),
        ("comet.json", "{}", "holds scores, not statistics: use mtworkbench compare --scores FILE."),
    ],
)
def test_a_file_that_is_nearly_a_table_is_told(tmp_path, name, content, reason):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        load_statistics(path)
    assert str(caught.value) == f"{str(path)!r} {reason}"
