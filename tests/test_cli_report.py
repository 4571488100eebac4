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
    assert said[:2] == ["Reproduced from the files.", "The 3 files in '.' are those that were compared."]
    assert re.fullmatch(r"All \d+ numbers of the result are the same when computed again from these files.", said[2])
    assert said[3:] == ["Not checked: the picture of the figure."]


def test_somebody_without_the_files_verifies_what_the_report_holds(folder, capsys, tmp_path_factory):
    assert report(capsys, "--output", "a.html", "--output", "a.json") == (0, "a.html\na.json\n", "")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("a.html", "a.json"):
        shutil.copy(name, elsewhere)
        status, out, _ = run(capsys, "verify", str(elsewhere / name))
        assert status == 0
        assert "bergamot-base.txt cannot be found in" in out
        assert out.startswith("Reproduced from the statistics in the report.\n")
        assert "Not checked: whether the statistics in the report are those of the files; the segments and" in out
        assert run(capsys, "verify", str(elsewhere / name), "--folder", str(folder))[:2][0] == 0


def test_another_file_is_named(folder, capsys):
    report(capsys)
    path = folder / FILES[2]
    path.write_text(path.read_text(encoding="utf-8").replace("the", "a", 1), encoding="utf-8")
    status, out, err = run(capsys, "verify", "report.html")
    assert status == 1
    assert out.startswith("Not reproduced:\nbergamot-base.txt is not the file that was compared")
    assert re.search(r"All \d+ numbers of the result are the same when computed again from the statistics", out)
    assert err == "mtworkbench: report.html is not reproduced.\n"


def test_the_command_has_the_seed_and_makes_the_same_report_again(folder, capsys):
    report(capsys, "--output", "a.json")
    first = json.loads(Path("a.json").read_text())
    assert first["command"][-2] == "--rng"
    assert cli.main(first["command"]) == 0
    assert json.loads(Path("a.json").read_text()) == first


def test_files_named_by_whole_paths_are_found_by_their_names(folder, capsys):
    report(capsys, "--rng", "1", "--output", "a.html", files=[str(folder / file) for file in FILES])
    status, out, _ = run(capsys, "verify", "a.html")
    assert status == 0
    assert "The 3 files in '.' are those that were compared." in out
    assert "names" in out
    (folder / FILES[1]).write_text("x\n", encoding="utf-8")
    assert run(capsys, "verify", "a.html")[0] == 1


def test_files_of_one_name_in_two_folders_are_not_taken_for_each_other(folder, capsys):
    for system, file in (("A", FILES[1]), ("B", FILES[2])):
        (folder / system).mkdir()
        shutil.copy(file, folder / system / "out.txt")
    named = [part for one in "AB" for part in ("--system", f"{one}={folder / one / 'out.txt'}")]
    report(capsys, "--output", "a.html", *named, files=["--reference", FILES[0]])
    shutil.copy(FILES[1], "out.txt")
    status, out, _ = run(capsys, "verify", "a.html")
    assert status == 0
    assert "out.txt cannot be found" in " ".join(out.split())


def test_a_file_may_be_named_like_a_tokenizer(folder, capsys):
    shutil.copy(FILES[0], "flores200.txt")
    report(capsys, "--output", "a.html", files=["flores200.txt", *FILES[1:]])
    assert run(capsys, "verify", "a.html")[1].startswith("Reproduced from the files.\n")


def test_the_file_of_a_report_may_be_joined_to_its_option(folder, capsys):
    report(capsys, "--rng", "1", f"--output={folder / 'a.html'}")
    assert run(capsys, "verify", "a.html")[1].startswith("Reproduced from the files.\n")


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


COMMANDS = {
    "another file": (["report", *FILES, "secret.txt"], "reads 'secret.txt', which is none of the files of the report"),
    "help": (["report", "--help"], "is none that writes a report"),
    "the version": (["report", "--version"], "is none that writes a report"),
    "a network": (["report", "-t", "wmt17", "-l", "en-de", FILES[1]], "may need a network"),
    "a tokenizer of a network": (["report", *FILES, "-tok", "flores200"], "may need a network"),
    "a network, joined": (["report", "--test-set=wmt17", "--language-pair=en-de", FILES[1]], "may need a network"),
    "a path in an option": (["report", *FILES, "--documents=/etc/passwd"], "names '/etc/passwd'"),
    "a path outside": (["report", "/etc/passwd", *FILES], "names '/etc/passwd', which is not in the folder"),
    "a folder above": (["report", "../x", *FILES], "names '../x', which is not in the folder"),
    "the whole disk": (["report", FILES[0], "--system", "*=**/*"], "names '**/*', which is not in the folder"),
    "another command": (["score", *FILES], "is none that writes a report"),
    "a study": (["study", "campaign", "x"], "is none that writes a report"),
    "an unknown option": (["report", *FILES, "--no-such"], "is none that writes a report"),
    "conventions": (["compare", *FILES, "--conventions"], "is none that writes a report"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_does_something_else_is_not_followed(folder, capsys, name):
    report(capsys, "--rng", "1", "--output", "a.json")
    command, why = COMMANDS[name]
    (folder / "secret.txt").write_text("x\n" * FIRST)
    written = json.loads(Path("a.json").read_text())
    Path("a.json").write_text(json.dumps(written | {"command": command}))
    status, out, _ = run(capsys, "verify", "a.json")
    assert status == 0
    assert out.startswith("Reproduced from the statistics in the report.\n")
    said = " ".join(out.split())
    assert f"Not checked: the command and what it reads, because the command {why}" in said
    assert "from the statistics in the report" in said


@pytest.mark.parametrize(
    "more",
    [["--level", "0.5"], ["--rng", "2"], ["-m", "chrf"], ["--unit", "block"], ["--margin", "1"], ["-lc"]],
    ids=str,
)
def test_a_command_that_asks_for_something_else_is_found(folder, capsys, more):
    report(capsys, "--rng", "1", "--output", "a.json")
    written = json.loads(Path("a.json").read_text())
    Path("a.json").write_text(json.dumps(written | {"command": [*written["command"], *more]}))
    status, out, _ = run(capsys, "verify", "a.json")
    assert status == 1
    assert out.startswith("Not reproduced:\n")


def test_what_reading_noticed_and_what_repairs_change_is_compared(folder, capsys):
    path = folder / FILES[2]
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[4:30] = [f"{line} &quot;x&quot;" for line in lines[4:30]]
    lines[0] += "\u200b"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    report(capsys, "--rng", "1", "--output", "a.json")
    text = Path("a.json").read_text()
    assert run(capsys, "verify", "a.json")[0] == 0
    written = json.loads(text)
    assert written["comparison"]["warnings"]
    examined = [one for one in written["comparison"]["doubts"] if one["without"]]
    assert examined
    examined[0]["without"][0]["difference_without"] += 20
    Path("a.json").write_text(json.dumps(written))
    assert "difference_without is" in run(capsys, "verify", "a.json")[1]
    written = json.loads(text)
    written["comparison"]["warnings"] = []
    Path("a.json").write_text(json.dumps(written))
    assert run(capsys, "verify", "a.json")[0] == 1


@pytest.mark.long
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
    assert run(capsys, "verify", "sets.html")[1].startswith("Reproduced from the files.\n")
    spoilt = Path("bergamot-base2.txt").read_text(encoding="utf-8").replace("\n", " &quot;x&quot;\n")
    Path("bergamot-base2.txt").write_text(spoilt, encoding="utf-8")
    repaired = ["--repair", "html-entities", "--output", "repaired.html"]
    assert run(capsys, "report", "--test-sets", "sets.tsv", *repaired, *common)[0] == 0
    assert run(capsys, "verify", "repaired.html")[1].startswith("Reproduced from the files.\n")
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
