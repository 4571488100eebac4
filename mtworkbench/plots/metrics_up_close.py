"""Figures about what metrics are made of: Koehn (2004), §2 and Fig. 1. Those that are drawn may have several panels."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mtworkbench.plots.labels import (
    in_house_style,
    is_alone,
    looks_of,
    make_panels,
    many_marks,
    set_labels,
    short_names,
    state_finding,
)
from mtworkbench.plots.style import current_medium, house_style, label_ends, text_width, title_finding
from mtworkbench.plots.systems import Styles
from mtworkbench.studies.koehn2004 import titles

#: The axis of the paper's figure.
PAPER_RATIOS, PAPER_SCORES = (0.83, 1.22), (22.0, 32.5)
# Widest name of a curve that leaves room for two panels next to each other, in inches per point of the size of text.
SHORT = 0.14


@in_house_style()
def plot_orders(
    frame: pd.DataFrame,
    ax: Axes | None = None,
    *,
    column: str = "precision",
    styles: Styles | None = None,
    **kwargs: object,
) -> Axes:
    """Plot BLEU's parts by the order of n-grams, one line per system (Koehn (2004), Table 1 and §2.3).

    Parameters
    ----------
    frame : DataFrame
        Of `score_orders`.
    ax : matplotlib Axes, optional
        The current one by default.
    column : {"precision", "score", "no_match_percent"}
    styles : mapping of str to dict, optional
        Of `styles_of`, where the systems should look as in other figures.
    **kwargs
        For all lines (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    systems = list(dict.fromkeys(frame["system"]))
    looks, names = looks_of(systems, styles), short_names(systems)
    for system, part in frame.groupby("system", sort=False):
        ax.plot(part["order"], part[column], **{"label": names[system]} | looks[system] | kwargs)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    labels = {
        "precision": "precision (%)",
        "score": "BLEU up to this order",
        "no_match_percent": "segments without a match (%)",
    }
    set_labels(ax, "order of n-grams", labels[column])
    if is_alone(ax):
        label_ends(ax)
    return ax


@in_house_style()
def plot_reference_counts(
    frame: pd.DataFrame,
    ax: Axes | None = None,
    *,
    metric: str = "BLEU",
    styles: Styles | None = None,
    **kwargs: object,
) -> Axes:
    """Plot scores against the number of references: every choice a dot, their means a line (Koehn (2004), §2.3).

    Parameters
    ----------
    frame : DataFrame
        Of `score_reference_counts`.
    ax, metric
        As of `mtworkbench.plots.koehn2004.plot_sample_scores`.
    styles : mapping of str to dict, optional
        Of `styles_of`, where the systems should look as in other figures.
    **kwargs
        For the lines (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    systems = list(dict.fromkeys(frame["system"]))
    looks, names = looks_of(systems, styles), short_names(systems)
    for system, part in frame.groupby("system", sort=False):
        look = looks[system]
        ax.plot(part["references"], part["score"], **many_marks() | {"marker": ".", "color": look["color"]})
        means = part.groupby("references")["score"].mean()
        ax.plot(means.index, means, **{"label": names[system]} | look | kwargs)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("references")
    ax.set_ylabel(metric)
    label_ends(ax)
    state_finding(ax, titles.title_reference_counts(frame, metric))
    return ax


@in_house_style()
def plot_length_ratios(
    frame: pd.DataFrame, ax: Axes | None = None, *, styles: Styles | None = None, **kwargs: object
) -> Axes:
    """Plot scores against the length of the output (Koehn (2004), Fig. 1): a colour is a system, a dash a metric.

    Parameters
    ----------
    frame : DataFrame
        Rows of ``system``, ``metric``, ``ratio`` (output length / reference length), ``score``.
    ax : matplotlib Axes, optional
        The current one by default.
    styles : mapping of str to dict, optional
        Of `styles_of`, where the systems should look as in other figures.
    **kwargs
        For all lines (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    _draw_ratios(ax, frame, styles, **kwargs)
    if is_alone(ax):
        label_ends(ax)
        state_finding(ax, titles.title_lengths(frame))
    return ax


def _draw_ratios(ax: Axes, frame: pd.DataFrame, styles: Styles | None, **kwargs: object) -> None:
    metrics, systems = (list(dict.fromkeys(frame[column])) for column in ("metric", "system"))
    looks, names = looks_of(systems, styles), short_names(systems)
    for (system, metric), part in frame.groupby(["system", "metric"], sort=False):
        style = {"linestyle": ("-", "--", ":")[metrics.index(metric) % 3], "label": f"{metric}, {names[system]}"}
        ax.plot(part["ratio"], part["score"], **style | looks[system] | kwargs)
    set_labels(ax, "length of the output / of the reference", "score")


def draw_orders(frame: pd.DataFrame, figure: Figure | None = None, *, styles: Styles | None = None) -> Figure:
    """Draw BLEU with n-grams up to each order, and next to it how many segments have no match of that order.

    Parameters
    ----------
    frame : DataFrame
        Of `score_orders`.
    figure : Figure, optional
        An empty one; a new one by default.
    styles : mapping of str to dict, optional
        As of `plot_orders`.

    Returns
    -------
    Figure
    """
    with house_style():
        figure, (left, right) = make_panels(2, figure)
        plot_orders(frame, left, column="score", styles=styles)
        plot_orders(frame, right, column="no_match_percent", styles=styles)
        label_ends(right)
        title_finding(left, titles.title_orders(frame))
    return figure


def draw_lengths(frame: pd.DataFrame, figure: Figure | None = None, *, styles: Styles | None = None) -> Figure:
    """Draw scores against the length of the output (Koehn (2004), Fig. 1).

    Parameters
    ----------
    frame : DataFrame
        Of `score_lengths`.
    figure : Figure, optional
        An empty one; a new one by default.
    styles : mapping of str to dict, optional
        As of `plot_length_ratios`.

    Returns
    -------
    Figure
        On the left, the metrics whose scores lie on the paper's axis; on the right, where there are any, the others.
    """
    inside = frame["score"].between(*PAPER_SCORES).groupby(frame["metric"], sort=False).transform("all")
    parts = [part for part in (frame[inside], frame[~inside]) if len(part)]
    styles = looks_of(list(dict.fromkeys(frame["system"])), styles)
    with house_style():
        labels = [f"{metric}, {name}" for metric in set(frame["metric"]) for name in short_names(list(styles)).values()]
        # Long names, which stand to the right of each panel, leave no room for another one.
        wanted = 2 if max(map(text_width, labels)) < SHORT * current_medium().text else 1
        figure, panels = make_panels(len(parts), figure, wanted=wanted)
        for part, panel in zip(parts, panels, strict=True):
            _draw_ratios(panel, part, styles)  # the limits come before the labels
            panel.set_xlim(PAPER_RATIOS)
        if inside.any():
            panels[0].set_ylim(min(PAPER_SCORES[0], frame["score"][inside].min() - 0.5), PAPER_SCORES[1])
        for panel in panels:
            label_ends(panel)
        title_finding(panels[0], titles.title_lengths(frame))
    return figure


def draw_reference_counts(frame: pd.DataFrame, figure: Figure | None = None, *, styles: Styles | None = None) -> Figure:
    """Draw scores against the number of references, one line per system (Koehn (2004), §2.3).

    Parameters
    ----------
    frame : DataFrame
        Of `score_reference_counts`.
    figure : Figure, optional
        An empty one; a new one by default.
    styles : mapping of str to dict, optional
        As of `plot_reference_counts`.

    Returns
    -------
    Figure
    """
    with house_style():
        figure = plt.figure() if figure is None else figure
        plot_reference_counts(frame, figure.subplots(), styles=styles)
    return figure
