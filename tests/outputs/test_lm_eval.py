"""Samples of lm-evaluation-harness: scores by document of the task, texts only where they are asked for."""

import gzip
import json

import pytest

import mtworkbench as mtw
from mtworkbench import cli
from mtworkbench.outputs.lm_eval import find_samples, read_lm_eval

from .reading import noticing, refusal

SAMPLE = mtw.find_shipped("data/sample")
TARGETS = (SAMPLE / "reference.txt").read_text("utf-8").splitlines()[:40]


def responses(model):
    return (SAMPLE / f"{model}.run1.txt").read_text("utf-8").splitlines()[:40]


def make_samples(model, **values):
    return [
        {"doc_id": i, "doc": {"question": i}, "target": target, "arguments": {}, "resps": [[f" {text}"]]}
        | {"filtered_resps": [text], "filter": "none", "metrics": ["exact_match", "bleu"], "doc_hash": f"hash {i}"}
        | {"exact_match": float(len(text) % 3 == 0), "bleu": [target, text]}
        | values
        for i, (target, text) in enumerate(zip(TARGETS, responses(model), strict=True))
    ]


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for model in ("baseline", "tweaked"):
        (tmp_path / "results" / f"org__{model}-1.5").mkdir(parents=True)
        path = tmp_path / "results" / f"org__{model}-1.5" / "samples_gsm8k_2026-01-02T03-04-05.678.jsonl"
        path.write_text(lines(make_samples(model)[::-1]))
    return tmp_path


def read(*args, **kwargs):
    return noticing(read_lm_eval, *args, **kwargs)


def refuse(*args, **kwargs):
    return refusal(read_lm_eval, *args, **kwargs)


def test_scores_are_those_of_the_documents_and_models_are_named_by_their_folders(folder):
    scores, noticed = read("results/*/samples_*.jsonl")
    assert not noticed
    assert scores["system"].unique().tolist() == ["org__baseline-1.5", "org__tweaked-1.5"]
    assert scores["segment"].tolist()[:40] == list(range(1, 41))
    assert scores["segment_id"].tolist()[:40] == [str(i) for i in range(40)]
    for model, of_model in scores.groupby("system"):
        expected = [float(len(text) % 3 == 0) for text in responses(model[5:-4])]
        assert of_model["exact_match"].tolist() == expected
    assert set(scores["exact_match_direction"]) == {"up"}
    assert "hypothesis" not in scores.columns
    assert "bleu" not in scores.columns


def test_texts_are_read_where_they_are_asked_for(folder):
    outputs, _ = read({"a": "results/org__baseline-1.5/*.jsonl", "b": "results/org__tweaked-1.5/*.jsonl"}, texts=True)
    assert outputs["reference"].tolist() == TARGETS * 2
    assert outputs["hypothesis"].tolist() == responses("baseline") + responses("tweaked")
    for value in ([["-3.5", "False"], ["-1.0", "True"]], [["a", "b"]], [3]):
        (folder / "a.jsonl").write_text(lines(make_samples("baseline", filtered_resps=value)))
        error = refuse("a.jsonl", texts=True)
        assert (error.code, error.line) == ("not-text", 1)
        assert read("a.jsonl")[0]["exact_match"].notna().all()


def test_every_filter_has_scores_of_its_own(folder):
    rows = make_samples("baseline", filter="strict-match", exact_match=0.0)
    rows += make_samples("baseline", filter="flexible-extract", exact_match=1.0)
    (folder / "a.jsonl").write_text(lines(rows))
    scores, _ = read("a.jsonl")
    assert set(scores["exact_match,strict-match"]) == {0}
    assert set(scores["exact_match,flexible-extract"]) == {1}
    assert len(scores) == 40
    error = refuse("a.jsonl", texts=True)
    assert error.code == "duplicate-segment"
    assert "2 filters, 'strict-match' and 'flexible-extract'" in str(error)


def test_files_of_two_tasks_are_refused(folder):
    (folder / "a.jsonl").write_text(lines(make_samples("baseline")))
    for other in ({"doc_hash": "another"}, {"target": "another"}):
        (folder / "b.jsonl").write_text(lines(make_samples("tweaked", **other)))
        error = refuse(["a.jsonl", "b.jsonl"])
        assert (error.code, error.line) == ("text-mismatch", 1)
        assert "samples of one task, in one version, were expected" in str(error)


def test_what_is_no_sample_is_refused_with_its_line(folder):
    rows = make_samples("baseline")
    path = folder / "a.jsonl"
    for bad in ({}, {"doc_id": 1}, rows[1] | {"doc_id": "1"}, rows[1] | {"doc_id": True}, rows[1] | {"doc_id": -1}):
        path.write_text(lines([rows[0], bad]))
        error = refuse(path)
        assert (error.code, error.line) == ("columns", 2), bad
    path.write_text(lines([*rows, rows[4]]))
    error = refuse(path)
    assert (error.code, error.line) == ("duplicate-segment", 41)
    assert "document 4 already appears in line 5 under this filter" in str(error)
    path.write_text(lines(make_samples("baseline", metrics=["bleu"])))
    error = refuse(path)
    assert str(error) == (
        f"{path} has no metric that is a number for each document: compute one from the texts, as with --metric bleu "
        "(in Python, texts=True)."
    )


def test_a_document_that_a_model_lacks_has_no_score(folder):
    (folder / "a.jsonl").write_text(lines(make_samples("baseline")))
    (folder / "b.jsonl").write_text(lines(make_samples("tweaked")[:-1]))
    scores, noticed = read(["a.jsonl", "b.jsonl"])
    assert scores["exact_match"].isna().tolist() == [False] * 79 + [True]
    assert "missing-score" in noticed
    rows = make_samples("tweaked")
    rows[-1]["exact_match"] = float("nan")
    (folder / "b.jsonl").write_text(lines(rows))
    assert read(["a.jsonl", "b.jsonl"])[0]["exact_match"].isna().tolist() == [False] * 79 + [True]


def test_old_versions_do_not_name_their_metrics(folder):
    rows = make_samples("baseline", acc=True)
    for row in rows:
        del row["metrics"], row["filter"]
    (folder / "a.jsonl").write_text(lines(rows))
    scores, _ = read("a.jsonl")
    assert set(scores["acc"]) == {1}


def test_samples_are_found_among_files_and_in_folders(folder):
    assert len(find_samples(["results"])) == 2
    assert read("results")[0].equals(read("results/*/*.jsonl")[0])
    assert len(find_samples(["results/org__baseline-1.5", "results/org__tweaked-1.5"])) == 2
    [plain] = (folder / "results" / "org__tweaked-1.5").iterdir()
    plain.with_name(f"{plain.name}.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.rename(plain.with_suffix(".bak"))
    assert [file[-9:] for file in find_samples(["results"])] == ["678.jsonl", ".jsonl.gz"]
    (folder / "other.jsonl").write_text('{"doc_id": "a", "hypothesis": "b"}\n')
    assert find_samples(["results", "other.jsonl"]) is None
    (folder / "empty").mkdir()
    assert find_samples(["empty"]) is None


QUICK = ("--format", "json", "--rng", "1", "--resamples", "40", "--trials", "100")


def test_the_terminal_compares_the_scores_or_the_texts(folder, capsys):
    """Issue 37: the first model was taken for the reference, and JSON was scored."""
    assert cli.main(["compare", "results/", *QUICK]) == 0
    output, _ = capsys.readouterr()
    found = json.loads(output)
    assert found["metrics"].keys() == {"exact_match"}
    assert {one["system"] for one in found["metrics"]["exact_match"]["systems"]} == {
        "org__baseline-1.5",
        "org__tweaked-1.5",
    }
    assert cli.main(["compare", "results/", "--documents", "docs.txt"]) == 2
    said = "Samples of lm-evaluation-harness hold references, systems and documents: leave --documents out"
    assert said in capsys.readouterr()[1]
    (folder / "ref.txt").write_text("\n".join(TARGETS) + "\n")
    for model in ("baseline", "tweaked"):
        (folder / f"{model}.txt").write_text("\n".join(responses(model)) + "\n")
    assert cli.main(["compare", "ref.txt", "baseline.txt", "tweaked.txt", *QUICK]) == 0
    plain = json.loads(capsys.readouterr()[0])["metrics"]["BLEU"]
    files = [str(path) for path in sorted(folder.glob("results/*/*.jsonl"))]
    assert cli.main(["compare", *files, "--metric", "bleu", *QUICK]) == 0
    of_texts = json.loads(capsys.readouterr()[0])["metrics"]["BLEU"]
    assert [one["scores"] for one in of_texts["systems"]] == [one["scores"] for one in plain["systems"]]


def test_two_dates_of_one_model_keep_its_name(folder):
    (folder / "results" / "org__tweaked-1.5" / "samples_gsm8k_2026-02.jsonl").write_text(lines(make_samples("tweaked")))
    scores, _ = read("results/*/samples_*.jsonl")
    assert scores["system"].unique().tolist() == [
        "org__baseline-1.5/gsm8k_2026-01-02T03-04-05.678",
        "org__tweaked-1.5/gsm8k_2026-01-02T03-04-05.678",
        "org__tweaked-1.5/gsm8k_2026-02",
    ]
