"""What comparisons have for all readers, on one test set or several: the tables of each metric, and their meaning."""

from __future__ import annotations

from collections.abc import Sequence

from mtworkbench.inference.campaign_results import CampaignComparison, CampaignMetric, CampaignPair
from mtworkbench.inference.comparison_results import Comparison, MetricComparison, PairEstimate
from mtworkbench.tables.campaign_explanations import explain_campaign, sign_metrics
from mtworkbench.tables.campaign_headlines import count_sets
from mtworkbench.tables.cells import (
    ADJUSTMENTS,
    T_DIGITS,
    decimals_of,
    direction_of,
    interval_of,
    is_exact,
    name_adjusted,
    p_digits,
    rests_on_parts,
    show_p,
)
from mtworkbench.tables.explanations import explain_comparison
from mtworkbench.tables.frames import Cell, Columns, number
from mtworkbench.tables.sentences import signature_of
from mtworkbench.tables.sentences_on_equivalence import smallest_columns
from mtworkbench.words.columns import (
    METHOD,
    NEW_SETS,
    OUTPUTS,
    Metric,
    Pair,
    Question,
    explain_columns,
    list_dispensable,
    name_ci,
    name_rows,
    tabulate_differences,
    tabulate_systems,
)
from mtworkbench.words.document import MOST_ROWS, Table
from mtworkbench.words.sets import tabulate_sets
from mtworkbench.words.verdicts import for_new_sets, on_these_sets

Several = Comparison | CampaignComparison
# How the intervals of max-T are called, before their level.
SIMULTANEOUS = "simultaneous"
# What headings say that differences are of.
FOR_METHOD = "for the method (new training runs)"
# The headings of adjusted p in the one table of very many differences.
SHORT_P = ("p (these)", "p (new)")


def explain(comparison: Several) -> list[str]:
    """Say what the columns of all tables mean, each thing once."""
    if isinstance(comparison, CampaignComparison):
        said = explain_campaign(comparison)
    else:
        said = explain_comparison(comparison)
    declared = [one for metric in comparison.metrics.values() for one in explain_columns(metric)]
    return [*said, *dict.fromkeys(declared)]


def sign(comparison: Several) -> list[str]:
    """Write what is needed to reproduce the numbers of each metric."""
    if isinstance(comparison, CampaignComparison):
        return sign_metrics(comparison)
    several = len(comparison.metrics) > 1
    lines = {key: signature_of(comparison, metric) for key, metric in comparison.metrics.items()}
    return [one.replace("Signature:", f"Signature of {key}:", 1) if several else one for key, one in lines.items()]


def head_metric(comparison: Several, key: str) -> str:
    """Name the metric, its direction and the test set or sets, above its tables."""
    metric = comparison.metrics[key]
    head = f"{key}, {direction_of(metric)}; "
    if isinstance(comparison, CampaignComparison):
        n_segments = sum(one.n_segments for one in comparison.test_sets)
        return f"{head}{count_sets(comparison)}, {n_segments:,} segments in all"
    n_documents = comparison.n_documents
    documents = "" if n_documents is None else f" in {n_documents:,} document{'' if n_documents == 1 else 's'}"
    scored = {pair.n_segments for pair in metric.comparisons}
    # Where comparisons rest on different segments, a table of its own says on how many.
    missing = len(scored) == 1 and not rests_on_parts(metric) and scored != {comparison.n_segments}
    counted = f", {scored.pop():,} of them with scores" if missing else ""
    segments = "1 segment" if comparison.n_segments == 1 else f"{comparison.n_segments:,} segments"
    return f"{head}{segments}{documents}{counted}"


# ---- the tables of one metric


def tabulate_metric(comparison: Several, metric: Metric) -> list[Table]:
    """Return the tables of one metric: systems, differences for each question, and the test sets one by one.

    The question that reaches furthest comes first where it has an answer. Where comparisons rest on different
    segments, a table says on how many, and the scores on these.
    """
    if isinstance(comparison, CampaignComparison) and isinstance(metric, CampaignMetric):
        return _tabulate_campaign(comparison, metric)
    return tabulate_one_set(metric)


def tabulate_one_set(metric: MetricComparison) -> list[Table]:
    """Return the tables of one metric on one test set."""
    tables = [_fitting(metric, tabulate_systems(metric), "Ranking" if metric.ranking is not None else "")]
    if not metric.comparisons:
        return tables
    rows, what = metric.comparisons_from_best, say_differences(metric)
    if rests_on_parts(metric):
        tables.append(_fitting(metric, _tabulate_means(metric, rows), "Scores on the segments scored for both systems"))
    if metric.asks_of_methods:
        tables.append(_table_of(metric, rows, METHOD, f"{what}, {FOR_METHOD}"))
    return [*tables, _table_of(metric, rows, OUTPUTS, f"{what}, on these outputs")]


def _tabulate_campaign(comparison: CampaignComparison, metric: CampaignMetric) -> list[Table]:
    mean = "Ranking, mean over test sets" if metric.ranking else "Mean over test sets"
    tables = [_fitting(metric, tabulate_systems(metric), mean)]
    if not metric.comparisons:
        return tables
    rows, what = metric.comparisons_from_best, f"{say_differences(metric)}, mean over {count_sets(comparison)}"
    if len(rows) > MOST_ROWS:
        tables.append(_fitting(metric, _short_columns(metric, rows), what))
    else:
        tables.append(_table_of(metric, rows, NEW_SETS, f"{what}, for new test sets like these"))
        tables.append(_table_of(metric, rows, OUTPUTS, f"{what}, on these test sets"))
    if metric.asks_of_methods:
        tables.append(_table_of(metric, rows, METHOD, f"{what}, {FOR_METHOD} on these test sets"))
    return [*tables, tabulate_sets(comparison, metric)]


def say_differences(metric: Metric) -> str:
    """Say in a heading what differences are shown."""
    if metric.compared_with is None:
        return "Differences of all pairs"
    return f"Difference from {metric.compared_with}"


def _table_of(metric: Metric, rows: Sequence[Pair], question: Question, heading: str) -> Table:
    return _fitting(metric, name_rows(metric, rows) | tabulate_differences(metric, rows, question), heading)


def _fitting(metric: Metric, columns: Columns, heading: str) -> Table:
    """Return a table that knows what can be left out of it; of several test sets also p, if it is adjusted."""
    is_adjusted = any(name_adjusted(adjust) in columns for adjust in ADJUSTMENTS) or SHORT_P[0] in columns
    return Table(
        columns,
        heading,
        n_names=sum(name in columns for name in ("system", "against")),
        dispensable=list_dispensable(metric, columns),
        spare=("p", "p (sets)") if isinstance(metric, CampaignMetric) and is_adjusted else (),
    )


def _short_columns(metric: CampaignMetric, rows: Sequence[CampaignPair]) -> Columns:
    """Return one table of very many differences: what the verdicts go by."""
    digits, n_trials = decimals_of(metric), metric.n_trials
    return name_rows(metric, rows) | {
        "diff.": [number(pair.difference, digits) for pair in rows],
        SHORT_P[0]: [show_p(pair.p_adjusted, p_digits(pair, n_trials)) for pair in rows],
        SHORT_P[1]: [show_p(pair.new_sets_p_adjusted, T_DIGITS) for pair in rows],
        "these sets": [on_these_sets(pair, metric) for pair in rows],
        "new sets": [for_new_sets(pair, metric) for pair in rows],
    }


def _tabulate_means(metric: MetricComparison, rows: Sequence[PairEstimate]) -> Columns:
    """Return how many segments each comparison rests on, and both systems' scores on them."""
    digits, other = decimals_of(metric), "baseline" if metric.compared_with is not None else "the other"
    return {
        "system": [pair.a for pair in rows],
        "against": [pair.b for pair in rows],
        "segments": [Cell(f"{pair.n_segments:,}") for pair in rows],
        "score of system": [number(pair.score_a, digits) for pair in rows],
        f"score of {other}": [number(pair.score_b, digits) for pair in rows],
    }


def tabulate_details(metric: MetricComparison) -> Columns:
    """Return what only the details say of each comparison: errors of p, trials needed, design effects ..."""
    rows, n_trials = metric.comparisons_from_best, metric.n_trials
    columns: Columns = {
        "system": [pair.a for pair in rows],
        "against": [pair.b for pair in rows],
        "segments that differ": [Cell(f"{pair.segments_differing:,}") for pair in rows],
        "MC 95 % CI of p": [_p_error(pair, n_trials) for pair in rows],
        "smallest possible p": [show_p(pair.smallest_p, p_digits(pair, n_trials)) for pair in rows],
    }
    if any(pair.n_trials_to_decide is not None for pair in rows):
        needed = [pair.n_trials_to_decide for pair in rows]
        columns["trials needed"] = [Cell("" if count is None else f"{count:,}") for count in needed]
    if any(pair.simultaneous_low is not None for pair in rows):
        ends, digits = [(pair.simultaneous_low, pair.simultaneous_high) for pair in rows], decimals_of(metric)
        columns[f"{SIMULTANEOUS} {name_ci(metric)}"] = [interval_of(low, high, digits) for low, high in ends]
    if any(pair.design_effect is not None for pair in rows):
        columns["deff"] = [number(pair.design_effect, 1) for pair in rows]
    if metric.asks_of_methods:
        columns["p (method, separate runs)"] = [show_p(pair.method_p_separate, T_DIGITS) for pair in rows]
        columns["p (method, pooled runs)"] = [show_p(pair.method_p_pooled, T_DIGITS) for pair in rows]
    return columns | smallest_columns(metric, rows)


def _p_error(pair: PairEstimate, n_trials: int) -> Cell:
    """Write the interval of a p's simulation error, or that there is none."""
    if is_exact(pair):
        return Cell("exact")
    low, high = (show_p(end, p_digits(pair, n_trials)) for end in (pair.p_low, pair.p_high))
    return Cell(f"{low} to {high}")
