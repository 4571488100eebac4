"""The program: its options and formats, its exit statuses, and what it does when it is stopped."""

import argparse
import contextlib
import csv
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys

import pytest

from mtworkbench import cli, notebooks, read_outputs
from mtworkbench.choices import INTERVALS
from mtworkbench.cli.options import RARE
from mtworkbench.cli.program import make_parser
from mtworkbench.errors import InputError
from mtworkbench.inference import compare
from mtworkbench.metrics import METRICS
from mtworkbench.outputs.checks.report import ACCEPTABLE
from mtworkbench.statistics.segment_statistics import compute_statistics
from mtworkbench.tables import FORMATS, format_comparison

from .read_as import without_read_as

QUICK = ["--resamples", "50", "--trials", "300", "--rng", "1"]
WORDS = ["the", "a", "cat", "dog", "house", "sees", "runs", "sleeps", "old", "new", "red", "and", "but", "in", "on"]


def make_text(seed, n_segments=40, errors=0.0, length=9):
    """Made-up segments; with errors, some words of the same segments are others."""
    state = 12345
    lines = []
    for segment in range(n_segments):
        line = []
        for _ in range(length + segment % 3):
            state = state * 1103515245 + 12345 & 0x7FFFFFFF
            change = (state >> 8) * (seed + 1) * 2654435761 % 1000 < 1000 * errors
            line.append(WORDS[(state >> 16) % len(WORDS)] if not change else f"wrong{seed}")
        lines.append(" ".join(line))
    return "".join(line.capitalize() + "\n" for line in lines)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A reference and some outputs, in the folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ref.txt").write_text(make_text(0))
    for number, name in enumerate(["base.txt", "new.opt1", "new.opt2", "new.opt10", "other.txt"], start=1):
        (tmp_path / name).write_text(make_text(number, errors=0.05 * number))
    (tmp_path / "docs.txt").write_text("".join(f"document {segment // 3}\n" for segment in range(40)))
    return tmp_path


BASE_IS_BETTER = "new - base = -20.45 BLEU: on these outputs, base is shown"
TWO = ["--reference", "ref.txt", "--system", "base=base.txt", "--system", "new=new.opt*"]


def run(capsys, *arguments):
    status = cli.main(arguments)
    output, errors = capsys.readouterr()
    return status, output, errors


def run_json(capsys, *arguments):
    status, output, errors = run(capsys, "compare", *arguments, "--format", "json")
    assert (status, errors) == (0, "")
    return json.loads(output)


@pytest.fixture
def start():
    """Return a function that starts the program; however the test ends, the program ends and its pipes are closed."""
    with contextlib.ExitStack() as started:

        def start_program(*arguments, program=("-m", "mtworkbench"), **options):
            pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
            process = subprocess.Popen([sys.executable, *program, *arguments], **pipes | options)
            started.enter_context(process)
            started.callback(process.kill)
            return process

        yield start_program


def test_json_is_what_the_library_finds(files, capsys):
    found = run_json(capsys, *TWO, "--baseline", "base", *QUICK)
    outputs = read_outputs("ref.txt", {"base": "base.txt", "new": ["new.opt1", "new.opt2", "new.opt10"]})
    comparison = compare(compute_statistics(outputs, "bleu"), "base", n_resamples=50, n_trials=300, rng=1)
    read = {"systems": 2, "runs": 4, "documents": None, "segments": 40}
    assert found.pop("read_as") == read | {"sentence": "Read as: 2 systems with 1 to 3 runs, 40 segments."}
    assert found == json.loads(format_comparison(comparison, "json"))
    assert (found["schema"], found["rng"], found["n_segments"], found["n_documents"]) == (2, 1, 40, None)
    assert (found["unit"], found["exchange"], found["interval"]) == ("segment", "unit", "jackknife")


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_is_the_librarys(files, capsys, format):
    status, output, errors = run(capsys, "compare", *TWO, "--format", format, *QUICK)
    outputs = read_outputs("ref.txt", {"base": "base.txt", "new": "new.opt*"})
    comparison = compare(compute_statistics(outputs, "bleu"), "base", n_resamples=50, n_trials=300, rng=1)
    assert (status, errors) == (0, "")
    assert without_read_as(output) == format_comparison(comparison, format)


def test_how_p_is_adjusted_is_asked_for_by_two_options(files, capsys):
    metrics = ["-m", "bleu", "chrf", "--adjust", "holm", "--family", "all"]
    found = run_json(capsys, *TWO, "--baseline", "base", *QUICK, *metrics)
    outputs = read_outputs("ref.txt", {"base": "base.txt", "new": ["new.opt1", "new.opt2", "new.opt10"]})
    statistics = [compute_statistics(outputs, metric) for metric in ("bleu", "chrf")]
    options = {"n_resamples": 50, "n_trials": 300, "rng": 1, "adjust": "holm", "family": "all"}
    del found["read_as"]
    assert found == json.loads(format_comparison(compare(statistics, "base", **options), "json"))
    assert (found["adjust"], found["family"]) == ("holm", "all")
    usual = run_json(capsys, *TWO, "--baseline", "base", *QUICK, *metrics[:3])
    assert (usual["adjust"], usual["family"]) == ("max-t", "metric")
    assert usual["metrics"]["chrF"]["comparisons"][0]["adjust"] == "max-t"


def test_globs_are_sorted_naturally_and_a_name_given_again_adds_runs(files, capsys):
    globbed = run_json(capsys, *TWO, *QUICK)["metrics"]["BLEU"]["systems"][1]
    assert globbed["runs"] == 3
    singly = ["--system", "new=new.opt1", "--system", "new=new.opt2", "--system", "new=new.opt10"]
    assert run_json(capsys, *TWO[:4], *singly, *QUICK)["metrics"]["BLEU"]["systems"][1] == globbed
    assert globbed["scores"] == sorted(globbed["scores"], reverse=True)  # errors were made to grow


def test_a_file_is_named_that_is_sought_in_a_folder_that_was_deleted(tmp_path, capsys, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run(capsys, "compare", "ref.txt", "base.txt", "new.txt", "-m", "chrf") == (
        2,
        "",
        "mtworkbench: error: The reference: ref.txt cannot be found, because the current folder was deleted: change to "
        "a folder that exists, or give an absolute path.\n",
    )


def test_metrics_are_named_as_the_issue_names_them(files, capsys):
    metrics = ["bleu", "chrf", "chrf:word_order=2", "ter", "length"]
    found = run_json(capsys, *TWO, *QUICK, *(part for metric in metrics for part in ("--metric", metric)))
    assert list(found["metrics"]) == ["BLEU", "chrF", "chrF++", "TER", "Length"]
    assert [metric["higher_is_better"] for metric in found["metrics"].values()] == [True, True, True, False, None]
    length = found["metrics"]["Length"]["comparisons"][0]
    assert length["confidence"] is length["wins"] is length["losses"] is None


def test_one_name_with_two_sets_of_options_has_its_signature(files, capsys):
    found = run_json(capsys, *TWO, *QUICK, "--metric", "bleu", "--metric", "bleu:tokenize=none")
    assert [name.split("|")[0] for name in found["metrics"]] == ["BLEU", "BLEU"]
    assert [metric["signature"] in name for name, metric in found["metrics"].items()] == [True, True]


def test_a_metrics_own_option_goes_before_the_common_one(files, capsys):
    metrics = ["--metric", "bleu", "--metric", "bleu:tokenize=char,lowercase=false", "--metric", "chrf"]
    found = run_json(capsys, *TWO, *QUICK, *metrics, "--tokenize", "none", "--lowercase")["metrics"]
    signatures = [metric["signature"] for metric in found.values()]
    assert [("tok:none" in one, "tok:char" in one) for one in signatures] == [(1, 0), (0, 1), (0, 0)]
    assert ["case:lc" in one for one in signatures] == [True, False, True]


def test_without_a_baseline_the_later_given_is_a(files, capsys):
    found = run_json(capsys, *TWO, "--system", "other=other.txt", *QUICK)
    pairs = [(pair["a"], pair["b"]) for pair in found["metrics"]["BLEU"]["comparisons"]]
    assert pairs == [("new", "base"), ("other", "base"), ("other", "new")]


def test_one_system_is_scored(files, capsys):
    found = run_json(capsys, *TWO[:4], *QUICK)
    assert found["metrics"]["BLEU"]["comparisons"] == []
    assert found["metrics"]["BLEU"]["systems"][0]["s_test"] is None
    status, output, _ = run(capsys, "compare", *TWO[:4], *QUICK)
    assert status == 0
    assert output.startswith(
        "There is one system, base, so there is nothing to compare it with.\n\nBLEU, higher is better; 40 segments:\n"
    )


def test_documents_become_the_unit(files, capsys):
    found = run_json(capsys, *TWO, "--documents", "docs.txt", *QUICK)
    assert (found["unit"], found["n_documents"]) == ("document", 14)
    assert found["metrics"]["BLEU"]["comparisons"][0]["design_effect"] > 0
    assert [warning["code"] for warning in found["warnings"]] == ["few-units"]
    assert run_json(capsys, *TWO, "--documents", "docs.txt", "--unit", "segment", *QUICK)["unit"] == "segment"


def test_every_option_of_the_test_is_heeded(files, capsys):
    systems = ["--system", "base=base.txt", "--system", "base=other.txt", "--system", "new=new.opt*"]
    (files / "new.opt10").unlink()
    asked = ["--unit", "segment", "--exchange", "run", "--interval", "basic", "--level", "0.9", "--baseline", "new"]
    drawn = ["--resamples", "500", "--trials", "300", "--rng", "7", "--runs", "pooled"]
    found = run_json(capsys, *TWO[:2], *systems, "--documents", "docs.txt", *asked, *drawn)
    assert (found["unit"], found["exchange"], found["interval"], found["level"]) == ("segment", "run", "basic", 0.9)
    assert (found["n_resamples"], found["n_trials"], found["rng"], found["runs"]) == (500, 300, 7, "pooled")
    assert [(pair["a"], pair["b"]) for pair in found["metrics"]["BLEU"]["comparisons"]] == [("base", "new")]


def test_the_seed_is_named_and_gives_the_same_again(files, capsys):
    arguments = [*TWO, "--resamples", "50", "--trials", "300"]
    found = run_json(capsys, *arguments)
    assert run_json(capsys, *arguments, "--rng", str(found["rng"])) == found
    assert run_json(capsys, *arguments)["rng"] != found["rng"]


def test_commands_that_draw_nothing_take_a_seed_too(files, capsys):
    for command in (
        ["check", "ref.txt", "base.txt"],
        ["statistics", *TWO, "--output", "x.stats"],
        ["score", "x.stats"],
    ):
        assert cli.main([*command, "--rng", "1"]) == 0
    capsys.readouterr()
    assert cli.main(["check", "--help-all"]) == 0
    assert "--rng" not in capsys.readouterr().out


def test_unset_numbers_of_draws_are_the_librarys(files, capsys):
    found = run_json(capsys, *TWO, "--rng", "1")
    assert (found["n_resamples"], found["n_trials"]) == (1000, 10_000)
    found = run_json(capsys, *TWO, "--rng", "1", "--level", ".999")
    assert (found["n_resamples"], found["n_trials"]) == (20_000, 10_000)
    status, shown, _ = run(capsys, "compare", "--help-all")
    assert status == 0
    assert "default: 1,000, more for levels above 0.98" in " ".join(shown.split())
    assert "default: 10,000 to 320,000, until all are decided" in " ".join(shown.split())


def test_too_few_draws_are_told(files, capsys):
    few = ["--resamples", "10", "--interval", "percentile", "--rng", "1"]
    status, output, errors = run(capsys, "compare", *TWO, *few)
    assert (status, output) == (2, "")
    assert errors.startswith("mtworkbench: error: ") and "too few for the" in errors and "at least 40" in errors
    assert len(errors.splitlines()) == 1
    found = run_json(capsys, *TWO, "--resamples", "10", "--trials", "71", "--rng", "1")  # 40 segments: jackknife
    assert [warning["code"] for warning in found["warnings"]] == ["few-trials"]
    assert (found["interval"], found["n_trials"]) == ("jackknife", 71)


def test_the_headline_comes_first_in_every_format_to_read(files, capsys):
    found = run_json(capsys, *TWO, *QUICK)
    plain = "new - base = -20.45 BLEU: on these outputs, base is shown to be better (p < 0.01)."
    assert found["headline"][0] == plain
    assert any(one.startswith("base has one run, ") for one in found["headline"])
    for format in ("text", "markdown", "latex"):
        shown = run(capsys, "compare", *TWO, *QUICK, "--format", format)[1]
        said = " ".join(shown.split()).removeprefix("% ").replace("−", "-")  # in LaTeX a comment
        assert said.startswith(plain if format == "latex" else BASE_IS_BETTER)


@pytest.mark.parametrize("command", ["compare", "variance"])
@pytest.mark.parametrize("format", ["latex", "markdown"])
def test_all_columns_are_on_demand(files, capsys, command, format):
    given = ([], ["--details"], ["--all-columns"])
    few, every, as_before = (run(capsys, command, *TWO, *QUICK, "--format", format, *more)[1] for more in given)
    assert every == as_before
    head = {"latex": r"toprule\n(.*?)\\midrule", "markdown": "^[|] system (.*?)^[|] :"}[format]
    heads = [" ".join(re.findall(head, written, flags=re.DOTALL | re.MULTILINE)) for written in (few, every)]
    column = {"compare": "verdict", "variance": "median"}[command]
    assert [column in one for one in heads] == [False, True]


def test_csv_has_a_row_a_comparison(files, capsys):
    metrics = ["--metric", "bleu", "--metric", "length"]
    _, output, _ = run(capsys, "compare", *TWO, *metrics, "--format", "csv", *QUICK)
    rows = list(csv.DictReader(io.StringIO(output)))
    assert [(row["metric"], row["a"], row["b"]) for row in rows] == [("BLEU", "new", "base"), ("Length", "new", "base")]
    assert rows[1]["confidence"] == ""


def test_statistics_first_and_comparison_later_is_the_same(files, capsys):
    metrics = ["--metric", "bleu", "--metric", "chrf"]
    for system, name in [("base=base.txt", "a.stats"), ("new=new.opt*", "b.stats")]:
        made = run(capsys, "statistics", "--reference", "ref.txt", "--system", system, *metrics, "--output", name)
        assert made == (0, "", "")
    merged = run_json(capsys, "--statistics", "a.stats", "--statistics", "b.stats", "--baseline", "base", *QUICK)
    assert merged == run_json(capsys, *TWO, *metrics, "--baseline", "base", *QUICK)


def test_statistics_without_a_metric_are_bleus(files, capsys):
    assert run(capsys, "statistics", *TWO, "--output", "a.stats")[0] == 0
    assert list(run_json(capsys, "--statistics", "a.stats", *QUICK)["metrics"]) == ["BLEU"]


def test_the_output_file_gets_the_table_and_standard_output_nothing(files, capsys):
    _, table, _ = run(capsys, "compare", *TWO, *QUICK)
    assert run(capsys, "compare", *TWO, *QUICK, "--output", "table.txt") == (0, "", "")
    assert (files / "table.txt").read_text(encoding="utf-8") == table
    assert {path.name for path in files.iterdir() if "table" in path.name} == {"table.txt"}


def test_what_is_noticed_is_said_and_is_in_the_json(files, capsys):
    (files / "base.txt").write_bytes((files / "base.txt").read_bytes().replace(b"\n", b"\r\n"))
    status, output, errors = run(capsys, "compare", *TWO, *QUICK)
    assert status == 0
    assert " ".join(output.split()).startswith(BASE_IS_BETTER)
    assert errors.startswith("mtworkbench: warning: base.txt")
    assert len(errors.splitlines()) == 1
    warning = run_json(capsys, *TWO, *QUICK)["warnings"][0]
    assert list(warning) == ["code", "message", "path", "line", "count"]
    assert (warning["code"], warning["path"]) == ("crlf", "base.txt")
    assert errors == f"mtworkbench: warning: {warning['message']}\n"


def test_a_fault_that_is_accepted_is_taken(files, capsys):
    with (files / "base.txt").open("a") as file:
        file.write("\n")
    status, output, errors = run(capsys, "compare", *TWO, *QUICK)
    assert (status, output) == (2, "")
    assert "accept 'trailing-blank'" in errors
    assert run(capsys, "compare", *TWO, *QUICK, "--accept", "trailing-blank")[0] == 0


FULL = "The result cannot be written to standard output: No space left on device."
MISTAKES = [
    (
        ["compare"],
        "Name the reference and the outputs, as in 'ref.txt base.txt new.txt', or --reference and --system, or",
    ),
    (
        ["compare", "--reference", "ref.txt"],
        "--reference and --system are needed, or --xml, or --table, or --mt-metrics-eval, or --scores, or --statistics",
    ),
    (["compare", *TWO[:2], "--system", "none.txt"], "'none.txt' is not NAME=FILES, a system's name and its outputs"),
    (["compare", *TWO, "--baseline", "old"], "The baseline 'old' is not among the systems: name one of 'base', 'new'"),
    (["compare", *TWO, "--unit", "document"], "but the documents of the test set are not known: give document ids"),
    (["compare", *TWO, "--exchange", "run"], "exchange='run' pairs runs by number"),
    (["compare", *TWO[:2], "--system", "a=none*"], "System 'a': no file matches none*"),
    (["compare", *TWO, "--system", "base=base.txt"], "base.txt is the same file as base.txt; name each file once."),
    (["compare", *TWO[:2], "--system", "a=none.txt"], "none.txt"),
    (["compare", *TWO[:2], "--system", "a=."], ". is a folder: an ordinary file was expected."),
    (["compare", *TWO[:2], "--system", "=base.txt"], "name"),
    (["compare", *TWO, "--metric", "blue"], "There is no metric 'blue' among bleu"),
    (["compare", *TWO, "--metric", "bleu:order=4"], "Bleu has no option 'order'"),
    (["compare", *TWO, "--metric", "bleu", "--metric", "bleu"], "--metric bleu is the same as bleu: name"),
    (["compare", *TWO, "--tokenize", "words"], "'words'"),
    (["compare", *TWO, "--accept", "anything"], "'anything' is not a fault that can be accepted"),
    (["compare", *TWO, "--level", "95"], "'95' is not a number between 0 and 1, such as 0.8 or 0.95"),
    (["compare", *TWO, "--trials", "0"], "'0' is not a whole number of at least 1"),
    (["compare", *TWO, "--resamples", "1e3"], "'1e3' is not a whole number of at least 1"),
    (["compare", *TWO, "--rng", "-1"], "'-1' is not a whole number of at least 0"),
    (["compare", *TWO, "--format", "xml"], "invalid choice: 'xml'"),
    (
        ["compare", *TWO, "--trial", "9"],
        "There is no option --trial; did you mean --trials?",
    ),
    (["compare", "--statistics", "ref.txt"], "'ref.txt' is not a file of statistics"),
    (["compare", "--statistics", "none.stats"], "There is no file of statistics 'none.stats'."),
    (["compare", "--statistics", "x", "--metric", "ter"], "--metric has been settled when the statistics were made"),
    (["compare", "--statistics", "x", "--reference", "y"], "--reference has been settled"),
    (["compare", *TWO, "--output", "none/table.txt"], "'none/table.txt' cannot be written"),
    (["compare", *TWO, "--output", "."], "'.' cannot be written"),
    (["compare", *TWO, "--output", "./new.opt2"], "'./new.opt2' is read, so it cannot be the file to write."),
    (["statistics", *TWO, "--output", "ref.txt"], "'ref.txt' is read, so it cannot be the file to write."),
    (
        ["statistics", *TWO],
        "--output FILE is needed: the file of statistics to write (see mtworkbench stat",
    ),
    (["statistics", *TWO, "--output", "none/a.stats"], "'none/a.stats' cannot be written"),
    (["compares"], "There is no command 'compares'; did you mean compare? (see mtworkbench --help)."),
    (
        ["results"],
        "There is no command 'results': choose one of compare, report, verify, segments, check, variance",
    ),
    (["ref.txt", "base.txt"], "There is no command 'ref.txt'; to compare outputs: mtworkbench compare ref.txt ..."),
    (["--vesion"], "There is no option --vesion; did you mean --version? (see mtworkbench --help)."),
    (["compare", *TWO, "-metric", "ter"], "There is no option -metric; did you mean --metric? (see mtworkbench comp"),
    (["score", "ref.txt", "base.txt"], "'ref.txt' is not a file of statistics: score reads saved statistics; to score"),
    (["compare", *TWO, "--wrong=9"], "There is no option --wrong (see mtworkbench compare --help)."),
    (["compare", *TWO, "--paired-bs"], "There is no option --paired-bs: every comparison here is paired, with an"),
    (["compare", *TWO, "-w", "4"], "There is no option -w: scores have two or three decimals; --format json and --fo"),
    (["compare", *TWO, "-f", "text"], "There is no option -f: use --format text, json, latex, markdown or csv"),
    (["compare", *TWO, "-m", "chrf", "--chrf-word-order", "2"], "--chrf-word-order: use --metric chrf++, which"),
    (["compare", "--refs", "ref.txt"], "There is no option --refs: name the reference first, or with --reference F"),
    (["compare", "--hyps-sys2", "a", "b"], "There is no option --hyps-sys2: use --system sys2='FILES' (see mtwork"),
    (["check", "ref.txt", "base.txt", "--rng", "x"], "Argument --rng: 'x' is not a whole number of at least 0"),
    (["lab", "here", "there"], "'there' is one argument too many (see mtworkbench lab --help)."),
    (
        ["score"],
        "A file of statistics is needed: score reads saved statistics; to score and compare outputs, call",
    ),
    (
        ["score", *TWO],
        "There is no option --reference here: score reads saved statistics; to score and compare",
    ),
    (["calibrate", "--margin", "1"], "There is no option --margin here; mtworkbench compare has one"),
]


@pytest.mark.parametrize(("arguments", "sentence"), MISTAKES)
def test_a_mistake_is_told_in_one_sentence(files, capsys, arguments, sentence):
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    status, output, errors = run(capsys, *arguments)
    assert (status, output) == (2, "")
    assert sentence in errors
    assert len(errors.splitlines()) == 1
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


@pytest.mark.parametrize("command", ["compare", "statistics"])
def test_an_old_output_stays_when_something_is_wrong(files, capsys, command):
    (files / "old").write_text("as it was")
    (files / "base.txt").write_text("one line\n")
    status, output, errors = run(capsys, command, *TWO, "--output", "old")
    assert (status, output) == (2, "")
    assert errors.startswith("mtworkbench: error: base.txt")
    assert (files / "old").read_text() == "as it was"
    assert not [path for path in files.iterdir() if "part" in path.name]


def test_no_message_steers_the_terminal(files, capsys):
    status, _, errors = run(capsys, "compare", *TWO[:2], "--system", "a=\x1b[31mnone\u202e.txt")
    assert status == 2
    assert "\x1b" not in errors
    assert "\u202e" not in errors


def test_interruption_gives_130_and_leaves_the_old_output(files, capsys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    (files / "old").write_text("as it was")
    monkeypatch.setattr("mtworkbench.inference.compare", interrupt)
    assert run(capsys, "compare", *TWO, "--output", "old") == (130, "", "mtworkbench: interrupted.\n")
    assert (files / "old").read_text() == "as it was"


# The program, which is interrupted when it begins to import a module.
EARLY = """
import runpy, signal, sys

class Interruption:
    def find_spec(self, name, path=None, target=None):
        if name == MODULE:
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interruption())
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("mtworkbench", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(
    "module",
    [*(f"mtworkbench.{one}" for one in ("errors", "outputs", "cli.program", "cli.streams")), "datetime", "numpy"],
)
def test_an_interruption_while_the_program_is_imported_is_quiet(files, start, module):
    program = f"MODULE = {module!r}\n{EARLY}"
    process = start("compare", *TWO, *QUICK, program=["-c", program])
    output, errors = process.communicate()
    assert (process.returncode, output, errors) == (130, "", "mtworkbench: interrupted.\n")


# The program, whose TER scores the segments again and again, and writes a line after the first time.
ENDLESS = """
import runpy, signal
from mtworkbench.metrics import Ter

score_once = Ter.segment_statistics

def score_without_end(metric, outputs):
    score_once(metric, outputs)
    print("at work", flush=True)
    while True:
        score_once(metric, outputs)

Ter.segment_statistics = score_without_end
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in a shell's background would ignore it
runpy.run_module("mtworkbench", run_name="__main__", alter_sys=True)
"""


# The program where numba is not installed, without which TER may take minutes for a segment.
INTERRUPTIBLE = """
import runpy, signal, sys
sys.modules["numba"] = None
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("mtworkbench", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("format", ["text", "json"])
def test_a_long_segment_is_announced_by_file_and_line_and_can_be_interrupted(tmp_path, start, format):
    words = [f"w{number * number % 1009}" for number in range(20_000)]
    for name, step in (("ref", 1), ("base", 3), ("new", 7)):
        (tmp_path / f"{name}.txt").write_text(f"a {name}\n{' '.join(words[::step][:2000])}\n")
    files = ["ref.txt", "base.txt", "new.txt", "--metric", "ter", "--format", format]
    process = start("compare", *files, program=["-c", INTERRUPTIBLE], cwd=tmp_path)
    assert process.stderr.readline() == (
        "mtworkbench: warning: 2 outputs, counted over systems and runs, have segments of 500 words or more; the "
        "longest has 2,000 (base.txt, line 2). TER may take minutes for such a segment. To save time, leave long "
        "segments out for all systems, split them into sentences, or use another metric, such as chrF.\n"
    )
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert (process.returncode, output, errors) == (130, "", "mtworkbench: interrupted.\n")


def test_an_interrupted_program_stops_without_finishing(files, start):
    (files / "table.txt").write_text("as it was")
    process = start("compare", *TWO, "--metric", "ter", "--output", "table.txt", program=["-c", ENDLESS])
    assert (process.stdout.readline() or process.stderr.read()) == "at work\n"
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert (process.returncode, output, errors) == (130, "", "mtworkbench: interrupted.\n")
    assert (files / "table.txt").read_text() == "as it was"


def test_a_defect_of_ours_is_a_traceback_and_1(files, capsys, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("mtworkbench.inference.compare", fail)
    with pytest.raises(ZeroDivisionError):
        cli.main(["compare", *TWO])


NOT_LOADED = ImportError("libopenblas.so: failed to map segment from shared object")


@pytest.mark.parametrize("error", [MemoryError(), NOT_LOADED])
def test_too_little_memory_is_told(files, capsys, monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("mtworkbench.inference.compare", fail)
    sentence = "mtworkbench: error: The memory is not enough: ask for fewer draws, systems or metrics at once.\n"
    assert run(capsys, "compare", *TWO) == (2, "", sentence)


def test_a_library_that_is_not_there_is_a_defect(files, monkeypatch):
    def fail(*_, **__):
        raise ImportError("No module named 'scipy'")

    monkeypatch.setattr("mtworkbench.inference.compare", fail)
    with pytest.raises(ImportError):
        cli.main(["compare", *TWO])


@pytest.mark.parametrize("arguments", [["compare", *TWO, *QUICK], ["compare", "--help"], ["--version"]])
def test_a_reader_that_stops_reading_is_no_error(files, start, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    process = start(*arguments, stdout=writing)
    os.close(writing)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")


def test_a_mistake_stays_a_mistake_when_nobody_reads_it(files, start):
    reading, writing = os.pipe()
    os.close(reading)
    process = start("compare", *TWO, "--metric", "blue", stderr=writing)
    os.close(writing)
    output, _ = process.communicate()
    assert (process.returncode, output) == (2, "")


def test_a_warning_that_nobody_reads_stops_nothing(files, start):
    (files / "base.txt").write_bytes((files / "base.txt").read_bytes().replace(b"\n", b"\r\n"))
    reading, writing = os.pipe()
    os.close(reading)
    process = start("compare", *TWO, *QUICK, "--output", "table.txt", stderr=writing)
    os.close(writing)
    output, _ = process.communicate()
    assert (process.returncode, output) == (0, "")
    written = (files / "table.txt").read_text(encoding="utf-8")
    assert " ".join(written.split()).startswith(BASE_IS_BETTER)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_told(files, start):
    with open("/dev/full", "w") as full:
        process = start("compare", *TWO, *QUICK, stdout=full)
        _, errors = process.communicate()
    assert (process.returncode, errors) == (2, f"mtworkbench: error: {FULL}\n")


def test_any_encoding_of_the_terminal_will_do(files, start):
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    process = start("compare", *TWO[:2], "--system", "système=base.txt", *QUICK, env=environment)
    output, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    assert "syst\\xe8me" in output


# The program with a bar for which a second passes whenever it looks at the clock: it appears after half a second.
HASTY = """
import itertools, runpy, tqdm.std

tqdm.std.time = itertools.count().__next__
runpy.run_module("mtworkbench", run_name="__main__", alter_sys=True)
"""


def test_progress_is_shown_on_a_terminal_and_in_no_pipe(files, start):
    arguments = ["compare", *TWO, "--trials", "400", "--resamples", "100"]
    output, errors = start(*arguments, program=["-c", HASTY]).communicate()
    assert errors == ""
    assert " ".join(output.split()).startswith(BASE_IS_BETTER)
    terminal, ours = pty.openpty()
    process = start(*arguments, program=["-c", HASTY], stderr=ours)
    os.close(ours)
    shown = b""
    with open(terminal, "rb", buffering=0) as screen, contextlib.suppress(OSError):  # as Linux tells of the other end
        while part := screen.read(65536):
            shown += part
    output, _ = process.communicate()
    assert process.returncode == 0
    assert " ".join(output.split()).startswith(BASE_IS_BETTER)
    assert b"drawing:" in shown
    assert b"/500" in shown


def test_the_parser_costs_nothing():
    code = "import sys; from mtworkbench.cli.program import make_parser; make_parser(); "
    code += "print(sorted({*sys.argv[1:]} & {*sys.modules}))"
    heavy = ["numpy", "pandas", "scipy", "sacrebleu", "tqdm", "matplotlib", "numba"]
    found = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
def test_each_interval_that_can_be_chosen_is_made(files):
    outputs = read_outputs("ref.txt", {"base": "base.txt"}, documents="docs.txt")
    statistics = compute_statistics(outputs, "length")
    for interval in INTERVALS:
        compare(statistics, interval=interval, n_resamples=50, n_trials=10, rng=1)
    with pytest.raises(InputError):
        compare(statistics, interval="another")


def test_lab_and_figures_take_a_folder(capsys, monkeypatch):
    called = []
    monkeypatch.setattr(notebooks, "open_lab", lambda folder: called.append(("lab", folder)))
    monkeypatch.setattr(notebooks, "make_figures", lambda folder: called.append(("figures", folder)))
    for arguments in (["lab"], ["lab", "here"], ["figures"], ["figures", "there"]):
        assert run(capsys, *arguments) == (0, "", "")
    assert called == [("lab", "mtworkbench-lab"), ("lab", "here"), ("figures", "figures"), ("figures", "there")]


@pytest.mark.long
def test_the_scores_of_multeval(shared, capsys, monkeypatch):
    monkeypatch.chdir(shared / "golden" / "data" / "csen")
    systems = ["--system", "baseline=hyp.baseline.opt*", "--system", "system 1=hyp.sys1.opt*"]
    metrics = ["--metric", "bleu", "--metric", "length", "--tokenize", "none"]
    found = run_json(capsys, "--reference", "ref.txt", *systems, *metrics, "--baseline", "baseline", *QUICK)
    case = json.loads((shared / "golden" / "multeval.json").read_text())["cases"][0]["expected"]
    for name, metric in found["metrics"].items():
        for system in metric["systems"]:
            expected = case[system["system"]][name]
            assert system["score"] == pytest.approx(expected["avg"], abs=5e-7)
            assert system["scores"] == pytest.approx(expected["scores_by_optimizer_run"], abs=5e-7)
            assert system["s_test"] == pytest.approx(expected["s_opt"], abs=5e-7)


def commands():
    """Every command of the program, and every study, with its parser."""
    _, outer = make_parser()
    inner = {f"study {name}": parser for name, parser in outer["study"].inner.items()}
    return outer | inner


def options_in(help):
    """The names of options that begin a line of help."""
    return re.findall(r"^  (?:-\w+.*, )?(-[-\w]+)", help, flags=re.MULTILINE)


def test_the_usual_help_is_one_screen(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "100")
    assert cli.main(["compare", "--help"]) == 0
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) <= 51
    assert shown.endswith("most people need. mtworkbench compare --help-all shows every option.\n")
    for option in ("FILE", "--metric", "--baseline", "--tokenize", "--documents", "--scores", "--format", "--output"):
        assert f"  {option}" in shown or f", {option}" in shown
    for option in ("--rng", "--trials", "--unit", "--margin", "--test-sets", "--statistics"):
        assert f"  {option}" in shown
    assert cli.main(["compare", "--help-all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 120


@pytest.mark.parametrize("command", commands())
def test_the_whole_help_has_every_option_and_the_usual_one_only_some_of_these(capsys, command):
    parser = commands()[command]
    shown = [one.option_strings for one in parser._actions if one.help is not argparse.SUPPRESS]
    known = {next((name for name in names if name.startswith("--")), names[0]) for names in shown if names}
    assert cli.main([*command.split(), "--help-all"]) == 0
    whole = capsys.readouterr().out
    assert sorted(options_in(whole)) == sorted(known)
    assert cli.main([*command.split(), "--help"]) == 0
    usual = capsys.readouterr().out
    assert set(options_in(usual)) == known - parser.rare
    assert (usual == whole) == known.isdisjoint(parser.rare)


def test_every_rare_option_is_one_of_compare():
    assert set(RARE) <= set(commands()["compare"]._option_string_actions)


def test_the_usual_help_does_not_end_within_parentheses(capsys):
    for command in commands():
        assert cli.main([*command.split(), "--help"]) == 0
        for text in re.split(r"\n(?=  -)|\n\n", capsys.readouterr().out):
            assert text.count("(") == text.count(")"), text


def test_every_fault_that_can_be_accepted_is_in_the_help(capsys):
    assert cli.main(["compare", "--help-all"]) == 0
    shown = "".join(capsys.readouterr().out.split())
    assert [code for code in ACCEPTABLE if code not in shown] == []


def test_metrics_are_in_the_help_as_they_say_themselves(capsys):
    assert cli.main(["compare", "--help-all"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    listed = "bleu, chrf, chrf:word_order=2, ter, nist, gtm, meteor, length"
    assert f"--metric NAME[:OPTION=VALUE,...] {listed}, or a column of scores (repeatable; default: " in shown
    assert listed == ", ".join(metric.help_line for metric in METRICS.values() if metric.help_line)


def test_the_usual_help_loads_no_numbers():
    """They take most of the time that it takes to show it."""
    program = "import sys; from mtworkbench.cli import main; main(['compare', '--help']); print({*sys.modules})"
    help = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "chrf:word_order=2" in help
    assert not {"'numpy'", "'pandas'"} & {*re.findall(r"'\w+'", help)}


def test_a_closed_standard_output_is_told(files, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert cli.main(["compare", *TWO, *QUICK]) == 2
    monkeypatch.undo()
    assert "cannot be written to standard output: it is closed" in capsys.readouterr().err
