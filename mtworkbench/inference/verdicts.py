"""What a p-value from random draws lets one say: its own error, the family it stands in, the verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# Beyond so many draws nobody is told to wait.
MAX_TRIALS_TO_DECIDE = 10**7
# p and 1 - level may be the same number and differ in their last bit: 1 - 0.9 is 0.0999... in floats.
ROUNDING = 1e-12


def monte_carlo_ends(n_extreme: int, n_trials: int) -> tuple[float, float]:
    """Return the 95 % Clopper-Pearson interval of a share of trials: the simulation error of its p."""
    from scipy.special import betaincinv

    low = 0.0 if n_extreme == 0 else float(betaincinv(n_extreme, n_trials - n_extreme + 1, 0.025))
    high = 1.0 if n_extreme == n_trials else float(betaincinv(n_extreme + 1, n_trials - n_extreme, 0.975))
    return low, high


def holm_adjust(p_values: Sequence[float]) -> np.ndarray:
    """Adjust the p-values of a family (Holm, 1979): the smallest times m, the next times m - 1, never falling.

    Parameters
    ----------
    p_values : (n_comparisons,) sequence of float

    Returns
    -------
    (n_comparisons,) ndarray
        In the order given, at most 1.
    """
    p_values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1)
    return adjusted


@dataclass(frozen=True)
class Verdict:
    """What is said of one comparison within its family.

    Parameters
    ----------
    p_adjusted : float
        Holm-adjusted p.
    verdict : {"significant", "not significant", "undecided"}
        At 1 - level. ``undecided`` where Holm's adjustment of all lower and of all upper Monte-Carlo ends puts this
        comparison on different sides of 1 - level.
    n_trials_to_decide : int or None
        Trials that would decide an undecided comparison; None where it is decided, exact, or above 10**7.
    """

    p_adjusted: float
    verdict: str
    n_trials_to_decide: int | None


def trials_to_decide(p_value: float, threshold: float) -> int | None:
    """Return ceil(1.96**2 p (1 - p) / (p - t)**2), or None above 10**7."""
    distance = (p_value - threshold) ** 2
    needed = 1.96**2 * p_value * (1 - p_value)
    if needed > MAX_TRIALS_TO_DECIDE * distance:
        return None
    return math.ceil(needed / distance)


def judge_family(
    p_values: Sequence[float], lows: Sequence[float], highs: Sequence[float], exact: Sequence[bool], level: float
) -> list[Verdict]:
    """Judge the comparisons of one metric together.

    Parameters
    ----------
    p_values, lows, highs : (n_comparisons,) sequence of float
        Each p with the ends of its Monte-Carlo error.
    exact : (n_comparisons,) sequence of bool
        Whether a p comes from full enumeration.
    level : float

    Returns
    -------
    list of Verdict
        One a comparison, in the order given.
    """
    size = 1 - level
    adjusted, adjusted_lows, adjusted_highs = holm_adjust(p_values), holm_adjust(lows), holm_adjust(highs)
    ranks = np.empty(len(adjusted), dtype=int)
    ranks[np.argsort(p_values, kind="stable")] = np.arange(len(adjusted))
    verdicts = []
    for i, p_adjusted in enumerate(adjusted):
        low_rejects, high_rejects = (end[i] <= size + ROUNDING for end in (adjusted_lows, adjusted_highs))
        needed = None
        if low_rejects and high_rejects:
            verdict = "significant"
        elif not low_rejects and not high_rejects:
            verdict = "not significant"
        else:
            verdict = "undecided"
            if not exact[i]:
                needed = trials_to_decide(p_values[i], size / (len(adjusted) - ranks[i]))
        verdicts.append(Verdict(float(p_adjusted), verdict, needed))
    return verdicts
