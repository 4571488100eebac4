"""Scores of documents are those of their own segments, whatever the order and the names of the documents."""

import csv
import io
import json

import numpy as np
import pytest

from mtworkbench.metrics import Bleu, MeanScore
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.tables import format_scores, tabulate_scores

# Neither sorted nor in one piece each: documents come as zebra, Apple, mango, 10, 9.
DOCUMENTS = ["zebra", "Apple", "zebra", "mango", "Apple", "10", "mango", "9", "10", "zebra", "9", "9"]
ORDER = ["zebra", "Apple", "mango", "10", "9"]


@pytest.fixture
def bleu():
    draws = np.random.default_rng(6)
    values = {}
    for name, n_runs in (("one", 2), ("other", 1)):
        lengths = draws.integers(8, 30, (n_runs, len(DOCUMENTS)))
        totals = np.stack([lengths - order for order in range(4)], axis=-1)
        matches = draws.binomial(totals, [0.7, 0.5, 0.4, 0.3])
        values[name] = np.concatenate([lengths[..., None], lengths[..., None], matches, totals], axis=-1)
    return SegmentStatistics(Bleu(), values, of_documents())


def of_documents():
    return TestSet(np.arange(1, len(DOCUMENTS) + 1), np.array(DOCUMENTS, dtype=object), "references", 1)


def score_of_document(metric, run, name):
    """Score the segments of one document, found by their own labels."""
    totals = sum(segment for segment, document in zip(run, DOCUMENTS, strict=True) if document == name)
    return float(metric.score(totals))


def test_documents_in_no_order_have_the_scores_of_their_own_segments(bleu):
    frame = tabulate_scores([bleu], "document")
    found = {(row.system, row.run, row.document): row.score for row in frame.itertuples()}
    expected = {
        (system, number, name): score_of_document(bleu.metric, run, name)
        for system in bleu
        for number, run in enumerate(bleu.values[system], start=1)
        for name in ORDER
    }
    assert len(set(expected.values())) == 15
    assert found == pytest.approx(expected)
    assert frame["document"].tolist() == ORDER * 3


def test_the_mean_of_a_document_is_that_of_its_own_scores():
    scores = np.arange(12.0)
    values = {"one": np.stack([scores, np.ones(12)], axis=-1)[None]}
    statistics = SegmentStatistics(MeanScore(higher_is_better=True), values, of_documents())
    by_hand = {"zebra": 11 / 3, "Apple": 2.5, "mango": 4.5, "10": 6.5, "9": 28 / 3}
    frame = tabulate_scores([statistics], "document")
    assert dict(zip(frame["document"], frame["score"], strict=True)) == pytest.approx(by_hand)


def test_a_segment_is_scored_by_the_orders_that_it_has_ngrams_of():
    """Two words each, so no 3-grams: both right is 100; one right, and no bigram (smoothed: 1 / 2), is 50."""
    values = np.array([[[2, 2, 2, 1, 0, 0, 2, 1, 0, 0], [2, 2, 1, 0, 0, 0, 2, 1, 0, 0]]])
    statistics = SegmentStatistics(Bleu(), {"one": values}, TestSet(np.array([1, 2]), None, "references", 1))
    assert tabulate_scores([statistics], "segment")["score"].tolist() == pytest.approx([100, 50])


@pytest.mark.parametrize("format", ["csv", "json"])
def test_files_for_programs_name_the_same_scores(bleu, format):
    written = format_scores([bleu], "document", format)
    if format == "csv":
        rows = [(row["document"], float(row["score"])) for row in csv.DictReader(io.StringIO(written))]
    else:
        systems = json.loads(written)["metrics"]["BLEU"]["systems"]
        rows = [(one["document"], one["score"]) for system in systems for one in system["documents"]]
    runs = [run for system in bleu for run in bleu.values[system]]
    expected = [score_of_document(bleu.metric, run, name) for run in runs for name in ORDER]
    assert [name for name, _ in rows] == ORDER * 3
    assert [score for _, score in rows] == pytest.approx(expected)
