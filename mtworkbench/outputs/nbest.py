"""n-best lists as decoders write them (Moses, cdec): several hypotheses per segment, with their features."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.alignment import check_counts
from mtworkbench.outputs.checks.characters import check_characters
from mtworkbench.outputs.checks.corpus import make_frame, text_column
from mtworkbench.outputs.checks.frames import NOTES, check_outputs, is_reference
from mtworkbench.outputs.checks.oddities import notice_oddities
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.checks.segments import Corpus, Segments
from mtworkbench.outputs.files.bytes import Path, find_files
from mtworkbench.outputs.files.lines import read_segments
from mtworkbench.outputs.files.numbers import MISSING, interpret_number

#: Names of columns of an n-best frame that are no features; the references are none either.
NBEST_COLUMNS = (
    "document", "segment", "segment_id", "source", "domain", "system", "run", "rank", "hypothesis", "score", *NOTES,
)  # fmt: skip
UNNAMED = "feature"
_LABEL = re.compile(r"([^\s=]*[^\s=:])([:=])(.*)")


@dataclass(frozen=True, eq=False)
class NBestFile:
    """The lists of one file.

    Parameters
    ----------
    hypotheses : Segments
        Line by line.
    positions : (n_lines,) ndarray of int64
        The segment of each line, counted from 0.
    features : dict of str to (n_lines,) ndarray of float64
    scores : (n_lines,) ndarray of float64
        The model's; NaN where a line has none.
    """

    hypotheses: Segments
    positions: np.ndarray = field(repr=False)
    features: dict[str, np.ndarray] = field(repr=False)
    scores: np.ndarray = field(repr=False)


def read_nbest(
    lists: Path | Sequence[Path],
    reference: Path | Sequence[Path],
    *,
    system: str = "decoder",
    accept: Collection[str] = (),
) -> pd.DataFrame:
    """Read n-best lists of Moses or cdec, with the references: several hypotheses per segment.

    `first_best` takes the first hypotheses, which can be scored and compared like any system's outputs, and
    `oracle_best` the ones that score best by a metric.

    A line is ``number ||| hypothesis ||| features ||| score``; what follows the score (alignments) is left out.
    Numbers count the segments from 0. Features are ``name: value value ...`` (old Moses), ``name= value ...`` (Moses),
    ``name=value`` (cdec), or values without a name; several values of one name become ``name_1``, ``name_2`` ..., and a
    feature with ``=`` and one value is 0 where a line does not have it.

    Parameters
    ----------
    lists : path, or list of paths
        One file, or several (the iterations of a tuning), which become runs. Compressed or not; a glob is taken too.
    reference : path, or list of paths
        One reference, or several, one segment per line.
    system : str
        What the decoder is called.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`. ``"incomplete-system"`` leaves out
        segments without a list, ``"non-contiguous"`` joins the parts of a list that stand apart.

    Returns
    -------
    DataFrame
        One row per hypothesis, run by run, segments in the order of the reference file, lists in the order of their
        file: ``segment``, ``reference``, ``reference_2`` ..., ``system``, ``run``, ``rank`` (from 1), ``hypothesis``,
        ``score``, and one column of float64 per feature. Its rows of rank 1 are an outputs frame, see `first_best`.

    Raises
    ------
    InputError
        ``nbest-line``, ``bad-number``, ``features``, ``non-contiguous``, ``count-mismatch``, ``incomplete-system``, and
        those of `read_outputs`.

    Warns
    -----
    DataWarning
        For what was noticed.

    Examples
    --------
    >>> lists = read_nbest(["run1.best100.out.gz", "run2.best100.out.gz"], "dev.en")  # doctest: +SKIP
    >>> outputs = first_best(lists)  # doctest: +SKIP
    """
    report = Report(accept)
    references = [read_segments(path, report) for path in find_files(reference, "The reference")]
    check_counts(references[0], references[1:])
    files = [_read_file(path, references[0], report) for path in find_files(lists, "The n-best lists")]
    _check_features(files)
    covered = _covered(files, references[0], report)
    frame = _first_hypotheses(files, references, covered, system, report)
    full = _expand(frame, files, covered, report)
    report.warn()
    return full


def first_best(lists: pd.DataFrame) -> pd.DataFrame:
    """Take the first hypothesis of each segment, the decoder's choice, from n-best lists.

    Parameters
    ----------
    lists : DataFrame
        Of `read_nbest`.

    Returns
    -------
    DataFrame
        An outputs frame, see `check_outputs`; ranks, the model's scores and features are kept.

    Raises
    ------
    InputError
        ``columns`` where there are no ranks, ``nbest-rank`` where a segment has not exactly one hypothesis of rank 1,
        and those of `check_outputs`.

    Examples
    --------
    >>> outputs = first_best(read_nbest("dev.100best", "dev.en"))  # doctest: +SKIP
    """
    if not isinstance(lists, pd.DataFrame) or "rank" not in lists.columns:
        found = (
            f"the columns {', '.join(map(str, lists.columns))}" if isinstance(lists, pd.DataFrame) else excerpt(lists)
        )
        raise InputError(
            "columns", f"The n-best lists have no column 'rank', but {found}: give the frame that read_nbest returned."
        )
    _check_ranks(lists)
    outputs = lists[lists["rank"] == 1].reset_index(drop=True)
    check_outputs(outputs)
    return outputs


def _check_ranks(lists: pd.DataFrame) -> None:
    """Refuse lists without exactly one first hypothesis of each segment: another segment's would take its place."""
    if not is_integer_dtype(lists["rank"]) or lists["rank"].isna().any():
        kind = lists["rank"].dtype
        problem = f"Column 'rank' of the n-best lists has the type {kind}"
        raise InputError("columns", f"{problem}, but whole numbers from 1 were expected.")
    keys = [name for name in ("system", "run", "segment") if name in lists.columns]
    if len(keys) < 3:
        return  # check_outputs says what is missing
    firsts = (lists["rank"] == 1).groupby([lists[name] for name in keys], sort=False).sum()
    wrong = firsts[firsts != 1]
    if len(wrong):
        system, run, segment = wrong.index[0]
        where = f"segment {segment} of system {excerpt(system)}, run {run},"
        how_many = "no hypothesis" if not wrong.iloc[0] else f"{wrong.iloc[0]:,} hypotheses"
        message = f"The n-best list of {where} has {how_many} of rank 1, but exactly one was expected"
        hint = "count ranks from 1, and leave out whole lists only" if not wrong.iloc[0] else "number each list's ranks"
        raise InputError("nbest-rank", f"{message}: {hint}.", hint=hint)


def _read_file(path: str, reference: Segments, report: Report) -> NBestFile:
    lines = read_segments(path, report)
    positions, texts, scores = [], [], []
    found: list[dict[str, list[float]]] = []
    for place, line in enumerate(lines.texts):
        fields = line.split("|||")
        if len(fields) < 3:
            problem = f"{excerpt(line)} has {len(fields) - 1} separators ('|||'): a line of an n-best list is"
            raise lines.fault("nbest-line", place, f"{problem} 'number ||| hypothesis ||| features ||| score'.")
        positions.append(_interpret_position(fields[0].strip(), lines, place, reference))
        texts.append(fields[1].strip(" "))
        found.append(_interpret_features(fields[2].split(), lines, place))
        scores.append(_interpret_value(fields[3].strip(), lines, place) if len(fields) > 3 else math.nan)
    check_contiguous(positions, lines, report)
    hypotheses = replace(lines, texts=texts)
    return NBestFile(hypotheses, np.array(positions), _tabulate(found, lines), np.array(scores))


def _interpret_position(text: str, lines: Segments, place: int, reference: Segments) -> int:
    if not re.fullmatch("[0-9]{1,18}", text):
        problem = f"{excerpt(text)} was found where the number of a segment, counted from 0, was expected."
        raise lines.fault("nbest-line", place, problem, found=excerpt(text))
    if int(text) >= len(reference):
        problem = f"segment number {int(text):,} (counted from 0) is beyond the {len(reference):,} lines"
        problem += f" of {reference.label}: give the reference of these lists."
        raise lines.fault("count-mismatch", place, problem)
    return int(text)


def _interpret_value(text: str, lines: Segments, place: int) -> float:
    try:
        if text == MISSING:
            raise ValueError("there is none")
        return 0.0 if text == "-0" else interpret_number(text)  # decoders do write -0
    except ValueError as error:
        problem = f"{excerpt(text)} cannot be taken for a number ({error}): a decimal point was expected."
        raise lines.fault("bad-number", place, problem, found=excerpt(text)) from None


def _interpret_features(tokens: Sequence[str], lines: Segments, place: int) -> dict[str, list[float]]:
    """Interpret the features of a line: the label with its sign, and its values; values before any label have none."""
    features: dict[str, list[float]] = {}
    label = ""
    for token in tokens:
        labelled = _LABEL.fullmatch(token)
        if labelled:
            label = labelled[1] + labelled[2]
            if label in features:
                problem = f"feature {excerpt(labelled[1])} stands twice in one line: once was expected."
                raise lines.fault("features", place, problem)
            features[label] = []
            token = labelled[3]
        if token:
            features.setdefault(label, []).append(_interpret_value(token, lines, place))
    empty = next((label for label, values in features.items() if not values), None)
    if empty is not None:
        raise lines.fault("features", place, f"feature {excerpt(empty)} has no value: at least one was expected.")
    return features


def _tabulate(found: Sequence[dict[str, list[float]]], lines: Segments) -> dict[str, np.ndarray]:
    """Lay the features of all lines out in columns."""
    sizes: dict[str, int] = {}
    for place, features in enumerate(found):
        for label, values in features.items():
            if sizes.setdefault(label, len(values)) != len(values):
                problem = f"feature {excerpt(label)} has {len(values)} values, but {sizes[label]} in a line before."
                raise lines.fault("features", place, problem)
    columns = {}
    for label, size in sizes.items():
        lacking = next((place for place, features in enumerate(found) if label not in features), None)
        if lacking is not None and not (label.endswith("=") and size == 1):
            what = f"no feature {excerpt(label)}" if label else "no feature without a name"
            raise lines.fault("features", lacking, f"there is {what}, as other lines have it: every line needs it.")
        table = np.array([features.get(label, [0.0]) for features in found])
        name = label[:-1] or UNNAMED
        for number, column in enumerate(table.T, start=1):
            columns[name if size == 1 else f"{name}_{number}"] = column
    taken = next((name for name in columns if name in NBEST_COLUMNS or is_reference(name)), None)
    if taken is not None:
        problem = f"{lines.label} has a feature {excerpt(taken)}, but that is the name of another column: rename it."
        raise InputError("columns", problem, path=lines.path, found=taken)
    return columns


def check_contiguous(positions: Sequence[int], lines: Segments, report: Report) -> None:
    """Refuse a list that goes on after another, unless that was accepted.

    Raises
    ------
    InputError
        ``non-contiguous``.
    """
    last: dict[int, int] = {}
    for place, position in enumerate(positions):
        if last.get(position, place - 1) != place - 1:
            before = lines.line(last[position])
            problem = f"the list of segment number {position:,} ended in line {before:,} and goes on here"
            if not report.accepts("non-contiguous"):
                hint = "give the files of several runs separately, or accept 'non-contiguous' to join the parts"
                raise lines.fault("non-contiguous", place, f"{problem}; {hint}.", hint=hint)
            message = f"{lines.place(place)}: {problem}; such parts were joined, as accepted."
            together = "{places} files have lists in several parts, which were joined, as accepted: {list}."
            lines.notice(report, "non-contiguous", message, place, None, together)
            return
        last[position] = place


def _check_features(files: Sequence[NBestFile]) -> None:
    """Refuse files if one of them has a feature that another lacks."""
    first = files[0]
    for other in files[1:]:
        if other.features.keys() != first.features.keys():
            odd = sorted(other.features.keys() ^ first.features.keys())[0]
            owner, lacking = (first, other) if odd in first.features else (other, first)
            problem = f"has a feature {excerpt(odd)}, which {lacking.hypotheses.label} does not have"
            message = f"{owner.hypotheses.label} {problem}: lists of one system need the same features."
            raise InputError("features", message, path=owner.hypotheses.path, found=odd)


def _covered(files: Sequence[NBestFile], reference: Segments, report: Report) -> np.ndarray:
    """Return the positions of the segments for which every file has a list."""
    counts = sum(np.bincount(np.unique(one.positions), minlength=len(reference)) for one in files)
    covered = np.flatnonzero(counts == len(files))
    lacking = np.flatnonzero(counts < len(files))
    if not len(lacking):
        return covered
    there, all_of_them = f"{len(covered):,}", f"{len(reference):,}"
    what = f"{files[0].hypotheses.label} has lists for {there} of the {all_of_them} segments of {reference.label}"
    if len(files) > 1:
        what = f"Only {there} of the {all_of_them} segments of {reference.label} have a list in all {len(files)} files"
    first = f"the first without one is line {lacking[0] + 1:,}"
    if not report.accepts("incomplete-system") or not len(covered):
        message = f"{what}; {first}. Accept 'incomplete-system' to leave such segments out."
        raise InputError("incomplete-system", message, path=reference.path, line=int(lacking[0]) + 1)
    message = f"{what}; {first}. Such segments were left out, as accepted."
    reference.notice(report, "incomplete-system", message, int(lacking[0]), len(lacking))
    return covered


def _first_hypotheses(
    files: Sequence[NBestFile], references: Sequence[Segments], covered: np.ndarray, system: str, report: Report
) -> pd.DataFrame:
    """Check the first hypotheses as the outputs that they are, and lay them out."""
    runs = []
    for one in files:
        _, first = np.unique(one.positions, return_index=True)
        first = first[np.isin(one.positions[first], covered)]
        runs.append(one.hypotheses.take(first))
        others = one.hypotheses.take(np.setdiff1d(np.arange(len(one.positions)), first))
        notice_oddities(check_characters(others, report), report)
    return make_frame(Corpus([one.take(covered) for one in references], {system: runs}), report)


def _expand(frame: pd.DataFrame, files: Sequence[NBestFile], covered: np.ndarray, report: Report) -> pd.DataFrame:
    """Give every hypothesis its row."""
    rows, parts = [], []
    for number, one in enumerate(files):
        texts = text_column(list(one.hypotheses.texts)).set_axis(one.positions)
        own = pd.DataFrame({"hypothesis": texts, "score": one.scores} | one.features, index=one.positions)
        own = own[own.index.isin(covered)].sort_index(kind="stable")
        own.insert(0, "rank", own.groupby(level=0).cumcount() + 1)
        rows.append(number * len(covered) + np.searchsorted(covered, own.index))
        parts.append(own)
    lists = pd.concat(parts)
    full = frame.drop(columns="hypothesis").take(np.concatenate(rows)).reset_index(drop=True)
    full["segment"] = lists.index + 1
    lists = lists.reset_index(drop=True)
    if report.accepts("nfc"):
        lists["hypothesis"] = text_column([unicodedata.normalize("NFC", text) for text in lists["hypothesis"]])
    return pd.concat([full, lists], axis=1)
