"""The texts of one file, list or column, and of a test set with its translations."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self, overload

import numpy as np

from mtworkbench.assumptions import Doubt
from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import Report

# So many texts are put together to be looked at.
_TOGETHER = 1000
_BLANK, _NO_CHARACTER = re.compile(r"\s"), re.compile("\n")

Texts = Sequence[str | None]


class TextsOnDemand(Sequence[str | None]):
    """The texts of one file, which are read again where they are needed, but those of another are held by then.

    Any order of use gives the same texts; what needs all of one file before it goes on to the next reads each once.

    Parameters
    ----------
    texts : sequence of str or None
        As they were read the first time.
    read : callable
        Reads them again.
    shelf : dict
        Holds texts by their keys; shared by all files of which one is to be held at a time.
    """

    def __init__(self, texts: Texts, read: Callable[[], Texts], shelf: dict[object, Texts]):
        self._length = len(texts)
        self._read = read
        self._shelf = shelf
        self._key = object()  # on the shelf, the texts themselves would keep each other alive
        shelf.clear()
        shelf[self._key] = texts

    def _all(self) -> Texts:
        if self._key not in self._shelf:
            self._shelf.clear()  # before they are read, so that those of two files are never held
            self._shelf[self._key] = self._read()
        return self._shelf[self._key]

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, position: int) -> str | None: ...

    @overload
    def __getitem__(self, position: slice) -> Texts: ...

    def __getitem__(self, position: int | slice) -> str | None | Texts:
        return self._all()[position]

    def __iter__(self) -> Iterator[str | None]:
        return iter(self._all())

    def changed(self, change: Callable[[Texts], Texts]) -> TextsOnDemand:
        """Return the texts as they are after a change, which is made again whenever they are read."""
        return TextsOnDemand(change(self._all()), lambda: change(self._read()), self._shelf)


def change_texts(texts: Texts, change: Callable[[Texts], Texts]) -> Texts:
    """Change all texts of a file or list, so that those that are read on demand still are."""
    return texts.changed(change) if isinstance(texts, TextsOnDemand) else change(texts)


@dataclass(frozen=True, eq=False)
class Segments:
    """The texts of one file, list or column, one per segment, in order.

    Parameters
    ----------
    texts : sequence of str or None
        None where there is none. Texts that are read on demand (`TextsOnDemand`) are best used up before those of
        another file are asked for.
    label : str
        What messages call it: ``danish.txt``, or ``the hypotheses of 'danish'``.
    path : str, optional
        The file they were read from.
    lines : sequence of int, optional
        The line each text begins in; without it, text i stands in line i + 1.
    """

    texts: Sequence[str | None] = field(repr=False)
    label: str
    path: str | None = None
    lines: Sequence[int] | np.ndarray | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def unit(self) -> str:
        """What one text is called: a line of a file, an entry of anything else."""
        return "line" if self.path is not None else "entry"

    def line(self, position: int) -> int:
        """Return the line, counted from 1, of the text at a position counted from 0."""
        return position + 1 if self.lines is None else int(self.lines[position])

    def place(self, position: int) -> str:
        """Name a text: file and line, or list and number."""
        return f"{self.label}, {self.unit} {self.line(position):,}"

    def look_over(self) -> Self:
        """Find out what is asked for below: most checks then need not look at the texts, which may be read for that."""
        _ = self.digest, self.characters, self.firsts, self.longest
        return self

    @cached_property
    def digest(self) -> bytes:
        """Bytes that stand for all texts."""
        return digest_texts(self.texts)

    @cached_property
    def characters(self) -> str:
        """The characters of all texts, each of them once: what needs others need not be looked for."""
        found: set[int] = set()
        for some, _ in _join(self.texts):
            found.update(np.flatnonzero(np.bincount(code_points(some))).tolist())
        return "".join(map(chr, sorted(found)))

    @cached_property
    def firsts(self) -> str:
        """The first character of each text; a line feed where it is empty or there is none."""
        return "".join([text[0] if text else "\n" for text in self.texts])

    @cached_property
    def longest(self) -> int:
        """The number of characters of the longest text."""
        return max(map(len, filter(None, self.texts)), default=0)

    def begin_with(self, first: re.Pattern[str]) -> list[int]:
        """Return the positions of the texts whose first character is as a pattern says; see `firsts`."""
        return [one.start() for one in first.finditer(self.firsts)]

    def find(self, pieces: Iterable[str]) -> list[int]:
        """Return the positions of the texts in which any of some pieces is: what is rare is found fast."""
        likely = [piece for piece in pieces if set(self.characters).issuperset(piece)]
        found: list[int] = []
        for start in range(0, len(self) if likely else 0, _TOGETHER):
            some = [text or "" for text in self.texts[start : start + _TOGETHER]]
            together = "\n".join(some)
            if there := [piece for piece in likely if piece in together]:  # in most texts, none is
                codes = code_points(together)
                places = np.concatenate([_find_all(piece, codes) for piece in there])
                ends = np.cumsum(np.fromiter(map(len, some), np.int64, len(some)) + 1)
                which = np.unique(np.searchsorted(ends, places, side="right")).tolist()
                found += [start + i for i in which if any(piece in some[i] for piece in likely)]
        return found

    @property
    def absent(self) -> list[int]:
        """The positions where there is no text."""
        return [i for i in self.begin_with(_NO_CHARACTER) if self.texts[i] is None]

    @property
    def empty(self) -> list[int]:
        """The positions of the texts that are nothing but white space."""
        return [i for i in self.begin_with(_BLANK) if (text := self.texts[i]) is not None and not text.strip()]

    def take(self, positions: Iterable[int], label: str | None = None) -> Self:
        """Return the texts at some positions, in their order."""
        chosen = list(positions)
        texts, lines = [self.texts[i] for i in chosen], [self.line(i) for i in chosen]
        return replace(self, texts=texts, label=self.label if label is None else label, lines=lines)

    def notice(
        self,
        report: Report,
        code: str,
        message: str,
        position: int | None = None,
        count: int | None = None,
        together: str = "",
    ) -> None:
        """Have something noticed, from the text at a position on; ``together`` says it of several, see `Report`."""
        line = None if position is None else self.line(position)
        whose = self.label if together else None
        report.notice(code, message, path=self.path, line=line, count=count, whose=whose, together=together)

    def fault(self, code: str, position: int, problem: str, **fields: str | None) -> InputError:
        """Make the error of one text; `problem` continues the sentence after its place."""
        message = f"{self.place(position)}: {problem}"
        return InputError(code, message, path=self.path, line=self.line(position), **fields)


@dataclass(frozen=True, eq=False, repr=False)
class Lines(Segments):
    """The lines of a file, each of which is a text."""

    texts: Sequence[str]
    path: str


@dataclass(frozen=True)
class Corpus:
    """A test set and its translations, as read.

    Parameters
    ----------
    references : sequence of Segments
        At least one; None where a segment has no such reference.
    systems : mapping of str to sequence of Segments
        The runs of each system.
    source, documents, domains : Segments, optional
        The source text, document and domain of each segment.
    further : mapping of str to sequence
        Columns that travel along: one value a (system, run, segment), in that order.
    complete : bool
        False where a format says itself which references and hypotheses there are: then a segment may lack all its
        references, and hypotheses may be missing (None).
    normalization : str, optional
        ``"nfc"`` where all text was brought into Unicode's normal form C.
    run_names : mapping of str to sequence of str
        What the runs of a system are called, where that is known.
    known_documents : str, optional
        The public test set whose documents these are, where they were recognized.
    doubts : sequence of Doubt
        What seems wrong with references and outputs.
    """

    references: Sequence[Segments]
    systems: Mapping[str, Sequence[Segments]]
    source: Segments | None = None
    documents: Segments | None = None
    domains: Segments | None = None
    further: Mapping[str, Sequence | np.ndarray] = field(default_factory=dict)
    complete: bool = True
    normalization: str | None = None
    run_names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    known_documents: str | None = None
    doubts: Sequence[Doubt] = ()

    @property
    def accepted_doubts(self) -> str | None:
        """The codes of the doubts that were looked at and accepted, as the note of a frame has them."""
        return ", ".join(dict.fromkeys(one.code for one in self.doubts if one.accepted)) or None

    @property
    def runs(self) -> list[tuple[str, Segments]]:
        """Every run with the name of its system."""
        return [(system, run) for system, runs in self.systems.items() for run in runs]

    @property
    def hypotheses(self) -> list[Segments]:
        """The runs, each once: a file may have been given twice."""
        return list(dict.fromkeys(run for _, run in self.runs))

    @property
    def texts(self) -> list[Segments]:
        """References, hypotheses and source, each once."""
        return list(dict.fromkeys([*self.translations, *([] if self.source is None else [self.source])]))

    @property
    def numbered_runs(self) -> list[tuple[str, int, Segments]]:
        """Every run with the name of its system and its number there, from 1."""
        return [
            (system, number, run) for system, runs in self.systems.items() for number, run in enumerate(runs, start=1)
        ]

    @property
    def translations(self) -> list[Segments]:
        """References and hypotheses, the first reference first."""
        return [*self.references, *(run for _, run in self.runs)]

    @property
    def files(self) -> dict[str, list[str]]:
        """The files of each system, run by run, where every run is a file of its own with a segment per line."""
        files = {
            system: [one.path for one in runs if one.path and one.lines is None]
            for system, runs in self.systems.items()
        }
        all_files = [file for own in files.values() for file in own]
        return files if len(set(all_files)) == len(self.runs) else {}

    @property
    def labels(self) -> list[Segments]:
        """What else is known of each segment: source, document, domain."""
        return [one for one in (self.source, self.documents, self.domains) if one is not None]


def digest_texts(texts: Iterable[str | None]) -> bytes:
    """Return bytes that stand for all texts: other texts have others."""
    texts = list(texts)
    digest = hashlib.sha256(b"%d" % len(texts))
    for together, lengths in _join(texts):
        # Lengths tell where each ends, and -1 that there is none.
        digest.update(lengths.tobytes())
        digest.update(together.encode("utf-8", "surrogatepass"))
    return digest.digest()


def _join(texts: Texts) -> Iterator[tuple[str, np.ndarray]]:
    """Yield many texts together, which takes a tenth of the time, with the length of each; -1 where there is none."""
    for start in range(0, len(texts), _TOGETHER):
        some = texts[start : start + _TOGETHER]
        try:
            together = "".join(some)  # type: ignore[arg-type]
            lengths = np.fromiter(map(len, some), dtype="<i8", count=len(some))  # type: ignore[arg-type]
        except TypeError:
            together = "".join([text for text in some if isinstance(text, str)])
            lengths = np.array([len(text) if isinstance(text, str) else -1 for text in some], dtype="<i8")
        yield together, lengths


def code_points(text: str) -> np.ndarray:
    """Return the characters of a text as numbers."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _find_all(piece: str, codes: np.ndarray) -> np.ndarray:
    """Find where a piece begins; of characters as numbers, many are compared at a time."""
    first, *others = map(ord, piece)
    there = codes[: max(0, len(codes) - len(others))] == first
    for place, code in enumerate(others, start=1):
        there &= codes[place : place + len(there)] == code
    return np.flatnonzero(there)


def encode(text: str | None) -> bytes:
    """Return bytes that tell texts apart also when they are joined; another value means that there is no text."""
    if not isinstance(text, str):
        return b"-"
    encoded = text.encode("utf-8", "surrogatepass")
    return b"%d:" % len(encoded) + encoded
