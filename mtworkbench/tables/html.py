"""A comparison as HTML, for notebooks: the headline, then the tables of the terminal, the rest folded."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from mtworkbench.tables.comparisons import direction_of, metric_heading, tabulate_details, tabulate_metric
from mtworkbench.tables.frames import columns_to_html, printable
from mtworkbench.tables.records import div_of_text
from mtworkbench.tables.sentences import describe_comparison, explain_comparison, signature_of

if TYPE_CHECKING:
    from mtworkbench.inference import Comparison, MetricComparison


def comparison_to_html(comparison: Comparison) -> str:
    """Write a comparison as HTML.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    str
        The headline, then for each metric its tables; folded, each comparison's details, what the columns mean, and
        how to reproduce the numbers. Names are escaped, and never typeset as mathematics.
    """
    parts = [f"<p><b>{_text(sentence)}</b></p>" for sentence in comparison.headline]
    for key, metric in comparison.metrics.items():
        parts += [f"<p>{_text(metric_heading(comparison, key))}</p>", _tables(metric), _details(metric)]
    parts.append(_fold("What the columns mean", explain_comparison(comparison)))
    signatures = [signature_of(comparison, metric) for metric in comparison.metrics.values()]
    parts.append(_fold("How to reproduce the numbers", signatures))
    return div_of_text("".join(parts))


def metric_to_html(metric: MetricComparison) -> str:
    """Write what was found for one metric as HTML: its tables, then the same in words, folded."""
    heading = f"<p>{_text(f'{metric.name}, {direction_of(metric)}')}</p>"
    words = _fold("In words", [describe_comparison(metric)])
    return div_of_text(f"{heading}{_tables(metric)}{_details(metric)}{words}")


def _tables(metric: MetricComparison) -> str:
    return "".join(
        (f"<p>{_text(heading)}</p>" if heading else "") + columns_to_html(columns)
        for heading, columns in tabulate_metric(metric).items()
    )


def _details(metric: MetricComparison) -> str:
    """Fold what a paper has no room for: the simulation error of each p, and the trials that would decide."""
    if not metric.comparisons:
        return ""
    return f"<details><summary>Details</summary>{columns_to_html(tabulate_details(metric))}</details>"


def _fold(summary: str, sentences: Iterable[str]) -> str:
    said = "".join(f"<p>{_text(sentence)}</p>" for sentence in sentences)
    return f"<details><summary>{_text(summary)}</summary>{said}</details>"


def _text(text: str) -> str:
    return escape(printable(text))
