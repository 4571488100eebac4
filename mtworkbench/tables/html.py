"""HTML of everything that a notebook shows: one style, one table, one way to fold; all text from data is escaped.

Where a page drops the style, the tables remain readable: alignment is an attribute, and what matters is said in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from mtworkbench.characters import printable
from mtworkbench.errors import DataWarning
from mtworkbench.shown import look
from mtworkbench.tables.fitting import fit_headings
from mtworkbench.words.document import AnyColumns, Document, Section, Table, end_heading, without_empty
from mtworkbench.words.frames import Bold, Cell, is_figures, with_minus
from mtworkbench.words.lines import Sentences

# Characters: a table that would be wider counts instead.
WIDEST = 220
# Of a warning, in the colour of the text.
SIGN = "\N{WARNING SIGN}\N{VARIATION SELECTOR-15}"
# Where a sentence ends within a line.
END = re.compile(r"(?<=\.) (?=[A-Z“])")

# JupyterLab's variables, which follow its theme; elsewhere the colours of the text around the table. Selectors name the
# class twice where they must win over JupyterLab's own style of tables. A table of texts wraps them rather than be
# wider than a page; names of rows could then break at any letter, so a table that has them scrolls.
STYLE = f"<style>\n{Path(__file__).with_name('style.css').read_text(encoding='utf-8')}</style>"


# Without a style, cells are at the left by themselves, headings in the middle.
LEFT, RIGHT = ' align="left"', ' align="right"'


def show_html(*parts: str) -> str:
    """Put parts of HTML into the element that has the style, and in which nothing is typeset as mathematics."""
    return f'<div class="mtw tex2jax_ignore mathjax_ignore">{"".join(parts)}{STYLE}</div>'


def paragraph(text: str, *, bold: bool = False) -> str:
    """Write text from data as a paragraph."""
    return f"<p><b>{clean(text)}</b></p>" if bold else f"<p>{clean(text)}</p>"


def bullets(sentences: Iterable[str]) -> str:
    """Write sentences from data as a list; nothing where there are none."""
    items = "".join(f"<li>{clean(one)}</li>" for one in sentences)
    return f"<ul>{items}</ul>" if items else ""


def sentences_to_html(said: Sentences) -> str:
    """Write sentences for a notebook: what was found in bold, the other lines as a list, what is in brackets below."""
    first, *lines = [line.strip() for line in said.lines]
    found, *more = END.split(first, maxsplit=1) if said.finding else [first]
    head = f"<p>{f'<b>{clean(found)}</b>' if said.finding else clean(found)} {''.join(map(clean, more))}</p>"
    if not (said.finding or first.endswith(":")):
        head, lines = "", [first, *lines]
    notes = [line for line in lines if line.startswith("(")]
    items = [line for line in lines if line not in notes]
    below = [bullets(items)] if len(items) > 1 else map(paragraph, items)
    return show_html(head, *below, *map(paragraph, notes))


def warning_to_html(warning: DataWarning) -> str:
    """Write what was noticed in the data for a notebook: several follow each other as the lines of a list."""
    return show_html(f'<p class="mtw-warning" role="note">{SIGN} {clean(str(warning))}</p>')


def fold(summary: str, *parts: str) -> str:
    """Fold parts of HTML away under a line that says what they are; nothing where there are none."""
    inside = "".join(parts)
    return f"<details><summary>{clean(summary)}</summary><div>{inside}</div></details>" if inside else ""


def side_by_side(*folds: str) -> str:
    """Put what is folded away into one row, of which each part takes the whole width when it is open."""
    inside = "".join(folds)
    return f'<div class="mtw-folds">{inside}</div>' if inside else ""


def signature_to_html(signature: str) -> str:
    """Write a signature, which may break anywhere, after its name."""
    name, _, value = signature.partition(": ")
    return f"<p>{clean(name)}: <code>{clean(value)}</code></p>"


def table_to_html(columns: AnyColumns, caption: str = "", *, label: str = "", n_heads: int = 1) -> str:
    """Write columns as a table that scrolls by mouse and keyboard where it is too wide.

    Parameters
    ----------
    columns : mapping of str or tuple of str to sequence of str
        Figures (`Cell`) stand at the right. Equal headings above neighbours are one.
    caption : str, optional
        What the table is, above it.
    label : str, optional
        What a screen reader calls it; the caption if not given.
    n_heads : int, optional
        How many columns at the left name the rows.
    """
    rights = [RIGHT if is_figures(cells) else "" for cells in columns.values()]
    shown = [
        [_cell(cell, column < n_heads, rights[column]) for cell in cells]
        for column, cells in enumerate(columns.values())
    ]
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*shown, strict=True))
    head = "".join(f"<tr>{''.join(_heading_row(columns, level, rights))}</tr>" for level in range(_n_levels(columns)))
    # Not a <caption>: that would break its lines at the width of the table.
    above = f'<p class="mtw-caption">{clean(caption)}</p>' if caption else ""
    named = clean(label or caption or "table")
    return (
        f'{above}<div class="mtw-scroll" role="region" tabindex="0" aria-label="{named}"><table aria-label="{named}">'
        f"{_groups(columns)}<thead>{head}</thead><tbody>{body}</tbody></table></div>"
    )


def show_result(result: object) -> str:
    """Write a result as HTML: the registry says which document it is."""
    return document_to_html(look(result, "document"))


def document_to_html(document: Document) -> str:
    """Write a document for a notebook: the headline, what is shown of the sections, and the rest folded away."""
    head = [_sentence(one, bold=place == 0) for place, one in enumerate(document.headline)]
    sections = [_section(one, folded=one.folded) for one in document.sections]
    folds = [
        *(_section(one, folded=True) for one in document.details),
        fold("What the columns mean", *map(_sentence, document.explanation)),
        fold("How to reproduce the numbers", *map(signature_to_html, document.signatures)),
    ]
    end = side_by_side(*folds) if document.in_row else "".join(folds)
    return show_html(*head, *sections, *map(_sentence, document.notes), end)


def _sentence(text: str, *, bold: bool = False) -> str:
    return paragraph(with_minus(text), bold=bold)


def _section(section: Section, *, folded: bool) -> str:
    heading = f"{section.name}{section.heading}"
    below = [*filter(None, [" ".join(section.legend)]), *section.notes]
    parts = [*map(_table, section.tables), *map(_sentence, below)]
    if folded:
        return fold(heading, *parts)
    return "".join([*([paragraph(f"{heading}.", bold=True)] if heading else []), *parts])


def _table(table: Table) -> str:
    chosen = fit_headings(table, WIDEST)
    caption = chosen.caption or end_heading(chosen.heading)
    label = chosen.label or chosen.caption or chosen.heading
    return table_to_html(without_empty(chosen.columns), caption, label=label, n_heads=chosen.n_names)


def clean(text: str) -> str:
    """Escape text for HTML, and characters that would turn its direction."""
    return escape(printable(text))


def _n_levels(columns: AnyColumns) -> int:
    return max((len(name) for name in columns if isinstance(name, tuple)), default=1)


def _cell(cell: str, is_head: bool, right: str) -> str:
    text = clean(with_minus(cell) if isinstance(cell, Cell) else cell)
    if isinstance(cell, Bold):
        text = f"<b>{text}</b>"
    return f'<th scope="row"{right or LEFT}>{text}</th>' if is_head else f"<td{right}>{text}</td>"


def _heading_row(columns: AnyColumns, level: int, rights: Sequence[str]) -> Iterable[str]:
    """Write one row of headings; one heading above several columns spans them."""
    n_levels = _n_levels(columns)
    levels = [name if isinstance(name, tuple) else ("",) * (n_levels - 1) + (name,) for name in columns]
    numbered = enumerate(name[: level + 1] for name in levels)
    for name, group in groupby(numbered, key=lambda item: item[1]):
        places = [place for place, _ in group]
        if level == n_levels - 1 or not name[-1]:
            yield from (_heading(name[-1], 'scope="col"' + (rights[place] or LEFT)) for place in places)
        else:
            span = f' colspan="{len(places)}"' if len(places) > 1 else ""
            yield _heading(name[-1], f'scope="colgroup"{span} align="center"')


def _groups(columns: AnyColumns) -> str:
    """Mark which columns stand under one heading."""
    if _n_levels(columns) == 1:
        return ""
    tops = groupby(name[0] if isinstance(name, tuple) else "" for name in columns)
    return "".join(f'<colgroup span="{len(list(group))}"></colgroup>' for _, group in tops)


def _heading(name: str, attributes: str) -> str:
    return f"<th {attributes}>{clean(name)}</th>" if name else "<td></td>"
