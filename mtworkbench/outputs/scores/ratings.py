"""Human ratings as WMT releases them: Appraise's export, since 2025 lines of JSON by system, and Pearmut's log.

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
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeGuard

import numpy as np
import pandas as pd

from mtworkbench.outputs.checks.names import choose_pair
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.files.bytes import natural_order, read_beginning
from mtworkbench.outputs.files.json_text import keys_of, name_keys, read_json, read_objects
from mtworkbench.outputs.files.lines import read_rows
from mtworkbench.outputs.files.numbers import interpret_score
from mtworkbench.outputs.tabular.columns import Column, Table
from mtworkbench.outputs.tabular.judgements import lay_out_judgements, note_direction
from mtworkbench.wording import grouped

_RATING = re.compile(r"(human|score)[0-9]*")
_APPRAISE = re.compile(r"[^,\n]+,[^,\n]+,[0-9]+,(TGT|BAD|REF|CHK),[a-z]{2,3},[a-z]{2,3},[0-9.]+,[^\n]+(\n|$)")
_N_FIELDS = 12
_PEARMUT = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[\s*\{')
_EXPECTED = "the annotations of Pearmut were expected: a list of 'user_id', 'item' and 'annotation' for each campaign"


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
        row = _split(text)
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


def _split(line: str) -> list[str]:
    """Split a line of CSV; what is no CSV has no fields."""
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []


def _score(value: object, path: str, line: int | None = None) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise fault(path, "bad-number", f"{excerpt(value)} was found where a rating, a number, was expected.", line)
    return float(value)


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
