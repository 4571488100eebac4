"""Draws follow the rule of docs/draws.md to the last bit, whatever the batch; samples are what they say."""

import math
import re
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtworkbench import resampling
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import approximate_randomization, paired_bootstrap
from mtworkbench.metrics import MeanScore
from mtworkbench.resampling import (
    COINS,
    RESAMPLES,
    SAMPLES,
    SIMULATION,
    SUBSAMPLES,
    RandomKey,
    block_indices,
    block_samples,
    bootstrap_counts,
    bootstrap_indices,
    bootstrap_weights,
    broad_samples,
    choose_counter,
    count_draws,
    draw_below,
    exchange_coins,
    exchange_masks,
    number_units,
    pair_runs,
    random_samples,
    resolve_rng,
    run_orders,
    sacrebleu_masks,
    sacrebleu_weights,
    stratified_indices,
    stream_word,
    stream_words,
    subsample_weights,
    swap_matrix,
    take_least,
    uniforms,
)
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

DOCUMENT = Path(__file__).parent.parent / "docs" / "draws.md"
MASK = 2**64 - 1


# The rule once more, in integers that cannot overflow and without a look at the package.
def word(key, i):
    z = (key + (i + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def draws_of_resample(key, n, b):
    stream, first, draws = word(key, 0), b * ((n + 1) // 2), []
    for j in range((n + 1) // 2):
        w = word(stream, first + j)
        draws += [(w & 0xFFFFFFFF) * n >> 32, (w >> 32) * n >> 32]
    return draws[:n]


def halves_of_resample(key, n_draws, b):
    stream, each = word(key, 0), (n_draws + 1) // 2
    words = [word(stream, b * each + j) for j in range(each)]
    return [half for w in words for half in (w & 0xFFFFFFFF, w >> 32)][:n_draws]


def draws_in_strata(key, b, *stratum_of_unit):
    halves, draws = iter(halves_of_resample(key, len(stratum_of_unit), b)), []
    for stratum in dict.fromkeys(stratum_of_unit):
        members = [unit for unit, its_stratum in enumerate(stratum_of_unit) if its_stratum == stratum]
        draws += [members[next(halves) * len(members) >> 32] for _ in members]
    return draws


def draws_of_blocks(key, n, length, b):
    starts = [half * n >> 32 for half in halves_of_resample(key, -(-n // length), b)]
    return [(start + step) % n for start in starts for step in range(length)][:n]


def coins_of_trial(key, c, b):
    stream, first = word(key, 1), b * ((c + 63) // 64)
    return [word(stream, first + i // 64) >> (i % 64) & 1 for i in range(c)]


def order_of_sample(key, n, j):
    stream = word(key, 2)
    return sorted(range(n), key=lambda i: word(stream, j * n + i))


def draws_of_subsample(key, n, size, b):
    stream, first, draws = word(key, 2), b * ((size + 1) // 2), []
    for j in range((size + 1) // 2):
        w = word(stream, first + j)
        draws += [(w & 0xFFFFFFFF) * n >> 32, (w >> 32) * n >> 32]
    return draws[:size]


def order_of_runs(key, n, n_runs, b, i):
    stream = word(key, 2)
    return sorted(range(n_runs), key=lambda run: word(stream, (b * n + i) * n_runs + run))


def test_what_a_signature_names_makes_the_same_draws():
    """The words are those of docs/draws.md: the key of seed 1, its samples, and what a key alone gives."""
    assert resolve_rng("1") == resolve_rng(1)
    assert resolve_rng("1/2").key == resolve_rng("K=9441442522235856127/2").key == 3640127072778082600
    assert (resolve_rng(1).sample(2).rng, resolve_rng(1).sample(2).named) == ("1/2", "1/2")
    assert RandomKey(5).named == "K=5" and RandomKey(5).sample(2).sample(1).named == "K=5/2/1"
    assert resolve_rng("K=5/2/1") == RandomKey(5).sample(2).sample(1)


@pytest.mark.parametrize("text", ["", "1/0", "1/", "one", "K=", f"K={2**64}", "-1"])
def test_other_texts_are_no_seeds(text):
    with pytest.raises(InputError, match=f"^rng is {text!r}, but a seed such as 1 was expected, or what a signature"):
        resolve_rng(text)


def test_words_of_splitmix64():
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert stream_words(1234567, 0, 3).tolist() == expected
    assert stream_words(1234567, 1, 2).tolist() == expected[1:]
    assert [word(1234567, i) for i in range(3)] == expected


def test_seed_1_gives_the_key_of_the_design():
    assert resolve_rng(1) == RandomKey(9441442522235856127, 1)
    assert resolve_rng(np.random.default_rng(1)) == RandomKey(9441442522235856127, None)


def test_resamples_and_coins_of_the_design():
    draws = RandomKey(1234567)
    assert bootstrap_indices(7, 0, 2, key=draws.stream(RESAMPLES)).tolist() == [
        [0, 3, 6, 4, 5, 6, 0],
        [4, 2, 4, 6, 3, 6, 4],
    ]
    assert exchange_coins(12, 0, 2, key=draws.stream(COINS)).tolist() == [
        [1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1],
        [1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0],
    ]


keys = st.integers(0, MASK)
sizes = st.integers(1, 200)
places = st.integers(0, 2**40)


@given(keys, sizes, places)
@settings(max_examples=60)
def test_draws_are_those_of_the_rule(key, n, b):
    draws = RandomKey(key)
    expected = draws_of_resample(key, n, b)
    assert bootstrap_indices(n, b, 1, key=draws.stream(RESAMPLES))[0].tolist() == expected
    counts = bootstrap_counts(n, b, 1, key=draws.stream(RESAMPLES))[0]
    assert counts.tolist() == [expected.count(unit) for unit in range(n)]
    assert exchange_coins(n, b, 1, key=draws.stream(COINS))[0].tolist() == coins_of_trial(key, n, b)
    assert uniforms(key, b, 1)[0] == ((word(key, b) >> 11) + 0.5) * 2.0**-53


@given(keys, st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(1, 20), places)
@settings(max_examples=60)
def test_draws_within_strata_and_of_blocks_are_those_of_the_rule(key, strata, length, b):
    stream, (_, numbered) = RandomKey(key).stream(RESAMPLES), number_units(strata)
    assert stratified_indices(numbered, b, 1, key=stream)[0].tolist() == draws_in_strata(key, b, *strata)
    drawn = block_indices(len(strata), length, b, 1, key=stream)[0].tolist()
    assert drawn == draws_of_blocks(key, len(strata), length, b)


def test_one_stratum_and_blocks_of_one_segment_are_the_draws_without():
    plain = bootstrap_indices(9, 3, 4, key=8)
    np.testing.assert_array_equal(stratified_indices(np.zeros(9, dtype=np.int64), 3, 4, key=8), plain)
    np.testing.assert_array_equal(block_indices(9, 1, 3, 4, key=8), plain)
    np.testing.assert_array_equal(block_indices(1, 3, 3, 4, key=8), np.zeros((4, 1)))


def test_every_stratum_has_its_number_of_units_in_each_resample():
    documents = np.repeat(["a", "b", "c", "d", "e"], 3)
    domains = np.repeat(["news", "social", "news"], [6, 6, 3])
    weights = np.concatenate(list(bootstrap_weights(documents, 300, strata=domains, rng=4)))
    assert (weights[:, domains == "news"].sum(axis=1) == 9).all()
    assert (weights[:, domains == "social"].sum(axis=1) == 6).all()
    # whole documents: the three segments of each have one weight, which any document can have
    assert (weights.reshape(300, 5, 3) == weights.reshape(300, 5, 3)[..., :1]).all()
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=4.5 / np.sqrt(300))
    [by_segment] = bootstrap_weights(15, 50, strata=domains, rng=4)
    assert (by_segment[:, domains == "news"].sum(axis=1) == 9).all()


def test_moving_blocks_draw_every_segment_equally_often():
    weights = choose_counter(10, block_length=4, rng=5)(0, 4000)
    assert (weights.sum(axis=1) == 10).all()
    # blocks of 4, 4 and 2 segments, each of which covers a segment with probability length / 10
    variance = 0.4 * 0.6 + 0.4 * 0.6 + 0.2 * 0.8
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=4.5 * np.sqrt(variance / 4000))
    np.testing.assert_allclose(weights.var(axis=0), variance, rtol=0.1)


def test_a_unit_in_two_strata_is_refused():
    sentence = (
        "Segments 2 and 3 belong to one unit, but to the strata news and social: every unit must lie in one stratum, "
        "so choose smaller units, or other strata."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        next(bootstrap_weights(["a", "b", "b"], 1, strata=["news", "news", "social"], rng=1))
    assert caught.value.code == "unit-in-two-strata"
    sentence = "There are strata of 2 segments, but units of 3: one stratum per segment was expected."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        next(bootstrap_weights(3, 1, strata=["news", "news"], rng=1))


@given(keys, st.integers(1, 2**20))
def test_keys_of_streams_and_samples_are_words(key, number):
    draws = RandomKey(key)
    streams = [draws.stream(stream) for stream in (RESAMPLES, COINS, SUBSAMPLES, SIMULATION, SAMPLES)]
    assert streams == [word(key, i) for i in range(5)]
    assert draws.sample(number) == RandomKey(word(word(key, 4), number - 1))


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 300])
@pytest.mark.parametrize("cached", [1, 500, 2**15])
def test_batches_do_not_change_a_draw(monkeypatch, n, cached):
    strata = np.arange(n) % 3
    draws = (
        bootstrap_counts,
        exchange_coins,
        partial(count_draws, partial(stratified_indices, strata)),
        partial(count_draws, partial(block_indices, n, 5)),
    )
    whole = [draw(n, 0, 20, key=5) for draw in draws]
    monkeypatch.setattr(resampling, "CACHED_DRAWS", cached)
    for size in (1, 7):
        parts = [(first, min(size, 20 - first)) for first in range(0, 20, size)]
        for draw, expected in zip(draws, whole, strict=True):
            found = np.concatenate([draw(n, first, count, key=5) for first, count in parts])
            np.testing.assert_array_equal(found, expected)


def test_a_resample_has_as_many_draws_as_units():
    counts = bootstrap_counts(33, 0, 500, key=1)
    assert (counts.sum(axis=1) == 33).all()
    # each unit is drawn once on average: 500 resamples, variance 1 - 1/33 each
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=4.5 / np.sqrt(500))


def test_weights_of_documents_are_those_of_their_segments():
    documents = ["z", "z", "a", "m", "z", "a"]
    [weights] = bootstrap_weights(documents, 4, rng=11)
    counts = bootstrap_counts(3, 0, 4, key=resolve_rng(11).stream(RESAMPLES))
    np.testing.assert_array_equal(weights, counts[:, [0, 0, 1, 2, 0, 1]])


def test_units_are_numbered_as_they_come():
    n_units, unit_of_segment = number_units(["z", "a", "z", "m"])
    assert (n_units, unit_of_segment.tolist()) == (3, [0, 1, 0, 2])
    n_units, unit_of_segment = number_units(3)
    assert (n_units, unit_of_segment.tolist()) == (3, [0, 1, 2])


@pytest.mark.parametrize("units", [0, []])
def test_nothing_cannot_be_drawn_from(units):
    sentence = "There are 0 segments to draw from, but at least 1 is needed."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        next(bootstrap_weights(units, 1, rng=1))


def test_masks_have_coin_number_unit_times_runs_plus_run():
    [masks] = exchange_masks(["d", "e", "d"], 5, n_runs=2, rng=3)
    assert masks.shape == (5, 3, 2)
    coins = exchange_coins(4, 0, 5, key=resolve_rng(3).stream(COINS))
    np.testing.assert_array_equal(masks[:, 0], coins[:, :2])
    np.testing.assert_array_equal(masks[:, 1], coins[:, 2:])
    np.testing.assert_array_equal(masks[:, 2], masks[:, 0])


def test_runs_take_turns_until_all_have_met_equally_often():
    assert [one.tolist() for one in pair_runs(np.arange(2), np.arange(3))] == [[0, 1, 0, 1, 0, 1], [0, 1, 2, 0, 1, 2]]
    first, second = np.arange(24).reshape(2, 3, 4), np.arange(24, 48).reshape(2, 3, 4)
    for one, same in zip(pair_runs(first, second), (first, second), strict=True):
        np.testing.assert_array_equal(one, same)


def test_weights_come_in_batches_of_bounded_memory(monkeypatch):
    [whole] = bootstrap_weights(10, 25, rng=2)
    [masks] = exchange_masks(10, 25, rng=2)
    np.testing.assert_array_equal(swap_matrix(10, 25, rng=2), masks[:, :, 0])
    monkeypatch.setattr(resampling, "BATCH_CELLS", 70)
    parts = list(bootstrap_weights(10, 25, rng=2))
    assert [len(part) for part in parts] == [7, 7, 7, 4]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    np.testing.assert_array_equal(np.concatenate(list(exchange_masks(10, 25, rng=2))), masks)


def test_unset_rng_is_drawn_once_and_recorded():
    first, second = resolve_rng(None), resolve_rng(None)
    assert first != second
    assert 0 <= first.seed < 2**53
    assert resolve_rng(first.seed) == first
    assert resolve_rng(first) is first


def test_zero_is_a_seed_like_any_other():
    assert resolve_rng(0) == resolve_rng(np.int64(0)) == RandomKey(int(np.random.PCG64(0).random_raw()), 0)


@pytest.mark.parametrize(
    ("rng", "sentence"),
    [
        (-1, "rng is -1, but a seed must be an integer of at least 0."),
        (True, "rng is of type bool, but an integer, a numpy.random.Generator or None was expected."),
        (1.0, "rng is of type float, but an integer, a numpy.random.Generator or None was expected."),
        (
            np.random.Generator(np.random.MT19937(1)),
            "rng is a Generator over MT19937, whose raw words have 32 bits, but 64 are needed: give an integer or "
            "numpy.random.default_rng(...).",
        ),
    ],
)
def test_other_rngs_are_refused(rng, sentence):
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        resolve_rng(rng)


def test_uniforms_are_strictly_between_0_and_1():
    drawn = uniforms(77, 0, 100_000)
    assert drawn.dtype == np.float64
    assert 0 < drawn.min() < drawn.max() < 1
    assert abs(drawn.mean() - 0.5) < 4.5 / np.sqrt(12 * 100_000)


def test_blocks_are_consecutive_and_the_rest_is_reported():
    blocks = block_samples(600, 300)
    assert [block[[0, -1]].tolist() for block in blocks] == [[0, 299], [300, 599]]
    sentence = "7 segments make 2 blocks of 3: the last segment is left out."
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        blocks = block_samples(7, 3)
    with pytest.warns(DataWarning, match="^450 segments make 1 block of 300: the last 150 segments are left out.$"):
        assert len(block_samples(450, 300)) == 1
    assert [block.tolist() for block in blocks] == [[0, 1, 2], [3, 4, 5]]
    assert (caught[0].message.code, caught[0].message.count) == ("remainder", 1)


def test_broad_samples_deal_out_every_segment_once():
    samples = broad_samples(30_000, 100)
    assert (samples[0][:3] + 1).tolist() == [1, 101, 201]  # the paper's broad sample 1
    assert {len(sample) for sample in samples} == {300}
    uneven = broad_samples(10, 4)
    assert [sample.tolist() for sample in uneven] == [[0, 4, 8], [1, 5, 9], [2, 6], [3, 7]]


def test_random_samples_follow_the_order_of_words():
    found = random_samples(9, 4, 3, rng=6)
    key = resolve_rng(6).key
    assert [sample.tolist() for sample in found] == [sorted(order_of_sample(key, 9, j)[:4]) for j in range(3)]


@given(st.lists(st.integers(0, 5) | st.integers(2**63 - 2, 2**64 - 1), min_size=1, max_size=30), st.data())
def test_the_least_words_are_the_first_of_a_stable_sort(words, data):
    """Equal words do not occur in a test set of any size that can be read, so this is where they are looked at."""
    size = data.draw(st.integers(1, len(words)))
    found = take_least(np.array(words, np.uint64), size)
    assert found.dtype == np.int64
    assert found.tolist() == sorted(sorted(range(len(words)), key=words.__getitem__)[:size])


@pytest.mark.parametrize("size", [0, 11])
@pytest.mark.parametrize("draw", [block_samples, broad_samples, lambda n, size: random_samples(n, size, 1, rng=1)])
def test_samples_larger_than_the_test_set_are_refused(draw, size):
    with pytest.raises(InputError, match="but the test set has 10 segments") as caught:
        draw(10, size)
    assert caught.value.code == "sample-size"


def test_the_worked_vectors_of_the_document():
    """Every line `name(arguments) = values` of docs/draws.md, by the independent functions and by the package."""
    independent = {
        "word": lambda key, i: [word(key, i)],
        "resample": draws_of_resample,
        "resample_in_strata": draws_in_strata,
        "resample_of_blocks": draws_of_blocks,
        "coins": coins_of_trial,
        "order": order_of_sample,
        "subsample": draws_of_subsample,
        "run_order": order_of_runs,
        "sample_key": lambda key, i: [word(word(key, 4), i - 1)],
        "uniform": lambda key, i: [((word(key, i) >> 11) + 0.5) * 2.0**-53],
    }
    package = {
        "word": lambda key, i: stream_words(key, i, 1).tolist(),
        "resample": lambda key, n, b: bootstrap_indices(n, b, 1, key=RandomKey(key).stream(RESAMPLES))[0].tolist(),
        "resample_in_strata": lambda key, b, *strata: stratified_indices(
            np.array(strata), b, 1, key=RandomKey(key).stream(RESAMPLES)
        )[0].tolist(),
        "resample_of_blocks": lambda key, n, length, b: block_indices(
            n, length, b, 1, key=RandomKey(key).stream(RESAMPLES)
        )[0].tolist(),
        "coins": lambda key, c, b: exchange_coins(c, b, 1, key=RandomKey(key).stream(COINS))[0].tolist(),
        "order": lambda key, n, j: random_samples_order(key, n, j),
        "subsample": package_subsample,
        "run_order": lambda key, n, runs, b, i: run_orders(n, runs, b, 1, key=RandomKey(key).stream(SUBSAMPLES))[
            :, 0, i
        ].tolist(),
        "sample_key": lambda key, i: [RandomKey(key).sample(i).key],
        "uniform": lambda key, i: uniforms(key, i, 1).tolist(),
    }
    lines = re.findall(r"^    (\w+)\(([\d, ]+)\) = (.+)$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for name, _, _ in lines} == set(package)
    for name, arguments, values in lines:
        arguments = [int(argument) for argument in arguments.split(",")]
        expected = [float(value) if "." in value else int(value) for value in values.split()]
        assert independent[name](*arguments) == expected, name
        assert package[name](*arguments) == expected, name


def package_subsample(key, n, size, b):
    """The counts of subsample b say which segments are in it; their order is that of the draws, which counts lack."""
    draws = draw_below(size, n, b, 1, key=RandomKey(key).stream(SUBSAMPLES))[0].tolist()
    weights = np.concatenate(list(subsample_weights(n, size, b + 1, rng=RandomKey(key))))
    assert weights[b].tolist() == np.bincount(draws, minlength=n).tolist()
    return draws


def random_samples_order(key, n, j):
    """The whole order of sample j, found from samples of every size."""
    taken = [set(random_samples(n, size, j + 1, rng=RandomKey(key))[j].tolist()) for size in range(1, n + 1)]
    return [(more - fewer).pop() for fewer, more in zip([set(), *taken], taken, strict=False)]


@pytest.mark.parametrize("n_segments", [1, 7, 33])
def test_sacrebleus_draws_are_those_of_its_calls_whatever_the_batch(monkeypatch, n_segments):
    """`rng.choice(n, size=(B, n))` and `rng.integers(2, size=(N, n), dtype=bool)`, each in one call, as there."""
    chosen = np.random.default_rng(12345).choice(n_segments, size=(100, n_segments), replace=True)
    kept = np.random.default_rng(12345).integers(2, size=(100, n_segments), dtype=bool)
    counts = np.array([np.bincount(row, minlength=n_segments) for row in chosen])
    for cells in (resampling.BATCH_CELLS, 40 * n_segments, 64 * n_segments):
        monkeypatch.setattr(resampling, "BATCH_CELLS", cells)
        for _ in range(2):  # the second time they may have been kept
            weights, masks = list(sacrebleu_weights(n_segments, 100)), list(sacrebleu_masks(n_segments, 100))
            assert len(masks) == (1 if cells == 2**22 else 4 if cells == 40 * n_segments else 2)
            assert np.array_equal(np.concatenate(weights), counts)
            assert np.array_equal(np.concatenate(masks), kept)


def test_the_program_of_the_document_runs_and_prints_what_it_says(capsys):
    text = DOCUMENT.read_text(encoding="utf-8")
    [program] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    [printed] = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    exec(compile(program, str(DOCUMENT), "exec"), {})
    assert capsys.readouterr().out == printed


def worked_example():
    """The lists of numbers in the worked example of docs/draws.md."""
    text = DOCUMENT.read_text(encoding="utf-8").partition("## A worked example")[2].partition("\n## ")[0]
    lists = dict(re.findall(r"^    (\w+): ([-\d. ]+)$", text, re.MULTILINE))
    assert list(lists) == ["A", "B", "trials", "resamples", "exchanges"]
    return " ".join(text.split()), {name: [Fraction(value) for value in line.split()] for name, line in lists.items()}


def statistics_of_example(example, n_segments):
    values = {name: np.array([[[float(score), 1.0] for score in example[name][:n_segments]]]) for name in ("A", "B")}
    test_set = TestSet(np.arange(1, n_segments + 1), None, "references", 1)
    return SegmentStatistics(MeanScore(name="score", higher_is_better=True), values, test_set)


def test_the_worked_example_of_the_document_is_what_its_formulas_and_the_package_give():
    """p, the interval and the wins, from the page's scores in exact fractions, and from the package."""
    said, example = worked_example()
    key = 9441442522235856127  # of seed 1, as the page says
    tenths = [10 * (a - b) for a, b in zip(example["A"], example["B"], strict=True)]
    assert (len(tenths), sum(tenths), sum(one != 0 for one in tenths)) == (20, 14, 18)

    def exchanged(differences, exchanges):
        return sum(-one if coin else one for one, coin in zip(differences, exchanges, strict=True))

    trials = [exchanged(tenths, coins_of_trial(key, 20, b)) for b in range(19)]
    assert trials == example["trials"]
    extreme = [one for one in trials if abs(one) >= sum(tenths)]
    assert (extreme, extreme.count(14) + extreme.count(-14)) == ([14, -14, 28, 20, -16], 2)
    p = Fraction(len(extreme) + 1, len(trials) + 1)
    assert p == Fraction(3, 10) and "So p = (5 + 1) / (19 + 1) = 0.3." in said

    resamples = [sum(tenths[unit] for unit in draws_of_resample(key, 20, b)) for b in range(20)]
    assert resamples == example["resamples"]
    wins = sum(one > 0 for one in resamples)
    dropped = math.floor(Fraction(20) * (1 - Fraction("0.8")) / 2)
    low, high = sorted(resamples)[dropped], sorted(resamples)[len(resamples) - 1 - dropped]
    assert (wins, dropped, low, high) == (18, 2, 1, 27)
    assert "interval goes from the third smallest sum, 1, to the third largest, 27: from 0.005 to 0.135." in said

    few = [one for one in tenths[:6] if one]
    exchanges = [exchanged(few, [mask >> bit & 1 for bit in range(4)]) for mask in range(16)]
    assert exchanges == example["exchanges"]
    exact = Fraction(sum(abs(one) >= abs(sum(few)) for one in exchanges), 16)
    assert exact == Fraction(1, 2) and "so p = 8 / 16 = 0.5, whatever the seed." in said

    statistics = statistics_of_example(example, 20)
    found = approximate_randomization(statistics["A"], statistics["B"], n_trials=19, rng=1)
    assert (found.exact, found.n_coins, found.p_value) == (False, 18, float(p))
    np.testing.assert_allclose(found.differences, [float(one / 200) for one in trials], atol=1e-12)
    ends = {"percentile": (low, high), "basic": (2 * sum(tenths) - high, 2 * sum(tenths) - low)}
    for method, expected in ends.items():
        with pytest.warns(DataWarning) as warned:
            found = paired_bootstrap(statistics["A"], statistics["B"], n_resamples=20, level=0.8, method=method, rng=1)
        assert {one.message.code for one in warned} == {"few-units", "few-resamples"}
        assert (found.wins, found.losses, found.ties) == (wins, 20 - wins, 0)
        assert (found.low, found.high) == pytest.approx([float(end / 200) for end in expected], abs=1e-12)
    first = statistics_of_example(example, 6)
    found = approximate_randomization(first["A"], first["B"], rng=5)
    assert (found.exact, found.n_coins, found.p_value) == (True, 4, float(exact))


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_a_single_word_is_that_of_the_stream(key, number):
    assert stream_word(key, number) == stream_words(key, number, 1)[0]
