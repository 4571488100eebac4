"""What standard deviations over test sets and over runs say, in sentences made from the numbers.

They are facts about one system's score. Where to spend next depends on the difference of two systems, which varies in
other ways: see `mtworkbench.inference.more_runs.advise_spending`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mtworkbench.inference.runs import ENOUGH_RUNS, spread_factors

if TYPE_CHECKING:
    from mtworkbench.inference.variance_results import SystemVariance


def interpret_deviations(system: SystemVariance) -> Iterator[str]:
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
        yield f"{system.system}: {interpret_selection(system.s_sel, system.s_test)}"
    if system.s_dev is not None:
        yield f"{system.system}: {interpret_tuning(system.s_dev, system.s_test, system.runs)}"


def interpret_selection(s_sel: float, s_test: float) -> str:
    """Say which is larger, test-set variation or run-to-run variation."""
    of_runs, of_sets = f"run-to-run variation (s_test {s_test:.2g})", f"test-set variation (s_sel {s_sel:.2g})"
    if s_sel <= s_test:
        return f"on these runs, the estimate of {of_runs} is at least as large as that of {of_sets}."
    return f"on these runs, the estimate of {of_sets} is larger than that of {of_runs}."


def interpret_tuning(s_dev: float, s_test: float, n_runs: int) -> str:
    """Say whether runs differ more on the test set than on the set they were tuned on."""
    deviations = f"on the test set (s_test {s_test:.2g}) than on the dev set (s_dev {s_dev:.2g})"
    if s_test <= s_dev:
        return f"the runs differ no more {deviations}: no sign that the dev set understates how much runs differ."
    sentence = f"the runs differ more {deviations}: the dev set may understate how much runs differ."
    chance = largest_ratio_by_chance(n_runs)
    if n_runs < ENOUGH_RUNS and (s_dev == 0 or s_test / s_dev < chance):
        sentence += f" With {n_runs} runs, a ratio of s_test to s_dev below {chance:.2g} can be chance."
    return sentence


def interpret_few_runs(numbers: Iterable[int]) -> Iterator[str]:
    """Say how well so few runs show s_test: a sentence for each different number of runs from two to nine."""
    for n_runs in sorted(set(numbers)):
        if 2 <= n_runs < ENOUGH_RUNS:
            low, high = spread_factors(n_runs)
            yield f"With {n_runs} runs, s_test is known only to within a factor of {low:.2g} to {high:.2g}."


def largest_ratio_by_chance(n_runs: int) -> float:
    """Return the ratio of two standard deviations over so many normal runs that chance exceeds in 2.5 % of cases."""
    from scipy.special import fdtri

    return math.sqrt(float(fdtri(n_runs - 1, n_runs - 1, 0.975)))
