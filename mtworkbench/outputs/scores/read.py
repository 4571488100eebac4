"""Scores of segments, from whatever file holds them."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.names import collect_systems
from mtworkbench.outputs.checks.report import Report, excerpt, fault
from mtworkbench.outputs.files.bytes import Path, find_files, peek, read_beginning
from mtworkbench.outputs.files.folders import put_all_for_folders
from mtworkbench.outputs.files.lines import read_text
from mtworkbench.outputs.files.naming import COMPRESSED
from mtworkbench.outputs.scores.comet import (
    begins_as_comet_json,
    begins_as_comet_output,
    read_comet_json,
    read_comet_output,
)
from mtworkbench.outputs.scores.kinds import number_columns
from mtworkbench.outputs.scores.mqm import begins_as_mqm, read_mqm
from mtworkbench.outputs.scores.of_one_system import (
    holds_decimals,
    is_of_one_system,
    name_of_scores,
    read_of_one_system,
)
from mtworkbench.outputs.scores.ratings import begins_as_da, begins_as_ratings, read_da, read_ratings
from mtworkbench.outputs.scores.seg_score import is_seg_score, read_seg_score
from mtworkbench.outputs.table import read_table
from mtworkbench.outputs.tabular.columns import READERS, is_table
from mtworkbench.wording import name_some


def read_scores(
    path: Path | Sequence[Path] | Mapping[str, Path | Sequence[Path]],
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    language_pair: str | None = None,
    accept: Collection[str] = (),
) -> pd.DataFrame:
    """Read the scores that another program or people gave to segments.

    The format is recognized by what is in the file: the JSON that COMET writes (``comet-score --to_json``,
    ``comet-compare --to_json``), what ``comet-score`` prints, a ``.seg.score`` file of mt-metrics-eval, human
    judgements as WMT publishes them (`read_mqm`, `read_da`; of 2024 what Appraise exports, since 2025
    ``wmt25-genmt-humeval.jsonl`` and the ``annotations.json`` of Pearmut), or a table that `read_table` reads, with
    columns ``system``, ``segment`` and columns of numbers. Or there is a file per system or run: one number per line,
    as BLEURT and scripts write them; the list that COMET's ``predict`` returns, as JSON; what ``bert-score -s`` prints,
    of which F1 is taken; the JSON lines of MetricX.

    Parameters
    ----------
    path : path; list of paths, glob or folder; or mapping of str to path or list of paths
        The file, compressed or not. Of files of one system, there may be several: each is then named by what the names
        of the files do not share, as `read_outputs` names the files of a folder; or a mapping gives the files of each
        system, one per run.
    name : str, optional
        What to call scores that have no name in their file: one number per line. Without it, an ending such as
        ``.comet`` or ``.bleurt`` says so.
    columns : mapping of str to str, optional
        What a table calls its columns; see `read_table`.
    language_pair : str, optional
        Of ratings that WMT publishes since 2025, where a file has several: ``"en-cs_CZ"``, or a campaign of Pearmut.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`.

    Returns
    -------
    DataFrame
        One row per (system, run, segment), as `read_table` returns judgements, with a column of float64 for each kind
        of score and NaN where a segment has none. COMET's scores are ``comet``, and its JSON brings the texts, which
        `add_scores` compares with those of the outputs. COMET names systems by the paths of their outputs. Here the
        names are the file names without what all share: ``base`` and ``new`` for ``hyps/base.txt`` and
        ``hyps/new.txt``; `add_scores` finds the system by the path where the outputs were read from files.

        COMET's segment 0 is segment 1. In other files, the numbers 1, 2, ... n without gaps count the segments in
        order; numbers with gaps, or that do not begin at 1, are names (see `add_scores`). In a table, names of any
        form belong in the column ``segment``; those that are no numbers from 1 are kept as ``segment_id``.

    Raises
    ------
    InputError
        ``score-file`` where the format is not known, a line does not have this format, the scores are not those of
        segments, or nothing says what they are;
        ``json``, ``bad-number``, ``not-text``, ``count-mismatch``, ``text-mismatch``, ``interleaved-systems``; and
        those of `read_mqm`, `read_da` and `read_table`.

    Warns
    -----
    DataWarning
        ``missing-score`` for segments without a score; and for what else was noticed.

    Examples
    --------
    >>> import mtworkbench as mtw
    >>> scores = mtw.read_scores("comet.json")
    >>> means = scores.groupby("system")["comet"].mean()
    """
    scores = read_scores_of(path, name, columns=columns, language_pair=language_pair, accept=accept)
    if name is not None and name not in scores.columns:
        there = name_some(list(map(excerpt, number_columns(scores))))
        problem = f"The file says what its scores are, {there}, so name={name!r} has no meaning"
        raise InputError("columns", f"{problem}: rename the column of the result.", found=there)
    return scores


def read_scores_of(
    path: Path | Sequence[Path] | Mapping[str, Path | Sequence[Path]],
    name: str | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    language_pair: str | None = None,
    accept: Collection[str] = (),
    weights: str | Mapping[tuple[str, str], float] = "freitag2021",
) -> pd.DataFrame:
    """Read scores as `read_scores` does; ``name`` is not of scores that have one; ``weights`` are of `read_mqm`."""
    report = Report(accept)
    with warnings.catch_warnings(record=True) as noticed:
        warnings.simplefilter("always")
        if isinstance(path, Mapping):
            systems: Mapping[str, Path | Sequence[Path]] = collect_systems(path)
            files = {system: find_score_files(own) for system, own in systems.items()}
            scores = read_of_one_system(files, name, report)
        else:
            found = find_score_files(path)
            others = [file for file in found if not is_of_one_system(file)]
            if others and len(found) > 1:
                problem = "cannot be read together with other files of scores; only files of one system each can"
                remedy = "give it with a --scores of its own (in Python, to add_scores as a frame of its own)"
                raise fault(others[0], "score-file", f"{problem}: {remedy}.")
            if others:
                scores = _read(found[0], report, columns, language_pair, weights)
            else:
                scores = read_of_one_system(found, name, report)
        report.warn()
    for warning in noticed:
        warnings.warn(warning.message, stacklevel=3)  # at the line that calls `read_scores`
    return scores


def find_score_files(named: Path | Iterable[Path]) -> list[str]:
    """Find the files that a path, a glob, a folder or a list of these names."""
    return put_all_for_folders(find_files(named, "The scores"), "The scores")


def group_scores(named: Iterable[tuple[str | None, Path]]) -> list[tuple[str | None, list[str]]]:
    """Group files of scores into those that are read together: files of one system each that have one kind of score.

    Parameters
    ----------
    named : iterable of (str or None, path)
        What the scores are to be called, where their file does not say it, and a file, a glob or a folder.

    Returns
    -------
    list of (str or None, list of str)
        The arguments ``name`` and ``path`` of `read_scores`.
    """
    found: list[tuple[str | None, list[str]]] = []
    together: dict[str | None, list[str]] = {}
    for name, one in named:
        for file in find_score_files(one):
            if not is_of_one_system(file):
                found.append((name, [file]))
                continue
            called = name or name_of_scores([file])
            if called not in together:
                found.append((name, together.setdefault(called, [])))
            together[called].append(file)
    return found


def holds_scores(path: str) -> bool:
    """Tell whether the content of a file is that of a format of scores, which no file of texts looks like."""
    beginning = peek(path)
    looks = (begins_as_comet_output, begins_as_da, begins_as_mqm, begins_as_ratings, holds_decimals)
    lines = is_table(path)  # one object per line is no JSON of COMET
    return any(look(beginning) for look in looks) or (not lines and begins_as_comet_json(beginning))


def _read(
    path: str,
    report: Report,
    columns: Mapping[str, str] | None,
    language_pair: str | None,
    weights: str | Mapping[tuple[str, str], float],
) -> pd.DataFrame:
    """Read a file that says whose scores it has."""
    beginning, plain, accept = read_beginning(path), COMPRESSED.sub("", path).lower(), report.accepted
    if begins_as_ratings(beginning):
        return read_ratings(path, report, language_pair)
    if columns and is_table(path):
        return read_table(path, columns=columns, accept=accept)
    if plain.endswith(".json") or (not plain.endswith(".jsonl") and begins_as_comet_json(beginning)):
        return read_comet_json(path, report)
    if begins_as_comet_output(beginning):
        return read_comet_output(path, report)
    if begins_as_mqm(beginning):
        return read_mqm(path, weights=weights, accept=accept)
    if begins_as_da(beginning):
        return read_da(path, accept=accept)
    if is_seg_score(path, beginning):
        return read_seg_score(path, report)
    if is_table(path):
        return read_table(path, accept=accept)
    read_text(path, report)  # which says so where it is no text at all
    raise fault(
        path,
        "score-file",
        "is in no known format of scores: the JSON or the output of comet-score, one number per line, MetricX's JSON "
        "lines, a .seg.score file (system, tab, score), WMT's ratings (MQM) or segment scores (DA), or a table "
        f"({name_some(list(READERS), 'or')}) with columns system, segment and scores was expected.",
    )
