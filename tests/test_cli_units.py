"""Units from the terminal: columns, blocks and strata of `compare`, and the command `units`."""

import csv
import io
import json

import pytest

from mtworkbench import cli

REFERENCES = [f"the {number % 7} old cats saw {number % 5} red birds in house {number}" for number in range(48)]
QUICK = ["--resamples", "500", "--trials", "500", "--rng", "1"]
FILES = ["ref.txt", "base.txt", "new.txt"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A reference and two outputs, in the folder that is the current one; domains and documents of their segments."""
    monkeypatch.chdir(tmp_path)
    outputs = {
        "ref": REFERENCES,
        "base": [text.replace("old", "new") if number % 3 else text for number, text in enumerate(REFERENCES)],
        "new": [text.replace("red", "blue") if number % 2 else text for number, text in enumerate(REFERENCES)],
        "domains": [f"domain {number // 8}" for number in range(48)],
        "docs": [f"document {number // 2}" for number in range(48)],
    }
    for name, lines in outputs.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def run(capsys, *arguments):
    status = cli.main(arguments)
    output, errors = capsys.readouterr()
    return status, output, errors


def run_json(capsys, *arguments):
    status, output, errors = run(capsys, "compare", *FILES, *arguments, *QUICK, "--format", "json")
    assert (status, errors) == (0, "")
    return json.loads(output)


def test_domains_of_text_files_are_a_unit_and_strata(files, capsys):
    found = run_json(capsys, "--domains", "domains.txt", "--unit", "domain")
    assert (found["unit"], found["strata"]) == ("domain", None)
    [pair] = found["metrics"]["BLEU"]["comparisons"]
    assert pair["smallest_p"] == 2.0**-5  # six domains
    assert pair["design_effect"] > 0
    found = run_json(capsys, "--domains", "domains.txt", "--strata", "domain")
    assert (found["unit"], found["strata"]) == ("segment", "domain")
    both = ["--domains", "domains.txt", "--documents", "docs.txt", "--unit", "document", "--strata", "domain"]
    found = run_json(capsys, *both)
    assert "|unit:document|strata:domain|" in found["signature"]


def test_blocks_of_text_files(files, capsys):
    assert run_json(capsys, "--unit", "block", "--block-length", "4")["unit"] == "block of 4"
    assert run_json(capsys, "--unit", "block")["unit"].startswith("block of ")


def test_statistics_keep_their_domains(files, capsys):
    arguments = ["--reference", "ref.txt", "--system", "base=base.txt", "--system", "new=new.txt"]
    status, _, _ = run(capsys, "statistics", *arguments, "--domains", "domains.txt", "--output", "run.stats")
    assert status == 0
    saved = ["--statistics", "run.stats", "--unit", "domain", "--baseline", "base", *QUICK, "--format", "json"]
    status, output, _ = run(capsys, "compare", *saved)
    found, expected = json.loads(output), run_json(capsys, "--domains", "domains.txt", "--unit", "domain")
    assert status == 0
    assert found["metrics"] == expected["metrics"]
    status, _, errors = run(capsys, "compare", "--statistics", "run.stats", "--domains", "domains.txt")
    assert status == 2
    assert "--domains has been settled when the statistics were made: leave it out" in errors


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--unit", "topic", "--domains", "domains.txt"],
            "unit is 'topic', but 'auto', 'segment', 'document', 'block' or the name of a column was expected: the "
            "columns of these statistics are 'domain'.",
        ),
        (["--strata", "domain"], "these statistics have no columns."),
        (["--block-length", "3"], "--block-length needs --unit block"),
        (["--unit", "block", "--block-length", "0"], "'0' is not a whole number of at least 1"),
        (["--unit", "document"], "but the documents of the test set are not known: give document ids"),
        (["--domains", "docs.missing"], "docs.missing"),
        (["--domains", "ref.txt", "--output", "ref.txt"], "'ref.txt' is read, so it cannot be the file to write."),
    ],
)
def test_mistakes_are_one_sentence(files, capsys, arguments, sentence):
    status, output, errors = run(capsys, "compare", *FILES, *arguments, *QUICK)
    assert (status, output) == (2, "")
    assert sentence in errors


def test_units_as_a_table(files, capsys):
    arguments = ["units", *FILES, "--documents", "docs.txt", "--domains", "domains.txt", "--trials", "500"]
    status, output, errors = run(capsys, *arguments, "--rng", "5")
    assert (status, errors) == (0, "")
    _, heading, *rows = output.splitlines()[:4]
    assert heading.split()[:5] == ["metric", "unit", "units", "deff", "(diff.)"]
    assert [row.split()[1:3] for row in rows] == [["document", "24"], ["domain", "6"]]
    assert (
        "Differences that are shown (p at most 0.05):\nmetric  unit      pairs  shown by segment  undecided " in output
    )
    assert max(map(len, output.splitlines())) <= 100
    assert "With documents in place of segments, the estimated variance of a difference in BLEU" in output
    assert output.endswith("Seed: --rng 5\n")
    assert run(capsys, *arguments, "--rng", "5")[1] == output
    (files / "third.txt").write_text((files / "new.txt").read_text().replace("house", "barn"))
    _, output, _ = run(capsys, "units", *FILES, "third.txt", "--documents", "docs.txt", *QUICK[2:])
    assert "Differences that are shown (p (max-T) at most 0.05, 3 comparisons):" in output


def test_units_as_csv(files, capsys):
    arguments = ["units", *FILES, "--domains", "domains.txt", "--unit", "domain", "--format", "csv", *QUICK[2:]]
    status, output, _ = run(capsys, *arguments, "--output", "units.csv", "-m", "bleu", "chrf")
    assert (status, output) == (0, "")
    rows = list(csv.DictReader(io.StringIO((files / "units.csv").read_text())))
    assert [(row["metric"], row["unit"], row["n_units"]) for row in rows] == [
        ("BLEU", "segment", "48"),
        ("chrF", "segment", "48"),
        ("BLEU", "domain", "6"),
        ("chrF", "domain", "6"),
    ]
    found = run_json(capsys, "--domains", "domains.txt", "--unit", "domain")
    [pair] = found["metrics"]["BLEU"]["comparisons"]
    assert float(rows[2]["p_value"]) == pair["p_value"]
    assert float(rows[2]["design_effect"]) == pair["design_effect"]


def test_segments_alone_are_refused(files, capsys):
    status, output, errors = run(capsys, "units", *FILES, "--unit", "segment")
    assert (status, output) == (2, "")
    assert "--unit segment is what other units are compared with: name another one" in errors


def test_units_need_two_systems(files, capsys):
    status, _, errors = run(capsys, "units", "ref.txt", "base.txt")
    assert status == 2
    assert "There is only one system, but units are compared by differences: give at least two systems." in errors


def test_test_suites_of_xml_are_noticed_once(tmp_path, capsys):
    """The reader says it to every command, `compare_units` to whoever compares units."""
    path = tmp_path / "wmt.xml"
    document = (
        '<doc id="{name}" {attribute}><src lang="xx"><p><seg id="1">x</seg></p></src>'
        '<ref lang="en" translator="A"><p><seg id="1">the cat sat on the mat {name}</seg></p></ref>'
        '<hyp system="S1"><p><seg id="1">the cat sat on a mat {name}</seg></p></hyp>'
        '<hyp system="S2"><p><seg id="1">{other} {name}</seg></p></hyp></doc>'
    )
    documents = [
        document.format(
            name=f"d{n}",
            attribute='testsuite="t"' if n < 3 else "",
            other="the cat was on a mat" if n % 3 else "the cat sat on the mat",
        )
        for n in range(12)
    ]
    path.write_text(
        '<?xml version="1.0"?><dataset id="a"><collection id="general">'
        + "".join(documents)
        + "</collection></dataset>"
    )
    sentence = "3 of 12 segments belong to test suites: --no-test-suites "
    for command in (["units", *QUICK[2:]], ["compare", *QUICK], ["plan", "--difference", "5"]):
        status, _, errors = run(capsys, command[0], "--xml", str(path), *command[1:])
        assert (status, errors.count(sentence)) == (0, 1), errors
        status, _, errors = run(capsys, command[0], "--xml", str(path), "--no-test-suites", *command[1:])
        assert (status, errors.count("test suites")) == (0, 0), errors
