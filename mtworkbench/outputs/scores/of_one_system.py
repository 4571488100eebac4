"""Scores in a file per system (or run): one number per line, or as MetricX writes them.

Sources: google-research/bleurt, bleurt/score_files.py (``-scores_file``: a number per line); Unbabel/COMET,
comet/models/utils.py (``Prediction`` has ``scores`` and ``system_score``); Tiiiger/bert_score, bert_score_cli/score.py
(with ``-s``, a line with the averages, then precision, recall and F1 of each segment between tabs);
google-research/metricx, metricx24/predict.py (the lines of its input, each with the field ``prediction``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import Report, excerpt, fault
from mtworkbench.outputs.checks.traits import are_decimals
from mtworkbench.outputs.files.bytes import read_beginning
from mtworkbench.outputs.files.folders import name_files
from mtworkbench.outputs.files.json_text import name_keys, read_json, read_objects
from mtworkbench.outputs.files.lines import read_segments
from mtworkbench.outputs.files.naming import COMPRESSED
from mtworkbench.outputs.files.numbers import NUMBER, NUMBER_OR_NONE, interpret_score
from mtworkbench.outputs.scores.kinds import is_taken
from mtworkbench.outputs.scores.scored_runs import ScoredRun, ScoresOf, lay_out_runs, score_of, text_of
from mtworkbench.outputs.scores.systems import SCORES, note_files, stem

_LINE = re.compile(rf"(?:{NUMBER}|None)\r?(?:\n|$)")
_LIST = re.compile(rf'\s*(?:\{{\s*"scores"\s*:\s*)?\[\s*(?:{NUMBER}|null)\s*[,\]]')
_AVERAGES = re.compile(r"[^\t\n]* P: [0-9.-]+ R: [0-9.-]+ F1: [0-9.-]+\r?(?:\n|$)")
_PREDICTION = re.compile(rf'\{{.*"prediction"\s*:\s*(?:{NUMBER}|null)\s*[,}}]')
_TEXTS = {"source": "source", "mt": "hypothesis", "ref": "reference"}


@dataclass(frozen=True)
class _Form:
    """A form of such files: how one begins, what reads it, and what the scores are called where it says so.

    The runs are by their systems; None is the system that the file is of.
    """

    begins: Callable[[str], bool]
    read: Callable[[str, Report], Mapping[str | None, ScoredRun]]
    name: str | None = None


def is_of_one_system(path: str) -> bool:
    """Tell by its content whether a file has scores and does not say whose they are."""
    return _form(read_beginning(path)) is not None


def holds_decimals(beginning: str) -> bool:
    """Tell whether a file has nothing but numbers with a decimal point, one per line, as no output has."""
    return are_decimals([line.removesuffix("\r") for line in beginning.split("\n")[:-1]])


def name_of_scores(files: Sequence[str]) -> str | None:
    """Return what the scores are called by what is in the files, or by the ending of all their names; None without."""
    if (form := _form(read_beginning(files[0]))) is not None and form.name is not None:
        return form.name
    ends = {_ending(file) for file in files}
    return ends.pop() if len(ends) == 1 else None


def _ending(file: str) -> str | None:
    """Return the name of scores that a file's name ends with: bleurt of ``A.bleurt`` and ``A.bleurt.txt``."""
    parts = COMPRESSED.sub("", os.path.basename(file)).lower().split(".")
    return next((part for part in parts[:0:-1] if part in SCORES), None)


def read_of_one_system(
    files: Sequence[str] | Mapping[str, Sequence[str]], name: str | None, report: Report
) -> pd.DataFrame:
    """Read files of scores, one per system or run; by the names of systems, or systems are named by their files.

    Raises
    ------
    InputError
        ``score-file`` where nothing says what the scores are, or a file has another form; ``count-mismatch`` for files
        of different lengths; ``bad-number``, ``json``, ``not-text``, and those of `lay_out_runs`.
    """
    named = _name_files(files)
    paths = [file for own in named.values() for file in own]
    name = _check_name(name or name_of_scores(paths), paths)
    found = {file: _read(file, report) for file in paths}
    of = ScoresOf(name, paths[0], _TEXTS)
    if (several := next((file for file, runs in found.items() if None not in runs), None)) is not None:
        _check_alone(several, paths)
        runs = {system: run for system, run in found[several].items() if system is not None}
        return lay_out_runs(runs, {system: (system, 1) for system in runs}, of, report)
    of_files = {file: runs[None] for file, runs in found.items()}
    of_file = {file: (system, i) for system, own in named.items() for i, file in enumerate(own, start=1)}
    scores = lay_out_runs(of_files, of_file, of, report)
    if not isinstance(files, Mapping):
        note_files(scores, paths[0], named, of_outputs=False)
    return scores


def _check_alone(file: str, paths: Sequence[str]) -> None:
    """Refuse a file that names its systems beside others, which do not or would name them again."""
    if len(paths) > 1:
        problem = "names the systems of its scores, so it cannot be read together with other files"
        raise fault(file, "score-file", f"{problem}: give it alone, or leave its field 'system' out.")


def _name_files(files: Sequence[str] | Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Name the systems of files as those of outputs are named."""
    if isinstance(files, Mapping):
        return {system: list(own) for system, own in files.items()}
    if len(files) == 1:
        return {stem(os.path.basename(COMPRESSED.sub("", files[0]))): list(files)}
    return name_files(files)


def _check_name(name: str | None, paths: Sequence[str]) -> str:
    """Refuse scores without a name, or with that of another column of outputs."""
    if name is None:
        problem = "has one number per line, but nothing says what these scores are"
        remedy = f"name them, as in --scores comet={excerpt(paths[0])[1:-1]} (in Python, name='comet')"
        raise fault(paths[0], "score-file", f"{problem}: {remedy}.")
    if is_taken(name):
        problem = f"Scores cannot be called {excerpt(name)}: choose a name that means no other column of outputs."
        raise InputError("columns", problem, found=name)
    return name


def _form(beginning: str) -> _Form | None:
    return next((form for form in _FORMS if form.begins(beginning)), None)


def _read(path: str, report: Report) -> Mapping[str | None, ScoredRun]:
    form = _form(read_beginning(path))
    if form is None:
        expected = "one number per line, COMET's list, or what BERTScore or MetricX writes, was expected"
        problem = f"has no scores of one system: {expected}."
        raise fault(path, "score-file", problem)
    return form.read(path, report)


def _read_lines(path: str, report: Report) -> dict[str | None, ScoredRun]:
    lines = read_segments(path, report)
    scores = [interpret_score(lines, i, text, NUMBER_OR_NONE) for i, text in enumerate(lines.texts)]
    return {None: ScoredRun(scores)}


def _read_list(path: str, report: Report) -> dict[str | None, ScoredRun]:
    """Read the list of scores that COMET's ``predict`` returns, alone or with the score of the system."""
    parsed = read_json(path, report, "numbers in a list were expected")
    values = parsed.get("scores") if isinstance(parsed, dict) else parsed
    if not isinstance(values, list):
        raise fault(path, "score-file", "has no list of scores: numbers in a list were expected.")
    return {None: ScoredRun([score_of(value, f"segment {i:,}", path) for i, value in enumerate(values, start=1)])}


def _read_bertscore(path: str, report: Report) -> dict[str | None, ScoredRun]:
    """Read F1, the third number of each line after the one with the averages."""
    lines = read_segments(path, report)
    if len(lines) == 1:
        problem = "has only averages: the scores of segments were expected, which bert-score prints with -s."
        raise fault(path, "score-file", problem)
    scores = []
    for i, line in enumerate(lines.texts[1:], start=1):
        numbers = line.split("\t") if isinstance(line, str) else []
        if len(numbers) != 3:
            raise lines.fault("score-file", i, f"{excerpt(line)}: precision, recall and F1 between tabs were expected.")
        scores.append(interpret_score(lines, i, numbers[2], "a number was expected"))
    return {None: ScoredRun(scores)}


def _read_metricx(path: str, report: Report) -> dict[str | None, ScoredRun]:
    """Read the predictions and the texts of MetricX, in which an empty source or reference is none.

    Fields of its input are in its output, too, such as the system: see metricx24/evaluate.py.
    """
    runs: dict[str | None, ScoredRun] = {}
    for number, entry in enumerate(read_objects(path, report), start=1):
        if "prediction" not in entry:
            problem = f"the keys are {name_keys(entry)}, but 'prediction' was expected, as MetricX writes it."
            raise fault(path, "score-file", problem, number)
        run = runs.setdefault(_system_of(entry, path, number), ScoredRun())
        run.scores.append(score_of(entry["prediction"], f"line {number:,}", path))
        for column, called in _TEXTS.items():
            text = text_of(entry.get(called, ""), f"{called!r} of line {number:,}", path)
            run.texts.setdefault(column, []).append(text)
    if None in runs and len(runs) > 1:
        raise fault(path, "score-file", "names the system of some lines only: name it in all lines or in none.")
    for run in runs.values():
        run.texts = {column: texts for column, texts in run.texts.items() if any(texts)}
    return runs


def _system_of(entry: Mapping[str, object], path: str, number: int) -> str | None:
    """Return the system that a line of MetricX names; None without a name."""
    named = next((entry[name] for name in ("system", "system_id") if name in entry), None)
    return None if named is None else text_of(named, f"the system of line {number:,}", path)


_FORMS = (
    _Form(lambda beginning: _LINE.match(beginning) is not None, _read_lines),
    _Form(lambda beginning: _LIST.match(beginning) is not None, _read_list),
    _Form(lambda beginning: _AVERAGES.match(beginning) is not None, _read_bertscore, "bertscore"),
    _Form(lambda beginning: _PREDICTION.match(beginning) is not None, _read_metricx, "metricx"),
)
