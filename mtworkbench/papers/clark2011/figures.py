"""The figures of Clark et al. (2011), each from the frame of its study: one row of the frame per mark."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mtworkbench.papers.clark2011 import findings
from mtworkbench.papers.clark2011.nulls import name_null
from mtworkbench.papers.clark2011.randomization import LEVEL
from mtworkbench.plots.labels import (
    GUIDE,
    NEUTRAL,
    bars_of,
    in_house_style,
    is_alone,
    label_right,
    label_two_above,
    looks_of,
    set_labels,
    shades_of,
    short_names,
    state_finding,
)
from mtworkbench.plots.style import figure_of, label_ends, label_line, wrap_to, write_near
from mtworkbench.plots.systems import Look, Looks, Styles, system_style
from mtworkbench.plots.words import describe
from mtworkbench.results.names_of_units import name_units
from mtworkbench.wording import tally
from mtworkbench.words.frames import in_percent

HATCHES = ("", "////")
OTHER_OPTIMA: Look = {"linestyle": "none", "marker": "o", "color": NEUTRAL}
TAKEN_OPTIMUM: Look = {"linestyle": "none", "marker": "D", "color": "black"}
# Tests and deviations take the colours that follow those of the two systems.
OTHERS = 2


@in_house_style()
def plot_score_histograms(
    frame: pd.DataFrame,
    ax: Axes,
    /,
    *,
    overlap: pd.DataFrame | None = None,
    runs: pd.DataFrame | None = None,
    metric: str = "BLEU",
    styles: Styles | None = None,
    **kwargs: object,
) -> Axes:
    """Plot the scores of two systems' runs (Clark et al. (2011), Fig. 1): as histograms, or few runs as dots.

    Parameters
    ----------
    frame : DataFrame
        Of `arrange_scores`; with a column ``score`` each run is a dot, else each bin a bar.
    ax : matplotlib Axes, optional
        The current one by default.
    overlap : DataFrame, optional
        Of `summarize_overlap`: the range that both systems' scores span is shaded, the means are marked.
    runs : DataFrame, optional
        Of `arrange_scores` for one run of each system: they are marked by a line.
    metric : str
        Name of the metric, for the axis.
    styles : mapping of str to dict, optional
        Of `styles_of`, where the systems should look as in other figures.
    **kwargs
        For both histograms (``Axes.stairs``), or for the dots of both systems (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    systems = list(dict.fromkeys(frame["system"]))
    looks = looks_of(systems, styles)
    mark = _mark_runs if "score" in frame else _mark_bins
    mark(ax, frame, looks, **kwargs)
    if overlap is not None:
        _mark_overlap(ax, overlap, [looks[system]["color"] for system in systems])
        state_finding(ax, findings.title_overlap(overlap, *systems))
    if runs is not None:
        lines = [(row.score, f"run {row.run}", looks[row.system]["color"]) for row in runs.itertuples()]
        for score, _, color in lines:
            ax.axvline(score, color=color)
        label_two_above(ax, lines)
    ax.set_xlabel(metric)
    if "score" not in frame:
        describe(ax, "; ".join(_describe_histogram(part, metric) for _, part in frame.groupby("system", sort=False)))
    return ax


def _mark_runs(ax: Axes, frame: pd.DataFrame, looks: Looks, **kwargs: object) -> None:
    """Draw a dot for each run, one row per system, the first on top."""
    names, labels = short_names(list(dict.fromkeys(frame["system"]))), []
    for place, (system, part) in enumerate(frame.groupby("system", sort=False)):
        labels.append(f"{names[system]}: {tally(len(part), 'run')}")
        look = {"linestyle": "none", "marker": looks[system]["marker"], "color": looks[system]["color"]}
        ax.plot(part["score"], [place] * len(part), **look | {"label": labels[-1]} | kwargs)
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.locator_params("x", nbins=5)  # long names leave little room


def _mark_bins(ax: Axes, frame: pd.DataFrame, looks: Looks, **kwargs: object) -> None:
    """Draw a bar for each bin, both systems over one another."""
    names = short_names(list(dict.fromkeys(frame["system"])))
    for place, ((system, part), hatch) in enumerate(zip(frame.groupby("system", sort=False), HATCHES, strict=False)):
        edges, color = [*part["low"], part["high"].iloc[-1]], looks[system]["color"]
        runs = part["runs"].sum()
        label = f"{names[system]}: {tally(runs, 'run')}"
        ax.stairs(part["runs"], edges, **bars_of(color) | {"hatch": hatch, "label": label} | kwargs)
        label_right(ax, [(1 - 0.12 * place, label, color)])
    ax.set_ylabel("runs")
    ax.locator_params("y", integer=True)


def _describe_histogram(part: pd.DataFrame, metric: str) -> str:
    """Say between which scores one system's runs lie, and where most of them are."""
    filled, most = part[part["runs"] > 0], part.loc[part["runs"].idxmax()]
    return (
        f"{part['system'].iloc[0]}: {part['runs'].sum():,} runs between {filled['low'].min():.2f} and "
        f"{filled['high'].max():.2f} {metric}, the fullest bar ({most['runs']:,}) from {most['low']:.2f} to "
        f"{most['high']:.2f}"
    )


def _mark_overlap(ax: Axes, overlap: pd.DataFrame, colors: Sequence[str]) -> None:
    """Shade where the scores of both systems lie, and mark and name their means."""
    row = overlap.iloc[0]
    if not np.isnan(row["low"]):
        ax.axvspan(row["low"], row["high"], color="0.9", zorder=-1)
        label_right(ax, [(0.6, "shaded: range\nof both", "0.45")])
    means = [row["baseline_mean"], row["experimental_mean"]]
    for mean, color in zip(means, colors, strict=True):
        ax.axvline(mean, color=color, linewidth=1, linestyle="--")
    label_two_above(ax, [(mean, f"mean {mean:.2f}", color) for mean, color in zip(means, colors, strict=True)])


@in_house_style()
def plot_difference_frequencies(
    frame: pd.DataFrame,
    ax: Axes,
    /,
    *,
    found: pd.DataFrame | None = None,
    metric: str = "BLEU",
    **kwargs: object,
) -> Axes:
    """Plot which differences are observed, by the number of replications (Clark et al. (2011), Fig. 2).

    Parameters
    ----------
    frame : DataFrame
        Of `arrange_differences`. With a column ``frequency`` there is one line per number of replications, darker for
        more; else a dot at the mean of the differences and a line over their central 95 %.
    ax, metric
        As of `plot_score_histograms`.
    found : DataFrame, optional
        Of `summarize_differences`, for the title.
    **kwargs
        For all lines (``Axes.plot``), or for all dots (``Axes.errorbar``).

    Returns
    -------
    matplotlib Axes
    """
    ax.axvline(0, **GUIDE)
    mark = _mark_frequencies if "frequency" in frame else _mark_ranges
    mark(ax, frame, f"observed difference in {metric}", **kwargs)
    label_line(ax, "no difference", x=0)
    if found is not None:
        state_finding(ax, findings.title_replications(found))
    return ax


def _mark_frequencies(ax: Axes, frame: pd.DataFrame, label: str, **kwargs: object) -> None:
    """Draw one line per number of replications."""
    numbers = list(dict.fromkeys(frame["replications"]))
    shades = shades_of(len(numbers))
    for (number, part), shade in zip(frame.groupby("replications", sort=False), shades, strict=True):
        centres = (part["low"] + part["high"]) / 2
        style = {"color": shade, "label": tally(number, "run")}
        ax.plot(centres, part["frequency"], **style | kwargs)
    # All lines end at 0, so their names cannot stand at their ends: they are in the order of the peaks.
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), reverse=True)
    ax.set_ylim(bottom=0)
    set_labels(ax, label, "relative frequency")


def _mark_ranges(ax: Axes, frame: pd.DataFrame, label: str, **kwargs: object) -> None:
    """Draw the mean and the central 95 % of the differences, one row per number of replications."""
    rows = range(len(frame))
    for row, shade, part in zip(rows, shades_of(len(frame)), frame.to_dict("records"), strict=True):
        error = [[part["mean"] - part["low"]], [part["high"] - part["mean"]]]
        ax.errorbar([part["mean"]], [row], xerr=np.maximum(error, 0), **{"fmt": "o", "color": shade} | kwargs)
    ax.set_yticks(rows, [tally(number, "run") for number in frame["replications"]])
    ax.set_ylim(len(frame) - 0.4, -0.6)
    is_range = bool((frame["low"] < frame["high"]).any())
    set_labels(ax, f"{label}: mean and central 95 %" if is_range else label, "")


@in_house_style()
def plot_optima(frame: pd.DataFrame, ax: Axes, /, *, metric: str = "BLEU", **kwargs: object) -> Axes:
    """Plot the local optima of one run of the optimizer: their scores on the tuning set and on the test set.

    Parameters
    ----------
    frame : DataFrame
        Of `arrange_optima`.
    ax, metric
        As of `plot_score_histograms`.
    **kwargs
        For the dots (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    for part, look in zip((frame[~frame["taken"]], frame[frame["taken"]]), (OTHER_OPTIMA, TAKEN_OPTIMUM), strict=True):
        ax.plot(part["dev"], part["test"], **look | kwargs)
    taken = frame[frame["taken"]].iloc[0]
    write_near(ax, "taken", (taken["dev"], taken["test"]), (-8, 0), ha="right", va="center")
    set_labels(ax, f"{metric} on the tuning set", f"{metric} on the test set")
    state_finding(ax, findings.title_optima(frame))
    return ax


@in_house_style(1.4)
def plot_test_sizes(sizes: pd.DataFrame, ax: Axes, /, **kwargs: object) -> Axes:
    """Plot how often each test rejects a true null hypothesis, by what varies.

    Parameters
    ----------
    sizes : DataFrame
        Of `measure_sizes`; the bars are its binomial intervals, the labels those of `name_null`.
    ax : matplotlib Axes, optional
        The current one by default.
    **kwargs
        For the dots (``Axes.errorbar``).

    Returns
    -------
    matplotlib Axes
    """
    ax.axvline(100 * LEVEL, **GUIDE)
    nulls = ["method_by_segment", "run", "residual", "n_runs"]
    labels = [
        wrap_to(name_null(*null), 0.5 * figure_of(ax).get_figwidth())
        for null in dict.fromkeys(sizes[nulls].itertuples(index=False, name=None))
    ]
    for position, (test, part) in enumerate(sizes.groupby("test", sort=False)):
        rows = np.arange(len(part)) + 0.14 * (position - 1.5)
        error = np.abs(part[["low", "high"]].to_numpy().T - part["rejected_percent"].to_numpy())
        look = system_style(OTHERS + position)
        style = {"fmt": look["marker"], "color": look["color"], "label": test}
        ax.errorbar(part["rejected_percent"], rows, xerr=error, **style | kwargs)
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    label_line(ax, in_percent(LEVEL), x=100 * LEVEL)
    ax.set_xlabel(wrap_to("true null hypotheses rejected (%)", 0.4 * figure_of(ax).get_figwidth()))
    if is_alone(ax):
        ax.figure.legend(loc="outside lower center", ncols=2)
    state_finding(ax, findings.title_test_sizes(sizes))
    return ax


@in_house_style()
def plot_projected_errors(
    frame: pd.DataFrame, ax: Axes, /, *, metric: str = "BLEU", unit: str = "segment", **kwargs: object
) -> Axes:
    """Plot the standard error that other numbers of runs and other test sets would give.

    Parameters
    ----------
    frame : DataFrame
        Of `mtworkbench.inference.more_runs.project_errors`; one line per size of the test set.
    ax, metric
        As of `plot_score_histograms`.
    unit : str
        What the sizes count, such as ``document``.
    **kwargs
        For all lines (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    shades = shades_of(frame["n_units"].nunique())
    for position, (n_units, part) in enumerate(frame.groupby("n_units")):
        style = system_style(position) | {"label": f"{n_units:,} {name_units(unit)}", "color": shades[position]}
        ax.plot(part["n_runs"], part["standard_error"], **style | kwargs)
    ax.set_xscale("log")
    numbers = sorted(set(frame["n_runs"]))
    ax.set_xticks(numbers, [str(number) for number in numbers])
    ax.minorticks_off()
    ax.set_ylim(bottom=0)
    set_labels(ax, "runs of each system", f"standard error of the difference ({metric})")
    label_ends(ax)
    state_finding(ax, findings.title_projection(frame, unit))
    return ax
