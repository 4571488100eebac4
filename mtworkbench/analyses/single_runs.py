"""What one training run of each system would have shown, and what all runs show together."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from mtworkbench.inference import compare
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics


def compare_single_runs(
    statistics: SegmentStatistics, baseline: str | None = None, *, unit: str = "auto", rng: RngLike = None
) -> pd.DataFrame:
    """Compare run 1 of each system with run 1 of the baseline, run 2 with run 2 and so on, and then all runs.

    Parameters
    ----------
    statistics : SegmentStatistics
        If numbers of runs differ, single runs are compared as far as every system has them.
    baseline : str, optional
    unit, rng
        See `mtworkbench.compare`.

    Returns
    -------
    DataFrame
        One row per (runs, pair of systems): ``runs`` ("run 1", "run 2", ..., "all runs"; only the last if a system has
        one run), ``a``, ``b``, ``difference``, ``p_adjusted``, ``conclusion``.
    """
    key = resolve_rng(rng)
    fewest = min(len(values) for values in statistics.values.values())
    parts = {}
    for run in range(fewest if fewest > 1 else 0):
        values = {system: values[[run]] for system, values in statistics.values.items()}
        parts[f"run {run + 1}"] = replace(statistics, values=values, run_names={})
    parts["all runs"] = statistics
    columns = ["runs", "a", "b", "difference", "p_adjusted", "conclusion"]
    frames = [
        compare(part, baseline, unit=unit, rng=key).to_frame().assign(runs=runs)[columns]
        for runs, part in parts.items()
    ]
    return pd.concat(frames, ignore_index=True)
