"""Comparisons as documents, of one test set and of several: for a notebook, for a terminal, for a paper.

A notebook has the headline, one ranking of all metrics, the differences, and the rest folded; text has wide tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric
from mtworkbench.results.comparisons import Comparison, MetricComparison, PairEstimate
from mtworkbench.wording import begin, grouped, listed
from mtworkbench.words.cells import direction_of, explain_brackets, name_of_p, say_undecided
from mtworkbench.words.columns import (
    AGAINST,
    METHOD,
    OUTPUTS,
    OVERVIEW,
    Question,
    name_ci,
    name_p,
    name_score,
    set_top_in_bold,
    tabulate_differences,
    tabulate_systems,
)
from mtworkbench.words.document import AnyColumns, Document, Section, Table, cells_of, without_empty
from mtworkbench.words.explanations import explain
from mtworkbench.words.frames import Bold, Cell, Columns
from mtworkbench.words.headlines import describe_briefly
from mtworkbench.words.metric_names import label_result, label_results
from mtworkbench.words.metric_tables import (
    FOR_METHOD,
    MARKS,
    head_metric,
    sign,
    tabulate_details,
    tabulate_left_out,
    tabulate_metric,
    tabulate_questions,
)
from mtworkbench.words.papers import build_paper, build_wide_paper
from mtworkbench.words.paragraphs import describe_metric
from mtworkbench.words.scopes import AnyComparison, AnyMetric, fewer_methods, is_shown, pairs_of
from mtworkbench.words.sentences import explain_other_cis, names_of_p, say_joint
from mtworkbench.words.sentences_on_doubts import describe_parts
from mtworkbench.words.sentences_on_equivalence import CANNOT_TELL, margin_of
from mtworkbench.words.sentences_on_top import explain_bold, is_of_method, where_shown

#: Of more comparisons than this, the differences are folded: the headline has counted them, and the ranking follows.
MAX_ROWS = 6
# Of several test sets, more have room, because what follows is about the sets.
MAX_ROWS_OF_SETS = 10
# What the table of systems has in the details alone.
DETAILS_OF_SYSTEMS = ("s_sel", "s_test", "deff", "BP", "length ratio")
BASELINE = "baseline"
LEFT_OUT = "p for new test sets when each set is left out in turn (Student's t of the other sets)"
# Of more metrics than this, the table of systems has no room for p.
MAX_WIDE = 2


def build_comparison(comparison: AnyComparison, format: str = "html", *, all_columns: bool = False) -> Document:
    """Lay out a comparison for the readers of a format.

    Parameters
    ----------
    comparison : Comparison or CampaignComparison
    format : {"html", "text", "markdown", "latex"}
        A notebook has an overview, text the wide tables, a paper its own.
    all_columns : bool
        Whether a paper has the wide tables, too.
    """
    comparison = label_results(comparison)
    if format in ("markdown", "latex") and not all_columns:
        return build_paper(comparison, format)
    if format == "text":
        document = _build_for_reading(comparison)
    elif format != "html":
        document = build_wide_paper(comparison, format)
    elif isinstance(comparison, CampaignComparison):
        document = _show_campaign(comparison)
    else:
        document = _show_comparison(comparison)
    tables = (table for section in (*document.sections, *document.details) for table in section.tables)
    explained = [*document.explanation, *(f"{begin(one)}." for one in explain_brackets(cells_of(tables)))]
    return replace(document, explanation=explained)


def _build_for_reading(comparison: AnyComparison) -> Document:
    """Lay out the tables of each metric with all columns that have room, and what they mean."""
    sections = [
        Section(key, head_metric(comparison, key)[len(key) :], tables=tabulate_metric(comparison, key))
        for key in comparison.metrics
    ]
    explained = _explain_more(comparison)
    headline = describe_briefly(comparison, options=True)
    return Document(headline, sections, explanation=explained, signatures=sign(comparison))


def _explain_more(comparison: AnyComparison) -> list[str]:
    """Explain below the tables what the headline has not said, perhaps as the end of a sentence."""
    return [one for one in explain(comparison) if not any(said.endswith(one[1:]) for said in comparison.headline)]


def _show_comparison(comparison: Comparison) -> Document:
    """Lay out a comparison on one test set.

    Returns
    -------
    Document
        The headline; one table of the systems under all metrics, the best under the first metric at the top; the
        differences, of many comparisons folded; the details of each metric.
    """
    metrics = comparison.metrics
    if len(metrics) == 1:
        [metric] = metrics.values()
        differences = _differences(metric)
        details = Section("Details of the comparisons", tables=_details(metric))
    else:
        differences = _overview(comparison)
        whole = [table for key, metric in metrics.items() for table in _all_of(key, metric)]
        details = Section("All columns: CI, p, win %, verdicts, details", tables=whole)
    # Below the table that shows the verdicts.
    many = max(len(metric.comparisons) for metric in metrics.values()) > MAX_ROWS
    ranking, legend = _ranking(comparison), _legend(comparison)
    return Document(
        comparison.headline,
        [
            Section(tables=[ranking] if many else [ranking, *differences], notes=legend),
            Section(tables=differences if many else []),
        ],
        details=[details],
        explanation=_explain_more(comparison),
        signatures=sign(comparison, always=True),
    )


def show_metric(metric: MetricComparison) -> Document:
    """Lay out what was found for one metric: what it is and rests on, its tables, then the same in words."""
    metric = label_result(metric)
    baseline = metric.compared_with if len(metric.comparisons) > 1 else None
    caption = f"{metric.name}, {direction_of(metric)}. {explain_bold([metric])}".strip()
    return Document(
        metric.headline,
        sections=[Section(tables=[Table(_ranking_of_one(metric, baseline), caption=caption), *_differences(metric)])],
        details=[
            Section("Details of the comparisons", tables=_details(metric)),
            Section("In words", notes=[describe_metric(metric)]),
        ],
        signatures=[f"Signature: {metric.signature}|{metric.settings.signature}"],
    )


def _show_campaign(comparison: CampaignComparison) -> Document:
    """Lay out a comparison on several test sets: the tables of the first metric, those of the others folded."""
    sections = [
        Section(
            head_metric(comparison, key),
            tables=[
                _of_sets(metric, table, place == 0) for place, table in enumerate(tabulate_metric(comparison, key))
            ],
            folded=number > 0,
        )
        for number, (key, metric) in enumerate(comparison.metrics.items())
    ]
    left_out = {key: tabulate_left_out(metric) for key, metric in comparison.metrics.items()}
    tables = [Table(columns, caption=f"{key}: {LEFT_OUT}") for key, columns in left_out.items() if columns]
    return Document(
        comparison.headline,
        sections,
        details=[Section("Test sets left out", tables=tables)] if tables else [],
        explanation=_explain_more(comparison),
        signatures=sign(comparison),
    )


def _of_sets(metric: CampaignMetric, table: Table, is_first: bool) -> Table:
    """Set what stands out in bold: the systems at the top, and the differences that are shown on their test set."""
    heading, shown = table.heading, MARKS["significant"]
    meaning = explain_bold([metric]) if is_first else ""
    tabulated = set_top_in_bold(table.columns, metric) if is_first else table.columns
    columns = {
        name: [Bold(cell) if isinstance(cell, Cell) and cell.endswith(shown) else cell for cell in cells]
        for name, cells in tabulated.items()
    }
    many = len(metric.comparisons) > MAX_ROWS_OF_SETS and "against" in columns
    return replace(
        table,
        columns=columns,
        n_names=1,
        caption=f"{heading}. {meaning}" if meaning else f"{heading}:",
        label=f"{heading}:",
        folded=f"{heading} ({len(columns['system'])} rows)" if many else "",
        instead=table.instead and _of_sets(metric, table.instead, False),
    )


# ---- the systems


def _ranking(comparison: Comparison) -> Table:
    """Lay out one table of the systems under all metrics."""
    metrics, first = comparison.metrics, next(iter(comparison.metrics))
    alone = len(metrics) == 1
    columns = _ranking_of_one(metrics[first], comparison.baseline) if alone else _ranking_of_all(comparison)
    heading = head_metric(comparison, first)
    if len(metrics) > 1:
        of_runs = any(system.runs > 1 for metric in metrics.values() for system in metric.systems)
        what = "Scores (mean over runs)" if of_runs else "Scores"
        heading = f"{what} on{heading[heading.rindex(';') + 1 :]}; {_describe_directions(metrics)}"
    said = [f"{heading}.", explain_bold(metrics.values())]
    if _is_one_table(comparison):
        said.append(f"Differences from {comparison.baseline}, on these outputs; bold where shown.")
    return Table(columns, caption=" ".join(filter(None, said)), label="Ranking of the systems")


def _describe_directions(metrics: Mapping[str, MetricComparison]) -> str:
    """Say which way is better, of metrics with one direction together."""
    said = grouped((direction_of(metric), key) for key, metric in metrics.items())
    return "; ".join(f"{listed(names)}: {direction}" for direction, names in said.items())


def _ranking_of_one(metric: MetricComparison, baseline: str | None) -> Columns:
    """Return the terminal's table of systems, best first, without what stands in the details."""
    columns = set_top_in_bold(tabulate_systems(metric), metric)
    names = columns["system"]
    shown = {heading: cells for heading, cells in columns.items() if heading not in DETAILS_OF_SYSTEMS}
    shown["system"] = [_mark(name, baseline) for name in names]
    found = _against_baseline(metric)
    shown = {heading: cells for heading, cells in shown.items() if heading not in found}
    for heading, own in found.items():
        shown[heading] = [own.get(name, Cell() if heading != AGAINST else "") for name in names]
    return shown


def _ranking_of_all(comparison: Comparison) -> AnyColumns:
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
            found.pop(name_of_p(metric, of_method=is_of_method(metric)), None)
        for below, cells in found.items():
            columns[key, below] = [cells.get(name, Cell() if below != AGAINST else "") for name in names]
    return without_empty(columns)


def _scores_of(metric: MetricComparison) -> dict[str, dict[str, str]]:
    """Return the columns of one metric in a table of several, by system: score, interval, and group."""
    columns = set_top_in_bold(tabulate_systems(metric), metric)
    found = {"score": columns[name_score(metric)], name_ci(metric): columns[name_ci(metric)]}
    found |= {"group": columns["group"]} if "group" in columns else {}
    return _by_system(found, columns["system"])


def _by_system(columns: Columns, names: Sequence[str]) -> dict[str, dict[str, str]]:
    return {heading: dict(zip(names, cells, strict=True)) for heading, cells in columns.items()}


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
    return _by_system(_overview_of(metric, metric.comparisons, OUTPUTS), [pair.a for pair in metric.comparisons])


def _against_baseline(metric: MetricComparison) -> dict[str, dict[str, str]]:
    """Return the adjusted p and the verdict by system, where the differences from the baseline are folded."""
    if len(metric.comparisons) <= MAX_ROWS or metric.compared_with is None:
        return {}
    question, verdict = (METHOD, "method") if is_of_method(metric) else (OUTPUTS, "these outputs")
    columns, p = tabulate_differences(metric, metric.comparisons, question), name_p(metric, question)
    return _by_system({p: columns[p], AGAINST: columns[verdict]}, [pair.a for pair in metric.comparisons])


def _mark(name: str, baseline: str | None) -> str:
    return f"{name} ({BASELINE})" if name == baseline and name != BASELINE else name


# ---- the differences


def _differences(metric: MetricComparison) -> list[Table]:
    """Lay out the tables of differences, of many comparisons folded."""
    return _folded(map(_of_one_question, tabulate_questions(metric)[1:]), len(metric.comparisons))


def _folded(tables: Iterable[Table], n_rows: int) -> list[Table]:
    """Fold tables of many comparisons, each under its heading."""
    many = n_rows > MAX_ROWS
    return [replace(one, folded=f"{one.heading} ({n_rows} rows)" if many else "") for one in tables]


def _of_one_question(table: Table, caption: str = "") -> Table:
    """Lay out one table of differences: the verdict that goes with its p first, then that of the other table."""
    columns = dict(table.columns)
    if "method" in columns:
        of_method = table.heading.endswith(FOR_METHOD)
        own, other = ("method", "these outputs") if of_method else ("these outputs", "method")
        named = {own: columns[own], f"{other} ({'below' if of_method else 'above'})": columns[other]}
        columns = {name: cells for name, cells in columns.items() if name not in (own, other)} | named
    return replace(table, columns=columns, caption=caption or table.heading, n_names=1)


def _overview(comparison: Comparison) -> list[Table]:
    """Lay out one table of the differences of all metrics for each question, of many comparisons folded."""
    first = next((metric for metric in comparison.metrics.values() if metric.comparisons), None)
    if first is None or _is_one_table(comparison):
        return []
    if len(first.comparisons) == 1:
        return [_of_one_question(table) for table in _stack(comparison)]
    of_methods = any(metric.asks_of_methods for metric in comparison.metrics.values())
    what = "Differences" if comparison.baseline is None else f"Difference from {comparison.baseline}"
    n_names = 1 if comparison.baseline is not None else 2
    tables = []
    for question in (METHOD, OUTPUTS) if of_methods else (OUTPUTS,):
        heading = f"{what}, {FOR_METHOD if question is METHOD else 'on these outputs'}"
        columns = _overview_columns(comparison, question)
        tables.append(Table(columns, heading, caption=f"{heading}. Bold: shown.", n_names=n_names))
    return _folded(tables, len(first.comparisons))


def _legend(comparison: Comparison) -> list[str]:
    """Say in one line below the tables what is most easily misread."""
    metrics = [metric for metric in comparison.metrics.values() if metric.comparisons]
    if not metrics:
        return []
    counts = sorted({metric.family_size for metric in metrics})
    n_pairs = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    each = " under each metric" if len(metrics) > 1 else ""
    if counts[-1] > 1:
        whose = " of all metrics" if each and comparison.family == "all" else each
        family = f"{n_pairs} comparisons{whose}{_count_of_methods(metrics)}"
        joint = "; the CIs hold for all of them together" if say_joint(metrics[0], counts[-1]) else ""
        said = [f"{names_of_p(metrics, 'and')}: adjusted for {family}; the verdicts go by it{joint}."]
    else:
        said = [f"There is one comparison{each}, so p is not adjusted."]
    said += [explain_other_cis(metrics[0]), *_explain_verdicts(metrics)]
    if any(metric.higher_is_better is False for metric in metrics):
        said.append("Where lower is better, a negative difference is good.")
    shown_for = {where_shown(metric) for metric in metrics if metric.has_ranks}
    if shown_for:
        each = "under one metric " if len(metrics) > 1 else ""
        where = f" {shown_for.pop()}" if len(shown_for) == 1 else ""
        said.append(f"Systems that share a letter {each}are not shown to differ{where}.")
    if not _is_one_table(comparison) and any(map(_overlaps, metrics)):
        said.append("The CIs of two scores may overlap although their difference is shown.")
    return [" ".join(filter(None, [*said, *describe_parts(comparison)]))]


def _overlaps(metric: AnyMetric) -> bool:
    """Tell whether the intervals of two scores overlap whose difference is shown."""
    ends = {one.system: (one.low, one.high) for one in metric.systems if one.low is not None and one.high is not None}
    shown = ((ends.get(pair.a), ends.get(pair.b)) for pair in metric.comparisons if pair.verdict == "significant")
    return any(a is not None and b is not None and a[0] <= b[1] and b[0] <= a[1] for a, b in shown)


def _count_of_methods(metrics: Sequence[MetricComparison]) -> str:
    """Say for how many comparisons the p for the method is adjusted, where those are fewer."""
    counts = fewer_methods(metrics)
    return f" (for the method: {listed(map(str, dict.fromkeys((counts[0], counts[-1]))), 'to')})" if counts else ""


def _explain_verdicts(metrics: Sequence[MetricComparison]) -> Iterable[str]:
    """Explain the verdicts that occur."""
    pairs = [pair for metric in metrics for pair in metric.comparisons]
    verdicts = {pair.verdict for pair in pairs} | {pair.method_verdict for pair in pairs}
    if any(map(_has_cannot_tell, metrics)):
        yield f'"{CANNOT_TELL.capitalize()}": neither a difference nor equality within the margin is shown.'
    if "not significant" in verdicts and any(margin_of(pair) is None for pair in pairs):
        yield '"Not shown" does not mean "equal".'
    undecided = [one for one in metrics if any(pair.verdict == "undecided" for pair in one.comparisons)]
    for why in dict.fromkeys(map(say_undecided, undecided)):
        yield f'"Undecided" or "?": {why}.'


def _has_cannot_tell(metric: MetricComparison) -> bool:
    """Tell whether a cell of a metric's tables says that neither a difference nor equality is shown."""
    against = _against_baseline(metric).get(AGAINST, {}).values()
    verdicts = tabulate_differences(metric, metric.comparisons, OUTPUTS)
    return CANNOT_TELL in [*against, *verdicts["these outputs"], *verdicts.get("method", [])]


def _stack(comparison: Comparison) -> list[Table]:
    """Return the tables of a single difference with one row per metric."""
    found: dict[str, dict[str, AnyColumns]] = {}
    for key, metric in comparison.metrics.items():
        for table in tabulate_questions(metric)[1:]:
            found.setdefault(table.heading, {})[key] = table.columns
    stacked = []
    for heading, tables in found.items():
        names = dict.fromkeys(name for columns in tables.values() for name in columns)
        cells = {name: [columns.get(name, [Cell()])[0] for columns in tables.values()] for name in names}
        # The words at the right stay there.
        verdicts = {name: cells.pop(name) for name in ("these outputs", "method") if name in cells}
        stacked.append(Table({"metric": list(tables)} | cells | verdicts, heading))
    return stacked


def _overview_columns(comparison: Comparison, question: Question) -> AnyColumns:
    """Return difference and adjusted p of each comparison under each metric, rows in the order of the first metric."""
    rows = pairs_of(pair for metric in comparison.metrics.values() for pair in metric.comparisons_from_best)
    columns: dict[str | tuple[str, ...], Sequence[str]] = {"system": [a for a, _ in rows]}
    if comparison.baseline is None:
        columns["against"] = [b for _, b in rows]
    for key, metric in comparison.metrics.items():
        pairs = {(pair.a, pair.b): pair for pair in metric.comparisons}
        pairs |= {(b, a): pair.turned() for (a, b), pair in pairs.items()}
        for heading, cells in _overview_of(metric, [pairs.get(row) for row in rows], question).items():
            columns[key, heading] = cells
    return columns


def _overview_of(metric: MetricComparison, rows: Sequence[PairEstimate | None], question: Question) -> Columns:
    """Return differences with p, in bold where they are shown; a question mark stands at what is undecided."""
    columns = tabulate_differences(metric, rows, question, OVERVIEW)
    columns["diff."] = [
        cell if pair is None else _stress(cell, pair, question)
        for pair, cell in zip(rows, columns["diff."], strict=True)
    ]
    return columns


def _stress(cell: str, pair: PairEstimate, question: Question) -> Cell:
    if pair.verdict == "undecided":
        return Cell(f"{cell}?")
    return Bold(cell) if is_shown(pair, of_method=question.of_method) else Cell(cell)


# ---- the details


def _all_of(key: str, metric: MetricComparison) -> list[Table]:
    """Lay out the whole tables of one of several metrics."""
    tables = tabulate_questions(metric)
    return [*(_of_one_question(one, f"{key}: {one.heading or 'Systems'}") for one in tables), *_errors(metric)]


def _details(metric: MetricComparison) -> list[Table]:
    """Lay out how the scores of each system vary, where that is known, and the errors of p."""
    systems = tabulate_systems(metric)
    varying = {name: cells for name, cells in systems.items() if name in ("system", *DETAILS_OF_SYSTEMS)}
    caption = f"{metric.name}: how the scores vary"
    return [*([Table(varying, caption=caption)] if len(varying) > 1 else []), *_errors(metric)]


def _errors(metric: MetricComparison) -> list[Table]:
    """Lay out what a paper has no room for: the simulation error of each p, design effects."""
    if not metric.comparisons:
        return []
    caption = f"{metric.name}: simulation error of p, and further details of the tests"
    return [Table(tabulate_details(metric), caption=caption)]
