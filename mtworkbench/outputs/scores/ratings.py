"""Human ratings as WMT releases them: means of direct assessment, one by one from Appraise and Pearmut, in JSON lines.

Sources: wmt-conference/wmt25-general-mt, humeval/05-collect_humeval.py (``human1``, ``human2``),
07-collect_humeval_control.py (a list of objects with ``human``) and 08-compute_clusters.py (with ``score``);
wmt-conference/wmt26-general-mt, humeval/02a-filter_data.py, 02b-analyze_results.py and 07-build_synthetic_references.py
for Pearmut: what a user did before ``__RESET__`` does not count, nor do tutorials, attention checks and scores of
translations that were not shown; wmt-conference/wmt24-news-systems, humeval/tools.py (``load_data``) and
humeval/esa_generalMT2024_wave3.csv for Appraise: lines of twelve fields without a heading, which are user, system,
segment, type, both languages, score, document, whether it is the score of a whole document, error spans, begin and end.
Types other than TGT (checks of attention), tutorials, and documents that are marked with ``#`` (incomplete or
duplicate) do not count there, and of a user's scores of a segment the last one does. In all, higher is better, and
ratings of one translation are averaged.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple, TypeGuard

import numpy as np
import pandas as pd

from mtworkbench.outputs.checks.names import choose_pair
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.checks.segments import Lines, Segments
from mtworkbench.outputs.files.bytes import Path, find_file, natural_order, read_beginning
from mtworkbench.outputs.files.json_text import keys_of, name_keys, read_json, read_objects
from mtworkbench.outputs.files.lines import read_rows
from mtworkbench.outputs.files.numbers import finite, interpret_count, interpret_score
from mtworkbench.outputs.tabular.columns import Column, Table
from mtworkbench.outputs.tabular.rows import keep_numbers, lay_out_judgements, note_direction
from mtworkbench.wording import grouped, name_some

_RATING = re.compile(r"(human|score)[0-9]*")
_APPRAISE = re.compile(r"[^,\n]+,[^,\n]+,[0-9]+,(TGT|BAD|REF|CHK),[a-z]{2,3},[a-z]{2,3},[0-9.]+,[^\n]+(\n|$)")
_N_FIELDS = 12
_PEARMUT = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[\s*\{')
_EXPECTED = "the annotations of Pearmut were expected: a list of 'user_id', 'item' and 'annotation' for each campaign"
_OF_DA = "SYS SID RAW.SCR Z.SCR N"
_FIELDS_OF_DA = "system, segment, raw score, standardized score and number of ratings"
_WITH_ID = re.compile(r"(.+)\.[0-9]+")


class Rating(NamedTuple):
    """What one person gave to one translation of a segment."""

    pair: str
    system: str
    segment: str
    score: float


def read_ratings(file: str, report: Report, language_pair: str | None = None) -> pd.DataFrame:
    """Read ``wmt25-genmt-humeval.jsonl``, or what Pearmut (``annotations.json``) or Appraise (CSV) exports.

    Parameters
    ----------
    file : str
    report : Report
    language_pair : str, optional
        Such as ``"en-cs_CZ"``, or a campaign of Pearmut, ``"eng_Latn---deu_Latn"``; needed where there are several.

    Returns
    -------
    DataFrame
        One row per (system, segment) as of `read_scores`: ``document``, ``segment_id``, ``human`` (the mean of the
        ratings; ``human_direction`` is ``up``) and ``n_ratings``. NaN, and 0 ratings, where a segment was not rated.

    Raises
    ------
    InputError
        ``json``, ``score-file``, ``unknown-pair``, ``no-segments``, and those of `read_table` for judgements.
    """
    ratings = list(_find_reader(read_beginning(file))(file, report))
    if not ratings:
        raise fault(file, "no-segments", "has no ratings: at least one was expected.")
    pair = choose_pair((one.pair for one in ratings), language_pair, file)
    found = grouped(((one.system, one.segment), one.score) for one in ratings if one.pair == pair)
    numbers = _number(dict.fromkeys(segment for _, segment in found))
    columns: dict[str, Column] = {
        "system": [system for system, _ in found],
        "segment": [numbers[segment] for _, segment in found],
        "segment_id": [segment for _, segment in found],
        "document": [_document_of(segment) for _, segment in found],
        "human": np.array([math.fsum(scores) / len(scores) for scores in found.values()]),
        "n_ratings": np.array([float(len(scores)) for scores in found.values()]),
    }
    outputs = lay_out_judgements(Table(columns, shown(file), file), report)
    outputs["n_ratings"] = outputs["n_ratings"].fillna(0.0)
    note_direction(outputs, "human", "up")
    return outputs


def begins_as_ratings(beginning: str) -> bool:
    """Tell by its beginning whether a file holds ratings that `read_ratings` reads."""
    keys = keys_of(beginning)
    return is_pearmut(beginning) or is_appraise(beginning) or ("scores" in keys and bool(keys & {"doc_id", "tgt_text"}))


def _find_reader(beginning: str) -> Callable[[str, Report], Iterator[Rating]]:
    if is_appraise(beginning):
        return _read_appraise
    return _read_pearmut if is_pearmut(beginning) else _read_lines


def is_appraise(beginning: str) -> bool:
    """Tell by its beginning whether a file is an export of Appraise."""
    return _APPRAISE.match(beginning.replace("\r\n", "\n")) is not None


def is_pearmut(beginning: str) -> bool:
    """Tell by its beginning whether a file is what Pearmut exports."""
    return _PEARMUT.match(beginning) is not None and re.search(r'"annotation"\s*:', beginning) is not None


def _document_of(segment: str) -> str:
    """Return the document that the name of a segment begins with: ``en-cs_#_news_#_a`` of ``en-cs_#_news_#_a_#_0``."""
    return re.sub(r"_#+_[^#]*$", "", segment)


def _number(segments: Iterable[str]) -> dict[str, str]:
    """Return the number of each segment: document by document, since raters had segments in any order."""
    by_document = grouped((_document_of(segment), segment) for segment in segments)
    order = [segment for own in by_document.values() for segment in sorted(own, key=natural_order)]
    return {segment: str(number) for number, segment in enumerate(order, start=1)}


def _read_lines(path: str, report: Report) -> Iterator[Rating]:
    seen: dict[str, int] = {}
    for line, values in enumerate(read_objects(path, report, with_nan=True), start=1):
        segment, scores = values.get("doc_id"), values.get("scores")
        if not isinstance(segment, str) or not isinstance(scores, dict):
            there = name_keys(values)
            problem = f"a 'doc_id' and 'scores' by system were expected, but the keys here are {there}."
            raise fault(path, "score-file", problem, line, found=there)
        if seen.setdefault(segment, line) != line:
            problem = f"segment {excerpt(segment)} already appears in line {seen[segment]:,}: each was expected once."
            raise fault(path, "duplicate-segment", problem, line)
        for system, given in scores.items():
            for part in given if isinstance(given, list) else [given]:
                if not isinstance(part, dict):
                    problem = f"{excerpt(part)} was found where an object with a rating was expected."
                    raise fault(path, "score-file", problem, line)
                for key, value in part.items():
                    if _RATING.fullmatch(key) and value is not None:
                        yield Rating(segment.split("_#_")[0], system, segment, _score(value, path, line))


def _read_appraise(path: str, report: Report) -> Iterator[Rating]:
    """Yield the ratings in an export of Appraise that count; what does not is counted in a notice."""
    last: dict[tuple[str, ...], tuple[float, float]] = {}
    n_others = 0
    lines = read_rows(path, report)
    for position, text in enumerate(lines.texts):
        row = _fields_of_appraise(text)
        if len(row) != _N_FIELDS:
            problem = f"{excerpt(text)} has {len(row):,} fields: the {_N_FIELDS} that Appraise exports were expected."
            raise lines.fault("score-file", position, problem)
        user, system, number, kind, source, target, given, document, of_document, _, _, ended = row
        if kind != "TGT" or "tutorial" in system or "#" in document or of_document == "True":
            n_others += 1
            continue
        rated = (f"{source}-{target}", system, f"{document}_#_{number}", user)
        end, score = (
            interpret_score(lines, position, one, "write a number", may_be_missing=False) for one in (ended, given)
        )
        last[rated] = max(last.get(rated, (-math.inf, 0.0)), (end, score))
    if n_others:
        what = "those of tutorials, of checks of attention, and of incomplete or whole documents"
        message = f"{n_others:,} ratings in {shown(path)} were left out: {what}."
        report.notice("left-out", message, path=path, count=n_others)
    for (pair, system, segment, _), (_, score) in last.items():
        yield Rating(pair, system, segment, score)


def _fields_of_appraise(line: str) -> list[str]:
    """Split a line of CSV; what is no CSV has no fields."""
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []


def _score(value: object, path: str, line: int | None = None) -> float:
    if (score := finite(value)) is None:
        raise fault(path, "bad-number", f"{excerpt(value)} was found where a rating, a number, was expected.", line)
    return score


def _read_pearmut(path: str, report: Report) -> Iterator[Rating]:
    campaigns = read_json(path, report, _EXPECTED)
    if not isinstance(campaigns, dict) or not all(isinstance(lines, list) for lines in campaigns.values()):
        raise fault(path, "score-file", f"is not as expected: {_EXPECTED}.")
    for campaign, lines in campaigns.items():
        kept: dict[str, list[dict]] = {}
        for line in lines:
            if not isinstance(line, dict) or not {"user_id", "item", "annotation"} <= line.keys():
                raise fault(path, "score-file", f"has {excerpt(line)} in {excerpt(campaign)}: {_EXPECTED}.")
            if line["annotation"] == "__RESET__":
                kept[str(line["user_id"])] = []
            else:
                kept.setdefault(str(line["user_id"]), []).append(line)
        for line in (line for of_user in kept.values() for line in of_user):
            yield from _ratings_in(line, campaign, path)


def _ratings_in(line: dict, campaign: str, path: str) -> Iterator[Rating]:
    """Take the ratings of one screen, unless it is a tutorial or a check of attention."""
    items, annotations = line["item"], line["annotation"]
    if not _are_dicts(items) or not isinstance(annotations, list) or len(items) != len(annotations):
        raise fault(path, "score-file", f"has {excerpt(line)} in {excerpt(campaign)}: {_EXPECTED}.")
    first = items[0].get("item_id") if items else None
    if not isinstance(first, str) or first.startswith("attention_check_") or "_#_tutorial_#_" in first:
        return
    if not _are_dicts(annotations) or not all(isinstance(item.get("item_id"), str) for item in items):
        raise fault(path, "score-file", f"has {excerpt(line)} in {excerpt(campaign)}: {_EXPECTED}.")
    for item, of_item in zip(items, annotations, strict=True):
        translations = item.get("tgt")
        displayed = translations if isinstance(translations, dict) else of_item
        for system, given in of_item.items():
            if isinstance(given, dict) and given.get("score") is not None and system in displayed:
                yield Rating(campaign, system, item["item_id"], _score(given["score"], path))


def _are_dicts(values: object) -> TypeGuard[list[dict]]:
    return isinstance(values, list) and all(isinstance(one, dict) for one in values)


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
        raise lines.fault("columns", 0, f"{problem}: {_OF_DA!r}.", expected=_OF_DA)
    rows = [_split_da(lines, position) for position in range(1, len(lines))]
    if not rows:
        raise fault(file, "no-segments", "has no scores: at least one was expected.")
    numbers = [lines.line(position) for position in range(1, len(lines))]
    counts = Segments([row[4] for row in rows], lines.label, file, numbers)
    columns: dict[str, Column] = {
        "segment": [row[1] for row in rows],
        "system": _names_of_da(lines, [row[0] for row in rows], report),
        "da": np.array([_score_of_da(lines, i, row[2], percent=True) for i, row in enumerate(rows, start=1)]),
        "da_z": np.array([_score_of_da(lines, i, row[3], percent=False) for i, row in enumerate(rows, start=1)]),
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
    return beginning.partition("\n")[0].rstrip("\r").rstrip(" ") == _OF_DA


def _split_da(lines: Lines, position: int) -> list[str]:
    fields = lines.texts[position].removesuffix(" ").split(" ")
    if len(fields) != 5 or not all(fields):
        problem = f"{excerpt(lines.texts[position])}: {_FIELDS_OF_DA} were expected, separated by one blank each."
        raise lines.fault("columns", position, problem, found=str(len(fields)), expected="5")
    return fields


def _score_of_da(lines: Segments, position: int, text: str, *, percent: bool) -> float:
    score = interpret_score(lines, position, text, "a number was expected", may_be_missing=False)
    if percent and not 0 <= score <= 100:
        problem = f"the raw score {text} is not between 0 and 100: check that the columns are in the order {_OF_DA!r}."
        raise lines.fault("bad-number", position, problem, found=text)
    return score


def _names_of_da(lines: Segments, systems: list[str], report: Report) -> list[str]:
    """Leave out the numbers of systems where the names alone tell them apart."""
    names = {system: match[1] for system in systems if (match := _WITH_ID.fullmatch(system))}
    if set(names) != set(systems) or len(set(names.values())) < len(names):
        return systems
    changes = [f"{excerpt(system)} is now {excerpt(name)}" for system, name in names.items()]
    what = f"the numbers after the names of {len(names):,} systems were left out"
    message = f"{lines.label}: {what}: {name_some(changes)}."
    report.notice("renamed-systems", message, path=lines.path, count=len(names))
    return [names[system] for system in systems]
