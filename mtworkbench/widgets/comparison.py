"""Controls for a comparison: the same family, verdicts and p-values as the table, one pair at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import ipywidgets
import pandas as pd
from matplotlib.figure import Figure

from mtworkbench.errors import InputError
from mtworkbench.inference import Comparison, MetricComparison, PairEstimate, compare
from mtworkbench.inference.families import as_families, name_families, name_systems
from mtworkbench.plots import draw_comparison
from mtworkbench.progress import show_progress
from mtworkbench.reports import write_report
from mtworkbench.resampling import RngLike
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import printable
from mtworkbench.widgets.controls import Menu, Slider, choose_seed, first_other, name_menu, unit_menu
from mtworkbench.widgets.explorer import SAME_SYSTEM, Answer, Explorer
from mtworkbench.widgets.linked_views import draw_resamples, mark_differences
from mtworkbench.widgets.segments.browser import NO_TEXTS, SegmentBrowser, explore_part, has_texts
from mtworkbench.words.sentences import describe_pair

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)


class ComparisonExplorer(Explorer):
    """An explorer of a comparison, which can be written as a report.

    Parameters
    ----------
    draw : callable
    outputs : DataFrame or None
        What was compared.
    find : callable
        Returns the comparison that belongs to the values of the controls.
    **controls : ipywidgets.Widget
        See `Explorer`.
    """

    def __init__(
        self,
        draw: Callable[..., Answer],
        outputs: pd.DataFrame | None,
        find: Callable[..., Comparison],
        **controls: ipywidgets.Widget,
    ):
        self._outputs, self._find = outputs, find
        super().__init__(draw, **controls)

    @property
    def comparison(self) -> Comparison:
        """The comparison that is shown at present, of all pairs."""
        return self._find(**self._asked)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the comparison that is shown as a report: see `write_report`."""
        write_report(self.comparison, path, outputs=self._outputs if has_texts(self._outputs) else None)


def explore_comparison(
    statistics: SegmentStatistics | Sequence[SegmentStatistics] | Comparison,
    baseline: str | None = None,
    outputs: pd.DataFrame | None = None,
    *,
    rng: RngLike = None,
) -> ComparisonExplorer:
    """Explore a comparison pair by pair: by which metric, by what unit, at what level.

    Every p and verdict is that of the whole family, as `compare` gives it for the same settings. The row of the
    difference opens its resamples, and the sentences of both systems.

    Parameters
    ----------
    statistics : SegmentStatistics, sequence of SegmentStatistics, or Comparison
        Statistics, one per metric: every setting compares all systems with the baseline anew. Or a comparison: then
        the settings are those it was made with.
    baseline : str, optional
        The system to begin with as baseline; by default the first one, or the comparison's own.
    outputs : DataFrame, optional
        Of the same systems, to read their sentences, for which statistics are needed and not a comparison, and for
        a report.
    rng : int, numpy.random.Generator or None
        For statistics: one seed for all positions of the controls, so that what changes is not the draws.

    Returns
    -------
    ComparisonExplorer

    Raises
    ------
    InputError
        Where there is no such system (``unknown-system``), or neither statistics nor a comparison was given.
    """
    if isinstance(statistics, Comparison):
        return _explore_found(statistics, baseline, outputs)
    families = as_families(statistics)
    systems = name_systems(families)
    baseline = check_baseline(baseline, systems)
    seed, progress = choose_seed(rng), show_progress("drawing")
    names = name_families(families)
    by_name = dict(zip(names, families, strict=True))

    @lru_cache(maxsize=4)  # another metric or system of the same family needs no new draws
    def compare_all(baseline: str, unit: str, level: float) -> Comparison:
        return compare(families, baseline, unit=unit, level=level, rng=seed, progress=progress)

    def draw(metric: str, system: str, baseline: str, unit: str, level: float) -> Answer:
        code = (
            "import mtworkbench as mtw\ncomparison = "
            f"mtw.compare(statistics, {baseline!r}, unit={unit!r}, level={level}, rng={seed})\n"
        )

        def browse() -> SegmentBrowser | None:
            return explore_part(outputs, by_name[metric], system, baseline)

        found = compare_all(baseline, unit, level)
        return _answer(found, metric, system, baseline, code, browse if has_texts(outputs) else None)

    controls = {
        "metric": name_menu("metric", names, names[0]),
        "system": name_menu("system", systems, first_other(systems, baseline)),
        "baseline": name_menu("baseline", systems, baseline),
        "unit": unit_menu(families[0].test_set),
        "level": Slider("level", LEVELS, 0.95),
    }

    def find(baseline: str, unit: str, level: float, **others: str) -> Comparison:
        return compare_all(baseline, unit, level)

    return ComparisonExplorer(draw, outputs, find, **controls)


def _answer(
    comparison: Comparison,
    name: str,
    system: str,
    baseline: str,
    code: str,
    browse: Callable[[], SegmentBrowser | None] | None = None,
) -> Answer:
    """Draw one pair, whose row opens its resamples and, if there are texts, its sentences."""
    figure, sentence = draw_pair(comparison, name, system, baseline)
    part, pairs = take_pair(comparison, name, system, baseline)
    names = f"comparison, {name!r}, {system!r}, {baseline!r})\n"
    module = "from mtworkbench.widgets.comparison import "
    drawn = f"{module}draw_pair\nframe = comparison.metrics[{name!r}].to_frame()\nfigure, sentence = draw_pair({names}"
    marks = mark_differences(part, figure) if pairs else None

    def open_row(_: int) -> Answer:
        taken = f"{module}take_pair\n_, [pair] = take_pair({names}found = pair.bootstrap\n"
        opened = draw_resamples(pairs[0].bootstrap, code + taken)
        return replace(opened, sentence=opened.sentence if browse else f"{NO_TEXTS} {opened.sentence}", browser=browse)

    frame = comparison.metrics[name].to_frame()
    return Answer(figure, sentence, marks, frame, code + drawn, "y", open_row if pairs else None)


def take_pair(
    comparison: Comparison, name: str, system: str, baseline: str
) -> tuple[MetricComparison, list[PairEstimate]]:
    """Take one pair out of a family.

    Parameters
    ----------
    comparison : Comparison
    name : str
        The metric.
    system, baseline : str

    Returns
    -------
    part : MetricComparison
        With these systems and their comparison only.
    pairs : list of PairEstimate
        Their comparison; empty where they are the same, or were not compared with each other.
    """
    metric = comparison.metrics[name]
    found = [pair for pair in metric.comparisons if {pair.a, pair.b} == {system, baseline}]
    pairs = [pair if pair.a == system else pair.turned() for pair in found]
    by_name = {estimate.system: estimate for estimate in metric.systems}
    shown = tuple(by_name[name] for name in dict.fromkeys((baseline, system)) if name in by_name)
    return replace(metric, systems=shown, comparisons=tuple(pairs), ranking=None, ranking_of=None), pairs


def draw_pair(comparison: Comparison, name: str, system: str, baseline: str) -> tuple[Figure, str]:
    """Draw one pair out of a family, and say what was found of it within the family.

    Parameters
    ----------
    comparison, name, system, baseline
        As of `take_pair`. Where it finds no comparison, the scores are shown.

    Returns
    -------
    figure : matplotlib Figure
    sentence : str
    """
    metric, (part, pairs) = comparison.metrics[name], take_pair(comparison, name, system, baseline)
    shown = {estimate.system for estimate in part.systems}
    # The figure names the baseline that was chosen, and what the difference rests on, which a metric alone cannot.
    drawn = replace(comparison, baseline=baseline, metrics={name: part}) if pairs else part
    figure = draw_comparison(drawn) if shown else Figure()
    if pairs:
        return figure, printable(f"{metric.name}: {describe_pair(pairs[0], metric)}.")
    lacking = [name for name in (system, baseline) if name not in shown]
    if lacking:
        return figure, printable(f"There are no statistics of {metric.name} for {lacking[0]}.")
    if system == baseline:
        return figure, SAME_SYSTEM
    return figure, printable(f"{system} and {baseline} were not compared with each other.")


def _explore_found(comparison: Comparison, baseline: str | None, outputs: pd.DataFrame | None) -> ComparisonExplorer:
    """Explore a comparison as it is: nothing is drawn anew."""
    systems = list(dict.fromkeys(one.system for metric in comparison.metrics.values() for one in metric.systems))
    chosen = check_baseline(baseline, systems if comparison.baseline is None else [comparison.baseline])
    menus: dict[str, Menu] = {"metric": name_menu("metric", list(comparison.metrics), next(iter(comparison.metrics)))}
    if comparison.baseline is not None:
        others = [system for system in systems if system != chosen] or [chosen]
        menus["system"] = name_menu("system", others, first_other(systems, chosen))
    else:
        menus["system"] = name_menu("system", systems, first_other(systems, chosen))
        menus["baseline"] = name_menu("baseline", systems, chosen)

    def draw(metric: str, system: str, baseline: str = chosen) -> Answer:
        return _answer(comparison, metric, system, baseline, "")

    return ComparisonExplorer(draw, outputs, lambda **_: comparison, **menus)


def check_baseline(system: str | None, possible: Sequence[str]) -> str:
    """Return a baseline that is among the possible systems; the first of them where none is named."""
    if system is None:
        return possible[0]
    if system not in possible:
        listed = ", ".join(map(repr, possible))
        raise InputError("unknown-system", f"The baseline {system!r} was asked for, but there are only {listed}.")
    return system
