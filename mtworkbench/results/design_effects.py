"""Measured design effects of differences on real test sets with known documents.

``python -m benchmarks.people`` measures them, ``data/people/design_effects.csv`` has them.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import pandas as pd

from mtworkbench.shipped import find_packaged

#: The file, with one row per metric and pair of systems.
FILE = "data/people/design_effects.csv"


class Larger(NamedTuple):
    """The number of differences on test sets with known documents whose design effect is larger than a given one.

    Parameters
    ----------
    n_larger, n_all : int
        Differences with a larger one, and all of them.
    n_sets : int
        The test sets, each of one language pair.
    """

    n_larger: int
    n_all: int
    n_sets: int

    @property
    def share(self) -> float:
        """The share of differences."""
        return self.n_larger / self.n_all


def count_larger(design_effect: float) -> Larger:
    """Count the differences on test sets with known documents that have a larger design effect than this.

    The design effect of a difference is its jackknife variance by document, divided by that by segment: see
    `PairedBootstrap`.
    """
    measured = _load()
    larger = measured["design_effect"] > design_effect
    return Larger(int(larger.sum()), len(larger), measured.groupby(["set", "languages"]).ngroups)


@cache
def _load() -> pd.DataFrame:
    """Load the design effects: ``set``, ``languages``, ``design_effect`` and others."""
    return pd.read_csv(find_packaged(FILE))
