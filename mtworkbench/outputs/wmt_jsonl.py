"""WMT's JSON lines, since 2025: a test set with its source and references, and one file of outputs per system.

Sources: wmt-conference/wmt26-general-mt, README.md and data/systems; wmt-conference/wmt25-general-mt, data/systems and
humeval/05-collect_humeval.py, which reads the test set. A line is a document. Its ``doc_id`` begins with the language
pair in 2025 (``en-ru_RU_#_literary_#_...``) and has both languages inside in 2026
(``WMT26_###_news_###_eng_Latn_###_rus_Cyrl_###_...``). A reference is a text, or in 2025 an object with the text in
``ref``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.corpus import make_frame
from mtworkbench.outputs.checks.names import choose_from, choose_pair, choose_references
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.files.bytes import Path, find_file, peek
from mtworkbench.outputs.files.folders import SystemFiles, collect_files
from mtworkbench.outputs.files.json_text import first_keys, keys_of, name_keys, read_objects
from mtworkbench.outputs.files.lines import notice_file
from mtworkbench.outputs.markup import (
    REFERENCE,
    SOURCE,
    SYSTEM,
    Collector,
    Rendering,
    Renderings,
    align,
    by_document,
)
from mtworkbench.outputs.text import read_translations
from mtworkbench.wording import tally

_KEYS = {SOURCE: "src_text", SYSTEM: "hypothesis"}


def read_wmt_jsonl(
    test_set: Path,
    systems: SystemFiles,
    *,
    language_pair: str | None = None,
    references: Sequence[str] | None = None,
    chosen: Sequence[str] | None = None,
    accept: Collection[str] = (),
) -> pd.DataFrame:
    """Read one language pair of a WMT test set and the outputs of systems, as released since 2025.

    Outputs are found by their ``doc_id``; their order does not matter. A segment is a whole document, because the
    paragraphs of different systems need not correspond. Line breaks inside become spaces.

    Parameters
    ----------
    test_set : path
        ``wmt26-genmt.jsonl`` and the like, with ``doc_id``, ``src_text`` and ``refs`` in each line.
    systems : path or list of paths; or mapping of str to path or list of paths; or pairs of these
        Files with ``doc_id`` and ``hypothesis`` in each line; or plain text with one line per document of the language
        pair, in the order of the test set. Without names, systems are named after their files, which are runs where
        names such as ``A.run1.jsonl`` leave no doubt. A folder stands for the files in it.
    language_pair : str, optional
        As the test set has it, such as ``"eng_Latn-rus_Cyrl"`` or ``"en-ru_RU"``; needed where it has several.
    references : list of str, optional
        The references taken (``"refA"``), in this order; without it all that the language pair has.
    chosen : list of str, optional
        Only these systems, in this order: names, or patterns such as ``"Qwen*"``.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`. ``"incomplete-system"`` marks what a
        system has not translated as missing (None): see `common_segments`.

    Returns
    -------
    DataFrame
        As of `read_outputs`, in the order of the test set, with ``document``, ``segment_id`` (1) and, where known,
        ``domain``. A document without a reference is kept, without one.

    Raises
    ------
    InputError
        ``json``, ``columns`` for a line without a key that is needed, ``unknown-pair``, ``unknown-reference``,
        ``no-ref``, ``no-systems``, ``duplicate-doc``, ``incomplete-system``, ``mixed-formats`` for plain text with
        another number of lines, and those of `read_outputs`.

    Warns
    -----
    DataWarning
        ``dialect`` for plain text, ``left-out`` for systems without outputs of this language pair, ``missing-docs`` for
        documents missing from the test set; and for what else was noticed.

    Examples
    --------
    >>> outputs = read_wmt_jsonl(
    ...     "wmt26-genmt.jsonl", "systems/*.jsonl", language_pair="eng_Latn-rus_Cyrl"
    ... )  # doctest: +SKIP
    """
    report = Report(accept)
    file = find_file(test_set, "The test set")
    entries = _read(file, report)
    pair = choose_pair((one.pair for one in entries), language_pair, file)
    of_pair = [one for one in entries if one.pair == pair]
    names = _choose_references(of_pair, references, pair, file)
    texts = [_render(of_pair, REFERENCE, name, file, report) for name in names]
    source = _render(of_pair, SOURCE, "", file, report)
    documents = [one.document for one in of_pair]
    known = {one.document for one in entries}
    runs: dict[str, list[Renderings]] = {}
    for system, paths in choose_from(collect_files(systems, report), chosen).items():
        for path in paths:
            if (run := _read_run(system, path, documents, known, report)) is not None:
                runs.setdefault(system, []).append(run)
    if not runs:
        raise fault(file, "no-systems", f"holds {pair}, but none of the systems has outputs of this language pair.")
    outputs = make_frame(align(documents, texts, runs, source, report), report)
    report.warn()
    return outputs


def is_wmt_jsonl(path: str) -> bool:
    """Tell whether a file begins as a test set or as outputs of a WMT campaign do, in JSON lines."""
    beginning = peek(path)
    keys = keys_of(beginning)
    return (
        re.search(r'"doc_id"\s*:\s*"', beginning) is not None
        and bool(keys & {"hypothesis", "src_text"})
        and not keys & {"tgt_text", "resps", "scores"}
    )


@dataclass(frozen=True)
class _Entry:
    """One line: a document, and what is said of it."""

    line: int
    document: str
    values: Mapping[str, object]

    @property
    def pair(self) -> str:
        """The language pair, as the line or its identifier says."""
        if "src_lang" in self.values and "tgt_lang" in self.values:
            return f"{self.values['src_lang']}-{self.values['tgt_lang']}"
        parts = self.document.split("_###_")
        return f"{parts[2]}-{parts[3]}" if len(parts) > 4 else self.document.split("_#_")[0]

    @property
    def references(self) -> dict[str, object]:
        """The text of each reference by its name."""
        refs = self.values.get("refs")
        found = refs if isinstance(refs, dict) else {}
        return {name: one.get("ref") if isinstance(one, dict) else one for name, one in found.items()}


def _read(path: str, report: Report) -> list[_Entry]:
    found = []
    for line, values in enumerate(read_objects(path, report), start=1):
        document = values.get("doc_id")
        if not isinstance(document, str) or not document.strip():
            raise _lacking(path, line, "doc_id", values)
        found.append(_Entry(line, document, values))
    return found


def _read_text(path: str, documents: Sequence[str], report: Report) -> list[_Entry]:
    """Read outputs in plain text, one line per document of the language pair, in the order of the test set."""
    lines = read_translations(path, report)
    if len(lines) != len(documents):
        size = f"is plain text of {tally(len(lines), 'line')}, but the test set has {tally(len(documents), 'document')}"
        expected = "one line per document was expected, in the order of the test set; or JSON lines with 'doc_id' and"
        raise fault(path, "mixed-formats", f"{size} of this language pair: {expected} 'hypothesis'.")
    message = f"Line k of {lines.label} was taken for the translation of document k of the test set."
    together = "Line k of {places} files was taken for the translation of document k of the test set: {list}."
    report.notice("dialect", message, path=path, whose=shown(path), together=together)
    return [
        _Entry(line, document, {_KEYS[SYSTEM]: text})
        for line, (document, text) in enumerate(zip(documents, lines.texts, strict=True), start=1)
    ]


def _lacking(path: str, line: int, key: str, values: Mapping[str, object]) -> InputError:
    there = name_keys(values)
    problem = f"there is no text under the key {key!r} (keys here: {there})"
    expected = "a test set has 'doc_id', 'src_text' and 'refs', a system's outputs 'doc_id' and 'hypothesis'"
    return fault(path, "columns", f"{problem}: {expected}; name the test set first.", line, found=there, expected=key)


def _choose_references(entries: Sequence[_Entry], named: Sequence[str] | None, pair: str, path: str) -> Sequence[str]:
    there = list(dict.fromkeys(name for one in entries for name, text in one.references.items() if text is not None))
    if not there:
        first = entries[0]
        if "refs" not in first.values:
            raise _lacking(path, first.line, "refs", first.values)
        raise fault(path, "no-ref", f"has no references for {pair}: at least one was expected under 'refs'.")
    return choose_references(there, named, path, f" for {pair}")


def _render(entries: Sequence[_Entry], role: str, name: str, path: str, report: Report) -> dict[str, Rendering]:
    """Take one text of each document; those that have none are left out."""
    collector = Collector(path, report)
    for one in entries:
        text = one.references.get(name) if role == REFERENCE else one.values.get(_KEYS[role])
        if text is None and (role == REFERENCE or (role == SYSTEM and _KEYS[role] in one.values)):
            continue
        if not isinstance(text, str):
            raise _lacking(path, one.line, _KEYS.get(role, name), one.values)
        domain = one.values.get("domain")
        labels = {"domain": domain} if isinstance(domain, str) else {}
        collector.open_rendering(role, name, one.document, one.line, labels)
        collector.open_segment("1", one.line)
        collector.pieces.append(text)
        collector.close_segment()
    return by_document(collector.finish())


def _read_run(
    system: str, path: str, documents: Sequence[str], known: Collection[str], report: Report
) -> dict[str, Rendering] | None:
    """Read the outputs of a system for some documents; None where it has none of these."""
    entries = _read(path, report) if first_keys(path) else _read_text(path, documents, report)
    wanted = set(documents)
    chosen = [one for one in entries if one.document in wanted]
    if all(one.values.get("hypothesis", "") is None for one in chosen):
        chosen = []
    unknown = len({one.document for one in entries}.difference(known))
    if unknown:
        what = f"has outputs of {tally(unknown, 'document')} missing from the test set, which were left out."
        together = "{places} files have outputs of documents missing from the test set, {count} in all, which were "
        together += "left out: {list}."
        notice_file(report, "missing-docs", path, what, together, count=unknown)
    if not chosen:
        message = f"System {excerpt(system)} has no outputs of this language pair and was left out."
        together = "{places} systems have no outputs of this language pair and were left out: {list}."
        report.notice("left-out", message, path=path, whose=excerpt(system), together=together)
        return None
    return _render(chosen, SYSTEM, system, path, report)
