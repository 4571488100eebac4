"""What p-values let one say: the family that they belong to, verdict and conclusion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mtworkbench.inference.intervals import share_extreme
from mtworkbench.inference.step_down import Step
from mtworkbench.results.estimates import Randomization
from mtworkbench.results.settings import min_trials
from mtworkbench.results.verdicts import ROUNDING, Verdict, holm_adjust

# Nobody is advised to make more trials than this.
MAX_TRIALS_TO_DECIDE = 10**7
# Of as many trials as this factor times the bare minimum, about nine of ten comparisons come out decided.
SAFETY = 2.7


def trials_to_decide(p_value: float, threshold: float) -> int | None:
    """Return ceil(2.7 * 1.96**2 p (1 - p) / (p - t)**2), or None above 10**7."""
    distance = (p_value - threshold) ** 2
    needed = SAFETY * 1.96**2 * p_value * (1 - p_value)
    if needed > MAX_TRIALS_TO_DECIDE * distance:
        return None
    return math.ceil(needed / distance)


def judge_family(
    p_values: Sequence[float],
    lows: Sequence[float],
    highs: Sequence[float],
    exact: Sequence[bool],
    level: float,
    n_trials: int,
    *,
    adjust: str = "holm",
) -> list[Verdict]:
    """Judge the comparisons of a family together.

    Parameters
    ----------
    p_values, lows, highs : (n_comparisons,) sequence of float
        Each p with the ends of its Monte-Carlo error; for max-T those of `StepDown`, which are adjusted already.
    exact : (n_comparisons,) sequence of bool
        Whether a p comes from full enumeration.
    level : float
    n_trials : int
        Trials that were made: the advice is always for more.
    adjust : {"holm", "max-t"}

    Returns
    -------
    list of Verdict
        One per comparison, in the order given.
    """
    size, is_holm = 1 - level, adjust == "holm"
    adjusted, adjusted_lows, adjusted_highs = (
        holm_adjust(values) if is_holm else np.asarray(values) for values in (p_values, lows, highs)
    )
    at_least = max(min_trials(len(adjusted) if is_holm else 1, level), n_trials + 1)
    verdicts: dict[int, Verdict] = {}
    decisive: int | None = at_least  # trials that decide every undecided comparison so far in the order of ranks
    for i in np.argsort(p_values, kind="stable").tolist():
        low_rejects, high_rejects = (bool(end[i] <= size + ROUNDING) for end in (adjusted_lows, adjusted_highs))
        needed = None
        if low_rejects != high_rejects and not exact[i]:
            # Those with the same p have the rank of their first, as their adjusted p has: their order decides nothing.
            rank = int(np.count_nonzero(np.asarray(p_values) < p_values[i]))
            own = trials_to_decide(p_values[i], size / (len(adjusted) - rank if is_holm else 1))
            # A comparison waits for those before it: it is rejected only where they all are.
            decisive = None if own is None or decisive is None else max(decisive, own)
            needed = decisive
        verdict = "undecided" if low_rejects != high_rejects else "significant" if low_rejects else "not significant"
        verdicts[i] = Verdict(float(adjusted[i]), verdict, needed, adjust)
    return [verdicts[place] for place in range(len(adjusted))]


def judge_tests(
    tests: Sequence[Randomization], level: float, *, adjust: str = "holm", steps: Sequence[Step | None] = ()
) -> list[Verdict]:
    """Judge randomization tests as one family: see `judge_family`.

    Parameters
    ----------
    tests : sequence of Randomization
    level : float
    adjust : {"holm", "max-t"}
    steps : sequence of Step or None
        With max-T: what the trials of the family say of each test. None, or no steps, where it has one test alone.
    """
    n_trials = max((test.n_trials for test in tests), default=1)
    known = [step for step in steps if step is not None]
    found = [(test.p_value, test.p_low, test.p_high) for test in tests]
    if known:
        found = [share_extreme(step.n_reached, n_trials, False) for step in known]
    p_values, lows, highs = ([one[place] for one in found] for place in range(3))
    exact = [test.exact for test in tests]
    judged = judge_family(p_values, lows, highs, exact, level, n_trials, adjust=adjust)
    if not known:
        return judged
    return [
        replace(one, simultaneous_low=step.low, simultaneous_high=step.high)
        for one, step in zip(judged, known, strict=True)
    ]


def judge_method_family(p_values: Sequence[float | None], level: float) -> list[tuple[float | None, str | None]]:
    """Judge the comparisons of a family that have a p for the method together, by Holm's method.

    Parameters
    ----------
    p_values : (n_comparisons,) sequence of float or None
        Of the crossed analysis; None where it has no answer.
    level : float

    Returns
    -------
    list of (float or None, {"significant", "not significant"} or None)
        Holm-adjusted p and verdict at 1 - level, one per comparison, in the order given.
    """
    adjusted = iter(holm_adjust([p for p in p_values if p is not None]))
    judged: list[tuple[float | None, str | None]] = []
    for p_value in p_values:
        if p_value is None:
            judged.append((None, None))
            continue
        p_adjusted = float(next(adjusted))
        judged.append((p_adjusted, "significant" if p_adjusted <= 1 - level + ROUNDING else "not significant"))
    return judged


def conclude(verdict: str, method_verdict: str | None, *, identical: str | None) -> str:
    """Sum up the answers to both questions.

    A difference must first be shown on these outputs. Then the conclusion says whether it is shown for the method, too.

    Parameters
    ----------
    verdict : {"significant", "not significant", "undecided"}
        On these outputs.
    method_verdict : {"significant", "not significant"} or None
        For the method; None where it was not tested.
    identical : {"copies", "identical scores"} or None
        What two systems are called of which no segment's statistics differ; None where some do.

    Returns
    -------
    str
        The first that fits: ``copies`` or ``identical scores``, ``undecided``, ``not shown``, ``shown on these outputs;
        method not tested``, ``shown on these outputs only``, ``shown for the method``.
    """
    if identical is not None:
        return identical
    if verdict != "significant":
        return "undecided" if verdict == "undecided" else "not shown"
    if method_verdict is None:
        return "shown on these outputs; method not tested"
    return "shown for the method" if method_verdict == "significant" else "shown on these outputs only"


def conclude_campaign(verdict: str, new_sets_verdict: str | None, *, identical: str | None) -> str:
    """Sum up the answers to both questions of a campaign: on these test sets, and on new ones.

    A difference must first be shown on these test sets. Then the conclusion says whether it is shown for new ones, too.

    Parameters
    ----------
    verdict : {"significant", "not significant", "undecided"}
        On these test sets.
    new_sets_verdict : {"significant", "not significant"} or None
        For new test sets; None where all sets have exactly the same difference, which says nothing about new ones.
    identical : {"copies", "identical scores"} or None
        See `conclude`.

    Returns
    -------
    str
        The first that fits: ``copies`` or ``identical scores``, ``undecided``, ``not shown``, ``shown on these test
        sets only``, ``shown for new test sets``.
    """
    if identical is not None:
        return identical
    if verdict != "significant":
        return "undecided" if verdict == "undecided" else "not shown"
    return "shown for new test sets" if new_sets_verdict == "significant" else "shown on these test sets only"
