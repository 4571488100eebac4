"""A document: what is said of a result, before any format. The rooms above decide where it goes.

A function for each kind of result builds it; text, Markdown, LaTeX and HTML each have one writer for all kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any
from zlib import crc32

from mtworkbench.results.segments import MarkedText
from mtworkbench.results.settings import shorten_signature
from mtworkbench.wording import grouped, listed

# Rows that a column of a page holds: more than these are counted, or have a table of their own.
MOST_ROWS = 45
#: The line below text that has no details.
MORE = "More columns and tables, and what they mean: --details."
#: Columns of cells by their heading, or by the headings above each other.
AnyColumns = Mapping[Any, Sequence[str]]


@dataclass(frozen=True)
class Table:
    """Columns, and what is said of them.

    Parameters
    ----------
    columns : mapping of str, or tuple of str, to sequence of str
        Cells are `Cell` where the workbench has written them, `Bold` where they stand out.
    heading : str
        In a line above the table.
    caption : str
        At the table, and where it is told apart from its heading.
    label : str
        What it is called by references in LaTeX, and by screen readers.
    marks : mapping of (int, str) to str
        What stands raised after a cell, by row and column.
    headings : mapping of int to str
        What stands in a line of its own above a row.
    dispensable : sequence of str
        What is left out, in this order, where names would become too short to be read.
    spare : sequence of str
        What is left out before that: where a name would have to be shortened at all.
    n_names : int
        How many columns at the left name the rows.
    cut : bool
        Whether names may be shortened where nothing more can be left out.
    needs : int
        The width below which `instead` is shown.
    instead : Table or None
    """

    columns: AnyColumns
    heading: str = ""
    caption: str = ""
    label: str = ""
    marks: Mapping[tuple[int, str], str] = field(default_factory=dict)
    headings: Mapping[int, str] = field(default_factory=dict)
    dispensable: Sequence[str] = ()
    spare: Sequence[str] = ()
    n_names: int = 1
    cut: bool = True
    needs: int = 0
    instead: Table | None = None


@dataclass(frozen=True)
class Passage:
    """Texts of a segment below each other, marked where they differ.

    Parameters
    ----------
    heading : str
    texts : sequence of MarkedText
    """

    heading: str
    texts: Sequence[MarkedText]


@dataclass(frozen=True)
class Passages:
    """Segments to be read, and what is said of them.

    Parameters
    ----------
    passages : sequence of Passage
    heading : str
        In a line above them.
    caption, label : str
        As of a table.
    """

    passages: Sequence[Passage]
    heading: str = ""
    caption: str = ""
    label: str = ""

    @property
    def have_references(self) -> bool:
        """Whether outputs are compared with references, too, and not with each other alone."""
        return any(text.kind == "reference" for one in self.passages for text in one.texts)


@dataclass(frozen=True)
class Section:
    """Tables under one heading, and sentences around them.

    Parameters
    ----------
    name : str
        What the section is about, such as a metric.
    heading : str
        What follows the name in the same line.
    headline : sequence of str
        Sentences of this section alone, above its heading.
    tables : sequence of Table
    legend : sequence of str
        How the tables are read: one paragraph below them. A sentence that begins with a column, as ``p (max-T): ...``
        does, goes with it.
    notes : sequence of str
        Sentences below that.
    folded : bool
        Whether it is folded away under its name where a format can.
    texts : Passages, optional
        Above the tables, in text and LaTeX.
    """

    name: str = ""
    heading: str = ""
    headline: Sequence[str] = ()
    tables: Sequence[Table] = ()
    legend: Sequence[str] = ()
    notes: Sequence[str] = ()
    folded: bool = False
    texts: Passages | None = None


@dataclass(frozen=True)
class Document:
    """All that one view says of a result.

    Parameters
    ----------
    headline : sequence of str
    sections : sequence of Section
    details : sequence of Section
        What is folded away at the end where a format can.
    notes : sequence of str
        What is special to this result.
    explanation : sequence of str
        What columns mean. A sentence that begins with a column, as ``deff: ...`` does, goes with it.
    listed : sequence of str
        Entries of a list at the end.
    signatures : sequence of str
        Lines with all that is needed to reproduce the numbers.
    paragraph : str
        For the text of a paper.
    in_row : bool
        Whether what is folded away at the end stands in one row.
    """

    headline: Sequence[str] = ()
    sections: Sequence[Section] = ()
    details: Sequence[Section] = ()
    notes: Sequence[str] = ()
    explanation: Sequence[str] = ()
    listed: Sequence[str] = ()
    signatures: Sequence[str] = ()
    paragraph: str = ""
    in_row: bool = True


def label_table(name: str, scores: Iterable[tuple[str, float]], *others: object) -> str:
    """Name a table for references in LaTeX: what is in it, and a checksum by which two results have two labels.

    The checksum is of systems, scores and what else is given, so that a result has the same label with any seed.
    """
    found = [(system, f"{score:.6g}") for system, score in scores]
    return f"tab:{name}-{crc32(repr((found, others)).encode()) % 16**4:04x}"


def foot(heading: Any) -> str:
    """Return what stands right above the cells: of headings above each other the last."""
    return str(heading[-1]) if isinstance(heading, tuple) else heading


def cells_of(tables: Iterable[Table]) -> Iterator[str]:
    """Return what stands in tables."""
    return chain.from_iterable(chain.from_iterable(table.columns.values()) for table in tables)


def without_empty(columns: AnyColumns) -> AnyColumns:
    """Leave out columns in which every cell is empty."""
    return {heading: cells for heading, cells in columns.items() if any(cells)}


def end_heading(heading: str) -> str:
    """End a heading that is no sentence with a colon."""
    return heading if heading.endswith(".") or not heading else f"{heading}:"


def say_once(said: Mapping[str, Iterable[str]], name: Callable[[Iterable[str]], str] = listed) -> list[str]:
    """Say what is said of several things, each sentence once; of what is not said of all, whose it is."""
    whose = grouped((sentence, thing) for thing, sentences in said.items() for sentence in sentences)
    return [one if len(things) == len(said) else f"{name(things)}: {one}" for one, things in whose.items()]


def name_signatures(signatures: Mapping[str, str], *, always: bool = False) -> list[str]:
    """Write signatures as lines; of several, or always, each says whose it is."""
    named = always or len(signatures) > 1
    return [f"Signature{f' of {name}' if named else ''}: {shorten_signature(one)}" for name, one in signatures.items()]
