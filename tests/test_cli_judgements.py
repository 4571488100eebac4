"""Judgements from a terminal: files in another order, of other segments, and the direction of their scores."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from mtworkbench import cli, read_table
from mtworkbench.errors import DataWarning
from mtworkbench.metrics import MeanScore
from mtworkbench.statistics.files import load_statistics, save_statistics
from mtworkbench.statistics.segment_statistics import compute_statistics

N = 40
TEXTS = "the cat sat on the mat\na dog barks loudly\nit rains in spring again\nthis is the end\n"


def judged(system, order, offset=0.0, name="s{}"):
    scores = [i + offset + i % 3 * 0.1 for i in order]
    return pd.DataFrame(
        {"system": system, "segment": [name.format(i) for i in order], "score": scores, "comet": scores}
    )


def save(path, *tables, columns=("comet",)):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        outputs = read_table(pd.concat(tables, ignore_index=True))
        save_statistics(path, *(compute_statistics(outputs, MeanScore(column)) for column in columns))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    a, b = judged("a", range(N)), judged("b", range(N)[::-1], 0.5)
    save("both.stats", a, b)
    save("a.stats", a)
    save("b.stats", b)
    save("other.stats", judged("b", range(N), 0.5, name="other-{}"))
    save("unknown.stats", a, b, columns=("score", "comet"))
    for name, table in (("numbered", a), ("more", b)):
        save(f"{name}.stats", table.assign(segment=np.arange(1, N + 1)))
    for name, text in (("ref", TEXTS), ("x", TEXTS.replace("dog", "cat")), ("y", TEXTS.replace("a", "the"))):
        (tmp_path / f"{name}.txt").write_text(text)


def run(capsys, *arguments):
    status = cli.main(arguments)
    output, errors = capsys.readouterr()
    return status, output, errors


def compared(capsys, *files, options=(), command="compare"):
    sources = [part for file in files for part in ("--statistics", file)]
    status, output, errors = run(capsys, command, *sources, "--rng", "1", "--format", "json", *options)
    assert (status, errors) == (0, "")
    found = json.loads(output)
    return found["metrics"], [warning["code"] for warning in found["warnings"]]


def p_value(metrics):
    (pair,) = metrics["comet"]["comparisons"]
    return pair["difference"], pair["p_value"]


def test_two_files_in_another_order_give_the_p_of_one_table(files, capsys):
    expected, codes = compared(capsys, "both.stats")
    assert "other-order" not in codes
    found, codes = compared(capsys, "a.stats", "b.stats")
    assert p_value(found) == p_value(expected)
    assert p_value(found)[1] < 0.001
    assert codes.count("other-order") == 1
    status, _, errors = run(capsys, "compare", "--statistics", "a.stats", "--statistics", "b.stats", "--rng", "1")
    assert status == 0
    assert errors.count("in a different order") == 1
    assert "The segments of 'b.stats' are in a different order from those of 'a.stats'" in errors


def test_other_segments_are_refused_and_numbers_alone_are_warned_of(files, capsys):
    status, output, errors = run(capsys, "compare", "--statistics", "a.stats", "--statistics", "other.stats")
    assert (status, output) == (2, "")
    assert errors == (
        "mtworkbench: error: 'a.stats' and 'other.stats' cover different segments (compared by id): 40 of the 40 "
        "segments of 'other.stats' are missing from 'a.stats'; the first is segment 1 ('other-0'). Statistics can be "
        "compared only if their segments, documents and references agree. To compare over several test sets, give "
        "files that hold the same systems: a.stats holds 'a', but other.stats holds 'b'.\n"
    )
    _, codes = compared(capsys, "numbered.stats", "more.stats")
    assert codes.count("unknown-identity") == 1


def test_an_unknown_direction_is_warned_of_once_and_can_be_told(files, capsys):
    status, output, errors = run(
        capsys, "compare", "--statistics", "unknown.stats", "--rng", "1", "--unit", "segment", "--interval", "jackknife"
    )
    assert status == 0
    assert errors.count("Nothing says whether higher or lower is better for the scores 'score'") == 1
    assert "--direction score=up or score=down" in errors
    assert (
        "\nscore, no direction is known (--direction score=up or score=down); " in output
        and "comet, higher is better" in output
    )
    for command in ("compare", "variance"):
        for direction, higher in (("up", True), ("down", False)):
            told = ["--direction", f"Score={direction}", "--direction", "comet=up"]
            metrics, codes = compared(capsys, "unknown.stats", options=told, command=command)
            assert metrics["score"]["higher_is_better"] is higher
            assert "unknown-direction" not in codes
    metrics, codes = compared(capsys, "unknown.stats")
    assert metrics["score"]["higher_is_better"] is None
    assert codes.count("unknown-direction") == 1
    # Scores have no need of a direction.
    status, _, errors = run(capsys, "score", "unknown.stats")
    assert (status, errors) == (0, "")


SHOULD_BE = "should be NAME=up or NAME=down, where NAME is a mean score"


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (
            ["scores=up"],
            "A direction was given for 'scores', but no mean score has this name: name one of 'score', 'comet'.",
        ),
        (["comet=high"], f"Argument --direction: 'comet=high' {SHOULD_BE}"),
        (["comet"], f"Argument --direction: 'comet' {SHOULD_BE}"),
        (["=up"], f"Argument --direction: '=up' {SHOULD_BE}"),
        (["comet=up", "comet=down"], "--direction gives both up and down for 'comet'"),
        (["comet=up", "COMET=down"], "--direction gives both up and down for 'COMET'"),
    ],
)
def test_a_direction_that_makes_no_sense_is_refused(told, sentence, files, capsys):
    options = [part for one in told for part in ("--direction", one)]
    status, output, errors = run(capsys, "compare", "--statistics", "unknown.stats", *options)
    assert (status, output) == (2, "")
    assert errors.strip().removesuffix(" (see mtworkbench compare --help).").endswith(f"error: {sentence}")


OUTPUTS = ["--reference", "ref.txt", "--system", "x=x.txt", "--system", "y=y.txt"]


@pytest.mark.parametrize("command", ["compare", "variance", "statistics"])
def test_metrics_of_texts_have_directions_of_their_own(command, files, capsys):
    options = ["--output", "texts.stats"] if command == "statistics" else []
    status, _, errors = run(capsys, command, *OUTPUTS, "--direction", "bleu=down", *options)
    assert status == 2
    assert errors == (
        "mtworkbench: error: A direction was given for 'bleu', but for BLEU higher is always better: omit it.\n"
    )


def test_a_direction_is_told_before_scores_are_computed(files, capsys, monkeypatch):
    """Formats that the terminal reads have no scores yet, so a reader is put in that adds them."""
    from mtworkbench.cli import options as cli_options
    from mtworkbench.cli.reading import read_named_outputs
    from mtworkbench.outputs.checks.frames import FrameRuns

    def read(options):
        return FrameRuns(read_named_outputs(options).assign(score=np.arange(8.0)))

    monkeypatch.setattr(cli_options, "read_named_runs", read)
    arguments = ["statistics", *OUTPUTS, "--metric", "mean:column=score", "--output", "texts.stats"]
    status, _, errors = run(capsys, *arguments)
    assert (status, errors.count("Nothing says whether")) == (0, 1)
    status, _, errors = run(capsys, *arguments, "--direction", "score=down")
    assert "Nothing says whether" not in errors
    (found,) = load_statistics("texts.stats")
    assert found.metric == MeanScore("score", higher_is_better=False)
