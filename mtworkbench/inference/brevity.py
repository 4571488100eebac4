"""How much of a difference in BLEU is length: what the brevity penalty adds to it."""

from __future__ import annotations

import numpy as np

from mtworkbench.inference.score_table import Places, ScoreTable


def measure_lengths(table: ScoreTable, place: int) -> tuple[float | None, float | None]:
    """Return a system's length ratio and brevity penalty, means over its runs; None where its metric has none."""
    system = table.systems[place]
    measure = getattr(system.metric, "measure_lengths", None)
    if measure is None:
        return None, None
    ratio, penalty = measure(system.values.sum(axis=1, dtype=np.float64))
    return float(ratio.mean()), float(penalty.mean())


def measure_length_part(table: ScoreTable, pair: Places) -> float | None:
    """Return how many points of the difference a - b are length; None where the metric has no brevity penalty.

    With several runs it is the mean over all pairs of a run of a and a run of b, as for contributions.
    """
    of_a, of_b = (table.systems[place] for place in pair)
    measure = getattr(of_a.metric, "measure_length_part", None)
    if measure is None:
        return None
    ends, starts = (one.values.sum(axis=1, dtype=np.float64) for one in (of_a, of_b))
    every = (len(ends), len(starts), ends.shape[1])
    return float(measure(np.broadcast_to(starts, every), np.broadcast_to(ends[:, None], every)).mean())
