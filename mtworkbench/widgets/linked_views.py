"""What linked figures show of a difference of two systems: pictures with their marks, frames, sentences and code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtworkbench.analyses.segments import bucket_segments, segment_contributions
from mtworkbench.analyses.segments.contributions import match_outputs
from mtworkbench.inference import Comparison, MetricComparison, PairedBootstrap, PairEstimate, compare
from mtworkbench.inference.families import name_families
from mtworkbench.metrics.texts import reference_columns
from mtworkbench.plots import draw_comparison
from mtworkbench.plots.pages import spans_of_differences
from mtworkbench.plots.segments import (
    abscissa_of,
    count_of,
    count_resamples,
    decimals_of,
    height_of_buckets,
    plot_buckets,
    plot_contributions,
    plot_resampled_difference,
    shown_buckets,
)
from mtworkbench.plots.style import current_medium, house_style, settle
from mtworkbench.progress import show_progress
from mtworkbench.resampling import RandomKey
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.widgets.figures import Picture, make_picture
from mtworkbench.widgets.segments.browser import SegmentBrowser
from mtworkbench.widgets.segments.pages import SegmentPages, decimals_of_contributions
from mtworkbench.wording import tally
from mtworkbench.words.cells import decimals_of as decimals_of_metric
from mtworkbench.words.cells import decimals_of_intervals, in_percent, interval_of, show_ends, signed
from mtworkbench.words.concerns import say_briefly
from mtworkbench.words.sentences import describe_pair
from mtworkbench.words.sentences_on_segments import describe_buckets, describe_contributions

# Of a picture, in inches: two of them stand next to each other on a screen; that of the segments has more dots.
SIZE, WIDE = (4.4, 2.5), (5.6, 2.5)
# Of buckets, the picture is as high as so many rows need, at most.
MOST_ROWS = 16
CHOOSE = (
    "Click a row, and everything below follows. In Python, .figures, .frames and .code of this explorer hold each "
    "picture, its table and its code under a name."
)
# The sentence on contributions stands above the list of segments, where there is one.
BRUSH = (
    "One dot per segment. Draw a rectangle around some, or select them with Shift and the arrow keys: the list below "
    "then shows only these."
)
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class View:
    """A picture with its frame, the sentence above it, and the Python code that makes it."""

    picture: Picture
    frame: pd.DataFrame
    caption: str
    code: str


@dataclass(frozen=True, eq=False)
class Question:
    """What is looked at: one metric, one pair of systems, one unit of resampling."""

    metric: str
    system: str
    unit: str


class DifferenceViews:
    """What is shown of the differences from one system: each picture is drawn once.

    Parameters
    ----------
    outputs : DataFrame or None
    families : sequence of SegmentStatistics
        One per metric.
    baseline : str
    random_key : RandomKey
    is_one : bool
        Whether the user gave the statistics of one metric, and not a list of them: the code says so.
    """

    def __init__(
        self,
        outputs: pd.DataFrame | None,
        families: Sequence[SegmentStatistics],
        baseline: str,
        random_key: RandomKey,
        *,
        is_one: bool,
    ):
        self.outputs, self.baseline, self.random_key, self._is_one = outputs, baseline, random_key, is_one
        self.names = name_families(families)
        self.families = dict(zip(self.names, families, strict=True))
        self.systems = list(dict.fromkeys(system for family in families for system in family))
        self._known: dict[tuple[Any, ...], Any] = {}
        self._flagged: dict[tuple[str, int], pd.DataFrame] = {}

    def _once(self, key: tuple[Any, ...], make: Callable[[], Made]) -> Made:
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def compare(self, unit: str) -> Comparison:
        """Compare all systems with the baseline by all metrics."""
        return self._once(
            ("comparison", unit),
            lambda: compare(
                list(self.families.values()),
                self.baseline,
                unit=unit,
                rng=self.random_key,
                progress=show_progress("drawing"),
            ),
        )

    def find_pair(self, asked: Question) -> PairEstimate | None:
        """Return the system's comparison with the baseline; None where the metric has none."""
        metric = self.compare(asked.unit).metrics[asked.metric]
        return next((pair for pair in metric.comparisons if pair.a == asked.system), None)

    def draw_estimates(self, asked: Question) -> View:
        """Draw all differences from the baseline."""
        return self._once(("estimates", asked.metric, asked.unit), lambda: self._draw_estimates(asked))

    def _draw_estimates(self, asked: Question) -> View:
        metric = self.compare(asked.unit).metrics[asked.metric]
        with house_style():
            figure = draw_comparison(metric)
            plt.close(figure)  # or the cell would show it a second time
            pairs, limits = metric.comparisons_from_best, figure.axes[0].get_xlim()
            marks = pd.DataFrame(spans_of_differences(metric), columns=["top", "y", "bottom"]).assign(
                **{
                    # Of what lies beyond the axis, its end.
                    "x": np.clip([pair.difference for pair in pairs], *limits),
                    "text": [describe_pair(pair, metric) for pair in pairs],
                    "system": [pair.a for pair in pairs],
                }
            )
            picture = make_picture(figure, _describe_estimates(metric, pairs, self.baseline), marks)
        code = self._write_comparison(asked) + self._write_draw(asked)
        return View(picture, metric.to_frame(), CHOOSE, code)

    def draw_resamples(self, asked: Question, pair: PairEstimate) -> View:
        """Draw how far resampling moves the difference."""
        key = ("resamples", asked.metric, asked.system, asked.unit)
        return self._once(key, lambda: self._draw_resamples(asked, pair.bootstrap))

    def _draw_resamples(self, asked: Question, found: PairedBootstrap) -> View:
        frame = pd.DataFrame({"resample": range(1, found.n_resamples + 1), "difference": found.differences})
        counts, edges = count_resamples(found)
        digits = decimals_of(found) + 1
        marks = pd.DataFrame({"x": (edges[:-1] + edges[1:]) / 2, "y": counts / 2})
        marks["text"] = [
            f"{tally(count, 'resample')} from {signed(low, digits)} to {signed(high, digits)}"
            for count, low, high in zip(counts.tolist(), edges[:-1], edges[1:], strict=True)
        ]
        said = f"{found.a} - {found.b} in {tally(found.n_resamples, 'resample')} by {found.unit}"
        share = ""
        if found.wins is not None:
            share = (
                f" {found.a} is better in {found.wins:,} of them; this share is not the probability of being better."
            )
        alt = (
            f"Histogram of {said}: from {signed(edges[0], digits)} to {signed(edges[-1], digits)}; observed "
            f"{signed(found.difference, digits)}{_name_interval(found, digits)}."
        )
        picture = self._draw(alt, marks, SIZE, lambda ax: plot_resampled_difference(found, ax))
        code = (
            self._write_comparison(asked)
            + "from mtworkbench.plots.segments import plot_resampled_difference\n"
            + f"[pair] = [pair for pair in comparison.metrics[{asked.metric!r}].comparisons "
            + f"if pair.a == {asked.system!r}]\n"
            + "plot_resampled_difference(pair.bootstrap)"
        )
        return View(picture, frame, f"{said}.{share}", code)

    def draw_contributions(self, asked: Question) -> View:
        """Draw what each segment contributes to the difference."""
        return self._once(("contributions", asked.metric, asked.system), lambda: self._draw_contributions(asked))

    def _draw_contributions(self, asked: Question) -> View:
        statistics, systems = self.families[asked.metric], (asked.system, self.baseline)
        frame = segment_contributions(self._texts, statistics, *systems)
        shown = frame.dropna(subset=["contribution"])
        across = abscissa_of(frame)
        marks = pd.DataFrame({"x": shown[across], "y": shown["contribution"]}).reset_index(drop=True)
        marks["segment"] = shown["segment"].to_numpy()
        digits = decimals_of_contributions(frame)
        marks["text"] = [
            f"segment {segment:,}: {signed(value, digits)}"
            + (f", {tally(int(x), 'word')}" if across != "segment" else "")
            for segment, value, x in zip(marks["segment"], marks["y"], marks["x"], strict=True)
        ]
        caption = describe_contributions(frame, statistics, *systems)
        against = "the number of words of the reference" if across == "length_reference" else "their order"
        picture = self._draw(
            f"Contributions of {tally(len(shown), 'segment')} against {against}. {caption}",
            marks,
            WIDE,
            lambda ax: plot_contributions(frame, ax, systems=systems),
        )
        code = (
            "import mtworkbench as mtw\nfrom mtworkbench.plots.segments import plot_contributions\n"
            f"contributions = mtw.analyses.segment_contributions({self._outputs_name}, {self._name(asked)}, "
            f"{asked.system!r}, {self.baseline!r})\n"
            f"plot_contributions(contributions, systems={systems!r})"
        )
        return View(picture, frame, BRUSH if self.has_texts else caption, code)

    def draw_buckets(self, asked: Question, by: str) -> View:
        """Draw the difference in buckets."""
        return self._once(("buckets", asked.metric, asked.system, by), lambda: self._draw_buckets(asked, by))

    def _draw_buckets(self, asked: Question, by: str) -> View:
        statistics, systems = self.families[asked.metric], (asked.system, self.baseline)
        frame = bucket_segments(self._texts, statistics, *systems, by, rng=self.random_key)
        with house_style():
            size = (SIZE[0], max(SIZE[1], height_of_buckets(min(len(frame), MOST_ROWS))))
        counted, level, digits = count_of(frame), in_percent(float(frame["level"].iloc[0])), _decimals_of_buckets(frame)

        def name(one: Any) -> str:
            interval = f"{level} CI {interval_of(one.low, one.high, digits)}"
            ends = "too small for an interval" if np.isnan(one.low) else interval
            return f"{one.bucket}: {signed(one.difference, digits)}, {ends}, {getattr(one, counted):,} {counted}"

        drawn: list[pd.DataFrame] = []

        def plot(ax: Axes) -> None:
            drawn.append(shown_buckets(frame, ax))
            plot_buckets(frame, ax, systems=systems)

        caption = describe_buckets(frame)
        alt = f"{asked.system} - {self.baseline} in buckets. {'; '.join(name(one) for one in frame.itertuples())}."

        def mark() -> pd.DataFrame:
            [shown] = drawn
            texts = [name(one) for one in shown.itertuples()]
            y = np.arange(len(shown))
            spans = {"top": y - 0.5, "bottom": y + 0.5}
            return pd.DataFrame({"x": shown["difference"].to_numpy(), "y": y, **spans, "text": texts})

        picture = self._draw(alt, mark, size, plot)
        code = (
            "import mtworkbench as mtw\nfrom mtworkbench.plots.segments import plot_buckets\n"
            f"buckets = mtw.analyses.bucket_segments({self._outputs_name}, {self._name(asked)}, {asked.system!r}, "
            f"{self.baseline!r}, {by!r}, rng={self._seed})\n"
            f"plot_buckets(buckets, systems={systems!r})"
        )
        return View(picture, frame, caption, code)

    def browse(self, asked: Question) -> SegmentBrowser | None:
        """Return the browser of the pair's segments; None where there are no texts."""
        if not self.has_texts:
            return None
        key = ("browser", asked.metric, asked.system)
        browser = self._once(key, lambda: SegmentBrowser(self._make_pages(asked), self._rng, {}))
        browser.unit = asked.unit
        return browser

    @property
    def browsers(self) -> list[SegmentBrowser]:
        """The browsers of all pairs that were looked at."""
        return [made for made in self._known.values() if isinstance(made, SegmentBrowser)]

    def _make_pages(self, asked: Question) -> SegmentPages:
        """Put the contributions, which are known, on pages with their texts."""
        statistics, systems = self.families[asked.metric], (asked.system, self.baseline)
        matched = match_outputs(self.outputs, statistics, systems)
        frame = self.draw_contributions(asked).frame
        return SegmentPages(matched, statistics, *systems, None, frame, self._flagged)

    def name_buckets(self, metric: str) -> list[tuple[str, str]]:
        """Return what segments can be put into buckets by: how it is called, and its name."""
        test_set, found = self.families[metric].test_set, []
        if self.has_texts and reference_columns(self.outputs):
            found.append(("length of the reference", "length"))
        if test_set.documents is not None:
            found.append(("document", "document"))
        found += [(name, name) for name in test_set.columns if name not in ("length", "document", "frequency")]
        if self.has_texts and reference_columns(self.outputs):
            found.append(("word frequency in the references", "frequency"))
        return found

    @property
    def has_texts(self) -> bool:
        """Whether there are outputs with texts."""
        return self.outputs is not None and "hypothesis" in self.outputs.columns

    @property
    def _texts(self) -> pd.DataFrame | None:
        return self.outputs if self.has_texts else None

    def _draw(
        self,
        alt: str,
        marks: pd.DataFrame | Callable[[], pd.DataFrame],
        size: tuple[float, float],
        plot: Callable[[Axes], object],
    ) -> Picture:
        """Draw on a figure of its own, which belongs to no window."""
        with house_style():
            figure = Figure(figsize=size, dpi=current_medium().dpi, layout="constrained")
            plot(figure.add_subplot())
            settle(figure)
            return make_picture(figure, alt, marks() if callable(marks) else marks)

    # What the code calls the things that the user gave.
    @property
    def _outputs_name(self) -> str:
        return "outputs" if self.has_texts else "None"

    def _name(self, asked: Question) -> str:
        return "statistics" if self._is_one else f"statistics[{self.names.index(asked.metric)}]"

    @property
    def _seed(self) -> str:
        return repr(self.random_key.seed) if self.random_key.seed is not None else "rng"

    @property
    def _rng(self) -> int | RandomKey:
        return self.random_key if self.random_key.seed is None else self.random_key.seed

    def _write_comparison(self, asked: Question) -> str:
        call = f"mtw.compare(statistics, {self.baseline!r}, unit={asked.unit!r}, rng={self._seed})"
        return f"import mtworkbench as mtw\ncomparison = {call}\n"

    def _write_draw(self, asked: Question) -> str:
        return f"mtw.draw_comparison(comparison.metrics[{asked.metric!r}])"


def _describe_estimates(metric: MetricComparison, pairs: Sequence[PairEstimate], baseline: str) -> str:
    digits = decimals_of_metric(metric)
    each = "; ".join(f"{pair.a} {signed(pair.difference, digits)} {show_ends(pair.ends, digits)}" for pair in pairs)
    said = f"Differences from {baseline} in {metric.name} with their {in_percent(metric.level)} CI: {each}."
    return " ".join([said, *map(say_briefly, metric.concerns.that_matter())])


def _decimals_of_buckets(frame: pd.DataFrame) -> int:
    """Choose the decimals of the differences in buckets by their intervals, or by themselves where none has one."""
    drawn = frame.dropna(subset=["low", "high"])
    if len(drawn):
        return decimals_of_intervals(zip(drawn["low"], drawn["high"], strict=True))
    return decimals_of_intervals((0.0, abs(difference)) for difference in frame["difference"].dropna())


def _name_interval(found: PairedBootstrap, digits: int) -> str:
    if found.low is None or found.high is None:
        return ""
    return f", {in_percent(found.level)} CI ({found.method}) {interval_of(found.low, found.high, digits)}"
