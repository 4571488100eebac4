"""What trials say of a family of comparisons: one count gives p, its adjustment, the interval and equivalence.

A trial exchanges the outputs of systems on units chosen by coins. In every trial of a family the same coins serve all
comparisons, so the largest of its standardized differences shows what chance does to the family as a whole: step-down
max-T (Westfall & Young, 1993). The interval of a difference has those true differences that the same trials would not
reject; so it excludes 0 exactly where p is at most 1 - level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mtworkbench.inference.intervals import TIE, monte_carlo_ends, share_extreme
from mtworkbench.results.estimates import smallest_p
from mtworkbench.results.settings import MOST_LOOKS, WRONG_STOPS
from mtworkbench.results.verdicts import ROUNDING, holm_adjust


@dataclass(frozen=True)
class Contrast:
    """An observed difference, and how much it changes when the outputs of single units are exchanged.

    With g_i half of that change (see `Exchanges.measure_gains`) and w_i the share of unit i in the scored segments, the
    differences of trials have a standard deviation of about sigma, ``sigma**2 = sum(g**2)``. If the true difference
    were larger by delta, each unit would have ``g_i - w_i delta`` in its place, so that sigma is a root of a quadratic
    in delta.

    Parameters
    ----------
    difference : float
    squares, products, shares : float
        Sums of g^2, g w and w^2 over all units, also those in which the systems do not differ.
    tolerance : float
        Differences that are closer than this are equal.
    n_coins : int
        Coins that matter: those whose exchange changes statistics.
    margin : float, optional
        Of equivalence.
    """

    difference: float
    squares: float
    products: float
    shares: float
    tolerance: float
    n_coins: int
    margin: float | None = None

    @classmethod
    def of(
        cls, gains: np.ndarray, shares: np.ndarray, scores: np.ndarray, n_coins: int, margin: float | None = None
    ) -> Contrast:
        """Make it of g and w, (n_coins,) ndarrays, and of both systems' scores, (2,) ndarray."""
        squares, products, of_shares = float(gains @ gains), float(gains @ shares), float(shares @ shares)
        tolerance = TIE * float(np.abs(scores).max())
        return cls(float(scores[0] - scores[1]), squares, products, of_shares, tolerance, n_coins, margin)

    @classmethod
    def average(cls, ones: Sequence[Contrast]) -> Contrast:
        """Return that of the mean difference over test sets, whose units have coins of their own."""
        n_sets = len(ones)
        return cls(
            difference=sum(one.difference for one in ones) / n_sets,
            squares=sum(one.squares for one in ones) / n_sets**2,
            products=sum(one.products for one in ones) / n_sets**2,
            shares=sum(one.shares for one in ones) / n_sets**2,
            tolerance=sum(one.tolerance for one in ones) / n_sets,
            n_coins=sum(one.n_coins for one in ones),
            margin=ones[0].margin,
        )

    def sigma(self, delta: float = 0.0) -> float:
        """Return the standard deviation of trials if the true difference is delta."""
        return math.sqrt(max(0.0, self.squares - 2 * delta * self.products + delta**2 * self.shares))

    @property
    def factor(self) -> float:
        """What a difference is multiplied by to be standardized; 0 where there is none.

        Where exchanges of single units change nothing, as may be with a metric that jumps to 0, it is its own unit.
        """
        scale = self.sigma() if self.has_sigma else abs(self.difference)
        return 1 / scale if scale > self.tolerance else 0.0

    @property
    def has_sigma(self) -> bool:
        """Whether exchanges of single units change anything."""
        return self.sigma() > self.tolerance

    @property
    def t(self) -> float:
        """The standardized difference, without its sign."""
        return abs(self.difference) * self.factor

    def find_ends(self, critical: float | None) -> tuple[float | None, float | None]:
        """Return the differences delta with ``(d - delta)**2 <= critical**2 * sigma(delta)**2``.

        An end is exactly 0 where the critical value is the standardized difference itself.

        Returns
        -------
        low, high : float or None
            None where there is no critical value, or so few units count that no difference can be excluded.
        """
        if critical is None or not self.has_sigma:
            return None, None
        squared, difference = critical**2, self.difference
        scale = 1 - squared * self.shares
        if scale <= 0:
            return None, None
        middle = difference - squared * self.products
        # With d = c sigma one root is 0: rounding must not put it on either side.
        last = 0.0 if self._ties(critical) else difference**2 - squared * self.squares
        root = math.sqrt(max(0.0, middle**2 - scale * last))
        return (middle - root) / scale, (middle + root) / scale

    def _ties(self, critical: float) -> bool:
        return abs(critical - self.t) <= self.tolerance * self.factor

    def standardize_margin(self) -> tuple[float, float]:
        """Return the distances of the difference from both ends of the margin, standardized as if the ends were true.

        0 where the difference reaches an end, or nothing varies there.
        """
        margin = self.margin or 0.0
        found = []
        for end in (-margin, margin):
            sigma = self.sigma(end)
            found.append(abs(self.difference - end) / sigma if sigma > self.tolerance else 0.0)
        return found[0], found[1]


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

    def tell_p(self, n_coins: int) -> tuple[float, float, float]:
        """Return p by itself, and the 95 % interval of its simulation error, where so many coins matter.

        Where these are few, drawn trials may reach the difference less often than all exchanges do: p is never below
        the smallest that all of them could give.
        """
        p_value, low, high = share_extreme(self.n_extreme, self.n_trials, self.exact)
        least = smallest_p(n_coins, self.n_trials, exact=True)
        return max(p_value, least), low, max(high, least)

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
        Whether comparisons are also counted together, and have intervals. If not, each has only its own p.
    """

    def __init__(self, contrasts: Sequence[Contrast], level: float, *, joint: bool = True) -> None:
        self.contrasts, self.level, self.joint = list(contrasts), level, joint
        self._observed = np.abs([one.difference for one in contrasts])[:, None]
        self._tolerance = np.array([one.tolerance for one in contrasts])[:, None]
        self._factors = np.array([one.factor for one in contrasts])[:, None]
        # Less what sums of floats may differ by: what is nothing but rounding then ranks last.
        self._reached = (self._observed - self._tolerance) * self._factors
        self._order = np.argsort(self._reached[:, 0], kind="stable")
        limits = [one.standardize_margin() for one in contrasts] if any(one.margin for one in contrasts) else None
        self._limits = None if limits is None else np.array(limits)[:, :, None]
        self._counts = np.zeros((4, len(self.contrasts)), dtype=np.int64)
        self._steps = np.array(choose_steps(len(self.contrasts)))
        self._largest: list[np.ndarray] = []

    def count(self, differences: np.ndarray, n_kept: int) -> None:
        """Count a batch of trials.

        Parameters
        ----------
        differences : (n_comparisons, n_batch) ndarray
        n_kept : int
            How many of the largest t of all trials will be needed: see `count_beyond`.
        """
        sizes = np.abs(differences)
        sizes = np.where(np.abs(sizes - self._observed) <= self._tolerance, self._observed, sizes)
        self._counts[0] += np.count_nonzero(sizes >= self._observed, axis=1)
        if not self.joint:
            return
        sizes *= self._factors
        largest = np.maximum.accumulate(sizes[self._order], axis=0)
        self._counts[1, self._order] += np.count_nonzero(largest >= self._reached[self._order], axis=1)
        if self._limits is not None:
            tolerance = self._tolerance * self._factors
            for side in (0, 1):
                self._counts[2 + side] += np.count_nonzero(sizes >= self._limits[:, side] - tolerance, axis=1)
        self._keep(np.concatenate([sizes, largest[self._steps - 1]]), n_kept)

    def _keep(self, sizes: np.ndarray, n_kept: int) -> None:
        self._largest.append(sizes)
        if sum(one.shape[1] for one in self._largest) > n_kept + n_kept // 2 + 2**9:
            self._largest = [keep_largest(np.concatenate(self._largest, axis=1), n_kept)]

    def tally(self, n_kept: int) -> dict[str, np.ndarray]:
        """Return what was counted so far, for `add`."""
        nothing = np.zeros((len(self.contrasts) + len(self._steps), 0))
        largest = np.concatenate(self._largest, axis=1) if self._largest else nothing
        return {"counts": self._counts, "largest": keep_largest(largest, n_kept)}

    def add(self, counts: np.ndarray, largest: np.ndarray, n_kept: int) -> None:
        """Add what was counted elsewhere, of other trials of the same comparisons."""
        self._counts += counts
        if self.joint:
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
            return [Tested(count, n_trials, exact, *p) for count, p in zip(own, adjusted, strict=True)]
        criticals = self._find_criticals(n_trials, exact)
        found = []
        for place, contrast in enumerate(self.contrasts):
            within = self._test_within(place, n_trials, exact, error)
            p_within = None if within is None else within[0]
            can_reject = smallest_p(contrast.n_coins, n_trials, exact) <= 1 - self.level + ROUNDING
            ends = [contrast.find_ends(criticals[row] if can_reject else None) for row in (place, -1)]
            found.append(Tested(own[place], n_trials, exact, *adjusted[place], *ends[0], *ends[1], p_within))
        tolerated = self._find_tolerated(criticals[len(self.contrasts) :])
        return [tested._replace(tolerated=one) for tested, one in zip(found, tolerated, strict=True)]

    def _share(self, place: int, count: int, n_trials: int, exact: bool, error: float) -> tuple[float, float, float]:
        """Return `share_extreme` of a comparison, never below the smallest p that it could have."""
        least = smallest_p(self.contrasts[place].n_coins, n_trials, exact=True)
        p_value, low, high = (max(one, least) for one in share_extreme(count, n_trials, exact, error))
        return p_value, low, high

    def _find_criticals(self, n_trials: int, exact: bool) -> list[float | None]:
        """Return what t must exceed, of each comparison by itself, then in each of `choose_steps`, the family last."""
        rank = count_beyond(n_trials, self.level, exact)
        if rank < 1:
            return [None] * (len(self.contrasts) + len(self._steps))
        largest = np.concatenate(self._largest, axis=1)
        place = largest.shape[1] - rank
        return np.partition(largest, place, axis=1)[:, place].tolist()

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


def count_beyond(n_trials: int, level: float, exact: bool) -> int:
    """Return the rank of the critical value among trials, the largest first; 0 where there are too few of them.

    A difference is significant where fewer trials than this reach it.
    """
    size = 1 - level
    if not exact:
        return math.floor(round(size * (n_trials + 1), 9))
    beyond = math.floor(round(size * n_trials, 9))
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


def keep_largest(values: np.ndarray, count: int) -> np.ndarray:
    """Return the largest values of each row, in no order."""
    place = values.shape[1] - count
    if place <= 0 or count == 0:
        return values[:, :count]
    kept: np.ndarray = np.partition(values, place, axis=1)[:, place:]
    return kept
