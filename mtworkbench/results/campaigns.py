"""What `compare_test_sets` found: systems on several test sets, each set by itself and all of them together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import pandas as pd

from mtworkbench.assumptions import Doubt
from mtworkbench.errors import InputError
from mtworkbench.results.comparisons import Comparison, JudgedPair, OfMetrics, TestedPair
from mtworkbench.results.estimates import Estimate, Of, PairedBootstrap, stack_metrics, turn
from mtworkbench.results.rankings import CampaignRank, Ranked
from mtworkbench.results.settings import Settings
from mtworkbench.results.verdicts import Ends
from mtworkbench.shown import Assuming
from mtworkbench.wording import name_some


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class SetEstimate(TestedPair):
    """System a compared with system b on one of the test sets, under one metric.

    The fields shown are those of the JSON output.

    Parameters
    ----------
    drawn : PairedBootstrap
        The difference a - b on resamples of this set.
    randomization : Randomization
        Within this set.
    judged : Verdict
        Of this set by itself, within the family of all sets and comparisons of the metric.
    measured : Measured
        On this set.
    test_set : str
    low, high : float or None
        See `TestedPair`; `ends` is what tables print.
    standard_error : float or None
        Of the difference, by the delete-one jackknife; None for one unit.
    new_sets_without_p_value, new_sets_without_p_adjusted : float or None
        p for new test sets if this one is left out: Student's t of the others. None with two sets.

    Attributes
    ----------
    difference : float
        Score of a - score of b, whichever direction is better.
    a, b, p_value, p_low, p_high, n_trials, unit, n_units
        See `Randomization`; b is the baseline if there is one.
    units_differing
        See `PairedBootstrap`.
    p_adjusted, verdict, better, tolerated_design_effect
        See `Verdict`.
    score_a, score_b : float
        The systems' scores on the segments that both have scores for.
    n_segments : int
        Segments that the comparison rests on.
    """

    drawn: PairedBootstrap = field(repr=False)
    test_set: str
    standard_error: float | None
    n_segments = Of[int]("measured")
    units_differing = Of[int]("drawn")
    new_sets_without_p_value: float | None = None
    new_sets_without_p_adjusted: float | None = None

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Return the names of the estimates, in the order in which they are shown: the keys of the JSON output."""
        names: tuple[str, ...] = ("test_set", "a", "b", "difference", "low", "high", "p_value", "p_low", "p_high")
        names += ("p_adjusted", "verdict", "better", "score_a", "score_b", "standard_error", "n_segments", "unit")
        names += ("n_units", "units_differing", "tolerated_design_effect", "new_sets_without_p_value")
        return (*names, "new_sets_without_p_adjusted")

    def turned(self) -> Self:
        """Return the result with a and b exchanged."""
        return replace(super().turned(), drawn=self.drawn.turned())


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim about the mean difference beyond these test sets, or beyond these outputs.

    It rests on other claims: what is shown for new test sets is also shown on these.

    Parameters
    ----------
    p_value, low, high : float or None
        For this comparison by itself: the largest of its own p and the p of the claims that it rests on, and the
        interval that includes theirs. None where the claim is not tested.
    t_p_value : float or None
        Its own p, from Student's t.
    df : float or None
        Degrees of freedom.
    errors : tuple of (float, float)
        Standard errors with their degrees of freedom; several where runs are pooled.
    p_adjusted : float or None
        The largest of `t_p_value`, adjusted by Holm's method over the metric's comparisons, and the adjusted p of the
        claims that it rests on.
    verdict : {"significant", "not significant", "undecided"} or None
        ``significant`` where p_adjusted is at most 1 - level, and every claim that this one rests on is significant.
    ends : Ends or None
        The interval that is printed: 0 is outside it exactly where the verdict is "significant". Where the verdict is
        "undecided", it reaches 0.
    """

    p_value: float | None = None
    low: float | None = None
    high: float | None = None
    t_p_value: float | None = None
    df: float | None = None
    errors: tuple[tuple[float, float], ...] = ()
    p_adjusted: float | None = None
    verdict: str | None = None
    ends: Ends | None = None

    @property
    def printed(self) -> Ends:
        """The interval that is printed."""
        return self.ends or Ends(self.low, self.high)

    def with_interval(self, low: float | None, high: float | None) -> Self:
        """Return the same with another interval for this comparison by itself."""
        return replace(self, low=low, high=high)

    def within(self, limit: float) -> Self:
        """Return the same with the possible parts of its intervals: see `Ends.within`."""
        low, high, _ = Ends(self.low, self.high).within(limit)
        return replace(self, low=low, high=high, ends=self.ends and self.ends.within(limit))

    def turned(self) -> Self:
        """Return the same of a and b exchanged."""
        return turn(self, ends=(("low", "high"),), parts=("ends",))


@dataclass(frozen=True, kw_only=True)
class NewSets(Claim):
    """What the differences of two systems on several test sets say about new ones.

    `p_value` and the interval are for the mean difference over all test sets like these. They combine Student's t with
    what is shown on these sets. They are None where there is no variation, unless the difference is 0; then p is 1.

    Parameters
    ----------
    one_low, one_high : float or None
        The interval in which the difference on one new set like these is expected, for this comparison by itself. It
        includes `low` and `high`.
    one_ends : Ends or None
        The same as it is printed: with max-T, it holds for the whole family together (Bonferroni). It includes `ends`.
    spread : float or None
        Standard deviation of the true differences between sets (Paule & Mandel, 1982): what segments do not explain of
        how far apart the sets' differences are; 0 where they explain all of it. None where a set has only one unit.
    spread_low, spread_high : float or None
        The interval of the spread: the Q profile, with a least upper end. None with two sets, and where a set has no
        error.
    spread_p_value : float or None
        Cochran's Q: whether the sets' differences lie further apart than their segments explain. None also where a set
        has no error.
    without, without_adjusted : tuple of float or None
        `t_p_value` when each set is left out in turn, and the same adjusted by Holm's method; None with two sets.
    """

    one_low: float | None = None
    one_high: float | None = None
    one_ends: Ends | None = None
    spread: float | None = None
    spread_low: float | None = None
    spread_high: float | None = None
    spread_p_value: float | None = None
    without: tuple[float | None, ...] = ()
    without_adjusted: tuple[float | None, ...] = ()

    @property
    def one_printed(self) -> Ends:
        """The interval for one new set that is printed."""
        return self.one_ends or Ends(self.one_low, self.one_high)

    def with_interval(self, low: float | None, high: float | None) -> Self:
        """Return the same with another interval for the mean, which that for one new set includes."""
        one = Ends(self.one_low, self.one_high).including(Ends(low, high))
        return replace(super().with_interval(low, high), one_low=one.low, one_high=one.high)

    def within(self, limit: float) -> Self:
        """Return the same with the possible parts of its intervals: see `Ends.within`."""
        low, high, _ = Ends(self.one_low, self.one_high).within(limit)
        one_ends = self.one_ends and self.one_ends.within(limit)
        return replace(super().within(limit), one_low=low, one_high=high, one_ends=one_ends)

    def turned(self) -> Self:
        """Return the same of a and b exchanged."""
        return turn(super().turned(), ends=(("one_low", "one_high"),), parts=("one_ends",))


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class CampaignPair(JudgedPair):
    """System a compared with system b over all test sets, under one metric.

    The fields shown are those of the JSON output.

    Parameters
    ----------
    randomization : Randomization
        On these test sets, of the mean of the differences a - b on the sets, each set counting the same: stratified
        approximate randomization, coins within each set. Where at most 16 units of all sets together matter to its
        family, all exchanges are enumerated, and p is exact.
    method : CrossedAnalysis
        Whether new training runs would show the difference, too, on these test sets; without an answer where a system
        has one run, or different numbers of runs on the sets.
    judged : Verdict
        On these test sets, and for the method: by Holm's method over the metric's comparisons, or by max-T.
    conclusion : str
        What a reader may take away: "copies" or "identical scores", "undecided", "not shown", "shown on these test sets
        only", "shown for new test sets".
    measured : Measured
        Over these test sets.
    further : tuple of FurtherResult
        The `Equivalence` of the mean difference, where a margin was given.
    sets : tuple of SetEstimate
        One per test set, in the order given.
    low, high : float or None
        The interval of the mean difference on these test sets, by itself. `ends` is what tables print.
    new_sets : NewSets
    new_runs_and_sets : Claim
        Whether new training runs would show the difference on new test sets: the crossed analysis with sets as units.
        It rests on the claims about new sets and about the method. It is not tested where there is no p for the method.
    n_sets_a_better, n_sets_b_better : int or None
        Sets on which a or b has the better score; None where the metric has no direction.
    resampled : (n_resamples,) ndarray
        The mean difference on each resample.

    Attributes
    ----------
    n_sets : int
    score_a, score_b : float
        Means over sets of the systems' scores on the segments that both have scores for.
    units_differing : int
        Units of all sets whose statistics, averaged over runs, differ.
    a, b, metric, difference, p_value, p_low, p_high, n_trials, unit, n_units
        See `Randomization`; b is the baseline if there is one.
    p_adjusted, verdict, better, method_p_adjusted, method_verdict, adjust, simultaneous_low, simultaneous_high,
    excludes_zero, tolerated_design_effect
        See `Verdict`. `adjust` and those after it, but the last, are shown with max-T alone.
    method_p_value, method_low, method_high, method_df, runs, method_p_separate, method_p_pooled
        See `CrossedAnalysis`. The last two are shown where runs are pooled.
    new_sets_low, new_sets_high, new_sets_p_value, new_sets_t_p_value, new_sets_df, new_sets_p_adjusted,
    new_sets_verdict, one_new_set_low, one_new_set_high, spread_between_sets, spread_low, spread_high, spread_p_value
        See `NewSets`.
    new_runs_and_sets_low, new_runs_and_sets_high, new_runs_and_sets_p_value, new_runs_and_sets_t_p_value,
    new_runs_and_sets_df, new_runs_and_sets_p_adjusted, new_runs_and_sets_verdict
        See `Claim`.
    """

    sets: tuple[SetEstimate, ...] = field(repr=False)
    new_sets: NewSets = field(repr=False)
    new_runs_and_sets: Claim = field(default=Claim(), repr=False)
    n_sets_a_better: int | None
    n_sets_b_better: int | None
    resampled: np.ndarray | None = field(default=None, repr=False)
    new_sets_low = Of[float | None]("new_sets", "low")
    new_sets_high = Of[float | None]("new_sets", "high")
    new_sets_p_value = Of[float | None]("new_sets", "p_value")
    new_sets_t_p_value = Of[float | None]("new_sets", "t_p_value")
    new_sets_df = Of[float | None]("new_sets", "df")
    new_sets_p_adjusted = Of[float | None]("new_sets", "p_adjusted")
    new_sets_verdict = Of[str | None]("new_sets", "verdict")
    one_new_set_low = Of[float | None]("new_sets", "one_low")
    one_new_set_high = Of[float | None]("new_sets", "one_high")
    spread_between_sets = Of[float | None]("new_sets", "spread")
    spread_low = Of[float | None]("new_sets")
    spread_high = Of[float | None]("new_sets")
    spread_p_value = Of[float | None]("new_sets")
    new_runs_and_sets_low = Of[float | None]("new_runs_and_sets", "low")
    new_runs_and_sets_high = Of[float | None]("new_runs_and_sets", "high")
    new_runs_and_sets_p_value = Of[float | None]("new_runs_and_sets", "p_value")
    new_runs_and_sets_t_p_value = Of[float | None]("new_runs_and_sets", "t_p_value")
    new_runs_and_sets_df = Of[float | None]("new_runs_and_sets", "df")
    new_runs_and_sets_p_adjusted = Of[float | None]("new_runs_and_sets", "p_adjusted")
    new_runs_and_sets_verdict = Of[str | None]("new_runs_and_sets", "verdict")

    @property
    def n_sets(self) -> int:
        """Number of test sets."""
        return len(self.sets)

    @property
    def new_sets_ends(self) -> Ends:
        """The interval of the mean difference over all test sets like these that is printed."""
        return self.new_sets.printed

    @property
    def one_new_set_ends(self) -> Ends:
        """The interval in which the difference on one new set is expected that is printed; of two sets, none is.

        With one degree of freedom, it is about as wide as the scale of scores.
        """
        return self.new_sets.one_printed if self.n_sets > 2 else Ends(None, None)

    @property
    def new_runs_and_sets_ends(self) -> Ends:
        """The printed interval for new training runs on new test sets."""
        return self.new_runs_and_sets.printed

    @property
    def units_differing(self) -> int:
        """Units of all sets in which the systems differ."""
        return sum(one.units_differing for one in self.sets)

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Return the names of the estimates, in the order in which they are shown: the keys of the JSON output."""
        names: tuple[str, ...] = ("a", "b", "n_sets", "difference", "low", "high", "p_value", "p_low", "p_high")
        names += ("p_adjusted", "verdict", "better", "new_sets_low", "new_sets_high", "new_sets_p_value", "new_sets_df")
        names += ("new_sets_p_adjusted", "new_sets_verdict", "one_new_set_low", "one_new_set_high")
        names += ("new_sets_t_p_value", "spread_between_sets", "spread_low", "spread_high", "spread_p_value")
        names += ("n_sets_a_better", "n_sets_b_better", "conclusion", "score_a", "score_b", "method_p_value")
        names += ("method_low", "method_high", "method_df", "method_p_adjusted", "method_verdict")
        names += ("new_runs_and_sets_low", "new_runs_and_sets_high", "new_runs_and_sets_p_value")
        names += ("new_runs_and_sets_t_p_value", "new_runs_and_sets_df", "new_runs_and_sets_p_adjusted")
        names += ("new_runs_and_sets_verdict",)
        return (*names, "n_units", "units_differing", "from_length")

    def turned(self) -> Self:
        """Return the result with a and b exchanged."""
        return turn(
            super().turned(),
            swapped=(("n_sets_a_better", "n_sets_b_better"),),
            negated=("resampled",),
            parts=("sets", "new_sets", "new_runs_and_sets"),
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


@dataclass(frozen=True, eq=False, kw_only=True)
class CampaignMetric(Ranked[CampaignSystem, CampaignPair, CampaignRank]):
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
        The best system first, with the ranks that the comparisons leave open, or with its standing against the
        baseline; None below three systems, where the metric has no direction, or where systems lack the scores of
        different segments.
    settings : Settings
    family_size, sets_family_size, method_family_size : int
        For how many comparisons p is adjusted: over the sets, on the sets one by one, and for the method.

    Attributes
    ----------
    systems_from_best, comparisons_from_best, has_ranks, may_be_first, top, compared_with, asks_of_methods
        In which order tables and figures have them, and who is at the top: see `Ranked`.
    """

    signatures: dict[str, str]
    sets_family_size: int

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
    n_units : int
    n_effective_units : float
        How many units of equal size would carry as much information, for the comparison or system that has the fewest.
    known_documents : str or None
        As in `Comparison`.
    """

    name: str
    n_segments: int
    n_documents: int | None
    unit: str
    n_units: int
    n_effective_units: float
    known_documents: str | None = None


@dataclass(frozen=True, eq=False)
class CampaignComparison(OfMetrics, Assuming):
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
    doubts : tuple of Doubt
        What seems wrong with the references, and with the outputs of the systems that are compared, set by set.

    Attributes
    ----------
    signature, unit, exchange, interval, level, n_resamples, n_trials, rng, version, strata
        See `Settings`.
    """

    settings: Settings
    baseline: str | None
    test_sets: tuple[CampaignTestSet, ...]
    metrics: dict[str, CampaignMetric]
    on_sets: dict[str, Comparison] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()

    def __repr__(self) -> str:
        against = "all pairs" if self.baseline is None else f"against {self.baseline!r}"
        return (
            f"CampaignComparison({len(self.test_sets)} test sets; {', '.join(self.metrics)}; {against}; "
            f"{self.signature})"
        )

    def of_set(self, name: str) -> Comparison:
        """Return the comparison on one of the test sets: what `compare` gives with the same draws of this set.

        Its family is that of this set: p is adjusted for the comparisons on this set alone, so that it may call shown
        what `sets_frame`, whose p is adjusted for the comparisons on all sets, does not. Its ``rng`` names the seed of
        the campaign and the number of the set, such as ``1/2``; with it, `compare` draws the same again.

        Raises
        ------
        InputError
            ``unknown-test-set``
        """
        if name not in self.on_sets:
            known = name_some(list(map(repr, self.on_sets)), "or")
            raise InputError("unknown-test-set", f"There is no test set {name!r}: name {known}.")
        return self.on_sets[name]

    def sets_frame(self) -> pd.DataFrame:
        """Return one row per comparison, test set and metric, ``metric`` first, unrounded."""
        return stack_metrics({name: metric.sets_frame() for name, metric in self.metrics.items()})
