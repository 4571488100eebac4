"""A notebook's cells in this process, on other data, and everything that a reader would see of them."""

from __future__ import annotations

import ast
import contextlib
import html
import io
import re
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import nbformat
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.text import Text

import mtworkbench
from mtworkbench.errors import DataWarning
from mtworkbench.plots.words import describe_figure

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


#: A row of a table as text has three columns or more.
ROW = re.compile(r"\S(?:.*?\S)??\s{2,}\S(?:.*?\S)??\s{2,}\S")


@dataclass
class Cell:
    """What a code cell shows.

    Parameters
    ----------
    source : str
    passages : list of str
        What is read as one piece, without line breaks: what is printed, a text of a figure, a paragraph.
    rows : list of str
        Rows of tables, as they are printed.
    printed : list of str
        What is printed, and what an object is as text: what a reader of the file sees without HTML.
    """

    source: str
    passages: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)

    def take(self, text: str) -> None:
        """Take a text that is printed: rows of tables apart, and what stands between them."""
        self.printed.append(text)
        lines: list[str] = []
        for line in [*text.splitlines(), ""]:
            is_row = bool(ROW.search(line))
            if is_row:
                self.rows.append(line.strip())
            if (is_row or not line.strip()) and lines:
                self.passages.append(" ".join(" ".join(lines).split()))
                lines = []
            elif not is_row:
                lines.append(line)


@dataclass
class Page:
    """A notebook that was run: what each cell shows, and what is left in the namespace."""

    cells: list[Cell]
    names: dict[str, Any]
    # What was saved, by its stem.
    frames: dict[str, pd.DataFrame]
    # The finding in the title of each figure that was saved, by its stem.
    titles: dict[str, str]
    explorers: list[Any]

    @property
    def text(self) -> str:
        """All that is read in one piece after the other."""
        return "\n".join(passage for cell in self.cells for passage in cell.passages)


def read_page(
    stem: str, data: dict[str, Any], changes: Sequence[tuple[str, str]] = (), left_out: Sequence[str] = ()
) -> Page:
    """Run a notebook's code cells in one namespace, in which the cell with the data is replaced by what is given.

    Parameters
    ----------
    stem : str
        The notebook's name without its ending.
    data : dict
        What the cell with the data would have put into the namespace.
    changes : list of (str, str)
        What is replaced in the cells, such as large numbers of draws; each must occur once.
    left_out : list of str
        How the cells begin that are not run; there must be such cells.
    """
    notebook = nbformat.read(NOTEBOOKS / f"{stem}.ipynb", as_version=4)
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    for long, _ in changes:
        assert "\n".join(sources).count(long) == 1, long
    for start in left_out:
        assert any(source.startswith(start) for source in sources), start
    page = Page([], {"mtw": mtworkbench}, {}, {}, [])
    saved = {"save_figure": _save_figure(page), "save_table": _save_table(page)}
    with contextlib.chdir(Path.cwd()), mock.patch.multiple(mtworkbench, create=True, **saved):
        for cell in notebook.cells:
            if cell.cell_type != "code":
                continue
            if "data" in cell.metadata.get("tags", []):
                page.names.update(data)
            elif not cell.source.startswith(tuple(left_out)):
                source = cell.source
                for long, short in changes:
                    source = source.replace(long, short)
                page.cells.append(_run_cell(source, page))
    for one in page.names.values():
        if isinstance(one, tempfile.TemporaryDirectory):
            one.cleanup()
    return page


def _save_figure(page: Page):
    def save_figure(figure, stem: str, *, frame: pd.DataFrame | None = None, **_: object) -> None:
        figure = figure if isinstance(figure, Figure) else figure.figure
        page.titles[stem] = " ".join(figure.get_suptitle().split())
        page.frames[stem] = frame

    return save_figure


def _save_table(page: Page):
    def save_table(frame: pd.DataFrame, stem: str, **_: object) -> None:
        page.frames[stem] = frame

    return save_table


def _run_cell(source: str, page: Page) -> Cell:
    cell = Cell(source)
    shown: list[Any] = []
    page.names["display"] = lambda *objects: shown.extend(objects)
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(io.StringIO()) as printed:
        warnings.simplefilter("error")
        warnings.simplefilter("always", DataWarning)
        with contextlib.redirect_stderr(printed):
            exec(compile(tree, "cell", "exec"), page.names)
            if last is not None:
                shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), page.names))
    cell.take(printed.getvalue())
    cell.passages += [str(one.message) for one in warned]
    for one in shown:
        _read(one, cell, page)
    for number in plt.get_fignums():
        _read(plt.figure(number), cell, page)
    plt.close("all")
    return cell


def _read(shown: Any, cell: Cell, page: Page) -> None:
    """Note what a reader sees of an object that a cell shows."""
    if isinstance(shown, Figure):
        cell.passages += [" ".join(text.get_text().split()) for text in shown.findobj(Text) if text.get_text()]
        cell.passages.append(describe_figure(shown))
    elif hasattr(shown, "sentence"):
        page.explorers.append(shown)
        cell.passages.append(shown.sentence)
        if getattr(shown, "figure", None) is not None:
            _read(shown.figure, cell, page)
    elif shown is not None:
        cell.take(repr(shown))
        if hasattr(shown, "_repr_html_"):
            paragraphs = re.split(r"</(?:p|li|h\d|summary|caption|td|th)>", shown._repr_html_())
            texts = (re.sub(r"<style.*?</style>|<[^>]*>", " ", one, flags=re.DOTALL) for one in paragraphs)
            cell.passages += [" ".join(html.unescape(text).split()) for text in texts if text.strip()]
