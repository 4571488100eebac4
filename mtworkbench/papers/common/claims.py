"""A paper's numbers and claims beside what is computed here, and whether its sentences hold.

Rows are joined by `key`; `quantity` is for readers only.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.shipped import find_shipped

Key = TypeVar("Key", bound=Hashable)
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


def lay_beside(
    paper: Mapping[Key, float], here: Mapping[Key, float], quantity: Callable[[Key], str] = str
) -> pd.DataFrame:
    """Compare what comes out here with what is printed.

    Parameters
    ----------
    paper, here : mapping to float
        Values by key, the same key for the same quantity. What the paper does not have, such as the reader's own
        systems, has NaN there.
    quantity : callable
        Says in words what a key stands for.

    Returns
    -------
    DataFrame
        One row per key that is known here: ``quantity``, ``paper``, ``here``, ``difference`` (here - paper).
    """
    frame = pd.DataFrame(
        {
            "quantity": [quantity(key) for key in here],
            "paper": [float(paper.get(key, np.nan)) for key in here],
            "here": [float(value) for value in here.values()],
        }
    )
    frame["difference"] = frame["here"] - frame["paper"]
    return frame


def cells_of(table: pd.DataFrame, rows: Sequence[str], columns: Iterable[str]) -> dict[tuple, float]:
    """Take a table apart into its cells, row by row.

    Parameters
    ----------
    table : DataFrame
    rows : sequence of str
        The columns that say which row it is.
    columns : iterable of str
        Those that hold values.

    Returns
    -------
    dict of tuple to float
        By the entries of `rows` and the name of the column.
    """
    return {
        (*(row[name] for name in rows), column): row[column] for row in table.to_dict("records") for column in columns
    }


class Claim(NamedTuple):
    """A number behind a claim of a paper.

    Parameters
    ----------
    key : str
        The key for joining; it does not depend on the data.
    claim : int
        Number of the claim, as the workbench counts them.
    section : str
        Of the paper.
    quantity : str
        What the number is, in words.
    paper, here : float
        NaN if the paper gives no number, or if these systems have none.
    """

    key: str
    claim: int
    section: str
    quantity: str
    paper: float
    here: float


def tabulate_claims(claims: Iterable[Claim]) -> pd.DataFrame:
    """Put claims into a frame: the columns of `lay_beside`, then ``claim``, ``section``, ``key``."""
    frame = pd.DataFrame(claims, columns=Claim._fields).astype({"paper": float, "here": float})
    frame["difference"] = frame["here"] - frame["paper"]
    return frame[["quantity", "paper", "here", "difference", "claim", "section", "key"]]


def read_real_claims(paper: str) -> pd.DataFrame:
    """Read the numbers behind a paper's claims that were computed from real outputs (see ``data/real/README.md``)."""
    return pd.read_csv(find_shipped(f"data/real/{paper}_claims.csv"))


# ---- whether a sentence holds


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
