"""Columns and blocks as units: what is drawn, exchanged and left out, and how long blocks are."""

import re
from dataclasses import replace

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
from mtworkbench.inference.blocks import autocorrelate, choose_block_length, noise_band
from mtworkbench.inference.intervals import jackknife_variance
from mtworkbench.inference.score_table import ScoreTable, choose_units
from mtworkbench.resampling import choose_counter
from mtworkbench.results.names_of_units import name_units

few = pytest.mark.filterwarnings("ignore:Only:mtworkbench.errors.DataWarning")
SPEAKERS = np.arange(45) * 7 % 45 % 9  # nine, five segments each, nowhere together


def numbers(found):
    """What a result says, apart from what it calls its unit."""
    return {name: value for name, value in found.shown().items() if name not in ("unit", "signature")}


def both_ways(make_bleu, unit, labels):
    """Statistics whose column has these labels, and others whose documents have them."""
    one = make_bleu(len(labels), runs=(3, 3), columns={unit: labels})
    return one, make_bleu(len(labels), runs=(3, 3), documents=labels)


@few
@pytest.mark.parametrize(("unit", "labels"), [("speaker", SPEAKERS), ("block of 4", np.arange(45) // 4)])
def test_units_are_exchanged_and_left_out_as_documents_are(make_bleu, unit, labels):
    by_column, by_document = both_ways(make_bleu, unit, labels)
    drawn = {"n_trials": 300, "rng": 5}
    found = approximate_randomization(by_column["s1"], by_column["s0"], unit=unit, **drawn)
    expected = approximate_randomization(by_document["s1"], by_document["s0"], unit="document", **drawn)
    assert numbers(found) == numbers(expected)
    assert (found.unit, found.n_units) == (unit, len(set(labels)))
    assert f"|unit:{unit}|" in found.signature
    jackknife = {"method": "jackknife", "n_resamples": 1, "rng": 1}
    found = paired_bootstrap(by_column["s1"], by_column["s0"], unit=unit, **jackknife)
    expected = paired_bootstrap(by_document["s1"], by_document["s0"], unit="document", **jackknife)
    assert (found.low, found.high, found.design_effect) == (expected.low, expected.high, expected.design_effect)
    found = crossed_analysis(by_column["s1"], by_column["s0"], unit=unit)
    expected = crossed_analysis(by_document["s1"], by_document["s0"], unit="document")
    assert (found.method_p_value, found.method_df) == (expected.method_p_value, expected.method_df)


@few
def test_the_groups_of_a_column_are_drawn_as_documents_are(make_bleu):
    by_column, by_document = both_ways(make_bleu, "speaker", SPEAKERS)
    drawn = {"n_trials": 200, "rng": 6}
    found, expected = compare(by_column, unit="speaker", **drawn), compare(by_document, unit="document", **drawn)
    [one], [other] = (comparison.metrics["BLEU"].comparisons for comparison in (found, expected))
    np.testing.assert_array_equal(one.bootstrap.differences, other.bootstrap.differences)
    assert (one.low, one.high, one.p_value, one.design_effect) == (
        other.low,
        other.high,
        other.p_value,
        other.design_effect,
    )
    assert (found.unit, found.interval) == ("speaker", "jackknife")
    variance = optimizer_variance(by_column, unit="speaker", rng=6)
    expected = optimizer_variance(by_document, unit="document", rng=6)
    assert (variance.unit, variance.metrics["BLEU"].systems[0].s_sel) == (
        "speaker",
        expected.metrics["BLEU"].systems[0].s_sel,
    )


@few
def test_a_bootstrap_of_blocks_draws_moving_blocks(make_bleu):
    statistics = make_bleu(45, runs=(2, 1))
    found = paired_bootstrap(
        statistics["s1"], statistics["s0"], unit="block", block_length=4, method="percentile", n_resamples=500, rng=7
    )
    weights = choose_counter(45, block_length=4, rng=7)(0, 500)
    expected = statistics["s1"].score(weights).mean(axis=1) - statistics["s0"].score(weights).mean(axis=1)
    np.testing.assert_allclose(found.differences, expected, rtol=1e-12)
    assert (found.unit, found.n_units) == ("block of 4", 12)
    assert "|unit:block of 4|interval:" in found.signature
    named = paired_bootstrap(
        statistics["s1"], statistics["s0"], unit="block of 4", method="percentile", n_resamples=500, rng=7
    )
    assert numbers(named) == numbers(found)


def test_blocks_of_one_segment_are_segments(make_bleu):
    statistics = make_bleu(45)
    pair, options = (statistics["s1"], statistics["s0"]), {"rng": 8, "n_trials": 200}
    found = approximate_randomization(*pair, unit="block", block_length=1, **options)
    assert numbers(found) == numbers(approximate_randomization(*pair, unit="segment", **options))
    del options["n_trials"]
    found = paired_bootstrap(*pair, unit="block", block_length=1, **options)
    plain = paired_bootstrap(*pair, unit="segment", **options)
    np.testing.assert_array_equal(found.differences, plain.differences)
    assert (found.design_effect, plain.design_effect) == (1.0, None)


def test_missing_scores_leave_before_blocks_are_cut(make_mean):
    a, b = np.random.default_rng(9).normal(size=(2, 40))
    a[[3, 17]] = np.nan
    statistics = make_mean(a=a, b=b)
    kept = ~np.isnan(a)
    complete = make_mean(a=a[kept], b=b[kept])
    with pytest.warns(DataWarning, match="leave the comparison"):
        found = approximate_randomization(statistics["a"], statistics["b"], unit="block of 5", n_trials=100, rng=1)
    expected = approximate_randomization(complete["a"], complete["b"], unit="block of 5", n_trials=100, rng=1)
    assert numbers(found) == numbers(expected)
    assert found.n_units == 8


def test_autocorrelation_by_hand():
    values = np.array([1.0, 2.0, 4.0, 1.0])  # deviations -1, 0, 2, -1; their mean square is 1.5
    np.testing.assert_allclose(autocorrelate(values, [1, 2, 3]), [-2 / 3 / 1.5, -1 / 1.5, 1 / 1.5])
    np.testing.assert_array_equal(autocorrelate(np.ones(5), [1, 2]), [0, 0])
    assert noise_band(400) == pytest.approx(0.098)


def moving_sum(draws, n_segments, width):
    """Neighbours up to ``width - 1`` apart are correlated, 1 - lag / width; no others are."""
    noise = draws.normal(size=n_segments + width - 1)
    return np.convolve(noise, np.ones(width), "valid")


def test_a_block_is_twice_as_long_as_the_dependence(make_mean):
    draws = np.random.default_rng(10)
    lengths = [choose_block_length([make_mean(a=moving_sum(draws, 4000, 4))["a"]], []) for _ in range(50)]
    # the correlations at lags 1, 2, 3 are 0.75, 0.5, 0.25, the band 0.03: lag 4 is the first within, mostly
    assert min(lengths) == 8
    assert lengths.count(8) > 35
    independent = [choose_block_length([make_mean(a=draws.normal(size=4000))["a"]], []) for _ in range(50)]
    assert independent.count(1) > 42


def test_the_longest_dependence_of_scores_and_differences_counts(make_mean):
    draws = np.random.default_rng(11)
    shared, own = moving_sum(draws, 4000, 6), draws.normal(size=(3, 4000))
    statistics = make_mean(a=shared + own[0], b=shared + own[1], c=own[2])
    a, b, c = (statistics[name] for name in "abc")
    of_a = choose_block_length([a], [])
    assert of_a >= 10
    assert choose_block_length([c], []) == 1
    # what both have in common leaves the difference, but not their scores
    difference = make_mean(d=own[0] - own[1])["d"]
    assert choose_block_length([difference], []) <= 4
    assert choose_block_length([a, b, c], [(0, 1)]) == max(of_a, choose_block_length([b], []))
    noisy = make_mean(a=shared + 20 * own[0], b=20 * own[0])
    assert choose_block_length([noisy["a"], noisy["b"]], []) <= 4
    assert choose_block_length([noisy["a"], noisy["b"]], [(0, 1)]) >= 10


def test_blocks_are_at_most_a_third_of_the_test_set_and_three_roots_of_it(make_mean):
    for n_segments, longest in ((1, 1), (2, 1), (5, 1), (12, 4), (60, 20), (400, 60), (10_000, 300)):
        trend = make_mean(a=np.arange(n_segments, dtype=float))["a"]
        assert choose_block_length([trend], []) == longest
    assert choose_block_length([make_mean(a=np.ones(50))["a"]], []) == 1


def test_the_chosen_length_is_named(make_mean):
    draws = np.random.default_rng(12)
    scores = {name: moving_sum(draws, 600, 3) for name in "abc"}
    statistics = make_mean(**scores)
    systems = [statistics[name] for name in "abc"]
    length = choose_block_length(systems, [(1, 0), (2, 0), (2, 1)])
    found = compare(statistics, unit="block", n_trials=300, rng=1)
    assert found.unit == f"block of {length}"
    assert length > 4
    assert f"|unit:block of {length}|exchange:" in found.signature
    [one, *_] = found.metrics["score"].comparisons
    by_block = ScoreTable.of(systems, found.unit).influence
    by_segment = ScoreTable.of(systems).influence
    inflated = jackknife_variance(by_block[1] - by_block[0]) / jackknife_variance(by_segment[1] - by_segment[0])
    assert one.design_effect == pytest.approx(inflated)
    assert inflated > 1.5
    again = compare(statistics, unit=found.unit, n_trials=300, rng=1)
    assert again.metrics["score"].to_frame().equals(found.metrics["score"].to_frame())


@few
def test_fewer_than_six_units_are_warned_of(make_mean):
    a, b = np.random.default_rng(13).normal(size=(2, 40))
    statistics = make_mean(a=a, b=b, columns={"domain": np.arange(40) % 4, "speaker": np.arange(40) % 6})
    sentence = (
        "There are only 4 domains: when these are swapped as a whole, p cannot be below 0.125. At least 6 units are "
        "needed for p below 0.05."
    )
    for call in (
        lambda unit: approximate_randomization(statistics["a"], statistics["b"], unit=unit),
        lambda unit: bootstrap_interval(statistics["a"], unit=unit, rng=1),
        lambda unit: compare(statistics, unit=unit, rng=1),
        lambda unit: crossed_analysis(statistics["a"], statistics["b"], unit=unit),
    ):
        with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
            call("domain")
        assert [warning.message.code for warning in caught if "There are" in str(warning.message)] == ["too-few-units"]
        call("speaker")
    runs = make_mean(a=[a] * 3, b=[b] * 3, columns={"domain": np.arange(40) % 4})
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$"):
        optimizer_variance(runs, unit="domain", rng=1)
    one = make_mean(a=a, b=b, columns={"domain": ["x"] * 40})
    with pytest.warns(DataWarning, match="There is only 1 domain: .* p cannot be below 1"):
        approximate_randomization(one["a"], one["b"], unit="domain")
    with pytest.warns(DataWarning, match="There are only 2 blocks of 20: "):
        approximate_randomization(one["a"], one["b"], unit="block", block_length=20)


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (
            {"unit": "topic"},
            "unknown-column",
            "unit is 'topic', but 'auto', 'segment', 'document', 'block' or the name of a column was expected: the "
            "columns of these statistics are 'domain', 'speaker'.",
        ),
        (
            {"unit": "document"},
            "no-documents",
            "unit='document' was asked for, but the documents of the test set are not known: give document ids "
            "(documents=... or --documents), or use unit='segment'.",
        ),
        (
            {"unit": "domain", "block_length": 3},
            "block-length",
            "block_length needs unit='block', but unit is 'domain'.",
        ),
        (
            {"unit": "block", "block_length": 0},
            "block-length",
            "block_length is 0, but a number of segments of at least 1 was expected.",
        ),
        (
            {"unit": "block", "block_length": 2.5},
            "block-length",
            "block_length is 2.5, but a number of segments of at least 1 was expected.",
        ),
    ],
)
def test_units_that_cannot_be_are_refused(make_mean, options, code, sentence):
    columns = {"domain": ["x", "x", "y", "y"], "speaker": ["eva", "tom", "eva", "tom"]}
    statistics = make_mean(a=[1, 2, 3, 4], b=[2, 3, 1, 0], columns=columns)
    for call in (
        lambda: bootstrap_interval(statistics["a"], **options),
        lambda: paired_bootstrap(statistics["a"], statistics["b"], **options),
        lambda: approximate_randomization(statistics["a"], statistics["b"], **options),
        lambda: compare(statistics, **options),
        lambda: crossed_analysis(statistics["a"], statistics["b"], **options),
    ):
        with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
            call()
        assert caught.value.code == code


def test_blocks_need_a_length_where_nothing_chooses_one(make_mean):
    with pytest.raises(InputError, match="^Blocks need a length here: name it, as in unit='block of 10'.$"):
        choose_units(make_mean(a=[1, 2])["a"].test_set, "block")


@pytest.mark.parametrize(
    ("unit", "one", "several"),
    [
        ("segment", "segment", "segments"),
        ("domain", "domain", "domains"),
        ("category", "category", "categories"),
        ("day", "day", "days"),
        ("class", "class", "classes"),
        ("news_topic", "news_topic", "news_topics"),
        ("topic_2", "topic_2", "values of topic_2"),
        ("a<b", "a<b", "values of a<b"),
        ("block of 7", "block of 7", "blocks of 7"),
    ],
)
def test_units_have_a_word_for_one_and_for_several(unit, one, several):
    assert (name_units(unit, 1), name_units(unit, 0), name_units(unit)) == (one, several, several)


def test_a_part_of_a_test_set_has_its_part_of_the_columns(make_mean):
    statistics = make_mean(a=range(6), columns={"domain": [*"xxyyzz"]})
    part = statistics.take(np.array([0, 2, 3]))
    assert choose_units(part.test_set, "domain").of_segment.tolist() == [0, 1, 1]
    assert replace(statistics.test_set, columns={}) != statistics.test_set
