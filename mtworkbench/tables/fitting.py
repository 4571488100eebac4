"""Columns that fit a width: which are left out, and how names above them are shortened or broken into lines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from mtworkbench.characters import printable
from mtworkbench.words.document import Table, foot
from mtworkbench.words.frames import READABLE_NAME, WIDTH, Columns, Name, shorten

# Names are not made shorter than this for the sake of the width.
MIN_NAME = 6
# A heading that would take more lines is shortened in the middle.
MOST_LINES = 4


def terminal_width(text: str) -> int:
    """Count the columns of a terminal that a text takes: Chinese characters take two, combining accents none."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def fit_columns(columns: Columns, dispensable: Sequence[str], *, width: int = WIDTH, n_names: int = 1) -> Columns:
    """Leave out columns, in the order of ``dispensable``, until there is room for names that can be read.

    Of columns under several headings, the last counts. What has room in the end stays, the last left out first.
    """
    fitting, left_out = dict(columns), list[str]()
    names = [printable(text) for name, cells in list(columns.items())[:n_names] for text in (name, *cells)]
    needed = min(READABLE_NAME, max(map(terminal_width, names)))

    def has_room(kept: Columns) -> bool:
        texts = [(foot(head), *cells) for head, cells in kept.items()]
        widths = [max(terminal_width(printable(text)) for text in one) for one in texts]
        return room_for_names(texts, width - sum(widen([*kept], widths)) + sum(widths), n_names) >= needed

    for name in dispensable:
        if has_room(fitting):
            break
        fitting, left_out = _without(fitting, [name]), [name, *left_out]
    for name in left_out:
        more = _without(columns, [one for one in left_out if one != name and one not in map(foot, fitting)])
        fitting = more if has_room(more) else fitting
    return fitting


def widen(headings: Sequence[object], widths: Sequence[int]) -> list[int]:
    """Make the last column below a common heading as wide as the heading needs."""
    wide = [*widths]
    for group, each in groupby(enumerate(headings), lambda one: one[1][0] if isinstance(one[1], tuple) else one[0]):
        places = [place for place, _ in each]
        if isinstance(group, str):
            wide[places[-1]] += max(0, terminal_width(printable(group)) + 2 - sum(2 + wide[place] for place in places))
    return wide


def _without(columns: Columns, names: Sequence[str]) -> Columns:
    return {head: cells for head, cells in columns.items() if foot(head) not in names}


def room_for_names(columns: Sequence[Sequence[str]], width: int, n_names: int) -> int:
    """Return how wide each of the first ``n_names`` columns may be; columns are given with their headings."""
    taken = sum(2 + max(terminal_width(printable(text)) for text in texts) for texts in columns[n_names:])
    return (width - taken - 2 * (n_names - 1)) // n_names


def shorten_headings(columns: Columns, width: int) -> Columns:
    """Shorten the headings that are names, as far as a table of a width needs it."""
    names, short = _names_in(columns), dict[str, str]()
    if not names:
        return columns
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
    if not shown:
        return {}
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
    longest = max(terminal_width(printable(text)) for text in texts[0])
    return room_for_names(texts, width, 1) >= min(longest, 2 * READABLE_NAME)


def choose(table: Table, width: int) -> Table:
    """Return the table, or what is shown instead where a width is too small for it."""
    return table.instead if table.instead is not None and width < table.needs else table


def fit_headings(table: Table, width: int) -> Table:
    """Choose the table for a width, and shorten the names above its columns, also where marks are at them."""
    table = choose(table, width)
    columns = shorten_headings(dict(table.columns), width)
    new = dict(zip(table.columns, columns, strict=True))
    return replace(table, columns=columns, marks={(row, new[name]): mark for (row, name), mark in table.marks.items()})


def fit_table(table: Table, width: int) -> Columns:
    """Return the columns of a table for which there is room; names can be read, and no other cell is cut."""
    columns: Columns = {name: list(cells) for name, cells in table.columns.items()}
    for name in table.spare:
        *texts, (last, _) = [(head, (foot(head), *cells)) for head, cells in columns.items()]
        # Of the words at the right end, the heading counts.
        taken = sum(2 + max(terminal_width(printable(text)) for text in one) for _, one in texts)
        if taken + terminal_width(printable(last)) > width:
            columns.pop(name, None)
    return fit_columns(columns, table.dispensable, width=width, n_names=table.n_names)
