"""Write the notebooks and the exercises as web pages: python scripts/write_html.py [FOLDER], or make html.

They are written to html/ where no folder is given. What is written is what is stored: nothing is run. The pages ask for
nothing from a network, and links from one to another lead to the page of that notebook.
"""

import os
import re
import sys
from collections.abc import Iterable
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
        page, _ = exporter.from_notebook_node(notebook, resources={"metadata": {"name": path.stem}})
        page = FETCHING.sub("", page)
        target = Path(folder) / path.parent.name / f"{path.stem}.html"
        make_folder(target.parent)
        replace_file(target, LINK.sub(r"\1.html\2", page))
        pages.append(target)
    return pages


if __name__ == "__main__":
    shipped = sorted(path for name in ("notebooks", "exercises") for path in (ROOT / name).glob("*.ipynb"))
    write_html(shipped, sys.argv[1] if len(sys.argv) > 1 else ROOT / "html")
