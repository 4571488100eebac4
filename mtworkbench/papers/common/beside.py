"""A paper's numbers and claims beside what is computed here.

Rows are joined by `key`; `quantity` is for readers only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd

from mtworkbench.shipped import find_shipped

Key = TypeVar("Key", bound=Hashable)


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
