"""What holds for any statistics, however odd."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mtworkbench.inference import approximate_randomization, bootstrap_interval, compare, paired_bootstrap
from mtworkbench.metrics import Bleu, ChrF, Length, MeanScore, Ter
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
METRICS = (Bleu(), ChrF(), Ter(), Length(), MeanScore(higher_is_better=True))


@st.composite
def any_statistics(draw):
    """Two systems of one to three runs on 1-30 segments: counts, many of them 0, or scores."""
    metric = draw(st.sampled_from(METRICS))
    n_segments = draw(st.integers(1, 30))
    values = {}
    for name in "ab":
        shape = (draw(st.integers(1, 3)), n_segments, len(metric.statistic_names))
        if isinstance(metric, MeanScore):
            scores = draw(arrays(np.float64, shape[:2], elements=st.floats(-1e6, 1e6)))
            values[name] = np.stack([scores, np.ones(shape[:2])], axis=-1)
        else:
            values[name] = draw(arrays(np.int64, shape, elements=st.integers(0, 9)))
            keep_matches_possible(metric.statistic_names, values[name])
    documents = None
    if draw(st.booleans()):
        documents = np.array([f"d{label}" for label in draw(st.lists(st.integers(0, 12), min_size=n_segments))], object)
    test_set = TestSet(np.arange(n_segments) + 1, None if documents is None else documents[:n_segments], "r", 1)
    return SegmentStatistics(metric, values, test_set)


def keep_matches_possible(names, counts):
    """No more n-grams match than there are: a BLEU of 118 would lie outside its interval."""
    for place, name in enumerate(names):
        wholes = [name.replace("matches", whole) for whole in ("ngrams", "hypothesis", "reference")]
        for whole in (names.index(one) for one in wholes if one in names and "matches" in name):
            counts[..., place] = np.minimum(counts[..., place], counts[..., whole])


@given(any_statistics(), st.integers(0, 2**53), st.sampled_from(["segment", "auto"]))
@settings(max_examples=120)
def test_any_comparison_is_sound(statistics, rng, unit):
    options = {"unit": unit, "n_resamples": 60, "n_trials": 60, "rng": rng}
    found = compare(statistics, interval="percentile", **options).metrics[statistics.metric.name]
    [pair] = found.comparisons
    assert 0 < pair.p_value <= 1
    assert 0 <= pair.p_low <= pair.p_high <= 1
    assert pair.p_adjusted == pair.p_value
    assert pair.low <= pair.high
    assert 0 <= pair.segments_differing <= len(statistics.test_set)
    assert pair.difference == found.systems[1].score - found.systems[0].score
    if statistics.metric.higher_is_better is not None:
        assert pair.wins + pair.losses + pair.ties == 60
        assert pair.confidence == pair.wins / 60
    again = compare(statistics, interval="percentile", **options).metrics[statistics.metric.name]
    assert again.to_frame().equals(found.to_frame())
    mirrored = replace(statistics, values=dict(reversed(statistics.values.items())))
    [back] = compare(mirrored, interval="percentile", **options).metrics[statistics.metric.name].comparisons
    assert (back.difference, back.p_value) == (-pair.difference, pair.p_value)
    assert (back.wins, back.losses, back.ties) == (pair.losses, pair.wins, pair.ties)


@given(any_statistics(), st.integers(0, 2**53), st.sampled_from(["percentile", "basic", "bca", "jackknife"]))
@settings(max_examples=120)
def test_any_interval_is_finite_and_in_order(statistics, rng, method):
    for found in (
        bootstrap_interval(statistics["a"], method=method, n_resamples=50, rng=rng),
        paired_bootstrap(statistics["a"], statistics["b"], method=method, n_resamples=50, rng=rng),
    ):
        if method == "jackknife" and found.n_units == 1:
            assert (found.low, found.high) == (None, None)
        else:
            assert np.isfinite([found.low, found.high]).all()
            assert found.low <= found.high


@given(any_statistics(), st.integers(0, 2**53))
@settings(max_examples=60)
def test_a_copy_of_anything_has_p_1(statistics, rng):
    system = statistics["a"]
    copy = replace(system, system="copy", values=system.values.copy())
    assert approximate_randomization(system, copy, n_trials=50, rng=rng).p_value == 1
    found = paired_bootstrap(system, copy, n_resamples=50, rng=rng)
    assert (found.difference, found.ties) == (0, 50)


@given(any_statistics(), st.integers(0, 2**53), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_the_order_of_segments_changes_no_score_and_no_exact_p(statistics, rng, random):
    order = np.array(random.sample(range(len(statistics.test_set)), len(statistics.test_set)))
    there, moved = (
        approximate_randomization(part["a"], part["b"], unit="segment", n_trials=20, rng=rng)
        for part in (statistics, statistics.take(order))
    )
    size = max(abs(statistics["a"].score()).max(), abs(statistics["b"].score()).max())
    assert moved.difference == pytest.approx(there.difference, abs=1e-6 if size > 1000 else 1e-9)
    assert moved.n_coins == there.n_coins
    if there.exact and not isinstance(statistics.metric, MeanScore):
        assert moved.p_value == there.p_value
