"""Batches bound memory and change nothing: of 1, of 7 and of all draws."""

import tracemalloc

import numpy as np
import pytest

from mtworkbench import resampling
from mtworkbench.inference import approximate_randomization, compare, paired_bootstrap
from mtworkbench.inference.bootstrap import resample
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.resampling import RandomKey

CELLS = {"1": 1, "7": 7 * 40, "all": 2**22}


@pytest.fixture(params=["1", "7"])
def small_batches(request, monkeypatch):
    def shrink():
        monkeypatch.setattr(resampling, "BATCH_CELLS", CELLS[request.param])

    return shrink


def test_integer_sums_are_the_same_bit_for_bit(make_bleu, small_batches, monkeypatch):
    statistics = make_bleu(40)
    systems = [statistics["s0"], statistics["s1"]]
    seen = []

    def keep(totals):
        seen.append(totals)
        return totals[..., 0] / totals[..., 1]

    monkeypatch.setattr(type(statistics.metric), "score", lambda _, totals: keep(totals))
    resample(ScoreTable.of(systems), 23, RandomKey(1))
    whole, seen = seen, []
    small_batches()
    resample(ScoreTable.of(systems), 23, RandomKey(1))
    assert len(seen) > len(whole) == 1
    np.testing.assert_array_equal(np.concatenate(seen), whole[0])


@pytest.mark.parametrize("exchange", ["unit", "run"])
def test_scores_of_counts_are_the_same(make_bleu, small_batches, exchange):
    statistics = make_bleu(40, runs=(3, 3))
    a, b = statistics["s1"], statistics["s0"]

    def find():
        bootstrap = paired_bootstrap(a, b, n_resamples=23, rng=3)
        randomized = approximate_randomization(a, b, n_trials=23, exchange=exchange, rng=3)
        return bootstrap.differences, randomized.differences, randomized.p_value

    whole = find()
    small_batches()
    for found, expected in zip(find(), whole, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_scores_of_other_numbers_agree_to_1e_12(make_mean, small_batches):
    draws = np.random.default_rng(1)
    statistics = make_mean(a=draws.normal(80, 10, 40), b=draws.normal(80, 10, 40))
    [whole] = resample(ScoreTable.of([statistics["a"]]), 23, RandomKey(1))
    trials = approximate_randomization(statistics["a"], statistics["b"], n_trials=23, rng=1)
    small_batches()
    [found] = resample(ScoreTable.of([statistics["a"]]), 23, RandomKey(1))
    np.testing.assert_allclose(found, whole, rtol=1e-12)
    again = approximate_randomization(statistics["a"], statistics["b"], n_trials=23, rng=1)
    np.testing.assert_allclose(again.differences, trials.differences, rtol=0, atol=80e-12)
    assert again.p_value == trials.p_value


@pytest.mark.long
def test_memory_of_many_draws_of_many_segments(make_bleu):
    """10,000 draws of 20,000 segments as one matrix would be 1.6 GB; 512 MiB extra are allowed."""
    statistics = make_bleu(20_000)
    tracemalloc.start()
    compare(statistics, n_resamples=10_000, n_trials=10_000, rng=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 256 * 2**20
