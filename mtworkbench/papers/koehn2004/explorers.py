"""Controls for the figures of Koehn (2004): what other samples, a shorter test set or another pair would show."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning
from mtworkbench.inference import paired_bootstrap
from mtworkbench.inference.families import as_families, name_families, name_systems
from mtworkbench.metrics import MeanScore
from mtworkbench.metrics.directions import sign_of
from mtworkbench.papers import koehn2004
from mtworkbench.papers.common.explorers import offer_paper
from mtworkbench.papers.koehn2004 import figures as plots
from mtworkbench.papers.koehn2004 import findings
from mtworkbench.papers.koehn2004.published import FIGURE_PAIRS, are_published, describe_printed_cell
from mtworkbench.papers.koehn2004.samples import FIGURE_SIZE, SAMPLINGS
from mtworkbench.plots.labels import NEUTRAL
from mtworkbench.plots.systems import styles_of
from mtworkbench.resampling import RngLike
from mtworkbench.results.settings import count_needed_resamples
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics
from mtworkbench.tables import printable
from mtworkbench.widgets.controls import Control, Draws, Menu, Slider, name_menu
from mtworkbench.widgets.explorer import SAME_SYSTEM, Answer, Explorer, Outcome, new_axes
from mtworkbench.widgets.linked_views import draw_resamples
from mtworkbench.widgets.segments.browser import NO_TEXTS, explore_part
from mtworkbench.wording import agree, begin, listed, tally
from mtworkbench.words.cells import decimals_for, digits_of_trials, name_p, say_share, say_span
from mtworkbench.words.frames import fixed, signed
from mtworkbench.words.lines import join_lines, name_sizes

SIZES = (30, 50, 100, 150, 300, 600, 1000, 1500, 3000)
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
#: Of so many documents, at most, an opened sample names the scores.
FEW = 5
ONE_SIDED = "The share of resamples is a one-sided test; the CI is two-sided."
#: What is opened where there is no figure of a sample.
NOTHING = Answer(None, "")
Given = SegmentStatistics | Sequence[SegmentStatistics]


@dataclass(frozen=True)
class Position:
    """Where the controls of an explorer of samples stand."""

    system: str
    sampling: str
    size: int
    number: int | None
    seed: int
    metric: str
    minus: str = ""
    level: float = 0.95
    n_resamples: int = 1000
    unit: str = "segment"
    paper: bool = False


class SampledTestSet:
    """What the explorers of samples share: statistics by metric, samples, controls, and code that makes them again.

    Parameters
    ----------
    statistics : SegmentStatistics or sequence of SegmentStatistics
        Of several thousand segments; of several metrics, one each. Segments that some system has no score for are left
        out (`keep_common`).
    outputs : DataFrame or None
        Of the same systems, to read the sentences of a sample.
    rng : int, numpy.random.Generator or None
        The first seed, which has the samples of the paper's kind; every other seed draws some.
    """

    def __init__(self, statistics: Given, outputs: pd.DataFrame | None, rng: RngLike):
        given = as_families(statistics)
        families = [koehn2004.keep_common(one) for one in given]
        self.is_cut = any(one is not cut for one, cut in zip(given, families, strict=True))
        self.families = dict(zip(name_families(families), families, strict=True))
        self.first, self.outputs, self.seed = families[0], outputs, Draws.of(rng)
        self.is_one = isinstance(statistics, SegmentStatistics)
        self.systems = name_systems(families)
        self.looks, n, self.start = styles_of(self.systems), len(self.first.test_set), self.seed.value
        # Sizes of which the test set holds at least two samples; a tiny test set is cut in two.
        self.sizes = [size for size in SIZES if 2 * size <= n] or [max(1, n // 2)]
        self.size = FIGURE_SIZE if FIGURE_SIZE in self.sizes else self.sizes[-1]
        self.choose = lru_cache(maxsize=KEPT)(self._choose)

    def _choose(self, metric: str, sampling: str, size: int, number: int | None, seed: int) -> list[np.ndarray]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # of the blocks' remainder
            n, anew = self.count(metric), seed != self.start
            return koehn2004.choose_samples(n, size, sampling, n_samples=number, anew=anew, rng=seed)

    def count(self, metric: str) -> int:
        """Count the segments that all systems have scores of under a metric."""
        return len(self.families[metric].test_set)

    def sample(self, at: Position) -> list[np.ndarray]:
        """Return the samples of a position of the controls."""
        return self.choose(at.metric, at.sampling, at.size, at.number, at.seed)

    def explore(
        self, draw: Callable[[Position], Answer], systems: dict[str, Control], **controls: Control | None
    ) -> Explorer:
        """Put the controls that all explorers have around those of one."""
        names = list(self.families)
        metric = name_menu("metric", names, names[0]) if len(names) > 1 else None
        size = Slider("segments", self.sizes, self.size)
        number = Slider("number of samples", NUMBERS, None)

        def draw_at(**asked: Any) -> Answer:
            at = Position(**{"metric": names[0]} | asked)
            return Answer(None, SAME_SYSTEM) if at.system == at.minus else draw(at)

        own = {**systems, "size": size, "number": number, **controls}
        return Explorer(draw_at, metric=metric, **own, paper=offer_paper(are_published(self.first)), seed=self.seed)

    def name(self, at: Position, system: str | None) -> str:
        """Write the Python code of a system's statistics, or of all systems'."""
        family = "statistics" if self.is_one else f"statistics[{list(self.families).index(at.metric)}]"
        return family if system is None else f"{family}[{system!r}]"

    def write(self, at: Position, *samplings: str) -> str:
        """Write the Python code that chooses samples of one kind, or of several by their names."""
        options = f", n_samples={at.number}, anew={at.seed != self.start}, rng={at.seed}"
        calls = [f"koehn2004.choose_samples({self.count(at.metric)}, {at.size}, {one!r}{options})" for one in samplings]
        named = "".join(f"    {one!r}: {call},\n" for one, call in zip(samplings, calls, strict=True))
        samples = f"{{\n{named}}}" if len(calls) > 1 else calls[0]
        kept = "koehn2004.keep_common(statistics)"
        if not self.is_one:
            kept = "[koehn2004.keep_common(one) for one in statistics]"
        common = f"statistics = {kept}\n" if self.is_cut else ""
        return f"import mtworkbench as mtw\nfrom mtworkbench.papers import koehn2004\n{common}samples = {samples}\n"

    def compare(self, sentence: str, at: Position, frame: pd.DataFrame, printed: str | None) -> str:
        """Add what the paper prints to a sentence; it prints nothing of other samples than its own."""
        if not at.paper:
            return sentence
        is_papers = at.seed == self.start and at.number is None and not frame["overlapping"].any()
        return f"{sentence} {printed if printed and is_papers else OTHERWISE}"

    def open(self, at: Position, sample: np.ndarray, said: str, shown: Answer = NOTHING) -> Answer:
        """Open one sample: a figure and what is said of it, where its segments come from, and its sentences."""
        family = self.families[at.metric]
        said = f"{begin(said)}. It has {findings.describe_sample(family.test_set, sample)}."
        said += _describe_documents(family[at.system], family[at.minus] if at.minus else None, sample)
        said += f" {shown.sentence}" if shown.sentence else ""
        pair = at.system, next((one for one in (at.minus, *family) if one not in ("", at.system)), at.system)
        outputs = koehn2004.find_sentences(family, pair, np.unique(sample)) if self.outputs is None else self.outputs
        browser = None if pair[0] == pair[1] else explore_part(outputs, family, *pair, sample)
        below = f"Below: its sentences, beside those of {printable(pair[1])}."
        said += "" if browser and at.minus else f" {below if browser else NO_TEXTS}"
        return replace(shown, sentence=said, browser=browser)


def _describe_documents(own: SystemStatistics, minus: SystemStatistics | None, sample: np.ndarray) -> str:
    """Say how a system, or its difference from a baseline, scores in each document of a sample that has only a few."""
    if own.test_set.documents is None:
        return ""
    documents = np.asarray(own.test_set.documents)
    names = list(dict.fromkeys(documents[np.sort(sample)].tolist()))
    if len(names) > FEW:
        return ""
    parts = [np.unique(sample[documents[sample] == name]) for name in names]
    scores = np.array([_score(own, minus, part) for part in [*parts, np.arange(len(documents))]])
    digits, write = decimals_for(np.ptp(scores), 1), fixed if minus is None else signed
    each = [f"{printable(name)} {write(score, digits)}" for name, score in zip(names, scores, strict=False)]
    metric = f"{own.metric.name}{'' if minus is None else ' difference'}"
    return f" {begin(metric)} of its segments by document: {listed(each)}; whole test set {write(scores[-1], digits)}."


def _score(own: SystemStatistics, minus: SystemStatistics | None, part: np.ndarray) -> float:
    score = float(own.take(part).score().mean())
    return score if minus is None else score - float(minus.take(part).score().mean())


def explore_samples(statistics: Given, outputs: pd.DataFrame | None = None, *, rng: RngLike = None) -> Explorer:
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

    def study(at: Position, system: str, ways: dict[str, list[np.ndarray]]) -> pd.DataFrame:
        family = ground.families[at.metric]
        if not at.minus:
            return koehn2004.score_samples(family[system], ways)
        return koehn2004.difference_samples(family[system], family[at.minus], ways)

    @lru_cache(maxsize=KEPT)
    def reach(at: Position) -> tuple[float, float]:
        """Return how far the first samples of any system are below and above what is true of the whole test set."""
        family = ground.families[at.metric]
        whole = {name: score.mean() for name, score in family.score().items()}
        ways = {one: ground.choose(at.metric, one, at.size, None, ground.start) for one in ("block", "broad")}
        systems, less = (family, 0.0) if not at.minus else ([at.system], whole[at.minus])
        away = pd.concat(study(at, name, ways).iloc[:, -1] - (whole[name] - less) for name in systems)
        return 1.2 * away.min(), 1.2 * away.max()  # the next draws may reach somewhat farther

    def draw(at: Position) -> Answer:
        family, pair = ground.families[at.metric], (at.system, at.minus)
        own, name = family[at.system], family.metric.name
        ways = {one: ground.sample(replace(at, sampling=one)) for one in ("block", at.sampling)}
        frame, code = study(at, at.system, ways), ground.write(at, *ways)
        whole, shown = float(own.score().mean()), frame.iloc[:, -1]
        values = dict(list(shown.groupby(frame["sampling"], sort=False)))
        if not at.minus:
            ax = plots.plot_sample_scores(
                frame, new_axes(), metric=name, system=at.system, whole=whole, styles=ground.looks
            )
            said = koehn2004.describe_samplings(koehn2004.summarize_scores(frame, own), at.system, name)
            call = f"score_samples({ground.name(at, at.system)}, samples)\nkoehn2004.figures.plot_sample_scores("
            call += f"frame, metric={name!r}, system={at.system!r}, whole={whole!r})"
        else:
            ax = plots.plot_sample_differences(frame, new_axes(), metric=name, systems=pair, styles=ground.looks)
            parts = dict(list(frame.groupby("sampling")))
            said = koehn2004.describe_differences(parts[at.sampling], *pair, parts["block"])
            whole -= float(family[at.minus].score().mean())
            both = ", ".join(ground.name(at, one) for one in pair)
            call = f"difference_samples({both}, samples)\nkoehn2004.figures.plot_sample_differences("
            call += f"frame, metric={name!r}, systems={pair!r})"
        below, above = reach(replace(at, size=min(at.size, ground.size), sampling="", number=None, seed=0, paper=False))
        plots.show_range(ax, whole + below, whole + above)
        sentence = join_lines(said) + (f" {findings.OVERLAP}" if frame["overlapping"].any() else "")
        digits = decimals_for(shown.std())
        texts = [
            f"{findings.NAMES[one]} {number}: {fixed(value, digits)}"
            for one, number, value in zip(frame["sampling"], frame["sample"], shown, strict=True)
        ]

        def open_sample(position: int) -> Answer:
            sampling, place = frame["sampling"].iloc[position], frame["sample"].iloc[position] - 1
            sample, said = ways[sampling][place], f"{texts[position]} {name}"
            if not isinstance(family.metric, MeanScore):
                return ground.open(at, sample, said)
            scores = own.metric.segment_score(own.values.mean(axis=0)[sample])
            density = koehn2004.student_density(koehn2004.student_interval(scores.tolist()))
            made = f"{code}own = {ground.name(at, at.system)}\nsample = samples[{sampling!r}][{place}]\n"
            made += "scores = own.metric.segment_score(own.values.mean(axis=0)[sample])\n"
            made += "judged = koehn2004.student_interval(scores)\n"
            made += "koehn2004.figures.plot_student_density(koehn2004.student_density(judged))"
            return ground.open(at, sample, said, Answer(plots.plot_student_density(density, new_axes()), "", code=made))

        printed = {(FIGURE_PAIRS[0][0], ""): ("Fig. 2", "Fig. 3"), FIGURE_PAIRS[0]: ("Fig. 4",)}.get(pair, ())
        is_papers = printed and (at.sampling, at.size) == ("broad", FIGURE_SIZE)
        return Answer(
            ax,
            ground.compare(sentence, at, frame, findings.describe_printed(printed) if is_papers else None),
            pd.DataFrame({"x": plots.place_samples(frame), "y": shown, "text": texts}),
            frame,
            f"{code}frame = koehn2004.{call}",
            open=open_sample,
            outcome=Outcome(
                {f"{findings.NAMES[one]}s": part.std() for one, part in values.items()},
                f"standard deviation over samples ({name})",
                _describe_spreads,
            ),
        )

    systems = {
        "system": name_menu("system", ground.systems, koehn2004.choose_system(ground.first)),
        "minus": Menu("baseline", [("none", ""), *((printable(one), one) for one in ground.systems)], ""),
        "sampling": Menu("blocks and", [("broad samples", "broad"), ("random samples", "random")], "broad"),
    }
    return ground.explore(draw, systems)


def _describe_spreads(log: pd.DataFrame) -> str:
    """Say between which standard deviations the draws lie, for each way of sampling."""
    rows = log.drop(columns="seed")
    digits = decimals_for(rows.min().min(), 2)
    each = [f"{say_span(rows[name].min(), rows[name].max(), digits)} over {name}" for name in rows]
    return f"{tally(len(log), 'draw')}: the standard deviation is {' and '.join(each)}."


def explore_intervals(statistics: Given, outputs: pd.DataFrame | None = None, *, rng: RngLike = None) -> Explorer:
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

    def draw(at: Position) -> Answer:
        own, samples, color = ground.families[at.metric][at.system], ground.sample(at), ground.looks[at.system]["color"]
        n_resamples, name = max(at.n_resamples, count_needed_resamples(at.level)), own.metric.name
        how: dict[str, Any] = {"n_resamples": n_resamples, "level": at.level, "unit": at.unit}
        frame = koehn2004.interval_samples(own, samples, **how, rng=at.seed)
        missed, width = int((~frame["covers"]).sum()), (frame["high"] - frame["low"]).mean()
        digits, whole = decimals_for(width), float(frame["true_score"].iloc[0])
        texts = [
            f"sample {row.sample}: {fixed(row.score, digits)} [{fixed(row.low, digits)}, {fixed(row.high, digits)}]"
            for row in frame.itertuples()
        ]
        n_segments = ground.count(at.metric)
        is_large = findings.is_large_part(frame["segments"].max(), n_segments)
        said = join_lines(koehn2004.describe_misses(frame, n_segments, at.level))
        sentence = (
            f"{at.system} on {_name_samples(frame, at.sampling)}. {said} The intervals at {100 * at.level:g} % are "
            f"{fixed(width, digits)} wide on average ({n_resamples:,} resamples of each sample)."
        )
        code, options = ground.write(at, at.sampling), ", ".join(f"{one}={value!r}" for one, value in how.items())
        system = ground.name(at, at.system)

        def open_sample(position: int) -> Answer:
            key, said = f"{at.seed}/{position + 1}", f"{texts[position]} {name}"
            found = koehn2004.compare_intervals(own.take(samples[position]), **how, rng=key)
            ax = plots.plot_interval_methods(found, new_axes(), whole=whole, color=color)
            made = (
                f"{code}sample = {system}.take(samples[{position}])\n"
                f"intervals = koehn2004.compare_intervals(sample, {options}, rng={key!r})\n"
                f"koehn2004.figures.plot_interval_methods(intervals, whole={whole!r})"
            )
            return ground.open(at, samples[position], said, Answer(ax, "", code=made))

        settings = (at.system, at.sampling, at.size, at.level, at.unit)
        is_papers = settings == (FIGURE_PAIRS[0][0], "broad", FIGURE_SIZE, 0.95, "segment")
        return Answer(
            plots.plot_sample_intervals(frame, new_axes(), metric=name, color=color),
            ground.compare(sentence, at, frame, findings.describe_printed(["Fig. 6"]) if is_papers else None),
            pd.DataFrame({"x": frame["sample"], "y": frame["score"], "text": texts}),
            frame,
            f"{code}frame = koehn2004.interval_samples({system}, samples, {options}, rng={at.seed})\n"
            f"koehn2004.figures.plot_sample_intervals(frame, metric={name!r})",
            along="x",
            open=open_sample,
            outcome=Outcome(
                {"": missed},
                f"intervals of {len(frame)} that miss",
                lambda log: _describe_coverage(log, len(frame), None if is_large else at.level),
                None if is_large else (1 - at.level) * len(frame),
            ),
        )

    systems = {
        "system": name_menu("system", ground.systems, koehn2004.choose_system(ground.first)),
        "sampling": Menu("samples", SAMPLINGS, "broad"),
    }
    has_documents = ground.first.test_set.documents is not None
    unit = Menu("unit", ("segment", "document"), "segment") if has_documents else None
    level, n_resamples = Slider("level", LEVELS, 0.95), Slider("resamples", RESAMPLES, 1000)
    return ground.explore(draw, systems, level=level, n_resamples=n_resamples, unit=unit)


def _describe_coverage(log: pd.DataFrame, n_intervals: int, level: float | None) -> str:
    """Say how many intervals miss in all draws, and how many should at a level."""
    missed, n = int(log[""].sum()), n_intervals * len(log)
    expected = "" if level is None else f"; at {100 * level:g} %, {100 * (1 - level):g} % should"
    return (
        f"{tally(len(log), 'draw')}: {missed:,} of {n:,} intervals {agree(missed, 'miss', 'es')} the score of "
        f"the whole test set, {say_share(missed / n, n)}{expected}."
    )


def explore_confidence(statistics: Given, outputs: pd.DataFrame | None = None, *, rng: RngLike = None) -> Explorer:
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
    def conclude(at: Position) -> pd.DataFrame:
        family, samples = ground.families[at.metric], ground.sample(at)
        drawn = koehn2004.conclude(family, [(at.system, at.minus)], samples, n_resamples=at.n_resamples, rng=at.seed)
        tested = koehn2004.randomize_samples(
            family[at.system], family[at.minus], samples, n_trials=N_TRIALS, rng=at.seed
        )
        return drawn.assign(p_value=tested["p_value"])

    def draw(at: Position) -> Answer:
        family, pair = ground.families[at.metric], (at.system, at.minus)
        frame = koehn2004.conclude_at(conclude(replace(at, level=0.95, paper=False)), at.level)
        digits = decimals_for(frame["difference"].std())
        texts = [
            f"sample {row.sample}, difference {signed(row.difference, digits)}, {100 * row.confidence:.1f} % won, "
            f"{name_p(row.p_value, digits_of_trials(N_TRIALS))}"
            for row in frame.itertuples()
        ]
        concluded = join_lines(koehn2004.describe_conclusions(frame, family.metric.name))
        tested = findings.describe_p(frame, frame["p_value"], at.level)
        sentence = f"{_name_samples(frame, at.sampling)}. {concluded} {tested}"
        code, both = ground.write(at, at.sampling), ", ".join(ground.name(at, one) for one in pair)

        def open_sample(position: int) -> Answer:
            sample, key = ground.sample(at)[position], f"{at.seed}/{position + 1}"
            parts = [family[one].take(sample) for one in pair]
            found = paired_bootstrap(*parts, n_resamples=at.n_resamples, unit="segment", rng=key)
            made = (
                f"{code}a, b = [one.take(samples[{position}]) for one in ({both})]\n"
                f"found = mtw.paired_bootstrap(a, b, n_resamples={at.n_resamples}, unit='segment', rng={key!r})\n"
            )
            return ground.open(at, sample, texts[position], replace(draw_resamples(found, made), sentence=ONE_SIDED))

        table = koehn2004.tabulate_conclusions(frame.assign(size=at.size)).iloc[0]
        right, wrong = table["correct_percent"], table["wrong_percent"]
        is_better = sign_of(family.metric) * frame["true_difference"].iloc[0] >= 0
        better, worse = (ground.looks[one]["color"] for one in (pair if is_better else pair[::-1]))
        is_papers = (at.sampling, at.level) == ("broad", 0.95)
        return Answer(
            plots.plot_confidence(frame, new_axes(), level=at.level, styles=ground.looks),
            ground.compare(sentence, at, frame, describe_printed_cell(*pair, at.size) if is_papers else None),
            pd.DataFrame({"x": frame["sample"], "y": 100 * frame["confidence"], "text": texts}),
            frame,
            f"{code}frame = koehn2004.conclude(\n    {ground.name(at, None)}, [{pair!r}], samples, "
            f"n_resamples={at.n_resamples}, level={at.level}, rng={at.seed}\n)\n"
            f"tested = koehn2004.randomize_samples({both}, samples, n_trials={N_TRIALS}, rng={at.seed})\n"
            f"frame['p_value'] = tested['p_value']\nkoehn2004.figures.plot_confidence(frame, level={at.level})",
            open=open_sample,
            outcome=Outcome(
                {"right conclusion": right, "no conclusion": 100 - right - wrong, "wrong conclusion": wrong},
                "samples (%)",
                lambda log: _describe_winners(log, len(frame)),
                colors=(better, NEUTRAL, worse),
            ),
        )

    systems = {
        "system": name_menu("system", ground.systems, first),
        "minus": name_menu("baseline", ground.systems, second),
        "sampling": Menu("samples", SAMPLINGS, "broad"),
    }
    n_resamples, line = Slider("resamples", RESAMPLES, 1000), Slider("line", LINES, 0.95)
    return ground.explore(draw, systems, n_resamples=n_resamples, level=line)


def _describe_winners(log: pd.DataFrame, n_samples: int) -> str:
    """Say how often samples conclude for the system that scores better on the whole test set, and for the other."""
    n, wrong = len(log), log["wrong conclusion"]
    where = f" (in {int((wrong > 0).sum())} of {n} draws)"
    right_said, wrong_said = (
        say_share(log[f"{one} conclusion"].mean() / 100, n * n_samples) for one in ("right", "wrong")
    )
    return (
        f"{tally(n, 'draw')}: {right_said} of the samples conclude for the system that scores better on the "
        f"whole test set, {wrong_said}{where if n > 1 else ''} for the one that scores worse."
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

    def draw(pair: tuple[str, str] | None, largest: int, paper: bool = False) -> Answer:
        part = conclusions[conclusions["size"] <= largest]
        asked = f"size <= {largest}"
        if pair is not None:
            part = part[(part["a"] == pair[0]) & (part["b"] == pair[1])]
            asked += f" and a == {pair[0]!r} and b == {pair[1]!r}"
        bins = koehn2004.bin_conclusions(part)
        is_papers = paper and pair is None and largest == sizes[-1]
        ax = plots.plot_calibration(bins, new_axes(SQUARE), paper=printed if is_papers else None)
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
    largest = Slider("maximum", sizes, sizes[-1])
    return Explorer(draw, pair=Menu("pair", names, None), largest=largest, paper=offer_paper(printed is not None))


def _name_samples(frame: pd.DataFrame, sampling: str) -> str:
    overlapping = "overlapping " if frame["overlapping"].any() else ""
    return f"{len(frame)} {overlapping}{sampling} samples of {name_sizes(frame['segments'])} segments"
