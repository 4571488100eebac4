"""Human direct assessment as WMT publishes it: the mean rating of each segment, raw and standardized."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np
import pandas as pd

from mtworkbench.outputs.checks.report import Report, excerpt, fault
from mtworkbench.outputs.checks.segments import Lines, Segments
from mtworkbench.outputs.files.bytes import Path, find_file
from mtworkbench.outputs.files.lines import read_rows
from mtworkbench.outputs.files.numbers import interpret_count, interpret_score
from mtworkbench.outputs.tabular.columns import Column, Table
from mtworkbench.outputs.tabular.judgements import keep_numbers, lay_out_judgements, note_direction
from mtworkbench.wording import name_some

_HEADER = "SYS SID RAW.SCR Z.SCR N"
_FIELDS = "system, segment, raw score, standardized score and number of ratings"
_WITH_ID = re.compile(r"(.+)\.[0-9]+")


def read_da(path: Path, *, accept: Collection[str] = ()) -> pd.DataFrame:
    """Read the segment scores of WMT's direct assessment, ``ad-seg-scores-ru-en.csv`` and the like.

    Parameters
    ----------
    path : path
        The file as published, compressed or not: fields separated by blanks, in the order that its first line,
        ``SYS SID RAW.SCR Z.SCR N``, names.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`.

    Returns
    -------
    DataFrame
        One row per (system, segment): ``segment``, ``segment_id``, ``system``, ``run`` (1), ``da`` (0-100, the mean of
        the raw ratings), ``da_z`` (the mean of the ratings that were standardized by rater), ``da_z_direction``
        (``up``: higher is better, as it is for ``da``) and ``n_ratings``. NaN, and 0 ratings, where a system's segment
        has not been rated.

        The numbers of segments are names of their own (``segment_id``), because they need not be those of the lines of
        an output: in newstest2021 Russian-English, segments are numbered in alphabetical order of their documents,
        without the test suites. (In this order, the segments' mean ``da_z`` and mean chrF have a correlation of 0.40;
        in the order of WMT's XML, of 0.00.) To add such scores to outputs, give the outputs a column ``segment_id``
        with these numbers, as in the example.

        Systems have their names and a number there (``Online-B.4``). The number is left out, as in WMT's files of
        outputs, so that the scores can be matched with the outputs, unless two systems would then have one name or some
        system has none. A few systems have other names in other files of WMT (``Nemo.3`` is ``NVIDIA-NeMo``): rename
        them. The human reference is a system ``HUMAN``.

    Raises
    ------
    InputError
        ``columns``, ``bad-number``, ``no-segments``, and those of `read_table` for a table of judgements.

    Warns
    -----
    DataWarning
        ``renamed-systems``, ``missing-score``; and for what else was noticed.

    References
    ----------
    wmt-conference/wmt21-news-systems, humaneval/newstest2021-toen. The mean of a system's rows is its score in
    ``ad-sys-ranking-*``.

    Examples
    --------
    >>> scores = read_da("ad-seg-scores-ru-en.csv")  # doctest: +SKIP
    >>> scores.groupby("system")[["da", "da_z"]].mean()  # doctest: +SKIP

    Add these scores to the outputs in WMT's XML, but not those of ``HUMAN``, which has no output there:

    >>> outputs = read_wmt_xml("newstest2021.ru-en.all.xml")  # doctest: +SKIP
    >>> outputs = outputs[outputs["testsuite"] == ""]  # doctest: +SKIP
    >>> segments = outputs.drop_duplicates("segment").sort_values("document", kind="stable")  # doctest: +SKIP
    >>> number = {segment: str(i) for i, segment in enumerate(segments["segment"], start=1)}  # doctest: +SKIP
    >>> outputs = outputs.assign(segment_id=outputs["segment"].map(number))  # doctest: +SKIP
    >>> scores = scores.replace({"system": {"Nemo": "NVIDIA-NeMo"}})  # doctest: +SKIP
    >>> outputs = add_scores(outputs, scores, accept=["unknown-system"])  # doctest: +SKIP
    """
    report = Report(accept)
    file = find_file(path, "The DA scores")
    lines = read_rows(file, report)
    if not begins_as_da(lines.texts[0]):
        problem = f"the first line is {excerpt(lines.texts[0])}, but that of WMT's segment scores was expected"
        raise lines.fault("columns", 0, f"{problem}: {_HEADER!r}.", expected=_HEADER)
    rows = [_split(lines, position) for position in range(1, len(lines))]
    if not rows:
        raise fault(file, "no-segments", "has no scores: at least one was expected.")
    numbers = [lines.line(position) for position in range(1, len(lines))]
    counts = Segments([row[4] for row in rows], lines.label, file, numbers)
    columns: dict[str, Column] = {
        "segment": [row[1] for row in rows],
        "system": _names(lines, [row[0] for row in rows], report),
        "da": np.array([_score(lines, i, row[2], percent=True) for i, row in enumerate(rows, start=1)]),
        "da_z": np.array([_score(lines, i, row[3], percent=False) for i, row in enumerate(rows, start=1)]),
        "n_ratings": np.array([float(interpret_count(counts, i, least=1)) for i in range(len(rows))]),
    }
    scores = lay_out_judgements(Table(columns, lines.label, file, numbers), report)
    scores["n_ratings"] = scores["n_ratings"].fillna(0.0)
    keep_numbers(scores)
    note_direction(scores, "da_z", "up")
    report.warn()
    return scores


def begins_as_da(beginning: str) -> bool:
    """Tell by its first line whether a file is one of those that `read_da` reads."""
    return beginning.partition("\n")[0].rstrip("\r").rstrip(" ") == _HEADER


def _split(lines: Lines, position: int) -> list[str]:
    fields = lines.texts[position].removesuffix(" ").split(" ")
    if len(fields) != 5 or not all(fields):
        problem = f"{excerpt(lines.texts[position])}: {_FIELDS} were expected, separated by one blank each."
        raise lines.fault("columns", position, problem, found=str(len(fields)), expected="5")
    return fields


def _score(lines: Segments, position: int, text: str, *, percent: bool) -> float:
    score = interpret_score(lines, position, text, "a number was expected", may_be_missing=False)
    if percent and not 0 <= score <= 100:
        problem = f"the raw score {text} is not between 0 and 100: check that the columns are in the order {_HEADER!r}."
        raise lines.fault("bad-number", position, problem, found=text)
    return score


def _names(lines: Segments, systems: list[str], report: Report) -> list[str]:
    """Leave out the numbers of systems where the names alone tell them apart."""
    names = {system: match[1] for system in systems if (match := _WITH_ID.fullmatch(system))}
    if set(names) != set(systems) or len(set(names.values())) < len(names):
        return systems
    changes = [f"{excerpt(system)} is now {excerpt(name)}" for system, name in names.items()]
    what = f"the numbers after the names of {len(names):,} systems were left out"
    message = f"{lines.label}: {what}: {name_some(changes)}."
    report.notice("renamed-systems", message, path=lines.path, count=len(names))
    return [names[system] for system in systems]
