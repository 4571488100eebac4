"""Measured design effects of differences on real test sets with known documents.

``python -m benchmarks.people`` measures them, ``data/people/design_effects.csv`` has them.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from mtworkbench.shipped import find_packaged

#: The file, with one row per metric and pair of systems.
FILE = "data/people/design_effects.csv"


class Larger(NamedTuple):
    """The number of comparisons on test sets with known documents whose design effect is larger than a given one.

    Parameters
    ----------
    n_larger, n_all : int
        Comparisons with a larger one, and all of them.
    """

    n_larger: int
    n_all: int

    @property
    def share(self) -> float:
        """The share of comparisons."""
        return self.n_larger / self.n_all


def count_larger(design_effect: float) -> Larger:
    """Count the comparisons on test sets with known documents that have a larger design effect than this.

    The design effect of a difference is its jackknife variance by document, divided by that by segment: see
    `PairedBootstrap`.
    """
    measured = _load()
    return Larger(int(np.count_nonzero(measured > design_effect)), len(measured))


@cache
def _load() -> np.ndarray:
    """Load the design effects, (n_comparisons,) ndarray."""
    return pd.read_csv(find_packaged(FILE))["design_effect"].to_numpy()
