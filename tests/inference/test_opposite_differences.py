"""p is of all runs taken together: where these differ the other way than the mean scores, nothing is called shown."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import mtworkbench as mtw
from mtworkbench.analyses.influence import grow_test_set
from mtworkbench.analyses.units import compare_units
from mtworkbench.errors import DataWarning
from mtworkbench.inference import approximate_randomization, compare
from mtworkbench.inference.campaigns import compare_test_sets
from mtworkbench.inference.conventions import conventions
from mtworkbench.inference.verdicts import differ_alike, withhold
from mtworkbench.results.verdicts import Verdict
from mtworkbench.tables import describe_comparison, format_campaign, format_comparison

QUICK = {"n_resamples": 400, "n_trials": 999, "rng": 1}
HYPOTHESIS = [0, 2, 3, 4, 5, 6, 7, 8, 9]
OF_ALL = "p is of all runs taken together, whose difference is"
SIGNS = "Where the two differ in sign, nothing is shown, however small p is."


def make_sets(make_bleu, *names):
    """One of three runs of "broken" is empty; all outputs of "short" lack 31 % of their words.

    Two thirds of a BLEU are more than what the brevity penalty leaves of 69 %, and less if the runs are one text.
    """
    sets = {}
    for seed, name in enumerate(names):
        found = make_bleu(200, runs=(1,), seed=seed)
        [good] = found["s0"].values * 100
        nothing, short = good.copy(), good.copy()
        nothing[:, HYPOTHESIS] = 0
        short[:, HYPOTHESIS] = short[:, HYPOTHESIS] // 100 * 69
        values = {"short": np.array([short] * 3), "broken": np.array([good, good, nothing])}
        test_set = replace(found.test_set, references=name, lineage=object())
        sets[name] = replace(found, values=values, test_set=test_set)
    return sets


def said(text):
    return " ".join(text.replace("%", " ").split())


@pytest.mark.parametrize("exchange", ["unit", "run"])
def test_nothing_is_shown_where_the_tested_difference_has_another_sign(make_bleu, exchange):
    [statistics] = make_sets(make_bleu, "x").values()
    test = approximate_randomization(statistics["broken"], statistics["short"], n_trials=999, rng=1)
    assert test.difference > 0 > test.tested_difference and test.p_value == 0.001
    found = compare(statistics, baseline="short", exchange=exchange, **QUICK)
    [pair] = found.metrics["BLEU"].comparisons
    assert (pair.verdict, pair.better, pair.conclusion) == ("not significant", None, "not shown")
    if exchange == "unit":
        assert pair.p_adjusted == 0.001
        tested = f"{test.tested_difference:.2f}"
        for text in (format_comparison(found), format_comparison(found, "latex"), describe_comparison(found)):
            assert SIGNS in said(text), text
            assert f"broken - short = {tested} (mean scores: +{test.difference:.2f})" in said(text)
            assert "is shown to be better" not in said(text)
        assert f"no difference is shown, because {OF_ALL} {tested}" in describe_comparison(found.metrics["BLEU"])
        assert "†" not in format_comparison(found, "latex")


def test_nothing_is_shown_over_test_sets_either(make_bleu):
    sets = make_sets(make_bleu, "x", "y", "z")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = compare_test_sets(sets, baseline="short", **QUICK)
    [pair] = found.metrics["BLEU"].comparisons
    tests = [approximate_randomization(one["broken"], one["short"], n_trials=99, rng=1) for one in sets.values()]
    assert pair.tested_difference == pytest.approx(np.mean([test.tested_difference for test in tests]), rel=1e-9)
    assert pair.turned().tested_difference == -pair.tested_difference > 0
    assert pair.difference > 0 and pair.p_value == 0.001 and pair.new_sets_p_value < 0.05
    assert (pair.verdict, pair.better, pair.conclusion) == ("not significant", None, "not shown")
    for one, test in zip(pair.sets, tests, strict=True):
        assert one.tested_difference == pytest.approx(test.tested_difference, rel=1e-9)
        assert one.turned().tested_difference == -one.tested_difference
        assert (one.verdict, one.better) == ("not significant", None) and one.p_value < 0.01
    text = said(format_campaign(found))
    assert f"{OF_ALL} {pair.tested_difference:.2f}" in text
    assert (
        said(format_campaign(found, "latex")).count(SIGNS) == 2
    )  # in the headline or the caption, and in the paragraph
    assert "p on these test sets is of the difference between the scores of all runs taken together" in text
    for name, one in zip(sets, pair.sets, strict=True):
        assert f"broken - short on {name} = {one.tested_difference:.2f} (mean scores: +{one.difference:.2f})" in text
    assert SIGNS in text and "is shown to be better" not in text and "better better" not in text


def test_rounding_errors_have_no_sign():
    assert differ_alike(0.5, 0.3) and differ_alike(-0.5, -0.3)
    for difference, tested in ((0.5, -0.3), (-0.5, 0.3), (0, 0.3), (0.5, 0), (1e-14, 0.3), (0, 0)):
        assert not differ_alike(difference, tested), (difference, tested)
    undecided = Verdict(0.05, "undecided", 5000)
    assert withhold(undecided, 0.5, 0.3) == undecided
    assert withhold(undecided, 0.5, -0.3) == Verdict(0.05, "not significant", None)


def test_every_table_goes_by_the_same_verdict(make_bleu):
    [statistics] = make_sets(make_bleu, "x").values()
    broken, short = statistics["broken"], statistics["short"]
    options = {"n_trials": 999, "rng": 1}
    [by_unit] = compare_units(statistics, units=["segment"], **options).itertuples()
    assert (by_unit.p_value, by_unit.verdict) == (0.001, "not significant")
    grown = grow_test_set(broken, short, n_points=2, **options)
    assert grown["p_value"].iloc[-1] == 0.001 and set(grown["verdict"]) == {"not significant"}
    [rule] = [one for one in conventions(broken, short, n_resamples=400, **options).rules if one.name == "ar"]
    assert (rule.p_value, rule.verdict, rule.better) == (0.001, "not significant", None)


def test_conventions_say_why_randomization_shows_nothing(make_bleu):
    [statistics] = make_sets(make_bleu, "x").values()
    found = mtw.conventions(statistics["broken"], statistics["short"], n_resamples=400, n_trials=999, rng=1)
    text = " ".join(found.headline)
    why = "because its p is of all runs taken together, whose difference does not have the sign of the mean scores'."
    assert f"does not call it significant, {why}" in text and "Why:" not in text
