"""Checks that relate outputs to references, source and each other; their results are kept in the cache.

Such checks take longer than all others together. What they find depends on nothing but the texts, so a second look, at
an outputs frame that was made of them, would find the same.
"""

from __future__ import annotations

import json
import re
import sys
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, repeat
from pathlib import Path
from typing import Any

import numpy as np

from mtworkbench.assumptions import BREAKS
from mtworkbench.cache import Cache, digest_code
from mtworkbench.errors import DataWarning
from mtworkbench.outputs.checks.oddities import Oddity
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.outputs.checks.traits import find_tokenization, find_traits
from mtworkbench.wording import grouped, tally

# Computed at import, because a running program keeps its old code when the files change.
_CODE = digest_code(Path(__file__).parent)
# What was found in texts that this process has looked at: statistics are computed of texts that were read before.
_seen: dict[bytes, list[dict[str, Any]]] = {}
_MOST_SEEN = 20


def find_relations(
    references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], source: Segments | None
) -> tuple[list[Oddity], list[DataWarning]]:
    """Find files that are not what they seem, copies, and outputs in another order than the reference.

    Parameters
    ----------
    references : sequence of Segments
    runs : sequence of (str, Segments)
        Every run with the name of its system.
    source : Segments or None

    Returns
    -------
    oddities : list of Oddity
    warnings : list of DataWarning
        About the cache.
    """
    texts = _list_texts(references, runs, source)
    described = _describe(references, runs, source)
    if (known := _seen.get(described)) is not None:
        return [_restore(one, texts) for one in known], []
    cache = Cache("check results")
    look = partial(_look, references, runs, source)
    if cache.is_on and _CODE is not None:
        found = cache.find(described, json.loads)
        if found is None:
            found = cache.make(described, look, lambda found: json.dumps(found).encode())
    else:
        found = look()
    _seen[described] = found
    while len(_seen) > _MOST_SEEN:
        del _seen[next(iter(_seen))]
    return [_restore(one, texts) for one in found], cache.warnings()


def _look(
    references: Sequence[Segments],
    named_runs: Sequence[tuple[str, Segments]],
    source: Segments | None,
) -> list[dict[str, Any]]:
    """Look for all oddities; in what is returned, texts are their numbers, so that it can be kept."""
    runs = [run for _, run in named_runs]
    found = [
        *find_traits(references, runs),
        *find_tokenization(references, runs),
        *find_copies(references, named_runs),
        *(() if source is None else find_untranslated(source, runs)),
        *find_order(references[0], runs),
    ]
    number = {one: i for i, one in enumerate(_list_texts(references, named_runs, source))}
    return [
        vars(one)
        | {"segments": number[one.segments], "alike": [number[other] for other in one.alike]}
        | {"positions": list(map(int, one.positions))}
        for one in found
    ]


def _restore(kept: dict[str, Any], texts: Sequence[Segments]) -> Oddity:
    alike = [texts[number] for number in kept["alike"]]
    return Oddity(**kept | {"segments": texts[kept["segments"]], "alike": alike})


def _list_texts(
    references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], source: Segments | None
) -> list[Segments]:
    """List the texts in an order that is always the same: a file that is given twice is one thing, and noticed once."""
    return list(dict.fromkeys([*references, *(run for _, run in runs), *([] if source is None else [source])]))


def _describe(references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], source: Segments | None) -> bytes:
    """Return everything that the oddities depend on; what files are called is said when they are said."""
    number = {one: i for i, one in enumerate(_list_texts(references, runs, source))}
    described = {
        "code": [_CODE, sys.version],
        "texts": [one.digest.hex() for one in number],
        "references": [number[one] for one in references],
        "runs": [[system, number[run]] for system, run in runs],
        "source": None if source is None else number[source],
    }
    return json.dumps(described).encode()


def find_copies(references: Sequence[Segments], runs: Sequence[tuple[str, Segments]]) -> Iterator[Oddity]:
    """Find a system that is a reference, and systems or runs that are byte-identical."""
    known = {one.digest for one in references}
    groups: dict[bytes, list[tuple[str, Segments]]] = {}
    for system, run in runs:
        groups.setdefault(run.digest, []).append((system, run))
    for run in dict.fromkeys(run for _, run in runs if run.digest in known):
        yield Oddity(
            "hyp-is-ref",
            run,
            "are the reference, word for word",
            range(len(run)),
            "A reference may have been given in place of an output.",
            "Give the output, or leave the system out.",
            BREAKS,
        )
    for group in groups.values():
        by_system = grouped(group)
        for same in by_system.values():
            if len(same) > 1:
                yield Oddity(
                    "identical-runs",
                    same[0],
                    "are identical, although runs should differ",
                    range(len(same[0])),
                    "Copies of a run make the variation from run to run seem small.",
                    "Give each run once.",
                    alike=same[1:],
                )
        if len(by_system) > 1:
            first, *others = (same[0] for same in by_system.values())
            yield Oddity(
                "identical-systems",
                first,
                "are identical",
                range(len(first)),
                "No test will tell these systems apart.",
                "Check that no file was given in place of another.",
                alike=others,
            )


# In the real files at hand, at most 2 % of the segments of an output are the source: names, numbers.
_NOTEWORTHY_SHARE = 0.25


def find_untranslated(source: Segments, runs: Sequence[Segments]) -> Iterator[Oddity]:
    """Find outputs of which many segments are the source."""
    n_filled = sum(1 for text in source.texts if text and text.strip())
    for run in dict.fromkeys(runs):
        same = [
            i
            for i, (text, original) in enumerate(zip(run.texts, source.texts, strict=True))
            if text == original and text and text.strip()
        ]
        if same and len(same) >= _NOTEWORTHY_SHARE * n_filled:
            yield Oddity(
                "hyp-is-source",
                run,
                "are the source, untranslated",
                same,
                "The source may have been given in place of an output.",
                "Give the output, or leave the system out.",
                BREAKS,
            )


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


def find_order(reference: Segments, runs: Sequence[Segments]) -> Iterator[Oddity]:
    """Find outputs that stand in another order than the reference.

    A segment of an output matches the one segment of the reference with which it shares three words, or pairs of
    neighbouring words, that occur once in the reference and once in the output. Where successive matches are all the
    same number of lines away, lines were lost, added or moved; where many matches are away at all distances, the lines
    were shuffled or sorted. What shares hardly any words with the reference matches nothing, so nothing is said of it.
    """
    if len(reference) < _FEWEST_SEGMENTS:
        return
    runs = list(dict.fromkeys(runs))
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
            yield _order_oddity(run, matches)
        elif stretches:
            yield _shift_oddity(run, stretches[0], matches)


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


def _shift_oddity(run: Segments, stretch: _Stretch, matches: np.ndarray) -> Oddity:
    where = f"{tally(abs(stretch.distance), 'line')} {'earlier' if stretch.distance < 0 else 'later'}"
    return Oddity(
        "suspected-shift",
        run,
        "fit segments of the reference on earlier or later lines",
        [position for position in _out_of_place(matches) if position >= stretch.first],
        "A line was lost or added, or parts are in another order, so outputs are scored against references of other "
        "segments.",
        "Find the place, and align the file again.",
        BREAKS,
        detail=f"{where}; {_say_recognized(matches)}",
    )


def _order_oddity(run: Segments, matches: np.ndarray) -> Oddity:
    [_, there] = matches[matches[:, 0] != matches[:, 1]][0]
    return Oddity(
        "suspected-order",
        run,
        "fit segments of the reference on other lines",
        _out_of_place(matches),
        "The output is in another order than the reference, so outputs are scored against references of other "
        "segments.",
        "Put it in the order of the reference.",
        BREAKS,
        detail=f"the first is that of segment {there + 1:,}; {_say_recognized(matches)}",
    )


def _out_of_place(matches: np.ndarray) -> list[int]:
    """Return the positions of the segments of an output that match another segment of the reference."""
    return np.unique(matches[matches[:, 0] != matches[:, 1], 0]).tolist()


def _say_recognized(matches: np.ndarray) -> str:
    return f"{len(np.unique(matches[:, 0])):,} can be recognized by their words"
