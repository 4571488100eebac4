"""The command that measures speed runs, and the pages on speed show what it stored; no time is tested."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from benchmarks.speed import from_texts, measure, page
from mtworkbench.metrics.words import number_references

ROOT = Path(__file__).parents[1]
STORED = ROOT / "benchmarks" / "speed" / "results"
PAGE = ROOT / "docs" / "performance.md"
SHIPPED_TEXTS = len(from_texts.METRICS)


def read_pages(short):
    return "".join(path.read_text(encoding="utf-8") for path in page.find_pages(short))


def shown_works(short):
    """Return what the long tables of a page name, table by table."""
    blocks = {match["name"]: match[3].splitlines() for match in page.PLACE.finditer(read_pages(short))}
    return {kind: [line.split(" | ")[0].removeprefix("| ") for line in blocks[kind][2:]] for kind in page.TABLES}


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Run the command once, at a tiny size."""
    folder = tmp_path_factory.mktemp("speed")
    command = [sys.executable, "-m", "benchmarks.speed", "--quick", "--to", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


@pytest.mark.long
def test_the_command_writes_the_page_with_all_tables_and_its_figure(quick):
    folder, printed = quick
    results = page.load_results(folder)
    assert list(results["table"].columns) == list(measure.COLUMNS)
    assert shown_works(folder / PAGE.name) == {
        kind: results["table"].query("kind == @kind")["work"].tolist() for kind in page.TABLES
    }
    assert all(work in printed for work in results["table"]["work"])
    assert set(results["growth"]["axis"]) == {"segments", "systems", "runs", "sets"}
    assert set(results["growth"]["status"]) == {0}
    assert results["waits"]["mebibytes"].gt(5).all()
    assert (folder / page.FIGURE).stat().st_size > 10_000


@pytest.mark.long
def test_the_page_has_the_rows_of_the_command(quick):
    """Texts that do not ship may follow those that do."""
    table = page.load_results(quick[0])["table"]
    shown = shown_works(PAGE)
    shown[measure.TEXTS], further = shown[measure.TEXTS][:SHIPPED_TEXTS], shown[measure.TEXTS][SHIPPED_TEXTS:]
    assert shown == {kind: table.query("kind == @kind")["work"].tolist() for kind in page.TABLES}
    assert [work.partition(":")[0] for work in further] == [*from_texts.METRICS] * (len(further) // SHIPPED_TEXTS)


def test_the_page_shows_the_stored_results_and_no_other_numbers():
    for path in page.find_pages(PAGE):
        text = path.read_text(encoding="utf-8")
        assert page.write_page(text, page.load_results(STORED)) == text, path.name
    assert {match["name"] for match in page.PLACE.finditer(read_pages(PAGE))} == set(page.BLOCKS)


def test_the_short_page_leads_to_every_table():
    short = PAGE.read_text(encoding="utf-8")
    assert {f"tables/{path.name}" for path in page.find_pages(PAGE)[1:]} == set(
        re.findall(r"\]\((tables/[^)#]+)", short)
    )
    assert len(re.sub(r"<!--.*?-->|\]\([^)]*\)|[|*`#-]", " ", short).split()) < 1300  # five minutes


def test_the_answer_has_the_ratios_of_each_kind_of_work():
    """Of statistics from texts, the lowest and the highest; what has no ratio is not there."""
    columns = {"kind": page.STATISTICS, "peer": "sacreBLEU", "at_most": np.nan, "peer_seconds": 2.0, "seconds": 0.5}
    rows = [
        {"work": "bootstrap", "ratio": 4.0, "at_least": 5.0},
        {"work": "simulation", "ratio": np.nan, "at_least": np.nan, "at_most": 0.3},
        {"work": "BLEU: short texts", "kind": page.TEXTS, "ratio": 12.0, "at_least": 7.0},
        {"work": "BLEU: long texts", "kind": page.TEXTS, "ratio": 30.0, "at_least": 7.0},
        {"work": "bootstrap", "kind": page.PEERS, "peer": "nltk", "ratio": 1234.0, "at_least": np.nan},
    ]
    results = {"table": pd.DataFrame([columns | row for row in rows])}
    assert page.write_answer(results).splitlines()[2:] == [
        "| bootstrap | sacreBLEU | 4.0 | 5 or more |",
        "| statistics of BLEU from texts (2 texts) | sacreBLEU | 12 to 30 | 7 or more |",
        "| bootstrap | nltk | 1,230 | - |",
    ]
    goals = "Of the 4 goals (2 for resampling, 2 for texts), 2 are missed: bootstrap; simulation."
    assert page.describe_goals(results) == goals
    assert "Resampling is 4.0 to 4.0 times as fast as with sacreBLEU" in page.describe_in_short(results).replace(
        "\n", " "
    )


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Return the command's module, which measures nothing but what is stored, and has results and page elsewhere."""
    monkeypatch.setattr(os, "environ", dict(os.environ))  # importing it sets variables
    module = importlib.import_module("benchmarks.speed.__main__")
    without_given = page.load_results(STORED)
    table, machine = without_given["table"], without_given["machine"]
    table.loc[table["kind"] == measure.PEERS, ["seconds", "peer_seconds", "ratio"]] = [1.0, np.nan, np.nan]
    table.loc[table["kind"] == measure.STATISTICS, "seconds"] = 1.0
    without_given["table"] = table.drop(table.index[table["kind"] == measure.TEXTS][SHIPPED_TEXTS:])
    without_given["machine"] = machine[~machine["what"].isin(["nltk", "compare-mt", "numpy (other tools)"])]
    monkeypatch.setattr(module, "measure_all", lambda asked: without_given)
    for name, path in {"RESULTS": STORED, "PAGE": PAGE.parent}.items():
        (tmp_path / name).mkdir()
        for file in path.glob("*.csv") if name == "RESULTS" else page.find_pages(PAGE):
            (tmp_path / name / file.relative_to(path)).parent.mkdir(exist_ok=True)
            shutil.copy(file, tmp_path / name / file.relative_to(path))
    monkeypatch.setattr(module, "RESULTS", tmp_path / "RESULTS")
    monkeypatch.setattr(module, "PAGE", tmp_path / "PAGE" / PAGE.name)
    return module


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_quick_run_writes_only_where_it_is_told_to(command, tmp_path):
    before = contents(tmp_path)
    command.main(["--quick"])
    assert contents(tmp_path) == before
    command.main(["--quick", "--to", str(tmp_path / "new")])
    assert before.items() < contents(tmp_path).items()
    new = page.load_results(tmp_path / "new")["table"]
    assert new.loc[new["kind"] == measure.PEERS, "ratio"].isna().all()


def test_a_run_keeps_the_rows_that_it_was_not_asked_for(command):
    before = page.load_results(STORED)
    command.main([])
    after = page.load_results(command.RESULTS)
    measured = after["table"]["kind"] == measure.STATISTICS
    assert set(after["table"].loc[measured, "seconds"]) == {1.0}
    for kind in (measure.TEXTS, measure.PEERS):
        rows = [one["table"][one["table"]["kind"] == kind].reset_index(drop=True) for one in (before, after)]
        pd.testing.assert_frame_equal(*rows)
    assert dict(after["machine"].to_numpy()) == dict(before["machine"].to_numpy())
    for path in page.find_pages(command.PAGE):
        text = path.read_text(encoding="utf-8")
        assert page.write_page(text, after) == text


@pytest.mark.parametrize(
    ("changed", "met"),
    [
        ({"ratio": 50.0, "at_least": 50.0}, True),
        ({"ratio": 49.9, "at_least": 50.0}, False),
        ({"seconds": 0.3, "at_most": 0.3}, True),
        ({"seconds": 0.31, "at_most": 0.3}, False),
        ({"ratio": 50.0}, None),
        ({"at_least": 50.0}, None),
    ],
)
def test_a_row_is_met_at_what_is_expected(changed, met):
    nothing = dict.fromkeys(("seconds", "ratio", "at_least", "at_most"), float("nan"))
    assert measure.is_met(pd.Series(nothing | changed)) is met


def test_both_sides_forget_texts():
    """Else the second turn would time a look-up."""
    tokenize = Tokenizer13a()
    tokenize("one two")
    number_references("13a", False, (("one two",),))
    caches = [type(tokenize).__call__, number_references]
    assert all(cache.cache_info().currsize for cache in caches)
    measure.forget()
    assert not any(cache.cache_info().currsize for cache in caches)
