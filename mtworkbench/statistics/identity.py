"""Whether statistics cover the same segments, and in which order: checked wherever two of them meet.

A segment is known by its document, its id, its source and its references, each as far as both sides know it. Equal
columns are the same segments in the same order, repeated sentences or not; otherwise segments are matched one by one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.statistics.segment_statistics import OF_SEGMENTS, SegmentStatistics, TestSet
from mtworkbench.wording import name_some

#: What sentences call the columns of a test set.
WORDS = {
    "segments": "number",
    "documents": "document",
    "segment_ids": "id",
    "source_digests": "source",
    "reference_digests": "reference",
}
#: What an error says is different where it is one of these columns alone.
KINDS = {"documents": "documents", "source_digests": "sources", "reference_digests": "references"}


def align_statistics(
    statistics: Sequence[SegmentStatistics], origins: Sequence[str]
) -> tuple[list[SegmentStatistics], list[int]]:
    """Bring statistics into the order of the first, and give them what is known of their segments.

    Statistics are in one group where something says which segments of one are those of the other, directly or through
    others of the group; a group has one test set. Two groups are linked by the numbers of their segments alone, so they
    take no ids, sources or documents from each other.

    Parameters
    ----------
    statistics : sequence of SegmentStatistics
    origins : sequence of str
        What messages call each of them.

    Returns
    -------
    statistics : list of SegmentStatistics
        All in the segment order of the first.
    groups : list of int
        The group of each, counted from 0.

    Raises
    ------
    InputError
        As of `match_segments`.

    Warns
    -----
    DataWarning
        ``other-order`` where segments were brought into another order, ``other-columns`` where a further column, such
        as ``domain``, has other values: those of the first are used.
    """
    waiting: dict[int, tuple[TestSet, str]] = {}
    for one, origin in zip(statistics, origins, strict=True):
        waiting.setdefault(id(one.test_set), (one.test_set, origin))  # the metrics of one file share their test set
    groups: list[tuple[TestSet, str]] = []
    placed: dict[int, tuple[int, np.ndarray | None]] = {}
    unlike: dict[str, list[str]] = {}
    while waiting:
        key, joins = _next_to_place(waiting, groups)
        test_set, origin = waiting.pop(key)
        first, first_origin = groups[-1] if joins else groups[0] if groups else (test_set, origin)
        order, _ = match_segments(first, test_set, first_origin, origin)
        if order is not None:
            _warn_of_other_order(origin, origins[0], _columns_to_match(first, test_set)[0], len(order))
            test_set = test_set.take(order)
        if joins:
            for name in [name for name in first.columns if name in test_set.columns]:
                if not np.array_equal(first.columns[name], test_set.columns[name]):
                    unlike.setdefault(name, []).append(origin)
            groups[-1] = (first.filled_from(test_set), first_origin)
        else:
            groups.append((test_set, origin))
        placed[key] = (len(groups) - 1, order)
    if unlike:
        _warn_of_other_columns(unlike)
    doubts = tuple(dict.fromkeys(doubt for one in statistics for doubt in one.test_set.doubts))
    groups = [
        (test_set if test_set.doubts == doubts else replace(test_set, doubts=doubts), origin)
        for test_set, origin in groups
    ]
    places = [placed[id(one.test_set)] for one in statistics]
    aligned = [_reorder(one, order, groups[group][0]) for one, (group, order) in zip(statistics, places, strict=True)]
    return aligned, [group for group, _ in places]


def _next_to_place(
    waiting: Mapping[int, tuple[TestSet, str]], groups: Sequence[tuple[TestSet, str]]
) -> tuple[int, bool]:
    """Return the key of a test set that joins the last group, and True; else, of the first that waits, and False."""
    for group, _ in groups[-1:]:
        for key, (test_set, _) in waiting.items():
            if _columns_to_match(group, test_set)[1]:
                return key, True
    return next(iter(waiting)), False


def _warn_of_other_order(origin: str, first_origin: str, columns: Sequence[str], count: int) -> None:
    DataWarning(
        "other-order",
        f"The segments of {origin} are in a different order from those of {first_origin}: they were brought "
        f"into the order of {first_origin}, matched by {_list(columns)}.",
        count=count,
    ).warn()


def _warn_of_other_columns(unlike: Mapping[str, Sequence[str]]) -> None:
    """Warn, once for all columns, of values that are not those of the statistics before."""
    columns = name_some([f"{name!r} ({', '.join(origins)})" for name, origins in unlike.items()])
    DataWarning(
        "other-columns",
        f"Not all statistics have the same values in {columns}: where these are units or strata, the values that "
        "came first are used.",
        count=len(unlike),
    ).warn()


def _reorder(statistics: SegmentStatistics, order: np.ndarray | None, test_set: TestSet) -> SegmentStatistics:
    if order is None:
        return statistics if statistics.test_set is test_set else replace(statistics, test_set=test_set)
    values = {system: array[:, order] for system, array in statistics.values.items()}
    return replace(statistics, values=values, test_set=test_set)


def check_same_segments(origin: str, test_set: TestSet, other_origin: str, other: TestSet) -> None:
    """Refuse statistics that do not cover the same segments in the same order; warn if nothing says that they do.

    Raises
    ------
    InputError
        ``other-order``, and those of `match_segments`.

    Warns
    -----
    DataWarning
        ``unknown-identity``.
    """
    order, known = match_segments(test_set, other, origin, other_origin)
    if order is not None:
        raise InputError(
            "other-order",
            f"{_name_both(origin, other_origin)} have the same segments in different orders: bring them into the same "
            "order with merge_statistics.",
        )
    if not known:
        warn_of_unknown_identity([origin, other_origin])


def warn_of_unknown_identity(origins: Sequence[str]) -> None:
    """Warn that statistics were matched by the numbers of their segments alone."""
    names = f"{', '.join(origins[:-1])} and {origins[-1]}"
    DataWarning(
        "unknown-identity",
        f"Nothing but their numbers says that {names} have the same segments, so segments were matched by number: "
        "results are wrong if these are different test sets, or if one of them numbered its rows for itself in "
        "another order. Compute the statistics from one table, or from tables whose segments have ids or "
        "documents.",
        count=len(origins),
    ).warn()


def lost_identity(names: Sequence[str]) -> DataWarning:
    """Make the warning that a file cannot keep what is known of the segments under some of its metrics only."""
    return DataWarning(
        "unknown-identity",
        f"Nothing but their numbers says that the statistics of {', '.join(names[:-1])} and {names[-1]} have the same "
        "segments, so the file keeps no ids or sources of them: save each metric in a file of its own, or compute all "
        "of them from one table.",
        count=len(names),
    )


def match_segments(first: TestSet, other: TestSet, origin: str, other_origin: str) -> tuple[np.ndarray | None, bool]:
    """Find each segment of one test set in another.

    Parameters
    ----------
    first, other : TestSet
    origin, other_origin : str
        What messages call the two.

    Returns
    -------
    order : (n_segments,) ndarray of int64, or None
        The positions that the segments of ``first`` have in ``other``; None where both are in the same order.
    known : bool
        Whether anything but their numbers says which segments they are.

    Raises
    ------
    InputError
        ``different-segments``, ``-documents``, ``-references``, ``-sources``, ``-normalization`` or ``-repairs``,
        naming what differs; ``ambiguous-segments`` where the order differs and two segments cannot be told apart, and
        where only one has ids and nothing else is known of both.
    """
    if first is other:
        return None, True
    both = _name_both(origin, other_origin)
    _check_wholes(first, other, both)
    columns, known = _columns_to_match(first, other)
    if not known:
        if first.has_references != other.has_references:
            ending = "cannot be matched: only one of them has references, and they have no ids or sources in common"
            raise _refusal("different-references", both, ending)
        if columns == ["segments"]:
            _refuse_ids_of_one(first, other, origin, other_origin, both)
    unlike = [name for name in columns if not np.array_equal(getattr(first, name), getattr(other, name))]
    if not unlike:
        return None, known
    keys, other_keys = _keys(first, columns), _keys(other, columns)
    if len(first) != len(other) or set(keys) != set(other_keys):
        if len(first) == len(other) and unlike[0] in KINDS and len(unlike) == 1 < len(columns):
            raise _refusal(f"different-{KINDS[unlike[0]]}", both, _first_difference(unlike[0], first, other))
        strangers = _strangers(other, other_keys, keys, other_origin, origin)
        strangers = strangers or _strangers(first, keys, other_keys, origin, other_origin)
        strangers = strangers or f"{origin} has {len(first):,} segments, {other_origin} has {len(other):,}"
        ending = f"cover different segments (compared by {_list(columns)}): {strangers}"
        raise _refusal("different-segments", both, ending)
    for one, its_keys, its_origin in ((first, keys, origin), (other, other_keys, other_origin)):
        if len(set(its_keys)) < len(its_keys):
            alike = f"{_alike(one, its_keys)} of {its_origin} cannot be told apart by {_list(columns)}"
            ending = (
                f"have segments in different orders, and {alike}: give each segment an id of its own, or read both "
                "files in the same order"
            )
            raise _refusal("ambiguous-segments", both, ending)
    places = {key: place for place, key in enumerate(other_keys)}
    return np.array([places[key] for key in keys], dtype=np.int64), known


def _check_wholes(first: TestSet, other: TestSet, both: str) -> None:
    """Refuse what differs in the test sets as a whole."""
    same_references = first.references == other.references
    alike = same_references or first.has_references == other.has_references
    if first.normalization != other.normalization and alike:
        raise _refusal("different-normalization", both, "differ in that only one of them was read with accept='nfc'")
    if first.repaired != other.repaired and alike:
        repairs = [one.repaired or "nothing" for one in (first, other)]
        ending = f"differ in what was repaired ({repairs[0]} and {repairs[1]}): repair the same in both"
        raise _refusal("different-repairs", both, ending)
    in_any_order = first.unordered_references is not None and first.unordered_references == other.unordered_references
    if first.has_references and other.has_references and not same_references and not in_any_order:
        raise _refusal("different-references", both, "have different references")
    given = [one.documents is not None and one.known_documents is None for one in (first, other)]
    if len(first) == len(other) and any(given) and any(one.documents is None for one in (first, other)):
        raise _refusal("different-documents", both, "differ in that only one of them has document ids")


def _common_columns(first: TestSet, other: TestSet) -> list[str]:
    """Return what both know of each segment; their numbers only where they number the same texts."""
    # Documents that were recognized have names that no file gives them, and may be those of another table.
    recognized = first.known_documents is not None or other.known_documents is not None
    columns = [name for name in OF_SEGMENTS if name != "segments" and not (name == "documents" and recognized)]
    common = [name for name in columns if getattr(first, name) is not None and getattr(other, name) is not None]
    same_texts = first.references == other.references and (first.has_references or other.has_references)
    return ["segments", *common] if same_texts or first.lineage is other.lineage else common


def _columns_to_match(first: TestSet, other: TestSet) -> tuple[list[str], bool]:
    """Return what segments are matched by, and whether it is anything but their numbers."""
    columns = _common_columns(first, other)
    known = any(name != "documents" for name in columns)
    return (columns if known else ["segments", *columns]), known


def _refuse_ids_of_one(first: TestSet, other: TestSet, origin: str, other_origin: str, both: str) -> None:
    """Refuse ids that only one side has: its numbers were given in the order in which the ids came."""
    for one, its_origin, without in ((first, origin, other_origin), (other, other_origin, origin)):
        if one.segment_ids is not None and not np.array_equal(one.segment_ids.astype(str), one.segments.astype(str)):
            ending = (
                f"cannot be matched: the segments of {its_origin} have ids (the first is "
                f"{excerpt(one.segment_ids[0])}), and those of {without} have none: give the segments of both the same "
                "ids, or compute the statistics from one table"
            )
            raise _refusal("ambiguous-segments", both, ending)


def _keys(test_set: TestSet, columns: Sequence[str]) -> list[tuple]:
    return list(zip(*(getattr(test_set, name).tolist() for name in columns), strict=True))


def _strangers(one: TestSet, keys: Sequence[tuple], others: Sequence[tuple], origin: str, missing_from: str) -> str:
    """Say which segments of one test set are missing from the other; nothing where none are."""
    known = set(others)
    places = [place for place, key in enumerate(keys) if key not in known]
    if not places:
        return ""
    are, which = ("is", ":") if len(places) == 1 else ("are", "; the first is")
    count = f"{len(places):,} of the {len(one):,} segments of {origin}"
    return f"{count} {are} missing from {missing_from}{which} {_describe(one, places[0])}"


def _alike(test_set: TestSet, keys: Sequence[tuple]) -> str:
    """Name the first two segments with the same key."""
    places: dict[tuple, int] = {}
    for place, key in enumerate(keys):
        if key in places:
            return f"{_describe(test_set, places[key])} and {_describe(test_set, place)}"
        places[key] = place
    raise ValueError("no two segments are alike")


def _first_difference(column: str, first: TestSet, other: TestSet) -> str:
    row = int((getattr(first, column) != getattr(other, column)).argmax())
    ending = f"have different {KINDS[column]}: "
    if column == "documents" and first.documents is not None and other.documents is not None:
        documents = f"{excerpt(first.documents[row])} in one and to {excerpt(other.documents[row])} in the other"
        return f"{ending}row {row + 1} belongs to document {documents}"
    return f"{ending}the first difference is in row {row + 1}, {_describe(first, row)}"


def _describe(test_set: TestSet, place: int) -> str:
    """Name a segment: its number and, where it has one, its id and its document."""
    of = "" if test_set.documents is None else f" of document {excerpt(test_set.documents[place])}"
    called = "" if test_set.segment_ids is None else f" ({excerpt(test_set.segment_ids[place])})"
    return f"segment {test_set.segments[place]}{called}{of}"


def _list(columns: Sequence[str]) -> str:
    *others, last = (WORDS[name] for name in columns)
    return f"{', '.join(others)} and {last}" if others else last


def _name_both(origin: str, other_origin: str) -> str:
    """Begin a sentence about two statistics; those without a name of their own are "statistics 1", and so on."""
    return re.sub("^statistics (?=[0-9])", "Statistics ", f"{origin} and {other_origin}")


def _refusal(code: str, both: str, ending: str) -> InputError:
    return InputError(
        code,
        f"{both} {ending}. Statistics can be compared only if their segments, documents and references agree.",
    )
