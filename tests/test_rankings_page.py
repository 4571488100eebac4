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
    [of_three_sets] = [row for row in two if row[0] == "3"]
    near, apart = (next(row for row in rows if row[:2] == ["10", gap]) for gap in ("0.001", "0.3"))
    assert len(near) == len(apart) == 12  # on these sets, for 2, 3, 5 and 14 new sets: ranges that hold, and never best
    words = " ".join(page.split())
    assert f"{near[2]} % of the ranges held the true rank" in words
    assert f"0.3 standard errors apart, {apart[2]} %" in words
    assert f"{near[6]} % of the ranges held the true rank with three sets, and {near[10]} % with 14" in words
    assert f"0.3 standard errors apart, {apart[6]} % and {apart[10]} %" in words
    assert f"with two sets, {near[5]} % of ten nearly equal systems were the best in no draw" in words
    assert f"in no draw, and with 14 sets {near[11]} %" in words
    _, by_t, sets, segments = of_three_sets
    assert f"in {sets} % of the experiments, and in {segments} % if segments were drawn, too" in words
    assert f"by Student's t it was {by_t} %" in words
    assert f"({rows[-1][-3]} of {rows[-1][-1]} simulated ones" in words
