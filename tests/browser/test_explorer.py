"""Explorers in a real browser: their controls, and exactly one picture, with and without a kernel."""

import subprocess
import sys

import nbformat
import numpy as np
import pytest

from mtworkbench.widgets.pages import LOOKS, read_script
from tests.browser.bare_pages import SEGMENT_NUMBERS
from tests.browser.conftest import FRAME, open_context, open_in, put_in, wait_to_see, wait_until_it_fits

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
    (figure,) = notebook.pictures(1)
    # An inch of a figure for the screen is one of the page's, whatever the pixels of the picture.
    [width] = notebook.printed(1)
    wait_to_see(page, lambda: figure.bounding_box()["width"], int(width))
    (level,) = notebook.sliders()
    assert level.get_attribute("aria-valuetext") == "0.95"
    notebook.move(level)
    notebook.wait_until_answered()
    sentence = page.locator(".mtworkbench-sentence")
    assert sentence.inner_text().startswith("BLEU: retrained - baseline = ")
    assert "p (max-T) " in sentence.inner_text()
    page.get_by_role("combobox", name="system", exact=True).select_option(label="tweaked")
    page.wait_for_function(SAYS, arg="BLEU: tweaked - baseline = ")
    (figure,) = notebook.pictures(1)
    wait_to_see(page, lambda: figure.get_attribute("alt"), sentence.inner_text())
    # Letters choose in a menu; to the notebook they would be commands, such as a new cell below.
    n_cells = page.locator(".jp-CodeCell").count()
    page.get_by_role("combobox", name="baseline", exact=True).press("r")
    page.get_by_role("combobox", name="baseline", exact=True).press("b")
    page.wait_for_function(SAYS, arg="BLEU: tweaked - baseline = ")
    assert page.locator(".jp-CodeCell").count() == n_cells
    page.get_by_role("button", name="reset").click()
    page.wait_for_function(SAYS, arg="BLEU: retrained - baseline = ")
    wait_to_see(page, lambda: level.get_attribute("aria-valuetext"), "0.95")
    notebook.wait_until_answered()
    assert serious_faults(page, ".jp-CodeCell .jp-OutputArea") == []
    assert notebook.complaints().all_inner_texts() == []
    assert notebook.problems == []


@pytest.fixture(scope="module")
def in_one_page(lab, browser):
    """Return a function that opens a notebook of the given cells, for several tests."""
    context = open_context(browser, viewport={"width": 1280, "height": 2600})
    yield lambda name, *cells: open_in(context, lab, put_in(lab.folder / "notebooks", name, *cells))
    context.close()


@pytest.fixture(scope="module")
def saved(in_one_page, lab):
    """A live notebook that was run and saved, and its file."""
    notebook = in_one_page("saved.ipynb", *CELLS)
    assert notebook.run_all()
    notebook.page.evaluate("() => window.panel.context.save()")
    return notebook, lab.folder / "notebooks" / "saved.ipynb"


def test_there_is_one_picture_live_and_one_reopened(saved, open_notebook):
    notebook, file = saved
    notebook.pictures(1)
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
    notebook.pictures(1)
    page.evaluate("() => jupyterapp.shell.activateById(window.panel.id)")
    page.locator(".mtworkbench-image").first.wait_for()
    notebook.pictures(1)
    # JupyterLab does not trust what was changed outside of it.
    kept.cells[0].source = "changed"
    nbformat.write(kept, file.with_name("untrusted.ipynb"))
    untrusted = open_notebook("untrusted.ipynb")
    untrusted.page.locator(".jp-CodeCell img").wait_for()
    (picture,) = untrusted.pictures(1)
    assert picture.get_attribute("alt") == copy.data["text/plain"]
    # The one view is lost; JupyterLab notes it in the browser's log, and the reader sees nothing of it.
    assert ["widget model not found" in problem for problem in notebook.problems] == [True]
    assert untrusted.problems == []
    assert untrusted.page.get_by_text("VBox(").count() == 0


def test_there_is_one_picture_on_an_exported_page(saved, browser):
    _, file = saved
    subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", file], check=True, capture_output=True)
    context = open_context(browser)
    page = context.new_page()
    page.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
    page.goto(file.with_suffix(".html").as_uri())
    pictures = [one for one in page.locator("img").all() if one.is_visible()]
    assert [one.get_attribute("alt")[:29] for one in pictures] == ["BLEU: retrained - baseline = "]
    context.close()


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
        notebook.page.evaluate(FRAME)
        shown.append((slider.get_attribute("aria-valuetext"), notebook.page.locator(".mtworkbench-value").inner_text()))
    mouse.up()
    notebook.page.wait_for_function(SAYS, arg="drawn for [0.0, 0.9]")
    assert len(set(shown)) == 5
    assert shown[-1] == ("0.9", "0.9")
    assert notebook.problems == []


# A draw of ten numbers; a dot opens the sentences of so many segments.
NUMBERS = (
    "import warnings\nwarnings.simplefilter('ignore')\nimport mtworkbench as mtw, numpy as np, pandas as pd\n"
    "from matplotlib import pyplot as plt\n"
    "from mtworkbench.widgets import Answer, Explorer, Outcome\n"
    "from mtworkbench.widgets.controls import Draws, Slider\n"
    "from mtworkbench.widgets.segments.browser import explore_part\n"
    "words = ['the', 'cat', 'sat', 'on', 'the', 'mat']\n"
    "outputs = pd.concat(pd.DataFrame({'segment': range(1, 41), 'reference': ' '.join(words), 'system': name, 'run': 1}"
    ").assign(hypothesis=[' '.join(words[:3 + (n + shift) % 4]) for n in range(40)]) "
    "for shift, name in enumerate(('old', 'new')))\n"
    "statistics = mtw.compute_statistics(outputs, 'bleu')",
    "def draw(level, seed):\n"
    "    values = np.random.default_rng(seed).integers(0, level, 10)\n"
    "    frame = pd.DataFrame({'place': range(10), 'value': values})\n"
    "    ax = plt.figure(figsize=(4, 2)).subplots()\n"
    "    ax.plot(frame['place'], values, 'o')\n"
    "    marks = pd.DataFrame({'x': range(10), 'y': values, 'text': [f'value {value}' for value in values]})\n"
    "    def open_mark(mark):\n"
    "        opened = plt.figure(figsize=(3, 2)).subplots()\n"
    "        browser = explore_part(outputs, statistics, 'new', 'old', np.arange(mark + 1))\n"
    "        return Answer(opened, f'opened {mark}', None, frame.iloc[[mark]], 'one', browser=browser)\n"
    "    outcome = Outcome({'': values.sum()}, 'sum', lambda log: f'{len(log)} draws', 5 * level)\n"
    "    return Answer(ax, f'sum {values.sum()}', marks, frame, 'code', 'x', open_mark, outcome=outcome)\n"
    "explorer = Explorer(draw, level=Slider('level', (10, 1000), 1000), seed=Draws.of(1))\nexplorer",
)
SEED = "seed => document.querySelector('output').textContent === `${seed}`"
N_DRAWS = "Number.parseInt(document.querySelectorAll('.mtworkbench-caption')[1].textContent)"


@pytest.fixture(scope="module")
def numbers_page(in_one_page):
    return in_one_page("numbers.ipynb", *NUMBERS)


@pytest.fixture
def numbers(numbers_page):
    """The notebook with a new explorer, and perhaps a new kernel."""
    assert numbers_page.run_all()
    numbers_page.page.wait_for_function(SEED, arg=1)
    return numbers_page


def check_frames(notebook):
    """What the page says is what the frames in the kernel have."""
    page = notebook.page
    seed = notebook.value_of("explorer.controls['seed'].value")
    values = notebook.value_of("explorer.frames['figure']['value'].tolist()")
    page.wait_for_function(SEED, arg=seed)
    page.wait_for_function(SAYS, arg=f"sum {sum(values)}")
    image, counted = page.locator(".mtworkbench-image").first, page.locator(".mtworkbench-caption").nth(1)
    wait_to_see(page, lambda: image.get_attribute("alt"), f"sum {sum(values)}")
    assert values == np.random.default_rng(seed).integers(0, 1000, 10).tolist()
    drawn = notebook.value_of("explorer.frames['outcomes'].to_dict('list')")
    assert drawn[""] == [int(np.random.default_rng(one).integers(0, 1000, 10).sum()) for one in drawn["seed"]]
    wait_to_see(page, counted.inner_text, f"{len(drawn['seed'])} draws")
    return drawn["seed"]


def test_one_draws_again_and_many_times_until_it_is_stopped(numbers):
    page = numbers.page
    before = page.locator(".mtworkbench-image").first.get_attribute("src")
    page.get_by_role("button", name="draw again").click()
    page.wait_for_function(SEED, arg=2)
    numbers.wait_until_idle()
    assert check_frames(numbers) == [1, 2]
    assert page.locator(".mtworkbench-image").first.get_attribute("src") != before
    page.get_by_role("button", name="draw 100 times").click()
    page.wait_for_function(f"() => {N_DRAWS} >= 5")  # each of them was seen
    page.get_by_role("button", name="stop").click()
    page.get_by_role("button", name="draw 100 times").wait_for()
    # What was asked for before comes; the seeds are 1, 2, 3 ...
    page.wait_for_function(f"() => {N_DRAWS} === Number(document.querySelector('output').textContent)")
    seeds = check_frames(numbers)
    assert seeds == [*range(1, len(seeds) + 1)]
    assert 5 <= len(seeds) < 101
    assert numbers.value_of("len(explorer.frames['outcomes'])") == len(seeds)
    # A dot brings its draw back; it is counted once.
    outcomes = page.locator(".mtworkbench-layer").nth(1)
    outcomes.focus()
    page.keyboard.press("Home")
    shown = page.locator(".mtworkbench-spoken[aria-live]").nth(1).inner_text()
    page.keyboard.press("Enter")
    page.wait_for_function(SEED, arg=int(shown.split(":")[0].removeprefix("seed ")))
    numbers.wait_until_idle()
    assert check_frames(numbers) == seeds
    assert numbers.complaints().all_inner_texts() == []
    assert numbers.problems == []


def test_a_mark_opens_a_figure_and_its_sentences_by_mouse_and_keyboard(numbers, serious_faults):
    page = numbers.page
    layer, rows = page.locator(".mtworkbench-layer").first, page.locator(".mtw-segment")
    for mark, choose in ((3, lambda: page.keyboard.press("Enter")), (7, lambda: click_ring(page))):
        layer.focus()
        page.keyboard.press("Home")
        for _ in range(mark):
            page.keyboard.press("ArrowRight")
        choose()
        page.get_by_text(f"opened {mark}", exact=True).wait_for()
        text = f"{mark + 1} segments."
        page.wait_for_function("text => document.querySelector('.mtw-status')?.textContent === text", arg=text)
        expected = [*range(1, mark + 2)]
        wait_to_see(page, lambda: sorted(rows.evaluate_all(SEGMENT_NUMBERS)), expected)
        assert numbers.value_of("sorted(explorer.browser.frame['segment'].tolist())") == expected
        assert [*numbers.value_of("list(explorer.figures)")] == ["figure", "outcomes", "opened"]
        numbers.pictures(3)
    numbers.wait_until_answered()
    assert serious_faults(page, ".jp-OutputArea .jupyter-widgets") == []
    # Another draw takes back what was opened.
    page.get_by_role("button", name="draw again").press("Enter")
    page.wait_for_function(SEED, arg=2)
    page.locator(".mtw-segment").first.wait_for(state="detached")
    numbers.pictures(2)
    slider = page.get_by_role("slider", name="level", exact=True)
    slider.press("ArrowLeft")
    page.wait_for_function(f"() => {N_DRAWS} === 1")
    assert numbers.problems == []


def click_ring(page):
    """Click where the keyboard is."""
    box = page.locator(".mtworkbench-ring").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_a_kernel_that_was_restarted_is_said_at_the_button_and_at_the_figure(numbers):
    page = numbers.page
    page.evaluate("async () => { await window.panel.sessionContext.session.kernel.restart(); }")
    page.get_by_role("button", name="draw again").click()
    page.get_by_role("alert").get_by_text("was restarted: run the cell again.").wait_for()
    assert page.locator("output").inner_text() == "1"
    page.locator(".mtworkbench-layer").first.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.locator(".mtworkbench-said").first.get_by_text("was restarted: run the cell again.").wait_for()


# The scripts of the controls without a kernel: a model that remembers.
PLAIN = """async ([script, looks, kind, state]) => {
    document.head.append(Object.assign(document.createElement('style'), {textContent: looks}));
    const control = (await import(URL.createObjectURL(new Blob([script], {type: 'text/javascript'})))).default;
    let listeners = [];
    window.sent = [];
    window.state = {kind, disabled: false, ...state};
    window.tell = event => listeners.forEach(([name, listen]) => name === event && listen());
    window.change = news => {
        Object.assign(window.state, news);
        Object.keys(news).forEach(name => window.tell(`change:${name}`));
        window.tell('change');
    };
    const model = {
        get: name => window.state[name],
        set: (name, value) => window.change({[name]: value}),
        save_changes: () => window.sent.push(window.state.index ?? window.state.value),
        send: message => {
            if (window.stopped) throw new Error('the kernel has stopped');
            if (message.kind !== 'hello') window.sent.push(message);
        },
        on: (name, listen) => listeners.push([name, listen]),
        off: (name, listen) => { listeners = listeners.filter(one => one[0] !== name || one[1] !== listen); },
    };
    window.shut = control.render({model, el: document.body.appendChild(document.createElement('div'))});
}"""
LONG = ["a-name-of-forty-characters-that-ends-in-a", "a-name-of-forty-characters-that-ends-in-b"]


@pytest.fixture
def plain(browser):
    context = open_context(browser, viewport={"width": 600, "height": 400})
    page = context.new_page()
    page.set_content("<!doctype html><html lang=en><head><title>Controls</title></head><body></body></html>")

    def render(kind, **state):
        page.evaluate(PLAIN, [read_script("controls.js"), LOOKS, kind, state])
        return page

    yield render
    context.close()


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
    wait_until_it_fits(page, 260)
    wait_to_see(page, lambda: menu.bounding_box()["height"] > before + 10, True)
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


@pytest.fixture
def draws(plain):
    page = plain("draws", description="seed", value=1, many=100, answers=0)

    def answer():
        """Show what was asked for, and wait for what the page then does."""
        page.evaluate("() => window.change({answers: window.state.answers + 1})")
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return page.evaluate("() => window.sent")

    return page, answer


def test_a_second_click_stops_and_a_double_click_does_not_start_anew(draws):
    page, answer = draws
    page.get_by_role("button", name="draw 100 times").dblclick()
    assert answer() == answer() == [2]
    page.get_by_role("button", name="draw 100 times").click()
    assert answer() == [2, 3, 4]
    page.get_by_role("button", name="stop").dblclick()
    page.get_by_role("button", name="draw 100 times").wait_for()
    assert answer() == answer() == [2, 3, 4]


def test_ten_fast_clicks_are_ten_draws_each_after_the_one_before(draws):
    """Of ten clicks while a draw was on its way, only the last was drawn, and the seeds between were left out."""
    page, answer = draws
    for _ in range(3):
        page.get_by_role("button", name="draw again").click()
    page.get_by_role("button", name="stop").wait_for()
    assert [len(answer()) for _ in range(4)] == [2, 3, 3, 3]
    assert answer() == [2, 3, 4]
    page.get_by_role("button", name="draw 100 times").wait_for()
    page.get_by_role("button", name="draw again").click()
    assert answer() == answer() == [2, 3, 4, 5]
    page.get_by_role("button", name="draw again").click()
    page.get_by_role("button", name="draw again").click()
    page.get_by_role("button", name="stop").click()
    assert answer() == answer() == [2, 3, 4, 5, 6]


def test_a_stop_between_an_answer_and_the_next_draw_is_kept(draws):
    page, answer = draws
    page.get_by_role("button", name="draw 100 times").click()
    page.evaluate("() => { window.change({answers: 1}); document.querySelectorAll('button')[1].click(); }")
    assert answer() == [2]


def test_the_button_keeps_its_width(draws):
    page, _ = draws
    before = page.get_by_role("button", name="draw 100 times").bounding_box()
    page.get_by_role("button", name="draw 100 times").click()
    assert page.get_by_role("button", name="stop").bounding_box() == before


def test_a_seed_that_is_set_back_stops(draws):
    page, answer = draws
    page.get_by_role("button", name="draw 100 times").click()
    assert answer() == [2, 3]
    page.evaluate("() => window.change({value: 1})")
    page.get_by_role("button", name="draw 100 times").wait_for()
    assert answer() == [2, 3]


def test_a_closed_view_draws_no_more(draws):
    page, answer = draws
    page.get_by_role("button", name="draw 100 times").click()
    page.evaluate("() => window.shut()")
    assert answer() == [2]


def test_a_kernel_that_is_lost_while_one_draws_is_said(draws):
    page, answer = draws
    page.evaluate("() => window.tell('comm_live_update')")
    assert page.get_by_role("alert").count() == 0
    page.get_by_role("button", name="draw 100 times").click()
    page.evaluate("() => window.tell('comm_live_update')")
    page.get_by_role("button", name="draw 100 times").wait_for()
    page.get_by_role("alert").get_by_text("was restarted: run the cell again.").wait_for()
    assert answer() == [2]
