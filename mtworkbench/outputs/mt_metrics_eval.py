"""Folders in the layout of Google's mt-metrics-eval: outputs with human and metric scores of their segments."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path as _Path

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.corpus import make_frame
from mtworkbench.outputs.checks.names import choose_from, choose_pair, choose_references
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.checks.segments import Corpus, Lines
from mtworkbench.outputs.files.bytes import Path, find_files, natural_order
from mtworkbench.outputs.files.lines import read_segments
from mtworkbench.outputs.scores.seg_score import SEG_SCORE, interpret_scores, name_of_scores
from mtworkbench.outputs.tabular.rows import note_direction
from mtworkbench.outputs.text import split_documents
from mtworkbench.wording import name_some


def read_mt_metrics_eval(
    folder: Path,
    language_pair: str | None = None,
    *,
    references: Sequence[str] | None = None,
    scores: Path | Sequence[Path] | None = None,
    systems: Sequence[str] | None = None,
    accept: Collection[str] = (),
) -> pd.DataFrame:
    """Read one language pair of a test set of mt-metrics-eval, with the scores of its segments.

    Parameters
    ----------
    folder : path
        The folder of the test set, with ``system-outputs/``, ``references/`` and, where they are known, ``sources/``,
        ``documents/``, ``human-scores/``, ``metric-scores/``.
    language_pair : str, optional
        Such as ``"en-de"``; needed where there are several.
    references : list of str, optional
        The references taken (``"refA"``), in this order; without it all, in natural order.
    scores : path, or list of paths, optional
        Further ``.seg.score`` files, or a glob; their columns are named as by `read_scores`.
    systems : list of str, optional
        Only these systems, in this order: names, or patterns such as ``"online-*"``.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`. ``"unknown-system"`` leaves out scores of
        systems that have no outputs.

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
        ``not-a-folder``, ``not-a-test-set`` where it has no ``system-outputs/``, ``unknown-pair``,
        ``unknown-reference``; ``score-file`` for a line that is not a system, a tab and a score, ``bad-number``,
        ``unknown-system``, ``interleaved-systems``, ``count-mismatch`` for a system with too few or too many scores,
        ``columns`` for two score files of one name; and those of `read_outputs`.

    Warns
    -----
    DataWarning
        ``missing-score`` for segments without a score, ``unrated-system`` for systems that a file does not have, with
        their numbers, and ``unknown-system`` where that was accepted; and for what else was noticed.

    Examples
    --------
    >>> outputs = read_mt_metrics_eval("mt-metrics-eval-v2/wmt23", "en-de")  # doctest: +SKIP
    >>> outputs.groupby("system")["mqm"].mean()  # doctest: +SKIP
    """
    report = Report(accept)
    root = _folder(folder)
    language_pair = _choose_pair(root, language_pair)
    files_of = {path.stem: path for path in _system_files(root, language_pair)}
    texts = {name: [read_segments(str(path), report)] for name, path in choose_from(files_of, systems).items()}
    documents = domains = None
    if (labels := root / "documents" / f"{language_pair}.docs").exists():
        domains, documents = split_documents(read_segments(str(labels), report))
    source = root / "sources" / f"{language_pair}.txt"
    corpus = Corpus(
        references=[read_segments(str(path), report) for path in _reference_files(root, language_pair, references)],
        systems=texts,
        source=read_segments(str(source), report) if source.exists() else None,
        documents=documents,
        domains=domains,
    )
    outputs = make_frame(corpus, report)
    files = _score_files(root, language_pair)
    left_out = files_of.keys() - texts.keys()
    if scores is not None:
        files += [(name_of_scores(path), _Path(path)) for path in find_files(scores, "The scores")]
    for name, path in files:
        if name in outputs.columns:
            problem = f"would make a second column {excerpt(name)}: names of score files must differ"
            raise fault(path, "columns", f"{problem} from each other and from the columns of outputs.")
        lines = _of_systems(read_segments(str(path), report), files_of, report)
        lines = lines.take(place for place, one in enumerate(lines.texts) if _system_of(one) not in left_out)
        n_segments = len(outputs) // len(texts)
        outputs[name] = interpret_scores(lines, list(texts), n_segments, report)
        if path == root / "human-scores" / f"{language_pair}.mqm{SEG_SCORE}":
            note_direction(outputs, "mqm", "up")
    report.warn()
    return outputs


def _choose_pair(root: _Path, named: str | None) -> str:
    outputs = root / "system-outputs"
    return choose_pair(sorted(path.name for path in outputs.iterdir() if path.is_dir()), named, str(outputs))


def _folder(folder: Path) -> _Path:
    try:
        root = _Path(os.fsdecode(folder))
        is_folder = root.is_dir()
    except (TypeError, ValueError, OSError):
        is_folder = False
    if not is_folder:
        raise InputError("not-a-folder", f"{excerpt(folder)} is not a folder: that of a test set was expected.")
    if not (root / "system-outputs").is_dir():
        around = [*root.absolute().parents[:2], *sorted(root.iterdir())]
        sets = [shown(path) for path in around if os.path.isdir(path / "system-outputs")]
        remedy = f", such as {sets[0]}" if sets else ""
        problem = "has no folder 'system-outputs', as a test set of mt-metrics-eval has: name the folder of a test set"
        raise fault(root, "not-a-test-set", f"{problem}{remedy}.")
    return root


def _find(folder: _Path, pattern: str) -> list[_Path]:
    """Return the files of a folder that are called so, in natural order."""
    return sorted(folder.glob(pattern), key=lambda path: natural_order(path.name))


def _system_files(root: _Path, language_pair: str) -> list[_Path]:
    folder = root / "system-outputs" / language_pair
    if not (files := _find(folder, "*.txt")):
        raise InputError("no-match", f"{shown(folder)} has no outputs (*.txt).", path=str(folder.parent))
    return files


def _reference_files(root: _Path, language_pair: str, references: Sequence[str] | None) -> list[_Path]:
    files = _find(root / "references", f"{language_pair}.*.txt")
    there = {path.name.removeprefix(f"{language_pair}.").removesuffix(".txt"): path for path in files}
    names = choose_references(there, references, root / "references", f" for {language_pair}")
    return [there[name] for name in names]


def _score_files(root: _Path, language_pair: str) -> list[tuple[str, _Path]]:
    """Find the files of scores in the folder, with the names of their columns."""
    human = _find(root / "human-scores", f"{language_pair}.*{SEG_SCORE}")
    metrics = _find(root / "metric-scores" / language_pair, f"*{SEG_SCORE}")
    return [(path.name.removesuffix(SEG_SCORE).removeprefix(f"{language_pair}."), path) for path in [*human, *metrics]]


def _of_systems(lines: Lines, systems: Collection[str], report: Report) -> Lines:
    """Leave out the scores of systems without outputs, where that was accepted."""
    named = list(map(_system_of, lines.texts))
    unknown = dict.fromkeys(system for system in named if system is not None and system not in systems)
    if not unknown or len(unknown) == len(set(named)) or not report.accepts("unknown-system"):
        return lines
    names = name_some(list(map(excerpt, unknown)))
    message = f"{lines.label}: scores of systems without outputs were left out, as accepted: {names}."
    together = "{places} files have scores of systems without outputs, which were left out, as accepted: {list}."
    lines.notice(report, "unknown-system", message, None, len(unknown), together)
    return lines.take(place for place, system in enumerate(named) if system not in unknown)


def _system_of(line: str) -> str | None:
    return line.partition("\t")[0] if "\t" in line else None
