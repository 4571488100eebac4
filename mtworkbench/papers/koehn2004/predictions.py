"""Koehn's (2004) Table 3 predicted: how often samples lead to a conclusion follows from a difference and its error."""

from __future__ import annotations

import math

import pandas as pd

from mtworkbench.inference.intervals import jackknife_variance, monte_carlo_ends
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: The kinds of cells: conclusions for the truly better and for the truly worse system.
KINDS = ("correct", "wrong")


def predict_conclusions(statistics: SegmentStatistics, counts: pd.DataFrame, *, level: float = 0.95) -> pd.DataFrame:
    """Predict the shares of right and wrong conclusions, and compare them with those that were counted (Table 3).

    Nothing is drawn. The difference on a sample of n segments is taken as normally distributed around the true one; its
    standard error is that of the whole test set (delete-one jackknife by segment), times sqrt(N / n). A system wins a
    share ``level`` of the resamples if it leads by at least z(level) standard errors. Samples are parts of the test set
    that is taken as the truth, so they vary less, by the factor sqrt(1 - n / N).

    Parameters
    ----------
    statistics : SegmentStatistics
    counts : DataFrame
        Of `tabulate_conclusions`: the pairs, sizes, and shares that were counted.
    level : float
        Of the conclusions that were counted.

    Returns
    -------
    DataFrame
        One row per cell of Table 3: ``a``, ``b``, ``true_difference``, ``size``, ``kind`` ("correct", "wrong"),
        ``samples``, ``counted_percent``, ``predicted_percent``, ``difference`` (predicted - counted), ``low``,
        ``high``: Clopper-Pearson interval (95 %) of the counted share, in %, as if samples were independent.
    """
    from scipy.special import ndtr, ndtri

    names = list(dict.fromkeys([*counts["a"], *counts["b"]]))
    table = ScoreTable.of([statistics[name] for name in names])
    n_segments, critical = table.n_segments, float(ndtri(level))
    rows = []
    for row in counts.itertuples():
        influence = table.influence[names.index(row.a)] - table.influence[names.index(row.b)]
        error = math.sqrt((jackknife_variance(influence) or 0.0) * n_segments / row.size)
        spread = max(math.sqrt(1 - row.size / n_segments), 1e-9)
        ratio = abs(row.true_difference) / error if error > 0 else math.inf
        for kind, lead in zip(KINDS, (ratio, -ratio), strict=True):
            counted = float(getattr(row, f"{kind}_percent"))
            ends = monte_carlo_ends(round(counted * row.samples / 100), int(row.samples))
            predicted = 100 * float(ndtr((lead - critical) / spread))
            rows.append(
                {
                    "a": row.a,
                    "b": row.b,
                    "true_difference": row.true_difference,
                    "size": row.size,
                    "kind": kind,
                    "samples": row.samples,
                    "counted_percent": counted,
                    "predicted_percent": predicted,
                    "difference": predicted - counted,
                    "low": 100 * ends[0],
                    "high": 100 * ends[1],
                }
            )
    return pd.DataFrame(rows)


def arrange_predictions(predictions: pd.DataFrame) -> pd.DataFrame:
    """Arrange predicted and counted shares for reading: a row per pair, two columns per size.

    Returns
    -------
    DataFrame
        Cells such as "28/30": predicted and counted right conclusions in % of the samples, rounded.
    """
    right = predictions[predictions["kind"] == "correct"]
    cells = [f"{row.predicted_percent:.0f}/{row.counted_percent:.0f}" for row in right.itertuples()]
    named = right.assign(cell=cells, pair=right["a"] + " and " + right["b"])
    return named.pivot(index="pair", columns="size", values="cell").loc[list(dict.fromkeys(named["pair"]))]
