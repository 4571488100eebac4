"""The links between notebooks, exercises and pages: each leads to a file, and to a heading, that exists."""

import re
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest

from mtworkbench.notebooks import copy_shipped

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGES = [*NOTEBOOKS, *sorted((ROOT / "exercises").glob("*.ipynb")), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def read_markdown(path: Path) -> str:
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def find_anchors(path: Path) -> set[str]:
    """Return the names of the headings in links: JupyterLab's form for notebooks, GitHub's for pages."""
    headings = re.findall(r"^#+ (.+)$", read_markdown(path), re.MULTILINE)
    if path.suffix == ".ipynb":
        return {heading.replace(" ", "-") for heading in headings}
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_what_exists(path):
    for target, heading in LINK.findall(read_markdown(path)):
        linked = (path.parent / unquote(target)).resolve() if target else path
        assert linked.exists(), target
        assert not heading or unquote(heading) in find_anchors(linked), f"{target}#{heading}"


def test_pages_that_code_cites_are_in_the_repository():
    modules = [
        path for folder in ("mtworkbench", "tests", "scripts", "benchmarks") for path in (ROOT / folder).rglob("*.py")
    ]
    cited = {name for path in modules for name in re.findall(r"\b[A-Z]+\.md\b", path.read_text(encoding="utf-8"))}
    assert cited and {name for name in cited if not (ROOT / name).exists()} == set()


def test_links_lead_from_copy_to_copy_in_the_folder_of_lab(tmp_path):
    copy_shipped(tmp_path)
    pages = [path for path in tmp_path.rglob("*") if path.suffix in (".ipynb", ".md")]
    assert {path.relative_to(tmp_path).parts[0] for path in pages} == {"notebooks", "exercises", "docs", "data"}
    for path in pages:
        for target, _ in LINK.findall(read_markdown(path)):
            linked = (path.parent / unquote(target)).resolve()
            assert linked.is_relative_to(tmp_path.resolve()) and linked.exists(), f"{path}: {target}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_name_each_other_by_links(path):
    """A name in code quotes alone cannot be followed in JupyterLab."""
    names = "|".join(other.stem for other in NOTEBOOKS)
    assert re.findall(rf"(?<!\[)`(?:{names})`", read_markdown(path)) == []
    for name, target in re.findall(rf"\[<u>({names})</u>\]\(([^)#]*)", read_markdown(path)):
        assert target == f"{name}.ipynb"


@pytest.mark.parametrize("path", [path for path in PAGES if path.suffix == ".ipynb"], ids=lambda path: path.stem)
def test_links_of_notebooks_look_like_links(path):
    """JupyterLab underlines none, and code in a link has the colour of code."""
    names = re.findall(r"\[([^]]*)\]\(", read_markdown(path))
    assert [name for name in names if not re.fullmatch("<u>[^`]*</u>", name)] == []
