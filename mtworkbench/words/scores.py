"""Scores of saved statistics, and the statistics themselves, as tables: the check of the CMU scripts' first step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.characters import printable
from mtworkbench.errors import InputError
from mtworkbench.inference.families import name_families
from mtworkbench.inference.units import choose_units
from mtworkbench.metrics.protocol import scored
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.statistics.contents import describe_doubts
from mtworkbench.statistics.plain_tables import DOUBTS, describe_plainly, write_spec
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics

#: What is scored.
PARTS = ("system", "document", "segment")


def tabulate_scores(statistics: Sequence[SegmentStatistics], by: str = "system") -> pd.DataFrame:
    """Score systems, their documents or their segments.

    Parameters
    ----------
    statistics : sequence of SegmentStatistics
        One per metric, of one test set, as `load_statistics` returns them.
    by : {"system", "document", "segment"}
        A document is scored as the test set is, from its sums; a segment with the metric's `segment_score`, which for
        BLEU is not the corpus formula.

    Returns
    -------
    DataFrame
        One row per (metric, system, run[, document or segment]): ``metric``, ``system``, ``run``, [``document`` or
        ``segment``,] ``score``; NaN where none of the segments has a score of its own (missing judgements).

    Raises
    ------
    InputError
        ``no-documents`` where documents are asked for, but not known; ``part`` for another ``by``.
    """
    if by not in PARTS:
        raise InputError("part", f"Scores can be computed by {', '.join(map(repr, PARTS))}, but {by!r} was asked for.")
    frames = []
    for name, one in zip(name_families(statistics), statistics, strict=True):
        for system in map(one.__getitem__, one):
            for run in range(1, system.n_runs + 1):
                head = {"metric": name, "system": system.system, "run": run}
                frames.append(pd.DataFrame(head | _scores_of_run(system, run, by)))
    return pd.concat(frames, ignore_index=True)


def tabulate_statistics(statistics: Sequence[SegmentStatistics]) -> pd.DataFrame:
    """Lay the statistics of all metrics side by side, for other programs and for `load_statistics`.

    Parameters
    ----------
    statistics : sequence of SegmentStatistics
        One per metric, of the same systems, runs and test set.

    Returns
    -------
    DataFrame
        One row per (system, run, segment): ``system``, ``run``, ``segment``, ``document`` where documents are known;
        for each metric a column per statistic, such as ``BLEU.matches_1``, then ``BLEU.metric``, the metric with its
        options, and ``BLEU.signature``; and what is known of the segments, see `mtworkbench.statistics.plain_tables`.

    Raises
    ------
    InputError
        ``cannot-save`` where a metric, a column or a name cannot be written so.
    """
    frames = []
    for name, one in zip(name_families(statistics), statistics, strict=True):
        frame = one.to_frame()
        frame = frame.rename(columns={column: f"{name}.{column}" for column in one.metric.statistic_names})
        frame[f"{name}.metric"] = write_spec(one.metric)
        frame[f"{name}.signature"] = one.metric.signature if one.metric_signature is None else one.metric_signature
        frames.append(frame)
    known = describe_plainly(statistics[0].test_set)
    head = [column for column in ("system", "run", "run_name", "segment", "document") if column in frames[0].columns]
    n_runs = len(frames[0]) // len(statistics[0].test_set)
    further = {name: np.tile(one, n_runs) if isinstance(one, np.ndarray) else one for name, one in known.items()}
    further = pd.DataFrame(further, index=frames[0].index).drop(columns="document", errors="ignore")
    if doubts := describe_doubts(statistics[0].test_set.doubts, {system for one in statistics for system in one}):
        further[DOUBTS] = ""
        further.loc[further.index[0], DOUBTS] = json.dumps(doubts)
    table = pd.concat([frames[0][head], *(frame.drop(columns=head) for frame in frames), further], axis=1)
    _refuse_escaped(table)
    return table


def _refuse_escaped(table: pd.DataFrame) -> None:
    """Refuse names with characters that tables write as escapes: the escapes would be read as other names."""
    for column in map(str, table.columns):
        values = table[column].unique().tolist() if column in table else []
        for text in (column, *(value for value in values if isinstance(value, str))):
            if printable(text) != text:
                raise InputError(
                    "cannot-save",
                    f"A plain table cannot hold {excerpt(text)} (column {excerpt(column)}), because it has a character "
                    "that does not print: rename it, or save without --tsv.",
                )


def _scores_of_run(system: SystemStatistics, run: int, by: str) -> dict[str, Any]:
    """Return the columns that differ within one run."""
    values, metric = system.values[run - 1], system.metric
    if by == "segment":
        scores = np.asarray(metric.segment_score(values), dtype=np.float64)
        return {"segment": system.test_set.segments, "score": _without_missing(system, values, scores)}
    if by == "system":
        totals = values.sum(axis=0, dtype=np.float64)[None]
        return {"score": _without_missing(system, totals, metric.score(totals))}
    if system.test_set.documents is None:
        raise InputError(
            "no-documents",
            "Scores of documents were asked for, but the statistics know no documents: make them with --documents, or "
            "from files that have documents.",
        )
    units = choose_units(system.test_set, "document")
    totals = units.sum(values).astype(np.float64)
    names = list(dict.fromkeys(system.test_set.documents))
    return {"document": names, "score": _without_missing(system, totals, metric.score(totals))}


def _without_missing(system: SystemStatistics, totals: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Take away the score of what nobody has scored."""
    return np.where(scored(system.metric, totals), scores, np.nan)
