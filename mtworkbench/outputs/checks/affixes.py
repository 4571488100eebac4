"""Lines that begin or end alike, as no reference does: comments of a language model, marks, numbers, scores."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mtworkbench.outputs.checks.background import Background, is_among
from mtworkbench.outputs.checks.contrasts import most_expected
from mtworkbench.outputs.checks.oddities import KINDS, Oddity
from mtworkbench.outputs.checks.profiles import AFFIXES, Count, Profile, bucket_of, count_equal
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.wording import listed

# The largest shares of lines that begin, or end, with the same 1, 2, 4, 8 or 16 characters where references, source and
# most other systems do not, of real outputs in order, rounded up. Affixes whose words are in the references of their
# lines do not count.
_NATURAL = {"beginnings": (0.015, 0.015, 0.022, 0.015, 0.01), "ends": (0.027, 0.027, 0.037, 0.037, 0.01)}
# Of several such texts of 16 characters, each of which three lines or more have, together.
_NATURAL_MINOR = {"beginnings": 0.008, "ends": 0.025}
_FEWEST_MINOR = 3
# Texts of which more than this share begin with the same 16 characters as another are formulaic: what a generator says
# of restaurants. Of translations at most 27 % do, of those texts 77 %.
_FORMULAIC = 0.5
_TIMES_AS_MANY = 4
# Where fewer than three outputs are compared, what they all write may seem odd, such as "However,".
_FEWEST_RUNS = 3
_TIMES_NATURAL_IF_FEW = 1.4
_SHARE_OF_REFERENCE_IF_FEW = 0.3
_RARE = 0.004
#: Of what many lines begin with, the longest text is shown that more than this share of them has.
HALF_AS_OFTEN = 0.5
_FEWEST = 6
# A text has many beginnings: in a stretch of a few hundred lines, one of them is often frequent ("But ").
_SPREAD = 3.0
_SIDES = ("beginnings", "ends")
_EIGHT = AFFIXES.index(8)
_N_EXAMPLES = 50
_MOST_NAMED = 3
# One or two characters are compared where they are neither letters nor quotation marks, which differ by language.
_HAS_LETTER_OR_QUOTE = re.compile("[^\\W\\d_]|[\"'`´“”„‟«»‹›‘’‚‛「」『』]")
_ENTITY = re.compile("&[a-z]+;|&#[0-9]+;")  # noticed elsewhere
_MARK_APART = re.compile(r"\s[^\w\s]$")
_WORD = re.compile(r"\w+")

Affix = tuple[str, int, int]  # side, which of AFFIXES, digest


@dataclass(frozen=True, eq=False)
class Alike:
    """Lines of one file that begin or end alike.

    Parameters
    ----------
    text : str
        What they have in common.
    positions : (n_alike,) ndarray of int64
    """

    text: str
    positions: np.ndarray


@dataclass(frozen=True, eq=False)
class Affixes:
    """What is kept of how the lines of one file begin and end.

    Parameters
    ----------
    segments : Segments
    counts : dict
        How many lines begin or end alike, where these are more than a few.
    edges : dict of str to ndarray
        Digests of eight characters at each side, which tell whether what many lines translate is alike.
    share_formulaic : float
        The share of the lines that begin as another one does.
    """

    segments: Segments
    counts: Mapping[Affix, int]
    edges: Mapping[str, np.ndarray]
    share_formulaic: float

    @classmethod
    def of(cls, one: Profile) -> Affixes:
        """Look at the lines of a file."""
        edges = {side: getattr(one, side)[:, _EIGHT].copy() for side in _SIDES}
        return cls(one.segments, _count_affixes(one), edges, _share_formulaic(one))


def _count_affixes(one: Profile) -> dict[Affix, int]:
    counts: dict[Affix, int] = {}
    for side in _SIDES:
        digests = getattr(one, side)
        for number in range(len(AFFIXES)):
            fewest = max(2, _RARE * len(one))
            of_size = digests[:, number]
            first_bits = (of_size >> np.uint64(52)).astype(np.intp)
            likely = (np.bincount(first_bits) >= fewest).take(first_bits)  # most are too rare
            found, times = np.unique(of_size.compress(likely), return_counts=True)
            often = (times >= fewest) & (found != 0)
            counts |= {
                (side, number, digest): count
                for digest, count in zip(found[often].tolist(), times[often].tolist(), strict=True)
            }
    return counts


def _share_formulaic(one: Profile) -> float:
    digests = one.beginnings[:, -1]
    digests = digests[one.is_text & (digests != 0)]
    return float((count_equal(digests) > 1).mean()) if len(digests) else 0.0


def are_formulaic(reference: Affixes, runs: Sequence[Affixes]) -> bool:
    """Tell whether texts consist of formulas, so that equal lines and beginnings are no sign."""
    shares = sorted(one.share_formulaic for one in runs)
    return bool(shares) and min(reference.share_formulaic, shares[len(shares) // 2]) > _FORMULAIC


def find_most(several: Sequence[Affixes]) -> dict[Affix, int]:
    """Return how many lines have each affix in the file that has most of them."""
    most: dict[Affix, int] = {}
    for one in several:
        most |= {affix: max(count, most.get(affix, 0)) for affix, count in one.counts.items()}
    return most


def find_alike(
    one: Profile,
    own: Affixes,
    known: Mapping[Affix, int],
    of: Background | None,
    n_runs: int,
    beside: Sequence[Affixes],
    *,
    is_tokenized: bool = False,
) -> dict[Affix, Alike]:
    """Find the lines that begin or end alike more often than others do.

    Parameters
    ----------
    one : Profile
    own : Affixes
    known : mapping
        How often others have them.
    of : Background or None
        With it, affixes do not count whose words the references of their lines have as well. None for a reference.
    n_runs : int
        The number of outputs that are compared: the fewer there are, the more lines it takes.
    beside : sequence of Affixes
        Of what the lines are compared with. Where most of their edges are alike, there is a reason.
    is_tokenized : bool
        Whether it is known to be tokenized, which explains marks with a blank before them at the ends.
    """
    alike: dict[Affix, Alike] = {}
    minor: dict[Affix, Alike] = {}
    has_few = n_runs < _FEWEST_RUNS
    times = _TIMES_NATURAL_IF_FEW if has_few else 1.0
    fewest = _SHARE_OF_REFERENCE_IF_FEW * len(one) if has_few and of is None else 0.0
    for affix, count in own.counts.items():
        side, number, digest = affix
        is_odd = count >= fewest and _is_odd(affix, count, known.get(affix, 0), len(one), times)
        is_minor = (
            number == len(AFFIXES) - 1 and count >= _FEWEST_MINOR and count > _TIMES_AS_MANY * known.get(affix, 0)
        )
        if not (is_odd or is_minor):
            continue
        positions = np.flatnonzero(getattr(one, side)[:, number] == np.uint64(digest))
        texts = [one.segments.texts[i] or "" for i in positions[:_N_EXAMPLES].tolist()]
        size = AFFIXES[number]
        sample = texts[0][:size] if side == "beginnings" else texts[0][-size:]
        near = [text[:8] if side == "beginnings" else text[-8:] for text in texts]
        has_entities = 2 * sum(1 for text in near if _ENTITY.search(text)) > len(texts)
        # A reference may be tokenized where another is not.
        is_mark_apart = (is_tokenized or of is None) and _MARK_APART.search(sample)
        # Blanks at the ends are left where lines were cut off, and are no text that was added.
        is_natural = is_mark_apart or not sample.strip(" ") or (size <= 2 and _HAS_LETTER_OR_QUOTE.search(sample))
        # A phrase may be the same phrase in all of these references; marks are copied, not translated.
        is_translated = sample[0].isalpha() and any(_are_mostly_alike(other.edges[side][positions]) for other in beside)
        if has_entities or is_natural or is_translated:
            continue
        if of is None or not _are_in_references(one, positions, side, len(_WORD.findall(sample)), of):
            (alike if is_odd else minor)[affix] = Alike(_common(texts, side) or sample, positions)
    for side in _SIDES:
        of_side = {affix: found for affix, found in minor.items() if affix[0] == side}
        n_lines = sum(len(found.positions) for found in of_side.values())
        if of is not None and n_lines > max(_FEWEST, most_expected(len(one), times * _NATURAL_MINOR[side])):
            alike |= of_side
    return alike


def _is_odd(affix: Affix, count: int, known: int, n_lines: int, times: float) -> bool:
    expected = most_expected(n_lines, times * _NATURAL[affix[0]][affix[1]], times=_SPREAD)
    return count - known > max(_FEWEST, expected) and count > _TIMES_AS_MANY * known


def _are_mostly_alike(digests: np.ndarray) -> bool:
    _, times = np.unique(digests[digests != 0], return_counts=True)
    return 2 * times.max(initial=0) > len(digests)


def _common(texts: Sequence[str], side: str) -> str:
    if side == "beginnings":
        return os.path.commonprefix(list(texts))
    return os.path.commonprefix([text[::-1] for text in texts])[::-1]


def _are_in_references(one: Profile, positions: np.ndarray, side: str, n_words: int, of: Background) -> bool:
    ends = np.cumsum(one.counts[:, Count.WORDS])[positions]
    starts = ends - one.counts[positions, Count.WORDS]
    offsets = np.arange(n_words)
    places = starts[:, None] + offsets if side == "beginnings" else ends[:, None] - 1 - offsets
    inside = (places >= starts[:, None]) & (places < ends[:, None])
    lines, places = np.broadcast_to(positions[:, None], places.shape)[inside], places[inside]
    words = one.words[places]
    is_content = ~is_among(words, of.frequent)
    if not is_content.any():
        return False
    return bool((of.content[lines[is_content], bucket_of(words[is_content])] > 0).mean() > 0.5)


def judge_affixes(runs: Sequence[Affixes], alike: Sequence[Mapping[Affix, Alike]]) -> Iterator[Oddity]:
    """Yield the outputs with many lines that begin or end alike, as those of most other systems do not."""
    times = _TIMES_NATURAL_IF_FEW if len(runs) < _FEWEST_RUNS else 1.0
    for i, (run, own) in enumerate(zip(runs, alike, strict=True)):
        others = [one for j, one in enumerate(runs) if j != i]
        odd = {
            affix: found
            for affix, found in own.items()
            if len(others) < 2 or len(found.positions) > _TIMES_AS_MANY * _middle(affix, others)
        }
        yield from make_oddities(run.segments, _take_many(odd, len(run.segments), times))


def _take_many(odd: Mapping[Affix, Alike], n_lines: int, times: float) -> dict[Affix, Alike]:
    """Take those of a side if one of them, or all together, are still more lines than real outputs have."""
    taken: dict[Affix, Alike] = {}
    for side in _SIDES:
        of_side = {affix: found for affix, found in odd.items() if affix[0] == side}
        together = sum(len(found.positions) for found in of_side.values())
        natural = [most_expected(n_lines, times * share, times=_SPREAD) for share in _NATURAL[side]]
        is_one_odd = any(len(found.positions) > natural[affix[1]] for affix, found in of_side.items())
        if is_one_odd or together > most_expected(n_lines, times * _NATURAL_MINOR[side]):
            taken |= of_side
    return taken


def _middle(affix: Affix, runs: Sequence[Affixes]) -> int:
    return sorted(one.counts.get(affix, 0) for one in runs)[len(runs) // 2]


def make_oddities(segments: Segments, alike: Mapping[Affix, Alike], unlike: str = "reference") -> Iterator[Oddity]:
    """Yield what is odd about the beginnings, and about the ends, which hardly any reference or output has."""
    for side in _SIDES:
        of_side = {affix: found for affix, found in alike.items() if affix[0] == side}
        if not of_side:
            continue
        positions = np.unique(np.concatenate([found.positions for found in of_side.values()]))
        kind, detail = KINDS[f"same-{side}"], f"for example with {listed(_name_unlike(of_side))}"
        what = kind.what.replace("reference", unlike)
        yield kind.found_in(segments, positions.tolist(), what=what, detail=detail)


def _name_unlike(alike: Mapping[Affix, Alike]) -> list[str]:
    """Name up to three texts of one side that different lines have, with their numbers where there are several."""
    named: list[Alike] = []
    left = dict(alike)
    while left and len(named) < _MOST_NAMED:
        # The longest that is as frequent as the most frequent one, more or less.
        most = max(len(found.positions) for found in left.values())
        shown = left[
            max((a for a in left if len(left[a].positions) > HALF_AS_OFTEN * most), key=lambda affix: affix[1])
        ]
        named.append(shown)
        seen = np.concatenate([one.positions for one in named])
        left = {
            affix: found
            for affix, found in left.items()
            if 2 * np.isin(found.positions, seen).sum() < min(len(found.positions), len(shown.positions))
        }
    if len(named) == 1:
        return [excerpt(named[0].text)]
    named.sort(key=lambda one: -len(one.positions))
    return [f"{excerpt(one.text)} in {len(one.positions):,}" for one in named]
