"""B39 to B58: archives, NIST's SGML and the XML of WMT."""

from __future__ import annotations

import io
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from mtworkbench.outputs.checks.frames import common_segments
from mtworkbench.outputs.sgml import read_sgml
from mtworkbench.outputs.wmt_xml import read_wmt_xml

from .cases import OUTPUT, Case, texts, write

PLAIN = "".join(f"{line}\n" for line in OUTPUT).encode()


def tarred(*members: tuple[str, bytes | str]) -> bytes:
    """Return a tar archive; a text in place of bytes is the type of a member that is no file."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
            else:
                info.type, info.linkname = content.encode(), "/etc/passwd"
                archive.addfile(info)
    return stream.getvalue()


def zipped(*members: tuple[str, bytes]) -> bytes:
    """Return a zip archive."""
    stream = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def archive(content: bytes) -> Callable:
    """Read an archive in place of an output; nothing else may be in the folder afterwards."""
    read = texts(content)

    def read_and_look(folder: Path):
        try:
            return read(folder)
        finally:
            assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "ref.txt"]

    read_and_look.command_line = read.command_line
    return read_and_look


def seg(text: str, identifier: object = None) -> str:
    return f"<seg>{text}</seg>" if identifier is None else f'<seg id="{identifier}">{text}</seg>'


def document(texts: Sequence[str], name: str = "d", **attributes: str) -> str:
    """Return a document of SGML with segments 1, 2 ...; a text that begins with < is taken as it is."""
    given = "".join(f' {key}="{value}"' for key, value in attributes.items())
    segments = [text if text.startswith("<") else seg(text, i) for i, text in enumerate(texts, start=1)]
    return "\n".join([f'<doc docid="{name}"{given}>', *segments, "</doc>\n"])


def refset(*documents: str, language: str = "en") -> str:
    return f'<refset setid="s" srclang="de" trglang="{language}">\n{"".join(documents)}</refset>\n'


def tstset(*documents: str, kind: str = "tstset") -> str:
    return f'<{kind} setid="s" srclang="de" trglang="en">\n{"".join(documents)}</{kind}>\n'


GOOD = refset(document(["the cat sat", "a dog ran"]))


class Sgml:
    """References and an output in NIST's SGML."""

    def __init__(self, output: str, reference: str = GOOD, *further: str, accept: Sequence[str] = ()):
        self.contents, self.accept = {"ref.sgm": reference, "a.sgm": output}, accept
        self.contents |= {f"ref{number}.sgm": one for number, one in enumerate(further, start=2)}

    def __call__(self, folder: Path):
        references, output = self.write(folder)
        return read_sgml(references, {"a": output}, accept=self.accept)

    def command_line(self, folder: Path) -> list[str]:
        references, output = self.write(folder)
        arguments = [argument for reference in references for argument in ("--reference", reference)]
        accept = [argument for code in self.accept for argument in ("--accept", code)]
        return ["compare", *arguments, "--system", f"a={output}", *accept]

    def write(self, folder: Path) -> tuple[list[str], str]:
        paths = {name: write(folder, name, content) for name, content in self.contents.items()}
        return [path for name, path in paths.items() if name != "a.sgm"], paths["a.sgm"]


class Xml:
    """A WMT file."""

    def __init__(self, content: str | bytes, accept: Sequence[str] = ()):
        self.content, self.accept = content, accept

    def __call__(self, folder: Path):
        return read_wmt_xml(write(folder, "a.xml", self.content), accept=self.accept)

    def command_line(self, folder: Path) -> list[str]:
        accept = [argument for code in self.accept for argument in ("--accept", code)]
        return ["compare", "--xml", write(folder, "a.xml", self.content), *accept]


SOURCE = f"<src>{seg('die Katze', 1)}{seg('ein Hund', 2)}</src>"
REFERENCE_A = f'<ref translator="A" lang="en">{seg("the cat", 1)}{seg("a dog", 2)}</ref>'
REFERENCE_B = f'<ref translator="B" lang="en">{seg("that cat", 1)}{seg("one dog", 2)}</ref>'
SYSTEM = f'<hyp system="s">{seg("cat", 1)}{seg("dog", 2)}</hyp>'
PROLOGUE = '<?xml version="1.0" encoding="utf-8"?>\n'


def in_documents(*contents: str, prologue: str = PROLOGUE) -> Xml:
    """Make a WMT file of documents d1, d2 ... with these contents."""
    documents = [f'<doc id="d{number}">\n{content}\n</doc>\n' for number, content in enumerate(contents, start=1)]
    return Xml(f"{prologue}<dataset>\n{''.join(documents)}</dataset>\n")


def one_document(*parts: str, prologue: str = PROLOGUE) -> Xml:
    return in_documents("\n".join(parts), prologue=prologue)


def with_text(text: str) -> Xml:
    """Make a WMT file in which this is the system's first segment."""
    return one_document(SOURCE, REFERENCE_A, SYSTEM.replace(">cat<", f">{text}<"))


def with_system(name: str) -> Callable:
    """Read SGML with a system of this name, given without another."""
    sgml = Sgml(tstset(document(TWO, sysid=name)))
    return lambda folder: read_sgml(*sgml.write(folder))


def hypotheses(*wanted: str | None) -> Callable[..., bool]:
    return lambda outputs: outputs["hypothesis"].tolist() == list(wanted)


def left_out(xml: Xml) -> Callable:
    return lambda folder: common_segments(xml(folder))


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True)
)
EXTERNAL = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n'
QUADRATIC = f'<!DOCTYPE x [<!ENTITY a "{"a" * 50_000}">]>\n'
INCLUDED = '<x xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="/etc/passwd" parse="text"/></x>'
HUGE = "word " * 2_200_001
TWO = ["the cat", "a dog"]

CASES = (
    Case(
        "B39",
        "tar: a name that leads upwards",
        archive(tarred(("../a", PLAIN))),
        error="unsafe-archive",
        said="a.txt is a tar archive that is not safe to unpack, because the name '../a' leads out of it; unpack it "
        "with a program you trust.",
    ),
    Case(
        "B39",
        "tar: an absolute path",
        archive(tarred(("/etc/a", PLAIN))),
        error="unsafe-archive",
        said="a.txt is a tar archive that is not safe to unpack, because the name '/etc/a' leads out of it; unpack "
        "it with a program you trust.",
    ),
    Case(
        "B39",
        "tar: a symbolic link",
        archive(tarred(("a", "2"))),
        error="unsafe-archive",
        said="a.txt is a tar archive that is not safe to unpack, because 'a' is a link; unpack it with a program you "
        "trust.",
    ),
    Case(
        "B39",
        "tar: a hard link",
        archive(tarred(("a", "1"))),
        error="unsafe-archive",
        said="a.txt is a tar archive that is not safe to unpack, because 'a' is a link; unpack it with a program you "
        "trust.",
    ),
    Case(
        "B39",
        "tar: a device",
        archive(tarred(("a", "3"))),
        error="unsafe-archive",
        said="a.txt is a tar archive that is not safe to unpack, because 'a' is a device or the like; unpack it with "
        "a program you trust.",
    ),
    Case(
        "B39",
        "tar: many members",
        archive(tarred(*[(str(i), b"x") for i in range(2000)])),
        error="archive",
        said="a.txt is a tar archive that holds several files: a text was expected, or an archive of one; unpack it "
        "and name the text.",
    ),
    Case("B39", "tar with one text", archive(tarred(("out/a", PLAIN))), holds=hypotheses(*OUTPUT)),
    Case(
        "B40",
        "zip: a name that leads upwards",
        archive(zipped(("..\\x", PLAIN))),
        error="unsafe-archive",
        said="a.txt is a zip archive that is not safe to unpack, because the name '..\\\\x' leads out of it; unpack "
        "it with a program you trust.",
    ),
    Case(
        "B40",
        "zip: a name twice",
        archive(zipped(("a", PLAIN), ("a", PLAIN))),
        error="archive",
        said="a.txt is a zip archive that holds several files: a text was expected, or an archive of one; unpack it "
        "and name the text.",
    ),
    Case(
        "B40",
        "zip: names that differ in case alone",
        archive(zipped(("a", PLAIN), ("A", PLAIN))),
        error="archive",
        said="a.txt is a zip archive that holds several files: a text was expected, or an archive of one; unpack it "
        "and name the text.",
    ),
    Case("B40", "zip with one text", archive(zipped(("a", PLAIN))), holds=hypotheses(*OUTPUT)),
    Case(
        "B41",
        "tags in any case",
        Sgml(tstset(document(TWO), kind="HYPSET").replace("doc", "DOC").replace("seg", "Seg")),
        holds=hypotheses(*TWO),
    ),
    Case(
        "B42",
        "two segments on a line, one of them indented",
        Sgml(tstset(document([f"<p>  {seg('the cat', 1)} {seg('a dog', 2)}</p>"]))),
        holds=hypotheses(*TWO),
    ),
    Case(
        "B42",
        "a segment of several lines",
        Sgml(tstset(document(["the\n  cat", "a dog"]))),
        holds=hypotheses(*TWO),
        warns={
            "multi-line": "a.sgm has 1 segments on several lines, which were joined by spaces; the first is in line 3."
        },
    ),
    Case(
        "B43",
        "a segment without an end",
        Sgml(tstset(document(['<seg id="1">the cat', "a dog"]))),
        error="sgml",
        said="a.sgm, line 4: <seg> stands inside the segment that begins in line 3, so that segment is not closed.",
        line=4,
    ),
    Case(
        "B43",
        "a segment without an end in XML",
        with_text("cat<seg>"),
        error="xml",
        said="a.xml, line 6: <seg> stands outside of <src>, <ref> and <hyp>, or in another.",
        line=6,
    ),
    Case(
        "B44",
        "ampersands in SGML",
        Sgml(tstset(document(["A & B &amp; C &amp;lt;", "x < y"]))),
        holds=hypotheses("A & B & C &lt;", "x < y"),
        warns={
            "raw-ampersand": "a.sgm has 1 ampersands that begin no entity, which were kept; the first is in line 3.",
            "raw-markup": "a.sgm has 1 '<' that begin no markup, which were kept; the first is in line 4.",
            "html-entities": "1 of 2 segments of a.sgm, the system have HTML entities such as &quot; (in the "
            "references: none), the first in line 3. They do not match plain characters. Unescape "
            "the file first.",
        },
    ),
    Case(
        "B44",
        "an ampersand in XML, written as it must be",
        with_text("A &amp; B &amp;lt;"),
        holds=hypotheses("A & B &lt;", "dog"),
        warns={
            "html-entities": "1 of 2 segments of a.xml, system 's' have HTML entities such as &quot; (in the "
            "references: none), the first in line 6. They do not match plain characters. Unescape "
            "the file first."
        },
    ),
    Case(
        "B44",
        "a raw ampersand in XML",
        with_text("A & B"),
        error="xml",
        said="a.xml, line 6: this is not well-formed XML: 'not well-formed (invalid token)'; copy or make the file "
        "again.",
        line=6,
    ),
    Case(
        "B44",
        "a raw < in XML",
        with_text("A < B"),
        error="xml",
        said="a.xml, line 6: this is not well-formed XML: 'not well-formed (invalid token)'; copy or make the file "
        "again.",
        line=6,
    ),
    Case(
        "B45",
        "segments without ids",
        Sgml(tstset(document([seg("the cat"), seg("a dog")]))),
        holds=hypotheses(*TWO),
        warns={
            "no-id": "a.sgm has 2 segments without an id, which were numbered in their order within the document; "
            "the first is in line 3."
        },
    ),
    Case(
        "B45",
        "an id twice",
        Sgml(tstset(document([seg("the cat", 1), seg("a dog", 1)]))),
        error="duplicate-id",
        said="a.sgm, line 4: segment '1' of document 'd' already appears in line 3: ids were expected to differ "
        "within a document.",
        line=4,
    ),
    Case(
        "B45",
        "ids in another order",
        Sgml(tstset(document([seg("a dog", 2), seg("the cat", 1)]))),
        holds=hypotheses(*TWO),
        warns={
            "id-order": "a.sgm has 2 segments whose ids do not rise by one, kept in the order of the file; the first "
            "is in line 3."
        },
    ),
    Case(
        "B45",
        "ids that are no numbers",
        Sgml(*[kind(document([seg("the cat", "x"), seg("a dog", "007")])) for kind in (tstset, refset)]),
        holds=lambda outputs: outputs["segment_id"].tolist() == ["x", "007"],
        warns={
            "id-order": "2 files have 4 segments whose ids do not rise by one, kept in the order of the file: "
            "ref.sgm (2) and a.sgm (2).",
            "hyp-is-ref": "2 of 2 segments of a.sgm, the system are identical to a reference, the first in line 3. "
            "A reference may have been given in place of an output. Give the output, or leave the system out.",
        },
    ),
    Case(
        "B46",
        "a document of the references is missing",
        Sgml(tstset(document(TWO)), refset(document(TWO), document(TWO, "e"))),
        error="missing-docs",
        said="a.sgm: the system lacks 1 of the 2 documents: 'e'; accept 'incomplete-system' to mark them as missing.",
    ),
    Case(
        "B46",
        "a document that the references do not have",
        Sgml(tstset(document(TWO), document(TWO, "e"))),
        error="missing-docs",
        said="a.sgm, line 6: the system has 1 documents missing from the references (and the source, where it is "
        "given): 'e'.",
        line=6,
    ),
    Case(
        "B46",
        "documents in another order",
        Sgml(tstset(document(["c", "d"], "e"), document(["a", "b"])), refset(document(TWO), document(TWO, "e"))),
        holds=hypotheses(*"abcd"),
    ),
    Case(
        "B47",
        "a system is missing in a document",
        in_documents(SOURCE + REFERENCE_A + SYSTEM, SOURCE + REFERENCE_A),
        error="incomplete-system",
        said="a.xml: system 's' lacks 1 of the 2 documents: 'd2'; accept 'incomplete-system' to mark them as missing.",
    ),
    Case(
        "B47",
        "a system is missing in a document, accepted",
        Xml(in_documents(SOURCE + REFERENCE_A + SYSTEM, SOURCE + REFERENCE_A).content, ["incomplete-system"]),
        holds=hypotheses("cat", "dog", None, None),
        warns={
            "incomplete-system": "a.xml, system 's' has no hypothesis for 2 of 4 segments, which were marked as "
            "missing, as accepted."
        },
    ),
    Case(
        "B47",
        "the comparison is of the common segments",
        left_out(Xml(in_documents(SOURCE + REFERENCE_A + SYSTEM, SOURCE + REFERENCE_A).content, ["incomplete-system"])),
        holds=hypotheses("cat", "dog"),
        warns={
            "incomplete-system": "a.xml, system 's' has no hypothesis for 2 of 4 segments, which were marked as "
            "missing, as accepted.",
            "left-out": "2 of 4 segments, which some run has not translated or which have no reference, are left out.",
        },
    ),
    Case(
        "B48",
        "translator B has some documents only",
        in_documents(SOURCE + REFERENCE_A + REFERENCE_B + SYSTEM, SOURCE + REFERENCE_A + SYSTEM),
        holds=lambda outputs: outputs["reference_2"].tolist() == ["that cat", "one dog", None, None],
        warns={"partial-ref": "a.xml: reference 'B' has 2 of the 4 segments; the others have no such reference."},
    ),
    Case(
        "B49",
        "a document without a reference",
        in_documents(SOURCE + REFERENCE_A + SYSTEM, SOURCE + SYSTEM),
        holds=lambda outputs: len(outputs) == 4,
        warns={
            "partial-ref": "a.xml: reference 'A' has 2 of the 4 segments; the others have no such reference.",
            "no-ref": "2 of 4 segments have no reference (a.xml, reference 'A'): leave them out of what needs one.",
        },
    ),
    Case(
        "B50",
        "a document twice in XML",
        Xml(in_documents(SOURCE + REFERENCE_A + SYSTEM, SOURCE + REFERENCE_A + SYSTEM).content.replace("d2", "d1")),
        error="duplicate-doc",
        said="a.xml, line 6: document 'd1' already appears in line 3: ids of documents were expected to differ.",
        line=6,
    ),
    Case(
        "B50",
        "a document twice in SGML",
        Sgml(tstset(document(TWO), document(TWO))),
        error="duplicate-doc",
        said="a.sgm, line 6: document 'd' of the system already appears in line 2: each document was expected once; "
        "give systems and runs names of their own.",
        line=6,
    ),
    Case(
        "B51",
        "a system twice in a document",
        one_document(SOURCE, REFERENCE_A, SYSTEM, SYSTEM),
        error="duplicate-system",
        said="a.xml, line 7: document 'd1' of system 's' already appears in line 6: each document was expected once; "
        "give systems and runs names of their own.",
        line=7,
    ),
    Case(
        "B53",
        "markup inside a segment in SGML",
        Sgml(tstset(document(["the <b>cat</b>", "a dog"]))),
        holds=hypotheses(*TWO),
        warns={
            "inline-markup": "a.sgm has 2 tags inside segments, which were left out; the text inside them was kept; "
            "the first is in line 3."
        },
    ),
    Case(
        "B53",
        "markup inside a segment in XML",
        with_text("the <b>black <i>cat</i></b>"),
        holds=hypotheses("the black cat", "dog"),
        warns={
            "inline-markup": "a.xml has 2 tags inside segments, which were left out; the text inside them was kept; "
            "the first is in line 6."
        },
    ),
    Case(
        "B54",
        "references in two languages in XML",
        one_document(SOURCE, REFERENCE_A, REFERENCE_B.replace('"en"', '"fr"'), SYSTEM),
        error="two-ref-langs",
        said="a.xml, line 6: this reference is in 'fr', but those before it in 'en': references in one language were "
        "expected.",
        line=6,
    ),
    Case(
        "B54",
        "references in two languages in SGML",
        Sgml(tstset(document(TWO)), GOOD, refset(document(TWO), language="fr")),
        error="two-ref-langs",
        said="ref2.sgm, line 2: this reference is in 'fr', but that of ref.sgm, line 2, in 'en': references in one "
        "language were expected.",
        line=2,
    ),
    Case(
        "B55",
        "a control character in XML",
        with_text("c\x01t"),
        error="xml",
        said="a.xml, line 6: this is not well-formed XML: 'not well-formed (invalid token)'; copy or make the file "
        "again.",
        line=6,
    ),
    Case(
        "B55",
        "XML cut off",
        Xml(with_text("cat").content[:-40]),
        error="xml",
        said="a.xml, line 6: this is not well-formed XML: 'unclosed token'; copy or make the file again.",
        line=6,
    ),
    Case(
        "B55",
        "XML in another encoding than it declares",
        Xml(with_text("caf\xe9").content.encode("latin-1")),
        error="xml",
        said="a.xml, line 6: this is not well-formed XML: 'not well-formed (invalid token)'; copy or make the file "
        "again.",
        line=6,
    ),
    Case(
        "B55",
        "XML that declares an unknown encoding",
        Xml(with_text("cat").content.replace("utf-8", "utf-99")),
        error="xml",
        said="a.xml, line 1: this cannot be read as XML: 'unknown encoding: utf-99'.",
        line=1,
    ),
    Case(
        "B56",
        "an entity bomb",
        one_document(SOURCE, REFERENCE_A, SYSTEM.replace("cat", "&j;"), prologue=BOMB + "]>\n"),
        error="xml-forbidden",
        said="a.xml, line 1: a DTD or entities of its own are not read, for safety's sake; remove them.",
        line=1,
    ),
    Case(
        "B56",
        "a large entity many times",
        one_document(SOURCE, REFERENCE_A, SYSTEM.replace("cat", "&a;" * 50_000), prologue=QUADRATIC),
        error="xml-forbidden",
        said="a.xml, line 1: a DTD or entities of its own are not read, for safety's sake; remove them.",
        line=1,
    ),
    Case(
        "B56",
        "an external entity",
        one_document(SOURCE, REFERENCE_A, SYSTEM.replace("cat", "&a;"), prologue=EXTERNAL),
        error="xml-forbidden",
        said="a.xml, line 1: a DTD or entities of its own are not read, for safety's sake; remove them.",
        line=1,
    ),
    Case(
        "B56",
        "a DTD",
        one_document(SOURCE, REFERENCE_A, SYSTEM, prologue='<!DOCTYPE x SYSTEM "http://localhost/x.dtd">\n'),
        error="xml-forbidden",
        said="a.xml, line 1: a DTD or entities of its own are not read, for safety's sake; remove them.",
        line=1,
    ),
    Case(
        "B56",
        "XInclude",
        with_text(INCLUDED),
        error="xml-forbidden",
        said="a.xml, line 6: XInclude is not read, for safety's sake; remove it.",
        line=6,
    ),
    Case(
        "B56",
        "entities of the file's own in SGML",
        Sgml('<!DOCTYPE x [<!ENTITY a "b">]>\n' + tstset(document(TWO))),
        error="xml-forbidden",
        said="a.sgm, line 1: the file defines entities of its own, which are not read for safety's sake; remove them.",
        line=1,
    ),
    Case(
        "B57",
        "a text of 11 MB in XML",
        with_text(HUGE),
        error="huge-text",
        said="a.xml, line 6: this text is at least 10,023,707 characters long, more than 10 MB: one segment was "
        "expected; accept 'huge-line' if this is meant.",
        line=6,
    ),
    Case(
        "B57",
        "a text of 11 MB in SGML",
        Sgml(tstset(document([HUGE, "a dog"]))),
        error="huge-text",
        said="a.sgm, line 3: 'word word word word word wo...rd word word word word word ' is 11,000,005 bytes long, "
        "more than 10 MB: one segment was expected; accept 'huge-line' if this is meant.",
        line=3,
    ),
    Case(
        "B58",
        "comments, CDATA and the like in XML",
        with_text("<?x y?>the <![CDATA[<b> & ]]>cat<!-- comment -->"),
        holds=hypotheses("the <b> & cat", "dog"),
    ),
    Case(
        "B58",
        "comments, CDATA and the like in SGML",
        Sgml(tstset(document(["<seg id='1'>the <![CDATA[<b> & ]]>cat<!-- x --></seg>", "a dog"]))),
        holds=hypotheses("the <b> & cat", "a dog"),
    ),
    Case(
        "B58",
        "a style sheet",
        one_document(SOURCE, REFERENCE_A, SYSTEM, prologue=PROLOGUE + '<?xml-stylesheet href="x.xsl"?>\n'),
        holds=hypotheses("cat", "dog"),
    ),
)
