"""Where systems stand among the others, on one test set or over several."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar, cast

from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.results.estimates import Estimate, Of
from mtworkbench.results.settings import Settings

if TYPE_CHECKING:
    from mtworkbench.results.campaigns import CampaignPair, CampaignSystem
    from mtworkbench.results.comparisons import PairEstimate, SystemEstimate


System = TypeVar("System", bound="SystemEstimate | CampaignSystem")
Pair = TypeVar("Pair", bound="PairEstimate | CampaignPair")
Rank = TypeVar("Rank", bound="RankedSystem | CampaignRank")


@dataclass(frozen=True, repr=False, eq=False)
class RankedSystem(Estimate):
    """One system's place under one metric; the fields are the keys of the JSON output.

    Parameters
    ----------
    system : str
    rank : int
        1 + the number of systems with a better score.
    rank_low, rank_high : int or None
        The ranks that the comparisons leave open: 1 + the number of systems that are significantly better, and the
        number of systems minus those that are significantly worse. None if only a baseline was compared with.
    group : str or None
        Letters: for two systems that share a letter, no difference is shown (undecided comparisons included). None
        if only a baseline was compared with.
    against_baseline : {"better", "worse", "not shown", "undecided"} or None
        Whether the system is shown to be better or worse than the baseline. None for the baseline, and if all pairs
        were compared.
    p_best : None
        Always None: shares of resamples in which a system is the best are no longer counted.
    """

    system: str
    rank: int
    rank_low: int | None = None
    rank_high: int | None = None
    group: str | None = None
    against_baseline: str | None = None
    p_best: None = field(default=None, init=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranked(Generic[System, Pair, Rank]):
    """What one metric says of the order of systems, on one test set or on several: every view of a result asks here.

    Parameters
    ----------
    name : str
        ``BLEU``, ``chrF++``, a `MeanScore`'s own name.
    higher_is_better : bool or None
    systems : tuple of SystemEstimate, or of CampaignSystem
        In the order given.
    comparisons : tuple of PairEstimate, or of CampaignPair
        Every system against the baseline, or all pairs, the later given as a.
    ranking : tuple of RankedSystem, or of CampaignRank, or None
        The best system first.
    settings : Settings
    family_size, method_family_size : int
        For how many comparisons p is adjusted, on these outputs and for the method.
    """

    name: str
    higher_is_better: bool | None
    systems: tuple[System, ...]
    comparisons: tuple[Pair, ...]
    ranking: tuple[Rank, ...] | None
    settings: Settings
    family_size: int
    method_family_size: int
    #: Of the intervals; verdicts are at 1 - level.
    level: ClassVar[Of[float]] = Of("settings")
    #: Random exchanges behind each p that is not exact.
    n_trials: ClassVar[Of[int]] = Of("settings")

    @cached_property
    def asks_of_methods(self) -> bool:
        """Whether any comparison has enough runs for the question about the method."""
        return any(pair.method_p_value is not None for pair in self.comparisons)

    @property
    def compared_with(self) -> str | None:
        """The one system that all others are compared with; None where all pairs of three or more are compared."""
        others = {pair.b for pair in self.comparisons}
        return others.pop() if len(others) == 1 else None

    @property
    def has_ranks(self) -> bool:
        """Whether all pairs were compared, so that their verdicts leave ranks open and give letters."""
        return self.ranking is not None and self.compared_with is None

    @property
    def systems_from_best(self) -> tuple[System, ...]:
        """The systems, the best score first (the highest, where none is better); equal scores in the order given."""
        if self.ranking is not None:
            by_name = {one.system: one for one in self.systems}
            return tuple(by_name[one.system] for one in self.ranking)
        return tuple(sorted(self.systems, key=lambda one: -sign_of(self) * one.score))

    @cached_property
    def comparisons_from_best(self) -> tuple[Pair, ...]:
        """The comparisons in the order of the systems: of all pairs, a is the system with the better score."""
        places = {one.system: place for place, one in enumerate(self.systems_from_best)}
        pairs: list[Pair] = list(self.comparisons)
        if self.compared_with is None:
            pairs = [one if sign_of(self) * one.difference >= 0 else cast(Pair, one.turned()) for one in pairs]
        return tuple(sorted(pairs, key=lambda pair: (places[pair.a], places[pair.b])))

    @property
    def may_be_first(self) -> tuple[str, ...]:
        """The systems that no other is shown to be better than, the best score first.

        Empty if this is not tested: with a baseline alone, of three or more systems; without a ranking of them; and
        if neither direction is better.
        """
        if self.ranking is not None:
            return tuple(one.system for one in self.ranking if one.rank_low == 1)
        if len(self.comparisons) != 1 or not has_direction(self):
            return ()
        [pair] = self.comparisons
        # Where the method was tested, what is shown on these outputs alone puts nobody behind.
        if pair.better is not None and pair.conclusion != "shown on these outputs only":
            return (pair.better,)
        return tuple(one.system for one in self.systems_from_best)

    @property
    def top(self) -> tuple[str, ...]:
        """The systems in bold: those that may be first; empty if all systems may be first."""
        return self.may_be_first if len(self.may_be_first) < len(self.systems) else ()


@dataclass(frozen=True, repr=False, eq=False)
class CampaignRank(Estimate):
    """One system's place over several test sets, under one metric; the fields are the keys of the JSON output.

    Parameters
    ----------
    system : str
    score : float
        Mean over sets, each set counting the same.
    rank : int
        1 + the number of systems with a better score.
    rank_low, rank_high : int or None
        The ranks that the comparisons on these sets leave open: 1 + the number of systems that are shown to be better,
        and the number of systems minus those that are shown to be worse. None if only a baseline was compared with.
    new_sets_rank_low, new_sets_rank_high : int or None
        The ranks that are open for new sets: only what is shown for new sets counts.
    group, new_sets_group : str or None
        Letters: two systems share one if no difference is shown on these sets (undecided comparisons included), or for
        new sets. None if only a baseline was compared with.
    against_baseline, new_sets_against_baseline : {"better", "worse", "not shown", "undecided"} or None
        Whether the system is shown to be better or worse than the baseline, on these sets and for new ones. None for
        the baseline, and if all pairs were compared.
    p_best, new_sets_p_best : None
        Always None: shares of resamples in which a system is the best are no longer counted.
    """

    system: str
    score: float
    rank: int
    rank_low: int | None = None
    rank_high: int | None = None
    new_sets_rank_low: int | None = None
    new_sets_rank_high: int | None = None
    group: str | None = None
    new_sets_group: str | None = None
    against_baseline: str | None = None
    new_sets_against_baseline: str | None = None
    p_best: None = field(default=None, init=False)
    new_sets_p_best: None = field(default=None, init=False)
