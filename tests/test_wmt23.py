"""The human and metric scores that ship, data/wmt23-en-de: what its data card says is so."""

import gzip
import hashlib
import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from mtworkbench import load_statistics, read_table
from mtworkbench.shipped import find_shipped

FOLDER = find_shipped("data/wmt23-en-de")
CARD = (FOLDER / "README.md").read_text(encoding="utf-8")
FILES = ("scores.tsv.gz", "text_metrics.stats")
COLUMNS = ["mqm", "da-sqm", "BLEU-refA", "chrF-refA", "COMET-refA"]
SCRIPT = Path(__file__).parent.parent / "scripts" / "make_wmt23_scores.py"


@pytest.fixture(scope="module")
def outputs():
    return read_table(FOLDER / FILES[0])


def test_only_what_may_be_passed_on_ships(outputs):
    assert {path.name for path in FOLDER.iterdir()} == {"README.md", *FILES}
    texts = {"source", "reference", "hypothesis"}
    assert not texts & set(outputs.columns)
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 1_500_000


@pytest.mark.parametrize("name", FILES)
def test_files_are_those_of_the_card(name):
    assert f"{hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()}  {name}" in CARD


def test_numbers_are_those_of_the_card(outputs):
    systems = outputs["system"].unique()
    assert (len(systems), outputs["segment"].nunique(), outputs["document"].nunique()) == (14, 557, 192)
    one = outputs[outputs["system"] == "AIRC"]
    assert one["domain"].value_counts().to_dict() == {"social": 212, "news": 139, "speech": 113, "user_review": 93}
    for column, number in zip(COLUMNS, (460, 549, 557, 557, 557), strict=True):
        assert set(outputs.groupby("system")[column].count()) == {number, 0}
        assert set(outputs[f"{column}_direction"]) == {"up"}
    unscored = {column: set(outputs[outputs[column].isna()]["system"]) for column in COLUMNS}
    assert all(unscored[column] == {"refA"} for column in COLUMNS[2:])
    judged = outputs.pivot(index="segment", columns="system", values="mqm").drop(columns="synthetic_ref").notna()
    assert (judged.all(axis=1) == judged.any(axis=1)).all()  # the same segments of every system
    assert "460 of 557 segments" in CARD and "549 of 557 segments" in CARD


def test_statistics_give_the_published_scores_of_segments(outputs):
    for statistics, column in zip(load_statistics(FOLDER / FILES[1]), ("BLEU-refA", "chrF-refA"), strict=True):
        assert len(statistics) == 12
        for name in statistics:
            found = statistics.metric.segment_score(statistics[name].values[0])
            wanted = outputs[outputs["system"] == name][column].to_numpy()
            differs = np.abs(found - wanted) > 1e-9
            # chrF counts the byte-order mark with which the first segment of this one begins.
            assert list(np.flatnonzero(differs)) == ([0] if (name, column) == ("AIRC", "chrF-refA") else [])


def test_scores_of_systems_are_the_published_ones(shared, outputs):
    folder = shared / "realdata" / "mt-metrics-eval" / "wmt23"
    bleu, chrf = load_statistics(FOLDER / FILES[1])
    means = outputs.groupby("system")[COLUMNS].mean()
    here = {
        "metric-scores/en-de/BLEU-refA": {name: bleu[name].score()[0, 0] for name in bleu},
        "metric-scores/en-de/chrF-refA": {name: chrf[name].score()[0, 0] for name in chrf if name != "AIRC"},
        "metric-scores/en-de/COMET-refA": means["COMET-refA"].dropna().to_dict(),
        "human-scores/en-de.mqm": means["mqm"].dropna().to_dict(),
        "human-scores/en-de.da-sqm": means["da-sqm"].dropna().to_dict(),
    }
    for name, scores in here.items():
        lines = (folder / f"{name}.sys.score").read_text(encoding="utf-8").splitlines()
        published = {system: float(score) for system, score in (line.split("\t") for line in lines)}
        assert scores == pytest.approx({system: published[system] for system in scores}, abs=1e-9)
    assert f"{chrf['AIRC'].score()[0, 0]:.5f} here" in CARD


@pytest.mark.long
def test_the_script_makes_these_files(shared, tmp_path):
    specification = importlib.util.spec_from_file_location("make_wmt23_scores", SCRIPT)
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    script.make_scores(shared / "realdata" / "mt-metrics-eval" / "wmt23", tmp_path)
    tables = [gzip.decompress((folder / FILES[0]).read_bytes()) for folder in (tmp_path, FOLDER)]
    assert tables[0] == tables[1]
    for made, ships in zip(*(load_statistics(folder / FILES[1]) for folder in (tmp_path, FOLDER)), strict=True):
        assert made == ships


def test_the_card_states_origin_terms_and_traps():
    words = " ".join(CARD.split())
    for part in ("e7f88b5", "Apache License 2.0", "Google LLC", "References as systems", "Paragraphs as segments"):
        assert part in words
    assert not re.search(r"/(home|tmp|root|work)/", CARD)
