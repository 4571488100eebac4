"""How much systems vary, as a table to read or as JSON and CSV: the formats of a comparison."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.tables.cells import decimals_of
from mtworkbench.tables.comparisons import FORMATS, direction_of, fields_of, list_warnings
from mtworkbench.tables.frames import (
    Cell,
    Columns,
    columns_to_latex,
    columns_to_markdown,
    columns_to_text,
    escape_markdown,
    frame_to_csv,
    number,
    printable,
    wrap,
)

if TYPE_CHECKING:
    from mtworkbench.inference import MetricVariance, OptimizerVariance

# Keys of the JSON may be added later, never changed or taken away; then this number rises.
SCHEMA = 1


def format_variance(variance: OptimizerVariance, format: str = "text", warnings: Iterable[DataWarning] = ()) -> str:
    """Write what `optimizer_variance` found as a table.

    Parameters
    ----------
    variance : OptimizerVariance
    format : {"text", "json", "latex", "markdown", "csv"}
        Text, Markdown and LaTeX have a table and its reading for each metric; JSON and CSV have every figure,
        unrounded, CSV one row per system and metric.
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
        return json.dumps(variance_to_dict(variance, warnings), indent=2, allow_nan=False) + "\n"
    if format == "csv":
        return frame_to_csv(variance_frame(variance))
    writers = {"text": _metric_to_text, "latex": _metric_to_latex, "markdown": _metric_to_markdown}
    if format not in writers:
        raise InputError("format", f"The format {format!r} is not known: choose one of {', '.join(FORMATS)}.")
    return "\n\n".join(writers[format](variance, key) for key in variance.metrics)


def variance_to_dict(variance: OptimizerVariance, warnings: Iterable[DataWarning] = ()) -> dict[str, object]:
    """Return the object of ``mtworkbench variance --format json``: what is absent is None."""
    head = fields_of(variance.settings)
    head |= {key: getattr(variance, key) for key in ("n_segments", "n_documents", "n_dev_segments", "baseline")}
    metrics = {
        key: {"signature": metric.signature, "higher_is_better": metric.higher_is_better}
        | {"systems": [fields_of(system) for system in metric.systems]}
        | {"readings": list(metric.readings), "advice": list(metric.advice)}
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


def _metric_to_text(variance: OptimizerVariance, key: str) -> str:
    metric = variance.metrics[key]
    dev = "" if variance.n_dev_segments is None else f", {variance.n_dev_segments} on the dev set"
    heading = f"{printable(key)}, {direction_of(metric)}; {variance.n_segments} segments{dev}\n"
    table = columns_to_text(tabulate_variance(metric))
    return "\n".join([heading, table]) + "\n" + "".join(wrap(one) + "\n" for one in _prose(variance, metric))


def _metric_to_markdown(variance: OptimizerVariance, key: str) -> str:
    metric = variance.metrics[key]
    parts = [f"**{escape_markdown(key)}**, {direction_of(metric)}\n", columns_to_markdown(tabulate_variance(metric))]
    return "\n".join(parts + [escape_markdown(sentence) + "\n" for sentence in _prose(variance, metric)])


def _metric_to_latex(variance: OptimizerVariance, key: str) -> str:
    metric = variance.metrics[key]
    caption = " ".join([f"{key}, {direction_of(metric)}.", *_prose(variance, metric)])
    return columns_to_latex(tabulate_variance(metric), caption, f"tab:{key}-variance")


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
    sentences = [explain_variance(variance), *metric.readings, *metric.advice]
    runs = {system.system: system.runs for system in metric.systems}
    others = [number for name, number in runs.items() if name != variance.baseline]
    if metric.advice and runs.get(variance.baseline, 1) > 1 and max(others, default=1) > 1:  # else it asks for runs
        sentences.append(
            "The advice concerns the difference between two systems, so it can disagree with s_sel and s_test, which "
            "describe one."
        )
    return [*sentences, f"Signature: {metric.signature}|{variance.signature}"]


def explain_variance(variance: OptimizerVariance) -> str:
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
    return f"{listed}. median: {median}."
