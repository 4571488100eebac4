"""What a page without a kernel needs to know of segments, as small as it can be; `segments_model.js` unpacks it.

Texts are there once for each test set, their tokens once for each metric. A pair of systems adds what is special to it:
contributions, n-grams, and the tokens that the two outputs do not share.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, groupby, pairwise
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.analyses.segments.marks import OUTPUTS, ComparedTexts, compare_texts
from mtworkbench.analyses.segments.pages import SegmentPages
from mtworkbench.analyses.segments.tokens import Piece
from mtworkbench.characters import printable
from mtworkbench.plots.systems import color_pair
from mtworkbench.results.segments import NOT_IN_OTHER, NOT_IN_REFERENCE

#: Words per n-gram that a reader can ask for; 0 is for 1 to 4.
ORDERS = range(5)
# Characters that are looked at together.
_BLOCK = 256
# Half a character, which is no UTF-8, but which JSON can name.
_SURROGATE = re.compile("[\ud800-\udfff]")


def compress(content: Mapping[str, Any]) -> str:
    """Write an object as JSON, compressed, in letters that cannot end an element of HTML."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
    return base64.b64encode(gzip.compress(text.encode("utf-8"), mtime=0)).decode("ascii")


def columns_of(pages: SegmentPages) -> dict[str, str]:
    """Return for each column of a pair's texts which column of the test set it is: outputs have system and run."""
    outputs = zip(OUTPUTS, (pages.a, pages.b), pages.shown_runs, strict=True)
    return {name: name for name in pages.texts} | {name: f"{system}\n{run}" for name, system, run in outputs}


def pack_test_set(pages: Sequence[SegmentPages], texts: bool) -> dict[str, Any]:
    """Pack what the pairs and the metrics of a test set share: segments, documents, texts and flags.

    Parameters
    ----------
    pages : sequence of SegmentPages
        All that are in the file; their flags must be known.
    texts : bool
        Whether texts may be in the file.
    """
    frame = pages[0].frame
    packed: dict[str, Any] = {
        "segments": frame["segment"].tolist(),
        "documents": _plain(frame["document"]) if "document" in frame else None,
        "places": [_pack_place(pages[0], name) for name in _names_of_places(pages[0])],
        "ranks": {name: rank_values(frame[name])[0] for name in _names_of_places(pages[0])},
        "flags": {f"{system}\n{run}": _pack_flags(flags, frame) for (system, run), flags in pages[0].flagged.items()},
    }
    if texts:
        found = {column: one.texts[name] for one in pages for name, column in columns_of(one).items()}
        # The outputs of a segment stand together, because they are alike.
        texts_by_segment = list(map(list, zip(*found.values(), strict=True)))
        packed |= {"columns": list(found), "texts": texts_by_segment, "folds": fold_table()}
        packed["written"] = list(_write_out(texts_by_segment))
    return packed


def _write_out(texts: Sequence[Sequence[str | None]]) -> Iterator[list[Any]]:
    """Return position, number of the column and the text that is shown, of those that cannot be shown as they are."""
    for position, row in enumerate(texts):
        for column, text in enumerate(row):
            if text is not None and printable(text) != text:
                yield [position, column, printable(text)]


def _plain(values: pd.Series) -> list[Any]:
    return [None if pd.isna(value) else value for value in values.tolist()]


def _names_of_places(pages: SegmentPages) -> list[str]:
    """Return the columns that say where a segment is from."""
    names = ("document", *pages.statistics.test_set.columns)
    return [name for name in dict.fromkeys(names) if name in pages.frame]


def _pack_place(pages: SegmentPages, name: str) -> list[Any]:
    """Return the label of a column, its distinct values as they are shown, and which of them each segment has."""
    shown = [None if value is None else printable(str(value)) for value in pages.frame[name].tolist()]
    numbers = {value: number for number, value in enumerate(dict.fromkeys(shown))}
    return [printable(name), list(numbers), [numbers[value] for value in shown]]


def _pack_flags(flags: pd.DataFrame, frame: pd.DataFrame) -> dict[str, list[int]]:
    """Return the positions of the segments with each flag."""
    raised = flags.reindex(frame["segment"], fill_value=False)
    return {str(name): steps(np.flatnonzero(raised[name])) for name in raised if raised[name].any()}


def steps(numbers: Iterable[int]) -> list[int]:
    """Write rising numbers as the first one and the steps to the next ones, which are small."""
    return [end - begin for begin, end in pairwise([0, *map(int, numbers)])]


def rank_values(values: pd.Series) -> tuple[list[int | None], list[int]]:
    """Rank values as they are sorted, from 0 and equal ones alike.

    Returns
    -------
    ranks : list of int or None
        One per value; what is missing has no rank.
    firsts : list of int
        By rank, the position of its first value.
    """
    firsts = values.reset_index(drop=True).dropna().sort_values(kind="stable").drop_duplicates()
    ranks = {value: rank for rank, value in enumerate(firsts)}
    return [ranks.get(value) for value in values], firsts.index.tolist()


@cache
def fold_table() -> dict[str, str]:
    """Return the lower-case letters for which Python takes others where case does not matter, such as ss for ß."""
    characters = np.arange(sys.maxunicode + 1, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    # One look tells of most blocks that there is no such letter.
    blocks = (characters[start : start + _BLOCK] for start in range(0, len(characters), _BLOCK))
    return {
        letter: letter.casefold()
        for block in blocks
        if (lower := block.lower()) != lower.casefold()
        for one in block
        for letter in one.lower()
        if letter.casefold() != letter
    }


@dataclass(frozen=True, eq=False)
class PackedMetric:
    """Texts of all pairs of a test set in the tokens of one metric; each list has one entry per segment.

    Parameters
    ----------
    n_segments : int
    cuts : dict of str to list
        By the column of a text, where its tokens begin: see `write_cuts`.
    lost, missed : dict of (str, str) to list of str
        By output and reference: which tokens of the output the reference lacks, and the other way round. Known where
        the reference is the closest one for some pair.
    lengths : dict of str to list of (int or None)
        By column, the number of words.
    """

    n_segments: int
    cuts: dict[str, list[Any]] = field(default_factory=dict)
    lost: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    missed: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    lengths: dict[str, list[int | None]] = field(default_factory=dict)

    def add_lengths(self, pages: SegmentPages) -> None:
        """Add the lengths of a pair's texts."""
        names = columns_of(pages)
        named = {"length": names[OUTPUTS[0]], "length_baseline": names[OUTPUTS[1]], "length_reference": "reference"}
        for name, column in named.items():
            if name in pages.frame and column not in self.lengths:
                self.lengths[column] = [None if pd.isna(number) else int(number) for number in pages.frame[name]]

    def add_segment(
        self, position: int, names: Mapping[str, str], texts: Mapping[str, str], compared: ComparedTexts
    ) -> None:
        """Add the texts of a pair in one segment, unless another pair has added them."""
        for name, pieces in compared.pieces.items():
            cuts = self.cuts.setdefault(names[name], [None] * self.n_segments)
            if cuts[position] is None:
                cuts[position] = write_cuts(texts[name], pieces)
        if compared.closest is None:
            return
        # In a reference, the bits stand for the two outputs.
        for name, bit in zip(OUTPUTS, (NOT_IN_REFERENCE, NOT_IN_OTHER), strict=True):
            pair = names[name], names[compared.closest]
            lost, missed = (masks.setdefault(pair, [""] * self.n_segments) for masks in (self.lost, self.missed))
            if missed[position]:
                continue
            missed[position] = write_mask(compared.marks[compared.closest] & bit)
            if name in texts:
                lost[position] = write_mask(compared.marks[name] & NOT_IN_REFERENCE)

    def part(self, columns: Collection[str]) -> dict[str, Any]:
        """Return what concerns some of the columns."""
        return {
            "cuts": {column: cuts for column, cuts in self.cuts.items() if column in columns},
            "against": [
                [*pair, lost, self.missed[pair]] for pair, lost in self.lost.items() if set(pair) <= {*columns}
            ],
            "lengths": {column: one for column, one in self.lengths.items() if column in columns},
        }


def pack_metric(pages: Sequence[SegmentPages], texts: bool) -> tuple[PackedMetric, list[dict[str, Any]]]:
    """Pack the texts of pairs in the tokens of one metric.

    Returns
    -------
    shared : PackedMetric
    pairs : list of dict
        One per pair: ``closest``, the reference that is compared, and ``differ``, which tokens of the new system's and
        of the baseline's output the other one lacks.
    """
    shared = PackedMetric(len(pages[0].frame))
    for one in pages:
        shared.add_lengths(one)
    if not texts:
        return shared, [{} for _ in pages]
    pairs: list[dict[str, Any]] = [{"closest": [], "differ": [[], []]} for _ in pages]
    columns = [columns_of(one) for one in pages]
    for position in range(shared.n_segments):
        known: dict[Any, Any] = {}  # of one segment only: the tokens of all would fill the memory
        for one, names, pair in zip(pages, columns, pairs, strict=True):
            own = one.texts_of(position)
            compared = compare_texts(own, one.references, one.statistics.metric, known)
            shared.add_segment(position, names, own, compared)
            pair["closest"].append(None if compared.closest is None else names[compared.closest])
            for name, differ in zip(OUTPUTS, pair["differ"], strict=True):
                differ.append(write_mask(compared.marks[name] & NOT_IN_OTHER) if name in own else "")
    return shared, pairs


def write_cuts(text: str, pieces: Sequence[Piece]) -> str | list[Any]:
    """Write where a text is cut into tokens.

    Returns
    -------
    str or list
        Where tokens end at blanks or within words: the steps between those ends that are within words, in letters of
        a page. Else a list: the text as it is shown, then the lengths of its pieces, below 0 what is between tokens.
    """
    shown = [printable(one) for one, _ in pieces]
    lengths = [_count_letters(one) for one in shown]
    tokens = [token is not None for _, token in pieces]
    at_blanks = all((" " in one) is not is_token for one, is_token in zip(shown, tokens, strict=True))
    between = "".join(one for one, is_token in zip(shown, tokens, strict=True) if not is_token)
    if at_blanks and not between.strip(" ") and "".join(shown) == printable(text):
        ends = zip(accumulate(lengths), tokens, tokens[1:], strict=False)
        return ",".join(map(str, steps(end for end, *both in ends if all(both))))
    signs = (1 if is_token else -1 for is_token in tokens)
    return ["".join(shown), *(sign * length for sign, length in zip(signs, lengths, strict=True))]


def _count_letters(text: str) -> int:
    """Return the length of a text as JavaScript counts it, where some characters are two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def write_mask(marks: np.ndarray) -> str:
    """Write which tokens have a mark, as hexadecimal bytes: the first token is the lowest bit of the first byte."""
    return np.packbits(marks.astype(bool), bitorder="little").tobytes().rstrip(b"\0").hex()


def pack_pair(pages: SegmentPages, texts: bool) -> dict[str, Any]:
    """Pack what is said of two systems by one metric, besides their texts: contributions, n-grams, counts of flags."""
    about = pages.describe() | {"colors": color_pair(pages.statistics, pages.a, pages.b), "kernel": False}
    del about["documents"]  # which the test set has
    if not texts:
        about["texts"] = []
    return {
        "about": about,
        "columns": columns_of(pages),
        "contribution": _pack_values(pages, "contribution"),
        "change": _pack_values(pages, "change"),
        "unreadable": steps(np.flatnonzero(~pages.is_readable)),
        "descending": bool(pages.difference >= 0),
    } | (_pack_ngrams(pages) if texts else {})


def _pack_values(pages: SegmentPages, name: str) -> dict[str, list[Any]]:
    """Return the rank of each segment's value; by rank what is shown, how long its bar is, and of how many ranks."""
    ranks, firsts = rank_values(pages.frame[name])
    values: list[dict[str, Any]] = [*map(pages.values_of, firsts)]
    bars = [(one[name], round(one["share"], 2)) for one in values]
    return {"ranks": ranks, "shown": [[*bar, len([*group])] for bar, group in groupby(bars)]}


def _pack_ngrams(pages: SegmentPages) -> dict[str, Any]:
    """Return the n-grams that are listed, by their length, and the segments where the two systems differ in each."""
    tables: list[Any] = [pages.count_ngrams(None, order) for order in ORDERS]
    listed = {one["ngram"]: one for table in tables for side in ("new", "baseline") for one in table[side]}
    return {
        "ngrams": tables,
        "with_ngram": {ngram: steps(np.flatnonzero(pages.differing_in(ngram))) for ngram in listed},
    }
