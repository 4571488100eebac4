"""The figures and tables of Koehn (2004) of the reader's own systems, one test set and one metric at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from mtworkbench.analyses.judgements import student_density, student_interval, tabulate_judgements
from mtworkbench.errors import InputError
from mtworkbench.metrics import Bleu, Gtm, Length, MeanScore, Meteor, Metric
from mtworkbench.papers import koehn2004
from mtworkbench.papers.common.figures_of_own_data import Drawings, OwnData, Piece
from mtworkbench.papers.koehn2004 import findings
from mtworkbench.papers.koehn2004.samples import FIGURE_SIZE
from mtworkbench.papers.koehn2004.significance import SAMPLE_SIZES
from mtworkbench.plots import styles_of
from mtworkbench.wording import tally


def tabulate_precisions(data: OwnData) -> Iterator[Piece]:
    """Table 1: the precisions and the BLEU of each system."""
    if not isinstance(data.statistics.metric, Bleu):
        raise InputError("different-metrics", "Table 1 takes BLEU apart: add --metric bleu.")
    table = koehn2004.tabulate_systems(data.statistics)
    yield Piece("koehn2004_table1", "Table 1", koehn2004.describe_rankings([data.statistics]), table)


def draw_lengths(data: OwnData) -> Iterator[Piece]:
    """Figure 1: the scores of the two best systems against the length of their outputs (the first run of each)."""
    if data.outputs is None or "hypothesis" not in data.outputs:
        raise InputError("no-texts", "Figure 1 leaves out and repeats words of the outputs, but there are no texts.")
    metrics: list[Metric] = [
        one.metric for one in data.families if not isinstance(one.metric, MeanScore | Meteor | Length)
    ]
    if not metrics:
        raise InputError("different-metrics", "Figure 1 needs a metric of texts: add --metric bleu.")
    bleu = next((metric for metric in metrics if isinstance(metric, Bleu)), None)
    if bleu is not None:
        metrics += [Gtm(exponent, bleu.tokenize, bleu.lowercase) for exponent in (1, 2)]
    names = koehn2004.ordered_pairs(data.statistics)[0] if len(data.statistics) > 1 else list(data.statistics)
    of_pair = data.outputs[data.outputs["system"].isin(names) & (data.outputs["run"] == 1)]
    frame = koehn2004.score_lengths(koehn2004.real_at_lengths(of_pair, rng=data.random_key), metrics=metrics)
    figure = koehn2004.figures_up_close.draw_lengths(frame, styles=styles_of(data.statistics))
    yield Piece("koehn2004_fig1", "Figure 1", f"{findings.title_lengths(frame)}.", frame, figure)


def draw_samples(data: OwnData) -> Iterator[Piece]:
    """Figures 2 and 3: a system on blocks and on broad samples, with the same vertical axis."""
    statistics, name, metric = data.statistics, koehn2004.choose_system(data.statistics), data.statistics.metric.name
    system = statistics[name]
    frames = {kind: koehn2004.score_samples(system, _choose_samples(data, kind)) for kind in ("block", "broad")}
    scores = pd.concat(frames.values())["score"]
    margin = 0.05 * (scores.max() - scores.min())
    for number, (kind, frame) in enumerate(frames.items(), start=2):
        ax = koehn2004.figures.plot_sample_scores(
            frame,
            metric=metric,
            system=name,
            whole=system.score().mean(),
            sampling=kind,
            styles=styles_of(statistics),
        )
        koehn2004.figures.show_range(ax, scores.min() - margin, scores.max() + margin)
        sentence = f"{findings.title_samples(frame, metric, name, kind)}."
        yield Piece(f"koehn2004_fig{number}", f"Figure {number}", sentence, frame, ax)


def draw_difference(data: OwnData) -> Iterator[Piece]:
    """Figure 4: the difference of the best and the worst system on broad samples."""
    statistics, pair = data.statistics, koehn2004.choose_figure_pairs(data.statistics)[0]
    a, b = (statistics[name] for name in pair)
    frame, on_blocks = (koehn2004.difference_samples(a, b, _choose_samples(data, kind)) for kind in ("broad", "block"))
    ax = koehn2004.figures.plot_sample_differences(
        frame, metric=statistics.metric.name, systems=pair, sampling="broad", styles=styles_of(statistics)
    )
    yield Piece("koehn2004_fig4", "Figure 4", koehn2004.describe_differences(frame, *pair, on_blocks), frame, ax)


def draw_student(data: OwnData) -> Iterator[Piece]:
    """Figure 5, and the intervals for which the paper has Table 2: Student's t, if the metric is a mean of scores."""
    statistics = data.given or data.statistics  # no systems are paired
    if not isinstance(statistics.metric, MeanScore):
        raise InputError(
            "different-metrics",
            "Student's t is about means of segment scores, and this metric is no such mean: add scores with --scores.",
        )
    name = koehn2004.choose_system(data.statistics)
    table = tabulate_judgements(statistics, rng=data.random_key)
    system, row = statistics[name], table.set_index("system").loc[name]
    interval = student_interval(system.values[:, ~system.missing, 0].mean(axis=0))
    curve = student_density(interval)
    sentence = (
        f"{name} has a mean {statistics.metric.name} of {row['mean']:.4g} on {tally(row['judged'], 'segment')} "
        f"(Student's t 95 % CI {row['t_low']:.4g} to {row['t_high']:.4g}; t = {interval.t:.3f})."
    )
    yield Piece("koehn2004_fig5", "Figure 5", sentence, curve, koehn2004.figures.plot_student_density(curve))
    widths = (row["t_high"] - row["t_low"], row["high"] - row["low"])
    if widths[0] > 0:
        sentence += f" The interval from resampled {row['unit']}s is {widths[1] / widths[0]:.2f} times as wide."
    yield Piece("koehn2004_table2", "Table 2", sentence, table, digits=3)


def draw_intervals(data: OwnData) -> Iterator[Piece]:
    """Figure 6: the bootstrap interval of each broad sample, and the score of the whole test set."""
    statistics, name = data.statistics, koehn2004.choose_system(data.statistics)
    frame = koehn2004.interval_samples(statistics[name], _choose_samples(data, "broad"), rng=data.random_key)
    color = styles_of(statistics)[name]["color"]
    ax = koehn2004.figures.plot_sample_intervals(frame, metric=statistics.metric.name, color=color)
    yield Piece("koehn2004_fig6", "Figure 6", koehn2004.describe_misses(frame, len(statistics.test_set)), frame, ax)


def draw_confidence(data: OwnData) -> Iterator[Piece]:
    """Figures 7 and 8: the paired bootstrap on each broad sample, of a clear and of a close pair."""
    statistics, pairs = data.statistics, koehn2004.choose_figure_pairs(data.statistics)
    for number, pair in enumerate(pairs, start=7):
        frame = koehn2004.conclude(statistics, [pair], _choose_samples(data, "broad"), rng=data.random_key)
        ax = koehn2004.figures.plot_confidence(frame, styles=styles_of(statistics))
        sentence = koehn2004.describe_conclusions(frame, statistics.metric.name)
        yield Piece(f"koehn2004_fig{number}", f"Figure {number}", sentence, frame, ax)
    if len(pairs) == 1:
        raise InputError("one-pair", " ".join(koehn2004.describe_pairs(pairs).lines))


def tabulate_conclusions_of_all(data: OwnData) -> Iterator[Piece]:
    """Tables 3 and 4: conclusions about all pairs on broad samples of several sizes, and how many are right."""
    statistics, n_segments = data.statistics, len(data.statistics.test_set)
    _choose_size(n_segments)
    drawn = koehn2004.conclude_on_sizes(statistics, koehn2004.choose_pairs(statistics), rng=data.random_key)
    counts, concluded = koehn2004.tabulate_conclusions(drawn), drawn["conclusion"] != ""
    right, wrong = (100 * (concluded & (drawn["correct"] == is_right)).mean() for is_right in (True, False))
    sentence = (
        f"{right:.0f} % of the comparisons led to the conclusion that the whole test set suggests, {wrong:.1f} % to "
        f"the opposite one. {' '.join(koehn2004.describe_sizes(drawn, n_segments).lines)}"
    )
    arranged = koehn2004.arrange_table3(counts)
    yield Piece("koehn2004_table3", "Table 3", sentence, counts, arranged=arranged, digits=1)
    bins = koehn2004.bin_conclusions(drawn)
    said = f"{findings.title_calibration(bins)}."
    yield Piece("koehn2004_calibration", "Table 4, as a figure", said, bins, koehn2004.figures.plot_calibration(bins))
    printed = bins.drop(columns="lowest").dropna(axis="columns", how="all")
    yield Piece("koehn2004_table4", "Table 4", said, bins, arranged=printed, digits=1)


#: What is drawn of each metric by itself, and what is drawn of all metrics together.
OF_EACH_METRIC: Drawings = {
    "Table 1": tabulate_precisions,
    "Figures 2 and 3": draw_samples,
    "Figure 4": draw_difference,
    "Figure 5 and Table 2": draw_student,
    "Figure 6": draw_intervals,
    "Figures 7 and 8": draw_confidence,
    "Tables 3 and 4": tabulate_conclusions_of_all,
}
OF_ALL_METRICS: Drawings = {"Figure 1": draw_lengths}


def _choose_size(n_segments: int) -> int:
    """Return how many segments a sample has: the paper's 300, or 100 where the test set does not hold two of these."""
    smallest = SAMPLE_SIZES[0]
    if n_segments < 2 * smallest:
        raise InputError(
            "sample-size",
            f"The test set has {tally(n_segments, 'segment')}, but at least {2 * smallest} are needed for two samples "
            f"of {smallest}.",
        )
    return FIGURE_SIZE if n_segments >= 2 * FIGURE_SIZE else smallest


def _choose_samples(data: OwnData, sampling: str) -> list[np.ndarray]:
    n_segments = len(data.statistics.test_set)
    return koehn2004.choose_samples(n_segments, _choose_size(n_segments), sampling, rng=data.random_key)
