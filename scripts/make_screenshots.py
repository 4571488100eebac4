"""Make the README's pictures of the explorers in a real browser: python scripts/make_screenshots.py.

JupyterLab runs the cells of notebook 01 as far as its browser of segments, then one with the linked figures for the
same systems. What the two cells show becomes docs/explore-segments.png and docs/explore-differences.png. This needs a
Chromium, as the tests in a browser do, whose functions start everything.
"""

import io
import os
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # scripts find the package where it is installed, but not its tests

from mtworkbench.writing import replace_file  # noqa: E402
from tests.browser.conftest import CHROMIUM, OPTIONS, OpenNotebook, cells_up_to, open_in, put_in, start_lab  # noqa: E402

NOTEBOOK = "01_compare_your_systems.ipynb"
DIFFERENCES = "mtw.explore_differences(outputs, first, baseline, rng=1)"
# Two figures stand next to each other on a page that is so wide; a cell's output takes 1,218 pixels of it.
WIDTH = 1400
# Of the list of segments, so many are in the picture.
N_SEGMENTS = {"explore-segments": 4, "explore-differences": 2}
RUN_ALL = "() => jupyterapp.commands.execute('notebook:run-all-cells')"
HIDE_SIDEBAR = "() => jupyterapp.commands.execute('application:toggle-left-area')"


def make_screenshots(folder: str | os.PathLike[str]) -> None:
    """Photograph the explorers and store the pictures in a folder."""
    cells = [*cells_up_to("explore_segments", NOTEBOOK), DIFFERENCES]
    with tempfile.TemporaryDirectory() as home, start_lab(Path(home)) as lab, sync_playwright() as driver:
        put_in(lab.folder / "notebooks", "pictures.ipynb", *cells)
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        chromium = driver.chromium.launch(executable_path=CHROMIUM, headless=True, args=OPTIONS + sandbox)
        context = chromium.new_context(viewport={"width": WIDTH, "height": 5000})
        context.set_default_timeout(60_000)
        notebook = open_in(context, lab, "pictures.ipynb")
        notebook.page.evaluate(HIDE_SIDEBAR)
        notebook.page.evaluate(RUN_ALL)
        notebook.wait_until_idle()
        for cell, (name, n_segments) in enumerate(N_SEGMENTS.items(), start=len(cells) - len(N_SEGMENTS)):
            replace_file(Path(folder) / f"{name}.png", photograph(notebook, cell, n_segments))
        chromium.close()
        if notebook.problems:
            sys.exit("The browser complains:\n" + "\n".join(notebook.problems))


def photograph(notebook: OpenNotebook, cell: int, n_segments: int) -> bytes:
    """Return what a code cell shows, as far as some segment, as PNG with a palette."""
    shown = notebook.page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea-output:has(.mtw-segment)")
    last = shown.locator(".mtw-segment").nth(n_segments - 1)
    last.wait_for()
    box, end = shown.bounding_box(), last.bounding_box()
    clip = {"x": box["x"], "y": box["y"], "width": box["width"], "height": end["y"] + end["height"] - box["y"]}
    image = Image.open(io.BytesIO(notebook.page.screenshot(clip=clip))).convert("RGB")
    content = io.BytesIO()
    # The usual method gives a system the colour of another one, where there is little of it.
    image.quantize(128, method=Image.Quantize.MAXCOVERAGE).save(content, "png", optimize=True)
    return content.getvalue()


if __name__ == "__main__":
    make_screenshots(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs")
