"""Human MQM scores as Google publishes them: error by error, or averaged over raters."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from mtworkbench.outputs.checks.corpus import text_column
from mtworkbench.outputs.checks.report import Report, excerpt, fault
from mtworkbench.outputs.checks.segments import Lines
from mtworkbench.outputs.files.bytes import Path, find_file
from mtworkbench.outputs.files.lines import read_rows
from mtworkbench.outputs.files.numbers import NUMBER_OR_NONE, interpret_score
from mtworkbench.outputs.scores.kinds import notice_missing
from mtworkbench.outputs.scores.mqm_weights import Weights, choose_weights
from mtworkbench.outputs.tabular.columns import Column, FileTable, Table, split_at_tabs
from mtworkbench.outputs.tabular.rows import keep_numbers, lay_out_judgements, note_direction
from mtworkbench.wording import name_some

#: The columns of ratings that decide a score, with the names that they have had over the years.
_COLUMNS = {
    "system": ("system",),
    "document": ("doc",),
    "number in the document": ("doc_id", "docSegId", "doc_seg_id"),
    "number": ("seg_id", "globalSegId", "global_seg_id"),
    "rater": ("rater",),
    "category": ("category",),
    "severity": ("severity",),
}
_REQUIRED = ("system", "document", "rater", "category", "severity")
# What raters marked is enclosed in these: google-research/google-research, mqm_viewer/README.md, "Data Notes".
_MARKER = re.compile("</?v>")
_AVERAGES = ("system", "mqm_avg_score", "seg_id")
_BLANK = re.compile("[ \t]")
# The columns that say which segment a text belongs to.
_OF = {"source": ["document", "segment"], "mt": ["document", "segment", "system"]}

_Segment: TypeAlias = tuple[str, str, str]


def read_mqm(
    path: Path, *, weights: str | Mapping[tuple[str, str], float] = "freitag2021", accept: Collection[str] = ()
) -> pd.DataFrame:
    """Read human MQM scores in the files of google/wmt-mqm-human-evaluation.

    The file of ratings (``mqm_newstest2020_ende.tsv``) has one line per error, or a line ``No-error``. Its errors are
    weighted and summed by rater, and the sums averaged over the raters of a segment, as Google's published scores are.
    Sums are not capped: an error ``Non-translation`` takes the place of all others when a segment is rated.

    The file of averages (``mqm_newstest2020_ende.avg_seg_scores.tsv``) has one line per segment of a system, and is
    taken as it is.

    Parameters
    ----------
    path : path
        One of these files, compressed or not. Columns are separated by tabs (those of the averages by blanks or tabs),
        and named by the first line: ``system``, ``doc``, ``rater``, ``category``, ``severity``, and ``doc_id`` and
        ``seg_id``, which later years call ``docSegId`` and ``globalSegId``.
    weights : str, or mapping of (str, str) to float, default "freitag2021"
        The weight of an error. ``"freitag2021"``: major 5, minor 1, minor ``Fluency/Punctuation`` 0.1, neutral 0,
        ``Non-translation`` 25. ``"marot"``: the same, and for what appears in ratings from 2022 on: critical 5, trivial
        0.1; errors of the source, creative reinterpretations and tests of the rater's attention 0. Or a mapping of
        (category, severity), such as ``{("*", "Major"): 10, ("Style", "Major"): 5, ("*", "*"): 0}``: the most specific
        category decides; ``"*"`` stands for all others. Case, ``_``, ``-`` and a final ``!`` make no difference.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`.

    Returns
    -------
    DataFrame
        One row per (system, segment): ``document`` (not from averages), ``segment``, ``segment_id``, ``system``,
        ``run`` (1), ``mqm`` and ``mqm_direction``. From ratings, ``mqm`` is a penalty and 0 is the best, so its
        direction is ``down``; ``n_raters`` is the number of raters. Averages are published with a negative sign, so
        their direction is ``up``. NaN where a segment has not been rated. A reference that was rated like a system is a
        system here as well; ``ref``, which means something else in other formats, is named ``reference``.

        The numbers that the file gives segments are kept as names, ``segment_id``, because they need not be those of
        the lines of an output: across documents where they are distinct, else within documents.

        Ratings bring the texts that were rated, without the markers of errors (``<v>``, ``</v>``), so that `add_scores`
        can compare them with those of the outputs: ``mt``, the output of the system (None where raters of a segment had
        different ones), and ``source`` where all rows of each segment have the same.

    Raises
    ------
    InputError
        ``unknown-category``, ``unknown-severity`` for an error without a weight; ``option-value`` for weights;
        ``columns`` for a file of another form, ``empty-rater``, ``bad-number``, ``direction`` for an average above 0,
        and those of `read_table`.

    Warns
    -----
    DataWarning
        ``missing-score`` for segments that were not rated, ``metadata-rows`` for lines without a rating,
        ``renamed-systems``; and for what else was noticed.

    See Also
    --------
    read_mt_metrics_eval : the same scores with the outputs.

    References
    ----------
    Freitag et al. (2021), Experts, Errors, and Context: A Large-Scale Study of Human Evaluation for Machine
    Translation. The way of averaging is that of google-research/mt-metrics-eval,
    mt_metrics_eval/converters/score_mqm.py; the columns of later years are described in
    google-research/google-research, mqm_viewer/README.md.

    Examples
    --------
    >>> scores = read_mqm("mqm_ted_ende.tsv")  # doctest: +SKIP
    >>> scores.groupby("system")["mqm"].mean().round(2)  # doctest: +SKIP
    """
    report = Report(accept)
    chosen = choose_weights(weights)
    file = find_file(path, "The MQM scores")
    lines = read_rows(file, report)
    if _is_header_of_averages(lines.texts[0]):
        table, direction = _read_averages(lines, file, report), "up"
    else:
        table, direction = _sum_up(_Ratings(split_at_tabs(lines.texts, file, report), report), chosen), "down"
    _rename_reference(table, report)
    texts = {name: table.columns.pop(name) for name in ("source", "mt") if name in table.columns}
    scores = lay_out_judgements(table, report)
    if "n_raters" in scores.columns:
        scores["n_raters"] = scores["n_raters"].fillna(0.0)
    keep_numbers(scores)
    for name, values in texts.items():
        scores[name] = _spread(values, table, scores, _OF[name])
    note_direction(scores, "mqm", direction)
    report.warn()
    return scores


def begins_as_mqm(beginning: str) -> bool:
    """Tell by its first line whether a file is one of those that `read_mqm` reads."""
    header = beginning.partition("\n")[0].rstrip("\r")
    return _is_header_of_averages(header) or not _missing(_find_columns(header.split("\t")))


def _is_header_of_averages(line: str) -> bool:
    return tuple(_BLANK.split(line.strip())) == _AVERAGES


def _find_columns(names: Sequence[str]) -> dict[str, str]:
    """Find the columns that decide a score under their names of this year."""
    found = {what: [name for name in known if name in names] for what, known in _COLUMNS.items()}
    return {what: there[0] for what, there in found.items() if there}


def _missing(columns: Mapping[str, str]) -> list[str]:
    missing = [_COLUMNS[what][0] for what in _REQUIRED if what not in columns]
    return missing or ([] if {"number in the document", "number"} & set(columns) else ["doc_id", "seg_id"])


class _Ratings:
    """The lines of a file of ratings: one error each, or none."""

    def __init__(self, table: FileTable, report: Report):
        self.table, self.report = table, report
        columns = _find_columns(list(table.columns))
        if missing := _missing(columns):
            there = ", ".join(map(excerpt, table.columns))
            problem = f"{name_some(list(map(repr, missing)))} {'is' if len(missing) == 1 else 'are'} missing"
            expected = "MQM ratings with the columns system, doc, doc_id, seg_id, rater, category and severity"
            raise fault(table.path, "columns", f"{expected} were expected, but {problem}: there are {there}.", 1)
        empty = [""] * len(table)
        self.values = {what: table.columns[columns[what]] if what in columns else empty for what in _COLUMNS}
        self.names = columns
        #: All that tells the segment of each row from others: its document, and its numbers there and in the whole.
        self.segments = list(zip(*(self.values[what] for what in list(_COLUMNS)[1:4]), strict=True))

    def rows(self) -> list[int]:
        """Return the rows that are ratings: some carry only what is known of a segment, and no rater."""
        parts = [self.values[what] for what in ("rater", "category", "severity")]
        rows = [row for row in range(len(self.table)) if any(part[row] for part in parts)]
        if not rows:
            raise fault(self.table.path, "no-segments", "has no ratings: at least one was expected.")
        if n_others := len(self.table) - len(rows):
            lines = f"{n_others:,} of {len(self.table):,} lines have no rater, category or severity"
            message = f"{self.table.label}: {lines}. They are not ratings and were left out."
            self.report.notice("metadata-rows", message, path=self.table.path, count=n_others)
        return rows

    def texts(self, column: str, whose: Iterable[Hashable]) -> dict[Hashable, str | None]:
        """Return the texts of a column without markers, by their keys: None where rows have different ones."""
        found: dict[Hashable, str | None] = {}
        for key, marked in zip(whose, self.table.columns.get(column, [""] * len(self.table)), strict=True):
            text = _MARKER.sub("", marked) or None
            if found.setdefault(key, text) != text:
                found[key] = None
        return found

    def weigh(self, row: int, weights: Weights) -> float:
        """Return what the error of a row costs."""
        category, severity = self.values["category"][row], self.values["severity"][row]
        weight = weights.find(category, severity)
        if weight is not None:
            return weight
        if known := weights.severities_of(category):
            what = "severity"
            problem = f"there is no weight for severity {excerpt(severity)} of category {excerpt(category)}"
        else:
            what, known = "category", weights.categories
            problem = f"there is no weight for category {excerpt(category)}"
        python, terminal = "weights={(category, severity): number, ...}", "--weights CATEGORY:SEVERITY=NUMBER"
        if choose_weights("marot").find(category, severity) is not None:
            python, terminal = f"{python}, or weights='marot', which has a weight for it", "--weights marot"
        remedy = f"in Python, give read_mqm {python}; in the terminal, give {terminal}"
        message = f"{problem}, only for {', '.join(map(excerpt, known))}: {remedy}."
        raise self.table.column(self.names[what]).fault(f"unknown-{what}", row, message)

    def rater(self, row: int) -> str:
        """Return who rated."""
        rater = self.values["rater"][row]
        if not rater:
            column = self.table.column(self.names["rater"])
            raise column.fault("empty-rater", row, "the rating has no rater: a name was expected.")
        return rater


def _sum_up(ratings: _Ratings, weights: Weights) -> Table:
    """Sum the errors of each rater, and average over the raters of a segment."""
    penalties: dict[tuple[_Segment, str], dict[str, list[float]]] = {}
    first: dict[tuple[_Segment, str], int] = {}
    costs: dict[tuple[str, str], float] = {}
    for row in ratings.rows():
        rated = ratings.segments[row], ratings.values["system"][row]
        first.setdefault(rated, row)
        error = ratings.values["category"][row], ratings.values["severity"][row]
        if error not in costs:
            costs[error] = ratings.weigh(row, weights)
        penalties.setdefault(rated, {}).setdefault(ratings.rater(row), []).append(costs[error])
    segments = {segment: place for place, segment in enumerate(_sort([segment for segment, _ in first]))}
    systems = {system: place for place, system in enumerate(dict.fromkeys(system for _, system in first))}
    order = sorted(first, key=lambda rated: (segments[rated[0]], systems[rated[1]]))
    names = _name_segments(list(segments))
    sums = [[math.fsum(errors) for errors in penalties[one].values()] for one in order]
    sources = ratings.texts("source", ratings.segments)
    targets = ratings.texts("target", zip(ratings.segments, ratings.values["system"], strict=True))
    table, lines = ratings.table, ratings.table.lines
    columns: dict[str, Column] = {
        "document": [segment[0] for segment, _ in order],
        "segment": [names[segment] for segment, _ in order],
        "system": [system for _, system in order],
        "mqm": np.array([math.fsum(of_raters) / len(of_raters) for of_raters in sums]),
        "n_raters": np.array([len(of_raters) for of_raters in sums], dtype=np.float64),
    }
    if None not in sources.values():
        columns["source"] = [sources[segment] for segment, _ in order]
    if any(targets.values()):
        columns["mt"] = [targets[one] for one in order]
    return Table(columns, table.label, table.path, [lines[first[one]] for one in order])


def _spread(values: Column, table: Table, scores: pd.DataFrame, keys: Sequence[str]) -> pd.Series:
    """Make a column of texts of the rows of a table, also for the rows of the same segments that were added."""
    of_rows = zip(*(table.columns[name] for name in keys), strict=True)
    known = dict(zip(of_rows, values, strict=True))
    names = ["segment_id" if name == "segment" else name for name in keys]
    return text_column([known.get(key) for key in zip(*(scores[name] for name in names), strict=True)])


def _sort(segments: Sequence[_Segment]) -> list[_Segment]:
    """Sort segments by document, in the order in which documents appear, and by number."""
    documents = {document: place for place, document in enumerate(dict.fromkeys(name for name, _, _ in segments))}
    return sorted(dict.fromkeys(segments), key=lambda one: (documents[one[0]], _rising(one[1]), _rising(one[2])))


def _rising(number: str) -> tuple[int, str]:
    """Return a sort key of a number, however long; what is not a number stays in its place."""
    digits = number.lstrip("0") if number.isdecimal() else ""
    return len(digits), digits


def _name_segments(segments: Sequence[_Segment]) -> dict[_Segment, str]:
    """Name segments by their numbers across documents, where these are distinct, else by those within documents."""
    distinct = dict.fromkeys(segments)
    numbers = {segment: segment[2] for segment in distinct}
    if "" not in numbers.values() and len(set(numbers.values())) == len(distinct):
        return numbers
    for which in (1, 2):
        within = {(segment[0], segment[which]) for segment in distinct}
        if len(within) == len(distinct) and all(number for _, number in within):
            return {segment: segment[which] for segment in distinct}
    return {segment: ":".join(filter(None, segment)) for segment in distinct}


def _rename_reference(table: Table, report: Report) -> None:
    systems = table.columns["system"]
    if "ref" in systems and "reference" not in systems:
        table.columns["system"] = ["reference" if system == "ref" else system for system in systems]
        reason = "because no system can be called 'ref': in other formats, this name means the reference"
        message = f"{table.label}: system 'ref' was renamed 'reference', {reason}."
        report.notice("renamed-systems", message, path=table.path, count=1)


def _read_averages(lines: Lines, path: str, report: Report) -> Table:
    """Read averages: system, score and segment, separated by blanks or tabs."""
    rows = [_BLANK.split(line) for line in lines.texts[1:]]
    scores = np.empty(len(rows))
    for row, fields in enumerate(rows):
        position = row + 1
        if len(fields) != len(_AVERAGES) or not all(fields):
            problem = f"{excerpt(lines.texts[position])}: a system, a score and the number of a segment were expected"
            raise lines.fault("columns", position, f"{problem}, separated by one blank or tab.")
        scores[row] = interpret_score(lines, position, fields[1], NUMBER_OR_NONE) + 0.0
        if scores[row] > 0:
            problem = f"the score {fields[1]} is above 0: averages of MQM scores are published as negative numbers"
            raise lines.fault("direction", position, f"{problem}; read other scores with read_table.", found=fields[1])
    if not rows:
        raise fault(path, "no-segments", "has no scores: at least one was expected.")
    notice_missing(report, path, lines.label, int(np.isnan(scores).sum()), len(rows))
    columns: dict[str, Column] = {
        "segment": [fields[2] for fields in rows],
        "system": [fields[0] for fields in rows],
        "mqm": scores,
    }
    return Table(columns, lines.label, path, [lines.line(row + 1) for row in range(len(rows))])
