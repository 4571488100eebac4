"""What a newcomer types: files without options, sacreBLEU's options, examples of the help, terminals of any width."""

import contextlib
import fcntl
import itertools
import json
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import termios

import pytest

from mtworkbench import cli, notebooks, read_outputs
from mtworkbench.cli.program import make_parser
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.files.folders import files_in, sort_by_role
from mtworkbench.outputs.files.naming import name_runs, name_systems

QUICK = ["--resamples", "50", "--trials", "300", "--rng", "1"]
LINES = ["The cat sees the old dog.", "A dog runs in the red house.", "The new cat sleeps on it."] * 12
LINES = [f"{line} ({number})" for number, line in enumerate(LINES)]  # no segment is another again


def write(path, every):
    """The reference's lines, with an error in some of them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [line if every == 0 or number % every else f"wrong {line}" for number, line in enumerate(LINES)]
    path.write_text("".join(f"{line}\n" for line in lines))


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The files that the examples of the help speak of, in the folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    names = ["ref.txt", "base.txt", "new.txt", "A.1", "A.2", "B.1", "B.2", "sys/online-A.txt", "sys/online-B.txt"]
    for every, name in enumerate(names):
        write(tmp_path / name, every + (every > 0))
    n_segments = len((tmp_path / "ref.txt").read_text().splitlines())
    rows = ["set\treference\tsystem\tfiles"]
    for name in ("a", "b", "c", "d"):
        for every, system in enumerate(("ref", "base", "new")):
            lines = [f"{name} {line}" if not every or n % (every + 1) else "wrong" for n, line in enumerate(LINES)]
            (tmp_path / f"{name}.{system}").write_text("".join(f"{line}\n" for line in lines))
        rows += [f"{name}\t{name}.ref\t{system}\t{name}.{system}" for system in ("base", "new")]
    (tmp_path / "campaign.tsv").write_text("".join(f"{row}\n" for row in rows))
    (tmp_path / "docs.txt").write_text("".join(f"document {number // 3}\n" for number in range(n_segments)))
    return tmp_path


def run(capsys, *arguments):
    status = cli.main(arguments)
    output, errors = capsys.readouterr()
    return status, output, errors


def compare(capsys, *arguments):
    status, output, errors = run(capsys, "compare", *arguments, *QUICK, "--format", "json")
    assert (status, errors) == (0, "")
    return json.loads(output)


WMT = "sys/newstest2017.{}.en-de"


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ([WMT.format(name) for name in ("online-A.0", "uedin-nmt.4722")], ["online-A.0", "uedin-nmt.4722"]),
        ([WMT.format(name) for name in ("online-A.0", "online-B.0")], ["online-A", "online-B"]),
        (["hyp.base.opt0.txt", "hyp.sys1.opt0.txt"], ["base", "sys1"]),
        (["base.txt", "new.txt"], ["base", "new"]),
        (["gpt-4.1-mini.txt", "gpt-4.1-nano.txt"], ["gpt-4.1-mini", "gpt-4.1-nano"]),  # a dot in a number
        (["sys/qwen2.5-7b.txt", "sys/qwen2.5-72b.txt"], ["qwen2.5-7b", "qwen2.5-72b"]),
        (["base.txt", "new.txt.gz"], ["base", "new"]),
        (["a.gz", "b.xz", "c.bz2", "d.zst"], ["a", "b", "c", "d"]),
        (["out1.txt", "out1.txt.gz"], ["out1.txt", "out1.txt.gz"]),  # the same name without .gz
        (["x/out1.txt", "x/out1.txt.gz", "y/out1.txt"], ["x/out1.txt", "x/out1.txt.gz", "y/out1.txt"]),
        (["sysA/out.txt.gz", "sysB/out.txt"], ["sysA", "sysB"]),
        (["1.txt", "2.txt.gz"], ["1.txt", "2.txt.gz"]),
        (["out.txt", "out.tok"], ["out.txt", "out.tok"]),  # an ending is no name
        (["out1.txt", "out1.txt.v2"], ["out1.txt", "out1.txt.v2"]),
        (["hyp.base", "hyp.new"], ["base", "new"]),
        (["new.txt.gz"], ["new"]),
        (["sysA/out.txt", "sysB/out.txt"], ["sysA", "sysB"]),
        (["/x/sysA/v1/out.txt", "/x/sysB/v1/out.txt"], ["sysA", "sysB"]),
        (["sysA/1.txt", "sysA/2.txt", "sysB/1.txt"], ["sysA/1", "sysA/2", "sysB/1"]),
        (["out.txt", "sub/out.txt"], ["out", "sub/out"]),
        (["base.txt", "base.v2.txt"], ["base", "base.v2"]),  # nothing would be left of base
        (["hyp.1.txt", "hyp.2.txt"], ["hyp.1", "hyp.2"]),  # a number is no name
        (["1.txt", "2.txt"], ["1.txt", "2.txt"]),
        (["out.base.txt"], ["out.base"]),
        (["système.α.txt", "système.β.txt"], ["α", "β"]),
    ],
)
def test_systems_are_named_by_what_their_files_do_not_share(paths, names):
    assert name_systems(paths) == names


def test_the_first_of_two_outputs_is_the_baseline(files, capsys):
    found = compare(capsys, "ref.txt", "new.txt", "base.txt")
    named = ["--reference", "ref.txt", "--system", "new=new.txt", "--system", "base=base.txt"]
    assert found == compare(capsys, *named, "--baseline", "new")
    assert found["metrics"]["BLEU"]["comparisons"][0]["b"] == "new"
    said = run(capsys, "compare", "ref.txt", "new.txt", "base.txt")[1]
    assert "differences from new on these outputs:" in said


def test_of_three_outputs_all_pairs_are_compared(files, capsys):
    """The first by name is nobody's choice; sacreBLEU's first output after -i is."""
    three = ["base.txt", "new.txt", "sys/online-A.txt"]

    def pairs(*given):
        found = compare(capsys, *given)["metrics"]["BLEU"]["comparisons"]
        return [(pair["a"], pair["b"]) for pair in found]

    of_all = [("new", "base"), ("online-A", "base"), ("online-A", "new")]
    assert pairs("ref.txt", *three) == pairs("ref.txt", "-i", *three, "--all-pairs") == of_all
    assert pairs("ref.txt", "-i", *three) == of_all[:2]
    assert pairs("ref.txt", *three, "--systems", "new", "on*") == of_all[2:]
    assert run(capsys, "compare", "ref.txt", *three, "--all-pairs", "--baseline", "new")[0] == 2
    status, _, errors = run(capsys, "compare", "ref.txt", *three, "--systems", "new", "old")
    assert (status, "There is no system 'old'" in errors) == (2, True)


@pytest.mark.parametrize("systems", [["*.txt"], ["base.txt", "new.txt"], ["base=base.txt", "new.txt"]])
def test_a_reference_without_an_option_and_systems_without_names_are_taken(files, capsys, systems):
    named = [part for one in systems for part in ("--system", f"sys/{one}" if "*" in one else one)]
    shutil.copy("base.txt", "sys/base.txt")
    shutil.copy("new.txt", "sys/new.txt")
    for name in ("A", "B"):
        (files / f"sys/online-{name}.txt").unlink()
    expected = compare(capsys, "--reference", "ref.txt", "--system", "base=base.txt", "--system", "new=new.txt")
    assert compare(capsys, "ref.txt", *named) == expected
    assert compare(capsys, "--reference", "ref.txt", *named) == expected


def test_a_folder_after_system_stands_for_its_files(files, capsys):
    found = compare(capsys, "ref.txt", "--system", "base=base.txt", "--system", "sys", "--baseline", "base")
    pairs = [(pair["a"], pair["b"]) for pair in found["metrics"]["BLEU"]["comparisons"]]
    assert pairs == [("online-A", "base"), ("online-B", "base")]


@pytest.mark.parametrize("baseline", ["new", "new.txt", "./new.txt"])
def test_another_baseline_goes_by_its_name_or_file(files, capsys, baseline):
    found = compare(
        capsys, "--baseline", baseline, "ref.txt", "base.txt", "--level", "0.9", "./new.txt", "sys/online-A.txt"
    )
    pairs = [(pair["a"], pair["b"]) for pair in found["metrics"]["BLEU"]["comparisons"]]
    assert pairs == [("base", "new"), ("online-A", "new")]


def test_a_baseline_of_several_files_is_refused_and_one_with_its_folder_is_taken(files, capsys):
    for every, name in enumerate(["a/out1.txt", "b/out1.txt", "out1.txt"], start=2):
        write(files / name, every)
    status, output, errors = run(
        capsys, "compare", "--baseline", "out1.txt", "ref.txt", "a/out1.txt", "b/out1.txt", *QUICK
    )
    assert (status, output, len(errors.splitlines())) == (2, "", 1)
    sentence = "--baseline out1.txt could be any of the files 'a/out1.txt' and 'b/out1.txt': name the file with its "
    assert f"error: {sentence}folder, or one of the systems 'a' and 'b' (see mtworkbench compare --help)." in errors
    for baseline, name in [("b/out1.txt", "b"), ("b", "b"), ("a/out1.txt", "a")]:
        found = compare(capsys, "ref.txt", "a/out1.txt", "b/out1.txt", "--baseline", baseline)
        assert found["metrics"]["BLEU"]["comparisons"][0]["b"] == name
    found = compare(capsys, "ref.txt", "a/out1.txt", "out1.txt", "--baseline", "out1.txt")  # a path of its own
    assert found["metrics"]["BLEU"]["comparisons"][0]["b"] == "out1"


def test_a_glob_that_no_shell_expanded_names_systems(files, capsys):
    found = compare(capsys, "ref.txt", "sys/*")
    assert [system["system"] for system in found["metrics"]["BLEU"]["systems"]] == ["online-A", "online-B"]


def test_a_glob_names_one_reference_and_with_i_several(files, capsys):
    assert compare(capsys, "re*.txt", "base.txt", "new.txt") == compare(capsys, "ref.txt", "base.txt", "new.txt")
    several = compare(capsys, "A.*", "-i", "base.txt", "new.txt")
    assert several == compare(capsys, "A.1", "A.2", "-i", "base.txt", "new.txt")
    assert "nrefs:2" in several["metrics"]["BLEU"]["signature"]


def test_one_output_has_its_score(files, capsys):
    found = compare(capsys, "ref.txt", "base.txt")["metrics"]["BLEU"]
    assert ([system["system"] for system in found["systems"]], found["comparisons"]) == (["base"], [])


def test_sacrebleus_options_are_understood(files, capsys):
    habits = ["ref.txt", "-i", "base.txt", "new.txt", "-m", "bleu", "chrf", "ter", "-lc", "-tok", "intl"]
    ours = ["--metric", "bleu", "--metric", "chrf", "--metric", "ter", "--lowercase", "--tokenize", "intl"]
    found = compare(capsys, *habits)
    assert list(found["metrics"]) == ["BLEU", "chrF", "TER"]
    assert found == compare(capsys, "ref.txt", "base.txt", "new.txt", *ours)
    several = compare(capsys, "ref.txt", "A.1", "-i", "base.txt", "new.txt")
    assert "nrefs:2" in several["metrics"]["BLEU"]["signature"]
    assert compare(capsys, "--reference", "ref.txt", "--reference", "A.1", "-i", "base.txt", "new.txt") == several


def test_statistics_take_the_short_form(files, capsys):
    assert run(capsys, "statistics", "ref.txt", "base.txt", "new.txt", "--output", "{system}.stats") == (0, "", "")
    found = compare(capsys, "--statistics", "base.stats", "--statistics", "new.stats", "--baseline", "base")
    assert found == compare(capsys, "ref.txt", "base.txt", "new.txt")


MISTAKES = [
    ("compare ref.txt", "'ref.txt' is the reference: name at least one output after it (see"),
    ("compare all.xml", "after it; if it is WMT's XML, which holds the outputs, too, put --xml before it"),
    ("compare -i base.txt", "The reference of 'base.txt' is missing: name it before -i"),
    (
        "compare ref.txt .",
        "The outputs: '.' contains a folder 'sys': name the files, or a folder that contains only files.",
    ),
    ("compare sys", "No file in 'sys' has ref in its name, as in ref.txt or newstest2017.ref.de: name the reference"),
    ("compare ref.txt sys sys/online-A.txt", "sys/online-A.txt is the same file as sys/online-A.txt; name each file"),
    ("compare ref.txt *.txt", "'ref.txt' is the reference and one of the outputs, too: leave it out of the outputs."),
    ("compare ref.txt base.txt base.txt", "base.txt is the same file as base.txt; name each file once."),
    ("compare ref.txt none.txt", "none.txt"),
    (
        "compare 'sys/*' base.txt",
        "'sys/*' is the reference, but 2 files match it: name one file, or give several references with --reference, "
        "and the outputs with --system (see mtworkbench compare --help).",
    ),
    ("compare 'r*.txt' ref.txt base.txt", "'ref.txt' is the reference and one of the outputs, too: leave it out of"),
    ("compare 'r*.txt' A.1 -i ref.txt base.txt", "'ref.txt' is the reference and one of the outputs, too: leave it"),
    ("compare --reference 'r*.txt' -i ref.txt base.txt", "'ref.txt' is the reference and one of the outputs, too: "),
    ("compare 'none*' base.txt", "The reference: no file matches none*"),
    ("compare 'r*.txt' base.txt --output ref.txt", "'ref.txt' is read, so it cannot be the file to write."),
    ("compare --reference 'r*.txt' --system x=base.txt --output ref.txt", "'ref.txt' is read, so it cannot be the"),
    ("compare base.txt new.txt --reference ref.txt", "leave out --reference, or give all files with --reference and"),
    (
        "compare ref.txt base.txt --system new=new.txt",
        "leave out --system, or give all files with --reference and --system",
    ),
    ("compare ref.txt new.txt --xml ref.txt", "leave out --xml, or give all files with --reference and --system"),
    ("compare ref.txt new.txt --statistics x", "leave out --statistics, or give all files with --reference and"),
    ("compare ref.txt base.txt --baseline ba", "The baseline 'ba' is not among the systems: did you mean 'base'?"),
    (
        "compare --reference sys --system x=base.txt --system y=new.txt",
        "'sys' is the reference, but it is a folder: name a file in it; for several test sets, list their files in a "
        "table, --test-sets TABLE",
    ),
    ("compare ref.txt base.txt --baseline old", "The baseline 'old' is not among the systems: name one of 'base'"),
    ("compare run.stats", "'run.stats' holds statistics: give it with --statistics"),
    ("compare ref.txt run.stats", "'run.stats' holds statistics: give it with --statistics"),
    ("variance run.stats", "'run.stats' holds statistics: give it with --statistics"),
    ("statistics ref.txt run.stats --output x", "'run.stats' holds statistics: outputs are needed here"),
    ("compare -m bleu ref.txt base.txt new.txt", "'ref.txt' is a file, not a metric: name files before -m"),
    ("variance -m bleu ref.txt", "'ref.txt' is a file, not a metric: name files before -m"),
    (
        "statistics",
        "Name the reference and the outputs, as in 'ref.txt base.txt new.txt', or --reference and --system, or",
    ),
    ("compare ref.txt base.txt --output base.txt", "'base.txt' is read, so it cannot be the file to write."),
]


@pytest.mark.parametrize(("line", "sentence"), MISTAKES)
def test_a_mistake_is_told_in_one_sentence(files, capsys, line, sentence):
    assert run(capsys, "statistics", "ref.txt", "base.txt", "new.txt", "--output", "run.stats") == (0, "", "")
    before = {path.name: path.read_bytes() for path in files.rglob("*.*")}
    status, output, errors = run(capsys, *shlex.split(line))
    assert (status, output, len(errors.splitlines())) == (2, "", 1)
    assert sentence in errors
    assert {path.name: path.read_bytes() for path in files.rglob("*.*")} == before


def test_the_program_alone_shows_its_help_with_three_examples(capsys):
    status, output, errors = run(capsys)
    assert (status, errors) == (0, "")
    assert (status, output, errors) == run(capsys, "--help")
    assert len(output.split("\nexamples:\n")[1].splitlines()) == 3


COMMANDS = make_parser()[1]


@pytest.mark.parametrize("command", [None, *COMMANDS])
@pytest.mark.long
def test_every_help_ends_with_examples_that_work(files, capsys, monkeypatch, command):
    called = []
    for name in ("open_lab", "make_figures"):
        monkeypatch.setattr(notebooks, name, called.append)
    monkeypatch.setattr("mtworkbench.cli.meteor.run_meteor", lambda options: f"{options.package}\n")
    monkeypatch.setattr("mtworkbench.cli.demo._run", lambda arguments: "")
    assert run(capsys, "statistics", "ref.txt", "base.txt", "new.txt", "--output", "run.stats") == (0, "", "")
    if command == "verify":  # the reports of its examples
        os.mkdir("supplement")
        os.mkdir("outputs")
        assert run(capsys, "report", "ref.txt", "base.txt", "new.txt", "--quiet", "--trials", "200")[0] == 0
        to_json = ["--output", "supplement/report.json"]
        assert run(capsys, "report", "ref.txt", "base.txt", "new.txt", "--quiet", "--trials", "200", *to_json)[0] == 0
    _, shown, _ = run(capsys, *filter(None, [command]), "--help-all")
    examples = shown.split("\nexamples:\n")[1].splitlines()
    assert len(examples) >= 2
    for example in examples:
        assert len(example) <= 80
        program, *arguments = shlex.split(example)
        assert program == "mtworkbench"
        assert command in (None, arguments[0])
        status, output, errors = run(capsys, *arguments)
        expected = re.compile(
            "warning: Fewer than|[0-9,]+ of [0-9,]+ units(, |$)|units of work: [0-9,]+ found in|are being written"
        )
        assert (status, [line for line in errors.splitlines() if not expected.search(line)]) == (0, [])
        assert output or called or "--output" in arguments


def on_terminal(columns, *arguments):
    """Run the program on a terminal of so many columns; return what it shows."""
    terminal, ours = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen([sys.executable, "-m", "mtworkbench", *arguments], stdout=ours, env=environment)
    os.close(ours)
    shown = b""
    with open(terminal, "rb", buffering=0) as screen, contextlib.suppress(OSError):  # as Linux tells of the other end
        while part := screen.read(65536):
            shown += part
    assert process.wait() == 0
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.long
def test_a_text_takes_the_width_of_the_terminal_and_of_nothing_else(files, capsys, monkeypatch):
    long = "a-system-with-a-rather-long-name-of-fifty-six-characters"
    systems = [part for name in ("A", "B") for part in ("--system", f"{name}-{long}={name}.*")]
    asked = ["compare", "--reference", "ref.txt", *systems, "--baseline", f"A-{long}", *QUICK]
    in_pipe = run(capsys, *asked)[1]
    shown = {columns: on_terminal(columns, *asked) for columns in (80, 200)}
    tables = {columns: table_lines(text) for columns, text in [*shown.items(), (100, in_pipe)]}
    for columns, lines in tables.items():
        assert [line for line in lines if len(line) > columns] == []
    assert any(line.startswith(f"B-{long}") for line in tables[200])
    assert any("…" in line for line in tables[80])
    sentences = [
        line for line in shown[200].splitlines() if line not in tables[200] and not line.startswith("Signature: ")
    ]
    assert max(len(line) for line in sentences if long not in line) <= 100
    monkeypatch.setenv("COLUMNS", "60")
    assert run(capsys, *asked)[1] == in_pipe
    assert run(capsys, *asked, "--output", "table.txt")[0] == 0
    assert (files / "table.txt").read_text() == in_pipe


def table_lines(text):
    """The lines of all tables, which begin with a heading of columns."""
    table = re.compile(r"^system .*\n(?:.+\n)+", flags=re.MULTILINE)
    return [line for found in table.findall(text) for line in found.splitlines()]


def test_runs_that_are_given_as_systems_are_noticed(files, capsys):
    """Names such as A.v0, A.v1, B.v0, B.v1, which may be versions; numbered systems alone are systems."""
    for name, number in itertools.product("AB", (0, 1)):
        shutil.copy(files / f"{name}.{number + 1}", files / f"{name}.v{number}")
    _, _, said = run(capsys, "compare", "ref.txt", "A.v0", "A.v1", "B.v0", "B.v1", *QUICK)
    assert said.startswith(
        "mtworkbench: warning: A.v0, A.v1, B.v0 and B.v1 look like several runs of each system, but are "
        "compared as systems: for runs, name the systems, as in --reference FILE --system A.v='FILES'."
    )
    assert "runs of each system" not in run(capsys, "compare", "ref.txt", "A.v0", "A.v1", *QUICK)[2]


@pytest.mark.parametrize(
    ("paths", "runs"),
    [
        (["hyps.lm2.test.opt0", "hyps.lm2.test.opt1", "hyps.lm3.test.opt0"], ["lm2", "lm2", "lm3"]),
        (["x/base.run2.txt", "x/base.run1.txt.gz", "x/new_run1.txt"], ["base", "base", "new"]),
        (["sysA/run1.txt", "sysA/run2.txt", "sysB/run1.txt", "sysB/run2.txt"], ["sysA", "sysA", "sysB", "sysB"]),
        (["a-seed1", "a-seed2", "b-seed1", "b-seed2"], ["a", "a", "b", "b"]),
        (["a.opt0", "a.opt1"], None),  # one system, or two
        (["a.opt0", "b.opt0"], None),  # one run of each
        (["a.opt0", "a.opt2", "b.opt0", "b.opt1"], None),  # a gap
        (["a.Run1", "a.RUN2", "b.run1", "b.run2"], ["a", "a", "b", "b"]),
        (["a.opt0", "a.opt1", "b.run0", "b.run1"], None),
        (["a.opt0", "a.opt1", "b"], None),
        (["a.seed42", "a.seed43", "b.seed42", "b.seed43"], ["a", "a", "b", "b"]),
        (["a.seed42", "a.seed43", "b.seed42", "b.seed44"], None),
        (["a.opt0", "a.opt00", "b.opt0", "b.opt1"], None),
        (["a.run1.opt0", "a.run1.opt1", "b.run1.opt0", "b.run1.opt1"], None),  # two numbers
        ([WMT.format(f"online-{name}.0") for name in "ABFG"], None),  # the 0 is an id
        (["hyp.1.txt", "hyp.2.txt", "new.1.txt", "new.2.txt"], None),  # systems, with a warning
        (
            ["a/seed1111/pred.txt", "a/seed2222/pred.txt", "b/seed1111/pred.txt", "b/seed2222/pred.txt"],
            ["a"] * 2 + ["b"] * 2,
        ),
        (["out/a_seed=1/gen.txt", "out/a_seed=2/gen.txt", "out/b_seed=1/gen.txt"], ["a", "a", "b"]),  # fairseq's
        (["m/a/seed-1/0.hyps.test", "m/a/seed-2/0.hyps.test", "m/b/seed-1/0.hyps.test"], ["a", "a", "b"]),  # Joey NMT's
        (["seed1/a.txt", "seed1/b.txt", "seed2/a.txt", "seed2/b.txt"], ["a", "a", "b", "b"]),
        (["/run1/x/a.opt0", "/run1/x/a.opt1", "/run1/x/b.opt0", "/run1/x/b.opt1"], ["a", "a", "b", "b"]),
        (["a-1111.hyp", "a-2222.hyp", "b-1111.hyp", "b-2222.hyp"], ["a", "a", "b", "b"]),
        (["a.13.out", "a.42.out", "a.1337.out", "b.13.out", "b.42.out", "b.1337.out"], ["a"] * 3 + ["b"] * 3),
        (["a-1111.hyp", "a-2222.hyp", "b-1111.hyp", "b-3333.hyp"], None),  # other numbers: perhaps no seeds
        (["a-1111.hyp", "b-1111.hyp"], None),
        (["a/1/test.hyps", "a/2/test.hyps", "b/1/test.hyps", "b/2/test.hyps"], ["a", "a", "b", "b"]),
        (["a/1.txt", "a/2.txt", "b/1.txt", "b/2.txt"], ["a", "a", "b", "b"]),
        (["a/1/test.hyps", "a/3/test.hyps", "b/1/test.hyps", "b/3/test.hyps"], None),
        (["a/beam/1/x", "a/beam/2/x", "b/beam/1/x", "b/beam/2/x"], None),
    ],
)
def test_runs_are_known_by_names_that_leave_no_doubt(paths, runs):
    found = name_runs(paths)
    assert runs == (found and [system for system, _ in found])
    assert found is None or sorted(file for _, file in found) == sorted(paths)


OTHER_NUMBERS = {
    "versions": ["gpt-{}", "claude-{}", (4, 5)],
    "versions with a letter": ["deepseek-v{}", "qwen-v{}", (2, 3)],
    "versions with a point": ["gemini-{}-pro", "gemini-{}-flash", ("1.5", "2.5")],
    "releases": ["gemini-1.5-pro-{}", "gemini-1.5-flash-{}", ("001", "002")],
    "sizes": ["llama-3-{}b", "qwen-3-{}b", (8, 70)],
    "sizes alone": ["llama-{}", "pythia-{}", (128, 256)],
    "months": ["mistral-large-{}", "mistral-small-{}", (2407, 2411)],
    "days": ["qwen-plus-{}", "qwen-turbo-{}", (1127, 1220)],
    "days with a nought": ["gpt-a-{}", "gpt-b-{}", ("0125", "1106")],
    "dates": ["doubao-pro-{}", "doubao-lite-{}", (250115, 250528)],
    "long dates": ["a-{}", "b-{}", (20240620, 20241022)],
    "years": ["{}/a.txt", "{}/b.txt", (2023, 2024)],
    "temperatures": ["a-temp-0.{}", "b-temp-0.{}", (125, 333)],
    "beams": ["a-beam-{}", "b-beam-{}", (5, 123)],
    "beams in a word": ["a-beam{}", "b-beam{}", (5, 10)],
    "checkpoints": ["a/checkpoint-{}/pred.txt", "b/checkpoint-{}/pred.txt", (757, 1511)],
    "steps": ["a-{}", "b-{}", (756, 1512)],
    "round steps": ["a-{}", "b-{}", (10000, 25000)],
    "submissions": ["newstest2019.MLLP.{}.en-de", "newstest2019.UCAM.{}.en-de", (6, 7)],
}


@pytest.mark.parametrize("what", OTHER_NUMBERS)
def test_numbers_that_mean_something_else_are_no_runs(what):
    *systems, numbers = OTHER_NUMBERS[what]
    files = [system.format(number) for system in systems for number in numbers]
    assert name_runs(files) is None
    assert len(set(name_systems(files))) == len(files)


def test_names_of_systems_of_wmt_are_no_runs(shared):
    """All real names, with every system of a test set twice, as if it had a second submission."""
    wmt = shared / "realdata" / "wmt17-en-de-16systems" / "sys"
    files = [str(file) for file in sorted(wmt.iterdir())]
    assert name_runs(files) is None
    pairs = itertools.combinations(files, 2)
    assert all(name_runs(list(pair)) is None for pair in pairs)
    for folder in (shared / "realdata" / "mt-metrics-eval" / "wmt23" / "system-outputs").iterdir():
        assert name_runs([str(file) for file in folder.iterdir()]) is None


def test_runs_come_in_the_order_of_their_numbers():
    files = [f"{name}.opt{number}" for name in ("new", "base") for number in (10, *range(10))]
    found = name_runs(files)
    assert [file for _, file in found] == [f"{name}.opt{number}" for name in ("new", "base") for number in range(11)]


TAKEN = (
    "Read as: 2 systems with 2 runs each (A and B; runs by 'opt'), 36 segments. To compare the files as systems, name "
    "each with --system NAME=FILE."
)


def test_runs_are_taken_by_their_names_and_it_is_said(files, capsys):
    for name, number in itertools.product("AB", (0, 1)):
        shutil.copy(files / f"{name}.{number + 1}", files / f"{name}.opt{number}")
    short = ["ref.txt", "A.opt0", "A.opt1", "B.opt0", "B.opt1"]
    named = ["--reference", "ref.txt", "--system", "A=A.opt*", "--system", "B=B.opt*", "--baseline", "A"]
    found = compare(capsys, *short)
    assert [notice["message"] for notice in found["warnings"]] == [TAKEN]
    expected = compare(capsys, *named)
    assert found["metrics"] == expected["metrics"]
    assert [one["runs"] for one in expected["metrics"]["BLEU"]["systems"]] == [2, 2]
    assert compare(capsys, *short, "--baseline", "A.opt1")["metrics"] == expected["metrics"]
    assert run(capsys, "statistics", *short, "--output", "runs.stats") == (0, "", f"mtworkbench: {TAKEN}\n")


def test_an_output_that_is_called_a_reference_is_named(files, capsys):
    """A pattern for all files of a test set puts the first output by name in the place of the reference."""
    shutil.copy(files / "ref.txt", files / "newstest.ref.zh")
    found = compare(capsys, "base.txt", "new.txt", "newstest.ref.zh")
    assert [notice["message"] for notice in found["warnings"]][0] == (
        "Read as: 2 systems (new.txt and newstest.ref.zh), 36 segments. 'newstest.ref.zh' has ref in its name, but is "
        "taken for an output, and 'base.txt', the first file, is the reference: name the reference first."
    )
    two = compare(capsys, "base.txt", "ref.txt", "newstest.ref.zh")["warnings"]
    named = ". 'ref.txt' and 'newstest.ref.zh' have ref in their names, but are taken for "
    assert any(named in notice["message"] for notice in two)
    assert not compare(capsys, "ref.txt", "base.txt", "new.txt")["warnings"]


def test_variance_takes_runs_by_their_names(files, capsys):
    for name, number in itertools.product("AB", (0, 1)):
        shutil.copy(files / f"{name}.{number + 1}", files / f"{name}.opt{number}")
    options = "--format", "json", "--resamples", "50", "--rng", "1"
    status, output, _ = run(capsys, "variance", "ref.txt", "A.opt0", "A.opt1", "B.opt*", *options)
    named = "--reference", "ref.txt", "--system", "A=A.opt*", "--system", "B=B.opt*"
    short, expected = json.loads(output), json.loads(run(capsys, "variance", *named, *options)[1])
    assert (status, short["metrics"]) == (0, expected["metrics"])
    assert TAKEN in [notice["message"] for notice in short["warnings"]]


def test_pooled_runs_of_systems_with_one_run_are_noticed(files, capsys):
    found = compare(capsys, "ref.txt", "base.txt", "new.txt", "--runs", "pooled")
    message = "No system has several training runs to pool, so runs='pooled' (--runs pooled) changes nothing."
    assert [notice["message"] for notice in found["warnings"]] == [message]
    sets = "--test-sets", "campaign.tsv", "--runs", "pooled"
    assert message in [notice["message"] for notice in compare(capsys, *sets)["warnings"]]


def test_a_folder_stands_for_its_files(files, capsys):
    expected = compare(capsys, "ref.txt", "sys/online-A.txt", "sys/online-B.txt")
    (files / "sys" / ".hidden").write_text("x")
    read = "Read as: 2 systems (online-A and online-B), 36 segments."
    outputs = "The baseline is online-A, the first by name (--baseline NAME chooses the other)."

    def assert_noticed(message, *arguments):
        found = compare(capsys, *arguments)
        assert [notice["message"] for notice in found["warnings"]] == [f"{read} {message}"]
        assert found["read_as"] == expected["read_as"] | {"sentence": f"{read} {message}"}
        assert found["metrics"] == expected["metrics"]

    assert_noticed(outputs, "ref.txt", "sys")
    assert_noticed(outputs, "ref.txt", "-i", "sys/")
    shutil.copy(files / "ref.txt", files / "sys" / "ref.txt")
    assert_noticed(outputs, "sys/ref.txt", "sys")  # the reference is no output
    left_out = "In 'sys', 'ref.txt' was left out, because its name is not that of an output."
    assert_noticed(f"{left_out} {outputs}", "ref.txt", "sys")  # nor is a copy of it
    sorted_files = "The files in 'sys' were sorted by their names: 'ref.txt' is the reference, 2 files are outputs."
    assert_noticed(f"{sorted_files} {outputs}", "sys")
    for name in ("documents.txt", "online-A.txt~"):
        shutil.copy(files / "base.txt", files / "sys" / name)
    left_out = (
        "In 'sys', 'documents.txt' and 'online-A.txt~' were left out, because their names are not those of outputs; "
        "name documents with --documents."
    )
    assert_noticed(f"{sorted_files} {left_out} {outputs}", "sys")
    for name in ("documents.txt", "online-A.txt~"):
        (files / "sys" / name).unlink()
    shutil.copy(files / "base.txt", files / "sys" / "newstest.src.en")
    notice = compare(capsys, "sys")["warnings"][0]
    assert "'ref.txt' is the reference, 'newstest.src.en' is the source, 2 files are outputs." in notice["message"]
    (files / "sys" / "newstest.src.en").unlink()
    shutil.copy(files / "A.1", files / "sys" / "ref2.txt")
    several = compare(capsys, "sys")["metrics"]
    assert several == compare(capsys, "ref.txt", "A.1", "-i", "sys/online-A.txt", "sys/online-B.txt")["metrics"]


def test_a_folder_in_python_stands_for_its_files_as_well(files):
    for name, number in itertools.product("AB", (0, 1)):
        shutil.copy(files / f"{name}.{number + 1}", files / "sys" / f"{name}.run{number}")
        (files / "sys" / f"online-{name}.txt").unlink(missing_ok=True)
    shutil.copy(files / "ref.txt", files / "sys" / "ref.txt")
    named = read_outputs("ref.txt", {"A": ["A.1", "A.2"], "B": ["B.1", "B.2"]})
    with pytest.warns(
        DataWarning, match="4 files are treated as runs of 2 systems: A .2 runs. and B .2 runs.. To compare files "
    ):
        found = read_outputs("sys/ref.txt", "sys")
    assert found.loc[found["segment"] == 1, "run_name"].tolist() == ["0", "1"] * 2
    assert found.drop(columns="run_name").equals(named)
    with pytest.raises(
        InputError, match="^The outputs: 'alone' contains only files that were given as reference, source,"
    ):
        (files / "alone").mkdir()
        shutil.copy(files / "ref.txt", files / "alone" / "ref.txt")
        read_outputs("alone/ref.txt", "alone")


def test_real_folders(shared, capsys):
    wmt = shared / "realdata" / "wmt17-en-de-16systems"
    files = files_in(str(wmt / "sys"), "The outputs")
    assert name_runs(files) is None
    names = name_systems(files)
    assert len(names) == 16
    assert names[-3:] == ["online-G.0", "uedin-nmt.4722", "xmu.4910"]
    references, sources, _, outputs = sort_by_role(files_in(str(shared / "golden" / "data" / "csen"), "The test set"))
    assert ([os.path.basename(one) for one in references], sources, len(outputs)) == (["ref.txt"], [], 6)
    assert [system for system, _ in name_runs(outputs)] == ["baseline"] * 3 + ["sys1"] * 3
    folder = str(shared / "golden" / "data" / "csen")
    found = compare(capsys, folder, "--metric", "length")
    [taken] = [one["message"] for one in found["warnings"] if one["code"] == "files-by-name"]
    assert f" The files in {folder!r} were sorted by their names: " in taken
    assert [one["runs"] for one in found["metrics"]["Length"]["systems"]] == [3, 3]


@pytest.mark.parametrize("name", ["ref-tuned.txt", "no-ref.txt", "src2trg.txt", "doc-nmt.txt"])
def test_an_output_may_have_such_a_word_in_its_name(name):
    assert sort_by_role([name])[3] == [name]


@pytest.mark.parametrize("name", ["ref.txt", "newstest2017.ref.de", "refs.test2010.lc.tok.en.0", "reference_2.txt"])
def test_a_reference_has_the_word_for_itself(name):
    assert sort_by_role([name])[0] == [name]


def test_numbers_of_runs_that_do_not_fit_are_explained(files, capsys):
    for name in ("A.run1", "A.run3", "B.run1", "B.run2", "B.run3"):
        shutil.copy(files / f"{name[0]}.1", files / "sys" / name)
    for name in "AB":
        (files / "sys" / f"online-{name}.txt").unlink()
    _, _, errors = run(capsys, "compare", "ref.txt", "sys", *QUICK)
    assert "because A has runs 1 and 3, but no run 2: for runs, name the systems" in errors
    (files / "sys" / "A.run3").unlink()
    shutil.copy(files / "new.txt", files / "sys" / "C.txt")
    status, _, errors = run(capsys, "compare", "ref.txt", "sys", *QUICK)
    assert status == 2
    assert (
        "error: Some files in the folder have numbers of runs in their names, but 'C.txt' has no such number" in errors
    )


def test_a_seed_that_one_system_lacks_is_explained(files, capsys):
    for name in ("A.1234", "A.5678", "B.1234", "B.5678"):
        shutil.copy(files / f"{name[0]}.1", files / "sys" / name)
    shutil.copy(files / "new.txt", files / "sys" / "C.1234")
    _, _, errors = run(capsys, "compare", "ref.txt", "sys/A*", "sys/B*", "sys/C*", *QUICK)
    assert "are compared as systems" in errors
    assert "because C has run 1234, but no run 5678: for runs, name the systems" in errors


def test_folders_in_a_test_set_are_answered_with_the_line_that_works(files, capsys):
    for name in ("test/ref", "test/sys"):
        (files / name).mkdir(parents=True)
    status, _, errors = run(capsys, "compare", "test", *QUICK)
    assert status == 2
    assert "name a reference and the folder of the outputs, as in 'test/ref/FILE test/sys/'" in errors
