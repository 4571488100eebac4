"""The lab in a real browser: what `make lab` opens, and every notebook with its sliders moved."""

import json
import re
import runpy
import socket
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import nbformat
import pytest

from tests.browser.conftest import GIVE_HEIGHT, SERIOUS, wait_to_see
from tests.browser.test_tables import DARK, IS_LIGHT, LIGHT

ROOT = Path(__file__).parent.parent.parent
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "refresh_notebooks.py"))
normalize_notebook, shrink_pictures = SCRIPT["normalize_notebook"], SCRIPT["shrink_pictures"]
# The user's own comparison and a paper's figures (test_linked.py has the linked ones); all together take minutes.
EVERY_TIME = ("01", "04")
SHIPPED = [
    pytest.param(path, marks=() if path.name.startswith(EVERY_TIME) else pytest.mark.slow, id=path.stem)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
]

# The explorers of segments have menus and buttons, and no sliders.
SLIDERS = re.compile(r"explore_(?!differences|segments)")

SLIDER = """\
import matplotlib.pyplot as plt
from mtworkbench.widgets import Explorer
from mtworkbench.widgets.controls import Slider
draw = lambda samples: (plt.plot(range(samples))[0].axes, f"{samples} samples")
Explorer(draw, samples=Slider("samples", range(2, 10), 3))"""

SENTENCE_BEGINS = "text => document.querySelector('.mtworkbench-sentence').textContent.startsWith(text)"

# A comparison with its figure; what the figure's frame has is printed.
COMPARED = (
    """\
import json
import mtworkbench as mtw
folder = mtw.find_shipped("data/flores")
systems = {name: folder / f"bergamot-{name}.txt" for name in ("base", "tiny")}
outputs = mtw.read_outputs(folder / "reference.txt", systems, accept="invisible-chars")
statistics = mtw.compute_statistics(outputs, "bleu")""",
    """\
comparison = mtw.compare(statistics, "base", n_trials=2000, n_resamples=200, rng=1)
(metric,) = comparison.metrics.values()
numbers = [one.score for one in metric.systems]
numbers += [number for pair in metric.comparisons for number in (pair.difference, pair.low, pair.high)]
print(json.dumps([f"{number:.2f}" for number in numbers]))
figure = mtw.draw_comparison(comparison)""",
)
EXPLORED = (
    "comparison",
    "mtw.explore_comparison(statistics, 'base', rng=1)",
    "mtw.explore_differences(outputs, statistics, rng=1)",
    "mtw.explore_plan(statistics)",
    "from IPython.display import HTML\nHTML('<p style=\"color:#888;background:#999\">pale</p>')",
)
# Serious and critical faults that JupyterLab 4.6 has without us: by axe's rule, and where they are.
JUPYTERLABS = {
    "aria-allowed-attr": "jp-button[aria-pressed]",
    "aria-input-field-name": ".jp-InputArea .cm-content",
    "aria-required-children": ".jp-WindowedPanel-viewport",
    "color-contrast": ".jp-InputPrompt, .jp-OutputPrompt, .jp-InputArea .cm-content *",
    "scrollable-region-focusable": ".jp-InputArea .cm-scroller",
}
WHOSE = """(node, selector) => ({
    html: node.outerHTML, ours: node.closest('.jp-OutputArea-output') !== null, listed: node.matches(selector)
})"""

NEWS_SETTING = """async () => {
    const plugin = '@jupyterlab/apputils-extension:notification';
    const found = await jupyterapp.serviceManager.settings.fetch(plugin);
    return {default: found.schema.properties.fetchNews.default, user: found.raw};
}"""

NOTIFY = """() => jupyterapp.commands.execute(
    'apputils:notify', {message: 'hello', options: {autoClose: false}})"""


def test_the_lab_is_for_this_machine_and_its_token_only(lab):
    # Whoever listens on all addresses also answers on the other loopback addresses.
    with socket.create_server(("", 0)) as on_all_addresses:
        assert answers("127.0.0.2", on_all_addresses.getsockname()[1])
    assert answers("127.0.0.1", lab.port)
    assert not answers("127.0.0.2", lab.port), "listens on more than 127.0.0.1"
    assert not answers("::1", lab.port), "listens on more than 127.0.0.1"
    assert len(lab.token) >= 32
    with pytest.raises(HTTPError, match="403"):
        urllib.request.urlopen(lab.url("api/contents").split("?")[0])


def test_the_lab_has_the_notebooks_and_the_data(lab):
    for name in ("notebooks/*.ipynb", "data/**/*"):
        for file in (path for path in ROOT.glob(name) if path.is_file()):
            assert (lab.folder / file.relative_to(ROOT)).read_bytes() == file.read_bytes()


def test_the_labs_kernels_meet_it_at_files(open_notebook, put_notebook):
    told = (
        "import json\nfrom ipykernel.connect import get_connection_info\njson.loads(get_connection_info())['transport']"
    )
    notebook = open_notebook(put_notebook("transport.ipynb", told))
    assert notebook.run_all()
    assert [one["data"]["text/plain"] for [one] in notebook.outputs()] == ["'ipc'"]


def test_the_lab_does_not_ask_whether_to_show_its_news(lab, open_notebook, put_notebook):
    notebook = open_notebook(put_notebook("quiet.ipynb", "1"))
    assert notebook.page.evaluate(NEWS_SETTING) == {"default": "false", "user": "{}"}
    # The question would be the first notification: another one comes after it.
    notebook.page.evaluate(NOTIFY)
    toasts = notebook.page.locator(".Toastify__toast")
    toasts.get_by_text("hello").wait_for()
    assert [toast.strip() for toast in toasts.all_inner_texts()] == ["hello"]
    assert notebook.problems == []


def test_a_notebook_that_is_only_opened_stays_as_it_ships(lab, open_notebook):
    """JupyterLab notes the version of Python in it, and saves that by itself after two minutes."""
    name = "00_start_here.ipynb"
    notebook = open_notebook(name)
    notebook.page.evaluate("() => window.panel.context.save()")
    assert (lab.folder / "notebooks" / name).read_bytes() == (ROOT / "notebooks" / name).read_bytes()


def test_a_slider_moves_its_figure(open_notebook, put_notebook):
    notebook = open_notebook(put_notebook("slider.ipynb", SLIDER))
    assert notebook.run_all()
    (slider,) = notebook.sliders()
    notebook.move(slider)
    assert slider.get_attribute("aria-valuetext") == "4"
    wait_to_see(notebook.page, notebook.page.locator(".mtworkbench-sentence").inner_text, "4 samples")
    assert notebook.complaints().all_inner_texts() == []
    assert notebook.problems == []


def test_what_goes_wrong_is_seen(open_notebook, put_notebook):
    broken = SLIDER.replace("range(samples)", "range(4 // (3 - samples))").replace("range(2, 10), 3", "range(2, 10), 2")
    notebook = open_notebook(put_notebook("wrong.ipynb", broken, "1 / 0"))
    assert not notebook.run_all()
    assert notebook.outputs()[1][0]["ename"] == "ZeroDivisionError"
    notebook.sliders()[0].press("ArrowRight")
    notebook.complaints().filter(has_text="ZeroDivisionError").wait_for()
    notebook.page.evaluate("() => console.error('complaint')")
    notebook.page.evaluate("() => fetch('http://192.0.2.1/x').catch(() => null)")
    expected = ["console error: complaint", "asks for http://192.0.2.1/x"]
    wait_to_see(notebook.page, lambda: [one for one in expected if one in notebook.problems], expected)


@pytest.mark.parametrize("path", SHIPPED)
def test_a_shipped_notebook_runs_and_its_sliders_move_its_figures(path, open_notebook):
    notebook = open_notebook(path.name)
    assert notebook.run_all()
    text = path.read_text(encoding="utf-8")
    sliders = notebook.sliders()
    assert bool(sliders) == bool(SLIDERS.search(text))
    for slider in sliders:
        notebook.move(slider)
    if "explore_differences(" in text:
        choose_the_other_system(notebook.page)
    assert notebook.complaints().all_inner_texts() == []
    assert notebook.problems == []
    pictures = notebook.page.locator(".jp-CodeCell img:visible")
    # JupyterLab says "Image" of those that have no words of their own.
    assert not {"", "Image"} & set(pictures.evaluate_all("all => all.map(one => one.alt)"))
    for cell, outputs in zip(code_cells(path), notebook.outputs(), strict=True):
        assert [output["output_type"] for output in outputs] or not cell.outputs, cell.source


def choose_the_other_system(page) -> None:
    menu = page.locator("select.mtworkbench-menu").first
    chosen, names = menu.input_value(), menu.locator("option").all_text_contents()
    other = next(name for name in names if name != chosen)
    menu.select_option(label=other)
    page.wait_for_function(SENTENCE_BEGINS, arg=f"BLEU: {other} - ")


def test_a_picture_says_the_numbers_of_its_frame(open_notebook, put_notebook, lab):
    """Live, in a notebook as it is stored and opened without a run, and in both with the size that it has as PNG."""
    live = open_notebook(put_notebook("words.ipynb", *COMPARED))
    assert live.run_all()
    [printed] = live.printed(1)
    stored = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in COMPARED])
    for cell, outputs in zip(stored.cells, live.outputs(), strict=True):
        cell.outputs = [nbformat.from_dict(output) for output in outputs]
    normalize_notebook(stored)
    shrink_pictures(stored)
    nbformat.write(stored, lab.folder / "notebooks" / "stored.ipynb")
    opened = open_notebook("stored.ipynb")
    for notebook in (live, opened):
        (image,) = notebook.pictures(1)
        words = image.get_attribute("alt")
        assert [number for number in json.loads(printed) if number not in words.replace("\N{MINUS SIGN}", "-")] == []
        assert len(words) <= 400
        width = image.evaluate("async one => { await one.decode(); return one.naturalWidth; }")
        assert width > 300 and image.bounding_box()["width"] == width
        assert notebook.problems == []


def test_axe_finds_no_fault_of_ours_and_of_jupyterlabs_those_that_are_listed(open_notebook, put_notebook):
    notebook = open_notebook(put_notebook("axe.ipynb", *COMPARED, *EXPLORED))
    assert notebook.run_all()
    page = notebook.page
    expected = notebook.outputs()[-1][0]["data"]["text/html"]
    for change, is_light in ((LIGHT, True), (DARK, False)):
        page.evaluate(change)
        page.wait_for_function(IS_LIGHT, arg=is_light)
        # What is not in sight is not drawn, and so has no contrast.
        notebook.resize(1280, 8000)
        page.get_by_text("pale", exact=True).wait_for()
        faults = faults_in(page)
        # The last output is a fault that is meant to be found.
        assert [fault["html"] for fault in faults if fault["ours"]] == [expected]
        assert [fault for fault in faults if not fault["ours"] and not fault["listed"]] == []


def faults_in(page: object) -> list[dict]:
    """Say what axe calls serious or critical in a page, and whether it is in an output or of those of JupyterLab."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    page.evaluate(GIVE_HEIGHT)
    found = axe.Axe().run(page).response["violations"]
    places = [(one["id"], node["target"][-1]) for one in found if one["impact"] in SERIOUS for node in one["nodes"]]
    return [
        page.locator(place).first.evaluate(WHOSE, JUPYTERLABS.get(rule, ":not(*)")) | {"rule": rule}
        for rule, place in places
    ]


def answers(address: str, port: int) -> bool:
    """Tell whether something listens at an address of this machine."""
    try:
        socket.create_connection((address, port)).close()
    except OSError:
        return False
    return True


def code_cells(path: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
