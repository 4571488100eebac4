"""Which test errs how often depends on what varies: on equal methods whose variance components are known."""

import numpy as np
import pytest

from mtworkbench.inference import approximate_randomization, t_test_runs
from mtworkbench.inference.crossed import crossed_analysis
from mtworkbench.papers import clark2011 as study
from mtworkbench.papers.simulation.equal_methods import VarianceComponents, make_equal_methods


@pytest.mark.parametrize("component", ["method_by_segment", "run", "residual"])
def test_components_have_about_their_size_in_bleu(component):
    only = VarianceComponents(**{"method_by_segment": 0.0, "run": 0.0, "residual": 0.0} | {component: 0.5})
    made = [make_equal_methods(only, 300, 2, rng=number) for number in range(200)]
    scores = [[pair[name].score()[0] for name in pair] for pair in made]
    scores = np.array(scores)  # repetition, method, run
    of_runs = np.std(scores[:, 0, 0] - scores[:, 0, 1]) / np.sqrt(2)
    of_methods = np.std(scores[:, 0, 0] - scores[:, 1, 0]) / np.sqrt(2)
    assert of_methods == pytest.approx(0.5, rel=0.25)
    assert of_runs == pytest.approx(0 if component == "method_by_segment" else 0.5, rel=0.25)
    assert abs(np.mean(scores[:, 0] - scores[:, 1])) < 0.15


def test_p_values_are_those_of_the_tests():
    pair = make_equal_methods(VarianceComponents(0.5, 0.4, 0.5), 60, 3, rng=1)
    a, b = pair["first"], pair["second"]
    found = study.compare_tests(a, b, n_trials=99, rng=5)
    assert list(found) == ["exchange by unit", "exchange by run", "t-test on runs", "crossed"]
    expected = approximate_randomization(a, b, n_trials=99, unit="segment", exchange="run", rng=5)
    assert found["exchange by run"] == expected.p_value
    assert found["crossed"] == crossed_analysis(a, b, unit="segment").method_p_value


def with_runs(runs_a, runs_b):
    """Two equal methods with other numbers of runs."""
    pair = make_equal_methods(VarianceComponents(0.5, 0.4, 0.5), 60, 5, rng=1)
    return [study.take_runs(pair[name], range(1, runs + 1)) for name, runs in (("first", runs_a), ("second", runs_b))]


def test_unequal_numbers_of_runs_leave_out_the_exchange_that_pairs_them():
    a, b = with_runs(5, 3)
    found = study.compare_tests(a, b, n_trials=99, rng=5)
    assert list(found) == ["exchange by unit", "exchange by run", "t-test on runs", "crossed"]
    assert np.isnan(found.pop("exchange by run"))
    expected = approximate_randomization(a, b, n_trials=99, unit="segment", rng=5)
    assert found == {
        "exchange by unit": expected.p_value,
        "t-test on runs": t_test_runs(a, b).p_value,
        "crossed": crossed_analysis(a, b, unit="segment").method_p_value,
    }


@pytest.mark.parametrize(("runs", "answered"), [((1, 3), ["unit"]), ((4, 1), ["unit"]), ((1, 1), ["unit", "run"])])
def test_one_run_of_a_system_leaves_the_tests_of_these_outputs(runs, answered):
    a, b = with_runs(*runs)
    found = study.compare_tests(a, b, n_trials=99, rng=5)
    assert [test for test, p_value in found.items() if not np.isnan(p_value)] == [
        f"exchange by {exchange}" for exchange in answered
    ]
    expected = approximate_randomization(a, b, n_trials=99, unit="segment", rng=5)
    assert found["exchange by unit"] == expected.p_value


def test_runs_that_do_not_vary_have_no_p():
    """The t-test says nothing of two systems that differ but never vary."""
    a, b = with_runs(1, 1)
    same = [study.take_runs(system, [1, 1]) for system in (a, b)]
    found = study.compare_tests(*same, n_trials=99, rng=5)
    assert [test for test, p_value in found.items() if np.isnan(p_value)] == ["t-test on runs"]


@pytest.mark.long
def test_an_exchange_by_run_errs_where_methods_differ_by_sentence_and_the_crossed_analysis_does_not():
    nulls = [(VarianceComponents(0.5, 0, 0.5), 8), (VarianceComponents(0, 0.8, 0.5), 3)]
    sizes = study.measure_sizes(nulls, n_repetitions=150, n_segments=200, n_trials=99, rng=1)
    rejected = study.arrange_sizes(sizes)
    by_sentence, by_run = rejected.iloc[0], rejected.iloc[1]
    assert by_sentence["exchange by run"] > 20
    assert by_sentence["t-test on runs"] > 20
    assert by_sentence["exchange by unit"] < 12
    assert by_run["exchange by unit"] > 15
    assert by_run["t-test on runs"] < 12
    assert rejected["crossed"].max() < 12
    assert (sizes["low"] <= sizes["rejected_percent"]).all()
    assert (sizes["rejected_percent"] <= sizes["high"]).all()
