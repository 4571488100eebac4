"""A single result as a line and as a small table: its fields with their names, rounded, escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import pandas as pd

from mtworkbench.tables.cells import EXACT_DIGITS, T_DIGITS, digits_of_trials, show_p

if TYPE_CHECKING:
    from mtworkbench.inference.results import Estimate

P_VALUES = ("p_value", "p_low", "p_high", "p_adjusted", "smallest_p", "method_p_adjusted")


def record_to_text(record: Estimate) -> str:
    """Write a result in one line, without its signature."""
    shown = ", ".join(
        f"{name}={value!r}" if isinstance(value, str) else f"{name}={show_field(record, name, value)}"
        for name, value in record.shown().items()
        if name != "signature"
    )
    return f"{type(record).__name__}({shown})"


def record_to_html(record: Estimate) -> str:
    """Write a result as an HTML table with one row per field."""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(show_field(record, name, value))}</td></tr>"
        for name, value in record.shown().items()
    )
    return div_of_text(f"<table><caption>{escape(type(record).__name__)}</caption><tbody>{rows}</tbody></table>")


def show_field(record: Estimate, name: str, value: object) -> str:
    """Show one field: a p with the digits that its draws carry."""
    is_p = value is not None and (name in P_VALUES or name.endswith("_p_value"))
    return show_p(value, digits_of_field(record, name)) if is_p else show_number(value)


def digits_of_field(record: Estimate, name: str) -> int:
    """Return the decimals of a p of a result."""
    if name.startswith("method_") or not hasattr(record, "p_low"):
        return T_DIGITS
    if record.p_low == record.p_high:
        return EXACT_DIGITS
    n_trials = getattr(record, "n_trials", None) or getattr(record, "n_splits", None)
    return digits_of_trials(n_trials or round(1 / record.smallest_p) - 1)


def show_number(value: object) -> str:
    """Show a field of a result: numbers rounded to four significant digits, absent ones as a dash."""
    if value is None or value != value:  # a frame holds NaN where a figure is absent
        return "-"
    if isinstance(value, tuple):
        return "(" + ", ".join(show_number(item) for item in value) + ")"
    if isinstance(value, bool) or not isinstance(value, float):
        return str(value)
    return f"{value:.2f}" if abs(value) >= 10 else f"{value:.4g}"


def show_frames(caption: str, frames: dict[str, pd.DataFrame]) -> str:
    """Show frames under their headings as HTML, rounded and escaped, with what is said of them below."""
    tables = (
        f"<p><b>{escape(heading)}</b></p>{frame.map(show_number).to_html(index=False, escape=True, border=0)}"
        for heading, frame in frames.items()
    )
    return div_of_text(f"{''.join(tables)}<p>{escape(caption)}</p>")


def div_of_text(html: str) -> str:
    """Put HTML into an element in which dollar signs are not taken for mathematics."""
    return f'<div class="tex2jax_ignore mathjax_ignore">{html}</div>'
