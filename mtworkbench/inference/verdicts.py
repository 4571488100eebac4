"""What p-values let one say: the family that they belong to, verdict and conclusion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass, replace
from itertools import chain, cycle, islice
from typing import NamedTuple, TypeVar

from mtworkbench.inference.trials import Tested, tolerate_by_holm
from mtworkbench.metrics import Length, MeanScore, Metric
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.metrics.protocol import largest_difference
from mtworkbench.results.comparisons import Measured
from mtworkbench.results.crossed import CrossedAnalysis
from mtworkbench.results.estimates import FurtherResult, PairedBootstrap, Randomization
from mtworkbench.results.settings import Settings
from mtworkbench.results.verdicts import ROUNDING, Ends, Verdict, holm_adjust, judge_method_family

Asked = TypeVar("Asked")
Said = TypeVar("Said")


def judge_holm(p_values: Sequence[float], lows: Sequence[float], highs: Sequence[float], level: float) -> list[Verdict]:
    """Judge the comparisons of a family together by Holm's method.

    Parameters
    ----------
    p_values, lows, highs : (n_comparisons,) sequence of float
        Each p with the ends of its simulation error.
    level : float

    Returns
    -------
    list of Verdict
        One per comparison, in the order given.
    """
    adjusted = (holm_adjust(values).tolist() for values in (p_values, lows, highs))
    return [Verdict(p, word_verdict(low, high, level), "holm") for p, low, high in zip(*adjusted, strict=True)]


def word_verdict(low: float, high: float, level: float) -> str:
    """Return the verdict of an adjusted p, given the ends of its simulation error."""
    low_rejects, high_rejects = (end <= 1 - level + ROUNDING for end in (low, high))
    return "undecided" if low_rejects != high_rejects else "significant" if low_rejects else "not significant"


def judge_tests(tests: Sequence[Randomization], level: float) -> list[Verdict]:
    """Judge randomization tests as one family by Holm's method: see `judge_holm`."""
    lows, highs = [one.p_low for one in tests], [one.p_high for one in tests]
    return judge_holm([one.p_value for one in tests], lows, highs, level)


def judge_trials(tests: Sequence[Randomization], tested: Sequence[Tested], settings: Settings) -> list[Verdict]:
    """Judge comparisons on these outputs: by the trials that they share, or by Holm's method."""
    if settings.adjust != "max-t":
        return judge_tests(tests, settings.level)
    return [_judge_max_t(said, test.difference, settings) for test, said in zip(tests, tested, strict=True)]


def judge_on_outputs(family: Sequence[Estimated], settings: Settings) -> list[Verdict]:
    """Judge comparisons on these outputs; give the better system and the tolerated design effect of each."""
    tests, tested = [one.randomization for one in family], [one.tested for one in family]
    judged, tolerated = judge_trials(tests, tested, settings), [one.tolerated for one in tested]
    if settings.adjust == "holm":
        tolerated = tolerate_by_holm(tested, [one.n_coins for one in tests], settings.level)
    return [
        replace(verdict, better=one.name_better(verdict), tolerated_design_effect=one.tell_tolerated(verdict, factor))
        for one, verdict, factor in zip(family, judged, tolerated, strict=True)
    ]


def _judge_max_t(tested: Tested, difference: float, settings: Settings) -> Verdict:
    verdict = word_verdict(tested.p_adjusted_low, tested.p_adjusted_high, settings.level)
    low, high = tested.simultaneous_low, tested.simultaneous_high
    agreeing = Ends.agreeing(low, high, difference, shown=verdict == "significant")
    ends = agreeing if settings.interval_of_differences == "exchanges" else None
    return Verdict(tested.p_adjusted, verdict, "max-t", low, high, ends)


def widen(
    difference: float, errors: Sequence[tuple[float, float]], n_comparisons: int, level: float, *, shown: bool
) -> Ends:
    """Return an interval by Student's t that holds together with those of all comparisons (Bonferroni).

    Holm's method, which steps down, rejects more than these exclude: the end is then cut off at 0.

    Parameters
    ----------
    difference : float
    errors : sequence of (float, float)
        Standard errors with their degrees of freedom: the widest interval is taken. None of them: there is no interval.
    n_comparisons : int
    level : float
    shown : bool
        Whether the test has shown on which side of 0 the difference lies.
    """
    from mtworkbench.distributions import stdtrit

    if not errors:
        return Ends(None, None)
    tail = (1 - level) / (2 * max(1, n_comparisons))  # of copies alone there is none
    half = max(-float(stdtrit(df, tail)) * error for error, df in errors)
    return Ends.agreeing(difference - half, difference + half, difference, shown=shown)


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
        new runs unknown``, ``shown on these outputs only``, ``shown for the method``.
    """
    shown = {None: "shown on these outputs; new runs unknown", "significant": "shown for the method"}
    return _conclude(verdict, identical, shown.get(method_verdict, "shown on these outputs only"))


def _conclude(verdict: str, identical: str | None, shown: str) -> str:
    if identical is not None:
        return identical
    return {"significant": shown, "undecided": "undecided"}.get(verdict, "not shown")


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
    shown = "shown for new test sets" if new_sets_verdict == "significant" else "shown on these test sets only"
    return _conclude(verdict, identical, shown)


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimated:
    """What was drawn and computed of two systems, on one test set or over several, before a verdict.

    Parameters
    ----------
    metric : Metric
    randomization : Randomization
    method : CrossedAnalysis
    further : tuple of FurtherResult
    measured : Measured
    low, high : float or None
        The interval of the difference by itself.
    tested : Tested
        What the trials of its family say.
    share_independent : float or None
        1 where segments are the units because documents are not known, else 0; over several sets, the share of the
        variance of the mean difference that comes from such sets, by the delete-one jackknife. None where segments
        of known documents are the units, also of only one set.
    """

    metric: Metric
    randomization: Randomization
    method: CrossedAnalysis
    further: tuple[FurtherResult, ...]
    measured: Measured
    low: float | None
    high: float | None
    tested: Tested
    share_independent: float | None

    @property
    def identical(self) -> str | None:
        """What two systems are called of which nothing differs; None where something does."""
        if self.measured.segments_differing:
            return None
        # Equal n-grams make copies, equal ratings do not.
        return "identical scores" if isinstance(self.metric, (MeanScore, Length)) else "copies"

    @property
    def largest(self) -> float:
        """The largest difference that is possible."""
        return largest_difference(self.metric)

    @property
    def possible(self) -> Ends:
        """The possible part of the interval of the difference by itself."""
        return Ends(self.low, self.high).within(self.largest)

    def name_better(self, verdict: Verdict) -> str | None:
        """Name the better system where the difference is significant and the metric has a direction."""
        if verdict.verdict != "significant" or not has_direction(self.metric):
            return None
        found = self.randomization
        return found.a if sign_of(self.metric) * found.difference > 0 else found.b

    def tell_tolerated(self, verdict: Verdict, tolerated: float | None) -> float | None:
        """Return the design effect that a verdict tolerates, where it rests on independent segments.

        Where only a share of the variance comes from such segments, they alone make up the tolerated factor: a design
        effect d multiplies the whole variance by ``1 + share * (d - 1)``.

        Never below 1 where a difference is shown: see `choose_steps`, which may leave it a little too small.
        """
        if verdict.verdict != "significant" or not self.share_independent or tolerated is None:
            return None
        if self.share_independent < 1:
            tolerated = 1.0 + (tolerated - 1.0) / self.share_independent
        return max(1.0, tolerated)


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
    methods = [one.method for one in family]
    of_methods, size = judge_counted([one.method_p_value for one in methods], family, settings)
    p_if_alike = [one.method_p_pooled if one.runs == "pooled" else None for one in methods]
    if_alike, _ = judge_counted(p_if_alike, family, settings)
    on_outputs = judge_on_outputs(family, settings)
    everything = zip(family, methods, on_outputs, of_methods, if_alike, strict=True)
    return [
        replace(
            verdict,
            method_p_adjusted=p_adjusted,
            method_verdict=word,
            method_ends=None
            if settings.adjust != "max-t"
            else widen(one.difference, one.errors, size, settings.level, shown=word == "significant"),
            shown_if_alike=(verdict.verdict, word, plain) == ("significant", "not significant", "significant"),
            method_tolerated_design_effect=pair.tell_tolerated(
                verdict, tolerate_by_t(one, p_adjusted or 0.0, settings.level) if word == "significant" else None
            ),
        )
        for pair, one, verdict, (p_adjusted, word), (_, plain) in everything
    ]


def tolerate_by_t(one: CrossedAnalysis, p_adjusted: float, level: float) -> float | None:
    """Return the factor by which the variance over units can be larger while the adjusted p for the method rejects.

    Degrees of freedom are taken as they are, although more of the variance would be that of units. Where runs are
    pooled, the smallest factor of the errors counts. None where only runs vary.
    """
    from mtworkbench.distributions import stdtrit

    if one.variance is None or not one.variance.unit or not one.method_p_value:
        return None
    tail = (1 - level) / 2 * one.method_p_value / p_adjusted
    spare = min((one.difference / stdtrit(df, tail)) ** 2 - error**2 for error, df in one.errors)
    return float(1 + spare / one.variance.unit)


def judge_counted(
    p_values: Sequence[float | None], family: Sequence[Estimated], settings: Settings
) -> tuple[list[tuple[float | None, str | None]], int]:
    """Judge another question of comparisons as a family (`judge_method_family`); return for how many p is adjusted."""
    counted = [p if is_counted(one, settings) else None for p, one in zip(p_values, family, strict=True)]
    judged = judge_method_family(counted, settings.level)
    return [
        one if p is None or known is not None else (p, "not significant")  # copies, whose p is 1
        for one, p, known in zip(judged, p_values, counted, strict=True)
    ], sum(p is not None for p in counted)


class JudgedMetric(NamedTuple):
    """What is said of the pairs of one metric.

    Parameters
    ----------
    verdicts : list of Verdict
    further : list of tuple of FurtherResult
    family_size, method_family_size : int
        For how many comparisons p is adjusted, on these outputs and for the method. With max-T copies do not count:
        every exchange gives the same difference, 0.
    """

    verdicts: list[Verdict]
    further: list[tuple[FurtherResult, ...]]
    family_size: int
    method_family_size: int


def judge_metrics(by_metric: Sequence[Sequence[Estimated]], settings: Settings) -> list[JudgedMetric]:
    """Judge the pairs of each metric, or of all metrics, as a family."""
    verdicts = in_families(lambda ones: judge_pairs(ones, settings), by_metric, settings.family)
    sizes = [
        (
            count_comparisons(ones, settings),
            sum(one.method.method_p_value is not None and is_counted(one, settings) for one in ones),
        )
        for ones in group_families(by_metric, settings.family)
    ]
    # One family of all metrics is that of each metric.
    return [
        JudgedMetric(said, judge_further(pairs, settings.level), *size)
        for said, pairs, size in zip(verdicts, by_metric, cycle(sizes), strict=False)
    ]


def count_comparisons(family: Sequence[Estimated], settings: Settings) -> int:
    """Count for how many comparisons p is adjusted on these outputs."""
    return sum(is_counted(one, settings) for one in family)


def is_counted(one: Estimated, settings: Settings) -> bool:
    """Tell whether a comparison counts in its family: with max-T, copies do not."""
    return settings.adjust != "max-t" or one.randomization.n_coins > 0


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
