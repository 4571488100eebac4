"""WMT's JSON lines: outputs found by their documents, one language pair, nothing taken for text that is JSON."""

import json
import random

import pytest

import mtworkbench as mtw
from mtworkbench import cli
from mtworkbench.outputs.wmt_jsonl import is_wmt_jsonl, read_wmt_jsonl

from .reading import noticing, refusal

PAIRS = ("eng_Latn-deu_Latn", "eng_Latn-ces_Latn")
SAMPLE = mtw.find_shipped("data/sample")
REFERENCE = (SAMPLE / "reference.txt").read_text("utf-8").splitlines()[:60]
SYSTEMS = {
    name: (SAMPLE / f"{name}.run1.txt").read_text("utf-8").splitlines()[:60]
    for name in ("baseline", "tweaked", "retrained")
}


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def identify(number, pair=PAIRS[0]):
    source, target = pair.split("-")
    return f"WMT26_###_news_###_{source}_###_{target}_###_doc{number}"


def make_test_set(pairs=PAIRS, **values):
    return [
        {"doc_id": identify(i, pair), "domain": "news", "src_lang": pair.split("-")[0], "tgt_lang": pair.split("-")[1]}
        | {"src_text": f"source {i}", "video": None, "refs": {"refA": text, "refPE": text.lower()}}
        | values
        for pair in pairs
        for i, text in enumerate(REFERENCE)
    ]


def outputs_of(name, pairs=PAIRS):
    rows = [
        {"doc_id": identify(i, pair), "hypothesis": text, "metadata": {"tokens": i}}
        for pair in pairs
        for i, text in enumerate(SYSTEMS[name])
    ]
    random.Random(name).shuffle(rows)
    return rows


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wmt26.jsonl").write_text(lines(make_test_set()))
    (tmp_path / "systems").mkdir()
    for name in SYSTEMS:
        pairs = PAIRS[:1] if name == "retrained" else PAIRS
        (tmp_path / "systems" / f"{name} 2.5-7B.jsonl").write_text(lines(outputs_of(name, pairs)))
    return tmp_path


def read(*args, **kwargs):
    return noticing(read_wmt_jsonl, *args, **kwargs)


def refuse(*args, **kwargs):
    return refusal(read_wmt_jsonl, *args, **kwargs)


def test_outputs_are_found_by_their_documents_whatever_their_order(folder):
    outputs, noticed = read("wmt26.jsonl", "systems/*.jsonl", language_pair=PAIRS[0], references=["refA"])
    assert not noticed
    assert outputs["system"].unique().tolist() == [f"{name} 2.5-7B" for name in sorted(SYSTEMS)]
    for name, of_system in outputs.groupby("system"):
        assert of_system["hypothesis"].tolist() == SYSTEMS[name.split()[0]]
        assert of_system["reference"].tolist() == REFERENCE
        assert of_system["document"].tolist() == [identify(i) for i in range(60)]
        assert set(of_system["domain"]) == {"news"}
        assert of_system["source"].iloc[7] == "source 7"


def test_all_references_are_taken_unless_some_are_named(folder):
    outputs, _ = read("wmt26.jsonl", "systems", language_pair=PAIRS[0])
    assert outputs["reference_2"].tolist()[:60] == [text.lower() for text in REFERENCE]
    outputs, _ = read("wmt26.jsonl", "systems", language_pair=PAIRS[0], references=["refPE"])
    assert outputs["reference"].tolist()[:60] == [text.lower() for text in REFERENCE]
    error = refuse("wmt26.jsonl", "systems", language_pair=PAIRS[0], references=["refB"])
    assert error.code == "unknown-reference"
    assert "has no reference 'refB' for eng_Latn-deu_Latn; there: 'refA' and 'refPE'." in str(error)


def test_one_of_several_language_pairs_must_be_chosen(folder):
    error = refuse("wmt26.jsonl", "systems")
    assert error.code == "unknown-pair"
    assert str(error) == (
        "wmt26.jsonl holds 2 language pairs, 'eng_Latn-deu_Latn' and 'eng_Latn-ces_Latn': choose one with "
        "--language-pair eng_Latn-deu_Latn (in Python, language_pair='eng_Latn-deu_Latn')."
    )
    error = refuse("wmt26.jsonl", "systems", language_pair="eng_Latn-deu_Lat")
    assert str(error).endswith("but 'eng_Latn-deu_Latn' and 'eng_Latn-ces_Latn'; did you mean 'eng_Latn-deu_Latn'?")
    whole, _ = read("wmt26.jsonl", "systems", language_pair="eng_Latn-deu_Latn")
    short, _ = read("wmt26.jsonl", "systems", language_pair="eng-deu")
    assert short.equals(whole)


def test_systems_without_the_language_pair_are_left_out_and_named(folder):
    outputs, noticed = read("wmt26.jsonl", "systems", language_pair=PAIRS[1])
    assert outputs["system"].unique().tolist() == ["baseline 2.5-7B", "tweaked 2.5-7B"]
    assert str(noticed["left-out"]) == (
        "System 'retrained 2.5-7B' has no outputs of this language pair and was left out."
    )
    error = refuse("wmt26.jsonl", "systems/retrained*", language_pair=PAIRS[1])
    assert error.code == "no-systems"


def test_some_systems_are_chosen_before_they_are_checked(folder):
    (folder / "systems" / "partial.jsonl").write_text(lines(outputs_of("tweaked", PAIRS[:1])[1:]))
    error = refuse("wmt26.jsonl", "systems", language_pair=PAIRS[0])
    assert error.code == "incomplete-system"
    outputs, _ = read("wmt26.jsonl", "systems", language_pair=PAIRS[0], chosen=["tweak*", "base*"])
    assert outputs["system"].unique().tolist() == ["tweaked 2.5-7B", "baseline 2.5-7B"]
    outputs, _ = read("wmt26.jsonl", "systems", language_pair=PAIRS[0], accept=["incomplete-system"])
    assert outputs.loc[outputs["system"] == "partial", "hypothesis"].isna().sum() == 1


def test_the_form_of_2025(tmp_path):
    names = ["en-ru_RU_#_literary_#_a", "en-ru_RU_#_news_#_b"]
    rows = [{"doc_id": name, "src_text": "s", "refs": {"refA": {"ref": f"one {name}\n\ntwo"}}} for name in names]
    (tmp_path / "wmt25.jsonl").write_text(lines(rows))
    found = [{"_other": [], "doc_id": name, "hypothesis": f"one {name}\n\ntwo"} for name in [*names, "x-y_#_new_#_1"]]
    (tmp_path / "Shy.jsonl").write_text(lines(found[::-1]))
    outputs, noticed = read(tmp_path / "wmt25.jsonl", {"shy": tmp_path / "Shy.jsonl"})
    assert outputs["document"].tolist() == names
    assert outputs["hypothesis"].tolist() == outputs["reference"].tolist() == [f"one {name} two" for name in names]
    assert {"multi-line", "missing-docs"} <= set(noticed)
    assert "outputs of 1 document missing from the test set, which were left out." in str(noticed["missing-docs"])


def test_documents_without_a_reference_are_kept_without_one(tmp_path):
    rows = make_test_set(PAIRS[:1])
    rows[3]["refs"] = {}
    (tmp_path / "set.jsonl").write_text(lines(rows))
    (tmp_path / "a.jsonl").write_text(lines(outputs_of("baseline", PAIRS[:1])))
    outputs, noticed = read(tmp_path / "set.jsonl", [tmp_path / "a.jsonl"])
    assert outputs["reference"].isna().tolist() == [i == 3 for i in range(60)]
    assert "partial-ref" in noticed
    (tmp_path / "set.jsonl").write_text(lines(make_test_set(PAIRS[:1], refs={})))
    error = refuse(tmp_path / "set.jsonl", [tmp_path / "a.jsonl"])
    assert error.code == "no-ref"


def test_what_is_no_such_file_is_refused_with_its_line(tmp_path):
    good, of_system = make_test_set(PAIRS[:1]), outputs_of("baseline", PAIRS[:1])
    (tmp_path / "set.jsonl").write_text(lines(good))
    for rows, key in [
        ([{"doc_id": 7, "hypothesis": "a"}], "doc_id"),
        ([*of_system[:1], {}], "doc_id"),
        ([*of_system[:2], {"doc_id": identify(1), "text": "a"}], "hypothesis"),
        ([*of_system[:2], {"doc_id": identify(1), "hypothesis": 3}], "hypothesis"),
    ]:
        (tmp_path / "a.jsonl").write_text(lines(rows))
        error = refuse(tmp_path / "set.jsonl", [tmp_path / "a.jsonl"])
        assert (error.code, error.line, error.expected) == ("columns", len(rows), key)
    (tmp_path / "a.jsonl").write_text(lines([*of_system, of_system[0]]))
    assert refuse(tmp_path / "set.jsonl", [tmp_path / "a.jsonl"]).code == "duplicate-doc"
    # The outputs of a system in place of the test set.
    error = refuse(tmp_path / "a.jsonl", [tmp_path / "set.jsonl"])
    assert (error.code, error.expected) == ("columns", "refs")
    assert str(error).endswith("name the test set first.")


def test_such_files_are_known_by_their_keys(folder, tmp_path):
    assert is_wmt_jsonl("wmt26.jsonl")
    assert is_wmt_jsonl("systems/tweaked 2.5-7B.jsonl")
    for number, row in enumerate(
        [
            {"doc_id": 0, "hypothesis": "a"},
            {"system": "a", "text": '"doc_id": "x"'},
            {"doc_id": "a", "src_text": "s", "scores": {}, "tgt_text": {}},  # human ratings
            {"text": {"doc_id": "a", "hypothesis": "b"}},
        ]
    ):
        (tmp_path / f"{number}.jsonl").write_text(lines([row]))
        assert not is_wmt_jsonl(str(tmp_path / f"{number}.jsonl")), row


def run(capsys, *arguments):
    status = cli.main([*arguments, "--format", "json", "--rng", "1", "--resamples", "40", "--trials", "100"])
    output, errors = capsys.readouterr()
    return status, json.loads(output) if status == 0 else None, errors


def test_the_terminal_scores_the_texts_not_the_json(folder, capsys):
    """Issue 37: the objects themselves were scored, and gave another verdict."""
    (folder / "ref.txt").write_text("\n".join(REFERENCE) + "\n")
    for name in ("baseline", "tweaked"):
        (folder / f"{name}.txt").write_text("\n".join(SYSTEMS[name]) + "\n")
    status, plain, _ = run(capsys, "compare", "ref.txt", "baseline.txt", "tweaked.txt")
    assert status == 0
    files = ["systems/baseline 2.5-7B.jsonl", "systems/tweaked 2.5-7B.jsonl"]
    choice = ["--language-pair", "eng-deu", "--use-reference", "refA"]
    status, found, _ = run(capsys, "compare", "wmt26.jsonl", *files, *choice)
    assert status == 0
    scores = [[system["scores"] for system in one["metrics"]["BLEU"]["systems"]] for one in (plain, found)]
    differences = [one["metrics"]["BLEU"]["comparisons"][0]["difference"] for one in (plain, found)]
    assert scores[0] == scores[1]
    assert differences[0] == differences[1]


def test_the_terminal_takes_the_folder_and_the_options(folder, capsys):
    status, found, _ = run(capsys, "compare", "wmt26.jsonl", "systems/", "--language-pair", PAIRS[0])
    assert status == 0
    assert {one["system"] for one in found["metrics"]["BLEU"]["systems"]} == {f"{name} 2.5-7B" for name in SYSTEMS}
    status, _, errors = run(capsys, "compare", "wmt26.jsonl", "systems/", "--documents", "wmt26.jsonl")
    assert status == 2
    assert "--documents has no meaning with JSON lines of WMT files" in errors
    (folder / "ref.txt").write_text("a\n")
    status, _, errors = run(capsys, "compare", "ref.txt", "systems/")
    assert status == 2
    assert "is JSON lines of WMT, but 'ref.txt' is plain text" in errors
    status, _, errors = run(capsys, "compare", "--xml", "wmt26.jsonl", "--language-pair", "a-b")
    assert status == 2
    assert "--language-pair works only with --mt-metrics-eval and --test-set, and for files with several" in errors


def test_files_are_runs_or_systems_by_their_names_as_texts_are(folder, capsys):
    for name, text in (("A", "baseline"), ("B", "tweaked")):
        for number in (1, 2):
            rows = [row | {"hypothesis": f"{row['hypothesis']} {number}"} for row in outputs_of(text, PAIRS[:1])]
            (folder / f"{name}.run{number}.jsonl").write_text(lines(rows))
    outputs, noticed = read("wmt26.jsonl", "?.run?.jsonl", language_pair=PAIRS[0])
    runs = outputs[["system", "run"]].drop_duplicates().values.tolist()
    assert runs == [["A", 1], ["A", 2], ["B", 1], ["B", 2]]
    assert "A (2 runs) and B (2 runs)" in noticed["files-by-name"].message
    files = ["A.run1.jsonl", "A.run2.jsonl", "B.run1.jsonl", "B.run2.jsonl", "--language-pair", PAIRS[0]]
    status, found, _ = run(capsys, "compare", "wmt26.jsonl", *files)
    assert status == 0
    assert found["read_as"]["sentence"].startswith("Read as: 2 systems with 2 runs each (A and B; runs by 'run'),")
    files = ["A.run1.jsonl", "B.run1.jsonl", "systems", "--baseline", "B.run1.jsonl", "--language-pair", PAIRS[0]]
    status, found, _ = run(capsys, "compare", "wmt26.jsonl", *files)
    assert {one["b"] for one in found["metrics"]["BLEU"]["comparisons"]} == {"B.run1"}


def test_a_system_without_any_hypothesis_is_left_out_and_named(folder):
    rows = [row | {"hypothesis": None} for row in outputs_of("tweaked", PAIRS[:1])]
    (folder / "systems" / "silent.jsonl").write_text(lines(rows))
    outputs, noticed = read("wmt26.jsonl", "systems", language_pair=PAIRS[0])
    assert outputs["system"].nunique() == 3
    assert "'silent' has no outputs of this language pair and was left out" in noticed["left-out"].message


def test_plain_text_has_a_line_per_document_of_the_language_pair(folder, capsys):
    """A system's own outputs, one line per document, have the scores of the same texts in JSON."""
    (folder / "mine.txt").write_text("\n".join(SYSTEMS["tweaked"]) + "\n")
    choice = ["--language-pair", "eng-deu"]
    files = ["systems/baseline 2.5-7B.jsonl", "systems/tweaked 2.5-7B.jsonl"]
    status, found, _ = run(capsys, "compare", "wmt26.jsonl", *files, *choice)
    assert status == 0
    named = ["--reference", "wmt26.jsonl", "--system", f"b={files[0]}", "--system", "mine=mine.txt"]
    for arguments in (["wmt26.jsonl", files[0], "mine.txt"], ["wmt26.jsonl", "mine.txt", files[0]], named):
        status, mixed, _ = run(capsys, "compare", *arguments, *choice)
        assert status == 0
        said = [one["message"] for one in mixed["warnings"] if one["code"] == "dialect"]
        assert said == ["Line k of mine.txt was taken for the translation of document k of the test set."]
        scores = [sorted(one["scores"][0] for one in which["metrics"]["BLEU"]["systems"]) for which in (found, mixed)]
        assert scores[0] == scores[1]
    (folder / "mine.txt").write_text("\n".join(SYSTEMS["tweaked"][:-1]) + "\n")
    status, _, errors = run(capsys, "compare", "wmt26.jsonl", "mine.txt", files[0], *choice)
    assert status == 2
    assert "mine.txt is plain text of 59 lines, but the test set has 60 documents of this language pair" in errors


def test_a_reference_in_the_folder_of_the_systems_is_left_out_in_python_as_in_the_terminal(folder):
    (folder / "wmt26.jsonl").rename(folder / "systems" / "ref.jsonl")
    outputs, noticed = read("systems/ref.jsonl", "systems", language_pair=PAIRS[0])
    assert outputs["system"].unique().tolist() == sorted(f"{name} 2.5-7B" for name in SYSTEMS)
    assert "'ref.jsonl' was left out" in noticed["files-by-name"].message
