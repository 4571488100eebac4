"""The table that a paper prints, as an object: every system, every comparison, every metric."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np
import pandas as pd

from mtworkbench.inference.crossed import CrossedVariance
from mtworkbench.inference.rankings import RankedSystem
from mtworkbench.inference.results import Estimate


@dataclass(frozen=True, repr=False, eq=False)
class SystemEstimate(Estimate):
    """One system under one metric; the fields are the keys of the JSON output.

    Parameters
    ----------
    system : str
    runs : int
    score : float
        Mean of `scores`, on the metric's scale.
    scores : tuple of float
        In the order of the runs.
    low, high : float or None
        Interval of the score: units are resampled, runs stay as they are.
    s_sel : float or None
        Mean over runs of the bootstrap's standard deviation (Clark et al. (2011), 4.1).
    s_test : float or None
        Standard deviation over runs; None for one run.
    design_effect : float or None
        Jackknife variance by document / by segment; None where documents are not known.
    resampled : (n_resamples,) ndarray
        The score of each resample.
    """

    system: str
    runs: int
    score: float
    scores: tuple[float, ...]
    low: float | None
    high: float | None
    s_sel: float | None
    s_test: float | None
    design_effect: float | None
    resampled: np.ndarray = field(repr=False)


@dataclass(frozen=True, repr=False, eq=False)
class PairEstimate(Estimate):
    """System a against system b (the baseline) under one metric; the fields are the keys of the JSON output.

    Parameters
    ----------
    a, b : str
    difference, low, high : float
        a - b, whichever direction is better, with its confidence interval.
    p_value, p_low, p_high : float
        Two-sided p of approximate randomization, with the 95 % interval of its Monte-Carlo error.
    p_adjusted : float
        Holm's, over the metric's comparisons.
    verdict : {"significant", "not significant", "undecided"}
        On these outputs, at 1 - level, by `p_adjusted`.
    n_trials_to_decide : int or None
        Trials that would decide what is undecided.
    confidence : float or None
        Share of resamples in which a wins; not a p-value.
    wins, losses, ties : int
        Resamples; wins and losses are None where the metric has no direction.
    design_effect : float or None
        Of the difference.
    segments_differing : int
        Segments whose statistics, averaged over runs, differ.
    method_p_value, method_low, method_high, method_df : float or None
        Of the question about the method, see `crossed_analysis`: None where a system has one run.
    better : str or None
        The better system where `verdict` is "significant" and the metric has a direction.
    conclusion : str
        What a reader may take away: "copies" or "identical scores", "undecided", "not shown", "shown on these outputs;
        method not tested", "shown on these outputs only", "shown for the method"; see `conclude`.
    n_segments : int
        Segments that the comparison rests on: those that both systems have scores for.
    score_a, score_b : float
        The systems' scores on these segments.
    smallest_p : float
        The smallest p that this comparison could have had, whatever the scores.
    method_p_adjusted : float or None
        Holm's, over those of the metric's comparisons that have a p for the method.
    method_verdict : {"significant", "not significant"} or None
        At 1 - level, by `method_p_adjusted`.
    resampled : (n_resamples,) ndarray
        The difference on each resample.
    method_variance : CrossedVariance or None
        What the variance of the difference between the methods is made of.
    """

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
    n_trials_to_decide: int | None
    confidence: float | None
    wins: int | None
    losses: int | None
    ties: int
    design_effect: float | None
    segments_differing: int
    method_p_value: float | None
    method_low: float | None
    method_high: float | None
    method_df: float | None
    better: str | None
    conclusion: str
    n_segments: int
    score_a: float
    score_b: float
    smallest_p: float
    method_p_adjusted: float | None
    method_verdict: str | None
    resampled: np.ndarray = field(repr=False)
    method_variance: CrossedVariance | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class MetricComparison:
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
        Every system against the baseline, or all pairs, the later given as a. They are one family.
    ranking : tuple of RankedSystem, or None
        The best system first; None below three systems, where the metric has no direction, or where comparisons rest
        on different segments.
    ranking_of : {"method", "outputs"} or None
        Whose verdicts the ranking goes by: those for the method where every pair has one.
    level : float
        Of the intervals; verdicts are at 1 - level.
    n_trials : int
        Random exchanges behind each p that is not exact.
    """

    name: str
    signature: str
    higher_is_better: bool | None
    systems: tuple[SystemEstimate, ...]
    comparisons: tuple[PairEstimate, ...]
    ranking: tuple[RankedSystem, ...] | None = None
    ranking_of: str | None = None
    level: float = 0.95
    n_trials: int = 10_000

    def __repr__(self) -> str:
        return f"MetricComparison({self.name}, {len(self.systems)} systems, {len(self.comparisons)} comparisons)"

    def _repr_html_(self) -> str:
        from mtworkbench.tables.html import metric_to_html

        return metric_to_html(self)

    @property
    def asks_of_methods(self) -> bool:
        """Whether any comparison has runs enough for the question about the method."""
        return any(pair.method_p_value is not None for pair in self.comparisons)

    def systems_frame(self) -> pd.DataFrame:
        """Return one row per system, unrounded."""
        columns = [item.name for item in fields(SystemEstimate) if item.repr]
        return pd.DataFrame([system.shown() for system in self.systems], columns=columns)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per comparison, unrounded."""
        columns = [item.name for item in fields(PairEstimate) if item.repr]
        return pd.DataFrame([comparison.shown() for comparison in self.comparisons], columns=columns)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Every system, every metric: what `compare` found.

    Parameters
    ----------
    signature : str
        The test with unit, draws and rng; each metric has its own signature beside it.
    unit : {"segment", "document"}
        What was drawn and exchanged.
    exchange : {"unit", "run"}
    interval : {"percentile", "basic", "bca", "jackknife"}
    level : float
    n_resamples, n_trials : int
    rng : int or None
        The seed given or drawn; None where a Generator was given: the signature then has its key.
    n_segments : int
    n_documents : int or None
        None where documents are not known.
    version : str
        Of mtworkbench.
    baseline : str or None
        None where all pairs were compared.
    metrics : dict of str to MetricComparison
        Keyed by the metrics' names, or ``NAME|signature`` where one name occurs with two sets of options.
    """

    signature: str
    unit: str
    exchange: str
    interval: str
    level: float
    n_resamples: int
    n_trials: int
    rng: int | None
    n_segments: int
    n_documents: int | None
    version: str
    baseline: str | None
    metrics: dict[str, MetricComparison]

    def __repr__(self) -> str:
        against = "all pairs" if self.baseline is None else f"against {self.baseline!r}"
        return f"Comparison({', '.join(self.metrics)}; {against}; {self.signature})"

    def _repr_html_(self) -> str:
        from mtworkbench.tables.html import comparison_to_html

        return comparison_to_html(self)

    @property
    def headline(self) -> list[str]:
        """What was found, in at most five sentences."""
        from mtworkbench.tables.sentences import write_headline

        return write_headline(self)

    def systems_frame(self) -> pd.DataFrame:
        """Return one row per system and metric, ``metric`` first, unrounded."""
        return self._frame({name: metric.systems_frame() for name, metric in self.metrics.items()})

    def to_frame(self) -> pd.DataFrame:
        """Return one row per comparison and metric, ``metric`` first, unrounded; columns are the keys of the JSON."""
        return self._frame({name: metric.to_frame() for name, metric in self.metrics.items()})

    @staticmethod
    def _frame(frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
        for name, frame in frames.items():
            frame.insert(0, "metric", name)
        return pd.concat(list(frames.values()), ignore_index=True)
