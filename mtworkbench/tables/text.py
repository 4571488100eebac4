"""Documents and columns as text, aligned for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from mtworkbench.characters import printable
from mtworkbench.tables.fitting import (
    MIN_NAME,
    break_headings,
    choose,
    fit_table,
    room_for_names,
    terminal_width,
    widen,
)
from mtworkbench.tables.passages import passages_to_text
from mtworkbench.wording import listed
from mtworkbench.words.document import MORE, Document, Table, end_heading, foot
from mtworkbench.words.frames import WIDTH, Columns, columns_of, is_figures, shorten, wrap

# Wider than any table.
NEVER_CUT = 10_000


def frame_to_text(frame: pd.DataFrame, *, digits: int = 2) -> str:
    """Write a frame as an aligned table; floating-point numbers are rounded to ``digits`` decimals."""
    return columns_to_text(columns_of(frame, digits))


def columns_to_text(
    columns: Columns, *, n_names: int = 1, width: int = WIDTH, headings: Mapping[str, Sequence[str]] | None = None
) -> str:
    """Align columns; the first ``n_names``, which hold names, are shortened where the table would exceed ``width``.

    ``headings`` has the lines of those headings that are broken: see `break_headings`.
    """
    lines = [(headings or {}).get(name, (foot(name),)) for name in columns]
    top = max(map(len, lines), default=1)
    shown = [
        [*[""] * (top - len(heading)), *(printable(text) for text in (*heading, *cells))]
        for heading, cells in zip(lines, columns.values(), strict=True)
    ]
    room = room_for_names(shown, width, n_names)
    short = shorten([text for texts in shown[:n_names] for text in texts[top:]], max(room, MIN_NAME))
    for texts in shown[:n_names]:
        texts[top:] = [short[text] for text in texts[top:]]
    widths = widen([*columns], [max(map(terminal_width, texts)) for texts in shown])
    for texts, cells, width in zip(shown, columns.values(), widths, strict=True):
        pads = [" " * (width - terminal_width(text)) for text in texts]
        right = is_figures(cells)
        texts[:] = [pad + text if right else text + pad for pad, text in zip(pads, texts, strict=True)]
    above = _head_groups([*columns], widths)
    return above + "".join("  ".join(row).rstrip() + "\n" for row in zip(*shown, strict=True))


def _head_groups(headings: Sequence[object], widths: Sequence[int]) -> str:
    """Write the headings that stand above those of several columns, each where its first column begins."""
    line, end = "", 0
    for heading, width in zip(headings, widths, strict=True):
        group = printable(heading[0]) if isinstance(heading, tuple) else ""
        line = line if not group or line.rstrip().endswith(f"  {group}") else f"{line:<{end}}  {group}"
        end += width + 2
    return f"{line[2:]}\n" if line else ""


def document_to_text(document: Document, width: int = WIDTH, *, coloured: bool = False) -> str:
    """Write a document for a terminal: sentences are wrapped, and columns left out where there is no room for them.

    Texts of segments are marked in colour where the terminal takes it, else with signs.
    """
    left_out, parts = _LeftOut(), [_sentences(document.headline, width)]
    for section in (*document.sections, *document.details):
        parts += [_sentences(section.headline, width), _sentences([f"{section.name}{section.heading}"], width)]
        parts += [passages_to_text(section.texts, width, coloured=coloured)] if section.texts is not None else []
        for table in section.tables:
            chosen = choose(table, width)
            fitting = fit_table(chosen, width)
            left_out.note(section.name, chosen.columns, fitting)
            above = _sentences([end_heading(chosen.heading), chosen.caption], width)
            parts.append(above + _table(chosen, fitting, width))
        legend = " ".join(one for one in section.legend if not one.startswith(left_out.begins()))
        parts.append(_sentences([legend, *section.notes], width))
    in_details = any(MORE in section.notes for section in document.sections)
    how = f"see {'--details or ' if in_details else ''}a wider terminal"
    explained = [one for one in document.explanation if not one.startswith(left_out.begins())]
    parts += [_sentences(said, width) for said in ([*left_out.say(how), *document.notes, *explained], document.listed)]
    parts.append("".join(f"{printable(one)}\n" for one in document.signatures))  # whole, to be copied
    return "\n".join(filter(None, parts))


def _sentences(sentences: Iterable[str], width: int) -> str:
    return "".join(f"{wrap(sentence, width)}\n" for sentence in sentences if sentence)


def _table(table: Table, fitting: Columns, width: int) -> str:
    """Align the columns that fit; names above columns are broken into lines, and names of rows shortened."""
    headings = break_headings(fitting, width)
    return columns_to_text(fitting, n_names=table.n_names, width=width if table.cut else NEVER_CUT, headings=headings)


class _LeftOut:
    """The columns for which there was no room, by the sections that have them."""

    def __init__(self) -> None:
        self._fits: dict[str, dict[str, list[bool]]] = {}  # by column and section, for each table

    def note(self, section: str, columns: Iterable[str], fitting: Columns) -> None:
        """Keep which columns of a table fit."""
        for name in columns:
            self._fits.setdefault(foot(name), {}).setdefault(section, []).append(name in fitting)

    def begins(self) -> tuple[str, ...]:
        """Return how the explanations begin of columns that are nowhere."""
        return tuple(f"{name}: " for name, ones in self._fits.items() if not any(map(any, ones.values())))

    def say(self, how: str) -> list[str]:
        """Say which columns had no room in some table, and in which sections if not in all, and ``how`` to see them.

        What the sections without a name have no room for is not said where others have it: those are the details.
        """
        missing = {name: [of for of, fits in ones.items() if not all(fits)] for name, ones in self._fits.items()}
        whole = {name for name, of in missing.items() if len(of) == len(self._fits[name])}
        named = {name: [*filter(None, of)] for name, of in missing.items()}
        names = [
            name if name in whole else f"{name} ({listed(named[name])})"
            for name, of in missing.items()
            if name in whole or named[name]
        ]
        return [f"Columns left out at this width: {listed(names)}; {how}."] if names else []
