"""Units compared: rows equal those of `compare`, by one unit after another."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest

from mtworkbench import compare, read_wmt_xml
from mtworkbench.analyses import compare_units, describe_units, summarize_units, units
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import bootstrap_interval
from mtworkbench.inference.intervals import jackknife_variance
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics import Bleu, MeanScore
from mtworkbench.outputs.checks.frames import common_segments
from mtworkbench.results.verdicts import Verdict
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet, compute_statistics

N_DOCUMENTS, LENGTH = 40, 5
SPEAKERS = np.array([f"speaker {number % 8}" for number in range(N_DOCUMENTS * LENGTH)], dtype=object)
DOMAINS = np.array(["news", "talk"] * (N_DOCUMENTS * LENGTH // 2), dtype=object)


def unwrap(text):
    return " ".join(text.split())


@pytest.fixture(scope="module")
def statistics():
    """Three systems: b differs from a document by document, c by a little everywhere."""
    draws = np.random.default_rng(4)
    documents = np.repeat([f"document {number}" for number in range(N_DOCUMENTS)], LENGTH).astype(object)
    own = draws.normal(size=(3, N_DOCUMENTS * LENGTH)) / 2
    of_documents = draws.normal(size=(2, N_DOCUMENTS))
    shared = np.repeat(of_documents - of_documents.mean(axis=1, keepdims=True), LENGTH, axis=1)
    scores = {"a": shared[0] + own[0], "b": shared[0] + shared[1] + 0.3 + own[1], "c": shared[0] + 0.3 + own[2]}
    values = {name: np.stack([one, np.ones_like(one)], axis=-1)[None] for name, one in scores.items()}
    columns = {"speaker": SPEAKERS, "domain": DOMAINS}
    test_set = TestSet(np.arange(1, len(documents) + 1), documents, "references", 1, columns=columns)
    return SegmentStatistics(MeanScore(name="quality", higher_is_better=True), values, test_set)


OPTIONS = {"n_trials": 2000, "rng": 3}


@pytest.fixture(scope="module")
def frame(statistics):
    with pytest.warns(DataWarning, match="^Column 'domain' "):
        return compare_units(statistics, **OPTIONS)


def without_documents(statistics):
    test_set = dataclasses.replace(statistics.test_set, documents=None)
    return SegmentStatistics(statistics.metric, dict(statistics.values), test_set)


def test_units_are_segments_and_all_that_are_known(frame):
    assert list(frame["unit"].unique()) == ["segment", "document", "speaker"]
    assert list(zip(frame["a"][:3], frame["b"][:3], strict=True)) == [("b", "a"), ("c", "a"), ("c", "b")]
    assert frame["n_units"][[0, 3, 6]].tolist() == [200, 40, 8]


def test_blocks_stand_in_for_documents_that_are_not_known(statistics):
    with pytest.warns(DataWarning, match="^Column 'domain' "):
        units = compare_units(without_documents(statistics), n_trials=500, rng=3)["unit"].unique()
    assert list(units[:2]) == ["segment", "speaker"]
    assert re.fullmatch("block of [0-9]+", units[2])
    assert len(units) == 3
    asked = compare_units(statistics, units=["block"], n_trials=500, rng=3)["unit"].unique()
    assert re.fullmatch("block of [0-9]+", asked[1])


def test_columns_with_few_values_are_left_out_with_a_word(statistics):
    sentence = (
        "Column 'domain' (2 values) is left out: fewer than 6 units cannot show a difference at 5 %. To see its "
        "variances, ask for it (units=['domain'], --unit domain)."
    )
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        compare_units(statistics, "a", n_trials=500, rng=3)
    assert [(warning.message.code, warning.message.count) for warning in caught] == [("columns-left-out", 1)]
    columns = {"domain": DOMAINS, "half": np.repeat(["one", "two"], 100).astype(object), "all": np.full(200, "x")}
    test_set = dataclasses.replace(statistics.test_set, columns={**columns, "speaker": SPEAKERS})
    more = SegmentStatistics(statistics.metric, dict(statistics.values), test_set)
    with pytest.warns(DataWarning, match=r"^Columns 'domain' \(2 values\), 'half' \(2 values\) are left out: "):
        compare_units(more, "a", n_trials=500, rng=3)


def test_too_few_trials_have_the_warning_of_compare(statistics):
    with pytest.warns(DataWarning, match="^With 50 trials and 3 comparisons, no difference can be called ") as caught:
        frame = compare_units(statistics, units=["document"], n_trials=50, rng=3)
    assert [warning.message.code for warning in caught] == ["few-trials"]
    assert "significant" not in set(frame["verdict"])


@pytest.mark.filterwarnings("ignore:Only:mtworkbench.errors.DataWarning")
def test_each_row_is_what_compare_finds_with_its_unit(statistics, frame):
    for unit, part in frame.groupby("unit"):
        found = compare(statistics, unit=unit, **OPTIONS).metrics["quality"]
        keys = ["a", "b", "difference", "p_value", "p_adjusted", "verdict"]
        for row, pair in zip(part.to_dict("records"), found.comparisons, strict=True):
            assert [row[key] for key in keys] == [getattr(pair, key) for key in keys]
            if unit != "segment":
                assert row["design_effect"] == pytest.approx(pair.design_effect)
                single = bootstrap_interval(statistics[pair.a], unit=unit, rng=1).design_effect
                assert row["design_effect_a"] == pytest.approx(single)
            else:
                assert row["design_effect"] == row["design_effect_a"] == row["design_effect_b"] == 1


def test_variances_grow_where_segments_of_a_unit_are_alike(statistics, frame):
    by = frame.set_index(["unit", "a", "b"])
    inflated = by.loc[("document", "b", "a")]
    table = ScoreTable.of([statistics["b"], statistics["a"]])
    influence = table.influence[0] - table.influence[1]
    by_document = influence.reshape(N_DOCUMENTS, LENGTH).sum(axis=1)  # of a mean, they add up
    expected = jackknife_variance(by_document) / jackknife_variance(influence)
    assert inflated["design_effect"] == pytest.approx(expected, rel=1e-9)
    assert inflated["design_effect"] > 2.5
    assert inflated["design_effect_a"] > 3
    assert by.loc[("document", "c", "a")]["design_effect"] < 1.5
    assert by.loc[("speaker", "b", "a")]["design_effect"] < 2


def test_a_verdict_flips_where_documents_undo_what_segments_show(frame):
    flipped = frame[frame["flips"]]
    by_segment = frame[frame["unit"] == "segment"].set_index(["a", "b"])["verdict"]
    assert len(flipped)
    for row in flipped.itertuples():
        assert {row.verdict, by_segment[row.a, row.b]} == {"significant", "not significant"}
    kept = frame[~frame["flips"]]
    assert all(
        row.verdict == by_segment[row.a, row.b] or "undecided" in (row.verdict, by_segment[row.a, row.b])
        for row in kept.itertuples()
    )


def test_what_is_undecided_does_not_flip(statistics, monkeypatch):
    by_segment, by_document = ["significant", "not significant", "undecided"], ["undecided", "significant", "undecided"]
    said = iter([*by_segment, *by_document])
    monkeypatch.setattr(units, "judge_trials", lambda tests, *_: [Verdict(1.0, next(said)) for _ in tests])
    frame = compare_units(statistics, units=["document"], **OPTIONS)
    assert frame["flips"].tolist() == [False, False, False, False, True, False]
    row = summarize_units(frame).iloc[0]
    assert (row["shown_by_segment"], row["undecided_by_segment"]) == (1, 1)
    assert (row["shown"], row["undecided"], row["flips"]) == (1, 2, 1)
    said = unwrap(describe_units(frame))
    assert (
        "1 of 3 differences is shown by segment (1 undecided), 1 by document (2 undecided). 1 verdict flips: " in said
    )
    assert said.endswith(
        "Undecided verdicts are counted neither as shown nor as flips: their p is too close to the level to "
        "decide with this number of trials."
    )


def test_frames_that_are_stacked_are_counted_apart(frame):
    """Two test sets with systems of the same names: each pair is counted once per test set."""
    one, both = (summarize_units(stacked).iloc[0] for stacked in (frame, pd.concat([frame, frame])))
    for count in ("pairs", "shown_by_segment", "undecided_by_segment", "shown", "undecided", "flips"):
        assert both[count] == 2 * one[count]


def test_the_summary_has_medians_and_counts(frame):
    summary = summarize_units(frame).set_index("unit")
    assert "segment" not in summary.index
    part = frame[frame["unit"] == "document"]
    row = summary.loc["document"]
    assert row["differences_median"] == sorted(part["design_effect"])[1]
    assert row["differences_max"] == part["design_effect"].max()
    singles = sorted([*part["design_effect_a"], *part["design_effect_b"]])
    assert (row["scores_median"], row["scores_max"]) == (singles[2], singles[-1])  # each of three systems twice
    assert (row["pairs"], row["n_units"]) == (3, 40)
    assert row["shown_by_segment"] == (frame["verdict"][:3] == "significant").sum()
    assert row["shown"] == (part["verdict"] == "significant").sum()
    assert row["flips"] == part["flips"].sum()


def test_the_sentence_is_of_the_frame(statistics, frame):
    row = summarize_units(frame).iloc[0]
    said = unwrap(describe_units(frame))
    assert said.startswith(
        "With documents in place of segments, the estimated variance of a difference in quality is "
        f"{row.differences_median:.2f} times as large (median; maximum {row.differences_max:.2f}); the "
        f"variance of one system's quality is {row.scores_median:.2f} times as large (median). "
        f"With p (max-T) at most 0.05, {row.shown_by_segment} of 3 differences are shown by segment, "
        f"{row.shown} by document."
    )
    assert "With speakers in place of segments" in said
    blocks = unwrap(describe_units(compare_units(statistics, units=["block"], **OPTIONS)))
    assert re.search("With blocks of [0-9]+ in place of segments", blocks)
    alone = SegmentStatistics(statistics.metric, {name: statistics.values[name] for name in "ac"}, statistics.test_set)
    said = unwrap(describe_units(compare_units(alone, units=["document"], **OPTIONS)))
    assert "(median; maximum" not in said
    assert said.endswith("With p at most 0.05, 1 of 1 difference is shown by segment, 1 by document.")
    strict = unwrap(describe_units(compare_units(alone, units=["document"], level=0.9, **OPTIONS)))
    assert "With p at most 0.1, 1 of 1" in strict


def test_blocks_of_one_segment_are_not_needed(statistics):
    """Where neighbours do not depend on each other, the length that is chosen is 1."""
    draws = np.random.default_rng(5)
    values = {name: np.stack([draws.normal(size=200), np.ones(200)], axis=-1)[None] for name in "ab"}
    alone = without_documents(SegmentStatistics(statistics.metric, values, statistics.test_set))
    frame = compare_units(alone, units=["block of 1"], **OPTIONS)
    assert frame["unit"].tolist() == ["segment", "block of 1"]
    assert describe_units(frame) == "In quality, neighbouring segments show no dependence, so no blocks are needed."


def test_verdicts_of_too_few_units_are_not_compared(statistics):
    """With 4 groups p is at least 1/8, so that what segments show cannot flip."""
    columns = {"domain": np.repeat(["a", "b", "c", "d"], 50).astype(object)}
    four = dataclasses.replace(statistics.test_set, columns=columns)
    four = SegmentStatistics(statistics.metric, dict(statistics.values), four)
    with pytest.warns(DataWarning, match="^There are only 4 domains"):
        frame = compare_units(four, units=["domain"], **OPTIONS)
    assert (frame["verdict"][:3] == "significant").any()
    assert not frame["flips"].any()
    row = summarize_units(frame).iloc[0]
    assert row["shown"] == 0
    assert row["flips"] is pd.NA
    said = unwrap(describe_units(frame))
    assert said.endswith(
        "Verdicts are not compared, because 4 domains cannot show anything at 5 %: p (max-T) of 3 comparisons cannot "
        "be below 0.125. Ratios from 4 domains are rough."
    )
    assert "flip" not in said
    assert "shown by" not in said


def test_test_suites_are_noticed(statistics):
    suites = np.array(["", "", "", "suite"] * (N_DOCUMENTS * LENGTH // 4), dtype=object)
    with_suites = dataclasses.replace(statistics.test_set, columns={"testsuite": suites})
    with_suites = SegmentStatistics(statistics.metric, dict(statistics.values), with_suites)
    sentence = (
        "50 of 200 segments belong to test suites: --no-test-suites (in Python: outputs[outputs['testsuite'] == '']) "
        "leaves them out."
    )
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        compare_units(with_suites, units=["document"], **OPTIONS)
    assert [(warning.message.code, warning.message.count) for warning in caught] == [("test-suites", 50)]


def test_a_unit_that_is_named_has_its_warning(statistics):
    with pytest.warns(DataWarning, match="^There are only 2 domains: ") as caught:
        frame = compare_units(statistics, "a", units=["domain"], **OPTIONS)
    assert [warning.message.code for warning in caught] == ["too-few-units"]
    assert list(frame["unit"]) == ["segment"] * 2 + ["domain"] * 2
    said = unwrap(describe_units(frame))
    assert "because 2 domains cannot show anything at 5 %: p (max-T) of 2 comparisons cannot be below 0.5." in said
    with pytest.raises(InputError, match="^unit is 'topic', but "):
        compare_units(statistics, units=["topic"])


def test_one_system_has_no_differences(statistics):
    alone = SegmentStatistics(statistics.metric, {"a": statistics.values["a"]}, statistics.test_set)
    sentence = "There is only one system, but units are compared by differences: give at least two systems."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        compare_units(alone)


def test_variance_inflation_of_real_outputs(shared):
    """Documents inflate the variance of a difference in BLEU less than that of a single system's BLEU."""
    outputs = read_quietly(shared / "realdata" / "wmt-xml" / "newstest2021.ru-en.all.xml")
    systems = list(dict.fromkeys(outputs["system"]))[:4]
    statistics = compute_statistics(outputs[outputs["system"].isin(systems)].reset_index(drop=True), Bleu())
    summary = summarize_units(compare_units(statistics, units=["document"], n_trials=500, rng=1)).iloc[0]
    assert summary["n_units"] == 107
    assert 0.9 < summary["differences_median"] < 2 < summary["scores_median"] < 4


def read_quietly(path):
    with pytest.warns(DataWarning):
        outputs = read_wmt_xml(path)
    return common_segments(outputs[outputs["testsuite"] == ""].reset_index(drop=True))
