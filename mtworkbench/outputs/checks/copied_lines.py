"""Lines that were copied: from a reference, from the source, from another system, or from one reference to another.

Systems do translate lines as a reference or another system does, word for word. But then many more lines are so in one
half and not in the other, and hardly ever are many lines in succession. Lines that were copied are alike as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from mtworkbench.assumptions import BREAKS, INFORMS
from mtworkbench.outputs.checks.background import Background
from mtworkbench.outputs.checks.contrasts import most_expected
from mtworkbench.outputs.checks.oddities import KINDS, TO_LOOK_AT, Oddity
from mtworkbench.outputs.checks.profiles import Count, Profile
from mtworkbench.outputs.checks.segments import Segments

# A line of fewer words is often translated by all in the same way; one of many words hardly ever, even by variants of
# one system.
_FEWEST_WORDS, _MANY_WORDS = 8, 24
# Of the lines that equal a reference in one half, at most 0.4 as many equal it as a whole in real outputs, and about
# half of the share of the lines that equal it in one half, plus 0.1. The one exception is a reference that seems to be
# made from the output (wmt23 he-en): 1.1. Two real systems have at most 28 % of their long lines in common. Those that
# have many have many more in common by half, 35 % and more, because they are models of one family. Of the lines of 24
# words or more, as many as 0.08 and 0.6 of the share by half, of those that are so by half: chosen on 498 pairs, and
# 3,984 of 60 to 200 lines of them, such that a threshold lower by 15 % is false in none.
_SHARE_OF_A_COPY = 0.4
_LARGEST_SHARE_OF_HALVES = 0.3
_NATURAL_OF_SOURCE = 0.02
_SHORTEST_STRETCH = 6


@dataclass(frozen=True, eq=False)
class Digests:
    """What is kept of the lines of a file to tell which others are the same.

    Parameters
    ----------
    segments : Segments
    whole, first, last : (n_lines,) ndarray of int64 or uint64
        Of the line, of its first words and of its last, half as many as the first reference has; other values in
        lines of other words.
    is_line, is_filled : (n_lines,) ndarray of bool
        Whether a line has three words or more, and whether it has a word.
    """

    segments: Segments
    whole: np.ndarray = field(repr=False)
    first: np.ndarray = field(repr=False)
    last: np.ndarray = field(repr=False)
    is_line: np.ndarray = field(repr=False)
    is_filled: np.ndarray = field(repr=False)


def digest_lines(one: Profile, halves: np.ndarray) -> Digests:
    """Keep what is needed of a file."""
    first, last = one.digest_parts(halves)
    n_words = one.counts[:, Count.WORDS]
    return Digests(one.segments, one.digests, first, last, one.is_text & (n_words >= 3), one.is_text & (n_words > 0))


def find_halves(reference: Profile) -> np.ndarray:
    """Return half of the number of words of each line."""
    return np.maximum(3, reference.counts[:, Count.WORDS] // 2)


@dataclass(frozen=True, eq=False)
class _Equal:
    """Which lines of a file equal those of another, and which do by half."""

    whole: np.ndarray
    half: np.ndarray
    is_long: np.ndarray

    @cached_property
    def n_long(self) -> int:
        return int(np.count_nonzero(self.is_long))

    @cached_property
    def n_whole(self) -> int:
        return int(np.count_nonzero(self.whole & self.is_long))

    @cached_property
    def n_half(self) -> int:
        return int(np.count_nonzero(self.half & self.is_long))

    @property
    def ratio(self) -> float:
        return self.n_whole / max(1, self.n_half)

    def is_more_than(self, ratio: float, *, times: float = 2.0, plus: int = 2) -> bool:
        """Tell whether more lines are equal as a whole than those that are by half let expect.

        So many standard deviations and lines are added: more where many pairs of files are compared.
        """
        expected = ratio * self.n_half
        return self.n_whole > max(expected + times * expected**0.5 + plus, 0.01 * self.n_long)

    def stretch(self, times: float = 3.0) -> np.ndarray:
        """Return the positions of the long lines in stretches of equal ones, longer than chance makes them."""
        where = np.flatnonzero(self.is_long)
        if self.n_whole < _SHORTEST_STRETCH:
            return where[:0]
        equal = self.whole.take(where)
        share = min(0.95, max(0.01, float(equal.mean()) if len(equal) else 0.0))
        by_chance = np.log(max(2.0, len(where) * (1 - share))) / -np.log(share)  # of coins: the longest run of heads
        edges = np.flatnonzero(np.diff(np.concatenate([[0], equal.astype(np.int8), [0]])))
        lengths = edges[1::2] - edges[::2]
        is_long = lengths >= max(_SHORTEST_STRETCH, times * by_chance + 3)
        return where[equal][np.repeat(is_long, lengths)]


def _compare(one: Digests, others: Sequence[Digests], is_long: np.ndarray) -> _Equal:
    whole = np.zeros(len(one.whole), dtype=bool)
    first, last = whole.copy(), whole.copy()
    for other in others:
        both = one.is_line & other.is_line
        whole |= both & (one.whole == other.whole)
        first |= both & (one.first == other.first)
        last |= both & (one.last == other.last)
    return _Equal(whole, (first ^ last) & ~whole, is_long)


def find_copied(
    runs: Sequence[tuple[str, Digests]], references: Sequence[Digests], source: Digests | None, of: Background
) -> Iterator[Oddity]:
    """Yield what was copied from references, source and other systems."""
    is_long = of.is_text & (of.low[:, Count.WORDS] >= _FEWEST_WORDS)
    yield from _find_references_alike(references, is_long)
    yield from _find_reference_lines(runs, references, is_long)
    if source is not None:
        yield from _find_source_lines(runs, source, of, is_long)
        yield from _find_source_in_references(references, source)
    yield from _find_lines_of_others(runs, is_long, is_long & (of.low[:, Count.WORDS] >= _MANY_WORDS))


def _find_reference_lines(
    runs: Sequence[tuple[str, Digests]], references: Sequence[Digests], is_long: np.ndarray
) -> Iterator[Oddity]:
    compared = [_compare(run, references, is_long) for _, run in runs]
    for i, ((_, run), equal) in enumerate(zip(runs, compared, strict=True)):
        if equal.whole.sum() == run.is_line.sum():
            continue  # the whole output is a reference, which is noticed elsewhere
        share = equal.n_half / max(1, equal.n_long)
        others = sorted(one.ratio for j, one in enumerate(compared) if j != i)
        usual = others[(len(others) - 1) // 2] if len(others) >= 2 else 0.0
        ratio = max(0.12 + 0.9 * share, 1.5 * usual)
        times = 2.0 if len(others) >= 2 else 3.0  # alone, nothing says what systems reach on these texts
        positions = np.flatnonzero(equal.whole) if equal.is_more_than(ratio, times=times) else equal.stretch()
        if len(positions):
            telling = _find_telling(positions, is_long)
            yield KINDS["reference-lines"].found_in(run.segments, positions.tolist(), look_at=telling)


_LARGE_PART = 0.25
_SOME_OF_IT = {"consequence": "They were not translated.", "advice": "Translate these lines again."}


def _find_telling(positions: np.ndarray, is_long: np.ndarray) -> list[int]:
    """Return the positions to look at: long lines in stretches, which chance does not make, before others."""
    begins = np.flatnonzero(np.diff(positions, prepend=-2) > 1)
    lengths = np.diff(begins, append=len(positions))
    order = np.lexsort((positions, -np.repeat(lengths, lengths), ~is_long[positions]))
    return positions[order[:TO_LOOK_AT]].tolist()


def _find_source_lines(
    runs: Sequence[tuple[str, Digests]], source: Digests, of: Background, is_long: np.ndarray
) -> Iterator[Oddity]:
    # Where references keep lines as they are, such as names, outputs may.
    can = source.is_line & ~np.any([one.digests == source.whole for one in of.references], axis=0)
    most = most_expected(len(can), _NATURAL_OF_SOURCE)
    for _, run in runs:
        same = can & (run.whole == source.whole)
        if most < same.sum():
            positions = np.flatnonzero(run.is_filled & (run.whole == source.whole))
            telling = _find_telling(positions, is_long & can)
            follows = {} if same.sum() > _LARGE_PART * can.sum() else _SOME_OF_IT
            yield KINDS["hyp-is-source"].found_in(run.segments, positions.tolist(), look_at=telling, **follows)


def _find_source_in_references(references: Sequence[Digests], source: Digests) -> Iterator[Oddity]:
    for one in references:
        positions = np.flatnonzero(source.is_line & (one.whole == source.whole))
        if len(positions) > most_expected(int(source.is_line.sum()), _NATURAL_OF_SOURCE):
            yield KINDS["reference-is-source"].found_in(one.segments, positions.tolist())


def _find_lines_of_others(
    runs: Sequence[tuple[str, Digests]], is_long: np.ndarray, has_many_words: np.ndarray
) -> Iterator[Oddity]:
    for (system, one), (other_system, other) in combinations(runs, 2):
        if system == other_system:
            continue
        equal = _compare(one, [other], is_long)
        share, share_of_halves = equal.n_whole / max(1, equal.n_long), equal.n_half / max(1, equal.n_long)
        if share > 0.999:
            continue  # identical systems are noticed elsewhere
        is_mixed = share_of_halves < _LARGEST_SHARE_OF_HALVES and equal.is_more_than(
            0.2 + share_of_halves, times=3.0, plus=10
        )
        longest = replace(equal, is_long=has_many_words)
        share_there = longest.n_half / max(1, longest.n_long)
        is_mixed |= longest.is_more_than(0.08 + 0.6 * share_there, times=3.0, plus=8)
        error = (share / max(1, equal.n_long)) ** 0.5
        is_copy = is_mixed or share - 1.5 * error > _SHARE_OF_A_COPY
        stretch = equal.stretch(times=4.0)
        positions = np.flatnonzero(equal.whole) if is_copy else stretch
        if len(positions):
            # Many equal lines here and there are what variants of one system have, such as tuning runs.
            gravity = BREAKS if is_mixed or len(stretch) else INFORMS
            alike = [other.segments]
            yield KINDS["lines-of-another"].found_in(one.segments, positions.tolist(), gravity=gravity, alike=alike)


def _find_references_alike(references: Sequence[Digests], is_long: np.ndarray) -> Iterator[Oddity]:
    for one, other in combinations(references, 2):
        both = is_long & one.is_line & other.is_line
        if 2 * both.sum() < is_long.sum():
            continue
        equal = _compare(other, [one], both)
        share = equal.n_half / max(1, equal.n_long)
        if equal.n_long and equal.n_whole == equal.n_long:
            more = {"what": "are identical: one reference is given twice"}
        elif equal.is_more_than(0.2 + share, plus=6):
            more = {}
        else:
            continue
        positions = np.flatnonzero(equal.whole).tolist()
        yield KINDS["same-references"].found_in(one.segments, positions, alike=[other.segments], **more)
