"""Files that are not what they seem: each trait fires on its case, and none on files that are in order."""

import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from mtworkbench.errors import DataWarning
from mtworkbench.inference.comparison import compare
from mtworkbench.metrics import Bleu, ChrF, Ter
from mtworkbench.outputs.checks.names import group_look_alikes
from mtworkbench.outputs.sgml import read_sgml
from mtworkbench.outputs.table import read_table
from mtworkbench.outputs.text import make_outputs, read_outputs
from mtworkbench.outputs.wmt_xml import read_wmt_xml
from mtworkbench.statistics.segment_statistics import compute_statistics

from .reading import noticing, refusal

DATA = Path(__file__).parent.parent.parent / "data"
FLORES = DATA / "flores"
#: What the readers of this file may notice; anything else is not about what a file seems to be.
TRAITS = {
    "tokenization", "suspected-shift", "suspected-order", "nbest-list", "json-lines", "numbered-lines", "bpe-pieces",
    "sentencepiece-pieces", "mojibake", "replacement-char", "no-translation", "hyp-is-source",
    "look-alike-names",
}  # fmt: skip


def lines_of(path):
    return Path(path).read_text(encoding="utf-8").split("\n")[:-1]


REFERENCE = lines_of(FLORES / "reference.txt")
OUTPUT = lines_of(FLORES / "bergamot-base.txt")


def noticed(outputs, reference=REFERENCE, **others):
    """Return what is noticed of one output, by code; what holds of the shipped files as they are is left out."""
    _, found = noticing(make_outputs, reference, {"a": outputs}, accept=["invisible-chars"], **others)
    return found


def tokenize(text):
    return re.sub(r"([.,])(?= |$)", r" \1", text)


def statistics_warnings(outputs, metric):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compute_statistics(outputs, metric)
    assert all(one.filename == __file__ for one in caught)
    return [one.message for one in caught]


def test_the_shipped_files_are_in_order():
    assert noticed(OUTPUT) == {}


class TestTokenizedText:
    def test_tokenized_output_of_a_raw_reference(self):
        found = noticed([tokenize(text) for text in OUTPUT])
        assert set(found) == {"tokenization"}
        assert found["tokenization"].line == next(i for i, text in enumerate(OUTPUT, 1) if tokenize(text) != text)
        assert str(found["tokenization"]) == (
            "998 of 1,012 segments of system 'a' have a space before full stops or commas, as in tokenized text (in "
            "the references, 0% of these marks do), the first in entry 1. Metrics then see different words in outputs "
            "and references. Detokenize whatever is tokenized, and compare raw text with raw text."
        )

    def test_raw_output_of_a_tokenized_reference(self):
        reference = [tokenize(text) for text in REFERENCE]
        found = noticed(OUTPUT, reference)
        assert set(found) == {"tokenization"}
        assert "but the references are tokenized, the first in entry 1." in str(found["tokenization"])
        # One of several references that is written as the output is is enough.
        assert noticed(OUTPUT, [reference, REFERENCE]) == {}

    def test_all_tokenized_and_tokenized_again(self):
        lower = [tokenize(text).lower() for text in OUTPUT[:30]]
        reference = [tokenize(text) for text in REFERENCE[:30]]
        outputs, found = noticing(make_outputs, reference, {"a": lower, "b": [*lower[:29], ""]})
        assert "tokenization" not in found
        [warning] = statistics_warnings(outputs, Bleu())
        assert isinstance(warning, DataWarning)
        assert (warning.code, warning.count) == ("tokenized-twice", 2)
        assert "'a' and 'b'" in str(warning)
        assert "BLEU tokenizes them again (13a)" in str(warning)
        assert "--tokenize none" in str(warning)
        for metric in (Bleu(tokenize="none"), Bleu(tokenize="char"), ChrF(), Ter()):
            assert statistics_warnings(outputs, metric) == []
        assert statistics_warnings(make_plain(), Bleu()) == []

    def test_a_result_by_that_metric_has_the_doubt(self):
        """Also beside another metric."""
        lower = [tokenize(text).lower() for text in OUTPUT[:30]]
        reference = [tokenize(text) for text in REFERENCE[:30]]
        outputs, _ = noticing(make_outputs, reference, {"a": lower, "b": [*lower[:29], "x"]})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            both = compute_statistics(outputs, [Bleu(), ChrF()])
            found = compare(both, n_resamples=200, n_trials=200)
        codes = [[doubt.code for doubt in one.doubts if doubt.code == "tokenized-twice"] for one in both]
        assert codes == [["tokenized-twice"], []]
        [doubt] = [one for one in found.doubts if one.code == "tokenized-twice"]
        assert doubt.systems == ("a", "b") and "BLEU tokenizes them again (13a)" in doubt.sentence

    def test_blanks_of_french_and_dots_of_omission_are_no_tokens(self):
        texts = [f"Vraiment ? Oui ! Il dit : « non » ; ... et {i},5 ou 3 . 4 ..." for i in range(30)]
        others = [[f"Oui, {word}. Non {i}." for i in range(30)] for word in ("bien", "bon")]
        assert noticed([*texts, *others[0]], [*texts, *others[1]]) == {}

    def test_too_few_marks_tell_nothing(self):
        assert noticed(["a , b ."] * 4, ["a, b."] * 4) == {}

    def test_the_golden_texts_that_are_tokenized(self, shared):
        """What the README there says is tokenized: csen, zhen4, and those of ted_sk and asiya with `tok`."""
        folder = shared / "golden" / "data"
        for reference, output in [
            ("csen/ref.txt", "csen/hyp.baseline.opt0.txt"),
            ("zhen4/ref0.txt", "zhen4/hyp0.txt"),
            ("ted_sk/ref.tok.txt", "ted_sk/sys1.tok.txt"),
        ]:
            outputs, found = noticing(read_outputs, folder / reference, {"a": folder / output})
            assert TRAITS.isdisjoint(found)
            outputs = outputs[:200]
            assert [one.code for one in statistics_warnings(outputs, Bleu())] == ["tokenized-twice"]
            assert statistics_warnings(outputs, Bleu(tokenize="none")) == []


class TestOrder:
    """Outputs in another order than the reference."""

    @pytest.mark.parametrize(
        ("order", "line"),
        [
            (np.roll(np.arange(1012), 400), 1),
            (np.roll(np.arange(1012), -2), 1),
            (np.r_[0:1000, 999, 1000:1011], 1001),
            (np.r_[0:996, 998:1012, 0, 1], 997),
        ],
        ids=["rotated", "shifted by two", "a line added near the end", "two lines lost near the end"],
    )
    def test_shifts(self, order, line):
        found = noticed([OUTPUT[i] for i in order])
        assert set(found) == {"suspected-shift"}
        assert line <= found["suspected-shift"].line <= line + 3
        assert found["suspected-shift"].count == pytest.approx(0.9 * (1013 - line), abs=100 if line == 1 else 5)

    def test_what_is_said_of_a_shift(self):
        found = noticed(["", "", *OUTPUT[:-2]])
        assert str(found["suspected-shift"]).startswith(
            "933 of 1,012 segments of system 'a' match the reference of an earlier or later segment (2 segments "
            "earlier; 933 segments can be matched by their words), the first in entry 3. A line was lost or added"
        )
        assert "(1 segment later; " in str(noticed([*OUTPUT[1:], ""])["suspected-shift"])

    @pytest.mark.parametrize("n_segments", [12, 100, 1012])
    def test_shuffled_and_sorted(self, n_segments):
        reference, output = REFERENCE[:n_segments], OUTPUT[:n_segments]
        shuffled = np.random.default_rng(1).permutation(n_segments)
        for lines in ([output[i] for i in shuffled], sorted(output), sorted(output, key=len), output[::-1]):
            found = noticed(lines, reference)
            assert set(found) == {"suspected-order"}
            n_away = sum(a != b for a, b in zip(lines, output, strict=True))
            assert n_away * 0.8 <= found["suspected-order"].count <= n_away
        [where] = re.search(r"\(the first that of segment (\S+); ", str(found["suspected-order"])).groups()
        assert found["suspected-order"].line + int(where.replace(",", "")) == n_segments + 1

    @pytest.mark.long
    def test_a_long_output_is_looked_at_in_three_parts(self):
        numbers = range(20_000)
        reference = [f"the {i}th of w{i} and x{i}" for i in numbers]
        assert noticed(reference[:-1] + ["x"], reference) == {}
        assert set(noticed(reference[7000:] + reference[:7000], reference)) == {"suspected-shift"}
        shuffled = np.random.default_rng(1).permutation(20_000)
        assert set(noticed([reference[i] for i in shuffled], reference)) == {"suspected-order"}
        found = noticed([*reference[:19_980], "", *reference[19_980:-1]], reference)
        assert found["suspected-shift"].line == 19_982

    def test_bad_outputs_are_not_in_another_order(self):
        """Nothing in common, little in common, another script, another text, hardly any text, always the same text."""
        other = [text.translate(str.maketrans("abcdefghij", "бвгдежзийк")) for text in OUTPUT]
        words = np.array(" ".join(REFERENCE).split())
        draws = np.random.default_rng(1)
        salad = [" ".join(draws.choice(words, 20)) for _ in REFERENCE]
        elsewhere = (DATA / "sample" / "reference.txt").read_text(encoding="utf-8").split("\n")[:1012]
        first_words = [text.split()[0] for text in OUTPUT]
        for output in (other, salad, elsewhere, first_words, ["The cat sat."] * 1012):
            assert {"suspected-shift", "suspected-order"}.isdisjoint(noticed(output))

    def test_scripts_without_blanks(self):
        draws = np.random.default_rng(1)
        reference = ["".join(map(chr, draws.integers(0x4E00, 0x5E00, 20))) for _ in range(50)]
        output = [text[:12] + "了" + text[14:] for text in reference]
        assert noticed(output, reference) == {}
        assert set(noticed(output[1:] + output[:1], reference)) == {"suspected-shift"}
        assert set(noticed(sorted(output), reference)) == {"suspected-order"}


def as_nbest(texts):
    return [f"{i} ||| {text} ||| lm: -3.5 tm: -2.1 ||| -5.6" for i, text in enumerate(texts)]


def as_json(texts):
    """Make objects of JSON of eight texts of ten: from nine on, they are refused."""
    return [json.dumps({"id": i, "translation": text}) if i % 10 < 8 else text for i, text in enumerate(texts)]


def in_pieces(texts):
    return [re.sub(r"(?<=\w\w\w)(?=\w\w\w)", "@@ ", text) for text in texts]


def sentencepieces(texts):
    return [re.sub(r"(^| )", " ▁", text).strip() for text in texts]


def misread(texts):
    return [text.replace("a", "ä").replace("o", "é").encode("utf-8").decode("latin-1") for text in texts]


class TestContents:
    """Each trait of what stands in the lines fires on its case, in outputs and in references."""

    CASES = {
        "nbest-list": (as_nbest, 1012),
        "json-lines": (as_json, 810),
        "numbered-lines": (lambda texts: [f"{i}. {text}" for i, text in enumerate(texts, 1)], 1012),
        "bpe-pieces": (in_pieces, 1012),
        "sentencepiece-pieces": (sentencepieces, 1012),
        "mojibake": (misread, 1011),
        "replacement-char": (lambda texts: [*texts[:6], texts[6].replace("a", "\ufffd"), *texts[7:]], 1),
        "no-translation": (lambda texts: [*texts[:6], "[No translation supplied]", *texts[7:]], 1),
    }

    @pytest.mark.parametrize("code", CASES)
    def test_outputs(self, code):
        change, count = self.CASES[code]
        found = noticed(change(OUTPUT))
        assert set(found) - {"control-char"} == {code}
        assert found[code].line == (1 if count > 1 else 7)
        assert found[code].count == pytest.approx(count, abs=12)
        assert "system 'a'" in str(found[code])

    @pytest.mark.parametrize("code", CASES)
    def test_references(self, code):
        """Where references have it as well, scores are even higher than they should be."""
        change, count = self.CASES[code]
        found = noticed(change(OUTPUT), change(REFERENCE))
        assert set(found) - {"control-char"} == {code}
        assert found[code].count == pytest.approx(2 * count, abs=24)

    @pytest.mark.parametrize("n_without, is_found", [(250, True), (2950, False)])
    def test_what_most_lines_must_have_may_be_missing_in_the_first(self, n_without, is_found):
        lines = [f"{i if i > n_without else 'No'} {i:x}: {text}" for i, text in enumerate(3 * OUTPUT[:1000], start=1)]
        reference = [f"{i:x}: {text}" for i, text in enumerate(3 * REFERENCE[:1000], start=1)]
        found = noticed(lines, reference)
        assert ("numbered-lines" in found) == is_found
        if is_found:
            assert found["numbered-lines"].count == 2750

    def test_what_is_said(self):
        found = noticed(["[No translation supplied]", *OUTPUT[1:]])
        assert str(found["no-translation"]) == (
            "1 of 1,012 segments of system 'a' say that no translation was supplied, the first in entry 1. This is "
            "scored as a translation. Translate them, or leave the segments out of all files."
        )
        lines = [f"{i}\t{text}" for i, text in enumerate(OUTPUT)]
        found = noticed(lines)
        assert str(found["numbered-lines"]) == (
            "1,012 of 1,012 segments of system 'a' begin with their line number. The numbers are scored as words. "
            "Remove the numbers."
        )

    def test_texts_that_are_all_json_are_refused(self, tmp_path):
        """The forms of WMT25 and WMT26, and of lm-evaluation-harness."""
        texts = ["a b c d", "e f g h"]
        for name, keys, remedy, rows in [
            (
                "wmt.jsonl",
                "'doc_id' and 'hypothesis'",
                "name WMT's test set (.jsonl, with 'refs') as the reference (in Python, read_wmt_jsonl)",
                [{"doc_id": i, "hypothesis": text} for i, text in enumerate(texts)],
            ),
            (
                "samples.jsonl",
                "'doc_id', 'doc', 'target', 'arguments', 'resps' and 2 more",
                "give only files of such samples, one per model (in Python, read_lm_eval)",
                [
                    {"doc_id": 0, "doc": {}, "target": text, "arguments": [[text]], "resps": [[text]]}
                    | {"filtered_resps": [text], "bleu": 1.0}
                    for text in texts
                ],
            ),
            (
                "table.jsonl",
                "'system' and 'text'",
                "name the file with --table (in Python, read_table)",
                [{"system": "a", "text": text} for text in texts],
            ),
        ]:
            (tmp_path / "ref.txt").write_text("a b c d\n")
            (tmp_path / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows) + "\n")
            text_and_json = [tmp_path / "ref.txt", tmp_path / name]
            for reference, output in (text_and_json, text_and_json[::-1]):
                error = refusal(read_outputs, reference, {"a": output})
                assert (error.code, error.path, error.line) == ("json-lines", str(tmp_path / name), 1)
                assert str(error) == (
                    f"{tmp_path / name}, line 1: every line is a JSON object (keys here: {keys}), but plain "
                    f"text was expected: {remedy}, or accept 'json-lines' to score the objects as they are."
                )
        error = refusal(make_outputs, ["a", "b"], {"a": ["a", "b"], "b": ['{"x": 1}', '{"x": 2}']})
        assert str(error) == (
            "system 'b', entry 1: every entry is a JSON object (key here: 'x'), but plain text was expected: extract "
            "the text, which is the value of one key, or accept 'json-lines' to score the objects as they are."
        )
        objects = ['{"x": 1}', '{"x": 2}']
        found, _ = noticing(make_outputs, ["a", "b"], {"a": ["a", "b"], "b": objects}, accept=["json-lines"])
        assert list(found["hypothesis"])[2:] == objects

    def test_a_broken_line_among_ten_of_json_changes_nothing(self):
        outputs = [f'{{"x": {i}}}' for i in range(9)]
        error = refusal(make_outputs, [str(i) for i in range(10)], {"a": [*outputs, "cut off"]})
        assert str(error).startswith("system 'a', entry 1: 9 of 10 entries are JSON objects (key here: 'x'), but")
        kept, _ = noticing(make_outputs, [str(i) for i in range(10)], {"a": [*outputs[:8], "two", "texts"]})
        assert len(kept) == 10

    def test_objects_without_keys_are_no_export(self):
        kept, _ = noticing(make_outputs, ["a"], {"a": ["{}"]})
        assert list(kept["hypothesis"]) == ["{}"]

    def test_one_line_of_json_in_a_text_is_text(self):
        assert noticed(['{"x": 1}', *OUTPUT[1:]]) == {}
        assert noticed(["[1, 2]"] * 2, ["[1, 2, 3]", "[1]"])["json-lines"].count == 4

    def test_no_translation_is_scored_as_it_stands(self):
        outputs, _ = noticing(make_outputs, ["a b c d", "e f g h"], {"a": ["a b c d", "[No translation supplied]"]})
        assert outputs["hypothesis"].tolist() == ["a b c d", "[No translation supplied]"]

    @pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
    def test_mojibake_of_many_languages(self, encoding):
        texts = ["Müller größer", "déjà été", "señor año", "żółty wąż", "Příliš žluťoučký", "Привет", "ψυχή", "‘so’ –"]
        misread = [text.encode("utf-8").decode(encoding, "replace").replace("\ufffd", "") for text in texts]
        for good, bad in zip(texts, misread, strict=True):
            assert "mojibake" in noticed([bad] * 2, ["x", "y"]), bad
            assert "mojibake" not in noticed([good] * 2, ["x", "y"])

    def test_good_text_that_comes_near(self):
        lines = [
            "“AMANHÔ e “IRMÔ, NÃO", "ČTÚ’s, Ä… Å – Ø 20 mm", "À « côté » é… è”", "a || b ||| c", "{this} [that]",
            "[1] 2 3", "user@@example.com @@ -1,3 +1 @@", "No translation was supplied by the translator.", "2. Nun",
            "Ærø Åse Øre Ñandú Ðor", "1", "10:30",
        ]  # fmt: skip
        assert TRAITS.isdisjoint(noticed(lines * 2, [f"x {number}" for number in range(24)]))


class TestUntranslated:
    def test_an_output_that_is_the_source(self):
        found = noticed(["x", *OUTPUT[1:]], source=["y", *OUTPUT[1:]])
        assert set(found) == {"hyp-is-source"}
        assert (found["hyp-is-source"].line, found["hyp-is-source"].count) == (2, 1011)
        assert str(found["hyp-is-source"]) == (
            "1,011 of 1,012 segments of system 'a' are identical to the source, the first in entry 2. The source may "
            "have been given in place of an output. Give the output, or leave the system out."
        )

    def test_a_third_of_it(self):
        source = [*OUTPUT[:340], *(f"quelle {i}" for i in range(340, len(OUTPUT)))]
        assert set(noticed(OUTPUT, source=source)) == {"hyp-is-source"}

    def test_names_and_empty_lines_are_alike_in_any_language(self):
        source = [*OUTPUT[:10], *[f"Quelle {i}" for i in range(690)], *[""] * 312]
        found = noticed([*OUTPUT[:700], *[""] * 312], source=source)
        assert set(found) == {"empty-hyp", "empty-source"}


class TestLookAlikeNames:
    """Names that differ by what cannot be seen are named with escapes."""

    PAIRS = (
        ("base", "base "),
        ("base", "ba\u200bse"),
        ("base", "base\xa0"),
        ("caf\xe9", "cafe\u0301"),
        ("xmt", "\u0445mt"),
        ("OMT", "\u039fMT"),
        ("en-de", "en\u2011de"),
        ("a\u0308\u200d", "\xe4"),
    )

    @pytest.mark.parametrize(("one", "other"), PAIRS)
    def test_systems(self, one, other):
        systems = {one: ["a b c d", "e f g h"], "third": ["a b", "e f"], other: ["a b c", "e f g"]}
        _, found = noticing(make_outputs, ["a b c d x", "e f g h x"], systems)
        assert set(found) == {"look-alike-names"}
        assert found["look-alike-names"].count == 2
        assert str(found["look-alike-names"]) == (
            f"2 systems have names that look the same but are not: {one!a} and {other!a}. They are treated as "
            "different systems; if they are the same, give them one name."
        )

    @pytest.mark.parametrize(("one", "other"), PAIRS)
    def test_documents_and_domains(self, one, other, tmp_path):
        for name, texts in {"ref": "abc", "a": "abd", "docs": [one, one, other]}.items():
            (tmp_path / name).write_bytes("".join(f"{text}\n" for text in texts).encode())
        for what in ("documents", "domains"):
            arguments = {what: tmp_path / "docs", "accept": ["invisible-chars"]}
            _, found = noticing(read_outputs, tmp_path / "ref", {"a": tmp_path / "a"}, **arguments)
            assert set(found) == {"look-alike-names"}
            warning = found["look-alike-names"]
            assert (warning.path, warning.line, warning.count) == (str(tmp_path / "docs"), 3, 2)
            assert f"{one!a} and {other!a}" in str(warning)
            assert f"2 {what} have names" in str(warning)

    def test_judgements(self, tmp_path):
        rows = ["system\tsegment\tmqm", "base\t1\t0.5", "base\t2\t0.5", "base \t1\t0.5", "base \t2\t1"]
        (tmp_path / "mqm.tsv").write_text("\n".join(rows) + "\n")
        _, found = noticing(read_table, tmp_path / "mqm.tsv")
        assert set(found) == {"look-alike-names"}
        assert "'base' and 'base '" in str(found["look-alike-names"])

    def test_names_that_look_different(self):
        names = ["base", "Base", "base.", "bäse", "ba se", "base-1", "base_1", "l", "1", "хорошо", "xopowo", "模型"]
        assert group_look_alikes(names) == []


def make_plain():
    return make_outputs(REFERENCE, {"a": OUTPUT}, accept=["invisible-chars"])


# Of these real outputs, some lines have blanks before marks, where no reference has any.
WITH_BLANKS = ("ZengHuiMT", "meteor_example")


class TestFilesInOrder:
    """No trait is seen in real files that are in order, nor in the files that ship."""

    def test_shipped(self):
        systems = {name: str(DATA / "sample" / f"{name}.run*.txt") for name in ("baseline", "tweaked", "retrained")}
        _, found = noticing(read_outputs, DATA / "sample" / "reference.txt", systems)
        assert TRAITS.isdisjoint(found)
        outputs, found = noticing(read_outputs, FLORES / "reference.txt", {"all": str(FLORES / "bergamot-*.txt")})
        assert TRAITS.isdisjoint(found)
        assert statistics_warnings(outputs.iloc[: len(REFERENCE)], Bleu()) == []

    @pytest.mark.parametrize(
        "kind", ["long", "wmt17", "en-de", "he-en", "multiref", "zh", "e2e", "golden", "sgml", "xml"]
    )
    @pytest.mark.long
    def test_real(self, shared, kind):
        for reader, *arguments in real_files(shared, kind):
            _, found = noticing(reader, *arguments[:-1], **arguments[-1])
            if any(name in str(found.get("tokenization", "")) for name in WITH_BLANKS):
                del found["tokenization"]
            assert TRAITS & set(found) == set(), (kind, arguments)


@pytest.mark.parametrize(
    ("code", "text"), [("html-entities", "a &amp; b"), ("control-char", "a\x0bb"), ("normalization", "e\u0301")]
)
def test_what_only_lines_far_from_the_first_have_is_noticed(code, text):
    lines = [f"line {i} of many" for i in range(1500)]
    assert code in noticed([*lines, *[text] * 3], [*lines, *["a b"] * 3])


def real_files(shared, kind):
    """Yield a reader and what it reads, the last being keyword arguments.

    The SGML of blend is tokenized throughout, so no trait is seen until a metric tokenizes it again. Not here, because
    they are tokenized and so are not in order under a metric that tokenizes: golden/data csen, zhen4,
    ted_sk and asiya (`tok`), in which outputs and references are tokenized alike; and tercom, whose output is tokenized
    and whose references are not.
    """
    real, golden = shared / "realdata", shared / "golden" / "data"
    hidden = {"accept": ["invisible-chars"]}
    if kind == "long":
        for reference in sorted((real / "long-de-en" / "ref").iterdir()):
            engines = sorted((real / "long-de-en" / "sys").iterdir())
            yield read_outputs, reference, {engine.name: engine / reference.name for engine in engines}, hidden
    elif kind == "wmt17":
        folder = real / "wmt17-en-de-16systems"
        systems = {path.name: path for path in sorted((folder / "sys").iterdir())}
        yield read_outputs, folder / "ref" / "newstest2017.ref.de", systems, hidden
    elif kind in ("en-de", "he-en"):
        folder = real / "mt-metrics-eval" / "wmt23"
        systems = {path.stem: path for path in sorted((folder / "system-outputs" / kind).iterdir())}
        source = {"source": folder / "sources" / f"{kind}.txt"}
        yield read_outputs, folder / "references" / f"{kind}.refA.txt", systems, hidden | source
    elif kind == "multiref":
        folder = real / "multiref11-wmt14-en-de"
        systems = {path.stem: path for path in sorted((folder / "sys").iterdir())}
        references = [folder / "refs" / f"ref.{name}.de" for name in ("T", "R1", "R7")]
        yield read_outputs, references, systems, hidden | {"source": folder / "src" / "wmt14.en"}
    elif kind == "zh":
        begin = str(real / "odd-files" / "crlf-newstest2018-en-zh-first1000" / "newstest2018.")
        systems = {"gtcom": f"{begin}GTCOM-Primary.5762.en-zh", "b": f"{begin}online-B.0.en-zh"}
        yield read_outputs, f"{begin}ref.zh", systems, hidden
    elif kind == "e2e":
        folder = real / "replications-e2e-nlg"
        runs = sorted((folder / "hyps").glob("*/*.txt"))
        systems = {f"{path.parent.name} {path.stem}": path for path in runs}
        source = {"source": folder / "src" / "meaning-representations.txt", "accept": ["invisible-chars", "absent-ref"]}
        yield read_outputs, str(folder / "refs" / "ref.[0-9]*.txt"), systems, source
    elif kind == "golden":
        for reference, outputs in [
            ("ted_sk/ref.detok.txt", "ted_sk/sys*.detok.txt"),
            ("meteor_example/ref.txt", "meteor_example/hyp.txt"),
            ("edge/ref0.txt", "edge/hyp.txt"),
            ("asiya/ref.raw.txt", "asiya/[!r]*.raw.txt"),
            ("wmt17_ende/ref.txt.gz", "wmt17_ende/[!r]*.txt.gz"),
        ]:
            systems = {path.name: path for path in sorted(golden.glob(outputs))}
            accept = ["invisible-chars", "empty-ref"]
            yield read_outputs, golden / reference, systems, {"accept": accept}
    elif kind == "sgml":
        folder = real / "nist-sgml"
        for reference, outputs in [
            ("appraise-newstest2019-en-de/newstest2019-ende-ref.de.sgm", "appraise-newstest2019-en-de/*WMT19*.sgm"),
            ("blend-to-en/newstest2017-ruen-ref.en.sgm", "blend-to-en/newstest2017.*.sgm"),
            ("blend-to-en/train.reference.toen.sgm", "blend-to-en/train.mt-system.toen.sgm"),
            ("nist-mteval-kit-sample/sample-ref-translations.sgm", "nist-mteval-kit-sample/sample-tst-*.sgm"),
        ]:
            yield read_sgml, folder / reference, {path.name: path for path in sorted(folder.glob(outputs))}, hidden
    else:
        for path in sorted((real / "wmt-xml").glob("*.xml")):
            yield read_wmt_xml, path, {"accept": ["invisible-chars", "incomplete-system"]}
