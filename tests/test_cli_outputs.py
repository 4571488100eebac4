"""``--output``, once or several times: the ending of a name chooses the format, and one run writes all of them."""

import os

import pytest

from mtworkbench import cli
from mtworkbench.cli import compare as command
from mtworkbench.cli.program import make_parser
from mtworkbench.cli.writing import ENDINGS, write_result
from mtworkbench.errors import InputError

COMPARE = ["compare", "ref.txt", "base.txt", "new.txt", "--resamples", "50", "--trials", "300", "--rng", "1"]
FORMATS = {"out.txt": "text", "out.json": "json", "out.tex": "latex", "out.md": "markdown", "out.csv": "csv"}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A reference with an invisible character, and two outputs, in the folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    words = [f"the old cat number {number} sees a dog in house {number % 7} today" for number in range(40)]
    words[3] += "\u200b"
    (tmp_path / "ref.txt").write_text("".join(f"{line}\n" for line in words))
    for name, every in (("base", 3), ("new", 5)):
        lines = (line.replace("cat", "cow") if n % every == 0 else line for n, line in enumerate(words))
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def run(capsys, *arguments):
    status = cli.main(arguments)
    output, errors = capsys.readouterr()
    return status, output, errors


def to_files(*names):
    return [part for name in names for part in ("--output", name)]


@pytest.mark.parametrize("further", [[], ["--details"], ["--conventions"]], ids=" ".join)
def test_one_comparison_is_written_in_every_format_as_if_it_were_the_only_one(files, capsys, monkeypatch, further):
    computed = []
    compute = command.compute
    monkeypatch.setattr(command, "compute", lambda options: computed.append(1) or compute(options))
    alone = {name: run(capsys, *COMPARE, *further, "--format", format)[1] for name, format in FORMATS.items()}
    assert len(set(alone.values())) == 5
    by_five_runs = len(computed)
    assert run(capsys, *COMPARE, *further, *to_files(*FORMATS))[:2] == (0, "")
    assert len(computed) - by_five_runs == by_five_runs / 5
    assert {name: (files / name).read_text(encoding="utf-8") for name in FORMATS} == alone


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (["variance", "--rng", "1"], FORMATS),
        (["check"], {name: FORMATS[name] for name in FORMATS if name != "out.tex"} | {"out.html": "html"}),
        (["units", "--unit", "block", "--trials", "300", "--rng", "1"], {"out.txt": "text", "out.csv": "csv"}),
        (["plan"], {"out.txt": "text", "out.json": "json", "out.csv": "csv"}),
        (["calibrate", "--repetitions", "2", "--rng", "1"], {"out.txt": "text", "out.json": "json", "out.csv": "csv"}),
        (
            ["study", "koehn-tables", "--sizes", "20", "--resamples", "50", "--rng", "1"],
            {"out.txt": "text", "o": "text"},
        ),
    ],
)
def test_so_it_is_in_every_command(files, capsys, asked, names):
    made = [*asked, "ref.txt", "base.txt", "new.txt"]
    alone = {name: run(capsys, *made, "--format", format)[1] for name, format in names.items()}
    status, output, _ = run(capsys, *made, *to_files(*names))
    assert (status, output) == (0, "")
    assert {name: (files / name).read_text(encoding="utf-8") for name in names} == alone


@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        (["--output", "x.JSON"], "{"),
        (["--output", "new.en-de"], "new - base"),
        (["--output", "result"], "new - base"),
        (["--format", "json", "--output", "x.json"], "{"),
        (["--format", "latex", "--output", "x.txt"], "% new - base"),
        (["--format", "csv", "--output", "x.html"], "metric,"),
        (["--format", "text", "--output", "x.md"], "new - base = "),
    ],
)
def test_the_ending_names_the_format_unless_it_is_given(files, capsys, arguments, begins):
    assert run(capsys, *COMPARE, *arguments)[:2] == (0, "")
    assert (files / arguments[-1]).read_text().startswith(begins)


def test_every_format_has_an_ending_but_multevals():
    formats = {one for own in make_parser()[1].values() for one in own._defaults.get("formats", ())}
    assert formats - {"multeval", "multeval-latex"} <= set(ENDINGS.values())


MISTAKES = [
    (
        [*COMPARE, "--output", "x.json", "--output", "x.tsv"],
        "'x.tsv' cannot be written: the formats of this command have the endings .txt, .json, .tex, .md, .csv, "
        ".html and .bib; name one of these, or choose the format with --format (see mtworkbench compare --help).",
    ),
    (
        ["plan", *COMPARE[1:4], "--output", "x.tex"],
        "'x.tex' cannot be written: the formats of this command have the endings .txt, .json and .csv; name one of "
        "these, or choose the format with --format (see mtworkbench plan --help).",
    ),
    (
        [*COMPARE, "--format", "latex", "--output", "x.tex", "--output", "x.json"],
        "--format latex is for one --output: leave it out, so that the ending of each file names its format (see "
        "mtworkbench compare --help).",
    ),
    (
        [*COMPARE, "--output", "x.txt", "--output", "x.json", "--output", "./x.json"],
        "'./x.json' is named twice, by --output: give each a file of its own (see mtworkbench compare --help).",
    ),
    (
        ["check", *COMPARE[1:4], "--output", "x.txt", "--output", "./new.txt"],
        "'./new.txt' is read, so it cannot be the file to write.",
    ),
    (
        [*COMPARE, "--output", "x.txt", "--output", "none/x.json"],
        "'none/x.json' cannot be written: name a file in a folder that exists and that you may write to.",
    ),
]


@pytest.mark.parametrize(("arguments", "sentence"), MISTAKES)
def test_a_mistake_is_told_before_anything_is_read_or_written(files, capsys, monkeypatch, arguments, sentence):
    for place in ("compare.read_test_sets", "plan.read_statistics", "check.read_named_runs"):
        monkeypatch.setattr(f"mtworkbench.cli.{place}", None)
    before = sorted(os.listdir())
    assert run(capsys, *arguments) == (2, "", f"mtworkbench: error: {sentence}\n")
    assert sorted(os.listdir()) == before


def test_no_file_is_written_before_all_texts_are_made(files):
    options = make_parser()[0].parse_args([*COMPARE, *to_files("x.txt", "x.json")])

    def write(found, format, notices, width):
        if format == "json":
            raise InputError("test", "It cannot be made.")
        return "made"

    with pytest.raises(InputError, match="It cannot be made"):
        write_result(options, write, None)
    assert not (files / "x.txt").exists()


def test_what_is_noticed_is_said_unless_all_is_json(files, capsys):
    assert (
        "3 segments of 3 inputs (ref.txt, base.txt and new.txt) have invisible characters"
        in run(capsys, *COMPARE, *to_files("a.txt", "a.json"))[2]
    )
    assert run(capsys, *COMPARE, *to_files("a.json", "b.json")) == (0, "", "")
    assert '"invisible' in (files / "b.json").read_text()


def test_the_help_says_which_endings_are_known(capsys):
    for name, endings in (("compare", ".txt, .json, .tex, .md, .csv, .html and .bib"), ("units", ".txt and .csv")):
        assert cli.main([name, "--help-all"]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert f"in the format of its ending unless --format is given; known endings are {endings}, other" in shown


def test_the_sources_are_a_file_of_their_own(files, capsys):
    assert run(capsys, *COMPARE, *to_files("refs.bib", "table.tex"))[:2] == (0, "")
    sources = (files / "refs.bib").read_text()
    assert sources.startswith("@") and sources.count("@") > 1
    commented = (files / "table.tex").read_text()
    assert all(line in commented for line in sources.splitlines())
    status, output, errors = run(capsys, *COMPARE, "--conventions", *to_files("refs.bib"))
    assert (status, output) == (2, "")
    assert "leave --conventions out" in errors
    assert run(capsys, "check", *COMPARE[1:4], *to_files("refs.bib"))[0] == 2
