"""Estimation plots: scores and differences with their intervals and bootstrap distributions, and all pairs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtworkbench.errors import InputError
from mtworkbench.metrics import unit_of
from mtworkbench.metrics.directions import say_direction, sign_of
from mtworkbench.plots.systems import COLUMN_WIDTH, label_systems, system_style
from mtworkbench.tables.cells import decimals_of

if TYPE_CHECKING:
    from mtworkbench.inference import MetricComparison

# Up to this many systems, all pairs are readable as rows; more make a matrix.
MAX_ROWS_OF_PAIRS = 4
# Up to this many systems, a cell of the matrix has room for its number in one column of a paper.
MAX_NUMBERS = 9
# Length of names beside a larger matrix.
SHORT_NAME = 11
N_BINS = 30
FONT_SIZE = 7
MARKS = {"significant": "*", "undecided": "?"}


def plot_scores(metric: MetricComparison, ax: Axes | None = None, **kwargs: object) -> Axes:
    """Plot each system's score with its confidence interval, one row per system.

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
    """
    ax = plt.gca() if ax is None else ax
    for row, estimate in enumerate(metric.systems):
        _draw_estimate(ax, row, estimate.low, estimate.score, estimate.high, system_style(row) | kwargs)
        if estimate.runs > 1:
            ax.plot(estimate.scores, [row + 0.3] * estimate.runs, linestyle="none", marker="|", color="0.35")
    labels = label_systems([estimate.system for estimate in metric.systems])
    _set_rows(ax, list(labels.values()))
    ax.set_xlabel(_score_label(metric))
    return ax


def plot_differences(metric: MetricComparison, ax: Axes | None = None, **kwargs: object) -> Axes:
    """Plot each difference with its confidence interval and bootstrap distribution.

    With one baseline the rows are those of `plot_scores`; the baseline's is empty. Otherwise there is one row a
    comparison. Each distribution is a histogram of the differences in the resamples, all of one height.

    Parameters
    ----------
    metric : MetricComparison
        One of ``compare(...).metrics``, with at least one comparison.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For the lines of the comparisons (``Axes.plot``), each of which goes from ``low`` over ``difference`` to
        ``high``.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        Where there is nothing to compare (code ``no-comparisons``).
    """
    _refuse_one_system(metric)
    ax = plt.gca() if ax is None else ax
    names = [estimate.system for estimate in metric.systems]
    labels, baseline = label_systems(names), _baseline_of(metric)
    ax.axvline(0, color="0.6", linewidth=0.8, zorder=0)
    for place, pair in enumerate(metric.comparisons):
        row = place if baseline is None else names.index(pair.a)
        style = system_style(names.index(pair.a))
        _draw_distribution(ax, row, pair.resampled, style["color"])
        _draw_estimate(ax, row, pair.low, pair.difference, pair.high, style | kwargs)
    if baseline is None:
        _set_rows(ax, [f"{labels[pair.a]}\nminus {labels[pair.b]}" for pair in metric.comparisons])
    else:
        _set_rows(ax, list(labels.values()))
        side = "left" if sum(ax.get_xlim()) > 0 else "right"
        ax.text(0, names.index(baseline), " baseline ", ha=side, va="center", size="x-small")
    ax.set_xlabel(_difference_label(metric))
    return ax


def plot_pairwise(metric: MetricComparison, ax: Axes | None = None, **kwargs: object) -> Axes:
    """Plot the differences of all pairs as a matrix, the best system first (the highest, where none is better).

    Each cell is the score of its column minus that of its row, darker where they are farther apart; ``*`` marks a
    difference that is significant on these outputs, ``?`` an undecided one. Up to nine systems the cells show the
    differences.

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
        Where not all pairs were compared (code ``no-comparisons``).
    """
    _refuse_one_system(metric)
    ax = plt.gca() if ax is None else ax
    names, pairs = _from_best(metric), _pairs_by_cell(metric)
    n_cells = len(names) - 1
    signed = np.full((n_cells, n_cells), np.nan)
    for (column, row), (difference, _) in pairs.items():
        signed[row - 1, column] = difference
    style = {"cmap": "Blues", "vmin": 0, "edgecolors": "white", "linewidth": 0.5} | kwargs
    mesh = ax.pcolormesh(np.abs(signed), **style)
    digits = decimals_of(metric) - 1
    for (column, row), (difference, verdict) in pairs.items():
        dark = np.mean(mesh.cmap(mesh.norm(abs(difference)))[:3]) < 0.55
        text = (f"{difference:.{digits}f}" if len(names) <= MAX_NUMBERS else "") + MARKS.get(verdict, "")
        place = {"ha": "center", "va": "center", "size": "x-small", "color": "w" if dark else "k"}
        ax.text(column + 0.5, row - 0.5, text, **place)
    labels = label_systems(names) if len(names) <= MAX_NUMBERS else label_systems(names, SHORT_NAME)
    ax.set_xticks(np.arange(n_cells) + 0.5, [labels[name] for name in names[:-1]], rotation=90)
    ax.set_yticks(np.arange(n_cells) + 0.5, [labels[name] for name in names[1:]])
    ax.invert_yaxis()
    ax.spines[:].set_visible(False)
    ax.set_xlabel("system\n(* difference shown on these outputs, ? undecided)", loc="right")
    ax.set_ylabel("minus system")
    return ax


def draw_comparison(metric: MetricComparison, figure: Figure | None = None, *, width: float = COLUMN_WIDTH) -> Figure:
    """Draw what `compare` found for one metric, readable at one column of a paper.

    With a baseline: scores on the left, differences from the baseline on the right, one row per system. All pairs: up
    to four systems scores above and differences below, more systems the matrix of all pairs. One system: its score.

    Parameters
    ----------
    metric : MetricComparison
        One of ``compare(...).metrics``.
    figure : matplotlib Figure, optional
        An empty one; by default a new one of pyplot's, as high as it needs to be.
    width : float
        Of a new figure, in inches.

    Returns
    -------
    matplotlib Figure
    """
    n_systems, n_pairs = len(metric.systems), len(metric.comparisons)
    matrix = _baseline_of(metric) is None and n_systems > MAX_ROWS_OF_PAIRS
    stacked = _baseline_of(metric) is None and n_pairs > 0
    height = 0.8 * width + 0.06 * n_systems + 0.4 if matrix else 0.75 + 0.2 * n_systems
    height += 0 if matrix or not stacked else 0.5 + 0.3 * n_pairs
    figure = plt.figure(figsize=(width, height), layout="constrained") if figure is None else figure
    if matrix:
        ax = plot_pairwise(metric, figure.subplots())
        key = figure.colorbar(ax.collections[0], ax=ax, location="top", fraction=0.04)
        key.set_label(_difference_label(metric).replace("\n", " "), loc="right")
        axes = [ax, key.ax]
    elif stacked:
        axes = figure.subplots(2, 1, height_ratios=[n_systems, 1.5 * n_pairs])
        plot_differences(metric, axes[1], markersize=4)
        plot_scores(metric, axes[0], markersize=4)
    elif n_pairs:
        axes = figure.subplots(1, 2, sharey=True)
        plot_scores(metric, axes[0], markersize=4)
        plot_differences(metric, axes[1], markersize=4)
        axes[1].tick_params(left=False, labelleft=False)
    else:
        axes = [plot_scores(metric, figure.subplots(), markersize=4)]
    for ax in axes:
        _set_font_size(ax)
    return figure


def _set_font_size(ax: Axes) -> None:
    ax.tick_params(labelsize=FONT_SIZE)
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set_size(FONT_SIZE)
    for text in ax.texts:
        text.set_size(FONT_SIZE - 1)


def _refuse_one_system(metric: MetricComparison) -> None:
    if not metric.comparisons:
        raise InputError(
            "no-comparisons",
            f"There are no comparisons under {metric.name}, which has {len(metric.systems)} system: give two or more.",
        )


def _baseline_of(metric: MetricComparison) -> str | None:
    """Return the system with which all others are compared; None where all pairs of more than two are."""
    seconds = {pair.b for pair in metric.comparisons}
    return seconds.pop() if len(seconds) == 1 else None


def _set_rows(ax: Axes, labels: list[str]) -> None:
    """Label the rows, the first one on top."""
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.8)


def _draw_estimate(
    ax: Axes, row: int, low: float | None, estimate: float, high: float | None, style: dict[str, Any]
) -> None:
    ends = [np.nan if end is None else end for end in (low, high)]
    ax.plot([ends[0], estimate, ends[1]], [row] * 3, **({"markevery": [1]} | style))


def _draw_distribution(ax: Axes, row: int, resampled: np.ndarray, color: str) -> None:
    """Draw a histogram that stands on its row; values that are all the same have no distribution to show."""
    if np.ptp(resampled) == 0:
        return
    counts, edges = np.histogram(resampled, bins=N_BINS)
    heights = row - 0.75 * np.append(counts, 0) / counts.max()
    ax.fill_between(edges, row, heights, step="post", color=color, alpha=0.3, linewidth=0)


def _score_label(metric: MetricComparison) -> str:
    notes = [note for note in (unit_of(metric.name), say_direction(metric)) if note]
    return f"{_name(metric)}\n({', '.join(notes)})" if notes else _name(metric)


def _difference_label(metric: MetricComparison) -> str:
    unit = unit_of(metric.name).partition(" ")[0]
    return f"difference\nin {_name(metric)}{unit and f' ({unit})'}"


def _name(metric: MetricComparison) -> str:
    return label_systems([metric.name])[metric.name]


def _from_best(metric: MetricComparison) -> list[str]:
    """Return the systems from best to worst; the highest first where none is better."""
    sign = sign_of(metric)
    return [estimate.system for estimate in sorted(metric.systems, key=lambda one: -sign * one.score)]


def _pairs_by_cell(metric: MetricComparison) -> dict[tuple[int, int], tuple[float, str]]:
    """Return difference (column - row) and verdict of each pair by the places of its systems, the better one first."""
    places = {system: place for place, system in enumerate(_from_best(metric))}
    cells = {}
    for pair in metric.comparisons:
        a, b = places[pair.a], places[pair.b]
        cells[min(a, b), max(a, b)] = (pair.difference if a < b else -pair.difference, pair.verdict)
    return cells
