"""Calibration on a user's own data: its null hypothesis is true, its verdicts are those of the rules."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from mtworkbench import calibrate, conventions, paired_bootstrap
from mtworkbench.errors import InputError
from mtworkbench.inference.calibrate import count_share, draw_units, swap_units
from mtworkbench.inference.randomization import randomize
from mtworkbench.inference.rules import RULES
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics import Length
from mtworkbench.resampling import SIMULATION, exchange_coins, resolve_rng
from mtworkbench.tables import format_calibration

pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
FEW = {"n_repetitions": 6, "n_resamples": 200, "n_trials": 150, "rng": 5}


@pytest.fixture(scope="module")
def by_document(make_bleu):
    return make_bleu(60, documents=np.repeat(np.arange(12), 5), seed=3)


def test_each_repetition_is_what_conventions_says_of_the_swapped_outputs(by_document):
    a, b = by_document["s0"], by_document["s1"]
    found = calibrate(a, b, **FEW)
    for repetition, rows in found.p_values.groupby("repetition"):
        own = resolve_rng(FEW["rng"]).sample(repetition)
        coins = exchange_coins(12, 0, 1, key=own.stream(SIMULATION))[0].astype(bool)
        swapped = np.repeat(coins, 5)[None, :, None]
        sides = [replace(one, values=np.where(swapped, other.values, one.values)) for one, other in ((a, b), (b, a))]
        expected = conventions(*sides, n_resamples=200, n_trials=150, rng=own)
        assert list(rows["rule"]) == [one.name for one in expected.rules]
        for row, rule in zip(rows.itertuples(), expected.rules, strict=True):
            if rule.name == "percentile":
                assert row.rejected == (rule.low > 0 or rule.high < 0)
                continue
            value = 1 - rule.confidence if rule.p_value is None else rule.p_value
            # sacreBLEU's scores in double precision: its p may be off by a resample.
            assert row.p_value == pytest.approx(value, abs=1.01 / 201 if rule.name == "sacrebleu-bs" else 1e-12)
            if rule.name not in ("ar", "sacrebleu-bs"):  # ar can be undecided
                assert row.rejected == (rule.verdict == "significant"), rule.name


def test_intervals_are_those_of_the_paired_bootstrap(by_document):
    a, b = by_document["s0"], by_document["s1"]
    found = calibrate(a, b, **FEW)
    covered = dict.fromkeys(("percentile", "basic", "bca", "jackknife"), 0)
    table = ScoreTable.of([a, b], "document")
    for repetition in range(1, 7):
        own = resolve_rng(FEW["rng"]).sample(repetition)
        sides = swap_units(table, None, own).systems
        for method in covered:
            one = paired_bootstrap(*sides, method=method, n_resamples=200, rng=own)
            covered[method] += one.low <= 0 <= one.high
    assert {one.method: one.n_covered for one in found.intervals} == covered
    assert {one.unit for one in found.intervals} == {"document"}


def test_whole_documents_are_swapped_and_every_output_is_used_once(by_document):
    table = ScoreTable.of([by_document["s0"], by_document["s1"]], "document")
    patterns = set()
    for seed in range(20):
        a, b = swap_units(table, None, resolve_rng(seed)).systems
        own = [one.values[0] for one in table.systems]
        swapped = (a.values[0] != own[0]).any(axis=1)
        assert np.array_equal(a.values[0], np.where(swapped[:, None], own[1], own[0]))
        assert np.array_equal(b.values[0], np.where(swapped[:, None], own[0], own[1]))
        of_documents = swapped.reshape(12, 5)
        assert (of_documents == of_documents[:, :1]).all()
        patterns.add(tuple(of_documents[:, 0]))
    assert len(patterns) == 20


def test_samples_are_whole_units_until_there_are_enough_segments(make_bleu):
    labels = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 6, 7, 8])
    units = ScoreTable.of([make_bleu(36, documents=labels)["s0"]], "document").units
    for seed in range(30):
        positions = draw_units(units, 12, resolve_rng(seed))
        chosen = set(labels[positions])
        assert len(positions) == np.isin(labels, list(chosen)).sum() >= 12
        assert list(positions) == sorted(positions)
        # No document too many: without the one that was drawn last there were too few, and no document has over 8.
        assert len(positions) < 12 + 8
    segments = ScoreTable.of([make_bleu(36)["s0"]]).units
    assert len(draw_units(segments, 12, resolve_rng(1))) == 12
    chosen = np.concatenate([draw_units(segments, 12, resolve_rng(seed)) for seed in range(200)])
    assert scipy.stats.chisquare(np.bincount(chosen, minlength=36)).pvalue > 0.001


def test_a_sample_has_as_many_segments_as_asked_for(make_bleu):
    statistics = make_bleu(60)
    found = calibrate(statistics["s0"], statistics["s1"], n_segments=25, **FEW)
    assert (found.size, found.n_segments, found.n_units) == (25, 60, 60)
    other = calibrate(statistics["s0"], statistics["s1"], **FEW)
    assert not found.p_values.equals(other.p_values)


def test_randomization_by_the_unit_that_is_swapped_keeps_its_level_by_construction(make_mean):
    """All ways to swap the documents: the share with p of at most x is at most x, for every x."""
    draws = np.random.default_rng(1)
    a, b = draws.normal(0.5, 1, (2, 14))
    statistics = make_mean(a=a, b=b - 0.5, documents=np.repeat(np.arange(7), 2))
    table = ScoreTable.of([statistics["a"], statistics["b"]], "document")
    p_values = []
    for coins in itertools.product([False, True], repeat=7):
        swapped = np.repeat(coins, 2)[None, :, None]
        one, other = (system.values for system in table.systems)
        sides = np.where(swapped, other, one), np.where(swapped, one, other)
        systems = tuple(replace(system, values=side) for system, side in zip(table.systems, sides, strict=True))
        found = randomize(ScoreTable(systems, table.units), n_trials=1, random_key=resolve_rng(1))
        p_values.append(found.p_value)
    p_values = np.array(p_values)
    for x in np.unique(p_values):
        assert np.mean(p_values <= x + 1e-12) <= x + 1e-12


def test_what_the_difference_adds_to_the_variance_is_what_swapping_adds(make_mean):
    """Documents of equal size, all ways to swap them: the variance of the difference is known without a formula."""
    draws = np.random.default_rng(2)
    n_documents = 8
    a, b = draws.normal(1.0, 1, (2, 4 * n_documents)) + np.array([[0.4], [0.0]])
    statistics = make_mean(a=a, b=b, documents=np.repeat(np.arange(n_documents), 4))
    found = calibrate(statistics["a"], statistics["b"], **FEW)
    of_documents = (a - b).reshape(n_documents, 4).mean(axis=1)
    swapped = [np.dot(signs, of_documents) / n_documents for signs in itertools.product([1, -1], repeat=n_documents)]
    own = of_documents.var(ddof=1) / n_documents  # the squared standard error of their mean
    assert np.var(swapped) == pytest.approx(own * ((n_documents - 1) / n_documents + found.added_variance), rel=1e-9)


def test_counts_shares_and_intervals_agree(by_document):
    found = calibrate(by_document["s0"], by_document["s1"], **FEW | {"n_repetitions": 20})
    assert [one.name for one in found.rules] == [rule.name for rule in RULES] == list(found.to_frame()["name"])
    for one in found.rules:
        rows = found.p_values[found.p_values["rule"] == one.name]
        assert (one.n_rejected, one.n_repetitions) == (rows["rejected"].sum(), 20)
        assert one.rejected == one.n_rejected / 20
        expected = scipy.stats.binomtest(one.n_rejected, 20).proportion_ci(method="exact")
        assert (one.low, one.high) == pytest.approx(tuple(expected))
        assert list(rows["share"]) == pytest.approx([np.mean(rows["p_value"] <= p) for p in rows["p_value"]])
    assert {one.name for one in found.rules if one.unit == "document"} == {"percentile", "shift", "jackknife", "ar"}


def test_progress_counts_repetitions_and_the_seed_repeats_them(by_document):
    seen = []

    def progress(items):
        for item in items:
            seen.append(item)
            yield item

    first = calibrate(by_document["s0"], by_document["s1"], progress=progress, **FEW)
    again = calibrate(by_document["s0"], by_document["s1"], **FEW)
    assert seen == list(range(6))
    assert first.p_values.equals(again.p_values)
    assert "test:calibrate|repetitions:6|unit:document|trials:150|level:0.95|resamples:200|rng:5" in first.signature


def test_rules_that_cannot_be_applied_are_left_out(make_bleu):
    statistics = make_bleu(40, runs=(2, 2))
    found = calibrate(statistics["s0"], statistics["s1"], **FEW)
    assert {one.name for one in found.rules} == {
        *("koehn2004", "riezler-maxwell", "berg-kirkpatrick", "paired t", "multeval"),
        *("percentile", "shift", "jackknife", "ar"),
    }
    draws = np.random.default_rng(1)
    lengths = {name: draws.integers(5, 40, (1, 40, 2)) for name in ("a", "b")}
    statistics = type(statistics)(Length(), lengths, statistics.test_set)
    names = {one.name for one in calibrate(statistics["a"], statistics["b"], **FEW).rules}
    assert not names & {"koehn2004", "cmu", "compare-mt", "comet-compare"}


@pytest.mark.long
def test_a_test_by_segment_errs_where_sentences_of_a_document_are_alike(make_mean):
    draws = np.random.default_rng(4)
    documents = np.repeat(np.arange(30), 6)
    effects = np.repeat(draws.normal(size=30), 6)
    statistics = make_mean(a=draws.normal(size=180) + effects, b=draws.normal(size=180), documents=documents)
    found = calibrate(statistics["a"], statistics["b"], n_repetitions=200, n_resamples=200, n_trials=200, rng=1)
    assert found["ar"].low < 0.05 < found["ar"].high
    assert found["multeval"].low > 0.1
    by_segment = calibrate(
        statistics["a"], statistics["b"], n_repetitions=200, n_resamples=200, n_trials=200, unit="segment", rng=1
    )
    assert by_segment["multeval"].low < 0.05 < by_segment["multeval"].high
    assert by_segment["comet-compare"].rejected < by_segment["koehn2004"].rejected


@pytest.mark.slow
def test_rates_are_those_of_the_conventions_page(make_mean):
    """Independent segments: fair rules err in 5 %, one-sided ones in about 10 %, those of small samples seldom."""
    draws = np.random.default_rng(6)
    a, b = draws.gamma(2, size=(2, 120))
    statistics = make_mean(a=a, b=b)
    found = calibrate(statistics["a"], statistics["b"], n_repetitions=2000, n_resamples=400, n_trials=399, rng=2)
    low, high = (end / 2000 for end in scipy.stats.binom.interval(0.999, 2000, 0.05))
    for rule in RULES:
        rejected = found[rule.name].rejected
        if rule.kind in ("fair", "strict"):
            assert low <= rejected <= high, rule.name
        elif rule.kind == "one-sided":
            assert 0.085 < rejected < 0.14, rule.name
        else:
            assert rejected < 0.035, rule.name


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ({"n_segments": 61}, "sample-size", "Samples of 61 segments were asked for, but the test set has 60 segments."),
        ({"n_repetitions": 0}, "draws", "n_repetitions is 0, but an integer of at least 1 was expected."),
    ],
)
def test_arguments_are_checked(by_document, arguments, code, message):
    with pytest.raises(InputError) as caught:
        calibrate(by_document["s0"], by_document["s1"], **FEW | arguments)
    assert (caught.value.code, str(caught.value)) == (code, message)


def test_unequal_numbers_of_runs_are_refused(make_bleu):
    statistics = make_bleu(20, runs=(2, 3))
    message = (
        "'s0' has 2 runs and 's1' has 3, but to make equal systems all runs of a unit are swapped: give equal numbers "
        "of runs."
    )
    with pytest.raises(InputError) as caught:
        calibrate(statistics["s0"], statistics["s1"])
    assert (caught.value.code, str(caught.value)) == ("unequal-runs", message)


def test_words_and_figures_of_units_that_are_blocks_and_of_rules_without_an_answer(make_mean):
    statistics = make_mean(a=[1.0, 2, 3, 4], b=[2.0, 2, 1, 4])
    options = {"n_repetitions": 2, "n_trials": 20, "n_resamples": 400, "rng": 1}
    by_block = calibrate(statistics["a"], statistics["b"], unit="block of 2", **options)
    assert "by swapping whole blocks of 2;" in by_block.headline[0]
    one = make_mean(a=[1.0], b=[2.0])
    text = format_calibration([calibrate(one["a"], one["b"], **options)])
    assert re.search(r"^jackknife +\[0\.0, 100\.0\]$", text, re.MULTILINE)
    assert "nan" not in text


def test_of_no_repetition_nothing_is_known():
    assert count_share(np.zeros(0, dtype=bool)) == (0, 0, pytest.approx(np.nan, nan_ok=True), 0.0, 1.0)
