"""A comparison as a forest plot: systems, intervals on an axis, and the numbers in columns, as in a meta-analysis.

Everything has its place before it is drawn: columns are as wide as their text, and a row is as high as its lines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mtworkbench.errors import InputError
from mtworkbench.inference import Comparison, MetricComparison
from mtworkbench.metrics import unit_of
from mtworkbench.metrics.directions import has_direction
from mtworkbench.plots.comparisons import (
    baseline_of,
    cell_text,
    from_best,
    mark_difference,
    mark_runs,
    mark_scores,
    names_of,
    pairs_from_best,
    plot_pairwise,
    with_minus,
)
from mtworkbench.plots.style import (
    LINE_HEIGHT,
    POINTS,
    REFERENCE_COLOR,
    Medium,
    current_medium,
    house_style,
    settle,
    text_width,
    wrap_to,
)
from mtworkbench.plots.systems import NAME_LENGTH, Styles, escape_dollars, label_systems, styles_of
from mtworkbench.tables.cells import T_DIGITS, decimals_of, in_percent, interval_of, p_digits, show_p, signed
from mtworkbench.tables.findings import write_finding
from mtworkbench.tables.frames import fixed, shorten

if TYPE_CHECKING:
    from mtworkbench.inference import PairEstimate

# Up to this many systems, all pairs are readable as rows; more make a matrix.
MAX_ROWS_OF_PAIRS = 4
# In units of the text's size: a line, the gap between columns, the axis as it should be and as it must be.
LINE, GAP, AXIS, MIN_AXIS, TINY_AXIS = 1.25, 1.0, 16.0, 9.0, 7.0
# In lines: below a row of several lines, the labels of the axis, and below a panel.
ROW_GAP, TICKS, PANEL_GAP = 0.25, 1.2, 0.25
# A figure higher than this, in inches, has two columns of panels where they fit side by side.
HIGH, TWO_COLUMNS = 4.4, 10.4
MARGIN = 0.04
RUNS_KEY = "small ticks: single runs"


def draw_comparison(
    comparison: Comparison | MetricComparison,
    figure: Figure | None = None,
    *,
    width: float | None = None,
    styles: Styles | None = None,
) -> Figure:
    """Draw what `compare` found as a forest plot, one panel per metric, the best system first.

    With one baseline, a panel has a row per system: its name and score, its difference from the baseline with the
    interval on an axis, and at the right difference, interval and p. All pairs: up to four systems their scores above
    and the pairs below, more systems the matrix of all pairs. Where systems have several runs, small ticks are the
    runs, and a second, thick bar is the interval for the method (new training runs). A filled mark is a difference
    that is shown, an open one is not shown. On screen and slide, the finding is the title.

    Parameters
    ----------
    comparison : Comparison or MetricComparison
        All metrics, or one of ``compare(...).metrics``.
    figure : matplotlib Figure, optional
        An empty one; by default a new one of pyplot's, as large as it needs to be, in the style that is active (see
        `style`).
    width : float, optional
        Of a new figure, in inches; by default what the medium has room for.
    styles : mapping of str to dict, optional
        Colour and marker of each system; by default they follow the order in which the systems were given.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    InputError
        For anything else than a comparison (code ``no-comparison``).
    """
    metrics = _metrics_of(comparison)
    styles = styles_of(name for metric in metrics.values() for name in names_of(metric)) if styles is None else styles
    with house_style():
        medium = current_medium()
        panels = [panel for name, metric in metrics.items() for panel in _panels_of(name, metric, styles)]
        given = width if figure is None else figure.bbox.width / figure.dpi
        page = _arrange(panels, given, medium, write_finding(metrics))
        if figure is None:
            figure = plt.figure(figsize=(page.width, page.height), layout="none")
        page.draw(figure)
        settle(figure)
    return figure


def _metrics_of(comparison: Comparison | MetricComparison) -> dict[str, MetricComparison]:
    if isinstance(comparison, Comparison):
        return comparison.metrics
    if isinstance(comparison, MetricComparison):
        return {comparison.name: comparison}
    raise InputError(
        "no-comparison",
        f"draw_comparison shows what compare(...) returns, or one of its metrics, but a {type(comparison).__name__} "
        "was given.",
    )


# ---- what a panel says


@dataclass(frozen=True)
class Line:
    """The numbers of one interval: whose it is, the difference, its ends, and p."""

    whose: str = ""
    difference: str = ""
    interval: str = ""
    p: str = ""


@dataclass(frozen=True)
class Row:
    """A system or a pair, with one line per interval; ``note`` is said in place of numbers."""

    name: str
    score: str = ""
    lines: tuple[Line, ...] = ()
    note: str = ""
    marked: bool = True


@dataclass(frozen=True)
class Forest:
    """One panel: its rows, the headings above them, and what draws the marks at the heights of the rows' lines."""

    heading: str
    better: str
    columns: Line
    rows: tuple[Row, ...]
    zero: str | None
    key: tuple[str, ...]
    mark: Callable[[Axes, Sequence[Sequence[float]]], None]


@dataclass(frozen=True)
class Matrix:
    """One panel: all pairs of many systems."""

    heading: str
    metric: MetricComparison


def _panels_of(name: str, metric: MetricComparison, styles: Styles) -> list[Forest | Matrix]:
    """Return the panels of one metric."""
    baseline, n_systems = baseline_of(metric), len(metric.systems)
    unit = unit_of(metric.name)
    heading = f"{name} ({unit})" if unit else name
    if not metric.comparisons:
        return [_scores_panel(heading, metric, styles)]
    if baseline is not None:
        return [_baseline_panel(heading, metric, baseline, styles)]
    if n_systems > MAX_ROWS_OF_PAIRS:
        return [Matrix(heading, metric)]
    return [_scores_panel(heading, metric, styles), _pairs_panel(name, metric, styles)]


def _direction(metric: MetricComparison) -> str:
    """Say with an arrow which way is better on the axis."""
    if not has_direction(metric):
        return ""
    return "better \N{RIGHTWARDS ARROW}" if metric.higher_is_better else "\N{LEFTWARDS ARROW} better"


def _ci(metric: MetricComparison) -> str:
    return f"{in_percent(metric.level)} CI"


def _difference_columns(metric: MetricComparison) -> Line:
    return Line("", "diff.", _ci(metric), "p" if len(metric.comparisons) == 1 else "p (Holm)")


def _scores_panel(heading: str, metric: MetricComparison, styles: Styles) -> Forest:
    digits, systems = decimals_of(metric), from_best(metric)
    rows = [
        Row(one.system, fixed(one.score, digits), (Line(interval=interval_of(one.low, one.high, digits)),))
        for one in systems
    ]

    def mark(ax: Axes, heights: Sequence[Sequence[float]]) -> None:
        mark_scores(metric, ax, [row[0] for row in heights], styles)

    key = (RUNS_KEY,) if any(one.runs > 1 for one in systems) else ()
    return Forest(heading, _direction(metric), Line(interval=_ci(metric)), tuple(rows), None, key, mark)


def _baseline_panel(heading: str, metric: MetricComparison, baseline: str, styles: Styles) -> Forest:
    digits, systems = decimals_of(metric), from_best(metric)
    pairs = {pair.a: pair for pair in metric.comparisons}
    origin = next((one.score for one in systems if one.system == baseline), 0.0)
    rows = [
        Row(one.system, fixed(one.score, digits), _lines_of(pairs[one.system], metric))
        if one.system in pairs
        else Row(one.system, fixed(one.score, digits), note="baseline", marked=one.runs > 1)
        for one in systems
    ]

    def mark(ax: Axes, heights: Sequence[Sequence[float]]) -> None:
        for one, row in zip(systems, heights, strict=True):
            if one.system in pairs:
                mark_difference(ax, pairs[one.system], row, styles[one.system])
            elif row:
                ax.plot([0], [row[0]], linestyle="none", zorder=2.5, label="_baseline", **styles[one.system])
            if row:
                mark_runs(ax, row[0] + 0.32, one, origin)

    key = [*_key(metric.comparisons)]
    key += [RUNS_KEY] if any(one.runs > 1 for one in systems) else []
    columns = _difference_columns(metric)
    return Forest(heading, _direction(metric), columns, tuple(rows), f"= {baseline}", tuple(key), mark)


def _pairs_panel(name: str, metric: MetricComparison, styles: Styles) -> Forest:
    pairs = pairs_from_best(metric)
    short = shorten(names_of(metric), NAME_LENGTH)
    rows = [Row(f"{short[pair.a]} against {short[pair.b]}", "", _lines_of(pair, metric)) for pair in pairs]

    def mark(ax: Axes, heights: Sequence[Sequence[float]]) -> None:
        for pair, row in zip(pairs, heights, strict=True):
            mark_difference(ax, pair, row, styles[pair.a])

    heading, key = f"Difference in {name}", tuple(_key(pairs))
    return Forest(heading, _direction(metric), _difference_columns(metric), tuple(rows), "equal", key, mark)


def _lines_of(pair: PairEstimate, metric: MetricComparison) -> tuple[Line, ...]:
    """Return the numbers on these outputs, and for the method where it was tested."""
    digits = decimals_of(metric)
    difference = with_minus(signed(pair.difference, digits))
    ci = with_minus(interval_of(pair.low, pair.high, digits))
    outputs = Line("", difference, ci, show_p(pair.p_adjusted, p_digits(pair, metric.n_trials)))
    if pair.method_p_value is None:
        return (outputs,)
    ci = with_minus(interval_of(pair.method_low, pair.method_high, digits))
    method = Line("method", "", ci, show_p(pair.method_p_adjusted, T_DIGITS))
    return (replace(outputs, whose="outputs"), method)


def _key(pairs: Iterable[PairEstimate]) -> Iterable[str]:
    """Say what the marks mean: those that occur, and always what an open one means."""
    verdicts = {verdict for pair in pairs for verdict in (pair.verdict, pair.method_verdict)}
    if "significant" in verdicts:
        yield "\N{BLACK CIRCLE} filled: difference shown"
    if "undecided" in verdicts:
        yield "\N{CIRCLE WITH LEFT HALF BLACK} half: undecided"
    yield "\N{WHITE CIRCLE} open: not shown"
    if any(pair.method_p_value is not None for pair in pairs):
        yield "thin bar: on these outputs"
        yield "thick bar: for the method (new training runs)"


# ---- where everything stands


@dataclass(frozen=True)
class Layout:
    """Widths of the columns of all forest panels, in inches, and whether names have lines of their own."""

    name: float
    score: float
    axis: float
    text: dict[str, float]
    own_lines: bool
    em: float

    @property
    def axis_left(self) -> float:
        """Where the axis begins."""
        return 0.0 if self.own_lines else self.name + self.score + GAP * self.em * (1 + (self.score > 0))

    @property
    def width(self) -> float:
        """Width of a panel."""
        return self.axis_left + self.axis + sum(width + GAP * self.em for width in self.text.values() if width)

    def right_edges(self) -> dict[str, float]:
        """Return where each column of text ends."""
        edges, place = {}, self.axis_left + self.axis
        for name, width in self.text.items():
            place += width + GAP * self.em if width else 0
            edges[name] = place
        return edges


def _lay_out(panels: Sequence[Forest], width: float | None, medium: Medium) -> Layout:
    """Make columns as wide as their texts; names stand above their rows where they would leave no room for the axis."""
    em, gap = medium.text / POINTS, GAP * medium.text / POINTS
    lines = [line for panel in panels for row in panel.rows for line in row.lines]
    lines += [panel.columns for panel in panels]
    text = {
        field: max((text_width(getattr(line, field)) for line in lines), default=0.0) for field in Line.__annotations__
    }
    rows = [row for panel in panels for row in panel.rows]
    name = max(text_width(_shown(row.name)) for row in rows)
    score = max(text_width(row.score) for row in rows)
    widest = medium.widest - 2 * MARGIN if width is None else width - 2 * MARGIN
    beside = Layout(name, score, 0.0, text, own_lines=False, em=em)
    room = widest - beside.width
    if room >= MIN_AXIS * em:
        return replace(beside, axis=min(room, AXIS * em) if width is None else room)
    above = replace(beside, own_lines=True, name=min(name, widest - score - gap))
    room = widest - above.width
    for field in ("whose", "interval"):  # the key says the one, the axis shows the other
        if room < TINY_AXIS * em:
            above = replace(above, text=above.text | {field: 0.0})
            room = widest - above.width
    room = max(room, TINY_AXIS * em)
    longest = max(AXIS * em, name + score + gap - above.width)
    return replace(above, axis=min(room, longest) if width is None and medium.name != "paper" else room)


def _shown(name: str) -> str:
    return label_systems([name])[name].replace(r"\$", "$")


@dataclass(frozen=True)
class Page:
    """A figure before it is drawn: panels from the top down, in one column or two, title above and key below."""

    columns: list[list[Forest | Matrix]]
    layout: Layout | None
    width: float
    lines: float
    title: str
    key: str
    em: float

    @property
    def height(self) -> float:
        """Height in inches."""
        return self.lines * LINE * self.em + 2 * MARGIN

    def draw(self, figure: Figure) -> None:
        """Draw on a figure; one of another height has lines of another height."""
        size = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
        line = (size[1] - 2 * MARGIN) / self.lines
        if self.title:
            figure.suptitle(self.title, x=MARGIN / size[0], y=1 - MARGIN / size[1], ha="left", va="top")
        top = _count_lines(self.title) * 1.1 + (0.3 if self.title else 0)
        for number, panels in enumerate(self.columns):
            left = MARGIN + number * (size[0] - MARGIN) / len(self.columns)
            place = Place(figure, size, left, top, line, self.em)
            for panel in panels:
                if isinstance(panel, Matrix):
                    _draw_matrix(panel, place)
                else:
                    _draw_forest(panel, place, self.layout)
                place = replace(place, top=place.top + _lines_needed(panel, self.layout))
        if self.key:
            x, y = MARGIN / size[0], MARGIN / size[1]
            figure.text(x, y, self.key, color=REFERENCE_COLOR, va="bottom", linespacing=LINE_HEIGHT)


@dataclass(frozen=True)
class Place:
    """Where a panel stands in a figure: its left edge in inches, its top in lines of a height in inches."""

    figure: Figure
    size: tuple[float, float]
    left: float
    top: float
    line: float
    em: float

    def write(self, x: float, line: float, text: str, **look: object) -> None:
        """Write text from data or not: at x inches from the left edge, in the middle of a line."""
        if text:
            y = self.size[1] - MARGIN - (self.top + line) * self.line - 0.36 * self.em
            self.figure.text((self.left + x) / self.size[0], y / self.size[1], escape_dollars(text), **look)

    def add_axes(self, x: float, width: float, top: float, bottom: float) -> Axes:
        """Add an Axes between two lines."""
        height = (bottom - top) * self.line
        y = self.size[1] - MARGIN - (self.top + bottom) * self.line
        rectangle = (
            (self.left + x) / self.size[0], y / self.size[1], width / self.size[0], height / self.size[1]
        )  # fmt: skip
        return self.figure.add_axes(rectangle)


def _arrange(panels: Sequence[Forest | Matrix], width: float | None, medium: Medium, finding: str) -> Page:
    """Choose one column of panels or two, and the size of the figure."""
    em = medium.text / POINTS
    forests = [panel for panel in panels if isinstance(panel, Forest)]
    layout = _lay_out(forests, width, medium) if forests else None
    own = [layout.width] if layout else []
    own += [_matrix_width(panel, em) for panel in panels if isinstance(panel, Matrix)]
    columns = [list(panels)]
    natural = max(own) + 2 * MARGIN
    two = 2 * natural + GAP * em
    height = sum(_lines_needed(panel, layout) for panel in panels) * LINE * em
    roomy = two <= (TWO_COLUMNS if width is None else width) and (width is not None or medium.name == "screen")
    if len(forests) == len(panels) > 1 and roomy and height > HIGH and panels[0].zero != "equal":
        half = math.ceil(len(panels) / 2)
        columns, natural = [list(panels[:half]), list(panels[half:])], two
    if width is None:
        width = max(natural, medium.widest) if medium.name == "paper" else natural
    title = wrap_to(finding, width - 2 * MARGIN) if medium.titled else ""
    parts = sorted(dict.fromkeys(part for panel in forests for part in panel.key), key=RUNS_KEY.__eq__)
    key = wrap_to("; ".join(parts) + ".", width - 2 * MARGIN) if parts else ""
    lines = max(sum(_lines_needed(panel, layout) for panel in column) for column in columns)
    lines += _count_lines(title) * 1.1 + (0.3 if title else 0) + _count_lines(key)
    return Page(columns, layout, width, lines, title, key, em)


def _count_lines(text: str) -> int:
    return len(text.splitlines())


def _lines_needed(panel: Forest | Matrix, layout: Layout | None) -> float:
    if isinstance(panel, Matrix):
        return _matrix_lines(panel)
    return _heading_lines(panel, layout) + _row_places(panel, layout)[1] + TICKS + PANEL_GAP


def _heading_lines(panel: Forest, layout: Layout) -> int:
    """Return 2 where heading and direction do not fit above the axis side by side."""
    if not layout.own_lines:
        return 1
    return 1 if text_width(f"{panel.heading}  {panel.better}") * 1.08 <= layout.axis else 2


def _row_places(panel: Forest, layout: Layout) -> tuple[list[tuple[float, list[float]]], float]:
    """Return for each row the height of its name and those of its bars, in lines, and the height of all rows."""
    places, top = [], 0.0
    for row in panel.rows:
        n_bars = max(1, len(row.lines)) if row.marked or not layout.own_lines else 0
        n_lines = n_bars + layout.own_lines
        first = top + 0.5 + layout.own_lines
        places.append((top + 0.5, [first + number for number in range(n_bars)]))
        top += n_lines + (ROW_GAP if n_lines > 1 else 0)
    return places, top


# ---- drawing


def _draw_forest(panel: Forest, place: Place, layout: Layout) -> None:
    """Draw one panel: texts in their columns, marks on the axis."""
    places, height = _row_places(panel, layout)
    edges, start = layout.right_edges(), _heading_lines(panel, layout)
    _draw_headings(panel, place, layout, edges, start)
    for row, (name_line, bars) in zip(panel.rows, places, strict=True):
        name = _fitting(row.name, layout)
        place.write(0, start + name_line, name)
        if layout.own_lines:
            place.write(text_width(name) + GAP * layout.em, start + name_line, row.score)
        else:
            place.write(layout.name + GAP * layout.em + layout.score, start + name_line, row.score, ha="right")
        note_line = start + (name_line if layout.own_lines else bars[0])
        place.write(layout.axis_left + layout.axis + GAP * layout.em, note_line, row.note, color=REFERENCE_COLOR)
        for line, bar in zip(row.lines, bars, strict=False):
            _write_line(line, start + bar, place, edges, layout)
    ax = place.add_axes(layout.axis_left, layout.axis, start, start + height)
    ax.set_ylim(height, 0)
    if panel.zero is not None:
        spans = [(0.0, height)] if not layout.own_lines else [(y - 0.5, y + 0.5) for _, bars in places for y in bars]
        ax.vlines([0] * len(spans), *zip(*spans, strict=True), color="0.6", linewidth=0.8, zorder=0)
    panel.mark(ax, [bars for _, bars in places])
    ax.spines[["left", "top", "right"]].set_visible(False)
    ax.set_yticks([])
    _set_ticks(ax, panel, layout)


def _draw_headings(panel: Forest, place: Place, layout: Layout, edges: Mapping[str, float], start: int) -> None:
    """Write the metric above its scores, the direction above the axis, and the headings of the columns."""
    middle, right = start - 0.5, layout.axis_left + layout.axis
    if layout.own_lines:
        place.write(0, 0.5, panel.heading, weight="bold")
        place.write(right, middle, panel.better, ha="right", color=REFERENCE_COLOR)
    else:
        width = text_width(panel.heading) * 1.1
        end = layout.axis_left - GAP * layout.em
        look = {"ha": "right"} if width < end and panel.rows[0].score else {"ha": "left"}
        place.write(end if look["ha"] == "right" else 0, middle, panel.heading, weight="bold", **look)
        left = panel.better.startswith("\N{LEFTWARDS ARROW}")
        x = max(layout.axis_left, width + GAP * layout.em if look["ha"] == "left" else 0) if left else right
        place.write(x, middle, panel.better, ha="left" if left else "right", color=REFERENCE_COLOR)
    _write_line(panel.columns, middle, place, edges, layout)


def _write_line(line: Line, height: float, place: Place, edges: Mapping[str, float], layout: Layout) -> None:
    """Write the numbers of one line, each column to the right."""
    for field, edge in edges.items():
        if not layout.text[field]:
            continue
        if field == "whose":
            place.write(edge - layout.text[field], height, line.whose, color=REFERENCE_COLOR)
        else:
            place.write(edge, height, getattr(line, field), ha="right")


def _fitting(name: str, layout: Layout) -> str:
    """Shorten a name that is longer than its column."""
    shown = _shown(name)
    for length in range(len(shown), 5, -1):
        if text_width(shown) <= layout.name * 1.001:
            break
        shown = shorten([name], length)[name]
    return shown


def _set_ticks(ax: Axes, panel: Forest, layout: Layout) -> None:
    """Label the axis: differences with their sign, and at 0 the baseline's name where it has room."""
    ax.margins(x=0.05)
    ax.autoscale_view(scaley=False)
    low, high = ax.get_xlim()
    ticks = MaxNLocator(max(2, int(layout.axis / (3.5 * layout.em))), steps=[1, 2, 5, 10]).tick_values(low, high)
    step = ticks[1] - ticks[0]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks = [tick for tick in ticks if low <= tick <= high]
    write = fixed if panel.zero is None else signed
    labels = [with_minus(write(tick, digits)) for tick in ticks]
    at_zero = [number for number, tick in enumerate(ticks) if abs(tick) < step / 1000]
    if panel.zero is not None and at_zero:
        zero = escape_dollars(_shown(panel.zero))
        neighbours = max((text_width(label) for label in labels), default=0)
        spacing = step / (high - low) * layout.axis
        place = -low / (high - low) * layout.axis
        # The nearest labels keep away by leaving: the name of the line matters more.
        half = text_width(zero) / 2
        near = (half + neighbours / 2 + 0.4 * layout.em) / spacing
        kept = [number == at_zero[0] or abs(number - at_zero[0]) > near for number in range(len(ticks))]
        labels[at_zero[0]] = zero
        ticks = [tick for tick, keep in zip(ticks, kept, strict=True) if keep]
        labels = [label for label, keep in zip(labels, kept, strict=True) if keep]
    ax.set_xticks(ticks, labels)


def _matrix_layout(panel: Matrix, em: float) -> tuple[float, float]:
    """Return the widths of the names and of a cell, in inches."""
    digits = decimals_of(panel.metric) - 1
    cells = [cell_text(pair.difference, pair.verdict, digits) for pair in panel.metric.comparisons]
    names = label_systems(names_of(panel.metric))
    return max(map(text_width, names.values())), max(1.1 * max(map(text_width, cells)) + 0.4 * em, 1.5 * em)


def _matrix_width(panel: Matrix, em: float) -> float:
    names, cell = _matrix_layout(panel, em)
    return max(names + 0.6 * em + (len(panel.metric.systems) - 1) * cell, 24 * em)


def _matrix_key(panel: Matrix, width: float) -> str:
    """Say what a cell is, and what its colours and marks mean."""
    pairs = panel.metric.comparisons
    said = "Score of the column's system minus that of the row's. Blue: difference shown on these outputs (the darker, "
    said += "the larger); white: not shown"
    said += "; ?: undecided" if any(pair.verdict == "undecided" for pair in pairs) else ""
    said += "; bold: shown for the method, too" if any(pair.method_verdict is not None for pair in pairs) else ""
    return wrap_to(f"{said}.", width)


def _matrix_lines(panel: Matrix) -> float:
    em = current_medium().text / POINTS
    names, _ = _matrix_layout(panel, em)
    key = _count_lines(_matrix_key(panel, _matrix_width(panel, em)))
    return 1.2 + 1.2 * (len(panel.metric.systems) - 1) + (names / em + 0.6) / LINE + key + 2 * PANEL_GAP


def _draw_matrix(panel: Matrix, place: Place) -> None:
    """Draw the matrix of all pairs, its metric above it and what its colours mean below it."""
    names, cell = _matrix_layout(panel, place.em)
    n_cells = len(panel.metric.systems) - 1
    left = names + 0.6 * place.em
    place.write(0, 0.5, ", ".join(part for part in (panel.heading, _phrase(panel.metric)) if part), weight="bold")
    bottom = 1.2 + 1.2 * n_cells
    ax = place.add_axes(left, min(n_cells * cell, place.size[0] - left - 2 * MARGIN), 1.2, bottom)
    plot_pairwise(panel.metric, ax)
    key = _matrix_key(panel, _matrix_width(panel, place.em))
    below = bottom + (names / place.em + 0.6) / LINE + 0.5 + PANEL_GAP
    for number, line in enumerate(key.splitlines()):
        place.write(0, below + number, line.replace(r"\$", "$"), color=REFERENCE_COLOR)


def _phrase(metric: MetricComparison) -> str:
    from mtworkbench.metrics.directions import say_direction

    return say_direction(metric)
