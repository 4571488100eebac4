"""Controls for the figures of Clark et al. (2011): other runs, fewer of them, another pair, and tuning again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mtworkbench.errors import InputError
from mtworkbench.inference import paired_bootstrap
from mtworkbench.inference.replications import median_run
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.papers import clark2011
from mtworkbench.papers.clark2011 import figures as plots
from mtworkbench.papers.clark2011.randomization import LEVEL
from mtworkbench.papers.clark2011.scores import Families, Pair, Runs, subtract
from mtworkbench.papers.clark2011.variance import deviation
from mtworkbench.papers.common.explorers import offer_paper
from mtworkbench.papers.simulation.mert import Mert, tune
from mtworkbench.papers.simulation.replications import BTEC, TuningLists, make_pair_lists
from mtworkbench.plots.systems import Styles, styles_of
from mtworkbench.resampling import RngLike
from mtworkbench.statistics import compute_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics
from mtworkbench.tables import printable
from mtworkbench.widgets.controls import Control, Draws, Menu, Slider
from mtworkbench.widgets.explorer import Answer, Explorer, Outcome, new_axes
from mtworkbench.widgets.linked_views import draw_resamples
from mtworkbench.widgets.segments.browser import NO_TEXTS, SegmentBrowser, explore_part
from mtworkbench.wording import begin, listed, name_some, tally
from mtworkbench.words.cells import digits_of_trials, name_p
from mtworkbench.words.lines import join_lines

NUMBERS_OF_RUNS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 300, 500, 1000)
REPLICATIONS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50)
EXPERIMENTS = (20, 100, 1000, 4000)
RESTARTS, DIRECTIONS = (0, 1, 2, 4, 8), (0, 1, 2, 5, 10)
# Enough for a control; the notebooks draw 10,000.
N_TRIALS = 1000
IMPORT = "from mtworkbench.papers import clark2011\n"

Outputs: TypeAlias = pd.DataFrame | Mapping[str, pd.DataFrame] | None


@dataclass(frozen=True, eq=False)
class Compared:
    """Two systems under one metric, the baseline first.

    Parameters
    ----------
    corpus : str
    place : int
        Of the metric, among those of the corpus.
    statistics : SegmentStatistics
    names : (str, str)
    outputs : DataFrame or None
        Of the corpus.
    """

    corpus: str
    place: int
    statistics: SegmentStatistics
    names: tuple[str, str]
    outputs: pd.DataFrame | None

    @property
    def systems(self) -> Pair:
        """Both systems."""
        return self.statistics[self.names[0]], self.statistics[self.names[1]]

    @property
    def metric(self) -> str:
        """The name of the metric, as of Table 1."""
        return clark2011.name_metric(self.statistics.metric)

    @property
    def label(self) -> str:
        """What is compared, in words."""
        return printable(f"{self.corpus}, {self.metric}: {self.names[0]} and {self.names[1]}")

    @property
    def code(self) -> str:
        """The lines of Python that other lines begin with."""
        first, second = (f"test[{self.corpus!r}][{self.place}][{name!r}]" for name in self.names)
        return f"{IMPORT}a, b = {first}, {second}\n"

    @property
    def is_printed(self) -> bool:
        """Whether the paper has these systems."""
        return clark2011.has_published(self.corpus, self.names)

    def read(self, runs: tuple[int, int]) -> SegmentBrowser | None:
        """Explore the sentences of one run of each, by their numbers, the baseline's first."""
        return explore_part(self.outputs, self.statistics, *self.names[::-1], runs=runs[::-1])


def explore_scores(test: Families, outputs: Outputs = None, *, rng: RngLike = None) -> Explorer:
    """Explore the scores of some runs of two systems (Clark et al. (2011), Fig. 1 and Table 1): which pair and runs.

    The first seed shows the first runs of each system, and each further draw other runs. Each draw leaves the
    difference of the means that such an experiment would observe, or how s_test compares with that of all runs. A bar
    or a dot that is clicked opens its runs, and the sentences of the median one.

    Parameters
    ----------
    test : mapping of str to sequence of SegmentStatistics
        By corpus, as of `tabulate_variance`: every pair of systems under every metric is offered.
    outputs : DataFrame or mapping of str to DataFrame, optional
        What the statistics were computed from, by corpus if there are several, to read the sentences.
    rng : int, numpy.random.Generator or None
        The first seed.

    Returns
    -------
    Explorer
    """
    pairs, looks, first = _pairs(test, outputs), _looks(test), Draws.of(rng)
    start = first.value

    def draw(pair: int, runs: int, outcome: str, seed: int, paper: bool = False) -> Answer:
        compared = pairs[pair]
        a, b = compared.systems
        chosen = clark2011.choose_runs(a, b, runs, anew=seed != start, rng=seed)
        frame = clark2011.arrange_scores(a, b, runs=chosen)
        found = clark2011.summarize_overlap(a, b, runs=chosen)
        ax = plots.plot_score_histograms(frame, new_axes(), overlap=found, metric=a.metric.name, styles=looks)
        _show_all_scores(ax, (a, b))
        marks, compare = _mark_runs(frame), _compare_deviations if outcome == "s_test" else _compare_means
        taken = [clark2011.take_runs(system, runs) for system, runs in zip((a, b), chosen, strict=True)]
        sentence = f"{begin(clark2011.describe_runs_of_pair(*taken))}{_describe_deviations((a, b), chosen)}"
        return Answer(
            ax,
            sentence + _add_printed(paper, compared, clark2011.describe_printed_runs),
            marks,
            frame,
            f"{compared.code}runs = clark2011.choose_runs(a, b, {runs}, anew={seed != start}, rng={seed})\n"
            "frame = clark2011.arrange_scores(a, b, runs=runs)\n"
            "overlap = clark2011.summarize_overlap(a, b, runs=runs)\n"
            f"clark2011.figures.plot_score_histograms(frame, overlap=overlap, metric={a.metric.name!r})",
            along="xy" if "score" in frame else "x",
            open=lambda mark: _open_runs(compared, chosen, marks.iloc[mark]),
            outcome=None if _are_all((a, b), chosen) else compare((a, b), chosen, found),
        )

    most = max(system.n_runs for compared in pairs for system in compared.systems)
    sizes = [number for number in NUMBERS_OF_RUNS if number < most] + [most]
    return _explore(
        draw,
        pairs,
        first,
        runs=Slider("runs", sizes, 20 if 20 in sizes else sizes[max(0, len(sizes) - 2)]),
        outcome=Menu("outcome", ["difference", "s_test"], "difference"),
    )


def explore_replications(test: Families, *, rng: RngLike = None) -> Explorer:
    """Explore which differences experiments observe (Clark et al. (2011), Fig. 2): which pair, how many runs averaged.

    Each draw leaves the share of its experiments that have the wrong sign.

    Parameters
    ----------
    test : mapping of str to sequence of SegmentStatistics
        As of `explore_scores`.
    rng : int, numpy.random.Generator or None
        The first seed.

    Returns
    -------
    Explorer
    """
    pairs = _pairs(test)
    most = max(min(a.n_runs, b.n_runs) for a, b in (compared.systems for compared in pairs))

    def draw(pair: int, replications: int, experiments: int, seed: int, paper: bool = False) -> Answer:
        compared = pairs[pair]
        a, b = compared.systems
        numbers = sorted({1, min(replications, a.n_runs, b.n_runs)})
        drawn = clark2011.draw_differences(a, b, numbers, n_draws=experiments, rng=seed)
        frame, found = clark2011.arrange_differences(drawn, a, b), clark2011.summarize_differences(drawn)
        return Answer(
            plots.plot_difference_frequencies(frame, new_axes(), found=found, metric=a.metric.name),
            join_lines(clark2011.describe_differences(found, a, b))
            + _add_printed(paper, compared, clark2011.describe_printed_runs),
            _mark_frequencies(frame),
            frame,
            f"{compared.code}drawn = clark2011.draw_differences(a, b, {numbers}, n_draws={experiments}, rng={seed})\n"
            "frame = clark2011.arrange_differences(drawn, a, b)\n"
            "found = clark2011.summarize_differences(drawn)\n"
            f"clark2011.figures.plot_difference_frequencies(frame, found=found, metric={a.metric.name!r})",
            along="x",
            outcome=None if a.n_runs == b.n_runs == 1 else _compare_signs(found),
        )

    sizes = [number for number in REPLICATIONS if number <= most] or [1]
    return _explore(
        draw,
        pairs,
        Draws.of(rng),
        replications=Slider("replications", sizes, 5 if 5 in sizes else sizes[-1]),
        experiments=Menu("experiments", EXPERIMENTS, EXPERIMENTS[-1]),
    )


def explore_luck(test: Families, outputs: Outputs = None, *, rng: RngLike = None) -> Explorer:
    """Explore the p of single runs (Clark et al. (2011), Table 2): drawn at random, or chosen by their rank.

    Each draw leaves its p in the row of the system whose run is better, unless both runs are chosen. A line that is
    clicked opens the difference of both runs in resamples of the sentences, and the sentences.

    Parameters
    ----------
    test, outputs
        As of `explore_scores`.
    rng : int, numpy.random.Generator or None
        The first seed.

    Returns
    -------
    Explorer
    """
    pairs, looks = _pairs(test, outputs), _looks(test)

    def draw(pair: int, luck_of_a: int | None, luck_of_b: int | None, seed: int, paper: bool = False) -> Answer:
        compared = pairs[pair]
        a, b = compared.systems
        drawn = clark2011.choose_runs(a, b, 1, rng=seed)
        runs = (_run_at(a, luck_of_a, drawn[0]), _run_at(b, luck_of_b, drawn[1]))
        frame = clark2011.randomize_single_runs(a, b, runs=[runs], n_trials=N_TRIALS, rng=seed)
        single = clark2011.arrange_scores(a, b, runs=([runs[0]], [runs[1]]))
        ax = plots.plot_score_histograms(
            clark2011.arrange_scores(a, b), new_axes(), runs=single, metric=a.metric.name, styles=looks
        )
        return Answer(
            ax,
            _describe_single_runs(frame, (a, b)) + _add_printed(paper, compared, clark2011.describe_printed_p),
            _mark_runs(single).assign(y=np.mean(ax.get_ylim())),
            frame,
            f"{compared.code}frame = clark2011.randomize_single_runs(a, b, runs=[{runs}], n_trials={N_TRIALS}, "
            f"rng={seed})\nsingle = clark2011.arrange_scores(a, b, runs=([{runs[0]}], [{runs[1]}]))\n"
            "scores = clark2011.arrange_scores(a, b)\n"
            f"clark2011.figures.plot_score_histograms(scores, runs=single, metric={a.metric.name!r})",
            along="x",
            open=lambda mark: _open_single_runs(compared, runs, seed),
            # Runs that are chosen, or alone, are the same with every seed.
            outcome=_compare_p((a, b), frame.iloc[0]) if _are_drawn((a, b), (luck_of_a, luck_of_b)) else None,
        )

    return _explore(
        draw,
        pairs,
        Draws.of(rng),
        luck_of_a=_percent_menu("run of A (percentile)"),
        luck_of_b=_percent_menu("run of B (percentile)"),
    )


def explore_tuning(*, rng: RngLike = None) -> Explorer:
    """Tune a system of the made-up BTEC pair again (Clark et al. (2011), §4.1), with other settings of the optimizer.

    Each draw is a new run of MERT from other random starts, and leaves its score on the test set. A local optimum that
    is clicked opens the sentences that it translates otherwise than the one that the run took.

    Parameters
    ----------
    rng : int, numpy.random.Generator or None
        The first seed.

    Returns
    -------
    Explorer
    """
    lists, metric = make_pair_lists(BTEC, rng=BTEC.rng), "BLEU"

    @cache  # a dot brings its run back, and the sentence is about all runs
    def tune_again(system: str, restarts: int, directions: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
        own = lists[system]
        tuning = tune(own.dev, Mert(restarts, directions), start=own.start, rng=seed)
        return clark2011.arrange_optima(own, tuning), tuning.points

    def draw(system: str, restarts: int, directions: int, seed: int) -> Answer:
        frame, points = tune_again(system, restarts, directions, seed)
        taken = frame[frame["taken"]].iloc[0]
        repeat = partial(tune_again, system, restarts, directions)

        def describe(log: pd.DataFrame) -> str:
            runs = pd.concat([repeat(one)[0] for one in log["seed"]])
            return clark2011.describe_tunings(runs[runs["taken"]])

        return Answer(
            plots.plot_optima(frame, new_axes(), metric=metric),
            f"MERT with {tally(restarts, 'random restart')} and {tally(directions, 'random direction')} per round: the "
            f"weights of this run have {taken['dev']:.2f} {metric} on the tuning set and {taken['test']:.2f} on the "
            "test set.",
            frame.assign(x=frame["dev"], y=frame["test"], text=[_describe_optimum(row) for row in frame.itertuples()]),
            frame,
            f"{IMPORT}from mtworkbench.papers.simulation.mert import Mert, tune\n"
            "from mtworkbench.papers.simulation.replications import BTEC, make_pair_lists\n"
            f"lists = make_pair_lists(BTEC, rng=BTEC.rng)[{system!r}]\n"
            f"tuning = tune(lists.dev, Mert({restarts}, {directions}), start=lists.start, rng={seed})\n"
            "frame = clark2011.arrange_optima(lists, tuning)\nclark2011.figures.plot_optima(frame)",
            open=lambda mark: _open_optimum(lists[system], frame, points, mark),
            outcome=Outcome({"": taken["test"]}, f"{metric} on the test set", describe),
        )

    return Explorer(
        draw,
        system=Menu("system", list(lists), "A"),
        restarts=Slider("random restarts", RESTARTS, 4),
        directions=Slider("random directions", DIRECTIONS, 5),
        seed=Draws.of(rng),
    )


def _pairs(test: Families, outputs: Outputs = None) -> list[Compared]:
    """Return every pair of systems under every metric, the baseline first."""
    texts = outputs if isinstance(outputs, Mapping) else dict.fromkeys(test, outputs)
    pairs = [
        Compared(corpus, place, family, (baseline, experimental), texts.get(corpus))
        for corpus, families in test.items()
        for place, family in enumerate(families)
        for number, baseline in enumerate(family)
        for experimental in list(family)[number + 1 :]
    ]
    if not pairs:
        raise InputError(
            "no-pair",
            "The explorers of Clark et al. (2011) compare two systems, but no metric has two: add another one.",
        )
    return pairs


def _looks(test: Families) -> Styles:
    """Return how each system looks, whichever pair it is shown in."""
    return styles_of(system for families in test.values() for family in families for system in family)


def _explore(draw: Callable[..., Answer], pairs: Sequence[Compared], seed: Draws, **controls: Control) -> Explorer:
    """Put own controls between the menu of pairs and the seed; a switch adds the paper's numbers, where it has some."""
    menu = Menu("pair", [(compared.label, place) for place, compared in enumerate(pairs)], 0)
    return Explorer(draw, pair=menu, **controls, seed=seed, paper=offer_paper(any(one.is_printed for one in pairs)))


def _add_printed(is_asked: bool, compared: Compared, describe: Callable[[str, str], str]) -> str:
    if not is_asked:
        return ""
    if not compared.is_printed:
        return f" The paper does not have {printable(compared.label)}."
    return f" {describe(compared.corpus, compared.metric)}"


def _percent_menu(name: str) -> Menu:
    return Menu(name, [("drawn", None), *range(0, 101, 5)], None)


def _run_at(system: SystemStatistics, percent: int | None, drawn: Sequence[int]) -> int:
    """Return the number of the run below which so many percent of the runs are (0 the worst), or of the one drawn."""
    if percent is None:
        return drawn[0]
    ranked = clark2011.rank_runs(system)
    return int(ranked[(len(ranked) - 1) * percent // 100]) + 1


def _deviations(pair: Pair, chosen: Runs) -> list[tuple[float, float]]:
    """Return s_test of the chosen and of all runs of each system."""
    scores = [system.score()[0] for system in pair]
    return [(deviation(ones[np.array(runs) - 1]), deviation(ones)) for ones, runs in zip(scores, chosen, strict=True)]


def _describe_deviations(pair: Pair, chosen: Runs) -> str:
    """Say what s_test of the chosen runs is, next to that of all runs."""
    said = [
        f"{own:.2f} for {printable(one.system)} (all {one.n_runs} runs: {whole:.2f})"
        for one, (own, whole) in zip(pair, _deviations(pair, chosen), strict=True)
        if not np.isnan(own)
    ]
    return f" s_test is {listed(said)}." if said else ""


def _compare_means(pair: Pair, chosen: Runs, found: pd.DataFrame) -> Outcome:
    expected = float(subtract(pair[1].score()[0].mean(), pair[0].score()[0].mean()))
    metric = pair[0].metric.name
    return Outcome(
        {"": found["difference"].iloc[0]},
        f"difference of the means in {metric}",
        lambda log: clark2011.describe_other_runs(list(log[""]), expected, metric),
        expected,
    )


def _compare_deviations(pair: Pair, chosen: Runs, found: pd.DataFrame) -> Outcome | None:
    ratios = {
        one.system: own / whole
        for one, (own, whole) in zip(pair, _deviations(pair, chosen), strict=True)
        if whole > 0 and not np.isnan(own)
    }
    if not ratios:
        return None
    describe = clark2011.describe_other_deviations
    return Outcome(ratios, "s_test / s_test of all runs", lambda log: describe(log.drop(columns="seed")), 1.0)


def _mark_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the marks of single runs, which have a row for each system, or of bars."""
    if "score" not in frame:
        return _mark_bars(frame, "runs", lambda row: f"{printable(row.system)}: {tally(row.runs, 'run')}")
    texts = [f"{printable(row.system)}, run {row.run}: {row.score:.2f}" for row in frame.itertuples()]
    return frame.assign(x=frame["score"], y=pd.factorize(frame["system"])[0], text=texts)


def _mark_bars(frame: pd.DataFrame, height: str, name: Callable[[Any], str]) -> pd.DataFrame:
    """Return the marks of the bars, or points of curves, that are not at 0."""
    bars = frame[frame[height] > 0].reset_index(drop=True)
    texts = [f"{name(row)} from {row.low:.2f} to {row.high:.2f}" for row in bars.itertuples()]
    return bars.assign(x=(bars["low"] + bars["high"]) / 2, y=bars[height], text=texts)


def _open_runs(compared: Compared, chosen: Runs, mark: pd.Series) -> Answer:
    """Name the runs of a bar or a dot, and open the sentences of the median one."""
    own, said = compared.names.index(mark["system"]), mark["text"]
    scores = [system.score()[0][np.array(runs) - 1] for system, runs in zip(compared.systems, chosen, strict=True)]
    (a, b) = (runs[median_run(ones) - 1] for runs, ones in zip(chosen, scores, strict=True))
    if "low" in mark:
        inside = _find_inside(scores[own], mark)
        numbers = [str(chosen[own][place]) for place in inside]
        said += f" ({'run' if len(numbers) == 1 else 'runs'} {name_some(numbers)})"
        run, why = chosen[own][inside[median_run(scores[own][inside]) - 1]], "the median of the bar"
    else:
        run, why = mark["run"], "the run chosen"
    runs = (a, run) if own else (run, b)
    browser = compared.read(runs)
    if browser is None:
        return Answer(None, f"{said}. {NO_TEXTS}")
    named = [
        f"run {one} of {printable(name)} ({why if place == own else 'the median of its runs'})"
        for place, (one, name) in enumerate(zip(runs, compared.names, strict=True))
    ]
    return Answer(None, f"{said}. Below: {named[1]} and {named[0]}.", browser=browser)


def _find_inside(scores: np.ndarray, bar: pd.Series) -> np.ndarray:
    """Return the positions of the scores in a bar, whose upper end belongs to the next one, if there is a next one."""
    is_below = scores < bar["high"]
    inside = is_below if is_below[scores >= bar["low"]].sum() == bar["runs"] else scores <= bar["high"]
    return np.flatnonzero((scores >= bar["low"]) & inside)


def _mark_frequencies(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the marks of the points of the curves, or of the few runs' ranges."""
    if "frequency" in frame:
        return _mark_bars(
            frame, "frequency", lambda row: f"{tally(row.replications, 'run')}: {100 * row.frequency:.1f} %"
        )
    texts = [f"{tally(row.replications, 'run')}: {row.low:+.2f} to {row.high:+.2f}" for row in frame.itertuples()]
    return frame.assign(x=frame["mean"], y=range(len(frame)), text=texts)


def _are_all(pair: Pair, chosen: Runs) -> bool:
    """Tell whether all runs of both systems are chosen, so that another seed would choose the same ones."""
    return all(len(runs) == system.n_runs for system, runs in zip(pair, chosen, strict=True))


def _are_drawn(pair: Pair, percents: tuple[int | None, int | None]) -> bool:
    """Tell whether a run of either system is drawn among several."""
    return any(percent is None and system.n_runs > 1 for system, percent in zip(pair, percents, strict=True))


def _compare_signs(found: pd.DataFrame) -> Outcome | None:
    if found["wrong_sign_percent"].isna().any():
        return None
    shares = {tally(int(row.replications), "run"): row.wrong_sign_percent for row in found.itertuples()}
    return Outcome(
        shares,
        "experiments with the wrong sign (%)",
        lambda log: clark2011.describe_wrong_signs(log.drop(columns="seed")),
    )


def _describe_single_runs(frame: pd.DataFrame, pair: Pair) -> str:
    """Say what the two runs score, and their difference: on the segments that have both scores, if some are missing."""
    row, known = frame.iloc[0], int((~(pair[0].missing | pair[1].missing)).sum())
    common = "" if known == len(pair[0].missing) else f" on the {tally(known, 'segment')} that have both scores"
    return (
        f"Run {row['run_a']} of {printable(row['baseline'])} ({row['score_a']:.2f}) and run {row['run_b']} of "
        f"{printable(row['experimental'])} ({row['score_b']:.2f}): difference {row['difference']:+.2f} "
        f"{row['metric']}{common}, {name_p(row['p_value'], digits_of_trials(N_TRIALS))} ({N_TRIALS:,} trials)."
    )


def _compare_p(pair: Pair, row: pd.Series) -> Outcome:
    """Count p in the row of the system whose run is better, or higher where neither direction is better."""
    metric, has_winner = pair[0].metric, has_direction(pair[0].metric)
    sign = sign_of(metric)
    names = [f"{printable(one.system)} has the {'better' if has_winner else 'higher'} run" for one in pair]
    better = int(sign * row["difference"] >= 0)
    expected = sign * float(subtract(pair[1].score()[0].mean(), pair[0].score()[0].mean()))
    return Outcome(
        {name: row["p_value"] if place == better else np.nan for place, name in enumerate(names)},
        "p of single runs",
        lambda log: clark2011.describe_drawn_tests(
            log[names].set_axis([one.system for one in pair], axis=1), expected, has_winner=has_winner
        ),
        LEVEL,
        f"p = {LEVEL}",
    )


def _open_single_runs(compared: Compared, runs: tuple[int, int], seed: int) -> Answer:
    """Open the difference of two runs in resamples, and their sentences."""
    a, b = (clark2011.take_runs(system, [run]) for system, run in zip(compared.systems, runs, strict=True))
    found = paired_bootstrap(b, a, unit="segment", rng=seed)
    browser = compared.read(runs)
    code = (
        f"{compared.code}import mtworkbench as mtw\n"
        f"of_a, of_b = clark2011.take_runs(a, [{runs[0]}]), clark2011.take_runs(b, [{runs[1]}])\n"
        f"found = mtw.paired_bootstrap(of_b, of_a, unit='segment', rng={seed})\n"
    )
    opened = draw_resamples(found, code)
    said = f"Run {runs[1]} of {b.system} and run {runs[0]} of {a.system}: {opened.sentence}"
    return replace(opened, sentence=said if browser else f"{NO_TEXTS} {said}", browser=browser)


def _describe_optimum(row: Any) -> str:
    start = f"Random start {row.start}" if row.start else "The given start"
    return f"{start}: {row.dev:.2f} on the tuning set, {row.test:.2f} on the test set{', taken' if row.taken else ''}"


def _open_optimum(lists: TuningLists, frame: pd.DataFrame, points: np.ndarray, mark: int) -> Answer:
    """Open the sentences of a local optimum, next to those of the run."""
    said, taken = _describe_optimum(next(frame.iloc[[mark]].itertuples())), int(frame["taken"].argmax())
    if mark == taken:
        return Answer(None, f"{said}. Choose another one to read what it translates otherwise.")
    name = f"start {frame['start'].iloc[mark]}"
    texts = [lists.test.outputs(points[place], system) for place, system in ((mark, name), (taken, "taken"))]
    outputs = pd.concat(texts, ignore_index=True)
    statistics = compute_statistics(outputs, lists.test.metric)
    browser = explore_part(outputs, statistics, name, "taken")
    return Answer(None, f"{said}. Below: its sentences and those of the optimum that was taken.", browser=browser)


def _show_all_scores(ax: Axes, pair: Pair) -> None:
    """Let the axis reach over the scores of all runs, so that draws can be compared."""
    scores = np.concatenate([system.score()[0] for system in pair])
    room = plt.rcParams["axes.xmargin"] * np.ptp(scores)
    if room:
        ax.set_xlim(scores.min() - room, scores.max() + room)
