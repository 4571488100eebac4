"""A campaign as HTML, for notebooks: headline, systems, differences, one row per test set; the rest is folded."""

from __future__ import annotations

from collections.abc import Iterable

from mtworkbench.inference.campaign_results import CampaignComparison, CampaignMetric
from mtworkbench.tables.campaign_columns import MARKS, metric_heading, tabulate_campaign
from mtworkbench.tables.campaign_explanations import explain_campaign, sign_metrics
from mtworkbench.tables.frames import Cell, Columns, shorten_headings
from mtworkbench.tables.html import (
    Bold,
    fold,
    paragraph,
    show_html,
    side_by_side,
    signature_to_html,
    table_to_html,
    without_empty,
)
from mtworkbench.tables.metric_names import label_results
from mtworkbench.tables.sentences_on_top import explain_bold

#: Of more comparisons than this the differences are folded: the headline has counted them.
MAX_ROWS = 10
# The table with one row per test set has a column per system up to this width, in characters; then it counts.
WIDEST = 220


def campaign_to_html(comparison: CampaignComparison) -> str:
    """Write a campaign as HTML.

    Parameters
    ----------
    comparison : CampaignComparison

    Returns
    -------
    str
        The headline; for each metric the differences over all test sets and the table with one row per test set, of
        several metrics folded after the first; then, folded, what the columns mean, and how to reproduce the numbers.
        Names are escaped, and never typeset as mathematics.
    """
    comparison = label_results(comparison)
    first, *others = comparison.headline
    parts = [paragraph(first, bold=True), *map(paragraph, others)]
    for number, key in enumerate(comparison.metrics):
        heading = metric_heading(comparison, key)
        tables = list(_tables_of(comparison, key))
        parts += [paragraph(f"{heading}.", bold=True), *tables] if number == 0 else [fold(heading, *tables)]
    meaning = fold("What the columns mean", *map(paragraph, explain_campaign(comparison)))
    reproduce = fold("How to reproduce the numbers", *map(signature_to_html, sign_metrics(comparison)))
    return show_html(*parts, side_by_side(meaning, reproduce))


def _tables_of(comparison: CampaignComparison, key: str) -> Iterable[str]:
    """Write the tables of one metric; very many differences are folded."""
    metric = comparison.metrics[key]
    many = len(metric.comparisons) > MAX_ROWS
    for place, (heading, columns) in enumerate(tabulate_campaign(comparison, key, WIDEST).items()):
        meaning = explain_bold([metric]) if place == 0 else ""
        columns = shorten_headings(_top_in_bold(columns, metric) if place == 0 else columns, WIDEST)
        caption = f"{heading}. {meaning}" if meaning else f"{heading}:"
        table = table_to_html(without_empty(_in_bold(columns)), caption, label=f"{heading}:")
        n_rows = len(next(iter(columns.values())))
        yield fold(f"{heading} ({n_rows} rows)", table) if many and "against" in columns else table


def _top_in_bold(columns: Columns, metric: CampaignMetric) -> Columns:
    """Set the scores of the systems at the top in bold, in the table of systems."""
    score = metric.name.split("|")[0]
    named = zip(columns["system"], columns[score], strict=True)
    return columns | {score: [Bold(cell) if name in metric.top else cell for name, cell in named]}


def _in_bold(columns: Columns) -> Columns:
    """Set the differences that are shown on their test set in bold, which the marks say, too."""
    shown = MARKS["significant"]
    return {
        name: [Bold(cell) if isinstance(cell, Cell) and cell.endswith(shown) else cell for cell in cells]
        for name, cells in columns.items()
    }
