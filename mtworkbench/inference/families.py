"""Shared by `compare` and `optimizer_variance`: which systems are compared, and on which segments."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, combinations, pairwise

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.score_table import (
    MIN_DOCUMENTS,
    Places,
    ScoreTable,
    Units,
    choose_units,
    scored_segments,
    segments_of_both,
)
from mtworkbench.statistics.identity import align_statistics, check_same_segments
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics, TestSet

#: Below so many units the share of wins is even more anti-conservative than above: see koehn2004 in docs/validity.md.
MIN_CONFIDENCE_UNITS = 30


@dataclass(frozen=True, eq=False)
class EstimatedPart:
    """Some segments of the test set, with the systems and pairs that are estimated on exactly these.

    Usually there is one part, the whole test set. Where scores are missing, each system has its own part, and so does
    each pair: the segments that both have scores for.

    Parameters
    ----------
    table : ScoreTable
    systems : dict of int to int
        Those whose own scores are estimated here: number among all systems -> place in the table.
    pairs : dict of (int, int) to (int, int)
        The same of both systems of each pair.
    """

    table: ScoreTable
    systems: dict[int, int]
    pairs: dict[Places, Places]


def as_families(statistics: SegmentStatistics | Sequence[SegmentStatistics]) -> list[SegmentStatistics]:
    """Check that there is one of each metric, and return them as a list, in the segment order of the first."""
    one = isinstance(statistics, SegmentStatistics) or not isinstance(statistics, Iterable)
    families = [statistics] if one else list(statistics)
    if not families or not all(isinstance(family, SegmentStatistics) and len(family) for family in families):
        raise InputError(
            "no-statistics",
            "SegmentStatistics of at least one system were expected, one per metric: make them with "
            "compute_statistics(outputs, metric) or load_statistics(path).",
        )
    families, _ = align_statistics(families, [family.metric.name for family in families])
    for number, family in enumerate(families):
        if any(
            family.metric == other.metric
            or (family.metric.name, family.signature) == (other.metric.name, other.signature)
            for other in families[:number]
        ):
            raise InputError(
                "duplicate-metric",
                f"The statistics of {family.metric.name} ({family.signature}) were given twice: give each metric once, "
                "merging systems that were scored apart.",
            )
    return families


def name_families(families: Sequence[SegmentStatistics]) -> list[str]:
    """Name metrics as tables do: ``BLEU``; ``BLEU|signature`` where the name occurs with two sets of options."""
    counts = Counter(family.metric.name for family in families)
    return [
        f"{family.metric.name}|{family.signature}" if counts[family.metric.name] > 1 else family.metric.name
        for family in families
    ]


def pair_systems(systems: Sequence[SystemStatistics], baseline: str | None) -> list[Places]:
    """Return the pairs (a, b) that are compared, by the positions of the systems.

    They are every system with the baseline, or all pairs, each system with the earlier ones.
    """
    if baseline is None:
        return [(a, b) for b, a in combinations(range(len(systems)), 2)]
    names = [system.system for system in systems]
    if baseline not in names:
        raise InputError(
            "unknown-baseline",
            f"The baseline {baseline!r} is not among the systems: name one of {', '.join(map(repr, names))}.",
        )
    return [(place, names.index(baseline)) for place, name in enumerate(names) if name != baseline]


def number_pairs(
    families: Sequence[SegmentStatistics], baseline: str | None, exchange: str = "unit"
) -> tuple[list[SystemStatistics], list[range], list[list[Places]]]:
    """Put the systems of all metrics in one list, and choose the pairs that are compared.

    Returns
    -------
    systems : list of SystemStatistics
    members : list of range
        The places of each metric's systems in the list.
    pairs : list of list of (int, int)
        The pairs of each metric, as positions in `systems`.

    Raises
    ------
    InputError
        Where the baseline is not there (``unknown-baseline``), or runs cannot be paired (``unequal-runs``).
    """
    systems = [family[name] for family in families for name in family]
    ends = list(accumulate(map(len, families), initial=0))
    members = [range(first, end) for first, end in pairwise(ends)]
    pairs = [
        [(own[a], own[b]) for a, b in pair_systems([systems[place] for place in own], baseline)] for own in members
    ]
    for a, b in chain(*pairs):
        check_exchange(systems[a], systems[b], exchange)
    return systems, members, pairs


def divide_segments(systems: Sequence[SystemStatistics], pairs: Iterable[Places], unit: str) -> list[EstimatedPart]:
    """Group systems and pairs by the segments that they can be estimated on."""
    unit = choose_units(systems[0].test_set, unit).name
    masks = {(number,): scored_segments(system) for number, system in enumerate(systems)}
    masks |= {(a, b): segments_of_both(systems[a], systems[b]) for a, b in pairs}
    groups: dict[bytes | None, tuple[np.ndarray | None, list[int], list[Places]]] = {}
    for who, segments in masks.items():
        key = None if segments is None else segments.tobytes()
        _, own, both = groups.setdefault(key, (segments, [], []))
        if len(who) == 1:
            own.append(who[0])
        else:
            both.append(who)
    parts = []
    for segments, own, both in groups.values():
        concerned = dict.fromkeys([*own, *chain.from_iterable(both)])
        table = ScoreTable.of([systems[number] for number in concerned], unit, segments)
        places = {number: place for place, number in enumerate(concerned)}
        pairs_here = {(a, b): (places[a], places[b]) for a, b in both}
        parts.append(EstimatedPart(table, {number: places[number] for number in own}, pairs_here))
    return parts


def warn_of_few_units(counted: Iterable[Units]) -> None:
    """Warn that the share of wins is anti-conservative if few units are resampled.

    The smallest of the counts decides.
    """
    units = min(counted, key=lambda units: units.count, default=None)
    if units is not None and units.count < MIN_CONFIDENCE_UNITS:
        warnings.warn(
            DataWarning(
                "few-units",
                f"Only {units.count} {units.name}{'' if units.count == 1 else 's'} can be resampled. Below "
                f"{MIN_CONFIDENCE_UNITS}, win % is anti-conservative (it calls equal systems different too often): go "
                "by the p-value.",
                count=units.count,
            ),
            stacklevel=3,
        )


def warn_of_few_documents(test_set: TestSet, unit: str) -> None:
    """Warn where documents are known, but too few for ``unit="auto"`` to take them."""
    count = test_set.n_documents
    if unit == "auto" and count is not None and count < MIN_DOCUMENTS:
        warnings.warn(
            DataWarning(
                "few-documents",
                f"The test set has only {count} document{'' if count == 1 else 's'}, too few to resample and swap: "
                "segments are used, as if the sentences of one document were independent, so p may be too small and "
                f"intervals too short. At least {MIN_DOCUMENTS} documents are needed; unit='segment' "
                "(--unit segment) accepts this.",
                count=count,
            ),
            stacklevel=3,
        )


def warn_of_missing_scores(families: Iterable[Sequence[SystemStatistics]]) -> None:
    """Count, metric by metric, the segments that leave a comparison because a score is missing."""
    for systems in families:
        count = int(np.count_nonzero(np.any([system.missing for system in systems], axis=0)))
        if count:
            warnings.warn(
                DataWarning(
                    "missing-scores",
                    f"{count} of {systems[0].n_segments} segments have no {systems[0].metric.name} in at least one "
                    "system: a system's own score uses what it has, a comparison the segments that both have.",
                    count=count,
                ),
                stacklevel=3,
            )


def check_comparable(a: SystemStatistics, b: SystemStatistics) -> None:
    """Raise an `InputError` unless two systems have statistics of one metric on one test set."""
    signatures = [system.metric_signature or system.metric.signature for system in (a, b)]
    if a.metric != b.metric or signatures[0] != signatures[1]:
        raise InputError(
            "different-metrics",
            f"{a.system!r} has statistics of {a.metric.name} ({signatures[0]}), but {b.system!r} of {b.metric.name} "
            f"({signatures[1]}): compute both under the same metric.",
        )
    check_same_segments(repr(a.system), a.test_set, repr(b.system), b.test_set)


def check_exchange(a: SystemStatistics, b: SystemStatistics, exchange: str) -> None:
    """Raise an `InputError` where runs cannot be paired by number."""
    if exchange == "run" and a.n_runs != b.n_runs:
        raise InputError(
            "unequal-runs",
            f"{a.system!r} has {a.n_runs} runs and {b.system!r} has {b.n_runs}, but exchange='run' pairs runs by "
            "number: give equal numbers of runs, or use exchange='unit'.",
        )
