"""What was found about the agreement of metrics with humans, in sentences."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.analyses.agreement.measures import MEASURES
from mtworkbench.wording import listed, tally
from mtworkbench.words.cells import EXACT_DIGITS, digits_of_trials, in_percent, name_p, signed
from mtworkbench.words.frames import fixed
from mtworkbench.words.lines import wrap

#: What sentences call the scores that are compared.
LEVELS = {"system": "System level", "segment": "Segment level"}
# With fewer systems, many resamples contain hardly any different ones.
ENOUGH_SYSTEMS = 8
# Agreements of two metrics that differ by less share the highest value.
TIE = 1e-9
_DIGITS = 3


def name_measure(scope: str, measure: str) -> str:
    """Name a measure as readers see it: "pairwise accuracy (ties calibrated)"."""
    return f"{measure} (ties calibrated)" if (scope, measure) == ("segment", MEASURES[0]) else measure


def describe_agreement(frame: pd.DataFrame) -> str:
    """Say for each measure how well every metric agrees with humans, the highest value first.

    Parameters
    ----------
    frame : DataFrame
        Of `measure_agreement`.
    """
    lines = []
    for (scope, measure), part in frame.groupby(["scope", "measure"], sort=False):
        ordered = part.sort_values("agreement", ascending=False, kind="stable")
        values = [_describe_agreement(row, place == 0) for place, row in enumerate(ordered.itertuples())]
        lines.append(f"{LEVELS[scope]}, {name_measure(scope, measure)}: {listed(values)}.")
    first = frame.iloc[0]
    fewest, most = frame["n_segments"].min(), frame["n_segments"].max()
    segments = tally(most, "segment") if fewest == most else f"{fewest:,} to {tally(most, 'segment')}"
    lines.append(
        f"Measured on {tally(first['n_systems'], 'system')} and {segments}; the intervals resample systems and "
        f"{first['unit']}s."
    )
    lines += _explain_intervals(frame)
    if first["n_systems"] < ENOUGH_SYSTEMS:
        lines.append(f"With fewer than {ENOUGH_SYSTEMS} systems, these intervals are rough.")
    return wrap(lines, indent="  ")


def _describe_agreement(row: Any, names_level: bool) -> str:
    if pd.isna(row.agreement):
        return f"{row.metric} (not defined)"
    return f"{row.metric} {fixed(row.agreement, _DIGITS)} ({_name_interval(row, names_level)})"


def _name_interval(row: Any, names_level: bool) -> str:
    ci = f"{in_percent(row.level)} CI " if names_level else ""
    if not _has_interval(row):
        return f"{ci}cannot be estimated"
    return f"{ci}{fixed(row.low, _DIGITS)} to {fixed(row.high, _DIGITS)}"


def _has_interval(row: Any) -> bool:
    """Tell whether the resamples vary: where they all agree, they do not tell how far other samples might differ."""
    return bool(np.isfinite(row.low) and row.low < row.high)


def _explain_intervals(frame: pd.DataFrame) -> list[str]:
    """Say once why an interval cannot be estimated."""
    if not (frame["low"] == frame["high"]).any():
        return []
    return ["A CI cannot be estimated where all resamples give the same value."]


def title_agreement(frame: pd.DataFrame, *, unranked: Collection[str] = ()) -> str:
    """Say by how many of the measures which metric has the highest value.

    Parameters
    ----------
    frame : DataFrame
        Of `measure_agreement`.
    unranked : collection of str
        Names of scores that are no metrics, such as a second human score.
    """
    ranked = frame[~frame["metric"].isin(unranked)].dropna(subset="agreement")
    highest = ranked.groupby(["scope", "measure"])["agreement"].transform("max")
    best = ranked[ranked["agreement"] >= highest - TIE]
    n_measures = len(best.drop_duplicates(["scope", "measure"]))
    if not n_measures:
        return "No measure of agreement is defined"
    # Metrics that share the highest value are named together: neither of them wins.
    names = best.groupby(["scope", "measure"], sort=False)["metric"].agg(tuple)
    wins = names.value_counts(sort=False).sort_values(ascending=False, kind="stable")
    (first, number), *others = wins.items()
    verb = "has" if len(first) == 1 else "have"
    said = [f"{listed(first)} {verb} the highest value in {number} of {n_measures} measures"]
    return ", ".join([*said, *(f"{listed(name)} in {number}" for name, number in others)])


def describe_tests(frame: pd.DataFrame) -> str:
    """Say for each measure whether one metric is shown to agree better with humans than the other.

    A metric is said to agree better only where p rejects equality and the interval, which resamples systems and
    documents, excludes 0.

    Parameters
    ----------
    frame : DataFrame
        Of `compare_agreement`.
    """
    lines = [_describe_test(row) for row in frame.itertuples()]
    lines += _explain_intervals(frame)
    if len(frame) > 1:
        lines.append("The p-values are not adjusted for the number of measures.")
    return wrap(lines, indent="  ")


def _describe_test(row: Any) -> str:
    measure = f"{LEVELS[row.scope]}, {name_measure(row.scope, row.measure)}"
    if pd.isna(row.p_value):
        return f"{measure}: not defined."
    p = name_p(row.p_value, EXACT_DIGITS if row.exact else digits_of_trials(row.n_trials))
    difference = f"{row.a} - {row.b} = {signed(row.difference, _DIGITS)} ({_name_interval(row, True)}, {p})"
    return f"{measure}: {difference}. {_verdict(row)}."


def _verdict(row: Any) -> str:
    if row.p_value > 1 - row.level:
        return "No difference in agreement is shown"
    ci = f"{in_percent(row.level)} CI"
    if not _has_interval(row):
        return f"PERM-BOTH rejects equality, but the {ci} cannot be estimated"
    if row.low <= 0 <= row.high:
        samples = f"systems and {row.unit}s"
        problem = f"PERM-BOTH rejects equality, but the {ci}, which resamples {samples}, includes 0"
        return f"{problem}, so no difference in agreement is claimed"
    return f"{row.a if row.difference > 0 else row.b} agrees better with humans"
