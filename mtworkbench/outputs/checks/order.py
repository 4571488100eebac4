"""Whether outputs stand in the order of the reference: shifted by lines lost or added, or shuffled."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, repeat

import numpy as np

from mtworkbench.outputs.checks.report import Report
from mtworkbench.outputs.checks.segments import Segments

# Scripts that are written without blanks count by characters.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(f"[{_UNSPACED}]|[^\\W{_UNSPACED}]+")

# Thresholds, and what was measured of 117 real outputs (newswire, talks, voice; into English, German, Chinese,
# Livonian; from rule-based systems to GPT-4): of the matches at most 3.9 % are out of place and never do two in
# succession have the same distance; 16 % of the segments or more have a match. Of outputs of another test set 0.7 % of
# the segments have one by chance, of outputs in another script none. Of shuffled outputs, all matches are out of place.
_RARE_PIECES = 3
_FEWEST_SEGMENTS = 10
_BLOCK = 2000
_FEWEST_IN_SUCCESSION = 3
_FEWEST_MATCHES = 5
_SHARE_MATCHED = 0.05
_SHARE_OUT_OF_PLACE = 0.25
# More words than any vocabulary has: a pair of words has a number of its own.
_MOST_WORDS = 2**31
# And more segments than any test set has.
_MOST_SEGMENTS = 2**31


def notice_order(reference: Segments, runs: Sequence[Segments], report: Report) -> None:
    """Notice outputs that stand in another order than the reference.

    A segment of an output matches the one segment of the reference with which it shares three words, or pairs of
    neighbouring words, that occur once in the reference and once in the output. Where successive matches are all the
    same number of lines away, lines were lost, added or moved; where many matches are away at all distances, the lines
    were shuffled or sorted. What shares hardly any words with the reference matches nothing, so nothing is said of it.
    """
    if len(reference) < _FEWEST_SEGMENTS:
        return
    vocabulary: dict[str, int] = defaultdict(count().__next__)
    looked_at = [_rare(_read_pieces(run, _look_at(len(run)), vocabulary, extend=True)) for run in runs]
    known = _find_once(reference, looked_at, vocabulary)
    for run, pieces in zip(runs, looked_at, strict=True):
        matches = _match(known, pieces)
        stretches = list(_stretches(matches))
        out_of_place = int((matches[:, 0] != matches[:, 1]).sum())
        shuffled = out_of_place - sum(stretch.n_matches for stretch in stretches)
        enough = max(_FEWEST_MATCHES, _SHARE_MATCHED * len(_look_at(len(run))))
        if len(matches) >= enough and shuffled > _SHARE_OUT_OF_PLACE * len(matches):
            _warn_of_order(reference, run, report, matches)
        elif stretches:
            _warn_of_shift(reference, run, report, stretches[0], matches)


# Pieces (words, and pairs of neighbouring words) as numbers, and the segment of each.
_Pieces = tuple[np.ndarray, np.ndarray]


def _look_at(n_segments: int) -> np.ndarray:
    """Return the segments of an output to look at: all, or the beginning, the middle and the end of a long one."""
    if n_segments <= 3 * _BLOCK:
        return np.arange(n_segments)
    starts = (0, (n_segments - _BLOCK) // 2, n_segments - _BLOCK)
    return np.concatenate([np.arange(start, start + _BLOCK) for start in starts])


def _words(text: str | None) -> list[str]:
    return _WORD.findall(text.lower()) if text else []


def _read_pieces(segments: Segments, positions: np.ndarray, vocabulary: dict[str, int], *, extend: bool) -> _Pieces:
    """Return the pieces of the segments at these positions that are made of known words, in no order.

    Words become known, with the next number, where ``extend`` is True.
    """
    codes, lengths = array("q"), array("q")  # lists of words would take many times the memory
    for position in positions:
        words = _words(segments.texts[position])
        lengths.append(len(words))
        codes.extend(map(vocabulary.__getitem__, words) if extend else map(vocabulary.get, words, repeat(-1)))
    numbers, where = np.array(codes, dtype=np.int64), np.repeat(positions, lengths)
    of_pairs = np.flatnonzero((where[1:] == where[:-1]) & (numbers[1:] >= 0) & (numbers[:-1] >= 0))
    of_words = np.flatnonzero(numbers >= 0)
    pairs = (numbers[of_pairs] + 1) * _MOST_WORDS + numbers[of_pairs + 1]
    return np.concatenate([numbers[of_words], pairs]), where[np.concatenate([of_words, of_pairs])]


def _rare(pieces: _Pieces) -> _Pieces:
    """Return the pieces that occur once."""
    once, first, counts = np.unique(pieces[0], return_index=True, return_counts=True)
    return once[counts == 1], pieces[1][first[counts == 1]]


def _find_once(reference: Segments, outputs: Sequence[_Pieces], vocabulary: dict[str, int]) -> _Pieces:
    """Return the pieces of outputs that occur once in the reference, with their segments there.

    The reference is read in blocks, and of its pieces only those of the outputs are counted: a large one would
    otherwise take ten times its own memory.
    """
    # numpy's `unique` would hash them, which takes several times as long as sorting.
    wanted = np.sort(np.concatenate([pieces for pieces, _ in outputs])) if outputs else np.empty(0, dtype=np.int64)
    wanted = wanted[np.diff(wanted, prepend=-1) != 0]
    counts, where = np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.int64)
    for start in range(0, len(reference), _BLOCK):
        block = np.arange(start, min(start + _BLOCK, len(reference)))
        pieces, segments = _read_pieces(reference, block, vocabulary, extend=False)
        places = np.searchsorted(wanted, pieces)
        found = np.flatnonzero(wanted.take(places, mode="clip") == pieces) if len(wanted) else places[:0]
        counts += np.bincount(places[found], minlength=len(wanted))
        where[places[found]] = segments[found]
    return wanted[counts == 1], where[counts == 1]


def _match(reference: _Pieces, output: _Pieces) -> np.ndarray:
    """Return the positions in output and reference of the segments that match, in the order of the output."""
    _, there, here = np.intersect1d(reference[0], output[0], assume_unique=True, return_indices=True)
    pairs, n_shared = np.unique(output[1][here] * _MOST_SEGMENTS + reference[1][there], return_counts=True)
    return np.column_stack(np.divmod(pairs[n_shared >= _RARE_PIECES], _MOST_SEGMENTS))


@dataclass(frozen=True)
class _Stretch:
    """Matches in succession that are all the same number of lines away."""

    first: int
    distance: int
    n_matches: int


def _stretches(matches: np.ndarray) -> Iterator[_Stretch]:
    distances = matches[:, 1] - matches[:, 0]
    ends = np.flatnonzero(np.diff(distances, append=np.inf)) + 1
    for start, end in zip(np.r_[0, ends][:-1], ends, strict=True):
        if distances[start] and end - start >= _FEWEST_IN_SUCCESSION:
            yield _Stretch(int(matches[start, 0]), int(distances[start]), int(end - start))


def _warn_of_shift(reference: Segments, run: Segments, report: Report, stretch: _Stretch, matches: np.ndarray) -> None:
    lines = abs(stretch.distance)
    where = f"{lines:,} {'line' if lines == 1 else 'lines'} {'earlier' if stretch.distance < 0 else 'later'}"
    moved = int((matches[:, 0] != matches[:, 1]).sum())
    message = (
        f"{run.label}, from {run.unit} {run.line(stretch.first):,} on: each segment fits one of {reference.label} that "
        f"is {where} ({moved:,} of the {len(matches):,} segments that can be recognized are out of place); was "
        "a line lost or added, or are parts in another order?"
    )
    together = (
        "The segments of {places} outputs fit segments of the reference some lines earlier or later ({count} in all), "
        "so lines may have been lost or added, or parts may be in another order: {list}."
    )
    run.notice(report, "suspected-shift", message, stretch.first, moved, together)


def _warn_of_order(reference: Segments, run: Segments, report: Report, matches: np.ndarray) -> None:
    away = matches[matches[:, 0] != matches[:, 1]]
    here, there = int(away[0, 0]), int(away[0, 1])
    message = (
        f"{run.label} is in another order than {reference.label}: {len(away):,} of the {len(matches):,} segments that "
        f"can be recognized by their words are those of other lines ({run.unit} {run.line(here):,} is that of "
        f"{reference.unit} {reference.line(there):,}); put the output in the order of the reference."
    )
    together = (
        "{places} outputs are in another order than the reference ({count} segments are those of other lines): {list}; "
        "put them in the order of the reference."
    )
    run.notice(report, "suspected-order", message, here, len(away), together)
