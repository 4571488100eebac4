"""Linked figures in a real browser: on a page without a kernel, and all of them in JupyterLab."""

import base64
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import mtworkbench as mtw
from mtworkbench.plots.segments import plot_contributions
from mtworkbench.plots.style import settle
from mtworkbench.tables import frame_to_csv
from mtworkbench.widgets.figures import LinkedFigure, make_picture
from mtworkbench.widgets.linked_views import WIDE
from mtworkbench.widgets.pages import LOOKS, read_script
from tests.browser.conftest import open_context, wait_to_see

STATE = (
    "name",
    "called",
    "along",
    "brushable",
    "source",
    "alt",
    "width",
    "height",
    "texts",
    "reach",
    "picture",
    "clicked",
    "waiting",
)
STATE += ("brushed", "chosen", "caption", "note", "code")
# Stands for the model that JupyterLab would give the script: the same functions, without a kernel.
MOUNT = """async ([script, state, places, rows]) => {
    state.places = new DataView(Uint8Array.from(places).buffer);
    state.rows = new DataView(Uint8Array.from(rows).buffer);
    const listeners = {};
    const set = (name, value) => {
        if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
        state[name] = value;
        (listeners[`change:${name}`] ?? []).forEach(listener => listener());
    };
    const model = {
        get: name => state[name],
        set,
        send: () => { if (window.stopped) throw new Error("the kernel has stopped"); },
        save_changes: () => { window.saved = (window.saved ?? 0) + 1; },
        on: (name, listener) => (listeners[name] ??= []).push(listener),
        off: (name, listener) => { listeners[name] = listeners[name].filter(one => one !== listener); },
    };
    const module = await import(URL.createObjectURL(new Blob([script], {type: 'text/javascript'})));
    window.model = model;
    window.unmount = module.default.render({model, el: document.querySelector('#here')});
    window.listening = () => Object.values(listeners).flat().length;
    await document.querySelector('img').decode();
}"""
HOSTILE = "$x_{1}$ \\(y\\) <img src=x onerror=alert(1)> abc\u202edef"


class Bare:
    """A linked figure on a page without JupyterLab."""

    def __init__(self, page, link, style=""):
        self.page, self.link = page, link
        page.set_content(
            "<!doctype html><html lang=en><head><title>Figure</title></head>"
            f"<body style='margin:0;{style}'><main id=here></main></body></html>"
        )
        page.add_style_tag(content=LOOKS)
        state = {name: getattr(link, name) for name in STATE}
        page.evaluate(MOUNT, [read_script("figures.js"), state, list(link.places), list(link.rows)])
        self.layer = page.locator(".mtworkbench-layer")
        self.tip = page.locator(".mtworkbench-tip")
        self.places = np.frombuffer(link.places, dtype="<f4").reshape(-1, 2)

    def get(self, name):
        return self.page.evaluate("name => model.get(name)", name)

    def point(self, x, y):
        """Return where pixels of the picture are on the screen."""
        box = self.layer.bounding_box()
        share = box["width"] / self.link.width
        return box["x"] + share * float(x), box["y"] + share * float(y)

    def hover(self, mark):
        self.page.mouse.move(*self.point(*self.places[mark]))

    def click(self, mark):
        self.page.mouse.click(*self.point(*self.places[mark]))

    def drag(self, begin, end):
        self.page.mouse.move(*self.point(*begin))
        self.page.mouse.down()
        self.page.mouse.move(*self.point(*end), steps=3)
        self.page.mouse.up()

    def press(self, *keys):
        self.layer.focus()
        for key in keys:
            self.page.keyboard.press(key)


def make_link(marks, *, along="xy", brushable=True):
    figure = Figure(figsize=(4, 3), dpi=100)
    ax = figure.add_axes((0.1, 0.1, 0.8, 0.8))
    ax.plot(marks["x"], marks["y"], "o")
    link = LinkedFigure("Marks <b>and</b> names", brushable=brushable)
    link.show(make_picture(figure, "seven <marks>", marks, along))
    return link


@pytest.fixture(scope="module")
def marks():
    x, y = [1, 2, 3, 4, 5, 6, 7], [4, 1, 6, 2, 7, 3, 5]
    return pd.DataFrame({"x": x, "y": y, "text": [*(f"mark {place}" for place in range(6)), HOSTILE]})


@pytest.fixture
def open_page(browser):
    context, problems = open_context(browser, viewport={"width": 800, "height": 600}), []

    def open_one(link, style=""):
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        return Bare(page, link, style)

    yield open_one
    context.close()
    assert problems == []


@pytest.mark.parametrize("style", ["", "width:330px", "zoom:1.5"], ids=["whole", "narrow", "zoomed"])
def test_the_mouse_finds_clicks_and_selects_what_is_drawn(open_page, marks, style):
    bare = open_page(make_link(marks), style)
    for mark, text in enumerate(marks["text"][:6]):
        bare.hover(mark)
        wait_to_see(bare.page, bare.tip.inner_text, text)
    bare.page.mouse.move(*bare.point(395, 5))
    wait_to_see(bare.page, bare.tip.is_hidden, True)
    bare.click(4)
    assert bare.get("clicked") == 4
    # From the left upper corner of the Axes to just right of the third mark: what stands in it is known from the frame.
    left, bottom = bare.places[2] + (8, 8)
    bare.drag((30, 20), (left, bottom))
    assert bare.get("brushed") == marks.index[(marks["x"] <= 3) & (marks["y"] >= 6)].tolist() == [2]
    bare.drag((bare.places[6] + 8), (bare.places[1][0] - 8, bare.places[2][1] - 8))
    assert bare.get("brushed") == marks.index[(marks["x"] >= 2) & marks["y"].between(5, 6)].tolist() == [2, 6]
    assert bare.page.locator(".mtworkbench-selected").get_attribute("d").count("M") == 2
    # An empty rectangle, and a click beside all marks, take the selection back.
    bare.drag((3, 3), (12, 12))
    assert bare.get("brushed") == []
    bare.drag((1, 1), (399, 299))
    assert bare.get("brushed") == list(range(7))
    bare.page.mouse.click(*bare.point(395, 5))
    assert bare.get("brushed") == []
    assert bare.get("clicked") == 4


def test_the_keyboard_does_what_the_mouse_does(open_page, marks):
    bare = open_page(make_link(marks))
    spoken = bare.page.locator("[aria-live=polite]")
    bare.press("ArrowRight")
    assert spoken.inner_text() == "mark 0 (1 of 7)"
    bare.press("ArrowRight", "ArrowRight")
    assert bare.tip.inner_text() == "mark 2"
    bare.press("Enter")
    assert bare.get("clicked") == 2
    # On the screen, the next one below a y of 6 is that of 5: downwards, y falls.
    bare.press("ArrowDown")
    assert bare.tip.inner_text() == r"$x_{1}$ \(y\) <img src=x onerror=alert(1)> abc\u202edef"
    bare.press("Home", "Shift+ArrowRight", "Shift+ArrowRight")
    assert bare.get("brushed") == [0, 1, 2]
    bare.press("End")
    assert bare.get("brushed") == [0, 1, 2]
    bare.press("Escape")
    assert bare.get("brushed") == []
    bare.press("Home", "Shift+ArrowRight")
    bare.page.get_by_role("button", name="show all").click()
    assert bare.get("brushed") == []
    assert bare.layer.evaluate("layer => layer === document.activeElement")


def test_rows_answer_wherever_the_mouse_is_in_them_and_cannot_be_selected(open_page, marks):
    # A row can be higher than its mark: this one has a second line below the mark.
    rows = marks.assign(top=marks["y"] + 0.2, bottom=marks["y"] - 0.8)
    bare = open_page(make_link(rows, along="y", brushable=False))
    ends = np.frombuffer(bare.link.rows, dtype="<f4").reshape(-1, 2)
    for mark in range(6):
        for height in (ends[mark][0] + 1, ends[mark][1] - 1):
            bare.page.mouse.move(*bare.point(2, height))
            wait_to_see(bare.page, bare.tip.inner_text, f"mark {mark}")
    bare.page.mouse.click(*bare.point(390, bare.places[3][1]))
    assert bare.get("clicked") == 3
    bare.drag((1, 1), (399, 299))
    assert bare.get("brushed") == []
    bare.page.evaluate("model.set('chosen', 3)")
    row = bare.page.locator(".mtworkbench-row")
    top, height = (float(row.get_attribute(name)) for name in ("y", "height"))
    assert (top, top + height) == pytest.approx(ends[3].tolist(), abs=0.01)
    # Rows run downwards: the highest y of the data is the first.
    bare.press("Home", "ArrowDown")
    assert bare.tip.inner_text() == "mark 2"


def test_a_picture_that_would_be_too_small_to_read_is_scrolled(open_page, marks):
    link = make_link(marks)
    link.code = "code"
    bare = open_page(link, "width:250px")
    scroller = bare.page.locator(".mtworkbench-scroller")
    assert bare.page.locator("img").bounding_box()["width"] == 0.8 * link.width == 320
    assert scroller.bounding_box()["width"] == 250
    assert bare.page.evaluate("document.documentElement.scrollWidth") <= 800
    # That it goes on is seen also where no bars are.
    mask = "() => getComputedStyle(document.querySelector('.mtworkbench-scroller')).maskImage"
    bare.page.wait_for_function(f"() => ({mask})() !== 'none'")
    scroller.evaluate("one => { one.scrollLeft = 1000; }")
    bare.page.wait_for_function(f"() => ({mask})() === 'none'")
    scroller.evaluate("one => { one.scrollLeft = 0; }")
    # The keyboard comes to what it cannot see, and can scroll by itself.
    bare.press("End", "ArrowLeft")
    right = bare.tip.bounding_box()
    assert 0 <= right["x"] <= right["x"] + right["width"] <= 251
    assert scroller.evaluate("one => one.scrollLeft") > 0
    assert (scroller.get_attribute("tabindex"), scroller.get_attribute("role")) == ("0", "group")
    assert faults(bare.page) == []
    bare.page.evaluate("document.body.style.width = '600px'")
    bare.page.wait_for_function("() => !document.querySelector('.mtworkbench-scroller').hasAttribute('tabindex')")


def test_pictures_are_saved_and_where_the_clipboard_is_closed_python_has_the_rest(open_page, marks):
    link = make_link(marks)
    bare = open_page(link)
    save = bare.page.get_by_role("link", name="save as PNG")
    assert save.is_hidden()  # there is no code, so nothing to take away
    bare.page.evaluate("model.set('code', 'plot(x)')")
    with bare.page.expect_download() as found:
        save.click()
    assert found.value.suggested_filename == "figure.png"
    content = found.value.path().read_bytes()
    assert content == base64.b64decode(link.source.partition(",")[2])
    bare.page.get_by_text("code", exact=True).click()
    bare.page.get_by_role("button", name="copy code").click()
    said = bare.page.locator(".mtworkbench-said")
    said.get_by_text('in Python, use .code["figure"]').wait_for()
    bare.page.evaluate("model.set('picture', 9)")
    assert said.inner_text() == ""


def test_texts_are_texts_and_no_listener_stays_behind(open_page, marks):
    link = make_link(marks)
    link.caption, link.note, link.code = f"caption {HOSTILE}", f"note {HOSTILE}", f"code {HOSTILE}"
    bare = open_page(link)
    shown = HOSTILE.replace("\u202e", r"\u202e")
    assert bare.page.locator(".mtworkbench-caption").inner_text() == f"caption {shown}"
    assert bare.page.locator(".mtworkbench-note").inner_text() == f"note {shown}"
    assert bare.page.locator("details code").text_content() == f"code {shown}"
    assert bare.page.locator("img").get_attribute("alt") == "seven <marks>"
    assert bare.layer.get_attribute("aria-label") == "Marks <b>and</b> names"
    assert bare.page.locator("img").count() == 1
    assert bare.page.evaluate("() => { unmount(); return listening(); }") == 0


def test_a_kernel_that_has_stopped_is_said(open_page, marks):
    bare = open_page(make_link(marks))
    bare.page.evaluate("() => { window.stopped = true; }")
    bare.click(2)
    assert bare.page.locator(".mtworkbench-said").text_content().endswith("was restarted: run the cell again.")
    bare.drag((0, 0), (400, 300))
    assert not bare.page.locator(".mtworkbench-box").is_visible()
    assert (bare.get("clicked"), bare.get("brushed")) == (-1, [])


def test_a_sentence_stands_in_place_of_a_picture(open_page, marks):
    bare = open_page(make_link(marks))
    for name, value in {"source": "", "texts": [], "caption": "They are copies.", "picture": 7}.items():
        bare.page.evaluate("([name, value]) => model.set(name, value)", [name, value])
    assert bare.page.locator("img").is_hidden()
    assert bare.page.locator(".mtworkbench-caption").inner_text() == "They are copies."


def faults(page, within=None):
    """Say what axe calls serious or critical in a page, or in a part of it."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    found = axe.Axe().run(page, context=within).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


def test_of_a_long_caption_the_rest_is_folded_away(open_page, marks):
    link = make_link(marks)
    link.caption = "What is seen.\nWhat follows <b>"
    bare = open_page(link)
    folded = bare.page.locator(".mtworkbench-more")
    assert bare.page.locator(".mtworkbench-caption").inner_text() == "What is seen."
    assert not bare.page.get_by_text("What follows <b>").is_visible()
    folded.locator("summary").press("Enter")
    assert folded.inner_text().endswith("What follows <b>")
    bare.page.evaluate("model.set('caption', 'short')")
    assert folded.is_hidden()


def test_a_picture_that_is_higher_than_half_of_the_window_is_scrolled(open_page):
    n = 60
    rows = pd.DataFrame({"x": 1.0, "y": np.arange(n), "text": [f"row {place}" for place in range(n)]})
    figure = Figure(figsize=(4, 12), dpi=100)
    figure.add_axes((0.1, 0.05, 0.8, 0.9), ylim=(-1, n)).plot(rows["x"], rows["y"], "o")
    link = LinkedFigure("Rows")
    link.show(make_picture(figure, "60 rows", rows.assign(top=rows["y"] + 0.5, bottom=rows["y"] - 0.5), "y"))
    bare = open_page(link)
    scroller = bare.page.locator(".mtworkbench-scroller")
    assert scroller.bounding_box()["height"] == 400
    bare.page.wait_for_function(
        "() => document.querySelector('.mtworkbench-scroller').getAttribute('tabindex') === '0'"
    )
    bare.press("End")  # the lowest row, which comes into sight
    assert scroller.evaluate("one => one.scrollTop") > 500
    assert bare.tip.inner_text() == "row 0"
    assert faults(bare.page) == []


def test_axe_has_nothing_to_say(open_page, marks):
    link = make_link(marks)
    link.caption, link.note, link.code = "caption", "note", "code"
    bare = open_page(link)
    bare.press("Home", "Shift+ArrowRight")
    assert faults(bare.page) == []


NEAREST = """() => {
    const layer = document.querySelector('.mtworkbench-layer');
    const {left, top, width, height} = layer.getBoundingClientRect();
    const found = [];
    for (let step = 0; step < 200; step++) {
        const [clientX, clientY] = [left + width * ((step * 37) % 200) / 200, top + height * ((step * 61) % 200) / 200];
        layer.dispatchEvent(new PointerEvent('pointermove', {clientX, clientY}));
        const tip = document.querySelector('.mtworkbench-tip');
        found.push([clientX - left, clientY - top, tip.hidden ? -1 : Number(tip.textContent)]);
    }
    return found;
}"""


def test_of_ten_thousand_marks_the_nearest_one_answers(open_page):
    draws = np.random.default_rng(1).normal(size=(10_000, 2))
    bare = open_page(make_link(pd.DataFrame({"x": draws[:, 0], "y": draws[:, 1], "text": map(str, range(10_000))})))
    for x, y, mark in bare.page.evaluate(NEAREST):
        distances = np.hypot(*(bare.places - (x, y)).T)
        if mark < 0:
            assert distances.min() > 13.9
        else:
            assert distances[mark] == pytest.approx(distances.min(), abs=1e-3)


READ = (
    "import warnings\nwarnings.simplefilter('ignore')\nimport mtworkbench as mtw\n"
    "folder = mtw.find_shipped('data/flores')\n"
    "names = ('bergamot-base', 'bergamot-base-memory', 'bergamot-tiny')\n"
    "systems = {name: folder / f'{name}.txt' for name in names}\n"
    "outputs = mtw.read_outputs(folder / 'reference.txt', systems, accept='invisible-chars')\n"
    "statistics = mtw.compute_statistics(outputs, 'bleu')",
    "linked = mtw.explore_differences(outputs, statistics, rng=1)\nlinked",
)
STATUS = "text => document.querySelector('.mtworkbench-sentence')?.textContent.includes(text)"
ROWS = "text => document.querySelector('.mtw-status')?.textContent === text"
NUMBERS = "all => all.map(one => Number(one.querySelector('.mtw-number').textContent))"


def test_everything_follows_in_jupyterlab(open_notebook, put_notebook):
    namespace = {}
    with warnings.catch_warnings():
        exec(READ[0], namespace)
    statistics, outputs = namespace["statistics"], namespace["outputs"]
    notebook = open_notebook(put_notebook("linked.ipynb", *READ))
    page = notebook.page
    assert notebook.run_all()
    pictures = page.locator(".mtworkbench-figure")
    estimates, resamples, contributions, buckets = (pictures.nth(number) for number in range(4))
    page.wait_for_function(STATUS, arg="bergamot-tiny - bergamot-base = ")
    # The copy for readers without a kernel, of two of the pictures, is in the notebook, and hidden.
    shown = ["Differences ", "Histogram of", "Contribution", "bergamot-tin"]
    assert [one.get_attribute("alt")[:12] for one in notebook.pictures(4)] == shown
    kept = "".join(output["data"].get("text/html", "") for output in notebook.outputs()[1])
    assert [alt[:12] for alt in re.findall('<img alt="([^"]*)"', kept)] == [shown[0], shown[2]]

    # A click on a row: the sentence and the list of segments are those of that pair.
    found = mtw.compare(statistics, "bergamot-base", rng=1).metrics["BLEU"]
    [pair] = [one for one in found.comparisons if one.a == "bergamot-base-memory"]
    click_row(page, estimates, place=0)
    page.wait_for_function(STATUS, arg="bergamot-base-memory - bergamot-base = ")
    # A picture that comes while something is dragged in the one before would take the rectangle with it.
    notebook.wait_until_answered()
    sentence = page.locator(".mtworkbench-sentence").inner_text()
    assert f"= {pair.difference:+.2f} (95 % CI {pair.ends.low:.2f} to {pair.ends.high:.2f})" in sentence
    frame = mtw.analyses.segment_contributions(outputs, statistics, "bergamot-base-memory", "bergamot-base")
    difference = frame["contribution"].sum()
    assert difference == pytest.approx(pair.difference, abs=1e-6)
    page.wait_for_function(
        "text => document.querySelector('.mtw-head')?.textContent.includes(text)", arg=f"{abs(difference):.2f}"
    )
    resamples.locator(f'img[alt*="observed {pair.difference:+.2f}"]').wait_for()
    wait_to_see(page, page.locator("select.mtworkbench-menu").first.input_value, "bergamot-base-memory")

    # A rectangle: the rows of the page are the segments in it. Nothing but the frame says where they are.
    layer = contributions.locator(".mtworkbench-layer")
    layer.scroll_into_view_if_needed()
    figure = draw_again(frame)
    corners = [(45, 0.02), (70, 0.0005)]
    box = layer.bounding_box()
    for step, corner in enumerate(corners):
        x, y = figure.axes[0].transData.transform(corner)
        page.mouse.move(box["x"] + x, box["y"] + box["height"] - y, steps=4)
        (page.mouse.up if step else page.mouse.down)()
    (left, top), (right, bottom) = corners
    inside = frame[frame["length_reference"].between(left, right) & frame["contribution"].between(bottom, top)]
    assert 3 < len(inside) < 40
    page.wait_for_function(ROWS, arg=f"{len(inside)} of 1,012 segments.")
    rows = page.locator(".mtw-segment")
    wait_to_see(page, lambda: sorted(rows.evaluate_all(NUMBERS)), sorted(inside["segment"]))
    contributions.locator(".mtworkbench-note").get_by_text(f"{len(inside)} segments of 1,012 selected").wait_for()
    # The table that is copied is the frame.
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    contributions.get_by_role("button", name="copy table").click()
    contributions.get_by_text("Copied the table.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == frame_to_csv(frame, separator="\t")
    contributions.get_by_role("button", name="show all").click()
    page.wait_for_function(ROWS, arg="1,012 segments.")
    notebook.wait_until_answered()

    # A bucket: the segments below are those in it.
    in_buckets = mtw.analyses.bucket_segments(outputs, statistics, "bergamot-base-memory", "bergamot-base", rng=1)
    click_row(page, buckets, place=1)
    page.wait_for_function(ROWS, arg=f"{in_buckets['segments'][1]} of 1,012 segments.")
    contributions.get_by_role("button", name="show all").click()
    page.wait_for_function(ROWS, arg="1,012 segments.")
    notebook.wait_until_answered()

    # Buckets by the menu, and the other system by the keyboard.
    page.get_by_label("buckets by").select_option(label="word frequency in the references")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.mtworkbench-figure img')].at(-1).alt.includes('100+')"
    )
    assert "Buckets are many comparisons" in buckets.locator(".mtworkbench-above").text_content()
    estimates.locator(".mtworkbench-layer").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.wait_for_function(STATUS, arg="bergamot-tiny - bergamot-base = ")
    page.get_by_role("combobox", name="system", exact=True).select_option(label="bergamot-base-memory")
    page.wait_for_function(STATUS, arg="bergamot-base-memory - bergamot-base = ")
    page.get_by_role("button", name="reset").click()
    page.wait_for_function(STATUS, arg="bergamot-tiny - bergamot-base = ")
    chosen = page.get_by_label("buckets by").locator("option:checked")
    wait_to_see(page, chosen.inner_text, "length of the reference")
    notebook.wait_until_answered()
    assert faults(page, ".jp-OutputArea .jupyter-widgets") == []
    assert notebook.complaints().all_inner_texts() == []
    assert notebook.problems == []


def test_pictures_and_the_first_segment_are_on_one_screen(open_notebook, put_notebook):
    """Of 1400 x 1000 pixels, of which JupyterLab with its list of files open leaves 880 to a notebook."""
    notebook = open_notebook(put_notebook("screen.ipynb", *READ))
    page = notebook.page
    notebook.resize(1400, 1000)
    assert notebook.run_all()
    page.wait_for_function(ROWS, arg="1,012 segments.")
    notebook.pictures(4)
    notebook.wait_until_answered()
    page.locator(".widget-box").first.evaluate("one => one.scrollIntoView()")
    top = page.locator(".mtworkbench-control").first.bounding_box()["y"]
    boxes = [one.bounding_box() for one in page.locator(".mtworkbench-figure").all()]
    assert [box["x"] for box in boxes[::2]] == [boxes[0]["x"]] * 2
    assert all(right["x"] > left["x"] + 300 for left, right in zip(boxes[::2], boxes[1::2], strict=True))
    assert page.locator(".mtw-text").first.bounding_box()["y"] < top + 830
    # A list that is scrolled leaves the pictures where they are.
    segments = page.locator(".mtw-list")
    segments.evaluate("one => { one.scrollTop = 500; }")
    assert segments.evaluate("one => one.scrollTop") == 500
    assert [one.bounding_box() for one in page.locator(".mtworkbench-figure").all()] == boxes


def click_row(page, estimates, place):
    """Click at the right end of a row of the estimation plot: there are a baseline and two others, the best first."""
    layer = estimates.locator(".mtworkbench-layer")
    layer.scroll_into_view_if_needed()
    layer.focus()
    page.keyboard.press("Home")
    for _ in range(place):
        page.keyboard.press("ArrowDown")
    height = float(estimates.locator(".mtworkbench-ring").get_attribute("cy"))
    box = layer.bounding_box()
    share = box["height"] / float(layer.get_attribute("viewBox").split()[3])
    page.mouse.click(box["x"] + box["width"] - 5, box["y"] + share * height)


def draw_again(frame):
    """Draw the contributions as the page shows them, to know where a place of the data is."""
    with mtw.style():
        figure = Figure(figsize=WIDE, dpi=96, layout="constrained")
        plot_contributions(frame, figure.add_subplot(), systems=("bergamot-base-memory", "bergamot-base"))
        settle(figure)
        make_picture(figure, "", pd.DataFrame({"x": [], "y": [], "text": []}))
    return figure
