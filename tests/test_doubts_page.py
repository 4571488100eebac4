"""The page on faults of real files: its sentences are made of the table that ships."""

import importlib.util
from pathlib import Path

import pandas as pd
import pytest

from mtworkbench.outputs.repairs import REPAIRS
from mtworkbench.shipped import find_shipped

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("examine_real_doubts", ROOT / "scripts" / "examine_real_doubts.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_that_of_the_table(script):
    page = (ROOT / "docs" / "doubts.md").read_text(encoding="utf-8")
    assert page == script.describe(pd.read_csv(find_shipped("data/real") / "doubts.csv"))
    for code in REPAIRS:
        assert f"| `{code}` |" in page


def row(**fields):
    usual = {"test_set": "one", "code": "html-entities", "noticed": "x 5 (50.0%)", "n_segments": 10, "metric": "BLEU"}
    usual |= {"a": "x", "b": "y", "difference": 1.0, "difference_without": 2.0, "p_value": 0.2, "p_value_without": 0.01}
    return usual | {"better": None, "better_without": "x", "verdict_changes": True} | fields


def test_what_the_page_says_is_counted(script):
    found = [
        row(),
        row(metric="chrF", better="y", difference=-1.0, difference_without=3.0),
        row(test_set="two", better="x", verdict_changes=False),
        row(test_set="three", code="tokenization", noticed=None, difference=0.5, difference_without=0.25),
    ]
    page = " ".join(script.describe(pd.DataFrame(found)).split())
    assert (
        "On 2 test sets, 2 of the 3 verdicts about this engine change if HTML entities are unescaped. In 1 of" in page
    )
    assert "On one, for example, x - y is -1.00 chrF as stored and +3.00 unescaped." in page
    assert "| one | x 5 (50.0%) | 2 | 2 | 1 |" in page
    assert "| two | x 5 (50.0%) | 1 | 0 | 0 |" in page
    assert "`tokenization`** on three (no check warns of it): 1 of 1 verdict changes. x - y is +0.50 BLEU" in page
    assert "The repair changes a difference by 0.25 BLEU at most." in page
