"""Human judgements of sentences: means with Student-t intervals beside resampled ones.

The former are those of Koehn (2004), §4, Fig. 5 and Table 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference import bootstrap_interval
from mtworkbench.inference.intervals import reach_of_t
from mtworkbench.metrics import MeanScore
from mtworkbench.resampling import RngLike
from mtworkbench.results.settings import choose_n_resamples
from mtworkbench.statistics.segment_statistics import SegmentStatistics


def tabulate_judgements(
    statistics: SegmentStatistics,
    *,
    unit: str = "auto",
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Give each system's mean judgement with its Student-t and its resampled interval.

    Student's t takes sentences as independent; where documents are known and drawn, the resampled interval does not,
    and is mostly wider.

    Parameters
    ----------
    statistics : SegmentStatistics
        Of a `MeanScore`: adequacy from 1 to 5, correct or not as 1 and 0, DA, MQM, ESA ... Segments that nobody judged
        are left out, system by system.
    unit, level, n_resamples, rng
        See `bootstrap_interval`; by default 1,000 resamples, or 20 / (1 - level) if that is larger (2,000 at 99 %).

    Returns
    -------
    DataFrame
        One row per system: ``system``, ``judged`` and ``missing`` (segments), ``mean``, ``t_low``, ``t_high``, ``low``,
        ``high``, ``unit`` and ``method`` of the resampled interval.

    Raises
    ------
    InputError
        ``different-metrics`` for statistics of another metric, ``too-few-scores`` for fewer than two judged segments,
        and those of `bootstrap_interval`.
    """
    if not isinstance(statistics.metric, MeanScore):
        raise InputError(
            "different-metrics",
            f"Judgements were asked for, but the statistics are of {statistics.metric.name}: compute them with "
            "MeanScore(column).",
        )
    n_resamples = choose_n_resamples(n_resamples, level)
    rows = []
    for name in statistics:
        system = statistics[name]
        judged = ~system.missing
        scores = system.values[:, judged, 0].mean(axis=0)
        student = student_interval(scores, level=level)
        drawn = bootstrap_interval(system, n_resamples=n_resamples, level=level, unit=unit, rng=rng)
        rows.append(
            {
                "system": name,
                "judged": int(judged.sum()),
                "missing": int((~judged).sum()),
                "mean": student.mean,
                "t_low": student.low,
                "t_high": student.high,
                "low": drawn.low,
                "high": drawn.high,
                "unit": drawn.unit,
                "method": drawn.method,
            }
        )
    return pd.DataFrame(rows)


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
    values = np.asarray(scores, dtype=np.float64)
    values = values[~np.isnan(values)]
    n = len(values)
    if n < 2:
        raise InputError(
            "too-few-scores", f"A Student-t interval needs at least two judged sentences, but there are {n}."
        )
    error = float(values.std(ddof=1) / np.sqrt(n))
    t = reach_of_t(n - 1, level)
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
    from mtworkbench.distributions import poch

    reach = max(4.0, 1.3 * interval.t) * interval.standard_error
    scores = np.linspace(interval.mean - reach, interval.mean + reach, n_points)
    marks = {"lower end": interval.low, "mean": interval.mean, "upper end": interval.high}
    scores = np.concatenate([scores[~np.isclose(scores, interval.mean, rtol=0, atol=1e-12)], list(marks.values())])
    names = np.array([""] * (len(scores) - len(marks)) + list(marks))
    order = np.argsort(scores, kind="stable")
    scores, names = scores[order], names[order]
    # As scipy.stats does, which takes more than a second to load.
    df, scale = interval.n - 1, interval.standard_error or 1.0
    squared = ((scores - interval.mean) / scale) ** 2
    at_mean = np.log(poch(df / 2, 0.5)) - (np.log(df) + np.log(np.pi)) / 2
    density = np.exp(at_mean - (df + 1) / 2 * np.log1p(squared / df)) / scale
    return pd.DataFrame(
        {
            "score": scores,
            "density": density,
            "inside": (scores >= interval.low) & (scores <= interval.high),
            "mark": names,
        }
    )


def student_factors() -> pd.DataFrame:
    """Compute the factors t of Koehn (2004), Table 2, with the n - 1 degrees of freedom that eq. 4 implies.

    Returns
    -------
    DataFrame
        One row per (level, size): ``level``, ``size`` (``inf`` for the normal law), ``t``.
    """
    from mtworkbench.distributions import ndtri, stdtrit

    rows = [
        {
            "level": level,
            "size": size,
            "t": float(ndtri((1 + level) / 2) if np.isinf(size) else stdtrit(size - 1, (1 + level) / 2)),
        }
        for level in (0.99, 0.95, 0.9)
        for size in (100, 300, 600, np.inf)
    ]
    return pd.DataFrame(rows)
