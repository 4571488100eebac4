"""What comparisons have for all readers, on one test set or several: the tables of each metric, and their meaning."""

from __future__ import annotations

from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric
from mtworkbench.results.comparisons import Comparison, MetricComparison, PairEstimate
from mtworkbench.wording import tally
from mtworkbench.words.campaign_explanations import explain_campaign, sign_metrics
from mtworkbench.words.cells import (
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
from mtworkbench.words.columns import (
    METHOD,
    NEW_SETS,
    OUTPUTS,
    READING,
    SIMULTANEOUS,
    Metric,
    Question,
    explain_columns,
    list_dispensable,
    name_ci,
    name_rows,
    tabulate_differences,
    tabulate_systems,
)
from mtworkbench.words.document import MOST_ROWS, Table, name_signatures
from mtworkbench.words.explanations import explain_comparison
from mtworkbench.words.frames import Cell, Columns, number
from mtworkbench.words.scopes import count_sets
from mtworkbench.words.sentences_on_equivalence import smallest_columns
from mtworkbench.words.sets import tabulate_sets
from mtworkbench.words.verdicts import for_new_sets, on_these_sets

Several = Comparison | CampaignComparison
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
    signatures = {key: f"{metric.signature}|{comparison.signature}" for key, metric in comparison.metrics.items()}
    return name_signatures(signatures)


def head_metric(comparison: Several, key: str) -> str:
    """Name the metric, its direction and the test set or sets, above its tables."""
    head = f"{key}, {direction_of(comparison.metrics[key])}; "
    if isinstance(comparison, CampaignComparison):
        n_segments = sum(one.n_segments for one in comparison.test_sets)
        return f"{head}{count_sets(comparison)}, {n_segments:,} segments in all"
    metric, n_documents = comparison.metrics[key], comparison.n_documents
    documents = "" if n_documents is None else f" in {tally(n_documents, 'document')}"
    scored = {pair.n_segments for pair in metric.comparisons}
    # Where comparisons rest on different segments, a table of its own says on how many.
    missing = len(scored) == 1 and not rests_on_parts(metric) and scored != {comparison.n_segments}
    counted = f", {scored.pop():,} of them with scores" if missing else ""
    return f"{head}{tally(comparison.n_segments, 'segment')}{documents}{counted}"


# ---- the tables of one metric


def tabulate_metric(comparison: Several, key: str, view: str = READING) -> list[Table]:
    """Return the tables of one metric: systems, differences for each question, and the test sets one by one."""
    if isinstance(comparison, CampaignComparison):
        return _tabulate_campaign(comparison, comparison.metrics[key], view)
    return tabulate_one_set(comparison.metrics[key], view)


def tabulate_one_set(metric: MetricComparison, view: str = READING) -> list[Table]:
    """Return the tables of one metric on one test set.

    The question about the method comes first where it has an answer. Where comparisons rest on different segments, a
    table says on how many, and the scores on these.
    """
    tables = [_fitting(metric, tabulate_systems(metric), "Ranking" if metric.ranking is not None else "")]
    if not metric.comparisons:
        return tables
    what = describe_differences(metric)
    if rests_on_parts(metric):
        tables.append(_fitting(metric, _tabulate_means(metric), "Scores on the segments scored for both systems"))
    if metric.asks_of_methods:
        tables.append(_table_of(metric, METHOD, f"{what}, {FOR_METHOD}", view))
    return [*tables, _table_of(metric, OUTPUTS, f"{what}, on these outputs", view)]


def _tabulate_campaign(comparison: CampaignComparison, metric: CampaignMetric, view: str) -> list[Table]:
    mean = "Ranking, mean over test sets" if metric.ranking else "Mean over test sets"
    tables = [_fitting(metric, tabulate_systems(metric), mean)]
    if not metric.comparisons:
        return tables
    what = f"{describe_differences(metric)}, mean over {count_sets(comparison)}"
    if len(metric.comparisons) > MOST_ROWS:
        tables.append(_fitting(metric, _short_columns(metric), what))
    else:
        tables.append(_table_of(metric, NEW_SETS, f"{what}, for new test sets like these", view))
        tables.append(_table_of(metric, OUTPUTS, f"{what}, on these test sets", view))
    if metric.asks_of_methods:
        tables.append(_table_of(metric, METHOD, f"{what}, {FOR_METHOD} on these test sets", view))
    return [*tables, tabulate_sets(comparison, metric)]


def describe_differences(metric: Metric) -> str:
    """Say in a heading what differences are shown."""
    if metric.compared_with is None:
        return "Differences of all pairs"
    return f"Difference from {metric.compared_with}"


def _table_of(metric: Metric, question: Question, heading: str, view: str) -> Table:
    rows = metric.comparisons_from_best
    return _fitting(metric, name_rows(metric, rows) | tabulate_differences(metric, rows, question, view), heading)


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


def _short_columns(metric: CampaignMetric) -> Columns:
    """Return one table of very many differences: what the verdicts go by."""
    rows, digits, n_trials = metric.comparisons_from_best, decimals_of(metric), metric.n_trials
    return name_rows(metric, rows) | {
        "diff.": [number(pair.difference, digits) for pair in rows],
        SHORT_P[0]: [show_p(pair.p_adjusted, p_digits(pair, n_trials)) for pair in rows],
        SHORT_P[1]: [show_p(pair.new_sets_p_adjusted, T_DIGITS) for pair in rows],
        "these sets": [on_these_sets(pair, metric) for pair in rows],
        "new sets": [for_new_sets(pair, metric) for pair in rows],
    }


def _tabulate_means(metric: MetricComparison) -> Columns:
    """Return how many segments each comparison rests on, and both systems' scores on them."""
    rows, digits = metric.comparisons_from_best, decimals_of(metric)
    other = "baseline" if metric.compared_with is not None else "the other"
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
