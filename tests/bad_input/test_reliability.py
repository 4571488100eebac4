"""The pages about reliability have the numbers of the tables that they were made of, and no failure."""

import copy
import re
import runpy

import pytest

from benchmarks.damage.endings import load_endings
from benchmarks.damage.short import PAGE, written
from tests.faults.counts import FAULTS
from tests.outputs.test_traits import TRAITS

from . import fuzz, traits
from .rows import ADDED, CASES, DIFFERENT, NOT_TRIED, ROWS

TABLES = PAGE.parent / "tables"


@pytest.fixture(scope="module")
def page():
    """All pages, one after another."""
    return "".join(path.read_text(encoding="utf-8") for path in (PAGE, *sorted(TABLES.glob("reliability-*.md"))))


@pytest.fixture(scope="module")
def endings():
    return load_endings()


def test_every_page_is_what_the_script_writes(endings):
    pages = dict(written(endings))
    for path, text in pages.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: scripts/measure_reliability.py --page-only"
    assert set(TABLES.glob("reliability-*.md")) == {*pages} - {PAGE}


def test_the_short_page_leads_to_every_table():
    short = PAGE.read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\((tables/[^)#]+)", short))
    assert linked == {f"tables/{path.name}" for path in TABLES.glob("reliability-*.md")}
    assert len(re.sub(r"\]\([^)]*\)|[|*`#-]", " ", short).split()) < 1000  # five minutes


def test_what_is_stored_is_of_the_cases_that_there_are(endings):
    """Whoever adds a case sees here that it must be tried before the page says that it was."""
    tried = {row: list(cases) for row, cases in endings["rows"].items()}
    assert tried == {row: [case.what for case in cases] for row, cases in ROWS.items()}, "run make reliability"
    assert {one["read"] + one["refused"] + one["others"] for one in endings["readers"].values()} == {
        endings["files_per_reader"]
    }


def test_the_script_stores_of_a_reader_what_the_page_shows(endings, monkeypatch):
    script = runpy.run_path(str(PAGE.parents[1] / "scripts" / "measure_reliability.py"))
    monkeypatch.setitem(script["run_readers"].__globals__, "LOADERS", fuzz.LOADERS[:1])
    monkeypatch.setitem(script["run_readers"].__globals__, "FUZZ_CASES", 30)
    [(name, found)] = script["run_readers"]().items()
    assert found.keys() == endings["readers"][name].keys()
    assert found["read"] + found["refused"] + found["others"] == 30
    assert found["refused"] == sum(found["reasons"].values())  # fewer than six reasons


def test_what_ends_otherwise_is_in_the_answer_and_in_the_tables(endings):
    """One failure of each kind; the counts of the others stay."""
    wrong = copy.deepcopy(endings)
    wrong["rows"]["B02"]["one line more"] = "no error"
    wrong["silent_traits"] = ["mojibake"]
    wrong["sound_files"]["real"]["alarms"] = 2
    wrong["readers"]["gzip"] |= {"refused": 979, "others": 1}
    wrong["faults"]["folder that may only be read"]["failures"] = 3
    wrong["faults_left_out"] = ["a disk that fails"]
    pages = {path.stem: text for path, text in written(wrong)}
    rows = {line.split(" | ")[0]: line.split(" | ")[1:] for line in pages["reliability"].splitlines()}
    named = {re.sub(r"[|\[]|\]\(.*?\)", "", name).strip(): cells for name, cells in rows.items()}
    assert named["75 kinds of bad input"][1].startswith("**1 not as expected**: 98 refused, ")
    assert named["suspicious files"] == ["13", "12 noticed |"]
    assert named["sound files"][1] == "2 false alarms |"
    assert named["random damage for 31 readers"][1] == "1 neither read well nor refused |"
    assert named["faults of 15 kinds"][1] == "**3 not as expected** |"
    assert "- a disk that fails\n" in pages["reliability"]
    assert "1 of 75 kinds do not end as expected." in pages["reliability-bad-input"]
    assert "| B02 | one line more | error `count-mismatch` | **no** |" in pages["reliability-bad-input"]
    assert "| `mojibake` | **no** |" in pages["reliability-bad-input"]
    assert "1 of 31,000 did not." in pages["reliability-damaged-files"]
    assert "3 of 2,608 cases with killed programs, full disks and similar faults did not end as expected." in (
        pages["reliability-faults"].replace("\n", " ")
    )
    assert "Not tried: a disk that fails." in pages["reliability-faults"]


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
