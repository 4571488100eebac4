"""When a sentence of a paper holds, and the verdict on it."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection
from typing import NamedTuple

from mtworkbench.errors import InputError
from mtworkbench.shipped import find_shipped

#: The verdicts on a claim.
HOLDS, IN_PART, FAILS, NOT_TESTABLE = "holds", "holds in part", "does not hold", "not testable here"
#: What a cell says where there is no number: in the paper, and elsewhere.
NOT_PRINTED, NOT_COMPUTED = "in words", "not computed"
Rule = Callable[..., bool]
# Criteria of one number, and of two, such as those of the fewest and of the most runs; # is a number of the criterion.
_OF_ONE: dict[str, Callable[..., Rule]] = {
    "at least #": lambda least: lambda found, *_: found >= least,
    "at most #": lambda most: lambda found, *_: found <= most,
    "above #": lambda limit: lambda found, *_: found > limit,
    "below #": lambda limit: lambda found, *_: found < limit,
    "# to #": lambda low, high: lambda found, *_: low <= found <= high,
    "outside # to #": lambda low, high: lambda found, *_: not low <= found <= high,
    "at most # away from 0": lambda most: lambda found, *_: abs(found) <= most,
}
_OF_TWO: dict[str, Callable[..., Rule]] = {
    "it rises, or is # already": lambda most: lambda first, last: last > first or first == last == most,
    # In the paper B is better, elsewhere perhaps A.
    "one is above # and the other at most #": lambda above, most: lambda *two: max(two) > above and min(two) <= most,
}


class Criterion(NamedTuple):
    """When a claim holds.

    Parameters
    ----------
    words : str
        As a table shows it.
    holds : callable
        Whether the numbers that decide it meet the criterion; it is called with one, or with the first and the last.
    needs_two : bool
        Whether it is of two numbers.
    """

    words: str
    holds: Rule
    needs_two: bool


def read_criterion(words: str) -> Criterion:
    """Make a criterion of its words, such as "at least 10"; what follows in brackets is for readers.

    Raises
    ------
    InputError
        ``criterion`` for words that are none.
    """
    for form, make in (_OF_ONE | _OF_TWO).items():
        if (numbers := re.fullmatch(form.replace("#", "(-?[0-9.]+)"), words.partition(" (")[0])) is not None:
            return Criterion(words, make(*map(float, numbers.groups())), form in _OF_TWO)
    raise InputError("criterion", f"{words!r} is no criterion: one such as 'at least 10' or '3 to 7' was expected.")


class Sentence(NamedTuple):
    """A sentence of a paper, and the numbers that decide whether it holds.

    Parameters
    ----------
    claim : int
        Number of the claim, as the workbench counts them.
    section : str
        Of the paper.
    quotation : str
        A few words of the paper.
    measured : str
        What the numbers are, with their unit.
    keys : tuple of str
        Of these numbers, among those of the paper's `examine_claims`.
    how : str
        How one number is made of several; empty where each counts.
    criterion : Criterion
        When the sentence holds.
    comment : str
        Why it fails, if it does.
    """

    claim: int
    section: str
    quotation: str
    measured: str
    keys: tuple[str, ...]
    how: str
    criterion: Criterion
    comment: str


def read_sentences(paper: str) -> list[Sentence]:
    """Read the sentences of a paper ("koehn2004", "clark2011") that are judged; see ``data/published/README.md``."""
    with open(find_shipped(f"data/published/{paper}_sentences.csv"), encoding="utf-8", newline="") as file:
        return [
            Sentence(
                int(row["claim"]),
                row["section"],
                row["quotation"],
                row["measured"],
                tuple(row["keys"].split()),
                row.get("how", ""),
                read_criterion(row["holds_if"]),
                row["comment"],
            )
            for row in csv.DictReader(file)
        ]


def decide(holding: Collection[bool]) -> str:
    """Return the verdict on a claim from whether it holds for each of the outputs that were examined."""
    if not len(holding):
        return NOT_TESTABLE
    return HOLDS if all(holding) else IN_PART if any(holding) else FAILS
