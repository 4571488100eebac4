"""The browser of segments in a real browser: on a page without a kernel, and in JupyterLab."""

import re
import warnings
from pathlib import Path

import pytest

import mtworkbench as mtw
from mtworkbench.analyses.segments.exports import N_STATIC, segments_to_html
from mtworkbench.shipped import find_shipped
from tests.browser.bare_pages import SEGMENT_NUMBERS, Bare
from tests.browser.conftest import open_context, wait_to_see, wait_until_it_fits

CELLS_OF = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
CHECKED = """all => all.filter(one => one.querySelector('[aria-label^=Select]').checked)
    .map(one => Number(one.querySelector('.mtw-number').textContent))"""


@pytest.fixture(scope="module")
def flores():
    folder = find_shipped("data/flores")
    systems = {name: folder / f"bergamot-{name}.txt" for name in ("base", "base-memory", "tiny")}
    with pytest.warns(mtw.DataWarning, match="invisible"):
        outputs = mtw.read_outputs(folder / "reference.txt", systems)
    return outputs, mtw.compute_statistics(outputs, "bleu")


@pytest.fixture
def page(browser):
    context = open_context(browser, viewport={"width": 1100, "height": 1400})
    yield context.new_page()
    context.close()


@pytest.fixture
def bare(page, flores):
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if not request.url.startswith("blob:") else None)
    yield Bare(page, mtw.explore_segments(*flores, "base", "tiny", rng=1))
    assert problems == []


def test_the_page_shows_the_frame(bare):
    frame = bare.segments.frame
    assert bare.numbers() == frame["segment"].head(60).tolist()
    assert bare.status() == "1,012 segments."
    first = bare.page.locator(".mtw-segment").first
    shown = first.locator(".mtw-contribution b").inner_text()
    assert shown.startswith("+")
    assert float(shown) == pytest.approx(frame["contribution"].iloc[0], abs=0.0005)
    for kind, name in (("reference", "reference"), ("new", "hypothesis"), ("baseline", "hypothesis_baseline")):
        assert first.locator(f".mtw-{kind} .mtw-text").text_content() == frame[name].iloc[0]


def test_the_list_scrolls_to_its_end_and_keeps_its_place(bare):
    frame = bare.segments.frame
    page, rows = bare.page, bare.page.locator(".mtw-list")
    number, after = int(frame["segment"].iloc[55]), int(frame["segment"].iloc[30])
    place = "number => document.querySelector(`[aria-label^='Segment ${number},']`).getBoundingClientRect().top"
    page.locator(".mtw-segment").nth(55).evaluate("one => one.scrollIntoView()")
    before = page.evaluate(place, number)
    page.wait_for_function(f"() => ({SEGMENT_NUMBERS})([...document.querySelectorAll('.mtw-segment')])[0] === {after}")
    assert bare.numbers() == frame["segment"].iloc[30:90].tolist()
    assert page.evaluate(place, number) == pytest.approx(before, abs=1)
    rows.focus()
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelector('.mtw-place').textContent.endsWith('–1,012 in view.')")
    assert bare.numbers() == frame["segment"].iloc[-60:].tolist()
    assert page.evaluate("() => document.activeElement.ariaPosInSet") == "1012"


def test_segments_are_sorted_and_filtered(bare):
    bare.field("Sort by").select_option(label="length reference")
    bare.settle()
    lengths = bare.segments.frame["length_reference"].tolist()
    assert lengths == sorted(lengths, reverse=True)
    assert bare.numbers() == bare.segments.frame["segment"].head(60).tolist()
    bare.field("Find").fill("president")
    bare.page.keyboard.press("Enter")
    bare.settle()
    found = bare.segments.frame
    texts = found[["reference", "hypothesis", "hypothesis_baseline"]].agg(" ".join, axis=1)
    assert 0 < len(found) < 60
    assert texts.str.contains("president", case=False).all()
    assert bare.numbers() == found["segment"].tolist()
    assert bare.status() == f"{len(found)} of 1,012 segments."
    bare.field("regular expression").check()
    bare.field("Find").fill("(")
    bare.page.keyboard.press("Enter")
    bare.page.wait_for_function("() => document.querySelector('.mtw-complaint').textContent !== ''")
    assert "'(' is not a regular expression" in bare.page.locator(".mtw-complaint").inner_text()
    assert bare.numbers() == found["segment"].tolist()
    bare.page.get_by_role("button", name="Clear filters").click()
    bare.settle()
    assert bare.status() == "1,012 segments."
    assert re.sub(r"\s", "", bare.page.locator(".mtw-complaint").inner_text()) == ""


def test_a_complaint_goes_when_the_text_is_corrected_or_cleared(bare):
    page, said = bare.page, bare.page.locator(".mtw-complaint")
    bare.field("regular expression").check()
    bare.settle()
    for again in range(2):
        bare.field("Find").fill("(")
        page.keyboard.press("Enter")
        bare.settle()
        assert said.inner_text().startswith("'(' is not a regular expression"), again
        bare.field("Find").press_sequentially("a")
        assert said.inner_text() == ""
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('.mtw-complaint').textContent !== ''")
    asked = page.evaluate("() => window.sent")
    bare.field("Find").fill("")
    assert said.inner_text() == ""
    # An empty text is no half of an expression: all segments are shown without Enter.
    page.wait_for_function("asked => window.sent > asked", arg=asked)
    bare.settle()
    assert bare.segments.query["text"] == said.inner_text() == ""


def test_where_no_segment_fits_there_is_a_sentence_and_no_empty_box(bare):
    bare.field("Find").fill("no such text")
    bare.page.keyboard.press("Enter")
    bare.settle()
    assert bare.status() == "No segment passes the filters; 1,012 segments in all."
    wait_to_see(bare.page, bare.page.locator(".mtw-place").inner_text, "")
    wait_to_see(bare.page, bare.page.locator(".mtw-list").is_hidden, True)
    bare.page.get_by_role("button", name="Clear filters").click()
    bare.settle()
    wait_to_see(bare.page, bare.page.locator(".mtw-list").is_visible, True)


IN_VIEW = """() => {
    const list = document.querySelector('.mtw-list').getBoundingClientRect();
    const seen = [...document.querySelectorAll('.mtw-segment')].filter(one =>
        one.getBoundingClientRect().bottom > list.top + 1 && one.getBoundingClientRect().top < list.bottom - 1);
    const [first, last] = [seen[0], seen[seen.length - 1]].map(one => Number(one.ariaPosInSet));
    return document.querySelector('.mtw-place').textContent.trim() === `Rows ${first}\u2013${last} in view.` && first;
}"""


def test_the_page_says_which_rows_are_in_view(bare):
    assert bare.page.wait_for_function(IN_VIEW).json_value() == 1
    bare.page.locator(".mtw-segment").nth(20).evaluate("one => one.scrollIntoView()")
    assert bare.page.wait_for_function(f"() => ({IN_VIEW})() > 15 && ({IN_VIEW})()").json_value() in (20, 21)


HOLD = """() => {
    const kernel = window.kernel;
    window.kernel = message => new Promise(done => { window.release = () => done(kernel(message)); });
}"""


def test_a_search_is_asked_for_once_and_says_so_where_it_takes_long(bare):
    page = bare.page
    bare.field("regular expression").check()
    bare.settle()
    asked = page.evaluate("() => window.sent")
    page.evaluate(HOLD)
    bare.field("Find").press_sequentially("presid.nt")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('.mtw-status').textContent === 'searching ...'")
    page.keyboard.press("Enter")
    assert page.evaluate("() => window.sent") == asked + 1
    page.evaluate("() => window.release()")
    bare.settle()
    assert len(bare.segments.frame) == len(bare.numbers()) < 60
    assert bare.status() == f"{len(bare.segments.frame)} of 1,012 segments."
    # What was searched for while it was typed is not searched for again.
    page.evaluate("() => { window.release = null; }")
    bare.field("regular expression").uncheck()
    page.wait_for_function("() => window.release !== null")
    page.evaluate("() => { window.release(); window.release = null; }")
    bare.settle()
    # All letters at once: a slow machine would search for the first of them.
    bare.field("Find").fill("presid.ntial")
    page.wait_for_function("() => window.release !== null")
    page.keyboard.press("Enter")
    page.evaluate("() => window.release()")
    bare.settle()
    assert page.evaluate("() => window.sent") == asked + 3
    assert bare.segments.query["text"] == "presid.ntial"


@pytest.mark.parametrize("wrong", ["1.5", "-3", "0", ""])
def test_how_many_of_the_first_are_selected_is_a_whole_number(bare, wrong):
    bare.field("How many of the first segments").fill(wrong)
    bare.page.get_by_role("button", name="Select the first").click()
    said = bare.page.locator(".mtw-take [role=status]")
    assert said.inner_text().startswith("Give a whole number of at least 1")
    assert bare.page.evaluate("() => window.sent") is None
    bare.field("How many of the first segments").fill("2")
    bare.page.get_by_role("button", name="Select the first").click()
    bare.settle()
    assert said.inner_text() == ""
    assert len(bare.segments.selection) == 2


def test_segments_are_selected_copied_noted_and_left_out(bare):
    page, segments = bare.page, bare.segments
    frame = segments.frame
    bare.field("How many of the first segments").fill("3")
    page.get_by_role("button", name="Select the first").click()
    bare.settle()
    chosen = frame["segment"].head(3).tolist()
    assert segments.selection == sorted(chosen)
    assert page.locator(".mtw-segment").evaluate_all(CHECKED) == chosen
    page.get_by_role("button", name="TSV").click()
    bare.settle()
    header, *rows = page.locator(".mtw-out textarea").input_value().strip().split("\n")
    assert header.split("\t")[-2:] == ["base", "tiny"]
    assert [int(row.split("\t")[0]) for row in rows] == chosen
    page.get_by_role("button", name="This view as a Python call").click()
    bare.settle()
    call = f"mtw.explore_segments(outputs, statistics, 'base', 'tiny', view={{'selection': {sorted(chosen)}}}, rng=1)"
    assert page.locator(".mtw-out textarea").input_value() == call

    page.get_by_label(f"Leave out segment {chosen[0]}", exact=True).check()
    bare.settle()
    page.locator(".mtw-segment").nth(1).focus()
    page.keyboard.press("x")
    bare.settle()
    assert segments.left_out == sorted(chosen[:2])
    statistics = segments._pages.statistics
    kept = statistics.take(
        [place for place, number in enumerate(statistics.test_set.segments) if number not in chosen[:2]]
    )
    expected = mtw.paired_bootstrap(kept["base"], kept["tiny"], rng=1)
    without = page.locator(".mtw-without")
    assert without.locator("h4").inner_text() == "Exploratory: chosen after seeing the outputs"
    assert without.locator(".mtw-difference").inner_text() == (
        f"{expected.difference:+.2f} BLEU, 95 % CI [{expected.low:+.2f}, {expected.high:+.2f}]"
    )
    assert " p " not in without.inner_text()
    page.get_by_role("button", name="Put all back").click()
    bare.settle()
    assert segments.left_out == []
    assert without.is_hidden()

    save = page.get_by_role("button", name="Save notes as CSV")
    assert save.is_disabled()
    assert "Notes are kept only in the kernel's memory" in page.locator("main").inner_text()
    page.locator(".mtw-segment").first.focus()
    page.keyboard.press("n")
    page.keyboard.type('tense, "quoted"')
    page.keyboard.press("Tab")
    page.keyboard.type("grammar")
    page.keyboard.press("Enter")
    bare.settle()
    assert segments.notes[["segment", "note", "tags"]].to_numpy().tolist() == [
        [chosen[0], 'tense, "quoted"', "grammar"]
    ]
    with page.expect_download() as download:
        save.click()
    assert (
        Path(download.value.path())
        .read_text(encoding="utf-8-sig")
        .split("\n")[1]
        .startswith(f'{chosen[0]},"tense, ""quoted""",grammar,')
    )


def test_ngrams_and_flags_filter(bare):
    page, segments = bare.page, bare.segments
    page.get_by_text("Words and phrases that one system gets right").click()
    bare.settle()
    row = page.locator(".mtw-ngrams table").first.locator("tbody tr").first
    row.wait_for()  # what a fold asks for, it asks once it is open
    total = segments.ngrams["n_new"]
    assert page.locator(".mtw-ngrams .mtw-tables p").all_inner_texts()[:2] == [
        "The largest differences come first; among equal ones, the longest n-grams.",
        f"base gets right more often (15 of {total:,})",
    ]
    _, new, baseline, count = (cell.replace(",", "") for cell in row.locator("td").all_inner_texts())
    assert int(new) > int(baseline)
    row.get_by_role("button").click()
    bare.settle()
    assert len(segments.frame) == int(count)
    assert bare.numbers() == segments.frame["segment"].head(60).tolist()
    page.get_by_role("button", name="Remove this filter").click()
    page.get_by_text("Flags: possible errors").click()
    flag = page.locator(".mtw-panel").nth(1).locator("tbody tr").first.get_by_role("button").first
    expected = int(flag.inner_text())
    flag.click()
    bare.settle()
    assert len(segments.frame) == expected < 1012


def test_counting_and_filtering_by_an_ngram_say_that_they_take_time(bare):
    page = bare.page
    page.evaluate(HOLD)
    page.get_by_text("Words and phrases that one system gets right").click()
    busy = page.locator(".mtw-ngrams [role=status]")
    page.wait_for_function("() => document.querySelector('.mtw-ngrams [role=status]').textContent === 'counting ...'")
    page.wait_for_function("() => window.release !== undefined")
    page.evaluate("() => { window.release(); window.release = undefined; }")
    bare.settle()
    assert busy.inner_text() == ""
    row = page.locator(".mtw-ngrams tbody button").first
    row.click()
    page.wait_for_function("() => document.querySelector('.mtw-segments').classList.contains('mtw-searching')")
    assert row.evaluate("one => getComputedStyle(one, '::after').content") == '" searching ..."'
    page.evaluate("() => window.release()")
    bare.settle()
    assert row.evaluate("one => getComputedStyle(one, '::after').content") == "none"


def test_what_the_selection_has_in_common_is_a_table(bare):
    page = bare.page
    page.get_by_text("What the selected segments have in common").click()
    assert page.locator(".mtw-common p").inner_text() == "No segment is selected."
    bare.field("How many of the first segments").fill("3")
    page.get_by_role("button", name="Select the first").click()
    bare.settle()
    frame = bare.segments._pages.frame
    chosen = frame[frame["segment"].isin(bare.segments.selection)]
    rows = {row[0]: row[1:] for row in page.locator(".mtw-common tbody tr").evaluate_all(CELLS_OF)}
    assert rows["segments"] == ["3", "1,012"]
    for name, label in (("length_reference", "the reference"), ("length", "base"), ("length_baseline", "tiny")):
        medians = [f"{one[name].median():g}" for one in (chosen, frame)]
        assert rows[f"words of {label}, median"] == medians
    assert [*rows.values()] == [row[1:] for row in bare.segments.common]


def test_nothing_keeps_a_screen_reader_or_a_keyboard_out(bare, serious_faults):
    page = bare.page
    page.get_by_text("Words and phrases that one system gets right").click()
    page.get_by_text("Flags: possible errors").click()
    page.get_by_text("What the selected segments have in common").click()
    page.locator(".mtw-ngrams tbody tr").first.wait_for()
    page.get_by_label("Select segment 90", exact=True).check()
    bare.settle()
    bare.segments._receive(None, {"kind": "left_out", "segments": [1], "on": True})
    page.get_by_label("Leave out segment 90", exact=True).check()
    page.get_by_role("button", name="This view as a Python call").click()
    bare.settle()
    assert serious_faults(page) == []
    # Every control has a name, and the keyboard reaches it.
    controls = page.locator("main :is(button, input, select, summary, textarea):visible")
    assert controls.evaluate_all("all => all.filter(one => one.tabIndex < 0).length") == 0
    page.locator(".mtw-list").focus()
    for place, key in enumerate(("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"), start=1):
        page.keyboard.press(key)
        focused = page.evaluate("() => Number(document.activeElement.ariaPosInSet)")
        assert focused == (place if place < 4 else 2)


@pytest.mark.parametrize("width", [320, 600])
def test_narrow_pages_stack_and_nothing_is_cut(bare, width):
    bare.page.set_viewport_size({"width": width, "height": 900})
    wait_until_it_fits(bare.page, width)
    first = bare.page.locator(".mtw-segment").first

    def overlap():
        side, texts = (first.locator(part).bounding_box() for part in (".mtw-side", ".mtw-texts"))
        return max(0, side["y"] + side["height"] - texts["y"])

    wait_to_see(bare.page, overlap, 0)


HOSTILE_NAME = "<img src=x onerror=window.wasRun=1>"
HOSTILE = [
    "$x_{1}$ and $y^2$",
    r"\(z^2\)",
    "<img src=x onerror=window.wasRun=1>",
    "abc\u202edef",
    "<script>window.wasRun=1</script>",
]


def test_hostile_names_and_texts_are_shown_as_text(page):
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)  # such texts are noticed
        outputs = mtw.make_outputs(
            [f"{text} reference" for text in HOSTILE],
            {HOSTILE_NAME: HOSTILE, "$y_2$\u202e": [f"{text} too" for text in HOSTILE]},
            documents=HOSTILE,
            source=HOSTILE,
        )
    statistics = mtw.compute_statistics(outputs, "bleu")
    view = {"ngram": "abc\u202edef"}
    bare = Bare(page, mtw.explore_segments(outputs, statistics, HOSTILE_NAME, "$y_2$\u202e", view=view, rng=1))
    assert page.locator(".mtw-chip").inner_text().startswith(r"n-gram “abc\u202edef”")
    page.get_by_role("button", name="Remove this filter").click()
    page.get_by_text("Words and phrases that one system gets right").click()
    bare.settle()
    shown = [text.replace("\u202e", r"\u202e") for text in HOSTILE]
    assert sorted(page.locator(".mtw-new .mtw-text").all_text_contents()) == sorted(shown)
    assert {*page.locator(".mtw-new .mtw-label").all_text_contents()} == {HOSTILE_NAME}
    assert {*page.locator(".mtw-baseline .mtw-label").all_text_contents()} == {r"$y_2$\u202e"}
    assert "\u202e" not in page.locator("main").inner_text()
    assert page.locator("main img, main script").count() == 0
    assert page.evaluate("() => window.wasRun") is None
    assert problems == []


def test_documents_are_offered_as_they_can_be_read_and_found_by_their_own_names(page):
    names = ["plain", "abc\u202edef", r"abc\u202edef", "two\nlines", "(no name)", ""]
    texts = [f"text {number}" for number in range(len(names))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)  # such names are noticed
        outputs = mtw.make_outputs(texts, {"one": texts, "two": [*texts[1:], texts[0]]}).assign(document=names * 2)
    bare = Bare(page, mtw.explore_segments(outputs, mtw.compute_statistics(outputs, "bleu"), "one", "two"))
    field = bare.field("Document")
    offered = field.evaluate("field => [...field.list.options].map(one => one.value)")
    assert offered == ["plain", r"abc\u202edef", r"abc\u202edef (another)", r"two\u000alines", "(no name)",
                       "(no name) (another)"]  # fmt: skip
    for shown, name in zip(offered, names, strict=True):
        field.fill(shown)
        field.press("Enter")
        bare.settle()
        assert bare.segments.frame["document"].tolist() == [name]
        assert field.input_value() == shown
    field.fill("")
    field.press("Enter")
    bare.settle()
    assert len(bare.segments.frame) == len(names)


CELLS = (
    "import mtworkbench as mtw\n"
    "flores = mtw.find_shipped('data/flores')\n"
    "systems = {name: flores / f'bergamot-{name}.txt' for name in ('base', 'tiny')}\n"
    "outputs = mtw.read_outputs(flores / 'reference.txt', systems)\n"
    "statistics = mtw.compute_statistics(outputs, 'bleu')",
    "segments = mtw.explore_segments(outputs, statistics, 'base', 'tiny', rng=1)\nsegments",
)


def test_segments_are_explored_in_jupyterlab(open_notebook, put_notebook, flores):
    notebook = open_notebook(put_notebook("segments.ipynb", *CELLS))
    assert notebook.run_all()
    page = notebook.page
    expected = mtw.explore_segments(*flores, "base", "tiny", rng=1)

    def told(text):
        page.wait_for_function("text => document.querySelector('.mtw-status')?.textContent.startsWith(text)", arg=text)

    def numbers():
        return page.locator(".mtw-segment").evaluate_all(SEGMENT_NUMBERS)

    def shown(found):
        wait_to_see(page, numbers, found["segment"].head(60).tolist())

    told("1,012 segments.")
    shown(expected.frame)
    # The table for readers without a kernel is there, and the browser hides it.
    assert page.locator(".mtw-segments-static").count() == 1
    wait_to_see(page, page.locator(".mtw-segments-static").is_hidden, True)

    page.get_by_label("Sort by").select_option(label="change")
    expected.query = {"sort": "change"}
    first = f"one => document.querySelector('.mtw-number').textContent === '{expected.frame['segment'].iloc[0]}'"
    page.wait_for_function(first)
    shown(expected.frame)

    page.get_by_label("Find", exact=True).fill("president")
    page.keyboard.press("Enter")
    expected.query = {"sort": "change", "text": "president"}
    told(f"{len(expected.frame)} of 1,012 segments.")
    shown(expected.frame)
    page.get_by_label("regular expression").check()
    page.get_by_label("Find", exact=True).fill(r"\bpresidents?\b .*ed\b")
    page.keyboard.press("Enter")
    expected.query = {"sort": "change", "text": r"\bpresidents?\b .*ed\b", "pattern": True}
    told(f"{len(expected.frame)} of 1,012 segments.")
    shown(expected.frame)
    page.get_by_role("button", name="Clear filters").click()
    told("1,012 segments.")

    one, other = numbers()[:2]
    page.get_by_label(f"Leave out segment {one}", exact=True).check()
    page.locator(".mtw-segment").nth(1).focus()
    page.keyboard.press("x")  # in JupyterLab, this key cuts the cell
    page.wait_for_function("() => document.querySelector('.mtw-status').textContent.endsWith('2 left out.')")
    expected.left_out = [one, other]
    # The status counts at once; the kernel's answer comes later.
    without = "text => document.querySelector('.mtw-difference').textContent === text"
    page.wait_for_function(without, arg=expected.exploratory["difference"])
    assert page.locator(".jp-CodeCell").count() == 2
    assert notebook.problems == []

    # Nobody answers after a restart, and the page says so once it is asked.
    page.evaluate("async () => { await window.panel.sessionContext.session.kernel.restart(); }")
    page.get_by_label("Sort by").select_option(label="contribution")
    stopped = "() => document.querySelector('.mtw-complaint').textContent.startsWith('The kernel that made this list')"
    page.wait_for_function(stopped)


IDS = "() => [...document.querySelectorAll('.mtw-segments [id]')].map(one => one.id)"
NAMED_BY_ITS_OWN = """all => all.map(label => [label.textContent, label.control !== null
    && label.control.closest('.mtw-segments') === label.closest('.mtw-segments')])"""


def test_two_browsers_on_one_page_share_no_ids(page, flores):
    outputs = mtw.make_outputs(
        ["a b", "c d"], {"one": ["a b", "c x"], "two": ["a y", "c d"]}, documents=["first", "second"]
    )
    bare = Bare(page, mtw.explore_segments(*flores, "base", "tiny"))
    bare.mount_another(mtw.explore_segments(outputs, mtw.compute_statistics(outputs, "bleu"), "one", "two"))
    ids = page.evaluate(IDS)
    assert len(ids) == len({*ids}) > 10
    labels = page.locator(".mtw-segments label").evaluate_all(NAMED_BY_ITS_OWN)
    assert all(own for _, own in labels), labels
    document = page.locator(".mtw-segments").nth(1).get_by_label("Document", exact=True)
    offered = document.evaluate("field => [...field.list.options].map(one => one.value)")
    assert offered == ["first", "second"]


def test_a_living_browser_hides_the_tables_of_its_own_cell_alone(bare):
    static = segments_to_html(bare.segments._pages)
    areas = """([static]) => {
        for (const name of ['own', 'other']) {
            const area = document.createElement('div');
            area.className = `jp-OutputArea ${name}`;
            area.innerHTML = static;
            document.body.append(area);
        }
        document.querySelector('.own').append(document.querySelector('.mtw-segments'));
    }"""
    bare.page.evaluate(areas, [static])
    assert bare.page.locator(".own .mtw-segments-static").is_hidden()
    assert bare.page.locator(".other .mtw-segments-static").is_visible()


def test_the_page_without_a_kernel_has_the_segments_that_speak_for_each_system(flores, page):
    segments = mtw.explore_segments(*flores, "base", "tiny")
    page.set_content(segments_to_html(segments._pages))
    tables = page.locator(".mtw-segments-static table")
    assert tables.count() == 2
    frame = segments.frame
    numbers = [[int(text) for text in table.locator("tbody th").all_inner_texts()] for table in tables.all()]
    assert numbers == [frame["segment"].head(N_STATIC).tolist(), frame["segment"].tail(N_STATIC).tolist()[::-1]]
