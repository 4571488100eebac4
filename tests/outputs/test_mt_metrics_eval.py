"""Folders of mt-metrics-eval: scores joined to outputs, never padded."""

import gzip
import math

import numpy as np
import pytest

from mtworkbench.outputs.mt_metrics_eval import read_mt_metrics_eval

from .reading import noticing, refusal

SCORES = ["b\t1", "b\tNone", "b\t-0.0", "a\t4.5", "a\t5", "a\t6"]


@pytest.fixture
def folder(tmp_path):
    """Write a made-up test set of three segments, two systems and two references."""
    texts = {
        "documents/xx-yy.docs": ["news\td1", "news\td1", "talk\td2"],
        "sources/xx-yy.txt": ["s1", "s2", "s3"],
        "references/xx-yy.refA.txt": ["r1", "r2", "r3"],
        "references/xx-yy.refB.txt": ["q1", "q2", "q3"],
        "system-outputs/xx-yy/a.txt": ["a1", "a2", "a3"],
        "system-outputs/xx-yy/b.txt": ["b1", "b2", "b3"],
        "human-scores/xx-yy.mqm.seg.score": SCORES,
        "metric-scores/xx-yy/BLEU-refA.seg.score": ["a\t1", "a\t2", "a\t3"],
        "system-outputs/zz-yy/a.txt": ["other"],
        "human-scores/zz-yy.mqm.seg.score": ["a\t9"],
    }
    # A folder of its own above it holds nothing else.
    tmp_path = tmp_path / "set"
    for name, lines in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
    return tmp_path


def read(*args, **kwargs):
    return noticing(read_mt_metrics_eval, *args, **kwargs)


def refuse(*args, **kwargs):
    return refusal(read_mt_metrics_eval, *args, **kwargs)


def test_outputs_with_their_scores(folder):
    outputs, noticed = read(folder, "xx-yy")
    assert outputs.columns.tolist() == [
        *("document", "segment", "source", "domain", "reference", "reference_2", "system", "run", "hypothesis"),
        *("mqm", "mqm_direction", "BLEU-refA"),
    ]
    assert outputs["hypothesis"].tolist() == ["a1", "a2", "a3", "b1", "b2", "b3"]
    assert outputs["document"].tolist() == ["d1", "d1", "d2"] * 2
    assert outputs["domain"].tolist() == ["news", "news", "talk"] * 2
    np.testing.assert_array_equal(outputs["mqm"], [4.5, 5, 6, 1, math.nan, 0])
    np.testing.assert_array_equal(outputs["BLEU-refA"], [1, 2, 3, math.nan, math.nan, math.nan])
    assert outputs["mqm_direction"].unique().tolist() == ["up"]
    assert set(noticed) == {"missing-score", "unrated-system"}
    assert noticed["missing-score"].count == 1
    assert noticed["unrated-system"].count == 1


def test_chosen_references_and_further_scores(folder):
    (folder / "ESA.seg.score").write_text("\n".join(SCORES) + "\n")
    outputs, _ = read(folder, "xx-yy", references=["refB"], scores=str(folder / "*.seg.score"))
    assert outputs["reference"].tolist()[:3] == ["q1", "q2", "q3"]
    assert "reference_2" not in outputs.columns
    np.testing.assert_array_equal(outputs["ESA"], outputs["mqm"])
    assert refuse(folder, "xx-yy", references=["refC"]).code == "unknown-reference"
    assert refuse(folder, "xx-yy", references=[]).code == "unknown-reference"
    (folder / "xx-yy.mqm.seg.score").write_text("\n".join(SCORES) + "\n")
    assert refuse(folder, "xx-yy", scores=folder / "xx-yy.mqm.seg.score").code == "columns"


@pytest.mark.parametrize(
    ("lines", "code", "line"),
    [
        (["", *SCORES], "score-file", 1),
        ([*SCORES, ""], "score-file", 7),
        (["a 1", *SCORES], "score-file", 1),
        (["a\tb\t1", *SCORES], "bad-number", 1),
        (["a b\t1", *SCORES], "unknown-system", 1),
        ([*SCORES, "c\t1"], "unknown-system", 7),
        (SCORES[:5], "count-mismatch", 5),
        ([*SCORES, "a\t7"], "count-mismatch", 7),
        (SCORES[1:], "count-mismatch", 3),
        ([SCORES[0], SCORES[3], SCORES[1]], "count-mismatch", 2),
        ([*SCORES[:3], *SCORES], "count-mismatch", 7),
        ([*SCORES, SCORES[0]], "interleaved-systems", 7),
        ([*SCORES[:5], "a\t1,5"], "bad-number", 6),
        ([*SCORES[:5], "a\tnan"], "bad-number", 6),
        ([*SCORES[:5], "a\t"], "bad-number", 6),
        ([*SCORES[:5], "a\t1e400"], "bad-number", 6),
    ],
)
def test_unfit_score_files(folder, lines, code, line):
    path = folder / "human-scores" / "xx-yy.mqm.seg.score"
    path.write_text("\n".join(lines) + "\n")
    error = refuse(folder, "xx-yy")
    assert (error.code, error.line, error.path) == (code, line, str(path))


def test_what_is_said_of_score_files(folder):
    path = folder / "human-scores" / "xx-yy.mqm.seg.score"
    path.write_text("\n".join([*SCORES, "c\t1"]) + "\n")
    assert str(refuse(folder, "xx-yy")) == (
        f"{path}, line 7: there are scores of 'c', but the systems with outputs are 'a', 'b': rename the system, or "
        "remove its scores."
    )
    other = folder / "ESA.seg.score"
    for file in (path, other):
        file.write_text("\n".join(["b\tNone", *SCORES[1:]]) + "\n")
    _, noticed = read(folder, "xx-yy", scores=other)
    assert str(noticed["missing-score"]) == (f"2 files of scores have 4 missing scores: {path} (2) and {other} (2).")


def test_unfit_folders(folder, tmp_path):
    assert refuse(folder / "nowhere", "xx-yy").code == "not-a-folder"
    assert refuse(folder / "sources" / "xx-yy.txt", "xx-yy").code == "not-a-folder"
    assert refuse(None, "xx-yy").code == "not-a-folder"
    assert refuse("a\0b", "xx-yy").code == "not-a-folder"
    for pair in ("yy-xx", "", "..", "xx-yy/", 7):
        error = refuse(folder, pair)
        assert error.code == "unknown-pair"
        assert "'xx-yy' and 'zz-yy'" in str(error)
    assert refuse(folder, "zz-yy").code == "unknown-reference"
    (folder / "documents" / "xx-yy.docs").write_text("news d1\n" * 3)
    assert refuse(folder, "xx-yy").code == "columns"


def test_scores_of_systems_without_outputs_may_be_left_out(folder):
    path = folder / "human-scores" / "xx-yy.mqm.seg.score"
    path.write_text("\n".join([*SCORES[:3], "c\t1", "c\t2", *SCORES[3:]]) + "\n")
    assert refuse(folder, "xx-yy").code == "unknown-system"
    outputs, noticed = read(folder, "xx-yy", accept=["unknown-system"])
    np.testing.assert_array_equal(outputs["mqm"], [4.5, 5, 6, 1, math.nan, 0])
    assert str(noticed["unknown-system"]) == (
        f"{path}: scores of systems without outputs were left out, as accepted: 'c'."
    )
    path.write_text("\n".join([*SCORES, "c 1"]) + "\n")  # not a system at all
    assert refuse(folder, "xx-yy", accept=["unknown-system"]).code == "score-file"


def test_a_folder_of_another_level(folder):
    for other in (folder.parent, folder / "system-outputs", folder / "system-outputs" / "xx-yy"):
        error = refuse(other, "xx-yy")
        assert (error.code, str(error)) == (
            "not-a-test-set",
            f"{other} has no folder 'system-outputs', as a test set of mt-metrics-eval has: name the folder of a test "
            f"set, such as {folder}.",
        )
    (folder / "system-outputs" / ".DS_Store").write_text("")
    assert "has no language pair 'yy-xx', but 'xx-yy' and 'zz-yy'" in str(refuse(folder, "yy-xx"))


def test_further_scores_are_named_as_those_of_any_file(folder):
    for name, column in (("ESA.seg.score.gz", "ESA"), ("system.seg.score", "score")):
        data = ("\n".join(SCORES) + "\n").encode()
        (folder / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
        outputs, _ = read(folder, "xx-yy", scores=folder / name)
        np.testing.assert_array_equal(outputs[column], outputs["mqm"])


@pytest.mark.long
def test_published_averages(shared):
    root = shared / "realdata" / "mt-metrics-eval" / "wmt23"
    for pair, shape in (("en-de", (14, 557, 1261)), ("he-en", (14, 1910, 14170))):
        outputs, noticed = read(root, pair, references=["refA"])
        n_systems, n_segments, n_missing = shape
        assert len(outputs) == n_systems * n_segments
        # One system has no ratings at all; the others' missing ones are counted.
        assert outputs["mqm"].isna().sum() == n_missing + n_segments
        assert {"hyp-is-ref", "missing-score", "unrated-system"} <= set(noticed)
        lines = (root / "human-scores" / f"{pair}.mqm.sys.score").read_text(encoding="utf-8").rstrip("\n").split("\n")
        means = outputs.groupby("system")["mqm"].mean()
        published = {system: float(score) for system, score in (line.split("\t") for line in lines) if score != "None"}
        assert len(published) == 13
        for system, score in published.items():
            assert means[system] == pytest.approx(score, abs=1e-9)


def test_further_score_files(shared):
    root = shared / "realdata" / "mt-metrics-eval" / "wmt23"
    outputs, _ = read(root, "en-de", scores=str(root / "human-scores-esa-campaign" / "en-de.*.seg.score"))
    assert {"ESA-1", "ESA-2", "ESAAI-1", "MQM-1", "da-sqm", "COMET-refA"} <= set(outputs.columns)
    assert outputs["ESA-1"].isna().sum() == 4550 + 557
