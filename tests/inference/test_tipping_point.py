"""Which design effect a verdict tolerates that takes segments of unknown documents for independent."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

import mtworkbench as mtw
from mtworkbench.errors import DataWarning
from mtworkbench.inference import compare, compare_test_sets
from mtworkbench.inference.trials import COPIES, Contrast, TrialFamily, choose_steps, tolerate_by_holm
from mtworkbench.resampling import exchange_masks
from mtworkbench.results.verdicts import holm_adjust
from mtworkbench.statistics.segment_statistics import SegmentStatistics

from .moved_by_hand import TIED, Moved, share, step_down

pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")


def pairs_of(found):
    [metric] = found.metrics.values()
    return metric.comparisons


def tolerated_by(family, adjust="max-t"):
    """The largest factor by which all variances may be too small before the step-down test rejects no more."""

    class Weaker:
        """A comparison whose t is smaller, while its trials are as they are."""

        def __init__(self, moved, factor):
            self.t, self.trials, self.sigma = moved.t / math.sqrt(factor), moved.trials, moved.sigma

    def rejected(factor):
        weaker = [Weaker(one, factor) for one in family]
        if adjust == "holm":
            counts = [sum(abs(one.trials) / one.sigma >= one.t - TIED) for one in weaker]
        else:
            counts = step_down(weaker)
        p_values = [share(count, len(one.trials), one.exact) for one, count in zip(family, counts, strict=True)]
        return [p <= 0.05 for p in (holm_adjust(p_values) if adjust == "holm" else p_values)]

    found = []
    for place in range(len(family)):
        low, high = 1e-6, 1e6
        for _ in range(80):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if rejected(middle)[place] else (low, middle)
        found.append(low)
    return found


def check(pairs, family, adjust="max-t"):
    for pair, tolerated in zip(pairs, tolerated_by(family, adjust), strict=True):
        if pair.verdict == "significant":
            # Moved calls differences tied that are closer than 1e-7.
            assert pair.tolerated_design_effect == pytest.approx(tolerated, rel=1e-5)
            assert tolerated >= 1
        else:
            assert pair.tolerated_design_effect is None
            assert tolerated < 1 + 1e-5 or pair.verdict == "undecided"


EITHER = pytest.mark.parametrize("adjust", ["max-t", "holm"])


@EITHER
@pytest.mark.parametrize(("gain", "seed"), [(0.03, 4), (0.06, 4), (0.09, 1)])
def test_it_is_that_of_its_definition_with_all_exchanges(make_bleu, gain, seed, adjust):
    statistics = make_bleu(8, runs=(1, 1, 1), gain=gain, seed=seed)
    pairs = pairs_of(compare(statistics, rng=1, adjust=adjust))
    check(pairs, [Moved(statistics[pair.a], statistics[pair.b], range(8)) for pair in pairs], adjust)
    assert any(pair.tolerated_design_effect for pair in pairs) or gain == 0.03


@EITHER
def test_it_is_that_of_its_definition_with_drawn_exchanges(make_mean, adjust):
    scores = np.random.default_rng(3).normal([[0.0], [0.5], [0.7], [1.5]], 1, (4, 24))
    statistics = make_mean(**dict(zip("abcd", scores, strict=True)))
    n_trials = 199 if adjust == "max-t" else 999
    pairs = pairs_of(compare(statistics, rng=2, n_trials=n_trials, adjust=adjust))
    coins = np.concatenate(list(exchange_masks(24, n_trials, rng=2)))
    family = [Moved(statistics[pair.a], statistics[pair.b], range(24), trials=coins) for pair in pairs]
    check(pairs, family, adjust)
    assert 2 <= sum(pair.tolerated_design_effect is not None for pair in pairs) <= 5


def test_with_holm_it_is_the_smallest_of_the_steps_by_hand():
    """Of 79 trials at 10 %, c is the second largest of the first of three comparisons, the fourth of the second.

    (Fewer than 80 / 30 and 80 / 20 trials may reach it.) A copy is one of the three.
    """
    contrasts = [Contrast(d, 1.0, 0.0, 0.0, 1e-12, 40) for d in (6.0, 5.0)]
    trials = np.zeros((2, 79))
    trials[0, :4], trials[1, 4:8] = (2.5, -2.0, 2.0, 1.0), (4.5, 4.0, -2.0, 2.0)
    family = TrialFamily(contrasts, 0.9, joint=False)
    family.count(trials[:, :30], np.zeros(30), 8)
    family.count(trials[:, 30:], np.zeros(49), 8)
    tested = family.test(79, exact=False)
    # (6 / 2)^2 is the larger at first, (5 / 4)^2 the smaller; then (5 / 2)^2.
    assert tolerate_by_holm([*tested, COPIES], [40, 40, 0], 0.9) == [pytest.approx(9.0), pytest.approx(6.25), None]
    # With 5 coins, no p is below 1/16, so that the other is asked first, and that one never.
    assert tolerate_by_holm([*tested, COPIES], [5, 40, 0], 0.9) == [None, pytest.approx(1.5625), None]
    assert tolerate_by_holm([COPIES], [0], 0.9) == [None]


@pytest.mark.parametrize("point", [1.0, 0.01])
def test_with_holm_one_trial_may_be_beyond(point):
    """Of 19 trials at 5 %, c is the largest of them: (3 / 2)^2, also of scores between 0 and 1."""
    family = TrialFamily([Contrast(3 * point, point, 0.0, 0.0, 1e-12, 40)], 0.95, joint=False)
    family.count(point * np.linspace(-2, 1, 19)[None], np.zeros(19), 1)
    assert tolerate_by_holm(family.test(19, exact=False), [40], 0.95) == [pytest.approx(2.25)]


def test_tests_by_themselves_keep_no_trials():
    family = TrialFamily([Contrast(1.0, 1.0, 0.0, 0.0, 1e-12, 40)], 0.95, joint=False)
    family.count(np.zeros((1, 99)), np.zeros(99), 0)
    assert [one.factors for one in family.test(99, exact=False)] == [None]


def test_it_is_the_square_of_t_over_c_by_hand():
    """Of 19 trials, one may reach t at 10 %: c is the second largest t of the step.

    Ranked by t: 6, 5, 3. The second largest t of the trials over all three is 3, over the last two 2, of the last
    alone 1. So (6 / 3)^2 = 4, and the others, (5 / 2)^2 = 6.25 and (3 / 1)^2 = 9, have no more than what ranks above.
    """
    contrasts = [Contrast(d, sigma, 0.0, 0.0, 1e-12, 40) for d, sigma in ((5.0, 1.0), (12.0, 2.0), (3.0, 1.0))]
    trials = np.zeros((3, 19))
    trials[1, :2] = 8.0, -6.0  # t = 4, 3
    trials[0, 2:4] = -2.5, 2.0
    trials[2, 4:6] = 1.5, 1.0
    family = TrialFamily(contrasts, 0.9)
    family.count(trials[:, :7], np.zeros(7), 2)
    family.count(trials[:, 7:], np.zeros(12), 2)
    found = [one.tolerated for one in family.test(19, exact=False)]
    assert found == pytest.approx([4.0, 4.0, 4.0])
    contrasts[1] = Contrast(18.0, 2.0, 0.0, 0.0, 1e-12, 40)
    contrasts[2] = Contrast(0.5, 1.0, 0.0, 0.0, 1e-12, 40)
    family = TrialFamily(contrasts, 0.9)
    family.count(trials, np.zeros(19), 2)
    found = [one.tolerated for one in family.test(19, exact=False)]
    assert found == pytest.approx([6.25, 9.0, 0.25])


def test_without_a_critical_value_nothing_is_said():
    family = TrialFamily([Contrast(1.0, 1.0, 0.0, 0.0, 1e-12, 40)], 0.95)
    family.count(np.zeros((1, 18)), np.zeros(18), 0)
    assert [one.tolerated for one in family.test(18, exact=False)] == [None]  # too few trials
    family.count(np.zeros((1, 81)), np.zeros(81), 5)
    assert [one.tolerated for one in family.test(99, exact=False)] == [None]  # no trial differs


def test_the_steps_that_are_kept():
    assert choose_steps(1) == [1]
    assert choose_steps(2) == [1, 2]
    assert choose_steps(17) == list(range(1, 18))
    assert choose_steps(30) == [*range(1, 17), 18, 20, 22, 24, 27, 30]
    assert len(choose_steps(10_000)) < 80


def test_it_is_at_least_1_exactly_where_a_difference_is_shown(make_mean):
    """Also of 45 comparisons, where not all steps are kept."""
    scores = np.random.default_rng(1).normal(np.linspace(0, 1.2, 10)[:, None], 1, (10, 120))
    pairs = pairs_of(compare(make_mean(**{f"s{i}": row for i, row in enumerate(scores)}), rng=1))
    assert {pair.verdict for pair in pairs} >= {"significant", "not significant"}
    for pair in pairs:
        assert (pair.verdict == "significant") == (pair.tolerated_design_effect is not None)
        assert pair.tolerated_design_effect is None or pair.tolerated_design_effect >= 1


def test_twice_the_design_effect_halves_it(make_mean):
    """Each segment twice is a design effect of 2: as many exchanges, and (t / c)^2 is twice as large."""
    scores = np.random.default_rng(2).normal([[0.0], [0.4]], 1, (2, 100))
    once, twice = (
        pairs_of(compare(make_mean(a=own[0], b=own[1]), rng=1))[0] for own in (scores, np.repeat(scores, 2, axis=1))
    )
    assert twice.tolerated_design_effect == pytest.approx(2 * once.tolerated_design_effect, rel=0.05)


def test_there_is_none_where_documents_are_known_or_units_are_others(make_bleu):
    documents = np.arange(60) // 5
    options = {"n_trials": 500, "rng": 1}
    for found in (
        compare(make_bleu(60, documents=documents, gain=0.1), **options),
        compare(make_bleu(60, documents=documents, gain=0.1), unit="segment", **options),
        compare(make_bleu(60, gain=0.1), unit="block", block_length=3, **options),
    ):
        [pair] = pairs_of(found)
        assert pair.verdict == "significant" and pair.tolerated_design_effect is None
    for more in ({"unit": "auto"}, {"unit": "segment"}, {"adjust": "holm"}):
        [pair] = pairs_of(compare(make_bleu(60, gain=0.1), **more, **options))
        assert pair.shown()["tolerated_design_effect"] == pair.tolerated_design_effect > 1
        assert pair.turned().tolerated_design_effect == pair.tolerated_design_effect


def test_each_of_several_sets_has_its_own(make_bleu):
    """And their mean has one where the documents of some are not known."""
    documents = np.arange(60) // 5
    options = {"n_trials": 500, "rng": 1}
    sets = {"x": make_bleu(60, gain=0.1), "y": make_bleu(60, gain=0.1, documents=documents, seed=1)}
    [pair] = pairs_of(compare_test_sets(sets, **options))
    assert pair.tolerated_design_effect > 1
    assert [one.verdict for one in pair.sets] == ["significant"] * 2
    assert [one.tolerated_design_effect is None for one in pair.sets] == [False, True]
    sets["y"] = make_bleu(60, gain=0.1, seed=1)
    found = compare_test_sets(sets, **options)
    [pair] = pairs_of(found)
    own = [one.tolerated_design_effect for one in pair.sets]
    assert pair.tolerated_design_effect > max(own) > 1  # two sets have twice the segments
    [alone] = pairs_of(found.of_set("x"))
    assert alone.tolerated_design_effect >= own[0]  # its family is smaller
    assert found.sets_frame()["tolerated_design_effect"].tolist() == own


def test_where_documents_of_a_set_are_known_the_other_set_alone_has_the_design_effect(make_bleu):
    """A document per segment leaves the exchanges as they are, and takes the set's part of the variance for known."""
    options = {"n_trials": 500, "rng": 1}
    x, y = make_bleu(60, gain=0.1), make_bleu(60, gain=0.05, seed=1)
    [unknown] = pairs_of(compare_test_sets({"x": x, "y": y}, **options))
    y = make_bleu(60, gain=0.05, seed=1, documents=np.arange(60))
    [pair] = pairs_of(compare_test_sets({"x": x, "y": y}, **options))
    of_x, of_y = (one.standard_error**2 for one in pair.sets)
    whole = (of_x * pair.tolerated_design_effect + of_y) / (of_x + of_y)
    assert whole == pytest.approx(unknown.tolerated_design_effect)
    assert pair.tolerated_design_effect > unknown.tolerated_design_effect > 1
    known = make_bleu(60, gain=0.1, documents=np.arange(60))
    [pair] = pairs_of(compare_test_sets({"x": known, "y": y}, **options))
    assert pair.verdict == "significant" and pair.tolerated_design_effect is None


def test_a_set_whose_known_documents_are_not_used_leaves_it_untold(make_bleu):
    """Its variance takes segments for independent, too, so the other set does not rest on the design effect alone."""
    sets = {"x": make_bleu(60, gain=0.1), "y": make_bleu(60, gain=0.05, seed=1, documents=np.arange(60))}
    [pair] = pairs_of(compare_test_sets(sets, n_trials=500, rng=1, unit="segment"))
    assert pair.verdict == "significant" and pair.tolerated_design_effect is None


def test_a_few_documents_are_as_good_as_unknown(make_bleu):
    options = {"n_trials": 500, "rng": 1}
    few, none = np.repeat(np.arange(5), 12), np.arange(60) // 10
    unknown, known, enough = (
        pairs_of(compare(make_bleu(60, gain=0.1, documents=documents), unit="segment", **options))[0]
        for documents in (None, few, none)
    )
    assert known.tolerated_design_effect == unknown.tolerated_design_effect > 1
    assert enough.tolerated_design_effect is None


@pytest.mark.parametrize("runs", ["separate", "pooled"])
def test_for_the_method_the_variance_over_units_is_what_alike_sentences_multiply(make_bleu, runs):
    """With a larger variance, and the degrees of freedom as they are, p is just what the level allows."""
    statistics = make_bleu(60, runs=(3, 3, 3), gain=0.1, seed=1)
    pairs = pairs_of(compare(statistics, n_trials=500, rng=1, runs=runs))
    shown = [pair for pair in pairs if pair.method_verdict == "significant"]
    assert shown
    for pair in shown:
        more = (pair.method_tolerated_design_effect - 1) * pair.method_variance.unit
        p_values = [
            2 * student.sf(abs(pair.difference) / math.sqrt(error**2 + more), df) for error, df in pair.method.errors
        ]
        assert max(p_values) * pair.method_p_adjusted / pair.method_p_value == pytest.approx(0.05)
        assert pair.turned().method_tolerated_design_effect == pair.method_tolerated_design_effect
    assert all(pair.method_tolerated_design_effect is None for pair in pairs if pair not in shown)


def test_on_real_outputs_it_tells_which_verdicts_documents_take_back():
    """Where the design effect of a difference exceeds it, the verdict by document is another."""
    [bleu] = [
        one
        for one in mtw.load_statistics(mtw.find_shipped("data/wmt23-en-de/text_metrics.stats"))
        if one.metric.name == "BLEU"
    ]
    test_set = replace(bleu.test_set, documents=None)
    unknown = SegmentStatistics(bleu.metric, bleu.values, test_set, bleu.metric_signature)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        known, by_segment = (pairs_of(compare(one, rng=1)) for one in (bleu, unknown))
    predicted = [
        (one.tolerated_design_effect or 0) > of_documents.design_effect
        for one, of_documents in zip(by_segment, known, strict=True)
    ]
    shown = [one.verdict == "significant" for one in known]
    agree = sum(one == other for one, other in zip(predicted, shown, strict=True))
    # Its critical value is that of exchanges by segment, so a pair at the threshold may go either way.
    assert agree >= len(shown) - 1
    assert 0 < sum(shown) < len(shown)
