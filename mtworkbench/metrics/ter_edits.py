"""TER's edits, counted by the compiled search; its plain reference is sacreBLEU's own code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from types import ModuleType

import numpy as np

from mtworkbench.compiled import load_kernels

# sacreBLEU takes 1 ms for 18 output and 18 reference words, 8 ms for 50 and 50: a product that it grows with roughly.
_SECONDS_PER_PRODUCT = 3e-6
# So many cells of a table take less than 0.1 seconds. The tables of a segment are filled in one go, which takes longer
# than 0.2 seconds where it has more than 300,000 words.
_CELLS_PER_CALL = 20_000_000


@dataclass(frozen=True)
class NumberedReferences:
    """The words of all references as numbers.

    Parameters
    ----------
    numbers : dict
        The number of each word.
    words : (n_words,) ndarray of int32
        The words of all references, segment by segment.
    lengths : (n_references,) ndarray of int64
        Words of each reference.
    segments : (n_references,) ndarray of int64
        The segment of each, in order; every segment has one.
    """

    numbers: dict[str, int] = field(repr=False)
    words: np.ndarray = field(repr=False)
    lengths: np.ndarray = field(repr=False)
    segments: np.ndarray = field(repr=False)


def number_references(references: Sequence[Sequence[str]]) -> NumberedReferences:
    """Give numbers to the words of references, which sacreBLEU has tokenized, segment by segment."""
    texts = list(chain.from_iterable(references))
    lengths = count_words(texts)
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a new word gets the next number
    words = np.fromiter(map(numbers.__getitem__, _split(texts)), np.int32, lengths.sum())
    segments = np.repeat(np.arange(len(references)), [len(segment) for segment in references])
    return NumberedReferences(dict(numbers), words, lengths, segments)


def count_words(texts: Sequence[str]) -> np.ndarray:
    """Count the words of texts that have one blank between them."""
    return np.array([text.count(" ") + bool(text) for text in texts], dtype=np.int64)


def load_search(products: int) -> ModuleType | None:
    """Return the compiled search, or None where sacreBLEU is to do the work.

    Parameters
    ----------
    products : int
        The number of words of an output times that of its reference, added up over all pairs.
    """
    return load_kernels("shifts", saves=_SECONDS_PER_PRODUCT * products)


def count_edits(
    search: ModuleType, texts: Iterable[str], lengths: np.ndarray, references: NumberedReferences
) -> np.ndarray:
    """Count the edits from each output to the nearest of its references.

    Parameters
    ----------
    search : module
        What `load_search` returned.
    texts : iterable of str
        The output of each segment, as sacreBLEU tokenizes it.
    lengths : (n_segments,) ndarray of int64
        Words of each.
    references : NumberedReferences

    Returns
    -------
    (n_segments, 2) ndarray of float64
        The edits, and the references' mean length.
    """
    words = np.fromiter(map(references.numbers.get, _split(texts), repeat(-1)), np.int32, lengths.sum())
    pairs = words, _add_up(lengths), references.segments, references.words, _add_up(references.lengths)
    room = search.make_room(lengths[references.segments], references.lengths)
    state, moves = np.zeros(search.STATE, dtype=np.int64), np.zeros((search.MOVES, 3), dtype=np.int32)
    edits = np.zeros(len(references.lengths), dtype=np.int64)
    while not search.search(*pairs, edits, state, moves, *room, _CELLS_PER_CALL):
        pass  # an interrupt is answered between two calls
    statistics = np.empty((len(lengths), 2))
    firsts = np.searchsorted(references.segments, np.arange(len(lengths)))
    statistics[:, 0] = np.minimum.reduceat(edits, firsts)
    statistics[:, 1] = np.add.reduceat(references.lengths, firsts) / np.bincount(references.segments)
    return statistics


def _split(texts: Iterable[str]) -> Iterator[str]:
    # A generator, because Python answers an interrupt there: within map(str.split, texts) it would not.
    return chain.from_iterable(text.split() for text in texts)


def _add_up(lengths: np.ndarray) -> np.ndarray:
    """Return where texts that follow each other begin and, with the next number, end."""
    return np.concatenate([[0], np.cumsum(lengths)])
