"""Comparisons as documents, of one test set and of several: wide tables for a terminal, and those of a paper."""

from __future__ import annotations

from dataclasses import replace

from mtworkbench.inference.campaign_results import CampaignComparison, CampaignMetric
from mtworkbench.tables.cells import (
    direction_of,
)
from mtworkbench.tables.metric_names import label_campaign, label_results
from mtworkbench.tables.sentences import describe_comparison, signature_of
from mtworkbench.words.columns import (
    Metric,
    name_ci,
)
from mtworkbench.words.document import Document, Section, Table
from mtworkbench.words.metric_tables import (
    SIMULTANEOUS,
    Several,
    explain,
    head_metric,
    sign,
    tabulate_details,
    tabulate_metric,
)
from mtworkbench.words.papers import build_paper, caption_of_all_columns
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
    labelled = label_campaign(comparison) if isinstance(comparison, CampaignComparison) else label_results(comparison)
    if format == "html":
        is_campaign = isinstance(labelled, CampaignComparison)
        return show_campaign(labelled) if is_campaign else show_comparison(labelled)
    if format == "text":
        return _build_for_reading(labelled)
    if all_columns:
        return _build_whole(labelled, format)
    return build_paper(labelled, format)


def _build_for_reading(comparison: Several) -> Document:
    """Lay out the tables of each metric with all columns that have room, and what they mean."""
    sections = [
        Section(
            key,
            head_metric(comparison, key)[len(key) :],
            tables=tabulate_metric(comparison, metric),
        )
        for key, metric in comparison.metrics.items()
    ]
    explained = [one for one in explain(comparison) if one not in comparison.headline]
    return Document(comparison.headline, sections, explanation=explained, signatures=sign(comparison))


def _build_whole(comparison: Several, format: str) -> Document:
    """Lay out the wide tables for a paper, with captions that say where the numbers come from."""
    of_sets, is_markdown = isinstance(comparison, CampaignComparison), format == "markdown"
    sections = []
    for key, metric in comparison.metrics.items():
        whole = [_with_simultaneous(metric, table) for table in tabulate_metric(comparison, metric)]
        tables = [
            replace(
                table,
                caption="" if is_markdown else _caption_whole(comparison, key, table),
                label=f"tab:{key}-{place}",
            )
            for place, table in enumerate(whole, start=1)
        ]
        notes = [] if isinstance(comparison, CampaignComparison) else [signature_of(comparison, metric)]
        sections.append(Section(key, f", {direction_of(metric)}", tables=tables, notes=notes))
    return Document(
        comparison.headline,
        sections,
        explanation=explain(comparison),
        signatures=[] if is_markdown and not of_sets else sign(comparison),
        paragraph="" if of_sets else describe_comparison(comparison),
    )


def _caption_whole(comparison: Several, key: str, table: Table) -> str:
    caption = f"{table.heading or 'Systems'}: {head_metric(comparison, key)}."
    if isinstance(comparison, CampaignComparison):
        return caption
    said = caption_of_all_columns(comparison, comparison.metrics[key], dict(table.columns))
    return f"{caption} {said}".strip()


def _with_simultaneous(metric: Metric, table: Table) -> Table:
    """Add the intervals that hold for all comparisons together to the table of these outputs."""
    if isinstance(metric, CampaignMetric) or "diff." not in table.columns or "df" in table.columns:
        return table
    details = tabulate_details(metric)
    simultaneous = {name: cells for name, cells in details.items() if name.startswith(SIMULTANEOUS)}
    items = list(table.columns.items())
    after = list(table.columns).index(name_ci(metric)) + 1
    return replace(table, columns=dict([*items[:after], *simultaneous.items(), *items[after:]]))
