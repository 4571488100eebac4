"""The form of `mtworkbench.start` in a real browser: files are chosen, read and compared, and the code is copied."""

import re

import pytest

import mtworkbench as mtw
from mtworkbench.reports.reading import read_report
from tests.browser.conftest import open_context, open_in, put_in, wait_to_see
from tests.browser.test_tables import DARK, IS_LIGHT, LIGHT

CELL = "import mtworkbench as mtw\nform = mtw.start(rng=1)\nform"
GO_ON = "again = {}\nexec(form.code, again)"
HOSTILE = ["<img src=x onerror='window.wasRun=1'>.txt", "$x^2$.txt", "abc\u202etxt.exe"]
LONG = "a-name-that-does-not-fit-into-a-narrow-page" * 4
OPACITY = "(one) => getComputedStyle(one).opacity"
# Nothing of the form is wider than the page; what scrolls by itself may be.
TOO_WIDE = """() => [...document.querySelectorAll('.mtworkbench-control, .mtworkbench-screen, .mtworkbench-list')]
    .filter(one => one.getBoundingClientRect().right > document.documentElement.clientWidth)
    .map(one => one.className)"""


def write_files(folder):
    """Write a test set with two systems, files with names that could do harm, and a folder of many."""
    sample = mtw.find_shipped("data/sample")
    folder.mkdir()
    for name, copy in {
        "reference": "ref",
        "documents": "docs",
        "baseline.run1": "old",
        "retrained.run1": "new",
    }.items():
        lines = (sample / f"{name}.txt").read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / f"{copy}.txt").write_text("".join(lines[:300]), encoding="utf-8")
    (folder / "short.txt").write_text("one\nline\n")
    (folder / "odd").mkdir()
    for name in [*HOSTILE, LONG]:
        (folder / "odd" / name).write_text("x\n")
    (folder / "many").mkdir()
    for number in range(1000):
        (folder / "many" / f"system-{number}.txt").write_text("x\n")


@pytest.fixture(scope="module")
def files(lab):
    write_files(lab.folder / "mine")


@pytest.fixture(scope="module")
def opened(lab, browser, files):
    """A notebook that makes a form."""
    context = open_context(browser, viewport={"width": 1280, "height": 2600})
    yield open_in(context, lab, put_in(lab.folder / "notebooks", "form.ipynb", CELL, GO_ON))
    context.close()


@pytest.fixture
def form(opened):
    """The notebook with a new form."""
    opened.resize(1280, 2600)
    opened.page.evaluate("() => { window.panel.content.activeCellIndex = 0; }")
    opened.page.evaluate("() => jupyterapp.commands.execute('notebook:run-cell')")
    opened.page.get_by_text("Nothing is chosen yet.").wait_for()
    return opened


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def test_from_files_to_a_verdict_and_on_with_the_code(form, serious_faults):
    page = form.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(page, "mine/")
    chosen = "Chosen: reference 'mine/ref.txt'; 2 outputs 'mine/new.txt' and 'mine/old.txt'; documents 'mine/docs.txt'."
    page.get_by_text(chosen, exact=True).wait_for()
    page.get_by_label("take short.txt as", exact=True).select_option("output")
    press(page, "read")
    page.get_by_text(re.compile("short.txt has 2 lines but .*ref.txt has 300: ")).wait_for()
    page.get_by_label("take short.txt as", exact=True).select_option("")
    press(page, "read")
    page.get_by_text("Read as: 2 systems (new and old), 16 documents, 300 segments.", exact=True).wait_for()
    page.get_by_role("combobox", name="baseline", exact=True).select_option(label="old")
    press(page, "chrF")
    press(page, "compare")
    page.get_by_text("2 systems compared with old by BLEU and chrF.", exact=True).wait_for()
    form.wait_until_idle()
    shown = page.locator(".mtworkbench-picture .mtw p b").inner_text()
    assert shown == form.value_of("form.comparison.headline")[0]
    # Another choice makes the result pale, and the same one again brings it back.
    found = page.locator(".mtworkbench-form > .widget-vbox")
    page.get_by_label("take short.txt as", exact=True).select_option("output")
    page.get_by_text("Other files are chosen now than were read").wait_for()
    compare = page.get_by_role("button", name="compare", exact=True)
    wait_to_see(page, lambda: (found.evaluate(OPACITY), compare.is_disabled()), ("0.35", True))
    page.get_by_label("take short.txt as", exact=True).select_option("")
    page.get_by_text("Read as: 2 systems (new and old), 16 documents, 300 segments.", exact=True).wait_for()
    wait_to_see(page, lambda: (found.evaluate(OPACITY), compare.is_disabled()), ("1", False))
    press(page, "copy code")
    page.get_by_text("Copied the code.", exact=True).wait_for()
    assert page.evaluate("() => navigator.clipboard.readText()") == form.value_of("form.code")
    with page.expect_download() as download:
        press(page, "save report")
    assert download.value.suggested_filename == "comparison.html"
    assert read_report(download.value.path()).of_this_version
    for change, is_light in ((DARK, False), (LIGHT, True)):
        page.evaluate(change)
        page.wait_for_function(IS_LIGHT, arg=is_light)
        assert serious_faults(page, ".jp-OutputArea") == []
    form.resize(400, 2600)
    wait_to_see(page, lambda: page.evaluate(TOO_WIDE), [])
    page.evaluate("() => { window.panel.content.activeCellIndex = 1; }")
    page.evaluate("() => jupyterapp.commands.execute('notebook:run-cell')")
    form.wait_until_idle()
    assert form.value_of("again['comparison'].headline") == form.value_of("form.comparison.headline")
    assert form.complaints().all_inner_texts() == []
    assert form.problems == []


def test_the_keyboard_is_enough(form):
    page = form.page
    folder = page.get_by_label("folder", exact=True)
    folder.fill("mine")
    folder.press("Enter")
    page.get_by_text("Chosen: reference").wait_for()
    # Letters and arrows are not taken for commands to the notebook.
    menu = page.get_by_label("take docs.txt as", exact=True)
    menu.focus()
    menu.press("Home")
    page.wait_for_function("() => !document.querySelector('.mtworkbench-files').innerText.includes('; documents')")
    page.get_by_role("button", name="read", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_text("Read as: 2 systems (new and old), 300 segments.", exact=True).wait_for()
    up = page.get_by_role("button", name="up", exact=True)
    up.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="mine/", exact=True).focus()
    page.keyboard.press(" ")
    page.get_by_label("take docs.txt as", exact=True).wait_for()
    wait_to_see(page, lambda: page.evaluate("() => document.activeElement.className"), "mtworkbench-list")
    assert len(form.outputs()) == 2
    assert form.problems == []


def test_odd_names_and_many_files(form):
    page = form.page
    folder = page.get_by_label("folder", exact=True)
    folder.fill("mine/odd")
    folder.press("Enter")
    page.get_by_text(LONG, exact=True).wait_for()
    names = page.locator(".mtworkbench-list tbody td:first-child")
    assert names.all_inner_texts() == [name.replace("\u202e", r"\u202e") for name in sorted([*HOSTILE, LONG])]
    assert page.locator("mjx-container").count() == 0
    assert page.evaluate("() => window.wasRun") is None
    form.resize(400, 2600)
    wait_to_see(page, lambda: page.evaluate(TOO_WIDE), [])
    folder.fill("mine/many")
    folder.press("Enter")
    page.get_by_text("system-999.txt", exact=True).wait_for(state="attached")
    wait_to_see(page, page.locator(".mtworkbench-list tbody tr").count, 1000)
    page.get_by_label("find", exact=True).fill("-99")
    wait_to_see(page, page.locator(".mtworkbench-list tbody tr:visible").count, 11)
    folder.fill("../..")
    folder.press("Enter")
    page.get_by_text("'../..' leads out of").wait_for()
    assert form.problems == []
