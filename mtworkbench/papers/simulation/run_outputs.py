"""The outputs of many runs, each distinct hypothesis of a segment kept once.

Runs of one system mostly output the same: 300 runs of 500 segments are 150,000 outputs, but only some thousand
hypotheses. Their statistics are computed once each, which is what makes TER of all runs affordable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.metrics import Metric, make_metric
from mtworkbench.papers.simulation.nbest import outputs_frame
from mtworkbench.statistics.segment_statistics import SegmentStatistics, describe_test_set


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

    @classmethod
    def of_places(cls, hypotheses: np.ndarray, places: np.ndarray) -> DistinctHypotheses:
        """Gather what was chosen from n-best lists.

        Parameters
        ----------
        hypotheses : (n_segments, n_hypotheses) ndarray of str
        places : (n_runs, n_segments) ndarray of int64
            Which hypothesis of its list each run chose.
        """
        n_segments, n_hypotheses = hypotheses.shape
        used, chosen = np.unique(np.arange(n_segments) * n_hypotheses + places, return_inverse=True)
        segments, place = np.divmod(used, n_hypotheses)
        return cls(hypotheses[segments, place], segments, chosen.reshape(places.shape))


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

    def n_runs(self, system: str) -> int:
        """Return the number of runs of a system."""
        return len(self._of(system).chosen)

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
        hypotheses = self._of(system)
        if metric in self.known:
            return self.known[metric][system]
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

        Raises
        ------
        InputError
            ``unknown-system``, ``unknown-run``.
        """
        frames = []
        for system in self.systems if systems is None else systems:
            hypotheses, n_runs = self._of(system), self.n_runs(system)
            for run in range(1, n_runs + 1) if runs is None else runs:
                if not 1 <= run <= n_runs:
                    raise InputError(
                        "unknown-run", f"There is no run {run} of {system!r}: its runs are numbered 1 to {n_runs}."
                    )
                texts = hypotheses.texts[hypotheses.chosen[run - 1]]
                frames.append(outputs_frame(self.references, system, run, texts))
        return pd.concat(frames, ignore_index=True)

    def _of(self, system: str) -> DistinctHypotheses:
        if system not in self.systems:
            raise InputError(
                "unknown-system",
                f"There is no system {system!r} among the runs, which are of {', '.join(map(repr, self.systems))}.",
            )
        return self.systems[system]
