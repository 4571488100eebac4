"""What no check can find: what damaged files have in common with files that are in order, counted in real outputs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from benchmarks.damage.damages import DAMAGES
from benchmarks.damage.measure import make_wrong
from benchmarks.damage.texts import TestSet, read_test_sets

_CURLY, _STRAIGHT = re.compile("[“”„’‘]"), re.compile("[\"']")  # noqa: RUF001
_LONG = 8
#: The last part of a file, in which another system may have taken over.
_END = 0.1


@dataclass(frozen=True)
class Honest:
    """A trait that damaged files share with real outputs as they are.

    Parameters
    ----------
    damage : str
        The codes of the damages, with blanks between them.
    n_real, n_having : int
        How many real outputs, or pairs of them, there are, and how many have it as much as the damaged file with 5 %.
    largest : float
        The largest value in real outputs, in %.
    """

    damage: str
    n_real: int
    n_having: int
    largest: float


def count_honest() -> Iterator[Honest]:
    """Count, in the sound outputs of all test sets, what the damages make that honest systems do as well."""
    sets = [*read_test_sets()]
    outputs = [lines for texts in sets for lines in texts.systems.values()]
    yield _count("curly-quotes straight-quotes", [_share_of_rarer_quotes(lines) for lines in outputs], 0.0)
    pairs = [pair for texts in sets for pair in combinations(texts.systems.values(), 2)]
    yield _count("system-scattered", [_share_of_equal(*pair) for pair in pairs], 0.05)
    plain = [share for texts in sets for share in _shares_without_diacritics(texts)]
    yield _count("no-diacritics", plain, 0.05)
    changes = [_change_at_end(*pair) for pair in pairs]
    made = [change for texts in sets for change in _changes_when_spliced(texts)]
    yield _count("checkpoint-spliced-in", changes, float(np.median(made)))


def _count(damage: str, values: list[float], least: float) -> Honest:
    return Honest(damage, len(values), sum(value > least for value in values), 100 * max(values))


def _share_of_rarer_quotes(lines: list[str]) -> float:
    return min(sum(bool(kind.search(text)) for text in lines) for kind in (_CURLY, _STRAIGHT)) / len(lines)


def _shares_without_diacritics(texts: TestSet) -> Iterator[float]:
    """Yield, where few references have diacritics, the share of those lines in which an output has none."""
    marked = [i for i, text in enumerate(texts.references[0]) if not _is_plain(text)]
    if len(marked) < 0.2 * len(texts.references[0]):
        for lines in texts.systems.values():
            yield sum(_is_plain(lines[i]) for i in marked) / max(1, len(marked))


def _is_plain(text: str) -> bool:
    return not any("LATIN" in unicodedata.name(one, "") and " WITH " in unicodedata.name(one) for one in text)


def _are_equal(one: list[str], other: list[str]) -> np.ndarray:
    """Tell which long lines are equal; NaN for the others."""
    return np.array([a == b if len(a.split()) >= _LONG else np.nan for a, b in zip(one, other, strict=True)], float)


def _share_of_equal(one: list[str], other: list[str]) -> float:
    return float(np.nanmean(_are_equal(one, other)))


def _change_at_end(one: list[str], other: list[str]) -> float:
    """Return by how much the share of words in common changes in the last lines, in either direction."""
    shared = [
        len({*a.split()} & {*b.split()}) / max(1, len({*a.split()} | {*b.split()}))
        for a, b in zip(one, other, strict=True)
    ]
    start = round((1 - _END) * len(shared))
    return float(abs(np.mean(shared[start:]) - np.mean(shared[:start])))


def _changes_when_spliced(texts: TestSet) -> Iterator[float]:
    [damage] = [one for one in DAMAGES if one.code == "checkpoint-spliced-in"]
    made = make_wrong(texts, damage, _END)
    if made is not None:
        wrong, damaged = made
        for name, lines in wrong.systems.items():
            if name != damaged:
                yield _change_at_end(wrong.systems[damaged], lines)
