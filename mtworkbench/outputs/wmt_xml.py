"""The XML of the WMT evaluation campaigns: documents with their source, references and systems in one file."""

from __future__ import annotations

import io
import warnings
from collections.abc import Collection, Sequence
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.checks.characters import LONGEST_SEGMENT
from mtworkbench.outputs.checks.corpus import make_frame
from mtworkbench.outputs.checks.names import choose_from, choose_references
from mtworkbench.outputs.checks.report import Report, excerpt, fault
from mtworkbench.outputs.files.bytes import Path, find_file, natural_order, read_bytes
from mtworkbench.outputs.markup import REFERENCE, SOURCE, SYSTEM, Collector, Rendering, align, by_document, is_wmt_xml
from mtworkbench.wording import grouped

_ROLES = {"src": (SOURCE, ""), "ref": (REFERENCE, "translator"), "hyp": (SYSTEM, "system")}
_XINCLUDE = "http://www.w3.org/2001/XInclude"


def read_wmt_xml(
    path: Path,
    *,
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    accept: Collection[str] = (),
) -> pd.DataFrame:
    """Read a WMT file: ``<doc>`` with ``<src>``, ``<ref translator=...>``, ``<hyp system=...>`` and ``<seg>``.

    Parameters
    ----------
    path : path
        The file, compressed or not.
    references : list of str, optional
        The translators whose references are taken, in this order; without it all, in the order of their names (A, B).
        A reference without a translator is called ``""``.
    systems : list of str, optional
        Only these systems, in this order: names, or patterns such as ``"online-*"``.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`. ``"incomplete-system"`` marks what a
        system has not translated as missing (None): see `common_segments`.

    Returns
    -------
    DataFrame
        As of `read_outputs`, with ``document``, ``segment_id`` and, where documents have them, ``domain`` and
        ``testsuite`` (empty where a document belongs to none). A reference that does not exist for a segment is None; a
        document without any is kept.

    Raises
    ------
    InputError
        ``xml``, ``xml-forbidden`` for a DTD, entities or XInclude, ``huge-text``, ``duplicate-id``, ``duplicate-doc``,
        ``duplicate-system``, ``duplicate-reference``, ``two-ref-langs``, ``unknown-reference``, ``unknown-system``,
        ``incomplete-system``, and those of `read_outputs`.

    Warns
    -----
    DataWarning
        For what was noticed.

    Examples
    --------
    >>> outputs = read_wmt_xml("newstest2021.ru-en.all.xml")  # doctest: +SKIP
    >>> news = outputs[outputs["testsuite"] == ""]  # doctest: +SKIP
    """
    report = Report(accept)
    file = find_file(path, "The WMT file")
    documents, renderings = parse_wmt_xml(file, report)
    sources, references_of, systems_of = (
        grouped((one.name, one) for one in renderings if one.role == role) for role in (SOURCE, REFERENCE, SYSTEM)
    )
    if not references_of:
        raise fault(file, "no-ref", "holds no <ref>: at least one reference was expected.")
    chosen = choose_references(sorted(references_of, key=natural_order), references, file)
    if not systems_of:
        raise fault(file, "no-systems", "holds no <hyp>: at least one system was expected.")
    systems_of = choose_from(systems_of, systems)
    corpus = align(
        documents,
        [by_document(references_of[name], "duplicate-reference") for name in chosen],
        {name: [by_document(several, "duplicate-system")] for name, several in systems_of.items()},
        by_document(sources[""], "duplicate-source") if sources else None,
        report,
    )
    outputs = make_frame(corpus, report)
    report.warn()
    return outputs


def find_wmt_xml(files: Sequence[str]) -> str | None:
    """Return the only file where it begins as WMT's XML does; None where it does not, or there are several."""
    [file, *others] = files
    return None if others or not is_wmt_xml(file) else file


def count_test_suites(suites: np.ndarray) -> DataWarning | None:
    """Return the warning that some of the segments belong to test suites, which are of another kind than the rest.

    Parameters
    ----------
    suites : (n_segments,) ndarray of str
        The test suite of each segment, empty for those of the test set proper.

    Returns
    -------
    DataWarning or None
        ``test-suites``; None where all segments are of one kind.
    """
    number = int(np.count_nonzero(suites != ""))
    if not 0 < number < len(suites):
        return None
    remedy = "--no-test-suites (in Python: outputs[outputs['testsuite'] == '']) leaves them out"
    message = f"{number:,} of {len(suites):,} segments belong to test suites: {remedy}."
    return DataWarning("test-suites", message, count=number)


def read_for_terminal(
    path: str,
    *,
    translator: Sequence[str] | None,
    no_test_suites: bool,
    systems: Sequence[str] | None,
    accept: Collection[str],
) -> pd.DataFrame:
    """Read a WMT file as the options of the terminal say.

    Raises
    ------
    InputError
        ``no-segments`` where nothing is left without the test suites, and those of `read_wmt_xml`.

    Warns
    -----
    DataWarning
        ``test-suites`` where some segments belong to test suites, and those of `read_wmt_xml`.
    """
    outputs = read_wmt_xml(path, references=translator, systems=systems, accept=accept)
    if "testsuite" not in outputs.columns:
        return outputs
    if not no_test_suites:
        warning = count_test_suites(outputs.drop_duplicates("segment")["testsuite"].to_numpy())
        if warning is not None:
            warnings.warn(warning, stacklevel=2)
        return outputs
    kept = outputs[outputs["testsuite"] == ""].reset_index(drop=True)
    if not len(kept):
        raise InputError("no-segments", f"{path!r} holds nothing but test suites.", path=path)
    return kept


def parse_wmt_xml(path: str, report: Report) -> tuple[list[str], list[Rendering]]:
    """Parse a WMT file; return its documents in order, and their renderings.

    Raises
    ------
    InputError
        ``xml``, ``xml-forbidden``, ``huge-text``, ``duplicate-id``, ``duplicate-doc``, ``two-ref-langs``.
    """
    import defusedxml.sax
    from defusedxml.common import DefusedXmlException

    data = read_bytes(path, report)
    collector = Collector(path, report)
    handler = _Handler(collector)
    try:
        defusedxml.sax.parse(io.BytesIO(data), handler, forbid_dtd=True)
    except DefusedXmlException:
        problem = "a DTD or entities of its own are not read, for safety's sake; remove them."
        raise collector.fault("xml-forbidden", handler.line, problem) from None
    except SAXParseException as error:
        line = error.getLineNumber() or 1
        problem = f"this is not well-formed XML: {excerpt(error.getMessage())}; copy or make the file again."
        raise collector.fault("xml", line, problem) from None
    except InputError:
        raise
    except (SAXException, ValueError, LookupError) as error:
        problem = f"this cannot be read as XML: {excerpt(str(error))}."
        raise collector.fault("xml", handler.line, problem) from None
    if not handler.documents:
        raise collector.fault("xml", 1, "the file holds no <doc>: a file of a WMT campaign was expected.")
    return list(handler.documents), collector.finish()


class _Handler(ContentHandler):
    """What stands open while a file is read from front to back."""

    def __init__(self, collector: Collector):
        super().__init__()
        self.collector = collector
        self.documents: dict[str, int] = {}
        self.document: str | None = None
        self.labels: dict[str, str] = {}
        self.rendering: str | None = None
        self.text_length = 0
        self.language: str | None = None

    @property
    def line(self) -> int:
        locator = getattr(self, "_locator", None)  # of the base class, whose types do not tell it
        return (locator.getLineNumber() if locator is not None else None) or 1

    def _fault(self, problem: str, code: str = "xml") -> InputError:
        return self.collector.fault(code, self.line, problem)

    def startElement(self, name, attrs):  # noqa: D102, N802
        self.text_length = 0
        if _XINCLUDE in attrs.values():
            raise self._fault("XInclude is not read, for safety's sake; remove it.", "xml-forbidden")
        if name == "seg" and (self.rendering is None or self.collector.segment is not None):
            raise self._fault("<seg> stands outside of <src>, <ref> and <hyp>, or in another.")
        if self.collector.segment is not None:
            self.collector.count("inline-markup", self.line)
        elif name == "doc":
            self._open_document(attrs)
        elif name in _ROLES:
            self._open_rendering(name, attrs)
        elif name == "seg":
            self.collector.open_segment(attrs.get("id"), self.line)

    def _open_document(self, attrs) -> None:
        identifier = attrs.get("id", "")
        if not identifier.strip() or self.document is not None:
            raise self._fault("<doc> has no id, or stands inside another.")
        if identifier in self.documents:
            problem = f"document {excerpt(identifier)} already appears in line {self.documents[identifier]:,}"
            problem += ": ids of documents were expected to differ."
            raise self._fault(problem, "duplicate-doc")
        self.documents[identifier] = self.line
        self.document = identifier
        self.labels = {"domain": attrs.get("domain", ""), "testsuite": attrs.get("testsuite", "")}

    def _open_rendering(self, name: str, attrs) -> None:
        if self.document is None or self.rendering is not None:
            raise self._fault(f"<{name}> stands outside of <doc>, or inside another.")
        role, attribute = _ROLES[name]
        if role == REFERENCE:
            self._check_language(attrs.get("lang"))
        self.rendering = name
        self.collector.open_rendering(role, attrs.get(attribute, ""), self.document, self.line, self.labels)

    def _check_language(self, language: str | None) -> None:
        if language is not None and self.language not in (None, language):
            problem = f"this reference is in {excerpt(language)}, but those before it in {excerpt(self.language)}"
            raise self._fault(f"{problem}: references in one language were expected.", "two-ref-langs")
        self.language = language or self.language

    def characters(self, content):  # noqa: D102
        self.text_length += len(content)
        if self.text_length > LONGEST_SEGMENT and not self.collector.report.accepts("huge-line"):
            raise self.collector.huge_text(self.line, f"this text is at least {self.text_length:,} characters long")
        if self.collector.segment is not None:
            self.collector.pieces.append(content)
        elif not content.isspace():
            self.collector.count("stray-text", self.line)

    def endElement(self, name):  # noqa: D102, N802
        self.text_length = 0
        if self.collector.segment is not None:
            if name == "seg":
                self.collector.close_segment()
        elif name == self.rendering:
            self.rendering = None
        elif name == "doc":
            self.document = None
