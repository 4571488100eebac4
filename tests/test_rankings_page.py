"""docs/rankings.md: its program prints what the page says, and its simulated number is that of benchmarks/."""

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


def test_the_simulated_number_is_that_of_the_benchmark():
    page = (ROOT / "docs" / "rankings.md").read_text(encoding="utf-8")
    *_, called, _, of = (ROOT / "benchmarks" / "rankings.txt").read_text(encoding="utf-8").split()
    assert f"({called} of {of} simulated ones" in " ".join(page.split())
