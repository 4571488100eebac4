"""The difference of two systems without one document after another, and the few that decide the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.analyses.influence.parts import (
    Test,
    cannot_reject,
    check_units,
    count_differing,
    count_segments,
    describe_pair,
    differences_without,
    label_units,
    take_units,
)
from mtworkbench.errors import InputError
from mtworkbench.inference.families import check_comparable, settle_unit
from mtworkbench.inference.score_table import ScoreTable, pair_table
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.progress import Progress, shown_steps
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.results.settings import check_level, choose_n_trials
from mtworkbench.statistics.segment_statistics import SystemStatistics


def leave_out_units(a: SystemStatistics, b: SystemStatistics, *, unit: str = "auto") -> pd.DataFrame:
    """Leave out each document (or segment) in turn, and see how the difference of two systems changes.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set. Segments without a score in either leave the comparison for both.
    unit : str
        What is left out: see `bootstrap_interval`. By default documents where at least 6 are known, else segments.

    Returns
    -------
    DataFrame
        One row per unit, in the order of the test set: ``metric``, ``higher_is_better``, ``a``, ``b``, ``unit`` (such
        as ``document``); ``label``: which one, a segment by its number in the reference file; ``segments`` that it has;
        ``difference`` of the scores, a - b, without it; ``change``: this minus the difference on all segments;
        ``whole``: the difference on all segments.

    Raises
    ------
    InputError
        Where the systems cannot be compared, ``unit`` is not known, or there is only one unit (``few-units``).

    Notes
    -----
    These are the values that the delete-one jackknife is computed from (Efron & Tibshirani, 1993, §11.2). Do not report
    a result without some unit because of what this table shows.
    """
    check_comparable(a, b)
    table = pair_table(a, b, settle_unit([a, b], [(0, 1)], unit))
    check_units(table, 2, "to leave one out")
    whole, without = table.means[0] - table.means[1], differences_without(table)
    return pd.DataFrame(
        describe_pair(table)
        | {
            "label": label_units(table),
            "segments": count_segments(table),
            "difference": without,
            "change": without - whole,
            "whole": whole,
        }
    )


#: A verdict depends on "few" units where these are at most a tenth of all, and at most so many.
MOST_UNITS = 50
# Without one of them, a standard error of the others must still exist.
MIN_UNITS = 3


def find_decisive_units(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    level: float = 0.95,
    unit: str = "auto",
    at_most: int | None = None,
    n_trials: int | None = None,
    rng: RngLike = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Find a few documents (or segments) without which the verdict on two systems would change.

    Units are left out one after another, each time the one that the verdict depends on most, until the verdict
    changes. This shows on how few units a verdict depends. It is a diagnosis, never an analysis: if you leave out
    data after seeing them, you can reach any verdict. p is that of this one comparison, not adjusted for others, so
    where `compare` adjusts p for several systems, its verdict may be another one to begin with.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set. Segments without a score in either leave the comparison for both.
    level : float
        The difference is significant where p is at most 1 - level.
    unit : str
        What is left out and swapped: see `bootstrap_interval`.
    at_most : int, optional
        When to give up; by default at a tenth of the units, at least 1 and at most 50.
    n_trials : int, optional
        Of each randomization test; by default 10,000, or more where the level needs more.
    rng : int, numpy.random.Generator or None
        Seed; None draws one. All tests take the same.
    progress : callable, optional
        Wraps the units to leave out and shows how far one has come, such as ``tqdm``.

    Returns
    -------
    DataFrame
        The first row has nothing left out, each later row one unit more, in the order in which they go: ``metric``,
        ``higher_is_better``, ``a``, ``b``, ``unit``, ``level``; ``removed``: the number of units left out so far;
        ``label`` of the last one and its ``segments`` (missing in the first row); ``units_left``, ``segments_left``
        and ``differing``: the units left in which the two systems' statistics differ; ``difference`` (a - b),
        ``p_value`` and ``verdict`` of `approximate_randomization` on what is left; ``n_trials``, missing where all
        exchanges were enumerated. The last row has the other verdict, or else the search was given up there: because
        ``at_most`` was reached; because a difference that is not significant cannot become so, with as few differing
        units as are left; or at once because the verdict is undecided.

    Raises
    ------
    InputError
        Where the systems cannot be compared, an argument is not what it should be, or there are fewer than 3 units
        (``few-units``).

    Notes
    -----
    The search is greedy: the unit that the verdict depends on most is the one without which the jackknife's t, the
    difference divided by its standard error, is the smallest where the difference is significant, and the largest where
    it is not. That is not always the unit with the largest contribution (`segment_contributions`). The standard error
    without a unit is taken from the influences of all of them, which is exact for a mean over units of equal size, else
    close. A smaller set may exist; finding it for certain would take all subsets.
    """
    check_comparable(a, b)
    check_level(level)
    n_trials, random_key = choose_n_trials(n_trials, 1, level), resolve_rng(rng)
    table = pair_table(a, b, settle_unit([a, b], [(0, 1)], unit))
    check_units(table, MIN_UNITS, "to leave out the decisive ones")
    at_most = _choose_most(at_most, table.units.count)
    test = Test(level, n_trials, random_key)
    common, labels, sizes = describe_pair(table) | {"level": float(level)}, label_units(table), count_segments(table)
    kept = np.ones(table.units.count, dtype=bool)
    rows = [common | _describe_rest(table, 0) | test(table)]
    begun = rows[0]["verdict"]
    if begun == "undecided" or _is_settled(rows[0]):
        at_most = 0
    # Towards 0 where the difference is significant, else away from it.
    towards = (-1 if begun == "significant" else 1) * (np.sign(table.means[0] - table.means[1]) or 1.0)
    rest = table
    with shown_steps(progress if at_most else None, at_most) as advance:
        for step in range(1, at_most + 1):
            number = np.flatnonzero(kept)[np.argmax(towards * _t_without(rest))]
            kept[number] = False
            rest = take_units(table, kept)
            one = {"label": labels[number], "segments": sizes[number]}
            rows.append(common | one | _describe_rest(rest, step) | test(rest))
            advance(1)
            if rows[-1]["verdict"] not in (begun, "undecided") or _is_settled(rows[-1]):
                break
    columns = [*common, "removed", "label", "segments", "units_left", "segments_left", "differing", "difference"]
    frame = pd.DataFrame(rows, columns=[*columns, "p_value", "n_trials", "verdict"])
    return frame.astype({"segments": "Int64", "n_trials": "Int64"})


def _choose_most(at_most: int | None, n_units: int) -> int:
    """Return when to give up. Two units are always left, so that there is something to test."""
    if at_most is None:
        at_most = min(max(1, n_units // 10), MOST_UNITS)
    elif isinstance(at_most, bool) or not isinstance(at_most, (int, np.integer)) or at_most < 1:
        raise InputError(
            "at-most",
            f"at_most is {excerpt(at_most)}, but the largest number of units to leave out was expected, at least 1.",
        )
    return min(int(at_most), n_units - 2)


def _is_settled(row: Mapping[str, Any]) -> bool:
    """Tell whether the difference is not significant and cannot become so by leaving out more."""
    return row["verdict"] == "not significant" and cannot_reject(row["differing"], row["level"])


def _describe_rest(table: ScoreTable, removed: int) -> dict[str, object]:
    return {
        "removed": removed,
        "units_left": table.units.count,
        "segments_left": table.n_segments,
        "differing": count_differing(table),
        "difference": table.means[0] - table.means[1],
    }


def _t_without(table: ScoreTable) -> np.ndarray:
    """Return the difference over its jackknife standard error without each unit, (n_units,) ndarray."""
    n, without = table.units.count, differences_without(table)
    # Squared deviations of each unit's own difference from their mean, were the score a mean over units.
    squares = ((n - 1) * (without.mean() - without)) ** 2
    variance = np.maximum(squares.sum() - n / (n - 1) * squares, 0) / ((n - 1) * max(n - 2, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(without / np.sqrt(variance), nan=0.0)
