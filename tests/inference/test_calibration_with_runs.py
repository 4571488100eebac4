"""Which test errs how often with runs depends on what varies: the table of CONVENTIONS, "Runs", on means and on BLEU.

On means 2,000 repetitions here; on BLEU the 2,000 that `scripts/compute_clark2011.py sizes` made and that ship.
Some of the latter are made again, and compared with those that ship, by tests/studies/test_clark2011_shipped.py (slow).
"""

import csv
import math

import numpy as np
import pytest
import scipy.stats

from mtworkbench import find_shipped
from mtworkbench.inference import approximate_randomization, crossed_analysis, t_test_runs
from mtworkbench.inference.crossed import cross_variances
from mtworkbench.inference.intervals import judge_by_t

REPETITIONS = 2000
N_SEGMENTS = 100  # with standard deviations at corpus level, the number of segments changes nothing
# method x sentence, run, rest (standard deviations of a corpus score), runs -> rejections in % by unit, by run, by t
MEASURED = {
    (0, 0.4, 0.5, 3): (12, 12, 4),
    (0, 0.8, 0.5, 3): (30, 30, 5),
    (0.5, 0, 0.5, 3): (5, 17, 25),
    (0.5, 0.4, 0.5, 3): (7, 20, 18),
    (0, 0.4, 0.5, 10): (14, 14, 5),
    (0.5, 0, 0.5, 10): (6, 43, 54),
    (0.5, 0.4, 0.5, 10): (6, 43, 44),
}
UPPER_EDGE = 100 * scipy.stats.binom.ppf(0.9995, REPETITIONS, 0.05) / REPETITIONS
pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")


def equal_methods(draws, null, runs=None):
    """Scores of two methods between which there is no difference, (n_runs, n_segments) each."""
    unit_sd, run_sd, rest_sd, n_runs = null
    root = np.sqrt(N_SEGMENTS)
    difficulty = draws.normal(0, 20, N_SEGMENTS)
    return [
        difficulty
        + unit_sd * root * draws.normal(size=N_SEGMENTS)
        + run_sd * draws.normal(size=(count, 1))
        + rest_sd * root * draws.normal(size=(count, N_SEGMENTS))
        for count in runs or (n_runs, n_runs)
    ]


def share_rejected(test, null, repetitions=REPETITIONS, seed=1, **options):
    draws = np.random.default_rng(seed)
    rejected = sum(test(*equal_methods(draws, null, **options)) <= 0.05 for _ in range(repetitions))
    return 100 * rejected / repetitions


def crossed_p(a, b):
    """What `crossed_analysis` finds of means, without what it takes to hold them (test_crossed.py holds it to that)."""
    runs = a.mean(axis=1), b.mean(axis=1)
    influence = [(scores - means[:, None]) / scores.shape[1] for means, scores in zip(runs, (a, b), strict=True)]
    scale = max(abs(means.mean()) for means in runs)
    variance = cross_variances(runs, influence, scale)
    p_value, *_ = judge_by_t(runs[0].mean() - runs[1].mean(), math.sqrt(variance.total), variance.df, 0.95, scale)
    return p_value


def test_that_shortcut_is_the_analysis(make_mean):
    a, b = equal_methods(np.random.default_rng(1), (0.5, 0.4, 0.5, 3))
    statistics = make_mean(a=a, b=b)
    expected = crossed_analysis(statistics["a"], statistics["b"]).method_p_value
    assert crossed_p(a, b) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("null", MEASURED, ids=str)
def test_the_crossed_analysis_keeps_its_size_in_every_row(null):
    assert UPPER_EDGE < 6.8
    assert share_rejected(crossed_p, null) <= UPPER_EDGE


def test_it_is_not_cautious_without_need():
    """With ten runs a side it errs as often as it says."""
    low = 100 * scipy.stats.binom.ppf(0.0005, REPETITIONS, 0.05) / REPETITIONS
    assert low <= share_rejected(crossed_p, (0.5, 0.4, 0.5, 10), seed=2) <= UPPER_EDGE


@pytest.mark.parametrize("runs", [(3, 5), (5, 10)])
def test_it_keeps_its_size_with_unequal_numbers_of_runs(runs):
    assert share_rejected(crossed_p, (0.5, 0.4, 0.5, None), runs=runs) <= UPPER_EDGE


def test_it_keeps_its_size_by_document():
    """Twenty documents of segments that are all alike are no sample of segments."""

    def p_by_document(a, b):
        return crossed_p(*(scores.reshape(-1, 20, 5).mean(axis=2) for scores in documents(a, b)))

    def p_by_segment(a, b):
        return crossed_p(*documents(a, b))

    def documents(a, b):
        alike = [np.repeat(scores[:1, ::5], 5, axis=1) for scores in (a, b)]
        return [2 * whole + scores for whole, scores in zip(alike, (a, b), strict=True)]

    null = (0.5, 0, 0.5, 3)
    assert share_rejected(p_by_document, null) <= UPPER_EDGE
    assert share_rejected(p_by_segment, null, repetitions=500) > 3 * UPPER_EDGE


@pytest.mark.parametrize("null", [(0.5, 0, 0.5, 3), (0, 0.8, 0.5, 3), (0.5, 0.4, 0.5, 10)], ids=str)
def test_other_tests_err_as_was_measured(make_mean, null):
    by_unit, by_run, by_t = MEASURED[null]

    def exchange_p(exchange):
        def p_value(a, b):
            statistics = make_mean(a=a, b=b)
            pair = statistics["a"], statistics["b"]
            return approximate_randomization(*pair, exchange=exchange, n_trials=199, rng=1).p_value

        return p_value

    def t_p(a, b):
        statistics = make_mean(a=a, b=b)
        return t_test_runs(statistics["a"], statistics["b"]).p_value

    assert share_rejected(t_p, null, repetitions=500) == pytest.approx(by_t, abs=7)
    assert share_rejected(exchange_p("unit"), null, repetitions=500) == pytest.approx(by_unit, abs=7)
    assert share_rejected(exchange_p("run"), null, repetitions=500) == pytest.approx(by_run, abs=7)


def shipped_sizes():
    with open(find_shipped("data/clark2011/sizes.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        (
            float(row["method_by_segment"]),
            float(row["run"]),
            float(row["residual"]),
            int(row["n_runs"]),
            row["test"],
        ): row
        for row in rows
    }


@pytest.mark.parametrize("null", MEASURED, ids=str)
def test_the_same_on_bleu(null):
    """BLEU of made-up corpora; its components are met within some 15 %, as no score is linear in what is put in."""
    sizes = shipped_sizes()
    tests = ("exchange by unit", "exchange by run", "t-test on runs", "crossed")
    by_unit, by_run, by_t, crossed = (float(sizes[(*null, test)]["rejected_percent"]) for test in tests)
    assert {sizes[(*null, test)]["repetitions"] for test in tests} == {str(REPETITIONS)}
    assert crossed <= UPPER_EDGE
    for found, measured in zip((by_unit, by_run, by_t), MEASURED[null], strict=True):
        assert found == pytest.approx(measured, abs=5)
