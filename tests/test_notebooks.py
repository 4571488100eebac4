"""The machinery around the notebooks, on tiny ones; and the form of those that ship (nbval runs these)."""

import ast
import base64
import io
import os
import re
import runpy
import subprocess
import sys
import threading
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import matplotlib as mpl
import nbformat
import numpy as np
import pytest
from matplotlib import pyplot as plt
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

import mtworkbench
from mtworkbench import find_shipped, notebooks
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.papers import clark2011
from mtworkbench.papers.simulation.equal_methods import VarianceComponents, make_equal_methods

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "refresh_notebooks.py"))
refresh_notebooks, normalize_notebook = SCRIPT["refresh_notebooks"], SCRIPT["normalize_notebook"]
shrink_pictures = SCRIPT["shrink_pictures"]
SHIPPED = sorted((ROOT / "notebooks").glob("*.ipynb"))

SAVE_TABLE = """\
import pandas as pd
from mtworkbench import save_table
text = open("../data/sample/reference.txt").read()
save_table(pd.DataFrame({"words": [len(text.split())]}), "STEM")"""
SAVE_FIGURE = """\
import matplotlib.pyplot as plt
from mtworkbench import save_figure
axes = plt.subplot()
save_figure(axes, "fig_1")"""
FAILING_WIDGET = """\
from ipywidgets import interactive
interactive(lambda x: 1 / x, x=(0, 1))"""


def write_notebook(path: Path, *sources: str) -> None:
    cells = [cell for source in sources for cell in (new_markdown_cell("Prose."), new_code_cell(source))]
    nbformat.write(new_notebook(cells=cells), path)


@pytest.fixture
def repository(tmp_path, monkeypatch) -> Path:
    """A made-up repository whose notebooks and data are those that ship."""
    folder = tmp_path / "repository"
    (folder / "notebooks").mkdir(parents=True)
    (folder / "data" / "sample").mkdir(parents=True)
    (folder / "data" / "sample" / "reference.txt").write_text("a few words\n")
    write_notebook(folder / "notebooks" / "00_start.ipynb", SAVE_TABLE.replace("STEM", "table_1"))
    monkeypatch.setattr("mtworkbench.shipped.find_packaged", lambda name: folder / name)
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_copies_are_complete_and_carry_nothing_stray(repository, tmp_path):
    (repository / "notebooks" / "figures").mkdir()
    (repository / "notebooks" / "figures" / "stray.pdf").touch()
    assert notebooks.copy_shipped(tmp_path / "mine") == []
    copied = files_of(tmp_path / "mine")
    assert set(copied) == {"notebooks/00_start.ipynb", "data/sample/reference.txt"}
    assert copied.items() <= files_of(repository).items()


def test_changed_files_of_the_reader_are_kept(repository, tmp_path):
    mine = tmp_path / "mine"
    notebooks.copy_shipped(mine)
    (mine / "notebooks" / "00_start.ipynb").write_text("my own")
    (mine / "data" / "sample" / "reference.txt").unlink()
    assert notebooks.copy_shipped(mine) == [mine / "notebooks" / "00_start.ipynb"]
    assert (mine / "notebooks" / "00_start.ipynb").read_text() == "my own"
    assert (mine / "data" / "sample" / "reference.txt").exists()


def test_a_folder_that_cannot_be_written_to_is_said(repository, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot be made \(Not a directory\)"):
        notebooks.copy_shipped(tmp_path / "file")


def test_lab_opens_on_the_copies(repository, tmp_path, monkeypatch):
    options = []
    monkeypatch.setattr("jupyterlab.labapp.LabApp.launch_instance", options.extend)
    notebooks.open_lab(tmp_path / "mine")
    assert f"--ServerApp.root_dir={tmp_path / 'mine'}" in options
    assert "--ServerApp.ip=127.0.0.1" in options
    assert "--LabApp.default_url=/lab/tree/notebooks/00_start.ipynb" in options
    assert ("--allow-root" in options) == (os.geteuid() == 0)


def test_jupyter_is_loaded_without_the_grammar_of_web_addresses_which_can_be_loaded_later():
    program = """
import sys
from mtworkbench.notebooks import _quick_jupyter
with _quick_jupyter():
    from jupyterlab.labapp import LabApp
before = "rfc3987_syntax" in sys.modules
import rfc3987_syntax
with _quick_jupyter():
    after = sys.modules["rfc3987_syntax"] is rfc3987_syntax
print(before, after, sys.modules["rfc3987_syntax"] is rfc3987_syntax)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False True True\n"


def test_notebooks_of_a_lab_read_its_data(repository, tmp_path, monkeypatch):
    """They read the data of the package, whatever a student changed in the copies."""
    mine, found = tmp_path / "mine", []
    monkeypatch.setattr(
        "jupyterlab.labapp.LabApp.launch_instance", lambda options: found.append(find_shipped("data/sample"))
    )
    notebooks.open_lab(mine)
    assert found == [mine / "data" / "sample"]
    assert find_shipped("data/sample") == repository / "data" / "sample"


def test_a_notebook_that_was_only_read_is_saved_as_it_was(tmp_path):
    stored = {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"}}
    (tmp_path / "notebooks").mkdir()
    nbformat.write(new_notebook(metadata=stored), tmp_path / "notebooks" / "one.ipynb")
    opened = {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)"}, "toc": {"x": 1}}
    opened["language_info"] = {"name": "python", "version": "3.13.1"}
    model = {"type": "notebook", "content": {"cells": [], "metadata": dict(opened)}}
    manager = SimpleNamespace(root_dir=str(tmp_path))
    notebooks.keep_metadata(path="/notebooks/one.ipynb", model=model, contents_manager=manager)
    assert model["content"]["metadata"] == stored | {"toc": {"x": 1}}
    for other in ({"kernelspec": {"name": "julia"}}, {}):
        model["content"]["metadata"] = opened | other if other else {}
        notebooks.keep_metadata(path="notebooks/one.ipynb", model=model, contents_manager=manager)
        assert model["content"]["metadata"] == (opened | other if other else {})
    model["content"]["metadata"] = dict(opened)
    notebooks.keep_metadata(path="new.ipynb", model=model, contents_manager=manager)
    assert model["content"]["metadata"] == opened
    notebooks.keep_metadata(path="x.txt", model={"type": "file", "content": "text"}, contents_manager=manager)


def test_lab_says_which_files_it_kept(repository, tmp_path, monkeypatch):
    monkeypatch.setattr("jupyterlab.labapp.LabApp.launch_instance", lambda options: None)
    mine = tmp_path / "mine"
    notebooks.copy_shipped(mine)
    (mine / "notebooks" / "00_start.ipynb").write_text("my own")
    sentence = (
        f"In {str(mine)!r} these files differ from those that ship with mtworkbench, and were kept: "
        "notebooks/00_start.ipynb. Move them away to get the shipped ones."
    )
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        notebooks.open_lab(mine)
    assert (caught[0].message.code, caught[0].message.count) == ("kept", 1)


@pytest.mark.parametrize("function", [notebooks.open_lab, notebooks.make_figures, refresh_notebooks])
def test_missing_packages_are_named(function, monkeypatch, tmp_path):
    monkeypatch.setattr(notebooks, "find_spec", lambda name: None if name == "nbclient" else name)
    sentence = "The notebooks need nbclient, which is not installed: pip install 'mtworkbench[lab]'."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        function(tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


@pytest.mark.long
def test_figures_of_all_notebooks_come_together(repository, tmp_path):
    write_notebook(repository / "notebooks" / "01_more.ipynb", SAVE_FIGURE, SAVE_TABLE.replace("STEM", "table_2"))
    before = files_of(repository)
    written = notebooks.make_figures(tmp_path / "figures")
    names = {"table_1.csv", "table_1.tex", "table_2.csv", "table_2.tex", "fig_1.pdf", "fig_1.png", "fig_1.svg"}
    assert {path.name for path in written} == names == set(files_of(tmp_path / "figures"))
    assert (tmp_path / "figures" / "table_1.csv").read_text() == "words\n3\n"
    assert files_of(repository) == before


@pytest.fixture
def running(repository, monkeypatch):
    """Two notebooks, on two cores; what replaces running one may be set."""
    write_notebook(repository / "notebooks" / "01_more.ipynb", "2 + 2")
    monkeypatch.setattr(notebooks.os, "cpu_count", lambda: 2)
    return SimpleNamespace(replace=lambda run: monkeypatch.setattr(notebooks, "run_notebook", run))


def test_notebooks_run_at_the_same_time_each_in_a_folder_of_its_own(running):
    both, folders, finished = threading.Barrier(2), set(), []

    def run(path, notebook, count, n_threads):
        both.wait(60)
        folders.add(path.parent)
        assert (path.parent / "../data/sample/reference.txt").exists()
        assert n_threads == 1
        count()

    running.replace(run)
    notebooks.run_copies(lambda path, notebook: finished.append((path.name, len(notebook.cells))))
    assert len(folders) == 2
    assert finished == [("00_start.ipynb", 2), ("01_more.ipynb", 2)]


def test_the_last_notebook_begins_first_and_the_first_is_finished_first(running, monkeypatch):
    monkeypatch.setattr(notebooks.os, "cpu_count", lambda: 1)
    begun, finished = [], []
    running.replace(lambda path, *_: begun.append(path.name))
    notebooks.run_copies(lambda path, notebook: finished.append(path.name))
    assert (begun, finished) == (["01_more.ipynb", "00_start.ipynb"], ["00_start.ipynb", "01_more.ipynb"])


def test_a_notebook_that_fails_ends_the_others_after_their_cell(running):
    begun, failed, ended, finished = threading.Event(), threading.Event(), [], []

    def run(path, notebook, count, n_threads):
        if path.name == "00_start.ipynb":
            begun.wait(60)
            raise ValueError("this one fails")
        begun.set()
        failed.wait(60)
        try:
            count()
        except CancelledError:
            ended.append(path.name)
            raise

    running.replace(run)

    class Stopped(threading.Event):
        def set(self):
            super().set()
            failed.set()

    with mock.patch.object(notebooks, "Event", Stopped), pytest.raises(ValueError, match="this one fails"):
        notebooks.run_copies(lambda path, notebook: finished.append(path.name))
    assert (ended, finished) == (["01_more.ipynb"], [])


@pytest.mark.long
def test_two_notebooks_do_not_write_one_file(repository, tmp_path):
    write_notebook(repository / "notebooks" / "01_more.ipynb", SAVE_TABLE.replace("STEM", "table_1"))
    with pytest.raises(RuntimeError, match=r"^00_start\.ipynb and 01_more\.ipynb both write table_1\.csv\.$"):
        notebooks.make_figures(tmp_path / "figures")


@pytest.mark.long
@pytest.mark.parametrize(
    ("source", "sentence"),
    [("1 / 0", "ZeroDivisionError"), (FAILING_WIDGET, "A widget of 01_bad.ipynb failed: ZeroDivisionError")],
    ids=["cell", "widget"],
)
def test_a_failing_notebook_is_named_and_earlier_figures_are_there(repository, tmp_path, source, sentence):
    write_notebook(repository / "notebooks" / "01_bad.ipynb", source)
    with pytest.raises(Exception, match=sentence) as caught:
        notebooks.make_figures(tmp_path / "figures")
    assert "01_bad.ipynb" in str(caught.value) + "".join(getattr(caught.value, "__notes__", []))
    assert set(files_of(tmp_path / "figures")) == {"table_1.csv", "table_1.tex"}


@pytest.mark.long
def test_refreshed_notebooks_have_results_and_repeat(repository):
    path = repository / "notebooks" / "00_start.ipynb"
    slider = "import ipywidgets as W\nW.IntSlider(3)"
    write_notebook(path, "print(6 * 7)", slider, "1 + 1")
    refresh_notebooks(repository / "notebooks")
    once = path.read_bytes()
    refresh_notebooks(repository / "notebooks")
    assert path.read_bytes() == once
    refreshed = nbformat.read(path, as_version=4)
    code = [cell for cell in refreshed.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [1, 2, 3]
    assert [len(cell.outputs) for cell in code] == [1, 0, 1]
    assert code[0].outputs[0].text == "42\n"
    assert set(refreshed.metadata) == {"kernelspec", "language_info"}
    assert form_faults(refreshed) == []


def test_stored_pictures_have_a_palette():
    pictures = {}
    for name, alpha in (("opaque", 255), ("shining through", 100)):
        content = io.BytesIO()
        image = np.full((40, 60, 4), (0, 114, 178, alpha), dtype=np.uint8)
        image[10:20] = (213, 94, 0, alpha)
        Image.fromarray(image).save(content, "png")
        pictures[name] = base64.b64encode(content.getvalue()).decode("ascii")
    outputs = [new_output("display_data", data={"image/png": picture}) for picture in pictures.values()]
    notebook = new_notebook(cells=[new_markdown_cell(""), new_code_cell("draw()", outputs=outputs)])
    shrink_pictures(notebook)
    opaque, through = (output.data["image/png"] for output in outputs)
    shrunk = Image.open(io.BytesIO(base64.b64decode(opaque)))
    assert shrunk.mode == "P"
    assert {color for _, color in shrunk.convert("RGB").getcolors()} == {(0, 114, 178), (213, 94, 0)}
    assert through == pictures["shining through"]


def test_what_a_cell_prints_is_stored_as_one_output_until_something_is_shown():
    printed = [("stdout", "one\n"), ("stdout", "two\n"), ("stderr", "three\n"), ("stdout", "four\n")]
    outputs = [new_output("stream", name=name, text=text) for name, text in printed]
    outputs.insert(1, new_output("display_data", data={"text/html": "<b>seven</b>"}))
    outputs += [new_output("stream", name="stdout", text=text) for text in ("five\n", "six\n")]
    # Where a bar was, on a slow machine; and where the controls of an explorer were.
    outputs.insert(0, new_output("display_data", data={"text/html": "", "text/plain": ""}))
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "text/plain": ""}
    outputs.insert(3, new_output("display_data", data=view))
    notebook = new_notebook(cells=[new_code_cell("draw()", outputs=outputs)])
    normalize_notebook(notebook)
    shown = [output.get("text", output.output_type) for output in notebook.cells[0].outputs]
    assert shown == ["one\n", "display_data", "two\n", "three\n", "four\nfive\nsix\n"]
    nbformat.validate(notebook)


def test_a_stored_picture_is_kept_once_where_it_has_an_alternative_text():
    figure = plt.figure()
    content = io.BytesIO()
    figure.savefig(content, format="png")
    plt.close(figure)
    picture = base64.b64encode(content.getvalue()).decode("ascii")
    html = f'<img alt="seven" src="data:image/png;base64,{picture}">'
    outputs = [
        new_output("display_data", data={"image/png": picture, "text/html": html}),
        new_output("display_data", data={"image/png": picture, "text/html": "<b>seven</b>"}),
    ]
    notebook = new_notebook(cells=[new_code_cell("draw()", outputs=outputs)])
    normalize_notebook(notebook)
    shrink_pictures(notebook)
    assert [set(output.data) for output in outputs] == [{"text/html"}, {"image/png", "text/html"}]
    stored = outputs[0].data["text/html"]
    alt, source = re.fullmatch(r'<img alt="(\w+)" src="data:image/png;base64,(.*)">', stored).groups()
    assert alt == "seven"
    assert Image.open(io.BytesIO(base64.b64decode(source))).mode == "P"
    shrink_pictures(notebook)
    assert outputs[0].data["text/html"] == stored


def form_faults(notebook: nbformat.NotebookNode) -> list[str]:
    """Say what in a notebook departs from the form that CONTRIBUTING.md asks for, as far as a program can see it."""
    faults = [] if len(notebook.cells) <= 25 else [f"{len(notebook.cells)} cells, at most 25"]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if [cell.execution_count for cell in code] != list(range(1, len(code) + 1)):
        faults.append("not executed from top to bottom: make notebooks")
    for before, cell in zip([None, *notebook.cells], notebook.cells, strict=False):
        if cell.cell_type == "code":
            faults += [f"{fault}: {cell.source!r}" for fault in cell_faults(cell)]
            if before is None or before.cell_type != "markdown":
                faults.append(f"no prose before {cell.source!r}")
    normal = nbformat.from_dict(notebook)
    normalize_notebook(normal)
    return faults if normal == notebook else [*faults, "carries what differs from run to run: make notebooks"]


def cell_faults(cell: nbformat.NotebookNode) -> list[str]:
    faults = ["stored error" for output in cell.outputs if output.output_type == "error"]
    lines = [line for line in cell.source.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    # A method in plain numpy is read line by line; what else a cell does should be read at a glance.
    most = 10 if "method" in cell.metadata.get("tags", []) else 5
    if len(lines) > most:
        faults.append(f"{len(lines)} lines, at most {most}")
    if cell.source.rstrip().endswith(";"):
        faults.append("a trailing ; hides nothing from nbval")
    for node in ast.walk(ast.parse(cell.source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            faults.append(f"defines {node.name}")
        if isinstance(node, ast.NamedExpr):
            faults.append(f"names {ast.unparse(node.target)} inside of an expression")
        if isinstance(node, ast.keyword) and node.arg == "rng" and not is_integer(node.value):
            faults.append("rng is not a literal integer")
    return faults


def is_integer(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_notebooks_keep_the_form(path):
    assert path.stat().st_size < 330_000
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert form_faults(notebook) == []
    assert notebook.cells[0].source.startswith("# ")
    assert not re.search(r"/home/|/tmp/|/root/", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("runs_a", "runs_b"), [(5, 3), (2, 3), (1, 4), (1, 1)])
def test_notebook_07_runs_with_any_numbers_of_runs(runs_a, runs_b, tmp_path, monkeypatch, capsys):
    """It stopped at tests of unequal numbers of runs, and of one run."""
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    made = make_equal_methods(VarianceComponents(0.5, 0.4, 0.5), 40, 5, rng=1)
    numbers = {"first": runs_a, "second": runs_b}
    few = {name: made.values[name][:runs] for name, runs in numbers.items()}
    names = {"test": {"mine": [replace(made, values=few)]}, "display": print}
    names |= {"mtw": mtworkbench, "clark2011": clark2011, "np": np}
    notebook = nbformat.read(ROOT / "notebooks" / "07_randomization.ipynb", as_version=4)
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    for part in ("take_first(", "exchange_masks(", "left_out", "tabulate_tests(", "describe_spending(crossed)"):
        (source,) = [source for source in sources if part in source]
        exec(source, names)
    plt.close("all")
    said = capsys.readouterr().out
    assert f"With {min(runs_a, runs_b)} run" in said
    assert said.count("Equal to the package: True") == (2 if min(runs_a, runs_b) > 1 else 1)
    assert ("need at least two runs of each system" in " ".join(said.split())) == (min(runs_a, runs_b) == 1)
    assert ("make at least two runs of" in " ".join(said.split())) == (min(runs_a, runs_b) == 1)
    assert any((tmp_path / "figures").glob("clark2011_more_runs*")) == (min(runs_a, runs_b) > 1)


def test_a_method_does_not_say_how_many_sentences_a_sample_has():
    """A reader's sample may be smaller than the paper's."""
    for path in SHIPPED:
        for cell in nbformat.read(path, as_version=4).cells:
            if "method" in cell.metadata.get("tags", []):
                comments = [line for line in cell.source.splitlines() if line.lstrip().startswith("#")]
                assert not re.search(r"\d (sentences|segments)\b", " ".join(comments)), path.stem


def test_one_cell_is_copied_once():
    """The lines by which own outputs are read are the same wherever a notebook has nothing of its own to ask for."""
    blocks = {}
    for path in SHIPPED:
        (cell,) = [one for one in nbformat.read(path, as_version=4).cells if "data" in one.metadata.get("tags", [])]
        _, found, block = cell.source.partition("# Your own instead (the same lines in most notebooks):\n")
        blocks |= {path.stem[:2]: block} if found else {}
    assert set(blocks) >= {"00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "13", "14"}
    assert len(set(blocks.values())) == 1


@pytest.mark.parametrize(
    "stem", ["00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13", "14"]
)
def test_what_students_copy_needs_few_imports(stem):
    (path,) = (ROOT / "notebooks").glob(f"{stem}_*.ipynb")
    code = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
    imports = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    assert len([node for node in imports if node.module.startswith("mtworkbench")]) <= 2


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        ([new_code_cell("x = 1", execution_count=1)], "no prose before 'x = 1'"),
        ([new_markdown_cell(""), new_code_cell("x = 1")], "not executed from top to bottom: make notebooks"),
        ([new_markdown_cell("") for _ in range(26)], "26 cells, at most 25"),
        ([new_markdown_cell(""), new_code_cell("def f(): 1", execution_count=1)], "defines f: 'def f(): 1'"),
        (
            [new_markdown_cell(""), new_code_cell("f(rng=g)", execution_count=1)],
            "rng is not a literal integer: 'f(rng=g)'",
        ),
        (
            [new_markdown_cell(""), new_code_cell("f(x := 1)", execution_count=1)],
            "names x inside of an expression: 'f(x := 1)'",
        ),
        (
            [new_markdown_cell(""), new_code_cell("x\n" * 6, execution_count=1)],
            "6 lines, at most 5: 'x\\nx\\nx\\nx\\nx\\nx\\n'",
        ),
        (
            [new_markdown_cell(""), new_code_cell("x\n" * 11, execution_count=1, metadata={"tags": ["method"]})],
            "11 lines, at most 10: 'x\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\n'",
        ),
        (
            [new_markdown_cell(""), new_code_cell("f();", execution_count=1)],
            "a trailing ; hides nothing from nbval: 'f();'",
        ),
        (
            [new_markdown_cell(""), new_code_cell("1", execution_count=1, metadata={"execution": {}})],
            "carries what differs from run to run: make notebooks",
        ),
    ],
)
def test_faults_of_form_are_seen(cells, fault):
    notebook = new_notebook(cells=cells)
    if not fault.startswith("carries"):
        normalize_notebook(notebook)
    assert fault in form_faults(notebook)


@pytest.mark.long
def test_nbval_sees_a_wrong_and_a_missing_result(tmp_path):
    """Under the project's own settings; a notebook without execution counts would pass unseen."""
    stored = {"right": ("1 + 1", ["2"]), "wrong": ("1 + 1", ["3"]), "missing": ("1 + 1", [])}
    told = "import json, ipykernel.connect\njson.loads(ipykernel.connect.get_connection_info())['transport']"
    stored |= (
        {} if sys.platform == "win32" else {"files": (told, ["'ipc'"])}
    )  # as mtworkbench.notebooks starts a kernel
    for name, (source, texts) in stored.items():
        results = [new_output("execute_result", data={"text/plain": text}, execution_count=1) for text in texts]
        notebook = new_notebook(cells=[new_code_cell(source, execution_count=1, outputs=results)])
        nbformat.write(notebook, tmp_path / f"{name}.ipynb")
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "--rootdir", tmp_path, "--nbval", "-rA"]
    command += ["-p", "conftest", "-p", "no:cacheprovider", tmp_path]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    outcomes = {
        name: outcome for outcome, name in re.findall(r"^(PASSED|FAILED) .*?(\w+)\.ipynb::", run.stdout, re.MULTILINE)
    }
    assert outcomes == {name: "FAILED" if name in ("wrong", "missing") else "PASSED" for name in stored}, run.stdout
