"""What a comparison concludes: who is better, for whom it is shown, what was too few to show anything."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import (
    approximate_randomization,
    bootstrap_interval,
    compare,
    optimizer_variance,
    paired_bootstrap,
)
from mtworkbench.metrics import Length, MeanScore, Ter
from mtworkbench.results.verdicts import judge_method_family
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.words.cells import round_up

OPTIONS = {"n_resamples": 400, "n_trials": 1000, "rng": 1}


def lengths_of(statistics):
    values = {system: values[..., :2] for system, values in statistics.values.items()}
    return SegmentStatistics(Length(), values, statistics.test_set)


def ter_statistics(make_bleu, **errors):
    """TER statistics (edits, reference length) of systems with so many edits per segment, run by run."""
    test_set = make_bleu(120).test_set
    values = {}
    for number, (name, rates) in enumerate(errors.items()):
        draws = np.random.default_rng(number)
        edits = np.stack([draws.binomial(20, rate / 20, 120) for rate in np.atleast_1d(rates)])
        values[name] = np.stack([edits, np.full(edits.shape, 20)], axis=-1)
    return SegmentStatistics(Ter(), values, test_set)


def shifted(make_mean, gain, run_spread=0.0, n_runs=1, n_segments=120, up=True):
    """Two systems with a difference of means, and runs that lie so far apart."""
    draws = np.random.default_rng(8)
    shared = draws.normal(0, 1, n_segments)
    runs = {
        name: shared + draws.normal(0, 0.3, (n_runs, n_segments)) + draws.normal(place * gain, run_spread, (n_runs, 1))
        for place, name in enumerate(("base", "new"))
    }
    return make_mean(metric=MeanScore(name="score", higher_is_better=up), **runs)


def pair_of(found):
    [metric] = found.metrics.values()
    [pair] = metric.comparisons
    return pair


# ---- who is better


def test_the_better_system_is_named_by_the_metrics_direction(make_bleu):
    """TER: lower is better, so the system with more edits is not."""
    ter = ter_statistics(make_bleu, few=4, many=8)
    pair = pair_of(compare(ter, **OPTIONS))
    assert (pair.a, pair.b, pair.verdict) == ("many", "few", "significant")
    assert pair.difference > 0
    assert pair.better == "few"
    assert pair.confidence == 0  # wins of a, which never has fewer edits
    found = compare(ter, "many", **OPTIONS)
    assert pair_of(found).better == "few"
    assert found.headline[0].startswith("few - many = -")
    assert " TER: on these outputs, few is shown to be better (" in found.headline[0]


def test_where_nothing_is_significant_or_nothing_is_better_nobody_is(make_mean, make_bleu):
    assert pair_of(compare(shifted(make_mean, 0.0), **OPTIONS)).better is None
    none = compare(shifted(make_mean, 1.0, up=None), **OPTIONS)
    pair = pair_of(none)
    assert (pair.verdict, pair.better, pair.confidence) == ("significant", None, None)
    assert "new is shown to be higher (p" in none.headline[0]
    assert pair_of(compare(shifted(make_mean, 1.0), **OPTIONS)).better == "new"
    assert pair_of(compare(shifted(make_mean, 1.0, up=False), **OPTIONS)).better == "base"
    lengths = lengths_of(make_bleu(150))
    longer = lengths.values["s0"] + [3, 0]
    found = compare(replace(lengths, values={"s0": lengths.values["s0"], "long": longer}), **OPTIONS)
    assert pair_of(found).better is None
    difference = f"{pair_of(found).difference:+.2f} Length"
    assert found.headline[0] == f"long - s0 = {difference}: on these outputs, long is shown to be longer (p < 0.001)."


# ---- for whom it is shown


@pytest.mark.parametrize(
    ("gain", "run_spread", "n_runs", "method_verdict", "conclusion"),
    [
        (1.0, 0.05, 4, "significant", "shown for the method"),
        (0.0, 0.5, 3, "not significant", "shown on these outputs only"),
        (1.0, 0.0, 1, None, "shown on these outputs; new runs unknown"),
        (0.0, 0.0, 1, None, "not shown"),
        (0.0, 0.0, 3, "not significant", "not shown"),
    ],
)
def test_the_conclusion_is_the_weaker_of_both_answers(make_mean, gain, run_spread, n_runs, method_verdict, conclusion):
    pair = pair_of(compare(shifted(make_mean, gain, run_spread, n_runs), **OPTIONS))
    assert (pair.method_verdict, pair.conclusion) == (method_verdict, conclusion)


def test_one_run_against_three_is_not_tested_for_the_method(make_mean):
    both = shifted(make_mean, 1.0, n_runs=3)
    found = compare(replace(both, values={"one": both.values["base"][:1], "new": both.values["new"]}), **OPTIONS)
    pair = pair_of(found)
    assert pair.conclusion == "shown on these outputs; new runs unknown"
    assert pair.method_verdict is pair.method_p_adjusted is None
    assert found.headline[0] == (
        f"new - one = {pair.difference:+.2f} score: on these outputs, new is shown to be better (p < 0.001)."
    )
    assert "one has one run, so nothing is known about new training or tuning runs of it." in " ".join(found.headline)


def test_methods_are_judged_as_a_family_of_their_own(make_bleu):
    """Those of the comparisons that have a p for the method; the others are not counted."""
    found = compare(make_bleu(150, runs=(3, 1, 3, 3), gain=0.004), **OPTIONS).metrics["BLEU"].comparisons
    p_values = [pair.method_p_value for pair in found]
    assert [p is None for p in p_values] == ["s1" in (pair.a, pair.b) for pair in found]
    expected = judge_method_family(p_values, 0.95)
    assert [(pair.method_p_adjusted, pair.method_verdict) for pair in found] == expected
    ordered = sorted(p for p in p_values if p is not None)
    assert len(ordered) == 3
    smallest = min(pair.method_p_adjusted for pair in found if pair.method_p_adjusted is not None)
    assert smallest == pytest.approx(min(3 * ordered[0], 1))


@pytest.mark.parametrize("n_runs", [1, 3])
def test_the_same_outputs_again_are_copies(make_bleu, n_runs):
    """As another system; with several runs, in another order of the runs, too."""
    bleu = make_bleu(60, runs=(n_runs, n_runs), gain=0.05)
    values = bleu.values | {"again": bleu.values["s0"][::-1]}
    for exchange in ("unit", "run"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = compare(replace(bleu, values=values), "s0", exchange=exchange, **OPTIONS)
        [other, copy] = found.metrics["BLEU"].comparisons
        assert (copy.a, copy.conclusion, copy.segments_differing) == ("again", "copies", 0)
        assert copy.p_value == copy.p_adjusted == 1
        assert (copy.difference, copy.better, copy.verdict) == (pytest.approx(0, abs=1e-9), None, "not significant")
        assert other.conclusion != "copies"
        [said] = [sentence for sentence in found.headline if sentence.startswith("again against s0: ")]
        assert said == (
            "again against s0: by BLEU, they are copies of each other, with the same statistics in every segment."
        )


@pytest.mark.parametrize("n_runs", [1, 3])
def test_the_same_numbers_are_identical_scores_not_copies(make_bleu, make_mean, n_runs):
    """Two texts may be rated alike, and may be of one length."""
    scores = np.random.default_rng(1).normal(size=(n_runs, 60))
    ratings = make_mean(metric=MeanScore(name="DA"), a=scores, b=scores)
    lengths = lengths_of(make_bleu(60, runs=(n_runs, 1)))
    lengths = replace(lengths, values={"a": lengths.values["s0"], "b": lengths.values["s0"]})
    found = compare([ratings, lengths], **OPTIONS)
    for metric in found.metrics.values():
        [pair] = metric.comparisons
        assert (pair.conclusion, pair.p_value, pair.segments_differing) == ("identical scores", 1, 0)
    assert found.headline[0] == "b against a: by DA and Length, their scores are identical in every segment."
    assert not any("training runs" in sentence for sentence in found.headline)  # more runs would not help


# ---- missing judgements


def test_a_comparison_says_on_how_many_segments_it_rests_and_with_which_scores(make_mean):
    """The difference is of shared segments; the systems' own means are of all they have."""
    draws = np.random.default_rng(5)
    a, b = draws.normal(0.3, 1, (2, 80))
    a[:20], b[60:] = np.nan, np.nan
    with pytest.warns(DataWarning, match="40 of 80 segments"):
        found = compare(make_mean(metric=MeanScore(name="MQM"), b=b, a=a), **OPTIONS)
    pair = pair_of(found)
    shared = slice(20, 60)
    assert pair.n_segments == 40
    assert (pair.score_a, pair.score_b) == pytest.approx((a[shared].mean(), b[shared].mean()))
    assert pair.difference == pytest.approx(pair.score_a - pair.score_b)
    own = {system.system: system.score for system in found.metrics["MQM"].systems}
    assert own == pytest.approx({"a": np.nanmean(a), "b": np.nanmean(b)})
    assert abs((own["a"] - own["b"]) - pair.difference) > 0.05
    html = found._repr_html_()
    assert "Scores on the segments scored for both systems" in html
    assert re.search(rf">40</td><td[^>]*>{pair.score_a:.2f}</td>", html)


def test_without_missing_scores_a_comparison_rests_on_all(make_bleu):
    bleu = make_bleu(60, runs=(2, 1))
    pair = pair_of(compare(bleu, **OPTIONS))
    assert pair.n_segments == 60
    assert (pair.score_a, pair.score_b) == (bleu["s1"].score().mean(), bleu["s0"].score().mean())


# ---- the smallest possible p


def differing(make_bleu, n_differing):
    bleu = make_bleu(40, runs=(1, 1), gain=0.2)
    changed = bleu.values["s0"].copy()
    changed[:, :n_differing] = bleu.values["s1"][:, :n_differing]
    changed[:, :n_differing, 2] = bleu.values["s0"][:, :n_differing, 2] + 1  # so that each of them differs, one way
    changed[:, :n_differing, 6:] = bleu.values["s0"][:, :n_differing, 6:]
    changed[:, :n_differing, :2] = bleu.values["s0"][:, :n_differing, :2]
    changed[:, :n_differing, 3:6] = bleu.values["s0"][:, :n_differing, 3:6]
    return replace(bleu, values={"base": bleu.values["s0"], "new": changed})


@pytest.mark.filterwarnings("ignore:By BLEU, 'new' and 'base' differ in only 1:mtworkbench.errors.DataWarning")
@pytest.mark.parametrize("n_differing", [0, 1, 5, 16])
def test_the_smallest_possible_p_of_an_exact_test(make_bleu, n_differing):
    """One segment more: all exchanges one way, so that p is as small as it can be."""
    pair = pair_of(compare(differing(make_bleu, n_differing), **OPTIONS))
    assert pair.segments_differing == n_differing
    assert pair.p_low == pair.p_high
    assert pair.smallest_p == pair.p_value == min(1, 2.0 ** (1 - n_differing))


def test_the_smallest_possible_p_of_random_trials(make_bleu):
    statistics = differing(make_bleu, 17)
    pair = pair_of(compare(statistics, **OPTIONS))
    assert pair.smallest_p == 1 / 1001
    alone = approximate_randomization(statistics["new"], statistics["base"], n_trials=1000, rng=1)
    assert (pair.p_value, alone.exact) == (alone.p_value, False)


# ---- numbers of draws


def test_unset_numbers_follow_the_family_and_the_level(make_mean):
    statistics = shifted(make_mean, 0.3)
    found = compare(statistics, rng=1)
    assert (found.n_resamples, found.n_trials, found.metrics["score"].n_trials) == (1000, 10_000, 10_000)
    strict = compare(statistics, level=0.999, n_trials=100_000, rng=1)
    assert (strict.n_resamples, strict.n_trials) == (20_000, 100_000)
    assert "trials:100000|interval:auto|level:0.999|resamples:20000" in strict.signature
    draws = np.random.default_rng(1)
    many = make_mean(**{f"s{number}": draws.normal(size=20) for number in range(17)})
    with pytest.warns(DataWarning, match="^Only 20 segments"):
        found = compare(many, adjust="holm", rng=1)
    assert (found.n_trials, found.metrics["score"].n_trials) == (10_032, 10_032)


@pytest.mark.parametrize(("n_systems", "floor"), [(2, 72), (3, 220)])
def test_fewer_trials_than_the_family_needs_are_kept_with_a_warning(make_bleu, n_systems, floor):
    statistics = make_bleu(100, runs=(1,) * n_systems)
    family = "one comparison" if n_systems == 2 else "3 comparisons"
    sentence = (
        f"With {floor - 1} trials and {family}, no difference can be called significant at 0.05, however large it is: "
        f"use at least {floor} trials, or omit n_trials (--trials) to let the program choose."
    )
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        found = compare(statistics, adjust="holm", n_resamples=400, n_trials=floor - 1, rng=1)
    [warning] = caught
    assert (warning.message.code, warning.message.count, warning.filename) == ("few-trials", floor - 1, __file__)
    assert found.n_trials == floor - 1
    assert "significant" not in {pair.verdict for pair in found.metrics["BLEU"].comparisons}
    compare(statistics, adjust="holm", n_resamples=400, n_trials=floor, rng=1)  # which warns of nothing
    compare(statistics, n_resamples=400, n_trials=72, rng=1)  # a family of max-T needs no more than one comparison


def test_exact_tests_and_one_system_need_no_trials(make_bleu):
    compare(differing(make_bleu, 16), n_resamples=400, n_trials=1, rng=1)
    compare(make_bleu(100, runs=(1,)), n_resamples=400, n_trials=1, rng=1)
    for n_trials in (1, 18, 19):  # of 18, not even the largest can be exceeded in 5 %
        with pytest.warns(DataWarning, match=f"^With {n_trials} trials? and one comparison, "):
            found = compare(differing(make_bleu, 17), n_resamples=400, n_trials=n_trials, rng=1)
        [pair] = found.metrics["BLEU"].comparisons
        assert (pair.low is None) == (n_trials < 19)
        assert pair.p_adjusted == pair.p_value >= 1 / (n_trials + 1)


CALLS = {
    "compare": lambda statistics, **options: compare(
        statistics, interval=options.pop("method"), n_trials=400, **options
    ),
    "bootstrap_interval": lambda statistics, **options: bootstrap_interval(statistics["new"], **options),
    "paired_bootstrap": lambda statistics, **options: paired_bootstrap(
        statistics["new"], statistics["base"], **options
    ),
    "optimizer_variance": lambda statistics, **options: optimizer_variance(
        statistics, interval=options.pop("method"), **options
    ),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
@pytest.mark.parametrize(
    ("level", "refused", "warned", "enough"),
    [(0.95, 39, (40, 399), 400), (0.9, 19, (20, 199), 200), (0.99, 199, (200, 1999), 2000)],
)
def test_too_few_resamples_are_refused_and_few_warned_of(make_mean, call, method, level, refused, warned, enough):
    """Where less than one lies beyond each end, the ends are the smallest and the largest of all."""
    statistics = shifted(make_mean, 0.3, n_runs=3)
    options = {"method": method, "level": level, "rng": 1}
    with pytest.raises(InputError, match=rf"\b{refused}\b") as caught:
        CALLS[call](statistics, n_resamples=refused, **options)
    assert caught.value.code == "few-resamples"
    for n_resamples in warned:
        with pytest.warns(DataWarning, match=f"{n_resamples:,}|{n_resamples}") as noticed:
            CALLS[call](statistics, n_resamples=n_resamples, **options)
        assert [(one.message.code, one.message.count) for one in noticed] == [("few-resamples", n_resamples)]
        assert noticed[0].filename == __file__
    CALLS[call](statistics, n_resamples=enough, **options)  # which warns of nothing
    CALLS[call](statistics, **options)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("n_resamples", [2, 39])
def test_the_jackknife_needs_no_resamples(make_mean, call, n_resamples):
    statistics = shifted(make_mean, 0.3, n_runs=3)
    CALLS[call](statistics, n_resamples=n_resamples, method="jackknife", rng=1)
    few = shifted(make_mean, 0.3, n_runs=3, n_segments=99)
    CALLS[call](few, n_resamples=n_resamples, method="auto", rng=1)
    with pytest.raises(InputError):
        CALLS[call](statistics, n_resamples=n_resamples, method="auto", rng=1)  # 120 segments: percentile


# ---- as many systems as in a campaign


def campaign(make_mean, n_systems):
    """Clearly different systems on 60 segments."""
    draws = np.random.default_rng(3)
    shared = draws.normal(0, 1, 60)
    return make_mean(**{f"s{number:02}": shared + draws.normal(number, 0.2, 60) for number in range(n_systems)})


@pytest.mark.parametrize("level", [0.95, 0.99])
@pytest.mark.parametrize("n_systems", [17, 20])
def test_no_pair_of_many_systems_is_undecided_for_want_of_trials(make_mean, n_systems, level):
    found = compare(campaign(make_mean, n_systems), level=level, rng=1)
    pairs = found.metrics["score"].comparisons
    assert len(pairs) == n_systems * (n_systems - 1) // 2
    assert {pair.verdict for pair in pairs} == {"significant"}
    assert all(pair.p_value == 1 / (found.n_trials + 1) for pair in pairs)
    at = "" if found.level == 0.95 else " at 1 %"
    assert found.headline[0] == (
        f"Of {len(pairs)} pairs compared on these outputs{at} by score, all are shown to differ."
    )
    best = f"s{n_systems - 1}"
    assert found.headline[1] == (f"By score, {best} is shown to be better than every other system on these outputs.")
    assert [one.rank_low for one in found.metrics["score"].ranking] == list(range(1, n_systems + 1))


def test_numbers_are_rounded_up_to_three_digits():
    assert [round_up(number) for number in (7, 99, 1_110, 8_157, 14_476)] == [7, 99, 1_110, 8_160, 14_500]


def test_10000_trials_are_too_few_for_17_systems(make_mean):
    with pytest.warns(DataWarning, match="^With 10,000 trials and 136 comparisons, no difference can be called"):
        found = compare(campaign(make_mean, 17), adjust="holm", n_trials=10_000, rng=1)
    assert {pair.verdict for pair in found.metrics["score"].comparisons} == {"undecided"}
    assert found.headline[0].startswith("All 136 comparisons on these outputs are undecided")
    assert [sentence for sentence in found.headline if "undecided" in sentence] == found.headline[:1]
