"""The tests err as often as they say, and intervals cover as often as they say: 2,000 repetitions, 99.9 % bands.

With 500 repetitions the band around 5 % is 2.2-8.4 %, and a wrong test passes. The run on BLEU is in
benchmarks/calibration.py.
"""

import numpy as np
import pytest
import scipy.stats

from mtworkbench.inference import approximate_randomization, bootstrap_interval, paired_bootstrap
from mtworkbench.metrics import Length
from mtworkbench.statistics.segment_statistics import SegmentStatistics

REPETITIONS = 2000
pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")


def band(share):
    low, high = scipy.stats.binom.interval(0.999, REPETITIONS, share)
    return low / REPETITIONS, high / REPETITIONS


def size_of_test(make_statistics, **options):
    """Share of repetitions under a true null in which p is at most 0.05."""
    rejected = 0
    for repetition in range(REPETITIONS):
        statistics = make_statistics(repetition)
        found = approximate_randomization(statistics["a"], statistics["b"], n_trials=199, rng=repetition, **options)
        rejected += found.p_value <= 0.05
    return rejected / REPETITIONS


def test_randomization_keeps_its_size(make_mean):
    draws = np.random.default_rng(1)

    def make(_):
        shared = draws.gamma(2, size=40)  # segments are easy or hard for both
        return make_mean(a=shared + draws.gamma(1, size=40), b=shared + draws.gamma(1, size=40))

    low, high = band(0.05)
    assert low <= size_of_test(make) <= high


def test_randomization_by_document_keeps_its_size_where_that_by_segment_does_not(make_mean):
    draws = np.random.default_rng(2)
    documents = np.repeat(np.arange(20), 5)

    def make(_):
        a, b = draws.normal(size=(2, 100)) + np.repeat(draws.normal(size=(2, 20)), 5, axis=1)
        return make_mean(a=a, b=b, documents=documents)

    low, high = band(0.05)
    assert low <= size_of_test(make, unit="document") <= high
    assert size_of_test(make, unit="segment") > 2 * high


def test_exchange_by_unit_keeps_its_size_with_runs_where_that_by_run_does_not(make_mean):
    """Methods that differ from sentence to sentence, three runs each (CONVENTIONS, "Runs", row 0.5 / 0 / 0.5)."""
    draws = np.random.default_rng(3)

    def make(_):
        a, b = (draws.normal(size=(1, 60)) + draws.normal(size=(3, 60)) for _ in "ab")
        return make_mean(a=a, b=b)

    low, high = band(0.05)
    assert low <= size_of_test(make, exchange="unit") <= high
    assert size_of_test(make, exchange="run") > 2 * high


@pytest.fixture(scope="module")
def make_lengths(make_bleu):
    """Length of two systems whose sentences are a word longer than the reference's 22 words on average."""

    def make(n_segments, draws):
        reference = draws.integers(5, 40, n_segments)
        noise = draws.integers(-3, 6, (2, n_segments)) * draws.integers(1, 3, n_segments)
        values = {
            name: np.stack([reference + extra, reference], axis=-1)[None]
            for name, extra in zip("ab", noise, strict=True)
        }
        return SegmentStatistics(Length(), values, make_bleu(n_segments).test_set)

    return make


TRUE_LENGTH = 100 * (22 + 1 * 1.5) / 22


@pytest.mark.parametrize(("method", "n_segments"), [("jackknife", 20), ("percentile", 200), ("bca", 200)])
def test_intervals_of_a_score_cover_the_truth(make_lengths, method, n_segments):
    draws = np.random.default_rng(4)
    covered = 0
    for repetition in range(REPETITIONS):
        system = make_lengths(n_segments, draws)["a"]
        n_resamples = 1 if method == "jackknife" else 400
        found = bootstrap_interval(system, method=method, n_resamples=n_resamples, rng=repetition)
        covered += found.low <= TRUE_LENGTH <= found.high
    low, high = band(0.95)
    assert low <= covered / REPETITIONS <= high


@pytest.mark.parametrize(
    ("method", "n_segments"), [("jackknife", 20), ("jackknife", 200), ("percentile", 200), ("bca", 200)]
)
def test_intervals_of_a_difference_cover_the_truth(make_lengths, method, n_segments):
    draws = np.random.default_rng(5)
    covered = 0
    for repetition in range(REPETITIONS):
        statistics = make_lengths(n_segments, draws)
        n_resamples = 1 if method == "jackknife" else 400
        found = paired_bootstrap(
            statistics["a"], statistics["b"], method=method, n_resamples=n_resamples, rng=repetition
        )
        covered += found.low <= 0 <= found.high
    low, high = band(0.95)
    assert low <= covered / REPETITIONS <= high


def test_the_percentile_interval_falls_short_with_20_units(make_lengths):
    """Why ``auto`` takes the jackknife there: 91.6 % were measured for a difference of 20 segments."""
    draws = np.random.default_rng(6)
    covered = 0
    for repetition in range(REPETITIONS):
        statistics = make_lengths(20, draws)
        found = paired_bootstrap(statistics["a"], statistics["b"], method="percentile", n_resamples=400, rng=repetition)
        covered += found.low <= 0 <= found.high
    assert covered / REPETITIONS < band(0.95)[0]
