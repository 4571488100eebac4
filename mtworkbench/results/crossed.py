"""What two sets of runs say of the difference of two methods, and the parts of its variance."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from mtworkbench.results.estimates import PairDifference, turn
from mtworkbench.results.verdicts import Ends

#: Two runs against more than so many: their few degrees of freedom mislead Satterthwaite's approximation too often.
MOST_AGAINST_TWO = 5


@dataclass(frozen=True)
class CrossedVariance:
    """The variance of a difference between two methods, from n units and several runs of each.

    Parameters
    ----------
    n_units, runs_a, runs_b : int
    unit : float
        V_unit: how much the difference varies with the units, runs as they are.
    run_a, run_b : float
        V_run of either system: how much its mean varies with the runs, units as they are.
    residual_a, residual_b : float
        V_residual of either: what is in both, the part that units and runs have only together. (Or arrays of one shape
        in place of the five numbers, for many variances at once.)
    n_effective : float, optional
        Units of equal size that would carry as much information: see `Units.effective_count`; by default `n_units`.
    pooled_df : int, optional
        Degrees of freedom of the variance of runs where it was pooled over systems.
    """

    n_units: int
    runs_a: int
    runs_b: int
    unit: float
    run_a: float
    run_b: float
    residual_a: float
    residual_b: float
    n_effective: float | None = None
    pooled_df: int | None = None

    @property
    def unit_df(self) -> float:
        """Degrees of freedom of V_unit."""
        return (self.n_units if self.n_effective is None else self.n_effective) - 1

    @property
    def has_test(self) -> bool:
        """Whether a t-test on it keeps its level: with two effective units, and not on two runs against many.

        A variance of runs that is pooled over systems does not rest on these two runs alone.
        """
        fewest, most = sorted((self.runs_a, self.runs_b))
        return self.unit_df >= 1 and (self.pooled_df is not None or fewest > 2 or most <= MOST_AGAINST_TWO)

    @property
    def of_units(self) -> float:
        """The part that only more units would make smaller: V_unit - V_residual, or 0."""
        return np.maximum(self.unit - self.of_both, 0.0)

    @property
    def of_runs(self) -> float:
        """The part that only more runs would make smaller: V_run - V_residual of both systems, neither below 0."""
        return np.maximum(self.run_a - self.residual_a, 0.0) + np.maximum(self.run_b - self.residual_b, 0.0)

    @property
    def of_both(self) -> float:
        """The part that either would make smaller: V_residual."""
        return self.residual_a + self.residual_b

    @property
    def total(self) -> float:
        """V = V_unit + V_run - V_residual, of which no part is below 0."""
        return self.of_units + self.of_runs + self.of_both

    @property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom of the total; 0 where nothing varies."""
        total = self.total
        if np.all(total == 0):
            return 0.0
        units, a, b = self.unit_df, self.runs_a - 1, self.runs_b - 1
        squares = [(self.unit, units), (self.residual_a, units * a), (self.residual_b, units * b)]
        if self.pooled_df is None:
            squares += [(self.run_a, a), (self.run_b, b)]
        else:
            squares += [(self.run_a + self.run_b, self.pooled_df)]
        return 1 / sum((square / total) ** 2 / df for square, df in squares)

    def expect(self, n_units: int, runs_a: int, runs_b: int) -> CrossedVariance:
        """Return what is to be expected with other numbers of units and of runs, their variance not pooled."""
        longer = n_units / self.n_units
        more_a, more_b = runs_a / self.runs_a, runs_b / self.runs_b
        residual_a, residual_b = self.residual_a / (longer * more_a), self.residual_b / (longer * more_b)
        return CrossedVariance(
            n_units=n_units,
            runs_a=runs_a,
            runs_b=runs_b,
            unit=self.of_units / longer + residual_a + residual_b,
            run_a=max(self.run_a - self.residual_a, 0.0) / more_a + residual_a,
            run_b=max(self.run_b - self.residual_b, 0.0) / more_b + residual_b,
            residual_a=residual_a,
            residual_b=residual_b,
            n_effective=None if self.n_effective is None else self.n_effective * longer,
        )

    def turned(self) -> CrossedVariance:
        """Return the components with a and b exchanged."""
        return turn(self, swapped=(("runs_a", "runs_b"), ("run_a", "run_b"), ("residual_a", "residual_b")))


@dataclass(frozen=True, repr=False, eq=False)
class CrossedAnalysis(PairDifference):
    """Whether one method is better than another, units and runs being samples both.

    Parameters
    ----------
    a, b, metric : str
    difference : float
        Mean score of a's runs - mean score of b's.
    method_p_value : float or None
        Two-sided: with separate runs `method_p_separate`; with pooled runs the largest of `method_p_pooled` and of the
        two p that let the runs of a, or of b, vary with twice the standard deviation of all others. None where a system
        has one run, there are fewer than two effective units, or (with separate runs) two runs meet more than five.
    method_p_separate, method_p_pooled : float or None
        With each system's own variance of runs; with one variance for the runs of all systems, which are taken to vary
        alike.
    method_low, method_high : float or None
        Interval of the difference between the methods; with pooled runs, the widest of the three.
    method_df : float or None
        Satterthwaite's degrees of freedom.
    standard_error : float or None
        Of the difference.
    unit_variance, run_variance, residual_variance : float or None
        The parts of its square: what only more units would make smaller, what only more runs would, what either would.
    runs_a, runs_b, n_units : int
    n_effective_units : float
        Units of equal size that would carry as much information: 1 / sum of the squared shares of segments.
    unit : str
    runs : {"separate", "pooled"}
        Which variance of runs `method_p_value`, the interval and the parts rest on: those of the widest interval.
    level : float
    signature : str
    variance : CrossedVariance or None
        For `project_errors`.
    errors : tuple of (float, float)
        Each standard error that p and the interval allow for, with its degrees of freedom; several where runs
        are pooled.
    """

    method_p_value: float | None
    method_p_separate: float | None
    method_p_pooled: float | None
    method_low: float | None
    method_high: float | None
    method_df: float | None
    standard_error: float | None
    unit_variance: float | None
    run_variance: float | None
    residual_variance: float | None
    runs_a: int
    runs_b: int
    n_units: int
    n_effective_units: float
    unit: str
    runs: str
    level: float
    signature: str
    variance: CrossedVariance | None = field(repr=False)
    errors: tuple[tuple[float, float], ...] = field(default=(), repr=False)

    def within(self, limit: float) -> CrossedAnalysis:
        """Return the result with an interval that ends where differences can end: see `Ends.within`."""
        low, high, _ = Ends(self.method_low, self.method_high).within(limit)
        return replace(self, method_low=low, method_high=high)

    def turned(self) -> CrossedAnalysis:
        """Return the result with a and b exchanged."""
        return turn(
            self,
            swapped=(("a", "b"), ("runs_a", "runs_b")),
            negated=("difference",),
            ends=(("method_low", "method_high"),),
            parts=("variance",),
        )
