"""What standard deviations over test sets and over runs say, in sentences made from the numbers.

They are facts about one system's score. Where to spend next depends on the difference of two systems, which varies in
other ways: see `mtworkbench.inference.more_runs.advise_spending`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mtworkbench.inference.runs import ENOUGH_RUNS

if TYPE_CHECKING:
    from mtworkbench.inference.variance_results import SystemVariance


def read_deviations(system: SystemVariance) -> Iterator[str]:
    """Say what one system's deviations say (Clark et al. (2011), 4.1 and §6).

    Parameters
    ----------
    system : SystemVariance

    Yields
    ------
    str
        One sentence that compares s_sel with s_test, one that compares s_test with s_dev, where they are known.
    """
    if system.s_test is None:
        yield f"{system.system}: one run says nothing about how much the score would change with another run."
        return
    if system.s_sel is not None:
        yield f"{system.system}: {read_selection(system.s_sel, system.s_test)}"
    if system.s_dev is not None:
        yield f"{system.system}: {read_tuning(system.s_dev, system.s_test, system.runs)}"


def read_selection(s_sel: float, s_test: float) -> str:
    """Say which is larger, test-set variation or run-to-run variation."""
    of_runs, of_sets = f"run-to-run variation (s_test {s_test:.2g})", f"test-set variation (s_sel {s_sel:.2g})"
    return (
        f"{of_runs} is at least as large as {of_sets}." if s_sel <= s_test else f"{of_sets} is larger than {of_runs}."
    )


def read_tuning(s_dev: float, s_test: float, n_runs: int) -> str:
    """Say whether what the runs have in common on the set they were tuned on carries over."""
    deviations = f"on the test set (s_test {s_test:.2g}) than on the dev set (s_dev {s_dev:.2g})"
    if s_test <= s_dev:
        return f"the runs differ no more {deviations}, so there is no sign that tuning fails to carry over."
    sentence = (
        f"the runs differ more {deviations}, so runs that tuning made equally good on the dev set are not equally good "
        "on the test set"
    )
    chance = largest_ratio_by_chance(n_runs)
    if n_runs < ENOUGH_RUNS and (s_dev == 0 or s_test / s_dev < chance):
        sentence += f" (but with {n_runs} runs, a ratio of the two below {chance:.2g} may be chance)"
    return sentence + "."


def largest_ratio_by_chance(n_runs: int) -> float:
    """Return the ratio of two standard deviations over so many normal runs that chance exceeds in 2.5 % of cases."""
    from scipy.special import fdtri

    return math.sqrt(float(fdtri(n_runs - 1, n_runs - 1, 0.975)))
