"""Comparisons as documents, of one test set and of several: wide tables for a terminal, and those of a paper."""

from __future__ import annotations

from mtworkbench.results.campaigns import CampaignComparison
from mtworkbench.words.document import Document, Section
from mtworkbench.words.explanations import explain
from mtworkbench.words.metric_names import label_results
from mtworkbench.words.metric_tables import head_metric, sign, tabulate_metric
from mtworkbench.words.papers import build_paper, build_wide_paper
from mtworkbench.words.scopes import AnyComparison
from mtworkbench.words.screens import show_campaign, show_comparison


def build_comparison(comparison: AnyComparison, format: str = "html", *, all_columns: bool = False) -> Document:
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
        return build_wide_paper(comparison, format) if all_columns else build_paper(comparison, format)
    if isinstance(comparison, CampaignComparison):
        return show_campaign(comparison)
    return show_comparison(comparison)


def _build_for_reading(comparison: AnyComparison) -> Document:
    """Lay out the tables of each metric with all columns that have room, and what they mean."""
    sections = [
        Section(key, head_metric(comparison, key)[len(key) :], tables=tabulate_metric(comparison, key))
        for key in comparison.metrics
    ]
    explained = [one for one in explain(comparison) if one not in comparison.headline]
    return Document(comparison.headline, sections, explanation=explained, signatures=sign(comparison))
