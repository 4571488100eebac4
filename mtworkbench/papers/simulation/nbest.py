"""n-best lists as an optimizer sees them: of each hypothesis its features, and its statistics under a metric."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from mtworkbench.metrics.protocol import Metric


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
    feature_names : tuple of str
    hypotheses : (n_segments, n_hypotheses) ndarray of str
    references : (n_segments, n_references) ndarray of str, None where a segment has no such reference
    """

    features: np.ndarray = field(repr=False)
    statistics: np.ndarray = field(repr=False)
    metric: Metric
    feature_names: tuple[str, ...]
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

    def outputs(self, weights: np.ndarray, system: str, run: int = 1) -> pd.DataFrame:
        """Return what the model prefers as an outputs frame, one row per segment.

        Parameters
        ----------
        weights : (n_features,) ndarray
        system : str
        run : int
            Counted from 1.
        """
        texts = self.hypotheses[np.arange(self.n_segments), self.choose(weights)]
        return outputs_frame(self.references, system, run, texts)


def outputs_frame(references: np.ndarray, system: str, run: int, texts: np.ndarray) -> pd.DataFrame:
    """Put the outputs of one run into an outputs frame.

    Parameters
    ----------
    references : (n_segments, n_references) ndarray of str
    system : str
    run : int
    texts : (n_segments,) ndarray of str
    """
    columns: dict[str, object] = {"segment": np.arange(1, len(texts) + 1)}
    for number, column in enumerate(references.T, start=1):
        columns["reference" if number == 1 else f"reference_{number}"] = pd.Series(column, dtype=object)
    columns["system"] = pd.Series([system] * len(texts), dtype=object)
    columns["run"] = run
    columns["hypothesis"] = pd.Series(texts, dtype=object)
    return pd.DataFrame(columns)
