"""The table against sums by hand: weighted, exchanged coin by coin, differentiated, whatever is drawn."""

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from mtworkbench import resampling
from mtworkbench.inference import score_table, weighted_sums
from mtworkbench.inference.score_table import ScoreTable

N_SEGMENTS = 24
DOCUMENTS = np.random.default_rng(8).permutation(np.arange(N_SEGMENTS) % 7)  # not all in one piece
UNITS = ["segment", "document"]


def unit_of_segment(unit):
    """Number the documents in the order in which they come."""
    order = list(dict.fromkeys(DOCUMENTS))
    return np.array([order.index(label) for label in DOCUMENTS]) if unit == "document" else np.arange(N_SEGMENTS)


@pytest.fixture(scope="module")
def systems(make_bleu, make_ter):
    """BLEU of 2, 3, 3 and 1 runs, then TER of 1, 2 and 2."""
    bleu = make_bleu(N_SEGMENTS, runs=(2, 3, 3, 1), documents=DOCUMENTS, seed=5)
    ter = make_ter(N_SEGMENTS, runs=(1, 2, 2), documents=DOCUMENTS, seed=6)
    return [*(bleu[name] for name in bleu), *(ter[name] for name in ter)]


# Places of systems of one metric, and the coins of each unit.
EXCHANGED = [((0, 1), 1), ((3, 2), 1), ((5, 4), 1), ((2, 1), 1), ((2, 1), 3), ((6, 5), 2)]


def exchanged_by_hand(a, b, mask, unit, n_runs):
    """Score both sides, going through all units: each coin says from whom the outputs are; means over pairs of runs."""
    scores = []
    for turn in range(math.lcm(a.n_runs, b.n_runs)):
        sides = np.zeros((2, a.values.shape[2]))
        for segment, number in enumerate(unit_of_segment(unit)):
            own = [system.values[turn % system.n_runs, segment] for system in (a, b)]
            changes = mask[number * n_runs + (turn if n_runs > 1 else 0)]
            sides[0] += own[changes]
            sides[1] += own[1 - changes]
        scores.append(a.metric.score(sides))
    return np.mean(scores, axis=0)


@pytest.mark.parametrize("unit", UNITS)
def test_virtual_test_sets_score_as_their_weighted_sums(systems, unit):
    table = ScoreTable.of(systems, unit)
    of_segment = unit_of_segment(unit)
    weights = np.random.default_rng(1).integers(0, 5, (40, table.units.count))
    assert (table.n_segments, table.units.name, table.units.count) == (N_SEGMENTS, unit, of_segment.max() + 1)
    found = table.score(weights)
    assert [scores.shape for scores in found] == [(40, runs) for runs in (2, 3, 3, 1, 1, 2, 2)]
    for system, scores in zip(systems, found, strict=True):
        for run, statistics in enumerate(system.values):
            expected = [system.metric.score(row @ statistics) for row in weights[:, of_segment]]
            np.testing.assert_allclose(scores[:, run], expected, rtol=1e-13)


@pytest.mark.parametrize("together", [1, 3 * 15, 2**12], ids=["one output", "three outputs", "all outputs"])
def test_systems_that_are_scored_together_are_not_mixed_up(systems, monkeypatch, together):
    monkeypatch.setattr(score_table, "SCORED_TOGETHER", together)
    weights = np.random.default_rng(2).integers(0, 5, (15, N_SEGMENTS))
    order = [4, 0, 6, 3, 1, 5, 2]  # TER and BLEU by turns
    found = ScoreTable.of([systems[place] for place in order]).score(weights)
    for place, scores in zip(order, found, strict=True):
        [alone] = ScoreTable.of([systems[place]]).score(weights)
        np.testing.assert_array_equal(scores, alone)


@pytest.mark.parametrize("unit", UNITS)
def test_all_segments_once_are_the_score(systems, unit):
    table = ScoreTable.of(systems, unit)
    once = table.score(np.ones((1, table.units.count)))
    for system, scores, [row] in zip(systems, table.scores, once, strict=True):
        np.testing.assert_allclose(scores, row, rtol=1e-13)
        np.testing.assert_allclose(scores, [system.metric.score(run.sum(axis=0)) for run in system.values], rtol=1e-13)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("pair", "n_runs"), EXCHANGED)
def test_no_exchange_is_the_observed_score_and_a_full_one_turns_it(systems, unit, pair, n_runs):
    table = ScoreTable.of(systems, unit)
    masks = np.repeat([[0], [1]], table.units.count * n_runs, axis=1)
    [scores] = table.exchange(masks, [pair], n_runs=n_runs)
    expected = [table.means[place] for place in pair]
    assert scores.shape == (2, 2)
    np.testing.assert_allclose(scores[:, 0], expected, rtol=1e-13)
    assert expected[0] != pytest.approx(expected[1], abs=1e-3)
    np.testing.assert_allclose(scores[:, 1], scores[::-1, 0], rtol=1e-13)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("pair", "n_runs"), EXCHANGED)
def test_an_exchange_is_that_of_outputs_unit_by_unit(systems, unit, pair, n_runs):
    table = ScoreTable.of(systems, unit)
    masks = np.random.default_rng(2).integers(0, 2, (12, table.units.count * n_runs))
    [(first, second)] = table.exchange(masks, [pair], n_runs=n_runs)
    a, b = (systems[place] for place in pair)
    expected = [exchanged_by_hand(a, b, mask, unit, n_runs) for mask in masks]
    np.testing.assert_allclose(np.stack([first, second], axis=1), expected, rtol=1e-12)
    assert len(set(np.round(first, 6))) > 6


def test_pairs_are_exchanged_together_as_alone(systems):
    """Systems with another number of runs are passed over where each run has its coin, wherever they stand."""
    table = ScoreTable.of(systems)
    for n_runs in (1, 2, 3):
        pairs = [pair for pair, coins in EXCHANGED if coins == n_runs]
        masks = np.random.default_rng(3).integers(0, 2, (9, N_SEGMENTS * n_runs))
        together = table.exchange(masks, pairs, n_runs=n_runs)
        assert together.shape == (len(pairs), 2, 9)
        for pair, found in zip(pairs, together, strict=True):
            [alone] = ScoreTable.of([systems[place] for place in pair]).exchange(masks, [(0, 1)], n_runs=n_runs)
            np.testing.assert_allclose(found, alone, rtol=1e-13)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("pair", "n_runs"), EXCHANGED)
def test_coins_that_are_left_out_do_not_exchange(systems, unit, pair, n_runs):
    table = ScoreTable.of(systems, unit)
    draws = np.random.default_rng(4)
    thrown = draws.integers(0, 2, table.units.count * n_runs).astype(bool)
    masks = draws.integers(0, 2, (10, np.count_nonzero(thrown)))
    full = np.zeros((10, len(thrown)), dtype=np.int64)
    full[:, thrown] = masks
    expected = table.exchange(full, [pair], n_runs=n_runs)
    np.testing.assert_allclose(table.exchange(masks, [pair], n_runs=n_runs, coins=thrown), expected, rtol=1e-13)


def test_influence_is_what_the_scores_without_each_unit_say(systems):
    for unit in UNITS:
        table = ScoreTable.of(systems, unit)
        n_units = table.units.count
        without = table.score(1 - np.eye(n_units))
        for by_run, influence, scores in zip(table.run_influence, table.influence, without, strict=True):
            assert by_run.shape == (scores.shape[1], n_units)
            expected = (n_units - 1) / n_units * (scores.mean(axis=0) - scores).T
            assert np.abs(expected).max() > 0.05
            np.testing.assert_allclose(by_run, expected, rtol=1e-9, atol=1e-10)
            np.testing.assert_array_equal(influence, by_run.mean(axis=0))
            np.testing.assert_allclose(by_run.sum(axis=1), 0, atol=1e-9)


def test_coins_matter_where_their_exchange_changes_a_sum(make_bleu):
    """Runs the other way round average alike; documents may sum alike whose segments do not."""
    statistics = make_bleu(6, runs=(2,), documents=[0, 0, 1, 1, 2, 2])
    own = statistics["s0"]
    other = own.values.copy()
    other[:, 1] = other[::-1, 1]  # runs
    other[:, [2, 3]] = other[:, [3, 2]]  # segments of one document
    other[1, 4, 2] += 1  # one match more, of one run
    single = own.values.sum(axis=1, keepdims=True)  # nothing but a system of another number of runs between them
    systems = [own, replace(own, values=np.repeat(single, 6, axis=1)[:1]), replace(own, values=other)]
    by_segment, by_document = ScoreTable.of(systems), ScoreTable.of(systems, "document")
    assert by_segment.differing((0, 2)).tolist() == [False, True, True, True, True, False]
    assert (by_segment.count_differing((0, 2)), by_document.count_differing((0, 2))) == (3, 1)
    assert by_segment.differing((2, 0)).tolist() == by_segment.differing((0, 2)).tolist()
    assert by_document.differing((0, 2)).tolist() == [True, False, True]
    by_run = by_segment.differing((0, 2), n_runs=2).reshape(6, 2)
    assert by_run.tolist() == [[False] * 2, [True] * 2, [True] * 2, [True] * 2, [False, True], [False] * 2]
    assert by_document.differing((0, 2), n_runs=2).reshape(3, 2).tolist() == [[True] * 2, [False] * 2, [False, True]]
    assert not by_segment.differing((0, 0), n_runs=2).any()
    assert by_segment.differing((0, 1)).all()


def test_sums_that_are_the_same_but_for_rounding_do_not_differ(make_mean):
    runs = np.array([[0.1, 7.0], [0.2, 7.0], [0.3, 7.0]])
    statistics = make_mean(a=runs, b=runs[::-1], c=runs[:1])
    table = ScoreTable.of([statistics[name] for name in "abc"])
    assert table.differing((0, 1)).tolist() == [True, False]
    assert (table.count_differing((0, 1)), table.count_differing((0, 2))) == (0, 1)


@pytest.mark.parametrize("unit", UNITS)
def test_a_table_of_some_segments_is_that_of_a_smaller_test_set(systems, unit):
    mask = DOCUMENTS != 3
    mask[::5] = False
    smaller = ScoreTable.of([system.take(mask) for system in systems], unit)
    for segments in (mask, np.flatnonzero(mask)):
        table = ScoreTable.of(systems, unit, segments)
        assert table.n_segments == np.count_nonzero(mask) < N_SEGMENTS
        assert table.units.count == smaller.units.count
        assert table.systems[0].test_set == smaller.systems[0].test_set
        np.testing.assert_array_equal(table.sums[:], smaller.sums[:])
        np.testing.assert_array_equal(table.units.of_segment, smaller.units.of_segment)
        for found, expected in zip(table.scores, smaller.scores, strict=True):
            np.testing.assert_array_equal(found, expected)
    if unit == "document":
        assert table.units.count == 6
    everything = ScoreTable.of(systems, unit)
    assert all(one is other for one, other in zip(everything.systems, systems, strict=True))


@pytest.mark.parametrize("cells", [1, 300])
def test_batches_change_nothing(systems, monkeypatch, cells):
    draws = np.random.default_rng(7)
    weights = draws.integers(0, 4, (23, N_SEGMENTS))
    masks = {n_runs: draws.integers(0, 2, (23, N_SEGMENTS * n_runs)) for n_runs in (1, 2, 3)}
    rows, score = [], type(systems[0].metric).score

    def watched(metric, totals):
        rows.append(len(totals))
        return score(metric, totals)

    def everything():
        table = ScoreTable.of(systems)
        exchanged = [table.exchange(masks[n_runs], [pair], n_runs=n_runs) for pair, n_runs in EXCHANGED]
        return [*table.score(weights), *exchanged]

    monkeypatch.setattr(type(systems[0].metric), "score", watched)
    whole, in_one = everything(), len(rows)
    monkeypatch.setattr(resampling, "BATCH_CELLS", cells)
    parts = everything()
    assert len(rows) - in_one > 2 * in_one
    for found, expected in zip(parts, whole, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_no_weights_have_no_scores(systems, monkeypatch):
    table = ScoreTable.of(systems)
    monkeypatch.setattr(type(systems[0].metric), "score", None)  # no metric needs to know what to do with nothing
    monkeypatch.setattr(type(systems[-1].metric), "score", None)
    found = table.score(np.empty((0, N_SEGMENTS)))
    assert [scores.shape for scores in found] == [(0, n_runs) for n_runs in (2, 3, 3, 1, 1, 2, 2)]


def test_what_is_summed_takes_less_memory_than_the_statistics(make_bleu, monkeypatch):
    """One array of all systems in double precision would be as large as the statistics, and gains of pairs as well."""
    monkeypatch.setattr(weighted_sums, "_TOGETHER", 2**5)
    monkeypatch.setattr(score_table, "ROWS_TOGETHER", 2**5)
    statistics = make_bleu(1000, runs=(1,) * 20)
    table = ScoreTable.of(statistics[name] for name in statistics)
    masks = np.random.default_rng(1).integers(0, 2, (8, 1000), dtype=np.uint8)
    tracemalloc.start()
    table.exchange(masks, [(0, other) for other in range(1, 20)])
    resampled = table.summed
    assert table.differing((0, 1)).any()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert resampled.dtype == np.float32
    assert peak < sum(values.nbytes for values in statistics.values.values())
