"""Three rates kept apart, and what it costs to use one test set again and again."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

from mtworkbench.errors import InputError
from mtworkbench.metrics import MeanScore
from mtworkbench.papers import koehn2004 as study
from mtworkbench.papers.koehn2004 import findings
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.words import lines as wording


def mean_statistics(n_segments=1200, gain=1.0, *, higher_is_better=True, seed=3):
    """Scores of segments, alike for both systems but for noise."""
    random = np.random.default_rng(seed)
    common = random.normal(50, 5, n_segments)
    values = {
        name: np.stack([common + random.normal(mean, 4, n_segments), np.ones(n_segments)], axis=1)[None]
        for name, mean in (("good", gain), ("poor", 0.0))
    }
    test_set = TestSet(np.arange(1, n_segments + 1), None, "made up", 1)
    return SegmentStatistics(MeanScore(higher_is_better=higher_is_better), values, test_set)


@pytest.fixture(autouse=True)
def unbroken_lines(monkeypatch):
    monkeypatch.setattr(wording, "WIDTH", 10_000)


STATISTICS = mean_statistics()
PAIR = STATISTICS["good"], STATISTICS["poor"]


def test_under_a_true_null_one_rule_errs_twice_as_often_as_it_says_and_the_other_does_not():
    frame = study.conclude_under_null(*PAIR, 100, n_repetitions=1000, n_resamples=200, n_trials=199, rng=11)
    bootstrap = int(((frame["confidence"] >= 0.95) | (frame["against"] >= 0.95)).sum())
    randomization = int((frame["p_value"] <= 0.05).sum())
    for errors, rate in ((bootstrap, 0.10), (randomization, 0.05)):
        low, high = stats.binom.interval(0.999, 1000, rate)
        assert low <= errors <= high
    assert bootstrap > stats.binom.ppf(0.999, 1000, 0.05)


def test_p_on_a_small_sample_is_that_of_all_exchanges():
    """Of a mean, an exchange changes the sign of a segment's difference: all 2**10 signs are listed."""
    tiny = mean_statistics(10)
    gains = np.diff([tiny[name].values[0, :, 0] for name in ("good", "poor")], axis=0)[0]
    signs = np.array(list(itertools.product((-1, 1), repeat=10)))
    frame = study.conclude_under_null(tiny["good"], tiny["poor"], 10, n_repetitions=5, n_resamples=20, rng=1)
    for row in frame.itertuples():
        expected = (np.abs((signs * gains).mean(axis=1)) >= abs(row.difference) - 1e-9).mean()
        assert row.p_value == pytest.approx(expected)


def made_up_conclusions(*rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "difference", "true_difference", "conclusion", "correct"])
    return frame.assign(sample=range(1, len(frame) + 1))


CONCLUSIONS = made_up_conclusions(
    ("x", "y", 1.0, 0.5, "x", True),
    ("x", "y", -1.0, 0.5, "y", False),
    ("x", "y", -0.1, 0.5, "", True),
    ("x", "y", 0.2, 0.5, "x", True),
    ("x", "z", 1.0, 3.0, "x", True),
    ("x", "z", 1.0, 3.0, "x", True),
    ("v", "w", 1.0, 0.0, "v", True),
)
NULL = pd.DataFrame(
    {
        "confidence": [0.95, 0.02, 0.5, 0.949],
        "against": [0.05, 0.98, 0.5, 0.051],
        "p_value": [0.0500001, 0.05, 1.0, 0.06],
    }
)


def test_three_rates_have_three_denominators():
    table = study.tabulate_error_rates(CONCLUSIONS, NULL)
    assert table["events"].tolist() == [2, 1, 1, 2]
    assert table["of"].tolist() == [4, 4, 5, 6]  # the pair without a true difference has no worse system
    assert table["percent"].tolist() == pytest.approx([50, 25, 20, 100 / 3])
    low, high = stats.binomtest(2, 4).proportion_ci(method="exact")
    assert (table["low"][0], table["high"][0]) == pytest.approx((100 * low, 100 * high))
    assert table["low"][2:].isna().all()
    assert table["lowest_pair"][2:].tolist() == [0, 0]
    assert table["highest_pair"][2:].tolist() == pytest.approx([100 / 3, 50])


def test_rates_are_told_with_their_denominators():
    table = study.tabulate_error_rates(CONCLUSIONS, NULL)
    shown = study.arrange_error_rates(table)
    assert shown["percent"].tolist() == ["50.00 % (2 of 4)", "25.00 % (1 of 4)", "20.00 % (1 of 5)", "33.33 % (2 of 6)"]
    assert shown["95 % CI"][0] == "6.8 to 93.2 %"
    assert shown["by pair"].tolist() == ["", "", "0.0 to 33.3 %", "0.0 to 50.0 %"]
    assert shown["95 % CI"][2] == "none: samples share sentences"


def test_where_no_systems_differ_there_is_nothing_to_count():
    table = study.tabulate_error_rates(CONCLUSIONS[CONCLUSIONS["true_difference"] == 0], NULL)
    assert table["of"].tolist() == [4, 4, 0, 0]
    assert study.arrange_error_rates(table)["percent"].tolist()[2:] == ["nothing to count"] * 2
    assert "nan" not in study.arrange_error_rates(table).to_string()


@pytest.mark.long
def test_choosing_on_the_test_set_gains_what_normal_scores_would():
    """Independent of the simulation: a mixture's score is normal with s**2 = sum of (gain / 2)**2 / n**2.

    The best of k gains the expected largest of k standard normals, times s. It is called better where it is 1.645
    standard errors above the baseline, of a difference that two independent mixtures have: sqrt(2) s.
    """
    frame = study.reuse_test_set(*PAIR, 300, counts=(1, 5, 20), n_repetitions=1500, n_resamples=400, rng=7)
    table = study.summarize_reuse(frame).query("tuning == 'unrelated variants'").set_index("variants")
    differences = PAIR[0].values[0, :, 0] - PAIR[1].values[0, :, 0]
    deviation = np.sqrt((differences**2).mean() / 4 / 300)
    for k in (1, 5, 20):
        largest = integrate.quad(lambda z, k=k: z * k * stats.norm.pdf(z) * stats.norm.cdf(z) ** (k - 1), -9, 9)[0]
        assert table["gain"][k] == pytest.approx(largest * deviation, abs=4 * deviation * np.sqrt(2 / 1500))
        missed = integrate.quad(lambda z, k=k: stats.norm.pdf(z) * stats.norm.cdf(z + 1.6449 * 2**0.5) ** k, -9, 9)[0]
        low, high = stats.binom.interval(0.999, 1500, 1 - missed)
        assert low <= table["called_better_percent"][k] / 100 * 1500 <= high
        assert abs(table["fresh_gain"][k]) < 3.5 * table["fresh_error"][k]
        assert table["fresh_error"][k] == pytest.approx(deviation * np.sqrt(2 / 1500), rel=0.1)


@pytest.mark.long
def test_changes_in_a_row_gain_what_a_chain_of_normal_scores_would():
    """Independent of the simulation: where 30 % of the coins are new, the score is 0.7 times the old one, and noise.

    With s as above, a change proposes 0.7 S + sqrt(1 - 0.7**2) s Z for the score S, and the larger one is kept.
    """
    frame = study.reuse_test_set(*PAIR, 300, counts=(1, 20), n_repetitions=1500, n_resamples=200, rng=8)
    table = study.summarize_reuse(frame).set_index(["tuning", "variants"])
    differences = PAIR[0].values[0, :, 0] - PAIR[1].values[0, :, 0]
    deviation = np.sqrt((differences**2).mean() / 4 / 300)
    random = np.random.default_rng(5)
    start = score = random.normal(size=200_000)
    gains = {}
    for number in range(1, 21):
        score = np.maximum(score, 0.7 * score + np.sqrt(1 - 0.7**2) * random.normal(size=len(score)))
        gains[number] = (score - start) * deviation
    for number in (1, 20):
        row = table.loc["changes in a row", number]
        assert row["gain"] == pytest.approx(gains[number].mean(), abs=4 * gains[number].std() / np.sqrt(1500))
        assert abs(row["fresh_gain"]) < 3.5 * row["fresh_error"]
    unrelated = table.loc["unrelated variants", 20]
    assert table.loc[("changes in a row", 20), "gain"] > 1.2 * unrelated["gain"]
    assert table.loc[("changes in a row", 20), "low"] > unrelated["high"]


def test_choosing_follows_the_direction_of_the_metric():
    higher, lower = STATISTICS, mean_statistics(higher_is_better=False)
    values = {name: one * [-1, 1] for name, one in higher.values.items()}
    mirrored = SegmentStatistics(lower.metric, values, lower.test_set)
    options = {"counts": (1, 4), "n_repetitions": 20, "n_resamples": 50, "rng": 7}
    expected = study.reuse_test_set(higher["good"], higher["poor"], 100, **options)
    frame = study.reuse_test_set(mirrored["good"], mirrored["poor"], 100, **options)
    pd.testing.assert_frame_equal(frame, expected)


def test_variants_of_copies_are_never_called_better():
    frame = study.reuse_test_set(PAIR[0], PAIR[0], 100, counts=(3,), n_repetitions=5, n_resamples=50, rng=7)
    assert frame["gain"].abs().max() < 1e-9
    assert (frame["confidence"] == 0).all()
    said = study.describe_reuse(study.summarize_reuse(frame), "chrF")
    said = said.splitlines()
    assert said[0].startswith(
        "The best of 3 unrelated variants is called better than the baseline on 0.0 % of 5 test sets"
    )
    assert said[1].startswith("After 3 changes in a row, each kept if it raises the score, the system is called better")
    assert len(said) == 2


def test_a_test_set_and_fresh_segments_must_fit():
    with pytest.raises(
        InputError, match="of 601 segments and 601 fresh ones were asked for, but there are 1200: take at"
    ):
        study.reuse_test_set(*PAIR, 601, n_repetitions=1)
    few = mean_statistics(400)
    frame = study.reuse_test_set(few["good"], few["poor"], counts=(1,), n_repetitions=1, n_resamples=20, rng=1)
    assert frame["segments"].tolist() == [200, 200]


@pytest.mark.long
def test_pairs_that_even_the_whole_test_set_leaves_open_are_named():
    random = np.random.default_rng(5)
    base = random.normal(50, 5, 400)
    scores = {"base": base, "near": base + random.normal(0.05, 2, 400), "far": base + random.normal(2, 2, 400)}
    values = {name: np.column_stack([score, np.ones(400)])[None] for name, score in scores.items()}
    test_set = TestSet(np.arange(1, 401), None, "made up", 1)
    statistics = SegmentStatistics(MeanScore(higher_is_better=True), values, test_set)
    truth = study.check_truth(statistics, [("far", "base"), ("near", "base")], rng=1)
    for row in truth.itertuples():
        exact = stats.permutation_test(
            (scores[row.a], scores[row.b]), lambda x, y: np.mean(x - y), permutation_type="samples", rng=1
        )
        assert row.difference == pytest.approx(exact.statistic)
        assert row.p_value == pytest.approx(exact.pvalue, abs=0.05)
    assert findings.describe_truth(truth).startswith(
        "Even the whole test set does not show which system is better in 1 pair of 2 (randomization test, p above "
        f"0.05): near and base (p = {truth['p_value'][1]:.2g}). What"
    )
    assert findings.describe_truth(truth[:1]).startswith(
        "The whole test set shows a difference between the two systems ("
    )
