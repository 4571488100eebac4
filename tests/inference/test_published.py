"""The numbers of the original tools on real outputs."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from mtworkbench.inference import compare
from mtworkbench.metrics import Bleu, Length
from mtworkbench.segment_statistics import compute_statistics


def lines_of(path):
    return path.read_text(encoding="utf-8-sig").removesuffix("\n").split("\n")


def read_frame(reference, systems):
    """An outputs frame of files of one segment a line; systems are lists of runs."""
    references = lines_of(reference)
    frames = []
    for system, runs in systems.items():
        for run, path in enumerate(runs, start=1):
            rows = {"segment": np.arange(1, len(references) + 1), "reference": references, "system": system}
            frames.append(pd.DataFrame(rows | {"run": run, "hypothesis": lines_of(path)}, dtype=object))
    return pd.concat(frames, ignore_index=True).astype({"segment": np.int64, "run": np.int64})


def test_randomization_agrees_with_multeval_on_wmt17(shared):
    folder = shared / "realdata" / "wmt17-en-de-16systems"
    with (folder / "published_pvalues.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    published = {row["system"]: float(row["multeval_AR_p_BLEU"]) for row in rows}
    [baseline] = {row["baseline"] for row in rows}
    frame = read_frame(
        folder / "ref" / "newstest2017.ref.de",
        {system: [folder / "sys" / system] for system in (baseline, *published)},
    )
    found = compare(compute_statistics(frame, Bleu(tokenize="none")), baseline, unit="segment", n_resamples=400, rng=1)
    pairs = found.metrics["BLEU"].comparisons
    assert {pair.a for pair in pairs} == set(published) and len(pairs) == 15
    for pair in pairs:
        p = published[pair.a]
        assert abs(pair.p_value - p) <= 4 * np.sqrt(2 * p * (1 - p) / 10_000), pair


@pytest.fixture(scope="module")
def multeval(shared):
    cases = json.loads((shared / "golden" / "multeval.json").read_text(encoding="utf-8"))["cases"]
    [case] = [case for case in cases if case["id"] == "csen-readme-table"]
    folder = shared / "golden"
    frame = read_frame(
        folder / case["inputs"]["refs"][0],
        {name: [folder / path for path in case["inputs"][f"{name}_runs"]] for name in ("baseline", "system1")},
    )
    statistics = [compute_statistics(frame, metric) for metric in (Bleu(tokenize="none"), Length())]
    expected = {"baseline": case["expected"]["baseline"], "system1": case["expected"]["system 1"]}
    return statistics, expected


@pytest.mark.parametrize("metric", ["BLEU", "Length"])
def test_table_of_multeval(multeval, metric):
    statistics, expected = multeval
    found = compare(statistics, "baseline", n_resamples=10_000, n_trials=100, rng=1).metrics[metric]
    for system in found.systems:
        published = expected[system.system][metric]
        assert system.scores == pytest.approx(published["scores_by_optimizer_run"], abs=6e-7)
        assert system.score == pytest.approx(published["avg"], abs=6e-7)
        assert system.s_test == pytest.approx(published["s_opt"], abs=6e-7)
        assert system.s_sel == pytest.approx(published["s_sel"], rel=published["s_sel_tolerance_rel"])


def test_length_of_multeval_exchanged_by_run_and_by_unit(multeval):
    """MultEval prints 0.089: the second of its pseudo-systems gets the inverse permutation of runs."""
    [_, lengths], _ = multeval
    by_run, by_unit = (
        compare(lengths, "baseline", exchange=exchange, n_resamples=400, n_trials=n_trials, rng=1)
        for exchange, n_trials in (("run", 100_000), ("unit", 10_000))
    )
    assert by_run.metrics["Length"].comparisons[0].p_value == pytest.approx(0.100, abs=0.004)
    assert by_unit.metrics["Length"].comparisons[0].p_value == pytest.approx(0.29, abs=0.02)


@pytest.mark.parametrize("opt", [0, 1, 2])
def test_single_runs_of_multeval(shared, opt):
    cases = json.loads((shared / "golden" / "multeval.json").read_text(encoding="utf-8"))["cases"]
    [case] = [case for case in cases if case["id"] == f"csen-single-opt{opt}"]
    folder = shared / "golden"
    frame = read_frame(
        folder / case["inputs"]["refs"][0],
        {name: [folder / case["inputs"][f"{name}_runs"][0]] for name in ("baseline", "system1")},
    )
    statistics = [compute_statistics(frame, metric) for metric in (Bleu(tokenize="none"), Length())]
    found = compare(statistics, "baseline", n_resamples=400, rng=1)
    for metric, comparison in found.metrics.items():
        published = case["expected"]["system 1"][metric]
        [pair] = comparison.comparisons
        assert pair.p_value == pytest.approx(published["p_value"], abs=published["p_tolerance_abs"])
