"""What a long study has counted, as a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from mtworkbench.words.document import Document, Section, Table
from mtworkbench.words.frames import columns_of

#: What readers see in place of the names of columns.
HEADINGS = {
    "a": "system",
    "b": "other",
    "true_difference": "true difference",
    "size": "segments",
    "correct_percent": "correct (%)",
    "wrong_percent": "wrong (%)",
    "bin": "confidence",
    "mean_confidence": "mean (%)",
    "low": "95 % CI from",
    "high": "to",
}
# The lower end of a bin is in its name.
NOT_SHOWN = ["lowest"]


class StudyTables(NamedTuple):
    """What was counted under one metric.

    Parameters
    ----------
    metric : str or None
        None where there are no outputs.
    tables : mapping of str to DataFrame
        Each by its title.
    drawn : DataFrame
        What they were made of.
    rng : int or None
        The seed.
    """

    metric: str | None
    tables: Mapping[str, pd.DataFrame]
    drawn: pd.DataFrame
    rng: int | None


def build_studies(studies: Sequence[StudyTables], format: str = "text", *, all_columns: bool = False) -> Document:
    """Lay out what was counted under each metric, and the seeds."""
    return Document(sections=[section for one in studies for section in _sections(one)])


def _sections(study: StudyTables) -> list[Section]:
    of = "" if study.metric is None else f"{study.metric}: "
    tables = [Table(columns_of(_shown(table), 1), heading=f"{of}{title}.") for title, table in study.tables.items()]
    return [Section(tables=tables, notes=[f"Seed: {study.rng}"])]


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    # Samples that overlap have no interval.
    known = table.drop(columns=NOT_SHOWN, errors="ignore").dropna(axis="columns", how="all")
    return known.rename(columns=HEADINGS)
