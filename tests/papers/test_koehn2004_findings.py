"""Sentences about results say what their tables say, whichever way these come out."""

import math

import numpy as np
import pandas as pd
import pytest

import mtworkbench as mtw
from mtworkbench.metrics import MeanScore
from mtworkbench.papers import koehn2004 as study
from mtworkbench.papers.koehn2004.error_rates import monte_carlo_ends
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.words import lines as wording


@pytest.fixture(autouse=True)
def unbroken_lines(monkeypatch):
    monkeypatch.setattr(wording, "WIDTH", 10_000)


def test_sentences_are_broken_between_words(monkeypatch):
    unbroken = study.describe_printed_row("Portuguese", "Danish")
    monkeypatch.setattr(wording, "WIDTH", 60)
    lines = study.describe_printed_row("Portuguese", "Danish").split("\n")
    assert len(lines) > 2
    assert max(map(len, lines)) <= 60
    assert " ".join(lines) == unbroken


def samplings(block, broad, samples=10):
    rows = [("block", block, 30.0), ("broad", broad, 280.0), ("random", 1.0, 300.0)]
    frame = pd.DataFrame(rows, columns=["sampling", "standard_deviation", "effective_size"])
    return frame.assign(samples=samples, lowest=20.0, highest=30.5, mean=25.0)


def test_spreads_are_compared_either_way():
    said = study.describe_samplings(samplings(3.0, 1.5), "x", "chrF")
    assert said.startswith("The standard deviation over blocks is 2.0 times that over broad samples. Blocks")
    assert (
        "random samples of 30 segments would, broad samples as far as random samples of 280.\nx has chrF 20.0" in said
    )
    assert "\nx has chrF 20.0 to 30.5 on 10 blocks (standard deviation 3.00) and 20.0 to 30.5 on 10 broad" in said
    assert "over blocks is 0.5 times" in study.describe_samplings(samplings(1.5, 3.0), "x")
    assert "times that over" not in study.describe_samplings(samplings(0.0, 0.0), "x")
    assert study.describe_samplings(samplings(np.nan, np.nan, 1), "x").startswith(
        "The test set is too small for two blocks, and one score shows no spread."
    )


def test_differences_are_compared_with_those_of_unrelated_scores():
    frame = pd.DataFrame({"sample": [1, 2, 3], "score_a": [1.0, 2.0, 3.0], "score_b": [1.5, 1.0, 2.5]})
    frame["difference"] = frame["score_a"] - frame["score_b"]
    said = study.describe_differences(frame, "p", "q")
    assert said.startswith("p - q is negative on 1 of 3 samples; the lowest difference is -0.50, on sample 1.")
    deviations = 1.0, frame["score_b"].std(), frame["difference"].std()
    assert "1.00 for p, {1:.2f} for q, {2:.2f} for their difference".format(*deviations) in said
    assert f"it would be {np.sqrt(1 + frame['score_b'].var()):.2f} for" in said
    assert study.describe_differences(frame, "p", "q", on_blocks=frame.iloc[:2]).endswith(
        f"On blocks, the standard deviation of the difference is {frame['difference'][:2].std():.2f}, and p - q is "
        "negative on 1 of 2."
    )
    assert study.describe_differences(frame[1:2], "p", "q") == (
        "p - q is negative on 0 of 1 sample; the lowest difference is +1.00, on sample 2."
    )


def test_scores_from_0_to_1_are_told_apart():
    """Two decimals of points are none of a score between 0 and 1."""
    table = samplings(0.0312, 0.0041).assign(lowest=0.8312, highest=0.8449)
    assert study.describe_samplings(table, "x", "comet").endswith(
        "\nx has comet 0.831 to 0.845 on 10 blocks (standard deviation 0.031) and 0.831 to 0.845 on 10 broad samples "
        "(standard deviation 0.0041)."
    )
    frame = pd.DataFrame({"sample": [1, 2, 3], "score_a": [0.81, 0.82, 0.83], "score_b": [0.812, 0.81, 0.826]})
    said = study.describe_differences(frame.assign(difference=frame["score_a"] - frame["score_b"]), "p", "q")
    assert "the lowest difference is -0.0020, on sample 1." in said
    assert ": 0.0100 for p, 0.0087 for q, 0.0060 for their difference." in said
    concluded = pd.DataFrame({"a": "x", "b": "y", "true_difference": 0.00312, "conclusion": ["x", ""]})
    concluded["correct"] = True
    said = study.describe_conclusions(concluded, "comet")
    assert said.startswith("Conclusions on 2 samples: 1 for x")
    assert said.endswith("x - y is +0.0031 comet. If this is the truth, no conclusion is wrong.")
    reused = pd.DataFrame({"variants": [1, 20], "called_better_percent": [5.0, 35.0], "gain": [0.0, 0.00712]})
    reused = reused.assign(segments=300, test_sets=9, low=1.0, high=40.0, fresh_error=0.0005, tuning=study.TUNINGS[0])
    said = study.describe_reuse(reused.assign(fresh_gain=[0.0002, -0.0002]), "comet").splitlines()[0]
    assert said.endswith(
        "The mean gain is +0.0071 comet for these test sets and -0.0002 on fresh segments (95 % CI -0.0012 to +0.0008)."
    )


def test_units_are_compared_where_documents_are_known():
    rows = pd.DataFrame({"unit": ["segment", "document"], "low": [1.0, 0.0], "high": [2.0, 5.0], "design_effect": 16.0})
    said = study.describe_units(rows)
    assert "documents as units is 5.0 times as wide as" in said
    assert said.endswith("segments as units; the square root of deff is 4.0.")
    rows["design_effect"] = None
    assert study.describe_units(rows.assign(unit="segment")).endswith("so segments are the units in both rows.")
    assert study.describe_units(rows.assign(unit=["segment", "block of 40"])) == (
        "The documents are unknown or too few, so blocks of 40 neighbouring segments are drawn instead. The interval "
        "with blocks of 40 as units is 5.0 times as wide as the one with segments as units."
    )
    assert study.describe_units(rows.assign(unit=["segment", "block of 1"])) == (
        "The documents are unknown or too few, and no correlation between neighbouring segments was found, so a block "
        "is one segment: segments are the units in both rows."
    )


def intervals(missed, n):
    return pd.DataFrame({"covers": [False] * missed + [True] * (n - missed), "segments": 300, "overlapping": False})


@pytest.mark.parametrize(
    ("missed", "n", "sentence"),
    [(7, 100, "7 of 100 intervals"), (0, 10, "0 of 10 intervals"), (1, 1, "1 of 1 interval")],
)
def test_misses_are_compared_with_chance(missed, n, sentence):
    said = study.describe_misses(intervals(missed, n), 300 * n)
    assert said.startswith(f"The score of the whole test set is missed by {sentence}. If each missed it with a")
    low, high = {100: (1, 10), 10: (0, 2), 1: (0, 1)}[n]
    probability = sum(math.comb(n, k) * 0.05**k * 0.95 ** (n - k) for k in range(low, high + 1))
    assert round(100 * probability, 1) == {100: 98.3, 10: 98.8, 1: 100.0}[n]
    expected = f"{low} to {high} of {n} would miss it in {100 * probability:.1f} % of such experiments: {missed} is no"
    assert f"of 5 %, independently of the others, {expected}" in said
    assert (f"But a sample is up to {100 / n:.0f} % of the test set" in said) == (n <= 10)


def test_more_or_fewer_misses_than_chance_explains_are_named():
    assert study.describe_misses(intervals(11, 100), 30_000).endswith(": 11 is more than chance explains.")
    assert study.describe_misses(intervals(0, 100), 30_000).endswith(": 0 is unusually few.")


def test_intervals_by_unit_with_and_without_documents():
    rows = [("block", "segment", 1.0, 70.0), ("block", "document", 3.5, 22.0), ("broad", "segment", 2.0, 0.0)]
    table = pd.DataFrame(rows, columns=["sampling", "unit", "mean_width", "missed_percent"])
    table = table.assign(intervals=60, samples=10, systems=6, units=[3000.0, 12.4, 3000.0], part_of_test_set=0.05)
    said = study.describe_interval_units(table).splitlines()
    assert said[0] == (
        "On blocks, 70 % of 60 intervals (10 samples x 6 systems) miss if segments are drawn, and 22 % if documents "
        "are drawn (12 per sample on average), which makes the intervals 3.5 times as wide."
    )
    assert said[1] == (
        "On broad samples, 0 % of 60 intervals (10 samples x 6 systems) miss. The estimated block length is 1 "
        "segment, so there is no second interval."
    )
    large = study.describe_interval_units(table.assign(part_of_test_set=0.1)).splitlines()
    assert large[0] == said[0]
    assert (
        large[1] == said[1] + " But a sample is up to 10 % of the test set that is taken as the truth, and so agrees "
        "with it better than separate samples would."
    )
    units = {"segment": "segment", "document": "block of 12"}
    by_block = study.describe_interval_units(table.assign(unit=table["unit"].map(units))).splitlines()
    assert by_block[0] == (
        "On blocks, 70 % of 60 intervals (10 samples x 6 systems) miss if segments are drawn, and 22 % if blocks of 12 "
        "are drawn (12 per sample on average), which makes the intervals 3.5 times as wide."
    )
    assert by_block[2] == (
        "The documents are unknown or too few, so blocks of neighbouring segments are drawn instead; the correlation "
        "of neighbours in these samples decides how long they are. (Where no correlation between neighbours is found, "
        "a block is one segment.)"
    )


def test_conclusions_are_counted_for_each_system():
    frame = pd.DataFrame({"a": "x", "b": "y", "true_difference": -0.25, "conclusion": ["x", "", "y", "y"]})
    frame["correct"] = [False, True, True, True]
    assert study.describe_conclusions(frame, "chrF") == (
        "Conclusions on 4 samples: 1 for x, 2 for y, 1 for neither. On the whole test set, x - y is -0.25 chrF. If "
        "this is the truth, 1 conclusion is wrong."
    )


def test_pairs_are_named_and_one_is_not_called_two():
    assert study.describe_pairs([("x", "y"), ("y", "z")]) == "Larger difference: x and y. Smaller difference: y and z."
    one = "There is one pair of systems, x and y. Figures 7 and 8 would be the same, so only Figure 7 is drawn."
    assert study.describe_pairs([("x", "y")]) == one


def conclusions(sizes, n_segments):
    rows = [
        (a, b, size, False, sample, size)
        for a, b in (("x", "y"), ("x", "z"))
        for size in sizes
        for sample in range(1, n_segments // size + 1)
    ]
    return pd.DataFrame(rows, columns=["a", "b", "size", "overlapping", "sample", "segments"])


def test_missing_sizes_are_named():
    said = study.describe_sizes(conclusions((100, 300), 3004), 3004)
    assert said.startswith("2 pairs, each on 40 broad samples (30 of 100, 10 of 300 segments): 80 comparisons.")
    assert "samples of 600 and 3,000 are left out: 3,004 segments are too few for two of them" in said
    assert said.endswith("But a sample is up to 10 % of the test set that is taken as the truth, and so agrees with it "
                         "better than separate samples would.")  # fmt: skip
    whole = study.describe_sizes(conclusions((100, 300, 600, 3000), 90_000), 90_000)
    assert "left out" not in whole
    assert "But" not in whole


def test_sizes_are_those_that_the_samples_have():
    """A broad sample may have some segments more than was asked for: of 32,999, ten samples of 3,000 have 299 more."""
    frame = conclusions((100, 3000), 30_000)
    frame.loc[frame["size"] == 3000, "segments"] = [3299, *[3300] * 9] * 2
    assert study.describe_sizes(frame, 32_999).startswith(
        "2 pairs, each on 310 broad samples (300 of 100, 10 of 3,299 or 3,300 segments): 620 comparisons. Below, they "
        "are called samples of 100 and 3,000. The paper's samples of 300 and 600 are left out"
    )
    assert "Below" not in study.describe_sizes(conclusions((100, 3000), 30_000), 30_000)


def test_sizes_overlap_only_where_their_samples_do():
    frame = conclusions((100, 300), 2900)
    said = "2,900 segments do not hold as many separate samples of 300 as the paper has, so these are drawn at random"
    assert said not in study.describe_sizes(frame, 2900)
    assert said in study.describe_sizes(frame.assign(overlapping=frame["size"] == 300), 2900)


def test_one_pair_is_not_called_each():
    one = conclusions((100, 300), 3004).query("b == 'y'")
    assert study.describe_sizes(one, 3004).startswith("1 pair, on 40 broad samples (30 of 100, 10 of 300 segments): 40")


def test_a_printed_row_is_held_against_one_of_its_cells():
    said = study.describe_printed_row("Portuguese", "Danish")
    assert "12 % with 300 sentences imply 8 % with 100 (printed: 7 % of 300 samples, binomial" in said
    assert "16 % with 600 (printed: 10 % of 50 samples, binomial p = 0.34)" in said


def test_a_p_of_a_row_is_never_zero():
    said = wording.join_lines(study.describe_printed_row("Danish", "German"))
    assert "85 % of 300 samples, binomial p < 0.01)" in said


def test_conclusions_by_unit_with_and_without_documents():
    rows = [("block", "segment", 80.0, 2.0), ("block", "document", 70.0, 1.0)]
    table = pd.DataFrame(rows, columns=["sampling", "unit", "correct_percent", "wrong_percent"])
    table = table.assign(samples=20, part_of_test_set=0.05)
    said = study.describe_conclusion_units(table).splitlines()
    assert said[1] == (
        "With documents drawn, 70.0 % of 20 comparisons on blocks led to a right conclusion and 1.0 % to a wrong one."
    )
    assert len(said) == 2
    assert "But a sample is up to 10 %" in study.describe_conclusion_units(table.assign(part_of_test_set=0.1))
    by_block = study.describe_conclusion_units(table.assign(unit=["segment", "block of 7"])).splitlines()
    assert by_block[1].startswith("With blocks of 7 drawn, 70.0 % of 20 comparisons on blocks led to a right")
    assert by_block[2].startswith("The documents are unknown or too few, so blocks of neighbouring segments")
    by_segment = study.describe_conclusion_units(table[:1]).splitlines()
    assert by_segment[0] == (
        "With segments drawn, 80.0 % of 20 comparisons on blocks led to a right conclusion and 2.0 % to a wrong one. "
        "The estimated block length is 1 segment, so nothing else is drawn."
    )
    assert by_segment[1:] == by_block[2:]


def test_reuse_is_told_for_the_fewest_and_the_most_variants():
    frame = pd.DataFrame({"variants": [1, 5, 20], "called_better_percent": [5.0, 15.0, 35.0], "gain": [0.0, 0.4, 0.7]})
    frame = frame.assign(segments=300, test_sets=1000, low=1.0, high=40.0, fresh_error=0.05, tuning=study.TUNINGS[0])
    frame["fresh_gain"] = [0.02, 0.0, -0.02]
    said = study.describe_reuse(frame).splitlines()
    assert said[1].startswith(
        "If there is only one variant, nothing is chosen: it is called better than the baseline on 5.0 % of 1,000 test "
        "sets of 300 segments (95 % CI"
    )
    assert said[0].startswith("The best of 20 unrelated variants is called better than the baseline on 35.0 %")
    assert said[0].endswith(
        "The mean gain is +0.70 BLEU for these test sets and -0.02 on fresh segments (95 % CI -0.12 to +0.08)."
    )
    assert len(said) == 2
    in_a_row = frame.assign(tuning=study.TUNINGS[1])
    both = study.describe_reuse(pd.concat([frame, in_a_row])).splitlines()
    assert [both[0], both[2]] == said
    assert both[1].startswith(
        "After 20 changes in a row, each kept if it raises the score, the system is called better than the baseline on"
    )
    assert study.describe_reuse(in_a_row[:1]).startswith(
        "After 1 change, kept if it raises the score, the system is called better than the baseline on 5.0 %"
    )


def test_samples_are_said_to_overlap_or_not():
    separate = study.describe_samples(study.choose_samples(30_000, 300), 30_000)
    assert separate == "100 samples of 300 segments: no segment is in two of them."
    said = study.describe_samples(study.choose_samples(3000, 300, rng=1), 3000)
    assert said == (
        "The 3,000 segments hold only 10 separate samples of 300. So 100 samples are drawn at random instead, and they "
        "overlap: each segment drawn is in 10.0 samples on average. Overlapping samples resemble one another, so their "
        "scores spread less than those of separate test sets."
    )


@pytest.mark.parametrize(
    ("n_segments", "said"),
    [
        (30_001, "100 samples of 300 or 301 segments"),
        (30_213, "100 samples of 302 or 303 segments"),
        (33_739, "112 samples of 301 or 302 segments"),
    ],
)
def test_separate_samples_of_unequal_sizes_are_not_said_to_overlap(n_segments, said):
    """The size of the first, times their number, is more than the test set has."""
    samples = study.choose_samples(n_segments, 300)
    assert sorted(np.concatenate(samples)) == list(range(n_segments))
    assert study.describe_samples(samples, n_segments) == f"{said}: no segment is in two of them."


def test_one_sample_is_not_said_to_share_nothing_with_others():
    assert study.describe_samples([np.arange(450)], 450) == "There is only one sample, of 450 segments."


def test_random_samples_overlap_though_as_many_separate_ones_would_fit():
    drawn = [np.array([0, 1]), np.array([1, 2])]
    assert study.describe_samples(drawn, 4) == (
        "2 samples of 2 segments are drawn at random, and they overlap: each segment drawn is in 1.3 samples on "
        "average. Overlapping samples resemble one another, so their scores spread less than those of separate test "
        "sets."
    )


def test_overlapping_intervals_are_not_called_independent():
    frame = pd.DataFrame({"covers": [True] * 9 + [False], "segments": 300, "overlapping": False})
    assert "overlap" not in study.describe_misses(frame, 30_000)
    overlapping = study.describe_misses(frame.assign(overlapping=True), 30_000)
    assert "These samples overlap, so they are not independent" in overlapping


def test_a_human_translation_is_compared_by_its_share():
    shares = pd.DataFrame(
        {
            "system": ["person", "good", "fair", "poor"],
            "judged": 50,
            "mean": [0.4, 0.5, 0.45, 0.1],
            "t_low": [0.3, 0.4, 0.35, 0.0],
            "t_high": [0.5, 0.6, 0.55, 0.2],
        }
    )
    said = study.describe_shares(shares, "person")
    assert "person is correct in 40 % of 50 segments (Student's t 95 % CI 30 to 50 %)" in said
    assert "the best system, good, in 50 % (40 to 60 %). 2 of 3 systems have a larger share" in said


def test_both_tests_of_a_pair_are_in_one_sentence():
    random = np.random.default_rng(1)
    values = {name: random.normal(shift, 1, 40) for name, shift in (("old", 0), ("new", 0.5))}
    means = {name: np.stack([scores, np.ones(40)], axis=-1)[None] for name, scores in values.items()}
    family = SegmentStatistics(MeanScore("adequacy"), means, TestSet(np.arange(1, 41), None, "references", 1))
    pair = family["new"], family["old"]
    bootstrap = mtw.paired_bootstrap(*pair, n_resamples=200, rng=1)
    test = mtw.approximate_randomization(*pair, n_trials=999, rng=1)
    difference = np.mean(values["new"] - values["old"])
    assert study.describe_both_tests(bootstrap, test) == (
        f"new - old is {difference:+.2f} adequacy on 40 segments. Of 200 resamples, new wins "
        f"{bootstrap.wins} and old {bootstrap.losses}; approximate randomization (999 trials): p = "
        f"{test.p_value:.3f}."  # two digits, but where they would put it on the other side of 0.05
    )


def test_type_i_errors_of_both_rules_are_in_one_sentence():
    null = pd.DataFrame({"confidence": [0.95, 0.5, 0.04, 0.1], "against": [0.05, 0.5, 0.96, 0.9]})
    null["p_value"] = [0.051, 0.8, 0.05, 0.2]
    ends = [f"{low:.1f} to {high:.1f} %" for low, high in (100 * np.array(monte_carlo_ends(k, 4)) for k in (2, 1))]
    assert study.describe_type_i(null, "old", "new") == (
        "Equal systems made of old and new are called different on 50.0 % of 4 samples by “95 % of resamples” "
        f"(95 % CI {ends[0]}), and on 25.0 % by approximate randomization, p <= 0.05 ({ends[1]})."
    )
