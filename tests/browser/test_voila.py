"""Notebooks as pages for colleagues: Voila, which is installed apart from everything else by `make voila`."""

import os
import re
import secrets
import socket
import subprocess
import threading
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

import mtworkbench as mtw
from tests.browser.bare_pages import SEGMENT_NUMBERS
from tests.browser.conftest import open_context, put_in, short_folder, wait_to_see, watch
from tests.browser.test_start import write_files
from tests.browser.test_waiting import SLOW, open_gate

ROOT = Path(__file__).parent.parent.parent
VOILA = ROOT / ".venv-voila" / "bin" / "python"
VOILA_LOCK = Path(__file__).with_name("voila-requirements.txt")
CELLS = (
    "import mtworkbench as mtw\n"
    "flores = mtw.find_shipped('data/flores')\n"
    "systems = {name: flores / f'bergamot-{name}.txt' for name in ('base', 'base-memory', 'tiny')}\n"
    "outputs = mtw.read_outputs(flores / 'reference.txt', systems, accept='invisible-chars')\n"
    "statistics = mtw.compute_statistics(outputs, 'bleu')",
    "mtw.explore_comparison(statistics, 'base', rng=1)",
    "mtw.explore_segments(outputs, statistics, 'tiny', 'base', rng=1)",
    *SLOW,
)
# Voila's own page asks for icons from elsewhere. It is fine without them, and nothing else may leave the machine.
ICONS = [
    f"https://cdn.jsdelivr.net/npm/@fortawesome/fontawesome-free@%5E5/css/{name}.min.css"
    for name in ("all", "v4-shims")
]


# Voila has JupyterLab's scripts of an older version than the widgets' own, which work with them.
OLDER = r"console warning: (Unsatisfied|No satisfying) version "
SAYS = "text => document.querySelector('.mtworkbench-sentence')?.innerText.startsWith(text)"


@contextmanager
def start_voila(home, *cells):
    """Start Voila with a notebook in a folder; return where it shows the notebook."""
    if not (VOILA.parent.parent / "ready").exists():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("needs Voila in an environment of its own: make voila")
    notebook = put_in(home, "explorers.ipynb", *cells)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "PYTHON"))}
    environment |= {f"JUPYTER_{name}_DIR": str(home / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    environment |= {"IPYTHONDIR": str(home / "ipython"), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]  # if another program is given it meanwhile, Voila takes another one and says so
    token = secrets.token_hex(16)
    options = {"ip": "127.0.0.1", "port": port, "token": token}
    command = [VOILA, "-m", "voila", notebook, "--no-browser", "--KernelManager.transport=ipc"]
    command += [f"--Voila.{name}={value}" for name, value in options.items()]
    with (
        short_folder() as connections,
        subprocess.Popen(
            [*command, f"--Voila.connection_dir_root={connections}"],
            cwd=home,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        try:
            said = []
            for line in process.stderr:
                said.append(line)
                if listens := re.search(r"//[^/]+:(\d+)/", line):
                    break
            else:
                pytest.fail(f"Voila did not start:\n{''.join(said)}")
            # A full pipe would make it wait.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield f"http://127.0.0.1:{listens[1]}/?token={token}"
        finally:
            process.terminate()


@contextmanager
def open_page(browser, address):
    """Open the notebook as a page; return it, and what the browser complains of."""
    context = open_context(browser, viewport={"width": 1200, "height": 1600})
    page, problems, icons = context.new_page(), [], []
    watch(page, problems)

    def no_icons(route):
        icons.append(route.request.url)
        route.fulfill(body="", content_type="text/css")

    for one in ICONS:
        page.route(one, no_icons)
    page.goto(address)
    yield page, problems
    assert {*icons} <= {*ICONS}
    context.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Where Voila shows a notebook with two explorers and a slow one, and the gate in the drawing of the slow one."""
    home = tmp_path_factory.mktemp("voila")
    os.mkfifo(home / "gate")
    with start_voila(home, *(cell.replace("GATE", "'gate'") for cell in CELLS)) as place:
        yield place, home / "gate"


@pytest.fixture
def voila(address, browser):
    """The notebook as a page, what the browser complained of, and the gate."""
    place, gate = address
    with open_page(browser, place) as (page, problems):
        yield page, problems, gate


def test_colleagues_compare_files_and_see_nothing_above_their_folder(tmp_path, browser, serious_faults):
    write_files(tmp_path / "mine")
    (tmp_path / "secret.txt").write_text("secret\n")
    (tmp_path / "mine" / "secret.txt").symlink_to(tmp_path / "secret.txt")
    cell = "import mtworkbench as mtw\nmtw.start('mine', rng=1)"
    with start_voila(tmp_path, cell) as place, open_page(browser, place) as (page, problems):
        page.get_by_text("Chosen: reference 'ref.txt'; 2 outputs 'new.txt' and 'old.txt'").wait_for()
        page.get_by_text("1 link that leads out of the folder of this form is left out.", exact=True).wait_for()
        wait_to_see(page, page.get_by_role("button", name="up", exact=True).is_disabled, True)
        folder = page.get_by_label("folder", exact=True)
        for path in ("..", str(tmp_path), "secret.txt"):
            folder.fill(path)
            folder.press("Enter")
            page.get_by_text(f"'{path}' leads out of 'mine'").wait_for()
        assert "secret" not in page.locator(".mtworkbench-list").inner_text()
        for name, answer in {
            "read": "Read as: 2 systems (new and old), ",
            "compare": "2 systems compared with ",
        }.items():
            page.get_by_role("button", name=name, exact=True).click()
            page.get_by_text(answer).wait_for()
        page.locator(".mtworkbench-picture img").wait_for()
        with page.expect_download() as download:
            page.get_by_role("button", name="save report", exact=True).click()
        assert "BLEU" in Path(download.value.path()).read_text(encoding="utf-8")
        page.get_by_label("code").get_by_text("comparison = mtw.compare(statistics, 'new', rng=1)").wait_for()
        wait_to_see(page, page.get_by_text("run this cell").is_hidden, True)
        # Before axe looks at the page, which complains of the icons that are not there.
        assert [problem for problem in problems if not re.match(OLDER, problem)] == []
        assert serious_faults(page) == []


def test_the_picture_follows_the_sentence_and_the_segments_are_there(voila):
    page, problems, _ = voila
    namespace = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)
        exec(CELLS[0], namespace)
    outputs, statistics = namespace["outputs"], namespace["statistics"]
    found = {pair.a: pair for pair in mtw.compare(statistics, "base", rng=1).metrics["BLEU"].comparisons}

    def picture_of(system):
        """Wait for the sentence on a system; return the one picture, whose sentence it is."""
        pair = found[system]
        begin = f"BLEU: {system} - base = {pair.difference:+.2f} (95 % CI {pair.ends.low:.2f} to {pair.ends.high:.2f})"
        page.wait_for_function(SAYS, arg=begin)
        # A picture beside the widget would remain what it was.
        pictures = page.locator("img:visible")
        sentence = page.locator(".mtworkbench-sentence").first.inner_text()
        wait_to_see(page, lambda: pictures.evaluate_all("all => all.map(one => one.alt)"), [sentence])
        return pictures.get_attribute("src")

    first = picture_of("tiny")
    page.get_by_role("combobox", name="system", exact=True).select_option(label="base-memory")
    assert picture_of("base-memory") != first
    page.get_by_role("button", name="reset").first.click()
    assert picture_of("tiny") == first

    segments, rows = mtw.explore_segments(outputs, statistics, "tiny", "base", rng=1), page.locator(".mtw-segment")
    wait_to_see(page, lambda: rows.evaluate_all(SEGMENT_NUMBERS), segments.frame["segment"].head(60).tolist())
    wait_to_see(page, page.locator(".mtw-segments-static").is_hidden, True)
    page.get_by_label("Find", exact=True).fill("president")
    page.keyboard.press("Enter")
    segments.query = segments.query | {"text": "president"}
    told = f"{len(segments.frame)} of "
    page.wait_for_function("text => document.querySelector('.mtw-status').textContent.startsWith(text)", arg=told)
    wait_to_see(page, lambda: rows.evaluate_all(SEGMENT_NUMBERS), segments.frame["segment"].tolist())
    assert [problem for problem in problems if not re.match(OLDER, problem)] == []


def test_slow_work_leaves_no_trace_and_a_slow_drawing_shows_how_far_it_is(voila):
    page, problems, gate = voila
    slider = page.get_by_role("slider", name="number", exact=True)
    slider.press("ArrowRight")
    screen = page.locator(".mtworkbench-screen").last
    bar = screen.locator(".mtworkbench-progress")
    bar.locator("progress[value='2'][max='4']").wait_for()
    bar.wait_for()  # it is visible
    sentence = screen.locator(".mtworkbench-sentence")
    assert sentence.inner_text() == "drawn for 0"
    assert "mtworkbench-pale" in screen.get_attribute("class")
    open_gate(gate)
    screen.get_by_text("drawn for 1", exact=True).wait_for()
    bar.wait_for(state="hidden")
    assert "Error displaying widget" not in page.locator("body").inner_text()
    assert [problem for problem in problems if not re.match(OLDER, problem)] == []


def test_the_lock_has_hashes_and_no_addresses():
    text = VOILA_LOCK.read_text(encoding="utf-8")
    packages = re.findall(r"^[a-z0-9-]+==.+\n(?=    --hash=sha256:[0-9a-f]{64})", text, re.MULTILINE)
    assert len(packages) == len(re.findall(r"^[a-z]", text, re.MULTILINE)) > 50
    assert "//" not in text
