"""The script that builds the table of known documents, on made-up sets, and the page of the table that ships."""

import importlib.util
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest

from mtworkbench.outputs.checks.known_documents import TABLE, load_table, recognize_documents

from .conftest import ROOT


@pytest.fixture(scope="module")
def script():
    found = importlib.util.spec_from_file_location("build", ROOT / "scripts" / "build_known_documents.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def write(what, n_lines=60):
    return [f"{what}, a line that is long enough to be told apart, number {number}" for number in range(n_lines)]


DOCUMENTS = [f"doc {number // 6}" for number in range(60)]


def build(script, *parts):
    builder = script.Builder()
    for part in parts:
        builder.add(part)
    return builder.table(3)


def test_text_that_pairs_share_is_held_once_and_named_by_its_language(script):
    source = write("source")
    parts = [
        script.Part("wmt99", pair, language, "en", DOCUMENTS, lines, language != "en")
        for pair in ("en-de", "en-cs")
        for language, lines in (("en", source), (pair[-2:], write(pair)))
    ]
    table = build(script, *parts)
    assert len(table.digests) == 180
    assert len(np.unique(table.documents)) == 10  # both pairs have the same
    for lines, name in ((source, "wmt99 en"), (write("en-de"), "wmt99 en-de"), (write("en-cs"), "wmt99 en-cs")):
        assert recognize_documents([lines], table).origin == f"{name}, table 3"


def test_a_digest_of_several_documents_is_held_for_each(script):
    lines = write("reference")
    lines[3] = lines[9] = lines[12] = "The same line in three documents, as a heading."
    table = build(script, script.Part("wmt99", "en-de", "de", "en", DOCUMENTS, lines, True))
    assert len(table.digests) == 60
    found = recognize_documents([lines], table).labels
    assert [found.index(label) for label in found] == [6 * (number // 6) for number in range(60)]


def test_a_document_that_two_sets_have_is_one(script):
    table = build(
        script,
        script.Part("wmt99", "en-de", "en", "en", DOCUMENTS, write("source"), False),
        script.Part("other", "eng", "eng", "eng", [f"story {name}" for name in DOCUMENTS], write("source"), True),
        script.Part("other", "fra", "fra", "eng", [f"story {name}" for name in DOCUMENTS], write("en français"), True),
    )
    assert len(np.unique(table.documents)) == 10
    assert recognize_documents([write("en français")], table).origin == "other fra, table 3"
    assert recognize_documents([write("source")], table) is not None


def test_single_lines_are_no_documents(script):
    part = script.Part("wmt99", "en-liv", "liv", "en", [str(number) for number in range(60)], write("x"), True)
    assert not script.says_documents(part)


def test_sets_of_sacrebleu(script, tmp_path, monkeypatch):
    dataset = pytest.importorskip("sacrebleu.dataset")
    columns = {"src": write("source"), "ref": write("reference"), "docid": DOCUMENTS, "origlang": ["de"] * 60}
    for name, lines in columns.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    made = SimpleNamespace(
        langpairs={"de-en": []},
        fieldnames=lambda pair: list(columns),
        get_files=lambda pair: [str(tmp_path / name) for name in columns],
    )
    monkeypatch.setitem(dataset.DATASETS, "wmt17", made)
    parts = list(script.read_sacrebleu("wmt17"))
    assert [(part.language, part.is_reference, part.source_language) for part in parts] == [
        ("de", False, "any"),
        ("en", True, "any"),
    ]
    assert recognize_documents([write("reference")], build(script, *parts)).origin == "wmt17 de-en, table 3"


def test_sets_in_sgml(script):
    """Sources and references of both directions are one set; an attribute may stand before the document's id."""
    text = "".join(
        f'<doc sysid="ref" docid="{name}" origlang="en">\n<p>\n'
        + "".join(f'<seg id="{place}">{line}</seg>\n' for place, line in enumerate(write(name, 6)))
        + "</p>\n</doc>\n"
        for name in dict.fromkeys(DOCUMENTS)
    )
    part = script.parse_sgml("wmt17", "en", "fi", "fi", text.encode())
    assert (part.pair, part.language, part.is_reference) == ("en-fi", "fi", True)
    assert part.documents == DOCUMENTS
    assert recognize_documents([part.lines], build(script, part)).origin == "wmt17 en-fi, table 3"
    assert not script.parse_sgml("wmt17", "en", "fi", "en", text.encode()).is_reference


def test_pairs_without_documents_take_those_of_the_same_source(script, tmp_path):
    """A document that the other pair lacks is found where it stands between other ones in two pairs."""
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    source = write("source")
    own = [f"a document of its own, line {number}, that the first pair does not have" for number in range(4)]
    folder = tmp_path / "txt"
    for name, lines in {
        "sources/set.en-cs.src.en": source[:12] + own + source[12:],
        "references/set.en-cs.ref.A.cs": write("czech", 64),
        "sources/set.en-de.src.en": source[30:] + own + source[:30],
        "references/set.en-de.ref.A.de": write("german", 64),
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "made"]):
        subprocess.run([*git, *command], check=True)
    builder = script.Builder()
    builder.add(script.Part("wmt99", "en-is", "en", "en", DOCUMENTS, source, False))
    script.add_texts_without_documents(builder, {"wmt99": script.Clone(tmp_path)})
    table = builder.table(3)
    for what, place in (("czech", 12), ("german", 30)):
        found = recognize_documents([write(what, 64)], table)
        assert len(set(found.labels)) == 11
        assert len(set(found.labels[place : place + 4])) == 1
        assert found.labels[place] not in (found.labels[place - 1], found.labels[place + 4])


def test_the_page_is_that_of_the_table(script):
    written = script.write_page(load_table(), (ROOT / TABLE).stat().st_size)
    assert (ROOT / "docs" / "known-documents.md").read_text("utf-8") == written
    assert (ROOT / TABLE).stat().st_size <= 5_000_000
