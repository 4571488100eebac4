import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy import stats

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import bootstrap_interval, paired_bootstrap
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics import Bleu, Length, Ter
from mtworkbench.papers import koehn2004 as study
from mtworkbench.papers.koehn2004 import findings
from mtworkbench.papers.koehn2004.figures import plot_calibration
from mtworkbench.resampling import broad_samples, resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet, compute_statistics


def made_up(n_segments=1200, gain=0.06, seed=3):
    """BLEU statistics of two systems, the first better, in clusters of 20 segments that are easy or hard."""
    random = np.random.default_rng(seed)
    lengths = random.integers(5, 40, n_segments)
    hard = np.repeat(random.normal(0, 0.12, n_segments // 20), 20)
    values = {}
    for name, level in (("good", 0.6 + gain), ("poor", 0.6)):
        rate = np.clip(level + hard + random.normal(0, 0.1, n_segments), 0.05, 0.95)
        matches = [random.binomial(np.maximum(lengths - order, 0), rate ** (order + 1)) for order in range(4)]
        ngrams = [np.maximum(lengths - order, 0) for order in range(4)]
        values[name] = np.stack([lengths, lengths, *matches, *ngrams], axis=1)[None]
    return SegmentStatistics(Bleu(), values, TestSet(np.arange(1, n_segments + 1), None, "made-up", 1))


STATISTICS = made_up()


def first_segments(count, documents=None):
    return TestSet(np.arange(1, count + 1), documents, "made-up", 1)


def test_scores_of_samples_are_those_of_the_segments_alone():
    system = STATISTICS["good"]
    samples = broad_samples(system.n_segments, 4)
    frame = study.score_samples(system, samples)
    assert list(frame["sample"]) == [1, 2, 3, 4]
    for number, sample in enumerate(samples):
        assert frame["score"][number] == pytest.approx(system.take(sample).score()[0, 0], abs=1e-12)


def test_difference_is_a_minus_b():
    samples = study.choose_samples(1200, 100, "block")
    frame = study.difference_samples(STATISTICS["good"], STATISTICS["poor"], samples)
    assert np.allclose(frame["difference"], frame["score_a"] - frame["score_b"], atol=1e-12)
    assert frame["difference"].mean() > 0


@pytest.mark.parametrize("sampling", ["block", "broad", "random"])
def test_a_test_set_smaller_than_the_papers_makes_as_many_samples_that_overlap(sampling):
    samples = study.choose_samples(3004, 300, sampling, rng=1)
    assert [len(sample) for sample in samples] == [300] * 100
    every = np.concatenate(samples)
    assert (every.min() >= 0) & (every.max() <= 3003)
    assert np.bincount(every, minlength=3004).max() > 1
    steps = np.concatenate([np.diff(sample) for sample in samples])
    assert {"block": (steps == 1).all(), "broad": steps.max() <= 21, "random": steps.max() > 21}[sampling]
    assert (steps >= 1).all()
    assert len({tuple(sample) for sample in samples}) > 90
    again = study.choose_samples(3004, 300, sampling, rng=1)
    assert all(np.array_equal(*pair) for pair in zip(samples, again, strict=True))


def test_samples_overlap_only_if_the_paper_has_more():
    for size, n in ((300, 100), (600, 50), (3000, 10)):
        for sampling in ("block", "broad"):
            samples = study.choose_samples(30_000, size, sampling)
            assert len(samples) == n
            assert sorted(np.concatenate(samples)) == list(range(30_000))
    assert len(study.choose_samples(29_999, 300, rng=1)) == 100
    assert np.bincount(np.concatenate(study.choose_samples(29_999, 300, rng=1))).max() > 1
    assert len(study.choose_samples(33_739, 300)) == 112
    assert len(study.choose_samples(3004, 600, rng=1)) == 50  # as many as the paper has


@pytest.mark.parametrize(
    ("samples", "overlap"),
    [([[0, 2, 4], [1, 3]], False), ([[0, 1], [1, 2]], True), ([[0, 1], [2, 3], [3, 4]], True), ([[0, 1]], False)],
)
def test_samples_overlap_if_a_segment_is_in_two_of_them(samples, overlap):
    """Each frame of samples says so, whatever their sizes are."""
    samples, system = [np.array(sample) for sample in samples], STATISTICS["good"]
    frames = [
        study.score_samples(system, samples),
        study.difference_samples(system, STATISTICS["poor"], samples),
        study.interval_samples(system, samples, rng=1),
        study.conclude(STATISTICS, [("good", "poor")], samples, n_resamples=20, rng=1),
    ]
    for frame in frames:
        assert frame["overlapping"].tolist() == [overlap] * len(samples)


@pytest.mark.parametrize(("sampling", "size"), [("block", 1300), ("broad", 1300), ("random", 1300), ("broad", 0)])
def test_a_sample_larger_than_the_test_set_is_refused(sampling, size):
    with pytest.raises(InputError, match="but the test set has 1200 segments"):
        study.choose_samples(1200, size, sampling, rng=1)


def test_a_broad_sample_that_does_not_fit_is_named_by_its_size():
    with pytest.raises(InputError, match="Samples of 1300 segments were asked for, but the test set has 1200 segments"):
        study.choose_samples(1200, 1300)


def test_a_single_sample_is_said_to_show_nothing():
    with pytest.warns(DataWarning, match="1200 segments make one sample of 700, and one sample shows no spread"):
        assert len(study.choose_samples(1200, 700)) == 1


def test_an_unknown_sampling_is_refused():
    with pytest.raises(InputError, match="Samples can be chosen as 'block', 'broad', 'random', but 'wide' was asked"):
        study.choose_samples(1200, 100, "wide")


def test_blocks_of_clustered_segments_spread_more_than_broad_samples():
    frame = study.summarize_samplings(STATISTICS["good"], 60, rng=1).set_index("sampling")
    assert frame.loc["block", "standard_deviation"] > 1.5 * frame.loc["broad", "standard_deviation"]
    assert frame.loc["random", "effective_size"] == pytest.approx(60, rel=0.6)
    assert frame.loc["block", "effective_size"] < 30
    near = study.autocorrelate(STATISTICS["good"], 40)
    assert near["autocorrelation"][:5].min() > near["noise"][0]
    assert abs(near["autocorrelation"][30:].mean()) < near["noise"][0]


def test_intervals_of_samples_are_those_of_the_interval_function():
    system = STATISTICS["good"]
    samples = broad_samples(1200, 6)
    frame = study.interval_samples(system, samples, rng=5)
    own = resolve_rng(5).sample(3)
    interval = bootstrap_interval(system.take(samples[2]), method="percentile", unit="segment", rng=own)
    assert (frame["low"][2], frame["high"][2]) == pytest.approx((interval.low, interval.high), abs=1e-12)
    assert frame["true_score"].nunique() == 1
    assert list(frame["covers"]) == list((frame["low"] <= frame["true_score"]) & (frame["true_score"] <= frame["high"]))


def test_the_interval_grows_into_the_whole_interval():
    system = STATISTICS["good"]
    sample = broad_samples(1200, 6)[0]
    growth = study.grow_interval(system, sample, rng=5)
    whole = study.interval_samples(system, [sample], rng=5)
    assert growth["resamples"].iloc[-1] == 1000
    assert growth["low"].iloc[-1] == pytest.approx(whole["low"][0], abs=1e-12)
    assert growth["high"].iloc[-1] == pytest.approx(whole["high"][0], abs=1e-12)


def test_an_interval_grows_from_the_fewest_resamples_that_make_one():
    system, sample = STATISTICS["good"], broad_samples(1200, 6)[0]
    resamples = study.grow_interval(system, sample, rng=5)["resamples"]
    assert (resamples.iloc[0], resamples.iloc[-1]) == (40, 1000)


def test_intervals_of_samples_need_resamples():
    system, samples = STATISTICS["good"], broad_samples(1200, 6)
    with pytest.raises(InputError, match="^199 resamples are too few for the 99 % percentile interval, because"):
        study.interval_samples(system, samples, n_resamples=199, level=0.99)
    with pytest.warns(DataWarning, match="^300 resamples give only a rough 95 % percentile interval, because"):
        study.interval_samples(system, samples, n_resamples=300, rng=5)
    unset = study.interval_samples(system, samples, level=0.99, rng=5)
    pd.testing.assert_frame_equal(unset, study.interval_samples(system, samples, n_resamples=2000, level=0.99, rng=5))


def test_an_unset_number_of_resamples_follows_the_level():
    samples = broad_samples(1200, 60)[:2]
    for level, expected in ((0.95, 1000), (0.99, 2000)):
        frame = study.conclude(STATISTICS, [("good", "poor")], samples, level=level, rng=9)
        assert (frame[["wins", "losses", "ties"]].sum(axis=1) == expected).all()


def test_conclusions_are_projected_as_normal_differences_conclude():
    frame = study.project_conclusions(12, 300, (100, 300, 3000)).set_index("size")
    assert frame.loc[300, "correct_percent"] == pytest.approx(12)
    # A true difference of which 12 % of the samples of 300 conclude, drawn 400,000 times with 3,000 segments.
    difference = stats.norm.ppf(0.95) - stats.norm.ppf(0.88)
    drawn = np.random.default_rng(1).normal(difference * np.sqrt(10), 1, 400_000)
    assert frame.loc[3000, "correct_percent"] == pytest.approx(100 * (drawn >= 1.6449).mean(), abs=0.4)
    assert frame.loc[3000, "wrong_percent"] == pytest.approx(100 * (drawn <= -1.6449).mean(), abs=0.1)
    assert frame["wrong_percent"].is_monotonic_decreasing


def test_fresh_samples_and_resamples_spread_alike():
    frame = study.compare_with_fresh_samples(STATISTICS["good"], 100, n_draws=800, rng=2)
    assert set(frame["part_of_test_set"]) == {100 / 1200}
    spread = frame.groupby("source")["deviation"].std()
    # 100 of 1,200 are drawn without replacement: a little less spread than from an infinite set.
    assert spread["resamples"] / spread["fresh samples"] == pytest.approx(1 / np.sqrt(1 - 100 / 1200), rel=0.25)
    summary = study.summarize_assumption(STATISTICS["good"], 100, rng=2)
    assert len(summary) == 100
    assert set(summary["fresh_samples"]) == {20_000}
    assert summary["resampled_deviation"].mean() == pytest.approx(summary["fresh_deviation"][0], rel=0.2)
    # The delta method: the influence values' spread, with the correction for drawing without replacement.
    system = STATISTICS["good"]
    spread = ScoreTable.of([system]).influence[0].std(ddof=1) * 1200 / 10 * np.sqrt(1 - 100 / 1200)
    assert summary["fresh_deviation"][0] == pytest.approx(spread, rel=0.05)
    with pytest.raises(InputError, match="Samples of 1300 segments were asked for, but the test set has 1200"):
        study.summarize_assumption(system, 1300, rng=2)


def test_confidence_on_a_sample_is_that_of_the_paired_bootstrap():
    samples = broad_samples(1200, 4)
    frame = study.conclude(STATISTICS, [("good", "poor"), ("poor", "good")], samples, rng=9)
    pair = paired_bootstrap(
        STATISTICS["good"].take(samples[1]),
        STATISTICS["poor"].take(samples[1]),
        unit="segment",
        rng=resolve_rng(9).sample(2),
    )
    row = frame[(frame["a"] == "good") & (frame["sample"] == 2)].iloc[0]
    assert (row["wins"], row["losses"], row["ties"]) == (pair.wins, pair.losses, pair.ties)
    assert row["confidence"] == pair.confidence
    mirrored = frame[(frame["a"] == "poor") & (frame["sample"] == 2)].iloc[0]
    assert (mirrored["wins"], mirrored["losses"]) == (row["losses"], row["wins"])
    assert mirrored["correct"] == row["correct"]


def test_conclusions_follow_the_level():
    frame = study.conclude(STATISTICS, [("good", "poor")], broad_samples(1200, 60), n_resamples=200, rng=9)
    for _, row in frame.iterrows():
        expected = "good" if row["wins"] >= 190 else "poor" if row["losses"] >= 190 else ""
        assert row["conclusion"] == expected
    assert set(frame["conclusion"]) == {"good", ""}


def test_sizes_do_not_change_each_other():
    both = study.conclude_on_sizes(STATISTICS, [("good", "poor")], (100, 300), n_resamples=100, rng=4)
    alone = study.conclude_on_sizes(STATISTICS, [("good", "poor")], (300,), n_resamples=100, rng=4)
    pd.testing.assert_frame_equal(both[both["size"] == 300].reset_index(drop=True), alone)
    table = study.tabulate_conclusions(both)
    assert list(table["samples"]) == [100, 100]
    drawn = alone["conclusion"] == "good"
    assert table["correct_percent"][1] == pytest.approx(100 * drawn.mean())


def test_sizes_are_those_of_the_paper_of_which_the_test_set_holds_two_samples():
    frame = study.conclude_on_sizes(STATISTICS, [("good", "poor")], n_resamples=20, rng=4)
    assert list(frame["size"].unique()) == [100, 300, 600]
    fewer = SegmentStatistics(
        Bleu(), {name: STATISTICS[name].values[:, :1199] for name in STATISTICS}, first_segments(1199)
    )
    assert list(study.conclude_on_sizes(fewer, [("good", "poor")], n_resamples=20, rng=4)["size"].unique()) == [
        100,
        300,
    ]
    tiny = SegmentStatistics(Bleu(), {name: STATISTICS[name].values[:, :40] for name in STATISTICS}, first_segments(40))
    with pytest.raises(InputError, match="Samples of 100 segments were asked for, but the test set has 40 segments"):
        study.conclude_on_sizes(tiny, [("good", "poor")], rng=4)


def test_documents_stand_beside_sentences():
    documents = np.repeat([f"d{number}" for number in range(60)], 20)
    known = SegmentStatistics(Bleu(), STATISTICS.values, first_segments(1200, documents))
    widths = study.intervals_by_unit(known, 200, rng=1).set_index(["sampling", "unit"])
    assert list(widths["intervals"]) == [12] * 4
    assert widths["mean_width"]["block", "document"] > 1.5 * widths["mean_width"]["block", "segment"]
    assert widths["missed_percent"]["block", "document"] < widths["missed_percent"]["block", "segment"]
    blocks = study.choose_samples(1200, 200, "block")
    by_document = study.interval_samples(known["good"], blocks, unit="document", rng=1)
    own = resolve_rng(1).sample(3)
    interval = bootstrap_interval(known["good"].take(blocks[2]), method="percentile", unit="document", rng=own)
    assert (by_document["low"][2], by_document["high"][2]) == pytest.approx((interval.low, interval.high), abs=1e-12)
    assert widths["part_of_test_set"].tolist() == [200 / 1200] * 4
    table = study.conclusions_by_unit(known, [("good", "poor")], 200, rng=1)
    assert table["part_of_test_set"].tolist() == [200 / 1200] * 4
    frame = study.conclude(known, [("good", "poor")], blocks, unit="document", rng=1)
    row = table[(table["sampling"] == "block") & (table["unit"] == "document")].iloc[0]
    assert row["correct_percent"] == pytest.approx(100 * (frame["conclusion"] == "good").mean())
    assert row["wrong_percent"] == pytest.approx(100 * (frame["conclusion"] == "poor").mean())


def test_samples_of_half_the_test_set_spread_as_random_ones_without_replacement():
    """Taken for independent draws, they would have passed for samples of about twice their size."""
    frame = study.summarize_samplings(STATISTICS["good"], 600, rng=1).set_index("sampling")
    assert frame.loc["random", "effective_size"] == pytest.approx(600, rel=0.25)
    assert frame["effective_size"].max() <= 1200


def test_segments_that_fill_no_last_block_are_left_out_without_a_warning():
    """The project's filter makes an error of any warning."""
    assert list(study.intervals_by_unit(STATISTICS, 350, rng=1)["intervals"]) == [3 * len(STATISTICS)] * 4


def test_blocks_stand_in_for_documents_that_are_not_known():
    """Rows "by document" repeated those by segment, or were missing. The made-up segments come in clusters of 20."""
    assert study.choose_wider_unit(STATISTICS.test_set) == "block"
    few, enough = (first_segments(60, np.repeat([f"d{number}" for number in range(n)], 60 // n)) for n in (5, 6))
    assert (study.choose_wider_unit(few), study.choose_wider_unit(enough)) == ("block", "document")
    widths = study.intervals_by_unit(STATISTICS, 200, rng=1)
    (of_blocks, of_broad) = (widths["unit"][row] for row in (1, 3))
    assert list(widths["unit"]) == ["segment", of_blocks, "segment", of_broad]
    length = int(of_blocks.removeprefix("block of "))
    assert 10 <= length <= 42  # a cluster or so; at most 3 * sqrt(200) segments
    assert int(of_broad.removeprefix("block of ")) < length  # neighbours there are six places apart
    blocks = [np.arange(start, start + 200) for start in range(0, 1200, 200)]
    intervals = [
        bootstrap_interval(
            STATISTICS[name].take(block), method="percentile", unit=of_blocks, rng=resolve_rng(1).sample(number)
        )
        for name in STATISTICS
        for number, block in enumerate(blocks, 1)
    ]
    assert widths["mean_width"][1] == pytest.approx(np.mean([one.high - one.low for one in intervals]), abs=1e-12)
    assert widths["mean_width"][1] > 1.3 * widths["mean_width"][0]
    table = study.conclusions_by_unit(STATISTICS, [("good", "poor")], 200, rng=1)
    lengths = [int(unit.removeprefix("block of ")) for unit in table["unit"][1::2]]
    assert list(table["unit"][::2]) == ["segment", "segment"]
    frame = study.conclude(STATISTICS, [("good", "poor")], blocks, unit=f"block of {lengths[0]}", rng=1)
    assert table["correct_percent"][1] == pytest.approx(100 * (frame["conclusion"] == "good").mean())


def test_documents_are_not_drawn_where_a_block_lies_within_one():
    """Every resample was the block itself, so that each sample led to a conclusion, right or wrong."""
    long = SegmentStatistics(Bleu(), STATISTICS.values, first_segments(1200, np.repeat([*"abcdef"], 200)))
    assert study.choose_wider_unit(long.test_set) == "document"
    table, unknown = (study.conclusions_by_unit(one, [("good", "poor")], 100, rng=1) for one in (long, STATISTICS))
    assert "document" not in set(table["unit"])
    pd.testing.assert_frame_equal(table, unknown)


def test_blocks_of_one_segment_are_not_drawn(monkeypatch):
    """They are the segments again: "Drawing blocks of 1 makes the intervals 1.0 times as wide."."""
    monkeypatch.setattr("mtworkbench.papers.koehn2004.intervals.choose_block_length", lambda *_: 1)
    widths = study.intervals_by_unit(STATISTICS, 200, rng=1)
    assert list(zip(widths["sampling"], widths["unit"], strict=True)) == [("block", "segment"), ("broad", "segment")]
    table = study.conclusions_by_unit(STATISTICS, [("good", "poor")], 200, rng=1)
    assert list(table["unit"]) == ["segment"] * 2


def test_every_conclusion_falls_into_one_bin():
    conclusions = study.conclude_on_sizes(STATISTICS, [("good", "poor")], (20, 100), n_resamples=200, rng=4)
    conclusions["overlapping"] = False
    table = study.bin_conclusions(conclusions)
    assert table["conclusions"].sum() == len(conclusions) == 200
    assert list(table["bin"][:5]) == ["100%", "99%-99.9%", "98%-98.9%", "95%-97.9%", "90%-94.9%"]
    share = conclusions[["wins", "losses"]].max(axis=1) / 200
    inside = conclusions[(share >= 0.95) & (share < 0.98)]
    row = table.set_index("bin").loc["95%-97.9%"]
    assert row["conclusions"] == len(inside)
    if len(inside):
        low, high = stats.binomtest(int(inside["correct"].sum()), len(inside)).proportion_ci(method="exact")
        assert (row["low"], row["high"]) == pytest.approx((100 * low, 100 * high))


def test_samples_that_overlap_have_no_interval_that_takes_them_for_independent():
    conclusions = study.conclude_on_sizes(STATISTICS, [("good", "poor")], (10, 100), n_resamples=50, rng=4)
    assert conclusions.groupby("size")["overlapping"].agg(set).tolist() == [{False}, {True}]
    assert list(conclusions.columns[:5]) == ["a", "b", "size", "overlapping", "sample"]
    bins = study.bin_conclusions(conclusions)
    separate = study.bin_conclusions(conclusions[conclusions["size"] == 10])
    mixed = bins["conclusions"] > separate["conclusions"]
    assert mixed.any()
    assert bins.loc[mixed, ["low", "high"]].isna().all().all()
    assert separate[["low", "high"]].notna().all().all()
    alone = study.bin_conclusions(conclusions[conclusions["overlapping"]])
    counted = alone[(alone["conclusions"] > 0) & (alone["mean_confidence"] < 100)]
    apart = (counted["mean_confidence"] - counted["correct_percent"]).abs().max()
    assert findings.title_calibration(alone).endswith(f"differ by at most {apart:.0f} percentage points")
    ax = plot_calibration(alone, Figure().subplots(), paper=study.read_published("table4"))
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {"paper", "here"}


def test_lower_is_better_turns_the_winner_round():
    random = np.random.default_rng(1)
    length = random.integers(10, 30, (1, 400, 1)).astype(float)
    edits = {"few": random.binomial(5, 0.4, (1, 400, 1)), "many": random.binomial(5, 0.6, (1, 400, 1))}
    values = {name: np.concatenate([count, length], axis=2) for name, count in edits.items()}
    statistics = SegmentStatistics(Ter(), values, TestSet(np.arange(1, 401), None, "x", 1))
    frame = study.conclude(statistics, [("few", "many")], broad_samples(400, 4), n_resamples=200, rng=1)
    assert (frame["difference"] < 0).all()
    assert set(frame["conclusion"]) == {"few"}
    assert frame["correct"].all()


def test_a_metric_without_direction_draws_no_conclusions():
    values = {"a": np.ones((1, 10, 2)), "b": np.ones((1, 10, 2))}
    statistics = SegmentStatistics(Length(), values, TestSet(np.arange(1, 11), None, "x", 1))
    with pytest.raises(InputError, match="Length does not say which of two scores is better"):
        study.conclude(statistics, [("a", "b")], [np.arange(10)], rng=1)


def test_student_interval_is_scipys():
    judged = [1] * 30 + [0] * 70
    interval = study.student_interval(judged)
    low, high = stats.t.interval(0.95, 99, loc=0.3, scale=stats.sem(judged))
    assert (interval.low, interval.high) == pytest.approx((low, high), rel=1e-12)
    with pytest.raises(InputError, match="needs at least two judged sentences, but there are 1"):
        study.student_interval([3, np.nan])


def test_student_density_shades_the_interval():
    interval = study.student_interval([1, 2, 3, 4, 5, 5, 4])
    curve = study.student_density(interval, 4001)
    inside = curve[curve["inside"]]
    assert inside["score"].min() == interval.low
    assert inside["score"].max() == interval.high
    assert np.trapezoid(inside["density"], inside["score"]) == pytest.approx(0.95, abs=1e-3)
    expected = stats.t.pdf(curve["score"], 6, loc=interval.mean, scale=interval.standard_error)
    np.testing.assert_allclose(curve["density"], expected, rtol=1e-12)


def test_table_2_follows_from_n_minus_1():
    table = study.student_factors().set_index(["level", "size"])["t"]
    assert table[0.95, 100] == pytest.approx(1.9842, abs=5e-5)
    assert table[0.99, 600] == pytest.approx(2.5841, abs=5e-5)
    assert table[0.99, np.inf] == pytest.approx(2.5758, abs=5e-5)
    assert len(table) == 12


def several_references():
    random = np.random.default_rng(0)
    words = np.array(list("abcdefgh"))
    texts = [" ".join(random.choice(words, 9)) for _ in range(40)]

    def vary(rate):
        return [
            " ".join(word if keep > rate else "z" for word, keep in zip(text.split(), random.random(9), strict=True))
            for text in texts
        ]

    frame = {"segment": np.arange(1, 41), "system": "one", "run": 1, "hypothesis": vary(0.3)}
    return pd.DataFrame(frame | {"reference": vary(0.1), "reference_2": vary(0.1), "reference_3": vary(0.1)})


def test_more_references_raise_bleu():
    outputs = several_references()
    frame = study.score_reference_counts(outputs, Bleu(tokenize="none"), rng=1)
    assert list(frame.groupby("references").size()) == [3, 3, 1]
    means = frame.groupby("references")["score"].mean()
    assert means.is_monotonic_increasing
    both = outputs.drop(columns="reference_2").rename(columns={"reference_3": "reference_2"})
    expected = compute_statistics(both, Bleu(tokenize="none")).score()["one"][0, 0]
    row = frame[frame["choice"] == "reference+reference_3"].iloc[0]
    assert row["score"] == pytest.approx(expected, abs=1e-12)


def test_all_choices_of_one_and_of_two_references_are_taken():
    """The mean over all choices does not depend on what is drawn."""
    frame = study.score_reference_counts(several_references(), Bleu(tokenize="none"), n_choices=1, rng=1)
    assert list(frame.groupby("references").size()) == [3, 3, 1]
    outputs = several_references().rename(columns={"reference": "reference_2", "reference_2": "reference"})
    outputs["reference_4"] = outputs["reference"]
    frame = study.score_reference_counts(outputs, Bleu(tokenize="none"), n_choices=2, rng=1)
    assert list(frame.groupby("references").size()) == [4, 6, 2, 1]


def test_where_segments_lack_references_those_of_most_segments_are_used():
    outputs = several_references()
    assert study.share_references(outputs) is outputs
    outputs.loc[outputs["segment"] > 10, "reference_2"] = None
    outputs.loc[outputs["segment"] > 30, "reference_3"] = None
    outputs["reference_4"] = outputs["reference"].where(outputs["segment"] > 5)
    said = r"^Some segments lack one or more of the 4 references\. This section uses only reference, .* the 25 of 40 "
    with pytest.warns(DataWarning, match=said):
        shared = study.share_references(outputs)
    apart = outputs[["segment", "system", "run", "hypothesis"]].assign(
        reference=outputs["reference"].where(outputs["segment"] > 20),
        reference_2=outputs["reference_4"].where(outputs["segment"] <= 20),
    )
    with pytest.raises(InputError, match="^No segment has both reference and reference_2"):
        study.share_references(apart)
    assert list(shared["segment"]) == list(range(6, 31))
    assert [name for name in shared.columns if name.startswith("reference")] == [
        "reference", "reference_2", "reference_3"
    ]  # fmt: skip
    assert (shared["reference_2"] == outputs["reference_3"][5:30]).all()
    with pytest.warns(DataWarning, match=said):
        frame = study.score_reference_counts(outputs, Bleu(tokenize="none"), rng=1)
    pd.testing.assert_frame_equal(frame, study.score_reference_counts(shared, Bleu(tokenize="none"), rng=1))
    with pytest.warns(DataWarning, match=said):
        assert set(study.score_references(outputs, Bleu(tokenize="none"))["held_out"]) == set(frame["choice"][:3])


def test_references_are_scored_against_the_others():
    frame = study.score_references(several_references(), Bleu(tokenize="none"))
    assert list(frame["scored"]) == ["human", "one"] * 3
    assert set(frame["held_out"]) == {"reference", "reference_2", "reference_3"}
    human = frame[frame["scored"] == "human"]
    assert (human["relative_to_human"] == 100).all()
    assert (frame[frame["scored"] == "one"]["relative_to_human"] < 100).all()
    with pytest.raises(InputError, match="A reference is scored against the others, but there are 1"):
        study.score_references(several_references().drop(columns=["reference_2", "reference_3"]))


def test_orders_of_ngrams():
    outputs = several_references().drop(columns=["reference_2", "reference_3"])
    statistics = compute_statistics(outputs, Bleu(tokenize="none", max_ngram_order=6))
    frame = study.score_orders(statistics)
    assert list(frame["order"]) == [1, 2, 3, 4, 5, 6]
    four = compute_statistics(outputs, Bleu(tokenize="none"))
    assert frame["score"][3] == pytest.approx(four.score()["one"][0, 0], abs=1e-12)
    for before, after in itertools.pairwise(frame["precision"]):
        assert after < before
    table = study.tabulate_systems(four)
    assert table["precision_4"][0] == pytest.approx(frame["precision"][3], abs=1e-12)
    assert frame["no_match_percent"][3] == pytest.approx(100 * (four["one"].values[0, :, 5] == 0).mean())
