"""Titles of figures are sentences computed from what is drawn, also where there is little to say."""

import numpy as np
import pandas as pd
import pytest

from mtworkbench.analyses.specification_curve import title_specifications
from mtworkbench.papers.clark2011 import findings as clark2011
from mtworkbench.papers.koehn2004 import findings as koehn2004

ONE = pd.DataFrame({"score": [28.04], "difference": [0.0], "covers": [False]})


def test_one_sample_is_one_sample():
    assert koehn2004.title_samples(ONE, "BLEU", "x") == "x scores 28.0 to 28.0 BLEU on 1 sample"
    assert koehn2004.title_samples(ONE, "BLEU") == "Scores are 28.0 to 28.0 BLEU on 1 sample"
    assert koehn2004.title_differences(ONE, "x", "y") == "x scores higher on 0 of 1 sample, y on 0"
    assert koehn2004.title_intervals(ONE) == "1 of 1 interval misses the score of the whole test set"


def test_scores_from_0_to_1_are_told_apart():
    """Between 0.831 and 0.858, "0.8 to 0.9" says little, and "0.8 to 0.8" nothing."""
    frame = pd.DataFrame({"score": [0.8312, 0.8449]})
    assert koehn2004.title_samples(frame, "comet") == "Scores are 0.831 to 0.845 comet on 2 samples"
    last = pd.DataFrame({"resamples": [1000], "low": [0.83124], "high": [0.83871]})
    assert koehn2004.title_growth(last, "comet") == "1,000 resamples give the interval 0.8312 to 0.8387 comet"


def test_fresh_samples_that_do_not_vary_have_no_ratio():
    frame = pd.DataFrame({"source": ["fresh samples"] * 2 + ["resamples"] * 2, "deviation": [0.0, 0, 1, 2]})
    assert koehn2004.title_deviations(frame) == "All fresh samples have the same score"
    frame["deviation"] = [0.0, 2, 0, 1]
    assert koehn2004.title_deviations(frame) == (
        "The resamples of one sample spread 0.50 times as far as fresh samples do"
    )
    assert koehn2004.title_deviations(frame.assign(part_of_test_set=0.05)).endswith("fresh samples do")
    assert koehn2004.title_deviations(frame.assign(part_of_test_set=0.43)).endswith(
        "fresh samples do, but these hold 43 % of the test set each, so they resemble one another"
    )


def test_a_confidence_of_100_percent_is_no_confidence_that_could_be_wrong():
    bins = pd.DataFrame({"conclusions": [3, 0], "mean_confidence": [100.0, np.nan], "low": 0.0, "high": 100.0})
    assert koehn2004.title_calibration(bins) == "No conclusion has a confidence below 100 %"


LENGTHS = [
    ("a", "BLEU", 0.85, 20, 80.4),
    ("a", "BLEU", 1.0, 25, 100.0),
    ("b", "BLEU", 0.85, 22, 79.4),
    ("b", "BLEU", 1.0, 21, 100.0),
    ("a", "GTM-1", 0.85, 58, 96.3),
    ("a", "GTM-1", 1.0, 60, 100.0),
    ("a", "GTM-1", 1.2, 57, 95.0),
    ("a", "TER", 0.85, 44, 110.0),
    ("a", "TER", 1.0, 40, 100.0),
    ("a", "TER", 1.2, 40, 100.4),
    ("a", "mixed", 0.85, 9, 90.0),
    ("a", "mixed", 1.0, 10, 100.0),
    ("b", "mixed", 0.85, 11, 110.0),
    ("b", "mixed", 1.0, 10, 100.0),
    ("a", "zero", 0.85, 1, np.nan),
    ("a", "zero", 1.0, 0, np.nan),
]
COLUMNS = ["system", "metric", "ratio", "score", "percent"]


def test_what_each_metric_loses_is_said_of_the_shortest_and_the_longest_output():
    """By how much of its own score a metric falls can be compared between metrics, where it is highest cannot."""
    assert koehn2004.title_lengths(pd.DataFrame(LENGTHS, columns=COLUMNS)) == (
        "At 0.85 times the reference's length, BLEU loses 20 to 21 %, GTM-1 loses 4 %, TER rises by 10 %, mixed "
        "changes by -10 to +10 %; at 1.20 times the reference's length, GTM-1 loses 5 %, TER hardly changes"
    )
    one_length = pd.DataFrame([row for row in LENGTHS if row[2] == 1], columns=COLUMNS)
    assert koehn2004.title_lengths(one_length) == "All outputs have the same length"


@pytest.mark.parametrize(
    ("percents", "said"), [((100.3, 96.0), "loses 0 to 4 %"), ((99.7, 103.0), "rises by 0 to 3 %")]
)
def test_what_hardly_changes_has_no_sign(percents, said):
    rows = [(name, "M", 0.9, 1.0, percent) for name, percent in zip("AB", percents, strict=True)]
    frame = pd.DataFrame([*rows, *((name, "M", 1.0, 1.0, 100.0) for name in "AB")], columns=COLUMNS)
    assert koehn2004.title_lengths(frame) == f"At 0.90 times the reference's length, M {said}"


def overlap(**other):
    row = {"low": 1.0, "high": 2.0, "baseline_runs": 3, "experimental_runs": 3, "wrong_order_percent": 0.04}
    return pd.DataFrame([row | other])


def test_runs_overlap_or_not_and_one_of_each_shows_no_order():
    assert clark2011.title_overlap(overlap(), "A", "B") == (
        "The scores of the runs of A and B overlap: 0.04 % of the pairs of runs are in the wrong order"
    )
    apart = overlap(low=np.nan, high=np.nan, wrong_order_percent=0.0)
    assert clark2011.title_overlap(apart, "A", "B") == (
        "The scores of the runs of A and B do not overlap, and no pair of runs is in the wrong order"
    )
    assert (
        clark2011.title_overlap(overlap(wrong_order_percent=np.nan), "A", "B")
        == "The scores of the runs of A and B overlap"
    )
    single = overlap(baseline_runs=1, experimental_runs=1)
    assert clark2011.title_overlap(single, "A", "B") == "A and B have one run each"


def test_equal_means_have_no_wrong_sign():
    found = pd.DataFrame({"replications": [1, 50], "wrong_sign_percent": np.nan})
    assert clark2011.title_replications(found) == "The means of all runs are equal, so no sign is wrong"


def test_one_number_of_runs_is_not_compared():
    drawn = pd.DataFrame({"n": 1, "difference": 0.2, "p_value": [0.01, 0.5], "n_trials": 1000})
    assert clark2011.title_p_values(drawn) == ("p is at most 0.05 in 50 % of the experiments with 1 run of each system")
    assert clark2011.title_p_values(drawn.assign(p_value=0.5)) == (
        "With one run of each system, all 2 experiments give p = 0.500"
    )
    found = pd.DataFrame({"replications": [1], "wrong_sign_percent": [12.5], "low": [-0.1], "high": [0.3]})
    assert (
        clark2011.title_replications(found) == "12.5 % of the experiments with 1 run of each system have the wrong sign"
    )


def test_a_single_difference_has_no_share_of_wrong_signs():
    found = pd.DataFrame({"replications": [1], "wrong_sign_percent": [0.0], "mean": 0.06, "low": 0.06, "high": 0.06})
    assert clark2011.title_replications(found) == "These runs have only one difference: +0.06"


def test_tests_are_named_where_their_intervals_say_so():
    sizes = pd.DataFrame({"test": ["x", "y"], "low": [6.0, 4.0]})
    assert clark2011.title_test_sizes(sizes) == "Tests that never reject clearly more than 5 %: y"


def test_what_more_runs_save_is_not_said_where_there_is_one_number():
    frame = pd.DataFrame({"n_units": [10], "n_runs": [2], "standard_error": [0.5]})
    assert clark2011.title_projection(frame, "segment") == (
        "Standard error of the difference with more runs and longer test sets"
    )


def test_specifications_are_counted_by_the_system_that_they_call_better():
    frame = pd.DataFrame({"a": "x", "b": "y", "conclusion": ["a better", "open", "b better", "a better"]})
    assert title_specifications(frame) == "2 of 4 specifications call x better, 1 y"
