"""Controls for the figures of Koehn (2004): what a shorter test set or another pair would show."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mtworkbench.errors import DataWarning
from mtworkbench.papers import koehn2004
from mtworkbench.papers.koehn2004 import figures as plots
from mtworkbench.papers.koehn2004.samples import SAMPLINGS
from mtworkbench.plots.style import style
from mtworkbench.plots.systems import styles_of
from mtworkbench.resampling import RandomKey, resolve_rng
from mtworkbench.results.settings import choose_n_resamples
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import printable
from mtworkbench.widgets.controls import Draws, Menu, Slider
from mtworkbench.widgets.explorer import WIDE, Answer, Explorer, Outcome
from mtworkbench.wording import tally
from mtworkbench.words.cells import decimals_for, signed
from mtworkbench.words.frames import fixed
from mtworkbench.words.lines import name_sizes

SIZES = (30, 50, 100, 150, 300, 600, 1000, 1500, 3000)
LEVELS = (0.8, 0.9, 0.95, 0.99)
RESAMPLES = (100, 200, 500, 1000, 2000)
SQUARE = (6.4, 3.6)
# So many positions of the controls that resample are kept, for who goes back and forth.
KEPT = 32


def explore_samples(statistics: SegmentStatistics, *, rng: int | np.random.Generator | None = None) -> Explorer:
    """Explore how scores spread over samples (Koehn (2004), Figs. 2 and 3): which system, how chosen, how long.

    It opens on the system of these figures (`choose_system`), on blocks of 300 segments.

    The axis reaches as far around every system's score as the samples of any system do, whatever their size, so that
    figures can be compared when a control is moved.

    Parameters
    ----------
    statistics : SegmentStatistics
        Of several thousand segments.
    rng : int, numpy.random.Generator or None
        For random samples.

    Returns
    -------
    Explorer
    """
    random_key = resolve_rng(rng)
    whole = {name: float(scores.mean()) for name, scores in statistics.score().items()}
    below, above = _farthest_scores(statistics, whole, random_key)
    looks = styles_of(statistics)

    @style()
    def draw(system: str, sampling: str, size: int) -> tuple:
        samples = koehn2004.choose_samples(len(statistics.test_set), size, sampling, rng=random_key)
        frame = koehn2004.score_samples(statistics[system], samples)
        metric = statistics.metric.name
        ax = plots.plot_sample_scores(
            frame, _new_axes(WIDE), metric=metric, system=system, whole=whole[system], sampling=sampling, styles=looks
        )
        plots.show_range(ax, whole[system] - below, whole[system] + above)
        low, high, spread = frame["score"].min(), frame["score"].max(), frame["score"].std()
        digits = decimals_for(high - low, 1)
        return ax, (
            f"{printable(system)} on {_name_samples(frame, sampling)}: {fixed(low, digits)} to {fixed(high, digits)}, "
            f"standard deviation {fixed(spread, decimals_for(spread))}; {fixed(whole[system], digits)} on the whole "
            "test set."
        )

    return Explorer(
        draw,
        system=Menu("system", _systems(statistics), koehn2004.choose_system(statistics)),
        sampling=Menu("samples", SAMPLINGS, "block"),
        size=_size_slider(statistics),
    )


def explore_intervals(
    statistics: SegmentStatistics,
    outputs: pd.DataFrame | None = None,
    *,
    rng: int | np.random.Generator | None = None,
) -> Explorer:
    """Explore the bootstrap interval of each sample (Koehn (2004), Fig. 6): system, samples, size, level, resamples.

    It opens on the system of that figure (`choose_system`), and uses the same number of resamples as that figure. One
    can draw again, and count how often an interval misses. An interval that is clicked opens the scores of its
    resamples, with other intervals of the same sample, and its sentences.

    Parameters
    ----------
    statistics : SegmentStatistics
        Of several thousand segments.
    outputs : DataFrame, optional
        Of the same systems, to read the sentences of a sample.
    rng : int, numpy.random.Generator or None
        The first seed.

    Returns
    -------
    Explorer
    """
    looks, first = styles_of(statistics), Draws.of(rng)
    start = first.value

    @lru_cache(maxsize=KEPT)
    def choose(sampling: str, size: int, seed: int) -> list[np.ndarray]:
        return koehn2004.choose_samples(len(statistics.test_set), size, sampling, anew=seed != start, rng=seed)

    @style()
    def draw(system: str, sampling: str, size: int, level: float, n_resamples: int, seed: int) -> Answer:
        samples = choose(sampling, size, seed)
        frame = koehn2004.interval_samples(statistics[system], samples, n_resamples=n_resamples, level=level, rng=seed)
        color = looks[system]["color"]
        ax = plots.plot_sample_intervals(frame, _new_axes(WIDE), metric=statistics.metric.name, color=color)
        missed, width = int((~frame["covers"]).sum()), (frame["high"] - frame["low"]).mean()
        digits = decimals_for(width)
        marks = pd.DataFrame({"x": frame["sample"], "y": frame["score"]}).assign(
            text=[_describe_interval(row, digits) for row in frame.itertuples()]
        )
        sentence = (
            f"{printable(system)}: {missed} of {len(frame)} intervals at {100 * level:g} % on "
            f"{_name_samples(frame, sampling)} miss the score of the whole test set; the intervals are "
            f"{fixed(width, digits)} wide on average ({n_resamples:,} resamples of each sample)."
        )
        return Answer(
            ax,
            sentence,
            marks,
            frame,
            _write_samples(len(statistics.test_set), size, sampling, seed, anew=seed != start)
            + f"frame = koehn2004.interval_samples(statistics[{system!r}], samples, n_resamples={n_resamples}, "
            f"level={level}, rng={seed})\nkoehn2004.figures.plot_sample_intervals(frame)",
            along="x",
            outcome=Outcome(
                {"": missed},
                f"intervals of {len(frame)} that miss",
                lambda log: _describe_coverage(log, len(frame), level),
                (1 - level) * len(frame),
            ),
        )

    return Explorer(
        draw,
        system=Menu("system", _systems(statistics), koehn2004.choose_system(statistics)),
        sampling=Menu("samples", SAMPLINGS, "broad"),
        size=_size_slider(statistics),
        level=Slider("level", LEVELS, 0.95),
        n_resamples=Slider("resamples", RESAMPLES, 1000),
        seed=first,
    )


def _describe_interval(row: Any, digits: int) -> str:
    return f"sample {row.sample}: {fixed(row.score, digits)} [{fixed(row.low, digits)}, {fixed(row.high, digits)}]"


def _describe_coverage(log: pd.DataFrame, n_intervals: int, level: float) -> str:
    """Say how many intervals miss in all draws."""
    missed, n = int(log[""].sum()), n_intervals * len(log)
    return (
        f"{tally(len(log), 'draw')}: {missed:,} of {n:,} intervals miss the score of the whole test set, "
        f"{100 * missed / n:.1f} %; at {100 * level:g} %, {100 * (1 - level):g} % should."
    )


def _write_samples(n_segments: int, size: int, sampling: str, seed: int, *, anew: bool) -> str:
    """Write the Python code that chooses samples."""
    drawn = ", anew=True" if anew else ""
    call = f"koehn2004.choose_samples({n_segments}, {size}, {sampling!r}{drawn}, rng={seed})"
    return f"from mtworkbench.papers import koehn2004\nsamples = {call}\n"


def explore_confidence(statistics: SegmentStatistics, *, rng: int | np.random.Generator | None = None) -> Explorer:
    """Explore what the paired bootstrap concludes on each sample (Koehn (2004), Figs. 7 and 8).

    It opens on the first pair of these figures (`choose_figure_pairs`), and uses the same number of resamples.

    The mouse over a dot names its sample and the difference there; the slider ``sample`` does so for the keyboard.

    Parameters
    ----------
    statistics : SegmentStatistics
        Of at least two systems on several thousand segments.
    rng : int, numpy.random.Generator or None
        One seed for all positions of the controls.

    Returns
    -------
    Explorer

    Raises
    ------
    InputError
        Those of `choose_figure_pairs`: where there is one system, or the metric has no direction.
    """
    random_key = resolve_rng(rng)
    looks = styles_of(statistics)
    first, second = koehn2004.choose_figure_pairs(statistics)[0]

    @lru_cache(maxsize=KEPT)  # another sample's ring needs no new draws
    def conclude(system: str, minus: str, size: int) -> pd.DataFrame:
        samples = koehn2004.choose_samples(len(statistics.test_set), size, "broad", rng=random_key)
        return koehn2004.conclude(statistics, [(system, minus)], samples, rng=random_key)

    @style()
    def draw(system: str, minus: str, size: int, sample: int) -> tuple:
        frame = conclude(system, minus, size)
        ax = plots.plot_confidence(frame, _new_axes(WIDE), styles=looks)
        row, digits = frame.iloc[min(sample, len(frame)) - 1], decimals_for(frame["difference"].std())
        ax.plot(row["sample"], 100 * row["confidence"], "o", markersize=11, markerfacecolor="none", color="black")
        marks = pd.DataFrame(
            {
                "x": frame["sample"],
                "y": 100 * frame["confidence"],
                "text": [_describe_sample(one, digits) for _, one in frame.iterrows()],
            }
        )
        n, (for_system, for_minus) = len(frame), ((frame["conclusion"] == name).sum() for name in (system, minus))
        return (
            ax,
            f"{for_system} of {_name_samples(frame, 'broad')} ({100 * for_system / n:.0f} %) conclude for "
            f"{printable(system)}, {for_minus} ({100 * for_minus / n:.0f} %) for {printable(minus)}; on the whole test "
            f"set the difference is {signed(row['true_difference'], digits)}. The sample with the ring: "
            f"{_describe_sample(row, digits)}.",
            marks,
        )

    return Explorer(
        draw,
        system=Menu("system", _systems(statistics), first),
        minus=Menu("baseline", _systems(statistics), second),
        size=_size_slider(statistics),
        sample=Slider("sample", range(1, 101), 1),
    )


def explore_calibration(conclusions: pd.DataFrame) -> Explorer:
    """Explore how often conclusions are right (Koehn (2004), Table 4), for each pair and size of samples.

    Parameters
    ----------
    conclusions : DataFrame
        Of `conclude_on_sizes`.

    Returns
    -------
    Explorer
    """
    sizes = list(dict.fromkeys(conclusions["size"]))
    pairs = list(dict.fromkeys(zip(conclusions["a"], conclusions["b"], strict=True)))

    @style()
    def draw(pair: tuple[str, str] | None, largest: int) -> tuple:
        part = conclusions[conclusions["size"] <= largest]
        if pair is not None:
            part = part[(part["a"] == pair[0]) & (part["b"] == pair[1])]
        bins = koehn2004.bin_conclusions(part)
        ax = plots.plot_calibration(bins, _new_axes(SQUARE))
        ax.set_ylim(-3, 103)
        high = bins[bins["lowest"] >= 95]
        n, right = high["conclusions"].sum(), (high["conclusions"] * high["correct_percent"].fillna(0)).sum()
        share = f", {right / n:.1f} % of them right" if n else ""
        compared = f"{len(part):,} comparisons on samples of at most {part['segments'].max():,} segments"
        return ax, f"{compared}: {n:,} conclusions at 95 % or more{share}."

    names = [("all pairs", None)] + [(f"{printable(a)} and {printable(b)}", (a, b)) for a, b in pairs]
    return Explorer(draw, pair=Menu("pair", names, None), largest=Slider("maximum", sizes, sizes[-1]))


def _describe_sample(row: pd.Series, digits: int) -> str:
    difference = signed(row["difference"], digits)
    return f"sample {row['sample']}, difference {difference}, {100 * row['confidence']:.1f} % won"


def _name_samples(frame: pd.DataFrame, sampling: str) -> str:
    overlapping = "overlapping " if frame["overlapping"].any() else ""
    return f"{len(frame)} {overlapping}{sampling} samples of {name_sizes(frame['segments'])} segments"


def _new_axes(size: tuple[float, float]) -> Axes:
    return plt.figure(figsize=size).subplots()


def _systems(statistics: SegmentStatistics) -> list[tuple[str, str]]:
    return [(printable(system), system) for system in statistics]


def _sizes(statistics: SegmentStatistics) -> list[int]:
    """Sizes of which the test set holds at least two samples; a tiny test set is cut in two."""
    n = len(statistics.test_set)
    return [size for size in SIZES if 2 * size <= n] or [max(1, n // 2)]


def _farthest_scores(
    statistics: SegmentStatistics, whole: dict[str, float], random_key: RandomKey
) -> tuple[float, float]:
    """Return how far samples score below and above the whole test set, over all systems and sizes, with a margin.

    Random samples are not looked at, because to draw all of them takes seconds; they spread less than blocks.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # of blocks' remainders: these samples only set the axis
        all_samples = [
            koehn2004.choose_samples(len(statistics.test_set), size, sampling, rng=random_key)
            for size in _sizes(statistics)
            for sampling in ("block", "broad")
        ]
    deviations = pd.concat(
        koehn2004.score_samples(statistics[system], samples)["score"] - whole[system]
        for samples in all_samples
        for system in statistics
    )
    lowest, highest = min(deviations.min(), 0.0), max(deviations.max(), 0.0)
    margin = plt.rcParams["axes.ymargin"] * (highest - lowest)
    return margin - lowest, margin + highest


def _size_slider(statistics: SegmentStatistics) -> Slider:
    sizes = _sizes(statistics)
    return Slider("segments", sizes, 300 if 300 in sizes else sizes[-1])
