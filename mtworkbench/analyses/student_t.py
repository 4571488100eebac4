"""Student-t intervals of judged sentences: Koehn (2004), §4, Fig. 5 and Table 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError


@dataclass(frozen=True)
class StudentInterval:
    """A mean of sentence scores with its Student-t interval.

    Parameters
    ----------
    mean, low, high : float
        In the units of the scores.
    t : float
        The factor of Koehn (2004), eq. 5.
    standard_error : float
        s / sqrt(n).
    n : int
        Number of sentences.
    level : float
    """

    mean: float
    low: float
    high: float
    t: float
    standard_error: float
    n: int
    level: float


def student_interval(scores: Sequence[float], *, level: float = 0.95) -> StudentInterval:
    """Compute the interval ``mean -+ t s / sqrt(n)`` (Koehn (2004), eqs. 3-5).

    Parameters
    ----------
    scores : (n,) sequence of float
        One judgement a sentence: 0 or 1 for wrong or correct, 1 to 5, any scale. NaN is a missing judgement, left out.
    level : float

    Raises
    ------
    InputError
        Where fewer than two sentences are judged.
    """
    from scipy.special import stdtrit

    values = np.asarray(scores, dtype=np.float64)
    values = values[~np.isnan(values)]
    n = len(values)
    if n < 2:
        raise InputError(
            "too-few-scores", f"A Student-t interval needs at least two judged sentences, but there are {n}."
        )
    error = float(values.std(ddof=1) / np.sqrt(n))
    t = float(stdtrit(n - 1, (1 + level) / 2))
    mean = float(values.mean())
    return StudentInterval(mean, mean - t * error, mean + t * error, t, error, n, level)


def student_density(interval: StudentInterval, n_points: int = 201) -> pd.DataFrame:
    """Compute the density that Koehn (2004), Fig. 5, reads as that of the true mean.

    Strictly, the true mean is fixed: in 95 of 100 experiments the interval, which varies, covers it.

    Returns
    -------
    DataFrame
        One row per point of the curve: ``score``, ``density``, ``inside``: whether it lies in the interval, ``mark``:
        "lower end", "mean" and "upper end" for these three points, empty for the others.
    """
    from scipy.stats import t as student

    reach = max(4.0, 1.3 * interval.t) * interval.standard_error
    scores = np.linspace(interval.mean - reach, interval.mean + reach, n_points)
    marks = {"lower end": interval.low, "mean": interval.mean, "upper end": interval.high}
    scores = np.concatenate([scores[~np.isclose(scores, interval.mean, rtol=0, atol=1e-12)], list(marks.values())])
    names = np.array([""] * (len(scores) - len(marks)) + list(marks))
    order = np.argsort(scores, kind="stable")
    scores, names = scores[order], names[order]
    density = student.pdf(scores, interval.n - 1, loc=interval.mean, scale=interval.standard_error or 1.0)
    return pd.DataFrame(
        {
            "score": scores,
            "density": density,
            "inside": (scores >= interval.low) & (scores <= interval.high),
            "mark": names,
        }
    )


def student_factors(
    sizes: Sequence[float] = (100, 300, 600, np.inf), levels: Sequence[float] = (0.99, 0.95, 0.9)
) -> pd.DataFrame:
    """Compute the factors t of Koehn (2004), Table 2, with the n - 1 degrees of freedom that eq. 4 implies.

    Returns
    -------
    DataFrame
        One row per (level, size): ``level``, ``size`` (``inf`` for the normal law), ``t``.
    """
    from scipy.special import ndtri, stdtrit

    rows = [
        {
            "level": level,
            "size": size,
            "t": float(ndtri((1 + level) / 2) if np.isinf(size) else stdtrit(size - 1, (1 + level) / 2)),
        }
        for level in levels
        for size in sizes
    ]
    return pd.DataFrame(rows)
