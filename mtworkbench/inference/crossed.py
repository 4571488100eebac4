"""The crossed analysis tells whether a method is better, or only these outputs of it.

An exchange of outputs asks whether other sentences would show the difference; a test on the runs' scores asks whether
other runs would. A method is better where both would, so here sentences and runs are samples at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mtworkbench.inference.families import check_comparable
from mtworkbench.inference.intervals import NO_VARIATION, jackknife_variance, judge_by_t
from mtworkbench.inference.results import Estimate, minus
from mtworkbench.inference.score_table import Places, ScoreTable, pair_table
from mtworkbench.inference.settings import check_level, write_signature
from mtworkbench.statistics.segment_statistics import SystemStatistics


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
        V_residual of either: what is in both, the part that units and runs have only together.
    """

    n_units: int
    runs_a: int
    runs_b: int
    unit: float
    run_a: float
    run_b: float
    residual_a: float
    residual_b: float

    @property
    def of_units(self) -> float:
        """The part that only more units would make smaller: V_unit - V_residual, or 0."""
        return max(self.unit - self.of_both, 0.0)

    @property
    def of_runs(self) -> float:
        """The part that only more runs would make smaller: V_run - V_residual of both systems, none below 0."""
        return max(self.run_a - self.residual_a, 0.0) + max(self.run_b - self.residual_b, 0.0)

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
        if total == 0:
            return 0.0
        units, a, b = self.n_units - 1, self.runs_a - 1, self.runs_b - 1
        squares = [(self.unit, units), (self.run_a, a), (self.run_b, b)]
        squares += [(self.residual_a, units * a), (self.residual_b, units * b)]
        return 1 / sum((square / total) ** 2 / df for square, df in squares)

    def expect(self, n_units: int, runs_a: int, runs_b: int) -> CrossedVariance:
        """Return what is to be expected with other numbers of units and of runs."""
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
        )

    def turned(self) -> CrossedVariance:
        """Return the components with a and b exchanged."""
        return replace(
            self,
            runs_a=self.runs_b,
            runs_b=self.runs_a,
            run_a=self.run_b,
            run_b=self.run_a,
            residual_a=self.residual_b,
            residual_b=self.residual_a,
        )


@dataclass(frozen=True, repr=False, eq=False)
class CrossedAnalysis(Estimate):
    """Whether one method is better than another, units and runs being samples both.

    Parameters
    ----------
    a, b, metric : str
    difference : float
        Mean score of a's runs - mean score of b's.
    method_p_value : float or None
        Two-sided; None where a system has one run, or there is one unit.
    method_low, method_high : float or None
        Interval of the difference between the methods.
    method_df : float or None
        Satterthwaite's degrees of freedom.
    standard_error : float or None
        Of the difference.
    unit_variance, run_variance, residual_variance : float or None
        The parts of its square: what only more units would make smaller, what only more runs would, what either would.
    runs_a, runs_b, n_units : int
    unit : {"segment", "document"}
    level : float
    signature : str
    variance : CrossedVariance or None
        For `project_errors`.
    """

    a: str
    b: str
    metric: str
    difference: float
    method_p_value: float | None
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
    unit: str
    level: float
    signature: str
    variance: CrossedVariance | None = field(repr=False)

    def turned(self) -> CrossedAnalysis:
        """Return the result with a and b exchanged."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=-self.difference,
            method_low=minus(self.method_high),
            method_high=minus(self.method_low),
            runs_a=self.runs_b,
            runs_b=self.runs_a,
            variance=None if self.variance is None else self.variance.turned(),
        )


def vary_runs(scores: np.ndarray, influence: np.ndarray) -> tuple[float, float] | None:
    """Return how much the mean of a system's runs varies with the runs.

    The influence of unit i on run r, times n, stands for an observation of it; the residual is the interaction of the
    two-way table of units and runs.

    Parameters
    ----------
    scores : (n_runs,) ndarray
    influence : (n_runs, n_units) ndarray

    Returns
    -------
    run : float
        Variance of the mean, estimated from the runs' scores.
    residual : float
        The part of it due to the interaction of runs and units, estimated from the influences.

    None is returned for one run or one unit.
    """
    n_runs, n_units = influence.shape
    if n_runs < 2 or n_units < 2:
        return None
    run = float(scores.var(ddof=1)) / n_runs
    squares = float(np.sum((influence - influence.mean(axis=0)) ** 2))
    return run, n_units / (n_units - 1) * squares / ((n_runs - 1) * n_runs)


def cross_variances(
    scores: tuple[np.ndarray, np.ndarray], influence: tuple[np.ndarray, np.ndarray], scale: float
) -> CrossedVariance | None:
    """Estimate the parts of the variance of a difference between two systems on the same units.

    Parameters
    ----------
    scores : two (n_runs,) ndarrays
    influence : two (n_runs, n_units) ndarrays
        Of each unit on each run.
    scale : float
        The larger absolute score, against which variation is told from rounding.

    Returns
    -------
    CrossedVariance or None
        None where a system has one run, or for one unit.
    """
    of_a, of_b = map(vary_runs, scores, influence)
    if of_a is None or of_b is None:
        return None
    (run_a, residual_a), (run_b, residual_b) = of_a, of_b
    mean_a, mean_b = (rows.mean(axis=0) for rows in influence)
    squares = [jackknife_variance(mean_a - mean_b), run_a, run_b, residual_a, residual_b]
    if sum(squares) <= (NO_VARIATION * scale) ** 2:
        squares = [0.0] * len(squares)
    return CrossedVariance(len(mean_a), len(scores[0]), len(scores[1]), *squares)


def cross(table: ScoreTable, pairs: Sequence[Places], level: float) -> list[CrossedAnalysis]:
    """Analyse pairs of systems of a table: see `crossed_analysis`."""
    influence = [table.units.sum_influence(by_run) for by_run in table.run_influence] if pairs else []
    found = []
    for places in pairs:
        a, b = (table.systems[place] for place in places)
        scores = tuple(table.scores[place] for place in places)
        mean_a, mean_b = (table.means[place] for place in places)
        difference, scale = mean_a - mean_b, max(abs(mean_a), abs(mean_b))
        variance = cross_variances(scores, tuple(influence[place] for place in places), scale)
        p_value = low = high = df = None
        if variance is not None:
            p_value, low, high, df = judge_by_t(difference, math.sqrt(variance.total), variance.df, level, scale)
        unit = table.units.name
        found.append(
            CrossedAnalysis(
                a=a.system,
                b=b.system,
                metric=table.metrics[places[0]],
                difference=difference,
                method_p_value=p_value,
                method_low=low,
                method_high=high,
                method_df=df,
                standard_error=None if variance is None else math.sqrt(variance.total),
                unit_variance=None if variance is None else variance.of_units,
                run_variance=None if variance is None else variance.of_runs,
                residual_variance=None if variance is None else variance.of_both,
                runs_a=table.n_runs[places[0]],
                runs_b=table.n_runs[places[1]],
                n_units=table.units.count,
                unit=unit,
                level=float(level),
                signature=write_signature(
                    "crossed", None, metric=table.signatures[places[0]], unit=unit, level=f"{level:g}"
                ),
                variance=variance,
            )
        )
    return found


def crossed_analysis(
    a: SystemStatistics, b: SystemStatistics, *, level: float = 0.95, unit: str = "auto"
) -> CrossedAnalysis:
    """Test whether a method is better than another, so that other sentences *and* other runs would show it.

    The model: the observation of unit i in run r of method m is ``mean_m + unit_i + (method x unit)_mi + run_mr +
    residual_mir``, units crossed with methods and runs, runs nested in methods. For a mean of unit scores that is the
    score itself; for any other metric it is the run's score plus n times the derivative of that score by the unit's
    weight (the infinitesimal jackknife's pseudo-value), so that BLEU needs no sentence scores.

    With n units and R runs the variance of the difference d of the methods' mean scores is ``M/n + sum over methods of
    (T/R + E/nR)`` (M of method x unit, twice; T of run; E of the residual); units' own difficulty is in both methods
    and leaves. Three mean squares of the two-way tables estimate it:

    - V_unit = n / (n - 1) * sum over units of (mean influence in a - in b)^2, which expects M/n + sum of E/nR;
    - V_run = sum over methods of the variance (n - 1) of its runs' scores / R, which expects sum of T/R + E/nR;
    - V_residual = sum over methods of n / (n - 1) * sum over units and runs of (influence - its mean over runs)^2 /
      (R (R - 1)), which expects sum of E/nR.

    So V = V_unit + V_run - V_residual. No part of it can be negative, so where a difference of mean squares is, it
    counts as 0; V is then too large, and the test is conservative with few runs. d / sqrt(V) is held against
    Student's t with Satterthwaite's degrees of freedom, V^2 / sum of (mean square^2 / its degrees of freedom), the two
    methods' runs having their own, as Welch's.

    Rejections at 5 % where the methods are equal were 2.7-5.0 % for 3 to 10 runs of each, and up to 7 % where all
    variation over runs is in one method. Two runs of each tell so little of how runs vary that it may be 11 %.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set; numbers of runs may differ. Segments without a score in either leave the
        comparison for both.
    level : float
        Of the interval.
    unit : {"auto", "segment", "document"}
        ``auto`` takes documents where they are known and there are at least 10 of them.

    Returns
    -------
    CrossedAnalysis
        Without p and interval where a system has one run, or there is one unit.

    Raises
    ------
    InputError
        Where the systems cannot be compared, or an argument is not what it should be.
    """
    check_comparable(a, b)
    check_level(level)
    [found] = cross(pair_table(a, b, unit), [(0, 1)], level)
    return found
