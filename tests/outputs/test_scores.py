"""Scores of segments from files of other programs, and added to the outputs that they are of."""

import gzip
import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from mtworkbench import add_scores, compare, compute_statistics, make_outputs, read_scores
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import Bleu, MeanScore, make_metric
from mtworkbench.outputs.scores.add import join_scores
from mtworkbench.outputs.scores.kinds import COUNTS

from .comet_files import HYPOTHESES, REFERENCES, SCORES, SOURCES, compared, printed, scored, to_json
from .reading import noticing, refusal


@pytest.fixture
def outputs():
    systems = {"base": [HYPOTHESES["hyps/base.txt"]], "new": [HYPOTHESES["hyps/new.txt"]]}
    return make_outputs(REFERENCES, systems, source=SOURCES)


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def read(path, text, **kwargs):
    return noticing(read_scores, write(path, text), **kwargs)


def refuse(path, text):
    return refusal(read_scores, write(path, text))


def values(frame, column="comet"):
    return {system: rows[column].tolist() for system, rows in frame.groupby("system", sort=False)}


EXACT = {"base": SCORES["hyps/base.txt"], "new": SCORES["hyps/new.txt"]}


def test_the_json_of_comet_score(tmp_path):
    extra = {"errors": [{"text": "sleep", "severity": "minor", "start": 8, "end": 13, "confidence": 0.4}]}
    for further in (None, {"variance": 0.01}, extra):
        scores, noticed = read(tmp_path / "comet.json", to_json(scored(extra=further)))
        assert scores.columns.tolist() == ["segment", "system", "run", "comet", "source", "mt", "ref"]
        assert values(scores) == EXACT
        assert scores["segment"].tolist() == [1, 2, 3] * 2
        assert scores["mt"].tolist() == HYPOTHESES["hyps/base.txt"] + HYPOTHESES["hyps/new.txt"]
        assert not noticed
    scores, _ = read(tmp_path / "kiwi.json", to_json(scored(references=None)))
    assert "ref" not in scores.columns
    # Neither the name of the file nor the layout matters, and the score of a system is of no segment.
    scores, _ = read(tmp_path / "comet.txt", json.dumps(scored() | {"system_score": 0.8}))
    assert values(scores) == EXACT


def test_the_json_of_comet_compare(tmp_path):
    scores, noticed = read(tmp_path / "out", to_json(compared()))
    expected, _ = read(tmp_path / "comet.json", to_json(scored()))
    pd.testing.assert_frame_equal(scores[list(expected)], expected)
    assert not noticed


@pytest.mark.parametrize("variance", ["", "\tvariance: 0.0123"])
def test_what_comet_score_prints(tmp_path, variance):
    further = "Predictions saved in: comet.json.\nCacheInfo(hits=0, misses=6, maxsize=None, currsize=6)\n"
    scores, noticed = read(tmp_path / "log", printed(variance=variance) + further)
    # Its segment 0 is segment 1, and it prints four decimals.
    assert scores["segment"].tolist() == [1, 2, 3] * 2
    assert values(scores) == {system: [round(one, 4) for one in ones] for system, ones in EXACT.items()}
    assert not noticed


def test_a_segment_whose_score_is_null_is_missing(tmp_path):
    scores, noticed = read(tmp_path / "comet.json", to_json(scored(SCORES | {"hyps/new.txt": [0.5, None, 0.5]})))
    assert np.isnan(scores["comet"]).tolist() == [False, False, False, False, True, False]
    assert str(noticed["missing-score"]) == (
        f"{tmp_path / 'comet.json'}: 1 of 6 scores is missing. One per system and segment was expected."
    )


def without(text, line):
    lines = text.splitlines(keepends=True)
    return "".join(lines[:line] + lines[line + 1 :])


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        (
            without(printed(), 2),
            "score-file",
            "FILE, line 4: segment 2 of 'hyps/base.txt' was found where segment 1 was expected: look for missing or "
            "repeated lines.",
        ),
        (
            without(without(printed(), 4), 4),
            "score-file",
            "FILE, line 5: the score of this system is 0.7212, but the mean of its 2 segment scores is 0.6812: "
            "look for missing or changed lines.",
        ),
        (
            printed().replace("score: 0.6500", "score: nan"),
            "bad-number",
            "FILE, line 3: 'nan' cannot be read as a score (it is not written as a number with a decimal point): a "
            "number was expected.",
        ),
        (
            printed().replace("score: 0.6500", "score: None"),
            "bad-number",
            "FILE, line 3: 'None' cannot be read as a score (it is missing): a number was expected.",
        ),
        (
            printed() + "Epoch 1\n",
            "score-file",
            "FILE, line 9: 'Epoch 1' was found, but lines such as 'new.txt\\tSegment 0\\tscore: 0.8412' were expected, "
            "as comet-score prints them.",
        ),
        (
            "a.txt\tscore: 0.5\n",
            "score-file",
            "FILE, line 1: the segment scores of this system are missing; there is only its system score: run "
            "comet-score without --only_system (version 1: without --quiet).",
        ),
        (
            "".join(printed().splitlines(keepends=True)[:5]),
            "count-mismatch",
            "FILE has 2 scores for 'hyps/new.txt', but 3 for 'hyps/base.txt': one score per segment was expected, of "
            "the same segments.",
        ),
        (
            to_json(scored()).replace("0.65", '"0.65"'),
            "bad-number",
            "FILE has '0.65' as the score of segment 2 of 'hyps/base.txt': a finite number was expected.",
        ),
        (
            to_json(scored()).replace("0.65", "NaN"),
            "json",
            "FILE is not JSON ('NaN is not a JSON number; write null for no value'): the JSON of comet-score or "
            "comet-compare was expected, with the scores of each translated file in a list.",
        ),
        (
            to_json(scored()).replace('"COMET": 0.65', '"BLEURT": 0.65'),
            "score-file",
            "FILE has {'BLEURT': 0.65, 'mt': 'A dog bark.', 'ref': 'A dog barks.', 'src': 'Ein Hund bellt.'} for "
            "segment 2 of 'hyps/base.txt': an object with 'COMET' was expected.",
        ),
        (
            to_json(scored()).replace("Es regnet.", "Es schneit.", 1),
            "text-mismatch",
            "FILE has 'Es regnet.' as 'src' of segment 3 in 'hyps/new.txt', but 'Es schneit.' in 'hyps/base.txt': "
            "score all files with the same sources and references.",
        ),
        (
            to_json(scored()).replace('"ref": "The cat sleeps.",', "", 1),
            "score-file",
            "FILE has 3 segments of 'hyps/base.txt', but only 2 with 'ref': give it for all segments or for none.",
        ),
        (
            to_json(scored() | {"c.txt": scored(references=None)["hyps/new.txt"]}),
            "score-file",
            "FILE has different fields (src, mt, ref) for 'c.txt' than for 'hyps/base.txt': give all files the same "
            "fields, src and mt, or src, mt and ref.",
        ),
        (
            to_json(compared()).replace('"name": "hyps/new', '"model": "Unbabel/XCOMET-XL", "name": "hyps/new'),
            "score-file",
            "FILE has scores of different models, 'Unbabel/wmt22-comet-da' and 'Unbabel/XCOMET-XL': write the scores "
            "of each model to a file of its own.",
        ),
        (
            to_json(compared() | {"reference": REFERENCES[:2]}),
            "score-file",
            "FILE has no list 'reference' of 'hyps/base.txt' with one entry per segment: the JSON of comet-score or "
            "comet-compare was expected, with the scores of each translated file in a list.",
        ),
        (
            "hello\nworld\n",
            "score-file",
            "FILE is in no known format of scores: the JSON or the output of comet-score, one number per line, "
            "MetricX's JSON lines, a .seg.score file (system, tab, score), WMT's ratings (MQM) or segment scores (DA), "
            "or a table (.tsv, .csv, .jsonl or .parquet) with columns system, segment and scores was expected.",
        ),
        ("a\t0.5\na\t0.6\nb\t0.5\n", "count-mismatch", None),
        (
            "a\t0.5\na\t0,6\n",
            "bad-number",
            "FILE, line 2: '0,6' cannot be read as a score (it is not written as a number with a decimal point): write "
            "a number, or None where there is no score.",
        ),
        (
            "a\t0.5\nb\t0.6\na\t0.6\n",
            "interleaved-systems",
            "FILE, line 3: the scores of 'a' are interrupted by those of another system: put all scores of a system "
            "together.",
        ),
        (
            "a\t0.5\nb\tNone\n",
            "score-file",
            "FILE has one score per system, as a .sys.score file has: scores of segments were expected.",
        ),
        (
            "1\t0.0\n2\t0.5\n",
            "score-file",
            "FILE begins its lines with the numbers of segments, not with names of systems: write a system, a tab and "
            "a score per line.",
        ),
        ("a\t0.5\na 0.6\n", "score-file", "FILE, line 2: 'a 0.6': a system, a tab and a score were expected."),
    ],
)
def test_files_that_are_damaged_are_refused(tmp_path, text, code, sentence):
    path = tmp_path / "scores"
    error = refuse(path, text)
    assert (error.code, error.path) == (code, str(path))
    sentence = sentence or (
        "FILE, line 3: the scores of 'b' end here after 1, but there are 2 for 'a': write one score per segment, "
        "and None where there is no score."
    )
    found = re.sub(r"has \{'BLEURT.*\} for", "has {'BLEURT'} for", str(error).replace(str(path), "FILE"))
    assert found == re.sub(r"has \{'BLEURT.*\} for", "has {'BLEURT'} for", sentence)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("en-de.mqm.sys.score", "systems"),
        ("en-de.mqm.doc.score.gz", "documents"),
        ("en-de.mqm.domain.score", "domains"),
    ],
)
def test_scores_of_other_things_than_segments_are_refused(tmp_path, name, what):
    path = tmp_path / name
    for text in ("a\t0.5\na\t0.5\nb\t0.5\nb\t0.5\n", "news\ta\t0.5\n"):
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        error = refusal(read_scores, path)
        assert error.code == "score-file"
        assert str(error) == f"{path} has scores of {what}, as its name says: scores of segments were expected."


def test_one_system_may_have_one_segment(tmp_path):
    scores, _ = read(tmp_path / "esa.txt", "a\t0.5\n")
    assert scores["esa"].tolist() == [0.5]


def test_a_seg_score_file_is_named_by_its_file(tmp_path):
    text = "b\t-1\nb\tNone\na\t-0.5\na\t-25\n"
    scores, noticed = read(tmp_path / "en-de.mqm.seg.score", text)
    np.testing.assert_array_equal(scores["mqm"], [-1, np.nan, -0.5, -25])
    assert scores["system"].tolist() == ["b", "b", "a", "a"]
    assert scores["mqm_direction"].tolist() == ["up"] * 4
    assert list(noticed) == ["missing-score"]
    assert str(noticed["missing-score"]) == (
        f"{tmp_path / 'en-de.mqm.seg.score'}: 1 of 4 scores is missing. One per system and segment was expected."
    )
    # Penalties that are positive: nothing says that higher is better.
    scores, _ = read(tmp_path / "en-de.mqm.seg.score", text.replace("-", ""))
    assert "mqm_direction" not in scores.columns
    scores, _ = read(tmp_path / "BLEURT-20-refA.seg.score", text)
    assert scores.columns.tolist() == ["segment", "system", "run", "BLEURT-20-refA"]
    for name, column in (("hypothesis.seg.score", "score"), ("zh-en.seg.score", "zh-en"), ("esa.txt", "esa")):
        scores, _ = read(tmp_path / name, text)
        assert scores.columns.tolist()[3:] == [column]


def test_a_table_of_judgements(tmp_path):
    scores, noticed = read(tmp_path / "scores.csv", "system,segment,human,esa\na,x,3,50\na,y,None,60\n")
    assert scores.columns.tolist() == ["segment", "system", "run", "human", "esa", "segment_id"]
    assert list(noticed) == ["segments-renumbered"]
    lines = '{"spans": [{"start": 1}], "system": "a", "segment": 1, "esa": 50}\n'
    assert refuse(tmp_path / "scores.jsonl", lines).code == "not-text"  # a table, although a list comes first


def test_systems_are_named_without_what_their_files_share(tmp_path):
    for files, names in (
        (["sys/newstest.A.en-de", "sys/newstest.B.en-de"], ["A", "B"]),
        (["base/out.txt", "new/out.txt"], ["base", "new"]),
    ):
        written = dict(zip(files, scored().values(), strict=True))
        scores, _ = read(tmp_path / "comet.json", to_json(written))
        assert scores["system"].unique().tolist() == names


@pytest.mark.parametrize(
    ("name", "code", "problem"),
    [
        ("a\0", "nul", "'a\\x00' has a NUL character, which no text has; the data are damaged."),
        (
            "a\ud800",
            "surrogate",
            "'a\\ud800' has half a surrogate pair, so it is not text that can be written as UTF-8; read the original "
            "file again without errors='surrogateescape'.",
        ),
    ],
)
def test_names_of_files_are_text(tmp_path, name, code, problem):
    path = tmp_path / "comet.json"
    error = refuse(path, json.dumps({"b": scored()["hyps/new.txt"], name: scored()["hyps/base.txt"]}))
    assert (error.code, str(error)) == (code, f"{path}, names of files, entry 2: {problem}")


def test_paths_of_windows(tmp_path):
    for folder in ("C:\\hyps\\", "hyps\\"):
        written = {file.replace("hyps/", folder): entries for file, entries in scored().items()}
        scores, _ = read(tmp_path / "comet.json", to_json(written))
        assert values(scores) == EXACT
    rounded = {system: [round(one, 4) for one in ones] for system, ones in EXACT.items()}
    scores, _ = read(tmp_path / "log", printed().replace("hyps/", "C:\\hyps\\"))
    assert values(scores) == rounded
    # A backslash in a name with slashes is a character of that name.
    written = dict(zip(["hyps/a\\b.txt", "hyps/c\\b.txt"], scored().values(), strict=True))
    scores, _ = read(tmp_path / "comet.json", to_json(written))
    assert scores["system"].unique().tolist() == ["a\\b", "c\\b"]


def test_scores_are_added_whatever_the_order_of_systems(tmp_path, outputs):
    turned = {file: scored()[file] for file in reversed(HYPOTHESES)}
    scores, _ = read(tmp_path / "comet.json", to_json(turned))
    found, noticed = noticing(add_scores, outputs, scores)
    assert values(found) == EXACT
    assert found.drop(columns="comet").equals(outputs)
    assert not noticed
    assert "comet" not in outputs.columns


def test_a_text_metric_and_scores_in_one_comparison(tmp_path, outputs):
    scores, _ = read(tmp_path / "comet.json", to_json(scored()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        statistics = compute_statistics(add_scores(outputs, scores), ["bleu", "comet"])
        found = compare(statistics, "base", n_resamples=20, rng=1)
    assert [one.metric for one in statistics] == [Bleu(), MeanScore("comet")]
    (pair,) = found.metrics["comet"].comparisons
    assert pair.difference == pytest.approx(np.mean(EXACT["new"]) - np.mean(EXACT["base"]), abs=1e-12)


def judgements(**columns):
    return pd.DataFrame({"system": ["base"] * 3, "run": 1, "segment": [1, 2, 3], "human": [1.0, 2.0, 3.0]} | columns)


@pytest.mark.parametrize(
    ("scores", "code", "sentence"),
    [
        (
            judgements(system=["Base"] * 3),
            "unknown-system",
            "There are scores of 'Base', but the systems with outputs are 'base' and 'new' ('Base' differs from 'base' "
            "only in case): rename the systems, or leave out scores of systems without outputs with --accept "
            "unknown-system (in Python, accept=['unknown-system']).",
        ),
        (
            judgements().iloc[:2],
            "count-mismatch",
            "The scores cover 2 segments, but the outputs have 3 segments: give scores of the same segments.",
        ),
        (
            judgements(segment=[1, 2, 4]),
            "count-mismatch",
            "The scores cover 3 segments (with numbers up to 4), but the outputs have 3 segments: give scores of the "
            "same segments.",
        ),
        (
            judgements(mt=[*HYPOTHESES["hyps/base.txt"][:2], "It snows."]),
            "text-mismatch",
            "System 'base', run 1, segment 3: the hypothesis is 'It rains.', but the hypothesis that was scored is "
            "'It snows.': score these outputs again.",
        ),
        (
            judgements(ref=REFERENCES[::-1]),
            "text-mismatch",
            "System 'base', run 1, segment 1: the reference is 'The cat sleeps.', but the reference that was scored is "
            "'It is raining.': give scores of these segments, in the same order, with this reference.",
        ),
        (
            pd.concat([judgements(), judgements(run=2)]),
            "run-mismatch",
            "The outputs have 1 run of system 'base', but the scores have 2: give scores of every run, with the number "
            "of the run in a column 'run'.",
        ),
    ],
)
def test_scores_of_other_outputs_are_refused(outputs, scores, code, sentence):
    error = refusal(add_scores, outputs, scores.reset_index(drop=True))
    assert (error.code, str(error)) == (code, sentence)


def test_each_run_needs_its_scores():
    runs = make_outputs(["a", "b"], {"x": [["a", "c"], ["d", "b"]]})
    scores = pd.DataFrame({"system": "x", "run": 1, "segment": [1, 2], "human": [1.0, 2.0]})
    error = refusal(add_scores, runs, scores)
    assert error.code == "run-mismatch"
    assert str(error) == (
        "The outputs have 2 runs of system 'x', but the scores have 1: give scores of every run, with the number of "
        "the run in a column 'run'."
    )
    both = pd.concat([scores, scores.assign(run=2, human=[3.0, 4.0])], ignore_index=True)
    assert add_scores(runs, both)["human"].tolist() == [1, 2, 3, 4]


def test_what_has_no_score_is_missing_and_counted(outputs):
    found, noticed = noticing(add_scores, outputs, judgements().iloc[[0, 2]].reset_index(drop=True))
    np.testing.assert_array_equal(found["human"], [1, np.nan, 3, np.nan, np.nan, np.nan])
    assert str(noticed["unrated-system"]) == "System 'new' has no score 'human'."
    assert str(noticed["missing-score"]) == "1 of 3 outputs (one per system, run and segment) has no score 'human'."


def test_one_kind_of_score_may_come_in_a_frame_per_system(outputs):
    found, noticed = noticing(add_scores, outputs, judgements(), judgements(system=["new"] * 3, human=[4.0, 5.0, 6.0]))
    assert (found["human"].tolist(), noticed) == ([1, 2, 3, 4, 5, 6], {})
    error = refusal(add_scores, outputs, judgements(), judgements())
    assert str(error) == (
        "Two files of scores have 'human' of system 'base': name one with --scores NAME=FILE (in Python, rename the "
        "column)."
    )
    error = refusal(add_scores, outputs.assign(human=1.0), judgements())
    assert str(error) == (
        "Both the outputs and the scores have a column 'human': name the scores with --scores NAME=FILE (in Python, "
        "rename the column)."
    )


def test_segments_are_aligned_by_document_and_id(outputs):
    named = outputs.assign(document=["d", "d", "e"] * 2, segment_id=["1", "2", "1"] * 2)
    scores = judgements(document=["e", "d", "d"], segment_id=["1", "2", "1"])
    found, _ = noticing(add_scores, named, scores)
    assert found["human"].tolist()[:3] == [3, 2, 1]
    error = refusal(add_scores, named, judgements(document=["e", "d", "d"], segment_id=["1", "2", "3"]))
    assert error.code == "unknown-segment"
    assert str(error) == (
        "1 score is for a segment missing from the outputs, such as segment '3' of system 'base': give scores of the "
        "same test set."
    )
    error = refusal(add_scores, named, judgements(segment_id=["1", "2", "3"]))
    assert str(error) == (
        "The outputs have several segments '1' in a run, and the scores have no column 'document' to tell them apart: "
        "add this column, or give each segment a name of its own."
    )
    # By number alone documents must agree, and names that only one of them has are no help.
    error = refusal(add_scores, outputs.assign(document=["d", "d", "e"] * 2), judgements(document=["d", "e", "e"]))
    assert str(error) == (
        "Segment 2 is of document 'e' in the scores, but of 'd' in the outputs: give scores of the same segments in "
        "the same order."
    )
    error = refusal(add_scores, outputs, judgements(segment_id=["x", "y", "z"]))
    assert (error.code, str(error)) == (
        "unknown-identity",
        "The scores name their segments (such as 'x'), but the outputs only number them, so they cannot be matched: "
        "number the scores from 1 in the order of the outputs, or give the outputs these names (in a terminal, in the "
        "column 'segment' of a table for --table; in Python, in the column 'segment_id').",
    )
    _, noticed = noticing(add_scores, named.drop(columns="document"), judgements())
    assert str(noticed["unknown-identity"]) == (
        "The scores only number their segments, while the outputs name them: score 1 was taken for the first segment, "
        "score 2 for the second. Check that this is right, or write the names in the column 'segment' of the scores."
    )


def with_ids(outputs, *ids):
    return outputs.assign(segment_id=list(ids) * 2)


@pytest.mark.parametrize("ids", [("0", "1", "2"), ("2", "3", "1"), ("2", "7", "5")])
def test_numbers_with_gaps_are_the_names_of_the_outputs(outputs, ids):
    """Positions 2 and 3, or numbers beyond the last: what counts is which segments the outputs call so."""
    named = with_ids(outputs, *ids)
    for taken in ((1, 2), (0, 2), (0, 1), (1,)):
        numbers = sorted(int(ids[place]) for place in taken)
        if 0 in numbers or numbers == list(range(1, len(numbers) + 1)):
            continue  # 0 is a name when it is read, and 1, 2 ... count
        values = {str(number): 10.0 + number for number in numbers}
        scores = judgements().iloc[: len(numbers)].assign(segment=numbers, human=list(values.values()))
        found, noticed = noticing(add_scores, named, scores)
        np.testing.assert_array_equal(found["human"][:3], [values.get(one, np.nan) for one in ids])
        could_be_positions = max(numbers) <= 3
        assert ("unknown-identity" in noticed) == could_be_positions


def test_numbers_that_could_be_names_or_positions_are_told(outputs):
    some = judgements().iloc[:2].assign(segment=[2, 3])
    _, noticed = noticing(add_scores, with_ids(outputs, "2", "3", "4"), some)
    assert str(noticed["unknown-identity"]) == (
        "The numbers of the scores are not 1, 2, ... n, so they could be names or positions. They were taken for "
        "names: 2 is the segment that the outputs call '2', which is number 1 when counted from 1. If positions are "
        "meant, number all segments 1, 2, 3 ..., with None where there is no score."
    )
    # Both mean the same, a text says which is right, or the documents exclude positions.
    assert "unknown-identity" not in noticing(add_scores, with_ids(outputs, "1", "2", "3"), some)[1]
    texts = some.assign(mt=HYPOTHESES["hyps/base.txt"][:2])
    assert "unknown-identity" not in noticing(add_scores, with_ids(outputs, "2", "3", "4"), texts)[1]
    documents = with_ids(outputs, "2", "3", "4").assign(document=["d", "e", "f"] * 2)
    found, noticed = noticing(add_scores, documents, some.assign(document=["d", "e"]))
    np.testing.assert_array_equal(found["human"][:3], [1, 2, np.nan])
    assert "unknown-identity" not in noticed


def test_numbers_that_are_no_names_of_the_outputs_are_refused(outputs):
    some = judgements().iloc[:2].assign(segment=[2, 3])
    error = refusal(add_scores, with_ids(outputs, "a", "b", "c"), some)
    assert (error.code, str(error)) == (
        "unknown-identity",
        "The scores have the segment numbers 2 to 3 (2 in all). Such numbers do not count the segments, so they were "
        "looked up as names, but the outputs have no segment 2, only names such as 'a': write these names in the "
        "column 'segment' of the scores, or number all segments 1, 2, 3 ..., with None where there is no score.",
    )
    # A text of each score says which segment it is of, whatever the outputs call it.
    found = add_one(with_ids(outputs, "a", "b", "c"), some.assign(mt=HYPOTHESES["hyps/base.txt"][1:]))
    np.testing.assert_array_equal(found["human"][:3], [np.nan, 1, 2])
    several = with_ids(outputs, "2", "3", "3")
    found = add_one(several, some.assign(mt=HYPOTHESES["hyps/base.txt"][1:]))
    np.testing.assert_array_equal(found["human"][:3], [np.nan, 1, 2])
    assert refusal(add_scores, several, some).code == "duplicate-segment"


def test_numbers_with_gaps_count_from_1_where_nothing_has_names(outputs):
    some = judgements().iloc[:2].assign(segment=[2, 3])
    found, noticed = noticing(add_scores, outputs, some)
    np.testing.assert_array_equal(found["human"][:3], [np.nan, 1, 2])
    assert str(noticed["unknown-identity"]) == (
        "The scores cover 2 of 3 segments and have no names or texts to check them by: number 2 was taken for segment "
        "2, counting from 1. If they are counted from 0, add 1 to each number."
    )
    confirmed = some.assign(mt=HYPOTHESES["hyps/base.txt"][1:])
    assert "unknown-identity" not in noticing(add_scores, outputs, confirmed)[1]
    # Numbers with gaps on both sides are names, and the same segments.
    part = outputs[outputs["segment"] > 1].reset_index(drop=True)
    found, noticed = noticing(add_scores, part, some)
    np.testing.assert_array_equal(found["human"][:2], [1, 2])
    assert "unknown-identity" not in noticed


def test_numbers_within_documents_that_may_begin_at_0_are_told(outputs):
    """The last segment of every document lacks a score: the first ones may have been numbers 0."""
    named = with_ids(outputs, "1", "2", "1").assign(document=["d", "d", "e"] * 2)
    longer = pd.concat([named, named[named["document"] == "e"].assign(segment=4, segment_id="2")])
    longer = longer.sort_values(["system", "segment"]).reset_index(drop=True)
    scores = judgements().iloc[:2].assign(segment=[1, 2], document=["d", "e"], segment_id=["1", "1"])
    _, noticed = noticing(add_scores, longer, scores)
    assert str(noticed["unknown-identity"]) == (
        "In each of the 2 documents with scores, the last segment has none and all others have one. If the scores "
        "count the segments of a document from 0, add 1 to each number."
    )
    assert "unknown-identity" not in noticing(add_scores, longer, scores.assign(segment_id=["1", "2"]))[1]


def test_numbers_with_gaps_are_names_without_outputs_too():
    esa = pd.DataFrame({"system": "base", "run": 1, "segment": [2, 3], "esa": [5.0, 6.0]})
    _, noticed = noticing(join_scores, judgements(), esa)
    assert str(noticed["unknown-identity"]) == (
        "The scores 'esa' cover 2 of 3 segments and have no names or texts to check them by: number 2 was taken for "
        "segment 2, counting from 1. If they are counted from 0, add 1 to each number."
    )
    _, noticed = noticing(join_scores, esa, judgements())
    assert "The scores 'esa' cover 2 of 3 segments" in str(noticed["unknown-identity"])
    source = judgements(source=SOURCES)
    assert "unknown-identity" not in noticing(join_scores, source, esa.assign(source=SOURCES[1:]))[1]
    error = refusal(join_scores, judgements(), esa.assign(segment=[2, 4]))
    assert str(error) == (
        "The scores 'human' cover 3 segments, but the scores 'esa' have segment 4: give scores of the same segments."
    )
    # Names of one file, numbers with gaps of the other; numbers with gaps of both.
    found, noticed = noticing(join_scores, judgements(segment_id=["0", "2", "3"]), esa)
    by_name = found.set_index("segment_id")
    np.testing.assert_array_equal(by_name.loc[["0", "2", "3"], "esa"], [np.nan, 5, 6])
    assert "unknown-identity" not in noticed
    error = refusal(join_scores, judgements(segment_id=["0", "1", "2"]), esa.assign(segment=[1, 3]))
    assert "but the scores 'human' have no segment 3, only names such as '0': write these names" in str(error)
    found, noticed = noticing(join_scores, judgements(segment_id=["0", "1", "2"]), esa[:1])
    assert found.set_index("segment_id").loc["2", "esa"] == 5
    assert "They were taken for names: 2 is the segment that the scores 'human' call '2', which is number 3" in str(
        noticed["unknown-identity"]
    )
    found, noticed = noticing(join_scores, judgements(segment=[2, 3, 7]), esa)
    np.testing.assert_array_equal(found["esa"], [5, 6, np.nan])
    assert "unknown-identity" not in noticed
    error = refusal(join_scores, judgements(segment_id=["x", "y", "z"]), judgements(esa=1.0).drop(columns="human"))
    assert str(error) == (
        "Some files of scores name their segments and others number them, so nothing says which is which: use the same "
        "names in all files, or numbers from 1 in all."
    )


def test_names_of_systems_that_differ_in_case_or_blanks_are_pointed_out(outputs):
    for name, said in (("base ", "in blanks"), ("B ase", "in case and blanks"), ("BASE", "in case")):
        error = refusal(add_scores, outputs, judgements(system=[name] * 3))
        assert f"({name!r} differs from 'base' only {said}): rename" in str(error)
        assert error.hint == "base"
    assert "differs" not in str(refusal(add_scores, outputs, judgements(system=["third"] * 3)))


def test_comet_of_texts_in_another_order_is_told(tmp_path):
    written = scored()
    written["hyps/new.txt"] = [written["hyps/new.txt"][place] for place in (2, 0, 1)]
    error = refuse(tmp_path / "comet.json", to_json(written))
    assert str(error).endswith("although both have the same texts: score all files in the same order.")


def test_scores_are_joined_without_outputs():
    others = judgements(system=["new"] * 3, esa=[7.0, 8.0, 9.0]).drop(columns="human")
    joined = join_scores(judgements(), others, judgements(esa=[4.0, 5.0, 6.0]).drop(columns="human"))
    np.testing.assert_array_equal(joined["human"], [1, 2, 3, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(joined["esa"], [4, 5, 6, 7, 8, 9])
    error = refusal(join_scores, judgements(), judgements())
    assert str(error) == (
        "Two files have a score 'human' for segment 1 of system 'base': leave one file out, or rename one of the "
        "columns."
    )
    error = refusal(join_scores, judgements(human_direction="up"), others.assign(human=1.0, human_direction="down"))
    assert str(error) == "The scores of 'human' have the directions 'up' and 'down': correct one of the files."
    assert {error.found, error.expected} == {"up", "down"}


def test_documents_and_numbers_do_not_say_which_segment_a_name_means(outputs):
    # Sorted as text: 10 before 2. The documents are those of the outputs, and yet the rows are not.
    named = judgements(segment_id=["1", "10", "2"], document=["d", "d", "d"])
    error = refusal(add_scores, outputs.assign(document="d"), named)
    assert error.code == "unknown-identity"
    # A text of each row says that it is the right one; one text that is not known is not enough.
    texts = HYPOTHESES["hyps/base.txt"]
    assert add_one(outputs, named.assign(mt=texts))["human"].tolist()[:3] == [1, 2, 3]
    assert add_one(outputs, named.assign(source=SOURCES))["human"].tolist()[:3] == [1, 2, 3]
    assert refusal(add_scores, outputs, named.assign(mt=[*texts[:2], None])).code == "unknown-identity"
    assert refusal(add_scores, outputs, named.assign(mt=texts[::-1])).code == "text-mismatch"
    without_score = named.assign(mt=[*texts[:2], None], human=[1.0, 2.0, np.nan])
    np.testing.assert_array_equal(add_one(outputs, without_score)["human"][:3], [1, 2, np.nan])


def add_one(outputs, scores):
    return noticing(add_scores, outputs, scores)[0]


def test_scores_on_one_of_several_references(outputs):
    several = outputs.assign(reference_2=["a", "b", "c"] * 2)
    for references in (REFERENCES, ["a ", "b", "c"]):
        assert add_one(several, judgements(ref=references))["human"].tolist()[:3] == [1, 2, 3]
    error = refusal(add_scores, several, judgements(ref=["a", "b", REFERENCES[2]]))
    assert str(error) == (
        "System 'base', run 1, segment 3: the reference is 'c', but the reference that was scored is 'It is raining.': "
        "give scores of these segments, in the same order, with this reference."
    )
    # A reference that a segment lacks was not scored.
    lacking = several.assign(reference_2=["a", None, None] * 2)
    assert refusal(add_scores, lacking, judgements(ref=["a", "b", "c"])).code == "text-mismatch"
    assert add_one(lacking, judgements(ref=["a", "", ""]))["human"].tolist()[:3] == [1, 2, 3]


def test_one_name_means_one_kind_of_score(outputs):
    several = outputs.assign(reference_2=["a", "b", "c"] * 2)
    base = judgements(mt=HYPOTHESES["hyps/base.txt"], ref=REFERENCES)
    new = judgements(system=["new"] * 3, mt=HYPOTHESES["hyps/new.txt"])
    for join in (lambda *scores: refusal(add_scores, several, *scores), lambda *scores: refusal(join_scores, *scores)):
        error = join(base, new)
        assert (error.code, str(error)) == (
            "text-mismatch",
            "Two files have scores 'human', but only one was scored with references, so they come from different "
            "models: name one with --scores NAME=FILE (in Python, rename the column).",
        )
    error = refusal(add_scores, several, base, new.assign(ref=["a", "b", "c"]))
    assert str(error) == (
        "Two files have scores 'human' of segment 1 with different references, 'The cat sleeps.' and 'a': name one "
        "with --scores NAME=FILE (in Python, rename the column)."
    )
    error = refusal(join_scores, base, new.assign(ref=["a", "b", "c"]))
    assert str(error) == (
        "Two files have different values of 'ref' for segment 1, 'The cat sleeps.' and 'a': correct one of the files."
    )
    assert (error.found, error.expected) == ("'a'", "'The cat sleeps.'")
    # Scores of other names may have other references, or none.
    assert add_one(several, base.assign(kiwi=1.0).drop(columns="ref"))["kiwi"].tolist()[:3] == [1, 1, 1]
    kiwi = judgements(mt=HYPOTHESES["hyps/base.txt"], kiwi=1.0).drop(columns="human")
    found, _ = noticing(add_scores, several, base, kiwi)
    assert {"human", "kiwi"} <= set(found)
    assert join_scores(base, kiwi)["ref"].tolist() == REFERENCES


def test_all_files_say_which_way_is_better_or_none(outputs):
    noted = judgements(human_direction="up")
    new = judgements(system=["new"] * 3)
    sentence = (
        "Only one of the files says which way is better for 'human': give the others a column 'human_direction', too, "
        "or rename the column if they mean another score."
    )
    for scores in ((noted, new), (new, noted)):
        assert str(refusal(add_scores, outputs, *scores)) == sentence
        assert str(refusal(join_scores, *scores)) == sentence
    error = refusal(add_scores, outputs, judgements(human_direction=["up", None, "up"]))
    assert str(error) == (
        "Column 'human_direction' is 'up' for some scores and empty for others: write the same direction in all rows."
    )
    for found in (add_one(outputs, noted), join_scores(noted, new.assign(human_direction="up"))):
        assert set(found["human_direction"]) == {"up"}


def test_scores_of_other_test_sets_are_not_joined():
    def named(*names, **columns):
        return judgements(segment_id=list(names), **columns)

    esa = {"esa": [1.0, 2.0, 3.0]}
    four = pd.DataFrame({"system": "base", "run": 1, "segment": [1, 2, 3, 4], "esa": 1.0})
    error = refusal(join_scores, judgements(), four)
    assert (error.code, str(error)) == (
        "count-mismatch",
        "The scores 'human' cover 3 segments, but the scores 'esa' cover 4: give scores of the same segments.",
    )
    error = refusal(join_scores, named("x", "y", "z"), named("a", "b", "c", **esa).drop(columns="human"))
    assert (error.code, str(error)) == (
        "unknown-segment",
        "The scores 'human' and 'esa' have no segment in common: one file has segments such as 'x', the other 'a': "
        "give scores of the same test set, with the same names.",
    )
    assert (error.found, error.expected) == ("'a'", "'x'")
    found, noticed = noticing(join_scores, named("x", "y", "z"), named("a", "y", "x", **esa).drop(columns="human"))
    assert str(noticed["unknown-segment"]) == (
        "The scores 'human' and 'esa' have only 2 segments in common: 'z' is missing in the second file, 'a' in the "
        "first."
    )
    assert noticed["unknown-segment"].count == 2
    one, other = (named("x", "y", "z", document=["d", "d", name]) for name in ("e", "f"))
    _, more = noticing(join_scores, one, other.assign(esa=1.0).drop(columns="human"))
    assert "'z' of document 'e' is missing in the second file, 'z' of document 'f' in the first." in str(
        more["unknown-segment"]
    )
    by_name = found.set_index("segment_id")
    np.testing.assert_array_equal(by_name.loc[["x", "y", "z", "a"], "human"], [1, 2, 3, np.nan])
    np.testing.assert_array_equal(by_name.loc[["x", "y", "z", "a"], "esa"], [3, 2, np.nan, 1])
    # Some of the segments, by their numbers: the others are missing.
    some = pd.DataFrame({"system": "base", "run": 1, "segment": [2, 3], "esa": 1.0})
    found, noticed = noticing(join_scores, judgements(), some)
    np.testing.assert_array_equal(found["esa"], [np.nan, 1, 1])
    assert "unknown-segment" not in noticed
    error = refusal(join_scores, named("x", "x", "z", document=["d", "e", "e"]), named("x", "y", "z", **esa))
    assert str(error) == (
        "The scores 'human' have several segments 'x' in a run, and the scores 'human' and 'esa' have no column "
        "'document' to tell them apart: add this column, or give each segment a name of its own."
    )
    documents = judgements(document=["d", "d", "e"])
    error = refusal(join_scores, documents, documents.assign(system="new", document=["d", "e", "e"]))
    assert error.code == "text-mismatch"


def test_numbers_of_raters_are_no_scores(outputs):
    some = judgements(n_ratings=[1.0, 2.0, 1.0]).iloc[:2].assign(segment=[1, 3]).reset_index(drop=True)
    found, noticed = noticing(add_scores, outputs, some)
    np.testing.assert_array_equal(found["n_ratings"][:3], [1, np.nan, 2])
    assert str(noticed["unrated-system"]) == "System 'new' has no score 'human'."
    assert str(noticed["missing-score"]) == "1 of 3 outputs (one per system, run and segment) has no score 'human'."
    error = refusal(add_scores, outputs, judgements(n_ratings=[1.0, 2.0, 1.0]).drop(columns="human"))
    assert str(error) == (
        "The scores have no column of numbers, only 'system', 'run', 'segment', 'n_ratings': add a column with the "
        "scores."
    )


def test_all_columns_of_counts_together_are_no_scores(outputs):
    counts = dict.fromkeys(COUNTS, 1.0)
    error = refusal(add_scores, outputs, judgements(**counts).drop(columns="human"))
    assert str(error).startswith("The scores have no column of numbers, only ")


def test_a_column_of_scores_is_a_metric_by_its_name(outputs):
    scores = outputs.assign(comet=0.5, Human=1.0, human=2.0, bleu=3.0)
    for name, metric in (
        ("COMET", MeanScore("comet")),
        ("human", MeanScore("human")),
        ("Human", MeanScore("Human")),
        ("bleu", Bleu()),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            assert compute_statistics(scores, name).metric.name == metric.name
    error = refusal(compute_statistics, scores, "HUMAN")
    assert str(error) == (
        "'HUMAN' is neither a metric (bleu, chrf, ter, nist, gtm, meteor, length, mean) nor a column of scores "
        "('comet', 'Human', 'human', 'bleu'): write one of these."
    )
    assert str(refusal(compute_statistics, scores, "comt")).endswith("'bleu'): did you mean 'comet'?")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "comet",
            "COMET is not computed here: run 'comet-score -s SOURCE -t OUTPUT ... -r REFERENCE --to_json comet.json', "
            "and add the scores with --scores comet.json (in Python: add_scores(outputs, "
            "read_scores('comet.json'))).",
        ),
        (
            "Unbabel/wmt22-CometKiwi-da",
            "CometKiwi is not computed here: run 'comet-score -s SOURCE -t OUTPUT ... --model "
            "Unbabel/wmt22-cometkiwi-da --to_json cometkiwi.json', and add the scores with --scores "
            "cometkiwi=cometkiwi.json (in Python: add_scores(outputs, "
            "read_scores('cometkiwi.json').rename(columns={'comet': 'cometkiwi'}))).",
        ),
        (
            "BLEURT-20",
            "BLEURT is not computed here: score each system's output with BLEURT's own program, into files such as "
            "bleurt/SYSTEM.txt, and add the scores with --scores bleurt='bleurt/*.txt' (in Python: "
            "add_scores(outputs, read_scores('bleurt/*.txt', name='bleurt'))).",
        ),
    ],
)
def test_metrics_of_other_programs_say_what_to_run(outputs, name, sentence):
    for refused in (
        refusal(compute_statistics, outputs, name),
        refusal(compute_statistics, outputs.assign(human=1.0), name),
        refusal(make_metric, name),
    ):
        assert (refused.code, str(refused)) == ("not-computed-here", sentence)


def test_published_averages_of_score_files(shared):
    root = shared / "realdata" / "mt-metrics-eval" / "wmt23"
    compared = 0
    for pair, name in (("en-de", "mqm"), ("he-en", "mqm"), ("en-de", "da-sqm")):
        scores, _ = noticing(read_scores, root / "human-scores" / f"{pair}.{name}.seg.score")
        lines = (root / "human-scores" / f"{pair}.{name}.sys.score").read_text(encoding="utf-8").splitlines()
        published = {system: float(score) for system, score in (one.split("\t") for one in lines) if score != "None"}
        for system, mean in scores.groupby("system")[name].mean().items():
            assert mean == pytest.approx(published[system], abs=1e-9)
            compared += 1
    assert compared == 39


def test_score_files_of_a_folder_are_those_of_its_reader(shared):
    from mtworkbench import read_mt_metrics_eval

    root = shared / "realdata" / "mt-metrics-eval" / "wmt23"
    outputs, _ = noticing(read_mt_metrics_eval, root, "en-de", references=["refA"])
    scores, _ = noticing(read_scores, root / "human-scores" / "en-de.mqm.seg.score")
    found, noticed = noticing(add_scores, outputs.drop(columns=["mqm", "mqm_direction"]), scores)
    np.testing.assert_array_equal(found["mqm"], outputs["mqm"])
    assert str(noticed["unrated-system"]) == "System 'synthetic_ref' has no score 'mqm'."


def test_scores_need_at_least_one_frame_with_numbers(outputs):
    assert str(refusal(add_scores, outputs.drop(columns="segment"), judgements())).startswith(
        "The outputs frame has no column 'segment', only "
    )
    assert refusal(add_scores, outputs).code == "columns"
    with pytest.raises(InputError):
        add_scores(outputs, outputs.drop(columns="source"))


def test_programs_learn_how_many_scores_were_found(tmp_path):
    error = refuse(tmp_path / "scores", "a\t0.5\na\t0.6\nb\t0.5\n")
    assert (error.code, error.line, error.found, error.expected) == ("count-mismatch", 3, "1", "2")


def test_programs_learn_what_was_found(outputs):
    error = refusal(add_scores, outputs, judgements(), judgements())
    assert (error.code, error.found) == ("columns", "human")
    error = refusal(add_scores, outputs.assign(human=1.0), judgements())
    assert (error.code, error.found) == ("columns", "human")
    error = refusal(add_scores, outputs, judgements(system=["third"] * 3))
    assert (error.code, error.found, error.hint) == ("unknown-system", "third", None)
    error = refusal(add_scores, outputs, judgements(system=["basis"] * 3))
    assert "but the systems with outputs are 'base' and 'new' (did you mean 'base' by 'basis'?): rename" in str(error)
    assert (error.found, error.hint) == ("basis", "base")
    # A system that has scores of this kind is not meant by another name.
    both = pd.concat([judgements(system=[name] * 3) for name in ("base", "basis")], ignore_index=True)
    for frames in ([both], [judgements(system=["base"] * 3), judgements(system=["basis"] * 3)]):
        error = refusal(add_scores, outputs, *frames)
        assert (error.code, error.found, error.hint) == ("unknown-system", "basis", None)
        assert "did you mean" not in str(error)
    of_another_kind = judgements(system=["base"] * 3).rename(columns={"human": "other"})
    assert refusal(add_scores, outputs, of_another_kind, judgements(system=["basis"] * 3)).hint == "base"
    several = outputs.assign(reference_2=["a", "b", "c"] * 2)
    error = refusal(
        add_scores, several, judgements(ref=REFERENCES), judgements(system=["new"] * 3, ref=["a", "b", "c"])
    )
    assert (error.found, error.expected) == ("'a'", "'The cat sleeps.'")


def test_programs_learn_which_run_or_segment_was_found(outputs):
    error = refusal(add_scores, outputs, pd.concat([judgements(), judgements(run=2)], ignore_index=True))
    assert (error.code, error.found, error.expected) == ("run-mismatch", "2", "1")
    named = outputs.assign(document=["d", "d", "e"] * 2, segment_id=["1", "2", "1"] * 2)
    error = refusal(add_scores, named, judgements(document=["e", "d", "d"], segment_id=["1", "2", "3"]))
    assert (error.code, error.found) == ("unknown-segment", "3")
    error = refusal(add_scores, with_ids(outputs, "a", "b", "c"), judgements().iloc[:2].assign(segment=[2, 3]))
    assert (error.code, error.found) == ("unknown-identity", "2")
    # Of several systems with other runs, the one that comes first in the scores is named.
    both = pd.concat([judgements(system=[name] * 3, run=run) for name in ("new", "base") for run in (1, 2)])
    error = refusal(add_scores, outputs, both.reset_index(drop=True))
    assert str(error).startswith("The outputs have 1 run of system 'new', but the scores have 2: ")


def test_numbers_are_told_where_both_sides_have_the_same_with_gaps(outputs):
    """Segments 2 and 3, whose names are '3' and '2': the numbers could be either."""
    part = with_ids(outputs, "1", "3", "2")
    part = part[part["segment"] > 1].reset_index(drop=True)
    found, noticed = noticing(add_scores, part, judgements().iloc[1:].reset_index(drop=True))
    np.testing.assert_array_equal(found["human"][:2], [3, 2])
    assert "They were taken for names: 3 is the segment that the outputs call '3', which is number 2 when" in str(
        noticed["unknown-identity"]
    )


def test_numbers_within_the_same_documents_are_not_doubted(outputs):
    named = with_ids(outputs, "a", "b", "c").assign(document=["d", "d", "e"] * 2)
    found, noticed = noticing(add_scores, named, judgements(document=["d", "d", "e"]))
    np.testing.assert_array_equal(found["human"][:3], [1, 2, 3])
    assert "unknown-identity" not in noticed
    # Not only the last segment of each document lacks a score, so nothing says that numbers begin at 0.
    longer = make_outputs([*"abcdef"], {"base": [[*"uvwxyz"]]}, documents=[*"dddeee"])
    longer = longer.assign(segment_id=["1", "2", "3"] * 2)
    scores = pd.DataFrame({"system": "base", "run": 1, "document": ["d", "d", "e"], "segment_id": ["1", "2", "1"]})
    scores = scores.assign(segment=[1, 2, 4], human=1.0)
    assert "unknown-identity" not in noticing(add_scores, longer, scores)[1]
    all_but_last = pd.concat([scores, scores[2:].assign(segment=5, segment_id="2")], ignore_index=True)
    assert "unknown-identity" in noticing(add_scores, longer, all_but_last)[1]


def test_systems_without_outputs_are_left_out_where_accepted(outputs):
    scores = pd.concat([judgements(system=[name] * 3) for name in ("refA", "base", "refB")], ignore_index=True)
    found, noticed = noticing(add_scores, outputs, scores, accept=["unknown-system"])
    assert list(found.columns) == [*outputs.columns, "human"]
    np.testing.assert_array_equal(found["human"], [1, 2, 3, np.nan, np.nan, np.nan])
    message = noticed["unknown-system"]
    assert str(message) == "Scores of systems without outputs were left out, as accepted: 'refA' and 'refB'."
    assert (message.count, noticed["unrated-system"].count) == (2, 1)
    # Where none of the systems is known, names are written differently: that is never accepted.
    error = refusal(add_scores, outputs, scores[scores["system"] == "refA"], accept=["unknown-system"])
    assert error.code == "unknown-system"


def test_what_is_missing_is_counted_over_all_files(outputs):
    """One score of `base` in the first file, two of `new` in the second, of 6; both kinds of scores in one sentence."""
    kinds = {"human": 1.0, "esa": 2.0}
    base = judgements(mt=HYPOTHESES["hyps/base.txt"], **kinds).iloc[1:]
    new = judgements(system=["new"] * 3, mt=HYPOTHESES["hyps/new.txt"], **kinds).iloc[1:2]
    found, noticed = noticing(add_scores, outputs, *(one.reset_index(drop=True) for one in (base, new)))
    assert list(noticed) == ["missing-score"]
    message = noticed["missing-score"]
    assert str(message) == "3 of 6 outputs (one per system, run and segment) have no score 'human' or 'esa'."
    assert message.count == 3
    for name, value in kinds.items():
        np.testing.assert_array_equal(found[name], [np.nan, value, value, np.nan, value, np.nan])
    third = pd.concat([outputs, outputs[:3].assign(system="third")], ignore_index=True)
    _, noticed = noticing(add_scores, third, judgements(), judgements(esa=1.0).drop(columns="human"))
    assert str(noticed["unrated-system"]) == "Systems 'new' and 'third' have no score 'human' or 'esa'."
    assert noticed["unrated-system"].count == 2


def test_a_frame_with_hypotheses_is_taken_for_the_outputs(outputs):
    alone = judgements()
    assert join_scores(alone) is alone
    scores = pd.concat([judgements(), judgements(system=["refA"] * 3)], ignore_index=True)
    for frames in ((scores, outputs), (outputs, scores)):
        assert refusal(join_scores, *frames).code == "unknown-system"
        with pytest.warns(DataWarning) as noticed:
            found = join_scores(*frames, accept=["unknown-system"])
        assert [one.message.code for one in noticed] == ["unknown-system", "unrated-system"]
        assert list(found.columns) == [*outputs.columns, "human"]
        np.testing.assert_array_equal(found["human"], [1, 2, 3, np.nan, np.nan, np.nan])


@pytest.mark.parametrize(
    ("field", "file", "text"),
    [
        ("src", "hyps/base.txt", "Es regnet."),
        ("mt", "hyps/new.txt", "The cat is asleep."),
        ("ref", "hyps/base.txt", None),
    ],
)
def test_texts_of_comet_are_text(tmp_path, field, file, text):
    """What all files share is looked at once, outputs in each file."""
    text = text or REFERENCES[2]
    path = tmp_path / "comet.json"
    damaged = to_json(scored()).replace(f'"{field}": "{text}"', f'"{field}": "\\u0000{text}"')
    error = refuse(path, damaged)
    assert error.code == "nul"
    assert str(error).startswith(f"{path}, '{field}' of '{file}', ")
