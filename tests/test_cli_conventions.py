"""``compare --conventions`` and ``calibrate``: the library's results from a terminal."""

import json

import pytest

from mtworkbench import calibrate, cli, conventions, read_outputs
from mtworkbench.analyses.conventions import add_error_rates
from mtworkbench.statistics.segment_statistics import compute_statistics
from mtworkbench.tables import format_calibration, format_conventions

from .read_as import without_read_as
from .test_cli import make_text

QUICK = ["--resamples", "400", "--trials", "300", "--rng", "1"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ref.txt").write_text(make_text(0))
    for number, name in enumerate(["base.txt", "new.txt", "other.txt"], start=1):
        (tmp_path / name).write_text(make_text(number, errors=0.05 * number))
    (tmp_path / "docs.txt").write_text("".join(f"document {segment // 4}\n" for segment in range(40)))
    return tmp_path


def run(capsys, *arguments):
    status = cli.main(arguments)
    output, errors = capsys.readouterr()
    return status, output, errors


def statistics_of(names, metric="bleu", **more):
    return compute_statistics(read_outputs("ref.txt", {name: f"{name}.txt" for name in names}, **more), metric)


@pytest.mark.parametrize("format", ["text", "json", "csv", "markdown", "latex"])
def test_conventions_are_the_librarys_against_the_baseline(files, capsys, format):
    status, output, errors = run(
        capsys,
        "compare",
        "ref.txt",
        "base.txt",
        "new.txt",
        "other.txt",
        "--conventions",
        "--format",
        format,
        "--baseline",
        "base",
        *QUICK,
    )
    statistics = statistics_of(["base", "new", "other"])
    found = [
        conventions(statistics[name], statistics["base"], n_resamples=400, n_trials=300, rng=1)
        for name in ("new", "other")
    ]
    assert (status, errors) == (0, "")
    assert without_read_as(output) == format_conventions(found, format)
    assert [one.headline for one in found] == [add_error_rates(one).headline for one in found]


def test_conventions_of_several_metrics_and_documents(files, capsys):
    status, output, _ = run(
        capsys, "compare", "ref.txt", "base.txt", "new.txt", "-m", "bleu", "length", "--documents", "docs.txt",
        "--conventions", "--format", "json", *QUICK,
    )  # fmt: skip
    found = json.loads(output)["comparisons"]
    assert status == 0
    assert [(one["metric"], one["unit"], one["n_units"]) for one in found] == [
        ("BLEU", "document", 10),
        ("Length", "document", 10),
    ]


@pytest.mark.parametrize(
    "option",
    [
        ["--exchange", "run"],
        ["--figure", "x.pdf"],
        ["--interval", "bca"],
        ["--strata", "domain"],
        ["--adjust", "holm"],
        ["--family", "all"],
        ["--margin", "0.5"],
    ],
)
def test_conventions_refuse_what_they_have_no_use_for(files, capsys, option):
    status, output, errors = run(capsys, "compare", "ref.txt", "base.txt", "new.txt", "--conventions", *option)
    assert (status, output) == (2, "")
    assert f"--conventions cannot be combined with {option[0]}: leave one of them out" in errors


def test_conventions_take_the_length_of_blocks(files, capsys):
    options = ("--conventions", "--unit", "block", "--block-length", "2", "--rng", "1", "--format", "json")
    status, output, _ = run(capsys, "compare", "ref.txt", "base.txt", "new.txt", *options)
    assert status == 0
    assert json.loads(output)["comparisons"][0]["unit"] == "block of 2"


def test_one_system_has_no_conventions(files, capsys):
    status, _, errors = run(capsys, "compare", "ref.txt", "base.txt", "--conventions")
    assert status == 2
    assert "error: There is one system, 'base': name another one to compare it with (see" in errors


@pytest.mark.parametrize("format", ["text", "json", "csv"])
def test_calibrate_is_the_librarys(files, capsys, format):
    few = ["--repetitions", "5", "--segments", "20", "--documents", "docs.txt", "--format", format, *QUICK]
    status, output, errors = run(capsys, "calibrate", "ref.txt", "base.txt", "new.txt", *few)
    statistics = statistics_of(["base", "new"], documents="docs.txt")
    counts = {"n_repetitions": 5, "n_segments": 20, "n_resamples": 400, "n_trials": 300}
    found = calibrate(statistics["base"], statistics["new"], rng=1, **counts)
    assert (status, errors) == (0, "")
    assert without_read_as(output) == format_calibration([found], format)


def test_calibrate_says_where_documents_are_not_known(files, capsys):
    few = ["--repetitions", "5", *QUICK]
    caution = (
        "Segments were swapped one by one, as if they were independent, because their documents are not known. If "
    )
    for documents, said in (([], True), (["--documents", "docs.txt"], False)):
        status, output, _ = run(capsys, "calibrate", "ref.txt", "base.txt", "new.txt", *few, *documents)
        assert status == 0
        assert (caution in " ".join(output.split())) == said


@pytest.mark.long
def test_calibrate_draws_its_figure(files, capsys):
    few = ["--repetitions", "5", "--pair", "base", "other", "--figure", "levels.svg", *QUICK]
    status, output, _ = run(capsys, "calibrate", "ref.txt", "base.txt", "new.txt", "other.txt", *few)
    assert status == 0
    assert "base and other were made equal" in output
    assert (files / "levels.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["new.txt", "other.txt"],
            "There are 3 systems, base, new and other, but two are needed: name them with --pair NAME NAME, or",
        ),
        ([], "There is one system, 'base': name another one to compare it with"),
        (
            ["new.txt", "-m", "bleu", "chrf", "--figure", "x.pdf"],
            "--figure draws one pair under one metric",
        ),
        (["new.txt", "--pair", "base", "news"], "The system 'news' of --pair is not among the systems: name two of"),
    ],
)
def test_calibrate_says_what_it_needs(files, capsys, arguments, message):
    status, output, errors = run(capsys, "calibrate", "ref.txt", "base.txt", *arguments)
    assert (status, output) == (2, "")
    assert message in errors


@pytest.mark.parametrize("command", [("compare", "--conventions"), ("plan",), ("variance",)])
@pytest.mark.parametrize("format", ["text", "json"])
def test_a_doubt_that_the_text_says_is_no_warning_as_well(files, capsys, command, format):
    lines = (files / "new.txt").read_text().splitlines()
    (files / "new.txt").write_text("".join("\n" if i % 2 else f"{line}\n" for i, line in enumerate(lines)))
    name, *options = command
    status, output, errors = run(capsys, name, "ref.txt", "base.txt", "new.txt", *options, "--format", format)
    assert status == 0
    doubt = "20 of 40 segments of new are empty"
    assert " ".join(output.split()).count(doubt) == 1
    assert "are empty" not in errors


def test_doubts_about_systems_without_a_plan_stay_warnings(files, capsys):
    (files / "other.txt").write_text("\n" * 40)
    status, output, errors = run(capsys, "plan", "ref.txt", "base.txt", "new.txt", "other.txt", "--pair", "base", "new")
    assert status == 0
    assert "other.txt" in errors
    assert "other" not in output
