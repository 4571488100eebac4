"""``mtworkbench compare --figure``: the figure of the library, checked before the work, next to any table."""

import pytest

from mtworkbench import cli, compute_statistics, draw_comparison, read_outputs, style
from mtworkbench.cli import compare as command
from mtworkbench.exports import write_figure
from mtworkbench.inference import compare

QUICK = ["--resamples", "50", "--trials", "300", "--rng", "1"]
TWO = ["compare", "--reference", "ref.txt", "--system", "base=base.txt", "--system", "new=new.txt"]
STARTS = {"pdf": b"%PDF-", "svg": b"<?xml", "png": b"\x89PNG\r"}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A reference and two outputs, in the folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    words = [f"the old cat number {number} sees a dog in house {number % 7} today" for number in range(40)]
    (tmp_path / "ref.txt").write_text("".join(f"{line}\n" for line in words))
    for name, every in (("base", 3), ("new", 5)):
        lines = (line.replace("cat", "cow") if n % every == 0 else line for n, line in enumerate(words))
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def run(capsys, *arguments):
    status = cli.main(arguments)
    output, errors = capsys.readouterr()
    return status, output, errors


@pytest.mark.parametrize("ending", STARTS)
@pytest.mark.long
def test_the_figure_is_the_librarys_for_a_paper(files, capsys, ending):
    metrics = ["--metric", "bleu", "--metric", "ter"]
    status, _, errors = run(capsys, *TWO, *metrics, *QUICK, "--figure", f"found.{ending}")
    assert (status, errors) == (0, "")
    outputs = read_outputs("ref.txt", {"base": "base.txt", "new": "new.txt"})
    statistics = [compute_statistics(outputs, metric) for metric in ("bleu", "ter")]
    with style("paper"):
        write_figure(draw_comparison(compare(statistics, n_resamples=50, n_trials=300, rng=1)), f"own.{ending}")
    found = (files / f"found.{ending}").read_bytes()
    assert found == (files / f"own.{ending}").read_bytes()
    assert found.startswith(STARTS[ending])


def test_the_table_is_written_as_without_a_figure(files, capsys):
    plain = run(capsys, *TWO, *QUICK)
    assert run(capsys, *TWO, *QUICK, "--figure", "found.svg") == plain
    assert run(capsys, *TWO, *QUICK, "--figure", "again.svg", "--output", "table.txt") == (0, "", "")
    assert (files / "table.txt").read_text() == plain[1]
    assert (files / "again.svg").read_bytes() == (files / "found.svg").read_bytes()


@pytest.mark.parametrize(
    ("figure", "sentence"),
    [
        ("found.jpg", "'found.jpg' cannot be the file of a figure: its name must end in .pdf, .svg or .png."),
        ("found", "'found' cannot be the file of a figure: its name must end in .pdf, .svg or .png."),
        ("none/found.pdf", "'none/found.pdf' cannot be written"),
        ("./same.svg", "'./same.svg' is named twice, by --output and --figure: give each a file of its own"),
    ],
)
def test_a_wrong_file_is_refused_before_the_work(files, capsys, monkeypatch, figure, sentence):
    monkeypatch.setattr(command, "read_test_sets", None)
    status, output, errors = run(capsys, *TWO, *QUICK, "--figure", figure, "--output", "same.svg")
    assert (status, output) == (2, "")
    assert sentence in " ".join(errors.split())
    assert not (files / "same.svg").exists()


def test_a_file_that_is_read_is_not_replaced(files, capsys):
    (files / "ref.txt").rename(files / "ref.svg")
    arguments = [*TWO[:2], "ref.svg", *TWO[3:]]
    status, _, errors = run(capsys, *arguments, "--figure", "./ref.svg")
    assert status == 2
    assert "'./ref.svg' is read, so it cannot be the file to write." in errors
