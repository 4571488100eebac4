"""Each way in which people keep outputs and scores, from an empty folder with one command."""

import glob
import json
import re
import shlex
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from mtworkbench import cli
from mtworkbench.tables import format_comparison

from .layouts import LAYOUTS
from .layouts.texts import documents, lines, output, reference, scores

QUICK = ("--rng", "1", "--trials", "100", "--resamples", "20", "--format", "json")
TEXT_METRICS = {"BLEU": "bleu", "chrF2": "chrf", "TER": "ter"}


def as_shell(line):
    """The words of a command line; patterns without quotation marks become the names of files, as in a shell."""
    words = shlex.split(line, posix=False)
    for word in words:
        if "*" in word and not re.search("['\"]", word):
            yield from sorted(glob.glob(word))
        else:
            yield from shlex.split(word)


def run(command, capsys):
    """Run the lines of a command in the current folder; return what the last one finds."""
    for line in command.splitlines():
        program, *arguments = as_shell(line)
        assert program == "mtworkbench"
        asked = QUICK if arguments[0] == "compare" else ()
        status = cli.main([*arguments, *asked])
        out, err = capsys.readouterr()
        assert status == 0, err
    return json.loads(out)


def write(files):
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


@cache
def read_plainest(finds):
    """What the same texts and scores give in the plainest form: files of lines, and a table of scores."""
    of_text = [TEXT_METRICS[name] for name in finds.metrics if name in TEXT_METRICS]
    columns = [name for name in finds.metrics if name not in TEXT_METRICS]
    with TemporaryDirectory() as folder:
        place = Path(folder)
        arguments = ["compare"]
        (place / "ref").write_text(lines(reference()))
        (place / "docs").write_text(lines(documents()))
        if of_text:
            arguments += ["--reference", f"{place}/ref", "--metric", *of_text, *columns]
            arguments += ["--documents", f"{place}/docs"] if finds.documents else []
        rows = ["\t".join(("system", "run", "segment", *columns))]
        for system in finds.systems:
            for number in finds.runs:
                name = place / f"{system}.{number}"
                name.write_text(lines(output(system, number)))
                if of_text:
                    arguments += ["--system", f"{system}={name}"]
                for segment, score in enumerate(scores(system, number), start=1):
                    rows.append("\t".join(map(str, (system, number, segment, *[score] * len(columns)))))
        (place / "scores.tsv").write_text(lines(rows))
        arguments += ["--scores", f"{place}/scores.tsv"] if columns else []
        arguments += [part for column in columns for part in ("--direction", f"{column}=up")]
        result = place / "result.json"
        assert cli.main([*arguments, *QUICK, "--output", str(result)]) == 0
        return tell(json.loads(result.read_text()))


def tell(found):
    """What two readings must share: units, scores of runs, and differences with their p."""
    metrics = found["metrics"]
    return {
        "segments": found["n_segments"],
        "documents": found["n_documents"],
        "runs": {name: {one["system"]: one["scores"] for one in metric["systems"]} for name, metric in metrics.items()},
        "differences": {
            (name, *sorted((pair["a"], pair["b"]))): (abs(pair["difference"]), pair["p_value"], pair["method_p_value"])
            for name, metric in metrics.items()
            for pair in metric["comparisons"]
        },
    }


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.id)
def test_a_layout_is_read_as_its_plainest_form(layout, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(layout.files())
    if layout.python:
        *before, last = layout.python.splitlines()
        names = {}
        exec("\n".join(before), names)
        found = json.loads(format_comparison(eval(last, names), "json"))
    else:
        found = run(layout.command, capsys)
    told, plainest = tell(found), read_plainest(layout.finds)
    assert told["segments"] == layout.finds.n_segments
    assert list(told["runs"]) == list(layout.finds.metrics)
    for scores_of_runs in told["runs"].values():
        assert {name: len(runs) for name, runs in scores_of_runs.items()} == {
            name: len(layout.finds.runs) for name in layout.finds.systems
        }
    common = {key for key in told["differences"] if key in plainest["differences"]}
    assert common
    for key in common:
        assert told["differences"][key] == plainest["differences"][key]
    assert told["runs"] == plainest["runs"]
    assert told["documents"] == plainest["documents"]
