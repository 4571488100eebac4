"""What the workbench asks of a metric: statistics that sum, and a score of their sums."""

from __future__ import annotations

import math
from dataclasses import asdict, is_dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import pandas as pd


@runtime_checkable
class Metric(Protocol):
    """A corpus metric as a function of summed segment statistics.

    Metrics are frozen dataclasses whose fields are their options; two metrics with equal options are equal.

    The metrics of this package also have ``unit``, the unit on the axes of figures (``%``; empty for none), and
    ``help_line``, the text for ``--metric`` in ``--help``, such as ``chrf, chrf:word_order=2`` (empty for none). Your
    own metric needs neither.
    """

    @property
    def name(self) -> str:
        """What tables and JSON call it: ``BLEU``, ``chrF++``, ``TER``; of a `MeanScore` its own name."""

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """One name per column of the statistics."""

    @property
    def higher_is_better(self) -> bool | None:
        """None where the metric has no direction (Length); see `mtworkbench.metrics.directions` for what follows."""

    @property
    def signature(self) -> str:
        """Options and version in sacreBLEU's manner, without the number of references (``case:mixed|eff:no|...``)."""

    @property
    def may_be_missing(self) -> bool:
        """Whether a segment may have no score of its own.

        If so, all its statistics are then 0, and the last statistic is a count; see `scored`.
        """

    def segment_statistics(self, outputs: pd.DataFrame) -> np.ndarray:
        """Compute the statistics of one run.

        Parameters
        ----------
        outputs : DataFrame
            The rows of one run of one system, in segment order.

        Returns
        -------
        (n_segments, n_statistics) ndarray
            Of int64 where the statistics are counts, else of float64.
        """
        ...

    def score(self, totals: np.ndarray) -> np.ndarray:
        """Score virtual test sets from their summed statistics.

        Parameters
        ----------
        totals : (..., n_statistics) ndarray

        Returns
        -------
        (...) ndarray of float64
            On the metric's published scale (0-100 for BLEU); NaN where no segment has a score of its own.
        """
        ...

    def segment_score(self, statistics: np.ndarray) -> np.ndarray:
        """Score single segments, for reading only, never for resampling (BLEU with effective order).

        Parameters
        ----------
        statistics : (..., n_statistics) ndarray

        Returns
        -------
        (...) ndarray of float64
        """
        ...


class KnownMetric(Metric, Protocol):
    """A metric of this package: what figures and ``--help`` ask of it, too, and what holds of most of them."""

    unit: ClassVar[str] = ""
    help_line: ClassVar[str]
    #: Every segment has a score of its own.
    may_be_missing: ClassVar[bool] = False
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def segment_score(self, statistics: np.ndarray) -> np.ndarray:
        """Score single segments by the same formula as their sums."""
        return self.score(statistics)


def largest_difference(metric: Metric) -> float:
    """Return how far apart two scores can lie: the length of the metric's ``scale``; infinite where it has none."""
    low, high = getattr(metric, "scale", (-math.inf, math.inf))
    return float(high - low)


def options_of(metric: Metric) -> dict[str, Any]:
    """Return the options of a metric by their names; none of one that is no dataclass."""
    return asdict(metric) if is_dataclass(metric) and not isinstance(metric, type) else {}


def scored(metric: Metric, statistics: np.ndarray) -> np.ndarray:
    """Tell which segments, or sums of segments, have a score.

    Parameters
    ----------
    metric : Metric
    statistics : (..., n_statistics) ndarray

    Returns
    -------
    (...) ndarray of bool
        All True unless the metric's ``may_be_missing``.
    """
    counts = statistics[..., -1]
    return np.asarray(counts != 0) if metric.may_be_missing else np.ones(counts.shape, dtype=bool)
