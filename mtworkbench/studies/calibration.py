"""How often tests err and intervals cover, as measured: the one place from which every such number is read.

``python -m benchmarks.calibration`` counts, ``data/calibration`` has the counts, ``docs/validity.md`` shows them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from mtworkbench.errors import name_some
from mtworkbench.inference.intervals import monte_carlo_ends
from mtworkbench.inference.settings import MIN_PERCENTILE_UNITS
from mtworkbench.shipped import find_shipped
from mtworkbench.wording import tally

#: Columns of ``rates.csv``.
COUNTED = ("cell", "quantity", "unit", "test", "count", "repetitions", "seed", "version")
#: The nominal rate of errors, and the probability that a right test lies outside the band around it.
NOMINAL, OUTSIDE = 0.05, 0.001
#: The test of equivalence, at either end of the margin.
AT_EITHER_END = ("tost (a better)", "tost (a worse)")
#: The tests and intervals of this package; the others are rules of papers and programs, or tests of scores of runs.
OF_THIS_PACKAGE = ("ar", "crossed", "crossed pooled", *AT_EITHER_END, "percentile", "basic", "bca", "jackknife")
#: What is counted of a test of equivalence; what of all counts is of false verdicts.
AT_THE_MARGIN = "called equal at the margin"
FALSE_VERDICTS = ("size", AT_THE_MARGIN)
#: Up to so many settings in which there are too many errors are named; of more, the worst.
MOST_NAMED = 3
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


def band_of_errors(repetitions: int) -> tuple[int, int]:
    """Return the ends of the 99.9 % band around 5 % errors: 69 and 133 of 2,000."""
    from scipy.stats import binom

    low, high = binom.ppf((OUTSIDE / 2, 1 - OUTSIDE / 2), repetitions, NOMINAL)
    return int(low), int(high)


def measure_errors(
    test: str, *, unit: str = "segment", independent: str | None = None, n_units: int | None = None, runs: bool = False
) -> pd.DataFrame:
    """Look up how often a test was measured to call equal systems different.

    Parameters
    ----------
    test : str
        ``ar``, ``jackknife``, ``crossed`` ..., or a published rule such as ``koehn2004``.
    unit : {"segment", "document"}
        What the test takes for independent.
    independent : {"segment", "document"}, optional
        What is independent; by default what the test takes for it.
    n_units : int, optional
        Only the settings whose number of these units is nearest, as a ratio; by default all.
    runs : bool
        Whether systems have several runs.

    Returns
    -------
    DataFrame
        Rows of `load_calibration`, one per setting; none where nothing like it was measured. Settings in which most
        segments tie are left out.
    """
    frame = load_calibration()
    frame = frame[
        (frame["quantity"] == "size")
        & (frame["test"] == test)
        & (frame["unit"] == unit)
        & (frame["independent"] == (independent or unit))
        & ((frame["runs_a"] > 1) == runs)
        & (frame["differing"] == 1)
    ]
    if n_units is not None and len(frame):
        distance = np.abs(np.log(frame["n_units"] / n_units))
        frame = frame[np.isclose(distance, distance.min())]
    return frame.reset_index(drop=True)


def describe_errors(frame: pd.DataFrame) -> str:
    """Say in a few sentences how often this package's tests err, its intervals miss, and where they do so too often.

    Parameters
    ----------
    frame : DataFrame
        Of `load_calibration`. Settings with so few units that no randomization can reject are left out; of the
        intervals those are counted that ``interval="auto"`` takes.
    """
    own = frame[frame["unit"] == frame["independent"]]
    single, several = own[own["runs_a"] == 1], own[own["runs_a"] > 1]
    sizes, of_methods = (part[part["quantity"] == "size"] for part in (single, several))
    randomized = sizes[(sizes["test"] == "ar") & (0.5 ** (sizes["n_units"] - 1) <= NOMINAL)]
    said = ["A 5 % test should call equal systems different in 5 % of all experiments."]
    for start, equal, rows in (
        ("With one run, approximate randomization", "systems", randomized),
        ("With several runs, the crossed analysis", "methods", of_methods[of_methods["test"] == "crossed"]),
        ("With pooled runs, it", "methods", of_methods[of_methods["test"] == "crossed pooled"]),
    ):
        said.append(f"{start} called equal {equal} different in {_divide(rows, rows['percent'])}.")
    # A hundred documents of unequal length are fewer than a hundred effective units.
    enough = (single["independent"] == "segment") & (single["n_units"] >= MIN_PERCENTILE_UNITS)
    automatic = np.where(enough, "percentile", "jackknife")
    chosen = single[single["test"] == automatic]
    for start, quantity in (
        ("With one run, the 95 % interval of a score missed the truth", "coverage of a score"),
        ("The 95 % interval of a difference missed it", "coverage of a difference"),
    ):
        rows = chosen[chosen["quantity"] == quantity]
        said.append(f"{start} in {_divide(rows, 100 - rows['percent'])}.")
    rows = own[own["quantity"] == AT_THE_MARGIN]
    rows = rows.sort_values("percent", kind="stable").groupby("cell").tail(1)  # at the worse end of the margin
    said.append(
        "If the true difference is exactly the margin, the test of equivalence should call the systems (or methods) "
        "equal in 5 % of all experiments. At the worse end of the margin, it did so in "
        f"{_divide(rows, rows['percent'])}."
    )
    return " ".join(said)


def _divide(rows: pd.DataFrame, errors: pd.Series) -> str:
    """Write the range of the errors that are not too many with the number of settings, and the others by name."""
    too_many = rows["finding"] == TOO_OFTEN
    few, many = errors[~too_many], errors[too_many]
    inside = f"{few.min():.1f} to {few.max():.1f} % of the experiments"
    inside += f", depending on the setting ({tally(len(few), 'setting')})"
    named = [f"{value:.1f} % in `{cell}`" for value, cell in zip(many, rows.loc[too_many, "cell"], strict=True)]
    if not named:
        return inside
    most = f"up to {named[int(np.argmax(many))]}" if len(named) > MOST_NAMED else name_some(named)
    return f"{inside}, and too often in {tally(len(many), 'other setting')}: {most}"
