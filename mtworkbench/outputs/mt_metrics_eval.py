"""Folders in the layout of Google's mt-metrics-eval: outputs with human and metric scores of their segments."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Sequence
from pathlib import Path as _Path

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.corpus import Corpus, make_frame, text_column
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.outputs.files.bytes import Path, find_files, natural_order
from mtworkbench.outputs.files.lines import read_segments
from mtworkbench.outputs.files.numbers import interpret_number

_SCORES = ".seg.score"


def read_mt_metrics_eval(
    folder: Path,
    language_pair: str,
    *,
    references: Sequence[str] | None = None,
    scores: Path | Sequence[Path] | None = None,
    accept: Collection[str] = (),
) -> pd.DataFrame:
    """Read one language pair of a test set of mt-metrics-eval, with the scores of its segments.

    Parameters
    ----------
    folder : path
        The folder of the test set, with ``system-outputs/``, ``references/`` and, where they are known, ``sources/``,
        ``documents/``, ``human-scores/``, ``metric-scores/``.
    language_pair : str
        Such as ``"en-de"``.
    references : list of str, optional
        The references taken (``"refA"``), in this order; without it all, in natural order.
    scores : path, or list of paths, optional
        Further ``.seg.score`` files, or a glob.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`.

    Returns
    -------
    DataFrame
        As of `read_outputs`, with a column of float64 for each file of segment scores: ``mqm`` for
        ``human-scores/en-de.mqm.seg.score``, ``BLEU-refA`` for ``metric-scores/en-de/BLEU-refA.seg.score``; NaN where a
        segment has no score (``None``) or the file does not have the system. Human MQM scores, which are negative
        penalties there, come with a column ``mqm_direction`` that says ``up``. References that the folder has among the
        outputs, to be rated like systems, are systems here as well.

    Raises
    ------
    InputError
        ``not-a-folder``, ``unknown-pair``, ``unknown-reference``; ``score-file`` for a line that is not a system, a tab
        and a score, ``bad-number``, ``unknown-system``, ``interleaved-systems``, ``count-mismatch`` for a system with
        too few or too many scores, ``columns`` for two score files of one name; and those of `read_outputs`.

    Warns
    -----
    DataWarning
        ``missing-score`` for segments without a score and ``unrated-system`` for systems that a file does not have,
        with their numbers; and for what else was noticed.

    Examples
    --------
    >>> outputs = read_mt_metrics_eval("mt-metrics-eval-v2/wmt23", "en-de")  # doctest: +SKIP
    >>> outputs.groupby("system")["mqm"].mean()  # doctest: +SKIP
    """
    report = Report(accept)
    root = _folder(folder)
    systems = {path.stem: [read_segments(str(path), report)] for path in _system_files(root, language_pair)}
    documents = domains = None
    if (labels := root / "documents" / f"{language_pair}.docs").exists():
        domains, documents = _documents(read_segments(str(labels), report))
    source = root / "sources" / f"{language_pair}.txt"
    corpus = Corpus(
        references=[read_segments(str(path), report) for path in _reference_files(root, language_pair, references)],
        systems=systems,
        source=read_segments(str(source), report) if source.exists() else None,
        documents=documents,
        domains=domains,
    )
    outputs = make_frame(corpus, report)
    files = _score_files(root, language_pair)
    if scores is not None:
        files += [_Path(path) for path in find_files(scores, "The scores")]
    for path in files:
        name = path.name.removesuffix(_SCORES).removeprefix(f"{language_pair}.")
        if name in outputs.columns:
            problem = f"would make a second column {excerpt(name)}: names of score files must differ"
            raise fault(path, "columns", f"{problem} from each other and from the columns of outputs.")
        lines, n_segments = read_segments(str(path), report), len(outputs) // len(systems)
        outputs[name] = _interpret_scores(lines, list(systems), n_segments, report)
        if path == root / "human-scores" / f"{language_pair}.mqm{_SCORES}":
            outputs["mqm_direction"] = text_column(np.full(len(outputs), "up", dtype=object))
    report.warn()
    return outputs


def _folder(folder: Path) -> _Path:
    try:
        root = _Path(os.fsdecode(folder))
        is_folder = root.is_dir()
    except (TypeError, ValueError, OSError):
        is_folder = False
    if not is_folder:
        raise InputError("not-a-folder", f"{excerpt(folder)} is not a folder: that of a test set was expected.")
    return root


def _system_files(root: _Path, language_pair: str) -> list[_Path]:
    outputs = root / "system-outputs"
    pairs = sorted(path.name for path in outputs.iterdir()) if outputs.is_dir() else []
    if language_pair not in pairs:
        there = ", ".join(map(excerpt, pairs)) or "none"
        problem = f"has no folder {excerpt(language_pair)}; the language pairs there: {there}."
        raise fault(outputs, "unknown-pair", problem, found=there, expected=excerpt(language_pair))
    files = sorted((outputs / language_pair).glob("*.txt"), key=lambda path: natural_order(path.name))
    if not files:
        raise InputError("no-match", f"{shown(outputs / language_pair)} has no outputs (*.txt).", path=str(outputs))
    return files


def _reference_files(root: _Path, language_pair: str, references: Sequence[str] | None) -> list[_Path]:
    files = sorted((root / "references").glob(f"{language_pair}.*.txt"), key=lambda path: natural_order(path.name))
    there = {path.name.removeprefix(f"{language_pair}.").removesuffix(".txt"): path for path in files}
    names = list(there) if references is None else [references] if isinstance(references, str) else list(references)
    unknown = next((name for name in names if name not in there), None)
    if unknown is not None or not names:
        problem = f"has no reference {'' if unknown is None else excerpt(unknown)} for {language_pair}"
        known = ", ".join(map(excerpt, there)) or "none at all"
        raise fault(root / "references", "unknown-reference", f"{problem}, but {known}.")
    return [there[name] for name in names]


def _score_files(root: _Path, language_pair: str) -> list[_Path]:
    human = (root / "human-scores").glob(f"{language_pair}.*{_SCORES}")
    metrics = (root / "metric-scores" / language_pair).glob(f"*{_SCORES}")
    return [path for files in (human, metrics) for path in sorted(files, key=lambda path: natural_order(path.name))]


def _documents(lines: Segments) -> tuple[Segments, Segments]:
    """Split the lines of a file of documents: domain, tab, document."""
    domains, documents = [], []
    for position, line in enumerate(lines.texts):
        domain, tab, document = line.partition("\t")
        if not tab or "\t" in document:
            raise lines.fault("columns", position, f"{excerpt(line)}: a domain, a tab and a document were expected.")
        domains.append(domain)
        documents.append(document)
    return Segments(domains, lines.label, lines.path), Segments(documents, lines.label, lines.path)


def _interpret_scores(lines: Segments, systems: Sequence[str], n_segments: int, report: Report) -> np.ndarray:
    """Interpret a file of segment scores: one line per segment, system by system."""
    found: dict[str, list[float]] = {}
    current = None
    for position, line in enumerate(lines.texts):
        system, score = _split_score(lines, position, line)
        if system != current:
            _check_block(lines, position, system, systems, found)
            _check_length(lines, position, current, found, n_segments)
            current = system
        found.setdefault(system, []).append(score)
    _check_length(lines, len(lines) - 1, current, found, n_segments)
    missing = sum(map(math.isnan, (score for scores in found.values() for score in scores)))
    if missing:
        message = f"{lines.label}: {missing:,} of {len(lines):,} segments have no score (None)."
        together = "{places} files of scores have {count} segments without a score (None): {list}."
        lines.notice(report, "missing-score", message, None, missing, together)
    unrated = [system for system in systems if system not in found]
    if unrated:
        names = ", ".join(map(excerpt, unrated[:10]))
        message = f"{lines.label} has no scores of {len(unrated):,} of {len(systems):,} systems: {names}."
        together = "{places} files of scores lack systems, {count} in all: {list}."
        lines.notice(report, "unrated-system", message, None, len(unrated), together)
    nothing = [math.nan] * n_segments
    return np.array([score for system in systems for score in found.get(system, nothing)])


def _split_score(lines: Segments, position: int, line: str) -> tuple[str, float]:
    system, tab, score = line.partition("\t")
    if not tab or not system:
        raise lines.fault("score-file", position, f"{excerpt(line)}: a system, a tab and a score were expected.")
    try:
        return system, interpret_number(score)
    except ValueError as error:
        problem = f"{excerpt(score)} cannot be taken for a score ({error}); None was expected where there is none."
        raise lines.fault("bad-number", position, problem) from None


def _check_block(
    lines: Segments, position: int, system: str, systems: Sequence[str], found: dict[str, list[float]]
) -> None:
    if system not in systems:
        there = ", ".join(map(excerpt, systems))
        problem = f"there are scores of {excerpt(system)}, but the systems with outputs are {there}."
        raise lines.fault("unknown-system", position, problem)
    if system in found:
        problem = f"the scores of {excerpt(system)} go on after those of another system"
        raise lines.fault("interleaved-systems", position, f"{problem}: one system after the other was expected.")


def _check_length(
    lines: Segments, position: int, system: str | None, found: dict[str, list[float]], n_segments: int
) -> None:
    if system is not None and len(found[system]) != n_segments:
        count, expected = len(found[system]), "one score a segment was expected, None where there is none"
        problem = f"the scores of {excerpt(system)} end here after {count:,}, but there are {n_segments:,} segments"
        problem += f": {expected}."
        raise lines.fault("count-mismatch", position, problem, found=str(count), expected=str(n_segments))
