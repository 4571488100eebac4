"""What was measured of this package's tests and intervals, in a few sentences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from mtworkbench.analyses.calibration import AT_EITHER_END, AT_THE_MARGIN, NOMINAL, TOO_OFTEN
from mtworkbench.results.settings import MIN_PERCENTILE_UNITS
from mtworkbench.wording import name_some

#: The tests and intervals of this package; the others are rules of papers and programs, or tests of scores of runs.
OF_THIS_PACKAGE = ("ar", "crossed", "crossed pooled", *AT_EITHER_END, "percentile", "basic", "bca", "jackknife")
#: Up to so many settings in which there are too many errors are named; of more, the worst.
MOST_NAMED = 3


def describe_errors(frame: pd.DataFrame, engine: pd.DataFrame) -> str:
    """Say in a few sentences how often this package's tests err, its intervals miss, and where they do so too often.

    Parameters
    ----------
    frame : DataFrame
        Of `load_calibration`. Settings with so few units that no randomization can reject are left out; of the
        intervals those are counted that ``interval="auto"`` takes.
    engine : DataFrame
        Of data/calibration/engine.csv, which has the weak null.
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
    said[2:2] = [*_without_documents(frame), *_under_a_weak_null(engine)]
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


def _without_documents(frame: pd.DataFrame) -> Iterator[str]:
    """Say how often equal systems are called different where segments are exchanged, but documents are independent."""
    wrong = frame[(frame["independent"] == "document") & (frame["unit"] == "segment") & (frame["runs_a"] == 1)]
    errors = wrong.loc[(wrong["quantity"] == "size") & (wrong["test"] == "ar"), "percent"]
    if len(errors):
        yield (
            "These units were independent. Where documents are independent, but are not known, so that segments are "
            f"swapped, it called equal systems different in {errors.min():.1f} to {errors.max():.1f} % of the "
            f"experiments ({_count(len(errors), 'setting')})."
        )


def _under_a_weak_null(engine: pd.DataFrame) -> Iterator[str]:
    """Say the same of systems whose outputs are not swapped, and which score alike on the population."""
    counts = engine[engine["cell"].str.contains("weak null")].set_index(["quantity", "cell"])["new"]
    if len(counts):
        errors = 100 * counts["false"] / counts["experiments"]
        yield (
            "Where two systems differ, but score alike on the population from which test sets are drawn (a weak null), "
            f"it called them different in {errors.min():.1f} to {errors.max():.1f} % of the experiments "
            f"({_count(len(errors), 'setting')})."
        )


def _divide(rows: pd.DataFrame, errors: pd.Series) -> str:
    """Write the range of the errors that are not too many with the number of settings, and the others by name."""
    too_many = rows["finding"] == TOO_OFTEN
    few, many = errors[~too_many], errors[too_many]
    inside = f"{few.min():.1f} to {few.max():.1f} % of the experiments"
    inside += f", depending on the setting ({_count(len(few), 'setting')})"
    named = [f"{value:.1f} % in `{cell}`" for value, cell in zip(many, rows.loc[too_many, "cell"], strict=True)]
    if not named:
        return inside
    most = f"up to {named[int(np.argmax(many))]}" if len(named) > MOST_NAMED else name_some(named)
    return f"{inside}, and too often in {_count(len(many), 'other setting')}: {most}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
