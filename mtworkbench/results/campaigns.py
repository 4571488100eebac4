"""What `compare_test_sets` found: systems on several test sets, each set by itself and all of them together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.results.comparisons import Comparison
from mtworkbench.results.equivalence import Equivalence
from mtworkbench.results.estimates import Estimate, FurtherResult, Of, minus, stack_metrics
from mtworkbench.results.rankings import CampaignRank, Ranked
from mtworkbench.results.settings import Settings, WithSettings
from mtworkbench.shown import Headed
from mtworkbench.wording import name_some


@dataclass(frozen=True, repr=False, eq=False)
class SetEstimate(Estimate):
    """System a compared with system b on one of the test sets, under one metric.

    The fields shown are those of the JSON output.

    Parameters
    ----------
    test_set : str
    a, b : str
        b is the baseline if there is one.
    difference : float
        Score of a - score of b on this set, whichever direction is better.
    low, high : float or None
        Its interval; segments or documents of this set are resampled.
    p_value, p_low, p_high : float
        Approximate randomization within this set, with p's own simulation error (see `Randomization`).
    p_adjusted : float
        Holm's, over all sets and comparisons of the metric: for whoever asks each set by itself.
    verdict : {"significant", "not significant", "undecided"}
        At 1 - level, by `p_adjusted`.
    better : str or None
        The better system where `verdict` is "significant" and the metric has a direction.
    score_a, score_b : float
        The systems' scores on the segments that both have scores for.
    standard_error : float or None
        Of the difference, by the delete-one jackknife; None for one unit.
    n_segments : int
        Segments that the comparison rests on.
    unit : str
        ``segment``, ``document``, the name of a column, or ``block of 7``, say.
    n_units : int
    n_trials : int
    """

    test_set: str
    a: str
    b: str
    difference: float
    low: float | None
    high: float | None
    p_value: float
    p_low: float
    p_high: float
    p_adjusted: float
    verdict: str
    better: str | None
    score_a: float
    score_b: float
    standard_error: float | None
    n_segments: int
    unit: str
    n_units: int
    n_trials: int = field(repr=False)

    def turned(self) -> SetEstimate:
        """Return the result with a and b exchanged."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=-self.difference,
            low=minus(self.high),
            high=minus(self.low),
            score_a=self.score_b,
            score_b=self.score_a,
        )


@dataclass(frozen=True, repr=False, eq=False)
class CampaignPair(Estimate):
    """System a compared with system b over all test sets, under one metric.

    The fields shown are those of the JSON output.

    Parameters
    ----------
    a, b : str
        b is the baseline if there is one.
    n_sets : int
    difference : float
        Mean of the differences a - b on the sets, each set counting the same.
    low, high : float or None
        Its interval on these test sets: segments or documents are resampled within each set.
    p_value, p_low, p_high : float
        On these test sets: stratified approximate randomization, coins within each set, with p's own simulation error.
        Where the two differ in at most 16 units of all sets together, all exchanges are enumerated, and p is exact.
    p_adjusted : float
        Holm's, over the metric's comparisons.
    verdict : {"significant", "not significant", "undecided"}
        On these test sets, at 1 - level, by `p_adjusted`.
    better : str or None
        The better system where `verdict` is "significant" and the metric has a direction.
    new_sets_low, new_sets_high : float or None
        Interval of the mean difference over all test sets like these: Student's t of the sets' differences.
    new_sets_p_value, new_sets_df : float or None
        Its p and degrees of freedom (sets less one). None where all sets have the same difference.
    new_sets_p_adjusted : float or None
        Holm's, over the metric's comparisons.
    new_sets_verdict : {"significant", "not significant"} or None
        For new test sets like these, at 1 - level, by `new_sets_p_adjusted`.
    one_new_set_low, one_new_set_high : float or None
        The interval in which the difference on one new test set like these is expected.
    spread_between_sets : float or None
        Standard deviation of the true differences between sets: what segments do not explain of how far apart the sets'
        differences are; 0 where they explain all of it. None where a set has only one unit.
    spread_p_value : float or None
        Cochran's Q: whether the sets' differences lie further apart than their segments explain.
    n_sets_a_better, n_sets_b_better : int or None
        Sets on which a or b has the better score; None where the metric has no direction.
    conclusion : str
        What a reader may take away: "copies" or "identical scores", "undecided", "not shown", "shown on these test sets
        only", "shown for new test sets"; see `conclude_campaign`.
    score_a, score_b : float
        Means over sets of the systems' scores on the segments that both have scores for.
    method_p_value, method_low, method_high, method_df : float or None
        Whether new training runs would show the difference, too, on these test sets (see `CrossedAnalysis`); None
        where a system has one run, or different numbers of runs on the sets.
    method_p_adjusted : float or None
        Holm's, over those of the metric's comparisons that have a p for the method.
    method_verdict : {"significant", "not significant"} or None
    sets : tuple of SetEstimate
        One per test set, in the order given.
    n_trials : int
    resampled : (n_resamples,) ndarray
        The mean difference on each resample.
    adjust, simultaneous_low, simultaneous_high
        See `Verdict`; shown with max-T alone.
    runs : {"separate", "pooled"}
        Which variance of runs the p for the method rests on.
    method_p_separate, method_p_pooled : float or None
        See `CrossedAnalysis`; shown where runs are pooled.
    further : tuple of FurtherResult
        The `Equivalence` of the mean difference, where a margin was given.
    """

    a: str
    b: str
    n_sets: int
    difference: float
    low: float | None
    high: float | None
    p_value: float
    p_low: float
    p_high: float
    p_adjusted: float
    verdict: str
    better: str | None
    new_sets_low: float | None
    new_sets_high: float | None
    new_sets_p_value: float | None
    new_sets_df: float | None
    new_sets_p_adjusted: float | None
    new_sets_verdict: str | None
    one_new_set_low: float | None
    one_new_set_high: float | None
    spread_between_sets: float | None
    spread_p_value: float | None
    n_sets_a_better: int | None
    n_sets_b_better: int | None
    conclusion: str
    score_a: float
    score_b: float
    method_p_value: float | None
    method_low: float | None
    method_high: float | None
    method_df: float | None
    method_p_adjusted: float | None
    method_verdict: str | None
    sets: tuple[SetEstimate, ...] = field(repr=False)
    n_trials: int = field(repr=False)
    resampled: np.ndarray | None = field(default=None, repr=False)
    adjust: str = field(default="holm", repr=False)
    simultaneous_low: float | None = field(default=None, repr=False)
    simultaneous_high: float | None = field(default=None, repr=False)
    runs: str = field(default="separate", repr=False)
    method_p_separate: float | None = field(default=None, repr=False)
    method_p_pooled: float | None = field(default=None, repr=False)
    further: tuple[FurtherResult, ...] = field(default=(), repr=False)

    @property
    def equivalence(self) -> Equivalence | None:
        """Whether the systems are equal within the margin, if there is one."""
        return next((one for one in self.further if isinstance(one, Equivalence)), None)

    def shown(self) -> dict[str, object]:
        """Return the estimates by name, with those that only some options have."""
        names = ["adjust", "simultaneous_low", "simultaneous_high"] if self.adjust == "max-t" else []
        names += ["method_p_separate", "method_p_pooled"] if self.runs == "pooled" else []
        shown = super().shown() | {name: getattr(self, name) for name in names}
        for one in self.further:
            shown |= one.shown_in_pair()
        return shown

    def turned(self) -> CampaignPair:
        """Return the result with a and b exchanged."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=-self.difference,
            n_sets_a_better=self.n_sets_b_better,
            n_sets_b_better=self.n_sets_a_better,
            score_a=self.score_b,
            score_b=self.score_a,
            sets=tuple(one.turned() for one in self.sets),
            resampled=None if self.resampled is None else -self.resampled,
            further=tuple(one.turned() for one in self.further),
            low=minus(self.high),
            high=minus(self.low),
            new_sets_low=minus(self.new_sets_high),
            new_sets_high=minus(self.new_sets_low),
            one_new_set_low=minus(self.one_new_set_high),
            one_new_set_high=minus(self.one_new_set_low),
            method_low=minus(self.method_high),
            method_high=minus(self.method_low),
            simultaneous_low=minus(self.simultaneous_high),
            simultaneous_high=minus(self.simultaneous_low),
        )


@dataclass(frozen=True, repr=False, eq=False)
class CampaignSystem(Estimate):
    """One system over all test sets, under one metric.

    Parameters
    ----------
    system : str
    runs : int or None
        None where sets have different numbers of its runs.
    score : float
        Mean over sets, each set counting the same.
    low, high : float or None
        Its interval on these test sets; the runs are fixed.
    scores : dict of str to float
        The score on each test set, mean over runs.
    resampled : (n_resamples,) ndarray
        The mean score of each resample.
    """

    system: str
    runs: int | None
    score: float
    low: float | None
    high: float | None
    scores: dict[str, float]
    resampled: np.ndarray | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class CampaignMetric(Ranked[CampaignSystem, CampaignPair]):
    """All systems on all test sets, under one metric.

    Parameters
    ----------
    name : str
        ``BLEU``, ``chrF++``, a `MeanScore`'s own name.
    signatures : dict of str to str
        The metric's signature on each test set: sets may differ in tokenizer or number of references.
    higher_is_better : bool or None
    systems : tuple of CampaignSystem
        In the order of the first test set.
    comparisons : tuple of CampaignPair
        Every system against the baseline, or all pairs, the later given as a.
    ranking : tuple of CampaignRank, or None
        The best system first; None below three systems, where the metric has no direction, or where systems lack the
        scores of different segments.
    settings : Settings
    family_size, sets_family_size, method_family_size : int
        For how many comparisons p is adjusted: over the sets, on the sets one by one, and for the method.

    Attributes
    ----------
    systems_from_best, comparisons_from_best, may_be_first, top, compared_with, asks_of_methods
        In which order tables and figures have them, and who is at the top: see `Ranked`.
    """

    name: str
    signatures: dict[str, str]
    higher_is_better: bool | None
    systems: tuple[CampaignSystem, ...]
    comparisons: tuple[CampaignPair, ...]
    ranking: tuple[CampaignRank, ...] | None
    settings: Settings
    family_size: int
    sets_family_size: int
    method_family_size: int
    #: Of the intervals; verdicts are at 1 - level.
    level: ClassVar[Of[float]] = Of("settings")
    #: Random exchanges behind each p that is not exact.
    n_trials: ClassVar[Of[int]] = Of("settings")

    def __repr__(self) -> str:
        return (
            f"CampaignMetric({self.name}, {len(self.signatures)} test sets, {len(self.systems)} systems, "
            f"{len(self.comparisons)} comparisons)"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per comparison, over all sets, unrounded."""
        columns = None if self.comparisons else CampaignPair.keys()
        return pd.DataFrame([pair.shown() for pair in self.comparisons], columns=columns)

    def sets_frame(self) -> pd.DataFrame:
        """Return one row per comparison and test set, unrounded."""
        rows = [one.shown() for pair in self.comparisons for one in pair.sets]
        return pd.DataFrame(rows, columns=SetEstimate.keys())

    def systems_frame(self) -> pd.DataFrame:
        """Return one row per system, unrounded; `CampaignSystem.scores` has its score on each set."""
        frame = pd.DataFrame([system.shown() for system in self.systems], columns=CampaignSystem.keys())
        return frame.drop(columns="scores")


@dataclass(frozen=True, repr=False, eq=False)
class CampaignTestSet(Estimate):
    """One of the test sets.

    Parameters
    ----------
    name : str
    n_segments : int
    n_documents : int or None
        None where documents are not known.
    unit : str
        What is resampled and exchanged in this set.
    """

    name: str
    n_segments: int
    n_documents: int | None
    unit: str


@dataclass(frozen=True, eq=False)
class CampaignComparison(WithSettings, Headed):
    """Every system on every test set, every metric: what `compare_test_sets` found.

    Parameters
    ----------
    settings : Settings
        Its unit is that of all sets, or the word that was given (``auto``, say) where sets have different units.
    baseline : str or None
        None where all pairs were compared.
    test_sets : tuple of CampaignTestSet
        In the order given.
    metrics : dict of str to CampaignMetric
        Keyed by the metrics' names.
    on_sets : dict of str to Comparison
        By the names of the test sets: see `of_set`.

    Attributes
    ----------
    signature, unit, exchange, interval, level, n_resamples, n_trials, rng, version, strata
        See `Settings`.
    """

    settings: Settings
    baseline: str | None
    test_sets: tuple[CampaignTestSet, ...]
    metrics: dict[str, CampaignMetric]
    strata: ClassVar[Of[str | None]] = Of("settings")
    on_sets: dict[str, Comparison] = field(default_factory=dict)

    def __repr__(self) -> str:
        against = "all pairs" if self.baseline is None else f"against {self.baseline!r}"
        return (
            f"CampaignComparison({len(self.test_sets)} test sets; {', '.join(self.metrics)}; {against}; "
            f"{self.signature})"
        )

    def of_set(self, name: str) -> Comparison:
        """Return the comparison on one of the test sets: what `compare` gives with the same draws of this set.

        Verdicts and p that are adjusted are those of this set alone; `SetEstimate` has those among all sets.

        Raises
        ------
        InputError
            ``unknown-test-set``
        """
        if name not in self.on_sets:
            known = name_some(list(map(repr, self.on_sets)), "or")
            raise InputError("unknown-test-set", f"There is no test set {name!r}: name {known}.")
        return self.on_sets[name]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per comparison and metric, over all sets, ``metric`` first, unrounded."""
        return stack_metrics({name: metric.to_frame() for name, metric in self.metrics.items()})

    def sets_frame(self) -> pd.DataFrame:
        """Return one row per comparison, test set and metric, ``metric`` first, unrounded."""
        return stack_metrics({name: metric.sets_frame() for name, metric in self.metrics.items()})

    def systems_frame(self) -> pd.DataFrame:
        """Return one row per system and metric, ``metric`` first, unrounded."""
        return stack_metrics({name: metric.systems_frame() for name, metric in self.metrics.items()})
