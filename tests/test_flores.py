"""The readable sample, data/flores: what its data card says is so."""

import hashlib
import re

import pytest

from mtworkbench import read_outputs
from mtworkbench.metrics import make_metric
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.segment_statistics import compute_statistics

FOLDER = find_shipped("data/flores")
CARD = (FOLDER / "README.md").read_text(encoding="utf-8")
SYSTEMS = ("bergamot-base", "bergamot-base-memory", "bergamot-tiny")
FILES = [FOLDER / f"{name}.txt" for name in ("reference", *SYSTEMS)]


@pytest.fixture(scope="module")
def outputs():
    return read_outputs(FILES[0], dict(zip(SYSTEMS, FILES[1:], strict=True)), accept="invisible-chars")


def test_only_what_may_be_passed_on_ships():
    assert {path.name for path in FOLDER.iterdir()} == {"README.md", *(path.name for path in FILES)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_are_those_of_the_card(path):
    assert f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" in CARD
    text = path.read_bytes().decode()
    assert text.count("\n") == 1012 and text.endswith("\n") and "\r" not in text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_are_unchanged(path, shared):
    folder = shared / "realdata" / "long-de-en"
    part = "ref" if path.name == "reference.txt" else f"sys/{path.stem}"
    assert path.read_bytes() == (folder / part / "flores-test.en").read_bytes()


def test_scores_are_those_of_the_card(outputs):
    rows = {
        cells[0]: cells[1:]
        for cells in re.findall(r"^\| (berg\S+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", CARD, re.M)
    }
    metrics = [make_metric(name) for name in ("bleu", "chrf:word_order=2", "ter", "length")]
    scores = [compute_statistics(outputs, metric).score() for metric in metrics]
    assert rows == {name: tuple(f"{score[name][0, 0]:.2f}" for score in scores) for name in SYSTEMS}
    assert all(f"nrefs:1|{metric.signature.rsplit('|', 1)[0]}" in CARD for metric in metrics[:3])


def test_neither_documents_nor_source_are_known(outputs):
    assert not {"document", "source", "domain"} & set(outputs.columns)


def test_the_card_states_origin_terms_and_oddities():
    words = " ".join(CARD.split())
    for part in (
        "e7957fc",
        "CC-BY-SA-4.0",
        "MPL-2.0",
        "NLLB Team",
        "byte for byte",
        "intervals may be somewhat too narrow",
    ):
        assert part in words
    (line,) = (n for n, text in enumerate(FILES[0].read_text(encoding="utf-8").split("\n"), 1) if "\u200b" in text)
    assert f"Line {line} of the reference" in CARD
