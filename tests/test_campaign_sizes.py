"""How often the tests of a campaign err: systems are made equal as it is said, and counted as they are judged."""

import warnings
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from benchmarks import campaign_sizes
from benchmarks.campaign_sizes import (
    BY_SET,
    CENTRED,
    NULLS,
    ON_NEW,
    ON_THESE,
    RULES,
    TURNED,
    WITHIN_SETS,
    leave_sets_out,
    measure_campaign_sizes,
)
from mtworkbench import compare_test_sets
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.intervals import monte_carlo_ends
from mtworkbench.metrics import MeanScore
from mtworkbench.resampling import resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet


def made_up(shifts=(0.5, 1.0, 2.0, 1.5), sizes=(30, 40, 50, 45)):
    """Test sets on which b is better than a by about so much."""
    draws, sets = np.random.default_rng(1), {}
    for number, (shift, size) in enumerate(zip(shifts, sizes, strict=True)):
        scores = {"a": draws.normal(0, 1, size), "b": draws.normal(shift, 1, size)}
        values = {name: np.stack([one, np.ones(size)], axis=-1)[None] for name, one in scores.items()}
        test_set = TestSet(np.arange(1, size + 1), None, f"references {number}", 1)
        sets[f"set {number}"] = SegmentStatistics(MeanScore(higher_is_better=True), values, test_set)
    return sets


@pytest.fixture(scope="module")
def sets():
    return made_up()


@pytest.fixture(scope="module")
def tables(sets):
    return {name: campaign_sizes.make_table(one, "b", "a", "segment") for name, one in sets.items()}


def of_new_sets(sets):
    """p of Student's t, with an error that is at least that on these sets."""
    differences = np.array([one.difference for one in sets])
    error = np.sqrt(max(differences.var(ddof=1), np.mean([one.standard_error**2 for one in sets])) / len(sets))
    return 2 * scipy.stats.t.sf(abs(differences.mean()) / error, len(sets) - 1)


def differences_of(statistics):
    return statistics.values["b"][0, :, 0] - statistics.values["a"][0, :, 0]


def test_rows_are_null_hypotheses_numbers_of_sets_and_rules(sets):
    found = measure_campaign_sizes(sets, "b", "a", n_sets=(2, 4), n_repetitions=20, n_segments=20, rng=1)
    rows = [(null, number, rule) for null in NULLS for number in (2, 4) for rule in RULES[null]]
    assert list(found[["null", "n_sets", "rule"]].itertuples(index=False, name=None)) == rows
    assert set(found["metric"]) == {"score"} and set(found["a"]) == {"b"} and set(found["b"]) == {"a"}
    sampled = found["null"].isin((WITHIN_SETS, BY_SET))
    assert set(found.loc[sampled, "n_segments"]) == {20} and found.loc[~sampled, "n_segments"].isna().all()
    assert (found["percent"] == 5 * found["count"]).all()
    ends = [monte_carlo_ends(count, 20) for count in found["count"]]
    np.testing.assert_allclose(found[["low", "high"]], 100 * np.array(ends))
    # Sets that differ clearly and are swapped as a whole differ on these sets.
    by_set = found[(found["null"] == BY_SET) & (found["rule"] == ON_THESE)]
    assert (by_set["count"] >= 5).all()


@pytest.mark.parametrize("null", [WITHIN_SETS, BY_SET])
def test_counts_are_those_of_the_sets_that_are_made_equal(sets, tables, null):
    found = measure_campaign_sizes(sets, "b", "a", nulls=[null], n_sets=[3], n_repetitions=25, rng=6)
    key, counts = resolve_rng(6), dict.fromkeys(RULES[null], 0)
    for repetition in range(25):
        own = key.sample(repetition + 1)
        equal = campaign_sizes.make_equal(tables, 3, null, None, own)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            options = {"interval": "jackknife", "n_resamples": 1, "n_trials": 199}
            [pair] = compare_test_sets(equal, "a", rng=own, **options).metrics["score"].comparisons
        judged = {
            "these test sets": pair.p_value <= 0.05,
            "new test sets": max(of_new_sets(pair.sets), pair.p_value) <= 0.05,
            "jackknife on these test sets": pair.low * pair.high > 0,
            "Cochran's Q": pair.spread_p_value <= 0.05,
        }
        counts = {rule: count + judged[rule] for rule, count in counts.items()}
    assert found.set_index("rule")["count"].to_dict() == counts
    assert sum(counts.values()) > 0


@pytest.mark.parametrize("n_segments", [None, 25])
def test_coins_swap_segments_or_whole_sets(sets, tables, n_segments):
    kinds = {WITHIN_SETS: set(), BY_SET: set()}
    for null, kind in kinds.items():
        chosen = set()
        for seed in range(12):
            equal = campaign_sizes.make_equal(tables, 3, null, n_segments, resolve_rng(seed))
            assert len(equal) == 3 and [*equal] == [name for name in sets if name in equal]
            chosen |= {*equal}
            for name, one in equal.items():
                places = one.test_set.segments - 1
                assert len(places) == (len(sets[name].test_set) if n_segments is None else 25)
                turned = differences_of(one) / differences_of(sets[name])[places]
                np.testing.assert_allclose(np.abs(turned), 1)
                kind.add(float(np.sign(turned).mean()))
        assert chosen == {*sets}
    assert kinds[BY_SET] == {-1.0, 1.0}
    assert len(kinds[WITHIN_SETS]) > 4 and max(map(abs, kinds[WITHIN_SETS])) < 0.8


def test_centred_sets_have_no_difference_in_the_mean_and_spread_as_they_do(sets, tables):
    centred = campaign_sizes.centre(list(tables.values()), resolve_rng(1))
    assert centred.shape == (4, 1000)
    observed = np.array([differences_of(one).mean() for one in sets.values()])
    np.testing.assert_allclose(centred.mean(axis=1), observed - observed.mean(), atol=1e-12)
    errors = [differences_of(one).std() / np.sqrt(len(one.test_set)) for one in sets.values()]
    np.testing.assert_allclose(centred.std(axis=1), errors, rtol=0.1)


def test_centred_sets_are_drawn_with_replacement_and_turned_by_coins():
    """Of two kinds of sets, three draws are of one kind in a quarter of repetitions: then the mean is significant.

    Where they have the same resample, too, they vary as far as resamples do.
    """
    centred = np.array([[1.0, 1.001], [-1.0, -1.001]])
    for null in (CENTRED, TURNED):
        rejected = sum(
            campaign_sizes.reject_centred(centred, 3, null, 0.95, resolve_rng(seed))[ON_NEW] for seed in range(400)
        )
        low, high = scipy.stats.binom.interval(1 - 1e-6, 400, 0.25)
        assert low <= rejected <= high
    skewed = np.tile([[3.0], [-1.0], [-1.001], [-0.999]], 2)
    counts = {
        null: sum(
            campaign_sizes.reject_centred(skewed, 3, null, 0.95, resolve_rng(seed))[ON_NEW] for seed in range(400)
        )
        for null in (CENTRED, TURNED)
    }
    assert counts[CENTRED] > 2 * counts[TURNED] > 0


@pytest.mark.parametrize("shifts", [(0.5, 1.0, 2.0, 1.5), (0.5, 0.5, 0.5, 0.9), (0.5, 0.6, 9.0, 0.55)])
@pytest.mark.parametrize("n_sets", [2, 3])
def test_sets_left_out_are_predicted_by_every_choice_of_others(shifts, n_sets):
    sets = made_up(shifts)
    gains = [differences_of(one) for one in sets.values()]
    differences = np.array([one.mean() for one in gains])
    variances = np.array([one.var(ddof=1) / len(one) for one in gains])
    expected = dict.fromkeys(campaign_sizes.LEFT_OUT, 0)
    for chosen in map(list, combinations(range(4), n_sets)):
        own, others = differences[chosen], np.delete(differences, chosen)
        squares, dfs = variances[chosen], np.array([len(gains[one]) - 1 for one in chosen])
        t, mean = scipy.stats.t.ppf(0.975, n_sets - 1), own.mean()
        these = (
            scipy.stats.t.ppf(0.975, squares.sum() ** 2 / (squares**2 / dfs).sum()) * np.sqrt(squares.sum()) / n_sets
        )
        error, before = np.sqrt(max(own.var(ddof=1), squares.mean()) / n_sets), own.std(ddof=1) / np.sqrt(n_sets)
        halves = max(t * error * np.sqrt(n_sets + 1), these), t * before * np.sqrt(n_sets + 1)
        within = [int((abs(others - mean) <= half).sum()) for half in halves]
        counts = {"count": within[0], "choices": len(others), "count_before": within[1], "chosen": 1}
        counts |= {"narrower_before": int(t * before < these), "narrower": 0}
        counts |= {"covers_all": int(abs(mean - differences.mean()) <= max(t * error, these))}
        counts |= {"covers_all_before": int(abs(mean - differences.mean()) <= t * before)}
        if t * before < these:
            counts |= {"narrow": len(others), "narrow_count": within[0], "narrow_count_before": within[1]}
        expected = {name: count + counts.get(name, 0) for name, count in expected.items()}
    [row] = leave_sets_out(sets, "b", "a", n_sets=(n_sets,)).to_dict("records")
    assert {name: row[name] for name in expected} == expected
    assert (row["metric"], row["a"], row["b"], row["n_sets"]) == ("score", "b", "a", n_sets)
    cubes = ((differences - differences.mean()) ** 3).mean() / differences.std() ** 3
    assert row["skewness"] == pytest.approx(cubes * np.sqrt(4 * 3) / 2)
    assert row["percent"] == pytest.approx(100 * row["count"] / row["choices"])


def test_what_cannot_be_measured_is_refused(sets):
    for number in (1, 5):
        with pytest.raises(InputError, match=f"^{number} test sets were asked for, but a number from 2 to 4"):
            measure_campaign_sizes(sets, "b", "a", n_sets=[number], n_repetitions=2)
    with pytest.raises(InputError, match="^nulls is 'none', but one of 'swapped within sets'"):
        measure_campaign_sizes(sets, "b", "a", nulls=["none"], n_sets=[3], n_repetitions=2)
    with pytest.raises(InputError, match="There is no system 'c'"):
        measure_campaign_sizes(sets, "c", "a", n_sets=[3], n_repetitions=2)


def test_progress_shows_the_repetitions(sets):
    seen = []

    def count(items):
        seen.append(len(items))
        return items

    measure_campaign_sizes(sets, "b", "a", n_sets=(2, 3), n_repetitions=2, rng=1, progress=count)
    assert seen == [2] * len(NULLS) * 2
