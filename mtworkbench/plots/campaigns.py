"""What a figure shows of several test sets: of one pair or a few pairs the sets one by one, then new sets like them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from matplotlib.axes import Axes

from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.plots.comparisons import (
    DIFFERENCE_MARKER,
    FILLS,
    Limits,
    draw_estimate,
    mark_bar,
    mark_second,
    with_minus,
)
from mtworkbench.plots.grids import Grid, GridColumn
from mtworkbench.plots.panels import (
    LEFT_ARROW,
    RIGHT_ARROW,
    SHORTER,
    Forest,
    Line,
    Row,
    better_way,
    ci_of,
    end_of_key,
    heading_of,
    headings_of_pairs,
    key_of_fills,
    limits_of,
    make_pairs_panel,
    make_scores_panel,
    numbers_of,
    numbers_of_pair,
    other_of,
    short_names,
)
from mtworkbench.plots.style import POINTS, current_medium
from mtworkbench.plots.systems import NAME_LENGTH, Look, Looks
from mtworkbench.results.campaigns import CampaignMetric, CampaignPair, CampaignTestSet
from mtworkbench.words.cells import T_DIGITS, decimals_of, interval_of, name_of_p, name_p, show_p, signed
from mtworkbench.words.frames import printable, shorten
from mtworkbench.words.scopes import SAME

# Of more pairs than this without a baseline, only those with the best system are drawn.
MOST_PAIRS = 10
THESE_SETS, NEW_SETS, ONE_NEW_SET = "these sets", "new sets", "one new set"
# Where one new set is expected is paler than the mean over new sets.
PALE = 0.22


def make_panel_of_sets(
    sets: Sequence[CampaignTestSet],
    name: str,
    metric: CampaignMetric,
    styles: Looks,
    width: float | None,
    *,
    grid: bool = True,
) -> Forest | Grid:
    """Make the panel of one metric: one pair set by set, a few pairs next to each other, or a row per pair."""
    if not metric.comparisons:
        return make_scores_panel(name, metric, styles)
    pairs = pairs_to_draw(metric)
    if len(pairs) == 1:
        return _one_pair(sets, name, metric, pairs[0], styles)
    if grid and (panel := _grid(sets, name, metric, pairs, styles)).fits(width):
        return panel
    return make_pairs_panel(name, metric, styles, pairs)


def pairs_to_draw(metric: CampaignMetric) -> list[CampaignPair]:
    """Return the comparisons as they are shown; of very many without a baseline those with the best system."""
    pairs = list(metric.comparisons_from_best)
    if metric.compared_with is not None or len(pairs) <= MOST_PAIRS:
        return pairs
    best = metric.systems_from_best[0].system
    return [pair.turned() if pair.a == best else pair for pair in pairs if best in (pair.a, pair.b)]


def _name_rows(sets: Sequence[CampaignTestSet]) -> tuple[str, ...]:
    """Name the rows: the test sets, then what they say together."""
    short = shorten([one.name for one in sets], NAME_LENGTH)
    return (*map(printable, short.values()), THESE_SETS, NEW_SETS, ONE_NEW_SET)


def _one_pair(
    sets: Sequence[CampaignTestSet], name: str, metric: CampaignMetric, pair: CampaignPair, styles: Looks
) -> Forest:
    digits, names = decimals_of(metric), short_names(metric)
    lines = [replace(numbers_of_pair(one, metric), segments=f"{one.n_segments:,}") for one in pair.sets]
    new = show_p(pair.new_sets_p_adjusted, T_DIGITS)
    lines += [
        numbers_of_pair(pair, metric),
        numbers_of(pair.new_sets_low, pair.new_sets_high, digits, new),
        numbers_of(pair.one_new_set_low, pair.one_new_set_high, digits),
    ]
    rows = [Row((called,), lines=(line,)) for called, line in zip(_name_rows(sets), lines, strict=True)]
    limits = limits_of([pair])

    def mark(ax: Axes, heights: Sequence[Sequence[float]]) -> None:
        places = [lines[0] for lines in heights]
        mark_sets(ax, pair, places[:-3], styles[pair.a])
        mark_all_sets(ax, pair, places[-3:], styles[pair.a], limits)

    called = [(names[pair.a], names[pair.b]), *_shortened(names[pair.a], names[pair.b])]
    headings = [f"{heading_of(name, metric)}: {a} \N{MINUS SIGN} {b}" for a, b in called]
    return Forest(
        tuple(headings),
        better_way(metric),
        Line(segments="segments", difference="diff.", interval=ci_of(metric), p="adjusted p"),
        tuple(rows),
        (f"= {names[pair.b]}", "0"),
        tuple(key_of([pair], metric)),
        mark,
        sides=sides_of(names[pair.a], names[pair.b], metric),
        keeps_names=True,
        gap_before=len(pair.sets),
    )


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


def _grid(
    sets: Sequence[CampaignTestSet], name: str, metric: CampaignMetric, pairs: Sequence[CampaignPair], styles: Looks
) -> Grid:
    digits, names, other = decimals_of(metric), short_names(metric), other_of(pairs)
    p = name_of_p(metric, of_method=True)
    limits = limits_of(pairs)
    columns = []
    for pair in pairs:

        def mark(ax: Axes, places: Sequence[float], pair: CampaignPair = pair) -> None:
            mark_sets(ax, pair, places[:-3], styles[pair.a])
            mark_all_sets(ax, pair, places[-3:], styles[pair.a], limits)

        numbers = with_minus(signed(pair.difference, digits))
        if pair.new_sets_p_adjusted is not None:
            numbers += f", {name_p(pair.new_sets_p_adjusted, T_DIGITS)}"
        called = (names[pair.a],) if other is not None else (names[pair.a], f"\N{MINUS SIGN} {names[pair.b]}")
        columns.append(GridColumn(called, numbers, mark, _describe(pair, metric)))
    key = [f"below each name: mean difference, {p} for new test sets", *key_of(pairs, metric)]
    return Grid(
        headings_of_pairs(name, metric, other),
        better_way(metric),
        _name_rows(sets),
        (*(f"{one.n_segments:,}" for one in sets), "", "", ""),
        tuple(columns),
        limits,
        len(sets),
        tuple(key),
        current_medium().text / POINTS,
    )


def _describe(pair: CampaignPair, metric: CampaignMetric) -> str:
    """Say the numbers of a pair over all sets, for the figure's alternative text."""
    digits = decimals_of(metric)
    said = f"{pair.a} - {pair.b} {signed(pair.difference, digits)}, new test sets "
    return f"{metric.name}: {said}{interval_of(pair.new_sets_low, pair.new_sets_high, digits)}, {pair.conclusion}"


def mark_sets(ax: Axes, pair: CampaignPair, rows: Sequence[float], style: Look) -> None:
    """Draw the difference on each test set and its interval; the mark is filled if that set shows a difference."""
    for row, one in zip(rows, pair.sets, strict=True):
        look = style | {"marker": DIFFERENCE_MARKER} | FILLS[one.verdict]
        draw_estimate(ax, row, one.low, one.difference, one.high, look)


def mark_all_sets(ax: Axes, pair: CampaignPair, rows: Sequence[float], style: Look, limits: Limits) -> None:
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
    mark_second(ax, pair, new, style, limits)
    mark_bar(ax, one, pair.one_new_set_low, pair.one_new_set_high, color, PALE, limits)


def key_of(pairs: Sequence[CampaignPair], metric: CampaignMetric) -> Iterable[str]:
    """Say what the marks mean: those that occur, and always what an open one means."""
    if all(pair.conclusion in SAME for pair in pairs):
        return
    yield from key_of_fills(pairs)
    yield "diamond: mean over these test sets"
    yield "thick bar: mean over new test sets like these"
    yield from end_of_key(pairs, [(pair.one_new_set_low, pair.one_new_set_high) for pair in pairs])
