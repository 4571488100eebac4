"""What the panels of a forest plot say: their rows, numbers, headings and marks, before anything has its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from mtworkbench.metrics import unit_of
from mtworkbench.metrics.directions import has_direction
from mtworkbench.plots.comparisons import (
    has_distribution,
    margin_and_label,
    mark_baseline,
    mark_difference,
    mark_distribution,
    mark_runs,
    mark_scores,
    names_of,
    with_minus,
)
from mtworkbench.plots.systems import NAME_LENGTH, Looks
from mtworkbench.tables.cells import (
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
from mtworkbench.tables.frames import fixed, printable, shorten
from mtworkbench.tables.sentences_on_equivalence import WITHIN, is_equal, say_margin_test

if TYPE_CHECKING:
    from mtworkbench.inference import MetricComparison, PairEstimate
    from mtworkbench.inference.campaign_results import CampaignMetric

#: Of the key below a figure, what comes last.
RUNS = "small ticks: scores of single runs"
#: Where scores are missing: then a difference is not that of the scores shown.
ON_PARTS = "differences: on the segments scored for both"
LEFT_ARROW, RIGHT_ARROW = "\N{LEFTWARDS ARROW}", "\N{RIGHTWARDS ARROW}"
# The ticks of runs stand so many lines below the mark of their system.
BELOW = 0.34


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
    heading : str
        Of the scores: the metric with its unit.
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
    headings : tuple of str
        In place of `heading`, the first that has room; the last may be shortened.
    keeps_names : bool
        Names stay beside the axis, if columns of numbers can make room for that.
    gap_before : int, optional
        The row before which there is a gap.
    """

    heading: str
    better: str
    columns: Line
    rows: tuple[Row, ...]
    zero: tuple[str, ...]
    key: tuple[str, ...]
    mark: Callable[[Axes, Sequence[Sequence[float]]], None]
    margin: float | None = None
    margin_label: str = ""
    sides: tuple[tuple[str, str], ...] = ()
    headings: tuple[str, ...] = ()
    keeps_names: bool = False
    gap_before: int | None = None


def heading_of(name: str, metric: MetricComparison | CampaignMetric) -> str:
    """Return the metric's name with its unit."""
    unit = unit_of(metric.name)
    return f"{name} ({unit})" if unit else name


def make_scores_panel(name: str, metric: MetricComparison, styles: Looks) -> Forest:
    """Make the panel of the systems' scores."""
    digits, systems = decimals_of(metric), metric.systems_from_best
    names = _shortened(metric)
    rows = [
        Row(
            (names[one.system],),
            with_minus(fixed(one.score, digits)),
            (Line(interval=with_minus(interval_of(one.low, one.high, digits))),),
        )
        for one in systems
    ]

    def mark(ax: Axes, heights: Sequence[Sequence[float]]) -> None:
        mark_scores(metric, ax, [row[0] for row in heights], styles)

    key = (RUNS,) if any(one.runs > 1 for one in systems) else ()
    return Forest(heading_of(name, metric), _direction(metric), Line(interval=_ci(metric)), tuple(rows), (), key, mark)


def make_baseline_panel(name: str, metric: MetricComparison, baseline: str, styles: Looks, *, called: bool) -> Forest:
    """Make the panel of the differences from one system: a row per system, its own among them.

    It is ``called`` the baseline only where it is known to be one: a pair without a baseline has a second system, too.
    """
    digits, systems = decimals_of(metric), metric.systems_from_best
    names, pairs = _shortened(metric), {pair.a: pair for pair in metric.comparisons}
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
            mark_runs(ax, lines[0] + BELOW, one, scores[baseline])

    key = (*_key(metric), *([RUNS] if any(one.runs > 1 for one in systems) else []))
    columns, zero = _difference_columns(metric), (f"= {names[baseline]}", *(["baseline"] if called else []), "0")
    return Forest(
        heading_of(name, metric), _direction(metric), columns, tuple(rows), zero, key, mark, *margin_and_label(metric)
    )


def make_pairs_panel(name: str, metric: MetricComparison, styles: Looks) -> Forest:
    """Make the panel of all pairs of a few systems, of each the system with the better score first."""
    pairs, names = metric.comparisons_from_best, _shortened(metric)
    rows = []
    for pair in pairs:
        called = (names[pair.a], f"against {names[pair.b]}")
        rows.append(Row((" ".join(called),) if sum(map(len, called)) < NAME_LENGTH else called))
    rows = [replace(row, lines=_lines_of(pair, metric)) for row, pair in zip(rows, pairs, strict=True)]

    def mark(ax: Axes, heights: Sequence[Sequence[float]]) -> None:
        for pair, lines in zip(pairs, heights, strict=True):
            mark_difference(ax, pair, lines, styles[pair.a])

    heading, key = f"Difference in {heading_of(name, metric)}", tuple(_key(metric))
    columns, zero = _difference_columns(metric), ("equal", "0")
    return Forest(heading, _direction(metric), columns, tuple(rows), zero, key, mark, *margin_and_label(metric))


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


def _shortened(metric: MetricComparison) -> dict[str, str]:
    """Return the names of the systems as they are shown."""
    return {name: printable(short) for name, short in shorten(names_of(metric), NAME_LENGTH).items()}


def _direction(metric: MetricComparison) -> str:
    """Say with an arrow which way is better on the axis."""
    if not has_direction(metric):
        return ""
    return f"better {RIGHT_ARROW}" if metric.higher_is_better else f"{LEFT_ARROW} better"


def _ci(metric: MetricComparison) -> str:
    return f"{in_percent(metric.level)} CI"


def _difference_columns(metric: MetricComparison) -> Line:
    """Head the columns; p is adjusted where the comparison is one of several, also if it is shown alone."""
    names = {label_of_p(metric)} | ({name_of_p(metric, of_method=True)} if metric.asks_of_methods else set())
    p = label_of_p(metric) if metric.family_size == 1 or len(names) == 1 else "adjusted p"
    return Line(difference="diff.", interval=_ci(metric), p=p)


def _lines_of(pair: PairEstimate, metric: MetricComparison) -> tuple[Line, ...]:
    """Return the numbers on these outputs, and for the method where it was tested."""
    digits = decimals_of(metric)
    difference = with_minus(signed(pair.difference, digits))
    ci = with_minus(interval_of(pair.low, pair.high, digits))
    p = show_p(pair.p_adjusted, p_digits(pair, metric.n_trials))
    outputs = Line(difference=difference, within=_within(pair, of_method=False), interval=ci, p=p)
    if pair.method_p_value is None:
        return (outputs,)
    ci = with_minus(interval_of(pair.method_low, pair.method_high, digits))
    p = show_p(pair.method_p_adjusted, T_DIGITS)
    method = Line(whose="method", within=_within(pair, of_method=True), interval=ci, p=p)
    return (replace(outputs, whose="outputs"), method)


def _within(pair: PairEstimate, *, of_method: bool) -> str:
    return WITHIN if is_equal(pair, of_method=of_method) else ""


def _key(metric: MetricComparison) -> Iterable[str]:
    """Say what the marks mean: those that occur, and always what an open one means."""
    pairs = metric.comparisons
    verdicts = {pair.verdict for pair in pairs}
    if "significant" in verdicts:
        yield "\N{BLACK CIRCLE} filled: difference shown"
    if "undecided" in verdicts:
        yield "\N{CIRCLE WITH LEFT HALF BLACK} half filled: undecided"
    margin, _ = margin_and_label(metric)
    yield f"\N{WHITE CIRCLE} open: {'not shown' if margin is None else 'difference not shown'}"
    if margin is not None:
        yield say_margin_test(metric)
    if len(pairs) > 1:
        yield "CIs are not adjusted"
    if any(pair.method_p_value is not None for pair in pairs):
        yield "thin bar: on these outputs"
        yield "thick bar: for the method (new training runs)"
    if len(pairs) == 1 and has_distribution(pairs[0].resampled):
        yield "pale area: bootstrap resamples"
    if rests_on_parts(metric):
        yield ON_PARTS
