"""What a long study has counted, as tables to read or as JSON and CSV."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from mtworkbench.errors import DataWarning
from mtworkbench.tables.comparisons import list_warnings, unknown_format
from mtworkbench.tables.frames import WIDTH, columns_of, columns_to_text, frame_to_csv, plain, wrap

FORMATS = ("text", "json", "csv")
# Keys of the JSON may be added later, never changed or taken away; then this number rises.
SCHEMA = 1
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


def format_study(
    found: Sequence[StudyTables], format: str = "text", warnings: Iterable[DataWarning] = (), *, width: int = WIDTH
) -> str:
    """Write what a study has counted.

    Parameters
    ----------
    found : sequence of StudyTables
        One per metric.
    format : {"text", "json", "csv"}
        Text and JSON have the tables; CSV has what they were made of, one row per draw, unrounded.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that a sentence may take.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``).
    """
    if format == "json":
        studies = [
            {"metric": one.metric, "rng": one.rng, "tables": {name: _rows(of) for name, of in one.tables.items()}}
            for one in found
        ]
        written = {"schema": SCHEMA, "studies": studies, "warnings": list_warnings(warnings)}
        return json.dumps(written, indent=2, allow_nan=False) + "\n"
    if format == "csv":
        frames = [one.drawn if one.metric is None else one.drawn.assign(metric=one.metric) for one in found]
        return frame_to_csv(pd.concat(frames, ignore_index=True))
    if format == "text":
        return "\n".join(_to_text(one, width) for one in found)
    raise unknown_format(format, FORMATS)


def _to_text(found: StudyTables, width: int) -> str:
    of = "" if found.metric is None else f"{found.metric}: "
    parts = []
    for title, table in found.tables.items():
        # Samples that overlap have no interval.
        known = table.drop(columns=NOT_SHOWN, errors="ignore").dropna(axis="columns", how="all")
        shown = known.rename(columns=HEADINGS)
        parts.append(f"{wrap(f'{of}{title}.', width)}\n\n{columns_to_text(columns_of(shown, 1), width=width)}")
    parts.append(f"Seed: {found.rng}\n")
    return "\n".join(parts)


def _rows(table: pd.DataFrame) -> list[dict[str, object]]:
    return [{str(name): plain(value) for name, value in row.items()} for row in table.to_dict("records")]
