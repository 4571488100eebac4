"""Figures of several panels about what metrics are made of: Koehn (2004), §2 and Fig. 1."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from mtworkbench.plots.koehn2004 import plot_length_ratios, plot_orders, plot_reference_counts

#: The axis of the paper's figure.
PAPER_RATIOS, PAPER_SCORES = (0.83, 1.22), (22.0, 32.5)


def draw_orders(frame: pd.DataFrame, figure: Figure | None = None) -> Figure:
    """Draw BLEU with n-grams up to each order, and next to it how many segments have no match of that order.

    Parameters
    ----------
    frame : DataFrame
        Of `score_orders`.
    figure : Figure, optional
        An empty one; a new one by default.

    Returns
    -------
    Figure
    """
    figure = _make_figure(figure)
    left, right = figure.subplots(1, 2)
    plot_orders(frame, left, column="score")
    plot_orders(frame, right, column="no_match_percent")
    left.legend(frameon=False, fontsize="small")
    return left.figure


def draw_lengths(frame: pd.DataFrame, figure: Figure | None = None) -> Figure:
    """Draw scores against the length of the output (Koehn (2004), Fig. 1).

    Parameters
    ----------
    frame : DataFrame
        Of `score_lengths`.
    figure : Figure, optional
        An empty one; a new one by default.

    Returns
    -------
    Figure
        On the left, the metrics whose scores lie on the paper's axis; on the right, where there are any, the others.
    """
    inside = frame["score"].between(*PAPER_SCORES).groupby(frame["metric"], sort=False).transform("all")
    parts = [part for part in (frame[inside], frame[~inside]) if len(part)]
    figure = _make_figure(figure, height=3.2)
    panels = figure.subplots(1, len(parts), squeeze=False)[0]
    for part, panel in zip(parts, panels, strict=True):
        plot_length_ratios(part, panel)
        panel.set_xlim(PAPER_RATIOS)
        panel.legend(frameon=False, fontsize="small", loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)
    if inside.any():
        panels[0].set_ylim(min(PAPER_SCORES[0], frame["score"][inside].min() - 0.5), PAPER_SCORES[1])
    return panels[0].figure


def draw_reference_counts(frame: pd.DataFrame, figure: Figure | None = None) -> Figure:
    """Draw scores against the number of references, one line per system (Koehn (2004), §2.3).

    Parameters
    ----------
    frame : DataFrame
        Of `score_reference_counts`.
    figure : Figure, optional
        An empty one; a new one by default.

    Returns
    -------
    Figure
    """
    figure = plt.figure(figsize=(3.8, 2.5), layout="constrained") if figure is None else figure
    plot_reference_counts(frame, figure.subplots()).legend(frameon=False, fontsize="small")
    return figure


def _make_figure(figure: Figure | None, height: float = 2.6) -> Figure:
    return plt.figure(figsize=(6.6, height), layout="constrained") if figure is None else figure
