"""Documents and columns in GitHub's Markdown; everything that comes from data is escaped."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from mtworkbench.characters import printable
from mtworkbench.tables.fitting import fit_headings
from mtworkbench.words.document import Document, end_heading
from mtworkbench.words.frames import Bold, Cell, Columns, columns_of, is_figures, with_minus

MARKDOWN_ESCAPES = str.maketrans(
    {character: "\\" + character for character in "\\`*_[]|~$"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
)


def frame_to_markdown(frame: pd.DataFrame, *, digits: int = 2) -> str:
    """Write a frame as a Markdown table; floating-point numbers are rounded to ``digits`` decimals."""
    return columns_to_markdown(columns_of(frame, digits))


def columns_to_markdown(columns: Columns, *, marks: Mapping[tuple[int, str], str] | None = None) -> str:
    """Write columns as a table in GitHub's Markdown; marks are by row and column."""
    rules = ["---:" if is_figures(cells) else ":---" for cells in columns.values()]

    def shown(name: str, row: int, cell: str) -> str:
        written = with_minus(cell) if isinstance(cell, Cell) else escape_markdown(cell)
        return (f"**{written}**" if isinstance(cell, Bold) else written) + (marks or {}).get((row, name), "")

    cells = [[shown(name, row, cell) for row, cell in enumerate(cells)] for name, cells in columns.items()]
    rows = [[escape_markdown(name) for name in columns], rules, *zip(*cells, strict=True)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def document_to_markdown(document: Document, width: int) -> str:
    """Write a document in Markdown; a table that would be wider than so many characters counts instead."""
    parts = [_paragraph(one) for one in document.headline]
    for section in document.sections:
        name = f"**{escape_markdown(section.name)}**{escape_markdown(section.heading)}\n" if section.name else ""
        parts.append(name)
        for table in section.tables:
            chosen = fit_headings(table, width)
            written = columns_to_markdown(dict(chosen.columns), marks=chosen.marks)
            parts += [_paragraph(end_heading(chosen.heading)), written, _paragraph(chosen.caption)]
        parts += [_paragraph(one) for one in section.notes]
    parts += [_paragraph(one) for one in (*document.notes, *document.explanation)]
    parts.append("".join(f"- {_paragraph(one)}" for one in document.listed))
    return "\n".join(filter(None, [*parts, *(f"{escape_markdown(one)}\n" for one in document.signatures)]))


def _paragraph(text: str) -> str:
    return f"{escape_markdown(with_minus(text))}\n" if text else ""


def escape_markdown(text: str) -> str:
    """Escape what means something to Markdown or HTML."""
    return printable(text).translate(MARKDOWN_ESCAPES)
