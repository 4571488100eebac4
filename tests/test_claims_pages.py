"""The pages of both papers: everything that they claim is there, and the numbers are those of the functions."""

import re
import runpy
from html import unescape
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from mtworkbench.papers.common.claims import read_sentences
from mtworkbench.tables.markdown import escape_markdown

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "write_claims.py"))


@pytest.mark.parametrize(
    ("name", "sentences", "parts"),
    [
        ("koehn2004", read_sentences("koehn2004"), ["Table 1", "Table 2", "Table 3", "Table 4", "Figures 2 to 8"]),
        ("clark2011", read_sentences("clark2011"), ["Table 1", "Table 2", "Figures 1 and 2"]),
    ],
)
def test_every_claim_and_table_is_on_the_page(name, sentences, parts):
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert [one.quotation for one in sentences if escape_markdown(f"“{one.quotation}”") not in page] == []
    assert [part for part in parts if f"## {part}\n" not in page] == []


def test_a_page_has_its_claims_first_and_then_what_is_printed():
    tables = {
        "claims": pd.DataFrame({"claim": [1], "verdict": ["holds"]}),
        "Table 2": pd.DataFrame({"quantity": ["t"], "here": [2.62641]}),
        "Other": pd.DataFrame({"here": [-0.5], "paper": "-"}, index=pd.Index(["a"], name="row")),
    }
    page = SCRIPT["write_page"](SCRIPT["KOEHN"], tables)
    assert page.startswith("# Koehn (2004), Statistical Significance Tests for Machine Translation Evaluation\n")
    claims, table2, other = page.split("\n## ")[1:]
    assert claims.endswith("| claim | verdict |\n| ---: | :--- |\n| 1 | holds |\n")
    assert table2 == "Table 2\n\n| quantity | here |\n| :--- | ---: |\n| t | 2.6264 |\n"
    assert other == "Other\n\n| row | here | paper |\n| :--- | ---: | ---: |\n| a | −0.50 | - |\n"


def read_notebook_tables():
    """Return the tables that notebook 14 shows, each as rows of cells with the headings first."""
    notebook = nbformat.read(ROOT / "notebooks" / "14_every_claim.ipynb", as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [output["data"]["text/html"] for output in outputs if "<table" in output["data"].get("text/html", "")]
    tables = [re.findall("<tr>(.*?)</tr>", one, re.DOTALL) for one in shown]
    cells = [[re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in table] for table in tables]
    return [[[unescape(re.sub("<[^>]*>", "", cell)) for cell in row] for row in table] for table in cells]


def read_page_tables(name):
    """Return the tables of a page, as those of the notebook."""
    parts = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").split("\n## ")[1:]
    tables = [[line[2:-2].split(" | ") for line in part.splitlines() if line.startswith("| ")] for part in parts]
    cells = [[[unescape(re.sub(r"\\(.)", r"\1", cell)) for cell in row] for row in table] for table in tables]
    return [[table[0], *table[2:]] for table in cells]


def agree(shown, written):
    """Return whether cells are the same, or numbers of which one is rounded more."""
    if shown == written:
        return True
    shown, written = (one.replace("−", "-") for one in (shown, written))
    try:
        return abs(float(shown) - float(written)) <= 0.5 * 10.0 ** -len(shown.partition(".")[2]) + 1e-9
    except ValueError:
        return False


def test_the_pages_say_what_notebook_14_shows():
    """What the notebook shows is computed again by `make test-all`."""
    stored = read_notebook_tables()
    written = [*read_page_tables("koehn2004"), *read_page_tables("clark2011")]
    assert len(stored) == len(written) + 2 == 15
    for headings, *rows in written:
        found = [table for table in stored if {*table[0]} <= {*headings} and agrees(table, rows, headings)]
        assert len(found) == 1 + ("comment" in headings), rows[0]


def agrees(table, rows, headings):
    """Return whether a stored table has the cells of the rows; one of comments has only the rows with a comment."""
    names, *stored = table
    places = [headings.index(name) for name in names]
    chosen = [row for row in rows if "comment" not in names or row[headings.index("comment")]]
    return len(stored) == len(chosen) and all(
        agree(cell, row[place])
        for one, row in zip(stored, chosen, strict=True)
        for cell, place in zip(one, places, strict=True)
    )
