"""What the documentation site takes from the package when it is built: reference pages, and pictures of notebooks.

A page says ``<!-- generated: command_line -->`` where the module of this name writes Markdown. It may have an argument:
``<!-- generated: public_names mtworkbench.plots -->``.
"""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARK = re.compile(r"<!-- generated: (\w+)(?: ([\w.]+))? -->")
# A link to a heading of a notebook, in JupyterLab's form.
HEADING = re.compile(r"(\.ipynb#)([^)\s\"\\]+)")


def fill_page(text: str) -> str:
    """Return a page with what its marks stand for."""
    return MARK.sub(lambda mark: import_module(f"{__name__}.{mark[1]}").write(*filter(None, [mark[2]])), text)


def link_headings(text: str) -> str:
    """Return a page whose links to headings of notebooks have the form that the site's headings have."""
    return HEADING.sub(lambda link: link[1] + re.sub(r"[^\w-]", "", link[2].lower()), text)


def fold_hidden(text: str) -> str:
    """Return a notebook whose hidden code, such as the check of an exercise, is folded away."""
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        if cell["metadata"].get("jupyter", {}).get("source_hidden"):
            cell["metadata"].setdefault("tags", []).append("hide-input")
    return json.dumps(notebook)


def read_source(app, name: str, source: list[str]) -> None:
    """Change a page before Sphinx reads it."""
    filled = fill_page(source[0])
    if filled != source[0]:
        app.env.note_reread()  # the package may have changed
    source[0] = link_headings(filled)
    if app.env.doc2path(name).endswith(".ipynb"):
        source[0] = fold_hidden(source[0])


def setup(app) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("source-read", read_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
