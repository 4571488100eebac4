"""What the workbench asks of a metric: statistics that sum, and a score of their sums."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import pandas as pd


@runtime_checkable
class Metric(Protocol):
    """A corpus metric as a function of summed segment statistics.

    Metrics are frozen dataclasses whose fields are their options; two metrics with equal options are equal.
    """

    # Properties, for a metric may have them as fields, constants or properties: they are only read.
    @property
    def name(self) -> str:
        """What tables and JSON call it: ``BLEU``, ``chrF++``, ``TER``; of a `MeanScore` its own name."""

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """One name a column of the statistics."""

    @property
    def higher_is_better(self) -> bool | None:
        """None where the metric has no direction (Length)."""

    @property
    def signature(self) -> str:
        """Options and version in sacreBLEU's manner, without the number of references (``case:mixed|eff:no|...``)."""

    #: True where a segment may have no score of its own: its statistics are then all 0, its last statistic a count.
    may_be_missing: ClassVar[bool]

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
