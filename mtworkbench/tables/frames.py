"""Frames as tables: rounding, alignment, and the escaping of everything that comes from data."""

from __future__ import annotations

import itertools
import math
import os
import re
import textwrap
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.characters import printable

#: Columns of a text that is written to a file; sentences are never wider, because longer lines are hard to read.
WIDTH = 100
# Names are not made shorter than this for the sake of the width.
MIN_NAME = 6
P_IN_A_SENTENCE = r"p(?: \([\w-]+\))? [=<] [0-9.]+"
# A number and the percent sign or the metric after it, whose name has a capital letter: 5 %, 0.5 BLEU, 2.1 chrF2++.
NUMBER_AND_UNIT = r"\d (?:%|[\w+-]*[A-Z])"
UNBROKEN = re.compile(f"{P_IN_A_SENTENCE}|{NUMBER_AND_UNIT}")
# Stands for a space where a line may not end: `printable` leaves no such character in a text.
JOINT = "\0"
# Names are made shorter than this only when every column that can be left out has been.
READABLE_NAME = 10
# A heading that would take more lines is shortened in the middle.
MOST_LINES = 4

MARKDOWN_ESCAPES = str.maketrans(
    {character: "\\" + character for character in "\\`*_[]|~$"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
)


class Cell(str):
    """A cell that the workbench itself has written, mostly a number: set to the right, and not escaped as data."""


class Name(str):
    """A heading that is the name of a system: where there is no room for it, it is shortened or broken into lines."""


Columns = dict[str, list[str]]


def frame_to_text(frame: pd.DataFrame, *, digits: int = 2) -> str:
    """Write a frame as an aligned table; floating-point numbers are rounded to ``digits`` decimals."""
    return columns_to_text(columns_of(frame, digits))


def frame_to_markdown(frame: pd.DataFrame, *, digits: int = 2) -> str:
    """Write a frame as a Markdown table; floating-point numbers are rounded to ``digits`` decimals."""
    return columns_to_markdown(columns_of(frame, digits))


def frame_to_csv(frame: pd.DataFrame, *, separator: str = ",") -> str:
    """Write a frame as CSV, unrounded; what is absent is empty. A tab as ``separator`` makes TSV.

    Text that a spreadsheet would take for a formula (it begins with ``= + - @``, a tab or a carriage return) gets an
    apostrophe before it. What could steer a terminal is written as an escape, except tabs and ends of lines.
    """
    columns = [frame[name].tolist() for name in frame.columns]
    rows = [map(str, frame.columns), *zip(*columns, strict=True)]
    return "".join((separator.join(map(_csv_cell, row)) or '""') + "\n" for row in rows)


def shorten(names: Sequence[str], width: int) -> dict[str, str]:
    """Shorten names to a width, or to the next one at which they can still be told apart.

    What all names begin and end with becomes an ellipsis first, then whole words in the middle of those that are still
    too long. A word is cut only where it is too long by itself, or where names could not be told apart otherwise.
    """
    names = list(dict.fromkeys(names))
    longest = max(map(len, names), default=0)
    if longest <= width:
        return {name: name for name in names}
    begin, ending = _shared_begin(names), _shared_begin([name[::-1] for name in names])
    if min(map(len, names)) <= begin + ending:  # nothing would be left of the shortest
        begin = ending = 0
    cores = [
        ("…" if begin > 2 else name[:begin])
        + name[begin : len(name) - ending]
        + ("…" if ending > 2 else name[len(name) - ending :])
        for name in names
    ]
    for wide in itertools.count(width):
        for cut in (_leave_out_words, _cut_middle):
            short = [cut(core, wide) for core in cores]
            if len(set(short)) == len(names):
                return dict(zip(names, short, strict=True))


def _shared_begin(names: Sequence[str]) -> int:
    """Return the length of the words that all names begin with."""
    words = re.match(r".*[\W_]", os.path.commonprefix(names)) if len(names) > 1 else None
    return len(words[0]) if words else 0


def _cut_middle(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width // 2] + "…" + name[len(name) - (width - 1) // 2 :]


def _leave_out_words(name: str, width: int) -> str:
    """Leave words out of the middle of a name; where none has room, cut it anywhere."""
    if len(name) <= width:
        return name
    words = re.findall(r"[\W_]*[^\W_]+[\W_]*", name)
    first = words[0] if words else name
    if len(first) >= width:
        return _cut_middle(name, width)
    begin, end = first, ""
    for word in reversed(words[1:]):
        if len(begin) + 1 + len(word) + len(end) > width:
            break
        end = word + end
    return f"{begin}…{end}"


def wrap(sentence: str, width: int = WIDTH) -> str:
    """Break a sentence into lines as `fill` does; lines are never longer than `WIDTH`."""
    return fill(printable(sentence), min(width, WIDTH))


def fill(text: str, width: int, *, indent: str = "") -> str:
    """Break a text into lines at spaces alone, but not within a p, nor between a number and its unit.

    All lines but the first begin with ``indent``.
    """
    joined = UNBROKEN.sub(lambda found: found[0].replace(" ", JOINT), text)
    lines = textwrap.fill(joined, width, break_on_hyphens=False, break_long_words=False, subsequent_indent=indent)
    return lines.replace(JOINT, " ")


def plain(value: Any) -> Any:
    """Return a value as JSON has it: numpy's scalars and arrays as Python's, NaN and NA as None."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (tuple, list, np.ndarray)):
        return [plain(element) for element in value]
    return None if value is pd.NA or (isinstance(value, float) and not math.isfinite(value)) else value


def number(value: float | None, digits: int) -> Cell:
    """Write a number; what is absent is empty."""
    return Cell("" if value is None or math.isnan(value) else fixed(value, digits))


def fixed(value: float, digits: int) -> str:
    """Write a number with so many decimals; what rounds to 0 has no sign."""
    shown = f"{value:.{digits}f}"
    return shown.removeprefix("-") if float(shown) == 0 else shown


def columns_of(frame: pd.DataFrame, digits: int) -> Columns:
    """Turn a frame into cells: numbers become figures, everything else is data."""

    def cell(value: Any) -> str:
        value = plain(value)
        if value is None or isinstance(value, float):
            return number(value, digits)
        return Cell(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)

    return {str(name): [cell(value) for value in frame[name].tolist()] for name in frame.columns}


def _csv_cell(value: Any) -> str:
    """Write a cell; the module csv would leave a lone carriage return without quotes, which ends a row."""
    value = plain(value)
    text = "" if value is None else str(value)
    if not text.isprintable():
        text = re.sub(r"[^\t\r\n]+", lambda found: printable(found[0]), text)
    if isinstance(value, str) and re.match("'*[=+\\-@\t\r]", text):  # with an apostrophe of its own, one more
        text = "'" + text
    return '"' + text.replace('"', '""') + '"' if re.search('[,"\t\r\n]', text) else text


def is_figures(cells: Sequence[str]) -> bool:
    """Tell whether a column holds what the workbench has written: it is set to the right."""
    return all(isinstance(cell, Cell) for cell in cells)


def _terminal_width(text: str) -> int:
    """Count the columns of a terminal that a text takes: Chinese characters take two, combining accents none."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def fit_columns(columns: Columns, dispensable: Sequence[str], *, width: int = WIDTH, n_names: int = 1) -> Columns:
    """Leave out columns, in the order of ``dispensable``, until there is room for names that can be read."""
    fitting = dict(columns)
    names = [printable(text) for name, cells in list(columns.items())[:n_names] for text in (name, *cells)]
    needed = min(READABLE_NAME, max(map(_terminal_width, names)))
    for name in dispensable:
        if _room_for_names([(head, *cells) for head, cells in fitting.items()], width, n_names) >= needed:
            break
        fitting.pop(name, None)
    return fitting


def _room_for_names(columns: Sequence[Sequence[str]], width: int, n_names: int) -> int:
    """Return how wide each of the first ``n_names`` columns may be; columns are given with their headings."""
    taken = sum(2 + max(_terminal_width(printable(text)) for text in texts) for texts in columns[n_names:])
    return (width - taken - 2 * (n_names - 1)) // n_names


def shorten_headings(columns: Columns, width: int) -> Columns:
    """Shorten the headings that are names, as far as a table of a width needs it."""
    names, short = _names_in(columns), dict[str, str]()
    for length in _lengths(names, width):
        short = shorten(names, length)
        if _has_room(columns, {name: [text] for name, text in short.items()}, width):
            break
    return {short.get(name, name): cells for name, cells in columns.items()}


def break_headings(columns: Columns, width: int) -> dict[str, list[str]]:
    """Break the headings that are names into lines, as many as a table of a width needs, so that they stay whole.

    Lines end after a word; a word is broken only where it is wider than a line. Only a name that would take more than
    `MOST_LINES` lines is shortened.
    """
    shown = {name: printable(name) for name in _names_in(columns)}
    lines: dict[str, list[str]] = {}
    for length in _lengths(shown.values(), width):
        short = shorten([*shown.values()], MOST_LINES * length)
        lines = {name: _break_name(short[text], length) for name, text in shown.items()}
        if _has_room(columns, lines, width):
            break
    return lines


def _names_in(columns: Columns) -> list[str]:
    return [name for name in columns if isinstance(name, Name)]


def _lengths(names: Iterable[str], width: int) -> range:
    """Return the lengths that names may be given in a table of a width, the longest first."""
    longest = min(width, max(map(len, names), default=0))
    return range(longest, min(longest, MIN_NAME) - 1, -1)


def _break_name(name: str, width: int) -> list[str]:
    """Break a name into lines, after words if they are not wider, and before brackets."""
    lines = [""]
    for word in re.findall(r"[([{]*[^\W_]+(?:[^\w([{]|_)*|[\W_]+", name):
        if len(lines[-1] + word.rstrip()) > width and lines[-1]:
            lines.append("")
        lines[-1] += word
        while len(lines[-1].rstrip()) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return [line.strip() for line in lines]


def _has_room(columns: Columns, headings: Mapping[str, Sequence[str]], width: int) -> bool:
    """Tell whether a table has room for headings in lines, and for names of its rows that can be read."""
    texts = [[*headings.get(name, (name,)), *cells] for name, cells in columns.items()]
    longest = max(_terminal_width(printable(text)) for text in texts[0])
    return _room_for_names(texts, width, 1) >= min(longest, 2 * READABLE_NAME)


def columns_to_text(
    columns: Columns,
    *,
    n_names: int = 1,
    width: int = WIDTH,
    headings: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Align columns; the first ``n_names``, which hold names, are shortened where the table would exceed ``width``.

    ``headings`` has the lines of those headings that are broken: see `break_headings`.
    """
    lines = [(headings or {}).get(name, (name,)) for name in columns]
    top = max(map(len, lines), default=1)
    shown = [
        [*[""] * (top - len(heading)), *(printable(text) for text in (*heading, *cells))]
        for heading, cells in zip(lines, columns.values(), strict=True)
    ]
    room = _room_for_names(shown, width, n_names)
    short = shorten([text for texts in shown[:n_names] for text in texts[top:]], max(room, MIN_NAME))
    for texts in shown[:n_names]:
        texts[top:] = [short[text] for text in texts[top:]]
    for texts, cells in zip(shown, columns.values(), strict=True):
        width = max(map(_terminal_width, texts))
        pads = [" " * (width - _terminal_width(text)) for text in texts]
        right = is_figures(cells)
        texts[:] = [pad + text if right else text + pad for pad, text in zip(pads, texts, strict=True)]
    return "".join("  ".join(row).rstrip() + "\n" for row in zip(*shown, strict=True))


def columns_to_markdown(
    columns: Columns,
    *,
    bold: Collection[tuple[int, str]] = (),
    marks: Mapping[tuple[int, str], str] | None = None,
) -> str:
    """Write columns as a table in GitHub's Markdown; bold cells and marks are by row and column."""
    rules = ["---:" if is_figures(cells) else ":---" for cells in columns.values()]

    def shown(name: str, row: int, cell: str) -> str:
        cell = cell if isinstance(cell, Cell) else escape_markdown(cell)
        return (f"**{cell}**" if (row, name) in bold else cell) + (marks or {}).get((row, name), "")

    cells = [[shown(name, row, cell) for row, cell in enumerate(cells)] for name, cells in columns.items()]
    rows = [[escape_markdown(name) for name in columns], rules, *zip(*cells, strict=True)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def escape_markdown(text: str) -> str:
    """Escape what means something to Markdown or HTML."""
    return printable(text).translate(MARKDOWN_ESCAPES)
