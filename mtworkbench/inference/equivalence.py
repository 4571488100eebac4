"""Not shown is not equal: what a comparison could have shown, and whether two systems are equal within a margin."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.inference.intervals import NO_VARIATION, above_zero
from mtworkbench.inference.power import critical_t, crossed_threshold, smallest_ratio, smallest_t_ratio
from mtworkbench.inference.trials import Tested
from mtworkbench.results.crossed import CrossedAnalysis
from mtworkbench.results.equivalence import Equivalence, Within
from mtworkbench.results.estimates import smallest_p
from mtworkbench.results.settings import Margin, Settings
from mtworkbench.results.verdicts import ROUNDING
from mtworkbench.wording import name_some


def find_equivalence(
    method: CrossedAnalysis,
    variance: float | None,
    df: float,
    scale: float,
    settings: Settings,
    tested: Tested,
    *,
    n_coins: int,
) -> Equivalence:
    """Compute what the tests of a difference could have shown, and test equivalence where there is a margin.

    Parameters
    ----------
    method : CrossedAnalysis
        With the difference.
    variance : float or None
        Of the difference, by the delete-one jackknife.
    df : float
        Degrees of freedom of the variance.
    scale : float
        The larger absolute score, against which variation is told from rounding.
    settings : Settings
    tested : Tested
        What the trials of its family say.
    n_coins : int
        Those that matter.
    """
    margin, level = settings.margin_of(method.metric), settings.level
    on_outputs, for_method = Within(), Within()
    if variance is not None and variance > (NO_VARIATION * scale) ** 2 and df >= 1:
        error = math.sqrt(variance)
        can_show = smallest_p(n_coins, tested.n_trials, tested.exact) <= 1 - level + ROUNDING
        by_trials = settings.adjust == "max-t"
        critical = find_critical(tested, error) if by_trials else critical_t(df, level)
        smallest = error * smallest_t_ratio(df, critical) if can_show and critical is not None else None
        p_value = tested.p_within if by_trials else p_within(margin, method.difference, error, df)
        on_outputs = Within(smallest, p_value)
    if method.method_df is not None and method.standard_error is not None and method.variance is not None:
        threshold = crossed_threshold(method.variance, level)
        smallest = None if threshold is None else method.standard_error * smallest_ratio(threshold)
        for_method = Within(smallest, p_within(margin, method.difference, method.standard_error, method.method_df))
    return Equivalence(on_outputs, for_method, margin)


def find_critical(tested: Tested, error: float) -> float | None:
    """Return half the width of the interval that holds together with the family's, in standard errors.

    None where there is none: then no difference could have been shown.
    """
    if tested.simultaneous_low is None or tested.simultaneous_high is None:
        return None
    return (tested.simultaneous_high - tested.simultaneous_low) / (2 * error)


def p_within(margin: float | None, difference: float, error: float, df: float) -> float | None:
    """Return the larger of two one-sided p: that of the end of the margin that is nearer to the difference.

    Parameters
    ----------
    margin : float or None
    difference, error : float
        With its standard error.
    df : float
        Degrees of freedom of the error.
    """
    from mtworkbench.distributions import stdtr

    if margin is None:
        return None
    return above_zero(float(stdtr(df, (abs(difference) - margin) / error)))


def choose_margins(margin: Margin, metrics: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """Give each metric the margin that the user named.

    Parameters
    ----------
    margin : float, mapping of str to float, or None
        In score points, above 0: one number where there is one metric, else by the metrics' names, in any case; a
        metric that is not named has no margin.
    metrics : sequence of str
        Names, as tables have them (``BLEU``).

    Returns
    -------
    tuple of (str, float)
        Names with their margins, in the order of the metrics.

    Raises
    ------
    InputError
        ``margin`` for one number with several metrics, for a name that is not among the metrics or there twice, and for
        a margin that is not a number above 0.
    """
    if margin is None:
        return ()
    names = list(dict.fromkeys(metrics))
    if not isinstance(margin, Mapping):
        if len(names) > 1:
            raise InputError(
                "margin",
                f"The margin is {margin!r}, but there are {len(names)} metrics, each with points of its own: name the "
                f"metric of each margin, as in --margin {names[0]}=0.5 (in Python, margin={{{names[0]!r}: 0.5}}).",
            )
        margin = {names[0]: margin}
    found = {}
    for name, value in margin.items():
        known = next((one for one in names if one.casefold() == str(name).strip().casefold()), None)
        if known is None:
            raise InputError(
                "margin", f"margin names {name!r}, which is not among the metrics: name {name_some(names, 'or')}."
            )
        if known in found:
            raise InputError("margin", f"margin names {known!r} twice, as {name!r} too: name each metric once.")
        found[known] = check_margin(value, known)
    return tuple((name, found[name]) for name in names if name in found)


def check_margin(value: float, metric: str) -> float:
    """Return a margin as a float, or raise an `InputError` (``margin``) where it is not a number above 0."""
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not is_number or not 0 < value <= sys.float_info.max:
        raise InputError(
            "margin",
            f"The margin of {metric} is {value!r}, but a number above 0 was expected: the difference, in points of "
            f"{metric}, that is too small to matter, such as 0.5.",
        )
    return float(value)
