"""A campaign as a paper prints it: a row per system over all test sets, and a row per test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mtworkbench.inference.campaign_results import CampaignComparison, CampaignMetric, CampaignPair
from mtworkbench.tables.campaign_columns import (
    COUNTS,
    MARKS,
    is_ranked_by_verdicts,
    metric_heading,
    rank_columns,
    tabulate_sets,
)
from mtworkbench.tables.campaign_explanations import explain_campaign, name_test, sign_metrics
from mtworkbench.tables.campaign_headlines import NEW, THESE, count_sets, say_df
from mtworkbench.tables.cells import (
    T_DIGITS,
    decimals_of,
    direction_of,
    in_percent,
    interval_of,
    name_of_p,
    show_p,
    threshold_of,
)
from mtworkbench.tables.frames import Cell, Columns, number, shorten_headings
from mtworkbench.tables.latex import columns_to_latex, comment, preamble
from mtworkbench.tables.paper import DIFFERENCE, SYSTEM, PaperTable
from mtworkbench.tables.sentences_on_runs import tell_tested
from mtworkbench.tables.sentences_on_top import explain_bold

#: What stands after a difference over all sets, by its conclusion.
PAPER_MARKS = {NEW: "‡", THESE: "†", "undecided": "?", "copies": "=", "identical scores": "="}
_MEANINGS = {
    "‡": "difference shown for new test sets like these",
    "†": "difference shown on these test sets only",
    "?": "undecided on these test sets (more trials are needed)",
    "=": "same score in every segment",
}
# Of the table with one row per set, in characters: more systems than fit on a page are counted.
WIDEST = 105


def papers_of_metric(comparison: CampaignComparison, key: str) -> list[PaperTable]:
    """Tabulate one metric: the systems over all test sets, and the test sets one by one."""
    metric = comparison.metrics[key]
    tables = [_table_of_systems(comparison, key, metric)]
    return [*tables, _table_of_sets(comparison, key, metric)] if metric.comparisons else tables


def _table_of_systems(comparison: CampaignComparison, key: str, metric: CampaignMetric) -> PaperTable:
    digits, systems = decimals_of(metric), metric.systems_from_best
    ci, name = f"{in_percent(metric.level)} CI", metric.name.split("|")[0]
    columns: Columns = {SYSTEM: [one.system for one in systems], name: [number(one.score, digits) for one in systems]}
    bold = frozenset((row, name) for row, one in enumerate(systems) if one.system in metric.top)
    meaning = [explain_bold([metric])] if bold else []
    marks: dict[tuple[int, str], str] = {}
    what = f"{key} ({direction_of(metric)}) of {len(systems)} systems, mean over {count_sets(comparison)}"
    if metric.compared_with is None:
        columns[ci] = [interval_of(one.low, one.high, digits) for one in systems]
        if metric.ranking is not None:
            ranks = rank_columns(metric)
            shares = ("best %", "best % (new sets)")
            columns |= {name: cells for name, cells in ranks.items() if name not in shares}
            what += ", with the ranks that remain possible, given which systems are shown to be better or worse on "
            what += "these test sets, or for new ones like these (new sets); systems that share a letter are not shown "
            what += "to differ"
            if is_ranked_by_verdicts(metric):
                test = name_test(comparison, metric.comparisons)
                what += f"; these sets: {test}; new sets: Student's t of the differences on the test sets"
                what += f"{_df(metric.comparisons)}; p adjusted for {metric.family_size} comparisons (Holm)"
        said = [f"{what} ({ci}: on these test sets).", *meaning, *tell_tested({key: metric}, "these test sets")]
        caption = " ".join(said)
        return PaperTable(columns, bold, marks, {}, caption, f"tab:{key}-systems")
    pairs = {pair.a: pair for pair in metric.comparisons}
    rows = [pairs.get(one.system) for one in systems]
    columns[DIFFERENCE] = [Cell("baseline") if pair is None else number(pair.difference, digits) for pair in rows]
    columns[ci] = [Cell() if one is None else interval_of(one.new_sets_low, one.new_sets_high, digits) for one in rows]
    new_p = name_of_p(metric, of_method=True)
    columns[new_p] = [Cell() if one is None else show_p(one.new_sets_p_adjusted, T_DIGITS) for one in rows]
    for place, pair in enumerate(rows):
        if pair is not None and pair.conclusion in PAPER_MARKS:
            marks[place, DIFFERENCE] = PAPER_MARKS[pair.conclusion]
    caption = f"{what}, with differences from {metric.comparisons[0].b}, their {ci}s and {new_p} for new "
    caption += f"test sets like these (Student's t of the differences on the test sets{_df(metric.comparisons)}). "
    said = [caption + _say_marks(metric, marks), *meaning, *tell_tested({key: metric}, "these test sets")]
    caption = " ".join(said)
    return PaperTable(columns, bold, marks, {}, caption, f"tab:{key}-systems")


def _df(pairs: Sequence[CampaignPair]) -> str:
    df = say_df(pairs)
    return f", {df}" if df else ""


def _say_marks(metric: CampaignMetric, marks: Mapping[tuple[int, str], str]) -> str:
    """Say what the marks mean that a table has."""
    said = [f"{mark}: {meaning}" for mark, meaning in _MEANINGS.items() if mark in marks.values()]
    if len(marks) < len(metric.comparisons):
        said.append("no mark: difference not shown, which does not mean equal")
    text = "; ".join(said)
    text = f"{text[0].upper()}{text[1:]}."
    if {"‡", "†"} & {*marks.values()}:
        # The table has p for new sets alone, which a difference with a dagger does not go by.
        text += f" Shown on these test sets: {name_of_p(metric)} on them, which is not in this table, is at most "
        text += f"{threshold_of(metric.level)}; shown for new ones: "
        text += f"{name_of_p(metric, of_method=True)} in this table is, too."
    return text


def _table_of_sets(comparison: CampaignComparison, key: str, metric: CampaignMetric) -> PaperTable:
    heading, columns = tabulate_sets(comparison, metric, WIDEST)
    columns = shorten_headings(columns, WIDEST)
    marks = {
        (row, name): mark
        for name, cells in columns.items()
        for row, cell in enumerate(cells)
        for mark in MARKS.values()
        if isinstance(cell, Cell) and cell.endswith(mark)
    }
    plain = {
        name: [Cell(cell.rstrip(" *?")) if isinstance(cell, Cell) else cell for cell in cells]
        for name, cells in columns.items()
    }
    caption = f"{key} ({direction_of(metric)}). {heading}"
    if marks or "p (Holm)" in columns or heading == COUNTS:
        found = (one for pair in metric.comparisons for one in pair.sets)
        caption += f"; {name_test(comparison, found)}; p adjusted for {metric.sets_family_size} comparisons on "
        caption += "single test sets (Holm)"
    means = {"*": "difference shown on this test set", "?": "undecided"}
    said = [f"{mark}: {meaning}" for mark, meaning in means.items() if mark in marks.values()]
    caption = ". ".join([caption, "; ".join(said)]) if said else caption
    return PaperTable(plain, frozenset(), marks, {}, f"{caption}.", f"tab:{key}-sets")


def write_latex(comparison: CampaignComparison, whole: Mapping[str, Mapping[str, Columns]] | None) -> str:
    """Write a campaign as LaTeX: the tables of a paper, or those with every column, by metric and heading."""
    if whole is not None:
        tables = [
            columns_to_latex(columns, f"{heading}: {metric_heading(comparison, key)}.", f"tab:{key}-{place}")
            for key, tables in whole.items()
            for place, (heading, columns) in enumerate(tables.items(), start=1)
        ]
    else:
        tables = [
            columns_to_latex(table.columns, table.caption, table.label, bold=table.bold, marks=table.marks)
            for key in comparison.metrics
            for table in papers_of_metric(comparison, key)
        ]
    said = explain_campaign(comparison) if whole is not None else []
    notes = [*comparison.headline, *said, *sign_metrics(comparison), *preamble("".join(tables))]
    return "\n".join([comment(notes), *tables])
