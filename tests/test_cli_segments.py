"""``mtworkbench segments``: the segments that make a difference, from a terminal."""

import csv
import io
import json
import re
import subprocess
import sys
import warnings

import pytest

import mtworkbench as mtw
from mtworkbench import cli
from mtworkbench.shipped import find_shipped
from mtworkbench.words.frames import with_minus
from tests.test_tables_latex import compiled, needs_latex

FLORES = {
    name: str(find_shipped(f"data/flores/{name}.txt")) for name in ("reference", "bergamot-tiny", "bergamot-base")
}
BASE, TINY = "bergamot-base", "bergamot-tiny"
QUIET = ["--rng", "1", "--quiet"]
RUNS = re.compile(r"\x1b\[([0-9;]+)m(.*?)\x1b\[0m")


def read_flores():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)  # of invisible characters
        return mtw.read_outputs(FLORES["reference"], {name: FLORES[name] for name in (TINY, BASE)})


def run(capsys, *arguments):
    status = cli.main(["segments", *arguments])
    output, errors = capsys.readouterr()
    return status, output, errors


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A reference, three outputs, documents and scores in the current folder."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "ref": ["the cat sat on the mat", "a dog barked at it", "rain fell all day", "nobody came"],
        "base": ["a cat sat on a mat", "a dog barked", "rain fell all day", "no one came"],
        "new": ["the cat sat on the mat", "a dog barked at it", "rain fell all the day", "no one came"],
        "third": ["cat", "dog", "rain", "nobody"],
        "docs": ["one", "one", "two", "two"],
    }
    for name, lines in texts.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    rows = [f"{name}\t{number}\t{score}\n" for name, scores in SCORES.items() for number, score in enumerate(scores, 1)]
    (tmp_path / "comet.tsv").write_text("system\tsegment\tcomet\n" + "".join(rows))
    return tmp_path


SCORES = {"base": [0.5, 0.6, 0.9, 0.7], "new": [0.9, 0.7, 0.8, 0.7]}
TWO = ["ref.txt", "base.txt", "new.txt"]


def test_numbers_are_those_of_the_browser(capsys):
    status, output, _ = run(capsys, *FLORES.values(), *QUIET, "--format", "json", "--first", "7")
    assert status == 0
    found = json.loads(output)
    assert (found["schema"], found["a"], found["b"], found["rng"]) == (1, BASE, TINY, 1)
    outputs = read_flores()
    statistics = mtw.compute_statistics(outputs, "bleu")
    browser = mtw.explore_segments(outputs, statistics, BASE, TINY, rng=1)
    [metric] = found["metrics"].values()
    expected = browser.frame.head(7)
    assert [one["segment"] for one in metric["segments"]] == expected["segment"].tolist()
    for name in ("contribution", "change", "hypothesis", "hypothesis_baseline", "reference"):
        assert [one[name] for one in metric["segments"]] == expected[name].tolist()
    assert f"{metric['difference']:+.2f}" == browser.about["difference"]
    assert with_minus(metric["headline"][0]) == browser.about["sentence"]
    buckets = mtw.analyses.bucket_segments(outputs, statistics, BASE, TINY, rng=1)
    assert [one["difference"] for one in metric["buckets"]] == buckets["difference"].tolist()
    assert sum(one["contribution"] for one in metric["buckets"]) == pytest.approx(metric["difference"])
    browser._receive(None, {"kind": "ngrams", "of": "all", "order": 0}, None)
    listed = [one["ngram"] for side in ("new", "baseline") for one in browser.ngrams[side][:7]]
    assert [one["ngram"] for one in metric["ngrams"]] == listed


def test_a_table_for_a_paper_is_the_one_that_the_browser_copies(capsys):
    outputs = read_flores()
    browser = mtw.explore_segments(outputs, mtw.compute_statistics(outputs, "bleu"), BASE, TINY, rng=1)
    for form in ("LaTeX", "Markdown"):
        copied = browser.write(form, first=3).split("\n\n", 1)[-1].rstrip()
        _, written, _ = run(capsys, *FLORES.values(), *QUIET, "--format", form.lower(), "--first", "3")
        assert copied in written
    tsv = browser.write("TSV", first=3)
    _, written, _ = run(capsys, *FLORES.values(), *QUIET, "--format", "tsv", "--first", "3")
    rows = list(csv.DictReader(io.StringIO(written), delimiter="\t"))
    assert {row.pop("metric") for row in rows} == {"BLEU"}
    assert rows == list(csv.DictReader(io.StringIO(tsv), delimiter="\t"))


def test_the_text_says_how_concentrated_the_difference_is(capsys):
    _, output, _ = run(capsys, *FLORES.values(), *QUIET)
    said = " ".join(output.split())
    statistics = mtw.compute_statistics(read_flores(), "bleu")
    frame = mtw.analyses.segment_contributions(None, statistics, BASE, TINY)
    largest = frame["contribution"].sort_values(ascending=False)
    enough = next(n for n in range(1, 1000) if largest.head(n).sum() >= frame["contribution"].sum())
    assert f"The 10 listed add up to {largest.head(10).sum():+.2f}." in said
    assert f"The {enough} that favour {BASE} most add up to as much as the whole difference." in said
    assert output.count("\nSegment ") == 10
    assert "Whether the difference may be due to chance: mtworkbench compare." in said


def test_words_that_differ_are_marked_with_signs(files, capsys):
    status, output, errors = run(capsys, *TWO, "-m", "chrf", "--documents", "docs.txt", *QUIET)
    assert (status, errors) == (0, "")
    block = output.split("\n\n")[2].splitlines()
    assert re.fullmatch(r"Segment 1: \+\d+\.\d+ chrF, document one", block[0])
    assert block[1:] == [
        "  reference  the cat sat on the mat",
        "  base       [-a-] cat sat on [-a-] mat",
        "  new        {+the+} cat sat on {+the+} mat",
    ]
    assert "{+...+}: in the reference, not in the other output; [-...-]: neither" in output
    assert "\x1b" not in output


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_shows_colours_unless_its_user_wants_none(files, monkeypatch, environment, coloured):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    assert cli.main(["segments", *TWO, "-m", "chrf", *QUIET]) == 0
    [line] = [one for one in terminal.getvalue().splitlines() if one.startswith("  base") and "cat" in one]
    assert RUNS.findall(line) == ([("4;31", "a"), ("4;31", "a")] if coloured else [])
    assert ("Bold green: in the reference" in terminal.getvalue()) == coloured
    assert ("[-a-]" in line) != coloured


def test_a_file_has_no_colours(files, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert cli.main(["segments", *TWO, *QUIET, "--output", "found.txt"]) == 0
    assert "\x1b" not in (files / "found.txt").read_text()
    assert "{+the+} cat" in (files / "found.txt").read_text()


def test_the_first_of_two_is_the_baseline_and_of_more_two_are_named(files, capsys):
    assert "new - base is" in run(capsys, *TWO, *QUIET)[1]
    assert "base - new is" in run(capsys, *TWO, "--baseline", "new", *QUIET)[1]
    three = [*TWO, "third.txt"]
    assert "third - base is" in run(capsys, *three, "--pair", "base", "third", *QUIET)[1]
    assert "base - third is" in run(capsys, *three, "--pair", "base", "third", "--baseline", "third", *QUIET)[1]
    assert "third - new is" in run(capsys, *three, "--systems", "new", "third", *QUIET)[1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            [*TWO, "third.txt"],
            "There are 3 systems, base, new and third, but two are needed: name them with --pair NAME NAME, the "
            "baseline first",
        ),
        (["ref.txt", "new.txt"], "There is one system, 'new': name another one to compare it with"),
        ([*TWO, "--pair", "base", "nex"], "There is no system 'nex': did you mean 'new'?"),
        (
            [*TWO, "--pair", "base", "new", "--baseline", "x"],
            "The baseline 'x' is neither of the two systems of --pair",
        ),
        ([*TWO, "--baseline", "x"], "The baseline 'x' is not among the systems: name one of 'base', 'new'"),
        (["--scores", "comet.tsv"], "Scores alone have no texts: name the reference and the outputs, too"),
        ([*TWO, "--first", "0"], "--first"),
        ([*TWO, "--format", "csv"], "--format"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(files, capsys, arguments, sentence):
    status, output, errors = run(capsys, *arguments)
    assert (status, output) == (2, "")
    [line] = errors.splitlines()
    assert sentence in line


def test_scores_have_segments_too(files, capsys):
    _, output, _ = run(capsys, *TWO, "--scores", "comet.tsv", "-m", "comet", "--first", "2", *QUIET, "--format", "json")
    [metric] = json.loads(output)["metrics"].values()
    assert metric["difference"] == pytest.approx(0.1)
    assert [(one["segment"], one["contribution"]) for one in metric["segments"]] == [
        (1, pytest.approx(0.1)),
        (2, pytest.approx(0.025)),
    ]
    assert metric["segments"][0]["hypothesis"] == "the cat sat on the mat"
    _, both, _ = run(capsys, *TWO, "--scores", "comet.tsv", *QUIET)
    assert both.count("Segments that favour new most") == 2
    assert {"By BLEU, new - base is", "By comet, new - base is"} <= {*re.findall("^By .* is", both, re.MULTILINE)}


def test_segments_against_the_difference_are_not_listed_and_lower_may_be_better(files, capsys):
    _, output, _ = run(capsys, *TWO, "-m", "ter", "--format", "json", *QUIET)
    [metric] = json.loads(output)["metrics"].values()
    assert metric["difference"] < 0
    assert [one["segment"] for one in metric["segments"]] == [1, 2]
    assert all(one["contribution"] < 0 for one in metric["segments"])
    assert "Segments that favour new most (2 of 2 that do):" in run(capsys, *TWO, "-m", "ter", *QUIET)[1]
    assert "Segments that raise the difference most" in run(capsys, *TWO, "-m", "length", *QUIET)[1]


def test_equal_outputs_have_no_segments_to_list(files, capsys):
    (files / "same.txt").write_text((files / "base.txt").read_text())
    status, output, _ = run(capsys, "ref.txt", "base.txt", "same.txt", *QUIET)
    assert status == 0
    assert "4 make no difference" in output
    assert "\nSegment " not in output and "N-grams" not in output and "chosen because" not in output


def test_with_several_runs_it_says_whose_texts_are_shown(capsys):
    sample = find_shipped("data/sample/reference.txt").parent
    runs = {name: f"{sample}/{name}.run*.txt" for name in ("baseline", "retrained")}
    named = [part for name, files in runs.items() for part in ("--system", f"{name}={files}")]
    _, output, _ = run(capsys, "--reference", f"{sample}/reference.txt", *named, "--first", "1", *QUIET)
    outputs = mtw.read_outputs(f"{sample}/reference.txt", runs)
    statistics = mtw.compute_statistics(outputs, "bleu")
    browser = mtw.explore_segments(outputs, statistics, "retrained", "baseline", rng=1)
    said = " ".join(output.split())
    assert browser.about["runs"].replace("Texts, flags and n-grams", "Texts and n-grams") in said
    first = browser.frame.iloc[0]
    assert f"Segment {first['segment']}: +{first['contribution']:.3f} BLEU" in said
    plain = re.sub(r"\{\+|\+\}|\[-|-\]", "", said)
    assert f"retrained {first['hypothesis']}" in plain and f"baseline {first['hypothesis_baseline']}" in plain


def test_what_a_terminal_needs_is_loaded_and_no_more(files):
    program = (
        "import sys; from mtworkbench import cli; cli.main(['segments', 'ref.txt', 'base.txt', 'new.txt', '--quiet']); "
        "print({'ipywidgets', 'anywidget', 'matplotlib', 'IPython'} & set(sys.modules), file=sys.stderr)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stderr == "set()\n"


@needs_latex
def test_a_paper_takes_the_tables_of_several_metrics(files, capsys, tmp_path):
    _, latex, _ = run(capsys, *TWO, "-m", "bleu", "chrf", "--documents", "docs.txt", "--format", "latex", *QUIET)
    assert re.findall(r"\\label\{(.*?)\}", latex) == [
        *("segments-BLEU", "buckets-BLEU", "ngrams-BLEU"),
        *("segments-chrF", "buckets-chrF", "ngrams-chrF"),
    ]
    assert compiled(tmp_path, [latex]) == []
