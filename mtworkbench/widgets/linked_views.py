"""What linked figures show of a difference of two systems: pictures with their marks, frames, sentences and code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mtworkbench.analyses.segments import bucket_segments, segment_contributions
from mtworkbench.analyses.segments.buckets import label_segments
from mtworkbench.analyses.segments.contributions import SAMPLE, check_origin, match_outputs, name_runs
from mtworkbench.analyses.segments.pages import SegmentPages, decimals_of_contributions
from mtworkbench.inference import Comparison, MetricComparison, PairedBootstrap, PairEstimate, compare
from mtworkbench.inference.families import name_families, name_systems
from mtworkbench.inference.replications import median_run
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
from mtworkbench.plots.style import style
from mtworkbench.progress import show_progress
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.widgets import explorer
from mtworkbench.widgets.explorer import Answer, new_axes
from mtworkbench.widgets.segments.browser import SegmentBrowser, has_texts
from mtworkbench.wording import tally
from mtworkbench.words.cells import decimals_of as decimals_of_metric
from mtworkbench.words.cells import decimals_of_intervals, show_ends
from mtworkbench.words.concerns import say_briefly
from mtworkbench.words.frames import in_percent, interval_of, signed
from mtworkbench.words.segments import describe_buckets, describe_contributions
from mtworkbench.words.sentences import describe_pair

# Lower than those of other explorers: there are two rows of pictures, and the segments below them.
WIDE, BESIDE = ((width, 2.1) for width in (explorer.WIDE[0], explorer.BESIDE[0]))
# Of buckets, the picture is as high as so many rows need, at most.
MOST_ROWS = 16
CHOOSE = "Click a row: everything else is about its system."
# The sentence on contributions stands above the list of segments, where there is one.
BRUSH = "Draw a rectangle, or use Shift and the arrow keys: the list shows only these segments."


@dataclass(frozen=True)
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
    given : sequence of str
        How code calls each of them.
    baseline : str
    seed : int
        Of all that is drawn.

    Attributes
    ----------
    browsers : list of SegmentBrowser
        Those of all pairs that were looked at.
    """

    def __init__(
        self,
        outputs: pd.DataFrame | None,
        families: Sequence[SegmentStatistics],
        given: Sequence[str],
        baseline: str,
        seed: int,
    ):
        self.outputs, self.baseline, self.seed = outputs if has_texts(outputs) else None, baseline, seed
        self._outputs_name = "None" if self.outputs is None else "outputs"
        self.names = name_families(families)
        self.families = dict(zip(self.names, families, strict=True))
        self._given = dict(zip(self.names, given, strict=True))
        self.systems = name_systems(families)
        # Each is made once for what it depends on.
        self.compare, self.draw_estimates = cache(self._compare), cache(self._draw_estimates)
        self.draw_resamples, self.draw_contributions = cache(self._draw_resamples), cache(self._draw_contributions)
        self.draw_buckets, self._make_browser = cache(self._draw_buckets), cache(self._open_browser)
        self.match = cache(self._match)
        self.browsers: list[SegmentBrowser] = []
        self._flagged: dict[tuple[str, int], pd.DataFrame] = {}

    def _compare(self, unit: str) -> Comparison:
        """Compare all systems with the baseline by all metrics."""
        families, progress = list(self.families.values()), show_progress("drawing")
        return compare(families, self.baseline, unit=unit, rng=self.seed, progress=progress)

    def find_pair(self, asked: Question) -> PairEstimate | None:
        """Return the system's comparison with the baseline; None where the metric has none."""
        metric = self.compare(asked.unit).metrics[asked.metric]
        return next((pair for pair in metric.comparisons if pair.a == asked.system), None)

    @style()
    def _draw_estimates(self, name: str, unit: str) -> Answer:
        """Draw all differences from the baseline."""
        metric = self.compare(unit).metrics[name]
        figure = draw_comparison(metric)
        alt = _describe_estimates(metric, metric.comparisons_from_best, self.baseline)
        code = self._write_comparison(unit) + f"mtw.draw_comparison(comparison.metrics[{name!r}])"
        return Answer(figure, CHOOSE, mark_differences(metric, figure), metric.to_frame(), code, "y", alt=alt)

    def _draw_resamples(self, asked: Question) -> Answer:
        """Draw how far resampling moves the difference of a pair that was compared."""
        [pair] = [pair for pair in self.compare(asked.unit).metrics[asked.metric].comparisons if pair.a == asked.system]
        code = (
            f"[pair] = [pair for pair in comparison.metrics[{asked.metric!r}].comparisons "
            f"if pair.a == {asked.system!r}]\nfound = pair.bootstrap\n"
        )
        return draw_resamples(pair.bootstrap, self._write_comparison(asked.unit) + code)

    def _match(self, metric: str, system: str) -> pd.DataFrame | None:
        """Return the texts of a pair, which must be those of its statistics; None where there are no texts."""
        if self.outputs is None:
            return None
        statistics, systems = self.families[metric], (system, self.baseline)
        # All segments of the runs whose texts are shown, and some of the others: no later figure can be refused.
        shown = [(one, median_run(statistics[one].score()[0])) for one in systems]
        matched = match_outputs(self.outputs, statistics, systems, shown)
        others = [one for one in name_runs(statistics, systems) if one not in shown]
        check_origin(matched, statistics, others, at_most=SAMPLE)
        return matched

    @style()
    def _draw_contributions(self, metric: str, system: str) -> Answer:
        """Draw what each segment contributes to the difference."""
        statistics, systems = self.families[metric], (system, self.baseline)
        frame = segment_contributions(self.outputs, statistics, *systems)
        ax = plot_contributions(frame, new_axes(WIDE), systems=systems)
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
        alt = f"Contributions of {tally(len(shown), 'segment')} against {against}. {caption}"
        code = (
            "import mtworkbench as mtw\nfrom mtworkbench.plots.segments import plot_contributions\n"
            f"contributions = mtw.analyses.segment_contributions({self._outputs_name}, {self._given[metric]}, "
            f"{system!r}, {self.baseline!r})\n"
            f"plot_contributions(contributions, systems={systems!r})"
        )
        return Answer(ax, caption if self.outputs is None else BRUSH, marks, frame, code, alt=alt)

    @style()
    def _draw_buckets(self, metric: str, system: str, by: str) -> Answer:
        """Draw the difference in buckets."""
        statistics, systems = self.families[metric], (system, self.baseline)
        frame = bucket_segments(self.outputs, statistics, *systems, by, rng=self.seed)
        height = max(BESIDE[1], height_of_buckets(min(len(frame), MOST_ROWS)))
        ax = new_axes((BESIDE[0], height))
        shown = shown_buckets(frame, ax)
        plot_buckets(frame, ax, systems=systems)
        counted, level, digits = count_of(frame), in_percent(float(frame["level"].iloc[0])), _decimals_of_buckets(frame)

        def name(one: Any) -> str:
            interval = f"{level} CI {interval_of(one.low, one.high, digits)}"
            ends = "too small for an interval" if np.isnan(one.low) else interval
            return f"{one.bucket}: {signed(one.difference, digits)}, {ends}, {getattr(one, counted):,} {counted}"

        y = np.arange(len(shown))
        marks = pd.DataFrame({"x": shown["difference"].to_numpy(), "y": y, "top": y - 0.5, "bottom": y + 0.5})
        marks["text"] = [name(one) for one in shown.itertuples()]
        if by != "frequency":  # of which the buckets are of words
            names, places = label_segments(self.outputs, statistics, systems, by)
            segments = statistics.test_set.segments
            marks["segments"] = [segments[places == names.index(one)].tolist() for one in shown["bucket"]]
        alt = f"{system} - {self.baseline} in buckets. {'; '.join(name(one) for one in frame.itertuples())}."
        code = (
            "import mtworkbench as mtw\nfrom mtworkbench.plots.segments import plot_buckets\n"
            f"buckets = mtw.analyses.bucket_segments({self._outputs_name}, {self._given[metric]}, "
            f"{system!r}, {self.baseline!r}, {by!r}, rng={self.seed})\n"
            f"plot_buckets(buckets, systems={systems!r})"
        )
        caption = describe_buckets(frame).replace(". ", ".\n", 1)
        return Answer(ax, caption, marks, frame, code, "y", alt=alt)

    def browse(self, asked: Question) -> SegmentBrowser | None:
        """Return the browser of the pair's segments; None where there are no texts."""
        browser = self._make_browser(asked.metric, asked.system)
        if browser is not None:
            browser.unit = asked.unit
        return browser

    def _open_browser(self, metric: str, system: str) -> SegmentBrowser | None:
        """Put the contributions, which are known, on pages with their texts."""
        matched, frame = self.match(metric, system), self.draw_contributions(metric, system).frame
        if matched is None:
            return None
        pages = SegmentPages(matched, self.families[metric], system, self.baseline, None, frame, self._flagged)
        self.browsers.append(SegmentBrowser(pages, self.seed, {}))
        return self.browsers[-1]

    def name_buckets(self, metric: str) -> list[tuple[str, str]]:
        """Return what segments can be put into buckets by: how it is called, and its name."""
        test_set, found = self.families[metric].test_set, []
        has_references = self.outputs is not None and reference_columns(self.outputs)
        if has_references:
            found.append(("length of the reference", "length"))
        if test_set.documents is not None:
            found.append(("document", "document"))
        found += [(name, name) for name in test_set.columns if name not in ("length", "document", "frequency")]
        if has_references:
            found.append(("word frequency in the references", "frequency"))
        return found

    def _write_comparison(self, unit: str) -> str:
        call = f"mtw.compare(statistics, {self.baseline!r}, unit={unit!r}, rng={self.seed})"
        return f"import mtworkbench as mtw\ncomparison = {call}\n"


@style()
def draw_resamples(found: PairedBootstrap, code: str) -> Answer:
    """Draw how far resampling moves a difference.

    Parameters
    ----------
    found : PairedBootstrap
    code : str
        The Python calls that make ``found``.

    Returns
    -------
    Answer
    """
    ax = plot_resampled_difference(found, new_axes(BESIDE))
    counts, edges = count_resamples(found)
    digits = decimals_of(found) + 1
    marks = pd.DataFrame({"x": (edges[:-1] + edges[1:]) / 2, "y": counts / 2})
    marks["text"] = [
        f"{tally(count, 'resample')} from {signed(low, digits)} to {signed(high, digits)}"
        for count, low, high in zip(counts.tolist(), edges[:-1], edges[1:], strict=True)
    ]
    frame = pd.DataFrame({"resample": range(1, found.n_resamples + 1), "difference": found.differences})
    said = f"{found.a} - {found.b} in {tally(found.n_resamples, 'resample')} by {found.unit}"
    share = ""
    if found.wins is not None:
        share = f"\n{found.a} is better in {found.wins:,} of them; this share is not the probability of being better."
    alt = (
        f"Histogram of {said}: from {signed(edges[0], digits)} to {signed(edges[-1], digits)}; observed "
        f"{signed(found.difference, digits)}{_name_interval(found, digits)}."
    )
    code += (
        "import pandas as pd\nfrom mtworkbench.plots.segments import plot_resampled_difference\n"
        'frame = pd.DataFrame({"resample": range(1, found.n_resamples + 1), "difference": found.differences})\n'
        "plot_resampled_difference(found)"
    )
    # Of several pairs, a table shows the CIs of the family.
    alone = "" if found.low is None else f"; the CI ({found.method}) is of this pair alone"
    return Answer(ax, f"{said}{alone}.{share}", marks, frame, code, "x", alt=alt)


def mark_differences(metric: MetricComparison, figure: Figure) -> pd.DataFrame:
    """Return the marks of a figure of `draw_comparison`: one row per difference, the best system first."""
    pairs, limits = metric.comparisons_from_best, figure.axes[0].get_xlim()
    marks = pd.DataFrame(spans_of_differences(metric), columns=["top", "y", "bottom"])
    return marks.assign(
        # Of what lies beyond the axis, its end.
        x=np.clip([pair.difference for pair in pairs], *limits),
        text=[describe_pair(pair, metric) for pair in pairs],
        system=[pair.a for pair in pairs],
    )


def _describe_estimates(metric: MetricComparison, pairs: Sequence[PairEstimate], baseline: str) -> str:
    digits = decimals_of_metric(metric)
    each = "; ".join(f"{pair.a} {signed(pair.difference, digits)} {show_ends(pair.ends, digits)}" for pair in pairs)
    said = f"Differences from {baseline} in {metric.name} with their {in_percent(metric.level)} CI: {each}."
    return " ".join([said, *say_briefly(metric)])


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
