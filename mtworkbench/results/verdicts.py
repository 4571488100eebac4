"""What is said of one comparison within its family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mtworkbench.results.estimates import minus

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
    adjusted = iter(holm_adjust([p for p in p_values if p is not None]))
    judged: list[tuple[float | None, str | None]] = []
    for p_value in p_values:
        if p_value is None:
            judged.append((None, None))
            continue
        p_adjusted = float(next(adjusted))
        judged.append((p_adjusted, words[0] if p_adjusted <= 1 - level + ROUNDING else words[1]))
    return judged


@dataclass(frozen=True)
class Verdict:
    """What is said of one comparison within its family.

    Parameters
    ----------
    p_adjusted : float
        Adjusted by Holm's method, or by step-down max-T.
    verdict : {"significant", "not significant", "undecided"}
        At 1 - level. ``undecided`` where the adjusted p at the lower and at the upper end of the Monte-Carlo error of
        the family lie on different sides of 1 - level.
    n_trials_to_decide : int or None
        Trials that would probably decide an undecided comparison (in about nine of ten cases); None if it is decided,
        exact, or would need more than 10**7.
    adjust : {"holm", "max-t"}
    simultaneous_low, simultaneous_high : float or None
        With max-T, the interval that holds together with those of the whole family; see `simultaneous_ends`.
    better : str or None
        The better system where `verdict` is "significant" and the metric has a direction.
    method_p_adjusted : float or None
        Holm's, over those comparisons of the family that have a p for the method.
    method_verdict : {"significant", "not significant"} or None
        At 1 - level, by `method_p_adjusted`.
    """

    p_adjusted: float
    verdict: str
    n_trials_to_decide: int | None
    adjust: str = "holm"
    simultaneous_low: float | None = None
    simultaneous_high: float | None = None
    better: str | None = None
    method_p_adjusted: float | None = None
    method_verdict: str | None = None

    def turned(self) -> Verdict:
        """Return the verdict with a and b exchanged."""
        return replace(
            self, simultaneous_low=minus(self.simultaneous_high), simultaneous_high=minus(self.simultaneous_low)
        )
