"""What a comparison could have shown, and whether two systems are equal within a margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from mtworkbench.results.estimates import FurtherResult, Of
from mtworkbench.results.verdicts import judge_method_family


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
        The smallest true difference, in score points, that the test on these outputs would have shown with 80 % power,
        among the comparisons of its family. It is that of a t-test with the delete-one jackknife standard error and its
        degrees of freedom (`Units.df`) that rejects what lies outside an interval as wide as the family's; with Holm's
        method it is that of one comparison at 1 - level. None for fewer than two effective units, where the difference
        does not vary, or where so few units differ, or so few trials were made, that no difference could have been
        shown.
    equivalence_p_value : float or None
        Two one-sided tests on these outputs (TOST; Schuirmann, 1987) of the hypothesis that the true difference is
        at least the margin, in either direction: the larger of the two p, from the exchanges that give p;
        with Holm's method from t-tests with the standard error and the degrees of freedom of `smallest_difference`.
    equivalence_p_adjusted : float or None
        Holm's, over the tests of equivalence of the metric.
    equivalence_verdict : {"equivalent", "not shown"} or None
        At 1 - level, by `equivalence_p_adjusted`. Of a single comparison at 95 %, "equivalent" means that its 90 %
        interval lies within the margin.
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
    judged = judge_method_family([one.p_value for one in family], level, ("equivalent", "not shown"))
    return [
        replace(one, p_adjusted=p_adjusted, verdict=verdict)
        for one, (p_adjusted, verdict) in zip(family, judged, strict=True)
    ]
