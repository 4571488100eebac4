"""Approximate randomization on many samples of one large test set, as `conclude` does it by paired bootstrap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtworkbench.inference.randomization import approximate_randomization
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.statistics.segment_statistics import SystemStatistics


def randomize_samples(
    a: SystemStatistics, b: SystemStatistics, samples: Sequence[np.ndarray], *, n_trials: int = 999, rng: RngLike = None
) -> pd.DataFrame:
    """Test on each sample whether two systems differ, with segments as units.

    Parameters
    ----------
    a, b : SystemStatistics
    samples : sequence of ndarray
        Positions of segments, one array per sample.
    n_trials : int
        Random exchanges per sample.
    rng : int, numpy.random.Generator or None
        All samples have the same coins.

    Returns
    -------
    DataFrame
        One row per sample: ``sample`` (from 1), ``segments``, ``difference`` (a - b on the sample),
        ``true_difference`` (on the whole test set), ``p_value``.
    """
    random_key = resolve_rng(rng)
    truth = float(a.score().mean() - b.score().mean())
    rows = []
    for number, sample in enumerate(samples, 1):
        pair = a.take(sample), b.take(sample)
        test = approximate_randomization(*pair, n_trials=n_trials, unit="segment", rng=random_key)
        rows.append(
            {
                "sample": number,
                "segments": len(sample),
                "difference": test.difference,
                "true_difference": truth,
                "p_value": test.p_value,
            }
        )
    return pd.DataFrame(rows)
