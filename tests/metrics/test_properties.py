"""What holds of every metric: its score is a function of summed statistics, and of nothing else."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtworkbench.metrics import Bleu, ChrF, Gtm, Length, MeanScore, Nist, Ter
from mtworkbench.statistics.segment_statistics import compute_statistics

METRICS = [
    *(Bleu(smooth_method=method) for method in ("exp", "floor", "add-k", "none")),
    *(ChrF(), ChrF(word_order=2), ChrF(eps_smoothing=True), Ter(), Length()),
    *(Bleu("mteval-13a", smooth_method="mteval", reference_length="shortest"), Gtm(), Gtm(2, "13a")),
    *(Nist(), MeanScore(higher_is_better=True)),
]
words = st.lists(st.sampled_from(["a", "b", "c", "d", ".", "A"]), max_size=10).map(" ".join)


@st.composite
def columns(draw):
    n_segments = draw(st.integers(2, 6))
    many = st.lists(words, min_size=n_segments, max_size=n_segments)
    scores = st.lists(st.none() | st.floats(-5, 100), min_size=n_segments, max_size=n_segments)
    absent = st.lists(words | st.none(), min_size=n_segments, max_size=n_segments)
    return draw(many), [draw(many), draw(absent)], draw(scores)


def statistics_of(make_outputs, corpus, metric):
    hypotheses, references, scores = corpus
    return compute_statistics(
        make_outputs({"it": hypotheses}, references, score=np.array(scores, dtype=float)), metric
    )["it"]


def for_each_corpus(check, n_examples=30):
    settings(max_examples=n_examples)(given(columns(), st.randoms(use_true_random=False))(check))()


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_order_of_segments_does_not_matter(metric, make_outputs):
    def check(corpus, random):
        whole = statistics_of(make_outputs, corpus, metric)
        order = list(range(whole.n_segments))
        random.shuffle(order)
        hypotheses, references, scores = corpus
        shuffled = (
            [hypotheses[place] for place in order],
            [[column[place] for place in order] for column in references],
            [scores[place] for place in order],
        )
        other = statistics_of(make_outputs, shuffled, metric)
        assert np.array_equal(other.values[0], whole.values[0][order])
        assert other.score() == pytest.approx(whole.score(), rel=1e-12, abs=1e-9, nan_ok=True)

    for_each_corpus(check)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_weights_are_how_often_a_segment_occurs(metric, make_outputs):
    def check(corpus, random):
        statistics = statistics_of(make_outputs, corpus, metric)
        weights = [random.randrange(4) for _ in range(statistics.n_segments)]
        repeated = np.repeat(np.arange(statistics.n_segments), weights)
        both = statistics.score(np.array([np.ones(len(weights)), weights]))
        assert both[0] == pytest.approx(statistics.score()[0], rel=1e-12, nan_ok=True)
        assert both[1].item() == pytest.approx(
            metric.score(statistics.values[0][repeated].sum(axis=0)), rel=1e-12, nan_ok=True
        )
        if getattr(metric, "smooth_method", "none") == "none":  # what smoothing adds does not grow with the test set
            assert statistics.score(np.full((1, len(weights)), 2)) == pytest.approx(
                statistics.score(), rel=1e-12, nan_ok=True
            )

    for_each_corpus(check)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_scores_of_many_totals_are_those_of_each(metric, make_outputs):
    def check(corpus, random):
        values = statistics_of(make_outputs, corpus, metric).values[0]
        pairs = values[:, None] + values[None]
        together = metric.score(pairs)
        assert together.shape == pairs.shape[:-1]
        assert together.dtype == np.float64
        one = random.randrange(len(values))
        assert np.array_equal(together[one, 0], metric.score(pairs[one, 0]), equal_nan=True)
        assert metric.segment_score(values).shape == (len(values),)

    for_each_corpus(check, 10)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_nothing_at_all_scores_zero_or_nothing_without_a_warning(metric):
    nothing = np.zeros((3, len(metric.statistic_names)))
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for scores in (metric.score(nothing), metric.segment_score(nothing), metric.score(nothing.astype(np.int64))):
            expected = np.full(3, np.nan if metric.may_be_missing else 0.0)
            assert scores == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("metric", METRICS[:-2], ids=repr)
def test_empty_hypotheses_score_zero_and_copies_of_the_reference_are_perfect(metric, make_outputs):
    references = [["the cat sat on the mat .", "a dog barks at me all night"]]
    systems = {"empty": ["", " "], "copy": references[0], "one word": ["cat", "dog"]}
    statistics = compute_statistics(make_outputs(systems, references), metric)
    with np.errstate(all="raise", under="ignore"):
        scores = {system: score.item() for system, score in statistics.score().items()}
    perfect, nothing = (0.0, 100.0) if metric.higher_is_better is False else (100.0, 0.0)
    assert scores["copy"] == pytest.approx(perfect)
    assert scores["empty"] == pytest.approx(nothing, abs=1e-12)
    assert min(perfect, nothing) <= scores["one word"] <= max(perfect, nothing)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_statistics_have_names_and_are_summed_exactly_where_they_are_counts(metric, make_outputs):
    outputs = make_outputs({"it": ["a b", "c"]}, [["a c", "c"]], score=[0.5, None])
    statistics = compute_statistics(outputs, metric)["it"]
    assert statistics.values.shape == (1, 2, len(metric.statistic_names))
    assert len(set(metric.statistic_names)) == len(metric.statistic_names)
    counts = not isinstance(metric, (Ter, Nist, Gtm, MeanScore))
    assert statistics.values.dtype == (np.int64 if counts else np.float64)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_run_averaged_statistics_have_a_score(metric, make_outputs):
    runs = [["a b c d", "c d ."], ["a b c .", "c c ."], ["", "c d d d d"]]
    outputs = make_outputs({"it": runs, "thrice": [runs[0]] * 3}, [["a b c e", "c d d"]], score=[1.0, 2.0])
    statistics = compute_statistics(outputs, metric)
    averaged = {system: metric.score(statistics[system].values.mean(axis=0).sum(axis=0)) for system in statistics}
    assert averaged["thrice"] == pytest.approx(statistics["thrice"].score()[0, 0], rel=1e-12)
    assert np.isfinite(averaged["it"])
