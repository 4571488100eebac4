"""The figures of Koehn (2004), each from the frame of its study: one row of the frame a mark."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mtworkbench.plots.systems import COLORS, escape_dollars, system_style

BLUE, ORANGE, GREEN = COLORS[:3]
GUIDE = {"color": "0.45", "linewidth": 0.8, "zorder": 0}


def plot_sample_scores(frame: pd.DataFrame, ax: Axes | None = None, *, metric: str = "BLEU", **kwargs: object) -> Axes:
    """Plot the score of each sample (Koehn (2004), Figs. 2 and 3).

    Parameters
    ----------
    frame : DataFrame
        Of `score_samples`.
    ax : matplotlib Axes, optional
        The current one by default.
    metric : str
        Name of the metric, for the axis.
    **kwargs
        For the dots (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    style = {"linestyle": "none", "marker": "o", "markersize": 3, "color": BLUE}
    ax.plot(frame["sample"], frame["score"], **style | kwargs)
    return _label_samples(ax, metric)


def plot_sample_differences(
    frame: pd.DataFrame, ax: Axes | None = None, *, metric: str = "BLEU", **kwargs: object
) -> Axes:
    """Plot the difference of two systems on each sample (Koehn (2004), Fig. 4).

    Parameters
    ----------
    frame : DataFrame
        Of `difference_samples`. Differences below 0 are drawn in another colour and shape.
    ax, metric, **kwargs
        As of `plot_sample_scores`.

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    ax.axhline(0, **GUIDE)
    negative = frame["difference"] < 0
    for part, style in ((frame[~negative], {"marker": "o", "color": BLUE}), (frame[negative], _MISSED)):
        ax.plot(part["sample"], part["difference"], **{"linestyle": "none", "markersize": 3} | style | kwargs)
    return _label_samples(ax, f"difference in {metric}")


def plot_sample_intervals(
    frame: pd.DataFrame, ax: Axes | None = None, *, metric: str = "BLEU", **kwargs: object
) -> Axes:
    """Plot each sample's interval and mark those that miss the true score (Koehn (2004), Fig. 6).

    Parameters
    ----------
    frame : DataFrame
        Of `interval_samples`.
    ax, metric
        As of `plot_sample_scores`.
    **kwargs
        For the intervals (``Axes.vlines``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    ax.axhline(frame["true_score"].iloc[0], **GUIDE)
    for covers, color, width in ((True, BLUE, 0.9), (False, ORANGE, 1.8)):
        part = frame[frame["covers"] == covers]
        style = {"color": color, "linewidth": width, "label": "holds the true score" if covers else "misses it"}
        ax.vlines(part["sample"], part["low"], part["high"], **style | kwargs)
        ax.plot(
            part["sample"], part["score"], linestyle="none", marker="." if covers else "s", markersize=3, color=color
        )
    return _label_samples(ax, metric)


def plot_confidence(frame: pd.DataFrame, ax: Axes | None = None, *, level: float = 0.95, **kwargs: object) -> Axes:
    """Plot the share of resamples that the first system wins, sample by sample (Koehn (2004), Figs. 7 and 8).

    Parameters
    ----------
    frame : DataFrame
        Of `conclude`, for one pair.
    ax : matplotlib Axes, optional
        The current one by default.
    level : float
        Where the lines are drawn: above the upper one the conclusion is for the first system, below the lower one for
        the second.
    **kwargs
        For the dots (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    a, b = escape_dollars(frame["a"].iloc[0]), escape_dollars(frame["b"].iloc[0])
    confidence = 100 * frame["confidence"]
    ax.axhline(100 * level, **GUIDE)
    if confidence.min() < 20:  # else the axis would reach down to a line that nothing is near
        ax.axhline(100 * (1 - level), **GUIDE | {"linestyle": "--"})
    for name, label, style in (
        (frame["a"].iloc[0], f"{a} better", {"marker": "o", "color": BLUE}),
        (frame["b"].iloc[0], f"{b} better", _MISSED),
        ("", "no conclusion", {"marker": "o", "color": "0.55", "markerfacecolor": "none"}),
    ):
        part = frame["conclusion"] == name
        count = f"{label}: {int(part.sum())}"
        style = {"linestyle": "none", "markersize": 3.5, "label": count} | style
        ax.plot(frame["sample"][part], confidence[part], **style | kwargs)
    return _label_samples(ax, f"resamples won\nby {a} (%)")


def show_range(ax: Axes, low: float, high: float) -> Axes:
    """Widen the vertical axis to a range, so that two figures can be compared; cut off nothing.

    `choose_range` of the study gives the paper's range for the paper's systems alone: other scores lie elsewhere.
    """
    bottom, top = ax.get_ylim()
    ax.set_ylim(min(bottom, low), max(top, high))
    return ax


def plot_student_density(curve: pd.DataFrame, ax: Axes | None = None, **kwargs: object) -> Axes:
    """Plot the density that the paper gives the true mean; its central 95 % is shaded (Koehn (2004), Fig. 5).

    Strictly, the true mean is fixed and it is the interval that varies from sample to sample.

    Parameters
    ----------
    curve : DataFrame
        Of `student_density`.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For the curve (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    ax.fill_between(curve["score"], 0, curve["density"], where=curve["inside"], color=BLUE, alpha=0.25, linewidth=0)
    ax.plot(curve["score"], curve["density"], **{"color": BLUE, "linewidth": 1.2} | kwargs)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("true mean, as the paper reads the curve")
    ax.set_ylabel("density")
    return ax


def plot_interval_growth(
    frame: pd.DataFrame, ax: Axes | None = None, *, metric: str = "BLEU", **kwargs: object
) -> Axes:
    """Plot how an interval settles while resamples are drawn (Koehn (2004), §5).

    Parameters
    ----------
    frame : DataFrame
        Of `grow_interval`.
    ax, metric
        As of `plot_sample_scores`.
    **kwargs
        For the ends of the interval (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    ax.plot(frame["resamples"], frame["score"], linestyle="none", marker=".", markersize=2, color="0.6")
    ax.fill_between(frame["resamples"], frame["low"], frame["high"], color=BLUE, alpha=0.15, linewidth=0)
    for end in ("low", "high"):
        ax.plot(frame["resamples"], frame[end], **{"color": BLUE, "linewidth": 1.2} | kwargs)
    ax.set_xscale("log")
    ax.set_xlabel("resamples drawn")
    ax.set_ylabel(metric)
    return ax


def plot_departures(frame: pd.DataFrame, ax: Axes | None = None, *, metric: str = "BLEU", **kwargs: object) -> Axes:
    """Plot fresh samples and resamples of one sample over each other (the assumption of Koehn (2004), §5).

    Parameters
    ----------
    frame : DataFrame
        Of `compare_with_fresh_samples`.
    ax, metric
        As of `plot_sample_scores`.
    **kwargs
        For both histograms (``Axes.hist``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    edges = np.histogram_bin_edges(frame["departure"], bins=40)
    for (source, part), color, line in zip(frame.groupby("source"), (BLUE, ORANGE), ("-", "--"), strict=True):
        style = {"histtype": "step", "color": color, "linestyle": line, "linewidth": 1.3, "label": source}
        ax.hist(part["departure"], bins=edges, **style | kwargs)
    ax.set_xlabel(f"{metric} of the draw minus {metric} of the set it is drawn from")
    ax.set_ylabel("draws")
    return ax


def plot_autocorrelation(frame: pd.DataFrame, ax: Axes | None = None, **kwargs: object) -> Axes:
    """Plot how segments resemble their neighbours (Koehn (2004), §3.3).

    Parameters
    ----------
    frame : DataFrame
        Of `autocorrelate`. If segments were unrelated, 95 % of the correlations would lie between the dashed lines.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For the bars (``Axes.vlines``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    for sign in (-1, 1):
        ax.axhline(sign * frame["noise"].iloc[0], **GUIDE | {"linestyle": "--"})
    ax.axhline(0, **GUIDE)
    ax.vlines(frame["lag"], 0, frame["autocorrelation"], **{"color": BLUE, "linewidth": 1.5} | kwargs)
    ax.set_xlabel("segments apart")
    ax.set_ylabel("correlation")
    return ax


def plot_calibration(
    bins: pd.DataFrame, ax: Axes | None = None, *, paper: pd.DataFrame | None = None, **kwargs: object
) -> Axes:
    """Plot how often conclusions of each confidence are right (Koehn (2004), Table 4, as a curve).

    Parameters
    ----------
    bins : DataFrame
        Of `bin_conclusions`; the bars are its binomial intervals.
    ax : matplotlib Axes, optional
        The current one by default.
    paper : DataFrame, optional
        The printed table, with ``lowest`` and ``correct_percent``. The paper does not print the mean confidence of a
        bin, so its points are drawn at that of ``bins``.
    **kwargs
        For the dots (``Axes.errorbar``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    ax.plot([50, 100], [50, 100], **GUIDE)
    filled = bins[bins["conclusions"] > 0]
    error = np.abs(filled[["low", "high"]].to_numpy().T - filled["correct_percent"].to_numpy())
    style = {"fmt": "o", "color": BLUE, "markersize": 4, "linewidth": 1, "capsize": 2, "label": "here"}
    ax.errorbar(filled["mean_confidence"], filled["correct_percent"], yerr=error, **style | kwargs)
    if paper is not None:
        where = paper.merge(filled[["lowest", "mean_confidence"]], on="lowest")
        ax.plot(where["mean_confidence"], where["correct_percent"], linestyle="none", label="paper", **_MISSED)
    ax.set_xlabel("share of resamples won (%)")
    ax.set_ylabel("conclusions that are right (%)")
    return ax


def plot_orders(frame: pd.DataFrame, ax: Axes | None = None, *, column: str = "precision", **kwargs: object) -> Axes:
    """Plot BLEU's parts by the order of n-grams, one line per system (Koehn (2004), Table 1 and §2.3).

    Parameters
    ----------
    frame : DataFrame
        Of `score_orders`.
    ax : matplotlib Axes, optional
        The current one by default.
    column : {"precision", "score", "no_match_percent"}
    **kwargs
        For all lines (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    for position, (system, part) in enumerate(frame.groupby("system", sort=False)):
        style = {"linewidth": 1, "markersize": 4, "label": escape_dollars(system)} | system_style(position)
        ax.plot(part["order"], part[column], **style | kwargs)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("order of n-grams")
    labels = {
        "precision": "precision (%)",
        "score": "BLEU up to this order",
        "no_match_percent": "segments without a match (%)",
    }
    ax.set_ylabel(labels[column])
    return ax


def plot_reference_counts(
    frame: pd.DataFrame, ax: Axes | None = None, *, metric: str = "BLEU", **kwargs: object
) -> Axes:
    """Plot scores against the number of references: every choice a dot, their means a line (Koehn (2004), §2.3).

    Parameters
    ----------
    frame : DataFrame
        Of `score_reference_counts`.
    ax, metric
        As of `plot_sample_scores`.
    **kwargs
        For the lines (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    for position, (system, part) in enumerate(frame.groupby("system", sort=False)):
        look = system_style(position)
        ax.plot(part["references"], part["score"], linestyle="none", marker=".", markersize=2, color=look["color"])
        means = part.groupby("references")["score"].mean()
        style = {"linewidth": 1, "markersize": 4, "label": escape_dollars(system)} | look
        ax.plot(means.index, means, **style | kwargs)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("references")
    ax.set_ylabel(metric)
    return ax


def plot_length_ratios(frame: pd.DataFrame, ax: Axes | None = None, **kwargs: object) -> Axes:
    """Plot scores against the length of the output (Koehn (2004), Fig. 1).

    Parameters
    ----------
    frame : DataFrame
        Rows of ``system``, ``metric``, ``ratio`` (output length / reference length), ``score``.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For all lines (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    ax = plt.gca() if ax is None else ax
    metrics = list(dict.fromkeys(frame["metric"]))
    for position, ((system, metric), part) in enumerate(frame.groupby(["system", "metric"], sort=False)):
        style = {"linewidth": 1, "markersize": 4, "linestyle": ("-", "--", ":")[metrics.index(metric) % 3]}
        label = escape_dollars(f"{metric}, {system}")
        ax.plot(part["ratio"], part["score"], **style | system_style(position) | {"label": label} | kwargs)
    ax.set_xlabel("length of the output / of the reference")
    ax.set_ylabel("score")
    return ax


_MISSED = {"marker": "s", "color": ORANGE, "markersize": 4}


def _label_samples(ax: Axes, label: str) -> Axes:
    ax.set_xlabel("sample")
    ax.set_ylabel(label)
    return ax
