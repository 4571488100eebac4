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

from mtworkbench.outputs.checks.background import is_among
from mtworkbench.shipped import find_packaged
from mtworkbench.wording import grouped

#: The table, as a file that ships.
TABLE = "data/known-documents/table.npz"
#: Lines with fewer characters, without punctuation and white space, do not count: many test sets have the same.
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
#: The label of lines whose documents are not certain.
OPEN = f"{PREFIX}open"

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


def digest_lines(lines: Iterable[str | None]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Digest lines such that quotes, spacing, case, punctuation and HTML entities do not matter.

    Parameters
    ----------
    lines : iterable of str or None

    Returns
    -------
    positions : (n_digests,) ndarray of int64
        Of the lines that are not empty, after NFKC and case folding.
    digests : (n_digests,) ndarray of uint32
        The first 32 bits of their BLAKE2b digests.
    are_long : (n_digests,) ndarray of bool
        Whether they have `SHORTEST_LINE` letters, marks and digits or more. Those of Chinese,
        Japanese and Korean count as two.
    """
    positions, digests, are_long = [], [], []
    for position, line in enumerate(lines):
        text = unicodedata.normalize("NFKC", html.unescape(line or "")).casefold()
        if plain := text.translate(_LETTERS) or "".join(text.split()):  # a line may be a smiley
            positions.append(position)
            digests.append(hashlib.blake2b(plain.encode("utf-8", "replace"), digest_size=4).digest())
            n_wide = 0 if len(plain) >= SHORTEST_LINE else sum(one >= _FIRST_WIDE for one in plain)
            are_long.append(len(plain) + n_wide >= SHORTEST_LINE)
    return np.array(positions, dtype=np.int64), np.frombuffer(b"".join(digests), dtype="<u4"), np.array(are_long, bool)


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
        Where the rows of each text begin and end.
    digests : (n_rows,) ndarray of uint32
        Text by text; a digest has a row for each line that it stands for.
    documents : (n_rows,) ndarray of int
        The document of each.
    places : (n_rows,) ndarray of int
        How many lines of its document are before it.
    """

    version: int
    sets: tuple[str, ...]
    texts: tuple[str, ...]
    sets_of_texts: tuple[tuple[int, ...], ...]
    text_starts: np.ndarray
    digests: np.ndarray
    documents: np.ndarray
    places: np.ndarray

    @cached_property
    def _order(self) -> np.ndarray:
        return np.argsort(self.digests, kind="stable")

    def find(self, digests: np.ndarray) -> list[np.ndarray]:
        """Return the rows of each digest, none where it is not in the table."""
        first, end = (np.searchsorted(self.digests, digests, side, self._order) for side in ("left", "right"))
        return [self._order[slice(*one)] for one in zip(first.tolist(), end.tolist(), strict=True)]

    def texts_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the text of each row."""
        return np.searchsorted(self.text_starts, rows, side="right") - 1


#: The documents that a line may be of, with the places where they have it.
Candidates = dict[int, list[int]]


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

    A set is recognized where at least 80 % of the long lines of one reference, and at least 50, belong to it. Then a
    line that is in one document of this set only has that document, even alone. Other lines have a document where the
    order of lines leaves no other (see `fill_between`); the rest form one document together, so that no line is counted
    in a wrong one. Nothing is recognized where these are more than 5 % of the lines.

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
    digests = load_digests() if table is None else table.digests
    if not any(_may_be_known(digests, lines) for lines in references):
        return None
    table = load_table() if table is None else table
    matches = [_match(table, lines) for lines in references]
    best = max(matches, key=lambda match: match.n_lines)
    if best.n_lines < FEWEST_LINES or not best.is_of(best.set):
        return None
    candidates: list[Candidates] = [{} for _ in references[0]]
    for match in matches:
        if match.is_of(best.set):  # a few lines of any translation are those of another document
            match.narrow(candidates, table, best.set)
    labels = _settle_open_lines(candidates)
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


def _may_be_known(known: np.ndarray, lines: Sequence[str | None]) -> bool:
    """Look up some lines, at equal distances, because most texts are not from a known set: this saves time."""
    _, digests, are_long = digest_lines(lines[:: max(1, len(lines) // SAMPLE)])
    looked_for = digests[are_long]
    # The known ones are not sorted, which would take longer than all else.
    found = known[is_among(known, np.unique(looked_for))]
    n_found = int(np.count_nonzero(np.isin(looked_for, found)))
    return n_found >= SHARE_OF_LINES / 2 * max(1, len(looked_for))


@dataclass(frozen=True)
class _Match:
    """What of a reference is in the table: the rows of its lines, and to which sets its long lines belong."""

    positions: list[int]
    rows: list[np.ndarray]
    n_long: int
    lines_of_sets: Counter[int]
    lines_of_texts: Counter[int]
    sets_of_texts: tuple[tuple[int, ...], ...]

    @property
    def set(self) -> int:
        return max(self.lines_of_sets, key=lambda one: self.lines_of_sets[one], default=_OPEN)

    @property
    def n_lines(self) -> int:
        return self.lines_of_sets[self.set]

    @property
    def text(self) -> int:
        own = [text for text in self.lines_of_texts if self.set in self.sets_of_texts[text]]
        return max(own, key=lambda one: self.lines_of_texts[one])

    def is_of(self, number: int) -> bool:
        """Tell whether enough of the long lines are of a set."""
        return self.lines_of_sets[number] >= SHARE_OF_LINES * max(1, self.n_long)

    def narrow(self, candidates: list[Candidates], table: DocumentTable, number: int) -> None:
        """Leave each line those documents of a set that have this text; two references have one document."""
        of_set = np.array([number in sets for sets in self.sets_of_texts])
        for position, rows in zip(self.positions, self.rows, strict=True):
            if own := list_candidates(table, rows[of_set[table.texts_of(rows)]]):
                known = candidates[position] or own
                candidates[position] = {one: places for one, places in own.items() if one in known}


def list_candidates(table: DocumentTable, rows: np.ndarray) -> Candidates:
    """List the documents of rows and the places in these."""
    return grouped(zip(table.documents[rows].tolist(), table.places[rows].tolist(), strict=True))


def _match(table: DocumentTable, lines: Sequence[str | None]) -> _Match:
    positions, digests, are_long = digest_lines(lines)
    rows = table.find(digests)
    lines_of_sets: Counter[int] = Counter()
    lines_of_texts: Counter[int] = Counter()
    for own in (one for one, is_long in zip(rows, are_long.tolist(), strict=True) if is_long):
        texts = set(table.texts_of(own).tolist())
        lines_of_texts.update(texts)
        lines_of_sets.update({one for text in texts for one in table.sets_of_texts[text]})
    n_long = int(np.count_nonzero(are_long))
    return _Match(positions.tolist(), rows, n_long, lines_of_sets, lines_of_texts, table.sets_of_texts)


def find_certain(candidates: Sequence[Candidates]) -> np.ndarray:
    """Return the document of each line that can be of one only, -1 for others."""
    return np.array([min(one) if len(one) == 1 else _OPEN for one in candidates])


def _settle_open_lines(candidates: Sequence[Candidates]) -> list[str] | None:
    """Give each line the label of a document; None where the document of too many lines is not certain."""
    documents = find_certain(candidates)
    matched = np.flatnonzero(documents >= 0)
    known = documents[matched]
    n_parts = 1 + int(np.count_nonzero(np.diff(known)))
    in_order = n_parts <= PARTS_OF_A_DOCUMENT * len(np.unique(known))
    n_moved = 0
    if in_order:
        # A line of another document between two of one is a chance: the same sentence, translated by somebody else.
        is_moved = (known[:-2] == known[2:]) & (known[1:-1] != known[2:])
        n_moved = int(np.count_nonzero(is_moved))
        documents[matched[1:-1][is_moved]] = known[2:][is_moved]
        documents = fill_between(documents, candidates)
    open_lines = np.flatnonzero(documents < 0)
    if n_moved + len(open_lines) > SHARE_LEFT_OPEN * len(documents):
        return None
    if len(open_lines) == 1:  # it would be a document of one line
        if not in_order:
            return None
        beside = documents[np.clip(open_lines + [-1, 1], 0, len(documents) - 1)]
        documents[np.isin(documents, beside)] = _OPEN
    return [label_document(one) for one in documents.tolist()]


def fill_between(documents: np.ndarray, candidates: Sequence[Candidates]) -> np.ndarray:
    """Give lines the only document that they can have, where the lines of a document stand together.

    Between two lines of one document, this is that document, unless the line is known from other documents only.
    Elsewhere it is one that the line is known from: all others of these stand further away, or have it at a place that
    is not between the lines next to it.

    Parameters
    ----------
    documents : (n_lines,) ndarray of int
        -1 where the document of a line is not known.
    candidates : sequence of dict of int to list of int
        The documents that each line is known from, and its places in these.

    Returns
    -------
    (n_lines,) ndarray of int
        The document of each line, -1 where it stays open.
    """
    documents, ascend = documents.copy(), _lines_ascend(documents, candidates)
    while True:
        seen, found = set(documents[documents >= 0].tolist()), {}
        for start, end in find_open_stretches(documents):
            beside = {place: int(documents[place]) for place in (start - 1, end) if 0 <= place < len(documents)}
            for place in range(start, end):
                possible = _list_possible(place, beside, seen, candidates, ascend)
                if len(possible) == 1:
                    [found[place]] = possible
        if not found:
            return documents
        documents[[*found]] = [*found.values()]


def _list_possible(
    place: int, beside: dict[int, int], seen: set[int], candidates: Sequence[Candidates], ascend: bool
) -> set[int]:
    """List the documents that a line can be of, given those of the nearest lines and of all lines."""
    known, own = candidates[place], set(beside.values())
    possible = known.keys() - (seen - own)
    if len(beside) == 2 and len(own) == 1 and (not known or own <= possible):
        return own
    for other, document in beside.items():
        first, second = sorted((other, place))
        if ascend and not _ascend(document, first, second, candidates):
            possible -= {document}
    return possible


def _lines_ascend(documents: np.ndarray, candidates: Sequence[Candidates]) -> bool:
    """Tell whether the lines of a document stand in its order, almost everywhere."""
    steps = [
        _ascend(documents[first], first, second, candidates)
        for first, second in pairwise(np.flatnonzero(documents >= 0).tolist())
        if documents[first] == documents[second]
    ]
    return sum(steps) >= (1 - SHARE_LEFT_OPEN) * len(steps)


def _ascend(document: int, first: int, second: int, candidates: Sequence[Candidates]) -> bool:
    """Tell whether a document can have the second of two lines after the first."""
    places = [candidates[line].get(document, ()) for line in (first, second)]
    return not all(places) or min(places[0]) < max(places[1])


def find_open_stretches(documents: np.ndarray) -> list[tuple[int, int]]:
    """Return the first line and the end of each stretch of lines without a document."""
    steps = np.diff(np.r_[0, documents < 0, 0].astype(int))
    return [*zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist(), strict=True)]


@cache
def load_digests() -> np.ndarray:
    """Read the digests of the table that ships, once in each process: mostly they tell that nothing is known."""
    with _open_table(find_packaged(TABLE)) as file:
        return file["digests"]


@cache
def load_table() -> DocumentTable:
    """Read the table that ships, once in each process."""
    return read_table(find_packaged(TABLE))


def _open_table(path: Path) -> np.lib.npyio.NpzFile:
    return np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)


def read_table(path: Path) -> DocumentTable:
    """Read a table that ``scripts/build_known_documents.py`` has written."""
    with _open_table(path) as file:
        names = json.loads(file["names"].tobytes())
        return DocumentTable(
            names["version"],
            tuple(names["sets"]),
            tuple(names["texts"]),
            tuple(map(tuple, names["sets_of_texts"])),
            file["text_starts"].astype(np.int64),
            file["digests"],
            np.cumsum(file["document_steps"], dtype=np.int64),
            file["places"].astype(np.int64),
        )
