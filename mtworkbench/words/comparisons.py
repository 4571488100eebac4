"""Comparisons as documents, of one test set and of several: wide tables for a terminal, and those of a paper."""

from __future__ import annotations

from dataclasses import replace

from mtworkbench.results.campaigns import CampaignComparison
from mtworkbench.words.cells import direction_of
from mtworkbench.words.columns import WHOLE
from mtworkbench.words.document import Document, Section, Table
from mtworkbench.words.metric_names import label_results
from mtworkbench.words.metric_tables import (
    Several,
    explain,
    head_metric,
    sign,
    tabulate_metric,
)
from mtworkbench.words.papers import build_paper, caption_of_all_columns
from mtworkbench.words.paragraphs import describe_comparison
from mtworkbench.words.screens import show_campaign, show_comparison


def build_comparison(comparison: Several, format: str = "html", *, all_columns: bool = False) -> Document:
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
    if format == "text":
        return _build_for_reading(comparison)
    if format != "html":
        return _build_whole(comparison, format) if all_columns else build_paper(comparison, format)
    if isinstance(comparison, CampaignComparison):
        return show_campaign(comparison)
    return show_comparison(comparison)


def _build_for_reading(comparison: Several) -> Document:
    """Lay out the tables of each metric with all columns that have room, and what they mean."""
    sections = [
        Section(key, head_metric(comparison, key)[len(key) :], tables=tabulate_metric(comparison, key))
        for key in comparison.metrics
    ]
    explained = [one for one in explain(comparison) if one not in comparison.headline]
    return Document(comparison.headline, sections, explanation=explained, signatures=sign(comparison))


def _build_whole(comparison: Several, format: str) -> Document:
    """Lay out the wide tables for a paper; in LaTeX captions say where the numbers come from."""
    sections = [
        Section(
            key,
            f", {direction_of(metric)}",
            tables=[
                replace(
                    table,
                    caption=_caption_whole(comparison, key, table) if format == "latex" else "",
                    label=f"tab:{key}-{place}",
                )
                for place, table in enumerate(tabulate_metric(comparison, key, WHOLE), start=1)
            ],
        )
        for key, metric in comparison.metrics.items()
    ]
    return Document(
        comparison.headline,
        sections,
        explanation=explain(comparison),
        signatures=sign(comparison),
        paragraph=describe_comparison(comparison),
    )


def _caption_whole(comparison: Several, key: str, table: Table) -> str:
    caption = f"{table.heading or 'Systems'}: {head_metric(comparison, key)}."
    if isinstance(comparison, CampaignComparison):
        return caption
    said = caption_of_all_columns(comparison, comparison.metrics[key], dict(table.columns))
    return f"{caption} {said}".strip()
