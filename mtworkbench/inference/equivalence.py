"""Not shown is not equal: what a comparison could have shown, and whether two systems are equal within a margin."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from mtworkbench.errors import InputError, name_some
from mtworkbench.inference.crossed import CrossedAnalysis, cross
from mtworkbench.inference.intervals import NO_VARIATION, jackknife_variance, smallest_p
from mtworkbench.inference.power import crossed_threshold, smallest_ratio, smallest_t_ratio
from mtworkbench.inference.randomization import MAX_EXACT_COINS
from mtworkbench.inference.results import FurtherResult, Of
from mtworkbench.inference.score_table import Places, ScoreTable
from mtworkbench.inference.settings import Settings
from mtworkbench.inference.verdicts import ROUNDING, holm_adjust

#: A margin for all metrics, or one for each metric by its name.
Margin = float | Mapping[str, float] | None


@dataclass(frozen=True)
class Within:
    """The answer to one of the two questions: on these outputs, or for the method.

    Parameters
    ----------
    smallest_difference, p_value, p_adjusted : float or None
    verdict : {"equivalent", "not shown"} or None
        See `Equivalence`.
    """

    smallest_difference: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    verdict: str | None = None


@dataclass(frozen=True, repr=False, eq=False)
class Equivalence(FurtherResult):
    """What a comparison of two systems could have shown, and whether they are equal within a margin.

    Its fields are keys of the comparison in frames and JSON.

    Parameters
    ----------
    equivalence_margin : float or None
        The difference, in score points, that the user calls too small to matter; None: no test of equivalence was asked
        for, and its p and verdicts are None.
    on_outputs, for_method : Within

    Attributes
    ----------
    smallest_difference : float or None
        The smallest true difference, in score points, that the test on these outputs would have shown with 80 % power:
        in one comparison at 1 - level, by the unit of the comparison. (In a family, Holm's adjustment asks for more.)
        It is that of a t-test with the delete-one jackknife standard error and its degrees of freedom (`Units.df`);
        randomization, from which p comes, has nearly the same power. None for fewer than two effective units, where
        the difference does not vary, or where so few units differ, or so few trials were made, that no difference could
        have been shown.
    equivalence_p_value : float or None
        Two one-sided t-tests on these outputs (TOST; Schuirmann, 1987) of the hypothesis that the true difference is
        at least the margin, in either direction: the larger of the two p. Standard error and degrees of freedom are
        those of `smallest_difference`.
    equivalence_p_adjusted : float or None
        Holm's, over the tests of equivalence of the metric.
    equivalence_verdict : {"equivalent", "not shown"} or None
        At 1 - level, by `equivalence_p_adjusted`. Of a single comparison at 95 %, "equivalent" means that its 90 %
        interval (jackknife t) lies within the margin.
    method_smallest_difference, method_equivalence_p_value, method_equivalence_p_adjusted, method_equivalence_verdict
        The same for the method, with the standard error and the degrees of freedom of the crossed analysis; None where
        it has no answer.

    Notes
    -----
    The tests of equivalence of a metric are a family of their own, and those for the method another: Holm bounds the
    chance that any pair is called equivalent whose systems differ by the margin or more. They are not put into one
    family with the tests of a difference. Both claims may hold of one pair: a difference is shown, and it is smaller
    than the margin.

    Known limits: with few units, more so if their sizes are very unequal, where few segments differ, and with 2 runs
    against 10, systems that differ by the margin are called equal too often; the rates are in docs/validity.md.
    """

    on_outputs: Within = field(repr=False)
    for_method: Within = field(repr=False)
    smallest_difference: ClassVar[Of[float | None]] = Of("on_outputs")
    method_smallest_difference: ClassVar[Of[float | None]] = Of("for_method", "smallest_difference")
    equivalence_margin: float | None
    equivalence_p_value: ClassVar[Of[float | None]] = Of("on_outputs", "p_value")
    equivalence_p_adjusted: ClassVar[Of[float | None]] = Of("on_outputs", "p_adjusted")
    equivalence_verdict: ClassVar[Of[str | None]] = Of("on_outputs", "verdict")
    method_equivalence_p_value: ClassVar[Of[float | None]] = Of("for_method", "p_value")
    method_equivalence_p_adjusted: ClassVar[Of[float | None]] = Of("for_method", "p_adjusted")
    method_equivalence_verdict: ClassVar[Of[str | None]] = Of("for_method", "verdict")

    def turned(self) -> Equivalence:
        """Return the result with a and b exchanged: the same, because nothing in it has a direction."""
        return self

    @classmethod
    def judge(cls, family: Sequence[Equivalence], level: float) -> list[Equivalence]:
        """Adjust p over the family, and decide."""
        on_outputs, for_method = (
            _judge(ones, level) for ones in ([one.on_outputs for one in family], [one.for_method for one in family])
        )
        return [
            replace(one, on_outputs=first, for_method=second)
            for one, first, second in zip(family, on_outputs, for_method, strict=True)
        ]


def _judge(family: Sequence[Within], level: float) -> list[Within]:
    """Adjust the p of a family where there is one (Holm), and decide."""
    adjusted = iter(holm_adjust([one.p_value for one in family if one.p_value is not None]))
    judged = []
    for one in family:
        if one.p_value is not None:
            p_adjusted = float(next(adjusted))
            verdict = "equivalent" if p_adjusted <= 1 - level + ROUNDING else "not shown"
            one = replace(one, p_adjusted=p_adjusted, verdict=verdict)
        judged.append(one)
    return judged


def measure_equivalence(table: ScoreTable, pairs: Sequence[Places], settings: Settings) -> list[Equivalence]:
    """Compute for each pair what its tests could have shown, and test equivalence where there is a margin."""
    return [
        find_equivalence(
            method,
            jackknife_variance(table.influence[pair[0]] - table.influence[pair[1]]),
            table.units.df,
            max(abs(table.means[place]) for place in pair),
            settings,
            can_show=_can_show(table, pair, settings),
        )
        for pair, method in zip(pairs, cross(table, pairs, settings.level, settings.runs or "separate"), strict=True)
    ]


def find_equivalence(
    method: CrossedAnalysis, variance: float | None, df: float, scale: float, settings: Settings, *, can_show: bool
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
    can_show : bool
        Whether randomization could reject at all.
    """
    margin, level = settings.margin_of(method.metric), settings.level
    on_outputs, for_method = Within(), Within()
    if variance is not None and variance > (NO_VARIATION * scale) ** 2 and df >= 1:
        error = math.sqrt(variance)
        smallest = error * smallest_t_ratio(df, level) if can_show else None
        on_outputs = Within(smallest, p_within(margin, method.difference, error, df))
    if method.method_df is not None and method.standard_error is not None and method.variance is not None:
        threshold = crossed_threshold(method.variance, level)
        smallest = None if threshold is None else method.standard_error * smallest_ratio(threshold)
        for_method = Within(smallest, p_within(margin, method.difference, method.standard_error, method.method_df))
    return Equivalence(on_outputs, for_method, margin)


def _can_show(table: ScoreTable, pair: Places, settings: Settings) -> bool:
    """Tell whether enough units differ, and enough trials are made, for randomization to reject at all."""
    n_runs = table.n_runs[pair[0]] if settings.exchange == "run" else 1
    n_coins = int(np.count_nonzero(table.differing(pair, n_runs=n_runs)))
    return smallest_p(n_coins, settings.trials, n_coins <= MAX_EXACT_COINS) <= 1 - settings.level + ROUNDING


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
    from scipy.special import stdtr

    if margin is None:
        return None
    p_value = float(stdtr(df, (abs(difference) - margin) / error))
    return max(p_value, float(np.finfo(np.float64).tiny))  # far out it is 0 in floats, but no p is


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
                f"margin is {margin!r}, but there are {len(names)} metrics, each with points of its own: name the "
                f"metric of each margin, as in margin={{{names[0]!r}: 0.5}} (--margin {names[0]}=0.5).",
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
