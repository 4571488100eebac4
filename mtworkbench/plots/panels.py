"""What the panels of a forest plot say: their rows, numbers, headings and marks, before anything has its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from matplotlib.axes import Axes

from mtworkbench.inference import MetricComparison, PairEstimate
from mtworkbench.metrics.directions import has_direction
from mtworkbench.metrics.known import unit_of
from mtworkbench.plots.comparisons import (
    NO_LIMITS,
    Limits,
    Metric,
    Pair,
    System,
    has_distribution,
    margin_and_label,
    mark_baseline,
    mark_difference,
    mark_distribution,
    mark_runs,
    mark_scores,
    names_of,
    second_of,
    singles_of,
    with_minus,
)
from mtworkbench.plots.systems import NAME_LENGTH, Looks
from mtworkbench.results.campaigns import CampaignMetric, CampaignPair, SetEstimate
from mtworkbench.words.cells import (
    T_DIGITS,
    decimals_of,
    in_percent,
    interval_of,
    label_of_p,
    name_of_p,
    p_digits,
    rests_on_parts,
    show_p,
    signed,
)
from mtworkbench.words.frames import fixed, printable, shorten
from mtworkbench.words.sentences_on_equivalence import WITHIN, explain_margin_test, is_equal

#: Of the key below a figure, what comes last.
RUNS = "small ticks: scores of single runs"
#: Where scores are missing: then a difference is not that of the scores shown.
ON_PARTS = "differences: on the segments scored for both"
LEFT_ARROW, RIGHT_ARROW = "\N{LEFTWARDS ARROW}", "\N{RIGHTWARDS ARROW}"
# The ticks of runs stand so many lines below the mark of their system.
BELOW = 0.34
TICKS_OF_SETS = "small ticks: single test sets"
NOT_ADJUSTED = "CIs are not adjusted"
# Names that have too little room are shortened to so many letters each.
SHORTER = (24, 16, 10)
# An interval for new test sets may reach so far beyond those on single sets, as a share of their width; then it is cut.
BEYOND = 0.6


@dataclass(frozen=True)
class Line:
    """The numbers of one interval: whose it is, of how many segments, difference, ends, p, and if within the margin."""

    whose: str = ""
    segments: str = ""
    difference: str = ""
    interval: str = ""
    p: str = ""
    within: str = ""


@dataclass(frozen=True)
class Row:
    """A system or a pair, with one line per interval; a ``note`` stands in place of numbers."""

    name: tuple[str, ...]
    score: str = ""
    lines: tuple[Line, ...] = (Line(),)
    note: str = ""


@dataclass(frozen=True)
class Forest:
    """One panel.

    Parameters
    ----------
    headings : tuple of str
        Of the scores, or of the panel: the first that has room, of several the last may be shortened.
    better : str
        Which way is better on the axis.
    columns : Line
        Headings of the columns of numbers.
    rows : tuple of Row
    zero : tuple of str
        Names of the line at 0, of which the first one that has room is shown; none where the axis shows scores.
    key : tuple of str
        What the marks mean.
    mark : callable
        Draws the marks on an Axes, given for each row the height of each of its lines.
    margin : float, optional
        The axis has a band from -margin to margin.
    margin_label : str
        Names the band, below all rows.
    sides : tuple of (str, str)
        What stands above the axis at its left and right in place of `better`: of several, the first that has room.
    keeps_names : bool
        Names stay beside the axis, if columns of numbers can make room for that.
    gap_before : int, optional
        The row before which there is a gap.
    """

    headings: tuple[str, ...]
    better: str
    columns: Line
    rows: tuple[Row, ...]
    zero: tuple[str, ...]
    key: tuple[str, ...]
    mark: Callable[[Axes, Sequence[Sequence[float]]], None]
    margin: float | None = None
    margin_label: str = ""
    sides: tuple[tuple[str, str], ...] = ()
    keeps_names: bool = False
    gap_before: int | None = None

    @property
    def heading(self) -> str:
        """The longest one."""
        return self.headings[0]


def heading_of(name: str, metric: Metric) -> str:
    """Return the metric's name with its unit."""
    unit = unit_of(metric.name)
    return f"{name} ({unit})" if unit else name


def make_scores_panel(name: str, metric: Metric, styles: Looks) -> Forest:
    """Make the panel of the systems' scores."""
    digits, names = decimals_of(metric), short_names(metric)
    systems: Sequence[System] = metric.systems_from_best
    rows = [
        Row((names[one.system],), with_minus(fixed(one.score, digits)), (numbers_of(one.low, one.high, digits),))
        for one in systems
    ]

    def mark(ax: Axes, heights: Sequence[Sequence[float]]) -> None:
        mark_scores(metric, ax, [row[0] for row in heights], styles)

    ticks = TICKS_OF_SETS if isinstance(metric, CampaignMetric) else RUNS
    key = (ticks,) if any(len(singles_of(one)) > 1 for one in systems) else ()
    headings = (heading_of(name, metric),)
    return Forest(headings, better_way(metric), Line(interval=ci_of(metric)), tuple(rows), (), key, mark)


def make_baseline_panel(name: str, metric: MetricComparison, baseline: str, styles: Looks, *, called: bool) -> Forest:
    """Make the panel of the differences from one system: a row per system, its own among them.

    It is ``called`` the baseline only where it is known to be one: a pair without a baseline has a second system, too.
    """
    digits, systems = decimals_of(metric), metric.systems_from_best
    names, pairs = short_names(metric), {pair.a: pair for pair in metric.comparisons}
    scores = {one.system: one.score for one in systems}
    rows = []
    for one in systems:
        row = Row((names[one.system],), with_minus(fixed(one.score, digits)))
        rows.append(
            replace(row, note="baseline" if called else "")
            if one.system == baseline
            else replace(row, lines=_lines_of(pairs[one.system], metric))
        )

    def mark(ax: Axes, heights: Sequence[Sequence[float]]) -> None:
        for one, lines in zip(systems, heights, strict=True):
            if one.system == baseline:
                mark_baseline(ax, lines[0], styles[one.system])
            else:
                mark_difference(ax, pairs[one.system], lines, styles[one.system])
                if len(pairs) == 1:
                    color = styles[one.system]["color"]
                    mark_distribution(ax, lines[0], pairs[one.system].resampled, color, height=0.5)
            mark_runs(ax, lines[0] + BELOW, one.scores, scores[baseline])

    key = (*_key(metric), *([RUNS] if any(one.runs > 1 for one in systems) else []))
    columns, zero = _difference_columns(metric), (f"= {names[baseline]}", *(["baseline"] if called else []), "0")
    headings = (heading_of(name, metric),)
    return Forest(headings, better_way(metric), columns, tuple(rows), zero, key, mark, *margin_and_label(metric))


def make_pairs_panel(name: str, metric: Metric, styles: Looks, pairs: Sequence[Pair]) -> Forest:
    """Make the panel of some pairs: a row for each, of several test sets with a small tick for each set."""
    names, other, limits = short_names(metric), other_of(pairs), limits_of(pairs)
    rows = tuple(Row(_name_pair(pair, names, other), lines=_lines_of(pair, metric)) for pair in pairs)

    def mark(ax: Axes, heights: Sequence[Sequence[float]]) -> None:
        for pair, lines in zip(pairs, heights, strict=True):
            mark_difference(ax, pair, lines, styles[pair.a], limits)
            if isinstance(pair, CampaignPair):
                differences = [one.difference for one in pair.sets]
                mark_runs(ax, lines[-1] + BELOW + 0.1, differences, 0, "_sets")

    several = isinstance(metric, CampaignMetric)
    zero = ("equal", "0") if other is None else (f"= {names[other]}", "0")
    key = key_of_pairs(metric, pairs)
    columns, headings = _difference_columns(metric), headings_of_pairs(name, metric, other)
    return Forest(
        headings, better_way(metric), columns, rows, zero, key, mark, *margin_and_label(metric), keeps_names=several
    )


def other_of(pairs: Sequence[Pair]) -> str | None:
    """Return the one system that all others are compared with in some pairs; None where there are several."""
    others = {pair.b for pair in pairs}
    return others.pop() if len(others) == 1 else None


def headings_of_pairs(name: str, metric: Metric, other: str | None) -> tuple[str, ...]:
    """Return what stands above several pairs, in shorter and shorter forms."""
    if other is None:
        return (f"Difference in {heading_of(name, metric)}",)
    called = short_names(metric)[other]
    shorter = (shorten([called], length)[called] for length in SHORTER)
    return tuple(f"{heading_of(name, metric)}, difference from {one}" for one in dict.fromkeys((called, *shorter)))


def _name_pair(pair: Pair, names: Mapping[str, str], other: str | None) -> tuple[str, ...]:
    """Name the row of a pair, in one line where that is short."""
    called = (names[pair.a],) if other is not None else (names[pair.a], f"against {names[pair.b]}")
    return (" ".join(called),) if sum(map(len, called)) < NAME_LENGTH else called


def limits_of(pairs: Iterable[Pair]) -> Limits:
    """Return where intervals are cut: those for new test sets may go beyond those of single sets, but not far."""
    several = [pair for pair in pairs if isinstance(pair, CampaignPair)]
    if not several:
        return NO_LIMITS
    every: list[CampaignPair | SetEstimate] = [*several, *(one for pair in several for one in pair.sets)]
    ends = [0.0, *(end for one in every for end in (one.low, one.difference, one.high) if end is not None)]
    low, high = min(ends), max(ends)
    room = BEYOND * (high - low)
    new = [(pair.new_sets_low, pair.new_sets_high, pair.one_new_set_low, pair.one_new_set_high) for pair in several]
    wide = [end for four in new for end in four if end is not None]
    return max(min(low, *wide, low), low - room), min(max(high, *wide, high), high + room)


def describe_panel(panel: Forest) -> str:
    """Say the numbers of a panel, row by row; the interval is in brackets."""
    return f"{panel.heading} [{panel.columns.interval}]: {'; '.join(_describe_row(row, panel) for row in panel.rows)}"


def _describe_row(row: Row, panel: Forest) -> str:
    """Say the numbers of a row as its columns have them."""
    said = []
    for line in row.lines:
        p = line.p and f"{panel.columns.p} {line.p if line.p.startswith('<') else f'= {line.p}'}"
        heading = panel.columns.difference if line.difference and row.score else ""
        said.append(" ".join(part for part in (line.whose, heading, line.difference, line.interval, p) if part))
    name = f"{' '.join(row.name)} {row.score}".rstrip()
    # A score is a number of its own, which the numbers of a difference do not follow without a comma.
    return (", " if row.score and panel.zero else " ").join(
        (name, ", ".join(part for part in (*said, row.note) if part))
    )


def short_names(metric: Metric) -> dict[str, str]:
    """Return the names of the systems as they are shown."""
    return {name: printable(short) for name, short in shorten(names_of(metric), NAME_LENGTH).items()}


def better_way(metric: Metric) -> str:
    """Say with an arrow which way is better on the axis."""
    if not has_direction(metric):
        return ""
    return f"better {RIGHT_ARROW}" if metric.higher_is_better else f"{LEFT_ARROW} better"


def ci_of(metric: Metric) -> str:
    """Name the intervals."""
    return f"{in_percent(metric.level)} CI"


def _difference_columns(metric: Metric) -> Line:
    """Head the columns; p is adjusted where the comparison is one of several, also if it is shown alone."""
    several = isinstance(metric, CampaignMetric)
    names = {label_of_p(metric)}
    if several or metric.asks_of_methods:
        names.add(name_of_p(metric, of_method=True))
    p = label_of_p(metric) if metric.family_size == 1 or len(names) == 1 else "adjusted p"
    return Line(whose="test sets" if several else "", difference="diff.", interval=ci_of(metric), p=p)


def numbers_of(
    low: float | None, high: float | None, digits: int, p: str = "", difference: float | None = None
) -> Line:
    """Write the numbers of an interval."""
    shown = "" if difference is None else with_minus(signed(difference, digits))
    return Line(difference=shown, interval=with_minus(interval_of(low, high, digits)), p=p)


def numbers_of_pair(pair: Pair | SetEstimate, metric: Metric) -> Line:
    """Write the numbers of a difference with its interval."""
    trials = pair.n_trials if isinstance(pair, SetEstimate) else metric.n_trials
    p = show_p(pair.p_adjusted, p_digits(pair, trials))
    return numbers_of(pair.low, pair.high, decimals_of(metric), p, pair.difference)


def _lines_of(pair: Pair, metric: Metric) -> tuple[Line, ...]:
    """Return the numbers of a pair, and those of the second question where it was asked."""
    first, second = numbers_of_pair(pair, metric), second_of(pair)
    if second is None:
        return (replace(first, within=_within(pair, of_method=False)),)
    numbers = numbers_of(second.low, second.high, decimals_of(metric), show_p(second.p, T_DIGITS))
    lines = zip(second.whose, (first, numbers), (False, True), strict=True)
    return tuple(replace(line, whose=whose, within=_within(pair, of_method=last)) for whose, line, last in lines)


def _within(pair: Pair, *, of_method: bool) -> str:
    return WITHIN if isinstance(pair, PairEstimate) and is_equal(pair, of_method=of_method) else ""


def key_of_pairs(metric: Metric, pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Say what the marks of rows of pairs mean."""
    if isinstance(metric, CampaignMetric):
        bars = "thin bar: on these test sets", "thick bar: for new test sets like these"
        of_new = ((second.low, second.high) for second in map(second_of, pairs) if second is not None)
        return (*bars, TICKS_OF_SETS, *key_of_fills(pairs), *end_of_key(pairs, of_new))
    return tuple(_key(metric))


def _key(metric: MetricComparison) -> Iterable[str]:
    """Say what the marks of a comparison on one test set mean."""
    pairs = metric.comparisons
    margin, _ = margin_and_label(metric)
    yield from key_of_fills(pairs, "not shown" if margin is None else "difference not shown")
    if margin is not None:
        yield explain_margin_test(metric)
    if len(pairs) > 1:
        yield NOT_ADJUSTED
    if metric.asks_of_methods:
        yield "thin bar: on these outputs"
        yield "thick bar: for the method (new training runs)"
    if len(pairs) == 1 and has_distribution(pairs[0].resampled):
        yield "pale area: bootstrap resamples"
    if rests_on_parts(metric):
        yield ON_PARTS


def key_of_fills(pairs: Sequence[Pair], empty: str = "not shown") -> Iterable[str]:
    """Say how marks are filled: of those that occur, and always what an open one means."""
    verdicts = {pair.verdict for pair in pairs}
    verdicts |= {one.verdict for pair in pairs if isinstance(pair, CampaignPair) for one in pair.sets}
    if "significant" in verdicts:
        yield "\N{BLACK CIRCLE} filled: difference shown"
    if "undecided" in verdicts:
        yield "\N{CIRCLE WITH LEFT HALF BLACK} half filled: undecided"
    yield f"\N{WHITE CIRCLE} open: {empty}"


def end_of_key(pairs: Sequence[Pair], ends: Iterable[tuple[float | None, float | None]]) -> Iterable[str]:
    """Say what an arrowhead means where one of these intervals is cut, and that intervals are not adjusted."""
    low, high = limits_of(pairs)
    if any(one is not None and other is not None and (one < low or other > high) for one, other in ends):
        yield "arrowhead: the interval goes on"
    yield NOT_ADJUSTED
