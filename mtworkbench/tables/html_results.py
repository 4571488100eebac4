"""How systems vary, and statistics, as HTML for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtworkbench.tables.comparisons import direction_of, say_range
from mtworkbench.tables.frames import Cell, Columns, number
from mtworkbench.tables.html import fold, paragraph, show_html, signature_to_html, table_to_html, without_empty
from mtworkbench.tables.metric_names import label_metric, label_result, label_results
from mtworkbench.tables.scores import tabulate_scores
from mtworkbench.tables.variance import explain_variance, tabulate_variance
from mtworkbench.wording import tally

if TYPE_CHECKING:
    from mtworkbench.inference import Clusters, MetricVariance, OptimizerVariance
    from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

#: Of more runs than this, a table has the range of their scores.
MAX_RUNS = 5


def variance_to_html(variance: OptimizerVariance) -> str:
    """Write how much systems vary, under each metric: a table, and what it says."""
    variance = label_results(variance)
    dev = "" if variance.n_dev_segments is None else f", {variance.n_dev_segments:,} on the dev set"
    on = f"; {variance.n_segments:,} segments{dev}"
    parts = [_variance_table(key, metric, on) + _variance_words(metric) for key, metric in variance.metrics.items()]
    signatures = (
        f"Signature of {key}: {metric.signature}|{variance.signature}" for key, metric in variance.metrics.items()
    )
    return show_html(
        *parts,
        fold("What the columns mean", paragraph(explain_variance(variance))),
        fold("How to reproduce the numbers", *map(signature_to_html, signatures)),
    )


def metric_variance_to_html(metric: MetricVariance) -> str:
    """Write how much systems vary under one metric."""
    signature = fold("How to reproduce the numbers", signature_to_html(f"Signature: {metric.signature}"))
    return show_html(_variance_table(label_result(metric).name, metric), _variance_words(metric), signature)


def statistics_to_html(statistics: SegmentStatistics) -> str:
    """Write what statistics are of, and the score of each system.

    Parameters
    ----------
    statistics : SegmentStatistics

    Returns
    -------
    str
        Metric, systems, runs, segments, documents and references; a table of scores; folded, the signature.
    """
    metric = statistics.metric
    frame = tabulate_scores([statistics])
    scores = {name: part["score"].tolist() for name, part in frame.groupby("system", sort=False)}
    most = max(map(len, scores.values()), default=1)
    columns: Columns = {"system": list(scores), "runs": [Cell(len(one)) for one in scores.values()]}
    # Scores such as COMET's lie between 0 and 1.
    digits = 4 if frame["score"].abs().max() <= 1 else 2
    columns["score"] = [number(sum(one) / len(one), digits) for one in scores.values()]
    if most > 1:
        shown = [_runs(one, digits, whole=most <= MAX_RUNS) for one in scores.values()]
        columns["scores of the runs" if most <= MAX_RUNS else "range"] = shown
    else:
        columns.pop("runs")
    caption = f"{label_metric(metric.name, metric.signature)}, {direction_of(metric)}; {_size(statistics, scores)}."
    signature = fold("How to reproduce the numbers", signature_to_html(f"Signature: {statistics.signature}"))
    return show_html(table_to_html(without_empty(columns), caption), signature)


def clusters_to_html(clusters: Clusters) -> str:
    """Write WMT's clusters: one row per system; folded, how they are made and the signature."""
    systems = clusters.systems
    digits = 3 if max(abs(one.score) for one in systems) < 10 else 2
    columns: Columns = {
        "cluster": [Cell(one.cluster) for one in systems],
        "rank": [Cell(say_range(one.rank_low, one.rank_high)) for one in systems],
        "system": [one.system for one in systems],
        "score": [number(one.score, digits) for one in systems],
        "segments": [Cell(one.n_segments) for one in systems],
    }
    caption = f"{clusters.metric}, {direction_of(clusters)}: clusters by the rule {clusters.rule}"
    words = "Each pair is tested one-sided at 5 %. p is not adjusted for the number of pairs."
    signature = fold("How to reproduce the numbers", signature_to_html(f"Signature: {clusters.signature}"))
    return show_html(table_to_html(columns, caption, n_heads=3), paragraph(words), signature)


def _variance_table(name: str, metric: MetricVariance, on: str = "") -> str:
    return table_to_html(without_empty(tabulate_variance(metric)), f"{name}, {direction_of(metric)}{on}")


def _variance_words(metric: MetricVariance) -> str:
    return "".join(map(paragraph, metric.readings)) + fold("Where to spend next", *map(paragraph, metric.advice))


def _runs(scores: list[float], digits: int, *, whole: bool) -> Cell:
    """Write the scores of all runs, or their range."""
    if whole:
        return Cell(", ".join(number(score, digits) for score in scores))
    return Cell(f"{number(min(scores), digits)} to {number(max(scores), digits)}")


def _size(statistics: SegmentStatistics, scores: dict[str, list[float]]) -> str:
    runs = {len(one) for one in scores.values()}
    sizes = [tally(len(scores), "system")]
    sizes += [tally(runs.pop(), "run")] if len(runs) == 1 else ["different numbers of runs"]
    return f"{' × '.join([*sizes, tally(len(statistics.test_set), 'segment')])}{_test_set(statistics.test_set)}"


def _test_set(test_set: TestSet) -> str:
    """Say what is known of documents and references."""
    documents = test_set.n_documents
    said = ", documents unknown" if documents is None else f" in {tally(documents, 'document')}"
    if test_set.n_references:
        return f"{said}, {tally(test_set.n_references, 'reference')}{' each' if test_set.n_references > 1 else ''}"
    return said + (", references vary in number" if test_set.references_vary else "")
