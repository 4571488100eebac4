"""Planned test sets have the power that was asked for: by formula, by randomization, on means and on made-up BLEU."""

import math
import re

import numpy as np
import pytest
import scipy.stats

from mtworkbench import plan_test_set
from mtworkbench.errors import InputError
from mtworkbench.inference import compare, crossed_analysis, paired_bootstrap
from mtworkbench.inference.power import crossed_threshold, power_of, t_threshold
from mtworkbench.metrics import MeanScore
from mtworkbench.papers.simulation.koehn2004 import load_statistics as load_koehn2004_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.tables import format_plan

REPETITIONS = 2000
SCORE = MeanScore(higher_is_better=True)


def band(share):
    return [end / REPETITIONS for end in scipy.stats.binom.interval(0.999, REPETITIONS, share)]


def plan(statistics, **options):
    a, b = (statistics[name] for name in list(statistics)[:2])
    return plan_test_set(a, b, **options)


@pytest.fixture
def means(make_mean):
    draws = np.random.default_rng(1)
    a, b = draws.normal(size=(2, 50)) + np.array([[0.2], [0]])
    return make_mean(a=a, b=b)


# ---- the numbers


def test_the_numbers_at_hand_are_those_of_the_t_test(means):
    found = plan(means, difference=0.5)
    differences = (means["a"].values - means["b"].values)[0, :, 0]
    error = scipy.stats.sem(differences)
    assert found.standard_error == pytest.approx(error)
    assert (found.of, found.unit, found.n_units, found.n_segments, found.df) == ("outputs", "segment", 50, 50, 49)
    nct, critical = scipy.stats.nct(49, 0.5 / error), scipy.stats.t.isf(0.025, 49)
    power = nct.sf(critical) + nct.cdf(-critical)
    assert found.power_at_hand == pytest.approx(power, abs=1e-6)
    assert found.wrong_sign == pytest.approx(nct.cdf(-critical) / power, rel=1e-3)
    expected = power_of(0.5 / error, t_threshold(49, 0.95))
    assert found.exaggeration == pytest.approx(expected.exaggeration)
    assert found.observed_difference == pytest.approx(differences.mean())


def test_the_units_needed_are_the_fewest_with_the_power(means):
    for power in (0.5, 0.8, 0.95):
        found = plan(means, difference=0.3, power=power)
        needed, deviation = found.units_needed, found.standard_error * math.sqrt(50)
        at = [
            power_of(0.3 / (deviation / math.sqrt(number)), t_threshold(number - 1, 0.95)).power
            for number in (needed - 1, needed)
        ]
        assert at[0] < power <= at[1]
        assert (found.segments_needed, found.documents_needed, found.runs_needed) == (needed, None, None)


def test_the_smallest_difference_is_that_of_a_comparison(make_bleu):
    statistics = make_bleu(90, runs=(2, 3), documents=np.arange(90) // 6)
    one_run = make_bleu(90, documents=np.arange(90) // 6)
    options = {"unit": "document", "n_resamples": 400, "n_trials": 400, "adjust": "holm", "rng": 1}
    with pytest.warns(UserWarning, match="Only 15 documents"):
        [pair] = compare(one_run, **options).metrics["BLEU"].comparisons
    found = plan(one_run, difference=1)
    assert found.unit == "document"
    assert found.smallest_difference == pytest.approx(pair.equivalence.smallest_difference)
    assert found.design_effect == pytest.approx(pair.design_effect)
    method = plan(statistics, difference=1)
    with pytest.warns(UserWarning, match="Only 15 documents"):
        [pair] = compare(statistics, **options).metrics["BLEU"].comparisons
    assert method.of == "method"
    assert method.smallest_difference == pytest.approx(pair.equivalence.method_smallest_difference)
    assert method.standard_error == pytest.approx(pair.method.standard_error)
    assert (method.runs_a, method.runs_b, method.runs) == (2, 3, 2)


def test_documents_keep_their_mean_length(make_mean):
    draws = np.random.default_rng(2)
    lengths = [3, 7] * 8  # 80 segments
    documents = np.repeat(np.arange(16), lengths)
    hard = np.repeat(draws.normal(size=(2, 16)), lengths, axis=1) + draws.normal(size=(2, 80))
    found = plan(make_mean(a=hard[0], b=hard[1], documents=documents), difference=0.4)
    assert (found.unit, found.n_units, found.n_segments) == ("document", 16, 80)
    assert found.documents_needed == found.units_needed
    assert found.segments_needed == 5 * found.units_needed
    assert found.design_effect > 1.2
    by_segment = plan(make_mean(a=hard[0], b=hard[1], documents=documents), difference=0.4, unit="segment")
    assert by_segment.segments_needed < found.segments_needed
    assert by_segment.documents_needed is None


def test_the_frame_has_a_row_per_number_of_units_and_runs(make_mean):
    draws = np.random.default_rng(3)
    scores = draws.normal(size=(2, 40)) + 0.1 * draws.normal(size=(2, 4, 1)).transpose(1, 0, 2)
    scores = scores + 0.5 * draws.normal(size=(4, 2, 40))
    statistics = make_mean(a=scores[:, 0], b=scores[:, 1])
    found = plan(statistics, difference=0.3, runs=7)
    frame = found.powers
    assert not frame.duplicated(["n_units", "n_runs"]).any()
    assert sorted(set(frame["n_runs"])) == [2, 3, 4, 5, 7, 10]
    assert {40, found.units_needed} <= set(frame["n_units"])
    assert frame["n_units"].min() >= 6  # with five units, randomization could not reject
    variance = crossed_analysis(statistics["a"], statistics["b"]).variance
    for row in frame[frame["n_units"].isin([40, 160])].itertuples():
        expected = variance.expect(row.n_units, row.n_runs, row.n_runs)
        assert row.standard_error == pytest.approx(math.sqrt(expected.total))
        assert row.df == pytest.approx(expected.df)
        threshold = crossed_threshold(expected, 0.95)
        found_power = power_of(0.3 / row.standard_error, threshold)
        assert (row.power, row.wrong_sign) == pytest.approx((found_power.power, found_power.wrong_sign))
        at_smallest = power_of(row.smallest_difference / row.standard_error, threshold)
        assert at_smallest.power == pytest.approx(0.8, abs=1e-6)
    planned = frame[(frame["n_runs"] == 7) & (frame["n_units"] == found.units_needed)]
    assert planned["power"].item() >= 0.8


def test_runs_are_planned_where_they_decide(make_mean):
    """Systems whose runs vary as a whole: more runs show what no longer test set shows."""
    draws = np.random.default_rng(4)
    shared = draws.normal(size=200)
    a, b = (shared + draws.normal(0, 0.5, (5, 1)) + draws.normal(0, 0.1, (5, 200)) for _ in "ab")
    found = plan(make_mean(a=a, b=b), difference=0.6)
    assert found.units_needed is None
    assert found.runs_needed > 5
    more = plan(make_mean(a=a, b=b), difference=0.6, runs=found.runs_needed)
    assert more.units_needed is not None
    assert more.units_needed <= 200
    fewer = plan(make_mean(a=a, b=b), difference=0.6, runs=found.runs_needed - 1)
    assert fewer.units_needed is None or fewer.units_needed > 200


def test_by_default_the_observed_difference_is_planned_for_in_either_direction(make_bleu):
    statistics = make_bleu(60, gain=0.02)
    forth, back = plan_test_set(statistics["s1"], statistics["s0"]), plan_test_set(statistics["s0"], statistics["s1"])
    assert forth.difference == back.difference == pytest.approx(abs(back.observed_difference))
    assert forth.observed_difference == -back.observed_difference > 0
    assert forth.units_needed == back.units_needed
    interval = paired_bootstrap(statistics["s1"], statistics["s0"], method="jackknife", n_resamples=1)
    half = scipy.stats.t.isf(0.025, 59) * forth.standard_error
    assert interval.high - interval.low == pytest.approx(2 * half)


# ---- what cannot be planned


@pytest.mark.parametrize("wrong", [0, math.inf, math.nan, "1", True])
def test_a_difference_is_a_number_other_than_0(means, wrong):
    sentence = (
        f"difference is {wrong!r}, but a number other than 0 was expected: the difference to be shown, in points of "
        "score, such as 0.5."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        plan(means, difference=wrong)


def test_equal_scores_have_no_difference_to_plan_for(make_mean):
    statistics = make_mean(a=[1.0, 2, 3, 4], b=[4.0, 3, 2, 1])
    with pytest.raises(
        InputError, match="^'a' and 'b' have the same score, so there is no observed difference to plan"
    ):
        plan(statistics)
    assert plan(statistics, difference=1).units_needed > 4


def test_a_rest_of_rounding_is_no_difference_to_plan_for(make_mean):
    statistics = make_mean(a=[0.1, 0.2, 0.3], b=[0.3, 0.2, 0.1])
    assert statistics["a"].values[0, :, 0].sum() != statistics["b"].values[0, :, 0].sum()
    with pytest.raises(InputError, match="have the same score, so there is no observed difference"):
        plan(statistics)


def test_what_does_not_vary_cannot_be_planned(make_mean):
    scores = np.arange(10.0)
    sentence = "The difference of 'a' and 'b' in score does not vary over 10 segments: a plan needs two systems that "
    for other in (scores, scores + 1):
        with pytest.raises(InputError, match=f"^{sentence}differ in several of them.$"):
            plan(make_mean(a=scores, b=other), difference=1)
    with pytest.raises(InputError, match="does not vary over 1 segment:"):
        plan(make_mean(a=[1.0], b=[2.0]), difference=1)


def test_runs_are_planned_only_where_it_is_known_how_they_vary(make_bleu):
    sentence = (
        "3 runs of each system were to be planned, but {} only one run, which does not tell how much scores vary from "
        "run to run: give at least two runs of each system, or omit the number of runs (runs, --n-runs) to plan for "
        "these outputs."
    )
    for runs, who in (((1, 3), "'s0' has"), ((1, 1), "'s0' and 's1' have")):
        with pytest.raises(InputError, match=f"^{re.escape(sentence.format(who))}$") as caught:
            plan(make_bleu(30, runs=runs), difference=1, runs=3)
        assert caught.value.code == "few-runs"
    with pytest.raises(InputError, match="^runs has 1, but integers of at least 2 were expected.$"):
        plan(make_bleu(30, runs=(3, 3)), difference=1, runs=1)
    assert plan(make_bleu(30, runs=(1, 3)), difference=1).runs is None


def test_a_difference_that_no_test_set_shows_needs_none(means):
    found = plan(means, difference=1e-5)
    assert (found.units_needed, found.segments_needed) == (None, None)
    assert found.power_at_hand == pytest.approx(0.05, abs=1e-4)


def test_levels_near_1_have_a_plan(make_mean):
    """With one degree of freedom the threshold is that of Cauchy's distribution; with 12 units, that of t."""
    tiny = make_mean(a=[0.0, 1], b=[0.1, 0])
    for level in (1 - 1e-12, math.nextafter(1, 0)):
        found = plan(tiny, difference=1, level=level)
        assert math.isnan(found.wrong_sign) == (found.power_at_hand == 0)
        assert found.power_at_hand < 1e-9
        assert found.units_needed > 41
        assert "nan" not in format_plan(found)
    assert "single comparison at 1e-10 %" in " ".join(format_plan(plan(tiny, difference=1, level=1 - 1e-12)).split())
    assert "|level:0.999999999999|" in plan(tiny, difference=1, level=1 - 1e-12).signature
    ends, weights = t_threshold(1e6, 1 - 1e-12)
    assert weights @ ends == pytest.approx(scipy.stats.norm.isf(5e-13), abs=1e-3)


# ---- equality


def test_equality_at_hand_is_that_of_the_t_test(means):
    """With many degrees of freedom, power is 2 Phi(margin / error - 1.645) - 1 (Schuirmann, 1987)."""
    found = plan(means, margin=0.5)
    assert (found.difference, found.margin) == (0, 0.5)
    assert math.isnan(found.smallest_difference)
    wide = plan(make_wide(means, 40), margin=0.08)
    expected = 2 * scipy.stats.norm.cdf(0.08 / wide.standard_error - scipy.stats.t.isf(0.05, wide.df)) - 1
    assert 0.3 < expected < 0.9
    assert wide.power_at_hand == pytest.approx(expected, abs=0.002)
    at_smallest = plan(means, margin=found.smallest_margin)
    assert at_smallest.power_at_hand == pytest.approx(0.8, abs=1e-5)
    assert at_smallest.units_needed in (50, 51)
    assert set(found.powers) == {
        "n_units", "n_segments", "n_runs", "standard_error", "df", "power", "smallest_margin",
    }  # fmt: skip
    assert "|margin:0.5|" in found.signature


def make_wide(means, times):
    """Repeat the segments of two systems."""
    values = {name: np.tile(means[name].values, (1, times, 1)) for name in means}
    n_segments = len(means.test_set) * times
    return SegmentStatistics(means.metric, values, TestSet(np.arange(1, n_segments + 1), None, "x", 1))


@pytest.mark.parametrize("n_pilot", [6, 40])
def test_equal_systems_are_shown_to_be_equal_as_often_as_planned(make_mean, n_pilot):
    """TOST by the formula of textbooks, on fresh test sets of the size that was planned."""
    low, high = band(0.8)
    draws = np.random.default_rng(9)
    pilot = draws.normal(size=n_pilot)
    pilot = (pilot - pilot.mean()) / pilot.std(ddof=1)
    found = plan(make_mean(metric=SCORE, a=pilot, b=np.zeros(n_pilot)), margin=0.4)
    for n, margin in ((n_pilot, found.smallest_margin), (found.units_needed, 0.4)):
        drawn = draws.normal(size=(REPETITIONS, n))
        half = scipy.stats.t.isf(0.05, n - 1) * scipy.stats.sem(drawn, axis=1)
        shown = np.mean(np.abs(drawn.mean(axis=1)) + half <= margin)
        assert low <= shown <= high, (n, margin)


def test_equality_of_methods_needs_runs(make_mean):
    draws = np.random.default_rng(4)
    shared = draws.normal(size=200)
    a, b = (shared + draws.normal(0, 0.5, (5, 1)) + draws.normal(0, 0.1, (5, 200)) for _ in "ab")
    found = plan(make_mean(a=a, b=b), margin=0.6)
    assert (found.of, found.units_needed) == ("method", None)
    assert plan(make_mean(a=a, b=b), margin=0.6, runs=found.runs_needed).units_needed <= 200
    assert sorted(set(found.powers["n_runs"])) == [2, 3, 5, 10]


@pytest.mark.parametrize("wrong", [0, -1, math.inf, math.nan, "1", True])
def test_a_margin_is_a_number_above_0(means, wrong):
    sentence = (
        f"The margin of score is {wrong!r}, but a number above 0 was expected: the difference, in points of score, "
        "that is too small to matter, such as 0.5."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        plan(means, margin=wrong)


def test_a_plan_has_one_aim(means):
    with pytest.raises(InputError, match=r"^Both a difference \(1\) and a margin \(2\) were given, but a plan is for"):
        plan(means, difference=1, margin=2)


# ---- power, by simulation


def randomization_finds(a, b, score, key):
    """Share of repetitions in which a randomization test rejects at 5 %; those of a chunk share their coins.

    a, b : (n_repetitions, n_segments, n_statistics) ndarrays
    """
    found, chunk, n_trials = 0, 100, 999
    for first in range(0, len(a), chunk):
        of_a, of_b = a[first : first + chunk], b[first : first + chunk]
        masks = np.random.default_rng(key + first).integers(0, 2, (n_trials, a.shape[1])).astype(float)
        moved = np.einsum("tn,rns->rts", masks, of_b - of_a, optimize=True)
        totals = [of.sum(axis=1)[:, None] for of in (of_a, of_b)]
        trials = np.abs(score(totals[0] + moved) - score(totals[1] - moved))
        observed = np.abs(score(totals[0]) - score(totals[1]))
        p_values = (1 + np.sum(trials >= observed * (1 - 1e-9), axis=1)) / (n_trials + 1)
        found += np.count_nonzero(p_values <= 0.05)
    return found / len(a)


@pytest.mark.parametrize("n_pilot", [10, 60])
def test_on_means_randomization_shows_what_was_planned(make_mean, n_pilot):
    """The smallest difference of a test set, and the difference that a plan finds enough segments for."""
    low, high = band(0.8)
    draws = np.random.default_rng(5)
    # A pilot whose variance is exactly that of the population, of differences between two gamma variables.
    pilot = draws.normal(size=n_pilot)
    pilot = (pilot - pilot.mean()) / pilot.std(ddof=1) * math.sqrt(2)
    found = plan(make_mean(metric=SCORE, a=pilot, b=np.zeros(n_pilot)), difference=0.7)
    for n, difference in ((n_pilot, found.smallest_difference), (found.units_needed, 0.7)):
        a, b = draws.gamma(1, size=(2, REPETITIONS, n, 1))
        power = randomization_finds(a + difference, b, lambda totals, n=n: totals[..., 0] / n, n)
        assert low <= power <= high, (n, difference)


@pytest.fixture(scope="module")
def population():
    """30,000 made-up sentences of six systems."""
    return load_koehn2004_statistics()


@pytest.mark.parametrize(("better", "worse"), [("Greek", "Finnish"), ("Danish", "German")])
def test_on_bleu_randomization_shows_what_was_planned(population, better, worse):
    low, high = band(0.8)
    pair = [population[name] for name in (better, worse)]
    found = plan_test_set(*pair, unit="segment")
    assert found.difference > 4
    draws = np.random.default_rng(6)
    drawn = draws.integers(0, len(population.test_set), (REPETITIONS, found.units_needed))
    a, b = (system.values[0][drawn].astype(float) for system in pair)
    assert low <= randomization_finds(a, b, population.metric.score, 1) <= high


@pytest.mark.parametrize(("pair", "fewest"), [(("Portuguese", "Danish"), 100), (("Spanish", "Portuguese"), 12)])
def test_by_document_the_planned_number_of_documents_is_enough(population, pair, fewest):
    """Documents have 49 to 607 sentences; some fifteen of them show more than was planned: the plan is conservative."""
    low, high = band(0.8)
    systems = [population[name] for name in pair]
    found = plan_test_set(*systems)
    assert (found.unit, found.n_units, found.documents_needed) == ("document", 121, found.units_needed)
    assert fewest < found.units_needed < 3 * fewest
    _, of_segment = np.unique(population.test_set.documents, return_inverse=True)
    sums = []
    for system in systems:
        total = np.zeros((121, system.values.shape[2]))
        np.add.at(total, of_segment, system.values[0])
        sums.append(total)
    drawn = np.random.default_rng(7).integers(0, 121, (REPETITIONS, found.units_needed))
    a, b = (total[drawn] for total in sums)
    power = randomization_finds(a, b, population.metric.score, 1)
    assert low <= power <= (high if found.units_needed > 20 else high + 0.05)


@pytest.mark.parametrize("n_runs", [2, 5])
@pytest.mark.long
def test_planned_runs_show_the_difference_of_two_methods(make_mean, n_runs):
    """A pilot of ten runs of each, whose parts of variance are taken for the true ones, plans for fewer runs."""
    low, high = band(0.8)
    draws = np.random.default_rng(8)
    a, b = (draws.normal(size=200) + 0.03 * draws.normal(size=(10, 1)) + draws.normal(size=(10, 200)) for _ in "ab")
    statistics = make_mean(metric=SCORE, a=a, b=b)
    found = plan(statistics, difference=0.3, runs=n_runs)
    truth = crossed_analysis(statistics["a"], statistics["b"]).variance
    n, shown = found.units_needed, 0
    # Standard deviations of one unit and run of either method, half of what both vary.
    unit, rest = (math.sqrt(200 * part / 2) for part in (truth.of_units, 10 * truth.of_both))
    run = math.sqrt(10 * truth.of_runs / 2)
    for _ in range(REPETITIONS):
        scores = [
            shift
            + unit * draws.normal(size=n)
            + run * draws.normal(size=(n_runs, 1))
            + rest * draws.normal(size=(n_runs, n))
            for shift in (0.3, 0)
        ]
        values = {name: np.stack([one, np.ones_like(one)], axis=-1) for name, one in zip("ab", scores, strict=True)}
        drawn = SegmentStatistics(SCORE, values, make_mean(metric=SCORE, a=scores[0]).test_set)
        shown += crossed_analysis(drawn["a"], drawn["b"]).method_p_value <= 0.05
    assert low <= shown / REPETITIONS <= high
