"""The figures of Clark et al. (2011), each from the frame of its study: one row of the frame per mark."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mtworkbench.plots.systems import COLORS, escape_dollars, system_style
from mtworkbench.studies.clark2011.nulls import name_null
from mtworkbench.studies.clark2011.settings import SETTING_NAMES

GUIDE = {"color": "0.45", "linewidth": 0.8, "zorder": 0}
HATCHES = ("", "////")


def plot_score_histograms(
    frame: pd.DataFrame,
    ax: Axes | None = None,
    *,
    overlap: pd.DataFrame | None = None,
    metric: str = "BLEU",
    **kwargs: object,
) -> Axes:
    """Plot how many runs of two systems have which score (Clark et al. (2011), Fig. 1).

    Parameters
    ----------
    frame : DataFrame
        Of `bin_scores`.
    ax : matplotlib Axes, optional
        The current one by default.
    overlap : DataFrame, optional
        Of `summarize_overlap`: the range that both systems' scores span is shaded, the means are marked.
    metric : str
        Name of the metric, for the axis.
    **kwargs
        For both histograms (``Axes.stairs``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    for (system, part), color, hatch in zip(frame.groupby("system", sort=False), COLORS, HATCHES, strict=False):
        edges = [*part["low"], part["high"].iloc[-1]]
        style = {"fill": True, "facecolor": (*_rgb(color), 0.45), "edgecolor": color, "hatch": hatch, "linewidth": 1}
        runs = part["runs"].sum()
        label = escape_dollars(f"{system}: {runs} run{'s' if runs != 1 else ''}")
        ax.stairs(part["runs"], edges, label=label, **style | kwargs)
    if overlap is not None:
        row = overlap.iloc[0]
        if not np.isnan(row["low"]):
            ax.axvspan(row["low"], row["high"], color="0.9", zorder=-1)
        for column, color in zip(("baseline_mean", "experimental_mean"), COLORS, strict=False):
            ax.axvline(row[column], color=color, linewidth=1, linestyle="--")
    ax.set_xlabel(metric)
    ax.set_ylabel("runs")
    return ax


def plot_difference_frequencies(
    frame: pd.DataFrame, ax: Axes | None = None, *, metric: str = "BLEU", **kwargs: object
) -> Axes:
    """Plot how often which difference is observed, by the number of replications (Clark et al. (2011), Fig. 2).

    Parameters
    ----------
    frame : DataFrame
        Of `bin_differences`; one line per number of replications, darker for more.
    ax, metric
        As of `plot_score_histograms`.
    **kwargs
        For all lines (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    ax.axvline(0, **GUIDE)
    numbers = list(dict.fromkeys(frame["replications"]))
    shades = plt.colormaps["viridis"](np.linspace(0.85, 0.0, len(numbers)))
    for (number, part), shade in zip(frame.groupby("replications", sort=False), shades, strict=True):
        centres = (part["low"] + part["high"]) / 2
        style = {"color": shade, "linewidth": 1.3, "label": f"{number} run{'s' if number > 1 else ''}"}
        ax.plot(centres, part["frequency"], **style | kwargs)
    ax.set_ylim(bottom=0)
    ax.set_xlabel(f"observed difference in {metric}")
    ax.set_ylabel("relative frequency")
    return ax


def plot_p_values(drawn: pd.DataFrame, ax: Axes | None = None, *, level: float = 0.05, **kwargs: object) -> Axes:
    """Plot the share of experiments with at most a given p (Clark et al. (2011), Table 2, as curves).

    Parameters
    ----------
    drawn : DataFrame
        Of `randomize_drawn_runs`; one line per number of runs.
    ax : matplotlib Axes, optional
        The current one by default.
    level : float
        Where a line is drawn.
    **kwargs
        For all lines (``Axes.step``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    ax.axvline(level, **GUIDE)
    for position, (number, part) in enumerate(drawn.groupby("n", sort=False)):
        p_values = np.sort(part["p_value"])
        share = 100 * np.arange(1, len(p_values) + 1) / len(p_values)
        look = system_style(position)
        style = {
            "where": "post",
            "linewidth": 1.2,
            "color": look["color"],
            "linestyle": ("-", "--", ":", "-.")[position % 4],
        }
        label = f"{number} run{'s' if number > 1 else ''} of each"
        # Every curve begins at the axis and ends at 1, where all are at most so large.
        ax.step([p_values[0], *p_values, 1], [0, *share, 100], **style | {"label": label} | kwargs)
    ax.set_xscale("log")
    ax.set_xlim(right=1)
    ax.set_xlabel("p")
    ax.set_ylabel("experiments with at most this p (%)")
    return ax


def plot_setting(frame: pd.DataFrame, ax: Axes | None = None, *, metric: str = "BLEU", **kwargs: object) -> Axes:
    """Plot how much runs vary, by one setting of the optimizer or of its data (Clark et al. (2011), 4.1).

    Parameters
    ----------
    frame : DataFrame
        Of `vary_setting`.
    ax, metric
        As of `plot_score_histograms`.
    **kwargs
        For all lines (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    for system, part in frame.groupby("system", sort=False):
        for position, column in enumerate(("s_dev", "s_test")):
            style = {"linewidth": 1.2, "markersize": 5, "label": escape_dollars(f"{column}, {system}")}
            ax.plot(part["value"], part[column], **style | system_style(position) | kwargs)
    ax.set_ylim(bottom=0)
    setting = frame["knob"].iloc[0]
    ax.set_xlabel(f"number of {SETTING_NAMES.get(setting, setting)}")
    ax.set_ylabel(f"standard deviation over runs ({metric})")
    return ax


def plot_test_sizes(sizes: pd.DataFrame, ax: Axes | None = None, *, level: float = 0.05, **kwargs: object) -> Axes:
    """Plot how often each test rejects a true null hypothesis, by what varies.

    Parameters
    ----------
    sizes : DataFrame
        Of `measure_sizes`; the bars are its binomial intervals, the labels those of `name_null`.
    ax : matplotlib Axes, optional
        The current one by default.
    level : float
        At which the tests reject.
    **kwargs
        For the dots (``Axes.errorbar``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    ax.axvline(100 * level, **GUIDE)
    nulls = ["method_by_segment", "run", "residual", "n_runs"]
    labels = [name_null(*null) for null in dict.fromkeys(sizes[nulls].itertuples(index=False, name=None))]
    for position, (test, part) in enumerate(sizes.groupby("test", sort=False)):
        rows = np.arange(len(part)) + 0.14 * (position - 1.5)
        error = np.abs(part[["low", "high"]].to_numpy().T - part["rejected_percent"].to_numpy())
        look = system_style(position)
        style = {"fmt": look["marker"], "color": look["color"], "markersize": 4, "linewidth": 1, "label": test}
        ax.errorbar(part["rejected_percent"], rows, xerr=error, **style | kwargs)
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    ax.set_xlabel("true null hypotheses rejected (%)")
    return ax


def plot_projected_errors(
    frame: pd.DataFrame, ax: Axes | None = None, *, metric: str = "BLEU", unit: str = "segment", **kwargs: object
) -> Axes:
    """Plot the standard error that other numbers of runs and other test sets would give.

    Parameters
    ----------
    frame : DataFrame
        Of `mtworkbench.inference.more_runs.project_errors`; one line per size of the test set.
    ax, metric
        As of `plot_score_histograms`.
    unit : {"segment", "document"}
        What the sizes count.
    **kwargs
        For all lines (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    for position, (n_units, part) in enumerate(frame.groupby("n_units")):
        style = {"linewidth": 1.2, "markersize": 4, "label": f"{n_units} {unit}s"} | system_style(position)
        ax.plot(part["n_runs"], part["standard_error"], **style | kwargs)
    ax.set_xscale("log")
    numbers = sorted(set(frame["n_runs"]))
    ax.set_xticks(numbers, [str(number) for number in numbers])
    ax.minorticks_off()
    ax.set_ylim(bottom=0)
    ax.set_xlabel("runs of each system")
    ax.set_ylabel(f"standard error of the difference ({metric})")
    # Lines may meet where runs matter most, so labels at their ends could cover one another.
    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def _rgb(color: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    return to_rgb(color)
