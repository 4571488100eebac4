"""``mtworkbench demo``: the first thing that a stranger types."""

import os
import shlex
from glob import glob

import pytest

from mtworkbench import cli
from mtworkbench.cli import demo
from mtworkbench.shipped import find_packaged


def run(capsys, *arguments):
    status = cli.main(arguments)
    output, errors = capsys.readouterr()
    return status, output, errors


def commands_in(text):
    """Return the arguments of each command that is shown, as a shell would pass them on."""
    lines = text.replace("\\\n", " ").splitlines()
    typed = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    return [[file for word in shlex.split(line) for file in sorted(glob(word)) or [word]] for line in typed]


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """The command lines that the demo follows, in a folder where nothing is."""
    monkeypatch.chdir(tmp_path)
    lines = []
    monkeypatch.setattr(demo, "_run", lambda arguments: lines.append(arguments) or "")
    return lines


@pytest.mark.long
def test_the_demo_shows_the_command_that_it_follows_and_writes_what_it_names(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    opened = []
    monkeypatch.setattr(demo, "open_page", opened.append)
    status, output, errors = run(capsys, "demo", "my folder")
    assert status == 0
    (_, *first), last = commands_in(output)
    assert last == ["mtworkbench", "compare", "ref.txt", "base.txt", "new.txt"]
    assert run(capsys, *first)[1] in output
    assert "retrained is shown to be better for the method" in output
    assert opened == [os.path.join("my folder", "report.html")]
    written = {os.path.basename(name) for name in glob("my folder/*")} - {
        file.name for file in find_packaged("data/sample").iterdir()
    }
    assert written == {*demo.WRITTEN}
    assert all(os.path.join("my folder", name) in output for name in written)


@pytest.mark.parametrize(("arguments", "folder"), [([], demo.FOLDER), (["here"], "here")])
def test_the_sample_goes_into_the_folder(asked, capsys, arguments, folder):
    assert run(capsys, "demo", *arguments)[0] == 0
    assert {*os.listdir(folder)} == {*os.listdir(find_packaged("data/sample"))}
    for line in asked:
        assert [file for file in line if "run" in file] == sorted(glob(f"{folder}/*.run?.txt"))


@pytest.mark.parametrize("folder", ["x[1]", "st*r", "./-dash", "a b'c$(x)"])
def test_an_odd_name_of_the_folder_is_no_pattern(asked, capsys, folder):
    assert run(capsys, "demo", folder)[0] == 0
    outputs = [file for line in asked for file in line if ".run" in file]
    assert len(outputs) == 18 and {os.path.dirname(file) for file in outputs} == {folder}


def test_somebody_elses_folder_is_refused(asked, capsys):
    os.mkdir("mine")
    with open("mine/table.tex", "w") as file:
        file.write("mine")
    status, output, errors = run(capsys, "demo", "mine")
    assert (status, output, asked) == (2, "", [])
    assert "The folder 'mine' has other files than those of the demo" in errors
    assert os.listdir("mine") == ["table.tex"]


def test_what_is_in_the_folder_stays(asked, capsys):
    assert run(capsys, "demo", "here")[0] == 0
    with open("here/documents.txt", "w") as file:
        file.write("mine")
    status, _, errors = run(capsys, "demo", "here")
    assert status == 0
    assert "In 'here' these files differ from those that ship with mtworkbench, and were kept: documents.txt." in errors
    with open("here/documents.txt") as file:
        assert file.read() == "mine"


def test_a_file_in_place_of_the_folder_is_refused(asked, capsys):
    open("here", "w").close()
    status, output, errors = run(capsys, "demo", "here")
    assert (status, output) == (2, "")
    assert "error: " in errors
    assert asked == []


@pytest.mark.parametrize(
    ("on_terminal", "display", "opens"), [(True, ":0", True), (True, "", False), (False, ":0", False)]
)
def test_the_report_is_opened_for_who_sits_at_a_screen(tmp_path, monkeypatch, on_terminal, display, opens):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("sys.stdout.isatty", lambda: on_terminal, raising=False)
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    demo.open_page(str(tmp_path / "a page.html"))
    assert opened == [(tmp_path / "a page.html").as_uri()] * opens
