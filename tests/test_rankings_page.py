"""docs/rankings.md: its program prints what the page says, and its simulated numbers are those of benchmarks/."""

import io
import re
from contextlib import redirect_stdout

import pytest

from mtworkbench import DataWarning

from .conftest import ROOT


def test_the_program_of_the_page_prints_its_table():
    page = (ROOT / "docs" / "rankings.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (printed,) = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    found = io.StringIO()
    with redirect_stdout(found), pytest.warns(DataWarning, match="97 of 557 segments have no mqm"):
        exec(program, {})
    assert found.getvalue() == printed


def test_the_simulated_numbers_are_those_of_the_benchmark():
    page = (ROOT / "docs" / "rankings.md").read_text(encoding="utf-8")
    rows = [line.split() for line in (ROOT / "benchmarks" / "rankings.txt").read_text(encoding="utf-8").splitlines()]
    rows = [[cell for cell in row if cell != "/"] for row in rows if row]
    two = [row for row in rows if len(row) == 4 and row[0].isdigit()]
    held = [row[:2] + row[2::2] for row in rows if len(row) == 12 and row[0].isdigit() and row[1] != "1.0"]
    shown = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| ")
    ]
    assert [row for row in shown if len(row) == 7 and row[0].isdigit()] == held and len(held) == 6
    assert [row for row in shown if len(row) == 4 and row[0].isdigit()] == two and len(two) == 4
    words = " ".join(page.split())
    near, apart = (next(row[2] for row in held if row[:2] == ["10", gap]) for gap in ("0.001", "0.3"))
    assert f"{near} % of the ranges held the true rank" in words
    assert f"0.3 standard errors apart, {apart} %" in words
    assert f"({rows[-1][-3]} of {rows[-1][-1]} simulated ones" in words
