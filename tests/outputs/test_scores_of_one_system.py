"""Scores in a file per system: one number per line, COMET's list, BERTScore's lines, MetricX's JSON lines."""

import json

import pandas as pd
import pytest

from mtworkbench import add_scores, make_outputs, read_outputs, read_scores
from mtworkbench.outputs.scores.read import holds_scores
from mtworkbench.outputs.scores.systems import name_as_outputs

from .comet_files import HYPOTHESES, REFERENCES, SCORES, SOURCES, printed, scored, to_json
from .reading import noticing, refusal

BASE, NEW = SCORES.values()


def lines(values):
    return "".join(f"{value}\n" for value in values)


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def values(frame, column):
    return {
        (system, int(run)): rows[column].tolist()
        for (system, run), rows in frame.groupby(["system", "run"], sort=False)
    }


def metricx(file, predictions, **further):
    entries = [
        {"source": "", "hypothesis": text, "reference": reference, "prediction": prediction, **further}
        for text, reference, prediction in zip(HYPOTHESES[file], REFERENCES, predictions, strict=True)
    ]
    return lines(map(json.dumps, entries))


@pytest.fixture
def outputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path, ref_txt=lines(REFERENCES), **{f"hyps__{name[5:-4]}_txt": lines(t) for name, t in HYPOTHESES.items()}
    )
    return read_outputs("ref.txt", "hyps")


EXPECTED = {("base", 1): BASE, ("new", 1): NEW}


@pytest.mark.parametrize(
    ("files", "pattern", "name", "column"),
    [
        ({"comet__base_txt": lines(BASE), "comet__new_txt": lines(NEW)}, "comet/*.txt", "comet", "comet"),
        ({"comet__base_txt": lines(BASE), "comet__new_txt": lines(NEW)}, "comet", "kiwi", "kiwi"),
        ({"hyps__base_comet": lines(BASE), "hyps__new_comet": lines(NEW)}, "hyps/*.comet", None, "comet"),
        (
            {"base_bleurt_txt": lines(BASE), "new_bleurt_txt": lines(NEW)},
            ["new.bleurt.txt", "base.bleurt.txt"],
            None,
            "bleurt",
        ),
        ({"api__base_json": json.dumps(BASE), "api__new_json": json.dumps(NEW)}, "api/*", "comet", "comet"),
        (
            {
                f"api__{k}_json": json.dumps({"scores": v, "system_score": 0.9})
                for k, v in (("base", BASE), ("new", NEW))
            },
            "api/*",
            "comet",
            "comet",
        ),
        (
            {
                f"bs__{name}_out": "roberta_L17 P: 0.9 R: 0.8 F1: 0.85\n"
                + lines(f"0.1\t0.2\t{value}" for value in found)
                for name, found in (("base", BASE), ("new", NEW))
            },
            "bs",
            None,
            "bertscore",
        ),
        (
            {"mx__base_jsonl": metricx("hyps/base.txt", BASE), "mx__new_jsonl": metricx("hyps/new.txt", NEW)},
            "mx/*.jsonl",
            None,
            "metricx",
        ),
    ],
)
def test_a_file_per_system_is_read_and_added(tmp_path, outputs, files, pattern, name, column):
    write(tmp_path, **files)
    scores, noticed = noticing(read_scores, pattern, name=name)
    assert {key: sorted(found) for key, found in values(scores, column).items()} == {
        key: sorted(found) for key, found in EXPECTED.items()
    }
    assert not noticed
    assert values(add_scores(outputs, scores), column) == EXPECTED


def test_one_file_of_metricx_may_have_all_systems(tmp_path, outputs):
    both = metricx("hyps/base.txt", BASE, system_id="base") + metricx("hyps/new.txt", NEW, system_id="new")
    write(tmp_path, mx_jsonl=both)
    scores = read_scores("mx.jsonl")
    assert values(add_scores(outputs, scores), "metricx") == EXPECTED
    assert scores.columns.tolist() == ["segment", "system", "run", "metricx", "mt", "ref"]


def test_systems_may_be_named_by_a_mapping(tmp_path, outputs):
    write(tmp_path, a=lines(NEW), b=lines(BASE))
    scores = read_scores({"new": "a", "base": ["b"]}, name="comet")
    assert values(add_scores(outputs, scores), "comet") == EXPECTED


def test_runs_are_found_by_their_files(tmp_path, outputs):
    runs = {f"{name}.run{number}": text for name in "ab" for number, text in ((1, "base"), (2, "new"))}
    write(
        tmp_path,
        **{f"runs__{run.replace('.', '_')}_txt": lines(HYPOTHESES[f"hyps/{of}.txt"]) for run, of in runs.items()},
    )
    write(
        tmp_path, **{f"s__{run.replace('.', '_')}_comet": lines(SCORES[f"hyps/{of}.txt"]) for run, of in runs.items()}
    )
    outputs, _ = noticing(read_outputs, "ref.txt", {"A": "runs/a.*", "B": "runs/b.*"})
    added = add_scores(outputs, read_scores("s/*.comet"))
    assert values(added, "comet") == {("A", 1): BASE, ("A", 2): NEW, ("B", 1): BASE, ("B", 2): NEW}
    error = refusal(add_scores, outputs, read_scores(["s/a.run2.comet", "s/b.run1.comet", "s/b.run2.comet"]))
    assert error.code == "run-mismatch"
    assert "has scores of run 2 of system 'A', but not of run 1: give the scores of all its runs together." in str(
        error
    )


def test_folders_tell_files_of_one_name_apart(tmp_path, outputs):
    for folder in ("hyps", "s"):
        for seed, name in ((1, "base"), (2, "new")):
            text = HYPOTHESES[f"hyps/{name}.txt"] if folder == "hyps" else SCORES[f"hyps/{name}.txt"]
            write(tmp_path, **{f"{folder}__{seed}__pred_txt": lines(text)})
    outputs = read_outputs("ref.txt", {"A": "hyps/1/pred.txt", "B": "hyps/2/pred.txt"})
    scores = read_scores(["s/2/pred.txt", "s/1/pred.txt"], name="comet")
    assert values(add_scores(outputs, scores), "comet") == {("A", 1): BASE, ("B", 1): NEW}


def table(*names):
    rows = [
        f"{name},{i},{value}"
        for name, found in zip(names, (BASE, NEW), strict=True)
        for i, value in enumerate(found, 1)
    ]
    return lines(["system,segment,human", *rows])


@pytest.mark.parametrize(
    "names", [("base", "new"), ("hyps/base.txt", "hyps/new.txt"), ("base.txt", "new.txt"), ("/gpu/base.hyp", "x/new")]
)
@pytest.mark.parametrize("systems", ["hyps", {"A": "hyps/base.txt", "B": "hyps/new.txt"}])
def test_a_table_may_name_systems_by_their_files(tmp_path, outputs, names, systems):
    write(tmp_path, human_csv=table(*names))
    outputs = read_outputs("ref.txt", systems)
    added = add_scores(outputs, read_scores("human.csv"))
    assert list(values(added, "human").values()) == [BASE, NEW]


def test_systems_that_were_renamed_have_their_new_names_alone(tmp_path, outputs):
    write(tmp_path, human_csv=table("A", "B"))
    renamed = outputs.assign(system=outputs["system"].map({"base": "A", "new": "B"}))
    assert renamed.attrs == outputs.attrs
    assert values(add_scores(renamed, read_scores("human.csv")), "human") == {("A", 1): BASE, ("B", 1): NEW}
    write(tmp_path, human_csv=table("hyps/base.txt", "hyps/new.txt"))
    assert refusal(add_scores, renamed, read_scores("human.csv")).code == "unknown-system"


def test_a_name_with_a_dot_is_not_cut(tmp_path, outputs):
    """GPT-4.1 is not GPT-4: only endings that say what is in a file are left out."""
    rows = [f"gpt-4.1,{i},{value}" for i, value in enumerate(BASE, 1)]
    write(tmp_path, human_csv=lines(["system,segment,human", *rows]), a__x_txt="")
    (tmp_path / "a" / "gpt-4.txt").write_text(lines(REFERENCES))
    outputs, _ = noticing(read_outputs, "ref.txt", {"gpt-4": "a/gpt-4.txt"})
    assert refusal(add_scores, outputs, read_scores("human.csv")).code == "unknown-system"


def test_what_could_be_two_systems_is_refused(tmp_path, outputs):
    write(tmp_path, human_csv=table("base", "new"))
    swapped = read_outputs("ref.txt", {"base": "hyps/new.txt", "new": "hyps/base.txt"})
    assert str(refusal(add_scores, swapped, read_scores("human.csv"))) == (
        "The scores of 'base' could be of the outputs 'hyps/base.txt' (system 'new') or those of system 'base': name "
        "the scores after one file, with its folder, or name the systems otherwise."
    )
    write(tmp_path, x__base_txt=lines(HYPOTHESES["hyps/new.txt"]), one_csv=table("./hyps/base.txt", "hyps/base.txt"))
    two = read_outputs("ref.txt", {"A": "hyps/base.txt", "B": "x/base.txt"})
    assert "'hyps/base.txt' (system 'A') or 'x/base.txt' (system 'B')" in str(
        refusal(add_scores, two, read_scores("human.csv"))
    )
    one = read_outputs("ref.txt", {"A": "hyps/base.txt"})
    error = refusal(add_scores, one, read_scores("one.csv"))
    assert str(error).endswith(
        "has scores of './hyps/base.txt' and 'hyps/base.txt', which are both system 'A': leave one of them out."
    )


def test_systems_are_found_once(tmp_path, outputs):
    """Whoever asks again, such as --systems before `add_scores`, finds the same."""
    write(tmp_path, comet_log=printed())
    swapped = read_outputs("ref.txt", {"base": "hyps/new.txt", "new": "hyps/base.txt"})
    once = name_as_outputs(swapped, read_scores("comet.log"))
    assert once["system"].unique().tolist() == ["new", "base"]
    pd.testing.assert_frame_equal(name_as_outputs(swapped, once), once)


def test_comet_finds_the_files_of_outputs_in_python_too(tmp_path, outputs):
    write(tmp_path, comet_log=printed(), comet_json=to_json(scored()))
    named = read_outputs("ref.txt", {"A": "hyps/base.txt", "B": "hyps/new.txt"})
    added = add_scores(named, read_scores("comet.json"))
    assert values(added, "comet") == {("A", 1): BASE, ("B", 1): NEW}
    write(tmp_path, zz_txt=lines(HYPOTHESES["hyps/base.txt"]))
    other = read_outputs("ref.txt", {"base": "zz.txt", "new": "hyps/new.txt"})
    assert "give both one file name" in str(refusal(add_scores, other, read_scores("comet.log")))


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        ("0.5\n0.6\nmean 0.55\n", "bad-number", "s/a.txt, line 3: 'mean 0.55' cannot be read as a score"),
        ("0.5\n0,6\n", "bad-number", "s/a.txt, line 2: '0,6' cannot be read as a score"),
        ("x P: 0.9 R: 0.8 F1: 0.85\n", "score-file", "s/a.txt has only averages: the scores of segments were expected"),
        ("x P: 0.9 R: 0.8 F1: 0.85\n0.1\t0.2\n", "score-file", "line 2: '0.1\\t0.2': precision, recall and F1 between"),
        ("[0.5, NaN]", "json", "s/a.txt is not JSON"),
        ('[0.5, "0.6"]', "bad-number", "has '0.6' as the score of segment 2: a finite number was expected."),
        ('{"source": "", "hypothesis": 1, "prediction": 0.5}\n', "not-text", "has 1 as 'hypothesis' of line 1"),
        (
            '{"hypothesis": "a", "prediction": 0.5}\n{"a": 1}\n',
            "score-file",
            "line 2: the keys are 'a', but 'prediction' was",
        ),
        (
            '{"system": "a", "hypothesis": "a", "prediction": 0.5}\n{"hypothesis": "a", "prediction": 0.5}\n',
            "score-file",
            "s/a.txt names the system of some lines only: name it in all lines or in none.",
        ),
    ],
)
def test_files_that_are_damaged_are_refused(tmp_path, monkeypatch, text, code, sentence):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, s__a_txt=text)
    error = refusal(read_scores, "s/a.txt", name="comet")
    assert (error.code, error.path) == (code, "s/a.txt")
    assert sentence in str(error)


def test_files_of_different_lengths_are_refused(tmp_path, outputs):
    write(tmp_path, s__base_txt=lines(BASE), s__new_txt=lines(NEW[:2]))
    assert str(refusal(read_scores, "s", name="comet")) == (
        "s/new.txt has 2 scores, but s/base.txt has 3: one score per segment was expected, of the same segments."
    )
    write(tmp_path, s__base_txt=lines(BASE[:2]))
    assert str(refusal(add_scores, outputs, read_scores("s", name="comet"))) == (
        "The scores in 's/base.txt' cover 2 segments, but the outputs have 3 segments: give scores of the same "
        "segments."
    )


def test_what_is_wrong_is_said_of_the_file_that_it_is_in(tmp_path, outputs):
    entry = {"hypothesis": "a", "reference": "b", "prediction": 1}
    write(tmp_path, mx__a_jsonl=json.dumps(entry | {"source": "s"}))
    for source, said in ({"source": "x"}, "has 'x' as 'source' of segment 1 in"), ({}, "has different fields (source"):
        write(tmp_path, mx__b_jsonl=json.dumps(entry | source))
        error = refusal(read_scores, "mx/*.jsonl")
        assert error.path == "mx/b.jsonl" and said in str(error)


def test_scores_need_a_name(tmp_path, outputs):
    write(tmp_path, s__base_txt=lines(BASE), s__new_txt=lines(NEW), x_comet=lines(BASE), x_bleurt=lines(BASE))
    for files in ("s", ["x.comet", "x.bleurt"]):
        assert "but nothing says what these scores are: name them, as in --scores comet=" in str(
            refusal(read_scores, files)
        )
    for name in ("system", "reference_2", "n_ratings", "kiwi_direction", " "):
        assert str(refusal(read_scores, "s", name=name)).startswith(f"Scores cannot be called {name!r}: choose")
    write(tmp_path, comet_json=to_json(scored()))
    assert str(refusal(read_scores, "comet.json", name="kiwi")) == (
        "The file says what its scores are, 'comet', so name='kiwi' has no meaning: rename the column of the result."
    )
    assert "comet.json cannot be read together with other files of scores" in str(
        refusal(read_scores, ["x.comet", "comet.json"], name="comet")
    )


def test_scores_without_a_value_are_missing(tmp_path, outputs):
    write(tmp_path, s__base_txt="0.5\nNone\n0.6\n")
    scores, noticed = noticing(read_scores, "s", name="comet")
    assert scores["comet"].isna().tolist() == [False, True, False]
    assert list(noticed) == ["missing-score"]
    write(tmp_path, s__new_txt=lines(NEW))
    _, noticed = noticing(read_scores, "s", name="comet")
    message = "s/base.txt and s/new.txt: 1 of 6 scores is missing. One per system and segment was expected."
    assert str(noticed["missing-score"]) == message


def test_scores_are_no_outputs(tmp_path, outputs):
    write(tmp_path, hyps__base_comet=lines(BASE))
    assert holds_scores("hyps/base.comet") and not holds_scores("hyps/base.txt")
    for text, is_one in (("0.5\r\n0.25\r\n", True), ("0.5\u20280.25\n", False)):  # lines end at \n alone
        (tmp_path / "lines.txt").write_bytes(text.encode())
        assert holds_scores("lines.txt") == is_one
    error = refusal(read_outputs, "ref.txt", "hyps")
    assert str(error) == (
        "hyps/base.comet holds nothing but numbers, such as '0.71234', so these are scores, not texts: leave it out of "
        "the outputs, and give it with --scores (in Python, read_scores)."
    )
    numbers = ["0.5", "1.5", "2.5"]  # a task whose answers are numbers
    assert len(make_outputs(numbers, {"a": ["0.5", "1.0", "2.5"]})) == 3
    assert len(make_outputs(SOURCES, {"a": ["1", "2", "3"]})) == 3


def test_scores_in_the_folder_of_another_system_are_refused(tmp_path, outputs):
    write(tmp_path, one__pred_txt=lines(HYPOTHESES["hyps/base.txt"]), two__pred_txt=lines(HYPOTHESES["hyps/new.txt"]))
    write(tmp_path, one__comet_txt=lines(BASE), two__comet_txt=lines(NEW))
    scores = read_scores("*/comet.txt", name="comet")
    named = read_outputs("ref.txt", {"one": "one/pred.txt", "two": "two/pred.txt"})
    assert values(add_scores(named, scores), "comet") == {("one", 1): BASE, ("two", 1): NEW}
    crossed = read_outputs("ref.txt", {"one": "two/pred.txt", "two": "one/pred.txt"})
    error = refusal(add_scores, crossed, scores)
    assert error.code == "unknown-system"
    assert str(error).startswith(
        "'one/comet.txt' has scores of 'one', named by its folder, which holds 'one/pred.txt', the outputs of "
        "system 'two':"
    )


def test_a_mapping_without_systems_is_refused():
    assert refusal(read_scores, {}, name="comet").code == "no-systems"
