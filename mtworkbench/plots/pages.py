"""A whole comparison on one figure: a forest plot or a matrix of all pairs per metric, the finding above them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from mtworkbench.errors import InputError
from mtworkbench.inference import Comparison, MetricComparison
from mtworkbench.metrics.directions import describe_direction
from mtworkbench.plots.comparisons import cell_text, is_in_margin, plot_pairwise
from mtworkbench.plots.forest import BOLD, MARGIN, PANEL_GAP, Forest, Place, PlacedForest, lay_out
from mtworkbench.plots.panels import (
    ON_PARTS,
    RUNS,
    heading_of,
    make_differences_panel,
    make_panel_of_sets,
    make_scores_panel,
)
from mtworkbench.plots.style import (
    LINE_HEIGHT,
    POINTS,
    REFERENCE_COLOR,
    Medium,
    current_medium,
    drawn_for,
    house_style,
    settle,
    text_width,
    wrap_to,
)
from mtworkbench.plots.systems import Looks, Styles
from mtworkbench.plots.words import describe
from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric, CampaignTestSet
from mtworkbench.results.comparisons import AnyComparison, AnyMetric
from mtworkbench.wording import begin
from mtworkbench.words.cells import decimals_of
from mtworkbench.words.concerns import say_briefly
from mtworkbench.words.headlines import title_result
from mtworkbench.words.metric_names import label_result, label_results
from mtworkbench.words.scopes import scope_of
from mtworkbench.words.sentences_on_equivalence import WITHIN, margins_of, say_test

# Up to this many systems, all pairs are readable as rows; more make a matrix.
MAX_ROWS_OF_PAIRS = 4
# Height of a line and of a cell of the matrix, in units of the text's size, and of what follows the title, in lines.
LINE, CELL, AFTER_TITLE = 1.25, 1.6, 0.4
# Lines of text leave so much of their width free: where pixels are few, letters are set wider than they are.
SLACK = 0.93
# In text smaller than so many points, letters are set wider still.
SMALL_TEXT, SLACK_OF_SMALL = 7.0, 0.9
# No text is made smaller than this for a page, in points; between two columns of panels, and the least width of one, in
# units of the text's size.
MIN_TEXT, COLUMN_GAP, MIN_HALF = 5.0, 2.0, 22.0
# Lines that a panel with several axes has above and below its rows, and most lines below a paper's figure.
AROUND_ROWS, MOST_BELOW = 7, 4
# Width of a small matrix, for the text above it.
READABLE = 28


def draw_comparison(
    comparison: Comparison | MetricComparison | CampaignComparison,
    figure: Figure | None = None,
    *,
    width: float | None = None,
    styles: Styles | None = None,
) -> Figure:
    """Draw what `compare` or `compare_test_sets` found as forest plots, one panel per metric, the best system first.

    With one baseline, a panel has a row per system: its name, its difference from the baseline with the interval on an
    axis, and at the right the numbers that the verdict rests on: the difference with the 95 % CI, or with p where the
    CI need not agree with it. All pairs: up to four systems their scores above and the pairs below, more systems the
    matrix of all pairs; that of many systems needs both columns of a paper (``figure*``). Where systems have several
    runs, small ticks are the runs; the thick bar and the numbers are the interval for the method (new training or
    tuning runs), the thin bar the one for these runs. A filled mark is a difference that is shown (for the method,
    where that was tested), an open one is not shown. A band shows the margin of `compare`, where one was given; ≈ marks
    differences that are shown to be smaller.

    The interval of the median row reaches so far from 0; a difference more than three times as far is an arrow at the
    end of the axis, with its number, and the axis has the range of the other rows. The axes have most of the width;
    long names are broken into lines. On screen and slide, the finding is the title. In a paper, at most about four
    lines stand below the figure: what more there is to say is in the alternative text, and belongs into the caption.

    Of several test sets, one pair has a row per set: its difference there and the interval. Below stand the mean
    difference on these sets (a diamond), the interval for new test sets like these (a thick bar), and where one new
    test set is expected (a pale bar). A few pairs stand next to each other; of more, each pair has one row, with a
    small tick for each test set; of very many pairs without a baseline, those with the best system are drawn. An
    arrowhead means that an interval goes on.

    Parameters
    ----------
    comparison : Comparison, MetricComparison or CampaignComparison
        All metrics on one test set or several, or one of ``compare(...).metrics``.
    figure : matplotlib Figure, optional
        An empty one; by default a new one of pyplot's, as large as it needs to be, in the style that is active (see
        `style`).
    width : float, optional
        Of a new figure, in inches; by default what the medium has room for.
    styles : mapping of str to dict, optional
        Colour and marker of each system, such as ``mtworkbench.plots.styles_of`` gives; by default all have one colour.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    InputError
        For anything else than a comparison (code ``no-comparison``).
    """
    make_panels: Callable[[float | None], Sequence[Panel]]
    metrics: Any = _metrics_of(comparison)
    if isinstance(comparison, CampaignComparison):
        make_panels = partial(_make_panels_of_sets, comparison.test_sets, metrics, styles or {})
    else:
        make_panels = partial(_make_panels, metrics, styles or {})
    said = _Said(title_result(metrics), say_briefly(comparison), len(comparison.concerns.before))
    with house_style():
        return draw_panels(make_panels, said, figure, width)


#: The same: what `compare_test_sets` found has had a function of its own.
draw_campaign = draw_comparison


def draw_panels(
    make_panels: Callable[[float | None], Sequence[Panel]], said: _Said, figure: Figure | None, width: float | None
) -> Figure:
    """Draw panels in the style that is active; in smaller text where a new figure would not fit the medium's page.

    Parameters
    ----------
    make_panels : callable
        Makes them for the medium that is current, and for the width of the figure if that is given.
    said : _Said
    figure, width
        Of `draw_comparison`.
    """
    medium = current_medium()
    given = width if figure is None else figure.bbox.width / figure.dpi
    page = _arrange(make_panels(given), given, medium, said)
    scale = min(medium.page[0] / page.width, medium.page[1] / page.height)
    if given is None and scale < 1 and medium.text > 1.01 * MIN_TEXT:
        # Step by step: in smaller text, two columns may have room.
        with drawn_for(medium.shrunk(max(0.99 * scale, 0.9, MIN_TEXT / medium.text))):
            return draw_panels(make_panels, said, figure, width)
    if figure is None:
        figure = plt.figure(figsize=(page.width, page.height), layout="none")
    elif isinstance(figure, Figure):
        figure.set_layout_engine("none")  # everything has its place
    page.draw(figure)
    describe(figure, said.finding, said.notes)
    settle(figure)
    return figure


def spans_of_differences(metric: MetricComparison, width: float | None = None) -> list[tuple[float, float, float]]:
    """Return where the row of each difference from one system stands, the best system first.

    Parameters
    ----------
    metric : MetricComparison
        Drawn alone by `draw_comparison`, in the style that is active.
    width : float, optional
        Of the figure, in inches, as it was given to `draw_comparison`.

    Returns
    -------
    list of (float, float, float)
        Top, middle and bottom, as heights in the data of the figure's Axes.
    """
    baseline, medium = metric.compared_with, current_medium()
    if baseline is None:
        return []
    panel = make_differences_panel(metric.name, metric, {}, metric.comparisons_from_best, baseline)
    [placed] = lay_out([panel], medium.width if width is None else width, medium)
    systems = [one.system for one in metric.systems_from_best]
    return [span for system, span in zip(systems, placed.rows(), strict=True) if system != baseline]


def _metrics_of(comparison: AnyComparison | MetricComparison) -> Mapping[str, AnyMetric]:
    if isinstance(comparison, (Comparison, CampaignComparison)):
        return label_results(comparison).metrics
    if isinstance(comparison, MetricComparison):
        return {label_result(comparison).name: label_result(comparison)}
    raise InputError(
        "no-comparison",
        "A figure shows what compare(...) or compare_test_sets(...) returns, or one of the metrics of compare(...), "
        f"but an object of type {type(comparison).__name__} was given.",
    )


@dataclass(frozen=True)
class Matrix:
    """All pairs of many systems under one metric."""

    name: str
    metric: MetricComparison
    em: float

    @cached_property
    def cell(self) -> float:
        """Width of a cell, in inches."""
        digits = decimals_of(self.metric) - 1
        texts = [cell_text(pair, digits) for pair in self.metric.comparisons_from_best]
        return BOLD * max(map(text_width, texts)) + 0.8 * self.em

    @property
    def cells(self) -> float:
        """Width of all cells, in inches."""
        return (len(self.metric.systems) - 1) * self.cell

    @property
    def width(self) -> float:
        """Width in inches: each system's name begins where its row ends."""
        names = enumerate(text_width(one.system) for one in self.metric.systems_from_best)
        return max(READABLE * self.em, *(place * self.cell + name + self.em for place, name in names))

    @property
    def rows(self) -> float:
        """Height of all cells, in lines."""
        return len(self.metric.systems) * CELL / LINE

    def _margin_key(self) -> str:
        """Say what the mark of a difference within the margin stands for."""
        [margin] = margins_of([self.metric])
        tested = [pair.method_verdict is not None for pair in self.metric.comparisons]
        test = say_test(self.metric, of_method=any(tested))
        where = "" if not any(tested) else " for the method" if all(tested) else " for the method, where it was tested"
        return f"{WITHIN}: shown to be equal within {margin}{where} ({test})"

    def lines_in(self, width: float) -> float:
        """Return the height in a figure of a width, in lines."""
        return 1 + self.rows + PANEL_GAP

    @property
    def key(self) -> tuple[str, ...]:
        """Say what a cell is, and what its colours and marks mean."""
        pairs = self.metric.comparisons
        verdicts = {pair.verdict for pair in pairs}
        marks = ["each number: the score of the system above it minus that of the system to the right of it"]
        marks += [f"blue: difference shown {scope_of(self.metric).on}"] if "significant" in verdicts else []
        marks += ["no colour: not shown"]
        marks += ["?: undecided"] if "undecided" in verdicts else []
        marks += ["bold: shown for the method, too"] if any(pair.method_verdict for pair in pairs) else []
        marks += [self._margin_key()] if any(map(is_in_margin, pairs)) else []
        return (*marks, *([ON_PARTS] if self.metric.rests_on_parts else []))

    def draw(self, place: Place, width: float) -> None:
        """Draw the cells and the metric above them; smaller where it must be."""
        heading = [heading_of(self.name, self.metric), describe_direction(self.metric)]
        place.write(0, 0.5, ", ".join(part for part in heading if part), weight="bold")
        bottom, scale = 1 + self.rows, min(1, (width - 2 * MARGIN) / self.width)
        ax = plot_pairwise(self.metric, place.add_axes(0, scale * self.cells, 1, bottom))
        for text in ax.texts if scale < 1 else ():
            text.set_fontsize(scale * float(text.get_fontsize()))


#: What a figure has above one another, before it has its place.
Panel: TypeAlias = Forest | Matrix
Placed: TypeAlias = PlacedForest | Matrix


def _make_panels_of_sets(
    sets: Sequence[CampaignTestSet], metrics: Mapping[str, CampaignMetric], styles: Looks, width: float | None
) -> list[Forest]:
    """Make a panel per metric; where grids would not fit the medium's page in the smallest text, rows of pairs."""
    panels = [make_panel_of_sets(sets, name, metric, styles, width) for name, metric in metrics.items()]
    lines = sum(len(panel.rows) + AROUND_ROWS for panel in panels if len(panel.tracks) > 1)
    if width is not None or lines * LINE * MIN_TEXT / POINTS <= current_medium().page[1]:
        return panels
    return [make_panel_of_sets(sets, name, metric, styles, width, grid=False) for name, metric in metrics.items()]


def _make_panels(metrics: Mapping[str, MetricComparison], styles: Looks, width: float | None) -> list[Panel]:
    """Make the panels of a comparison on one test set, of whatever width: one or two per metric."""
    panels: list[Panel] = []
    for name, metric in metrics.items():
        baseline, pairs = metric.compared_with, metric.comparisons_from_best
        if pairs and baseline is None and len(metric.systems) > MAX_ROWS_OF_PAIRS:
            panels.append(Matrix(name, metric, current_medium().text / POINTS))
            continue
        if baseline is None or not pairs:
            panels.append(make_scores_panel(name, metric, styles))
        if pairs:
            panels.append(make_differences_panel(name, metric, styles, pairs, baseline))
    return panels


@dataclass(frozen=True)
class _Said:
    """What is said around the panels: the finding, which is the title on screen and slide, and notes below the key.

    The first ``n_grave`` of these are written however long they are.
    """

    finding: str
    notes: Sequence[str]
    n_grave: int


@dataclass(frozen=True)
class Page:
    """A figure before it is drawn: columns of panels from the top down, the title above, a key and notes below."""

    columns: Sequence[Sequence[Placed]]
    width: float
    title: str
    key: str
    em: float

    @property
    def top(self) -> float:
        """Height of the title, in lines."""
        return _count_lines(self.title) + AFTER_TITLE if self.title else 0.0

    @property
    def lines(self) -> float:
        """Height of everything, in lines."""
        return self.top + max(map(self.height_of_column, self.columns)) + _count_lines(self.key)

    @property
    def height(self) -> float:
        """Height of everything, in inches."""
        return self.lines * LINE * self.em + 2 * MARGIN

    def height_of_column(self, panels: Sequence[Placed]) -> float:
        """Return the height of panels that stand below each other, in lines."""
        return sum(panel.lines_in(self.width) for panel in panels)

    def split(self) -> Sequence[Sequence[Placed]]:
        """Return the panels of one column in two of about the same height."""
        (panels,) = self.columns
        splits = [(panels[:place], panels[place:]) for place in range(1, len(panels))]
        return min(splits, key=lambda columns: max(map(self.height_of_column, columns)))

    def draw(self, figure: Figure) -> None:
        """Draw on a figure; in one of another height, lines have another height."""
        size = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
        line = (size[1] - 2 * MARGIN) / self.lines
        x, y = MARGIN / size[0], MARGIN / size[1]
        if self.title:
            figure.suptitle(self.title, x=x, y=1 - y, ha="left", va="top")
        for number, panels in enumerate(self.columns):
            left = MARGIN + number * (panels[0].width + COLUMN_GAP * self.em)
            place = Place(figure, size, left, self.top, line, self.em)
            for panel in panels:
                panel.draw(place, self.width)
                place = replace(place, top=place.top + panel.lines_in(self.width))
        if self.key:
            figure.text(x, y, self.key, color=REFERENCE_COLOR, va="bottom", linespacing=LINE_HEIGHT)


def _arrange(panels: Sequence[Panel], width: float | None, medium: Medium, said: _Said) -> Page:
    """Choose the size of the figure: panels that are too high for a page stand in two columns where these have room."""
    forests = [panel for panel in panels if isinstance(panel, Forest)]
    matrices = [panel.width + 2 * MARGIN for panel in panels if isinstance(panel, Matrix)]
    whole = max(medium.width, *matrices, 0) if width is None else width
    page = _write_page([_place(panels, whole, medium)], whole, medium, said)
    if page.height <= medium.page[1] or width is not None or not 2 <= len(forests) == len(panels):
        return page
    gap = COLUMN_GAP * page.em
    half = (medium.page[0] - gap) / 2
    if half < MIN_HALF * page.em:
        return page
    columns = replace(page, columns=[_place(panels, half, medium)]).split()
    return _write_page(columns, medium.page[0], medium, said)


def _place(panels: Sequence[Panel], width: float, medium: Medium) -> list[Placed]:
    """Lay out panels for a width; those with one axis have their columns in common."""
    alike = [panel for panel in panels if isinstance(panel, Forest) and len(panel.tracks) == 1]
    placed = iter(lay_out(alike, width, medium))
    return [
        panel if isinstance(panel, Matrix) else next(placed) if panel in alike else lay_out([panel], width, medium)[0]
        for panel in panels
    ]


def _write_page(columns: Sequence[Sequence[Placed]], width: float, medium: Medium, said: _Said) -> Page:
    """Break title, key and notes into lines of a page that has a width.

    Notes that would take many lines are left to the alternative text, and so are, in a paper, the last ones of several.
    """
    room = (SLACK if medium.text >= SMALL_TEXT else SLACK_OF_SMALL) * (width - 2 * MARGIN)
    parts = sorted(dict.fromkeys(part for panels in columns for panel in panels for part in panel.key), key=RUNS.__eq__)
    marks = "; ".join(parts)
    key = wrap_to(f"{begin(marks)}.", room) if marks else ""
    grave, rest = said.notes[: said.n_grave], said.notes[said.n_grave :]
    notes = [*grave, *(note for note in rest if _count_lines(wrap_to(note, room)) <= MOST_BELOW)]
    while True:
        text = "\n".join(filter(None, (key, wrap_to(" ".join(notes), room))))
        if medium.titled or len(notes) <= max(1, said.n_grave) or _count_lines(text) <= MOST_BELOW:
            break
        notes.pop()
    return Page(columns, width, wrap_to(said.finding, room) if medium.titled else "", text, medium.text / POINTS)


def _count_lines(text: str) -> int:
    return text.count("\n") + 1 if text else 0
