"""Step-down max-T: p adjusted for a family of comparisons by the trials that all of them share.

Westfall & Young (1993). Holm multiplies p by a number of comparisons, whatever they have in common; all
pairs of a few systems have much in common. In a trial, the same coins exchange the outputs of every pair, so the
largest difference of a trial shows what chance does to the family as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from statistics import harmonic_mean

import numpy as np

from mtworkbench.inference.intervals import TIE, jackknife_variance
from mtworkbench.inference.score_table import Places, ScoreTable


@dataclass(frozen=True)
class Step:
    """What the trials of a family say of one of its comparisons.

    Parameters
    ----------
    n_reached : int
        See `StepDown.n_reached`.
    low, high : float or None
        See `simultaneous_ends`.
    """

    n_reached: int
    low: float | None
    high: float | None


class StepDown:
    """The trials of a family, counted batch by batch.

    A comparison's t is its difference, divided by the root mean square of its differences in the trials, so that no
    pair has the largest ``|t|`` of a trial only because its differences vary more. Exchanging outputs does not change
    this scale. It would change the jackknife's standard error: where that is by chance too small, t is large in the
    data, but not in the trials, and among many comparisons of few units there always is such a one
    (benchmarks/families.py counts it).

    Parameters
    ----------
    pairs : iterable of (int, int)
        The comparisons of the family.
    """

    def __init__(self, pairs: Iterable[Places]) -> None:
        self.pairs = list(pairs)
        self._ordered: list[Places] = []
        self._counts = np.zeros(0, dtype=np.int64)
        self._largest: list[np.ndarray] = []

    def begin(self, observed: Mapping[Places, np.ndarray], spreads: Mapping[Places, float]) -> None:
        """Rank the comparisons.

        Parameters
        ----------
        observed : mapping of (int, int) to (2,) ndarray
            Both scores of each pair with nothing exchanged. A pair that is not among them is one of copies.
        spreads : mapping of (int, int) to float
            The root mean square of each pair's differences in trials.
        """
        drawn = [pair for pair in self.pairs if pair in observed]
        factors = {pair: 1 / spreads[pair] if spreads[pair] > 0 else 0.0 for pair in drawn}
        # Less what sums of floats may differ by: what is nothing but rounding then ranks last.
        reached = {
            pair: factors[pair] * (abs(np.subtract(*observed[pair])) - TIE * np.abs(observed[pair]).max())
            for pair in drawn
        }
        # The smallest first, so that the largest of what ranks below is a running maximum.
        self._ordered = sorted(drawn, key=reached.__getitem__)
        self._factors = np.array([factors[pair] for pair in self._ordered])[:, None]
        self._reached = np.array([reached[pair] for pair in self._ordered])[:, None]
        self._counts = np.zeros(len(drawn), dtype=np.int64)

    def count(self, differences: Mapping[Places, np.ndarray]) -> None:
        """Count a batch of trials: the differences of each pair, (n_batch,)."""
        if self._ordered:
            largest = np.abs([differences[pair] for pair in self._ordered])
            largest *= self._factors
            np.maximum.accumulate(largest, axis=0, out=largest)
            self._counts += np.count_nonzero(largest >= self._reached, axis=1)
            self._largest.append(largest[-1].copy())

    def tally(self) -> tuple[np.ndarray, np.ndarray]:
        """Return what was counted so far, for `add`: the number of each pair, and the largest ``|t|`` of each trial."""
        counts = dict(zip(self._ordered, self._counts.tolist(), strict=True))
        largest = np.concatenate(self._largest) if self._largest else np.zeros(0)
        return np.array([counts.get(pair, 0) for pair in self.pairs], dtype=np.int64), largest

    def add(self, counts: np.ndarray, largest: np.ndarray) -> None:
        """Add what was counted elsewhere, of other trials of the same pairs."""
        by_pair = dict(zip(self.pairs, counts.tolist(), strict=True))
        self._counts += np.array([by_pair[pair] for pair in self._ordered], dtype=np.int64)
        if self._ordered:
            self._largest.append(largest)

    def n_reached(self, n_trials: int) -> dict[Places, int]:
        """Return how many of the trials reach each comparison: the number from which its adjusted p is made.

        These are the trials whose largest ``|t|`` over this comparison and those ranked below reaches its own
        ``|t|``, or as many as reach a comparison ranked above, if that is more. All of them reach a pair of copies.
        """
        counts = np.maximum.accumulate(self._counts[::-1])[::-1].tolist()
        return dict.fromkeys(self.pairs, n_trials) | dict(zip(self._ordered, counts, strict=True))

    def critical(self, n_trials: int, level: float) -> float | None:
        """Return what ``|t|`` must exceed in a single step; None where there are too few trials."""
        rank = math.ceil(round(level * (n_trials + 1), 9))
        if not self._largest or rank > n_trials:
            return None
        return float(np.partition(np.concatenate(self._largest), rank - 1)[rank - 1])


def take_steps(family: StepDown, table: ScoreTable, n_trials: int, level: float) -> dict[Places, Step]:
    """Return what the trials of a family say of each of its comparisons."""
    critical, influence, n_effective = family.critical(n_trials, level), table.influence, table.units.effective_count
    return {
        (a, b): Step(
            count,
            *simultaneous_ends(table.means[a] - table.means[b], influence[a] - influence[b], n_effective, critical),
        )
        for (a, b), count in family.n_reached(n_trials).items()
    }


def simultaneous_ends(
    difference: float, influence: np.ndarray, n_effective: float, critical: float | None
) -> tuple[float | None, float | None]:
    """Return an interval such that the intervals of the whole family cover all true differences at their level.

    It has the differences that the family's test, in a single step, would not reject: those within q standard errors.
    As the t of trials is divided by a root mean square about 0, not by a standard error, q is
    ``c / sqrt((n - c**2) / (n - 1))``, c the critical value. For means of equal units the interval then excludes 0
    where ``|t|`` exceeds c, and nowhere else.

    Parameters
    ----------
    difference : float
    influence : (n_units,) ndarray
        Of one system minus the other's.
    n_effective : float
        Units of equal size that carry as much information.
    critical : float or None

    Returns
    -------
    low, high : float or None
        None where there are too few units or trials to exclude any difference.
    """
    return simultaneous_ends_of_mean([difference], [jackknife_variance(influence)], [n_effective], critical)


def simultaneous_ends_of_mean(
    differences: Sequence[float],
    variances: Sequence[float | None],
    n_effective: Sequence[float],
    critical: float | None,
) -> tuple[float | None, float | None]:
    """Return the same interval of the mean of a difference over test sets.

    With S sets, d_s and v_s the difference and the variance of a set of n_s units, the root mean square of a trial's
    mean difference is that of ``sum(v_s (n_s - 1) / n_s + d_s**2 / n_s) / S**2``. A mean that is less by D is rejected
    if all differences were less by D, and ``|t|`` exceeded c: the ends are where it is c.

    Parameters
    ----------
    differences, variances, n_effective : (n_sets,) sequence of float
    critical : float or None
    """
    known = [variance for variance in variances if variance is not None]
    n_sets, n_all = len(differences), len(differences) * harmonic_mean(n_effective)
    if len(known) < n_sets or critical is None or critical**2 >= n_all:
        return None, None
    mean = sum(differences) / n_sets
    shares = [n_all / (n_sets**2 * n_units) for n_units in n_effective]
    apart = [difference - mean for difference in differences]
    spread = sum(
        (variance * (n_units - 1) + distance**2) * share
        for variance, n_units, distance, share in zip(known, n_effective, apart, shares, strict=True)
    )
    shift = critical * sum(map(mul, apart, shares)) / (n_all - critical**2)
    half = critical * math.sqrt(shift**2 + spread / (n_all - critical**2))
    return mean - critical * shift - half, mean - critical * shift + half
