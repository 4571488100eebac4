"""When a claim of a paper holds, and the verdict on it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

#: The verdicts on a claim.
VERDICTS = HOLDS, IN_PART, FAILS, NOT_TESTABLE = "holds", "holds in part", "does not hold", "not testable here"
#: What a cell says where there is no number: in the paper, and elsewhere.
NOT_PRINTED, NOT_COMPUTED = "in words", "not computed"


class Criterion(NamedTuple):
    """When a claim holds.

    Parameters
    ----------
    words : str
        As a table shows it.
    holds : callable
        Whether the numbers that decide it meet the criterion; it is called with one, or with the first and the last.
    """

    words: str
    holds: Callable[..., bool]


def at_least(least: float) -> Criterion:
    """Ask for a number that is not below another one."""
    return Criterion(f"at least {least:g}", lambda found, *_: found >= least)


def at_most(most: float) -> Criterion:
    """Ask for a number that is not above another one."""
    return Criterion(f"at most {most:g}", lambda found, *_: found <= most)


def within(low: float, high: float) -> Criterion:
    """Ask for a number in a range, both ends included."""
    return Criterion(f"{low:g} to {high:g}", lambda found, *_: low <= found <= high)


def outside(low: float, high: float) -> Criterion:
    """Ask for a number that is not in a range."""
    return Criterion(f"outside {low:g} to {high:g}", lambda found, *_: not low <= found <= high)


def decide(holding: Collection[bool]) -> str:
    """Return the verdict on a claim from whether it holds for each of the outputs that were examined."""
    if not len(holding):
        return NOT_TESTABLE
    return HOLDS if all(holding) else IN_PART if any(holding) else FAILS
