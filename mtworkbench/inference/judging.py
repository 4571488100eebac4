"""From what was drawn and computed of a pair of systems to what is said of it, one family of pairs at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import NamedTuple, TypeVar

from mtworkbench.inference.step_down import Step
from mtworkbench.inference.verdicts import judge_method_family, judge_tests
from mtworkbench.metrics import Length, MeanScore, Metric
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.results.crossed import CrossedAnalysis
from mtworkbench.results.estimates import FurtherResult, PairedBootstrap, Randomization
from mtworkbench.results.settings import Settings
from mtworkbench.results.verdicts import Verdict

Asked = TypeVar("Asked")
Said = TypeVar("Said")


@dataclass(frozen=True, eq=False)
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


class OnSet(NamedTuple):
    """What was drawn and computed of two systems on one test set, before a verdict.

    Parameters
    ----------
    estimated : Estimated
    bootstrap : PairedBootstrap
    standard_error : float or None
        Of the difference, by the delete-one jackknife; None for one unit.
    """

    estimated: Estimated
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


def group_families(by_metric: Sequence[Sequence[Asked]], family: str | None) -> list[list[Asked]]:
    """Return the families: the comparisons of each metric, or those of all metrics as one (``family="all"``)."""
    return [list(chain(*by_metric))] if family == "all" else [list(own) for own in by_metric]


def in_families(
    judge: Callable[[list[Asked]], Iterable[Said]], by_metric: Sequence[Sequence[Asked]], family: str | None
) -> list[list[Said]]:
    """Judge the comparisons family by family, and return what is said of them metric by metric."""
    judged = chain.from_iterable(judge(one) for one in group_families(by_metric, family))
    return [list(islice(judged, len(own))) for own in by_metric]


def judge_further(family: Sequence[Estimated], level: float) -> list[tuple[FurtherResult, ...]]:
    """Judge what each additional test found of one metric's comparisons as a family; one row per comparison."""
    found = [one.further for one in family]
    by_test = [type(results[0]).judge(results, level) for results in zip(*found, strict=True)]
    return list(zip(*by_test, strict=True)) if by_test else [()] * len(found)
