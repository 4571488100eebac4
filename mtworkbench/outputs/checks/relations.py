"""Checks that relate outputs to references, source and each other; their results are kept in the cache.

Such checks take longer than all others together. What they notice depends on nothing but the texts and what these are
called, so a second look would notice the same.
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

import numpy as np

from mtworkbench.cache import Cache, digest_code
from mtworkbench.outputs.checks.report import Notice, Report, excerpt
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.outputs.checks.traits import notice_tokenization, notice_traits

# Computed at import, because a running program keeps its old code when the files change.
_CODE = digest_code(Path(__file__).parent)


def notice_relations(
    references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], source: Segments | None, report: Report
) -> None:
    """Notice files that are not what they seem, copies, and outputs in another order than the reference.

    Parameters
    ----------
    references : sequence of Segments
    runs : sequence of (str, Segments)
        Every run with the name of its system.
    source : Segments or None
    report : Report
    """
    cache = Cache("check results")
    look = partial(_look, references, runs, source)
    if not cache.is_on or _CODE is None:
        report.add(look())
        return
    described = _describe(references, runs, source)
    noticed = cache.find(described, _read)
    if noticed is None:
        noticed = cache.make(described, look, _write)
    report.add(noticed)
    for warning in cache.warnings():
        report.notice(warning.code, str(warning), path=warning.path, count=warning.count)


def _look(
    references: Sequence[Segments], named_runs: Sequence[tuple[str, Segments]], source: Segments | None
) -> list[Notice]:
    report = Report()
    runs = [run for _, run in named_runs]
    notice_traits(references, runs, report)
    notice_tokenization(references, runs, report)
    notice_copies(references, named_runs, report)
    if source is not None:
        notice_untranslated(source, runs, report)
    notice_order(references[0], runs, report)
    return report.notices


def _describe(references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], source: Segments | None) -> bytes:
    """Return everything that the notices depend on."""
    every = [*references, *(run for _, run in runs), *([] if source is None else [source])]
    # A file that is given twice is one thing, and noticed once.
    number = {one: i for i, one in enumerate(dict.fromkeys(every))}
    described = {
        "code": [_CODE, sys.version],
        "segments": [
            [one.label, one.path, one.digest.hex(), None if one.lines is None else list(map(int, one.lines))]
            for one in number
        ],
        "references": [number[one] for one in references],
        "runs": [[system, number[run]] for system, run in runs],
        "source": None if source is None else number[source],
    }
    return json.dumps(described).encode()


def _write(notices: Sequence[Notice]) -> bytes:
    return json.dumps([vars(one) for one in notices]).encode()


def _read(content: bytes) -> list[Notice]:
    return [Notice(**one) for one in json.loads(content)]


def notice_copies(references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], report: Report) -> None:
    """Notice a system that is a reference, and systems or runs that are byte-identical."""
    reference_of = {one.digest: one for one in reversed(references)}
    groups: dict[bytes, list[tuple[str, Segments]]] = {}
    for system, run in runs:
        key = run.digest
        groups.setdefault(key, []).append((system, run))
        if key in reference_of:
            what = f"{_named(run, system)} equals {_reference(reference_of[key])}"
            message = f"{what}: was a reference given in place of an output?"
            together = (
                "{places} outputs equal a reference, so references may have been given in place of outputs: {list}."
            )
            run.notice(report, "hyp-is-ref", message, None, 1, together)
    for group in groups.values():
        by_system = {system: [run for name, run in group if name == system] for system, _ in group}
        for system, same in by_system.items():
            if len(same) > 1:
                labels = ", ".join(run.label for run in same)
                message = f"{len(same)} runs of system {excerpt(system)} are identical ({labels}): runs should differ."
                together = "{places} systems have identical runs, although runs should differ: {list}."
                report.notice(
                    "identical-runs",
                    message,
                    path=same[1].path,
                    count=len(same),
                    whose=excerpt(system),
                    together=together,
                )
        if len(by_system) > 1:
            labels = ", ".join(_named(same[0], system) for system, same in by_system.items())
            message = f"{len(by_system)} systems have identical outputs: {labels}. No test will tell them apart."
            together = (
                "{count} systems are in {places} groups with identical outputs; no test can distinguish the "
                "systems of a group: {list}."
            )
            report.notice(
                "identical-systems",
                message,
                path=group[1][1].path,
                count=len(by_system),
                whose=" = ".join(map(excerpt, by_system)),
                together=together,
            )


def _named(run: Segments, system: str) -> str:
    """Name a run; the label of a list or a column says already whose it is."""
    return run.label if excerpt(system) in run.label else f"{run.label} (system {excerpt(system)})"


def _reference(reference: Segments) -> str:
    return reference.label if "reference" in reference.label else f"{reference.label}, the reference"


# In the real files at hand, at most 2 % of the segments of an output are the source: names, numbers.
_NOTEWORTHY_SHARE = 0.25


def notice_untranslated(source: Segments, runs: Sequence[Segments], report: Report) -> None:
    """Notice outputs of which many segments are the source."""
    n_filled = sum(1 for text in source.texts if text and text.strip())
    for run in runs:
        same = [
            i
            for i, (text, original) in enumerate(zip(run.texts, source.texts, strict=True))
            if text == original and text and text.strip()
        ]
        if same and len(same) >= _NOTEWORTHY_SHARE * n_filled:
            message = (
                f"{len(same):,} of {len(run):,} segments of {run.label} are the source, untranslated, the first in "
                f"{run.unit} {run.line(same[0]):,}: was the source given in place of an output?"
            )
            together = (
                "{count} segments of {places} outputs are the source, untranslated, so the source may have been given "
                "in place of outputs: {list}."
            )
            run.notice(report, "hyp-is-source", message, same[0], len(same), together)


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
