"""Scores of saved statistics as text, JSON or CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from mtworkbench.characters import printable
from mtworkbench.inference.families import name_families
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables.data import SCHEMAS, frame_to_csv, to_json
from mtworkbench.tables.formats import WITHOUT_PAPER, check_format
from mtworkbench.tables.text import frame_to_text
from mtworkbench.words.frames import plain, wrap
from mtworkbench.words.scores import tabulate_scores

SCORE_FORMATS = WITHOUT_PAPER


def format_scores(statistics: Sequence[SegmentStatistics], by: str = "system", format: str = "text") -> str:
    """Write scores as text, JSON or CSV.

    Parameters
    ----------
    statistics, by
        As of `tabulate_scores`.
    format : {"text", "json", "csv"}
        Text rounds; JSON and CSV do not.

    Raises
    ------
    InputError
        ``format`` for another one, and those of `tabulate_scores`.
    """
    check_format(format, SCORE_FORMATS)
    frame = tabulate_scores(statistics, by)
    if format == "csv":
        return frame_to_csv(frame)
    if format == "json":
        return to_json(describe_scores(statistics, frame, by))
    signatures = dict(zip(name_families(statistics), (one.signature for one in statistics), strict=True))
    return "\n".join(
        f"{printable(name)}\n{frame_to_text(part.drop(columns='metric'), digits=4)}{wrap(signatures[name])}\n"
        for name, part in frame.groupby("metric", sort=False)
    )


def describe_scores(statistics: Sequence[SegmentStatistics], frame: pd.DataFrame, by: str) -> dict[str, Any]:
    """Arrange scores as JSON has them; ``documents`` and ``segments`` are null where they were not asked for."""
    whole = frame if by == "system" else tabulate_scores(statistics, "system")
    metrics: dict[str, Any] = {}
    for name, one in zip(name_families(statistics), statistics, strict=True):
        systems = [
            {"system": row.system, "run": row.run, "score": plain(row.score), "documents": None, "segments": None}
            for row in whole[whole["metric"] == name].itertuples()
        ]
        metrics[name] = {"signature": one.signature, "systems": systems}
    if by != "system":
        parts = frame.groupby(["metric", "system", "run"], sort=False)
        for (name, system, run), part in parts:
            (found,) = (one for one in metrics[name]["systems"] if (one["system"], one["run"]) == (system, run))
            columns = zip(part[by].tolist(), part["score"].tolist(), strict=True)
            found[f"{by}s"] = [{by: which, "score": plain(score)} for which, score in columns]
    return {"schema": SCHEMAS["scores"], "metrics": metrics}
