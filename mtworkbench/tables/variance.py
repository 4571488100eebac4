"""How much systems vary, as a table to read or as JSON and CSV: the formats of a comparison."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from mtworkbench.errors import DataWarning
from mtworkbench.metrics.directions import sign_of
from mtworkbench.tables.cells import decimals_of, direction_of, listed
from mtworkbench.tables.comparisons import (
    FORMATS,
    fields_of,
    list_warnings,
    say_left_out,
    signatures_to_text,
    unknown_format,
)
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
    printable,
    wrap,
)
from mtworkbench.tables.latex import columns_to_latex, comment, preamble
from mtworkbench.tables.metric_names import label_metric, label_results
from mtworkbench.tables.sentences_on_runs import write_variance_headline

if TYPE_CHECKING:
    from mtworkbench.inference import MetricVariance, OptimizerVariance

# What a paper has no use for, because it is about choosing a run.
OF_RUNS = ("range", "median", "dev median")
# Keys of the JSON may be added later, never changed or taken away; then this number rises.
SCHEMA = 1


def format_variance(
    variance: OptimizerVariance,
    format: str = "text",
    warnings: Iterable[DataWarning] = (),
    *,
    width: int = WIDTH,
    all_columns: bool = False,
) -> str:
    """Write what `optimizer_variance` found as a table.

    Parameters
    ----------
    variance : OptimizerVariance
    format : {"text", "json", "latex", "markdown", "csv"}
        Text has a headline, a table for each metric, what the tables say, and the signatures. LaTeX (package booktabs)
        and Markdown have the table of a paper and its reading: the best system first, means and standard deviations
        alone; in LaTeX the reading is a comment. JSON and CSV have every figure, unrounded, CSV one row per system
        and metric.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that a table of text may take; see `format_comparison`.
    all_columns : bool, default False
        Whether LaTeX and Markdown have the ranges and median runs, too.

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
        return json.dumps(variance_to_dict(variance, warnings), indent=2, allow_nan=False) + "\n"
    if format == "csv":
        return frame_to_csv(variance_frame(variance))
    variance = label_results(variance)
    if format == "text":
        return _variance_to_text(variance, width)
    writers = {"latex": _metric_to_latex, "markdown": _metric_to_markdown}
    if format not in writers:
        raise unknown_format(format, FORMATS)
    return "\n\n".join(writers[format](variance, key, all_columns) for key in variance.metrics)


def variance_to_dict(variance: OptimizerVariance, warnings: Iterable[DataWarning] = ()) -> dict[str, object]:
    """Return the object of ``mtworkbench variance --format json``: what is absent is None."""
    head = fields_of(variance.settings)
    head |= {key: getattr(variance, key) for key in ("n_segments", "n_documents", "n_dev_segments", "baseline")}
    metrics = {
        key: {"signature": metric.signature, "higher_is_better": metric.higher_is_better}
        | {"systems": [fields_of(system) for system in metric.systems]}
        | {"readings": list(metric.readings), "advice": list(metric.advice)}
        | {"label": label_metric(key, metric.signature)}
        for key, metric in variance.metrics.items()
    }
    return {"schema": SCHEMA} | head | {"metrics": metrics, "warnings": list_warnings(warnings)}


def variance_frame(variance: OptimizerVariance) -> pd.DataFrame:
    """Return one row per system and metric for CSV: ``metric`` and JSON's keys."""
    rows = [
        {"metric": printable(key)} | fields_of(system) | {"system": printable(system.system)}
        for key, metric in variance.metrics.items()
        for system in metric.systems
    ]
    return pd.DataFrame(rows, dtype=object)


def _variance_to_text(variance: OptimizerVariance, width: int) -> str:
    """Write the headline, a table for each metric, each explanation once, and how to reproduce the numbers."""
    parts = ["".join(wrap(sentence, width) + "\n" for sentence in write_variance_headline(variance))]
    dev = "" if variance.n_dev_segments is None else f", {variance.n_dev_segments:,} on the dev set"
    said, left_out = {explain_variance(variance): list(variance.metrics)}, []
    for key, metric in variance.metrics.items():
        columns = tabulate_variance(metric)
        # The run to read is the median on the dev set, where there is one.
        fitting = fit_columns(columns, ["range", *(["median"] if "dev median" in columns else [])], width=width)
        left_out += [name for name in columns if name not in (*fitting, *left_out)]
        heading = f"{key}, {direction_of(metric)}; {variance.n_segments:,} segments{dev}"
        parts.append(f"{wrap(heading, width)}\n")
        parts.append(columns_to_text(fitting, width=width))
        for sentence in _interpretation(variance, metric):
            said.setdefault(sentence, []).append(key)
    of_some = {one: names for one, names in said.items() if len(names) < len(variance.metrics)}
    sentences = [f"{listed(of_some[one])}: {one}" if one in of_some else one for one in said]
    sentences = [*say_left_out(left_out), *sentences]
    parts.append("".join(wrap(sentence, width) + "\n" for sentence in sentences))
    signatures = {key: _signature(variance, metric) for key, metric in variance.metrics.items()}
    return "\n".join([*filter(None, parts), signatures_to_text(signatures)])


def _metric_to_markdown(variance: OptimizerVariance, key: str, all_columns: bool) -> str:
    metric, columns = variance.metrics[key], _paper_columns(variance.metrics[key], all_columns)
    parts = [f"**{escape_markdown(key)}**, {direction_of(metric)}\n", columns_to_markdown(columns)]
    _, *prose = _prose(variance, metric)
    said = [explain_variance(variance, of_runs=all_columns), *prose]
    return "\n".join(parts + [escape_markdown(sentence) + "\n" for sentence in said])


def _metric_to_latex(variance: OptimizerVariance, key: str, all_columns: bool) -> str:
    """Write the table with a caption of two sentences, below what it says and its signature as comments."""
    metric, columns = variance.metrics[key], _paper_columns(variance.metrics[key], all_columns)
    what = f"{key} ({direction_of(metric)}) of training runs on {variance.n_segments:,} segments"
    caption = f"{what}, mean and standard deviations. {explain_variance(variance, of_runs=all_columns)}"
    table = columns_to_latex(columns, caption, f"tab:{key}-variance")
    _, *prose = _prose(variance, metric)
    return f"{comment([*prose, *preamble(table)])}\n{table}"


def _paper_columns(metric: MetricVariance, all_columns: bool) -> Columns:
    """Return the table of one metric, the best system first."""
    systems = sorted(metric.systems, key=lambda one: sign_of(metric) * one.mean, reverse=True)
    columns = tabulate_variance(replace(metric, systems=tuple(systems)))
    return columns if all_columns else {name: columns[name] for name in columns if name not in OF_RUNS}


def tabulate_variance(metric: MetricVariance) -> Columns:
    """Return the table of one metric; what only a dev set tells has a column where there is one."""
    digits, systems = decimals_of(metric), metric.systems
    has_dev = any(system.dev_mean is not None for system in systems)
    columns: Columns = {
        "system": [system.system for system in systems],
        "runs": [Cell(system.runs) for system in systems],
        "mean": [number(system.mean, digits) for system in systems],
        "s_sel": [number(system.s_sel, digits) for system in systems],
    }
    if has_dev:
        columns["s_dev"] = [number(system.s_dev, digits) for system in systems]
    columns["s_test"] = [number(system.s_test, digits) for system in systems]
    columns["range"] = [Cell(f"{one.lowest:.{digits}f} to {one.highest:.{digits}f}") for one in systems]
    columns["median"] = [_run(system.median_run, system.median_score, digits) for system in systems]
    if has_dev:
        columns["dev median"] = [_run(one.dev_median_run, one.dev_median_score, digits) for one in systems]
    return columns


def _run(run: int | None, score: float | None, digits: int) -> Cell:
    """Write which run it is, and its score on the test set."""
    return Cell("" if run is None else f"{score:.{digits}f} (run {run})")


def _prose(variance: OptimizerVariance, metric: MetricVariance) -> list[str]:
    """Say under a table what its figures are, what they say, and how to reproduce them."""
    return [explain_variance(variance), *_interpretation(variance, metric), _signature(variance, metric)]


def _signature(variance: OptimizerVariance, metric: MetricVariance) -> str:
    return f"Signature: {metric.signature}|{variance.signature}"


def _interpretation(variance: OptimizerVariance, metric: MetricVariance) -> list[str]:
    """Say what the figures of a table say, and what to do."""
    sentences = [*metric.readings, *metric.advice]
    runs = {system.system: system.runs for system in metric.systems}
    others = [number for name, number in runs.items() if name != variance.baseline]
    if metric.advice and runs.get(variance.baseline, 1) > 1 and max(others, default=1) > 1:  # else it asks for runs
        sentences.append(
            "The advice concerns the difference between two systems, so it can disagree with s_sel and s_test, which "
            "describe one."
        )
    return sentences


def explain_variance(variance: OptimizerVariance, *, of_runs: bool = True) -> str:
    """Explain the columns of a table, those of a dev set where there is one."""
    deviations = {
        "s_sel": "standard deviation of a run's score over test sets of the same kind and source "
        f"(bootstrap by {variance.unit}, mean over runs)",
        "s_test": "standard deviation of the runs' scores on the test set",
    }
    median = "the run with the median score, the run to choose for manual inspection"
    if variance.n_dev_segments is not None:
        deviations["s_dev"] = "standard deviation of the runs' scores on the dev set"
        median = (
            "the run with the median score on the test set; dev median: the run with the median score on the dev set, "
            "the run to choose for manual inspection, with its score on the test set"
        )
    listed = "; ".join(f"{name}: {meaning}" for name, meaning in deviations.items())
    return f"{listed}. median: {median}." if of_runs else f"{listed}."
