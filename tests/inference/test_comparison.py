"""The whole table: its numbers are those of the single tests, its families are judged together."""

import json
import pickle
import re
from dataclasses import dataclass, fields, replace

import numpy as np
import pandas as pd
import pytest

from mtworkbench import __version__
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import (
    Comparison,
    approximate_randomization,
    bootstrap_interval,
    compare,
    crossed_analysis,
    paired_bootstrap,
)
from mtworkbench.inference.verdicts import judge_holm
from mtworkbench.metrics import Bleu, Length, MeanScore
from mtworkbench.results import settings
from mtworkbench.results.estimates import FurtherTest, Of
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import format_comparison


@pytest.fixture
def three(make_bleu):
    return make_bleu(120, runs=(2, 2, 2), documents=np.arange(120) // 8, gain=0.008)


def lengths_of(statistics):
    """The same outputs under Length."""
    values = {system: values[..., :2] for system, values in statistics.values.items()}
    return SegmentStatistics(Length(), values, statistics.test_set)


@pytest.mark.parametrize("exchange", ["unit", "run"])
@pytest.mark.parametrize(("unit", "interval"), [("auto", "auto"), ("segment", "auto"), ("document", "bca")])
def test_numbers_are_those_of_the_single_tests(three, unit, interval, exchange):
    statistics = [three, lengths_of(three)]
    options = {"unit": unit, "rng": 1}
    with pytest.warns(DataWarning) if unit != "segment" else pytest.MonkeyPatch.context():
        found = compare(
            statistics, "s1", interval=interval, exchange=exchange, n_resamples=400, n_trials=450, **options
        )
        bootstrap = {"n_resamples": 400, "method": interval, **options}
        for family in statistics:
            metric = found.metrics[family.metric.name]
            assert metric.signature == family.signature
            for system in metric.systems:
                alone = bootstrap_interval(family[system.system], **bootstrap)
                assert system.runs == 2
                for name in ("score", "scores", "low", "high", "s_sel", "s_test", "design_effect"):
                    assert getattr(system, name) == getattr(alone, name), name
                assert system.interval.signature == alone.signature
                np.testing.assert_array_equal(system.resampled, alone.resampled)
            for pair in metric.comparisons:
                a, b = family[pair.a], family[pair.b]
                boot = paired_bootstrap(a, b, **bootstrap)
                for name in ("difference", "confidence", "wins", "losses", "ties", "design_effect"):
                    assert getattr(pair, name) == getattr(boot, name), name
                assert (pair.bootstrap.low, pair.bootstrap.high) == (boot.low, boot.high)
                is_bootstraps = (pair.low, pair.high) == (boot.low, boot.high)
                assert is_bootstraps == (interval != "auto")  # else it comes from the exchanges
                assert pair.bootstrap.signature == boot.signature
                assert (pair.score_a, pair.score_b) == (a.score().mean(), b.score().mean())
                assert pair.difference == pair.score_a - pair.score_b
                differing = (a.values.sum(axis=0) != b.values.sum(axis=0)).any(axis=1)
                assert pair.segments_differing == np.count_nonzero(differing)
                np.testing.assert_array_equal(pair.resampled, boot.differences)
                test = approximate_randomization(a, b, exchange=exchange, n_trials=450, **options)
                for name in ("difference", "p_value", "p_low", "p_high"):
                    assert getattr(pair, name) == getattr(test, name), name
                method = crossed_analysis(a, b, unit=unit)
                assert method.method_p_value is not None
                for name in ("method_p_value", "method_low", "method_high", "method_df"):
                    assert getattr(pair, name) == getattr(method, name), name


@pytest.mark.parametrize("runs", [(2, 3), (3, 1)])
def test_runs_are_exchanged_metric_by_metric(make_bleu, make_ter, runs):
    """Metrics whose statistics have different numbers of runs have coins of their own, those of the test alone."""
    bleu, ter = make_bleu(60, runs=(runs[0],) * 3, gain=0.003), make_ter(60, runs=(runs[1],) * 3)
    found = compare([bleu, ter], exchange="run", n_resamples=400, n_trials=500, rng=1)
    p_values = []
    for family in (bleu, ter):
        pairs = found.metrics[family.metric.name].comparisons
        assert [(pair.a, pair.b) for pair in pairs] == [("s1", "s0"), ("s2", "s0"), ("s2", "s1")]
        for pair in pairs:
            alone = approximate_randomization(family[pair.a], family[pair.b], exchange="run", n_trials=500, rng=1)
            assert not alone.exact
            for name in ("difference", "p_value", "p_low", "p_high", "smallest_p"):
                assert getattr(pair, name) == getattr(alone, name), name
            p_values.append(pair.p_value)
    assert sum(0.02 < p_value < 0.98 for p_value in p_values) >= 4, p_values


def test_what_was_used_is_named(three):
    with pytest.warns(DataWarning, match="^Only 15 documents can be resampled"):
        found = compare(three, n_resamples=100, n_trials=300, rng=5)
    assert (found.unit, found.exchange, found.interval) == ("document", "unit", "jackknife")
    assert (found.n_segments, found.n_documents, found.version, found.rng) == (120, 15, __version__, 5)
    assert (found.n_resamples, found.n_trials, found.level, found.baseline) == (100, 300, 0.95, None)
    assert found.signature == (
        "test:ar|unit:document|exchange:unit|trials:300|interval:auto|level:0.95|resamples:100|adjust:max-t|rng:5"
        f"|mtworkbench:{__version__}"
    )
    assert repr(found) == f"Comparison(BLEU; all pairs; {found.signature})"
    assert "against 's0'" in repr(compare(three, "s0", unit="segment", n_resamples=400, n_trials=200, rng=1))


def test_all_pairs_have_the_later_given_as_a(three):
    found = compare(three, unit="segment", n_resamples=400, n_trials=220, rng=1)
    pairs = [(pair.a, pair.b) for pair in found.metrics["BLEU"].comparisons]
    assert pairs == [("s1", "s0"), ("s2", "s0"), ("s2", "s1")]
    found = compare(three, "s1", unit="segment", n_resamples=400, n_trials=220, rng=1)
    assert [(pair.a, pair.b) for pair in found.metrics["BLEU"].comparisons] == [("s0", "s1"), ("s2", "s1")]


def test_comparisons_of_a_metric_are_one_family(make_bleu):
    statistics = make_bleu(150, runs=(1, 1, 1, 1), gain=0.012)
    found = compare(statistics, n_resamples=400, n_trials=2000, level=0.9, adjust="holm", rng=3)
    pairs = found.metrics["BLEU"].comparisons
    expected = judge_holm(
        [pair.p_value for pair in pairs], [pair.p_low for pair in pairs], [pair.p_high for pair in pairs], 0.9
    )
    for pair, verdict in zip(pairs, expected, strict=True):
        assert (pair.p_adjusted, pair.verdict) == (verdict.p_adjusted, verdict.verdict)
        assert pair.n_trials_to_decide is None
    assert len({pair.verdict for pair in pairs}) > 1
    assert any(pair.p_adjusted > pair.p_value for pair in pairs)
    [alone] = compare(statistics, n_resamples=400, n_trials=2000, rng=3).metrics["BLEU"].comparisons[:1]
    assert alone.p_value == pairs[0].p_value


def test_one_comparison_needs_no_adjustment(make_bleu):
    [pair] = compare(make_bleu(100), n_resamples=400, n_trials=500, rng=3).metrics["BLEU"].comparisons
    assert pair.p_adjusted == pair.p_value


def test_one_system_is_not_compared(make_bleu):
    for baseline in (None, "s0"):
        found = compare(make_bleu(100, runs=(3,)), baseline, rng=3)
        assert found.metrics["BLEU"].comparisons == ()
        assert len(found.metrics["BLEU"].systems) == 1
        assert found.to_frame().empty
        assert list(found.to_frame().columns)[:3] == ["metric", "a", "b"]
        assert "<table" in found._repr_html_()


def test_one_name_with_two_sets_of_options(make_bleu):
    cased = make_bleu(100)
    lowercased = replace(cased, metric=Bleu(lowercase=True))
    found = compare([cased, lowercased, lengths_of(cased)], n_resamples=400, n_trials=100, rng=1)
    assert list(found.metrics) == [f"BLEU|{cased.signature}", f"BLEU|{lowercased.signature}", "Length"]
    assert [metric.name for metric in found.metrics.values()] == list(found.metrics)


def test_frames_have_one_row_a_comparison_and_one_a_system(three):
    found = compare([three, lengths_of(three)], unit="segment", n_resamples=400, n_trials=220, rng=1)
    comparisons, systems = found.to_frame(), found.systems_frame()
    # the keys of the JSON of issues 3 and 5, with the metric before them
    assert " ".join(comparisons.columns) == (
        "metric a b difference low high p_value p_low p_high p_adjusted verdict n_trials_to_decide confidence wins "
        "losses ties design_effect segments_differing method_p_value method_low method_high method_df "
        # and those of issue 9
        "better conclusion n_segments score_a score_b smallest_p method_p_adjusted method_verdict "
        # and those of issue 13
        "method_p_separate method_p_pooled "
        # and those of issue 33
        "n_units units_differing from_length adjust simultaneous_low simultaneous_high excludes_zero "
        "method_simultaneous_low method_simultaneous_high method_excludes_zero tolerated_design_effect "
        "method_tolerated_design_effect "
        # which come before those of issue 13
        "smallest_difference method_smallest_difference equivalence_margin "
        "equivalence_p_value equivalence_p_adjusted equivalence_verdict method_equivalence_p_value "
        "method_equivalence_p_adjusted method_equivalence_verdict"
    )
    assert " ".join(systems.columns) == (
        "metric system runs score scores low high s_sel s_test design_effect length_ratio brevity_penalty"
    )
    assert comparisons["metric"].tolist() == ["BLEU"] * 3 + ["Length"] * 3
    assert comparisons.loc[1, "difference"] == found.metrics["BLEU"].comparisons[1].difference
    assert systems["score"].tolist() == [s.score for metric in found.metrics.values() for s in metric.systems]
    pd.testing.assert_frame_equal(found.metrics["BLEU"].to_frame(), comparisons.iloc[:3, 1:], check_dtype=False)
    held = {
        name
        for owner in Comparison.__mro__
        for name, value in vars(owner).items()
        if isinstance(value, Of) and value.part == "settings"
    }
    assert fields(Comparison)[0].name == "settings"
    assert {"signature", "unit", "exchange", "runs", "strata", "adjust"} <= held
    assert all(getattr(found, name) == getattr(found.settings, name) for name in held)


def test_html_is_rounded_and_escaped(make_mean):
    draws = np.random.default_rng(1)
    statistics = make_mean(**{"<script>": draws.normal(size=40), "b": draws.normal(size=40)})
    found = compare(statistics, rng=1)
    metric = found.metrics["score"]
    for shown in (found, metric, metric.systems[0], metric.comparisons[0]):
        html = shown._repr_html_()
        assert "<script>" not in html
        assert ("&lt;script&gt;" in html) == ("<script>" in repr(shown) or shown in (found, metric))
        assert not re.search(r"\d\.\d{7}|nan|None", html.replace(__version__, ""))
        assert not re.search(r"\d\.\d{7}|\n", repr(shown).replace(__version__, ""))


def test_unequal_numbers_of_runs_are_compared(make_bleu):
    found = compare(make_bleu(100, runs=(1, 3)), n_resamples=400, n_trials=100, rng=1).metrics["BLEU"]
    assert [system.runs for system in found.systems] == [1, 3]
    [pair] = found.comparisons
    assert pair.method_p_value is pair.method_low is pair.method_high is pair.method_df is None
    assert found.comparisons[0].difference == found.systems[1].score - found.systems[0].score


def test_missing_scores_are_counted_and_leave_only_their_comparison(make_mean):
    draws = np.random.default_rng(5)
    scores = {name: draws.normal(shift, 1, 60) for name, shift in (("a", 0), ("b", 0.2), ("c", 0.4))}
    scores["b"][[1, 2, 3]] = np.nan
    scores["c"][[3, 4]] = np.nan
    statistics = make_mean(metric=MeanScore(name="DA"), **scores)
    sentence = (
        "4 of 60 segments have no DA in at least one system: a system's own score uses what it has, a comparison "
        "uses the segments that both have."
    )
    options = {"n_resamples": 200, "n_trials": 220, "rng": 1}
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        found = compare(statistics, **options).metrics["DA"]
    assert [(warning.message.code, warning.message.count) for warning in caught] == [("missing-scores", 4)]
    assert [system.score for system in found.systems] == pytest.approx([np.nanmean(scores[name]) for name in "abc"])
    for pair in found.comparisons:
        common = ~np.isnan(scores[pair.a] + scores[pair.b])
        both = make_mean(**{name: scores[name][common] for name in (pair.b, pair.a)})
        [alone] = compare(both, **options).metrics["score"].comparisons
        assert pair.segments_differing == common.sum()
        for name in ("difference", "wins", "losses", "ties", "design_effect"):
            assert getattr(pair, name) == getattr(alone, name), name
        assert (pair.bootstrap.low, pair.bootstrap.high) == (alone.bootstrap.low, alone.bootstrap.high)
        # The coins of a segment are those of its number in the test set: trials of all pairs have them in common.
        assert pair.low != alone.low
        assert abs(pair.p_value - alone.p_value) < 4 * np.sqrt(2 * alone.p_value * (1 - alone.p_value) / 220)


def test_complete_metrics_keep_their_draws_beside_one_with_missing_scores(make_bleu, make_mean):
    bleu = make_bleu(60)
    rated = np.random.default_rng(5).normal(size=(2, 60))
    rated[0, 7] = np.nan
    means = make_mean(s0=rated[0], s1=rated[1])
    alone = compare(bleu, n_resamples=50, n_trials=100, rng=1).metrics["BLEU"]
    with pytest.warns(DataWarning, match="1 of 60 segments"):
        beside = compare([bleu, means], n_resamples=50, n_trials=100, rng=1).metrics["BLEU"]
    assert beside.comparisons[0].p_value == alone.comparisons[0].p_value
    np.testing.assert_array_equal(beside.comparisons[0].resampled, alone.comparisons[0].resampled)


def test_few_units_are_warned_of_once_and_only_where_there_is_confidence(make_bleu):
    statistics = make_bleu(20, runs=(1, 1, 1))
    with pytest.warns(DataWarning) as caught:
        compare(statistics, n_resamples=10, n_trials=220, rng=1)
    assert [warning.message.code for warning in caught] == ["few-units"]
    assert caught[0].filename == __file__
    compare(lengths_of(statistics), n_resamples=10, n_trials=220, rng=1)
    compare(make_bleu(20, runs=(1,)), n_resamples=10, n_trials=10, rng=1)  # no comparison, no trials


def test_progress_wraps_every_draw(three):
    class Bar:
        steps = total = closed = 0

        def __call__(self, draws):
            self.total = len(draws)
            try:
                for draw in draws:
                    self.steps += 1
                    yield draw
            finally:
                self.closed += 1

    bar = Bar()
    compare(three, unit="segment", n_resamples=400, n_trials=300, rng=1, progress=bar)
    assert (bar.steps, bar.total, bar.closed) == (700, 700, 1)
    copies = replace(three, values={"s0": three.values["s0"], "s1": three.values["s0"]})
    bar = Bar()  # nothing to exchange: enumerated at once
    compare(copies, unit="segment", n_resamples=400, n_trials=300, rng=1, progress=bar)
    assert (bar.steps, bar.total, bar.closed) == (700, 700, 1)


def test_an_interrupt_closes_the_bar(three, monkeypatch):
    closed = []

    def bar(draws):
        try:
            yield from draws
        finally:
            closed.append(True)

    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("mtworkbench.inference.draws.count_drawn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare(three, unit="segment", rng=1, progress=bar)
    assert closed == [True]


def test_the_baseline_must_be_there(three):
    sentence = "The baseline 'base' is not among the systems: name one of 's0', 's1', 's2'."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        compare(three, "base")
    assert caught.value.code == "unknown-baseline"


def test_statistics_must_fit_together(three, make_bleu):
    other = make_bleu(119, runs=(1, 1))
    cases = [
        ([], "no-statistics", "SegmentStatistics of at least one system were expected, one per metric: make them"),
        (three["s0"], "no-statistics", "SegmentStatistics of at least one system"),
        ([three, three], "duplicate-metric", f"The statistics of BLEU ({three.signature}) were given twice"),
        (
            [three, lengths_of(other)],
            "different-segments",
            "BLEU and Length cover different segments (compared by number): 1 of the 120 segments of BLEU is missing "
            "from Length: segment 120 of document ",
        ),
    ]
    for statistics, code, sentence in cases:
        with pytest.raises(InputError, match=f"^{re.escape(sentence)}") as caught:
            compare(statistics)
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("argument", "value", "sentence"),
    [
        ("n_resamples", 0, "n_resamples is 0, but an integer of at least 1 was expected."),
        ("n_trials", True, "n_trials is True, but an integer of at least 1 was expected."),
        ("level", "0.95", "level is '0.95', but a number between 0 and 1, such as 0.95, was expected."),
        ("exchange", "segment", "exchange is 'segment', but one of 'unit', 'run' was expected."),
        (
            "unit",
            "run",
            "unit is 'run', but 'auto', 'segment', 'document', 'block' or the name of a column was expected: these "
            "statistics have no columns.",
        ),
        (
            "interval",
            "normal",
            "interval is 'normal', but one of 'auto', 'percentile', 'basic', 'bca', 'jackknife' was expected.",
        ),
    ],
)
def test_arguments_are_checked(three, argument, value, sentence):
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        compare(three, **{argument: value})


def test_runs_that_cannot_be_paired_are_refused(make_bleu):
    with pytest.raises(InputError, match="^'s1' has 3 runs and 's0' has 2, but exchange='run' pairs runs by number"):
        compare(make_bleu(40, runs=(2, 3)), exchange="run")
    found = compare(make_bleu(40, runs=(2, 3, 2)), exchange="unit", n_resamples=5, n_trials=220, rng=1)
    assert len(found.metrics["BLEU"].comparisons) == 3


def test_statistics_of_another_version_of_a_metric_are_not_compared(make_bleu, make_mean):
    old = replace(make_bleu(40), metric_signature="case:mixed|version:1.0")
    with pytest.raises(
        InputError, match=r"^'s1' has statistics of BLEU \(case:mixed\|version:1\.0\), but 's0' of BLEU"
    ):
        paired_bootstrap(old["s1"], make_bleu(40)["s0"])
    lower = make_mean(metric=MeanScore(name="error", higher_is_better=False), a=[1, 2], b=[3, 4])
    higher = replace(lower, metric=MeanScore(name="error"))
    with pytest.raises(InputError, match=r"^The statistics of error \(mean:score\) were given twice"):
        compare([lower, higher])


def test_an_empty_part_of_a_test_set_is_refused(make_bleu):
    with pytest.raises(InputError, match="^There are 0 segments to draw from, but at least 1 is needed.$"):
        compare(make_bleu(10).take([]))


@pytest.mark.parametrize("exchange", [None, "all", 1])
def test_what_is_exchanged_is_a_unit_or_a_run(make_bleu, exchange):
    message = f"exchange is {exchange!r}, but one of 'unit', 'run' was expected."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        compare(make_bleu(40, runs=(2, 3)), exchange=exchange, rng=1)


def test_a_result_keeps_the_version_that_made_it(make_bleu, monkeypatch):
    saved = pickle.dumps(compare(make_bleu(40), n_resamples=400, n_trials=500, rng=1))
    monkeypatch.setattr(settings, "__version__", "9.9.9")
    found = pickle.loads(saved)
    assert found.version == __version__
    assert found.signature.endswith(f"|mtworkbench:{__version__}")


@pytest.mark.parametrize("wrong", [{"unit": "word"}, {"unit": "document"}, {"exchange": "all"}, {"n_trials": 0}])
def test_wrong_arguments_take_nothing_from_a_generator(make_bleu, wrong):
    statistics, generator = make_bleu(40), np.random.default_rng(5)
    with pytest.raises(InputError):
        approximate_randomization(statistics["s0"], statistics["s1"], **wrong, rng=generator)
    assert generator.bit_generator.random_raw() == np.random.default_rng(5).bit_generator.random_raw()


@dataclass(frozen=True, repr=False)
class HigherSegments(FurtherTest):
    """On how many segments a has the higher score."""

    called = "higher"
    p_value: float
    segments: int

    def turned(self):
        return replace(self, segments=-self.segments)


def count_higher(table, pairs, settings):
    assert settings.level == 0.9
    alone = table.score(np.eye(table.units.count))
    higher = [int((alone[a].mean(axis=1) > alone[b].mean(axis=1)).sum()) for a, b in pairs]
    return [HigherSegments(1 / (2 + number), number) for number in higher]


def test_a_further_test_is_in_frames_json_and_tables(make_bleu, monkeypatch):
    statistics = make_bleu(40, runs=(1, 1, 1))
    monkeypatch.setattr("mtworkbench.inference.one_set.FURTHER_TESTS", (count_higher,))
    found = compare(statistics, "s1", level=0.9, n_resamples=400, n_trials=500, rng=1)
    metric = found.metrics["BLEU"]
    expected = []
    for pair in metric.comparisons:
        scores = [metric_scores(statistics[name]) for name in (pair.a, pair.b)]
        expected.append(int(np.count_nonzero(scores[0] > scores[1])))
    assert 0 < expected[0] != expected[1]
    assert found.to_frame()["higher_segments"].tolist() == expected
    rows = json.loads(format_comparison(found, "json"))["metrics"]["BLEU"]["comparisons"]
    assert [row["higher_p_value"] for row in rows] == [1 / (2 + number) for number in expected]
    assert "p (higher)" in format_comparison(found, all_columns=True)
    assert metric.comparisons[0].turned().further[-1].segments == -expected[0]


def metric_scores(system):
    """The scores of single segments by the metric's own formula."""
    return system.metric.score(system.values[0].astype(float))
