"""What the panels of a forest plot say: their rows, numbers, headings and marks, before anything has its place.

Of several test sets, one pair or a few pairs are shown set by set, with new sets like these below.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from statistics import median_low

from matplotlib.axes import Axes

from mtworkbench.inference import MetricComparison
from mtworkbench.metrics.directions import has_direction
from mtworkbench.metrics.known import unit_of
from mtworkbench.plots.comparisons import (
    FILLS,
    LOOK,
    METHOD_ALPHA,
    NO_LIMITS,
    Limits,
    draw_estimate,
    draw_mark,
    is_in_margin,
    margin_and_label,
    mark_bar,
    mark_baseline,
    mark_difference,
    mark_runs,
    mark_scores,
    second_of,
    singles_of,
    verdict_of,
)
from mtworkbench.plots.forest import LEFT_ARROW, RIGHT_ARROW, Forest, Row, Track, describe_rows, has_room
from mtworkbench.plots.style import POINTS, current_medium, wrap_name
from mtworkbench.plots.systems import Look, Looks
from mtworkbench.results.campaigns import CampaignMetric, CampaignPair, CampaignTestSet, SetEstimate
from mtworkbench.results.comparisons import AnyMetric, AnyPair
from mtworkbench.results.verdicts import Ends
from mtworkbench.words.cells import decimals_of, name_of_p, name_t, p_digits, show_ends, show_p, show_t
from mtworkbench.words.columns import DIFFERENCE, System, name_ci
from mtworkbench.words.frames import fixed, interval_of, printable, signed, with_minus
from mtworkbench.words.scopes import ADJUSTMENTS, adjustment_of, is_of_exchanges
from mtworkbench.words.sentences_on_equivalence import WITHIN, explain_margin_test

#: Of the key below a figure, what comes last.
RUNS = "ticks: single runs"
#: Where scores are missing: then a difference is not that of the scores shown.
ON_PARTS = "differences: on the segments scored for both"
# The ticks of runs stand so many lines below the mark of their system.
BELOW = 0.5
TICKS_OF_SETS = "ticks: single test sets"
# A difference this many times as far from 0 as the median row reaches is an arrow at the end of the axis.
FAR = 3
# Where there are arrows, the axis goes on beyond the other rows by this share of their width.
ROOM_FOR_ARROWS = 0.15
# An interval for new test sets may reach so far beyond those on single sets, as a share of their width; then it is cut.
BEYOND = 0.6
# Of more pairs than this without a baseline, only those with the best system are drawn.
MOST_PAIRS = 10
THESE_SETS, NEW_SETS, ONE_NEW_SET = "these sets", "new sets", "one new set"
# Names above one of several axes are broken at this width, in units of the text's size.
MOST_ABOVE = 7.0
# Where one new set is expected is paler than the mean over new sets.
PALE = 0.22


def heading_of(name: str, metric: AnyMetric) -> str:
    """Return the metric's name with its unit."""
    unit = unit_of(metric.name)
    return f"{name} ({unit})" if unit else name


def make_scores_panel(name: str, metric: AnyMetric, styles: Looks) -> Forest:
    """Make the panel of the systems' scores."""
    digits, heading, ci = decimals_of(metric), heading_of(name, metric), name_ci(metric)
    systems: Sequence[System] = metric.systems_from_best
    rows = []
    for one in systems:
        numbers = with_minus(fixed(one.score, digits)), with_minus(interval_of(one.low, one.high, digits))
        rows.append(Row(printable(one.system), numbers, " ".join(numbers)))

    def mark(ax: Axes, heights: Sequence[float]) -> None:
        mark_scores(metric, ax, heights, styles)

    has_ticks = any(len(singles_of(one)) > 1 for one in systems)
    ticks = TICKS_OF_SETS if isinstance(metric, CampaignMetric) else RUNS
    key = (*([] if metric.comparisons else [f"bars: {ci}s"]), *([ticks] if has_ticks else []))
    track = Track(mark, describe_rows(heading, ci, rows))
    return Forest(heading, (better_way(metric),), ("score", ci), tuple(rows), (track,), key=key, has_ticks=has_ticks)


def make_differences_panel(
    name: str, metric: AnyMetric, styles: Looks, pairs: Sequence[AnyPair], baseline: str | None = None
) -> Forest:
    """Make the panel of some pairs, a row for each; a baseline has a row of its own among the systems."""
    other, limits, several = other_of(pairs), limits_of(pairs), isinstance(metric, CampaignMetric)
    systems: Mapping[str, System] = {one.system: one for one in metric.systems_from_best}
    by_name, own = {pair.a: pair for pair in pairs}, systems.get(baseline or "")
    shown = list(pairs) if own is None else [by_name.get(system) for system in systems]
    digits, ci = decimals_of(metric), name_ci(metric)
    columns = DIFFERENCE, name_of_p(metric) if _is_told_by_p(metric) else ci
    rows = []
    for pair in shown:
        if pair is None:
            said = f"{with_minus(fixed(own.score, digits))}, baseline" if own else ""
            rows.append(Row(printable(baseline or ""), ("", ""), said))
        else:
            called = pair.a if other is not None else f"{pair.a} against {pair.b}"
            score = f"{with_minus(fixed(systems[pair.a].score, digits))}, " if other is not None else ""
            rows.append(Row(printable(called), numbers_of_pair(pair, metric), score + _say_pair(pair, metric)))

    def mark(ax: Axes, heights: Sequence[float]) -> None:
        for pair, row in zip(shown, heights, strict=True):
            if pair is None:
                mark_baseline(ax, row)
            else:
                mark_difference(ax, pair, row, styles.get(pair.a, LOOK), limits, digits)
            if isinstance(pair, CampaignPair):
                mark_runs(ax, row + BELOW, [one.difference for one in pair.sets], 0, "_sets")
            elif own is not None and (pair is None or limits[0] <= pair.difference <= limits[1]):
                mark_runs(ax, row + BELOW, singles_of(systems[pair.a] if pair else own), own.score)

    ticks = [TICKS_OF_SETS] if several else [RUNS] if any(len(singles_of(one)) > 1 for one in systems.values()) else []
    has_ticks = bool(ticks) and (several or own is not None)
    score = "" if other is None else with_minus(fixed(systems[other].score, digits))
    called = printable(str(other))
    zero = ("equal", "0") if other is None else (f"= {called} ({score})", f"= {called}", f"= {score}", "0")
    heading = heading_of(name, metric)
    heading = f"Difference in {heading}" if other is None else f"{heading}, difference from {called}"
    margin, margin_label = margin_and_label(metric)
    return Forest(
        heading,
        (better_way(metric),),
        columns,
        tuple(rows),
        (Track(mark, describe_rows(heading_of(name, metric), ci, rows)),),
        zero,
        (*key_of_pairs(metric, pairs, limits), *(ticks if has_ticks else [])),
        margin=margin,
        margin_label=margin_label,
        has_ticks=has_ticks,
    )


def other_of(pairs: Sequence[AnyPair]) -> str | None:
    """Return the one system that all others are compared with in some pairs; None where there are several."""
    others = {pair.b for pair in pairs}
    return others.pop() if len(others) == 1 else None


def limits_of(pairs: Sequence[AnyPair]) -> Limits:
    """Return where the axis ends, and what goes on is cut.

    The interval of the median row reaches so far from 0. On one test set, a difference more than `FAR` times as far is
    an arrow with its number, and the axis has the range of the other rows. Of several test sets, intervals
    for new ones may go beyond those of single sets, but not far.
    """
    several = [pair for pair in pairs if isinstance(pair, CampaignPair)]
    if several:
        every: list[CampaignPair | SetEstimate] = [*several, *(one for pair in several for one in pair.sets)]
        low, high = _range_of((one.ends, one.difference) for one in every)
        room = BEYOND * (high - low)
        new = [end for pair in several for ends in (pair.new_sets_ends, pair.one_new_set_ends) for end in ends[:2]]
        wide = [end for end in new if end is not None]
        return max(min([low, *wide]), low - room), min(max([high, *wide]), high + room)
    ranges = [_range_of([(pair.ends, pair.difference), (_ends_of(pair), pair.difference)]) for pair in pairs]
    reaches = [reach for low, high in ranges if (reach := max(-low, high)) > 0]
    farthest = FAR * median_low(reaches) if reaches else 0.0
    near = [one for one, pair in zip(ranges, pairs, strict=True) if abs(pair.difference) <= farthest]
    if len(near) == len(pairs) or not near:
        return NO_LIMITS
    low, high = min(low for low, _ in near), max(high for _, high in near)
    room = ROOM_FOR_ARROWS * (high - low)
    return low - room, high + room


def _range_of(drawn: Iterable[tuple[Ends, float]]) -> tuple[float, float]:
    """Return the range of 0, some differences and their intervals."""
    ends = [0.0, *(end for ends, difference in drawn for end in (*ends[:2], difference) if end is not None)]
    return min(ends), max(ends)


def better_way(metric: AnyMetric) -> str:
    """Say with an arrow which way is better on the axis."""
    if not has_direction(metric):
        return ""
    return f"better {RIGHT_ARROW}" if metric.higher_is_better else f"{LEFT_ARROW} better"


def _ends_of(pair: AnyPair) -> Ends:
    """Return the interval that the verdict goes by: of the second question, where it was asked."""
    second = second_of(pair)
    return pair.ends if second is None else second.ends


def _is_told_by_p(metric: AnyMetric) -> bool:
    """Tell whether p defends a verdict: where the interval beside it need not agree with it."""
    return not (is_of_exchanges(metric) or isinstance(metric, CampaignMetric) or metric.asks_of_methods)


def numbers_of_pair(pair: AnyPair, metric: AnyMetric) -> tuple[str, str]:
    """Write a difference, and what defends the verdict: the interval, or p."""
    digits = decimals_of(metric)
    equal = f"{WITHIN} " if not isinstance(pair, CampaignPair) and is_in_margin(pair) else ""
    defended = (
        show_p(pair.p_adjusted, p_digits(pair), metric.level)
        if _is_told_by_p(metric)
        else show_ends(_ends_of(pair), digits)
    )
    return equal + with_minus(signed(pair.difference, digits)), with_minus(defended)


def _say_pair(pair: AnyPair, metric: AnyMetric) -> str:
    """Say all numbers of a pair, for the figure's alternative text."""
    digits, second = decimals_of(metric), second_of(pair)
    label = name_of_p(metric)
    said = [f"diff. {signed(pair.difference, digits)}", show_ends(pair.ends, digits)]
    said += [_say_p(show_p(pair.p_adjusted, p_digits(pair), metric.level), label)]
    if second is not None:
        said[-1] += f", {second.whose}"
        label = name_of_p(metric, of_method=True)
        said += [show_ends(second.ends, digits), _say_p(show_t(second.p, metric.level), label)]
    return with_minus(" ".join(filter(None, said)))


def _say_p(shown: str, label: str) -> str:
    return shown and f"{label} {shown if shown.startswith('<') else f'= {shown}'}"


def key_of_pairs(metric: AnyMetric, pairs: Sequence[AnyPair], limits: Limits) -> Iterable[str]:
    """Say what the marks of rows of pairs mean."""
    several, ci = isinstance(metric, CampaignMetric), name_ci(metric)
    margin, _ = margin_and_label(metric)
    seconds = [second_of(pair) for pair in pairs]
    where = " for new sets" if several else " for the method" if all(seconds) else ""
    where = " (for the method where it was tested)" if any(seconds) and not where else where
    yield key_of_fills(map(verdict_of, pairs), where)
    if margin is not None and isinstance(metric, MetricComparison):
        yield explain_margin_test(metric)
    cis = f"simultaneous {ci}s" if is_of_exchanges(metric) and metric.family_size > 1 else f"{ci}s"
    second, first = ("sets like these", "these sets") if several else ("training runs", "these runs")
    yield f"bars: {cis}" + (f", thick for new {second}, thin for {first}" if any(seconds) else "")
    yield from key_of_cis(metric)
    if any(not limits[0] <= pair.difference <= limits[1] for pair in pairs):
        yield "arrows: beyond the axis"
    yield from _key_of_cut(pairs, limits)
    if isinstance(metric, MetricComparison) and metric.rests_on_parts:
        yield ON_PARTS


def key_of_fills(verdicts: Iterable[str], where: str = "") -> str:
    """Say how marks are filled: of those that occur, and always what an open one means."""
    found = {*verdicts, "not significant"}
    if "significant" in found:
        shown, empty = [f"\N{BLACK CIRCLE} difference shown{where}"], "not shown"
    else:
        shown, empty = [], f"difference not shown{where}"
    undecided = ["\N{CIRCLE WITH LEFT HALF BLACK} undecided"] if "undecided" in found else []
    return ", ".join([*shown, *undecided, f"\N{WHITE CIRCLE} {empty}"])


def _key_of_cut(pairs: Sequence[AnyPair], limits: Limits) -> Iterable[str]:
    """Say what an arrowhead means, if an interval for new test sets is cut."""
    new = [pair.new_sets_ends for pair in pairs if isinstance(pair, CampaignPair)]
    new += [pair.one_new_set_ends for pair in pairs if isinstance(pair, CampaignPair) and len(pairs) == 1]
    if any(low is not None and high is not None and (low < limits[0] or high > limits[1]) for low, high, *_ in new):
        yield "arrowhead: the interval goes on"


def key_of_cis(metric: AnyMetric) -> Iterable[str]:
    """Say if intervals of differences may contradict the verdicts."""
    if not is_of_exchanges(metric):
        yield "CIs need not agree with the verdicts"


def make_panel_of_sets(
    sets: Sequence[CampaignTestSet],
    name: str,
    metric: CampaignMetric,
    styles: Looks,
    width: float | None,
    *,
    grid: bool = True,
) -> Forest:
    """Make the panel of one metric: one pair set by set, a few pairs next to each other, or a row per pair."""
    if not metric.comparisons:
        return make_scores_panel(name, metric, styles)
    pairs, medium = pairs_to_draw(metric), current_medium()
    if len(pairs) == 1 or grid:
        panel = _make_sets_panel(sets, name, metric, pairs, styles)
        if len(pairs) == 1 or has_room(panel, medium.width if width is None else width, medium):
            return panel
    return make_differences_panel(name, metric, styles, pairs)


def pairs_to_draw(metric: CampaignMetric) -> list[CampaignPair]:
    """Return the comparisons as they are shown; of very many without a baseline those with the best system."""
    pairs = list(metric.comparisons_from_best)
    if metric.compared_with is not None or len(pairs) <= MOST_PAIRS:
        return pairs
    best = metric.systems_from_best[0].system
    return [pair.turned() if pair.a == best else pair for pair in pairs if best in (pair.a, pair.b)]


def _make_sets_panel(
    sets: Sequence[CampaignTestSet], name: str, metric: CampaignMetric, pairs: Sequence[CampaignPair], styles: Looks
) -> Forest:
    """Make a row per test set and rows of all together below them: one pair with its numbers, or an axis per pair."""
    digits, limits, other = decimals_of(metric), limits_of(pairs), other_of(pairs)
    heading, ci, is_one = heading_of(name, metric), name_ci(metric), len(pairs) == 1
    names = [*(printable(one.name) for one in sets), THESE_SETS, NEW_SETS]
    names += [ONE_NEW_SET] if len(sets) > 2 else []
    drawn: list[tuple[float | None, Ends]] = [
        *((one.difference, one.ends) for one in pairs[0].sets),
        (pairs[0].difference, pairs[0].ends),
        (None, pairs[0].new_sets_ends),
        (None, pairs[0].one_new_set_ends),
    ]
    rows = []
    for called, (difference, ends) in zip(names, drawn, strict=False):
        numbers = (
            "" if difference is None else with_minus(signed(difference, digits)),
            with_minus(show_ends(ends, digits)),
        )
        rows.append(Row(called, numbers if is_one else (), " ".join(filter(None, numbers))))
    tracks = []
    for pair in pairs:
        p = pair.new_sets_p_adjusted
        above = [with_minus(signed(pair.difference, digits)), *([] if p is None else [name_t(p, metric.level)])]
        called = printable(pair.a if other is not None else f"{pair.a} \N{MINUS SIGN} {pair.b}")
        words = describe_rows(heading, ci, rows) if is_one else _say_over_sets(pair, metric)
        lines = () if is_one else (*wrap_name(called, MOST_ABOVE * current_medium().text / POINTS), *above)
        tracks.append(Track(partial(_mark_pair, pair, styles.get(pair.a, LOOK), limits), words, lines))
    called = f"{printable(pairs[0].a)} \N{MINUS SIGN} {printable(pairs[0].b)}"
    heading = (
        f"{heading}: {called}"
        if is_one
        else f"Difference in {heading}"
        if other is None
        else f"{heading}, difference from {printable(other)}"
    )
    word = "better" if has_direction(metric) else "higher"
    arrow = f"{LEFT_ARROW} {{}} {word}" if metric.higher_is_better is False else f"{{}} {word} {RIGHT_ARROW}"
    better = (arrow.format(printable(pairs[0].a)), better_way(metric)) if is_one else (better_way(metric),)
    below = [] if is_one else [f"above: mean difference, {name_of_p(metric, of_method=True)} for new test sets"]
    return Forest(
        heading,
        better,
        (DIFFERENCE, ci) if is_one else (),
        tuple(rows),
        tuple(tracks),
        (*([f"= {printable(other)}"] if is_one and other is not None else []), "0"),
        (*below, *key_of(pairs, metric, limits)),
        limits if not is_one else NO_LIMITS,
        gap_before=len(sets),
    )


def _say_over_sets(pair: CampaignPair, metric: CampaignMetric) -> str:
    """Say the numbers of a pair over all sets, for the figure's alternative text."""
    digits = decimals_of(metric)
    said = f"{pair.a} - {pair.b} {signed(pair.difference, digits)}, new test sets "
    return f"{metric.name}: {said}{show_ends(pair.new_sets_ends, digits)}, {pair.conclusion}"


def _mark_pair(pair: CampaignPair, style: Look, limits: Limits, ax: Axes, rows: Sequence[float]) -> None:
    """Draw each set's difference and the mean with their intervals, the interval for new sets, that of one new set."""
    *single, these, new = rows[: len(pair.sets) + 2]
    for row, found in zip(single, pair.sets, strict=True):
        draw_estimate(ax, row, found.ends.low, found.difference, found.ends.high, style | FILLS[found.verdict])
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
    second = second_of(pair)
    if second is not None:
        mark_bar(ax, new, *second.ends[:2], color, METHOD_ALPHA, limits)
        fill = FILLS["significant" if second.is_shown else "not significant"]
        draw_mark(ax, new, pair.difference, style | fill)
    for one in rows[len(pair.sets) + 2 :]:
        mark_bar(ax, one, *pair.one_new_set_ends[:2], color, PALE, limits)


def key_of(pairs: Sequence[CampaignPair], metric: CampaignMetric, limits: Limits) -> Iterable[str]:
    """Say what the marks mean: those that occur, and always what an open one means."""
    if all(not pair.differs for pair in pairs):
        return
    yield key_of_fills(verdict for pair in pairs for verdict in (pair.verdict, *(one.verdict for one in pair.sets)))
    yield f"bars and diamond: {name_ci(metric)}s"
    if metric.family_size == 1:
        what = "verdicts and CIs" if is_of_exchanges(metric) else "verdicts"
        yield f"{what} of single sets: {ADJUSTMENTS[adjustment_of(metric)]}"
    yield from key_of_cis(metric)
    yield from _key_of_cut(pairs, limits)
