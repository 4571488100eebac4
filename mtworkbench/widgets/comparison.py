"""Controls for a comparison: the same family, verdicts and p-values as the table, one pair at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from matplotlib.figure import Figure

from mtworkbench.errors import InputError
from mtworkbench.inference import Comparison, compare
from mtworkbench.inference.families import as_families, name_families
from mtworkbench.plots import draw_comparison
from mtworkbench.progress import show_progress
from mtworkbench.resampling import resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import printable
from mtworkbench.widgets.controls import Menu, Slider, name_menu, unit_menu
from mtworkbench.widgets.explorer import Explorer
from mtworkbench.words.sentences import describe_pair

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)


def explore_comparison(
    statistics: SegmentStatistics | Sequence[SegmentStatistics] | Comparison,
    baseline: str | None = None,
    *,
    rng: int | np.random.Generator | None = None,
) -> Explorer:
    """Explore a comparison pair by pair: by which metric, by what unit, at what level.

    Every p and verdict is that of the whole family, as `compare` gives it for the same settings.

    Parameters
    ----------
    statistics : SegmentStatistics, sequence of SegmentStatistics, or Comparison
        Statistics, one per metric: every setting compares all systems with the baseline anew. Or a comparison: then
        the settings are those it was made with.
    baseline : str, optional
        The system to begin with as baseline; by default the first one, or the comparison's own.
    rng : int, numpy.random.Generator or None
        For statistics: one seed for all positions of the controls, so that what changes is not the draws.

    Returns
    -------
    Explorer

    Raises
    ------
    InputError
        Where there is no such system (``unknown-system``), or neither statistics nor a comparison was given.
    """
    if isinstance(statistics, Comparison):
        return _explore_found(statistics, baseline)
    families = as_families(statistics)
    systems = list(dict.fromkeys(system for family in families for system in family))
    baseline = systems[0] if baseline is None else check_baseline(baseline, systems)
    random_key = resolve_rng(rng)
    progress = show_progress("drawing")

    @lru_cache(maxsize=4)  # another metric or system of the same family needs no new draws
    def compare_all(baseline: str, unit: str, level: float) -> Comparison:
        return compare(families, baseline, unit=unit, level=level, rng=random_key, progress=progress)

    def draw(metric: str, system: str, baseline: str, unit: str, level: float) -> tuple[Figure, str]:
        return draw_pair(compare_all(baseline, unit, level), metric, system, baseline)

    names = name_families(families)
    controls = {
        "metric": name_menu("metric", names, names[0]),
        "system": name_menu("system", systems, _first_other(systems, baseline)),
        "baseline": name_menu("baseline", systems, baseline),
        "unit": unit_menu(families[0].test_set),
        "level": Slider("level", LEVELS, 0.95),
    }
    return Explorer(draw, **controls)


def draw_pair(comparison: Comparison, name: str, system: str, baseline: str) -> tuple[Figure, str]:
    """Draw one pair out of a family, and say what was found of it within the family.

    Parameters
    ----------
    comparison : Comparison
    name : str
        The metric.
    system, baseline : str
        Where they are the same, or were not compared with each other, their scores are shown.

    Returns
    -------
    figure : matplotlib Figure
    sentence : str
    """
    metric = comparison.metrics[name]
    found = [pair for pair in metric.comparisons if {pair.a, pair.b} == {system, baseline}]
    pairs = [pair if pair.a == system else pair.turned() for pair in found]
    by_name = {estimate.system: estimate for estimate in metric.systems}
    shown = tuple(by_name[name] for name in dict.fromkeys((baseline, system)) if name in by_name)
    part = replace(metric, systems=shown, comparisons=tuple(pairs), ranking=None, ranking_of=None)
    # The figure names the baseline that was chosen, and what the difference rests on, which a metric alone cannot.
    drawn = replace(comparison, baseline=baseline, metrics={name: part}) if pairs else part
    figure = draw_comparison(drawn) if shown else Figure()
    if pairs:
        return figure, printable(f"{metric.name}: {describe_pair(pairs[0], metric)}.")
    lacking = [name for name in (system, baseline) if name not in by_name]
    if lacking:
        return figure, printable(f"There are no statistics of {metric.name} for {lacking[0]}.")
    if system == baseline:
        return figure, "System and baseline are the same: choose another system."
    return figure, printable(f"{system} and {baseline} were not compared with each other.")


def _explore_found(comparison: Comparison, baseline: str | None) -> Explorer:
    """Explore a comparison as it is: nothing is drawn anew."""
    systems = list(dict.fromkeys(one.system for metric in comparison.metrics.values() for one in metric.systems))
    possible = systems if comparison.baseline is None else [comparison.baseline]
    if baseline is not None:
        check_baseline(baseline, possible)
    menus: dict[str, Menu] = {"metric": name_menu("metric", list(comparison.metrics), next(iter(comparison.metrics)))}
    if comparison.baseline is not None:
        chosen = comparison.baseline
        others = [system for system in systems if system != chosen] or [chosen]
        menus["system"] = name_menu("system", others, others[-1])
    else:
        chosen = systems[0] if baseline is None else baseline
        menus["system"] = name_menu("system", systems, _first_other(systems, chosen))
        menus["baseline"] = name_menu("baseline", systems, chosen)

    def draw(metric: str, system: str, baseline: str = chosen) -> tuple[Figure, str]:
        return draw_pair(comparison, metric, system, baseline)

    return Explorer(draw, **menus)


def check_baseline(system: str, possible: Sequence[str]) -> str:
    """Return a baseline that is among the possible systems."""
    if system not in possible:
        listed = ", ".join(map(repr, possible))
        raise InputError("unknown-system", f"The baseline {system!r} was asked for, but there are only {listed}.")
    return system


def _first_other(systems: Sequence[str], baseline: str) -> str:
    """Return the system that is shown first: the last one given that is not the baseline."""
    return next((system for system in reversed(systems) if system != baseline), baseline)
