"""Intervals and p-values from draws and from influence values: end points, never "plus or minus"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mtworkbench.errors import DataWarning

#: Scores closer than this share of the larger absolute score are equal: sums of floats that should tie must tie.
TIE = 1e-9
# Standard errors below this share of the score are rounding: nothing varies.
NO_VARIATION = 1e-9


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
    from mtworkbench.distributions import ndtr, ndtri

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


def jackknife_variance(influence: np.ndarray) -> float | None:
    """Return the delete-one jackknife's variance of a score or of a difference (Efron & Tibshirani, 1993, §11.2).

    Parameters
    ----------
    influence : (n_units,) ndarray
        Of `ScoreTable.influence`, or the difference of two systems'.

    Returns
    -------
    float or None
        ``n / (n - 1) * sum(u**2)``, which is (n - 1) / n times the sum of squared deviations of the scores without each
        unit from their mean; None for one unit, and where the only unit with a score would be left out.
    """
    n_units = len(influence)
    if n_units < 2:
        return None
    variance = float(n_units / (n_units - 1) * np.sum(influence**2))
    return variance if math.isfinite(variance) else None


def jackknife_ends(
    level: float, score: float, influence: np.ndarray, df: float | None = None
) -> tuple[float | None, float | None]:
    """Return the delete-one jackknife's interval, by Student's t.

    Parameters
    ----------
    level, score : float
    influence : (n_units,) ndarray
    df : float, optional
        Degrees of freedom, `Units.df`: fewer than n - 1 where units are of unequal size; by default n - 1.

    Returns
    -------
    low, high : float or None
        None where there is no `jackknife_variance`, and for less than one degree of freedom.
    """
    variance = jackknife_variance(influence)
    df = len(influence) - 1 if df is None else df
    if variance is None or df < 1:
        return None, None
    half = reach_of_t(df, level) * math.sqrt(variance)
    return score - half, score + half


def reach_of_t(df: float, level: float) -> float:
    """Return how many standard errors an interval by Student's t reaches to either side."""
    from mtworkbench.distributions import stdtrit

    return float(stdtrit(df, (1 + level) / 2))


def above_zero(p_value: float) -> float:
    """Return a p that is never 0: far out, where floats have nothing smaller, the smallest number that they have."""
    return max(p_value, float(np.finfo(np.float64).tiny))


def satterthwaite_df(variances: Sequence[float], dfs: Sequence[float]) -> float:
    """Return the degrees of freedom of a sum of estimated variances, not all of which are 0."""
    total = sum(variances)
    return 1 / sum((one / total) ** 2 / df for one, df in zip(variances, dfs, strict=True) if one > 0)


class Drawn(NamedTuple):
    """A score or a difference, with what its intervals are made of.

    Parameters
    ----------
    value : float
    resampled : (n_resamples,) ndarray
    influence : (n_units,) ndarray
    scale : float
        The larger absolute score.
    df : float, optional
        Degrees of freedom of the jackknife: see `Units.df`.
    """

    value: float
    resampled: np.ndarray
    influence: np.ndarray
    scale: float
    df: float | None = None

    def find_ends(self, method: str, level: float) -> tuple[float | None, float | None]:
        """Return the end points of an interval by one of `METHODS`; None where one unit has no jackknife."""
        if method == "jackknife":
            return jackknife_ends(level, self.value, self.influence, self.df)
        if method == "bca":
            return bca_ends(self.resampled, level, self.value, self.influence, self.scale)
        low, high = (float(end) for end in percentile_ends(self.resampled, level))
        return (2 * self.value - high, 2 * self.value - low) if method == "basic" else (low, high)


def interval_ends(drawn: Drawn, method: str, level: float, name: str) -> tuple[float | None, float | None]:
    """Return the end points of an interval; say of what (``name``) BCa has to do without its bias."""
    if method == "bca" and share_below(drawn.resampled, drawn.value, drawn.scale) in (0, 1):
        DataWarning(
            "bca-one-sided",
            f"All {len(drawn.resampled)} resamples of {name} lie on one side of it, so that BCa's bias cannot be "
            "estimated: its percentile interval is given.",
        ).warn()
    return drawn.find_ends(method, level)


def design_effect(by_segment: np.ndarray, by_document: np.ndarray, scale: float) -> float | None:
    """Return by how much documents inflate the variance: jackknife variance by document / by segment.

    Parameters
    ----------
    by_segment : (n_segments,) ndarray
        Influence on a score, or on a difference.
    by_document : (n_documents,) ndarray, or None
        The same of documents; None where they are not known.
    scale : float
        The larger absolute score, against which a variance is told from rounding.

    Returns
    -------
    float or None
        None where documents are not known, there is only one, or nothing varies.
    """
    of_segments, of_documents = jackknife_variance(by_segment), jackknife_variance(by_document)
    if of_documents is None or of_segments is None or of_segments <= (NO_VARIATION * scale) ** 2:
        return None
    return of_documents / of_segments


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
    from mtworkbench.distributions import stdtr

    equal = abs(difference) <= TIE * scale
    if error <= NO_VARIATION * scale:
        return (1.0, difference, difference, None) if equal else (None, None, None, None)
    half = reach_of_t(df, level) * error
    tail = 0.5 if equal else float(stdtr(df, -abs(difference) / error))
    return above_zero(2 * tail), difference - half, difference + half, df


def error_of(low: float, high: float, df: float | None, level: float) -> tuple[float, float]:
    """Return the standard error of an interval of `judge_by_t`, with its degrees of freedom; 0 where nothing varies."""
    return (0.0, 1.0) if df is None else ((high - low) / (2 * reach_of_t(df, level)), df)


def monte_carlo_ends(n_extreme: int, n_trials: int, error: float = 0.05) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a share of trials, at 1 - error: the simulation error of its p."""
    from mtworkbench.distributions import betaincinv

    low = 0.0 if n_extreme == 0 else float(betaincinv(n_extreme, n_trials - n_extreme + 1, error / 2))
    high = 1.0 if n_extreme == n_trials else float(betaincinv(n_extreme + 1, n_trials - n_extreme, 1 - error / 2))
    return low, high


def share_extreme(n_extreme: int, n_exchanges: int, exact: bool, error: float = 0.05) -> tuple[float, float, float]:
    """Return p, and the interval of its own simulation error, from the number of extreme exchanges.

    Parameters
    ----------
    n_extreme, n_exchanges : int
        Of trials, or of all exchanges.
    exact : bool
        Whether these are all exchanges. If not, the outputs as they are count as one more trial.
    error : float
        Of the interval: 0.05 of one at 95 %.
    """
    if exact:
        return (n_extreme / n_exchanges,) * 3
    return (n_extreme + 1) / (n_exchanges + 1), *monte_carlo_ends(n_extreme, n_exchanges, error)
