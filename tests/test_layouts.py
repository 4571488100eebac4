"""Each way in which people keep outputs and scores, from an empty folder with one command."""

import importlib.util
import json
import warnings
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sacrebleu.dataset import DATASETS

from mtworkbench import cli
from mtworkbench.errors import DataWarning
from mtworkbench.tables import format_comparison

from .layouts import LAYOUTS
from .layouts.shell import as_shell, write
from .layouts.texts import SETS, lines, output, reference

ROOT = Path(__file__).parents[1]
QUICK = ("--rng", "1", "--trials", "100", "--resamples", "20", "--format", "json")
TEXT_METRICS = {"BLEU": "bleu", "chrF": "chrf", "TER": "ter"}


def run_command(command, capsys):
    """Run the lines of a command in the current folder; return what the last one finds."""
    for line in command.splitlines():
        program, *arguments = as_shell(line)
        assert program == "mtworkbench"
        status = cli.main([*arguments, *(QUICK if arguments[0] == "compare" else ())])
        out, err = capsys.readouterr()
        assert status == 0, err
    return json.loads(out)


def run_python(code):
    """Run lines of Python, of which the last is a comparison."""
    *before, last = code.splitlines()
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        exec("\n".join(before), names)
        return json.loads(format_comparison(eval(last, names), "json"))


def lay_out_plainly(finds, part=slice(None)):
    """The texts as one file per run, and scores as a table: files by name, and the arguments that name them."""
    columns = [name for name in finds.metrics if name not in TEXT_METRICS]
    documents = finds.documents and finds.documents()
    files = {"ref": lines(reference()[part]), "docs": lines(documents or ())}
    table = [("system", "run", "segment", *columns, *(["document"] if documents else []))]
    arguments = ["--reference", "ref", *(["--documents", "docs"] if documents else [])]
    for (called, system), number in product(finds.names.items(), finds.runs):
        files[f"{system}.{number}"] = lines(output(system, number)[part])
        arguments += ["--system", f"{called}={system}.{number}"]
        for segment, score in enumerate(finds.scores(system, number)):
            document = [documents[segment]] if documents else []
            table.append((called, number, segment + 1, *[score] * len(columns), *document))
    files["scores.tsv"] = lines("\t".join(map(str, row)) for row in table)
    return files, arguments, columns


@cache
def read_plainest(finds):
    """What the same texts and scores give in the plainest form."""
    files, named, columns = lay_out_plainly(finds)
    of_text = [TEXT_METRICS[name] for name in finds.metrics if name in TEXT_METRICS]
    arguments = [*(named if of_text else ()), "-m", *of_text, *columns]
    if columns:
        arguments += ["--scores", "scores.tsv"]
        arguments += [part for column in columns for part in ("--direction", f"{column}={finds.direction}")]
    if finds.several_sets:
        arguments, table = ["--test-sets", "sets.tsv"], ["set\treference\tsystem\tfiles"]
        for name, part in SETS.items():
            of_set, _, _ = lay_out_plainly(finds, part)
            files |= {f"{name}/{file}": text for file, text in of_set.items()}
            table += [f"{name}\t{name}/ref\t{system}\t{name}/{system}.1" for system in finds.systems]
        files["sets.tsv"] = lines(table)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        write(Path(folder), files)
        patch.chdir(folder)
        assert cli.main(["compare", *arguments, *QUICK, "--output", "result.json"]) == 0
        return tell(json.loads(Path("result.json").read_text()))


def tell(found):
    """What two readings must share: units, scores of runs, and differences with their p."""
    metrics = found["metrics"]
    return {
        "segments": found.get("n_segments"),
        "documents": found.get("n_documents"),
        "scores": {
            name: {one["system"]: one["scores"] for one in metric["systems"]} for name, metric in metrics.items()
        },
        "differences": {
            (name, *sorted((pair["a"], pair["b"]))): (abs(pair["difference"]), pair["p_value"])
            for name, metric in metrics.items()
            for pair in metric["comparisons"]
        },
    }


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.id)
def test_a_layout_is_read_as_its_plainest_form(layout, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    files = layout.files()
    write(tmp_path, files)
    for name in {Path(file).parts[1] for file in files if file.startswith(".sacrebleu/")}:
        monkeypatch.setattr(DATASETS[name], "_outdir", str(tmp_path / ".sacrebleu" / name))
    finds = layout.finds
    found = run_python(layout.python) if layout.python else run_command(layout.command, capsys)
    told, plainest = tell(found), read_plainest(finds)
    assert list(told["scores"]) == list(finds.metrics)
    for of_systems in told["scores"].values():
        assert of_systems.keys() == finds.names.keys()
    assert told["scores"] == plainest["scores"]
    assert (told["segments"], told["documents"]) == (plainest["segments"], plainest["documents"])
    if layout.command:
        counted = {"systems": len(finds.names), "runs": len(finds.names) * len(finds.runs)}
        counted |= {"documents": told["documents"], "segments": finds.n_segments}
        assert found["read_as"].items() >= counted.items()
    assert told["differences"]
    for pair, (difference, p_value) in told["differences"].items():
        assert difference == plainest["differences"][pair][0]
        assert layout.python or p_value == plainest["differences"][pair][1]  # Python draws as often as by default


IN_TWO_STEPS = ("seed-folders", "fairseq-generate", "wmt-sgml", "wmt-xml", "wmt24-text", "wmt26-jsonl", "json-lines")


@pytest.mark.parametrize("name", IN_TWO_STEPS)
def test_other_commands_take_the_same_files(name, tmp_path, monkeypatch, capsys):
    layout = next(one for one in LAYOUTS if one.id == name)
    monkeypatch.chdir(tmp_path)
    write(tmp_path, layout.files())
    first = layout.command.replace("compare", "statistics", 1)
    found = run_command(f"{first} -m bleu --output run.stats\nmtworkbench compare --statistics run.stats", capsys)
    assert tell(found) == read_plainest(layout.finds)
    assert cli.main(list(as_shell(layout.command.replace("compare", "check", 1)))[1:]) == 0


def test_the_page_is_written_from_the_layouts():
    found = importlib.util.spec_from_file_location("write_layouts", ROOT / "scripts" / "write_layouts.py")
    script = importlib.util.module_from_spec(found)
    found.loader.exec_module(script)
    page = script.PAGE.read_text(encoding="utf-8")
    assert page == script.write_page()
    for layout in LAYOUTS:
        for line in (layout.command or layout.python).splitlines():
            assert f"`{line}`" in page


def test_the_layouts_have_names_of_their_own():
    names = [layout.id for layout in LAYOUTS]
    assert len(set(names)) == len(names) >= 40
