"""How much every system varies with the test set and with the run, as an object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import pandas as pd

from mtworkbench.assumptions import Doubt
from mtworkbench.results.crossed import CrossedAnalysis
from mtworkbench.results.estimates import Estimate, Interval, Of, stack_metrics
from mtworkbench.results.settings import Settings, WithSettings
from mtworkbench.shown import Shown, look


@dataclass(frozen=True, repr=False, eq=False)
class SystemVariance(Estimate):
    """How one system's score varies, under one metric.

    The fields shown are those of the JSON output.

    Parameters
    ----------
    interval : Interval
        The mean of the runs' scores with its confidence interval. Segments or documents are resampled; the runs are
        fixed.
    s_dev : float or None
        Standard deviation over runs on the dev set; None without one, or for one run.
    lowest, highest : float
        The range of the runs' scores.
    median_run : int
        The run, counted from 1, whose score is the median; of an even number the lower of the two in the middle. What
        it is called is in `run_names`.
    median_score : float
        Its score.
    dev_mean : float or None
    dev_median_run : int or None
        The median run on the dev set, whose output on the test set is the one to read (Clark et al. (2011), §5).
    dev_median_score : float or None
        Its score on the test set; None, as the run, where the numbers of runs differ.
    dev_scores : tuple of float or None
        In the order of the runs.
    run_names : tuple of str
        What the runs are called, in this order: by the numbers in the names of their files where these have some.

    Attributes
    ----------
    system, runs, low, high, s_sel, s_test, scores
        See `Interval`.
    mean : float
        Of the runs' scores.
    """

    interval: Interval = field(repr=False)
    system: ClassVar[Of[str]] = Of("interval")
    runs: ClassVar[Of[int]] = Of("interval")
    mean: ClassVar[Of[float]] = Of("interval", "score")
    low: ClassVar[Of[float | None]] = Of("interval")
    high: ClassVar[Of[float | None]] = Of("interval")
    s_sel: ClassVar[Of[float | None]] = Of("interval")
    s_dev: float | None
    s_test: ClassVar[Of[float | None]] = Of("interval")
    lowest: float
    highest: float
    median_run: int
    median_score: float
    dev_mean: float | None
    dev_median_run: int | None
    dev_median_score: float | None
    scores: ClassVar[Of[tuple[float, ...]]] = Of("interval")
    dev_scores: tuple[float, ...] | None
    run_names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class MetricVariance(Shown):
    """All systems under one metric.

    Parameters
    ----------
    name, signature : str
    higher_is_better : bool or None
    systems : tuple of SystemVariance
        In the order given.
    analyses : tuple of CrossedAnalysis
        Of each system compared with the baseline.
    """

    name: str
    signature: str
    higher_is_better: bool | None
    systems: tuple[SystemVariance, ...]
    analyses: tuple[CrossedAnalysis, ...]

    @property
    def readings(self) -> tuple[str, ...]:
        """What the deviations of each system say, in sentences: facts, not advice."""
        return tuple(look(self, "readings"))

    @property
    def advice(self) -> tuple[str, ...]:
        """The sources of error of each paired difference, and whether more runs or more segments would help.

        For a system with one run it says that the system needs more.
        """
        return tuple(look(self, "advice"))

    def __repr__(self) -> str:
        return f"MetricVariance({self.name}, {len(self.systems)} systems)"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per system, unrounded."""
        return pd.DataFrame([system.shown() for system in self.systems], columns=SystemVariance.keys())


@dataclass(frozen=True, eq=False)
class OptimizerVariance(WithSettings, Shown):
    """How much every system varies with the test set and with the run: what `optimizer_variance` found.

    Parameters
    ----------
    settings : Settings
        The settings of the computation; the signature of each metric is in `metrics`.
    n_segments, n_dev_segments : int
        `n_dev_segments` is None without a dev set.
    n_documents : int or None
    known_documents : str or None
        As in `Comparison`.
    baseline : str
        The system that the advice compares each other with.
    metrics : dict of str to MetricVariance
        Keyed as in `Comparison`.
    doubts : tuple of Doubt
        As in `Comparison`.

    Attributes
    ----------
    signature, unit, interval, level, n_resamples, rng, version
        See `Settings`.
    """

    settings: Settings
    n_segments: int
    n_documents: int | None
    n_dev_segments: int | None
    baseline: str
    metrics: dict[str, MetricVariance] = field(repr=False)
    known_documents: str | None = None
    doubts: tuple[Doubt, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        return f"OptimizerVariance({', '.join(self.metrics)}; {self.signature})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per system and metric, ``metric`` first, unrounded."""
        return stack_metrics({name: metric.to_frame() for name, metric in self.metrics.items()})
