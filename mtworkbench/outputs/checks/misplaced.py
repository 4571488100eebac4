"""Outputs, and further references, that stand in another order than the first reference: all of them, or some lines.

A line matches the one line of the reference with which it shares three words, or pairs of neighbouring words, that
occur once in the reference and once in the output. Where successive matches are all the same number of lines away,
lines were lost, added or moved; where many are away at all distances, lines were shuffled, sorted or exchanged. What
shares hardly any words with the reference matches nothing, so nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from mtworkbench.outputs.checks.contrasts import Compared, most_expected
from mtworkbench.outputs.checks.oddities import KINDS, Oddity
from mtworkbench.outputs.checks.profiles import Profile
from mtworkbench.wording import tally

# Thresholds, and what was measured of 117 real outputs (newswire, talks, voice; into English, German, Chinese,
# Livonian; from rule-based systems to GPT-4): of the matches at most 3.9 % are out of place and never do two in
# succession have the same distance; 16 % of the segments or more have a match. Of outputs of another test set 0.7 % of
# the segments have one by chance, of outputs in another script none. Of shuffled outputs, all matches are out of place.
_RARE_PIECES = 3
_FEWEST_SEGMENTS = 10
_FEWEST_IN_SUCCESSION = 3
_FEWEST_MATCHES = 5
_SHARE_MATCHED = 0.05
_SHARE_OUT_OF_PLACE = 0.25
# Of 250 real outputs at most this share of the matches is out of place while the line shares little with its own
# reference.
_NATURAL = 0.006
_LITTLE = 0.35
_PAIR = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 1_000_000
# Of pieces, so many first bits are looked up: four more than would tell them apart if they were in order.
_FURTHER_BITS, _MOST_BITS = 4, 24


@dataclass(frozen=True, eq=False)
class Places:
    """The pieces that occur once in the reference, and where.

    Parameters
    ----------
    pieces : (n_pieces,) ndarray of uint64
        Sorted; their last bits are the line that each is in.
    n_bits : int
        How many these are.
    is_known : (2**n,) ndarray of bool
        Whether a piece begins with these n bits: most others need not be looked for.
    """

    pieces: np.ndarray = field(repr=False)
    n_bits: int
    is_known: np.ndarray = field(repr=False)

    @property
    def n_others(self) -> int:
        """How many bits of a piece are not among the first."""
        return 65 - len(self.is_known).bit_length()


def find_places(reference: Profile) -> Places:
    """Find the pieces that occur once in the reference."""
    n_bits = len(reference).bit_length()
    pieces = _find_single(_read_pieces(reference), n_bits)
    is_known = np.zeros(1 << min(_MOST_BITS, len(pieces).bit_length() + _FURTHER_BITS), dtype=bool)
    places = Places(pieces, n_bits, is_known)
    for some in _split(pieces):
        is_known[(some >> np.uint64(places.n_others)).view(np.int64)] = True
    return places


def _find_single(several: Iterable[np.ndarray], n_bits: int) -> np.ndarray:
    """Return those of the pieces that occur once, sorted."""
    pieces = np.concatenate([*several])
    pieces.sort()
    is_new = np.ones(len(pieces) + 1, dtype=bool)  # and what follows the last piece
    for before, after, new in zip(_split(pieces[:-1]), _split(pieces[1:]), _split(is_new[1:-1]), strict=True):
        np.not_equal((before ^ after) >> n_bits, 0, out=new)
    return pieces[is_new[1:] & is_new[:-1]]


def _split(array: np.ndarray) -> list[np.ndarray]:
    """Split a long array, so that temporary ones stay small."""
    return [array[start : start + _BLOCK] for start in range(0, len(array), _BLOCK)]


def _read_pieces(one: Profile, places: Places | None = None) -> Iterator[np.ndarray]:
    """Yield words, and pairs of neighbouring words, with their lines in the last bits; with places, those known there.

    Others may be among them.
    """
    n_bits = len(one).bit_length()
    for block, place, lines in one.split():
        words, of_words = one.words[place], (lines + block.start).astype(np.uint64)
        pairs = words[:-1] * _PAIR
        pairs ^= words[1:]
        for pieces, wanted in ((words, np.ones(1, bool)), (pairs, lines[1:] == lines[:-1])):
            if places is not None:
                wanted = wanted & places.is_known.take((pieces >> np.uint64(places.n_others)).view(np.int64))
            which = np.flatnonzero(np.broadcast_to(wanted, pieces.shape))
            yield pieces.take(which) >> n_bits << n_bits | of_words.take(which)


def _match(one: Profile, places: Places) -> np.ndarray:
    """Return the positions in output and reference of the segments that match, in the order of the output."""
    n_bits, known, last = places.n_bits, places.pieces, (1 << places.n_bits) - 1
    pieces = _find_single(_read_pieces(one, places), n_bits)
    if not len(pieces) or not len(known):
        return np.empty((0, 2), dtype=np.int64)
    several = []
    for some in _split(pieces):
        there = known.take(np.searchsorted(known, some >> n_bits << n_bits), mode="clip")
        same = (there ^ some) >> n_bits == 0
        several.append((np.stack([some[same], there[same]]) & np.uint64(last)).astype(np.int64))
    here, there = np.concatenate(several, axis=1)
    is_away = here != there
    in_place = np.flatnonzero(np.bincount(here[~is_away]) >= _RARE_PIECES)
    away, n_shared = np.unique((here << n_bits | there)[is_away], return_counts=True)
    matches = np.sort(np.concatenate([in_place << n_bits | in_place, away[n_shared >= _RARE_PIECES]]))
    return np.column_stack([matches >> n_bits, matches & last])


def find_misplaced(compared: Compared, places: Places) -> Iterator[Oddity]:
    """Yield an output in which lines are out of place.

    Parameters
    ----------
    compared : Compared
        The output.
    places : Places
        Of the first reference.
    """
    one = compared.profile
    if len(one) < _FEWEST_SEGMENTS:
        return
    matches = _match(one, places)
    here, there = matches[:, 0], matches[:, 1]
    stretches = _find_stretches(matches)
    n_away = int((here != there).sum())
    n_shuffled = n_away - sum(size for _, _, size in stretches)
    away = np.unique(here[here != there])
    # A line that matches its own reference as well, or shares much with it, is in place. Of several references, another
    # than the first may be the one that it shares much with.
    is_like_its_own = (compared.shared[away] > _LITTLE) & (len(compared.of.references) == 1)
    out = away[~np.isin(away, here[here == there]) & ~is_like_its_own]
    enough = max(_FEWEST_MATCHES, _SHARE_MATCHED * len(one))
    if len(matches) >= enough and n_shuffled > _SHARE_OUT_OF_PLACE * len(matches):
        yield _make_order(one, matches, away)
    elif stretches:
        yield _make_shift(one, matches, stretches[0], away)
    elif len(matches) >= enough and len(out) > most_expected(len(matches), _NATURAL):
        yield _make_order(one, matches, out)


def _make(code: str, one: Profile, matches: np.ndarray, positions: np.ndarray, where: str) -> Oddity:
    recognized = f"{len(np.unique(matches[:, 0])):,} segments can be matched by their words"
    return KINDS[code].found_in(one.segments, positions.tolist(), detail=f"{where}; {recognized}")


def _make_shift(one: Profile, matches: np.ndarray, stretch: tuple[int, int, int], away: np.ndarray) -> Oddity:
    first, distance, _ = stretch
    where = f"{tally(abs(distance), 'segment')} {'earlier' if distance < 0 else 'later'}"
    return _make("suspected-shift", one, matches, away[away >= first], where)


def _make_order(one: Profile, matches: np.ndarray, positions: np.ndarray) -> Oddity:
    [there, *_] = matches[np.isin(matches[:, 0], positions) & (matches[:, 0] != matches[:, 1]), 1]
    return _make("suspected-order", one, matches, positions, f"the first that of segment {there + 1:,}")


def _find_stretches(matches: np.ndarray) -> list[tuple[int, int, int]]:
    """Return the first line, the distance and the number of matches in succession that are as many lines away."""
    distances = matches[:, 1] - matches[:, 0]
    ends = np.flatnonzero(np.diff(distances, append=np.inf)) + 1
    return [
        (int(matches[start, 0]), int(distances[start]), int(end - start))
        for start, end in zip(np.r_[0, ends][:-1], ends, strict=True)
        if distances[start] and end - start >= _FEWEST_IN_SUCCESSION
    ]
