"""JupyterLab as `mtworkbench lab` starts it, in a real Chromium; everything is skipped where there is none."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import nbformat
import pytest

from mtworkbench.shipped import find_shipped

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OPTIONS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
OPTIONS += ["--disable-component-update", "--disable-sync"]
# JupyterLab would save what the tests only try. Where several are started on a machine at the same time, they would
# look for free ports from the same number on, and kernels could be given the same ports (mtworkbench.notebooks).
SETTINGS = {
    "config/jupyter_server_config.json": {"ServerApp": {"port": 0}, "KernelManager": {"transport": "ipc"}},
    "config/jupyter_lab_config.json": {"LabApp": {"expose_app_in_browser": True}},
    "settings/@jupyterlab/docmanager-extension/plugin.jupyterlab-settings": {"autosave": False},
}
# Starts the lab; in place of a browser it opens, it writes a line once the server listens.
PROGRAM = """
import sys, webbrowser
from mtworkbench.notebooks import open_lab

class Notice(webbrowser.BaseBrowser):
    def open(self, url, new=0, autoraise=True):
        print("listening", flush=True)
        return True

webbrowser.register("notice", None, Notice("notice"), preferred=True)
open_lab(sys.argv[1])
"""
# wait_for_function takes a promise for an answer, so what has to be awaited is awaited by evaluate.
FIND_NOTEBOOK = """name => {
    const isIts = widget => widget.sessionContext && widget.context?.path.endsWith(name);
    window.panel = [...jupyterapp.shell.widgets('main')].find(isIts);
    return window.panel !== undefined;
}"""
READY = """async () => {
    await window.panel.context.ready;
    await window.panel.revealed;
    await window.panel.sessionContext.ready;
}"""
IDLE = "() => window.panel.sessionContext.session?.kernel?.status === 'idle'"
CELL_OUTPUTS = "() => [...window.panel.content.model.cells].filter(c => c.type == 'code').map(c => c.outputs.toJSON())"
# Widgets are made after their cell has run, and their parts later still. Every explorer leaves a copy, beside which its
# screen stands; not every screen has a picture, nor every box something in it.
EXPLORERS_SHOWN = """() => {
    const found = selector => [...window.panel.node.querySelectorAll(`.jp-CodeCell ${selector}`)];
    const says = screen => ['.mtworkbench-sentence', '.mtworkbench-picture']
        .some(part => screen.querySelector(part)?.childNodes.length);
    const isShown = copy => [...copy.closest('.jp-OutputArea').querySelectorAll('[data-copy]')].some(says);
    return found('[class^=mtworkbench-copy-]').every(isShown)
        && found('.widget-box > *:not(.widget-box)').every(part => part.childNodes.length);
}"""
# The picture in the widget of a control; not the copy that its cell keeps.
FIGURE_BESIDE = (
    "control => control.closest('.jp-OutputArea-child').querySelector('.mtworkbench-image')?.getAttribute('src')"
)
ANOTHER_FIGURE = f"([control, before]) => ![before, null, undefined].includes(({FIGURE_BESIDE})(control))"
VALUE_OF = """async code => {
    const asked = {code: '', user_expressions: {asked: code}};
    const reply = await window.panel.sessionContext.session.kernel.requestExecute(asked).done;
    return reply.content.user_expressions.asked.data['text/plain'];
}"""
# JupyterLab lays its panels out some time after the window has another size.
GAPS = """() => {
    const {right, bottom} = window.panel.node.getBoundingClientRect();
    return [innerWidth - right, innerHeight - bottom];
}"""
FITS = f"""([width, height, ...before]) => innerWidth === width && innerHeight === height
    && ({GAPS})().every((gap, place) => Math.abs(gap - before[place]) < 1)"""
FRAME = "() => new Promise(requestAnimationFrame)"
MOST_FRAMES = 6000  # minutes, where the machine has nothing else to do, and more where it is busy
# Milliseconds; a little less than a test may take, so that a failure says what did not come.
PATIENCE = 240_000
# An answer that is about to be replaced is pale, and so has too little contrast.
NOTHING_IS_PALE = "() => !document.querySelector('.mtworkbench-pale, .mtworkbench-waiting')"
EXCESS = "width => Math.max(0, document.documentElement.scrollWidth - width)"
SERIOUS = ("serious", "critical")
# The body of JupyterLab's page has no height and hides what flows over: axe takes all in it for out of sight, so that
# no text has a contrast.
GIVE_HEIGHT = "() => { document.body.style.minHeight = '100vh'; }"
# JupyterLab says so of its own plugins where the machine has much to do.
BUSY = ("is taking too long to activate", "ms to activate.")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@dataclass
class Lab:
    """A running JupyterLab."""

    folder: Path
    port: int
    token: str

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}?token={self.token}"


@dataclass
class OpenNotebook:
    """A notebook in a tab of the browser; `problems` is whatever the browser complained of."""

    page: object
    problems: list[str] = field(default_factory=list)

    def run_all(self) -> bool:
        """Run all cells as "Run All" does; tell whether none failed."""
        succeeded = self.page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
        self.wait_until_idle()
        self.page.wait_for_function(EXPLORERS_SHOWN)
        return succeeded

    def wait_until_idle(self) -> None:
        self.page.wait_for_function(IDLE)

    def wait_until_answered(self) -> None:
        """Wait until the kernel has done all that it was asked for, and the page shows it."""
        self.value_of("0")  # is answered after what was asked before
        self.page.wait_for_function(NOTHING_IS_PALE)

    def resize(self, width: int, height: int) -> None:
        """Give the window another size; return when the notebook is as far from its right and lower edge as before."""
        gaps = self.page.evaluate(GAPS)
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_function(FITS, arg=[width, height, *gaps])

    def value_of(self, code: str) -> object:
        """Ask the kernel for the value of an expression: numbers, texts, and lists of them."""
        return ast.literal_eval(self.page.evaluate(VALUE_OF, code))

    def outputs(self) -> list[list[dict]]:
        """Outputs of each code cell."""
        return self.page.evaluate(CELL_OUTPUTS)

    def printed(self, cell: int) -> list[str]:
        """What a code cell has printed; where the machine is busy, there also was a progress bar."""
        return [one["text"] for one in self.outputs()[cell] if one.get("name") == "stdout"]

    def complaints(self) -> object:
        """Tracebacks and warnings that the reader sees inside widgets, and no cell reports."""
        return self.page.locator('.jupyter-widgets [data-mime-type="application/vnd.jupyter.stderr"]')

    def sliders(self) -> list:
        return self.page.locator(".jp-CodeCell input[type=range]").all()

    def pictures(self, n: int) -> list:
        """Wait until a reader sees so many pictures, and return them: not those that are there and hidden."""
        images = self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) img:visible")
        wait_to_see(self.page, images.count, n)
        return images.all()

    def move(self, slider: object) -> None:
        """Move a slider by one step, with the keyboard, and see the figure beside it change."""
        slider.scroll_into_view_if_needed()
        value, before = slider.get_attribute("aria-valuetext"), slider.evaluate(FIGURE_BESIDE)
        assert before, "there is no figure beside the slider"
        at_the_end = slider.evaluate("one => one.value === one.max")
        slider.press("ArrowLeft" if at_the_end else "ArrowRight")
        assert slider.get_attribute("aria-valuetext") != value
        self.page.wait_for_function(ANOTHER_FIGURE, arg=[slider.element_handle(), before])
        self.wait_until_idle()


@pytest.fixture(scope="session")
def lab(tmp_path_factory) -> Iterator[Lab]:
    """JupyterLab on a fresh folder with settings of its own."""
    pytest.importorskip("jupyterlab", reason="needs JupyterLab")
    with start_lab(tmp_path_factory.mktemp("jupyter")) as started:
        yield started


def short_folder() -> tempfile.TemporaryDirectory:
    """Make a folder for the files of kernels, which remove some of them; their paths may have 103 bytes at most."""
    return tempfile.TemporaryDirectory(prefix="lab-", ignore_cleanup_errors=True)


@contextmanager
def start_lab(home: Path) -> Iterator[Lab]:
    """Start JupyterLab on a new folder, with settings that do not leave it either; stop it in the end."""
    for name, content in SETTINGS.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(json.dumps(content))
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "IPYTHONDIR": "ipython",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    }
    environment = os.environ | {name: str(home / folder) for name, folder in folders.items()}
    for name in ("BROWSER", "JUPYTER_TOKEN", "JUPYTER_PREFER_ENV_PATH", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)
    folder, log = home / "mine", home / "log"
    with (
        short_folder() as runtime,
        log.open("w") as stream,
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, folder],
            env=environment | {"JUPYTER_RUNTIME_DIR": runtime},
            stdout=subprocess.PIPE,
            stderr=stream,
            start_new_session=True,
        ) as process,
    ):
        try:
            assert process.stdout.readline() == b"listening\n", f"JupyterLab did not start:\n{log.read_text()}"
            (file,) = Path(runtime).glob("jpserver-*.json")
            server = json.loads(file.read_text())
            yield Lab(folder, server["port"], server["token"])
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    lacking = what_playwright_lacks(Path(playwright.__file__).parent.parent / "driver" / "node")
    if lacking:
        # Continuous integration installs all of it, and would stay green for ever where a test is skipped.
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"needs {lacking}")
    with playwright.sync_playwright() as driver:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        chromium = driver.chromium.launch(executable_path=CHROMIUM, headless=True, args=OPTIONS + sandbox)
        yield chromium
        chromium.close()


def what_playwright_lacks(node: Path) -> str | None:
    """Say what is not installed on this machine: the browser, or a library of the program that drives it."""
    if CHROMIUM is None:
        return "a Chromium"
    if node.exists() and subprocess.run([node, "--version"], capture_output=True).returncode:
        return "what playwright is driven by (Debian: apt-get install libatomic1)"
    return None


@pytest.fixture
def open_notebook(lab: Lab, browser: object, request: pytest.FixtureRequest) -> Iterator[Callable[[str], OpenNotebook]]:
    """Return a function that opens a notebook of the lab's folder in a tab of its own."""
    context = open_context(browser, viewport={"width": 1280, "height": 2600})
    yield partial(open_in, context, lab)
    context.close()


def open_context(browser: object, **options: object) -> object:
    """Open a context of which the pages may take as long as a test to answer."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    return context


def open_in(context: object, lab: Lab, name: str) -> OpenNotebook:
    """Open a notebook of the lab's folder in a new tab."""
    page = context.new_page()
    notebook = OpenNotebook(page)
    watch(page, notebook.problems)
    page.goto(lab.url(f"lab/workspaces/{re.sub('[^a-z0-9]+', '-', name)}/tree/notebooks/{name}"))
    page.wait_for_function("() => window.jupyterapp !== undefined")
    page.evaluate("() => jupyterapp.restored")
    page.wait_for_function(FIND_NOTEBOOK, arg=name)
    page.evaluate(READY)
    notebook.wait_until_idle()
    return notebook


def watch(page: object, problems: list[str]) -> None:
    """Note everything that goes wrong in a page, and let it reach nothing but this machine."""

    def outside(route: object) -> None:
        problems.append(f"asks for {route.request.url}")
        route.abort()

    def console(message: object) -> None:
        if message.type in ("error", "warning") and not any(one in message.text for one in BUSY):
            problems.append(f"console {message.type}: {message.text}")

    def response(answer: object) -> None:
        if answer.status >= 400:
            problems.append(f"{answer.status} for {answer.url}")

    page.route(re.compile(r"^(https?|wss?)://(?!127\.0\.0\.1[:/])"), outside)
    page.on("console", console)
    page.on("response", response)
    page.on("pageerror", lambda error: problems.append(f"page error: {error}"))
    page.on("requestfailed", lambda request: problems.append(f"failed: {request.url}"))


def wait_to_see(page: object, ask: Callable[[], object], expected: object) -> None:
    """Ask after each frame of a page until the answer is the expected one; a failure shows the last answer.

    A page answers a key, a click or another size some time after it was given it.
    """
    for _ in range(MOST_FRAMES):
        if (answer := ask()) == expected:
            return
        page.evaluate(FRAME)
    assert answer == expected


def wait_until_it_fits(page: object, width: int) -> None:
    """Wait until a page is laid out in so many pixels, and nothing of it is wider."""
    wait_to_see(page, lambda: page.evaluate(EXCESS, width), 0)


@pytest.fixture
def serious_faults() -> Callable[..., list[tuple[str, str]]]:
    """Return a function that says what axe finds in a page, or in a part of it, and calls serious or critical."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")

    def find(page: object, within: str = "body") -> list[tuple[str, str]]:
        page.evaluate(GIVE_HEIGHT)
        page.wait_for_function(NOTHING_IS_PALE)
        violations = axe.Axe().run(page, context=within).response["violations"]
        # Moderate faults of rules such as "all content is in landmarks" concern whole pages.
        found = [fault for fault in violations if fault["impact"] in SERIOUS]
        return [(fault["id"], node["html"]) for fault in found for node in fault["nodes"]]

    return find


@pytest.fixture
def put_notebook(lab: Lab) -> Callable[..., str]:
    """Return a function that puts a notebook of the given cells into the lab's folder."""

    def put(name: str, *sources: str) -> str:
        return put_in(lab.folder / "notebooks", name, *sources)

    return put


def put_in(folder: Path, name: str, *sources: str) -> str:
    """Put a notebook of the given cells into a folder; return its name."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / name)
    return name


def cells_up_to(call: str, name: str) -> list[str]:
    """Return the code cells of a notebook that ships, as far as the one that calls something."""
    notebook = nbformat.read(find_shipped("notebooks") / name, as_version=4)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return cells[: next(place for place, cell in enumerate(cells) if call in cell) + 1]
