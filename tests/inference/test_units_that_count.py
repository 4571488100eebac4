"""How many units count, and in how many of them systems differ: numbers that results have, and warnings of few."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

from mtworkbench.errors import DataWarning
from mtworkbench.inference import bootstrap_interval, compare, optimizer_variance, paired_bootstrap
from mtworkbench.inference.comparison import compare_test_sets
from mtworkbench.inference.units import choose_units

QUICK = {"n_resamples": 400, "n_trials": 999, "rng": 1}
#: 12 documents that hold 50, 10, 10, ... of 160 segments count as 160**2 / (50**2 + 11 * 10**2).
ONE_LONG, OF_EQUAL_SIZE = [50, *[10] * 11], 160**2 / 3600


def of_sizes(make_mean, sizes, *, n_systems=2, columns=None, seed=1):
    """Systems of made-up scores on documents of these sizes; all differ in every segment."""
    draws = np.random.default_rng(seed)
    scores = {f"s{number}": draws.normal(size=sum(sizes)) for number in range(n_systems)}
    return make_mean(documents=np.repeat(np.arange(len(sizes)), sizes), columns=columns, **scores)


def copies(make_mean, n_segments, *changed, documents=None, seed=2):
    """A system, and others that differ from it in so many of the first segments."""
    base = np.random.default_rng(seed).normal(size=n_segments)
    others = {f"new{n}": np.where(np.arange(n_segments) < n, base + 0.5, base) for n in changed}
    return make_mean(documents=documents, base=base, **others)


def named(statistics, name):
    return replace(statistics, test_set=replace(statistics.test_set, references=name, lineage=object()))


def noticing(work, *arguments, **options):
    """The result, and what it warned of, by code."""
    with warnings.catch_warnings(record=True) as noticed:
        warnings.simplefilter("always", DataWarning)
        found = work(*arguments, **options)
    assert {warning.filename for warning in noticed} <= {__file__}
    told = [warning.message for warning in noticed]
    assert len({one.code for one in told}) == len(told)
    return found, {one.code: one for one in told}


def test_a_result_has_the_effective_number_of_its_units(make_mean):
    statistics = of_sizes(make_mean, ONE_LONG)
    found, _ = noticing(compare, statistics, **QUICK)
    [pair], metric = found.metrics["score"].comparisons, found.metrics["score"]
    numbers = [(one.n_units, one.n_effective_units) for one in (metric, pair, *metric.systems)]
    assert numbers == [(12, pytest.approx(OF_EQUAL_SIZE))] * 4
    both, _ = noticing(paired_bootstrap, statistics["s1"], statistics["s0"], rng=1)
    alone, _ = noticing(bootstrap_interval, statistics["s0"], rng=1)
    assert both.n_effective_units == alone.n_effective_units == pair.method.n_effective_units == pair.n_effective_units
    # 12 units of equal size are 12
    equal, _ = noticing(compare, of_sizes(make_mean, [10] * 12), **QUICK)
    assert (equal.metrics["score"].n_units, equal.metrics["score"].n_effective_units) == (12, 12)


def test_where_scores_are_missing_the_comparison_with_the_fewest_counts(make_mean):
    """With s2, which lacks scores in the long document, they have 5, 10, 10 ... segments."""
    statistics = of_sizes(make_mean, ONE_LONG, n_systems=3)
    values = statistics.values["s2"].copy()
    values[:, :45] = 0
    found, _ = noticing(compare, replace(statistics, values=statistics.values | {"s2": values}), "s0", **QUICK)
    metric = found.metrics["score"]
    own = {pair.a: pair.n_effective_units for pair in metric.comparisons}
    assert own == {"s1": pytest.approx(OF_EQUAL_SIZE), "s2": pytest.approx(115**2 / (5**2 + 1100))}
    assert metric.n_effective_units == own["s1"]


def test_units_that_differ_are_counted_beside_segments(make_mean):
    """12 segments of the first two documents."""
    documents = np.arange(200) // 10
    found, _ = noticing(compare, copies(make_mean, 200, 12, documents=documents), **QUICK)
    [pair] = found.metrics["score"].comparisons
    assert (pair.segments_differing, pair.n_segments, pair.units_differing, pair.n_units) == (12, 200, 2, 20)
    by_segment, _ = noticing(compare, copies(make_mean, 200, 12, documents=documents), unit="segment", **QUICK)
    [pair] = by_segment.metrics["score"].comparisons
    assert pair.units_differing == pair.segments_differing == pair.turned().units_differing == 12
    assert found.to_frame()[["n_units", "units_differing"]].to_numpy().tolist() == [[20, 2]]


def test_few_effective_units_are_warned_of_once(make_mean):
    statistics = of_sizes(make_mean, ONE_LONG)
    sentence = (
        "The 12 documents are so unequal in size that they count as only 7.1 of equal size. Intervals of scores are "
        "then too narrow (95 % intervals of 12 unequal documents covered the true score in 83.5 % of the cases), and "
        "win % is anti-conservative: go by the p-value."
    )
    for work in (
        lambda: compare(statistics, **QUICK),
        lambda: paired_bootstrap(statistics["s1"], statistics["s0"], rng=1),
        lambda: bootstrap_interval(statistics["s0"], rng=1),
        lambda: optimizer_variance(with_runs(make_mean), rng=1),
    ):
        told = noticing(work)[1]
        assert list(told) == ["few-effective-units"]  # and not few-units
        assert (str(told["few-effective-units"]), told["few-effective-units"].count) == (sentence, 12)


def with_runs(make_mean):
    """Three runs of each system, as many as can be compared without a warning."""
    draws = np.random.default_rng(3)
    runs = {name: draws.normal(size=(3, 160)) for name in ("s0", "s1")}
    return make_mean(documents=np.repeat(np.arange(12), ONE_LONG), **runs)


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ([10] * 9, ["few-units"]),  # few, but of equal size
        ([12, *[10] * 8], ["few-units"]),  # 9 count as 8.9
        ([50, *[10] * 19], ["few-units"]),  # 20 count as 13
        ([200, *[10] * 39], ["few-effective-units"]),  # 40 count as 7.9
        ([50, 10, 10, 10, 10], ["few-documents"]),  # so few that segments are the units
    ],
)
def test_few_effective_units_are_few_because_of_their_sizes(make_mean, sizes, told):
    assert list(noticing(compare, of_sizes(make_mean, sizes), **QUICK)[1]) == told


def test_strata_make_no_units_unequal(make_mean):
    """12 documents of equal size in 4 strata have 8 degrees of freedom, but none holds more than another."""
    labels = np.repeat(["a", "b", "c", "d"], 30).astype(object)
    statistics = of_sizes(make_mean, [10] * 12, columns={"domain": labels})
    found, told = noticing(compare, statistics, strata="domain", **QUICK)
    assert (found.metrics["score"].n_effective_units, list(told)) == (9, ["few-units"])
    assert not choose_units(statistics.test_set, "document", "domain").are_few_of_equal_size


@pytest.mark.parametrize(
    ("n_segments", "n_differing", "is_told"),
    [(400, 19, True), (400, 20, False), (40, 4, True), (40, 5, False), (400, 0, False)],
)
def test_few_differing_units_are_warned_of_where_they_are_also_rare(make_mean, n_segments, n_differing, is_told):
    statistics = copies(make_mean, n_segments, n_differing)
    name = f"new{n_differing}"
    sentence = (
        f"By score, '{name}' and 'base' differ in only {n_differing} of {n_segments} segments. Intervals of such a "
        "difference are too narrow: 95 % intervals of near copies covered the true difference in about 85 % of the "
        "cases."
    )
    for work in (
        lambda: compare(statistics, **QUICK),
        lambda: paired_bootstrap(statistics[name], statistics["base"], rng=1),
    ):
        told = noticing(work)[1]
        assert [str(one) for one in told.values()] == [sentence] * is_told


def test_of_several_pairs_the_one_that_differs_least_is_named(make_mean):
    _, told = noticing(compare, copies(make_mean, 300, 9, 6, 200), "base", **QUICK)
    found = told["few-differing-units"]
    assert str(found).startswith(
        "By score, 'new6' and 'base' differ in only 6 of 300 segments. 1 other pair also differs in few. Intervals"
    )
    assert found.count == 2


def test_with_few_documents_all_of_which_differ_nothing_is_rare(make_mean):
    """12 of 240 segments differ, one in each document."""
    base = np.random.default_rng(1).normal(size=240)
    new = np.where(np.arange(240) % 20 == 0, base + 1, base)
    statistics = make_mean(documents=np.arange(240) // 20, base=base, new=new)
    found, told = noticing(compare, statistics, **QUICK)
    [pair] = found.metrics["score"].comparisons
    assert (pair.units_differing, pair.segments_differing, list(told)) == (12, 12, ["few-units"])


def test_each_test_set_has_its_effective_number_and_units_that_differ_are_added(make_mean):
    draws = np.random.default_rng(4)
    independent = {name: draws.normal(size=50) for name in ("s0", "s1")}
    sets = {
        "long": named(of_sizes(make_mean, ONE_LONG), "long"),
        "equal": named(of_sizes(make_mean, [8] * 20, seed=2), "equal"),
        "none": named(make_mean(**independent), "none"),
    }
    found, told = noticing(compare_test_sets, sets, **QUICK)
    numbers = [(one.name, one.unit, one.n_units, one.n_effective_units) for one in found.test_sets]
    assert numbers == [
        ("long", "document", 12, pytest.approx(OF_EQUAL_SIZE)),
        ("equal", "document", 20, 20),
        ("none", "segment", 50, 50),
    ]
    assert found.interval == "jackknife"
    assert str(told["few-effective-units"]).startswith("Test set 'long': The 12 documents are so unequal")
    [pair] = found.metrics["score"].comparisons
    assert [one.units_differing for one in pair.sets] == [12, 20, 50]
    assert (pair.units_differing, pair.n_units, "few-differing-units" in told) == (82, 82, False)


@pytest.mark.parametrize(("n_differing", "is_told"), [(6, True), (9, True), (10, False)])
def test_over_test_sets_all_units_that_differ_count(make_mean, n_differing, is_told):
    sets = {name: named(copies(make_mean, 200, n_differing, seed=seed), name) for seed, name in enumerate("xy")}
    found, told = noticing(compare_test_sets, sets, **QUICK)
    [pair] = found.metrics["score"].comparisons
    assert (pair.units_differing, pair.n_units) == (2 * n_differing, 400)
    said = f"By score, 'new{n_differing}' and 'base' differ in only {2 * n_differing} of 400 segments. Intervals of"
    assert [str(told[code])[: len(said)] for code in told if code == "few-differing-units"] == [said] * is_told


def test_the_interval_of_a_score_goes_by_the_effective_number(make_mean):
    """120 documents, of which one is long, count as 83: too few for percentiles."""
    statistics = of_sizes(make_mean, [25, *[3] * 119])
    assert round(382**2 / (25**2 + 119 * 3**2)) == 86
    found = bootstrap_interval(statistics["s0"], rng=1)
    assert (found.n_units, round(found.n_effective_units), found.method) == (120, 86, "jackknife")
    assert bootstrap_interval(of_sizes(make_mean, [3] * 120)["s0"], rng=1).method == "percentile"


def test_auto_takes_documents_by_their_plain_number(make_mean):
    """Six documents, of which one holds nearly everything, count as 1.5."""
    found, told = noticing(compare, of_sizes(make_mean, [100, 5, 5, 5, 5, 5]), **QUICK)
    assert (found.unit, found.metrics["score"].n_units) == ("document", 6)
    assert re.search("The 6 documents .* count as only 1.5 of equal size", str(told["few-effective-units"]))
