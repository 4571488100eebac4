"""How often tests err and intervals cover, as measured: the one place from which every such number is read.

``python -m benchmarks.calibration`` counts, ``data/calibration`` has the counts, ``docs/validity.md`` shows them.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from mtworkbench.inference.intervals import monte_carlo_ends
from mtworkbench.shipped import find_shipped

#: Columns of ``rates.csv``.
COUNTED = ("cell", "quantity", "unit", "test", "count", "repetitions", "seed", "version")
#: The nominal rate of errors, and the probability that a right test lies outside the band around it.
NOMINAL, OUTSIDE = 0.05, 0.001
#: What is found of a rate.
TOO_OFTEN, CONSERVATIVE, RIGHT = "errs too often", "conservative", "as it says"


def load_calibration() -> pd.DataFrame:
    """Load what was measured.

    Returns
    -------
    DataFrame
        One row per cell, quantity, unit and test: ``cell``, ``quantity`` ("size": rejections of equal systems or
        methods; "power": rejections of different ones; "coverage of a score", "coverage of a difference"), ``unit``
        (what the test takes for independent), ``test``, ``count`` (of rejections, or of intervals that cover the truth),
        ``repetitions``, ``seed``, ``version``; ``percent``, ``low``, ``high`` (the share and its 95 % Clopper-Pearson
        interval); ``finding``: "errs too often" above the 99.9 % band around 5 % errors, "conservative" below it, else
        "as it says"; empty for power. A count that was repeated because it lay above the band is given as repeated.
        Then the columns of ``cells.csv``, the null hypothesis in words (``null``) among them.
    """
    rates = pd.read_csv(find_shipped("data/calibration/rates.csv"))
    key = ["cell", "quantity", "unit", "test"]
    rates = rates.sort_values("repetitions", kind="stable").groupby(key, sort=False).tail(1).sort_index()
    shares = [_share(row.count_, row.repetitions) for row in rates.rename(columns={"count": "count_"}).itertuples()]
    rates[["percent", "low", "high"]] = np.array(shares).reshape(-1, 3)
    rates["finding"] = [
        find(quantity, count, n)
        for quantity, count, n in rates[["quantity", "count", "repetitions"]].itertuples(index=False)
    ]
    cells = pd.read_csv(find_shipped("data/calibration/cells.csv"), keep_default_na=False)
    return rates.merge(cells.rename(columns={"unit": "independent"}), on="cell", validate="many_to_one")


def errors_in(quantity: str, count: int, repetitions: int) -> int | None:
    """Return how many of a count are errors: rejections of equal systems, or intervals that miss; None for power."""
    if quantity == "power":
        return None
    return count if quantity == "size" else repetitions - count


def most_errors(repetitions: int) -> int:
    """Return the upper end of the 99.9 % band: the most errors of a test that errs in 5 % (133 of 2,000)."""
    return _band(repetitions)[1]


def find(quantity: str, count: int, repetitions: int) -> str:
    """Say what a count shows: see `load_calibration`."""
    errors = errors_in(quantity, count, repetitions)
    if errors is None:
        return ""
    fewest, most = _band(repetitions)
    return TOO_OFTEN if errors > most else CONSERVATIVE if errors < fewest else RIGHT


def _band(repetitions: int) -> tuple[int, int]:
    from scipy.stats import binom

    low, high = binom.ppf((OUTSIDE / 2, 1 - OUTSIDE / 2), repetitions, NOMINAL)
    return int(low), int(high)


def _share(count: int, repetitions: int) -> tuple[float, float, float]:
    return tuple(100 * share for share in (count / repetitions, *monte_carlo_ends(count, repetitions)))
