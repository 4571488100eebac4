"""The figures of Koehn (2004), each from the frame of its study: one mark per row of the frame."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mtworkbench.papers.koehn2004 import findings
from mtworkbench.papers.koehn2004.findings import ways_of
from mtworkbench.plots.labels import (
    GUIDE,
    NEUTRAL,
    bars_of,
    in_house_style,
    label_numbers,
    label_right,
    label_sides,
    looks_of,
    many_marks,
    set_labels,
    short_names,
    state_finding,
)
from mtworkbench.plots.style import (
    AT_EDGE,
    LINE_HEIGHT,
    POINTS,
    REFERENCE_COLOR,
    current_medium,
    figure_of,
    label_ends,
    label_line,
    write_near,
)
from mtworkbench.plots.systems import COLORS, Look, Styles, label_systems, system_style
from mtworkbench.plots.words import describe
from mtworkbench.results.estimates import Interval
from mtworkbench.wording import begin
from mtworkbench.words.cells import decimals_for
from mtworkbench.words.frames import fixed, in_percent
from mtworkbench.words.lines import name_sizes

BLUE = COLORS[0]
# What stands out from the colour of a system.
STRIKING = "black"
# Of a new figure, as a share of the style's: many samples next to each other need width rather than height.
LOW = 0.8
# Letters of a name along the vertical axis.
UPRIGHT = 14


@in_house_style(LOW)
def plot_sample_scores(
    frame: pd.DataFrame,
    ax: Axes,
    /,
    *,
    metric: str = "BLEU",
    system: str | None = None,
    whole: float | None = None,
    sampling: str | None = None,
    styles: Styles | None = None,
    **kwargs: object,
) -> Axes:
    """Plot the score of each sample (Koehn (2004), Figs. 2 and 3).

    Parameters
    ----------
    frame : DataFrame
        Of `score_samples`; ways of sampling stand side by side.
    ax : matplotlib Axes, optional
        The current one by default.
    metric : str
        Name of the metric, for the axis.
    system : str, optional
        Whose scores these are, for the title.
    whole : float, optional
        The score on the whole test set, where a line is drawn.
    sampling : {"block", "broad", "random"}, optional
        How the samples were chosen, for the title.
    styles : mapping of str to dict, optional
        Of `styles_of`, where the system should look as in other figures.
    **kwargs
        For the dots (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    look = system_style(0) if system is None else looks_of([system], styles)[system]
    ax.plot(place_samples(frame), frame["score"], **many_marks() | look | kwargs)
    if whole is not None:
        mark_whole(ax, whole, frame["score"].max() - frame["score"].min())
    state_finding(ax, findings.title_samples(frame, metric, system, sampling))
    digits = decimals_for(min(part["score"].std() for _, part in ways_of(frame)))
    said = []
    for name, part in ways_of(frame):
        spread = "" if len(part) < 2 else f", standard deviation {fixed(part['score'].std(), digits)}"
        said.append(f"{name or ''} mean {fixed(part['score'].mean(), digits)} {metric}{spread}".strip())
    of_whole = "" if whole is None else f", {fixed(whole, digits)} on the whole test set"
    describe(ax, begin("; ".join(said) + of_whole))
    return _label_samples(ax, metric, frame)


def place_samples(frame: pd.DataFrame) -> pd.Series:
    """Return where the samples of a frame of `score_samples` stand from left to right.

    It is their number; a further way of sampling begins at a distance from the one before it.
    """
    if "sampling" not in frame:
        return frame["sample"]
    widths = 1.1 * frame.groupby("sampling", sort=False)["sample"].max()
    return frame["sample"] + frame["sampling"].map(widths.cumsum() - widths)


@in_house_style(LOW)
def plot_sample_differences(
    frame: pd.DataFrame,
    ax: Axes,
    /,
    *,
    metric: str = "BLEU",
    systems: tuple[str, str] = ("the first system", "the second one"),
    sampling: str | None = None,
    styles: Styles | None = None,
    **kwargs: object,
) -> Axes:
    """Plot the difference of two systems on each sample (Koehn (2004), Fig. 4).

    Parameters
    ----------
    frame : DataFrame
        Of `difference_samples`. A sample has the colour and shape of the system that scores higher on it.
    ax, metric, sampling, **kwargs
        As of `plot_sample_scores`.
    systems : (str, str)
        The two systems; a difference is that of the first one and the second.
    styles : mapping of str to dict, optional
        Of `styles_of`, where the systems should look as in other figures.

    Returns
    -------
    matplotlib Axes
    """
    ax.axhline(0, **GUIDE)
    negative, names = frame["difference"] < 0, short_names(systems)
    sides = []
    for system, part in ((systems[0], frame[~negative]), (systems[1], frame[negative])):
        look = looks_of(systems, styles)[system]
        ax.plot(place_samples(frame)[part.index], part["difference"], **many_marks() | look | kwargs)
        n_better = int((part["difference"] != 0).sum())
        sides.append((f"{names[system]}\nhigher: {n_better}", look["color"]))
    label_sides(ax, sides, (3, 3))
    state_finding(ax, findings.title_differences(frame, *systems, sampling))
    low, mean, high = (getattr(frame["difference"], which)() for which in ("min", "mean", "max"))
    shown = [fixed(value, decimals_for(high - low)) for value in (low, high, mean)]
    describe(ax, f"{systems[0]} minus {systems[1]} is {shown[0]} to {shown[1]} {metric}, on average {shown[2]}")
    return _label_samples(ax, f"difference in {metric}", frame)


@in_house_style(LOW)
def plot_sample_intervals(
    frame: pd.DataFrame, ax: Axes, /, *, metric: str = "BLEU", color: str = BLUE, **kwargs: object
) -> Axes:
    """Plot each sample's interval and mark those that miss the true score (Koehn (2004), Fig. 6).

    Parameters
    ----------
    frame : DataFrame
        Of `interval_samples`.
    ax, metric
        As of `plot_sample_scores`.
    color : str
        Of the intervals that hold the true score; the others stand out.
    **kwargs
        For the intervals (``Axes.vlines``).

    Returns
    -------
    matplotlib Axes
    """
    low, high, width = frame["low"].min(), frame["high"].max(), (frame["high"] - frame["low"]).mean()
    mark_whole(ax, frame["true_score"].iloc[0], high - low)
    kinds: tuple[tuple[bool, str, Look], ...] = (
        (True, "holds the true score", {"color": color, "linewidth": 0.9, "marker": ".", "word": "contain it"}),
        (False, "misses it", {"color": STRIKING, "linewidth": 1.8, "marker": "s", "word": "miss it"}),
    )
    for covers, label, look in kinds:
        part, own = frame[frame["covers"] == covers], look["color"]
        ax.vlines(
            part["sample"],
            part["low"],
            part["high"],
            **Look(color=own, linewidth=look["linewidth"], label=label) | kwargs,
        )
        ax.plot(part["sample"], part["score"], **many_marks() | {"marker": look["marker"], "color": own})
        label_right(ax, [(1 - covers, f"{len(part)} {look['word']}", own)])
    state_finding(ax, findings.title_intervals(frame))
    shown = [fixed(value, decimals_for(width)) for value in (frame["true_score"].iloc[0], low, high, width)]
    describe(
        ax,
        f"{shown[0]} {metric} on the whole test set; the intervals lie between {shown[1]} and {shown[2]} and are on "
        f"average {shown[3]} wide",
    )
    return _label_samples(ax, metric, frame)


@in_house_style(LOW)
def plot_confidence(
    frame: pd.DataFrame,
    ax: Axes,
    /,
    *,
    level: float = 0.95,
    styles: Styles | None = None,
    **kwargs: object,
) -> Axes:
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
    styles : mapping of str to dict, optional
        Of `styles_of`, where the systems should look as in other figures.
    **kwargs
        For the dots (``Axes.plot``).

    Returns
    -------
    matplotlib Axes
    """
    a, b = frame["a"].iloc[0], frame["b"].iloc[0]
    looks, names = looks_of((a, b), styles), short_names([a, b])
    confidence, upper, lower = 100 * frame["confidence"], round(100 * level, 6), round(100 * (1 - level), 6)
    ax.axhline(upper, **GUIDE)
    if confidence.min() < 20:  # else the axis would reach down to a line that nothing is near
        ax.axhline(lower, **GUIDE | {"linestyle": "--"})
    # Each name stands next to its part of the axis: above the upper line, between the lines, below the lower one.
    for name, label, height, where, style in (
        (a, f"{names[a]} better", 1, f"\n({upper:g} % or more)", looks[a]),
        (b, f"{names[b]} better", 0, f"\n({lower:g} % or less)", looks[b]),
        ("", "no conclusion", 0.5, "", {"marker": "o", "color": NEUTRAL, "markerfacecolor": "none"}),
    ):
        part = frame["conclusion"] == name
        count = f"{label}: {int(part.sum())}"
        ax.plot(frame["sample"][part], confidence[part], **many_marks() | {"label": count} | style | kwargs)
        if part.any():
            label_right(ax, [(height, f"{count}{where}", style["color"])])
    state_finding(ax, findings.title_conclusions(frame))
    low, high, none = confidence.min(), confidence.max(), int((frame["conclusion"] == "").sum())
    describe(ax, f"{a} wins {low:.1f} to {high:.1f} % of the resamples of a sample; no conclusion on {none} samples")
    return _label_samples(ax, f"resamples won\nby {label_systems([a, b], UPRIGHT)[a]} (%)", frame)


def show_range(ax: Axes, low: float, high: float) -> Axes:
    """Widen the vertical axis to a range, so that two figures can be compared; cut off nothing."""
    bottom, top = ax.get_ylim()
    ax.set_ylim(min(bottom, low), max(top, high))
    return ax


@in_house_style(LOW)
def plot_student_density(curve: pd.DataFrame, ax: Axes, /, **kwargs: object) -> Axes:
    """Plot the density that the paper gives the true mean (Koehn (2004), Fig. 5).

    The central 95 % is shaded; the mean of the sample and the ends of the interval are marked as in the paper.
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
    ax.fill_between(curve["score"], 0, curve["density"], where=curve["inside"], color=BLUE, alpha=0.25, linewidth=0)
    ax.plot(curve["score"], curve["density"], **Look(color=BLUE) | kwargs)
    marked = curve[curve["mark"] != ""]
    ax.vlines(marked["score"], 0, marked["density"], color=BLUE, linewidth=1)
    for row in marked.itertuples():
        symbol, right, side = {
            "lower end": (r"$\bar{x} - d$", -4, "right"),
            "mean": (r"$\bar{x}$", 0, "center"),
            "upper end": (r"$\bar{x} + d$", 4, "left"),
        }[row.mark]
        place = row.score, row.density
        write_near(ax, f"{symbol} = {row.score:.3g}", place, (right, 3), ha=side, va="bottom")
    # Next to the line of the mean, which would cross it.
    place = marked["score"].median(), 0.4 * marked["density"].max()
    write_near(ax, "95 %", place, (-6, 0), ha="right", va="center")
    state_finding(ax, findings.title_density(curve))
    ax.set_ylim(0, 1.15 * curve["density"].max())
    ax.set(xlabel="true mean, as the paper reads the curve", ylabel="density")
    return ax


@in_house_style(LOW)
def plot_interval_methods(
    intervals: Mapping[str, Interval], ax: Axes, /, *, whole: float, color: str = BLUE, **kwargs: object
) -> Axes:
    """Plot the scores of one sample's resamples as a histogram, with several intervals of the score below it.

    Parameters
    ----------
    intervals : mapping of str to Interval
        Of `compare_intervals`.
    ax : matplotlib Axes, optional
        The current one by default.
    whole : float
        The score on the whole test set, where a line is drawn. Intervals that miss it stand out.
    color : str
        Of the histogram, and of the other intervals.
    **kwargs
        For the histogram (``Axes.stairs``).

    Returns
    -------
    matplotlib Axes
    """
    first = next(iter(intervals.values()))
    counts, edges = np.histogram(first.resampled, bins=30)
    ax.stairs(counts, edges, **bars_of(color) | kwargs)
    ax.vlines(first.score, 0, counts.max(), color=color)
    # Rows below the histogram are as high as a line of text, whatever the size of both.
    text, share = current_medium().text, ax.get_position().height * figure_of(ax).get_figheight() * POINTS
    row, digits, said = -1.3 * counts.max() * LINE_HEIGHT * text / (0.6 * share), decimals_for(np.ptp(edges)), []
    for place, (name, one) in enumerate(intervals.items(), start=1):
        if one.low is None or one.high is None:
            continue
        look = color if one.low <= whole <= one.high else STRIKING
        ax.plot([one.low, one.high], [place * row] * 2, color=look, linewidth=2.5, solid_capstyle="butt", label=name)
        said.append(f"{name} {fixed(one.low, digits)} to {fixed(one.high, digits)}")
        write_near(ax, said[-1], (1, place * row), (3, 0), AT_EDGE, va="center", color=look)
    ax.axvline(whole, **GUIDE)
    lines = [
        (f"sample {fixed(first.score, digits)}", color),
        (f"whole test set {fixed(whole, digits)}", REFERENCE_COLOR),
    ]
    for place, (name, look) in enumerate(lines):
        write_near(ax, name, (1, 1), (3, -place * LINE_HEIGHT * text), "axes fraction", va="top", color=look)
    ax.set_ylim(bottom=(len(intervals) + 0.6) * row)
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= counts.max()])
    set_labels(ax, f"{first.metric} of a resample ({in_percent(first.level)} CIs below)", "resamples")
    state_finding(ax, findings.title_methods(intervals, whole))
    describe(ax, f"Intervals of the score {fixed(first.score, digits)}: {', '.join(said)}")
    return ax


@in_house_style(LOW)
def plot_interval_growth(frame: pd.DataFrame, ax: Axes, /, *, metric: str = "BLEU", **kwargs: object) -> Axes:
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
    ax.plot(frame["resamples"], frame["score"], **many_marks() | {"marker": ".", "color": NEUTRAL})
    ax.fill_between(frame["resamples"], frame["low"], frame["high"], color=BLUE, alpha=0.15, linewidth=0)
    last = frame.iloc[-1]
    for end, name in (("low", "lower"), ("high", "upper")):
        label = f"{name} end {fixed(last[end], decimals_for(last['high'] - last['low'], 1))}"
        ax.plot(frame["resamples"], frame[end], **Look(color=BLUE, label=label) | kwargs)
    ax.set_xscale("log")
    ax.set_xlim(right=last["resamples"])
    numbers = [number for number in (50, 100, 200, 500, 1000, 2000, 5000, 10_000) if number <= last["resamples"]]
    label_numbers(ax.xaxis, numbers)
    set_labels(ax, "resamples drawn (dots: their scores)", metric)
    label_ends(ax)
    state_finding(ax, findings.title_growth(frame, metric))
    return ax


@in_house_style(LOW)
def plot_deviations(frame: pd.DataFrame, ax: Axes, /, *, metric: str = "BLEU", **kwargs: object) -> Axes:
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
    edges = np.histogram_bin_edges(frame["deviation"], bins=40)
    for (source, part), color, line, height in zip(
        frame.groupby("source"), (STRIKING, BLUE), ("-", "--"), (1, 0.7), strict=True
    ):
        style = {"histtype": "step", "color": color, "linestyle": line, "linewidth": 1.3, "label": source}
        ax.hist(part["deviation"], bins=list(edges), **style | kwargs)
        label_right(ax, [(height, source, color)])
    set_labels(ax, f"{metric} of the draw minus {metric} of the set it is drawn from", "draws")
    state_finding(ax, findings.title_deviations(frame))
    return ax


@in_house_style(LOW)
def plot_autocorrelation(frame: pd.DataFrame, ax: Axes, /, **kwargs: object) -> Axes:
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
    for sign in (-1, 1):
        ax.axhline(sign * frame["noise"].iloc[0], **GUIDE | {"linestyle": "--"})
    ax.axhline(0, **GUIDE)
    ax.vlines(frame["lag"], 0, frame["autocorrelation"], **Look(color=BLUE, linewidth=1.5) | kwargs)
    label_line(ax, "95 % if unrelated", y=frame["noise"].iloc[0])
    ax.set(xlabel="segments apart", ylabel="correlation")
    state_finding(ax, findings.title_neighbours(frame))
    values, lags = frame["autocorrelation"], frame["lag"]
    describe(
        ax,
        f"Correlations of segments {lags.min()} to {lags.max()} apart are {values.min():.3f} to {values.max():.3f}, "
        f"the first {values.iloc[0]:.3f}; 95 % of those of unrelated segments lie within ±{frame['noise'].iloc[0]:.3f}",
    )
    return ax


@in_house_style()
def plot_calibration(bins: pd.DataFrame, ax: Axes, /, *, paper: pd.DataFrame | None = None, **kwargs: object) -> Axes:
    """Plot how often conclusions of each confidence are right (Koehn (2004), Table 4, as a curve).

    Parameters
    ----------
    bins : DataFrame
        Of `bin_conclusions`; the bars are its binomial intervals, where it has them.
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
    ax.plot([50, 100], [50, 100], **GUIDE)
    label_line(ax, "as often right as won", y=100)
    filled = bins[bins["conclusions"] > 0]
    error = np.abs(filled[["low", "high"]].to_numpy().T - filled["correct_percent"].to_numpy())
    ax.errorbar(
        filled["mean_confidence"],
        filled["correct_percent"],
        yerr=error,
        **Look(fmt="o", color=STRIKING, label="here (95 % CI)" if np.isfinite(error).any() else "here") | kwargs,
    )
    if paper is not None:
        where = paper.merge(filled[["lowest", "mean_confidence"]], on="lowest")
        ax.plot(
            where["mean_confidence"],
            where["correct_percent"],
            label="paper",
            linestyle="none",
            marker="s",
            markerfacecolor="none",
            color="0.3",
        )
        ax.legend(loc="lower left", bbox_to_anchor=(1, 0), reverse=True)
    set_labels(ax, "share of resamples won (%)", "conclusions that are right (%)")
    state_finding(ax, findings.title_calibration(bins))
    return ax


def mark_whole(ax: Axes, score: float, spread: float) -> None:
    """Draw and name the line of the score on the whole test set, to the decimals of the scores that it is next to."""
    ax.axhline(score, **GUIDE)
    label_line(ax, f"whole test set {fixed(score, decimals_for(spread, 1))}", y=score)


def _label_samples(ax: Axes, label: str, frame: pd.DataFrame) -> Axes:
    ax.set(xlabel="sample", ylabel=label)
    if "sampling" in frame:
        places = place_samples(frame).groupby(frame["sampling"], sort=False).mean()
        ax.set_xticks(places, [findings.count_samples(part, name) for name, part in ways_of(frame)])
        ax.tick_params("x", length=0)
        ax.set_xlabel(f"{name_sizes(frame['segments'])} segments each")
    return ax
