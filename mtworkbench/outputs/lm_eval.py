"""Samples that lm-evaluation-harness logs (``--log_samples``): one file per model and task, with scores and texts.

Source: EleutherAI/lm-evaluation-harness, lm_eval/evaluator.py and lm_eval/loggers/evaluation_tracker.py. A line is a
document of the task under one filter: ``doc_id`` (from 0), ``target``, ``filtered_resps``, ``filter``, ``metrics``
(their names), ``doc_hash``, and a key per metric. Metrics of whole corpora, such as BLEU, have the pair of target and
response there in place of a number. Files are ``MODEL/samples_TASK_DATE.jsonl``.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from glob import escape, glob

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.names import choose_from
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.files.bytes import natural_order
from mtworkbench.outputs.files.folders import SystemFiles, collect_files
from mtworkbench.outputs.files.json_text import first_keys, name_keys, read_objects
from mtworkbench.outputs.files.naming import COMPRESSED, name_systems
from mtworkbench.outputs.table import lay_out
from mtworkbench.outputs.tabular.columns import Column, Table
from mtworkbench.outputs.tabular.rows import note_direction
from mtworkbench.wording import name_some

_IDENTITY = ("system", "run", "segment", "segment_id")
_KEYS = {"doc_id", "target", "filtered_resps"}
# Of the metrics that lm_eval/api/metrics.py registers, those that are a number for each document.
_HIGHER_IS_BETTER = ("acc", "acc_norm", "acc_mutual_info", "acc_bytes", "exact_match")
# Numbers in lines without the list of their metrics, as old versions write them.
_NO_METRICS = ("doc_id", "target")


def read_lm_eval(samples: SystemFiles, *, texts: bool = False, accept: Collection[str] = ()) -> pd.DataFrame:
    """Read the samples that lm-evaluation-harness logged for several models on one task.

    Parameters
    ----------
    samples : path or list of paths; or mapping of str to path or list of paths; or pairs of these
        ``samples_TASK_DATE.jsonl`` of each model. Without names, a model is named after the folder of its file, or
        after folder and file where one folder has several. Several files of one model are runs of it.
    texts : bool, default False
        Whether the texts are returned, too, for metrics that are computed from these: the target as reference, and the
        first response after the filter as hypothesis.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`.

    Returns
    -------
    DataFrame
        One row per (system, run, segment), as `read_table` returns judgements, with a column of float64 for each
        metric that is a number: ``acc``, or with several filters ``exact_match,strict-match``. Segments are numbered
        as the documents of the task, from 1; ``segment_id`` is the harness's number, from 0.

    Raises
    ------
    InputError
        ``json``, ``columns`` for a line without a key that is needed, ``not-text`` for responses that are no texts,
        ``text-mismatch`` where two files have another document, or another target, under one number,
        ``duplicate-segment``, ``columns`` where no metric is a number; and those of `read_table`.

    Warns
    -----
    DataWarning
        ``missing-score``; and for what else was noticed.

    Examples
    --------
    >>> scores = read_lm_eval("results/*/samples_gsm8k_*.jsonl")  # doctest: +SKIP
    >>> compare(compute_statistics(scores, "exact_match"))  # doctest: +SKIP
    """
    report = Report(accept)
    if isinstance(samples, (str, os.PathLike)) and os.path.isdir(samples):
        samples = find_samples([os.fspath(samples)]) or samples
    outputs = _lay_out(_read(samples, report), texts, report)
    report.warn()
    return outputs


def read_for_terminal(
    samples: Sequence[str],
    *,
    metric: Sequence[str] | None,
    systems: Sequence[str] | None,
    accept: Collection[str],
) -> pd.DataFrame:
    """Read samples, with their texts where a metric is named that is not a score in them."""
    report = Report(accept)
    logs = _read(samples, report, systems)
    scores = {name.casefold() for row in logs[0].rows for name in _scores_in(row)}
    named = {spec.casefold().partition(",")[0] for spec in metric or ()}
    outputs = _lay_out(logs, not named <= scores, report)
    report.warn()
    return outputs


def _read(samples: SystemFiles, report: Report, systems: Sequence[str] | None = None) -> list[_Log]:
    """Read the samples of each run of each model, of one task; of ``systems`` alone, where they are named."""
    logs = [
        _Log(system, run, path, read_objects(path, report, with_nan=True))
        for system, paths in choose_from(collect_files(samples, report, _name), systems).items()
        for run, path in enumerate(paths, start=1)
    ]
    _check_documents(logs)
    return logs


def _lay_out(logs: Sequence[_Log], texts: bool, report: Report) -> pd.DataFrame:
    """Lay out samples as `read_lm_eval` returns them."""
    filters = list(dict.fromkeys(str(row.get("filter")) for log in logs for row in log.rows))
    if texts and len(filters) > 1:
        there = name_some(list(map(excerpt, filters)))
        problem = f"{shown(logs[0].path)} has responses under {len(filters):,} filters, {there}"
        remedy = "compare the scores, whose names have the filter, or keep the lines of one filter"
        raise InputError("duplicate-segment", f"{problem}, so it is not known which texts are meant: {remedy}.")
    rows: dict[tuple[str, int, object], dict[str, object]] = {}
    for log in logs:
        for line, row in enumerate(log.rows, start=1):
            found = rows.setdefault((log.system, log.run, row["doc_id"]), log.identify(line))
            suffix = f",{row.get('filter')}" if len(filters) > 1 else ""
            found |= {f"{name}{suffix}": row[name] for name in _scores_in(row)}
            if texts:
                found |= {"reference": row["target"], "hypothesis": log.response(line)}
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    if len(names) == len(_IDENTITY):
        problem = f"{shown(logs[0].path)} has no metric that is a number for each document"
        remedy = "compute one from the texts, as with --metric bleu (in Python, texts=True)"
        raise InputError("columns", f"{problem}: {remedy}.", path=logs[0].path)
    columns: dict[str, Column] = {name: [row.get(name) for row in rows.values()] for name in names}
    outputs = lay_out(Table(columns, "The samples"), report)
    for name in filter(lambda name: name.partition(",")[0] in _HIGHER_IS_BETTER, names):
        note_direction(outputs, name, "up")
    return outputs


def find_samples(files: Sequence[str]) -> list[str] | None:
    """Return the samples among files and in folders; None where something else is named, or no samples are there."""
    found: list[str] = []
    for one in files:
        inside = glob(os.path.join(escape(one), "**", "samples_*.jsonl*"), recursive=True)
        inside = [file for file in inside if COMPRESSED.sub("", file).endswith(".jsonl")]
        found += sorted(inside, key=natural_order) if os.path.isdir(one) else [one]
    return found if found and all(first_keys(one) >= _KEYS for one in found) else None


@dataclass(frozen=True)
class _Log:
    """The samples of one run of a model."""

    system: str
    run: int
    path: str
    rows: Sequence[Mapping[str, object]]

    def __post_init__(self) -> None:
        seen: dict[tuple[object, object], int] = {}
        for line, row in enumerate(self.rows, start=1):
            document = row.get("doc_id")
            if not isinstance(document, int) or isinstance(document, bool) or document < 0 or not row.keys() >= _KEYS:
                there = name_keys(row)
                needed = f"{name_some(sorted(map(excerpt, _KEYS)))} were expected, 'doc_id' as a number from 0"
                raise fault(self.path, "columns", f"{needed}, but the keys here are {there}.", line, found=there)
            before = seen.setdefault((document, str(row.get("filter"))), line)
            if before != line:
                problem = f"document {document} already appears in line {before:,} under this filter"
                remedy = "each was expected once: give the samples of one task and one run in each file"
                raise fault(self.path, "duplicate-segment", f"{problem}; {remedy}.", line)

    def identify(self, line: int) -> dict[str, object]:
        """Name the place of a line among all outputs."""
        document = self.rows[line - 1]["doc_id"]
        return dict(zip(_IDENTITY, (self.system, self.run, str(document + 1), str(document)), strict=True))  # type: ignore[operator]

    def response(self, line: int) -> str:
        """Return the only response in a line, where it is a text."""
        value = self.rows[line - 1]["filtered_resps"]
        while isinstance(value, list) and len(value) == 1:
            [value] = value
        if not isinstance(value, str):
            problem = f"'filtered_resps' is {excerpt(value)}: one text was expected, as of a task that generates text"
            raise fault(self.path, "not-text", f"{problem}; other tasks have scores alone.", line)
        return value


def _scores_in(row: Mapping[str, object]) -> list[str]:
    """Name the metrics of a line that are numbers."""
    named = row.get("metrics")
    names = named if isinstance(named, list) else [name for name in row if name not in _NO_METRICS]
    return [name for name in names if isinstance(name, str) and isinstance(row.get(name), (int, float))]


def _check_documents(logs: Sequence[_Log]) -> None:
    """Refuse files that have other documents under the same numbers, as those of two tasks have."""
    known: dict[tuple[object, str], tuple[object, str]] = {}
    for log in logs:
        for line, row in enumerate(log.rows, start=1):
            for key in ("doc_hash", "target"):
                if key not in row:
                    continue
                value, path = known.setdefault((row["doc_id"], key), (row[key], log.path))
                if value != row[key]:
                    problem = f"document {row['doc_id']} has the {key} {excerpt(row[key])}, but {excerpt(value)} in "
                    problem += f"{shown(path)}: samples of one task, in one version, were expected"
                    remedy = "name the files of one task, as in results/*/samples_TASK_*.jsonl"
                    raise fault(log.path, "text-mismatch", f"{problem}; {remedy}.", line)


def _name(files: Sequence[str]) -> Sequence[str]:
    """Name models after the folders of their files, and after the files, too, where one folder has several."""
    folders = [os.path.basename(os.path.dirname(os.path.abspath(file))) for file in files]
    if 1 < len(files) == len(set(folders)):
        return folders
    names = [COMPRESSED.sub("", os.path.basename(file)) for file in files]
    names = [name.removeprefix("samples_").removesuffix(".jsonl") for name in names]
    if len(set(folders)) > 1:
        names = list(map("/".join, zip(folders, names, strict=True)))
    return names if len(set(names)) == len(names) else name_systems(files)
