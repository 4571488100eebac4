"""Intervals from a bootstrap distribution or from influence values: end points, never "plus or minus"."""

from __future__ import annotations

import math

import numpy as np

from mtworkbench.inference.checks import check_choice
from mtworkbench.inference.influence import NO_VARIATION, jackknife_variance

METHODS = ("percentile", "basic", "bca", "jackknife")
#: From so many units on, ``auto`` takes the percentile interval; below, it and BCa fall short of their level.
MIN_PERCENTILE_UNITS = 100
#: Scores closer than this share of the larger absolute score are equal: sums of floats that should tie must tie.
TIE = 1e-9


def choose_method(method: str, n_units: int) -> str:
    """Return the method of interval that is used: ``auto`` is percentile from 100 units on, jackknife below.

    Raises
    ------
    InputError
        For another word than ``auto``, ``percentile``, ``basic``, ``bca`` or ``jackknife``.
    """
    check_choice("interval", method, ("auto", *METHODS))
    if method != "auto":
        return method
    return "percentile" if n_units >= MIN_PERCENTILE_UNITS else "jackknife"


def n_dropped(n_resamples: int, share: float) -> int:
    """Return how many resamples are dropped at an end: floor(n * share), the product rounded to 9 decimals first."""
    return math.floor(round(n_resamples * share, 9))


def percentile_ends(resampled: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the percentile interval: of 1,000 resamples at 95 %, the 26th to the 975th (Koehn (2004), §5).

    Parameters
    ----------
    resampled : (..., n_resamples) ndarray
        Scores of resamples, or differences.
    level : float

    Returns
    -------
    low, high : (...) ndarray
    """
    n_resamples = resampled.shape[-1]
    dropped = n_dropped(n_resamples, (1 - level) / 2)
    last = n_resamples - 1 - dropped
    ordered = np.partition(resampled, (dropped, last), axis=-1)
    return ordered[..., dropped], ordered[..., last]


def share_below(resampled: np.ndarray, score: float, scale: float) -> float:
    """Return the share of resamples below the score; ties, within 1e-9 of the larger absolute score, count half."""
    distance = resampled - score
    tied = np.abs(distance) <= TIE * scale
    return float(np.mean((distance < 0) & ~tied) + np.mean(tied) / 2)


def bca_ends(
    resampled: np.ndarray, level: float, score: float, influence: np.ndarray, scale: float
) -> tuple[float, float]:
    """Return Efron's bias-corrected and accelerated interval.

    Parameters
    ----------
    resampled : (n_resamples,) ndarray
    level, score : float
    influence : (n_units,) ndarray
        The acceleration is sum(u**3) / (6 sum(u**2)**1.5).
    scale : float
        The larger absolute score: see `share_below`.

    Returns
    -------
    low, high : float
        By the same order statistics as `percentile_ends`. Where all resamples lie on one side of the score, no bias
        can be estimated: the percentile interval is given.
    """
    from scipy.special import ndtr, ndtri

    n_resamples = len(resampled)
    below = share_below(resampled, score, scale)
    if not 0 < below < 1:
        low, high = percentile_ends(resampled, level)
        return float(low), float(high)
    largest = np.max(np.abs(influence))
    shares = influence / largest if largest > 0 else influence  # so that no power of them vanishes
    acceleration = float(np.sum(shares**3) / (6 * np.sum(shares**2) ** 1.5)) if largest > 0 else 0.0
    bias = ndtri(below)

    def adjusted(share: float) -> float:
        shifted = bias + ndtri(share)
        shrunk = 1 - acceleration * shifted
        return float(ndtr(bias + shifted / shrunk)) if shrunk > 0 else float(shifted > 0)

    tail = (1 - level) / 2
    first = min(n_dropped(n_resamples, adjusted(tail)), n_resamples - 1)
    last = max(n_resamples - 1 - n_dropped(n_resamples, 1 - adjusted(1 - tail)), first)
    ordered = np.sort(resampled)
    return float(ordered[first]), float(ordered[last])


def jackknife_ends(level: float, score: float, influence: np.ndarray) -> tuple[float | None, float | None]:
    """Return the infinitesimal jackknife's interval, Student t with n - 1 degrees of freedom; None for one unit."""
    from scipy.special import stdtrit

    variance = jackknife_variance(influence)
    if variance is None:
        return None, None
    half = float(stdtrit(len(influence) - 1, (1 + level) / 2)) * math.sqrt(variance)
    return score - half, score + half


def interval_ends(
    method: str, level: float, score: float, resampled: np.ndarray, influence: np.ndarray, scale: float
) -> tuple[float | None, float | None]:
    """Return the end points of an interval of a score, or of a difference.

    Parameters
    ----------
    method : {"percentile", "basic", "bca", "jackknife"}
    level, score : float
    resampled : (n_resamples,) ndarray
    influence : (n_units,) ndarray
    scale : float
        The larger absolute score.

    Returns
    -------
    low, high : float, or None where one unit has no jackknife
    """
    if method == "jackknife":
        return jackknife_ends(level, score, influence)
    if method == "bca":
        return bca_ends(resampled, level, score, influence, scale)
    low, high = (float(end) for end in percentile_ends(resampled, level))
    return (2 * score - high, 2 * score - low) if method == "basic" else (low, high)


def judge_by_t(
    difference: float, error: float, df: float, level: float, scale: float
) -> tuple[float | None, float | None, float | None, float | None]:
    """Hold a difference against its standard error, with Student's t.

    Parameters
    ----------
    difference, error : float
    df : float
        Degrees of freedom of the error.
    level : float
        Of the interval.
    scale : float
        The larger absolute score, against which variation is told from rounding.

    Returns
    -------
    p_value, low, high, df : float or None
        A difference of 0 has p = 1; of one that does not vary at all nothing is said.
    """
    from scipy.special import stdtr, stdtrit

    equal = abs(difference) <= TIE * scale
    if error <= NO_VARIATION * scale:
        return (1.0, difference, difference, None) if equal else (None, None, None, None)
    half = float(stdtrit(df, (1 + level) / 2)) * error
    tail = 0.5 if equal else float(stdtr(df, -abs(difference) / error))
    p_value = max(2 * tail, float(np.finfo(np.float64).tiny))  # far out the tail is 0 in floats, but no p is
    return p_value, difference - half, difference + half, df
