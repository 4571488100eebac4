"""Outputs as plain text, one segment per line, and as lists."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.alignment import Read, trailing_blanks, trim_trailing_blanks
from mtworkbench.outputs.checks.corpus import RunFrames, check_corpus, make_frame
from mtworkbench.outputs.checks.names import collect_systems
from mtworkbench.outputs.checks.report import Report, excerpt, fault
from mtworkbench.outputs.checks.segments import Corpus, Lines, Segments, Texts, TextsOnDemand
from mtworkbench.outputs.checks.traits import refuse_json_objects
from mtworkbench.outputs.files.bytes import Path, find_file, find_files, version_of
from mtworkbench.outputs.files.fairseq import is_fairseq, take_hypotheses, take_targets
from mtworkbench.outputs.files.folders import name_folder
from mtworkbench.outputs.files.lines import read_segments
from mtworkbench.outputs.files.naming import number_runs, sort_runs
from mtworkbench.outputs.markup import refuse_markup

#: The texts of one run of a system, or of each of its runs.
Runs = Sequence[str] | Sequence[Sequence[str]]
#: The files of systems; or the folder that they are in.
Systems = Mapping[str, Path | Sequence[Path]] | Iterable[tuple[str, Path | Sequence[Path]]] | Path


def read_outputs(
    reference: Path | Sequence[Path],
    systems: Systems,
    *,
    source: Path | None = None,
    documents: Path | None = None,
    domains: Path | None = None,
    accept: Collection[str] = (),
) -> pd.DataFrame:
    r"""Read the outputs of systems from plain text files, one segment per line.

    Files are UTF-8; lines end at ``\n`` or ``\r\n`` only. Files compressed with gzip, xz, bzip2 or, with the extra
    ``formats``, zstandard are known by their content; of a zip or tar archive that holds one file, this is read.
    Nothing is dropped or repaired in silence: what was noticed is warned about, and what makes a wrong number is
    refused.

    Parameters
    ----------
    reference : path, or list of paths
        One reference, or several. A glob is taken too, in natural order.
    systems : mapping of str to path, list of paths, or glob; or pairs of these; or the path of a folder
        The outputs of each system. Several files are runs of it, in the order of the numbers in their names, such as
        ``opt2`` and ``opt10`` (also ``run``, ``rep``, ``seed`` and ``trial``), else in the order given; the files of a
        glob come in natural order. A folder stands for the files in it, apart from the references,
        source, documents and domains, or for the files of one name in the folders in it, as in ``base/pred.txt`` and
        ``new/pred.txt``: each is a system, named by what the paths do not share, or a run of one where names such as
        ``base.opt0``, ``base.opt1``, ``new.opt0``, ``new.opt1``, or folders such as ``base/seed42``, leave no doubt.
        Of what fairseq-generate wrote (``generate-test.txt``), the best hypotheses are read.
    source, documents, domains : path, optional
        Files with the source, the document id and the domain of each segment, one per line. Documents may come with
        domains: domain, tab, document, as in the ``.docs`` files of mt-metrics-eval and WMT24. Without documents, those
        of a public test set are recognized from its references (docs/known-documents.md).
    accept : collection of str, default ()
        Faults that have been looked at and are accepted: ``"trailing-blank"`` drops empty lines at the end of a file;
        ``"empty-ref"`` scores an empty reference as empty text; ``"absent-ref"`` takes an empty line of a reference
        file to mean that the segment has no such reference; ``"nfc"`` normalizes all text; ``"non-contiguous"`` takes
        the parts of a document that stand apart as one; ``"repeated-segments"`` keeps segments that repeat earlier
        ones, however many; ``"json-lines"`` scores lines that are JSON objects as they are; ``"huge-line"`` and
        ``"too-large"`` lift the bounds on size. Any doubt about the data can be accepted by its code, such as
        ``"html-entities"``: then there is no warning, and comparisons say it in their signature and data alone.

    Returns
    -------
    DataFrame
        One row per (system, run, segment), system by system and run by run in the order given, segments in the order of
        the reference file; columns ``document``, ``segment``, ``source``, ``domain`` (each where known), ``reference``,
        ``reference_2`` ..., ``system``, ``run``, ``hypothesis``, ``normalization`` where ``"nfc"`` was accepted, and
        ``known_documents``, the test set from which documents were recognized, where they were. A column
        ``accepted_doubts`` has the codes of the doubts that were found and accepted. ``run`` counts from 1; where the
        names of files give numbers, these are in the column ``run_name``. See `check_outputs`.

    Raises
    ------
    InputError
        Where the files cannot be read, are not text, or are not aligned; where every line is a JSON object
        (``json-lines``); where a quarter of the segments or more repeat earlier ones, with the same references, source
        and outputs of all systems (``repeated-segments``). Its ``code`` names the fault.

    Warns
    -----
    DataWarning
        For what was noticed: control characters, empty hypotheses, copies, repeated segments (from 5 % on), and what
        makes files other than they seem: another order than the reference's (``suspected-shift``, ``suspected-order``),
        tokenized outputs of a raw reference or the reverse (``tokenization``), n-best lists, JSON or numbered lines,
        pieces of words, characters that were lost or misread, untranslated outputs, names that look alike ...

    See Also
    --------
    make_outputs : the same from lists.
    read_table : the same from a table.

    Examples
    --------
    >>> import mtworkbench as mtw
    >>> outputs = mtw.read_outputs("ref.txt", {"base": "hyps.base.opt*", "new": "hyps.new.opt*"})
    >>> sorted(set(outputs["system"])), sorted(set(outputs["run"]))
    (['base', 'new'], [1, 2, 3])
    """
    report = Report(accept)
    labels = {"source": source, "documents": documents, "domains": domains}
    outputs = make_frame(read_corpus(reference, systems, labels, report), report)
    report.warn()
    return outputs


def read_run_by_run(
    reference: Path | Sequence[Path], systems: Systems, *, accept: Collection[str] = (), **labels: Path | None
) -> RunFrames:
    """Read outputs with all checks of `read_outputs`, but lay them out run by run.

    Of the outputs, only the texts of one run at a time are held; a file is read again whenever it is needed again.

    Parameters
    ----------
    reference, systems, accept
        Of `read_outputs`.
    **labels : path, optional
        Its ``source``, ``documents`` and ``domains``.

    Returns
    -------
    RunFrames
        The parts of the frame of `read_outputs`, one per run.

    Raises
    ------
    InputError
        Those of `read_outputs`; ``file-changed``, also when a frame is asked for, where a file is no longer what was
        checked.

    Warns
    -----
    DataWarning
        Those of `read_outputs`.
    """
    report = Report(accept)
    runs = hold_runs(reference, systems, labels, report)
    report.warn()
    return runs


def hold_runs(
    reference: Path | Sequence[Path],
    systems: Systems,
    labels: Mapping[str, Path | None],
    report: Report,
    unnamed: Collection[str] = (),
) -> RunFrames:
    """Read and check a corpus as `read_run_by_run` does; for the other arguments see `read_corpus`."""
    read = partial(_read_on_demand, shelf={})
    return RunFrames(check_corpus(read_corpus(reference, systems, labels, report, read, unnamed), report))


def read_corpus(
    reference: Path | Sequence[Path],
    systems: Systems,
    labels: Mapping[str, Path | None],
    report: Report,
    read_run: Callable[[str, Report], Segments] | None = None,
    unnamed: Collection[str] = (),
) -> Corpus:
    """Read a corpus.

    ``labels`` are source, documents and domains; runs are read by ``read_run`` where it is given. Those of ``unnamed``
    systems have no numbers, whatever their files are called.
    """
    gathered = gather_outputs(systems, {"reference": reference, **labels}, report)
    files = {system: find_files(named, f"System {excerpt(system)}") for system, named in gathered.items()}
    run_names: dict[str, list[str]] = {}
    for system, paths in files.items():
        if len(paths) > 1 and system not in unnamed and (numbers := number_runs(paths)) is not None:
            files[system] = sort_runs(paths)
            run_names[system] = [str(number) for number in sorted(numbers)]
    cache: dict[str, Segments] = {}

    def read(path: str, read_it: Callable[[str, Report], Segments] = read_translations) -> Segments:
        # A file that is given twice, as reference and as output, is read and warned of once.
        if path not in cache:
            cache[path] = read_it(path, report)
        return cache[path]

    corpus = Corpus(
        references=[
            _read_targets(path, report) if is_fairseq(path) else read(path)
            for path in find_files(reference, "The reference")
        ],
        systems={
            system: [read(path, read_run or read_translations) for path in paths] for system, paths in files.items()
        },
        run_names=run_names,
    )
    named = {name: path for name, path in labels.items() if path is not None}
    known: dict[str, Any] = {name: read(find_file(path, f"The {name}")) for name, path in named.items()}
    if (documents := known.get("documents")) is not None and all(line.count("\t") == 1 for line in documents.texts):
        domains, known["documents"] = split_documents(documents)
        known.setdefault("domains", domains)
        message = f"Each line of {documents.label} was read as a domain, a tab and a document."
        report.notice("dialect", message, path=documents.path)
    return _trim(replace(corpus, **known), report)


def split_documents(lines: Lines) -> tuple[Segments, Segments]:
    """Split the lines of a file of documents of mt-metrics-eval: domain, tab, document."""
    domains, documents = [], []
    for position, line in enumerate(lines.texts):
        domain, tab, document = line.partition("\t")
        if not tab or "\t" in document:
            raise lines.fault("columns", position, f"{excerpt(line)}: a domain, a tab and a document were expected.")
        domains.append(domain)
        documents.append(document)
    return Segments(domains, lines.label, lines.path), Segments(documents, lines.label, lines.path)


def _read_targets(path: str, report: Report) -> Lines:
    """Read the targets among what fairseq wrote, which need not be the reference letter by letter: it is said."""
    segments = take_targets(read_segments(path, report))
    message = f"The reference was taken from the targets (T-) in {segments.label}. Words that fairseq's "
    report.notice(
        "fairseq", f"{message}vocabulary lacks are <unk> there: better give the reference's own file.", path=path
    )
    return segments


def read_translations(path: str, report: Report) -> Lines:
    """Read the translations in a file of plain text, or those that fairseq wrote; refuse markup and JSON."""
    return _refuse_other_files(take_hypotheses(read_segments(path, report)), path, report)


def _refuse_other_files(segments: Read, path: str, report: Report) -> Read:
    refuse_markup(segments.texts, path)
    refuse_json_objects(segments, report)  # now, because a file of JSON need not have as many lines as another of text
    return segments


def _read_on_demand(path: str, report: Report, shelf: dict[object, Texts]) -> Segments:
    """Read a file, and again whenever its texts are needed but not held; what is noticed is noticed once."""
    version = version_of(path)

    def read_again() -> Texts:
        if version_of(path) != version:
            raise fault(path, "file-changed", "was changed while it was in use: try again when nothing writes to it.")
        return take_hypotheses(read_segments(path, Report(report.accepted))).texts

    shelf.clear()
    read = take_hypotheses(read_segments(path, report))
    segments = Segments(TextsOnDemand(read.texts, read_again, shelf), read.label, path, read.lines)
    return _refuse_other_files(segments.look_over(), path, report)


def gather_outputs(
    systems: Systems, others: Mapping[str, Path | Sequence[Path] | None], report: Report
) -> Mapping[str, Path | Sequence[Path]]:
    """Collect the outputs of each system; those of a folder are named by their files, without those of ``others``."""
    if not isinstance(systems, (str, os.PathLike)) or not os.path.isdir(systems):
        return collect_systems(systems)
    given = {what: named for what, named in others.items() if named is not None}
    beside = [file for what, named in given.items() for file in find_files(named, f"The {what}")]
    return name_folder(os.fspath(systems), beside, report)


def make_outputs(
    references: Sequence[str | None] | Sequence[Sequence[str | None]],
    systems: Mapping[str, Runs] | Iterable[tuple[str, Runs]],
    *,
    source: Sequence[str] | None = None,
    documents: Sequence[str] | None = None,
    domains: Sequence[str] | None = None,
    accept: Collection[str] = (),
) -> pd.DataFrame:
    """Make an outputs frame from lists of texts, with the checks of `read_outputs`.

    Parameters
    ----------
    references : list of str, or list of lists of str
        One reference, or one list per reference; None where a segment has no such reference.
    systems : mapping of str to list of str or list of lists of str; or pairs of these
        The outputs of each system, or one list per run.
    source, documents, domains : list of str, optional
        The source, the document id and the domain of each segment.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`.

    Returns
    -------
    DataFrame
        As of `read_outputs`.

    Raises
    ------
    InputError
        ``not-a-list``, ``ref-shape`` for one list per segment, ``null-segment``, ``not-text``, and those of
        `read_outputs`.

    Warns
    -----
    DataWarning
        For what was noticed.

    Examples
    --------
    >>> import mtworkbench as mtw
    >>> outputs = mtw.make_outputs(["the cat", "a dog"], {"base": ["the cat", "dog"]})
    >>> outputs[["segment", "reference", "system", "run", "hypothesis"]].values.tolist()
    [[1, 'the cat', 'base', 1, 'the cat'], [2, 'a dog', 'base', 1, 'dog']]
    """
    report = Report(accept)
    named = collect_systems(systems)
    corpus = Corpus(
        references=_read_lists(references, "the references", "the reference", "reference"),
        systems={system: _read_runs(texts, f"system {excerpt(system)}") for system, texts in named.items()},
    )
    labels = {"source": source, "documents": documents, "domains": domains}
    known: dict[str, Any] = {name: _texts(texts, f"the {name}") for name, texts in labels.items() if texts is not None}
    corpus = replace(corpus, **known)
    _refuse_transposed(corpus)
    outputs = make_frame(_trim(corpus, report), report)
    report.warn()
    return outputs


def _trim(corpus: Corpus, report: Report) -> Corpus:
    _refuse_blank_ends(corpus, report)
    trimmed = iter(trim_trailing_blanks([*corpus.translations, *corpus.labels], report))
    return replace(
        corpus,
        references=[next(trimmed) for _ in corpus.references],
        systems={system: [next(trimmed) for _ in runs] for system, runs in corpus.systems.items()},
        source=corpus.source and next(trimmed),
        documents=corpus.documents and next(trimmed),
        domains=corpus.domains and next(trimmed),
    )


def _refuse_blank_ends(corpus: Corpus, report: Report) -> None:
    """Refuse an empty last line of all files: it is no segment, but would count as one."""
    files = [*corpus.translations, *corpus.labels]
    if any(map(report.accepts, ("trailing-blank", "empty-ref", "absent-ref"))):
        return
    if len({len(one) for one in files}) > 1 or not all(0 < trailing_blanks(one) < len(one) for one in files):
        return
    count = min(map(trailing_blanks, files))
    what = "files" if files[0].path else "lists"
    last = f"the last {'line' if count == 1 else f'{count:,} lines'} of this and all other {what}"
    hint = f"accept 'trailing-blank' to drop {'it' if count == 1 else 'them'}, or 'empty-ref' to score empty texts"
    first = files[0]
    problem = f"{last} {'is' if count == 1 else 'are'} empty"
    position = len(first) - count
    raise first.fault("empty-ref", position, f"{problem}: text was expected; {hint}.", hint=hint)


def _read_runs(texts: object, whose: str) -> list[Segments]:
    return _read_lists(texts, whose, whose, f"{whose}, run")


def _read_lists(texts: object, whose: str, only: str, each: str) -> list[Segments]:
    """Read one list of texts or several; a message calls all ``whose``, a single one ``only``, and several ``each``."""
    outer = _as_list(texts, whose)
    if any(isinstance(one, (list, tuple, pd.Series, np.ndarray)) for one in outer):
        lists = [_as_list(one, f"part of {whose}") for one in outer]
    else:
        lists = [outer]
    labels = [only] if len(lists) == 1 else [f"{each} {number}" for number in range(1, len(lists) + 1)]
    return list(map(_texts, lists, labels))


def _as_list(texts: object, whose: str) -> list:
    if isinstance(texts, (str, bytes)) or not isinstance(texts, (Sequence, pd.Series, pd.Index, np.ndarray)):
        hint = "put it into a list" if isinstance(texts, str) else None
        problem = f"{excerpt(texts)} was given for {whose}: a list of texts was expected, one per segment"
        message, found = f"{problem}; {hint}." if hint else f"{problem}.", type(texts).__name__
        raise InputError("not-a-list", message, found=found, expected="list", hint=hint)
    return list(texts)


def _texts(texts: object, label: str) -> Segments:
    found = _as_list(texts, label)
    segments = Segments([str(text) if isinstance(text, str) else text for text in found], label)
    for position, text in enumerate(found):
        if text is not None and not isinstance(text, str):
            problem = f"{excerpt(text)} is a {type(text).__name__} (index {position:,})"
            expected = "text was expected, or None where a segment has no such reference"
            raise segments.fault("not-text", position, f"{problem}: {expected}.")
    return segments


def _refuse_transposed(corpus: Corpus) -> None:
    references, n_segments = corpus.references, len(corpus.translations[-1])
    lengths = {len(one) for one in references}
    if len(references) != n_segments or len(lengths) != 1 or lengths == {n_segments}:
        return
    hint = "did you mean [refs]?" if lengths == {1} else "did you mean list(zip(*references))?"
    problem = f"There are {len(references):,} references of {lengths.pop():,} segments, but {n_segments:,} hypotheses"
    expected = "one list per reference was expected, not one list per segment"
    raise InputError("ref-shape", f"{problem}: {expected}; {hint}", hint=hint)
