"""Statistics, and clusters of systems, as documents for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtworkbench.metrics.directions import describe_direction
from mtworkbench.wording import tally
from mtworkbench.words.cells import direction_of
from mtworkbench.words.columns import say_range
from mtworkbench.words.concerns import find_concerns, say_before
from mtworkbench.words.document import Document, Section, Table
from mtworkbench.words.frames import Cell, Columns, number
from mtworkbench.words.metric_names import label_metric
from mtworkbench.words.scores import tabulate_scores

if TYPE_CHECKING:
    from mtworkbench.inference import Clusters
    from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

#: Of more runs than this, a table has the range of their scores.
MAX_RUNS = 5


def build_statistics(statistics: SegmentStatistics) -> Document:
    """Lay out what statistics are of, and the score of each system.

    Parameters
    ----------
    statistics : SegmentStatistics

    Returns
    -------
    Document
        Metric, systems, runs, segments, documents and references; a table of scores; the signature.
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
        shown: list[str] = [_runs(one, digits, whole=most <= MAX_RUNS) for one in scores.values()]
        columns["scores of the runs" if most <= MAX_RUNS else "range"] = shown
    else:
        columns.pop("runs")
    caption = f"{label_metric(metric.name, metric.signature)}, {direction_of(metric)}; {_size(statistics, scores)}."
    concerns = find_concerns(statistics)
    return Document(
        say_before(concerns),
        sections=[Section(tables=[Table(columns, caption=caption)])],
        notes=[one.say(advise=True) for one in (*concerns.after, *concerns.below)],
        signatures=[f"Signature: {statistics.signature}"],
        in_row=False,
    )


def build_clusters(clusters: Clusters) -> Document:
    """Lay out WMT's clusters: one row per system, how they are made, and the signature."""
    systems = clusters.systems
    digits = 3 if max(abs(one.score) for one in systems) < 10 else 2
    columns: Columns = {
        "cluster": [Cell(one.cluster) for one in systems],
        "rank": [say_range(one.rank_low, one.rank_high) for one in systems],
        "system": [one.system for one in systems],
        "score": [number(one.score, digits) for one in systems],
        "segments": [Cell(one.n_segments) for one in systems],
    }
    caption = f"{clusters.metric}, {describe_direction(clusters)}: clusters by the rule {clusters.rule}"
    words = "Each pair is tested one-sided at 5 %. p is not adjusted for the number of pairs."
    return Document(
        sections=[Section(tables=[Table(columns, caption=caption, n_names=3)], notes=[words])],
        signatures=[f"Signature: {clusters.signature}"],
        in_row=False,
    )


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
