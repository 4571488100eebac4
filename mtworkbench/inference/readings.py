"""What standard deviations over test sets and over runs say, in sentences made from the numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mtworkbench.inference.runs import ENOUGH_RUNS

if TYPE_CHECKING:
    from mtworkbench.inference.variance_results import SystemVariance

# Nobody is told to make a test set longer than this many times.
MAX_LENGTHENING = 100


def read_deviations(system: SystemVariance) -> Iterator[str]:
    """Say what one system's deviations say (Clark et al. (2011), 4.1 and §6).

    Parameters
    ----------
    system : SystemVariance

    Yields
    ------
    str
        One sentence on s_sel beside s_test, one on s_test beside s_dev, where they are known.
    """
    if system.s_test is None:
        yield f"{system.system}: with one run nothing is known of how much another would differ."
        return
    if system.s_sel is not None:
        yield f"{system.system}: {read_selection(system.s_sel, system.s_test)}"
    if system.s_dev is not None:
        yield f"{system.system}: {read_tuning(system.s_dev, system.s_test, system.runs)}"


def read_selection(s_sel: float, s_test: float) -> str:
    """Say which weighs more, the choice of sentences or the choice of run."""
    if s_sel <= s_test:
        return (
            f"s_sel {s_sel:.2g} is not above s_test {s_test:.2g}, so that the choice of run moves the score at least "
            "as much as the choice of sentences, and more runs tell more than a longer test set."
        )
    lengthening = (s_sel / s_test) ** 2 if s_test > 0 else math.inf
    times = f"{lengthening:.2g}" if lengthening <= MAX_LENGTHENING else f"more than {MAX_LENGTHENING}"
    return (
        f"s_sel {s_sel:.2g} is above s_test {s_test:.2g}, so that the choice of sentences moves the score more than "
        f"the choice of run, which asks for a longer test set ({times} times as long would make them equal)."
    )


def read_tuning(s_dev: float, s_test: float, n_runs: int) -> str:
    """Say whether what the runs have in common on the set they were tuned on carries over."""
    if s_test <= s_dev:
        return f"s_test {s_test:.2g} is not above s_dev {s_dev:.2g}, so that the tuning carries over to the test set."
    sentence = (
        f"s_test {s_test:.2g} is above s_dev {s_dev:.2g}, so that the tuning does not carry over: runs that score "
        "alike where they were tuned differ on the test set"
    )
    chance = largest_ratio_by_chance(n_runs)
    if n_runs < ENOUGH_RUNS and (s_dev == 0 or s_test / s_dev < chance):
        sentence += f" (but with {n_runs} runs a ratio below {chance:.2g} may be chance)"
    return sentence + "."


def largest_ratio_by_chance(n_runs: int) -> float:
    """Return the ratio of two standard deviations over so many normal runs that chance exceeds in 2.5 % of cases."""
    from scipy.special import fdtri

    return math.sqrt(float(fdtri(n_runs - 1, n_runs - 1, 0.975)))
