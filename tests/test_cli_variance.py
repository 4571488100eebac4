"""``mtworkbench variance``: its formats, the dev set, MultEval's table, the ranking, and what it refuses."""

import csv
import json
from pathlib import Path

import pytest

from mtworkbench import cli, read_outputs
from mtworkbench.cli.variance import MULTEVAL_FORMATS
from mtworkbench.inference import compare, optimizer_variance, rank_changes
from mtworkbench.statistics.segment_statistics import compute_statistics
from mtworkbench.tables import FORMATS, format_multeval, format_variance

from .read_as import without_read_as

QUICK = ["--resamples", "400", "--trials", "100", "--rng", "1"]
OUTPUTS = ["--reference", "ref.txt", "--system", "base=base.opt*", "--system", "new=new.opt*"]
DEV = ["--dev-reference", "dev.ref", "--dev-system", "base=dev.base.opt*", "--dev-system", "new=dev.new.opt*"]
WORDS = ["the", "a", "cat", "dog", "house", "sees", "runs", "sleeps", "old", "new", "red", "and", "but", "in", "on"]


def write_text(path, seed, n_segments, errors=0.0):
    """Made-up segments; with errors, some words of the same segments are others."""
    lines, state = [], 1
    for _ in range(n_segments):
        line = []
        for _ in range(9):
            state = state * 1103515245 + 12345 & 0x7FFFFFFF
            wrong = (state >> 8) * (seed + 1) * 2654435761 % 1000 < 1000 * errors
            line.append("wrong" if wrong else WORDS[(state >> 16) % len(WORDS)])
        lines.append(" ".join(line) + "\n")
    Path(path).write_text("".join(lines))


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A test set and a dev set, two systems of three runs, in the folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    write_text("ref.txt", 0, 120)
    write_text("dev.ref", 0, 60)
    for number, name in enumerate(["base", "new"], start=1):
        for run in (1, 2, 3):
            write_text(f"{name}.opt{run}", 10 * number + run, 120, 0.05 * number + 0.01 * run)
            write_text(f"dev.{name}.opt{run}", 20 * number + run, 60, 0.05 * number + 0.01 * (4 - run))
    return tmp_path


@pytest.fixture
def both(files):
    """Statistics of the test set and of the dev set, and the outputs of the test set."""
    outputs = read_outputs("ref.txt", {"base": "base.opt*", "new": "new.opt*"})
    dev = read_outputs("dev.ref", {"base": "dev.base.opt*", "new": "dev.new.opt*"})
    return compute_statistics(outputs, "bleu"), compute_statistics(dev, "bleu"), outputs


def run(capsys, *arguments):
    status = cli.main(["variance", *arguments])
    output, errors = capsys.readouterr()
    return status, output, errors


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_is_the_librarys(both, capsys, format):
    test, dev, _ = both
    status, output, errors = run(capsys, *OUTPUTS, *DEV, "--format", format, *QUICK)
    assert (status, errors) == (0, "")
    assert without_read_as(output) == format_variance(optimizer_variance(test, dev, n_resamples=400, rng=1), format)


def test_without_a_dev_set(both, capsys):
    test, _, _ = both
    found = run(capsys, *OUTPUTS, "--baseline", "new", *QUICK)
    assert found == (0, format_variance(optimizer_variance(test, baseline="new", n_resamples=400, rng=1)), "")
    assert "s_dev" not in found[1]


def test_multevals_table_exchanges_by_run(both, capsys):
    test, _, _ = both
    for format in MULTEVAL_FORMATS:
        comparison = compare(test, "base", exchange="run", n_resamples=400, n_trials=100, rng=1)
        expected = format_multeval(comparison, latex=format == "multeval-latex")
        assert run(capsys, *OUTPUTS, "--format", format, *QUICK) == (0, expected, "")
    by_unit = format_multeval(compare(test, "new", n_resamples=400, n_trials=100, rng=1))
    asked = ["--format", "multeval", "--baseline", "new", "--exchange", "unit"]
    assert run(capsys, *OUTPUTS, *asked, *QUICK) == (0, by_unit, "")


def test_unequal_numbers_of_runs_are_said_not_refused(files, capsys):
    (files / "new.opt3").unlink()
    status, output, errors = run(capsys, *OUTPUTS, "--format", "multeval", *QUICK)
    assert status == 0
    assert output.startswith("n=2-3")
    assert "randomization by segment.\n" in output
    assert errors.startswith("mtworkbench: warning: Numbers of runs differ ('base' has 3, 'new' has 2), so they cannot")
    status, output, errors = run(capsys, *OUTPUTS, *QUICK, "--details")
    assert status == 0
    assert "The systems have different numbers of runs; each mean and deviation" in output
    assert errors.startswith("mtworkbench: warning: Fewer than 3 runs of 'new' (2)")
    status, output, errors = run(capsys, *OUTPUTS, "--format", "multeval", "--exchange", "run", *QUICK)
    assert (status, output) == (2, "")
    assert "exchange='run' pairs runs by number" in errors


def test_files_without_options_may_be_one_run_each(files, capsys):
    """They were refused, while the long form took them."""
    Path("base.opt1").rename("old.txt")
    Path("new.opt1").rename("fresh.txt")
    status, output, _ = run(capsys, "ref.txt", "old.txt", "fresh.txt", *QUICK)
    named = ["--reference", "ref.txt", "--system", "old=old.txt", "--system", "fresh=fresh.txt"]
    assert (status, output) == run(capsys, *named, *QUICK)[:2]
    assert status == 0
    assert "old and fresh have only one run each" in " ".join(output.split())


def test_statistics_first_and_variance_later_is_the_same(both, capsys):
    assert cli.main(["statistics", *OUTPUTS, "--output", "run.stats"]) == 0
    capsys.readouterr()
    from_file = run(capsys, "--statistics", "run.stats", *DEV, *QUICK)
    assert from_file == run(capsys, *OUTPUTS, *DEV, *QUICK)


def test_segments_are_ranked_for_reading(both, capsys):
    test, dev, outputs = both
    metrics = ["--metric", "bleu", "--metric", "length"]
    assert run(capsys, *OUTPUTS, *metrics, *DEV, "--ranked", "ranked.csv", *QUICK)[0] == 0
    with open("ranked.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["metric"] for row in rows] == ["BLEU"] * 120 + ["Length"] * 120
    expected = rank_changes(test, dev=dev, outputs=outputs)
    assert [int(row["segment"]) for row in rows[:120]] == expected["segment"].tolist()
    assert [row["hypothesis"] for row in rows[:120]] == expected["hypothesis"].tolist()
    assert [float(row["change"]) for row in rows[:120]] == expected["change"].tolist()


def test_the_ranking_names_runs_as_the_table_does(files, capsys):
    """Files are numbered from 0, runs from 1."""
    for name in ("base", "new"):
        Path(f"{name}.opt3").rename(f"{name}.opt0")
    output = run(capsys, *OUTPUTS, "--ranked", "ranked.csv", *QUICK)[1]
    with open("ranked.csv", newline="") as file:
        row = next(csv.DictReader(file))
    assert (row["run"], row["baseline_run"]) == (str(int(row["run_name"]) + 1), str(int(row["baseline_run_name"]) + 1))
    assert f"(run {row['run_name']})" in output and f"(run {row['baseline_run_name']})" in output


def test_statistics_alone_are_ranked_without_texts(files, capsys):
    assert cli.main(["statistics", *OUTPUTS, "--output", "run.stats"]) == 0
    assert run(capsys, "--statistics", "run.stats", "--ranked", "ranked.csv", *QUICK)[0] == 0
    assert Path("ranked.csv").read_text().startswith("metric,system,run,baseline_run,segment,change,score,baseline_")


def test_what_is_noticed_is_said_and_is_in_the_json(files, capsys):
    status, output, errors = run(capsys, *OUTPUTS[:4], "--system", "new=new.opt1", *QUICK, "--format", "json")
    assert (status, errors) == (0, "")
    found = json.loads(output)
    assert [warning["code"] for warning in found["warnings"]] == ["few-runs"]
    assert found["metrics"]["BLEU"]["systems"][1]["s_test"] is None


def test_the_output_file_gets_the_table(files, capsys):
    table = run(capsys, *OUTPUTS, *QUICK)[1]
    assert run(capsys, *OUTPUTS, *QUICK, "--output", "table.txt") == (0, "", "")
    assert Path("table.txt").read_text() == table


def test_unset_resamples_are_the_librarys_and_too_few_are_told(files, capsys):
    assert json.loads(run(capsys, *OUTPUTS, "--format", "json")[1])["n_resamples"] == 1000
    strict = run(capsys, *OUTPUTS, "--format", "json", "--level", ".99")
    assert json.loads(strict[1])["n_resamples"] == 2000
    for format in ("text", "multeval"):
        status, output, errors = run(capsys, *OUTPUTS, "--resamples", "10", "--format", format)
        assert (status, output) == (2, "")
        assert "too few for the" in errors and len(errors.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            [],
            "Name the reference and the outputs, as in 'ref.txt base.txt new.txt', or --reference and --system, or "
            "--xml, or --table, or --mt-metrics-eval, or --scores, or --statistics",
        ),
        ([*OUTPUTS, *DEV[:2]], "--dev-reference and --dev-system go together"),
        ([*OUTPUTS, *DEV[2:]], "--dev-reference and --dev-system go together"),
        ([*OUTPUTS, *DEV, "--format", "multeval"], "MultEval's table has no place for a dev set"),
        ([*OUTPUTS, "--baseline", "old"], "The baseline 'old' is not among the systems: name one of 'base', 'new'"),
        ([*OUTPUTS, *DEV, "--dev-system", "old=dev.new.opt1"], "The dev set has outputs of 'old', which is not among"),
        ([*OUTPUTS, *DEV, "--ranked", "./dev.base.opt2"], "'./dev.base.opt2' is read, so it cannot be the file to wr"),
        ([*OUTPUTS, "--ranked", "new.opt2"], "'new.opt2' is read, so it cannot be the file to write."),
        ([*OUTPUTS, *DEV, "--output", "dev.ref"], "'dev.ref' is read, so it cannot be the file to write."),
        ([*OUTPUTS, "--output", "x.csv", "--ranked", "./x.csv"], "'./x.csv' is named twice, by --output and --ranked"),
        ([*OUTPUTS, "--ranked", "none/x.csv"], "'none/x.csv' cannot be written"),
        ([*OUTPUTS, *DEV[:2], "--dev-system", "base=none*"], "System 'base': no file matches none*"),
        ([*OUTPUTS, "--format", "html"], "invalid choice: 'html'"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(files, capsys, arguments, sentence):
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    status, output, errors = run(capsys, *arguments)
    assert (status, output) == (2, "")
    assert sentence in errors.splitlines()[-1]
    assert "Traceback" not in errors
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before
