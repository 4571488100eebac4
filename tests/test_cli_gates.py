"""``--fail-if``: the exit status for scripts, which asks the verdicts that the result carries."""

import pytest

from mtworkbench import cli
from mtworkbench.cli import gates
from mtworkbench.cli.parser import Parser
from mtworkbench.shipped import find_shipped
from mtworkbench.words.headlines import CONDITIONS, describe_failures
from tests.hand_made import comparison, pair, system

QUICK = ["--resamples", "400", "--trials", "400", "--rng", "1"]
NOT_SHOWN, SHOWN = {"p_adjusted": 0.4}, {"p_adjusted": 0.01, "verdict": "significant"}
UNDECIDED = {"p_adjusted": 0.05, "verdict": "undecided"}


def failures(condition, difference, *, higher_is_better=True, **figures):
    found = comparison(
        [system("base"), system("new", 27.16 + difference)],
        [pair("new", "base", difference, score_a=27.16 + difference, score_b=27.16, **figures)],
        higher_is_better=higher_is_better,
    )
    return describe_failures(found, condition)


METHOD = {"method_p_value": 0.01, "method_verdict": "significant"}
NOT_METHOD = {"method_p_value": 0.2, "method_verdict": "not significant"}


@pytest.mark.parametrize(
    "difference, figures, fails",
    [
        (1.0, SHOWN, set()),
        (1.0, NOT_SHOWN, {"not-better"}),
        (1.0, UNDECIDED, {"not-better"}),
        (1.0, SHOWN | METHOD, set()),
        (1.0, SHOWN | NOT_METHOD, {"not-better"}),
        (-1.0, SHOWN, {"worse", "not-better"}),
        (-1.0, UNDECIDED, {"not-better"}),
        (-1.0, SHOWN | METHOD, {"worse", "not-better"}),
        (-1.0, SHOWN | NOT_METHOD, {"not-better"}),
        (-1.0, NOT_SHOWN | METHOD, {"not-better"}),
        (0.0, {"conclusion": "copies"}, {"not-better"}),
    ],
)
def test_each_condition_asks_the_verdict_of_the_first_claim(difference, figures, fails):
    assert {one for one in ("worse", "not-better") if failures(one, difference, **figures)} == fails


def test_copies_are_equal():
    assert not failures("not-equal", 0.0, conclusion="copies")


def test_lower_may_be_better():
    assert failures("worse", 1.0, higher_is_better=False, **SHOWN)
    assert not failures("worse", -1.0, higher_is_better=False, **SHOWN)
    assert not failures("not-better", -1.0, higher_is_better=False, **SHOWN)


def test_the_sentence_names_systems_claim_and_metrics():
    assert failures("worse", -1.0, **SHOWN) == "on these outputs, new is shown to be worse than base by BLEU"
    method = SHOWN | {"method_p_value": 0.01, "method_verdict": "significant"}
    assert failures("worse", -1.0, **method) == "for the method, new is shown to be worse than base by BLEU"


def test_the_choices_are_those_of_the_words():
    parser = Parser(prog="x", usages=["x"], examples=[])
    gates.add_gate(parser.add_argument_group("result"))
    assert tuple(parser._option_string_actions["--fail-if"].choices) == tuple(CONDITIONS)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A reference, an output, one that lacks every fourth word, and a copy of the first, in the current folder."""
    monkeypatch.chdir(tmp_path)
    lines = find_shipped("data/sample/reference.txt").read_text(encoding="utf-8").splitlines()[:60]
    good = [" ".join(word for at, word in enumerate(line.split()) if at % 7 != 3) for line in lines]
    poor = [" ".join(word for at, word in enumerate(line.split()) if at % 4 != 3) for line in good]
    for name, texts in {"ref": lines, "good": good, "poor": poor, "copy": good}.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return tmp_path


def run(capsys, *arguments):
    status = cli.main(["compare", "ref.txt", *arguments, "--accept", "identical-systems", *QUICK])
    output, errors = capsys.readouterr()
    return status, output, errors


def test_the_status_is_1_where_a_system_is_worse(files, capsys):
    status, output, errors = run(capsys, "good.txt", "poor.txt", "--fail-if", "worse", "-m", "bleu", "chrf")
    assert status == 1
    assert "poor is shown to be worse" not in output and "good is shown to be better" in " ".join(output.split())
    assert errors.splitlines()[-1] == (
        "mtworkbench: --fail-if worse: on these outputs, poor is shown to be worse than good by BLEU and by chrF."
    )
    assert run(capsys, "good.txt", "poor.txt", "-m", "bleu", "chrf")[:2] == (0, output)
    assert run(capsys, "good.txt", "poor.txt", "--fail-if", "not-better", "-m", "bleu", "chrf")[2].splitlines()[-1] == (
        "mtworkbench: --fail-if not-better: on these outputs, poor is not shown to be better than good by BLEU or by "
        "chrF."
    )
    assert run(capsys, "poor.txt", "good.txt", "--fail-if", "worse")[0] == 0
    assert run(capsys, "poor.txt", "good.txt", "--fail-if", "not-better")[0] == 0


def test_the_result_is_written_as_always_and_in_quiet_the_line_is_said(files, capsys):
    status, output, errors = run(
        capsys, "good.txt", "poor.txt", "--fail-if", "not-better", "--output", "table.txt", "-q"
    )
    assert (status, output) == (1, "")
    assert "good is shown to be better" in " ".join((files / "table.txt").read_text().split())
    assert errors == (
        "mtworkbench: --fail-if not-better: on these outputs, poor is not shown to be better than good by BLEU.\n"
    )


def test_equality_needs_a_margin_and_copies_are_equal(files, capsys):
    status, _, errors = run(capsys, "good.txt", "poor.txt", "--fail-if", "not-equal", "--margin", "1")
    assert status == 1
    assert errors.splitlines()[-1] == (
        "mtworkbench: --fail-if not-equal: on these outputs, poor is not shown to be equal to good within 1 BLEU."
    )
    assert run(capsys, "good.txt", "poor.txt", "--fail-if", "not-equal", "--margin", "90")[0] == 0
    assert run(capsys, "good.txt", "copy.txt", "--fail-if", "not-equal", "--margin", "1")[0] == 0
    several = ["-m", "bleu", "chrf", "--margin", "bleu=1"]
    for arguments in (["--fail-if", "not-equal"], ["--fail-if", "not-equal", *several]):
        status, output, errors = run(capsys, "good.txt", "copy.txt", *arguments)
        metric = "chrF" if "chrf" in arguments else "BLEU"
        assert (status, output) == (2, "")
        assert errors.splitlines()[-1] == (
            f"mtworkbench: error: --fail-if not-equal needs a margin for {metric}: give it with --margin {metric}=X "
            "(see mtworkbench compare --help)."
        )


def test_what_no_verdict_can_answer_is_refused(files, capsys):
    three = ["good.txt", "poor.txt", "copy.txt"]
    baseline = "--fail-if compares systems with a baseline: name two systems, or the baseline with --baseline NAME"
    direction = "--fail-if worse needs to know which scores are better, but nothing says so for Length"
    for arguments, problem in (
        (three, baseline),
        (["good.txt"], baseline),
        (["good.txt", "--baseline", "good"], baseline),
        (["good.txt", "poor.txt", "-m", "length"], direction),
        (["good.txt", "poor.txt", "--conventions"], "--conventions cannot be combined with --fail-if"),
    ):
        status, output, errors = run(capsys, *arguments, "--fail-if", "worse")
        assert (status, output) == (2, "")
        assert errors.splitlines()[-1].startswith(f"mtworkbench: error: {problem}")
    assert run(capsys, *three, "--baseline", "poor", "--fail-if", "worse")[0] == 0


def test_several_sets_are_judged_by_their_mean(files, capsys):
    for name in ("ref", "good", "poor"):
        lines = (files / f"{name}.txt").read_text(encoding="utf-8").splitlines(keepends=True)
        (files / f"a.{name}").write_text("".join(lines[:30]), encoding="utf-8")
        (files / f"b.{name}").write_text("".join(lines[30:]), encoding="utf-8")
    rows = [f"{name}\t{name}.ref\t{system}\t{name}.{system}" for name in "ab" for system in ("good", "poor")]
    (files / "sets.tsv").write_text("\n".join(["set\treference\tsystem\tfiles", *rows, ""]))
    sets = ["--test-sets", "sets.tsv", "--baseline", "good", *QUICK]
    for command in (["compare"], ["study", "campaign"]):
        status = cli.main([*command, *sets, "--fail-if", "worse"])
        output, errors = capsys.readouterr()
        assert status == 1 and output
        assert errors.splitlines()[-1] == (
            "mtworkbench: --fail-if worse: for these test sets, poor is shown to be worse than good by BLEU."
        )
