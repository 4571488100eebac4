"""Controls for the figures of Clark et al. (2011): fewer runs, another pair, other single runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from mtworkbench.inference import approximate_randomization
from mtworkbench.papers import clark2011
from mtworkbench.papers.clark2011 import figures as plots
from mtworkbench.plots.labels import label_two_above
from mtworkbench.plots.style import style
from mtworkbench.plots.systems import Styles, styles_of
from mtworkbench.resampling import resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics
from mtworkbench.tables import printable
from mtworkbench.widgets.controls import Menu, Slider
from mtworkbench.widgets.explorer import Explorer
from mtworkbench.wording import tally
from mtworkbench.words.cells import digits_of_trials, name_p

NUMBERS_OF_RUNS = (2, 3, 5, 10, 20, 50, 100, 200, 300, 500, 1000)
REPLICATIONS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50)
# Small enough for two of them in a notebook.
WIDE = (6.4, 2.9)
# Quick enough for a control; the notebooks draw 10,000.
N_DRAWS = 4000
N_TRIALS = 1000

Pair = tuple[SystemStatistics, SystemStatistics]


def explore_scores(test: Mapping[str, Sequence[SegmentStatistics]]) -> Explorer:
    """Explore how the scores of two systems' runs overlap (Clark et al. (2011), Fig. 1): which pair, and how many runs.

    Parameters
    ----------
    test : mapping of str to sequence of SegmentStatistics
        By corpus, as of `tabulate_variance`: every pair of systems under every metric is offered.

    Returns
    -------
    Explorer
    """
    pairs, looks = _pairs(test), _looks(test)
    most = max(system.n_runs for _, pair in pairs for system in pair)

    @style()
    def draw(pair: int, runs: int) -> tuple:
        a, b = pairs[pair][1]
        found = clark2011.summarize_overlap(a, b, n_runs=runs)
        frame = clark2011.arrange_scores(a, b, n_runs=runs)
        ax = plots.plot_score_histograms(frame, _new_axes(), overlap=found, metric=a.metric.name, styles=looks)
        row = found.iloc[0]
        difference = f"{printable(b.system)} - {printable(a.system)}: {row['difference']:+.2f} {a.metric.name} over "
        difference += _describe_runs(a, b, runs)
        if a.n_runs == b.n_runs == 1:
            return ax, f"{difference}; the order that other runs would show is unknown."
        if row["difference"] == 0:
            return ax, f"{difference}; the means are equal, so neither order is wrong."
        share = clark2011.show_value(row["wrong_order_percent"], 1)
        return ax, f"{difference}; one run of each shows the opposite order in {share} % of the pairs."

    sizes = [number for number in NUMBERS_OF_RUNS if number < most] + [most]
    return Explorer(draw, pair=_pair_menu(pairs), runs=Slider("runs", sizes, sizes[-1]))


def explore_replications(
    test: Mapping[str, Sequence[SegmentStatistics]], *, rng: int | np.random.Generator | None = None
) -> Explorer:
    """Explore which differences experiments observe (Clark et al. (2011), Fig. 2): which pair, how many runs averaged.

    Parameters
    ----------
    test : mapping of str to sequence of SegmentStatistics
        As of `explore_scores`.
    rng : int, numpy.random.Generator or None
        One seed for all positions of the controls.

    Returns
    -------
    Explorer
    """
    pairs, random_key = _pairs(test), resolve_rng(rng)
    most = max(min(a.n_runs, b.n_runs) for _, (a, b) in pairs)

    @style()
    def draw(pair: int, replications: int) -> tuple:
        a, b = pairs[pair][1]
        number = min(replications, a.n_runs, b.n_runs)
        drawn = clark2011.draw_differences(a, b, sorted({1, number}), n_draws=N_DRAWS, rng=random_key)
        frame, found = clark2011.arrange_differences(drawn, a, b), clark2011.summarize_differences(drawn)
        ax = plots.plot_difference_frequencies(frame, _new_axes(), found=found, metric=a.metric.name)
        row = found.iloc[-1]
        if a.n_runs == b.n_runs == 1:
            return ax, (
                f"{printable(b.system)} - {printable(a.system)}: {row['mean']:+.2f} {a.metric.name}. Each has one run, "
                "so how far the differences of other runs would scatter is unknown."
            )
        wrong = "over all runs, the means are equal, so neither sign is wrong."
        if not np.isnan(row["wrong_sign_percent"]):
            wrong = f"{clark2011.show_value(row['wrong_sign_percent'], 1)} % have the wrong sign."
        return ax, (
            f"Means of {_describe_runs(a, b, number)}: 95 % of the experiments observe {row['low']:+.2f} to "
            f"{row['high']:+.2f} {a.metric.name}; {wrong}"
        )

    sizes = [number for number in REPLICATIONS if number <= most] or [1]
    chosen = 5 if 5 in sizes else sizes[-1]
    return Explorer(draw, pair=_pair_menu(pairs), replications=Slider("replications", sizes, chosen))


def explore_luck(
    test: Mapping[str, Sequence[SegmentStatistics]], *, rng: int | np.random.Generator | None = None
) -> Explorer:
    """Explore the p of single runs (Clark et al. (2011), Table 2), by the rank of each system's run.

    Parameters
    ----------
    test : mapping of str to sequence of SegmentStatistics
        As of `explore_scores`.
    rng : int, numpy.random.Generator or None
        One seed for all positions of the controls.

    Returns
    -------
    Explorer
    """
    pairs, looks, random_key = _pairs(test), _looks(test), resolve_rng(rng)

    @style()
    def draw(pair: int, luck_of_a: int, luck_of_b: int) -> tuple:
        a, b = pairs[pair][1]
        runs = [_run_at(system, percentile) for system, percentile in ((a, luck_of_a), (b, luck_of_b))]
        one = [clark2011.take_runs(system, [run]) for system, run in zip((a, b), runs, strict=True)]
        tested = approximate_randomization(one[1], one[0], n_trials=N_TRIALS, unit="segment", rng=random_key)
        scores = clark2011.arrange_scores(a, b)
        ax = plots.plot_score_histograms(scores, _new_axes(), metric=a.metric.name, styles=looks)
        marks = [(float(system.score()[0, 0]), looks[system.system]["color"]) for system in one]
        for score, color in marks:
            ax.axvline(score, color=color)
        label_two_above(ax, [(score, f"run {run}", color) for (score, color), run in zip(marks, runs, strict=True)])
        return ax, (
            f"Run {runs[0]} of {printable(a.system)} ({one[0].score()[0, 0]:.2f}) and run {runs[1]} of "
            f"{printable(b.system)} ({one[1].score()[0, 0]:.2f}): difference {tested.difference:+.2f} {a.metric.name}, "
            f"{name_p(tested.p_value, digits_of_trials(N_TRIALS))} ({N_TRIALS:,} trials)."
        )

    return Explorer(
        draw,
        pair=_pair_menu(pairs),
        luck_of_a=_percent_slider("run of A (percentile)"),
        luck_of_b=_percent_slider("run of B (percentile)"),
    )


def _pairs(test: Mapping[str, Sequence[SegmentStatistics]]) -> list[tuple[str, Pair]]:
    """Return every pair of systems under every metric, the baseline first, with a name."""
    found = []
    for corpus, families in test.items():
        for family in families:
            names = list(family)
            for place, baseline in enumerate(names):
                for experimental in names[place + 1 :]:
                    name = f"{corpus}, {clark2011.name_metric(family.metric)}: {baseline} and {experimental}"
                    found.append((printable(name), (family[baseline], family[experimental])))
    return found


def _looks(test: Mapping[str, Sequence[SegmentStatistics]]) -> Styles:
    """Return how each system looks, whichever pair it is shown in."""
    return styles_of(system for families in test.values() for family in families for system in family)


def _describe_runs(a: SystemStatistics, b: SystemStatistics, most: int) -> str:
    """Say how many runs of each system there are where at most so many are taken."""
    runs = [min(system.n_runs, most) for system in (a, b)]
    words = [f"{tally(number, 'run')} of" for number in runs]
    if runs[0] == runs[1]:
        return f"{words[0]} each"
    return f"{words[0]} {printable(a.system)} and {words[1]} {printable(b.system)}"


def _pair_menu(pairs: list[tuple[str, Pair]]) -> Menu:
    return Menu("pair", [(name, place) for place, (name, _) in enumerate(pairs)], 0)


def _percent_slider(name: str) -> Slider:
    return Slider(name, range(0, 101, 5), 50)


def _run_at(system: SystemStatistics, percent: int) -> int:
    """Return the number of the run below which so many percent of the runs are: 0 the worst, 100 the best."""
    ranked = clark2011.rank_runs(system)
    return int(ranked[(len(ranked) - 1) * percent // 100]) + 1


def _new_axes() -> Axes:
    return plt.figure(figsize=WIDE).subplots()
