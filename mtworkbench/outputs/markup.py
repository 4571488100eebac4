"""Files with markup: how they are recognized; and their documents in the renderings that they hold, aligned by id."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.characters import LONGEST_SEGMENT
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.checks.segments import Corpus, Segments
from mtworkbench.outputs.files.bytes import peek, read_beginning
from mtworkbench.outputs.files.lines import notice_file
from mtworkbench.wording import name_some

# Declarations, with what a DTD has in brackets, and comments before the first tag; atomic, so that no input is slow.
_PROLOGUE = r"\ufeff?(?>(?:\s+|<!--(?>.*?-->)|<\?[^>]*>|<!(?!--)[^\[>]*(?>\[.*?\]\s*>|>))*)"
_SGML = re.compile(_PROLOGUE + r"<(?:srcset|refset|tstset|hypset|mteval)[\s>]", re.IGNORECASE | re.DOTALL)
_WMT_XML = re.compile(_PROLOGUE + r"<(?:dataset|collection)\s+id\s*=", re.DOTALL)
_LONGEST_PROLOGUE = 2**16
SOURCE, REFERENCE, SYSTEM = "source", "reference", "system"

_OUTER_SPACE = " \t\r\n"
_LINE_BREAK = re.compile(r"[ \t\r]*\n[ \t\r\n]*")

_ODDITIES = {
    "inline-markup": "tags inside segments, which were left out; the text inside them was kept",
    "multi-line": "segments on several lines, which were joined by spaces",
    "no-id": "segments without an id, which were numbered in their order within the document",
    "id-order": "segments whose ids do not rise by one, kept in the order of the file",
    "raw-ampersand": "ampersands that begin no entity, which were kept",
    "raw-markup": "'<' that begin no markup, which were kept",
    "stray-text": "pieces of text outside of any segment, which were left out",
    "duplicate-attribute": "attributes given twice in a tag, of which the first was taken",
}


def is_sgml(path: str) -> bool:
    """Tell by its beginning whether a file is NIST's SGML or XML rather than plain text.

    Parameters
    ----------
    path : str
        An ordinary file, compressed or not.

    Raises
    ------
    InputError
        Where the file cannot be read.
    """
    return _SGML.match(read_beginning(path)) is not None


def is_wmt_xml(path: str) -> bool:
    """Tell by its beginning whether a file is WMT's XML."""
    return _WMT_XML.match(peek(path)) is not None


def refuse_markup(lines: Sequence[str | None], path: str) -> None:
    """Refuse a file that is to be read as plain text but is not: its tags would be scored as words.

    Raises
    ------
    InputError
        ``markup`` where the lines begin NIST's SGML or a WMT file.
    """
    beginning = "\n".join(text or "" for text in lines[:1000])[:_LONGEST_PROLOGUE]
    for pattern, what, reader in (
        (_SGML, "NIST's SGML", "read all files with read_sgml"),
        (_WMT_XML, "WMT's XML", "read it with read_wmt_xml, on the command line with --xml"),
    ):
        if pattern.match(beginning):
            message = f"{shown(path)} is {what}, where plain text, one segment per line, was expected: {reader}."
            raise InputError("markup", message, path=path, line=1)


@dataclass(frozen=True)
class Rendering:
    """One document as one source, reference or system has it.

    Parameters
    ----------
    role : str
        ``"source"``, ``"reference"`` or ``"system"``.
    name : str
        Of the reference (its translator) or the system; empty where the file has none.
    document : str
    path : str
    line : int
    labels : dict of str to str
        What else the file says of the document: its domain, its test suite.
    segments : dict of str to (str, int)
        Text and line of each segment by its id, in the order of the file.
    """

    role: str
    name: str
    document: str
    path: str
    line: int
    labels: dict[str, str] = field(default_factory=dict, repr=False)
    segments: dict[str, tuple[str, int]] = field(default_factory=dict, repr=False)

    @property
    def who(self) -> str:
        """What messages call it, without its document."""
        return f"{self.role} {excerpt(self.name)}" if self.name else f"the {self.role}"


class Collector:
    """The renderings of one file, filled by the parser of its format; what was odd is counted.

    Parameters
    ----------
    path : str
    report : Report
    """

    def __init__(self, path: str, report: Report):
        self.path = path
        self.report = report
        self.renderings: list[Rendering] = []
        self.segment: tuple[str | None, int] | None = None
        self.pieces: list[str] = []
        self._counts: Counter[str] = Counter()
        self._first_line: dict[str, int] = {}

    def fault(self, code: str, line: int, problem: str) -> InputError:
        """Make the error of one place."""
        return fault(self.path, code, problem, line)

    def count(self, code: str, line: int, number: int = 1) -> None:
        """Count something odd."""
        self._counts[code] += number
        self._first_line.setdefault(code, line)

    def open_rendering(self, role: str, name: str, document: str, line: int, labels: dict[str, str]) -> None:
        """Begin a document."""
        self.renderings.append(Rendering(role, name, document, self.path, line, labels))

    def open_segment(self, identifier: str | None, line: int) -> None:
        """Begin a segment; its text comes in `pieces`."""
        self.segment, self.pieces = (identifier, line), []

    def close_segment(self) -> None:
        """Add the open segment to the document begun last.

        Raises
        ------
        InputError
            ``duplicate-id``, ``huge-text``.
        """
        segments = self.renderings[-1].segments
        (identifier, line), self.segment = self.segment or (None, 0), None
        text = "".join(self.pieces)
        if identifier is None:
            self.count("no-id", line)
            identifier = str(len(segments) + 1)
        if identifier in segments:
            document = excerpt(self.renderings[-1].document)
            place = f"of document {document} already appears in line {segments[identifier][1]:,}"
            problem = f"segment {excerpt(identifier)} {place}: ids were expected to differ within a document."
            raise self.fault("duplicate-id", line, problem)
        if identifier != str(len(segments) + 1):
            self.count("id-order", line)
        if 4 * len(text) > LONGEST_SEGMENT and not self.report.accepts("huge-line"):
            size = len(text.encode("utf-8", "surrogatepass"))
            if size > LONGEST_SEGMENT:
                raise self.huge_text(line, f"{excerpt(text)} is {size:,} bytes long")
        segments[identifier] = (self._tidy(text, line), line)

    def huge_text(self, line: int, what: str) -> InputError:
        """Make the error of a text that is no segment."""
        problem = f"{what}, more than 10 MB: one segment was expected; accept 'huge-line' if this is meant."
        return self.fault("huge-text", line, problem)

    def _tidy(self, text: str, line: int) -> str:
        text = text.strip(_OUTER_SPACE)
        if "\n" not in text:
            return text
        self.count("multi-line", line)
        return _LINE_BREAK.sub(" ", text)

    def finish(self) -> list[Rendering]:
        """Report what was odd; return the renderings."""
        for code, count in self._counts.items():
            line = self._first_line[code]
            what = f"has {count:,} {_ODDITIES[code]}; the first is in line {line:,}."
            together = f"{{places}} files have {{count}} {_ODDITIES[code]}: {{list}}."
            notice_file(self.report, code, self.path, what, together, line, count)
        return self.renderings


#: The renderings of one source, one reference or one run, by document.
Renderings = Mapping[str, Rendering]

#: The places of a test set in order: document and segment id.
Places = Sequence[tuple[str, str]]

NO_DOMAIN = "unknown"


def by_document(renderings: Iterable[Rendering], code: str = "duplicate-doc") -> dict[str, Rendering]:
    """Key the renderings of one source, reference or run by their documents.

    Parameters
    ----------
    renderings : iterable of Rendering
    code : str
        Of the error where a document occurs twice.

    Raises
    ------
    InputError
        `code`.
    """
    found: dict[str, Rendering] = {}
    for one in renderings:
        if one.document in found:
            before = found[one.document]
            place = f"line {before.line:,}" + ("" if before.path == one.path else f" of {shown(before.path)}")
            problem = f"document {excerpt(one.document)} of {one.who} already appears in {place}"
            remedy = "each document was expected once; give systems and runs names of their own."
            raise fault(one.path, code, f"{problem}: {remedy}", one.line)
        found[one.document] = one
    return found


def align(
    order: Iterable[str],
    references: Sequence[Renderings],
    systems: Mapping[str, Sequence[Renderings]],
    source: Renderings | None,
    report: Report,
    *,
    missing: str = "incomplete-system",
) -> Corpus:
    """Align renderings by document and segment id.

    Parameters
    ----------
    order : iterable of str
        The documents of the test set, in order.
    references : sequence of Renderings
    systems : mapping of str to sequence of Renderings
        The runs of each system.
    source : Renderings, optional
    report : Report
    missing : str
        Code of the error where a system lacks whole documents.

    Returns
    -------
    Corpus
        None where a reference has not a segment and, if that was accepted, where a system has not translated it.

    Raises
    ------
    InputError
        ``missing-docs``, ``incomplete-system``, ``unknown-segment``.
    """
    runs = [run for several in systems.values() for run in several]
    everything = [*([] if source is None else [source]), *references, *runs]
    segments = {document: _segment_ids(document, everything) for document in dict.fromkeys(order)}
    places = [(document, identifier) for document, identifiers in segments.items() for identifier in identifiers]
    for one in everything:
        _refuse_unknown(one, segments)
    if not report.accepts("incomplete-system"):
        for run in runs:
            _refuse_missing(run, segments, missing)
    for one in references:
        _notice_partial_reference(one, places, report)
    empty = [document for document, identifiers in segments.items() if not identifiers]
    if empty:
        message = f"{len(empty):,} of {len(segments):,} documents have no segments: {_some(empty)}."
        report.notice("empty-doc", message, count=len(empty))
    further = {"segment_id": [identifier for _, identifier in places] * len(runs)}
    suites = _labels("testsuite", everything)
    if suites:
        further["testsuite"] = [suites.get(document, "") for document, _ in places] * len(runs)
    return Corpus(
        references=[_pick(one, places) for one in references],
        systems={name: [_pick(run, places) for run in several] for name, several in systems.items()},
        source=None if source is None else _pick(source, places, ""),
        documents=_of_documents({document: document for document in segments}, places, everything),
        domains=_domains(places, everything, report),
        further=further,
        complete=False,
    )


def _segment_ids(document: str, everything: Sequence[Renderings]) -> list[str]:
    """Find the segments of a document: the source's, else the first reference's, else what there is."""
    return next((list(one[document].segments) for one in everything if document in one), [])


def _refuse_unknown(one: Renderings, segments: Mapping[str, Sequence[str]]) -> None:
    unknown = [document for document in one if document not in segments]
    if unknown:
        first = one[unknown[0]]
        where = "the references (and the source, where it is given)"
        problem = f"{first.who} has {len(unknown):,} documents missing from {where}"
        raise fault(first.path, "missing-docs", f"{problem}: {_some(unknown)}.", first.line)
    for document, rendering in one.items():
        known = set(segments[document])
        for identifier, (_, line) in rendering.segments.items():
            if identifier not in known:
                problem = f"{rendering.who} has segment {excerpt(identifier)} in document {excerpt(document)}"
                problem += ", which is missing from the source or the first reference."
                raise fault(rendering.path, "unknown-segment", problem, line)


def _refuse_missing(run: Renderings, segments: Mapping[str, Sequence[str]], code: str) -> None:
    remedy = "accept 'incomplete-system' to mark them as missing"
    some = next(iter(run.values()))
    lacking = [document for document in segments if document not in run]
    if lacking:
        problem = f"lacks {len(lacking):,} of the {len(segments):,} documents: {_some(lacking)}; {remedy}."
        raise InputError(code, f"{shown(some.path)}: {some.who} {problem}", path=some.path)
    for document, identifiers in segments.items():
        lacking = [identifier for identifier in identifiers if identifier not in run[document].segments]
        if lacking:
            count = f"{len(lacking):,} of the {len(identifiers):,} segments of document {excerpt(document)}"
            problem = f"{some.who} lacks {count}: {_some(lacking)}; {remedy}."
            raise fault(some.path, "incomplete-system", problem, run[document].line)


def _some(names: Iterable[str]) -> str:
    return name_some(map(excerpt, names))


def _notice_partial_reference(one: Renderings, places: Places, report: Report) -> None:
    count = sum(document in one and identifier in one[document].segments for document, identifier in places)
    if count < len(places):
        some = next(iter(one.values()))
        message = f"{shown(some.path)}: {some.who} has {count:,} of the {len(places):,} segments"
        message += "; the others have no such reference."
        together = f"{{places}} references lack some of the {len(places):,} segments, {{count}} in all: {{list}}."
        whose = f"{shown(some.path)}, {some.who}"
        lacking = len(places) - count
        report.notice("partial-ref", message, path=some.path, count=lacking, whose=whose, together=together)


def _labels(kind: str, everything: Sequence[Renderings]) -> dict[str, str]:
    """Collect what the files say of each document."""
    found: dict[str, str] = {}
    for one in everything:
        for document, rendering in one.items():
            if rendering.labels.get(kind):
                found.setdefault(document, rendering.labels[kind])
    return found


def _domains(places: Places, everything: Sequence[Renderings], report: Report) -> Segments | None:
    domains = _labels("domain", everything)
    if not domains:
        return None
    without = list(dict.fromkeys(document for document, _ in places if document not in domains))
    if without:
        message = f"{len(without):,} documents have no domain ({_some(without)}), which was called {NO_DOMAIN!r}."
        report.notice("no-domain", message, count=len(without))
    return _of_documents(dict.fromkeys(without, NO_DOMAIN) | domains, places, everything)


def _of_documents(names: Mapping[str, str], places: Places, everything: Sequence[Renderings]) -> Segments:
    """Repeat what is known of documents for each of their segments."""
    of = {document: rendering for one in reversed(everything) for document, rendering in one.items()}
    path = next(iter(of.values())).path if of else None
    lines = [of[document].line for document, _ in places]
    return Segments([names[document] for document, _ in places], f"{shown(path or '')}, the documents", path, lines)


def _pick(one: Renderings, places: Places, absent: str | None = None) -> Segments:
    """Take the texts at some places, in their order."""
    some = next(iter(one.values()))
    found = [
        one[document].segments.get(identifier, (absent, some.line)) if document in one else (absent, some.line)
        for document, identifier in places
    ]
    label = f"{shown(some.path)}, {some.who}"
    return Segments([text for text, _ in found], label, some.path, [line for _, line in found])
