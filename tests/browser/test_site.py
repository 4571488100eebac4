"""The documentation site: built without a warning and without a network, and read in a browser from its files."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from tests.browser.conftest import open_context

ROOT = Path(__file__).parents[2]
FIRST = "docs/index.html"
LOOKED_AT = (
    FIRST,
    "docs/how-to/two-files.html",
    "docs/reference/api/exports.html",
    "notebooks/00_start_here.html",
    "docs/notebooks.html",
    "docs/reference/command-line.html",
    "docs/reference/json.html",
    "exercises/03.html",
)
pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1200),  # a minute of work, which takes longer where others work, too
]


class Page(HTMLParser):
    """What a page links to, and what it loads."""

    def __init__(self, path: Path):
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "a":
            self.links.add(given.get("href") or "")
        elif tag != "link" or given.get("rel") not in ("canonical", "license"):
            self.loaded |= {given[name] or "" for name in ("src", "href", "srcset", "data") if name in given}


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """Build the site as `make docs` does."""
    for needed in ("sphinx", "myst_nb", "numpydoc", "pydata_sphinx_theme"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"needs {needed}")
    folder = tmp_path_factory.mktemp("site")
    options = [
        "--quiet",
        "--fail-on-warning",
        "--keep-going",
        "--conf-dir",
        "docs",
        "--doctree-dir",
        folder / "doctrees",
    ]
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, ".", folder / "pages"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (built.returncode, built.stderr) == (0, "")
    return folder / "pages"


@pytest.fixture(scope="module")
def pages(site) -> dict[str, Page]:
    return {path.relative_to(site).as_posix(): Page(path) for path in sorted(site.rglob("*.html"))}


def test_no_page_asks_for_anything_from_a_network(site, pages):
    assert len(pages) > 80
    for name, page in pages.items():
        assert [one for one in page.loaded if urlsplit(one).netloc or urlsplit(one).scheme not in ("", "data")] == [], (
            name
        )
    for path in [*site.rglob("*.css"), *site.rglob("*.js")]:
        text = path.read_text(encoding="utf-8")
        assert re.findall(r"""url\(["']?(?:https?:)?//|@import ["'](?:https?:)?//|import\(["']https?:""", text) == [], (
            path
        )


def test_every_link_leads_to_a_page_of_the_site(site, pages):
    for name, page in pages.items():
        for link in page.links:
            target, heading = urldefrag(link)
            if urlsplit(link).scheme or not target:
                continue
            path = ((site / name).parent / unquote(target)).resolve()
            assert path.exists(), f"{name}: {link}"


def test_every_page_can_be_reached_from_the_first(site, pages):
    waiting, seen = [FIRST], {FIRST}
    while waiting:
        name = waiting.pop()
        for link in pages[name].links:
            path = ((site / name).parent / unquote(urldefrag(link)[0])).resolve()
            found = path.relative_to(site.resolve()).as_posix() if path.is_relative_to(site.resolve()) else ""
            if found in pages and found not in seen:
                seen.add(found)
                waiting.append(found)
    sources = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "data").glob("*/*.md")]
    wanted = {path.relative_to(ROOT).with_suffix(".html").as_posix() for path in sources}
    assert wanted - seen == set()
    assert "docs/index.html" in (site / "index.html").read_text(encoding="utf-8")


def test_the_search_knows_words_of_all_kinds_of_pages(site):
    written = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(written.removeprefix("Search.setIndex(").removesuffix(")"))
    names = index["docnames"]
    for word, page in (
        ("bootstrap", "docs/explanation/what-p-says"),
        ("token", "docs/how-to/sacrebleu-numbers"),
        ("pseudo", "exercises/01"),
        ("mojibak", "docs/doubts"),
    ):
        found = index["terms"].get(word, [])
        assert names.index(page) in (found if isinstance(found, list) else [found]), word


def test_the_check_of_an_exercise_is_folded_away(site):
    """Its code is the solution, which JupyterLab hides."""
    text = (site / "exercises/03.html").read_text(encoding="utf-8")
    outside = re.sub(r"<[^>]*>", "", re.sub(r"<details.*?</details>", "", text, flags=re.DOTALL))
    assert "check_answer" in re.sub(r"<[^>]*>", "", text)
    assert "check_answer" not in outside
    assert "The check: its code is the solution" in text


def test_notebooks_show_their_stored_figures_with_their_words(site):
    text = (site / "notebooks/00_start_here.html").read_text(encoding="utf-8")
    assert re.search(r"""<img [^>]*alt=["'][^>]{40,}""", text)
    assert "retrained is shown to be better" in text


@pytest.fixture
def read_page(browser) -> Iterator[object]:
    """Return a function that opens a page without a network."""
    contexts = []

    def read(path: Path, scheme: str = "light", width: int = 1400):
        context = open_context(browser, viewport={"width": width, "height": 1000}, color_scheme=scheme, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.goto(path.as_uri())
        return page

    yield read
    for context in contexts:
        context.close()


# Of the long pages of the reference, one is looked at, and in one scheme: their parts are those of the others.
LIGHT = [name for name in LOOKED_AT if name != "docs/reference/json.html"]


@pytest.mark.parametrize(
    ("name", "scheme"), [(name, "light") for name in LIGHT] + [(name, "dark") for name in LOOKED_AT[:4]]
)
def test_axe_finds_nothing_serious(site, read_page, serious_faults, name, scheme):
    assert serious_faults(read_page(site / name, scheme)) == []


def test_no_page_scrolls_sideways_on_a_narrow_screen(site, pages, read_page):
    page = read_page(site / FIRST, width=400)
    wide = []
    for name in sorted({*LOOKED_AT} | {one for one in pages if one.startswith(("docs/how-to", "docs/explanation"))}):
        page.goto((site / name).as_uri())
        if page.evaluate("document.documentElement.scrollWidth") > 400:
            wide.append(name)
    assert wide == []


def found_by_search(page, address: str) -> list[str]:
    page.goto(f"{address}?q=bootstrap")
    page.wait_for_function("() => /found \\d+ pages/.test(document.querySelector('#search-results').innerText)")
    return page.locator("#search-results li a").all_inner_texts()


def test_the_search_finds_pages_of_files(site, read_page):
    found = found_by_search(read_page(site / FIRST), (site / "search.html").as_uri())
    assert "Which test?" in found
    assert "mtworkbench.bootstrap_interval" in found


def test_the_search_finds_pages_of_a_server(site, browser):
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        context = open_context(browser)
        page = context.new_page()
        assert "Which test?" in found_by_search(page, f"http://127.0.0.1:{server.server_port}/search.html")
        context.close()
        server.shutdown()
