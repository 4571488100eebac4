"""Controls for a comparison of two systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

from mtworkbench.inference import compare
from mtworkbench.plots import draw_comparison
from mtworkbench.resampling import resolve_rng
from mtworkbench.segment_statistics import SegmentStatistics
from mtworkbench.tables import describe_comparison, printable
from mtworkbench.widgets.explorer import Explorer, make_menu, make_slider

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
NUMBERS_OF_RESAMPLES = (100, 300, 1000, 3000, 10_000)


def explore_comparison(
    statistics: SegmentStatistics | Sequence[SegmentStatistics],
    baseline: str | None = None,
    *,
    rng: int | np.random.Generator | None = None,
) -> Explorer:
    """Explore the comparison of two systems: which, by what unit, at what level, with how many resamples.

    Parameters
    ----------
    statistics : SegmentStatistics or sequence of SegmentStatistics
        One a metric, with at least two systems.
    baseline : str, optional
        The system to begin with as baseline; the first one by default.
    rng : int, numpy.random.Generator or None
        One seed for all positions of the controls, so that what changes is not the draws.

    Returns
    -------
    Explorer

    Raises
    ------
    InputError
        Where there is no such system (``unknown-system``).
    """
    families = [statistics] if isinstance(statistics, SegmentStatistics) else list(statistics)
    randomness = resolve_rng(rng)
    baseline = next(iter(families[0])) if baseline is None else families[0][baseline].system
    others = [system for system in families[0] if system != baseline]

    def draw(metric: int, system: str, minus: str, unit: str, level: float, resamples: int) -> tuple[Figure, str]:
        family = families[metric]
        pair = replace(family, values={name: family.values[name] for name in dict.fromkeys((minus, system))})
        found = compare(pair, minus, unit=unit, level=level, n_resamples=resamples, rng=randomness)
        (compared,) = found.metrics.values()
        return draw_comparison(compared), describe_comparison(compared)

    systems = [(printable(system), system) for system in families[0]]
    units = ["segment"] if families[0].test_set.documents is None else ["segment", "document"]
    return Explorer(
        draw,
        metric=make_menu("metric", [(family.metric.name, place) for place, family in enumerate(families)], 0),
        system=make_menu("system", systems, others[-1] if others else baseline),
        minus=make_menu("minus", systems, baseline),
        unit=make_menu("unit", units, units[-1]),
        level=make_slider("level", LEVELS, 0.95),
        resamples=make_slider("resamples", NUMBERS_OF_RESAMPLES, 1000),
    )
