"""Tests by column and by block err as often as they say, where those by segment do not: 2,000 repetitions.

All repetitions are computed at once, of means; some are computed by the package's functions, too.
"""

import numpy as np
import pytest
import scipy.stats

from mtworkbench.inference import approximate_randomization, bootstrap_interval
from mtworkbench.inference.blocks import choose_block_length
from mtworkbench.inference.intervals import percentile_ends
from mtworkbench.inference.units import choose_units
from mtworkbench.resampling import COINS, choose_counter, exchange_coins, resolve_rng

REPETITIONS, TRIALS, RESAMPLES = 2000, 199, 400
pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")


def band(share):
    low, high = scipy.stats.binom.interval(0.999, REPETITIONS, share)
    return low / REPETITIONS, high / REPETITIONS


def p_of(differences, unit_of_segment, repetition):
    """The p of `approximate_randomization` of a difference of means, with ``rng=repetition``."""
    sums = np.bincount(unit_of_segment, differences)
    coins = exchange_coins(len(sums), 0, TRIALS, key=resolve_rng(repetition).stream(COINS)).astype(float)
    moved = (1 - 2 * coins) @ sums
    return (np.count_nonzero(np.abs(moved) >= abs(sums.sum()) - 1e-9) + 1) / (TRIALS + 1)


def size_of(differences, unit_of_segment):
    """Share of repetitions in which p is at most 0.05; ``unit_of_segment`` is one array, or one of each repetition."""
    units = np.broadcast_to(unit_of_segment, differences.shape)
    return np.mean(
        [p_of(one, of, number) <= 0.05 for number, (one, of) in enumerate(zip(differences, units, strict=True))]
    )


def alike_within(draws, labels):
    """Differences of two equal systems: every group has its own, as large as that of a single segment."""
    of_groups = draws.normal(size=(REPETITIONS, labels.max() + 1))
    return of_groups[:, labels] + draws.normal(size=(REPETITIONS, len(labels)))


def autoregressive(draws, n_segments, correlation):
    """Differences of two equal systems, each as like the one before it as the correlation says."""
    noise = draws.normal(size=(n_segments + 100, REPETITIONS))
    for row in range(1, len(noise)):
        noise[row] += correlation * noise[row - 1]
    return noise[100:].T


def lengths_of_blocks(values):
    """Those of `choose_block_length`, of all repetitions at once."""
    n_segments = values.shape[1]
    values = values - values.mean(axis=1, keepdims=True)
    longest = int(min(3 * n_segments**0.5, n_segments / 3))
    lengths = np.full(REPETITIONS, longest)
    undecided = np.ones(REPETITIONS, dtype=bool)
    for lag in range(1, longest // 2 + 1):
        correlations = np.mean(values[:, :-lag] * values[:, lag:], axis=1) / np.mean(values**2, axis=1)
        now = undecided & (correlations <= 1.96 / n_segments**0.5)
        lengths[now] = 1 if lag == 1 else 2 * lag
        undecided &= ~now
    return lengths


@pytest.mark.parametrize("n_groups", [20, 10])
def test_exchange_by_a_column_keeps_its_size_where_that_by_segment_does_not(make_mean, n_groups):
    speakers = np.arange(100) * 7 % 100 % n_groups  # nowhere together
    differences = alike_within(np.random.default_rng(n_groups), speakers)
    statistics = [make_mean(a=one, b=np.zeros(100), columns={"speaker": speakers}) for one in differences[:3]]
    units = choose_units(statistics[0].test_set, "speaker").of_segment
    for number, one in enumerate(statistics):
        for unit, of_segment in (("speaker", units), ("segment", np.arange(100))):
            found = approximate_randomization(one["a"], one["b"], unit=unit, n_trials=TRIALS, rng=number)
            if not found.exact:
                assert found.p_value == p_of(differences[number], of_segment, number)
    low, high = band(0.05)
    assert low <= size_of(differences, units) <= high
    assert size_of(differences, np.arange(100)) > 3 * high


def test_exchange_by_blocks_keeps_its_size_where_documents_are_as_long(make_mean):
    differences = alike_within(np.random.default_rng(3), np.arange(120) // 6)
    units = choose_units(make_mean(a=differences[0]).test_set, "block of 6").of_segment
    low, high = band(0.05)
    assert low <= size_of(differences, units) <= high


def test_exchange_by_blocks_of_the_chosen_length_is_close_to_its_size(make_mean):
    """Of a long test set whose neighbours are alike; measured with 300 to 3,000 segments: 5 to 8 %."""
    differences = autoregressive(np.random.default_rng(4), 500, 0.4)
    lengths = lengths_of_blocks(differences)
    for number in range(5):
        system = make_mean(a=differences[number], b=np.zeros(500))
        assert choose_block_length([system["a"], system["b"]], [(0, 1)]) == lengths[number]
    places = np.arange(500)
    assert size_of(differences, places // lengths[:, None]) < 0.08
    assert size_of(differences, places) > 0.15


def test_moving_blocks_cover_the_truth_far_more_often_than_segments(make_mean):
    """Neighbours correlate by 0.4, so the variance of the mean is 7/3 of that of independent segments."""
    values = autoregressive(np.random.default_rng(5), 500, 0.4)
    lengths = lengths_of_blocks(values)
    covered = {"segment": np.zeros(REPETITIONS, dtype=bool), "block": np.zeros(REPETITIONS, dtype=bool)}
    for unit, length_of in (("segment", np.ones_like(lengths)), ("block", lengths)):
        for length in np.unique(length_of):
            some = np.flatnonzero(length_of == length)
            weights = choose_counter(500, block_length=int(length), rng=6)(0, RESAMPLES)
            low, high = percentile_ends(values[some] @ weights.T / 500, 0.95)
            covered[unit][some] = (low <= 0) & (high >= 0)
            found = bootstrap_interval(
                make_mean(a=values[some[0]])["a"], unit=unit, method="percentile", n_resamples=RESAMPLES, rng=6
            )
            assert (found.low, found.high) == pytest.approx((low[0], high[0]))
    assert covered["block"].mean() > 0.91
    assert covered["segment"].mean() < 0.82
