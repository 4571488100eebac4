"""Controls for resampling and randomization, one draw after another."""

from __future__ import annotations

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from mtworkbench.papers.draws import KINDS, RESAMPLES, describe_draw, follow_draws
from mtworkbench.papers.draws.figures import N_SHOWN, draw_steps
from mtworkbench.resampling import RngLike
from mtworkbench.statistics.segment_statistics import SystemStatistics
from mtworkbench.widgets.controls import Draws, Menu, Slider
from mtworkbench.widgets.explorer import WIDE, Answer, Explorer, Outcome
from mtworkbench.wording import tally
from mtworkbench.words.cells import say_span

#: Draws at which one can stop: first each one, then further apart.
STOPS = (*range(1, 11), 15, 20, 30, 40, 50, 75, 100, 150, 200)
# Inches: of two panels.
HIGH = (WIDE[0], 4.2)
#: What all draws amount to.
SHARES = dict(zip(KINDS, ("share of resamples with no difference or one of the other sign", "p"), strict=True))


def explore_draws(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    kind: str = RESAMPLES,
    rng: RngLike = None,
) -> Explorer:
    """Follow resamples, or random swaps, one by one: which segments a draw took, and which differences came about.

    One can draw again with the next seed, and see how far the share that all draws amount to (of swaps, p) varies.

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

    @cache
    def follow(kind: str, seed: int) -> pd.DataFrame:
        return follow_draws(a, b, kind, n_draws=STOPS[-1], rng=seed)

    def draw(kind: str, number: int, seed: int) -> Answer:
        draws, metric = follow(kind, seed), a.metric.name
        times = draws["drawn"].iloc[number - 1][:N_SHOWN].astype(int)
        did = [f"drawn {tally(one, 'time')}" if kind == RESAMPLES else ("kept", "swapped")[one] for one in times]
        marks = pd.DataFrame({"x": np.arange(1, len(times) + 1), "y": times})
        return Answer(
            draw_steps(draws, number, plt.figure(figsize=HIGH), metric=metric),
            describe_draw(draws, number),
            marks.assign(text=[f"segment {place}: {what}" for place, what in enumerate(did, start=1)]),
            draws.head(number).drop(columns="drawn"),
            "from mtworkbench.papers.draws import figures, follow_draws\n"
            f"draws = follow_draws(a, b, {kind!r}, n_draws={STOPS[-1]}, rng={seed})\n"
            f"frame = draws.head({number}).drop(columns='drawn')\n"
            f"figures.draw_steps(draws, {number}, metric={metric!r})",
            along="x",
            outcome=Outcome({"": draws["share"].iloc[-1]}, SHARES[kind], _describe_shares),
        )

    return Explorer(draw, kind=Menu("draws", KINDS, kind), number=Slider("draw", STOPS, 1), seed=Draws.of(rng))


def _describe_shares(log: pd.DataFrame) -> str:
    """Say between which shares the draws lie."""
    each = " each" if len(log) > 1 else ""
    return f"{tally(len(log), 'seed')}, {STOPS[-1]} draws{each}: {say_span(log[''].min(), log[''].max(), 3)}."
