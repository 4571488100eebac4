"""What is said of one comparison within its family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from mtworkbench.results.estimates import minus, turn

# p and 1 - level may be the same number and differ in their last bit: 1 - 0.9 is 0.0999... in floats.
ROUNDING = 1e-12


def holm_adjust(p_values: Sequence[float]) -> np.ndarray:
    """Adjust the p-values of a family (Holm, 1979): the smallest times m, the next times m - 1, never falling.

    Parameters
    ----------
    p_values : (n_comparisons,) sequence of float

    Returns
    -------
    (n_comparisons,) ndarray
        In the order given, at most 1.
    """
    raw = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(raw, kind="stable")
    factors = np.arange(len(raw), 0, -1)
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(np.maximum.accumulate(raw[order] * factors), 1)
    return adjusted


def judge_method_family(
    p_values: Sequence[float | None], level: float, words: tuple[str, str] = ("significant", "not significant")
) -> list[tuple[float | None, str | None]]:
    """Judge those comparisons of a family together that have a p (for the method, say), by Holm's method.

    Parameters
    ----------
    p_values : (n_comparisons,) sequence of float or None
        Of the crossed analysis, say; None where it has no answer.
    level : float
    words : (str, str)
        The verdicts.

    Returns
    -------
    list of (float or None, str or None)
        Holm-adjusted p and verdict at 1 - level, one per comparison, in the order given.
    """
    adjusted = iter(holm_adjust([p for p in p_values if p is not None]).tolist())
    in_order = [None if p is None else next(adjusted) for p in p_values]
    shown, not_shown = words
    return [(p, None if p is None else shown if p <= 1 - level + ROUNDING else not_shown) for p in in_order]


class Ends(NamedTuple):
    """The interval of a difference, as it is printed beside its verdict.

    Parameters
    ----------
    low, high : float or None
        None where no interval can be told.
    side : int
        1 where the difference is shown to be above 0 and the lower end is a 0 that does not belong to the interval, -1
        where it is below 0 and the upper end is; else 0. Step-down tests reject more than an interval for all
        comparisons at once excludes: its end is then cut off at 0.
    """

    low: float | None
    high: float | None
    side: int = 0

    @classmethod
    def agreeing(cls, low: float | None, high: float | None, difference: float, *, shown: bool) -> Ends:
        """Cut an interval off at 0 where a test has shown on which side of it the difference lies."""
        if not shown or low is None or high is None or low > 0 or high < 0:
            return cls(low, high)
        return cls(0.0, high, 1) if difference > 0 else cls(low, 0.0, -1)

    def including(self, other: Ends) -> Ends:
        """Return the interval that includes another, too; the same where one of them is not known."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return self
        return Ends(min(self.low, other.low), max(self.high, other.high))

    def within(self, limit: float) -> Ends:
        """Return the part of the interval that is possible: no difference is larger than a limit."""
        if self.low is None or self.high is None:
            return self
        return Ends(max(self.low, -limit), min(self.high, limit), self.side)

    @property
    def excludes_zero(self) -> bool | None:
        """Whether 0 does not belong to the interval; None where there is none."""
        if self.low is None or self.high is None:
            return None
        return self.side != 0 or self.low > 0 or self.high < 0

    def turned(self) -> Ends:
        """Return the interval with a and b exchanged."""
        return Ends(minus(self.high), minus(self.low), -self.side)


@dataclass(frozen=True)
class Verdict:
    """What is said of one comparison within its family.

    Parameters
    ----------
    p_adjusted : float
        Adjusted by step-down max-T, or by Holm's method.
    verdict : {"significant", "not significant", "undecided"}
        At 1 - level. ``undecided`` where the simulation error of the adjusted p leaves open on which side of 1 - level
        it lies.
    adjust : {"max-t", "holm"}
    simultaneous_low, simultaneous_high : float or None
        With max-T, the ends of the interval that holds for all comparisons of the family together.
    ends : Ends or None
        The interval that is printed, which never contradicts the verdict; None where another interval was asked for.
    better : str or None
        The better system where `verdict` is "significant" and the metric has a direction.
    method_p_adjusted : float or None
        Holm's, over those comparisons of the family that have a p for the method.
    method_verdict : {"significant", "not significant"} or None
        At 1 - level, by `method_p_adjusted`.
    method_ends : Ends or None
        The interval for the method that is printed: it holds for the whole family together (Bonferroni). None where p
        on these outputs is adjusted by Holm's method.
    shown_if_alike : bool
        Whether plain pooling of the runs shows a difference for the method that is shown on these outputs, and is not
        shown for the method if one system's runs vary more. The p of plain pooling are adjusted by Holm's method.
    tolerated_design_effect : float or None
        The verdict "significant" holds as long as the design effect of the difference is smaller than this. It is
        ``(t / c)**2``, with t the difference divided by the standard deviation of trials, and c what t must exceed for
        this verdict. Given only where the documents are not known, or are too few to be units, and segments are treated
        as independent; over several sets, where this is so on some of them, it is the design effect on those.
    method_tolerated_design_effect : float or None
        The same of the verdict for the method, where a difference is shown for it: the factor by which the variance
        over segments can be larger, with the degrees of freedom as they are.

    Attributes
    ----------
    excludes_zero : bool or None
        Whether the interval that is printed leaves out 0. It may end at 0 and leave 0 out.
    n_trials_to_decide : None
        Always None: trials are made until a family is decided.
    """

    p_adjusted: float
    verdict: str
    adjust: str = "holm"
    simultaneous_low: float | None = None
    simultaneous_high: float | None = None
    ends: Ends | None = None
    better: str | None = None
    method_p_adjusted: float | None = None
    method_verdict: str | None = None
    method_ends: Ends | None = None
    shown_if_alike: bool = False
    tolerated_design_effect: float | None = None
    method_tolerated_design_effect: float | None = None
    n_trials_to_decide: ClassVar[int | None] = None

    @property
    def excludes_zero(self) -> bool | None:
        """Whether 0 does not belong to `ends`; None where there is no such interval."""
        return None if self.ends is None else self.ends.excludes_zero

    def choose_ends(self, low: float | None, high: float | None) -> Ends:
        """Choose the interval that is printed, given that of the comparison by itself."""
        return self.ends or Ends(low, high)

    def choose_method_ends(self, low: float | None, high: float | None) -> Ends:
        """Choose the interval for the method that is printed, given that of the comparison by itself."""
        return self.method_ends or Ends(low, high)

    def within(self, limit: float) -> Verdict:
        """Return the verdict with the possible parts of its intervals: see `Ends.within`."""
        low, high, _ = Ends(self.simultaneous_low, self.simultaneous_high).within(limit)
        return replace(
            self,
            simultaneous_low=low,
            simultaneous_high=high,
            ends=self.ends and self.ends.within(limit),
            method_ends=self.method_ends and self.method_ends.within(limit),
        )

    def turned(self) -> Verdict:
        """Return the verdict with a and b exchanged."""
        return turn(self, ends=(("simultaneous_low", "simultaneous_high"),), parts=("ends", "method_ends"))
