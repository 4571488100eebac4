"""Statistics in the cache: each file holds the statistics of one run under one metric: numbers, no text."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import numpy as np

from mtworkbench.cache import Cache
from mtworkbench.errors import DataWarning
from mtworkbench.metrics.protocol import Metric, options_of
from mtworkbench.metrics.versions import name_versions
from mtworkbench.statistics.arrays import read_array, write_array


class StatisticsCache:
    """The statistics of runs under one metric that were kept, of hypotheses with the same references.

    Parameters
    ----------
    metric : Metric
        One of this package: statistics of the user's own metrics are not kept, for their code may change.
    references : str
        Fingerprint of all references in their order, as in `TestSet`.
    n_segments : int
    """

    def __init__(self, metric: Metric, references: str, n_segments: int):
        self._cache = Cache(f"{metric.name} statistics")
        self._described = _describe(metric, references) if self._cache.is_on else None
        self._shape = (n_segments, len(metric.statistic_names))

    def find(self, hypotheses: bytes) -> np.ndarray | None:
        """Return the statistics of a run that were kept, None where they were not.

        Parameters
        ----------
        hypotheses : bytes
            Digest of the texts of the run.
        """
        if self._described is None:
            return None
        return self._cache.find(self._described + hypotheses, partial(read_array, shape=self._shape))

    def compute(self, hypotheses: bytes, compute: Callable[[], np.ndarray]) -> np.ndarray:
        """Return the statistics of a run that are computed now, and keep them.

        Parameters
        ----------
        hypotheses : bytes
            Digest of the texts of the run.
        compute : callable
            Returns (n_segments, n_statistics) ndarray of int64 or float64.
        """
        if self._described is None:
            return compute()
        return self._cache.make(self._described + hypotheses, compute, write_array)

    def warnings(self) -> list[DataWarning]:
        """Return the warnings about what was wrong with the cache."""
        return self._cache.warnings()


def _describe(metric: Metric, references: str) -> bytes | None:
    """Return what statistics depend on beside the hypotheses, None where that is not known."""
    versions = name_versions(metric)
    if versions is None:
        return None
    described = {
        "metric": type(metric).__name__,
        "options": options_of(metric),  # with the versions, all that the signature says
        "versions": versions,
        "references": references,
    }
    return json.dumps(described, sort_keys=True).encode()
