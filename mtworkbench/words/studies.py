"""What a long study has counted, as a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from mtworkbench.words.document import Document, Section, Table
from mtworkbench.words.shown_frames import tabulate_frame

#: What columns are that mean something else in other frames, or are in none.
HEADINGS = {"size": "segments", "bin": "confidence bin", "wrong_percent": "wrong (%)"}
# The lower end of a bin is in its name.
NOT_SHOWN = ["lowest"]
#: Of the intervals of all counts.
LEVEL = 0.95


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
    tables = [replace(_tabulate(table), heading=f"{of}{title}.") for title, table in study.tables.items()]
    return [Section(tables=tables, notes=[f"Seed: {study.rng}"])]


def _tabulate(table: pd.DataFrame) -> Table:
    # Samples that overlap have no interval.
    known = table.drop(columns=NOT_SHOWN, errors="ignore").dropna(axis="columns", how="all").reset_index(drop=True)
    known = known.rename(columns=HEADINGS)
    known = known.assign(level=LEVEL) if "low" in known else known
    return replace(tabulate_frame(known, digits=1), n_names=1)
