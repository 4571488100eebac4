"""What a t-test can show: its power, the smallest difference that it finds, how much significant results exaggerate.

All of it is of one number, the true difference in standard errors, and of the degrees of freedom of the standard error.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mtworkbench.errors import InputError

#: The power that is asked for, unless another is.
USUAL_POWER = 0.8
# Nodes at which the estimated standard error is integrated over: exact to 1e-9 from 2 degrees of freedom on.
N_NODES = 64
# Below so few degrees of freedom there is no test: see `CrossedVariance`.
MIN_DF = 1
# A power is met within this share of the ratio.
PRECISION = 1e-10


class Power(NamedTuple):
    """What a two-sided t-test finds of a true difference.

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


def power_of(ratio: float, df: float, level: float) -> Power:
    """Compute the power of a two-sided t-test, with type S and type M errors (Gelman & Carlin, 2014).

    The observed difference is normally distributed around the true one, and its estimated squared standard error is a
    chi-square with ``df`` degrees of freedom, divided by them. Gelman & Carlin take the critical value for the true
    standard error; with many degrees of freedom that is the same.

    Parameters
    ----------
    ratio : float
        The true difference in standard errors, at least 0.
    df : float
        Degrees of freedom, at least 1.
    level : float
        The test rejects at 1 - level.

    Returns
    -------
    Power
        With a true difference of 0 the sign is wrong in half of the cases, and the exaggeration infinite.
    """
    from scipy.special import ndtr, stdtrit

    errors, weights = _standard_errors(df)
    ends = stdtrit(df, (1 + level) / 2) * errors
    right, wrong = ndtr(ratio - ends), ndtr(-ratio - ends)
    power = float(weights @ (right + wrong))
    # The mean of a normal variable beyond an end, on both sides, without its sign.
    sizes = ratio * (right - wrong) + (np.exp(-((ratio - ends) ** 2) / 2) + np.exp(-((ratio + ends) ** 2) / 2)) / (
        np.sqrt(2 * np.pi)
    )
    exaggeration = float(weights @ sizes) / (power * ratio) if ratio > 0 else np.inf
    return Power(power, float(weights @ wrong) / power, exaggeration)


@lru_cache(maxsize=256)
def smallest_ratio(df: float, level: float, power: float = USUAL_POWER) -> float:
    """Return the smallest true difference, in standard errors, that a two-sided t-test finds with some power.

    Parameters
    ----------
    df : float
        Degrees of freedom, at least 1.
    level, power : float
        See `check_power`.
    """
    low, high = 0.0, 1.0
    while power_of(high, df, level).power < power:
        low, high = high, 2 * high
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        low, high = (middle, high) if power_of(middle, df, level).power < power else (low, middle)
    return high


def check_power(power: float, level: float) -> None:
    """Raise an `InputError` unless the power lies between the size of the test, 1 - level, and 1."""
    if isinstance(power, bool) or not isinstance(power, (int, float, np.number)) or not 1 - level < power < 1:
        raise InputError(
            "power",
            f"power is {power!r}, but a number between {1 - level:.4g} (what a test rejects where there is no "
            "difference) and 1 was expected, such as 0.8.",
        )


@lru_cache(maxsize=256)
def _standard_errors(df: float) -> tuple[np.ndarray, np.ndarray]:
    """Return estimated standard errors in units of the true one, with their weights (Gauss-Hermite quadrature)."""
    from scipy.special import chdtri, ndtr

    nodes, weights = np.polynomial.hermite_e.hermegauss(N_NODES)
    return np.sqrt(chdtri(df, ndtr(-nodes)) / df), weights / np.sqrt(2 * np.pi)
