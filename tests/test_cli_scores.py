"""Scores from a terminal: with outputs of any format, alone, and in tables and folders that hold everything."""

import json

import pandas as pd
import pytest

from mtworkbench import cli

from .outputs.comet_files import HYPOTHESES, REFERENCES, SCORES, SOURCES, printed, scored, to_json

QUICK = ["--resamples", "20", "--trials", "200", "--rng", "1", "--interval", "jackknife"]
SHORT = ["ref.txt", "hyps/base.txt", "hyps/new.txt"]
DIFFERENCE = pytest.approx(sum(SCORES["hyps/new.txt"]) / 3 - sum(SCORES["hyps/base.txt"]) / 3, abs=1e-12)
HUMAN = "system,segment,human\nbase,1,2\nbase,2,3\nbase,3,4\nnew,1,4\nnew,2,4\nnew,3,4\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hyps").mkdir()
    texts = {"ref.txt": REFERENCES, "src.txt": SOURCES, **HYPOTHESES}
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (tmp_path / "comet.json").write_text(to_json(scored()), encoding="utf-8")
    (tmp_path / "comet.log").write_text(printed(), encoding="utf-8")
    (tmp_path / "human.csv").write_text(HUMAN)
    return tmp_path


def run(capsys, *arguments):
    status = cli.main(arguments)
    output, errors = capsys.readouterr()
    return status, output, errors


def compared(capsys, *arguments):
    status, output, errors = run(capsys, "compare", *arguments, *QUICK, "--format", "json")
    assert (status, errors) == (0, "")
    found = json.loads(output)
    return found["metrics"], [warning["code"] for warning in found["warnings"]]


def refused(capsys, *arguments):
    status, output, errors = run(capsys, *arguments)
    assert (status, output) == (2, "")
    return errors.strip().removeprefix("mtworkbench: error: ")


def differences(metrics):
    return {name: one["comparisons"][0]["difference"] for name, one in metrics.items()}


def test_scores_with_outputs_are_shown_beside_bleu(files, capsys):
    metrics, _ = compared(capsys, *SHORT, "--scores", "comet.json", "--scores", "human.csv", "--direction", "human=up")
    assert list(metrics) == ["BLEU", "comet", "human"]
    assert differences(metrics)["comet"] == DIFFERENCE
    assert differences(metrics)["human"] == 1
    assert metrics["comet"]["higher_is_better"] is True
    assert {pair["a"] for pair in metrics["comet"]["comparisons"]} == {"new"}


def test_scores_alone_are_all_there_is(files, capsys):
    metrics, _ = compared(capsys, "--scores", "comet.log", "--scores", "human.csv", "--direction", "human=up")
    assert list(metrics) == ["comet", "human"]
    assert differences(metrics)["comet"] == pytest.approx(DIFFERENCE.expected, abs=1e-4)
    assert refused(capsys, "compare", "--scores", "human.csv", "-m", "chrf").startswith(
        "The outputs have no column 'hypothesis'"
    )


@pytest.mark.parametrize(
    ("named", "shown"),
    [
        (["-m", "chrf"], ["chrF", "comet", "human"]),
        (["-m", "chrf", "COMET"], ["chrF", "comet"]),
        (["--metric", "human"], ["human"]),
        ([], ["BLEU", "comet", "human"]),
    ],
)
def test_metrics_that_are_named_choose_among_the_scores(files, capsys, named, shown):
    metrics, _ = compared(capsys, *SHORT, "--scores", "comet.json", "--scores", "human.csv", *named)
    assert list(metrics) == shown


def test_systems_are_found_by_the_paths_of_their_outputs(files, capsys):
    # Written elsewhere, in another order, and with names that the outputs here do not have.
    written = {f"/gpu/{file}": entries for file, entries in reversed(scored().items())}
    (files / "comet.json").write_text(to_json(written), encoding="utf-8")
    systems = ["--reference", "ref.txt", "--system", "A=hyps/base.txt", "--system", "B=hyps/new.txt"]
    metrics, _ = compared(capsys, *systems, "--baseline", "A", "--scores", "comet.json")
    assert differences(metrics)["comet"] == DIFFERENCE
    runs = ["--reference", "ref.txt", "--system", "X=hyps/*.txt"]
    metrics, _ = compared(capsys, *runs, "--scores", "comet.json")
    (system,) = metrics["comet"]["systems"]
    assert system["scores"] == [pytest.approx(sum(values) / 3) for values in SCORES.values()]
    # Else they are found by names.
    (files / "other.json").write_text(
        to_json({f"x/{name}.out": scored()[f"hyps/{name}.txt"] for name in ("new", "base")})
    )
    metrics, _ = compared(capsys, *SHORT, "--scores", "other.json")
    assert differences(metrics)["comet"] == DIFFERENCE
    assert refused(capsys, "compare", *systems, "--scores", "other.json") == (
        "There are scores of 'new' and 'base', but the systems with outputs are 'A' and 'B': rename the systems, or "
        "leave out scores of systems without outputs with --accept unknown-system (in Python, "
        "accept=['unknown-system'])."
    )


def test_files_of_single_systems_are_named_together(files, capsys):
    (files / "s").mkdir()
    for name in ("base", "new"):
        numbers = "".join(f"{score}\n" for score in SCORES[f"hyps/{name}.txt"])
        (files / "s" / f"{name}.txt").write_text(numbers)
        (files / "s" / f"{name}.bleurt").write_text(numbers)
    one_by_one = ["--scores", "comet=s/base.txt", "--scores", "comet=s/new.txt"]
    outputs = ["--reference", "ref.txt", "--system", "A=hyps/base.txt", "--system", "B=hyps/new.txt", "--baseline", "A"]
    for named in (["--scores", "comet=s/*.txt"], one_by_one):
        for call in (SHORT, outputs):
            metrics, _ = compared(capsys, *call, *named, "--scores", "s/*.bleurt")
            assert list(metrics) == ["BLEU", "comet", "bleurt"]
            assert differences(metrics)["comet"] == differences(metrics)["bleurt"] == DIFFERENCE
    third = ["--system", "C=third.txt", "--systems", "B", "A"]
    (files / "third.txt").write_text("A cat.\nA dog.\nRain.\n")
    (files / "s" / "third.txt").write_text("0.1\n0.2\n0.3\n")
    metrics, _ = compared(capsys, *outputs, *third, "--scores", "comet=s/*.txt")
    assert differences(metrics)["comet"] == DIFFERENCE
    (files / "s" / "third.txt").unlink()
    metrics, _ = compared(capsys, "--scores", "comet=s/*.txt")  # alone, named by their files
    assert [one["system"] for one in metrics["comet"]["systems"]] == ["base", "new"]
    assert refused(capsys, "compare", *SHORT, "--scores", "s/*.txt") == (
        "s/base.txt has one number per line, but nothing says what these scores are: name them, as in --scores "
        "comet=s/base.txt (in Python, name='comet')."
    )
    told = refused(
        capsys, "compare", *SHORT, "--scores", "s/base.txt", "s/new.txt"
    )  # a pattern without quotation marks
    assert told.startswith("'s/new.txt' holds scores, not texts: give it with --scores s/new.txt, once per file")
    before = (files / "s" / "new.txt").read_bytes()
    for named in ("comet=s", "comet=s/*.txt"):
        told = refused(capsys, "compare", *SHORT, "--scores", named, "--output", "s/new.txt")
        assert "'s/new.txt' is read" in told and (files / "s" / "new.txt").read_bytes() == before


def test_scores_may_be_given_a_name(files, capsys):
    told = ["--scores", "kiwi=comet.json", "--scores", "comet.log", "--direction", "kiwi=up"]
    metrics, codes = compared(capsys, *SHORT, *told)
    assert list(metrics) == ["BLEU", "kiwi", "comet"]
    assert "unknown-direction" not in codes
    assert refused(capsys, "compare", *SHORT, "--scores", "comet.json", "--scores", "comet.log") == (
        "Two files of scores have 'comet' of systems 'base' and 'new': name one with --scores NAME=FILE (in Python, "
        "rename the column)."
    )
    (files / "two.csv").write_text(HUMAN.replace("\n", ",1\n").replace("human,1", "human,esa"))
    assert refused(capsys, "compare", *SHORT, "--scores", "x=two.csv").endswith(
        "--scores x=two.csv needs a file with a single kind of score and no other column 'x', but the scores in it are "
        "'human', 'esa': leave out x= (see mtworkbench compare --help)."
    )


@pytest.mark.parametrize(
    "name", ["document", "segment_id", "reference", "reference_2", "system", "n_raters", "ref", "x_direction"]
)
def test_names_of_other_columns_are_no_names_of_scores(files, capsys, name):
    assert refused(capsys, "compare", *SHORT, "--scores", f"{name}=comet.json") == (
        f"--scores {name}=comet.json: {name!r} means another column of outputs: choose another name (see mtworkbench "
        "compare --help)."
    )


@pytest.mark.parametrize("name", ["BLEU", "ter", "Length"])
def test_scores_are_not_named_like_a_metric_that_is_computed(files, capsys, name):
    (files / "other.csv").write_text(HUMAN.replace("human", name))
    for named in (["--scores", "other.csv"], ["--scores", f"{name}=comet.json"]):
        assert refused(capsys, "compare", *SHORT, *named).endswith(
            f" has scores named {name!r}, as a metric that is computed here: name it otherwise with --scores NAME=FILE."
        )


def test_a_system_is_not_found_by_its_name_alone(files, capsys):
    for old, new in (("base", "zz"), ("new", "yy")):
        (files / "hyps" / f"{old}.txt").rename(files / f"{new}.txt")
    named = ["--reference", "ref.txt", "--system", "base=zz.txt", "--system", "new=yy.txt", "--baseline", "base"]
    assert refused(capsys, "compare", *named, "--scores", "comet.log") == (
        "'comet.log' has scores of 'hyps/base.txt', but the outputs of system 'base' are in 'zz.txt': if these are its "
        "scores, give both one file name; else rename it."
    )
    # The texts of the JSON say whose scores they are.
    metrics, _ = compared(capsys, *named, "--scores", "comet.json")
    assert differences(metrics)["comet"] == DIFFERENCE


def test_a_file_has_all_runs_of_a_system(files, capsys):
    for number, (file, entries) in enumerate(scored().items(), start=1):
        (files / f"run{number}.json").write_text(to_json({file: entries}))
    named = ["--reference", "ref.txt", "--system", "X=hyps/*.txt", "--scores", "run2.json"]
    assert refused(capsys, "compare", *named) == (
        "'run2.json' has scores of run 2 of system 'X', but not of run 1: score all runs of a system in one call of "
        "comet-score, so that one file has their scores."
    )


@pytest.mark.parametrize("path", ["a\0.txt", "a\ud800.txt"])
def test_paths_that_are_none_are_refused(files, capsys, path):
    (files / "odd.json").write_text(json.dumps({path: scored()["hyps/base.txt"]}))
    assert "odd.json" in refused(capsys, "compare", *SHORT, "--scores", "odd.json")


def test_scores_alone_are_of_one_test_set(files, capsys):
    (files / "short.csv").write_text("".join(f"{line}\n" for line in HUMAN.splitlines() if ",3," not in line))
    assert refused(capsys, "compare", "--scores", "comet.log", "--scores", "short.csv") == (
        "The scores 'comet' cover 3 segments, but the scores 'human' cover 2: give scores of the same segments."
    )


def test_scores_of_other_outputs_are_refused(files, capsys):
    (files / "hyps" / "new.txt").write_text("Other.\nTexts.\nHere.\n")
    assert refused(capsys, "compare", *SHORT, "--scores", "comet.json") == (
        "System 'new', run 1, segment 1: the hypothesis is 'Other.', but the hypothesis that was scored is 'The cat is "
        "asleep.': score these outputs again."
    )


def test_systems_without_a_score_are_refused_or_left_out(files, capsys):
    (files / "third.txt").write_text("A cat.\nA dog.\nRain.\n")
    three = [*SHORT, "third.txt", "--scores", "comet.json"]
    status, printed, errors = run(capsys, "compare", *three)
    assert (status, printed) == (2, "")
    assert errors == (
        "mtworkbench: warning: System 'third' has no score 'comet'.\n"
        "mtworkbench: error: There are no scores of 'third' (comet), so they cannot be compared by the scores in "
        "brackets: give these scores, or accept 'incomplete-system' (--accept incomplete-system) to leave them out.\n"
    )
    three += ["--accept", "incomplete-system"]
    metrics, codes = compared(capsys, *three)
    assert [one["system"] for one in metrics["BLEU"]["systems"]] == ["base", "new"]
    assert {"unrated-system", "left-out"} <= set(codes)
    _, _, errors = run(capsys, "compare", *three, *QUICK)
    said = "warning: 'third' (comet) is left out of all tables, because the scores in brackets are missing.\n"
    assert said in errors


def test_a_metric_is_found_without_the_name_of_its_reference(files, capsys):
    rows = [f"{system}\t{i}\t0.{i}\n" for system in ("base", "new") for i in (1, 2, 3)]
    (files / "a.tsv").write_text("system\tsegment\tCOMET-refA\n" + "".join(rows))
    metrics, codes = compared(capsys, *SHORT, "--scores", "a.tsv", "-m", "bleu", "comet")
    assert list(metrics) == ["BLEU", "comet"] and metrics["comet"]["higher_is_better"] is True
    assert "unknown-direction" not in codes


def test_every_command_takes_scores(files, capsys):
    scores = ["--scores", "comet.json"]
    for command in (
        ["units", "--trials", "100", "--rng", "1"],
        ["plan"],
        ["calibrate", "--repetitions", "2", "--resamples", "40", "--trials", "20", "--rng", "1"],
        ["variance", "--resamples", "20", "--rng", "1"],
    ):
        status, output, errors = run(capsys, *command, *scores)
        assert (status, "error" in errors) == (0, False)
        assert "comet" in output
    status, _, _ = run(capsys, "statistics", *SHORT, *scores, "--output", "saved.stats")
    assert status == 0
    _, output, _ = run(capsys, "score", "saved.stats", "--format", "json")
    assert '"comet"' in output
    assert '"BLEU"' in output
    assert "--scores has been settled when the statistics were made: leave it out" in refused(
        capsys, "compare", "--statistics", "saved.stats", *scores
    )
    dev = ["--dev-reference", "ref.txt", "--dev-system", "base=hyps/base.txt"]
    assert (
        "--scores cannot be combined with a dev set: leave out --scores, or --dev-reference and --dev-system"
        in refused(capsys, "variance", *scores, *dev)
    )
    assert "--reference and --system are needed" in refused(capsys, "compare", "--source", "src.txt", *scores)


def test_a_table_holds_everything(files, capsys):
    rows = [
        {
            "system": name[5:-4],
            "segment": i,
            "reference": REFERENCES[i - 1],
            "hypothesis": text,
            "comet": SCORES[name][i - 1],
        }
        for name, texts in HYPOTHESES.items()
        for i, text in enumerate(texts, start=1)
    ]
    pd.DataFrame(rows).to_csv("long.tsv", sep="\t", index=False)
    metrics, _ = compared(capsys, "--table", "long.tsv", "--baseline", "base")
    assert list(metrics) == ["BLEU", "comet"]
    assert differences(metrics)["comet"] == DIFFERENCE
    other = {"system": "Model", "hypothesis": "Text"}
    pd.DataFrame(rows).rename(columns=other).to_csv("named.tsv", sep="\t", index=False)
    for named in (
        ["--columns", "system=Model", "hypothesis=Text"],
        ["--columns", "system=Model", "--columns", "hypothesis=Text"],
    ):
        assert compared(capsys, "--table", "named.tsv", "--baseline", "base", *named)[0] == metrics
    labelled = pd.DataFrame(rows).rename(columns={"segment": "Item ID"}).assign(seed=7)
    labelled.to_csv("labelled.tsv", sep="\t", index=False)
    # Labels that are numbers are no scores.
    assert [*compared(capsys, "--table", "labelled.tsv")[0]] == ["BLEU", "comet"]
    errors = refused(capsys, "compare", "--table", "named.tsv", "--columns", "system=Model", "--columns", "system=Text")
    assert "'system' is both 'Model' and 'Text': name one column" in errors
    metrics, _ = compared(capsys, "--table", "long.tsv", "-m", "bleu", "mean:column=comet")
    assert list(metrics) == ["BLEU", "comet"]
    pd.DataFrame(rows).rename(columns={"comet": "BLEU"}).to_csv("twice.csv", index=False)
    metrics, _ = compared(capsys, "--table", "twice.csv")
    assert len(metrics) == 2
    assert all(name.startswith("BLEU|") for name in metrics)
    pd.DataFrame(rows).drop(columns="comet").to_csv("texts.csv", index=False)
    metrics, _ = compared(capsys, "--table", "texts.csv")
    assert list(metrics) == ["BLEU"]
    metrics, _ = compared(capsys, "--table", "human.csv")
    assert list(metrics) == ["human"]
    wide = pd.DataFrame({"reference": REFERENCES} | {name[5:-4]: texts for name, texts in HYPOTHESES.items()})
    wide.to_csv("wide.csv", index=False)
    for named in (["--table-systems", "base", "new"], ["--table-systems", "base", "--table-systems", "new"]):
        metrics, _ = compared(capsys, "--table", "wide.csv", *named, "--scores", "comet.json")
        assert list(metrics) == ["BLEU", "comet"]
    assert "--table-systems works only with --table" in refused(capsys, "compare", *SHORT, "--table-systems", "a")
    assert "--table holds references, systems and documents: leave --reference out" in refused(
        capsys, "compare", "--table", "long.tsv", "--reference", "ref.txt"
    )


def test_a_folder_of_mt_metrics_eval_holds_everything(files, capsys):
    for name, lines in {
        "references/de-en.refA.txt": REFERENCES,
        "references/de-en.refB.txt": HYPOTHESES["hyps/new.txt"],
        "system-outputs/de-en/base.txt": HYPOTHESES["hyps/base.txt"],
        "system-outputs/de-en/new.txt": HYPOTHESES["hyps/new.txt"],
        "human-scores/de-en.mqm.seg.score": [f"{name}\t{score}" for name in ("base", "new") for score in (-1, 0, -5)],
    }.items():
        (files / "set" / name).parent.mkdir(parents=True, exist_ok=True)
        (files / "set" / name).write_text("".join(f"{line}\n" for line in lines))
    metrics, _ = compared(capsys, "--mt-metrics-eval", "set", "--use-reference", "refA", "--baseline", "base")
    assert list(metrics) == ["BLEU", "mqm"]
    assert "nrefs:1|" in metrics["BLEU"]["signature"]
    metrics, _ = compared(capsys, "--mt-metrics-eval", "set", "--language-pair", "de-en")
    assert "nrefs:2|" in metrics["BLEU"]["signature"]
    (files / "set" / "system-outputs" / "en-de").mkdir()
    assert refused(capsys, "compare", "--mt-metrics-eval", "set") == (
        "set/system-outputs holds 2 language pairs, 'de-en' and 'en-de': choose one with --language-pair de-en "
        "(in Python, language_pair='de-en')."
    )


def test_metrics_of_other_programs_say_what_to_run(files, capsys):
    error = refused(capsys, "compare", *SHORT, "-m", "comet")
    assert error.endswith("--scores comet.json (in Python: add_scores(outputs, read_scores('comet.json'))).")
    error = refused(capsys, "compare", *SHORT, "--scores", "comet.json", "-m", "comet", "bertscore")
    assert error.startswith("BERTScore is not computed here")


def test_an_output_may_not_replace_the_scores(files, capsys):
    before = (files / "comet.json").read_bytes()
    error = refused(capsys, "compare", *SHORT, "--scores", "comet.json", "--output", "comet.json")
    assert error == "'comet.json' is read, so it cannot be the file to write."
    assert (files / "comet.json").read_bytes() == before


def test_a_published_set_is_one_line(shared, capsys, tmp_path):
    root = shared / "realdata" / "mt-metrics-eval" / "wmt23"
    named = ["--mt-metrics-eval", str(root), "--language-pair", "en-de", "-m", "mqm", "COMET-refA"]
    status, _, errors = run(capsys, "statistics", *named, "--use-reference", "refA", "--output", str(tmp_path / "s"))
    assert status == 0
    assert "'refA' (COMET-refA) and 'synthetic_ref' (mqm) are left out" in errors
    _, output, _ = run(capsys, "score", str(tmp_path / "s"), "--format", "csv")
    for file, name in (("human-scores/en-de.mqm", "mqm"), ("metric-scores/en-de/COMET-refA", "COMET-refA")):
        lines = (root / f"{file}.sys.score").read_text(encoding="utf-8").splitlines()
        published = dict(line.split("\t") for line in lines)
        assert name in output
        for system in ("GPT4-5shot", "AIRC"):
            (found,) = [line for line in output.splitlines() if name in line and f",{system}," in f",{line},"]
            assert float(found.split(",")[-1]) == pytest.approx(float(published[system]), abs=1e-6)


def test_scores_of_comet_keep_their_direction_by_any_name(files, capsys):
    for file in ("comet.json", "comet.log"):
        metrics, codes = compared(capsys, *SHORT, "--scores", f"other={file}")
        assert metrics["other"]["higher_is_better"] is True
        assert "unknown-direction" not in codes
    # A name with a direction of its own decides, and what is told is not contradicted.
    metrics, _ = compared(capsys, *SHORT, "--scores", "other=comet.log", "--direction", "other=up")
    assert metrics["other"]["higher_is_better"] is True
    metrics, _ = compared(capsys, *SHORT, "--scores", "hter=human.csv")
    assert metrics["hter"]["higher_is_better"] is False
    _, codes = compared(capsys, *SHORT, "--scores", "other=human.csv")
    assert "unknown-direction" in codes


@pytest.mark.parametrize("file", ["comet.json", "comet.log"])
def test_scores_among_outputs_are_told_from_texts(files, capsys, file):
    sentence = f"'{file}' holds scores, not texts: give it with --scores {file}, once per file of scores"
    for call in ([file, *SHORT], [*SHORT, file], [*SHORT, "--scores", "human.csv", file], [SHORT[0], "-i", file]):
        assert sentence in refused(capsys, "compare", *call)


def test_a_second_file_of_scores_needs_the_option_again(files, capsys):
    told = refused(capsys, "compare", *SHORT, "--scores", "comet.json", "other=comet.log")
    assert (
        "'other=comet.log' is not the name of a file, and --scores takes one file: repeat it, as in --scores "
        "comet.json --scores other=comet.log"
    ) in told
    told = refused(capsys, "compare", *SHORT, "--scores", "one=comet.json", "other=comet.log")
    assert "as in --scores one=comet.json --scores other=comet.log" in told


def test_samples_that_are_counted_from_0_are_noticed(files, capsys):
    """Segment 0 is not in the sample, so nothing but the warning says that the numbers may be others."""
    (files / "human.csv").write_text("system,segment,human\nbase,2,3\nnew,2,4\n")
    for scores in (SHORT, ["--scores", "comet.log"]):
        _, codes = compared(capsys, *scores, "--scores", "human.csv", "--direction", "human=up")
        assert "unknown-identity" in codes


MQM = """\
system\tdoc\tdoc_id\tseg_id\trater\tcategory\tseverity
base\td\t1\t1\tr\tStyle/Awkward\tMajor
base\td\t2\t2\tr\tClarity/Odd\tMinor
new\td\t1\t1\tr\tStyle/Awkward\tMinor
new\td\t2\t2\tr\tFluency/Register\tCritical
"""


def mqm_of(capsys, *arguments):
    metrics, _ = compared(capsys, "--scores", "mqm.tsv", *arguments)
    return {one["system"]: one["score"] for one in metrics["mqm"]["systems"]}


def test_weights_of_mqm_are_named_and_added(files, capsys):
    """Two segments of each: Style/Awkward Major and Clarity/Odd Minor; Style/Awkward Minor and a critical error."""
    (files / "mqm.tsv").write_text(MQM, encoding="utf-8")
    said = refused(capsys, "compare", "--scores", "mqm.tsv")
    assert said.startswith("mqm.tsv, column 'category', line 3: there is no weight for category 'Clarity/Odd'")
    assert said.endswith("in the terminal, give --weights CATEGORY:SEVERITY=NUMBER.")
    added = ["--weights", "Clarity:Minor=2.5"]
    said = refused(capsys, "compare", "--scores", "mqm.tsv", *added)
    assert "line 5: there is no weight for severity 'Critical'" in said
    assert said.endswith("in the terminal, give --weights marot.")
    assert mqm_of(capsys, *added, "--weights", "marot") == {"base": (5 + 2.5) / 2, "new": (1 + 5) / 2}
    critical = ["--weights", "Fluency/Register:Critical=11", "--weights", "style:MAJOR=4"]  # which was 5
    assert mqm_of(capsys, *added, *critical) == {"base": (4 + 2.5) / 2, "new": (1 + 11) / 2}
    assert mqm_of(capsys, "--weights", "*:*=3") == {"base": (5 + 3) / 2, "new": (1 + 3) / 2}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--scores", "human.csv", "--weights", "marot"],
            "--weights applies only to MQM ratings, but no file given with --scores holds any (see mtworkbench compare "
            "--help).",
        ),
        (
            ["--scores", "mqm.tsv", "--weights", "marot", "--weights", "freitag2021"],
            "--weights names two tables, marot and freitag2021: name one (see mtworkbench compare --help).",
        ),
        (
            ["--scores", "mqm.tsv", "--weights", "Style=5"],
            "Argument --weights: 'Style=5' should be freitag2021, marot or CATEGORY:SEVERITY=NUMBER, as in "
            "Style:Major=5 (see mtworkbench compare --help).",
        ),
    ],
)
def test_weights_that_have_no_meaning(files, capsys, arguments, sentence):
    (files / "mqm.tsv").write_text(MQM, encoding="utf-8")
    assert refused(capsys, "compare", *arguments) == sentence
