"""A comparison as a table to read or as the JSON and CSV that other programs rely on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.campaign_results import CampaignComparison
from mtworkbench.inference.comparison_results import Comparison, MetricComparison
from mtworkbench.inference.results import Estimate, FurtherTest
from mtworkbench.metrics.directions import has_direction
from mtworkbench.tables.cells import (
    ADJUSTMENTS,
    EXACT_DIGITS,
    T_DIGITS,
    decimals_of,
    direction_of,
    in_percent,
    interval_of,
    is_exact,
    leads,
    listed,
    name_adjusted,
    name_of_p,
    p_digits,
    rests_on_parts,
    show_p,
)
from mtworkbench.tables.explanations import explain_comparison
from mtworkbench.tables.frames import (
    WIDTH,
    Cell,
    Columns,
    columns_to_markdown,
    columns_to_text,
    escape_markdown,
    fit_columns,
    frame_to_csv,
    number,
    plain,
    printable,
    wrap,
)
from mtworkbench.tables.latex import columns_to_latex, comment, comment_wrapped, escape_latex, preamble
from mtworkbench.tables.metric_names import label_metric, label_results
from mtworkbench.tables.paper import caption_of_all_columns, paper_table, paper_tables
from mtworkbench.tables.paragraphs import describe_comparison
from mtworkbench.tables.sentences import comparative, method_note, row_note, signature_of
from mtworkbench.tables.sentences_on_equivalence import (
    equality_column,
    equality_note,
    is_equal,
    margin_of,
    smallest_columns,
)
from mtworkbench.wording import tally

if TYPE_CHECKING:
    from mtworkbench.inference import PairEstimate

FORMATS = ("text", "json", "latex", "markdown", "csv")
# Keys of the JSON of a comparison may be added later, never changed or taken away; then this number rises.
SCHEMA = 2
OWN_COLUMNS = ("system", "rank", "ranks", "ranks (bootstrap)", "group", "runs", "s_sel", "s_test", "deff")
# A baseline with a longer name is called the baseline beside the share of resamples that it wins.
SHORT_NAME = 8
# How the intervals of max-T are called, before their level.
SIMULTANEOUS = "simultaneous"
# What a table of text leaves out, in this order, where the width is too small: the verdicts need none of it.
DISPENSABLE = ("win %", "deff", "df", "p (equiv., Holm)", "p (equiv.)", "p", "rank", "runs")


def format_comparison(
    comparison: Comparison,
    format: str = "text",
    warnings: Iterable[DataWarning] = (),
    *,
    width: int = WIDTH,
    all_columns: bool = False,
) -> str:
    """Write a comparison as a table.

    Parameters
    ----------
    comparison : Comparison
    format : {"text", "json", "latex", "markdown", "csv"}
        Text, Markdown and LaTeX begin with the headline, which in LaTeX is a comment. Text has, for each metric, a
        table of systems (from three systems on a ranking) and one of differences for each question; it then explains
        the columns, and ends with the signatures. LaTeX (package booktabs) and Markdown have the table of a paper: a
        row per system, the best first; the score and, with a baseline, the difference, its confidence interval and p,
        for the method where there are enough runs; of all pairs, the ranks and groups. JSON and CSV have every figure,
        unrounded, CSV one row per comparison.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that a table of text may take: in a narrow one names are shortened, and the columns that the verdicts
        do not need are left out. Sentences take at most 100.
    all_columns : bool, default False
        Whether LaTeX and Markdown have the tables of the text instead, with every column.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``), and where this is not a whole comparison (``not-a-comparison``).
    """
    if not isinstance(comparison, Comparison):
        raise _not_a_comparison(comparison)
    if format == "json":
        return json.dumps(comparison_to_dict(comparison, warnings), indent=2, allow_nan=False) + "\n"
    if format == "csv":
        return frame_to_csv(comparison_frame(comparison))
    comparison = label_results(comparison)
    if format == "text":
        return _comparison_to_text(comparison, width)
    if format == "latex":
        return _comparison_to_latex(comparison, all_columns)
    if format == "markdown":
        return _comparison_to_markdown(comparison, all_columns)
    raise unknown_format(format, FORMATS)


def unknown_format(format: object, formats: Sequence[str]) -> InputError:
    """Return the error for a format that is not among those that a table can be written in."""
    return InputError("format", f"The format {format!r} is not known: choose one of {', '.join(formats)}.")


def _not_a_comparison(given: object) -> InputError:
    if isinstance(given, MetricComparison):
        found = f"The results of one metric, {given.name}, were"
        hint = "pass the comparison itself, or write one metric in words with describe_comparison"
    elif isinstance(given, CampaignComparison):
        found, hint = "A comparison of several test sets was", "use format_campaign"
    else:
        found, hint = f"An object of type {type(given).__name__} was", "pass what compare() returned"
    return InputError("not-a-comparison", f"{found} given, but a whole comparison was expected: {hint}.", hint=hint)


def _tabulate_all(metric: MetricComparison) -> dict[str, Columns]:
    """Return the tables of one metric with every column: also intervals that hold for all comparisons together."""
    tables = tabulate_metric(metric)
    simultaneous = {name: cells for name, cells in tabulate_details(metric).items() if name.startswith(SIMULTANEOUS)}
    if simultaneous:
        heading, columns = tables.popitem()  # that on these outputs is the last
        after = list(columns).index(_ci(metric)) + 1
        items = list(columns.items())
        tables[heading] = dict([*items[:after], *simultaneous.items(), *items[after:]])
    return tables


def _comparison_to_markdown(comparison: Comparison, all_columns: bool) -> str:
    """Write the headline and the tables of each metric; where these have every column, also what columns mean."""
    write = _metric_to_markdown if all_columns else _paper_to_markdown
    explained = explain_comparison(comparison) if all_columns else []
    headline, explanation = (
        ["\n\n".join(map(escape_markdown, said)) + "\n"] if said else [] for said in (comparison.headline, explained)
    )
    parts = [*headline, *(write(comparison, key) for key in comparison.metrics), *explanation]
    return "\n".join(parts)


def comparison_to_dict(comparison: Comparison, warnings: Iterable[DataWarning] = ()) -> dict[str, object]:
    """Return a comparison as the object of ``mtworkbench compare --format json``: what is absent is None."""
    head = fields_of(comparison.settings)
    head |= {"n_segments": comparison.n_segments, "n_documents": comparison.n_documents}
    metrics = {
        key: {"signature": metric.signature, "higher_is_better": metric.higher_is_better}
        | {"systems": [fields_of(estimate) for estimate in metric.systems]}
        | {"comparisons": [fields_of(pair) for pair in metric.comparisons]}
        | {"ranking": None if metric.ranking is None else [fields_of(ranked) for ranked in metric.ranking]}
        | {"ranking_of": metric.ranking_of}
        | {"label": label_metric(key, metric.signature)}
        for key, metric in comparison.metrics.items()
    }
    noticed = {"warnings": list_warnings(warnings)}
    return {"schema": SCHEMA} | head | {"metrics": metrics} | noticed | {"headline": comparison.headline}


def comparison_frame(comparison: Comparison) -> pd.DataFrame:
    """Return one row per comparison for CSV: ``metric`` and JSON's keys."""
    frame = comparison.to_frame().astype(object)
    for name in ("metric", "a", "b", "better"):
        # pandas may hold an absent name as NaN
        frame[name] = [printable(name) if isinstance(name, str) else None for name in frame[name]]
    return frame


def fields_of(estimate: Estimate) -> dict[str, Any]:
    """Return the shown fields as JSON values."""
    return {key: plain(value) for key, value in estimate.shown().items()}


def list_warnings(warnings: Iterable[DataWarning]) -> list[dict[str, Any]]:
    """Return warnings as JSON has them."""
    return [{key: plain(getattr(one, key)) for key in ("code", "message", "path", "line", "count")} for one in warnings]


def _comparison_to_text(comparison: Comparison, width: int) -> str:
    """Write the headline, the tables of each metric, what their columns mean, and how to reproduce the numbers."""
    parts = ["".join(wrap(sentence, width) + "\n" for sentence in comparison.headline)]
    fits: dict[str, dict[str, bool]] = {}  # by column and metric
    for key, metric in comparison.metrics.items():
        parts.append(f"{wrap(metric_heading(comparison, key), width)}\n")
        for heading, columns in tabulate_metric(metric).items():
            parts += [wrap(f"{heading}:", width) + "\n"] if heading else []
            n_names = sum(name in columns for name in ("system", "against"))
            # In the end also the verdict that the other table has.
            dispensable = [*DISPENSABLE, "these outputs" if "df" in columns else "method"]
            if not any(name_adjusted(adjust) in columns for adjust in ADJUSTMENTS):
                dispensable.remove("p")  # the verdicts go by it
            fitting = fit_columns(columns, dispensable, width=width, n_names=n_names)
            for name in columns:
                of_metrics = fits.setdefault(name, {})
                of_metrics[key] = of_metrics.get(key, False) or name in fitting
            parts.append(columns_to_text(fitting, n_names=n_names, width=width))
    missing = {name: [key for key, fit in ones.items() if not fit] for name, ones in fits.items()}
    unneeded = tuple(f"{name}: " for name, keys in missing.items() if len(keys) == len(fits[name]))
    left_out = [
        name if len(keys) == len(fits[name]) else f"{name} ({listed(keys)})" for name, keys in missing.items() if keys
    ]
    explained = [one for one in explain_comparison(comparison) if one not in comparison.headline]
    sentences = [*say_left_out(left_out), *(one for one in explained if not one.startswith(unneeded))]
    parts.append("".join(wrap(sentence, width) + "\n" for sentence in sentences))
    parts.append(signatures_to_text({key: signature_of(comparison, one) for key, one in comparison.metrics.items()}))
    return "\n".join(parts)


def say_left_out(names: Sequence[str]) -> list[str]:
    """Say which columns of a text had no room, if any."""
    return [f"Columns left out at this width: {listed(names)}."] if names else []


def signatures_to_text(signatures: dict[str, str]) -> str:
    """Write signatures, each on a line of its own to be copied; of several it says whose they are."""
    if len(signatures) > 1:
        signatures = {key: one.replace("Signature:", f"Signature of {key}:", 1) for key, one in signatures.items()}
    return "".join(wrap(one) + "\n" for one in signatures.values())


def _metric_to_markdown(comparison: Comparison, key: str) -> str:
    """Write every column, in the tables of the terminal."""
    metric = comparison.metrics[key]
    parts = [f"**{escape_markdown(key)}**, {direction_of(metric)}\n"]
    for heading, columns in _tabulate_all(metric).items():
        parts += [f"{escape_markdown(heading)}:\n"] if heading else []
        parts += [columns_to_markdown(columns)]
    return "\n".join([*parts, escape_markdown(signature_of(comparison, metric)) + "\n"])


def _paper_to_markdown(comparison: Comparison, key: str) -> str:
    """Write the columns that a paper has."""
    metric, table = comparison.metrics[key], paper_table(comparison, [key])
    written = columns_to_markdown(table.columns, bold=table.bold, marks=table.marks)
    said = (escape_markdown(sentence) for sentence in (table.caption, signature_of(comparison, metric)))
    return "\n".join([f"**{escape_markdown(key)}**, {direction_of(metric)}\n", written, *(f"{one}\n" for one in said)])


def _comparison_to_latex(comparison: Comparison, all_columns: bool) -> str:
    """Write the tables, below what a paper needs of the comparison besides, as comments."""
    if all_columns:
        tables = [
            columns_to_latex(
                columns,
                " ".join(
                    [
                        f"{heading or 'Systems'}: {metric_heading(comparison, key)}.",
                        caption_of_all_columns(comparison, metric, columns),
                    ]
                ).strip(),
                f"tab:{key}-{place}",
            )
            for key, metric in comparison.metrics.items()
            for place, (heading, columns) in enumerate(_tabulate_all(metric).items(), start=1)
        ]
        said = explain_comparison(comparison)
    else:
        tables = [
            columns_to_latex(
                table.columns,
                table.caption,
                table.label,
                bold=table.bold,
                marks=table.marks,
                headings=table.headings,
            )
            for table in paper_tables(comparison)
        ]
        said = []
    signatures = [signature_of(comparison, metric) for metric in comparison.metrics.values()]
    notes = [*comparison.headline, *said, *signatures, *preamble("".join(tables))]
    text = f"For the text:\n{comment_wrapped(escape_latex(describe_comparison(comparison)))}"
    return "\n".join([f"{comment(notes)}% {text}", *tables])


def metric_heading(comparison: Comparison, key: str) -> str:
    """Name the metric, its direction and the test set, above its tables."""
    metric = comparison.metrics[key]
    n_documents = comparison.n_documents
    documents = "" if n_documents is None else f" in {tally(n_documents, 'document')}"
    scored = {pair.n_segments for pair in metric.comparisons}
    # Where comparisons rest on different segments, a table of its own says on how many.
    missing = len(scored) == 1 and not rests_on_parts(metric) and scored != {comparison.n_segments}
    counted = f", {scored.pop():,} of them with scores" if missing else ""
    segments = "1 segment" if comparison.n_segments == 1 else f"{comparison.n_segments:,} segments"
    return f"{key}, {direction_of(metric)}; {segments}{documents}{counted}"


def tabulate_metric(metric: MetricComparison) -> dict[str, Columns]:
    """Return the tables of one metric by their headings: systems, and the differences, one table per question.

    The question about the method comes first where it has an answer. Where comparisons rest on different segments, a
    table says on how many, and the scores on these.
    """
    tables = {"Ranking" if metric.ranking is not None else "": _systems_columns(metric)}
    if not metric.comparisons:
        return tables
    rows = metric.comparisons_from_best
    what = f"Difference from {metric.compared_with}" if metric.compared_with is not None else "Differences of all pairs"
    if rests_on_parts(metric):
        tables["Scores on the segments scored for both systems"] = _means_columns(metric, rows)
    if metric.asks_of_methods:
        tables[f"{what}, for the method (new training runs)"] = _method_columns(metric, rows)
    tables[f"{what}, on these outputs"] = _outputs_columns(metric, rows)
    return tables


def _ci(metric: MetricComparison) -> str:
    return f"{in_percent(metric.level)} CI"


def _systems_columns(metric: MetricComparison) -> Columns:
    """Return the table of systems: score, interval, of several runs their standard deviations, and the ranking."""
    digits, systems = decimals_of(metric), metric.systems_from_best
    columns: Columns = {"system": [estimate.system for estimate in systems]}
    if metric.ranking is not None:
        columns["rank"] = [Cell(one.rank) for one in metric.ranking]
        by_verdicts = metric.ranking[0].group is not None
        ranks = [Cell(say_range(one.rank_low, one.rank_high)) for one in metric.ranking]
        columns["ranks" if by_verdicts else "ranks (bootstrap)"] = ranks
        if by_verdicts:
            columns["group"] = [one.group for one in metric.ranking]
    several_runs = any(estimate.runs > 1 for estimate in systems)
    if several_runs:
        columns["runs"] = [Cell(estimate.runs) for estimate in systems]
    name = metric.name.split("|")[0]
    # A score may be called as one of the table's own columns.
    columns[name if name not in OWN_COLUMNS else f"{name} (score)"] = [number(one.score, digits) for one in systems]
    columns[_ci(metric)] = [interval_of(estimate.low, estimate.high, digits) for estimate in systems]
    if several_runs:
        columns["s_sel"] = [number(estimate.s_sel, digits) for estimate in systems]
        columns["s_test"] = [number(estimate.s_test, digits) for estimate in systems]
    if any(estimate.design_effect is not None for estimate in systems):
        columns["deff"] = [number(estimate.design_effect, 1) for estimate in systems]
    return columns


def say_range(low: int, high: int) -> str:
    """Write a range of ranks: ``1-3``, or one number."""
    return str(low) if low == high else f"{low}-{high}"


def _names_columns(rows: Sequence[PairEstimate], metric: MetricComparison) -> Columns:
    """Name the systems of each row; where there is one baseline, the heading names it."""
    columns: Columns = {"system": [pair.a for pair in rows]}
    return columns if metric.compared_with is not None else columns | {"against": [pair.b for pair in rows]}


def _outputs_columns(metric: MetricComparison, rows: Sequence[PairEstimate]) -> Columns:
    """Return the table of differences for the question about these outputs."""
    digits, n_trials = decimals_of(metric), metric.n_trials
    columns = _names_columns(rows, metric) | {
        "diff.": [number(pair.difference, digits) for pair in rows],
        _ci(metric): [interval_of(pair.low, pair.high, digits) for pair in rows],
        "p": [show_p(pair.p_value, p_digits(pair, n_trials)) for pair in rows],
        name_of_p(metric): [show_p(pair.p_adjusted, p_digits(pair, n_trials)) for pair in rows],
    }
    for place, test in enumerate(rows[0].further):
        if isinstance(test, FurtherTest):
            columns[f"p ({test.called})"] = [show_p(pair.further[place].p_value, EXACT_DIGITS) for pair in rows]
    columns |= equality_column(rows, of_method=False)
    if has_direction(metric):
        columns["win %"] = _wins(metric, rows)
    return columns | _verdict_columns(metric, rows)


def _method_columns(metric: MetricComparison, rows: Sequence[PairEstimate]) -> Columns:
    """Return the table of differences for the question about the method."""
    digits = decimals_of(metric)
    return (
        _names_columns(rows, metric)
        | {
            "diff.": [number(pair.difference, digits) for pair in rows],
            _ci(metric): [interval_of(pair.method_low, pair.method_high, digits) for pair in rows],
            "p": [show_p(pair.method_p_value, T_DIGITS) for pair in rows],
            name_of_p(metric, of_method=True): [show_p(pair.method_p_adjusted, T_DIGITS) for pair in rows],
            "df": [number(pair.method_df, 1) for pair in rows],
        }
        | equality_column(rows, of_method=True)
        | _verdict_columns(metric, rows)
    )


def _means_columns(metric: MetricComparison, rows: Sequence[PairEstimate], *, names: bool = True) -> Columns:
    """Return how many segments each comparison rests on, and both systems' scores on them."""
    digits, other = decimals_of(metric), "baseline" if metric.compared_with is not None else "the other"
    named = {"system": [pair.a for pair in rows], "against": [pair.b for pair in rows]} if names else {}
    return named | {
        "segments": [Cell(f"{pair.n_segments:,}") for pair in rows],
        "score of system": [number(pair.score_a, digits) for pair in rows],
        f"score of {other}": [number(pair.score_b, digits) for pair in rows],
    }


def tabulate_details(metric: MetricComparison) -> Columns:
    """Return what only the details say of each comparison: errors of p, trials needed, design effects ..."""
    rows, n_trials = metric.comparisons_from_best, metric.n_trials
    columns: Columns = {
        "system": [pair.a for pair in rows],
        "against": [pair.b for pair in rows],
        "segments that differ": [Cell(f"{pair.segments_differing:,}") for pair in rows],
        "MC 95 % CI of p": [_p_error(pair, n_trials) for pair in rows],
        "smallest possible p": [show_p(pair.smallest_p, p_digits(pair, n_trials)) for pair in rows],
    }
    if any(pair.n_trials_to_decide is not None for pair in rows):
        needed = [pair.n_trials_to_decide for pair in rows]
        columns["trials needed"] = [Cell("" if count is None else f"{count:,}") for count in needed]
    if any(pair.simultaneous_low is not None for pair in rows):
        ends, digits = [(pair.simultaneous_low, pair.simultaneous_high) for pair in rows], decimals_of(metric)
        columns[f"{SIMULTANEOUS} {_ci(metric)}"] = [interval_of(low, high, digits) for low, high in ends]
    if any(pair.design_effect is not None for pair in rows):
        columns["deff"] = [number(pair.design_effect, 1) for pair in rows]
    if metric.asks_of_methods:
        columns["p (method, separate runs)"] = [show_p(pair.method_p_separate, T_DIGITS) for pair in rows]
        columns["p (method, pooled runs)"] = [show_p(pair.method_p_pooled, T_DIGITS) for pair in rows]
    return columns | smallest_columns(metric, rows)


def _p_error(pair: PairEstimate, n_trials: int) -> Cell:
    """Write the interval of a p's simulation error, or that there is none."""
    if is_exact(pair):
        return Cell("exact")
    low, high = (show_p(end, p_digits(pair, n_trials)) for end in (pair.p_low, pair.p_high))
    return Cell(f"{low} to {high}")


def _verdict_columns(metric: MetricComparison, rows: Sequence[PairEstimate]) -> Columns:
    """Say in both tables what is shown, on these outputs and for the method: a line that is copied takes both along.

    Where no comparison has enough runs to ask about the method, there is no column for it.
    """

    def on_outputs(pair: PairEstimate) -> str:
        if not pair.segments_differing:
            return pair.conclusion
        if pair.verdict == "significant":
            return comparative(metric, leads(pair, metric)) + _less_than_margin(pair, of_method=False)
        if is_equal(pair, of_method=False):
            return equality_note(pair, of_method=False)
        if pair.verdict == "undecided":
            return "undecided"
        return row_note(pair, metric) or equality_note(pair, of_method=False) or "not shown"

    def for_method(pair: PairEstimate) -> str:
        if pair.method_verdict is None:
            return "not tested"
        if pair.method_verdict == "significant":
            return comparative(metric, leads(pair, metric)) + _less_than_margin(pair, of_method=True)
        if is_equal(pair, of_method=True):
            return equality_note(pair, of_method=True)
        return method_note(pair, metric) or equality_note(pair, of_method=True) or "not shown"

    columns: Columns = {"these outputs": [on_outputs(pair) for pair in rows]}
    return columns | ({"method": [for_method(pair) for pair in rows]} if metric.asks_of_methods else {})


def _less_than_margin(pair: PairEstimate, *, of_method: bool) -> str:
    """Say of a difference that is shown that it is also shown to be smaller than the margin."""
    return f" by <{margin_of(pair):g}" if is_equal(pair, of_method=of_method) else ""


def _wins(metric: MetricComparison, rows: Sequence[PairEstimate]) -> list[str]:
    """Write the share of resamples that the better-scoring system wins, with its name where the row is not its own."""
    return [
        Cell()
        if not pair.segments_differing
        else Cell(f"{100 * pair.confidence:.1f}")
        if leads(pair, metric)
        else f"{100 * pair.turned().confidence:.1f} ({pair.b if len(pair.b) <= SHORT_NAME else 'baseline'})"
        for pair in rows
    ]
