"""Public test sets by name: what sacreBLEU has of them, and what is said where it has nothing or half of it."""

import io

import pytest
from sacrebleu.dataset import DATASETS
from sacrebleu.metrics.bleu import BLEU

from mtworkbench import read_outputs, read_test_set
from mtworkbench.metrics.sacrebleu_adapter import tokenizer_for
from tests.made_test_sets import N_SEGMENTS, SYSTEMS, URL, put_in_folder, texts

from .reading import noticing, refusal

ORIGINAL = (["yy"] * 4 + ["xx"] * 4) * 5


@pytest.fixture
def archives(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return put_in_folder(monkeypatch, tmp_path / "sets")


def read(*args, **kwargs):
    return noticing(read_test_set, *args, **kwargs)[0]


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return str(path)


def test_a_test_set_with_outputs_is_read_as_its_files_are(archives, tmp_path):
    found = read("made-up", "xx-yy")
    documents = [f"doc{place // 4}" for place in range(N_SEGMENTS)]
    plain = {name: write(tmp_path / name, texts(file)) for name, file in SYSTEMS.items()}
    expected, _ = noticing(
        read_outputs,
        write(tmp_path / "ref", texts("reference")),
        plain,
        source=write(tmp_path / "src", texts("baseline.run3")),
        documents=write(tmp_path / "docs", documents),
        domains=write(tmp_path / "domains", ["news"] * N_SEGMENTS),
    )
    assert found.drop(columns="origlang").equals(expected)
    assert found["origlang"].tolist() == ORIGINAL * 3


def test_your_outputs_are_read_alone_unless_systems_of_the_test_set_are_named(archives, tmp_path):
    own = {"mine": write(tmp_path / "mine.txt", texts("retrained.run2"))}
    assert read("made-up", "xx-yy", own)["system"].unique().tolist() == ["mine"]
    both = read("made-up", "xx-yy", own, systems=["online-*", "mine"])
    assert both["system"].unique().tolist() == ["online-A", "online-B", "mine"]
    assert both["hypothesis"].tolist()[-N_SEGMENTS:] == texts("retrained.run2")
    assert read("made-up", "xx-yy", systems=["base"])["system"].unique().tolist() == ["base"]


def test_yours_is_read_where_the_test_set_has_a_system_of_that_name(archives, tmp_path):
    own = {"base": write(tmp_path / "base.txt", texts("retrained.run2"))}
    found = read("made-up", "xx-yy", own, systems=["base"])
    assert found["hypothesis"].tolist() == texts("retrained.run2")


def test_outputs_in_a_folder_are_named_by_their_files(archives, tmp_path):
    (tmp_path / "sys").mkdir()
    for name, file in SYSTEMS.items():
        write(tmp_path / "sys" / f"out.{name}.txt", texts(file))
    assert read("plain", "xx-yy", "sys", systems=["online-B", "b*"])["system"].unique().tolist() == ["online-B", "base"]


def test_without_outputs_there_is_a_row_per_segment(archives):
    found = read_test_set("plain", "xx-yy")
    assert found.columns.tolist() == ["segment", "source", "reference"]
    assert found["segment"].tolist() == list(range(1, N_SEGMENTS + 1))
    assert (found["source"].tolist(), found["reference"].tolist()) == (texts("baseline.run3"), texts("reference"))


def test_files_of_a_real_set_that_are_there_need_no_network(archives, tmp_path, monkeypatch):
    monkeypatch.setattr(DATASETS["wmt17"], "_outdir", str(tmp_path / "wmt17"))
    monkeypatch.setattr(DATASETS["wmt17"], "_rawdir", str(tmp_path / "wmt17" / "raw"))
    (tmp_path / "wmt17").mkdir()
    fields = {"src": texts("baseline.run3"), "ref": texts("reference"), "docid": ["d"] * N_SEGMENTS}
    for field, lines in (fields | {"genre": [""] * N_SEGMENTS, "origlang": [""] * N_SEGMENTS}).items():
        write(tmp_path / "wmt17" / f"wmt17.en-de.{field}", lines)
    found = read_test_set("wmt17", "en-de")
    assert found.columns.tolist() == ["segment", "source", "document", "reference"]  # what is empty is not known
    assert found["reference"].tolist() == texts("reference")


@pytest.mark.parametrize(
    ("name", "pair", "code", "sentence"),
    [
        ("wmt99", "xx-yy", "unknown-test-set", "has no test set 'wmt99': did you mean 'wmt19'? 'sacrebleu --list'"),
        (["wmt17"], "en-de", "unknown-test-set", "has no test set \"['wmt17']\": did you mean 'wmt17'?"),
        ("plain", ["xx-yy"], "unknown-pair", "has the language pair xx-yy, not ['xx-yy']; did you mean xx-yy?"),
        ("qqqq", "xx-yy", "unknown-test-set", "has no test set 'qqqq': 'sacrebleu --list' lists them all; for other"),
        ("wmt17,wmt18", "en-de", "unknown-test-set", "name one; for a verdict over several, list their files in a"),
        ("made-up", "xx-y", "unknown-pair", "language pairs xx-br, xx-no, xx-yy, xx-zh, not xx-y; did you mean xx-yy?"),
        ("plain", "yy-xx", "unknown-pair", "The test set 'plain' has the language pair xx-yy, not yy-xx."),
    ],
)  # fmt: skip
def test_unknown_names_are_refused_with_the_nearest(archives, name, pair, code, sentence):
    found = refusal(read_test_set, name, pair)
    assert (found.code, sentence in str(found)) == (code, True), found


def test_an_unknown_system_is_refused_with_the_nearest(archives):
    found = refusal(read_test_set, "made-up", "xx-yy", systems=["onlin-A"])
    known = "The systems are 'base', 'online-A' and 'online-B'."
    assert str(found) == f"There is no system 'onlin-A': did you mean 'online-A'? {known}"


def test_without_a_network_one_sentence_says_where_to_put_the_file(archives):
    found = refusal(read_test_set, "absent", "xx-yy")
    what = f"{URL.format('absent')} (MD5 {DATASETS['absent'].md5[0]})"
    assert str(found) == (
        "sacreBLEU does not have the test set 'absent', and cannot fetch it (Name or service not known): save "
        f"{what} as {archives['absent']}, and try again."
    )
    assert found.code == "absent-test-set"
    assert [path.suffix for path in archives["absent"].parent.iterdir()] == [".lock"]  # nothing that looks like data


def test_half_a_download_is_not_taken_for_a_file(archives):
    data = archives["plain"].read_bytes()
    archives["plain"].write_bytes(data[: len(data) // 2])
    found = refusal(read_test_set, "plain", "xx-yy")
    assert (found.code, found.path) == ("damaged-test-set", str(archives["plain"]))
    assert "perhaps only a part of it" in str(found) and URL.format("plain") in str(found)
    assert not (archives["plain"].parent / "plain.src").exists()
    archives["plain"].write_bytes(data)
    assert len(read_test_set("plain", "xx-yy")) == N_SEGMENTS


def test_what_a_download_that_fails_leaves_is_named(archives, monkeypatch):
    """sacreBLEU keeps a file with another MD5 sum, says so in its log, and ends the program."""
    archives["plain"].unlink()
    monkeypatch.setattr("urllib.request.urlopen", lambda url: io.BytesIO(b"not found"))
    found = refusal(read_test_set, "plain", "xx-yy")
    assert (found.code, found.path) == ("damaged-test-set", str(archives["plain"]))


@pytest.mark.parametrize("kept", [0, 10, N_SEGMENTS - 1])
def test_a_file_that_was_not_written_to_its_end_is_refused(archives, kept):
    read_test_set("plain", "xx-yy")
    source = archives["plain"].parent.parent / "plain.xx-yy.src"
    write(source, texts("baseline.run3")[:kept])
    found = refusal(read_test_set, "plain", "xx-yy")
    assert found.code == "damaged-test-set"
    assert str(found).startswith(f"{source} has {kept} lines, but {source.with_suffix('.ref')} has {N_SEGMENTS}: ")


def test_what_sacrebleu_cannot_unpack_is_one_sentence(archives):
    found = refusal(read_test_set, "made-up", "xx-br")
    assert found.code == "damaged-test-set"
    assert str(found).startswith("sacreBLEU cannot unpack the test set 'made-up' (XMLSyntaxError: ")
    assert str(found).endswith(f": delete the folder {archives['made-up'].parent.parent} and try again.")


def test_a_file_that_the_archive_does_not_have_is_named(archives):
    found = refusal(read_test_set, "made-up", "xx-no")
    assert (found.code, "xml/set.xx-no.xml'" in str(found)) == ("damaged-test-set", True)


def test_sacrebleus_own_names_are_still_there():
    """What is used of it that is not public."""
    for dataset in DATASETS.values():
        assert dataset._rawdir.startswith(dataset._outdir)
        assert all(dataset._get_tarball_filename(url) for url in dataset.data)
        assert all(dataset.md5) and len(dataset.md5) == len(dataset.data)
    assert {language: tokenizer_for(language) for language in ("zh", "ja", "de")} == {
        "zh": BLEU(trg_lang="zh").tokenizer.signature(),
        "ja": "ja-mecab",
        "de": None,
    }
