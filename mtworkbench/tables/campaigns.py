"""A campaign as a table to read, or as the JSON and CSV that other programs rely on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.campaign_results import CampaignComparison, CampaignPair, SetEstimate
from mtworkbench.tables.campaign_columns import metric_heading, tabulate_campaign
from mtworkbench.tables.campaign_explanations import explain_campaign, sign_metrics
from mtworkbench.tables.campaign_papers import papers_of_metric, write_latex
from mtworkbench.tables.cells import direction_of
from mtworkbench.tables.comparisons import FORMATS, fields_of, list_warnings, say_left_out, unknown_format
from mtworkbench.tables.frames import (
    WIDTH,
    Columns,
    break_headings,
    columns_to_markdown,
    columns_to_text,
    escape_markdown,
    fit_columns,
    frame_to_csv,
    printable,
    wrap,
)
from mtworkbench.tables.metric_names import label_campaign, label_metric

# Keys of the JSON may be added later, never changed or taken away; then this number rises.
SCHEMA = 1
# What a table of text leaves out, in this order, where the width is too small.
DISPENSABLE = ("best % (new sets)", "best %", "group (new sets)", "better on", "one new set", "spread", "p (sets)", "p")
DISPENSABLE += ("rank", "runs", "df")
# Wider than any table: every column, and every system by test set.
UNBOUNDED = 10**6


def format_campaign(
    comparison: CampaignComparison,
    format: str = "text",
    warnings: Iterable[DataWarning] = (),
    *,
    width: int = WIDTH,
    all_columns: bool = False,
) -> str:
    """Write a campaign as a table.

    Parameters
    ----------
    comparison : CampaignComparison
        What `compare_test_sets` returned.
    format : {"text", "json", "latex", "markdown", "csv"}
        Text, Markdown and LaTeX begin with the headline, which in LaTeX is a comment. Text has, for each metric, the
        systems; the differences of all test sets together, for new test sets and on these; and a table with one row
        per test set. LaTeX (package booktabs) and Markdown have the tables of a paper: a row per system with its
        difference, and a row per test set. JSON and CSV have every figure, unrounded. CSV has one row per comparison
        for all test sets, and one per comparison and test set; ``row`` says which.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that a table of text may take. Sentences take at most 100.
    all_columns : bool, default False
        Whether LaTeX and Markdown have the tables of the text instead, with every column.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``), and where this is not a campaign (``not-a-comparison``).
    """
    if not isinstance(comparison, CampaignComparison):
        message = f"An object of type {type(comparison).__name__} was given, but what compare_test_sets() returned was "
        raise InputError("not-a-comparison", f"{message}expected; of one test set, use format_comparison.")
    if format == "json":
        return json.dumps(campaign_to_dict(comparison, warnings), indent=2, allow_nan=False) + "\n"
    if format == "csv":
        return frame_to_csv(campaign_frame(comparison))
    comparison = label_campaign(comparison)
    if format == "text":
        return _to_text(comparison, width)
    if format == "markdown":
        return _to_markdown(comparison, all_columns)
    if format == "latex":
        whole = {key: tabulate_campaign(comparison, key, UNBOUNDED) for key in comparison.metrics}
        return write_latex(comparison, whole if all_columns else None)
    raise unknown_format(format, FORMATS)


def campaign_to_dict(comparison: CampaignComparison, warnings: Iterable[DataWarning] = ()) -> dict[str, object]:
    """Return a campaign as the object of ``--format json``: keys are the fields of the records; absent is None."""
    metrics = {
        key: {"signatures": metric.signatures, "higher_is_better": metric.higher_is_better}
        | {"systems": [fields_of(system) for system in metric.systems]}
        | {"comparisons": [fields_of(pair) | {"sets": list(map(fields_of, pair.sets))} for pair in metric.comparisons]}
        | {"ranking": None if metric.ranking is None else [fields_of(ranked) for ranked in metric.ranking]}
        | {"label": label_metric(key, next(iter(metric.signatures.values())))}
        for key, metric in comparison.metrics.items()
    }
    head = {"schema": SCHEMA} | fields_of(comparison.settings) | {"baseline": comparison.baseline}
    head |= {"test_sets": [fields_of(one) for one in comparison.test_sets], "metrics": metrics}
    return head | {"warnings": list_warnings(warnings), "headline": comparison.headline}


def campaign_frame(comparison: CampaignComparison) -> pd.DataFrame:
    """Return the rows of the CSV: of each comparison one for all test sets (``row`` says so), then one per set."""
    # Keys that only some options have come last.
    more = (name for metric in comparison.metrics.values() for pair in metric.comparisons for name in pair.shown())
    known = (*CampaignPair.keys(), *SetEstimate.keys())
    columns = list(dict.fromkeys(["metric", "row", "test_set", *known, *more]))
    rows: list[dict[str, Any]] = []
    for key, metric in comparison.metrics.items():
        for pair in metric.comparisons:
            rows.append({"metric": key, "row": "all test sets"} | pair.shown())
            rows += [{"metric": key, "row": "one test set"} | one.shown() for one in pair.sets]
    texts = ("metric", "test_set", "a", "b", "better")
    safe = [
        {name: printable(cell) if name in texts and isinstance(cell, str) else cell for name, cell in row.items()}
        for row in rows
    ]
    return pd.DataFrame([[row.get(name) for name in columns] for row in safe], columns=columns, dtype=object)


# ---- text and Markdown


def _to_text(comparison: CampaignComparison, width: int) -> str:
    parts = ["".join(wrap(sentence, width) + "\n" for sentence in comparison.headline)]
    lacking: dict[str, list[str]] = {}
    for key in comparison.metrics:
        parts.append(f"{wrap(metric_heading(comparison, key), width)}\n")
        for heading, columns in tabulate_campaign(comparison, key, width).items():
            parts += [wrap(f"{heading}:", width) + "\n"] if heading else []
            if "test set" in columns:
                parts.append(columns_to_text(columns, width=width, headings=break_headings(columns, width)))
                continue
            n_names = sum(name in columns for name in ("system", "against"))
            fitting = _fit(columns, width, n_names)
            for name in columns.keys() - fitting.keys():
                lacking.setdefault(name, []).append(key)
            parts.append(columns_to_text(fitting, n_names=n_names, width=width))
    order = [name for name in DISPENSABLE if name in lacking]
    parts.append("".join(wrap(one, width) + "\n" for one in [*say_left_out(order), *explain_campaign(comparison)]))
    parts.append("".join(wrap(signature) + "\n" for signature in sign_metrics(comparison)))
    return "\n".join(parts)


def _fit(columns: Columns, width: int, n_names: int) -> Columns:
    """Leave out columns: p where there is an adjusted one and names are shortened, others where names get too short."""
    if not any(name.startswith("p (") and name != "p (sets)" for name in columns):
        return fit_columns(columns, [name for name in DISPENSABLE if name != "p"], width=width, n_names=n_names)
    for name in ("p", "p (sets)"):
        if len(columns_to_text(columns, n_names=n_names, width=UNBOUNDED).partition("\n")[0]) > width:
            columns = {other: cells for other, cells in columns.items() if other != name}
    return fit_columns(columns, DISPENSABLE, width=width, n_names=n_names)


def _to_markdown(comparison: CampaignComparison, all_columns: bool) -> str:
    parts = ["\n\n".join(map(escape_markdown, comparison.headline)) + "\n"]
    for key, metric in comparison.metrics.items():
        parts.append(f"**{escape_markdown(key)}**, {direction_of(metric)}\n")
        if all_columns:
            for heading, columns in tabulate_campaign(comparison, key, UNBOUNDED).items():
                parts += [f"{escape_markdown(heading)}:\n"] if heading else []
                parts.append(columns_to_markdown(columns))
        else:
            for table in papers_of_metric(comparison, key):
                parts.append(columns_to_markdown(table.columns, bold=table.bold, marks=table.marks))
                parts.append(escape_markdown(table.caption) + "\n")
    explained = explain_campaign(comparison) if all_columns else []
    parts += ["\n\n".join(map(escape_markdown, explained)) + "\n"] if explained else []
    return "\n".join([*parts, *(f"{escape_markdown(one)}\n" for one in sign_metrics(comparison))])
