"""The notebooks as web pages: complete, linked to each other, and silent towards the network."""

import re
import runpy
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

pytest.importorskip("nbconvert", reason="needs nbconvert, which JupyterLab brings")
ROOT = Path(__file__).resolve().parent.parent
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "write_html.py"))
write_html, write_index = SCRIPT["write_html"], SCRIPT["write_index"]


def test_a_notebook_is_a_page(tmp_path):
    path = ROOT / "notebooks" / "00_start_here.ipynb"
    [page] = write_html([path], tmp_path / "html")
    assert page == tmp_path / "html" / "notebooks" / "00_start_here.html"
    text = page.read_text(encoding="utf-8")
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for heading in re.findall(r"^#+ (.+)$", cell.source, re.M):
                assert f'id="{heading.replace(" ", "-")}"' in text
    outputs = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    # A figure is stored with its words: as HTML.
    pictures = sum("image/png" in data or "<img " in data.get("text/html", "") for data in outputs)
    assert len(re.findall(r"""<img [^>]*src=["']?data:image/png;base64""", text)) >= pictures > 0
    assert "<script" not in text


def test_links_lead_to_pages(tmp_path):
    (tmp_path / "exercises").mkdir()
    path = tmp_path / "exercises" / "01.ipynb"
    sources = "[a](../notebooks/05_x.ipynb#Three-rates) [b](02.ipynb) [c](https://example.org/d.ipynb) `e.ipynb`"
    nbformat.write(new_notebook(cells=[new_markdown_cell(sources)]), path)
    [page] = write_html([path], tmp_path / "html")
    links = re.findall(r'<a href="([^"]*)"', page.read_text(encoding="utf-8"))
    assert links == ["../notebooks/05_x.html#Three-rates", "02.html", "https://example.org/d.ipynb"]
    assert "<code>e.ipynb</code>" in page.read_text(encoding="utf-8")


def test_pages_have_no_answers(tmp_path):
    [page] = write_html([ROOT / "exercises" / "01.ipynb"], tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "Predict first" in text
    assert "jp-OutputArea-output" not in re.sub(r"<style.*?</style>", "", text, flags=re.S)


@pytest.mark.parametrize("path", sorted((ROOT / "exercises").glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_check_of_an_exercise_is_folded_away(tmp_path, path):
    """Its code is the solution, which JupyterLab hides."""
    [page] = write_html([path], tmp_path)
    text = re.sub(r"<style.*?</style>", "", page.read_text(encoding="utf-8"), flags=re.S)
    folds = re.findall(r"<details>.*?</details>", text, re.S)
    outside = re.sub(r"<[^>]*>", "", re.sub(r"<details>.*?</details>", "", text, flags=re.S))
    assert "check_answer" not in outside
    assert "misreadings" not in outside
    assert [("check_answer" in fold, "The check: its code is the solution." in fold) for fold in folds] == [
        (True, True)
    ]


def test_an_index_lists_all_pages_by_their_titles(tmp_path):
    paths = [ROOT / "notebooks" / "00_start_here.ipynb", ROOT / "exercises" / "03.ipynb"]
    write_index(write_html(paths, tmp_path), tmp_path)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'<li><a href="([^"]*)">(.*?)</a></li>', text)
    assert [place for place, _ in links] == ["notebooks/00_start_here.html", "exercises/03.html"]
    assert links[1][1] == "Exercise 3: Does “not significant” mean “equal”?"
    assert all((tmp_path / place).exists() for place, _ in links)
    assert "//" not in text  # nothing is fetched


def test_make_writes_them_all():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\nhtml: $(VENV)/ready\n\t@$(BIN)/python scripts/write_html.py\n" in makefile
