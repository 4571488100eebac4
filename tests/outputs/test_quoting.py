"""Quotation marks in TSV: those that a program added, those of the text, and those that may be either."""

import csv
import warnings

import pandas as pd
import pytest

from mtworkbench.errors import DataWarning
from mtworkbench.outputs.campaign import read_campaign
from mtworkbench.outputs.scores.mqm import read_mqm
from mtworkbench.outputs.scores.read import read_scores
from mtworkbench.outputs.table import read_table

from .reading import noticing, refusal

COLUMNS = ["system", "segment", "reference", "hypothesis"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.tsv"


def frame(*hypotheses):
    rows = [("a", number, "the cat", text) for number, text in enumerate(hypotheses, start=1)]
    return pd.DataFrame(rows, columns=COLUMNS)


def literal(path, *hypotheses):
    """Write a table without quoting."""
    rows = [COLUMNS, *frame(*hypotheses).astype(str).to_numpy().tolist()]
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    return path


def hypotheses(path, **options):
    outputs, found = noticing(read_table, path, **options)
    return outputs["hypothesis"].tolist(), found


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC, csv.QUOTE_ALL])
@pytest.mark.parametrize(
    "texts",
    [
        ('he said "no"', "a dog"),
        ('"Hello"', '"', '""'),
        ("a\tb", 'c "d"\te', ""),
        ("a\nb", 'c\n\n"d', "e\t\nf"),
    ],
)
def test_what_pandas_wrote_is_read_as_it_was(path, quoting, texts):
    frame(*texts).to_csv(path, sep="\t", index=False, quoting=quoting)
    found, noticed = hypotheses(path)
    assert found == list(texts)
    assert "quoted" in noticed


def test_what_is_said(path):
    frame("a dog", 'he said "no"', 'a\nb "c"', "d").to_csv(path, sep="\t", index=False)
    _, noticed = hypotheses(path)
    assert (noticed["quoted"].path, noticed["quoted"].line, noticed["quoted"].count) == (str(path), 3, 3)
    assert str(noticed["quoted"]) == (
        f"{path} has fields in quotation marks in 3 of 6 lines, the first in line 3, as pandas and other programs "
        "write them: the marks around fields were removed, and doubled marks inside became one. If they are part of "
        "the text, accept 'literal-quotes'."
    )
    assert noticed["control-char"].line == 4


@pytest.mark.parametrize(
    ("text", "accept", "said"),
    [
        ("a dog", [], ", as pandas and other programs write them: the marks around fields were removed. If they are "
         "part of the text, accept 'literal-quotes'."),
        ("a dog", ["quoted"], ". The marks around fields were removed, as accepted."),
        ('a "dog"', ["quoted"], ". The marks around fields were removed, and doubled marks inside became one, as "
         "accepted."),
    ],
)  # fmt: skip
def test_doubled_marks_are_named_only_where_there_are_some(path, text, accept, said):
    frame(text, "b").to_csv(path, sep="\t", index=False, quoting=csv.QUOTE_ALL)
    with pytest.warns(DataWarning) as noticed:
        read_table(path, accept=accept)
    assert [str(one.message) for one in noticed] == [
        f"{path} has fields in quotation marks in 3 of 3 lines, the first in line 1{said}"
    ]


def test_a_row_begins_in_the_line_that_a_message_names(path):
    frame('a\nb "c"', 'x "y"').assign(score=["1", "1,5"]).to_csv(path, sep="\t", index=False)
    assert (refusal(read_table, path).code, refusal(read_table, path).line) == ("bad-number", 4)


@pytest.mark.parametrize(
    "texts",
    [
        ('the "cat', '"dog'),
        ('"Hello.', 'Bye."'),
        ('"Hello."', 'he said "no"'),
        ('"A" and "B"', '"Hello."'),
        ('""A""', '"Hello."'),
    ],
)
def test_marks_of_the_text_are_kept(path, texts):
    """One field that no program would write so shows that nothing was quoted."""
    assert hypotheses(literal(path, *texts)) == (list(texts), {})


def test_a_field_that_seems_quoted_among_others_that_are_not(path):
    texts = ['"he said ""no"""', 'he said "no"']
    found, noticed = hypotheses(literal(path, *texts))
    assert found == texts
    assert str(noticed["quotation-marks"]) == (
        f"{path}: line 2 has a field that is quoted as programs quote (1 in all), but line 3 has a quotation mark "
        "outside such a field. So all marks were read as part of the text. If only some lines are quoted, write the "
        "table again."
    )


def test_what_may_be_either_is_refused_with_both_readings(path):
    """Excel quotes a field with a comma; and somebody may have said no more than this."""
    literal(path, "a dog", '"Hello, you."', '"No."')
    error = refusal(read_table, path)
    assert (error.code, error.path, error.line) == ("quotation-marks", str(path), 3)
    assert str(error) == (
        f"{path}, line 3: all fields with quotation marks (2, the first is '\"Hello, you.\"') have one at each end and "
        "none inside. These may be part of the text, or may have been added when the table was written: accept "
        "'literal-quotes' to read '\"Hello, you.\"', or 'quoted' to read 'Hello, you.'."
    )
    found, noticed = hypotheses(path, accept=["quoted"])
    assert (found, set(noticed)) == (["a dog", "Hello, you.", "No."], {"quoted"})
    found, noticed = hypotheses(path, accept=["literal-quotes"])
    assert found == ["a dog", '"Hello, you."', '"No."']
    assert str(noticed["literal-quotes"]) == (
        f"{path} has quotation marks around fields, which were kept as part of the text, as accepted."
    )
    assert refusal(read_table, path, accept=["quoted", "literal-quotes"]).code == "accept-conflict"


def test_accepting_does_not_change_what_is_certain(path):
    literal(path, '"Hello."', 'he said "no"')
    assert hypotheses(path, accept=["quoted"])[0] == ['"Hello."', 'he said "no"']
    frame('he said "no"', "x").to_csv(path, sep="\t", index=False)
    assert hypotheses(path, accept=["literal-quotes"])[0] == ['"he said ""no"""', "x"]


def test_rows_that_fit_neither_reading(path):
    path.write_text('system\tsegment\treference\thypothesis\na\t1\tr\t"h ""x""\nb\t1\tr\n')
    assert str(refusal(read_table, path)).startswith(f"{path}, line 3: there are 3 fields, but the first line names 4")


def test_other_tables_that_are_separated_by_tabs(tmp_path):
    scores = tmp_path / "scores.tsv"
    rows = pd.DataFrame({"system": 'the "new" one', "segment": [1, 2], "score": [0.5, 1.0]})
    rows.to_csv(scores, sep="\t", index=False)
    assert noticing(read_scores, scores)[0]["system"].unique().tolist() == ['the "new" one']

    mqm = tmp_path / "mqm.tsv"
    rating = {"system": "a", "doc": "d", "doc_id": [1, 2], "seg_id": [1, 2], "rater": "r", "source": "s"}
    rating |= {"target": ['<v>"No,"</v> she said', "b"], "category": "Accuracy", "severity": ["Major", "Minor"]}
    pd.DataFrame(rating).to_csv(mqm, sep="\t", index=False)
    found, noticed = noticing(read_mqm, mqm)
    assert found["mt"].tolist() == ['"No," she said', "b"]
    assert "quoted" in noticed

    rows = []
    for name in ("x", 'y "z"'):
        (tmp_path / f"{name}.ref").write_text(f"{name} the cat\n")
        (tmp_path / f"{name}.a").write_text(f"{name} a cat\n")
        rows.append({"set": name, "reference": f"{name}.ref", "system": "a", "files": f"{name}.a"})
    pd.DataFrame(rows).to_csv(tmp_path / "campaign.tsv", sep="\t", index=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        assert [*read_campaign(tmp_path / "campaign.tsv")] == ["x", 'y "z"']
    assert [one.message.code for one in caught] == ["quoted"]


def test_marks_that_may_be_either_are_kept_where_no_text_is_scored(tmp_path):
    path = tmp_path / "scores.tsv"
    path.write_text('system\tsegment\tcomet\tnote\nA\t1\t0.5\t"x"\nA\t2\t0.7\ty\n')
    frame, found = noticing(read_table, path)
    assert list(frame["note"]) == ['"x"', "y"]
    assert str(found["quotation-marks"]) == (
        f"{path} has 1 field in quotation marks (the first is '\"x\"'). The marks were read as part of the text."
    )
