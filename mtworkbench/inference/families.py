"""What a comparison and an analysis of variance share: who is compared with whom, on which segments, and the draws."""

from __future__ import annotations

import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, combinations, islice

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.checks import check_exchange
from mtworkbench.inference.intervals import choose_method
from mtworkbench.inference.score_table import Places, ScoreTable, scored_segments, segments_of_both
from mtworkbench.statistics.identity import align_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics

Progress = Callable[[Iterable], Iterable]


@dataclass(frozen=True, eq=False)
class Part:
    """Some segments of the test set, with the systems and pairs that are estimated on exactly these.

    Mostly there is one part, the whole test set. Where scores are missing, a system has its own part, and so has each
    pair: the segments that both have scores for.

    Parameters
    ----------
    table : ScoreTable
    places : dict of int to int
        The place in the table of each system concerned, by its number among all systems.
    systems : list of int
        Those whose own scores are estimated here.
    pairs : list of (int, int)
    """

    table: ScoreTable
    places: dict[int, int]
    systems: list[int]
    pairs: list[Places]

    @property
    def places_of_pairs(self) -> list[Places]:
        """The pairs by their places in the table."""
        return [(self.places[a], self.places[b]) for a, b in self.pairs]


@contextmanager
def shown_draws(progress: Progress | None, n_draws: int) -> Iterator[Callable[[int], None] | None]:
    """Show draws as they are made: yield a function to tell after each batch how many it made; None to show nothing."""
    if progress is None:
        yield None
        return
    steps = (step for step in progress(range(n_draws)))
    try:
        yield lambda count: deque(islice(steps, count), maxlen=0)
        next(steps, None)  # a bar closes when it finds nothing more
    finally:
        steps.close()  # an interrupted one here


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
        called = family.metric.name, family.signature
        if any(
            family.metric == other.metric or called == (other.metric.name, other.signature)
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


def choose_pairs(systems: Sequence[SystemStatistics], baseline: str | None) -> list[Places]:
    """Return who is compared with whom, as (a, b): each with the baseline, or the later given with the earlier.

    Systems are named by their place among those given.
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
) -> tuple[list[SystemStatistics], list[list[Places]]]:
    """Give the systems of all metrics numbers, and return the pairs of each metric by these numbers.

    Raises
    ------
    InputError
        Where the baseline is not there (``unknown-baseline``), or runs cannot be paired (``unequal-runs``).
    """
    systems: list[SystemStatistics] = []
    pairs = []
    for family in families:
        members = [family[name] for name in family]
        pairs.append([(len(systems) + a, len(systems) + b) for a, b in choose_pairs(members, baseline)])
        systems += members
    for a, b in chain(*pairs):
        check_exchange(systems[a], systems[b], exchange)
    return systems, pairs


def divide_segments(systems: Sequence[SystemStatistics], pairs: Iterable[Places], unit: str) -> list[Part]:
    """Group systems and pairs by the segments that they can be estimated on."""
    groups: dict[bytes | None, tuple[np.ndarray | None, list[int], list[Places]]] = {}

    def group_of(segments: np.ndarray | None) -> tuple[np.ndarray | None, list[int], list[Places]]:
        return groups.setdefault(None if segments is None else segments.tobytes(), (segments, [], []))

    for number, system in enumerate(systems):
        group_of(scored_segments(system))[1].append(number)
    for a, b in pairs:
        group_of(segments_of_both(systems[a], systems[b]))[2].append((a, b))
    parts = []
    for segments, own, both in groups.values():
        concerned = dict.fromkeys([*own, *chain.from_iterable(both)])
        table = ScoreTable.of([systems[number] for number in concerned], unit, segments)
        parts.append(Part(table, {number: place for place, number in enumerate(concerned)}, own, both))
    return parts


def choose_interval(interval: str, parts: Sequence[Part]) -> str:
    """Choose one method of interval for all parts; where it is left open, the part with the fewest units decides."""
    return choose_method(interval, min(part.table.units.count for part in parts))


def warn_of_missing_scores(families: Sequence[SegmentStatistics]) -> None:
    """Count, metric by metric, the segments that leave a comparison because a score is missing."""
    for family in families:
        systems = [family[name] for name in family]
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
