"""The lab in a real browser: what `make lab` opens, and every notebook with its sliders moved."""

import re
import socket
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import nbformat
import pytest

ROOT = Path(__file__).parent.parent.parent
# The user's own comparison, a paper's figures, and linked figures; all notebooks together take minutes.
EVERY_TIME = ("01", "04", "13")
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


def test_the_lab_does_not_ask_whether_to_show_its_news(lab, open_notebook, put_notebook):
    notebook = open_notebook(put_notebook("quiet.ipynb", "1"))
    assert notebook.page.evaluate(NEWS_SETTING) == {"default": "false", "user": "{}"}
    # The question would be the first notification: another one comes after it.
    notebook.page.evaluate(NOTIFY)
    toasts = notebook.page.locator(".Toastify__toast")
    toasts.get_by_text("hello").wait_for()
    assert [toast.strip() for toast in toasts.all_inner_texts()] == ["hello"]
    assert notebook.problems == []


def test_a_slider_moves_its_figure(open_notebook, put_notebook):
    notebook = open_notebook(put_notebook("slider.ipynb", SLIDER))
    assert notebook.run_all()
    (slider,) = notebook.sliders()
    notebook.move(slider)
    assert slider.get_attribute("aria-valuetext") == "4"
    assert notebook.page.locator(".mtworkbench-sentence").inner_text() == "4 samples"
    assert notebook.complaints().all_inner_texts() == []
    assert notebook.problems == []


def test_what_goes_wrong_is_seen(open_notebook, put_notebook):
    still = SLIDER.replace("range(samples)", "range(3)")
    broken = SLIDER.replace("range(samples)", "range(4 // (3 - samples))").replace("range(2, 10), 3", "range(2, 10), 2")
    notebook = open_notebook(put_notebook("wrong.ipynb", "1 / 0"))
    assert not notebook.run_all()
    assert notebook.outputs()[0][0]["ename"] == "ZeroDivisionError"
    notebook = open_notebook(put_notebook("broken.ipynb", broken))
    assert notebook.run_all()
    notebook.sliders()[0].press("ArrowRight")
    notebook.complaints().wait_for()
    assert "ZeroDivisionError" in notebook.complaints().inner_text()
    notebook = open_notebook(put_notebook("still.ipynb", still))
    assert notebook.run_all()
    notebook.page.evaluate("() => console.error('complaint')")
    notebook.page.evaluate("() => fetch('http://192.0.2.1/x').catch(() => null)")
    assert "console error: complaint" in notebook.problems
    assert "asks for http://192.0.2.1/x" in notebook.problems


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
    for cell, outputs in zip(code_cells(path), notebook.outputs(), strict=True):
        assert [output["output_type"] for output in outputs] or not cell.outputs, cell.source


def choose_the_other_system(page) -> None:
    menu = page.locator("select.mtworkbench-menu").first
    chosen, names = menu.input_value(), menu.locator("option").all_text_contents()
    other = next(name for name in names if name != chosen)
    menu.select_option(label=other)
    page.wait_for_function(SENTENCE_BEGINS, arg=f"BLEU: {other} - ")


def answers(address: str, port: int) -> bool:
    """Tell whether something listens at an address of this machine."""
    try:
        socket.create_connection((address, port)).close()
    except OSError:
        return False
    return True


def code_cells(path: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
