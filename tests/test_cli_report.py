"""``mtworkbench report`` and ``verify``: from files to one file, and back."""

import json
import re
import shutil
from pathlib import Path

import pytest

from mtworkbench import cli
from mtworkbench.shipped import find_shipped

from .test_cli import run

FLORES = find_shipped("data/flores")
NAMES = ("reference", "bergamot-tiny", "bergamot-base")
FILES = [f"{name}.txt" for name in NAMES]
FIRST = 120


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the first segments of two engines and their reference, in which the program is started."""
    for file in FILES:
        lines = (FLORES / file).read_text(encoding="utf-8").splitlines(keepends=True)[:FIRST]
        (tmp_path / file).write_text("".join(lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report(capsys, *arguments, files=FILES):
    return run(capsys, "report", *files, "--trials", "1000", "--quiet", *arguments)


def test_a_report_is_written_and_verified_from_its_files(folder, capsys):
    assert report(capsys) == (0, "report.html\n", "")
    status, out, err = run(capsys, "verify", "report.html")
    assert (status, err) == (0, "")
    said = out.splitlines()
    assert said[0] == "Reproduced."
    assert re.fullmatch(
        r"All \d+ numbers of the result are the same when computed again from the statistics in the report.", said[1]
    )
    assert said[2:] == [
        "3 of 3 files are in the folder, unchanged.",
        "The statistics computed again from these files are the same.",
        "The text of the page is what mtworkbench writes for this result.",
        "The picture of the figure was not checked.",
    ]


def test_somebody_without_the_files_verifies_what_the_report_holds(folder, capsys, tmp_path_factory):
    assert report(capsys, "--output", "a.html", "--output", "a.json") == (0, "a.html\na.json\n", "")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("a.html", "a.json"):
        shutil.copy(name, elsewhere)
        status, out, _ = run(capsys, "verify", str(elsewhere / name))
        assert status == 0
        assert "The files that were compared are not in the folder: only what the report holds was checked." in out
        assert run(capsys, "verify", str(elsewhere / name), "--folder", str(folder))[:2][0] == 0


def test_another_file_is_named(folder, capsys):
    report(capsys)
    path = folder / FILES[2]
    path.write_text(path.read_text(encoding="utf-8").replace("the", "a", 1), encoding="utf-8")
    status, out, err = run(capsys, "verify", "report.html")
    assert status == 1
    assert out.startswith("Not reproduced:\nbergamot-base.txt is not the file that was compared")
    assert err == "mtworkbench: report.html is not reproduced.\n"


def test_the_command_has_the_seed_and_makes_the_same_report_again(folder, capsys):
    report(capsys, "--output", "a.json")
    first = json.loads(Path("a.json").read_text())
    assert first["command"][-2] == "--rng"
    assert cli.main(first["command"]) == 0
    assert json.loads(Path("a.json").read_text()) == first


def test_compare_writes_the_same_report(folder, capsys):
    report(capsys, "--rng", "1", "--output", "a.html")
    assert run(capsys, "compare", *FILES, "--trials", "1000", "--quiet", "--rng", "1", "--output", "b.html")[0] == 0
    pages = [Path(f"{name}.html").read_text(encoding="utf-8") for name in "ab"]
    without_command = [
        re.sub(r'"command": \[.*?\]|<pre class="mtw-code".*?</pre>', "", page, flags=re.S) for page in pages
    ]
    assert without_command[0] == without_command[1]
    assert run(capsys, "verify", "b.html")[0] == 0


def test_a_report_without_texts_has_none(folder, capsys):
    report(capsys, "--no-texts", "--output", "a.html", "--output", "a.json")
    words = {word for file in FILES for word in Path(file).read_text(encoding="utf-8").split() if len(word) > 12}
    for name in ("a.html", "a.json"):
        text = Path(name).read_text(encoding="utf-8")
        assert not [word for word in words if word in text and not word.isascii()]
        assert run(capsys, "verify", name)[0] == 0
    assert "no texts of the test set" in Path("a.html").read_text(encoding="utf-8")


def test_a_page_needs_nothing_from_elsewhere(folder, capsys):
    report(capsys)
    page = Path("report.html").read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|href|url)\s*[=(]\s*["\']?(?:https?:)?//', page)
    assert "default-src 'none'" in page
    assert len(page) < 1_000_000


def test_the_command_of_a_report_reads_no_other_file(folder, capsys):
    report(capsys, "--output", "a.json")
    written = json.loads(Path("a.json").read_text())
    (folder / "secret.txt").write_text("x\n" * FIRST)
    written["command"] = ["report", *FILES, "secret.txt"]
    Path("a.json").write_text(json.dumps(written))
    status, _, err = run(capsys, "verify", "a.json")
    assert status == 2
    assert err == "mtworkbench: error: The command of the report reads 'secret.txt', which is not among its files.\n"


def test_several_test_sets_statistics_and_scores_have_reports(folder, capsys):
    rows = [f"set{part}\tref{part}.txt\t{name}\t{name}{part}.txt" for part in (1, 2) for name in NAMES[1:]]
    for file in FILES:
        lines = Path(file).read_text(encoding="utf-8").splitlines(keepends=True)
        for part in (1, 2):
            name = file.replace("reference", "ref").replace(".txt", f"{part}.txt")
            Path(name).write_text("".join(lines[60 * part - 60 : 60 * part]), encoding="utf-8")
    Path("sets.tsv").write_text("set\treference\tsystem\tfiles\n" + "".join(f"{row}\n" for row in rows))
    common = ["--trials", "1000", "--quiet"]
    assert run(capsys, "report", "--test-sets", "sets.tsv", "--output", "sets.html", *common)[0] == 0
    assert run(capsys, "verify", "sets.html")[0] == 0
    assert run(capsys, "statistics", *FILES, "--output", "run.stats", "--quiet")[0] == 0
    assert run(capsys, "report", "--statistics", "run.stats", "--output", "stats.html", *common)[0] == 0
    assert run(capsys, "verify", "stats.html")[0] == 0
    for name in NAMES[1:]:
        Path(f"{name}.scores").write_text("".join(f"{len(name) + place % 7}\n" for place in range(FIRST)))
    scores = ["--scores", "quality=*.scores", "--direction", "quality=up"]
    assert run(capsys, "report", *scores, "--output", "scores.html", *common)[0] == 0
    assert run(capsys, "verify", "scores.html")[0] == 0


def test_mistakes_are_told_in_a_sentence(folder, capsys):
    assert report(capsys, "--output", "report.pdf")[2].startswith("mtworkbench: error: 'report.pdf' cannot be written")
    assert report(capsys, "--conventions")[0] == 2
    assert run(capsys, "verify", "none.html")[2] == (
        "mtworkbench: error: 'none.html' cannot be read (No such file or directory): name a report.\n"
    )
    assert run(capsys, "verify", FILES[0])[2].startswith("mtworkbench: error: 'reference.txt' is not a report")
    assert not list(folder.glob("report*"))
