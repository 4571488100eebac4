"""The difference of two systems without one document after another."""

from __future__ import annotations

import pandas as pd

from mtworkbench.inference.families import check_comparable, settle_unit
from mtworkbench.inference.score_table import pair_table
from mtworkbench.statistics.segment_statistics import SystemStatistics
from mtworkbench.studies.influence.parts import (
    check_units,
    count_segments,
    describe_pair,
    differences_without,
    label_units,
)


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
