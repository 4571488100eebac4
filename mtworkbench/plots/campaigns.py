"""A campaign as a forest plot: one row per test set, and below them all test sets together and new ones like them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtworkbench.errors import InputError
from mtworkbench.inference.campaign_results import CampaignComparison, CampaignMetric, CampaignPair, SetEstimate
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.plots.comparisons import (
    DIFFERENCE_MARKER,
    FILLS,
    METHOD_ALPHA,
    METHOD_THICKNESS,
    RUN_COLOR,
    draw_estimate,
    draw_mark,
    with_minus,
)
from mtworkbench.plots.grids import Grid, GridColumn
from mtworkbench.plots.pages import LINE, MIN_TEXT, draw_panels
from mtworkbench.plots.panels import BELOW, LEFT_ARROW, RIGHT_ARROW, Forest, Line, Row, heading_of
from mtworkbench.plots.style import POINTS, current_medium, house_style
from mtworkbench.plots.systems import NAME_LENGTH, Styles, styles_of
from mtworkbench.tables.cells import (
    T_DIGITS,
    decimals_of,
    in_percent,
    interval_of,
    name_of_p,
    p_digits,
    say_p,
    show_p,
    signed,
)
from mtworkbench.tables.findings import write_finding
from mtworkbench.tables.frames import printable, shorten
from mtworkbench.tables.metric_names import label_results
from mtworkbench.tables.scopes import NEW, SAME

# Of more pairs than this without a baseline, only those with the best system are drawn.
MOST_PAIRS = 10
# An interval for new test sets may reach so far beyond those on single sets, as a share of their width; then it is cut.
BEYOND = 0.6
THESE_SETS, NEW_SETS, ONE_NEW_SET = "these sets", "new sets", "one new set"
TICKS_OF_SETS = "small ticks: single test sets"
# Two names that have too little room are shortened to so many letters each.
SHORTER = (24, 16, 10)
# Where one new set is expected is paler than the mean over new sets.
PALE = 0.22


def draw_campaign(
    comparison: CampaignComparison,
    figure: Figure | None = None,
    *,
    width: float | None = None,
    styles: Styles | None = None,
) -> Figure:
    """Draw what `compare_test_sets` found as a forest plot: a row per test set, and below them all sets together.

    A row has the difference on one test set and its interval. The mark is filled if that set shows a difference. Below
    the sets stand the mean difference on these test sets (a diamond), the interval for new test sets like these (a
    thick bar), and where one new test set is expected (a pale bar). A few pairs of systems stand next to each other; of
    more, each pair has one row, with a small tick for each test set; of very many pairs without a baseline, those with
    the best system are drawn. An arrowhead means that an interval goes on. On screen and slide, the finding is the
    title.

    Parameters
    ----------
    comparison : CampaignComparison
    figure : matplotlib Figure, optional
        An empty one; by default a new one of pyplot's, as large as it needs to be, in the style that is active (see
        `style`).
    width : float, optional
        Of a new figure, in inches; by default what the medium has room for.
    styles : mapping of str to dict, optional
        Colour and marker of each system; by default those of `styles_of`, whatever the order.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    InputError
        For anything but a campaign (code ``no-comparison``), and for a campaign with a single system
        (``no-comparisons``).
    """
    if not isinstance(comparison, CampaignComparison):
        raise InputError(
            "no-comparison",
            "draw_campaign shows what compare_test_sets(...) returns, but an object of type "
            f"{type(comparison).__name__} was given.",
        )
    metrics = {name: one for name, one in label_results(comparison).metrics.items() if one.comparisons}
    if not metrics:
        raise InputError(
            "no-comparisons", "There is one system, so there are no differences to draw: give two or more."
        )
    if styles is None:
        styles = styles_of(one.system for metric in comparison.metrics.values() for one in metric.systems)
    looks = styles

    def make_panels(given: float | None) -> list[Forest | Grid]:
        panels = [make_panel(comparison, name, metric, looks, given) for name, metric in metrics.items()]
        if given is None and not _fit_page(panels):
            return [make_panel(comparison, name, metric, looks, given, grid=False) for name, metric in metrics.items()]
        return panels

    with house_style():
        return draw_panels(make_panels, write_finding(metrics), figure, width)


def _fit_page(panels: Sequence[Forest | Grid]) -> bool:
    """Tell whether the grids of all metrics fit the medium's page, in the smallest text."""
    lines = sum(panel.lines_in(panel.width) for panel in panels if isinstance(panel, Grid))
    return lines * LINE * MIN_TEXT / POINTS <= current_medium().page[1]


def make_panel(
    comparison: CampaignComparison,
    name: str,
    metric: CampaignMetric,
    styles: Styles,
    width: float | None,
    *,
    grid: bool = True,
) -> Forest | Grid:
    """Make the panel of one metric: one pair set by set, a few pairs next to each other, or a row per pair."""
    pairs = pairs_to_draw(metric)
    if len(pairs) == 1:
        return _one_pair(comparison, name, metric, pairs[0], styles)
    if grid and (panel := _grid(comparison, name, metric, pairs, styles)).fits(width):
        return panel
    return _row_per_pair(name, metric, pairs, styles)


def pairs_to_draw(metric: CampaignMetric) -> list[CampaignPair]:
    """Return the comparisons as they are shown; of very many without a baseline those with the best system."""
    pairs = list(metric.comparisons_from_best)
    if metric.compared_with is not None or len(pairs) <= MOST_PAIRS:
        return pairs
    best = metric.systems_from_best[0].system
    return [pair.turned() if pair.a == best else pair for pair in pairs if best in (pair.a, pair.b)]


def _headings(name: str, metric: CampaignMetric, other: str | None) -> tuple[str, ...]:
    """Return what stands above several pairs, in shorter and shorter forms."""
    if other is None:
        return (f"Differences in {heading_of(name, metric)}",)
    called = [other, *(shorten([other], length)[other] for length in SHORTER)]
    return tuple(f"{heading_of(name, metric)}, difference from {one}" for one in dict.fromkeys(called))


def _ci(metric: CampaignMetric) -> str:
    return f"{in_percent(metric.level)} CI"


def _short_names(metric: CampaignMetric, length: int = NAME_LENGTH) -> dict[str, str]:
    names = [one.system for one in metric.systems]
    return {name: printable(short) for name, short in shorten(names, length).items()}


def _sets_of(comparison: CampaignComparison) -> list[str]:
    """Return the names of the test sets as they are shown."""
    names = [one.name for one in comparison.test_sets]
    return [printable(short) for short in shorten(names, NAME_LENGTH).values()]


# ---- one pair: a row per set, with numbers


def _one_pair(
    comparison: CampaignComparison, name: str, metric: CampaignMetric, pair: CampaignPair, styles: Styles
) -> Forest:
    digits, names = decimals_of(metric), _short_names(metric)
    rows = [
        Row((called,), lines=(_line_of_set(one, digits),))
        for called, one in zip(_sets_of(comparison), pair.sets, strict=True)
    ]
    these = show_p(pair.p_adjusted, p_digits(pair, metric.n_trials))
    new = show_p(pair.new_sets_p_adjusted, T_DIGITS)
    rows += [
        Row((THESE_SETS,), lines=(_line(pair.low, pair.high, digits, these, pair.difference),)),
        Row((NEW_SETS,), lines=(_line(pair.new_sets_low, pair.new_sets_high, digits, new),)),
        Row((ONE_NEW_SET,), lines=(_line(pair.one_new_set_low, pair.one_new_set_high, digits, ""),)),
    ]
    limits = limits_of([pair])

    def mark(ax: Axes, heights: Sequence[Sequence[float]]) -> None:
        places = [lines[0] for lines in heights]
        mark_sets(ax, pair, places[:-3], styles[pair.a])
        mark_all_sets(ax, pair, places[-3:], styles[pair.a], limits)

    called = [(names[pair.a], names[pair.b]), *_shortened(names[pair.a], names[pair.b])]
    headings = [f"{heading_of(name, metric)}: {a} \N{MINUS SIGN} {b}" for a, b in called]
    return Forest(
        headings[0],
        _better(metric),
        Line(segments="segments", difference="diff.", interval=_ci(metric), p="adjusted p"),
        tuple(rows),
        (f"= {names[pair.b]}", "0"),
        tuple(key_of([pair], metric)),
        mark,
        sides=sides_of(names[pair.a], names[pair.b], metric),
        headings=tuple(headings),
        keeps_names=True,
        gap_before=len(pair.sets),
    )


def _line_of_set(one: SetEstimate, digits: int) -> Line:
    line = _line(one.low, one.high, digits, show_p(one.p_adjusted, p_digits(one, one.n_trials)), one.difference)
    return replace(line, segments=f"{one.n_segments:,}")


def _line(low: float | None, high: float | None, digits: int, p: str, difference: float | None = None) -> Line:
    shown = "" if difference is None else with_minus(signed(difference, digits))
    return Line(difference=shown, interval=with_minus(interval_of(low, high, digits)), p=p)


def sides_of(a: str, b: str, metric: CampaignMetric) -> tuple[tuple[str, str], ...]:
    """Return what stands above the left and the right of zero: names as long as there is room, then fewer words."""
    word = "better" if has_direction(metric) else "higher"
    left, right = (b, a) if sign_of(metric) > 0 else (a, b)
    pairs = [(left, right), *_shortened(left, right)]
    return tuple((f"{LEFT_ARROW} {one} {word}", f"{other} {word} {RIGHT_ARROW}") for one, other in pairs)


def _shortened(first: str, second: str) -> list[tuple[str, str]]:
    """Return two names in shorter and shorter forms."""
    shorter = [shorten([first, second], length) for length in SHORTER]
    return list(dict.fromkeys((short[first], short[second]) for short in shorter))


def _better(metric: CampaignMetric) -> str:
    """Say with an arrow which way is better for the system of a row."""
    if not has_direction(metric):
        return ""
    return f"better {RIGHT_ARROW}" if metric.higher_is_better else f"{LEFT_ARROW} better"


# ---- a few pairs next to each other


def _grid(
    comparison: CampaignComparison, name: str, metric: CampaignMetric, pairs: Sequence[CampaignPair], styles: Styles
) -> Grid:
    digits, names, p = decimals_of(metric), _short_names(metric), name_of_p(metric)
    limits = limits_of(pairs)
    one_baseline = metric.compared_with is not None or len({pair.b for pair in pairs}) == 1
    columns = []
    for pair in pairs:

        def mark(ax: Axes, places: Sequence[float], pair: CampaignPair = pair) -> None:
            mark_sets(ax, pair, places[:-3], styles[pair.a])
            mark_all_sets(ax, pair, places[-3:], styles[pair.a], limits)

        numbers = with_minus(signed(pair.difference, digits))
        if pair.new_sets_p_adjusted is not None:
            numbers += f", {say_p(pair.new_sets_p_adjusted, T_DIGITS)}"
        called = (names[pair.a],) if one_baseline else (names[pair.a], f"\N{MINUS SIGN} {names[pair.b]}")
        columns.append(GridColumn(called, numbers, mark, _describe(pair, metric)))
    key = [f"below each name: mean difference, {p} for new test sets", *key_of(pairs, metric)]
    return Grid(
        _headings(name, metric, names[pairs[0].b] if one_baseline else None),
        _better(metric),
        (*_sets_of(comparison), THESE_SETS, NEW_SETS, ONE_NEW_SET),
        (*(f"{one.n_segments:,}" for one in comparison.test_sets), "", "", ""),
        tuple(columns),
        limits,
        len(comparison.test_sets),
        tuple(key),
        current_medium().text / POINTS,
    )


def _describe(pair: CampaignPair, metric: CampaignMetric) -> str:
    """Say the numbers of a pair over all sets, for the figure's alternative text."""
    digits = decimals_of(metric)
    said = f"{pair.a} - {pair.b} {signed(pair.difference, digits)}, new test sets "
    return f"{metric.name}: {said}{interval_of(pair.new_sets_low, pair.new_sets_high, digits)}, {pair.conclusion}"


# ---- one row per pair


def _row_per_pair(name: str, metric: CampaignMetric, pairs: Sequence[CampaignPair], styles: Styles) -> Forest:
    digits, names = decimals_of(metric), _short_names(metric)
    one_baseline = len({pair.b for pair in pairs}) == 1
    rows = []
    for pair in pairs:
        called = (names[pair.a],) if one_baseline else (names[pair.a], f"against {names[pair.b]}")
        if sum(map(len, called)) < NAME_LENGTH:
            called = (" ".join(called),)
        these = show_p(pair.p_adjusted, p_digits(pair, metric.n_trials))
        new = show_p(pair.new_sets_p_adjusted, T_DIGITS)
        first = _line(pair.low, pair.high, digits, these, pair.difference)
        second = _line(pair.new_sets_low, pair.new_sets_high, digits, new)
        lines = (replace(first, whose="these"), replace(second, whose="new"))
        rows.append(Row(called, lines=lines))
    limits = limits_of(pairs)

    def mark(ax: Axes, heights: Sequence[Sequence[float]]) -> None:
        for pair, lines in zip(pairs, heights, strict=True):
            style = styles[pair.a] | {"marker": DIFFERENCE_MARKER}
            draw_estimate(ax, lines[0], pair.low, pair.difference, pair.high, style | FILLS[pair.verdict])
            mark_new_sets(ax, pair, lines[1], styles[pair.a], limits)
            ticks = {"linestyle": "none", "marker": "|", "color": RUN_COLOR, "label": "_sets"}
            differences = [one.difference for one in pair.sets]
            size = 0.45 * current_medium().text
            ax.plot(differences, [lines[1] + BELOW + 0.1] * len(differences), markersize=size, **ticks)

    headings = _headings(name, metric, names[pairs[0].b] if one_baseline else None)
    columns = Line(whose="test sets", difference="diff.", interval=_ci(metric), p=name_of_p(metric))
    cut = _end_of_key(pairs, [(pair.new_sets_low, pair.new_sets_high) for pair in pairs])
    bars = "thin bar: on these test sets", "thick bar: for new test sets like these"
    key = (*bars, TICKS_OF_SETS, *_marks_of(pairs), *cut)
    zero = (f"= {names[pairs[0].b]}", "0") if one_baseline else ("equal", "0")
    return Forest(
        headings[0], _better(metric), columns, tuple(rows), zero, key, mark, headings=headings, keeps_names=True
    )


# ---- marks


def limits_of(pairs: Iterable[CampaignPair]) -> tuple[float, float]:
    """Return where intervals are cut: those for new sets may go beyond those of single sets, but not far."""
    pairs = list(pairs)
    ends = [0.0]
    for pair in pairs:
        for one in (*pair.sets, pair):
            ends += [end for end in (one.low, one.difference, one.high) if end is not None]
    low, high = min(ends), max(ends)
    room = BEYOND * (high - low)
    wide = [
        end
        for pair in pairs
        for end in (pair.new_sets_low, pair.new_sets_high, pair.one_new_set_low, pair.one_new_set_high)
        if end is not None
    ]
    return max(min(low, *wide, low), low - room), min(max(high, *wide, high), high + room)


def mark_sets(ax: Axes, pair: CampaignPair, rows: Sequence[float], style: dict[str, str]) -> None:
    """Draw the difference on each test set and its interval; the mark is filled if that set shows a difference."""
    for row, one in zip(rows, pair.sets, strict=True):
        look = style | {"marker": DIFFERENCE_MARKER} | FILLS[one.verdict]
        draw_estimate(ax, row, one.low, one.difference, one.high, look)


def mark_all_sets(
    ax: Axes, pair: CampaignPair, rows: Sequence[float], style: dict[str, str], limits: tuple[float, float]
) -> None:
    """Draw the mean difference on these sets, the interval for new ones, and where one new set is expected."""
    these, new, one = rows
    color = style["color"]
    if pair.low is not None and pair.high is not None:
        fill = color if pair.verdict == "significant" else "white"
        corners = [pair.low, pair.difference, pair.high, pair.difference]
        heights = [these, these - 0.32, these, these + 0.32]
        # A diamond that is narrower than its outline would not be seen.
        ax.fill(corners, heights, fc=fill, ec=color, lw=current_medium().line, zorder=2)
        if pair.verdict == "undecided":
            ax.fill([corners[0], *corners[1::2]], [heights[0], *heights[1::2]], fc=color, lw=0, zorder=2)
    mark_new_sets(ax, pair, new, style, limits)
    _mark_bar(ax, one, pair.one_new_set_low, pair.one_new_set_high, color, PALE, limits)


def mark_new_sets(
    ax: Axes,
    pair: CampaignPair,
    row: float,
    style: dict[str, str],
    limits: tuple[float, float],
) -> None:
    """Draw the interval for new test sets, its mark filled where the difference is shown for them."""
    _mark_bar(ax, row, pair.new_sets_low, pair.new_sets_high, style["color"], METHOD_ALPHA, limits)
    fill = FILLS["significant" if pair.conclusion == NEW else "not significant"]
    draw_mark(ax, row, pair.difference, style | {"marker": DIFFERENCE_MARKER} | fill)


def _mark_bar(
    ax: Axes,
    row: float,
    low: float | None,
    high: float | None,
    color: str,
    alpha: float,
    limits: tuple[float, float],
) -> None:
    """Draw a thick bar; what goes on beyond the limits ends in an arrowhead there."""
    if low is None or high is None:
        return
    medium = current_medium()
    shown = max(low, limits[0]), min(high, limits[1])
    look = {"color": color, "alpha": alpha, "zorder": 1.8}
    ax.plot(shown, [row] * 2, linewidth=METHOD_THICKNESS * medium.line, solid_capstyle="butt", **look)
    for end, inside, marker in ((low, shown[0], "<"), (high, shown[1], ">")):
        if end != inside:
            size = METHOD_THICKNESS * medium.line
            ax.plot(
                [inside], [row], marker=marker, markersize=size, color=color, linestyle="none", label="_cut", zorder=2.6
            )


def _marks_of(pairs: Sequence[CampaignPair]) -> Iterable[str]:
    shown = any(one.verdict == "significant" for pair in pairs for one in (pair, *pair.sets))
    undecided = any(one.verdict == "undecided" for pair in pairs for one in (pair, *pair.sets))
    if shown:
        yield "\N{BLACK CIRCLE} filled: difference shown"
    if undecided:
        yield "\N{CIRCLE WITH LEFT HALF BLACK} half filled: undecided"
    yield "\N{WHITE CIRCLE} open: not shown"


def key_of(pairs: Sequence[CampaignPair], metric: CampaignMetric) -> Iterable[str]:
    """Say what the marks mean: those that occur, and always what an open one means."""
    if all(pair.conclusion in SAME for pair in pairs):
        return
    yield from _marks_of(pairs)
    yield "diamond: mean over these test sets"
    yield "thick bar: mean over new test sets like these"
    yield from _end_of_key(pairs, [(pair.one_new_set_low, pair.one_new_set_high) for pair in pairs])


def _end_of_key(pairs: Sequence[CampaignPair], ends: Iterable[tuple[float | None, float | None]]) -> Iterable[str]:
    """Say what an arrowhead means where one of these intervals is cut, and that intervals are not adjusted."""
    low, high = limits_of(pairs)
    if any(one is not None and other is not None and (one < low or other > high) for one, other in ends):
        yield "arrowhead: the interval goes on"
    yield "CIs are not adjusted"
