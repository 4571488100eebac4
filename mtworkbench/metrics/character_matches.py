"""N-grams of characters as chrF counts them, with kernels where that pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from mtworkbench.compiled import load_kernels
from mtworkbench.metrics.texts import KEPT_BLOCKS, CodePoints, ReferenceTexts, RunTexts, encode, spans

# The kernel packs so many characters into one n-gram.
MOST_ORDERS = 6
# By how many seconds the kernels are faster, for each character of a hypothesis and each reference.
SAVED = 8e-7


@dataclass(frozen=True)
class PreparedReferences:
    """The n-grams of a block's references, for any number of systems.

    Parameters
    ----------
    keys : (n_characters,) ndarray of uint64
        N-grams of each text, sorted: of the first reference of all segments, of the second ...
    ends : (n_references, n_segments) ndarray of int64
        Where the n-grams of each text end.
    alphabets : (n_characters,) ndarray of uint32
        The characters of each segment's references.
    ends_of_alphabets : (n_segments,) ndarray of int64
        Where those of each segment end. Where there are more than the kernel can number, there are none.
    """

    keys: np.ndarray = field(repr=False)
    ends: np.ndarray = field(repr=False)
    alphabets: np.ndarray = field(repr=False)
    ends_of_alphabets: np.ndarray = field(repr=False)

    @property
    def lengths(self) -> np.ndarray:
        """Characters of each text, (n_references, n_segments) ndarray of int64."""
        return np.diff(self.ends.reshape(-1), prepend=0).reshape(self.ends.shape)

    @property
    def counted(self) -> np.ndarray:
        """Which segments the kernel counts, (n_segments,) ndarray of bool."""
        return (np.diff(self.ends_of_alphabets, prepend=0) > 0) | (self.lengths == 0).all(axis=0)


def can_count_characters(texts: RunTexts, max_order: int) -> bool:
    """Tell whether kernels count the n-grams of characters."""
    if max_order > MOST_ORDERS:
        return False
    saves = SAVED * len(texts.references) * sum(map(len, texts.hypotheses))
    return load_kernels("character_ngrams", saves=saves) is not None


def read_characters(texts: Sequence[str], lowercase: bool, whitespace: bool) -> CodePoints:
    """Return the characters of texts that chrF counts."""
    code_points = encode([text.lower() for text in texts] if lowercase else texts)
    return code_points if whitespace else code_points.without_spaces()


@lru_cache(maxsize=KEPT_BLOCKS)
def prepare_references(lowercase: bool, whitespace: bool, references: tuple[ReferenceTexts, ...]) -> PreparedReferences:
    """Sort the n-grams of a block's references; absent references are empty."""
    from mtworkbench.compiled import character_ngrams as kernels

    texts = read_characters([text or "" for column in references for text in column], lowercase, whitespace)
    ends = texts.ends.reshape(len(references), -1)
    keys, alphabets = np.empty(len(texts.characters), dtype=np.uint64), np.empty(len(texts.characters), dtype=np.uint32)
    ends_of_alphabets = np.empty(ends.shape[1], dtype=np.int64)
    kernels.prepare_references(texts.characters, ends, keys, alphabets, ends_of_alphabets)
    return PreparedReferences(keys, ends, alphabets[: ends_of_alphabets.max(initial=0)].copy(), ends_of_alphabets)


def count_character_matches(hypotheses: CodePoints, references: PreparedReferences, max_order: int) -> np.ndarray:
    """Count the n-grams that each hypothesis shares with each of its references.

    Parameters
    ----------
    hypotheses : CodePoints
    references : PreparedReferences
    max_order : int
        `MOST_ORDERS` at most.

    Returns
    -------
    (n_references, n_segments, max_order) ndarray of int64
        Meaningless for segments that ``references.counted`` leaves out.
    """
    from mtworkbench.compiled import character_ngrams as kernels

    matches = np.zeros((*references.ends.shape, max_order), dtype=np.int64)
    for span in spans(hypotheses.ends):
        kernels.count_matches(
            hypotheses.characters,
            hypotheses.ends,
            references.keys,
            references.ends,
            references.alphabets,
            references.ends_of_alphabets,
            span,
            matches,
        )
    return matches
