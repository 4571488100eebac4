"""Explorers in a real browser: their controls, and exactly one picture, with and without a kernel."""

import subprocess
import sys

import nbformat
import pytest

from mtworkbench.widgets.controls import LOOKS, SCRIPT

CELLS = (
    "import mtworkbench as mtw\n"
    "from mtworkbench.widgets import explore_comparison\n"
    "sample = mtw.find_shipped('data/sample')\n"
    "systems = {name: sample / f'{name}.run*.txt' for name in ('baseline', 'tweaked', 'retrained')}\n"
    "outputs = mtw.read_outputs(sample / 'reference.txt', systems, documents=sample / 'documents.txt')\n"
    "statistics = mtw.compute_statistics(outputs, 'bleu')",
    "explorer = explore_comparison(statistics, rng=1)\nprint(round(96 * explorer.figure.get_figwidth()))",
    "explorer",
)
SAYS = "text => document.querySelector('.mtworkbench-sentence').innerText.startsWith(text)"


def test_a_comparison_is_explored(open_notebook, put_notebook, serious_faults):
    notebook = open_notebook(put_notebook("explore.ipynb", *CELLS))
    page = notebook.page
    assert notebook.run_all()
    (figure,) = notebook.pictures()
    # An inch of a figure for the screen is one of the page's, whatever the pixels of the picture.
    assert figure.bounding_box()["width"] == int(notebook.outputs()[-2][0]["text"])
    (level,) = notebook.sliders()
    assert level.get_attribute("aria-valuetext") == "0.95"
    notebook.move(level)
    sentence = page.locator(".mtworkbench-sentence")
    assert sentence.inner_text().startswith("BLEU: retrained - baseline = ")
    assert "p (max-T) " in sentence.inner_text()
    page.get_by_role("combobox", name="system", exact=True).select_option(label="tweaked")
    page.wait_for_function(SAYS, arg="BLEU: tweaked - baseline = ")
    (figure,) = notebook.pictures()
    assert figure.get_attribute("alt") == sentence.inner_text()
    # Letters choose in a menu; to the notebook they would be commands, such as a new cell below.
    n_cells = page.locator(".jp-CodeCell").count()
    page.get_by_role("combobox", name="baseline", exact=True).press("r")
    page.get_by_role("combobox", name="baseline", exact=True).press("b")
    page.wait_for_function(SAYS, arg="BLEU: tweaked - baseline = ")
    assert page.locator(".jp-CodeCell").count() == n_cells
    page.get_by_role("button", name="reset").click()
    page.wait_for_function(SAYS, arg="BLEU: retrained - baseline = ")
    assert level.get_attribute("aria-valuetext") == "0.95"
    assert serious_faults(page, ".jp-CodeCell .jp-OutputArea") == []
    assert notebook.complaints().all_inner_texts() == []
    assert notebook.problems == []


@pytest.fixture
def saved(open_notebook, put_notebook, lab):
    """A live notebook that was run and saved, and its file."""
    notebook = open_notebook(put_notebook("saved.ipynb", *CELLS))
    assert notebook.run_all()
    notebook.page.evaluate("() => window.panel.context.save()")
    return notebook, lab.folder / "notebooks" / "saved.ipynb"


def test_there_is_one_picture_live_and_one_reopened(saved, open_notebook):
    notebook, file = saved
    assert len(notebook.pictures()) == 1
    assert file.read_text(encoding="utf-8").count("data:image/png") == 1
    kept = nbformat.read(file, as_version=4)
    assert "widgets" not in kept.metadata
    view, copy = kept.cells[-1].outputs
    assert set(view.data) == {"application/vnd.jupyter.widget-view+json", "text/plain"}
    assert set(copy.data) == {"text/html", "text/plain"}
    # The same copy in another tab of the page is seen: there is no widget in its place.
    page = notebook.page
    nbformat.write(kept, file.with_name("again.ipynb"))
    assert notebook.problems == []
    page.evaluate("() => jupyterapp.commands.execute('docmanager:open', {path: 'notebooks/again.ipynb'})")
    page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-RenderedHTML img").wait_for()
    assert len(notebook.pictures()) == 1
    page.evaluate("() => jupyterapp.shell.activateById(window.panel.id)")
    page.locator(".mtworkbench-picture img").wait_for()
    assert len(notebook.pictures()) == 1
    # JupyterLab does not trust what was changed outside of it.
    kept.cells[0].source = "changed"
    nbformat.write(kept, file.with_name("untrusted.ipynb"))
    untrusted = open_notebook("untrusted.ipynb")
    untrusted.page.locator(".jp-CodeCell img").wait_for()
    (picture,) = untrusted.pictures()
    assert picture.get_attribute("alt") == copy.data["text/plain"]
    # The one view is lost; JupyterLab notes it in the browser's log, and the reader sees nothing of it.
    assert ["widget model not found" in problem for problem in notebook.problems] == [True]
    assert untrusted.problems == []
    assert untrusted.page.get_by_text("VBox(").count() == 0


def test_there_is_one_picture_on_an_exported_page(saved, browser):
    _, file = saved
    subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", file], check=True, capture_output=True)
    page = browser.new_page()
    page.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
    page.goto(file.with_suffix(".html").as_uri())
    pictures = [one for one in page.locator("img").all() if one.is_visible()]
    assert [one.get_attribute("alt")[:29] for one in pictures] == ["BLEU: retrained - baseline = "]
    page.close()


NAMED = (
    "import numpy as np, pandas as pd\n"
    "from matplotlib import pyplot as plt\n"
    "from mtworkbench.widgets import Explorer\n"
    "from mtworkbench.widgets.controls import Slider\n"
    "marks = pd.DataFrame({'x': 10 + 4 * np.arange(60), 'y': 100 + np.arange(60) * 7 % 11})\n"
    "marks['text'] = [f'mark {n}' for n in range(60)]",
    "def draw(number):\n"
    "    axes = plt.figure(figsize=(3, 2), dpi=100).add_axes((0, 0, 1, 1), xlim=(0, 300), ylim=(0, 200))\n"
    "    return axes, 'marks', marks\n"
    "Explorer(draw, number=Slider('number', range(3), 1))",
)
NAMES_AT = """(picture, [pixels, scale]) => {
    const {left, top} = picture.getBoundingClientRect();
    return pixels.map(([x, y]) => document.elementFromPoint(left + scale * x, top + scale * y)?.title);
}"""
NARROW = """picture => new Promise(done => {
    new ResizeObserver(() => picture.clientWidth === 240 && requestAnimationFrame(done)).observe(picture);
    picture.parentElement.style.width = '200px';
})"""


def test_the_mouse_finds_the_mark_that_it_points_at(open_notebook, put_notebook):
    """Overlapping circles answered for their first neighbour; marks are four pixels apart here."""
    notebook = open_notebook(put_notebook("named.ipynb", *NAMED))
    assert notebook.run_all()
    picture = notebook.page.locator(".jp-CodeCell img[usemap]")
    picture.scroll_into_view_if_needed()
    pixels = [[10 + 4 * n, 200 - (100 + n * 7 % 11)] for n in range(60)]
    found = picture.evaluate(NAMES_AT, [pixels, 1])
    assert found == [f"mark {n}" for n in range(60)]
    # A picture shrinks where there is no room, to four fifths at most; the places in it did not.
    picture.evaluate(NARROW)
    assert picture.evaluate(NAMES_AT, [pixels[:50:10], 0.8]) == [f"mark {n}" for n in range(0, 50, 10)]
    assert notebook.problems == []


COUNTED = (
    "from matplotlib import pyplot as plt\n"
    "from mtworkbench.widgets import Explorer\n"
    "from mtworkbench.widgets.controls import Slider\n"
    "drawn = []\n"
    "def draw(level):\n"
    "    drawn.append(level)\n"
    "    return plt.figure(figsize=(3, 2)), f'drawn for {drawn}'\n"
    "Explorer(draw, level=Slider('level', [n / 10 for n in range(10)], 0.0))",
)


def test_a_slider_draws_when_it_is_let_go(open_notebook, put_notebook):
    notebook = open_notebook(put_notebook("counted.ipynb", *COUNTED))
    assert notebook.run_all()
    (slider,) = notebook.sliders()
    box, mouse = slider.bounding_box(), notebook.page.mouse
    mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    mouse.down()
    shown = []
    for share in (0.2, 0.4, 0.6, 0.8, 1):
        mouse.move(box["x"] + share * box["width"] - 1, box["y"] + box["height"] / 2)
        shown.append((slider.get_attribute("aria-valuetext"), notebook.page.locator(".mtworkbench-value").inner_text()))
    mouse.up()
    notebook.page.wait_for_function(SAYS, arg="drawn for [0.0, 0.9]")
    assert len(set(shown)) == 5
    assert shown[-1] == ("0.9", "0.9")
    assert notebook.problems == []


# The scripts of the controls without a kernel: a model that remembers.
PLAIN = """async ([script, looks, kind, state]) => {
    document.head.append(Object.assign(document.createElement('style'), {textContent: looks}));
    const control = (await import(URL.createObjectURL(new Blob([script], {type: 'text/javascript'})))).default;
    const listeners = [];
    window.sent = [];
    window.state = {kind, disabled: false, ...state};
    window.change = news => { Object.assign(window.state, news); listeners.forEach(listen => listen()); };
    const model = {
        get: name => window.state[name],
        set: (name, value) => window.change({[name]: value}),
        save_changes: () => window.sent.push(window.state.index ?? window.state.value),
        send: message => {
            if (window.stopped) throw new Error('the kernel has stopped');
            if (message.kind !== 'hello') window.sent.push(message);
        },
        on: (name, listen) => listeners.push(listen),
        off: () => {},
    };
    control.render({model, el: document.body.appendChild(document.createElement('div'))});
}"""
LONG = ["a-name-of-forty-characters-that-ends-in-a", "a-name-of-forty-characters-that-ends-in-b"]


@pytest.fixture
def plain(browser):
    page = browser.new_page(viewport={"width": 600, "height": 400})
    page.set_content("<!doctype html><html lang=en><head><title>Controls</title></head><body></body></html>")

    def render(kind, **state):
        page.evaluate(PLAIN, [SCRIPT, LOOKS, kind, state])
        return page

    yield render
    page.close()


@pytest.mark.parametrize(
    ("kind", "role", "key", "state"),
    [
        ("menu", "combobox", "ArrowDown", {"labels": LONG, "index": 0}),
        ("slider", "slider", "ArrowRight", {"labels": LONG, "index": 0}),
        ("switch", "button", "Enter", {"value": False}),
        ("button", "button", "Enter", {"tooltip": ""}),
    ],
)
def test_a_control_says_that_its_kernel_has_stopped(plain, kind, role, key, state):
    page = plain(kind, description="name", **state)
    page.evaluate("() => { window.stopped = true; }")
    for _ in range(2):
        page.get_by_role(role, name="name").press(key)
    assert page.get_by_role("alert").all_text_contents() == [
        "The kernel behind this has stopped or was restarted: run the cell again."
    ]
    assert page.evaluate("() => window.sent") == []
    assert page.evaluate("() => [window.state.index, window.state.value]") == [state.get("index"), state.get("value")]
    if kind == "menu":
        assert page.get_by_role("combobox").input_value() == LONG[0]
    if kind == "slider":
        assert page.get_by_role("slider").get_attribute("aria-valuetext") == LONG[0]


def test_a_menu_without_a_kernel(plain, serious_faults):
    hostile = "<img src=x onerror=window.wasRun=1> $x_{1}$"
    page = plain("menu", description=hostile, labels=[*LONG, hostile], index=2)
    menu = page.get_by_role("combobox", name=hostile, exact=True)
    assert [option.strip() for option in menu.locator("option").all_text_contents()] == [*LONG, hostile]
    assert menu.input_value() == hostile
    menu.press("ArrowUp")
    assert page.evaluate("() => window.sent") == [1]
    # A name that is longer than the page is wide wraps: names may differ only at their end.
    before = menu.bounding_box()["height"]
    page.set_viewport_size({"width": 260, "height": 400})
    assert menu.bounding_box()["height"] > before + 10
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 260
    page.evaluate("() => window.change({labels: ['other'], index: 0})")
    assert menu.locator("option").all_text_contents() == ["other"]
    assert page.evaluate("() => window.wasRun") is None
    assert serious_faults(page) == []
    page.evaluate("() => window.change({disabled: true})")
    assert menu.is_disabled()


def test_a_slider_without_a_kernel_speaks_its_value(plain, serious_faults):
    page = plain("slider", description="level", labels=["0.8", "0.9", "0.95"], index=2)
    slider = page.get_by_role("slider", name="level", exact=True)
    value = page.locator(".mtworkbench-value")
    assert (slider.get_attribute("aria-valuetext"), value.inner_text()) == ("0.95", "0.95")
    slider.press("ArrowLeft")
    slider.press("Home")
    assert page.evaluate("() => window.sent") == [1, 0]
    assert (slider.get_attribute("aria-valuetext"), value.inner_text()) == ("0.8", "0.8")
    page.evaluate("() => window.change({labels: ['0.9', '0.95'], index: 1})")
    assert (slider.get_attribute("aria-valuetext"), slider.get_attribute("max")) == ("0.95", "1")
    assert page.evaluate("() => window.sent") == [1, 0]
    assert serious_faults(page) == []


def test_a_switch_without_a_kernel(plain, serious_faults):
    page = plain("switch", description="reveal", value=False)
    button = page.get_by_role("button", name="reveal", exact=True, pressed=False)
    button.press("Space")
    page.get_by_role("button", name="reveal", pressed=True).wait_for()
    assert page.evaluate("() => window.sent") == [True]
    assert serious_faults(page) == []


def test_a_button_without_a_kernel(plain, serious_faults):
    page = plain("button", description="reset <b>", tooltip="bring all back")
    button = page.get_by_role("button", name="reset <b>", exact=True)
    assert button.get_attribute("title") == "bring all back"
    button.press("Enter")
    button.click()
    assert page.evaluate("() => window.sent") == [{"kind": "click"}] * 2
    assert serious_faults(page) == []
    page.evaluate("() => window.change({disabled: true})")
    assert button.is_disabled()
