"""``mtworkbench check``, ``--repair``, and what ``compare`` says of a comparison without what seems wrong."""

import csv
import io
import json
import re

import pytest

from mtworkbench import cli
from mtworkbench.assumptions import Doubt
from mtworkbench.cli.program import COMMANDS
from mtworkbench.shipped import find_shipped
from mtworkbench.words.concerns import SEVERAL, say_with_options


def read_lines(name):
    return find_shipped(f"data/flores/{name}.txt").read_text(encoding="utf-8").split("\n")[:60]


REFERENCES = read_lines("reference")
N_COMMAS = sum("," in text for text in read_lines("bergamot-base"))
QUICK = ["--resamples", "500", "--trials", "500", "--rng", "1"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A reference and three outputs, of which one has HTML entities and one empty lines, in the current folder."""
    monkeypatch.chdir(tmp_path)
    outputs = {
        "ref": REFERENCES,
        "base": read_lines("bergamot-tiny"),
        "entities": [text.replace(",", "&#44;") for text in read_lines("bergamot-base")],
        "gaps": ["" if i in (4, 40) else text for i, text in enumerate(read_lines("bergamot-base-memory"))],
    }
    for name, lines in outputs.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def run(capsys, *arguments):
    status = cli.main(arguments)
    output, errors = capsys.readouterr()
    return status, output, errors


ALL = ["ref.txt", "base.txt", "entities.txt", "gaps.txt"]


def test_the_first_screen_names_the_systems_and_what_to_do(files, capsys):
    status, output, errors = run(capsys, "check", *ALL)
    assert (status, errors) == (0, "")
    lines = output.splitlines()
    assert lines[:2] == [
        "2 findings may change verdicts about entities and gaps.",
        "1 of 3 systems has no such finding.",
    ]
    assert [line.split()[0] for line in lines[6:9]] == ["entities", "gaps", "base"]  # the gravest first
    rows = {line.split()[0]: line.split()[-2:] for line in lines[6:9]}
    assert rows == {
        "entities": [str(N_COMMAS), f"({N_COMMAS / 60:.1%})"],
        "gaps": ["2", "(3.3%)"],
        "base": ["base", "-"],
    }
    assert "With --repair html-entities, HTML entities are replaced by their characters." in " ".join(output.split())
    assert output.count("html-entities  entities") == 3  # lines of one finding
    assert run(capsys, "check", *ALL, "--details")[1].count("html-entities  entities") == N_COMMAS


def test_strict_ends_with_1_where_a_verdict_may_change(files, capsys):
    assert run(capsys, "check", *ALL, "--strict")[0] == 1
    assert run(capsys, "check", "ref.txt", "base.txt", "--strict") == (
        0,
        "Nothing seems wrong: 1 system, 1 reference and 60 segments were checked.\n",
        "",
    )
    accepted = run(capsys, "check", "ref.txt", "entities.txt", "--strict", "--accept", "html-entities")
    assert accepted[0] == 0 and accepted[1].endswith("\nAccepted: html-entities (entities).\n")
    assert run(capsys, "check", "ref.txt", "entities.txt", "--strict", "--repair", "html-entities")[0] == 0
    assert run(capsys, "check", "ref.txt", "missing.txt", "--strict")[0] == 2


def test_json_and_csv_have_every_finding(files, capsys):
    _, output, errors = run(capsys, "check", *ALL, "--format", "json")
    found = json.loads(output)
    assert errors == ""
    assert [(one["code"], one["systems"], one["n_found"]) for one in found["doubts"]] == [
        ("empty-hyp", ["gaps"], 2),
        ("html-entities", ["entities"], N_COMMAS),
    ]
    assert [one["gravity"] for one in found["systems"]] == [None, "may change the verdict", "may change the verdict"]
    assert found["lines"][0] == {"code": "empty-hyp", "who": "gaps", "segment": 5, "text": ""}
    rows = list(csv.DictReader(io.StringIO(run(capsys, "check", *ALL, "--format", "csv")[1])))
    assert [(row["system"], row["code"], row["n_found"]) for row in rows] == [
        ("gaps", "empty-hyp", "2"),
        ("entities", "html-entities", str(N_COMMAS)),
    ]


@pytest.mark.parametrize("format, begins", [("markdown", "2 findings may"), ("html", "<")])
def test_it_is_written_for_readers_too(files, capsys, format, begins):
    _, output, _ = run(capsys, "check", *ALL, "--format", format)
    assert output.startswith(begins)
    assert "html-entities" in output
    assert "<b>" not in output or format == "html"


def test_what_is_no_doubt_is_a_warning_still(files, capsys):
    (files / "crlf.txt").write_bytes(b"".join(f"{line}\r\n".encode() for line in REFERENCES))
    _, output, errors = run(capsys, "check", "ref.txt", "crlf.txt")
    assert "carriage return and line feed" in errors
    assert "hyp-is-ref" in output
    assert "hyp-is-ref" not in errors
    assert output.startswith("1 finding breaks comparisons with crlf.")


def test_compare_says_what_it_would_find_without_a_doubt(files, capsys):
    _, output, _ = run(capsys, "compare", "ref.txt", "base.txt", "entities.txt", *QUICK, "--format", "json")
    found = json.loads(output)
    [doubt] = [one for one in found["doubts"] if one["code"] == "html-entities"]
    [without] = doubt["without"]
    [pair] = found["metrics"]["BLEU"]["comparisons"]
    assert (without["difference"], without["p_value"]) == (pair["difference"], pair["p_adjusted"])
    assert without["difference"] < without["difference_without"]
    _, again, _ = run(
        capsys,
        "compare",
        "ref.txt",
        "base.txt",
        "entities.txt",
        *QUICK,
        "--format",
        "json",
        "--repair",
        "html-entities",
    )
    repaired = json.loads(again)
    [pair] = repaired["metrics"]["BLEU"]["comparisons"]
    assert (without["difference_without"], without["p_value_without"], without["better_without"]) == (
        pair["difference"],
        pair["p_adjusted"],
        pair["better"],
    )
    assert repaired["metrics"]["BLEU"]["signature"].endswith("|repaired:html-entities")
    assert repaired["doubts"] == []


def test_a_segment_left_out_is_left_out_for_all(files, capsys):
    arguments = ["compare", *ALL, *QUICK, "--format", "json", "--repair", "empty-hyp", "--accept", "html-entities"]
    assert json.loads(run(capsys, *arguments)[1])["n_segments"] == 58


def test_what_was_repaired_is_not_warned_of(files, capsys):
    arguments = ["compare", "ref.txt", "base.txt", "entities.txt", *QUICK]
    _, output, errors = run(capsys, *arguments, "--repair", "html-entities")
    assert "HTML entities are replaced by their characters, as asked" in errors
    assert "have HTML entities" not in output + errors


def test_a_terminal_says_what_can_be_done_about_a_doubt(files, capsys):
    two = ["compare", "ref.txt", "base.txt", "entities.txt", *QUICK]
    said = " ".join(run(capsys, *two)[1].split())
    assert (
        "Unescape the file first. (--repair html-entities mends it in memory, not in the file; --accept html-entities "
        "ends this warning)" in said
    )
    assert "--repair" not in run(capsys, *two, "--format", "latex")[1]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("empty-hyp", "--repair empty-hyp leaves such segments out; --accept empty-hyp ends this warning"),
        ("signs", "--accept signs ends this warning"),
        (SEVERAL, "--repair CODE mends one in memory, not in the file; --accept CODE ends its warning"),
    ],
)
def test_each_option_is_said_with_what_it_does(code, said):
    assert say_with_options(Doubt(code, "A.", advice="Look.")) == f"A. Look. ({said})"


def test_csv_with_a_repair_warns_of_it_alone(files, capsys):
    two = ["compare", "ref.txt", "base.txt", "entities.txt", *QUICK, "--format", "csv"]
    assert "Unescape the file first." in run(capsys, *two)[2]
    _, output, errors = run(capsys, *two, "--repair", "html-entities")
    assert "Unescape" not in errors and "as asked (html-entities)" in errors
    assert "repaired-outputs" in output


def test_json_says_what_was_accepted_and_what_can_be_repaired(files, capsys):
    check = ["check", "ref.txt", "entities.txt", "--format", "json"]
    [accepted] = json.loads(run(capsys, *check, "--accept", "html-entities")[1])["doubts"]
    assert (accepted["code"], accepted["accepted"], accepted["repair"]) == ("html-entities", True, "html-entities")
    [doubt] = json.loads(run(capsys, *check)[1])["doubts"]
    assert (doubt["accepted"], doubt["repair"], len(doubt["segments"])) == (False, "html-entities", 10)
    [doubt] = json.loads(run(capsys, *check, "--details")[1])["doubts"]
    assert len(doubt["segments"]) == doubt["n_found"] == N_COMMAS > 10


def test_every_command_that_reads_outputs_takes_repair(files, capsys):
    two = ["ref.txt", "base.txt", "entities.txt", "--repair", "html-entities"]
    for command in (["statistics", "--output", "x.stats"], ["variance", *QUICK]):
        status, _, errors = run(capsys, *command, *two)
        assert status == 0 and "as asked (html-entities)" in errors and "Unescape" not in errors
    assert "repaired:html-entities" in run(capsys, "score", "x.stats")[1]
    for command in ("units", "plan", "calibrate"):
        further = ["--unit", "block", *QUICK[2:]] if command == "units" else []
        further += ["--difference", "5"] if command == "plan" else []
        further += (
            ["--repetitions", "2", "--resamples", "400", "--trials", "20", "--rng", "1"]
            if command == "calibrate"
            else []
        )
        status, _, errors = run(capsys, command, *two, *further)
        assert status == 0, errors
        assert "entities are replaced" in errors
    (files / "again.txt").write_text("".join(f"again {line}\n" for line in REFERENCES))
    rows = [("x", "ref.txt", one, f"{one}.txt") for one in ("base", "entities")]
    rows += [("y", "again.txt", one, f"{one}.txt") for one in ("base", "entities")]
    table = "".join("\t".join(row) + "\n" for row in [("set", "reference", "system", "files"), *rows])
    (files / "sets.tsv").write_text(table)
    status, output, errors = run(
        capsys, "compare", "--test-sets", "sets.tsv", "--repair", "html-entities", *QUICK, "--format", "json"
    )
    assert status == 0, errors
    assert "repaired:html-entities" in json.loads(output)["metrics"]["BLEU"]["signatures"]["x"]
    assert "check" in COMMANDS


def test_a_repair_that_there_is_not_is_refused_before_anything_is_read(files, capsys):
    status, _, errors = run(capsys, "compare", "ref.txt", "base.txt", "gaps.txt", "--repair", "shift")
    assert status == 2
    assert errors.startswith("mtworkbench: error: 'shift' is not the code of a repair")
    assert run(capsys, "compare", "--statistics", "x.stats", "--repair", "empty-hyp")[0] == 2


def test_texts_that_are_tokenized_already_are_named(files, capsys):
    """`compare` warns of them, and so does the command that comes before it; no verdict hangs on them."""
    for name in ("ref", "base"):
        lines = [
            re.sub(r"([.,!?])", r" \1", text)
            for text in read_lines({"ref": "reference", "base": "bergamot-tiny"}[name])
        ]
        (files / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    status, output, errors = run(capsys, "check", "ref.txt", "base.txt", "--strict")
    assert (status, errors) == (0, "")
    said = " ".join(output.split())
    assert said.startswith(
        "No finding may change a verdict: 1 system, 1 reference and 60 segments were checked. 1 finding "
    )
    assert "tokenized-twice: References and outputs are tokenized already ('base'; " in said
    assert "and BLEU tokenizes them again (13a): the score cannot be compared with published ones." in said
