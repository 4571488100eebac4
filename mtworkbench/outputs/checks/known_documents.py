"""Documents of public test sets, recognized from their references where a user gives no document ids.

A table of digests ships with the package, no text: ``data/known-documents/table.npz``, made by
``scripts/build_known_documents.py``. Nothing is sent anywhere, and no digest of a user's lines is written.
"""

from __future__ import annotations

import hashlib
import html
import io
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from mtworkbench.shipped import find_packaged

#: The table, as a file that ships.
TABLE = "data/known-documents/table.npz"
#: Lines with fewer characters, without punctuation and white space, say nothing: many documents have the same.
SHORTEST_LINE = 20
#: A set is recognized by this share of the lines that are long enough, and by so many of them.
SHARE_OF_LINES = 0.8
FEWEST_LINES = 50
#: So many lines, at least, are looked at first; where less than half the share is known, nothing is recognized.
SAMPLE = 200
#: Nothing is recognized where the document of more than this share of all lines stays open.
SHARE_LEFT_OPEN = 0.05
#: Lines stand document by document where documents are not in more parts than this, on average.
PARTS_OF_A_DOCUMENT = 1.1
#: Labels begin with this, which no document of a user does.
PREFIX = "known:"
#: The label of lines in a shuffled order that are in no known document.
OPEN = f"{PREFIX}open"

#: What stands for a number of lines that is not known, or too large to be held.
FAR = 255

_OPEN = -1
# What stands between the name of a text and the version of the table.
_OF_TABLE = ", table "
_FIRST_WIDE = "\u2e80"  # the first of the radicals of Chinese; all of Chinese, Japanese and Korean follows


class _Letters(dict):
    """What `str.translate` makes of each character: letters, marks and digits stay; the rest goes out."""

    def __missing__(self, code: int) -> int | None:
        self[code] = code if unicodedata.category(chr(code))[0] in "LMN" else None
        return self[code]


_LETTERS = _Letters()


def digest_lines(lines: Iterable[str | None]) -> tuple[np.ndarray, np.ndarray]:
    """Digest lines such that quotes, spacing, case, punctuation and HTML entities do not matter.

    Characters of Chinese, Japanese and Korean count as two each.

    Parameters
    ----------
    lines : iterable of str or None

    Returns
    -------
    positions : (n_long,) ndarray of int64
        Of the lines that have `SHORTEST_LINE` letters, marks and digits or more, after NFKC and case folding.
    digests : (n_long,) ndarray of uint32
        The first 32 bits of their BLAKE2b digests.
    """
    positions, digests = [], []
    for position, line in enumerate(lines):
        if line is None or len(line) < SHORTEST_LINE // 3:  # a character can become several: the ligature ffi is three
            continue
        plain = unicodedata.normalize("NFKC", html.unescape(line)).casefold().translate(_LETTERS)
        if len(plain) >= SHORTEST_LINE or len(plain) + sum(one >= _FIRST_WIDE for one in plain) >= SHORTEST_LINE:
            positions.append(position)
            digests.append(hashlib.blake2b(plain.encode("utf-8", "replace"), digest_size=4).digest())
    return np.array(positions, dtype=np.int64), np.frombuffer(b"".join(digests), dtype="<u4")


@dataclass(frozen=True, eq=False)
class DocumentTable:
    """Digests of lines of known documents.

    Parameters
    ----------
    version : int
        It changes whenever the table does.
    sets : tuple of str
        Such as ``wmt23``.
    texts : tuple of str
        The sides of test sets, such as ``wmt23 en-de`` (its references) and ``wmt23 en`` (what pairs share).
    sets_of_texts : tuple of tuple of int
        The sets that each text is of: some share documents.
    text_starts : (n_texts + 1,) ndarray of int
        Where the digests of each text begin and end.
    digests : (n_digests,) ndarray of uint32
        Text by text; no digest occurs twice.
    documents : (n_digests,) ndarray of int
        The document of each.
    lines_before, lines_after : (n_digests,) ndarray of uint8
        How many lines of its document are before and after it; `FAR` where that is not known, or so many or more.
    """

    version: int
    sets: tuple[str, ...]
    texts: tuple[str, ...]
    sets_of_texts: tuple[tuple[int, ...], ...]
    text_starts: np.ndarray
    digests: np.ndarray
    documents: np.ndarray
    lines_before: np.ndarray
    lines_after: np.ndarray

    @cached_property
    def _order(self) -> np.ndarray:
        return np.argsort(self.digests)

    def find(self, digests: np.ndarray) -> np.ndarray:
        """Return the row of each digest in the table, -1 where it is not there."""
        places = np.searchsorted(self.digests, digests, sorter=self._order)
        rows = self._order[np.minimum(places, len(self.digests) - 1)]
        return np.where(self.digests[rows] == digests, rows, _OPEN)

    def texts_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the text of each row, -1 where there is none."""
        return np.searchsorted(self.text_starts, rows, side="right") - 1


@dataclass(frozen=True)
class KnownDocuments:
    """What was recognized.

    Parameters
    ----------
    labels : list of str
        The document of each line: see `label_document`.
    origin : str
        The set and the version of the table, such as ``wmt23 en-de, table 1``.
    """

    labels: list[str]
    origin: str


def recognize_documents(
    references: Sequence[Sequence[str | None]], table: DocumentTable | None = None
) -> KnownDocuments | None:
    """Recognize the documents of a public test set from its references, whatever the order of its lines.

    A set is recognized where at least 80 % of the long lines of one reference, and at least 50, belong to it. Where
    lines are in the order of documents, an unknown line gets the document of its neighbours if both have the same one,
    or if exactly as many lines lie between them as their documents lack (see `fill_between`). Where the document of
    more than 5 % of the lines is then not certain, nothing is recognized. Fewer such lines join the shorter of the
    documents next to them or, where the order is shuffled, form one document together. So no unknown line is a
    document of its own, and a line that is in the table keeps its document, even alone.

    Parameters
    ----------
    references : sequence of sequences of str or None
        Any of them may be known.
    table : DocumentTable, optional
        By default the one that ships.

    Returns
    -------
    KnownDocuments or None
    """
    if len(references[0]) < FEWEST_LINES:
        return None
    table = load_table() if table is None else table
    if not any(_may_be_known(table, lines) for lines in references):
        return None
    matches = [_match(table, *digest_lines(lines)) for lines in references]
    best = max(matches, key=lambda match: match.n_lines)
    if best.n_lines < FEWEST_LINES or best.n_lines < SHARE_OF_LINES * best.n_long:
        return None
    rows = np.full(len(references[0]), _OPEN, dtype=np.int64)
    for match in matches:
        fills = match.are_of(table, best.set) & (rows[match.positions] < 0)
        rows[match.positions[fills]] = match.rows[fills]
    labels = _settle_open_lines(table, rows)
    return None if labels is None else KnownDocuments(labels, describe_origin(table, best.text))


def label_document(number: int) -> str:
    """Name a document by its number in the table, counted from 1: ``known:2751``; `OPEN` for a negative number."""
    return OPEN if number < 0 else f"{PREFIX}{number + 1}"


def keep_note(note: str | None, labels: Iterable[str]) -> str | None:
    """Return the note of a test set if all documents are recognized ones; None where a user has given others since."""
    return note if all(label == OPEN or re.fullmatch(f"{PREFIX}[0-9]+", label) for label in labels) else None


def describe_origin(table: DocumentTable, text: int) -> str:
    """Name a text and the table that has it: ``wmt23 en-de, table 1``."""
    return f"{table.texts[text]}{_OF_TABLE}{table.version}"


def name_text(origin: str) -> str:
    """Return the name of a text, without that of the table that `describe_origin` has put after it."""
    return origin.rpartition(_OF_TABLE)[0]


def _may_be_known(table: DocumentTable, lines: Sequence[str | None]) -> bool:
    """Look up some lines, at equal distances, because most texts are not from a known set: this saves time."""
    _, digests = digest_lines(lines[:: max(1, len(lines) // SAMPLE)])
    return bool(np.count_nonzero(table.find(digests) >= 0) >= SHARE_OF_LINES / 2 * max(1, len(digests)))


@dataclass(frozen=True)
class _Match:
    """The set that most lines of a reference are of, and what its side is called."""

    positions: np.ndarray
    rows: np.ndarray
    set: int
    n_lines: int
    text: int

    def are_of(self, table: DocumentTable, number: int) -> np.ndarray:
        """Tell which rows are of a set."""
        of_set = np.array([number in sets for sets in table.sets_of_texts])
        return (self.rows >= 0) & of_set[table.texts_of(self.rows)]

    @property
    def n_long(self) -> int:
        return len(self.positions)


def _match(table: DocumentTable, positions: np.ndarray, digests: np.ndarray) -> _Match:
    rows = table.find(digests)
    texts = Counter(table.texts_of(rows[rows >= 0]).tolist())
    counted: Counter[int] = Counter()
    for text, count in texts.items():
        counted.update(dict.fromkeys(table.sets_of_texts[text], count))
    if not counted:
        return _Match(positions, rows, _OPEN, 0, _OPEN)
    [(most, n_lines)] = counted.most_common(1)
    text = max((text for text in texts if most in table.sets_of_texts[text]), key=lambda text: texts[text])
    return _Match(positions, rows, most, n_lines, text)


def _settle_open_lines(table: DocumentTable, rows: np.ndarray) -> list[str] | None:
    """Give each line the label of a document; None where the document of too many lines is not certain."""
    documents = np.where(rows < 0, _OPEN, table.documents[rows])
    known = documents[documents >= 0]
    n_parts = 1 + int(np.count_nonzero(np.diff(known)))
    in_order = n_parts <= PARTS_OF_A_DOCUMENT * len(np.unique(known))
    n_uncertain = 0
    if in_order:
        # A line of another document between two of one is a chance: the same sentence, translated by somebody else.
        matched = np.flatnonzero(rows >= 0)
        is_stray = (known[:-2] == known[2:]) & (known[1:-1] != known[2:])
        rows = rows.copy()
        rows[matched[1:-1][is_stray]] = _OPEN
        n_uncertain = int(np.count_nonzero(is_stray))
        documents = fill_between(table, rows)
    n_open = int(np.count_nonzero(documents < 0))
    if n_uncertain + n_open > SHARE_LEFT_OPEN * len(documents):
        return None
    if in_order:
        documents = _join_neighbours(documents)
    elif n_open == 1:
        return None  # it would be a document of one line
    return [label_document(one) for one in documents.tolist()]


def fill_between(table: DocumentTable, rows: np.ndarray) -> np.ndarray:
    """Give lines that are not in a table the document of their neighbours, where there is no doubt.

    Where both neighbours are in the same document, these lines are, too. Between two documents, they can be assigned
    where exactly as many lines lie there as are missing from the end of the first and the beginning of the second.
    These numbers say nothing of a part of a set from which single lines were left out, so they are not used where fewer
    lines lie between most documents.

    Parameters
    ----------
    table : DocumentTable
    rows : (n_lines,) ndarray of int
        Of the table, -1 where a line is not in it; lines stand document by document.

    Returns
    -------
    (n_lines,) ndarray of int
        The document of each line, -1 where it stays open.
    """
    documents = np.where(rows < 0, _OPEN, table.documents[rows])
    filled = documents.copy()
    lacking_after = _count_lacking(documents, np.where(rows < 0, FAR, table.lines_after[rows]))
    lacking_before = _count_lacking(documents[::-1], np.where(rows < 0, FAR, table.lines_before[rows])[::-1])[::-1]
    between, n_lacking, n_complete = [], 0, 0
    for start, end in pairwise([_OPEN, *np.flatnonzero(rows >= 0).tolist(), len(rows)]):
        before, after = start >= 0, end < len(rows)
        if before and after and documents[start] == documents[end]:
            filled[start + 1 : end] = documents[start]
            continue
        n_last = int(lacking_after[start]) if before else 0
        n_first = int(lacking_before[end]) if after else 0
        if before and after and n_last + n_first < FAR:
            n_lacking += n_last + n_first > end - start - 1
            n_complete += n_last + n_first <= end - start - 1
        if n_last + n_first == end - start - 1 and min(n_last, n_first) >= 0:
            between.append((start, end, n_last, n_first))
    for start, end, n_last, n_first in between if n_lacking <= n_complete else ():
        filled[start + 1 : end] = np.repeat([documents[start], documents[end % len(rows)]], [n_last, n_first])
    return filled


def _count_lacking(documents: np.ndarray, lines_after: np.ndarray) -> np.ndarray:
    """Count how many lines of its document come after each line, by itself or by a line of the document before it.

    Where that is not known it is far more than there are lines.
    """
    lacking = np.full(len(documents), FAR * len(documents))
    last = _OPEN
    for place in np.flatnonzero(documents >= 0).tolist():
        if lines_after[place] < FAR:
            lacking[place] = lines_after[place]
        elif last >= 0 and documents[last] == documents[place]:
            lacking[place] = lacking[last] - (place - last)
        last = place
    return lacking


def _join_neighbours(documents: np.ndarray) -> np.ndarray:
    """Add open lines to the shorter of the documents next to them."""
    documents = documents.copy()
    sizes = Counter(documents[documents >= 0].tolist())
    for start, end in find_open_stretches(documents):
        beside = [int(documents[place]) for place in (start - 1, end) if 0 <= place < len(documents)]
        joined = min(beside, key=lambda one: sizes[one])
        documents[start:end] = joined
        sizes[joined] += end - start
    return documents


def find_open_stretches(documents: np.ndarray) -> list[tuple[int, int]]:
    """Return the first line and the end of each stretch of lines without a document."""
    steps = np.diff(np.r_[0, documents < 0, 0].astype(int))
    return [*zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist(), strict=True)]


def save_table(path: Path, table: DocumentTable) -> None:
    """Write a table; documents count up within a text, so that their steps take little space."""
    known = {name: getattr(table, name) for name in ("version", "sets", "texts", "sets_of_texts")}
    names = json.dumps(known).encode()
    with path.open("wb") as stream:
        np.savez_compressed(
            stream,
            names=np.frombuffer(names, dtype=np.uint8),
            text_starts=table.text_starts.astype(np.uint32),
            digests=table.digests.astype("<u4"),
            document_steps=np.diff(table.documents, prepend=0).astype(np.int32),
            lines_before=table.lines_before.astype(np.uint8),
            lines_after=table.lines_after.astype(np.uint8),
        )


@cache
def load_table() -> DocumentTable:
    """Read the table that ships, once in each process."""
    return read_table(find_packaged(TABLE))


def read_table(path: Path) -> DocumentTable:
    """Read a table that `save_table` has written."""
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
        names = json.loads(file["names"].tobytes())
        return DocumentTable(
            names["version"],
            tuple(names["sets"]),
            tuple(names["texts"]),
            tuple(map(tuple, names["sets_of_texts"])),
            file["text_starts"].astype(np.int64),
            file["digests"],
            np.cumsum(file["document_steps"], dtype=np.int64),
            file["lines_before"],
            file["lines_after"],
        )
