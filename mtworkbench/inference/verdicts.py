"""What p-values let one say: the family that they belong to, verdict and conclusion."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass, replace
from itertools import chain, cycle, islice
from typing import NamedTuple, TypeVar

import numpy as np

from mtworkbench.inference.intervals import share_extreme
from mtworkbench.inference.step_down import Step
from mtworkbench.metrics import Length, MeanScore, Metric
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.results.crossed import CrossedAnalysis
from mtworkbench.results.estimates import FurtherResult, PairedBootstrap, Randomization
from mtworkbench.results.settings import Settings, min_trials
from mtworkbench.results.verdicts import ROUNDING, Verdict, holm_adjust, judge_method_family

Asked = TypeVar("Asked")
Said = TypeVar("Said")

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


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimated:
    """What was drawn and computed of two systems, on one test set or over several, before a verdict.

    Parameters
    ----------
    metric : Metric
    randomization : Randomization
    method : CrossedAnalysis
    further : tuple of FurtherResult
    score_a, score_b : float
        On the segments that both have scores for; over several sets, the means of theirs.
    n_segments, segments_differing : int
        Of these segments, and those of them whose statistics, averaged over runs, differ.
    step : Step or None
        What the trials of its family say, with max-T.
    """

    metric: Metric
    randomization: Randomization
    method: CrossedAnalysis
    further: tuple[FurtherResult, ...]
    score_a: float
    score_b: float
    n_segments: int
    segments_differing: int
    step: Step | None = None

    @property
    def identical(self) -> str | None:
        """What two systems are called of which nothing differs; None where something does."""
        if self.segments_differing:
            return None
        # Equal n-grams make copies, equal ratings do not.
        return "identical scores" if isinstance(self.metric, (MeanScore, Length)) else "copies"

    def name_better(self, verdict: Verdict) -> str | None:
        """Name the better system where the difference is significant and the metric has a direction."""
        if verdict.verdict != "significant" or not has_direction(self.metric):
            return None
        found = self.randomization
        return found.a if sign_of(self.metric) * found.difference > 0 else found.b


@dataclass(frozen=True, eq=False, kw_only=True)
class OnSet(Estimated):
    """What was drawn and computed of two systems on one test set, before a verdict.

    Parameters
    ----------
    bootstrap : PairedBootstrap
    standard_error : float or None
        Of the difference, by the delete-one jackknife; None for one unit.
    """

    bootstrap: PairedBootstrap
    standard_error: float | None


def judge_pairs(family: Sequence[Estimated], settings: Settings) -> list[Verdict]:
    """Judge the comparisons of a family together, on these outputs and for the method."""
    tests, steps = [one.randomization for one in family], [one.step for one in family]
    verdicts = judge_tests(tests, settings.level, adjust=settings.adjust or "holm", steps=steps)
    of_methods = judge_method_family([one.method.method_p_value for one in family], settings.level)
    return [
        replace(verdict, better=one.name_better(verdict), method_p_adjusted=p_adjusted, method_verdict=of_method)
        for one, verdict, (p_adjusted, of_method) in zip(family, verdicts, of_methods, strict=True)
    ]


class JudgedMetric(NamedTuple):
    """What is said of the pairs of one metric.

    Parameters
    ----------
    verdicts : list of Verdict
    further : list of tuple of FurtherResult
    family_size, method_family_size : int
        For how many comparisons p is adjusted, on these outputs and for the method.
    """

    verdicts: list[Verdict]
    further: list[tuple[FurtherResult, ...]]
    family_size: int
    method_family_size: int


def judge_metrics(by_metric: Sequence[Sequence[Estimated]], settings: Settings) -> list[JudgedMetric]:
    """Judge the pairs of each metric, or of all metrics, as a family."""
    verdicts = in_families(lambda ones: judge_pairs(ones, settings), by_metric, settings.family)
    sizes = [
        (len(ones), sum(one.method.method_p_value is not None for one in ones))
        for ones in group_families(by_metric, settings.family)
    ]
    # One family of all metrics is that of each metric.
    return [
        JudgedMetric(said, judge_further(pairs, settings.level), *size)
        for said, pairs, size in zip(verdicts, by_metric, cycle(sizes), strict=False)
    ]


def group_families(by_metric: Sequence[Sequence[Asked]], family: str | None) -> list[list[Asked]]:
    """Return the families: the comparisons of each metric, or those of all metrics as one (``family="all"``)."""
    return [list(chain(*by_metric))] if family == "all" else [list(own) for own in by_metric]


def in_families(
    judge: Callable[[list[Asked]], Iterable[Said]], by_metric: Sequence[Sequence[Asked]], family: str | None
) -> list[list[Said]]:
    """Judge the comparisons family by family, and return what is said of them metric by metric."""
    return split_like(chain.from_iterable(judge(one) for one in group_families(by_metric, family)), by_metric)


def split_like(values: Iterable[Asked], by_metric: Sequence[Sized]) -> list[list[Asked]]:
    """Return the values metric by metric, as many of each as there are of something else."""
    remaining = iter(values)
    return [list(islice(remaining, len(own))) for own in by_metric]


def judge_further(family: Sequence[Estimated], level: float) -> list[tuple[FurtherResult, ...]]:
    """Judge what each additional test found of one metric's comparisons as a family; one row per comparison."""
    found = [one.further for one in family]
    by_test = [type(results[0]).judge(results, level) for results in zip(*found, strict=True)]
    return list(zip(*by_test, strict=True)) if by_test else [()] * len(found)
