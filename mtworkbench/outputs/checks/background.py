"""What is known of the lines of a test set before its outputs are looked at: from the references and the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mtworkbench.outputs.checks.profiles import BUCKETS, Count, Profile, count_cells, find_cells, sum_counts

# The most frequent words: mostly those that a text in this language cannot do without.
_N_FREQUENT = 100
_BLOCK = 100_000
_FEWEST_BITS = 12


@dataclass(frozen=True, eq=False)
class Background:
    """What the references, and the source if there is one, say of each line.

    Parameters
    ----------
    references : sequence of Profile
    source : Profile or None
    low, high : (n_lines, n_counts) ndarray of int32
        The smallest and the largest of each `Count` among the references of a line; 0 where it has none.
    is_text : (n_lines,) ndarray of bool
        False where a line has no reference.
    scripts : (n_lines, n_scripts) ndarray of bool
        The scripts that a reference of the line has.
    frequent, frequent_in_source : (n_frequent,) ndarray of uint64
        The most frequent words of the references, and those of the source that are not among them, sorted.
    n_frequent : (n_lines,) ndarray of float64
        The smallest share of the words of a reference that are frequent.
    content : (n_lines, 256) ndarray of uint8
        The words of the references that are not frequent; by the buckets they fall into.
    n_content : (n_lines,) ndarray of int64
        How many these are.
    """

    references: Sequence[Profile]
    source: Profile | None
    low: np.ndarray = field(repr=False)
    high: np.ndarray = field(repr=False)
    is_text: np.ndarray = field(repr=False)
    scripts: np.ndarray = field(repr=False)
    frequent: np.ndarray = field(repr=False)
    frequent_in_source: np.ndarray = field(repr=False)
    share_frequent: np.ndarray = field(repr=False)
    content: np.ndarray = field(repr=False)
    n_content: np.ndarray = field(repr=False)

    def fewest(self, *which: Count) -> np.ndarray:
        """Return how many of some things every reference of a line has."""
        return sum_counts(self.low, which)

    def most(self, *which: Count) -> np.ndarray:
        """Return how many of some things no reference of a line has more of."""
        return sum_counts(self.high, which)


def find_background(references: Sequence[Profile], source: Profile | None) -> Background:
    """Put together what the references and the source say of each line."""
    first, *others = references
    low = high = first.counts
    is_text, scripts = first.is_text, first.scripts > 0
    for one in others:
        both = is_text & one.is_text  # a line without text has nothing of anything
        low = np.where(both[:, None], np.minimum(low, one.counts), low + one.counts)
        high = np.maximum(high, one.counts)
        is_text, scripts = is_text | one.is_text, scripts | (one.scripts > 0)
    frequent = _find_frequent(references)
    share, content = np.ones(len(first)), np.zeros((len(first), BUCKETS), dtype=np.uint8)
    for one in references:
        is_frequent = is_among(one.words, frequent)
        np.minimum(share, share_of_words(one, is_frequent), out=share, where=one.is_text)
        for block, place, lines in one.split():
            wanted = ~is_frequent[place]
            own = count_cells(find_cells(one.words[place][wanted], lines[wanted]), content[block].size)
            np.maximum(content[block], own.reshape(-1, BUCKETS), out=content[block])
    in_source = np.empty(0, dtype=np.uint64)
    if source is not None:
        in_source = _find_frequent([source])
        in_source = in_source[~is_among(in_source, frequent)]
    n_content = content.sum(axis=1)
    return Background(references, source, low, high, is_text, scripts, frequent, in_source, share, content, n_content)


def _find_frequent(profiles: Sequence[Profile]) -> np.ndarray:
    words = np.concatenate([one.words for one in profiles])
    words.sort()  # in place: `np.unique` would make another copy of all words
    is_new = np.ones(len(words), dtype=bool)
    np.not_equal(words[1:], words[:-1], out=is_new[1:])
    begins = np.flatnonzero(is_new)
    most = np.argsort(-np.diff(begins, append=len(words)), kind="stable")[:_N_FREQUENT]
    return np.sort(words[begins[most]])


def is_among(words: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Tell which words are among the known ones, which are few and sorted."""
    if not len(known):
        return np.zeros(len(words), dtype=bool)
    n_others = 8 * known.itemsize - _FEWEST_BITS  # the first bits, as many as tell the known ones apart
    while (known[1:] >> n_others == known[:-1] >> n_others).any():
        n_others -= 1
    likely = np.full(1 << (8 * known.itemsize - n_others), known[0])
    likely[known >> n_others] = known
    found = np.empty(len(words), dtype=bool)
    for start in range(0, len(words), _BLOCK):  # together, temporary arrays would be large
        some = words[start : start + _BLOCK]
        np.equal(likely.take((some >> n_others).astype(np.intp)), some, out=found[start : start + _BLOCK])
    return found


def share_of_words(one: Profile, which: np.ndarray) -> np.ndarray:
    """Return the share of some of the words among those of each line."""
    return one.count_in_lines(which) / np.maximum(1, one.counts[:, Count.WORDS])
