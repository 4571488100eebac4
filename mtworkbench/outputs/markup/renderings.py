"""Documents in their renderings (source, references, systems), as formats with markup hold them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.checks.segments import LONGEST_SEGMENT

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
            message = f"{shown(self.path)} has {count:,} {_ODDITIES[code]}; the first is in line {line:,}."
            self.report.notice(
                code,
                message,
                path=self.path,
                line=line,
                count=count,
                whose=shown(self.path),
                together=f"{{places}} files have {{count}} {_ODDITIES[code]}: {{list}}.",
            )
        return self.renderings
