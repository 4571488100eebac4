"""What the differences on several test sets say about new test sets, and about new training runs on new test sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from mtworkbench.inference.crossed import cross_variances
from mtworkbench.inference.intervals import NO_VARIATION, above_zero, judge_by_t
from mtworkbench.results.campaigns import Claim, NewSets
from mtworkbench.results.crossed import CrossedVariance
from mtworkbench.results.verdicts import Ends

AnyClaim = TypeVar("AnyClaim", bound=Claim)

#: With fewer sets, the spread has no interval, and no set is left out.
LEAST_SETS = 3


def expect_new_sets(differences: np.ndarray, variances: Sequence[float | None], level: float, scale: float) -> NewSets:
    """Say what several test sets show about new ones.

    The model has random effects: set s has a true difference of its own, and its observed difference d_s varies about
    it with the choice of segments, with the variance v_s. Each set counts the same. With S sets, the mean d of their
    differences, and the standard deviation s of these:

    - the mean over all sets like these: Student's t with S - 1 degrees of freedom, d +- t e, and e^2 the larger of
      s^2 / S and sum of v_s / S^2. With equal weights, s / sqrt(S) is the error of Hartung & Knapp (2001), which needs
      no estimate of the spread between sets. The other is the error on these sets alone (the modification of
      Knapp & Hartung, 2003). Without it, sets that happen to agree better than their segments allow would give a
      shorter interval for new sets than for these. The test assumes that the differences of sets are about normally
      distributed: where a few sets lie far from the others on one side, it rejects too often. docs/validity.md has the
      rates that were measured.
    - the difference that is observed on one new set of similar size: d +- t e sqrt(S + 1). Its variance is the larger
      of s^2 and the mean of v_s, times 1 + 1/S.
    - the spread between sets and its CI: see `estimate_spread` and `bound_spread`. Where a set has an error of 0,
      which can have no weight, there is no CI, and the spread is estimated by the method of moments: s^2 minus
      the mean of the sets' own variances, or 0.
    - do the sets differ more than their segments explain? Cochran's (1954) Q = sum of w_s (d_s - d_w)^2, with
      w_s = 1 / v_s and d_w the mean weighted by these, is compared with chi-squared with S - 1 degrees of freedom.
    - p for new sets when each set is left out in turn, by the same test.

    Parameters
    ----------
    differences : (n_sets,) ndarray
    variances : sequence of float or None
        Squared standard error of each; None where it is not known: e is then s / sqrt(S).
    level : float
    scale : float
        The larger absolute score: variation that is tiny compared with it is rounding.

    Returns
    -------
    NewSets
        Not yet combined with what is shown on these sets: see `rest_on`.
    """
    from mtworkbench.distributions import chdtrc

    n_sets, mean = len(differences), float(differences.mean())
    error = error_of_mean(differences, variances)
    p_value, low, high, df = judge_by_t(mean, error, n_sets - 1, level, scale)
    one = expect_one(Ends(low, high), n_sets)
    known = [variance for variance in variances if variance is not None]
    between, spread_p_value = None, None
    spread_low, spread_high = None, None
    if len(known) == n_sets:
        between = math.sqrt(max(0.0, float(differences.var(ddof=1)) - float(np.mean(known))))
        if min(known) > (NO_VARIATION * scale) ** 2:
            of_sets = np.array(known)
            spread_p_value = above_zero(float(chdtrc(n_sets - 1, spread_over(differences, of_sets))))
            between = estimate_spread(differences, of_sets)
            spread_low, spread_high = bound_spread(differences, of_sets, level)
    return NewSets(
        p_value=p_value,
        t_p_value=p_value,
        low=low,
        high=high,
        df=df,
        errors=() if low is None else ((error, n_sets - 1.0),),
        one_low=one.low,
        one_high=one.high,
        spread=between,
        spread_p_value=spread_p_value,
        spread_low=spread_low,
        spread_high=spread_high,
        without=leave_out(differences, variances, scale),
    )


def expect_one(mean: Ends, n_sets: int) -> Ends:
    """Return the interval in which the difference on one new set is expected, given that of the mean by Student's t.

    It is sqrt(S + 1) times as long: see `expect_new_sets`.
    """
    if mean.low is None or mean.high is None:
        return Ends(None, None)
    middle, half = (mean.low + mean.high) / 2, (mean.high - mean.low) / 2 * math.sqrt(n_sets + 1)
    return Ends(middle - half, middle + half)


def error_of_mean(differences: np.ndarray, variances: Sequence[float | None]) -> float:
    """Return the standard error of the mean over all sets like these: see `expect_new_sets`."""
    return math.sqrt(max(float(differences.var(ddof=1)) / len(differences), floor_of(variances)))


def floor_of(variances: Sequence[float | None]) -> float:
    """Return the variance of the mean on these sets alone; 0 where it is not known."""
    known = [variance for variance in variances if variance is not None]
    return sum(known) / len(known) ** 2 if len(known) == len(variances) else 0.0


def leave_out(differences: np.ndarray, variances: Sequence[float | None], scale: float) -> tuple[float | None, ...]:
    """Return p for new test sets when each set is left out in turn; None where fewer than two sets are left."""
    n_sets = len(differences)
    if n_sets < LEAST_SETS:
        return (None,) * n_sets
    found = []
    for place in range(n_sets):
        others, own = np.delete(differences, place), [*variances[:place], *variances[place + 1 :]]
        found.append(judge_by_t(float(others.mean()), error_of_mean(others, own), n_sets - 2, 0.95, scale)[0])
    return tuple(found)


def spread_over(differences: np.ndarray, variances: np.ndarray, between: float = 0.0) -> float:
    """Return the generalized Q, sum of w_s (d_s - d_w)^2 with w_s = 1 / (v_s + between); with 0, it is Cochran's."""
    weights = 1 / (variances + between)
    return float(np.sum(weights * (differences - np.average(differences, weights=weights)) ** 2))


def estimate_spread(differences: np.ndarray, variances: np.ndarray) -> float:
    """Estimate the spread between sets: the one with which the generalized Q is S - 1 (Paule & Mandel, 1982).

    S - 1 is what Q is expected to be: see `bound_spread`. If Q is smaller even with a spread of 0, the estimate is 0.
    For levels of 30 % and more, S - 1 lies between the quantiles of `bound_spread`, so the estimate lies in its
    interval. With two sets, and where all sets have the same variance, it is the estimate by the method of moments.

    Parameters
    ----------
    differences : (n_sets,) ndarray
    variances : (n_sets,) ndarray
        Squared standard error of each, above 0.

    Returns
    -------
    float
        As a standard deviation.
    """
    return _find_spread(lambda between: spread_over(differences, variances, between), len(differences) - 1.0)


def bound_spread(
    differences: np.ndarray, variances: np.ndarray, level: float
) -> tuple[float, float] | tuple[None, None]:
    """Return the interval of the spread between sets: the Q profile (Viechtbauer, 2007), with a least upper end.

    If the true differences of the sets have the variance T, the generalized Q with w_s = 1 / (v_s + T) is distributed
    as chi-squared with S - 1 degrees of freedom. It falls as T rises. The interval contains every T for which Q lies
    between the quantiles of (1 - level) / 2 and (1 + level) / 2. An end is 0 where Q is below its quantile for every T.

    Sets that happen to agree better than their segments allow would have an upper end near 0, although segments leave
    open far larger spreads. Therefore the upper end is at least that of sets that do not differ, and whose Q is as it
    is then expected to be: see `expect_q`. The interval is only made longer, so it covers the true spread at least as
    often as the Q profile does.

    Parameters
    ----------
    differences : (n_sets,) ndarray
    variances : (n_sets,) ndarray
        Squared standard error of each, above 0.
    level : float

    Returns
    -------
    low, high : float or None
        As standard deviations. None with two sets, whose interval would include nearly everything.
    """
    from mtworkbench.distributions import chdtri

    if len(differences) < LEAST_SETS:
        return None, None
    low, high = (float(chdtri(len(differences) - 1, tail)) for tail in ((1 - level) / 2, (1 + level) / 2))

    def observe(between: float) -> float:
        return spread_over(differences, variances, between)

    return (
        _find_spread(observe, low),
        max(_find_spread(observe, high), _find_spread(lambda between: expect_q(variances, between), high)),
    )


def expect_q(variances: np.ndarray, between: float) -> float:
    """Return the mean of the generalized Q with w_s = 1 / (v_s + between) where the sets' true differences are equal.

    It is sum of w_s v_s minus sum of w_s^2 v_s / sum of w_s: the expectation of a sum of weighted squares about their
    weighted mean (DerSimonian & Kacker, 2007). With between = 0, it is S - 1.
    """
    weights = 1 / (variances + between)
    return float(np.sum(weights * variances) - np.sum(weights**2 * variances) / np.sum(weights))


def _find_spread(q_of: Callable[[float], float], target: float) -> float:
    """Return the spread with which Q, which falls as the spread rises, is a target; 0 where Q is never so large."""
    from scipy.optimize import brentq

    if q_of(0.0) <= target:
        return 0.0
    high = 1.0
    while q_of(high) > target:
        high *= 2
    # Squared spreads may be tiny, so only the relative tolerance counts.
    return math.sqrt(brentq(lambda between: q_of(between) - target, 0.0, high, xtol=np.finfo(float).tiny, rtol=1e-12))


def cross_sets(
    scores: tuple[np.ndarray, np.ndarray], variances: Sequence[float | None], scale: float
) -> CrossedVariance | None:
    """Estimate the parts of the variance of the mean difference where both test sets and training runs are samples.

    It is the crossed analysis (`crossed_analysis`) with sets as units: what a set contributes to the mean score of a
    run is (the run's score on the set - its mean over the sets) / S. The variance between sets is at least the variance
    that the segments of these sets cause: see `expect_new_sets`.

    Parameters
    ----------
    scores : two (n_runs, n_sets) ndarrays
        Of each system: row k is the same trained system on every set.
    variances : sequence of float or None
        Of each set's difference, runs as they are.
    scale : float
        See `cross_variances`.

    Returns
    -------
    CrossedVariance or None
        See `cross_variances`.
    """
    (of_a, influence_a), (of_b, influence_b) = (
        (own.mean(axis=1), (own - own.mean(axis=1, keepdims=True)) / own.shape[1]) for own in scores
    )
    found = cross_variances((of_a, of_b), (influence_a, influence_b), scale)
    return None if found is None else replace(found, unit=max(found.unit, floor_of(variances)))


def rest_on(claim: AnyClaim, others: Iterable[tuple[float | None, float | None, float | None]]) -> AnyClaim:
    """Return a claim with the largest p of it and of what it rests on, and with the interval that includes theirs.

    The interval for one new set then includes that for the mean over all sets, because one set cannot be expected more
    narrowly than the mean of all.

    Parameters
    ----------
    claim : Claim
    others : iterable of (p, low, high)
        What it rests on: p, not adjusted, and the ends of the interval. Where one is None, the claim has none.
    """
    p_values, lows, highs = zip((claim.t_p_value, claim.low, claim.high), *others, strict=True)
    p_value = join_known(max, p_values)
    if p_value is None:
        return replace(claim, p_value=None, t_p_value=None, low=None, high=None, df=None, errors=())
    return replace(claim, p_value=p_value).with_interval(join_known(min, lows), join_known(max, highs))


def join_known(choose: Callable[[list[float]], float], values: Sequence[float | None]) -> float | None:
    """Return the smallest or the largest of several numbers; None where one is not known."""
    known = [value for value in values if value is not None]
    return choose(known) if len(known) == len(values) else None
