"""Short tables and sentences about agreement, as a notebook shows them."""

import warnings

import numpy as np
import pandas as pd
import pytest

import mtworkbench as mtw
from mtworkbench.analyses import agreement
from mtworkbench.errors import DataWarning

HUMAN = {"x": [1.0, 1.0, 2.0, np.nan], "y": [1.0, 3.0, np.nan, 3.0], "z": [2.0, 4.0, 4.0, 4.0]}
ERRORS = {"x": [3.0, 1.0, 2.0, 2.0], "y": [1.0, 1.0, 1.0, 1.0], "z": [2.0, 3.0, 2.0, 5.0]}


def scores_of(rows, name, direction=True):
    frames = [pd.DataFrame({"system": system, "segment": range(1, 5), name: scores}) for system, scores in rows.items()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        outputs = mtw.read_table(pd.concat(frames, ignore_index=True))
    return mtw.compute_statistics(outputs, mtw.MeanScore(name, higher_is_better=direction))


@pytest.fixture(scope="module")
def judged():
    return scores_of(HUMAN, "judged")


@pytest.fixture(scope="module")
def errors():
    return scores_of(ERRORS, "errors", direction=False)


def test_systems_come_in_the_order_of_the_human_score(judged, errors):
    frame = agreement.tabulate_systems(judged, [errors])
    assert list(frame.index) == ["z", "y", "x"] and list(frame.columns) == ["judged", "errors"]
    assert frame.to_numpy() == pytest.approx(np.array([[3.5, 3], [7 / 3, 1], [4 / 3, 2]]))
    assert list(agreement.tabulate_systems(errors, [judged]).index) == ["y", "x", "z"]
    assert agreement.describe_best(judged, [errors]) == "The best system is z by judged and y by errors."
    equal = scores_of(dict.fromkeys(ERRORS, [0.1, 0.2, 0.3, 0.4]), "alike")
    said = agreement.describe_best(errors, [equal])
    assert said.split("\n") == ["The best system is y by errors.", "y, x and z share the best score by alike."]
    small = scores_of({name: [1e-6 * (name == "x")] * 4 for name in ERRORS}, "small")
    assert agreement.describe_best(small, []) == "The best system is x by small."


def test_only_segments_judged_for_all_systems_are_taken(judged, errors):
    assert agreement.describe_judged(judged) == "2 of 4 segments are kept: humans judged all systems there."
    human, other = agreement.take_judged(judged, [errors])
    assert other["z"].values[0, :, 0].tolist() == [2, 3] and human.test_set == other.test_set
    nowhere = scores_of({"x": [1.0, np.nan, 1, 1], "y": [np.nan, 1, np.nan, np.nan]}, "judged")
    assert [one.metric.name for one in agreement.take_judged(nowhere, [errors])] == ["judged", "errors"]
    assert agreement.take_judged(nowhere, [errors])[1] is errors
    assert [one.metric.name for one in agreement.take_judged(nowhere, [errors, errors])] == ["judged", "errors"]
    assert agreement.describe_judged(nowhere) == (
        "No segment was judged for all systems: each pair is compared on the segments that have both scores."
    )


def test_disagreements_are_listed_with_both_intervals():
    row = {"metric": "chrF", "a": "x", "b": "y", "human_difference": 1, "human_low": -1, "human_high": 2.5}
    row |= {"difference": -0.5, "low": -1, "high": -0.25, "level": 0.9, "same_order": False}
    row |= {"human_verdict": "not significant", "verdict": "significant", "outcome": "neither"}
    frame = pd.DataFrame([row | {"outcome": outcome} for outcome in agreement.OUTCOMES] + [row | {"same_order": True}])
    table = agreement.tabulate_disagreements(frame)
    assert table.iloc[0, :5].to_dict() == {
        "metric": "chrF",
        "system": "x",
        "other": "y",
        "humans (90 % CI)": "1.000 [-1.000, 2.500]",
        "metric (90 % CI)": "-0.500 [-1.000, -0.250]",
    }
    # An end that the step-down test has cut off at 0 does not belong to the interval; there may be none.
    cut = agreement.tabulate_disagreements(pd.DataFrame([row | {"high": 0.0}, row | {"low": None, "high": None}]))
    assert list(cut["metric (90 % CI)"]) == ["-0.500 [-1.000, <0]", "-0.500 "]
    assert list(table["shown by"]) == [
        "both, same order",
        "both, opposite order",
        "humans",
        "the metric",
        "neither",
        "undecided",
    ]


def test_the_table_of_tests_has_words_as_headings(judged, errors):
    other = scores_of(HUMAN, "other")
    tests = mtw.analyses.compare_agreement(judged, errors, other, n_resamples=40, level=0.5, n_trials=20, rng=1)
    table = agreement.lay_out_tests(tests)
    assert list(table.columns) == ["level", "measure", "errors", "other", "difference", "50 % CI", "p"]
    assert list(table["p"]) == list(tests["p_value"])


def test_chance_is_that_of_metrics_that_know_nothing(judged):
    """Segment 1: x and y are tied, one of three pairs; no other segment has ties of its pairs."""
    said = " ".join(agreement.describe_chance(judged, rng=1).split())
    assert said.startswith(
        "Segment-level pairwise accuracy is 0.083 for a metric that calls everything a tie (the share of human ties), "
    )
    assert said == " ".join(agreement.describe_chance(judged, rng=1).split())
    # A generator is a seed, too.
    assert len({agreement.describe_chance(judged, rng=np.random.default_rng(3)) for _ in range(3)}) == 1
