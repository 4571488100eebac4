"""Statistics of several systems that were made apart, put together where they are of the same segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics.directions import how_to_tell
from mtworkbench.metrics.protocol import options_of
from mtworkbench.statistics.identity import align_statistics, warn_of_unknown_identity
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.wording import name_some


def merge_statistics(
    *statistics: SegmentStatistics, origins: Sequence[str] | None = None
) -> tuple[SegmentStatistics, ...]:
    """Merge statistics of several systems where metric, segments, documents and references agree.

    Segments that stand in another order than those of the first statistics are brought into its order: see
    `mtworkbench.statistics.identity.align_statistics`.

    A system that occurs twice with the same statistics (a baseline that is in several files, say) is taken once, with a
    warning. Statistics that differ under one name are refused: they may be another system's or another run's, and runs
    of one system are computed together.

    Parameters
    ----------
    *statistics : SegmentStatistics
        Of one metric or of several.
    origins : sequence of str, optional
        What messages call each of them; without it, "statistics 1", "statistics 2" ...

    Returns
    -------
    tuple of SegmentStatistics
        One per metric, with all its systems, both in the order in which they come.

    Raises
    ------
    InputError
        ``different-segments``, ``-documents``, ``-references``, ``-sources``, ``-normalization``, ``-repairs``,
        ``-options`` or ``-signatures`` where statistics do not agree; ``ambiguous-segments`` where they are in another
        order and two segments cannot be told apart; ``duplicate-system``.

    Warns
    -----
    DataWarning
        ``other-order`` where segments were brought into another order, ``unknown-identity`` where systems are put
        together of which nothing says that they are of the same segments in the same order, ``duplicate-system``,
        and ``lacking-systems`` where systems lack a metric that others have.
    """
    if not statistics:
        raise InputError("no-statistics", "There are no statistics to merge.")
    origins = origins or [f"statistics {number}" for number in range(1, len(statistics) + 1)]
    aligned, groups = align_statistics(statistics, origins)
    merged: list[SegmentStatistics] = []
    origin_of: dict[tuple[int, str], str] = {}
    groups_of: list[set[int]] = []
    duplicates: list[tuple[str, str, str, str]] = []
    for origin, one, group in zip(origins, aligned, groups, strict=True):
        place = next((place for place, other in enumerate(merged) if other.metric == one.metric), len(merged))
        if place == len(merged):
            merged.append(replace(one, values={}, run_names={}))
            groups_of.append(set())
        if getattr(one.metric, "direction_is_assumed", False):  # what an old file says of one, it says of all
            merged[place] = replace(merged[place], metric=one.metric)
        _check_same_signature(merged[place], one, origin)
        groups_of[place].add(group)
        for system, values in one.values.items():
            if system in merged[place].values:
                first_origin = origin_of[place, system]
                _check_same_values(system, one.metric.name, values, merged[place].values[system], first_origin, origin)
                duplicates.append((system, one.metric.name, first_origin, origin))
            else:
                merged[place].values[system] = values
                if system in one.run_names:
                    merged[place].run_names[system] = one.run_names[system]
                origin_of[place, system] = origin
    _notice_duplicates(duplicates)
    _check_options(merged, origin_of)
    unknown = {place for place, its_groups in enumerate(groups_of) if len(its_groups) > 1}
    if unknown:
        metrics = [merged[place].metric for place in unknown]
        origins_of_them = [origin for origin, one in zip(origins, aligned, strict=True) if one.metric in metrics]
        warn_of_unknown_identity(list(dict.fromkeys(origins_of_them)))
        # What only some are known to be must not be said of all, in a file for instance.
        plain = aligned[0].test_set.without_identity()
        merged = [replace(one, test_set=plain) if place in unknown else one for place, one in enumerate(merged)]
    _notice_lacking_systems(merged)
    return tuple(merged)


def _check_same_signature(merged: SegmentStatistics, one: SegmentStatistics, origin: str) -> None:
    if merged.signature != one.signature:
        raise InputError(
            "different-signatures",
            f"The statistics of {one.metric.name} in {origin} have the signature {one.signature}, but those before "
            f"them {merged.signature}: compute both with the same version.",
        )


def _check_same_values(
    system: str, metric_name: str, values: np.ndarray, first: np.ndarray, first_origin: str, origin: str
) -> None:
    if not np.array_equal(values, first):
        raise InputError(
            "duplicate-system",
            f"The system {system!r} has statistics of {metric_name} in {first_origin} and other ones in {origin}: give "
            "one of the two another name, or, where they are runs of one system, compute its runs together.",
        )


def _notice_duplicates(duplicates: Sequence[tuple[str, str, str, str]]) -> None:
    """Warn once of systems whose statistics occur twice: system, metric, and where they were found."""
    if not duplicates:
        return
    system, metric, first, other = duplicates[0]
    message = f"The system {system!r} has the same statistics of {metric} in {first} and in {other}: it is used once."
    if len(duplicates) > 1:
        named = [f"{system!r} of {metric} ({first} and {other})" for system, metric, first, other in duplicates]
        message = f"{len(duplicates):,} statistics occur in two places and are used once: {name_some(named)}."
    DataWarning("duplicate-system", message, count=len(duplicates)).warn()


def _check_options(merged: list[SegmentStatistics], origin_of: dict[tuple[int, str], str]) -> None:
    """Refuse one metric with different options for different systems, and one mean score with two directions."""
    for place, one in enumerate(merged):
        for other_place, other in enumerate(merged[:place]):
            if type(one.metric) is not type(other.metric) or one.metric.name != other.metric.name:
                continue
            options, others = options_of(one.metric), options_of(other.metric)
            differing = next(option for option in options if options[option] != others[option])
            told = differing == "higher_is_better"  # all other options are the same: nobody means both directions
            shared = bool(set(one.values) & set(other.values))
            if shared and not told:
                continue
            remedy = how_to_tell(one.metric.name) if told else "compute all systems alike"
            raise InputError(
                "different-options",
                f"The statistics of {type(one.metric).__name__} in {origin_of[other_place, next(iter(other))]} have "
                f"{differing}={others[differing]!r}, but those in {origin_of[place, next(iter(one))]} have "
                f"{differing}={options[differing]!r}{'' if shared else ', and no system has both'}: {remedy}.",
            )


def _notice_lacking_systems(merged: list[SegmentStatistics]) -> None:
    """Warn of systems that have statistics of some metrics only: under the others nothing compares them."""
    systems = dict.fromkeys(system for one in merged for system in one)
    for one in merged:
        lacking = [system for system in systems if system not in one]
        if lacking:
            names, they = ", ".join(map(repr, lacking)), "it" if len(lacking) == 1 else "they"
            DataWarning(
                "lacking-systems",
                f"There are no statistics of {one.metric.name} for {names}: {they} cannot be compared by it.",
                count=len(lacking),
            ).warn()
