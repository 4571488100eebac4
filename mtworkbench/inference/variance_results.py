"""How much every system varies with the test set and with the run, as an object."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from itertools import chain

import pandas as pd

from mtworkbench.inference.results import Estimate, show_frames


@dataclass(frozen=True, repr=False, eq=False)
class SystemVariance(Estimate):
    """How one system's score varies, under one metric; the fields are the keys of the JSON output.

    Parameters
    ----------
    system : str
    runs : int
    mean : float
        Of the runs' scores.
    low, high : float or None
        Interval of the mean: units are resampled, runs stay as they are.
    s_sel : float or None
        Mean over runs of the bootstrap's standard deviation: how far the score would move with another test set.
    s_dev : float or None
        Standard deviation over runs on the dev set; None without one, or for one run.
    s_test : float or None
        Standard deviation over runs on the test set; None for one run.
    lowest, highest : float
        The range of the runs' scores.
    median_run : int
        The run, counted from 1, whose score is the median; of an even number the lower of the two in the middle.
    median_score : float
        Its score.
    dev_mean : float or None
    dev_median_run : int or None
        The median run on the dev set, whose output on the test set is the one to read (Clark et al. (2011), §6).
    dev_median_score : float or None
        Its score on the test set; None, as the run, where the numbers of runs differ.
    scores, dev_scores : tuple of float
        In the order of the runs.
    """

    system: str
    runs: int
    mean: float
    low: float | None
    high: float | None
    s_sel: float | None
    s_dev: float | None
    s_test: float | None
    lowest: float
    highest: float
    median_run: int
    median_score: float
    dev_mean: float | None
    dev_median_run: int | None
    dev_median_score: float | None
    scores: tuple[float, ...]
    dev_scores: tuple[float, ...] | None


@dataclass(frozen=True, eq=False)
class MetricVariance:
    """All systems under one metric.

    Parameters
    ----------
    name, signature : str
    higher_is_better : bool or None
    systems : tuple of SystemVariance
        In the order given.
    readings : tuple of str
        What the deviations of each system say, in sentences: facts, not advice.
    advice : tuple of str
        For each system compared with the baseline: what the error of the paired difference is made of, and where to
        spend next; that a system with one run needs more.
    """

    name: str
    signature: str
    higher_is_better: bool | None
    systems: tuple[SystemVariance, ...]
    readings: tuple[str, ...]
    advice: tuple[str, ...]

    def __repr__(self) -> str:
        return f"MetricVariance({self.name}, {len(self.systems)} systems)"

    def _repr_html_(self) -> str:
        return show_frames(" ".join([*self.readings, *self.advice, self.signature]), {self.name: self.to_frame()})

    def to_frame(self) -> pd.DataFrame:
        """Return one row per system, unrounded."""
        return pd.DataFrame(
            [system.shown() for system in self.systems], columns=[item.name for item in fields(SystemVariance)]
        )


@dataclass(frozen=True, eq=False)
class OptimizerVariance:
    """How much every system varies with the test set and with the run: what `optimizer_variance` found.

    Parameters
    ----------
    signature : str
        Of the resampling; each metric has its own signature beside it.
    unit : {"segment", "document"}
    interval : {"percentile", "basic", "bca", "jackknife"}
    level : float
    n_resamples : int
    rng : int or None
        The seed given or drawn; None where a Generator was given: the signature then has its key.
    n_segments, n_dev_segments : int
        `n_dev_segments` is None without a dev set.
    n_documents : int or None
    version : str
        Of mtworkbench.
    baseline : str
        The system that the advice compares each other with.
    metrics : dict of str to MetricVariance
        Keyed as in `Comparison`.
    """

    signature: str
    unit: str
    interval: str
    level: float
    n_resamples: int
    rng: int | None
    n_segments: int
    n_documents: int | None
    n_dev_segments: int | None
    version: str
    baseline: str
    metrics: dict[str, MetricVariance] = field(repr=False)

    def __repr__(self) -> str:
        return f"OptimizerVariance({', '.join(self.metrics)}; {self.signature})"

    def _repr_html_(self) -> str:
        sentences = chain.from_iterable((*one.readings, *one.advice) for one in self.metrics.values())
        return show_frames(" ".join([*sentences, self.signature]), {"Variance": self.to_frame()})

    def to_frame(self) -> pd.DataFrame:
        """Return one row per system and metric, ``metric`` first, unrounded."""
        frames = {name: metric.to_frame() for name, metric in self.metrics.items()}
        for name, frame in frames.items():
            frame.insert(0, "metric", name)
        return pd.concat(list(frames.values()), ignore_index=True)
