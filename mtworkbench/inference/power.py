"""What a test can show: its power, the smallest difference that it finds, how much significant results exaggerate.

A test rejects where the observed difference lies beyond a threshold, the critical value times the estimated standard
error. Its power follows from the distribution of that threshold.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.results.crossed import CrossedVariance

#: The power that is asked for, unless another is.
USUAL_POWER = 0.8
# Nodes of a quadrature over one chi-square: at 95 % exact to 1e-6 from 2 degrees of freedom on.
N_NODES = 64
# Points that stand for the five mean squares of the crossed analysis: power is met within 0.005.
N_POINTS = 256
# Root of x**6 = x + 1: its powers make points that fill five dimensions evenly, without a random number.
EVEN = 1.1347241384015194
# The ratio that has a power is found within this share of it.
PRECISION = 1e-7


class Threshold(NamedTuple):
    """How far from 0 an observed difference must lie to be significant, in true standard errors: its distribution.

    Parameters
    ----------
    values, weights : (n_points,) ndarray
        The weights sum to 1.
    """

    values: np.ndarray
    weights: np.ndarray


class Power(NamedTuple):
    """What a two-sided test finds of a true difference.

    Parameters
    ----------
    power : float
        How often the test rejects, in either direction.
    wrong_sign : float
        Type S error: how many of these significant differences have the wrong sign.
    exaggeration : float
        Type M error: how many times as large as the true difference a significant one is on average.
    """

    power: float
    wrong_sign: float
    exaggeration: float


def power_of(ratio: float, threshold: Threshold) -> Power:
    """Compute the power of a two-sided test, with type S and type M errors (Gelman & Carlin, 2014).

    The observed difference is normally distributed around the true one, independently of the threshold. (Gelman &
    Carlin take the threshold for known; with many degrees of freedom it is.)

    Parameters
    ----------
    ratio : float
        The true difference in standard errors, at least 0.
    threshold : Threshold

    Returns
    -------
    Power
        With a true difference of 0 the sign is wrong in half of the cases, and the exaggeration infinite. Where no
        difference is ever significant, both are NaN.
    """
    from mtworkbench.distributions import ndtr

    ends, weights = threshold
    right, wrong = ndtr(ratio - ends), ndtr(-ratio - ends)
    power = float(weights @ (right + wrong))
    if power == 0:  # less than the smallest number: nothing is ever significant
        return Power(0.0, math.nan, math.nan)
    # The mean size of a normal variable beyond the threshold, on both sides.
    densities = np.exp(-((ratio - ends) ** 2) / 2) + np.exp(-((ratio + ends) ** 2) / 2)
    size = float(weights @ (ratio * (right - wrong) + densities / np.sqrt(2 * np.pi)))
    return Power(power, float(weights @ wrong) / power, size / (power * ratio) if ratio > 0 else np.inf)


def smallest_ratio(threshold: Threshold, power: float = USUAL_POWER) -> float:
    """Return the smallest true difference, in standard errors, that a test finds with some power."""
    from mtworkbench.distributions import ndtr

    ends, weights = threshold
    return _smallest(lambda ratio: weights @ (ndtr(ratio - ends) + ndtr(-ratio - ends)) >= power)


def power_within(ratio: float, threshold: Threshold) -> float:
    """Return how often two one-sided tests (TOST) show that the true difference, which is 0, lies within a margin.

    They do where the observed difference, plus or minus the threshold, lies within the margin.

    Parameters
    ----------
    ratio : float
        The margin in true standard errors.
    threshold : Threshold
        Of a two-sided test with twice the error: of `t_threshold` at 90 % for two one-sided tests at 5 %.
    """
    from mtworkbench.distributions import ndtr

    ends, weights = threshold
    return float(weights @ np.maximum(0, 2 * ndtr(ratio - ends) - 1))


def smallest_margin_ratio(threshold: Threshold, power: float = USUAL_POWER) -> float:
    """Return the smallest margin, in standard errors, within which equal systems are shown to be, with some power."""
    return _smallest(lambda ratio: power_within(ratio, threshold) >= power)


def _smallest(is_found: Callable[[float], bool]) -> float:
    """Return the smallest ratio that is found."""
    low, high = 0.0, 1.0
    while not is_found(high):
        low, high = high, 2 * high
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        low, high = (low, middle) if is_found(middle) else (middle, high)
    return high


@lru_cache(maxsize=256)
def t_threshold(df: float, level: float) -> Threshold:
    """Return the threshold of a t-test at 1 - level."""
    return threshold_of(df, critical_t(df, level))


def critical_t(df: float, level: float) -> float:
    """Return what t must exceed at 1 - level."""
    from mtworkbench.distributions import stdtrit

    # The lower tail, as 1 - level may be less than a number near 1 can tell.
    return -float(stdtrit(df, (1 - level) / 2))


def threshold_of(df: float, critical: float) -> Threshold:
    """Return the threshold of a test by t: its squared standard error is a chi-square with df, over df."""
    from mtworkbench.distributions import chdtri, ndtr

    nodes, weights = _nodes()
    return Threshold(critical * np.sqrt(chdtri(df, ndtr(-nodes)) / df), weights)


@lru_cache(maxsize=256)
def smallest_t_ratio(df: float, critical: float) -> float:
    """Return `smallest_ratio` of a test by t with the usual power, given what t must exceed."""
    return smallest_ratio(threshold_of(df, critical))


def crossed_threshold(variance: CrossedVariance, level: float) -> Threshold | None:
    """Return the threshold of the crossed analysis, the parts of the variance being the true ones; None without a test.

    Each mean square is a chi-square over its degrees of freedom, independent of the others. From them come the
    estimated variance, of which no part is below 0, and Satterthwaite's degrees of freedom, as in the analysis itself:
    with two or three runs, a t-test with the degrees of freedom of the true mean squares would seem to find more.

    Parameters
    ----------
    variance : CrossedVariance
    level : float
    """
    from mtworkbench.distributions import stdtrit

    if variance.total == 0 or not variance.has_test:
        return None
    # The mean squares to be expected: those observed may contradict each other, as parts below 0 do.
    pooled = variance.pooled_df
    variance = replace(variance.expect(variance.n_units, variance.runs_a, variance.runs_b), pooled_df=pooled)
    # The points are not quite the same for either system, but a - b and b - a must have one threshold.
    variance = min(variance, variance.turned(), key=lambda one: (one.runs_a, one.run_a, one.residual_a))
    units, a, b = variance.unit_df, variance.runs_a - 1, variance.runs_b - 1
    of_runs = [(a, 1), (b, 2)] if pooled is None else [(pooled, 1)] * 2
    squares = [_mean_squares(*one) for one in ((units, 0), *of_runs, (units * a, 3), (units * b, 4))]
    names = ("unit", "run_a", "run_b", "residual_a", "residual_b")
    drawn = replace(variance, **{name: getattr(variance, name) * one for name, one in zip(names, squares, strict=True)})
    ends = -stdtrit(drawn.df, (1 - level) / 2) * np.sqrt(drawn.total / variance.total)
    return Threshold(ends, np.full(N_POINTS, 1 / N_POINTS))


def check_power(power: float, level: float) -> None:
    """Raise an `InputError` unless the power lies between the size of the test, 1 - level, and 1."""
    if isinstance(power, bool) or not isinstance(power, (int, float, np.number)) or not 1 - level < power < 1:
        raise InputError(
            "power",
            f"power is {power!r}, but a number between {1 - level:.4g} (what a test rejects where there is no "
            "difference) and 1 was expected, such as 0.8.",
        )


@lru_cache(maxsize=1)
def _nodes() -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes of Gauss-Hermite quadrature over a standard normal variable, with their weights."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(N_NODES)
    return nodes, weights / np.sqrt(2 * np.pi)


@lru_cache(maxsize=256)
def _mean_squares(df: float, dimension: int) -> np.ndarray:
    """Return a mean square as a share of its expectation, at every point of one of the five dimensions."""
    from mtworkbench.distributions import chdtri

    points = (0.5 + np.arange(N_POINTS) * EVEN ** -(dimension + 1.0)) % 1
    return chdtri(df, points) / df
