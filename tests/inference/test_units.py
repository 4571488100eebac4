"""Units are segments or whole documents, in the order of the reference file."""

from dataclasses import replace

import numpy as np
import pytest

from mtworkbench.inference.score_table import ScoreTable, choose_units, scored_segments


@pytest.mark.parametrize(
    "documents", [["b", "b", "a", "c"], ["b", "a", "b", "c", "a"], ["x"], ["x", "y", "z"]], ids="".join
)
def test_sums_by_document(make_bleu, documents):
    statistics = make_bleu(len(documents), runs=(2,), documents=documents)
    units = choose_units(statistics.test_set, "document")
    found = units.sum(statistics.values["s0"])
    for place, document in enumerate(dict.fromkeys(documents)):
        member = np.array([label == document for label in documents])
        np.testing.assert_array_equal(found[:, place], statistics.values["s0"][:, member].sum(axis=1))
    assert found.dtype == statistics.values["s0"].dtype
    assert units.count == found.shape[1] == len(set(documents))


def test_segments_are_left_as_they_are(make_bleu):
    statistics = make_bleu(12)
    units = choose_units(statistics.test_set, "segment")
    assert (units.name, units.count) == ("segment", 12)
    np.testing.assert_array_equal(units.sum(statistics.values["s0"]), statistics.values["s0"])


def test_the_table_has_system_by_system_and_run_by_run(make_bleu):
    statistics = make_bleu(12, runs=(2, 1))
    table = ScoreTable.of([statistics["s0"], statistics["s1"]]).sums[:]
    assert table.shape == (12, 30)
    assert table.dtype == np.float64
    np.testing.assert_array_equal(table[:, 10:20], statistics.values["s0"][1])
    np.testing.assert_array_equal(table[:, 20:], statistics.values["s1"][0])


def test_a_segment_is_scored_where_any_run_has_a_score(make_mean, make_bleu):
    system = make_mean(s=[[1, np.nan, np.nan], [2, 3, np.nan]])["s"]
    assert scored_segments(system).tolist() == [True, True, False]
    assert ScoreTable.of([system], segments=scored_segments(system)).n_segments == 2
    assert scored_segments(make_bleu(4)["s0"]) is None
    complete = make_mean(s=[1, 2])["s"]
    [taken] = ScoreTable.of([complete], segments=scored_segments(complete)).systems
    assert taken is complete


def test_units_say_from_where_documents_were_recognized_if_they_or_their_strata_are_documents(make_mean):
    columns = {"domain": ["news", "chat"] * 6}
    test_set = make_mean(a=np.arange(12.0), documents=[0, 0, 1, 1] * 3, columns=columns).test_set
    test_set = replace(test_set, known_documents="wmt23 en-de")
    asked = [("document",), ("segment",), ("domain",), ("segment", "document"), ("segment", "domain")]
    known = [choose_units(test_set, *one).known_documents for one in asked]
    assert known == ["wmt23 en-de", None, None, "wmt23 en-de", None]
