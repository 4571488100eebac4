"""Segments that a test set has more than once, with the same outputs: copies, which add no evidence."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from mtworkbench.assumptions import BREAKS, MAY_CHANGE
from mtworkbench.outputs.checks.oddities import Kind, Oddity
from mtworkbench.outputs.checks.report import Report
from mtworkbench.outputs.checks.segments import Corpus, Segments
from mtworkbench.wording import name_some

#: At least so many segments in common, and such a share of all, are not natural. Short segments do repeat: in the real
#: files at hand, up to 1.0 % of a test set's segments repeat an earlier one and are translated alike by all systems.
FEWEST, SHARE = 5, 0.05
#: From this share on, p is far too small; where files were joined with themselves, at least half are copies. Fewer
#: copies than this are not refused: a handful of short segments may repeat in a tiny test set.
FEWEST_REFUSED, LARGEST_SHARE = 10, 0.25


def check_repeats(corpus: Corpus, report: Report) -> list[Oddity]:
    """Refuse a test set of which a good part is there more than once, unless that is accepted; find a smaller part.

    Parameters
    ----------
    corpus : Corpus
        With a source where there are no references.
    report : Report

    Returns
    -------
    list of Oddity
        One at most.

    Raises
    ------
    InputError
        ``repeated-segments``.
    """
    references, source = corpus.references, corpus.source
    one = next(one for one in (*references, source) if one is not None)
    fewest = max(FEWEST, SHARE * len(one))
    if len(one) - _count_ends(one) < fewest:
        return []
    repeats = find_repeats(corpus)
    share = len(repeats) / len(one)
    if len(repeats) < fewest:
        return []
    known = [
        name
        for name, there in (("source", source), (f"reference{'s' if len(references) > 1 else ''}", references))
        if there
    ]
    what = f"repeat earlier ones, with the same {name_some([*known, 'outputs of all systems'])}"
    why = "Copies add no evidence: with them, p is too small and intervals are too narrow."
    if share >= LARGEST_SHARE and len(repeats) >= FEWEST_REFUSED and not report.accepts("repeated-segments"):
        [again, first], *_ = repeats
        where = f"{one.unit} {one.line(again):,} repeats {one.unit} {one.line(first):,}"
        remedy = "Remove the copies from all files, or accept 'repeated-segments' to keep them."
        counted = f"{len(repeats):,} of {len(one):,} segments ({share:.1%})"
        raise one.fault("repeated-segments", again, f"{counted} {what}; {where}. {why} {remedy}")
    advice = "If files were joined, remove the copies from all of them."
    gravity = BREAKS if share >= LARGEST_SHARE else MAY_CHANGE
    kind = Kind("repeated-segments", what, why, advice, gravity=gravity)
    return [kind.found_in(one, [again for again, _ in repeats])]


def _count_ends(one: Segments) -> int:
    """Count the different ends of texts that have no white space but single blanks: no more of them are copies.

    This takes a fraction of the time that the whole texts take.
    """
    unusual = [character for character in one.characters if character.isspace() and character != " "]
    left_out = set(one.find(["  ", *unusual]))
    # A blank at the end is no part of a text, so the last characters are those before it.
    ends = (text[-33:].strip().casefold()[-24:] for i, text in enumerate(one.texts) if text and i not in left_out)
    return len(set(ends))


def find_repeats(corpus: Corpus) -> list[tuple[int, int]]:
    """Find the segments that repeat an earlier one, while they could be a good part of the test set.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    list of (int, int)
        The position of each copy, and the first one that it repeats, whatever its white space and case are. Segments
        without a hypothesis of every run do not count, because they are left out of comparisons.
    """
    known = [*corpus.references] if corpus.source is None else [*corpus.references, corpus.source]
    keys = zip(*(map(_normalize, one.texts) for one in known), strict=True)
    found = _group((i, key) for i, key in enumerate(keys) if any(text is not None for text in key))
    for run in corpus.hypotheses:
        # Hardly any test set gets here, and a run may have to be read again for it.
        if len(found) < max(FEWEST, SHARE * len(run)):
            break
        firsts = dict(found) | {first: first for first in found.values()}
        texts = enumerate(run.texts)
        found = _group((i, (firsts[i], _normalize(text))) for i, text in texts if i in firsts and text is not None)
    return list(found.items())


def _normalize(text: str | None) -> str | None:
    """Return a text without what a copy may have been changed in: white space and upper case."""
    return None if text is None else " ".join(text.casefold().split())


def _group(keyed: Iterable[tuple[int, Hashable]]) -> dict[int, int]:
    """Return, for each position whose key an earlier one has, the first that has it."""
    firsts: dict[Hashable, int] = {}
    return {i: first for i, key in keyed if (first := firsts.setdefault(key, i)) != i}
