"""What a campaign costs is predicted from stored costs of units, and the pages show that; no time is tested."""

import importlib
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from benchmarks.campaign_cost import page
from benchmarks.campaign_cost.made_up import METRICS, write_set
from benchmarks.campaign_cost.model import PREDICTED, Size, predict
from benchmarks.speed.page import find_pages
from mtworkbench import compute_statistics, read_outputs
from mtworkbench.inference.draws import DividedSet, blocks_of_trials

ROOT = Path(__file__).parents[1]
STORED = ROOT / "benchmarks" / "speed" / "results"
PAGE = ROOT / "docs" / "performance.md"
TINY = Size(n_sets=2, n_systems=3, n_segments=50, n_resamples=200, n_trials=300, n_workers=2)


def test_the_page_shows_the_stored_results_and_no_other_numbers():
    texts = [path.read_text(encoding="utf-8") for path in find_pages(PAGE)]
    assert [page.write_page(text, page.Results(STORED)) for text in texts] == texts
    assert {match["name"] for text in texts for match in page.PLACE.finditer(text)} == set(page.BLOCKS)


def test_the_measured_part_is_the_one_that_is_named_and_near_the_prediction():
    """Whoever measures again sees here whether the model still holds; a single kind of CPU time may vary more."""
    results = page.Results(STORED)
    assert results.size == page.PART
    predicted, measured = results.predict(results.size), results.measured
    ratios = {name: measured[name] / predicted[name] for name in PREDICTED if name not in page.TIMES}
    ratios["all CPU time"] = sum(measured[name] for name in page.TIMES) / sum(predicted[name] for name in page.TIMES)
    assert all(2 / 3 < ratio < 4 / 3 for ratio in ratios.values()), ratios
    assert all(1 / 2 < measured[name] / predicted[name] < 2 for name in page.TIMES)


@pytest.mark.long
@pytest.mark.skipif(find_spec("joblib") is None, reason="workers need the extra 'cluster'")
def test_the_command_writes_the_page_from_what_it_measured(tmp_path):
    command = [sys.executable, "-m", "benchmarks.campaign_cost", "--quick", "--to", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    results = page.Results(tmp_path)
    assert {metric for _, metric in results.costs} == {"", *METRICS}
    predicted = results.predict(results.size)
    for name in ("returned", "sent", "folder"):  # bytes do not depend on the machine
        assert results.measured[name] == pytest.approx(predicted[name], rel=0.25), name
    for path in find_pages(PAGE):
        written = (tmp_path / path.relative_to(PAGE.parent)).read_text(encoding="utf-8")
        assert written == page.write_page(path.read_text("utf-8"), results)


def test_the_page_can_be_written_from_stored_results(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))  # importing the command sets variables
    command = importlib.import_module("benchmarks.campaign_cost.__main__")
    for name in page.FILES:
        shutil.copy(STORED / f"{name}.csv", tmp_path)
    command.main(["--page-only", "--to", str(tmp_path)])
    for path in find_pages(PAGE):
        written = (tmp_path / path.relative_to(PAGE.parent)).read_text(encoding="utf-8")
        assert written == path.read_text(encoding="utf-8")


def test_the_model_divides_trials_as_the_campaign_does(tmp_path):
    texts = write_set(tmp_path, 1, 3, 50)
    statistics = compute_statistics(read_outputs(texts.reference, texts.systems), "bleu")
    sets = [DividedSet.of(statistics, None, "unit", "segment")] * 2
    for n_trials in (300, 10_000_000):
        size = replace(TINY, n_trials=n_trials)
        blocks = list(blocks_of_trials(0, n_trials, sets))
        assert (size.n_blocks, size.trials_of_part) == (len(blocks), blocks[0][1])


def test_a_prediction_adds_up_what_each_unit_costs():
    """Counted by hand: 2 sets x 3 systems x 50 segments are 300 outputs; 3 pairs; 2 + 1 units, for 2 workers."""
    found = page.Results(STORED).costs
    nothing = dict.fromkeys(found, 0.0)

    def only(name, what, metric=""):
        return predict(nothing | {(what, metric): 1.0}, ["bleu"], TINY)[name]

    assert only("statistics", "statistics", "bleu") == only("statistics", "read") == 300
    assert only("draws", "resample", "bleu") == 200 * 300
    assert only("draws", "set of resamples", "bleu") == 2
    assert only("draws", "draw that is not compiled") == 200 * 100
    assert only("draws", "trial", "bleu") == 300 * 300
    assert only("draws", "trial of a pair", "bleu") == 300 * 2 * 3
    assert only("draws", "set of trials", "bleu") == 2
    assert only("workers", "start") == only("main process", "begin") == 2
    assert only("main process", "pair", "bleu") == 2 * 3
    assert only("main process", "resample of a pair", "bleu") == 200 * 2 * 3
    assert only("main process", "keep a unit") == only("folder", "frame of a unit") - only("returned", "read") == 3
    # 15 comparisons: 3 pairs on each of 2 sets, over both, and on each among both; 4 families; 15 of 300 t are kept.
    assert only("returned", "read") == 8 * (2 * 3 * 200 + 4 * 15 + (4 * 15 + 15) * 15)
    assert only("sent", "bytes", "bleu") == 2 * 300
    with_two = predict(nothing | {("copies of a worker", ""): 3.0, ("bytes", "bleu"): 1.0}, ["bleu"], TINY)
    assert with_two["memory of a worker"] == 3 * 300 + 8 * 300 * 3 * 2  # copies, and the trials of both sets
    alone = predict(found, list(METRICS), replace(TINY, n_workers=1))
    assert not any(alone[name] for name in ("workers", "sent", "memory of a worker"))


def test_a_baseline_has_fewer_pairs():
    assert (page.WHOLE.n_pairs, replace(page.WHOLE, has_baseline=True).n_pairs) == (190, 19)


@pytest.mark.parametrize("first", [1, 2, 77, 5000])
def test_the_first_that_is_too_large_is_found(first):
    assert page.find_first(lambda number: number >= first, 5000) == first


def test_numbers_have_three_digits_that_count():
    assert [page.write_number(value) for value in (1234.5, 99.94, 0.12345)] == ["1,234", "99.9", "0.123"]
    assert [page.write_bytes(value) for value in (1.5e6, 2.345e9)] == ["1.50 MB", "2.35 GB"]
    assert np.isclose(page.MACHINE, 17.18e9, rtol=1e-3)
