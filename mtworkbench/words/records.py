"""A single result as a line and as a small table: its fields with their names, rounded, escaped."""

from __future__ import annotations

import re
from typing import Any

from mtworkbench.results.estimates import Estimate
from mtworkbench.words.cells import (
    EXACT_DIGITS,
    USUAL_LEVEL,
    decimals_of_intervals,
    digits_of_trials,
    interval_of,
    show_ends,
    show_p,
    show_p_error,
)
from mtworkbench.words.document import Document, Section, Table
from mtworkbench.words.frames import Cell, Columns, number
from mtworkbench.words.metric_names import label_metric
from mtworkbench.words.shown_frames import A_P, INTERVALS, WITHOUT_TRIALS, WORDS, head_interval, words_for

# What a result is looked at for; the rest of its fields is folded. An interval has its first end here.
MAIN_FIELDS = (
    *("test_set", "system", "a", "b", "n_sets", "metric", "rank", "rank_low", "rank_high", "group", "against_baseline"),
    *("runs", "score", "mean", "difference", "low", "s_sel", "s_test", "s_dev", "p_value", "p_low", "p_adjusted"),
    *("confidence", "new_sets_low", "new_sets_p_adjusted", "method_low", "method_p_value", "method_p_adjusted"),
    *("new_runs_and_sets_low", "new_runs_and_sets_p_adjusted", "design_effect", "unit", "conclusion"),
)


def record_to_text(record: Estimate) -> str:
    """Write a result in one line, without its signature."""
    shown = ", ".join(
        f"{name}={value!r}" if isinstance(value, str) else f"{name}={show_field(record, name, value)}"
        for name, value in record.shown().items()
        if name != "signature"
    )
    return f"{type(record).__name__}({shown})"


def build_record(record: Estimate) -> Document:
    """Lay out a result as a table with one row, all its fields, and how to reproduce the numbers."""
    fields = {name: show_field(record, name, value) for name, value in record.shown().items() if name != "signature"}
    title = re.sub("(?<=[a-z])(?=[A-Z])", " ", type(record).__name__).capitalize()
    everything, row = {"field": list(fields), "value": list(fields.values())}, _row(record, fields)
    signature = getattr(record, "signature", None)
    shown = Table(row, caption=title) if row else Table(everything, caption=title)
    return Document(
        sections=[Section(tables=[shown])],
        details=[Section("All fields", tables=[Table(everything, caption="All fields")])] if row else [],
        signatures=[f"Signature: {signature}"] if signature else [],
        in_row=False,
    )


def _row(record: Estimate, fields: dict[str, str]) -> Columns:
    """Return what a reader looks for first, under headings in words; what is absent has no column."""
    row: Columns = {}
    for name in MAIN_FIELDS:
        if fields.get(name, "-") == "-":
            continue
        value, interval = getattr(record, name), next((ends for ends in INTERVALS if ends[0] == name), None)
        if interval is not None:
            level = getattr(getattr(record, "bootstrap", record), "level", None)
            row[head_interval(*interval, level)] = [_interval(record, *interval)]
        elif name in ("score", "mean", "difference"):
            row[WORDS.get(name, name)] = [number(value, _decimals(record))]
        elif name == "metric":
            row[words_for(name)] = [label_metric(fields[name], getattr(record, "signature", ""))]
        elif name == "confidence":
            row[WORDS[name]] = [number(100 * value, 1)]
        else:
            heading = words_for(name, getattr(record, "adjust", "holm"))
            row[heading] = [fields[name] if isinstance(value, str) else Cell(fields[name])]
    return row


def _interval(record: Estimate, low: str, high: str) -> Cell:
    """Write an interval: of scores and differences with their decimals, of a p with those of p."""
    if low == "p_low":
        return show_p_error(getattr(record, low), getattr(record, high), digits_of_field(record, low))
    if ends := getattr(record, f"{low.removesuffix('low')}ends", None):
        return show_ends(ends, _decimals(record))  # of a difference, as everywhere
    return interval_of(getattr(record, low), getattr(record, high), _decimals(record))


def _decimals(record: Estimate) -> int:
    return decimals_of_intervals([(getattr(record, "low", None), getattr(record, "high", None))])


def show_field(record: Estimate, name: str, value: Any) -> str:
    """Show one field: a p with the digits that its draws carry."""
    if value is None or not A_P.fullmatch(name):
        return show_number(value)
    level = getattr(getattr(record, "bootstrap", record), "level", None) or USUAL_LEVEL
    return show_p(value, digits_of_field(record, name), level)


def digits_of_field(record: Estimate, name: str) -> int:
    """Return the decimals of a p of a result."""
    if name.startswith(WITHOUT_TRIALS) or getattr(record, "p_low", None) == getattr(record, "p_high", None):
        return EXACT_DIGITS
    n_trials = getattr(record, "n_trials", None) or getattr(record, "n_splits", None)
    return digits_of_trials(n_trials or round(1 / getattr(record, "smallest_p", 1)) - 1)


def show_number(value: object) -> str:
    """Show a field of a result: numbers rounded to four significant digits, absent ones as a dash."""
    if value is None or value != value:  # a frame holds NaN where a figure is absent
        return "-"
    if isinstance(value, tuple):
        return "(" + ", ".join(show_number(item) for item in value) + ")"
    if isinstance(value, bool) or not isinstance(value, float):
        return str(value)
    return f"{value:.2f}" if abs(value) >= 10 else f"{value:.4g}"
