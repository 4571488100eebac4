"""What the documentation site takes from the package when it is built: reference pages, and pictures of notebooks.

A page says ``<!-- generated: command_line -->`` where the module of this name writes Markdown. It may have an argument:
``<!-- generated: public_names mtworkbench.plots -->``.
"""

from __future__ import annotations

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


def read_source(app: object, name: str, source: list[str]) -> None:
    """Change a page before Sphinx reads it."""
    source[0] = link_headings(fill_page(source[0]))


def setup(app) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("source-read", read_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
