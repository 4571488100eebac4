"""NIST's SGML: sloppy markup, alignment by document and id, and the real files."""

import gzip

import pytest

from mtworkbench.outputs.checks.frames import common_segments
from mtworkbench.outputs.markup import is_sgml
from mtworkbench.outputs.sgml import read_sgml
from mtworkbench.outputs.text import read_outputs

from .reading import noticing, refusal

TEXTS = {"d1": ["one sentence", "and a second"], "d2": ["a third one", "the fourth", "a fifth"]}


def sgml(kind, documents=TEXTS, sysid="a", **attributes):
    """Write a set of documents, as NIST's tools do."""
    languages = 'srclang="fr"' + (' trglang="en"' if kind != "srcset" else "")
    lines = [f'<{kind} setid="made up" {languages}>']
    for name, texts in documents.items():
        lines.append(f'<DOC docid="{name}" sysid="{sysid}">')
        lines += [f'<seg id="{i}">{text}</seg>' for i, text in enumerate(texts, start=1)]
        lines.append("</DOC>")
    return "\n".join([*lines, f"</{kind}>"]) + "\n"


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", newline="")
        return str(path)

    return write


@pytest.fixture
def reference(write):
    return write("ref.sgm", sgml("refset"))


def read(*args, **kwargs):
    return noticing(read_sgml, *args, **kwargs)


def refuse(*args, **kwargs):
    return refusal(read_sgml, *args, **kwargs)


def one_segment(write, markup):
    """Read one segment, written so, of one document; return its text and the warnings."""
    text = f'<tstset><doc docid="d" sysid="s">\n{markup}\n</doc></tstset>'
    path = write("one.sgm", text)
    outputs, noticed = read(write("oneref.sgm", sgml("refset", {"d": ["the reference"]})), path)
    assert len(outputs) == 1
    return outputs["hypothesis"][0], noticed


def test_systems_runs_references_and_source(write, reference):
    second = write(
        "ref2.sgm", sgml("refset", {name: [text.upper() for text in texts] for name, texts in TEXTS.items()})
    )
    source = write("src.sgm", sgml("srcset", {"d1": ["un", "deux"], "d2": ["trois", "quatre", "cinq"]}))
    runs = [
        write(f"run{i}.sgm", sgml("tstset", {name: [f"{t} {i}" for t in texts] for name, texts in TEXTS.items()}))
        for i in (1, 2)
    ]
    base = write("base.sgm", sgml("tstset", {name: [f"{t} base" for t in texts] for name, texts in TEXTS.items()}))
    outputs, noticed = read([reference, second], {"new": runs, "base": base}, source=source)
    assert not noticed
    assert outputs.columns.tolist() == [
        *("document", "segment", "source", "reference", "reference_2", "system", "run", "hypothesis", "segment_id")
    ]
    assert outputs["system"].tolist() == ["new"] * 10 + ["base"] * 5
    assert outputs["run"].tolist() == [1] * 5 + [2] * 5 + [1] * 5
    assert outputs["document"].tolist() == ["d1", "d1", "d2", "d2", "d2"] * 3
    assert outputs["segment"].tolist() == [1, 2, 3, 4, 5] * 3
    assert outputs["segment_id"].tolist() == ["1", "2", "1", "2", "3"] * 3
    assert outputs["source"].tolist()[:5] == ["un", "deux", "trois", "quatre", "cinq"]
    assert outputs["reference_2"][4] == "A FIFTH"
    assert outputs["hypothesis"][9] == "a fifth 2"
    listed, _ = read([reference, second], [("new", runs), ("base", base)], source=source)
    assert listed.equals(outputs)


def test_a_name_given_twice_in_a_list_of_pairs(reference):
    assert str(refuse(reference, [("A", "a.sgm"), ("A", "b.sgm")])) == (
        "The system 'A' occurs twice, with 'a.sgm' and with 'b.sgm': if these are runs of one system, give them as a "
        "list; if they are different systems, give them different names."
    )


def test_one_file_with_several_references_and_systems(write):
    path = write(
        "all.sgm",
        sgml("srcset", {"d": ["source"]})
        + sgml("refset", {"d": ["first"]}, "A")
        + sgml("refset", {"d": ["second"]}, "B")
        + sgml("tstset", {"d": ["hyp x"]}, "x")
        + sgml("hypset", {"d": ["hyp y"]}, "y"),
    )
    outputs, _ = read(path, path, source=path)
    assert outputs["system"].tolist() == ["x", "y"]
    assert outputs.loc[0, ["source", "reference", "reference_2"]].tolist() == ["source", "first", "second"]
    error = refuse(path, {"x": path})
    assert error.code == "several-systems"
    assert refuse(path, [path, write("again.sgm", sgml("tstset", {"d": ["z"]}, "x"))]).code == "duplicate-system"


def test_sgml_is_known_by_its_beginning(write, tmp_path, shared):
    assert is_sgml(write("a.txt", sgml("refset")))
    assert is_sgml(
        write("a.txt", "\ufeff\r\n<?xml version='1.0'?>\n<!DOCTYPE mteval SYSTEM 'x'>\n<!-- x -->\n<mteval>\n")
    )
    (tmp_path / "a.gz").write_bytes(gzip.compress(sgml("tstset").upper().encode()))
    assert is_sgml(str(tmp_path / "a.gz"))
    for before in ('<!DOCTYPE x [<!ENTITY a "b>]">]>', "<!DOCTYPE x []>", "<!-- a > b -->", "<!---->" * 1000):
        assert is_sgml(write("a.txt", f"{before}\n{sgml('refset')}"))
        assert not is_sgml(write("a.txt", f"{before}\nplain text\n"))
    assert not is_sgml(write("a.txt", "plain text\n<refset>\n"))
    assert not is_sgml(write("a.txt", "<dataset>\n"))
    assert refusal(is_sgml, str(tmp_path / "missing")).code == "not-a-file"
    folder = shared / "realdata" / "nist-sgml"
    for path in [*folder.glob("*/*.sgm"), *folder.glob("*/*.xml")]:
        assert is_sgml(str(path))
    for path in (shared / "realdata" / "long-de-en" / "ref").iterdir():
        assert not is_sgml(str(path))


def test_markup_is_never_scored_as_text(write, shared):
    text = write("text", "one\n" * 7)
    marked = write("a.sgm", sgml("refset"))
    for reference, system in ((marked, text), (text, marked)):
        error = refusal(read_outputs, reference, {"it": system})
        assert error.code == "markup"
        assert str(error).endswith(
            "a.sgm is NIST's SGML, where plain text, one segment per line, was expected: read all files with read_sgml."
        )
    for path in (shared / "realdata" / "wmt-xml").glob("*.xml"):
        error = refusal(read_outputs, path, {"it": path})
        assert error.code == "markup"
        assert "is WMT's XML" in str(error)
        assert "on the command line with --xml" in str(error)


class TestMarkup:
    def test_case_indent_and_several_on_a_line(self, write, reference):
        text = (
            "<TSTSET SetID='x'>\n  <Doc DOCID=d1 SYSID=s genre=news>\n <HL>\n   <SEG ID=1> one </SEG> <seg id='2' >two"
            "</Seg>\n</HL></doc><doc docid='d2' sysid=s genre='blog'><p>\n<seg id=1>three\n     and more</seg>"
            "<seg id=2>four</seg><seg id=3>\r\n five\r\n</seg>\n</p></DOC>\n</tstset>"
        )
        outputs, noticed = read(reference, write("odd.sgm", text))
        assert outputs["hypothesis"].tolist() == ["one", "two", "three and more", "four", "five"]
        assert outputs["domain"].tolist() == ["news"] * 2 + ["blog"] * 3
        assert set(noticed) == {"multi-line"}
        assert noticed["multi-line"].count == 1

    @pytest.mark.parametrize(
        ("markup", "text", "code"),
        [
            ("<seg id=1>a &amp; b &lt;c&gt; &quot;d&quot; &apos;e&apos;</seg>", "a & b <c> \"d\" 'e'", None),
            ("<seg id=1>&#91;x&#x5d; &eacute;</seg>", "[x] \xe9", None),
            ("<seg id=1>once: &amp;lt;</seg>", "once: &lt;", "html-entities"),
            ("<seg id=1>1 < 2 and x <= y</seg>", "1 < 2 and x <= y", "raw-markup"),
            ("<seg id=1>so <b>bold</b> a <i class='x'>word</i></seg>", "so bold a word", "inline-markup"),
            ("<seg id=1>kept<!-- <seg> dropped --> too</seg>", "kept too", None),
            ("<seg id=1><![CDATA[<b> & ]]>kept</seg>", "<b> & kept", None),
            ("<seg>no id</seg>", "no id", "no-id"),
            ("<seg id=1 ID=2>two ids</seg>", "two ids", "duplicate-attribute"),
            ("left out <seg id=1>kept</seg>", "kept", "stray-text"),
        ],
    )
    def test_text(self, write, markup, text, code):
        found, noticed = one_segment(write, markup)
        assert found == text
        assert set(noticed) == ({code} if code else set())
        if code:
            assert noticed[code].line == 2

    def test_raw_ampersands_are_kept_and_counted(self, write):
        found, noticed = one_segment(write, "<seg id=1>R&D at AT&T & Co; &nosuch; &#99999999; &#x110000;</seg>")
        assert found == "R&D at AT&T & Co; &nosuch; &#99999999; &#x110000;"
        assert (noticed["raw-ampersand"].count, noticed["raw-ampersand"].line) == (6, 2)

    def test_an_empty_segment(self, write):
        assert one_segment(write, "<seg id=1></seg>")[0] == ""
        assert one_segment(write, "<seg id=1/>")[0] == ""
        assert "all-empty" in one_segment(write, "<seg id=1> </seg>")[1]

    def test_ids_in_another_order(self, write, reference):
        text = sgml("tstset").replace('id="2"', 'id="9"').replace('id="1"', 'id="2"').replace('id="9"', 'id="1"')
        outputs, noticed = read(reference, write("odd.sgm", text))
        assert outputs["hypothesis"].tolist() == [
            "and a second",
            "one sentence",
            "the fourth",
            "a third one",
            "a fifth",
        ]
        assert noticed["id-order"].count == 4
        named = write("ref2.sgm", sgml("refset").replace('id="', 'id="s'))
        outputs, noticed = read(named, write("odd2.sgm", sgml("tstset").replace('id="', 'id="s')))
        assert outputs["segment_id"].tolist() == ["s1", "s2", "s1", "s2", "s3"]
        assert "id-order" in noticed

    @pytest.mark.parametrize(
        ("before", "after", "line"),
        [
            ("and a second</seg>", "and a second", 5),
            ("</DOC>\n<DOC", "<DOC", 5),
            ('<seg id="2">and', "and", 4),
            ("</DOC>\n</tstset>", "</tstset>", 10),
            ('<tstset setid="made up" srclang="fr" trglang="en">', "", 2),
            ('docid="d2" ', "", 6),
            ('docid="d2" ', 'docid=" " ', 6),
            ("</DOC>\n<DOC", "</DOC></DOC>\n<DOC", 5),
            ("</tstset>", "</tstset></refset>", 11),
            ("</tstset>", "", 10),
            ("</seg>\n</DOC>\n</tstset>\n", "", 9),
            ("a fifth", "a <!-- fifth", 9),
            ("a fifth", "a <![CDATA[ fifth", 9),
            ("a fifth", "a <seg id=7> fifth", 9),
            ("<DOC", "<refset><DOC", 2),
            ('<DOC docid="d2"', '<seg id="5">x</seg><DOC docid="d2"', 6),
        ],
    )
    def test_what_does_not_fit(self, write, reference, before, after, line):
        text = sgml("tstset")
        assert before in text
        error = refuse(reference, write("bad.sgm", text.replace(before, after, 1)))
        assert (error.code, error.line) == ("sgml", line)

    def test_without_documents(self, write, reference):
        assert refuse(reference, write("bad.sgm", "just\ntext\n")).code == "sgml"
        assert refuse(reference, reference).code == "sgml"
        assert refuse(write("bad.sgm", sgml("tstset")), reference).code == "sgml"

    def test_entities_of_its_own(self, write, reference):
        text = '<!DOCTYPE mteval SYSTEM "mteval.dtd">' + sgml("tstset")
        assert len(read(reference, write("ok.sgm", text))[0]) == 5
        bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + sgml("tstset")
        assert refuse(reference, write("bad.sgm", bomb)).code == "xml-forbidden"

    def test_duplicate_ids(self, write, reference):
        error = refuse(reference, write("bad.sgm", sgml("tstset").replace('id="3"', 'id="2"')))
        assert (error.code, error.line) == ("duplicate-id", 9)

    def test_a_huge_text(self, write, reference):
        path = write("bad.sgm", sgml("tstset").replace("a fifth", "x" * 11_000_000))
        assert refuse(reference, path).code == "huge-text"
        assert "huge-line" in read(reference, path, accept=["huge-line"])[1]

    def test_many_unclosed_tags_take_no_time(self, write, reference):
        for piece in ("<seg ", '<seg id="', "<!-", "&#", "< ", '<doc docid="x" '):
            assert refuse(reference, write("bad.sgm", sgml("tstset")[:-20] + piece * 100_000)).code == "sgml"


class TestAlignment:
    def test_documents_in_another_order(self, write, reference):
        outputs, _ = read(reference, write("hyp.sgm", sgml("tstset", dict(reversed(TEXTS.items())))))
        assert outputs["document"].tolist() == ["d1", "d1", "d2", "d2", "d2"]
        assert outputs["hypothesis"].tolist() == outputs["reference"].tolist()

    def test_missing_documents(self, write, reference):
        error = refuse(reference, write("hyp.sgm", sgml("tstset", {"d1": TEXTS["d1"]})))
        assert error.code == "missing-docs"
        assert "lacks 1 of the 2 documents: 'd2'" in str(error)
        error = refuse(reference, write("hyp.sgm", sgml("tstset", TEXTS | {"d3": ["x"]})))
        assert (error.code, error.line) == ("missing-docs", 11)

    def test_missing_segments(self, write, reference):
        error = refuse(reference, write("hyp.sgm", sgml("tstset", TEXTS | {"d2": ["x", "y"]})))
        assert (error.code, error.line) == ("incomplete-system", 6)
        error = refuse(reference, write("hyp.sgm", sgml("tstset", TEXTS | {"d1": ["x", "y", "z"]})))
        assert (error.code, error.line) == ("unknown-segment", 5)

    def test_missing_ones_are_marked_when_accepted(self, write, reference):
        path = write("hyp.sgm", sgml("tstset", {"d2": ["x", "y"]}))
        full = write("full.sgm", sgml("tstset", sysid="full"))
        outputs, noticed = read(reference, [path, full], accept=["incomplete-system"])
        assert outputs["hypothesis"].tolist()[:5] == [None, None, "x", "y", None]
        assert noticed["incomplete-system"].count == 3
        common, noticed = noticing(common_segments, outputs)
        assert common["segment"].tolist() == [3, 4, 3, 4]
        assert common["hypothesis"].tolist() == ["x", "y", "a third one", "the fourth"]
        assert noticed["left-out"].count == 3
        nothing = write("none.sgm", sgml("tstset", {"d1": TEXTS["d1"]}, "none"))
        outputs, _ = read(reference, [path, nothing], accept=["incomplete-system"])
        assert refusal(common_segments, outputs).code == "no-segments"

    def test_nothing_is_left_out_where_all_is_there(self, write, reference):
        outputs, _ = read(reference, write("hyp.sgm", sgml("tstset")))
        assert common_segments(outputs) is outputs

    def test_references_of_some_documents(self, write, reference):
        second = write("ref2.sgm", sgml("refset", {"d2": ["r", "s", "t"]}))
        outputs, noticed = read([reference, second], write("hyp.sgm", sgml("tstset")))
        assert outputs["reference_2"].tolist() == [None, None, "r", "s", "t"]
        assert noticed["partial-ref"].count == 2

    def test_a_document_without_reference(self, write, reference):
        more = TEXTS | {"d3": ["new"]}
        source, system = write("src.sgm", sgml("srcset", more)), write("hyp.sgm", sgml("tstset", more))
        outputs, noticed = read(reference, system, source=source)
        assert outputs["reference"].tolist()[-1] is None
        assert noticed["no-ref"].count == 1
        common, noticed = noticing(common_segments, outputs)
        assert len(common) == 5
        assert noticed["left-out"].count == 1

    def test_a_document_twice(self, write, reference):
        twice = sgml("tstset").replace('docid="d2"', 'docid="d1"')
        error = refuse(reference, write("hyp.sgm", twice))
        assert (error.code, error.line) == ("duplicate-doc", 6)

    def test_an_empty_reference(self, write):
        empty = write("ref.sgm", sgml("refset", TEXTS | {"d1": ["", "x"]}))
        system = write("hyp.sgm", sgml("tstset"))
        error = refuse(empty, system)
        assert (error.code, error.line) == ("empty-ref", 3)
        assert read(empty, system, accept=["empty-ref"])[0]["reference"][0] == ""

    def test_two_languages(self, write, reference):
        german = write("ref2.sgm", sgml("refset").replace('trglang="en"', 'trglang="de"'))
        assert refuse([reference, german], write("hyp.sgm", sgml("tstset"))).code == "two-ref-langs"

    def test_names(self, write, reference):
        assert refuse(reference, write("hyp.sgm", sgml("tstset", sysid="ref"))).code == "reserved-name"
        assert refuse(reference, write("hyp.sgm", sgml("tstset", sysid=""))).code == "reserved-name"
        assert len(read(reference, {"named": write("hyp.sgm", sgml("tstset", sysid=""))})[0]) == 5

    def test_a_compressed_file(self, tmp_path, reference):
        (tmp_path / "hyp.sgm").write_bytes(gzip.compress(sgml("tstset").encode()))
        assert len(read(reference, {"a": tmp_path / "hyp.sgm"})[0]) == 5


class TestRealFiles:
    def test_two_sysids_in_one_tag(self, shared):
        folder = shared / "realdata" / "nist-sgml" / "appraise-newstest2019-en-de"
        outputs, noticed = read(
            folder / "newstest2019-ende-ref.de.sgm",
            str(folder / "newstest2019.Microsoft*.sgm"),
            source=folder / "newstest2019-ende-src.en.sgm",
        )
        assert set(noticed) == {"duplicate-attribute"}
        assert outputs["system"].unique().tolist() == [
            *("Microsoft-document-level", "Microsoft-sentence-level", "ms-doc-sent-level")
        ]
        # The plain texts beside them are the same, line by line.
        for system, name in zip(
            outputs["system"].unique(),
            ["document-level.6808", "sentence-level.6785", "sentence_document.6974"],
            strict=True,
        ):
            plain = (folder / f"newstest2019.Microsoft-WMT19-{name}.en-de.txt").read_text(encoding="utf-8")
            assert outputs.loc[outputs["system"] == system, "hypothesis"].tolist() == plain.split("\n")[:43]
        assert outputs["source"].tolist()[:43] == (folder / "newstest2019-ende-src.en").read_text().split("\n")[:43]

    def test_escaped_entities(self, shared):
        folder = shared / "realdata" / "nist-sgml" / "blend-to-en"
        outputs, _ = read(folder / "train.reference.toen.sgm", {"mt": folder / "train.mt-system.toen.sgm"})
        assert len(outputs) == 5360
        assert outputs["reference"][0] == '" it is our duty to remain at his sides , " he said , to applause .'
        assert not outputs["reference"].str.contains("&(?:amp|quot|apos|lt|gt|#9[13]);").any()

    def test_no_ids(self, shared):
        folder = shared / "realdata" / "nist-sgml" / "nist-mteval-kit-sample"
        files = folder / "sample-ref-translations.sgm", folder / "sample-tst-translations.sgm"
        outputs, noticed = read(*files)
        assert len(outputs) == 34
        assert set(noticed) == {"no-id"}
        assert refuse(*files, source=folder / "sample-source-data.sgm").code == "encoding"

    def test_four_references_in_xml(self, shared):
        folder = shared / "realdata" / "nist-sgml" / "nist-mteval-kit-xml-example"
        outputs, noticed = read(folder / "ref.xml", folder / "tst.xml", source=folder / "src.xml")
        assert not noticed
        assert len(outputs) == 21
        assert outputs["system"].unique().tolist() == ["sample_system"]
        assert outputs[[f"reference_{i}" for i in (2, 3, 4)]].notna().all(axis=None)

    def test_headlines_and_a_raw_ampersand(self, shared, write):
        folder = shared / "realdata" / "nist-sgml" / "moses-ems-fr-en"
        system = (folder / "test-ref.en.sgm").read_text(encoding="utf-8").replace("refset", "tstset")
        outputs, noticed = read(
            folder / "test-ref.en.sgm", {"copy": write("copy.sgm", system)}, source=folder / "test-src.fr.sgm"
        )
        assert len(outputs) == 85
        assert outputs["hypothesis"][0] == "Illhaeusern... finally"
        assert set(noticed) == {"raw-ampersand", "hyp-is-ref"}
