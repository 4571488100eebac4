"""NIST's SGML, and the XML that followed it: source, reference and system sets of documents, read and written."""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from html.entities import html5
from xml.sax.saxutils import escape, quoteattr

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.corpus import make_frame
from mtworkbench.outputs.checks.frames import FrameRuns, check_outputs, is_reference
from mtworkbench.outputs.checks.names import choose_from, collect_systems
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.files.bytes import Path, find_files
from mtworkbench.outputs.files.folders import SystemFiles
from mtworkbench.outputs.files.lines import read_text
from mtworkbench.outputs.markup import REFERENCE, SOURCE, SYSTEM, Collector, Rendering, align, by_document
from mtworkbench.outputs.markup import is_sgml as is_sgml  # the terminal finds it here
from mtworkbench.wording import grouped
from mtworkbench.writing import make_folder, name_for_file, replace_file

_SETS = {"srcset": SOURCE, "refset": REFERENCE, "tstset": SYSTEM, "hypset": SYSTEM}
_MARKUP = re.compile(
    r"<!--|<!\[CDATA\[|<!ENTITY\b|<(/?)(srcset|refset|tstset|hypset|doc|seg)(?=[\s/>])([^<>]*)>", re.IGNORECASE
)
_ATTRIBUTE = re.compile(r"""([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_OTHER_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<[!?][^<>]*>")
_AMPERSAND = re.compile(r"&(?:#([0-9]{1,7});|#[xX]([0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{0,31};))?")


def read_sgml(
    reference: Path | Sequence[Path],
    systems: SystemFiles,
    *,
    source: Path | None = None,
    chosen: Sequence[str] | None = None,
    accept: Collection[str] = (),
) -> pd.DataFrame:
    """Read NIST's SGML files: ``<refset>``, ``<tstset>``, ``<srcset>`` with ``<doc>`` and ``<seg>``.

    Real files are read as they are: tags in any case, one segment per line or not, raw ampersands, no ids. Segments are
    aligned by document and id, whatever the order of the documents. Entities are decoded once; white space around a
    segment is not part of it, and line breaks inside it are spaces.

    Parameters
    ----------
    reference : path, or list of paths
        Files with reference sets. Each reference of each file (``sysid`` or ``refid``) is one of the references, in the
        order of the files.
    systems : mapping of str to path or list of paths; pairs of these; or a path or list of paths
        Named: each file holds one run of the system, whatever its ``sysid`` says. Unnamed: each ``sysid`` is a system.
        The same file may hold references and systems.
    source : path, optional
        File with the source set.
    chosen : list of str, optional
        Only these systems, in this order: names, or patterns such as ``"online-*"``.
    accept : collection of str, default ()
        Faults that have been looked at and are accepted; see `read_outputs`. ``"incomplete-system"`` marks what a
        system has not translated as missing (None): see `common_segments`.

    Returns
    -------
    DataFrame
        As of `read_outputs`, in the order of the documents of the references, with ``document``, ``segment_id`` and,
        where documents have a genre, ``domain``. A reference that does not exist for a segment is None.

    Raises
    ------
    InputError
        ``sgml`` for markup that does not fit, ``duplicate-id``, ``duplicate-doc``, ``duplicate-system``,
        ``missing-docs``, ``incomplete-system``, ``two-ref-langs``, ``xml-forbidden`` for entities of the file's own,
        and those of `read_outputs`.

    Warns
    -----
    DataWarning
        For what was noticed.

    Examples
    --------
    >>> outputs = read_sgml("ref.sgm", {"base": "base.sgm", "new": "new.sgm"}, source="src.sgm")  # doctest: +SKIP
    """
    report = Report(accept)
    cache: dict[str, list[Rendering]] = {}

    def read(path: str, role: str) -> list[Rendering]:
        if path not in cache:
            cache[path] = parse_sgml(path, report)
        return _of_role(cache[path], role, path)

    references = _references([read(path, REFERENCE) for path in find_files(reference, "The reference")])
    runs = choose_from(_systems(systems, read), chosen)
    sources = None
    if source is not None:
        sources = by_document(one for path in find_files(source, "The source") for one in read(path, SOURCE))
    order = [document for one in [*references, sources or {}] for document in one]
    outputs = make_frame(align(order, references, runs, sources, report, missing="missing-docs"), report)
    report.warn()
    return outputs


def _of_role(renderings: Sequence[Rendering], role: str, path: str) -> list[Rendering]:
    found = [one for one in renderings if one.role == role]
    if not found:
        there = ", ".join(dict.fromkeys(one.role for one in renderings))
        raise fault(path, "sgml", f"holds no {role} documents" + (f", only those of a {there}." if there else "."))
    return found


def _by_name(renderings: Iterable[Rendering]) -> dict[str, list[Rendering]]:
    return grouped((one.name, one) for one in renderings)


def _references(files: Sequence[Sequence[Rendering]]) -> list[dict[str, Rendering]]:
    languages: dict[str, Rendering] = {}
    for one in (one for file in files for one in file):
        languages.setdefault(one.labels["language"].lower(), one)
    languages.pop("", None)
    if len(languages) > 1:
        first, second = list(languages.values())[:2]
        ours, theirs = excerpt(second.labels["language"]), excerpt(first.labels["language"])
        problem = f"this reference is in {ours}, but that of {shown(first.path)}, line {first.line:,}, in {theirs}"
        raise fault(second.path, "two-ref-langs", f"{problem}: references in one language were expected.", second.line)
    return [by_document(several) for file in files for several in _by_name(file).values()]


def _systems(
    systems: SystemFiles, read: Callable[[str, str], list[Rendering]]
) -> dict[str, list[dict[str, Rendering]]]:
    if isinstance(systems, (str, bytes, os.PathLike)):
        systems = [systems]
    files: list[tuple[str | None, str]]
    if isinstance(systems, Sequence) and all(isinstance(one, (str, bytes, os.PathLike)) for one in systems):
        files = [(None, path) for path in find_files(systems, "The systems")]
    else:
        collected = collect_systems(systems).items()
        files = [(name, path) for name, named in collected for path in find_files(named, f"System {excerpt(name)}")]
    found: dict[str, list[dict[str, Rendering]]] = {}
    first_file: dict[str, str] = {}
    for name, path in files:
        by_name = _by_name(read(path, SYSTEM))
        if name is not None and len(by_name) > 1:
            problem = f"given for system {excerpt(name)}, holds {len(by_name):,} systems"
            remedy = f"({', '.join(map(excerpt, by_name))}): give the file without a name."
            raise InputError("several-systems", f"{shown(path)}, {problem} {remedy}", path=path)
        for system, several in by_name.items():
            if name is None and system in found:
                problem = f"there is a system {excerpt(system)} in {shown(first_file[system])} already"
                remedy = "give the files names, as in {'base': 'base.sgm'}."
                raise fault(path, "duplicate-system", f"{problem}; {remedy}", several[0].line)
            found.setdefault(system if name is None else name, []).append(by_document(several))
            first_file[system] = path
    return found


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


def write_sgml(
    outputs: pd.DataFrame, folder: Path, *, languages: tuple[str, str] = ("any", "any")
) -> list[pathlib.Path]:
    """Write outputs as NIST's SGML, which `read_sgml` and mteval read.

    Parameters
    ----------
    outputs : DataFrame
        One row per (system, run, segment), as `read_outputs` returns it. Without documents all segments are one.
    folder : path
        Made where it is missing; files of the same names are replaced.
    languages : tuple of str
        Of the source and of the translations, as mteval wants to be told them.

    Returns
    -------
    list of Path
        ``ref.sgm`` with all references, ``src.sgm`` where there is a source, and ``SYSTEM.sgm`` for each system, or
        ``SYSTEM.run1.sgm`` ... for its several runs, made fit for file names by
        `name_for_file`.

    Raises
    ------
    InputError
        ``no-texts`` for scores alone, ``null-segment`` where a reference or hypothesis is missing, ``duplicate-file``
        where two systems' files would have one name, ``cannot-write``, and those of `check_outputs`.
    """
    check_outputs(outputs)
    if "hypothesis" not in outputs.columns:
        problem = "The outputs have no texts, but SGML files hold texts"
        raise InputError("no-texts", f"{problem}: give outputs with texts and references.")
    runs = FrameRuns(outputs)
    first = runs[0]
    references = [name for name in outputs.columns if is_reference(name)]
    contents = {"ref": _write_set("refset", first, {f"ref{n}": c for n, c in enumerate(references, 1)}, languages)}
    if "source" in outputs.columns:
        contents["src"] = _write_set("srcset", first, {"": "source"}, languages)
    taken = {"ref": "the references", "src": "the source"}
    counts = outputs["run"].groupby(outputs["system"].to_numpy(), sort=False).max()
    for rows in runs:
        system, run = rows["system"].iloc[0], rows["run"].iloc[0]
        stem = name_for_file(system) + (f".run{run}" if counts[system] > 1 else "")
        # On Windows and macOS, names that differ in case alone are of one file.
        if stem.casefold() in taken:
            problem = f"The outputs of system {excerpt(system)} would be written to {excerpt(stem + '.sgm')}"
            whose = f"the file of {taken[stem.casefold()]}"
            raise InputError("duplicate-file", f"{problem}, {whose}: give the systems other names.")
        taken[stem.casefold()] = f"system {excerpt(system)}"
        contents[stem] = _write_set("tstset", rows, {system: "hypothesis"}, languages)
    make_folder(folder)
    paths = [pathlib.Path(folder) / f"{stem}.sgm" for stem in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        replace_file(path, content)
    return paths


def _write_set(kind: str, rows: pd.DataFrame, columns: dict[str, str], languages: tuple[str, str]) -> str:
    """Write one set, with the renderings in these columns, by who made them."""
    source, target = map(quoteattr, languages)
    translated = f" trglang={target}" if kind != "srcset" else ""
    lines = [f'<{kind} setid="mtworkbench" srclang={source}{translated}>']
    documents = rows["document"] if "document" in rows.columns else pd.Series("doc1", index=rows.index)
    for who, column in columns.items():
        by = f" sysid={quoteattr(who)}" if who else ""
        for document, part in rows.groupby(documents, sort=False):
            lines.append(f"<doc docid={quoteattr(str(document))}{by}>")
            for number, text in enumerate(part[column], start=1):
                if not isinstance(text, str):
                    segment = part["segment"].iloc[number - 1]
                    optional = f"the column {column!r} or " if column.startswith("reference_") else ""
                    problem = f"Segment {segment} has no {column}, but every segment of an SGML file needs a text"
                    remedy = f"leave out {optional}the segments that lack one"
                    raise InputError("null-segment", f"{problem}: {remedy}.")
                lines.append(f'<seg id="{number}">{escape(text)}</seg>')
            lines.append("</doc>")
    return "\n".join([*lines, f"</{kind}>"]) + "\n"
