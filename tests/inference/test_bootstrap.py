"""A bootstrap score is the score of the segments drawn; wins and intervals are counted from these."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import (
    approximate_randomization,
    bootstrap_interval,
    compare,
    crossed_analysis,
    optimizer_variance,
    paired_bootstrap,
)
from mtworkbench.inference.bootstrap import count_wins, resample
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics import Bleu, Length, MeanScore, Ter
from mtworkbench.resampling import RESAMPLES, RandomKey, bootstrap_indices, bootstrap_weights

pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")


def test_a_resample_scores_as_its_segments_repeated(make_bleu):
    statistics = make_bleu(30, runs=(2, 1))
    scores = resample(ScoreTable.of([statistics["s0"], statistics["s1"]]), 25, RandomKey(3))
    assert [found.shape for found in scores] == [(25, 2), (25, 1)]
    indices = bootstrap_indices(30, 0, 25, key=RandomKey(3).stream(RESAMPLES))
    for system, found in zip(("s0", "s1"), scores, strict=True):
        for drawn, score in zip(indices, found, strict=True):
            repeated = statistics.values[system][:, drawn].sum(axis=1)
            np.testing.assert_allclose(score, statistics.metric.score(repeated), rtol=1e-13)


def test_documents_are_drawn_whole(make_bleu):
    documents = np.array([0, 0, 1, 2, 1, 3, 3, 3, 0])  # not all in one piece
    statistics = make_bleu(9, documents=documents)
    [found] = resample(ScoreTable.of([statistics["s0"]], "document"), 30, RandomKey(3))
    [weights] = bootstrap_weights(list(documents), 30, rng=RandomKey(3))
    np.testing.assert_allclose(found, statistics["s0"].score(weights), rtol=1e-13)


def test_shares_of_wins_are_those_of_all_possible_resamples(make_mean):
    """Of four segments there are 4**4 resamples, each as likely as the other."""
    a, b = np.array([3.0, 1, 2, 5]), np.array([2.0, 3, 2, 2])
    statistics = make_mean(a=a, b=b)
    found = paired_bootstrap(statistics["a"], statistics["b"], n_resamples=20_000, rng=1)
    everything = np.array([(a - b)[list(drawn)].mean() for drawn in product(range(4), repeat=4)])
    for count, expected in (
        (found.wins, np.mean(everything > 1e-9)),
        (found.losses, np.mean(everything < -1e-9)),
        (found.ties, np.mean(np.abs(everything) < 1e-9)),
    ):
        assert expected > 0.02
        assert abs(count / 20_000 - expected) < 4 * np.sqrt(expected * (1 - expected) / 20_000)
    spread = everything.std()
    assert found.differences.std() == pytest.approx(spread, rel=0.03)


def test_wins_are_counted_by_the_metrics_direction():
    a, b = np.array([[1.0, 2, 3, 1]]), np.array([[1.0 + 1e-10, 1, 4, 0]])
    counts = {metric: count_wins(a, b, metric) for metric in (Bleu(), Ter(), Length())}
    assert [[int(count[0]) for count in counts[metric]] for metric in (Bleu(), Ter())] == [[2, 1, 1], [1, 2, 1]]
    assert counts[Length()][:2] == (None, None)
    assert counts[Length()][2] == 1


def test_each_run_is_scored_on_the_same_resample_then_averaged(make_bleu):
    statistics = make_bleu(120, runs=(3, 2))
    system = statistics["s0"]
    found = bootstrap_interval(system, n_resamples=200, rng=7)
    [scores] = resample(ScoreTable.of([system]), 200, RandomKey(0))
    assert scores.shape == (200, 3)
    runs = [
        bootstrap_interval(replace(system, values=system.values[[run]]), n_resamples=200, rng=7) for run in range(3)
    ]
    np.testing.assert_allclose(found.resampled, np.mean([run.resampled for run in runs], axis=0), rtol=1e-13)
    assert found.scores == tuple(run.score for run in runs)
    assert found.score == pytest.approx(np.mean(found.scores))
    assert found.s_sel == pytest.approx(np.mean([np.std(run.resampled, ddof=1) for run in runs]))
    assert found.s_test == pytest.approx(np.std(found.scores, ddof=1))
    assert runs[0].s_test is None
    assert found.s_sel != pytest.approx(np.std(found.resampled, ddof=1), rel=1e-3)


def test_one_resample_has_no_standard_deviation(make_bleu):
    found = bootstrap_interval(make_bleu(20)["s0"], n_resamples=1, method="jackknife", rng=1)
    assert found.s_sel is None
    assert found.resampled.shape == (1,)
    assert found.low < found.score < found.high  # no resample is an end of it


def test_the_same_rng_gives_the_same_resamples_to_one_and_to_two_systems(make_bleu):
    statistics = make_bleu(150)
    a, b = (bootstrap_interval(statistics[system], rng=5).resampled for system in ("s1", "s0"))
    found = paired_bootstrap(statistics["s1"], statistics["s0"], rng=5)
    np.testing.assert_array_equal(found.differences, a - b)
    assert found.method == "percentile"
    assert found.low == np.sort(found.differences)[25]
    assert found.high == np.sort(found.differences)[974]


def test_units_are_documents_from_6_on(make_bleu):
    for n_documents in (6, 7):
        system = make_bleu(40, documents=np.arange(40) % n_documents)["s0"]
        found = bootstrap_interval(system, rng=1)
        assert (found.unit, found.n_units) == ("document", n_documents)
        assert found.design_effect > 0
    assert bootstrap_interval(system, unit="segment", rng=1).unit == "segment"
    assert bootstrap_interval(make_bleu(40)["s0"], rng=1).design_effect is None


@pytest.mark.parametrize(("n_documents", "counted"), [(5, "5 documents"), (1, "1 document")])
def test_fewer_than_6_documents_are_warned_of(make_bleu, n_documents, counted):
    statistics = make_bleu(40, runs=(3, 3), documents=np.arange(40) % n_documents)
    sentence = (
        f"The test set has only {counted}, too few to resample and swap: segments are used, as if the sentences of one "
        "document were independent, so p may be too small and intervals too narrow. At least 6 documents are needed; "
        "unit='segment' (--unit segment) accepts this."
    )
    a, b = statistics["s0"], statistics["s1"]
    for work in (
        lambda **unit: bootstrap_interval(a, rng=1, **unit),
        lambda **unit: paired_bootstrap(a, b, rng=1, **unit),
        lambda **unit: approximate_randomization(a, b, rng=1, **unit),
        lambda **unit: crossed_analysis(a, b, **unit),
        lambda **unit: compare(statistics, rng=1, **unit),
        lambda **unit: optimizer_variance(statistics, rng=1, **unit),
    ):
        with pytest.warns(DataWarning, match=re.escape(sentence)) as caught:
            work()
        assert [warning.message.code for warning in caught] == ["few-documents"]
        assert caught[0].filename == __file__
        work(unit="segment")


def test_documents_are_counted_after_segments_without_a_score_have_left(make_mean):
    draws = np.random.default_rng(1)
    a, b = draws.normal(size=(2, 40))
    documents = np.arange(40) // 5
    a[5:20] = np.nan
    b[20:25] = np.nan  # of 8 documents, a has 5 and b has 7; both together have 4
    statistics = make_mean(a=a, b=b, documents=documents)
    with pytest.warns(DataWarning) as caught:
        found = compare(statistics, n_trials=500, rng=1)
    [few] = [one.message for one in caught if one.message.code == "few-documents"]
    assert (few.count, found.unit) == (4, "segment")
    assert str(few).startswith("Without the segments that lack a score, a comparison has only 4 documents, too few to")
    with pytest.warns(DataWarning, match="Without the segments that lack a score, a system has only 5 documents"):
        assert bootstrap_interval(statistics["a"], rng=1).unit == "segment"
    for work in (paired_bootstrap, approximate_randomization, crossed_analysis):
        with pytest.warns(DataWarning) as caught:
            assert work(statistics["a"], statistics["b"]).unit == "segment"
        assert [one.message.count for one in caught if one.message.code == "few-documents"] == [4]


def test_documents_that_are_not_known_cannot_be_drawn(make_bleu):
    sentence = (
        "unit='document' was asked for, but the documents of the test set are not known: give document ids "
        "(documents=... or --documents), or use unit='segment'."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        bootstrap_interval(make_bleu(20)["s0"], unit="document")
    assert caught.value.code == "no-documents"


@pytest.mark.filterwarnings("default::mtworkbench.errors.DataWarning")
def test_few_units_make_the_share_of_wins_anti_conservative(make_bleu):
    statistics = make_bleu(29)
    sentence = (
        "Only 29 segments can be resampled. Below 30, win % is anti-conservative (it calls equal systems different too "
        "often): go by the p-value."
    )
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        paired_bootstrap(statistics["s1"], statistics["s0"], rng=1)
    assert (caught[0].message.code, caught[0].message.count) == ("few-units", 29)
    assert caught[0].filename == __file__
    enough = make_bleu(30)
    paired_bootstrap(enough["s1"], enough["s0"], rng=1)


def test_a_system_is_estimated_on_the_segments_it_has_scores_for(make_mean):
    scores = np.random.default_rng(1).normal(size=130)
    missing = scores.copy()
    missing[::5] = np.nan
    found = bootstrap_interval(make_mean(s=missing)["s"], rng=1)
    expected = bootstrap_interval(make_mean(s=scores[~np.isnan(missing)])["s"], rng=1)
    assert (found.score, found.low, found.high, found.n_units) == (expected.score, expected.low, expected.high, 104)


def test_a_system_without_any_score_is_refused(make_mean):
    with pytest.raises(InputError, match="^'s' has no score for any segment.$") as caught:
        bootstrap_interval(make_mean(s=[np.nan, np.nan])["s"])
    assert caught.value.code == "no-scores"


def test_resamples_without_a_score_are_refused(make_mean):
    """Two runs that were rated on different segments: a resample may hold none of one run's."""
    runs = [[1.0, np.nan, np.nan], [np.nan, 2, 3]]
    sentence = (
        r"^\d+ of 1000 virtual test sets have no score for 's': too few of its segments can be scored to resample "
        r"them\.$"
    )
    with pytest.raises(InputError, match=sentence):
        bootstrap_interval(make_mean(s=runs)["s"], rng=1)


@pytest.mark.parametrize(
    ("argument", "value", "sentence"),
    [
        ("n_resamples", 0, "n_resamples is 0, but an integer of at least 1 was expected."),
        ("n_resamples", 10.0, "n_resamples is 10.0, but an integer of at least 1 was expected."),
        ("level", 95, "level is 95, but a number between 0 and 1, such as 0.95, was expected."),
        ("level", 1, "level is 1, but a number between 0 and 1, such as 0.95, was expected."),
        ("level", float("nan"), "level is nan, but a number between 0 and 1, such as 0.95, was expected."),
        (
            "unit",
            "sentence",
            "unit is 'sentence', but 'auto', 'segment', 'document', 'block' or the name of a column was expected: "
            "these statistics have no columns.",
        ),
        ("rng", -1, "rng is -1, but a seed must be an integer of at least 0."),
    ],
)
def test_arguments_are_checked(make_bleu, argument, value, sentence):
    statistics = make_bleu(40)
    for call in (
        lambda **options: bootstrap_interval(statistics["s0"], **options),
        lambda **options: paired_bootstrap(statistics["s1"], statistics["s0"], **options),
    ):
        with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
            call(**{argument: value})


def test_systems_that_cannot_be_compared(make_bleu, make_mean):
    a = make_bleu(40)["s0"]
    b = make_bleu(40)["s1"]
    cases = [
        (make_mean(m=np.arange(40))["m"], "different-metrics", "'s0' has statistics of BLEU"),
        (
            b.take(slice(39)),
            "different-segments",
            "'s0' and 's1' cover different segments (compared by number): 1 of the 40 segments of 's0' is missing from "
            "'s1': segment 40. Statistics can be compared only if their segments, documents and references agree.",
        ),
        (
            replace(b, test_set=replace(b.test_set, references="others")),
            "different-references",
            "'s0' and 's1' have different references. ",
        ),
        (
            replace(b, test_set=replace(b.test_set, normalization="nfc")),
            "different-normalization",
            "'s0' and 's1' differ in that only one of them was read with accept='nfc'. ",
        ),
        (
            make_bleu(40, documents=np.arange(40) % 2)["s1"],
            "different-documents",
            "'s0' and 's1' differ in that only one of them has document ids. ",
        ),
    ]
    for other, code, sentence in cases:
        with pytest.raises(InputError, match=f"^{re.escape(sentence)}") as caught:
            paired_bootstrap(a, other)
        assert caught.value.code == code


def test_results_show_themselves_rounded_and_escaped(make_mean):
    draws = np.random.default_rng(1)
    statistics = make_mean(metric=MeanScore(name="<b>"), **{"<i>": draws.normal(size=40), "b": draws.normal(size=40)})
    for found in (
        bootstrap_interval(statistics["<i>"], rng=1),
        paired_bootstrap(statistics["<i>"], statistics["b"], rng=1),
    ):
        assert "\n" not in repr(found) and len(repr(found)) < 400
        html = found._repr_html_()
        assert "<i>" not in html and "&lt;i&gt;" in html and "&lt;b&gt;" in html
        frame = found.to_frame()
        assert len(frame) == 1
        assert frame.loc[0, "low"] == found.low  # not rounded
        assert not {"differences", "resampled"} & set(frame.columns)
