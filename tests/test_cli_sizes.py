"""What is said of long work before it begins, what is refused, and ``--quiet``."""

import argparse
import io
import sys

import pytest

from mtworkbench import cli
from mtworkbench.cli import sizes
from mtworkbench.cli.compare import announce_pairs
from mtworkbench.cli.sizes import Size, announce_draws
from mtworkbench.cli.streams import hushed, make_bar
from mtworkbench.errors import InputError
from mtworkbench.shipped import find_shipped

QUICK = ["--resamples", "400", "--trials", "400", "--rng", "1"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A reference and two outputs in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("reference", "baseline.run1", "tweaked.run1"):
        lines = find_shipped(f"data/sample/{name}.txt").read_text(encoding="utf-8").splitlines()[:60]
        (tmp_path / f"{name[:4]}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


def run(capsys, *arguments):
    status = cli.main(["compare", *arguments])
    output, errors = capsys.readouterr()
    return status, output, errors.splitlines()


def options(**given):
    usual = {"baseline": None, "trials": None, "resamples": None, "level": 0.95, "study": None, "systems": None}
    usual |= {"all_pairs": False, "hypotheses": None, "conventions": False}
    return argparse.Namespace(**usual | given)


def test_small_work_is_not_announced(files, capsys):
    assert run(capsys, "refe.txt", "base.txt", "twea.txt", *QUICK)[2] == []


def test_each_stage_of_long_work_is_one_line(files, capsys, monkeypatch):
    for name, limit in {"LONG_TEXTS": 1, "LONG_SCORES": 120}.items():
        monkeypatch.setattr(sizes, name, limit)
    monkeypatch.setattr("mtworkbench.inference.draws.WORK_OF_PART", 2 * 60 * 400 + 500 * 400)
    two = ["refe.txt", "base.txt", "twea.txt", *QUICK]
    quiet = run(capsys, *two, "--quiet")
    status, output, errors = run(capsys, *two)
    assert errors == [
        "mtworkbench: reading and checking 2 outputs (0 MB) ...",
        "mtworkbench: computing BLEU for 2 outputs of 60 segments ...",
        "mtworkbench: drawing 400 trials for 1 comparison ...",
    ]
    assert quiet == (status, output, [])
    monkeypatch.setattr(sizes, "LONG_SCORES", 121)
    monkeypatch.setattr("mtworkbench.inference.draws.WORK_OF_PART", 2 * 60 * 400 + 500 * 400 + 1)
    assert len(run(capsys, *two)[2]) == 1


def test_ter_without_numba_says_what_is_faster(files, capsys, monkeypatch):
    monkeypatch.setattr(sizes, "LONG_SCORES", 1)
    monkeypatch.setattr("mtworkbench.metrics.ter.load_search", lambda products: None)
    errors = run(capsys, "refe.txt", "base.txt", "twea.txt", "-m", "ter", *QUICK)[2]
    assert errors == [
        "mtworkbench: computing TER for 2 outputs of 60 segments ...",
        "mtworkbench: without the package numba, TER takes 50 to 100 times as long: stop, and install it with pip "
        "install 'mtworkbench[fast]'.",
    ]


def test_very_many_pairs_are_said_before_anything_is_read(capsys):
    named = [(f"s{number}", "file") for number in range(500)]
    many = options(system=named, metric=["bleu", "chrf"])
    announce_pairs(many)
    assert capsys.readouterr().err == (
        "mtworkbench: 249,500 comparisons (124,750 pairs of 500 systems, by 2 metrics) with 10,000 trials or more will "
        "take long and about 25 GB of memory: with --baseline NAME there are 998 comparisons; --systems NAME ... "
        "compares only these; --trials N draws fewer trials.\n"
    )
    announce_draws(many, Size.of_systems(many, 500, 2, 1_000_000))
    assert capsys.readouterr().err.startswith("mtworkbench: drawing 10,000 trials or more for 249,500 comparisons (")
    announce_pairs(options(system=named, metric=None, baseline="s1"))
    announce_pairs(options(system=named, metric=None, hypotheses=["file"]))  # the first after -i is the baseline
    announce_pairs(options(system=named[:16], metric=None))
    announce_pairs(options(system=named[:1], metric=None))
    announce_pairs(options(system=None, metric=None))
    announce_pairs(options(system=named, metric=None, systems=["s1", "s2"]))
    assert capsys.readouterr().err == ""


@pytest.fixture(autouse=True)
def large_machine(monkeypatch):
    monkeypatch.setattr(sizes, "memory_of_machine", lambda: 26e9)


def test_what_cannot_be_held_is_refused(monkeypatch):
    many = options(system=[(f"s{number}", "file") for number in range(500)], metric=["bleu", "chrf"])
    monkeypatch.setattr(sizes, "memory_of_machine", lambda: 16e9)
    with pytest.raises(
        InputError,
        match=r"^249,500 comparisons \(124,750 pairs of 500 systems, by 2 metrics\) would take about 25 GB of memory, "
        r"but this machine has 16 GB: with --baseline NAME there are 998 comparisons; --systems NAME \.\.\. compares "
        r"only these; --trials N draws fewer trials\.$",
    ):
        announce_pairs(many)
    monkeypatch.setattr(sizes, "memory_of_machine", lambda: None)
    announce_pairs(many)


def test_what_cannot_be_held_is_refused_before_anything_is_read(files, capsys, monkeypatch):
    monkeypatch.setattr(sizes, "memory_of_machine", lambda: 1)
    (files / "short.txt").write_text("one line\n", encoding="utf-8")
    status, _, errors = run(capsys, "refe.txt", "base.txt", "twea.txt", "short.txt", *QUICK)
    assert (status, len(errors)) == (2, 1)
    assert errors[0].startswith(
        "mtworkbench: error: 3 comparisons (3 pairs of 3 systems) would take about 1 GB of memo"
    )


def test_what_would_take_days_is_refused_unless_it_is_a_study():
    # 10 million trials of 40 million outputs are 46,566 times 2**33.
    long = options(trials=10_000_000)
    size = Size.of_systems(long, 4, 1, 40_000_000, 2)
    with pytest.raises(
        InputError,
        match=r"^6 comparisons \(6 pairs of 4 systems, on 2 test sets\) with 10,000,000 trials would take days: with "
        r"--baseline NAME there are 3 comparisons; --systems NAME \.\.\. compares only these; --trials N draws fewer "
        r"trials; mtworkbench study campaign --workers N divides the work among processes\.$",
    ):
        announce_draws(long, size)
    announce_draws(options(trials=10_000_000, study="a study"), size)


def test_more_trials_than_can_be_made_are_refused_at_once(files, capsys):
    status, _, errors = run(capsys, "refe.txt", "base.txt", "twea.txt", "--trials", "999999999")
    assert status == 2
    assert errors == [
        "mtworkbench: error: Argument --trials: 999999999 are too many: at most 10,000,000 are drawn, and 100,000 "
        "trials find a p of 0.05 to within 0.0014 (see mtworkbench compare --help)."
    ]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("quiet", [True, False])
@pytest.mark.parametrize("stream", [Terminal(), io.StringIO(), None])
def test_a_bar_is_shown_on_a_terminal_unless_it_is_to_be_quiet(monkeypatch, quiet, stream):
    with monkeypatch.context() as patched, hushed(quiet):
        patched.setattr(sys, "stderr", stream)
        bar = make_bar("drawing", "draw")
        assert list(bar(range(3))) == [0, 1, 2]
    assert (bar is not iter) == (isinstance(stream, Terminal) and not quiet)


def test_quiet_leaves_out_warnings_and_not_errors(files, capsys):
    doubtful = (files / "base.txt").read_text(encoding="utf-8").replace("\n", " &quot;\n")
    (files / "base.txt").write_text(doubtful, encoding="utf-8")
    files = ["refe.txt", "base.txt", "twea.txt", *QUICK, "--format", "markdown"]
    loud, quiet = run(capsys, *files), run(capsys, *files, "-q")
    assert any("html-entities" in line or "HTML entities" in line for line in loud[2])
    assert quiet == (0, loud[1], [])
    assert run(capsys, "refe.txt", "missing.txt", "-q")[2]
