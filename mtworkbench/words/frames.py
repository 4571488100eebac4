"""What tables are made of, before any format: cells and columns, rounded numbers, shortened names, lines of text."""

from __future__ import annotations

import itertools
import math
import os
import re
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.characters import printable

#: Columns of a text that is written to a file; sentences are never wider, because longer lines are hard to read.
WIDTH = 100
P_IN_A_SENTENCE = r"p(?: \([\w-]+\))? [=<] [0-9.]+"
# A number and the percent sign or the metric after it, whose name has a capital letter: 5 %, 0.5 BLEU, 2.1 chrF2++.
NUMBER_AND_UNIT = r"\d (?:%|[\w+-]*[A-Z])"
# Two systems, unless their names are long: new - base.
PAIR = r"(?<!\S)\S{1,24} - \S{1,24}"
# [-1.19, <0], and (--unit block).
INTERVAL = r"\[[>-]?[\d.]+, [<-]?[\d.]+\]"
OPTION = r"--[a-z-]+ \w+(?=\))"
UNBROKEN = re.compile(f"{P_IN_A_SENTENCE}|{NUMBER_AND_UNIT}|{PAIR}|{INTERVAL}|{OPTION}")
# A number has its minus at the beginning, after a bracket or a sign, or after one of the words of our sentences.
_BEFORE_A_NUMBER = "of|to|CI|and|or|be|is|are|from|between|by|than|observed|contributes|together|brevity penalty"
MINUS = re.compile(rf"(^|[\[(=~,;:] ?|\b(?:{_BEFORE_A_NUMBER}) )-(?=\d)")
# Stands for a space where a line may not end: `printable` leaves no such character in a text.
JOINT = "\0"
# Names are made shorter than this only when every column that can be left out has been.
READABLE_NAME = 10
#: Another level is named where something is called shown.
USUAL_LEVEL = 0.95


class Cell(str):
    """A cell that the workbench itself has written, mostly a number: set to the right, and not escaped as data."""


class Bold(Cell):
    """A figure or a word that stands out."""


class Name(str):
    """A heading that is the name of a system: where there is no room for it, it is shortened or broken into lines."""


Columns = dict[str, list[str]]


def shorten(names: Sequence[str], width: int) -> dict[str, str]:
    """Shorten names to a width, or to the next one at which they can still be told apart.

    What all names begin and end with becomes an ellipsis first, then whole words in the middle of those that are still
    too long. A word is cut only where it is too long by itself, or where names could not be told apart otherwise. Where
    some of what is left has no letter (``…02``), words of the shared beginning stay: as many as there is room for.
    """
    names = list(dict.fromkeys(names))
    longest = max(map(len, names), default=0)
    if longest <= width:
        return {name: name for name in names}
    begin, ending = _shared_begin(names), _shared_begin([name[::-1] for name in names])
    if min(map(len, names)) <= begin + ending:  # nothing would be left of the shortest
        begin = ending = 0
    rest = [name[begin : len(name) - ending] for name in names]
    after = "…" if ending > 2 else names[0][len(names[0]) - ending :]
    before = "…" if begin > 2 else names[0][:begin]
    if begin > 2 and not all(re.search(r"[^\W\d_]", one) for one in rest):
        before = _first_words(names[0][:begin], width - max(map(len, rest)) - len(after) - 1) + "…"
    cores = [before + one + after for one in rest]
    for wide in itertools.count(width):
        for cut in (_leave_out_words, cut_middle):
            short = [cut(core, wide) for core in cores]
            if len(set(short)) == len(names):
                return dict(zip(names, short, strict=True))
    raise AssertionError("names that differ can be told apart at some width")


def _first_words(text: str, width: int) -> str:
    """Return as many whole words as a width holds, with what separates them from the next one."""
    ends = [0, *(match.end() for match in re.finditer(r"[^\W_]+[\W_]*", text))]
    return text[: max(end for end in ends if end <= max(0, width))]


def _shared_begin(names: Sequence[str]) -> int:
    """Return the length of the words that all names begin with."""
    words = re.match(r".*[\W_]", os.path.commonprefix(names)) if len(names) > 1 else None
    return len(words[0]) if words else 0


def cut_middle(name: str, width: int) -> str:
    """Leave out the middle of what is longer than a width."""
    return name if len(name) <= width else name[: width // 2] + "…" + name[len(name) - (width - 1) // 2 :]


def _leave_out_words(name: str, width: int) -> str:
    """Leave words out of the middle of a name; where none has room, cut it anywhere."""
    if len(name) <= width:
        return name
    words = re.findall(r"[\W_]*[^\W_]+[\W_]*", name)
    first = words[0] if words else name
    if len(first) >= width:
        return cut_middle(name, width)
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
    """Break a text into lines at spaces alone, but not within a p, an interval, a number and its unit, or a pair.

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


def interval_of(low: float | None, high: float | None, digits: int) -> Cell:
    """Write an interval; an absent one is empty."""
    return Cell("" if low is None or high is None else f"[{fixed(low, digits)}, {fixed(high, digits)}]")


def signed(difference: float, digits: int) -> str:
    """Write a difference with its sign; what rounds to 0 has none."""
    shown = f"{difference:+.{digits}f}"
    return shown[1:] if float(shown) == 0 else shown


def in_percent(share: float) -> str:
    """Write a share such as the size of a test, 1 - level: ``5 %``."""
    return f"{round(100 * share, 6) or float(f'{100 * share:.1g}'):g} %"


def threshold_of(level: float) -> str:
    """Write the p up to which a difference counts as shown, 1 - level: ``0.05``."""
    return f"{1 - level:.10f}".rstrip("0")


def with_minus(text: str) -> str:
    """Write the hyphens before numbers as minus signs; those within ranges and names, as in ``temp -0.5``, stay."""
    return MINUS.sub(r"\1−", text)


def columns_of(frame: pd.DataFrame, digits: int) -> Columns:
    """Turn a frame into cells: numbers become figures, everything else is data."""

    def cell(value: Any) -> str:
        value = plain(value)
        if value is None or isinstance(value, float):
            return number(value, digits)
        return Cell(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)

    return {str(name): [cell(value) for value in frame[name].tolist()] for name in frame.columns}


def is_figures(cells: Sequence[str]) -> bool:
    """Tell whether a column holds what the workbench has written: it is set to the right."""
    return all(isinstance(cell, Cell) for cell in cells)
