"""The markup of NIST's SGML, as real files have it: tags in any case, raw ampersands, attributes given twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.entities import html5

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import Report, excerpt, shown
from mtworkbench.outputs.files.bytes import peek, read_beginning
from mtworkbench.outputs.files.lines import read_text
from mtworkbench.outputs.markup.renderings import REFERENCE, SOURCE, SYSTEM, Collector, Rendering

_SETS = {"srcset": SOURCE, "refset": REFERENCE, "tstset": SYSTEM, "hypset": SYSTEM}
_MARKUP = re.compile(
    r"<!--|<!\[CDATA\[|<!ENTITY\b|<(/?)(srcset|refset|tstset|hypset|doc|seg)(?=[\s/>])([^<>]*)>", re.IGNORECASE
)
# Declarations, with what a DTD has in brackets, and comments before the first tag; atomic, so that no input is slow.
_PROLOGUE = r"\ufeff?(?>(?:\s+|<!--(?>.*?-->)|<\?[^>]*>|<!(?!--)[^\[>]*(?>\[.*?\]\s*>|>))*)"
_SGML = re.compile(_PROLOGUE + r"<(?:srcset|refset|tstset|hypset|mteval)[\s>]", re.IGNORECASE | re.DOTALL)
_WMT_XML = re.compile(_PROLOGUE + r"<(?:dataset|collection)\s+id\s*=", re.DOTALL)
_LONGEST_PROLOGUE = 2**16
_ATTRIBUTE = re.compile(r"""([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_OTHER_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<[!?][^<>]*>")
_AMPERSAND = re.compile(r"&(?:#([0-9]{1,7});|#[xX]([0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{0,31};))?")


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


def parse_sgml(path: str, report: Report) -> list[Rendering]:
    """Parse a file with source, reference or system sets.

    Raises
    ------
    InputError
        ``sgml``, ``duplicate-id``, ``huge-text``, ``xml-forbidden``, and those of `read_text`.
    """
    text = read_text(path, report)
    collector = Collector(path, report)
    _Parser(text, collector).parse()
    return collector.finish()


class _Parser:
    """What stands open while a file is read from front to back."""

    def __init__(self, text: str, collector: Collector):
        self.text = text
        self.collector = collector
        self.line = 1
        self.counted = 0
        self.set: tuple[str, dict[str, str]] | None = None
        self.document: str | None = None

    def parse(self) -> None:
        position = 0
        while found := _MARKUP.search(self.text, position):
            self._interpret_text(position, found.start())
            self._move_to(found.start())
            if found[2]:
                self._interpret_tag(found[2].lower(), bool(found[1]), found[3])
                position = found.end()
            elif found[0] == "<!--":
                position = self._find("-->", found.end(), "comment") + 3
            elif found[0].upper() == "<!ENTITY":
                problem = "the file defines entities of its own, which are not read for safety's sake; remove them."
                raise self.collector.fault("xml-forbidden", self.line, problem)
            else:
                end = self._find("]]>", found.end(), "CDATA section")
                self.collector.pieces.append(self.text[found.end() : end])
                position = end + 3
        self._interpret_text(position, len(self.text))
        self._move_to(len(self.text.rstrip()))
        for what, open_ in (("segment", self.collector.segment), ("document", self.document), ("set", self.set)):
            if open_ is not None:
                raise self._fault(f"the file ends inside a {what}, so its end is missing; copy it again.")
        if not self.collector.renderings:
            raise self._fault("the file holds no documents: <refset>, <tstset> or <srcset> with <doc> were expected.")

    def _fault(self, problem: str) -> Exception:
        return self.collector.fault("sgml", self.line, problem)

    def _not_closed(self, tag: str) -> Exception:
        _, line = self.collector.segment or (None, self.line)
        place = f"the segment that begins in line {line:,}"
        return self._fault(f"<{tag}> stands inside {place}, so that segment is not closed.")

    def _move_to(self, position: int) -> None:
        self.line += self.text.count("\n", self.counted, position)
        self.counted = position

    def _find(self, end: str, start: int, what: str) -> int:
        position = self.text.find(end, start)
        if position < 0:
            raise self._fault(f"the {what} that begins here has no end ({end}).")
        return position

    def _interpret_text(self, start: int, end: int) -> None:
        text = self.text[start:end]
        if self.collector.segment is not None:
            self.collector.pieces.append(self._decode(text))
        elif text.strip() and _OTHER_TAG.sub("", text).strip():
            self._move_to(end - len(text.lstrip()))
            self.collector.count("stray-text", self.line)

    def _decode(self, text: str) -> str:
        if "<" in text:
            text, tags = _OTHER_TAG.subn("", text)
            if tags:
                self.collector.count("inline-markup", self.line, tags)
            if "<" in text:
                self.collector.count("raw-markup", self.line, text.count("<"))
        return _AMPERSAND.sub(self._entity, text) if "&" in text else text

    def _entity(self, found: re.Match[str]) -> str:
        decimal, hexadecimal, name = found.groups()
        if name in html5:
            return html5[name]
        code = int(decimal) if decimal else int(hexadecimal, 16) if hexadecimal else None
        if code is not None and code <= 0x10FFFF:
            return chr(code)
        self.collector.count("raw-ampersand", self.line)
        return found[0]

    def _interpret_tag(self, name: str, closing: bool, rest: str) -> None:
        attributes = {} if closing else self._attributes(rest.removesuffix("/"))
        if name == "seg":
            if not closing:
                self._open_segment(attributes)
            if closing or rest.endswith("/"):
                self._close_segment()
        elif self.collector.segment is not None:
            raise self._not_closed("/" * closing + name)
        elif name == "doc":
            self._close_document() if closing else self._open_document(attributes)
        elif closing:
            self._close_set(name)
        else:
            self._open_set(name, attributes)

    def _attributes(self, rest: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for match in _ATTRIBUTE.finditer(rest):
            name = match[1].lower()
            if name in found:
                self.collector.count("duplicate-attribute", self.line)
            else:
                value = next((value for value in match.groups()[1:] if value is not None), "")
                found[name] = _AMPERSAND.sub(self._entity, value)
        return found

    def _open_set(self, name: str, attributes: dict[str, str]) -> None:
        if self.set is not None:
            raise self._fault(f"<{name}> stands inside another set, so that set is not closed.")
        self.set = (_SETS[name], attributes)

    def _close_set(self, name: str) -> None:
        if self.document is not None:
            raise self._fault(f"</{name}> stands inside document {excerpt(self.document)}, so that is not closed.")
        if self.set is None:
            raise self._fault(f"</{name}> closes a set that was not opened.")
        self.set = None

    def _open_document(self, attributes: dict[str, str]) -> None:
        if self.document is not None:
            raise self._fault(f"<doc> stands inside document {excerpt(self.document)}, so that is not closed.")
        if self.set is None:
            raise self._fault("<doc> stands outside of <srcset>, <refset> and <tstset>.")
        if not attributes.get("docid", "").strip():
            raise self._fault("the document has no docid.")
        role, of_set = self.set
        names = (of.get(key) for of in (attributes, of_set) for key in ("sysid", "refid"))
        name = "" if role == SOURCE else next(filter(None, names), "")
        self.document = attributes["docid"]
        labels = {"domain": attributes.get("genre", ""), "language": of_set.get("trglang", "")}
        self.collector.open_rendering(role, name, self.document, self.line, labels)

    def _close_document(self) -> None:
        if self.document is None:
            raise self._fault("</doc> closes a document that was not opened.")
        self.document = None

    def _open_segment(self, attributes: dict[str, str]) -> None:
        if self.collector.segment is not None:
            raise self._not_closed("seg")
        if self.document is None:
            raise self._fault("<seg> stands outside of any document.")
        self.collector.open_segment(attributes.get("id"), self.line)

    def _close_segment(self) -> None:
        if self.collector.segment is None:
            raise self._fault("</seg> closes a segment that was not opened.")
        self.collector.close_segment()
