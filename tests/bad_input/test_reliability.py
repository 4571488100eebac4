"""The page about reliability has the numbers of the tables that it was made of, and no failure."""

import re
from pathlib import Path

import pytest

from tests.faults.counts import FAULTS
from tests.outputs.test_traits import TRAITS

from . import fuzz, traits
from .rows import ADDED, CASES, DIFFERENT, NOT_TRIED, ROWS

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"


@pytest.fixture(scope="module")
def page():
    return PAGE.read_text(encoding="utf-8")


def table(page, first):
    """Return the rows of the table whose head begins so."""
    return [
        line.strip("| ").split(" | ")
        for line in re.search(rf"\| {first} \|.*\n\|[-:|]+\n((?:\|.*\n)+)", page)[1].splitlines()
    ]


def number(text):
    return int(text.replace(",", ""))


def test_rows(page):
    text = page.replace("\n", " ")
    read = sum(not case.error and not case.warns for case in CASES)
    counts = [len(CASES), sum(bool(case.error) for case in CASES), sum(bool(case.warns) for case in CASES), read]
    assert (
        "All {} kinds of bad input (B01, B02, ...) were tried, in {} cases. All end as expected. Of these cases, {} "
        "are refused, {} are read with a warning, and {} are read without one,".format(len(ROWS), *counts)
    ) in text
    assert (
        f"For {len(ROWS) - len(DIFFERENT) - len(ADDED)} kinds, the expected outcome is that of the first "
        f"specification. For {len(DIFFERENT)} others, it was changed; the reasons are below the table. The first "
        f"specification does not have the last {len(ADDED)}."
    ) in text
    assert [row[:2] for row in table(page, "no\\.")] == [
        [row, case.what] for row, cases in ROWS.items() for case in cases
    ]
    assert {row[3] for row in table(page, "no\\.")} == {"yes"}
    assert all(f"- {row}: {why}\n" in page for named in (DIFFERENT, NOT_TRIED) for row, why in named.items())


def test_traits(page):
    assert set(traits.CASES) == TRAITS
    assert f" {len(traits.CASES)} of {len(traits.CASES)} such problems are noticed " in page.replace("\n", " ")
    assert table(page, "problem") == [[f"`{code}`", "yes"] for code in traits.CASES]


@pytest.mark.parametrize("whose", ["shipped", "real"])
def test_sound_files_raise_no_alarm(page, whose):
    found = re.findall(rf"([\d,]+) false alarms in ([\d,]+) {whose} outputs", page.replace("\n", " "))
    assert [number(alarms) for alarms, _ in found] == [0]
    assert number(found[0][1]) > 10


def test_every_trait_is_noticed_in_its_case():
    assert traits.find_silent_traits() == []


def test_damaged_files(page):
    rows = table(page, "reader")
    assert [row[0] for row in rows] == [one.name for one in fuzz.LOADERS]
    assert {row[-1] for row in rows} == {"0"}
    each, total = re.search(r"was given ([\d,]+) files .* All ([\d,]+) did\.", page.replace("\n", " ")).groups()
    assert {number(row[1]) + number(row[2]) for row in rows} == {number(each)}
    assert number(total) == len(rows) * number(each)


def test_faults(page):
    rows = table(page, "fault")
    assert [row[0] for row in rows] == [fault.name for fault in FAULTS]
    assert all(number(cases) for _, cases, _ in rows)
    assert {failures for _, _, failures in rows} == {"0"}
    assert f"\nAll {sum(number(cases) for _, cases, _ in rows):,} cases with killed programs" in page


def test_nothing_fails(page):
    assert "**no**" not in page
