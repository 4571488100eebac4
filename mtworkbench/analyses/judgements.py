"""Human judgements of sentences: means with Student-t intervals (Koehn (2004), §4) beside resampled ones."""

from __future__ import annotations

import pandas as pd

from mtworkbench.analyses.student_t import student_interval
from mtworkbench.errors import InputError
from mtworkbench.inference import bootstrap_interval
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
