"""What could have been shown, and equality within a margin: against classical tests, and by their error rates."""

import json
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats

from mtworkbench.errors import InputError
from mtworkbench.inference import compare, crossed_analysis, paired_bootstrap
from mtworkbench.inference.crossed import cross
from mtworkbench.inference.equivalence import choose_margins, find_equivalence
from mtworkbench.inference.intervals import jackknife_variance
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.inference.trials import COPIES, Contrast, TrialFamily
from mtworkbench.metrics import MeanScore
from mtworkbench.papers.simulation.koehn2004 import load_statistics as load_koehn2004_statistics
from mtworkbench.results.equivalence import Equivalence, Within
from mtworkbench.results.verdicts import holm_adjust
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import format_comparison

REPETITIONS = 2000
SCORE = MeanScore(higher_is_better=True)
FEW = {"n_resamples": 400, "n_trials": 400, "rng": 1}


def band(share):
    return [end / REPETITIONS for end in scipy.stats.binom.interval(0.999, REPETITIONS, share)]


def equivalence_of(statistics, margin, unit="segment"):
    """The answers by Student's t (with Holm's method) for the first two systems, without a whole comparison's draws."""
    table = ScoreTable.of([statistics[name] for name in list(statistics)[:2]], unit)
    settings = SimpleNamespace(
        level=0.95, runs="separate", exchange="unit", adjust="holm", trials=10_000, margin_of=lambda metric: margin
    )
    tested = COPIES._replace(n_trials=10_000, exact=False)
    n_coins = np.count_nonzero(table.differing((0, 1)))
    methods = cross(table, [(0, 1)], 0.95, "separate")
    variance = jackknife_variance(table.influence_on())
    return find_equivalence(*methods, variance, table.units.df, table.scale(), settings, tested, n_coins=n_coins)


def classical_tost(differences, margin):
    """The larger p of two one-sided t-tests of paired differences."""
    return max(
        scipy.stats.ttest_1samp(differences, -margin, alternative="greater").pvalue,
        scipy.stats.ttest_1samp(differences, margin, alternative="less").pvalue,
    )


@pytest.mark.parametrize("margin", [0.05, 0.3, 2.0])
def test_of_means_it_is_two_one_sided_t_tests(make_mean, margin):
    draws = np.random.default_rng(1)
    a, b = draws.normal(size=(2, 60)) + 3
    found = equivalence_of(make_mean(a=a, b=b), margin)
    assert found.equivalence_p_value == pytest.approx(classical_tost(a - b, margin), rel=1e-6)
    error = scipy.stats.sem(a - b)
    nct = scipy.stats.nct(59, found.smallest_difference / error)
    critical = scipy.stats.t.isf(0.025, 59)
    assert nct.sf(critical) + nct.cdf(-critical) == pytest.approx(0.8, abs=1e-5)
    assert (found.equivalence_margin, found.method_equivalence_p_value) == (margin, None)


def test_documents_are_the_units_where_they_are_those_of_the_comparison(make_mean):
    draws = np.random.default_rng(2)
    by_document = draws.normal(size=(2, 12))
    a, b = np.repeat(by_document, 5, axis=1)
    statistics = make_mean(a=a, b=b, documents=np.repeat(np.arange(12), 5))
    found = equivalence_of(statistics, 1.5, "document")
    assert found.equivalence_p_value == pytest.approx(classical_tost(by_document[0] - by_document[1], 1.5), rel=1e-6)
    assert found.smallest_difference > 1.5 * equivalence_of(statistics, 1.5).smallest_difference


def test_the_margin_contains_the_90_percent_interval_exactly_if_they_are_equivalent(make_bleu):
    statistics = make_bleu(80, gain=0.004)
    interval = paired_bootstrap(statistics["s1"], statistics["s0"], level=0.9, method="jackknife", n_resamples=1)
    reach = max(abs(interval.low), abs(interval.high))
    for margin, verdict in ((reach + 1e-6, "equivalent"), (reach - 1e-6, "not shown")):
        [pair] = compare(statistics, margin=margin, adjust="holm", **FEW).metrics["BLEU"].comparisons
        assert pair.equivalence.equivalence_verdict == verdict
        assert pair.equivalence.equivalence_p_value == pytest.approx(0.05, abs=1e-5)


def test_for_the_method_it_is_the_crossed_analysis(make_bleu):
    statistics = make_bleu(80, runs=(3, 4), gain=0.004)
    for runs in ("separate", "pooled"):
        [pair] = compare(statistics, margin=2.0, runs=runs, **FEW).metrics["BLEU"].comparisons
        alone = crossed_analysis(statistics["s1"], statistics["s0"], runs=runs)
        expected = scipy.stats.t.cdf((abs(alone.difference) - 2.0) / alone.standard_error, alone.method_df)
        assert pair.equivalence.method_equivalence_p_value == pytest.approx(expected, rel=1e-6)
        assert pair.equivalence.method_smallest_difference > 2.5 * alone.standard_error


def test_the_tests_of_a_metric_are_a_family_of_their_own(make_bleu):
    statistics = make_bleu(150, runs=(2, 2, 2, 2), gain=0.003)
    pairs = compare(statistics, margin=2.0, **FEW | {"n_trials": 450}).metrics["BLEU"].comparisons
    for prefix in ("", "method_"):
        raw, adjusted, verdicts = (
            [pair.shown()[f"{prefix}equivalence_{name}"] for pair in pairs]
            for name in ("p_value", "p_adjusted", "verdict")
        )
        assert adjusted == pytest.approx(holm_adjust(raw))
        assert verdicts == ["equivalent" if p <= 0.05 else "not shown" for p in adjusted]


def test_the_adjusted_p_decides_and_the_two_questions_are_two_families():
    """Holm: the smallest p times 3, the next times 2 - of the method, where one pair has no p, times 2 and 1."""
    family = [
        Equivalence(Within(1.0, p_value), Within(1.0, method_p), 0.5)
        for p_value, method_p in ((0.03, 0.04), (0.012, None), (0.04, 0.02))
    ]
    judged = Equivalence.judge(family, 0.95)
    assert [one.equivalence_p_adjusted for one in judged] == pytest.approx([0.06, 0.036, 0.06])
    assert [one.equivalence_verdict for one in judged] == ["not shown", "equivalent", "not shown"]
    assert [judged[0].method_equivalence_p_adjusted, judged[2].method_equivalence_p_adjusted] == pytest.approx(
        [0.04] * 2
    )
    assert [one.method_equivalence_verdict for one in judged] == ["equivalent", None, "equivalent"]
    assert judged[1].smallest_difference == 1.0


def test_what_could_have_been_shown_takes_the_family_into_account(make_mean):
    """It is that of a t-test whose interval is as wide as the simultaneous one."""
    draws = np.random.default_rng(6)
    scores = draws.normal(size=(6, 60)) + 0.3 * draws.normal(size=60)
    statistics = make_mean(**{f"s{number}": row for number, row in enumerate(scores)})
    two = make_mean(s0=scores[0], s1=scores[1])
    [alone] = compare(two, **FEW | {"n_trials": 20_000}).metrics["score"].comparisons
    [by_t] = compare(two, adjust="holm", **FEW).metrics["score"].comparisons
    assert alone.equivalence.smallest_difference == pytest.approx(by_t.equivalence.smallest_difference, rel=0.03)
    pairs = compare(statistics, **FEW | {"n_trials": 4000}).metrics["score"].comparisons
    for pair in pairs:
        error = scipy.stats.sem(scores[int(pair.a[1])] - scores[int(pair.b[1])])
        critical = (pair.simultaneous_high - pair.simultaneous_low) / 2 / error
        nct = scipy.stats.nct(59, pair.equivalence.smallest_difference / error)
        assert nct.sf(critical) + nct.cdf(-critical) == pytest.approx(0.8, abs=1e-5)
    assert (pairs[0].a, pairs[0].b) == ("s1", "s0")
    assert pairs[0].equivalence.smallest_difference > 1.2 * alone.equivalence.smallest_difference


def test_without_a_margin_only_the_smallest_difference_is_known(make_bleu):
    found = compare(make_bleu(60, runs=(1, 2, 2)), **FEW)
    for pair in found.metrics["BLEU"].comparisons:
        shown = pair.shown()
        assert shown["smallest_difference"] > 0
        assert (shown["method_smallest_difference"] is None) == (pair.b == "s0")
        assert {value for name, value in shown.items() if "equivalence_" in name} == {None}
        assert pair.turned().equivalence is pair.equivalence
    assert "margin" not in found.signature


def test_json_and_csv_have_the_keys_and_the_signature_the_margin(make_bleu):
    found = compare(make_bleu(60), margin=1.5, **FEW)
    [row] = json.loads(format_comparison(found, "json"))["metrics"]["BLEU"]["comparisons"]
    keys = [key for key in row if "equivalence" in key or key.endswith("smallest_difference")]
    assert keys == [
        "smallest_difference",
        "method_smallest_difference",
        "equivalence_margin",
        "equivalence_p_value",
        "equivalence_p_adjusted",
        "equivalence_verdict",
        "method_equivalence_p_value",
        "method_equivalence_p_adjusted",
        "method_equivalence_verdict",
    ]
    assert row["equivalence_margin"] == 1.5
    header = format_comparison(found, "csv").splitlines()[0]
    assert set(keys) < set(header.split(","))
    assert header.endswith(",assumptions,doubts")
    one_system = format_comparison(compare(make_bleu(60, runs=(1,)), **FEW), "csv").splitlines()
    assert one_system == [header.removesuffix(",assumptions,doubts")]
    assert "|margin:BLEU=1.5|" in found.signature
    [pair] = found.metrics["BLEU"].comparisons
    assert "margin" not in pair.bootstrap.signature + pair.randomization.signature + pair.method.signature


def test_copies_and_what_cannot_be_tested_have_no_answer(make_mean, make_bleu):
    scores = np.arange(40.0)
    copies = equivalence_of(make_mean(a=scores, b=scores), 0.5)
    assert {copies.smallest_difference, copies.equivalence_p_value, copies.equivalence_verdict} == {None}
    shifted = equivalence_of(make_mean(a=scores + 1, b=scores), 0.5)  # the difference does not vary
    assert {shifted.smallest_difference, shifted.equivalence_p_value} == {None}
    alone = equivalence_of(make_bleu(1), 0.5)
    assert {alone.smallest_difference, alone.equivalence_p_value} == {None}


def test_two_runs_against_many_have_no_answer_for_the_method(make_bleu):
    [pair] = compare(make_bleu(60, runs=(2, 6)), margin=0.5, **FEW).metrics["BLEU"].comparisons
    found = pair.equivalence
    assert pair.method.variance is not None
    assert found.equivalence_p_value is not None
    assert (pair.method_p_value, found.method_equivalence_p_value, found.method_smallest_difference) == (None,) * 3


@pytest.mark.parametrize(("n_different", "known"), [(5, False), (6, True)])
def test_where_so_few_units_differ_that_nothing_could_be_shown_no_difference_is_named(make_mean, n_different, known):
    a = np.zeros(100)
    b = a.copy()
    b[:n_different] = np.random.default_rng(1).normal(size=n_different)
    found = equivalence_of(make_mean(a=a, b=b), 0.5)
    assert (found.smallest_difference is not None) is known
    assert found.equivalence_p_value < 0.001


# ---- margins


@pytest.mark.parametrize("margin", [{"BLEU": 0.5, "bleu": 1}, 10**400])
def test_margins_of_one_metric_named_twice_and_numbers_beyond_floats_are_refused(margin):
    with pytest.raises(InputError) as caught:
        choose_margins(margin, ["BLEU"])
    assert caught.value.code == "margin"


def test_margins_are_of_metrics_by_name_in_any_case():
    assert choose_margins(None, ["BLEU", "chrF"]) == ()
    assert choose_margins(0.5, ["BLEU"]) == (("BLEU", 0.5),)
    assert choose_margins(np.float64(2), ["BLEU", "BLEU"]) == (("BLEU", 2.0),)  # with two sets of options
    assert choose_margins({"CHRF": 1, "bleu": 0.5}, ["BLEU", "chrF", "TER"]) == (("BLEU", 0.5), ("chrF", 1.0))


@pytest.mark.parametrize(
    ("margin", "metrics", "sentence"),
    [
        (
            0.5,
            ["BLEU", "chrF"],
            "The margin is 0.5, but there are 2 metrics, each with points of its own: name the metric of each margin, "
            "as in --margin BLEU=0.5 (in Python, margin={'BLEU': 0.5}).",
        ),
        ({"ter": 1}, ["BLEU", "chrF"], "margin names 'ter', which is not among the metrics: name BLEU or chrF."),
        ({3: 1}, ["BLEU"], "margin names 3, which is not among the metrics: name BLEU."),
        *(
            (
                wrong,
                ["BLEU"],
                f"The margin of BLEU is {wrong!r}, but a number above 0 was expected: the difference, in points of "
                "BLEU, that is too small to matter, such as 0.5.",
            )
            for wrong in (0, -1, math.inf, math.nan, True, "0.5")
        ),
    ],
)
def test_other_margins_are_refused(margin, metrics, sentence):
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        choose_margins(margin, metrics)
    assert caught.value.code == "margin"


def test_a_metric_without_a_margin_is_not_tested(make_bleu, make_ter):
    found = compare([make_bleu(60), make_ter(60)], margin={"ter": 1.0}, **FEW)
    margins = {name: metric.comparisons[0].equivalence.equivalence_margin for name, metric in found.metrics.items()}
    assert margins == {"BLEU": None, "TER": 1.0}


# ---- error rates


@pytest.mark.parametrize("sign", [1, -1])
def test_it_calls_systems_that_differ_by_the_margin_equal_in_5_percent(make_mean, sign):
    draws = np.random.default_rng(3)
    margin, equal = 1.5, 0
    for _ in range(REPETITIONS):
        shared = draws.gamma(2, size=40)
        a, b = shared + draws.gamma(1, size=40), shared + draws.gamma(1, size=40)
        found = equivalence_of(make_mean(metric=SCORE, a=a + sign * margin, b=b), margin)
        equal += found.equivalence_p_value <= 0.05
    low, high = band(0.05)
    assert low <= equal / REPETITIONS <= high


@pytest.mark.parametrize("sign", [1, -1])
def test_by_exchanges_it_calls_systems_that_differ_by_the_margin_equal_in_5_percent(sign):
    draws, margin, equal = np.random.default_rng(5), 1.5, 0
    for _ in range(REPETITIONS):
        scores = draws.gamma(1, size=(2, 40)) + np.array([[sign * margin], [0]])
        gains = (scores[0] - scores[1]) / 40
        family = TrialFamily([Contrast.of(gains, np.full(40, 1 / 40), scores.mean(axis=1), 40, margin)], 0.95)
        signs = 1 - 2.0 * draws.integers(0, 2, (40, 399))
        family.count(gains[None] @ signs, signs.mean(axis=0), 20)
        equal += family.test(399, exact=False)[0].p_within <= 0.05
    low, high = band(0.05)
    assert low <= equal / REPETITIONS <= high


@pytest.fixture(scope="module")
def population():
    """30,000 made-up sentences, of which two systems differ by about 1.5 BLEU."""
    whole = load_koehn2004_statistics()
    values = {name: whole.values[name] for name in ("Spanish", "Portuguese")}
    return SegmentStatistics(whole.metric, values, whole.test_set)


@pytest.mark.long
def test_it_keeps_its_size_on_bleu(population):
    draws = np.random.default_rng(4)
    a, b = (float(scores.mean()) for scores in population.score().values())
    equal = 0
    for _ in range(REPETITIONS):
        drawn = population.take(draws.integers(0, len(population.test_set), 600))
        equal += equivalence_of(drawn, abs(a - b)).equivalence_p_value <= 0.05
    low, high = band(0.05)
    assert low <= equal / REPETITIONS <= high
