"""A comparison as a paper prints it: five columns, the best system first, and a caption of two sentences.

LaTeX and Markdown have these tables; what has no room in them is on demand (``all_columns``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mtworkbench.tables.cells import (
    ADJUSTMENTS,
    T_DIGITS,
    adjustment_of,
    decimals_of,
    direction_of,
    family_of,
    in_percent,
    interval_of,
    is_exact,
    listed,
    name_of_p,
    p_digits,
    rests_on_parts,
    say_drawn_by,
    show_p,
    threshold_of,
)
from mtworkbench.tables.frames import Cell, Columns, number
from mtworkbench.tables.latex import MOST_ROWS
from mtworkbench.tables.sentences_on_equivalence import (
    WITHIN,
    is_equal,
    margin_of,
    margins_of,
    name_of_equality_p,
    say_test,
    tell_equal_by,
)
from mtworkbench.tables.sentences_on_runs import tell_tested
from mtworkbench.tables.sentences_on_top import say_bold
from mtworkbench.wording import begin, tally

if TYPE_CHECKING:
    from mtworkbench.inference import Comparison, MetricComparison, PairEstimate, SystemEstimate

SYSTEM, DIFFERENCE = "system", "diff."
# A longer name takes a line of its own in LaTeX.
SHORT = 10
# What stands after a difference, by the conclusion of its comparison.
MARKS = {
    "shown for the method": "‡",
    "shown on these outputs only": "†",
    "shown on these outputs; method not tested": "†",
    "undecided": "?",
    "copies": "=",
    "identical scores": "=",
}


@dataclass(frozen=True)
class PaperTable:
    """One table: what it shows of which metrics.

    Parameters
    ----------
    columns : dict of str to list of str
    bold : frozenset of (int, str)
        The scores of the systems at the top, by row and column.
    marks : dict of (int, str) to str
        What stands after a difference.
    headings : dict of int to str
        Above which rows a metric begins, where there are several.
    caption, label : str
    """

    columns: Columns
    bold: frozenset[tuple[int, str]]
    marks: dict[tuple[int, str], str]
    headings: dict[int, str]
    caption: str
    label: str


def paper_tables(comparison: Comparison) -> list[PaperTable]:
    """Tabulate all metrics: together where one caption fits them and one column of a page holds them."""
    tables: list[list[str]] = []
    said: dict[str, list[str]] = {}
    for key, metric in comparison.metrics.items():
        together = said.setdefault(_shown(comparison, metric), [])
        lines = sum(1 + (len(one.system) > SHORT) for one in metric.systems) + 1
        if not together or (len(together) + 1) * lines > MOST_ROWS:
            together = said[_shown(comparison, metric)] = []
            tables.append(together)
        together.append(key)
    return [paper_table(comparison, keys) for keys in tables]


def paper_table(comparison: Comparison, keys: Sequence[str]) -> PaperTable:
    """Tabulate metrics of which the same is shown.

    Parameters
    ----------
    comparison : Comparison
    keys : sequence of str
        Of ``comparison.metrics``.
    """
    metrics = [comparison.metrics[key] for key in keys]
    columns: Columns = {}
    bold, marks, headings = set(), {}, {}
    for key, metric in zip(keys, metrics, strict=True):
        systems = metric.systems_from_best
        score = "score" if len(keys) > 1 else _name_of_score(metric)
        first = len(columns.get(SYSTEM, ()))
        for name, cells in _columns(comparison, metric, systems, score).items():
            columns.setdefault(name, []).extend(cells)
        pairs = _by_system(metric)
        for row, system in enumerate(systems, start=first):
            if system.system in metric.top:
                bold.add((row, score))
            mark = _mark(metric, pairs[system.system]) if system.system in pairs else ""
            if mark:
                marks[row, DIFFERENCE] = mark
        if len(keys) > 1:
            headings[first] = f"{key}, {direction_of(metric)}"
    said = [*_legend(metrics, marks, bold), *_equal_pairs(metrics)]
    said += tell_tested(dict(zip(keys, metrics, strict=True)), "these outputs")
    caption = " ".join([_first_sentence(comparison, keys), *said])
    return PaperTable(columns, frozenset(bold), marks, headings, caption, f"tab:{'-'.join(keys)}")


def _by_system(metric: MetricComparison) -> dict[str, PairEstimate]:
    """Return the comparison of each system with the one system that all are compared with; of all pairs none."""
    return {pair.a: pair for pair in metric.comparisons} if metric.compared_with is not None else {}


def _mark(metric: MetricComparison, pair: PairEstimate) -> str:
    """Return what stands after a difference: its conclusion, and whether it is shown to be within the margin."""
    within = WITHIN if is_equal(pair, of_method=metric.asks_of_methods) else ""
    return MARKS.get(pair.conclusion, "") + within


def _name_of_score(metric: MetricComparison) -> str:
    name = metric.name.split("|")[0]
    taken = (SYSTEM, DIFFERENCE, "ranks", "group", "p", name_of_p(metric), name_of_p(metric, of_method=True))
    return f"{name} (score)" if name in taken else name


def _columns(
    comparison: Comparison, metric: MetricComparison, systems: Sequence[SystemEstimate], score: str
) -> Columns:
    digits, ci = decimals_of(metric), f"{in_percent(metric.level)} CI"
    columns: Columns = {
        SYSTEM: [one.system for one in systems],
        score: [number(one.score, digits) for one in systems],
    }
    if metric.compared_with is None:
        columns[ci] = [interval_of(one.low, one.high, digits) for one in systems]
        places = {one.system: one for one in metric.ranking or ()}
        if places and all(one.group is not None for one in places.values()):
            ranked = [places[one.system] for one in systems]
            columns["ranks"] = [
                Cell(one.rank_low if one.rank_low == one.rank_high else f"{one.rank_low}-{one.rank_high}")
                for one in ranked
            ]
            columns["group"] = [one.group for one in ranked]
        return columns
    pairs = _by_system(metric)
    rows = [pairs.get(one.system) for one in systems]
    other = Cell("baseline" if comparison.baseline is not None else "")
    columns[DIFFERENCE] = [other if pair is None else number(pair.difference, digits) for pair in rows]
    columns[ci] = [Cell() if pair is None else _interval(metric, pair, digits) for pair in rows]
    columns[_p_label(metric)] = [Cell() if pair is None else _p(metric, pair) for pair in rows]
    return columns


def _interval(metric: MetricComparison, pair: PairEstimate, digits: int) -> Cell:
    if not metric.asks_of_methods:
        return interval_of(pair.low, pair.high, digits)
    if pair.method_p_value is None:
        return Cell("not tested")
    return interval_of(pair.method_low, pair.method_high, digits)


def _p_label(metric: MetricComparison) -> str:
    return name_of_p(metric, of_method=metric.asks_of_methods)


def _p(metric: MetricComparison, pair: PairEstimate) -> Cell:
    if metric.asks_of_methods:
        return show_p(pair.method_p_adjusted, T_DIGITS)
    return show_p(pair.p_adjusted, p_digits(pair, metric.n_trials))


# ---- the caption


def _first_sentence(comparison: Comparison, keys: Sequence[str]) -> str:
    """Say what is shown, with its unit, its baseline and its test."""
    metric = comparison.metrics[keys[0]]
    better = f" ({direction_of(metric)})" if len(keys) == 1 else ""
    return f"{listed(keys)}{better} {_shown(comparison, metric)}."


def _shown(comparison: Comparison, metric: MetricComparison) -> str:
    """Say what is shown of a metric, in words that are the same for all metrics of one table."""
    what = f"of {tally(len(metric.systems), 'system')}{_runs(metric)} on {_test_set(comparison)}"
    interval = _interval_by(comparison)
    ci = f"{in_percent(metric.level)} CIs"
    of_scores = f"with {ci} ({interval})"
    if not metric.comparisons:
        return f"{what}, {of_scores}"
    test = _test_by(comparison, metric)
    if metric.compared_with is None:
        if metric.ranking is None or metric.ranking[0].group is None:
            return f"{what}, {of_scores}"
        if metric.ranking_of == "method":
            test = f"for the method, crossed analysis by {comparison.unit} and run"
        of_method = metric.ranking_of == "method"
        ranks = f"the ranks and groups that remain possible after {_family(comparison, metric, of_method)}"
        return f"{what}, {of_scores}, and {ranks} ({test}; {ADJUSTMENTS[adjustment_of(metric, of_method=of_method)]})"
    shared = ", on the segments that both have scores for" if rests_on_parts(metric) else ""
    compared = f"with differences from {metric.compared_with}{shared}"
    p = _p_label(metric)
    if (metric.method_family_size if metric.asks_of_methods else metric.family_size) > 1:
        p += f" over {_family(comparison, metric, metric.asks_of_methods)}"
    if metric.asks_of_methods:
        return (
            f"{what}, {compared}, and {ci} and {p} for the method (new training runs; crossed analysis by "
            f"{comparison.unit} and run)"
        )
    return f"{what}, {compared}, their {ci} ({interval}) and {p} ({test})"


def _interval_by(comparison: Comparison) -> str:
    interval = "delete-one jackknife" if comparison.interval == "jackknife" else f"{comparison.interval} bootstrap"
    return f"{interval} by {say_drawn_by(comparison)}"


def _test_by(comparison: Comparison, metric: MetricComparison) -> str:
    """Name the test on these outputs."""
    by = comparison.unit + (" and run" if comparison.exchange == "run" else "")
    exact = all(map(is_exact, metric.comparisons))
    drawn = "all exchanges" if exact else f"{comparison.n_trials:,} trials"
    return f"two-sided {'exact' if exact else 'approximate'} randomization by {by}, {drawn}"


def _family(comparison: Comparison, metric: MetricComparison, of_method: bool) -> str:
    """Say over how many comparisons p is adjusted; of several metrics also whose these are."""
    family = family_of(metric, of_method=of_method)
    if "all metrics" in family:
        return family.replace("all metrics", "both metrics") if len(comparison.metrics) == 2 else family
    return f"{family}{' per metric' if len(comparison.metrics) > 1 else ''}"


def caption_of_all_columns(comparison: Comparison, metric: MetricComparison, columns: Columns) -> str:
    """Say where the numbers of a table with every column come from: intervals, tests, adjustments and the margin.

    Parameters
    ----------
    comparison : Comparison
    metric : MetricComparison
        One of its metrics.
    columns : dict of str to list of str
        Of one of the tables of this metric.

    Returns
    -------
    str
        Sentences, without those about columns that the table does not have.
    """
    ci, of_method = f"{in_percent(metric.level)} CI", "df" in columns
    crossed = f"crossed analysis by {comparison.unit} and run"
    parts = []
    if ci in columns and not of_method:
        parts.append(f"{ci}: {_interval_by(comparison)}")
    if "p" in columns:
        parts.append(f"{ci} and p: {crossed}" if of_method else f"p: {_test_by(comparison, metric)}")
        p = name_of_p(metric, of_method=of_method)
        parts += [f"{p}: over {_family(comparison, metric, of_method)}"] if p != "p" and p in columns else []
    for name in dict.fromkeys(name_of_equality_p(metric.comparisons, of_method=one) for one in (False, True)):
        if name in columns:
            [margin] = margins_of([metric])
            error = crossed if of_method else f"jackknife by {comparison.unit}"
            parts.append(f"{name}: two one-sided t-tests (TOST; {error}) with a margin of {margin}")
    if "these outputs" in columns:
        parts.append(f"tests at {in_percent(1 - metric.level)}")
    said = "; ".join(parts)
    return f"{said[0].upper() if said[:2] != 'p:' else 'p'}{said[1:]}." if said else ""


def _runs(metric: MetricComparison) -> str:
    runs = sorted({system.runs for system in metric.systems})
    if runs == [1]:
        return ""
    return f" (means of {runs[0] if len(runs) == 1 else f'{runs[0]} to {runs[-1]}'} runs)"


def _test_set(comparison: Comparison) -> str:
    documents = "" if comparison.n_documents is None else f" in {tally(comparison.n_documents, 'document')}"
    return f"{tally(comparison.n_segments, 'segment')}{documents}"


def _legend(metrics: Sequence[MetricComparison], marks: dict, bold: set) -> Iterator[str]:
    """Say in one sentence what bold and the marks mean: those that the table has."""
    metric = metrics[0]
    parts = [say_bold(metrics)] if bold else []
    if any(one.ranking is not None and one.ranking[0].group is not None for one in metrics):
        parts.append("systems that share a letter are not shown to differ")
    level = f"({_p_label(metric)} at most {threshold_of(metric.level)})"
    alone = "not shown for the method" if metric.asks_of_methods else level
    meanings = {
        "†": f"difference shown on these outputs{', ' if metric.asks_of_methods else ' '}{alone}",
        "‡": "difference shown on these outputs and for the method",
        "?": "undecided (more trials are needed)",
        "=": "same score in every segment",
    }
    occur = "".join(marks.values())
    parts += [f"{mark}: {meaning}" for mark, meaning in meanings.items() if mark in occur]
    compared = [(one, pair) for one in metrics for pair in _by_system(one).values()]
    margins = margins_of(metrics) if compared else []
    for_method = " for the method" if metric.asks_of_methods else ""
    if margins:
        test = say_test(metric, of_method=metric.asks_of_methods)
        within = f"{listed(margins, 'or')}{for_method} ({test})"
        parts.append(
            f"{WITHIN}: difference shown to be smaller than {within}"
            if WITHIN in occur
            else f"no two systems are shown to be equal within {within}"
        )
    open_ones = [pair for one, pair in compared if not _mark(one, pair)]
    if any(margin_of(pair) is None for pair in open_ones):
        parts.append("no mark: difference not shown, which does not mean equal")
    elif open_ones:
        parts.append(f"no mark: neither a difference nor equality is shown{for_method}")
    if parts:
        said = "; ".join(parts)
        yield f"{begin(said)}."


def _equal_pairs(metrics: Sequence[MetricComparison]) -> Iterator[str]:
    """Name the pairs that are equal within the margin, where the table has no differences that could be marked."""
    for metric in metrics:
        if margins_of([metric]) and metric.compared_with is None:
            of_method = metric.ranking_of == "method"
            test = say_test(metric, of_method=of_method)
            yield from tell_equal_by(metric, of_method=of_method, where=False, test=test)
