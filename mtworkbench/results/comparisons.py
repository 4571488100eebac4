"""The table that a paper prints, as an object: every system, every comparison, every metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Self, TypeAlias, Union

import numpy as np
import pandas as pd

from mtworkbench.assumptions import Doubt
from mtworkbench.results.crossed import CrossedAnalysis, CrossedVariance
from mtworkbench.results.equivalence import Equivalence
from mtworkbench.results.estimates import (
    Estimate,
    FurtherResult,
    Interval,
    Of,
    PairedBootstrap,
    Randomization,
    stack_metrics,
    turn,
)
from mtworkbench.results.rankings import Ranked, RankedSystem
from mtworkbench.results.settings import Settings, WithSettings
from mtworkbench.results.verdicts import Ends, Verdict
from mtworkbench.shown import Assuming

if TYPE_CHECKING:
    from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric, CampaignPair
    from mtworkbench.statistics.segment_statistics import SegmentStatistics


#: What a comparison shows besides where p is adjusted by max-T, and by either method.
OF_MAX_T = (
    *("adjust", "simultaneous_low", "simultaneous_high", "excludes_zero"),
    *("method_simultaneous_low", "method_simultaneous_high", "method_excludes_zero"),
)
#: What every comparison shows last.
SHOWN_LAST = ("tolerated_design_effect", "method_tolerated_design_effect")
#: Of one test set, or of several.
AnyComparison: TypeAlias = Union["Comparison", "CampaignComparison"]
AnyMetric: TypeAlias = Union["MetricComparison", "CampaignMetric"]
AnyPair: TypeAlias = Union["PairEstimate", "CampaignPair"]


@dataclass(frozen=True, repr=False, eq=False)
class SystemEstimate(Estimate):
    """One system under one metric.

    The fields shown are those of the JSON output.

    Parameters
    ----------
    interval : Interval
        The score with its confidence interval. Segments or documents are resampled; the runs are fixed.
    length_ratio, brevity_penalty : float or None
        Words of the outputs divided by words of the references, and the brevity penalty, a factor of the score: means
        over runs; None where the metric has no brevity penalty.

    Attributes
    ----------
    system, runs, score, scores, low, high, s_sel, s_test, design_effect, n_units, n_effective_units
        See `Interval`.
    """

    interval: Interval = field(repr=False)
    system: ClassVar[Of[str]] = Of("interval")
    runs: ClassVar[Of[int]] = Of("interval")
    score: ClassVar[Of[float]] = Of("interval")
    scores: ClassVar[Of[tuple[float, ...]]] = Of("interval")
    low: ClassVar[Of[float | None]] = Of("interval")
    high: ClassVar[Of[float | None]] = Of("interval")
    s_sel: ClassVar[Of[float | None]] = Of("interval")
    s_test: ClassVar[Of[float | None]] = Of("interval")
    design_effect: ClassVar[Of[float | None]] = Of("interval")
    length_ratio: float | None = None
    brevity_penalty: float | None = None
    n_units = Of[int]("interval")
    n_effective_units = Of[float]("interval")
    #: The score of each resample, (n_resamples,) ndarray.
    resampled = Of[np.ndarray]("interval")


def _mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the numbers that there are; None where there is none."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What is measured of two systems under one metric besides the tests of their difference.

    Parameters
    ----------
    score_a, score_b : float
        The systems' scores on the segments that both have scores for; over sets, the means of these.
    n_segments : int
        Segments that the comparison rests on: those that both systems have scores for; over sets, of all together.
    segments_differing : int
        Segments whose statistics, averaged over runs, differ.
    from_length : float or None
        How many points of the difference come from length, that is from the brevity penalty; the rest comes from n-gram
        precision. Over test sets, it is the mean. None where the metric has no brevity penalty.
    """

    score_a: float
    score_b: float
    n_segments: int
    segments_differing: int
    from_length: float | None = None

    @classmethod
    def over_sets(cls, found: Sequence[Measured]) -> Measured:
        """Return the same over several test sets, each counting the same."""
        return cls(
            score_a=float(np.mean([one.score_a for one in found])),
            score_b=float(np.mean([one.score_b for one in found])),
            n_segments=sum(one.n_segments for one in found),
            segments_differing=sum(one.segments_differing for one in found),
            from_length=_mean(one.from_length for one in found),
        )

    def turned(self) -> Measured:
        """Return the same with a and b exchanged."""
        return turn(self, swapped=(("score_a", "score_b"),), negated=("from_length",))


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class TestedPair(Estimate):
    """What the test on some outputs says of two systems under one metric: on one test set, or over several.

    Parameters
    ----------
    randomization : Randomization
        The test on these outputs; the differences of the trials are not kept. Over sets, of the mean difference.
    judged : Verdict
        What is said at the level 1 - `level`, within the family of comparisons.
    measured : Measured
        Both scores, and what else is measured.
    low, high : float or None
        The interval of the difference by itself: of the exchanges that give p, or the one that was asked for. `ends`
        is what tables print.
    """

    randomization: Randomization = field(repr=False)
    judged: Verdict = field(repr=False)
    measured: Measured = field(repr=False)
    score_a: ClassVar[Of[float]] = Of("measured")
    score_b: ClassVar[Of[float]] = Of("measured")
    low: float | None
    high: float | None
    a = Of[str]("randomization")
    b = Of[str]("randomization")
    difference = Of[float]("randomization")
    p_value = Of[float]("randomization")
    p_low = Of[float]("randomization")
    p_high = Of[float]("randomization")
    n_trials = Of[int]("randomization")
    unit = Of[str]("randomization")
    n_units = Of[int]("randomization")
    p_adjusted = Of[float]("judged")
    verdict = Of[str]("judged")
    better = Of[str | None]("judged")
    tolerated_design_effect = Of[float | None]("judged")

    @property
    def ends(self) -> Ends:
        """The interval of the difference that is printed: the one place that every view takes it from."""
        return self.judged.choose_ends(self.low, self.high)

    def turned(self) -> Self:
        """Return the result with a and b exchanged."""
        return turn(self, ends=(("low", "high"),), parts=("randomization", "judged", "measured"))


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class JudgedPair(TestedPair):
    """What is said of two systems under one metric, on one test set or over several.

    Parameters
    ----------
    randomization, judged, measured, low, high
        See `TestedPair`. The verdict is also that for the method.
    method : CrossedAnalysis
        The crossed analysis: whether new training runs would show the difference, too.
    conclusion : str
        What a reader may take away.
    further : tuple of FurtherResult
        What additional tests found.
    """

    method: CrossedAnalysis = field(repr=False)
    conclusion: str
    from_length: ClassVar[Of[float | None]] = Of("measured")
    further: tuple[FurtherResult, ...] = field(default=(), repr=False)
    smallest_p = Of[float]("randomization")
    metric = Of[str]("randomization")
    n_trials_to_decide = Of[int | None]("judged")
    adjust = Of[str]("judged")
    simultaneous_low = Of[float | None]("judged")
    simultaneous_high = Of[float | None]("judged")
    excludes_zero = Of[bool | None]("judged")
    method_tolerated_design_effect = Of[float | None]("judged")
    method_p_adjusted = Of[float | None]("judged")
    method_verdict = Of[str | None]("judged")
    shown_if_alike = Of[bool]("judged")
    runs = Of[str]("method")
    method_p_value = Of[float | None]("method")
    method_low = Of[float | None]("method")
    method_high = Of[float | None]("method")
    method_df = Of[float | None]("method")
    method_p_separate = Of[float | None]("method")
    method_p_pooled = Of[float | None]("method")
    #: The components of the variance of the difference between the methods.
    method_variance = Of[CrossedVariance | None]("method", "variance")

    @property
    def differs(self) -> bool:
        """Whether the systems' scores differ in any segment."""
        return self.conclusion not in ("copies", "identical scores")

    @property
    def margin(self) -> float | None:
        """The margin; None where none was named, and where the systems' scores are the same anyway."""
        return self.equivalence.equivalence_margin if self.equivalence is not None and self.differs else None

    def is_shown(self, *, of_method: bool) -> bool:
        """Tell whether the difference is shown, for the method only where it is shown on what was compared, too."""
        return self.verdict == "significant" and (not of_method or self.method_verdict == "significant")

    @property
    def method_ends(self) -> Ends:
        """The interval of the difference between the methods that is printed."""
        return self.judged.choose_method_ends(self.method_low, self.method_high)

    @property
    def method_simultaneous_low(self) -> float | None:
        """The lower end of the printed interval for the method, which holds for the whole family together."""
        return self.method_ends.low

    @property
    def method_simultaneous_high(self) -> float | None:
        """The upper end of the same interval."""
        return self.method_ends.high

    @property
    def method_excludes_zero(self) -> bool | None:
        """Whether 0 is outside this interval; an end that is 0 may be outside, too."""
        return self.method_ends.excludes_zero

    @property
    def equivalence(self) -> Equivalence | None:
        """What the comparison could have shown, and whether the systems are equal within the margin."""
        return next((one for one in self.further if isinstance(one, Equivalence)), None)

    def shown(self) -> dict[str, object]:
        """Return the estimates by name, with those that only some options have."""
        names = [*(OF_MAX_T if self.adjust == "max-t" else ()), *SHOWN_LAST]
        names += ["method_p_separate", "method_p_pooled"] if self.runs == "pooled" else []
        shown = super().shown() | {name: getattr(self, name) for name in names}
        for one in self.further:
            shown |= one.shown_in_pair()
        return shown

    def turned(self) -> Self:
        """Return the result with a and b exchanged."""
        return turn(super().turned(), parts=("method", "further"))


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PairEstimate(JudgedPair):
    """System a compared with system b, which is the baseline if there is one, under one metric.

    The fields shown are those of the JSON output.

    Parameters
    ----------
    bootstrap : PairedBootstrap
        The difference a - b (not turned round where lower is better) on resamples.
    randomization, method, judged, measured, low, high
        See `TestedPair` and `JudgedPair`. The p on these outputs is adjusted by step-down max-T (Westfall & Young,
        1993) or by Holm's (1979) method.
    conclusion : str
        "copies" or "identical scores", "undecided", "not shown", "shown on these outputs; new runs unknown", "shown on
        these outputs only", "shown for the method".
    further : tuple of FurtherResult
        What `mtworkbench.inference.one_set.FURTHER_TESTS` found besides: `equivalence`, and additional tests.

    Attributes
    ----------
    confidence, wins, losses, ties, design_effect, n_effective_units, units_differing
        See `PairedBootstrap`.
    a, b, metric, difference, p_value, p_low, p_high, smallest_p, unit, n_units
        See `Randomization`.
    score_a, score_b, segments_differing, from_length
        See `Measured`.
    n_segments : int
        Segments that the comparison rests on: those that both systems have scores for.
    method_p_value, method_low, method_high, method_df, method_p_separate, method_p_pooled
        See `CrossedAnalysis`: None where a system has one run.
    p_adjusted, verdict, better, method_p_adjusted, method_verdict, n_trials_to_decide, adjust, simultaneous_low,
    simultaneous_high, excludes_zero, tolerated_design_effect
        See `Verdict`. `adjust` and those after it, but the last, are shown with max-T alone, and so are
        `method_simultaneous_low`, `method_simultaneous_high` and `method_excludes_zero`.
    """

    bootstrap: PairedBootstrap = field(repr=False)
    segments_differing = Of[int]("measured")
    n_segments = Of[int]("measured")
    confidence = Of[float | None]("bootstrap")
    wins = Of[int | None]("bootstrap")
    losses = Of[int | None]("bootstrap")
    ties = Of[int]("bootstrap")
    design_effect = Of[float | None]("bootstrap")
    n_effective_units = Of[float]("bootstrap")
    units_differing = Of[int]("bootstrap")
    #: The difference on each resample, (n_resamples,) ndarray.
    resampled = Of[np.ndarray]("bootstrap", "differences")

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Return the names of the estimates, in the order in which they are shown: the keys of the JSON output."""
        names: tuple[str, ...] = ("a", "b", "difference", "low", "high", "p_value", "p_low", "p_high", "p_adjusted")
        names += ("verdict", "n_trials_to_decide", "confidence", "wins", "losses", "ties", "design_effect")
        names += ("segments_differing", "method_p_value", "method_low", "method_high", "method_df", "better")
        names += ("conclusion", "n_segments", "score_a", "score_b", "smallest_p", "method_p_adjusted", "method_verdict")
        return (*names, "method_p_separate", "method_p_pooled", "n_units", "units_differing", "from_length")

    def turned(self) -> Self:
        """Return the result with a and b exchanged."""
        return replace(super().turned(), bootstrap=self.bootstrap.turned())


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricComparison(Ranked[SystemEstimate, PairEstimate, RankedSystem], Assuming):
    """All systems under one metric.

    Parameters
    ----------
    name : str
        ``BLEU``, ``chrF++``, a `MeanScore`'s own name.
    signature : str
        The metric's, with the number of references.
    higher_is_better : bool or None
    systems : tuple of SystemEstimate
        In the order given.
    comparisons : tuple of PairEstimate
        Every system against the baseline, or all pairs, the later given as a.
    ranking : tuple of RankedSystem, or None
        The best system first, with the ranks that the comparisons leave open, or with its standing against the
        baseline; None below three systems, where the metric has no direction, or where comparisons rest on different
        segments.
    ranking_of : {"method", "outputs"} or None
        Whose verdicts the ranking goes by: those for the method where every pair has one.
    settings : Settings
    family_size, method_family_size : int
        For how many comparisons p is adjusted, on these outputs and for the method: those of this metric, or of all
        metrics if they are one family.
    n_segments, n_documents, known_documents
        Of the test set: see `Comparison`.
    doubts : tuple of Doubt
        As of the whole `Comparison`.

    Attributes
    ----------
    alone : Comparison
        The comparison under this metric alone, from which its assumptions and sentences come.
    n_units : int
    n_effective_units : float
        How many units of equal size would carry as much information, for the comparison or system that has the fewest.
    systems_from_best, comparisons_from_best, has_ranks, may_be_first, top, compared_with, asks_of_methods
        In which order tables and figures have them, and who is at the top: see `Ranked`.
    """

    signature: str
    ranking_of: str | None
    n_segments: int
    n_documents: int | None
    known_documents: str | None = None
    doubts: tuple[Doubt, ...] = ()

    @property
    def rests_on_parts(self) -> bool:
        """Whether missing scores make comparisons rest on other segments than each other, or than the scores."""
        own = {system.system: system.score for system in self.systems}
        return len({pair.n_segments for pair in self.comparisons}) > 1 or any(
            (pair.score_a, pair.score_b) != (own[pair.a], own[pair.b]) for pair in self.comparisons
        )

    @property
    def signatures(self) -> Mapping[str, str]:
        """The signature by test set, as `CampaignMetric` has it: the name of a single one is empty."""
        return {"": self.signature}

    def __repr__(self) -> str:
        return f"MetricComparison({self.name}, {len(self.systems)} systems, {len(self.comparisons)} comparisons)"

    @property
    def alone(self) -> Comparison:
        """The comparison under this metric alone."""
        return Comparison(
            self.settings,
            self.n_segments,
            self.n_documents,
            self.compared_with,
            {self.name: self},
            self.known_documents,
            self.doubts,
        )

    @property
    def n_units(self) -> int:
        """Number of units, where the effective number is the smallest."""
        return self._with_fewest_units.n_units

    @property
    def n_effective_units(self) -> float:
        """The smallest effective number of units: where scores are missing, comparisons have different ones."""
        return self._with_fewest_units.n_effective_units

    @property
    def _with_fewest_units(self) -> SystemEstimate | PairEstimate:
        found: tuple[SystemEstimate | PairEstimate, ...] = (*self.comparisons, *self.systems)
        return min(found, key=lambda one: one.n_effective_units)

    def systems_frame(self) -> pd.DataFrame:
        """Return one row per system, unrounded."""
        return pd.DataFrame([system.shown() for system in self.systems], columns=SystemEstimate.keys())

    def to_frame(self) -> pd.DataFrame:
        """Return one row per comparison, unrounded."""
        of_max_t = OF_MAX_T if self.settings.adjust == "max-t" else ()
        columns = None if self.comparisons else [*PairEstimate.keys(), *of_max_t, *SHOWN_LAST, *Equivalence.keys()]
        return pd.DataFrame([pair.shown() for pair in self.comparisons], columns=columns)


class OfMetrics(WithSettings):
    """What a comparison under several metrics has, on one test set or on several."""

    baseline: str | None
    metrics: Mapping[str, AnyMetric]
    strata: ClassVar[Of[str | None]] = Of("settings")

    def systems_frame(self) -> pd.DataFrame:
        """Return one row per system and metric, ``metric`` first, unrounded."""
        return stack_metrics({name: metric.systems_frame() for name, metric in self.metrics.items()})

    def to_frame(self) -> pd.DataFrame:
        """Return one row per comparison and metric, ``metric`` first, unrounded; columns are the keys of the JSON."""
        return stack_metrics({name: metric.to_frame() for name, metric in self.metrics.items()})


@dataclass(frozen=True, eq=False)
class Comparison(OfMetrics, Assuming):
    """Every system, every metric: what `compare` found.

    Parameters
    ----------
    settings : Settings
        The settings of the computation; the signature of each metric is in `metrics`.
    n_segments : int
    n_documents : int or None
        None where documents are not known.
    known_documents : str or None
        The public test set from which documents were recognized, and the version of the table, such as
        ``wmt23 en-de, table 1``; None where they were given, or are not known. With ``unit="segment"`` they are not
        used, so `n_documents` is None, too.
    baseline : str or None
        None where all pairs were compared.
    metrics : dict of str to MetricComparison
        Keyed by the metrics' names, or ``NAME|signature`` where one name occurs with two sets of options.
    doubts : tuple of Doubt
        What seems wrong with the references, and with the outputs of the systems that are compared.
    statistics : tuple of SegmentStatistics
        What was compared, one per metric: a report takes them along.

    Attributes
    ----------
    signature, unit, exchange, interval, level, n_resamples, n_trials, rng, version, runs, strata, adjust, family
        See `Settings`.
    """

    settings: Settings
    n_segments: int
    n_documents: int | None
    baseline: str | None
    metrics: dict[str, MetricComparison]
    known_documents: str | None = None
    doubts: tuple[Doubt, ...] = ()
    statistics: tuple[SegmentStatistics, ...] = ()
    runs: ClassVar[Of[str]] = Of("settings")
    adjust: ClassVar[Of[str]] = Of("settings")
    family: ClassVar[Of[str]] = Of("settings")

    def __repr__(self) -> str:
        against = "all pairs" if self.baseline is None else f"against {self.baseline!r}"
        return f"Comparison({', '.join(self.metrics)}; {against}; {self.signature})"
