"""n-best lists as an optimizer sees them: of each hypothesis its features, and its statistics under a metric.

Of the outputs of many runs, each distinct hypothesis of a segment is kept once.
Runs of one system mostly output the same: 300 runs of 500 segments are 150,000 outputs, but only some thousand
hypotheses. Their statistics are computed once each, which is what makes TER of all runs affordable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from mtworkbench.metrics import Metric, make_metric
from mtworkbench.papers.simulation.pseudotext import outputs_frame
from mtworkbench.statistics.segment_statistics import SegmentStatistics, describe_test_set


@dataclass(frozen=True, eq=False)
class NBestLists:
    """The n-best lists of one system on one set of segments.

    Parameters
    ----------
    features : (n_features, n_segments, n_hypotheses) ndarray of float64
        A model's score of a hypothesis is the sum of its features, each times its weight. A shorter list is filled up
        with copies of its first hypothesis, which change nothing.
    statistics : (n_segments, n_hypotheses, n_statistics) ndarray
        Under `metric`.
    metric : Metric
    hypotheses : (n_segments, n_hypotheses) ndarray of str
    references : (n_segments, n_references) ndarray of str, None where a segment has no such reference
    """

    features: np.ndarray = field(repr=False)
    statistics: np.ndarray = field(repr=False)
    metric: Metric
    hypotheses: np.ndarray = field(repr=False)
    references: np.ndarray = field(repr=False)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.features.shape[0]

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return self.features.shape[1]

    def model_scores(self, weights: np.ndarray) -> np.ndarray:
        """Score every hypothesis with the model.

        Features are added in their order, one after the other, so that every platform chooses the same hypotheses.

        Parameters
        ----------
        weights : (n_features,) ndarray

        Returns
        -------
        (n_segments, n_hypotheses) ndarray
        """
        scores = weights[0] * self.features[0]
        for weight, feature in zip(weights[1:], self.features[1:], strict=True):
            scores += weight * feature
        return scores

    def choose(self, weights: np.ndarray) -> np.ndarray:
        """Return which hypothesis the model prefers; of several equal ones the first.

        Parameters
        ----------
        weights : (n_features,) ndarray

        Returns
        -------
        (n_segments,) ndarray of int64
            Places in the lists, counted from 0.
        """
        return np.argmax(self.model_scores(weights), axis=1)

    def score(self, weights: np.ndarray) -> float:
        """Score, under the metric, what the model prefers.

        Parameters
        ----------
        weights : (n_features,) ndarray

        Returns
        -------
        float
            On the metric's scale (0-100 for BLEU).
        """
        chosen = self.choose(weights)
        return float(self.metric.score(self.statistics[np.arange(self.n_segments), chosen].sum(axis=0)))

    def outputs(self, weights: np.ndarray, system: str) -> pd.DataFrame:
        """Return what the model prefers as an outputs frame, one row per segment.

        Parameters
        ----------
        weights : (n_features,) ndarray
        system : str
        """
        texts = self.hypotheses[np.arange(self.n_segments), self.choose(weights)]
        return outputs_frame(self.references, system, 1, texts)


@dataclass(frozen=True, eq=False)
class DistinctHypotheses:
    """What the runs of one system output.

    Parameters
    ----------
    texts : (n_distinct,) ndarray of str
        Segment by segment.
    segments : (n_distinct,) ndarray of int64
        The segment of each, counted from 0.
    chosen : (n_runs, n_segments) ndarray of int64
        Which of the texts a run outputs for a segment, counted from 0.
    """

    texts: np.ndarray
    segments: np.ndarray
    chosen: np.ndarray


@dataclass(frozen=True, eq=False)
class RunOutputs:
    """The outputs of all runs of several systems on one set.

    Parameters
    ----------
    references : (n_segments, n_references) ndarray of str
    systems : dict of str to DistinctHypotheses
    known : dict of Metric to (dict of str to (n_distinct, n_statistics) ndarray)
        Statistics of the distinct hypotheses of each system that are there already.
    """

    references: np.ndarray = field(repr=False)
    systems: dict[str, DistinctHypotheses] = field(repr=False)
    known: dict[Metric, dict[str, np.ndarray]] = field(default_factory=dict, repr=False)

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(self.references)

    def statistics(self, metric: str | Metric = "bleu") -> SegmentStatistics:
        """Compute the statistics of all runs of all systems.

        Parameters
        ----------
        metric : str or Metric
            See `mtworkbench.metrics.make_metric`.

        Returns
        -------
        SegmentStatistics
            What `compute_statistics` gives for `to_frame`, only sooner.
        """
        metric = make_metric(metric)
        values = {
            system: self.distinct_statistics(system, metric)[hypotheses.chosen]
            for system, hypotheses in self.systems.items()
        }
        first = next(iter(self.systems))
        return SegmentStatistics(metric, values, describe_test_set(self.to_frame([first], [1])))

    def distinct_statistics(self, system: str, metric: Metric) -> np.ndarray:
        """Return the statistics of each distinct hypothesis of a system, as (n_distinct, n_statistics) ndarray."""
        if metric in self.known:
            return self.known[metric][system]
        hypotheses = self.systems[system]
        references = self.references[hypotheses.segments]
        return metric.segment_statistics(outputs_frame(references, system, 1, hypotheses.texts))

    def to_frame(self, systems: Sequence[str] | None = None, runs: Sequence[int] | None = None) -> pd.DataFrame:
        """Write outputs out as an outputs frame, one row per (system, run, segment).

        Parameters
        ----------
        systems : sequence of str, optional
            All of them unless given.
        runs : sequence of int, optional
            Numbers counted from 1; all of them unless given.
        """
        frames = []
        for system in self.systems if systems is None else systems:
            hypotheses = self.systems[system]
            for run in range(1, len(hypotheses.chosen) + 1) if runs is None else runs:
                texts = hypotheses.texts[hypotheses.chosen[run - 1]]
                frames.append(outputs_frame(self.references, system, run, texts))
        return pd.concat(frames, ignore_index=True)
