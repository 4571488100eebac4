"""Segments that a test set has more than once, with the same outputs: copies, which add no evidence."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from mtworkbench.outputs.checks.report import Report
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.wording import name_some

#: At least so many segments in common, and such a share of all, are not natural. Short segments do repeat: in the real
#: files at hand, up to 1.0 % of a test set's segments repeat an earlier one and are translated alike by all systems.
FEWEST, SHARE = 5, 0.05
#: From this share on, p is far too small; where files were joined with themselves, at least half are copies. Fewer
#: copies than this are not refused: a handful of short segments may repeat in a tiny test set.
FEWEST_REFUSED, LARGEST_SHARE = 10, 0.25


def check_repeats(
    references: Sequence[Segments], runs: Sequence[Segments], source: Segments | None, report: Report
) -> None:
    """Refuse a test set of which a good part is there more than once, unless that is accepted; notice a smaller part.

    Parameters
    ----------
    references, runs : sequence of Segments
    source : Segments or None
        Needed where there are no references.
    report : Report

    Raises
    ------
    InputError
        ``repeated-segments``.
    """
    repeats = find_repeats(references, runs, source)
    one = next(one for one in (*references, source) if one is not None)
    share = len(repeats) / len(one)
    if len(repeats) < FEWEST or share < SHARE:
        return
    [again, first], *_ = repeats
    known = [
        name
        for name, there in (("source", source), (f"reference{'s' if len(references) > 1 else ''}", references))
        if there
    ]
    what = f"{len(repeats):,} of {len(one):,} segments ({share:.1%}) repeat earlier ones"
    what += f", with the same {name_some([*known, 'outputs of all systems'])}"
    where = f"{one.unit} {one.line(again):,} repeats {one.unit} {one.line(first):,}"
    why = "Copies add no evidence: with them, p is too small and intervals are too narrow."
    if share < LARGEST_SHARE or len(repeats) < FEWEST_REFUSED:
        message = f"{one.label}: {what}; {where}. {why} If files were joined, remove the copies from all of them."
        one.notice(report, "repeated-segments", message, again, len(repeats))
    elif report.accepts("repeated-segments"):
        message = f"{one.label}: {what}; {where}. They were kept, as accepted. {why}"
        one.notice(report, "repeated-segments", message, again, len(repeats))
    else:
        remedy = "Remove the copies from all files, or accept 'repeated-segments' to keep them."
        raise one.fault("repeated-segments", again, f"{what}; {where}. {why} {remedy}")


def find_repeats(
    references: Sequence[Segments], runs: Sequence[Segments], source: Segments | None
) -> list[tuple[int, int]]:
    """Find the segments that repeat an earlier one, while they could be a good part of the test set.

    Parameters
    ----------
    references, runs : sequence of Segments
    source : Segments or None

    Returns
    -------
    list of (int, int)
        The position of each copy, and the first one that it repeats, whatever its white space and case are. Segments
        without a hypothesis of every run do not count, because they are left out of comparisons.
    """
    known = [*references] if source is None else [*references, source]
    keys = zip(*(map(_normalize, one.texts) for one in known), strict=True)
    found = _group((i, key) for i, key in enumerate(keys) if any(text is not None for text in key))
    for run in runs:
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
