"""Make the pictures of the documentation: python scripts/make_screenshots.py.

docs/estimates.png is the figure of the sample. The explorers and the form are photographed in a real browser.
JupyterLab runs the cells of notebook 01 as far as its browser of segments, then one with the linked figures for the
same systems. What the two cells show becomes docs/explore-segments.png and docs/explore-differences.png. The form, with
the sample, becomes docs/start.png. This needs a Chromium, as the tests in a browser do, whose functions start all
of it.
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

import mtworkbench as mtw  # noqa: E402
from mtworkbench.writing import replace_file  # noqa: E402
from tests.browser.conftest import CHROMIUM, OPTIONS, OpenNotebook, cells_up_to, open_in, put_in, start_lab  # noqa: E402

NOTEBOOK = "01_compare_your_systems.ipynb"
DIFFERENCES = "mtw.explore_differences(outputs, first, baseline, rng=1)"
FORM = 'import mtworkbench as mtw\nmtw.start(mtw.find_shipped("data/sample"), rng=1)'
# The buttons of the form that are pressed, and with what each answers.
ANSWERS = {"read": "Read as: 3 systems", "compare": "3 systems compared with"}
# Pixels: what of a cell the form's picture has.
WIDTH_OF_FORM = 1218
# Dots per inch of the figure.
RESOLUTION = 192
# Two figures stand next to each other on a page that is so wide; a cell's output takes 1,218 pixels of it.
WIDTH = 1400
# Of the list of segments, so many are in the picture.
N_SEGMENTS = {"explore-segments": 4, "explore-differences": 2}
RUN_ALL = "() => jupyterapp.commands.execute('notebook:run-all-cells')"
HIDE_SIDEBAR = "() => jupyterapp.commands.execute('application:toggle-left-area')"


def make_screenshots(folder: str | os.PathLike[str]) -> None:
    """Photograph the explorers and store the pictures in a folder."""
    replace_file(Path(folder) / "estimates.png", draw_sample())
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
        form = open_in(context, lab, put_in(lab.folder / "notebooks", "form.ipynb", FORM))
        form.page.evaluate(RUN_ALL)
        replace_file(Path(folder) / "start.png", photograph_form(form))
        chromium.close()
        if problems := [*notebook.problems, *form.problems]:
            sys.exit("The browser complains:\n" + "\n".join(problems))


def draw_sample() -> bytes:
    """Return the figure of the sample's systems, as PNG with a palette."""
    folder = mtw.find_shipped("data/sample")
    systems = {name: folder / f"{name}.run*.txt" for name in ("baseline", "tweaked", "retrained")}
    outputs = mtw.read_outputs(folder / "reference.txt", systems, documents=folder / "documents.txt")
    comparison = mtw.compare(mtw.compute_statistics(outputs, "bleu"), baseline="baseline", rng=1)
    content = io.BytesIO()
    mtw.draw_comparison(comparison).savefig(
        content, dpi=RESOLUTION, facecolor="white", bbox_inches="tight", pad_inches=0.08
    )
    return shrink(content)


def photograph(notebook: OpenNotebook, cell: int, n_segments: int) -> bytes:
    """Return what a code cell shows, as far as some segment, as PNG with a palette."""
    shown = notebook.page.locator(".jp-CodeCell").nth(cell).locator(".jp-OutputArea-output:has(.mtw-segment)")
    last = shown.locator(".mtw-segment").nth(n_segments - 1)
    last.wait_for()
    box, end = shown.bounding_box(), last.bounding_box()
    clip = {"x": box["x"], "y": box["y"], "width": box["width"], "height": end["y"] + end["height"] - box["y"]}
    return take(notebook, clip)


def photograph_form(notebook: OpenNotebook) -> bytes:
    """Read and compare with the form; return it as PNG, from the list of files to the first tables."""
    page = notebook.page
    for name, answer in ANSWERS.items():
        page.get_by_role("button", name=name, exact=True).click()
        page.get_by_text(answer).wait_for()
    notebook.wait_until_idle()
    files, end = page.locator(".mtworkbench-files"), page.locator(".mtworkbench-picture details").first
    end.wait_for()
    box, height = files.bounding_box(), end.bounding_box()["y"] - files.bounding_box()["y"]
    return take(notebook, {"x": box["x"], "y": box["y"], "width": WIDTH_OF_FORM, "height": height})


def take(notebook: OpenNotebook, clip: dict[str, float]) -> bytes:
    """Return a part of the page as PNG with a palette."""
    return shrink(io.BytesIO(notebook.page.screenshot(clip=clip)))


def shrink(picture: io.BytesIO) -> bytes:
    """Give a PNG a palette."""
    image, content = Image.open(picture).convert("RGB"), io.BytesIO()
    # The usual method gives a system the colour of another one, where there is little of it.
    image.quantize(128, method=Image.Quantize.MAXCOVERAGE).save(content, "png", optimize=True)
    return content.getvalue()


if __name__ == "__main__":
    make_screenshots(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs")
