"""Slow work in a real browser: what a reader sees meanwhile, after an interrupt, and in the file that is left."""

import os

import nbformat
import pytest

from tests.browser.conftest import wait_to_see

# A drawing waits until the test has opened the gate; the clock of the bars has no patience. (How long the drawing takes
# is thus not a matter of time, and an interrupt always finds it at work.)
SLOW = (
    "import mtworkbench as mtw\n"
    "from mtworkbench import progress\n"
    "from mtworkbench.widgets import Explorer\n"
    "from mtworkbench.widgets.controls import Slider\n"
    "progress.PATIENCE = progress.PAUSE = 0\n"
    "for _ in mtw.show_progress('BLEU')(range(3)): pass",
    "def draw(number):\n"
    "    for step in mtw.show_progress('drawing')(range(4)):\n"
    "        if number and step == 2: open(GATE).close()\n"
    "    return f'<b>{number}</b>', f'drawn for {number}'\n"
    "Explorer(draw, number=Slider('number', range(5), 0))",
)
SAYS = "text => document.querySelector('.mtworkbench-sentence').innerText === text"
PALE = "() => getComputedStyle(document.querySelector('.mtworkbench-sentence')).opacity === '0.35'"
LOST = "Error displaying widget: model not found"


def open_gate(gate):
    """Let a drawing go on; this returns when it has come to the gate."""
    gate.open("w").close()


def seen(page):
    """What a reader sees of the outputs of a notebook."""
    outputs = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-child").all()
    return [text for one in outputs if one.is_visible() and (text := one.inner_text().strip())]


@pytest.fixture
def slow(open_notebook, put_notebook, tmp_path):
    """A notebook that was run, and the gate in its drawing."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    notebook = open_notebook(put_notebook(f"{tmp_path.name}.ipynb", SLOW[0], SLOW[1].replace("GATE", repr(str(gate)))))
    assert notebook.run_all()
    return notebook, gate


def test_a_slow_drawing_shows_how_far_it_is_and_can_be_stopped(slow):
    notebook, gate = slow
    page = notebook.page
    notebook.wait_until_answered()
    (slider,) = notebook.sliders()
    slider.press("ArrowRight")
    bar = page.locator(".mtworkbench-progress")
    bar.locator("progress[value='2'][max='4']").wait_for()
    bar.wait_for()  # it is visible
    assert bar.inner_text().strip().startswith("drawing: 2 of 4, about ")
    page.wait_for_function(PALE)
    assert page.locator(".mtworkbench-sentence").inner_text() == "drawn for 0"
    open_gate(gate)
    page.wait_for_function(SAYS, arg="drawn for 1")
    bar.wait_for(state="hidden")
    # An interrupt is one sentence, and the slider is where the answer is.
    slider.press("ArrowRight")
    bar.locator("progress[value='2']").wait_for()
    page.evaluate("() => window.panel.sessionContext.session.kernel.interrupt()")
    stopped = page.get_by_text("This was interrupted. The controls are back where they were.", exact=True)
    stopped.wait_for()
    bar.wait_for(state="hidden")
    wait_to_see(page, lambda: slider.get_attribute("aria-valuetext"), "1")
    assert page.locator(".mtworkbench-sentence").inner_text() == "drawn for 1"
    assert page.locator(".jp-OutputArea-child").get_by_text("Traceback").count() == 0
    slider.press("ArrowLeft")
    page.wait_for_function(SAYS, arg="drawn for 0")
    stopped.wait_for(state="detached")
    assert notebook.problems == []


def test_nothing_of_it_is_in_the_file(slow, open_notebook, lab):
    notebook, gate = slow
    page = notebook.page
    page.evaluate("() => window.panel.context.save()")
    file = lab.folder / "notebooks" / f"{gate.parent.name}.ipynb"
    kept = nbformat.read(file, as_version=4)
    bars, (bar, view, copy) = (cell.outputs for cell in kept.cells)
    assert [one.data for one in (*bars, bar)] == [{"text/html": "", "text/plain": ""}] * 2
    assert view.data["text/plain"] == ""
    assert copy.data["text/plain"] == "drawn for 0"
    # In another tab of the page, JupyterLab trusts the file, and looks for the widget in vain.
    nbformat.write(kept, file.with_name("again-slow.ipynb"))
    assert notebook.problems == []
    page.evaluate("() => jupyterapp.commands.execute('docmanager:open', {path: 'notebooks/again-slow.ipynb'})")
    page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jupyter-widgets", has_text=LOST).wait_for(state="attached")
    wait_to_see(page, lambda: seen(page), ["0"])
    # One view is lost, that of the explorer; of this, JupyterLab's own log has a line, which no reader sees.
    assert ["widget model not found" in problem for problem in notebook.problems] == [True]
    kept.cells[0].source = "changed"
    nbformat.write(kept, file.with_name("untrusted-slow.ipynb"))
    untrusted = open_notebook("untrusted-slow.ipynb")
    untrusted.page.locator(".jp-CodeCell b").wait_for()
    wait_to_see(untrusted.page, lambda: seen(untrusted.page), ["0"])
    assert untrusted.problems == []
