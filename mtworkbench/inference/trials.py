"""What trials say of a family of comparisons: one count gives p, its adjustment, the interval and equivalence.

A trial exchanges the outputs of systems on units chosen by coins. In every trial of a family the same coins serve all
comparisons, so the largest of its standardized differences shows what chance does to the family as a whole: step-down
max-T (Westfall & Young, 1993). The interval of a difference has those true differences that the same trials would not
reject: the randomization test, inverted (Garthwaite, 1996; Ernst, 2004). So it excludes 0 exactly where p is at most
1 - level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mtworkbench.inference.intervals import TIE, monte_carlo_ends, n_dropped, share_extreme
from mtworkbench.inference.weighted_sums import find_norms
from mtworkbench.resampling import split_rows
from mtworkbench.results.estimates import smallest_p
from mtworkbench.results.settings import MOST_LOOKS, WRONG_STOPS
from mtworkbench.results.verdicts import ROUNDING, holm_adjust

#: So many differences of trials are counted together: they stay in the processor's cache.
CELLS_TOGETHER = 2**17


@dataclass(frozen=True)
class Contrast:
    """An observed difference, and the standard deviation of its trials, by which it is standardized.

    Parameters
    ----------
    difference, sigma : float
    spread : float
        The standard deviation of trials if the difference is the true one.
    square_share : float
        Sum of the squared shares of units that are all of one size: 1 / n of n coins of the table.
    tolerance : float
        Differences that are closer than this are equal.
    n_coins : int
        Coins that matter: those whose exchange changes statistics.
    margin : float, optional
        Of equivalence.
    """

    difference: float
    sigma: float
    spread: float
    square_share: float
    tolerance: float
    n_coins: int
    margin: float | None = None

    @classmethod
    def of(
        cls, gains: np.ndarray, shares: np.ndarray, scores: np.ndarray, n_coins: int, margin: float | None = None
    ) -> Contrast:
        """Make it of g (see `Exchanges.measure_gains`) and the share of each coin, and of both scores, (2,) ndarray."""
        tolerance = TIE * float(np.abs(scores).max())
        difference, square_share = float(scores[0] - scores[1]), 1 / max(1, len(gains))
        sigma, spread = find_norms(gains, gains - difference * shares)
        return cls(difference, sigma, spread, square_share, tolerance, n_coins, margin)

    @classmethod
    def average(cls, ones: Sequence[Contrast]) -> Contrast:
        """Return that of the mean difference over test sets, whose units have coins of their own."""
        n_sets = len(ones)
        return cls(
            difference=sum(one.difference for one in ones) / n_sets,
            sigma=math.hypot(*(one.sigma for one in ones)) / n_sets,
            spread=math.hypot(*(one.spread for one in ones)) / n_sets,
            square_share=sum(one.square_share for one in ones) / n_sets**2,
            tolerance=sum(one.tolerance for one in ones) / n_sets,
            n_coins=sum(one.n_coins for one in ones),
            margin=ones[0].margin,
        )

    @property
    def factor(self) -> float:
        """What a difference is multiplied by to be standardized; 0 where there is none.

        Where exchanges of single units change nothing, as may be with a metric that jumps to 0, it is its own unit.
        """
        scale = self.sigma if self.sigma > self.tolerance else abs(self.difference)
        return 1 / scale if scale > self.tolerance else 0.0


class Tested(NamedTuple):
    """What the trials of its family say of one comparison.

    Parameters
    ----------
    n_extreme : int
        Trials whose difference is at least as large as the observed one, in either direction.
    n_trials : int
        Those that were made; of all exchanges, one of each pair that mirror each other.
    exact : bool
        Whether these are all exchanges.
    p_adjusted, p_adjusted_low, p_adjusted_high : float
        Step-down max-T, with the ends of its simulation error, at the level of error of the family's stopping rule.
    low, high : float or None
        The interval of the difference by itself.
    simultaneous_low, simultaneous_high : float or None
        That which holds together with those of the whole family, in a single step.
    p_within : float or None
        Two one-sided tests of equivalence; None without a margin.
    tolerated : float or None
        The factor by which the variance may be too small before the adjusted p no longer rejects: see
        `TrialFamily._find_tolerated`.
    factors : (n_beyond,) ndarray or None
        Where comparisons are not counted together: the factors at which p would be (r + 1) / (B + 1) or r / B, with
        r = 0, 1 ... of B trials beyond the difference: see `tolerate_by_holm`.
    """

    n_extreme: int
    n_trials: int
    exact: bool
    p_adjusted: float
    p_adjusted_low: float
    p_adjusted_high: float
    low: float | None = None
    high: float | None = None
    simultaneous_low: float | None = None
    simultaneous_high: float | None = None
    p_within: float | None = None
    tolerated: float | None = None
    factors: np.ndarray | None = None

    def tell_p(self, n_coins: int) -> tuple[float, float, float]:
        """Return p by itself, and the 95 % interval of its simulation error, where so many coins matter.

        Where these are few, drawn trials may reach the difference less often than all exchanges do: p is never below
        the smallest that all of them could give.
        """
        p_value, low, high = share_extreme(self.n_extreme, self.n_trials, self.exact)
        least = smallest_p(n_coins, self.n_trials, exact=True)
        return max(p_value, least), low, max(high, least)

    def tolerate(self, n_coins: int, level: float) -> float:
        """Return the factor by which the variance may be too small before p is above 1 - level; 0 where it is now."""
        rank = count_beyond(self.n_trials, level, self.exact)
        possible = smallest_p(n_coins, self.n_trials, exact=True) <= 1 - level + ROUNDING
        return float(self.factors[rank - 1]) if self.factors is not None and rank >= 1 and possible else 0.0

    def without_interval(self) -> Tested:
        """Return the same without the interval of the difference."""
        return self._replace(low=None, high=None, simultaneous_low=None, simultaneous_high=None)


#: Of two systems of which nothing differs: every exchange gives the difference that there is, 0.
COPIES = Tested(1, 1, True, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0)


class TrialFamily:
    """The trials of a family, counted batch by batch.

    A comparison's t is its difference, divided by its sigma, which the exchanges do not change, so that no pair has
    the largest t of a trial only because its differences vary more.

    Parameters
    ----------
    contrasts : sequence of Contrast
        None of them of copies.
    level : float
    joint : bool
        Whether comparisons are also counted together, and have intervals. If not, each has only its own p, and its
        outermost trials are kept.
    """

    def __init__(self, contrasts: Sequence[Contrast], level: float, *, joint: bool = True) -> None:
        self.contrasts, self.level, self.joint = list(contrasts), level, joint
        self._differences, self._tolerance, self._factors, self._shares, self._spreads = (
            np.array([getattr(one, name) for one in contrasts])[:, None]
            for name in ("difference", "tolerance", "factor", "square_share", "spread")
        )
        self._observed = np.abs(self._differences)
        centred = [max(0.0, one.sigma**2 - one.difference**2 * one.square_share) for one in contrasts]
        self._centred = np.sqrt(centred)[:, None]
        # Less what sums of floats may differ by: what is nothing but rounding then ranks last.
        self._reached = (self._observed - self._tolerance) * self._factors
        self._order = np.argsort(self._reached[:, 0], kind="stable")
        self._margins = np.array([one.margin or 0.0 for one in contrasts])[:, None]
        self._counts = np.zeros((4, len(self.contrasts)), dtype=np.int64)
        self._steps = np.array(choose_steps(len(self.contrasts)))
        self._n_rows = 4 * len(self.contrasts) + len(self._steps) if joint else len(self.contrasts)
        self._largest: list[np.ndarray] = []

    def count(self, differences: np.ndarray, shifts: np.ndarray, n_kept: int, taken: np.ndarray | None = None) -> None:
        """Count a batch of trials.

        Parameters
        ----------
        differences : (n_comparisons, n_batch) ndarray
        shifts : (n_comparisons, n_batch) ndarray
            What each of them loses per point of a true difference: see `Exchanges.make_trials`.
        n_kept : int
            How many of the outermost trials of all will be needed: see `count_beyond`.
        taken : (n_comparisons, n_batch) ndarray, optional
            What true differences as large as the observed ones take from each of them: these times the shifts, unless
            they are means over test sets.
        """
        shifts = np.broadcast_to(shifts, differences.shape)
        taken = self._differences * shifts if taken is None else taken
        for first, size in split_rows(differences.shape[1], max(1, CELLS_TOGETHER // len(self.contrasts))):
            batch = slice(first, first + size)
            self._count(differences[:, batch], shifts[:, batch], taken[:, batch], n_kept)

    def _count(self, differences: np.ndarray, shifts: np.ndarray, taken: np.ndarray, n_kept: int) -> None:
        tied = np.abs(np.abs(differences) - self._observed) <= self._tolerance
        differences = np.where(tied, np.copysign(self._observed, differences), differences)
        sizes = np.abs(differences)
        self._counts[0] += np.count_nonzero(sizes >= self._observed, axis=1)
        if not self.joint:
            self._keep(sizes, n_kept)
            return
        sizes *= self._factors
        largest = np.maximum.accumulate(sizes[self._order], axis=0)
        self._counts[1, self._order] += np.count_nonzero(largest >= self._reached[self._order], axis=1)
        if self._margins.any():
            for side, end in enumerate((-self._margins, self._margins)):
                distance = np.abs(self._differences - end) - self._tolerance
                self._counts[2 + side] += np.count_nonzero(np.abs(differences - end * shifts) >= distance, axis=1)
        low, high = invert(differences, shifts, self._differences)
        reach = self._find_reach(sizes, largest[-1])
        joint_low, joint_high = self._join(differences - taken, shifts)
        joint_low = np.minimum(np.minimum(joint_low, low), self._differences - reach)
        joint_high = np.maximum(np.maximum(joint_high, high), self._differences + reach)
        self._keep(np.concatenate([-low, high, -joint_low, joint_high, largest[self._steps - 1]]), n_kept)

    def _join(self, left: np.ndarray, shifts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return between which true differences a trial of the family lies at least as far away as what is observed.

        Of each trial d W is taken out, as if every difference were the true one, on each test set its own. What is left
        over lies between the roots of `invert` at the distances ``left / (1 - W)`` and ``left / (1 + W)`` from d. In a
        family, the largest left over, divided by its spread, stands for that of each comparison.
        """
        varies = self._spreads > self._tolerance
        largest = np.divide(np.abs(left), self._spreads, out=np.zeros_like(left), where=varies).max(axis=0)
        distance, shifts = largest * self._spreads, np.where(left < 0, -shifts, shifts)
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = self._differences - distance / (1 - shifts), self._differences + distance / (1 + shifts)
        everything = np.abs(shifts) == 1
        low[everything], high[everything] = -np.inf, np.inf
        return low, high

    def _find_reach(self, sizes: np.ndarray, largest: np.ndarray) -> np.ndarray:
        """Return how far from each difference its family does not reject: as far as the largest t of the others is.

        If the true difference is delta, and all units are of one size (their own sizes are in `invert`), the variance
        of trials is ``sigma**2 - d**2 / n + (d - delta)**2 / n``: what it is around d, and what the distance adds. So
        a t reaches ``t * sqrt((sigma**2 - d**2 / n) / (1 - t**2 / n))``: as far as 0 if it is that of d, as in p.
        A copy of a system repeats the t of its pairs: no others are those that have the same t in a trial. Where these
        are all, the largest t of the others is 0, and the interval is no wider than that of the comparison by itself.
        """
        is_largest = sizes >= largest * (1 - TIE)
        others = np.where(is_largest, np.where(is_largest, 0, sizes).max(axis=0), largest)
        left = np.sqrt(np.maximum(0, 1 - others**2 * self._shares))
        reach = np.divide(
            others * self._centred, left, out=np.full_like(others, np.inf), where=(left > 0) & (self._factors > 0)
        )
        tied = np.abs(others - self._observed * self._factors) <= self._tolerance * self._factors
        return np.where(tied & (self._factors > 0), self._observed, reach)

    def _keep(self, values: np.ndarray, n_kept: int) -> None:
        if n_kept == 0:
            return
        self._largest.append(values)
        if sum(one.shape[1] for one in self._largest) > n_kept + n_kept // 2 + 2**8:
            self._largest = [keep_largest(self._largest, n_kept)]

    def tally(self, n_kept: int) -> dict[str, np.ndarray]:
        """Return what was counted so far, for `add`."""
        nothing = np.zeros((self._n_rows, 0))
        return {"counts": self._counts, "largest": keep_largest([nothing, *self._largest], n_kept)}

    def add(self, counts: np.ndarray, largest: np.ndarray, n_kept: int) -> None:
        """Add what was counted elsewhere, of other trials of the same comparisons."""
        self._counts += counts
        self._keep(largest, n_kept)

    def is_decided(self, n_trials: int) -> bool:
        """Tell whether the simulation error leaves no verdict open, of differences and of equivalence."""
        size, error = 1 - self.level, WRONG_STOPS / MOST_LOOKS
        ends = [monte_carlo_ends(count, n_trials, error) for count in np.unique(self._step_down())]
        within = [self._test_within(place, n_trials, False, error) for place in range(len(self.contrasts))]
        known = [one for one in within if one is not None]
        ends += zip(*(holm_adjust([one[side] for one in known]).tolist() for side in (1, 2)), strict=True)
        return all(high <= size + ROUNDING or low > size + ROUNDING for low, high in ends)

    def _step_down(self) -> np.ndarray:
        """Return how many trials reach each comparison: what its adjusted p is made of.

        These are the trials whose largest t over this comparison and those ranked below reaches its own t, or as many
        as reach a comparison ranked above, if that is more.
        """
        counts = np.empty_like(self._counts[1])
        counts[self._order] = np.maximum.accumulate(self._counts[1, self._order][::-1])[::-1]
        return counts

    def test(self, n_trials: int, *, exact: bool, error: float = 0.05) -> list[Tested]:
        """Return what the trials say of each comparison.

        Parameters
        ----------
        n_trials : int
        exact : bool
            Whether they are all exchanges, one of each pair that mirror each other.
        error : float
            Of the ends of the simulation error: see `monte_carlo_ends`.
        """
        reached = self._step_down() if self.joint else self._counts[0]
        adjusted = [self._share(place, count, n_trials, exact, error) for place, count in enumerate(reached.tolist())]
        own = self._counts[0].tolist()
        if not self.joint:
            factors = self._find_factors(n_trials, exact)
            everything = zip(own, adjusted, factors, strict=True)
            return [Tested(count, n_trials, exact, *p, factors=one) for count, p, one in everything]
        outermost = self._find_outermost(n_trials, exact)
        n_ends, found = 4 * len(self.contrasts), []
        for place, contrast in enumerate(self.contrasts):
            within = self._test_within(place, n_trials, exact, error)
            p_within = None if within is None else within[0]
            can_reject = smallest_p(contrast.n_coins, n_trials, exact) <= 1 - self.level + ROUNDING
            ends = outermost[place : n_ends : len(self.contrasts)] if can_reject else [None] * 4
            low, high = tell_ends(*ends[:2])
            found.append(
                Tested(own[place], n_trials, exact, *adjusted[place], low, high, *tell_ends(*ends[2:]), p_within)
            )
        tolerated = self._find_tolerated(outermost[n_ends:])
        return [tested._replace(tolerated=one) for tested, one in zip(found, tolerated, strict=True)]

    def _share(self, place: int, count: int, n_trials: int, exact: bool, error: float) -> tuple[float, float, float]:
        """Return `share_extreme` of a comparison, never below the smallest p that it could have."""
        least = smallest_p(self.contrasts[place].n_coins, n_trials, exact=True)
        p_value, low, high = (max(one, least) for one in share_extreme(count, n_trials, exact, error))
        return p_value, low, high

    def _find_outermost(self, n_trials: int, exact: bool) -> list[float | None]:
        """Return, of the rows of `_count`, what `count_beyond` trials reach: four ends, then t of `choose_steps`."""
        rank = count_beyond(n_trials, self.level, exact)
        if rank < 1:
            return [None] * (4 * len(self.contrasts) + len(self._steps))
        return keep_largest(self._largest, rank).min(axis=1).tolist()

    def _find_factors(self, n_trials: int, exact: bool) -> Sequence[np.ndarray | None]:
        """Return by which factors the square of each difference exceeds that of its outermost trials, ascending."""
        rank = count_beyond(n_trials, self.level, exact)
        if rank < 1 or not self._largest:
            return [None] * len(self.contrasts)
        sizes = -np.sort(-keep_largest(self._largest, rank), axis=1)
        reached = np.maximum(0.0, self._observed - self._tolerance)
        return list(np.divide(reached, sizes, out=np.full_like(sizes, np.inf), where=sizes > 0) ** 2)

    def _find_tolerated(self, criticals: Sequence[float | None]) -> list[float | None]:
        """Return the design effect that the adjusted p of each comparison tolerates: above 1 where it rejects.

        If the variance of each difference is larger by a factor, because the units depend on each other, t is smaller
        by the square root of this factor, and its null distribution is unchanged. A comparison is then rejected as long
        as the factor is below ``(t / c)**2`` for it and for all comparisons that are ranked above it, where c is what t
        must exceed in its step. For c, the next larger step that is kept is used: see `choose_steps`.

        Parameters
        ----------
        criticals : sequence of float or None
            Of the steps.
        """
        found: list[float | None] = [None] * len(self.contrasts)
        least = math.inf
        for rank in range(len(self.contrasts), 0, -1):
            place, critical = int(self._order[rank - 1]), criticals[int(np.searchsorted(self._steps, rank))]
            if critical is None:
                continue
            reached = max(0.0, float(self._reached[place, 0]))
            least = min(least, (reached / critical) ** 2 if critical > 0 else math.inf)
            found[place] = least if math.isfinite(least) else None
        return found

    def _test_within(self, place: int, n_trials: int, exact: bool, error: float) -> tuple[float, float, float] | None:
        """Return half the larger of the shares of trials that lie as far away as an end of the margin: p and its ends.

        Beyond the margin it is what is left of 1, so that p grows with the distance. None without a margin.
        """
        contrast = self.contrasts[place]
        if contrast.margin is None:
            return None
        low, high = (self._share(place, count, n_trials, exact, error) for count in self._counts[2:, place].tolist())
        if abs(contrast.difference) < contrast.margin:
            p_value, least, most = max(low, high)
            return p_value / 2, least / 2, most / 2
        p_value, least, most = low if contrast.difference < 0 else high
        return 1 - p_value / 2, 1 - most / 2, 1 - least / 2


def tolerate_by_holm(family: Sequence[Tested], n_coins: Sequence[int], level: float) -> list[float | None]:
    """Return the design effect that the verdicts by Holm's (1979) method tolerate; None where nothing is rejected.

    The definition is that of `TrialFamily._find_tolerated`: t is divided by the square root of a factor, and its null
    distribution stays the same. Holm's method rejects one comparison after another. With k comparisons left, the next
    is the one that tolerates the largest factor; its p must be at most (1 - level) / k. No comparison tolerates a
    larger factor than the ones before it.

    Parameters
    ----------
    family : sequence of Tested
        Of all comparisons for which p is adjusted, copies included.
    n_coins : sequence of int
        See `Tested.tell_p`.
    level : float
    """
    found: list[float | None] = [None] * len(family)
    left, least = list(range(len(family))), math.inf
    while left:
        step = 1 - (1 - level) / len(left)
        factors = {place: family[place].tolerate(n_coins[place], step) for place in left}
        place = max(left, key=factors.__getitem__)
        least = min(least, factors[place])
        if least < 1 - ROUNDING:
            break
        found[place] = least if math.isfinite(least) else None
        left.remove(place)
    return found


def count_beyond(n_trials: int, level: float, exact: bool) -> int:
    """Return the rank of the critical value among trials, the largest first; 0 where there are too few of them.

    A difference is significant where fewer trials than this reach it.
    """
    size = 1 - level
    if not exact:
        return n_dropped(n_trials + 1, size)
    beyond = n_dropped(n_trials, size)
    return min(beyond + 1, n_trials) if beyond >= 1 else 0


def choose_steps(n_comparisons: int) -> list[int]:
    """Return at how many of the lowest-ranked comparisons the largest t of trials are kept, in ascending order.

    These are all numbers to 16, and then each about an eighth larger than the last, because the critical values of so
    many comparisons hardly differ, and those of all numbers would double the memory. The last is the whole family.
    """
    steps, size = [], 1
    while size < n_comparisons:
        steps.append(size)
        size = max(size + 1, size * 9 // 8)
    return [*steps, n_comparisons]


def invert(differences: np.ndarray, shifts: np.ndarray, observed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return between which true differences a trial lies at least as far away as what is observed.

    If the true difference is delta, the trial's is D - delta W, and what is observed d - delta: the ends are the roots
    of ``abs(D - delta W) = abs(d - delta)``. (Garthwaite (1996) inverts a randomization test by a search, because
    trials are drawn anew for each delta; here they are the same for all.)

    Parameters
    ----------
    differences, shifts : (n_comparisons, n_trials) ndarray
        D and W.
    observed : (n_comparisons, 1) ndarray
        d.

    Returns
    -------
    low, high : (n_comparisons, n_trials) ndarray
        One on each side of d. Infinite where everything is exchanged, or nothing.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (observed - differences) / (1 - shifts), (observed + differences) / (1 + shifts)
    low, high, everything = np.minimum(one, other), np.maximum(one, other), np.abs(shifts) == 1
    low[everything], high[everything] = -np.inf, np.inf
    return low, high


def tell_ends(low: float | None, high: float | None) -> tuple[float | None, float | None]:
    """Return both ends of an interval, given -low and high; None where one is unknown or infinite."""
    if low is None or high is None or not math.isfinite(low + high):
        return None, None
    return 0.0 - low, high


def keep_largest(blocks: Sequence[np.ndarray], count: int) -> np.ndarray:
    """Return the largest values of each row of blocks that lie side by side, in no order."""
    width = sum(one.shape[1] for one in blocks)
    kept = np.empty((len(blocks[0]), min(count, width)))
    for first, n_rows in split_rows(len(kept), max(1, CELLS_TOGETHER // max(1, width))):  # no second copy of everything
        rows = slice(first, first + n_rows)
        values = np.concatenate([one[rows] for one in blocks], axis=1)
        if kept.shape[1] < width:
            values.partition(width - kept.shape[1], axis=1)
        kept[rows] = values[:, width - kept.shape[1] :]
    return kept
