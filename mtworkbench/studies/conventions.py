"""Measured error rates of the published rules next to what they say: `Conventions` joined with what was measured."""

from __future__ import annotations

from dataclasses import replace

from mtworkbench.inference.conventions import Convention, Conventions
from mtworkbench.studies.calibration import NOMINAL, measure_errors


def add_error_rates(found: Conventions) -> Conventions:
    """Add to each rule how often it was measured to call equal systems different at 5 %.

    Parameters
    ----------
    found : Conventions
        At level 0.95; at another level nothing was measured, and nothing is added.

    Returns
    -------
    Conventions
        With `Convention.error_percent` where something like these data was measured: the same units are independent,
        as nearly the same number of them as there is, systems with one run or with several; under the same metric where
        it was tried, otherwise under all that were.
    """
    if round(1 - found.level, 9) != NOMINAL:
        return found
    return replace(found, rules=tuple(replace(one, error_percent=_error_percent(one, found)) for one in found.rules))


def _error_percent(one: Convention, found: Conventions) -> float | None:
    runs = max(found.runs_a, found.runs_b) > 1
    rows = measure_errors(one.name, unit=one.unit, independent=found.unit, n_units=found.n_units, runs=runs)
    of_metric = rows[rows["metric"] == found.metric.lower()]
    rows = of_metric if len(of_metric) else rows
    return float(100 * rows["count"].sum() / rows["repetitions"].sum()) if len(rows) else None
