"""The crossed analysis: the textbook's two-way tables, what leaves it as it is, and what it says of real runs."""

import math
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import approximate_randomization, compare, crossed_analysis, one_set
from mtworkbench.inference.crossed import cross, cross_variances, judge_methods
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics import MeanScore
from mtworkbench.results.crossed import CrossedVariance
from mtworkbench.tables import format_comparison

#: What `judge_methods` passes on.
OF_METHODS = {
    "systems": (SimpleNamespace(system="a", metric=SimpleNamespace(name="score"), n_runs=2),) * 2,
    "n_units": 50,
    "n_effective_units": 50.0,
    "unit": "segment",
    "strata": None,
    "signature": "score",
}


def both(statistics):
    """The two systems of some statistics, in the order given."""
    return [statistics[name] for name in statistics]


def scores_of_runs(seed=1, n_units=30, runs=(3, 4), unit_sd=1.0, run_sd=0.5):
    """Scores of two systems' runs, (n_runs, n_units), with every component of variance."""
    draws = np.random.default_rng(seed)
    difficulty = draws.normal(0, 2, n_units)
    return {
        name: difficulty
        + draws.normal(0, unit_sd, n_units)
        + draws.normal(0, run_sd, (n_runs, 1))
        + draws.normal(0, 1, (n_runs, n_units))
        for name, n_runs in zip("ab", runs, strict=True)
    }


def two_way_table(scores):
    """Mean squares of runs and of the residual, by the sums of squares of a textbook."""
    n_runs, n_units = scores.shape
    units, runs = scores.mean(axis=0), scores.mean(axis=1)
    run_square = n_units * np.sum((runs - scores.mean()) ** 2) / (n_runs - 1)
    rest = scores - units - runs[:, None] + scores.mean()
    return run_square, np.sum(rest**2) / ((n_runs - 1) * (n_units - 1))


def by_the_book(a, b):
    """V, its degrees of freedom and p from sums of squares, no component being negative."""
    n_units = a.shape[1]
    unit = np.var(a.mean(axis=0) - b.mean(axis=0), ddof=1) / n_units
    run, rest, scatter = [], [], unit**2 / (n_units - 1)
    for scores in (a, b):
        run_square, rest_square = two_way_table(scores)
        cells, df = scores.size, len(scores) - 1
        run.append(run_square / cells)
        rest.append(rest_square / cells)
        scatter += run[-1] ** 2 / df + rest[-1] ** 2 / (df * (n_units - 1))
    total = unit + sum(run) - sum(rest)
    t = (a.mean() - b.mean()) / math.sqrt(total)
    df = total**2 / scatter
    return total, df, 2 * scipy.stats.t.sf(abs(t), df)


def test_means_are_the_textbooks_analysis_of_variance(make_mean):
    scores = scores_of_runs()
    statistics = make_mean(**scores)
    found = crossed_analysis(statistics["a"], statistics["b"], level=0.9)
    assert not any(isinstance(value, np.generic) for value in found.shown().values())
    total, df, p_value = by_the_book(scores["a"], scores["b"])
    assert found.standard_error**2 == pytest.approx(total, rel=1e-6)
    assert found.method_df == pytest.approx(df, rel=1e-6)
    assert found.method_p_value == pytest.approx(p_value, rel=1e-6)
    half = scipy.stats.t.ppf(0.95, df) * math.sqrt(total)
    assert found.method_low == pytest.approx(found.difference - half, rel=1e-6)
    assert found.method_high == pytest.approx(found.difference + half, rel=1e-6)
    parts = (found.unit_variance, found.run_variance, found.residual_variance)
    assert sum(parts) == pytest.approx(found.standard_error**2)
    assert min(parts) > 0
    assert (found.runs_a, found.runs_b, found.n_units, found.unit, found.level) == (3, 4, 30, "segment", 0.9)
    assert found.signature.startswith("mean:score|test:crossed|unit:segment|level:0.9|mtworkbench:")


def test_documents_are_units(make_mean):
    scores = scores_of_runs(n_units=60)
    documents = np.arange(60) // 5
    sums = {name: runs.reshape(len(runs), 12, 5).mean(axis=2) for name, runs in scores.items()}
    found = crossed_analysis(*both(make_mean(**scores, documents=documents)))
    by_document = crossed_analysis(*both(make_mean(**sums)))
    assert (found.unit, found.n_units) == ("document", 12)
    for name in ("difference", "standard_error", "method_p_value", "method_df", "unit_variance", "run_variance"):
        assert getattr(found, name) == pytest.approx(getattr(by_document, name), rel=1e-6), name
    by_segment = crossed_analysis(*both(make_mean(**scores, documents=documents)), unit="segment")
    assert by_segment.n_units == 60


def test_documents_of_unequal_size_give_fewer_degrees_of_freedom(make_mean):
    scores = scores_of_runs(n_units=60)
    documents = np.repeat(np.arange(12), [16, 12, 8, 6, 4, 3, 3, 2, 2, 2, 1, 1])
    found = crossed_analysis(*both(make_mean(**scores, documents=documents)))
    effective = 3600 / (256 + 144 + 64 + 36 + 16 + 9 + 9 + 4 + 4 + 4 + 1 + 1)
    assert found.n_effective_units == pytest.approx(effective)
    parts = found.variance
    units = effective - 1
    total = found.standard_error**2
    scatter = parts.unit**2 / units + parts.run_a**2 / 2 + parts.run_b**2 / 3
    scatter += parts.residual_a**2 / (2 * units) + parts.residual_b**2 / (3 * units)
    assert found.method_df == pytest.approx(total**2 / scatter)
    assert parts.expect(120, 3, 4).n_effective == pytest.approx(10 * effective)


def test_without_two_effective_units_there_is_no_p(make_mean):
    scores = scores_of_runs(n_units=60)
    found = crossed_analysis(*both(make_mean(**scores, documents=[0] * 50 + [1, 2, 3, 4, 5] * 2)))
    assert found.n_effective_units < 2
    assert (found.method_p_value, found.method_low, found.method_p_pooled) == (None, None, None)
    assert found.standard_error > 0


def pooled_by_the_book(scores, a, b, twice=None):
    """V, its degrees of freedom and p with one variance of runs for all; those of `twice` deviate twice as far."""
    df = sum(len(one) - 1 for one in scores.values())
    squares = {name: np.sum((one.mean(axis=1) - one.mean()) ** 2) for name, one in scores.items()}
    of_a_run = sum(square / 4 if name == twice else square for name, square in squares.items()) / df
    runs = [of_a_run * (4 if name == twice else 1) / len(scores[name]) for name in (a, b)]
    a, b = scores[a], scores[b]
    n_units = a.shape[1]
    unit = np.var(a.mean(axis=0) - b.mean(axis=0), ddof=1) / n_units
    rest = [two_way_table(one)[1] / one.size for one in (a, b)]
    total = unit + sum(runs) - sum(rest)
    scatter = unit**2 / (n_units - 1) + sum(runs) ** 2 / df
    scatter += sum(part**2 / ((len(one) - 1) * (n_units - 1)) for part, one in zip(rest, (a, b), strict=True))
    return (
        total,
        total**2 / scatter,
        2 * scipy.stats.t.sf(abs(a.mean() - b.mean()) / math.sqrt(total), total**2 / scatter),
    )


def test_runs_are_pooled_over_all_systems_of_the_metric(make_mean):
    scores = scores_of_runs() | {"c": scores_of_runs(seed=2, runs=(5, 5))["b"]}
    statistics = make_mean(**scores)
    separate = compare(statistics, n_trials=220, rng=1).metrics["score"].comparisons
    pooled = compare(statistics, n_trials=220, runs="pooled", rng=1).metrics["score"].comparisons
    for one, other in zip(separate, pooled, strict=True):
        plain, *varied = (pooled_by_the_book(scores, one.a, one.b, twice) for twice in (None, one.a, one.b))
        total, df, p_value = max(varied)
        assert other.method.standard_error**2 == pytest.approx(total)
        assert other.method_df == pytest.approx(df)
        assert other.method_p_pooled == one.method_p_pooled == pytest.approx(plain[2])
        assert other.method_p_value == pytest.approx(p_value) != pytest.approx(plain[2])
        half = scipy.stats.t.ppf(0.975, df) * math.sqrt(total)
        assert other.method_high == pytest.approx(other.difference + half)
        assert one.method_p_value == one.method_p_separate == other.method_p_separate
        assert one.method_p_separate == crossed_analysis(statistics[one.a], statistics[one.b]).method_p_value
        assert (one.method.runs, other.method.runs) == ("separate", "pooled")
        assert "|runs:pooled|" in other.method.signature and "runs:" not in one.method.signature
        assert other.turned().method.variance == other.method.variance.turned()


def test_plain_pooling_of_two_systems_is_students_test_where_only_runs_vary(make_mean):
    draws = np.random.default_rng(1)
    scores = {name: np.repeat(draws.normal(size=(runs, 1)), 5, axis=1) for name, runs in (("a", 3), ("b", 4))}
    found = crossed_analysis(*both(make_mean(**scores)), runs="pooled")
    expected = scipy.stats.ttest_ind(scores["a"][:, 0], scores["b"][:, 0])
    assert found.method_p_pooled == pytest.approx(expected.pvalue)
    assert found.method_df == pytest.approx(5)
    a, b = (scores[name][:, 0] for name in "ab")
    of_a, of_b = (np.sum((one - one.mean()) ** 2) for one in (a, b))
    twice_a, twice_b = (of_a / 4 + of_b) / 5 * (4 / 3 + 1 / 4), (of_a + of_b / 4) / 5 * (1 / 3 + 4 / 4)
    t = abs(a.mean() - b.mean()) / math.sqrt(max(twice_a, twice_b))
    assert found.method_p_value == pytest.approx(2 * scipy.stats.t.sf(t, 5))
    welch = scipy.stats.ttest_ind(scores["a"][:, 0], scores["b"][:, 0], equal_var=False)
    assert found.method_p_separate == pytest.approx(welch.pvalue)


@pytest.mark.parametrize(("difference", "largest"), [(0.1, 1), (3.5, 0), (3.7, 0)])
def test_of_several_analyses_the_larger_p_and_the_wider_interval_count(difference, largest):
    """More variance between runs gives more degrees of freedom where units are few, and may narrow the interval."""
    own = CrossedVariance(3, 10, 10, 1.0, 0.04, 0.06, 0.0, 0.0)  # sums of squares of runs: 3.6 and 5.4
    found = judge_methods(own, (9 / 18, 18), difference, 1.0, 0.95, "pooled", **OF_METHODS)
    p_values, halves = [], []
    for of_runs in (9 / 18 * 2 / 10, (3.6 / 4 + 5.4) / 18 * 5 / 10, (3.6 + 5.4 / 4) / 18 * 5 / 10):
        df = (1 + of_runs) ** 2 / (1 / 2 + of_runs**2 / 18)
        p_values.append(2 * scipy.stats.t.sf(difference / math.sqrt(1 + of_runs), df))
        halves.append(scipy.stats.t.ppf(0.975, df) * math.sqrt(1 + of_runs))
    assert halves.index(max(halves)) == 0
    assert p_values.index(max(p_values)) == largest
    assert found.method_p_value == pytest.approx(max(p_values))
    assert found.method_p_pooled == pytest.approx(p_values[0])
    assert found.method_high - difference == difference - found.method_low == pytest.approx(max(halves))
    assert (found.method_p_value <= 0.05) is (found.method_low > 0)


def runs_that_differ(distance):
    """Two systems whose runs differ by so much: plain pooling sees more than the larger of two p does."""
    noise = np.random.default_rng(1).normal(0, 0.02, (2, 3, 40))
    noise -= noise.mean(axis=2, keepdims=True)
    runs = np.array([-0.1, 0.0, 0.1])[:, None]
    return {"old": runs + noise[0], "new": runs + distance + noise[1]}


@pytest.mark.parametrize(("distance", "note"), [(0.28, "shown only if runs vary alike"), (0.1, None), (1.0, None)])
def test_what_is_shown_only_if_runs_vary_alike_is_said(make_mean, distance, note):
    scores = runs_that_differ(distance)
    plain, twice = (pooled_by_the_book(scores, "new", "old", one)[2] for one in (None, "new"))
    assert bool(plain <= 0.05 < twice) is (note is not None)
    found = compare(make_mean(**scores), n_trials=999, rng=1, runs="pooled")
    [pair] = found.metrics["score"].comparisons
    assert pair.shown_if_alike is (note is not None)
    sentence = (
        "By score, the difference new - old is shown for the method only if runs vary alike, not if those of one "
        "system have twice the standard deviation of the others'."
    )
    assert (sentence in found.headline) is (note is not None)
    in_table = "shown only if runs vary alike" in " ".join(format_comparison(found).split())
    assert in_table is (note is not None)
    separate = compare(make_mean(**scores), n_trials=999, rng=1)
    assert not separate.metrics["score"].comparisons[0].shown_if_alike


@pytest.mark.parametrize(
    ("p_values", "is_said"),
    [
        ((0.02, 0.5), True),
        ((0.03, 0.5), False),
        ((0.03, 0.001), True),
        ((0.02, 0.5, 0.5), False),
        ((0.016, 0.001, 0.5), True),
    ],
)
def test_what_is_shown_only_if_runs_vary_alike_is_so_in_its_family(make_mean, monkeypatch, p_values, is_said):
    """The plain p of the first pair is just small enough: not with Holm's factors, nor with those of more pairs."""

    def cross_with(*given):
        pairs = zip(cross(*given), p_values, strict=True)
        return [replace(one, method_p_value=0.2, method_p_pooled=p) for one, p in pairs]

    monkeypatch.setattr(one_set, "cross", cross_with)
    scores = runs_that_differ(0.28)
    others = {f"other{number}": scores["new"] + 0.01 * number for number in range(len(p_values) - 1)}
    options = {"n_trials": 999, "rng": 1}
    pair, *_ = compare(make_mean(**scores, **others), "old", runs="pooled", **options).metrics["score"].comparisons
    assert (pair.a, pair.verdict, pair.shown_if_alike) == ("new", "significant", is_said)
    pair, *_ = compare(make_mean(**scores, **others), "old", **options).metrics["score"].comparisons
    assert not pair.shown_if_alike


def test_what_varies_with_both_runs_and_units_alone_is_no_rounding():
    """Two runs of a that do well on another unit each: 2 / 1 times 4 * (1 / 2)^2, over 1 * 2; nothing else varies."""
    influence = np.array([[0.5, -0.5], [-0.5, 0.5]])
    found = cross_variances((np.zeros(2), np.zeros(2)), (influence, np.zeros((2, 2))), 1.0)
    assert (found.residual_a, found.unit, found.run_a, found.run_b, found.residual_b) == (1.0, 0, 0, 0, 0)


def test_pooled_runs_keep_the_level_where_those_of_one_system_vary_twice_as_much():
    """Of six equal methods with 2 runs, the first one's vary with twice the standard deviation; 4,000 experiments."""
    draws, n_times, df = np.random.default_rng(35), 4000, 6
    runs = draws.normal(0, 1, (n_times, 6, 2)) * np.array([2, 1, 1, 1, 1, 1])[:, None]
    influence = np.zeros((2, 50))
    influence[:, :2] = 1e-4, -1e-4
    rejected = np.zeros((2, n_times), dtype=bool)
    for number, scores in enumerate(runs):
        own = cross_variances((scores[0], scores[1]), (influence, -influence), 1.0)
        pooled = float(np.sum(scores.var(axis=1, ddof=1))) / df, df
        found = judge_methods(own, pooled, scores[0].mean() - scores[1].mean(), 1.0, 0.95, "pooled", **OF_METHODS)
        rejected[:, number] = found.method_p_pooled <= 0.05, found.method_p_value <= 0.05
    plain, allowed = rejected.mean(axis=1)
    assert plain > 0.10  # 12.5 % in 40,000 experiments
    assert 0.025 < allowed < 0.05  # 3.7 %


@pytest.mark.parametrize(("runs", "low", "high"), [((2, 6), 0.065, 0.08), ((2, 30), 0.12, 0.135), ((3, 10), 0.06, 0.07),
                                                   ((3, 20), 0.07, 0.085), ((3, 8), 0.05, 0.062)])  # fmt: skip
def test_the_rates_that_are_said_are_those_of_the_test_where_only_runs_vary(runs, low, high):
    """How often Welch's test errs with few runs against many: 40,000 pairs of equal methods."""
    draws = np.random.default_rng(6)
    a, b = (draws.normal(size=(40_000, number)) for number in runs)
    p_values = scipy.stats.ttest_ind(a, b, axis=1, equal_var=False).pvalue
    assert low < np.mean(p_values <= 0.05) < high


@pytest.mark.parametrize(("runs", "is_given"), [((2, 5), True), ((2, 6), False), ((10, 2), False), ((3, 10), True)])
def test_two_runs_against_more_than_five_give_no_p(make_mean, runs, is_given):
    statistics = make_mean(**scores_of_runs(runs=runs, run_sd=5.0))
    found = crossed_analysis(*both(statistics))
    assert (found.method_p_value is not None) is (found.method_low is not None) is is_given
    assert (found.method_p_separate is not None) is (found.method_df is not None) is is_given
    assert found.standard_error > 0 and found.method_p_pooled > 0
    assert crossed_analysis(*both(statistics), runs="pooled").method_p_value > 0
    found = compare(statistics, n_trials=99, rng=1)
    no_test = (
        "b against a: with 2 runs of one system and more than 5 of the other, there is no p for the method. "
        "A test at 5 % would call equal methods different in 7 to 13 % of the cases where scores vary mostly from run "
        "to run. With the same number of runs of both systems, the method could be tested as usual; or with the runs "
        "of all systems pooled (--runs pooled)."
    )
    assert (no_test in found.headline) is (not is_given)
    assert any(one.code == "unequal-runs" for one in found.assumptions) is (runs == (3, 10))
    pooled = compare(statistics, n_trials=99, rng=1, runs="pooled").assumptions
    assert not {"two-runs", "unequal-runs"} & {one.code for one in pooled}
    by_unit = compare(make_mean(**scores_of_runs(runs=(3, 10), run_sd=0.01)), n_trials=99, rng=1)
    assert not any(one.code == "unequal-runs" for one in by_unit.assumptions)


def test_runs_are_pooled_over_all_systems_where_scores_are_missing(make_mean):
    """Each system is scored on the segments of the pair that all its runs have; with few of them, it does not count."""
    draws = np.random.default_rng(1)
    scores = {name: draws.normal(0, 0.5, (3, 1)) + draws.normal(0, 1, (3, 40)) for name in "abcde"}
    scores["b"][1, 0:3] = np.nan
    scores["d"][:, 5:8] = np.nan
    scores["e"][:, 10:] = np.nan
    there = {name: ~np.isnan(runs).any(axis=0) for name, runs in scores.items()}
    with pytest.warns(DataWarning):  # of missing scores, and of few segments that pairs with e have
        found = compare(make_mean(**scores), n_trials=2000, rng=1, runs="pooled")
    pairs = {(one.a, one.b): one.method.variance for one in found.metrics["score"].comparisons}
    for pair, left_out in ((("b", "a"), "e"), (("d", "b"), "e"), (("e", "a"), "")):
        segments = there[pair[0]] & there[pair[1]]
        rows = [runs[:, segments & there[name]] for name, runs in scores.items() if name not in left_out]
        of_all = sum(one.mean(axis=1).var(ddof=1) for one in rows) / len(rows)
        own = [scores[name][:, segments].mean(axis=1).var(ddof=1) / len(rows) for name in pair]
        assert pairs[pair].pooled_df == 2 * len(rows)
        of_runs = pairs[pair].run_a + pairs[pair].run_b
        assert of_runs == pytest.approx(max(of_all - 0.75 * one for one in own) * (4 + 1) / 3)


def test_runs_of_two_metrics_are_not_pooled_together(make_mean):
    """Two scores from columns of the same name have the same signature."""
    scores = scores_of_runs()
    one, other = (make_mean(metric=MeanScore("score", name, True), **scores) for name in ("x", "y"))
    large = make_mean(metric=MeanScore("score", "y", True), **{k: 100 * v for k, v in scores.items()})
    alone = compare(one, n_trials=220, rng=1, runs="pooled").metrics["x"].comparisons[0].method_p_value
    beside = compare([one, large], n_trials=220, rng=1, runs="pooled").metrics["x"].comparisons[0].method_p_value
    assert alone == beside
    assert compare([one, other], n_trials=220, rng=1, runs="pooled").metrics["y"].comparisons[0].method_p_value == alone


def test_runs_are_separate_or_pooled(make_mean):
    statistics = make_mean(**scores_of_runs())
    for work in (lambda: crossed_analysis(*both(statistics), runs="own"), lambda: compare(statistics, runs="own")):
        with pytest.raises(InputError, match="runs is 'own', but one of 'separate', 'pooled' was expected."):
            work()


def test_the_parts_are_found_again():
    """Averaged over many made-up tables, each part is the variance that was put in."""
    draws = np.random.default_rng(4)
    n_units, runs, parts = 40, (3, 5), []
    for _ in range(3000):
        means, influence = [], []
        for n_runs in runs:
            scores = draws.normal(0, 2, n_units) + draws.normal(0, 0.3, (n_runs, 1))
            scores += draws.normal(0, 1.5, (n_runs, n_units))
            means.append(scores.mean(axis=1))
            influence.append((scores - means[-1][:, None]) / n_units)
        variance = cross_variances(means, influence, 0.0)
        parts.append([variance.unit, variance.run_a + variance.run_b, variance.of_both])
    unit, run, residual = np.mean(parts, axis=0)
    expected = sum(1.5**2 / (n_units * n_runs) for n_runs in runs)
    assert residual == pytest.approx(expected, rel=0.02)
    assert run - residual == pytest.approx(sum(0.3**2 / n_runs for n_runs in runs), rel=0.05)
    assert unit - residual == pytest.approx(2 * 2**2 / n_units, rel=0.05)


def test_no_part_is_negative(make_mean):
    draws = np.random.default_rng(7)
    noise = {name: draws.normal(size=(3, 50)) for name in "ab"}
    noise["a"] -= noise["a"].mean(axis=1, keepdims=True)  # runs that happen to score alike
    found = crossed_analysis(*both(make_mean(**noise)))
    variance = found.variance
    assert variance.run_a < variance.residual_a
    assert found.run_variance == max(variance.run_b - variance.residual_b, 0)
    naive = variance.unit + variance.run_a + variance.run_b - variance.residual_a - variance.residual_b
    assert found.standard_error**2 > naive
    units_alone = found.unit_variance + found.residual_variance
    assert found.standard_error**2 >= units_alone


def test_influence_is_that_of_every_run(make_bleu):
    system = make_bleu(50, runs=(3,))["s0"]
    [influence] = ScoreTable.of([system]).run_influence
    assert influence.shape == (3, 50)
    for run, row in enumerate(influence):
        single = replace(system, values=system.values[run : run + 1])
        np.testing.assert_allclose(row, ScoreTable.of([single]).influence[0])
        np.testing.assert_allclose(row.sum(), 0, atol=1e-6)


def test_swapping_mirrors_and_order_does_not_matter(make_bleu):
    statistics = make_bleu(80, runs=(3, 2), gain=0.02)
    found = crossed_analysis(statistics["s1"], statistics["s0"])
    back = crossed_analysis(statistics["s0"], statistics["s1"])
    assert back.difference == -found.difference
    assert back.method_p_value == pytest.approx(found.method_p_value)
    assert (back.method_low, back.method_high) == pytest.approx((-found.method_high, -found.method_low))
    order = np.random.default_rng(1).permutation(80)
    shuffled = statistics.take(order)
    again = crossed_analysis(shuffled["s1"], shuffled["s0"])
    assert again.method_p_value == pytest.approx(found.method_p_value, rel=1e-9)


@pytest.mark.parametrize("runs", [(1, 1), (1, 3), (3, 1)])
def test_one_run_says_nothing_of_the_method(make_bleu, runs):
    found = crossed_analysis(*both(make_bleu(40, runs=runs)))
    assert found.method_p_value is found.method_low is found.method_high is found.method_df is None
    assert found.standard_error is found.run_variance is found.variance is None
    assert found.difference != 0
    assert "method_p_value=-" in repr(found)


def test_one_unit_says_nothing(make_mean):
    found = crossed_analysis(*both(make_mean(a=[[1.0], [2.0]], b=[[3.0], [4.0]])))
    assert found.method_p_value is None


def test_a_copy_has_p_1(make_bleu):
    system = make_bleu(40, runs=(3,))["s0"]
    found = crossed_analysis(system, replace(system, system="copy", values=system.values.copy()))
    assert found.method_p_value == 1
    assert found.method_low < 0 < found.method_high
    frozen = replace(system, values=np.stack([system.values[0]] * 3))  # runs that are all the same, too
    found = crossed_analysis(frozen, replace(frozen, system="copy"))
    assert (found.method_p_value, found.method_low, found.method_high, found.method_df) == (1, 0, 0, None)


def test_what_does_not_vary_at_all_has_no_p(make_mean):
    scores = np.tile(np.arange(20.0), (3, 1))
    found = crossed_analysis(*both(make_mean(a=scores + 1, b=scores)))
    assert found.difference == 1
    assert found.method_p_value is found.method_low is None


def test_no_p_is_0(make_mean):
    scores = scores_of_runs(n_units=400, runs=(30, 30), unit_sd=0.01, run_sd=0.01)
    found = crossed_analysis(*both(make_mean(a=scores["a"] + 1e4, b=scores["b"])))
    assert 0 < found.method_p_value < 1e-100


def test_missing_scores_leave_for_both(make_mean):
    scores = scores_of_runs(n_units=20)
    scores["a"][1, 3] = np.nan
    statistics = make_mean(metric=MeanScore(name="DA"), **scores)
    kept = make_mean(metric=MeanScore(name="DA"), **{name: np.delete(runs, 3, axis=1) for name, runs in scores.items()})
    with pytest.warns(DataWarning, match="1 of 20 segments have no DA"):
        found = crossed_analysis(statistics["a"], statistics["b"])
    alone = crossed_analysis(kept["a"], kept["b"])
    assert found.method_p_value == pytest.approx(alone.method_p_value)
    assert found.n_units == 19
    with pytest.warns(DataWarning):
        [pair] = compare(statistics, n_resamples=10, n_trials=10, rng=1).metrics["DA"].comparisons
    assert pair.method_p_value == pytest.approx(found.method_p_value)


def test_arguments_are_checked(make_mean):
    statistics = make_mean(**scores_of_runs())
    with pytest.raises(InputError, match="^level is 95, but a number between 0 and 1"):
        crossed_analysis(statistics["a"], statistics["b"], level=95)
    with pytest.raises(InputError, match="^unit='document' was asked for, but the documents of the test set"):
        crossed_analysis(statistics["a"], statistics["b"], unit="document")
    other = make_mean(**scores_of_runs(n_units=31))
    with pytest.raises(InputError, match="^'a' and 'b' cover different segments"):
        crossed_analysis(statistics["a"], other["b"])


def test_expecting_the_same_design_changes_nothing(make_mean):
    variance = crossed_analysis(*both(make_mean(**scores_of_runs()))).variance
    same = variance.expect(variance.n_units, variance.runs_a, variance.runs_b)
    assert same.total == pytest.approx(variance.total)
    assert same.df == pytest.approx(variance.df)
    longer = variance.expect(4 * variance.n_units, variance.runs_a, variance.runs_b)
    assert longer.of_units == pytest.approx(variance.of_units / 4)
    assert longer.of_both == pytest.approx(variance.of_both / 4)
    assert longer.of_runs == pytest.approx(variance.of_runs)
    more = variance.expect(variance.n_units, 2 * variance.runs_a, 2 * variance.runs_b)
    assert more.of_runs == pytest.approx(variance.of_runs / 2)
    assert more.of_both == pytest.approx(variance.of_both / 2)
    assert more.of_units == pytest.approx(variance.of_units)


def test_nothing_that_varies_has_no_degrees_of_freedom():
    assert CrossedVariance(10, 3, 3, 0.0, 0.0, 0.0, 0.0, 0.0).df == 0


def test_runs_that_vary_as_a_whole_are_seen_by_the_method_alone(make_mean):
    """Each sentence shows the difference, and yet it is one run that is good (CONVENTIONS, "which question")."""
    draws = np.random.default_rng(3)
    scores = {name: draws.normal(0, 1, (3, 200)) for name in "ab"}
    scores["a"] += np.array([[2.0], [0.0], [-0.2]])
    statistics = make_mean(**scores)
    outputs = approximate_randomization(statistics["a"], statistics["b"], n_trials=999, rng=1)
    method = crossed_analysis(statistics["a"], statistics["b"])
    assert outputs.p_value <= 0.002
    assert method.method_p_value > 0.2
    assert method.run_variance > 10 * (method.unit_variance + method.residual_variance)


def test_html_is_rounded(make_mean):
    html = crossed_analysis(*both(make_mean(**scores_of_runs())))._repr_html_()
    assert "Crossed analysis" in html
    assert not re.search(r"\d\.\d{7}|variance object", html)
