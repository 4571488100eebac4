"""How often tests err and intervals cover, as measured: the one place from which every such number is read.

``python -m benchmarks.calibration`` counts, ``data/calibration`` has the counts, ``docs/validity.md`` shows them.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from mtworkbench.inference.intervals import monte_carlo_ends
from mtworkbench.shipped import find_shipped

#: The nominal rate of errors, and the probability that a right test lies outside the band around it.
NOMINAL, OUTSIDE = 0.05, 0.001
#: The test of equivalence, at either end of the margin.
AT_EITHER_END = ("tost (a better)", "tost (a worse)")
#: What is counted of a test of equivalence; what of all counts is of false verdicts.
AT_THE_MARGIN = "called equal at the margin"
FALSE_VERDICTS = ("size", AT_THE_MARGIN)
#: What is found of a rate.
TOO_OFTEN, CONSERVATIVE, RIGHT = "errs too often", "conservative", "keeps its level"


def load_calibration() -> pd.DataFrame:
    """Load what was measured.

    Returns
    -------
    DataFrame
        One row per cell, quantity, unit and test: ``cell``, ``quantity`` ("size": rejections of equal systems or
        methods; "power": rejections of different ones; "coverage of a score", "coverage of a difference"; "called
        equal at the margin": two systems whose true difference is the margin itself), ``unit`` (what the test takes
        for independent), ``test``, ``count`` (of rejections, of intervals that cover the truth, or of systems called
        equal), ``repetitions``, ``seed``, ``version``; ``percent``, ``low``, ``high`` (the share and its 95 %
        Clopper-Pearson interval); ``finding``: "errs too often" above the 99.9 % band around 5 % errors,
        "conservative" below it, else "keeps its level"; empty for power. A count that was repeated because it lay above
        the band is given as repeated. Then the columns of ``cells.csv``, the null hypothesis in words (``null``)
        among them.
    """
    rates = pd.read_csv(find_shipped("data/calibration/rates.csv"))
    key = ["cell", "quantity", "unit", "test"]
    rates = rates.sort_values("repetitions", kind="stable").groupby(key, sort=False).tail(1).sort_index()
    counts = list(rates[["quantity", "count", "repetitions"]].itertuples(index=False, name=None))
    shares = [(count / n, *monte_carlo_ends(count, n)) for _, count, n in counts]
    rates[["percent", "low", "high"]] = 100 * np.array(shares)
    rates["finding"] = [find(*one) for one in counts]
    cells = pd.read_csv(find_shipped("data/calibration/cells.csv"), keep_default_na=False)
    return rates.merge(cells.rename(columns={"unit": "independent"}), on="cell", validate="many_to_one")


def errors_in(quantity: str, count: int, repetitions: int) -> int | None:
    """Return how many of a count are errors: verdicts that are false, or intervals that miss; None for power."""
    if quantity == "power":
        return None
    return count if quantity in FALSE_VERDICTS else repetitions - count


def find(quantity: str, count: int, repetitions: int) -> str:
    """Say what a count shows: see `load_calibration`."""
    errors = errors_in(quantity, count, repetitions)
    if errors is None:
        return ""
    fewest, most = band_of_errors(repetitions)
    return TOO_OFTEN if errors > most else CONSERVATIVE if errors < fewest else RIGHT


@cache
def band_of_errors(repetitions: int) -> tuple[int, int]:
    """Return the ends of the 99.9 % band around 5 % errors: 69 and 133 of 2,000."""
    from mtworkbench.distributions import binomial_range

    return binomial_range(repetitions, NOMINAL, OUTSIDE)[:2]
