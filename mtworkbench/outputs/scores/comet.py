"""Scores as COMET writes them: its JSON, and what it prints.

Source: Unbabel/COMET, comet/cli/score.py and comet/cli/compare.py, versions 1.0.0 to 2.2.7. ``comet-score --to_json``
writes, for each file of translations by its path, a list of objects with ``src``, ``mt``, ``ref`` (for a model that has
references) and the score, ``COMET``; it prints ``PATH<tab>Segment NUMBER<tab>score: SCORE``, counted from 0, segment by
segment, and then ``PATH<tab>score: SCORE`` for each file. Texts are written without blanks at their ends.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from mtworkbench.outputs.checks.characters import check_characters
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.outputs.files.json_text import read_json
from mtworkbench.outputs.files.lines import read_segments
from mtworkbench.outputs.files.naming import name_systems
from mtworkbench.outputs.files.numbers import interpret_score
from mtworkbench.outputs.scores.scored_runs import ScoredRun, ScoresOf, lay_out_runs, score_of, text_of
from mtworkbench.outputs.scores.systems import note_files

_STRING = r'"(?:[^"\\]|\\.)*"'
# COMET's own lists of objects, or what `comet-compare` writes first.
_JSON = re.compile(rf'\ufeff?\s*\{{\s*(?:{_STRING}\s*:\s*\[|"model"\s*:)')
_SEGMENT = re.compile(r"([^\t]+)\tSegment (0|[1-9][0-9]{0,8})\tscore: ([^\t]*)(?:\tvariance: [^\t]*)?")
_SYSTEM = re.compile(r"([^\t]+)\tscore: ([^\t]*)")
# What COMET prints at the end, which is about no segment.
_ABOUT_THE_RUN = ("Predictions saved in: ", "CacheInfo(")
_TEXTS = {"source": "src", "mt": "mt", "ref": "ref"}
# What comet-compare calls what comet-score writes under other keys.
_COMPARED = {"scores": "COMET", "source": "src", "reference": "ref"}
_EXPECTED = "the JSON of comet-score or comet-compare was expected, with the scores of each translated file in a list"
# Printed scores have four decimals, and so has their mean.
_ROUNDED = 1.01e-4


def begins_as_comet_json(beginning: str) -> bool:
    """Tell by its beginning whether a file is COMET's JSON."""
    return _JSON.match(beginning) is not None


def begins_as_comet_output(beginning: str) -> bool:
    """Tell by its first line whether a file is what COMET prints."""
    line = beginning.partition("\n")[0].removesuffix("\r")
    return _SEGMENT.fullmatch(line) is not None or re.match(r"[^\t]+\tscore: ", line) is not None


def read_comet_json(path: str, report: Report) -> pd.DataFrame:
    """Read the JSON of ``comet-score --to_json`` or ``comet-compare --to_json``.

    Returns
    -------
    DataFrame
        As `read_scores` returns it, with the scores in ``comet`` and the texts in ``source``, ``mt`` and ``ref``. Error
        spans and variances are not read.

    Raises
    ------
    InputError
        ``json`` where it is not JSON; ``score-file`` where it is not COMET's, has scores of different models or lacks
        fields; ``bad-number`` for a score that is not a finite number; ``not-text``, ``nul``, ``surrogate`` for a text
        or a name of a file; ``text-mismatch`` for sources or references that differ; ``count-mismatch`` for files of
        different lengths; ``repeated-segments`` as `read_outputs`.
    """
    parsed = read_json(path, report, _EXPECTED)
    if not isinstance(parsed, dict):
        raise fault(path, "score-file", f"holds a {type(parsed).__name__} instead of an object: {_EXPECTED}.")
    compared = isinstance(parsed.get("translations"), list)
    runs = _read_compared(parsed, path) if compared else _read_scored(parsed, path)
    return _lay_out(runs, path, report)


def read_comet_output(path: str, report: Report) -> pd.DataFrame:
    r"""Read what ``comet-score`` prints, one line per segment; its segment 0 is segment 1.

    Returns
    -------
    DataFrame
        As `read_scores` returns it, with the scores in ``comet``.

    Raises
    ------
    InputError
        ``score-file`` for another line, a segment out of order, or a system whose score is not the mean of its
        segments; ``bad-number``; ``count-mismatch`` for files of different lengths.
    """
    lines = read_segments(path, report)
    runs: dict[str, ScoredRun] = {}
    for position, line in enumerate(lines.texts):
        if (segment := _SEGMENT.fullmatch(line)) is not None:
            run = runs.setdefault(segment[1], ScoredRun())
            if int(segment[2]) != len(run.scores):
                problem = f"segment {segment[2]} of {excerpt(segment[1])} was found where segment {len(run.scores)}"
                problem += " was expected: look for missing or repeated lines."
                raise lines.fault("score-file", position, problem)
            run.scores.append(_printed(lines, position, segment[3]))
        elif (system := _SYSTEM.fullmatch(line)) is not None:
            _check_mean(lines, position, _printed(lines, position, system[2]), runs.get(system[1]))
        elif not line.startswith(_ABOUT_THE_RUN):
            expected = "lines such as 'new.txt\\tSegment 0\\tscore: 0.8412' were expected, as comet-score prints them"
            raise lines.fault("score-file", position, f"{excerpt(line)} was found, but {expected}.")
    return _lay_out(runs, path, report)


def _printed(lines: Segments, position: int, text: str) -> float:
    return interpret_score(lines, position, text, "a number was expected", may_be_missing=False)


def _check_mean(lines: Segments, position: int, score: float, run: ScoredRun | None) -> None:
    if run is None:
        problem = "the segment scores of this system are missing; there is only its system score"
        remedy = "run comet-score without --only_system (version 1: without --quiet)"
        raise lines.fault("score-file", position, f"{problem}: {remedy}.")
    mean = math.fsum(run.scores) / len(run.scores)
    if abs(mean - score) > _ROUNDED:
        of_segments = f"the mean of its {len(run.scores):,} segment scores is {mean:.4f}"
        problem = f"the score of this system is {score:.4f}, but {of_segments}: look for missing or changed lines."
        raise lines.fault("score-file", position, problem)


def _read_scored(parsed: Mapping[str, object], path: str) -> dict[str, ScoredRun]:
    """Read the lists of comet-score; other entries, such as the score of a system, are not of segments."""
    runs: dict[str, ScoredRun] = {}
    for file, entries in parsed.items():
        if not isinstance(entries, list):
            continue
        run = runs[file] = ScoredRun()
        for number, entry in enumerate(entries, start=1):
            place = f"segment {number:,} of {excerpt(file)}"
            if not isinstance(entry, dict) or "COMET" not in entry:
                problem = f"has {excerpt(entry)} for {place}: an object with 'COMET' was expected."
                raise fault(path, "score-file", problem)
            run.scores.append(score_of(entry["COMET"], place, path))
            for column, key in _TEXTS.items():
                if key in entry:
                    run.texts.setdefault(column, []).append(text_of(entry[key], f"'{key}' of {place}", path))
        for column, texts in run.texts.items():
            if len(texts) != len(run.scores):
                problem = f"has {len(run.scores):,} segments of {excerpt(file)}, but only {len(texts):,} with"
                remedy = "give it for all segments or for none"
                raise fault(path, "score-file", f"{problem} {_TEXTS[column]!r}: {remedy}.")
    return runs


def _read_compared(parsed: Mapping[str, Any], path: str) -> dict[str, ScoredRun]:
    """Read the lists of comet-compare, which has the source and the reference once."""
    _check_models(parsed, path)
    scored: dict[str, list[dict[str, object]]] = {}
    shared = {key: parsed[key] for key in ("source", "reference") if key in parsed}
    for entry in parsed["translations"]:
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or entry["name"] in scored:
            problem = f"has {excerpt(entry)} among the translations: an object with a name of its own was expected."
            raise fault(path, "score-file", problem)
        lists = {"scores": entry.get("scores")} | ({"mt": entry["mt"]} if "mt" in entry else {}) | shared
        for what, values in lists.items():
            if not isinstance(values, list) or len(values) != len(entry["scores"]):
                problem = f"has no list {what!r} of {excerpt(entry['name'])} with one entry per segment"
                raise fault(path, "score-file", f"{problem}: {_EXPECTED}.")
        keys = [_COMPARED.get(what, what) for what in lists]
        scored[entry["name"]] = [dict(zip(keys, values, strict=True)) for values in zip(*lists.values(), strict=True)]
    return _read_scored(scored, path)


def _check_models(parsed: Mapping[str, Any], path: str) -> None:
    """Refuse scores of several models, where the file says so; comet-compare writes one model per file."""
    entries = [parsed, *(entry for entry in parsed["translations"] if isinstance(entry, dict))]
    models = [entry["model"] for entry in entries if "model" in entry]
    for other in models:
        if other != models[0]:
            problem = f"has scores of different models, {excerpt(models[0])} and {excerpt(other)}"
            raise fault(path, "score-file", f"{problem}: write the scores of each model to a file of its own.")


def _lay_out(runs: Mapping[str, ScoredRun], path: str, report: Report) -> pd.DataFrame:
    """Lay out the scores of files, whose systems are named as the terminal's short form names them.

    COMET on Windows writes paths with backslashes.
    """
    files = [file for file, run in runs.items() if run.scores]
    check_characters(Segments(files, f"{shown(path)}, names of files"), Report(("huge-line", "invisible-chars")))
    paths = [file if "/" in file else file.replace("\\", "/") for file in files]
    names = name_systems(paths) if files else []
    named = {file: (name, 1) for file, name in zip(files, names, strict=True)}
    scores = lay_out_runs({file: runs[file] for file in files}, named, ScoresOf("comet", path, _TEXTS), report)
    note_files(scores, path, {name: [file] for name, file in zip(names, paths, strict=True)}, of_outputs=True)
    return scores
