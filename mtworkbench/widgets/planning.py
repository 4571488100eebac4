"""Controls for a plan: another difference, another power, other numbers of runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference import Plan, plan_test_set
from mtworkbench.inference.families import as_families, name_families
from mtworkbench.plots.planning import plot_power
from mtworkbench.plots.style import style
from mtworkbench.results.names_of_units import name_units
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics
from mtworkbench.tables import printable
from mtworkbench.widgets.controls import Menu, Slider, name_given
from mtworkbench.widgets.explorer import WIDE, Answer, Explorer

POWERS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
NUMBERS_OF_RUNS = (2, 3, 4, 5, 7, 10, 20)
# Differences that are offered, times a power of ten that suits the metric.
STEPS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2, 3, 5)


def explore_plan(statistics: SegmentStatistics | Sequence[SegmentStatistics]) -> Explorer:
    """Explore how long a test set must be, by pair, wished difference, power, and number of runs.

    Parameters
    ----------
    statistics : SegmentStatistics or sequence of SegmentStatistics
        One per metric: every pair of systems under every metric is offered. Where systems have one run, the number of
        runs changes nothing.

    Returns
    -------
    Explorer

    Raises
    ------
    InputError
        Where there are no two systems (``one-system``), and those of `plan_test_set`.
    """
    families = as_families(statistics)
    pairs = [
        (printable(f"{name}: {a} and {b}"), (family[a], family[b]), f"{one}[{a!r}], {one}[{b!r}]")
        for name, family, one in zip(name_families(families), families, name_given(statistics), strict=True)
        for b, a in combinations(family, 2)
    ]
    if not pairs:
        raise InputError("one-system", "There is one system, but a plan needs the outputs of two.")
    several = any(min(a.n_runs, b.n_runs) > 1 for _, (a, b), _ in pairs)

    @style()
    def draw(pair: int, difference: float, power: float, runs: int = 0) -> Answer:
        _, (a, b), systems = pairs[pair]
        planned = runs if min(a.n_runs, b.n_runs) > 1 else None
        plan = plan_test_set(a, b, difference=difference, power=power, runs=planned)
        code = (
            "import mtworkbench as mtw\n"
            f"plan = mtw.plan_test_set({systems}, difference={difference}, power={power}, runs={planned})\n"
            "frame = plan.powers\nmtw.plots.plot_power(plan)"
        )
        sentence = printable(" ".join(plan.headline[:2]))
        return Answer(
            plot_power(plan, plt.figure(figsize=WIDE).subplots()), sentence, _mark_powers(plan), plan.powers, code, "x"
        )

    differences, chosen = _offer_differences(*pairs[0][1])
    controls = {
        "pair": Menu("pair", [(name, place) for place, (name, _, _) in enumerate(pairs)], 0),
        "difference": Slider("difference", differences, chosen),
        "power": Slider("power", POWERS, 0.8),
    }
    controls["pair"].observe(partial(_suit_pair, controls["difference"], pairs), "value")
    if several:
        fewest = min(system.n_runs for system in pairs[0][1])
        numbers = sorted({*NUMBERS_OF_RUNS, max(fewest, 2)})
        controls["runs"] = Slider("runs", numbers, max(fewest, 2))
    return Explorer(draw, **controls)


def _mark_powers(plan: Plan) -> pd.DataFrame:
    """Return a mark for each point of the line of the planned number of runs."""
    frame = plan.powers
    points = frame[frame["n_runs"] == (plan.runs or frame["n_runs"].min())]
    texts = [
        f"{one.n_units:,} {name_units(plan.unit, one.n_units)}: {100 * one.power:.0f} %" for one in points.itertuples()
    ]
    return pd.DataFrame({"x": points["n_units"], "y": 100 * points["power"], "text": texts}).reset_index(drop=True)


def _suit_pair(
    slider: Slider, pairs: Sequence[tuple[str, tuple[SystemStatistics, SystemStatistics], str]], change: dict[str, Any]
) -> None:
    """Offer the differences that suit another pair: of another metric, they may be a hundred times as large."""
    with suppress(InputError):  # which drawing says
        differences, chosen = _offer_differences(*pairs[change["new"]][1])
        slider.offer(differences, slider.value if slider.value in differences else chosen)


def _offer_differences(a: SystemStatistics, b: SystemStatistics) -> tuple[list[float], float]:
    """Return differences around the smallest one that the test set at hand shows, and the one nearest to its half."""
    smallest = plan_test_set(a, b, difference=1.0).smallest_difference
    scale = 10.0 ** round(math.log10(smallest))
    offered = [float(f"{step * scale:.6g}") for step in STEPS]
    return offered, min(offered, key=lambda one: abs(math.log(one / smallest * 2)))
