"""The crossed analysis tells whether a method is better, or only these outputs of it.

An exchange of outputs asks whether other sentences would show the difference; a test on the runs' scores asks whether
other runs would. A method is better where both would, so here sentences and runs are samples at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from mtworkbench.choices import CHOICES
from mtworkbench.errors import DataWarning
from mtworkbench.inference.families import EstimatedPart, check_comparable, name_pair, settle_unit
from mtworkbench.inference.intervals import NO_VARIATION, error_of, jackknife_variance, judge_by_t, satterthwaite_df
from mtworkbench.inference.score_table import Places, ScoreTable, pair_table
from mtworkbench.results.crossed import CrossedAnalysis, CrossedVariance
from mtworkbench.results.settings import check_choice, check_level, write_signature
from mtworkbench.statistics.segment_statistics import SystemStatistics

#: Where runs are pooled, those of either system may have so many times the standard deviation of all others'.
ALLOWED = 2


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
    scores: tuple[np.ndarray, np.ndarray],
    influence: tuple[np.ndarray, np.ndarray],
    scale: float,
    n_effective: float | None = None,
) -> CrossedVariance | None:
    """Estimate the parts of the variance of a difference between two systems on the same units.

    Parameters
    ----------
    scores : two (n_runs,) ndarrays
    influence : two (n_runs, n_units) ndarrays
        Of each unit on each run.
    scale : float
        The larger absolute score, against which variation is told from rounding.
    n_effective : float, optional
        See `CrossedVariance`.

    Returns
    -------
    CrossedVariance or None
        None where a system has one run, there is one unit, or only one unit of a run has a score.
    """
    of_a, of_b = map(vary_runs, scores, influence)
    if of_a is None or of_b is None:
        return None
    (run_a, residual_a), (run_b, residual_b) = of_a, of_b
    mean_a, mean_b = (rows.mean(axis=0) for rows in influence)
    unit = jackknife_variance(mean_a - mean_b)
    if unit is None or not math.isfinite(unit + run_a + run_b + residual_a + residual_b):
        return None
    if unit + run_a + run_b + residual_a + residual_b <= (NO_VARIATION * scale) ** 2:
        unit = run_a = run_b = residual_a = residual_b = 0.0
    n_runs = len(scores[0]), len(scores[1])
    return CrossedVariance(len(mean_a), *n_runs, unit, run_a, run_b, residual_a, residual_b, n_effective)


def average_variances(
    variances: Sequence[CrossedVariance | None], scores: tuple[np.ndarray, np.ndarray]
) -> CrossedVariance | None:
    """Estimate the parts of the variance of the mean of a difference over test sets.

    Run k of a system is the same trained system on every set, so its runs vary as their mean scores over the sets do.
    The segments of different sets are independent: of S sets, the variance of the mean is the sum of theirs / S^2.

    Parameters
    ----------
    variances : sequence of CrossedVariance or None
        One per test set, with the same numbers of runs; None where a set has none.
    scores : two (n_runs,) ndarrays
        Of each run, the mean over sets.

    Returns
    -------
    CrossedVariance or None
        `CrossedVariance.unit_df` is Satterthwaite's, of the sum over sets. None where a set has no variance.
    """
    known = [one for one in variances if one is not None]
    if len(known) < len(variances):
        return None

    def average(values: Iterable[float]) -> float:
        return sum(values) / len(known) ** 2

    of_sets, dfs = [one.unit for one in known], [one.unit_df for one in known]
    unit_df = satterthwaite_df(of_sets, dfs) if sum(of_sets) > 0 and sum(dfs) > 0 else sum(dfs)
    return CrossedVariance(
        n_units=sum(one.n_units for one in known),
        runs_a=known[0].runs_a,
        runs_b=known[0].runs_b,
        unit=average(of_sets),
        run_a=float(scores[0].var(ddof=1)) / known[0].runs_a,
        run_b=float(scores[1].var(ddof=1)) / known[0].runs_b,
        residual_a=average(one.residual_a for one in known),
        residual_b=average(one.residual_b for one in known),
        n_effective=unit_df + 1,
    )


def pool_runs(systems: Iterable[tuple[SystemStatistics, np.ndarray]]) -> dict[tuple[str, str], tuple[float, int]]:
    """Pool the variance of runs over the systems of each metric.

    Parameters
    ----------
    systems : iterable of (SystemStatistics, (n_runs,) ndarray)
        Each with the scores of its runs; numbers of runs may differ.

    Returns
    -------
    dict of (str, str) to (float, int)
        By name and signature of the metric: the variance of one run, with n - 1, and its degrees of freedom. A metric
        of which no system has two runs is left out.
    """
    squares: dict[tuple[str, str], float] = {}
    df: dict[tuple[str, str], int] = {}
    for system, scores in systems:
        metric = (system.metric.name, system.signature)
        squares[metric] = squares.get(metric, 0.0) + float(np.sum((scores - scores.mean()) ** 2))
        df[metric] = df.get(metric, 0) + len(scores) - 1
    return {metric: (squares[metric] / df[metric], df[metric]) for metric in df if df[metric]}


def pool_over_parts(parts: Sequence[EstimatedPart], systems: Sequence[SystemStatistics]) -> list[EstimatedPart]:
    """Let each part know the variance of runs pooled over all systems, each scored on the segments of the part.

    The variance of a run's score depends on the number of segments, so it is estimated on those that a pair rests on.
    """
    if len(parts) == 1:
        return list(parts)
    found = []
    for part in parts:
        pooled = pool_runs((systems[number], scores) for number, scores in score_runs(part, systems).items())
        found.append(replace(part, table=replace(part.table, pooled_runs=pooled)))
    return found


def score_runs(part: EstimatedPart, systems: Sequence[SystemStatistics]) -> dict[int, np.ndarray]:
    """Score the runs of all systems that have several, by their numbers, on the segments of a part.

    All runs of a system are scored on the same of them. A system that lacks more than half of them is left out.
    """
    several = {number: one for number, one in enumerate(systems) if part.pairs and one.n_runs > 1}
    if len(part.table.systems) == len(systems):
        return {number: part.table.scores[part.place_of(number)] for number in several}
    own = {number: part.segments & ~one.missing for number, one in several.items()}
    return {
        number: ScoreTable.of([systems[number]], segments=there).scores[0]
        for number, there in own.items()
        if 2 * np.count_nonzero(there) >= np.count_nonzero(part.segments)
    }


def with_pooled_runs(
    variance: CrossedVariance, pooled: tuple[float, int], times_a: float = 1, times_b: float = 1
) -> CrossedVariance:
    """Return the parts of a variance with the variance of runs pooled over systems: see `pool_runs`.

    With ``times_a``, the runs of a are taken to have that many times the standard deviation of the others': a's sum of
    squares is divided by times_a^2 before it is pooled, and the pooled variance multiplied by it for a. So for b.
    """
    of_a_run, df = pooled
    for times, run, n_runs in ((times_a, variance.run_a, variance.runs_a), (times_b, variance.run_b, variance.runs_b)):
        of_a_run -= (1 - times**-2) * run * n_runs * (n_runs - 1) / df
    run_a, run_b = times_a**2 * of_a_run / variance.runs_a, times_b**2 * of_a_run / variance.runs_b
    return replace(variance, run_a=run_a, run_b=run_b, pooled_df=df)


def cross(table: ScoreTable, pairs: Sequence[Places], level: float, runs: str = "separate") -> list[CrossedAnalysis]:
    """Analyse pairs of systems of a table: see `crossed_analysis`.

    The variance of runs is pooled over all systems of the comparison that have the pair's metric: those that the table
    knows of (`ScoreTable.pooled_runs`), or else its own.
    """
    influence = table.run_influence if pairs else []
    pooled = table.pooled_runs
    if pooled is None:
        pooled = pool_runs(zip(table.systems, table.scores, strict=True))
    found = []
    for a, b in pairs:
        system, scale = table.systems[a], table.scale((a, b))
        own = cross_variances(
            (table.scores[a], table.scores[b]), (influence[a], influence[b]), scale, table.units.effective_count
        )
        found.append(
            judge_methods(
                own,
                pooled.get((system.metric.name, system.signature)),
                table.difference((a, b)),
                scale,
                level,
                runs,
                systems=(system, table.systems[b]),
                n_units=table.units.count,
                n_effective_units=table.units.effective_count,
                unit=table.units.name,
                strata=table.units.strata,
                signature=system.signature,
            )
        )
    return found


def judge_methods(
    own: CrossedVariance | None,
    pooled: tuple[float, int] | None,
    difference: float,
    scale: float,
    level: float,
    runs: str,
    *,
    systems: tuple[SystemStatistics, SystemStatistics],
    n_units: int,
    n_effective_units: float,
    unit: str,
    strata: str | None,
    signature: str,
) -> CrossedAnalysis:
    """Hold a difference against its variance.

    Parameters
    ----------
    own : CrossedVariance or None
        With each system's own runs.
    pooled : (float, int), or None
        The variance of one run, and its degrees of freedom: see `pool_runs`.
    difference, scale : float
        See `judge_by_t`.
    level : float
    runs : {"separate", "pooled"}
    systems : tuple of SystemStatistics
        a and b; over several sets, on the first.
    n_units, n_effective_units, unit, strata
        See `CrossedAnalysis`.
    signature : str
        Of the metric.
    """
    pools = [own]
    if own is not None and pooled is not None and own.total > 0:
        pools = [with_pooled_runs(own, pooled, *times) for times in ((1, 1), (ALLOWED, 1), (1, ALLOWED))]
    judged = [
        (None, None, None, None)
        if one is None or not one.has_test
        else judge_by_t(difference, math.sqrt(one.total), one.df, level, scale)
        for one in (own, *pools)
    ]
    taken = judged[1:] if runs == "pooled" else judged[:1]
    errors = [error_of(low, high, df, level) for _, low, high, df in taken if low is not None and high is not None]
    widths = [0.0 if low is None or high is None else high - low for _, low, high, _ in taken]
    widest = widths.index(max(widths))
    variance = pools[widest] if runs == "pooled" else own
    _, low, high, df = taken[widest]
    further = {"strata": strata, "runs": "pooled" if runs == "pooled" else None}
    options = {"unit": unit} | {name: value for name, value in further.items() if value is not None}
    return CrossedAnalysis(
        **name_pair(*systems),
        difference=difference,
        method_p_value=max((p_value for p_value, *_ in taken if p_value is not None), default=None),
        method_p_separate=judged[0][0],
        method_p_pooled=judged[1][0],
        method_low=low,
        method_high=high,
        method_df=None if df is None else float(df),
        standard_error=None if variance is None else math.sqrt(variance.total),
        unit_variance=None if variance is None else float(variance.of_units),
        run_variance=None if variance is None else float(variance.of_runs),
        residual_variance=None if variance is None else float(variance.of_both),
        runs_a=systems[0].n_runs,
        runs_b=systems[1].n_runs,
        n_units=n_units,
        n_effective_units=n_effective_units,
        unit=unit,
        runs=runs,
        level=float(level),
        signature=write_signature("crossed", None, metric=signature, **options, level=f"{level:g}"),
        variance=variance,
        errors=tuple(errors),
    )


def crossed_analysis(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    level: float = 0.95,
    unit: str = "auto",
    strata: str | None = None,
    block_length: int | None = None,
    runs: str = "separate",
) -> CrossedAnalysis:
    """Test whether a method is better than another, so that other sentences *and* other runs would show it.

    The model: the observation of unit i in run r of method m is ``mean_m + unit_i + (method x unit)_mi + run_mr +
    residual_mir``, units crossed with methods and runs, runs nested in methods. For a mean of unit scores that is the
    score itself; for any other metric it is the delete-one jackknife's pseudo-value, the run's score plus n times the
    unit's influence on it (`ScoreTable.run_influence`), so that BLEU needs no sentence scores.

    With n units and R runs the variance of the difference d of the methods' mean scores is ``M/n + sum over methods of
    (T/R + E/nR)`` (M of method x unit, twice; T of run; E of the residual); units' own difficulty is in both methods
    and cancels. Three mean squares of the two-way tables estimate it:

    - V_unit = n / (n - 1) * sum over units of (mean influence in a - in b)^2, which expects M/n + sum of E/nR;
    - V_run = sum over methods of the variance (n - 1) of its runs' scores / R, which expects sum of T/R + E/nR;
    - V_residual = sum over methods of n / (n - 1) * sum over units and runs of (influence - its mean over runs)^2 /
      (R (R - 1)), which expects sum of E/nR.

    So V = V_unit + V_run - V_residual. No part of it can be negative, so where a difference of mean squares is, it
    counts as 0; V is then too large. d / sqrt(V) is compared with Student's t with Satterthwaite's degrees of freedom,
    V^2 / sum of (mean square^2 / its degrees of freedom), each method's runs having their own, as in Welch's test.
    Units of unequal size give fewer degrees of freedom: V_unit has 1 / sum of w^2 - 1 of them, w being the units'
    shares of the segments (`Units.effective_count`), V_residual that times R - 1. Below 1, no p is given.

    Known limits, with the rates that were measured: docs/validity.md. With few runs of each the test is conservative
    where sentences vary more than runs. With unequal numbers of runs, where runs vary most and the smaller number is
    small (3 against 10), it rejects equal methods too often; with 2 against more than 5, so often that no p is given
    unless runs are pooled.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set; numbers of runs may differ. Segments without a score in either leave the
        comparison for both.
    level : float
        Of the interval.
    unit, strata, block_length
        As of `bootstrap_interval`.
    runs : {"separate", "pooled"}
        ``pooled`` estimates one variance of runs from both systems (in `compare`: from all systems), which finds more
        with two runs of each of several systems; with more runs, separate ones find more. The runs of either system may
        have twice the standard deviation of all others': for each of the two systems s, s_p^2 = (SS_s / 4 + SS of the
        others) / df, with sums of squares SS within systems, and V_run = 4 s_p^2 / R_s + s_p^2 / R of the other. The
        largest p of these two and of plain pooling (`CrossedAnalysis.method_p_pooled`, for runs that vary alike)
        counts, with the widest interval. If one system's runs vary even more, equal methods are rejected too often.

    Returns
    -------
    CrossedAnalysis
        Without p and interval where a system has one run, there are fewer than two effective units, or two runs meet
        more than five that are not pooled.

    Raises
    ------
    InputError
        Where the systems cannot be compared, or an argument is not what it should be.

    Warns
    -----
    DataWarning
        ``no-runs`` where there are no runs to pool; ``few-documents``.
    """
    check_comparable(a, b)
    check_level(level)
    check_choice("runs", runs, CHOICES["runs"])
    unit = settle_unit([a, b], [(0, 1)], unit, strata=strata, block_length=block_length)
    table = pair_table(a, b, unit, strata)
    if runs == "pooled":
        warn_of_single_runs([a.n_runs, b.n_runs])
    [found] = cross(table, [(0, 1)], level, runs)
    return found


def warn_of_single_runs(n_runs: Iterable[int]) -> None:
    """Warn where runs are to be pooled, and no system has several."""
    if max(n_runs, default=2) < 2:
        message = "No system has several training runs to pool, so runs='pooled' (--runs pooled) changes nothing."
        DataWarning("no-runs", message).warn()
