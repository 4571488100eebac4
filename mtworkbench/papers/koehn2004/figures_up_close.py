"""Figures about what metrics are made of: Koehn (2004), §2 and Fig. 1. Those that are drawn may have several panels."""

from __future__ import annotations

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from mtworkbench.papers.koehn2004 import findings, relate_lengths
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
from mtworkbench.plots.style import current_medium, figure_of, house_style, label_ends, name_ends, text_width
from mtworkbench.plots.systems import Look, Looks, Styles, escape_dollars

# Ratios this close to 1 are called the reference's length.
NEAR = 0.015
# What a legend needs for the line next to a name, in inches per point of the size of text.
HANDLE = 0.06


@in_house_style()
def plot_reference_counts(
    frame: pd.DataFrame,
    ax: Axes,
    /,
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
        As of `mtworkbench.papers.koehn2004.figures.plot_sample_scores`.
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
        ax.plot(means.index, means, **Look(label=names[system]) | look | kwargs)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="references", ylabel=metric)
    label_ends(ax)
    state_finding(ax, findings.title_reference_counts(frame, metric))
    return ax


@in_house_style()
def plot_length_ratios(frame: pd.DataFrame, ax: Axes, /, *, styles: Styles | None = None, **kwargs: object) -> Axes:
    """Plot scores against the length of the output (Koehn (2004), Fig. 1): a colour is a system, a dash a metric.

    The scores of all metrics are in % of their score at the reference's length: an axis of its own would let the small
    fall of one metric look like the large fall of another.

    Parameters
    ----------
    frame : DataFrame
        Rows of ``system``, ``metric``, ``ratio`` (output length / reference length), ``score``, ``percent``, as of
        `score_lengths`; the last is computed where it is missing.
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
    frame = frame if "percent" in frame else relate_lengths(frame)
    metrics, systems = (list(dict.fromkeys(frame[column])) for column in ("metric", "system"))
    looks, names = looks_of(systems, styles), short_names(systems)
    for (system, metric), part in frame.groupby(["system", "metric"], sort=False):
        dash = ("-", "--", ":", "-.")[metrics.index(metric) % 4]
        style = Look(linestyle=dash, label=f"{metric}, {names[system]}")
        ax.plot(part["ratio"], part["percent"], **style | looks[system] | kwargs)
    # A curve may have been asked for whose lengths are all far from the reference's.
    apart = (frame["ratio"] - 1).abs().groupby([frame["system"], frame["metric"]]).min().max()
    whole = "the reference's length" if apart < NEAR else "the ratio nearest to 1"
    set_labels(ax, "length of the output / of the reference", f"score (% of that at {whole})")
    if is_alone(ax):
        _name_curves(ax, frame, {names[system]: looks[system] for system in systems})
        state_finding(ax, findings.title_lengths(frame))
    return ax


def _name_curves(ax: Axes, frame: pd.DataFrame, looks: Looks) -> None:
    """Name each curve; of several metrics and systems, the metrics at the curves and the systems above."""
    drawn = frame.dropna(subset="percent").reset_index(drop=True)
    ends = drawn.loc[drawn.groupby(["metric", "system"], sort=False)["ratio"].idxmax()].groupby("metric", sort=False)
    of_metrics = [
        (part["ratio"].max(), part["percent"].mean(), escape_dollars(metric), mpl.rcParams["text.color"])
        for metric, part in ends
    ]
    if min(len(of_metrics), len(looks)) < 2 or not name_ends(ax, of_metrics):
        label_ends(ax)
        return
    handles = [Line2D([], [], **Look(label=name) | look) for name, look in looks.items()]
    room = 0.7 * figure_of(ax).get_figwidth()
    needed = sum(text_width(name) + HANDLE * current_medium().text for name in looks)
    ax.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(looks) if needed < room else 1)


def draw_lengths(frame: pd.DataFrame, figure: Figure | None = None, *, styles: Styles | None = None) -> Figure:
    """Draw scores against the length of the output (Koehn (2004), Fig. 1): all metrics in one panel.

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
    """
    with house_style():
        figure, (panel,) = make_panels(1, figure)
        plot_length_ratios(frame, panel, styles=styles)
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
