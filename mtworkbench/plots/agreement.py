"""Figures of the agreement of metrics with humans: on pairs of systems, and as measured."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import offset_copy

from mtworkbench.analyses.agreement.pairs import OUTCOMES, title_pairs
from mtworkbench.analyses.agreement.sentences import LEVELS, name_measure, title_agreement
from mtworkbench.plots.labels import GUIDE, NEUTRAL, in_house_style, make_panels, set_labels, short_names, state_finding
from mtworkbench.plots.style import current_medium, escape_dollars, figure_of, house_style, title_finding, wrap_to
from mtworkbench.plots.systems import COLORS, Look
from mtworkbench.words.frames import in_percent

#: What a mark is, and what its place says.
EXPLANATION = (
    "Each mark is a pair of systems: score of the one with the better human score minus score of the other, with {} "
    "CIs. Below the horizontal line, the metric orders the pair the other way."
)
#: Colour and marker of each outcome; open marks where the metric shows no difference.
LOOKS = dict(
    zip(
        OUTCOMES,
        (
            {"color": COLORS[0], "marker": "o"},
            {"color": COLORS[1], "marker": "s"},
            {"color": COLORS[4], "marker": "^", "markerfacecolor": "white"},
            {"color": COLORS[2], "marker": "D"},
            {"color": NEUTRAL, "marker": "o", "markerfacecolor": "white"},
            {"color": NEUTRAL, "marker": "x"},
        ),
        strict=True,
    )
)


@in_house_style()
def plot_pairs(frame: pd.DataFrame, ax: Axes, /, **kwargs: object) -> Axes:
    """Plot the difference of each pair of systems by a metric against the difference by humans.

    Parameters
    ----------
    frame : DataFrame
        Of `mtworkbench.analyses.agreement.tabulate_pairs`, the rows of one metric: one mark each, with its two
        intervals. Marks below the horizontal line are pairs that the metric orders the other way.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For the marks (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax.axhline(0, **GUIDE)
    ax.axvline(0, **GUIDE)
    size = 0.7 * current_medium().marker
    for outcome, look in LOOKS.items():
        part = frame[frame["outcome"] == outcome]
        if not len(part):
            continue
        # Intervals stay in the background: there may be a hundred of them.
        lines: Look = {"color": look["color"], "alpha": 0.35, "linewidth": 0.6, "zorder": 1}
        ax.hlines(part["difference"], part["human_low"], part["human_high"], **lines)
        ax.vlines(part["human_difference"], part["low"], part["high"], **lines)
        marks: Look = {"linestyle": "none", "markersize": size, "zorder": 2, "label": f"{outcome}: {len(part)}"}
        ax.plot(part["human_difference"], part["difference"], **marks | look | kwargs)
    name = short_names(frame["metric"].unique())[frame["metric"].iloc[0]]
    human = escape_dollars(frame["human"].iloc[0])
    ax.set_title(name, loc="left")
    set_labels(ax, f"difference in {human}", f"difference in {name}")
    # Below the name of the axis: there is no corner of the Axes that is free whatever the data. The distance is in
    # points, so that it stays the same when the layout makes room for what is below the legend.
    below = offset_copy(ax.transAxes, fig=figure_of(ax), y=-3.2 * current_medium().text, units="points")
    ax.legend(loc="upper center", bbox_to_anchor=(0.45, 0), bbox_transform=below, handletextpad=0.2)
    state_finding(ax, title_pairs(frame))
    return ax


def draw_pairs(frame: pd.DataFrame, figure: Figure | None = None) -> Figure:
    """Draw `plot_pairs` for every metric, one panel each.

    Parameters
    ----------
    frame : DataFrame
        Of `mtworkbench.analyses.agreement.tabulate_pairs`.
    figure : Figure, optional
        An empty one; a new one by default.

    Returns
    -------
    Figure
    """
    parts = [part for _, part in frame.groupby("metric", sort=False)]
    with house_style():
        figure, panels = make_panels(len(parts), figure, wanted=3, room=0.28, height=1.45)
        for part, panel in zip(parts, panels, strict=True):
            plot_pairs(part, panel)
        width = figure.get_figwidth()
        figure.supxlabel(wrap_to(EXPLANATION.format(in_percent(frame["level"].iloc[0])), 0.9 * width))
        title_finding(panels[0], title_pairs(frame))
    return figure


@in_house_style(0.6)
def plot_agreement(frame: pd.DataFrame, ax: Axes, /, *, unranked: Collection[str] = (), **kwargs: object) -> Axes:
    """Plot how well metrics agree with humans by one measure, with intervals.

    Parameters
    ----------
    frame : DataFrame
        Of `mtworkbench.analyses.measure_agreement`, the rows of one scope and measure: one mark each, the first at the
        top.
    ax : matplotlib Axes, optional
        The current one by default.
    unranked : collection of str
        Names of scores that the title does not rank, such as a second human score.
    **kwargs
        For the marks (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    names = short_names(list(frame["metric"]))
    heights = range(len(frame) - 1, -1, -1)
    ax.hlines(heights, frame["low"], frame["high"], color=COLORS[0])
    ax.plot(frame["agreement"], heights, **Look(linestyle="none", marker="o", color=COLORS[0]) | kwargs)
    ax.set_yticks(list(heights), [names[metric] for metric in frame["metric"]])
    ax.set_ylim(-0.6, len(frame) - 0.4)
    scope, measure = frame["scope"].iloc[0], frame["measure"].iloc[0]
    # What is in brackets has a line of its own: the panel is narrow.
    named = name_measure(scope, measure).replace(" (", "\n(")
    ax.set_title(f"{LEVELS[scope]}:\n{named}", loc="left")
    state_finding(ax, title_agreement(frame, unranked=unranked))
    return ax


def draw_agreement(frame: pd.DataFrame, figure: Figure | None = None, *, unranked: Collection[str] = ()) -> Figure:
    """Draw `plot_agreement` for every measure, one panel each.

    Parameters
    ----------
    frame : DataFrame
        Of `mtworkbench.analyses.measure_agreement`.
    figure : Figure, optional
        An empty one; a new one by default.
    unranked : collection of str
        See `plot_agreement`.

    Returns
    -------
    Figure
    """
    parts = [part for _, part in frame.groupby(["scope", "measure"], sort=False)]
    with house_style():
        figure, panels = make_panels(len(parts), figure, wanted=3, room=0.2, height=0.65, sharey=True)
        for part, panel in zip(parts, panels, strict=True):
            plot_agreement(part, panel)
        human = escape_dollars(frame["human"].iloc[0])
        figure.supxlabel(f"agreement with {human}, {in_percent(frame['level'].iloc[0])} CI (not adjusted)")
        title_finding(panels[0], title_agreement(frame, unranked=unranked))
    return figure
