"""One line says what was read: systems, runs, documents and segments, and how files were taken for them."""

import itertools
import json
import sys

import pytest

from mtworkbench import cli

from .test_cli_short_form import LINES, write

QUICK = ["--resamples", "50", "--trials", "300", "--rng", "1"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Two systems with two runs each, in folders of their own."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "ref.txt", 0)
    for every, (system, seed) in enumerate(itertools.product("AB", (1111, 2222)), start=2):
        write(tmp_path / "out" / system / f"seed{seed}" / "pred.txt", every)
    (tmp_path / "docs.txt").write_text("".join(f"document {number // 3}\n" for number in range(len(LINES))))
    return tmp_path


def run(capsys, *arguments):
    status = cli.main(arguments)
    output, errors = capsys.readouterr()
    return status, output, [line.removeprefix("mtworkbench: ") for line in errors.splitlines()]


RUNS = (
    "Read as: 2 systems with 2 runs each (A and B; runs by 'seed'), 36 segments. To compare the files as systems, name "
    "each with --system NAME=FILE."
)
BASELINE = "The baseline is A, the first by name (--baseline NAME chooses the other)."


@pytest.mark.parametrize(
    "named", [["out/A/seed1111/pred.txt", "out/A/seed2222/pred.txt", "out/B/*/*"], ["out/*/seed*/*"]]
)
def test_runs_in_folders_are_known_and_it_is_said_once(files, capsys, named):
    status, output, errors = run(capsys, "compare", "ref.txt", *named, *QUICK)
    assert (status, errors) == (0, [RUNS])
    assert "Read as" not in output
    named = ["--system", "A=out/A/*/pred.txt", "--system", "B=out/B/*/pred.txt", "--baseline", "A"]
    assert run(capsys, "compare", "--reference", "ref.txt", *named, *QUICK) == (0, output, [])


@pytest.mark.parametrize("command", ["compare", "check", "plan", "units", "statistics", "variance"])
def test_every_command_takes_a_folder_of_folders(files, capsys, command):
    further = {"statistics": ["--output", "x.stats"], "units": ["--unit", "block", "--trials", "300"]}
    status, _, errors = run(capsys, command, "ref.txt", "out", *further.get(command, []))
    baseline = [] if command in ("check", "statistics") else [BASELINE]
    assert status == 0
    assert " ".join([RUNS, "The outputs are 'out/*/seed*/pred.txt'.", *baseline]) in errors


def test_json_has_it_in_numbers(files, capsys):
    read = {"systems": 2, "runs": 4, "documents": 12, "segments": 36}
    _, output, errors = run(
        capsys, "compare", "ref.txt", "out/*/*/pred.txt", "--documents", "docs.txt", "--format", "json", *QUICK
    )
    sentence = RUNS.replace("36 segments", "12 documents, 36 segments")
    found = json.loads(output)
    assert (found["read_as"], errors) == (read | {"sentence": sentence}, [])
    assert {"code": "files-by-name", "message": sentence, "path": None, "line": None, "count": None} in found[
        "warnings"
    ]
    found = json.loads(run(capsys, "compare", "ref.txt", "out/*/*/*", "--systems", "B", "--format", "json", *QUICK)[1])
    assert found["read_as"]["sentence"].startswith("Read as: 1 system with 2 runs (B; runs by 'seed'), 36 segments. ")


def test_several_test_sets_are_counted(files, capsys):
    rows = ["set\treference\tsystem\tfiles"]
    for name in ("one", "two", "three"):
        (files / f"{name}.ref").write_text("".join(f"{name} {line}\n" for line in LINES))
        (files / f"{name}.base").write_text("".join(f"{name} wrong {line}\n" for line in LINES))
        (files / f"{name}.new").write_text("".join(f"{name} {line} wrong\n" for line in LINES))
        rows += [f"{name}\t{name}.ref\t{system}\t{name}.{system}" for system in ("base", "new")]
    (files / "sets.tsv").write_text("".join(f"{row}\n" for row in rows))
    _, output, _ = run(capsys, "compare", "--test-sets", "sets.tsv", "--format", "json", *QUICK)
    read = {"systems": 2, "runs": 2, "documents": None, "segments": 108}
    assert json.loads(output)["read_as"] == read | {"sentence": "Read as: 3 test sets, 2 systems, 108 segments."}


def test_what_is_certain_is_said_to_who_waits_at_a_terminal(files, capsys, monkeypatch):
    certain = ["compare", "ref.txt", "out/A/seed1111/pred.txt", "out/B/seed1111/pred.txt", *QUICK]
    assert run(capsys, *certain)[2] == []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run(capsys, *certain)[2] == ["Read as: 2 systems, 36 segments."]
    assert run(capsys, *certain, "--format", "json")[2] == []


def test_it_is_said_once_where_a_doubt_makes_the_files_be_read_again(files, capsys):
    """The comparison without the doubt has fewer segments."""
    for file in files.glob("out/A/*/pred.txt"):
        file.write_text("".join(f"{line}\n" for line in ["", *file.read_text().splitlines()[1:]]))
    _, output, errors = run(capsys, "compare", "ref.txt", "out", *QUICK)
    assert "empty" in output
    assert [line for line in errors if line.startswith("Read as")] == [
        f"{RUNS} The outputs are 'out/*/seed*/pred.txt'. {BASELINE}"
    ]


@pytest.mark.parametrize("command", [["compare"], ["compare", "--scores", "comet=docs.txt"], ["check"]])
def test_where_files_cannot_be_read_it_is_said_how_they_were_taken(files, capsys, command):
    (files / "out" / "B" / "seed2222" / "pred.txt").write_text("two\nlines\n")
    status, output, errors = run(capsys, *command, "ref.txt", "out")
    assert (status, output, len(errors)) == (2, "", 2)
    said = (
        "warning: To compare the files as systems, name each with --system NAME=FILE. The outputs are "
        "'out/*/seed*/pred.txt'."
    )
    assert errors[0] == (said if command == ["check"] else f"{said} {BASELINE}")
    assert errors[1].startswith("error: out/B/seed2222/pred.txt has 2 lines but ref.txt has 36")


def test_where_a_metric_is_mistaken_it_is_not_said(files, capsys):
    errors = run(capsys, "compare", "ref.txt", "out", "-m", "blue")[2]
    assert len(errors) == 1 and errors[0].startswith("error: There is no metric 'blue'")


def test_fairseqs_files_need_no_reference(files, capsys):
    for system, seed in itertools.product("AB", (1, 2)):
        folder = files / "checkpoints" / f"{system}_seed{seed}"
        folder.mkdir(parents=True)
        texts = (files / "out" / system / f"seed{seed * 1111}" / "pred.txt").read_text().splitlines()
        written = [
            f"T-{number}\t{LINES[number]}\nH-{number}\t-0.5\t{text}\nD-{number}\t-0.5\t{text}\n"
            for number, text in reversed(list(enumerate(texts)))
        ]
        (folder / "generate-test.txt").write_text("".join(written))
        (folder / "checkpoint_best.pt").write_bytes(b"PK\0\0")
        (folder / "train.log").write_text("loss\n" * 36)
    expected = json.loads(run(capsys, "compare", "ref.txt", "out", "--format", "json", *QUICK)[1])["metrics"]
    for named in (["ref.txt", "checkpoints"], ["checkpoints"], ["checkpoints/*/generate-test.txt"]):
        status, output, _ = run(capsys, "compare", *named, "--format", "json", *QUICK)
        found = json.loads(output)
        assert (status, found["metrics"]) == (0, expected)
        assert ("fairseq" in [one["code"] for one in found["warnings"]]) == (named[0] != "ref.txt")
        assert "2 systems with 2 runs each (A and B; runs by 'seed')" in found["read_as"]["sentence"]
