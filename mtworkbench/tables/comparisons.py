"""A comparison as a table to read or as the JSON and CSV that other programs rely on."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.tables.frames import (
    Columns,
    Figure,
    columns_to_latex,
    columns_to_markdown,
    columns_to_text,
    escape_markdown,
    frame_to_csv,
    number,
    plain,
    printable,
    wrap,
)

if TYPE_CHECKING:
    from mtworkbench.inference import Comparison, MetricComparison, MetricVariance, PairEstimate

FORMATS = ("text", "json", "latex", "markdown", "csv")
# Keys of the JSON may be added later, never changed: then this number rises.
SCHEMA = 1
COMPARISON_KEYS = ("version", "signature", "unit", "exchange", "interval", "level", "n_resamples", "n_trials", "rng")
COMPARISON_KEYS += ("n_segments", "n_documents")
SYSTEM_KEYS = ("system", "runs", "score", "scores", "low", "high", "s_sel", "s_test", "design_effect")
PAIR_KEYS = ("a", "b", "difference", "low", "high", "p_value", "p_low", "p_high", "p_adjusted", "verdict")
PAIR_KEYS += ("n_trials_to_decide", "confidence", "wins", "losses", "ties", "design_effect", "segments_differing")
PAIR_KEYS += ("method_p_value", "method_low", "method_high", "method_df")
WARNING_KEYS = ("code", "message", "path", "line", "count")


def format_comparison(comparison: Comparison, format: str = "text", warnings: Iterable[DataWarning] = ()) -> str:
    """Write a comparison as a table.

    Parameters
    ----------
    comparison : Comparison
    format : {"text", "json", "latex", "markdown", "csv"}
        Text and Markdown have, for each metric, a table of systems and one of differences, at most 100 columns wide
        where the differences are concerned; LaTeX (package booktabs) has one row a system where there is a baseline;
        JSON and CSV have every figure, unrounded, CSV one row a comparison.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``).
    """
    if format == "json":
        return json.dumps(comparison_to_dict(comparison, warnings), indent=2, allow_nan=False) + "\n"
    if format == "csv":
        return frame_to_csv(comparison_frame(comparison))
    writers = {"text": _metric_to_text, "latex": _metric_to_latex, "markdown": _metric_to_markdown}
    if format not in writers:
        raise InputError("format", f"The format {format!r} is not known: choose one of {', '.join(FORMATS)}.")
    return "\n\n".join(writers[format](comparison, key) for key in comparison.metrics)


def comparison_to_dict(comparison: Comparison, warnings: Iterable[DataWarning] = ()) -> dict[str, Any]:
    """Return a comparison as the object of ``mtworkbench compare --format json``: what is absent is None."""
    head = {key: plain(getattr(comparison, key)) for key in COMPARISON_KEYS}
    metrics = {
        key: {"signature": metric.signature, "higher_is_better": metric.higher_is_better}
        | {"systems": [pick(estimate, SYSTEM_KEYS) for estimate in metric.systems]}
        | {"comparisons": [pick(pair, PAIR_KEYS) for pair in metric.comparisons]}
        for key, metric in comparison.metrics.items()
    }
    return {"schema": SCHEMA} | head | {"metrics": metrics, "warnings": [pick(one, WARNING_KEYS) for one in warnings]}


def comparison_frame(comparison: Comparison) -> pd.DataFrame:
    """Return one row a comparison for CSV: ``metric`` and JSON's keys."""
    rows = [
        {"metric": printable(key)} | pick(pair, PAIR_KEYS) | {"a": printable(pair.a), "b": printable(pair.b)}
        for key, metric in comparison.metrics.items()
        for pair in metric.comparisons
    ]
    return pd.DataFrame(rows, columns=["metric", *PAIR_KEYS], dtype=object)


def describe_comparison(metric: MetricComparison) -> str:
    """Say what was found for one metric in a sentence, for those who cannot see the figure."""
    digits = decimals_of(metric)
    scores = [f"{one.system} {one.score:.{digits}f} {interval_of(one.low, one.high, digits)}" for one in metric.systems]
    differences = [
        f"{pair.a} - {pair.b} = {pair.difference:.{digits}f} {interval_of(pair.low, pair.high, digits)}, "
        f"p = {pair.p_value:.2g}, {pair.verdict}"
        + ("" if pair.method_p_value is None else f"; the method: p = {pair.method_p_value:.2g}")
        for pair in metric.comparisons
    ]
    return printable(f"{metric.name}: {'; '.join([*scores, *differences])}.")


def decimals_of(metric: MetricComparison | MetricVariance) -> int:
    """Choose the decimals of scores: two digits of the width of a system's interval, but at least two decimals."""
    widths = [estimate.high - estimate.low for estimate in metric.systems if estimate.low is not None]
    widths = [width for width in widths if width > 0]
    return 2 if not widths else min(6, max(2, 1 - math.floor(math.log10(statistics.median(widths)))))


def pick(holder: object, keys: Iterable[str]) -> dict[str, Any]:
    """Return some fields of an object as JSON has them."""
    return {key: plain(getattr(holder, key)) for key in keys}


def _metric_to_text(comparison: Comparison, key: str) -> str:
    metric = comparison.metrics[key]
    documents = "" if comparison.n_documents is None else f" in {comparison.n_documents} documents"
    heading = f"{printable(key)}, {direction_of(metric)}; {comparison.n_segments} segments{documents}\n"
    parts = [heading, columns_to_text(_systems_columns(metric))]
    for heading, columns in _difference_tables(comparison, metric).items():
        parts += [f"{printable(heading)}:\n", columns_to_text(columns)]
    return "\n".join(parts) + "\n" + "".join(wrap(sentence) + "\n" for sentence in _prose(comparison, metric))


def _metric_to_markdown(comparison: Comparison, key: str) -> str:
    metric = comparison.metrics[key]
    parts = [f"**{escape_markdown(key)}**, {direction_of(metric)}\n", columns_to_markdown(_systems_columns(metric))]
    for heading, columns in _difference_tables(comparison, metric).items():
        parts += [f"{escape_markdown(heading)}:\n", columns_to_markdown(columns)]
    return "\n".join(parts + [escape_markdown(sentence) + "\n" for sentence in _prose(comparison, metric)])


def _metric_to_latex(comparison: Comparison, key: str) -> str:
    """Write one row a system where there is a baseline, else a table of systems and one of differences."""
    metric = comparison.metrics[key]
    systems, pairs = _systems_columns(metric), metric.comparisons
    caption = " ".join([f"{key}, {direction_of(metric)}.", *_prose(comparison, metric, brief=True)])
    if not pairs:
        return columns_to_latex(systems, caption, f"tab:{key}")
    differences = _brief(_pairs_columns(comparison, metric, pairs))
    if metric.asks_of_methods:
        columns = _method_columns(comparison, metric, pairs)
        differences |= {"method's interval": columns["its interval"], "method's p": columns["p"]}
    if len({pair.b for pair in pairs}) == 1:
        rows = {pair.a: row for row, pair in enumerate(pairs)}
        for name, cells in differences.items():
            systems[name] = [cells[rows[one]] if one in rows else Figure() for one in systems["system"]]
        return columns_to_latex(systems, f"Differences from {pairs[0].b}. {caption}", f"tab:{key}")
    names = {"system": [pair.a for pair in pairs], "minus": [pair.b for pair in pairs]}
    tables = [columns_to_latex(systems, caption, f"tab:{key}-systems")]
    return "\n".join([*tables, columns_to_latex(names | differences, caption, f"tab:{key}-differences")])


def direction_of(metric: MetricComparison | MetricVariance) -> str:
    """Say which way is better."""
    directions = {True: "higher is better", False: "lower is better", None: "neither direction is better"}
    return directions[metric.higher_is_better]


def _groups(metric: MetricComparison) -> dict[str, list[PairEstimate]]:
    """Group the comparisons under headings: all with one baseline, or else by their first system."""
    one_baseline = len({pair.b for pair in metric.comparisons}) == 1
    groups: dict[str, list[PairEstimate]] = {}
    for pair in metric.comparisons:
        groups.setdefault(f"Difference from {pair.b}" if one_baseline else f"{pair.a} minus", []).append(pair)
    return groups


def _systems_columns(metric: MetricComparison) -> Columns:
    """Return the table of systems: score, interval, and of several runs their standard deviations."""
    digits, systems = decimals_of(metric), metric.systems
    columns: Columns = {"system": [estimate.system for estimate in systems]}
    several_runs = any(estimate.runs > 1 for estimate in systems)
    if several_runs:
        columns["runs"] = [Figure(estimate.runs) for estimate in systems]
    columns[metric.name] = [number(estimate.score, digits) for estimate in systems]
    columns["interval"] = [interval_of(estimate.low, estimate.high, digits) for estimate in systems]
    if several_runs:
        columns["s_sel"] = [number(estimate.s_sel, digits) for estimate in systems]
        columns["s_test"] = [number(estimate.s_test, digits) for estimate in systems]
    if any(estimate.design_effect is not None for estimate in systems):
        columns["design"] = [number(estimate.design_effect, 1) for estimate in systems]
    return columns


def _pairs_columns(comparison: Comparison, metric: MetricComparison, pairs: Sequence[PairEstimate]) -> Columns:
    """Return the table of the differences of one group; each row names the system that the heading does not."""
    digits, n_trials = decimals_of(metric), comparison.n_trials
    one_baseline = len({pair.b for pair in metric.comparisons}) == 1
    columns: Columns = {
        "system": [pair.a if one_baseline else pair.b for pair in pairs],
        "diff.": [number(pair.difference, digits) for pair in pairs],
        "its interval": [interval_of(pair.low, pair.high, digits) for pair in pairs],
        "p": [_p_value(pair.p_value, n_trials) for pair in pairs],
        "error of p": [_p_error(pair, n_trials) for pair in pairs],
        "Holm": [_p_value(pair.p_adjusted, n_trials) for pair in pairs],
        "verdict": [pair.verdict for pair in pairs],
    }
    if metric.higher_is_better is not None:
        columns["conf."] = [_percent(pair.confidence) for pair in pairs]
    if any(pair.design_effect is not None for pair in pairs):
        columns["design"] = [number(pair.design_effect, 1) for pair in pairs]
    return columns


def _method_columns(comparison: Comparison, metric: MetricComparison, pairs: Sequence[PairEstimate]) -> Columns:
    """Return the same table for the question about the method."""
    digits, names = decimals_of(metric), ("system", "diff.")
    known = _pairs_columns(comparison, metric, pairs)
    return {name: known[name] for name in names} | {
        "its interval": [interval_of(pair.method_low, pair.method_high, digits) for pair in pairs],
        "p": [_method_p(pair.method_p_value) for pair in pairs],
        "df": [number(pair.method_df, 1) for pair in pairs],
    }


def _difference_tables(comparison: Comparison, metric: MetricComparison) -> dict[str, Columns]:
    """Return the tables of differences by their headings; where there are runs, two a group, one a question."""
    tables: dict[str, Columns] = {}
    for heading, pairs in _groups(metric).items():
        if metric.asks_of_methods:
            tables[f"{heading}, these outputs"] = _pairs_columns(comparison, metric, pairs)
            tables[f"{heading}, the method"] = _method_columns(comparison, metric, pairs)
        else:
            tables[heading] = _pairs_columns(comparison, metric, pairs)
    return tables


def _brief(columns: Columns) -> Columns:
    """Keep of the differences what a paper has room for; the verdict becomes a mark at the adjusted p."""
    marks = {"significant": "*", "undecided": "?"}
    verdicts = zip(columns["Holm"], columns["verdict"], strict=True)
    kept = {name: columns[name] for name in ("diff.", "its interval", "p")}
    return kept | {"Holm": [Figure(p + marks.get(verdict, "")) for p, verdict in verdicts]}


def interval_of(low: float | None, high: float | None, digits: int) -> Figure:
    """Write an interval; an absent one is empty."""
    return Figure("" if low is None or high is None else f"[{low:.{digits}f}, {high:.{digits}f}]")


def _percent(share: float | None) -> Figure:
    return Figure("" if share is None else f"{100 * share:.1f} %")


def _p_value(p: float, n_trials: int) -> Figure:
    """Write a p with the digits that the number of trials gives it; a small one never as 0."""
    digits = min(6, max(2, len(str(n_trials)) - 1))
    return Figure(f"{p:.{digits}f}" if p >= 0.5 * 10.0**-digits else f"{p:.0e}")


def _method_p(p: float | None) -> Figure:
    """Write a p that comes from no trials."""
    if p is None:
        return Figure("")
    return Figure(f"{p:.4f}" if p >= 0.5e-4 else f"{p:.0e}")


def _p_error(pair: PairEstimate, n_trials: int) -> Figure:
    """Write the interval of a p's simulation error, or that there is none."""
    if pair.p_low == pair.p_high:
        return Figure("exact")
    digits = min(6, max(2, len(str(n_trials)) - 1))
    return Figure(f"{pair.p_low:.{digits}f}-{pair.p_high:.{digits}f}")


def _prose(comparison: Comparison, metric: MetricComparison, brief: bool = False) -> list[str]:
    """Say under a table what its figures are, and how to have them again; ``brief`` where it lacks some columns."""
    interval = "infinitesimal jackknife" if comparison.interval == "jackknife" else f"{comparison.interval} bootstrap"
    sentences = [f"{100 * comparison.level:g} % intervals: {interval} by {comparison.unit}."]
    if metric.comparisons:
        by = comparison.unit + (" and run" if comparison.exchange == "run" else "")
        comparisons = "1 comparison" if len(metric.comparisons) == 1 else f"{len(metric.comparisons)} comparisons"
        verdict = "* marks what is significant, ? what is undecided" if brief else "verdict"
        sentences += [
            f"p: two-sided approximate randomization by {by}. "
            f"Holm: p adjusted for {comparisons}; {verdict} at {1 - comparison.level:.4g}."
        ]
        sentences += metric.describe_questions()
    if metric.comparisons and metric.higher_is_better is not None and not brief:
        sentences += ["conf.: confidence, the share of resamples in which the system is the better one; not a p-value."]
    if any(estimate.design_effect is not None for estimate in metric.systems):
        sentences += ["design: the design effect, variance by document over variance by segment."]
    sentences += [
        f"About {pair.n_trials_to_decide} trials would decide between {pair.a} and {pair.b}."
        for pair in metric.comparisons
        if pair.n_trials_to_decide is not None
    ]
    return [*sentences, f"Signature: {metric.signature}|{comparison.signature}"]
