"""Shared by `compare` and `optimizer_variance`: which systems are compared, and on which segments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, combinations, pairwise
from typing import TypedDict

import numpy as np

from mtworkbench.assumptions import INFORMS, Doubt, doubts_about
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.blocks import choose_block_length
from mtworkbench.inference.score_table import Places, ScoreTable, scored_segments, segments_of_both
from mtworkbench.inference.units import (
    MIN_DIFFERING,
    MIN_DOCUMENTS,
    Units,
    choose_by_documents,
    choose_units,
    differ_rarely,
)
from mtworkbench.metrics import MeanScore
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.outputs.files.naming import SAME_RUNS
from mtworkbench.results.campaigns import CampaignPair
from mtworkbench.results.comparisons import PairEstimate
from mtworkbench.results.estimates import PairedBootstrap
from mtworkbench.results.names_of_units import name_units, show_effective
from mtworkbench.statistics.identity import align_statistics, check_same_segments
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics
from mtworkbench.wording import begin, describe_unknown_baseline, grouped, name_some, tally

#: Below so many units the share of wins is even more anti-conservative than above: see koehn2004 in docs/validity.md.
MIN_CONFIDENCE_UNITS = 30


@dataclass(frozen=True, eq=False)
class EstimatedPart:
    """Some segments of the test set, with the systems and pairs that are estimated on exactly these.

    Usually there is one part, the whole test set. Where scores are missing, each system has its own part, and so does
    each pair: the segments that both have scores for.

    Parameters
    ----------
    segments : (n_segments,) ndarray of bool
        Those of the test set that belong to it.
    table : ScoreTable
    systems : dict of int to int
        Those whose own scores are estimated here: number among all systems -> place in the table.
    pairs : dict of (int, int) to (int, int)
        The same of both systems of each pair.
    """

    segments: np.ndarray = field(repr=False)
    table: ScoreTable
    systems: dict[int, int]
    pairs: dict[Places, Places]

    def place_of(self, number: int) -> int:
        """Return the place in the table of a system that is there, by its number among all systems."""
        in_pairs = {one: place for own in self.pairs.items() for one, place in zip(*own, strict=True)}
        return (self.systems | in_pairs)[number]


def as_families(
    statistics: SegmentStatistics | Sequence[SegmentStatistics], systems: Sequence[str] | None = None
) -> list[SegmentStatistics]:
    """Check that there is one of each metric, and return them as a list, in the segment order of the first.

    Where ``systems`` are named, they have these alone: see `SegmentStatistics.choose`.
    """
    one = isinstance(statistics, SegmentStatistics) or not isinstance(statistics, Iterable)
    given: list[object] = [statistics] if one else list(statistics)
    families = [family for family in given if isinstance(family, SegmentStatistics) and len(family)]
    if not families or len(families) < len(given):
        raise InputError(
            "no-statistics",
            "SegmentStatistics of at least one system were expected, one per metric: make them with "
            "compute_statistics(outputs, metric) or load_statistics(path).",
        )
    if systems is not None:
        families = [family.choose(systems) for family in families]
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


def name_systems(families: Sequence[SegmentStatistics]) -> list[str]:
    """Return the systems of all metrics, each once, in the order in which they were given."""
    return list(dict.fromkeys(system for family in families for system in family))


def settle_documents(families: Sequence[SegmentStatistics], unit: str) -> list[SegmentStatistics]:
    """Return statistics as they are used with a unit: with segments, of recognized documents only the note is kept."""
    return [
        replace(one, test_set=replace(one.test_set, documents=None))
        if unit == "segment" and one.test_set.known_documents
        else one
        for one in families
    ]


def collect_doubts(families: Sequence[SegmentStatistics]) -> tuple[Doubt, ...]:
    """Collect the doubts about the systems of a comparison, each once.

    Where people have scored the outputs, a reference among these is no mistake (WMT has them judged, too), so if no
    metric reads texts, that is for information.
    """
    doubts = dict.fromkeys(doubt for family in families for doubt in family.doubts)
    return _weigh(doubts, reads_texts=not all(isinstance(family.metric, MeanScore) for family in families))


class PairNames(TypedDict):
    """Who was compared, and by what: the fields of `ComparedPair`."""

    a: str
    b: str
    metric: str


def name_pair(a: SystemStatistics, b: SystemStatistics) -> PairNames:
    """Name two systems and their metric, for the record of what is found of them."""
    return {"a": a.system, "b": b.system, "metric": a.metric.name}


def doubts_of_pair(a: SystemStatistics, b: SystemStatistics) -> tuple[Doubt, ...]:
    """Collect the doubts about two systems; see `collect_doubts`."""
    doubts = dict.fromkeys((*a.test_set.doubts, *b.test_set.doubts))
    return _weigh(doubts_about(doubts, (a.system, b.system)), reads_texts=not isinstance(a.metric, MeanScore))


def _weigh(doubts: Iterable[Doubt], *, reads_texts: bool) -> tuple[Doubt, ...]:
    if reads_texts:
        return tuple(doubts)
    return tuple(replace(one, gravity=INFORMS) if one.code == "hyp-is-ref" else one for one in doubts)


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
        raise InputError("unknown-baseline", f"{begin(describe_unknown_baseline(baseline, names))}.")
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


def divide_segments(
    systems: Sequence[SystemStatistics], pairs: Iterable[Places], unit: str, strata: str | None = None
) -> list[EstimatedPart]:
    """Group systems and pairs by the segments that they can be estimated on."""
    unit = choose_units(systems[0].test_set, unit, strata).name
    masks: dict[int | Places, np.ndarray | None] = {
        number: scored_segments(system) for number, system in enumerate(systems)
    }
    masks |= {(a, b): segments_of_both(systems[a], systems[b]) for a, b in pairs}
    alike = grouped((None if mask is None else mask.tobytes(), who) for who, mask in masks.items())
    parts = []
    for members in alike.values():
        segments = masks[members[0]]
        own = [who for who in members if isinstance(who, int)]
        both = [who for who in members if not isinstance(who, int)]
        concerned = dict.fromkeys([*own, *chain.from_iterable(both)])
        table = ScoreTable.of([systems[number] for number in concerned], unit, segments, strata)
        places = {number: place for place, number in enumerate(concerned)}
        pairs_here = {(a, b): (places[a], places[b]) for a, b in both}
        there = np.ones(len(systems[0].test_set), dtype=bool) if segments is None else segments
        parts.append(EstimatedPart(there, table, {number: places[number] for number in own}, pairs_here))
    return parts


def find_fewest_units(parts: Iterable[EstimatedPart]) -> Units:
    """Return the units of the part that has the fewest effective ones."""
    return min((part.table.units for part in parts), key=lambda units: units.effective_count)


def warn_of_few_effective_units(units: Units) -> None:
    """Warn that units of unequal size count for so few that intervals of scores are too narrow."""
    if units.are_few_of_equal_size:
        effective = show_effective(units.effective_count + units.n_strata - 1)
        DataWarning(
            "few-effective-units",
            f"The {units.count} {name_units(units.name, units.count)} are so unequal in size that they count as "
            f"only {effective} of equal size. Intervals of scores are then too narrow (95 % intervals of 12 "
            "unequal documents covered the true score in 83.5 % of the cases), and win % is anti-conservative: go "
            "by the p-value.",
            count=units.count,
        ).warn()


def warn_of_few_differing_units(found: Iterable[PairEstimate | PairedBootstrap | CampaignPair]) -> None:
    """Warn of intervals of systems that differ in so few units, and so rarely, that these are too narrow."""
    few = [
        one for one in found if one.units_differing < MIN_DIFFERING and differ_rarely(one.units_differing, one.n_units)
    ]
    if few:
        least = min(few, key=lambda one: one.units_differing / one.n_units)
        others = len({frozenset((one.a, one.b)) for one in few}) - 1
        also = f" {others} other pair{' also differs' if others == 1 else 's also differ'} in few." if others else ""
        DataWarning(
            "few-differing-units",
            f"By {least.metric}, {excerpt(least.a)} and {excerpt(least.b)} differ in only {least.units_differing} "
            f"of {least.n_units:,} {name_units(least.unit, least.n_units)}.{also} Intervals of such a difference "
            "are too narrow: 95 % intervals of near copies covered the true difference in about 85 % of the cases.",
            count=others + 1,
        ).warn()


def warn_of_few_units(counted: Iterable[Units]) -> None:
    """Warn that the share of wins is anti-conservative if few units are resampled.

    The smallest of the counts decides. Where units count for fewer, `warn_of_few_effective_units` has said it.
    """
    units = min(counted, key=lambda units: units.count, default=None)
    if units is not None and units.count < MIN_CONFIDENCE_UNITS and not units.are_few_of_equal_size:
        DataWarning(
            "few-units",
            f"Only {units.count} {name_units(units.name, units.count)} can be resampled. Below "
            f"{MIN_CONFIDENCE_UNITS}, win % is anti-conservative (it calls equal systems different too often): go "
            "by the p-value.",
            count=units.count,
        ).warn()


def settle_unit(
    systems: Sequence[SystemStatistics],
    pairs: Iterable[Places],
    unit: str,
    *,
    strata: str | None = None,
    block_length: int | None = None,
) -> str:
    """Choose the unit of a computation, and warn where there are too few of them.

    Parameters
    ----------
    systems : sequence of SystemStatistics
        On the same segments.
    pairs : iterable of (int, int)
        Those that are compared: places in `systems`.
    unit : str
        See `choose_units`; also ``"block"``, of `block_length` segments, or as long as `choose_block_length` says.
    strata : str, optional
    block_length : int, optional

    Returns
    -------
    str
        The name of the units, such as ``document`` or ``block of 7``.

    Raises
    ------
    InputError
        ``block-length`` where that is no number of segments, or blocks are not the unit, and those of `choose_units`.

    Warns
    -----
    DataWarning
        ``few-documents`` where documents are known, but too few for ``unit="auto"`` to take them; ``too-few-units``
        where the unit that was named has so few that no p could be small; ``lone-units`` where a stratum has one unit.
    """
    test_set, pairs = systems[0].test_set, list(pairs)
    if block_length is not None:
        if unit != "block":
            raise InputError("block-length", f"block_length needs unit='block', but unit is {unit!r}.")
        if isinstance(block_length, bool) or not isinstance(block_length, (int, np.integer)) or block_length < 1:
            raise InputError(
                "block-length",
                f"block_length is {block_length!r}, but a number of segments of at least 1 was expected.",
            )
    if isinstance(unit, str) and unit == "block":
        unit = f"block of {block_length or choose_block_length(systems, pairs)}"
    units = choose_units(test_set, unit, strata)
    if unit == "auto":
        units = choose_units(test_set, _choose_documents_or_segments(systems, pairs), strata)
    elif unit not in ("segment", "document"):
        _warn_of_too_few_units(units)
    if strata is not None:
        _warn_of_lone_units(units)
    return units.name


def _choose_documents_or_segments(systems: Sequence[SystemStatistics], pairs: Sequence[Places]) -> str:
    """Take documents where each comparison has enough of them; warn where they are known, but too few."""
    documents = systems[0].test_set.documents
    if documents is None:
        return "segment"
    masks = [segments_of_both(systems[a], systems[b]) for a, b in pairs] or [scored_segments(one) for one in systems]
    in_test_set = systems[0].test_set.n_documents or 0
    count = min(in_test_set if mask is None else len(np.unique(documents[mask])) for mask in masks)
    unit = choose_by_documents(count)
    if unit == "document":
        return unit
    number = f"only {tally(count, 'document')}"
    has = f"The test set has {number}"
    if count < in_test_set:
        has = f"Without the segments that lack a score, {'a comparison' if pairs else 'a system'} has {number}"
    DataWarning(
        "few-documents",
        f"{has}, too few to resample and swap: segments are used, as if the sentences of one document were "
        "independent, so p may be too small and intervals too narrow. At least "
        f"{MIN_DOCUMENTS} documents are needed; unit='segment' (--unit segment) accepts this.",
        count=count,
    ).warn()
    return "segment"


def _warn_of_too_few_units(units: Units) -> None:
    if units.count < MIN_DOCUMENTS:
        there_are = f"There {'is' if units.count == 1 else 'are'} only {units.count}"
        DataWarning(
            "too-few-units",
            f"{there_are} {name_units(units.name, units.count)}: when these are swapped as a whole, p cannot be "
            f"below {2.0 ** (1 - units.count):.3g}. At least {MIN_DOCUMENTS} units are needed for p below 0.05.",
            count=units.count,
        ).warn()


def _warn_of_lone_units(units: Units) -> None:
    strata = np.zeros(0, dtype=np.int64) if units.stratum_of_unit is None else units.stratum_of_unit
    lone = int(np.count_nonzero(np.bincount(strata) == 1))
    if lone:
        DataWarning(
            "lone-units",
            f"{lone} of the {units.n_strata} strata of {units.strata!r} {'has' if lone == 1 else 'have'} only one "
            f"{units.name}, which is in every resample, so that intervals are too narrow: use a smaller unit "
            "or other strata.",
            count=lone,
        ).warn()


def warn_of_missing_scores(families: Iterable[SegmentStatistics]) -> None:
    """Count, metric by metric, the segments that leave a comparison because a score is missing."""
    for family in families:
        count = int(np.count_nonzero(np.any([family[system].missing for system in family], axis=0)))
        if count:
            DataWarning(
                "missing-scores",
                f"{count} of {len(family.test_set)} segments have no {family.metric.name} in at least one "
                "system: a system's own score uses what it has, a comparison uses the segments that both have.",
                count=count,
            ).warn()


def check_is_system(system: object) -> None:
    """Raise an `InputError` unless this is the statistics of one system."""
    if isinstance(system, SystemStatistics):
        return
    found, example = f"An object of type {type(system).__name__} was", "base"
    if isinstance(system, SegmentStatistics):
        found, example = "Statistics of several systems were", next(iter(system), "base")
    raise InputError(
        "not-a-system",
        f"{found} given where statistics of one system were expected: take them by the system's name, as in "
        f"statistics[{excerpt(example)}].",
    )


def check_comparable(a: SystemStatistics, b: SystemStatistics) -> None:
    """Raise an `InputError` unless two systems have statistics of one metric on one test set."""
    check_is_system(a)
    check_is_system(b)
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
            f"{a.system!r} has {tally(a.n_runs, 'run')} and {b.system!r} has {b.n_runs}, but "
            "exchange='run' pairs runs by number: give equal numbers of runs, or use exchange='unit'.",
        )


def check_same_runs(sets: Mapping[str, SegmentStatistics]) -> None:
    """Refuse as many runs of a system on two sets whose names contradict each other; single runs are not matched.

    Parameters
    ----------
    sets : mapping of str to SegmentStatistics
        By what sentences call them, such as "the dev set".

    Raises
    ------
    InputError
        ``different-runs``.

    Warns
    -----
    DataWarning
        ``runs-by-order`` where the names are known on one set and not on another.
    """
    by_order: dict[str, tuple[str, str]] = {}
    for system in dict.fromkeys(name for one in sets.values() for name in one):
        of_count: dict[int, dict[str, tuple[str, ...]]] = {}
        for name, family in sets.items():
            if system in family and family[system].n_runs > 1:
                of_count.setdefault(family[system].n_runs, {})[name] = family[system].given_names
        for given in of_count.values():
            known = [name for name, names in given.items() if names]
            unknown = [name for name, names in given.items() if not names]
            for name in known[1:]:
                if given[name] != given[known[0]]:
                    raise InputError(
                        "different-runs",
                        f"System {excerpt(system)} has runs {name_some(given[name])} on {name}, but runs "
                        f"{name_some(given[known[0]])} on {known[0]}: {SAME_RUNS}.",
                    )
            if known and unknown:
                by_order.setdefault(system, (known[0], unknown[0]))
    if by_order:
        known_on, unknown_on = next(iter(by_order.values()))
        DataWarning(
            "runs-by-order",
            f"The runs of {name_some(map(excerpt, by_order))} have names or numbers on {known_on}, but none on "
            f"{unknown_on}. They are therefore matched by order: check that run k is the same trained system on every "
            "set.",
            count=len(by_order),
        ).warn()


def name_repaired(families: Iterable[SegmentStatistics]) -> tuple[str, ...]:
    """Return the codes of what was repaired before anything was scored, each once."""
    notes = [one.test_set.repaired for one in families if one.test_set.repaired]
    return tuple(dict.fromkeys(code for note in notes for code in note.split("+")))
