"""What several test sets say about new ones like them: the sets are a sample, too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mtworkbench.inference.intervals import NO_VARIATION, judge_by_t


class NewSets(NamedTuple):
    """What the differences of two systems on several test sets say about new ones.

    Parameters
    ----------
    p_value, low, high, df : float or None
        Of the mean difference over all test sets like these: Student's t. Nothing is said where all sets have the same
        difference, unless it is 0, which has p = 1.
    one_low, one_high : float or None
        The interval in which the difference on one new set is expected.
    spread : float or None
        Standard deviation of the true differences between sets; None where the error of a set is not known.
    spread_p_value : float or None
        Cochran's Q; None also where a set has no error.
    """

    p_value: float | None
    low: float | None
    high: float | None
    df: float | None
    one_low: float | None
    one_high: float | None
    spread: float | None
    spread_p_value: float | None


def expect_new_sets(differences: np.ndarray, variances: Sequence[float | None], level: float, scale: float) -> NewSets:
    """Ask of new test sets what several sets have shown.

    The model is one of random effects: set s has a true difference of its own, and its observed difference d_s varies
    about that with its segments. Each set counts the same. With S sets, d their mean, and s their standard deviation:

    - the mean over all sets like these: Student's t with S - 1 degrees of freedom, d +- t s / sqrt(S). With equal
      weights, this is the interval of Hartung & Knapp (2001). It needs no estimate of the spread between sets. It rests
      on differences of sets that are about normally distributed: where a few sets lie far from the others on one side,
      it rejects too often. docs/validity.md has the rates that were measured.
    - the difference that is observed on one new set, of a size like theirs: d +- t s sqrt(1 + 1/S).
    - the spread between sets, by the method of moments for equal weights: s^2 less the mean of the sets' own variances,
      or 0 (Hedges & Olkin, 1985; Cochran's ANOVA estimate).
    - Cochran's (1954) Q = sum of w_s (d_s - d_w)^2 with w_s = 1 / variance and d_w the mean weighted by these, against
      chi-squared with S - 1 degrees of freedom: do the sets differ more than their segments explain?

    Parameters
    ----------
    differences : (n_sets,) ndarray
    variances : sequence of float or None
        Squared standard error of each.
    level : float
    scale : float
        The larger absolute score, against which variation is told from rounding.

    Returns
    -------
    NewSets
    """
    from scipy.special import chdtrc, stdtrit

    n_sets, mean = len(differences), float(differences.mean())
    spread = float(differences.std(ddof=1))
    p_value, low, high, df = judge_by_t(mean, spread / math.sqrt(n_sets), n_sets - 1, level, scale)
    one_low, one_high = low, high
    if df is not None:
        half = float(stdtrit(df, (1 + level) / 2)) * spread * math.sqrt(1 + 1 / n_sets)
        one_low, one_high = mean - half, mean + half
    known = [variance for variance in variances if variance is not None]
    between, spread_p_value = None, None
    if len(known) == n_sets:
        between = math.sqrt(max(0.0, spread**2 - float(np.mean(known))))
        if min(known) > (NO_VARIATION * scale) ** 2:
            weights = 1 / np.array(known)
            q = float(np.sum(weights * (differences - np.average(differences, weights=weights)) ** 2))
            spread_p_value = max(float(chdtrc(n_sets - 1, q)), float(np.finfo(np.float64).tiny))
    return NewSets(p_value, low, high, df, one_low, one_high, between, spread_p_value)
