"""Whether outputs are those that statistics were computed from: their texts must give the same statistics again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.metrics import METRICS, Gtm, MeanScore, Meteor, Nist, Ter
from mtworkbench.metrics.protocol import Metric
from mtworkbench.metrics.texts import reference_columns
from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: Where not all segments are computed again, so many are, spread over the test set.
SAMPLE = 100
#: What may be computed again for a run in about half a second, without numba: characters, or where the time grows with
#: the product of two texts' lengths, the sum of these products. With numba TER is faster, but which outputs are refused
#: must not depend on that.
CHARACTERS, PRODUCTS = 3_000_000, {Ter: 5_000_000, Gtm: 500_000_000}
#: Statistics that are no counts may be rounded in a table by so much.
ROUNDING = 1e-6
# METEOR's program may be missing where statistics come from a file.
NOT_SET_UP = ("no-meteor", "no-java", "meteor-damaged")


def check_origin(
    outputs: pd.DataFrame,
    statistics: SegmentStatistics,
    runs: Iterable[tuple[str, int]],
    *,
    at_most: int | None = None,
) -> None:
    """Refuse outputs whose statistics are not those given.

    Statistics of the package's metrics are computed again and compared: of all segments where that takes no more than
    about half a second per run, else (TER, very long texts) of up to 100 spread over the test set. For METEOR, words
    and function words of the outputs are compared, where the program is set up. Mean scores are compared where their
    column is there. What a metric of another package reads is not known, so it is not checked.

    Statistics from another program, or another version of sacreBLEU, may differ in a few segments. They are refused
    where most differ.

    Parameters
    ----------
    outputs : DataFrame
        Each run's segments in the order of the statistics.
    statistics : SegmentStatistics
    runs : iterable of (str, int)
        The systems and runs to check, runs counted from 1.
    at_most : int, optional
        Compute so many segments of each run at most; NIST, which knows the whole test set alone, takes all.

    Raises
    ------
    InputError
        ``other-outputs``, naming the first segment that differs; and those of the metric.
    """
    metric = statistics.metric
    if not _can_be_checked(metric, outputs):
        return
    foreign = statistics.metric_signature not in (None, metric.signature)
    for system, run in runs:
        rows = outputs[(outputs["system"] == system) & (outputs["run"] == run)].reset_index(drop=True)
        places = _choose_segments(metric, rows, at_most)
        counted = statistics.values[system][run - 1][places]
        names, again = _compute_again(metric, rows.iloc[places].reset_index(drop=True))
        if not names:
            return
        counted = counted[:, [metric.statistic_names.index(name) for name in names]]
        unlike = ~np.isclose(again, counted, rtol=ROUNDING, atol=ROUNDING * _smallest(counted))
        differing = unlike.any(axis=1)
        if not differing.any() or (foreign and differing.mean() <= 0.5):
            continue
        row = int(np.argmax(differing))
        name = int(np.argmax(unlike[row]))
        raise InputError(
            "other-outputs",
            f"Segment {statistics.test_set.segments[places[row]]} of run {run} of {system!r} has "
            f"{names[name]} {again[row, name]:.6g} in the outputs, but {counted[row, name]:.6g} in the statistics "
            f"of {metric.name}: give the outputs that the statistics were computed from.",
            found=system,
        )


def _can_be_checked(metric: Metric, outputs: pd.DataFrame) -> bool:
    """Tell whether what the metric reads is there and known."""
    if isinstance(metric, MeanScore):
        return metric.column in outputs.columns
    known = type(metric) in METRICS.values()
    return known and "hypothesis" in outputs.columns and bool(reference_columns(outputs))


def _choose_segments(metric: Metric, rows: pd.DataFrame, at_most: int | None) -> np.ndarray:
    """Choose the segments to compute again, (n_chosen,) ndarray of positions: all, or some spread over the test set."""
    everything = np.arange(len(rows))
    if isinstance(metric, (MeanScore, Nist)):
        return everything
    texts = [rows["hypothesis"], *(rows[name] for name in reference_columns(rows))]
    sizes = [np.array([len(text) if isinstance(text, str) else 0 for text in column]) for column in texts]
    by_product = type(metric) in PRODUCTS
    costs = sizes[0] * np.sum(sizes[1:], axis=0) if by_product else np.sum(sizes, axis=0)
    budget = PRODUCTS[type(metric)] if by_product else CHARACTERS
    if costs.sum() <= budget and (at_most is None or len(rows) <= at_most):
        return everything
    count = min(SAMPLE if at_most is None else at_most, len(rows))
    chosen = np.unique(np.linspace(0, len(rows) - 1, count).round().astype(np.int64))
    cheapest_first = chosen[np.argsort(costs[chosen], kind="stable")]
    return np.sort(cheapest_first[np.cumsum(costs[cheapest_first]) <= budget])


def _compute_again(metric: Metric, rows: pd.DataFrame) -> tuple[tuple[str, ...], np.ndarray]:
    """Compute statistics of some segments; return their names, and their values, (n_segments, n_names) ndarray.

    There are none where the texts are too long, or METEOR is not set up.
    """
    if not len(rows):
        return (), np.empty((0, 0))
    if not isinstance(metric, Meteor):
        return metric.statistic_names, metric.segment_statistics(rows)
    # Words do not depend on the modules, and without the table of paraphrases the program starts at once. Which of
    # several references is the best one does, but not what is counted in the output.
    plain = replace(metric, modules="exact", weights="1")
    try:
        values = plain.segment_statistics(rows)
    except InputError as error:
        if error.code in NOT_SET_UP:
            return (), np.empty((0, 0))
        raise
    names = ("hypothesis_length", "hypothesis_function_words")
    return names, values[:, [plain.statistic_names.index(name) for name in names]]


def _smallest(values: np.ndarray) -> float:
    """Return the smallest size of a value that is not 0."""
    sizes = np.abs(values[values != 0])
    return float(sizes.min()) if len(sizes) else 1.0
