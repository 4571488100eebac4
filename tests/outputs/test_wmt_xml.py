"""The XML of WMT: alignment, forbidden constructs, and the published scores of the real files."""

import pytest

from mtworkbench.outputs import wmt_xml
from mtworkbench.outputs.checks.frames import common_segments
from mtworkbench.outputs.wmt_xml import read_wmt_xml

from .reading import noticing, refusal


def segments(*texts):
    return "<p>" + "".join(f'<seg id="{i}">{text}</seg>\n' for i, text in enumerate(texts, start=1)) + "</p>"


def document(name, *parts, **labels):
    attributes = "".join(f' {key}="{value}"' for key, value in labels.items())
    return f'<doc id="{name}"{attributes}>\n' + "\n".join(parts) + "\n</doc>\n"


def src(*texts):
    return f'<src lang="de">{segments(*texts)}</src>'


def ref(translator, *texts, lang="en"):
    return f'<ref lang="{lang}" translator="{translator}">{segments(*texts)}</ref>'


def hyp(system, *texts):
    return f'<hyp system="{system}" lang="en">{segments(*texts)}</hyp>'


FIRST = document(
    "d1", src("eins", "zwei"), ref("A", "one", "two"), ref("B", "1", "2"), hyp("x", "x1", "x2"), hyp("y", "y1", "y2")
)
SECOND = document("d2", src("drei"), ref("A", "three"), hyp("x", "x3"), hyp("y", "y3"))


@pytest.fixture
def write(tmp_path):
    def write(*documents, declaration='<?xml version="1.0" encoding="utf-8"?>\n', encoding="utf-8"):
        path = tmp_path / "wmt.xml"
        path.write_bytes(f"{declaration}<dataset id='made up'>\n{''.join(documents)}</dataset>\n".encode(encoding))
        return path

    return write


def read(*args, **kwargs):
    return noticing(read_wmt_xml, *args, **kwargs)


def refuse(*args, **kwargs):
    return refusal(read_wmt_xml, *args, **kwargs)


def test_one_row_a_system_and_segment(write):
    outputs, noticed = read(write(FIRST, SECOND))
    assert outputs.columns.tolist() == [
        *("document", "segment", "source", "reference", "reference_2", "system", "run", "hypothesis", "segment_id")
    ]
    assert outputs["document"].tolist() == ["d1", "d1", "d2"] * 2
    assert outputs["hypothesis"].tolist() == ["x1", "x2", "x3", "y1", "y2", "y3"]
    assert outputs["source"].tolist() == ["eins", "zwei", "drei"] * 2
    assert outputs["reference_2"].tolist() == ["1", "2", None] * 2
    assert set(noticed) == {"partial-ref"}
    assert noticed["partial-ref"].count == 1


def test_chosen_references(write):
    path = write(FIRST, SECOND)
    outputs, _ = read(path, references=["B", "A"])
    assert outputs["reference"].tolist()[:3] == ["1", "2", None]
    assert outputs["reference_2"].tolist()[:3] == ["one", "two", "three"]
    outputs, noticed = read(path, references=["B"])
    assert "reference_2" not in outputs.columns
    assert noticed["no-ref"].count == 1
    assert noticing(common_segments, outputs)[0]["segment"].tolist() == [1, 2, 1, 2]
    for unknown in (["C"], [], ["A", "A"]):
        assert refuse(path, references=unknown).code == "unknown-reference"


def test_domains_and_test_suites(write):
    labelled = FIRST.replace("<doc ", '<doc domain="news" '), SECOND.replace("<doc ", '<doc testsuite="t" ')
    outputs, noticed = read(write(*labelled))
    assert outputs["domain"].tolist()[:3] == ["news", "news", "unknown"]
    assert outputs["testsuite"].tolist()[:3] == ["", "", "t"]
    assert noticed["no-domain"].count == 1


def test_a_missing_system(write):
    lacking = SECOND.replace(hyp("y", "y3"), "")
    error = refuse(write(FIRST, lacking))
    assert error.code == "incomplete-system"
    assert "system 'y' lacks 1 of the 2 documents: 'd2'" in str(error)
    outputs, noticed = read(write(FIRST, lacking), accept=["incomplete-system"])
    assert outputs["hypothesis"].tolist() == ["x1", "x2", "x3", "y1", "y2", None]
    assert noticed["incomplete-system"].count == 1
    common, _ = noticing(common_segments, outputs)
    assert common["hypothesis"].tolist() == ["x1", "x2", "y1", "y2"]
    shorter = FIRST.replace(hyp("y", "y1", "y2"), hyp("y", "y1"))
    assert refuse(write(shorter, SECOND)).code == "incomplete-system"


@pytest.mark.parametrize(
    ("documents", "code", "line"),
    [
        ([FIRST, FIRST], "duplicate-doc", 20),
        ([document("d", src("s"), ref("A", "r"), hyp("x", "a"), hyp("x", "b"))], "duplicate-system", 10),
        ([document("d", src("s"), ref("A", "r"), ref("A", "t"), hyp("x", "b"))], "duplicate-reference", 8),
        ([document("d", src("s"), src("s"), ref("A", "t"), hyp("x", "b"))], "duplicate-source", 6),
        ([document("d", src("s"), ref("A", "r"), ref("B", "t", lang="fr"), hyp("x", "b"))], "two-ref-langs", 8),
        ([FIRST.replace('id="2">x2', 'id="1">x2')], "duplicate-id", 14),
        ([FIRST.replace('id="2">x2', 'id="7">x2')], "unknown-segment", 14),
        ([FIRST.replace('system="x"', 'system="ref:A"')], "reserved-name", None),
        ([FIRST.replace('system="x"', 'system=""')], "reserved-name", None),
        ([document("d", src("s"), ref("A", "r"))], "no-systems", None),
        ([document("d", src("s"), hyp("x", "r"))], "no-ref", None),
        ([FIRST.replace('<doc id="d1"', "<doc")], "xml", 3),
        (["<other/>"], "xml", 1),
        ([FIRST.replace("<p>", '<seg id="9">', 1).replace("</p>", "</seg>", 1)], "xml", 4),
        ([hyp("x", "a")], "xml", 3),
        (['<seg id="1">x</seg>'], "xml", 3),
        ([FIRST.replace("</ref>", "</ref>" + document("d9"), 1)], "xml", 9),
    ],
)
def test_what_does_not_fit(write, documents, code, line):
    error = refuse(write(*documents))
    assert error.code == code
    if line is not None:
        assert error.line == line


class TestWellFormedness:
    @pytest.mark.parametrize(
        ("before", "after"),
        [("eins", "a & b"), ("eins", "a < b"), ("eins", "\x01"), ("</doc>", ""), ("eins", "&nbsp;")],
    )
    def test_not_xml(self, write, before, after):
        error = refuse(write(FIRST.replace(before, after)))
        assert error.code == "xml"
        assert error.line >= 4

    def test_cut_off(self, write):
        path = write(FIRST, SECOND)
        path.write_bytes(path.read_bytes()[:-30])
        assert refuse(path).code == "xml"
        path.write_bytes(b"not at all\n")
        assert refuse(path).code == "xml"

    def test_declared_encodings(self, write):
        good = FIRST.replace("eins", "h\xf6rt")
        assert (
            read(write(good, declaration='<?xml version="1.0" encoding="iso-8859-1"?>', encoding="latin-1"))[0][
                "source"
            ][0]
            == "h\xf6rt"
        )
        assert read(write(good, declaration='<?xml version="1.0"?>', encoding="utf-16"))[0]["source"][0] == "h\xf6rt"
        for wrong in ("utf-8", "utf-16", "ascii", "gb2312", "no-such", "idna", "rot13"):
            declaration = f'<?xml version="1.0" encoding="{wrong}"?>'
            assert refuse(write(good, declaration=declaration, encoding="latin-1")).code == "xml"

    def test_comments_instructions_and_cdata(self, write):
        odd = FIRST.replace("eins", "a<!-- no -->b<?no?>c<![CDATA[ <&> ]]>d").replace(
            "zwei", "x<b>y</b>z\n   w &amp;amp;"
        )
        outputs, noticed = read(write('<?xml-stylesheet href="no.css"?>', odd))
        assert outputs["source"].tolist()[:2] == ["abc <&> d", "xyz w &amp;"]
        assert set(noticed) == {"inline-markup", "multi-line"}

    def test_text_outside(self, write):
        _, noticed = read(write(FIRST.replace("<p>", "<p>lost")))
        assert noticed["stray-text"].count == 5


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))


class TestHostile:
    @pytest.mark.parametrize(
        "declaration",
        [
            f'<!DOCTYPE x [<!ENTITY l0 "lol">{LAUGHS}]>',
            f'<!DOCTYPE x [<!ENTITY a "{"a" * 50_000}">]>',
            '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>',
            '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">',
            '<!DOCTYPE x PUBLIC "-//x" "x.dtd">',
            "<!DOCTYPE x>",
            '<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/hostname"> %p;]>',
        ],
    )
    def test_entities_and_dtds(self, write, monkeypatch, declaration):
        body = FIRST.replace("eins", "&l9;" if "l9" in declaration else "&a;" * 5000)
        path = write(body, declaration='<?xml version="1.0"?>\n' + declaration)
        read = []
        for event in ("startElement", "characters"):
            monkeypatch.setattr(wmt_xml._Handler, event, lambda handler, *found: read.append(found))
        assert refuse(path).code == "xml-forbidden"
        assert read == []  # refused at the DTD, before any entity takes room and time

    def test_xinclude(self, write):
        include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="/etc/hostname" parse="text"/>'
        assert refuse(write(FIRST.replace("eins", include))).code == "xml-forbidden"
        named = FIRST.replace("eins", '<include xmlns="http://www.w3.org/2001/XInclude" href="/etc/hostname"/>')
        assert refuse(write(named)).code == "xml-forbidden"

    @pytest.mark.parametrize("place", ["eins", "<p>"])
    def test_a_huge_text(self, write, place):
        path = write(FIRST.replace(place, place + "x" * 11_000_000, 1))
        assert refuse(path).code == "huge-text"
        assert len(read(path, accept=["huge-line"])[0]) == 4


class TestRealFiles:
    def published(self, shared, name, metric):
        lines = (shared / "realdata" / "wmt-xml" / name).read_text(encoding="utf-8").split("\n")[1:]
        rows = [line.split("\t") for line in lines if line]
        return {row[1]: float(row[5]) for row in rows if row[4] == metric}

    @pytest.mark.parametrize("translator", ["A", "B"])
    @pytest.mark.long
    def test_published_bleu(self, shared, translator):
        sacrebleu = pytest.importorskip("sacrebleu")
        path = shared / "realdata" / "wmt-xml" / "newstest2021.ru-en.all.xml"
        outputs, _ = read(path, references=[translator])
        news = outputs[outputs["testsuite"] == ""]
        assert len(outputs) == 10 * 1843
        assert len(news) == 10 * 1000
        expected = self.published(shared, "wmt21.automatic-scores.ru-en.tsv", f"bleu-{translator}")
        for system in ("Facebook-AI", "Online-B"):
            rows = news[news["system"] == system]
            score = sacrebleu.corpus_bleu(rows["hypothesis"].tolist(), [rows["reference"].tolist()]).score
            assert score == pytest.approx(expected[system], abs=5e-4)

    def test_fewer_references_in_a_test_suite(self, shared):
        outputs, noticed = read(shared / "realdata" / "wmt-xml" / "newstest2021.ru-en.all.xml")
        assert noticed["partial-ref"].count == 843
        one = outputs[outputs["system"] == "AFRL"]
        assert one["reference"].notna().all()
        assert (one["reference_2"].isna() == (one["testsuite"] != "")).all()
        assert outputs["document"].nunique() == 116

    def test_a_reference_without_translator(self, shared):
        outputs, noticed = read(shared / "realdata" / "wmt-xml" / "wmttest2022.liv-en.all.xml")
        assert len(outputs) == 5 * 420
        assert not noticed
        assert len(read(shared / "realdata" / "wmt-xml" / "wmttest2022.liv-en.all.xml", references=[""])[0]) == 5 * 420

    def test_normalization(self, shared):
        _, noticed = read(shared / "realdata" / "wmt-xml" / "wmttest2022.en-liv.all.xml")
        assert noticed["normalization"].count == 89  # of three systems: 55, 13 and 21
        assert str(noticed["normalization"]).startswith("89 segments of 3 inputs (")
        outputs, _ = read(shared / "realdata" / "wmt-xml" / "wmttest2022.en-liv.all.xml", accept=["nfc"])
        assert len(outputs) == 5 * 420

    def test_domains(self, shared):
        outputs, noticed = read(shared / "realdata" / "wmt-xml" / "wmttest2023.uk-en.all.xml")
        assert outputs["domain"].unique().tolist() == ["clipboard", "news", "other", "voice"]
        assert len(outputs) == 11 * 1826
        # Dashes were lost, and one system writes spaces before full stops.
        assert set(noticed) == {"empty-doc", "control-char", "double-spaces", "tokenization"}
        assert noticed["control-char"].count == 67
