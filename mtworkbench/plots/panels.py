"""What the panels of a forest plot say: their rows, numbers, headings and marks, before anything has its place.

Of several test sets, one pair or a few pairs are shown set by set, with new sets like these below.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from matplotlib.axes import Axes

from mtworkbench.inference import MetricComparison, PairEstimate
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.metrics.known import unit_of
from mtworkbench.plots.comparisons import (
    DIFFERENCE_MARKER,
    FILLS,
    NO_LIMITS,
    Limits,
    Metric,
    Pair,
    System,
    draw_estimate,
    has_distribution,
    margin_and_label,
    mark_bar,
    mark_baseline,
    mark_difference,
    mark_distribution,
    mark_runs,
    mark_scores,
    mark_second,
    names_of,
    second_of,
    singles_of,
    with_minus,
)
from mtworkbench.plots.forest import LEFT_ARROW, RIGHT_ARROW, Forest, Grid, GridColumn, Line, Row
from mtworkbench.plots.style import POINTS, current_medium
from mtworkbench.plots.systems import NAME_LENGTH, Look, Looks
from mtworkbench.results.campaigns import CampaignMetric, CampaignPair, CampaignTestSet, SetEstimate
from mtworkbench.words.cells import (
    ADJUSTMENTS,
    adjustment_of,
    decimals_of,
    explain_brackets,
    in_percent,
    interval_of,
    is_of_exchanges,
    label_of_p,
    name_of_p,
    name_t,
    p_digits,
    rests_on_parts,
    show_ends,
    show_p,
    show_t,
    signed,
)
from mtworkbench.words.frames import fixed, printable, shorten
from mtworkbench.words.scopes import SAME
from mtworkbench.words.sentences_on_equivalence import WITHIN, explain_margin_test, is_equal

#: Of the key below a figure, what comes last.
RUNS = "small ticks: scores of single runs"
#: Where scores are missing: then a difference is not that of the scores shown.
ON_PARTS = "differences: on the segments scored for both"
# The ticks of runs stand so many lines below the mark of their system.
BELOW = 0.34
TICKS_OF_SETS = "small ticks: single test sets"
# Names that have too little room are shortened to so many letters each.
SHORTER = (24, 16, 10)
# An interval for new test sets may reach so far beyond those on single sets, as a share of their width; then it is cut.
BEYOND = 0.6
# Of more pairs than this without a baseline, only those with the best system are drawn.
MOST_PAIRS = 10
THESE_SETS, NEW_SETS, ONE_NEW_SET = "these sets", "new sets", "one new set"
# Where one new set is expected is paler than the mean over new sets.
PALE = 0.22


def heading_of(name: str, metric: Metric) -> str:
    """Return the metric's name with its unit."""
    unit = unit_of(metric.name)
    return f"{name} ({unit})" if unit else name


def make_scores_panel(name: str, metric: Metric, styles: Looks) -> Forest:
    """Make the panel of the systems' scores."""
    digits, names = decimals_of(metric), short_names(metric)
    systems: Sequence[System] = metric.systems_from_best
    intervals = [numbers_of(interval_of(one.low, one.high, digits)) for one in systems]
    rows = [
        Row((names[one.system],), with_minus(fixed(one.score, digits)), (interval,))
        for one, interval in zip(systems, intervals, strict=True)
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
    ends = [0.0, *(end for one in every for end in (*one.ends[:2], one.difference) if end is not None)]
    low, high = min(ends), max(ends)
    room = BEYOND * (high - low)
    new = [(*pair.new_sets_ends[:2], *pair.one_new_set_ends[:2]) for pair in several]
    wide = [end for four in new for end in four if end is not None]
    return max(min(low, *wide, low), low - room), min(max(high, *wide, high), high + room)


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


def numbers_of(interval: str, p: str = "", difference: str = "") -> Line:
    """Write the numbers of an interval."""
    return Line(difference=with_minus(difference), interval=with_minus(interval), p=p)


def numbers_of_pair(pair: Pair | SetEstimate, metric: Metric) -> Line:
    """Write a difference and the ends of its interval as numbers."""
    p, digits = show_p(pair.p_adjusted, p_digits(pair)), decimals_of(metric)
    return numbers_of(show_ends(pair.ends, digits), p, signed(pair.difference, digits))


def _lines_of(pair: Pair, metric: Metric) -> tuple[Line, ...]:
    """Return the numbers of a pair, and those of the second question where it was asked."""
    first, second = numbers_of_pair(pair, metric), second_of(pair)
    if second is None:
        return (replace(first, within=_within(pair, of_method=False)),)
    numbers = numbers_of(show_ends(second.ends, decimals_of(metric)), show_t(second.p, metric.level))
    lines = zip(second.whose, (first, numbers), (False, True), strict=True)
    return tuple(replace(line, whose=whose, within=_within(pair, of_method=last)) for whose, line, last in lines)


def _within(pair: Pair, *, of_method: bool) -> str:
    return WITHIN if isinstance(pair, PairEstimate) and is_equal(pair, of_method=of_method) else ""


def key_of_pairs(metric: Metric, pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Say what the marks of rows of pairs mean."""
    if isinstance(metric, CampaignMetric):
        bars = "thin bar: on these test sets", "thick bar: for new test sets like these"
        of_new = (second.ends[:2] for second in map(second_of, pairs) if second is not None)
        return (*bars, TICKS_OF_SETS, *key_of_fills(pairs), *end_of_key(metric, pairs, of_new))
    return tuple(_key(metric))


def _key(metric: MetricComparison) -> Iterable[str]:
    """Say what the marks of a comparison on one test set mean."""
    pairs = metric.comparisons
    margin, _ = margin_and_label(metric)
    yield from key_of_fills(pairs, "not shown" if margin is None else "difference not shown")
    if margin is not None:
        yield explain_margin_test(metric)
    yield from key_of_cis(metric, pairs)
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


def end_of_key(
    metric: CampaignMetric, pairs: Sequence[Pair], ends: Iterable[tuple[float | None, float | None]]
) -> Iterable[str]:
    """Say what an arrowhead means where one of these intervals is cut, and what is said of intervals."""
    low, high = limits_of(pairs)
    if any(one is not None and other is not None and (one < low or other > high) for one, other in ends):
        yield "arrowhead: the interval goes on"
    yield from key_of_cis(metric, pairs)


def key_of_cis(metric: Metric, pairs: Sequence[Pair]) -> Iterable[str]:
    """Say if intervals of differences hold together, or may contradict the verdicts, and what a bracket means."""
    if not is_of_exchanges(metric):
        yield "CIs need not agree with the verdicts"
    elif metric.family_size > 1:
        yield "CIs hold together"
    shown = (line.interval for pair in pairs for line in _lines_of(pair, metric))
    of_sets = (numbers_of_pair(one, metric).interval for pair in pairs for one in getattr(pair, "sets", ()))
    yield from explain_brackets((*shown, *of_sets))


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
    new = show_t(pair.new_sets_p_adjusted, metric.level)
    lines += [
        numbers_of_pair(pair, metric),
        numbers_of(show_ends(pair.new_sets_ends, digits), new),
        numbers_of(interval_of(*pair.one_new_set_ends[:2], digits)),
    ]
    rows = [Row((called,), lines=(line,)) for called, line in zip(_name_rows(sets), lines, strict=True)]
    limits = limits_of([pair])

    def mark(ax: Axes, heights: Sequence[Sequence[float]]) -> None:
        places = [lines[0] for lines in heights]
        mark_sets(ax, pair, places[:-3], styles[pair.a])
        mark_all_sets(ax, pair, places[-3:], styles[pair.a], limits)

    called = [(names[pair.a], names[pair.b]), *_shortened(names[pair.a], names[pair.b])]
    headings = [f"{heading_of(name, metric)}: {a} \N{MINUS SIGN} {b}" for a, b in called]
    p = "adjusted p" if metric.family_size > 1 else "p"
    return Forest(
        tuple(headings),
        better_way(metric),
        Line(segments="segments", difference="diff.", interval=ci_of(metric), p=p),
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
            numbers += f", {name_t(pair.new_sets_p_adjusted, metric.level)}"
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
    return f"{metric.name}: {said}{show_ends(pair.new_sets_ends, digits)}, {pair.conclusion}"


def mark_sets(ax: Axes, pair: CampaignPair, rows: Sequence[float], style: Look) -> None:
    """Draw the difference on each test set, and its interval; if a set shows a difference, its mark is filled."""
    for row, one in zip(rows, pair.sets, strict=True):
        look = style | {"marker": DIFFERENCE_MARKER} | FILLS[one.verdict]
        draw_estimate(ax, row, one.ends.low, one.difference, one.ends.high, look)


def mark_all_sets(ax: Axes, pair: CampaignPair, rows: Sequence[float], style: Look, limits: Limits) -> None:
    """Draw the mean difference on these sets, the interval for new ones, and where one new set is expected."""
    these, new, one = rows
    color = style["color"]
    low, high, _ = pair.ends
    if low is not None and high is not None:
        fill = color if pair.verdict == "significant" else "white"
        corners = [low, pair.difference, high, pair.difference]
        heights = [these, these - 0.32, these, these + 0.32]
        # A diamond that is narrower than its outline would not be seen.
        ax.fill(corners, heights, fc=fill, ec=color, lw=current_medium().line, zorder=2)
        if pair.verdict == "undecided":
            ax.fill([corners[0], *corners[1::2]], [heights[0], *heights[1::2]], fc=color, lw=0, zorder=2)
    mark_second(ax, pair, new, style, limits)
    mark_bar(ax, one, *pair.one_new_set_ends[:2], color, PALE, limits)


def key_of(pairs: Sequence[CampaignPair], metric: CampaignMetric) -> Iterable[str]:
    """Say what the marks mean: those that occur, and always what an open one means."""
    if all(pair.conclusion in SAME for pair in pairs):
        return
    yield from key_of_fills(pairs)
    yield "diamond: mean over these test sets"
    yield "thick bar: mean over new test sets like these"
    if metric.family_size == 1:
        what = "p and CIs" if is_of_exchanges(metric) else "p"
        yield f"{what} of single sets: {ADJUSTMENTS[adjustment_of(metric)]}"
    yield from end_of_key(metric, pairs, [pair.one_new_set_ends[:2] for pair in pairs])
