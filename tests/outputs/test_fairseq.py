"""What fairseq leaves is read as outputs: the best hypothesis of each sentence, in the order of their numbers."""

import warnings

import pytest

from mtworkbench.errors import DataWarning
from mtworkbench.outputs.files.fairseq import is_fairseq
from mtworkbench.outputs.text import read_outputs, read_run_by_run

from .reading import noticing, refusal

TARGETS = ["The cat sees the old dog.", "A dog runs in the red house.", "The new cat sleeps on it."]
HYPOTHESES = ["The cat sees a dog.", "A dog runs to the house.", "The cat sleeps on it."]


def lines_of(number, hypothesis=None, *, detokenized=True):
    """What fairseq writes of one sentence, with the second best hypothesis after the best."""
    best = HYPOTHESES[number] if hypothesis is None else hypothesis
    lines = [f"S-{number}\tein Satz", f"T-{number}\t{TARGETS[number]}"]
    for text in (best, "the second best"):
        tokens = text.lower().replace(".", " .") if detokenized else text
        lines += [f"H-{number}\t-0.25\t{tokens}", *([f"D-{number}\t-0.25\t{text}"] if detokenized else [])]
        lines += [f"P-{number}\t-0.1000 -0.2000"]
    return lines


def write(path, *sentences):
    log = ["2026-01-01 | INFO | fairseq_cli.generate | loading model(s)"]
    end = ["Generate test with beam=5: BLEU4 = 20.00, 50.0/30.0/20.0/10.0"]
    path.write_text("".join(f"{line}\n" for line in [*log, *sum(sentences, []), *end]))
    return path


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ref.txt").write_text("".join(f"{line}\n" for line in TARGETS))
    write(tmp_path / "new.txt", lines_of(2), lines_of(0), lines_of(1))
    return tmp_path


@pytest.mark.parametrize("detokenized", [True, False])
def test_the_best_hypotheses_are_read_in_the_order_of_their_numbers(files, detokenized):
    write(files / "base.txt", *(lines_of(number, detokenized=detokenized) for number in (1, 2, 0)))
    outputs, noticed = noticing(read_outputs, "ref.txt", {"base": "base.txt"})
    assert outputs["hypothesis"].tolist() == HYPOTHESES
    assert not noticed
    [run] = read_run_by_run("ref.txt", {"base": "base.txt"})
    assert run["hypothesis"].tolist() == HYPOTHESES


def test_its_targets_are_the_reference_where_no_other_is_named(files):
    outputs, noticed = noticing(read_outputs, "new.txt", {"new": "new.txt"})
    assert outputs["reference"].tolist() == TARGETS
    assert outputs["hypothesis"].tolist() == HYPOTHESES
    assert noticed["fairseq"].message == (
        "The reference was taken from the targets (T-) in new.txt. Words that fairseq's vocabulary lacks are <unk> "
        "there: better give the reference's own file."
    )


def test_a_sentence_without_a_hypothesis_is_refused(files):
    write(files / "base.txt", lines_of(2), lines_of(0))
    error = refusal(read_outputs, "ref.txt", {"base": "base.txt"})
    assert (error.code, str(error)) == (
        "fairseq",
        "base.txt is a log of fairseq-generate, but number 1 of its 3 sentences has no hypothesis (H- or D-): write "
        "the file again, with all sentences (without --skip-invalid-size-inputs-valid-test).",
    )
    write(files / "base.txt", lines_of(0), lines_of(1), lines_of(2)[:2])  # a log that was cut
    assert "number 2 of its 3 sentences has no hypothesis" in str(
        refusal(read_outputs, "ref.txt", {"base": "base.txt"})
    )


def test_a_fault_is_found_in_the_line_of_the_file(files):
    write(files / "base.txt", lines_of(2), lines_of(0), lines_of(1, "a &quot;dog&quot; runs"))
    _, noticed = noticing(read_outputs, "ref.txt", {"base": "base.txt"})
    line = noticed["html-entities"].line
    assert (files / "base.txt").read_text().split("\n")[line - 1] == "D-1\t-0.25\ta &quot;dog&quot; runs"


@pytest.mark.parametrize(
    "lines",
    [
        ["H-1\tis a line of a table", "H-2\tis one, too"],
        ["H-1\t-0.5\tA line of text.", *["Another line."] * 3],
        ["S-1\ta", "T-1\tb"],
        ["D-Day was in 1944."],
    ],
)
def test_other_lines_are_text(files, lines):
    (files / "ref.txt").write_text("".join(f"{line}\n" for line in lines))
    assert not is_fairseq("ref.txt")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        assert read_outputs("ref.txt", {"a": "ref.txt"})["hypothesis"].tolist() == lines
