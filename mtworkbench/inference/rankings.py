"""Where each system stands among the others, on one test set or over several, as far as comparisons separate them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from string import ascii_lowercase
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mtworkbench.inference.intervals import TIE, n_dropped
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.metrics.protocol import Metric
from mtworkbench.resampling import RESAMPLES, RandomKey, uniforms
from mtworkbench.results.rankings import CampaignRank, RankedSystem
from mtworkbench.results.settings import count_needed_resamples
from mtworkbench.statistics.segment_statistics import SegmentStatistics

if TYPE_CHECKING:
    from mtworkbench.results.campaigns import CampaignPair
    from mtworkbench.results.comparisons import PairEstimate, SystemEstimate


#: Two systems need no ranking.
MIN_SYSTEMS = 3
#: Draws of the systems' mean scores over new test sets.
N_DRAWS = 10_000
#: With fewer sets, draws for new ones move all systems along one line, and say little about ranks.
MIN_SETS = 3


class RanksByDraws(NamedTuple):
    """How systems rank in many draws of their scores, as arrays of one value per system.

    Parameters
    ----------
    rank : (n_systems,) ndarray of int
        By the scores themselves: 1 + the number of systems with a better score.
    p_best : (n_systems,) ndarray
        Share of the draws in which the system is the best; systems that tie share a draw, so the shares sum to 1.
    rank_low, rank_high : (n_systems,) ndarray of int
        The ranks in the middle draws (95 % of them, say).
    """

    rank: np.ndarray
    p_best: np.ndarray
    rank_low: np.ndarray
    rank_high: np.ndarray


def can_be_ranked(families: Sequence[SegmentStatistics]) -> bool:
    """Tell whether the systems of a metric can be ranked, on one test set or on several: see `MetricComparison`."""
    return (
        len(families[0]) >= MIN_SYSTEMS
        and has_direction(families[0].metric)
        and all(len({family[system].missing.tobytes() for system in family}) == 1 for family in families)
    )


def order_pairs(pairs: Iterable[PairEstimate | CampaignPair]) -> list[tuple[str, str]]:
    """Return the systems of each pair, the better one first."""
    return [(pair.a, pair.b) if pair.better == pair.a else (pair.b, pair.a) for pair in pairs]


def rank_systems(
    systems: Sequence[SystemEstimate],
    comparisons: Sequence[PairEstimate],
    metric: Metric,
    baseline: str | None,
    level: float,
) -> tuple[str, tuple[RankedSystem, ...]]:
    """Rank systems by the verdicts for the method where every pair has one, else by those on these outputs.

    With a baseline only, because not all pairs were tested, by how they rank in the resamples.

    Returns
    -------
    {"method", "outputs"}, tuple of RankedSystem
    """
    scores = {system.system: sign_of(metric) * system.score for system in systems}
    resampled = sign_of(metric) * np.array([system.resampled for system in systems])
    if baseline is not None:
        return "outputs", place_systems(scores, resampled, None, level)
    of_method = all(pair.method_verdict is not None for pair in comparisons)
    # What is shown for the method is shown on these outputs, too: the ranking claims no more than the conclusions.
    shown = [
        pair
        for pair in comparisons
        if pair.verdict == "significant" and (not of_method or pair.method_verdict == "significant")
    ]
    return "method" if of_method else "outputs", place_systems(scores, resampled, order_pairs(shown), level)


def rank_campaign(
    systems: Sequence[str],
    scores: np.ndarray,
    resampled: Sequence[np.ndarray],
    better: tuple[Iterable[tuple[str, str]], Iterable[tuple[str, str]]] | None,
    *,
    level: float,
    higher_is_better: bool,
    random_key: RandomKey,
) -> tuple[CampaignRank, ...]:
    """Rank systems over several test sets, each set counting the same.

    Where all pairs were tested, the verdicts say which ranks are open. Else resamples and draws do: on these sets,
    resample r of a system's mean score is the mean over sets of its resample r of each set; for new sets, the sets are
    a sample, and draws are made by Student's t (see `draw_new_sets`).

    Parameters
    ----------
    systems : sequence of str
    scores : (n_systems, n_sets) ndarray
    resampled : sequence of (n_systems, n_resamples) ndarray
        One per set; in each of them, all systems have the same resamples.
    better : tuple of two iterables of (str, str), or None
        The pairs in which the first system is shown to be better: on these sets, and for new ones. None if not all
        pairs were tested.
    level : float
        Of the intervals of ranks in resamples and draws.
    higher_is_better : bool
    random_key : RandomKey
        Of the campaign; its stream of resamples is used, which the sets, with keys of their own, do not touch.

    Returns
    -------
    tuple of CampaignRank
        The best mean score first; equal scores in the order given.
    """
    sign = 1 if higher_is_better else -1
    means = scores.mean(axis=1)
    drawn = sum(resampled[1:], resampled[0]) / len(resampled)
    signed = dict(zip(systems, (sign * means).tolist(), strict=True))
    on_these, for_new = (None, None) if better is None else better
    here = place_systems(signed, sign * drawn, on_these, level)
    new = place_systems(signed, sign * draw_new_sets(scores, N_DRAWS, key=random_key.stream(RESAMPLES)), for_new, level)
    needed = count_needed_resamples(level, 1)
    enough = better is not None or drawn.shape[1] >= needed
    new_enough = better is not None or (scores.shape[1] >= MIN_SETS and needed <= N_DRAWS)
    return tuple(
        CampaignRank(
            system=one.system,
            score=sign * signed[one.system],
            rank=one.rank,
            p_best=one.p_best,
            rank_low=one.rank_low if enough else None,
            rank_high=one.rank_high if enough else None,
            new_sets_p_best=on_new.p_best,
            new_sets_rank_low=on_new.rank_low if new_enough else None,
            new_sets_rank_high=on_new.rank_high if new_enough else None,
            group=one.group,
            new_sets_group=on_new.group,
        )
        for one, on_new in zip(here, new, strict=True)
    )


def place_systems(
    scores: Mapping[str, float], drawn: np.ndarray, better: Iterable[tuple[str, str]] | None, level: float
) -> tuple[RankedSystem, ...]:
    """Rank systems by the verdicts on all their pairs, or, where not all were tested, by draws of their scores.

    Parameters
    ----------
    scores : dict of str to float
        The larger the better.
    drawn : (n_systems, n_draws) ndarray
        The scores of all systems in the same resamples, or other draws, in the order of `scores`; the larger the
        better. They tell how often each is the best.
    better : iterable of (str, str), or None
        The pairs in which the first system is significantly better than the second; an undecided pair is not among
        them. None if not all pairs were tested.
    level : float
        Of the interval of ranks in draws: see `rank_by_draws`.

    Returns
    -------
    tuple of RankedSystem
        The best score first; equal scores in the order given.
    """
    ranks = rank_by_draws(np.array([*scores.values()]), drawn, level)
    placed = {
        system: RankedSystem(system, int(rank), int(low), int(high), None, float(p_best))
        for system, rank, p_best, low, high in zip(scores, *ranks, strict=True)
    }
    ordered = sorted(scores, key=scores.__getitem__, reverse=True)
    if better is None:
        return tuple(placed[system] for system in ordered)
    better = set(better)
    letters = letter_groups(ordered, better)
    return tuple(
        replace(
            placed[system],
            rank_low=1 + sum((other, system) in better for other in ordered),
            rank_high=len(ordered) - sum((system, other) in better for other in ordered),
            group=letters[system],
        )
        for system in ordered
    )


def rank_by_draws(scores: np.ndarray, drawn: np.ndarray, level: float) -> RanksByDraws:
    """Rank systems by their scores, and by the same draws of all their scores: resamples, say.

    Parameters
    ----------
    scores : (n_systems,) ndarray
        The larger the better.
    drawn : (n_systems, n_draws) ndarray
        Scores that are closer than 1e-9 of the larger absolute score tie, and share the best rank.
    level : float
        Of the interval of ranks, whose ends are those of the percentile interval.

    Returns
    -------
    RanksByDraws

    Notes
    -----
    The interval of ranks is that of one system, not of all systems together. Where several systems are nearly equal,
    the observed order exaggerates how far apart they are: of ten all but equal systems, about 84 % of the intervals at
    95 % hold the true rank.
    """
    unsorted = ranks_of(drawn)
    ranks = np.sort(unsorted, axis=1)
    dropped = n_dropped(ranks.shape[1], (1 - level) / 2)
    return RanksByDraws(
        ranks_of(scores[:, None])[:, 0],
        shares_of_best(unsorted),
        ranks[:, dropped],
        ranks[:, ranks.shape[1] - 1 - dropped],
    )


def draw_new_sets(scores: np.ndarray, n_draws: int, *, key: int) -> np.ndarray:
    """Draw systems' mean scores over all test sets like these, as far as the sets at hand tell them.

    A draw adds to the systems' means a deviation of the sets: sum of z_s (x_s - mean) / sqrt(S (S - 1)), the same
    normal z_s for all systems, divided by sqrt(chi2 / (S - 1)). So the difference of any two systems has Student's t
    distribution with S - 1 degrees of freedom and the standard error of the paired t-test over sets: a system is ahead
    of another in 97.5 % of draws where that test gives p = 0.05. What varies within a set needs no draws of its own,
    because it is part of how far the sets' scores lie apart.

    It needs at least two sets. For any two systems, it keeps its promise from two on if differences between sets are
    about normal: two equal systems come out apart (one ahead in more than 97.5 % of draws) in 5 % of experiments. For
    many systems at once it does not: the draws vary in S - 1 directions only, so with fewer sets than systems a system
    may be the best in no draw, and ranges of ranks are too narrow. Of ten nearly equal systems, 78 % of the ranges hold
    the true rank with three sets, and 83 % with 14.

    Drawing sets with replacement instead would be anti-conservative for few sets: with three, equal systems come out
    apart in 25 % of experiments. Drawing resamples within sets, too, counts what varies within sets twice. It is still
    anti-conservative for few sets.

    Parameters
    ----------
    scores : (n_systems, n_sets) ndarray
        Of at least two sets.
    n_draws : int
    key : int
        Of the stream. Draw r has its words from r (2 S - 1) on: S normals for the sets, then S - 1 whose squares make
        the chi2.

    Returns
    -------
    (n_systems, n_draws) ndarray
    """
    from scipy.special import ndtri

    n_sets = scores.shape[1]
    width = 2 * n_sets - 1
    normals = ndtri(uniforms(key, 0, n_draws * width)).reshape(n_draws, width)
    means = scores.mean(axis=1, keepdims=True)
    spread = np.sqrt((normals[:, n_sets:] ** 2).sum(axis=1) / (n_sets - 1))
    deviations = (scores - means) @ normals[:, :n_sets].T / np.sqrt(n_sets * (n_sets - 1))
    return means + deviations / spread


def shares_of_best(ranks: np.ndarray) -> np.ndarray:
    """Return the share of the columns in which each row is first, by `ranks_of`; rows that tie share a column."""
    first = ranks == 1
    return (first / first.sum(axis=0)).mean(axis=1)


def ranks_of(scores: np.ndarray) -> np.ndarray:
    """Rank each column of scores, (n_systems, n_columns): 1 + the number of larger scores; ties share the best rank."""
    ranks = np.ones(scores.shape, dtype=np.int64)
    for other in scores:
        gap = TIE * np.maximum(np.abs(other), np.abs(scores))
        ranks += other - scores > gap
    return ranks


def letter_groups(ordered: Sequence[str], better: set[tuple[str, str]]) -> dict[str, str]:
    """Give letters to systems so that two share one if and only if neither is significantly better.

    The compact letter display of Piepho (2004), by inserting each significant pair, absorbing what is contained in
    another group, and leaving out letters that say nothing that others do not say.

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
    groups = [frozenset(ordered)]
    for first, second in sorted(better):
        split = []
        for group in groups:
            split += [group - {first}, group - {second}] if first in group and second in group else [group]
        groups = [group for group in dict.fromkeys(split) if not any(group < other for other in split)]
    groups = _without_redundant(groups)
    places = {system: place for place, system in enumerate(ordered)}
    groups.sort(key=lambda group: sorted(places[system] for system in group))
    names = [_letter(number) for number in range(len(groups))]
    joint = "" if len(groups) <= len(ascii_lowercase) else "."
    return {
        system: joint.join(name for name, group in zip(names, groups, strict=True) if system in group)
        for system in ordered
    }


def _without_redundant(groups: list[frozenset[str]]) -> list[frozenset[str]]:
    """Leave out the groups of which every two systems share another one, too."""
    kept = list(groups)
    for group in sorted(groups, key=lambda group: (len(group), sorted(group))):
        others = [other for other in kept if other != group]
        pairs = [frozenset(pair) for pair in combinations(group, 2)] or [group]
        if all(any(pair <= other for other in others) for pair in pairs):
            kept = others
    return kept


def _letter(number: int) -> str:
    """Return a, b ... z, aa, ab ..."""
    before, last = divmod(number, len(ascii_lowercase))
    return (_letter(before - 1) if before else "") + ascii_lowercase[last]
