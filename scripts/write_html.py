"""Write the notebooks and the exercises as web pages: python scripts/write_html.py [FOLDER], or make html.

They are written to html/ where no folder is given, with a list of all of them in html/index.html. What is written is
what is stored: nothing is run. The pages ask for nothing from a network, and links from one to another lead to the page
of that notebook.
"""

import os
import re
import sys
from collections.abc import Iterable
from html import escape
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter

from mtworkbench.writing import make_folder, replace_file

ROOT = Path(__file__).resolve().parent.parent
# Of an <a>: what leads to a notebook that has a page, with or without a heading.
LINK = re.compile(r'(<a [^>]*href="(?!https?:)[^"#]*)\.ipynb(["#])')
# What nbconvert would fetch, for mathematics, widgets and diagrams: without a kernel, the notebooks have none of these.
FETCHING = re.compile(
    r'<script (?:src=""|type="text/x-mathjax-config"|type="module")>(?:(?!</script>).)*</script>', re.DOTALL
)
# nbconvert closes <u> before the words of a link.
UNDERLINED = "<style>.jp-RenderedMarkdown a:not(.anchor-link){text-decoration:underline}</style>"
# Of a page: its first heading, without the sign that links to it.
TITLE = re.compile(r"<h1[^>]*>(.*?)(?:<a [^>]*>[^<]*</a>)?</h1>", re.DOTALL)
FETCHED = ("require_js_url", "jquery_url", "mathjax_url", "mermaid_js_url", "jupyter_widgets_base_url")


def write_html(notebooks: Iterable[Path], folder: str | os.PathLike[str]) -> list[Path]:
    """Write each notebook as one web page, in a folder of the name of its own.

    Parameters
    ----------
    notebooks : iterable of Path
    folder : path
        Made where it is missing.

    Returns
    -------
    list of Path
        The pages.
    """
    exporter = HTMLExporter(embed_images=True, **dict.fromkeys(FETCHED, ""))
    pages = []
    for path in notebooks:
        notebook = nbformat.read(path, as_version=4)
        folded = take_hidden(notebook)
        page, _ = exporter.from_notebook_node(notebook, resources={"metadata": {"name": path.stem}})
        page = FETCHING.sub("", page).replace("</head>", f"{UNDERLINED}</head>", 1)
        for mark, fold in folded.items():
            page = page.replace(mark, fold)
        target = Path(folder) / path.parent.name / f"{path.stem}.html"
        make_folder(target.parent)
        replace_file(target, LINK.sub(r"\1.html\2", page))
        pages.append(target)
    return pages


def take_hidden(notebook: nbformat.NotebookNode) -> dict[str, str]:
    """Take out the code that JupyterLab hides, the check of an exercise, which nbconvert would show.

    Returns
    -------
    dict of str to str
        What stands in its place on the page, and what is to stand there: the code, folded away.
    """
    folded = {}
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and cell.metadata.get("jupyter", {}).get("source_hidden"):
            notebook.cells[place] = nbformat.v4.new_markdown_cell(f"hidden-code-{place}")
            code = f"<pre><code>{escape(cell.source)}</code></pre>"
            said = "<summary>The check: its code is the solution.</summary>"
            folded[f"<p>hidden-code-{place}</p>"] = f"<details>{said}{code}</details>"
    return folded


def write_index(pages: Iterable[Path], folder: str | os.PathLike[str]) -> None:
    """Write the page that lists all pages by their titles.

    Parameters
    ----------
    pages : iterable of Path
        As `write_html` returns them.
    folder : path
        In which they are.
    """
    items = []
    for page in pages:
        title = TITLE.search(page.read_text(encoding="utf-8"))
        place = page.relative_to(folder).as_posix()
        items.append(f'<li><a href="{escape(place)}">{title[1] if title else escape(page.stem)}</a></li>')
    name = "Notebooks and exercises of mtworkbench"
    head = (
        f'<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{name}</title></head>'
    )
    look = "font: 16px/1.6 system-ui, sans-serif; max-width: 45em; margin: 2em auto; padding: 0 1em"
    listed = "\n".join(items)
    body = f'<body style="{look}"><h1>{name}</h1>\n<ul>\n{listed}\n</ul></body>'
    replace_file(Path(folder) / "index.html", f'<!DOCTYPE html>\n<html lang="en">{head}\n{body}</html>\n')


if __name__ == "__main__":
    shipped = [path for name in ("notebooks", "exercises") for path in sorted((ROOT / name).glob("*.ipynb"))]
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "html"
    write_index(write_html(shipped, target), target)
