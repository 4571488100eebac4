"""Documents of public test sets, recognized by their references where a user gives no document ids.

A table of digests ships with the package, no text: ``known_documents.npz``, made by
``scripts/build_known_documents.py``. Nothing is sent anywhere, and no digest of a user's lines is written.
"""

from __future__ import annotations

import hashlib
import html
import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

#: Lines with fewer characters, without punctuation and white space, say nothing: many documents have the same.
SHORTEST_LINE = 20
#: A set is recognized by this share of the lines that are long enough, and by so many of them.
SHARE_OF_LINES = 0.8
FEWEST_LINES = 50
#: Nothing is recognized where the document of more than this share of all lines stays open.
SHARE_LEFT_OPEN = 0.05
#: Lines stand document by document where documents are not in more parts than this, on average.
PARTS_OF_A_DOCUMENT = 1.1
#: The label of lines in a shuffled order that are in no known document.
OPEN = "unknown"

_OPEN = -1


class _Letters(dict):
    """What `str.translate` makes of each character: letters, marks and digits stay; the rest goes out."""

    def __missing__(self, code: int) -> int | None:
        self[code] = code if unicodedata.category(chr(code))[0] in "LMN" else None
        return self[code]


_LETTERS = _Letters()


def digest_lines(lines: Iterable[str | None]) -> tuple[np.ndarray, np.ndarray]:
    """Digest lines in a way that cleaning does not change: quotes, spacing, case, punctuation, HTML entities.

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
        if len(plain) >= SHORTEST_LINE:
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
    set_of_document : (n_documents,) ndarray of int
    text_starts : (n_texts + 1,) ndarray of int
        Where the digests of each text begin and end.
    digests : (n_digests,) ndarray of uint32
        Text by text; no digest occurs twice.
    documents : (n_digests,) ndarray of int
        The document of each.
    """

    version: int
    sets: tuple[str, ...]
    texts: tuple[str, ...]
    set_of_document: np.ndarray
    text_starts: np.ndarray
    digests: np.ndarray
    documents: np.ndarray

    def find(self, digests: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Find digests: the document and the text of each, -1 where it is not in the table."""
        known = np.sort(digests)
        places = np.searchsorted(known, self.digests)  # the table is long: it is not sorted, the digests are
        found = np.flatnonzero(known[np.minimum(places, len(known) - 1)] == self.digests) if len(known) else places[:0]
        order = found[np.argsort(self.digests[found])]
        rows = np.full(len(digests), _OPEN, dtype=np.int64)
        if len(order):
            nearest = np.minimum(np.searchsorted(self.digests[order], digests), len(order) - 1)
            is_there = self.digests[order[nearest]] == digests
            rows[is_there] = order[nearest[is_there]]
        texts = np.searchsorted(self.text_starts, rows, side="right") - 1
        return np.where(rows < 0, _OPEN, self.documents[rows]), np.where(rows < 0, _OPEN, texts)


@dataclass(frozen=True)
class KnownDocuments:
    """What was recognized.

    Parameters
    ----------
    labels : list of str
        The document of each line: its number in the table, or `OPEN`.
    origin : str
        The set and the version of the table, such as ``wmt23 en-de, table 1``.
    """

    labels: list[str]
    origin: str


def recognize_documents(
    references: Sequence[Sequence[str | None]], table: DocumentTable | None = None
) -> KnownDocuments | None:
    """Recognize the documents of a public test set by its references, in whatever order its lines stand.

    A set is recognized where at least 80 % of the long lines of one reference, and at least 50, are lines of it. A line
    that is not known takes its document from its neighbours where both are of the same one and lines stand document by
    document. Where more than 5 % of the lines stay open, nothing is recognized; what stays open below that joins the
    shorter document beside it, or, where the order is shuffled, the other open lines: no line is ever a document of its
    own because only a part of a document was recognized.

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
    digested = [digest_lines(lines) for lines in references]
    if not any(len(positions) >= FEWEST_LINES for positions, _ in digested):
        return None
    table = load_table() if table is None else table
    best = max((_match(table, *one) for one in digested), key=lambda match: match.n_lines)
    if best.n_lines < FEWEST_LINES or best.n_lines < SHARE_OF_LINES * best.n_long:
        return None
    documents = np.full(len(references[0]), _OPEN, dtype=np.int64)
    for positions, digests in digested:
        found, _ = table.find(digests)
        of_set = (found >= 0) & (table.set_of_document[found] == best.set)
        fills = of_set & (documents[positions] == _OPEN)
        documents[positions[fills]] = found[fills]
    labels = _settle_open_lines(documents)
    return None if labels is None else KnownDocuments(labels, f"{best.text}, table {table.version}")


@dataclass(frozen=True)
class _Match:
    """The set that most lines of a reference are of, and what its side is called."""

    n_long: int
    n_lines: int
    set: int
    text: str


def _match(table: DocumentTable, positions: np.ndarray, digests: np.ndarray) -> _Match:
    documents, texts = table.find(digests)
    sets = np.where(documents < 0, _OPEN, table.set_of_document[documents])
    counted = Counter(sets[sets >= 0].tolist())
    if not counted:
        return _Match(len(positions), 0, _OPEN, "")
    [(most, n_lines)] = counted.most_common(1)
    [(text, _)] = Counter(texts[sets == most].tolist()).most_common(1)
    return _Match(len(positions), n_lines, most, table.texts[text])


def _settle_open_lines(documents: np.ndarray) -> list[str] | None:
    """Give each line the label of a document; None where the document of too many lines is not known."""
    matched = np.flatnonzero(documents >= 0)
    if len(matched) == 0:
        return None
    known = documents[matched]
    n_parts = 1 + int(np.count_nonzero(np.diff(known)))
    in_order = n_parts <= PARTS_OF_A_DOCUMENT * len(np.unique(known))
    if in_order:
        places = np.searchsorted(matched, np.arange(len(documents)))
        before, after = known[np.maximum(places - 1, 0)], known[np.minimum(places, len(known) - 1)]
        between = (documents < 0) & (places > 0) & (places < len(known)) & (before == after)
        documents = np.where(between, before, documents)
    still_open = documents < 0
    if still_open.sum() > SHARE_LEFT_OPEN * len(documents):
        return None
    if in_order:
        documents = _join_neighbours(documents)
    elif still_open.sum() == 1:
        return None  # it would be a document of one line
    return [OPEN if one < 0 else str(one + 1) for one in documents.tolist()]


def _join_neighbours(documents: np.ndarray) -> np.ndarray:
    """Let open lines, in order, join the shorter document beside them, and a single line beside them join them."""
    documents = documents.copy()
    sizes = Counter(documents[documents >= 0].tolist())
    is_open = np.r_[False, documents < 0, False]
    starts, ends = np.flatnonzero(is_open[1:-1] & ~is_open[:-2]), np.flatnonzero(is_open[1:-1] & ~is_open[2:])
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        beside = [int(documents[place]) for place in (start - 1, end + 1) if 0 <= place < len(documents)]
        joined = min(beside, key=lambda one: sizes[one])
        documents[start : end + 1] = joined
        sizes[joined] += end + 1 - start
        for one in beside:
            if sizes[one] == 1:
                documents[documents == one] = joined
                sizes[joined] += 1
                del sizes[one]
    return documents


def save_table(path: Path, table: DocumentTable) -> None:
    """Write a table; documents count up within a text, so that their steps take little space."""
    names = json.dumps({"version": table.version, "sets": table.sets, "texts": table.texts}).encode()
    with path.open("wb") as stream:
        np.savez_compressed(
            stream,
            names=np.frombuffer(names, dtype=np.uint8),
            set_of_document=table.set_of_document.astype(np.uint16),
            text_starts=table.text_starts.astype(np.uint32),
            digests=table.digests.astype("<u4"),
            document_steps=np.diff(table.documents, prepend=0).astype(np.int32),
        )


@cache
def load_table(path: Path = Path(__file__).with_name("known_documents.npz")) -> DocumentTable:
    """Load the table that ships, once in each process."""
    with np.load(path, allow_pickle=False) as file:
        names = json.loads(file["names"].tobytes())
        return DocumentTable(
            names["version"],
            tuple(names["sets"]),
            tuple(names["texts"]),
            file["set_of_document"].astype(np.int64),
            file["text_starts"].astype(np.int64),
            file["digests"],
            np.cumsum(file["document_steps"], dtype=np.int64),
        )
