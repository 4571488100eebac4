"""A comparison as HTML, for notebooks: the headline, one ranking of all metrics, the differences, the rest folded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from mtworkbench.tables.cells import (
    T_DIGITS,
    decimals_of,
    in_percent,
    interval_of,
    listed,
    name_of_p,
    p_digits,
    show_p,
    threshold_of,
)
from mtworkbench.tables.comparisons import direction_of, metric_heading, tabulate_details, tabulate_metric
from mtworkbench.tables.explanations import explain_comparison
from mtworkbench.tables.frames import Cell, Columns, number
from mtworkbench.tables.html import (
    Bold,
    Table,
    fold,
    paragraph,
    show_html,
    side_by_side,
    signature_to_html,
    table_to_html,
    without_empty,
)
from mtworkbench.tables.metric_names import label_result, label_results
from mtworkbench.tables.paragraphs import describe_comparison
from mtworkbench.tables.sentences import (
    ONLY_BY_CI,
    is_shown,
    is_shown_despite_ci,
    method_note,
    names_of_p,
    row_note,
    signature_of,
)
from mtworkbench.tables.sentences_on_equivalence import CANNOT_TELL, equality_note, margin_of
from mtworkbench.tables.sentences_on_top import explain_bold, where_shown
from mtworkbench.wording import begin

if TYPE_CHECKING:
    from mtworkbench.inference import Comparison, MetricComparison, PairEstimate

#: Of more comparisons than this, the differences are folded: the headline has counted them, and the ranking follows.
MAX_ROWS = 6
# What the table of systems has in the details alone.
DETAILS_OF_SYSTEMS = ("s_sel", "s_test", "deff")
BASELINE, AGAINST = "baseline", "against baseline"
# Of more metrics than this, the table of systems has no room for p.
MAX_WIDE = 2
# What the headings of tables for the method end with.
FOR_METHOD = "for the method (new training runs)"


def comparison_to_html(comparison: Comparison) -> str:
    """Write a comparison as HTML.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    str
        The headline; one table of the systems under all metrics, the best under the first metric at the top; the
        differences, of many comparisons folded; then, folded, what the columns mean, the details, and how to reproduce
        the numbers. Names are escaped, and never typeset as mathematics.
    """
    comparison = label_results(comparison)
    first, *others = comparison.headline
    metrics = comparison.metrics
    head = [paragraph(first, bold=True), *map(paragraph, others), _ranking_to_html(comparison)]
    if len(metrics) == 1:
        [metric] = metrics.values()
        differences = _differences(metric)
        more = fold("Details of the comparisons", _variation(metric), _errors(metric))
    else:
        differences = _overview(comparison)
        whole = [_all_of(key, metric) for key, metric in metrics.items()]
        more = fold("All columns: CI, p, win %, verdicts, details", *whole)
    # Below the table that shows the verdicts.
    most = max(len(metric.comparisons) for metric in metrics.values())
    tables = [differences, _legend(comparison)] if most <= MAX_ROWS else [_legend(comparison), differences]
    meaning = fold("What the columns mean", *map(paragraph, explain_comparison(comparison)))
    signatures = [
        signature_of(comparison, metric).replace("Signature", f"Signature of {key}", 1)
        for key, metric in metrics.items()
    ]
    reproduce = fold("How to reproduce the numbers", *map(signature_to_html, signatures))
    return show_html(*head, *tables, side_by_side(more, meaning, reproduce))


def metric_to_html(metric: MetricComparison) -> str:
    """Write what was found for one metric as HTML: its tables, then the same in words, folded."""
    metric = label_result(metric)
    baseline = metric.compared_with if len(metric.comparisons) > 1 else None
    caption = f"{metric.name}, {direction_of(metric)}. {explain_bold([metric])}".strip()
    return show_html(
        table_to_html(_ranking_of_one(metric, baseline), caption),
        _differences(metric),
        side_by_side(
            fold("Details of the comparisons", _variation(metric), _errors(metric)),
            fold("In words", paragraph(describe_comparison(metric))),
            fold("How to reproduce the numbers", signature_to_html(signature_of(metric.settings, metric))),
        ),
    )


# ---- the systems


def _ranking_to_html(comparison: Comparison) -> str:
    """Write one table of the systems under all metrics."""
    metrics, first = comparison.metrics, next(iter(comparison.metrics))
    if len(metrics) == 1:
        columns: Table = _ranking_of_one(metrics[first], comparison.baseline)
    else:
        columns = _ranking_of_all(comparison)
    heading = metric_heading(comparison, first)
    if len(metrics) > 1:
        of_runs = any(system.runs > 1 for metric in metrics.values() for system in metric.systems)
        what = "Scores (mean over runs)" if of_runs else "Scores"
        heading = f"{what} on{heading[heading.rindex(';') + 1 :]}; {_say_directions(metrics)}"
    said = [f"{heading}.", explain_bold(metrics.values())]
    if _is_one_table(comparison):
        said.append(f"Differences from {comparison.baseline}, on these outputs; bold where shown.")
    return table_to_html(columns, " ".join(filter(None, said)), label="Ranking of the systems")


def _say_directions(metrics: Mapping[str, MetricComparison]) -> str:
    """Say which way is better, of metrics with one direction together."""
    said: dict[str, list[str]] = {}
    for key, metric in metrics.items():
        said.setdefault(direction_of(metric), []).append(key)
    return "; ".join(f"{listed(names)}: {direction}" for direction, names in said.items())


def _ranking_of_one(metric: MetricComparison, baseline: str | None) -> Columns:
    """Return the terminal's table of systems, best first, without what stands in the details."""
    columns = next(iter(tabulate_metric(metric).values()))
    scores = {one.system: number(one.score, decimals_of(metric)) for one in metric.systems}
    shown = {heading: cells for heading, cells in columns.items() if heading not in DETAILS_OF_SYSTEMS}
    names, top = shown["system"], metric.top
    for heading, cells in shown.items():
        if heading != "system" and all(cell == scores[name] for cell, name in zip(cells, names, strict=True)):
            shown[heading] = [Bold(cell) if name in top else cell for cell, name in zip(cells, names, strict=True)]
    shown["system"] = [_mark(name, baseline) for name in names]
    for heading, found in _against_baseline(metric).items():
        shown[heading] = [found.get(name, Cell() if heading != AGAINST else "") for name in names]
    return without_empty(shown)


def _ranking_of_all(comparison: Comparison) -> Table:
    """Return one row per system, with its score under each metric."""
    names = [one.system for metric in comparison.metrics.values() for one in metric.systems_from_best]
    names = list(dict.fromkeys(names))
    runs = {one.system: one.runs for metric in comparison.metrics.values() for one in metric.systems}
    columns: dict[str | tuple[str, ...], list[str]] = {"system": [_mark(name, comparison.baseline) for name in names]}
    if max(runs.values()) > 1:
        columns["runs"] = [Cell(runs[name]) for name in names]
    for key, metric in comparison.metrics.items():
        found = _scores_of(metric) | _against_baseline(metric)
        if _is_one_table(comparison):
            found = {"score": found["score"]} | _differences_of(metric)
        elif len(comparison.metrics) > MAX_WIDE:
            found.pop(name_of_p(metric, of_method=metric.asks_of_methods), None)
        for below, cells in found.items():
            columns[key, below] = [cells.get(name, Cell() if below != AGAINST else "") for name in names]
    return without_empty(columns)


def _scores_of(metric: MetricComparison) -> dict[str, dict[str, str]]:
    """Return the columns of one metric in a table of several, by system: score, interval, and group."""
    digits, top = decimals_of(metric), metric.top
    scores = {one.system: number(one.score, digits) for one in metric.systems}
    columns: dict[str, dict[str, str]] = {
        "score": {name: Bold(score) if name in top else score for name, score in scores.items()},
        f"{in_percent(metric.level)} CI": {
            one.system: interval_of(one.low, one.high, digits) for one in metric.systems
        },
    }
    if metric.ranking is not None and metric.ranking[0].group is not None:
        columns["group"] = {one.system: one.group for one in metric.ranking}
    return columns


def _is_one_table(comparison: Comparison) -> bool:
    """Tell whether few systems under several metrics have their differences from the baseline next to their scores."""
    metrics = comparison.metrics.values()
    return (
        comparison.baseline is not None
        and len(metrics) > 1
        and all(2 <= len(metric.comparisons) <= MAX_ROWS and not metric.asks_of_methods for metric in metrics)
    )


def _differences_of(metric: MetricComparison) -> dict[str, dict[str, str]]:
    """Return the differences from the baseline on these outputs by system, in bold where shown, with adjusted p."""
    pairs = metric.comparisons
    return {
        "diff.": {pair.a: _difference(pair, pair.a, metric, of_method=False) for pair in pairs},
        name_of_p(metric): {pair.a: _adjusted_p(pair, metric, of_method=False) for pair in pairs},
    }


def _against_baseline(metric: MetricComparison) -> dict[str, dict[str, str]]:
    """Return the adjusted p and the verdict by system, where the differences from the baseline are folded."""
    if len(metric.comparisons) <= MAX_ROWS or metric.compared_with is None:
        return {}
    tables = list(tabulate_metric(metric).values())
    columns, verdict = (tables[-2], "method") if metric.asks_of_methods else (tables[-1], "these outputs")
    p = name_of_p(metric, of_method=metric.asks_of_methods)
    found = {p: columns[p], AGAINST: columns[verdict]}
    shown = {heading: dict(zip(columns["system"], cells, strict=True)) for heading, cells in found.items()}
    for pair in metric.comparisons:
        # What the test for the method shows alone is no conclusion.
        if metric.asks_of_methods and not is_shown(pair, of_method=True):
            open_note = equality_note(pair, of_method=True) or "not shown"
            shown[AGAINST][pair.a] = "undecided" if pair.verdict == "undecided" else open_note
    return shown


def _mark(name: str, baseline: str | None) -> str:
    return f"{name} ({BASELINE})" if name == baseline and name != BASELINE else name


# ---- the differences


def _differences(metric: MetricComparison) -> str:
    """Write the tables of differences, of many comparisons folded."""
    tables = dict(list(tabulate_metric(metric).items())[1:])
    shown = {heading: _differences_to_html(columns, heading) for heading, columns in tables.items()}
    if len(metric.comparisons) <= MAX_ROWS:
        return "".join(shown.values())
    return "".join(fold(f"{heading} ({len(metric.comparisons)} rows)", table) for heading, table in shown.items())


def _differences_to_html(columns: Columns, heading: str) -> str:
    """Write one table of differences: the verdict that goes with its p first, then that of the other table."""
    if "method" in columns:
        of_method = heading.endswith(FOR_METHOD)
        own, other = ("method", "these outputs") if of_method else ("these outputs", "method")
        named = {own: columns[own], f"{other} ({'below' if of_method else 'above'})": columns[other]}
        columns = {name: cells for name, cells in columns.items() if name not in (own, other)} | named
    return table_to_html(without_empty(columns), heading)


def _overview(comparison: Comparison) -> str:
    """Write one table of the differences of all metrics for each question, of many comparisons folded."""
    first = next((metric for metric in comparison.metrics.values() if metric.comparisons), None)
    if first is None or _is_one_table(comparison):
        return ""
    if len(first.comparisons) == 1:
        return "".join(_differences_to_html(columns, heading) for heading, columns in _stack(comparison).items())
    of_methods = any(metric.asks_of_methods for metric in comparison.metrics.values())
    what = "Differences" if comparison.baseline is None else f"Difference from {comparison.baseline}"
    shown = {}
    for of_method in (True, False) if of_methods else (False,):
        heading = f"{what}, {FOR_METHOD if of_method else 'on these outputs'}"
        columns = _overview_columns(comparison, of_method=of_method)
        n_heads = 1 if comparison.baseline is not None else 2
        shown[heading] = table_to_html(columns, f"{heading}. Bold: shown.", n_heads=n_heads)
    if len(first.comparisons) <= MAX_ROWS:
        return "".join(shown.values())
    return "".join(fold(f"{heading} ({len(first.comparisons)} rows)", table) for heading, table in shown.items())


def _legend(comparison: Comparison) -> str:
    """Say in one line below the tables what is most easily misread."""
    metrics = [metric for metric in comparison.metrics.values() if metric.comparisons]
    if not metrics:
        return ""
    counts = sorted({metric.family_size for metric in metrics})
    n_pairs = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    each = " under each metric" if len(metrics) > 1 else ""
    if counts[-1] > 1:
        whose = " of all metrics" if each and comparison.family == "all" else each
        family = f"{n_pairs} comparisons{whose}{_count_of_methods(metrics)}"
        said = [
            f"{names_of_p(metrics, 'and')}: adjusted for {family}; the verdicts go by it. The CIs are not adjusted."
        ]
    else:
        said = [f"There is one comparison{each}, so p is not adjusted."]
    said += _explain_verdicts(metrics)
    if any(metric.higher_is_better is False for metric in metrics):
        said.append("Where lower is better, a negative difference is good.")
    whose = {where_shown(metric) for metric in metrics if metric.ranking is not None and metric.ranking[0].group}
    if whose:
        each = "under one metric " if len(metrics) > 1 else ""
        where = f" {whose.pop()}" if len(whose) == 1 else ""
        said.append(f"Systems that share a letter {each}are not shown to differ{where}.")
    if not _is_one_table(comparison):
        said.append("The CIs of two scores may overlap although their difference is shown.")
    return paragraph(" ".join(said))


def _count_of_methods(metrics: Sequence[MetricComparison]) -> str:
    """Say for how many comparisons the p for the method is adjusted, where those are fewer."""
    asked = [metric for metric in metrics if metric.asks_of_methods]
    counts = sorted({metric.method_family_size for metric in asked})
    if all(metric.method_family_size == metric.family_size for metric in asked):
        return ""
    return f" (for the method: {counts[0]}{'' if len(counts) == 1 else f' to {counts[-1]}'})"


def _explain_verdicts(metrics: Sequence[MetricComparison]) -> Iterable[str]:
    """Explain the verdicts that occur."""
    pairs, level = [pair for metric in metrics for pair in metric.comparisons], metrics[0].level
    verdicts = {pair.verdict for pair in pairs} | {pair.method_verdict for pair in pairs}
    notes = {
        note
        for metric in metrics
        for pair in metric.comparisons
        for note in (row_note(pair, metric), method_note(pair, metric))
    }
    if any(map(_has_cannot_tell, metrics)):
        yield f'"{CANNOT_TELL.capitalize()}": neither a difference nor equality within the margin is shown.'
    if "not significant" in verdicts and any(margin_of(pair) is None for pair in pairs):
        yield '"Not shown" does not mean "equal".'
    adjusted = [f'"{begin(note)}"' for note in sorted(filter(None, notes - {ONLY_BY_CI}))]
    if adjusted:
        yield f"{listed(adjusted, 'or')}: would be shown on its own, but not among several comparisons."
    if any(map(is_shown_despite_ci, pairs)):
        yield "A difference may be shown although its CI includes 0: go by the test."
    if "undecided" in verdicts:
        close = f"too close to {threshold_of(level)} for {metrics[0].n_trials:,} random trials"
        yield f'"Undecided" or "?": {name_of_p(metrics[0])} is {close}; more trials are needed.'


def _has_cannot_tell(metric: MetricComparison) -> bool:
    """Tell whether a cell of a metric's tables says that neither a difference nor equality is shown."""
    against = _against_baseline(metric).get(AGAINST, {}).values()
    verdicts = list(tabulate_metric(metric).values())[-1]
    return CANNOT_TELL in [*against, *verdicts["these outputs"], *verdicts.get("method", [])]


def _stack(comparison: Comparison) -> dict[str, Columns]:
    """Return the tables of a single difference with one row per metric."""
    found: dict[str, dict[str, Columns]] = {}
    for key, metric in comparison.metrics.items():
        for heading, columns in list(tabulate_metric(metric).items())[1:]:
            found.setdefault(heading, {})[key] = columns
    stacked = {}
    for heading, tables in found.items():
        names = dict.fromkeys(name for columns in tables.values() for name in columns)
        cells = {name: [columns.get(name, [Cell()])[0] for columns in tables.values()] for name in names}
        # The words at the right stay there.
        verdicts = {name: cells.pop(name) for name in ("these outputs", "method") if name in cells}
        stacked[heading] = {"metric": list(tables)} | cells | verdicts
    return stacked


def _overview_columns(comparison: Comparison, *, of_method: bool) -> Table:
    """Return difference and adjusted p of each comparison under each metric, rows in the order of the first metric."""
    found: dict[frozenset[str], tuple[str, str]] = {}
    for metric in comparison.metrics.values():
        for row in _rows_of(metric) if metric.comparisons else ():
            found.setdefault(frozenset(row), row)
    rows = list(found.values())
    columns: dict[str | tuple[str, ...], list[str]] = {"system": [a for a, _ in rows]}
    if comparison.baseline is None:
        columns["against"] = [b for _, b in rows]
    for key, metric in comparison.metrics.items():
        pairs = {(pair.a, pair.b): pair for pair in metric.comparisons}
        of_rows = [pairs.get((a, b)) or pairs.get((b, a)) for a, b in rows]
        columns[key, "diff."] = [
            _difference(pair, row[0], metric, of_method=of_method) for pair, row in zip(of_rows, rows, strict=True)
        ]
        columns[key, name_of_p(metric, of_method=of_method)] = [
            _adjusted_p(pair, metric, of_method=of_method) for pair in of_rows
        ]
    return without_empty(columns)


def _rows_of(metric: MetricComparison) -> list[tuple[str, str]]:
    """Return the systems of each comparison in the order of the terminal's table."""
    tabulated = list(tabulate_metric(metric).values())[-1]
    against = tabulated.get("against", [metric.comparisons[0].b] * len(metric.comparisons))
    return list(zip(tabulated["system"], against, strict=True))


def _difference(pair: PairEstimate | None, system: str, metric: MetricComparison, *, of_method: bool) -> Cell:
    """Write the difference of a system from the other, in bold where it is shown."""
    if pair is None:
        return Cell()
    difference = pair.difference if pair.a == system else -pair.difference
    shown = number(difference, decimals_of(metric))
    if pair.verdict == "undecided":
        return Cell(f"{shown}?")
    return Bold(shown) if is_shown(pair, of_method=of_method) else shown


def _adjusted_p(pair: PairEstimate | None, metric: MetricComparison, *, of_method: bool) -> Cell:
    if pair is None:
        return Cell()
    if of_method:
        return show_p(pair.method_p_adjusted, T_DIGITS)
    return show_p(pair.p_adjusted, p_digits(pair, metric.n_trials))


# ---- the details


def _all_of(key: str, metric: MetricComparison) -> str:
    """Write the whole tables of one of several metrics."""
    tables = tabulate_metric(metric).items()
    shown = [_differences_to_html(columns, f"{key}: {heading or 'Systems'}") for heading, columns in tables]
    return "".join([*shown, _errors(metric)])


def _variation(metric: MetricComparison) -> str:
    """Write how the scores of each system vary, where that is known."""
    systems = next(iter(tabulate_metric(metric).values()))
    varying = {name: cells for name, cells in systems.items() if name in ("system", *DETAILS_OF_SYSTEMS)}
    return table_to_html(varying, f"{metric.name}: how the scores vary") if len(varying) > 1 else ""


def _errors(metric: MetricComparison) -> str:
    """Write what a paper has no room for: the simulation error of each p, trials needed, design effects."""
    if not metric.comparisons:
        return ""
    columns = without_empty(tabulate_details(metric))
    return table_to_html(columns, f"{metric.name}: simulation error of p, and further details of the tests")
