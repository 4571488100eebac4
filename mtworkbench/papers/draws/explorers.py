"""Controls for resampling and randomization, one draw after another."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mtworkbench.papers.draws import KINDS, RESAMPLES, describe_draw, follow_draws
from mtworkbench.papers.draws.figures import draw_steps
from mtworkbench.plots.style import style
from mtworkbench.resampling import resolve_rng
from mtworkbench.statistics.segment_statistics import SystemStatistics
from mtworkbench.widgets.controls import Menu, Slider
from mtworkbench.widgets.explorer import Explorer

#: Draws at which one can stop: first each one, then further apart.
STOPS = (*range(1, 11), 15, 20, 30, 40, 50, 75, 100, 150, 200)


def explore_draws(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    kind: str = RESAMPLES,
    rng: int | np.random.Generator | None = None,
) -> Explorer:
    """Follow resamples, or random swaps, one by one: which segments a draw took, and which differences came about.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set.
    kind : {"resamples", "swaps"}
        What is shown first.
    rng : int, numpy.random.Generator or None
        The draws are those of `paired_bootstrap` and `approximate_randomization` with the same seed.

    Returns
    -------
    Explorer
    """
    random_key = resolve_rng(rng)

    @cache
    def follow(kind: str) -> pd.DataFrame:
        return follow_draws(a, b, kind, n_draws=STOPS[-1], rng=random_key)

    @style()
    def draw(kind: str, number: int) -> tuple[Figure, str]:
        frame = follow(kind)
        return draw_steps(frame, number, metric=a.metric.name), describe_draw(frame, number)

    return Explorer(draw, kind=Menu("draws", KINDS, kind), number=Slider("draw", STOPS, 1))
