"""Why the published rules disagree: from which difference on each says "significant", and systems that hardly differ.

How often the rules err on a user's own data is counted by `mtworkbench.calibrate`; what was counted elsewhere is added
by `mtworkbench.analyses.conventions`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference.conventions import Conventions
from mtworkbench.inference.families import check_comparable
from mtworkbench.inference.rules import COMET_SHARE, COMPARE_MT_SHARE, RULES, Observed, Rule
from mtworkbench.statistics.segment_statistics import SystemStatistics
from mtworkbench.wording import agree, listed, tally
from mtworkbench.words.frames import in_percent
from mtworkbench.words.lines import wrap

#: Standard deviation of the drawn differences, in standard errors, where it is not 1: samples are smaller.
SPREADS = {"half_sampled": COMPARE_MT_SHARE**-0.5, "comet_sampled": COMET_SHARE**-0.5}
# Differences that are drawn, and how often the interval that has the threshold is halved.
_N_DRAWN, _N_HALVINGS = 10_001, 20
# No rule needs so many standard errors.
_FAR = 20.0


def tabulate_thresholds(level: float = 0.95) -> pd.DataFrame:
    """Compute from how many standard errors on each rule calls a difference significant, and how often it errs so.

    Differences are taken as normally distributed, on test sets and on what is drawn from one, whose segments are many
    and independent: what is left is the rule alone. MultEval's rule is that for one run.

    Parameters
    ----------
    level : float

    Returns
    -------
    DataFrame
        One row per rule, in the order of `mtworkbench.inference.rules.RULES`: ``rule``, ``standard_errors``,
        ``rejected_percent`` (of equal systems, which differ by at least so much).
    """
    from mtworkbench.distributions import ndtr, ndtri

    normal = ndtri((np.arange(_N_DRAWN) + 0.5) / _N_DRAWN)
    thresholds = [_find_threshold(rule, level, normal) for rule in RULES]
    return pd.DataFrame(
        {
            "rule": [rule.name for rule in RULES],
            "standard_errors": thresholds,
            "rejected_percent": [200 * float(ndtr(-one)) for one in thresholds],
        }
    )


def _find_threshold(rule: Rule, level: float, normal: np.ndarray) -> float:
    """Return the smallest difference, in standard errors, that a rule calls significant."""
    low, high = 0.0, _FAR
    for _ in range(_N_HALVINGS):
        middle = (low + high) / 2
        value = rule.value(Observed(middle, 1.0, len(normal) - 1), _draw(rule.draws, middle, normal))
        low, high = (low, middle) if rule.rejects(value, level) else (middle, high)
    return high


def _draw(draws: str, difference: float, normal: np.ndarray) -> np.ndarray:
    """Return what a rule sees of a difference whose standard error is 1: normal quantiles take the place of draws."""
    if draws == "influence":
        return normal / math.sqrt(len(normal))
    if draws == "segment_scores":
        return difference + normal * math.sqrt(len(normal))
    if draws.endswith("exchanged"):  # exchanges are drawn as if the systems were equal
        return normal
    return difference + SPREADS.get(draws, 1) * normal


def describe_thresholds(frame: pd.DataFrame, *, level: float = 0.95) -> str:
    """Say from which difference on the rules call it significant, and how often equal systems reach it.

    Parameters
    ----------
    frame : DataFrame
        Of `tabulate_thresholds`.
    level : float
        With which ``frame`` was computed.
    """
    lines = [
        "The smallest difference that a rule calls significant, and how often equal systems differ by as much or more "
        f"(it should be {in_percent(1 - level)}):"
    ]
    rounded = frame.assign(rejected=frame["rejected_percent"].round(1))
    rounded = rounded.sort_values("rejected", kind="stable", ascending=False)
    for rejected, part in rounded.groupby("rejected", sort=False):
        smallest = f"{part['standard_errors'].mean():.2f} standard errors"
        lines.append(f"{smallest}, {rejected:.1f} %: {listed(part['rule'])}.")
    return wrap(lines, indent="  ", finding=False)


def tabulate_verdicts(found: Mapping[str, Conventions]) -> pd.DataFrame:
    """Lay the verdicts of the rules on several comparisons side by side.

    Parameters
    ----------
    found : mapping of str to Conventions
        By the heading of its column.

    Returns
    -------
    DataFrame
        One row per rule: ``rule``, and a column of verdicts for each comparison: "no" is not significant; missing where
        a rule gives no verdict.
    """
    short = {"not significant": "no"}
    verdicts = {
        heading: {one.name: short.get(one.verdict or "", one.verdict) for one in said.rules}
        for heading, said in found.items()
    }
    names = [rule.name for rule in RULES if any(rule.name in said for said in verdicts.values())]
    columns = {heading: [said.get(name) for name in names] for heading, said in verdicts.items()}
    return pd.DataFrame({"rule": names} | columns)


def title_conventions(frame: pd.DataFrame, level: float) -> str:
    """Say how many rules call a difference significant.

    Parameters
    ----------
    frame : DataFrame
        Of `Conventions.to_frame`.
    level : float
    """
    verdicts = frame["verdict"].dropna()
    n_significant = int((verdicts == "significant").sum())
    rules, call = tally(len(verdicts), "rule"), agree(n_significant, "call")
    return f"{n_significant} of {rules} {call} the difference significant at {in_percent(1 - level)}"


def copy_but_for(a: SystemStatistics, b: SystemStatistics, n_segments: int) -> SystemStatistics:
    """Make a copy of a system that has the outputs of another one in a few segments.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set, with equal numbers of runs.
    n_segments : int
        In so many of the segments in which the systems differ, the first ones, the copy has b's outputs; with 0 it is
        identical.

    Returns
    -------
    SystemStatistics
        ``b`` itself where the systems differ in no more segments.

    Raises
    ------
    InputError
        Where the systems cannot be compared, or have different numbers of runs (``unequal-runs``).
    """
    differing = np.flatnonzero(_differ(a, b))
    if n_segments >= len(differing):
        return b
    taken = differing[:n_segments]
    values = a.values.copy()
    values[:, taken] = b.values[:, taken]
    name = "its copy" + (f" ({tally(n_segments, 'segment')} changed)" if n_segments else "")
    return replace(a, system=name, values=values)


def _differ(a: SystemStatistics, b: SystemStatistics) -> np.ndarray:
    """Tell in which segments the statistics differ: (n_segments,) ndarray of bool."""
    check_comparable(a, b)
    if a.n_runs != b.n_runs:
        raise InputError(
            "unequal-runs",
            f"{a.system!r} has {tally(a.n_runs, 'run')} and {b.system!r} has {b.n_runs}, but their outputs are "
            "compared run by run: give equal numbers of runs.",
        )
    alike = (a.values == b.values) | (np.isnan(a.values) & np.isnan(b.values))
    return ~alike.all(axis=(0, 2))
