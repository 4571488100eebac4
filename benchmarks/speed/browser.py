"""What a reader waits for in a browser: JupyterLab's first figure, and the first answer of an explorer."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from benchmarks.speed.processes import FORBIDDEN, LIMIT, THREADS, Spent
from mtworkbench.notebooks import copy_shipped
from tests.browser.conftest import CHROMIUM, OPTIONS, open_in, put_in, start_lab
from tests.browser.every_explorer import EXPLORERS, write_made

NOTEBOOK = "00_start_here.ipynb"
FIGURE = ".jp-NotebookPanel .jp-OutputArea img"
# From the moment at which a cell is run to the first picture of an explorer that can be seen.
ANSWER = """async () => {
    const notebook = window.panel.content;
    notebook.activeCellIndex = 1;
    const begin = performance.now();
    jupyterapp.commands.execute('notebook:run-cell');
    const find = () => [...window.panel.node.querySelectorAll('.mtworkbench-figure img')]
        .find(one => one.complete && one.naturalWidth > 0);
    await new Promise(resolve => {
        const look = () => find() ? resolve() : setTimeout(look, 1);
        look();
    });
    await find().decode().then(() => new Promise(requestAnimationFrame));
    return (performance.now() - begin) / 1000;
}"""
SPENT = "__import__('time').process_time()"


class Browser:
    """A Chromium, in which JupyterLab is opened.

    Parameters
    ----------
    chromium : playwright.sync_api.Browser
    folder : Path
    """

    def __init__(self, chromium: object, folder: Path):
        self._chromium, self._folder, self._numbers = chromium, folder, count()

    def _make_home(self) -> Path:
        home = self._folder / str(next(self._numbers))
        copy_shipped(home / "mine")
        return home

    def _open_context(self) -> object:
        context = self._chromium.new_context(viewport={"width": 1280, "height": 2600})
        context.set_default_timeout(LIMIT * 1000)
        return context

    def open_lab(self) -> Spent:
        """Start JupyterLab, and open its first notebook, whose results are stored."""
        home, context = self._make_home(), self._open_context()
        begin = time.perf_counter()
        with start_lab(home) as lab:
            page = context.new_page()
            page.goto(lab.url(f"lab/tree/notebooks/{NOTEBOOK}"))
            page.locator(FIGURE).first.wait_for()
            spent = Spent(time.perf_counter() - begin, float("nan"))
            page.get_by_text("| Idle").first.wait_for()  # JupyterLab does not end while it starts a kernel
            context.close()
        return spent

    def open_explorer(self, name: str) -> Spent:
        """Run the cell of an explorer in a new kernel, which has the statistics; see what its kernel takes."""
        home, context = self._make_home(), self._open_context()
        with start_lab(home) as lab:
            cells = write_made(3000, 16), f"explorer = {EXPLORERS[name]}\nexplorer"
            notebook = open_in(context, lab, put_in(lab.folder / "notebooks", f"{name}.ipynb", *cells))
            notebook.page.evaluate("() => jupyterapp.commands.execute('notebook:run-cell')")
            notebook.wait_until_idle()
            before = notebook.value_of(SPENT)
            seconds = notebook.page.evaluate(ANSWER)
            notebook.wait_until_idle()
            spent = Spent(seconds, notebook.value_of(SPENT) - before)
            context.close()
        return spent


@contextmanager
def open_browser() -> Iterator[Browser | None]:
    """Open a Chromium without a window; None where there is none."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield None
        return
    if CHROMIUM is None:
        yield None
        return
    for name in [one for one in os.environ if one in FORBIDDEN or one.endswith(THREADS)]:
        del os.environ[name]
    with sync_playwright() as driver, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        chromium = driver.chromium.launch(executable_path=CHROMIUM, headless=True, args=OPTIONS + sandbox)
        try:
            yield Browser(chromium, Path(folder))
        finally:
            chromium.close()
