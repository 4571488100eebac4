"""The texts that a metric reads from one run's rows of an outputs frame; for kernels as code points, in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.frames import is_missing, sort_references

#: The texts of one reference, one per segment; None where the segment has no such reference.
ReferenceTexts = tuple[str | None, ...]
#: The references of so many blocks are kept, once they are prepared: up to 150 MiB, for some 100,000 segments.
KEPT_BLOCKS = 128
# A block ends before its references have more characters, or it has more segments: so small that a usual test set has
# blocks for several threads.
BLOCK_CHARACTERS, BLOCK_SEGMENTS = 2**17, 2**10
# A kernel is called for so many characters at one time, which takes it less than 0.1 seconds.
SPAN_CHARACTERS = 2**20
# No white space has a higher code point.
HIGHEST_SPACE = 0x3000


@dataclass(frozen=True)
class RunTexts:
    """The texts of one run of one system, in segment order.

    Parameters
    ----------
    hypotheses : list of str
    references : tuple of (tuple of (str or None))
        One tuple a reference column; every segment has at least one reference.
    """

    hypotheses: list[str] = field(repr=False)
    references: tuple[ReferenceTexts, ...] = field(repr=False)


def reference_columns(outputs: pd.DataFrame) -> list[str]:
    """Return the names of the reference columns (``reference``, ``reference_2`` ...) in their order."""
    return sort_references(outputs.columns)


def reference_texts(outputs: pd.DataFrame) -> tuple[ReferenceTexts, ...]:
    """Return the references of one run's rows, None where a segment has no such reference.

    Raises
    ------
    InputError
        ``null-segment`` where a segment has no reference at all, ``columns`` where the frame has no reference column.
    """
    names = reference_columns(outputs)
    if not names:
        raise InputError(
            "columns",
            f"The outputs have no column 'reference', but only {', '.join(map(repr, outputs.columns))}: "
            "this metric compares hypotheses with references.",
        )
    columns = tuple(_texts_or_none(outputs, name) for name in names)
    incomplete = all(None in column for column in columns)  # no reference has all segments
    if incomplete and (absent := np.all([[text is None for text in column] for column in columns], axis=0)).any():
        raise InputError(
            "null-segment",
            f"{_name_segments(outputs, absent)} no reference at all, but every segment that is scored needs one: "
            "leave it out for all systems, or give it a reference.",
            found="None",
        )
    return columns


def run_texts(outputs: pd.DataFrame) -> RunTexts:
    """Return the texts of one run's rows.

    Raises
    ------
    InputError
        ``null-segment`` where a hypothesis is not a text or a segment has no reference at all; ``columns`` where the
        frame lacks a column.
    """
    if "hypothesis" not in outputs.columns:
        raise InputError(
            "columns",
            f"The outputs have no column 'hypothesis', but only {', '.join(map(repr, outputs.columns))}.",
        )
    hypotheses = outputs["hypothesis"].tolist()
    if not _are_texts(hypotheses):
        absent = np.array([not isinstance(text, str) for text in hypotheses], dtype=bool)
        expected = "as hypothesis, but a text was expected: an empty translation is the empty string."
        raise _no_text(outputs, hypotheses, absent, expected)
    return RunTexts(hypotheses, reference_texts(outputs))


def present_references(references: tuple[ReferenceTexts, ...]) -> np.ndarray:
    """Tell which references there are, as (n_references, n_segments) ndarray of bool."""
    return np.array([[text is not None for text in column] for column in references], dtype=bool)


def _are_texts(values: Sequence[object]) -> bool:
    """Tell whether all values are texts: there are fewer types than values."""
    return all(issubclass(one, str) for one in set(map(type, values)))


def _texts_or_none(outputs: pd.DataFrame, name: str) -> ReferenceTexts:
    texts = tuple(outputs[name].tolist())
    if _are_texts(texts):
        return texts
    wrong = np.array([not isinstance(text, str) and not is_missing(text) for text in texts], dtype=bool)
    if wrong.any():
        expected = f"in column {name!r}, but a text was expected, or None where there is no such reference."
        raise _no_text(outputs, texts, wrong, expected)
    return tuple(text if isinstance(text, str) else None for text in texts)


def _no_text(outputs: pd.DataFrame, texts: Sequence[object], wrong: np.ndarray, expected: str) -> InputError:
    found = repr(texts[int(wrong.argmax())])
    return InputError("null-segment", f"{_name_segments(outputs, wrong)} {found} {expected}", found=found)


def _name_segments(outputs: pd.DataFrame, mask: np.ndarray) -> str:
    """Begin a sentence about some segments, with its verb."""
    numbers = outputs["segment"].to_numpy() if "segment" in outputs.columns else np.arange(1, len(outputs) + 1)
    first = int(np.asarray(numbers)[mask.argmax()])
    count = int(mask.sum())
    return f"Segment {first} has" if count == 1 else f"{count} segments, the first of them segment {first}, have"


@dataclass(frozen=True)
class SymbolSequences:
    """Texts as numbers, one sequence per segment, laid end to end.

    Parameters
    ----------
    symbols : (n_symbols,) ndarray of int32 or uint32
        Numbers of words, or code points of characters, from 0.
    lengths : (n_segments,) ndarray of int64
        Symbols of each segment.
    """

    symbols: np.ndarray = field(repr=False)
    lengths: np.ndarray = field(repr=False)

    @cached_property
    def ends(self) -> np.ndarray:
        """Where each sequence ends, (n_segments,) ndarray of int64."""
        return np.cumsum(self.lengths)

    def part(self, first: int, last: int) -> SymbolSequences:
        """Return segments ``first`` to ``last - 1``."""
        begin = self.ends[first - 1] if first else 0
        return SymbolSequences(self.symbols[begin : self.ends[last - 1]], self.lengths[first:last])

    def take(self, positions: np.ndarray) -> SymbolSequences:
        """Return the sequences at these positions, which may repeat."""
        lengths = self.lengths[positions]
        starts = (self.ends - self.lengths)[positions]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return SymbolSequences(self.symbols[np.repeat(starts, lengths) + within], lengths)


def encode(texts: Sequence[str]) -> SymbolSequences:
    """Turn texts into code points."""
    # A bytearray, because a kernel would be compiled once more for an array that cannot be written to.
    characters = np.frombuffer(bytearray("".join(texts).encode("utf-32-le", "surrogatepass")), dtype="<u4")
    return SymbolSequences(characters, np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))


def drop_spaces(texts: SymbolSequences) -> SymbolSequences:
    """Return the code points of texts without their white space."""
    kept = ~white_space()[np.minimum(texts.symbols, HIGHEST_SPACE + 1)]
    before = np.append(0, np.cumsum(kept))
    return SymbolSequences(texts.symbols[kept], np.diff(before[texts.ends], prepend=0))


@lru_cache(maxsize=1)
def white_space() -> np.ndarray:
    """Tell which of the first code points are white space; the last one stands for all above, which are not."""
    return np.array([chr(code).isspace() for code in range(HIGHEST_SPACE + 2)])


def blocks(references: tuple[ReferenceTexts, ...]) -> list[tuple[slice, tuple[ReferenceTexts, ...]]]:
    """Split segments into blocks, which are the same for all systems; with each come its references."""
    lengths = np.zeros(len(references[0]), dtype=np.int64)
    for column in references:
        lengths += np.fromiter((len(text or "") for text in column), dtype=np.int64, count=len(column))
    return [
        (slice(first, last), tuple(column[first:last] for column in references))
        for first, last in spans(np.cumsum(lengths), BLOCK_CHARACTERS, BLOCK_SEGMENTS)
    ]


def spans(ends: np.ndarray, size: int | None = None, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Split texts into spans of about one size; each is the first text and the one after the last.

    Parameters
    ----------
    ends : (n_texts,) ndarray of int64
        Where each text ends.
    size : int, optional
        Characters, or other symbols, of a span; `SPAN_CHARACTERS` unless given.
    most : int, optional
        Texts in a span at most.
    """
    size, most = size or SPAN_CHARACTERS, most or len(ends)
    first = 0
    while first < len(ends):
        before = ends[first - 1] if first else 0
        last = max(first + 1, min(int(np.searchsorted(ends, before + size, side="right")), first + most))
        yield first, last
        first = last
