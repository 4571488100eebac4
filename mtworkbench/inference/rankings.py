"""Where each system stands among the others, on one test set or over several, as far as comparisons separate them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from mtworkbench.inference.intervals import TIE
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.results.rankings import CampaignRank, RankedSystem
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.wording import grouped

if TYPE_CHECKING:
    from mtworkbench.results.campaigns import CampaignPair, CampaignSystem
    from mtworkbench.results.comparisons import PairEstimate, SystemEstimate


#: Two systems need no ranking.
MIN_SYSTEMS = 3


def can_be_ranked(families: Sequence[SegmentStatistics]) -> bool:
    """Tell whether the systems of a metric can be ranked, on one test set or on several: see `MetricComparison`."""
    return (
        len(families[0]) >= MIN_SYSTEMS
        and has_direction(families[0].metric)
        and all(len({family[system].missing.tobytes() for system in family}) == 1 for family in families)
    )


def rank_systems(
    family: SegmentStatistics,
    systems: Sequence[SystemEstimate],
    comparisons: Sequence[PairEstimate],
    baseline: str | None,
) -> tuple[str, tuple[RankedSystem, ...]] | tuple[None, None]:
    """Rank systems by the verdicts for the method where every pair has one, else by those on these outputs.

    Returns
    -------
    {"method", "outputs"}, tuple of RankedSystem
        None, None where they cannot be ranked.
    """
    if not can_be_ranked([family]):
        return None, None
    scores = {one.system: sign_of(family.metric) * one.score for one in systems}
    of_method = all(pair.method_verdict is not None for pair in comparisons)
    # What is shown for the method is shown on these outputs, too: the ranking claims no more than the conclusions.
    asked = [pair for pair in comparisons if not of_method or pair.method_verdict == "significant"]
    return "method" if of_method else "outputs", place_systems(scores, asked, baseline)


def rank_campaign(
    families: Sequence[SegmentStatistics],
    systems: Sequence[CampaignSystem],
    comparisons: Sequence[CampaignPair],
    baseline: str | None,
) -> tuple[CampaignRank, ...] | None:
    """Rank systems over several test sets, by the verdicts on these sets and by those for new ones.

    Returns
    -------
    tuple of CampaignRank, or None
        None where they cannot be ranked.
    """
    if not can_be_ranked(families):
        return None
    sign = sign_of(families[0].metric)
    scores = {one.system: sign * one.score for one in systems}
    for_new = [pair for pair in comparisons if pair.new_sets_verdict in ("significant", "undecided")]
    placed = place_systems(scores, comparisons, baseline), place_systems(scores, for_new, baseline)
    return tuple(
        CampaignRank(
            system=here.system,
            score=sign * scores[here.system],
            rank=here.rank,
            rank_low=here.rank_low,
            rank_high=here.rank_high,
            new_sets_rank_low=new.rank_low,
            new_sets_rank_high=new.rank_high,
            group=here.group,
            new_sets_group=new.group,
            against_baseline=here.against_baseline,
            new_sets_against_baseline=new.against_baseline,
        )
        for here, new in zip(*placed, strict=True)
    )


def place_systems(
    scores: Mapping[str, float], pairs: Iterable[PairEstimate | CampaignPair], baseline: str | None = None
) -> tuple[RankedSystem, ...]:
    """Say where each system stands, by the verdicts on pairs of systems.

    Where all pairs were compared, these leave some ranks open. Where only a baseline was compared with, they say
    whether each system is better or worse than it, and nothing of the others among themselves.

    Parameters
    ----------
    scores : dict of str to float
        The larger the better.
    pairs : iterable of PairEstimate or CampaignPair
        Those that may separate systems; a pair that is missing is one of which no difference is shown.
    baseline : str or None
        None if all pairs were compared.

    Returns
    -------
    tuple of RankedSystem
        The best score first; equal scores in the order given.
    """
    pairs, ordered = list(pairs), sorted(scores, key=scores.__getitem__, reverse=True)
    better = {(pair.a, pair.b) if pair.better == pair.a else (pair.b, pair.a) for pair in pairs if pair.better}
    ranks = rank_scores(scores)
    if baseline is not None:
        found = {pair.a: "undecided" for pair in pairs if pair.verdict == "undecided"}
        found |= {one: "better" for one, other in better if other == baseline}
        found |= {other: "worse" for one, other in better if one == baseline}
        standing = dict.fromkeys(ordered, "not shown") | found | {baseline: None}
        return tuple(RankedSystem(one, ranks[one], against_baseline=standing[one]) for one in ordered)
    letters = letter_groups(ordered, better)
    return tuple(
        RankedSystem(
            system,
            ranks[system],
            rank_low=1 + sum((other, system) in better for other in ordered),
            rank_high=len(ordered) - sum((system, other) in better for other in ordered),
            group=letters[system],
        )
        for system in ordered
    )


def rank_scores(scores: Mapping[str, float]) -> dict[str, int]:
    """Rank systems: 1 + the number of larger scores; those that are closer than 1e-9 of the larger tie."""
    return {
        system: 1 + sum(other - own > TIE * max(abs(other), abs(own)) for other in scores.values())
        for system, own in scores.items()
    }


def letter_groups(ordered: Sequence[str], better: set[tuple[str, str]]) -> dict[str, str]:
    """Give letters to systems so that two share one if and only if neither is significantly better.

    The compact letter display of Piepho (2004): a letter for each of the largest groups without a significant pair, but
    none for those that say nothing that others do not say. Piepho's algorithm finds the same groups pair by pair.

    Parameters
    ----------
    ordered : sequence of str
        The best system first: it gets the first letter.
    better : set of (str, str)
        Significant pairs, the better system first.

    Returns
    -------
    dict of str to str
        Such as ``{"x": "a", "y": "ab", "z": "b"}``; after 26 letters ``aa``, ``ab`` ... with dots between them.
    """
    groups = _without_redundant(_find_largest(ordered, better))
    places = {system: place for place, system in enumerate(ordered)}
    groups.sort(key=lambda group: sorted(places[system] for system in group))
    names = [_letter(number) for number in range(len(groups))]
    joint = "" if len(groups) <= len(ascii_lowercase) else "."
    return {
        system: joint.join(name for name, group in zip(names, groups, strict=True) if system in group)
        for system in ordered
    }


def _find_largest(systems: Sequence[str], better: set[tuple[str, str]]) -> list[frozenset[str]]:
    """Return the groups without a significant pair that no other such group contains, system by system."""
    unlike = grouped(chain.from_iterable(((a, b), (b, a)) for a, b in better))
    groups: list[frozenset[str]] = [frozenset()]
    for system in systems:
        others = frozenset(unlike.get(system, ()))
        joined = {group - others | {system} for group in groups}
        # Every other group grows by the system, and is no longer one of the largest.
        groups = [group for group in groups if not group.isdisjoint(others)]
        groups += [group for group in joined if not any(group < other for other in joined)]
    return groups


def _without_redundant(groups: list[frozenset[str]]) -> list[frozenset[str]]:
    """Leave out the groups of which every two systems share another one, too."""
    numbers = {system: number for number, system in enumerate(set().union(*groups))}
    shared = np.zeros((len(numbers), len(numbers)), dtype=np.int64)  # by how many groups, for every two systems
    placed = [(group, np.ix_(*[[numbers[system] for system in group]] * 2)) for group in groups]
    for _, both in placed:
        shared[both] += 1
    kept = set(groups)
    for group, both in sorted(placed, key=lambda one: (len(one[0]), sorted(one[0]))):
        if (shared[both] > 1).all():
            kept.remove(group)
            shared[both] -= 1
    return list(kept)


def _letter(number: int) -> str:
    """Return a, b ... z, aa, ab ..."""
    before, last = divmod(number, len(ascii_lowercase))
    return (_letter(before - 1) if before else "") + ascii_lowercase[last]
