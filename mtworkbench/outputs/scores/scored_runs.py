"""The scores of whole outputs, run by run, as programs write them: laid out as a frame, with the texts they bring."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from mtworkbench.outputs.checks.characters import check_characters
from mtworkbench.outputs.checks.corpus import text_column
from mtworkbench.outputs.checks.oddities import notice_oddities
from mtworkbench.outputs.checks.repeats import check_repeats
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.checks.segments import Corpus, Segments
from mtworkbench.outputs.files.numbers import finite
from mtworkbench.outputs.scores.kinds import notice_missing
from mtworkbench.outputs.tabular.columns import Table
from mtworkbench.outputs.tabular.rows import lay_out_judgements
from mtworkbench.wording import name_some


@dataclass
class ScoredRun:
    """The scores of one file of translations, with its texts where they are known: source, mt, ref."""

    scores: list[float] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoresOf:
    """What messages say of a kind of scores.

    Parameters
    ----------
    name : str
        What the column of scores is called.
    path : str
        The file that the scores are in; or the first one, where runs are called by the files of their scores.
    texts : mapping of str to str
        What the program calls source, mt and ref.
    """

    name: str
    path: str
    texts: Mapping[str, str]

    def file_of(self, run: str, runs: Collection[str]) -> str:
        """Return the file that the scores of one of the runs are in."""
        return run if self.path in runs else self.path


def lay_out_runs(
    runs: Mapping[str, ScoredRun], named: Mapping[str, tuple[str, int]], of: ScoresOf, report: Report
) -> pd.DataFrame:
    """Lay out scores as a frame of judgements; ``named`` are the system and the number of each run.

    Raises
    ------
    InputError
        ``no-segments``, ``count-mismatch``, ``score-file`` for runs with other texts than the first, ``not-text``,
        ``text-mismatch``, ``repeated-segments``.
    """
    if not any(run.scores for run in runs.values()):
        raise fault(of.path, "no-segments", "has no score of any segment: at least one was expected.")
    _check_alike(runs, of)
    n_segments = len(next(iter(runs.values())).scores)
    columns: dict[str, list | np.ndarray] = {
        "system": [named[file][0] for file in runs for _ in range(n_segments)],
        "run": [named[file][1] for file in runs for _ in range(n_segments)],
        "segment": [str(number) for _ in runs for number in range(1, n_segments + 1)],
        of.name: np.array([score for run in runs.values() for score in run.scores]),
    }
    label = name_some(map(shown, dict.fromkeys(of.file_of(run, runs) for run in runs)))
    scores = lay_out_judgements(Table(columns, label, of.path), report)
    systems = list(dict.fromkeys(columns["system"]))
    in_order = sorted(runs, key=lambda file: (systems.index(named[file][0]), named[file][1]))
    for column in next(iter(runs.values())).texts:
        _check_texts(runs, column, of)
        scores[column] = text_column([text for file in in_order for text in runs[file].texts[column]])
    if "mt" in scores.columns:
        _check_repeats([runs[file].texts for file in in_order], label, report)
    notice_missing(report, of.path, label, int(scores[of.name].isna().sum()), len(scores))
    return scores


def _check_alike(runs: Mapping[str, ScoredRun], of: ScoresOf) -> None:
    """Refuse runs with another number of scores, or with other texts, than the first one has."""
    first, one = next(iter(runs.items()))
    for file, run in runs.items():
        if len(run.scores) != len(one.scores):
            here, there = f"{len(run.scores):,} scores", f"{len(one.scores):,}"
            problem = f"has {here} for {excerpt(file)}, but {there} for {excerpt(first)}"
            if of.path in runs:
                problem = f"has {here}, but {shown(first)} has {there}"
            remedy = "one score per segment was expected, of the same segments."
            raise fault(of.file_of(file, runs), "count-mismatch", f"{problem}: {remedy}")
        if run.texts.keys() != one.texts.keys():
            source, mt, ref = of.texts.values()
            problem = f"has different fields ({source}, {mt}, {ref}) for {excerpt(file)} than for {excerpt(first)}"
            remedy = f"give all files the same fields, {source} and {mt}, or {source}, {mt} and {ref}"
            raise fault(of.file_of(file, runs), "score-file", f"{problem}: {remedy}.")


def _check_repeats(of_runs: Sequence[Mapping[str, list[str]]], label: str, report: Report) -> None:
    """Refuse or notice segments that were scored more than once, with the same texts."""
    first = of_runs[0]
    source = Segments(first["source"], label) if "source" in first else None
    references = [Segments(first["ref"], label)] if "ref" in first else []
    if source is not None or references:
        runs = [Segments(texts["mt"], label) for texts in of_runs]
        notice_oddities(check_repeats(Corpus(references, {label: runs}, source), report), report)


def _check_texts(runs: Mapping[str, ScoredRun], column: str, of: ScoresOf) -> None:
    """Refuse what is not text, and sources or references that differ; outputs are looked at when they are read."""
    first = next(iter(runs))
    called = of.texts[column]
    for file, run in runs.items():
        if column == "mt" or file == first:
            texts = Segments(run.texts[column], f"{shown(of.file_of(file, runs))}, {called!r} of {excerpt(file)}")
            check_characters(texts, Report(("huge-line", "invisible-chars")))
        elif run.texts[column] != runs[first].texts[column]:
            pairs = zip(run.texts[column], runs[first].texts[column], strict=True)
            number, one, other = next((i, *pair) for i, pair in enumerate(pairs, start=1) if pair[0] != pair[1])
            problem = f"has {excerpt(one)} as {called!r} of segment {number:,} in {excerpt(file)}, but"
            problem += f" {excerpt(other)} in {excerpt(first)}"
            if sorted(run.texts[column]) == sorted(runs[first].texts[column]):
                problem += ", although both have the same texts: score all files in the same order."
            else:
                problem += ": score all files with the same sources and references."
            raise fault(of.file_of(file, runs), "text-mismatch", problem)


def score_of(value: object, place: str, path: str) -> float:
    """Return a score of JSON, a finite number, or NaN for null.

    Raises
    ------
    InputError
        ``bad-number``; ``place`` names the score.
    """
    if value is None:
        return math.nan
    if (number := finite(value)) is not None:
        return number
    raise fault(path, "bad-number", f"has {excerpt(value)} as the score of {place}: a finite number was expected.")


def text_of(value: object, place: str, path: str) -> str:
    """Return a text of JSON.

    Raises
    ------
    InputError
        ``not-text``; ``place`` names the text.
    """
    if isinstance(value, str):
        return value
    raise fault(path, "not-text", f"has {excerpt(value)} as {place}: text was expected.")
