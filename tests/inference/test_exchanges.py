"""Exchanges of outputs: every one of them, or coins that all pairs share, whatever pairs and scores there are."""

import math
import tracemalloc
import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from mtworkbench import inference
from mtworkbench.errors import DataWarning
from mtworkbench.inference import compare
from mtworkbench.inference.draws import DividedSet, Source
from mtworkbench.inference.exchanges import MANY_COINS, MASKS_TOGETHER, count_all, enumerate_masks, find_coins
from mtworkbench.inference.units import choose_units
from mtworkbench.resampling import RandomKey, exchange_masks, resolve_rng

from .moved_by_hand import Moved, move_outputs


def exchanges_of(statistics, exchange="unit", unit="segment", margins=None):
    divided = DividedSet.of(statistics, None, exchange, unit)
    return divided, Source(divided, exchange, RandomKey(1), margins or {}).exchanges


@pytest.mark.parametrize("n_coins", range(1, 8))
def test_every_exchange_or_its_mirror_is_enumerated_once(n_coins):
    masks = [tuple(int(coin) for coin in row) for batch in enumerate_masks(n_coins) for row in batch]
    assert len(masks) == count_all(n_coins) == 2 ** (n_coins - 1)
    assert masks[0] == (0,) * n_coins  # the outputs as they are
    mirrored = [tuple(1 - coin for coin in mask) for mask in masks]
    assert sorted(masks + mirrored) == sorted(product([0, 1], repeat=n_coins))


def test_without_a_coin_there_is_one_exchange():
    [masks] = enumerate_masks(0)
    assert masks.shape == (1, 0)
    assert count_all(0) == 1


@pytest.mark.parametrize("runs", [(1, 1), (2, 3), (3, 3), (1, 3)])
def test_g_is_half_the_change_when_one_unit_is_exchanged(make_bleu, runs):
    documents = [0, 0, 1, 2, 2, 2, 3, 3]
    statistics = make_bleu(8, runs=runs, documents=documents, gain=0.03)
    for unit, units in (("segment", range(8)), ("document", documents)):
        _, exchanges = exchanges_of(statistics, unit=unit)
        moved = Moved(statistics["s1"], statistics["s0"], list(units))
        contrast = exchanges.contrasts[0]
        assert contrast.difference == pytest.approx(moved.difference)
        assert contrast.sigma == pytest.approx(moved.sigma)
        np.testing.assert_allclose(
            exchanges.pairs[0].table.exchange_each((1, 0)), list(moved.gains.values()), rtol=0, atol=1e-10
        )


def test_with_a_coin_for_each_run_each_has_its_own_g(make_bleu):
    statistics = make_bleu(6, runs=(2, 2), gain=0.03)
    _, exchanges = exchanges_of(statistics, "run")
    moved = Moved(statistics["s1"], statistics["s0"], range(6), coins_of_a_unit=2)
    pair = exchanges.pairs[0]
    np.testing.assert_allclose(
        pair.table.exchange_each((1, 0), n_runs=2), list(moved.gains.values()), rtol=0, atol=1e-10
    )
    assert exchanges.contrasts[0].sigma == pytest.approx(moved.sigma)
    assert pair.n_coins == len(moved.matter) == 12


@pytest.mark.parametrize("n_segments", [5, 11])
def test_g_squared_adds_up_to_the_mean_square_of_all_exchanges(make_bleu, shorten, n_segments):
    """Outputs are moved by hand; half of the words are missing, so that BLEU is far from linear."""
    statistics = shorten(make_bleu(n_segments, gain=0.03), 0.5)
    a, b = statistics["short"], statistics["s0"]
    everything = range(n_segments)
    squares = [
        move_outputs(a, b, [[coin] for coin in coins], everything, everything) ** 2
        for coins in product([0, 1], repeat=n_segments)
    ]
    divided, exchanges = exchanges_of(statistics)
    [row] = [row for row, (one, other) in enumerate(divided.pairs) if {one, other} == {0, 2}]
    contrast = exchanges.contrasts[row]
    assert contrast.sigma**2 == pytest.approx(np.mean(squares), rel=1e-9)
    alone = exchanges.pairs[row].table.exchange_each(exchanges.pairs[row].places)
    assert contrast.sigma**2 > 1.04 * np.sum(alone**2)


@pytest.mark.parametrize("n_segments", [12, 70])
def test_of_many_coins_fixed_exchanges_are_taken(make_bleu, shorten, n_segments):
    statistics = shorten(make_bleu(n_segments, gain=0.03), 0.5)
    moved = Moved(statistics["short"], statistics["s0"], range(n_segments), trials=[])
    divided, exchanges = exchanges_of(statistics)
    [row] = [row for row, (one, other) in enumerate(divided.pairs) if {one, other} == {0, 2}]
    assert moved.ratio > 1.1
    assert exchanges.contrasts[row].sigma == pytest.approx(moved.sigma)


def test_no_seed_and_no_other_system_changes_sigma(make_bleu, shorten):
    statistics = shorten(make_bleu(40, runs=(2, 2), gain=0.03), 0.4)
    divided, exchanges = exchanges_of(statistics)
    other = Source(DividedSet.of(statistics, None, "unit", "segment"), "unit", RandomKey(2)).exchanges
    assert other.contrasts == exchanges.contrasts
    names = list(statistics)
    for row, (a, b) in enumerate(divided.pairs):
        only = replace(statistics, values={names[place]: statistics.values[names[place]] for place in (a, b)})
        (pair,), alone = exchanges_of(only)[0].pairs, exchanges_of(only)[1]
        assert abs(alone.contrasts[0].difference) == pytest.approx(abs(exchanges.contrasts[row].difference))
        assert alone.contrasts[0].sigma == pytest.approx(exchanges.contrasts[row].sigma, rel=1e-12), pair


def test_g_of_a_mean_is_its_share_of_the_difference(make_mean):
    scores = np.random.default_rng(1).normal(size=(2, 30))
    _, exchanges = exchanges_of(make_mean(a=scores[0], b=scores[1]))
    contrast = exchanges.contrasts[0]
    gains = (scores[1] - scores[0]) / 30
    assert contrast.difference == pytest.approx(gains.sum())
    assert contrast.sigma == pytest.approx(math.sqrt((gains**2).sum()))


def test_exchanges_of_many_coins_are_multiplied_a_few_at_a_time(make_mean, monkeypatch):
    """In double precision, 128 of them are eight times as large."""
    scores = np.random.default_rng(1).normal(size=(2, MANY_COINS + 1))
    _, exchanges = exchanges_of(make_mean(a=scores[0], b=scores[1]))
    tracemalloc.start()
    sigma = exchanges.contrasts[0].sigma
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MASKS_TOGETHER * scores[0].nbytes / 2
    monkeypatch.setattr(inference.exchanges, "MANY_COINS", scores.size)
    _, exchanges = exchanges_of(make_mean(a=scores[0], b=scores[1]))
    assert exchanges.contrasts[0].sigma == pytest.approx(sigma, rel=1e-12)


@pytest.mark.parametrize(("exchange", "runs"), [("unit", (1, 2, 3)), ("run", (3, 3, 3))])
def test_trials_are_those_of_the_masks(make_bleu, exchange, runs):
    """Outputs are moved by hand: of unequal numbers of runs, run k with run k until all have met."""
    statistics = make_bleu(9, runs=runs, gain=0.02)
    divided, exchanges = exchanges_of(statistics, exchange)
    per_unit = 3 if exchange == "run" else 1
    [masks] = exchange_masks(9, 40, n_runs=per_unit, rng=5)
    drawn = np.concatenate(list(exchanges.draw(range(3), 0, 40, resolve_rng(5))), axis=2)
    for (row, shifts), (a, b) in zip(drawn, divided.pairs, strict=True):
        pair = (divided.systems[a], divided.systems[b])
        expected = [move_outputs(*pair, coins, range(9), range(9)) for coins in masks]
        np.testing.assert_allclose(row, expected, rtol=0, atol=1e-9)
        np.testing.assert_allclose(shifts, (1 - 2.0 * masks).mean(axis=(1, 2)), rtol=0, atol=1e-15)
    later = np.concatenate(list(exchanges.draw([2, 0], 30, 10, resolve_rng(5))), axis=2)
    np.testing.assert_allclose(later, drawn[[2, 0], :, 30:], rtol=0, atol=1e-9)  # whichever pairs, from any trial on


def test_pairs_that_are_counted_apart_have_coins_of_their_own(make_bleu, make_ter):
    """With a coin for each run, two of a unit or three: p of a metric does not depend on which others there are."""
    statistics = [make_bleu(20, runs=(2, 2, 2)), make_ter(20, runs=(3, 3, 3))]
    _, exchanges = exchanges_of(statistics, "run")
    assert exchanges.group_pairs([[0, 1, 2], [3, 4, 5], [1, 2], [4]]) == {2: [0, 1, 2], 3: [3, 4, 5]}
    assert exchanges.group_pairs([[0, 1, 2, 3, 4, 5]]) == {3: [0, 1, 2, 3, 4, 5]}
    assert (exchanges.per_unit([0, 1]), exchanges.per_unit([4]), exchanges.per_unit([0, 4])) == (2, 3, 3)
    options = {"n_resamples": 40, "n_trials": 400, "rng": 1, "exchange": "run"}
    alone = [quietly(one, **options).to_frame() for one in statistics]
    for family, adjust in (("metric", "max-t"), ("metric", "holm"), ("all", "holm")):
        both = quietly(statistics, **options, family=family, adjust=adjust).to_frame()
        assert both["p_value"].tolist() == [p for one in alone for p in one["p_value"]]
    beside = quietly(statistics, **options).to_frame()
    assert beside["p_adjusted"].tolist() == [p for one in alone for p in one["p_adjusted"]]
    together = quietly(statistics, **options, family="all").to_frame()
    assert together["p_value"][3:].tolist() == alone[1]["p_value"].tolist() != together["p_value"][:3].tolist()


def quietly(statistics, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return compare(statistics, **options)


def test_coins_that_do_not_matter_to_a_pair_change_nothing_of_it(make_mean):
    """In a family of which some coins matter, each pair takes its own; a copy among them has none."""
    scores = np.random.default_rng(3).normal(size=(4, 6))
    scores[1, 2:] = scores[0, 2:]
    scores[2] = scores[0]
    statistics = make_mean(a=scores[0], b=scores[1], c=scores[2], d=scores[3])
    divided, exchanges = exchanges_of(statistics)
    rows = range(len(divided.pairs))
    assert exchanges.coins_of([0]).tolist() == [0, 1]
    coins = exchanges.coins_of(rows)
    assert coins.tolist() == list(range(6))
    masks = np.concatenate(list(enumerate_masks(6)))
    for (row, shifts), (a, b) in zip(exchanges.make_trials(rows, masks, coins), divided.pairs, strict=True):
        gains = divided.systems[a].values[0, :, 0] - divided.systems[b].values[0, :, 0]
        np.testing.assert_allclose(row, (1 - 2.0 * masks) @ gains / 6, rtol=0, atol=1e-12)
        np.testing.assert_allclose(shifts, (1 - 2.0 * masks).mean(axis=1), rtol=0, atol=1e-15)
    [copies] = [row for row, pair in enumerate(exchanges.pairs) if not pair.n_coins]
    assert exchanges.coins_of([copies]).size == 0
    assert exchanges.make_trials([copies], masks[:1, :0], exchanges.coins_of([copies]))[:, 0].tolist() == [[0.0]]
    assert exchanges.coins_of([]).size == 0


def test_units_are_numbered_within_the_whole_test_set(make_mean):
    documents = ["x", "y", "y", "z", "x", "v"]
    test_set = make_mean(documents=documents, a=np.zeros(6)).test_set
    there = np.array([False, True, False, True, False, True])
    by_segment = choose_units(test_set, "segment")
    assert find_coins(by_segment, choose_units(test_set.take(np.flatnonzero(there)), "segment"), there).tolist() == [
        1,
        3,
        5,
    ]
    by_document = choose_units(test_set, "document")
    assert find_coins(by_document, choose_units(test_set.take(np.flatnonzero(there)), "document"), there).tolist() == [
        1,
        2,
        3,
    ]
    everything = np.ones(6, dtype=bool)
    assert find_coins(by_document, by_document, everything).tolist() == [0, 1, 2, 3]
