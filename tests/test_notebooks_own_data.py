"""The notebooks on other data than theirs: whoever replaces the cell with the data must not read a wrong word."""

import re
from pathlib import Path

import nbformat
import pytest

from .pages import read_page

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = sorted((ROOT / "notebooks").glob("*.ipynb"))

# What the systems that ship are called. A page about other systems may name them only where it says whose they are.
OF_THE_PAPERS = r"Spanish|Portuguese|Danish|Greek|German|Finnish|BTEC|WMT"
OF_THE_SAMPLES = r"tweaked|retrained|bergamot"
SOURCES = r"paper|made-up|made up|ships|shipped|this notebook|Koehn|Clark|sample|FLORES"

FLORES = """\
import mtworkbench as mtw
flores = mtw.find_shipped("data/flores")
names = {"my engine, with the settings of last year": "base", "new": "tiny", "x": "base-memory"}
files = {name: flores / f"bergamot-{file}.txt" for name, file in names.items()}
outputs = mtw.read_outputs(flores / "reference.txt", files, accept="invisible-chars")
"""
RUNS = """\
import mtworkbench as mtw
sample = mtw.find_shipped("data/sample")
names = {"first": "retrained", "second": "baseline"}
files = {name: sample / f"{file}.run*.txt" for name, file in names.items()}
outputs = mtw.read_outputs(sample / "reference.txt", files, documents=sample / "documents.txt")
"""
SINGLE = RUNS.replace("run*", "run1")
# One judgement for which lower is better, one of some segments only.
JUDGED = (
    FLORES
    + """\
import numpy as np
outputs = outputs[outputs["segment"] <= 150].reset_index(drop=True)
wrong = 5 - np.minimum(outputs["hypothesis"].str.len() % 7, 4)
outputs = outputs.assign(adequacy=5.0 - wrong.where(outputs["segment"] % 3 > 0), errors=wrong, comet=wrong / 7)
outputs["errors_direction"] = "down"
"""
)
# Scores without texts.
SCORES = JUDGED + 'outputs = outputs.drop(columns=["reference", "hypothesis"])\n'
STATISTICS = 'statistics = mtw.compute_statistics(outputs, "chrf")'
OTHER_DATA = {
    "00_start_here": [FLORES + 'baseline, metric = "x", "bleu"', RUNS + 'baseline, metric = "second", "chrf"'],
    "01_compare_your_systems": [
        RUNS + 'baseline, metric = "first", "chrf"',
        SCORES + 'baseline, metric = "x", mtw.MeanScore("comet")',
    ],
    "02_block_vs_broad": [FLORES + STATISTICS, RUNS + STATISTICS],
    "03_bootstrap_intervals": [FLORES + STATISTICS, RUNS + STATISTICS],
    "04_paired_significance": [FLORES + STATISTICS, RUNS + STATISTICS],
    "05_do_the_tests_hold": [FLORES + 'statistics = mtw.compute_statistics(outputs[outputs["system"] != "x"], "bleu")'],
    "06_optimizer_variance": [
        RUNS + 'test, dev = {"mine": [mtw.compute_statistics(outputs, "bleu")]}, {}',
        SINGLE + 'test, dev = {"mine": [mtw.compute_statistics(outputs, "chrf")]}, {}',
    ],
    "07_randomization": [
        RUNS + 'test, dev = {"mine": [mtw.compute_statistics(outputs, "bleu")]}, {}',
        SINGLE + 'test, dev = {"mine": [mtw.compute_statistics(outputs, "chrf")]}, {}',
    ],
    "08_metrics_up_close": [
        SINGLE
        + 'tokenize, language, outputs = "none", "en", outputs[outputs["segment"] <= 200]\n'
        + 'statistics = mtw.compute_statistics(outputs, "bleu:tokenize=none")',
        # A tokenizer that NIST does not have.
        SINGLE
        + 'tokenize, language, outputs = "char", "en", outputs[outputs["segment"] <= 200]\n'
        + 'statistics = mtw.compute_statistics(outputs, "bleu:tokenize=char")',
    ],
    "09_plan_a_test_set": [
        RUNS + 'statistics, baseline, margin = mtw.compute_statistics(outputs, "chrf"), "second", 0.5',
        FLORES + 'statistics, baseline, margin = mtw.compute_statistics(outputs, "bleu"), "x", 1',
        # Fewer documents than looks.
        SINGLE
        + 'outputs["document"] = (outputs["segment"] // 300).astype(str)\n'
        + 'statistics, baseline, margin = mtw.compute_statistics(outputs, "bleu"), "second", 1',
    ],
    "10_what_your_tool_reports": [
        FLORES + 'metric = "chrf"',
        RUNS + 'metric = "bleu"',
        SCORES + 'metric = mtw.MeanScore("comet")',
    ],
    "11_two_steps": [RUNS + 'outputs = outputs.drop(columns="document")'],
    "12_human_and_neural_scores": [
        JUDGED
        + 'human, further, other_judgements = "adequacy", ["comet"], []\n'
        + 'metrics = [mtw.compute_statistics(outputs, "chrf")]',
        JUDGED
        + 'human, further, other_judgements = "errors", [], []\n'
        + 'metrics = mtw.compute_statistics(outputs, ["ter", "bleu"])',
        # With one score besides the human one.
        SCORES + 'human, further, other_judgements, metrics = "adequacy", ["comet"], [], []',
    ],
    "14_every_claim": [
        RUNS + 'statistics = mtw.compute_statistics(outputs, "bleu")\ntest, dev = {"mine": [statistics]}, {}'
    ],
    "13_which_sentences": [
        FLORES + 'baseline, metric = "x", "ter"',
        RUNS + 'baseline, metric = "second", "chrf"',
        SINGLE + 'baseline, metric = "first", "length"',
        SCORES + 'baseline, metric = "x", mtw.MeanScore("comet")',
    ],
}
# Simulations and METEOR's large table take most of a page's time, and which systems a page names depends on neither.
SHORTER = {
    "05_do_the_tests_hold": [
        ("conclude_under_null(a, b, 300, ", "conclude_under_null(a, b, 300, n_repetitions=100, "),
        ("reuse_test_set(a, b, ", "reuse_test_set(a, b, n_repetitions=50, "),
    ],
    "07_randomization": [("n_repetitions=100", "n_repetitions=10")],
    "08_metrics_up_close": [('f"meteor:language={language}")', 'f"meteor:language={language},modules=exact stem")')],
    "10_what_your_tool_reports": [("n_repetitions=100", "n_repetitions=10")],
    "11_two_steps": [('"meteor"', '"meteor:modules=exact"')],
}


def data_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if "data" in cell.metadata.get("tags", [])]


def test_every_notebook_has_a_case():
    assert set(OTHER_DATA) == {path.stem for path in SHIPPED}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_one_cell_holds_the_data(path):
    (cell,) = data_cells(nbformat.read(path, as_version=4))
    assert cell.cell_type == "code"
    assert re.search("your own", cell.source, re.IGNORECASE)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_prose_names_systems_only_with_their_source(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"]
    for cell in cells:
        for paragraph in re.split(r"\n\n|\n- ", cell.source):
            if re.search(rf"\b({OF_THE_PAPERS}|{OF_THE_SAMPLES})\b", paragraph):
                assert re.search(SOURCES, paragraph), paragraph


@pytest.mark.long
@pytest.mark.parametrize(
    ("stem", "source"),
    [pytest.param(stem, cell, id=f"{stem}-{n}") for stem, cells in OTHER_DATA.items() for n, cell in enumerate(cells)],
)
def test_pages_on_other_data_run_and_do_not_name_the_systems_that_ship(
    stem, source, tmp_path, monkeypatch, own_figures
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    (tmp_path / "figures").mkdir()
    names: dict[str, object] = {}
    exec(source, names)  # noqa: S102  # what a user would type into the cell with the data
    page = read_page(stem, names, SHORTER.get(stem, []))
    prose, told = "", []
    for cell in nbformat.read(ROOT / "notebooks" / f"{stem}.ipynb", as_version=4).cells:
        prose = cell.source if cell.cell_type == "markdown" else prose
        if cell.cell_type == "code" and "data" not in cell.metadata.get("tags", []):
            told.append(prose)
    for before, cell in zip(told, page.cells, strict=True):
        if not re.search(r"\*?made-up|FLORES|claims|Table 4", before):
            for text in cell.printed:
                assert "package: False" not in text, cell.source
                if not text.startswith("In the paper's row"):
                    assert not re.search(rf"\b({OF_THE_PAPERS}|{OF_THE_SAMPLES})\b", text), cell.source
