"""Controls for the figures of Koehn (2004): what other samples, a shorter test set or another pair would show."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ipywidgets import Widget
from matplotlib.axes import Axes

from mtworkbench.analyses.judgements import student_density, student_interval
from mtworkbench.errors import DataWarning
from mtworkbench.inference import paired_bootstrap
from mtworkbench.inference.families import as_families, name_families
from mtworkbench.metrics import MeanScore
from mtworkbench.papers import koehn2004
from mtworkbench.papers.koehn2004 import figures as plots
from mtworkbench.papers.koehn2004.findings import NAMES, describe_p, describe_printed, describe_sample
from mtworkbench.papers.koehn2004.published import FIGURE_PAIRS, are_published, describe_printed_cell
from mtworkbench.papers.simulation.koehn2004 import find_sentences
from mtworkbench.plots.segments import plot_resampled_difference
from mtworkbench.plots.style import style
from mtworkbench.plots.systems import styles_of
from mtworkbench.results.settings import count_needed_resamples
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import printable
from mtworkbench.widgets.controls import Draws, Menu, Slider, Switch, name_menu
from mtworkbench.widgets.explorer import WIDE, Answer, Explorer, Outcome
from mtworkbench.widgets.segments.browser import explore_part
from mtworkbench.wording import begin, tally
from mtworkbench.words.cells import decimals_for, name_p, signed
from mtworkbench.words.frames import fixed
from mtworkbench.words.lines import name_sizes

SIZES = (30, 50, 100, 150, 300, 600, 1000, 1500, 3000)
#: Segments in a sample of the paper's figures.
PAPERS = 300
#: Of samples; None: as many as the paper has.
NUMBERS = (("as in the paper", None), 10, 20, 50, 100, 200, 500)
LEVELS = (0.8, 0.9, 0.95, 0.99)
LINES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 0.99, 0.999)
RESAMPLES = (500, 1000, 2000, 5000)
N_TRIALS = 999
SQUARE = (6.4, 3.6)
# So many positions of the controls that resample are kept, for who goes back and forth.
KEPT = 32
OTHERWISE = "The paper prints no number for these settings."
Given = SegmentStatistics | Sequence[SegmentStatistics]


class SampledTestSet:
    """What the explorers share: statistics by metric, the samples of each seed, and code that makes them again.

    Parameters
    ----------
    statistics : SegmentStatistics or sequence of SegmentStatistics
        Of several thousand segments; of several metrics, one each.
    outputs : DataFrame or None
        Of the same systems, to read the sentences of a sample.
    rng : int, numpy.random.Generator or None
        The first seed. It takes the samples of the paper's kind that `choose_samples` has; every other seed draws some.
    """

    def __init__(self, statistics: Given, outputs: pd.DataFrame | None, rng: int | np.random.Generator | None):
        families = as_families(statistics)
        self.families = dict(zip(name_families(families), families, strict=True))
        self.named = {name: f"statistics[{place}]" for place, name in enumerate(self.families)}
        if isinstance(statistics, SegmentStatistics):
            self.named = dict.fromkeys(self.named, "statistics")
        self.metric, self.first, self.outputs = next(iter(self.families)), families[0], outputs
        self.systems = list(dict.fromkeys(system for family in families for system in family))
        self.looks, self.seed = styles_of(self.systems), Draws.of(rng)
        self.start, self.choose = self.seed.value, lru_cache(maxsize=KEPT)(self._choose)
        n = len(self.first.test_set)
        # Sizes of which the test set holds at least two samples; a tiny test set is cut in two.
        self.sizes = [size for size in SIZES if 2 * size <= n] or [max(1, n // 2)]
        self.size = PAPERS if PAPERS in self.sizes else self.sizes[-1]

    def _choose(self, sampling: str, size: int, number: int | None, seed: int) -> list[np.ndarray]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # of the blocks' remainder
            return koehn2004.choose_samples(
                len(self.first.test_set), size, sampling, n_samples=number, anew=seed != self.start, rng=seed
            )

    def explore(self, draw: Callable[..., Answer], systems: dict[str, Widget], **controls: Widget) -> Explorer:
        """Put the controls that all explorers have around those of one."""
        names = list(self.families)
        metric = {"metric": name_menu("metric", names, names[0])} if len(names) > 1 else {}
        size = Slider("segments", self.sizes, self.size)
        paper = {"paper": Switch("the paper's numbers")} if are_published(self.first) else {}
        number = Slider("number of samples", NUMBERS, None)
        return Explorer(draw, **metric, **systems, size=size, number=number, **controls, **paper, seed=self.seed)

    def write(self, size: int, number: int | None, seed: int, *samplings: str) -> str:
        """Write the Python code that chooses samples of one kind, or of several by their names."""
        options = f"{'' if number is None else f', n_samples={number}'}{', anew=True' if seed != self.start else ''}"
        calls = [
            f"koehn2004.choose_samples({len(self.first.test_set)}, {size}, {sampling!r}{options}, rng={seed})"
            for sampling in samplings
        ]
        by_name = ",\n    ".join(f"{sampling!r}: {call}" for sampling, call in zip(samplings, calls, strict=True))
        samples = calls[0] if len(calls) == 1 else f"{{\n    {by_name},\n}}"
        return f"import mtworkbench as mtw\nfrom mtworkbench.papers import koehn2004\nsamples = {samples}\n"

    def compare(self, sentence: str, paper: bool, printed: str | None, seed: int, number: int | None) -> str:
        """Add what the paper prints to a sentence; it prints nothing of other samples than its own."""
        if not paper:
            return sentence
        return f"{sentence} {printed if printed and seed == self.start and number is None else OTHERWISE}"

    def open(
        self, metric: str, pair: tuple[str, str | None], sample: np.ndarray, said: str, figure: Axes | None, code: str
    ) -> Answer:
        """Open one sample: a figure, where its segments come from, and its sentences."""
        family, (a, b) = self.families[metric], pair
        b = next((system for system in family if system != a), None) if b in (None, a) else b
        said, browser = f"{begin(said)}. It has {describe_sample(family.test_set, sample)}.", None
        if b is not None:
            outputs = self.outputs
            if outputs is None:
                outputs = find_sentences(family, (a, b), np.unique(sample))
            browser = explore_part(outputs, family, a, b, sample)
            said += "" if browser else " Give outputs=... to read the sentences."
        return Answer(figure, said, code=code, browser=browser)


def explore_samples(
    statistics: Given, outputs: pd.DataFrame | None = None, *, rng: int | np.random.Generator | None = None
) -> Explorer:
    """Explore how scores spread over blocks and over broad samples (Koehn (2004), Figs. 2 and 3), side by side.

    It opens on the system of these figures (`choose_system`), and samples of 300 segments. Random samples can stand in
    the place of broad ones, and the difference from a baseline (Fig. 4) in that of a score. One can draw again, and see
    how the standard deviations vary. A sample that is clicked opens its sentences and says from how many documents they
    are; where the score is the mean of the segments' scores, also Student's density of its mean (Fig. 5).

    The vertical axis reaches at least as far as samples of 300 segments do, of whatever system, so that figures can be
    compared when a control is moved.

    Parameters
    ----------
    statistics : SegmentStatistics or sequence of SegmentStatistics
        Of several thousand segments; of several metrics, one each.
    outputs : DataFrame, optional
        Of the same systems, to read the sentences of a sample; those of the made-up systems are made again.
    rng : int, numpy.random.Generator or None
        The first seed.

    Returns
    -------
    Explorer
    """
    ground = SampledTestSet(statistics, outputs, rng)

    def study(metric: str, system: str, minus: str | None, ways: dict[str, list[np.ndarray]]) -> pd.DataFrame:
        family = ground.families[metric]
        if minus is None:
            return koehn2004.score_samples(family[system], ways)
        return koehn2004.difference_samples(family[system], family[minus], ways)

    @lru_cache(maxsize=KEPT)
    def reach(metric: str, system: str, minus: str | None, size: int) -> tuple[float, float]:
        """Return the ends of the axis: as far around each system's score as the first samples of any system are."""
        family = ground.families[metric]
        ways = {one: ground.choose(one, size, None, ground.start) for one in ("block", "broad")}
        if minus is not None:
            found = study(metric, system, minus, ways)["difference"]
            return found.min(), found.max()
        whole = {name: score.mean() for name, score in family.score().items()}
        away = pd.concat(study(metric, name, None, ways)["score"] - whole[name] for name in family)
        margin = plt.rcParams["axes.ymargin"] * (away.max() - away.min())
        return whole[system] + away.min() - margin, whole[system] + away.max() + margin

    @style()
    def draw(
        system: str,
        minus: str | None,
        sampling: str,
        size: int,
        number: int | None,
        seed: int,
        paper: bool = False,
        metric: str = ground.metric,
    ) -> Answer:
        family = ground.families[metric]
        name, of = family.metric.name, ground.named[metric]
        ways = {one: ground.choose(one, size, number, seed) for one in ("block", sampling)}
        frame = study(metric, system, minus, ways)
        parts = {one: part.reset_index(drop=True) for one, part in frame.groupby("sampling", sort=False)}
        if minus is None:
            column, whole = "score", float(family[system].score().mean())
            ax = plots.plot_sample_scores(
                frame, _new_axes(WIDE), metric=name, system=system, whole=whole, styles=ground.looks
            )
            said = koehn2004.describe_samplings(koehn2004.summarize_scores(frame, family[system]), system, name)
            code = (
                f"frame = koehn2004.score_samples({of}[{system!r}], samples)\n"
                f"koehn2004.figures.plot_sample_scores(frame, metric={name!r}, system={system!r}, whole={whole!r})"
            )
        else:
            column, pair = "difference", (system, minus)
            ax = plots.plot_sample_differences(frame, _new_axes(WIDE), metric=name, systems=pair, styles=ground.looks)
            said = koehn2004.describe_differences(parts[sampling], system, minus, parts["block"])
            code = (
                f"frame = koehn2004.difference_samples({of}[{system!r}], {of}[{minus!r}], samples)\n"
                f"koehn2004.figures.plot_sample_differences(frame, metric={name!r}, systems={pair!r})"
            )
        plots.show_range(ax, *reach(metric, system, minus, min(size, ground.size)))
        spread, digits = {one: part[column].std() for one, part in parts.items()}, decimals_for(frame[column].std())
        texts = [
            f"{NAMES[one]} {number}: {fixed(value, digits)}"
            for one, number, value in zip(frame["sampling"], frame["sample"], frame[column], strict=True)
        ]

        def open_sample(position: int) -> Answer:
            row = frame.iloc[position]
            sample = ways[row["sampling"]][row["sample"] - 1]
            ax, own = None, ""
            if isinstance(family.metric, MeanScore):
                scores = f"{of}.metric.segment_score({of}[{system!r}].values[0, samples[{row['sampling']!r}]"
                own = (
                    f"{ground.write(size, number, seed, *ways)}judged = koehn2004.student_interval({scores}"
                    f"[{row['sample'] - 1}]]))\nframe = koehn2004.student_density(judged)\n"
                    "koehn2004.figures.plot_student_density(frame)"
                )
                judged = student_interval(family.metric.segment_score(family[system].values[0, sample]))
                with style():
                    ax = plots.plot_student_density(student_density(judged), _new_axes(WIDE))
            return ground.open(metric, (system, minus), sample, f"{texts[position]} {name}", ax, own)

        shown = {("Fig. 2", "Fig. 3"): (FIGURE_PAIRS[0][0], None), ("Fig. 4",): FIGURE_PAIRS[0]}
        printed = [describe_printed(which) for which, pair in shown.items() if pair == (system, minus)]
        is_papers = printed and (sampling, size) == ("broad", PAPERS) and not frame["overlapping"].any()
        return Answer(
            ax,
            ground.compare(_in_one_line(said), paper, printed[0] if is_papers else None, seed, number),
            pd.DataFrame({"x": plots.place_samples(frame), "y": frame[column], "text": texts}),
            frame,
            ground.write(size, number, seed, *ways) + code,
            open=open_sample,
            outcome=Outcome(
                {f"{NAMES[one]}s": value for one, value in spread.items()},
                f"standard deviation over samples ({name})",
                _describe_spreads,
            ),
        )

    first = koehn2004.choose_system(ground.first)
    systems = {
        "system": name_menu("system", ground.systems, first),
        "minus": Menu("baseline", [("none", None), *((printable(one), one) for one in ground.systems)], None),
        "sampling": Menu("blocks and", [("broad samples", "broad"), ("random samples", "random")], "broad"),
    }
    return ground.explore(draw, systems)


def _describe_spreads(log: pd.DataFrame) -> str:
    """Say between which standard deviations the draws lie, for each way of sampling."""
    rows = log.drop(columns="seed")
    digits = decimals_for(rows.min().min(), 2)
    each = [f"{fixed(rows[name].min(), digits)} to {fixed(rows[name].max(), digits)} over {name}" for name in rows]
    return f"{tally(len(log), 'draw')}: the standard deviation is {' and '.join(each)}."


def explore_intervals(
    statistics: Given, outputs: pd.DataFrame | None = None, *, rng: int | np.random.Generator | None = None
) -> Explorer:
    """Explore the bootstrap interval of each sample (Koehn (2004), Fig. 6): system, samples, level, resamples, unit.

    It opens on the system of that figure (`choose_system`), and uses the same number of resamples as that figure. One
    can draw again, and count how often an interval misses. An interval that is clicked opens the scores of its
    resamples, with other intervals of the same sample (`compare_intervals`), and its sentences.

    Parameters
    ----------
    statistics, outputs, rng
        As of `explore_samples`.

    Returns
    -------
    Explorer
    """
    ground = SampledTestSet(statistics, outputs, rng)

    @style()
    def draw(
        system: str,
        sampling: str,
        size: int,
        number: int | None,
        level: float,
        n_resamples: int,
        seed: int,
        unit: str = "segment",
        paper: bool = False,
        metric: str = ground.metric,
    ) -> Answer:
        own, of = ground.families[metric][system], ground.named[metric]
        samples = ground.choose(sampling, size, number, seed)
        n_resamples = max(n_resamples, count_needed_resamples(level))  # fewer give only rough ends
        how = {"n_resamples": n_resamples, "level": level, "unit": unit}
        frame = koehn2004.interval_samples(own, samples, **how, rng=seed)
        color, name = ground.looks[system]["color"], own.metric.name
        ax = plots.plot_sample_intervals(frame, _new_axes(WIDE), metric=name, color=color)
        missed, width = int((~frame["covers"]).sum()), (frame["high"] - frame["low"]).mean()
        digits = decimals_for(width)
        texts = [
            f"sample {row.sample}: {fixed(row.score, digits)} [{fixed(row.low, digits)}, {fixed(row.high, digits)}]"
            for row in frame.itertuples()
        ]
        sentence = (
            f"{printable(system)}: {missed} of {len(frame)} intervals at {100 * level:g} % on "
            f"{_name_samples(frame, sampling)} miss the score of the whole test set; the intervals are "
            f"{fixed(width, digits)} wide on average ({n_resamples:,} resamples of each sample)."
        )
        chosen = ground.write(size, number, seed, sampling)
        options = ", ".join(f"{option}={value!r}" for option, value in how.items())

        def open_sample(position: int) -> Answer:
            whole = float(frame["true_score"].iloc[0])
            found = koehn2004.compare_intervals(own.take(samples[position]), **how, rng=f"{seed}/{position + 1}")
            with style():
                ax = plots.plot_interval_methods(found, _new_axes(WIDE), whole=whole, color=color)
            code = (
                f"{chosen}sample = {of}[{system!r}].take(samples[{position}])\n"
                f'intervals = koehn2004.compare_intervals(sample, {options}, rng="{seed}/{position + 1}")\n'
                f"koehn2004.figures.plot_interval_methods(intervals, whole={whole!r})"
            )
            return ground.open(metric, (system, None), samples[position], f"{texts[position]} {name}", ax, code)

        papers = (FIGURE_PAIRS[0][0], "broad", PAPERS, 0.95, "segment")
        is_papers = (system, sampling, size, level, unit) == papers and not frame["overlapping"].any()
        return Answer(
            ax,
            ground.compare(sentence, paper, describe_printed(["Fig. 6"]) if is_papers else None, seed, number),
            pd.DataFrame({"x": frame["sample"], "y": frame["score"], "text": texts}),
            frame,
            f"{chosen}frame = koehn2004.interval_samples({of}[{system!r}], samples, {options}, rng={seed})\n"
            f"koehn2004.figures.plot_sample_intervals(frame, metric={name!r})",
            along="x",
            open=open_sample,
            outcome=Outcome(
                {"": missed},
                f"intervals of {len(frame)} that miss",
                lambda log: _describe_coverage(log, len(frame), level),
                (1 - level) * len(frame),
            ),
        )

    systems = {
        "system": name_menu("system", ground.systems, koehn2004.choose_system(ground.first)),
        "sampling": Menu("samples", koehn2004.samples.SAMPLINGS, "broad"),
    }
    has_documents = ground.first.test_set.documents is not None
    unit = {"unit": Menu("unit", ("segment", "document"), "segment")} if has_documents else {}
    return ground.explore(
        draw,
        systems,
        level=Slider("level", LEVELS, 0.95),
        n_resamples=Slider("resamples", RESAMPLES, 1000),
        **unit,
    )


def _describe_coverage(log: pd.DataFrame, n_intervals: int, level: float) -> str:
    """Say how many intervals miss in all draws."""
    missed, n = int(log[""].sum()), n_intervals * len(log)
    return (
        f"{tally(len(log), 'draw')}: {missed:,} of {n:,} intervals miss the score of the whole test set, "
        f"{100 * missed / n:.1f} %; at {100 * level:g} %, {100 * (1 - level):g} % should."
    )


def explore_confidence(
    statistics: Given, outputs: pd.DataFrame | None = None, *, rng: int | np.random.Generator | None = None
) -> Explorer:
    """Explore what the paired bootstrap concludes on each sample (Koehn (2004), Figs. 7 and 8).

    It opens on the first pair of these figures (`choose_figure_pairs`), and uses the same number of resamples. The
    line, from which on a share of the resamples is a conclusion, can be moved. One can draw again, and count how often
    the wrong system wins. A sample has the p of approximate randomization beside its share of resamples; one that is
    clicked opens the differences of its resamples and the sentences that decide it.

    Parameters
    ----------
    statistics, outputs, rng
        As of `explore_samples`; of at least two systems.

    Returns
    -------
    Explorer

    Raises
    ------
    InputError
        Those of `choose_figure_pairs`: where there is one system, or the metric has no direction.
    """
    ground = SampledTestSet(statistics, outputs, rng)
    first, second = koehn2004.choose_figure_pairs(ground.first)[0]

    @lru_cache(maxsize=KEPT)  # another line needs no new draws
    def conclude(
        metric: str, pair: tuple[str, str], sampling: str, size: int, number: int | None, n_resamples: int, seed: int
    ) -> pd.DataFrame:
        family, samples = ground.families[metric], ground.choose(sampling, size, number, seed)
        drawn = koehn2004.conclude(family, [pair], samples, n_resamples=n_resamples, rng=seed)
        tested = koehn2004.randomize_samples(*(family[one] for one in pair), samples, n_trials=N_TRIALS, rng=seed)
        return drawn.assign(p_value=tested["p_value"])

    @style()
    def draw(
        system: str,
        minus: str,
        sampling: str,
        size: int,
        number: int | None,
        n_resamples: int,
        line: float,
        seed: int,
        paper: bool = False,
        metric: str = ground.metric,
    ) -> Answer:
        family, of, pair = ground.families[metric], ground.named[metric], (system, minus)
        frame = koehn2004.conclude_at(conclude(metric, pair, sampling, size, number, n_resamples, seed), line)
        ax = plots.plot_confidence(frame, _new_axes(WIDE), level=line, styles=ground.looks)
        digits, truth = decimals_for(frame["difference"].std()), frame["true_difference"].iloc[0]
        texts = [
            f"sample {row.sample}, difference {signed(row.difference, digits)}, {100 * row.confidence:.1f} % won, "
            f"{name_p(row.p_value, 3)}"
            for row in frame.itertuples()
        ]
        n, (for_system, for_minus) = len(frame), ((frame["conclusion"] == name).sum() for name in pair)
        sentence = (
            f"{for_system} of {_name_samples(frame, sampling)} ({100 * for_system / n:.0f} %) conclude for "
            f"{printable(system)}, {for_minus} ({100 * for_minus / n:.0f} %) for {printable(minus)}; on the whole test "
            f"set the difference is {signed(truth, digits)}. {describe_p(frame, frame['p_value'], line)}"
        )
        chosen = ground.write(size, number, seed, sampling)
        named = ", ".join(f"{of}[{name!r}]" for name in pair)

        def open_sample(position: int) -> Answer:
            sample, key = ground.choose(sampling, size, number, seed)[position], f"{seed}/{position + 1}"
            parts = [family[name].take(sample) for name in pair]
            found = paired_bootstrap(*parts, n_resamples=n_resamples, unit="segment", rng=key)
            with style():
                ax = plot_resampled_difference(found, _new_axes(WIDE))
            code = (
                f"{chosen}a, b = (one.take(samples[{position}]) for one in ({named}))\n"
                f'found = mtw.paired_bootstrap(a, b, n_resamples={n_resamples}, unit="segment", rng="{key}")\n'
                "mtw.plots.segments.plot_resampled_difference(found)"
            )
            return ground.open(metric, pair, sample, texts[position], ax, code)

        table = koehn2004.tabulate_conclusions(frame.assign(size=size)).iloc[0]
        right, wrong = table["correct_percent"], table["wrong_percent"]
        is_papers = (sampling, line) == ("broad", 0.95) and not frame["overlapping"].any()
        return Answer(
            ax,
            ground.compare(sentence, paper, describe_printed_cell(*pair, size) if is_papers else None, seed, number),
            pd.DataFrame({"x": frame["sample"], "y": 100 * frame["confidence"], "text": texts}),
            frame,
            f"{chosen}drawn = koehn2004.conclude(\n    {of}, [{pair!r}], samples, n_resamples={n_resamples}, "
            f"level={line}, rng={seed}\n)\ntested = koehn2004.randomize_samples({named}, samples, n_trials={N_TRIALS}, "
            f'rng={seed})\nframe = drawn.assign(p_value=tested["p_value"])\n'
            f"koehn2004.figures.plot_confidence(frame, level={line})",
            open=open_sample,
            outcome=Outcome(
                {"right conclusion": right, "no conclusion": 100 - right - wrong, "wrong conclusion": wrong},
                "samples (%)",
                _describe_winners,
            ),
        )

    systems = {
        "system": name_menu("system", ground.systems, first),
        "minus": name_menu("baseline", ground.systems, second),
        "sampling": Menu("samples", koehn2004.samples.SAMPLINGS, "broad"),
    }
    return ground.explore(
        draw, systems, n_resamples=Slider("resamples", RESAMPLES, 1000), line=Slider("line", LINES, 0.95)
    )


def _describe_winners(log: pd.DataFrame) -> str:
    """Say how often the truly better and the truly worse system win, over all draws."""
    wrong = log["wrong conclusion"]
    return (
        f"{tally(len(log), 'draw')}: on average {log['right conclusion'].mean():.1f} % of the samples conclude for the "
        f"truly better system, {wrong.mean():.2f} % for the worse one; {int((wrong > 0).sum())} of "
        f"{tally(len(log), 'draw')} {'has' if (wrong > 0).sum() == 1 else 'have'} such a false winner."
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
    printed = koehn2004.read_published("table4") if set(pairs) == {*koehn2004.published_pairs()} else None

    @style()
    def draw(pair: tuple[str, str] | None, largest: int, paper: bool = False) -> Answer:
        part = conclusions[conclusions["size"] <= largest]
        asked = f"size <= {largest}"
        if pair is not None:
            part = part[(part["a"] == pair[0]) & (part["b"] == pair[1])]
            asked += f" and a == {pair[0]!r} and b == {pair[1]!r}"
        bins = koehn2004.bin_conclusions(part)
        is_papers = paper and pair is None and largest == sizes[-1]
        ax = plots.plot_calibration(bins, _new_axes(SQUARE), paper=printed if is_papers else None)
        ax.set_ylim(-3, 103)
        high, filled = bins[bins["lowest"] >= 95], bins[bins["conclusions"] > 0]
        n, right = high["conclusions"].sum(), (high["conclusions"] * high["correct_percent"].fillna(0)).sum()
        share = f", {right / n:.1f} % of them right" if n else ""
        compared = f"{len(part):,} comparisons on samples of at most {part['segments'].max():,} segments"
        marks = pd.DataFrame({"x": filled["mean_confidence"], "y": filled["correct_percent"]}).assign(
            text=[
                f"{row.bin} of the resamples won: {row.correct_percent:.1f} % of {row.conclusions:,} right"
                for row in filled.itertuples()
            ]
        )
        return Answer(
            ax,
            f"{compared}: {n:,} conclusions at 95 % or more{share}."
            + (f" {OTHERWISE}" if paper and not is_papers else ""),
            marks,
            bins,
            f'from mtworkbench.papers import koehn2004\npart = conclusions.query("{asked}")\n'
            "frame = koehn2004.bin_conclusions(part)\nkoehn2004.figures.plot_calibration(frame)",
        )

    names = [("all pairs", None)] + [(f"{printable(a)} and {printable(b)}", (a, b)) for a, b in pairs]
    switch = {} if printed is None else {"paper": Switch("the paper's numbers")}
    return Explorer(draw, pair=Menu("pair", names, None), largest=Slider("maximum", sizes, sizes[-1]), **switch)


def _in_one_line(said: str) -> str:
    return printable(" ".join(said.split("\n")))


def _name_samples(frame: pd.DataFrame, sampling: str) -> str:
    overlapping = "overlapping " if frame["overlapping"].any() else ""
    return f"{len(frame)} {overlapping}{sampling} samples of {name_sizes(frame['segments'])} segments"


def _new_axes(size: tuple[float, float]) -> Axes:
    return plt.figure(figsize=size).subplots()
