"""A test set and its translations, checked and laid out as one frame; every reader ends here."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from mtworkbench.assumptions import Doubt
from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.alignment import check_counts
from mtworkbench.outputs.checks.characters import check_characters
from mtworkbench.outputs.checks.frames import ACCEPTED, FILES, KNOWN_DOCUMENTS, NOTES, Runs, sort_references
from mtworkbench.outputs.checks.known_documents import recognize_documents
from mtworkbench.outputs.checks.names import check_system_names, notice_look_alikes
from mtworkbench.outputs.checks.oddities import KINDS, Oddity, make_doubts, notice_oddities, weigh_share
from mtworkbench.outputs.checks.relations import find_relations
from mtworkbench.outputs.checks.repeats import check_repeats
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.checks.segments import Corpus, Segments, change_texts
from mtworkbench.outputs.checks.traits import are_decimals, refuse_json_objects, refuse_scores


def make_frame(corpus: Corpus, report: Report) -> pd.DataFrame:
    """Check a corpus and lay it out as an outputs frame; for errors see `check_corpus`."""
    corpus = check_corpus(corpus, report)
    frame = _lay_out(corpus, corpus.numbered_runs)
    if files := corpus.files:
        frame.attrs[FILES] = files
    return frame


class RunFrames(Runs):
    """The frames of single runs, each laid out when it is asked for; together they are the outputs frame.

    Parameters
    ----------
    corpus : Corpus
        As `check_corpus` returns it; without further columns.

    Attributes
    ----------
    doubts : tuple of Doubt
        What seems wrong with the texts.
    """

    def __init__(self, corpus: Corpus):
        self._corpus = corpus
        self._runs = corpus.numbered_runs
        self.doubts = tuple(corpus.doubts)
        self._files = corpus.files

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, position: int) -> pd.DataFrame:
        rows, system = _lay_out(self._corpus, [self._runs[position]]), self._runs[position][0]
        if system in self._files:  # of no other system: pandas copies all of it with every column that is taken
            rows.attrs[FILES] = {system: self._files[system]}
        return rows


def check_corpus(corpus: Corpus, report: Report) -> Corpus:
    """Check a corpus; return it with the changes that were accepted, such as normalization.

    Where it has no documents, those of a public test set are recognized: see `recognize_documents`.

    Every check goes through the runs one by one, so their texts may be read on demand.

    Raises
    ------
    InputError
        Where a part is empty or not aligned with the first reference, holds what is no text, or lacks a reference or a
        hypothesis, and where segments repeat; see ``check_counts``, ``check_characters``, ``check_repeats``.
    """
    check_system_names(corpus.systems)
    notice_look_alikes(corpus.systems, "systems", report)
    first = corpus.references[0]
    if not len(first):
        raise InputError("no-segments", f"{first.label} has no segments: at least one was expected.", path=first.path)
    check_counts(first, corpus.translations)
    check_counts(first, corpus.labels, same_language=False)
    no_scores = set() if are_decimals(first.texts) else {*corpus.hypotheses}
    characters: dict[Segments, list[Oddity]] = {}
    for segments in dict.fromkeys([*corpus.translations, *corpus.labels]):
        of_texts = check_characters(segments, report)
        notice_oddities(of_texts, report)
        refuse_json_objects(segments, report)
        if segments in no_scores:
            refuse_scores(segments)
        characters[segments] = of_texts
    as_read = corpus.translations
    if report.accepts("nfc"):
        corpus = _normalize(corpus, report)
    corpus = replace(corpus, references=_settle_references(corpus, report))
    found: list[Oddity] = []
    for run in corpus.hypotheses:
        _notice_absent_hypotheses(run, corpus.complete, report)
        found += _find_empty_hypotheses(run)
    if corpus.source is not None:
        _notice_empty_source(corpus.source, report)
    if corpus.documents is not None and KNOWN_DOCUMENTS not in corpus.further:  # those may stand in any order
        check_documents(corpus.documents, report)
    if corpus.domains is not None:
        notice_look_alikes(_filled_names(corpus.domains, "domain"), "domains", report, corpus.domains)
    found += _relate(corpus, report)
    notice_oddities(found, report)
    now = dict(zip(as_read, corpus.translations, strict=True))  # normalized, perhaps, or without some references
    found += [replace(odd, segments=now[one]) for one in now for odd in characters[one]]
    corpus = replace(corpus, doubts=make_doubts(found, corpus, range(1, 1 + len(first)), report.accepted))
    return _with_known_documents(corpus) if corpus.documents is None else corpus


def _relate(corpus: Corpus, report: Report) -> list[Oddity]:
    """Find what is odd about the texts beside each other, and refuse too many repeated segments."""
    found = check_repeats(corpus, report)
    related, warnings = find_relations(corpus)
    for warning in warnings:
        report.notice(warning.code, str(warning), path=warning.path, count=warning.count)
    return found + related


def look_again(runs: Runs) -> tuple[Doubt, ...]:
    """Return the doubts about outputs: those of the reader, or those about the texts that a frame has now.

    A frame may have been changed since it was read, or made by hand. What was found in texts that are still the same is
    remembered (`find_relations`), so that a second look takes little time.

    Parameters
    ----------
    runs : sequence of DataFrame
        See `RunFrames` and `FrameRuns`.
    """
    if isinstance(runs, RunFrames):
        return runs.doubts
    first = runs[0]
    if not {"hypothesis", "reference"} <= {*first.columns}:
        return ()
    accepted = first[ACCEPTED].iloc[0].split(", ") if ACCEPTED in first.columns else ()
    corpus, found = find_again(runs)
    return make_doubts(found, corpus, first["segment"].to_numpy(), accepted)


def find_again(runs: Runs) -> tuple[Corpus, list[Oddity]]:
    """Find what is odd about the texts of outputs as they are now; the positions are those of the segments there.

    Parameters
    ----------
    runs : sequence of DataFrame
        With hypotheses and references.
    """
    first = runs[0]
    numbers = first["segment"].to_numpy()

    def take(column: str, rows: pd.DataFrame, label: str) -> Segments:
        texts = [text if isinstance(text, str) else None for text in rows[column].tolist()]
        return Segments(texts, label, lines=numbers)

    systems: dict[str, list[Segments]] = {}
    for rows in runs:
        system = rows["system"].iloc[0]
        systems.setdefault(system, []).append(take("hypothesis", rows, system))
    corpus = Corpus(
        references=[take(name, first, name) for name in sort_references(first.columns)],
        systems=systems,
        source=take("source", first, "source") if "source" in first.columns else None,
    )
    report = Report(("huge-line", "repeated-segments"))  # it is too late to refuse them
    found = [odd for _, run in corpus.runs for odd in _find_empty_hypotheses(run)]
    found += _relate(corpus, report)
    found += [odd for one in corpus.translations for odd in check_characters(one, report)]
    return corpus, found


def _with_known_documents(corpus: Corpus) -> Corpus:
    """Fill in the documents of a public test set, if it is one."""
    known = recognize_documents([one.texts for one in corpus.references])
    if known is None:
        return corpus
    return replace(corpus, documents=Segments(known.labels, "the documents"), known_documents=known.origin)


def _settle_references(corpus: Corpus, report: Report) -> list[Segments]:
    references = corpus.references
    empty = {one: positions for one in references if (positions := one.empty)}
    if empty:
        references = _settle_empty_references(references, empty, report)
    lacking = [i for i in references[0].absent if all(one.texts[i] is None for one in references)]
    if lacking and (empty or corpus.complete):
        problem = "this segment has no reference at all: at least one was expected; leave the segment out everywhere."
        raise references[0].fault("empty-ref" if empty else "null-segment", lacking[0], problem)
    if lacking:
        count = f"{len(lacking):,} of {len(references[0]):,}"
        message = f"{count} segments have no reference ({references[0].label}): leave them out of what needs one."
        references[0].notice(report, "no-ref", message, count=len(lacking))
    return list(references)


def _settle_empty_references(
    references: Sequence[Segments], empty: Mapping[Segments, list[int]], report: Report
) -> list[Segments]:
    count = sum(map(len, empty.values()))
    one, positions = next(iter(empty.items()))
    what = f"{one.label} has {len(positions):,} empty references ({_positions(one, positions)})"
    if len(empty) > 1:
        what += f", and {len(empty) - 1:,} more references have {count - len(positions):,}"
    accepted = next((code for code in ("empty-ref", "absent-ref") if report.accepts(code)), None)
    if accepted is None:
        raise InputError(
            "empty-ref",
            f"{what}: text was expected; accept 'empty-ref' to score them as empty text, or 'absent-ref' where an "
            "empty line means that the segment has no such reference.",
            path=one.path,
            line=one.line(positions[0]),
        )
    meaning = "are scored as empty text" if accepted == "empty-ref" else "mean that a segment has no such reference"
    one.notice(report, accepted, f"{what}: they {meaning}, as accepted.", positions[0], count)
    if accepted == "empty-ref":
        return list(references)
    return [_without(one, empty[one]) if one in empty else one for one in references]


def _without(segments: Segments, positions: list[int]) -> Segments:
    absent = set(positions)
    return replace(segments, texts=[None if i in absent else text for i, text in enumerate(segments.texts)])


def _positions(segments: Segments, positions: Sequence[int]) -> str:
    lines = ", ".join(f"{segments.line(position):,}" for position in positions[:10])
    more = f" and {len(positions) - 10:,} more" if len(positions) > 10 else ""
    unit = {"line": "lines", "entry": "entries"}[segments.unit] if len(positions) > 1 else segments.unit
    return f"{unit} {lines}{more}"


def _notice_absent_hypotheses(run: Segments, complete: bool, report: Report) -> None:
    absent = run.absent
    if absent and complete:
        problem = f"there is no hypothesis (index {absent[0]:,}): text was expected"
        raise run.fault("null-segment", absent[0], f"{problem}, empty text where the system said nothing.")
    if absent:
        count = f"{len(absent):,} of {len(run):,}"
        message = f"{run.label} has no hypothesis for {count} segments, which were marked as missing, as accepted."
        together = (
            "{places} outputs have no hypothesis for {count} segments in all, which were marked as missing, as "
            "accepted: {list}."
        )
        run.notice(report, "incomplete-system", message, None, len(absent), together)


def _find_empty_hypotheses(run: Segments) -> Iterator[Oddity]:
    empty = run.empty
    if len(empty) == len(run):
        yield KINDS["all-empty"].found_in(run, empty)
    elif empty:
        yield KINDS["empty-hyp"].found_in(run, empty, gravity=weigh_share(len(empty), len(run)))


def _notice_empty_source(source: Segments, report: Report) -> None:
    empty = sorted([*source.absent, *source.empty])
    if empty:
        count = f"{len(empty):,} of {len(source):,}"
        message = f"{count} segments of {source.label} are empty ({_positions(source, empty)})."
        source.notice(report, "empty-source", message, empty[0], len(empty))


def check_documents(documents: Segments, report: Report) -> None:
    """Refuse documents without a name, and documents that stand in two places unless that was accepted.

    Raises
    ------
    InputError
        ``empty-document``, ``non-contiguous``.
    """
    notice_look_alikes(_filled_names(documents, "document"), "documents", report, documents)
    last: dict[str | None, int] = {}
    apart = []
    for position, name in enumerate(documents.texts):
        if name in last and last[name] != position - 1:
            apart.append((last[name], position))
        last[name] = position
    if not apart:
        return
    before, after = apart[0]
    places = f"{documents.unit} {documents.line(before):,} and again in {documents.unit} {documents.line(after):,}"
    what = f"document {excerpt(documents.texts[after])} stands in {places}, with others between"
    if not report.accepts("non-contiguous"):
        hint = "is the order right, and do two documents have one name? Accept 'non-contiguous' to take the parts"
        raise documents.fault("non-contiguous", after, f"{what}; {hint} as one document.")
    message = f"{documents.label}: {what}; {len(apart):,} such places, taken as one document each, as accepted."
    documents.notice(report, "non-contiguous", message, after, len(apart))


def _filled_names(names: Segments, what: str) -> list[str]:
    """Return the names, or refuse them where one is empty."""
    filled = []
    for position, name in enumerate(names.texts):
        if name is None or not name.strip():
            raise names.fault(f"empty-{what}", position, f"the {what} has no name: every segment needs one.")
        filled.append(name)
    return filled


def _normalize(corpus: Corpus, report: Report) -> Corpus:
    def normalize_all(texts: Sequence[str | None]) -> list[str | None]:
        return [None if text is None else unicodedata.normalize("NFC", text) for text in texts]

    def normalize(segments: Segments) -> Segments:
        texts = change_texts(segments.texts, normalize_all)
        changed = [i for i, (new, old) in enumerate(zip(texts, segments.texts, strict=True)) if new != old]
        if changed:
            count = f"{len(changed):,} of {len(texts):,}"
            message = f"{count} segments of {segments.label} were normalized to NFC, as accepted."
            together = "{count} segments of {places} inputs were normalized to NFC, as accepted: {list}."
            segments.notice(report, "nfc", message, changed[0], len(changed), together)
        return replace(segments, texts=texts)

    return replace(
        corpus,
        references=[normalize(one) for one in corpus.references],
        systems={system: [normalize(run) for run in runs] for system, runs in corpus.systems.items()},
        source=None if corpus.source is None else normalize(corpus.source),
        normalization="nfc",
    )


def _lay_out(corpus: Corpus, runs: Sequence[tuple[str, int, Segments]]) -> pd.DataFrame:
    n_segments = len(corpus.references[0])
    columns: dict[str, object] = {}

    def share(name: str, segments: Segments | None) -> None:
        if segments is not None:
            columns[name] = text_column(np.tile(_objects(segments.texts), len(runs)))

    share("document", corpus.documents)
    columns["segment"] = np.tile(np.arange(1, n_segments + 1, dtype=np.int64), len(runs))
    share("source", corpus.source)
    share("domain", corpus.domains)
    for number, reference in enumerate(corpus.references, start=1):
        share("reference" if number == 1 else f"reference_{number}", reference)
    names = _objects([system for system, _, _ in runs])
    numbers = np.array([number for _, number, _ in runs], dtype=np.int64)
    columns["system"] = text_column(np.repeat(names, n_segments))
    columns["run"] = np.repeat(numbers, n_segments)
    further = dict(corpus.further)
    if "run_name" in further:  # where it stands without a table, too
        columns["run_name"] = text_or_numbers(further.pop("run_name"))
    elif corpus.run_names:
        named = {system: dict(enumerate(own, start=1)) for system, own in corpus.run_names.items()}
        # A single run needs no name; of several that have none, nothing is known.
        single = {system for system, own in corpus.systems.items() if len(own) == 1}
        names_of_runs = [
            named.get(system, {}).get(number, str(number) if system in single else "") for system, number, _ in runs
        ]
        columns["run_name"] = text_column(np.repeat(_objects(names_of_runs), n_segments))
    columns["hypothesis"] = text_column(np.concatenate([_objects(run.texts) for _, _, run in runs]))
    for note in NOTES:
        if (text := getattr(corpus, note, None)) is not None:
            columns[note] = text_column(np.full(n_segments * len(runs), text, dtype=object))
    for name, values in further.items():
        columns[name] = text_or_numbers(values)
    return pd.DataFrame(columns, copy=False)


def _objects(texts: Sequence[str | None]) -> np.ndarray:
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def text_or_numbers(values: Sequence[str | None] | np.ndarray) -> pd.Series | np.ndarray:
    """Make a column of texts, or leave one of numbers as it is."""
    return values if isinstance(values, np.ndarray) else text_column(values)


def text_column(texts: Sequence[str | None] | np.ndarray) -> pd.Series:
    """Make a column of texts that stay the Python strings they are."""
    # Without the dtype, pandas 3 would copy the texts into a string column of its own.
    return pd.Series(texts if isinstance(texts, np.ndarray) else _objects(texts), dtype=object, copy=False)
