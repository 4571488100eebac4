"""What more runs and longer test sets would buy: the standard error of a difference that is yet to be measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference.crossed import CrossedAnalysis, CrossedVariance
from mtworkbench.inference.runs import ENOUGH_RUNS

# Test sets are shown at these multiples of the one at hand, and runs at these numbers.
LENGTHS = (0.5, 1, 2, 4, 8)
RUNS = (1, 2, 3, 5, 10, 20, 50)
# Standard errors that differ by less than this share of the one at hand are about the same.
SAME = 0.02


def project_errors(
    analysis: CrossedAnalysis, n_units: Sequence[int] | None = None, n_runs: Sequence[int] | None = None
) -> pd.DataFrame:
    """Project the standard error of a difference between two methods to other test sets and numbers of runs.

    Parameters
    ----------
    analysis : CrossedAnalysis
        Of two systems with at least two runs each; its parts of variance are taken for the true ones.
    n_units : sequence of int, optional
        Numbers of segments (or documents, where they were the unit); by default half to eight times those at hand.
    n_runs : sequence of int, optional
        Numbers of runs a side; by default 1 to 50.

    Returns
    -------
    DataFrame
        One row a combination: ``n_units``, ``n_runs``, ``standard_error`` of the difference in score points, ``df``,
        and ``half_width`` of the interval that is to be expected. With one run a side there is neither (NaN).

    Raises
    ------
    InputError
        Where the analysis has no variance (a system with one run), or a number is not a positive integer.
    """
    from scipy.special import stdtrit

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
            half = float(stdtrit(df, (1 + analysis.level) / 2)) * error if df == df else np.nan
            rows.append((number, count, error, df, half))
    return pd.DataFrame(rows, columns=["n_units", "n_runs", "standard_error", "df", "half_width"])


def advise_spending(analysis: CrossedAnalysis) -> str:
    """Say in a sentence or two what the error of the difference is made of, and where to spend next.

    Parameters
    ----------
    analysis : CrossedAnalysis
        Of two systems with at least two runs each.

    Returns
    -------
    str
        Twice the runs of both systems are held against a test set twice as long.

    Raises
    ------
    InputError
        Where the analysis has no variance (a system with one run).
    """
    variance = variance_of(analysis)
    a, b, total = analysis.runs_a, analysis.runs_b, variance.total
    name = f"{analysis.a} - {analysis.b}"
    if total == 0:
        return f"{name}: neither {analysis.unit}s nor runs vary, so that more of them would buy nothing."
    runs = f"{a} runs a side" if a == b else f"{a} and {b} runs"
    unit = f"{analysis.unit}s"
    of_units, of_runs, of_both = (
        f"{100 * part / total:.0f} %" for part in (variance.of_units, variance.of_runs, variance.of_both)
    )
    longer = variance.expect(2 * variance.n_units, a, b).total ** 0.5
    more = variance.expect(variance.n_units, 2 * a, 2 * b).total ** 0.5
    better = "a longer test set buys more" if longer < more else "more runs buy more"
    if abs(longer - more) < SAME * total**0.5:
        better = "both buy about the same"
    sentence = (
        f"{name}: the standard error is {total**0.5:.2g} {analysis.metric} with {runs} on {variance.n_units} {unit} "
        f"({of_units} of its variance from {unit}, {of_runs} from runs, {of_both} from both). Twice the {unit} would "
        f"make it {longer:.2g}, twice the runs {more:.2g}: {better}."
    )
    if min(a, b) < ENOUGH_RUNS:
        sentence += f" From so few runs ({min(a, b)}) this is a rough guess."
    return sentence


def variance_of(analysis: CrossedAnalysis) -> CrossedVariance:
    """Return the parts of an analysis' variance, or refuse one that has none."""
    if analysis.variance is None:
        raise InputError(
            "few-runs",
            f"{analysis.a!r} has {analysis.runs_a} and {analysis.b!r} has {analysis.runs_b} runs on "
            f"{analysis.n_units} {analysis.unit}s, but how much runs vary is known only from two runs a side and two "
            "units on.",
        )
    return analysis.variance


def check_numbers(name: str, numbers: Sequence[int], least: int) -> None:
    """Raise an `InputError` unless all numbers are integers of at least ``least``."""
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < least:
            raise InputError("design", f"{name} has {number!r}, but integers of at least {least} were expected.")


def where_to_spend(variance: CrossedVariance) -> str:
    """Stand in until the controls branch is merged."""
    return "either"
