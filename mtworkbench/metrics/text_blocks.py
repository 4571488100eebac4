"""Texts as kernels read them: code points, laid end to end, in blocks of bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from mtworkbench.metrics.texts import ReferenceTexts

#: The references of so many blocks are kept, once they are prepared: up to 150 MiB, for some 100,000 segments.
KEPT_BLOCKS = 32
# A block ends before its references have more characters, or it has more segments.
BLOCK_CHARACTERS, BLOCK_SEGMENTS = 2**19, 2**12
# A kernel is called for so many characters at one time, which takes it less than 0.1 seconds.
SPAN_CHARACTERS = 2**20
# No white space has a higher code point.
HIGHEST_SPACE = 0x3000


@dataclass(frozen=True)
class CodePoints:
    """The characters of texts.

    Parameters
    ----------
    characters : (n_characters,) ndarray of uint32
    ends : (n_texts,) ndarray of int64
        Where each text ends.
    """

    characters: np.ndarray = field(repr=False)
    ends: np.ndarray = field(repr=False)

    @property
    def lengths(self) -> np.ndarray:
        """Characters of each text, (n_texts,) ndarray of int64."""
        return np.diff(self.ends, prepend=0)

    def without_spaces(self) -> CodePoints:
        """Return the texts without their white space."""
        kept = ~white_space()[np.minimum(self.characters, HIGHEST_SPACE + 1)]
        before = np.append(0, np.cumsum(kept))
        return CodePoints(self.characters[kept], before[self.ends])


def encode(texts: Sequence[str]) -> CodePoints:
    """Turn texts into code points."""
    # A bytearray, because a kernel would be compiled once more for an array that cannot be written to.
    characters = np.frombuffer(bytearray("".join(texts).encode("utf-32-le", "surrogatepass")), dtype="<u4")
    return CodePoints(characters, np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))))


@lru_cache(maxsize=1)
def white_space() -> np.ndarray:
    """Tell which of the first code points are white space; the last one stands for all above, which are not."""
    return np.array([chr(code).isspace() for code in range(HIGHEST_SPACE + 2)])


def blocks(references: tuple[ReferenceTexts, ...]) -> Iterator[tuple[slice, tuple[ReferenceTexts, ...]]]:
    """Split segments into blocks, which are the same for all systems; with each come its references."""
    lengths = np.zeros(len(references[0]), dtype=np.int64)
    for column in references:
        lengths += np.fromiter((len(text or "") for text in column), dtype=np.int64, count=len(column))
    ends = np.cumsum(lengths)
    first = 0
    while first < len(ends):
        before = ends[first - 1] if first else 0
        last = int(np.searchsorted(ends, before + BLOCK_CHARACTERS, side="right"))
        last = max(first + 1, min(last, first + BLOCK_SEGMENTS))
        yield slice(first, last), tuple(column[first:last] for column in references)
        first = last


def spans(ends: np.ndarray) -> Iterator[tuple[int, int]]:
    """Split texts into spans of about `SPAN_CHARACTERS`; each is the first text and the one after the last."""
    first = 0
    while first < len(ends):
        before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + SPAN_CHARACTERS, side="right")))
        yield first, last
        first = last
