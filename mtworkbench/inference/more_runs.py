"""What more runs and longer test sets would bring: the standard error of a difference in a future experiment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference.intervals import reach_of_t
from mtworkbench.results.crossed import CrossedAnalysis, CrossedVariance
from mtworkbench.results.names_of_units import name_units
from mtworkbench.wording import tally

# Test sets are shown at these multiples of the one at hand, and runs at these numbers.
LENGTHS = (0.5, 1, 2, 4, 8)
RUNS = (1, 2, 3, 5, 10, 20, 50)
# Standard errors that differ by less than this share of the one at hand are about the same.
SAME = 0.02

#: What to have more of.
Spending = Literal["units", "runs", "either", "neither"]


def project_errors(
    analysis: CrossedAnalysis, n_units: Sequence[int] | None = None, n_runs: Sequence[int] | None = None
) -> pd.DataFrame:
    """Project the standard error of a difference between two methods to other test sets and numbers of runs.

    Parameters
    ----------
    analysis : CrossedAnalysis
        Of two systems with at least two runs each; its parts of variance are taken for the true ones.
    n_units : sequence of int, optional
        Numbers of units (segments, say); by default half to eight times those at hand.
    n_runs : sequence of int, optional
        Numbers of runs of each system; by default 1 to 50.

    Returns
    -------
    DataFrame
        One row per combination: ``n_units``, ``n_runs``, ``standard_error`` of the difference in score points, ``df``,
        and ``half_width`` of the interval to expect. With one run of each system there is neither (NaN).

    Raises
    ------
    InputError
        Where the analysis has no variance (a system with one run), or a number is not a positive integer.
    """
    variance = variance_of(analysis)
    units = [max(2, round(share * variance.n_units)) for share in LENGTHS] if n_units is None else list(n_units)
    runs = RUNS if n_runs is None else list(n_runs)
    check_numbers("n_units", units, 2)
    check_numbers("n_runs", runs, 1)
    rows = []
    for number in units:
        for count in runs:
            expected = variance.expect(number, count, count)
            error = expected.total**0.5
            df = expected.df if count > 1 and error > 0 else np.nan
            half = reach_of_t(df, analysis.level) * error if df == df else np.nan
            rows.append((number, count, error, df, half))
    return pd.DataFrame(rows, columns=["n_units", "n_runs", "standard_error", "df", "half_width"])


def where_to_spend(variance: CrossedVariance) -> Spending:
    """Decide what would make the standard error of a difference smaller: twice the units, or twice the runs of both.

    Parameters
    ----------
    variance : CrossedVariance
        Of the paired difference of two systems with at least two runs each.

    Returns
    -------
    {"units", "runs", "either", "neither"}
        ``either`` where both would help about equally, ``neither`` where nothing varies.
    """
    if variance.total == 0:
        return "neither"
    longer, more = double_errors(variance)
    if abs(longer - more) < SAME * variance.total**0.5:
        return "either"
    return "units" if longer < more else "runs"


def double_errors(variance: CrossedVariance) -> tuple[float, float]:
    """Return the standard errors that twice the units, and that twice the runs of both systems, would give."""
    longer = variance.expect(2 * variance.n_units, variance.runs_a, variance.runs_b)
    more = variance.expect(variance.n_units, 2 * variance.runs_a, 2 * variance.runs_b)
    return longer.total**0.5, more.total**0.5


def variance_of(analysis: CrossedAnalysis) -> CrossedVariance:
    """Return the parts of an analysis' variance, or refuse one that has none."""
    if analysis.variance is None:
        raise InputError(
            "few-runs",
            f"{analysis.a!r} has {tally(analysis.runs_a, 'run')} and {analysis.b!r} has "
            f"{tally(analysis.runs_b, 'run')} on {analysis.n_units} {name_units(analysis.unit, analysis.n_units)}, "
            "but the error of their difference can be projected only from at least two runs of each system on at least "
            f"two {name_units(analysis.unit)}.",
        )
    return analysis.variance


def check_numbers(name: str, numbers: Sequence[int], least: int) -> None:
    """Raise an `InputError` unless all numbers are integers of at least ``least``."""
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < least:
            raise InputError("design", f"{name} has {number!r}, but integers of at least {least} were expected.")
