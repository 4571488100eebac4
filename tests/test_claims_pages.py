"""The pages of both papers: everything that they claim is there, and the numbers are those of the functions."""

import runpy
from pathlib import Path

import pandas as pd
import pytest

from mtworkbench.papers.common.criteria import read_sentences
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


@pytest.mark.long
def test_the_pages_are_what_the_functions_give(tmp_path):
    SCRIPT["write_pages"](tmp_path)
    for name in ("clark2011.md", "koehn2004.md"):
        assert (tmp_path / name).read_text(encoding="utf-8") == (ROOT / "docs" / name).read_text(encoding="utf-8")
