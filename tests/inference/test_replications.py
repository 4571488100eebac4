"""How much systems vary: Clark's three deviations, the median run, and what is said of them."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from mtworkbench import __version__
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import compare, median_run, optimizer_variance, rank_changes
from mtworkbench.inference.runs import largest_ratio_by_chance
from mtworkbench.metrics import Length, MeanScore
from mtworkbench.papers.clark2011 import describe_median_runs
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import format_variance
from mtworkbench.words.sentences_on_runs import describe_known_spread, describe_selection, describe_tuning

from ..test_tables_variance import system as make_system


@pytest.fixture
def test_runs(make_bleu):
    return make_bleu(120, runs=(3, 4, 3), gain=0.01)


@pytest.fixture
def dev_runs(make_bleu):
    """The same systems and runs on another set."""
    dev = make_bleu(80, runs=(3, 4, 3), gain=0.01, seed=9)
    return replace(dev, test_set=replace(dev.test_set, references="of the dev set"))


def lengths_of(statistics):
    values = {system: values[..., :2] for system, values in statistics.values.items()}
    return SegmentStatistics(Length(), values, statistics.test_set)


def test_deviations_are_clarks(test_runs, dev_runs):
    found = optimizer_variance([test_runs, lengths_of(test_runs)], [lengths_of(dev_runs), dev_runs], rng=1)
    assert list(found.metrics) == ["BLEU", "Length"]
    compared = compare([test_runs, lengths_of(test_runs)], rng=1)
    for name, metric in found.metrics.items():
        families = [test_runs, dev_runs] if name == "BLEU" else [lengths_of(test_runs), lengths_of(dev_runs)]
        for system, same in zip(metric.systems, compared.metrics[name].systems, strict=True):
            scores, dev_scores = (family[system.system].score()[0] for family in families)
            assert system.runs == len(scores)
            assert system.scores == tuple(scores)
            assert system.dev_scores == tuple(dev_scores)
            assert (system.mean, system.dev_mean) == pytest.approx((scores.mean(), dev_scores.mean()))
            assert (system.s_test, system.s_dev) == pytest.approx((scores.std(ddof=1), dev_scores.std(ddof=1)))
            assert (system.lowest, system.highest) == (scores.min(), scores.max())
            assert (system.mean, system.s_sel) == (same.score, same.s_sel)
            assert (system.low, system.high, system.s_test) == (same.low, same.high, same.s_test)
            assert system.median_run == median_run(scores)
            assert system.median_score == scores[system.median_run - 1]
            assert system.dev_median_run == median_run(dev_scores)
            assert system.dev_median_score == scores[system.dev_median_run - 1]


def test_the_median_run_is_called_what_its_file_is_called(test_runs):
    """Runs may be counted from 0: whoever reads the median run looks for its file."""
    name, n_runs = next((one.system, one.n_runs) for one in map(test_runs.__getitem__, test_runs) if one.n_runs > 2)
    called = tuple(str(number) for number in range(n_runs))
    found = optimizer_variance(replace(test_runs, run_names={name: called}), rng=1)
    [one] = [one for one in next(iter(found.metrics.values())).systems if one.system == name]
    assert one.run_names == called and called[one.median_run - 1] != str(one.median_run)
    assert f"(run {called[one.median_run - 1]})" in format_variance(found)
    assert f"{name}: read run {called[one.median_run - 1]}, the median" in describe_median_runs(found)


def test_runs_with_other_names_on_the_dev_set_are_refused(test_runs, dev_runs):
    name, n_runs = next((one.system, one.n_runs) for one in map(dev_runs.__getitem__, dev_runs) if one.n_runs == 3)
    assert test_runs[name].n_runs == n_runs
    with pytest.raises(InputError) as found:
        optimizer_variance(
            replace(test_runs, run_names={name: ("1", "2", "3")}),
            replace(dev_runs, run_names={name: ("0", "1", "2")}),
            rng=1,
        )
    assert (found.value.code, str(found.value)) == (
        "different-runs",
        f"System {name!r} has runs 1, 2 and 3 on the test set, but runs 0, 1 and 2 on the dev set: run k must be the "
        "same trained system on every set; give the outputs of the same runs, or give the files of one trained system "
        "the same number.",
    )


def test_runs_without_names_on_the_dev_set_are_matched_by_order(test_runs, dev_runs):
    """As of statistics that a version without names of runs saved."""
    names = {"s0": ("42", "43", "44")}
    with pytest.warns(DataWarning) as noticed:
        found = optimizer_variance(replace(test_runs, run_names=names), dev_runs, rng=1)
    assert [(one.message.code, str(one.message)) for one in noticed] == [
        (
            "runs-by-order",
            "The runs of 's0' have names or numbers on the test set, but none on the dev set. They are therefore "
            "matched by order: check that run k is the same trained system on every set.",
        )
    ]
    expected = optimizer_variance(test_runs, dev_runs, rng=1)
    for one, same in zip(found.metrics["BLEU"].systems, expected.metrics["BLEU"].systems, strict=True):
        assert (one.scores, one.dev_scores, one.dev_median_run) == (same.scores, same.dev_scores, same.dev_median_run)


def test_what_was_used_is_named(test_runs, dev_runs):
    found = optimizer_variance(test_runs, dev_runs, n_resamples=400, rng=5)
    assert (found.unit, found.interval, found.level, found.baseline) == ("segment", "percentile", 0.95, "s0")
    assert (found.n_segments, found.n_dev_segments, found.n_documents, found.rng) == (120, 80, None, 5)
    assert found.signature == (
        f"test:variance|unit:segment|interval:percentile|level:0.95|resamples:400|rng:5|mtworkbench:{__version__}"
    )
    assert repr(found) == f"OptimizerVariance(BLEU; {found.signature})"
    assert repr(found.metrics["BLEU"]) == "MetricVariance(BLEU, 3 systems)"


def test_an_unset_number_of_resamples_follows_the_level(test_runs):
    found = optimizer_variance(test_runs, level=0.99, rng=1)
    assert (found.n_resamples, optimizer_variance(test_runs, rng=1).n_resamples) == (2000, 1000)
    assert "|level:0.99|resamples:2000|" in found.signature


@pytest.mark.parametrize(
    ("scores", "run"),
    [([3.0], 1), ([2.0, 1.0], 2), ([3.0, 1.0, 2.0], 3), ([4.0, 1.0, 3.0, 2.0], 4), ([2.0, 1.0, 2.0, 3.0], 1)],
)
def test_the_median_run_is_a_run(scores, run):
    """Of an even number the lower of the two in the middle; of equal ones the first."""
    assert median_run(scores) == median_run(np.array(scores)) == run


def test_frames_have_one_row_a_system(test_runs):
    found = optimizer_variance([test_runs, lengths_of(test_runs)], n_resamples=400, rng=1)
    frame = found.to_frame()
    assert " ".join(frame.columns) == (
        "metric system runs mean low high s_sel s_dev s_test lowest highest median_run median_score dev_mean "
        "dev_median_run dev_median_score scores dev_scores run_names"
    )
    assert frame["metric"].tolist() == ["BLEU"] * 3 + ["Length"] * 3
    assert frame["s_dev"].isna().all()
    pd.testing.assert_frame_equal(found.metrics["BLEU"].to_frame(), frame.iloc[:3, 1:], check_dtype=False)
    for shown in (found, found.metrics["BLEU"], found.metrics["BLEU"].systems[0]):
        assert not re.search(r"\d\.\d{7}|nan|None", shown._repr_html_().replace(__version__, ""))


def test_fewer_than_three_runs_are_warned_of(make_bleu):
    with pytest.warns(DataWarning) as caught:
        found = optimizer_variance(make_bleu(60, runs=(1, 2, 3)), n_resamples=400, rng=1)
    [warning] = caught
    assert (warning.message.code, warning.message.count) == ("few-runs", 2)
    assert str(warning.message) == (
        "Fewer than 3 runs of 's0' (1), 's1' (2): to estimate run-to-run variation, give at least 3 runs per system, "
        "preferably more."
    )
    assert warning.filename == __file__
    metric = found.metrics["BLEU"]
    assert metric.systems[0].s_test is None
    assert metric.readings[0] == "s0: one run says nothing about how much the score would change with another run."
    # sqrt((n - 1) / q), q the quantiles of chi-square: 0.446 to 31.9 with 2 runs, 0.521 to 6.285 with 3.
    two, three = metric.systems[1:]
    assert (two.runs, three.runs) == (2, 3)
    assert metric.readings[-3:] == (
        f"With 2 runs, a measured s_test of {two.s_test:.2g} (s1) is compatible with a true one from "
        f"{0.44614 * two.s_test:.2g} to {31.910 * two.s_test:.2g} (95 % CI).",
        f"With 3 runs, a measured s_test of {three.s_test:.2g} (s2) is compatible with a true one from "
        f"{0.52066 * three.s_test:.2g} to {6.2847 * three.s_test:.2g} (95 % CI).",
        "The systems have different numbers of runs; each mean and deviation is over that system's runs.",
    )
    # The baseline has one run, so no difference from it can be analysed.
    assert metric.advice == (
        "Where to spend next: make at least two runs of s0, because one run does not show how much runs vary.",
    )


def test_advice_is_on_each_system_beside_the_baseline(test_runs):
    advice = optimizer_variance(test_runs, baseline="s1", n_resamples=400, rng=1).metrics["BLEU"].advice
    assert [sentence.split(":")[0] for sentence in advice] == ["s0 - s1", "s2 - s1"]
    assert "with 3 and 4 runs on 120 segments" in advice[0]


def test_systems_with_one_run_are_asked_for_more_in_one_sentence(make_bleu):
    asked = "Where to spend next: make at least two runs of {}, because one run does not show how much runs vary."
    for runs, systems, compared in (
        ((1, 1, 1), "each system", []),
        ((3, 1, 3, 1), "s1 and s3", ["s2 - s0"]),
        ((3, 1, 1, 1), "s1, s2 and s3", []),
    ):
        with pytest.warns(DataWarning, match="^Fewer than 3 runs"):
            found = optimizer_variance(make_bleu(60, runs=runs), n_resamples=400, rng=1)
        advice = found.metrics["BLEU"].advice
        assert advice[0] == asked.format(systems)
        assert [sentence.split(":")[0] for sentence in advice[1:]] == compared


def test_readings_are_facts_and_only_the_difference_gives_advice(make_mean):
    """Segments are hard for both systems: each score moves with the test set, their difference hardly does."""
    draws = np.random.default_rng(5)
    hard = draws.normal(0, 5, 300)
    scores = {name: hard + draws.normal(0, 0.1, (6, 300)) + draws.normal(0, 0.05, (6, 1)) for name in ("base", "new")}
    metric = optimizer_variance(make_mean(**scores), n_resamples=400, rng=1).metrics["score"]
    *readings, rough = metric.readings
    for system, reading in zip(metric.systems, readings, strict=True):
        assert reading == (
            f"{system.system}: on these runs, the estimate of test-set variation (s_sel {system.s_sel:.2g}) is larger "
            f"than that of run-to-run variation (s_test {system.s_test:.2g})."
        )
    s_test = metric.systems[0].s_test
    assert rough == (
        f"With 6 runs, a measured s_test of {s_test:.2g} (base) is compatible with a true one from "
        f"{0.62421 * s_test:.2g} to {2.4526 * s_test:.2g} (95 % CI)."
    )
    (advice,) = metric.advice
    assert advice.endswith(": more runs help more than more segments. With only 6 runs this is a rough estimate.")


def test_runs_that_do_not_go_together_are_said(test_runs, dev_runs):
    short = replace(dev_runs, values={name: values[:2] for name, values in dev_runs.values.items() if name != "s2"})
    with pytest.warns(DataWarning) as caught:
        found = optimizer_variance(test_runs, short, n_resamples=400, rng=1).metrics["BLEU"].systems
    [warning] = caught
    assert (warning.message.code, warning.message.count, warning.filename) == ("dev-runs", 2, __file__)
    consequence = "runs are matched by number, so the dev-set median run cannot be identified on the test set."
    assert str(warning.message) == (
        "2 systems have different numbers of runs on the test set and on the dev set, 's0' (3 and 2) and 's1' (4 and "
        f"2): {consequence}"
    )
    with pytest.warns(DataWarning) as caught:
        optimizer_variance(test_runs, replace(short, values={"s0": short.values["s0"]}), n_resamples=400, rng=1)
    assert [str(warning.message) for warning in caught] == [
        f"'s0' has different numbers of runs on the test set (3) and on the dev set (2): {consequence}"
    ]
    assert found[0].s_dev == pytest.approx(short["s0"].score()[0].std(ddof=1))
    assert found[0].dev_median_run is found[0].dev_median_score is None
    assert found[2].s_dev is found[2].dev_mean is found[2].dev_scores is None


def test_dev_statistics_must_fit(test_runs, dev_runs):
    with pytest.raises(InputError, match=r"^The test set has statistics of BLEU \(.*\), the dev set has none: compute"):
        optimizer_variance(test_runs, lengths_of(dev_runs))
    other = replace(dev_runs, values={"s9": dev_runs.values["s0"]})
    sentence = "The dev set has outputs of 's9', which is not among the systems of the test set: 's0', 's1', 's2'."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        optimizer_variance(test_runs, other)
    with pytest.warns(DataWarning, match="^The dev set has the segments and references of the test set"):
        optimizer_variance(test_runs, test_runs, n_resamples=400, rng=1)
    with pytest.raises(InputError, match="^The baseline 'base' is not among the systems"):
        optimizer_variance(test_runs, baseline="base")
    with pytest.raises(InputError, match="^n_resamples is 0"):
        optimizer_variance(test_runs, n_resamples=0)


def test_documents_are_resampled_where_they_are_known(make_bleu):
    statistics = make_bleu(200, runs=(3,), documents=np.arange(200) // 10)
    found = optimizer_variance(statistics, rng=1)
    assert (found.unit, found.n_documents, found.interval) == ("document", 20, "jackknife")
    assert found.metrics["BLEU"].systems[0].s_sel == compare(statistics, rng=1).metrics["BLEU"].systems[0].s_sel


def test_missing_scores_are_counted_once(make_mean):
    scores = {name: np.random.default_rng(number).normal(size=(3, 40)) for number, name in enumerate("ab")}
    scores["a"][0, 3] = np.nan
    with pytest.warns(DataWarning) as caught:
        found = optimizer_variance(make_mean(metric=MeanScore(name="DA"), **scores), n_resamples=400, rng=1)
    assert [warning.message.code for warning in caught] == ["missing-scores"]
    assert len(found.metrics["DA"].advice) == 1


def test_progress_is_shown(test_runs):
    seen = []

    def bar(draws):
        for draw in draws:
            seen.append(draw)
            yield draw

    optimizer_variance(test_runs, n_resamples=430, rng=1, progress=bar)
    assert len(seen) == 430


def test_the_larger_deviation_is_named():
    assert describe_selection(1.6, 0.5) == (
        "on these runs, the estimate of test-set variation (s_sel 1.6) is larger than that of run-to-run variation "
        "(s_test 0.5)."
    )
    at_least = (
        "on these runs, the estimate of run-to-run variation (s_test 0.4) is at least as large as that of test-set "
        "variation (s_sel {})."
    )
    assert [describe_selection(s_sel, 0.4) for s_sel in (0.3, 0.4)] == [at_least.format(0.3), at_least.format(0.4)]


def test_only_few_runs_are_called_rough():
    numbers = {"s0": 12, "s1": 3, "s2": 10, "s3": 3}
    systems = [make_system(name, scores=(27.0,) * runs, s_test=0.2) for name, runs in numbers.items()]
    systems += [make_system("one", runs=1, s_test=None), make_system("constant", scores=(27.0,) * 4, s_test=0.0)]
    assert list(describe_known_spread(systems)) == [
        "With 3 runs, a measured s_test of 0.2 (s1) is compatible with a true one from 0.1 to 1.3 (95 % CI)."
    ]


def test_s_test_above_s_dev_says_that_the_dev_set_may_understate_variation():
    assert describe_tuning(0.2, 0.5, 300) == (
        "the runs differ more on the test set (s_test 0.5) than on the dev set (s_dev 0.2): the dev set may understate "
        "how much runs differ."
    )
    assert describe_tuning(0.2, 0.5, 3).endswith(
        "how much runs differ. With 3 runs, a ratio of s_test to s_dev below 6.2 can be chance."
    )
    assert "chance" not in describe_tuning(0.05, 0.5, 3)
    assert "chance" in describe_tuning(0.0, 0.5, 3)
    assert describe_tuning(0.5, 0.2, 3) == (
        "the runs differ no more on the test set (s_test 0.2) than on the dev set (s_dev 0.5): no sign that the dev "
        "set understates how much runs differ."
    )
    assert largest_ratio_by_chance(3) == pytest.approx(scipy.stats.f.ppf(0.975, 2, 2) ** 0.5)


@pytest.fixture
def outputs_of():
    """An outputs frame with made-up texts for some statistics."""

    def make(statistics):
        rows = [
            {"segment": segment, "reference": f"ref {segment}", "system": system, "run": run}
            | {"hypothesis": f"{system}.{run}.{segment}"}
            for system in statistics
            for run in range(1, statistics[system].n_runs + 1)
            for segment in statistics.test_set.segments
        ]
        return pd.DataFrame(rows)

    return make


def test_segments_are_ranked_by_the_change_from_the_baselines_median_run(test_runs, dev_runs, outputs_of):
    metric = test_runs.metric
    for dev in (None, dev_runs):
        frame = rank_changes(test_runs, dev=dev, outputs=outputs_of(test_runs))
        assert frame["system"].tolist() == ["s1"] * 120 + ["s2"] * 120
        chosen = test_runs if dev is None else dev
        runs = {name: median_run(chosen[name].score()[0]) for name in test_runs}
        for system, rows in frame.groupby("system"):
            assert rows["run"].unique().tolist() == [runs[system]]
            assert rows["baseline_run"].unique().tolist() == [runs["s0"]]
            assert rows["change"].is_monotonic_decreasing
            assert sorted(rows["segment"]) == list(range(1, 121))
            scores = metric.segment_score(test_runs[system].values[runs[system] - 1])
            against = metric.segment_score(test_runs["s0"].values[runs["s0"] - 1])
            np.testing.assert_array_equal(rows["score"], scores[rows["segment"] - 1])
            np.testing.assert_array_equal(rows["change"], (scores - against)[rows["segment"] - 1])
        row = frame.iloc[130]
        assert row["hypothesis"] == f"s2.{runs['s2']}.{row['segment']}"
        assert row["baseline_hypothesis"] == f"s0.{runs['s0']}.{row['segment']}"
        assert row["reference"] == f"ref {row['segment']}"


def test_where_lower_is_better_the_most_improved_come_first_too(make_mean):
    draws = np.random.default_rng(1)
    scores = {name: draws.normal(size=(3, 30)) for name in "ab"}
    scores["a"][:, 4] = np.nan
    errors = make_mean(metric=MeanScore(name="MQM", higher_is_better=False), **scores)
    frame = rank_changes(errors, "b")
    assert frame["change"].iloc[:-1].is_monotonic_increasing
    assert np.isnan(frame["change"].iloc[-1])
    assert frame["segment"].iloc[-1] == 5
    by_document = make_mean(documents=np.arange(30) // 5, **{name: runs[:, :30] for name, runs in scores.items()})
    changed = rank_changes(by_document, "b")
    assert changed.columns[4] == "document"
    assert changed.index.tolist() == list(range(30))
    alone = rank_changes(replace(by_document, values={"b": by_document.values["b"]}))
    assert (alone.columns.tolist(), len(alone)) == (changed.columns.tolist(), 0)


def test_a_ranking_needs_the_outputs_of_the_statistics(test_runs, outputs_of):
    outputs = outputs_of(test_runs)
    sentence = (
        "The outputs do not have a hypothesis for all segments of run 1 of 's1' that the statistics have: give the "
        "frame that they were computed from."
    )
    alone = test_runs.take([0, 1])
    kept = outputs[outputs["segment"] > 1]
    single = replace(alone, values={name: values[:1] for name, values in alone.values.items()})
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        rank_changes(single, outputs=kept)
    with pytest.raises(InputError, match="^The baseline 'x' is not among"):
        rank_changes(test_runs, "x")


def test_only_references_are_shown_beside_the_changes(make_bleu, outputs_of):
    statistics = make_bleu(10, runs=(1, 1))
    texts = outputs_of(statistics).assign(source="src", reference_id="A", reference_2="other")
    frame = rank_changes(statistics, outputs=texts)
    assert " ".join(frame.columns[7:]) == "reference source reference_2 baseline_hypothesis hypothesis"


def test_a_baseline_alone_has_no_changes(make_bleu, outputs_of):
    statistics = make_bleu(10, runs=(3,))
    frame = rank_changes(statistics, outputs=outputs_of(statistics))
    assert frame.empty
    assert " ".join(frame.columns) == (
        "system run baseline_run segment change score baseline_score reference baseline_hypothesis hypothesis"
    )
