"""A prediction in a real browser: by the keyboard, before the truth, with and without a kernel."""

import nbformat
import pytest

from tests.browser.conftest import open_context, open_in, put_in, wait_to_see

CELLS = (
    "import mtworkbench as mtw\n"
    "import numpy as np\n"
    "ax = mtw.plot_count(np.arange(300) < 30, event='one is called better', of='comparisons')\n"
    "mtw.predict('What percentage are called better?', 10.0, ax)",
)
SAYS = "text => document.querySelector('.mtworkbench-sentence').innerText.endsWith(text)"
PRESSED = "() => document.querySelector('button[aria-pressed=true]') !== null"


@pytest.fixture(scope="module")
def notebook(lab, browser):
    """A notebook that was run and saved."""
    context = open_context(browser, viewport={"width": 1280, "height": 2600})
    opened = open_in(context, lab, put_in(lab.folder / "notebooks", "predict.ipynb", *CELLS))
    assert opened.run_all()
    opened.page.evaluate("() => window.panel.context.save()")
    yield opened
    context.close()


def test_the_prediction_comes_first(notebook, lab, serious_faults):
    page = notebook.page
    page.evaluate("() => jupyterapp.shell.activateById(window.panel.id)")
    page.wait_for_function(SAYS, arg="Predict, then press “show the truth”.")
    slider = page.get_by_role("slider", name="prediction", exact=True)
    show = page.get_by_role("button", name="show the truth", exact=True)
    wait_to_see(page, lambda: (slider.get_attribute("aria-valuetext"), show.is_disabled()), ("?", True))
    (figure,) = notebook.pictures(1)
    assert "called better" not in figure.get_attribute("alt").replace("What percentage are called better?", "")
    for _ in range(6):
        slider.press("ArrowRight")
    page.wait_for_function(SAYS, arg="You predict 5.")
    # A key that a button gets too early is lost.
    wait_to_see(page, lambda: (slider.get_attribute("aria-valuetext"), show.is_disabled()), ("5", False))
    show.press("Enter")
    page.wait_for_function(SAYS, arg="You predicted 5. The truth is 10.")
    page.wait_for_function(PRESSED)
    wait_to_see(page, slider.is_disabled, True)
    page.locator('.mtworkbench-image[alt$="You predicted 5. The truth is 10."]').wait_for()
    notebook.pictures(1)
    page.get_by_role("button", name="reset").press("Enter")
    page.wait_for_function(SAYS, arg="Predict, then press “show the truth”.")
    wait_to_see(page, lambda: (slider.is_disabled(), show.is_disabled()), (False, True))
    assert serious_faults(page, ".jp-CodeCell .jp-OutputArea") == []
    assert notebook.complaints().all_inner_texts() == []
    assert notebook.problems == []
    page.evaluate("() => window.panel.context.save()")
    kept = nbformat.read(lab.folder / "notebooks" / "predict.ipynb", as_version=4)
    (copy,) = [output for output in kept.cells[-1].outputs if "text/html" in output.data]
    assert "<details>" in copy.data["text/html"]


def test_without_a_kernel_the_answer_is_opened_by_hand(notebook, lab):
    file = lab.folder / "notebooks" / "predict.ipynb"
    nbformat.write(nbformat.read(file, as_version=4), file.with_name("read.ipynb"))
    page = notebook.page
    page.evaluate("() => jupyterapp.commands.execute('docmanager:open', {path: 'notebooks/read.ipynb'})")
    shown = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-RenderedHTML")
    shown.get_by_text("What percentage are called better?", exact=True).wait_for()
    truth = shown.get_by_text("What percentage are called better? The truth is 10.")
    assert not truth.is_visible()
    shown.get_by_text("The answer", exact=True).click()
    truth.wait_for()
    notebook.pictures(2)
