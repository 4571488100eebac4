"""Plots of one metric's comparison: scores, differences with their intervals, and the matrix of all pairs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from mtworkbench.errors import InputError
from mtworkbench.inference import Comparison
from mtworkbench.metrics.directions import describe_direction
from mtworkbench.metrics.known import unit_of
from mtworkbench.plots.style import current_medium, label_line, wrap_to, write_near
from mtworkbench.plots.systems import COLORS, Look, Looks, escape_dollars, label_systems
from mtworkbench.plots.words import describe
from mtworkbench.results.campaigns import CampaignMetric, CampaignPair, CampaignSystem
from mtworkbench.results.comparisons import AnyMetric, AnyPair, MetricComparison, PairEstimate
from mtworkbench.results.verdicts import Ends
from mtworkbench.words.cells import decimals_of, show_ends
from mtworkbench.words.columns import System, name_ci
from mtworkbench.words.frames import fixed, interval_of, signed, with_minus
from mtworkbench.words.metric_names import label_result
from mtworkbench.words.scopes import NEW
from mtworkbench.words.sentences_on_equivalence import WITHIN, explain_margin_test, in_margin, is_equal

Limits = tuple[float, float]
#: Nothing is cut off.
NO_LIMITS = (-np.inf, np.inf)
N_BINS = 30
#: How a mark is filled, by the verdict it stands for: the verdict is readable without colour.
FILLS: Looks = {"significant": {}, "undecided": {"fillstyle": "left"}, "not significant": {"markerfacecolor": "white"}}
#: How marks look: rows are named, so they need no colour of their own, and have the shape that shows best whether it is
#: filled.
LOOK: Look = {"color": COLORS[0], "marker": "o"}
# Of shown differences, from pale to dark, so that each can be told from the white of those that are not shown.
SHADES = ListedColormap(plt.colormaps["Blues"](np.linspace(0.25, 1, 128)))
# Below this luminance, white text has more contrast than black.
DARK = 0.18
# A bar for the method is so many times as thick as one for these outputs, and paler.
METHOD_THICKNESS, METHOD_ALPHA = 3.5, 0.4
RUN_COLOR = "0.35"
# The arrow of a difference that lies beyond the axis.
ARROWS = ("<", ">")
# A band that reaches farther than so many times the differences is cut off.
WIDEST = 8
#: The band within which a difference is too small to matter: grey of half strength is light on white, dark on black.
MARGIN_BAND: Look = {"color": "0.5", "alpha": 0.17, "linewidth": 0, "zorder": -1}


def plot_scores(metric: MetricComparison, ax: Axes | None = None, **kwargs: object) -> Axes:
    """Plot each system's score with its confidence interval, one row per system, the best first.

    Where a system has several runs, small ticks show their scores.

    Parameters
    ----------
    metric : MetricComparison
        One of ``compare(...).metrics``.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For the lines of the systems (``Axes.plot``), each of which goes from ``low`` over ``score`` to ``high``.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        For a whole comparison (code ``no-metric``).
    """
    ax = _find_axes(metric, "plot_scores", ax)
    systems = metric.systems_from_best
    mark_scores(metric, ax, range(len(systems)), {}, **kwargs)
    _set_rows(ax, [estimate.system for estimate in systems])
    ax.set_xlabel(_score_label(metric))
    digits = decimals_of(metric)
    rows = (f"{one.system} {fixed(one.score, digits)} {interval_of(one.low, one.high, digits)}" for one in systems)
    describe(ax, f"{metric.name} [{name_ci(metric)}]: {'; '.join(rows)}")
    return ax


def plot_differences(metric: MetricComparison, ax: Axes | None = None, **kwargs: object) -> Axes:
    """Plot each difference with its confidence interval and bootstrap distribution.

    With one baseline the rows are those of `plot_scores`; the baseline's is empty. Otherwise there is one row per
    comparison, of the system with the better score against the other. A filled mark is a difference that is shown (for
    the method, where that was tested), an open one is not shown, a half-filled one is undecided. Where systems have
    several runs, the thick bar is the interval for the method, the thin one that for these runs. Each distribution is
    a histogram of the differences in the resamples, all of one height. A band shows the margin within which differences
    are too small to matter, where one was given; ≈ after a name marks systems that are shown to be equal within it, for
    the method where that was tested.

    Parameters
    ----------
    metric : MetricComparison
        One of ``compare(...).metrics``, with at least one comparison.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For the lines of the comparisons (``Axes.plot``), each of which goes from one of its ``ends`` over
        ``difference`` to the other.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        Where there is nothing to compare (code ``no-comparisons``), and for a whole comparison (``no-metric``).
    """
    ax = _find_axes(metric, "plot_differences", ax, of_pairs=True)
    baseline = metric.compared_with
    pairs = metric.comparisons_from_best
    if baseline is None:
        rows = {id(pair): row for row, pair in enumerate(pairs)}
        labels = [f"{pair.a} against {pair.b}" for pair in pairs]
    else:
        labels = [estimate.system for estimate in metric.systems_from_best]
        rows = {id(pair): labels.index(pair.a) for pair in pairs}
    ax.axvline(0, color="0.6", linewidth=0.8, zorder=0)
    for pair in pairs:
        row = rows[id(pair)]
        mark_distribution(ax, row, pair.resampled, LOOK["color"])
        mark_difference(ax, pair, row, LOOK, **Look(kwargs))
    margin, margin_label = margin_and_label(metric)
    if margin is not None:
        draw_margin(ax, margin, [(-1, len(labels))])
    marked = {rows[id(pair)] for pair in pairs if is_in_margin(pair)}
    _set_rows(ax, labels, marked)
    if baseline is not None:
        label_line(ax, baseline, x=0)
    label = [label_difference(metric.name, _name(metric))]
    if margin is not None:
        label += [f"band: {margin_label}", wrap_to(explain_margin_test(metric), ax.bbox.width / ax.figure.dpi)]
    ax.set_xlabel("\n".join(label))
    describe(ax, _describe_pairs(metric, pairs))
    return ax


def plot_pairwise(metric: MetricComparison, ax: Axes | None = None, **kwargs: object) -> Axes:
    """Plot the differences of all pairs as a matrix, the best system first (the highest, where none is better).

    Each system's name stands where its row ends and its column begins. A cell is the score of the system above it minus
    that of the system to the right of it. It is blue where the difference is shown on these outputs, darker where it
    is larger, and white where it is not shown; ``?`` marks an undecided one. Where the method was tested, numbers are
    bold if the difference is shown for the method, too.

    Parameters
    ----------
    metric : MetricComparison
        One of ``compare(...).metrics``, compared without a baseline.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For the cells (``Axes.pcolormesh``).

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        Where there is nothing to compare (code ``no-comparisons``), and for a whole comparison (``no-metric``).
    """
    ax = _find_axes(metric, "plot_pairwise", ax, of_pairs=True)
    names, cells = [estimate.system for estimate in metric.systems_from_best], _pairs_by_cell(metric)
    shown = np.full((len(names), len(names) - 1), np.nan)
    for (column, row), pair in cells.items():
        if pair.verdict == "significant":
            shown[row, column] = abs(pair.difference)
    style: Look = {"cmap": SHADES, "vmin": 0, "edgecolors": "white", "linewidth": 0.5} | kwargs
    mesh = ax.pcolormesh(shown, **style)
    digits = decimals_of(metric) - 1
    for (column, row), pair in cells.items():
        dark = pair.verdict == "significant" and _luminance(mesh.to_rgba(np.array(abs(pair.difference)))) < DARK
        look: Look = {"color": "w" if dark else "k", "weight": "bold" if pair.is_shown(of_method=True) else "normal"}
        text = cell_text(pair, digits)
        ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", **look)
    for row, name in enumerate(names):
        ax.text(row + 0.1, row + 0.5, escape_dollars(name), va="center")
    ax.set(xlim=(0, len(names) - 1), ylim=(len(names), 0), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    describe(ax, _describe_pairs(metric, list(cells.values())))
    return ax


def _describe_pairs(metric: MetricComparison, pairs: Sequence[PairEstimate]) -> str:
    """Describe each pair: its difference with the interval, and whether the difference is shown on these outputs."""
    digits, words = decimals_of(metric), {"significant": "shown", "undecided": "undecided"}
    said = (
        f"{pair.a} against {pair.b} {signed(pair.difference, digits)} {show_ends(pair.ends, digits)}, "
        f"{words.get(pair.verdict, 'not shown')}"
        for pair in pairs
    )
    return f"Differences in {metric.name} [{name_ci(metric)}]: {'; '.join(said)}"


def _luminance(color: np.ndarray) -> float:
    """Return the luminance of a colour, as contrast is computed from."""
    return float(np.dot(np.power(color[:3], 2.2), (0.2126, 0.7152, 0.0722)))


def cell_text(pair: PairEstimate, digits: int) -> str:
    """Write what stands in a cell of the matrix."""
    undecided = "?" if pair.verdict == "undecided" else ""
    return with_minus(f"{pair.difference:.{digits}f}") + undecided + (WITHIN if is_in_margin(pair) else "")


def is_in_margin(pair: PairEstimate) -> bool:
    """Tell whether a difference is shown to be within the margin: for the method, where it was tested."""
    return is_equal(pair, of_method=pair.method_verdict is not None)


def margin_and_label(metric: AnyMetric) -> tuple[float | None, str]:
    """Return the margin and what its band is called; None and an empty label where there is none."""
    if isinstance(metric, CampaignMetric):
        return None, ""
    pair = next((one for one in metric.comparisons if one.margin is not None), None)
    if pair is None:
        return None, ""
    return pair.margin, f"margin \N{PLUS-MINUS SIGN}{in_margin(pair, metric)}"


def draw_margin(ax: Axes, margin: float, spans: Iterable[tuple[float, float]]) -> None:
    """Draw the band of a margin after all differences; one that is far wider than these does not set the axis.

    Parameters
    ----------
    ax : Axes
    margin : float
    spans : iterable of (float, float)
        Rows, from top to bottom.
    """
    limits = ax.dataLim.frozen()
    for low, high in spans:
        ax.fill_between([-margin, margin], low, high, **MARGIN_BAND)
    if margin > WIDEST * np.abs(limits.intervalx).max():
        ax.dataLim.set(limits)


class Second(NamedTuple):
    """What the second question about a pair found: for the method (new training runs), or for new test sets.

    Parameters
    ----------
    whose : str
        What the interval and p are for: the method, or new test sets.
    ends : Ends
    p : float or None
    is_shown : bool
        Whether the difference is shown there, too.
    """

    whose: str
    ends: Ends
    p: float | None
    is_shown: bool


def second_of(pair: AnyPair) -> Second | None:
    """Return what the second question about a pair found; None where it was not asked."""
    if isinstance(pair, CampaignPair):
        return Second("new", pair.new_sets_ends, pair.new_sets_p_adjusted, pair.conclusion == NEW)
    if pair.method_p_value is None:
        return None
    return Second("method", pair.method_ends, pair.method_p_adjusted, pair.is_shown(of_method=True))


def singles_of(estimate: System) -> list[float]:
    """Return a system's scores one by one: of its runs or, on several test sets, on each of them."""
    return list(estimate.scores.values() if isinstance(estimate, CampaignSystem) else estimate.scores)


def mark_scores(metric: AnyMetric, ax: Axes, rows: Sequence[float], styles: Looks, **kwargs: object) -> None:
    """Draw the score, interval and runs of each system, the best first, at the given heights."""
    systems: Sequence[System] = metric.systems_from_best
    for row, estimate in zip(rows, systems, strict=True):
        draw_estimate(ax, row, estimate.low, estimate.score, estimate.high, styles.get(estimate.system, LOOK) | kwargs)
        mark_runs(ax, row + 0.3, singles_of(estimate), 0)


def mark_runs(ax: Axes, row: float, scores: Sequence[float], origin: float, label: str = "_runs") -> None:
    """Draw a tick at each of several scores, as far as it is from an origin."""
    if len(scores) > 1:
        style = Look(linestyle="none", marker="|", color=RUN_COLOR, markersize=0.45 * current_medium().text)
        ax.plot(np.array(scores) - origin, [row] * len(scores), label=label, **style)


def verdict_of(pair: AnyPair) -> str:
    """Return the verdict that a mark stands for: of the second question, if it was asked and the first is decided."""
    second = second_of(pair)
    if second is None or pair.verdict == "undecided":
        return pair.verdict
    return "significant" if second.is_shown else "not significant"


def mark_difference(
    ax: Axes, pair: AnyPair, row: float, style: Look, limits: Limits = NO_LIMITS, digits: int = 2, **kwargs: object
) -> None:
    """Draw a difference and the interval on these outputs or sets; if there is a second question, on its thick bar.

    Beyond the limits, there is an arrow in place of the mark, with the difference in a decimal less than tables have.
    """
    look = style | FILLS[verdict_of(pair)] | kwargs
    if not limits[0] <= pair.difference <= limits[1]:
        is_above = pair.difference > 0
        end, gap = limits[is_above], current_medium().text * (-0.7 if is_above else 0.7)
        draw_mark(ax, row, end, look | {"marker": ARROWS[is_above], "label": "_beyond"})
        number = with_minus(signed(pair.difference, digits - 1))
        write_near(ax, number, (end, row), (gap, 0), va="center", ha="right" if is_above else "left")
        return
    second = second_of(pair)
    if second is not None:
        mark_bar(ax, row, *second.ends[:2], style["color"], METHOD_ALPHA, limits)
    draw_estimate(ax, row, pair.ends.low, pair.difference, pair.ends.high, look)


def mark_bar(
    ax: Axes, row: float, low: float | None, high: float | None, color: str, alpha: float, limits: Limits = NO_LIMITS
) -> None:
    """Draw a thick bar; what goes on beyond the limits ends in an arrowhead there."""
    if low is None or high is None:
        return
    thick = METHOD_THICKNESS * current_medium().line
    shown = max(low, limits[0]), min(high, limits[1])
    look = Look(color=color, alpha=alpha, zorder=1.8)
    ax.plot(shown, [row] * 2, linewidth=thick, solid_capstyle="butt", **look)
    arrow = Look(linestyle="none", markersize=thick, color=color, label="_cut", zorder=2.6)
    for end, inside, marker in ((low, shown[0], "<"), (high, shown[1], ">")):
        if end != inside:
            ax.plot([inside], [row], marker=marker, **arrow)


def mark_baseline(ax: Axes, row: float) -> None:
    """Draw the mark of the baseline at 0: a stroke, which is neither filled nor open."""
    medium = current_medium()
    stroke = {"marker": "|", "markersize": medium.text, "markeredgewidth": 2 * medium.line, "label": "_baseline"}
    draw_mark(ax, row, 0, {"color": RUN_COLOR} | stroke)


def _find_axes(metric: MetricComparison, function: str, ax: Axes | None, *, of_pairs: bool = False) -> Axes:
    """Return the Axes to plot on, by default the current one; refuse a whole comparison, and what has no pairs."""
    if isinstance(metric, Comparison):
        first = next(iter(metric.metrics))
        raise InputError(
            "no-metric",
            f"{function} shows one metric, but a comparison of {', '.join(metric.metrics)} was given: name one of "
            f"them, such as comparison.metrics[{first!r}].",
        )
    if of_pairs and not metric.comparisons:
        raise InputError(
            "no-comparisons",
            f"There are no comparisons under {metric.name}, which has {len(metric.systems)} system: give two or more.",
        )
    return plt.gca() if ax is None else ax


def _pairs_by_cell(metric: MetricComparison) -> dict[tuple[int, int], PairEstimate]:
    """Return each pair, as column - row, by the places of its systems, the better one first."""
    places = {estimate.system: place for place, estimate in enumerate(metric.systems_from_best)}
    cells = {}
    for pair in metric.comparisons:
        a, b = places[pair.a], places[pair.b]
        cells[min(a, b), max(a, b)] = pair if a < b else pair.turned()
    return cells


def _set_rows(ax: Axes, names: list[str], marked: Collection[int] = ()) -> None:
    """Label the rows, the first one on top; those that are marked are equal within the margin."""
    labels = label_systems(names, max(map(len, names)))
    shown = [labels[name] + (f" {WITHIN}" if row in marked else "") for row, name in enumerate(names)]
    ax.set_yticks(range(len(names)), shown)
    ax.set_ylim(len(names) - 0.4, -0.8)


def draw_estimate(ax: Axes, row: float, low: float | None, estimate: float, high: float | None, style: Look) -> None:
    """Draw an estimate with its interval at a height."""
    ends = [np.nan if end is None else end for end in (low, high)]
    ax.plot([ends[0], estimate, ends[1]], [row] * 3, **(_mark_style() | {"markevery": [1]} | style))


def draw_mark(ax: Axes, row: float, estimate: float, style: Look) -> None:
    """Draw the mark of an estimate at a height."""
    ax.plot([estimate], [row], **(_mark_style() | {"linestyle": "none"} | style))


def _mark_style() -> Look:
    """Return the look of marks that may be open: what lies below them does not shine through."""
    medium = current_medium()
    return {
        "linewidth": medium.line,
        "markersize": medium.marker,
        "markeredgewidth": 0.8 * medium.line,
        "markerfacecoloralt": "white",
        "zorder": 2.5,
    }


def mark_distribution(ax: Axes, row: float, resampled: np.ndarray, color: str) -> None:
    """Draw a histogram that stands on its row; values that are all the same have none."""
    if np.ptp(resampled) == 0:
        return
    counts, edges = np.histogram(resampled, bins=N_BINS)
    heights = row - 0.75 * np.append(counts, 0) / counts.max()
    ax.fill_between(edges, row, heights, step="post", color=color, alpha=0.3, linewidth=0)


def _score_label(metric: MetricComparison) -> str:
    notes = list(filter(None, (unit_of(metric.name), describe_direction(metric))))
    return f"{_name(metric)}\n({', '.join(notes)})" if notes else _name(metric)


def label_difference(metric: str, called: str = "") -> str:
    """Name the axis of a difference in a metric, with its unit; by another name where several metrics share theirs."""
    unit = unit_of(metric).partition(" ")[0]
    return f"difference in {called or metric}{unit and f' ({unit})'}"


def _name(metric: MetricComparison) -> str:
    return escape_dollars(label_result(metric).name)
